/* The table of a sweep in NetCDF (docs/results.md): variables over the plan's dimensions become
 * columns of rows, the last dimension fastest, as the table in CSV has them.
 *
 *   row       the number of the row
 *   m(m)      what varies: over one of the dimensions; texts are characters over one dimension more
 *   status    whole numbers, over all dimensions: it says which dimensions are those of the table
 *   x.final   numbers over all of them
 *   time      series: over one dimension more, an array of each row */
#include "base/error.h"
#include "output/netcdf/netcdf.h"
#include "output/netcdf/netcdf_head.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, WHOLE = 4 };

/* Where the numbers of a column come from. */
struct nt_table_source {
    enum { ROW_NUMBER, COORDINATE, STATUS, NUMBERS } kind;
    uint64_t begin, size, stride; /* a coordinate has value (row / stride) % size */
    const double *value;          /* [size] of a coordinate */
};

static const nt_netcdf_variable *find_variable(const nt_netcdf_head *h, const char *name)
{
    for (int i = 0; i < h->n_variables; i++)
        if (strcmp(h->variables[i].name, name) == 0)
            return &h->variables[i];
    return NULL;
}

bool nt_netcdf_is_table(const nt_netcdf_head *h)
{
    const nt_netcdf_variable *status = find_variable(h, "status");
    for (int i = 0; i < h->n_variables; i++)
        if (h->variables[i].in_records)
            return false;
    return status && status->type == WHOLE && status->n > 0;
}

/* Whether a variable is over all dimensions of the table, and `more` others behind them. */
static bool is_over_all(const nt_netcdf_variable *v, const nt_netcdf_variable *table, int more)
{
    bool same = v->type == NT_NETCDF_DOUBLE && v->n == table->n + more;
    for (int i = 0; same && i < table->n; i++)
        same = v->dimensions[i] == table->dimensions[i];
    return same;
}

/* The place of its dimension among those of the table; -1 where it is no coordinate. */
static int coordinate_of(const nt_netcdf_variable *v, const nt_netcdf_variable *table)
{
    bool number = v->type == NT_NETCDF_DOUBLE && v->n == 1;
    bool words = v->type == NT_NETCDF_CHAR && v->n == 2;
    for (int i = 0; (number || words) && i < table->n; i++)
        if (v->dimensions[0] == table->dimensions[i])
            return i;
    return -1;
}

static bool is_there(nt_netcdf_head *h, const nt_netcdf_variable *v)
{
    if (h->status == NT_OK && (v->begin > h->size || v->bytes > h->size - v->begin))
        nt_netcdf_damaged(h);
    return h->status == NT_OK;
}

/* ---- what stands in them -------------------------------------------------------------------- */

/* The texts of a variable of characters, item by item. */
typedef void take_words(void *context, uint64_t item, const char *words, size_t length);

static void get_words(nt_netcdf_head *h, const nt_netcdf_variable *v, take_words *take,
                      void *context)
{
    uint64_t n = h->dimensions[v->dimensions[0]].size;
    uint64_t length = h->dimensions[v->dimensions[1]].size;
    char *words = is_there(h, v) ? malloc((size_t)length + 1) : NULL;
    if (!words)
        nt_netcdf_no_memory(h);
    h->at = v->begin;
    for (uint64_t i = 0; i < n && h->status == NT_OK; i++) {
        nt_netcdf_get(h, words, length);
        words[length] = '\0';
        if (h->status == NT_OK)
            take(context, i, words, strlen(words));
    }
    free(words);
}

typedef struct interned {
    nt_netcdf_head *h;
    int column;
    double *value;
} interned;

static void intern_words(void *context, uint64_t i, const char *words, size_t length)
{
    interned *to = context;
    int number = nt_result_intern(to->h->r, to->column, words, length, words, length);
    if (number < 0)
        nt_netcdf_no_memory(to->h);
    to->value[i] = number;
}

static const double *get_coordinate(nt_netcdf_head *h, const nt_netcdf_variable *v, int column)
{
    uint64_t n = h->dimensions[v->dimensions[0]].size;
    if (v->bytes == 0 && n > 0)
        nt_netcdf_damaged(h);
    double *value = is_there(h, v) ? NT_TAKE(&h->r->arena, n, double) : NULL;
    if (!value) {
        nt_netcdf_no_memory(h);
        return NULL;
    }
    if (v->type == NT_NETCDF_CHAR) {
        interned to = {h, column, value};
        if (!nt_result_hold_texts(h->r, column))
            nt_netcdf_no_memory(h);
        else
            get_words(h, v, intern_words, &to);
        return value;
    }
    h->at = v->begin;
    for (uint64_t i = 0; i < n; i++) {
        char text[8];
        if (!nt_netcdf_get(h, text, sizeof text))
            break;
        value[i] = nt_netcdf_number(text);
    }
    return value;
}

static void take_failure(void *context, uint64_t i, const char *words, size_t length)
{
    nt_netcdf_head *h = context;
    h->r->failures[i].words = nt_arena_text(&h->r->arena, words, length);
    if (!h->r->failures[i].words)
        nt_netcdf_no_memory(h);
}

/* What went wrong in rows that failed, by rising number of the row. */
static void get_failures(nt_netcdf_head *h)
{
    const nt_netcdf_variable *row = find_variable(h, "failure_row");
    const nt_netcdf_variable *words = find_variable(h, "failure_message");
    if (!row || !words || row->type != NT_NETCDF_DOUBLE || row->n != 1 ||
        words->type != NT_NETCDF_CHAR || words->n != 2 ||
        words->dimensions[0] != row->dimensions[0])
        return;
    uint64_t n = h->dimensions[row->dimensions[0]].size;
    if (!is_there(h, row))
        return;
    h->r->failures = NT_TAKE(&h->r->arena, n, nt_result_failed);
    if (!h->r->failures) {
        nt_netcdf_no_memory(h);
        return;
    }
    h->at = row->begin;
    for (uint64_t i = 0; i < n; i++) {
        char text[8];
        if (!nt_netcdf_get(h, text, sizeof text))
            return;
        h->r->failures[i].row = nt_netcdf_number(text);
    }
    get_words(h, words, take_failure, h);
    h->r->n_failures = h->status == NT_OK ? (long)n : 0;
}

/* ---- columns -------------------------------------------------------------------------------- */

static void put_coordinate(nt_netcdf_head *h, const nt_netcdf_variable *v,
                           const nt_netcdf_variable *table, int place)
{
    nt_result *r = h->r;
    struct nt_table_source *from = &r->table[r->n_columns];
    from->kind = COORDINATE;
    from->size = h->dimensions[table->dimensions[place]].size;
    from->stride = 1;
    for (int i = place + 1; i < table->n; i++)
        from->stride *= h->dimensions[table->dimensions[i]].size;
    r->columns[r->n_columns] = (nt_result_column){v->name, v->unit, v->meaning};
    from->value = get_coordinate(h, v, r->n_columns++);
}

static void put_series(nt_netcdf_head *h, const nt_netcdf_variable *v)
{
    nt_result *r = h->r;
    const nt_netcdf_dimension *item = &h->dimensions[v->dimensions[v->n - 1]];
    r->arrays[r->n_arrays] = (nt_result_array){.name = v->name,
                                               .unit = v->unit,
                                               .meaning = v->meaning,
                                               .item = item->name,
                                               .component = "",
                                               .items = (int)item->size,
                                               .components = 1};
    r->array_at[r->n_arrays++] = v->begin;
}

static void put_variable(nt_netcdf_head *h, const nt_netcdf_variable *v,
                         const nt_netcdf_variable *table)
{
    nt_result *r = h->r;
    int place = coordinate_of(v, table);
    if (place >= 0 && v != table) {
        put_coordinate(h, v, table, place);
    } else if ((v == table || is_over_all(v, table, 0)) && is_there(h, v)) {
        r->table[r->n_columns].kind = v == table ? STATUS : NUMBERS;
        r->table[r->n_columns].begin = v->begin;
        r->columns[r->n_columns++] = (nt_result_column){v->name, v->unit, v->meaning};
    } else if (is_over_all(v, table, 1) && is_there(h, v)) {
        put_series(h, v);
    }
}

void nt_netcdf_describe_table(nt_netcdf_head *h)
{
    nt_result *r = h->r;
    const nt_netcdf_variable *table = find_variable(h, "status");
    int most = r->n_text_columns = h->n_variables + 1;
    if (!is_there(h, table))
        return;
    r->rows = 1;
    for (int i = 0; i < table->n; i++)
        r->rows *= (long)h->dimensions[table->dimensions[i]].size;
    r->columns = NT_TAKE(&r->arena, most, nt_result_column);
    r->table = NT_TAKE(&r->arena, most, struct nt_table_source);
    r->arrays = NT_TAKE(&r->arena, most, nt_result_array);
    r->array_at = NT_TAKE(&r->arena, most, uint64_t);
    r->buffer_room = PIECE;
    r->buffer = malloc(r->buffer_room);
    if (!r->columns || !r->table || !r->arrays || !r->array_at || !r->buffer) {
        nt_netcdf_no_memory(h);
        return;
    }
    r->table[0].kind = ROW_NUMBER;
    r->columns[r->n_columns++] = (nt_result_column){"row", "1", "number of the row"};
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++)
        put_variable(h, &h->variables[i], table);
    get_failures(h);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* n numbers of `bytes` each from a place of the file on, every `step`-th of out. */
static nt_status get_numbers(nt_result *r, uint64_t at, size_t bytes, long n, double *out,
                             long step, nt_error *error)
{
    long at_once = (long)(r->buffer_room / bytes);
    for (long i = 0; i < n;) {
        long piece = n - i < at_once ? n - i : at_once;
        size_t got, size = (size_t)piece * bytes;
        nt_status status = nt_result_get(r, at + (uint64_t)i * bytes, r->buffer, size, &got, error);
        if (status != NT_OK)
            return status;
        if (got < size)
            return nt_fail_at(error, NT_IO, r->path, 0, 0, "is shorter than it was");
        for (long k = 0; k < piece; k++) {
            const unsigned char *b = (const unsigned char *)r->buffer + (size_t)k * bytes;
            uint32_t whole =
                (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
            out[(i + k) * step] =
                bytes == 4 ? (int32_t)whole : nt_netcdf_number(r->buffer + (size_t)k * bytes);
        }
        i += piece;
    }
    return NT_OK;
}

nt_status nt_result_read_table(nt_result *r, long first, long n, double *values, nt_error *error)
{
    nt_status status = NT_OK;
    for (int c = 0; c < r->n_columns && status == NT_OK; c++) {
        const struct nt_table_source *from = &r->table[c];
        size_t bytes = from->kind == STATUS ? 4 : 8;
        if (from->kind == STATUS || from->kind == NUMBERS)
            status = get_numbers(r, from->begin + (uint64_t)first * bytes, bytes, n, values + c,
                                 r->n_columns, error);
        for (long i = 0; i < n && from->kind == ROW_NUMBER; i++)
            values[i * r->n_columns + c] = (double)(first + i);
        for (long i = 0; i < n && from->kind == COORDINATE; i++)
            values[i * r->n_columns + c] =
                from->value[(uint64_t)(first + i) / from->stride % from->size];
    }
    return status;
}

nt_status nt_result_read_series(nt_result *r, int array, long first, long n, double *values,
                                nt_error *error)
{
    uint64_t items = (uint64_t)r->arrays[array].items;
    return get_numbers(r, r->array_at[array] + (uint64_t)first * items * 8, 8, n * (long)items,
                       values, 1, error);
}
