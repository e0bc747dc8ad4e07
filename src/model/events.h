/* What happens in a model at one instant: nt_events of its system. */
#ifndef NUTATE_MODEL_EVENTS_H
#define NUTATE_MODEL_EVENTS_H

#include "model/model.h"

/* Room in the discrete memory, behind that of elements; the model's nt_events. */
void nt_model_lay_out_events(nt_model *model);

/* What `accept` hands on of all that is held. */
void nt_run_keep_held(const nt_run *run, const double *memory, double *next);

#endif
