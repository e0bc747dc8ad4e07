/* A whole run between two calls from Python: steps, rows, objectives, without the interpreter. */
#ifndef NUTATE_PYTHON_INTEGRATE_H
#define NUTATE_PYTHON_INTEGRATE_H

#include <nutate/nutate.h>

/* Rows of a result in memory: values[n][columns]. */
typedef struct py_rows {
    double *values; /* NULL at first; of malloc, to be freed by py_rows_free */
    long n, room;
    int columns;
} py_rows;

/* For nt_record_setup.take_row, with a py_rows whose columns are set as its taker. */
nt_status py_rows_take(void *rows, const double *values, int n);
void py_rows_free(double *values);

typedef struct py_motion {
    nt_run *run;
    nt_integrator *integrator;  /* started */
    nt_record *record;          /* NULL: no rows       */
    nt_objectives *objectives;  /* NULL: none          */
    py_rows *events;            /* NULL: none is kept; t, number, energy before, after, lost */
    double start, end, step;    /* s; steps end at start + k step, or are variable            */
    int (*look)(void *context); /* asked about every twentieth of a second; not 0: stop there */
    void *context;
    /* what the run came to, filled in at its end */
    const nt_quantity_info *energy; /* of the model; NULL: none                             */
    double energies[2][4];          /* J, kinetic, potential, total, work: begin and end    */
    int has_energy, ended;          /* by which event, -1: by none                          */
    nt_statistics took;
    double drift[2], seconds; /* of positions and velocities; s, wall time                 */
    char warning[600];        /* of an energy that grows; ""                               */
    nt_error error;           /* of a row or an objective, which ended the run */
    double looked_at;         /* s, clock: when `look` was last asked          */
    double read_at;           /* s, clock: when the clock was last read        */
    int quick;                /* steps that go by before it is read again      */
} py_motion;

/* Advance to the end, with the rows of the begin, of output times and of the end; after a failure
 * the last row is that of the last state. NT_INTERRUPTED where `look` stopped it. */
nt_status py_integrate(py_motion *motion, nt_error *error);

/* Advance from where the integrator stands to motion->end, without rows of begin and end. */
nt_status py_advance(py_motion *motion, nt_error *error);

#endif
