/* Consistent initial positions and velocities of a model. */
#ifndef NUTATE_MODEL_ASSEMBLE_H
#define NUTATE_MODEL_ASSEMBLE_H

#include "model/model.h"

/* Place what the file leaves out, check or correct what it gives, and find velocities; fills
 * initial_q, initial_v, initial_memory, redundant, length, corrections. NT_BAD_MODEL at the place
 * of the joint that cannot be satisfied, with the amount. */
nt_status nt_run_assemble(nt_run *run, bool validate, nt_error *error);

/* For a model that is assembled many times: what does not change from one assembly to the next is
 * made once. nt_assembly_place renews neither `redundant` nor `corrections`, and leaves the model's
 * length as it was measured before the assembly. */
typedef struct nt_assembly nt_assembly;
nt_status nt_assembly_create(nt_assembly **assembly, nt_run *run, nt_error *error);
void nt_assembly_destroy(nt_assembly *assembly); /* NULL is nothing */
nt_status nt_assembly_place(nt_assembly *assembly, bool validate, nt_error *error);

#endif
