/* States to look about: at rest, at the start, or in steady motion.
 *
 * A steady motion has velocities v(q) that its rates say (carriage.c) and accelerations that are
 * those of vectors which turn with everything. Newton's method solves
 *
 *   R(vdot(q), v(q), q, lambda, mu) = 0,   Phi = 0,   kappa = 0
 *
 * in (q, lambda, mu) with the matrix K of the pencil in turning axes. Displacements along the
 * motion itself meet no resistance, so a little of M stands beside K: sigma^2 M + K. Where these
 * displacements meet a residual they cannot balance it, and it is left over. A rate that is sought
 * is one more unknown, with its column of differences, and the displacement along it is held:
 *
 *   [ P   dR/dr ] [d]   [residual]
 *   [ X^T   0   ] [dr] = [   0    ],  X the velocities with a unit of this rate. */
#include "analysis/reference.h"
#include "analysis/lapack.h"
#include "analysis/static/static.h"
#include "analysis/steady.h"
#include "base/error.h"
#include "method/state.h"

#include <nutate/analysis.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nt_reference {
    nt_run *run;
    const nt_system *system;
    nt_arena arena;
    nt_carriage *carriage; /* NULL: none */
    nt_static *rest;       /* NULL: none */
    nt_pencil *pencil;
    double t, turn[3], unrest;
    double *q, *v, *vdot, *lambda, *mu, *memory;
    int n_lost;       /* nt_static_lost_rows of the state of rest */
    double *numbers;  /* scratch [4 n + nq] */
    double *rounding; /* [nv] of forces, N and N m */
    double *mass;     /* [nv] diagonal of M */
};

static nt_point point_of(const nt_reference *r)
{
    nt_state state = nt_reference_state(r);
    return nt_state_point(&state);
}

/* ---- residuals ------------------------------------------------------------------------------- */

static nt_status residual_of(nt_reference *r, double *out)
{
    nt_point at = point_of(r);
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = out, .rows = out + r->pencil->nv};
    memset(out, 0, (size_t)r->pencil->n * sizeof *out);
    nt_status status = nt_problem_evaluate(r->pencil->problem, &at, &terms);
    for (int i = 0; i < r->pencil->n_dropped; i++)
        out[r->pencil->dropped[i]] = 0;
    return status;
}

/* The largest force among the parts of R, moments by the length: what a residual is compared with.
 */
static double force_scale(nt_reference *r, double *scratch)
{
    static const unsigned parts[] = {NT_MASS, NT_EXPLICIT | NT_IMPLICIT, NT_REACTIONS,
                                     NT_GYROSCOPIC};
    double most = 0;
    nt_point at = point_of(r);
    for (int k = 0; k < 4; k++) {
        nt_terms terms = {.parts = parts[k], .level = NT_POSITION, .residual = scratch};
        memset(scratch, 0, (size_t)r->pencil->nv * sizeof *scratch);
        if (nt_problem_evaluate(r->pencil->problem, &at, &terms) != NT_OK)
            continue;
        for (int i = 0; i < r->pencil->nv; i++)
            most = fmax(most, fabs(scratch[i]) / nt_problem_weight(r->pencil->problem, i));
    }
    return most;
}

/* What rounding of places leaves of forces: out[nv]. */
static void find_rounding(nt_reference *r, double *out)
{
    enum { ROUNDINGS = 8 };
    const nt_pencil *p = r->pencil;
    const nt_pattern *pattern = p->K.pattern;
    memset(out, 0, (size_t)p->nv * sizeof *out);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->node_start[pattern->row[slot]];
        int column = pattern->node_start[pattern->column[slot]];
        int m = pattern->node_start[pattern->row[slot] + 1] - row;
        int n = pattern->node_start[pattern->column[slot] + 1] - column;
        const double *block = nt_matrix_block(&p->K, slot);
        for (int i = 0; i < m && row < p->nv && column < p->nv; i++)
            for (int j = 0; j < n; j++)
                out[row + i] += ROUNDINGS * DBL_EPSILON * fabs(block[i * n + j]) *
                                p->problem->length / nt_problem_weight(p->problem, column + j);
    }
}

static void find_masses(const nt_reference *r, double *out)
{
    const nt_pattern *pattern = r->pencil->M.pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int node = pattern->row[slot], first = pattern->node_start[node];
        int n = pattern->node_start[node + 1] - first;
        for (int i = 0; node == pattern->column[slot] && i < n && first < r->pencil->nv; i++)
            out[first + i] = fabs(nt_matrix_block(&r->pencil->M, slot)[i * n + i]);
    }
}

/* How far the residual is from none, beyond what rounding may leave; *worst its row, *raw the same
 * with what rounding may leave. Lengths count by the model's, rates by that and the pencil's time.
 */
static double distance_of(const nt_reference *r, const double *residual, double force, int *worst,
                          double *raw)
{
    const nt_pencil *p = r->pencil;
    double most = 0, length = p->problem->length;
    *worst = 0, *raw = 0;
    for (int i = 0; i < p->n; i++) {
        double weight = nt_problem_weight(p->problem, i), size = fabs(residual[i]);
        if (i < p->nv) {
            *raw = fmax(*raw, force > 0 ? size / weight / force : size / weight);
            size = fmax(size - r->rounding[i], 0);
        }
        size = i < p->nv ? (force > 0 ? size / weight / force : size / weight)
                         : size * weight / length / (i < p->nv + p->nh ? 1 : p->size);
        if (!(size <= most))
            most = size, *worst = i;
    }
    *raw = fmax(*raw, most);
    return most;
}

static nt_status refuse_not_steady(const nt_reference *r, const double *residual, int worst,
                                   nt_error *error)
{
    const nt_system *system = r->system;
    char name[160] = "";
    nt_error place = {0};
    bool force = worst < r->pencil->nv;
    bool is_moment = r->pencil->problem->quantity[worst] == NT_ANGLE;
    nt_problem_equation_name(r->pencil->problem, worst, name, sizeof name);
    if (system->place)
        system->place(system->self, worst, &place);
    if (!force)
        return nt_fail_at(error, NT_NOT_CONVERGED, place.file, place.line, place.column,
                          "no steady motion found near the initial positions: %s is off by %g",
                          name, residual[worst]);
    return nt_fail_at(
        error, NT_NOT_CONVERGED, place.file, place.line, place.column,
        "no steady motion found near the initial positions: the loads do not allow it, "
        "%s is left with %.6g %s",
        name, -residual[worst], is_moment ? "N m" : "N");
}

/* ---- Newton's method ---------------------------------------------------------------------------
 */

static void move(nt_reference *r)
{
    nt_carriage_velocities(r->carriage, r->q, -1, r->v, r->vdot, r->turn);
}

/* Columns of the rates that are sought: dR/dr by a difference, exact but for rounding since R is
 * quadratic in them at most; X beside them. columns[sought][n], X[sought][nv]. */
static nt_status rate_columns(nt_reference *r, const double *residual, double *columns, double *X)
{
    nt_carriage *c = r->carriage;
    const nt_pencil *p = r->pencil;
    nt_status status = NT_OK;
    double *other = malloc((size_t)p->n * sizeof *other + 1);
    if (!other)
        return NT_NO_MEMORY;
    for (int i = 0, k = 0; i < c->n_rates && status == NT_OK; i++) {
        if (!c->is_sought[i])
            continue;
        double unused[3], h = 1e-3 * p->size, *column = columns + (size_t)k * (size_t)p->n;
        nt_carriage_velocities(c, r->q, i, X + (size_t)k * (size_t)p->nv, r->vdot, unused);
        c->rate[i] += h;
        move(r);
        status = residual_of(r, column);
        c->rate[i] -= 2 * h;
        move(r);
        if (status == NT_OK)
            status = residual_of(r, other);
        c->rate[i] += h;
        move(r);
        for (int j = 0; j < p->n; j++)
            column[j] = (column[j] - other[j]) / (2 * h);
        k++;
    }
    (void)residual;
    free(other);
    return status;
}

/* d[n] := the bordered solution; rates change. */
static nt_status solve_bordered(nt_reference *r, double *d)
{
    nt_carriage *c = r->carriage;
    nt_pencil *p = r->pencil;
    int m = c->n_sought, info = 0, one = 1, n = p->n;
    nt_status status = NT_OK;
    if (m == 0)
        return nt_pencil_solve(p, d);
    double *columns = calloc((size_t)m * (size_t)(n + p->nv + m + 2) + 1, sizeof *columns);
    int *pivots = calloc((size_t)m, sizeof *pivots);
    if (!columns || !pivots) {
        free(columns);
        free(pivots);
        return NT_NO_MEMORY;
    }
    double *X = columns + m * n, *S = X + m * p->nv, *rhs = S + m * m;
    status = rate_columns(r, d, columns, X);
    if (status == NT_OK)
        status = nt_pencil_solve(p, d);
    for (int k = 0; k < m && status == NT_OK; k++)
        status = nt_pencil_solve(p, columns + k * n);
    for (int i = 0; i < m && status == NT_OK; i++) {
        for (int j = 0; j < p->nv; j++) {
            double weight = nt_problem_weight(p->problem, j),
                   x = X[i * p->nv + j] * weight * weight;
            rhs[i] += x * d[j];
            for (int k = 0; k < m; k++)
                S[k * m + i] += x * columns[k * n + j];
        }
    }
    if (status == NT_OK && m > 0)
        dgesv_(&m, &one, S, &m, pivots, rhs, &m, &info);
    if (status == NT_OK && info != 0)
        status = NT_SINGULAR;
    for (int i = 0, k = 0; i < c->n_rates && status == NT_OK; i++) {
        if (!c->is_sought[i])
            continue;
        for (int j = 0; j < n; j++)
            d[j] -= columns[k * n + j] * rhs[k];
        c->rate[i] -= rhs[k++];
    }
    free(columns);
    free(pivots);
    return status;
}

/* The largest part of a step that turns by a fifth of a radian or moves by a fifth of the length at
 * most: further away another state might be nearest. */
static double part_of(const nt_reference *r, const double *d)
{
    double most = 0, length = r->pencil->problem->length;
    for (int i = 0; i < r->pencil->nv; i++)
        most = fmax(most, fabs(d[i]) * nt_problem_weight(r->pencil->problem, i) / length);
    return most > 0.2 ? 0.2 / most : 1;
}

static void step(nt_reference *r, double *d)
{
    const nt_pencil *p = r->pencil;
    double part = part_of(r, d);
    for (int i = 0; i < p->nv; i++)
        d[i] *= -part;
    nt_space_compose(&p->problem->space, NT_INERTIAL, r->q, d, r->q);
    for (int i = 0; i < p->nh; i++)
        r->lambda[i] -= d[p->nv + i]; /* forces are linear: a part of a step needs all of them */
    for (int i = 0; i < p->nn; i++)
        r->mu[i] -= d[p->nv + p->nh + i];
    for (int i = 0; i < p->n_dropped; i++) {
        int row = p->dropped[i] - p->nv;
        *(row < p->nh ? &r->lambda[row] : &r->mu[row - p->nh]) = 0;
    }
}

/* sigma beside K, in parts of the pencil's size: so large that rounding in directions which nothing
 * resists stays small; smaller where soft directions are found too slowly, larger where rounding
 * takes over. */
static const double FIRST_SHIFT = 1e-3, LEAST_SHIFT = 1e-10, MOST_SHIFT = 1e-2;

static double next_shift(double shift, double distance, double before)
{
    if (distance > 2 * before)
        return fmin(10 * shift, MOST_SHIFT);
    return distance > 0.1 * before ? fmax(0.1 * shift, LEAST_SHIFT) : shift;
}

/* What is left counts as none below this part of the largest force, and of the length. */
static const double ENOUGH = 1e-9, ROUNDED = 1e-14;

/* What may be rounding may also be small loads, as the tension in what turns slowly stiffens foils
 * that it stretches by less than their places are rounded; and derivatives of modes are differences
 * of states that follow a parameter. So the iteration goes on while it shrinks. */
static nt_status find_steady(nt_reference *r, nt_error *error)
{
    enum { MOST = 60 };
    nt_pencil *p = r->pencil;
    double *d = r->numbers, best = INFINITY, shift = FIRST_SHIFT, before = INFINITY;
    double raw, least = INFINITY;
    double *kept = calloc((size_t)r->system->space.nq + (size_t)(p->nh + p->nn) + 1, sizeof *kept);
    int worst = 0, since = 0, nq = r->system->space.nq;
    nt_status status = kept ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK) { /* forces of the motion that begins like this, for their part in K */
        nt_point at = point_of(r);
        move(r);
        status = nt_factors_accelerations(p->rows, &at, r->vdot, r->lambda, r->mu, error);
    }
    for (int i = 0; i < MOST && status == NT_OK; i++) {
        nt_point at = point_of(r);
        move(r);
        status = nt_pencil_fill(p, &at, r->turn, error);
        if (status == NT_OK && (status = residual_of(r, d)) != NT_OK)
            nt_fail(error, status, "the equations have no value: %s", nt_status_text(status));
        if (status != NT_OK && i > 0 && !nt_is_final(status)) {
            nt_error_clear(error); /* loads drive it away: what they leave over says why */
            status = NT_OK;
            break;
        }
        if (status != NT_OK)
            break;
        find_rounding(r, r->rounding);
        find_masses(r, r->mass);
        double force = force_scale(r, d + p->n);
        double distance = distance_of(r, d, force, &worst, &raw);
        bool rounded = distance <= ROUNDED;
        shift = next_shift(shift, distance, before);
        before = distance;
        since = distance < 0.5 * best || (rounded && raw < 0.5 * least) ? 0 : since + 1;
        if (distance < best || (rounded && raw < least)) {
            best = distance;
            least = rounded ? raw : (double)INFINITY;
            memcpy(kept, r->q, (size_t)nq * sizeof *kept);
            memcpy(kept + nq, r->lambda, (size_t)p->nh * sizeof *kept);
            memcpy(kept + nq + p->nh, r->mu, (size_t)p->nn * sizeof *kept);
        }
        if ((best <= ROUNDED && since >= 1) || (best <= ENOUGH && since >= 2))
            break;
        if (nt_pencil_factor_still(p, shift * p->size) != NT_OK || solve_bordered(r, d) != NT_OK) {
            char name[160] = "";
            int unknown = nt_solver_singular_unknown(p->solver);
            if (unknown >= 0)
                nt_problem_equation_name(p->problem, unknown, name, sizeof name);
            status = nt_fail(error, NT_SINGULAR, "no state found: the equations are singular%s%s%s",
                             name[0] ? " (" : "", name, name[0] ? ")" : "");
            break;
        }
        step(r, d);
    }
    if (status == NT_OK) {
        memcpy(r->q, kept, (size_t)nq * sizeof *kept);
        memcpy(r->lambda, kept + nq, (size_t)p->nh * sizeof *kept);
        memcpy(r->mu, kept + nq + p->nh, (size_t)p->nn * sizeof *kept);
        move(r);
        status = residual_of(r, d);
        distance_of(r, d, force_scale(r, d + p->n), &worst, &raw);
        if (status == NT_OK && !(best <= ENOUGH))
            status = refuse_not_steady(r, d, worst, error);
    }
    free(kept);
    return status;
}

/* ---- whether it lasts ---------------------------------------------------------------------------
 */

/* The constraints must allow the rates. */
static nt_status check_rates(nt_reference *r, nt_error *error)
{
    const nt_pencil *p = r->pencil;
    double *rows = r->numbers, speed = 0;
    nt_point at = point_of(r);
    nt_terms terms = {.level = NT_VELOCITY, .rows = rows};
    nt_status status = nt_problem_evaluate(p->problem, &at, &terms);
    for (int i = 0; i < p->nv; i++)
        speed = fmax(speed, fabs(r->v[i]) * nt_problem_weight(p->problem, i));
    for (int i = 0; i < p->nh + p->nn && status == NT_OK; i++) {
        if (fabs(rows[i]) * nt_problem_weight(p->problem, p->nv + i) <= ENOUGH * (1 + speed))
            continue;
        char name[160];
        nt_error place = {0};
        nt_problem_equation_name(p->problem, p->nv + i, name, sizeof name);
        if (r->system->place)
            r->system->place(r->system->self, p->nv + i, &place);
        return nt_fail_at(error, NT_INCONSISTENT, place.file, place.line, place.column,
                          "the steady rates contradict %s by %g 1/s", name, rows[i]);
    }
    return status;
}

/* u := what the pencil's equations allow of u, an arbitrary displacement. */
static nt_status allow(nt_pencil *p, double *u)
{
    double *sum = malloc((size_t)p->n * sizeof *sum + 1);
    if (!sum)
        return NT_NO_MEMORY;
    memset(u + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *u);
    nt_matrix_apply(&p->M, u, sum);
    memset(sum + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *u);
    nt_status status = nt_pencil_solve(p, sum);
    memcpy(u, sum, (size_t)p->nv * sizeof *u);
    memset(u + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *u);
    free(sum);
    return status;
}

enum { PROBES = 3 };

/* u_i^T A u_j for M, C, K, and how large their terms are. */
static void measure(const nt_pencil *p, double *const *u, double *product, double *scratch)
{
    const nt_matrix *matrices[3] = {&p->M, &p->C, &p->K};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < PROBES; j++) {
            nt_matrix_apply(matrices[k], u[j], scratch);
            for (int i = 0; i < PROBES; i++) {
                double sum = 0;
                for (int l = 0; l < p->nv; l++)
                    sum += u[i][l] * scratch[l];
                product[(k * PROBES + i) * PROBES + j] = sum;
            }
        }
}

/* Every triple of u turns with the axes. */
static void turn_displacements(const nt_space *space, m3 Q, const double *u, double *out)
{
    memcpy(out, u, (size_t)space->nv * sizeof *out);
    for (int b = 0; b < space->n_blocks; b++)
        for (int i = 0; i + 3 <= space->blocks[b].nv && space->blocks[b].kind != NT_FIRST; i += 3)
            v3_store(out + space->blocks[b].v + i,
                     m3_apply(Q, v3_load(u + space->blocks[b].v + i)));
}

/* What may change of the measures while the motion goes on, relative to the largest of each kind.
 */
static const double SAME = 1e-6;

/* Whether displacements w, with zeros behind them, are such as the rows of constraints allow:
 * rates in them are s w, as where they were taken. Rows that depend on others say nothing new.
 * scratch[2 n]. */
static bool allows(const nt_pencil *p, double s, const double *w, double *scratch)
{
    double *held = scratch, *rates = held + p->n, most = 0;
    bool good = true;
    for (int i = 0; i < p->nv; i++)
        most = fmax(most, fabs(w[i]) * nt_problem_weight(p->problem, i));
    nt_matrix_apply(&p->K, w, held);
    nt_matrix_apply(&p->C, w, rates);
    for (int i = 0; i < p->n_dropped; i++)
        held[p->dropped[i]] = rates[p->dropped[i]] = 0;
    for (int i = p->nv; i < p->n; i++) {
        double unit = i < p->nv + p->nh ? 1 : s; /* rows in m, those of rates in m/s */
        double off = fabs(held[i] + s * rates[i]) * nt_problem_weight(p->problem, i);
        good &= off <= SAME * unit * most;
    }
    return good;
}

/* What rounding of places makes of an acceleration: of entries without mass anything. The inverse
 * of M may be larger than that of its diagonal. */
static double rounded_acceleration(const nt_reference *r, int i)
{
    enum { SPREAD = 100 };
    double mass = r->mass[i];
    return mass > 0 ? SPREAD * r->rounding[i] / mass : (double)INFINITY;
}

/* Whether the equations are those of now, turned, when the motion has gone on for t seconds. u are
 * displacements that the constraints of now allow at rates s u. */
static nt_status compare_later(nt_reference *r, double t, double s, double *const *u,
                               const double *now, bool *same, nt_error *error)
{
    nt_pencil *p = r->pencil;
    int nv = p->nv, n = p->n, nq = r->system->space.nq;
    double *room =
        calloc((size_t)(nq + 2 * nv + p->nh + p->nn + (PROBES + 2) * n) + 1, sizeof *room);
    double later[3 * PROBES * PROBES], unused[3];
    if (!room)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    double *q = room, *v = q + nq, *vdot = v + nv, *lambda = vdot + nv, *mu = lambda + p->nh;
    double *w[PROBES], *scratch = mu + p->nn + PROBES * n;
    nt_point at = point_of(r);
    nt_status status = nt_carriage_advance(r->carriage, r->q, t, q);
    nt_carriage_velocities(r->carriage, q, -1, v, vdot, unused);
    memcpy(lambda, r->lambda, (size_t)p->nh * sizeof *lambda);
    memcpy(mu, r->mu, (size_t)p->nn * sizeof *mu);
    at.t += t, at.q = q, at.v = v, at.vdot = vdot, at.lambda = lambda, at.mu = mu;
    if (status == NT_OK)
        status = nt_factors_accelerations(p->rows, &at, vdot, lambda, mu, error);
    if (status == NT_OK)
        status = nt_pencil_fill(p, &at, r->turn, error);
    double psi[3], quaternion[4];
    v3_store(psi, v3_scale(t, v3_load(r->turn)));
    nt_so3_exp(psi, quaternion);
    for (int i = 0; i < PROBES; i++) {
        w[i] = mu + p->nn + i * n;
        turn_displacements(&r->system->space, quat_matrix(quat_load(quaternion)), u[i], w[i]);
    }
    if (status == NT_OK)
        measure(p, w, later, scratch);
    for (int i = 0; i < PROBES && status == NT_OK; i++)
        *same &= allows(p, s, w[i], scratch);
    for (int k = 0; k < 3 && status == NT_OK; k++) {
        double size = 0, off = 0;
        for (int i = k * PROBES * PROBES; i < (k + 1) * PROBES * PROBES; i++) {
            size = fmax(size, fabs(now[i]));
            off = fmax(off, fabs(now[i] - later[i]));
        }
        double unit = k == 0 ? 1 : k == 1 ? p->size : p->size * p->size; /* of M, C, K */
        *same &= off <= SAME * fmax(size, 1e-6 * unit * fabs(now[0]));
    }
    double fastest = 0, rest = 0; /* accelerations are those of the motion, too */
    nt_carriage_velocities(r->carriage, q, -1, v, scratch, unused);
    for (int i = 0; i < nv && status == NT_OK; i++) {
        double weight = nt_problem_weight(p->problem, i);
        fastest = fmax(fastest, fmax(fabs(scratch[i]), p->size * fabs(v[i])) * weight);
        rest = fmax(rest, (fabs(vdot[i] - scratch[i]) - rounded_acceleration(r, i)) * weight);
    }
    *same &= rest <= SAME * fmax(fastest, SAME * p->size * p->size * p->problem->length);
    free(room);
    return status;
}

/* In axes that turn with r->turn. Leaves the pencil filled at the state. */
static nt_status looks_the_same(nt_reference *r, bool *same, nt_error *error)
{
    nt_pencil *p = r->pencil;
    double fastest = 0, s, now[3 * PROBES * PROBES], *u[PROBES];
    nt_point at = point_of(r);
    *same = true;
    for (int i = 0; i < r->carriage->n_rates; i++)
        fastest = fmax(fastest, fabs(r->carriage->rate[i]));
    if (!(fastest > 0))
        return NT_OK;
    double *room = calloc((PROBES + 1) * (size_t)p->n + 1, sizeof *room);
    if (!room)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_pencil_fill(p, &at, r->turn, error);
    if (status == NT_OK && (status = nt_pencil_factor(p, p->size)) != NT_OK)
        nt_fail(error, status, "%s", nt_status_text(status));
    s = p->size;
    unsigned long long state = 1;
    for (int i = 0; i < PROBES && status == NT_OK; i++) {
        u[i] = room + i * p->n;
        for (int j = 0; j < p->nv; j++) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            u[i][j] = (double)(state >> 11) / 4503599627370496.0 - 1;
        }
        status = allow(p, u[i]);
    }
    if (status == NT_OK)
        measure(p, u, now, room + PROBES * p->n);
    static const double phases[] = {0.7, 1.9};
    for (int i = 0; i < 2 && status == NT_OK && *same; i++)
        status = compare_later(r, phases[i] / fastest, s, u, now, same, error);
    free(room);
    return status;
}

/* In ground axes if there, else in axes that turn with everything; where joints give the rates, in
 * those of each body that turns. */
static nt_status choose_axes(nt_reference *r, nt_error *error)
{
    const nt_space *space = &r->system->space;
    const double turn[3] = {r->turn[0], r->turn[1], r->turn[2]};
    bool same = false, turns = turn[0] != 0 || turn[1] != 0 || turn[2] != 0;
    memset(r->turn, 0, sizeof r->turn);
    nt_status status = looks_the_same(r, &same, error);
    if (status == NT_OK && !same && turns) {
        memcpy(r->turn, turn, sizeof turn);
        status = looks_the_same(r, &same, error);
    }
    for (int b = 0; b < space->n_blocks && status == NT_OK && !same; b++) {
        const double *w = r->v + space->blocks[b].v + space->blocks[b].nv - 3;
        if (space->blocks[b].rotation < 0 || v3_norm(v3_load(w)) == 0 ||
            v3_norm(v3_sub(v3_load(w), v3_load(r->turn))) <= SAME * v3_norm(v3_load(w)))
            continue;
        memcpy(r->turn, w, sizeof r->turn);
        status = looks_the_same(r, &same, error);
    }
    if (status == NT_OK && !same)
        return nt_fail(
            error, NT_UNSUPPORTED,
            "the steady motion does not look the same at every moment: as it goes on the "
            "masses, loads or constraints change in ground axes%s",
            turns ? " and in axes that turn with everything"
                  : " and in those of every body that turns; expected bodies of revolution, or an "
                    "axis in `steady` about which everything turns");
    return status;
}

/* ---- create -------------------------------------------------------------------------------------
 */

static nt_status take(nt_reference *r, nt_error *error)
{
    const nt_system *s = r->system;
    size_t nq = (size_t)s->space.nq, nv = (size_t)s->space.nv, n = nv + (size_t)(s->nh + s->nn);
    r->q = NT_TAKE(&r->arena, nq, double);
    r->v = NT_TAKE(&r->arena, nv, double);
    r->vdot = NT_TAKE(&r->arena, nv, double);
    r->lambda = NT_TAKE(&r->arena, s->nh, double);
    r->mu = NT_TAKE(&r->arena, s->nn, double);
    r->memory = NT_TAKE(&r->arena, s->n_memory, double);
    r->numbers = NT_TAKE(&r->arena, 4 * n + nq, double);
    r->rounding = NT_TAKE(&r->arena, n, double);
    r->mass = NT_TAKE(&r->arena, n, double);
    if (!r->rounding || !r->mass || !r->q || !r->v || !r->vdot || !r->lambda || !r->mu ||
        !r->memory || !r->numbers)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    return nt_pencil_create(&r->pencil, s, error);
}

/* How fast what is held against a load would begin to move without its hold. */
static nt_status find_let_go(nt_reference *r, nt_error *error)
{
    int n = nt_static_held_count(r->rest);
    bool carries = false;
    int *entries = NT_TAKE(&r->arena, n + 1, int);
    double *forces = NT_TAKE(&r->arena, n + 1, double);
    if (!entries || !forces)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = n > 0 ? nt_static_held_forces(r->rest, entries, forces, error) : NT_OK;
    for (int i = 0; i < n && status == NT_OK; i++)
        carries |= forces[i] != 0;
    if (!carries)
        return status;
    const nt_system *s = r->system;
    double *vdot = r->numbers, *lambda = NT_TAKE(&r->arena, s->nh + s->nn + 1, double);
    if (!lambda)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_point at = point_of(r);
    status = nt_factors_accelerations(r->pencil->rows, &at, vdot, lambda, lambda + s->nh, error);
    for (int i = 0; i < r->pencil->nv && status == NT_OK; i++)
        r->unrest = fmax(r->unrest, fabs(vdot[i]) * nt_problem_weight(r->pencil->problem, i));
    return status;
}

static nt_status search_rest(nt_reference *r, const nt_static_setup *setup, nt_error *error)
{
    nt_status status = nt_static_create(&r->rest, setup, error);
    if (status == NT_OK)
        status = nt_static_start(r->rest, r->t, r->q, r->v, r->memory, error);
    return status == NT_OK ? nt_static_solve(r->rest, error) : status;
}

/* Where it rests; directions that nothing holds and nothing moves stay as they are, and are modes
 * without frequency. Where there are rigid limits loads may bring there what nothing else holds:
 * such a state is looked for first. */
static nt_status find_rest(nt_reference *r, nt_error *error)
{
    const nt_system *s = r->system;
    nt_static_setup setup = {0};
    nt_status status = nt_run_static_setup(r->run, &setup, error);
    bool found = false;
    if (status == NT_OK && setup.hold_free <= 0 && s->events && s->events->n_limits > 0) {
        nt_error unsaid = {0};
        nt_status without = search_rest(r, &setup, &unsaid);
        found = without == NT_OK;
        if (nt_is_final(without)) {
            if (error)
                *error = unsaid;
            return without;
        }
        if (!found) {
            nt_static_destroy(r->rest);
            r->rest = NULL;
        }
    }
    setup.hold_free = setup.hold_free > 0 ? setup.hold_free : 1;
    if (status == NT_OK && !found)
        status = search_rest(r, &setup, error);
    if (status != NT_OK)
        return status;
    nt_state state = nt_static_state(r->rest);
    memcpy(r->q, state.q, (size_t)s->space.nq * sizeof *r->q);
    memcpy(r->v, state.v, (size_t)s->space.nv * sizeof *r->v);
    memcpy(r->lambda, state.lambda, (size_t)s->nh * sizeof *r->lambda);
    memcpy(r->mu, state.mu, (size_t)s->nn * sizeof *r->mu);
    if (s->n_memory > 0)
        memcpy(r->memory, state.memory, (size_t)s->n_memory * sizeof *r->memory);
    nt_static_stand(r->rest, r->memory);
    r->n_lost = nt_static_lost_rows(r->rest);
    return find_let_go(r, error);
}

/* Accelerations and forces of the initial state as it is. */
static nt_status find_initial(nt_reference *r, nt_error *error)
{
    nt_point at = point_of(r);
    nt_status status =
        nt_factors_accelerations(r->pencil->rows, &at, r->vdot, r->lambda, r->mu, error);
    for (int i = 0; i < r->pencil->nv && status == NT_OK; i++)
        r->unrest = fmax(r->unrest, fabs(r->vdot[i]) * nt_problem_weight(r->pencil->problem, i));
    return status;
}

nt_status nt_reference_create_near(nt_reference **out, nt_run *run, nt_about about,
                                   const double *near, nt_error *error)
{
    nt_reference *r = calloc(1, sizeof *r);
    if (!r)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    r->run = run, r->system = nt_run_system(run);
    r->t = run->model->simulation.start;
    nt_status status = take(r, error);
    if (status == NT_OK) {
        nt_run_initial(run, r->q, r->v, r->memory);
        if (near && about != NT_ABOUT_INITIAL)
            memcpy(r->q, near, (size_t)r->system->space.nq * sizeof *r->q);
        if (about == NT_ABOUT_INITIAL)
            status = find_initial(r, error);
        else if (about == NT_ABOUT_STATIC)
            status = find_rest(r, error);
        else
            status = nt_carriage_create(&r->carriage, run, error);
    }
    if (status == NT_OK && about == NT_ABOUT_STEADY && r->carriage->n_rates == 0)
        status =
            nt_fail(error, NT_BAD_MODEL,
                    "the model has no section `steady`, which says how it moves: expected one, "
                    "or --about static or initial");
    if (status == NT_OK && r->carriage)
        status = find_steady(r, error);
    if (status == NT_OK && r->carriage)
        status = check_rates(r, error);
    if (status == NT_OK && r->carriage)
        status = choose_axes(r, error);
    status = nt_system_ends(r->system, status, error);
    if (status != NT_OK) {
        nt_reference_destroy(r);
        return nt_said(error, status);
    }
    *out = r;
    return NT_OK;
}

nt_status nt_reference_create(nt_reference **out, nt_run *run, nt_about about, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "reference", out);
    *out = NULL;
    NT_NEED(error, "run", run);
    NT_NEED_NUMBER(error, "about", about, NT_ABOUT_STATIC, NT_ABOUT_STEADY);
    return nt_said(error, nt_reference_create_near(out, run, about, NULL, error));
}

void nt_reference_destroy(nt_reference *r)
{
    if (!r)
        return;
    nt_carriage_destroy(r->carriage);
    nt_static_destroy(r->rest);
    nt_pencil_destroy(r->pencil);
    nt_arena_free(&r->arena);
    free(r);
}

nt_state nt_reference_state(const nt_reference *r)
{
    if (!r)
        return (nt_state){0};
    return (nt_state){.t = r->t,
                      .q = r->q,
                      .v = r->v,
                      .vdot = r->vdot,
                      .lambda = r->lambda,
                      .mu = r->mu,
                      .memory = r->memory};
}

void nt_reference_turn(const nt_reference *r, double turn[3])
{
    for (int i = 0; turn && i < 3; i++)
        turn[i] = r ? r->turn[i] : 0;
}

int nt_reference_lost_rows(const nt_reference *r) { return r ? r->n_lost : 0; }

double nt_reference_unrest(const nt_reference *r) { return r ? r->unrest : 0; }

double nt_reference_rate(const nt_reference *r, int i)
{
    bool there = r && r->carriage && i >= 0 && i < r->carriage->n_rates;
    return there ? r->carriage->rate[i] : (double)NAN;
}

const char *nt_reference_rate_name(const nt_reference *r, int i)
{
    bool there = r && r->carriage && i >= 0 && i < r->carriage->n_rates;
    return there ? r->carriage->steady[i].name : NULL;
}
