/* Newton's method on the shooting.
 *
 * With u = (z of all segments | T, advances, parameter) an iteration solves
 *
 *   map_k dz_k - dz_k+1 + by_period_k dT - (generator da, in the last segment) + by_parameter_k dp
 *     = -miss_k
 *   flow . dz_0 = 0                       of a system without clock that moves: the begin does not
 *                                         slide along the motion
 *   generator_i . dz_0 = 0                nor along an advance
 *   direction . (dz, dT, da, dp) = 0      on a path
 *
 * in the least squares, as not all of it need be independent: a system that keeps a quantity
 * (energy) has families of orbits, one row follows from the others and one direction is free. Of
 * all solutions the one with the least change dz_0 of the begin is taken, whatever the rest
 * becomes: orbits are found at the state that was given. With Q an orthonormal basis of the columns
 * of all other unknowns that is the least dz_0 with (1 - Q Q^T)(J_0 dz_0 + miss) = 0, by singular
 * values above a bound. Directions below it are left alone, until nothing else gets on.
 *
 * Beside an orbit of a family the singular value of the direction along the family is no rounding
 * but as large as the miss, and taking it up would drift along the family. A search that starts at
 * an orbit that was found knows how many such directions there are, and leaves them alone from the
 * first iteration on. */
#include "analysis/orbit/orbit.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the linear system ---------------------------------------------------------------------- */

static int state_columns(const nt_orbit *o) { return o->n * o->m; }

static int other_columns(const nt_orbit *o, bool path)
{
    return (o->wanted.free != 0) + o->n_found + path;
}

int nt_orbit_unknowns(const nt_orbit *o, bool path)
{
    return state_columns(o) + other_columns(o, path);
}

static int all_rows(const nt_orbit *o, bool path)
{
    return state_columns(o) + (o->wanted.autonomous != 0) + o->wanted.n_advances + path;
}

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void unit_row(double *J, int rows, int row, const double *x, int n)
{
    double length = length_of(x, n);
    for (int i = 0; i < n && length > 0; i++)
        J[(size_t)i * (size_t)rows + (size_t)row] = x[i] / length;
}

/* J[unknowns][rows], column by column. */
static void assemble(nt_orbit *o, const nt_orbit_plane *plane, double *J)
{
    int m = o->m, rows = all_rows(o, plane != NULL), columns = nt_orbit_unknowns(o, plane != NULL);
    int own = state_columns(o), row = own, column = own;
    memset(J, 0, (size_t)rows * (size_t)columns * sizeof *J);
    nt_orbit_directions_at_end(o);
    for (int k = 0; k < o->n; k++) {
        const nt_orbit_node *node = &o->node[k];
        int to = (k + 1) % o->n;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++)
                J[(size_t)(k * m + j) * (size_t)rows + (size_t)(k * m + i)] += node->map[i * m + j];
            J[(size_t)(to * m + i) * (size_t)rows + (size_t)(k * m + i)] -= 1;
        }
    }
    if (o->wanted.autonomous) { /* a state of rest has no direction: its row stays empty */
        if (o->wanted.free || nt_orbit_reach(o) > NT_ORBIT_STEADY)
            unit_row(J, rows, row, o->flow, m);
        row++;
    }
    for (int i = 0; i < o->wanted.n_advances; i++)
        unit_row(J, rows, row++, o->generator + i * m, m);
    for (int k = 0; k < o->n && o->wanted.free; k++)
        memcpy(J + (size_t)column * (size_t)rows + (size_t)(k * m), o->node[k].by_period,
               (size_t)m * sizeof *J);
    column += o->wanted.free != 0;
    for (int i = 0; i < o->wanted.n_advances; i++) {
        double *to = J + (size_t)column * (size_t)rows + (size_t)((o->n - 1) * m);
        if (!o->advance[i].found)
            continue;
        column++;
        for (int j = 0; j < m; j++)
            to[j] = -o->generator_end[i * m + j];
    }
    if (!plane)
        return;
    memcpy(J + (size_t)column * (size_t)rows, o->by_parameter, (size_t)own * sizeof *J);
    for (int j = 0; j < columns; j++)
        J[(size_t)j * (size_t)rows + (size_t)row] = plane->direction[j] * plane->scale[j];
}

/* x -= q (q . x), and q . x */
static double remove_part(double *x, const double *q, int n)
{
    double part = 0;
    for (int i = 0; i < n; i++)
        part += q[i] * x[i];
    for (int i = 0; i < n; i++)
        x[i] -= part * q[i];
    return part;
}

/* What is left out: singular values below `cut` times the largest, and of the last `along_family`
 * those below ALONG_FAMILY times it. */
typedef struct bounds {
    double cut;
    int along_family;
} bounds;

/* Near a family the singular value along it stays below this part of the largest. */
static const double ALONG_FAMILY = 1e-2;

/* Solves J u = b as said above; J and b are destroyed. *left_out is the number of singular values
 * that are left out. */
static nt_status solve(const nt_orbit *o, bool path, double *J, double *b, bounds bound, double *u,
                       int *left_out)
{
    int rows = all_rows(o, path), own = o->m, others = nt_orbit_unknowns(o, path) - own;
    size_t r = (size_t)rows, c = (size_t)own;
    double *others_J = J + c * r, *R = o->solve, *y = R + (size_t)others * (size_t)others;
    double *copy = y + r, *s = copy + c * r + r, *U = s + r + c, *V = U + r * r;
    memset(R, 0, (size_t)others * (size_t)others * sizeof *R);
    for (int j = 0; j < others; j++) { /* Q in place of the other columns */
        double *q = others_J + (size_t)j * r, before = length_of(q, rows);
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < j; i++)
                R[i * others + j] += remove_part(q, others_J + (size_t)i * r, rows);
        double length = length_of(q, rows);
        bool good = length > 1e-12 * before && length > 0;
        R[j * others + j] = good ? length : 0;
        for (int i = 0; i < rows; i++)
            q[i] = good ? q[i] / length : 0;
    }
    memcpy(copy, J, c * r * sizeof *copy);
    memcpy(copy + c * r, b, r * sizeof *copy);
    for (int j = 0; j < others; j++)
        for (int i = 0; i <= own; i++)
            remove_part(copy + (size_t)i * r, others_J + (size_t)j * r, rows);
    memcpy(y, copy + c * r, r * sizeof *y);
    nt_status status = nt_dense_svd(rows, own, copy, s, U, V);
    if (status != NT_OK)
        return status;
    memset(u, 0, (c + (size_t)others) * sizeof *u);
    *left_out = 0;
    for (int k = 0; k < own; k++) {
        double part = 0, least = k < own - bound.along_family ? 0 : ALONG_FAMILY;
        if (!(s[k] > fmax(bound.cut, least) * s[0])) {
            ++*left_out;
            continue;
        }
        for (size_t i = 0; i < r; i++)
            part += U[(size_t)k * r + i] * y[i];
        for (size_t i = 0; i < c; i++) /* V^T by columns */
            u[i] += part / s[k] * V[i * c + (size_t)k];
    }
    for (size_t j = 0; j < c; j++)
        for (size_t i = 0; i < r; i++)
            b[i] -= J[j * r + i] * u[j];
    double *other = u + own;
    for (int j = 0; j < others; j++)
        other[j] = remove_part(b, others_J + (size_t)j * r, rows);
    for (int j = others - 1; j >= 0; j--) {
        for (int i = j + 1; i < others; i++)
            other[j] -= R[j * others + i] * other[i];
        other[j] = R[j * others + j] > 0 ? other[j] / R[j * others + j] : 0;
    }
    return NT_OK;
}

/* ---- moving --------------------------------------------------------------------------------- */

nt_status nt_orbit_set_parameter(nt_orbit *o, int parameter, double value)
{
    const nt_system *system = o->system;
    system->get_parameters(system->self, o->parameters);
    if (o->parameters[parameter] == value)
        return NT_OK;
    o->parameters[parameter] = value;
    return system->set_parameters(system->self, o->parameters);
}

double nt_orbit_parameter(const nt_orbit *o, int parameter)
{
    o->system->get_parameters(o->system->self, o->parameters);
    return o->parameters[parameter];
}

nt_status nt_orbit_step_along(nt_orbit *o, const double *u, double factor, int parameter)
{
    const double *other = u + state_columns(o);
    nt_status status = NT_OK;
    if (o->wanted.free)
        o->T += factor * *other++;
    for (int i = 0; i < o->wanted.n_advances; i++)
        if (o->advance[i].found)
            o->amount[i] += factor * *other++;
    if (parameter >= 0)
        status = nt_orbit_set_parameter(o, parameter,
                                        nt_orbit_parameter(o, parameter) + factor * *other);
    if (o->wanted.period_of)
        o->T = o->wanted.period_of(o->wanted.context);
    if (status == NT_OK && !(o->T > 0 && isfinite(o->T)))
        status = NT_NOT_CONVERGED;
    for (int k = 0; k < o->n && status == NT_OK; k++) {
        for (int i = 0; i < o->m; i++)
            o->column[i] = factor * u[k * o->m + i];
        status = nt_orbit_move(o, nt_orbit_time(o, k), &o->node[k], o->column);
    }
    return status;
}

/* ---- by a parameter ------------------------------------------------------------------------- */

nt_status nt_orbit_by_parameter(nt_orbit *o, int parameter, double size, int order, double *out,
                                nt_error *error)
{
    static const double second[NT_STENCIL] = {0.5, 0, 0};
    const double *weight = order == 2 ? second : nt_stencil;
    double base = nt_orbit_parameter(o, parameter), step = (order == 2 ? 1e-5 : 1e-3) * size;
    int points = order == 2 ? 1 : NT_STENCIL, n = nt_orbit_unknowns(o, true);
    nt_status status = NT_OK;
    double *along = o->along;
    memset(along, 0, (size_t)n * sizeof *along);
    memset(out, 0, (size_t)state_columns(o) * sizeof *out);
    nt_orbit_save(o, o->kept_state);
    for (int j = 0; j < 2 * points && status == NT_OK; j++) {
        double offset = (j % 2 ? -1 : 1) * (j / 2 + 1) * step;
        along[n - 1] = offset;
        status = nt_orbit_step_along(o, along, 1, parameter);
        if (status == NT_OK)
            status = nt_orbit_shoot(o, false, error);
        for (int i = 0; i < state_columns(o) && status == NT_OK; i++)
            out[i] += (j % 2 ? -1 : 1) * weight[j / 2] * o->node[i / o->m].miss[i % o->m] / step;
        nt_orbit_restore(o, o->kept_state);
        nt_status back = nt_orbit_set_parameter(o, parameter, base);
        status = status == NT_OK ? back : status;
    }
    return status;
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* The three coordinates that miss most, in words. */
static nt_status does_not_close(nt_orbit *o, double size, nt_error *error)
{
    const nt_problem *p = o->problem;
    char text[500] = "", name[160];
    size_t used = 0;
    double last = (double)INFINITY;
    for (int shown = 0; shown < 3; shown++) {
        double most = 0, amount = 0;
        int which = -1;
        for (int k = 0; k < o->n; k++)
            for (int i = 0; i < 2 * p->nv; i++) {
                bool rate = i >= p->nv;
                int j = rate ? i - p->nv : i;
                double x = rate ? o->node[k].miss_v[j] : o->node[k].miss_q[j];
                double weighed = fabs(x) * (rate ? o->rate_weight[j] : o->weight[j]);
                if (weighed > most && weighed < last)
                    most = weighed, which = i, amount = x;
            }
        if (which < 0 || !(most > 1e-2 * size))
            break;
        last = most;
        int j = which % p->nv;
        nt_problem_coordinate_name(p, j, name, sizeof name);
        bool rate = which >= p->nv, turns = p->quantity[j] == NT_ANGLE;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s by %.4g %s%s",
                                 shown > 0 ? ", " : "", rate && !o->first[j] ? "rate of " : "",
                                 name, amount, turns ? "rad" : "m", rate ? "/s" : "");
        if (used >= sizeof text)
            break;
    }
    return nt_fail(
        error, NT_NOT_CONVERGED,
        "the shooting does not close after %d iterations (period %.9g s); the end misses "
        "the begin in %s%s",
        o->iterations, o->T, text,
        size > o->miss ? "; constraints that hold at the begin (a joint that sticks there) do not "
                         "hold at the end: expected a begin where they are off"
                       : "");
}

/* The ends may miss by this part of the system's length where coordinates leave out what the
 * constraints hold: drift of the constraints. */
static const double DRIFT = 1e-7;

/* A shooting closes in its coordinates; what constraints of the begin leave out of these must close
 * as well, where they do not hold at the end. */
static nt_status check_all(nt_orbit *o, nt_error *error)
{
    double most = 0;
    for (int k = 0; k < o->n; k++)
        for (int i = 0; i < o->problem->nv; i++) {
            most = fmax(most, fabs(o->node[k].miss_q[i]) * o->weight[i]);
            most = fmax(most, fabs(o->node[k].miss_v[i]) * o->rate_weight[i]);
        }
    bool closes = most <= fmax(10 * o->miss, DRIFT * o->problem->length);
    return closes ? NT_OK : does_not_close(o, most, error);
}

static double square_miss(const nt_orbit *o)
{
    double sum = 0;
    for (int k = 0; k < o->n; k++)
        for (int i = 0; i < o->m; i++)
            sum += o->node[k].miss[i] * o->node[k].miss[i];
    return sum;
}

/* A period or a state that would change by more than this is taken in part: T by a third, places by
 * the length of the system. */
static double admissible(const nt_orbit *o, const double *u)
{
    double factor = 1, most = 0;
    for (int i = 0; i < state_columns(o); i++)
        most = fmax(most, fabs(u[i]));
    if (most > o->problem->length)
        factor = o->problem->length / most;
    if (o->wanted.free) {
        double change = fabs(u[state_columns(o)]) / o->T;
        factor = fmin(factor, change > 1.0 / 3 ? 1 / (3 * change) : 1);
    }
    return factor;
}

/* A step that does not bring the ends nearer is halved so often; and where the shooting closes it
 * is made better still so often, as long as that gains a factor of five. */
enum { HALVINGS = 8, POLISH = 3 };

/* Singular values that count as zero, relative to the largest, one bound after the other. With the
 * first one the begin is held: as long as the period and the advances alone bring the ends nearer,
 * it stays where it was given. */
static const double cuts[] = {2, 1e-7, 1e-10, 1e-13};
enum { CUTS = sizeof cuts / sizeof *cuts };

/* renew: differentiate by the parameter anew; else its column is that of a point near by. */
static nt_status newton_direction(nt_orbit *o, const nt_orbit_plane *plane, bool renew,
                                  bounds bound, int *left_out, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < state_columns(o); i++)
        o->b[i] = -o->node[i / o->m].miss[i % o->m];
    memset(o->b + state_columns(o), 0,
           (size_t)(all_rows(o, plane != NULL) - state_columns(o)) * sizeof *o->b);
    if (plane && renew) /* moves the ends, but neither maps nor b */
        status = nt_orbit_by_parameter(o, plane->parameter, plane->size, 2, o->by_parameter, error);
    assemble(o, plane, o->J);
    return status == NT_OK ? solve(o, plane != NULL, o->J, o->b, bound, o->u, left_out) : status;
}

/* Shoot with derivatives; the largest miss, and the sum of squares. */
static nt_status look(nt_orbit *o, double *square, nt_error *error)
{
    if (o->wanted.watch && o->wanted.watch(o->wanted.context, o->iterations, o->miss))
        return nt_fail(error, NT_INTERRUPTED, "the search for an orbit was interrupted");
    nt_status status = nt_orbit_shoot(o, true, error);
    o->iterations++;
    o->miss = status == NT_OK ? nt_orbit_largest_miss(o) : (double)INFINITY;
    *square = status == NT_OK ? square_miss(o) : (double)INFINITY;
    return status;
}

/* Along the direction u, as far as it brings the ends nearer than `before`; else back. */
static nt_status try_direction(nt_orbit *o, const nt_orbit_plane *plane, double before,
                               int halvings, double *square, bool *better)
{
    int parameter = plane ? plane->parameter : -1;
    double factor = admissible(o, o->u);
    double value = plane ? nt_orbit_parameter(o, parameter) : 0;
    nt_orbit_save(o, o->try_state);
    for (int i = 0; i <= halvings; i++, factor /= 2) {
        nt_status status = nt_orbit_step_along(o, o->u, factor, parameter);
        if (status == NT_OK)
            status = look(o, square, NULL);
        *better = status == NT_OK && *square < before;
        if (*better || status == NT_INTERRUPTED || status == NT_NO_MEMORY)
            return status;
        nt_orbit_restore(o, o->try_state);
        if (plane)
            nt_orbit_set_parameter(o, parameter, value);
    }
    return look(o, square, NULL);
}

nt_status nt_orbit_newton(nt_orbit *o, const nt_orbit_plane *plane, int iterations, nt_error *error)
{
    double limit = o->wanted.tolerance * o->problem->length, square;
    int cut = plane || !(o->wanted.free || o->n_found > 0), left_out = 0,
        polished = plane || o->on_path ? POLISH : 0;
    int along_family = o->is_found && o->wanted.free && !plane ? o->kept : 0;
    bool renew = false;
    o->is_found = false;
    o->miss = (double)NAN;
    nt_status status = look(o, &square, error);
    for (int i = 0; status == NT_OK && i < iterations; i++) {
        double before = square;
        bool better = false, closes = o->miss <= limit, renewed = renew;
        if (closes && (polished++ == POLISH || square == 0))
            return check_all(o, error);
        status =
            newton_direction(o, plane, renew, (bounds){cuts[cut], along_family}, &left_out, error);
        if (status == NT_OK)
            status = try_direction(o, plane, before, closes ? 0 : HALVINGS, &square, &better);
        if (status == NT_INTERRUPTED)
            return nt_fail(error, status, "the search for an orbit was interrupted");
        if (status != NT_OK)
            return nt_fail(error, status, "a state near the orbit cannot be reached: %s",
                           nt_status_text(status));
        if (closes && !(square < 0.04 * before)) /* rounding */
            return check_all(o, error);
        renew = !(square < 1e-4 * before);
        if (better && (left_out == 0 || square < 0.25 * before || o->miss <= limit))
            continue;
        if (left_out > 0 && cut > 0 && along_family > 0)
            along_family = 0;
        else if (left_out > 0 && cut + 1 < CUTS)
            cut++; /* take up what was left alone */
        else if (!better && (!plane || renewed))
            break;
    }
    if (status == NT_OK && o->miss <= limit)
        return check_all(o, error);
    return status == NT_OK ? does_not_close(o, o->miss, error) : status;
}

nt_status nt_orbit_initial_by_parameter(nt_orbit *o, int parameter, double size, double *out)
{
    double base = nt_orbit_parameter(o, parameter), step = 1e-3 * size, *z = o->column;
    int n = nt_orbit_unknowns(o, true);
    nt_status status = NT_OK;
    memset(o->along, 0, (size_t)n * sizeof *o->along);
    memset(out, 0, (size_t)o->m * sizeof *out);
    nt_orbit_save(o, o->kept_state);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        double sign = j % 2 ? -1 : 1;
        o->along[n - 1] = sign * (j / 2 + 1) * step;
        status = nt_orbit_step_along(o, o->along, 1, parameter);
        if (status == NT_OK)
            status = nt_orbit_to_initial(o, z);
        for (int i = 0; i < o->m && status == NT_OK; i++)
            out[i] += sign * nt_stencil[j / 2] * z[i] / step;
        nt_orbit_restore(o, o->kept_state);
        nt_status back = nt_orbit_set_parameter(o, parameter, base);
        status = status == NT_OK ? back : status;
    }
    return status;
}

/* The direction that is left open in a family of orbits is what Newton's method leaves alone: its
 * singular value is what rounding and the steps of the method leave of zero. */
nt_status nt_orbit_direction(nt_orbit *o, const nt_orbit_plane *plane, const double *begin,
                             double *u)
{
    int left_out, rows = all_rows(o, true);
    assemble(o, plane, o->J);
    memset(o->b, 0, (size_t)rows * sizeof *o->b);
    o->b[rows - 1] = 1;
    for (int j = 0; begin && j < o->m; j++)
        for (int i = 0; i < rows; i++)
            o->b[i] -= o->J[(size_t)j * (size_t)rows + (size_t)i] * begin[j];
    int cut = begin || o->kept > 0 ? 1 : CUTS - 1;
    nt_status status = solve(o, true, o->J, o->b, (bounds){.cut = cuts[cut]}, u, &left_out);
    for (int j = 0; begin && j < o->m; j++)
        u[j] += begin[j];
    return status;
}

/* ---- saving --------------------------------------------------------------------------------- */

void nt_orbit_save(const nt_orbit *o, double *state)
{
    *state++ = o->T;
    memcpy(state, o->amount, (size_t)o->wanted.n_advances * sizeof *state);
    memcpy(state + o->wanted.n_advances, o->state, o->state_size * sizeof *state);
}

void nt_orbit_restore(nt_orbit *o, const double *state)
{
    o->T = *state++;
    memcpy(o->amount, state, (size_t)o->wanted.n_advances * sizeof *state);
    memcpy(o->state, state + o->wanted.n_advances, o->state_size * sizeof *state);
}
