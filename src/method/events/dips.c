/* Indicators that pass zero and come back between two samples.
 *
 * Both samples then show the same side. The polynomial through all samples of the step says where
 * an indicator comes nearest to zero between them, and whether that may be beyond; only there it is
 * looked at, and from there to where it is farthest beyond or least before its zero. Indicators
 * that only touch their zero, to rounding, have not passed it. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

/* Places between two samples at which the polynomial is asked, and rounds in which the place of
 * what it shows is refined, each with two looks. */
enum { PLACES = 8, ROUNDS = 8 };

/* A dip is looked at where the polynomial, from the nearer of two samples, goes all the way to zero
 * but this part of its own way. */
static const double REACH = 0.1;

/* Values below this part of the largest are zero (stops.c). */
static const double ZERO = 1e-13;

/* f(s) of the polynomial through f[0], ..., f[n] at s = 0, 1, ..., n: by divided differences d[].
 */
static void differences(const double *f, int n, double *d)
{
    memcpy(d, f, (size_t)(n + 1) * sizeof *d);
    for (int order = 1; order <= n; order++)
        for (int k = n; k >= order; k--)
            d[k] = (d[k] - d[k - 1]) / order;
}

static double polynomial(const double *d, int n, double s)
{
    double f = d[n];
    for (int k = n - 1; k >= 0; k--)
        f = d[k] + (s - k) * f;
    return f;
}

/* Whether no two samples differ by as much as the one that is nearest to zero is away from it. */
static bool is_far(const double *f, int n)
{
    double nearest = fabs(f[0]), most = 0;
    for (int k = 1; k <= n; k++) {
        nearest = fmin(nearest, fabs(f[k]));
        most = fmax(most, fabs(f[k] - f[k - 1]));
    }
    return nearest > most;
}

/* The place between samples k - 1 and k where the polynomial dips towards zero, and how far before
 * it an indicator may be there that comes to zero; false where it does not. */
static bool dips(const double *f, const double *d, int n, int k, double *place, double *reach)
{
    double sign = f[k] > 0 ? 1 : -1, ends = fmin(sign * f[k - 1], sign * f[k]), least = ends;
    if (!(sign * f[k - 1] > 0))
        return false;
    for (int j = 1; j < PLACES; j++) {
        double s = k - 1 + (double)j / PLACES, g = sign * polynomial(d, n, s);
        if (g < least)
            least = g, *place = s;
    }
    *reach = REACH * (ends - least);
    return least < ends && least <= *reach;
}

/* Follows indicator i from there to where it is least on its side; *beyond: it passes zero. */
static nt_status follow(nt_integrator *it, int i, double h, double sign, double reach,
                        double *place, bool *beyond)
{
    double *g = it->stops.g[2], beside = 1.0 / PLACES;
    double zero = ZERO * it->stops.side[it->stops.events->n + i];
    nt_status status = nt_stops_within(it, *place / NT_SAMPLES, h, g);
    double least = sign * g[i], from = floor(*place);
    *beyond = status == NT_OK && least < -zero;
    for (int round = 0; round < ROUNDS && least <= reach && !*beyond && status == NT_OK; round++) {
        beside /= 2;
        double middle = *place;
        for (int side = -1; side <= 1 && status == NT_OK; side += 2) {
            double s = fmin(fmax(middle + side * beside, from), from + 1);
            status = nt_stops_within(it, s / NT_SAMPLES, h, g);
            if (status == NT_OK && sign * g[i] < least)
                least = sign * g[i], *place = s;
        }
        *beyond = status == NT_OK && least < -zero;
    }
    return status;
}

/* Samples behind the first one at which something has happened, for the polynomial alone: the dense
 * output goes on there as if nothing had. *n: so many there are. */
static nt_status sample_beyond(nt_integrator *it, double h, int *n)
{
    nt_stops *s = &it->stops;
    int count = s->events->n;
    for (int k = *n + 1; k <= NT_SAMPLES; k++) {
        double *g = s->samples + (size_t)k * (size_t)count;
        nt_status status = nt_stops_within(it, (double)k / NT_SAMPLES, h, g);
        if (nt_is_final(status))
            return status;
        for (int i = 0; i < count && status == NT_OK; i++)
            status = isfinite(g[i]) ? NT_OK : NT_NOT_FINITE;
        if (status != NT_OK)
            return NT_OK;
        *n = k;
    }
    return NT_OK;
}

nt_status nt_stops_find_dip(nt_integrator *it, double h, int n, double *part)
{
    const nt_stops *s = &it->stops;
    double f[NT_SAMPLES + 1], d[NT_SAMPLES + 1], place = 0, reach = 0;
    int until = n;
    nt_status status = n > 0 ? sample_beyond(it, h, &n) : NT_OK;
    *part = 0;
    for (int i = 0; i < s->events->n && n > 1 && status == NT_OK; i++) {
        bool beyond = false;
        for (int k = 0; k <= n; k++)
            f[k] = s->samples[k * s->events->n + i];
        if (s->way[i] == 0 || s->way[i] == NT_INSIDE || is_far(f, n))
            continue;
        differences(f, n, d);
        for (int k = 1; k <= until && !beyond && status == NT_OK; k++)
            if (dips(f, d, n, k, &place, &reach))
                status = follow(it, i, h, f[k] > 0 ? 1 : -1, reach, &place, &beyond);
        if (beyond && (*part == 0 || place / NT_SAMPLES < *part))
            *part = place / NT_SAMPLES;
    }
    return status;
}
