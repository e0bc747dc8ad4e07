#include "measure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int failed;

static double seconds_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double processor_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double wall_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double turn(const contestant *who, double (*clock)(void), bool *ok)
{
    *ok = *ok && who->prepare(who->context);
    double begun = clock();
    *ok = *ok && who->run(who->context);
    return clock() - begun;
}

contest compare(const contestant *a, const contestant *b, int turns, double (*clock)(void))
{
    double seconds[2][MOST_TURNS], ratio[MOST_TURNS];
    contest c = {.ok = true};
    for (int i = -1; i < turns && c.ok; i++) { /* the first turn warms up */
        double of_a = turn(a, clock, &c.ok), of_b = turn(b, clock, &c.ok);
        if (i < 0)
            continue;
        seconds[0][i] = of_a, seconds[1][i] = of_b, ratio[i] = of_a / of_b;
    }
    if (!require(c.ok, "%s or %s failed", a->name, b->name))
        return c;
    c.seconds[0] = median(seconds[0], turns);
    c.seconds[1] = median(seconds[1], turns);
    c.ratio = median(ratio, turns); /* which leaves them sorted */
    c.spread = (ratio[3 * turns / 4] - ratio[turns / 4]) / 2;
    return c;
}

void print_heading(const char *title, const char *measured, const char *yardstick)
{
    printf("\n%-36s %13s %13s %15s  target\n", title, measured, yardstick, "ratio");
}

void print_contest(const char *name, const contest *c, double per_second, const char *unit,
                   double target)
{
    if (!c->ok) {
        printf("%-36s failed\n", name);
        return;
    }
    printf("%-36s %10.3f %2s %10.3f %2s %8.2f +- %4.2f", name, per_second * c->seconds[0], unit,
           per_second * c->seconds[1], unit, c->ratio, c->spread);
    if (target > 0)
        printf("  %4.2f %s", target, c->ratio <= target ? "" : "missed");
    putchar('\n');
    fflush(stdout);
}

bool require(bool condition, const char *format, ...)
{
    if (condition)
        return true;
    va_list list;
    va_start(list, format);
    fflush(stdout);
    fputs("FAILED: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    failed++;
    return false;
}

int failures(void) { return failed; }
