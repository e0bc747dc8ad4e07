/* What methods need for an accuracy on the bearing of figure 6 (b1.yaml): evaluations of all
 * contacts and time over 0.6 ms, for the paper's method, semi-explicit-2, BDF, DOP853 and
 * generalized-alpha; and what the paper's penalties in place of a given rotation change.
 *
 * The error is the largest of three root mean squares over t = 0, 10, ... 600 us, against a
 * solution by DOP853 at a tolerance of 1e-12: of the loads of all balls on the outer ring over 390
 * N, of the cage's speed over its swing, of the loads in all pockets over their peak. */
#include "papers/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BALLS = 9, TIMES = 61, NUMBERS = 2 * BALLS + 1 };
static const double END = 6e-4, EVERY = 1e-5;                  /* s             */
static const double LOAD = 390, SWING = 34.474, PEAK = 42.544; /* N, rad/s, N   */

/* ---- the bearing, its evaluations counted ------------------------------------------------------
 */

typedef struct counted {
    nt_model *model;
    nt_run *run;
    const nt_system *inside;
    nt_system system;
    long evaluations, tangents; /* of the contacts */
} counted;

static nt_status counted_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    counted *c = self;
    if (terms->parts & NT_EXPLICIT) {
        c->evaluations += terms->residual != NULL;
        c->tangents += terms->matrix && terms->combination->stiffness != 0;
    }
    return c->inside->evaluate(c->inside->self, at, terms);
}

static nt_status counted_given(void *self, int block, double t, const double *at,
                               nt_given_rotation *out)
{
    counted *c = self;
    return c->inside->given(c->inside->self, block, t, at, out);
}

static nt_status counted_initial(void *self, double t, double *q, double *v, double *memory)
{
    counted *c = self;
    return c->inside->initial(c->inside->self, t, q, v, memory);
}

static void counted_accept(void *self, const nt_point *at, double *next)
{
    counted *c = self;
    c->inside->accept(c->inside->self, at, next);
}

static bool counted_open(counted *c, nt_paper_report *report, const nt_setting *settings, int n)
{
    char path[4096];
    nt_error error = {0};
    memset(c, 0, sizeof *c);
    snprintf(path, sizeof path, "%s/modin/b1.yaml", report->folder);
    if (!nt_paper_report_ok(report))
        return false;
    if (nt_model_read(&c->model, path, settings, n, &error) != NT_OK ||
        nt_run_create(&c->run, c->model, &error) != NT_OK) {
        nt_paper_report_fail(report, &error, "b1.yaml");
        return false;
    }
    const nt_system *s = c->inside = nt_run_system(c->run);
    unsigned kept = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_SPLIT | NT_HAS_MOMENTA |
                    NT_ALL_LEVELS | NT_AFFINE | NT_DISCRETE_MEMORY;
    c->system = (nt_system){.name = s->name,
                            .space = s->space,
                            .frame = s->frame,
                            .nh = s->nh,
                            .nn = s->nn,
                            .v_quantity = s->v_quantity,
                            .row_quantity = s->row_quantity,
                            .pattern = s->pattern,
                            .capabilities = s->capabilities & kept,
                            .n_memory = s->n_memory,
                            .length = s->length,
                            .self = c,
                            .evaluate = counted_evaluate,
                            .accept = s->accept ? counted_accept : NULL,
                            .initial = counted_initial,
                            .momenta = s->momenta,
                            .explicit_blocks = s->explicit_blocks,
                            .given_rows = s->given_rows,
                            .given = s->given ? counted_given : NULL};
    return true;
}

static void counted_close(counted *c)
{
    nt_run_destroy(c->run);
    nt_model_destroy(c->model);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

typedef struct manner {
    const char *method;
    nt_option option;       /* name NULL: none */
    double step, tolerance; /* step 0: the method's own */
} manner;

/* Loads on the outer ring, in the pockets, and the cage's speed at the times of the comparison. */
typedef struct curves {
    double number[TIMES][NUMBERS];
} curves;

typedef struct watcher {
    counted *bearing;
    nt_integrator *integrator;
    nt_quantity_info info[NUMBERS];
    curves *out;
    int next;
    nt_error error;
} watcher;

static bool watcher_begin(watcher *w)
{
    for (int i = 0; i < NUMBERS; i++) {
        char name[40] = "b.cage.speed";
        if (i < 2 * BALLS)
            snprintf(name, sizeof name, "b.ball%d.%s.force", i % BALLS + 1,
                     i < BALLS ? "outer" : "pocket");
        if (nt_model_quantity(w->bearing->model, name, &w->info[i], &w->error) != NT_OK)
            return false;
    }
    return true;
}

/* All times up to that of the integrator, within its last step. */
static int watch(void *context, const nt_integrator *integrator)
{
    watcher *w = context;
    double end = nt_integrator_state(integrator).t;
    for (; w->next < TIMES && w->next * EVERY <= end * (1 + 1e-12); w->next++) {
        nt_state state;
        double at = fmin(w->next * EVERY, end), value[16];
        if (nt_integrator_dense(w->integrator, at, &state) != NT_OK)
            return 1;
        for (int i = 0; i < NUMBERS; i++) {
            if (nt_run_sample(w->bearing->run, &w->info[i], &state, NULL, value, &w->error) !=
                NT_OK)
                return 1;
            w->out->number[w->next][i] = value[0];
        }
    }
    return 0;
}

static nt_integrator *create(const counted *c, const manner *how, nt_error *error)
{
    double t = how->tolerance;
    nt_integrator *it = NULL;
    nt_integrator_setup setup = {.system = &c->system,
                                 .method = nt_method_find(how->method),
                                 .options = &how->option,
                                 .n_options = how->option.name != NULL,
                                 .tolerance = {t, t, t, t},
                                 .energy_check = NT_ENERGY_UNWATCHED};
    if (nt_integrator_create(&it, &setup, error) == NT_OK &&
        nt_integrator_start(it, 0, NULL, NULL, NULL, error) != NT_OK) {
        nt_integrator_destroy(it);
        it = NULL;
    }
    return it;
}

/* False where the method fails: too long a step may be unstable, that is what is looked at. */
static bool run_curves(counted *c, const manner *how, curves *out)
{
    watcher w = {.bearing = c, .out = out};
    double h = how->step > 0 ? how->step : 1e-6;
    w.integrator = create(c, how, &w.error);
    bool ok = w.integrator && watcher_begin(&w) && watch(&w, w.integrator) == 0 &&
              nt_integrator_run(w.integrator, END, h, watch, &w, &w.error) == NT_OK;
    nt_integrator_destroy(w.integrator);
    return ok && w.next == TIMES;
}

/* The same without looks, for what it takes. The start's own evaluation is left out. s. */
static bool run_cost(counted *c, const manner *how, double *seconds)
{
    nt_error error = {0};
    nt_integrator *it = create(c, how, &error);
    c->evaluations = c->tangents = 0;
    clock_t begun = clock();
    bool ok = it && nt_integrator_run(it, END, how->step > 0 ? how->step : 1e-6, NULL, NULL,
                                      &error) == NT_OK;
    *seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    nt_integrator_destroy(it);
    return ok;
}

static double root_mean_square(const curves *a, const curves *b, int from, int to)
{
    double sum = 0;
    for (int t = 0; t < TIMES; t++)
        for (int i = from; i < to; i++)
            sum += (a->number[t][i] - b->number[t][i]) * (a->number[t][i] - b->number[t][i]);
    return sqrt(sum / (TIMES * (to - from)));
}

static double error_of(const curves *a, const curves *exact)
{
    double load = root_mean_square(a, exact, 0, BALLS) / LOAD;
    double pocket = root_mean_square(a, exact, BALLS, 2 * BALLS) / PEAK;
    double cage = root_mean_square(a, exact, 2 * BALLS, NUMBERS) / SWING;
    return fmax(load, fmax(pocket, cage));
}

/* ---- sheets -------------------------------------------------------------------------------------
 */

enum { MOST = 10 };
typedef struct series {
    const char *name, *method;
    nt_option option;
    double parts[MOST]; /* steps in 10 us; 0: the end          */
    double tolerances[MOST];
} series;

static const series all[] = {
    {"paper", "semi-explicit", {0}, {3, 5, 7, 10, 20, 40, 80, 160, 200}, {0}},
    {"second-order", "semi-explicit-2", {0}, {3, 4, 5, 6, 8, 10, 15, 20, 40}, {0}},
    {"bdf", "bdf", {"indentation", "1e-5"}, {0}, {3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6}},
    {"dop853", "rkmk-dop853", {0}, {0}, {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}},
    {"alpha", "generalized-alpha", {"rho_inf", "0.8"}, {0}, {0}},
};
static const double alpha_parts[MOST] = {5, 10, 20, 40, 80};

static const nt_sheet_column columns[] = {
    {"step or tolerance", ""},   {"error", ""},  {"evaluations", ""}, {"tangents", ""},
    {"with 12 per tangent", ""}, {"time", "ms"}, {NULL, NULL}};

static void one_row(nt_paper_report *report, counted *c, nt_sheet *sheet, nt_sheet *table,
                    const manner *how, const curves *exact)
{
    static curves found;
    double seconds;
    if (!nt_paper_report_ok(report) || !run_curves(c, how, &found) || !run_cost(c, how, &seconds))
        return; /* unstable */
    double error = error_of(&found, exact);
    if (!(error < 0.3))
        return;
    const double row[6] = {how->step > 0 ? how->step : how->tolerance,
                           error,
                           (double)c->evaluations,
                           (double)c->tangents,
                           (double)(c->evaluations + 12 * c->tangents),
                           1e3 * seconds};
    nt_sheet_row(report, sheet, NULL, row);
    nt_sheet_row(report, table, how->method, row);
}

void nt_modin_accuracy(nt_paper_report *report)
{
    static curves exact;
    counted c;
    if (!counted_open(&c, report, NULL, 0)) {
        counted_close(&c);
        return;
    }
    nt_sheet *table = nt_sheet_add(
        report, "accuracy",
        "What 0.6 ms of the bearing take (printed for BDF and the splitting method: 1588, 600)",
        columns);
    const manner best = {.method = "rkmk-dop853", .tolerance = 1e-12};
    if (!run_curves(&c, &best, &exact)) {
        nt_error error = {.status = NT_NOT_CONVERGED};
        snprintf(error.message, sizeof error.message, "there is no solution to compare with");
        nt_paper_report_fail(report, &error, "rkmk-dop853");
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const series *s = &all[k];
        bool alpha = strcmp(s->method, "generalized-alpha") == 0;
        const double *parts = alpha ? alpha_parts : s->parts;
        nt_sheet *sheet = nt_sheet_add(report, s->name, s->method, columns);
        for (int i = 0; i < MOST; i++) {
            manner how = {s->method, s->option, parts[i] > 0 ? EVERY / parts[i] : 0,
                          s->tolerances[i]};
            if (how.step > 0 || how.tolerance > 0)
                one_row(report, &c, sheet, table, &how, &exact);
        }
    }
    if (table)
        table->printed = true;
    counted_close(&c);
}

/* ---- penalties ----------------------------------------------------------------------------------
 */

/* The drive of the inner ring by a spring and a damper of the frequency f, critically damped: k = J
 * (2 pi f)^2, c = 2 J 2 pi f, J = 1e-5 kg m^2; frequency 0: by multipliers. */
static bool penalty_curves(nt_paper_report *report, double frequency, const char *beta, curves *out)
{
    counted c;
    char stiffness[40], damping[40];
    const double J = 1e-5, rate = 2 * 3.14159265358979323846 * frequency;
    snprintf(stiffness, sizeof stiffness, "%.17g", J * rate * rate);
    snprintf(damping, sizeof damping, "%.17g", 2 * J * rate);
    const nt_setting settings[] = {{"joints.turn.enforce", "penalty"},
                                   {"joints.turn.stiffness", stiffness},
                                   {"joints.turn.damping", damping}};
    const manner how = {"semi-explicit", {"beta", beta}, 1e-6, 0};
    bool ok =
        counted_open(&c, report, settings, frequency > 0 ? 3 : 0) && run_curves(&c, &how, out);
    counted_close(&c);
    return ok;
}

static double largest_difference(const curves *a, const curves *b, int from, int to)
{
    double most = 0;
    for (int t = 0; t < TIMES; t++)
        for (int i = from; i < to; i++)
            most = fmax(most, fabs(a->number[t][i] - b->number[t][i]));
    return most;
}

void nt_modin_penalties(nt_paper_report *report)
{
    static const nt_sheet_column of[] = {
        {"frequency", "Hz"}, {"load", "N"}, {"cage", "rad/s"}, {NULL, NULL}};
    static const char *const betas[] = {"0.5", "0.6", "1"};
    static curves given, found;
    nt_sheet *sheet =
        nt_sheet_add(report, "penalties",
                     "What penalties in place of the given rotation change, by beta, h = 1 us", of);
    if (!penalty_curves(report, 0, "0.6", &given)) {
        nt_error error = {.status = NT_NOT_CONVERGED};
        snprintf(error.message, sizeof error.message, "there is no solution to compare with");
        nt_paper_report_fail(report, &error, "semi-explicit");
    }
    for (int power = 4; power <= 8; power++)
        for (int k = 0; k < 3; k++) {
            double frequency = pow(10, power);
            if (!nt_paper_report_ok(report) || !penalty_curves(report, frequency, betas[k], &found))
                continue;
            const double row[3] = {frequency, largest_difference(&found, &given, 0, BALLS),
                                   largest_difference(&found, &given, 2 * BALLS, NUMBERS)};
            nt_sheet_row(report, sheet, betas[k], row);
        }
    if (sheet)
        sheet->printed = true;
}
