/* Krysl 2005, figure 1: the slow top's axis, seen from above, with a step of 0.1 s. */
#include "papers/common/trial.h"

#include <math.h>
#include <stdlib.h>

enum { METHODS = 7, STEPS = 100 };
static const double STEP = 0.1; /* s */

/* The paper's four, ALGO_C1 of the same authors as its (b), and the two methods of first order. */
static const struct {
    const char *name, *method;
} tried[METHODS] = {{"AKW", "akw"},
                    {"SW", "simo-wong-explicit"},
                    {"LIEMID[I]", "lie-midpoint"},
                    {"LIEMID[EA]", "lie-newmark"},
                    {"EMID1", "lie-euler-adjoint"},
                    {"EMID2", "lie-euler"},
                    {"ALGO_C1", "simo-wong"}};

static nt_trial trial_of(int i)
{
    return (nt_trial){.model = "krysl/slow_top.yaml", .method = tried[i].method, .frame = NT_BODY};
}

/* ---- curves ---------------------------------------------------------------------------------- */

static bool axis_of(nt_course *course, double axis[3])
{
    double q[4], R[9];
    if (!nt_course_sample(course, "top.orientation", q))
        return false;
    nt_so3_matrix(q, R);
    for (int i = 0; i < 3; i++)
        axis[i] = R[3 * i + 2];
    return true;
}

/* x and y of the axis at t = 0, h, 2 h, ... of one run; NaN after a failure, which is a result. */
static bool follow(nt_paper_report *report, const nt_trial *trial, double h, int steps, double *out,
                   int stride)
{
    nt_course course;
    bool going = true, ok = nt_course_begin(&course, report, trial);
    for (int i = 0; ok && i <= steps; i++) {
        double axis[3] = {(double)NAN, (double)NAN, 0};
        going = going && (i == 0 || nt_course_try(&course, i * h, h));
        ok = !going || axis_of(&course, axis);
        out[i * stride] = axis[0];
        out[i * stride + 1] = axis[1];
    }
    nt_course_end(&course);
    return ok;
}

static void methods_curves(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"t", "s"}, {"AKW x", ""},       {"y", ""}, {"SW x", ""},
        {"y", ""},  {"LIEMID[I] x", ""}, {"y", ""}, {"LIEMID[EA] x", ""},
        {"y", ""},  {"EMID1 x", ""},     {"y", ""}, {"EMID2 x", ""},
        {"y", ""},  {"ALGO_C1 x", ""},   {"y", ""}, {NULL, NULL}};
    enum { WIDTH = 1 + 2 * METHODS };
    nt_sheet *sheet = nt_sheet_add(report, "figure-1",
                                   "Figure 1: axis of the slow top from above, h = 0.1 s", columns);
    double *value = calloc((STEPS + 1) * WIDTH, sizeof *value);
    bool ok = sheet && value;
    for (int i = 0; ok && i < METHODS; i++) {
        nt_trial trial = trial_of(i);
        ok = follow(report, &trial, STEP, STEPS, &value[1 + 2 * i], WIDTH);
    }
    for (int i = 0; ok && i <= STEPS; i++) {
        value[i * WIDTH] = i * STEP;
        nt_sheet_row(report, sheet, NULL, &value[i * WIDTH]);
    }
    free(value);
}

static void reference_curve(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"t", "s"}, {"x", ""}, {"y", ""}, {NULL, NULL}};
    enum { FINE = 10, POINTS = FINE * STEPS };
    nt_sheet *sheet = nt_sheet_add(report, "figure-1-exact",
                                   "Figure 1: axis of the slow top from above, exact", columns);
    nt_trial trial = nt_trial_exact("krysl/slow_top.yaml");
    double *value = calloc((POINTS + 1) * 2, sizeof *value);
    if (sheet && value && follow(report, &trial, STEP / FINE, POINTS, value, 2))
        for (int i = 0; i <= POINTS; i++) {
            const double row[3] = {i * STEP / FINE, value[2 * i], value[2 * i + 1]};
            nt_sheet_row(report, sheet, NULL, row);
        }
    free(value);
}

/* ---- table ----------------------------------------------------------------------------------- */

static const double END = 2; /* s, where errors are measured */

static bool orientation_at_end(nt_paper_report *report, const nt_trial *trial, double h,
                               double q[4])
{
    nt_course course;
    bool ok = nt_course_begin(&course, report, trial) && nt_course_run(&course, END, h) &&
              nt_course_sample(&course, "top.orientation", q);
    nt_course_end(&course);
    return ok;
}

/* Largest |E - E0|/E0 and |Lz - Lz0| up to t = 100, or to where the method fails. */
static bool drifts(nt_paper_report *report, const nt_trial *trial, double drift[2])
{
    nt_course course;
    double energy[4], momentum[3], E0 = 0, L0 = 0;
    drift[0] = drift[1] = 0;
    bool ok = nt_course_begin(&course, report, trial);
    for (int i = 0; ok && i <= 1000; i++) {
        if (i > 0 && !nt_course_try(&course, i * STEP, STEP))
            break;
        ok = nt_course_sample(&course, "energy", energy) &&
             nt_course_sample(&course, "angular_momentum", momentum);
        if (i == 0) {
            E0 = energy[2];
            L0 = momentum[2];
        }
        drift[0] = fmax(drift[0], fabs(energy[2] - E0) / E0);
        drift[1] = fmax(drift[1], fabs(momentum[2] - L0));
    }
    nt_course_end(&course);
    return ok;
}

static void table(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"error, h = 0.1 s", ""}, {"h = 0.00625 s", ""}, {"order", ""},
        {"max |dE/E|", ""},       {"max |dLz|", "J s"},  {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(
        report, "methods",
        "Error |R - R_exact| at t = 2 s, and drifts of energy and momentum to t = 100 s, h = 0.1 s",
        columns);
    double exact[4];
    nt_trial reference = nt_trial_exact("krysl/slow_top.yaml");
    bool ok = sheet && orientation_at_end(report, &reference, 1e-2, exact);
    for (int i = 0; ok && i < METHODS; i++) {
        double row[5], q[3][4];
        nt_trial trial = trial_of(i);
        ok = orientation_at_end(report, &trial, STEP, q[0]) &&
             orientation_at_end(report, &trial, STEP / 8, q[1]) &&
             orientation_at_end(report, &trial, STEP / 16, q[2]) && drifts(report, &trial, &row[3]);
        if (!ok)
            break;
        row[0] = nt_rotation_distance(q[0], exact);
        row[1] = nt_rotation_distance(q[2], exact);
        row[2] = log2(nt_rotation_distance(q[1], exact) / row[1]);
        nt_sheet_row(report, sheet, tried[i].name, row);
    }
    if (sheet)
        sheet->printed = true;
}

void nt_krysl_figure_1(nt_paper_report *report)
{
    methods_curves(report);
    reference_curve(report);
    table(report);
}
