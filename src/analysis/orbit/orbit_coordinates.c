/* Independent coordinates of states that meet the constraints; see orbit.h for the formulas. */
#include "analysis/orbit/orbit.h"
#include "group/block.h"

#include <math.h>
#include <string.h>

/* ---- onto the constraints ------------------------------------------------------------------- */

/* Roundings of the largest coordinate or velocity that a constraint may miss. */
static const double ROUNDINGS = 1e-14;

enum { CORRECTIONS = 20 };

/* One level: positions by smallest changes of q, or velocities by those of v. */
static nt_status settle_level(nt_orbit *o, nt_level level, const nt_point *at, double *q, double *v)
{
    const nt_problem *p = o->problem;
    double *rows = o->work, *change = rows + p->nc, before = (double)INFINITY, scale = 1;
    int n = level == NT_POSITION ? p->nh : p->nc;
    const double *values = level == NT_POSITION ? q : v;
    for (int i = 0; i < (level == NT_POSITION ? p->nq : p->nv); i++)
        scale = fmax(scale, fabs(values[i]));
    for (int i = 0; i < CORRECTIONS; i++) {
        nt_terms terms = {.level = level, .rows = rows};
        nt_status status = nt_problem_evaluate(p, at, &terms);
        double worst = 0;
        for (int j = 0; j < n; j++) {
            worst = fmax(worst, fabs(rows[j]));
            rows[j] = -rows[j];
        }
        if (status != NT_OK || worst <= ROUNDINGS * scale)
            return status;
        if (!(worst < 0.5 * before)) /* no nearer: rounding, or no solution */
            return worst <= 1e-11 * scale ? NT_OK : NT_NOT_CONVERGED;
        before = worst;
        memset(rows + n, 0, (size_t)(p->nc - n) * sizeof *rows);
        nt_projection wanted = {.holonomic_only = level == NT_POSITION, .rhs = rows};
        if ((status = nt_factors_project(o->factors, at, &wanted, change)) != NT_OK)
            return status;
        if (level == NT_POSITION)
            nt_space_compose(&p->space, p->frame, q, change, q);
        else
            for (int j = 0; j < p->nv; j++)
                v[j] += change[j];
    }
    return NT_NOT_CONVERGED;
}

nt_status nt_orbit_settle(nt_orbit *o, double t, double *q, double *v, const double *memory)
{
    const nt_problem *p = o->problem;
    nt_point at = {.t = t, .q = q, .v = v, .memory = memory};
    if (p->nc == 0)
        return NT_OK;
    nt_problem_take_rows(o->problem, memory);
    memset(o->zeros, 0, (size_t)p->n * sizeof *o->zeros);
    at.vdot = o->zeros, at.lambda = o->zeros + p->nv, at.mu = at.lambda + p->nh;
    nt_status status = p->nh > 0 ? settle_level(o, NT_POSITION, &at, q, v) : NT_OK;
    return status == NT_OK ? settle_level(o, NT_VELOCITY, &at, q, v) : status;
}

/* ---- bases ---------------------------------------------------------------------------------- */

/* The rows' derivatives along v or along q, rows[nc][nv]. */
static nt_status constraint_rows(nt_orbit *o, const nt_point *at, bool along_q, double *rows)
{
    const nt_problem *p = o->problem;
    nt_combination one = {.row_damping = !along_q, .row_stiffness = along_q};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = &o->factors->matrix, .combination = &one};
    nt_problem_take_rows(o->problem, at->memory);
    nt_factors_begin(o->factors);
    nt_status status = nt_problem_evaluate(p, at, &terms);
    nt_matrix_dense(&o->factors->matrix, o->dense);
    for (int i = 0; i < p->nc; i++)
        memcpy(rows + (size_t)i * (size_t)p->nv, o->dense + (size_t)(p->nv + i) * (size_t)p->n,
               (size_t)p->nv * sizeof *rows);
    for (int i = 0; i < p->n_off; i++)
        memset(rows + (size_t)p->off[i] * (size_t)p->nv, 0, (size_t)p->nv * sizeof *rows);
    return status;
}

/* A row of constraints counts as dependent on others where its singular value is this part of the
 * largest. */
static const double DEPENDENT = 1e-9;

/* The singular value decomposition of rows[n][nv] W^-1, as columns of its transpose: U[nv][nv] its
 * row space and null space, s, V; returns the rank in *rank. */
static nt_status decompose(nt_orbit *o, double *rows, int n, const double *weight, double *s,
                           double *U, double *V, int *rank)
{
    int nv = o->problem->nv, least = n < nv ? n : nv;
    *rank = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nv; j++)
            rows[(size_t)i * (size_t)nv + (size_t)j] /= weight[j];
    nt_status status = nt_dense_svd(nv, n, rows, s, U, V);
    while (*rank < least && s[*rank] > DEPENDENT * s[0])
        ++*rank;
    return status;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* x -= sum (x . e_i) e_i for rows e[count][n] */
static void remove_parts(double *x, const double *e, int count, int n)
{
    for (int i = 0; i < count; i++, e += n) {
        double part = dot(x, e, n);
        for (int j = 0; j < n; j++)
            x[j] -= part * e[j];
    }
}

/* The null space as rows basis[count][nv]: those of U; or, where a basis stands there already, that
 * one brought into this null space, so that bases go on smoothly from state to state. */
static void take_basis(const double *U, int rank, int nv, double *basis, int count, bool follow)
{
    const double *null = U + (size_t)rank * (size_t)nv;
    bool good = follow;
    for (int i = 0; i < count && good; i++) {
        double *x = basis + (size_t)i * (size_t)nv;
        for (int again = 0; again < 2; again++) {
            remove_parts(x, U, rank, nv);
            remove_parts(x, basis, i, nv);
        }
        double length = sqrt(dot(x, x, nv));
        good = length > 0.1;
        for (int j = 0; j < nv && good; j++)
            x[j] /= length;
    }
    if (!good)
        memcpy(basis, null, (size_t)count * (size_t)nv * sizeof *basis);
}

/* C of each coordinate of position: the smallest change of v that meets the rows after dq, from
 * the decomposition of A V^-1 = V_r s U_r^T; D[nc][nv] the rows' derivatives along q. */
static void follow_positions(nt_orbit *o, nt_orbit_node *node, const double *D, const double *s,
                             const double *U, const double *V, int rank)
{
    int nv = o->problem->nv, nc = o->problem->nc;
    double *b = o->zeros;
    for (int k = 0; k < o->mp; k++) {
        const double *dq = node->dq + (size_t)k * (size_t)nv;
        double *dv = node->dv + (size_t)k * (size_t)nv;
        for (int i = 0; i < nc; i++)
            b[i] = -dot(D + (size_t)i * (size_t)nv, dq, nv);
        memset(dv, 0, (size_t)nv * sizeof *dv);
        for (int r = 0; r < rank; r++) {
            const double *u = U + (size_t)r * (size_t)nv;
            double factor = 0;
            for (int i = 0; i < nc; i++) /* V^T as LAPACK gives it: V[column][row] */
                factor += V[(size_t)i * (size_t)nc + (size_t)r] * b[i];
            for (int j = 0; j < nv; j++)
                dv[j] += factor / s[r] * u[j] / o->rate_weight[j];
        }
    }
}

/* What decompositions of the constraints' derivatives at a state leave in the orbit's work. */
typedef struct decomposed {
    const double *D, *s, *U, *V, *Up;
    int rank_p, rank_v;
} decomposed;

static nt_status decompose_at(nt_orbit *o, nt_point at, decomposed *out)
{
    const nt_problem *p = o->problem;
    size_t nv = (size_t)p->nv, nc = (size_t)p->nc;
    double *G = o->work, *A = G + (nc + nv) * nv, *D = A + nc * nv, *s = D + nc * nv;
    double *U = s + 2 * (nc + nv), *V = U + nv * nv, *Up = V + nc * nc, *Vp = Up + nv * nv;
    double *sp = s + nc + nv;
    int n = p->nh;
    *out = (decomposed){.D = D, .s = s, .U = U, .V = V, .Up = Up};
    memset(o->zeros, 0, (size_t)p->n * sizeof *o->zeros);
    at.vdot = o->zeros, at.lambda = o->zeros + p->nv, at.mu = at.lambda + p->nh;
    nt_status status = constraint_rows(o, &at, true, D);
    if (status == NT_OK)
        status = constraint_rows(o, &at, false, A);
    if (status != NT_OK)
        return status;
    memcpy(G, A, (size_t)n * nv * sizeof *G);
    for (int i = 0; i < p->nv; i++) /* unknowns of first order have no position that could change */
        if (o->first[i]) {
            memset(G + (size_t)n * nv, 0, nv * sizeof *G);
            G[(size_t)n++ * nv + (size_t)i] = 1;
        }
    status = decompose(o, G, n, o->weight, sp, Up, Vp, &out->rank_p);
    return status == NT_OK ? decompose(o, A, p->nc, o->rate_weight, s, U, V, &out->rank_v) : status;
}

nt_status nt_orbit_count(nt_orbit *o, double t, const double *q, const double *v,
                         const double *memory)
{
    decomposed d;
    nt_status status = decompose_at(o, (nt_point){.t = t, .q = q, .v = v, .memory = memory}, &d);
    o->mp = o->problem->nv - d.rank_p, o->mv = o->problem->nv - d.rank_v;
    return status;
}

nt_status nt_orbit_bases(nt_orbit *o, double t, nt_orbit_node *node)
{
    const nt_problem *p = o->problem;
    size_t nv = (size_t)p->nv;
    decomposed d;
    const nt_point at = {.t = t, .q = node->q, .v = node->v, .memory = node->memory};
    nt_status status = decompose_at(o, at, &d);
    if (status != NT_OK)
        return status;
    if (p->nv - d.rank_p != o->mp || p->nv - d.rank_v != o->mv)
        return NT_SINGULAR;
    take_basis(d.Up, d.rank_p, p->nv, node->np, o->mp, node->has_bases);
    take_basis(d.U, d.rank_v, p->nv, node->nv, o->mv, node->has_bases);
    node->has_bases = true;
    memset(node->dq, 0, (size_t)o->m * nv * sizeof *node->dq);
    for (size_t k = 0; k < (size_t)o->m; k++)
        for (size_t j = 0; j < nv; j++) {
            if (k < (size_t)o->mp)
                node->dq[k * nv + j] = o->first[j] ? 0 : node->np[k * nv + j] / o->weight[j];
            else
                node->dv[k * nv + j] = node->nv[(k - (size_t)o->mp) * nv + j] / o->rate_weight[j];
        }
    follow_positions(o, node, d.D, d.s, d.U, d.V, d.rank_v);
    return NT_OK;
}

void nt_orbit_coordinates(const nt_orbit *o, const nt_orbit_node *node, const double *dq,
                          const double *dv, double *z)
{
    int nv = o->problem->nv;
    for (int k = 0; k < o->m; k++) {
        bool position = k < o->mp;
        const double *e = position ? node->np + (size_t)k * (size_t)nv
                                   : node->nv + (size_t)(k - o->mp) * (size_t)nv;
        const double *x = position ? dq : dv, *weight = position ? o->weight : o->rate_weight;
        z[k] = 0;
        for (int j = 0; j < nv; j++)
            z[k] += e[j] * weight[j] * (position && o->first[j] ? 0 : x[j]);
    }
}

nt_status nt_orbit_to_initial(nt_orbit *o, double *z)
{
    const nt_problem *p = o->problem;
    const nt_orbit_node *first = &o->node[0];
    double *q = o->given, *v = q + p->nq, *memory = v + p->nv, *dq = o->again;
    nt_status status = o->system->initial(o->system->self, o->wanted.start, q, v, memory);
    if (status != NT_OK)
        return status;
    nt_space_difference(&p->space, p->frame, first->q, q, dq);
    for (int i = 0; i < p->nv; i++)
        dq[p->nv + i] = v[i] - first->v[i];
    nt_orbit_coordinates(o, first, dq, dq + p->nv, z);
    return NT_OK;
}

nt_status nt_orbit_move(nt_orbit *o, double t, nt_orbit_node *node, const double *z)
{
    const nt_problem *p = o->problem;
    double *dq = o->work;
    memset(dq, 0, (size_t)p->nv * sizeof *dq);
    for (int k = 0; k < o->m; k++)
        for (int j = 0; j < p->nv; j++) {
            size_t at = (size_t)k * (size_t)p->nv + (size_t)j;
            dq[j] += z[k] * node->dq[at];
            node->v[j] += z[k] * node->dv[at];
        }
    nt_space_compose(&p->space, p->frame, node->q, dq, node->q);
    nt_status status = nt_orbit_settle(o, t, node->q, node->v, node->memory);
    return status == NT_OK ? nt_orbit_bases(o, t, node) : status;
}
