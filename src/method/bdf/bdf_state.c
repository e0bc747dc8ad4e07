/* `bdf`: the state that is shown, at the end of a step and within it.
 *
 * Within a step y is SUNDIALS' interpolating polynomial, of the order of the step, through the
 * values that the step's formula used: its error is that which the tolerance allows. q and v are
 * brought onto the constraints there as at the end, and accelerations and multipliers are solved
 * for anew. */
#include "base/error.h"
#include "method/bdf/bdf.h"
#include "method/dense_output.h"

#include <math.h>
#include <string.h>

/* ---- from y --------------------------------------------------------------------------------- */

static void bdf_count(nt_bdf *b, const nt_effort *effort)
{
    nt_statistics *statistics = b->stepper->statistics;
    statistics->evaluations += effort->evaluations;
    statistics->factorisations += effort->factorisations;
    statistics->solves += effort->solves;
}

nt_status nt_bdf_accelerate(nt_bdf *b, const nt_point *at, nt_phase *phase)
{
    nt_effort effort = {.unknown = -1};
    nt_status status = nt_factors_accelerate(b->stepper->factors, at, phase->vdot, phase->lambda,
                                             phase->mu, &effort);
    bdf_count(b, &effort);
    return status;
}

/* Onto the constraints by the factors of the accelerations. Rows that are left out are looked at
 * like the others: they are met where the others are, not before. */
static nt_status bdf_settle(nt_bdf *b, nt_phase *phase)
{
    nt_stepper *s = b->stepper;
    const nt_problem *p = b->problem;
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(phase);
    int left_out = s->factors->n_dropped;
    memcpy(b->q, phase->q, (size_t)p->nq * sizeof(double));
    memset(b->vdot, 0, (size_t)p->nv * sizeof(double));
    s->factors->n_dropped = 0;
    nt_status status =
        nt_factors_settle(s->factors, &at, b->q, b->vdot, phase->q, phase->v, &effort);
    s->factors->n_dropped = left_out;
    bdf_count(b, &effort);
    s->report.unknown = effort.unknown;
    s->report.worst = effort.worst;
    s->report.position_drift = effort.drift;
    return status;
}

static void bdf_take(nt_bdf *b, N_Vector from, nt_phase *phase)
{
    const nt_problem *p = b->problem;
    const double *y = N_VGetArrayPointer(from);
    nt_bdf_normalise(b, y);
    memcpy(phase->q, b->q, (size_t)p->nq * sizeof(double));
    memcpy(phase->v, y + p->nq, (size_t)p->nv * sizeof(double));
}

/* One factorisation, where SUNDIALS left off, leads onto the constraints, as far away as the
 * tolerance of Newton's iteration, and to the accelerations there. */
static nt_status bdf_onto_constraints(nt_bdf *b, const nt_point *at, nt_phase *phase)
{
    nt_effort effort = {.unknown = -1};
    nt_status status = nt_bdf_accelerate(b, at, phase);
    if (status == NT_OK)
        status = bdf_settle(b, phase);
    if (status == NT_OK)
        status = nt_factors_reaccelerate(b->stepper->factors, at, phase->vdot, phase->lambda,
                                         phase->mu, &effort);
    bdf_count(b, &effort);
    return status;
}

nt_status nt_bdf_state(nt_bdf *b, N_Vector y, nt_phase *phase)
{
    const nt_problem *p = b->problem;
    bdf_take(b, y, phase);
    memcpy(phase->lambda, N_VGetArrayPointer(y) + b->counted, (size_t)p->nc * sizeof(double));
    nt_point at = nt_phase_point(phase);
    nt_status status =
        p->nc > 0 ? bdf_onto_constraints(b, &at, phase) : nt_bdf_accelerate(b, &at, phase);
    if (status != NT_OK)
        bdf_take(b, y, phase);
    return status;
}

/* ---- within a step -------------------------------------------------------------------------- */

bool nt_bdf_ended_at(const nt_bdf *b, const nt_phase *phase)
{
    const nt_problem *p = b->problem;
    double t = phase->all[NT_PHASE_T];
    /* the driver rounds times of its own */
    return b->current && fabs(t - b->end_t) <= 1e-13 * fmax(fabs(t), fabs(b->end_t)) &&
           memcmp(phase->q, b->end, (size_t)p->nq * sizeof(double)) == 0 &&
           memcmp(phase->v, b->end + p->nq, (size_t)p->nv * sizeof(double)) == 0;
}

/* Where SUNDIALS does not have the step, since it was restored, or refuses the time: a cubic. Where
 * the accelerations have no solution they and the multipliers are linear in time. */
nt_status nt_bdf_interpolate(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                             nt_phase *out)
{
    nt_bdf *b = s->own;
    if (!b || !nt_bdf_ended_at(b, to) || b->code->look(b, t, 0, b->between) != 0) {
        nt_dense_output(s->problem, from, to, t, s->scratch, out);
        return NT_OK;
    }
    nt_stepper *steps = b->stepper;
    b->stepper = s; /* the look's factors serve while it lasts */
    double begin = from->all[NT_PHASE_T], part = (t - begin) / (to->all[NT_PHASE_T] - begin);
    size_t many = (size_t)(out->memory - out->vdot); /* lambda and mu follow vdot */
    memcpy(out->vdot, from->vdot, (size_t)s->problem->nv * sizeof(double));
    if (s->glances)
        bdf_take(b, b->between, out);
    nt_status status = s->glances ? NT_OK : nt_bdf_state(b, b->between, out);
    if (s->glances || status != NT_OK)
        for (size_t i = 0; i < many; i++)
            out->vdot[i] = (1 - part) * from->vdot[i] + part * to->vdot[i];
    if (s->glances)
        memcpy(out->lambda, N_VGetArrayPointer(b->between) + b->counted,
               (size_t)s->problem->nc * sizeof(double));
    b->stepper = steps;
    return nt_is_final(status) ? status : NT_OK;
}
