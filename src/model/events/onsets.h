/* Where forces of a model begin and end with a slope: nt_system.onsets. */
#ifndef NUTATE_MODEL_ONSETS_H
#define NUTATE_MODEL_ONSETS_H

#include "model/model.h"

/* Adds an operation that bends where its argument passes a point; false: there is no memory. */
bool nt_model_bend(nt_model *model, int operation, const nt_expression *argument,
                   const nt_table *table);
/* Counts them, once the elements are prepared. */
void nt_model_count_onsets(nt_model *model);
/* See nt_system.onsets. */
nt_status nt_run_onsets(void *self, const nt_point *at, double *beyond);
/* See nt_system.hold_onsets. */
void nt_run_hold_onsets(void *self, const nt_point *at);

#endif
