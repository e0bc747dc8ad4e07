/* One implicit stage: the equations of the rotation integrators that take forces where the step
 * itself leads to.
 *
 * The unknown is psi [nv], the step's increment as each scheme parameterises it. Forces are taken
 * at time t + `time` h, place q_at(psi) and velocity v_at = (`rate`/h) psi + `start` v:
 *
 *   translations   `inertia`/h^2 m (psi - h v) - `earlier` f_0 - f_at = 0,  x_at = x + `place` psi
 *   rotations      rest(psi)                   - `earlier` T_0 - T_at = 0,  R_at = R by(psi)
 *
 * The unknown of Newton's iteration is e with dR_at = R_at (`place` e)~ and dpsi = X(psi) e. So
 * the system's tangent is asked for with dq = `place` e, dv = (`rate`/h) X e, and the rotations'
 * own inertia comes in closed form from the scheme: d rest = slope e. */
#ifndef NUTATE_METHOD_IMPLICIT_STAGE_H
#define NUTATE_METHOD_IMPLICIT_STAGE_H

#include "method/rotations/momenta.h"

/* A rotation of the stage at psi. */
typedef struct nt_turn {
    quat by;  /* R_at = R by */
    m3 X;     /* dpsi = X e  */
    v3 rest;  /* N m         */
    m3 slope; /* d rest/de   */
} nt_turn;

/* What else moves it: for the linearised step. */
typedef struct nt_moved_turn {
    m3 dJ;
    v3 dW, dPi; /* dPi = J dW + dJ W */
} nt_moved_turn;

typedef struct nt_stage {
    double time, place, rate, start, inertia, earlier;
    nt_turn (*turn)(double h, m3 J, v3 W, v3 psi);
    v3 (*vary)(double h, m3 J, v3 W, v3 psi, const nt_moved_turn *moved); /* d rest, psi held */
} nt_stage;

enum { NT_STAGE_OPTIONS = 4 };
extern const nt_option_key nt_stage_options[NT_STAGE_OPTIONS];

/* What a stage has found: arrays in scratch. */
typedef struct nt_staged {
    double *psi;  /* [nv]                                                  */
    double *push; /* [nv] (f_at/m, J^-1 T_at), evaluated at the final psi */
} nt_staged;

/* Solve the stage of a step now -> next over h. `push` at the start is that of now.method where
 * `earlier` is not 0. Options are those of nt_stage_options. NT_NOT_CONVERGED, NT_SINGULAR,
 * NT_NOT_FINITE. */
nt_status nt_stage_solve(nt_stepper *stepper, const nt_stage *stage, double h, nt_staged *found);

/* The slots of a method whose `scheme` is an nt_stage. Where `earlier` is not 0 the push is kept in
 * memory, and the step is AKW's own; `linearise` knows the ends of both. */
nt_status nt_stage_layout(const nt_problem *problem, const nt_options *options, nt_layout *layout,
                          nt_error *error);
nt_status nt_stage_step_by_midpoint(nt_stepper *stepper, double h);
nt_status nt_stage_linearise(nt_stepper *stepper, double h, const nt_directions *directions,
                             const double *before, double *after);

/* What their descriptors have in common. */
#define NT_STAGE_SLOTS                                                                             \
    .needs = NT_NEEDS_MOMENTA | NT_NEEDS_TANGENT | NT_RATES_WITHIN, .options = nt_stage_options,   \
    .n_options = NT_STAGE_OPTIONS, .frames = NT_IN_FRAME(NT_BODY), .layout = nt_stage_layout,      \
    .linearise = nt_stage_linearise

#endif
