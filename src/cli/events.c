/* The table of events beside a result: run.events.csv of run.csv, run.events.nc of run.nc. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const nt_result_column columns[] = {
    {"time", "s", "when it happened"},
    {"event", "1", "which event"},
    {"energy_before", "J", "kinetic and potential energy just before"},
    {"energy_after", "J", "kinetic and potential energy just behind"},
    {"energy_lost", "J", "energy that the event took"}};

/* Sliding modes are counted, and the time in which at least one holds. */
static void count_sliding(nt_cli_events *events, int i, double t)
{
    bool ends = i % 2;
    if (events->sliding > 0)
        events->held += t - events->since;
    events->since = t;
    if (ends && events->sliding > 0) /* it may have begun before this run was resumed */
        events->sliding--;
    events->sliding += !ends;
    events->slides += !ends;
    events->last = i;
}

/* Writes an event's row; the first failure stands until the next step's end. */
static void write_event(void *context, const nt_occurrence *o)
{
    nt_cli_events *events = context;
    int i = o->number - nt_model_event_count(events->model);
    if (i >= 0 && i < nt_model_sliding_count(events->model))
        count_sliding(events, i, o->t);
    const double row[] = {o->t, o->number, o->energy[0], o->energy[1], o->energy[0] - o->energy[1]};
    if (events->writer && events->status == NT_OK)
        events->status = nt_result_write(events->writer, row, &events->error);
}

nt_status nt_cli_events_keep_up(nt_cli_events *events, nt_error *error)
{
    if (events->writer && events->status == NT_OK)
        events->status = nt_result_keep_up(events->writer, &events->error);
    if (events->status != NT_OK)
        *error = events->error;
    return events->status;
}

void nt_cli_events_summary(const nt_cli_events *events, double t)
{
    int first = nt_model_event_count(events->model);
    if (events->slides == 0)
        return;
    fprintf(stderr, "  sliding mode  %ld times, for %.9g s in all; the last: %s\n", events->slides,
            events->held + (events->sliding > 0 ? t - events->since : 0),
            nt_model_event_name(events->model, first + events->last));
}

/* Files of the result that a table can stand beside. */
static int take_files(nt_cli_events *events, const nt_cli_places *places)
{
    events->files = calloc((size_t)places->n + 1, sizeof *events->files);
    for (int i = 0; i < places->n && events->files; i++)
        if (strcmp(places->files[i].path, "-") != 0)
            events->files[events->n_files++] = places->files[i];
    return events->files ? NT_EXIT_DONE : nt_cli_no_memory();
}

/* Names of events, of sliding modes as they begin and end, and of limits, in names[n]. */
static bool take_names(const nt_model *model, char **names, int n)
{
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        names[i] = strdup(nt_model_event_name(model, i));
        good = names[i] != NULL;
    }
    return good;
}

static nt_status create_table(nt_cli_events *events, const nt_cli_plan *plan, int n,
                              const nt_cli_state *state, nt_error *error)
{
    char **names = calloc((size_t)n, sizeof *names);
    if (!names || !take_names(plan->model, names, n)) {
        *error = (nt_error){.status = NT_NO_MEMORY, .message = "out of memory"};
        n = names ? n : 0;
    }
    const nt_result_words words = {.column = 1, .words = (const char *const *)names, .n = n};
    nt_result_attribute attributes[NT_CLI_PROVENANCE + 1];
    int described = nt_cli_provenance(plan->model, plan->path, NULL, attributes);
    attributes[described++] = (nt_result_attribute){"table", "events", strlen("events")};
    const nt_result_setup setup = {.files = events->files,
                                   .n_files = events->n_files,
                                   .table = "events",
                                   .columns = columns,
                                   .n_columns = sizeof columns / sizeof *columns,
                                   .attributes = attributes,
                                   .n_attributes = described,
                                   .saved = state ? state->events.bytes : NULL,
                                   .saved_size = state ? state->events.size : 0,
                                   .words = &words,
                                   .n_words = 1};
    nt_status status = error->status;
    if (status == NT_OK)
        status = nt_result_create(&events->writer, &setup, error);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return status;
}

int nt_cli_events_open(nt_cli_events *events, const nt_cli_plan *plan, const nt_cli_places *places,
                       const nt_cli_state *state)
{
    int n = nt_model_event_count(plan->model) + nt_model_sliding_count(plan->model) +
            nt_model_limit_count(plan->model);
    nt_error error = {0};
    *events = (nt_cli_events){.model = plan->model};
    if (n == 0)
        return NT_EXIT_DONE;
    nt_integrator_observe_events(plan->integrator, write_event, events);
    int status = take_files(events, places);
    if (status != NT_EXIT_DONE || events->n_files == 0)
        return status;
    if (state && state->events.size == 0) {
        nt_cli_say("%s: the state is of a run without a table of events: expected --restart",
                   state->path);
        return NT_EXIT_USAGE;
    }
    return create_table(events, plan, n, state, &error) == NT_OK ? NT_EXIT_DONE
                                                                 : nt_cli_fail(plan->path, &error);
}

nt_status nt_cli_events_finish(nt_cli_events *events, nt_error *error)
{
    nt_error closing = {0};
    nt_status closed = nt_result_finish(events->writer, &closing);
    events->writer = NULL;
    if (events->status == NT_OK && closed != NT_OK)
        events->status = closed, events->error = closing;
    if (events->status != NT_OK)
        *error = events->error;
    return events->status;
}

void nt_cli_events_close(nt_cli_events *events, const nt_cli_places *places)
{
    nt_error ignored = {0};
    nt_cli_events_finish(events, &ignored);
    char *beside =
        events->n_files > 0 && places->data ? nt_result_beside(places->data, "events") : NULL;
    if (beside)
        remove(beside); /* a page has taken it in */
    free(beside);
    free(events->files);
    *events = (nt_cli_events){0};
}
