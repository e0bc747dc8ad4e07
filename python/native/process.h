/* What belongs to the process. */
#ifndef NUTATE_PYTHON_PROCESS_H
#define NUTATE_PYTHON_PROCESS_H

#include <stdint.h>

/* Whether the interpreter with this number is the first one of the process that asks. */
int py_claim(uintptr_t interpreter);

#endif
