/* Objectives and named quantities: which recorded columns their expressions use. */
#ifndef NUTATE_MODEL_OBJECTIVE_H
#define NUTATE_MODEL_OBJECTIVE_H

#include "model/quantity.h"

/* The number of this quantity of one column among the model's columns, added where it is new; -1
 * when memory is out. */
int nt_model_column(nt_model *model, const nt_quantity_info *quantity);

#endif
