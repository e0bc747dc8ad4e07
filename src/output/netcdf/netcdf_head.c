/* What a NetCDF file in classic format (32-bit or 64-bit offsets) says that it holds. Every number
 * is checked against the size of the file before anything is made of it. */
#include "output/netcdf/netcdf_head.h"

#include "base/error.h"
#include "output/netcdf/netcdf.h"

#include <string.h>
#include <sys/stat.h>

/* ---- pieces --------------------------------------------------------------------------------- */

void nt_netcdf_damaged(nt_netcdf_head *h)
{
    if (h->status == NT_OK)
        h->status = nt_fail_at(h->error, NT_IO, h->r->path, 0, 0,
                               "is damaged, or no NetCDF file in classic format (at byte %llu)",
                               (unsigned long long)h->at);
}

void nt_netcdf_no_memory(nt_netcdf_head *h)
{
    if (h->status == NT_OK)
        h->status = nt_fail(h->error, NT_NO_MEMORY, "out of memory");
}

bool nt_netcdf_get(nt_netcdf_head *h, void *bytes, uint64_t size)
{
    size_t got = 0;
    if (h->status == NT_OK && (h->at > h->size || size > h->size - h->at))
        nt_netcdf_damaged(h);
    if (h->status == NT_OK)
        h->status = nt_result_get(h->r, h->at, bytes, (size_t)size, &got, h->error);
    if (h->status == NT_OK && got < size)
        nt_netcdf_damaged(h);
    h->at += size;
    return h->status == NT_OK;
}

static uint64_t get_number(nt_netcdf_head *h, int bytes)
{
    unsigned char text[8];
    uint64_t number = 0;
    if (!nt_netcdf_get(h, text, (uint64_t)bytes))
        return 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | text[i];
    return number;
}

static const char *get_text(nt_netcdf_head *h, size_t *length)
{
    uint64_t size = get_number(h, 4);
    char *text = NULL;
    if (h->status == NT_OK && size > h->size)
        nt_netcdf_damaged(h);
    if (h->status == NT_OK && !(text = nt_arena_take(&h->r->arena, (size_t)size + 1, 1)))
        nt_netcdf_no_memory(h);
    if (h->status == NT_OK)
        nt_netcdf_get(h, text, size);
    h->at += (4 - size % 4) % 4;
    if (length)
        *length = (size_t)size;
    return h->status == NT_OK ? text : "";
}

/* The number of entries of a list, each of which takes eight bytes at least. */
static int get_list(nt_netcdf_head *h, uint32_t tag)
{
    uint64_t found = get_number(h, 4), n = get_number(h, 4);
    if (h->status == NT_OK && (found != tag ? found != 0 || n != 0 : n > h->size / 8))
        nt_netcdf_damaged(h);
    return h->status == NT_OK ? (int)n : 0;
}

/* bytes of a value; 0 of what is none */
static uint64_t netcdf_size_of(uint64_t type)
{
    static const uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8};
    return type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

/* An attribute; of one that is no text the value is NULL. */
static nt_result_attribute get_attribute(nt_netcdf_head *h)
{
    nt_result_attribute a = {.name = get_text(h, NULL)};
    uint64_t type = get_number(h, 4);
    if (type == NT_NETCDF_CHAR) {
        a.value = get_text(h, &a.length);
        return a;
    }
    uint64_t bytes = get_number(h, 4) * netcdf_size_of(type);
    if (netcdf_size_of(type) == 0)
        nt_netcdf_damaged(h);
    h->at += (bytes + 3) / 4 * 4;
    return a;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void get_dimensions(nt_netcdf_head *h)
{
    h->n_dimensions = get_list(h, NT_NETCDF_DIMENSION_LIST);
    h->dimensions = NT_TAKE(&h->r->arena, h->n_dimensions, nt_netcdf_dimension);
    if (!h->dimensions)
        nt_netcdf_no_memory(h);
    for (int i = 0; i < h->n_dimensions && h->status == NT_OK; i++) {
        h->dimensions[i].name = get_text(h, NULL);
        h->dimensions[i].size = get_number(h, 4);
    }
}

static void get_attributes(nt_netcdf_head *h)
{
    int n = get_list(h, NT_NETCDF_ATTRIBUTES);
    h->r->attributes = NT_TAKE(&h->r->arena, n, nt_result_attribute);
    if (!h->r->attributes)
        nt_netcdf_no_memory(h);
    for (int i = 0; i < n && h->status == NT_OK; i++) {
        nt_result_attribute a = get_attribute(h);
        if (a.value)
            h->r->attributes[h->r->n_attributes++] = a;
    }
}

static void get_variable(nt_netcdf_head *h, nt_netcdf_variable *v)
{
    *v = (nt_netcdf_variable){.name = get_text(h, NULL), .unit = "", .meaning = ""};
    uint64_t n = get_number(h, 4);
    if (n > h->size / 4)
        nt_netcdf_damaged(h);
    v->n = h->status == NT_OK ? (int)n : 0;
    v->dimensions = NT_TAKE(&h->r->arena, v->n, int);
    if (!v->dimensions)
        nt_netcdf_no_memory(h);
    uint64_t values = 1;
    for (int i = 0; i < v->n && h->status == NT_OK; i++) {
        uint64_t d = get_number(h, 4);
        if (h->status != NT_OK || d >= (uint64_t)h->n_dimensions) {
            nt_netcdf_damaged(h);
            return;
        }
        v->dimensions[i] = (int)d;
        v->in_records |= i == 0 && h->dimensions[d].size == NT_NETCDF_RECORDS;
        values *= i == 0 && v->in_records ? 1 : h->dimensions[d].size;
        if (values > h->size && values > UINT32_MAX) {
            nt_netcdf_damaged(h);
            return;
        }
    }
    int attributes = get_list(h, NT_NETCDF_ATTRIBUTES);
    for (int i = 0; i < attributes && h->status == NT_OK; i++) {
        nt_result_attribute a = get_attribute(h);
        const char **to = strcmp(a.name, "units") == 0       ? &v->unit
                          : strcmp(a.name, "long_name") == 0 ? &v->meaning
                          : strcmp(a.name, "column") == 0    ? &v->column
                          : strcmp(a.name, "words") == 0     ? &v->words
                                                             : NULL;
        if (to && a.value)
            *to = a.value;
    }
    v->type = (uint32_t)get_number(h, 4);
    get_number(h, 4); /* bytes, which follow from the dimensions */
    v->begin = get_number(h, h->offset_bytes);
    v->bytes = (values * netcdf_size_of(v->type) + 3) / 4 * 4;
    if (netcdf_size_of(v->type) == 0)
        nt_netcdf_damaged(h);
}

static void get_variables(nt_netcdf_head *h)
{
    h->n_variables = get_list(h, NT_NETCDF_VARIABLES);
    h->variables = NT_TAKE(&h->r->arena, h->n_variables, nt_netcdf_variable);
    if (!h->variables)
        nt_netcdf_no_memory(h);
    for (int i = 0; i < h->n_variables && h->status == NT_OK; i++)
        get_variable(h, &h->variables[i]);
}

/* ---- the whole ------------------------------------------------------------------------------ */

void nt_netcdf_read_head(nt_netcdf_head *h)
{
    struct stat is;
    h->at = 3;
    if (fstat(h->r->file, &is) == 0)
        h->size = (uint64_t)is.st_size;
    uint64_t version = get_number(h, 1);
    h->rows = get_number(h, 4);
    if (version != 1 && version != 2)
        nt_netcdf_damaged(h);
    h->offset_bytes = version == 2 ? 8 : 4;
    get_dimensions(h);
    get_attributes(h);
    get_variables(h);
}
