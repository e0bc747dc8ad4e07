/* The contacts of a bearing, eight balls at a time: what explicit methods ask for at every step. */
#ifndef NUTATE_MODEL_BEARING_LANES_H
#define NUTATE_MODEL_BEARING_LANES_H

#include "model/contacts/touch.h"

/* A group that is not full may be a half one. */
enum { NT_LANES = 8, NT_HALF = 4 };

typedef struct nt_lane {
    double of[NT_LANES];
} nt_lane;

/* Balls, component by component; ground axes. */
typedef struct nt_ball_lanes {
    nt_lane x[3], v[3], w[3];
} nt_ball_lanes;

/* A body of surfaces: its motion, the origin o and the axis of its skeleton, which pockets have
 * each for themselves. */
typedef struct nt_ring_pose {
    v3 x, v, w, origin, axis;
} nt_ring_pose;

/* Pockets of a cage: cos and sin of their angles in the cage's axes, R; and how far the points that
 * they have for skeletons are from its centre. */
typedef struct nt_pocket_lanes {
    nt_lane turn[2];
    m3 R;
    double radius;
} nt_pocket_lanes;

/* The direction of a pocket; ground axes. */
NT_INLINE v3 nt_pocket_axis(m3 R, double cosine, double sine)
{
    return v3_of(R.xx * cosine + R.xy * sine, R.yx * cosine + R.yy * sine,
                 R.zx * cosine + R.zy * sine);
}

/* What the surface does to the balls: the force, the moment about the ball's centre; and to the
 * other body, as it would be on the ball at that body's reference point: its moment. The normal
 * force, N; the slope of the friction across the sliding, N s/m; the indentation, m, negative: the
 * distance, and its rate; how far the normal stands off the plane of a circle, cos^2 of the angle;
 * how far the ellipse of contact goes over the shoulder, as
 * in nt_energy_lanes; and whether N > 0, in numbers of half the width of the others: so the
 * compiler takes two vectors of four lanes at once, and works on one while the other waits for a
 * root or a quotient. */
typedef struct nt_push_lanes {
    nt_lane F[3], M[3], moment[3], N, slope, delta, rate, cosine2, beyond;
    int touches[NT_LANES];
} nt_push_lanes;

/* What the contacts of a ball take from changes of one body's velocity and angular velocity:
 * -d(F, M)/d(v, w), row by row. */
typedef struct nt_damping_lanes {
    nt_lane of[36];
} nt_damping_lanes;

/* Energies of contacts: elastic; the power of all else, W; and cos(s - x) - cos(alpha), positive
 * where the ellipse of half the width x goes over the shoulder at s of a circle, 0 where nothing
 * touches. */
typedef struct nt_energy_lanes {
    nt_lane potential, power, beyond;
    int touches[NT_LANES];
} nt_energy_lanes;

/* What is found of contacts: what they do; the same, and the damping of the balls; or the damping
 * of the ring. */
typedef enum nt_lanes_wanted {
    NT_LANES_PUSH,
    NT_LANES_PUSH_AND_DAMP,
    NT_LANES_DAMP_RING,
    NT_LANES_WANTED
} nt_lanes_wanted;

/* The first `n` lanes, at least. lift: m, per lane; last: cos and sin of the angle of the shoulder.
 * A race is a groove of a ring; law: of the traction; rolls: whether there is a moment against
 * rolling. What is not wanted is not written, and may be NULL; the damping is added. */
void nt_lanes_race(nt_traction_law law, bool rolls, nt_lanes_wanted wanted, int n,
                   const nt_surface *surface, const nt_touch_law *touch, const nt_ring_pose *ring,
                   const nt_ball_lanes *balls, const nt_lane *lift, const double last[2],
                   nt_push_lanes *push, nt_damping_lanes *damping);
/* skeleton: NT_LINE or NT_POINT. Coulomb's friction, no moments. */
void nt_lanes_pocket(nt_skeleton skeleton, int n, const nt_surface *surface,
                     const nt_touch_law *touch, const nt_ring_pose *cage,
                     const nt_ball_lanes *balls, const nt_pocket_lanes *pockets,
                     nt_push_lanes *push);

/* Over the first `n` lanes, those left over being as the last: the largest N, the largest and the
 * least slope, N s/m, the deepest indentation, 0 at least, and how far the furthest ellipse goes
 * over its shoulder; and whether each has a number for N, none of them more than `most`, and those
 * that touch a race have cosine2 of `last` at least. */
typedef struct nt_lanes_extremes {
    double most_N, most_slope, least_slope, deepest, beyond;
    bool have_values;
} nt_lanes_extremes;

nt_lanes_extremes nt_lanes_extremes_of_race(const nt_push_lanes *push, int n, double most,
                                            double last);
nt_lanes_extremes nt_lanes_extremes_of_pockets(const nt_push_lanes *push, int n, double most);

/* Zero, over the first `n` lanes at least. */
void nt_lanes_clear_damping(nt_damping_lanes *damping, int n);
/* Adds c times the damping of four lanes from `first` on to four blocks of each, 3 x 3: to[lane]
 * [block], all there. */
void nt_lanes_spread_damping(const nt_damping_lanes *damping, int first, double c,
                             double *to[NT_HALF][4]);

/* The largest square of a frequency, 1/s^2, that the first `n` contacts have by themselves over
 * this mobility, 1/kg: of what touches now, and `ahead` s later, rates growing by `growth`, m/s^2;
 * as of one contact (contact_damping.c). */
void nt_lanes_stiffest(const nt_touch_law *touch, int n, const nt_push_lanes *push, double deepest,
                       double mobility, double ahead, double growth, double *now, double *later);

/* The energies of balls on races that are round, and in their pockets. */
void nt_lanes_race_energy(nt_traction_law law, bool rolls, int n, const nt_surface *surface,
                          const nt_touch_law *touch, const nt_ring_pose *ring,
                          const nt_ball_lanes *balls, const double last[2], nt_energy_lanes *out);
void nt_lanes_pocket_energy(nt_skeleton skeleton, int n, const nt_surface *surface,
                            const nt_touch_law *touch, const nt_ring_pose *cage,
                            const nt_ball_lanes *balls, const nt_pocket_lanes *pockets,
                            nt_energy_lanes *out);

#endif
