/* nutate sens --check: derivatives at the end of the run and of objectives against differences of
 * whole runs over the same steps.
 *
 * The runs take the same steps as the one that is judged, and Newton's iteration goes on to
 * rounding in them: what it leaves within its tolerance changes with the parameter, too. Verdicts
 * are made in sens_verdict.c. */
#include "cli/sens/sens_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Changes below this part of the largest value of the unit, for a change of the parameter by its
 * own size, are none; of forces and accelerations, which rounding of positions leaves off by
 * eps/h^2, below the second. And below the third of what the unit measures in the whole model:
 * its length, duration, largest force. */
static const double ROUNDING = 1e-9, REACTION = 1e-7, NOTHING = 1e-13;

enum { STEPS = NT_CHECK_STEPS, TEXT = 256 };

typedef nt_check_group group;

typedef struct check {
    nt_cli_plan *plan;
    nt_cli_sens *sens;
    nt_integrator *integrator; /* for the runs */
    nt_objectives *objectives; /* of these */
    nt_option *options;        /* of this integrator */
    char newton_tolerance[24]; /* its value among them */
    nt_error broke;            /* why an observer ended a run             */
    double length;             /* m, weighs moments against forces */
    FILE *to;
    group *groups;
    int n_groups, n, n_quantities; /* columns; groups before the objectives */
    double *value;                 /* [n]; all arrays of numbers are behind it */
    double *shown, *exact;         /* [parameters][n] of the run that is judged, and of that whose
                                      steps can be compared */
    double *run[5];                /* [n] y(+1), y(-1), y(+2), y(-2), y(0) */
    nt_check_differences found;
    double *p, *moved, *reactions, *rates;
    nt_check_row *rows; /* [parameters n] */
    int n_rows;
    double step;                       /* s, of runs that follow their events */
    double *refined[NT_CHECK_REFINED]; /* [n] see nt_check_differences */
    double *finer;                     /* [parameters][n] likewise */
    bool has_finer;
    unsigned long sequence, first_sequence; /* of the events of a run */
    bool has_sequence;
    bool elsewhere; /* the last run had another one */
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
static nt_status check_look(check *c, nt_integrator *integrator, const nt_objectives *objectives,
                            double *y, nt_error *error)
{
    nt_state state = nt_integrator_state(integrator);
    nt_status status = nt_integrator_balance(integrator, &state, &state, error);
    if (status == NT_OK)
        status = nt_integrator_reactions(integrator, &state, c->length, c->reactions, error);
    for (int i = 0; i < c->n_quantities && status == NT_OK; i++)
        status = nt_run_sample(c->plan->run, &c->groups[i].quantity, &state, c->reactions,
                               y + c->groups[i].first, error);
    for (int i = c->n_quantities; i < c->n_groups; i++)
        y[c->groups[i].first] = nt_objectives_value(objectives, i - c->n_quantities);
    return status;
}

static nt_status check_look_along(check *c, nt_integrator *integrator, nt_sensitivity *s,
                                  const nt_objectives *objectives, int k, nt_error *error)
{
    nt_state state = nt_integrator_state(integrator);
    nt_state_tangent d = nt_sensitivity_state(s, k);
    nt_status status = nt_integrator_balance(integrator, &state, &state, error);
    if (status == NT_OK)
        status = nt_sensitivity_balance(s, k, &state, &d, error);
    double *y = c->exact + (size_t)k * (size_t)c->n;
    const nt_state_rate rate = nt_state_rate_along(&d, c->sens->parameters[k]);
    if (status == NT_OK)
        status = nt_sensitivity_reactions(s, k, &state, &d, c->length, c->rates, error);
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

/* What a unit measures in the whole model: 0 where that is not known. */
static double size_of_unit(const check *c, const char *unit)
{
    const nt_system *system = nt_run_system(c->plan->run);
    double rate = 1 / (c->plan->end - c->plan->start), force = 0;
    for (int i = 0; i < system->nh + system->nn; i++)
        force = fmax(force, fabs(c->reactions[i]));
    const struct {
        const char *unit;
        double size;
    } sizes[] = {{"m", c->length},
                 {"m/s", c->length * rate},
                 {"m/s2", c->length * rate * rate},
                 {"rad", 1},
                 {"rad/s", rate},
                 {"rad/s2", rate * rate},
                 {"N", force},
                 {"N m", force * c->length},
                 {"1", 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(unit, sizes[i].unit) == 0)
            return sizes[i].size;
    return 0;
}

/* The largest value of a unit. */
static double check_largest_of(const check *c, const char *unit)
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
 * where nothing turns, a rate of 1e-20 rad/s is rounding of the m/s and not a quantity. */
static void find_floors(check *c)
{
    char name[TEXT], unit[TEXT];
    for (int i = 0; i < c->n_groups; i++) {
        group *g = &c->groups[i];
        column_name(c, g, 0, name, unit);
        double largest = check_largest_of(c, unit);
        for (size_t j = 0; j < sizeof companions / sizeof companions[0]; j++) {
            if (strcmp(unit, companions[j].longer) == 0)
                largest = fmax(largest, c->length * check_largest_of(c, companions[j].shorter));
            if (strcmp(unit, companions[j].shorter) == 0)
                largest = fmax(largest, check_largest_of(c, companions[j].longer) / c->length);
        }
        g->largest = largest;
        bool of_forces = needs_reactions(c, g) || strstr(unit, "/s2") != NULL;
        g->floor =
            fmax((of_forces ? REACTION : ROUNDING) * largest, NOTHING * size_of_unit(c, unit));
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

/* One array of n numbers after the other. */
static double *check_take(double **from, size_t n)
{
    *from += n;
    return *from - n;
}

static bool sens_check_take_memory(check *c)
{
    const nt_system *system = nt_run_system(c->plan->run);
    size_t n = (size_t)c->n, rows = (size_t)(system->nh + system->nn);
    size_t all = n * (size_t)c->sens->n, n_parameters = (size_t)system->n_parameters;
    size_t total = (6 + NT_CHECK_REFINED + 3 * STEPS) * n + 3 * all + 2 * n_parameters + 2 * rows;
    double *from = c->value = calloc(total + 1, sizeof *from);
    c->rows = calloc(all + 1, sizeof *c->rows);
    if (!from || !c->rows)
        return false;
    check_take(&from, n); /* of value, the first */
    for (int i = 0; i < NT_CHECK_REFINED; i++)
        c->refined[i] = check_take(&from, n);
    c->step = c->plan->step;
    c->exact = check_take(&from, all), c->shown = check_take(&from, all);
    c->finer = check_take(&from, all);
    c->p = check_take(&from, n_parameters), c->moved = check_take(&from, n_parameters);
    c->reactions = check_take(&from, rows), c->rates = check_take(&from, rows);
    for (int i = 0; i < 5; i++)
        c->run[i] = check_take(&from, n);
    for (int i = 0; i < STEPS; i++) {
        c->found.two[i] = check_take(&from, n), c->found.four[i] = check_take(&from, n);
        c->found.wiggle[i] = check_take(&from, n);
    }
    return true;
}

static void check_give_back(check *c)
{
    nt_objectives_destroy(c->objectives);
    nt_integrator_destroy(c->integrator);
    free(c->options);
    free(c->groups);
    free(c->value); /* and all arrays behind it */
    free(c->rows);
}

/* Options of the runs that are compared: their iterations go on until rounding stops them. */
static const nt_option thorough[] = {{"extra_iterations", "2"}, {"newton_tolerance", ""}};
enum { THOROUGH = sizeof thorough / sizeof thorough[0] };

/* `newton_tolerance` is a part of the tolerance of steps: so small that what is left does not
 * matter, unless this is below RESOLVED of the values, some hundred roundings. An iteration that is
 * asked for less than it can resolve fails, and the steps get ever smaller. */
static const double OF_TOLERANCE = 1e-9, RESOLVED = 1e-13;

/* Left out: `steps`, where the steps are told; and `reuse_tangent`, since what an iteration with an
 * old tangent leaves is within the tolerance, but changes with the parameter. */
static bool is_left_out(const check *c, const nt_option *option)
{
    bool replaced = false;
    for (int i = 0; i < THOROUGH; i++)
        replaced |= strcmp(option->name, thorough[i].name) == 0;
    return replaced || strcmp(option->name, "reuse_tangent") == 0 ||
           (c->plan->variable && strcmp(option->name, "steps") == 0);
}

/* For a method that chooses its steps whatever it is told, other ones where a parameter has
 * changed, and where steps end at places that follow the parameters: so small a part of the
 * tolerance that they hardly matter, but not so small that rounding decides of the steps: a stiff
 * beam takes 1000 of bdf to .1 s at 1e-11, 3400 at 1e-12. */
static const double TIGHTER = 1e-6, TIGHTEST = 1e-11;

/* Also finds the Newton tolerance beside it. */
static void tighten(check *c, nt_integrator_setup *setup)
{
    double option = 0, loosest = 0;
    int n;
    const nt_option_key *keys = nt_method_options(setup->method, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(keys[i].name, "tolerance") == 0)
            option = keys[i].fallback;
    for (int i = 0; i < setup->n_options; i++)
        if (strcmp(setup->options[i].name, "tolerance") == 0)
            option = strtod(setup->options[i].value, NULL);
    for (int i = 0; i < 4; i++)
        loosest = fmax(loosest, c->plan->setup.tolerance[i]);
    for (int i = 0; i < 4; i++)
        if (loosest == 0 || c->plan->setup.tolerance[i] > 0)
            setup->tolerance[i] =
                fmax(TIGHTEST, TIGHTER * (loosest > 0 ? c->plan->setup.tolerance[i] : option));
    double tightest = 1;
    for (int i = 0; i < 4; i++)
        if (setup->tolerance[i] > 0)
            tightest = fmin(tightest, setup->tolerance[i]);
    snprintf(c->newton_tolerance, sizeof c->newton_tolerance, "%.3g",
             fmin(1, fmax(OF_TOLERANCE, RESOLVED / tightest)));
}

/* An integrator that takes the steps it is told: without tolerance, where the method can do so. */
static nt_status make_integrator(check *c, nt_error *error)
{
    nt_integrator_setup setup = c->plan->setup;
    nt_option *options = c->options = calloc((size_t)setup.n_options + THOROUGH, sizeof *options);
    if (!options)
        return NT_NO_MEMORY;
    int n = 0;
    for (int i = 0; i < setup.n_options; i++)
        if (!is_left_out(c, &setup.options[i]))
            options[n++] = setup.options[i];
    snprintf(c->newton_tolerance, sizeof c->newton_tolerance, "%g", OF_TOLERANCE);
    for (int i = 0; i < THOROUGH; i++) {
        nt_option own = thorough[i];
        own.value = own.value[0] ? own.value : c->newton_tolerance;
        if (nt_method_check_option(setup.method, &own, NULL) == NT_OK)
            options[n++] = own;
    }
    setup.options = options;
    setup.n_options = n;
    bool follows = nt_integrator_ends_at_onsets(c->plan->integrator) != 0;
    if (follows)
        tighten(c, &setup);
    else
        memset(setup.tolerance, 0, sizeof setup.tolerance);
    nt_status status = nt_integrator_create(&c->integrator, &setup, error);
    if (status == NT_OK && !follows && nt_integrator_is_variable(c->integrator)) {
        nt_integrator_destroy(c->integrator);
        tighten(c, &setup);
        status = nt_integrator_create(&c->integrator, &setup, error);
    }
    return status;
}

/* Keeps the end of a step of the tight run. */
static int check_keep_end(void *context, const nt_integrator *integrator)
{
    check *c = context;
    return nt_cli_keep_end(c->sens, nt_integrator_state(integrator).t, &c->broke) != NT_OK ||
           nt_objectives_advance(c->objectives, &c->broke) != NT_OK || nt_cli_stop_asked();
}

/* A run with its derivatives and objectives begins. */
static nt_status begin_along(check *c, nt_sensitivity *s, nt_error *error)
{
    nt_status status = nt_integrator_start(c->integrator, c->plan->start, NULL, NULL, NULL, error);
    if (status == NT_OK)
        status = nt_sensitivity_start(s, error);
    if (status == NT_OK)
        status = nt_objectives_create(&c->objectives, c->plan->run, c->integrator, s, error);
    return status == NT_OK ? nt_objectives_advance(c->objectives, error) : status;
}

/* Derivatives by the tight tolerance: they are compared with runs by the same one, and those of the
 * run that is judged are shown beside them. */
static nt_status differentiate_tightly(check *c, nt_error *error)
{
    nt_sensitivity *s = NULL;
    /* an event that ends the run may come a little later in this one */
    bool ends = nt_integrator_ended_by(c->plan->integrator) >= 0;
    double end = ends ? c->plan->end : nt_integrator_state(c->plan->integrator).t;
    nt_status status =
        nt_sensitivity_create(&s, c->integrator, c->sens->parameters, c->sens->n, error);
    c->sens->n_ends = 0; /* those of the tight run take the place of the others */
    if (status == NT_OK)
        status = begin_along(c, s, error);
    if (status == NT_OK)
        status = nt_integrator_run(c->integrator, end, c->plan->step, check_keep_end, c, error);
    if (status == NT_OK && nt_integrator_ended_by(c->integrator) >= 0)
        status = nt_objectives_advance(c->objectives, error);
    if (c->broke.status != NT_OK)
        *error = c->broke, status = c->broke.status;
    if (status == NT_OK)
        status = check_look(c, c->integrator, c->objectives, c->value, error);
    for (int k = 0; k < c->sens->n && status == NT_OK; k++)
        status = check_look_along(c, c->integrator, s, c->objectives, k, error);
    nt_objectives_destroy(c->objectives);
    nt_sensitivity_destroy(s);
    c->objectives = NULL;
    return status;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static int check_stopped(void *context, const nt_integrator *integrator)
{
    (void)context;
    (void)integrator;
    return nt_cli_stop_asked();
}

/* Which events happen, in their order. */
static void check_event(void *context, const nt_occurrence *o)
{
    check *c = context;
    c->sequence = 31 * c->sequence + (unsigned long)o->number + 1;
}

static int check_advance(void *context, const nt_integrator *integrator)
{
    check *c = context;
    return check_stopped(c, integrator) || nt_objectives_advance(c->objectives, &c->broke) != NT_OK;
}

/* Events lay the steps out: those of a run that is compared follow its own events. */
static nt_status check_integrate_events(check *c, nt_error *error)
{
    nt_status status =
        nt_integrator_run(c->integrator, c->plan->end, c->step, check_advance, c, error);
    if (status == NT_OK && nt_integrator_ended_by(c->integrator) >= 0)
        status = nt_objectives_advance(c->objectives, error);
    if (c->broke.status != NT_OK)
        *error = c->broke, status = c->broke.status;
    return status;
}

static void watch_sequence(check *c)
{
    c->sequence = 0;
    nt_integrator_observe_events(c->integrator, check_event, c);
}

/* Runs are compared where the same happens in them, in one order. */
static nt_status check_sequence(check *c, nt_error *error)
{
    if (!c->has_sequence)
        c->has_sequence = true, c->first_sequence = c->sequence;
    c->elsewhere = c->sequence != c->first_sequence;
    if (!c->elsewhere)
        return NT_OK;
    *error =
        (nt_error){.status = NT_UNSUPPORTED, .message = "other events happen, or in another order"};
    return NT_UNSUPPORTED;
}

static nt_status check_integrate(check *c, nt_error *error)
{
    nt_status status = nt_integrator_start(c->integrator, c->plan->start, NULL, NULL, NULL, error);
    if (status == NT_OK)
        status = nt_objectives_advance(c->objectives, error);
    if (status == NT_OK && nt_run_system(c->plan->run)->events && !c->plan->variable)
        return check_integrate_events(c, error);
    double last = c->plan->step;
    /* events end steps besides */
    nt_observer observer = nt_run_system(c->plan->run)->events ? check_advance : check_stopped;
    for (long i = 0; i < c->sens->n_ends && status == NT_OK; i++) {
        double end = c->sens->ends[i], t = nt_integrator_state(c->integrator).t;
        if (nt_integrator_ended_by(c->integrator) >= 0)
            break;
        last = end - t;
        status = nt_integrator_run(c->integrator, end, last, observer, c, error);
        if (status == NT_OK)
            status = nt_objectives_advance(c->objectives, error);
        if (c->broke.status != NT_OK)
            *error = c->broke, status = c->broke.status;
    }
    if (status == NT_OK && nt_integrator_ended_by(c->plan->integrator) >= 0 &&
        nt_integrator_ended_by(c->integrator) < 0) { /* its end comes later */
        c->step = last;
        status = check_integrate_events(c, error);
        c->step = c->plan->step;
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
    watch_sequence(c);
    if (status != NT_OK) {
        *error = (nt_error){.status = status};
        snprintf(error->message, sizeof error->message, "%s", nt_status_text(status));
    } else
        status = check_integrate(c, error);
    if (status == NT_OK)
        status = check_sequence(c, error);
    return status == NT_OK ? check_look(c, c->integrator, c->objectives, y, error) : status;
}

static double natural_size(const check *c, int k) { return c->p[k] != 0 ? fabs(c->p[k]) : 1; }

/* Differences at a step, where all runs succeed. */
static nt_status check_difference(check *c, int k, int step, nt_error *error)
{
    static const int distance[4] = {1, -1, 2, -2};
    double d = nt_check_steps[step] * natural_size(c, k), *const *y = c->run;
    nt_check_differences *found = &c->found;
    nt_status status = NT_OK;
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = whole_run(c, k, distance[i] * d, y[i], error);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < c->n; i++) {
        double near = y[0][i] - y[1][i], far = y[2][i] - y[3][i];
        found->two[step][i] = near / (2 * d);
        found->four[step][i] = (8 * near - far) / (12 * d);
        found->wiggle[step][i] =
            (y[2][i] + y[3][i] - 4 * (y[0][i] + y[1][i]) + 6 * y[4][i]) / sqrt(70);
    }
    return NT_OK;
}

/* Parts of the step that shorter ones have, none of them a multiple of another: equal steps of a
 * half, a quarter and an eighth may all have an end just where a longer one has it, behind an
 * event, and then differ as little as that. */
static const double parts[NT_CHECK_REFINED] = {0.5, 0.309, 0.118};

/* Differences by runs of a shorter step, number `which`, where steps follow events. */
static nt_status refine_steps(check *c, int k, int which, nt_error *error)
{
    double d = nt_check_steps[1] * natural_size(c, k), *const *y = c->run;
    c->step = parts[which] * c->plan->step;
    nt_status status = whole_run(c, k, d, y[0], error);
    if (status == NT_OK)
        status = whole_run(c, k, -d, y[1], error);
    c->step = c->plan->step;
    for (int i = 0; i < c->n && status == NT_OK; i++)
        c->refined[which][i] = (y[0][i] - y[1][i]) / (2 * d);
    c->found.refined[which] = status == NT_OK ? c->refined[which] : NULL;
    return status;
}

static nt_status run_along_finer(check *c, nt_sensitivity *s, nt_error *error)
{
    watch_sequence(c);
    nt_status status = begin_along(c, s, error);
    if (status == NT_OK)
        status = check_integrate_events(c, error);
    if (status == NT_OK)
        status = check_sequence(c, error);
    if (status == NT_OK)
        status = check_look(c, c->integrator, c->objectives, c->run[0], error);
    for (int k = 0; k < c->sens->n && status == NT_OK; k++)
        status = check_look_along(c, c->integrator, s, c->objectives, k, error);
    return status;
}

/* Derivatives in steps of half the size, where steps follow events: once, for all parameters. */
static nt_status differentiate_finer(check *c, nt_error *error)
{
    const nt_system *system = nt_run_system(c->plan->run);
    nt_sensitivity *s = NULL;
    nt_objectives *of_runs = c->objectives;
    double *exact = c->exact;
    c->objectives = NULL;
    c->exact = c->finer;
    c->step = c->plan->step / 2;
    nt_status status = system->set_parameters(system->self, c->p);
    if (status == NT_OK)
        status = nt_sensitivity_create(&s, c->integrator, c->sens->parameters, c->sens->n, error);
    if (status == NT_OK)
        status = run_along_finer(c, s, error);
    c->has_finer = status == NT_OK;
    nt_objectives_destroy(c->objectives);
    nt_sensitivity_destroy(s);
    c->objectives = of_runs;
    c->exact = exact;
    c->step = c->plan->step;
    return status;
}

/* The run that is judged, repeated: how far each group is beside it. */
static nt_status repeat(check *c, nt_error *error)
{
    nt_status status = whole_run(c, c->sens->parameters[0], 0, c->run[4], error);
    for (int i = 0; i < c->n_groups && status == NT_OK; i++) {
        group *g = &c->groups[i];
        g->beside = 0;
        for (int j = g->first; j < g->first + g->columns; j++)
            g->beside = fmax(g->beside, fabs(c->run[4][j] - c->value[j]));
    }
    return status;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static void check_add_rows(check *c, const group *g, int parameter, const nt_check_verdict *v)
{
    char name[TEXT], unit[TEXT];
    for (int i = 0; i < g->columns; i++) {
        nt_check_row *row = &c->rows[c->n_rows++];
        double a = c->shown[(size_t)parameter * (size_t)c->n + (size_t)(g->first + i)];
        double b = v->step < 0 ? 0 : c->found.four[v->step][g->first + i], off = fabs(a - b);
        column_name(c, g, i, name, unit);
        snprintf(row->label, sizeof row->label, "d(%s)/d(%s)", name,
                 nt_cli_sens_name(c->plan, c->sens, parameter));
        row->kind = nt_check_of_row(v, c->found.exact[g->first + i], b);
        row->derivative = a;
        row->difference = b;
        row->doubt = v->doubt / v->size;
        row->digits = off > 0 && v->size > 0 ? fmax(0, fmin(16, -log10(off / v->size))) : 16;
    }
}

/* Whether more runs could change anything. */
static bool is_settled(const check *c)
{
    for (int i = 0; i < c->n_groups; i++) {
        nt_check_verdict v = nt_check_judge(&c->groups[i], &c->found);
        if (!nt_check_is_settled(&v))
            return false;
    }
    return true;
}

/* Whether a derivative is called wrong so far. */
static bool check_doubts(const check *c)
{
    bool doubts = false;
    for (int i = 0; i < c->n_groups; i++)
        doubts |= nt_check_judge(&c->groups[i], &c->found).kind == NT_CHECK_WRONG;
    return doubts;
}

/* Shorter steps, until they explain what differs or there are none left. NT_NO_MEMORY. */
static nt_status refine_verdict(check *c, int parameter, nt_error *error)
{
    int k = c->sens->parameters[parameter];
    nt_status status = refine_steps(c, k, 0, error);
    if (status == NT_OK && check_doubts(c) && !c->has_finer)
        status = differentiate_finer(c, error);
    c->found.finer = c->has_finer ? c->finer + (size_t)parameter * (size_t)c->n : NULL;
    for (int i = 1; i < NT_CHECK_REFINED && status != NT_NO_MEMORY && check_doubts(c); i++)
        status = refine_steps(c, k, i, error);
    return status;
}

static int check_parameter(check *c, int parameter)
{
    int k = c->sens->parameters[parameter], worked = 0;
    nt_error error = {0};
    c->found.exact = c->exact + (size_t)parameter * (size_t)c->n;
    c->found.size = natural_size(c, k);
    memset(c->found.refined, 0, sizeof c->found.refined);
    c->found.finer = NULL;
    memset(c->found.done, 0, sizeof c->found.done);
    bool elsewhere = true;
    for (int i = 0; i < STEPS; i++) {
        c->elsewhere = false;
        nt_status status = check_difference(c, k, i, &error);
        if (status == NT_NO_MEMORY) /* which is no verdict on a run */
            return nt_cli_no_memory();
        elsewhere = elsewhere && c->elsewhere;
        c->found.done[i] = status == NT_OK;
        worked += c->found.done[i];
        if (worked > 1 && is_settled(c))
            break;
    }
    if (worked == 0 && elsewhere) {
        const nt_check_verdict v = {.kind = NT_CHECK_ELSEWHERE, .step = -1, .size = 1};
        for (int i = 0; i < c->n_groups; i++)
            check_add_rows(c, &c->groups[i], parameter, &v);
        return NT_EXIT_DONE;
    }
    if (worked == 0) {
        nt_cli_say("no run with a changed %s succeeds",
                   nt_cli_sens_name(c->plan, c->sens, parameter));
        return nt_cli_fail(c->plan->path, &error);
    }
    if (nt_run_system(c->plan->run)->events && !c->plan->variable &&
        refine_verdict(c, parameter, &error) == NT_NO_MEMORY)
        return nt_cli_no_memory();
    for (int i = 0; i < c->n_groups; i++) {
        nt_check_verdict v = nt_check_judge(&c->groups[i], &c->found);
        check_add_rows(c, &c->groups[i], parameter, &v);
    }
    return NT_EXIT_DONE;
}

static int check_all(check *c)
{
    nt_error error = {0}, jump = {0};
    c->found.own_steps = nt_integrator_is_variable(c->integrator) != 0;
    c->found.has_jumps = nt_model_jump(c->plan->model, 0, &jump) != 0;
    if (repeat(c, &error) != NT_OK)
        return nt_cli_fail(c->plan->path, &error);
    int status = NT_EXIT_DONE;
    for (int i = 0; i < c->sens->n && status == NT_EXIT_DONE; i++)
        status = check_parameter(c, i);
    if (status != NT_EXIT_DONE)
        return status;
    nt_check_show(c->rows, c->n_rows, c->to);
    for (int i = 0; i < c->n_rows; i++)
        if (c->rows[i].kind == NT_CHECK_WRONG)
            return NT_EXIT_FAILED;
    return NT_EXIT_DONE;
}

int nt_cli_sens_check(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                      const nt_cli_options *options)
{
    const nt_system *system = nt_run_system(plan->run);
    bool taken = false; /* standard output, by the result */
    for (int i = 0; i < options->n_outputs; i++)
        taken |= strcmp(options->outputs[i], "-") == 0;
    check c = {.plan = plan,
               .sens = sens,
               .length = nt_run_length(plan->run),
               .to = taken ? stderr : stdout};
    nt_error error = {0};
    int exit_status = NT_EXIT_DONE;
    nt_status status = find_groups(&c, &error);
    if (status == NT_OK && !sens_check_take_memory(&c))
        status = NT_NO_MEMORY;
    if (status == NT_OK)
        status = check_look(&c, plan->integrator, objectives, c.value, &error);
    for (int k = 0; k < sens->n && status == NT_OK; k++)
        status = check_look_along(&c, plan->integrator, sens->sensitivity, objectives, k, &error);
    if (status == NT_OK) {
        memcpy(c.shown, c.exact, (size_t)c.n * (size_t)sens->n * sizeof *c.shown);
        status = make_integrator(&c, &error);
    }
    if (status == NT_OK && nt_integrator_is_variable(c.integrator))
        status = differentiate_tightly(&c, &error);
    if (status == NT_OK)
        status = nt_objectives_create(&c.objectives, plan->run, c.integrator, NULL, &error);
    if (status != NT_OK) {
        exit_status = status == NT_NO_MEMORY ? nt_cli_no_memory() : nt_cli_fail(plan->path, &error);
        goto done;
    }
    system->get_parameters(system->self, c.p);
    find_floors(&c);
    exit_status = check_all(&c);
    system->set_parameters(system->self, c.p);
    if (exit_status == NT_EXIT_DONE && !taken)
        exit_status = nt_cli_finish_output();
done:
    check_give_back(&c);
    return exit_status;
}
