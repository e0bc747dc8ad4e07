/* Random input against everything that reads text: models, documents, expressions, tables, --set.
 *
 * The input is a YAML text; behind a NUL byte may follow the path and, behind another, the value
 * of one --set. It is read as a model and, if it is one, looked at. Each scalar is also read as a
 * number and as an expression, which is evaluated in every way; the whole text is also read as a
 * table. What is checked beyond memory errors is said at the `require`s. */
#include "base/arena.h"
#include "base/number.h"
#include "input/document/document.h"
#include "model/expressions/expression.h"
#include "model/model.h"
#include "tests/model/two_columns.h"
#include "tests/read_run.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: " #condition " is false\n", __FILE__, __LINE__);               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { N_VARIABLES = 4 };

/* A message has a text, one line of it, and a place where there is one. */
static void check_error(nt_status status, const nt_error *error)
{
    require(error->status == status);
    require(error->message[0] != 0);
    require(error->line >= 0 && error->column >= 0);
    require((error->line == 0 || error->column > 0) && !strchr(error->message, '\n'));
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static int resolve(void *context, const char *name, int length)
{
    (void)context;
    return length == 1 && name[0] >= 't' && name[0] < 't' + N_VARIABLES ? name[0] - 't' : -1;
}

static const nt_table *find_table(void *context, const char *name, int length, bool quoted,
                                  nt_error *error)
{
    (void)name, (void)length, (void)quoted, (void)error;
    return context;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* One value by whichever way; nothing is written where nothing should be. */
static void evaluate(const nt_expression *e)
{
    static const double at[N_VARIABLES] = {0.5, -1.25, 3, 0}, rate[N_VARIABLES] = {1, 0.5, 0, 2},
                        bend[N_VARIABLES] = {0, 0.25, 0, -1};
    double jet[3], partial[NT_EXPRESSION_ROOM];
    int count;
    const int *used = nt_expression_variables(e, &count);
    require(count <= N_VARIABLES);
    double value = nt_expression_value(e, at);
    nt_expression_jet(e, at, rate, bend, jet);
    require(same(jet[0], value));
    require(same(nt_expression_partials(e, at, partial), value));
    for (int i = 0, k = 0; i < N_VARIABLES; i++) {
        bool listed = k < count && used[k] == i;
        require(listed == nt_expression_uses(e, i));
        k += listed;
    }
    require(nt_expression_is_constant(e, &value) == (count == 0));
}

static void read_scalar(const nt_node *scalar, nt_arena *arena, const nt_table *table)
{
    nt_symbols symbols = {.resolve = resolve};
    const nt_expression *e;
    nt_error error = {0};
    double number;
    int line, column;
    memcpy(&symbols.context, &table, sizeof table); /* const is given back by find_table */
    symbols.table = table ? find_table : NULL;
    nt_status status =
        nt_expression_parse(scalar->text, scalar->length, &symbols, arena, &e, &error);
    if (status == NT_OK) {
        evaluate(e);
    } else {
        check_error(status, &error);
        require(error.column <= scalar->length + 1);
        nt_node_fail_inside(&error, scalar);
        require(error.line >= scalar->line);
    }
    if (nt_number_parse(scalar->text, scalar->length, &number)) {
        require(isfinite(number) && status == NT_OK);
        require(nt_expression_value(e, NULL) == number);
    }
    nt_node_place(scalar, scalar->length / 2 + 1, &line, &column);
    require(line >= scalar->line);
}

/* ---- documents --------------------------------------------------------------------------------
 */

static int walk(const nt_node *node, int depth, nt_arena *arena, const nt_table *table)
{
    int total = 1;
    require(depth <= nt_document_limits_default.depth);
    require(node->source && node->total > 0);
    if (node->kind == NT_NODE_SCALAR) {
        require(node->text && (int)strlen(node->text) == node->length);
        read_scalar(node, arena, table);
    }
    for (int i = 0; i < node->count; i++) {
        if (node->kind == NT_NODE_MAPPING) {
            require(nt_node_find(node, node->keys[i]->text) == node->values[i]);
            total++;
        }
        total += walk(node->values[i], depth + 1, arena, table);
    }
    require(total == node->total);
    return total;
}

static void read_document(const char *text, size_t length, const char *path, const char *value,
                          const nt_table *table)
{
    const nt_document_limits limits = {
        .bytes = 1 << 20, .depth = 100, .nodes = 5000, .aliases = 500};
    nt_document *document;
    nt_error error = {0};
    nt_arena arena = {0};
    nt_status status = nt_document_parse(text, length, "fuzz.yaml", &limits, &document, &error);
    if (status != NT_OK) {
        check_error(status, &error);
        require(document == NULL);
        return;
    }
    walk(nt_document_root(document), 0, &arena, table);
    if (path) {
        const nt_node *before = nt_document_root(document);
        status = nt_document_set(document, path, value, &error);
        require((status == NT_OK) == (before != nt_document_root(document)));
        if (status != NT_OK)
            check_error(status, &error);
        walk(nt_document_root(document), 0, &arena, table);
    }
    nt_arena_free(&arena);
    nt_document_destroy(document);
}

/* ---- models -----------------------------------------------------------------------------------
 */

static void look_at(nt_run *run)
{
    const nt_system *system = nt_run_system(run);
    const nt_simulation *simulation = nt_model_simulation(nt_run_model(run));
    nt_error error = {0};
    require(nt_system_check(system, &error) == NT_OK);
    require(nt_run_model(run)->n_bodies > 1 && system->space.nv > 0);
    for (int i = 0; i < system->space.nq; i++)
        require(isfinite(run->initial_q[i]));
    for (int i = 0; i < system->space.nv; i++)
        require(isfinite(run->initial_v[i]));
    for (int i = 0; i < simulation->n_record; i++) {
        nt_quantity_info quantity;
        require(nt_model_quantity(nt_run_model(run), simulation->record[i], &quantity, &error) ==
                NT_OK);
    }
}

static void read_model(const char *text, size_t length, const char *path, const char *value)
{
    const nt_setting setting = {path, value};
    nt_run *run;
    nt_error error = {0};
    nt_status status = read_run_text(&run, text, length, "fuzz.yaml", "no-such-folder", &setting,
                                     path != NULL, &error);
    if (status == NT_OK)
        look_at(run);
    else
        check_error(status, &error);
    require((run != NULL) == (status == NT_OK));
    destroy_run(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nt_arena arena = {0};
    const nt_table *table = NULL;
    nt_error error = {0};
    double cubic[3];
    char *text = malloc(size + 1), *path = NULL, *value = NULL;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    if (length < size) {
        path = text + length + 1;
        value = path + strlen(path);
        value += value < text + size;
    }
    nt_status status = table_parse(text, length, "fuzz.csv", &arena, &table, &error);
    if (status == NT_OK)
        nt_table_evaluate(table, 0.5 * (table->x[0] + table->x[table->n - 1]), cubic);
    else
        check_error(status, &error);
    read_document(text, length, path, value, table);
    read_model(text, length, path, value);
    free(text);
    nt_arena_free(&arena);
    return 0;
}
