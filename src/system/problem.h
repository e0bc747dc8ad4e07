/* A system as a method works on it: bound to a frame, with its block graph and the kinds of its
 * unknowns. Nothing here changes after nt_problem_create but the scratch of evaluations and which
 * rows are off: matrices and factors are their owners' (factors.h). Internal to the system layer
 * and above. */
#ifndef NUTATE_SYSTEM_PROBLEM_H
#define NUTATE_SYSTEM_PROBLEM_H

#include "base/arena.h"
#include "base/pool.h"
#include "base/vector3.h"
#include "linalg/pattern.h"

#include <nutate/system.h>
#include <stdbool.h>

typedef struct nt_problem {
    const nt_system *system;
    nt_frame frame; /* of v, increments and moment rows here */
    nt_space space;
    int nq, nv, nh, nn, nc, n; /* nc = nh + nn, n = nv + nc */
    const nt_pattern *pattern;
    unsigned char *quantity; /* [n] nt_quantity of the unknowns (v, lambda, mu), so of equations */
    int *diagonal; /* [nv] where the diagonal entry of each v unknown is in a matrix' values */

    /* Constraint rows that are switched off: their residual is zero at every level, and they are
     * among the rows that factors leave out. off[n_off], counted from the first row, ascending;
     * NULL until a row is switched. */
    int *off, n_off;
    unsigned char *is_off; /* [nc] scratch; NULL where nothing switches rows */

    double length;        /* m, the system's own measure of angles against lengths */
    nt_stop_request stop; /* asked besides that of the system */
    bool unasked;         /* what is computed is brought to its end: nobody is asked */

    /* the adapter's work; see adapter.c */
    struct nt_adapter *adapter;
    struct nt_rigid *rigid; /* of the frame NT_SE3, else NULL; see rigid.c */
    nt_arena arena;
    nt_pattern own_pattern;
} nt_problem;

/* Bind a system that was checked (system/check.h). Everything is allocated here. */
nt_status nt_problem_create(nt_problem **problem, const nt_system *system, nt_frame frame,
                            nt_error *error);
void nt_problem_destroy(nt_problem *problem);

static inline bool nt_system_stops(const nt_system *system)
{
    const nt_stop_request *stop = system->stop;
    return stop && stop->requested && stop->requested(stop->context) != 0;
}

/* Whether somebody wants what is computed to stop. What has several ways to go on after a failure
 * need not tell this one from others on each: it is the same answer until a step is accepted, a
 * row taken or a result handed over, where it is asked again. */
static inline bool nt_problem_stops(const nt_problem *problem)
{
    const nt_stop_request *own = &problem->stop;
    return !problem->unasked && ((own->requested && own->requested(own->context) != 0) ||
                                 nt_system_stops(problem->system));
}

/* The end of a public function that computes: NT_INTERRUPTED with words where it was asked to stop,
 * whatever its parts have made of that, else `status`. */
nt_status nt_problem_ends(const nt_problem *problem, nt_status status, nt_error *error);
nt_status nt_system_ends(const nt_system *system, nt_status status, nt_error *error);

/* Does job(context, from, to) for all blocks of the space; with_threads: by those that evaluate the
 * system, which pays where they evaluate tangents. What blocks share must be left alone. */
void nt_problem_for_blocks(const nt_problem *problem, nt_pool_part *job, void *context,
                           bool with_threads);
/* These blocks alone; the places of their numbers stay. */
static inline nt_space nt_space_part(const nt_space *space, int from, int to)
{
    nt_space part = *space;
    part.blocks += from;
    part.n_blocks = to - from;
    return part;
}

/* system->evaluate in the problem's frame: v, vdot, moment rows, map and increments are all in it.
 * Where the frames differ the residual is always computed (its rotation enters the tangent).
 * NT_INTERRUPTED where somebody wants it to stop. */
nt_status nt_problem_evaluate(const nt_problem *problem, const nt_point *at, const nt_terms *terms);

/* system->parameter_tangent in the problem's frame; NT_UNSUPPORTED where there is none. */
nt_status nt_problem_parameter_tangent(const nt_problem *problem, const nt_point *at, int k,
                                       const nt_terms *terms);

/* Room for off[nc], before the first row is switched. */
nt_status nt_problem_prepare_off(nt_problem *problem);
/* The rows that are off with this memory (NULL: that of the start), where the system has any. */
void nt_problem_take_rows(nt_problem *problem, const double *memory);

/* Whether v is another in the problem's frame than in the system's. */
bool nt_problem_changes_frame(const nt_problem *problem);

/* v[nv] and vdot[nv] of the problem's frame in another: accelerations in ground axes gain R (W x V)
 * where velocities are in body axes. vdot may be NULL, then vdot_to is zero. */
void nt_problem_rates(const nt_problem *problem, nt_frame to, const double *q, const double *v,
                      const double *vdot, double *v_to, double *vdot_to);
/* The way back: v[nv] and vdot[nv] of the frame `from` in the problem's. */
void nt_problem_rates_from(const nt_problem *problem, nt_frame from, const double *q,
                           const double *v, const double *vdot, double *v_to, double *vdot_to);

static inline bool nt_problem_is_off(const nt_problem *problem, int row)
{
    for (int i = 0; i < problem->n_off; i++)
        if (problem->off[i] == row)
            return true;
    return false;
}

/* Numbers of a map (nt_combination) for each rotation: 3 x 3, or 6 x 6 of rigid motions. */
static inline size_t nt_problem_map_size(const nt_problem *problem)
{
    return problem->frame == NT_SE3 ? 36 : 9;
}

/* x[6] = A x, A[6][6] of a rigid motion */
static inline void nt_motion_map(const double *A, double *x)
{
    double y[6];
    for (int i = 0; i < 6; i++, A += 6)
        y[i] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2] + A[3] * x[3] + A[4] * x[4] + A[5] * x[5];
    for (int i = 0; i < 6; i++)
        x[i] = y[i];
}

/* Words for entry i of v; those of its equation where the system has no others. */
void nt_problem_coordinate_name(const nt_problem *problem, int i, char *text, int size);
/* Words for equation i: of motion, then of constraints. */
void nt_problem_equation_name(const nt_problem *problem, int i, char *text, int size);

/* Where an iteration ended with `status`: what of the system may leave it without a solution, as
 * nt_system.ill_posed says; `part` stays as it is where nothing does. */
void nt_problem_ill_posed(const nt_problem *problem, nt_status status, nt_error *part);

/* Relative difference between tangent and central differences; see nt_system_check_tangent. */
nt_status nt_problem_check_tangent(const nt_problem *problem, const nt_point *at, double step,
                                   double *difference, nt_error *error);

/* Weight of an unknown in norms that mix lengths and angles: 1 or length, m. */
static inline double nt_problem_weight_by(const nt_problem *problem, int unknown, double length)
{
    return problem->quantity[unknown] == NT_ANGLE ? length : 1;
}
static inline double nt_problem_weight(const nt_problem *problem, int unknown)
{
    return nt_problem_weight_by(problem, unknown, problem->length);
}

/* ---- for adapter.c and rigid.c -------------------------------------------------------------- */

/* A matrix that lives as long as the problem. */
nt_status nt_problem_take_matrix(nt_problem *problem, const nt_pattern *pattern, nt_matrix *matrix);

/* The combination that asks for one derivative alone, of forces and of rows: in vdot (0), in v (1)
 * or in q (2). Multiplier columns come with the first. */
static inline nt_combination nt_derivative_alone(int which, const nt_combination *wanted)
{
    return (nt_combination){.mass = which == 0,
                            .damping = which == 1,
                            .stiffness = which == 2,
                            .row_mass = which == 0,
                            .row_damping = which == 1,
                            .row_stiffness = which == 2,
                            .multiplier = which == 0 ? wanted->multiplier : 0};
}

/* Q^T times three rows of a matrix with this width. */
static inline void nt_turn_rows(double *rows, int width, m3 Q)
{
    for (int j = 0; j < width; j++, rows++) {
        v3 column = m3_apply_transposed(Q, v3_of(rows[0], rows[width], rows[2 * width]));
        rows[0] = column.x, rows[width] = column.y, rows[2 * width] = column.z;
    }
}

#endif
