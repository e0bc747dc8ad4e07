/* nutate run: integrate a model and write the result; what sens does besides is in sens.c. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- provenance ----------------------------------------------------------------------------- */

/* NAME=VALUE lines for NetCDF: how this result was made, without paths of this machine. To be
 * freed; NULL when memory is out. */
static char *provenance(const nt_cli_plan *plan, const nt_cli_options *options, bool sens)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const char *method = nt_method_name(plan->method);
    fprintf(to, "model_file=%s\nmethod=%s\nframe=%s\nstep=%.17g s\nend=%.17g s\nlength=%.17g m\n",
            nt_cli_base_name(plan->path), method, nt_cli_frame(plan->frame), plan->step, plan->end,
            nt_run_length(plan->run));
    fprintf(to, "work=%s\n",
            plan->tracks_work                 ? "followed"
            : nt_model_has_power(plan->model) ? "not followed"
                                              : "none");
    for (int i = 0; i < plan->n_options; i++)
        fprintf(to, "%s%s: %s%s", i > 0 ? ", " : "method_options=", plan->options[i].name,
                plan->options[i].value, i + 1 < plan->n_options ? "" : "\n");
    fprintf(to, "history=nutate %s %s", sens ? "sens" : "run", nt_cli_base_name(plan->path));
    for (int i = 0; i < options->n_parameters; i++)
        fprintf(to, " --param %s", options->parameters[i]);
    if (options->method)
        fprintf(to, " --method %s", options->method);
    if (options->step > 0)
        fprintf(to, " --step %.17g", options->step);
    if (options->duration > 0)
        fprintf(to, " --duration %.17g", options->duration);
    nt_cli_put_settings(to, options);
    if (options->restart)
        fprintf(to, " --restart %s", nt_cli_base_name(options->restart));
    return nt_cli_finish_text(to, &text);
}

/* A hash of a table's file as it is now; 0 where it cannot be read. */
static uint64_t sum_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint64_t sum = 0;
    char piece[4096];
    if (!file)
        return 0;
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        sum = 31 * sum + nt_cli_sum(piece, got);
    fclose(file);
    return sum;
}

/* All that a run which goes on must have in common with the one that was stopped: provenance, and
 * what is computed from. To be freed; NULL when memory is out. */
static char *identity(const nt_cli_plan *plan, const char *provenance)
{
    size_t length;
    const char *model = nt_model_text(plan->model, &length), *table;
    uint64_t tables = 0;
    for (int i = 0; (table = nt_model_table_file(plan->model, i)) != NULL; i++)
        tables = 31 * tables + sum_of_file(table);
    char lines[200];
    snprintf(lines, sizeof lines,
             "the text of the model=%016llx\nthe tables of the model=%016llx\nduration=%.17g s\n",
             (unsigned long long)nt_cli_sum(model, length), (unsigned long long)tables,
             plan->end - plan->start);
    return nt_cli_join(provenance, lines);
}

/* ---- the run -------------------------------------------------------------------------------- */

typedef struct run {
    nt_cli_plan plan;
    nt_cli_places places;
    nt_cli_state state; /* to go on from; no bytes: none */
    nt_cli_sens *sens;  /* NULL: no derivatives          */
    nt_record *record;  /* NULL: nothing is written      */
    nt_objectives *objectives;
    nt_status record_status;
    nt_error record_error;
    nt_cli_progress progress;
    nt_cli_begun begun;
    char *provenance;
    char *identity;    /* of the run, for --resume                            */
    bool resumed;      /* it goes on from the state of a run that was stopped */
    nt_cli_mark mark;  /* beside the state                                    */
    double save_every; /* s of the clock; 0: not during the run               */
    double saved;      /* s, clock, of the last save                          */
    nt_cli_bytes kept; /* a state that was whole, of which little was made since          */
    double keep_after; /* s, clock, before which no other is kept in its place            */
    bool stands;       /* the run was stopped where its present state is whole            */
    int save_status;   /* of the last state                                   */
    nt_cli_events events;
    char said[1024]; /* why it failed, for its page; "" */
} run;

nt_status nt_cli_keep_end(nt_cli_sens *sens, double t, nt_error *error)
{
    if (sens->n_ends == sens->room) {
        long room = sens->room > 0 ? 2 * sens->room : 1024;
        double *more = realloc(sens->ends, (size_t)room * sizeof *more);
        if (!more) {
            *error = (nt_error){.status = NT_NO_MEMORY, .message = "out of memory"};
            return NT_NO_MEMORY;
        }
        sens->ends = more;
        sens->room = room;
    }
    sens->ends[sens->n_ends++] = t;
    return NT_OK;
}

/* A state can be gone on from, to the bit, where it is whole. */
static bool can_save(const run *r)
{
    return r->places.state && nt_integrator_saves_whole(r->plan.integrator);
}

static nt_status make_state(const run *r, nt_cli_bytes *state, bool to_disk, nt_error *error)
{
    const nt_cli_parts parts = {.sens = r->sens,
                                .record = r->record,
                                .events = r->events.writer,
                                .objectives = r->objectives,
                                .begun = r->begun,
                                .text = r->identity,
                                .to_disk = to_disk};
    return nt_cli_state_make(state, &r->plan, &parts, error);
}

/* The present state into its file, or the one that was kept, which rows may be ahead of. to_disk:
 * wait until rows and state are there. */
static int save(run *r, bool kept, bool to_disk)
{
    nt_cli_bytes now = {0};
    r->saved = nt_cli_clock();
    nt_error error = {0};
    if (make_state(r, &now, to_disk, &error) != NT_OK)
        return nt_cli_fail(r->plan.path, &error);
    int status = nt_cli_state_write(kept ? &r->kept : &now, r->places.state, to_disk);
    if (status == NT_EXIT_DONE)
        nt_cli_mark_saved(&r->mark);
    free(now.bytes);
    return status;
}

/* A run that is stopped within a step, or where its state is not whole, goes on from the last state
 * that was kept; rows behind it are cut then. It is so old at most (s), so many times what keeping
 * it takes, or that at the begin of the step. Of a method that keeps history, whose states are
 * seldom whole, each is kept (`rare`), but behind what happens, which may be often. */
static const double KEPT_FOR = 0.02, KEPT_BESIDE = 50;

static nt_status keep_state(run *r, bool rare)
{
    if (!can_save(r))
        return NT_OK;
    double begun = nt_cli_clock();
    if (r->kept.bytes && begun < r->keep_after && !rare)
        return NT_OK;
    nt_status status = make_state(r, &r->kept, false, &r->record_error);
    double now = nt_cli_clock();
    r->keep_after = now + fmax(KEPT_FOR, KEPT_BESIDE * (now - begun));
    return status;
}

/* A state that cannot be saved now is told, and tried again the next time: the one before stands.
 */
static void save_now_and_then(run *r)
{
    if (r->save_every > 0 && nt_cli_clock() - r->saved >= r->save_every && can_save(r))
        save(r, false, true);
}

static int observe(void *context, const nt_integrator *integrator)
{
    run *r = context;
    r->record_status = nt_objectives_advance(r->objectives, &r->record_error);
    if (r->record_status == NT_OK && r->sens && r->sens->keeps_ends)
        r->record_status =
            nt_cli_keep_end(r->sens, nt_integrator_state(integrator).t, &r->record_error);
    if (r->record_status == NT_OK && r->record)
        r->record_status = nt_record_advance(r->record, r->plan.integrator, &r->record_error);
    if (r->record_status == NT_OK)
        r->record_status = nt_cli_events_keep_up(&r->events, &r->record_error);
    if (r->record_status == NT_OK)
        r->record_status = keep_state(r, nt_method_keeps_history(r->plan.method));
    if (r->record_status != NT_OK)
        return 1;
    save_now_and_then(r);
    nt_cli_progress_show(&r->progress, integrator);
    r->stands = nt_cli_stop_asked() && can_save(r);
    return nt_cli_stop_asked() && (!r->places.state || r->kept.bytes || r->stands);
}

/* Where something has happened, of a method that keeps history: that begins anew there, and may do
 * so nowhere else. All rows are there up to it. */
static int observe_behind(void *context, const nt_integrator *integrator)
{
    run *r = context;
    (void)integrator;
    r->record_status = nt_cli_events_keep_up(&r->events, &r->record_error);
    if (r->record_status == NT_OK)
        r->record_status = keep_state(r, false);
    if (r->record_status != NT_OK)
        return 1;
    save_now_and_then(r);
    r->stands = nt_cli_stop_asked() && can_save(r);
    return r->stands;
}

static int stops(void *unused)
{
    (void)unused;
    return nt_cli_stop_asked();
}

/* Variable steps; or steps that end at start + k step, wherever the run begins: a run that goes on
 * from a saved state takes the same steps, bit for bit, as one that was never interrupted. */
static nt_status run_integrate(run *r, nt_error *error)
{
    const nt_cli_plan *plan = &r->plan;
    nt_status status = NT_OK;
    double t = nt_integrator_state(plan->integrator).t;
    if (plan->variable || nt_run_system(plan->run)->events) {
        return t < plan->end
                   ? nt_integrator_run(plan->integrator, plan->end, plan->step, observe, r, error)
                   : NT_OK;
    }
    double k = floor((t - plan->start) / plan->step * (1 + 1e-12)) + 1;
    double last = round((plan->end - plan->start) / plan->step);
    if (plan->start + k * plan->step <= t)
        k++;
    for (double target; t < plan->end && status == NT_OK; k++, t = target) {
        target = k < last ? plan->start + k * plan->step : plan->end;
        status = nt_integrator_run(plan->integrator, target, target - t, observe, r, error);
    }
    return status;
}

static void run_look_at_energy(const run *r, double energy[4], bool *known)
{
    nt_quantity_info quantity;
    nt_state state = nt_integrator_state(r->plan.integrator);
    *known = nt_model_quantity(r->plan.model, "energy", &quantity, NULL) == NT_OK &&
             quantity.columns == 4 &&
             nt_run_sample(r->plan.run, &quantity, &state, NULL, energy, NULL) == NT_OK &&
             isfinite(energy[2]);
}

static nt_status run_write_row(run *r)
{
    nt_state state = nt_integrator_state(r->plan.integrator);
    return r->record ? nt_record_write(r->record, r->plan.integrator, &state, &r->record_error)
                     : NT_OK;
}

/* The first row; or, in a run that goes on, those of its last step that are not there yet. */
static nt_status begin_rows(run *r, bool resumed)
{
    if (resumed)
        return r->record ? nt_record_advance(r->record, r->plan.integrator, &r->record_error)
                         : NT_OK;
    nt_status status = run_write_row(r);
    return status == NT_OK ? nt_objectives_advance(r->objectives, &r->record_error) : status;
}

/* The state at the end of the run, before the row that shows it: one that goes on writes it when
 * its own end comes. Unasked, it is saved where the run was interrupted; that does not wait for the
 * disk, which may have gigabytes of rows still to write. */
static int save_at_end(run *r, const nt_cli_options *options, nt_status status)
{
    /* within a step; or within its rows, whose derivatives need more of it than a state holds */
    bool stands = status == NT_INTERRUPTED ? r->stands : can_save(r);
    bool kept = r->kept.bytes && status != NT_OK && !stands;
    bool within = !kept && !stands;
    bool asked = options->save || (status == NT_OK && (r->save_every > 0 || options->resume));
    if (!r->places.state || (!asked && status != NT_INTERRUPTED))
        return NT_EXIT_DONE;
    if (status == NT_INTERRUPTED && within)
        return NT_EXIT_DONE; /* the one before stands */
    int saved = save(r, kept, asked || r->save_every > 0);
    if (saved == NT_EXIT_DONE && status == NT_INTERRUPTED && r->record && !options->quiet)
        nt_cli_say("%s: the state from which the same command goes on with --resume",
                   r->places.state);
    return saved;
}

/* Says why the run failed, and keeps it for its page. */
static int run_fail(run *r, const nt_error *error)
{
    nt_error_text(error, r->said, (int)sizeof r->said);
    return nt_cli_fail(r->plan.path, error);
}

/* What has become of the run, in words; its exit status. */
static int tell(run *r, nt_status status, const nt_error *error, nt_status closed,
                const nt_error *close_error)
{
    if (r->record_status != NT_OK && r->record_status != NT_INTERRUPTED)
        return run_fail(r, &r->record_error);
    if (closed != NT_OK)
        return run_fail(r, close_error);
    if (r->record_status == NT_INTERRUPTED)
        return run_fail(r, &r->record_error);
    if (status == NT_OK)
        return NT_EXIT_DONE;
    run_fail(r, error);
    return status == NT_INTERRUPTED ? NT_EXIT_INTERRUPTED : NT_EXIT_FAILED;
}

/* First row, steps, last row: the last row is the last state that stands, also after a failure. */
static int run_advance(run *r, const nt_cli_options *options, nt_cli_account *account)
{
    nt_error error = {0}, close_error = {0};
    bool known;
    account->steps_before = nt_integrator_statistics(r->plan.integrator)->steps;
    if (!r->resumed) {
        run_look_at_energy(r, r->begun.energy, &known);
        r->begun.has_energy = known;
    }
    memcpy(account->energy[0], r->begun.energy, sizeof r->begun.energy);
    nt_status status = NT_OK;
    double begun = nt_cli_clock();
    r->record_status = begin_rows(r, r->resumed);
    if (r->record_status == NT_OK)
        r->record_status = keep_state(r, true);
    if (r->save_every > 0 && r->record_status == NT_OK && save(r, false, true) != NT_EXIT_DONE)
        return NT_EXIT_IO;
    if (r->record_status == NT_OK)
        status = run_integrate(r, &error);
    nt_cli_signals_finish();
    if (r->record_status == NT_OK && nt_integrator_ended_by(r->plan.integrator) >= 0)
        r->record_status = nt_objectives_advance(r->objectives, &r->record_error);
    if (r->record_status == NT_OK)
        r->record_status = nt_cli_events_keep_up(&r->events, &r->record_error);
    if (r->record_status == NT_OK && status == NT_OK)
        status = nt_integrator_check_energy(r->plan.integrator, &error);
    if (r->record_status == NT_OK || r->record_status == NT_INTERRUPTED)
        r->save_status =
            save_at_end(r, options, r->record_status == NT_OK ? status : NT_INTERRUPTED);
    if (r->record_status == NT_OK)
        r->record_status = run_write_row(r);
    account->seconds = nt_cli_clock() - begun;
    account->rows = r->record ? nt_record_rows(r->record) : 0;
    nt_state state = nt_integrator_state(r->plan.integrator);
    if (r->record_status == NT_OK && status == NT_OK)
        nt_record_warning(r->record, r->plan.integrator, &state, account->rounding,
                          sizeof account->rounding);
    run_look_at_energy(r, account->energy[1], &account->has_energy);
    account->has_energy = account->has_energy && r->begun.has_energy;
    nt_cli_progress_clear(&r->progress);

    nt_status closed = nt_record_close(r->record, &close_error); /* NULL is nothing */
    r->record = NULL;
    if (closed == NT_OK)
        closed = nt_cli_events_finish(&r->events, &close_error);
    nt_cli_signals_in_order(false);
    return tell(r, status, &error, closed, &close_error);
}

/* ---- how it begins -------------------------------------------------------------------------- */

/* At the model's initial values, or where the saved state stands. */
static int run_begin(run *r, const nt_cli_options *options)
{
    const char *path = r->resumed ? r->places.state : options->restart;
    int status = nt_cli_plan_start(&r->plan);
    if (status != NT_EXIT_DONE || !path)
        return status;
    status = nt_cli_state_read(&r->state, &r->plan, path);
    if (status == NT_EXIT_DONE && r->resumed)
        status = nt_cli_state_compare(&r->state, r->identity);
    if (status == NT_EXIT_DONE)
        status = nt_cli_state_restore(&r->state, &r->plan);
    double t = status == NT_EXIT_DONE ? nt_integrator_state(r->plan.integrator).t : 0;
    if (status == NT_EXIT_DONE && !r->resumed && !(t < r->plan.end)) {
        nt_cli_say(
            "%s: the saved state stands at t = %.9g s, the run ends at %.9g s: give a longer "
            "--duration",
            path, t, r->plan.end);
        status = NT_EXIT_USAGE;
    }
    return status;
}

static int open_record(run *r)
{
    const nt_cli_state *state = &r->state;
    nt_error error = {0};
    nt_status status = nt_objectives_create(&r->objectives, r->plan.run, r->plan.integrator,
                                            r->sens ? r->sens->sensitivity : NULL, &error);
    if (status == NT_OK && r->resumed) {
        if (state->account.size == sizeof r->begun)
            memcpy(&r->begun, state->account.bytes, sizeof r->begun);
        status = nt_objectives_restore(r->objectives, state->objectives.bytes,
                                       state->objectives.size, &error);
    }
    if (r->resumed && r->places.n > 0 && state->record.size == 0) {
        nt_cli_say("%s: the state is of a run without a result: expected --restart", state->path);
        return NT_EXIT_USAGE;
    }
    const nt_record_setup setup = {.run = r->plan.run,
                                   .sensitivity = r->sens ? r->sens->sensitivity : NULL,
                                   .files = r->places.files,
                                   .n_files = r->places.n,
                                   .provenance = r->provenance,
                                   .saved = r->resumed ? state->record.bytes : NULL,
                                   .saved_size = r->resumed ? state->record.size : 0,
                                   .stop = stops,
                                   .account = 1};
    nt_cli_signals_in_order(true);
    if (status == NT_OK && r->places.n > 0)
        status = nt_record_create(&r->record, &setup, &error);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(r->plan.path, &error);
}

/* Options that contradict each other, and places that cannot be. */
static int check_options(const run *r, const nt_cli_options *options)
{
    bool keeps = options->save || options->save_every > 0 || options->resume;
    if (r->places.data && keeps) {
        nt_cli_say("%s: a page does not hold the rows to go on from: expected -o FILE.nc besides",
                   options->resume ? "--resume"
                   : options->save ? "--save"
                                   : "--save-every");
        return NT_EXIT_USAGE;
    }
    const char *needs = options->resume           ? "--resume"
                        : options->save_every > 0 ? "--save-every"
                                                  : "";
    bool standard = false;
    for (int i = 0; i < r->places.n; i++)
        standard |= strcmp(r->places.files[i].path, "-") == 0;
    if (*needs && !r->places.state) {
        nt_cli_say("%s: standard output has no state beside it: expected -o FILE or --save FILE",
                   needs);
        return NT_EXIT_USAGE;
    }
    if (options->resume && standard) {
        nt_cli_say("--resume: rows cannot be cut off standard output: expected -o FILE");
        return NT_EXIT_USAGE;
    }
    return NT_EXIT_DONE;
}

static int check_places(run *r, const nt_cli_options *options)
{
    const nt_model *model = r->plan.model;
    bool happens =
        nt_model_event_count(model) + nt_model_sliding_count(model) + nt_model_limit_count(model) >
        0;
    int status = nt_cli_places_check(&r->places, &r->plan, options, happens ? "events" : NULL);
    bool renews = options->restart && !options->save && !options->resume && r->places.state &&
                  nt_cli_would_overwrite(r->places.state, options->restart);
    if (renews && r->save_every > 0 && status == NT_EXIT_DONE) {
        nt_cli_say("--save-every: '%s' is the state to go on from: expected --save FILE",
                   r->places.state);
        return NT_EXIT_USAGE;
    }
    if (renews) { /* nobody asked for it */
        free(r->places.state);
        r->places.state = NULL;
    }
    if (status == NT_EXIT_DONE && options->objectives)
        status = nt_cli_check_place(options->objectives);
    if (status == NT_EXIT_DONE && (options->save || r->save_every > 0 || options->resume))
        status = nt_cli_state_probe(r->places.state);
    if (status == NT_EXIT_DONE && !options->no_limit)
        status = nt_cli_places_check_room(&r->places, &r->plan, r->sens);
    return status;
}

/* A run that was killed before its first state goes on from its beginning. */
static int begin_again(run *r, bool quiet)
{
    const nt_cli_state killed = {.path = r->mark.path,
                                 .text = {r->mark.begun, strlen(r->mark.begun)}};
    int status = nt_cli_state_compare(&killed, r->identity);
    r->resumed = false;
    if (status == NT_EXIT_DONE && !quiet)
        nt_cli_say("%s: the run was stopped before it had a state: it begins at its start",
                   r->places.state);
    return status;
}

/* The place of the state is this run's until it ends. Where nobody has asked for a state it may
 * also be that of another result's run, and there is none then. */
static int hold_state(run *r, const nt_cli_options *options)
{
    bool taken, asked = options->save || r->save_every > 0 || options->resume;
    int status = nt_cli_mark_hold(&r->mark, r->places.state, &taken);
    if (taken && asked) {
        nt_cli_say("%s: another run saves its states there: expected another name, or its end",
                   r->places.state);
        return NT_EXIT_IO;
    }
    if (taken) {
        free(r->places.state);
        r->places.state = NULL;
    }
    return status == NT_EXIT_DONE && options->resume && r->mark.begun
               ? begin_again(r, options->quiet)
               : status;
}

static int run_prepare(run *r, const nt_cli_options *options)
{
    r->save_every = options->save_every;
    r->resumed = options->resume;
    int status = check_options(r, options);
    if (status == NT_EXIT_DONE)
        status = nt_cli_plan_make(&r->plan, options, true);
    if (status == NT_EXIT_DONE)
        status = check_places(r, options);
    if (status == NT_EXIT_DONE) {
        r->provenance = provenance(&r->plan, options, r->sens != NULL);
        r->identity = r->provenance ? identity(&r->plan, r->provenance) : NULL;
        status = r->identity ? NT_EXIT_DONE : nt_cli_no_memory();
    }
    if (status == NT_EXIT_DONE && r->places.state)
        status = hold_state(r, options);
    if (status == NT_EXIT_DONE)
        status = run_begin(r, options);
    if (status == NT_EXIT_DONE && r->sens)
        status = nt_cli_sens_begin(r->sens, &r->plan, options, r->state.bytes ? &r->state : NULL);
    if (status == NT_EXIT_DONE && r->sens && options->objectives)
        status = nt_cli_hold(&r->sens->objectives, options->objectives);
    if (status == NT_EXIT_DONE)
        nt_cli_mark_begin(&r->mark, r->resumed ? NULL : r->identity);
    if (status == NT_EXIT_DONE)
        status = open_record(r);
    if (status == NT_EXIT_DONE)
        status =
            nt_cli_events_open(&r->events, &r->plan, &r->places, r->resumed ? &r->state : NULL);
    if (status == NT_EXIT_DONE && nt_method_keeps_history(r->plan.method))
        nt_integrator_observe_behind(r->plan.integrator, observe_behind, r);
    return status;
}

/* The pages of what there is, also after a failure; its status then stands. */
static int write_pages(const run *r, const nt_cli_options *options, const nt_cli_account *account,
                       int status)
{
    char problem[sizeof r->said + 64] = "";
    const nt_cli_places *places = &r->places;
    const char *data = NULL;
    for (int i = 0; i < places->n && !data; i++)
        data = places->files[i].format == NT_NETCDF ? places->files[i].path : NULL;
    if (places->n_pages == 0)
        return status;
    if (status != NT_EXIT_DONE)
        snprintf(problem, sizeof problem, "%s: %s",
                 status == NT_EXIT_INTERRUPTED ? "The run was interrupted" : "The run failed",
                 r->said);
    problem[strcspn(problem, "\n")] = '\0'; /* an account is made of lines */
    char *text = nt_cli_account_text(&r->plan, account, *problem ? problem : NULL);
    int written = text ? NT_EXIT_DONE : nt_cli_no_memory();
    for (int i = 0; i < places->n_pages && written == NT_EXIT_DONE; i++)
        written =
            nt_cli_page_write(places->pages[i], &data, 1, text, options->frames, options->quiet);
    free(text);
    if (places->data)
        remove(places->data);
    return status == NT_EXIT_DONE ? written : status;
}

int nt_cli_integrate(const nt_cli_options *options, nt_cli_sens *sens, nt_cli_then *then)
{
    run r = {.sens = sens, .mark = {.file = -1}};
    nt_cli_account account = {.places = &r.places, .sens = sens, .events = &r.events};
    int status = nt_cli_places_choose(&r.places, options);
    if (status == NT_EXIT_DONE)
        status = run_prepare(&r, options);
    if (status != NT_EXIT_DONE)
        goto done;

    nt_cli_progress_begin(&r.progress, &r.plan, options->quiet);
    account.objectives = r.objectives;
    status = run_advance(&r, options, &account);
    if (!options->quiet && status != NT_EXIT_IO)
        nt_cli_summary(&r.plan, &account);
    if (status != NT_EXIT_IO)
        status = write_pages(&r, options, &account, status);
    if (status == NT_EXIT_DONE)
        status = r.save_status;
    if (status == NT_EXIT_DONE && then)
        status = then(&r.plan, sens, r.objectives, options);
done:
    nt_cli_events_close(&r.events, &r.places);
    nt_record_close(r.record, NULL);
    nt_objectives_destroy(r.objectives);
    if (sens)
        nt_sensitivity_destroy(sens->sensitivity);
    nt_cli_plan_free(&r.plan);
    nt_cli_state_free(&r.state);
    nt_cli_mark_let_go(&r.mark, status == NT_EXIT_INTERRUPTED);
    nt_cli_places_free(&r.places);
    free(r.provenance);
    free(r.identity);
    free(r.kept.bytes);
    return status;
}

int nt_cli_run(const nt_cli_options *options) { return nt_cli_integrate(options, NULL, NULL); }
