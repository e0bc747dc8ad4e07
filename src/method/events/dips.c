/* Indicators that pass zero and come back between two samples.
 *
 * Both samples then show the same side. The polynomial through all samples of the step says where
 * an indicator turns near its zero between them; only there it is looked at, and from there to
 * where the parabola through three looks turns, until it is beyond its zero or turns before it.
 * Indicators that only touch their zero, to rounding, have not passed it. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

/* Places between two samples at which the polynomial is asked, and rounds in which the place of
 * what it shows is refined, each with three looks. */
enum { PLACES = 8, ROUNDS = 4 };

/* A dip is looked at where the polynomial comes to zero but for this part of all that the indicator
 * changes by in the step: so far it may be from dense output. */
static const double REACH = 0.125;

/* Looks are so far apart in the first round, in samples, and by this part of that in the next. */
static const double APART = 1. / 16, CLOSER = 1. / 8;

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

/* What the samples differ by. */
static double range(const double *f, int n)
{
    double least = f[0], most = f[0];
    for (int k = 1; k <= n; k++)
        least = fmin(least, f[k]), most = fmax(most, f[k]);
    return most - least;
}

/* Where the parabola through three values, `apart` from each other, is least, from the middle one,
 * and what it is there; false where it has no least value. */
static bool turns(const double g[3], double apart, double *off, double *least)
{
    double slope = (g[2] - g[0]) / 2, bend = g[2] - 2 * g[1] + g[0];
    if (!(bend > 0))
        return false;
    *off = -slope / bend * apart;
    *least = g[1] - slope * slope / (2 * bend);
    return true;
}

/* The place between samples k - 1 and k, from place j of the polynomial on, where it turns within
 * `reach` of zero; the next j, or 0 where it does not. */
static int dips(const double *f, const double *d, int n, int k, int j, double reach, double *place)
{
    double sign = f[k] > 0 ? 1 : -1, g[3];
    if (!(sign * f[k - 1] > 0))
        return 0;
    for (; j <= PLACES; j++) { /* both samples too: it may turn just beside them */
        double off, least, s = k - 1 + (double)j / PLACES;
        for (int i = 0; i < 3; i++)
            g[i] = sign * polynomial(d, n, s + (i - 1.) / PLACES);
        if (g[1] > g[0] || g[1] > g[2] || !turns(g, 1. / PLACES, &off, &least) || least > reach)
            continue;
        *place = fmin(fmax(s + off, k - 1), k);
        return j + 1;
    }
    return 0;
}

/* Follows indicator i from there to where it is least on its side, between samples k - 1 and k;
 * *beyond: it passes zero. */
static nt_status follow(nt_integrator *it, int i, double h, double sign, int k, double *place,
                        bool *beyond)
{
    static const int order[] = {1, 0, 2};
    double *g = it->stops.g[2], apart = APART, value[3];
    double zero = ZERO * it->stops.side[it->stops.events->n + i];
    for (int round = 0; round < ROUNDS; round++, apart *= CLOSER) {
        double middle = fmin(fmax(*place, k - 1 + apart), k - apart), off, least;
        for (int j = 0; j < 3; j++) {
            double s = middle + (order[j] - 1) * apart;
            nt_status status = nt_stops_within(it, s / NT_SAMPLES, h, g);
            if (status != NT_OK)
                return status;
            value[order[j]] = sign * g[i];
            if (sign * g[i] < -zero) {
                *place = s;
                *beyond = true;
                return NT_OK;
            }
        }
        if (!turns(value, apart, &off, &least) || (least > 0 && round > 0))
            break;
        *place = fmin(fmax(middle + off, k - 1), k);
    }
    return NT_OK;
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
    double f[NT_SAMPLES + 1], d[NT_SAMPLES + 1], place = 0;
    int until = n;
    nt_status status = n > 0 ? sample_beyond(it, h, &n) : NT_OK;
    *part = 0;
    for (int i = 0; i < s->events->n && n > 1 && status == NT_OK; i++) {
        bool beyond = false;
        for (int k = 0; k <= n; k++)
            f[k] = s->samples[k * s->events->n + i];
        if (s->way[i] == 0 || (s->way[i] & NT_INSIDE) || is_far(f, n))
            continue;
        differences(f, n, d);
        double reach = REACH * range(f, n);
        for (int k = 1; k <= until && !beyond && status == NT_OK; k++)
            for (int j = 0; !beyond && (j = dips(f, d, n, k, j, reach, &place)) > 0;)
                if ((status = follow(it, i, h, f[k] > 0 ? 1 : -1, k, &place, &beyond)) != NT_OK)
                    return status;
        if (beyond && (*part == 0 || place / NT_SAMPLES < *part))
            *part = place / NT_SAMPLES;
    }
    return status;
}
