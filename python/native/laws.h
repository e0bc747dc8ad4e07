/* Forces and joints whose laws are functions of Python: the types `python` of the sections `forces`
 * and `joints`. */
#ifndef NUTATE_PYTHON_LAWS_H
#define NUTATE_PYTHON_LAWS_H

#include <nutate/nutate.h>

/* Adds the types to those of the library; a second time does nothing. */
nt_status py_add_laws(nt_error *error);

#endif
