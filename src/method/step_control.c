/* Step sizes from error estimates.
 *
 *   Soderlind 2003, Digital filters in adaptive time-stepping, ACM TOMS 29, table II: H211b
 *   Soderlind & Wang 2006, Adaptive time-stepping and computational stability: the limiter
 *
 * With c_n = 1/error_n, k the order of the estimate (error ~ h^k) and b = 4,
 *
 *   rho = c_n^(1/(b k)) c_(n-1)^(1/(b k)) (h_n/h_(n-1))^(-1/b),
 *   h_(n+1) = h_n (1 + atan(rho - 1)).
 *
 * A filter averages over steps, so that steps are smooth in time and the error, a function of the
 * tolerance. Only where the last error is above the aim the step shrinks at once by c_n^(1/k),
 * which saves up to a third of the rejections of methods of high order. The limiter lets a step
 * grow by 1 + pi/2 at most. */
#include "method/step_control.h"

#include "base/vector3.h"
#include "group/block.h"

#include <math.h>

/* The controller aims at this part of the tolerance, so that few steps are rejected. */
static const double AIM = 0.6;

static const double FILTER = 4; /* b */

/* An error below this is zero for the filter: rounding alone. */
static const double FLOOR = 1e-6;

nt_step_error nt_step_error_of(const nt_stepper *s, const double *estimate)
{
    const nt_problem *p = s->problem;
    nt_step_error worst = {.unknown = -1};
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int places = nt_block_places(block);
        for (int j = 0; j < block->nv; j++) {
            int i = block->v + j;
            bool angle = p->quantity[i] == NT_ANGLE;
            double size = j < places ? 1 + fabs(s->next.q[block->q + j]) : 1;
            double allowed[2] = {s->tolerance[angle] * size,
                                 s->tolerance[2 + angle] * (1 + fabs(s->next.v[i]))};
            for (int part = block->kind == NT_FIRST; part < 2; part++) {
                double error = fabs(estimate[part * p->nv + i]);
                if (!isfinite(error))
                    return (nt_step_error){(double)INFINITY, 2 * part + angle, i};
                if (allowed[part] > 0 && error > worst.size * allowed[part])
                    worst = (nt_step_error){error / allowed[part], 2 * part + angle, i};
            }
        }
    }
    return worst;
}

void nt_step_error_add_cross(const nt_space *space, double factor, const double *a, const double *b,
                             double *sum)
{
    for (int k = 0; k < space->n_blocks; k++) {
        const nt_block *block = &space->blocks[k];
        int i = block->v + block->nv - 3;
        if (block->rotation >= 0)
            v3_accumulate(sum + i, v3_scale(factor, v3_cross(v3_load(a + i), v3_load(b + i))));
    }
}

double nt_step_after_accepted(const nt_step_control *control, double h, double before, double error,
                              int order)
{
    double power = 1 / (FILTER * order), c = AIM / fmax(error, FLOOR), rho;
    if (control->error > 0 && before > 0) {
        double c_before = AIM / fmax(control->error, FLOOR);
        rho = pow(c, power) * pow(c_before, power) * pow(h / before, -1 / FILTER);
    } else
        rho = pow(c, 1.0 / order);
    double direct = pow(c, 1.0 / order); /* above the aim: down at once */
    if (direct < 1)
        rho = fmin(rho, direct);
    return h * (1 + atan(rho - 1));
}

double nt_step_after_rejected(double h, double error, int order)
{
    double factor = isfinite(error) ? pow(AIM / error, 1.0 / order) : 0.25;
    return h * fmin(0.8, fmax(0.1, factor));
}
