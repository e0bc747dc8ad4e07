/* The damping that balls and rings are given beside that of their friction, in steps in which it
 * would turn round (nt_touch_chord): C = c w o w along the velocity of the matter at the contact,
 *
 *   D = g o g,   g = sqrt(c) (w, r x w),   D y = c (w . (y_v + y_w x r)) (w, r x w)
 *
 * and how D y changes with places, velocities and numbers. That is taken by central differences at
 * a contact, whose lengths and speeds are known here: at most 1e-4 of an indentation or of the
 * sliding at either side leave 1e-8 of a change. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include <math.h>
#include <string.h>

static const double ASIDE = 1e-4;

/* D y of a ball, or of its ring. */
typedef struct product {
    v3 F, M;
} product;

typedef struct chord {
    const nt_ball_touch *touch;
    double mobility, step;
    v3 v, w; /* y */
    bool of_ring;
} chord;

static product product_of(const chord *c, const nt_surface *surface, const nt_touch_law *law,
                          const nt_touch_pose *pose, double mobility)
{
    nt_touch_kind kind = c->touch->kind;
    nt_touch t = nt_touch_of(kind, surface, law, pose);
    v3 r = c->of_ring ? t.r_a : t.r_b;
    double by = nt_touch_chord(kind.law, &law->traction, &t, mobility, c->step);
    v3 F = v3_scale(by * v3_dot(t.w, v3_add(c->v, v3_cross(c->w, r))), t.w);
    return (product){F, v3_cross(r, F)};
}

void nt_bearing_add_chord(double *D, int stride, double c, v3 w, v3 r)
{
    v3 turn = v3_cross(r, w);
    double g[6] = {w.x, w.y, w.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            D[stride * (6 * i + j)] += c * g[i] * g[j];
}

double nt_bearing_mobility(const nt_run *run, const nt_bearing *b)
{
    const nt_body *ball = &run->bodies[b->first_ball];
    double rho = 0.5 * b->ball_diameter;
    return 1 / ball->mass + rho * rho / ball->J.xx;
}

/* The contact where the chord is looked at for a ball (body_of_y) or its ring; false: it has none.
 */
static bool chord_at(const nt_element *element, const nt_view *view, const nt_ball_touch *t,
                     int ball, bool of_ring, chord *c)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    const unsigned char *alone = view->model->system.explicit_blocks;
    int body = of_ring ? t->body : b->first_ball + ball;
    if (body == 0 || (alone && !alone[body - 1]))
        return false;
    const nt_motion *motion = &view->motion[body];
    *c = (chord){.touch = t,
                 .mobility = nt_bearing_mobility(view->run, b),
                 .step = view->terms->step,
                 .v = motion->a,
                 .w = motion->alpha,
                 .of_ring = of_ring};
    return nt_touch_chord(t->kind.law, &t->law->traction, &t->touch, c->mobility, c->step) > 0;
}

/* ---- places and velocities --------------------------------------------------------------------
 */

static nt_touch_pose moved(const nt_ball_touch *t, int node, v3 by, bool places)
{
    nt_touch_pose at = t->pose;
    v3 past = node == NT_T_B ? by : v3_neg(by); /* of c, past A's matter */
    if (!places) {
        v3 *const velocities[NT_PAIR_NODES] = {&at.v_a, &at.w_a, &at.v_b, &at.w_b};
        *velocities[node] = v3_add(*velocities[node], by);
        return at;
    }
    if (node == NT_R_B)
        return at;
    if (node == NT_R_A) {
        past = v3_neg(v3_cross(by, at.arm_a));
        at.y = v3_sub(at.y, v3_cross(by, v3_sub(at.arm_a, at.y)));
        at.axis = v3_add(at.axis, v3_cross(by, at.axis));
    } else {
        at.y = v3_add(at.y, past);
        at.arm_a = v3_add(at.arm_a, past);
    }
    at.lift += v3_dot(t->lift_gradient, past);
    return at;
}

/* Columns of the derivative of D y along one node. */
static void vary_along(const chord *c, int node, bool places, m3 *F, m3 *M)
{
    const nt_ball_touch *t = c->touch;
    double arm = node == NT_R_A ? v3_norm(t->touch.r_a) : node == NT_R_B ? t->surface->radius : 1;
    double size = ASIDE * (places ? t->touch.delta : t->touch.s) / arm;
    double of_F[3][3], of_M[3][3];
    for (int j = 0; j < 3; j++) {
        product side[2];
        for (int k = 0; k < 2; k++) {
            double by = k ? -size : size;
            v3 along = v3_of(j == 0 ? by : 0, j == 1 ? by : 0, j == 2 ? by : 0);
            nt_touch_pose at = moved(t, node, along, places);
            side[k] = product_of(c, t->surface, t->law, &at, c->mobility);
        }
        v3_store(of_F[j], v3_scale(0.5 / size, v3_sub(side[0].F, side[1].F)));
        v3_store(of_M[j], v3_scale(0.5 / size, v3_sub(side[0].M, side[1].M)));
    }
    *F = m3_transpose(m3_load(of_F[0]));
    *M = m3_transpose(m3_load(of_M[0]));
}

static void add_product(const nt_view *view, const chord *c, double factor, product p)
{
    int port = view->pair[c->of_ring ? 0 : 1];
    nt_view_force(view, port, v3_scale(factor, p.F));
    nt_view_force(view, port + 1, v3_scale(factor, p.M));
}

/* What the adapter between frames turns of y: dy_w = s y_w~ e, where dq = e (nt_combination). */
static void turn_along(const chord *c, double s, m3 *F, m3 *M)
{
    const nt_touch *t = &c->touch->touch;
    const nt_touch_law *law = c->touch->law;
    double by = nt_touch_chord(c->touch->kind.law, &law->traction, t, c->mobility, c->step);
    v3 turn = v3_cross(c->of_ring ? t->r_a : t->r_b, t->w);
    m3 along = m3_scale(s * by, m3_dyad(turn, v3_cross(turn, c->w)));
    *M = m3_add(*M, along);
    along = m3_scale(s * by, m3_dyad(t->w, v3_cross(turn, c->w)));
    *F = m3_add(*F, along);
}

static void add_tangent(const nt_view *view, const chord *c, const int bodies[2])
{
    const nt_combination *combination = view->terms->combination;
    bool places = combination->stiffness != 0;
    nt_pair_derivative F, M;
    for (int node = 0; node < NT_PAIR_NODES; node++) {
        vary_along(c, node, false, &F.v[node], &M.v[node]);
        if (places)
            vary_along(c, node, true, &F.q[node], &M.q[node]);
    }
    int row = c->of_ring ? NT_T_A : NT_T_B;
    if (places && combination->turn != 0)
        turn_along(c, combination->turn, &F.q[row + 1], &M.q[row + 1]);
    nt_touch_add_row(view, bodies, row, &F);
    nt_touch_add_row(view, bodies, row + 1, &M);
}

void nt_bearing_push_chords(const nt_element *element, const nt_view *view)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    for (int i = 0; i < b->n_balls; i++)
        for (int which = 0; which < NT_POCKET; which++) {
            nt_ball_touch t = nt_bearing_touch(element, view, i, which);
            int bodies[2] = {t.body, b->first_ball + i};
            nt_view pair = *view;
            pair.pair[0] = nt_bearing_port_of(b, t.body);
            pair.pair[1] = nt_bearing_port_of(b, bodies[1]);
            for (int of_ring = 0; of_ring < 2 && t.touch.N > 0; of_ring++) {
                chord c;
                if (!chord_at(element, view, &t, i, of_ring, &c))
                    continue;
                if (view->terms->residual)
                    add_product(&pair, &c, 1,
                                product_of(&c, t.surface, t.law, &t.pose, c.mobility));
                if (view->terms->matrix)
                    add_tangent(&pair, &c, bodies);
            }
        }
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

/* What a contact has of numbers, one after the other. */
typedef struct numbers {
    nt_surface surface;
    nt_touch_law law;
} numbers;
enum { COUNT = sizeof(numbers) / sizeof(double) };
_Static_assert(sizeof(numbers) == COUNT * sizeof(double), "nothing but numbers");

static double size_of(const double *x, const double *rate, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(rate[i]) / (x[i] != 0 ? fabs(x[i]) : 1));
    return most;
}

void nt_bearing_vary_chords(const nt_element *element, const nt_view *view, int ball,
                            const nt_ball_touch *t, const nt_touch_rates *rates, double lighter)
{
    numbers rate = {rates->surface, rates->law}, now = {*t->surface, *t->law};
    double x[COUNT], by[COUNT];
    memcpy(x, &now, sizeof x);
    memcpy(by, &rate, sizeof by);
    double deeper = fabs(rate.surface.offset) + fabs(rate.surface.circle) +
                    fabs(rate.surface.radius) + fabs(rates->lift) + v3_norm(rates->origin) +
                    v3_norm(rates->axis) * v3_norm(t->pose.arm_a);
    double most = fmax(size_of(x, by, COUNT), fmax(deeper / t->touch.delta, fabs(lighter)));
    double size = most > 0 ? ASIDE / most : 0;
    for (int of_ring = 0; of_ring < 2 && size > 0; of_ring++) {
        chord c;
        product side[2];
        if (!chord_at(element, view, t, ball, of_ring, &c))
            continue;
        for (int k = 0; k < 2; k++) {
            double to = k ? -size : size, moved_to[COUNT];
            numbers there;
            for (int i = 0; i < COUNT; i++)
                moved_to[i] = x[i] + to * by[i];
            memcpy(&there, moved_to, sizeof there);
            nt_touch_pose at = t->pose;
            at.y = v3_axpy(-to, rates->origin, at.y);
            at.axis = v3_axpy(to, rates->axis, at.axis);
            at.lift += to * rates->lift;
            side[k] =
                product_of(&c, &there.surface, &there.law, &at, c.mobility * (1 + to * lighter));
        }
        product change = {v3_sub(side[0].F, side[1].F), v3_sub(side[0].M, side[1].M)};
        add_product(view, &c, 0.5 / size, change);
    }
}
