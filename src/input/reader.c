/* A model from its file: the public entry points, and the top of the file. */
#include "input/reader.h"

#include "analysis/modes/modal_damping.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- messages and small help --------------------------------------------------------------------
 */

nt_status nt_read_no_memory(nt_reader *reader)
{
    return nt_fail(reader->error, NT_NO_MEMORY, "out of memory");
}

const char *nt_read_hint(const char *best, char *text, int size)
{
    text[0] = 0;
    if (best)
        snprintf(text, (size_t)size, "; did you mean '%s'?", best);
    return text;
}

/* Quoted, cut to 40 bytes at the border of a character, control characters as blanks. */
static const char *quoted(const nt_node *scalar, char *text, int size)
{
    int shown = scalar->length < 40 ? scalar->length : 40;
    while (shown < scalar->length && ((unsigned char)scalar->text[shown] & 0xC0) == 0x80)
        shown--;
    snprintf(text, (size_t)size, "'%.*s%s'", shown, scalar->text,
             shown < scalar->length ? "..." : "");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    return text;
}

const char *nt_read_words(const nt_node *node, char *text, int size)
{
    if (node->kind == NT_NODE_SCALAR && !nt_node_is_empty(node))
        return quoted(node, text, size);
    if (node->kind == NT_NODE_LIST)
        snprintf(text, (size_t)size, "a list of %d", node->count);
    else
        snprintf(text, (size_t)size, "%s", nt_node_kind_text(node));
    return text;
}

nt_place nt_read_place(const nt_reader *reader, const nt_node *node)
{
    if (node->source != reader->source)
        return (nt_place){0};
    return (nt_place){node->line, node->column};
}

const char *nt_read_copy(nt_reader *reader, const nt_node *scalar)
{
    return nt_arena_text(&reader->model->arena, scalar->text, (size_t)scalar->length);
}

nt_status nt_read_note(nt_reader *reader, const nt_node *node, const char *words)
{
    nt_model *model = reader->model;
    int n = model->n_notes;
    if ((n & (n - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
        nt_note *more = NT_TAKE(&model->arena, n ? 2 * n : 1, nt_note);
        if (!more)
            return nt_read_no_memory(reader);
        if (n > 0)
            memcpy(more, model->notes, (size_t)n * sizeof *more);
        model->notes = more;
    }
    const char *kept = nt_arena_text(&model->arena, words, strlen(words));
    if (!kept)
        return nt_read_no_memory(reader);
    model->notes[model->n_notes++] = (nt_note){kept, nt_read_place(reader, node)};
    return NT_OK;
}

/* Whether YAML 1.1 reads the word as a truth value or as nothing, and writes it as another word. */
static bool changes_in_yaml(const nt_node *name)
{
    static const char *const words[] = {"yes", "no", "on", "off", "true", "false", "null"};
    if (!name->plain || nt_node_is(name, "true") || nt_node_is(name, "false") ||
        nt_node_is(name, "null"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(words[i], name->text) == 0)
            return true;
    return false;
}

nt_status nt_read_note_name(nt_reader *reader, const nt_node *node, const char *word)
{
    char words[2 * NT_WORDS];
    if (!changes_in_yaml(node))
        return NT_OK;
    snprintf(words, sizeof words,
             "%s '%s': some programs that write YAML turn this name into true, false or null, "
             "though not where expressions use it: expected another name",
             word, node->text);
    return nt_read_note(reader, node, words);
}

/* ---- the top of the file -------------------------------------------------------------------- */

static nt_status read_version(nt_reader *reader)
{
    char got[NT_WORDS];
    const nt_node *version = nt_node_find(reader->root, "nutate");
    if (version->kind == NT_NODE_SCALAR && nt_node_is(version, "1"))
        return NT_OK;
    return nt_node_fail(reader->error, version,
                        "nutate: expected 1, the version of the model file's language, got %s",
                        nt_read_words(version, got, sizeof got));
}

/* title and gravity: of the model, among its numbers */
static nt_status read_values(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    model->origin->gravity[2] = -9.80665; /* m/s^2, standard gravity */
    for (const nt_key *key = nt_file_keys; key->name && status == NT_OK; key++) {
        const nt_node *node = nt_node_find(reader->root, key->name);
        if (node && key->type == NT_KEY_TEXT)
            status = nt_read_value(reader, key, node, NT_SCOPE_LOAD, model);
        if (node && key->type == NT_KEY_NUMBERS)
            status = nt_read_value(reader, key, node, NT_SCOPE_LOAD, model->origin->gravity);
    }
    return status;
}

static nt_status read_file(nt_reader *reader)
{
    const nt_node *parameters = nt_node_find(reader->root, "parameters");
    const nt_node *tables = nt_node_find(reader->root, "tables");
    nt_status status =
        nt_read_check_keys(reader, nt_file_keys, NULL, reader->root, "the model", false);
    if (status == NT_OK)
        status = read_version(reader);
    if (status == NT_OK && tables)
        status = nt_read_tables(reader, tables);
    if (status == NT_OK)
        status = nt_read_with_unknowns(reader, &parameters);
    if (status == NT_OK)
        status = nt_read_blocks(reader);
    if (status == NT_OK)
        status = nt_read_declare_quantities(reader);
    if (status == NT_OK && parameters)
        status = nt_read_parameters(reader, parameters);
    if (status == NT_OK)
        status = nt_read_check_blocks(reader);
    if (status == NT_OK)
        status = nt_read_modal_damping(reader);
    if (status == NT_OK)
        status = nt_read_declare(reader);
    if (status == NT_OK)
        status = nt_read_check_names(reader);
    if (status == NT_OK)
        status = read_values(reader);
    if (status == NT_OK)
        status = nt_read_objects(reader);
    if (status == NT_OK)
        status = nt_read_declare_events(reader);
    if (status == NT_OK)
        status = nt_read_steady(reader);
    if (status == NT_OK)
        status = nt_read_run(reader);
    return status;
}

/* ---- settings ------------------------------------------------------------------------------- */

/* A bare name that is a parameter means that parameter, anything else is a path. */
static nt_status apply_setting(nt_document *document, const nt_setting *setting, nt_error *error)
{
    const nt_node *parameters = nt_node_find(nt_document_root(document), "parameters");
    char path[NT_WORDS];
    if (parameters && nt_node_find(parameters, setting->key) &&
        strlen(setting->key) + sizeof "parameters." <= sizeof path) {
        snprintf(path, sizeof path, "parameters.%s", setting->key);
        return nt_document_set(document, path, setting->value, error);
    }
    return nt_document_set(document, setting->key, setting->value, error);
}

/* ---- a model from a document ---------------------------------------------------------------- */

/* What the model remembers of its file, whose text it takes over. folder may be NULL. */
static nt_status keep_source(nt_reader *reader, nt_document *document, const char *folder)
{
    nt_model *model = reader->model;
    const nt_source *source = reader->source;
    char *beside = NULL;
    model->file = nt_arena_text(&model->arena, source->name, strlen(source->name));
    model->text = nt_document_release_text(document);
    model->text_length = source->length;
    model->title = "";
    if (folder) {
        size_t length = strlen(folder);
        beside = nt_arena_text(&model->arena, folder, length + 1);
        if (!beside)
            return nt_read_no_memory(reader);
        beside[length] = '/';
    }
    reader->beside = beside;
    return model->file ? NT_OK : nt_read_no_memory(reader);
}

static void let_go(nt_reader *reader, nt_document **document)
{
    nt_document_destroy(*document);
    *document = NULL;
    nt_arena_free(&reader->scratch);
}

/* Takes the document over, and lets go of it before the model is built, unless objectives or
 * quantities wait: what they can name is known only then. */
static nt_status read_document(nt_model **result, nt_document *document, const char *folder,
                               nt_error *error)
{
    nt_model *model = calloc(1, sizeof *model);
    nt_reader reader = {.model = model,
                        .error = error,
                        .root = nt_document_root(document),
                        .source = nt_document_source(document),
                        .binds = true};
    nt_status status = NT_NO_MEMORY;
    if (model) {
        status = keep_source(&reader, document, folder);
        if (status == NT_OK)
            status = read_file(&reader);
    } else
        nt_read_no_memory(&reader);
    bool waits =
        status == NT_OK &&
        (nt_node_find(reader.root, "objectives") || model->n_happenings > 0 || model->n_named > 0 ||
         nt_node_find(reader.root, "solve") || model->simulation.static_initial);
    if (!waits)
        let_go(&reader, &document);
    if (status == NT_OK)
        status = nt_model_build(model, error);
    if (status == NT_OK && waits)
        status = nt_read_objectives(&reader);
    if (status == NT_OK && waits)
        status = nt_read_solve(&reader);
    if (status == NT_OK)
        status = nt_model_find_modal_damping(model, error);
    if (status == NT_OK && waits)
        status = nt_read_quantities(&reader);
    if (status == NT_OK && waits)
        status = nt_read_events(&reader);
    if (status == NT_OK)
        status = nt_read_check_records(&reader);
    let_go(&reader, &document);
    if (status != NT_OK) {
        nt_model_destroy(model);
        return status;
    }
    *result = model;
    return NT_OK;
}

/* What is wrong may be so by what was set, though the place is that of a part of the file. */
static void name_settings(const nt_setting *settings, int n, nt_error *error)
{
    size_t used = strlen(error->message), room = sizeof error->message;
    for (int i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(error->message + used, room - used, "%s--set %s=%s%s",
                                 i == 0 ? " (" : ", ", settings[i].key, settings[i].value,
                                 i == n - 1 ? ")" : "");
}

/* Takes the document over, for the public function of that name. */
static nt_status reader_finish(const char *function, nt_model **model, nt_document *document,
                               const char *folder, const nt_setting *settings, int n_settings,
                               nt_error *error)
{
    for (int i = 0; i < n_settings; i++) {
        const nt_setting *setting = &settings[i];
        nt_status status = setting->key && setting->value
                               ? apply_setting(document, setting, error)
                               : nt_refuse_null(error, function, "settings.key settings.value",
                                                setting->key != NULL);
        if (status != NT_OK) {
            nt_document_destroy(document);
            return status;
        }
    }
    nt_status status = read_document(model, document, folder, error);
    if (status != NT_OK && strncmp(error->file, "--set ", 6) != 0)
        name_settings(settings, n_settings, error);
    return status;
}

/* ---- public --------------------------------------------------------------------------------- */

nt_status nt_model_read(nt_model **model, const char *path, const nt_setting *settings,
                        int n_settings, nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    nt_document *document;
    NT_NEED(error, "model", model);
    *model = NULL;
    NT_NEED(error, "path", path);
    NT_NEED_COUNT(error, "n_settings", n_settings);
    if (n_settings > 0)
        NT_NEED(error, "settings", settings);
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    error = error ? error : &unwanted;
    nt_status status = nt_document_read(path, NULL, &document, error);
    if (status != NT_OK)
        return nt_said(error, status);
    if (slash) {
        size_t length = (size_t)(slash - path);
        folder = malloc(length + 1);
        if (!folder) {
            nt_document_destroy(document);
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        }
        memcpy(folder, path, length);
        folder[length] = 0;
    }
    status = reader_finish(__func__, model, document, folder, settings, n_settings, error);
    free(folder);
    return nt_said(error, status);
}

nt_status nt_model_read_text(nt_model **model, const char *text, size_t length, const char *name,
                             const char *folder, const nt_setting *settings, int n_settings,
                             nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    nt_document *document;
    NT_NEED(error, "model", model);
    *model = NULL;
    NT_NEED(error, "text name", text, name);
    NT_NEED_COUNT(error, "n_settings", n_settings);
    if (n_settings > 0)
        NT_NEED(error, "settings", settings);
    error = error ? error : &unwanted;
    nt_status status = nt_document_parse(text, length, name, NULL, &document, error);
    if (status != NT_OK)
        return nt_said(error, status);
    return nt_said(error,
                   reader_finish(__func__, model, document, folder, settings, n_settings, error));
}

void nt_model_destroy(nt_model *model)
{
    if (!model)
        return;
    nt_run_destroy(model->origin);
    nt_pattern_free(&model->pattern);
    nt_arena_free(&model->arena);
    free(model->text);
    free(model);
}

const char *nt_model_title(const nt_model *model) { return model ? model->title : NULL; }

const char *nt_model_text(const nt_model *model, size_t *length)
{
    if (length)
        *length = model ? model->text_length : 0;
    return model ? model->text : NULL;
}
