/* Contacts of eight balls at a time: the formulas of touch.h in loops over lanes, which the
 * compiler turns into vector instructions. Every lane does the same operations in the same order as
 * a contact alone: the same bits. This file is compiled without errno and traps of arithmetic,
 * which keep square roots and choices out of vectors and change no number. */
#include "model/bearings/lanes.h"

#include "base/target.h"

NT_INLINE v3 get(const nt_lane *p, int l) { return v3_of(p[0].of[l], p[1].of[l], p[2].of[l]); }

NT_INLINE void put(nt_lane *p, int l, v3 a)
{
    p[0].of[l] = a.x, p[1].of[l] = a.y, p[2].of[l] = a.z;
}

NT_INLINE void put_push(const nt_touch *t, nt_push_lanes *push, int l)
{
    put(push->F, l, t->F);
    put(push->M, l, v3_add(v3_cross(t->r_b, t->F), t->M));
    put(push->moment, l, v3_add(v3_cross(t->r_a, t->F), t->M));
    push->N.of[l] = t->N;
    push->touches[l] = t->N > 0;
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
    damping->of[j].of[l] = t->N > 0 ? -rows[0] : 0;
    damping->of[6 + j].of[l] = t->N > 0 ? -rows[1] : 0;
    damping->of[12 + j].of[l] = t->N > 0 ? -rows[2] : 0;
    damping->of[18 + j].of[l] = t->N > 0 ? -rows[3] : 0;
    damping->of[24 + j].of[l] = t->N > 0 ? -rows[4] : 0;
    damping->of[30 + j].of[l] = t->N > 0 ? -rows[5] : 0;
}

NT_INLINE void one_lane(nt_touch_kind kind, nt_lanes_wanted wanted, const nt_surface *surface,
                        const nt_touch_law *law, const nt_ring_pose *ring,
                        const nt_ball_lanes *balls, v3 origin, v3 axis, double lift,
                        nt_push_lanes *push, nt_damping_lanes *damping, int l)
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
    if (wanted != NT_LANES_DAMP_RING)
        put_push(&t, push, l);
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

#define NT_RACE_ARGUMENTS                                                                          \
    const nt_surface *surface, const nt_touch_law *law, const nt_ring_pose *ring,                  \
        const nt_ball_lanes *restrict balls, const nt_lane *restrict lift,                         \
        nt_push_lanes *restrict push, nt_damping_lanes *restrict damping

#define NT_RACE(name, law_, rolls_, wanted_)                                                       \
    NT_WIDE static void name(NT_RACE_ARGUMENTS)                                                    \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *ring;                                                              \
        for (int l = 0; l < NT_LANES; l++)                                                         \
            one_lane((nt_touch_kind){NT_CIRCLE, law_, true, true, rolls_}, wanted_, &s, &t, &r,    \
                     balls, r.origin, r.axis, lift->of[l], push, damping, l);                      \
    }
#define NT_RACES(name, law_, rolls_)                                                               \
    NT_RACE(name, law_, rolls_, NT_LANES_PUSH)                                                     \
    NT_RACE(name##_damped, law_, rolls_, NT_LANES_PUSH_AND_DAMP)                                   \
    NT_RACE(name##_ring, law_, rolls_, NT_LANES_DAMP_RING)
#define NT_RACES_OF(name)                                                                          \
    {                                                                                              \
        name, name##_damped, name##_ring                                                           \
    }
NT_RACES(race_coulomb, NT_TRACTION_COULOMB, false)
NT_RACES(race_four_parameter, NT_TRACTION_FOUR_PARAMETER, false)
NT_RACES(race_film, NT_TRACTION_FILM, false)
NT_RACES(rolling_coulomb, NT_TRACTION_COULOMB, true)
NT_RACES(rolling_four_parameter, NT_TRACTION_FOUR_PARAMETER, true)
NT_RACES(rolling_film, NT_TRACTION_FILM, true)

void nt_lanes_race(nt_traction_law law, bool rolls, nt_lanes_wanted wanted,
                   const nt_surface *surface, const nt_touch_law *touch, const nt_ring_pose *ring,
                   const nt_ball_lanes *balls, const nt_lane *lift, nt_push_lanes *push,
                   nt_damping_lanes *damping)
{
    static void (*const races[2][3][NT_LANES_WANTED])(NT_RACE_ARGUMENTS) = {
        {NT_RACES_OF(race_coulomb), NT_RACES_OF(race_four_parameter), NT_RACES_OF(race_film)},
        {NT_RACES_OF(rolling_coulomb), NT_RACES_OF(rolling_four_parameter),
         NT_RACES_OF(rolling_film)}};
    races[rolls][law][wanted](surface, touch, ring, balls, lift, push, damping);
}

#define NT_POCKET_ARGUMENTS                                                                        \
    const nt_surface *surface, const nt_touch_law *law, const nt_ring_pose *cage,                  \
        const nt_ball_lanes *restrict balls, const nt_pocket_lanes *restrict pockets,              \
        nt_push_lanes *restrict push, nt_damping_lanes *restrict damping

#define NT_POCKET(name, skeleton_, wanted_)                                                        \
    NT_WIDE static void name(NT_POCKET_ARGUMENTS)                                                  \
    {                                                                                              \
        const nt_surface s = *surface;                                                             \
        const nt_touch_law t = *law;                                                               \
        const nt_ring_pose r = *cage;                                                              \
        for (int l = 0; l < NT_LANES; l++)                                                         \
            one_lane((nt_touch_kind){skeleton_, NT_TRACTION_COULOMB, true, false, false}, wanted_, \
                     &s, &t, &r, balls, get(pockets->origin, l), get(pockets->axis, l), 0, push,   \
                     damping, l);                                                                  \
    }
#define NT_POCKETS(name, skeleton_)                                                                \
    NT_POCKET(name, skeleton_, NT_LANES_PUSH)                                                      \
    NT_POCKET(name##_damped, skeleton_, NT_LANES_PUSH_AND_DAMP)                                    \
    NT_POCKET(name##_ring, skeleton_, NT_LANES_DAMP_RING)
NT_POCKETS(pocket_line, NT_LINE)
NT_POCKETS(pocket_point, NT_POINT)

void nt_lanes_pocket(nt_skeleton skeleton, nt_lanes_wanted wanted, const nt_surface *surface,
                     const nt_touch_law *touch, const nt_ring_pose *cage,
                     const nt_ball_lanes *balls, const nt_pocket_lanes *pockets,
                     nt_push_lanes *push, nt_damping_lanes *damping)
{
    static void (*const shapes[2][NT_LANES_WANTED])(NT_POCKET_ARGUMENTS) = {
        NT_RACES_OF(pocket_line), NT_RACES_OF(pocket_point)};
    shapes[skeleton == NT_POINT][wanted](surface, touch, cage, balls, pockets, push, damping);
}
