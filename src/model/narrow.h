/* Functions of time that change and come back within one step. Internal to the model. */
#ifndef NUTATE_MODEL_NARROW_H
#define NUTATE_MODEL_NARROW_H

#include "model/model.h"

/* The i-th of them: whose key it is, and where (s) it leaves what the ends of a step tell by most.
 * 0 where there are not so many, where there is no duration or step, and where the run has too many
 * steps to look into each. */
int nt_model_narrow(const nt_model *model, double start, double end, double step, int i,
                    const nt_element **element, const char **key, double *t);

/* The longest step, s, with which no pulse between two times (s) is passed over: functions of time
 * that are at rest for most of it. Infinite where there is none. NT_NO_MEMORY. */
nt_status nt_run_longest_step(const nt_run *run, double start, double end, double *longest);

#endif
