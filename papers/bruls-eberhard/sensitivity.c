/* Bruls & Eberhard 2008, tables 2 to 4: dx/dm of the heavy top at t = 0.1 s, h = 2 ms. */
#include "papers/bruls-eberhard/forms.h"
#include "papers/bruls-eberhard/top.h"

#include <math.h>

static const double END = 0.1, STEP = 2e-3; /* s */

/* x at the end, with m multiplied by `factor`; or dx/dm, for factor = 0. */
static bool position(nt_paper_report *report, nt_trial trial, double h, double factor,
                     double out[3])
{
    nt_course course;
    trial.parameter = "m";
    trial.factor = factor;
    trial.differentiated = factor == 0;
    bool ok = nt_course_begin(&course, report, &trial) && nt_course_run(&course, END, h);
    for (int i = 0; ok && i < 3; i++)
        out[i] = trial.differentiated ? nt_sensitivity_state(course.sensitivity, 0).q[i]
                                      : nt_course_state(&course).q[i];
    nt_course_end(&course);
    return ok;
}

/* ---- tables 2 and 3: against differences of whole runs ------------------------------------------
 *
 * sum_k weight_k x(m (1 + k epsilon)) / (m epsilon), with the perturbations that the paper chose.
 */
enum { BACKWARD, CENTRAL, FIVE_POINT, DIFFERENCES };
static const struct {
    double epsilon, weight[5]; /* of k = -2, ..., 2 */
} differences[DIFFERENCES] = {{1e-7, {0, -1, 1, 0, 0}},
                              {1e-5, {0, -0.5, 0, 0.5, 0}},
                              {1e-3, {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12}}};

static bool difference_quotient(nt_paper_report *report, const nt_trial *trial, int which,
                                double out[3])
{
    const double m = 15, epsilon = differences[which].epsilon; /* kg */
    double x[3];
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 5; k++) {
        double weight = differences[which].weight[k];
        if (weight == 0)
            continue;
        if (!position(report, *trial, STEP, 1 + (k - 2) * epsilon, x))
            return false;
        for (int i = 0; i < 3; i++)
            out[i] += weight * x[i] / (m * epsilon);
    }
    return true;
}

void nt_bruls_eberhard_tables_2_3(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"backward, 1e-7", ""},
                                              {"printed", ""},
                                              {"central, 1e-5", ""},
                                              {"central printed", ""},
                                              {"five-point, 1e-3", ""},
                                              {"five-point printed", ""},
                                              {NULL, NULL}};
    static const double printed[NT_FORMS][DIFFERENCES] = {
        {0.9e-7, 2.1e-10, 8.3e-12}, {1.8e-7, 3.5e-10, 2.3e-12}, {1.1e-7, 2.2e-10, 3.6e-12}};
    nt_sheet *sheet = nt_sheet_add(
        report, "tables-2-3",
        "Tables 2 and 3: relative difference (118) of dx/dm at t = 0.1 s, h = 2 ms, to differences "
        "of runs\nwith the relative perturbation epsilon (table 2 is the column of central ones)",
        columns);
    for (int form = 0; sheet && form < NT_FORMS; form++) {
        double analytic[3], quotient[3], row[2 * DIFFERENCES];
        nt_trial trial = nt_form_trial(form);
        if (!position(report, trial, STEP, 0, analytic))
            return;
        for (int which = 0; which < DIFFERENCES; which++) {
            if (!difference_quotient(report, &trial, which, quotient))
                return;
            row[2 * which] = nt_relative_distance(analytic, quotient, 3);
            row[2 * which + 1] = printed[form][which];
        }
        nt_sheet_row(report, sheet, nt_form_names[form], row);
    }
    if (!sheet)
        return;
    sheet->printed = true;
    sheet->remark = "Backward and central differences are limited by their own truncation and by "
                    "rounding in x, so those\ncolumns agree in size only; the five-point formula "
                    "shows that the derivative is that of the algorithm.";
}

/* ---- table 4: simplified algorithms -----------------------------------------------------------
 */

static const double steps[2] = {2e-3, 2e-4}; /* s */

/* Errors of a simplified derivative relative to the full one. */
static bool losses(nt_paper_report *report, const nt_trial *simplified, const nt_trial *full,
                   double loss[2])
{
    double value[3], right[3];
    for (int i = 0; i < 2; i++) {
        if (!position(report, *simplified, steps[i], 0, value) ||
            !position(report, *full, steps[i], 0, right))
            return false;
        loss[i] = nt_relative_distance(value, right, 3);
    }
    return true;
}

static bool without(nt_paper_report *report, int form, nt_option simplification, double loss[2])
{
    nt_trial full = nt_form_trial(form), simplified = full;
    simplified.option[5] = simplification;
    return losses(report, &simplified, &full, loss);
}

static bool symmetrised(nt_paper_report *report, double loss[2])
{
    nt_paper_top right = {.symmetric = false}, wrong = {.symmetric = true};
    nt_paper_top_init(&right);
    nt_paper_top_init(&wrong);
    nt_trial full = nt_form_trial(NT_GEOMETRIC_FORM);
    full.model = NULL;
    full.q = nt_paper_top_q0;
    full.v = nt_paper_top_v0;
    nt_trial simplified = full;
    full.system = &right.system;
    simplified.system = &wrong.system;
    return losses(report, &simplified, &full, loss);
}

void nt_bruls_eberhard_table_4(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"h = 2e-3 s", ""},
                                              {"printed", ""},
                                              {"h = 2e-4 s", ""},
                                              {"printed, 2e-4", ""},
                                              {NULL, NULL}};
    static const nt_option reference_free = {"reference_free", "true"};
    static const nt_option no_k_G = {"geometric_stiffness", "false"};
    static const struct {
        const char *label;
        double printed[2];
    } rows[] = {{"ResidualAlpha, reference-free", {6.4e-4, 6.6e-5}},
                {"LinearAlpha, reference-free", {1.1e-4, 1.0e-6}},
                {"ResidualAlpha, without k_G", {1.1e-4, 1.0e-6}},
                {"LinearAlpha, without k_G", {3.5e-10, 5.0e-10}},
                {"GeometricAlpha, symmetric K_t", {1.0e-4, 1.0e-4}}};
    nt_sheet *sheet = nt_sheet_add(
        report, "table-4",
        "Table 4: relative errors of dx/dm at t = 0.1 s of simplified algorithms", columns);
    for (int i = 0; sheet && i < 5; i++) {
        double loss[2];
        bool ok = i == 4 ? symmetrised(report, loss)
                         : without(report, i % 2 == 0 ? NT_RESIDUAL_FORM : NT_LINEAR_FORM,
                                   i < 2 ? reference_free : no_k_G, loss);
        if (!ok)
            return;
        const double row[4] = {loss[0], rows[i].printed[0], loss[1], rows[i].printed[1]};
        nt_sheet_row(report, sheet, rows[i].label, row);
    }
    if (!sheet)
        return;
    sheet->printed = true;
    sheet->remark =
        "LinearAlpha without k_G: k_G is the derivative of T^T times the residual. In nutate, "
        "whose "
        "equations are not\nmultiplied by T^T, it is exactly nothing there; the printed figure is "
        "what Newton's iteration had left.\n"
        "Symmetric K_t: ten times the printed figure; what the paper concludes from it holds, the "
        "error does not\nshrink with the step.";
}
