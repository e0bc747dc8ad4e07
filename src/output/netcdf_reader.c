/* Results in NetCDF, classic format (32-bit or 64-bit offsets): netcdf.c says how it looks. What
 * other programs may have put beside the rows is skipped. Every number of the head is checked
 * against the size of the file before anything is made of it. */
#include "base/error.h"
#include "output/netcdf.h"
#include "output/result_reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 16, RECORDS = 0 };
static const uint32_t STREAMING = 0xffffffff; /* as many records as the file has room for */

typedef struct dimension {
    const char *name;
    uint64_t size; /* 0: records */
} dimension;

typedef struct variable {
    const char *name, *unit, *meaning, *column, *words;
    int n, *dimensions; /* [n] numbers */
    uint32_t type;
    uint64_t bytes, begin; /* bytes of one record, or of all */
    bool in_records;
} variable;

/* The head while it is read. */
typedef struct head {
    nt_result *r;
    uint64_t at, size; /* of the file */
    nt_status status;  /* the first failure; nothing is read after it */
    nt_error *error;
    int offset_bytes;
    dimension *dimensions;
    int n_dimensions;
    variable *variables;
    int n_variables;
} head;

/* ---- pieces --------------------------------------------------------------------------------- */

static void damaged(head *h)
{
    if (h->status == NT_OK)
        h->status = nt_fail_at(h->error, NT_IO, h->r->path, 0, 0,
                               "is damaged, or no NetCDF file in classic format (at byte %llu)",
                               (unsigned long long)h->at);
}

static void netcdf_no_memory(head *h)
{
    if (h->status == NT_OK)
        h->status = nt_fail(h->error, NT_NO_MEMORY, "out of memory");
}

static bool get_bytes(head *h, void *bytes, uint64_t size)
{
    size_t got = 0;
    if (h->status == NT_OK && (h->at > h->size || size > h->size - h->at))
        damaged(h);
    if (h->status == NT_OK)
        h->status = nt_result_get(h->r, h->at, bytes, (size_t)size, &got, h->error);
    if (h->status == NT_OK && got < size)
        damaged(h);
    h->at += size;
    return h->status == NT_OK;
}

static uint64_t get_number(head *h, int bytes)
{
    unsigned char text[8];
    uint64_t number = 0;
    if (!get_bytes(h, text, (uint64_t)bytes))
        return 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | text[i];
    return number;
}

static const char *get_text(head *h, size_t *length)
{
    uint64_t size = get_number(h, 4);
    char *text = NULL;
    if (h->status == NT_OK && size > h->size)
        damaged(h);
    if (h->status == NT_OK && !(text = nt_arena_take(&h->r->arena, (size_t)size + 1, 1)))
        netcdf_no_memory(h);
    if (h->status == NT_OK)
        get_bytes(h, text, size);
    h->at += (4 - size % 4) % 4;
    if (length)
        *length = (size_t)size;
    return h->status == NT_OK ? text : "";
}

/* The number of entries of a list, each of which takes eight bytes at least. */
static int get_list(head *h, uint32_t tag)
{
    uint64_t found = get_number(h, 4), n = get_number(h, 4);
    if (h->status == NT_OK && (found != tag ? found != 0 || n != 0 : n > h->size / 8))
        damaged(h);
    return h->status == NT_OK ? (int)n : 0;
}

static uint64_t netcdf_size_of(uint64_t type)
{
    static const uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8};
    return type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

/* An attribute; of one that is no text the value is NULL. */
static nt_result_attribute get_attribute(head *h)
{
    nt_result_attribute a = {.name = get_text(h, NULL)};
    uint64_t type = get_number(h, 4);
    if (type == NT_NETCDF_CHAR) {
        a.value = get_text(h, &a.length);
        return a;
    }
    uint64_t bytes = get_number(h, 4) * netcdf_size_of(type);
    if (netcdf_size_of(type) == 0)
        damaged(h);
    h->at += (bytes + 3) / 4 * 4;
    return a;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void get_dimensions(head *h)
{
    h->n_dimensions = get_list(h, NT_NETCDF_DIMENSION_LIST);
    h->dimensions = NT_TAKE(&h->r->arena, h->n_dimensions, dimension);
    if (!h->dimensions)
        netcdf_no_memory(h);
    for (int i = 0; i < h->n_dimensions && h->status == NT_OK; i++) {
        h->dimensions[i].name = get_text(h, NULL);
        h->dimensions[i].size = get_number(h, 4);
    }
}

static void get_attributes(head *h)
{
    int n = get_list(h, NT_NETCDF_ATTRIBUTES);
    h->r->attributes = NT_TAKE(&h->r->arena, n, nt_result_attribute);
    if (!h->r->attributes)
        netcdf_no_memory(h);
    for (int i = 0; i < n && h->status == NT_OK; i++) {
        nt_result_attribute a = get_attribute(h);
        if (a.value)
            h->r->attributes[h->r->n_attributes++] = a;
    }
}

static void get_variable(head *h, variable *v)
{
    *v = (variable){.name = get_text(h, NULL), .unit = "", .meaning = ""};
    uint64_t n = get_number(h, 4);
    if (n > h->size / 4)
        damaged(h);
    v->n = h->status == NT_OK ? (int)n : 0;
    v->dimensions = NT_TAKE(&h->r->arena, v->n, int);
    if (!v->dimensions)
        netcdf_no_memory(h);
    uint64_t values = 1;
    for (int i = 0; i < v->n && h->status == NT_OK; i++) {
        uint64_t d = get_number(h, 4);
        if (h->status != NT_OK || d >= (uint64_t)h->n_dimensions) {
            damaged(h);
            return;
        }
        v->dimensions[i] = (int)d;
        v->in_records |= i == 0 && h->dimensions[d].size == RECORDS;
        values *= i == 0 && v->in_records ? 1 : h->dimensions[d].size;
        if (values > h->size && values > UINT32_MAX) {
            damaged(h);
            return;
        }
    }
    int attributes = get_list(h, NT_NETCDF_ATTRIBUTES);
    for (int i = 0; i < attributes && h->status == NT_OK; i++) {
        nt_result_attribute a = get_attribute(h);
        const char **to = strcmp(a.name, "units") == 0           ? &v->unit
                          : strcmp(a.name, "long_name") == 0     ? &v->meaning
                          : strcmp(a.name, "column") == 0        ? &v->column
                          : strcmp(a.name, "flag_meanings") == 0 ? &v->words
                                                                 : NULL;
        if (to && a.value)
            *to = a.value;
    }
    v->type = (uint32_t)get_number(h, 4);
    get_number(h, 4); /* bytes, which follow from the dimensions */
    v->begin = get_number(h, h->offset_bytes);
    v->bytes = (values * netcdf_size_of(v->type) + 3) / 4 * 4;
    if (netcdf_size_of(v->type) == 0)
        damaged(h);
}

static void get_variables(head *h)
{
    h->n_variables = get_list(h, NT_NETCDF_VARIABLES);
    h->variables = NT_TAKE(&h->r->arena, h->n_variables, variable);
    if (!h->variables)
        netcdf_no_memory(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++)
        get_variable(h, &h->variables[i]);
}

/* ---- what they make ------------------------------------------------------------------------- */

static bool is_column(const variable *v)
{
    return v->in_records && v->n == 1 && v->type == NT_NETCDF_DOUBLE;
}

static bool is_array(const variable *v)
{
    return v->in_records && v->n == 3 && v->type == NT_NETCDF_DOUBLE;
}

static void find_records(head *h)
{
    nt_result *r = h->r;
    bool any = false;
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const variable *v = &h->variables[i];
        r->n_columns += is_column(v);
        r->n_arrays += is_array(v);
        if (!v->in_records)
            continue;
        r->records = any && r->records < v->begin ? r->records : v->begin;
        r->record_size += v->bytes;
        any = true;
    }
    if (h->status == NT_OK && (r->n_columns == 0 || r->records > h->size))
        damaged(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const variable *v = &h->variables[i];
        if (v->in_records && (v->begin - r->records > r->record_size ||
                              v->bytes > r->record_size - (v->begin - r->records)))
            damaged(h);
    }
}

/* Names of the items of dimension d: those of the variable of its name, else "". */
static const char *const *item_names(head *h, int d)
{
    int items = (int)h->dimensions[d].size;
    const char **names = NT_TAKE(&h->r->arena, items, const char *);
    const variable *v = NULL;
    for (int i = 0; i < h->n_variables && !v; i++) {
        const variable *w = &h->variables[i];
        bool named = strcmp(w->name, h->dimensions[d].name) == 0 && w->type == NT_NETCDF_CHAR &&
                     w->n == 2 && !w->in_records && w->dimensions[0] == d;
        v = named ? w : NULL;
    }
    if (!names)
        netcdf_no_memory(h);
    uint64_t length = v ? h->dimensions[v->dimensions[1]].size : 0;
    for (int i = 0; i < items && h->status == NT_OK; i++) {
        char *name = nt_arena_take(&h->r->arena, (size_t)length + 1, 1);
        if (!name) {
            netcdf_no_memory(h);
            break;
        }
        h->at = v ? v->begin + (uint64_t)i * length : h->at;
        get_bytes(h, name, length);
        names[i] = name;
    }
    return names;
}

/* The words between the blanks of a variable's flag_meanings; 0, 1 and so on stand for them. */
static nt_result_words words_of(head *h, const char *text, int column)
{
    int n = 0;
    for (const char *c = text; c && *c; n++)
        c += strcspn(c, " "), c += strspn(c, " ");
    const char **words = NT_TAKE(&h->r->arena, n, const char *);
    for (int i = 0; i < n && words; i++) {
        size_t length = strcspn(text, " ");
        words[i] = nt_arena_text(&h->r->arena, text, length);
        words = words[i] ? words : NULL;
        text += length, text += strspn(text, " ");
    }
    if (!words)
        netcdf_no_memory(h);
    return (nt_result_words){column, words, words ? n : 0};
}

static void netcdf_describe(head *h)
{
    nt_result *r = h->r;
    int columns = 0, arrays = 0;
    r->columns = NT_TAKE(&r->arena, r->n_columns, nt_result_column);
    r->words = NT_TAKE(&r->arena, r->n_columns, nt_result_words);
    r->column_at = NT_TAKE(&r->arena, r->n_columns, uint64_t);
    r->arrays = NT_TAKE(&r->arena, r->n_arrays, nt_result_array);
    r->array_at = NT_TAKE(&r->arena, r->n_arrays, uint64_t);
    if (!r->columns || !r->words || !r->column_at || !r->arrays || !r->array_at)
        netcdf_no_memory(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++) {
        const variable *v = &h->variables[i];
        const char *name = v->column ? v->column : v->name;
        if (is_column(v)) {
            r->columns[columns] = (nt_result_column){name, v->unit, v->meaning};
            if (v->words)
                r->words[columns] = words_of(h, v->words, columns);
            r->column_at[columns++] = v->begin - r->records;
        } else if (is_array(v)) {
            const dimension *item = &h->dimensions[v->dimensions[1]];
            const dimension *component = &h->dimensions[v->dimensions[2]];
            if (item->size > h->size || component->size > h->size) {
                damaged(h);
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
    struct stat is;
    head h = {.r = r, .at = 3, .error = error};
    if (fstat(r->file, &is) == 0)
        h.size = (uint64_t)is.st_size;
    uint64_t version = get_number(&h, 1), rows = get_number(&h, 4);
    if (version != 1 && version != 2)
        damaged(&h);
    h.offset_bytes = version == 2 ? 8 : 4;
    get_dimensions(&h);
    get_attributes(&h);
    get_variables(&h);
    find_records(&h);
    netcdf_describe(&h);
    if (h.status != NT_OK)
        return h.status;
    uint64_t there = (h.size - r->records) / r->record_size;
    r->rows = (long)(rows == STREAMING || rows > there ? there : rows);
    r->buffer_room = r->record_size > PIECE ? r->record_size : PIECE;
    r->buffer = malloc(r->buffer_room);
    return r->buffer ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- rows ----------------------------------------------------------------------------------- */

static double number_at(const char *text)
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
            *out++ = number_at(record + r->column_at[i]);
        return out;
    }
    int n = r->arrays[array].items * r->arrays[array].components;
    for (int i = 0; i < n; i++)
        *out++ = number_at(record + r->array_at[array] + 8 * (uint64_t)i);
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
