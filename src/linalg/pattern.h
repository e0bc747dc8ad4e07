/* Patterns and matrices from inside: what their users beyond the library reach by functions. */
#ifndef NUTATE_LINALG_PATTERN_H
#define NUTATE_LINALG_PATTERN_H

#include <nutate/linalg.h>

struct nt_pattern {
    int n_nodes, n_primary;
    int n;           /* unknowns                                             */
    int packed;      /* see nt_pattern_pack                                  */
    int *node_start; /* [n_nodes + 1] first unknown of each node             */
    int n_slots, room;
    int *row, *column;    /* [n_slots] nodes                                    */
    int *offset;          /* [n_slots + 1] first entry of each block in values; their number */
    unsigned char *shape; /* [n_slots] nt_block_shape                        */
    int *hash, hash_size; /* (row, column) -> slot                           */
};

struct nt_matrix {
    const nt_pattern *pattern; /* not owned                                  */
    double *values;            /* [pattern->offset[n_slots]]                 */
    int broken;  /* nt_matrix_drop broke an NT_SCALED promise; nt_matrix_zero mends it */
    int cleared; /* all zero since nt_solver_factor_clear: nt_matrix_zero has nothing to do */
};

/* Bodies of public functions for inner loops: here they are inlined, elsewhere called. */
#define NT_INLINED extern inline __attribute__((gnu_inline))

NT_INLINED int nt_pattern_is_single(const nt_pattern *p, int slot)
{
    return p->packed && p->shape[slot] == NT_SCALED &&
           p->node_start[p->row[slot] + 1] - p->node_start[p->row[slot]] == 3;
}

NT_INLINED double *nt_matrix_block(const nt_matrix *matrix, int slot)
{
    return matrix->values + matrix->pattern->offset[slot];
}

/* The node that an unknown belongs to. */
static inline int nt_pattern_node_of(const nt_pattern *p, int unknown)
{
    int node = 0;
    while (p->node_start[node + 1] <= unknown)
        node++;
    return node;
}

/* nt_pattern_create and destroy in memory of the caller's. */
nt_status nt_pattern_init(nt_pattern *pattern, int n_nodes, int n_primary, const int *sizes);
void nt_pattern_free(nt_pattern *pattern);

/* Give back the room that is kept for further slots, when all are there; more may still come, but a
 * block that becomes full later moves behind all others. */
void nt_pattern_trim(nt_pattern *pattern);

/* nt_matrix_create and destroy in memory of the caller's. */
nt_status nt_matrix_init(nt_matrix *matrix, const nt_pattern *pattern);
void nt_matrix_free(nt_matrix *matrix);

/* y_k += A x_k for x_k[velocities] and y_k[n], the multipliers of each x being zero: count vectors
 * that lie x_stride and y_stride doubles apart. */
void nt_matrix_apply_primary(const nt_matrix *matrix, const double *x, size_t x_stride, double *y,
                             size_t y_stride, int count);

/* These products where only multipliers of each x_k are given, and its velocities are zero. */
void nt_matrix_apply_secondary(const nt_matrix *matrix, const double *x, size_t x_stride, double *y,
                               size_t y_stride, int count);

/* r[n] -= A x, or A^T x, and size[n] += |A| |x|: of a matrix that is not packed. */
void nt_matrix_subtract(const nt_matrix *matrix, const double *x, double *r, double *size);
void nt_matrix_subtract_transposed(const nt_matrix *matrix, const double *x, double *r,
                                   double *size);

/* Block `slot`, row by row: where it is, or where it is a single number, spread out in nine[9]. */
const double *nt_matrix_full_block(const nt_matrix *matrix, int slot, double nine[9]);

/* Leave unknowns out: their rows and columns become those of the identity. unknowns[count],
 * ascending. Where it takes a part of a node it breaks the promise of NT_SCALED blocks, and a
 * solver then works without promises, slower and with memory for a second one; nt_solver_drop does
 * the same inside the solver at no cost. NT_INVALID, and nothing done, where the block is one
 * number of a packed pattern: there is no room for what is left of it. */
nt_status nt_matrix_drop(nt_matrix *matrix, const int *unknowns, int count);

/* The same blocks under the same slots, each stored in full: offsets of its own, all else is the
 * pattern's, which must outlive it and stay as it is. NT_NO_MEMORY. */
nt_status nt_pattern_unpack(nt_pattern *view, const nt_pattern *pattern);
void nt_pattern_free_view(nt_pattern *view);

#endif
