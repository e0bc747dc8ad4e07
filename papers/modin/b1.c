#include "papers/modin/b1.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double LOAD = 390, SWING = 34.474, PEAK = 42.544; /* N, rad/s, N */

/* ---- the bearing, its evaluations counted ------------------------------------------------------
 */

static nt_status b1_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_b1 *b = self;
    if (terms->parts & NT_EXPLICIT) {
        b->evaluations += terms->residual != NULL;
        b->tangents += terms->matrix && terms->combination->stiffness != 0;
    }
    return b->inside->evaluate(b->inside->self, at, terms);
}

static nt_status b1_given(void *self, int block, double t, const double *at, nt_given_rotation *out)
{
    nt_b1 *b = self;
    return b->inside->given(b->inside->self, block, t, at, out);
}

static nt_status b1_initial(void *self, double t, double *q, double *v, double *memory)
{
    nt_b1 *b = self;
    return b->inside->initial(b->inside->self, t, q, v, memory);
}

static void b1_accept(void *self, const nt_point *at, double *next)
{
    nt_b1 *b = self;
    b->inside->accept(b->inside->self, at, next);
}

bool nt_b1_open(nt_b1 *b, nt_paper_report *report, const nt_setting *settings, int n)
{
    char path[4096];
    nt_error error = {0};
    memset(b, 0, sizeof *b);
    snprintf(path, sizeof path, "%s/modin/b1.yaml", report->folder);
    if (!nt_paper_report_ok(report))
        return false;
    if (nt_model_read(&b->model, path, settings, n, &error) != NT_OK ||
        nt_run_create(&b->run, b->model, &error) != NT_OK) {
        nt_paper_report_fail(report, &error, "b1.yaml");
        return false;
    }
    const nt_system *s = b->inside = nt_run_system(b->run);
    unsigned kept = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_SPLIT | NT_HAS_MOMENTA |
                    NT_ALL_LEVELS | NT_AFFINE | NT_DISCRETE_MEMORY;
    b->system = (nt_system){.name = s->name,
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
                            .self = b,
                            .evaluate = b1_evaluate,
                            .accept = s->accept ? b1_accept : NULL,
                            .initial = b1_initial,
                            .momenta = s->momenta,
                            .explicit_blocks = s->explicit_blocks,
                            .given_rows = s->given_rows,
                            .given = s->given ? b1_given : NULL};
    return true;
}

void nt_b1_close(nt_b1 *b)
{
    nt_run_destroy(b->run);
    nt_model_destroy(b->model);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

typedef struct watcher {
    nt_b1 *bearing;
    nt_integrator *integrator;
    const nt_b1_look *look;
    nt_quantity_info info[NT_B1_MOST_NAMES];
    int next;
    nt_error error;
} watcher;

static bool watcher_begin(watcher *w)
{
    const nt_b1_look *look = w->look;
    for (int i = 0; i < look->n; i++)
        if (nt_model_quantity(w->bearing->model, look->names[i], &w->info[i], &w->error) != NT_OK)
            return false;
    return true;
}

/* All times up to that of the integrator, within its last step. */
static int watch(void *context, const nt_integrator *integrator)
{
    watcher *w = context;
    const nt_b1_look *look = w->look;
    double end = nt_integrator_state(integrator).t;
    for (; w->next < look->times && w->next * look->every <= end * (1 + 1e-12); w->next++) {
        nt_state state;
        double value[16];
        if (nt_integrator_dense(w->integrator, fmin(w->next * look->every, end), &state) != NT_OK)
            return 1;
        for (int i = 0; i < look->n; i++) {
            if (nt_run_sample(w->bearing->run, &w->info[i], &state, NULL, value, &w->error) !=
                NT_OK)
                return 1;
            look->out[w->next * look->n + i] = value[0];
        }
    }
    return 0;
}

static nt_integrator *b1_start(const nt_b1 *b, const nt_b1_manner *how, nt_error *error)
{
    double t = how->tolerance;
    nt_integrator *it = NULL;
    nt_integrator_setup setup = {.system = &b->system,
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

bool nt_b1_run(nt_b1 *b, const nt_b1_manner *how, const nt_b1_look *look, nt_error *error)
{
    watcher w = {.bearing = b, .look = look};
    double h = how->step > 0 ? how->step : 1e-6, end = (look->times - 1) * look->every;
    w.integrator = b1_start(b, how, &w.error);
    bool ok = w.integrator && watcher_begin(&w) && watch(&w, w.integrator) == 0 &&
              nt_integrator_run(w.integrator, end, h, watch, &w, &w.error) == NT_OK;
    nt_integrator_destroy(w.integrator);
    *error = w.error;
    return ok && w.next == look->times;
}

bool nt_b1_cost(nt_b1 *b, const nt_b1_manner *how, double *seconds, long *steps)
{
    nt_error error = {0};
    nt_integrator *it = b1_start(b, how, &error);
    b->evaluations = b->tangents = 0;
    clock_t begun = clock();
    bool ok = it && nt_integrator_run(it, NT_B1_END, how->step > 0 ? how->step : 1e-6, NULL, NULL,
                                      &error) == NT_OK;
    *seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    *steps = it ? nt_integrator_statistics(it)->steps : 0;
    nt_integrator_destroy(it);
    return ok;
}

/* ---- errors ------------------------------------------------------------------------------------
 */

bool nt_b1_curves_of(nt_b1 *b, const nt_b1_manner *how, nt_b1_curves *out)
{
    char text[NT_B1_NUMBERS][40];
    const char *names[NT_B1_NUMBERS];
    nt_error unstable = {0};
    for (int i = 0; i < NT_B1_NUMBERS; i++) {
        bool pocket = i >= NT_B1_BALLS;
        snprintf(text[i], sizeof text[i], "b.ball%d.%s.force", i % NT_B1_BALLS + 1,
                 pocket ? "pocket" : "outer");
        names[i] = i < 2 * NT_B1_BALLS ? text[i] : "b.cage.speed";
    }
    const nt_b1_look look = {.names = names,
                             .n = NT_B1_NUMBERS,
                             .times = NT_B1_TIMES,
                             .every = NT_B1_END / (NT_B1_TIMES - 1),
                             .out = out->number[0]};
    return nt_b1_run(b, how, &look, &unstable);
}

bool nt_b1_exact(nt_b1 *b, nt_paper_report *report, nt_b1_curves *out)
{
    static const nt_b1_manner best = {.method = "rkmk-dop853", .tolerance = 1e-12};
    if (nt_b1_curves_of(b, &best, out))
        return true;
    nt_error error = {.status = NT_NOT_CONVERGED};
    snprintf(error.message, sizeof error.message, "there is no solution to compare with");
    nt_paper_report_fail(report, &error, best.method);
    return false;
}

static double root_mean_square(const nt_b1_curves *a, const nt_b1_curves *b, int from, int to)
{
    double sum = 0;
    for (int t = 0; t < NT_B1_TIMES; t++)
        for (int i = from; i < to; i++)
            sum += (a->number[t][i] - b->number[t][i]) * (a->number[t][i] - b->number[t][i]);
    return sqrt(sum / (NT_B1_TIMES * (to - from)));
}

double nt_b1_error(const nt_b1_curves *a, const nt_b1_curves *exact)
{
    double load = root_mean_square(a, exact, 0, NT_B1_BALLS) / LOAD;
    double pocket = root_mean_square(a, exact, NT_B1_BALLS, 2 * NT_B1_BALLS) / PEAK;
    double cage = root_mean_square(a, exact, 2 * NT_B1_BALLS, NT_B1_NUMBERS) / SWING;
    return fmax(load, fmax(pocket, cage));
}
