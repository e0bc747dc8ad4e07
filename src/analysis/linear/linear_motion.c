/* How displacements near a motion go along with it: see linear.h for the equations. */
#include "analysis/lapack.h"
#include "analysis/linear/linear.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- small products ---------------------------------------------------------------------------
 */

static double dot_column(const nt_columns *a, int column, const double *x)
{
    double sum = 0;
    for (int i = 0; i < a->rows; i++)
        sum += *nt_entry(a, i, column) * x[i];
    return sum;
}

/* out += factor A x, over the first `rows` entries of A's columns and the first `columns` of x */
static void add_product(const nt_columns *a, int rows, int columns, double factor, const double *x,
                        double *out)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            out[i] += factor * *nt_entry(a, i, j) * x[j];
}

/* out -= the least x with rows x = rhs, by the basis of the transposed rows; z[rank] */
static void take_least(const nt_basis *rows, const double *rhs, double *z, double *out)
{
    nt_basis_solve_rows(rows, rhs, z);
    for (int k = 0; k < rows->rank; k++)
        for (int i = 0; i < rows->Q.rows; i++)
            out[i] -= *nt_entry(&rows->Q, i, k) * z[k];
}

/* ---- rows that change -------------------------------------------------------------------------
 */

/* Rows in use from `first` to before `end` of a matrix of the pencil, as weighed columns. */
static nt_columns rows_of(const nt_linear *l, const double *dense, int first, int end)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    nt_columns out = nt_columns_take(r->arena, nv, end - first);
    for (int k = first; out.a && k < end; k++) {
        const double *row = dense + (size_t)(nv + r->active[k]) * (size_t)l->pencil->n;
        for (int i = 0; i < nv; i++)
            *nt_entry(&out, i, k - first) = row[i] / r->weight[i];
    }
    return out;
}

static nt_status find_rows(nt_linear *l, nt_error *error)
{
    const nt_reduced *r = &l->r;
    nt_pencil *rows = NULL;
    int n = r->n_active, holonomic = r->n_holonomic;
    double *dense = malloc((size_t)l->pencil->n * (size_t)l->pencil->n * sizeof *dense + 1);
    nt_status status = dense ? nt_pencil_create(&rows, &l->run->system, error)
                             : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = nt_pencil_fill_rows(rows, &l->at, l->turn, NT_VELOCITY);
    if (status == NT_OK) {
        nt_matrix_dense(&rows->K, dense);
        l->V1 = rows_of(l, dense, 0, holonomic);
        status = nt_pencil_fill_rows(rows, &l->at, l->turn, NT_ACCELERATION);
    }
    if (status == NT_OK) {
        nt_matrix_dense(&rows->C, dense);
        l->A1 = rows_of(l, dense, 0, n);
        nt_matrix_dense(&rows->K, dense);
        l->A0 = rows_of(l, dense, 0, n);
        status = l->V1.a && l->A1.a && l->A0.a ? NT_OK : NT_NO_MEMORY;
    }
    nt_pencil_destroy(rows);
    free(dense);
    return status == NT_OK
               ? NT_OK
               : nt_fail(error, status, "constraints of the motion: %s", nt_status_text(status));
}

/* E, and Yt. */
static void find_bases(nt_linear *l)
{
    nt_reduced *r = &l->r;
    int nv = l->pencil->nv, m = r->n_active - r->n_holonomic;
    double *rhs = l->scratch, *z = rhs + r->n_active, *w = z + nv, *zy = w + nv;
    for (int j = 0; j < r->f; j++) {
        for (int i = 0; i < r->n_holonomic; i++)
            rhs[i] = dot_column(&l->V1, i, nt_entry(&r->Z, 0, j));
        take_least(&r->rows, rhs, z, nt_entry(&l->E, 0, j));
    }
    for (int j = 0; j < r->d && m > 0; j++) {
        memset(w, 0, 2 * (size_t)nv * sizeof *w);
        add_product(&r->Z, nv, r->f, 1, nt_entry(&r->Y, 0, j), zy);
        add_product(&l->E, nv, r->f, 1, nt_entry(&r->Y, 0, j), w);
        for (int i = 0; i < m; i++)
            rhs[i] = dot_column(&l->A1, r->n_holonomic + i, zy) -
                     dot_column(&r->place_rows, i, zy) + dot_column(&r->rate_rows, i, w);
        take_least(&r->rates, rhs, z, nt_entry(&l->Yt, 0, j));
    }
}

nt_status nt_linear_follow(nt_linear *l, nt_error *error)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    l->E = nt_columns_take(&l->arena, nv, r->f);
    l->Yt = nt_columns_take(&l->arena, r->f, r->d);
    l->scratch = NT_TAKE(&l->arena, r->n_active + 5 * nv, double);
    l->s = NT_TAKE(&l->arena, r->d, double);
    l->s0 = NT_TAKE(&l->arena, r->d, double);
    if (!l->E.a || !l->Yt.a || !l->scratch || !l->s || !l->s0)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = r->n_active > 0 ? find_rows(l, error) : NT_OK;
    if (status == NT_OK && r->n_active > 0)
        find_bases(l);
    if (status == NT_OK)
        status = nt_linear_take_mass(l, error);
    l->n = r->f + r->d - l->massless;
    return status == NT_OK ? nt_linear_take_massless(l, error) : status;
}

/* ---- what follows ------------------------------------------------------------------------------
 */

/* What an input adds to a row in use, at the level of places (0), rates (1) or accelerations (2),
 * where its kth derivative is 1. A row of velocities begins at the level of rates. */
static double of_input(const nt_linear *l, const nt_linear_source *in, int row, int level, int k)
{
    static const double binomial[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    int which = l->r.active[row], place = l->pencil->nv + which;
    bool of_rates = row >= l->r.n_holonomic;
    int above = of_rates ? level - 1 - k : level - k; /* derivatives that are left to the row */
    if (!in || above < 0)
        return 0;
    double column = above == 0 ? in->R[place] : in->c[of_rates ? above : above - 1][which];
    return binomial[of_rates ? level - 1 : level][k] * column;
}

/* sigma[d] from what the equations of motion are left with, but for N s0'; along[f] is scratch. */
static void balance(nt_linear *l, const double *left, double *along, double *sigma)
{
    const nt_reduced *r = &l->r;
    int d = r->d, m = d - l->massless, one = 1, info = 0;
    double *right = l->massless > 0 ? l->s0 : sigma;
    for (int i = 0; i < r->f; i++)
        along[i] = dot_column(&r->Zl, i, left);
    for (int i = 0; i < d; i++)
        sigma[i] = -dot_column(&r->Yl, i, along);
    for (int i = 0; i < m && l->massless > 0; i++)
        right[i] = dot_column(&l->U, i, sigma);
    if (m > 0)
        dgetrs_("N", &m, &one, l->Mr.a, &m, l->pivots, right, &m, &info, 1);
    if (l->massless == 0)
        return;
    memset(sigma, 0, (size_t)d * sizeof *sigma);
    add_product(&l->R, d, m, 1, right, sigma);
}

void nt_linear_displace(nt_linear *l, const double *p, const double *s, int which, int k,
                        nt_linear_direction *to)
{
    const nt_reduced *r = &l->r;
    const nt_linear_source *in = which >= 0 ? &l->inputs[which] : NULL;
    int nv = l->pencil->nv, f = r->f, d = r->d, holonomic = r->n_holonomic, n = r->n_active;
    double *rhs = l->scratch, *z = rhs + n, *a = z + nv, *b = a + nv;
    for (int m = 0; m < 3; m++)
        memset(to->y[m], 0, (size_t)nv * sizeof *to->y[m]);
    memset(a, 0, 2 * (size_t)nv * sizeof *a);
    memset(to->left, 0, (size_t)nv * sizeof *to->left);

    if (p)
        add_product(&r->Z, nv, f, 1, p, to->y[0]);
    for (int i = 0; i < holonomic; i++)
        rhs[i] = of_input(l, in, i, 0, k);
    take_least(&r->rows, rhs, z, to->y[0]);

    for (int i = 0; i < holonomic; i++)
        rhs[i] = dot_column(&l->V1, i, to->y[0]) + of_input(l, in, i, 1, k);
    take_least(&r->rows, rhs, z, to->y[1]);
    for (int i = holonomic; i < n; i++)
        rhs[i - holonomic] = dot_column(&r->rate_rows, i - holonomic, to->y[1]) +
                             dot_column(&r->place_rows, i - holonomic, to->y[0]) +
                             of_input(l, in, i, 1, k);
    if (n > holonomic)
        take_least(&r->rates, rhs, z, a);
    if (s)
        add_product(&r->Y, f, d, 1, s, a);
    add_product(&r->Z, nv, f, 1, a, to->y[1]);

    for (int i = 0; i < n; i++)
        rhs[i] = dot_column(&l->A1, i, to->y[1]) + dot_column(&l->A0, i, to->y[0]) +
                 of_input(l, in, i, 2, k);
    take_least(&r->rows, rhs, z, to->y[2]);
    for (int i = holonomic; i < n; i++)
        rhs[i] += dot_column(&r->rate_rows, i - holonomic, to->y[2]);
    if (n > holonomic)
        take_least(&r->rates, rhs + holonomic, z, b);
    add_product(&r->Z, nv, f, 1, b, to->y[2]);

    for (int m = 0; m < 3; m++) /* K, C, M */
        add_product(&r->full[m], nv, nv, 1, to->y[m], to->left);
    for (int i = 0; i < nv && in && k == 0; i++)
        to->left[i] += in->R[i];
}

/* s[d] = R s1 + N s0, s0 from the equations of L; s0 into to->massless. */
static const double *take_massless(nt_linear *l, const double *x, int which, int k,
                                   nt_linear_direction *to)
{
    const nt_reduced *r = &l->r;
    int q = l->massless, one = 1, info = 0;
    memset(l->s, 0, (size_t)r->d * sizeof *l->s);
    if (x)
        add_product(&l->R, r->d, l->R.columns, 1, x + r->f, l->s);
    nt_linear_displace(l, x, l->s, which, k, to);
    nt_linear_massless_left(l, to->left, to->massless);
    for (int i = 0; i < q; i++)
        to->massless[i] = -to->massless[i];
    dgetrs_("N", &q, &one, l->G.a, &q, l->massless_pivots, to->massless, &q, &info, 1);
    add_product(&l->N, r->d, q, 1, to->massless, l->s);
    return l->s;
}

void nt_linear_respond(nt_linear *l, const double *x, int which, int k, nt_linear_direction *to)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv, f = r->f, d = r->d, n = r->n_active;
    double *z = l->scratch + n, *a = z + nv, *b = a + nv, *w = b + nv;
    const double *s = l->massless > 0 ? take_massless(l, x, which, k, to) : x ? x + f : NULL;
    nt_linear_displace(l, x, s, which, k, to);
    double *sigma = l->massless > 0 ? l->s : to->rate + f;
    balance(l, to->left, z, sigma);
    memset(b, 0, (size_t)nv * sizeof *b);
    memset(w, 0, (size_t)nv * sizeof *w);
    add_product(&r->Y, f, d, 1, sigma, b);
    add_product(&r->Z, nv, f, 1, b, w);
    add_product(&r->full[2], nv, nv, 1, w, to->left);
    for (int i = 0; i < nv; i++)
        to->y[2][i] += w[i];

    for (int i = 0; i < f; i++) {
        to->rate[i] = a[i] + dot_column(&l->E, i, to->y[0]);
        b[i] = dot_column(&l->E, i, to->y[1]);
    }
    for (int i = 0; i < d; i++)
        sigma[i] += dot_column(&r->Y, i, b) + dot_column(&l->Yt, i, a);
    for (int i = 0; i < d - l->massless && l->massless > 0; i++)
        to->rate[f + i] = dot_column(&l->R, i, sigma);
}
