/* The linear equations about a state of a system, in axes that turn.
 *
 * Small displacements y[nv] from a motion that is steady in axes which turn with Omega:
 * translations and rotations by a vector, both resolved in the turning axes. A body moves with v
 * and turns with w in the steady motion, so that its translation's and rotation's rates vary by
 *
 *   dv = y' + Omega~ y,        dv' = y'' + 2 Omega~ y' + Omega~ Omega~ y,
 *   dw = y' + (Omega - w)~ y,
 *   dw' = y'' + (2 Omega - w)~ y' + (Omega~ (Omega - w)~ - (w' - Omega x w)~) y
 *
 * (the rotation vector y turns R into exp(y~) R, so dw = y' + y x w in axes at rest). With R_vdot,
 * R_v, R_q of the system at the state the equations are, multipliers' variations l beside,
 *
 *   M y'' + C y' + K y + R_lambda l = 0,   C = R_v + R_vdot D3,   K = R_q + R_v D1 + R_vdot D2,
 *   Phi_q y = 0,   kappa_v y' + (kappa_q + kappa_v D1) y = 0.
 *
 * An entry of first order is its own rate's integral: y stands for the entry itself, its column of
 * C is that of R_vdot and its column of K that of R_v. Terms of w' - Omega x w vanish in a steady
 * motion; where the state is only frozen they belong to it.
 *
 * Multipliers, their columns and the rows of constraints stand in the matrices behind the
 * velocities (the bordered form); R_lambda, Phi_q and kappa_q in K, kappa_v in C. Internal to the
 * analyses. */
#ifndef NUTATE_ANALYSIS_PENCIL_H
#define NUTATE_ANALYSIS_PENCIL_H

#include "linalg/pattern.h"
#include "system/factors.h"

typedef struct nt_pencil {
    nt_problem *problem;
    nt_factors *rows;   /* chooses the independent constraint rows */
    nt_pattern pattern; /* the system's, every block full */
    int *slot;          /* [system's slots] the same block here */
    nt_matrix M, C, K;  /* n x n */
    nt_matrix shifted;  /* scratch of nt_pencil_factor */
    nt_solver *solver;
    unsigned char *first_order; /* [nv] */
    int n, nv, nh, nn;
    int *dropped, n_dropped; /* unknowns of rows that depend on others */
    double size;   /* 1/s, sqrt of the largest |K| over the largest |M|, lengths weighed */
    bool is_plain; /* C = 0 and no kappa: a problem of K and M alone */
    nt_arena arena;
} nt_pencil;

/* Everything is allocated here, for a system with tangents. NT_UNSUPPORTED without. */
nt_status nt_pencil_create(nt_pencil **pencil, const nt_system *system, nt_error *error);
void nt_pencil_destroy(nt_pencil *pencil);

/* Fill the matrices at a state; turn[3] is Omega, rad/s, ground axes. */
nt_status nt_pencil_fill(nt_pencil *pencil, const nt_point *at, const double turn[3],
                         nt_error *error);

/* The same of the rows of constraints at a level, alone: M, C and K are then their derivatives in
 * y'', y' and y. */
nt_status nt_pencil_fill_rows(nt_pencil *pencil, const nt_point *at, const double turn[3],
                              nt_level level);

/* dv[nv] and dvdot[nv] of displacements y[nv] and their rates in the turning axes, at a state. */
nt_status nt_pencil_rates(const nt_pencil *pencil, const nt_point *at, const double turn[3],
                          const double *y, const double *rate, const double *second, double *dv,
                          double *dvdot);

/* Factorise s^2 M + s C + K. */
nt_status nt_pencil_factor(nt_pencil *pencil, double s);

/* Factorise s^2 M + K, and s C + K in the rows of constraints: for states, where rates are held.
 * (With s C in all rows it would be their momenta that are held: as s vanishes gyroscopic forces
 * balance.) */
nt_status nt_pencil_factor_still(nt_pencil *pencil, double s);

/* b[n] := (s^2 M + s C + K)^-1 b with the last factors. */
nt_status nt_pencil_solve(nt_pencil *pencil, double *b);

/* How well s = (sr, si), x[n] = (xr, xi) solve (s^2 M + s C + K) x = 0: the largest entry of the
 * left side relative to what its terms could be at most with displacements as large as the largest,
 * rows of motion and of constraints each by themselves. scratch[6 n]. */
double nt_pencil_residual(const nt_pencil *pencil, double sr, double si, const double *xr,
                          const double *xi, double *scratch);

#endif
