/* Cubics through the points of a table, of one variable.
 *
 * F. N. Fritsch, R. E. Carlson: Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17
 * (1980) 238-246. */
#include "model/expressions/table.h"

#include "base/error.h"
#include "model/expressions/table_slopes.h"

#include <math.h>
#include <string.h>

/* ---- monotone slopes ------------------------------------------------------------------------ */

static double slopes_secant(const double *x, const double *y, int k)
{
    return (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
}

/* The slope at the middle of three points of their parabola: h0, h1 between them, d0, d1 secants.
 */
static double slopes_middle(double h0, double d0, double h1, double d1)
{
    return d0 + h0 * ((d1 - d0) / (h0 + h1));
}

/* The slope at point k before any shortening: of the parabola through three neighbours, or at an
 * end through the three nearest; where the table repeats itself the ends have two neighbours too.
 */
static double slopes_parabola(const double *x, const double *y, int n, int k, bool periodic)
{
    bool end = k == 0 || k == n - 1;
    int before = end && periodic ? n - 2 : k - 1, after = end && periodic ? 0 : k;
    if (n == 2)
        return slopes_secant(x, y, 0);
    if (end && !periodic) { /* through the three nearest points */
        int from = k == 0 ? 0 : n - 3;
        double h0 = x[from + 1] - x[from], h1 = x[from + 2] - x[from + 1];
        double d0 = slopes_secant(x, y, from), d1 = slopes_secant(x, y, from + 1);
        double bend = (d1 - d0) / (h0 + h1); /* half the second derivative */
        return k == 0 ? d0 - h0 * bend : d1 + h1 * bend;
    }
    return slopes_middle(x[before + 1] - x[before], slopes_secant(x, y, before),
                         x[after + 1] - x[after], slopes_secant(x, y, after));
}

/* First the slopes of parabolas, zero where they point against a secant beside them. Then, with
 * alpha and beta the slopes at the two ends of an interval over its secant, the pair is shortened
 * onto the circle alpha^2 + beta^2 = 9, inside which the cubic is monotone (Fritsch & Carlson,
 * section 4). Shortening a slope keeps the interval before it monotone. */
static void slopes_monotone(const double *x, const double *y, int n, bool periodic, double *slope)
{
    for (int k = 0; k < n; k++) {
        bool end = periodic && (k == 0 || k == n - 1);
        double left = slopes_secant(x, y, end ? n - 2 : k > 0 ? k - 1 : 0);
        double right = slopes_secant(x, y, end ? 0 : k < n - 1 ? k : n - 2);
        double m = slopes_parabola(x, y, n, k, periodic);
        bool against = !(left * m > 0) || !(right * m > 0);
        slope[k] = against ? 0 : m;
    }
    for (int round = 0; round < (periodic ? 2 : 1); round++) {
        for (int k = 0; k < n - 1; k++) {
            double d = slopes_secant(x, y, k);
            if (d == 0) {
                slope[k] = slope[k + 1] = 0;
                continue;
            }
            double length = hypot(slope[k] / d, slope[k + 1] / d);
            if (length > 3) {
                slope[k] *= 3 / length;
                slope[k + 1] *= 3 / length;
            }
        }
        if (periodic) { /* one point: the shorter of both */
            double least = fabs(slope[0]) < fabs(slope[n - 1]) ? slope[0] : slope[n - 1];
            slope[0] = slope[n - 1] = least;
        }
    }
}

/* ---- slopes of splines ---------------------------------------------------------------------- */

/* The second derivative is continuous at point k where, with h and secants d on both sides,
 *
 *   m_(k-1)/h_0 + 2 (1/h_0 + 1/h_1) m_k + m_(k+1)/h_1 = 3 (d_0/h_0 + d_1/h_1).
 *
 * natural: it is zero at the ends, 2 m_0 + m_1 = 3 d_0; clamped: the slope is; periodic: m_0 =
 * m_(n-1), solved by the correction of Sherman and Morrison. The matrix is diagonally dominant. */
static void slopes_solve(const double *low, double *diagonal, const double *high, double *right,
                         int n)
{
    for (int k = 1; k < n; k++) {
        double f = low[k] / diagonal[k - 1];
        diagonal[k] -= f * high[k - 1];
        right[k] -= f * right[k - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for (int k = n - 2; k >= 0; k--)
        right[k] = (right[k] - high[k] * right[k + 1]) / diagonal[k];
}

/* work[5 n] */
static void slopes_spline(const double *x, const double *y, int n, int ends, double *slope,
                          double *work)
{
    double *low = work, *diagonal = work + n, *high = work + 2 * n, *copy = work + 3 * n,
           *corner = work + 4 * n;
    bool periodic = ends == NT_ENDS_PERIODIC;
    for (int k = 0; k < n; k++) {
        bool first = k == 0, last = k == n - 1;
        double h0 = first ? x[n - 1] - x[n - 2] : x[k] - x[k - 1];
        double h1 = last ? x[1] - x[0] : x[k + 1] - x[k];
        double d0 = slopes_secant(x, y, first ? n - 2 : k - 1);
        double d1 = slopes_secant(x, y, last ? 0 : k);
        low[k] = 1 / h0, high[k] = 1 / h1;
        diagonal[k] = 2 * (low[k] + high[k]);
        slope[k] = 3 * (d0 * low[k] + d1 * high[k]);
        if (!periodic && (first || last)) {
            bool natural = ends == NT_NATURAL;
            diagonal[k] = natural ? 2 : 1;
            low[k] = high[k] = natural ? 1 : 0;
            slope[k] = natural ? 3 * (first ? d1 : d0) : 0;
        }
    }
    if (!periodic) {
        slopes_solve(low, diagonal, high, slope, n);
        return;
    }
    int size = n - 1; /* the last point is the first one */
    double beta = low[0], gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[size - 1] -= beta * beta / gamma;
    memcpy(copy, diagonal, (size_t)n * sizeof *copy);
    memset(corner, 0, (size_t)n * sizeof *corner);
    corner[0] = gamma, corner[size - 1] = beta;
    slopes_solve(low, diagonal, high, slope, size);
    slopes_solve(low, copy, high, corner, size);
    double factor = (slope[0] + beta * slope[size - 1] / gamma) /
                    (1 + corner[0] + beta * corner[size - 1] / gamma);
    for (int k = 0; k < size; k++)
        slope[k] -= factor * corner[k];
    slope[size] = slope[0];
}

void nt_table_slopes(const double *x, const double *y, int n, const nt_table_form *form,
                     double *slope, double *work)
{
    if (form->interpolation == NT_SPLINE && !(form->ends == NT_ENDS_PERIODIC && n < 4))
        slopes_spline(x, y, n, form->ends, slope, work);
    else if (form->interpolation == NT_SPLINE || form->interpolation == NT_MONOTONE)
        slopes_monotone(x, y, n, form->beyond == NT_BEYOND_PERIODIC, slope);
}

/* ---- making one ----------------------------------------------------------------------------- */

static nt_status table_check(const nt_table_sheet *sheet, int column, const nt_table_form *form,
                             nt_error *error)
{
    bool repeats = form->beyond == NT_BEYOND_PERIODIC || form->ends == NT_ENDS_PERIODIC;
    if (sheet->across)
        return nt_map_check(sheet, form, error);
    if (form->across != 0)
        return nt_fail(error, NT_BAD_MODEL, "is no map and has no y to go beyond");
    const double *y = sheet->value + (size_t)column * (size_t)sheet->n;
    int n = sheet->n;
    if (form->ends == NT_ENDS_PERIODIC && form->interpolation == NT_SPLINE && n < 4)
        return nt_fail(error, NT_BAD_MODEL,
                       "has %d points, expected four or more of a periodic spline", n);
    if (repeats && form->interpolation != NT_PREVIOUS && y[0] != y[n - 1])
        return nt_fail(error, NT_BAD_MODEL,
                       "repeats itself, but its first value %.17g and its last %.17g differ, "
                       "expected the same",
                       y[0], y[n - 1]);
    return NT_OK;
}

nt_status nt_table_make(const nt_table_sheet *sheet, int column, const nt_table_form *form,
                        nt_arena *arena, const nt_table **out, nt_error *error)
{
    nt_status status = table_check(sheet, column, form, error);
    if (status != NT_OK)
        return status;
    nt_table *t = NT_TAKE(arena, 1, nt_table);
    if (!t)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    *t = (nt_table){.n = sheet->n,
                    .x = sheet->value,
                    .y = sheet->value + (size_t)column * (size_t)sheet->n,
                    .file = sheet->file,
                    .form = *form,
                    .sheet = sheet};
    *out = t;
    if (sheet->across)
        return nt_map_make(t, arena, error);
    double *slope = NT_TAKE(arena, 6 * (size_t)t->n, double);
    if (!slope)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_table_slopes(t->x, t->y, t->n, form, slope, slope + t->n);
    t->slope = slope;
    return NT_OK;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

int nt_table_interval(const double *x, int n, double at)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (at < x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Cubic Hermite form with u = (x - x_k) / h:
 * y = y_k + h u (m_k + u (c + u d)),  c = 3 s - 2 m_k - m_(k+1),  d = m_k + m_(k+1) - 2 s,
 * with s the secant and m the slopes. At a point the value is the point's own. */
static void table_inside(const nt_table *t, double x, double out[3])
{
    int k = nt_table_interval(t->x, t->n, x), kind = t->form.interpolation;
    double h = t->x[k + 1] - t->x[k], u = (x - t->x[k]) / h, s = slopes_secant(t->x, t->y, k);
    bool at_end = x >= t->x[k + 1];
    out[0] = at_end ? t->y[k + 1] : t->y[k];
    out[1] = out[2] = 0;
    if (kind == NT_PREVIOUS)
        return;
    if (kind == NT_LINEAR) {
        out[0] = at_end ? out[0] : t->y[k] + s * (x - t->x[k]);
        out[1] = s;
        return;
    }
    double m = t->slope[k], c = 3 * s - 2 * m - t->slope[k + 1], d = m + t->slope[k + 1] - 2 * s;
    if (!at_end)
        out[0] = t->y[k] + h * u * (m + u * (c + u * d));
    out[1] = m + u * (2 * c + u * 3 * d);
    out[2] = (2 * c + 6 * d * u) / h;
}

double nt_table_place(double first, double last, double x)
{
    double period = last - first, place = first + fmod(x - first, period);
    place = place < first ? place + period : place;
    return place > last ? last : place;
}

void nt_table_evaluate(const nt_table *t, double x, double out[3])
{
    double first = t->x[0], last = t->x[t->n - 1];
    if (x >= first && x <= last) {
        table_inside(t, x, out);
        return;
    }
    double end = x < first ? first : last;
    if (isnan(x) || t->form.beyond == NT_BEYOND_ERROR) {
        out[0] = out[1] = out[2] = (double)NAN;
    } else if (t->form.beyond == NT_BEYOND_PERIODIC) {
        table_inside(t, nt_table_place(first, last, x), out);
    } else {
        table_inside(t, end, out);
        out[2] = 0;
        if (t->form.beyond == NT_EXTRAPOLATE)
            out[0] += out[1] * (x - end);
        else
            out[1] = 0;
    }
}

void nt_table_beside(const nt_table *t, double x, double side, double out[3])
{
    double first = t->x[0], last = t->x[t->n - 1];
    bool repeats = t->form.beyond == NT_BEYOND_PERIODIC && isfinite(x);
    double place = repeats ? nt_table_place(first, last, x) : x;
    int k = nt_table_interval(t->x, t->n, place);
    double point = place - t->x[k] < t->x[k + 1] - place ? t->x[k] : t->x[k + 1];
    if (side * (place - point) > 0) {
        nt_table_evaluate(t, x, out);
        return;
    }
    double begin = nextafter(point, side * (double)INFINITY), on = place - begin;
    nt_table_evaluate(t, begin, out);
    out[0] += on * (out[1] + on / 2 * out[2]);
    out[1] += on * out[2];
}

double nt_table_next(const nt_table *table, double x)
{
    double shift = 0, first = table->x[0], last = table->x[table->n - 1];
    if (table->form.beyond == NT_BEYOND_PERIODIC && isfinite(x)) {
        shift = floor((x - first) / (last - first)) * (last - first);
        x -= shift;
    }
    for (int low = -1, high = table->n;;) {
        if (high - low == 1)
            return high < table->n                            ? table->x[high] + shift
                   : table->form.beyond == NT_BEYOND_PERIODIC ? last + shift
                                                              : (double)INFINITY;
        int middle = low + (high - low) / 2;
        if (x < table->x[middle])
            high = middle;
        else
            low = middle;
    }
}

const nt_table *nt_table_steps(const nt_table *table, nt_arena *arena)
{
    nt_table *steps = NT_TAKE(arena, 1, nt_table);
    double *y;
    if (!steps || !NT_DOUBLES(arena, (size_t)table->n, &y))
        return NULL;
    for (int k = 0; k + 1 < table->n; k++)
        y[k] = slopes_secant(table->x, table->y, k);
    y[table->n - 1] = 0;
    *steps = *table;
    steps->y = y;
    return steps;
}
