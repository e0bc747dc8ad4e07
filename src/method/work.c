/* Work of the forces that have no potential, from their power along the motion.
 *
 * Over a step the power is taken on the dense output, and the polynomial through the powers is
 * integrated. Where the method has a dense output of its own, at the five nodes of Lobatto's rule
 * on [0, 1]: exact to degree seven over the step and to degree four up to a place in it. Else at
 * the ends and in the middle, which is Simpson's rule and as good as the cubic of dense_output.c:
 * h^4 in q enters multiplied by h. So the work over a motion is as good as the positions, by
 * methods with a dense output of their own and by those of order four and below.
 *
 * Methods whose multipliers belong within the step (NT_MULTIPLIERS_WITHIN) have one set of them per
 * step: the power is taken with those of the step at all of its nodes. Half a step off, which is
 * where the states at its ends have them, the work of a drive would be of first order.
 *
 * A step in the midst of which the equations have no value stands nevertheless, as it does where no
 * work is asked for; the work is no number from there on, which no result takes. */
#include "method/work.h"
#include "base/error.h"
#include "method/integrator.h"

/* (1 - sqrt(3/7))/2 */
#define INNER 0.17267316464601142810

enum { MIDDLE = NT_WORK_NODES / 2 };

const double nt_work_node[NT_WORK_NODES] = {0, INNER, 0.5, 1 - INNER, 1};

/* The polynomial through the powers at x, by Lagrange's formula. */
static double power_at(const double *power, double x)
{
    double sum = 0;
    for (int k = 0; k < NT_WORK_NODES; k++) {
        double product = power[k];
        for (int j = 0; j < NT_WORK_NODES; j++)
            if (j != k)
                product *= (x - nt_work_node[j]) / (nt_work_node[k] - nt_work_node[j]);
        sum += product;
    }
    return sum;
}

/* Gauss' rule with three nodes is exact for degree five. */
double nt_work_within(const double *power, double s)
{
    static const double apart = 0.38729833462074168852; /* sqrt(3/5)/2 */
    return s / 18 *
           (5 * power_at(power, s * (0.5 - apart)) + 8 * power_at(power, s * 0.5) +
            5 * power_at(power, s * (0.5 + apart)));
}

bool nt_work_looks(const nt_method *method, int k)
{
    return method->interpolate || k == 0 || k == MIDDLE || k == NT_WORK_NODES - 1;
}

/* By the parabola through the others. */
void nt_work_fill(const nt_method *method, double *power)
{
    const double first = power[0], middle = power[MIDDLE], last = power[NT_WORK_NODES - 1];
    for (int k = 0; k < NT_WORK_NODES; k++) {
        double x = nt_work_node[k];
        if (!nt_work_looks(method, k))
            power[k] =
                first * (1 - x) * (1 - 2 * x) + middle * 4 * x * (1 - x) + last * x * (2 * x - 1);
    }
}

/* At a phase within the step that ends at `to`: of all forces without a potential, or of those
 * alone that can give. */
static double power_of(nt_integrator *it, const nt_phase *phase, const nt_phase *to, bool gives)
{
    const nt_problem *p = it->problem;
    nt_energy energy = {0};
    nt_point at = nt_phase_point(phase);
    if (it->method->needs & NT_MULTIPLIERS_WITHIN)
        at.lambda = to->lambda, at.mu = to->mu;
    nt_integrator_rates(it, phase, &at.v, &at.vdot);
    if (p->system->energy(p->system->self, &at, &energy) != NT_OK)
        return (double)NAN;
    return energy.power - (gives ? energy.taken : 0);
}

nt_status nt_integrator_powers(nt_integrator *it, const nt_phase *from, const nt_phase *to,
                               bool gives, nt_phase *within, double *power)
{
    nt_stepper *s = &it->stepper;
    double t = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t;
    power[0] = power_of(it, from, to, gives);
    s->glances = true;
    nt_status status = NT_OK;
    for (int k = 1; k < NT_WORK_NODES - 1 && !nt_is_final(status); k++) {
        if (!nt_work_looks(it->method, k))
            continue;
        status = nt_integrator_between(it, from, to, t + nt_work_node[k] * h, within);
        power[k] = status == NT_OK ? power_of(it, within, to, gives) : (double)NAN;
    }
    s->glances = false;
    if (nt_is_final(status))
        return status;
    power[NT_WORK_NODES - 1] = power_of(it, to, to, gives);
    nt_work_fill(it->method, power);
    return NT_OK;
}

nt_status nt_integrator_work(nt_integrator *it)
{
    const nt_phase *now = &it->stepper.now, *next = &it->stepper.next;
    double *power = next->all + NT_PHASE_POWER;
    double h = next->all[NT_PHASE_T] - now->all[NT_PHASE_T];
    nt_status status = nt_integrator_powers(it, now, next, false, &it->within, power);
    if (status == NT_OK)
        next->all[NT_PHASE_WORK] = now->all[NT_PHASE_WORK] + h * nt_work_within(power, 1);
    return status;
}
