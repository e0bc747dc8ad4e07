/* Shooting: the steps of a method from the begin of each segment to its end, with the derivative of
 * what they do, and what the ends miss. */
#include "analysis/orbit/orbit.h"
#include "base/error.h"
#include "group/block.h"

#include <math.h>
#include <string.h>

double nt_orbit_start(const nt_orbit *o)
{
    return o->periods > 0 ? o->periods * o->T : o->wanted.start;
}

void nt_orbit_keep_phase(nt_orbit *o)
{
    if (o->wanted.period_of && o->wanted.start > 0)
        o->periods = nt_orbit_start(o) / o->T;
}

double nt_orbit_time(const nt_orbit *o, int segment)
{
    return nt_orbit_start(o) + o->T * segment / o->n;
}

typedef struct watched {
    const nt_orbit *orbit;
} watched;

static int watch_step(void *context, const nt_integrator *it)
{
    const watched *of = context;
    const nt_orbit *o = of->orbit;
    (void)it;
    return o->wanted.watch(o->wanted.context, o->iterations, o->miss);
}

/* Integrate a segment from a state at time t0 to t1. */
static nt_status run_segment(const nt_orbit *o, nt_integrator *it, nt_sensitivity *s,
                             const nt_orbit_node *node, double t0, double t1, const double *q,
                             const double *v, const double *memory, nt_error *error)
{
    size_t nv = (size_t)o->problem->nv, n = (size_t)o->m * nv;
    watched of = {o};
    nt_status status = nt_integrator_start(it, t0, q, v, memory, error);
    if (status == NT_OK && s) {
        double *dq = o->directions, *dv = dq + n + nv;
        memcpy(dq, node->dq, n * sizeof *dq);
        memcpy(dv, node->dv, n * sizeof *dv);
        memset(dq + n, 0, nv * sizeof *dq); /* the unit of time: velocities are longer in it */
        memcpy(dv + n, v, nv * sizeof *dv);
        for (size_t i = 0; i < nv; i++)
            if (o->first[i])
                dv[n + i] = 0;
        status = nt_sensitivity_start_from(s, dq, dv, error);
    }
    if (status == NT_OK)
        status = nt_integrator_run(it, t1, (t1 - t0) / o->steps,
                                   o->wanted.watch ? watch_step : NULL, &of, error);
    return status == NT_INTERRUPTED
               ? nt_fail(error, status, "the search for an orbit was interrupted")
               : status;
}

/* z of a change of state at the end of a segment; of the last one turned back into the bases at the
 * begin of the first. */
static void end_coordinates(const nt_orbit *o, int segment, const double *dq, const double *dv,
                            double *z)
{
    size_t nv = (size_t)o->problem->nv;
    double *own = o->work;
    memcpy(own, dq, nv * sizeof *own);
    memcpy(own + nv, dv, nv * sizeof *own);
    bool last = segment == o->n - 1;
    if (last)
        nt_orbit_turn_back(o, own, own + nv);
    nt_orbit_coordinates(o, &o->node[last ? 0 : segment + 1], own, own + nv, z);
}

/* What leads from where the segment should end, (q, v), to where it ends. */
static void difference_at_end(const nt_orbit *o, const nt_orbit_node *node, const double *q,
                              const double *v, double *dq, double *dv)
{
    const nt_problem *p = o->problem;
    nt_space_difference(&p->space, p->frame, q, node->end_q, dq);
    nt_space_clear_first(&p->space, dq);
    for (int i = 0; i < p->nv; i++)
        dv[i] = node->end_v[i] - v[i];
}

void nt_orbit_compare(const nt_orbit *o, nt_orbit_node *node, const double *q, const double *v,
                      double *z)
{
    difference_at_end(o, node, q, v, node->miss_q, node->miss_v);
    end_coordinates(o, o->n - 1, node->miss_q, node->miss_v, z);
}

static void misses(nt_orbit *o, int segment)
{
    const nt_problem *p = o->problem;
    nt_orbit_node *node = &o->node[segment];
    double *q = o->place, *v = q + p->nq;
    const nt_orbit_node *to = &o->node[segment < o->n - 1 ? segment + 1 : 0];
    memcpy(q, to->q, (size_t)p->nq * sizeof *q);
    memcpy(v, to->v, (size_t)p->nv * sizeof *v);
    if (segment == o->n - 1)
        nt_orbit_advance_state(o, q, v);
    difference_at_end(o, node, q, v, node->miss_q, node->miss_v);
    end_coordinates(o, segment, node->miss_q, node->miss_v, node->miss);
}

/* The maps from the tangents that the integrator carries. */
static void maps(nt_orbit *o, int segment)
{
    const nt_problem *p = o->problem;
    nt_orbit_node *node = &o->node[segment];
    double *column = o->column, *dv = column + o->m;
    for (int k = 0; k < o->m; k++) {
        nt_state_tangent d = nt_sensitivity_state(o->sensitivity, k);
        end_coordinates(o, segment, d.q, d.v, column);
        for (int i = 0; i < o->m; i++)
            node->map[i * o->m + k] = column[i];
    }
    if (!o->wanted.free)
        return;
    nt_state_tangent d = nt_sensitivity_state(o->sensitivity, o->m);
    for (int i = 0; i < p->nv; i++)
        dv[i] = d.v[i] - (o->first[i] ? 0 : node->end_v[i]);
    end_coordinates(o, segment, d.q, dv, node->by_period);
    for (int i = 0; i < o->m; i++)
        node->by_period[i] /= o->T;
}

/* What an advance changes at the end, turned back: that of a turn is as at the begin, and along an
 * axis it is the axis turned back, for g x = R_g x + a. */
void nt_orbit_directions_at_end(nt_orbit *o)
{
    nt_orbit_node *first = &o->node[0];
    size_t nv = (size_t)o->problem->nv;
    double *dq = o->place, *dv = dq + nv;
    for (int i = 0; i < o->wanted.n_advances; i++) {
        nt_orbit_generator(o, i, first->q, first->v, dq, dv);
        if (nt_orbit_is_along(o, i))
            nt_orbit_turn_back(o, dq, dv);
        nt_orbit_coordinates(o, first, dq, dv, o->generator_end + i * o->m);
    }
}

/* The motion itself, and the advances, as directions at the begin. */
void nt_orbit_directions_at_begin(nt_orbit *o)
{
    nt_orbit_node *first = &o->node[0];
    size_t nv = (size_t)o->problem->nv;
    double *dq = o->place, *dv = dq + nv;
    nt_orbit_coordinates(o, first, first->v, first->vdot, o->flow);
    for (int i = 0; i < o->wanted.n_advances; i++) {
        nt_orbit_generator(o, i, first->q, first->v, dq, dv);
        nt_orbit_coordinates(o, first, dq, dv, o->generator + i * o->m);
    }
}

double nt_orbit_reach(const nt_orbit *o)
{
    double sum = 0;
    for (int i = 0; i < o->m; i++)
        sum += o->flow[i] * o->flow[i];
    return sqrt(sum) * o->T / o->problem->length;
}

static void keep_end(const nt_orbit *o, const nt_integrator *it, nt_orbit_node *node)
{
    nt_state end = nt_integrator_state(it);
    memcpy(node->end_q, end.q, (size_t)o->problem->nq * sizeof(double));
    memcpy(node->end_v, end.v, (size_t)o->problem->nv * sizeof(double));
    memcpy(node->end_memory, end.memory, (size_t)o->system->n_memory * sizeof(double));
}

nt_status nt_orbit_shoot(nt_orbit *o, bool derivatives, nt_error *error)
{
    nt_integrator *it = derivatives ? o->linear : o->integrator;
    for (int k = 0; k < o->n; k++) {
        nt_orbit_node *node = &o->node[k];
        if (k > 0) /* what counts turns goes on from segment to segment */
            memcpy(node->memory, o->node[k - 1].end_memory,
                   (size_t)o->system->n_memory * sizeof(double));
        double t0 = nt_orbit_time(o, k), t1 = nt_orbit_time(o, k + 1);
        nt_status status =
            nt_integrator_start(o->integrator, t0, node->q, node->v, node->memory, error);
        if (status != NT_OK)
            return status;
        memcpy(node->vdot, nt_integrator_state(o->integrator).vdot,
               (size_t)o->problem->nv * sizeof(double));
        status = run_segment(o, it, derivatives ? o->sensitivity : NULL, node, t0, t1, node->q,
                             node->v, node->memory, error);
        if (status != NT_OK)
            return status;
        keep_end(o, it, node);
        misses(o, k);
        if (derivatives)
            maps(o, k);
    }
    nt_orbit_directions_at_begin(o);
    return NT_OK;
}

double nt_orbit_largest_miss(const nt_orbit *o)
{
    double most = 0;
    for (int k = 0; k < o->n; k++)
        for (int i = 0; i < o->m; i++)
            most = fmax(most, fabs(o->node[k].miss[i]));
    return most;
}

/* The period after: its segments from the advanced states, at times later by the period. */
nt_status nt_orbit_shoot_again(nt_orbit *o, double *miss, nt_error *error)
{
    const nt_problem *p = o->problem;
    size_t nq = (size_t)p->nq, nv = (size_t)p->nv;
    double *memory = o->node[o->n - 1].end_memory;
    *miss = 0;
    for (int k = 0; k < o->n; k++) {
        nt_orbit_node *node = &o->node[k];
        const nt_orbit_node *to = &o->node[k < o->n - 1 ? k + 1 : 0];
        double *q = o->again, *v = q + nq, *z = o->column;
        memcpy(q, node->q, nq * sizeof *q);
        memcpy(v, node->v, nv * sizeof *v);
        nt_orbit_advance_state(o, q, v);
        nt_status status = run_segment(o, o->integrator, NULL, node, nt_orbit_time(o, k) + o->T,
                                       nt_orbit_time(o, k + 1) + o->T, q, v, memory, error);
        if (status != NT_OK)
            return status;
        keep_end(o, o->integrator, node);
        memory = node->end_memory;
        memcpy(q, to->q, nq * sizeof *q);
        memcpy(v, to->v, nv * sizeof *v);
        nt_orbit_advance_state(o, q, v);
        if (k == o->n - 1)
            nt_orbit_advance_state(o, q, v);
        difference_at_end(o, node, q, v, node->miss_q, node->miss_v);
        nt_orbit_turn_back(o, node->miss_q, node->miss_v);
        end_coordinates(o, k, node->miss_q, node->miss_v, z);
        for (int i = 0; i < o->m; i++)
            *miss = fmax(*miss, fabs(z[i]));
    }
    return NT_OK;
}
