/* Whether a derivative is right, from differences of whole runs.
 *
 * No difference knows its own error, so that several are compared. For steps d of 1e-3, ten times
 * less and so on to 1e-8, then 1e-2 of the parameter, from runs at p +- d and p +- 2 d (the least
 * of them are for contacts: the onset of one must not pass from one time step to another),
 *
 *   central        D2 = (y(+1) - y(-1)) / 2 d
 *   five-point     D4 = (8 (y(+1) - y(-1)) - (y(+2) - y(-2))) / 12 d
 *   fourth         W  = (y(+2) - 4 y(+1) + 6 y(0) - 4 y(-1) + y(-2)) / sqrt(70),
 *
 * W of the size of the noise of one value where that is independent from run to run. The doubt in
 * D4 is its distance from the D2 of its own step or from the D4 of another one, what is less, but
 * not less than the noise allows, W over d, nor less than what D4 of smaller steps differ by from
 * it beyond their own noise: two differences of a large step may agree by chance, where a contact
 * begins at another place between two time steps for each run. The D4 with the smallest doubt
 * counts. In a chaotic motion, or where the result is not smooth in the parameter, W is large and
 * no two differences agree, at any step: then there is no verdict, whatever the derivative. */
#include "cli/sens/sens_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double nt_check_steps[NT_CHECK_STEPS] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-2};

/* A derivative is right when it is off by less than RELATIVE, the accuracy that differences reach
 * in a well-behaved run of some thousand steps, or by ten times the doubt; there is no verdict when
 * the doubt exceeds UNDECIDED. Relative to the largest component of the quantity. */
static const double RELATIVE = 1e-5, UNDECIDED = 1e-3, DOUBTS = 10;
/* What two differences are apart by counts as noise up to so many times the noise of one. */
static const double EXPLAINED = 3;
/* Values of runs are off by this at least, whether differences agree or not. */
static const double LAST_DIGITS = 1e-15;
/* What half the step changes in a difference, or in a derivative, is three quarters of its error by
 * a method of second order and half of it by one of first order. What is wrong whatever the step
 * does not change with it. Where in a step an event is decides the error with its length, so that
 * half the step alone may change little by chance: several are looked at. */
static const double ERRORS = 4;
/* After this no other step can improve the verdict. */
static const double CERTAIN = 1e-7;

enum { SHOWN = 20 };

/* ---- one group ------------------------------------------------------------------------------ */

static double verdict_distance(const nt_check_group *g, const double *a, const double *b)
{
    double largest = 0;
    for (int i = g->first; i < g->first + g->columns; i++)
        largest = fmax(largest, fabs(a[i] - (b ? b[i] : 0)));
    return isnan(largest) ? (double)INFINITY : largest;
}

/* The second smallest of the steps that were done; infinite where there are fewer. */
static double second_smallest_step(const nt_check_differences *d)
{
    double least[2] = {(double)INFINITY, (double)INFINITY};
    for (int j = 0; j < NT_CHECK_STEPS; j++) {
        double step = d->done[j] ? nt_check_steps[j] : (double)INFINITY;
        least[1] = fmax(least[0], fmin(step, least[1]));
        least[0] = fmin(least[0], step);
    }
    return least[1];
}

/* The noise of one value at step i. Rounding is the same at all steps; what is not smooth shows in
 * the large ones, so that steps up to i count. One W may be small by chance: of the smallest step
 * the next one counts as well. Where time steps follow the parameter their error is smooth over the
 * smallest steps, with a slope of its own, and looks like noise over larger ones: then all steps up
 * to the first one count, whichever i. */
static double noise_of(const nt_check_group *g, const nt_check_differences *d, int i)
{
    double largest = 0, most = d->own_steps ? nt_check_steps[0] : nt_check_steps[i];
    double second = second_smallest_step(d);
    most = isfinite(second) ? fmax(most, second) : most;
    for (int j = 0; j < NT_CHECK_STEPS; j++)
        if (d->done[j] && nt_check_steps[j] <= most)
            largest = fmax(largest, verdict_distance(g, d->wiggle[j], NULL));
    return largest;
}

/* What noise leaves open in D4 of step i. */
static double rounding_of(const nt_check_group *g, const nt_check_differences *d, int i)
{
    return (noise_of(g, d, i) + LAST_DIGITS * g->largest) / (nt_check_steps[i] * d->size);
}

/* Distance of D4 of step i from the nearest other difference. */
static double spread_of(const nt_check_group *g, const nt_check_differences *d, int i)
{
    double least = verdict_distance(g, d->four[i], d->two[i]);
    for (int j = 0; j < NT_CHECK_STEPS; j++)
        if (j != i && d->done[j])
            least = fmin(least, verdict_distance(g, d->four[i], d->four[j]));
    return least;
}

/* The second smallest W: one of them may be small by chance, and large ones may be no noise. */
static double typical_noise(const nt_check_group *g, const nt_check_differences *d)
{
    double sorted[NT_CHECK_STEPS];
    int n = 0;
    for (int j = 0; j < NT_CHECK_STEPS; j++) {
        if (!d->done[j])
            continue;
        double w = verdict_distance(g, d->wiggle[j], NULL);
        int k = n++;
        for (; k > 0 && sorted[k - 1] > w; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = w;
    }
    return n > 1 ? sorted[1] : 0;
}

/* How far the D4 of smaller steps are from that of step i, less what their noise explains. Those
 * that noise alone leaves undecided contradict nothing. rounding[NT_CHECK_STEPS]: of each. */
static double contradiction_of(const nt_check_group *g, const nt_check_differences *d, int i,
                               const double *rounding, double typical)
{
    double most = 0, size = verdict_distance(g, d->four[i], NULL);
    for (int j = 0; j < NT_CHECK_STEPS; j++) {
        if (!d->done[j] || !(nt_check_steps[j] < nt_check_steps[i]))
            continue;
        double noise = EXPLAINED * fmax(rounding[j], typical / (nt_check_steps[j] * d->size));
        if (noise <= UNDECIDED * size)
            most = fmax(most, verdict_distance(g, d->four[i], d->four[j]) - noise);
    }
    return most;
}

/* The most that shorter steps change in the difference, or half the step in the derivative itself.
 */
static double verdict_error_of_method(const nt_check_group *g, const nt_check_differences *d,
                                      int step)
{
    double error = 0;
    for (int i = 0; i < NT_CHECK_REFINED; i++)
        if (d->refined[i])
            error = fmax(error, verdict_distance(g, d->refined[i], d->four[step]));
    return d->refined[0] && d->finer ? fmax(error, verdict_distance(g, d->finer, d->exact)) : error;
}

/* What a derivative may be off by. */
static double verdict_allows(const nt_check_verdict *v)
{
    return RELATIVE * v->size + DOUBTS * v->doubt + v->floor;
}

nt_check_verdict nt_check_judge(const nt_check_group *g, const nt_check_differences *d)
{
    nt_check_verdict v = {.kind = NT_CHECK_FAILED, .step = -1, .doubt = (double)INFINITY};
    double rounding[NT_CHECK_STEPS] = {0}, typical = typical_noise(g, d);
    for (int i = 0; i < NT_CHECK_STEPS; i++)
        rounding[i] = d->done[i] ? rounding_of(g, d, i) : 0;
    for (int i = 0; i < NT_CHECK_STEPS; i++) {
        if (!d->done[i])
            continue;
        double doubt =
            fmax(spread_of(g, d, i), contradiction_of(g, d, i, rounding, typical)) + rounding[i];
        if (doubt < v.doubt || v.step < 0) {
            v.doubt = doubt;
            v.step = i;
        }
    }
    if (v.step < 0)
        return v;
    /* where steps cannot be repeated exactly runs differ by their error, and so do derivatives */
    v.doubt += g->beside / d->size;
    double exact = verdict_distance(g, d->exact, NULL),
           found = verdict_distance(g, d->four[v.step], NULL);
    v.off = verdict_distance(g, d->exact, d->four[v.step]);
    v.size = fmax(exact, found);
    v.floor = (g->floor + g->beside) / d->size;
    if (exact <= v.floor && found <= DOUBTS * v.floor && v.doubt <= DOUBTS * v.floor)
        v.kind = exact == 0 && found == 0 && d->has_jumps ? NT_CHECK_UNCHANGED : NT_CHECK_ZERO;
    else if (v.doubt > UNDECIDED * v.size + v.floor)
        v.kind = NT_CHECK_UNDECIDED;
    else
        v.kind = v.off <= verdict_allows(&v)                               ? NT_CHECK_RIGHT
                 : v.off <= ERRORS * verdict_error_of_method(g, d, v.step) ? NT_CHECK_MOVED
                                                                           : NT_CHECK_WRONG;
    return v;
}

nt_check_kind nt_check_of_row(const nt_check_verdict *v, double exact, double difference)
{
    bool beside = v->kind == NT_CHECK_WRONG || v->kind == NT_CHECK_MOVED;
    return beside && fabs(exact - difference) <= verdict_allows(v) ? NT_CHECK_RIGHT : v->kind;
}

bool nt_check_is_settled(const nt_check_verdict *v)
{
    return v->kind == NT_CHECK_ZERO ||
           (v->kind == NT_CHECK_RIGHT && v->doubt <= CERTAIN * v->size + v->floor);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* The worst first; among equals as they came. */
static int worse_first(const void *a, const void *b)
{
    const nt_check_row *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind > y->kind ? -1 : 1;
    if (x->digits != y->digits)
        return x->digits < y->digits ? -1 : 1;
    return strcmp(x->label, y->label);
}

static void show_row(const nt_check_row *row, int width, FILE *to)
{
    if (row->kind == NT_CHECK_FAILED) {
        fprintf(to, "%-*s  %20.12g  every run failed\n", width, row->label, row->derivative);
        return;
    }
    if (row->kind == NT_CHECK_ELSEWHERE) {
        fprintf(to, "%-*s  %20.12g  no verdict: other events happen, or in another order\n", width,
                row->label, row->derivative);
        return;
    }
    fprintf(to, "%-*s  %20.12g  %20.12g  %4.1f", width, row->label, row->derivative,
            row->difference, row->digits);
    switch (row->kind) {
    case NT_CHECK_WRONG:
        fputs("  WRONG\n", to);
        break;
    case NT_CHECK_UNDECIDED:
        fprintf(to, "  no verdict: differences disagree by %.1g\n", row->doubt);
        break;
    case NT_CHECK_MOVED:
        fputs("  no verdict: steps move with events\n", to);
        break;
    case NT_CHECK_UNCHANGED:
        fputs("  no verdict: no change at all\n", to);
        break;
    case NT_CHECK_ZERO:
        fputs("  zero to rounding\n", to);
        break;
    default:
        fputc('\n', to);
    }
}

static void show_numbers(const long *count, FILE *to)
{
    fprintf(to, "%ld derivatives agree with differences of whole runs",
            count[NT_CHECK_RIGHT] + count[NT_CHECK_ZERO]);
    if (count[NT_CHECK_ZERO] > 0)
        fprintf(to, " (%ld of them zero to rounding, as the differences are)",
                count[NT_CHECK_ZERO]);
    if (count[NT_CHECK_WRONG] > 0)
        fprintf(to, ", %ld do not", count[NT_CHECK_WRONG]);
    if (count[NT_CHECK_UNDECIDED] + count[NT_CHECK_FAILED] > 0)
        fprintf(to,
                ", %ld without verdict (chaotic motion, or not smooth in the parameter: a shorter "
                "--duration decides)",
                count[NT_CHECK_UNDECIDED] + count[NT_CHECK_FAILED]);
    if (count[NT_CHECK_MOVED] > 0)
        fprintf(
            to,
            ", %ld without verdict (equal steps follow the events of each run: a smaller --step or "
            "rkmk-dop853 decides)",
            count[NT_CHECK_MOVED]);
    if (count[NT_CHECK_ELSEWHERE] > 0)
        fprintf(to,
                ", %ld without verdict (other events happen, or in another order, however little "
                "the parameter changes)",
                count[NT_CHECK_ELSEWHERE]);
    if (count[NT_CHECK_UNCHANGED] > 0)
        fprintf(
            to,
            ", %ld without verdict (small changes of the parameter change nothing at all, and the "
            "model has jumps, see the remarks, which larger ones pass)",
            count[NT_CHECK_UNCHANGED]);
    fputc('\n', to);
}

void nt_check_show(nt_check_row *rows, int n, FILE *to)
{
    long count[NT_CHECK_KINDS] = {0};
    int shown = n < SHOWN ? n : SHOWN, width = 0;
    qsort(rows, (size_t)n, sizeof *rows, worse_first);
    for (int i = 0; i < n; i++) {
        count[rows[i].kind]++;
        int length = (int)strlen(rows[i].label);
        width = i < shown && length > width ? length : width;
    }
    show_numbers(count, to);
    if (shown < n)
        fprintf(to, "the worst %d of %d\n", shown, n);
    fprintf(to, "%-*s  %20s  %20s  digits\n", width, "at the end", "derivative",
            "difference of runs");
    for (int i = 0; i < shown; i++)
        show_row(&rows[i], width, to);
}
