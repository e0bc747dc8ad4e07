/* Joints between two bodies that are given by their equations alone: everything that follows from
 * these is found by differences.
 *
 *   Phi(x_A, R_A, x_B, R_B, t) = 0
 *
 * With displacements e = (dx_A, dtheta_A, dx_B, dtheta_B), R turned to exp(dtheta) R, its
 * derivatives are J = dPhi/de. The rows of velocities and of accelerations are derivatives of
 * Phi along the motion, x(s) = x + s v + s^2 a/2 and R(s) = exp(s w + s^2 alpha/2) R, whose first
 * two derivatives at s = 0 are those of the body. The multipliers act as R += J^T lambda. */
#include "base/error.h"
#include "base/vector3.h"
#include "model/forces/load.h"
#include "model/joints/joint_rows.h"

#include <math.h>
#include <nutate/group.h>

enum { MOST_ROWS = 6, WAYS = 12 };

/* What is differenced. */
typedef struct rows_law {
    const nt_element *element;
    const nt_view *view;
    nt_pair_rows law;
    double time_step; /* s */
    int n;
} rows_law;

/* 3e-3 of a length of the model or of a radian: differences of fourth order are then good to 1e-12,
 * by truncation and by rounding; those of second order to 1e-5. */
static const double WAY_STEP = 3e-3;

/* ---- places beside the motion --------------------------------------------------------------- */

static m3 turned(v3 psi, m3 R)
{
    double vector[3], q[4];
    v3_store(vector, psi);
    nt_so3_exp(vector, q);
    return m3_multiply(quat_matrix(quat_load(q)), R);
}

/* Displaces one of the two bodies along way i. */
static void displace(nt_motion at[2], int i, double s)
{
    nt_motion *m = &at[i / 6];
    v3 step = v3_of(i % 3 == 0 ? s : 0, i % 3 == 1 ? s : 0, i % 3 == 2 ? s : 0);
    if (i % 6 < 3)
        m->x = v3_add(m->x, step);
    else
        m->R = turned(step, m->R);
}

static double way_step(const rows_law *p, int i)
{
    return i % 6 < 3 ? WAY_STEP * p->view->run->length : WAY_STEP;
}

/* Whether nothing moves along way i: those of the ground. */
static bool is_still(const rows_law *p, int i)
{
    return (i < 6 ? p->element->a : p->element->b) == 0;
}

static nt_status phi(const rows_law *p, double s, const nt_motion at[2], double *out)
{
    return p->law(p->element, p->view, p->view->at->t + s, &at[0], &at[1], out, NULL);
}

static nt_status phi_along(const rows_law *p, const nt_motion at[2], double s, double *out)
{
    nt_motion there[2] = {at[0], at[1]};
    for (int i = 0; i < 2; i++) {
        nt_motion *m = &there[i];
        m->x = v3_axpy(s, m->v, v3_axpy(s * s / 2, m->a, m->x));
        m->R = turned(v3_axpy(s, m->w, v3_scale(s * s / 2, m->alpha)), m->R);
    }
    return phi(p, s, there, out);
}

/* A step in time in which bodies move as far as WAY_STEP; at most a millisecond, for what depends
 * on the time itself. */
static double time_step(const nt_view *view, const nt_motion at[2])
{
    double rate = 0, length = view->run->length;
    for (int i = 0; i < 2; i++) {
        rate = fmax(rate, fmax(v3_norm(at[i].w), v3_norm(at[i].v) / length));
        rate = fmax(rate, sqrt(fmax(v3_norm(at[i].alpha), v3_norm(at[i].a) / length)));
    }
    return fmin(1e-3, WAY_STEP / fmax(rate, 1e-300));
}

/* ---- the rows and their derivatives --------------------------------------------------------- */

/* Phi, or its first or second derivative along the motion. */
static nt_status rows_at(const rows_law *p, nt_level level, const nt_motion at[2], double *out)
{
    static const double weights[3][5] = {{0, 0, 1, 0, 0}, {1, -8, 0, 8, -1}, {-1, 16, -30, 16, -1}};
    double h = p->time_step;
    const double scale[3] = {1, 1 / (12 * h), 1 / (12 * h * h)};
    double value[MOST_ROWS], sum[MOST_ROWS] = {0};
    for (int k = 0; k < 5; k++) {
        if (weights[level][k] == 0)
            continue;
        nt_status status = phi_along(p, at, (k - 2) * h, value);
        if (status != NT_OK)
            return status;
        for (int r = 0; r < p->n; r++)
            sum[r] += weights[level][k] * value[r];
    }
    for (int r = 0; r < p->n; r++)
        out[r] = scale[level] * sum[r];
    return NT_OK;
}

/* J[n][12]: what the law gives, or differences of Phi, of fourth order or (coarse) of second. */
static nt_status gradient(const rows_law *p, const nt_motion at[2], bool coarse, double *J)
{
    double value[MOST_ROWS];
    for (int i = 0; i < p->n * WAYS; i++)
        J[i] = (double)NAN;
    nt_status status = p->law(p->element, p->view, p->view->at->t, &at[0], &at[1], value, J);
    if (status != NT_OK || !isnan(J[0]))
        return status;
    for (int i = 0; i < WAYS && status == NT_OK; i++) {
        double h = way_step(p, i), sum[MOST_ROWS] = {0};
        for (int k = coarse ? -1 : -2; k <= (coarse ? 1 : 2) && !is_still(p, i); k++) {
            double weight = coarse ? k / (2 * h) : (k % 2 ? 8 * k : -k / 2) / (12 * h);
            nt_motion there[2] = {at[0], at[1]};
            if (k == 0)
                continue;
            displace(there, i, k * h);
            status = phi(p, 0, there, value);
            if (status != NT_OK)
                return status;
            for (int r = 0; r < p->n; r++)
                sum[r] += weight * value[r];
        }
        for (int r = 0; r < p->n; r++)
            J[r * WAYS + i] = sum[r];
    }
    return status;
}

/* How the rows of a level change along displacements: D[n][12]. */
static nt_status level_gradient(const rows_law *p, nt_level level, const nt_motion at[2], double *D)
{
    double value[2][MOST_ROWS];
    for (int i = 0; i < WAYS; i++) {
        double h = way_step(p, i);
        for (int side = 0; side < 2; side++) {
            nt_motion there[2] = {at[0], at[1]};
            displace(there, i, side == 0 ? -h : h);
            nt_status status = is_still(p, i) ? NT_OK : rows_at(p, level, there, value[side]);
            if (status != NT_OK)
                return status;
        }
        for (int r = 0; r < p->n; r++)
            D[r * WAYS + i] = is_still(p, i) ? 0 : (value[1][r] - value[0][r]) / (2 * h);
    }
    return NT_OK;
}

/* How the rows of accelerations change with velocities: those of quadratic terms, so that
 * differences of any size are exact. */
static nt_status rate_gradient(const rows_law *p, const nt_motion at[2], double *D)
{
    double value[2][MOST_ROWS];
    for (int i = 0; i < WAYS; i++) {
        double h = (i % 6 < 3 ? p->view->run->length : 1) * WAY_STEP / p->time_step;
        for (int side = 0; side < 2; side++) {
            nt_motion there[2] = {at[0], at[1]};
            v3 *rate = i % 6 < 3 ? &there[i / 6].v : &there[i / 6].w;
            double s = side == 0 ? -h : h;
            *rate =
                v3_add(*rate, v3_of(i % 3 == 0 ? s : 0, i % 3 == 1 ? s : 0, i % 3 == 2 ? s : 0));
            nt_status status =
                is_still(p, i) ? NT_OK : rows_at(p, NT_ACCELERATION, there, value[side]);
            if (status != NT_OK)
                return status;
        }
        for (int r = 0; r < p->n; r++)
            D[r * WAYS + i] = is_still(p, i) ? 0 : (value[1][r] - value[0][r]) / (2 * h);
    }
    return NT_OK;
}

/* ---- adding --------------------------------------------------------------------------------- */

static void put_gradient(const double *row, v3 *xa, v3 *ta, v3 *xb, v3 *tb)
{
    *xa = v3_load(row), *ta = v3_load(row + 3), *xb = v3_load(row + 6), *tb = v3_load(row + 9);
}

static nt_status add_row_of(const rows_law *p, const nt_motion at[2], const double *J)
{
    const nt_terms *terms = p->view->terms;
    double value[MOST_ROWS] = {0}, D[MOST_ROWS * WAYS] = {0}, C[MOST_ROWS * WAYS] = {0};
    nt_status status = terms->rows ? rows_at(p, terms->level, at, value) : NT_OK;
    bool wanted = terms->matrix && terms->level != NT_POSITION;
    const nt_combination *c = terms->combination;
    if (status == NT_OK && wanted && c->row_stiffness != 0)
        status = level_gradient(p, terms->level, at, D);
    if (status == NT_OK && wanted && terms->level == NT_ACCELERATION &&
        (c->row_damping != 0 || c->row_stiffness != 0))
        status = rate_gradient(p, at, C);
    for (int r = 0; r < p->n && status == NT_OK; r++) {
        joint_row row = {.value = value[r]};
        const double *Jr = J + r * WAYS, *Dr = D + r * WAYS, *Cr = C + r * WAYS;
        put_gradient(Jr, &row.force_a, &row.moment_a, &row.force_b, &row.moment_b);
        put_gradient(terms->level == NT_POSITION ? Jr : Dr, &row.a.x, &row.a.theta, &row.b.x,
                     &row.b.theta);
        if (terms->level != NT_POSITION)
            put_gradient(terms->level == NT_VELOCITY ? Jr : Cr, &row.a.v, &row.a.w, &row.b.v,
                         &row.b.w);
        if (terms->level == NT_ACCELERATION)
            put_gradient(Jr, &row.a.a, &row.a.alpha, &row.b.a, &row.b.alpha);
        nt_joint_add_row(p->element, p->view, &row, r);
    }
    return status;
}

/* The derivative of J^T lambda along displacements. */
static nt_status add_force_tangent(const rows_law *p, const nt_motion at[2])
{
    const double *lambda = p->view->lambda + p->element->first_row;
    nt_pair_derivative rows[NT_PAIR_NODES] = {0};
    double J[2][MOST_ROWS * WAYS];
    for (int j = 0; j < WAYS; j++) {
        double h = way_step(p, j);
        if (is_still(p, j))
            continue;
        for (int side = 0; side < 2; side++) {
            nt_motion there[2] = {at[0], at[1]};
            displace(there, j, side == 0 ? -h : h);
            nt_status status = gradient(p, there, true, J[side]);
            if (status != NT_OK)
                return status;
        }
        for (int i = 0; i < WAYS; i++) {
            double sum = 0;
            for (int r = 0; r < p->n; r++)
                sum += lambda[r] * (J[1][r * WAYS + i] - J[0][r * WAYS + i]) / (2 * h);
            (&rows[i / 3].q[j / 3].xx)[3 * (i % 3) + j % 3] = sum;
        }
    }
    for (int row = 0; row < NT_PAIR_NODES; row++)
        nt_pair_add(p->element, p->view, row, &rows[row]);
    return NT_OK;
}

/* Equations that move with the time do work: lambda Phi_t; none without multipliers. */
static nt_status add_power(const rows_law *p, const nt_motion at[2])
{
    nt_motion still[2] = {at[0], at[1]};
    double rate[MOST_ROWS];
    for (int i = 0; i < 2; i++)
        still[i].v = still[i].w = still[i].a = still[i].alpha = v3_of(0, 0, 0);
    nt_status status = rows_at(p, NT_VELOCITY, still, rate);
    for (int r = 0; p->view->lambda && r < p->n && status == NT_OK; r++)
        p->view->energy->power += p->view->lambda[p->element->first_row + r] * rate[r];
    return status;
}

nt_status nt_element_add_rows(const nt_element *element, const nt_view *view, nt_pair_rows law)
{
    NT_NEED(NULL, "element view law", element, view, law ? view : NULL);
    nt_motion at[2] = {view->motion[element->a], view->motion[element->b]};
    double J[MOST_ROWS * WAYS];
    for (int i = 0; i < 2 && !view->energy && view->terms->level != NT_ACCELERATION; i++)
        at[i].a = at[i].alpha = v3_of(0, 0, 0); /* they do not count, and may not be there */
    const rows_law p = {element, view, law, time_step(view, at), element->n_rows};
    if (p.n > MOST_ROWS)
        return NT_INVALID;
    if (view->energy)
        return add_power(&p, at);
    bool forces = (view->terms->parts & NT_REACTIONS) && view->terms->residual;
    for (int i = 0; i < p.n * WAYS; i++)
        J[i] = 0;
    nt_status status = forces || view->terms->matrix ? gradient(&p, at, false, J) : NT_OK;
    if (status == NT_OK)
        status = add_row_of(&p, at, J);
    if (status == NT_OK && view->terms->matrix && (view->terms->parts & NT_REACTIONS) &&
        view->terms->combination->stiffness != 0)
        status = add_force_tangent(&p, at);
    return status;
}

/* Multipliers and forces couple everything. */
nt_status nt_element_couple_rows(nt_model *model, nt_element *element)
{
    nt_status status = NT_OK;
    NT_NEED(NULL, "model element", model, element);
    for (int i = 0; i <= NT_ROWS; i++)
        for (int j = 0; j <= NT_ROWS && status == NT_OK; j++)
            if (i != NT_ROWS || j != NT_ROWS)
                status = nt_element_couple(model, element, i, j, NT_FULL);
    return status;
}
