/* Ball bearings: all contacts of a bearing as one element.
 *
 * Ball j touches both races and pocket j: 3 Z contacts by number, no search. Each is that of
 * touch.h: the races are circles, inside (sigma = -1); pocket j is a line through the cage's centre
 * along the radial direction 2 pi j/Z of the cage, or a point on it, at the pitch circle. A flaw at
 * the angle phi_0 of a race, of the half width w and the depth h, and waves take off
 *
 *   lift = h cos^2(pi (phi - phi_0)/(2 w)) + sum A_k cos(k phi + psi_k),     |phi - phi_0| < w
 *
 * at the angle phi of the ball in the axes of the ring; its gradient is (dlift/dphi/r) t. The
 * normal is taken not to turn. So the elastic energy changes by the lift too: that is counted as
 * power, of either sign.
 *
 * The residual, and the damping that splitting methods ask for, are those of eight balls at a time
 * (lanes.h); the whole tangent, energies and records look at one contact after the other. */
#include "model/bearings/bearing.h"
#include "base/number.h"

#include "model/bearings/lanes.h"
#include "model/elements.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const nt_section nt_bearing_section = {.name = "bearings", .word = "bearing", .one_type = true};

/* ---- ports ------------------------------------------------------------------------------------
 */

/* Every ball with both rings and the cage: these with themselves too. */
static nt_status couple(nt_model *model, nt_element *e, int row, int column)
{
    nt_status status = NT_OK;
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = nt_element_couple(model, e, row + i / 2, column + i % 2, NT_FULL);
    return status;
}

/* Ports follow those that every element has, in this order: balls, cage. */
int nt_bearing_port_of(const nt_bearing *b, int body)
{
    return body == b->rings[NT_OUTER]   ? NT_T_A
           : body == b->rings[NT_INNER] ? NT_T_B
                                        : NT_PORTS + 2 * (body - b->first_ball);
}

static nt_status declare(nt_model *model, nt_element *e)
{
    const nt_bearing *b = nt_model_data(model, e);
    int n = b->n_balls + (b->has_cage ? 1 : 0), partners[NT_BALL_CONTACTS] = {NT_T_A, NT_T_B};
    for (int i = 0; i < n; i++)
        if (nt_element_port_of_body(model, e, b->first_ball + i) < 0)
            return NT_NO_MEMORY;
    int n_partners = b->has_cage ? 3 : 2;
    if (b->has_cage)
        partners[NT_POCKET] = nt_bearing_port_of(b, b->cage);
    nt_status status = NT_OK;
    for (int k = 0; k < n_partners && status == NT_OK; k++)
        status = couple(model, e, partners[k], partners[k]);
    for (int i = 0; i < b->n_balls && status == NT_OK; i++) {
        int ball = nt_bearing_port_of(b, b->first_ball + i);
        status = couple(model, e, ball, ball);
        for (int k = 0; k < n_partners && status == NT_OK; k++) {
            status = couple(model, e, ball, partners[k]);
            if (status == NT_OK)
                status = couple(model, e, partners[k], ball);
        }
    }
    return status;
}

/* ---- races that are not round ------------------------------------------------------------------
 */

/* lift and its slope in phi. */
static double lift_at(const nt_bearing_race *race, double phi, double *slope)
{
    const nt_bearing_flaws *flaws = &race->flaws;
    double lift = 0;
    *slope = 0;
    for (int k = 0; k < flaws->n_depths; k++) {
        double off = remainder(phi - flaws->angle[k], 2 * NT_PI), width = flaws->width[k];
        if (flaws->depth[k] == 0 || !(fabs(off) < width))
            continue;
        double x = NT_PI * off / (2 * width);
        lift += flaws->depth[k] * cos(x) * cos(x);
        *slope -= flaws->depth[k] * sin(2 * x) * NT_PI / (2 * width);
    }
    for (int k = 0; k < NT_MOST_WAVES; k++) {
        double x = race->waves.order[k] * phi + race->waves.phase[k];
        lift += race->waves.amplitude[k] * cos(x);
        *slope -= race->waves.amplitude[k] * race->waves.order[k] * sin(x);
    }
    return lift;
}

/* y: of the ball's centre from the skeleton's origin. gradient may be NULL. */
static double lift_of(const nt_bearing_race *race, m3 R, v3 axis, v3 y, v3 *gradient)
{
    v3 mark = m3_apply(R, race->mark), side = v3_cross(axis, mark);
    double x = v3_dot(mark, y), z = v3_dot(side, y), slope;
    double lift = lift_at(race, atan2(z, x), &slope);
    if (gradient)
        *gradient = v3_scale(slope / (x * x + z * z), v3_axpy(x, side, v3_scale(-z, mark)));
    return lift;
}

/* ---- one contact -------------------------------------------------------------------------------
 */

static nt_ring_pose ring_pose(const nt_bearing *b, const nt_view *view, int which)
{
    const nt_motion *m = &view->motion[b->rings[which]];
    const nt_bearing_race *race = &b->races[which];
    return (nt_ring_pose){.x = m->x,
                          .v = m->v,
                          .w = m->w,
                          .origin = v3_add(m->x, m3_apply(m->R, race->origin)),
                          .axis = m3_apply(m->R, race->axis)};
}

/* The line or the point of a pocket; ground axes. */
static void pocket_pose(const nt_bearing *b, const nt_motion *cage, int ball, v3 *origin, v3 *axis)
{
    *axis = nt_pocket_axis(cage->R, b->turns[0][ball], b->turns[1][ball]);
    *origin = b->pocket_shape == 0 ? cage->x : v3_axpy(0.5 * b->pitch_diameter, *axis, cage->x);
}

nt_ball_touch nt_bearing_touch(const nt_element *element, const nt_view *view, int ball, int which)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    const nt_motion *B = &view->motion[b->first_ball + ball];
    nt_ball_touch t = {.body = which == NT_POCKET ? b->cage : b->rings[which]};
    const nt_motion *A = &view->motion[t.body];
    v3 origin, axis;
    if (which == NT_POCKET) {
        pocket_pose(b, A, ball, &origin, &axis);
        t.kind = (nt_touch_kind){b->pocket_shape == 0 ? NT_LINE : NT_POINT, NT_TRACTION_COULOMB,
                                 .is_hertz = true};
        t.surface = &b->pocket;
        t.law = &b->pocket_law;
    } else {
        nt_ring_pose ring = ring_pose(b, view, which);
        origin = ring.origin, axis = ring.axis;
        t.kind = (nt_touch_kind){NT_CIRCLE, (nt_traction_law)b->law, .is_hertz = true,
                                 .spins = true, .rolls = b->rolling != 0};
        t.surface = &b->races[which].surface;
        t.law = &b->races[which].law;
    }
    t.pose = (nt_touch_pose){.y = v3_sub(B->x, origin),
                             .axis = axis,
                             .arm_a = v3_sub(B->x, A->x),
                             .v_a = A->v,
                             .w_a = A->w,
                             .v_b = B->v,
                             .w_b = B->w};
    if (which != NT_POCKET && !b->races[which].is_round)
        t.pose.lift = lift_of(&b->races[which], A->R, axis, t.pose.y, &t.lift_gradient);
    t.touch = nt_touch_of(t.kind, t.surface, t.law, &t.pose);
    v3 past = v3_sub(B->v, v3_add(A->v, v3_cross(A->w, t.pose.arm_a)));
    t.touch.power -= t.touch.elastic * v3_dot(t.lift_gradient, past);
    return t;
}

/* ---- eight balls at a time ---------------------------------------------------------------------
 *
 * The residual; and the damping of bodies that nothing but contacts acts on, each by itself, which
 * splitting methods take at every step. */

static void put(nt_lane *p, int l, v3 a) { p[0].of[l] = a.x, p[1].of[l] = a.y, p[2].of[l] = a.z; }
static v3 get(const nt_lane *p, int l) { return v3_of(p[0].of[l], p[1].of[l], p[2].of[l]); }

/* What is asked for, and sums over balls, one after the other: forces and moments of rings
 * and cage, damping of rings. */
typedef struct sums {
    bool pushes, damps, damps_partner[NT_POCKET];
    nt_ties ties;
    v3 F[NT_BALL_CONTACTS], moment[NT_BALL_CONTACTS];
    double damping[NT_POCKET][36];
} sums;

static int lanes_of(int n) { return n <= NT_HALF ? NT_HALF : NT_LANES; }

static void gather(const nt_view *view, const nt_bearing *b, int first, int n, nt_ball_lanes *balls)
{
    for (int l = 0; l < lanes_of(n); l++) {
        const nt_motion *m = &view->motion[b->first_ball + first + (l < n ? l : n - 1)];
        put(balls->x, l, m->x);
        put(balls->v, l, m->v);
        put(balls->w, l, m->w);
    }
}

static void sum_lanes(double *sum, const nt_damping_lanes *lanes, int n)
{
    for (int k = 0; k < 36; k++)
        for (int l = 0; l < n; l++)
            sum[k] += lanes->of[k].of[l];
}

/* The group of `n` balls from `first` on; damping: of these, begun by the outer race. */
typedef struct group {
    int first, n;
    nt_ball_lanes balls;
    nt_push_lanes push[NT_BALL_CONTACTS];
    nt_lanes_extremes most[NT_BALL_CONTACTS];
    nt_damping_lanes damping;
} group;

static bool in_pockets(const group *g) { return g->most[NT_POCKET].most_N > 0; }

static void group_begin(group *g, const nt_view *view, const nt_bearing *b, int first)
{
    g->first = first;
    g->n = b->n_balls - first < NT_LANES ? b->n_balls - first : NT_LANES;
    g->most[NT_POCKET] = (nt_lanes_extremes){0};
    gather(view, b, first, g->n, &g->balls);
}

/* How much more of an ellipse over its shoulder is worth another look; see nt_energy_lanes. */
static const double MORE = 1e-6;

/* Ellipses over the shoulder are remembered until the step stands (nt_system.noticed). */
static void see_shoulder(const nt_element *element, const nt_view *view, double most)
{
    nt_run_note *note = &view->run->notes[element - view->model->elements];
    if (most > note->seen && most > note->known + (note->known > 0 ? MORE : 0))
        note->seen = most, note->when = view->at->t;
}

static nt_status push_races(const nt_element *element, const nt_view *view, const nt_bearing *b,
                            const nt_ring_pose rings[2], group *g, sums *all)
{
    if (all->damps)
        nt_lanes_clear_damping(&g->damping, g->n);
    for (int which = NT_OUTER; which <= NT_INNER; which++) {
        const nt_bearing_race *race = &b->races[which];
        const double *last = race->turn_of_last;
        nt_lane lift = {{0}};
        nt_traction_law law = (nt_traction_law)b->law;
        bool rolls = b->rolling != 0;
        for (int l = 0; !race->is_round && l < lanes_of(g->n); l++)
            lift.of[l] = lift_of(race, view->motion[b->rings[which]].R, rings[which].axis,
                                 v3_sub(get(g->balls.x, l), rings[which].origin), NULL);
        nt_lanes_race(law, rolls, all->damps ? NT_LANES_PUSH_AND_DAMP : NT_LANES_PUSH, g->n,
                      &race->surface, &race->law, &rings[which], &g->balls, &lift, last,
                      &g->push[which], &g->damping);
        g->most[which] =
            nt_lanes_extremes_of_race(&g->push[which], g->n, race->most_force, last[0] * last[0]);
        if (all->pushes) { /* a number for each, none out of its groove or pressed too much */
            if (!g->most[which].have_values)
                return NT_NOT_FINITE;
            if (g->most[which].beyond > 0)
                see_shoulder(element, view, g->most[which].beyond);
        }
        if (!all->damps_partner[which])
            continue;
        nt_damping_lanes damping = {0};
        nt_lanes_race(law, rolls, NT_LANES_DAMP_RING, g->n, &race->surface, &race->law,
                      &rings[which], &g->balls, &lift, last, NULL, &damping);
        sum_lanes(all->damping[which], &damping, g->n);
    }
    return NT_OK;
}

static void gather_pockets(const nt_bearing *b, const nt_motion *cage, const group *g,
                           nt_pocket_lanes *pockets)
{
    for (int k = 0; k < 2; k++)
        memcpy(pockets->turn[k].of, b->turns[k] + g->first, sizeof pockets->turn[k].of);
    pockets->R = cage->R;
    pockets->radius = 0.5 * b->pitch_diameter;
}

/* Most balls touch no pocket. */
static nt_status push_pockets(const nt_view *view, const nt_bearing *b, group *g, sums *all)
{
    const nt_motion *cage = &view->motion[b->cage];
    nt_ring_pose pose = {.x = cage->x, .v = cage->v, .w = cage->w};
    nt_skeleton skeleton = b->pocket_shape == 0 ? NT_LINE : NT_POINT;
    nt_pocket_lanes pockets;
    nt_push_lanes *push = &g->push[NT_POCKET];
    gather_pockets(b, cage, g, &pockets);
    nt_lanes_pocket(skeleton, g->n, &b->pocket, &b->pocket_law, &pose, &g->balls, &pockets, push);
    g->most[NT_POCKET] = nt_lanes_extremes_of_pockets(push, g->n, b->most_pocket_force);
    return all->pushes && !g->most[NT_POCKET].have_values ? NT_NOT_FINITE : NT_OK;
}

/* What rounding may take from a product of the same numbers in another order. */
static const double CLOSE = 1e-12;

/* Adds the chords of friction to the damping of balls and rings (nt_touch_chord). */
static void add_chords(const nt_element *element, const nt_view *view, const nt_bearing *b,
                       group *g, sums *all)
{
    double h = view->terms->step, mobility = nt_bearing_mobility(view->run, b);
    double of_h = h * mobility, stops = of_h * (1 + CLOSE);
    for (int which = 0; which < NT_POCKET; which++) {
        const nt_push_lanes *push = &g->push[which];
        const nt_traction *traction = &b->races[which].law.traction;
        double most = nt_traction_most(traction, (nt_traction_law)b->law) / traction->slip;
        if (!(of_h * g->most[which].most_N * most > NT_CHORD_TURNS[0]))
            continue;
        for (int l = 0; l < g->n; l++) {
            if (!(of_h * push->N.of[l] * most > NT_CHORD_TURNS[0] &&
                  stops * push->slope.of[l] > NT_CHORD_STOPS[0]))
                continue;
            nt_touch t = nt_bearing_touch(element, view, g->first + l, which).touch;
            double c = nt_touch_chord((nt_traction_law)b->law, traction, &t, mobility, h);
            if (!(c > 0))
                continue;
            nt_bearing_add_chord(&g->damping.of[0].of[l], NT_LANES, c, t.w, t.r_b);
            if (all->damps_partner[which])
                nt_bearing_add_chord(all->damping[which], 1, c, t.w, t.r_a);
        }
    }
}

/* kappa/s of a race where nothing slides; films', which lanes do not keep, from the contact again.
 */
static double traction_at_rest(const nt_element *element, const nt_view *view, int ball, int which)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    nt_touch t = {.delta = 0};
    if (b->law == NT_TRACTION_FILM)
        t = nt_bearing_touch(element, view, ball, which).touch;
    return nt_traction_at_rest(&b->races[which].law.traction, (nt_traction_law)b->law, t.rolling,
                               t.delta);
}

/* How much less a contact counts whose chord is taken, and so bears longer steps: its error is
 * below 1e-2 of the losses there, as it is at 3e-4 where steps by bounds keep to. */
static const double BY_CHORD = 0.3;

/* nt_stiffest.turns of a contact on a race. */
static void find_turning(const nt_element *element, const nt_view *view, const group *g, int l,
                         int which, double mobility, nt_stiffest *stiffest)
{
    bool bounds = view->terms->ahead > 0;
    double N = g->push[which].N.of[l], slope = g->push[which].slope.of[l];
    double h = view->terms->step;
    /* no law's friction at rest makes more of it than this */
    if (!(nt_traction_turns((double)INFINITY, N, slope, mobility, h, bounds) > stiffest->turns))
        return;
    double at_rest = traction_at_rest(element, view, g->first + l, which);
    double turns = nt_traction_turns(at_rest, N, slope, mobility, h, bounds);
    turns *= bounds ? 1 : BY_CHORD;
    if (!(turns > stiffest->turns))
        return;
    stiffest->turns = turns;
    stiffest->turns_by[1] = NT_BALL_CONTACTS * (g->first + l) + which;
}

/* Whether friction of one of these turns round, or may (nt_traction_turns). */
static bool may_turn(const nt_view *view, const nt_lanes_extremes *friction, double mobility)
{
    double of_h = view->terms->step * mobility;
    return view->terms->ahead > 0 || (of_h * friction->most_slope > NT_TURNS_FROM &&
                                      of_h * friction->least_slope < NT_TURNS_TO);
}

/* What this group does to rings that move, see nt_tie. */
static void tie_rings(const nt_bearing *b, const nt_ring_pose rings[2], const group *g, sums *all)
{
    for (int which = 0; which < NT_POCKET; which++) {
        const nt_push_lanes *push = &g->push[which];
        const nt_ring_pose *ring = &rings[which];
        if (!nt_bearing_tie_matters(&all->ties.of[which], g->most[which].most_slope))
            continue;
        for (int l = 0; l < g->n; l++)
            if (push->N.of[l] > 0)
                nt_bearing_tie_add(&all->ties.of[which], &b->races[which],
                                   b->law == NT_TRACTION_COULOMB, ring->origin, ring->x,
                                   get(g->balls.x, l), get(push->F, l), push->slope.of[l]);
    }
}

/* How fast single contacts damp. On races, whose rings are heavier by far, the ball alone counts,
 * which methods that take its own damping implicitly take with it; what is left is what all balls
 * together do to a ring that moves (bearing_ties.c). Pockets are not among that: a
 * cage is as light as its balls, and what each takes by itself of a damper between two such bodies
 * makes them swing against each other, more the longer the step is. */
static void find_damping(const nt_element *element, const nt_view *view, const nt_bearing *b,
                         const group *g, sums *all)
{
    nt_run_damping *damping = &view->run->dampings[element - view->model->elements];
    double mobility = nt_bearing_mobility(view->run, b);
    for (int which = 0; which < NT_POCKET; which++) {
        const double *slope = g->push[which].slope.of;
        for (int l = 0; view->terms->ahead > 0 && l < g->n; l++)
            all->ties.slope2[which] += slope[l] * slope[l];
        if (may_turn(view, &g->most[which], mobility))
            for (int l = 0; l < g->n; l++)
                find_turning(element, view, g, l, which, mobility, &damping->stiffest);
    }
    if (!all->damps)
        nt_bearing_tell_balls(element, view, g->first, g->n, g->push[NT_OUTER].slope.of,
                              g->push[NT_INNER].slope.of, &all->ties);
    const nt_push_lanes *push = &g->push[NT_POCKET];
    for (int l = 0; in_pockets(g) && l < g->n; l++)
        if (push->touches[l])
            nt_bearing_tell_pocket(element, view, g->first + l, push->slope.of[l],
                                   push->delta.of[l]);
}

static double fastest_growth(const nt_view *view, const nt_bearing *b, const group *g, int other)
{
    double most = 0;
    for (int l = 0; l < g->n && view->terms->ahead > 0; l++) {
        const nt_motion *ball = &view->motion[b->first_ball + g->first + l];
        v3 past = v3_sub(ball->a, view->motion[other].a);
        most = fmax(most, v3_dot(past, past));
    }
    return sqrt(most);
}

/* How stiff contacts are: a ball lies against both races at a time, and its ring may move as well;
 * a cage is turned by a ball at its pitch circle. What several balls do to a ring or to the cage
 * together is more. How the rates of indentation grow is bounded by how fast balls are accelerated
 * past each of these. */
static void find_stiffness(const nt_element *element, const nt_view *view, const nt_bearing *b,
                           const group *g)
{
    nt_stiffest *stiffest = &view->run->dampings[element - view->model->elements].stiffest;
    const nt_body *bodies = view->run->bodies;
    double own = 1 / bodies[b->first_ball].mass, r = 0.5 * b->pitch_diameter;
    double of_free = 0, all = 0, ahead = 0, now, later;
    for (int which = NT_OUTER; which <= NT_INNER; which++) {
        const nt_body *ring = &bodies[b->rings[which]];
        double mobility = own + (ring != bodies && ring->mass > 0 ? 1 / ring->mass : 0);
        nt_lanes_stiffest(&b->races[which].law, g->n, &g->push[which], g->most[which].deepest,
                          mobility, view->terms->ahead, fastest_growth(view, b, g, b->rings[which]),
                          &now, &later);
        of_free += own / mobility * now;
        all += now;
        ahead += later;
    }
    if (b->has_cage) {
        const nt_body *cage = &bodies[b->cage];
        double turn = r * r / fmin(fmin(cage->J.xx, cage->J.yy), cage->J.zz);
        nt_lanes_stiffest(&b->pocket_law, g->n, &g->push[NT_POCKET], g->most[NT_POCKET].deepest,
                          own + 1 / cage->mass + turn, view->terms->ahead,
                          fastest_growth(view, b, g, b->cage), &now, &later);
        of_free = fmax(of_free, now);
        all = fmax(all, now);
        ahead = fmax(ahead, later);
    }
    stiffest->all = fmax(stiffest->all, all);
    stiffest->ahead = fmax(stiffest->ahead, ahead);
    if (of_free > stiffest->now) {
        stiffest->now = of_free;
        stiffest->which[1] = NT_BALL_CONTACTS * b->n_balls; /* of the bearing */
    }
}

/* What all its contacts do to each ball, and the sums of what they do to rings and cage. */
static void push_balls(const nt_view *view, const nt_bearing *b, const group *g, sums *all)
{
    int n_kinds = in_pockets(g) ? NT_BALL_CONTACTS : NT_POCKET;
    for (int l = 0; l < g->n; l++) {
        int port = nt_bearing_port_of(b, b->first_ball + g->first + l);
        v3 F = v3_of(0, 0, 0), M = v3_of(0, 0, 0);
        for (int k = 0; k < n_kinds; k++) {
            v3 of_one = get(g->push[k].F, l);
            F = v3_sub(F, of_one);
            M = v3_sub(M, get(g->push[k].M, l));
            all->F[k] = v3_add(all->F[k], of_one);
            all->moment[k] = v3_add(all->moment[k], get(g->push[k].moment, l));
        }
        nt_view_force(view, port, F);
        nt_view_force(view, port + 1, M);
    }
}

/* What of the residual and, where it is asked for, of the damping is the balls'. */
static nt_status push_groups(const nt_element *element, const nt_view *view, const nt_bearing *b,
                             sums *all)
{
    nt_ring_pose rings[2] = {ring_pose(b, view, NT_OUTER), ring_pose(b, view, NT_INNER)};
    bool tells = all->pushes && view->terms->damping && view->run->dampings;
    nt_status status = NT_OK;
    for (int which = 0; which < NT_POCKET && tells; which++)
        nt_bearing_tie_begin(view, b, which, rings[which].axis, &all->ties.of[which]);
    for (int first = 0; first < b->n_balls && status == NT_OK; first += NT_LANES) {
        group g;
        group_begin(&g, view, b, first);
        status = push_races(element, view, b, rings, &g, all);
        if (status == NT_OK && b->has_cage && !(view->terms->parts & NT_OWN_DAMPERS))
            status = push_pockets(view, b, &g, all);
        if (status == NT_OK && all->damps && view->terms->step > 0)
            add_chords(element, view, b, &g, all);
        if (status == NT_OK && all->pushes)
            push_balls(view, b, &g, all);
        if (status == NT_OK && tells) {
            find_damping(element, view, b, &g, all);
            tie_rings(b, rings, &g, all);
            find_stiffness(element, view, b, &g);
        }
        if (status == NT_OK && all->damps)
            nt_bearing_damp_balls(view, b, first, g.n, &g.damping);
    }
    return status;
}

/* damps: see is_damping_alone. */
static nt_status push_all(const nt_element *element, const nt_view *view, bool damps)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    int bodies[NT_BALL_CONTACTS] = {b->rings[NT_OUTER], b->rings[NT_INNER],
                                    b->has_cage ? b->cage : 0};
    const unsigned char *alone = view->model->system.explicit_blocks;
    sums all;
    memset(&all, 0, offsetof(sums, damping));
    all.pushes = view->terms->residual != NULL;
    all.damps = damps;
    for (int k = 0; damps && k < NT_POCKET; k++) {
        all.damps_partner[k] = bodies[k] > 0 && (!alone || alone[bodies[k] - 1]);
        memset(all.damping[k], 0, sizeof all.damping[k]);
    }
    if (view->terms->damping && view->run->dampings)
        view->run->dampings[element - view->model->elements] = (nt_run_damping){.part = {-1, -1}};
    nt_status status = push_groups(element, view, b, &all);
    if (status == NT_OK && all.pushes && view->terms->damping && view->run->dampings)
        nt_bearing_tell_ties(element, view, &all.ties, damps);
    for (int k = 0; k < NT_BALL_CONTACTS && status == NT_OK; k++) {
        int port = bodies[k] > 0 || k != NT_POCKET ? nt_bearing_port_of(b, bodies[k]) : -1;
        if (port < 0)
            continue;
        if (all.pushes) {
            nt_view_force(view, port, all.F[k]);
            nt_view_force(view, port + 1, all.moment[k]);
        }
        if (k < NT_POCKET && all.damps_partner[k])
            nt_bearing_damp_ring(view, port, bodies[k], all.damping[k]);
    }
    return status;
}

/* ---- energies ----------------------------------------------------------------------------------
 *
 * Where they are looked at while a run goes on, so is the ellipse of each contact: by the watch,
 * and wherever an evaluation saw one further over its shoulder than any before. */

/* The contact, where it is the worst so far to stand over its shoulder. A look before the first one
 * is that of another run. */
static void note_shoulder(const nt_element *element, const nt_view *view, int ball, int which)
{
    const nt_run *run = view->run;
    nt_run_note *note = &run->noting[element - view->model->elements];
    nt_ball_touch t = nt_bearing_touch(element, view, ball, which);
    const nt_bearing *b = nt_bearing_of(run, element);
    double over = -nt_bearing_shoulder_margin(b, &t);
    double angle = nt_touch_number(NT_TOUCH_ANGLE, &t.touch, t.law, t.kind.law, t.pose.axis);
    if (view->at->t < note->since)
        *note = (nt_run_note){0};
    note->known = fmax(note->known, cos(angle - over) - cos(angle));
    if (!(over > note->by))
        return;
    note->since = note->by > 0 ? note->since : view->at->t;
    note->by = over;
    note->at = view->at->t;
    note->part = NT_BALL_CONTACTS * ball + which;
}

static double energy_part(const nt_element *element, const nt_view *view, int i, char *name,
                          int size)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    int ball = i / NT_BALL_CONTACTS, which = i % NT_BALL_CONTACTS;
    if (ball >= b->n_balls)
        return (double)NAN;
    if (name)
        snprintf(name, (size_t)size, "ball %d %s%s", ball + 1,
                 which == NT_POCKET ? "in its pocket" : "on the ",
                 which == NT_POCKET  ? ""
                 : which == NT_INNER ? "inner ring"
                                     : "outer ring");
    if (which == NT_POCKET && !b->has_cage)
        return 0;
    nt_ball_touch t = nt_bearing_touch(element, view, ball, which);
    return t.touch.delta > 0 ? t.touch.elastic * t.touch.delta / 2.5 : 0;
}

static void add_energies_of(const nt_element *element, const nt_view *view, const group *g,
                            const nt_energy_lanes found[NT_BALL_CONTACTS], int n)
{
    for (int l = 0; l < g->n; l++)
        for (int which = 0; which < n; which++) {
            const nt_energy_lanes *e = &found[which];
            if (!e->touches[l])
                continue;
            view->energy->potential += e->potential.of[l];
            view->energy->power += e->power.of[l];
            if (which != NT_POCKET && view->run->noting && e->beyond.of[l] > 0)
                note_shoulder(element, view, g->first + l, which);
        }
}

static void energies(const nt_element *element, const nt_view *view)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    nt_ring_pose rings[2] = {ring_pose(b, view, NT_OUTER), ring_pose(b, view, NT_INNER)};
    nt_skeleton skeleton = b->pocket_shape == 0 ? NT_LINE : NT_POINT;
    for (int first = 0; first < b->n_balls; first += NT_LANES) {
        nt_energy_lanes found[NT_BALL_CONTACTS];
        group g;
        group_begin(&g, view, b, first);
        for (int which = NT_OUTER; which <= NT_INNER; which++) {
            const nt_bearing_race *race = &b->races[which];
            nt_lanes_race_energy((nt_traction_law)b->law, b->rolling != 0, g.n, &race->surface,
                                 &race->law, &rings[which], &g.balls, race->turn_of_last,
                                 &found[which]);
        }
        if (b->has_cage) {
            const nt_motion *cage = &view->motion[b->cage];
            nt_ring_pose pose = {.x = cage->x, .v = cage->v, .w = cage->w};
            nt_pocket_lanes pockets;
            gather_pockets(b, cage, &g, &pockets);
            nt_lanes_pocket_energy(skeleton, g.n, &b->pocket, &b->pocket_law, &pose, &g.balls,
                                   &pockets, &found[NT_POCKET]);
        }
        add_energies_of(element, view, &g, found, b->has_cage ? 3 : 2);
    }
}

/* ---- the tangent, and energies where races are not round, one contact after the other ----------
 */

static nt_status each_contact(const nt_element *element, const nt_view *view)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    bool pockets = b->has_cage && (view->energy || !(view->terms->parts & NT_OWN_DAMPERS));
    for (int i = 0; i < b->n_balls; i++)
        for (int which = 0; which < (pockets ? NT_BALL_CONTACTS : NT_POCKET); which++) {
            nt_ball_touch t = nt_bearing_touch(element, view, i, which);
            if (!(t.touch.delta > 0))
                continue;
            if (view->energy) {
                view->energy->potential += t.touch.elastic * t.touch.delta / 2.5;
                view->energy->power += t.touch.power;
                if (which != NT_POCKET && view->run->noting)
                    note_shoulder(element, view, i, which);
                continue;
            }
            nt_touch_tangent d;
            nt_view pair = *view;
            pair.pair[0] = nt_bearing_port_of(b, t.body);
            pair.pair[1] = nt_bearing_port_of(b, b->first_ball + i);
            nt_touch_differentiate(t.kind, t.surface, t.law, &t.pose, &t.touch, t.lift_gradient,
                                   nt_touch_wanted(view, t.body, b->first_ball + i), &d);
            nt_touch_add(&pair, t.body, b->first_ball + i, &t.touch, &d);
        }
    return NT_OK;
}

/* Whether a tangent is that of bodies by themselves along their velocities. */
static bool is_damping_alone(const nt_terms *terms)
{
    return terms->matrix && terms->combination->own_blocks && terms->combination->stiffness == 0;
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    const nt_terms *terms = view->terms;
    const nt_bearing *b = nt_bearing_of(view->run, element);
    if (view->energy && b->races[NT_OUTER].is_round && b->races[NT_INNER].is_round) {
        energies(element, view);
        return NT_OK;
    }
    if (view->energy)
        return each_contact(element, view);
    if (terms->parts == NT_OWN_CHORDS)
        nt_bearing_push_chords(element, view);
    if (!(terms->parts & element->part))
        return NT_OK;
    bool damps = is_damping_alone(terms);
    nt_status status = terms->residual || damps ? push_all(element, view, damps) : NT_OK;
    if (status == NT_OK && terms->matrix && !damps)
        status = each_contact(element, view);
    return status;
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_bearing *b = nt_bearing_of(run, element);
    return b->races[0].law.damping != 0 || b->friction != 0 || b->law != NT_TRACTION_COULOMB ||
           b->rolling != 0 || b->has_cage;
}

const nt_element_type nt_bearing_ball = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_bearing_section,
    .name = "ball",
    .summary = "a single-row ball bearing: balls, cage and all their contacts",
    .keys = nt_bearing_keys,
    .size = sizeof(nt_bearing),
    .part = NT_EXPLICIT,
    .touches = true,
    .only_takes = true,
    .defaults = nt_bearing_defaults,
    .own_bodies = nt_bearing_own_bodies,
    .prepare = nt_bearing_prepare,
    .settle = nt_bearing_settle,
    .declare = declare,
    .evaluate = evaluate,
    .depends_on_rates = depends_on_rates,
    .draw = nt_bearing_draw,
    .rests = nt_bearing_rests,
    .remark = nt_bearing_remark,
    .failure = nt_bearing_failure,
    .energy_part = energy_part,
    .shows = NT_SHOWS(NT_OF_BEARING),
    .part_at = nt_bearing_part_at,
    .warning = nt_bearing_warning,
    .vary = nt_bearing_vary,
};
