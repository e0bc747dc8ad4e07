/* A plan from its file: every key but `vary` and the list. */
#include "base/error.h"
#include "base/file.h"
#include "base/memstream.h"
#include "base/number.h"
#include "base/suggest.h"
#include "sweep/sweep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const nt_keep_names[NT_KEEP_KINDS] = {"final", "minimum", "maximum",
                                                  "mean",  "rms",     "series"};
static const char *const designs[] = {"grid", "list", "random", "latin_hypercube", "sobol"};
enum { DESIGNS = sizeof designs / sizeof designs[0] };

/* ---- words ---------------------------------------------------------------------------------- */

nt_status nt_plan_unknown_key(const nt_node *key, const char *where, const char *const *known,
                              int n, nt_error *error)
{
    const char *best = nt_suggest(key->text, key->length, known, n);
    if (best)
        return nt_node_fail(error, key, "unknown key '%s' in %s; did you mean '%s'?", key->text,
                            where, best);
    return nt_node_fail(error, key, "unknown key '%s' in %s", key->text, where);
}

static nt_status check_keys(const nt_node *mapping, const char *where, const char *const *known,
                            int n, nt_error *error)
{
    if (mapping->kind != NT_NODE_MAPPING)
        return nt_node_fail(error, mapping, "%s: expected a mapping, got %s", where,
                            nt_node_kind_text(mapping));
    for (int i = 0; i < mapping->count; i++) {
        int k = 0;
        while (k < n && !nt_node_is(mapping->keys[i], known[k]))
            k++;
        if (k == n)
            return nt_plan_unknown_key(mapping->keys[i], where, known, n, error);
    }
    return NT_OK;
}

/* ---- a value as YAML of one line ------------------------------------------------------------ */

static void write_scalar(const nt_node *node, FILE *to)
{
    if (node->plain) {
        fwrite(node->text, 1, (size_t)node->length, to);
        return;
    }
    fputc('"', to);
    for (int i = 0; i < node->length; i++) {
        unsigned char c = (unsigned char)node->text[i];
        if (c == '"' || c == '\\')
            fputc('\\', to);
        if (c < 0x20)
            fprintf(to, "\\x%02x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void write_node(const nt_node *node, FILE *to)
{
    if (node->kind == NT_NODE_SCALAR) {
        write_scalar(node, to);
        return;
    }
    fputc(node->kind == NT_NODE_LIST ? '[' : '{', to);
    for (int i = 0; i < node->count; i++) {
        fputs(i > 0 ? ", " : "", to);
        if (node->kind == NT_NODE_MAPPING) {
            write_scalar(node->keys[i], to);
            fputs(": ", to);
        }
        write_node(node->values[i], to);
    }
    fputc(node->kind == NT_NODE_LIST ? ']' : '}', to);
}

const char *nt_plan_node_text(nt_sweep *s, const nt_node *node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    write_node(node, to);
    const char *kept = nt_memstream_end(to, &text) ? nt_arena_text(&s->arena, text, size) : NULL;
    free(text);
    return kept;
}

/* ---- single keys ---------------------------------------------------------------------------- */

/* A whole number from `least` on. */
static nt_status plan_read_count(const nt_node *root, const char *key, long least, long *value,
                                 nt_error *error)
{
    const nt_node *node = nt_node_find(root, key);
    double number;
    if (!node)
        return NT_OK;
    if (node->kind != NT_NODE_SCALAR || !nt_number_parse(node->text, node->length, &number) ||
        number < (double)least || number > 9e15 || number != (double)(long)number)
        return nt_node_fail(error, node, "%s: expected a whole number from %ld on, got %s", key,
                            least, node->kind == NT_NODE_SCALAR ? node->text : "something else");
    *value = (long)number;
    return NT_OK;
}

static nt_status read_bool(const nt_node *root, const char *key, bool *value, nt_error *error)
{
    const nt_node *node = nt_node_find(root, key);
    if (!node)
        return NT_OK;
    bool yes = node->kind == NT_NODE_SCALAR && nt_node_is(node, "true");
    if (!yes && !(node->kind == NT_NODE_SCALAR && nt_node_is(node, "false")))
        return nt_node_fail(error, node, "%s: expected true or false", key);
    *value = yes;
    return NT_OK;
}

static nt_status read_design(nt_sweep *s, const nt_node *root, nt_error *error)
{
    const nt_node *node = nt_node_find(root, "design");
    s->design = nt_node_find(root, "list") ? NT_DESIGN_LIST : NT_DESIGN_GRID;
    if (!node)
        return NT_OK;
    for (int i = 0; i < DESIGNS; i++)
        if (node->kind == NT_NODE_SCALAR && nt_node_is(node, designs[i])) {
            s->design = (nt_design_kind)i;
            return NT_OK;
        }
    const char *best = node->kind == NT_NODE_SCALAR
                           ? nt_suggest(node->text, node->length, designs, DESIGNS)
                           : NULL;
    return nt_node_fail(error, node,
                        "design: expected grid, list, random, latin_hypercube or sobol, got %s%s%s",
                        node->kind == NT_NODE_SCALAR ? node->text : nt_node_kind_text(node),
                        best ? "; did you mean " : "", best ? best : "");
}

/* A file beside the plan. */
static const char *beside(nt_sweep *s, const nt_node *node)
{
    const char *slash = node->text[0] == '/' ? NULL : strrchr(s->path, '/');
    size_t folder = slash ? (size_t)(slash - s->path) + 1 : 0;
    char *path = NT_TAKE(&s->arena, folder + (size_t)node->length + 1, char);
    if (!path)
        return NULL;
    memcpy(path, s->path, folder);
    memcpy(path + folder, node->text, (size_t)node->length);
    return path;
}

static nt_status read_file_name(nt_sweep *s, const nt_node *root, const char *key,
                                const char **path, nt_error *error)
{
    const nt_node *node = nt_node_find(root, key);
    if (!node)
        return NT_OK;
    if (node->kind != NT_NODE_SCALAR || node->length == 0)
        return nt_node_fail(error, node, "%s: expected the name of a file", key);
    *path = beside(s, node);
    return *path ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- keep ----------------------------------------------------------------------------------- */

static nt_status read_names(nt_sweep *s, const nt_node *node, const char *what, nt_names_list *list,
                            nt_error *error)
{
    bool one = node->kind == NT_NODE_SCALAR && node->length > 0;
    if (node->kind != NT_NODE_LIST && !one)
        return nt_node_fail(error, node, "%s: expected a list of names, got %s", what,
                            nt_node_kind_text(node));
    list->n = one ? 1 : node->count;
    list->name = NT_TAKE(&s->arena, list->n, const char *);
    for (int i = 0; list->name && i < list->n; i++) {
        const nt_node *name = one ? node : node->values[i];
        if (name->kind != NT_NODE_SCALAR || name->length == 0)
            return nt_node_fail(error, name, "%s: expected a name, got %s", what,
                                nt_node_kind_text(name));
        list->name[i] = name->text;
        for (int j = 0; j < i; j++)
            if (strcmp(list->name[j], list->name[i]) == 0)
                return nt_node_fail(error, name, "%s: '%s' is named twice", what, name->text);
    }
    return list->name ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

static nt_status read_keep(nt_sweep *s, const nt_node *root, nt_error *error)
{
    static const char *const known[] = {"final", "minimum", "maximum",    "mean",
                                        "rms",   "series",  "objectives", "thin"};
    const nt_node *keep = s->keep_node = nt_node_find(root, "keep");
    s->thin = 1;
    if (!keep)
        return NT_OK;
    nt_status status = check_keys(keep, "keep", known, 8, error);
    for (int i = 0; i < NT_KEEP_KINDS && status == NT_OK; i++) {
        const nt_node *names = nt_node_find(keep, nt_keep_names[i]);
        if (names)
            status = read_names(s, names, nt_keep_names[i], &s->keep[i], error);
    }
    const nt_node *objectives = nt_node_find(keep, "objectives");
    if (status == NT_OK && objectives)
        status = read_names(s, objectives, "objectives", &s->objectives, error);
    if (status == NT_OK)
        status = plan_read_count(keep, "thin", 1, &s->thin, error);
    if (status == NT_OK && nt_node_find(keep, "thin") && s->keep[NT_KEEP_SERIES].n == 0)
        status = nt_node_fail(error, nt_node_find(keep, "thin"),
                              "thin says how many rows of a series stand for one, and there is no "
                              "series");
    if (status == NT_OK && keep->count == 0)
        status = nt_node_fail(error, keep,
                              "keep is empty: expected final, minimum, maximum, mean, "
                              "rms, series or objectives");
    return status;
}

/* ---- load cases ----------------------------------------------------------------------------- */

/* KEY: VALUE of a mapping, as settings[n]; there is room for one more behind them. */
static nt_status read_settings(nt_sweep *s, const nt_node *node, const char *what,
                               nt_setting **settings, int *n, nt_error *error)
{
    *n = node->kind == NT_NODE_MAPPING ? node->count : 0;
    if (node->kind != NT_NODE_MAPPING && !nt_node_is_empty(node))
        return nt_node_fail(error, node, "%s: expected a mapping of keys and values, got %s", what,
                            nt_node_kind_text(node));
    *settings = NT_TAKE(&s->arena, *n + 1, nt_setting);
    for (int i = 0; *settings && i < *n; i++) {
        (*settings)[i].key = node->keys[i]->text;
        (*settings)[i].value = nt_plan_node_text(s, node->values[i]);
        if (!(*settings)[i].value)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    return *settings ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* What every row sets. */
static nt_status read_set(nt_sweep *s, const nt_node *root, nt_error *error)
{
    static const nt_node none = {.kind = NT_NODE_MAPPING};
    const nt_node *set = nt_node_find(root, "set");
    return read_settings(s, set ? set : &none, "set", &s->settings, &s->n_settings, error);
}

static nt_status read_cases(nt_sweep *s, const nt_node *root, nt_error *error)
{
    const nt_node *cases = nt_node_find(root, "cases");
    if (!cases)
        return NT_OK;
    if (cases->kind != NT_NODE_MAPPING || cases->count == 0)
        return nt_node_fail(error, cases, "cases: expected NAME: {KEY: VALUE, ...}, got %s",
                            cases->count == 0 ? "none" : nt_node_kind_text(cases));
    nt_status status = NT_OK;
    s->n_cases = cases->count;
    s->cases = NT_TAKE(&s->arena, s->n_cases, nt_load_case);
    if (!s->cases)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->n_cases && status == NT_OK; i++) {
        nt_load_case *c = &s->cases[i];
        c->name = cases->keys[i]->text;
        status = read_settings(s, cases->values[i], c->name, &c->settings, &c->n, error);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static nt_status plan_read_version(const nt_node *root, const char *path, nt_error *error)
{
    const nt_node *version = nt_node_find(root, "sweep");
    if (!version)
        return nt_fail_at(error, NT_BAD_MODEL, path, 1, 1,
                          "sweep is missing: a plan begins with sweep: 1");
    if (version->kind != NT_NODE_SCALAR || !nt_node_is(version, "1"))
        return nt_node_fail(error, version,
                            "sweep: expected 1, the version of the plan's language");
    return NT_OK;
}

static nt_status read_what_varies(nt_sweep *s, const nt_node *root, nt_error *error)
{
    const nt_node *vary = nt_node_find(root, "vary"), *list = nt_node_find(root, "list");
    if (list && s->design != NT_DESIGN_LIST)
        return nt_node_fail(error, list, "a list is for design: list");
    if (list && vary)
        return nt_node_fail(error, vary, "the list says what varies: expected vary or list");
    if (list)
        return nt_plan_read_list(s, error);
    if (vary)
        return nt_plan_read_axes(s, vary, error);
    if (s->n_cases > 0)
        return NT_OK;
    return nt_node_fail(error, root, "nothing varies: expected vary, list or cases");
}

nt_status nt_plan_read(nt_sweep *s, nt_error *error)
{
    static const char *const known[] = {"sweep",   "title", "model", "vary",  "design",  "list",
                                        "samples", "seed",  "keep",  "cases", "indices", "set"};
    const nt_node *root = nt_document_root(s->document);
    long seed = 1;
    nt_status status = check_keys(root, "the plan", known, sizeof known / sizeof *known, error);
    if (status == NT_OK)
        status = plan_read_version(root, s->path, error);
    if (status == NT_OK)
        status = read_file_name(s, root, "model", &s->model_path, error);
    if (status == NT_OK && !s->model_path)
        status = nt_node_fail(error, root, "model is missing: expected the model's file");
    if (status == NT_OK && !s->list_path)
        status = read_file_name(s, root, "list", &s->list_path, error);
    if (status == NT_OK)
        status = read_design(s, root, error);
    if (status == NT_OK)
        status = plan_read_count(root, "samples", 1, &s->samples, error);
    if (status == NT_OK)
        status = plan_read_count(root, "seed", 0, &seed, error);
    if (status == NT_OK)
        status = read_bool(root, "indices", &s->indices, error);
    s->seed = (uint64_t)seed;
    if (status == NT_OK)
        status = read_keep(s, root, error);
    if (status == NT_OK)
        status = read_set(s, root, error);
    if (status == NT_OK)
        status = read_cases(s, root, error);
    if (status == NT_OK)
        status = read_what_varies(s, root, error);
    return status == NT_OK ? nt_design_check(s, error) : status;
}
