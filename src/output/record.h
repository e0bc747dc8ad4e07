/* What a record keeps: for record.c and what stands beside it. */
#ifndef NUTATE_OUTPUT_RECORD_H
#define NUTATE_OUTPUT_RECORD_H

#include "base/arena.h"
#include "model/quantities/sampler_tangent.h"
#include "output/inner.h"
#include "output/seen.h"

#include <nutate/output.h>

/* Numbers of the account of a row: energies, largest constraint equations, counts. */
enum { ENERGIES = 4, LEVELS = 2, COUNTS = 4, ACCOUNT = ENERGIES + LEVELS + COUNTS };

struct nt_record {
    nt_arena arena;
    nt_run *run;
    const nt_model *model;
    nt_result_writer *result;                                        /* NULL: no files */
    nt_status (*take_row)(void *taker, const double *values, int n); /* NULL: nobody does */
    void *taker;
    long taken;                 /* rows */
    int (*stop)(void *context); /* NULL: never */
    void *context;

    nt_quantity_info *quantities; /* [n_quantities] */
    int n_quantities, n_columns;
    bool needs_reactions, needs_energy, needs_drift, needs_accelerations;
    nt_sampler sampler;
    double *reactions;       /* [nh + nn] where needed */
    double *row;             /* [n_columns] time first; behind it poses, loads, the account */
    nt_quantity_info *poses; /* [2 n_bodies] position, orientation (no columns: of a point) */
    int n_bodies;            /* whose poses are written, 0: of none                         */
    int *loads;              /* [n_loads] elements whose forces are written with the poses  */
    int n_loads;
    nt_inner inner;          /* forces in bearings and beams, written with the poses */
    bool accounts;           /* energies, drift and counts of the run are written with the poses */
    double account[ACCOUNT]; /* of the row */

    nt_sensitivity *sensitivity; /* NULL: no derivatives, or those of each row            */
    int *parameters;             /* [n_parameters] their numbers in the system            */
    int n_parameters;
    int n_first; /* columns before the quantities: 1, time */
    nt_tangent_sampler tangents;
    double *values;         /* [values] of all quantities in turn                         */
    double *derivatives;    /* [n_parameters][values]                                      */
    double *reaction_rates; /* [nh + nn] where needed                                      */
    int n_values;
    double length; /* m, weighs moments against forces in reactions */

    double start, every; /* s: rows at start + k every, every = 0: after each step */
    long next;           /* k of the next row                                      */
    double last;         /* s, time of the last row; NaN before the first           */
    nt_seen seen;        /* that row */

    struct {
        double *values, *beside, *by; /* [n_values] at the last state, beside it; differences  */
        double *largest[2];           /* [n_quantities] of the rows since their number was a power
                                         of two, of those before */
        double *numbers;              /* [nq + nv] scratch */
        long rows;
    } rounding; /* see record_rounding.c */

    struct {
        double *residual; /* [nv] */
        double t, by, of; /* s; by how much which equation of which row is off most, N or N m */
        long rows;        /* that are off */
        int unknown;
    } unbalanced; /* see record_balance.c */
};

/* Memory for what follows: NT_OK or NT_NO_MEMORY. */
nt_status nt_record_take_unbalanced(nt_record *record);
/* Of a row whose accelerations and multipliers are the method's, as the equations give none. */
void nt_record_keep_unbalanced(nt_record *record, const nt_state *state);
/* Words for such rows; 0 where there is nothing to say. */
int nt_record_tell_unbalanced(const nt_record *record, char *text, int size);

/* Memory for what follows: NT_OK or NT_NO_MEMORY. */
nt_status nt_record_take_rounding(nt_record *record);
/* Of the values of a row, all quantities in turn: how large they are. */
void nt_record_keep_largest(nt_record *record, const double *values);

#endif
