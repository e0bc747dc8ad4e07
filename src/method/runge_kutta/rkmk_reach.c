/* How long steps an explicit method bears: words for a run whose equal steps are too long.
 *
 * Small variations (y_0, y_1) of places and velocities go on as (y_1, y_2), y_2 = A y_0 + B y_1,
 * where accelerations tell A and B by differences. Gone on with again and again (power iteration)
 * they are left with the fastest motion, for which y_2 = a y_1 + b y_0; its rates are the roots of
 * x^2 = a x + b. A step h multiplies it by the method's polynomial R(h x): |R| > 1 is growth
 * (Hairer & Wanner 1996, Solving ODEs II, section IV.2). */
#include "method/runge_kutta/rkmk.h"

#include "base/number.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* m over the system's length, or rad: the variations that differences are of. */
static const double VARIED = 1e-7;

/* Of two motions, one of them a tenth faster, this leaves a thousandth of the slower one. */
enum { MULTIPLICATIONS = 80 };

/* Growth in a step that many steps do not show. */
static const double GROWS = 1e-6;

typedef struct reach {
    nt_stepper *s;
    const nt_phase *at;
    double *unit;       /* [nv] m or rad */
    double *y[4];       /* [nv] variations that follow each other */
    double *a0, *q, *v; /* accelerations at the state; [nq], [nv] a varied one */
} reach;

/* Rows of K of the step to come are free, for it is not made. */
static reach reach_of(nt_stepper *s, const nt_phase *at)
{
    const nt_problem *p = s->problem;
    double *from = nt_rkmk_K(p, &s->next, 0);
    size_t nv = (size_t)p->nv;
    s->next.method[NT_RKMK_ROWS] = 0;
    reach r = {.s = s, .at = at, .unit = from, .q = s->next.q};
    for (size_t k = 0; k < 4; k++)
        r.y[k] = from + (k + 1) * nv;
    r.a0 = from + 5 * nv, r.v = from + 6 * nv;
    for (int i = 0; i < p->nv; i++)
        r.unit[i] = p->quantity[i] == NT_ANGLE || !(p->length > 0) ? 1 : p->length;
    return r;
}

static bool accelerate(const reach *r, const double *q, const double *v, double *a)
{
    nt_phase *next = &r->s->next;
    nt_effort effort = {.unknown = -1};
    const nt_point at = {.t = r->at->all[NT_PHASE_T],
                         .q = q,
                         .v = v,
                         .vdot = a,
                         .lambda = next->lambda,
                         .mu = next->mu,
                         .memory = r->at->memory};
    memset(a, 0, (size_t)r->s->problem->nv * sizeof *a);
    return nt_factors_accelerate(r->s->factors, &at, a, next->lambda, next->mu, &effort) == NT_OK;
}

static double size_of(const reach *r, const double *y)
{
    double size = 0;
    for (int i = 0; i < r->s->problem->nv; i++)
        size = fmax(size, fabs(y[i]) / r->unit[i]);
    return size;
}

/* y[k + 2] from y[k] and y[k + 1]; all are scaled first. False where accelerations have no value.
 */
static bool go_on(reach *r, int k)
{
    const nt_problem *p = r->s->problem;
    double size = size_of(r, r->y[k]);
    double scale = VARIED / (size > 0 ? size : size_of(r, r->y[k + 1]));
    for (int j = 0; j <= k + 1; j++)
        for (int i = 0; i < p->nv; i++)
            r->y[j][i] *= scale;
    for (int i = 0; i < p->nv; i++)
        r->v[i] = r->at->v[i] + r->y[k + 1][i];
    nt_space_compose(&p->space, p->frame, r->at->q, r->y[k], r->q);
    bool known = isfinite(scale) && accelerate(r, r->q, r->v, r->y[k + 2]);
    for (int i = 0; known && i < p->nv; i++) {
        r->y[k + 2][i] -= r->a0[i];
        known = isfinite(r->y[k + 2][i]);
    }
    return known;
}

/* The root of larger size of x^2 = a x + b, the upper one of two with a frequency. */
static double complex larger_root(double a, double b)
{
    double half = a / 2, inside = half * half + b;
    if (inside < 0)
        return CMPLX(half, sqrt(-inside));
    return half + (half < 0 ? -sqrt(inside) : sqrt(inside));
}

/* Rates of which y_2 = a y_1 + b y_0 and y_3 = a y_2 + b y_1, by least squares; `rate`, 1/s, of
 * about their size makes both terms alike. */
static double complex rates_of(const reach *r, double rate)
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (int i = 0; i < r->s->problem->nv; i++) {
        double y[4], scale = 1 / r->unit[i];
        for (int k = 0; k < 4; k++, scale /= rate)
            y[k] = scale * r->y[k][i];
        aa += y[1] * y[1] + y[2] * y[2], bb += y[0] * y[0] + y[1] * y[1];
        ab += y[0] * y[1] + y[1] * y[2];
        ay += y[1] * y[2] + y[2] * y[3], by += y[0] * y[2] + y[1] * y[3];
    }
    double det = aa * bb - ab * ab;
    if (!(det > 1e-6 * aa * bb)) /* one motion that decays or grows */
        return bb > 0 ? rate * ab / bb : 0;
    return rate * larger_root((ay * bb - by * ab) / det, (by * aa - ay * ab) / det);
}

/* The rate of the fastest motion, 1/s; 0: not found. */
static double complex fastest_rate(reach *r)
{
    const nt_problem *p = r->s->problem;
    if (!accelerate(r, r->at->q, r->at->v, r->a0))
        return 0;
    memset(r->y[0], 0, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nv; i++) /* anything that is along no motion of its own */
        r->y[1][i] = r->unit[i] * sin(1 + i * (i + 2.0));
    for (int k = 0; k < MULTIPLICATIONS; k++) {
        double *first = r->y[0];
        if (!go_on(r, 0))
            return 0;
        r->y[0] = r->y[1], r->y[1] = r->y[2], r->y[2] = first;
    }
    if (!go_on(r, 0) || !go_on(r, 1))
        return 0;
    double first = size_of(r, r->y[0]), second = size_of(r, r->y[1]);
    double square = fmax(first > 0 ? size_of(r, r->y[2]) / first : 0,
                         second > 0 ? size_of(r, r->y[3]) / second : 0);
    return square > 0 ? rates_of(r, sqrt(square)) : 0;
}

/* |R(z)|: the step of y' = x y, y = 1, with z = h x. */
static double growth_of(const nt_rkmk_table *table, double complex z)
{
    double complex y[NT_RKMK_MOST];
    for (int i = 0; i <= table->stages; i++) {
        y[i] = 1;
        for (int j = 0; j < i; j++)
            y[i] += z * table->a[i * table->kept + j] * y[j];
    }
    return cabs(y[table->stages]);
}

/* The largest h up to which no step of y' = x y grows, where x does not grow itself. */
static double largest_step(const nt_rkmk_table *table, double complex x)
{
    enum { PARTS = 1000 };
    static const double FARTHEST = 10; /* |h x| beyond the reach of every method here */
    double size = cabs(x);
    int i = 1;
    while (i <= PARTS && growth_of(table, FARTHEST * i / PARTS * x / size) <= 1 + GROWS)
        i++;
    return FARTHEST * (i - 1) / PARTS / size;
}

int nt_rkmk_reach(nt_stepper *s, const nt_phase *at, double h, char *text, int size)
{
    reach r = reach_of(s, at);
    double complex x = fastest_rate(&r);
    double speed = cabs(x), swings = fabs(cimag(x));
    if (!(speed > 0) || !isfinite(speed) || creal(x) > 1e-3 * speed)
        return 0;
    double most = largest_step(s->options->method->scheme, x);
    if (!(h > most))
        return 0;
    if (swings > 0.5 * speed)
        return snprintf(text, (size_t)size,
                        "what swings fastest, at %.2g Hz, bears steps up to about %.1e s",
                        swings / (2 * NT_PI), most);
    return snprintf(text, (size_t)size,
                    "what decays fastest, at a rate of %.2g/s, bears steps up to about %.1e s",
                    speed, most);
}
