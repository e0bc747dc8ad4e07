/* `initial: {correct: true}`: given values that contradict a joint move as little as they can.
 *
 * Of all placements that satisfy the joints, the one is taken for which
 *
 *   f = 1/2 sum (|dx|^2 + length^2 |psi|^2)
 *
 * is least, summed over what is given: dx the move of a body's reference point, psi the rotation
 * vector of its turn, length that of the model. Velocities: least kinetic energy of the change of
 * what is given, 1/2 sum (m |dv|^2 + dw . J dw). What is not given follows and counts for nothing;
 * where it can close the joints by itself, nothing given moves at all.
 *
 * Both are limits for a weight LIGHT^2 -> 0 of what is not given. Each projection measures that
 * from where it stands and what is given from where it was given; the limit is reached by
 * repeating, each time closer by LIGHT^2. */
#include "model/assembly/assembly.h"

#include <math.h>
#include <nutate/group.h>
#include <stdio.h>
#include <string.h>

/* Far from 1, and far enough from the tolerance of dependent rows, which sees its square. */
static const double LIGHT = 1e-2;

/* Placements closed to this, relative to the model's length or to 1 rad, are closed but for
 * rounding. */
static const double ROUNDED = 1e-13;

/* ---- positions ------------------------------------------------------------------------------ */

static double weight_of(const nt_assembly *a, int i)
{
    return a->given[i] ? nt_problem_weight(a->problem, i) : 0;
}

/* f at the model's placement; offset[nv] of what is given. The gradient of |psi|^2/2 in a further
 * rotation is psi itself. */
static double distance(nt_assembly *a)
{
    const nt_problem *p = a->problem;
    double sum = 0;
    nt_space_difference(&p->space, NT_INERTIAL, a->q_given, a->run->initial_q, a->offset);
    for (int i = 0; i < p->nv; i++) {
        double far = weight_of(a, i) * a->offset[i];
        sum += far * far / 2;
        if (!a->given[i])
            a->offset[i] = 0;
    }
    return sum;
}

/* way[nv] along the constraints towards the least f; its length in units of f's square root. */
static nt_status way_along(nt_assembly *a, double *length)
{
    nt_problem *p = a->problem;
    nt_point at = nt_assembly_point(a);
    nt_projection step = {
        .holonomic_only = true, .light = a->light, .offset = a->offset, .rhs = a->rows};
    memset(a->rows, 0, (size_t)p->nc * sizeof *a->rows);
    nt_status status = nt_factors_project(a->factors, &at, &step, a->way);
    *length = 0;
    for (int i = 0; status == NT_OK && i < p->nv; i++)
        *length = hypot(*length, weight_of(a, i) * a->way[i]);
    return status;
}

/* A share of the way from `from`, and back to the constraints. */
static nt_status go(nt_assembly *a, double share, double *size, double *f)
{
    nt_problem *p = a->problem;
    for (int i = 0; i < p->nv; i++)
        a->offset[i] = share * a->way[i];
    nt_space_compose(&p->space, NT_INERTIAL, a->from, a->offset, a->run->initial_q);
    nt_status status = nt_assembly_settle(a, size);
    *f = distance(a);
    return status;
}

/* The share for which the way would have been the last one, were f quadratic (Barzilai & Borwein
 * 1988): share |d0|^2 / (d0 . (d0 - d)), d0 the way before. */
static double next_share(const nt_assembly *a, double share)
{
    double own = 0, change = 0;
    for (int i = 0; i < a->problem->nv; i++) {
        double w = weight_of(a, i), d0 = w * a->before[i];
        own += d0 * d0;
        change += d0 * (d0 - w * a->way[i]);
    }
    return change > 0 ? fmin(fmax(share * own / change, 0.1), 10) : 1;
}

/* From a placement that satisfies the joints to the nearest one: f decreases with every step until
 * its change is rounding, then the way along shrinks. */
static nt_status approach(nt_assembly *a, double *size)
{
    enum { STEPS = 200, HALVINGS = 20 };
    nt_problem *p = a->problem;
    size_t q_bytes = (size_t)p->nq * sizeof(double), v_bytes = (size_t)p->nv * sizeof(double);
    double f = distance(a), share = 1, last = (double)INFINITY;
    double small = 1e-7 * a->run->length; /* where f, of second order, changes by rounding */
    nt_status status = NT_OK;
    for (int k = 0; k < STEPS; k++) {
        double length, f_new = (double)INFINITY, closed;
        memcpy(a->before, a->way, v_bytes);
        if ((status = way_along(a, &length)) != NT_OK)
            return status;
        if (length <= ROUNDED * a->run->length || (length < small && length > last / 2))
            return NT_OK;
        share = k > 0 ? next_share(a, share) : 1;
        last = length;
        memcpy(a->from, a->run->initial_q, q_bytes);
        bool nearer = false;
        for (int i = 0; i < HALVINGS && !nearer; i++, share /= nearer ? 1 : 2) {
            if ((status = go(a, share, &closed, &f_new)) != NT_OK)
                return status;
            nearer = closed <= fmax(*size, ROUNDED) && (f_new < f || length < small);
        }
        if (!nearer) { /* as near as it gets */
            memcpy(a->run->initial_q, a->from, q_bytes);
            return NT_OK;
        }
        f = f_new;
        *size = closed;
    }
    return NT_OK;
}

static void weigh(nt_assembly *a)
{
    for (int i = 0; i < a->problem->nv; i++)
        a->light[i] = a->given[i] ? 1 : LIGHT;
}

nt_status nt_assembly_correct_positions(nt_assembly *a, double *size)
{
    nt_run *run = a->run;
    if (*size <= ROUNDED)
        return NT_OK;
    bool some_free = false;
    for (int i = 0; i < a->problem->nv; i++)
        some_free |= !a->given[i];
    if (*size > NT_CLOSED && some_free) /* settling in vain has moved what is not given */
        memcpy(run->initial_q, a->begin, (size_t)a->problem->nq * sizeof(double));
    weigh(a);
    memset(a->fixed, 0, (size_t)a->problem->nv);
    a->corrects = true;
    nt_status status = nt_assembly_settle_nearby(a, size);
    if (status == NT_OK && *size <= NT_CLOSED)
        status = approach(a, size);
    a->corrects = false;
    return status;
}

/* ---- velocities ----------------------------------------------------------------------------- */

nt_status nt_assembly_change_velocities(nt_assembly *a, nt_projection *step, double *change)
{
    nt_problem *p = a->problem;
    nt_point at = nt_assembly_point(a);
    double size;
    int worst;
    nt_status status = nt_assembly_measure(a, a->run->initial_q, NT_VELOCITY, &size, &worst);
    for (int i = 0; i < p->nc; i++)
        a->rows[i] = -a->rows[i];
    step->kinetic = true;
    step->rhs = a->rows;
    if (status == NT_OK)
        status = nt_factors_project(a->factors, &at, step, a->dv);
    *change = 0;
    for (int i = 0; status == NT_OK && i < p->nv; i++) {
        a->run->initial_v[i] += a->dv[i];
        *change = a->given[i] ? fmax(*change, fabs(a->dv[i])) : *change;
    }
    return status;
}

/* Given velocities to their corrected values; then, these held, least energy of all others. */
nt_status nt_assembly_correct_velocities(nt_assembly *a)
{
    enum { REPETITIONS = 8 };
    nt_problem *p = a->problem;
    double *v = a->run->initial_v, change = (double)INFINITY, size = 1;
    nt_status status = NT_OK;
    weigh(a);
    memcpy(v, a->v_given, (size_t)p->nv * sizeof *v);
    for (int k = 0; k < REPETITIONS && change > 1e-15 * size && status == NT_OK; k++) {
        for (int i = 0; i < p->nv; i++) {
            a->offset[i] = a->given[i] ? v[i] - a->v_given[i] : 0;
            size = fmax(size, fabs(v[i]));
        }
        nt_projection step = {.light = a->light, .offset = a->offset};
        status = nt_assembly_change_velocities(a, &step, &change);
    }
    for (int i = 0; i < p->nv; i++)
        v[i] = a->given[i] ? v[i] : 0;
    nt_projection rest = {.fixed = a->given};
    return status == NT_OK ? nt_assembly_change_velocities(a, &rest, &change) : status;
}

/* ---- what moved ----------------------------------------------------------------------------- */

void nt_assembly_take_found(nt_assembly *a, const nt_element *e)
{
    const nt_run *run = a->run;
    for (int i = e->first_brought; i < e->first_brought + e->n_brought; i++) {
        const nt_body *body = &run->bodies[i];
        int nq = (body->t_node >= 0 ? 3 : 0) + (body->r_node >= 0 ? 4 : 0);
        int nv = (body->t_node >= 0 ? 3 : 0) + (body->r_node >= 0 ? 3 : 0);
        memcpy(a->q_given + body->q, run->initial_q + body->q, (size_t)nq * sizeof(double));
        memcpy(a->v_given + body->v, run->initial_v + body->v, (size_t)nv * sizeof(double));
    }
}

nt_status nt_assembly_report(nt_assembly *a)
{
    nt_run *run = a->run;
    const double *q_given = a->q_given, *v_given = a->v_given;
    double seen = 1e-14 * fmax(1, run->length); /* less is rounding */
    size_t room = 256 * (size_t)run->model->n_bodies + 1, used = 0;
    char *text = run->correction_text;
    if (!text)
        text = run->correction_text = NT_TAKE(&run->arena, room, char);
    if (!text)
        return NT_NO_MEMORY;
    text[0] = '\0';
    run->corrections = text;
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        bool moves = body->t_node >= 0, turns = body->r_node >= 0;
        double moved[4] = {0}, dq[6] = {0};
        nt_block block = {.kind = !turns ? NT_RN : moves ? NT_R3SO3 : NT_SO3, .nv = 3};
        nt_space space;
        nt_space_init(&space, &block, 1);
        nt_space_difference(&space, NT_INERTIAL, q_given + body->q, run->initial_q + body->q, dq);
        int r = moves ? 3 : 0;
        const double *v0 = v_given + body->v, *v1 = run->initial_v + body->v;
        if (moves) {
            moved[0] = v3_norm(v3_load(dq));
            moved[2] = v3_norm(v3_sub(v3_load(v1), v3_load(v0)));
        }
        if (turns) {
            moved[1] = v3_norm(v3_load(dq + r));
            moved[3] = v3_norm(v3_sub(v3_load(v1 + r), v3_load(v0 + r)));
        }
        static const char *const what[] = {"centre of mass by", "orientation by", "velocity by",
                                           "angular velocity by"};
        static const char *const unit[] = {"m", "rad", "m/s", "rad/s"};
        const unsigned given[] = {NT_GIVEN_POSITION, NT_GIVEN_ORIENTATION | NT_GIVEN_POSITION,
                                  NT_GIVEN_VELOCITY, NT_GIVEN_ANGULAR_VELOCITY};
        for (int k = 0; k < 4; k++)
            if (moved[k] > seen && (body->given & given[k]))
                used += (size_t)snprintf(text + used, room - used, "body %.40s: %s %.3g %s\n",
                                         body->name, what[k], moved[k], unit[k]);
    }
    return NT_OK;
}
