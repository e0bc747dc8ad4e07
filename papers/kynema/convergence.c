/* Kynema's heavy top: the run that its documentation gives numbers for, and the convergence of
 * everything that the algorithm computes. */
#include "papers/common/trial.h"

#include <math.h>
#include <string.h>

static const char model[] = "kynema/heavy_top.yaml";

static nt_trial trial_of(void)
{
    return (nt_trial){.model = model,
                      .method = "generalized-alpha",
                      .option = {{"rho_inf", "0.9"},
                                 {"tolerance_length", "1e-12"},
                                 {"tolerance_angle", "1e-12"},
                                 {"tolerance_relative", "1e-12"}},
                      .frame = NT_INERTIAL};
}

/* What is compared, with its number of columns. */
static const struct {
    const char *quantity;
    int columns;
} compared[] = {{"top.position", 3},
                {"top.orientation", 4},
                {"top.velocity", 3},
                {"top.angular_velocity", 3},
                {"pivot.force", 3}};
enum { COMPARED = sizeof compared / sizeof compared[0] };

static bool values_at(nt_paper_report *report, const nt_trial *trial, double t, double h,
                      double value[COMPARED][4])
{
    nt_course course;
    bool ok = nt_course_begin(&course, report, trial) && nt_course_run(&course, t, h);
    for (int i = 0; ok && i < COMPARED; i++)
        ok = nt_course_sample(&course, compared[i].quantity, value[i]);
    nt_course_end(&course);
    return ok;
}

/* ---- the documented run ---------------------------------------------------------------------- */

/* Displacement and rotation of the top after 400 steps of 2 ms, as documented. */
static const double documented[7] = {-.42217802273894345, -.09458263530050703, -.04455460488952848,
                                     -.17919607435565366, .21677896640311572,  -.9594776960853596,
                                     -.017268392381761217};

static void run_of_the_documentation(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"nutate", ""}, {"Kynema", ""}, {"difference", ""}, {NULL, NULL}};
    static const char *const label[7] = {"u_1 [m]", "u_2 [m]", "u_3 [m]", "q_w",
                                         "q_x",     "q_y",     "q_z"};
    nt_sheet *sheet = nt_sheet_add(report, "documented",
                                   "Displacement and orientation of the heavy top after 400 steps "
                                   "of 2 ms, rho_inf = 0.9",
                                   columns);
    double value[COMPARED][4], ours[7];
    nt_trial trial = trial_of();
    if (!sheet || !values_at(report, &trial, 0.8, 2e-3, value))
        return;
    for (int i = 0; i < 3; i++)
        ours[i] = value[0][i] - (i == 1 ? 1 : 0); /* from (0, 1, 0) */
    double side = 0;                              /* q and -q are the same rotation */
    for (int i = 0; i < 4; i++)
        side += value[1][i] * documented[3 + i];
    for (int i = 0; i < 4; i++)
        ours[3 + i] = side < 0 ? -value[1][i] : value[1][i];
    for (int i = 0; i < 7; i++) {
        const double row[3] = {ours[i], documented[i], ours[i] - documented[i]};
        nt_sheet_row(report, sheet, label[i], row);
    }
    sheet->printed = true;
}

/* ---- convergence ----------------------------------------------------------------------------- */

/* Judged at t = 0.5 s, after the multipliers' first transient has died out: its rate is rho_inf
 * per step. */
static void errors(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"h", "s"},
                                              {"position", "m"},
                                              {"orientation", ""},
                                              {"velocity", "m/s"},
                                              {"angular velocity", "rad/s"},
                                              {"reaction", "N"},
                                              {NULL, NULL}};
    static const double END = 0.5;
    nt_sheet *sheet = nt_sheet_add(
        report, "convergence",
        "Errors of the heavy top at t = 0.5 s, inertial frame, rho_inf = 0.9", columns);
    double exact[COMPARED][4], value[COMPARED][4];
    nt_trial reference = nt_trial_exact(model), trial = trial_of();
    bool ok = sheet && values_at(report, &reference, END, 1e-3, exact);
    for (int steps = 125; ok && steps <= 4000; steps *= 2) {
        ok = values_at(report, &trial, END, END / steps, value);
        double row[1 + COMPARED] = {END / steps};
        for (int i = 0; i < COMPARED; i++)
            row[1 + i] = compared[i].columns == 4
                             ? nt_rotation_distance(value[i], exact[i])
                             : nt_distance(value[i], exact[i], compared[i].columns);
        if (ok)
            nt_sheet_row(report, sheet, NULL, row);
    }
    if (sheet)
        sheet->printed = true;
}

void nt_kynema_convergence(nt_paper_report *report)
{
    run_of_the_documentation(report);
    errors(report);
}
