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
#include <stdlib.h>

enum { MOST_ROWS = 6, WAYS = 12 };

/* What is differenced. */
typedef struct rows_law {
    const nt_element *element;
    const nt_view *view;
    nt_pair_rows law;
    int n;
    double first, second; /* s, steps of first and second derivatives along the motion */
    bool gives;           /* the law gives J                                           */
    bool is_timed;        /* it depends on the time                                    */
    bool grounds;         /* derivatives in the place of the ground are wanted as well */
} rows_law;

/* Differences of sixth order, by values on both sides. */
enum { STENCIL = 3 };
static const double first_weight[STENCIL] = {3. / 4, -3. / 20, 1. / 60};
static const double second_weight[STENCIL] = {3. / 2, -3. / 20, 1. / 90}, second_middle = -49. / 18;

/* Parts of a length of the model, or of a radian. Of what changes over a whole one first
 * derivatives are good to 1e-13, by truncation and by rounding, and second ones to 1e-10; of what
 * changes over a twentieth of it both to 1e-7 or better. */
static const double WAY_STEP = 4e-3, SECOND_STEP = 1e-2;

/* s: of laws that depend on the time, and the factor between tries. */
static const double TIME_STEP = 1e-3, FINER = 0.25;
enum { TIME_TRIES = 4 };

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
    return (i < 6 ? p->element->a : p->element->b) == 0 && !p->grounds;
}

static nt_status phi(const rows_law *p, double s, const nt_motion at[2], double *out)
{
    return p->law(p->element, p->view, p->view->at->t + s, &at[0], &at[1], out, NULL);
}

static void move_along(nt_motion there[2], double s)
{
    for (int i = 0; i < 2; i++) {
        nt_motion *m = &there[i];
        m->x = v3_axpy(s, m->v, v3_axpy(s * s / 2, m->a, m->x));
        m->R = turned(v3_axpy(s, m->w, v3_scale(s * s / 2, m->alpha)), m->R);
    }
}

static nt_status phi_along(const rows_law *p, const nt_motion at[2], double s, double *out)
{
    nt_motion there[2] = {at[0], at[1]};
    move_along(there, s);
    return phi(p, s, there, out);
}

/* The second derivative in time of what stands still, by steps of h; the largest of it and of the
 * values themselves. Values that are all the same: the law does not depend on the time. */
static nt_status time_curvature(const rows_law *p, const nt_motion at[2], double h, double *sum,
                                double *size, bool *is_same)
{
    double middle[MOST_ROWS], value[MOST_ROWS];
    nt_status status = phi(p, 0, at, middle);
    for (int r = 0; r < p->n && status == NT_OK; r++) {
        sum[r] = second_middle * middle[r];
        *size = fmax(*size, fabs(middle[r]));
    }
    for (int k = -STENCIL; k <= STENCIL && status == NT_OK; k++) {
        status = k == 0 ? NT_OK : phi(p, k * h, at, value);
        for (int r = 0; r < p->n && k != 0 && status == NT_OK; r++) {
            sum[r] += second_weight[abs(k) - 1] * value[r];
            *is_same = *is_same && value[r] == middle[r];
            *size = fmax(*size, fabs(value[r]));
        }
    }
    for (int r = 0; r < p->n; r++)
        sum[r] /= h * h;
    return status;
}

/* A step in time at which differences of the law, of what stands still, are as good as they get:
 * shorter ones give the same but for rounding. Infinite where it does not depend on the time. */
static nt_status time_scale(const rows_law *p, const nt_motion at[2], double *step)
{
    static const double ALIKE = 1e-9, ROUNDING = 3e-15;
    double h = TIME_STEP, coarse[MOST_ROWS], fine[MOST_ROWS], size = 0;
    bool is_same = true;
    nt_status status = time_curvature(p, at, h, coarse, &size, &is_same);
    if (is_same)
        h = (double)INFINITY;
    for (int i = 0; i < TIME_TRIES && status == NT_OK && !is_same; i++) {
        double finer = FINER * h, apart = 0, most = 0;
        status = time_curvature(p, at, finer, fine, &size, &is_same);
        for (int r = 0; r < p->n && status == NT_OK; r++) {
            apart = fmax(apart, fabs(fine[r] - coarse[r]));
            most = fmax(most, fabs(fine[r]));
            coarse[r] = fine[r];
        }
        if (apart <= ALIKE * most + ROUNDING * size / (finer * finer))
            break;
        h = finer;
    }
    *step = h;
    return status;
}

/* Steps in time in which bodies move as far as by the steps of places, and as short as the law's
 * own dependence on the time wants. */
static nt_status find_time_steps(rows_law *p, const nt_motion at[2])
{
    double rate = 0, length = p->view->run->length, most = 0;
    for (int i = 0; i < 2; i++) {
        rate = fmax(rate, fmax(v3_norm(at[i].w), v3_norm(at[i].v) / length));
        rate = fmax(rate, sqrt(fmax(v3_norm(at[i].alpha), v3_norm(at[i].a) / length)));
    }
    nt_status status = time_scale(p, at, &most);
    double still = isfinite(most) ? most : 1;
    p->is_timed = isfinite(most);
    p->first = rate > 0 ? fmin(most, WAY_STEP / rate) : still;
    p->second = rate > 0 ? fmin(most, SECOND_STEP / rate) : still;
    return status;
}

/* ---- the rows and their derivatives --------------------------------------------------------- */

/* How the law changes in time alone, of what stands still. */
static nt_status time_rate(const rows_law *p, double s, const nt_motion at[2], double *out)
{
    double value[MOST_ROWS];
    for (int r = 0; r < p->n; r++)
        out[r] = 0;
    for (int k = -STENCIL; k <= STENCIL && p->is_timed; k++) {
        nt_status status = k == 0 ? NT_OK : phi(p, s + k * p->first, at, value);
        if (status != NT_OK)
            return status;
        for (int r = 0; r < p->n && k != 0; r++)
            out[r] += (k < 0 ? -1 : 1) * first_weight[abs(k) - 1] * value[r] / p->first;
    }
    return NT_OK;
}

/* J[n][12] as the law gives it; *gives: it does. */
static nt_status given_gradient(const rows_law *p, double s, const nt_motion at[2], double *J,
                                bool *gives)
{
    double value[MOST_ROWS];
    for (int i = 0; i < p->n * WAYS; i++)
        J[i] = (double)NAN;
    nt_status status = p->law(p->element, p->view, p->view->at->t + s, &at[0], &at[1], value, J);
    *gives = !isnan(J[0]);
    return status;
}

/* sums[n] += weight J (v of A, w of A, v of B, w of B) */
static void add_product(const rows_law *p, const double *J, const v3 of[4], double weight,
                        double *sums)
{
    for (int r = 0; r < p->n; r++)
        for (int i = 0; i < 4; i++)
            sums[r] += weight * v3_dot(v3_load(J + r * WAYS + 3 * i), of[i]);
}

/* Rows of accelerations of a law that gives J: J a and the rate of J v + Phi_t along the motion
 * with v held, whose difference is more exact than a second difference of Phi. */
static nt_status accelerations(const rows_law *p, const nt_motion at[2], double *out)
{
    const v3 v[4] = {at[0].v, at[0].w, at[1].v, at[1].w};
    const v3 a[4] = {at[0].a, at[0].alpha, at[1].a, at[1].alpha};
    double J[MOST_ROWS * WAYS], rate[MOST_ROWS];
    bool gives;
    nt_status status = given_gradient(p, 0, at, J, &gives);
    for (int r = 0; r < p->n; r++)
        out[r] = 0;
    if (status == NT_OK && gives)
        add_product(p, J, a, 1, out);
    for (int k = -STENCIL; k <= STENCIL && status == NT_OK && gives; k++) {
        double weight = k == 0 ? 0 : (k < 0 ? -1 : 1) * first_weight[abs(k) - 1] / p->first;
        nt_motion there[2] = {at[0], at[1]};
        for (int i = 0; i < 2; i++)
            there[i].a = there[i].alpha = v3_of(0, 0, 0);
        if (k == 0)
            continue;
        move_along(there, k * p->first);
        status = given_gradient(p, k * p->first, there, J, &gives);
        if (status == NT_OK)
            status = time_rate(p, k * p->first, there, rate);
        if (status != NT_OK || !gives)
            break;
        add_product(p, J, v, weight, out);
        for (int r = 0; r < p->n; r++)
            out[r] += weight * rate[r];
    }
    return status == NT_OK && !gives ? NT_NOT_FINITE : status;
}

/* Phi, or its first or second derivative along the motion. */
static nt_status rows_at(const rows_law *p, nt_level level, const nt_motion at[2], double *out)
{
    double h = level == NT_VELOCITY ? p->first : p->second, value[MOST_ROWS], sum[MOST_ROWS] = {0};
    if (level == NT_POSITION)
        return phi(p, 0, at, out);
    if (level == NT_ACCELERATION && p->gives)
        return accelerations(p, at, out);
    for (int k = -STENCIL; k <= STENCIL; k++) {
        double weight = level == NT_VELOCITY ? (k < 0 ? -1 : 1) * first_weight[abs(k) - (k != 0)]
                        : k == 0             ? second_middle
                                             : second_weight[abs(k) - 1];
        nt_status status = k == 0 && level == NT_VELOCITY ? NT_OK : phi_along(p, at, k * h, value);
        if (status != NT_OK)
            return status;
        for (int r = 0; r < p->n && (k != 0 || level != NT_VELOCITY); r++)
            sum[r] += weight * value[r];
    }
    for (int r = 0; r < p->n; r++)
        out[r] = sum[r] / (level == NT_VELOCITY ? h : h * h);
    return NT_OK;
}

/* The derivatives of the rows of a level along displacements, D[n][12]. */
static nt_status level_gradient(const rows_law *p, nt_level level, const nt_motion at[2], double *D)
{
    double value[MOST_ROWS];
    for (int i = 0; i < WAYS; i++) {
        double h = way_step(p, i), sum[MOST_ROWS] = {0};
        for (int k = -STENCIL; k <= STENCIL && !is_still(p, i); k++) {
            nt_motion there[2] = {at[0], at[1]};
            if (k == 0)
                continue;
            displace(there, i, k * h);
            nt_status status = rows_at(p, level, there, value);
            if (status != NT_OK)
                return status;
            for (int r = 0; r < p->n; r++)
                sum[r] += (k < 0 ? -1 : 1) * first_weight[abs(k) - 1] * value[r] / h;
        }
        for (int r = 0; r < p->n; r++)
            D[r * WAYS + i] = sum[r];
    }
    return NT_OK;
}

/* J[n][12]: what the law gives, or differences of Phi. */
static nt_status gradient(rows_law *p, const nt_motion at[2], double *J)
{
    nt_status status = given_gradient(p, 0, at, J, &p->gives);
    return status == NT_OK && !p->gives ? level_gradient(p, NT_POSITION, at, J) : status;
}

/* How the rows of accelerations change with velocities: those of quadratic terms, so that
 * differences of any size are exact. */
static nt_status rate_gradient(const rows_law *p, const nt_motion at[2], double *D)
{
    double value[2][MOST_ROWS];
    for (int i = 0; i < WAYS; i++) {
        double h = (i % 6 < 3 ? p->view->run->length : 1) * SECOND_STEP / p->second;
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

/* H[12][12]: column j holds the derivatives of J^T lambda along way j, of a law that gives J. */
static nt_status force_gradient(const rows_law *p, const nt_motion at[2], double *H)
{
    const double *lambda = p->view->lambda + p->element->first_row;
    double J[MOST_ROWS * WAYS];
    bool gives = true;
    for (int j = 0; j < WAYS; j++) {
        double h = way_step(p, j);
        for (int k = -STENCIL; k <= STENCIL && !is_still(p, j); k++) {
            nt_motion there[2] = {at[0], at[1]};
            if (k == 0)
                continue;
            displace(there, j, k * h);
            nt_status status = given_gradient(p, 0, there, J, &gives);
            if (status != NT_OK || !gives)
                return status == NT_OK ? NT_NOT_FINITE : status;
            for (int i = 0; i < WAYS; i++)
                for (int r = 0; r < p->n; r++)
                    H[i * WAYS + j] += lambda[r] * (k < 0 ? -1 : 1) * first_weight[abs(k) - 1] *
                                       J[r * WAYS + i] / h;
        }
    }
    return NT_OK;
}

/* The second derivative of lambda . Phi along ways i and j at once, of a step in each that counts
 * as 1; of i alone where they are the same. */
static nt_status curvature(const rows_law *p, const nt_motion at[2], int i, int j, double *out)
{
    const double *lambda = p->view->lambda + p->element->first_row;
    double value[MOST_ROWS], sum = 0;
    for (int k = -STENCIL; k <= STENCIL; k++) {
        nt_motion there[2] = {at[0], at[1]};
        double e[WAYS] = {0};
        e[i] = k * (i % 6 < 3 ? SECOND_STEP * p->view->run->length : SECOND_STEP);
        e[j] = k * (j % 6 < 3 ? SECOND_STEP * p->view->run->length : SECOND_STEP);
        for (int m = 0; m < 2; m++) {
            there[m].x = v3_add(there[m].x, v3_load(e + 6 * m));
            there[m].R = turned(v3_load(e + 6 * m + 3), there[m].R);
        }
        nt_status status = phi(p, 0, there, value);
        if (status != NT_OK)
            return status;
        for (int r = 0; r < p->n; r++)
            sum += lambda[r] * (k == 0 ? second_middle : second_weight[abs(k) - 1]) * value[r];
    }
    *out = sum;
    return NT_OK;
}

/* The same from Phi alone. Along both ways at once f = lambda . Phi has the second derivative
 * f_ii + 2 f_ij + f_jj. First along j and then along i is not the same where both turn one body,
 * exp(s e_i) exp(h e_j) = exp(s e_i + h e_j + s h e_i x e_j/2 + ...):
 * H_ij = f_ij + (e_i x e_j) . J^T lambda/2. */
static nt_status force_gradient_of_phi(const rows_law *p, const nt_motion at[2], const double *J,
                                       double *H)
{
    const double *lambda = p->view->lambda + p->element->first_row;
    double own[WAYS] = {0}, both = 0;
    nt_status status = NT_OK;
    for (int i = 0; i < WAYS && status == NT_OK; i++)
        status = is_still(p, i) ? NT_OK : curvature(p, at, i, i, &own[i]);
    for (int i = 0; i < WAYS; i++)
        for (int j = 0; j <= i && status == NT_OK; j++) {
            if (is_still(p, i) || is_still(p, j))
                continue;
            double unit_i = i % 6 < 3 ? p->view->run->length : 1;
            double unit_j = j % 6 < 3 ? p->view->run->length : 1;
            status = i == j ? NT_OK : curvature(p, at, i, j, &both);
            double f = i == j ? own[i] : (both - own[i] - own[j]) / 2;
            H[i * WAYS + j] = H[j * WAYS + i] = f / (unit_i * unit_j * SECOND_STEP * SECOND_STEP);
        }
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++) {
            int of = 6 * m + 3, i = of + (k + 1) % 3, j = of + (k + 2) % 3; /* e_i x e_j = e_k */
            double half = 0;
            for (int r = 0; r < p->n; r++)
                half += lambda[r] * J[r * WAYS + of + k] / 2;
            H[i * WAYS + j] += half;
            H[j * WAYS + i] -= half;
        }
    return status;
}

/* The derivative of J^T lambda along displacements. */
static nt_status add_force_tangent(const rows_law *p, const nt_motion at[2], const double *J)
{
    nt_pair_derivative rows[NT_PAIR_NODES] = {0};
    double H[WAYS * WAYS] = {0};
    nt_status status = p->gives ? force_gradient(p, at, H) : force_gradient_of_phi(p, at, J, H);
    for (int i = 0; i < WAYS; i++)
        for (int j = 0; j < WAYS; j++)
            (&rows[i / 3].q[j / 3].xx)[3 * (i % 3) + j % 3] = H[i * WAYS + j];
    for (int row = 0; row < NT_PAIR_NODES && status == NT_OK; row++)
        nt_pair_add(p->element, p->view, row, &rows[row]);
    return status;
}

/* Equations that move with the time do work: lambda Phi_t; none without multipliers. */
static nt_status add_power(rows_law *p, const nt_motion at[2])
{
    nt_motion still[2] = {at[0], at[1]};
    double rate[MOST_ROWS];
    for (int i = 0; i < 2; i++)
        still[i].v = still[i].w = still[i].a = still[i].alpha = v3_of(0, 0, 0);
    nt_status status = find_time_steps(p, still);
    if (status == NT_OK)
        status = rows_at(p, NT_VELOCITY, still, rate);
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
    rows_law p = {.element = element, .view = view, .law = law, .n = element->n_rows};
    if (p.n > MOST_ROWS)
        return NT_INVALID;
    if (view->energy)
        return add_power(&p, at);
    bool forces = (view->terms->parts & NT_REACTIONS) && view->terms->residual;
    nt_status status = forces || view->terms->matrix ? gradient(&p, at, J)
                                                     : given_gradient(&p, 0, at, J, &p.gives);
    for (int i = 0; i < p.n * WAYS && !forces && !view->terms->matrix; i++)
        J[i] = 0; /* not wanted */
    if (status == NT_OK && view->terms->level != NT_POSITION)
        status = find_time_steps(&p, at);
    if (status == NT_OK)
        status = add_row_of(&p, at, J);
    if (status == NT_OK && view->terms->matrix && (view->terms->parts & NT_REACTIONS) &&
        view->terms->combination->stiffness != 0)
        status = add_force_tangent(&p, at, J);
    return status;
}

void nt_element_rows_reaction(const nt_element *element, const nt_view *view, nt_pair_rows law,
                              nt_v3 *force, nt_v3 *torque)
{
    const v3 none = v3_of((double)NAN, (double)NAN, (double)NAN);
    if (force && torque)
        *force = *torque = none;
    if (!element || !view || !view->lambda || !law || !force || !torque)
        return;
    const nt_motion at[2] = {view->motion[element->a], view->motion[element->b]};
    rows_law p = {
        .element = element, .view = view, .law = law, .n = element->n_rows, .grounds = true};
    double J[MOST_ROWS * WAYS];
    if (p.n > MOST_ROWS || gradient(&p, at, J) != NT_OK)
        return;
    *force = *torque = v3_of(0, 0, 0);
    for (int r = 0; r < p.n; r++) {
        double lambda = view->lambda[element->first_row + r];
        *force = v3_axpy(-lambda, v3_load(J + r * WAYS + 6), *force);
        *torque = v3_axpy(-lambda, v3_load(J + r * WAYS + 9), *torque);
    }
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
