/* Modin, Fritzson & Fuehrer 2007, figures 3 to 5: the semi-explicit method and the theta method on
 * two stiff oscillators and a pendulum on a stiff spring. */
#include "papers/modin/planar.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name, *method, *option, *oscillators, *pendulum;
} tried[NT_MODIN_METHODS] = {{"semi-explicit", "semi-explicit", "beta", "0.8", "0.6"},
                             {"theta = 0.5", "theta", "theta", "0.5", "0.5"},
                             {"theta > 0.5", "theta", "theta", "0.8", "0.6"}};

/* ---- running ----------------------------------------------------------------------------------
 */

/* q_1, q_2, v_1, v_2 at t = 0, h, 2 h, ...: out[steps + 1][4]. The account may be NULL. */
static bool follow(nt_paper_report *report, const nt_trial *trial, double h, int steps, double *out,
                   nt_statistics *account)
{
    nt_course course;
    bool ok = nt_course_begin(&course, report, trial);
    for (int i = 0; ok && i <= steps; i++) {
        ok = i == 0 || nt_course_run(&course, i * h, h);
        nt_state state = nt_course_state(&course);
        for (int j = 0; j < 2; j++) {
            out[4 * i + j] = state.q[j];
            out[4 * i + 2 + j] = state.v[j];
        }
    }
    if (ok && account)
        *account = *nt_integrator_statistics(course.integrator);
    nt_course_end(&course);
    return ok;
}

static bool follow_exact(nt_paper_report *report, const nt_planar *planar, const double *q0,
                         double h, int steps, double *out)
{
    nt_trial trial = nt_trial_exact(NULL);
    trial.system = &planar->system;
    trial.q = q0;
    trial.v = nt_modin_rest;
    return follow(report, &trial, h, steps, out, NULL);
}

/* ---- figure 3: oscillators --------------------------------------------------------------------
 */

void nt_modin_figure_3(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {{"t", "s"},     {"q_1", "m"},   {"q_2", "m"},
                                              {"v_1", "m/s"}, {"v_2", "m/s"}, {NULL, NULL}};
    static const char *const names[] = {"figure-3-exact", "figure-3-semi-explicit",
                                        "figure-3-theta-0.5", "figure-3-theta-0.8"};
    static const char *const titles[] = {
        "Figure 3: stiff oscillators, exact solution", "Figure 3: semi-explicit, beta = 0.8, h = 1",
        "Figure 3: theta method, theta = 0.5, h = 1", "Figure 3: theta method, theta = 0.8, h = 1"};
    enum { END = 30, FINE = 20 };
    nt_planar planar = nt_modin_oscillators();
    nt_planar_init(&planar);
    double *value = calloc((END * FINE + 1) * 4, sizeof *value);
    for (int i = 0; value && i <= NT_MODIN_METHODS; i++) {
        nt_sheet *sheet = nt_sheet_add(report, names[i], titles[i], columns);
        int steps = i == 0 ? END * FINE : END;
        double h = (double)END / steps;
        bool ok = sheet;
        if (i == 0) {
            ok = ok && follow_exact(report, &planar, nt_modin_apart, h, steps, value);
        } else {
            nt_trial trial = nt_modin_trial(&planar, tried[i - 1].method, tried[i - 1].option,
                                            tried[i - 1].oscillators, nt_modin_apart);
            ok = ok && follow(report, &trial, h, steps, value, NULL);
        }
        for (int j = 0; ok && j <= steps; j++) {
            const double row[5] = {j * h, value[4 * j], value[4 * j + 1], value[4 * j + 2],
                                   value[4 * j + 3]};
            nt_sheet_row(report, sheet, NULL, row);
        }
    }
    free(value);
}

/* ---- figures 4 and 5: pendulum ----------------------------------------------------------------
 */

enum { PENDULUM_STEPS = 1000 };
static const double PENDULUM_STEP = 0.01; /* s */

/* Solves a - A - B(q + beta x, v + beta h a) = 0, x = h v + sigma h^2 a, from a = 0: how many of
 * Newton's iterations until one changes v by less than 1e-8 m/s, that one included. This is how
 * iterations of the small problems are counted elsewhere; the library starts from the a of the step
 * before, which saves one. */
static int iterations_from_rest(nt_planar *p, nt_matrix *matrix, bool theta, double beta,
                                const double *z)
{
    enum { MOST = 20 };
    const double h = PENDULUM_STEP, sigma = theta ? beta : 0.5, *q = z, *v = z + 2;
    unsigned parts = theta ? NT_ALL_PARTS : NT_ALL_PARTS & ~(unsigned)NT_EXPLICIT;
    double a[2] = {0, 0}, A[2] = {0, 0}, q_m[2], v_m[2];
    nt_combination combination = {
        .mass = 1, .damping = beta * h, .stiffness = beta * sigma * h * h};
    nt_point at = {.q = q_m, .v = v_m, .vdot = a};
    for (int i = 0; i < 2; i++)
        q_m[i] = q[i] + h / 2 * v[i], v_m[i] = v[i];
    if (!theta)
        p->system.evaluate(p, &at, &(nt_terms){.parts = NT_EXPLICIT, .residual = A});
    for (int count = 1; count <= MOST; count++) {
        double r[2] = {A[0], A[1]}, *J = nt_matrix_block(matrix, 0), da[2];
        for (int i = 0; i < 2; i++) {
            q_m[i] = q[i] + beta * (h * v[i] + sigma * h * h * a[i]);
            v_m[i] = v[i] + beta * h * a[i];
        }
        nt_matrix_zero(matrix);
        p->system.evaluate(
            p, &at,
            &(nt_terms){
                .parts = parts, .residual = r, .matrix = matrix, .combination = &combination});
        double determinant = J[0] * J[3] - J[1] * J[2];
        da[0] = -(r[0] * J[3] - r[1] * J[1]) / determinant;
        da[1] = -(r[1] * J[0] - r[0] * J[2]) / determinant;
        a[0] += da[0], a[1] += da[1];
        if (h * hypot(da[0], da[1]) < 1e-8)
            return count;
    }
    return MOST;
}

/* Their mean over the states of a run. */
static double mean_iterations_from_rest(nt_planar *p, int method, const double *states)
{
    nt_pattern *pattern = NULL;
    nt_matrix *matrix = NULL;
    const int size = 2;
    double sum = (double)NAN;
    if (nt_pattern_create(&pattern, 1, 1, &size) == NT_OK &&
        nt_pattern_add(pattern, 0, 0, NT_FULL) == 0 &&
        nt_matrix_create(&matrix, pattern) == NT_OK) {
        sum = 0;
        for (int i = 0; i < PENDULUM_STEPS; i++)
            sum += iterations_from_rest(p, matrix, method > 0, strtod(tried[method].pendulum, NULL),
                                        states + 4 * i);
    }
    nt_matrix_destroy(matrix);
    nt_pattern_destroy(pattern);
    return sum / PENDULUM_STEPS;
}

typedef struct pendulum_runs {
    double *exact, *of[NT_MODIN_METHODS]; /* [PENDULUM_STEPS + 1][4] */
    nt_statistics account[NT_MODIN_METHODS];
    long evaluations[NT_MODIN_METHODS], tangents[NT_MODIN_METHODS]; /* of A */
    double from_rest[NT_MODIN_METHODS]; /* iterations per step, counted that way */
} pendulum_runs;

static bool run_pendulums(nt_paper_report *report, pendulum_runs *r)
{
    nt_planar planar = nt_modin_pendulum();
    nt_planar_init(&planar);
    size_t size = (size_t)(PENDULUM_STEPS + 1) * 4;
    r->exact = calloc((NT_MODIN_METHODS + 1) * size, sizeof *r->exact);
    bool ok = r->exact && follow_exact(report, &planar, nt_modin_aside, PENDULUM_STEP,
                                       PENDULUM_STEPS, r->exact);
    for (int i = 0; ok && i < NT_MODIN_METHODS; i++) {
        r->of[i] = r->exact + (size_t)(i + 1) * size;
        planar.evaluations = planar.tangents = 0;
        nt_trial trial = nt_modin_trial(&planar, tried[i].method, tried[i].option,
                                        tried[i].pendulum, nt_modin_aside);
        ok = follow(report, &trial, PENDULUM_STEP, PENDULUM_STEPS, r->of[i], &r->account[i]);
        r->evaluations[i] = planar.evaluations;
        r->tangents[i] = planar.tangents;
        r->from_rest[i] = ok ? mean_iterations_from_rest(&planar, i, r->of[i]) : (double)NAN;
    }
    return ok;
}

static double stretch(const double *z) { return hypot(z[0], z[1]) - 1; }
static double position_error(const pendulum_runs *r, int method, int step)
{
    return r->of[method][4 * step] - r->exact[4 * step];
}
static double constraint_error(const pendulum_runs *r, int method, int step)
{
    return stretch(&r->of[method][4 * step]);
}

static void pendulum_curves(nt_paper_report *report, const pendulum_runs *runs, const char *name,
                            const char *title,
                            double (*value)(const pendulum_runs *runs, int method, int step))
{
    const nt_sheet_column columns[] = {{"t", "s"},
                                       {"semi-explicit", "m"},
                                       {"theta = 0.5", "m"},
                                       {"theta = 0.6", "m"},
                                       {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(report, name, title, columns);
    for (int j = 0; j <= PENDULUM_STEPS; j++) {
        double row[1 + NT_MODIN_METHODS] = {j * PENDULUM_STEP};
        for (int i = 0; i < NT_MODIN_METHODS; i++)
            row[1 + i] = value(runs, i, j);
        nt_sheet_row(report, sheet, NULL, row);
    }
}

void nt_modin_figure_4(nt_paper_report *report)
{
    pendulum_runs runs = {0};
    if (run_pendulums(report, &runs))
        pendulum_curves(report, &runs, "figure-4",
                        "Figure 4: error of q_x of the pendulum, h = 0.01 s", position_error);
    free(runs.exact);
}

/* Beside the figure: what the methods cost. */
static void cost(nt_paper_report *report, const pendulum_runs *runs)
{
    static const nt_sheet_column columns[] = {
        {"Newton iterations per step", ""},  {"the same from a = 0", ""},
        {"evaluations of A per step", ""},   {"tangents of A per step", ""},
        {"max | |q| - 1 | on [5, 10]", "m"}, {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(report, "cost",
                                   "Cost of 1000 steps, and the constraint once transients have "
                                   "died out",
                                   columns);
    for (int i = 0; sheet && i < NT_MODIN_METHODS; i++) {
        double largest = 0, steps = PENDULUM_STEPS;
        for (int j = PENDULUM_STEPS / 2; j <= PENDULUM_STEPS; j++)
            largest = fmax(largest, fabs(constraint_error(runs, i, j)));
        const double row[5] = {(double)runs->account[i].iterations / steps, runs->from_rest[i],
                               (double)runs->evaluations[i] / steps,
                               (double)runs->tangents[i] / steps, largest};
        nt_sheet_row(report, sheet, i == 2 ? "theta = 0.6" : tried[i].name, row);
    }
    if (sheet)
        sheet->printed = true;
}

void nt_modin_figure_5(nt_paper_report *report)
{
    pendulum_runs runs = {0};
    if (run_pendulums(report, &runs)) {
        pendulum_curves(report, &runs, "figure-5",
                        "Figure 5: constraint |q| - 1 of the pendulum, h = 0.01 s",
                        constraint_error);
        cost(report, &runs);
    }
    free(runs.exact);
}
