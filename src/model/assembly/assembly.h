/* What the parts of the assembly share (assemble.c, assemble_correct.c). */
#ifndef NUTATE_MODEL_ASSEMBLY_H
#define NUTATE_MODEL_ASSEMBLY_H

#include "model/assembly/assemble.h"
#include "system/factors.h"

/* A loop counts as closed, a given value as consistent, when the joint is off by less than this
 * times the model's length (positions) or 1 rad (angles): far above rounding, far below drawing
 * accuracy. */
#define NT_CLOSED 1e-8

struct nt_assembly {
    nt_run *run;
    nt_problem *problem;
    nt_factors *factors;
    bool *placed;         /* [n_bodies]                                                         */
    unsigned char *given; /* [nv] what the file gives: it may not move, or moves least          */
    unsigned char *fixed; /* [nv] unknowns that may not move now                                */
    double *rows;         /* [nc]                                                               */
    nt_tie *ties;         /* [n_bodies] given velocities off the centre of mass                 */
    int n_ties;
    double *dv;           /* [nv] a step                                                         */
    double *trial;        /* [nq]                                                                */
    double *begin, *best; /* [nq] of settling                                                    */
    /* where given values may be corrected, else NULL */
    double *light;             /* [nv] weights of a correction                                  */
    bool corrects;             /* positions move by these weights now                           */
    double *offset;            /* [nv] how far from what is given                               */
    double *way, *before;      /* [nv] of an approach, and the one before                       */
    double *from;              /* [nq] of an approach                                           */
    double *q_given, *v_given; /* [nq], [nv] before anything moved                              */
    nt_arena arena;
};

/* The model's initial values as a point of its system. */
nt_point nt_assembly_point(const nt_assembly *a);

/* rows[nc] at configuration q, and the largest in units of its scale; *worst is its number. */
nt_status nt_assembly_measure(nt_assembly *a, const double *q, nt_level level, double *size,
                              int *worst);

/* Gauss-Newton steps from where the model stands, to rounding or until nothing improves; *size is
 * what is left. nearby: where that fails, also from placements beside it. */
nt_status nt_assembly_settle(nt_assembly *a, double *size);
nt_status nt_assembly_settle_nearby(nt_assembly *a, double *size);

/* initial_v += the change of least kinetic energy that takes the rows of velocities to zero, as far
 * as `step` lets it; *change is the largest part of it in what is given. */
nt_status nt_assembly_change_velocities(nt_assembly *a, nt_projection *step, double *change);

/* `initial: {correct: true}`: given values that contradict a joint move, by as little as possible.
 * `size` in: what is left of the constraints with given values held; out: with them moved. */
nt_status nt_assembly_correct_positions(nt_assembly *a, double *size);
nt_status nt_assembly_correct_velocities(nt_assembly *a);
/* What moved, in words: run->corrections. */
nt_status nt_assembly_report(nt_assembly *a);

#endif
