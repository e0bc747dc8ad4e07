/* Frames and maps for systems that do not know them: see adapter.c. */
#ifndef NUTATE_SYSTEM_ADAPTER_H
#define NUTATE_SYSTEM_ADAPTER_H

#include "system/problem.h"

/* Memory for the adapter when the problem needs one: its frame differs from the system's, or the
 * system ignores map and turn. */
nt_status nt_adapter_create(nt_problem *problem);
nt_status nt_adapter_evaluate(const nt_problem *problem, const nt_point *at, const nt_terms *terms);

/* system->parameter_tangent in the problem's frame. */
nt_status nt_adapter_parameter_tangent(const nt_problem *problem, const nt_point *at, int k,
                                       const nt_terms *terms);

#endif
