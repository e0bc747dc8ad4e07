/* Block-sparse matrices and the direct solvers behind one interface.
 *
 * Unknowns come in nodes: a body's translation (3), its rotation (3), the multipliers of a joint
 * (1 to 6), or the whole of a small hand-written system. A pattern lists the blocks (row node,
 * column node) that may be non-zero, once; slot numbers name them. A matrix has one dense
 * row-major block per slot. The first n_primary nodes are velocities, the others multipliers.
 *
 * Threads. A pattern is only read once all its blocks are there, and may then be shared. A matrix
 * and a solver belong to one thread at a time; different ones may be used at the same time. */
#ifndef NUTATE_LINALG_H
#define NUTATE_LINALG_H

#include <nutate/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a block is known to be. A promise that solvers use; the storage is a full block, unless the
 * pattern is packed. */
typedef enum nt_block_shape {
    NT_FULL,   /* any entries                       */
    NT_SCALED, /* a multiple of the identity matrix */
} nt_block_shape;

typedef struct nt_pattern nt_pattern;
typedef struct nt_matrix nt_matrix;

/* Start a pattern with nodes of the given sizes[n_nodes], 1 and up; the last n_nodes - n_primary
 * are multiplier nodes, whose diagonal blocks are always present. NT_INVALID for sizes or counts
 * out of range, NT_NO_MEMORY; *pattern is then NULL. The caller owns it. */
NT_API nt_status nt_pattern_create(nt_pattern **pattern, int n_nodes, int n_primary,
                                   const int *sizes);
NT_API void nt_pattern_destroy(nt_pattern *pattern);

/* The slot of block (row, column), added when new. A block that is ever added NT_FULL is full.
 * -1 when memory is out, or where there is no such node or shape. */
NT_API int nt_pattern_add(nt_pattern *pattern, int row, int column, nt_block_shape shape);

/* The slot of a block, -1 where there is none. */
NT_API int nt_pattern_find(const nt_pattern *pattern, int row, int column);

/* Stores NT_SCALED blocks of three unknowns as one number, that of the diagonal, instead of nine.
 * This takes less than two thirds of the memory where joints hold points. Whoever fills a matrix of
 * the pattern writes one number for such a block. Call it before a matrix or a solver is made of
 * it. */
NT_API void nt_pattern_pack(nt_pattern *pattern);

/* Whether a block of the pattern holds one number; 0 where there is no such slot. */
NT_API int nt_pattern_is_single(const nt_pattern *pattern, int slot);

/* A matrix of zeros. The pattern is borrowed: it must have all its blocks and outlive the matrix.
 * NT_NO_MEMORY; *matrix is then NULL. The caller owns it. */
NT_API nt_status nt_matrix_create(nt_matrix **matrix, const nt_pattern *pattern);
NT_API void nt_matrix_destroy(nt_matrix *matrix);

/* Set all entries to zero: every filling begins with this. */
NT_API void nt_matrix_zero(nt_matrix *matrix);

/* The entries of a block, row by row, or its one number: to read and to write. They belong to the
 * matrix and stay where they are as long as it lives. NULL where there is no such slot. */
NT_API double *nt_matrix_block(const nt_matrix *matrix, int slot);

/* y[n] = A x, x[n]; they may not overlap. n is the sum of the nodes' sizes. */
NT_API void nt_matrix_apply(const nt_matrix *matrix, const double *x, double *y);

/* dense[n][n], row by row: for tests and small solvers. */
NT_API void nt_matrix_dense(const nt_matrix *matrix, double *dense);

/* ---- solvers -------------------------------------------------------------------------------- */

typedef enum nt_solver_kind {
    NT_SOLVER_AUTO,  /* block, but dense for a single node; falls back to dense or KLU         */
    NT_SOLVER_DENSE, /* LU with partial pivoting, fixed sizes unrolled                         */
    NT_SOLVER_BLOCK, /* block LU, symbolic program once, bodies before their multipliers       */
    NT_SOLVER_KLU,   /* SuiteSparse KLU                                                        */
} nt_solver_kind;

typedef struct nt_solver_statistics {
    long factorisations, solves;
    long fallbacks; /* times that a factorisation or a residual check failed and the fallback, which
                       pivots, took over                                                        */
    long pivoted;   /* solves made with the fallback's factors, while it stayed in use too      */
    double worst_residual; /* largest accepted |A x - b| relative to |A| |x| + |b|; rounded up to
                              a power of two by the block solver */
    double flops;          /* multiplications and additions of one factorisation                */
    long blocks;           /* blocks in the factors, fill included                              */
} nt_solver_statistics;

typedef struct nt_solver nt_solver;

/* Analyse the pattern (ordering, program, all memory). The pattern is borrowed. NT_NO_MEMORY. */
NT_API nt_status nt_solver_create(nt_solver **solver, const nt_pattern *pattern,
                                  nt_solver_kind kind, nt_error *error);
NT_API void nt_solver_destroy(nt_solver *solver);

/* Factorise. Keeps a copy of the matrix for the residual checks. Never allocates (KLU as the
 * fallback allocates at its first use and when it chooses new pivots). A failed block or plain
 * KLU factorisation goes to the fallback at once, which then stays in use for the next hundred
 * factorisations. NT_SINGULAR when no solver can factorise it, NT_NOT_FINITE when an entry is not.
 */
NT_API nt_status nt_solver_factor(nt_solver *solver, const nt_matrix *matrix);

/* Factorise, and leave the matrix zero whatever the outcome. Each part is cleared when it has just
 * been read, which for matrices larger than the cache costs half of what nt_matrix_zero costs. */
NT_API nt_status nt_solver_factor_clear(nt_solver *solver, nt_matrix *matrix);

/* Solve for count right-hand sides, b[count][n] in place. Every solve is checked: a residual
 * larger than 1e-10 (relative, row-wise backward error) is refined once, then factorised again
 * by the fallback, counted in the statistics. NT_SINGULAR when that fails too, NT_NOT_FINITE; the
 * right-hand side that failed and those after it are then as they were given. Where the terms of
 * a row all vanish (rounding of the whole remains), the row counts as solved. */
NT_API nt_status nt_solver_solve(nt_solver *solver, double *b, int count);

/* Take the memory to solve for several right-hand sides side by side, four at a time; without it
 * nt_solver_solve takes one after the other. */
NT_API nt_status nt_solver_reserve(nt_solver *solver);

/* Solve as nt_solver_solve does, for up to four right-hand sides that lie side by side: b[n][4] in
 * place, where those from count on must be zero. Needs nt_solver_reserve before it. */
NT_API nt_status nt_solver_solve_beside(nt_solver *solver, double *b, int count);

/* Do what nt_solver_factor_clear and nt_solver_solve for b[n] do one after the other, with the same
 * numbers. The forward substitution goes along with the factorisation, while the factors of each
 * part are in the nearest cache. Further right-hand sides may follow with nt_solver_solve. */
NT_API nt_status nt_solver_factor_solve(nt_solver *solver, nt_matrix *matrix, double *b);

/* Solve the transposed system, for adjoints. The block solver allocates memory at the first call.
 */
NT_API nt_status nt_solver_solve_transposed(nt_solver *solver, double *b, int count);

/* Factorise [W G^T; G 0] with W positive definite, and find the rows of G that depend on those
 * before them (in elimination order): a Schur complement pivot below tolerance times its original
 * size marks the row. dependent[n] is 1 for such unknowns (multipliers only) and 0 elsewhere;
 * they are left out of the factors (their unknown is solved to zero). Returns their number in
 * *n_dependent. Block solver always, whatever the kind.
 *
 * Each independent row with a small pivot amplifies the rounding of those after it: where hundreds
 * of rows depend on others, dependent pivots were seen up to 1e-7, independent ones from 1e-5 on (a
 * full grid of 12 x 12 bodies with parallel hinges, 462 redundant rows; every second column joined:
 * 1e-13). */
NT_API nt_status nt_solver_factor_dependent(nt_solver *solver, const nt_matrix *matrix,
                                            double tolerance, unsigned char *dependent,
                                            int *n_dependent);

/* Leave multipliers out of all later factorisations: their equations are ignored and they are
 * solved to zero, whatever the matrix says. A new choice replaces the last one; count = 0 leaves
 * nothing out. NT_INVALID for an unknown of a primary node, and for a negative count. */
NT_API nt_status nt_solver_drop(nt_solver *solver, const int *unknowns, int count);

/* Forget what earlier matrices taught: pivots that are kept, the fallback that stays in use. The
 * factors are void; the next ones depend on their matrix alone, to the bit, as after create. */
NT_API void nt_solver_forget(nt_solver *solver);

/* What it took so far: the numbers behind the pointer go on with the solver. */
NT_API const nt_solver_statistics *nt_solver_get_statistics(const nt_solver *solver);
/* The solver that made the present factors: "dense", "block" or "klu"; "none" of NULL. */
NT_API const char *nt_solver_name(const nt_solver *solver);

/* The unknown whose pivot failed in the last NT_SINGULAR, -1 when not known. */
NT_API int nt_solver_singular_unknown(const nt_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
