/* nutate check: a model in numbers, without a run. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_show_counts(const nt_cli_plan *plan, nt_model_counts n)
{
    const char *title = nt_model_title(plan->model);
    printf("%s%s%s\n", plan->path, title && *title ? ": " : "", title ? title : "");
    printf("bodies %d", n.bodies);
    if (n.points > 0)
        printf(" (%d of them points)", n.points);
    printf(", joints %d", n.joints);
    if (n.inactive > 0)
        printf(" (%d of them inactive)", n.inactive);
    printf(", forces %d, contacts %d, markers %d, parameters %d", n.forces, n.contacts, n.markers,
           n.parameters);
    if (n.states > 0)
        printf(", states %d", n.states);
    printf("\nvelocities %d, constraint equations %d", n.velocities - n.states,
           n.holonomic + n.nonholonomic);
    if (n.nonholonomic > 0)
        printf(" (%d of them nonholonomic)", n.nonholonomic);
    printf("\nredundant equations %d\n", n.redundant);
    for (int i = 0; i < n.redundant; i++) {
        char text[256];
        nt_model_redundant_text(plan->model, i, text, sizeof text);
        printf("  %s\n", text);
    }
    printf("degrees of freedom %d\n",
           n.velocities - n.states - n.holonomic - n.nonholonomic + n.redundant);
}

static void show_simulation(const nt_cli_plan *plan)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    printf("method %s, %s frame", nt_method_name(plan->method), nt_cli_frame(plan->frame));
    for (int i = 0; i < plan->n_options; i++)
        printf(", %s: %s", plan->options[i].name, plan->options[i].value);
    printf("\nduration ");
    if (plan->end > plan->start)
        printf("%g s", plan->end - plan->start);
    else
        printf("not given");
    if (plan->step > 0)
        printf(", step %g s\n", plan->step);
    else
        printf(", step not given\n");
    printf("recorded quantities %d,", simulation->n_record);
    if (simulation->every > 0)
        printf(" every %g s%s\n", simulation->every,
               plan->end > plan->start && simulation->every > plan->end - plan->start
                   ? " (longer than the duration: the start and the end alone)"
                   : "");
    else
        printf(" at every step\n");
}

/* What is allowed but seldom meant. */
static void show_remarks(const nt_cli_plan *plan)
{
    nt_error remark = {0};
    char text[sizeof remark.file + sizeof remark.message + 64];
    for (int i = 0; nt_model_remark(plan->model, i, &remark); i++) {
        nt_error_text(&remark, text, (int)sizeof text);
        printf("remark: %s\n", text);
    }
}

/* Numbers in a row. */
static int row_columns(const nt_cli_plan *plan)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_quantity_info quantity;
    int columns = 1;
    for (int i = 0; i < simulation->n_record; i++)
        if (nt_model_quantity(plan->model, simulation->record[i], &quantity, NULL) == NT_OK)
            columns += quantity.columns;
    return columns;
}

/* Numbers that NetCDF holds in each row besides: poses of all bodies, energies, drifts and counts
 * of steps. (Those of loads, balls and sections come to it.) */
static int row_poses(const nt_cli_plan *plan)
{
    const nt_space *space = &nt_run_system(plan->run)->space;
    int numbers = 10;
    for (int i = 0; i < space->n_blocks; i++)
        numbers += space->blocks[i].nv >= 3 ? 7 : 0;
    return nt_model_simulation(plan->model)->poses ? numbers : 0;
}

static int late(void *context, const nt_integrator *integrator)
{
    const double *deadline = context;
    (void)integrator;
    return nt_cli_clock() > *deadline;
}

/* Formulas up to a high order are unstable where something oscillates fast without damping, which
 * keeps their steps short: says so where as many steps of the second order reach much further. */
typedef struct few_steps {
    long steps;
    double deadline;
} few_steps;

static int done(void *context, const nt_integrator *integrator)
{
    const few_steps *few = context;
    return nt_integrator_statistics(integrator)->steps >= few->steps ||
           nt_cli_clock() > few->deadline;
}

static void try_low_order(nt_cli_plan *plan)
{
    enum { ENOUGH = 4000 };                    /* steps, after which the order is high */
    static const double LONGEST = 2, MUCH = 2; /* s; a factor */
    nt_integrator *integrator = plan->integrator;
    few_steps few = {.steps = ENOUGH, .deadline = nt_cli_clock() + LONGEST};
    nt_error unwanted = {0};
    nt_status status = nt_integrator_run(integrator, plan->end, plan->step, done, &few, &unwanted);
    double reached = nt_integrator_state(integrator).t - plan->start;
    if (status != NT_INTERRUPTED || !(reached > 0))
        return;
    few = (few_steps){.steps = nt_integrator_statistics(integrator)->steps,
                      .deadline = nt_cli_clock() + 2 * LONGEST};
    nt_integrator_setup setup = plan->setup;
    nt_option *options = calloc((size_t)plan->n_options + 1, sizeof *options);
    if (!options)
        return;
    for (int i = 0; i < plan->n_options; i++)
        options[i] = plan->options[i];
    options[plan->n_options] = (nt_option){"max_order", "2"};
    setup.options = options;
    setup.n_options = plan->n_options + 1;
    plan->integrator = NULL;
    status = nt_integrator_create(&plan->integrator, &setup, &unwanted);
    if (status == NT_OK && nt_cli_plan_start(plan) == NT_EXIT_DONE) {
        status = nt_integrator_run(plan->integrator, plan->end, plan->step, done, &few, &unwanted);
        double low = nt_integrator_state(plan->integrator).t - plan->start;
        if ((status == NT_OK || status == NT_INTERRUPTED) && low > MUCH * reached)
            printf("remark: as many steps reach %.1f times as far with simulation.options: "
                   "{max_order: 2}: higher orders are unstable where something oscillates fast "
                   "without damping\n",
                   low / reached);
    }
    nt_integrator_destroy(plan->integrator);
    plan->integrator = integrator;
    free(options);
}

/* What a run would take, from its first steps: a tenth of a second of them. Of variable steps,
 * which differ, that is a guess. */
static void show_estimate(nt_cli_plan *plan)
{
    static const double LONGEST = 0.1, CSV = 20, NETCDF = 8; /* s; bytes of a number */
    static const double LONG = 1;                            /* s, of what is worth a trial */
    const double duration = plan->end - plan->start;
    if (!(duration > 0) || !(plan->step > 0))
        return;
    double begun = nt_cli_clock(), deadline = begun + LONGEST;
    nt_error unwanted = {0};
    nt_status status =
        nt_integrator_run(plan->integrator, plan->end, plan->step, late, &deadline, &unwanted);
    double now = nt_cli_clock(), t = nt_integrator_state(plan->integrator).t;
    if ((status != NT_OK && status != NT_INTERRUPTED) || !(t > plan->start))
        return;
    double rows = nt_cli_plan_rows(plan), numbers = rows * row_columns(plan);
    double netcdf = numbers + rows * row_poses(plan);
    double seconds = (now - begun) * duration / (t - plan->start);
    printf("estimate: %.2g s of computing%s, %.0f rows, CSV %.2g MB, NetCDF %.2g MB\n", seconds,
           plan->variable ? " by the first steps, which vary" : "", rows, numbers * CSV * 1e-6,
           netcdf * NETCDF * 1e-6);
    if (seconds > LONG && nt_cli_orders_are_open(plan))
        try_low_order(plan);
}

int nt_cli_check(const nt_cli_options *options)
{
    nt_cli_plan plan;
    int status = nt_cli_plan_make(&plan, options, false);
    if (status == NT_EXIT_DONE)
        status = nt_cli_plan_start(&plan);
    if (status == NT_EXIT_DONE) {
        check_show_counts(&plan, nt_model_count(plan.model));
        show_simulation(&plan);
        if (!options->quiet)
            show_estimate(&plan);
        show_remarks(&plan);
        status = nt_cli_finish_output();
    }
    nt_cli_plan_free(&plan);
    return status;
}
