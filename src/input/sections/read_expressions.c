/* Numbers and expressions: what names mean in them. */
#include "input/reader.h"

#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "model/events/switches.h"
#include "model/parameters/objective.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"
#include "model/states/delay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names in an expression ---------------------------------------------------------------------
 */

typedef struct context {
    nt_reader *reader;
    nt_scope scope;
    const char *refused; /* why a name that means something is not accepted here; NULL for none */
    const char *dotted;  /* the unknown name where it has dots, else NULL */
    char name[NT_WORDS]; /* the unknown name, [length]                    */
    int length;
    const char *failed_in; /* the text that an error's column counts in */
    int object, quantity;  /* of the next candidate, where the object is unknown too */
    nt_error record;       /* why there is no recorded quantity of the name          */
    const char *key;       /* of the expression, and where it stands                 */
    nt_place place;
    bool uses_time; /* in what is held                                        */
} context;

/* The variable of a recorded quantity, which must be a single number; -1 where there is none. */
static int resolve_record(context *c, const char *name, int length)
{
    nt_model *model = c->reader->model;
    nt_quantity_info quantity;
    char text[NT_WORDS];
    snprintf(text, sizeof text, "%.*s", length, name);
    if (nt_model_quantity(model, text, &quantity, &c->record) != NT_OK)
        return -1;
    if (quantity.columns != 1) {
        char column[NT_WORDS], unit[NT_WORDS], meaning[NT_WORDS];
        nt_model_quantity_column(model, &quantity, 0, column, unit, meaning, NT_WORDS);
        nt_fail(&c->record, NT_BAD_MODEL, "'%s' is %d numbers, expected one of them, such as %s",
                text, quantity.columns, column);
        return -1;
    }
    int i = nt_model_column(model, &quantity);
    return i < 0 ? -1 : nt_model_time_variable(model) + 1 + i;
}

/* Accelerations: whether there are such or not, loads cannot have them. */
static bool follows_from_loads(const char *name, int length)
{
    static const char *const words[] = {".acceleration", ".angular_acceleration"};
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
        int size = (int)strlen(words[i]);
        for (int at = 0; at + size <= length; at++)
            if (memcmp(name + at, words[i], (size_t)size) == 0 &&
                (at + size == length || name[at + size] == '.'))
                return true;
    }
    return false;
}

static const char changes_with_motion[] =
    "changes with the motion: what a joint prescribes depends on t and parameters only";
static const char not_a_number[] =
    "changes with the motion: expected an expression of the parameters";

/* The variable of a state or a sampled value of the file. */
static int resolve_state(context *c, const char *name, int length)
{
    c->refused = c->scope == NT_SCOPE_MOTION   ? changes_with_motion
                 : c->scope == NT_SCOPE_NUMBER ? not_a_number
                                               : NULL;
    if (c->refused)
        return -1;
    int signal = nt_model_signal(c->reader->model, name, length);
    return signal < 0 ? -1 : nt_model_time_variable(c->reader->model) + 1 + signal;
}

/* Where a record's name would be told to be near another one of its object, the same is told of a
 * load; but no load has an acceleration. */
static void explain_as_record(context *c, const char *name, int length)
{
    const char *dot = memchr(name, '.', (size_t)length);
    nt_quantity_info quantity;
    char text[NT_WORDS];
    nt_error why = {0};
    if (!dot || length >= NT_WORDS || !nt_names_find(&c->reader->objects, name, (int)(dot - name)))
        return;
    snprintf(text, sizeof text, "%.*s", length, name);
    if (nt_model_quantity(c->reader->model, text, &quantity, &why) != NT_OK &&
        strstr(why.message, "did you mean") && !strstr(why.message, "acceleration'?"))
        c->record = why;
}

/* The variable of a quantity that a load depends on. */
static int resolve_signal(context *c, const char *name, int length, bool is_whole)
{
    nt_model *model = c->reader->model;
    int signal = nt_model_signal(model, name, length);
    if (signal >= 0)
        return nt_model_time_variable(model) + 1 + signal;
    c->dotted = length < NT_WORDS && memchr(name, '.', (size_t)length) ? c->name : NULL;
    c->refused = nt_signal_refusal(model, name, length);
    if (!c->refused && is_whole)
        c->refused = "is several numbers of the whole model: expected one of them, such as "
                     "energy.total or momentum.x";
    if (!c->refused && follows_from_loads(name, length))
        c->refused = "follows from the loads, so none can depend on it: expected an expression "
                     "of t, parameters, positions and velocities";
    if (!c->refused)
        explain_as_record(c, name, length);
    return -1;
}

static int resolve(void *self, const char *name, int length)
{
    context *c = self;
    nt_model *model = c->reader->model;
    const nt_name *parameter = nt_names_find(&c->reader->parameters, name, length);
    if (parameter)
        return parameter->index;
    c->length = length < NT_WORDS ? length : NT_WORDS - 1;
    memcpy(c->name, name, (size_t)c->length);
    bool is_time = length == 1 && name[0] == 't';
    bool is_word = length == 4 && memcmp(name, "time", 4) == 0;
    if (is_time && c->scope != NT_SCOPE_NUMBER)
        return nt_model_time_variable(model);
    if (c->scope == NT_SCOPE_NUMBER && (is_time || is_word))
        c->refused = "is the time, and this number does not change: expected an expression of "
                     "the parameters";
    else if (is_word)
        c->refused = "is written t";
    else if (c->scope == NT_SCOPE_RECORD)
        return resolve_record(c, name, length);
    const nt_name *object = nt_names_find(&c->reader->objects, name, length);
    if (object && (object->kind == NT_NAME_STATE || object->kind == NT_NAME_SAMPLED))
        return resolve_state(c, name, length);
    const char *dot = memchr(name, '.', (size_t)length);
    bool is_whole = nt_name_is_reserved(name, dot ? (int)(dot - name) : length);
    if (!c->refused && (dot || is_whole) && c->scope == NT_SCOPE_LOAD)
        return resolve_signal(c, name, length, is_whole);
    if (!c->refused && is_whole)
        c->refused = "is recorded of the whole model: no number or load can depend on it";
    if (c->refused || !dot)
        return -1;
    c->refused = c->scope == NT_SCOPE_MOTION ? changes_with_motion : not_a_number;
    return -1;
}

static int numbers(void *self, const char *name, int length)
{
    const context *c = self;
    nt_quantity_info quantity;
    nt_error unwanted = {0};
    char text[NT_WORDS];
    if (length >= NT_WORDS || !memchr(name, '.', (size_t)length))
        return 0;
    snprintf(text, sizeof text, "%.*s", length, name);
    nt_status status = nt_model_quantity(c->reader->model, text, &quantity, &unwanted);
    return status == NT_OK ? quantity.columns : 0;
}

static const char *find_named(void *self, const char *name, int length, int *text_length)
{
    context *c = self;
    const nt_node *node = nt_read_quantity_text(c->reader, name, length);
    if (!node)
        return NULL;
    *text_length = node->length;
    return node->text;
}

static const nt_table *find_table(void *self, const char *name, int length, bool quoted,
                                  nt_error *error)
{
    context *c = self;
    nt_reader *reader = c->reader;
    char hint[NT_WORDS];
    if (quoted)
        return nt_read_table_file(reader, name, length, error);
    const nt_name *table = nt_names_find(&reader->tables, name, length);
    if (table)
        return reader->table[table->index];
    nt_fail(error, NT_BAD_MODEL, "there is none of this name%s",
            nt_read_hint(nt_names_suggest(&reader->tables, name, length, 1u << NT_NAME_TABLE), hint,
                         sizeof hint));
    return NULL;
}

/* What loads and prescribed motions switch is held from stop to stop. A record of an operation that
 * slides shows the value by which it does. */
static int hold(void *self, int operation, const nt_expression *argument, const nt_table *table)
{
    context *c = self;
    nt_model *model = c->reader->model;
    if (c->scope == NT_SCOPE_RECORD) {
        int column = nt_model_find_shown(model, operation, argument, table);
        return column < 0 ? -1 : nt_model_time_variable(model) + 1 + column;
    }
    if (c->scope != NT_SCOPE_LOAD && c->scope != NT_SCOPE_MOTION)
        return -1;
    int held = nt_model_find_sliding(model, operation, argument, table);
    if (held < 0)
        held = nt_model_switch(model, operation, argument, table, c->key, c->place);
    if (held >= 0 && nt_expression_uses(argument, nt_model_time_variable(model)))
        c->uses_time = true;
    return held;
}

/* The signal behind that of a table that may slide. */
static int piece(void *self, int variable)
{
    const context *c = self;
    nt_model *model = c->reader->model;
    int next = variable - nt_model_time_variable(model);
    if (c->scope == NT_SCOPE_RECORD) {
        int column = nt_model_piece_shown(model, next - 1);
        return column < 0 ? -1 : nt_model_time_variable(model) + 1 + column;
    }
    bool slides = next < model->n_signals && model->signals[next].kind == NT_SIGNAL_PIECE;
    return slides ? variable + 1 : -1;
}

/* The past of what loads depend on; a record may name one that a load has. */
static int delay(void *self, const nt_expression *of, const nt_expression *by, const char *text,
                 int length, const char **words)
{
    context *c = self;
    nt_model *model = c->reader->model;
    int n, time = nt_model_time_variable(model);
    const int *variables = nt_expression_variables(by, &n);
    if (c->scope == NT_SCOPE_RECORD) {
        nt_quantity_info quantity = {.columns = 1};
        int k = nt_model_find_delay(model, text, length);
        while (nt_quantity_kinds[quantity.kind].of != NT_OF_DELAY)
            quantity.kind++;
        quantity.object = k;
        *words = "has no history here: expected the same delay in a force, a state, a sampled "
                 "value or `when` of an event, whose history this then has";
        int column = k < 0 ? -1 : nt_model_column(model, &quantity);
        return column < 0 ? -1 : time + 1 + column;
    }
    if (c->scope != NT_SCOPE_LOAD)
        return -1;
    *words = "of a time that changes: expected an expression of the parameters behind the comma";
    if (n > 0 && variables[n - 1] >= time)
        return -1;
    int signal = nt_model_delay(model, of, by, text, length, c->key, c->place);
    return signal < 0 ? signal : time + 1 + signal;
}

/* ---- "did you mean" ------------------------------------------------------------------------- */

/* i-th spelling of a quantity of an object that loads may depend on, body.velocity.x, NULL after
 * the last. */
static const char *quantity_candidate(context *c, const nt_name *object, int i)
{
    char text[NT_WORDS];
    int length = nt_model_signal_name(c->reader->model, object->text, i, text, sizeof text);
    return length > 0 ? nt_arena_text(&c->reader->scratch, text, (size_t)length) : NULL;
}

/* All quantities of all objects, one after the other. */
static const char *next_candidate(context *c)
{
    const nt_names *objects = &c->reader->objects;
    for (; c->object < objects->n; c->object++, c->quantity = 0) {
        const char *text = quantity_candidate(c, &objects->list[c->object], c->quantity++);
        if (text)
            return text;
    }
    return NULL;
}

static const char *candidate(void *self, int i)
{
    context *c = self;
    const nt_names *parameters = &c->reader->parameters, *objects = &c->reader->objects;
    if (c->dotted) {
        int dot = (int)((const char *)memchr(c->dotted, '.', (size_t)c->length) - c->dotted);
        const nt_name *object = nt_names_find(&c->reader->objects, c->dotted, dot);
        return object ? quantity_candidate(c, object, i) : next_candidate(c);
    }
    if (i < parameters->n)
        return parameters->list[i].text;
    i -= parameters->n;
    for (int k = 0; k < c->reader->quantities.n; k++) /* parts of blocks have dots */
        if (!strchr(c->reader->quantities.list[k].text, '.') && i-- == 0)
            return c->reader->quantities.list[k].text;
    if (c->scope == NT_SCOPE_NUMBER || i == 0)
        return c->scope == NT_SCOPE_NUMBER ? NULL : "t";
    for (int k = 0; k < objects->n; k++)
        if (objects->list[k].kind == NT_NAME_STATE && !strchr(objects->list[k].text, '.') &&
            --i == 0)
            return objects->list[k].text;
    return NULL;
}

/* ---- expressions --------------------------------------------------------------------------------
 */

/* .nan, -.inf and the like: YAML's spellings and C's. */
static bool is_not_finite(const char *text)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    text += *text == '+' || *text == '-';
    text += *text == '.';
    int length = (int)strlen(text);
    for (int i = 0; i < 3; i++)
        if (length == (int)strlen(words[i]) &&
            nt_edit_distance(text, length, words[i], length) == 0)
            return true;
    return false;
}

/* The parser's message with the key in front, or a better one; and the place in the file. */
static nt_status expressions_explain(const context *c, const char *key, const nt_node *scalar,
                                     const nt_error *found)
{
    nt_error *error = c->reader->error;
    char got[NT_WORDS];
    const nt_node *named = nt_read_quantity_of_text(c->reader, c->failed_in, &key);
    if (named)
        scalar = named;
    *error = *found;
    if (found->file[0] || found->status == NT_NO_MEMORY)
        return found->status;
    if (is_not_finite(scalar->text))
        return nt_node_fail(error, scalar, "%s: expected a finite number, got %s", key,
                            nt_read_words(scalar, got, sizeof got));
    error->status = NT_BAD_MODEL;
    bool is_hinted = (c->scope == NT_SCOPE_LOAD && strstr(found->message, "did you mean")) ||
                     strstr(found->message, "unknown function");
    if (c->record.message[0] && !is_hinted)
        snprintf(error->message, sizeof error->message, "%s: %.600s", key, c->record.message);
    else if (c->refused)
        snprintf(error->message, sizeof error->message, "%s: '%.*s' %s", key,
                 c->length < 60 ? c->length : 60, c->name, c->refused);
    else
        snprintf(error->message, sizeof error->message, "%s: %.600s", key, found->message);
    return nt_node_fail_inside(error, scalar);
}

/* Remembered for a remark. */
static nt_status note_jump(nt_reader *reader, const char *key, const nt_node *scalar)
{
    nt_model *model = reader->model;
    if (model->n_jumps == reader->jumps_room) {
        int room = reader->jumps_room ? 2 * reader->jumps_room : 4;
        nt_jump *more = NT_TAKE(&model->arena, room, nt_jump);
        if (!more)
            return nt_read_no_memory(reader);
        if (model->n_jumps)
            memcpy(more, model->jumps, (size_t)model->n_jumps * sizeof *more);
        model->jumps = more;
        reader->jumps_room = room;
    }
    nt_jump *jump = &model->jumps[model->n_jumps];
    *jump = (nt_jump){.key = nt_arena_text(&model->arena, key, strlen(key)),
                      .place = {scalar->line, scalar->column}};
    model->n_jumps += jump->key != NULL;
    return jump->key ? NT_OK : nt_read_no_memory(reader);
}

/* Remembered for analyses of what has no clock. */
static nt_status note_clock(nt_reader *reader, const char *key, const nt_node *scalar)
{
    nt_model *model = reader->model;
    model->clock = (nt_jump){.key = nt_arena_text(&model->arena, key, strlen(key)),
                             .place = {scalar->line, scalar->column}};
    return model->clock.key ? NT_OK : nt_read_no_memory(reader);
}

/* 010 is ten here and in YAML 1.2, and eight to programs that read YAML 1.1: whoever passes the
 * model through one of them would get another one. */
static nt_status check_not_octal(nt_reader *reader, const char *key, const nt_node *scalar)
{
    const char *digits = scalar->text + (scalar->text[0] == '-' || scalar->text[0] == '+');
    size_t n = strlen(digits), zeros = strspn(digits, "0");
    if (!scalar->plain || zeros == 0 || zeros == n || strspn(digits, "01234567") != n)
        return NT_OK;
    return nt_node_fail(reader->error, scalar,
                        "%s: '%.40s' is octal to programs that read YAML 1.1, expected %.40s "
                        "without the 0 in front",
                        key, scalar->text, digits + zeros);
}

nt_status nt_read_expression(nt_reader *reader, const char *key, const nt_node *scalar,
                             nt_scope scope, nt_arena *arena, const nt_expression **expression)
{
    if (check_not_octal(reader, key, scalar) != NT_OK)
        return reader->error->status;
    context c = {
        .reader = reader, .scope = scope, .key = key, .place = {scalar->line, scalar->column}};
    nt_symbols symbols = {.context = &c,
                          .resolve = resolve,
                          .numbers = numbers,
                          .named = find_named,
                          .failed_in = &c.failed_in,
                          .table = find_table,
                          .hold = hold,
                          .piece = piece,
                          .delay = delay,
                          .candidate = candidate};
    nt_error found = {0};
    nt_status status =
        nt_expression_parse(scalar->text, scalar->length, &symbols, arena, expression, &found);
    if (status != NT_OK)
        return expressions_explain(&c, key, scalar, &found);
    int time = scope == NT_SCOPE_NUMBER ? -1 : nt_model_time_variable(reader->model);
    bool moves = scope == NT_SCOPE_MOTION || scope == NT_SCOPE_LOAD;
    if (moves && !reader->model->clock.key &&
        (c.uses_time || nt_expression_uses(*expression, time)))
        status = note_clock(reader, key, scalar);
    if (status != NT_OK)
        return status;
    return !moves && nt_expression_jumps(*expression, time) ? note_jump(reader, key, scalar)
                                                            : NT_OK;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* What is not a number has no sign. */
nt_status nt_read_not_finite(nt_reader *reader, const char *key, const nt_node *node, double value)
{
    char got[NT_WORDS];
    return nt_node_fail(reader->error, node, "%s: %s is %g, expected a finite number", key,
                        nt_read_words(node, got, sizeof got), isnan(value) ? (double)NAN : value);
}

nt_status nt_read_unbound(nt_reader *reader, const char *key, const nt_node *node, double *target,
                          const nt_expression **expression)
{
    char got[NT_WORDS];
    nt_read_words(node, got, sizeof got);
    *expression = NULL;
    if (node->kind != NT_NODE_SCALAR || nt_node_is_empty(node))
        return nt_node_fail(reader->error, node, "%s: expected a number, got %s", key, got);
    if (check_not_octal(reader, key, node) != NT_OK)
        return reader->error->status;
    if (nt_number_parse(node->text, node->length, target))
        return NT_OK;
    nt_status status =
        nt_read_expression(reader, key, node, NT_SCOPE_NUMBER, &reader->model->arena, expression);
    if (status != NT_OK)
        return status;
    *target = nt_expression_value(*expression, reader->values);
    if (!isfinite(*target))
        return nt_read_not_finite(reader, key, node, *target);
    if (nt_expression_is_constant(*expression, NULL))
        *expression = NULL;
    return NT_OK;
}

static nt_status expressions_bind(nt_reader *reader, const nt_expression *expression,
                                  const double *target)
{
    nt_model *model = reader->model;
    size_t place = (size_t)((const char *)target - model->origin->numbers);
    if (model->n_bindings == reader->bindings_room) {
        int room = reader->bindings_room ? 2 * reader->bindings_room : 16;
        nt_binding *more = NT_TAKE(&model->arena, room, nt_binding);
        if (!more)
            return nt_read_no_memory(reader);
        if (model->n_bindings)
            memcpy(more, model->bindings, (size_t)model->n_bindings * sizeof *more);
        model->bindings = more;
        reader->bindings_room = room;
    }
    model->bindings[model->n_bindings++] = (nt_binding){.expression = expression, .target = place};
    return NT_OK;
}

nt_status nt_read_number(nt_reader *reader, const char *key, const nt_node *node, double *target)
{
    const nt_expression *expression;
    nt_status status = nt_read_unbound(reader, key, node, target, &expression);
    if (status == NT_OK && expression && reader->binds)
        status = expressions_bind(reader, expression, target);
    return status;
}
