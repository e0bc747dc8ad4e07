/* The small problems of Modin, Fritzson & Fuehrer 2007 as one system of two degrees of freedom.
 *
 *   q'' = A + B,   A = -(k q_1 + c v_1, 0) - gravity e_2       soft, counted as expensive
 *                  B = -stiffness K q - damping K v - spring (|q|^2 - 1) q,   K = [1 -1; -1 1] */
#ifndef NUTATE_PAPERS_MODIN_PLANAR_H
#define NUTATE_PAPERS_MODIN_PLANAR_H

#include "papers/common/trial.h"

typedef struct nt_planar {
    double k, c, gravity;              /* of A */
    double stiffness, damping, spring; /* of B */
    long evaluations;                  /* of A alone or with others, without its tangent */
    long tangents;                     /* of A */
    nt_block block;
    nt_system system;
} nt_planar;

/* Fill in `system`; the numbers above are set before. */
void nt_planar_init(nt_planar *planar);

nt_planar nt_modin_oscillators(void);                                       /* section 6.1 */
nt_planar nt_modin_pendulum(void);                                          /* section 6.2 */
extern const double nt_modin_apart[2], nt_modin_aside[2], nt_modin_rest[2]; /* where they start */

/* The three integrations that the paper compares. alpha = 1/2. */
enum { NT_MODIN_METHODS = 3 };
nt_trial nt_modin_trial(const nt_planar *planar, const char *method, const char *option,
                        const char *value, const double *q0);

#endif
