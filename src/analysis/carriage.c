/* Bodies that hold together form groups; each group moves with a twist (V, W): a point x of it with
 * V + W x x. The ground stands. A group that a named joint ties to another moves with that one's
 * twist and, about the joint's axis e through p, with rate r besides:
 *
 *   W' = W + r e,   V' = V + r p x e   (a slide: V' = V + r e),
 *
 * and all groups that no named joint ties to the ground are carried, through the named joints
 * between them, by the group of the body that comes first in the file. That one moves as the
 * entries with `axis` and `along` say. */
#include "analysis/steady.h"
#include "base/error.h"
#include "model/bodies/body.h"
#include "model/joints/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups --------------------------------------------------------------------------------- */

static int rate_of_joint(const nt_carriage *c, int element)
{
    for (int i = 0; i < c->n_rates; i++)
        if (c->steady[i].joint == element)
            return i;
    return -1;
}

static int root_of(int *group, int body)
{
    while (group[body] != body)
        body = group[body];
    return body;
}

/* What joins bodies without saying how they move against each other: rolling and the like. A joint
 * that waits for an event joins none. */
static bool holds_together(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_joint(run, e);
    return joint && nt_joint_holds_at_first(joint) && e->a != 0 && e->b != 0;
}

static void make_groups(nt_carriage *c)
{
    const nt_model *model = c->run->model;
    for (int i = 0; i < model->n_bodies; i++)
        c->group[i] = i;
    for (int i = 0; i < model->n_joints; i++) {
        const nt_element *e = &model->elements[i];
        if (rate_of_joint(c, i) >= 0 || !holds_together(c->run, e))
            continue;
        int a = root_of(c->group, e->a), b = root_of(c->group, e->b);
        c->group[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < model->n_bodies; i++) { /* numbers without gaps, the ground's 0 */
        int root = root_of(c->group, i);
        c->group[i] = root == i ? c->n_groups++ : c->group[root];
    }
}

/* Named joints from the ground outward, then from the first group that is not reached, and so on.
 */
static nt_status make_links(nt_carriage *c)
{
    const nt_model *model = c->run->model;
    bool *reached = NT_TAKE(&c->arena, c->n_groups, bool);
    if (!reached)
        return NT_NO_MEMORY;
    for (int base = 0; base < c->n_groups; base++) {
        if (reached[base])
            continue;
        reached[base] = true;
        for (bool more = true; more;) {
            more = false;
            for (int i = 0; i < c->n_rates; i++) {
                if (c->steady[i].joint < 0)
                    continue;
                const nt_element *e = &model->elements[c->steady[i].joint];
                int a = c->group[e->a], b = c->group[e->b];
                if (reached[a] == reached[b])
                    continue;
                c->order[c->n_links] = i;
                c->child[c->n_links++] = reached[a] ? b : a;
                reached[a] = reached[b] = more = true;
            }
        }
    }
    return NT_OK;
}

static nt_status refuse(const nt_carriage *c, int i, nt_error *error, const char *words)
{
    const nt_steady *s = &c->steady[i];
    return nt_fail_at(error, NT_BAD_MODEL, c->run->model->file, s->place.line, s->place.column,
                      "steady %s: %s", s->name, words);
}

static nt_status read_rates(nt_carriage *c, nt_error *error)
{
    for (int i = 0; i < c->n_rates; i++) {
        const nt_steady *s = &c->steady[i];
        const nt_element *e = s->joint >= 0 ? &c->run->model->elements[s->joint] : NULL;
        if (e && !e->type->rotates && !e->type->slides)
            return refuse(c, i, error, "the joint has neither an angle nor a displacement");
        c->is_sought[i] = s->rate == NULL;
        c->n_sought += c->is_sought[i];
        c->rate[i] = s->rate ? nt_expression_value(s->rate, c->run->variables) : 0;
        if (!isfinite(c->rate[i]))
            return refuse(c, i, error, "the rate is not a finite number");
    }
    return NT_OK;
}

nt_status nt_carriage_create(nt_carriage **out, nt_run *run, nt_error *error)
{
    const nt_model *model = run->model;
    nt_carriage *c = *out = calloc(1, sizeof *c);
    if (!c)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    c->run = run, c->steady = model->steady, c->n_rates = model->n_steady;
    c->rate = NT_TAKE(&c->arena, c->n_rates, double);
    c->is_sought = NT_TAKE(&c->arena, c->n_rates, bool);
    c->order = NT_TAKE(&c->arena, c->n_rates, int);
    c->child = NT_TAKE(&c->arena, c->n_rates, int);
    c->group = NT_TAKE(&c->arena, model->n_bodies, int);
    c->twist = NT_TAKE(&c->arena, 6 * (size_t)model->n_bodies, double);
    nt_status status = NT_NO_MEMORY;
    if (c->rate && c->is_sought && c->order && c->child && c->group && c->twist) {
        make_groups(c);
        status = make_links(c);
    }
    if (status != NT_OK)
        nt_fail(error, status, "out of memory");
    else
        status = read_rates(c, error);
    if (status != NT_OK) {
        nt_carriage_destroy(c);
        *out = NULL;
    }
    return status;
}

void nt_carriage_destroy(nt_carriage *c)
{
    if (!c)
        return;
    nt_arena_free(&c->arena);
    free(c);
}

/* ---- twists -----------------------------------------------------------------------------------
 */

static v3 vector_of(const nt_carriage *c, const nt_expression *const e[3])
{
    double x[3] = {0};
    for (int i = 0; i < 3 && e[i]; i++)
        x[i] = nt_expression_value(e[i], c->run->variables);
    return v3_load(x);
}

static v3 direction_of(const nt_carriage *c, const nt_expression *const e[3])
{
    v3 x = vector_of(c, e);
    double size = v3_norm(x);
    return size > 0 ? v3_scale(1 / size, x) : x;
}

static double rate_in_use(const nt_carriage *c, int i, int only)
{
    return only < 0 ? c->rate[i] : i == only;
}

/* With which everything moves that is not tied to the ground. */
static void base_twist(const nt_carriage *c, int only, v3 *V, v3 *W)
{
    *V = *W = v3_of(0, 0, 0);
    for (int i = 0; i < c->n_rates; i++) {
        const nt_steady *s = &c->steady[i];
        double r = rate_in_use(c, i, only);
        if (s->joint >= 0)
            continue;
        if (s->along[0]) {
            *V = v3_axpy(r, direction_of(c, s->along), *V);
            continue;
        }
        v3 e = direction_of(c, s->axis);
        *W = v3_axpy(r, e, *W);
        *V = v3_axpy(r, v3_cross(vector_of(c, s->through), e), *V);
    }
}

static nt_motion motion_of(const nt_carriage *c, int body, const double *q, const double *zeros)
{
    const nt_point at = {.q = q, .v = zeros};
    nt_motion m = {.R = m3_identity()};
    if (body > 0)
        nt_body_motion(&c->run->bodies[body], &at, &m);
    return m;
}

/* The unit screw of rate i, that of a joint: velocity of the point at the origin, angular velocity.
 * zeros[nv] are zeros. */
static void carriage_screw(const nt_carriage *c, int i, const double *q, const double *zeros, v3 *V,
                           v3 *W)
{
    const nt_element *e = &c->run->model->elements[c->steady[i].joint];
    const nt_joint *joint = e->type->as_joint(c->run, e);
    nt_motion a = motion_of(c, e->a, q, zeros);
    v3 axis = m3_apply(a.R, joint->e[2]), point = v3_add(a.x, m3_apply(a.R, joint->point_a));
    *W = e->type->rotates ? axis : v3_of(0, 0, 0);
    *V = e->type->rotates ? v3_cross(point, axis) : axis;
}

static void find_twists(nt_carriage *c, const double *q, const double *zeros, int only)
{
    v3 V, W;
    base_twist(c, only, &V, &W);
    for (int g = 0; g < c->n_groups; g++) {
        v3_store(c->twist + 6 * g, g ? V : v3_of(0, 0, 0));
        v3_store(c->twist + 6 * g + 3, g ? W : v3_of(0, 0, 0));
    }
    for (int k = 0; k < c->n_links; k++) {
        int i = c->order[k], child = c->child[k];
        const nt_element *e = &c->run->model->elements[c->steady[i].joint];
        bool carries_b = c->group[e->b] == child;
        int parent = c->group[carries_b ? e->a : e->b];
        double r = carries_b ? rate_in_use(c, i, only) : -rate_in_use(c, i, only);
        carriage_screw(c, i, q, zeros, &V, &W);
        for (int j = 0; j < 2; j++)
            v3_store(c->twist + 6 * child + 3 * j,
                     v3_axpy(r, j ? W : V, v3_load(c->twist + 6 * parent + 3 * j)));
    }
}

void nt_carriage_velocities(nt_carriage *c, const double *q, int only, double *v, double *vdot,
                            double turn[3])
{
    const nt_model *model = c->run->model;
    v3 V, Omega;
    memset(v, 0, (size_t)model->system.space.nv * sizeof *v);
    memset(vdot, 0, (size_t)model->system.space.nv * sizeof *vdot);
    find_twists(c, q, vdot, only);
    base_twist(c, only, &V, &Omega);
    v3_store(turn, Omega);
    for (int b = 1; b < model->n_bodies; b++) {
        const nt_body *body = &c->run->bodies[b];
        const double *twist = c->twist + 6 * c->group[b];
        v3 w = v3_load(twist + 3), x = motion_of(c, b, q, vdot).x;
        int r = body->v;
        if (body->t_node >= 0) {
            v3 rate = v3_add(v3_load(twist), v3_cross(w, x));
            v3_store(v + r, rate);
            r += 3;
        }
        if (body->r_node >= 0)
            v3_store(v + r, w);
    }
    /* only now, for zeros stood in vdot */
    for (int b = 1; b < model->n_bodies; b++) {
        const nt_body *body = &c->run->bodies[b];
        int entries = 3 * ((body->t_node >= 0) + (body->r_node >= 0));
        for (int i = 0; i < entries; i += 3)
            v3_store(vdot + body->v + i, v3_cross(Omega, v3_load(v + body->v + i)));
    }
}

/* ---- later ------------------------------------------------------------------------------------
 */

/* A rigid displacement: x becomes R x + p. */
typedef struct placement {
    m3 R;
    v3 p;
} placement;

/* exp(t (V, W)) */
static placement screw_motion(v3 V, v3 W, double t)
{
    double xi[6], h[7];
    v3_store(xi, v3_scale(t, V));
    v3_store(xi + 3, v3_scale(t, W));
    nt_se3_exp(xi, h);
    return (placement){quat_matrix(quat_load(h + 3)), v3_load(h)};
}

static placement after(placement a, placement b)
{
    return (placement){m3_multiply(a.R, b.R), v3_add(a.p, m3_apply(a.R, b.p))};
}

nt_status nt_carriage_advance(nt_carriage *c, const double *q, double t, double *later)
{
    const nt_model *model = c->run->model;
    const nt_space *space = &model->system.space;
    placement *groups = calloc((size_t)c->n_groups + 1, sizeof *groups);
    double *zeros = calloc((size_t)space->nv + 1, sizeof *zeros);
    if (!groups || !zeros) {
        free(groups);
        free(zeros);
        return NT_NO_MEMORY;
    }
    v3 V, W;
    base_twist(c, -1, &V, &W);
    groups[0] = screw_motion(V, W, 0);
    for (int g = 1; g < c->n_groups; g++)
        groups[g] = screw_motion(V, W, t);
    for (int k = 0; k < c->n_links; k++) {
        int i = c->order[k], child = c->child[k];
        const nt_element *e = &model->elements[c->steady[i].joint];
        bool carries_b = c->group[e->b] == child;
        int parent = c->group[carries_b ? e->a : e->b];
        carriage_screw(c, i, q, zeros, &V, &W);
        groups[child] =
            after(groups[parent], screw_motion(V, W, carries_b ? c->rate[i] * t : -c->rate[i] * t));
    }
    memcpy(later, q, (size_t)space->nq * sizeof *later);
    for (int b = 1; b < model->n_bodies; b++) {
        const nt_body *body = &c->run->bodies[b];
        placement to = groups[c->group[b]];
        int r = body->q;
        if (body->t_node >= 0) {
            v3_store(later + r, v3_add(to.p, m3_apply(to.R, v3_load(q + r))));
            r += 3;
        }
        double turn[4], R[9];
        m3_store(R, to.R);
        nt_so3_from_matrix(R, turn);
        if (body->r_node >= 0)
            nt_so3_multiply(turn, q + r, later + r);
    }
    free(groups);
    free(zeros);
    return NT_OK;
}
