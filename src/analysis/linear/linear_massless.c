/* Directions without mass: bodies that joints and springs hold, and unknowns of first order, whose
 * rates follow at once. See linear.h for the equations. */
#include "analysis/lapack.h"
#include "analysis/linear/linear.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Z Y has orthonormal columns: what they leave in coordinates with mass below this part of 1 is
 * rounding. */
static const double NO_PART = 1e-9;

/* Whether anything has mass along coordinate i, by its row of M or its column. */
static bool has_mass(const nt_linear *l, int i, bool row)
{
    const nt_columns *M = &l->r.full[2];
    for (int j = 0; j < l->pencil->nv; j++)
        if ((row ? *nt_entry(M, i, j) : *nt_entry(M, j, i)) != 0)
            return true;
    return false;
}

/* Orthonormal bases of those combinations of Z Y (rows: Zl Yl) that move something with mass, and
 * of those that do not. */
static nt_status part_by_mass(nt_linear *l, bool rows, nt_columns *with, nt_columns *without)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    nt_basis basis;
    nt_columns W =
        nt_columns_product(&l->arena, false, rows ? &r->Zl : &r->Z, rows ? &r->Yl : &r->Y);
    nt_columns T = W.a ? nt_columns_transposed(&l->arena, &W) : W;
    if (!T.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < nv; i++)
        if (!has_mass(l, i, rows))
            memset(nt_entry(&T, 0, i), 0, (size_t)T.rows * sizeof *T.a);
    nt_status status = nt_basis_find(&l->arena, &T, NO_PART, &basis);
    if (status != NT_OK)
        return status;
    if (T.columns == 0 || fabs(*nt_entry(&basis.R, 0, 0)) <= NO_PART)
        basis.rank = 0; /* nothing has mass */
    *with = nt_basis_range(&basis);
    *without = nt_basis_complement(&basis);
    return NT_OK;
}

/* Z Y N: how the directions without mass move everything. */
static nt_columns massless_moves(nt_linear *l)
{
    nt_columns YN = nt_columns_product(&l->arena, false, &l->r.Y, &l->N);
    return YN.a ? nt_columns_product(&l->arena, false, &l->r.Z, &YN) : YN;
}

/* The coordinate that moves most with x[massless]; where `bodies`, unknowns of first order aside:
 * -1 where none does. */
static int leading_coordinate(const nt_linear *l, const nt_columns *moves, const double *x,
                              bool bodies)
{
    int chosen = -1;
    double most = NO_PART;
    for (int i = 0; i < l->pencil->nv; i++) {
        double sum = 0;
        for (int k = 0; k < l->massless; k++)
            sum += *nt_entry(moves, i, k) * x[k];
        if (fabs(sum) > most && !(bodies && l->pencil->first_order[i]))
            most = fabs(sum), chosen = i;
    }
    return chosen;
}

/* Under way N would have to go along with the motion, but for unknowns of first order. */
static nt_status refuse_bodies(nt_linear *l, nt_error *error)
{
    char name[160];
    nt_columns moves = massless_moves(l);
    double *x = NT_TAKE(&l->arena, l->massless, double);
    if (!moves.a || !x)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int k = 0; k < l->massless; k++) {
        memset(x, 0, (size_t)l->massless * sizeof *x);
        x[k] = 1;
        int i = leading_coordinate(l, &moves, x, true);
        if (i < 0)
            continue;
        nt_problem_coordinate_name(l->pencil->problem, i, name, sizeof name);
        return nt_fail(error, NT_UNSUPPORTED,
                       "no linear model under way: %s has no mass; expected mass, or a state "
                       "that rests or is steady",
                       name);
    }
    return NT_OK;
}

nt_status nt_linear_take_mass(nt_linear *l, nt_error *error)
{
    const nt_reduced *r = &l->r;
    nt_columns half = nt_columns_product(&l->arena, false, &r->M, &r->Y);
    l->Mr = half.a ? nt_columns_product(&l->arena, true, &r->Yl, &half) : half;
    l->pivots = NT_TAKE(&l->arena, r->d + 1, int);
    if (!l->Mr.a || !l->pivots)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = part_by_mass(l, false, &l->R, &l->N);
    if (status == NT_OK)
        status = part_by_mass(l, true, &l->U, &l->L);
    if (status != NT_OK)
        return nt_fail(error, status, "masses: %s", nt_status_text(status));
    l->massless = l->N.columns;
    if (l->L.columns == l->massless && l->massless > 0) {
        half = nt_columns_product(&l->arena, false, &l->Mr, &l->R);
        l->Mr = half.a ? nt_columns_product(&l->arena, true, &l->U, &half) : half;
        if (!l->Mr.a)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    int m = l->Mr.rows, info = 0;
    if (m > 0 && l->L.columns == l->massless)
        dgetrf_(&m, &m, l->Mr.a, &m, l->pivots, &info);
    if (info != 0 || l->L.columns != l->massless)
        return nt_fail(error, NT_SINGULAR,
                       "no states: some combination of displacements has no mass");
    return l->massless == 0 || l->steady ? NT_OK : refuse_bodies(l, error);
}

void nt_linear_massless_left(nt_linear *l, const double *left, double *out)
{
    const nt_reduced *r = &l->r;
    double *along = l->scratch, *force = along + r->f;
    memset(along, 0, ((size_t)r->f + (size_t)r->d) * sizeof *along);
    memset(out, 0, (size_t)l->massless * sizeof *out);
    for (int j = 0; j < r->f; j++)
        for (int i = 0; i < r->Zl.rows; i++)
            along[j] += *nt_entry(&r->Zl, i, j) * left[i];
    for (int m = 0; m < r->d; m++)
        for (int j = 0; j < r->f; j++)
            force[m] += *nt_entry(&r->Yl, j, m) * along[j];
    for (int k = 0; k < l->massless; k++)
        for (int m = 0; m < r->d; m++)
            out[k] += *nt_entry(&l->L, m, k) * force[m];
}

/* Whether G has full rank as far as rounding tells; *x: what it takes to nothing, where not. */
static nt_status is_regular(nt_linear *l, bool *regular, double **x)
{
    nt_basis rows;
    nt_columns T = nt_columns_transposed(&l->arena, &l->G);
    nt_status status = T.a ? nt_basis_find(&l->arena, &T, 1e-12, &rows) : NT_NO_MEMORY;
    if (status != NT_OK)
        return status;
    bool nothing = !(fabs(*nt_entry(&rows.R, 0, 0)) > 0);
    *regular = rows.rank == l->massless && !nothing;
    *x = nt_entry(&rows.Q, 0, l->massless - 1);
    return NT_OK;
}

nt_status nt_linear_take_massless(nt_linear *l, nt_error *error)
{
    int q = l->massless, d = l->r.d, info = 0;
    nt_linear_direction along;
    char name[160];
    if (q == 0)
        return NT_OK;
    l->G = nt_columns_take(&l->arena, q, q);
    l->massless_pivots = NT_TAKE(&l->arena, q, int);
    if (!l->G.a || !l->massless_pivots || nt_linear_take_direction(l, &along) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int k = 0; k < q; k++) {
        memcpy(l->s, nt_entry(&l->N, 0, k), (size_t)d * sizeof *l->s);
        nt_linear_displace(l, NULL, l->s, -1, 0, &along);
        nt_linear_massless_left(l, along.left, nt_entry(&l->G, 0, k));
    }
    bool regular;
    double *x;
    nt_status status = is_regular(l, &regular, &x);
    if (status == NT_OK && regular)
        dgetrf_(&q, &q, l->G.a, &q, l->massless_pivots, &info);
    if (status != NT_OK)
        return nt_fail(error, status, "masses: %s", nt_status_text(status));
    if (regular && info == 0)
        return NT_OK;
    nt_columns moves = massless_moves(l);
    int i = moves.a ? leading_coordinate(l, &moves, x, false) : -1;
    if (i < 0)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_problem_coordinate_name(l->pencil->problem, i, name, sizeof name);
    return nt_fail(error, NT_SINGULAR,
                   "no states: %s has neither mass nor damping, so that it follows the others at "
                   "once; expected one of them",
                   name);
}
