/* Jay & Negrut 2009, figures 1 and 2: global errors of their test problem at t = 1, steps
 * alternating between h/3 and 2 h/3, rho_inf = 0.2; with and without the corrections (15), (16). */
#include "papers/common/trial.h"
#include "papers/jay-negrut/problem.h"

#include <math.h>

enum { Y, Z, A, LAMBDA, PSI, VARIABLES };

static const double RHO_INF = 0.2;

/* ---- the propagated acceleration ---------------------------------------------------------------
 *
 * a stands for the acceleration at t + alpha h, and is the method's own. The step's second line,
 *
 *   z1 = z0 + h ((1 - gamma) a_alpha + gamma a),
 *
 * gives it from velocities, which are public: a_alpha is what the step before computed, after (15).
 */
typedef struct auxiliary {
    double alpha, gamma;
    double a[2];    /* of the last step                                              */
    double used[2]; /* a_alpha of the last step                                      */
    double h;       /* s, of the last step; 0 before the first one                   */
    bool corrected; /* by (15) */
} auxiliary;

static void begin_auxiliary(auxiliary *x, const double *a0, bool corrected)
{
    double alpha_m = (2 * RHO_INF - 1) / (RHO_INF + 1), alpha_f = RHO_INF / (RHO_INF + 1);
    *x = (auxiliary){.alpha = alpha_m - alpha_f, .corrected = corrected};
    x->gamma = 0.5 - x->alpha;
    for (int i = 0; i < 2; i++)
        x->a[i] = a0[i];
}

static void follow_step(auxiliary *x, double h, const double *z0, const double *z1)
{
    double stretch = x->h > 0 && x->corrected ? x->alpha * (h / x->h - 1) : 0;
    for (int i = 0; i < 2; i++) {
        double a_alpha = x->a[i] + stretch * (x->a[i] - x->used[i]); /* (15) */
        x->a[i] = ((z1[i] - z0[i]) / h - (1 - x->gamma) * a_alpha) / x->gamma;
        x->used[i] = a_alpha;
    }
    x->h = h;
}

/* ---- one run ----------------------------------------------------------------------------------
 */

static bool step(nt_course *course, auxiliary *x, double end)
{
    nt_state state = nt_course_state(course);
    double h = end - state.t, z0[2] = {state.v[0], state.v[1]};
    if (!nt_course_run(course, end, h))
        return false;
    follow_step(x, h, z0, nt_course_state(course).v);
    return true;
}

/* Errors at t = 1 after n pairs of steps, in the 2-norm; that of a where it stands. */
static bool errors_at_end(nt_paper_report *report, bool corrected, int n, double error[VARIABLES])
{
    jay_negrut problem;
    jay_negrut_init(&problem);
    nt_trial trial = {.system = &problem.system,
                      .q = jay_negrut_y0,
                      .v = jay_negrut_z0,
                      .method = "generalized-alpha-soi2",
                      .option = {{"rho_inf", "0.2"},
                                 {"correction", corrected ? "true" : "false"},
                                 {"tolerance_relative", "1e-12"},
                                 {"tolerance_force", "1e-12"}}};
    nt_course course;
    auxiliary x = {0};
    bool ok = nt_course_begin(&course, report, &trial);
    if (ok)
        begin_auxiliary(&x, nt_course_state(&course).vdot, corrected);
    for (int i = 0; ok && i < n; i++)
        ok = step(&course, &x, (i + 1.0 / 3) / n) && step(&course, &x, (i + 1.0) / n);
    if (ok) {
        nt_state end = nt_course_state(&course);
        double ta = 1 + x.alpha * x.h;
        const double y[2] = {exp(1), exp(-2)}, z[2] = {exp(1), -2 * exp(-2)};
        const double a[2] = {exp(ta), 4 * exp(-2 * ta)};
        error[Y] = nt_distance(end.q, y, 2);
        error[Z] = nt_distance(end.v, z, 2);
        error[A] = nt_distance(x.a, a, 2);
        error[LAMBDA] = fabs(end.lambda[0] - exp(-1));
        error[PSI] = fabs(end.mu[0] - exp(1));
    }
    nt_course_end(&course);
    return ok;
}

/* ---- figures ----------------------------------------------------------------------------------
 */

static void figure(nt_paper_report *report, const char *name, const char *title, bool corrected)
{
    static const nt_sheet_column columns[] = {{"h", "s"},     {"y", ""},   {"z", ""},   {"a", ""},
                                              {"lambda", ""}, {"psi", ""}, {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(report, name, title, columns);
    double row[1 + VARIABLES];
    for (int n = 10; n <= 1280; n *= 2) {
        row[0] = 1.0 / n;
        if (!errors_at_end(report, corrected, n, &row[1]))
            return;
        nt_sheet_row(report, sheet, NULL, row);
    }
    if (sheet)
        sheet->printed = true;
}

void nt_jay_negrut_figure_1(nt_paper_report *report)
{
    figure(report, "figure-1",
           "Figure 1: errors at t = 1, steps h/3, 2h/3, ..., with the corrections (15), (16)",
           true);
}

void nt_jay_negrut_figure_2(nt_paper_report *report)
{
    figure(report, "figure-2",
           "Figure 2: errors at t = 1, steps h/3, 2h/3, ..., without the corrections (15), (16)",
           false);
}
