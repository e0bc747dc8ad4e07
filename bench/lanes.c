/* Four runs of one structure in the lanes of vector registers: a prototype, to know what there is
 * to gain for a sweep of small models at fixed steps.
 *
 *   lanes          the table
 *   lanes --check  that lanes give the bits of one run after the other, and stay near the yardstick
 *
 * The heavy top of top_yardstick.c, written once for numbers of either kind (lanes_top.inc). */
#include "measure.h"
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4, STEPS = 2000, TURNS = 15 };

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif
#define UNROLL _Pragma("GCC unroll 10")
typedef double four __attribute__((vector_size(LANES * sizeof(double))));

#define REAL double
#define NAME(x) one_##x
#include "bench/lanes_top.inc"
#undef REAL
#undef NAME

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define REAL four
#define NAME(x) four_##x
#include "bench/lanes_top.inc"

static void take_steps(four_top *t, const alpha *c)
{
    for (int k = 0; k < STEPS; k++)
        four_step(t, c);
}
#if defined(__x86_64__)
#pragma GCC pop_options
#endif

typedef struct tops {
    one_top one[LANES];
    four_top lanes;
} tops;

static bool in_turn(void *context)
{
    tops *t = context;
    alpha c = alpha_of(0.8, 1e-3);
    for (int i = 0; i < LANES; i++) {
        one_start(&t->one[i], 12 + 2 * i);
        for (int k = 0; k < STEPS; k++)
            one_step(&t->one[i], &c);
    }
    return true;
}

static bool in_lanes(void *context)
{
    tops *t = context;
    alpha c = alpha_of(0.8, 1e-3);
    four_start(&t->lanes, (four){12, 14, 16, 18});
    take_steps(&t->lanes, &c);
    return true;
}

static bool nothing(void *unused)
{
    (void)unused;
    return true;
}

/* Lane 1 has the mass 14: against the yardstick the mass must be 15, so that is run alone. */
static void check(tops *t)
{
    alpha c = alpha_of(0.8, 1e-3);
    one_top top;
    in_turn(t);
    in_lanes(t);
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < 3; k++)
            require(t->one[i].x[k] == t->lanes.x[k][i] &&
                        t->one[i].lambda[k] == t->lanes.lambda[k][i],
                    "lane %d has other bits than its run", i);
    one_start(&top, 15);
    for (int k = 0; k < 100; k++)
        one_step(&top, &c);
    top_yardstick_start();
    require(top_yardstick_run(1e-3, 100), "the yardstick failed");
    yardstick_state want = top_yardstick_state();
    for (int k = 0; k < 3; k++)
        require(fabs(top.x[k] - want.tip[k]) < 1e-8, "position %d: %.12g, the yardstick has %.12g",
                k, top.x[k], want.tip[k]);
}

int main(int count, char **arguments)
{
    static tops t;
    const contestant lanes = {"lanes", nothing, in_lanes, &t};
    const contestant turns = {"one after the other", nothing, in_turn, &t};
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        puts("absent: a processor with AVX2");
        return 77;
    }
#endif
    check(&t);
    if (failures() > 0 || (count > 1 && strcmp(arguments[1], "--check") == 0))
        return failures() > 0;
    contest c = compare(&lanes, &turns, TURNS, processor_seconds);
    print_heading("Four rows in lanes", "four lanes", "in turn");
    print_contest("heavy top, us per step of four", &c, 1e6 / STEPS, "us", 0);
    return failures() > 0;
}
