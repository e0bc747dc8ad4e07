/* NetCDF, classic format with 64-bit offsets: one variable for each column over the unlimited
 * dimension of rows, and blocks of more than one number over further dimensions.
 *
 * Format specification: NetCDF User's Guide, appendix "The NetCDF classic format":
 *
 *   file      'C' 'D' 'F' 2, number of records, dimensions, attributes, variables, data
 *   list      tag (0 and 0 where it is empty), number of entries, entries
 *   dimension name, size (0: records)
 *   attribute name, type, number of values, values
 *   variable  name, dimensions, attributes, type, bytes (of one record), where its data begin
 *
 * Numbers are big-endian, texts are filled up with zeros to multiples of four bytes. Data of
 * variables without records come first; then records, each holding one row of all others. */
#include "output/netcdf/netcdf.h"
#include "base/error.h"
#include "output/format.h"

#include <string.h>

enum { MOST_NAME = 256 };

/* ---- pieces --------------------------------------------------------------------------------- */

void nt_netcdf_put_number(nt_bytes *out, uint64_t number, int bytes)
{
    unsigned char text[8];
    for (int i = 0; i < bytes; i++)
        text[i] = (unsigned char)(number >> (8 * (bytes - 1 - i)));
    nt_bytes_put(out, text, (size_t)bytes);
}

/* A text: its length, then its bytes, filled up with zeros to a multiple of four. */
static void netcdf_put_text(nt_bytes *out, const char *text, size_t length)
{
    nt_netcdf_put_number(out, length, 4);
    nt_bytes_put(out, text, length);
    nt_bytes_put(out, "\0\0\0", (4 - length % 4) % 4);
}

void nt_netcdf_put_attribute(nt_bytes *out, const char *name, const char *text, size_t length)
{
    netcdf_put_text(out, name, strlen(name));
    nt_netcdf_put_number(out, NT_NETCDF_CHAR, 4);
    netcdf_put_text(out, text, length);
}

void nt_netcdf_put_name(nt_bytes *out, const char *name)
{
    size_t begin = out->used + 4;
    netcdf_put_text(out, name, strlen(name));
    for (size_t i = begin; !out->failed && i < out->used; i++)
        if (out->at[i] == '/')
            out->at[i] = '_';
}

static bool is_column(const nt_result_setup *setup, const char *name)
{
    for (int i = 0; i < setup->n_columns; i++)
        if (strcmp(setup->columns[i].name, name) == 0)
            return true;
    return false;
}

/* What a dimension or an array is called in the file: columns have the first choice of a name, and
 * what would have the same one has underscores behind it. */
static void put_free_name(nt_bytes *out, const nt_result_setup *setup, const char *name)
{
    char free_name[MOST_NAME];
    size_t length = strlen(name);
    if (length >= sizeof free_name)
        length = sizeof free_name - 1;
    memcpy(free_name, name, length);
    free_name[length] = '\0';
    while (is_column(setup, free_name) && length + 1 < sizeof free_name) {
        free_name[length++] = '_';
        free_name[length] = '\0';
    }
    nt_netcdf_put_name(out, free_name);
}

static void put_list(nt_bytes *out, uint32_t tag, int n)
{
    nt_netcdf_put_number(out, n > 0 ? tag : 0, 4);
    nt_netcdf_put_number(out, (uint64_t)n, 4);
}

/* ---- dimensions ----------------------------------------------------------------------------- */

/* Dimensions of the arrays, each once by its name. */
typedef struct dimensions {
    const char *name[NT_NETCDF_DIMENSIONS];
    uint64_t size[NT_NETCDF_DIMENSIONS];
    int n;
} dimensions;

static int dimension_of(dimensions *d, const char *name, uint64_t size)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->name[i], name) == 0 && d->size[i] == size)
            return i;
    if (d->n == NT_NETCDF_DIMENSIONS)
        return -1;
    d->name[d->n] = name;
    d->size[d->n] = size;
    return d->n++;
}

/* The length of the longest name of an item: one dimension serves the names of all items. */
static size_t longest_name(const nt_result_setup *setup)
{
    size_t longest = 1;
    for (int i = 0; i < setup->n_arrays; i++)
        for (int j = 0; j < setup->arrays[i].items; j++) {
            size_t length = strlen(setup->arrays[i].item_names[j]);
            longest = length > longest ? length : longest;
        }
    return longest;
}

/* Whether array i is the first one of its items, whose names then stand in a variable of their
 * own. */
static bool names_items(const nt_result_setup *setup, int i)
{
    for (int j = 0; j < i; j++)
        if (strcmp(setup->arrays[j].item, setup->arrays[i].item) == 0)
            return false;
    return true;
}

static bool find_dimensions(const nt_result_setup *setup, dimensions *d)
{
    bool good = dimension_of(d, setup->columns[0].name, 0) == 0;
    for (int i = 0; i < setup->n_arrays; i++) {
        const nt_result_array *a = &setup->arrays[i];
        good = good && dimension_of(d, a->item, (uint64_t)a->items) >= 0 &&
               dimension_of(d, a->component, (uint64_t)a->components) >= 0;
        if (names_items(setup, i))
            good = good && dimension_of(d, "name_length", longest_name(setup)) >= 0;
    }
    return good;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* What the numbers of a variable stand for: lines, and as the conventions for climate and forecast
 * have it, where blanks lie between them and none is within. */
static void put_words(nt_bytes *out, const nt_result_words *words)
{
    static const char values[] = "flag_values";
    static const char *const names[2] = {"flag_meanings", "words"};
    size_t length = (size_t)words->n - 1;
    netcdf_put_text(out, values, sizeof values - 1);
    nt_netcdf_put_number(out, NT_NETCDF_DOUBLE, 4);
    nt_netcdf_put_number(out, (uint64_t)words->n, 4);
    for (int i = 0; i < words->n; i++) {
        uint64_t bits;
        double value = i;
        memcpy(&bits, &value, sizeof bits);
        nt_netcdf_put_number(out, bits, 8);
        length += strlen(words->words[i]);
    }
    for (int lines = 0; lines < 2; lines++) {
        netcdf_put_text(out, names[lines], strlen(names[lines]));
        nt_netcdf_put_number(out, NT_NETCDF_CHAR, 4);
        nt_netcdf_put_number(out, length, 4);
        for (int i = 0; i < words->n; i++) {
            nt_bytes_put(out, lines ? "\n" : " ", i > 0);
            for (const char *c = words->words[i]; *c; c++)
                nt_bytes_put(out, !lines && *c == ' ' ? "_" : c, 1);
        }
        nt_bytes_put(out, "\0\0\0", (4 - length % 4) % 4);
    }
}

/* All of a variable but its name, which stands before. words: NULL where its numbers stand for
 * none.
 */
static void put_variable(nt_bytes *out, const char *name, const int *dimension, int n,
                         const nt_result_column *column, const nt_result_words *words)
{
    nt_netcdf_put_number(out, (uint64_t)n, 4);
    for (int i = 0; i < n; i++)
        nt_netcdf_put_number(out, (uint64_t)dimension[i], 4);
    bool renamed = column && strchr(name, '/');
    put_list(out, NT_NETCDF_ATTRIBUTES, column ? 2 + renamed + (words ? 3 : 0) : 0);
    if (!column)
        return;
    nt_netcdf_put_attribute(out, "units", column->unit, strlen(column->unit));
    nt_netcdf_put_attribute(out, "long_name", column->meaning, strlen(column->meaning));
    if (renamed) /* what the column is called in CSV */
        nt_netcdf_put_attribute(out, "column", name, strlen(name));
    if (words)
        put_words(out, words);
}

static const nt_result_words *words_of(const nt_result_setup *setup, int column)
{
    for (int i = 0; i < setup->n_words; i++)
        if (setup->words[i].column == column)
            return &setup->words[i];
    return NULL;
}

static void put_place(nt_bytes *out, uint32_t type, uint64_t bytes, uint64_t begin)
{
    nt_netcdf_put_number(out, type, 4);
    nt_netcdf_put_number(out, bytes < UINT32_MAX ? bytes : UINT32_MAX, 4);
    nt_netcdf_put_number(out, begin, 8);
}

static uint64_t filled_up(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

/* The head up to the data, which begin at `begin`; returns where records begin. */
static uint64_t netcdf_put_head(const nt_result_setup *setup, dimensions *d, uint64_t begin,
                                nt_bytes *out)
{
    int named = 0;
    for (int i = 0; i < setup->n_arrays; i++)
        named += names_items(setup, i);
    nt_bytes_put(out, "CDF\2\0\0\0", 8);
    put_list(out, NT_NETCDF_DIMENSION_LIST, d->n);
    for (int i = 0; i < d->n; i++) {
        if (i == 0)
            nt_netcdf_put_name(out, d->name[i]);
        else
            put_free_name(out, setup, d->name[i]);
        nt_netcdf_put_number(out, d->size[i], 4);
    }
    put_list(out, NT_NETCDF_ATTRIBUTES, setup->n_attributes);
    for (int i = 0; i < setup->n_attributes; i++) {
        const nt_result_attribute *a = &setup->attributes[i];
        nt_netcdf_put_attribute(out, a->name, a->value, a->length);
    }
    put_list(out, NT_NETCDF_VARIABLES, setup->n_columns + setup->n_arrays + named);
    for (int i = 0; i < setup->n_arrays; i++)
        if (names_items(setup, i)) {
            const nt_result_array *a = &setup->arrays[i];
            uint64_t length = longest_name(setup), bytes = filled_up((uint64_t)a->items * length);
            put_free_name(out, setup, a->item);
            put_variable(out, a->item,
                         (const int[2]){dimension_of(d, a->item, (uint64_t)a->items),
                                        dimension_of(d, "name_length", length)},
                         2, NULL, NULL);
            put_place(out, NT_NETCDF_CHAR, bytes, begin);
            begin += bytes;
        }
    uint64_t records = begin;
    for (int i = 0; i < setup->n_columns; i++, begin += 8) {
        nt_netcdf_put_name(out, setup->columns[i].name);
        put_variable(out, setup->columns[i].name, (const int[1]){0}, 1, &setup->columns[i],
                     words_of(setup, i));
        put_place(out, NT_NETCDF_DOUBLE, 8, begin);
    }
    for (int i = 0; i < setup->n_arrays; i++) {
        const nt_result_array *a = &setup->arrays[i];
        const nt_result_column column = {a->name, a->unit, a->meaning};
        uint64_t bytes = 8 * (uint64_t)a->items * (uint64_t)a->components;
        put_free_name(out, setup, a->name);
        put_variable(out, a->name,
                     (const int[3]){0, dimension_of(d, a->item, (uint64_t)a->items),
                                    dimension_of(d, a->component, (uint64_t)a->components)},
                     3, &column, NULL);
        put_place(out, NT_NETCDF_DOUBLE, bytes, begin);
        begin += bytes;
    }
    return records;
}

static void put_item_names(const nt_result_setup *setup, nt_bytes *out)
{
    for (int i = 0; i < setup->n_arrays; i++) {
        const nt_result_array *a = &setup->arrays[i];
        if (!names_items(setup, i))
            continue;
        size_t length = longest_name(setup), bytes = (size_t)a->items * length;
        for (int j = 0; j < a->items; j++) {
            const char *name = a->item_names[j];
            nt_bytes_put(out, name, strlen(name));
            for (size_t k = strlen(name); k < length; k++)
                nt_bytes_put(out, "", 1);
        }
        nt_bytes_put(out, "\0\0\0", filled_up(bytes) - bytes);
    }
}

static nt_status netcdf_head(const nt_result_setup *setup, const char *path, nt_bytes *out,
                             nt_error *error)
{
    dimensions d = {0};
    nt_bytes measured = {0};
    if (!find_dimensions(setup, &d))
        return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be written: too many dimensions");
    for (int i = 0; i < setup->n_columns; i++)
        if (strlen(setup->columns[i].name) > MOST_NAME)
            return nt_fail_at(error, NT_IO, path, 0, 0,
                              "cannot be written: NetCDF has no names of more than %d characters "
                              "('%.60s...')",
                              MOST_NAME, setup->columns[i].name);
    netcdf_put_head(setup, &d, 0, &measured);
    out->failed |= measured.failed;
    uint64_t begin = measured.used;
    nt_bytes_free(&measured);
    netcdf_put_head(setup, &d, begin, out);
    put_item_names(setup, out);
    return NT_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static size_t netcdf_room(const nt_result_setup *setup)
{
    size_t numbers = (size_t)setup->n_columns;
    for (int i = 0; i < setup->n_arrays; i++)
        numbers += (size_t)setup->arrays[i].items * (size_t)setup->arrays[i].components;
    return 8 * numbers;
}

static size_t netcdf_row(const nt_layout *layout, const double *values, char *out)
{
    int n = layout->n_columns + layout->n_others;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int k = 0; k < 8; k++)
            *out++ = (char)(bits >> (56 - 8 * k));
    }
    return 8 * (size_t)n;
}

const nt_format nt_format_netcdf = {
    .head = netcdf_head, .room = netcdf_room, .row = netcdf_row, .count_at = 4, .needs_file = true};
