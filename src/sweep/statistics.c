/* Statistics of samples.
 *
 *   mean       s / sqrt n by Student's distribution with n - 1 degrees of freedom
 *   deviation  s sqrt((k - 1) / n) / 2, k the kurtosis: no normal distribution is supposed
 *   quantile   between neighbouring values; its interval are values whose ranks a binomial
 *              distribution encloses: no distribution is supposed
 *   extremes   all n values lie below the part p of all with probability p^n = 0.05 (Wilks 1941)
 *
 * Intervals suppose independent samples. Those of a Latin hypercube or of Sobol's sequence are
 * spread more evenly: their means and quantiles are better than the intervals say. */
#include "sweep/statistics.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

const double nt_quantile_parts[NT_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
static const double NORMAL = 1.959963984540054; /* holds 95 % within +- */

/* ---- Student's distribution ----------------------------------------------------------------- */

/* The part of Student's distribution between 0 and x, by Simpson's rule. */
static double student_part(double x, double freedom)
{
    enum { INTERVALS = 200 };
    double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * NT_PI);
    double sum = 0, h = x / INTERVALS;
    for (int i = 0; i <= INTERVALS; i++) {
        double t = i * h, weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow(1 + t * t / freedom, -(freedom + 1) / 2);
    }
    return scale * sum * h / 3;
}

/* x with 95 % within +- x. */
static double student_95(long n)
{
    double low = NORMAL, high = 13, freedom = (double)n - 1;
    if (n > 10000)
        return NORMAL;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_part(middle, freedom) < 0.475)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- one quantity --------------------------------------------------------------------------- */

static nt_estimate around(double value, double half)
{
    return (nt_estimate){value, value - half, value + half};
}

static nt_estimate quantile_of(const double *sorted, long n, double part)
{
    const double none = (double)NAN;
    double at = part * (double)(n - 1), spread = NORMAL * sqrt((double)n * part * (1 - part));
    long below = (long)floor(at), first, last;
    nt_estimate q = {sorted[below], none, none};
    if (below + 1 < n)
        q.value += (at - (double)below) * (sorted[below + 1] - sorted[below]);
    first = (long)floor((double)n * part - spread) - 1;
    last = (long)ceil((double)n * part + spread);
    if (first >= 0)
        q.low = sorted[first];
    if (last < n)
        q.high = sorted[last];
    return q;
}

nt_sample_statistics nt_statistics_of(const double *sorted, long n)
{
    const double none = (double)NAN;
    nt_sample_statistics s = {.n = n,
                              .mean = {none, none, none},
                              .deviation = {none, none, none},
                              .skewness = none,
                              .minimum = none,
                              .maximum = none,
                              .coverage = none};
    double sum = 0, moment[5] = {0};
    for (int i = 0; i < NT_QUANTILES; i++)
        s.quantile[i] = (nt_estimate){none, none, none};
    if (n == 0)
        return s;
    for (long i = 0; i < n; i++)
        sum += sorted[i];
    double mean = s.mean.value = sum / (double)n;
    for (long i = 0; i < n; i++) {
        double d = sorted[i] - mean;
        moment[2] += d * d, moment[3] += d * d * d, moment[4] += d * d * d * d;
    }
    s.minimum = sorted[0];
    s.maximum = sorted[n - 1];
    s.coverage = pow(0.05, 1 / (double)n);
    for (int i = 0; i < NT_QUANTILES; i++)
        s.quantile[i] = quantile_of(sorted, n, nt_quantile_parts[i]);
    if (n < 2)
        return s;
    double deviation = sqrt(moment[2] / (double)(n - 1)), variance = moment[2] / (double)n;
    double kurtosis = variance > 0 ? moment[4] / (double)n / (variance * variance) : 1;
    s.mean = around(mean, student_95(n) * deviation / sqrt((double)n));
    s.deviation =
        around(deviation, NORMAL * deviation * sqrt(fmax(kurtosis - 1, 0) / (double)n) / 2);
    s.deviation.low = fmax(s.deviation.low, 0);
    s.skewness = variance > 0 ? moment[3] / (double)n / (variance * sqrt(variance)) : 0;
    return s;
}

int nt_histogram_bins(const double *sorted, long n)
{
    enum { MOST = 200 };
    if (n < 2 || !(sorted[n - 1] > sorted[0]))
        return 1;
    double quarter = quantile_of(sorted, n, 0.75).value - quantile_of(sorted, n, 0.25).value;
    double width = 2 * quarter / cbrt((double)n);
    double bins = width > 0 ? ceil((sorted[n - 1] - sorted[0]) / width) : sqrt((double)n);
    return (int)fmin(fmax(bins, 1), MOST);
}

/* ---- two quantities ------------------------------------------------------------------------- */

double nt_correlation(const double *x, const double *y, long n)
{
    double mean[2] = {0, 0}, xx = 0, yy = 0, xy = 0;
    for (long i = 0; i < n; i++)
        mean[0] += x[i], mean[1] += y[i];
    mean[0] /= (double)n, mean[1] /= (double)n;
    for (long i = 0; i < n; i++) {
        double dx = x[i] - mean[0], dy = y[i] - mean[1];
        xx += dx * dx, yy += dy * dy, xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : (double)NAN;
}

/* Heap sort of places by the values there: no library sort takes a context everywhere. */
static void sift(const double *x, long *order, long root, long n)
{
    for (long child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && x[order[child + 1]] > x[order[child]])
            child++;
        if (!(x[order[child]] > x[order[root]]))
            return;
        long kept = order[root];
        order[root] = order[child];
        order[child] = kept;
    }
}

void nt_ranks(const double *x, long n, long *order, double *rank)
{
    for (long i = 0; i < n; i++)
        order[i] = i;
    for (long i = n / 2; i-- > 0;)
        sift(x, order, i, n);
    for (long end = n - 1; end > 0; end--) {
        long kept = order[0];
        order[0] = order[end];
        order[end] = kept;
        sift(x, order, 0, end);
    }
    for (long i = 0, j; i < n; i = j) {
        for (j = i; j < n && x[order[j]] == x[order[i]];)
            j++;
        for (long k = i; k < j; k++)
            rank[order[k]] = (double)(i + j + 1) / 2;
    }
}

/* ---- Sobol indices -------------------------------------------------------------------------- */

/* The mean of terms over the variance, with the scatter of the terms. */
static nt_estimate index_of(double sum, double squares, long n, double variance)
{
    double mean = sum / (double)n, scatter = fmax(squares / (double)n - mean * mean, 0);
    return around(mean / variance, NORMAL * sqrt(scatter / (double)n) / variance);
}

nt_sobol_indices nt_sobol_indices_of(const double *a, const double *b, const double *ab, long n,
                                     double variance)
{
    const double none = (double)NAN;
    double sum[2] = {0, 0}, squares[2] = {0, 0};
    if (n < 2 || !(variance > 0))
        return (nt_sobol_indices){{none, none, none}, {none, none, none}};
    for (long i = 0; i < n; i++) {
        double first = b[i] * (ab[i] - a[i]), total = (a[i] - ab[i]) * (a[i] - ab[i]) / 2;
        sum[0] += first, squares[0] += first * first;
        sum[1] += total, squares[1] += total * total;
    }
    return (nt_sobol_indices){index_of(sum[0], squares[0], n, variance),
                              index_of(sum[1], squares[1], n, variance)};
}
