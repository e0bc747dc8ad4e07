/* Timing in turns, and the account of what failed. */
#ifndef NUTATE_BENCH_MEASURE_H
#define NUTATE_BENCH_MEASURE_H

#include <stdbool.h>

/* Processor time of this process, s: other work on the machine disturbs it little. */
double processor_seconds(void);
/* Time by the wall, s: for what other processes do. */
double wall_seconds(void);

/* What can be run again and again: prepare is not timed; false is a failure. */
typedef struct contestant {
    const char *name;
    bool (*prepare)(void *context);
    bool (*run)(void *context);
    void *context;
} contestant;

enum { MOST_TURNS = 64 };

typedef struct contest {
    double seconds[2]; /* medians                                             */
    double ratio;      /* median of the ratios of neighbouring turns, [0]/[1] */
    double spread;     /* half the distance of their quartiles                */
    bool ok;
} contest;

/* A B A B ..., `turns` each, timed by one of the clocks above. */
contest compare(const contestant *a, const contestant *b, int turns, double (*clock)(void));

double median(double *values, int n); /* sorts */

/* One line of the table. unit: of the two times, which are seconds times `per_second`. target: of
 * the ratio, 0 where there is none. */
void print_heading(const char *title, const char *measured, const char *yardstick);
void print_contest(const char *name, const contest *c, double per_second, const char *unit,
                   double target);

/* A condition that has nothing to do with speed: what is false makes the exit status 1. */
bool require(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));
int failures(void);

#endif
