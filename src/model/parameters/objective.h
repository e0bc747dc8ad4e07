/* Objectives and named quantities: which recorded columns their expressions use. */
#ifndef NUTATE_MODEL_OBJECTIVE_H
#define NUTATE_MODEL_OBJECTIVE_H

#include "model/quantities/quantity.h"

/* The number of this quantity of one column among the model's columns, added where it is new; -1
 * when memory is out. */
int nt_model_column(nt_model *model, const nt_quantity_info *quantity);

/* The conditions of `solve` at a state, and how they change along a direction: as
 * nt_run_objective_values and nt_run_objective_tangent do it for objectives. */
nt_status nt_run_condition_values(nt_run *run, const nt_state *state, const double *reactions,
                                  double *out, nt_error *error);
nt_status nt_run_condition_rates(nt_run *run, const nt_state *state, const double *reactions,
                                 const nt_state_rate *rate, const double *reaction_rates,
                                 double *out, nt_error *error);

#endif
