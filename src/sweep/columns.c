/* The model of a plan: which of its numbers vary, and what a row of the table holds. */
#include "base/error.h"
#include "base/memstream.h"
#include "base/suggest.h"
#include "model/model.h"
#include "model/quantities/quantity_kind.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 256, TRIES = 8 };

static nt_status columns_no_memory(nt_error *error)
{
    return nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* An error of the model gets the plan's place, and says which value it was. */
static nt_status at_plan(const nt_sweep *s, const nt_node *node, const char *what, nt_error *error)
{
    char words[sizeof error->message];
    nt_status status = error->status;
    snprintf(words, sizeof words, "%.200s: %.500s", what, error->message);
    if (node)
        nt_node_fail(error, node, "%s", words);
    else
        nt_fail_at(error, NT_BAD_MODEL, s->list_path, 1, 1, "%s", words);
    error->status = status == NT_IO ? NT_IO : NT_BAD_MODEL;
    return error->status;
}

/* ---- what varies ---------------------------------------------------------------------------- */

static int find_parameter(const nt_model *model, const char *name)
{
    for (int i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameters[i].name, name) == 0)
            return i;
    return -1;
}

static nt_status unknown_parameter(const nt_sweep *s, const nt_axis *axis, nt_error *error)
{
    nt_suggestion search;
    char words[2 * TEXT];
    nt_suggest_start(&search, axis->name, (int)strlen(axis->name));
    for (int i = 0; i < s->model->n_parameters; i++)
        nt_suggest_offer(&search, s->model->parameters[i].name);
    nt_suggest_offer(&search, "method");
    nt_suggest_offer(&search, "step");
    snprintf(words, sizeof words, "the model has no parameter '%.100s'%s%.100s%s", axis->name,
             search.best ? "; did you mean '" : "", search.best ? search.best : "",
             search.best ? "'?" : ", and a path of the model file has dots, as bodies.top.mass");
    if (axis->node)
        return nt_node_fail(error, axis->node, "%s", words);
    return nt_fail_at(error, NT_BAD_MODEL, s->list_path, 1, 1, "%s", words);
}

static nt_status check_methods(const nt_sweep *s, const nt_axis *axis, nt_error *error)
{
    for (int i = 0; i < axis->n; i++)
        if (!axis->text[i] || !nt_method_find(axis->text[i])) {
            nt_fail(error, NT_BAD_MODEL, "there is no method '%s'",
                    axis->text[i] ? axis->text[i] : "of a number");
            return at_plan(s, axis->node, "method", error);
        }
    return NT_OK;
}

nt_status nt_sweep_read_with(const nt_sweep *s, const nt_setting *settings, int n, nt_model **model,
                             nt_error *error)
{
    nt_setting *all = calloc((size_t)(s->n_settings + n) + 1, sizeof *all);
    if (!all)
        return columns_no_memory(error);
    for (int i = 0; i < s->n_settings + n; i++)
        all[i] = i < s->n_settings ? s->settings[i] : settings[i - s->n_settings];
    nt_status status = nt_model_read(model, s->model_path, all, s->n_settings + n, error);
    free(all);
    return status;
}

/* In sections of names a setting may make a new object: what varies must be there. */
static nt_status check_object(const nt_sweep *s, const char *key, const nt_node *place,
                              nt_error *error)
{
    static const char *const fixed[] = {"simulation", "output", "initial", "static", "steady"};
    const char *dot = strchr(key, '.');
    char word[TEXT];
    nt_document *document;
    size_t length;
    for (size_t i = 0; dot && i < sizeof fixed / sizeof *fixed; i++)
        if (strlen(fixed[i]) == (size_t)(dot - key) &&
            strncmp(fixed[i], key, strlen(fixed[i])) == 0)
            return NT_OK;
    bool whole = dot && !strchr(dot + 1, '.') && strncmp(key, "parameters.", 11) != 0;
    if (!dot || dot - key >= TEXT || whole) /* a whole object may be new */
        return NT_OK;
    const char *text = nt_model_text(s->model, &length);
    nt_status status = nt_document_parse(text, length, s->model_path, NULL, &document, error);
    if (status != NT_OK)
        return status;
    snprintf(word, sizeof word, "%.*s", (int)(dot - key), key);
    const nt_node *section = nt_node_find(nt_document_root(document), word);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(dot + 1, "."), dot + 1);
    if (!section || (section->kind == NT_NODE_MAPPING && !nt_node_find(section, word))) {
        nt_suggestion search;
        nt_suggest_start(&search, word, (int)strlen(word));
        for (int i = 0; section && i < section->count; i++)
            nt_suggest_offer(&search, section->keys[i]->text);
        nt_fail(error, NT_BAD_MODEL, "the model has no %.*s.%s%s%s%s", (int)(dot - key), key, word,
                search.best ? "; did you mean '" : "", search.best ? search.best : "",
                search.best ? "'?" : "");
        status = at_plan(s, place, key, error);
    }
    nt_document_destroy(document);
    return status;
}

/* Reads the model with a value of the axis: that the path exists shows in one that can be read. A
 * value alone may be wrong: that is then a row that fails. */
static nt_status check_path(const nt_sweep *s, const nt_axis *axis, nt_error *error)
{
    int n = axis->kind == NT_AXIS_LIST ? axis->n : 1, step = n / TRIES + 1;
    nt_error first = {0};
    nt_status status = check_object(s, axis->key, axis->node, error);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < n; i += step) {
        char buffer[32];
        nt_model *model = NULL;
        nt_axis_value value = {axis->kind == NT_AXIS_LIST ? i : -1,
                               axis->kind == NT_AXIS_LIST ? axis->number[i] : axis->mean};
        const nt_setting setting = {axis->key, nt_design_text(axis, &value, buffer)};
        status = nt_sweep_read_with(s, &setting, 1, &model, error);
        nt_model_destroy(model);
        if (status == NT_OK || status == NT_NO_MEMORY)
            return status;
        if (i == 0)
            first = *error;
    }
    if (!strchr(axis->key, '.') && strcmp(axis->key, "gravity") != 0 &&
        find_parameter(s->model, axis->key) < 0)
        return unknown_parameter(s, axis, error);
    *error = first;
    return at_plan(s, axis->node, axis->name, error);
}

static nt_status resolve_axis(nt_sweep *s, nt_axis *axis, nt_error *error)
{
    static const char prefix[] = "parameters.";
    bool long_name = strncmp(axis->name, prefix, sizeof prefix - 1) == 0;
    int k = find_parameter(s->model, axis->name + (long_name ? sizeof prefix - 1 : 0));
    if (k >= 0) {
        /* what follows from others, or is found, depends on how it was set: read anew */
        bool plain = !s->model->parameters[k].expression && !s->model->settling;
        axis->key = axis->name;
        axis->method = false;
        axis->parameter = plain && axis->numbers ? k : -1;
    }
    if (axis->method)
        return check_methods(s, axis, error);
    return axis->parameter >= 0 ? NT_OK : check_path(s, axis, error);
}

static nt_status check_cases(const nt_sweep *s, nt_error *error)
{
    const nt_node *cases = nt_node_find(nt_document_root(s->document), "cases");
    for (int i = 0; i < s->n_cases; i++) {
        nt_model *model = NULL;
        nt_status status = NT_OK;
        for (int j = 0; j < s->cases[i].n && status == NT_OK; j++)
            status = check_object(s, s->cases[i].settings[j].key, cases->keys[i], error);
        if (status != NT_OK)
            return status;
        status = nt_sweep_read_with(s, s->cases[i].settings, s->cases[i].n, &model, error);
        nt_model_destroy(model);
        if (status != NT_OK)
            return at_plan(s, cases->keys[i], s->cases[i].name, error);
        for (int j = 0; j < s->cases[i].n; j++)
            for (int k = 0; k < s->n_axes; k++)
                if (strcmp(s->cases[i].settings[j].key, s->axes[k].name) == 0)
                    return nt_node_fail(error, cases->keys[i],
                                        "case '%s' sets %s, which varies already", s->cases[i].name,
                                        s->axes[k].name);
    }
    return NT_OK;
}

/* The model with the settings that every row has. */
static nt_status read_again(nt_sweep *s, nt_error *error)
{
    const nt_node *set = nt_node_find(nt_document_root(s->document), "set");
    nt_model_destroy(s->model);
    s->model = NULL;
    nt_status status = nt_model_read(&s->model, s->model_path, s->settings, s->n_settings, error);
    bool said = status == NT_OK || status == NT_NO_MEMORY || !set;
    return said ? status : at_plan(s, set, "set", error);
}

/* ---- what is recorded ----------------------------------------------------------------------- */

/* Without `keep`: the last value of what the model records, and its objectives. */
static nt_status keep_default(nt_sweep *s, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(s->model);
    nt_names_list *last = &s->keep[NT_KEEP_FINAL];
    if (s->keep_node)
        return NT_OK;
    int n = nt_model_objective_count(s->model);
    last->name = NT_TAKE(&s->arena, simulation->n_record, const char *);
    s->objectives.name = NT_TAKE(&s->arena, n, const char *);
    if (!last->name || !s->objectives.name)
        return columns_no_memory(error);
    for (; last->n < simulation->n_record; last->n++) {
        const char *name = simulation->record[last->n];
        last->name[last->n] = nt_arena_text(&s->arena, name, strlen(name));
        if (!last->name[last->n])
            return columns_no_memory(error);
    }
    for (; s->objectives.n < n; s->objectives.n++) {
        const char *name = nt_model_objective(s->model, s->objectives.n).name;
        s->objectives.name[s->objectives.n] = nt_arena_text(&s->arena, name, strlen(name));
        if (!s->objectives.name[s->objectives.n])
            return columns_no_memory(error);
    }
    if (last->n + n == 0)
        return nt_fail_at(error, NT_BAD_MODEL, s->path, 1, 1,
                          "nothing is kept: expected keep, or a model with output.record");
    return NT_OK;
}

/* Where the plan names it. */
static const nt_node *kept_place(const nt_sweep *s, const char *key, const char *name)
{
    const nt_node *list = nt_node_find(s->keep_node, key);
    for (int i = 0; list && list->kind == NT_NODE_LIST && i < list->count; i++)
        if (nt_node_is(list->values[i], name))
            return list->values[i];
    return list;
}

static nt_status find_objectives(nt_sweep *s, nt_error *error)
{
    int n = nt_model_objective_count(s->model);
    s->n_objectives = s->objectives.n;
    s->objective = NT_TAKE(&s->arena, s->n_objectives, int);
    if (!s->objective)
        return columns_no_memory(error);
    for (int i = 0; i < s->n_objectives; i++) {
        int k = 0;
        while (k < n && strcmp(nt_model_objective(s->model, k).name, s->objectives.name[i]) != 0)
            k++;
        if (k == n) {
            nt_fail(error, NT_BAD_MODEL, "the model has no objective '%s'", s->objectives.name[i]);
            return at_plan(s, kept_place(s, "objectives", s->objectives.name[i]), "objectives",
                           error);
        }
        s->objective[i] = k;
    }
    return NT_OK;
}

/* A number that is recorded, once: "top.position.x". */
typedef struct recorded {
    char name[TEXT], unit[TEXT], meaning[TEXT];
} recorded;

typedef struct recorded_list {
    recorded *all; /* [n] */
    int n;
} recorded_list;

/* The number of a quantity in a row of the record; it is added where it is new. */
static int find_recorded(recorded_list *list, const recorded *wanted)
{
    int k = 0;
    while (k < list->n && strcmp(list->all[k].name, wanted->name) != 0)
        k++;
    if (k == list->n)
        list->all[list->n++] = *wanted;
    return 1 + k; /* behind the time */
}

/* The model is read again, to record what is kept. */
static nt_status record_them(nt_sweep *s, const recorded_list *list, nt_error *error)
{
    const recorded *all = list->all;
    int n = list->n;
    if (n == 0)
        return NT_OK;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return columns_no_memory(error);
    for (int i = 0; i < n; i++)
        fprintf(to, "%s\"%s\"", i > 0 ? ", " : "[", all[i].name);
    fputs("]", to);
    const char *value = nt_memstream_end(to, &text) ? nt_arena_text(&s->arena, text, size) : NULL;
    free(text);
    if (!value)
        return columns_no_memory(error);
    s->settings[s->n_settings++] = (nt_setting){"output.record", value};
    return read_again(s, error);
}

/* ---- columns of the table ------------------------------------------------------------------- */

static bool sweep_put_column(nt_sweep *s, nt_result_column *at, const char *name, const char *unit,
                             const char *meaning)
{
    at->name = nt_arena_text(&s->arena, name, strlen(name));
    at->unit = nt_arena_text(&s->arena, unit, strlen(unit));
    at->meaning = nt_arena_text(&s->arena, meaning, strlen(meaning));
    return at->name && at->unit && at->meaning;
}

static bool put_kept(nt_sweep *s, nt_keep_kind kind, const recorded *r, int column)
{
    static const char *const words[] = {"last value", "least value", "largest value",
                                        "mean of the rows", "root mean square of the rows"};
    char full[2 * TEXT], long_name[2 * TEXT];
    s->kept[s->n_kept++] = (nt_kept){kind, column};
    if (kind == NT_KEEP_SERIES)
        return sweep_put_column(s, &s->series[s->series_columns++], r->name, r->unit, r->meaning);
    snprintf(full, sizeof full, "%s.%s", r->name, nt_keep_names[kind]);
    snprintf(long_name, sizeof long_name, "%s, %s", r->meaning, words[kind]);
    if (!sweep_put_column(s, &s->columns[s->n_columns++], full, r->unit, long_name))
        return false;
    if (kind != NT_KEEP_MINIMUM && kind != NT_KEEP_MAXIMUM)
        return true;
    snprintf(full, sizeof full, "%s.%s.time", r->name, nt_keep_names[kind]);
    snprintf(long_name, sizeof long_name, "%s, time of the %s", r->meaning, words[kind]);
    return sweep_put_column(s, &s->columns[s->n_columns++], full, "s", long_name);
}

/* Everything that is kept of a record of the plan. */
static nt_status put_record(nt_sweep *s, nt_keep_kind kind, const char *name, recorded_list *list,
                            nt_error *error)
{
    nt_quantity_info quantity;
    if (nt_model_quantity(s->model, name, &quantity, error) != NT_OK)
        return at_plan(s, kept_place(s, nt_keep_names[kind], name), nt_keep_names[kind], error);
    for (int j = 0; j < quantity.columns; j++) {
        recorded r;
        nt_model_quantity_column(s->model, &quantity, j, r.name, r.unit, r.meaning, TEXT);
        if (!put_kept(s, kind, &r, find_recorded(list, &r)))
            return columns_no_memory(error);
    }
    return NT_OK;
}

static nt_status put_columns(nt_sweep *s, recorded_list *list, nt_error *error)
{
    int most = 0, series = 1 + NT_QUANTITY_COLUMNS * s->keep[NT_KEEP_SERIES].n;
    for (int kind = 0; kind < NT_KEEP_KINDS; kind++)
        most += NT_QUANTITY_COLUMNS * s->keep[kind].n;
    s->kept = NT_TAKE(&s->arena, most, nt_kept);
    s->columns = NT_TAKE(&s->arena, 2 * most + s->n_objectives, nt_result_column);
    s->series = NT_TAKE(&s->arena, series, nt_result_column);
    list->all = calloc((size_t)most + 1, sizeof *list->all);
    if (!s->kept || !s->columns || !s->series || !list->all)
        return columns_no_memory(error);
    if (s->keep[NT_KEEP_SERIES].n > 0 &&
        !sweep_put_column(s, &s->series[s->series_columns++], "time", "s", "time"))
        return columns_no_memory(error);
    nt_status status = NT_OK;
    for (int kind = 0; kind < NT_KEEP_KINDS; kind++)
        for (int i = 0; i < s->keep[kind].n && status == NT_OK; i++)
            status = put_record(s, (nt_keep_kind)kind, s->keep[kind].name[i], list, error);
    s->record_columns = 1 + list->n;
    for (int i = 0; i < s->n_objectives && status == NT_OK; i++)
        if (!sweep_put_column(s, &s->columns[s->n_columns++], s->objectives.name[i], "1",
                              "objective of the model"))
            status = columns_no_memory(error);
    return status;
}

/* Most rows that a series has: rows of `output`, thinned, the last one always. */
static nt_status count_series(nt_sweep *s, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(s->model);
    if (s->series_columns == 0)
        return NT_OK;
    const nt_node *node = nt_node_find(s->keep_node, "series");
    if (!(simulation->every > 0) || !(simulation->duration > 0))
        return nt_node_fail(error, node,
                            "series: the model needs output.every and simulation.duration");
    for (int i = 0; i < s->n_axes; i++)
        if (strcmp(s->axes[i].key, "simulation.duration") == 0 ||
            strcmp(s->axes[i].key, "simulation.start") == 0 ||
            strcmp(s->axes[i].key, "output.every") == 0)
            return nt_node_fail(error, node, "series: its times must not vary, and %s does",
                                s->axes[i].name);
    double steps = simulation->duration / simulation->every;
    if (steps > 1e7)
        return nt_node_fail(error, node, "series: %.3g rows for each run", steps);
    long last = (long)floor(steps + 1e-6);
    last += steps - (double)last > 1e-6; /* the end is a row of its own */
    s->series_rows = last / s->thin + 1 + (last % s->thin != 0);
    return NT_OK;
}

nt_status nt_sweep_find_columns(nt_sweep *s, nt_error *error)
{
    recorded_list list = {0};
    nt_status status = nt_model_read(&s->model, s->model_path, NULL, 0, error);
    if (status == NT_OK && s->n_settings > 0)
        status = read_again(s, error);
    for (int i = 0; i < s->n_axes && status == NT_OK; i++)
        status = resolve_axis(s, &s->axes[i], error);
    if (status == NT_OK)
        status = check_cases(s, error);
    if (status == NT_OK)
        status = keep_default(s, error);
    if (status == NT_OK)
        status = find_objectives(s, error);
    if (status == NT_OK)
        status = put_columns(s, &list, error);
    if (status == NT_OK && s->n_columns + s->series_columns == 0)
        status = nt_node_fail(error, s->keep_node, "nothing is kept: expected names");
    if (status == NT_OK)
        status = record_them(s, &list, error);
    free(list.all);
    if (status == NT_OK)
        status = count_series(s, error);
    return status == NT_OK ? nt_sweep_digest(s, error) : status;
}
