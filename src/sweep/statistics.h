/* Statistics of samples, without any knowledge of sweeps. */
#ifndef NUTATE_SWEEP_STATISTICS_H
#define NUTATE_SWEEP_STATISTICS_H

#include <stdbool.h>

/* The parts of all values that quantiles are given for. */
enum { NT_QUANTILES = 7 };
extern const double nt_quantile_parts[NT_QUANTILES]; /* 0.01 ... 0.99 */

/* A number with the two ends of its interval of 95 % confidence; NaN where there is none. */
typedef struct nt_estimate {
    double value, low, high;
} nt_estimate;

typedef struct nt_sample_statistics {
    long n;
    nt_estimate mean, deviation;
    double skewness;
    double minimum, maximum;
    /* With 95 % confidence at least this part of all lies below the maximum; the same part above
     * the minimum. */
    double coverage;
    nt_estimate quantile[NT_QUANTILES];
} nt_sample_statistics;

/* The statistics of sorted[n], ascending, all finite; n = 0 gives NaN. */
nt_sample_statistics nt_statistics_of(const double *sorted, long n);

/* Pearson's correlation of x[n] and y[n]; NaN where one of them does not vary. */
double nt_correlation(const double *x, const double *y, long n);
/* rank[n]: places of x[n] in their order, from 1; equal ones share their mean. order[n] is scratch.
 */
void nt_ranks(const double *x, long n, long *order, double *rank);

/* How many bins a histogram of sorted[n] has, by Freedman & Diaconis: widths of 2 (q3 - q1)/n^1/3;
 * 1 to 200. */
int nt_histogram_bins(const double *sorted, long n);

/* Sobol indices of one input from n samples of f(A), f(B) and f(A with the input of B), about their
 * mean, and the variance of f: first order (Saltelli et al. 2010) and total (Jansen 1999). */
typedef struct nt_sobol_indices {
    nt_estimate first, total;
} nt_sobol_indices;
nt_sobol_indices nt_sobol_indices_of(const double *a, const double *b, const double *ab, long n,
                                     double variance);

#endif
