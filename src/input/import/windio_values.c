/* What windIO files are made of: numbers, lists, and curves over a grid; see windio.h. */
#include "input/import/windio.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "hub.elastic_properties.mass" below a node; NULL where there is none. */
const nt_node *nt_windio_find(const nt_node *node, const char *path)
{
    char key[64];
    while (node && *path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        node = nt_node_find(node, key);
        path += length + (path[length] == '.');
    }
    return node;
}

static nt_status windio_number(nt_windio *w, const nt_node *node, const char *what, double *value)
{
    if (node->kind == NT_NODE_SCALAR && nt_number_parse(node->text, node->length, value) &&
        isfinite(*value))
        return NT_OK;
    return nt_node_fail(w->error, node, "%s: expected a number", what);
}

/* ---- what is taken ------------------------------------------------------------------------------
 */

nt_status nt_windio_take(nt_windio *w, const nt_node *node)
{
    if (w->n_taken == w->room) {
        int room = w->room > 0 ? 2 * w->room : 128;
        const nt_node **more = realloc(w->taken, (size_t)room * sizeof(const nt_node *));
        if (!more)
            return nt_fail(w->error, NT_NO_MEMORY, "out of memory");
        w->taken = more, w->room = room;
    }
    w->taken[w->n_taken++] = node;
    return NT_OK;
}

static bool is_taken(const nt_windio *w, const nt_node *node)
{
    for (int i = 0; i < w->n_taken; i++)
        if (w->taken[i] == node)
            return true;
    return false;
}

/* Whether anything of a node has been read. Numbers in lists are, or are not, with their list. */
static bool is_touched(const nt_windio *w, const nt_node *node)
{
    if (is_taken(w, node))
        return true;
    for (int i = 0; i < node->count; i++)
        if ((node->kind == NT_NODE_MAPPING || node->values[i]->kind != NT_NODE_SCALAR) &&
            is_touched(w, node->values[i]))
            return true;
    return false;
}

/* A line for each mapping of which some entries have been read and some not. */
static void note_others_in(const nt_windio *w, const nt_node *node, const char *path)
{
    char below[160];
    int others = 0;
    for (int i = 0; node->kind == NT_NODE_MAPPING && i < node->count; i++) {
        if (is_touched(w, node->values[i]))
            continue;
        if (others++ == 0)
            fprintf(w->notes, "not taken of %s: ", path);
        fprintf(w->notes, "%s%.60s", others > 1 ? ", " : "", node->keys[i]->text);
    }
    if (others > 0)
        fputs("\n", w->notes);
    for (int i = 0; i < node->count; i++) {
        const nt_node *value = node->values[i];
        if (node->kind == NT_NODE_LIST && value->kind == NT_NODE_MAPPING && !is_touched(w, value))
            fprintf(w->notes, "not taken of %s: entry %d\n", path, i + 1);
        if (value->kind == NT_NODE_SCALAR || is_taken(w, value) || !is_touched(w, value))
            continue;
        bool top = node == w->root;
        if (node->kind == NT_NODE_MAPPING)
            snprintf(below, sizeof below, "%s%s%.60s", top ? "" : path, top ? "" : ".",
                     node->keys[i]->text);
        else
            snprintf(below, sizeof below, "%s[%d]", path, i + 1);
        note_others_in(w, value, below);
    }
}

void nt_windio_note_others(nt_windio *w)
{
    note_others_in(w, w->root, "the file");
    free(w->taken);
    w->taken = NULL, w->n_taken = w->room = 0;
}

/* ---- numbers, lists, curves ---------------------------------------------------------------------
 */

/* A number by its path; `found` false where there is none. */
nt_status nt_windio_optional(nt_windio *w, const nt_node *node, const char *path, double *value,
                             bool *found)
{
    const nt_node *at = nt_windio_find(node, path);
    *found = at != NULL;
    if (!at)
        return NT_OK;
    nt_status status = nt_windio_take(w, at);
    return status == NT_OK ? windio_number(w, at, path, value) : status;
}

nt_status nt_windio_needed(nt_windio *w, const nt_node *node, const char *path, double *value)
{
    bool found;
    nt_status status = nt_windio_optional(w, node, path, value, &found);
    if (status == NT_OK && !found)
        status =
            nt_node_fail(w->error, node ? node : w->root, "lacks '%s', expected a number", path);
    return status;
}

nt_status nt_windio_between(nt_windio *w, const nt_node *node, const char *path, double low,
                            double high, double *value)
{
    nt_status status = nt_windio_needed(w, node, path, value);
    if (status == NT_OK && !(*value > low && *value < high))
        status = isinf(high)
                     ? nt_node_fail(w->error, nt_windio_find(node, path),
                                    "%s is %g, expected a number above %g", path, *value, low)
                     : nt_node_fail(w->error, nt_windio_find(node, path),
                                    "%s is %g, expected a number between %g and %g", path, *value,
                                    low, high);
    return status;
}

nt_status nt_windio_list(nt_windio *w, const nt_node *node, const char *what, int count,
                         double *out)
{
    if (node->kind != NT_NODE_LIST || node->count != count)
        return nt_node_fail(w->error, node, "%s: expected a list of %d numbers", what, count);
    nt_status status = nt_windio_take(w, node);
    for (int i = 0; i < count && status == NT_OK; i++)
        status = windio_number(w, node->values[i], what, &out[i]);
    return status;
}

void nt_windio_curve_free(nt_windio_curve *c)
{
    free(c->grid);
    free(c->value);
    *c = (nt_windio_curve){0};
}

nt_status nt_windio_grid(nt_windio *w, const nt_node *node, const char *what, int *n, double **grid)
{
    const nt_node *list = nt_node_find(node, "grid");
    if (!list || list->kind != NT_NODE_LIST || list->count < 1)
        return nt_node_fail(w->error, node, "%s lacks a grid, a list of numbers from 0 to 1", what);
    *n = list->count;
    *grid = calloc((size_t)*n, sizeof **grid);
    if (!*grid)
        return nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_windio_list(w, list, what, *n, *grid);
    for (int i = 0; i < *n && status == NT_OK; i++)
        if ((*grid)[i] < 0 || (*grid)[i] > 1 || (i > 0 && (*grid)[i] <= (*grid)[i - 1]))
            status = nt_node_fail(w->error, list->values[i],
                                  "%s: grid %g, expected numbers from 0 to 1 that rise", what,
                                  (*grid)[i]);
    return status;
}

/* Says where a list does not go from end to end. */
void nt_windio_note_ends(nt_windio *w, const char *what, const double *grid, int n)
{
    if (n > 1 && (grid[0] > 0 || grid[n - 1] < 1))
        fprintf(w->notes, "%s is given from grid %g to %g: beyond, it is as at these ends\n", what,
                grid[0], grid[n - 1]);
}

/* Keys that are none of `known`, which ends with NULL. */
nt_status nt_windio_refuse_others(nt_windio *w, const nt_node *node, const char *what,
                                  const char *const *known)
{
    for (int i = 0; node->kind == NT_NODE_MAPPING && i < node->count; i++) {
        int k = 0;
        while (known[k] && !nt_node_is(node->keys[i], known[k]))
            k++;
        if (!known[k])
            return nt_node_fail(w->error, node->keys[i], "%s has no entry '%.40s'", what,
                                node->keys[i]->text);
    }
    return NT_OK;
}

nt_status nt_windio_curve_read(nt_windio *w, const nt_node *parent, const char *path,
                               nt_windio_curve *c)
{
    const nt_node *node = nt_windio_find(parent, path);
    *c = (nt_windio_curve){0};
    if (!node)
        return nt_node_fail(w->error, parent, "lacks '%s', expected grid and values", path);
    static const char *const known[] = {"grid", "values", NULL};
    const nt_node *values = nt_node_find(node, "values");
    nt_status status = nt_windio_refuse_others(w, node, path, known);
    if (status == NT_OK)
        status = nt_windio_grid(w, node, path, &c->n, &c->grid);
    if (status == NT_OK && !values)
        status = nt_node_fail(w->error, node, "%s lacks values", path);
    c->value = status == NT_OK ? calloc((size_t)c->n, sizeof *c->value) : NULL;
    if (status == NT_OK && !c->value)
        status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    return status == NT_OK ? nt_windio_list(w, values, path, c->n, c->value) : status;
}

double nt_windio_curve_at(const nt_windio_curve *c, double s)
{
    int i = 0;
    while (i + 2 < c->n && c->grid[i + 1] < s)
        i++;
    if (c->n == 1 || s <= c->grid[0])
        return c->value[0];
    double share = fmin(1, (s - c->grid[i]) / (c->grid[i + 1] - c->grid[i]));
    return c->value[i] + share * (c->value[i + 1] - c->value[i]);
}
