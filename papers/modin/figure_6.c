/* Modin, Fritzson & Fuehrer 2007, figure 6 and its table, on the bearing of b1.yaml: BDF and the
 * semi-explicit method; the digits of a converged solution, which another program has too; what the
 * methods cost; and the steady state. */
#include "papers/modin/b1.h"

#include <math.h>
#include <stdlib.h>

static const double STEP = 1e-6; /* s: 600 steps, as in the paper */

static const nt_b1_manner by_splitting = {.method = "semi-explicit", .step = 1e-6};
static const nt_b1_manner by_second_order = {.method = "semi-explicit-2", .step = 2e-6};
static const nt_b1_manner finely = {.method = "semi-explicit-2", .step = 5e-7};
static const nt_b1_manner by_bdf = {
    .method = "bdf", .option = {"indentation", "1e-5"}, .tolerance = 1e-4};
static const nt_b1_manner exactly = {.method = "rkmk-dop853", .tolerance = 1e-12};

/* Fills a sheet, time first, from a run. */
static void sheet_of(nt_paper_report *report, nt_b1 *b, const nt_b1_manner *how, nt_b1_look look,
                     nt_sheet *sheet)
{
    nt_error error = {0};
    double row[NT_SHEET_COLUMNS];
    look.out = calloc((size_t)(look.times * look.n), sizeof *look.out);
    if (!look.out || !nt_b1_run(b, how, &look, &error))
        nt_paper_report_fail(report, &error, how->method);
    for (int t = 0; t < look.times && nt_paper_report_ok(report); t++) {
        row[0] = t * look.every;
        for (int i = 0; i < look.n; i++)
            row[1 + i] = look.out[t * look.n + i];
        nt_sheet_row(report, sheet, NULL, row);
    }
    free(look.out);
}

/* ---- curves and digits --------------------------------------------------------------------------
 */

static void curves(nt_paper_report *report, nt_b1 *b, const nt_b1_manner *how, const char *name,
                   const char *title)
{
    static const nt_sheet_column columns[] = {{"t", "s"},
                                              {"ball on outer ring", "N"},
                                              {"ball on cage", "N"},
                                              {"cage", "rad/s"},
                                              {NULL, NULL}};
    static const char *const names[] = {"b.ball1.outer.force", "b.ball1.pocket.force",
                                        "b.cage.speed"};
    const nt_b1_look look = {.names = names, .n = 3, .times = 601, .every = STEP};
    sheet_of(report, b, how, look, nt_sheet_add(report, name, title, columns));
}

/* Times of 50 us. */
static void digits(nt_paper_report *report, nt_b1 *b)
{
    static const nt_sheet_column columns[] = {{"t", "s"},
                                              {"cage", "rad/s"},
                                              {"inner ring z", "m"},
                                              {"outer ball 1", "N"},
                                              {"inner ball 1", "N"},
                                              {"outer ball 3", "N"},
                                              {"pocket 1", "N"},
                                              {"pocket 3", "N"},
                                              {"pocket 4", "N"},
                                              {"pocket 7", "N"},
                                              {NULL, NULL}};
    static const char *const names[] = {
        "b.cage.speed",         "shaft.position.z",     "b.ball1.outer.force",
        "b.ball1.inner.force",  "b.ball3.outer.force",  "b.ball1.pocket.force",
        "b.ball3.pocket.force", "b.ball4.pocket.force", "b.ball7.pocket.force"};
    const nt_b1_look look = {.names = names, .n = 9, .times = 13, .every = 5e-5};
    nt_sheet *sheet =
        nt_sheet_add(report, "figure-6-digits",
                     "Figure 6 in digits, by rkmk-dop853 at a tolerance of 1e-12", columns);
    sheet_of(report, b, &exactly, look, sheet);
    if (sheet)
        sheet->printed = true;
}

/* ---- cost ---------------------------------------------------------------------------------------
 */

/* Without looks on the way, so that only what the method needs is counted. A tangent of A counts as
 * 12 evaluations, as in the paper: bodies that do not touch are differenced together. */
static void cost(nt_paper_report *report, nt_b1 *b)
{
    static const nt_sheet_column columns[] = {{"mean h", "s"},
                                              {"printed h", "s"},
                                              {"evaluations of A", ""},
                                              {"tangents", ""},
                                              {"with 12 per tangent", ""},
                                              {"printed", ""},
                                              {"error", ""},
                                              {NULL, NULL}};
    static const struct {
        const nt_b1_manner *how;
        double h, evaluations; /* printed */
    } rows[] = {{&by_bdf, 6.8e-7, 1588},
                {&by_splitting, 1e-6, 600},
                {&by_second_order, (double)NAN, (double)NAN}};
    static nt_b1_curves exact, found;
    nt_sheet *sheet = nt_sheet_add(report, "figure-6-cost",
                                   "Evaluations of the contact forces over 0.6 ms", columns);
    if (!nt_b1_exact(b, report, &exact))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds;
        long steps;
        bool ok =
            nt_b1_curves_of(b, rows[i].how, &found) && nt_b1_cost(b, rows[i].how, &seconds, &steps);
        const double row[7] = {NT_B1_END / (double)steps,
                               rows[i].h,
                               (double)b->evaluations,
                               (double)b->tangents,
                               (double)(b->evaluations + 12 * b->tangents),
                               rows[i].evaluations,
                               nt_b1_error(&found, &exact)};
        if (ok)
            nt_sheet_row(report, sheet, rows[i].how->method, row);
    }
    if (sheet)
        sheet->printed = true;
}

/* ---- the steady state ---------------------------------------------------------------------------
 */

enum { EACH = 4, OTHERS = 3, LOOKED = EACH * NT_B1_BALLS + OTHERS, STEADY_TIMES = 2001 };

/* Means over balls and over 20 to 40 ms of a bearing whose cage begins at the speed of the balls.
 */
static void steady(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"mean", ""}, {"by another program", ""}, {"relative difference", ""}, {NULL, NULL}};
    static const char *const each[EACH] = {"inner.force", "outer.force", "inner.angle",
                                           "outer.angle"};
    static const char *const labels[EACH + OTHERS] = {
        "load on inner ring [N]",    "load on outer ring [N]",    "inner contact angle [deg]",
        "outer contact angle [deg]", "speed of the cage [rad/s]", "torque of the drive [N m]",
        "loss of all contacts [W]"};
    static const double expected[EACH + OTHERS] = {379.28, 392.98,  16.884, 16.273,
                                                   419.8,  .016343, 17.112};
    static const double unit[EACH + OTHERS] = {
        1, 1, 180 / 3.14159265358979323846, 180 / 3.14159265358979323846, 1, -1, -1};
    static char text[LOOKED][40];
    static double out[STEADY_TIMES * LOOKED];
    const char *names[LOOKED];
    static const nt_setting start = {"bearings.b.start.cage", "1"};
    nt_error error = {0};
    nt_b1 b;
    for (int i = 0; i < EACH * NT_B1_BALLS; i++)
        snprintf(text[i], sizeof text[i], "b.ball%d.%s", i / EACH + 1, each[i % EACH]);
    for (int i = 0; i < LOOKED; i++)
        names[i] = text[i];
    names[EACH * NT_B1_BALLS] = "b.cage.speed";
    names[EACH * NT_B1_BALLS + 1] = "b.torque";
    names[EACH * NT_B1_BALLS + 2] = "b.power";
    const nt_b1_look look = {
        .names = names, .n = LOOKED, .times = STEADY_TIMES, .every = 2e-5, .out = out};
    nt_sheet *sheet = nt_sheet_add(report, "figure-6-steady",
                                   "Means from 20 to 40 ms, semi-explicit-2, h = 5e-7 s", columns);
    if (nt_b1_open(&b, report, &start, 1) && !nt_b1_run(&b, &finely, &look, &error))
        nt_paper_report_fail(report, &error, "semi-explicit-2");
    for (int k = 0; k < EACH + OTHERS && nt_paper_report_ok(report); k++) {
        int first = k < EACH ? k : EACH * NT_B1_BALLS + k - EACH,
            balls = k < EACH ? NT_B1_BALLS : 1;
        double sum = 0;
        for (int t = STEADY_TIMES / 2; t < STEADY_TIMES; t++)
            for (int i = 0; i < balls; i++)
                sum += out[t * LOOKED + first + EACH * i];
        double mean = unit[k] * sum / (balls * (STEADY_TIMES - STEADY_TIMES / 2));
        const double row[3] = {mean, expected[k], mean / expected[k] - 1};
        nt_sheet_row(report, sheet, labels[k], row);
    }
    if (sheet)
        sheet->printed = true;
    nt_b1_close(&b);
}

void nt_modin_figure_6(nt_paper_report *report)
{
    nt_b1 b;
    if (nt_b1_open(&b, report, NULL, 0)) {
        curves(report, &b, &by_splitting, "figure-6",
               "Figure 6: ball bearing, semi-explicit, h = 1e-6 s");
        curves(report, &b, &by_bdf, "figure-6-bdf", "Figure 6: ball bearing, BDF");
        digits(report, &b);
        cost(report, &b);
    }
    nt_b1_close(&b);
    steady(report);
}
