/* Derivatives of multipliers in a parameter.
 *
 * The orbit follows the parameter by the implicit function of the shooting: u' = (z', T', a') with
 * J u' = -(d misses/dp). Along the line u(s) = u + s u', p + s the shooting stays closed to s^2,
 * and the monodromy matrix there differs from that of the orbits at p + s by as much: dM/dp is its
 * derivative at s = 0, taken by the formula of sixth order from M itself, which is exact. Of a
 * family of orbits the begin is left open: it goes with the system's initial state where it stands
 * there, else z' of it is the smallest. With left and right eigenvectors w, x of M
 *
 *   dmu/dp = w^H (dM/dp) x / (w^H x). */
#include "analysis/orbit/orbit.h"
#include "base/error.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Steps of the difference formulas, of the parameter's natural size. */
static const double STEP = 2e-3;

/* Multipliers nearer than this to another count as repeated. */
static const double REPEATED = 1e-6;

/* Eigenvector i as LAPACK packs it. */
static void unpack(const double *packed, const double *value, int n, int i, double complex *x)
{
    bool pair = value[2 * i + 1] != 0, second = value[2 * i + 1] < 0;
    const double *re = packed + (second ? i - 1 : i) * n;
    for (int k = 0; k < n; k++)
        x[k] = CMPLX(re[k], pair ? (second ? -1 : 1) * re[n + k] : 0);
}

/* dM[m][m] by rows, along u' and the parameter. */
static nt_status differentiate(nt_orbit *o, int parameter, double size, const double *u, double *dM,
                               nt_error *error)
{
    double base = nt_orbit_parameter(o, parameter), step = STEP * size;
    nt_status status = NT_OK;
    memset(dM, 0, (size_t)(o->m * o->m) * sizeof *dM);
    nt_orbit_save(o, o->try_state);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        double sign = j % 2 ? -1 : 1;
        status = nt_orbit_step_along(o, u, sign * (j / 2 + 1) * step, parameter);
        if (status == NT_OK)
            status = nt_orbit_shoot(o, true, error);
        if (status == NT_OK)
            status = nt_orbit_multipliers(o);
        for (int i = 0; i < o->m * o->m && status == NT_OK; i++)
            dM[i] += sign * nt_stencil[j / 2] * o->monodromy[i] / step;
        nt_orbit_restore(o, o->try_state);
        nt_status back = nt_orbit_set_parameter(o, parameter, base);
        status = status == NT_OK ? back : status;
    }
    return status;
}

static double distance(const double *a, const double *b) { return hypot(a[0] - b[0], a[1] - b[1]); }

/* dmu of the multiplier nearest to `mu` among those of M; NaN where another is near. */
static void vary(const double *value, const double *left, const double *right, const double *dM,
                 int n, const double *mu, double complex *work, double out[2])
{
    int best = 0, others = 0;
    double complex *w = work, *x = work + n, sum = 0, of = 0;
    for (int i = 1; i < n; i++)
        best = distance(value + 2 * i, mu) < distance(value + 2 * best, mu) ? i : best;
    for (int i = 0; i < n; i++)
        others += i != best && distance(value + 2 * i, value + 2 * best) < REPEATED;
    unpack(left, value, n, best, w);
    unpack(right, value, n, best, x);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            sum += conj(w[i]) * dM[i * n + k] * x[k];
        of += conj(w[i]) * x[i];
    }
    out[0] = others > 0 ? (double)NAN : creal(sum / of);
    out[1] = others > 0 ? (double)NAN : cimag(sum / of);
}

/* u' with the parameter's own entry 1. */
static nt_status implicit(nt_orbit *o, int parameter, double size, double *u, nt_error *error)
{
    int n = nt_orbit_unknowns(o, true);
    double *scale = u + n, *direction = scale + n, *begin = o->follows ? direction + n : NULL;
    for (int i = 0; i < n; i++)
        scale[i] = 1, direction[i] = i == n - 1;
    nt_orbit_plane plane = {parameter, size, direction, scale};
    nt_status status = nt_orbit_shoot(o, true, error);
    if (status == NT_OK)
        status = nt_orbit_by_parameter(o, parameter, size, 6, o->by_parameter, error);
    if (status == NT_OK && begin)
        status = nt_orbit_initial_by_parameter(o, parameter, size, begin);
    if (status == NT_OK)
        status = nt_orbit_direction(o, &plane, begin, u);
    return status;
}

nt_status nt_orbit_tangent(nt_orbit *o, int parameter, double *out, double *period, double *advance,
                           nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit out", o, out);
    if (!o->is_found)
        return nt_fail(error, NT_INVALID, "no orbit was found that could be differentiated");
    if (parameter < 0 || parameter >= o->system->n_parameters || !o->system->set_parameters)
        return nt_fail(error, NT_INVALID, "there is no parameter %d, the system has %d", parameter,
                       o->system->n_parameters);
    int m = o->m, k = 0;
    double p = nt_orbit_parameter(o, parameter), size = p != 0 ? fabs(p) : 1;
    size_t square = (size_t)(m * m);
    nt_arena arena = {0};
    double *dM = NT_TAKE(&arena, square, double), *M = NT_TAKE(&arena, square, double);
    double *left = NT_TAKE(&arena, square, double), *right = NT_TAKE(&arena, square, double);
    double *value = NT_TAKE(&arena, 2 * m, double), *mu = NT_TAKE(&arena, 2 * m, double);
    double complex *work = NT_TAKE(&arena, 2 * m, double complex);
    nt_status status = dM && M && left && right && value && mu && work ? NT_OK : NT_NO_MEMORY;
    double *u = o->u;
    nt_orbit_keep_phase(o);
    o->kept_fixed = true;
    memcpy(mu, o->multiplier, 2 * (size_t)m * sizeof *mu);
    if (status == NT_OK)
        status = implicit(o, parameter, size, u, error);
    if (status == NT_OK)
        status = differentiate(o, parameter, size, u, dM, error);
    if (status == NT_OK && (status = nt_orbit_shoot(o, true, error)) == NT_OK)
        status = nt_orbit_multipliers(o);
    o->kept_fixed = false;
    for (int i = 0; i < m && status == NT_OK; i++)
        for (int j = 0; j < m; j++)
            M[j * m + i] = o->monodromy[i * m + j];
    if (status == NT_OK)
        status = nt_dense_eigen(m, M, value, left, right);
    for (int i = 0; i < m && status == NT_OK; i++) {
        out[2 * i] = out[2 * i + 1] = (double)NAN;
        if (i >= o->trivial)
            vary(value, left, right, dM, m, mu + 2 * i, work, out + 2 * i);
    }
    u += o->n * m;
    if (status == NT_OK && period)
        *period = o->wanted.free ? u[k] : 0;
    k += o->wanted.free != 0;
    for (int i = 0; i < o->wanted.n_advances && status == NT_OK && advance; i++)
        advance[i] = o->advance[i].found ? u[k++] : 0;
    nt_arena_free(&arena);
    o->has_differentiated = status == NT_OK && !o->follows;
    if (status == NT_OK)
        nt_orbit_save(o, o->differentiated);
    else
        nt_fail(error, status, "the multipliers cannot be differentiated: %s",
                nt_status_text(status));
    return nt_said(error, nt_system_ends(o->system, status, error));
}
