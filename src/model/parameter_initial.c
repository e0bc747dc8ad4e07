/* Derivatives in parameters as a caller asks for them: preparation, initial values. */
#include "base/error.h"
#include "model/evaluate.h"
#include "model/parameter.h"

#include <math.h>
#include <string.h>

/* A constraint that initial values leave open by this much per relative change of the parameter, in
 * units of the row: far above what an assembly leaves (1e-13), far below a design change. */
static const double OPEN = 1e-8;

static nt_status check_number(const nt_model *model, int k, nt_error *error)
{
    if (k >= 0 && k < model->n_parameters)
        return NT_OK;
    return nt_fail(error, NT_INVALID, "parameter %d, expected a number from 0 to %d", k,
                   model->n_parameters - 1);
}

nt_status nt_model_prepare_parameters(nt_model *model, const int *parameters, int n,
                                      nt_error *error)
{
    nt_status status = NT_OK;
    int count = parameters ? n : model->n_parameters;
    for (int i = 0; i < count && status == NT_OK; i++) {
        int k = parameters ? parameters[i] : i;
        status = check_number(model, k, error);
        if (status == NT_OK)
            status = nt_parameter_rates_find(model, k, error);
    }
    return status;
}

nt_status nt_model_initial_tangent(nt_model *model, int k, double *dq, double *dv, double *dmemory,
                                   nt_error *error)
{
    const nt_system *system = &model->system;
    nt_status status = check_number(model, k, error);
    if (status == NT_OK)
        status = nt_parameter_rates_find(model, k, error);
    if (status != NT_OK)
        return status;
    const nt_parameter_rates *rates = &model->rates[k];
    if (rates->open_row >= 0 && fabs(rates->opening) * rates->scale > OPEN) {
        char equation[160];
        nt_model_equation_name(model, system->space.nv + rates->open_row, equation,
                               (int)sizeof equation);
        return nt_fail(error, NT_INCONSISTENT,
                       "%s: initial %s cannot follow parameter %s: %s opens by %.3g per unit",
                       model->file, rates->open_level == NT_POSITION ? "positions" : "velocities",
                       model->parameters[k].name, equation, rates->opening);
    }
    memcpy(dq, rates->dq, (size_t)system->space.nv * sizeof *dq);
    memcpy(dv, rates->dv, (size_t)system->space.nv * sizeof *dv);
    if (dmemory && system->n_memory > 0)
        memcpy(dmemory, rates->dmemory, (size_t)system->n_memory * sizeof *dmemory);
    return NT_OK;
}

nt_status nt_model_own_initial_tangent(void *self, double t, int k, double *dq, double *dv,
                                       double *dmemory)
{
    nt_model *model = self;
    if (t != model->simulation.start)
        return NT_UNSUPPORTED;
    return nt_model_initial_tangent(model, k, dq, dv, dmemory, NULL);
}

/* Along the straight line of the model's numbers, by 1 % of their size: energies and powers are at
 * most of fourth degree in them but for exponents and friction. */
nt_status nt_model_energy_tangent(void *self, const nt_point *at, int k, nt_energy *derivative)
{
    nt_model *model = self;
    nt_status status = nt_parameter_rates_find(model, k, NULL);
    *derivative = (nt_energy){0};
    if (status != NT_OK)
        return status;
    const nt_parameter_rates *rates = &model->rates[k];
    nt_words all = {0, rates->n_words};
    double h = 0.01 * nt_words_step(rates, all, fmin(1, model->length), rates->scale);
    for (int i = 0; i < 6 && status == NT_OK; i++) {
        int distance = i / 2 + 1, sign = i % 2 ? -1 : 1;
        double weight = sign * NT_SIXTH[distance - 1] / h;
        nt_energy energy;
        nt_parameter_rates_put(model, rates, sign * distance * h);
        status = nt_model_energy(model, at, &energy);
        derivative->kinetic += weight * energy.kinetic;
        derivative->potential += weight * energy.potential;
        derivative->power += weight * energy.power;
    }
    nt_parameter_rates_put(model, rates, 0);
    return status;
}

double nt_model_parameter_error(const nt_model *model) { return model->parameter_error; }
