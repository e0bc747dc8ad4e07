/* Bruls & Eberhard 2008, figures 5 to 8: the heavy top with three algorithms. */
#include "papers/bruls-eberhard/forms.h"

#include <math.h>
#include <stdlib.h>

static const double STEP = 2e-3; /* s, the paper's */

/* ---- figures 5 to 7: one quantity over time -------------------------------------------------- */

typedef enum shown { ROTATION, HEIGHT, REACTION } shown;

/* psi_2 of the rotation vector, x_3, lambda_1 (the reaction on the top). */
static bool look(nt_course *course, shown what, double *value)
{
    double columns[4];
    static const char *const quantity[] = {"top.orientation", "top.position", "pivot.force"};
    if (!nt_course_sample(course, quantity[what], columns))
        return false;
    if (what == ROTATION) {
        double psi[3];
        nt_so3_log(columns, psi);
        *value = psi[1];
    } else {
        *value = columns[what == HEIGHT ? 2 : 0];
    }
    return true;
}

/* Values at t = 0, h, 2 h, ...: out[steps + 1], `stride` doubles apart. NaN after a failure, which
 * is a result: the residual form spins the top up until no step can follow. */
static bool follow(nt_paper_report *report, const nt_trial *trial, shown what, int steps,
                   double *out, int stride)
{
    nt_course course;
    bool going = true, ok = nt_course_begin(&course, report, trial);
    for (int i = 0; ok && i <= steps; i++) {
        going = going && (i == 0 || nt_course_try(&course, i * STEP, STEP));
        out[i * stride] = (double)NAN;
        ok = !going || look(&course, what, &out[i * stride]);
    }
    nt_course_end(&course);
    return ok;
}

static void curves(nt_paper_report *report, const char *name, const char *title, shown what,
                   const char *unit, double duration)
{
    const nt_sheet_column columns[] = {{"t", "s"},
                                       {nt_form_names[0], unit},
                                       {nt_form_names[1], unit},
                                       {nt_form_names[2], unit},
                                       {"exact", unit},
                                       {NULL, NULL}};
    enum { WIDTH = 5 };
    int steps = (int)lround(duration / STEP);
    nt_sheet *sheet = nt_sheet_add(report, name, title, columns);
    double *value = calloc((size_t)(steps + 1) * WIDTH, sizeof *value);
    bool ok = sheet && value;
    for (int form = 0; ok && form < NT_FORMS; form++) {
        nt_trial trial = nt_form_trial(form);
        ok = follow(report, &trial, what, steps, &value[1 + form], WIDTH);
    }
    nt_trial exact = nt_trial_exact("bruls-eberhard/heavy_top.yaml");
    ok = ok && follow(report, &exact, what, steps, &value[4], WIDTH);
    for (int i = 0; ok && i <= steps; i++) {
        value[i * WIDTH] = i * STEP;
        nt_sheet_row(report, sheet, NULL, &value[i * WIDTH]);
    }
    free(value);
}

void nt_bruls_eberhard_figure_5(nt_paper_report *report)
{
    curves(report, "figure-5", "Figure 5: rotation psi_2 of the heavy top, h = 2 ms", ROTATION,
           "rad", 0.2);
}

void nt_bruls_eberhard_figure_6(nt_paper_report *report)
{
    curves(report, "figure-6", "Figure 6: height x_3 of the heavy top, h = 2 ms", HEIGHT, "m", 1);
}

void nt_bruls_eberhard_figure_7(nt_paper_report *report)
{
    curves(report, "figure-7", "Figure 7: reaction lambda_1 of the heavy top, h = 2 ms", REACTION,
           "N", 0.1);
}

/* ---- figure 8: convergence ------------------------------------------------------------------- */

static const double END = 0.1; /* s */

static bool position_at_end(nt_paper_report *report, const nt_trial *trial, int steps, double x[3])
{
    nt_course course;
    bool ok = nt_course_begin(&course, report, trial) && nt_course_run(&course, END, END / steps) &&
              nt_course_sample(&course, "top.position", x);
    nt_course_end(&course);
    return ok;
}

/* Errors relative to each algorithm's own result with 5e-6 s, (115), and to the exact solution. */
void nt_bruls_eberhard_figure_8(nt_paper_report *report)
{
    const nt_sheet_column columns[] = {{"h", "s"},
                                       {"ResidualAlpha", ""},
                                       {"LinearAlpha", ""},
                                       {"GeometricAlpha", ""},
                                       {"Residual, exact", ""},
                                       {"Linear, exact", ""},
                                       {"Geometric, exact", ""},
                                       {NULL, NULL}};
    enum { FINEST = 20000 };
    nt_sheet *sheet = nt_sheet_add(
        report, "figure-8",
        "Figure 8: relative error of x at t = 0.1 s, from the algorithm's own result with "
        "h = 5e-6 s (115)\nand from the exact solution",
        columns);
    double exact[3], finest[NT_FORMS][3], x[3], row[7];
    nt_trial reference = nt_trial_exact("bruls-eberhard/heavy_top.yaml");
    bool ok = sheet && position_at_end(report, &reference, 100, exact);
    for (int form = 0; ok && form < NT_FORMS; form++) {
        nt_trial trial = nt_form_trial(form);
        ok = position_at_end(report, &trial, FINEST, finest[form]);
    }
    for (int steps = 25; ok && steps <= 3200; steps *= 2) {
        row[0] = END / steps;
        for (int form = 0; ok && form < NT_FORMS; form++) {
            nt_trial trial = nt_form_trial(form);
            ok = position_at_end(report, &trial, steps, x);
            row[1 + form] = nt_relative_distance(x, finest[form], 3);
            row[4 + form] = nt_relative_distance(x, exact, 3);
        }
        if (ok)
            nt_sheet_row(report, sheet, NULL, row);
    }
    if (sheet)
        sheet->printed = true;
}
