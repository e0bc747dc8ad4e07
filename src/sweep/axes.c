/* What varies in a plan: lists, ranges and distributions, or the columns of a CSV file. */
#include "base/error.h"
#include "base/number.h"
#include "sweep/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 10000000 };

static nt_status axes_no_memory(nt_error *error)
{
    return nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* LOW..HIGH:N; false where the text is no range at all. */
static bool is_range(const nt_node *node)
{
    return node->kind == NT_NODE_SCALAR && node->plain && strstr(node->text, "..") != NULL;
}

static nt_status read_range(nt_sweep *s, nt_axis *axis, const nt_node *node, nt_error *error)
{
    const char *dots = strstr(node->text, ".."), *colon = strrchr(node->text, ':');
    double low, high, n;
    if (!colon || colon < dots || !nt_number_parse(node->text, (int)(dots - node->text), &low) ||
        !nt_number_parse(dots + 2, (int)(colon - dots) - 2, &high) ||
        !nt_number_parse(colon + 1, (int)strlen(colon + 1), &n))
        return nt_node_fail(error, node, "%s: expected LOW..HIGH:N, as in 0.5..1.5:11, got '%s'",
                            axis->name, node->text);
    if (n != floor(n) || n < 1 || n > MOST_VALUES)
        return nt_node_fail(error, node, "%s: expected 1 to %d values, got '%s'", axis->name,
                            MOST_VALUES, colon + 1);
    if (n > 1 && !(low != high))
        return nt_node_fail(error, node, "%s: a range of %g values without length", axis->name, n);
    axis->n = (int)n;
    axis->numbers = true;
    axis->number = NT_TAKE(&s->arena, axis->n, double);
    axis->text = NT_TAKE(&s->arena, axis->n, const char *);
    if (!axis->number || !axis->text)
        return axes_no_memory(error);
    for (int i = 0; i < axis->n; i++) {
        double part = axis->n > 1 ? (double)i / (axis->n - 1) : 0;
        axis->number[i] = i + 1 == axis->n && i > 0 ? high : low + (high - low) * part;
    }
    return NT_OK;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Every value of an axis is there as text; which of them are numbers? */
static void find_numbers(nt_axis *axis)
{
    axis->numbers = true;
    for (int i = 0; i < axis->n; i++)
        axis->numbers &=
            nt_number_parse(axis->text[i], (int)strlen(axis->text[i]), &axis->number[i]);
    for (int i = 0; !axis->numbers && i < axis->n; i++)
        axis->number[i] = i;
}

static bool axis_take(nt_sweep *s, nt_axis *axis, int n)
{
    axis->n = n;
    axis->number = NT_TAKE(&s->arena, n, double);
    axis->text = NT_TAKE(&s->arena, n, const char *);
    return axis->number && axis->text;
}

static nt_status read_values(nt_sweep *s, nt_axis *axis, const nt_node *node, nt_error *error)
{
    bool list = node->kind == NT_NODE_LIST;
    if (list && node->count == 0)
        return nt_node_fail(error, node, "%s: the list is empty, expected values", axis->name);
    if (nt_node_is_empty(node))
        return nt_node_fail(error, node,
                            "%s: expected a list, LOW..HIGH:N, {mean, deviation} or "
                            "{low, high}, got nothing",
                            axis->name);
    if (!axis_take(s, axis, list ? node->count : 1))
        return axes_no_memory(error);
    for (int i = 0; i < axis->n; i++) {
        const nt_node *value = list ? node->values[i] : node;
        if (nt_node_is_empty(value))
            return nt_node_fail(error, value, "%s: a value is missing", axis->name);
        axis->text[i] = nt_plan_node_text(s, value);
        if (!axis->text[i])
            return axes_no_memory(error);
    }
    find_numbers(axis);
    return NT_OK;
}

/* ---- distributions -------------------------------------------------------------------------- */

static nt_status read_number_of(const nt_axis *axis, const nt_node *node, const char *key,
                                double *value, bool *given, nt_error *error)
{
    const nt_node *number = nt_node_find(node, key);
    *given = number != NULL;
    if (number &&
        (number->kind != NT_NODE_SCALAR || !nt_number_parse(number->text, number->length, value)))
        return nt_node_fail(error, number, "%s: %s: expected a number, got %s", axis->name, key,
                            number->kind == NT_NODE_SCALAR ? number->text
                                                           : nt_node_kind_text(number));
    return NT_OK;
}

static nt_status read_distribution(nt_axis *axis, const nt_node *node, nt_error *error)
{
    static const char *const known[] = {"mean", "deviation", "low", "high"};
    double value[4];
    bool given[4];
    nt_status status = NT_OK;
    for (int i = 0; i < node->count; i++) {
        int k = 0;
        while (k < 4 && !nt_node_is(node->keys[i], known[k]))
            k++;
        if (k == 4)
            return nt_plan_unknown_key(node->keys[i], axis->name, known, 4, error);
    }
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = read_number_of(axis, node, known[i], &value[i], &given[i], error);
    if (status != NT_OK)
        return status;
    if ((given[0] || given[1]) == (given[2] || given[3]))
        return nt_node_fail(error, node, "%s: expected {mean, deviation} or {low, high}",
                            axis->name);
    for (int i = 0; i < 4; i++)
        if (given[i] && !given[i ^ 1])
            return nt_node_fail(error, node, "%s: %s without %s", axis->name, known[i],
                                known[i ^ 1]);
    bool normal = given[0];
    axis->kind = normal ? NT_AXIS_NORMAL : NT_AXIS_UNIFORM;
    axis->numbers = true;
    axis->mean = normal ? value[0] : (value[2] + value[3]) / 2;
    axis->spread = normal ? value[1] : (value[3] - value[2]) / 2;
    if (!(axis->spread >= 0))
        return nt_node_fail(error, node,
                            normal ? "%s: the deviation is negative" : "%s: low is above high",
                            axis->name);
    return NT_OK;
}

/* ---- vary ----------------------------------------------------------------------------------- */

/* The short names that mean a key of `simulation`; columns.c takes parameters of that name first.
 */
static void name_axis(nt_axis *axis, const char *name, const nt_node *node)
{
    *axis = (nt_axis){.name = name, .key = name, .node = node, .parameter = -1};
    axis->method = strcmp(name, "method") == 0 || strcmp(name, "simulation.method") == 0;
    if (axis->method)
        axis->key = "simulation.method";
    if (strcmp(name, "step") == 0)
        axis->key = "simulation.step";
}

nt_status nt_plan_read_axes(nt_sweep *s, const nt_node *vary, nt_error *error)
{
    if (vary->kind != NT_NODE_MAPPING || vary->count == 0)
        return nt_node_fail(error, vary, "vary: expected NAME: VALUES, got %s",
                            vary->kind == NT_NODE_MAPPING ? "none" : nt_node_kind_text(vary));
    nt_status status = NT_OK;
    s->n_axes = vary->count;
    s->axes = NT_TAKE(&s->arena, s->n_axes, nt_axis);
    if (!s->axes)
        return axes_no_memory(error);
    for (int i = 0; i < s->n_axes && status == NT_OK; i++) {
        const nt_node *node = vary->values[i];
        nt_axis *axis = &s->axes[i];
        name_axis(axis, vary->keys[i]->text, vary->keys[i]);
        if (node->kind == NT_NODE_MAPPING)
            status = read_distribution(axis, node, error);
        else if (is_range(node))
            status = read_range(s, axis, node, error);
        else
            status = read_values(s, axis, node, error);
    }
    return status;
}

/* ---- a list in CSV -------------------------------------------------------------------------- */

/* The field that begins at *at; *at is then behind its comma, or at the line's end. Text between
 * quotes may hold commas; two quotes are one. NULL: no memory, or a quote without an end. */
static char *read_field(nt_arena *arena, const char **at, const char *end)
{
    const char *from = *at;
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    bool quoted = from < end && *from == '"', closed = !quoted;
    char *text = NT_TAKE(arena, end - from + 1, char);
    size_t used = 0;
    if (!text)
        return NULL;
    for (from += quoted; from < end && (quoted ? !closed : *from != ','); from++) {
        if (quoted && *from == '"') {
            closed = !(from + 1 < end && from[1] == '"');
            from += !closed;
        }
        if (!closed || !quoted)
            text[used++] = *from;
    }
    while (quoted && from < end && *from != ',')
        from++;
    while (!quoted && used > 0 && (text[used - 1] == ' ' || text[used - 1] == '\t'))
        used--;
    text[used] = '\0';
    *at = from;
    return closed ? text : NULL;
}

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

static nt_status list_fail(const nt_sweep *s, int line, const char *from, const char *at,
                           const char *words, nt_error *error)
{
    return nt_fail_at(error, NT_BAD_MODEL, s->list_path, line, (int)(at - from) + 1, "%s", words);
}

static nt_status read_list_head(nt_sweep *s, const char *line, size_t length, nt_error *error)
{
    const char *at = line, *end = line + length;
    int n = 1;
    for (const char *c = line; c < end; c++)
        n += *c == ',';
    s->axes = NT_TAKE(&s->arena, n, nt_axis);
    if (!s->axes)
        return axes_no_memory(error);
    for (s->n_axes = 0; s->n_axes < n; at++) {
        const char *begin = at;
        const char *name = read_field(&s->arena, &at, end);
        if (!name || !*name)
            return list_fail(s, 1, line, begin, "expected a name above each column", error);
        for (int i = 0; i < s->n_axes; i++)
            if (strcmp(s->axes[i].name, name) == 0)
                return list_fail(s, 1, line, begin, "a name that stands above another column",
                                 error);
        name_axis(&s->axes[s->n_axes++], name, NULL);
        if (at >= end)
            break;
    }
    return NT_OK;
}

static nt_status read_list_row(nt_sweep *s, int row, int number, const char *line, size_t length,
                               nt_error *error)
{
    const char *at = line, *end = line + length;
    char words[160];
    for (int k = 0; k < s->n_axes; k++, at++) {
        const char *begin = at;
        if (at > end)
            return list_fail(s, number, line, end, "fewer fields than there are names", error);
        const char *text = read_field(&s->arena, &at, end);
        if (!text || !*text) {
            snprintf(words, sizeof words, "%s: expected a value, got nothing", s->axes[k].name);
            return list_fail(s, number, line, begin, words, error);
        }
        s->axes[k].text[row] = text;
    }
    if (at <= end)
        return list_fail(s, number, line, at - 1, "more fields than there are names", error);
    return NT_OK;
}

nt_status nt_plan_read_list(nt_sweep *s, nt_error *error)
{
    const char *text = s->list_text;
    int lines = 0;
    for (const char *c = text; *c; c += strcspn(c, "\n"), c += *c == '\n')
        lines += line_length(c) > 0;
    if (strlen(text) != s->list_length)
        return list_fail(s, 1, text, text, "holds a byte that is no text", error);
    if (lines < 2)
        return list_fail(s, 1, text, text,
                         "the list is empty: expected a row of names, then rows of values", error);
    nt_status status = read_list_head(s, text, line_length(text), error);
    for (int k = 0; k < s->n_axes && status == NT_OK; k++)
        if (!axis_take(s, &s->axes[k], lines - 1))
            status = axes_no_memory(error);
    int number = 1, row = 0;
    for (const char *line = text + strcspn(text, "\n"); *line && status == NT_OK;
         line += strcspn(line, "\n")) {
        line++;
        number++;
        size_t length = line_length(line);
        if (length > 0)
            status = read_list_row(s, row++, number, line, length, error);
    }
    for (int k = 0; k < s->n_axes && status == NT_OK; k++)
        find_numbers(&s->axes[k]);
    return status;
}
