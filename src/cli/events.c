/* The table of events beside a result: NAME.events.csv. A line for each event as it happens, so
 * that a run that is killed keeps what it had; one that goes on cuts off those behind its state. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] = "time,event,energy_before,energy_after,energy_lost\n";

/* The result's path without its extension and with another; NULL when memory is out. */
static char *events_path(const char *result)
{
    static const char ending[] = ".events.csv";
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - result) : strlen(result);
    char *path = malloc(length + sizeof ending);
    if (path) {
        memcpy(path, result, length);
        memcpy(path + length, ending, sizeof ending);
    }
    return path;
}

/* Leaves the head and so many lines. */
static bool keep_lines(FILE *file, long lines)
{
    int c;
    rewind(file);
    for (long k = 0; k <= lines; k++)
        while ((c = fgetc(file)) != '\n')
            if (c == EOF)
                return false;
    long place = ftell(file);
    return place >= 0 && ftruncate(fileno(file), place) == 0 && fseek(file, place, SEEK_SET) == 0;
}

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

static void write_event(void *context, const nt_occurrence *o)
{
    nt_cli_events *events = context;
    int i = o->number - nt_model_event_count(events->model);
    if (i >= 0)
        count_sliding(events, i, o->t);
    if (!events->file)
        return;
    fprintf(events->file, "%.17g,%s%s,%.17g,%.17g,%.17g\n", o->t,
            i < 0        ? ""
            : i % 2 == 0 ? "sliding begins: "
                         : "sliding ends: ",
            nt_model_event_name(events->model, o->number), o->energy[0], o->energy[1],
            o->energy[0] - o->energy[1]);
    fflush(events->file);
}

void nt_cli_events_summary(const nt_cli_events *events, double t)
{
    int first = nt_model_event_count(events->model);
    if (events->slides == 0)
        return;
    fprintf(stderr, "  sliding mode  %ld times, for %.9g s: %s\n", events->slides,
            events->held + (events->sliding > 0 ? t - events->since : 0),
            nt_model_event_name(events->model, first + events->last));
}

int nt_cli_events_open(nt_cli_events *events, const nt_cli_plan *plan, const nt_cli_places *places,
                       bool resumed)
{
    const char *result = NULL;
    for (int i = 0; i < places->n && !result; i++)
        if (strcmp(places->files[i].path, "-") != 0)
            result = places->files[i].path;
    *events = (nt_cli_events){.model = plan->model};
    int sliding = nt_model_sliding_count(plan->model);
    if (sliding > 0)
        nt_integrator_observe_events(plan->integrator, write_event, events);
    if (nt_model_event_count(plan->model) + sliding == 0 || !result)
        return NT_EXIT_DONE;
    events->path = events_path(result);
    if (!events->path)
        return nt_cli_no_memory();
    long before = nt_integrator_statistics(plan->integrator)->events;
    events->file = resumed ? fopen(events->path, "r+") : NULL;
    if (events->file && !keep_lines(events->file, before)) {
        fclose(events->file);
        events->file = NULL;
    }
    if (resumed && !events->file && before > 0) {
        nt_cli_say("%s: the events before the state are not there", events->path);
        return NT_EXIT_IO;
    }
    if (!events->file) {
        events->file = fopen(events->path, "w");
        if (events->file)
            fputs(head, events->file);
    }
    if (!events->file) {
        nt_cli_say("%s: %s", events->path, strerror(errno));
        return NT_EXIT_IO;
    }
    events->passing = result == places->data;
    nt_integrator_observe_events(plan->integrator, write_event, events);
    return NT_EXIT_DONE;
}

int nt_cli_events_close(nt_cli_events *events)
{
    bool good = !events->file || !ferror(events->file);
    good = (!events->file || fclose(events->file) == 0) && good;
    if (!good)
        nt_cli_say("%s: the events could not be written", events->path);
    if (events->file && events->passing)
        remove(events->path);
    free(events->path);
    *events = (nt_cli_events){0};
    return good ? NT_EXIT_DONE : NT_EXIT_IO;
}
