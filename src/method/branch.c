/* Where the independent equations change the mechanism is at or near a position in which it may go
 * on in several ways, and the one that it comes from is known by its velocities alone: they do not
 * jump. Reactions are finite there as elsewhere, and a step over h moves velocities by h times
 * accelerations. With
 *
 *   d = v1 - v0 - h/2 (vdot0 + vdot1),
 *
 * which is v (h w)^3/12 for a smooth motion that turns at the rate w, the step jumps where the
 * kinetic energy of d is more than a hundredth of that of the motion,
 *
 *   d . M d > JUMP^2 max(v0 . M v0, v1 . M v1),    M = M(q1).
 *
 * Momentum and kinetic energy then jump with d: M d and v . M d. A smooth motion does so when it
 * turns by a radian in a step; such a step is made again, smaller, as one that jumps is. Where
 * smaller steps jump too the run ends in words: it has come to the position with velocities that
 * rounding decided. */
#include "method/branch.h"

#include <math.h>
#include <string.h>

static const double JUMP = 0.1;

/* x . M x at the end of the step; product[nv] scratch */
static nt_status kinetic(nt_problem *p, const nt_point *end, const double *x, double *product,
                         double *twice)
{
    nt_point at = *end;
    nt_terms terms = {.parts = NT_MASS, .residual = product};
    at.vdot = x;
    memset(product, 0, (size_t)p->nv * sizeof *product);
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    *twice = 0;
    for (int i = 0; i < p->nv; i++)
        *twice += x[i] * product[i];
    return status;
}

bool nt_branch_jumps(nt_integrator *it)
{
    const nt_stepper *s = &it->stepper;
    nt_problem *p = it->problem;
    const nt_phase *now = &s->now, *next = &s->next;
    double *d = it->factors->work, *product = d + p->nv, of_d, of_now, of_next;
    double h = next->all[NT_PHASE_T] - now->all[NT_PHASE_T];
    nt_point end = nt_phase_point(next);
    for (int i = 0; i < p->nv; i++)
        d[i] = next->v[i] - now->v[i] - h / 2 * (now->vdot[i] + next->vdot[i]);
    return kinetic(p, &end, d, product, &of_d) != NT_OK ||
           kinetic(p, &end, now->v, product, &of_now) != NT_OK ||
           kinetic(p, &end, next->v, product, &of_next) != NT_OK ||
           !(of_d <= JUMP * JUMP * fmax(of_now, of_next));
}
