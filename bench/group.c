/* Cost of the rotation kernels, as ratios to one sine and cosine of the same arguments.
 *
 * Step increments of 0.15 rad (power series) and turns of 1.5 rad (sine and cosine). Throughput
 * over an array that stays in the cache, as in the loop over the bodies of a model; and latency,
 * where each argument waits for the last result. Nanoseconds are the best of many rounds. */
#include <stdio.h>
#include <time.h>

#include "group/rotation_derivative.h"

enum { N = 512, ROUNDS = 2000 };

static double psi[N][3];
static double out[N][9];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define KERNEL(name, body)                                                                         \
    static void name(void)                                                                         \
    {                                                                                              \
        for (int i = 0; i < N; i++) {                                                              \
            v3 p = v3_load(psi[i]);                                                                \
            body;                                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void name##_chained(void)                                                               \
    {                                                                                              \
        double link = 0;                                                                           \
        for (int i = 0; i < N; i++) {                                                              \
            v3 p = v3_load(psi[i]);                                                                \
            p.x += 1e-18 * link;                                                                   \
            body;                                                                                  \
            link = out[i][0];                                                                      \
        }                                                                                          \
    }

KERNEL(sine_cosine, (out[i][0] = sin(p.x), out[i][1] = cos(p.x)))
KERNEL(exponential, quat_store(out[i], so3_exp(p)))
KERNEL(logarithm, v3_store(out[i], so3_log((quat){2, p.x, p.y, p.z})))
KERNEL(compose, quat_store(out[i], so3_compose(NT_INERTIAL, (quat){.w = 1}, p)))
KERNEL(tangent, m3_store(out[i], so3_tangent(p)))
KERNEL(inverse, m3_store(out[i], so3_tangent_inverse(p)))
KERNEL(derivative, m3_store(out[i], so3_tangent_derivative(p, (v3){1, 2, 3})))
KERNEL(inverse_derivative, m3_store(out[i], so3_tangent_inverse_derivative(p, (v3){1, 2, 3})))

static double best(void (*kernel)(void))
{
    double least = 1e300;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        kernel();
        __asm__ volatile("" : : "r"(out), "r"(psi) : "memory"); /* count as read and written */
        double t = (now() - start) / N;
        least = t < least ? t : least;
    }
    return least;
}

#define ROW(text, name)                                                                            \
    {                                                                                              \
        text, name, name##_chained                                                                 \
    }

int main(void)
{
    static const struct {
        const char *name;
        void (*kernel)(void), (*chained)(void);
    } rows[] = {
        ROW("sin and cos", sine_cosine),
        ROW("exp", exponential),
        ROW("log", logarithm),
        ROW("compose", compose),
        ROW("T", tangent),
        ROW("T^-1", inverse),
        ROW("dT a", derivative),
        ROW("dT^-1 a", inverse_derivative),
    };
    static const double size[] = {0.15, 1.5};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++) {
            double f = size[k] * (1 - 1e-3 * i / N);
            psi[i][0] = 0.6 * f, psi[i][1] = -0.64 * f, psi[i][2] = 0.48 * f;
        }
        printf("|psi| = %g%10s throughput   ratio       latency   ratio\n", size[k], "");
        double unit = 0, chained_unit = 0;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            double t = best(rows[r].kernel), c = best(rows[r].chained);
            if (r == 0)
                unit = t, chained_unit = c;
            printf("  %-14s %12.1f ns %8.2f %10.1f ns %8.2f\n", rows[r].name, t, t / unit, c,
                   c / chained_unit);
        }
    }
    return 0;
}
