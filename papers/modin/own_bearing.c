/* Modin, Fritzson & Fuehrer 2007, section 6.3, on the bearing of bearing.h: a system in C whose
 * drive and cage are held by penalties, as the paper's are; by BDF and by the semi-explicit method.
 */
#include "papers/common/trial.h"
#include "papers/modin/bearing.h"

#include <math.h>

static const double END = 6e-4, STEP = 1e-6; /* s: 600 steps, as in the paper */

static nt_trial trial_of(const nt_bearing *bearing, bool bdf, const double *q, const double *v)
{
    nt_trial trial = {.system = &bearing->system,
                      .q = q,
                      .v = v,
                      .method = "semi-explicit",
                      .option = {{"beta", "0.8"}}};
    if (bdf) {
        trial.method = "bdf";
        trial.option[0] = (nt_option){NULL, NULL};
        trial.tolerance = 1e-7;
    }
    return trial;
}

/* ---- curves -------------------------------------------------------------------------------------
 */

static void curves(nt_paper_report *report, bool bdf, const char *name, const char *title)
{
    static const nt_sheet_column columns[] = {{"t", "s"},
                                              {"ball on outer ring", "N"},
                                              {"ball on cage", "N"},
                                              {"cage", "rad/s"},
                                              {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(report, name, title, columns);
    double q[NT_BEARING_NQ], v[NT_BEARING_NV];
    nt_bearing bearing;
    nt_course course;
    if (nt_bearing_init(&bearing, 0) != NT_OK)
        return;
    nt_bearing_start(&bearing, q, v);
    nt_trial trial = trial_of(&bearing, bdf, q, v);
    bool ok = nt_course_begin(&course, report, &trial);
    for (int i = 0; ok && i <= 600; i++) {
        ok = i == 0 || nt_course_run(&course, i * STEP, STEP);
        nt_state state = nt_course_state(&course);
        nt_bearing_look look = nt_bearing_at(&bearing, state.q, state.v);
        const double row[4] = {i * STEP, look.outer, look.pocket, look.cage};
        if (ok)
            nt_sheet_row(report, sheet, NULL, row);
    }
    nt_course_end(&course);
    nt_bearing_free(&bearing);
}

/* ---- cost ---------------------------------------------------------------------------------------
 */

/* Without looks on the way, so that only what the method needs is counted. A tangent of A counts as
 * 12 evaluations, as in the paper: bodies that do not touch are differenced together. */
static void cost_row(nt_paper_report *report, nt_sheet *sheet, bool bdf, const double *printed)
{
    double q[NT_BEARING_NQ], v[NT_BEARING_NV];
    nt_bearing bearing;
    nt_course course;
    if (nt_bearing_init(&bearing, 0) != NT_OK)
        return;
    nt_bearing_start(&bearing, q, v);
    nt_trial trial = trial_of(&bearing, bdf, q, v);
    if (nt_course_begin(&course, report, &trial) && nt_course_run(&course, END, bdf ? END : STEP)) {
        long steps = nt_integrator_statistics(course.integrator)->steps;
        const double row[6] = {END / (double)steps,
                               printed[0],
                               (double)bearing.evaluations,
                               (double)bearing.tangents,
                               (double)(bearing.evaluations + 12 * bearing.tangents),
                               printed[1]};
        nt_sheet_row(report, sheet, bdf ? "bdf" : "semi-explicit", row);
    }
    nt_course_end(&course);
    nt_bearing_free(&bearing);
}

static void cost(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"mean h", "s"},  {"printed h", "s"},          {"evaluations of A", ""},
        {"tangents", ""}, {"with 12 per tangent", ""}, {"printed", ""},
        {NULL, NULL}};
    static const double printed[2][2] = {{1e-6, 600}, {6.8e-7, 1588}};
    nt_sheet *sheet = nt_sheet_add(report, "bearing-cost",
                                   "Evaluations of the contact forces over 0.6 ms", columns);
    for (int bdf = 1; bdf >= 0; bdf--)
        cost_row(report, sheet, bdf, printed[bdf]);
    if (sheet)
        sheet->printed = true;
}

/* ---- the steady state ---------------------------------------------------------------------------
 */

/* Averages over the last of 10 ms, beside quasi-static equilibrium with centrifugal force. */
static void steady(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"simulated", ""}, {"quasi-static", ""}, {"relative difference", ""}, {NULL, NULL}};
    static const char *const labels[5] = {"load on inner ring [N]", "load on outer ring [N]",
                                          "inner contact angle [deg]", "outer contact angle [deg]",
                                          "speed of the cage [rad/s]"};
    static const double expected[5] = {382.08, 395.79, 16.9064, 16.3039, 419.88};
    nt_sheet *sheet = nt_sheet_add(
        report, "bearing-steady",
        "Mean of ball 1 and the cage from 9 to 10 ms, beside quasi-static equilibrium", columns);
    double q[NT_BEARING_NQ], v[NT_BEARING_NV], mean[5] = {0};
    const double degrees = 180 / 3.14159265358979323846;
    nt_bearing bearing;
    nt_course course;
    if (nt_bearing_init(&bearing, 0) != NT_OK)
        return;
    nt_bearing_start(&bearing, q, v);
    nt_trial trial = trial_of(&bearing, false, q, v);
    bool ok = nt_course_begin(&course, report, &trial) && nt_course_run(&course, 9e-3, STEP);
    for (int i = 1; ok && i <= 1000; i++) {
        ok = nt_course_run(&course, 9e-3 + i * STEP, STEP);
        nt_state state = nt_course_state(&course);
        nt_bearing_look look = nt_bearing_at(&bearing, state.q, state.v);
        const double now[5] = {look.inner, look.outer, degrees * look.inner_angle,
                               degrees * look.outer_angle, look.cage};
        for (int k = 0; k < 5; k++)
            mean[k] += now[k] / 1000;
    }
    for (int k = 0; ok && k < 5; k++) {
        const double row[3] = {mean[k], expected[k], mean[k] / expected[k] - 1};
        nt_sheet_row(report, sheet, labels[k], row);
    }
    if (sheet)
        sheet->printed = true;
    nt_course_end(&course);
    nt_bearing_free(&bearing);
}

void nt_modin_own_bearing(nt_paper_report *report)
{
    curves(report, false, "own-bearing", "Ball bearing of our own, semi-explicit, h = 1e-6 s");
    curves(report, true, "own-bearing-bdf", "Ball bearing of our own, BDF");
    cost(report);
    steady(report);
}
