/* Derivatives in parameters as a caller asks for them: preparation, initial values, energies. */
#include "base/error.h"
#include "model/evaluate.h"
#include "model/events/onsets.h"
#include "model/events/switches.h"
#include "model/parameters/parameter.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A constraint that initial values leave open by this much per relative change of the parameter, in
 * units of the row: far above what an assembly leaves (1e-13), far below a design change. */
static const double OPEN = 1e-8;

static nt_status check_number(const nt_run *run, int k, nt_error *error)
{
    if (k >= 0 && k < run->model->n_parameters)
        return NT_OK;
    return nt_fail(error, NT_INVALID, "parameter %d, expected a number from 0 to %d", k,
                   run->model->n_parameters - 1);
}

nt_status nt_run_prepare_parameters(nt_run *run, const int *parameters, int n, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run", run);
    if (parameters)
        NT_NEED_COUNT(error, "n", n);
    nt_status status = NT_OK;
    int count = parameters ? n : run->model->n_parameters;
    for (int i = 0; i < count && status == NT_OK; i++) {
        int k = parameters ? parameters[i] : i;
        status = check_number(run, k, error);
        if (status == NT_OK)
            status = nt_parameter_rates_find(run, k, error);
    }
    return nt_said(error, status);
}

nt_status nt_run_initial_tangent(nt_run *run, int k, double *dq, double *dv, double *dmemory,
                                 nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run dq dv", run, dq, dv);
    const nt_system *system = &run->system;
    nt_status status = check_number(run, k, error);
    if (status == NT_OK)
        status = nt_parameter_rates_find(run, k, error);
    if (status != NT_OK)
        return nt_said(error, status);
    const nt_parameter_rates *rates = &run->rates[k];
    if (rates->open_row >= 0 && fabs(rates->opening) * rates->scale > OPEN) {
        char equation[160];
        const nt_parameter *p = &run->model->parameters[k];
        nt_run_equation_name(run, system->space.nv + rates->open_row, equation,
                             (int)sizeof equation);
        return nt_fail_at(error, NT_INCONSISTENT, run->model->file, p->place.line, p->place.column,
                          "initial %s cannot follow parameter %s: %s opens by %.3g per unit",
                          rates->open_level == NT_POSITION ? "positions" : "velocities", p->name,
                          equation, rates->opening);
    }
    if (run->model->settling && run->model->simulation.static_initial)
        return nt_said(error,
                       run->model->settling->initial_tangent(run, k, dq, dv, dmemory, error));
    memcpy(dq, rates->dq, (size_t)system->space.nv * sizeof *dq);
    memcpy(dv, rates->dv, (size_t)system->space.nv * sizeof *dv);
    if (dmemory && system->n_memory > 0)
        memcpy(dmemory, rates->dmemory, (size_t)system->n_memory * sizeof *dmemory);
    return NT_OK;
}

nt_status nt_run_placement_tangent(void *self, int k, double *dq)
{
    nt_run *run = self;
    nt_status status = check_number(run, k, NULL);
    if (status == NT_OK)
        status = nt_parameter_rates_find(run, k, NULL);
    if (status == NT_OK)
        memcpy(dq, run->rates[k].dq, (size_t)run->system.space.nv * sizeof *dq);
    const nt_space *space = &run->system.space;
    for (int b = 0; b < space->n_blocks && status == NT_OK; b++)
        for (int i = 0; space->blocks[b].kind == NT_FIRST && i < space->blocks[b].nv; i++)
            dq[space->blocks[b].v + i] = run->rates[k].dv[space->blocks[b].v + i];
    return status;
}

nt_status nt_run_own_initial_tangent(void *self, double t, int k, double *dq, double *dv,
                                     double *dmemory)
{
    nt_run *run = self;
    if (!nt_run_has_parameter(run, k))
        return NT_INVALID;
    if (t != run->model->simulation.start)
        return NT_UNSUPPORTED;
    return nt_run_initial_tangent(run, k, dq, dv, dmemory, NULL);
}

/* ---- energies ------------------------------------------------------------------------------- */

/* Energies and powers are at most of fourth degree in the model's numbers but for contacts, stops
 * and friction: 1 % of the numbers' size is far beyond an indentation or a slip speed. Where
 * formulas of sixth and fourth order from these places differ by more than 1e-9, steps a hundred
 * times smaller are tried, down to 1e-12 of the size, for a contact may have begun so near, and the
 * best is taken. */
static const double FIRST_STEP = 1e-2, NEXT_STEP = 1e-2, AGREED = 1e-9;
enum { LEVELS = 6, N_ENERGIES = 3 };

/* Derivatives of kinetic and potential energy and power, and how far they may be off. */
typedef struct energy_slope {
    double of[N_ENERGIES], gap[N_ENERGIES], rounding[N_ENERGIES];
} energy_slope;

static void put_parameter(nt_run *run, const nt_point *at, int k, double s)
{
    if (run->model->parameters_change) /* a look may find another set of them */
        nt_run_take_set_beside(run, at->memory, k, s);
    else
        nt_parameter_rates_put(run, &run->rates[k], s);
}

/* reach: that moves the numbers by their own size, to which they are rounded; side: of
 * nt_difference_side. */
static nt_status difference_energy(nt_run *run, int parameter, const nt_point *at, double h,
                                   double reach, int side, energy_slope *out)
{
    nt_status status = NT_OK;
    double fourth[N_ENERGIES] = {0}, largest[N_ENERGIES] = {0};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < (side ? NT_ONE_SIDED : 6) && status == NT_OK; i++) {
        int place = i / 2, sign = side ? side : i % 2 ? -1 : 1;
        double sixth = side ? NT_SIDE_SIXTH[i] : NT_SIXTH[place];
        double other = side ? NT_SIDE_FOURTH[i] : NT_FOURTH[place];
        nt_energy energy;
        put_parameter(run, at, parameter, sign * (side ? i : place + 1) * h);
        status = nt_run_energy_beside(run, at, &energy);
        const double value[N_ENERGIES] = {energy.kinetic, energy.potential, energy.power};
        for (int k = 0; k < N_ENERGIES; k++) {
            out->of[k] += sign * sixth * value[k] / h;
            fourth[k] += sign * other * value[k] / h;
            largest[k] = fmax(largest[k], fabs(value[k]));
        }
    }
    for (int k = 0; k < N_ENERGIES; k++) {
        out->gap[k] = fabs(out->of[k] - fourth[k]);
        out->rounding[k] = DBL_EPSILON * (largest[k] + reach * fabs(out->of[k])) / h;
    }
    return status;
}

/* The side to which differences over h pass no place where a force begins; 0: to both. */
static int open_side(nt_run *run, int parameter, const nt_point *at, double h)
{
    double *g[3] = {run->onsets_beside[0], run->onsets_beside[1], run->onsets_beside[2]};
    bool known = run->system.onsets;
    for (int i = 0; i < 3 && known; i++) {
        put_parameter(run, at, parameter, (i - 1) * 3 * h);
        known = nt_run_onsets(run, at, g[i]) == NT_OK;
    }
    return known ? nt_open_side(g, run->system.n_onsets) : 0;
}

nt_status nt_run_energy_tangent(void *self, const nt_point *at, int k, nt_energy *derivative)
{
    nt_run *run = self;
    if (!derivative || !nt_run_can_look(run, at, false) || !nt_run_has_parameter(run, k))
        return NT_INVALID;
    if (run->model->parameters_change)
        nt_run_take_set(run, at->memory);
    nt_status status = nt_parameter_rates_find(run, k, NULL);
    *derivative = (nt_energy){0};
    if (status != NT_OK)
        return status;
    const nt_parameter_rates *rates = &run->rates[k];
    nt_words all = {0, rates->n_words};
    double reach = nt_words_step(rates, all, fmin(1, run->length), rates->scale);
    double h = FIRST_STEP * reach;
    double best[N_ENERGIES] = {0}, least[N_ENERGIES] = {0};
    bool good = false, found = false;
    double room[2];
    nt_switches_room(run, at->t, at->memory, rates->variables, room);
    int side = nt_difference_side(room, &h);
    if (run->system.hold_onsets)
        run->system.hold_onsets(run, at);
    for (int level = 0; level < LEVELS && !good; level++, h *= NEXT_STEP) {
        energy_slope next;
        int open = side ? side : open_side(run, k, at, h);
        double step = open == side ? h : h * 3 / (NT_ONE_SIDED - 1); /* as far as to both sides */
        status = difference_energy(run, k, at, step, reach, open, &next);
        good = status == NT_OK; /* a load that has no value so far away may have one nearer */
        for (int i = 0; i < N_ENERGIES && status == NT_OK; i++) {
            double doubt = next.gap[i] + next.rounding[i];
            if (!found || doubt < least[i]) {
                best[i] = next.of[i];
                least[i] = doubt;
            }
            good = good && next.gap[i] <= fmax(AGREED * fabs(next.of[i]), next.rounding[i]);
        }
        found = found || status == NT_OK;
    }
    put_parameter(run, at, k, 0);
    if (run->system.hold_onsets)
        run->system.hold_onsets(run, NULL);
    *derivative = (nt_energy){.kinetic = best[0], .potential = best[1], .power = best[2]};
    return found ? NT_OK : status;
}

/* ---- how far they are off ------------------------------------------------------------------- */

double nt_run_parameter_error(const nt_run *run) { return run ? run->parameter_error : 0; }
