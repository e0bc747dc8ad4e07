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

/* Whose power it is: of all forces without a potential, or, of each account of the watch on energy,
 * of those alone that can give; power[n][NT_WORK_NODES]. */
typedef struct powers {
    bool apart;
    nt_phase *within; /* scratch */
    double *power;
} powers;

/* At node k, a phase within the step that ends at `to`; NULL: one that has no value. */
static void take_power(nt_integrator *it, const powers *w, int k, const nt_phase *phase,
                       const nt_phase *to)
{
    const nt_problem *p = it->problem;
    nt_energy whole = {0}, *energy = w->apart ? it->accounts.there : &whole;
    nt_status status = NT_NOT_FINITE;
    if (phase) {
        nt_point at = nt_phase_point(phase);
        if (it->method->needs & NT_MULTIPLIERS_WITHIN)
            at.lambda = to->lambda, at.mu = to->mu;
        nt_integrator_rates(it, phase, &at.v, &at.vdot);
        status = w->apart ? nt_integrator_energies(it, &at, energy)
                          : p->system->energy(p->system->self, &at, energy);
    }
    for (int i = 0; i < (w->apart ? it->accounts.n : 1); i++)
        w->power[i * NT_WORK_NODES + k] =
            status == NT_OK ? energy[i].power - (w->apart ? energy[i].taken : 0) : (double)NAN;
}

static nt_status take_powers(nt_integrator *it, const powers *w, const nt_phase *from,
                             const nt_phase *to)
{
    nt_stepper *s = &it->stepper;
    double t = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t;
    take_power(it, w, 0, from, to);
    s->glances = true;
    nt_status status = NT_OK;
    for (int k = 1; k < NT_WORK_NODES - 1 && !nt_is_final(status); k++) {
        if (!nt_work_looks(it->method, k))
            continue;
        status = nt_integrator_between(it, from, to, t + nt_work_node[k] * h, w->within);
        take_power(it, w, k, status == NT_OK ? w->within : NULL, to);
    }
    s->glances = false;
    if (nt_is_final(status))
        return status;
    take_power(it, w, NT_WORK_NODES - 1, to, to);
    for (int i = 0; i < (w->apart ? it->accounts.n : 1); i++)
        nt_work_fill(it->method, w->power + i * NT_WORK_NODES);
    return NT_OK;
}

nt_status nt_integrator_given_powers(nt_integrator *it, const nt_phase *from, const nt_phase *to,
                                     nt_phase *within)
{
    powers w = {.apart = true, .within = within, .power = it->accounts.powers};
    return take_powers(it, &w, from, to);
}

nt_status nt_integrator_work(nt_integrator *it)
{
    const nt_phase *now = &it->stepper.now, *next = &it->stepper.next;
    double *power = next->all + NT_PHASE_POWER;
    double h = next->all[NT_PHASE_T] - now->all[NT_PHASE_T];
    powers w = {.within = &it->within, .power = power};
    nt_status status = take_powers(it, &w, now, next);
    if (status == NT_OK)
        next->all[NT_PHASE_WORK] = now->all[NT_PHASE_WORK] + h * nt_work_within(power, 1);
    return status;
}
