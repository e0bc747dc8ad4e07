/* Modin, Fritzson & Fuehrer 2007, section 7: with elastic bodies a Jacobian costs 12 + 2 n_f
 * evaluations of the contacts, n_f coordinates of bending, so that a method without Jacobians gains
 * with n_f. Tried on the bearing of bearing.h, outer ring and cage elastic.
 *
 * The error is the larger of two root mean squares at t = 0, 10, ... 600 us, against
 * semi-explicit-2 with steps of 0.025 us: of ball 1's load on the outer ring over 390 N, of the
 * cage's speed over 20 rad/s. BDF agrees with that to 2e-5 or 3e-5 up to n_f = 16, and to 2.4e-4
 * from 32 on, which is how well errors are known there. */
#include "papers/common/trial.h"
#include "papers/modin/bearing.h"

#include <math.h>
#include <time.h>

enum { TIMES = 61, ENTRIES = NT_BEARING_NQ + 2 * NT_BEARING_MODES };
static const double EVERY = 1e-5, LOAD = 390, SWING = 20; /* s, N, rad/s */

typedef struct sights {
    double load[TIMES], cage[TIMES];
    double bent; /* m, the largest coordinate of the outer ring's bending */
} sights;

typedef struct manner {
    const char *label, *method;
    nt_option option;
    double step, tolerance; /* one of them */
} manner;

static const manner exact = {"", "semi-explicit-2", {"beta", "0.8"}, 2.5e-8, 0};
static const manner all[] = {
    {"semi-explicit, 1 us", "semi-explicit", {"beta", "0.8"}, 1e-6, 0},
    {"semi-explicit, 0.1 us", "semi-explicit", {"beta", "0.8"}, 1e-7, 0},
    {"semi-explicit-2, 2 us", "semi-explicit-2", {"beta", "0.8"}, 2e-6, 0},
    {"semi-explicit-2, 1 us", "semi-explicit-2", {"beta", "0.8"}, 1e-6, 0},
    {"bdf, 1e-5", "bdf", {NULL, NULL}, 0, 1e-5},
    {"bdf, 1e-7", "bdf", {NULL, NULL}, 0, 1e-7},
};

/* s; negative: the method fails. out NULL: for time and counts, without looks. */
static double run(nt_paper_report *report, nt_bearing *bearing, const manner *how, sights *out)
{
    double q[ENTRIES], v[ENTRIES];
    nt_course course;
    nt_bearing_start(bearing, q, v);
    bearing->evaluations = bearing->tangents = 0;
    nt_trial trial = {.system = &bearing->system,
                      .q = q,
                      .v = v,
                      .method = how->method,
                      .option = {how->option},
                      .tolerance = how->tolerance};
    clock_t begun = clock();
    bool ok = nt_course_begin(&course, report, &trial);
    double h = how->step > 0 ? how->step : EVERY;
    for (int i = out ? 0 : TIMES - 1; ok && i < TIMES; i++) {
        ok = i == 0 || (how == &exact ? nt_course_run : nt_course_try)(&course, i * EVERY, h);
        nt_state state = nt_course_state(&course);
        nt_bearing_look look = nt_bearing_at(bearing, state.q, state.v);
        if (!out)
            continue;
        out->load[i] = look.outer;
        out->cage[i] = look.cage;
        for (int j = 0; j < bearing->modes; j++)
            out->bent = fmax(out->bent, fabs(state.q[NT_BEARING_NQ + j]));
    }
    nt_course_end(&course);
    return ok ? (double)(clock() - begun) / CLOCKS_PER_SEC : -1;
}

static double error_of(const sights *a, const sights *b)
{
    double load = 0, cage = 0;
    for (int i = 0; i < TIMES; i++) {
        load += (a->load[i] - b->load[i]) * (a->load[i] - b->load[i]);
        cage += (a->cage[i] - b->cage[i]) * (a->cage[i] - b->cage[i]);
    }
    return fmax(sqrt(load / TIMES) / LOAD, sqrt(cage / TIMES) / SWING);
}

void nt_modin_elastic(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"n_f", ""},
                                              {"error", ""},
                                              {"evaluations", ""},
                                              {"tangents", ""},
                                              {"with 12 + 2 n_f", ""},
                                              {"time", "ms"},
                                              {"bent", "um"},
                                              {NULL, NULL}};
    static const int modes[] = {0, 4, 8, 16, 32};
    nt_sheet *sheet =
        nt_sheet_add(report, "elastic",
                     "What 0.6 ms take with n_f coordinates of bending of ring and cage", columns);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        nt_bearing bearing;
        sights truth = {0};
        bool ok = nt_bearing_init(&bearing, modes[m]) == NT_OK &&
                  run(report, &bearing, &exact, &truth) >= 0;
        for (size_t k = 0; ok && k < sizeof all / sizeof *all; k++) {
            sights found = {0};
            double seconds;
            if (run(report, &bearing, &all[k], &found) < 0 ||
                (seconds = run(report, &bearing, &all[k], NULL)) < 0)
                continue; /* unstable */
            int n = 2 * modes[m];
            long counted = bearing.evaluations + (12 + 2 * n) * bearing.tangents;
            const double row[7] = {n,
                                   error_of(&found, &truth),
                                   (double)bearing.evaluations,
                                   (double)bearing.tangents,
                                   (double)counted,
                                   1e3 * seconds,
                                   1e6 * found.bent};
            nt_sheet_row(report, sheet, all[k].label, row);
        }
        nt_bearing_free(&bearing);
    }
    if (sheet)
        sheet->printed = true;
}
