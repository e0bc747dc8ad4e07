/* What belongs to the process. */
#ifndef NUTATE_PYTHON_PROCESS_H
#define NUTATE_PYTHON_PROCESS_H

#include <nutate/nutate.h>
#include <stdint.h>

/* Whether the interpreter with this number is the first one of the process that asks. */
int py_claim(uintptr_t interpreter);

/* A model with the number of objects that need it. The interpreter frees objects that refer to each
 * other in any order; what is made of a model holds it, and the last one that lets go frees it. */
typedef struct py_hold py_hold;

/* One holder, of a model that belongs to it from then on. NULL when memory is out: the model is
 * then freed. */
py_hold *py_hold_create(nt_model *model);
py_hold *py_hold_take(py_hold *hold); /* one more; returns it */
void py_hold_drop(py_hold *hold);     /* one less; NULL is nothing */

#endif
