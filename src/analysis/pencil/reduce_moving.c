/* Independent coordinates where the constraints change with the motion.
 *
 * Rows of positions hold at all times, so that with their variations at the velocity level
 * G y' + V1 y = 0 and at the acceleration level G y'' + A1 y' + A0 y = 0 as well. With G Z = 0 and
 * the least displacements besides
 *
 *   y'  = Z p'  + E p,            E  = -G^+ V1 Z,
 *   y'' = Z p'' + F1 p' + F0 p,   F1 = -G^+ A1 Z,   F0 = -G^+ (A0 Z + A1 E) - Z E^T E,
 *
 * which the columns of p and p' in the equations of motion gain: C E + M F0 and M F1. Z goes along
 * without turning in itself, Z' = E, so that p = Z^T y and p' = Z^T y' at all times; and of y'' the
 * part along Z is p'' + Z^T Z'' p = p'' - E^T E p. At rest and in steady motions, seen from axes
 * that turn with them, E and F vanish. */
#include "analysis/pencil/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* E and F below this part of the equations' own rate, or its square, are rounding. */
static const double NOTHING = 1e-10;

/* out[nv] -= G^+ rows[n][] y, rows dense[n][n] of the pencil; rhs[n_active], z[nv] scratch */
static void take_least(const nt_reduced *r, const double *dense, const double *y, double *rhs,
                       double *z, double *out)
{
    int n = r->pencil->n, nv = r->pencil->nv;
    for (int i = 0; i < r->n_holonomic; i++) {
        const double *row = dense + (size_t)(nv + r->active[i]) * (size_t)n;
        rhs[i] = 0;
        for (int j = 0; j < nv; j++)
            rhs[i] += row[j] / r->weight[j] * y[j];
    }
    nt_basis_solve_rows(&r->rows, rhs, z);
    for (int k = 0; k < r->rows.rank; k++)
        for (int i = 0; i < nv; i++)
            out[i] -= *nt_entry(&r->rows.Q, i, k) * z[k];
}

static double largest(const nt_columns *a)
{
    double most = 0;
    for (int i = 0; i < a->rows * a->columns; i++)
        most = fmax(most, fabs(a->a[i]));
    return most;
}

nt_status nt_reduced_follow_rows(nt_reduced *r, nt_pencil *rows, const nt_point *at,
                                 const double turn[3])
{
    int nv = r->pencil->nv;
    size_t n = (size_t)r->pencil->n;
    double *dense = malloc((2 * n * n + (size_t)r->n_active + (size_t)nv + 1) * sizeof *dense);
    r->E = nt_columns_take(r->arena, nv, r->f);
    r->F0 = nt_columns_take(r->arena, nv, r->f);
    r->F1 = nt_columns_take(r->arena, nv, r->f);
    if (!dense || !r->E.a || !r->F0.a || !r->F1.a) {
        free(dense);
        return NT_NO_MEMORY;
    }
    double *second = dense + n * n, *rhs = second + n * n, *z = rhs + r->n_active;
    nt_status status = nt_pencil_fill_rows(rows, at, turn, NT_VELOCITY);
    nt_matrix_dense(&rows->K, dense);
    for (int j = 0; j < r->f && status == NT_OK; j++)
        take_least(r, dense, nt_entry(&r->Z, 0, j), rhs, z, nt_entry(&r->E, 0, j));
    if (status == NT_OK)
        status = nt_pencil_fill_rows(rows, at, turn, NT_ACCELERATION);
    nt_matrix_dense(&rows->K, dense);
    nt_matrix_dense(&rows->C, second);
    for (int j = 0; j < r->f && status == NT_OK; j++) {
        take_least(r, second, nt_entry(&r->Z, 0, j), rhs, z, nt_entry(&r->F1, 0, j));
        take_least(r, second, nt_entry(&r->E, 0, j), rhs, z, nt_entry(&r->F0, 0, j));
        take_least(r, dense, nt_entry(&r->Z, 0, j), rhs, z, nt_entry(&r->F0, 0, j));
    }
    free(dense);
    nt_columns EE = nt_columns_product(r->arena, true, &r->E, &r->E);
    nt_columns along = nt_columns_product(r->arena, false, &r->Z, &EE);
    if (!EE.a || !along.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < nv * r->f; i++)
        r->F0.a[i] -= along.a[i];
    double size = r->pencil->size;
    r->rows_move = status == NT_OK && fmax(largest(&r->E), largest(&r->F1)) > NOTHING * size;
    r->rows_move = r->rows_move || (status == NT_OK && largest(&r->F0) > NOTHING * size * size);
    return status;
}

/* to[][f] += Zl^T full a */
static nt_status add_along(const nt_reduced *r, const nt_columns *full, const nt_columns *a,
                           nt_columns *to)
{
    int nv = r->pencil->nv;
    double *x = malloc(((size_t)nv + 1) * sizeof *x);
    if (!x)
        return NT_NO_MEMORY;
    for (int j = 0; j < a->columns; j++) {
        memset(x, 0, (size_t)nv * sizeof *x);
        for (int k = 0; k < nv; k++)
            for (int i = 0; i < nv; i++)
                x[i] += *nt_entry(full, i, k) * *nt_entry(a, k, j);
        for (int m = 0; m < to->rows; m++)
            for (int i = 0; i < nv; i++)
                *nt_entry(to, m, j) += *nt_entry(&r->Zl, i, m) * x[i];
    }
    free(x);
    return NT_OK;
}

nt_status nt_reduced_add_moving(const nt_reduced *r, nt_columns *Kp, nt_columns *Cs)
{
    nt_status status = add_along(r, &r->full[1], &r->E, Kp);
    if (status == NT_OK)
        status = add_along(r, &r->full[2], &r->F0, Kp);
    return status == NT_OK ? add_along(r, &r->full[2], &r->F1, Cs) : status;
}
