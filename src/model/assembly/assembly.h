/* What the parts of the assembly share (assemble.c, assemble_correct.c, assemble_words.c). */
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
    unsigned char *given; /* [nv] 1: the file gives it, so it stays, or is corrected least      */
    unsigned char *fixed; /* [nv] unknowns that may not move now                                */
    double *rows;         /* [nc]                                                               */
    nt_tie *ties;         /* [n_bodies] velocities given at a point off the centre of mass      */
    int n_ties;
    double *dv;           /* [nv] a Gauss-Newton step                                            */
    double *trial;        /* [nq] the configuration after part of that step                      */
    double *begin, *best; /* [nq] where settling began, and the best configuration it found      */
    /* where given values may be corrected, else NULL */
    double *light;             /* [nv] weights of a correction                                  */
    bool corrects;             /* given positions are being moved, by these weights             */
    double *offset;            /* [nv] how far positions are from those given                   */
    double *way, *before;      /* [nv] increment of this approach, and of the one before        */
    double *from;              /* [nq] where this approach began                                */
    double *q_given, *v_given; /* [nq], [nv] before anything moved                              */
    nt_arena arena;
};

/* The model's initial values as a point of its system. */
nt_point nt_assembly_point(const nt_assembly *a);

/* rows[nc] at configuration q, and the largest in units of its scale; *worst is its number. */
nt_status nt_assembly_measure(nt_assembly *a, const double *q, nt_level level, double *size,
                              int *worst);

/* Gauss-Newton steps from where the model stands, down to rounding or until none improves it; *size
 * is what the worst row is off by then, in units of its scale. `nearby` begins again from
 * placements beside it where that fails. */
nt_status nt_assembly_settle(nt_assembly *a, double *size);
nt_status nt_assembly_settle_nearby(nt_assembly *a, double *size);

/* Adds to initial_v the change of least kinetic energy that makes the velocity rows zero, among
 * those that `step` allows. *change is its largest part in a velocity that the file gives. */
nt_status nt_assembly_change_velocities(nt_assembly *a, nt_projection *step, double *change);

/* `initial: {correct: true}`: given values that contradict a joint move, by as little as possible.
 * `size` in: what is left of the constraints with given values held; out: with them moved. */
nt_status nt_assembly_correct_positions(nt_assembly *a, double *size);
nt_status nt_assembly_correct_velocities(nt_assembly *a);
/* Where an element has put its own bodies by itself, no value that is given was corrected. */
void nt_assembly_take_found(nt_assembly *a, const nt_element *element);
/* What moved, in words: run->corrections. */
nt_status nt_assembly_report(nt_assembly *a);

/* Refusals. A row that no placement or velocity satisfies: "joint j cannot be satisfied by WHAT:
 * position along x is off by 0.1 m", at the joint's place; where the values given are
 * `correctable`, with the key that does so. */
nt_status nt_assembly_contradiction(const nt_assembly *a, int row, bool velocity, const char *what,
                                    bool correctable, nt_error *error);
/* The equations of the start have no solution: the place of the unknown where that shows. */
nt_status nt_assembly_no_solution(const nt_assembly *a, nt_status status, const char *what,
                                  nt_error *error);
/* They have no value: the element's place. */
nt_status nt_assembly_no_value(const nt_assembly *a, nt_status status, const char *what,
                               nt_error *error);
/* A body whose place or velocity is not finite, or too far away; NT_OK where there is none. */
nt_status nt_assembly_refuse_places(const nt_assembly *a, nt_error *error);

#endif
