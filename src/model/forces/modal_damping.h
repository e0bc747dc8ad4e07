/* Damping by modes: what the search for modes hands to the element. */
#ifndef NUTATE_MODEL_MODAL_DAMPING_H
#define NUTATE_MODEL_MODAL_DAMPING_H

#include "model/elements.h"

enum { NT_MODAL_RATIOS = 32 };

/* Rows g_k = sqrt(2 omega_k/m_k) M phi_k of the damped modes, ground axes, in the entries of v. */
typedef struct nt_modal_rows {
    int n, nv;
    double *g; /* [n][nv] */
} nt_modal_rows;

typedef struct nt_modal_damping {
    unsigned given;
    int part, n_ratios, about; /* about: 0 static, 1 initial */
    double ratio[NT_MODAL_RATIOS];
    double modes;              /* 0: all */
    const nt_modal_rows *rows; /* the model's, once it is built; NULL before */
} nt_modal_damping;

#endif
