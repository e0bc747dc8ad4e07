/* Contacts of four balls at a time: the formulas of touch.h in loops over lanes, which the compiler
 * turns into vector instructions. Every lane does the same operations in the same order as a
 * contact alone: the same bits. This file is compiled without errno and traps of arithmetic, which
 * keep square roots and choices out of vectors and change no number. */
#include "model/bearings/lanes.h"

#include "base/target.h"

NT_INLINE v3 get(const nt_lane *p, int l) { return v3_of(p[0].of[l], p[1].of[l], p[2].of[l]); }

NT_INLINE void put(nt_lane *p, int l, v3 a)
{
    p[0].of[l] = a.x, p[1].of[l] = a.y, p[2].of[l] = a.z;
}

NT_INLINE void one_lane(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                        const nt_ring_pose *ring, const nt_ball_lanes *balls, v3 origin, v3 axis,
                        double lift, nt_push_lanes *push, int l)
{
    v3 c = get(balls->x, l);
    nt_touch_pose at = {.y = v3_sub(c, origin),
                        .axis = axis,
                        .arm_a = v3_sub(c, ring->x),
                        .arm_b = v3_of(0, 0, 0),
                        .v_a = ring->v,
                        .w_a = ring->w,
                        .v_b = get(balls->v, l),
                        .w_b = get(balls->w, l),
                        .lift = lift};
    nt_touch t = nt_touch_find(kind, surface, law, &at);
    put(push->F, l, t.F);
    put(push->M, l, v3_add(v3_cross(t.r_b, t.F), t.M));
    put(push->moment, l, v3_add(v3_cross(t.r_a, t.F), t.M));
    push->N.of[l] = t.N;
    double cosine = v3_dot(t.m, t.e);
    push->cosine2.of[l] = cosine * cosine;
}

#define NT_RACE(name, law_, rolls_)                                                                \
    NT_WIDE static void name(const nt_surface *surface, const nt_touch_law *law,                   \
                             const nt_ring_pose *ring, const nt_ball_lanes *restrict balls,        \
                             const nt_lane *restrict lift, nt_push_lanes *restrict push)           \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *ring;                                                              \
        for (int l = 0; l < NT_LANES; l++)                                                         \
            one_lane((nt_touch_kind){NT_CIRCLE, law_, true, true, rolls_}, &s, &t, &r, balls,      \
                     r.origin, r.axis, lift->of[l], push, l);                                      \
    }
NT_RACE(race_coulomb, NT_TRACTION_COULOMB, false)
NT_RACE(race_four_parameter, NT_TRACTION_FOUR_PARAMETER, false)
NT_RACE(race_film, NT_TRACTION_FILM, false)
NT_RACE(rolling_coulomb, NT_TRACTION_COULOMB, true)
NT_RACE(rolling_four_parameter, NT_TRACTION_FOUR_PARAMETER, true)
NT_RACE(rolling_film, NT_TRACTION_FILM, true)

void nt_lanes_race(nt_traction_law law, bool rolls, const nt_surface *surface,
                   const nt_touch_law *touch, const nt_ring_pose *ring, const nt_ball_lanes *balls,
                   const nt_lane *lift, nt_push_lanes *push)
{
    static void (*const races[2][3])(const nt_surface *, const nt_touch_law *, const nt_ring_pose *,
                                     const nt_ball_lanes *restrict, const nt_lane *restrict,
                                     nt_push_lanes *restrict) = {
        {race_coulomb, race_four_parameter, race_film},
        {rolling_coulomb, rolling_four_parameter, rolling_film}};
    races[rolls][law](surface, touch, ring, balls, lift, push);
}

#define NT_POCKET(name, skeleton_)                                                                 \
    NT_WIDE static void name(const nt_surface *surface, const nt_touch_law *law,                   \
                             const nt_ring_pose *cage, const nt_ball_lanes *restrict balls,        \
                             const nt_pocket_lanes *restrict pockets,                              \
                             nt_push_lanes *restrict push)                                         \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *cage;                                                              \
        for (int l = 0; l < NT_LANES; l++)                                                         \
            one_lane((nt_touch_kind){skeleton_, NT_TRACTION_COULOMB, true, false, false}, &s, &t,  \
                     &r, balls, get(pockets->origin, l), get(pockets->axis, l), 0, push, l);       \
    }
NT_POCKET(pocket_line, NT_LINE)
NT_POCKET(pocket_point, NT_POINT)

void nt_lanes_pocket(nt_skeleton skeleton, const nt_surface *surface, const nt_touch_law *touch,
                     const nt_ring_pose *cage, const nt_ball_lanes *balls,
                     const nt_pocket_lanes *pockets, nt_push_lanes *push)
{
    if (skeleton == NT_LINE)
        pocket_line(surface, touch, cage, balls, pockets, push);
    else
        pocket_point(surface, touch, cage, balls, pockets, push);
}
