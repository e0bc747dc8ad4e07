/* What a model that is read has to find: static states and unknown parameters. */
#ifndef NUTATE_ANALYSIS_RUN_STATIC_H
#define NUTATE_ANALYSIS_RUN_STATIC_H

#include "model/model.h"

/* Find the unknowns and, where the model begins there, the static state of a model that is built;
 * from now on its runs do so whenever parameters are set. */
nt_status nt_model_settle(nt_model *model, nt_error *error);

#endif
