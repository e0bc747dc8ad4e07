/* The local error of steps of splitting methods; see splitting.h.
 *
 * With a(t) the true acceleration, a, a~ those of the step, both of its middle, and da, d2a the
 * derivatives that accelerations of steps before and after show, a step is off by
 *
 *   v1:                h (a - mean of a(t)) = e_v,
 *   log(q0^-1 q1):     x - (h v0 + h^2/2 a - h^3/12 da +- h^3/12 v0 x a) + h/2 e_v + O(h^4).
 *
 * e_v is no larger than h^2/2 da where A or B is taken anywhere in the step, and (beta - 1/2) h^2
 * da and h^3/8 d2a in the method of second order. What the bracket holds is the path that goes with
 * a velocity of the slope a at the middle: its last term, + in the body frame, is the first of
 * Magnus' series, for the axis of a rotation that changes while it turns. In it a ball that spins
 * under a torque across is off though a does not change at all; so is, by (sigma - 1/2) h^2 a, any
 * body with theta above 1/2, and by h^3/12 da, in steps of second order, what constraints hold. */
#include "method/splitting/splitting_own.h"
#include "method/step_control.h"

#include <string.h>

/* A step, and the accelerations around it: `end` is the state that it led to, h its size, and
 * `later` lies between the times of now.vdot and next.vdot. */
typedef struct made {
    const nt_phase *end;
    double h, later;
} made;

/* e_v = h^2/2 da */
static void splitting_error_by_rate(const nt_stepper *s, const made *step, double *of_v)
{
    double h = step->h;
    for (int i = 0; i < s->problem->nv; i++)
        of_v[i] = h * h / 2 * ((s->next.vdot[i] - s->now.vdot[i]) / step->later);
}

/* e_v = (beta - 1/2) h^2 da + h^3/8 d2a, this from accelerations at three times: `apart` lies
 * between the first two. */
static void splitting_error_by_curvature(const nt_stepper *s, const nt_splitting *c,
                                         const made *step, double *of_v)
{
    nt_splitting_memory m = nt_splitting_memory_of(s->problem, &s->now);
    double h = step->h, later = step->later, apart = *m.apart;
    bool bent = later > 0 && apart > 0;
    for (int i = 0; i < s->problem->nv; i++) {
        double rate = later > 0 ? (s->next.vdot[i] - s->now.vdot[i]) / later : 0, curvature = 0;
        if (bent)
            curvature = (rate - (s->now.vdot[i] - m.a_before[i]) / apart) / ((later + apart) / 2);
        of_v[i] = h * h * h / 8 * curvature + (c->beta - 0.5) * h * h * rate;
    }
}

/* What blocks that are alone have lost of x (nt_splitting_share). */
static void splitting_take_share(const nt_stepper *s, const made *step, double *of_q)
{
    const nt_problem *p = s->problem;
    const nt_splitting_own *own = s->own;
    nt_splitting_memory m = nt_splitting_memory_of(p, step->end);
    double h = step->h, reach = *m.apart > 0 ? h * h * h / (12 * *m.apart) : 0;
    for (int k = 0; own && k < own->n_alone; k++) {
        const nt_block *block = &p->space.blocks[own->alone[k]];
        for (int i = block->v; i < block->v + block->nv; i++)
            of_q[i] -= reach * (step->end->vdot[i] - m.a_before[i]);
    }
}

static void splitting_error_of_positions(const nt_stepper *s, const nt_splitting *c,
                                         const made *step, const double *of_v, double *of_q)
{
    const nt_problem *p = s->problem;
    const double *a = step->end->vdot, *a_first = nt_splitting_memory_of(p, step->end).a_first;
    double h = step->h, h2 = h * h, h3 = h2 * h,
           of_rate = step->later > 0 ? h3 / 12 / step->later : 0;
    for (int i = 0; i < p->nv; i++)
        of_q[i] = h / 2 * of_v[i] + c->sigma * h2 * a_first[i] - h2 / 2 * a[i] +
                  of_rate * (s->next.vdot[i] - s->now.vdot[i]);
    nt_step_error_add_cross(&p->space, (p->frame == NT_BODY ? -1 : 1) * h3 / 12, step->end->v, a,
                            of_q);
    if (c->second)
        splitting_take_share(s, step, of_q);
}

/* The step of size h that led to `end`; `next` is the size of the step now -> next. */
static void splitting_estimate_of(const nt_stepper *s, const nt_splitting *c, const nt_phase *end,
                                  double h, double next, double *estimate)
{
    double *of_q = estimate, *of_v = estimate + s->problem->nv;
    nt_splitting_memory m = nt_splitting_memory_of(s->problem, &s->now);
    double before = c->second ? *m.since : s->now.all[NT_PHASE_STEP] / 2;
    made step = {end, h, next / 2 + before};
    if (c->second)
        splitting_error_by_curvature(s, c, &step, of_v);
    else
        splitting_error_by_rate(s, &step, of_v);
    splitting_error_of_positions(s, c, &step, of_v, of_q);
}

nt_status nt_splitting_error(nt_stepper *s, const nt_splitting *c, double h, double *estimate)
{
    splitting_estimate_of(s, c, &s->next, h, h, estimate);
    return NT_OK;
}

nt_status nt_splitting_review(nt_stepper *s, const nt_splitting *c, double h, double *estimate)
{
    splitting_estimate_of(s, c, &s->now, s->now.all[NT_PHASE_STEP], h, estimate);
    return NT_OK;
}
