/* nutate sens --check: derivatives at the end of the run and of objectives against differences of
 * whole runs over the same steps.
 *
 * For steps d of 1e-3, ten times less and so on to 1e-8, then 1e-2 of the parameter, from runs at
 * p +- d and p +- 2 d (the least of them are for contacts: the onset of one must not pass from one
 * time step to another),
 *
 *   central     D2 = (y(+1) - y(-1)) / 2 d
 *   five-point  D4 = (8 (y(+1) - y(-1)) - (y(+2) - y(-2))) / 12 d
 *
 * No difference knows its own error, but where two of them agree both are good: the doubt in D4 is
 * its distance from the D2 of its own step, or from the D4 of another step. The one with the
 * smallest doubt counts. In a chaotic motion, or where the result is not smooth in the parameter,
 * no two agree, at any step: then there is no verdict, whatever the derivative. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A derivative is right when it is off by less than RELATIVE, the accuracy that differences reach
 * in a well-behaved run of some thousand steps, or by ten times the doubt; there is no verdict when
 * the doubt exceeds UNDECIDED. Relative to the largest component of the quantity; and changes
 * below ROUNDING of the largest value of the unit, for a change of the parameter by its own size,
 * are none; below REACTION for what depends on multipliers, which Newton's iteration leaves off by
 * 1e-8 of the largest force, and a difference with a step of 1 % multiplies that by 100. */
static const double RELATIVE = 1e-5, UNDECIDED = 1e-3, ROUNDING = 1e-9, REACTION = 1e-6;
/* Values of runs are off by this at least, whether differences agree or not. */
static const double LAST_DIGITS = 1e-15;
/* After this no other step can improve the verdict. */
static const double CERTAIN = 1e-7;

static const double steps[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-2};
enum { STEPS = sizeof steps / sizeof steps[0], COLUMNS = 16, TEXT = 256 };

/* A quantity or an objective: some of the columns. */
typedef struct group {
    int first, columns;
    nt_quantity_info quantity; /* columns = 0 for an objective */
    double largest;            /* of the values of its unit */
    double floor;              /* ROUNDING or REACTION times that */
} group;

typedef struct check {
    nt_cli_plan *plan;
    nt_cli_sens *sens;
    nt_integrator *integrator; /* for the runs */
    nt_objectives *objectives; /* of these */
    double length;             /* m, weighs moments against forces */
    FILE *to;
    group *groups;
    int n_groups, n, n_quantities; /* columns; groups before the objectives */
    double *value;                 /* [n] */
    double *exact;                 /* [parameters][n] */
    double *run[4];                /* [n] y(+1), y(-1), y(+2), y(-2) */
    double *D2[STEPS], *D4[STEPS]; /* [n] */
    bool done[STEPS];
    double *p, *moved, *reactions, *rates;
    long agree, disagree, undecided;
    int width;
} check;

/* ---- columns -------------------------------------------------------------------------------- */

static void column_name(const check *c, const group *g, int j, char *name, char *unit)
{
    char meaning[TEXT];
    if (g->quantity.columns > 0)
        nt_model_quantity_column(c->plan->model, &g->quantity, j, name, unit, meaning, TEXT);
    else {
        int i = (int)(g - c->groups) - c->n_quantities;
        snprintf(name, TEXT, "%s", nt_model_objective(c->plan->model, i).name);
        snprintf(unit, TEXT, "objective %d", i);
    }
}

/* Largest constraint and step size do not count as changing: they are left out. */
static nt_status find_groups(check *c, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(c->plan->model);
    int objectives = nt_model_objective_count(c->plan->model);
    c->groups = calloc((size_t)(simulation->n_record + objectives) + 1, sizeof *c->groups);
    if (!c->groups)
        return NT_NO_MEMORY;
    for (int i = 0; i < simulation->n_record; i++) {
        group *g = &c->groups[c->n_groups];
        nt_status status =
            nt_model_quantity(c->plan->model, simulation->record[i], &g->quantity, error);
        if (status != NT_OK)
            return status;
        if (g->quantity.needs_drift || strcmp(simulation->record[i], "step_size") == 0)
            continue;
        g->first = c->n;
        g->columns = g->quantity.columns;
        c->n += g->columns;
        c->n_groups++;
    }
    c->n_quantities = c->n_groups;
    for (int i = 0; i < objectives; i++)
        c->groups[c->n_groups++] = (group){.first = c->n++, .columns = 1};
    return NT_OK;
}

/* Values of all columns where an integrator stands. */
static nt_status look(check *c, nt_integrator *integrator, const nt_objectives *objectives,
                      double *y, nt_error *error)
{
    nt_state state = nt_integrator_state(integrator);
    nt_status status = nt_integrator_reactions(integrator, &state, c->length, c->reactions, error);
    for (int i = 0; i < c->n_quantities && status == NT_OK; i++)
        status = nt_run_sample(c->plan->run, &c->groups[i].quantity, &state, c->reactions,
                               y + c->groups[i].first, error);
    for (int i = c->n_quantities; i < c->n_groups; i++)
        y[c->groups[i].first] = nt_objectives_value(objectives, i - c->n_quantities);
    return status;
}

static nt_status look_along(check *c, const nt_objectives *objectives, int k, nt_error *error)
{
    nt_sensitivity *s = c->sens->sensitivity;
    nt_state state = nt_integrator_state(c->plan->integrator);
    nt_state_tangent d = nt_sensitivity_state(s, k);
    double *y = c->exact + (size_t)k * (size_t)c->n;
    const nt_state_rate rate = {.dq = d.q,
                                .dv = d.v,
                                .dvdot = d.vdot,
                                .dlambda = d.lambda,
                                .dmu = d.mu,
                                .dmemory = d.memory,
                                .work = d.work,
                                .parameter = c->sens->parameters[k]};
    nt_status status = nt_sensitivity_reactions(s, k, &state, &d, c->length, c->rates, error);
    for (int i = 0; i < c->n_quantities && status == NT_OK; i++)
        status =
            nt_run_sample_tangent(c->plan->run, &c->groups[i].quantity, 1, &state, c->reactions,
                                  &rate, c->rates, y + c->groups[i].first, error);
    for (int i = c->n_quantities; i < c->n_groups; i++)
        y[c->groups[i].first] = nt_objectives_derivative(objectives, i - c->n_quantities, k);
    return status;
}

static bool needs_reactions(const check *c, const group *g)
{
    int i = (int)(g - c->groups) - c->n_quantities;
    return g->quantity.columns > 0 ? g->quantity.needs_reactions != 0
                                   : nt_model_objective(c->plan->model, i).needs_reactions != 0;
}

/* A length times the second is of the first's kind. */
static const struct {
    const char *longer, *shorter;
} companions[] = {
    {"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"}, {"N m", "N"}, {"kg m2/s", "kg m/s"}};

/* The largest value of a unit. */
static double largest_of(const check *c, const char *unit)
{
    char name[TEXT], other[TEXT];
    double largest = 0;
    for (int i = 0; i < c->n_groups; i++) {
        const group *g = &c->groups[i];
        column_name(c, g, 0, name, other);
        for (int k = 0; k < g->columns && strcmp(unit, other) == 0; k++)
            largest = fmax(largest, fabs(c->value[g->first + k]));
    }
    return largest;
}

/* The largest value of each unit, or of its companion where that is larger over the model's length:
 * where nothing turns, a rate of 1e-20 rad/s is rounding of the m/s and not a quantity. The width
 * of the table. */
static void find_floors(check *c)
{
    char name[TEXT], unit[TEXT];
    for (int i = 0; i < c->n_groups; i++) {
        group *g = &c->groups[i];
        column_name(c, g, 0, name, unit);
        double largest = largest_of(c, unit);
        for (size_t j = 0; j < sizeof companions / sizeof companions[0]; j++) {
            if (strcmp(unit, companions[j].longer) == 0)
                largest = fmax(largest, c->length * largest_of(c, companions[j].shorter));
            if (strcmp(unit, companions[j].shorter) == 0)
                largest = fmax(largest, largest_of(c, companions[j].longer) / c->length);
        }
        g->largest = largest;
        g->floor = (needs_reactions(c, g) ? REACTION : ROUNDING) * largest;
        for (int j = 0; j < g->columns; j++) {
            column_name(c, g, j, name, unit);
            for (int k = 0; k < c->sens->n; k++) {
                int length =
                    (int)(strlen(name) + strlen(nt_cli_sens_name(c->plan, c->sens, k))) + 7;
                c->width = length > c->width ? length : c->width;
            }
        }
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool take(double **p, size_t n)
{
    *p = calloc(n + 1, sizeof **p);
    return *p != NULL;
}

static bool take_memory(check *c)
{
    const nt_system *system = nt_run_system(c->plan->run);
    size_t n = (size_t)c->n, rows = (size_t)(system->nh + system->nn);
    bool good = take(&c->value, n) && take(&c->exact, n * (size_t)c->sens->n) &&
                take(&c->p, (size_t)system->n_parameters) &&
                take(&c->moved, (size_t)system->n_parameters) && take(&c->reactions, rows) &&
                take(&c->rates, rows);
    for (int i = 0; i < 4; i++)
        good = good && take(&c->run[i], n);
    for (int i = 0; i < STEPS; i++)
        good = good && take(&c->D2[i], n) && take(&c->D4[i], n);
    return good;
}

static void give_back(check *c)
{
    nt_objectives_destroy(c->objectives);
    nt_integrator_destroy(c->integrator);
    free(c->groups);
    free(c->value);
    free(c->exact);
    free(c->p);
    free(c->moved);
    free(c->reactions);
    free(c->rates);
    for (int i = 0; i < 4; i++)
        free(c->run[i]);
    for (int i = 0; i < STEPS; i++) {
        free(c->D2[i]);
        free(c->D4[i]);
    }
}

/* An integrator that takes the steps it is told: without tolerance and without `steps`. And without
 * `reuse_tangent`: what an iteration with an old tangent leaves is within the tolerance, but
 * changes with the parameter, and the derivative is that of the solution. */
static nt_status make_integrator(check *c, nt_error *error)
{
    nt_integrator_setup setup = c->plan->setup;
    nt_option *options = calloc((size_t)setup.n_options + 1, sizeof *options);
    if (!options)
        return NT_NO_MEMORY;
    int n = 0;
    for (int i = 0; i < setup.n_options; i++)
        if ((!c->plan->variable || strcmp(setup.options[i].name, "steps") != 0) &&
            strcmp(setup.options[i].name, "reuse_tangent") != 0)
            options[n++] = setup.options[i];
    setup.options = options;
    setup.n_options = n;
    memset(setup.tolerance, 0, sizeof setup.tolerance);
    nt_status status = nt_integrator_create(&c->integrator, &setup, error);
    free(options);
    return status;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static nt_status integrate(check *c, nt_error *error)
{
    nt_status status = nt_integrator_start(c->integrator, c->plan->start, NULL, NULL, NULL, error);
    if (status == NT_OK)
        status = nt_objectives_advance(c->objectives, error);
    for (long i = 0; i < c->sens->n_ends && status == NT_OK; i++) {
        double end = c->sens->ends[i], t = nt_integrator_state(c->integrator).t;
        status = nt_integrator_run(c->integrator, end, end - t, NULL, NULL, error);
        if (status == NT_OK)
            status = nt_objectives_advance(c->objectives, error);
    }
    return status;
}

/* The whole motion with parameter k changed by d: y[n]. */
static nt_status whole_run(check *c, int k, double d, double *y, nt_error *error)
{
    const nt_system *system = nt_run_system(c->plan->run);
    memcpy(c->moved, c->p, (size_t)system->n_parameters * sizeof *c->p);
    c->moved[k] += d;
    nt_status status = system->set_parameters(system->self, c->moved);
    nt_objectives_restart(c->objectives);
    if (status == NT_OK)
        status = integrate(c, error);
    return status == NT_OK ? look(c, c->integrator, c->objectives, y, error) : status;
}

static double natural_size(const check *c, int k) { return c->p[k] != 0 ? fabs(c->p[k]) : 1; }

/* Both differences at a step; false when a run failed. */
static bool difference(check *c, int k, int step, nt_error *error)
{
    static const int distance[4] = {1, -1, 2, -2};
    double d = steps[step] * natural_size(c, k);
    for (int i = 0; i < 4; i++)
        if (whole_run(c, k, distance[i] * d, c->run[i], error) != NT_OK)
            return false;
    for (int i = 0; i < c->n; i++) {
        double near = c->run[0][i] - c->run[1][i], far = c->run[2][i] - c->run[3][i];
        c->D2[step][i] = near / (2 * d);
        c->D4[step][i] = (8 * near - far) / (12 * d);
    }
    return true;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

typedef struct verdict {
    int step; /* whose D4 counts; -1: none */
    double doubt, size, off, floor;
} verdict;

static double distance(const group *g, const double *a, const double *b)
{
    double largest = 0;
    for (int i = g->first; i < g->first + g->columns; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return isnan(largest) ? (double)INFINITY : largest;
}

static double size_of(const group *g, const double *a)
{
    double largest = 0;
    for (int i = g->first; i < g->first + g->columns; i++)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

static verdict judge(const check *c, const group *g, int k, const double *exact)
{
    verdict v = {.step = -1, .doubt = (double)INFINITY};
    for (int i = 0; i < STEPS; i++)
        for (int j = i; j < STEPS && c->done[i]; j++) {
            if (!c->done[j])
                continue;
            double doubt = distance(g, c->D4[i], i == j ? c->D2[i] : c->D4[j]);
            doubt += LAST_DIGITS * g->largest / (fmin(steps[i], steps[j]) * natural_size(c, k));
            if (doubt < v.doubt || v.step < 0) {
                v.doubt = doubt;
                v.step = i;
            }
        }
    if (v.step < 0)
        return v;
    v.off = distance(g, exact, c->D4[v.step]);
    v.size = fmax(size_of(g, exact), size_of(g, c->D4[v.step]));
    v.floor = g->floor / natural_size(c, k);
    return v;
}

static bool is_undecided(const verdict *v)
{
    return v->step < 0 || v->doubt > UNDECIDED * v->size + v->floor;
}

static bool is_right(const verdict *v)
{
    return v->off <= RELATIVE * v->size + 10 * v->doubt + v->floor;
}

static void show_group(check *c, const group *g, int parameter, const double *exact,
                       const verdict *v)
{
    char name[TEXT], unit[TEXT], label[2 * TEXT];
    bool undecided = is_undecided(v), right = is_right(v);
    for (int i = 0; i < g->columns; i++) {
        double a = exact[g->first + i];
        column_name(c, g, i, name, unit);
        snprintf(label, sizeof label, "d(%s)/d(%s)", name,
                 nt_cli_sens_name(c->plan, c->sens, parameter));
        if (v->step < 0) {
            fprintf(c->to, "%-*s  %20.12g  every run failed\n", c->width, label, a);
            continue;
        }
        double b = c->D4[v->step][g->first + i], off = fabs(a - b);
        double digits = off > 0 && v->size > 0 ? fmax(0, fmin(16, -log10(off / v->size))) : 16;
        fprintf(c->to, "%-*s  %20.12g  %20.12g  %4.1f", c->width, label, a, b, digits);
        if (undecided)
            fprintf(c->to, "  no verdict: differences disagree by %.1g\n", v->doubt / v->size);
        else
            fputs(right ? "\n" : "  WRONG\n", c->to);
    }
    *(undecided ? &c->undecided : right ? &c->agree : &c->disagree) += g->columns;
}

/* Whether more runs could change anything. */
static bool is_settled(const check *c, int k, const double *exact)
{
    for (int i = 0; i < c->n_groups; i++) {
        verdict v = judge(c, &c->groups[i], k, exact);
        if (v.step < 0 || v.doubt > CERTAIN * v.size + v.floor || !is_right(&v))
            return false;
    }
    return true;
}

static int check_parameter(check *c, int parameter)
{
    int k = c->sens->parameters[parameter], worked = 0;
    const double *exact = c->exact + (size_t)parameter * (size_t)c->n;
    nt_error error = {0};
    memset(c->done, 0, sizeof c->done);
    for (int i = 0; i < STEPS; i++) {
        c->done[i] = difference(c, k, i, &error);
        worked += c->done[i];
        if (worked > 1 && is_settled(c, k, exact))
            break;
    }
    if (worked == 0) {
        nt_cli_say("no run with a changed %s succeeds",
                   nt_cli_sens_name(c->plan, c->sens, parameter));
        return nt_cli_fail(c->plan->path, &error);
    }
    for (int i = 0; i < c->n_groups; i++) {
        verdict v = judge(c, &c->groups[i], k, exact);
        show_group(c, &c->groups[i], parameter, exact, &v);
    }
    return NT_EXIT_DONE;
}

static int check_all(check *c)
{
    int status = NT_EXIT_DONE;
    fprintf(c->to, "%-*s  %20s  %20s  digits\n", c->width, "at the end", "derivative",
            "difference of runs");
    for (int i = 0; i < c->sens->n && status == NT_EXIT_DONE; i++)
        status = check_parameter(c, i);
    if (status != NT_EXIT_DONE)
        return status;
    fprintf(c->to, "%ld derivatives agree with differences of whole runs", c->agree);
    if (c->disagree > 0)
        fprintf(c->to, ", %ld do not", c->disagree);
    if (c->undecided > 0)
        fprintf(c->to,
                ", %ld without verdict (chaotic motion, or not smooth in the parameter: a shorter "
                "--duration decides)",
                c->undecided);
    fputc('\n', c->to);
    return c->disagree > 0 ? NT_EXIT_FAILED : NT_EXIT_DONE;
}

int nt_cli_sens_check(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                      const nt_cli_options *options)
{
    const nt_system *system = nt_run_system(plan->run);
    bool taken = options->output && strcmp(options->output, "-") == 0;
    check c = {.plan = plan,
               .sens = sens,
               .length = nt_run_length(plan->run),
               .to = taken ? stderr : stdout};
    nt_error error = {.status = NT_NO_MEMORY, .message = "out of memory"};
    int exit_status = NT_EXIT_DONE;
    nt_status status = find_groups(&c, &error);
    if (status == NT_OK && !take_memory(&c))
        status = NT_NO_MEMORY;
    if (status == NT_OK)
        status = look(&c, plan->integrator, objectives, c.value, &error);
    for (int k = 0; k < sens->n && status == NT_OK; k++)
        status = look_along(&c, objectives, k, &error);
    if (status == NT_OK)
        status = make_integrator(&c, &error);
    if (status == NT_OK)
        status = nt_objectives_create(&c.objectives, plan->run, c.integrator, NULL, &error);
    if (status != NT_OK) {
        exit_status = nt_cli_fail(plan->path, &error);
        goto done;
    }
    system->get_parameters(system->self, c.p);
    find_floors(&c);
    exit_status = check_all(&c);
    system->set_parameters(system->self, c.p);
    if (exit_status == NT_EXIT_DONE && !taken)
        exit_status = nt_cli_finish_output();
done:
    give_back(&c);
    return exit_status;
}
