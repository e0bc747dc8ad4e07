/* Blocks: each becomes states and quantities, whose text names the numbers and expressions that the
 * file gives, so that a fault in one of those is told at its place.
 *
 *   transfer_function   controllable form: x_i' = x_(i+1), x_n' = (u - sum a_i x_(i+1))/a_n,
 *                       y = sum b_i x_(i+1) + b_n x_n'
 *   state_space         x' = A x + B u, y = C x + D u
 *   pid                 w = P e + I + Q,  y = w within the limits,
 *                       I' = K e + (y - w)/T,  Q = (D/F)(e - f), f' = (e - f)/F;
 *                       with the rate r of e known Q = D r, or Q' = (D r - Q)/F */
#include "input/reader.h"

#include "base/number.h"
#include "model/elements.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names and values that grow: a mapping to be. */
typedef struct pairs {
    nt_node **keys, **values;
    int n, room;
} pairs;

/* The block at hand, and all that blocks become. */
typedef struct blocks {
    nt_reader *reader;
    const nt_node *name, *value;
    pairs quantities, states, sampled;
    bool no_memory;
} blocks;

enum { MOST = 60, TEXT = 16384 }; /* states, inputs or outputs of a block; an expression of them */

static void push(blocks *b, pairs *to, nt_node *key, nt_node *value)
{
    if (to->n == to->room) {
        int room = to->room ? 2 * to->room : 16;
        nt_node **keys = NT_TAKE(&b->reader->scratch, room, nt_node *);
        nt_node **values = NT_TAKE(&b->reader->scratch, room, nt_node *);
        b->no_memory |= !keys || !values;
        if (b->no_memory)
            return;
        for (int i = 0; i < to->n; i++)
            keys[i] = to->keys[i], values[i] = to->values[i];
        *to = (pairs){keys, values, to->n, room};
    }
    b->no_memory |= !key || !value;
    to->keys[to->n] = key;
    to->values[to->n++] = value;
}

/* A scalar that stands where the block's name does. */
static nt_node *scalar(blocks *b, const char *text)
{
    nt_node *node = NT_TAKE(&b->reader->scratch, 1, nt_node);
    char *copy = nt_arena_text(&b->reader->scratch, text, strlen(text));
    b->no_memory |= !node || !copy;
    if (b->no_memory)
        return NULL;
    *node = *b->name;
    node->text = copy;
    node->length = (int)strlen(copy);
    return node;
}

/* A part of the block, "NAME.part". */
static nt_node *part_name(blocks *b, const char *part)
{
    char text[3 * NT_WORDS];
    snprintf(text, sizeof text, "%s%s%s", b->name->text, *part ? "." : "", part);
    return scalar(b, text);
}

/* Text in which every $ stands for "NAME.": "$input - $x1". */
static nt_node *formula(blocks *b, const char *text)
{
    char whole[TEXT];
    size_t used = 0;
    for (; *text && used + 2 * NT_WORDS < sizeof whole; text++)
        if (*text == '$')
            used += (size_t)snprintf(whole + used, sizeof whole - used, "%s.", b->name->text);
        else
            whole[used++] = *text;
    whole[used] = '\0';
    return scalar(b, whole);
}

static nt_node *copy_of(blocks *b, const nt_node *node)
{
    nt_node *copy = NT_TAKE(&b->reader->scratch, 1, nt_node);
    b->no_memory |= !copy;
    if (copy)
        *copy = *node;
    return copy;
}

static void become_mapping(nt_node *node, const pairs *from)
{
    node->kind = NT_NODE_MAPPING;
    node->keys = from->keys;
    node->values = from->values;
    node->count = from->n;
    node->index = NULL;
}

/* The part is an expression of the file, or a formula. */
static void add_given(blocks *b, const char *part, const nt_node *value)
{
    push(b, &b->quantities, part_name(b, part), copy_of(b, value));
}
static void add_formula(blocks *b, const char *part, const char *text)
{
    push(b, &b->quantities, part_name(b, part), formula(b, text));
}

/* A state of the block; initial may be NULL. */
static void add_state(blocks *b, const char *part, const char *rate, const nt_node *initial)
{
    nt_node *all = scalar(b, part);
    pairs keys = {0};
    push(b, &keys, scalar(b, "rate"), formula(b, rate));
    if (initial)
        push(b, &keys, scalar(b, "initial"), copy_of(b, initial));
    if (b->no_memory)
        return;
    become_mapping(all, &keys);
    push(b, &b->states, part_name(b, part), all);
}

/* Whether the name is none of a quantity, a state or a block before. */
static nt_status check_new(blocks *b, const char *word)
{
    const pairs *const all[] = {&b->quantities, &b->states};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < all[k]->n; i++)
            if (nt_node_is(all[k]->keys[i], b->name->text))
                return nt_node_fail(b->reader->error, b->name,
                                    "%s '%s': %s has this name already at %d:%d", word,
                                    b->name->text, k == 0 ? "quantities" : "states",
                                    all[k]->keys[i]->line, all[k]->keys[i]->column);
    return NT_OK;
}

static const nt_node *given(const blocks *b, const char *key)
{
    return nt_node_find(b->value, key);
}

static bool is_zero(const nt_node *node)
{
    double value;
    return node->kind == NT_NODE_SCALAR && nt_number_parse(node->text, node->length, &value) &&
           value == 0;
}

static bool is_expression(const nt_node *node)
{
    return node->kind == NT_NODE_SCALAR && !nt_node_is_empty(node);
}

static nt_status wants(const blocks *b, const char *key, const nt_node *node, const char *what)
{
    char got[NT_WORDS];
    return nt_node_fail(b->reader->error, node, "%s of block '%s': expected %s, got %s", key,
                        b->name->text, what, nt_read_words(node, got, sizeof got));
}

/* Appends words to a formula; what does not fit is seen by its length. */
static void append(char *text, const char *format, ...) NT_PRINTF(2, 3);
static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT - used, format, arguments);
    va_end(arguments);
}

/* ---- transfer functions --------------------------------------------------------------------- */

/* A list of `low` or more scalars. */
static nt_status check_list(const blocks *b, const char *key, int low, const char *what)
{
    const nt_node *list = given(b, key);
    if (!list)
        return NT_OK;
    if (list->kind != NT_NODE_LIST || list->count < low || list->count > MOST)
        return wants(b, key, list, what);
    for (int i = 0; i < list->count; i++)
        if (!is_expression(list->values[i]))
            return wants(b, key, list->values[i], "a number");
    return NT_OK;
}

static nt_status check_initial(const blocks *b, int n)
{
    char what[NT_WORDS];
    const nt_node *initial = given(b, "initial");
    snprintf(what, sizeof what, "a list of %d numbers, one for each state", n);
    nt_status status = check_list(b, "initial", n, what);
    return status == NT_OK && initial && initial->count != n ? wants(b, "initial", initial, what)
                                                             : status;
}

static const nt_node *initial_of(const blocks *b, int i)
{
    const nt_node *initial = given(b, "initial");
    return initial ? initial->values[i] : NULL;
}

static nt_status write_transfer_function(blocks *b)
{
    const nt_node *over = given(b, "numerator"), *under = given(b, "denominator");
    char name[20], text[TEXT] = "";
    nt_status status = check_list(b, "numerator", 1, "a list of 1 to 60 numbers");
    if (status == NT_OK)
        status = check_list(b, "denominator", 2, "a list of 2 to 60 numbers");
    if (status != NT_OK)
        return status;
    int n = under->count - 1, m = over->count - 1;
    if ((status = check_initial(b, n)) != NT_OK)
        return status;
    if (m > n)
        return nt_node_fail(b->reader->error, over,
                            "numerator of block '%s': of degree %d over a denominator of degree "
                            "%d, expected at most the same",
                            b->name->text, m, n);
    add_given(b, "input", given(b, "input"));
    append(text, "($input");
    for (int i = 0; i <= n; i++) {
        const nt_node *a = under->values[n - i];
        snprintf(name, sizeof name, "a%d", i);
        add_given(b, name, a);
        if (i < n && !is_zero(a))
            append(text, " - $a%d*$x%d", i, i + 1);
    }
    append(text, ")/$a%d", n);
    add_formula(b, "highest", text);
    text[0] = '\0';
    for (int i = 0; i <= m; i++) {
        snprintf(name, sizeof name, "b%d", i);
        add_given(b, name, over->values[m - i]);
        const char *plus = *text ? " + " : "";
        if (is_zero(over->values[m - i]))
            continue;
        if (i < n)
            append(text, "%s$b%d*$x%d", plus, i, i + 1);
        else
            append(text, "%s$b%d*$highest", plus, i);
    }
    add_formula(b, "", *text ? text : "0");
    for (int i = 1; i <= n; i++) {
        char next[20] = "$highest";
        snprintf(name, sizeof name, "x%d", i);
        if (i < n)
            snprintf(next, sizeof next, "$x%d", i + 1);
        add_state(b, name, next, initial_of(b, i - 1));
    }
    return NT_OK;
}

/* ---- state space ---------------------------------------------------------------------------- */

/* An entry of a matrix of rows, or of a plain list where it has one row or one column. */
static const nt_node *entry(const nt_node *matrix, int i, int j, int columns)
{
    const nt_node *first = matrix->values[0];
    return first->kind == NT_NODE_LIST ? matrix->values[i]->values[j]
                                       : matrix->values[i * columns + j];
}

static nt_status check_matrix(const blocks *b, const char *key, int rows, int columns)
{
    const nt_node *matrix = given(b, key);
    char what[NT_WORDS];
    bool flat = (rows == 1 || columns == 1), good = matrix->kind == NT_NODE_LIST;
    snprintf(what, sizeof what, "%d row%s of %d number%s", rows, rows == 1 ? "" : "s", columns,
             columns == 1 ? "" : "s");
    if (good && matrix->count > 0 && matrix->values[0]->kind == NT_NODE_LIST) {
        good = matrix->count == rows;
        for (int i = 0; i < rows && good; i++)
            good = matrix->values[i]->kind == NT_NODE_LIST && matrix->values[i]->count == columns;
    } else
        good = good && flat && matrix->count == rows * columns;
    if (!good)
        return wants(b, key, matrix, what);
    for (int i = 0; i < rows * columns; i++) {
        const nt_node *node = entry(matrix, i / columns, i % columns, columns);
        if (!is_expression(node))
            return wants(b, key, node, "a number");
    }
    return NT_OK;
}

/* Names the entries of a row that are not zero, and adds their products to a formula. */
static void add_row(blocks *b, const char *letter, int i, int columns, const char *of, char *text)
{
    const nt_node *matrix = given(b, letter);
    for (int j = 0; matrix && j < columns; j++) {
        const nt_node *node = entry(matrix, i, j, columns);
        char name[30];
        if (is_zero(node))
            continue;
        snprintf(name, sizeof name, "%s_%d_%d", letter, i + 1, j + 1);
        add_given(b, name, node);
        append(text, "%s$%s*$%s%d", *text ? " + " : "", name, of, j + 1);
    }
}

static nt_status write_state_space(blocks *b)
{
    const nt_node *A = given(b, "A"), *C = given(b, "C");
    nt_status status = check_list(b, "inputs", 1, "a list of 1 to 60 expressions");
    if (status != NT_OK)
        return status;
    if (A->kind != NT_NODE_LIST || A->count == 0 || A->count > MOST)
        return wants(b, "A", A, "1 to 60 rows");
    if (C->kind != NT_NODE_LIST || C->count == 0 || C->count > MOST)
        return wants(b, "C", C, "1 to 60 rows");
    int n = A->count, m = given(b, "inputs")->count;
    int p = C->values[0]->kind == NT_NODE_LIST || n == 1 ? C->count : 1;
    status = check_matrix(b, "A", n, n);
    status = status == NT_OK ? check_matrix(b, "B", n, m) : status;
    status = status == NT_OK ? check_matrix(b, "C", p, n) : status;
    status = status == NT_OK && given(b, "D") ? check_matrix(b, "D", p, m) : status;
    status = status == NT_OK ? check_initial(b, n) : status;
    char name[20], text[TEXT];
    for (int j = 0; j < m && status == NT_OK; j++) {
        snprintf(name, sizeof name, "u%d", j + 1);
        add_given(b, name, given(b, "inputs")->values[j]);
    }
    for (int i = 0; i < n && status == NT_OK; i++) {
        text[0] = '\0';
        add_row(b, "A", i, n, "x", text);
        add_row(b, "B", i, m, "u", text);
        snprintf(name, sizeof name, "x%d", i + 1);
        add_state(b, name, *text ? text : "0", initial_of(b, i));
    }
    for (int i = 0; i < p && status == NT_OK; i++) {
        text[0] = '\0';
        add_row(b, "C", i, n, "x", text);
        add_row(b, "D", i, m, "u", text);
        snprintf(name, sizeof name, "y%d", i + 1);
        add_formula(b, p == 1 ? "" : name, *text ? text : "0");
    }
    return status;
}

/* ---- PID ------------------------------------------------------------------------------------ */

static nt_status check_limits(const blocks *b)
{
    const nt_node *limits = given(b, "limits");
    double low, high;
    if (limits->kind != NT_NODE_LIST || limits->count != 2 || !is_expression(limits->values[0]) ||
        !is_expression(limits->values[1]))
        return wants(b, "limits", limits, "a list of two numbers or expressions, [lower, upper]");
    if (nt_number_parse(limits->values[0]->text, limits->values[0]->length, &low) &&
        nt_number_parse(limits->values[1]->text, limits->values[1]->length, &high) && low >= high)
        return nt_node_fail(b->reader->error, limits, "limits of block '%s': %g is not below %g",
                            b->name->text, low, high);
    return NT_OK;
}

static nt_status check_pid(const blocks *b)
{
    static const char *const gains[] = {"proportional", "integral", "derivative"};
    static const char *const single[] = {
        "error",  "proportional", "integral",         "derivative",   "rate",
        "filter", "tracking",     "initial_integral", "initial_error"};
    int n = 0;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (given(b, single[i]) && !is_expression(given(b, single[i])))
            return wants(b, single[i], given(b, single[i]), "a number or an expression");
    for (int i = 0; i < 3; i++)
        n += given(b, gains[i]) != NULL;
    if (n == 0)
        return nt_node_fail(b->reader->error, b->name,
                            "block '%s' has no gain, expected proportional, integral or derivative",
                            b->name->text);
    if (given(b, "derivative") && !given(b, "rate") && !given(b, "filter"))
        return nt_node_fail(b->reader->error, given(b, "derivative"),
                            "derivative of block '%s': expected `filter`, a time constant, or "
                            "`rate`, the rate of the error",
                            b->name->text);
    if (given(b, "initial_error") && given(b, "rate"))
        return nt_node_fail(b->reader->error, given(b, "initial_error"),
                            "initial_error of block '%s': with `rate` no error is filtered",
                            b->name->text);
    if (given(b, "limits") && given(b, "integral") && !given(b, "tracking") &&
        !given(b, "proportional"))
        return nt_node_fail(b->reader->error, given(b, "limits"),
                            "limits of block '%s': without `proportional` expected `tracking`, the "
                            "time constant with which the integral gives way",
                            b->name->text);
    return given(b, "limits") ? check_limits(b) : NT_OK;
}

static nt_status write_pid(blocks *b)
{
    static const char *const parts[] = {"error",      "proportional", "integral",
                                        "derivative", "rate",         "filter"};
    bool integral = given(b, "integral"), rate = given(b, "rate"), filter = given(b, "filter");
    const nt_node *limits = given(b, "limits");
    char wish[TEXT] = "";
    nt_status status = check_pid(b);
    if (status != NT_OK)
        return status;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (given(b, parts[i]))
            add_given(b, parts[i], given(b, parts[i]));
    if (given(b, "proportional"))
        append(wish, "$proportional*$error");
    if (integral)
        append(wish, "%s$I", *wish ? " + " : "");
    if (given(b, "derivative"))
        append(wish, "%s%s", *wish ? " + " : "",
               rate && filter ? "$D"
               : rate         ? "$derivative*$rate"
                              : "$derivative*($error - $filtered)/$filter");
    add_formula(b, "unlimited", wish);
    if (limits) {
        add_given(b, "lower", limits->values[0]);
        add_given(b, "upper", limits->values[1]);
    }
    add_formula(b, "", limits ? "clamp($unlimited, $lower, $upper)" : "$unlimited");
    if (integral && limits) {
        if (given(b, "tracking"))
            add_given(b, "tracking", given(b, "tracking"));
        else
            add_formula(b, "tracking", "$proportional/$integral");
    }
    if (integral)
        add_state(b, "I",
                  limits ? "$integral*$error + (clamp($unlimited, $lower, $upper) - "
                           "$unlimited)/$tracking"
                         : "$integral*$error",
                  given(b, "initial_integral"));
    if (filter && rate)
        add_state(b, "D", "($derivative*$rate - $D)/$filter", NULL);
    else if (filter)
        add_state(b, "filtered", "($error - $filtered)/$filter", given(b, "initial_error"));
    return NT_OK;
}

/* ---- sampled values -------------------------------------------------------------------------- */

/* The words of a value of a sampler are "pilot.u", and "u" stands for them. */
static nt_status write_value(blocks *b, const nt_node *sampler, const nt_node *settings,
                             const nt_node *value)
{
    const nt_node *initial = nt_node_find(settings, "initial"), *begin = NULL;
    pairs keys = {0};
    char text[2 * NT_WORDS];
    nt_status status = nt_read_check_word(b->reader, "sampled value", b->name);
    if (status == NT_OK && !is_expression(value))
        return wants(b, "values", nt_node_is_empty(value) ? b->name : value, "an expression");
    if (status == NT_OK)
        status = check_new(b, "sampled value");
    if (status != NT_OK)
        return status;
    snprintf(text, sizeof text, "%s.%s", sampler->text, b->name->text);
    nt_node *name = scalar(b, text), *all = scalar(b, text);
    push(b, &keys, scalar(b, "value"), copy_of(b, value));
    push(b, &keys, scalar(b, "every"), copy_of(b, nt_node_find(settings, "every")));
    if (initial && (begin = nt_node_find(initial, b->name->text)) != NULL)
        push(b, &keys, scalar(b, "initial"), copy_of(b, begin));
    if (b->no_memory)
        return nt_read_no_memory(b->reader);
    become_mapping(all, &keys);
    push(b, &b->sampled, name, all);
    push(b, &b->quantities, scalar(b, b->name->text), scalar(b, text));
    return NT_OK;
}

static nt_status write_sampler(blocks *b, const nt_node *name, const nt_node *settings)
{
    char what[NT_WORDS], got[NT_WORDS];
    nt_status status = nt_read_check_word(b->reader, "sampler", name);
    snprintf(what, sizeof what, "sampler '%.60s'", name->text);
    if (status == NT_OK)
        status = nt_read_check_keys(b->reader, nt_sampled_keys, name, settings, what, false);
    if (status != NT_OK)
        return status;
    const nt_node *values = nt_node_find(settings, "values");
    const nt_node *initial = nt_node_find(settings, "initial");
    if (values->kind != NT_NODE_MAPPING || values->count == 0)
        return nt_node_fail(b->reader->error, values,
                            "values of %s: expected expressions by name, got %s", what,
                            nt_read_words(values, got, sizeof got));
    if (initial && initial->kind != NT_NODE_MAPPING)
        return nt_node_fail(b->reader->error, initial,
                            "initial of %s: expected numbers by name, got %s", what,
                            nt_read_words(initial, got, sizeof got));
    for (int i = 0; initial && i < initial->count; i++)
        if (!nt_node_find(values, initial->keys[i]->text))
            return nt_node_fail(b->reader->error, initial->keys[i],
                                "initial of %s: '%s' is none of its values", what,
                                initial->keys[i]->text);
    for (int i = 0; i < values->count && status == NT_OK; i++) {
        b->name = values->keys[i];
        status = write_value(b, name, settings, values->values[i]);
    }
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct {
    const nt_element_type *type;
    nt_status (*write)(blocks *b);
} writers[] = {{&nt_block_transfer_function, write_transfer_function},
               {&nt_block_state_space, write_state_space},
               {&nt_block_pid, write_pid}};

static nt_status write_block(blocks *b, const nt_node *name, const nt_node *value)
{
    b->name = name;
    b->value = value;
    int type;
    char what[NT_WORDS];
    nt_status status = nt_read_check_word(b->reader, "block", b->name);
    if (status == NT_OK)
        status = check_new(b, "block");
    if (status == NT_OK)
        status = nt_read_find_type(b->reader, &nt_block_section, b->name, b->value, &type);
    if (status != NT_OK)
        return status;
    const nt_element_type *found = nt_element_type_at(type);
    snprintf(what, sizeof what, "%.60s '%.60s'", found->name, b->name->text);
    status = nt_read_check_keys(b->reader, found->keys, b->name, b->value, what, true);
    for (size_t i = 0; i < sizeof writers / sizeof *writers && status == NT_OK; i++)
        if (writers[i].type == found)
            status = writers[i].write(b);
    return status;
}

/* The file's own entries, whose names are checked, come first. */
static nt_status begin_pairs(blocks *b, pairs *to, const char *section, const char *word)
{
    const nt_node *own = nt_node_find(b->reader->root, section);
    nt_status status = own ? nt_read_check_section(b->reader, section, own) : NT_OK;
    for (int i = 0; own && status == NT_OK && i < own->count; i++) {
        status = nt_read_check_word(b->reader, word, own->keys[i]);
        push(b, to, own->keys[i], own->values[i]);
    }
    return status;
}

/* NULL where there are none and the file has no such section. */
static const nt_node *section_of(blocks *b, const pairs *from, const char *section)
{
    const nt_node *own = nt_node_find(b->reader->root, section);
    if (from->n == 0 && !own)
        return NULL;
    nt_node *all = copy_of(b, own ? own : b->reader->root);
    if (all)
        become_mapping(all, from);
    return all;
}

/* Each entry of a section by name. */
static nt_status write_section(blocks *b, const char *name,
                               nt_status (*write)(blocks *b, const nt_node *key,
                                                  const nt_node *value))
{
    const nt_node *section = nt_node_find(b->reader->root, name);
    nt_status status = section ? nt_read_check_section(b->reader, name, section) : NT_OK;
    for (int i = 0; section && status == NT_OK && i < section->count; i++)
        status = write(b, section->keys[i], section->values[i]);
    return status;
}

nt_status nt_read_blocks(nt_reader *reader)
{
    blocks b = {.reader = reader};
    nt_status status = begin_pairs(&b, &b.quantities, "quantities", "quantity");
    if (status == NT_OK)
        status = begin_pairs(&b, &b.states, "states", "state");
    if (status == NT_OK)
        status = write_section(&b, nt_block_section.name, write_block);
    if (status == NT_OK)
        status = write_section(&b, "sampled", write_sampler);
    if (status != NT_OK)
        return status;
    reader->quantity_section = section_of(&b, &b.quantities, "quantities");
    reader->state_section = section_of(&b, &b.states, "states");
    reader->sampled_section = section_of(&b, &b.sampled, "sampled");
    return b.no_memory ? nt_read_no_memory(reader) : NT_OK;
}

/* Coefficients are numbers, and the highest of a denominator is not zero. */
static nt_status check_coefficients(nt_reader *reader, const nt_node *name, const char *key,
                                    const nt_node *node)
{
    char what[2 * NT_WORDS];
    double value;
    const nt_expression *expression;
    nt_status status = NT_OK;
    snprintf(what, sizeof what, "%s of block '%.60s'", key, name->text);
    for (int i = 0; node && node->kind == NT_NODE_LIST && status == NT_OK && i < node->count; i++) {
        status = node->values[i]->kind == NT_NODE_LIST
                     ? check_coefficients(reader, name, key, node->values[i])
                     : nt_read_unbound(reader, what, node->values[i], &value, &expression);
        if (status == NT_OK && i == 0 && strcmp(key, "denominator") == 0 && value == 0)
            return nt_node_fail(reader->error, node->values[0],
                                "%s: the coefficient of its highest power is 0", what);
    }
    return status;
}

nt_status nt_read_check_blocks(nt_reader *reader)
{
    static const char *const keys[] = {"numerator", "denominator", "A", "B", "C", "D", "initial"};
    const nt_node *section = nt_node_find(reader->root, nt_block_section.name);
    nt_status status = NT_OK;
    for (int i = 0; section && i < section->count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys && status == NT_OK; k++)
            status = check_coefficients(reader, section->keys[i], keys[k],
                                        nt_node_find(section->values[i], keys[k]));
    return status;
}

/* ---- modal damping ------------------------------------------------------------------------------
 */

/* {ratio: [RATIO]}, or the keys that are given, behind the forces of the file. */
nt_status nt_read_modal_damping(nt_reader *reader)
{
    const nt_node *simulation = nt_node_find(reader->root, "simulation");
    const nt_node *forces = nt_node_find(reader->root, "forces"), *given = NULL;
    reader->force_section = forces;
    if (simulation && simulation->kind == NT_NODE_MAPPING)
        given = nt_node_find(simulation, "modal_damping");
    if (!given || given->kind == NT_NODE_LIST || (forces && forces->kind != NT_NODE_MAPPING))
        return NT_OK;
    nt_node name = *given;
    name.kind = NT_NODE_SCALAR;
    blocks b = {.reader = reader, .name = &name};
    pairs all = {0}, keys = {0};
    nt_node *list = copy_of(&b, given), *force = copy_of(&b, given), *section = copy_of(&b, given);
    nt_node **items = NT_TAKE(&reader->scratch, 1, nt_node *);
    if (!list || !force || !section || !items || !(items[0] = copy_of(&b, given)))
        return nt_read_no_memory(reader);
    if (given->kind == NT_NODE_SCALAR) {
        list->kind = NT_NODE_LIST;
        list->values = items;
        list->count = 1;
        push(&b, &keys, scalar(&b, "ratio"), list);
        become_mapping(force, &keys);
    }
    for (int i = 0; forces && i < forces->count; i++)
        push(&b, &all, forces->keys[i], forces->values[i]);
    push(&b, &all, scalar(&b, nt_force_modal_damping.name), force);
    if (b.no_memory)
        return nt_read_no_memory(reader);
    if (forces)
        *section = *forces;
    become_mapping(section, &all);
    reader->force_section = section;
    reader->modal_damping = force;
    return NT_OK;
}
