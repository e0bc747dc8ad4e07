/* When functions of time alone pass points, whatever they are made of. */
#ifndef NUTATE_MODEL_PASSINGS_H
#define NUTATE_MODEL_PASSINGS_H

#include "model/model.h"

/* The passing that was found last, of one switch; it is looked for again where any of these has
 * changed. */
typedef struct nt_passing {
    double from, end, step; /* s, what was asked                                       */
    double at;              /* s, the first one after `from`; infinite: none to `end`  */
    double *values;         /* of the variables of the argument, but of the time       */
    double *partial;        /* likewise: scratch of derivatives                        */
    double *slope;          /* [n_parameters + 1] likewise, of parameters and the time */
} nt_passing;

/* Room for those of all switches of a run; NULL: there is no memory. */
nt_passing *nt_passings_take(const nt_model *model, nt_arena *arena);

/* The first time in (t, end] at which the argument of switch k passes a point; infinite: none.
 * step: s, the step that is asked for: what goes there and back within less than a quarter of it is
 * seen as far as its rate turns once. */
double nt_passing_next(const nt_run *run, int k, double t, double end, double step);

#endif
