/* The table of a sweep in NetCDF, classic format with 64-bit offsets (see output/netcdf.c for the
 * pieces): variables over the plan's own dimensions. Those of a grid are its axes, each with a
 * variable of its values; samples and lists have the dimension `sample`. Load cases come first. */
#include "base/error.h"
#include "output/format.h"
#include "output/netcdf/netcdf.h"
#include "sweep/sweep.h"
#include "sweep/table_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = NT_NETCDF_DOUBLE, TEXT = NT_NETCDF_CHAR, WHOLE = 4, MOST_DIMENSIONS = 128 };

typedef struct dimension {
    const char *name;
    size_t size;
} dimension;

/* Writes the values of a variable. */
typedef struct variable variable;
typedef struct netcdf netcdf;
typedef void put_values(netcdf *n, const variable *v);

struct variable {
    const char *name, *unit, *meaning;
    int type, dimension[MOST_DIMENSIONS], n_dimensions;
    size_t count; /* values */
    put_values *put;
    int index; /* what the function needs */
};

struct netcdf {
    nt_table_of_rows *t;
    nt_table_file file;
    dimension dimensions[MOST_DIMENSIONS];
    int n_dimensions;
    variable *variables;
    int n_variables;
    int table[MOST_DIMENSIONS], n_table; /* dimensions of the table */
    int sample;                          /* that of samples, -1 in a grid */
    size_t longest_message;
    long failures;
    nt_axis_value *values; /* [n_axes] */
};

static size_t type_bytes(int type) { return type == NUMBER ? 8 : type == WHOLE ? 4 : 1; }

static void put_double(netcdf *n, double x)
{
    uint64_t bits;
    unsigned char text[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        text[i] = (unsigned char)(bits >> (56 - 8 * i));
    nt_table_put(&n->file, text, 8);
}

static void put_whole(netcdf *n, int x)
{
    uint32_t bits = (uint32_t)x;
    const unsigned char text[4] = {(unsigned char)(bits >> 24), (unsigned char)(bits >> 16),
                                   (unsigned char)(bits >> 8), (unsigned char)bits};
    nt_table_put(&n->file, text, 4);
}

static void put_padded(netcdf *n, const char *text, size_t length)
{
    size_t used = strlen(text);
    nt_table_put(&n->file, text, used < length ? used : length);
    for (; used < length; used++)
        nt_table_put(&n->file, "", 1);
}

/* ---- values --------------------------------------------------------------------------------- */

static size_t text_room(const netcdf *n, const variable *v)
{
    return n->dimensions[v->dimension[v->n_dimensions - 1]].size;
}

static void put_cases(netcdf *n, const variable *v)
{
    for (int i = 0; i < n->t->sweep->n_cases; i++)
        put_padded(n, n->t->sweep->cases[i].name, text_room(n, v));
}

/* The values of an axis of a grid, or those of all samples. */
static void put_axis(netcdf *n, const variable *v)
{
    const nt_sweep *s = n->t->sweep;
    const nt_axis *axis = &s->axes[v->index];
    size_t count = n->sample < 0 ? (size_t)axis->n : n->dimensions[n->sample].size;
    for (size_t i = 0; i < count && n->file.status == NT_OK; i++) {
        char buffer[32];
        int load_case;
        nt_axis_value value = {(int)i, 0};
        if (n->sample < 0)
            value.number = axis->number[i];
        else {
            nt_design_values(s, (long)i, &load_case, n->values);
            value = n->values[v->index];
        }
        if (axis->numbers)
            put_double(n, value.number);
        else
            put_padded(n, nt_design_text(axis, &value, buffer), text_room(n, v));
    }
}

static void put_status(netcdf *n, const variable *v)
{
    (void)v;
    for (long row = 0; row < n->t->sweep->rows && n->file.status == NT_OK; row++)
        put_whole(n, n->t->status[row]);
}

static void put_column(netcdf *n, const variable *v)
{
    const nt_sweep *s = n->t->sweep;
    size_t all = nt_sweep_numbers(s);
    for (long row = 0; row < s->rows && n->file.status == NT_OK; row++)
        put_double(n, n->t->numbers[(size_t)row * all + (size_t)v->index]);
}

static void put_series(netcdf *n, const variable *v)
{
    const nt_sweep *s = n->t->sweep;
    size_t all = nt_sweep_numbers(s);
    for (long row = 0; row < s->rows && n->file.status == NT_OK; row++) {
        const double *at = n->t->numbers + (size_t)row * all + s->n_columns + v->index;
        for (long k = 0; k < s->series_rows; k++)
            put_double(n, at[k * s->series_columns]);
    }
}

static void put_failed(netcdf *n, const variable *v)
{
    for (long row = 0; row < n->t->sweep->rows && n->file.status == NT_OK; row++) {
        if (n->t->status[row] <= 0)
            continue;
        if (v->index == 0)
            put_double(n, (double)row);
        if (v->index == 1)
            put_whole(n, n->t->status[row]);
        if (v->index == 2)
            put_padded(n, n->t->message[row] ? n->t->message[row] : "", text_room(n, v));
    }
}

/* ---- what there is -------------------------------------------------------------------------- */

static int add_dimension(netcdf *n, const char *name, size_t size)
{
    if (n->n_dimensions == MOST_DIMENSIONS)
        return -1;
    n->dimensions[n->n_dimensions] = (dimension){name, size};
    return n->n_dimensions++;
}

/* A variable over over[n_over], and one more for its letters or rows where last >= 0. */
static variable *add_variable(netcdf *n, const nt_result_column *column, int type, const int *over,
                              int n_over, int last, put_values *put)
{
    variable *v = &n->variables[n->n_variables++];
    *v = (variable){column->name, column->unit, column->meaning, .type = type, .put = put};
    v->count = 1;
    for (int i = 0; i < n_over; i++)
        v->dimension[v->n_dimensions++] = over[i];
    if (last >= 0)
        v->dimension[v->n_dimensions++] = last;
    for (int i = 0; i < v->n_dimensions; i++)
        v->count *= n->dimensions[v->dimension[i]].size;
    return v;
}

static size_t longest_text(const nt_axis *axis)
{
    size_t longest = 1;
    for (int i = 0; i < axis->n; i++) {
        size_t length = axis->text[i] ? strlen(axis->text[i]) : 0;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool add_axes(netcdf *n)
{
    const nt_sweep *s = n->t->sweep;
    bool grid = s->design == NT_DESIGN_GRID, good = true;
    static const nt_result_column cases = {"case", "", "load case"};
    if (s->n_cases > 0) {
        size_t longest = 1;
        for (int i = 0; i < s->n_cases; i++)
            longest = strlen(s->cases[i].name) > longest ? strlen(s->cases[i].name) : longest;
        n->table[n->n_table++] = add_dimension(n, "case", (size_t)s->n_cases);
        int letters = add_dimension(n, "case_length", longest);
        add_variable(n, &cases, TEXT, n->table, 1, letters, put_cases);
    }
    n->sample = -1;
    if (!grid) {
        long each = s->n_cases > 0 ? s->rows / s->n_cases : s->rows;
        n->sample = n->table[n->n_table++] = add_dimension(n, "sample", (size_t)each);
    }
    for (int k = 0; k < s->n_axes && good; k++) {
        const nt_axis *axis = &s->axes[k];
        const nt_result_column column = {axis->name, "1", "what varies"};
        int own = grid ? add_dimension(n, axis->name, (size_t)axis->n) : n->sample;
        int letters = -1;
        if (!axis->numbers) {
            char *name = nt_arena_take(&n->t->arena, strlen(axis->name) + 8, 1);
            if (!name)
                return false;
            snprintf(name, strlen(axis->name) + 8, "%s_length", axis->name);
            letters = add_dimension(n, name, longest_text(axis));
        }
        good = own >= 0 && (axis->numbers || letters >= 0);
        if (grid && good)
            n->table[n->n_table++] = own;
        if (good)
            add_variable(n, &column, axis->numbers ? NUMBER : TEXT, &own, 1, letters, put_axis)
                ->index = k;
    }
    return good;
}

static void add_failures(netcdf *n)
{
    static const nt_result_column columns[] = {{"failure_row", "1", "number of a row that failed"},
                                               {"failure_status", "1", "its status"},
                                               {"failure_message", "", "what went wrong"}};
    for (long row = 0; row < n->t->sweep->rows; row++)
        if (n->t->status[row] > 0) {
            size_t length = n->t->message[row] ? strlen(n->t->message[row]) : 0;
            n->longest_message = length > n->longest_message ? length : n->longest_message;
            n->failures++;
        }
    if (n->failures == 0) /* a dimension of no size would be that of records */
        return;
    int failure = add_dimension(n, "failure", (size_t)n->failures);
    int letters = add_dimension(n, "failure_length", n->longest_message + 1);
    add_variable(n, &columns[0], NUMBER, &failure, 1, -1, put_failed)->index = 0;
    add_variable(n, &columns[1], WHOLE, &failure, 1, -1, put_failed)->index = 1;
    add_variable(n, &columns[2], TEXT, &failure, 1, letters, put_failed)->index = 2;
}

static bool add_all(netcdf *n)
{
    const nt_sweep *s = n->t->sweep;
    static const nt_result_column status = {
        "status", "1", "0 done, -1 not run, else the status with which the row failed"};
    if (!add_axes(n))
        return false;
    add_variable(n, &status, WHOLE, n->table, n->n_table, -1, put_status);
    for (int i = 0; i < s->n_columns; i++)
        add_variable(n, &s->columns[i], NUMBER, n->table, n->n_table, -1, put_column)->index = i;
    int time = s->series_columns > 0 ? add_dimension(n, "series_row", (size_t)s->series_rows) : -1;
    for (int i = 0; i < s->series_columns; i++)
        add_variable(n, &s->series[i], NUMBER, n->table, n->n_table, time, put_series)->index = i;
    add_failures(n);
    return n->n_dimensions < MOST_DIMENSIONS;
}

/* ---- the file ------------------------------------------------------------------------------- */

static size_t filled_up(size_t bytes) { return (bytes + 3) / 4 * 4; }

static void put_attributes(const netcdf *n, nt_bytes *out)
{
    const nt_sweep *s = n->t->sweep;
    nt_bytes kinds = {0};
    for (int i = 0; i < n->t->n_kinds; i++) {
        nt_bytes_put(&kinds, n->t->kinds[i], strlen(n->t->kinds[i]));
        nt_bytes_put(&kinds, "\n", 1);
    }
    out->failed |= kinds.failed;
    nt_netcdf_put_number(out, NT_NETCDF_ATTRIBUTES, 4);
    nt_netcdf_put_number(out, 5, 4);
    nt_netcdf_put_attribute(out, "source", "nutate sweep", strlen("nutate sweep"));
    nt_netcdf_put_attribute(out, "nutate_version", nt_version(), strlen(nt_version()));
    nt_netcdf_put_attribute(out, "plan", s->text, s->text_length);
    nt_netcdf_put_attribute(out, "model_sha256", s->model_digest, strlen(s->model_digest));
    nt_netcdf_put_attribute(out, "machines", kinds.at, kinds.used);
    nt_bytes_free(&kinds);
}

/* The head up to the data, which begin at `begin`. */
static void put_head(const netcdf *n, size_t begin, nt_bytes *out)
{
    nt_bytes_put(out, "CDF\2\0\0\0", 8);
    nt_netcdf_put_number(out, NT_NETCDF_DIMENSION_LIST, 4);
    nt_netcdf_put_number(out, (uint64_t)n->n_dimensions, 4);
    for (int i = 0; i < n->n_dimensions; i++) {
        nt_netcdf_put_name(out, n->dimensions[i].name);
        nt_netcdf_put_number(out, n->dimensions[i].size, 4);
    }
    put_attributes(n, out);
    nt_netcdf_put_number(out, NT_NETCDF_VARIABLES, 4);
    nt_netcdf_put_number(out, (uint64_t)n->n_variables, 4);
    for (int i = 0; i < n->n_variables; i++) {
        const variable *v = &n->variables[i];
        size_t bytes = filled_up(v->count * type_bytes(v->type));
        nt_netcdf_put_name(out, v->name);
        nt_netcdf_put_number(out, (uint64_t)v->n_dimensions, 4);
        for (int k = 0; k < v->n_dimensions; k++)
            nt_netcdf_put_number(out, (uint64_t)v->dimension[k], 4);
        nt_netcdf_put_number(out, NT_NETCDF_ATTRIBUTES, 4);
        nt_netcdf_put_number(out, 2, 4);
        nt_netcdf_put_attribute(out, "units", v->unit, strlen(v->unit));
        nt_netcdf_put_attribute(out, "long_name", v->meaning, strlen(v->meaning));
        nt_netcdf_put_number(out, (uint64_t)v->type, 4);
        nt_netcdf_put_number(out, bytes < UINT32_MAX ? bytes : UINT32_MAX, 4);
        nt_netcdf_put_number(out, begin, 8);
        begin += bytes;
    }
}

static nt_status write_file(netcdf *n, const char *path, nt_error *error)
{
    nt_bytes head = {0};
    put_head(n, 0, &head);
    size_t begin = head.used;
    head.used = 0;
    put_head(n, begin, &head);
    if (head.failed) {
        nt_bytes_free(&head);
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    nt_table_begin(&n->file, path, error);
    nt_table_put(&n->file, head.at, head.used);
    for (int i = 0; i < n->n_variables && n->file.status == NT_OK; i++) {
        const variable *v = &n->variables[i];
        size_t bytes = v->count * type_bytes(v->type);
        v->put(n, v);
        nt_table_put(&n->file, "\0\0\0", filled_up(bytes) - bytes);
    }
    nt_bytes_free(&head);
    return nt_table_end(&n->file);
}

nt_status nt_collect_netcdf(nt_table_of_rows *t, const char *path, nt_error *error)
{
    const nt_sweep *s = t->sweep;
    if (s->rows > INT32_MAX)
        return nt_fail(error, NT_IO, "%ld rows are more than a NetCDF file of this format holds",
                       s->rows);
    netcdf *n = calloc(1, sizeof *n);
    size_t most = (size_t)(s->n_axes + s->n_columns + s->series_columns) + 8;
    if (n) {
        n->t = t;
        n->variables = calloc(most, sizeof *n->variables);
        n->values = calloc((size_t)s->n_axes + 1, sizeof *n->values);
    }
    nt_status status =
        n && n->variables && n->values ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && !add_all(n))
        status = nt_fail(error, NT_IO, "more than %d dimensions", MOST_DIMENSIONS);
    if (status == NT_OK)
        status = write_file(n, path, error);
    if (n) {
        free(n->variables);
        free(n->values);
    }
    free(n);
    return status;
}
