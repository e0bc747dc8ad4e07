/* The derivative of the work, by the rule of the integrator (method/work.c): at each node the power
 * is differentiated along the variation of the state there, which between the ends of a step is
 * that of the dense output. */
#include "method/work.h"
#include "base/difference.h"
#include "sensitivity/forward.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- power ---------------------------------------------------------------------------------- */

/* The state moved along direction i, the parameter too when `with_parameter`; until the next call.
 */
static nt_status state_beside(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                              double offset, bool with_parameter, nt_point *point)
{
    const nt_problem *p = s->integrator->problem;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_status status = with_parameter ? nt_sensitivity_move_parameter(s, i, offset) : NT_OK;
    nt_sensitivity_move(p, at, d, offset, s->values, &varied);
    varied.all[NT_PHASE_T] = at->all[NT_PHASE_T];
    *point = nt_sensitivity_point(s, &varied);
    return status;
}

static nt_status power_beside(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                              double offset, bool with_parameter, double *power)
{
    const nt_system *system = s->integrator->problem->system;
    nt_point point;
    nt_energy energy = {0};
    nt_status status = state_beside(s, i, at, d, offset, with_parameter, &point);
    if (status == NT_OK)
        status = system->energy(system->self, &point, &energy);
    *power = energy.power;
    return status;
}

/* The side, 1 or -1, to which differences over `reach` pass no place where a force begins, if they
 * would to the other one; 0: to both, or to none. Steps end a hair before such places. */
static nt_status open_side(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                           double reach, bool with_parameter, int *side)
{
    const nt_system *system = s->integrator->problem->system;
    double **g = s->integrator->onsets.g;
    nt_status status = NT_OK;
    *side = 0;
    if (!system->onsets)
        return NT_OK;
    for (int k = 0; k < 3 && status == NT_OK; k++) {
        nt_point point;
        status = state_beside(s, i, at, d, (k - 1) * reach, with_parameter, &point);
        if (status == NT_OK)
            status = system->onsets(system->self, &point, g[k]);
    }
    if (status == NT_OK)
        *side = nt_open_side(g, system->n_onsets);
    return status;
}

/* d(power) along direction i at a state, by differences of a step; *gap receives what formulas of
 * sixth and fourth order differ by, *rounding what of it rounding alone may be, of the power and of
 * places, which a step of `reach` moves by a hundredth of 1 m or rad, and which are as far as `far`
 * from the origin. Those to one side look as far as those to both. */
static nt_status difference_power(nt_sensitivity *s, int i, const nt_phase *at,
                                  const nt_variation *d, double step, double reach, double far,
                                  bool with_parameter, double *derivative, double *gap,
                                  double *rounding)
{
    int side = 0;
    nt_status status = open_side(s, i, at, d, 3 * step, with_parameter, &side);
    double low = 0, largest = 0;
    *derivative = 0;
    step = side ? side * step * 3 / (NT_ONE_SIDED - 1) : step;
    for (int j = 0; j < (side ? NT_ONE_SIDED : 6) && status == NT_OK; j++) {
        int place = j / 2, sign = side || j % 2 == 0 ? 1 : -1;
        double power, sixth = side ? NT_SIDE_SIXTH[j] : NT_SIXTH[place];
        status = power_beside(s, i, at, d, (side ? j : sign * (place + 1)) * step, with_parameter,
                              &power);
        *derivative += sign * sixth / step * power;
        low += sign * (side ? NT_SIDE_FOURTH[j] : NT_FOURTH[place]) / step * power;
        largest = fmax(largest, fabs(power));
    }
    *gap = fabs(*derivative - low);
    *rounding = DBL_EPSILON * (largest + 1e2 * reach * far * fabs(*derivative)) / fabs(step);
    return status;
}

/* Contacts are thinner than any step that suits the motion as a whole, and one may have begun just
 * now: steps a hundred times smaller are tried until two orders agree, or rounding is what they
 * differ by. */
static const double AGREED = 1e-9;
enum { LEVELS = 6 };

/* Steps that move places by less than so many of their roundings tell nothing of what depends on
 * places: differences agree there because nothing moves. */
static const double SEEN = 1e2;

/* The shortest of such steps, where places are as far as `far` from the origin. */
static double shortest_step(const nt_problem *p, const nt_variation *d, double far)
{
    double largest = 0;
    for (int j = 0; j < p->nv; j++)
        if (p->quantity[j] == NT_LENGTH)
            largest = fmax(largest, fabs(d->q[j]));
    return largest > 0 ? SEEN * DBL_EPSILON * far / largest : 0;
}

/* d(power) along direction i at a state. */
static nt_status vary_power(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                            double *derivative)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    int k = s->route[i].parameter;
    nt_energy own = {0};
    nt_point point = nt_sensitivity_point(s, at);
    nt_status status = system->energy_tangent
                           ? system->energy_tangent(system->self, &point, k, &own)
                           : NT_UNSUPPORTED;
    bool differenced = status == NT_UNSUPPORTED;
    double step = nt_sensitivity_reach(p, nt_phase_point(at), nt_variation_to_read(d));
    if (differenced) {
        step = fmin(step, 1e-2 * nt_parameter_scale(s, k));
        status = NT_OK;
    }
    double reach = step, best = 0, least = (double)INFINITY, far = 1;
    for (int j = 0; j < p->nq; j++)
        far = fmax(far, fabs(at->q[j]));
    if (system->hold_onsets)
        system->hold_onsets(system->self, &point);
    double shortest = shortest_step(p, d, far);
    for (int attempt = 0; attempt < LEVELS && status == NT_OK; attempt++, step *= 1e-2) {
        if (attempt > 0 && step < shortest)
            break;
        double here, gap, rounding;
        status =
            difference_power(s, i, at, d, step, reach, far, differenced, &here, &gap, &rounding);
        if (gap + rounding < least) {
            least = gap + rounding;
            best = here;
        }
        if (gap <= fmax(AGREED * fabs(here), rounding))
            break;
    }
    if (system->hold_onsets)
        system->hold_onsets(system->self, NULL);
    *derivative = own.power + best;
    nt_status back = differenced ? system->set_parameters(system->self, s->p) : NT_OK;
    return status != NT_OK ? status : back;
}

/* ---- states within a step ------------------------------------------------------------------- */

/* The state at node k of the step now -> next, and its variations into s->inner[n][stride]: by the
 * method's own dense output where it has one. Memory is that of the start. */
static nt_status vary_node(nt_sensitivity *s, int k, double h, nt_phase *node)
{
    nt_integrator *it = s->integrator;
    nt_stepper *stepper = &it->stepper;
    const nt_phase *now = &stepper->now, *next = &stepper->next;
    const nt_directions *all = &s->directions;
    double t = now->all[NT_PHASE_T] + nt_work_node[k] * h;
    nt_status status = nt_integrator_between(it, now, next, t, node);
    if (status != NT_OK)
        return status;
    nt_stepper own;
    if ((status = nt_sensitivity_stepper(s, &own)) != NT_OK)
        return status;
    status = it->method->vary_dense
                 ? it->method->vary_dense(&own, now, next, t, all, s->now, s->next, s->inner)
                 : NT_UNSUPPORTED;
    for (int i = 0; i < s->n; i++) {
        nt_variation first = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        nt_variation last = nt_sensitivity_variation(s, s->next, i, NT_APART_LAST);
        nt_variation inner = nt_variation_at(it->problem, all, s->inner, i);
        if (status == NT_UNSUPPORTED)
            nt_sensitivity_difference_dense(s, now, &first, next, &last, t, node, inner.q);
        memcpy(inner.memory, first.memory, (size_t)it->problem->system->n_memory * sizeof(double));
    }
    return status == NT_UNSUPPORTED ? NT_OK : status;
}

/* ---- work ----------------------------------------------------------------------------------- */

/* d(power) of direction i at a node, which varies by `varied`. Methods whose multipliers belong
 * within the step have those of its end at all nodes (method/work.c). */
static nt_status vary_power_at_node(nt_sensitivity *s, int i, const nt_phase *at, double *varied,
                                    double *derivative)
{
    const nt_stepper *stepper = &s->integrator->stepper;
    nt_phase node = *at;
    nt_variation d = varied == s->inner
                         ? nt_variation_at(stepper->problem, &s->directions, varied, i)
                         : nt_sensitivity_variation(s, varied, i, NT_APART_STATE);
    if (s->integrator->method->needs & NT_MULTIPLIERS_WITHIN) {
        nt_variation last = nt_sensitivity_variation(s, s->next, i, NT_APART_LAST);
        node.lambda = stepper->next.lambda, node.mu = stepper->next.mu;
        d.lambda = last.lambda, d.mu = last.mu;
    }
    return vary_power(s, i, &node, &d, derivative);
}

nt_status nt_sensitivity_vary_work(nt_sensitivity *s, double h)
{
    nt_stepper *stepper = &s->integrator->stepper;
    const nt_method *method = s->integrator->method;
    nt_phase inner = nt_sensitivity_phase(s, NT_SENSITIVITY_NODE);
    nt_status status = NT_OK;
    for (int k = 0; k < NT_WORK_NODES && status == NT_OK; k++) {
        bool first = k == 0, last = k == NT_WORK_NODES - 1;
        const nt_phase *at = first ? &stepper->now : last ? &stepper->next : &inner;
        double *varied = first ? s->now : last ? s->next : s->inner;
        if (!nt_work_looks(method, k))
            continue;
        if (!first && !last)
            status = vary_node(s, k, h, &inner);
        for (int i = 0; i < s->n && status == NT_OK; i++)
            status = vary_power_at_node(s, i, at, varied, &s->power[NT_WORK_NODES * i + k]);
    }
    for (int i = 0; i < s->n && status == NT_OK; i++) {
        double *power = s->power + NT_WORK_NODES * i;
        nt_work_fill(method, power);
        s->work_before[i] = s->work[i];
        s->work[i] += h * nt_work_within(power, 1);
    }
    return status;
}
