/* What belongs to the process. */
#ifndef NUTATE_PYTHON_PROCESS_H
#define NUTATE_PYTHON_PROCESS_H

#include <nutate/nutate.h>
#include <stdint.h>

/* Whether the interpreter with this number is the first one of the process that asks. */
int py_claim(uintptr_t interpreter);

/* For nt_run_stop_when and nt_integrator_setup.stop: lets the signals of the interpreter in, about
 * twenty times a second, and says from then on whether one of them has raised something in this
 * thread, until py_stop_over. The context is not looked at. */
int py_stop_asked(void *context);
void py_stop_over(void);

/* A model with the number of objects that need it. The interpreter frees objects that refer to each
 * other in any order; what is made of a model holds it, and the last one that lets go frees it. */
typedef struct py_hold py_hold;

/* One holder, of a model that belongs to it from then on. NULL when memory is out: the model is
 * then freed. */
py_hold *py_hold_create(nt_model *model);
py_hold *py_hold_take(py_hold *hold); /* one more; returns it */
void py_hold_drop(py_hold *hold);     /* one less; NULL is nothing */

#endif
