/* Parameters, in whatever order the file gives them. */
#include "input/reader.h"

#include "base/error.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* ---- names of parameters ------------------------------------------------------------------------
 */

static bool is_function(const nt_node *name)
{
    const nt_function_help *help;
    for (int i = 0; (help = nt_expression_function(i)) != NULL; i++)
        if (nt_node_is(name, help->name))
            return true;
    return false;
}

nt_status nt_read_check_word(nt_reader *reader, const char *word, const nt_node *name)
{
    char shown[NT_WORDS];
    nt_read_words(name, shown, sizeof shown);
    const char *fault = nt_name_fault(name->text, name->length, false);
    double number;
    if (fault && nt_number_parse(name->text, name->length, &number))
        return nt_node_fail(reader->error, name,
                            "%s name %s %s (a comma separates %s, numbers have a decimal point)",
                            word, shown, fault,
                            strcmp(word, "quantity") == 0 ? "quantities" : "parameters");
    if (fault)
        return nt_node_fail(reader->error, name, "%s name %s %s", word, shown, fault);
    if (nt_node_is(name, "t"))
        return nt_node_fail(reader->error, name,
                            "a %s cannot be named 't': that is the time in expressions", word);
    if (is_function(name) || nt_expression_reserved(name->text, name->length))
        return nt_node_fail(reader->error, name,
                            "a %s cannot be named %s: it means something else in expressions", word,
                            shown);
    return nt_read_note_name(reader, name, word);
}

static nt_status parameters_declare(nt_reader *reader, const nt_node *section)
{
    if (!nt_names_init(&reader->parameters, section->count, &reader->scratch))
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count; i++) {
        nt_status status = nt_read_check_word(reader, "parameter", section->keys[i]);
        if (status != NT_OK)
            return status;
        const char *text = nt_read_copy(reader, section->keys[i]);
        if (!text)
            return nt_read_no_memory(reader);
        nt_names_add(&reader->parameters,
                     (nt_name){.text = text,
                               .kind = NT_NAME_PARAMETER,
                               .index = i,
                               .place = nt_read_place(reader, section->keys[i])});
    }
    return NT_OK;
}

/* ---- order --------------------------------------------------------------------------------------
 */

/* A depth-first walk over what each parameter depends on; its own stack, because a long chain of
 * parameters must not become a deep recursion. */
typedef struct walk {
    const nt_expression **expression; /* [n] of the file's order */
    int *next;                        /* [n] dependencies followed so far, -1 before the visit */
    bool *done;                       /* [n] */
    int *stack, depth;                /* [n] */
    int *order, ordered;              /* [n] file's numbers, each after those it depends on */
} walk;

static bool walk_init(walk *w, int n, nt_arena *arena)
{
    *w = (walk){.expression = NT_TAKE(arena, n, const nt_expression *),
                .next = NT_TAKE(arena, n, int),
                .done = NT_TAKE(arena, n, bool),
                .stack = NT_TAKE(arena, n, int),
                .order = NT_TAKE(arena, n, int)};
    if (!w->expression || !w->next || !w->done || !w->stack || !w->order)
        return false;
    for (int i = 0; i < n; i++)
        w->next[i] = -1;
    return true;
}

/* ---- circles ------------------------------------------------------------------------------------
 */

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.'; }

enum { CIRCLE_DEPTH = 64 }; /* quantities that stand in one another */

/* The quantities by which text leads to a parameter, "h -> g -> ", into way; false: by none of
 * them, nor by itself. Quantities that stand in a circle of their own were refused before. */
static bool way_to(const nt_reader *reader, const nt_node *text, const nt_node *parameter,
                   int depth, char *way, size_t size)
{
    const char *at = text->text, *end = at + text->length;
    bool found = false;
    while (at < end && !found) {
        const char *begin = at;
        while (at < end && is_in_name(*at))
            at++;
        int length = (int)(at - begin);
        if (length == 0 || !begins_name(*begin)) {
            at += length == 0;
            continue;
        }
        if (parameter->length == length && memcmp(parameter->text, begin, (size_t)length) == 0) {
            way[0] = '\0';
            return true;
        }
        const nt_node *quantity = nt_read_quantity_text(reader, begin, length);
        char rest[160];
        if (!quantity || quantity->kind != NT_NODE_SCALAR || depth == CIRCLE_DEPTH ||
            !way_to(reader, quantity, parameter, depth + 1, rest, sizeof rest))
            continue;
        snprintf(way, size, "%.*s -> %.150s", length < 40 ? length : 40, begin, rest);
        found = true;
    }
    return found;
}

/* "a -> b -> a" from the stack, whose top depends on `again`, with the quantities between. */
static nt_status cycle(nt_reader *reader, const nt_node *section, const walk *w, int again)
{
    char text[300] = "";
    size_t used = 0;
    int first = w->depth - 1;
    while (w->stack[first] != again)
        first--;
    for (int i = first; i < w->depth && used < sizeof text; i++) {
        int at = w->stack[i], next = i + 1 < w->depth ? w->stack[i + 1] : again;
        char between[200] = "";
        if (!way_to(reader, section->values[at], section->keys[next], 0, between, sizeof between))
            between[0] = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used, "%s -> %s",
                                 section->keys[at]->text, between);
    }
    return nt_node_fail(reader->error, section->keys[again],
                        "parameter '%s' depends on itself: %s%s, expected no way back",
                        section->keys[again]->text, text, section->keys[again]->text);
}

static nt_status visit(nt_reader *reader, const nt_node *section, walk *w, int start)
{
    w->stack[w->depth++] = start;
    w->next[start] = 0;
    while (w->depth > 0) {
        int at = w->stack[w->depth - 1], count = 0;
        const int *uses =
            w->expression[at] ? nt_expression_variables(w->expression[at], &count) : NULL;
        if (w->next[at] == count) {
            w->done[at] = true;
            w->order[w->ordered++] = at;
            w->depth--;
            continue;
        }
        int needed = uses[w->next[at]++];
        if (w->next[needed] >= 0 && !w->done[needed])
            return cycle(reader, section, w, needed);
        if (!w->done[needed]) {
            w->stack[w->depth++] = needed;
            w->next[needed] = 0;
        }
    }
    return NT_OK;
}

/* Numbers the parameters so that each depends on earlier ones only; a file that has them in such
 * an order keeps it. order[n] are the file's numbers. */
static nt_status sort(nt_reader *reader, const nt_node *section, int **order)
{
    walk w;
    nt_status status = NT_OK;
    if (!walk_init(&w, section->count, &reader->scratch))
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count && status == NT_OK; i++) {
        const nt_node *value = section->values[i];
        double number;
        if (value->kind == NT_NODE_SCALAR && !nt_node_is_empty(value) &&
            !nt_number_parse(value->text, value->length, &number))
            status = nt_read_expression(reader, section->keys[i]->text, value, NT_SCOPE_NUMBER,
                                        &reader->scratch, &w.expression[i]);
    }
    for (int i = 0; i < section->count && status == NT_OK; i++)
        if (!w.done[i])
            status = visit(reader, section, &w, i);
    for (int i = 0; i < w.ordered && status == NT_OK; i++)
        reader->parameters.list[w.order[i]].index = i;
    *order = w.order;
    return status;
}

nt_status nt_read_parameters(nt_reader *reader, const nt_node *section)
{
    nt_model *model = reader->model;
    int *order = NULL;
    nt_status status = nt_read_check_section(reader, "parameters", section);
    if (status == NT_OK)
        status = parameters_declare(reader, section);
    if (status == NT_OK)
        status = sort(reader, section, &order);
    if (status != NT_OK)
        return status;
    model->n_parameters = section->count;
    model->parameters = NT_TAKE(&model->arena, section->count, nt_parameter);
    reader->values = NT_TAKE(&reader->scratch, section->count, double);
    if (!model->parameters || !reader->values)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count; i++) {
        model->parameters[i].name = reader->parameters.list[order[i]].text;
        model->parameters[i].place = nt_read_place(reader, section->keys[order[i]]);
    }
    for (int i = 0; i < section->count && status == NT_OK; i++) {
        const nt_node *name = section->keys[order[i]];
        nt_parameter *parameter = &model->parameters[i];
        status = nt_read_unbound(reader, name->text, section->values[order[i]], &parameter->value,
                                 &parameter->expression);
        reader->values[i] = parameter->value;
    }
    return status;
}
