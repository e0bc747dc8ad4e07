/* Contacts of eight balls at a time: the formulas of touch.h in loops over lanes, which the
 * compiler turns into vector instructions. Every lane does the same operations in the same order as
 * a contact alone: the same bits. This file is compiled without errno and traps of arithmetic,
 * which keep square roots and choices out of vectors and change no number. */
#include "model/bearings/lanes.h"

#include "base/target.h"
#include "linalg/lanes.h"

NT_INLINE v3 get(const nt_lane *p, int l) { return v3_of(p[0].of[l], p[1].of[l], p[2].of[l]); }

NT_INLINE void put(nt_lane *p, int l, v3 a)
{
    p[0].of[l] = a.x, p[1].of[l] = a.y, p[2].of[l] = a.z;
}

/* cos(s - x) - cos(alpha), of the half width x of the ellipse and the shoulder at s. */
NT_INLINE double beyond_of(const nt_touch *t, const nt_surface *surface, const nt_touch_law *law,
                           const double *last)
{
    /* x < 0.5: cos and sin to 1e-8 */
    double depth = t->delta > 0 ? t->delta : 0;
    double x = law->semi_axis / surface->offset * sqrt(depth), x2 = x * x;
    double cos_x = 1 - x2 * (1. / 2 - x2 * (1. / 24 - x2 * (1. / 720)));
    double sin_x = x * (1 - x2 * (1. / 6 - x2 * (1. / 120 - x2 * (1. / 5040))));
    double beyond = last[0] * cos_x + last[1] * sin_x - fabs(v3_dot(t->m, t->e));
    return t->delta > 0 ? beyond : 0;
}

NT_INLINE void put_push(const nt_touch *t, nt_push_lanes *push, int l)
{
    put(push->F, l, t->F);
    put(push->M, l, v3_add(v3_cross(t->r_b, t->F), t->M));
    put(push->moment, l, v3_add(v3_cross(t->r_a, t->F), t->M));
    push->N.of[l] = t->N;
    push->slope.of[l] = t->N * t->phi_t;
    push->delta.of[l] = t->delta;
    push->rate.of[l] = t->rate;
    double cosine = v3_dot(t->m, t->e);
    push->cosine2.of[l] = cosine * cosine;
}

/* Column j of -d(F, M)/d(v, w): of the ball, r its r_b; or of the ring, whose velocities and whose
 * share of F have the opposite sign, r its r_a. */
NT_INLINE void put_column(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                          const nt_touch_pose *at, const nt_touch *t, bool of_ring, int j,
                          nt_damping_lanes *damping, int l)
{
    v3 none = v3_of(0, 0, 0), r = of_ring ? t->r_a : t->r_b, dF, dM;
    v3 unit = v3_of(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    v3 du = j < 3 ? unit : v3_cross(unit, r), dW = j < 3 ? none : unit;
    double dr = kind.law == NT_TRACTION_FILM
                    ? nt_touch_rolling_change(t, kind.skeleton, surface, at->axis, du, dW)
                    : 0;
    nt_touch_vary_rates(kind, law, t, v3_sub(at->w_b, at->w_a), du, dW, dr, &dF, &dM);
    dM = v3_add(v3_cross(r, dF), dM);
    double rows[6] = {dF.x, dF.y, dF.z, dM.x, dM.y, dM.z};
    damping->of[j].of[l] -= t->N > 0 ? rows[0] : 0;
    damping->of[6 + j].of[l] -= t->N > 0 ? rows[1] : 0;
    damping->of[12 + j].of[l] -= t->N > 0 ? rows[2] : 0;
    damping->of[18 + j].of[l] -= t->N > 0 ? rows[3] : 0;
    damping->of[24 + j].of[l] -= t->N > 0 ? rows[4] : 0;
    damping->of[30 + j].of[l] -= t->N > 0 ? rows[5] : 0;
}

NT_INLINE nt_touch_pose pose_of(const nt_ring_pose *ring, const nt_ball_lanes *balls, v3 origin,
                                v3 axis, double lift, int l)
{
    v3 c = get(balls->x, l);
    return (nt_touch_pose){.y = v3_sub(c, origin),
                           .axis = axis,
                           .arm_a = v3_sub(c, ring->x),
                           .arm_b = v3_of(0, 0, 0),
                           .v_a = ring->v,
                           .w_a = ring->w,
                           .v_b = get(balls->v, l),
                           .w_b = get(balls->w, l),
                           .lift = lift};
}

NT_INLINE void one_lane(nt_touch_kind kind, nt_lanes_wanted wanted, int width,
                        const nt_surface *surface, const nt_touch_law *law,
                        const nt_ring_pose *ring, const nt_ball_lanes *balls, v3 origin, v3 axis,
                        double lift, const double *last, nt_push_lanes *push,
                        nt_damping_lanes *damping, int l)
{
    nt_touch_pose at = pose_of(ring, balls, origin, axis, lift, l);
    nt_touch t = nt_touch_find(kind, surface, law, &at);
    if (wanted != NT_LANES_DAMP_RING)
        put_push(&t, push, l);
    if (wanted != NT_LANES_DAMP_RING && width == NT_LANES)
        push->touches[l] = t.N > 0;
    if (wanted != NT_LANES_DAMP_RING && kind.skeleton == NT_CIRCLE)
        push->beyond.of[l] = beyond_of(&t, surface, law, last);
    if (wanted == NT_LANES_PUSH)
        return;
    bool of_ring = wanted == NT_LANES_DAMP_RING;
    put_column(kind, surface, law, &at, &t, of_ring, 0, damping, l);
    put_column(kind, surface, law, &at, &t, of_ring, 1, damping, l);
    put_column(kind, surface, law, &at, &t, of_ring, 2, damping, l);
    put_column(kind, surface, law, &at, &t, of_ring, 3, damping, l);
    put_column(kind, surface, law, &at, &t, of_ring, 4, damping, l);
    put_column(kind, surface, law, &at, &t, of_ring, 5, damping, l);
}

/* What touches in a half group, whose loop has no numbers of half the width. */
NT_INLINE void say_half(const double *N, int *touches)
{
    for (int l = 0; l < NT_HALF; l++)
        touches[l] = N[l] > 0;
}

#define NT_RACE_ARGUMENTS                                                                          \
    const nt_surface *surface, const nt_touch_law *law, const nt_ring_pose *ring,                  \
        const nt_ball_lanes *restrict balls, const nt_lane *restrict lift, const double *over,     \
        nt_push_lanes *restrict push, nt_damping_lanes *restrict damping

#define NT_RACE(name, law_, rolls_, wanted_, lanes_)                                               \
    NT_WIDE static void name(NT_RACE_ARGUMENTS)                                                    \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *ring;                                                              \
        const double last[2] = {over[0], over[1]};                                                 \
        for (int l = 0; l < lanes_; l++)                                                           \
            one_lane((nt_touch_kind){NT_CIRCLE, law_, true, true, rolls_, true}, wanted_, lanes_,  \
                     &s, &t, &r, balls, r.origin, r.axis, lift->of[l], last, push, damping, l);    \
        if (wanted_ != NT_LANES_DAMP_RING && lanes_ == NT_HALF)                                    \
            say_half(push->N.of, push->touches);                                                   \
    }
#define NT_RACES(name, law_, rolls_)                                                               \
    NT_RACE(name, law_, rolls_, NT_LANES_PUSH, NT_LANES)                                           \
    NT_RACE(name##_damped, law_, rolls_, NT_LANES_PUSH_AND_DAMP, NT_LANES)                         \
    NT_RACE(name##_ring, law_, rolls_, NT_LANES_DAMP_RING, NT_LANES)                               \
    NT_RACE(name##_half, law_, rolls_, NT_LANES_PUSH, NT_HALF)                                     \
    NT_RACE(name##_half_damped, law_, rolls_, NT_LANES_PUSH_AND_DAMP, NT_HALF)                     \
    NT_RACE(name##_half_ring, law_, rolls_, NT_LANES_DAMP_RING, NT_HALF)
#define NT_RACES_OF(name)                                                                          \
    {                                                                                              \
        {name, name##_damped, name##_ring}, { name##_half, name##_half_damped, name##_half_ring }  \
    }
NT_RACES(race_coulomb, NT_TRACTION_COULOMB, false)
NT_RACES(race_four_parameter, NT_TRACTION_FOUR_PARAMETER, false)
NT_RACES(race_film, NT_TRACTION_FILM, false)
NT_RACES(rolling_coulomb, NT_TRACTION_COULOMB, true)
NT_RACES(rolling_four_parameter, NT_TRACTION_FOUR_PARAMETER, true)
NT_RACES(rolling_film, NT_TRACTION_FILM, true)

void nt_lanes_race(nt_traction_law law, bool rolls, nt_lanes_wanted wanted, int n,
                   const nt_surface *surface, const nt_touch_law *touch, const nt_ring_pose *ring,
                   const nt_ball_lanes *balls, const nt_lane *lift, const double last[2],
                   nt_push_lanes *push, nt_damping_lanes *damping)
{
    static void (*const races[2][3][2][NT_LANES_WANTED])(NT_RACE_ARGUMENTS) = {
        {NT_RACES_OF(race_coulomb), NT_RACES_OF(race_four_parameter), NT_RACES_OF(race_film)},
        {NT_RACES_OF(rolling_coulomb), NT_RACES_OF(rolling_four_parameter),
         NT_RACES_OF(rolling_film)}};
    races[rolls][law][n <= NT_HALF][wanted](surface, touch, ring, balls, lift, last, push, damping);
}

#define NT_POCKET_ARGUMENTS                                                                        \
    const nt_surface *surface, const nt_touch_law *law, const nt_ring_pose *cage,                  \
        const nt_ball_lanes *restrict balls, const nt_pocket_lanes *restrict pockets,              \
        nt_push_lanes *restrict push

#define NT_POCKET(name, skeleton_, lanes_)                                                         \
    NT_WIDE static void name(NT_POCKET_ARGUMENTS)                                                  \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *cage;                                                              \
        const m3 R = pockets->R;                                                                   \
        const double radius = pockets->radius;                                                     \
        for (int l = 0; l < lanes_; l++) {                                                         \
            v3 axis = nt_pocket_axis(R, pockets->turn[0].of[l], pockets->turn[1].of[l]);           \
            v3 origin = skeleton_ == NT_LINE ? r.x : v3_axpy(radius, axis, r.x);                   \
            one_lane((nt_touch_kind){skeleton_, NT_TRACTION_COULOMB, true, false, false, true},    \
                     NT_LANES_PUSH, lanes_, &s, &t, &r, balls, origin, axis, 0, NULL, push, NULL,  \
                     l);                                                                           \
        }                                                                                          \
        if (lanes_ == NT_HALF)                                                                     \
            say_half(push->N.of, push->touches);                                                   \
    }
NT_POCKET(pocket_line, NT_LINE, NT_LANES)
NT_POCKET(pocket_line_half, NT_LINE, NT_HALF)
NT_POCKET(pocket_point, NT_POINT, NT_LANES)
NT_POCKET(pocket_point_half, NT_POINT, NT_HALF)

void nt_lanes_pocket(nt_skeleton skeleton, int n, const nt_surface *surface,
                     const nt_touch_law *touch, const nt_ring_pose *cage,
                     const nt_ball_lanes *balls, const nt_pocket_lanes *pockets,
                     nt_push_lanes *push)
{
    static void (*const shapes[2][2])(NT_POCKET_ARGUMENTS) = {{pocket_line, pocket_line_half},
                                                              {pocket_point, pocket_point_half}};
    shapes[skeleton == NT_POINT][n <= NT_HALF](surface, touch, cage, balls, pockets, push);
}

/* ---- damping -----------------------------------------------------------------------------------
 */

NT_WIDE static void clear_damping(nt_damping_lanes *damping, int width)
{
    const lanes none = {0};
    for (int l = 0; l < width; l += NT_HALF)
        for (int k = 0; k < 36; k++)
            *(lanes_anywhere *)(damping->of[k].of + l) = none;
}

void nt_lanes_clear_damping(nt_damping_lanes *damping, int n)
{
    clear_damping(damping, n <= NT_HALF ? NT_HALF : NT_LANES);
}

/* Entries of block k of 3 x 3 stand in rows 6 (3 (k/2) + i) + 3 (k%2) + j of the lanes. */
NT_WIDE static void spread_damping(const nt_damping_lanes *damping, int first, double c,
                                   double *to[NT_HALF][4])
{
    for (int k = 0; k < 4; k++) {
        const double *from = damping->of[18 * (k / 2) + 3 * (k % 2)].of + first;
        lanes row[9];
        for (int i = 0; i < 9; i++)
            row[i] = c * *(const lanes_anywhere *)(from + NT_LANES * (6 * (i / 3) + i % 3));
        lanes_transpose(row);
        lanes_transpose(row + 4);
        for (int l = 0; l < NT_HALF; l++) {
            *(lanes_anywhere *)to[l][k] += row[l];
            *(lanes_anywhere *)(to[l][k] + 4) += row[4 + l];
            to[l][k][8] += row[8][l];
        }
    }
}

void nt_lanes_spread_damping(const nt_damping_lanes *damping, int first, double c,
                             double *to[NT_HALF][4])
{
    spread_damping(damping, first, c, to);
}

/* ---- extremes ----------------------------------------------------------------------------------
 */

NT_INLINE lanes more_of(lanes a, lanes b)
{
    lanes_mask more = a > b;
    return (lanes)((more & (lanes_mask)a) | (~more & (lanes_mask)b));
}

NT_INLINE double most_of(lanes a)
{
    double x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
    return x > y ? x : y;
}

NT_INLINE nt_lanes_extremes extremes_of(const nt_push_lanes *push, int n, bool of_race, double most,
                                        double last)
{
    lanes most_N = {0}, slope = {0}, less = {0}, deepest = {0}, beyond = {0};
    lanes_mask have = {-1, -1, -1, -1};
    less -= *(const lanes_anywhere *)push->slope.of;
    for (int l = 0; l < n; l += NT_HALF) {
        lanes N = *(const lanes_anywhere *)(push->N.of + l);
        lanes c = *(const lanes_anywhere *)(push->slope.of + l);
        most_N = more_of(N, most_N);
        slope = more_of(c, slope);
        less = more_of(-c, less);
        deepest = more_of(*(const lanes_anywhere *)(push->delta.of + l), deepest);
        have &= (N >= 0) & (N <= most);
        if (of_race) {
            beyond = more_of(*(const lanes_anywhere *)(push->beyond.of + l), beyond);
            have &= (N <= 0) | (*(const lanes_anywhere *)(push->cosine2.of + l) >= last);
        }
    }
    return (nt_lanes_extremes){.most_N = most_of(most_N),
                               .most_slope = most_of(slope),
                               .least_slope = -most_of(less),
                               .deepest = most_of(deepest),
                               .beyond = most_of(beyond),
                               .have_values = have[0] & have[1] & have[2] & have[3]};
}

NT_WIDE static void of_race(const nt_push_lanes *push, int n, double most, double last,
                            nt_lanes_extremes *out)
{
    *out = extremes_of(push, n, true, most, last);
}

NT_WIDE static void of_pockets(const nt_push_lanes *push, int n, double most,
                               nt_lanes_extremes *out)
{
    *out = extremes_of(push, n, false, most, 0);
}

nt_lanes_extremes nt_lanes_extremes_of_race(const nt_push_lanes *push, int n, double most,
                                            double last)
{
    nt_lanes_extremes out;
    of_race(push, n, most, last, &out);
    return out;
}

nt_lanes_extremes nt_lanes_extremes_of_pockets(const nt_push_lanes *push, int n, double most)
{
    nt_lanes_extremes out;
    of_pockets(push, n, most, &out);
    return out;
}

/* ---- stiffness ---------------------------------------------------------------------------------
 */

void nt_lanes_stiffest(const nt_touch_law *touch, int n, const nt_push_lanes *push, double deepest,
                       double mobility, double ahead, double growth, double *now, double *later)
{
    double most = 0, unit = 1.5 * touch->stiffness * mobility;
    double further = growth * ahead * ahead / 2;
    *now = unit * sqrt(deepest);
    for (int l = 0; l < n && ahead > 0; l++) {
        double delta = push->delta.of[l], rate = push->rate.of[l], size = fabs(rate);
        double depth = delta + (delta > 0 ? size * ahead + further : rate * ahead + further);
        if (!(depth > 0))
            continue;
        double square = unit * sqrt(depth) * (1 + touch->damping * (rate > 0 ? rate : 0));
        double swings = (rate * rate + growth * growth / square) / (square * depth * depth);
        most = fmax(most, square * (1 + NT_TOUCH_TO_SEE * (swings < 1 ? swings : 1)));
    }
    *later = most;
}

/* ---- energies ----------------------------------------------------------------------------------
 */

NT_INLINE void one_energy(nt_touch_kind kind, int width, const nt_surface *surface,
                          const nt_touch_law *law, const nt_ring_pose *ring,
                          const nt_ball_lanes *balls, v3 origin, v3 axis, const double *last,
                          nt_energy_lanes *out, int l)
{
    nt_touch_pose at = pose_of(ring, balls, origin, axis, 0, l);
    nt_touch t = nt_touch_find(kind, surface, law, &at);
    double depth = t.delta > 0 ? t.delta : 0;
    out->potential.of[l] = t.elastic * depth / 2.5;
    out->power.of[l] = t.delta > 0 ? t.power : 0;
    if (width == NT_LANES)
        out->touches[l] = t.delta > 0;
    if (kind.skeleton == NT_CIRCLE)
        out->beyond.of[l] = beyond_of(&t, surface, law, last);
}

#define NT_ENERGY_ARGUMENTS                                                                        \
    const nt_surface *surface, const nt_touch_law *law, const nt_ring_pose *ring,                  \
        const nt_ball_lanes *restrict balls, const nt_pocket_lanes *restrict pockets,              \
        const double *over, nt_energy_lanes *restrict out

#define NT_ENERGY(name, skeleton_, law_, spins_, rolls_, lanes_)                                   \
    NT_WIDE static void name(NT_ENERGY_ARGUMENTS)                                                  \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *ring;                                                              \
        const double last[2] = {over ? over[0] : 0, over ? over[1] : 0};                           \
        const bool in_pocket = skeleton_ != NT_CIRCLE;                                             \
        const m3 R = in_pocket ? pockets->R : m3_identity();                                       \
        const double radius = in_pocket ? pockets->radius : 0;                                     \
        for (int l = 0; l < lanes_; l++) {                                                         \
            v3 origin = r.origin, axis = r.axis;                                                   \
            if (in_pocket) {                                                                       \
                axis = nt_pocket_axis(R, pockets->turn[0].of[l], pockets->turn[1].of[l]);          \
                origin = skeleton_ == NT_LINE ? r.x : v3_axpy(radius, axis, r.x);                  \
            }                                                                                      \
            one_energy((nt_touch_kind){skeleton_, law_, true, spins_, rolls_, true}, lanes_, &s,   \
                       &t, &r, balls, origin, axis, last, out, l);                                 \
        }                                                                                          \
        if (lanes_ == NT_HALF)                                                                     \
            say_half(out->potential.of, out->touches);                                             \
    }
#define NT_ENERGIES(name, skeleton_, law_, spins_, rolls_)                                         \
    NT_ENERGY(name, skeleton_, law_, spins_, rolls_, NT_LANES)                                     \
    NT_ENERGY(name##_half, skeleton_, law_, spins_, rolls_, NT_HALF)
#define NT_ENERGIES_OF(name)                                                                       \
    {                                                                                              \
        name, name##_half                                                                          \
    }
NT_ENERGIES(energy_coulomb, NT_CIRCLE, NT_TRACTION_COULOMB, true, false)
NT_ENERGIES(energy_four_parameter, NT_CIRCLE, NT_TRACTION_FOUR_PARAMETER, true, false)
NT_ENERGIES(energy_film, NT_CIRCLE, NT_TRACTION_FILM, true, false)
NT_ENERGIES(energy_rolling_coulomb, NT_CIRCLE, NT_TRACTION_COULOMB, true, true)
NT_ENERGIES(energy_rolling_four_parameter, NT_CIRCLE, NT_TRACTION_FOUR_PARAMETER, true, true)
NT_ENERGIES(energy_rolling_film, NT_CIRCLE, NT_TRACTION_FILM, true, true)
NT_ENERGIES(energy_line, NT_LINE, NT_TRACTION_COULOMB, false, false)
NT_ENERGIES(energy_point, NT_POINT, NT_TRACTION_COULOMB, false, false)

void nt_lanes_race_energy(nt_traction_law law, bool rolls, int n, const nt_surface *surface,
                          const nt_touch_law *touch, const nt_ring_pose *ring,
                          const nt_ball_lanes *balls, const double last[2], nt_energy_lanes *out)
{
    static void (*const races[2][3][2])(NT_ENERGY_ARGUMENTS) = {
        {NT_ENERGIES_OF(energy_coulomb), NT_ENERGIES_OF(energy_four_parameter),
         NT_ENERGIES_OF(energy_film)},
        {NT_ENERGIES_OF(energy_rolling_coulomb), NT_ENERGIES_OF(energy_rolling_four_parameter),
         NT_ENERGIES_OF(energy_rolling_film)}};
    races[rolls][law][n <= NT_HALF](surface, touch, ring, balls, NULL, last, out);
}

void nt_lanes_pocket_energy(nt_skeleton skeleton, int n, const nt_surface *surface,
                            const nt_touch_law *touch, const nt_ring_pose *cage,
                            const nt_ball_lanes *balls, const nt_pocket_lanes *pockets,
                            nt_energy_lanes *out)
{
    static void (*const shapes[2][2])(NT_ENERGY_ARGUMENTS) = {NT_ENERGIES_OF(energy_line),
                                                              NT_ENERGIES_OF(energy_point)};
    shapes[skeleton == NT_POINT][n <= NT_HALF](surface, touch, cage, balls, pockets, NULL, out);
}
