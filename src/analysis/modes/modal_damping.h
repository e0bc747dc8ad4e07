/* The modes that a model damps (forces of the type modal_damping), when it has been built. */
#ifndef NUTATE_ANALYSIS_MODAL_DAMPING_H
#define NUTATE_ANALYSIS_MODAL_DAMPING_H

#include "model/model.h"

/* Finds them and hands them to the element; nothing where the model has no such element. Errors at
 * its place: NT_UNSUPPORTED with joints that roll, NT_INVALID for more modes than there are; as of
 * nt_reference_create. */
nt_status nt_model_find_modal_damping(nt_model *model, nt_error *error);

#endif
