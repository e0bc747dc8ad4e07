/* One value, by the type of its key. */
#include "input/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* [max(a, b), 0] is a list of max(a and b) and 0. */
static bool is_cut_at_commas(const nt_node *node)
{
    for (int i = 0; node->kind == NT_NODE_LIST && i < node->count; i++)
        if (nt_node_opens(node->values[i]))
            return true;
    return false;
}

/* "position: expected a list of 3 numbers, got a mapping" */
static nt_status wrong_type(nt_reader *reader, const nt_key *key, const nt_node *node)
{
    char expected[NT_WORDS], got[NT_WORDS];
    return nt_node_fail(
        reader->error, node, "%s: expected %s, got %s%s", key->name,
        nt_key_expected(key, expected, sizeof expected), nt_read_words(node, got, sizeof got),
        is_cut_at_commas(node) ? " (inside [ ] an expression with commas needs quotes)" : "");
}

static bool is_text(const nt_node *node)
{
    return node->kind == NT_NODE_SCALAR && !nt_node_is_empty(node);
}

static bool is_list_of(const nt_node *node, int count)
{
    return node->kind == NT_NODE_LIST && node->count == count;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static nt_status read_row(nt_reader *reader, const nt_key *key, const nt_node *list, double *target)
{
    for (int i = 0; i < list->count; i++) {
        nt_status status = nt_read_number(reader, key->name, list->values[i], target + i);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

/* One number; with a group, for all numbers of the group. */
static nt_status read_number(nt_reader *reader, const nt_key *key, const nt_node *node, char *data)
{
    if (!key->group)
        return nt_read_number(reader, key->name, node, (double *)(void *)(data + key->offset));
    nt_status status = NT_OK;
    for (const nt_key *member = key->group; member->name && status == NT_OK; member++)
        if (member->type == NT_KEY_NUMBER)
            status =
                nt_read_number(reader, key->name, node, (double *)(void *)(data + member->offset));
    return status;
}

static nt_status read_numbers(nt_reader *reader, const nt_key *key, const nt_node *node, char *data)
{
    bool counts = key->count_offset > 0; /* then one number stands for a list of one */
    if (key->low == 1 && (!key->up_to || counts) && is_text(node)) { /* one for all */
        *(int *)(void *)(data + key->count_offset) = 1;
        return nt_read_number(reader, key->name, node, (double *)(void *)(data + key->offset));
    }
    bool within = key->up_to && node->kind == NT_NODE_LIST && node->count >= key->low &&
                  node->count <= key->high;
    if (!within && !is_list_of(node, key->low) && !is_list_of(node, key->high))
        return wrong_type(reader, key, node);
    if (node->values[0]->kind == NT_NODE_LIST && node->values[1]->kind == NT_NODE_LIST) {
        char expected[NT_WORDS];
        return nt_node_fail(reader->error, node->values[0], "%s: expected %s, got a list of lists",
                            key->name, nt_key_expected(key, expected, sizeof expected));
    }
    if (key->low < key->high && (!key->up_to || key->count_offset > 0))
        *(int *)(void *)(data + key->count_offset) = node->count;
    return read_row(reader, key, node, (double *)(void *)(data + key->offset));
}

/* ---- arrays behind an element's data ---------------------------------------------------------
 */

int nt_read_array_begin(size_t size) { return (int)((size + 7) / 8 * 8); }

static size_t array_bytes(const nt_key *key, const nt_node *node)
{
    int rows = node && node->kind == NT_NODE_LIST ? node->count : 0;
    return (size_t)rows * (size_t)(key->high > key->low ? key->high : key->low) * sizeof(double);
}

size_t nt_read_bytes(const nt_key *keys, const nt_node *mapping, size_t size)
{
    size_t bytes = (size_t)nt_read_array_begin(size);
    for (const nt_key *key = keys; key->name; key++) {
        const nt_node *node = nt_node_find(mapping, key->name);
        if (key->type == NT_KEY_ARRAY)
            bytes += array_bytes(key, node);
        else if (key->type == NT_KEY_GROUP && node && node->kind == NT_NODE_MAPPING)
            bytes = nt_read_bytes(key->group, node, bytes);
    }
    return bytes;
}

static nt_status read_array(nt_reader *reader, const nt_key *key, const nt_node *node,
                            nt_scope scope, nt_array *target)
{
    if (node->kind != NT_NODE_LIST || node->count == 0)
        return wrong_type(reader, key, node);
    nt_status status = NT_OK;
    int room = key->high > key->low ? key->high : key->low;
    *target = (nt_array){.count = node->count, .place = reader->array_place};
    double *row = nt_array_of(reader->data, target);
    reader->array_place += (int)array_bytes(key, node);
    for (int i = 0; i < node->count && status == NT_OK; i++, row += room) {
        const nt_node *item = node->values[i];
        if (key->group) {
            char what[NT_WORDS];
            snprintf(what, sizeof what, "%s %d", key->name, i + 1);
            status = nt_read_keys(reader, key->group, node, item, what, scope, false, row);
            continue;
        }
        if (key->low == 1)
            status = nt_read_number(reader, key->name, item, row);
        else
            status = is_list_of(item, key->low) ? read_row(reader, key, item, row)
                                                : wrong_type(reader, key, item);
    }
    return status;
}

/* ---- matrices ---------------------------------------------------------------------------------
 */

static nt_status read_diagonal(nt_reader *reader, const nt_key *key, const nt_node *node,
                               double *target)
{
    for (int i = 0; i < key->high; i++) {
        nt_status status =
            nt_read_number(reader, key->name, node->values[i], target + i * (key->high + 1));
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

/* Rows, all numbers row by row, or the diagonal. */
static nt_status read_matrix(nt_reader *reader, const nt_key *key, const nt_node *node,
                             double *target)
{
    int n = key->high;
    if (is_list_of(node, n * n))
        return read_row(reader, key, node, target);
    if (!is_list_of(node, n))
        return wrong_type(reader, key, node);
    if (node->values[0]->kind == NT_NODE_SCALAR)
        return read_diagonal(reader, key, node, target);
    for (int i = 0; i < n; i++) {
        if (!is_list_of(node->values[i], n))
            return wrong_type(reader, key, node->values[i]);
        nt_status status = read_row(reader, key, node->values[i], target + i * n);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

static nt_status read_axes(nt_reader *reader, const nt_key *key, const nt_node *node,
                           double *target)
{
    if (!is_list_of(node, 2) || !is_list_of(node->values[0], 3) || !is_list_of(node->values[1], 3))
        return wrong_type(reader, key, node);
    nt_status status = read_row(reader, key, node->values[0], target);
    return status ? status : read_row(reader, key, node->values[1], target + 3);
}

/* ---- functions --------------------------------------------------------------------------------
 */

/* What a joint prescribes must be known in advance; loads may depend on the motion. */
static nt_status read_function(nt_reader *reader, const nt_key *key, const nt_node *node,
                               nt_scope scope, const nt_expression **target)
{
    char got[NT_WORDS];
    if (!is_text(node))
        return nt_node_fail(reader->error, node, "%s: expected a number or an expression, got %s",
                            key->name, nt_read_words(node, got, sizeof got));
    nt_status status =
        nt_read_expression(reader, key->name, node, scope, &reader->model->arena, target);
    double value;
    if (status == NT_OK && nt_expression_is_constant(*target, &value) && !isfinite(value))
        return nt_read_not_finite(reader, key->name, node, value);
    return status;
}

/* A number where it depends on parameters alone, so that they enter it as any other; else a
 * function. What is neither is told as of a function. */
static nt_status read_law(nt_reader *reader, const nt_key *key, const nt_node *node, nt_scope scope,
                          nt_law *target)
{
    nt_error *error = reader->error, unwanted = {0};
    reader->error = &unwanted;
    nt_status status = nt_read_number(reader, key->name, node, &target->value);
    reader->error = error;
    if (status == NT_OK)
        return NT_OK;
    target->value = 0;
    return read_function(reader, key, node, scope, &target->function);
}

static nt_status read_functions(nt_reader *reader, const nt_key *key, const nt_node *node,
                                nt_scope scope, const nt_expression **target)
{
    nt_status status = NT_OK;
    if (!is_list_of(node, key->high))
        return wrong_type(reader, key, node);
    for (int i = 0; i < key->high && status == NT_OK; i++)
        status = read_function(reader, key, node->values[i], scope, target + i);
    return status;
}

static nt_status read_rows(nt_reader *reader, const nt_key *key, const nt_node *node,
                           nt_scope scope, nt_rows *target)
{
    int least = key->high > 0 ? key->high : 3;
    bool good = node->kind == NT_NODE_LIST && node->count >= least;
    if (!good || (key->high > 0 && node->count > key->high))
        return wrong_type(reader, key, node);
    const nt_expression **item =
        NT_TAKE(&reader->model->arena, node->count * key->low, const nt_expression *);
    nt_status status = item ? NT_OK : nt_read_no_memory(reader);
    for (int i = 0; i < node->count * key->low && status == NT_OK; i++) {
        const nt_node *row = node->values[i / key->low];
        status = is_list_of(row, key->low)
                     ? read_function(reader, key, row->values[i % key->low], scope, item + i)
                     : wrong_type(reader, key, node);
    }
    *target = (nt_rows){item, node->count};
    return status;
}

/* ---- names of objects -------------------------------------------------------------------------
 */

/* ", expected one of ground, arm": all names of a kind where they are few, else nothing. */
static const char *known_names(const nt_reader *reader, nt_name_kind kind, char *text, size_t size)
{
    enum { FEW = 6 };
    size_t used = 0;
    int n = 0;
    text[0] = '\0';
    for (int i = 0; i < reader->objects.n && n <= FEW; i++) {
        const nt_name *name = &reader->objects.list[i];
        if (name->kind == kind && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     n++ == 0 ? ", expected one of " : ", ", name->text);
    }
    return n == 0 ? ", the model has none" : n <= FEW && used < size ? text : "";
}

/* The number of the body, marker or joint that a scalar names. */
static nt_status read_name(nt_reader *reader, const nt_key *key, const nt_node *node,
                           nt_name_kind kind, int *index)
{
    char hint[NT_WORDS], shown[NT_WORDS];
    const char *word = nt_name_kind_word(kind);
    if (!is_text(node))
        return wrong_type(reader, key, node);
    const nt_name *name = nt_names_find(&reader->objects, node->text, node->length);
    nt_read_words(node, shown, sizeof shown);
    if (!name) {
        char known[2 * NT_WORDS];
        const char *best = nt_names_suggest(&reader->objects, node->text, node->length, 1u << kind);
        return nt_node_fail(reader->error, node, "%s: unknown %s %s%s", key->name, word, shown,
                            best ? nt_read_hint(best, hint, sizeof hint)
                                 : known_names(reader, kind, known, sizeof known));
    }
    const nt_marker *marker =
        name->kind == NT_NAME_MARKER ? &reader->model->origin->markers[name->index] : NULL;
    if (kind == NT_NAME_BODY && marker && nt_marker_is_station(marker))
        return *index = marker->on, NT_OK;
    if (kind == NT_NAME_BODY && name->kind == NT_NAME_BEAM)
        return nt_node_fail(reader->error, node,
                            "%s: %s is a beam, expected a body: %.60s.root, %.60s.tip or a marker "
                            "with a station of it",
                            key->name, shown, name->text, name->text);
    if (name->kind != kind)
        return nt_node_fail(reader->error, node, "%s: %s is a %s, expected a %s", key->name, shown,
                            nt_name_kind_word(name->kind), word);
    *index = name->index;
    return NT_OK;
}

/* The indices of two different objects of a kind; `same` says what is wrong with one named twice,
 * NULL: nothing.
 */
static nt_status read_two_names(nt_reader *reader, const nt_key *key, const nt_node *node,
                                nt_name_kind kind, const char *same, int *target)
{
    if (!is_list_of(node, 2))
        return wrong_type(reader, key, node);
    nt_status status = read_name(reader, key, node->values[0], kind, &target[0]);
    if (status == NT_OK)
        status = read_name(reader, key, node->values[1], kind, &target[1]);
    if (status == NT_OK && same && target[0] == target[1])
        status = nt_node_fail(reader->error, node->values[1], "%s: '%s' is %s", key->name,
                              node->values[1]->text, same);
    return status;
}

static nt_status read_point(nt_reader *reader, const nt_key *key, const nt_node *node,
                            nt_place_of_point *target)
{
    if (is_list_of(node, 3))
        return read_row(reader, key, node, target->at);
    if (is_text(node))
        return read_name(reader, key, node, NT_NAME_MARKER, &target->marker);
    return wrong_type(reader, key, node);
}

static nt_status read_points(nt_reader *reader, const nt_key *key, const nt_node *node,
                             nt_place_of_point *target)
{
    if (!is_list_of(node, 2))
        return wrong_type(reader, key, node);
    nt_status status = read_point(reader, key, node->values[0], &target[0]);
    return status ? status : read_point(reader, key, node->values[1], &target[1]);
}

/* A marker by its name, or a body and a point of it. */
static nt_status read_route_point(nt_reader *reader, const nt_key *key, const nt_node *node,
                                  int *body, nt_place_of_point *point)
{
    point->marker = -1;
    if (is_text(node)) {
        nt_status status = read_name(reader, key, node, NT_NAME_MARKER, &point->marker);
        if (status == NT_OK) { /* whose body is known when markers are read, which is before */
            const nt_marker *marker = &reader->model->origin->markers[point->marker];
            *body = marker->on;
        }
        return status;
    }
    if (!is_list_of(node, 2)) {
        char got[NT_WORDS];
        return nt_node_fail(reader->error, node,
                            "%s: expected a marker's name or [BODY, POINT], got %s", key->name,
                            nt_read_words(node, got, sizeof got));
    }
    nt_status status = read_name(reader, key, node->values[0], NT_NAME_BODY, body);
    return status == NT_OK ? read_point(reader, key, node->values[1], point) : status;
}

static nt_status read_route(nt_reader *reader, const nt_key *key, const nt_node *node,
                            nt_route *target)
{
    nt_status status = NT_OK;
    if (node->kind != NT_NODE_LIST || node->count < key->low)
        return wrong_type(reader, key, node);
    if (node->count > NT_ROUTE_POINTS)
        return nt_node_fail(reader->error, node->values[NT_ROUTE_POINTS],
                            "%s: %d points, expected at most %d", key->name, node->count,
                            NT_ROUTE_POINTS);
    for (int i = 0; i < node->count && status == NT_OK; i++)
        status =
            read_route_point(reader, key, node->values[i], &target->body[i], &target->point[i]);
    target->n = node->count;
    return status;
}

/* ---- words ------------------------------------------------------------------------------------
 */

static int count_choices(const nt_key *key)
{
    int n = 0;
    while (key->choices[n])
        n++;
    return n;
}

static nt_status read_choice(nt_reader *reader, const nt_key *key, const nt_node *node, int *target)
{
    char expected[NT_WORDS], got[NT_WORDS], hint[NT_WORDS];
    if (!is_text(node))
        return wrong_type(reader, key, node);
    for (int i = 0; key->choices[i]; i++)
        if (nt_node_is(node, key->choices[i])) {
            *target = i;
            return NT_OK;
        }
    const char *best = nt_suggest(node->text, node->length, key->choices, count_choices(key));
    return nt_node_fail(reader->error, node, "%s: expected %s, got %s%s", key->name,
                        nt_key_expected(key, expected, sizeof expected),
                        nt_read_words(node, got, sizeof got),
                        nt_read_hint(best, hint, sizeof hint));
}

static nt_status read_boolean(nt_reader *reader, const nt_key *key, const nt_node *node,
                              int *target)
{
    bool yes = node->kind == NT_NODE_SCALAR && nt_node_is(node, "true");
    if (!yes && !(node->kind == NT_NODE_SCALAR && nt_node_is(node, "false")))
        return wrong_type(reader, key, node);
    *target = yes;
    return NT_OK;
}

static nt_status read_text(nt_reader *reader, const nt_key *key, const nt_node *node,
                           const char **target)
{
    if (!is_text(node))
        return wrong_type(reader, key, node);
    *target = nt_read_copy(reader, node);
    return *target ? NT_OK : nt_read_no_memory(reader);
}

static nt_status read_texts(nt_reader *reader, const nt_key *key, const nt_node *node,
                            nt_texts *target)
{
    if (node->kind != NT_NODE_LIST)
        return wrong_type(reader, key, node);
    const char **text = NT_TAKE(&reader->model->arena, node->count, const char *);
    if (!text)
        return nt_read_no_memory(reader);
    *target = (nt_texts){.text = text, .node = node, .n = node->count};
    for (int i = 0; i < node->count; i++) {
        char got[NT_WORDS];
        if (!is_text(node->values[i]))
            return nt_node_fail(reader->error, node->values[i], "%s: expected a name, got %s",
                                key->name, nt_read_words(node->values[i], got, sizeof got));
        text[i] = nt_read_copy(reader, node->values[i]);
        if (!text[i])
            return nt_read_no_memory(reader);
    }
    return NT_OK;
}

/* Which options there are and what they may be, the method knows: here they are texts. */
static nt_status read_option(nt_reader *reader, const nt_node *name, const nt_node *value,
                             nt_option *target, int place[2])
{
    char shown[NT_WORDS], got[NT_WORDS];
    if (!is_text(value))
        return nt_node_fail(
            reader->error, value, "option %s: expected a number, a word or true or false, got %s",
            nt_read_words(name, shown, sizeof shown), nt_read_words(value, got, sizeof got));
    target->name = nt_read_copy(reader, name);
    target->value = nt_read_copy(reader, value);
    bool of_file = value->source == reader->source;
    place[0] = of_file ? value->line : 0, place[1] = of_file ? value->column : 0;
    return target->name && target->value ? NT_OK : nt_read_no_memory(reader);
}

static nt_status read_options(nt_reader *reader, const nt_key *key, const nt_node *node,
                              nt_option_list *target)
{
    nt_status status = NT_OK;
    if (node->kind != NT_NODE_MAPPING)
        return wrong_type(reader, key, node);
    nt_option *option = NT_TAKE(&reader->model->arena, node->count, nt_option);
    int *place = NT_TAKE(&reader->model->arena, 2 * (size_t)node->count, int);
    if (!option || !place)
        return nt_read_no_memory(reader);
    *target = (nt_option_list){.option = option, .place = place, .n = node->count};
    for (int i = 0; i < node->count && status == NT_OK; i++)
        status = read_option(reader, node->keys[i], node->values[i], &option[i], &place[2 * i]);
    return status;
}

/* ---- by type ----------------------------------------------------------------------------------
 */

static nt_status read_by_type(nt_reader *reader, const nt_key *key, const nt_node *node,
                              nt_scope scope, void *data)
{
    void *target = (char *)data + key->offset;
    switch ((int)key->type) {
    case NT_KEY_NUMBER:
        return read_number(reader, key, node, data);
    case NT_KEY_NUMBERS:
        return read_numbers(reader, key, node, data);
    case NT_KEY_ARRAY:
        return read_array(reader, key, node, scope, target);
    case NT_KEY_MATRIX:
        return read_matrix(reader, key, node, target);
    case NT_KEY_FUNCTION:
        return read_function(reader, key, node, scope, target);
    case NT_KEY_LAW:
        return read_law(reader, key, node, scope, target);
    case NT_KEY_FUNCTIONS:
        return read_functions(reader, key, node, scope, target);
    case NT_KEY_BODY:
        return read_name(reader, key, node, NT_NAME_BODY, target);
    case NT_KEY_BODIES:
        return read_two_names(reader, key, node, NT_NAME_BODY,
                              key->up_to ? NULL : "joined to itself, expected two different bodies",
                              target);
    case NT_KEY_POINT:
        return read_point(reader, key, node, target);
    case NT_KEY_POINTS:
        return read_points(reader, key, node, target);
    case NT_KEY_ROUTE:
        return read_route(reader, key, node, target);
    case NT_KEY_AXES:
        return read_axes(reader, key, node, target);
    case NT_KEY_JOINT:
        return read_name(reader, key, node, NT_NAME_JOINT, target);
    case NT_KEY_JOINTS:
        return read_two_names(reader, key, node, NT_NAME_JOINT,
                              "named twice, expected two different joints", target);
    case NT_KEY_BEAM:
        return read_name(reader, key, node, NT_NAME_BEAM, target);
    case NT_KEY_CHOICE:
        return read_choice(reader, key, node, target);
    case NT_KEY_BOOLEAN:
        return read_boolean(reader, key, node, target);
    case NT_KEY_TEXT:
        return read_text(reader, key, node, target);
    case NT_KEY_TEXTS:
        return read_texts(reader, key, node, target);
    case NT_KEY_OPTIONS:
        return read_options(reader, key, node, target);
    case NT_KEY_ROWS:
        return read_rows(reader, key, node, scope, target);
    case NT_KEY_ACTIONS:
    case NT_KEY_EXPRESSIONS: /* of events: read one by one (read_events.c) */
        return NT_OK;
    case NT_KEY_SHAPES:
        return nt_read_shapes(reader, node, target);
    case NT_KEY_COLOR:
        return nt_read_color(reader, node, target);
    case NT_KEY_PARAMETERS: /* read with all other parameters */
        return nt_read_check_section(reader, key->name, node);
    default:
        return nt_node_fail(reader->error, node, "%s: expected something else here", key->name);
    }
}

/* Bindings from `first` on are numbers of a relative key: which of its vectors each is in. */
static void keep_vectors(nt_reader *reader, const nt_key *key, const nt_node *node,
                         const void *target, int first)
{
    bool array = key->type == NT_KEY_ARRAY;
    const void *numbers = array ? nt_array_in(reader->data, target) : target;
    int n = key->type == NT_KEY_AXES                                    ? 3
            : key->type == NT_KEY_NUMBERS && node->kind == NT_NODE_LIST ? node->count
                                                                        : 1;
    size_t begin = (size_t)((const char *)numbers - reader->model->origin->numbers);
    size_t size = array ? array_bytes(key, node) / (size_t)node->count : (size_t)n * sizeof(double);
    n = array ? key->low : n;
    for (int i = first; i < reader->model->n_bindings; i++) {
        nt_binding *binding = &reader->model->bindings[i];
        binding->among = begin + (binding->target - begin) / size * size;
        binding->n_among = n;
    }
}

nt_status nt_read_value(nt_reader *reader, const nt_key *key, const nt_node *node, nt_scope scope,
                        void *data)
{
    int first = reader->model->n_bindings;
    nt_status status = read_by_type(reader, key, node, scope, data);
    if (status == NT_OK && key->relative)
        keep_vectors(reader, key, node, (char *)data + key->offset, first);
    return status;
}
