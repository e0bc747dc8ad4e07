/* Results in NetCDF, classic format (32-bit or 64-bit offsets): netcdf.c says how it looks. What
 * other programs may have put beside the rows is skipped. */
#include "base/error.h"
#include "output/netcdf/netcdf.h"
#include "output/netcdf/netcdf_head.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };
static const uint32_t STREAMING = 0xffffffff; /* as many records as the file has room for */

/* ---- what they make ------------------------------------------------------------------------- */

static bool is_column(const nt_netcdf_variable *v)
{
    return v->in_records && v->n == 1 && v->type == NT_NETCDF_DOUBLE;
}

static bool is_array(const nt_netcdf_variable *v)
{
    return v->in_records && v->n == 3 && v->type == NT_NETCDF_DOUBLE;
}

static void find_records(nt_netcdf_head *h)
{
    nt_result *r = h->r;
    bool any = false;
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const nt_netcdf_variable *v = &h->variables[i];
        r->n_columns += is_column(v);
        r->n_arrays += is_array(v);
        if (!v->in_records)
            continue;
        r->records = any && r->records < v->begin ? r->records : v->begin;
        r->record_size += v->bytes;
        any = true;
    }
    if (h->status == NT_OK && (r->n_columns == 0 || r->records > h->size))
        nt_netcdf_damaged(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const nt_netcdf_variable *v = &h->variables[i];
        if (v->in_records && (v->begin - r->records > r->record_size ||
                              v->bytes > r->record_size - (v->begin - r->records)))
            nt_netcdf_damaged(h);
    }
}

/* Names of the items of dimension d: those of the variable of its name, else "". */
static const char *const *item_names(nt_netcdf_head *h, int d)
{
    int items = (int)h->dimensions[d].size;
    const char **names = NT_TAKE(&h->r->arena, items, const char *);
    const nt_netcdf_variable *v = NULL;
    for (int i = 0; i < h->n_variables && !v; i++) {
        const nt_netcdf_variable *w = &h->variables[i];
        bool named = strcmp(w->name, h->dimensions[d].name) == 0 && w->type == NT_NETCDF_CHAR &&
                     w->n == 2 && !w->in_records && w->dimensions[0] == d;
        v = named ? w : NULL;
    }
    if (!names)
        nt_netcdf_no_memory(h);
    uint64_t length = v ? h->dimensions[v->dimensions[1]].size : 0;
    for (int i = 0; i < items && h->status == NT_OK; i++) {
        char *name = nt_arena_take(&h->r->arena, (size_t)length + 1, 1);
        if (!name) {
            nt_netcdf_no_memory(h);
            break;
        }
        h->at = v ? v->begin + (uint64_t)i * length : h->at;
        nt_netcdf_get(h, name, length);
        names[i] = name;
    }
    return names;
}

/* The lines of a variable's attribute `words`; 0, 1 and so on stand for them. */
static void take_words(nt_netcdf_head *h, int column, const char *words)
{
    bool good = nt_result_hold_texts(h->r, column);
    while (*words && good) {
        size_t length = strcspn(words, "\n");
        good = nt_result_intern(h->r, column, words, length, words, length) >= 0;
        words += length + (words[length] == '\n');
    }
    if (!good)
        nt_netcdf_no_memory(h);
}

static void netcdf_describe(nt_netcdf_head *h)
{
    nt_result *r = h->r;
    int columns = 0, arrays = 0;
    r->n_text_columns = r->n_columns;
    r->columns = NT_TAKE(&r->arena, r->n_columns, nt_result_column);
    r->column_at = NT_TAKE(&r->arena, r->n_columns, uint64_t);
    r->arrays = NT_TAKE(&r->arena, r->n_arrays, nt_result_array);
    r->array_at = NT_TAKE(&r->arena, r->n_arrays, uint64_t);
    if (!r->columns || !r->column_at || !r->arrays || !r->array_at)
        nt_netcdf_no_memory(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const nt_netcdf_variable *v = &h->variables[i];
        const char *name = v->column ? v->column : v->name;
        if (is_column(v)) {
            r->columns[columns] = (nt_result_column){name, v->unit, v->meaning};
            if (v->words)
                take_words(h, columns, v->words);
            r->column_at[columns++] = v->begin - r->records;
        } else if (is_array(v)) {
            const nt_netcdf_dimension *item = &h->dimensions[v->dimensions[1]];
            const nt_netcdf_dimension *component = &h->dimensions[v->dimensions[2]];
            if (item->size > h->size || component->size > h->size) {
                nt_netcdf_damaged(h);
                return;
            }
            r->arrays[arrays] = (nt_result_array){.name = name,
                                                  .unit = v->unit,
                                                  .meaning = v->meaning,
                                                  .item = item->name,
                                                  .component = component->name,
                                                  .items = (int)item->size,
                                                  .components = (int)component->size,
                                                  .item_names = item_names(h, v->dimensions[1])};
            r->array_at[arrays++] = v->begin - r->records;
        }
    }
}

nt_status nt_result_open_netcdf(nt_result *r, nt_error *error)
{
    nt_netcdf_head h = {.r = r, .error = error};
    nt_netcdf_read_head(&h);
    r->format = NT_NETCDF;
    if (h.status == NT_OK && nt_netcdf_is_table(&h)) {
        nt_netcdf_describe_table(&h);
        return h.status;
    }
    find_records(&h);
    netcdf_describe(&h);
    if (h.status != NT_OK)
        return h.status;
    uint64_t there = (h.size - r->records) / r->record_size;
    r->rows = (long)(h.rows == STREAMING || h.rows > there ? there : h.rows);
    r->buffer_room = r->record_size > PIECE ? r->record_size : PIECE;
    r->buffer = malloc(r->buffer_room);
    return r->buffer ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- rows ----------------------------------------------------------------------------------- */

double nt_netcdf_number(const char text[8])
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | (unsigned char)text[i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double *take_row(const nt_result *r, int array, const char *record, double *out)
{
    if (array < 0) {
        for (int i = 0; i < r->n_columns; i++)
            *out++ = nt_netcdf_number(record + r->column_at[i]);
        return out;
    }
    int n = r->arrays[array].items * r->arrays[array].components;
    for (int i = 0; i < n; i++)
        *out++ = nt_netcdf_number(record + r->array_at[array] + 8 * (uint64_t)i);
    return out;
}

nt_status nt_result_read_netcdf(nt_result *r, int array, long first, long n, double *values,
                                nt_error *error)
{
    long at_once = (long)(r->buffer_room / r->record_size);
    for (long row = 0; row < n;) {
        long rows = n - row < at_once ? n - row : at_once;
        size_t got, size = (size_t)rows * r->record_size;
        uint64_t at = r->records + (uint64_t)(first + row) * r->record_size;
        nt_status status = nt_result_get(r, at, r->buffer, size, &got, error);
        if (status != NT_OK)
            return status;
        if (got < size)
            return nt_fail_at(error, NT_IO, r->path, 0, 0, "is shorter than it was");
        for (long i = 0; i < rows; i++)
            values = take_row(r, array, r->buffer + (size_t)i * r->record_size, values);
        row += rows;
    }
    return NT_OK;
}
