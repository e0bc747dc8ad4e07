/* Where Newton's iteration of a step begins; see newton.h. */
#include "method/newton.h"

#include "base/target.h"

#include <string.h>

/* The tangent operator is singular at a rotation of 2 pi: a step that turns a body by more than 6
 * rad is too large for this method. Returns the first unknown of such a rotation, or -1. */
static int too_large_a_turn(const nt_problem *p, const nt_newton *w)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        const double *psi = w->increment + block->v + block->nv - 3;
        if (block->rotation >= 0 && !(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2] < 36))
            return block->v + block->nv - 3;
    }
    return -1;
}

NT_HOT nt_status nt_newton_check_turn(nt_stepper *s, const nt_newton *w)
{
    s->report = (nt_report){
        .unknown = too_large_a_turn(s->problem, w), .worst = (double)INFINITY, .increment = true};
    return s->report.unknown < 0 ? NT_OK : NT_NOT_CONVERGED;
}

typedef struct prediction {
    double of_vdot, of_a, share, h, v_old, v_new, x_old, x_new;
} prediction;

NT_HOT NT_WIDE static void predict(const prediction *p, int nv, const double *restrict v,
                                   const double *restrict vdot, const double *restrict a_n,
                                   const double *restrict guess, double *restrict a,
                                   double *restrict rate, double *restrict increment)
{
    for (int i = 0; i < nv; i++) {
        a[i] = p->of_vdot * vdot[i] - p->of_a * a_n[i];
        double a1 = a[i] + p->share * guess[i];
        rate[i] = v[i] + (p->v_old * a_n[i] + p->v_new * a1);
        increment[i] = p->h * v[i] + (p->x_old * a_n[i] + p->x_new * a1);
    }
}

/* The last accelerations and multipliers are the first guess. */
NT_HOT nt_status nt_newton_predict(nt_stepper *s, const nt_newton *w, bool recursion)
{
    const nt_phase *now = &s->now, *next = &s->next;
    const nt_family *c = &w->c;
    memcpy(next->lambda, now->lambda, (size_t)s->problem->nc * sizeof(double));
    if (s->problem->system->n_memory > 0)
        memcpy(next->memory, now->memory, (size_t)s->problem->system->n_memory * sizeof(double));
    double part = 1 / (1 - c->alpha_m), h = c->h;
    const prediction p = {.of_vdot = recursion ? part * c->alpha_f : 0,
                          .of_a = recursion ? part * c->alpha_m : 0,
                          .share = part * (1 - c->alpha_f),
                          .h = h,
                          .v_old = h * (1 - c->gamma),
                          .v_new = h * c->gamma,
                          .x_old = h * h * (0.5 - c->beta),
                          .x_new = h * h * c->beta};
    predict(&p, s->problem->nv, now->v, now->vdot, now->method, w->acceleration, w->a, w->rate,
            w->increment);
    return nt_newton_check_turn(s, w);
}
