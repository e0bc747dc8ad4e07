/* Blocks R^3 x SO(3) that explicit forces alone act on, but for a rotation that is given, and whose
 * mass matrix turns with them; see splitting_own.h. They keep the equations of splitting.h, with
 * the middle of the step, but each for itself:
 *
 *   m a = A,   J(q_m) a = A + reactions,   J(q) = R J R^T,   q_m = exp(beta x) q0
 *
 * A free rotation is found by Newton's iteration of three equations, with the derivative
 *
 *   J + beta sigma h^2 (J a~ - (J a)~)
 *
 * that leaves T(beta x) out. One that is given, q(t) and w(t), needs no iteration:
 *
 *   x = log(q(t1) q0^-1),  a~ = (x - h v0)/(sigma h^2),   a = (w(t1) - v0)/h,
 *
 * and the multipliers of its rows follow from the same equation, with a~ and with a. Frame of
 * rotations: the inertial one. */
#include "base/number.h"
#include "base/vector3.h"
#include "group/rotation.h"
#include "method/splitting/splitting_own.h"
#include "system/problem.h"

#include <float.h>

enum { MOST_ROUNDS = 20 };

bool nt_splitting_may_be_apart(const nt_problem *p, const nt_splitting *c, int b)
{
    const nt_system *system = p->system;
    const nt_block *block = &p->space.blocks[b];
    const int *given = system->given_rows;
    bool is_given = given && given[b] >= 0;
    if (p->frame != NT_INERTIAL || block->kind != NT_R3SO3 ||
        !(system->capabilities & NT_HAS_MOMENTA) || !(c->explicit_parts & NT_EXPLICIT) ||
        !(c->explicit_parts & NT_GYROSCOPIC))
        return false;
    return is_given || (system->explicit_blocks && system->explicit_blocks[b]);
}

/* One rotation within a step. */
typedef struct turn {
    double h, reach, beta; /* reach: sigma h^2 */
    quat q0;
    v3 v0, force; /* A */
    m3 J;         /* body axes */
    bool is_spherical;
} turn;

static m3 splitting_turned_inertia(const turn *t, v3 x)
{
    if (t->is_spherical)
        return t->J;
    m3 R = quat_matrix(so3_compose(NT_INERTIAL, t->q0, v3_scale(t->beta, x)));
    return m3_multiply(m3_multiply(R, t->J), m3_transpose(R));
}

static v3 splitting_increment(const turn *t, v3 a)
{
    return v3_axpy(t->h, t->v0, v3_scale(t->reach, a));
}

/* J(q_m) a = A, from a guess in *a. */
static nt_status splitting_turn_free(const turn *t, v3 *a)
{
    for (int i = 0; i < MOST_ROUNDS; i++) {
        m3 J = splitting_turned_inertia(t, splitting_increment(t, *a));
        v3 Ja = m3_apply(J, *a);
        m3 turns = m3_sub(m3_multiply_skew(J, *a), m3_skew(Ja));
        m3 S = m3_add(J, m3_scale(t->beta * t->reach, turns));
        v3 change = m3_solve(S, v3_sub(t->force, Ja));
        *a = v3_add(*a, change);
        double size = v3_norm(*a);
        if (!isfinite(size))
            return NT_SINGULAR;
        if (v3_norm(change) <= 8 * DBL_EPSILON * size)
            return NT_OK;
    }
    return NT_NOT_CONVERGED;
}

/* moment lambda = A - J(q_m) a */
static v3 splitting_multipliers(const turn *t, m3 J, v3 a, const nt_given_rotation *given)
{
    const double *g = given->moment;
    m3 columns = {g[0], g[3], g[6], g[1], g[4], g[7], g[2], g[5], g[8]};
    return m3_solve(columns, v3_sub(t->force, m3_apply(J, a)));
}

/* A rotation that bends at a stop is given from the side on which the step lies. */
static double given_at(const nt_stepper *s, double t)
{
    const nt_system *system = s->problem->system;
    const nt_events *events = system->events;
    return events && events->clock ? events->clock(system->self, t, s->now.memory) : t;
}

/* Into `next`: the place, a and lambda; a~ and lambda~ into its memory. */
static nt_status splitting_turn_given(nt_stepper *s, const turn *t, int b, double *x_out)
{
    const nt_problem *p = s->problem;
    const nt_block *block = &p->space.blocks[b];
    const nt_system *system = p->system;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    double now = s->now.all[NT_PHASE_T], at[4];
    int v = block->v + 3, row = system->given_rows[b];
    nt_given_rotation end, middle;
    quat_store(at, t->q0);
    nt_status status = system->given(system->self, b, given_at(s, now + t->h), at, &end);
    if (status != NT_OK)
        return status;
    v3 x = so3_difference(NT_INERTIAL, t->q0, quat_load(end.q)), w = v3_load(end.w);
    /* the logarithm has lost whole turns: the angular velocities have them */
    v3 expected = v3_scale(0.5 * t->h, v3_add(t->v0, w));
    double angle = v3_norm(x);
    if (v3_norm(expected) > 6) /* refused as too large a turn */
        x = expected;
    else if (angle > 0)
        x = v3_scale(
            1 + 2 * NT_PI * round((v3_dot(expected, x) / angle - angle) / (2 * NT_PI)) / angle, x);
    v3 first = v3_scale(1 / t->reach, v3_axpy(-t->h, t->v0, x));
    v3 a = v3_scale(1 / t->h, v3_sub(w, t->v0));
    quat_store(at, so3_compose(NT_INERTIAL, t->q0, v3_scale(t->beta, x)));
    status = system->given(system->self, b, given_at(s, now + t->beta * t->h), at, &middle);
    if (status != NT_OK)
        return status;
    m3 J = splitting_turned_inertia(t, x);
    v3 lambda = splitting_multipliers(t, J, a, &middle);
    v3 lambda_first = splitting_multipliers(t, J, first, &middle);
    if (!isfinite(v3_dot(lambda, lambda) + v3_dot(lambda_first, lambda_first)))
        return NT_SINGULAR;
    v3_store(s->next.vdot + v, a);
    v3_store(s->next.v + v, w);
    v3_store(m.a_first + v, first);
    v3_store(s->next.lambda + row, lambda);
    v3_store(m.lambda_first + row, lambda_first);
    v3_store(x_out + 3, x);
    return NT_OK;
}

nt_status nt_splitting_step_apart(nt_stepper *s, const nt_splitting *c, double h,
                                  const nt_splitting_own *own, const double *explicit, double *x)
{
    const nt_problem *p = s->problem;
    const nt_momenta *momenta = p->system->momenta;
    const int *given = p->system->given_rows;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    nt_status status = NT_OK;
    for (int k = 0; k < own->n_apart && status == NT_OK; k++) {
        int b = own->apart[k];
        const nt_block *block = &p->space.blocks[b];
        int v = block->v;
        turn t = {.h = h,
                  .reach = c->sigma * h * h,
                  .beta = c->beta,
                  .q0 = quat_load(s->now.q + block->q + 3),
                  .v0 = v3_load(s->now.v + v + 3),
                  .force = v3_neg(v3_load(explicit + v + 3)),
                  .J = m3_load(momenta->inertia + 9 * block->rotation)};
        t.is_spherical = nt_splitting_is_spherical(momenta->inertia + 9 * block->rotation);
        for (int i = v; i < v + 3; i++) {
            double a = -explicit[i] / momenta->mass[i];
            if (!isfinite(a))
                return NT_SINGULAR;
            s->next.vdot[i] = m.a_first[i] = a;
            s->next.v[i] = s->now.v[i] + h * a;
            x[i] = h * s->now.v[i] + t.reach * a;
        }
        if (given && given[b] >= 0) {
            status = splitting_turn_given(s, &t, b, x + v);
            continue;
        }
        v3 a = v3_load(s->now.vdot + v + 3);
        status = splitting_turn_free(&t, &a);
        v3_store(s->next.vdot + v + 3, a);
        v3_store(m.a_first + v + 3, a);
        v3_store(s->next.v + v + 3, v3_axpy(h, a, t.v0));
        v3_store(x + v + 3, splitting_increment(&t, a));
    }
    return status;
}
