/* Independent coordinates of a pencil, by orthogonal bases: see reduce.h. */
#include "analysis/pencil/reduce.h"
#include "analysis/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices, column by column ---------------------------------------------------------------
 */

nt_columns nt_columns_take(nt_arena *arena, int rows, int columns)
{
    return (nt_columns){rows, columns, NT_TAKE(arena, (size_t)rows * (size_t)columns + 1, double)};
}

/* op(A) op(B); the transposed of A where ta. */
nt_columns nt_columns_product(nt_arena *arena, bool ta, const nt_columns *a, const nt_columns *b)
{
    int m = ta ? a->columns : a->rows, k = b->rows, n = b->columns;
    nt_columns c = nt_columns_take(arena, m, n);
    const double one = 1, zero = 0;
    int lda = a->rows > 0 ? a->rows : 1, ldb = k > 0 ? k : 1, ldc = m > 0 ? m : 1;
    if (c.a && m > 0 && n > 0 && k > 0)
        dgemm_(ta ? "T" : "N", "N", &m, &n, &k, &one, a->a, &lda, b->a, &ldb, &zero, c.a, &ldc, 1,
               1);
    return c;
}

nt_status nt_basis_find(nt_arena *arena, const nt_columns *a, double tolerance, nt_basis *out)
{
    int m = a->rows, n = a->columns, k = m < n ? m : n, info = 0, room = 64 * (m + n) + 64;
    size_t bytes = (size_t)m * sizeof(double);
    out->Q = nt_columns_take(arena, m, m);
    out->R = nt_columns_take(arena, m, n);
    out->order = NT_TAKE(arena, n + 1, int);
    out->rank = 0;
    double *tau = NT_TAKE(arena, k + 1, double), *work = NT_TAKE(arena, room, double);
    if (!out->Q.a || !out->R.a || !out->order || !tau || !work)
        return NT_NO_MEMORY;
    if (m == 0)
        return NT_OK;
    memcpy(out->R.a, a->a, bytes * (size_t)n);
    if (n > 0)
        dgeqp3_(&m, &n, out->R.a, &m, out->order, tau, work, &room, &info);
    for (int j = 0; j < k; j++)
        memcpy(nt_entry(&out->Q, 0, j), nt_entry(&out->R, 0, j), bytes);
    double first = n > 0 ? fabs(*nt_entry(&out->R, 0, 0)) : 0;
    while (out->rank < k && fabs(*nt_entry(&out->R, out->rank, out->rank)) > tolerance * first)
        out->rank++;
    dorgqr_(&m, &m, &k, out->Q.a, &m, tau, work, &room, &info);
    return info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

/* The vectors of a nt_basis beyond its rank: perpendicular to all columns. */
nt_columns nt_basis_complement(const nt_basis *b)
{
    int rows = b->Q.rows;
    return (nt_columns){rows, rows - b->rank, b->Q.a + (size_t)rows * (size_t)b->rank};
}
nt_columns nt_basis_range(const nt_basis *b) { return (nt_columns){b->Q.rows, b->rank, b->Q.a}; }

void nt_basis_solve_rows(const nt_basis *b, const double *rhs, double *z)
{
    for (int i = 0; i < b->rank; i++) {
        double sum = rhs[b->order[i] - 1];
        for (int j = 0; j < i; j++)
            sum -= *nt_entry(&b->R, j, i) * z[j];
        z[i] = sum / *nt_entry(&b->R, i, i);
    }
}

/* ---- independent coordinates --------------------------------------------------------------------
 */

static nt_status take_full(nt_reduced *r)
{
    const nt_pencil *p = r->pencil;
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    double *all = malloc((size_t)p->n * (size_t)p->n * sizeof *all + 1);
    if (!all)
        return NT_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        r->full[k] = nt_columns_take(r->arena, p->n, p->n);
        if (!r->full[k].a) {
            free(all);
            return NT_NO_MEMORY;
        }
        nt_matrix_dense(matrices[k], all);
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->n; j++) {
                double wi = i < p->nv ? r->weight[i] : 1, wj = j < p->nv ? r->weight[j] : 1;
                *nt_entry(&r->full[k], i, j) =
                    all[(size_t)i * (size_t)p->n + (size_t)j] / (wi * wj);
            }
    }
    free(all);
    return NT_OK;
}

/* Rows (or, transposed, columns) of the multipliers active[from..to-1] as columns of nv entries. */
static nt_columns take_rows(const nt_reduced *r, const nt_columns *from, int first, int end,
                            bool columns)
{
    int nv = r->pencil->nv;
    nt_columns out = nt_columns_take(r->arena, nv, end - first);
    for (int k = first; out.a && k < end; k++)
        for (int i = 0; i < nv; i++) {
            int row = nv + r->active[k];
            *nt_entry(&out, i, k - first) =
                columns ? *nt_entry(from, i, row) : *nt_entry(from, row, i);
        }
    return out;
}

static void list_active(nt_reduced *r)
{
    const nt_pencil *p = r->pencil;
    for (int i = 0, k = 0; i < p->nh + p->nn; i++) {
        if (k < p->n_dropped && p->dropped[k] == p->nv + i) {
            k++;
            continue;
        }
        r->active[r->n_active++] = i;
        r->n_holonomic += i < p->nh;
    }
}

/* A row counts as dependent below this part of the first one; those that are, were left out before.
 */
static const double DEPENDENT = 1e-13;

static nt_status reduce_holonomic(nt_reduced *r)
{
    int n = r->pencil->n, nv = r->pencil->nv;
    nt_basis forces;
    nt_columns G = take_rows(r, &r->full[0], 0, r->n_holonomic, false);
    nt_columns B = take_rows(r, &r->full[0], 0, r->n_holonomic, true);
    nt_columns all = take_rows(r, &r->full[0], 0, r->n_active, true);
    if (!G.a || !B.a || !all.a)
        return NT_NO_MEMORY;
    nt_status status = nt_basis_find(r->arena, &G, DEPENDENT, &r->rows);
    if (status == NT_OK)
        status = nt_basis_find(r->arena, &B, DEPENDENT, &forces);
    if (status == NT_OK)
        status = nt_basis_find(r->arena, &all, DEPENDENT, &r->forces);
    if (status != NT_OK)
        return status;
    bool same = memcmp(G.a, B.a, (size_t)nv * (size_t)r->n_holonomic * sizeof *G.a) == 0;
    r->Z = nt_basis_complement(&r->rows);
    r->Zl = same ? r->Z : nt_basis_complement(&forces);
    if (r->Zl.columns != r->Z.columns)
        return NT_SINGULAR;
    r->f = r->Z.columns;
    nt_columns *to[3] = {&r->K, &r->C, &r->M};
    for (int k = 0; k < 3; k++) {
        nt_columns motion = nt_columns_take(r->arena, nv, nv);
        if (!motion.a)
            return NT_NO_MEMORY;
        for (int j = 0; j < nv; j++)
            memcpy(nt_entry(&motion, 0, j), r->full[k].a + (size_t)j * (size_t)n,
                   (size_t)nv * sizeof *motion.a);
        nt_columns half = nt_columns_product(r->arena, false, &motion, &r->Z);
        *to[k] = half.a ? nt_columns_product(r->arena, true, &r->Zl, &half) : half;
        if (!to[k]->a)
            return NT_NO_MEMORY;
    }
    return NT_OK;
}

nt_columns nt_columns_identity(nt_arena *arena, int n)
{
    nt_columns out = nt_columns_take(arena, n, n);
    for (int i = 0; out.a && i < n; i++)
        *nt_entry(&out, i, i) = 1;
    return out;
}

static nt_status reduce_nonholonomic(nt_reduced *r)
{
    int m = r->n_active - r->n_holonomic;
    r->P = nt_columns_take(r->arena, r->f, r->f);
    r->Y = r->Yl = nt_columns_identity(r->arena, r->f);
    r->d = r->f;
    if (!r->P.a || !r->Y.a)
        return NT_NO_MEMORY;
    if (m == 0)
        return NT_OK;
    nt_columns rates = take_rows(r, &r->full[1], r->n_holonomic, r->n_active, false);
    nt_columns places = take_rows(r, &r->full[0], r->n_holonomic, r->n_active, false);
    nt_columns forces = take_rows(r, &r->full[0], r->n_holonomic, r->n_active, true);
    if (!rates.a || !places.a || !forces.a)
        return NT_NO_MEMORY;
    r->rate_rows = rates, r->place_rows = places;
    nt_columns N1 = nt_columns_product(r->arena, true, &r->Z, &rates); /* transposed: f x m */
    nt_columns N0 = nt_columns_product(r->arena, true, &places, &r->Z);
    nt_columns F = nt_columns_product(r->arena, true, &r->Zl, &forces);
    nt_basis of_forces;
    if (!N1.a || !N0.a || !F.a)
        return NT_NO_MEMORY;
    nt_status status = nt_basis_find(r->arena, &N1, DEPENDENT, &r->rates);
    if (status == NT_OK)
        status = nt_basis_find(r->arena, &F, DEPENDENT, &of_forces);
    if (status != NT_OK)
        return status;
    r->Y = nt_basis_complement(&r->rates);
    r->Yl = nt_basis_complement(&of_forces);
    r->d = r->Y.columns;
    if (r->Yl.columns != r->d)
        return NT_SINGULAR;
    nt_columns z = nt_columns_take(r->arena, r->rates.rank, r->f), Q = nt_basis_range(&r->rates);
    if (!z.a)
        return NT_NO_MEMORY;
    for (int j = 0; j < r->f; j++)
        nt_basis_solve_rows(&r->rates, nt_entry(&N0, 0, j), nt_entry(&z, 0, j));
    r->P = nt_columns_product(r->arena, false, &Q, &z);
    return r->P.a ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_reduce(nt_reduced *r, const nt_pencil *pencil, nt_arena *arena)
{
    *r = (nt_reduced){.pencil = pencil, .arena = arena};
    r->weight = NT_TAKE(arena, pencil->nv, double);
    r->active = NT_TAKE(arena, pencil->nh + pencil->nn, int);
    if (!r->weight || !r->active)
        return NT_NO_MEMORY;
    for (int i = 0; i < pencil->nv; i++)
        r->weight[i] = nt_problem_weight(pencil->problem, i);
    list_active(r);
    nt_status status = take_full(r);
    if (status == NT_OK)
        status = reduce_holonomic(r);
    return status == NT_OK ? reduce_nonholonomic(r) : status;
}

/* Mr and the rows of -(Kp p + Cs s). */
nt_status nt_reduced_blocks(const nt_reduced *r, nt_columns *Mr, nt_columns *Kp, nt_columns *Cs)
{
    nt_arena *arena = r->arena;
    nt_columns MP = nt_columns_product(arena, false, &r->M, &r->P),
               D = nt_columns_take(arena, r->f, r->f);
    if (!MP.a || !D.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < r->f * r->f; i++)
        D.a[i] = r->C.a[i] - MP.a[i];
    nt_columns DP = nt_columns_product(arena, false, &D, &r->P),
               KD = nt_columns_take(arena, r->f, r->f);
    if (!DP.a || !KD.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < r->f * r->f; i++)
        KD.a[i] = r->K.a[i] - DP.a[i];
    nt_columns DY = nt_columns_product(arena, false, &D, &r->Y),
               MY = nt_columns_product(arena, false, &r->M, &r->Y);
    if (!DY.a || !MY.a)
        return NT_NO_MEMORY;
    *Mr = nt_columns_product(arena, true, &r->Yl, &MY);
    *Kp = nt_columns_product(arena, true, &r->Yl, &KD);
    *Cs = nt_columns_product(arena, true, &r->Yl, &DY);
    return Mr->a && Kp->a && Cs->a ? NT_OK : NT_NO_MEMORY;
}

nt_columns nt_columns_transposed(nt_arena *arena, const nt_columns *a)
{
    nt_columns out = nt_columns_take(arena, a->columns, a->rows);
    for (int j = 0; out.a && j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *nt_entry(&out, j, i) = *nt_entry(a, i, j);
    return out;
}

void nt_reduced_forces(const nt_reduced *r, const double *left, double *out, double *z)
{
    const nt_basis *b = &r->forces;
    int nv = r->pencil->nv;
    for (int k = 0; k < b->rank; k++) {
        z[k] = 0;
        for (int i = 0; i < nv; i++)
            z[k] -= *nt_entry(&b->Q, i, k) * left[i];
    }
    for (int k = b->rank - 1; k >= 0; k--) {
        for (int j = k + 1; j < b->rank; j++)
            z[k] -= *nt_entry(&b->R, k, j) * z[j];
        z[k] /= *nt_entry(&b->R, k, k);
        out[r->active[b->order[k] - 1]] = z[k];
    }
}
