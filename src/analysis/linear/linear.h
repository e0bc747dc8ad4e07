/* Linear models: what the files of this folder share.
 *
 * Small displacements y of a motion meet, with an input u added to a parameter or a function,
 *
 *   M y'' + C y' + K y + R_lambda l + R_u u = 0,
 *   G y + c0 u = 0,    G y' + V1 y + c0 u' + c1 u = 0,
 *                      G y'' + A1 y' + A0 y + c0 u'' + 2 c1 u' + c2 u = 0,
 *   N1 y' + N0 y + k0 u = 0,    N1 y'' + L1 y' + L0 y + k0 u' + k1 u = 0:
 *
 * rows of positions at their three levels, rows of velocities at two. c1 and c2 are c0's rates
 * along the motion, k1 that of k0; V1, A1 = 2 V1 and A0 are the rates of G, L1 - N0 and L0 those of
 * N1 and N0. At rest and in steady motions, seen from axes that turn with them, all rates vanish.
 *
 * In the coordinates of reduce.h p = Z^T y, a = Z^T y', s = Y^T a, and with least displacements
 * besides (linear_motion.c)
 *
 *   y   = Z p - G^+ c0 u,
 *   y'  = Z a - G^+ (V1 y + c0 u' + c1 u),               a = Y s - n1^+ (what N1 y' lacks),
 *   y'' = Z (Y sigma + b) - G^+ (A1 y' + A0 y + ...),    b = - n1^+ (what N1 y'' lacks),
 *   Mr sigma = -Yl^T Zl^T (M y'' + C y' + K y + R_u u without sigma),   n1 = N1 Z.
 *
 * Z and Y go along with the motion without turning in themselves, Z' = E = -G^+ V1 Z and
 * Y' = -n1^+ ((L1 - N0) Z + N1 E) Y, so that
 *
 *   p' = a + E^T y,   s' = sigma + Y^T E^T y' + Y'^T a.
 *
 * Where bodies or unknowns of first order have no mass Mr is singular. s = R s1 + N s0 with M Z Y N
 * = 0, equations likewise, U and L with L^T Yl^T Zl^T M = 0 (linear_massless.c): then s0 is no
 * state but what the equations of L ask for, in which no acceleration is,
 *
 *   L^T Yl^T Zl^T (C y' + K y + R_u u) = 0:   s0 = S x0 + t0 u + t1 u',
 *
 * and sigma = R sigma1 + N s0' with U^T Mr R sigma1 from the others.
 *
 * That is x0' = A x0 + b0 u + b1 u' + b2 u'' for x0 = (p, s), or (p, s1). Outputs are linear in the
 * same, so y = C x0 + d0 u + d1 u' + d2 u''. Internal to the analyses. */
#ifndef NUTATE_ANALYSIS_LINEAR_H
#define NUTATE_ANALYSIS_LINEAR_H

#include "analysis/pencil/reduce.h"
#include "model/elements.h"
#include "model/model.h"

#include <nutate/analysis.h>

enum { NT_LINEAR_NAME = 300 };

typedef struct nt_linear_source {
    char name[NT_LINEAR_NAME];
    int parameter; /* -1: a function of an element */
    const nt_element *element;
    const nt_expression *function, **place; /* and where the key has it; NULL: a number is there */
    double *number;
    double *R;    /* [n] R_u weighed, then c0 and k0 */
    double *c[2]; /* [nh + nn] c1 and k0, c2 and k1 */
} nt_linear_source;

/* What follows of a state x, or of one derivative of an input: displacements with two rates,
 * weighed, their variations in the system's terms, and the rate of x. */
typedef struct nt_linear_direction {
    double *y[3];       /* [nv] weighed */
    double *rate;       /* [n] x' */
    double *left;       /* [nv] what multipliers balance */
    double *dv, *dvdot; /* [nv] */
    double *forces, *z; /* [nh + nn], and scratch of as many */
    double *massless;   /* [massless] s0                          */
} nt_linear_direction;

struct nt_linear {
    nt_arena arena;
    nt_run *run;
    nt_pencil *pencil;
    nt_reduced r;
    nt_point at;
    nt_state state;
    double turn[3];
    nt_linear_source *inputs;
    nt_quantity_info *quantities;
    char (*outputs)[NT_LINEAR_NAME];
    int n_inputs, n_quantities, n_outputs, n;
    nt_columns V1;     /* [nv][holonomic] rows as columns, weighed                    */
    nt_columns A1, A0; /* [nv][active] those of y' and y at the level of accelerations */
    nt_columns E, Yt;  /* [nv][f], [f][d] rates of Z and Y                            */
    nt_columns Mr;     /* [d][d], or U^T Mr R: LU, with its pivots                    */
    int *pivots;
    int massless;          /* columns of N; 0: R, N, U, L are not there               */
    nt_columns R, N, U, L; /* [d][m], [d][massless] of velocities; of equations       */
    nt_columns G;          /* [massless][massless] of s0 in the equations of L, LU    */
    int *massless_pivots;
    nt_columns S, t[3]; /* s0 by x0[n], and by inputs and their rates                   */
    bool steady;
    double *s, *s0;  /* [d] each, scratch                                            */
    double *scratch; /* of nt_linear_respond */
    nt_columns A, b[3], B[3], C, D[3];
    double *rows; /* all matrices, row by row */
    nt_linear_matrices matrices;
};

/* linear_inputs.c: find what setup->inputs names, and its columns. */
nt_status nt_linear_make_inputs(nt_linear *linear, const nt_linear_setup *setup, nt_error *error);

/* linear_massless.c: R, N, U and L, and Mr, factorised. */
nt_status nt_linear_take_mass(nt_linear *linear, nt_error *error);
/* G, factorised, from the response of the equations of L to each of s0. */
nt_status nt_linear_take_massless(nt_linear *linear, nt_error *error);
/* out[massless] := L^T Yl^T Zl^T left */
void nt_linear_massless_left(nt_linear *linear, const double *left, double *out);

/* linear_motion.c: how rows, Z and Y go along with the motion; Mr. */
nt_status nt_linear_follow(nt_linear *linear, nt_error *error);
/* What follows of x[n] (NULL: none) and of the kth derivative of input i (i < 0: none). */
void nt_linear_respond(nt_linear *linear, const double *x, int i, int k, nt_linear_direction *to);
/* The same of p[f] and s[d] as they are, without sigma: what follows of them, and what is left. */
void nt_linear_displace(nt_linear *linear, const double *p, const double *s, int i, int k,
                        nt_linear_direction *to);
nt_status nt_linear_take_direction(nt_linear *linear, nt_linear_direction *to);

#endif
