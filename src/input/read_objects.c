/* Bodies, markers, joints, forces and contacts. All names are declared before any value is read, so
 * that objects can name each other in whatever order the file has them. */
#include "input/reader.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static nt_status already_declared(nt_reader *reader, const nt_node *node, nt_name_kind kind,
                                  const nt_name *first)
{
    char where[NT_WORDS] = "";
    if (first->place.line > 0)
        snprintf(where, sizeof where, " at %d:%d", first->place.line, first->place.column);
    return nt_node_fail(reader->error, node,
                        "%s '%s': there is a %s of this name already%s; bodies, markers, joints, "
                        "forces and contacts need names that all differ",
                        nt_name_kind_word(kind), node->text, nt_name_kind_word(first->kind), where);
}

/* Declare one object; *text is its name in the model's arena. */
static nt_status declare(nt_reader *reader, const nt_node *node, nt_name_kind kind, int index,
                         const char **text)
{
    char shown[NT_WORDS];
    const char *fault = nt_name_fault(node->text, node->length, true);
    nt_read_words(node, shown, sizeof shown);
    if (fault)
        return nt_node_fail(reader->error, node, "%s name %s %s", nt_name_kind_word(kind), shown,
                            fault);
    if (nt_node_is(node, "ground"))
        return nt_node_fail(reader->error, node,
                            "'ground' always exists and cannot be the name of a %s",
                            nt_name_kind_word(kind));
    if (nt_name_is_reserved(node->text, node->length))
        return nt_node_fail(reader->error, node,
                            "a %s cannot be named %s: records use that word for the whole model",
                            nt_name_kind_word(kind), shown);
    const nt_name *first = nt_names_find(&reader->objects, node->text, node->length);
    if (first)
        return already_declared(reader, node, kind, first);
    *text = nt_read_copy(reader, node);
    if (!*text)
        return nt_read_no_memory(reader);
    nt_names_add(&reader->objects, (nt_name){.text = *text,
                                             .kind = kind,
                                             .index = index,
                                             .place = nt_read_place(reader, node)});
    return NT_OK;
}

/* ---- types of elements ---------------------------------------------------------------------- */

/* "expected one of fixed, spherical, ..." */
static const char *known_types(const char *section, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < nt_element_type_count; i++)
        if (strcmp(nt_element_types[i]->section, section) == 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used ? ", " : "expected one of ", nt_element_types[i]->name);
    return text;
}

static nt_status unknown_type(nt_reader *reader, const char *section, const nt_node *type)
{
    char list[512] = "", shown[NT_WORDS], hint[NT_WORDS];
    nt_suggestion search;
    nt_suggest_start(&search, type->text, type->length);
    for (int i = 0; i < nt_element_type_count; i++)
        if (strcmp(nt_element_types[i]->section, section) == 0)
            nt_suggest_offer(&search, nt_element_types[i]->name);
    return nt_node_fail(
        reader->error, type, "type: %s, got %s%s", known_types(section, list, sizeof list),
        nt_read_words(type, shown, sizeof shown), nt_read_hint(search.best, hint, sizeof hint));
}

static nt_status find_type(nt_reader *reader, const char *section, nt_name_kind kind,
                           const nt_node *name, const nt_node *value, int *type)
{
    char got[NT_WORDS], shown[NT_WORDS], list[512] = "";
    const char *word = nt_name_kind_word(kind);
    if (value->kind != NT_NODE_MAPPING)
        return nt_node_fail(reader->error, nt_node_is_empty(value) ? name : value,
                            "%s %s: expected a mapping of keys, got %s", word,
                            nt_read_words(name, shown, sizeof shown),
                            nt_read_words(value, got, sizeof got));
    const nt_node *node = nt_node_find(value, "type");
    if (!node)
        return nt_node_fail(reader->error, name, "%s %s lacks the key 'type', %s", word,
                            nt_read_words(name, shown, sizeof shown),
                            known_types(section, list, sizeof list));
    if (node->kind == NT_NODE_SCALAR)
        for (*type = 0; *type < nt_element_type_count; ++*type)
            if (strcmp(nt_element_types[*type]->section, section) == 0 &&
                nt_node_is(node, nt_element_types[*type]->name))
                return NT_OK;
    if (node->kind == NT_NODE_SCALAR && !nt_node_is_empty(node))
        return unknown_type(reader, section, node);
    return nt_node_fail(reader->error, node, "type: expected the name of a type, got %s",
                        nt_read_words(node, got, sizeof got));
}

/* ---- declarations --------------------------------------------------------------------------- */

static int count_of(const nt_node *section) { return section ? section->count : 0; }

static nt_status declare_bodies(nt_reader *reader, const nt_node *section)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    model->bodies[0].name = "ground";
    nt_names_add(&reader->objects, (nt_name){.text = "ground", .kind = NT_NAME_BODY});
    for (int i = 0; i < count_of(section) && status == NT_OK; i++) {
        nt_body *body = &model->bodies[i + 1];
        status = declare(reader, section->keys[i], NT_NAME_BODY, i + 1, &body->name);
        body->place = nt_read_place(reader, section->keys[i]);
    }
    return status;
}

static nt_status declare_markers(nt_reader *reader, const nt_node *section)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    for (int i = 0; i < count_of(section) && status == NT_OK; i++) {
        nt_marker *marker = &model->markers[i];
        status = declare(reader, section->keys[i], NT_NAME_MARKER, i, &marker->name);
        marker->place = nt_read_place(reader, section->keys[i]);
    }
    return status;
}

static nt_status declare_element(nt_reader *reader, const nt_node *name, const nt_node *value,
                                 nt_name_kind kind, int index, const nt_element_type *type)
{
    nt_element *element = &reader->model->elements[index];
    element->type = type;
    element->place = nt_read_place(reader, name);
    element->data = nt_arena_take(&reader->model->arena, 1, type->size);
    reader->elements[index] = (nt_element_node){name, value};
    if (!element->data)
        return nt_read_no_memory(reader);
    return declare(reader, name, kind, index, &element->name);
}

/* Joints, forces or contacts, numbered from `first`: those of one type stand together, in the order
 * of the registry, each type in the file's order. */
static nt_status declare_elements(nt_reader *reader, const nt_node *section, const char *name,
                                  nt_name_kind kind, int first)
{
    int n = count_of(section), *type_of = NT_TAKE(&reader->scratch, n, int);
    int *next = NT_TAKE(&reader->scratch, nt_element_type_count + 1, int);
    nt_status status = NT_OK;
    if (!type_of || !next)
        return nt_read_no_memory(reader);
    for (int i = 0; i < n && status == NT_OK; i++) {
        status = find_type(reader, name, kind, section->keys[i], section->values[i], &type_of[i]);
        if (status == NT_OK)
            next[type_of[i] + 1]++;
    }
    for (int k = 0; k < nt_element_type_count; k++)
        next[k + 1] += next[k];
    for (int i = 0; i < n && status == NT_OK; i++)
        status = declare_element(reader, section->keys[i], section->values[i], kind,
                                 first + next[type_of[i]]++, nt_element_types[type_of[i]]);
    return status;
}

nt_status nt_read_declare(nt_reader *reader)
{
    static const char *const names[] = {"bodies", "markers", "joints", "forces", "contacts"};
    nt_model *model = reader->model;
    const nt_node *section[5];
    nt_status status = NT_OK;
    int n = 1;
    for (int i = 0; i < 5; i++) {
        section[i] = nt_node_find(reader->root, names[i]);
        if (section[i] && (status = nt_read_check_section(reader, names[i], section[i])) != NT_OK)
            return status;
        n += count_of(section[i]);
    }
    if (count_of(section[0]) == 0)
        return nt_node_fail(reader->error, section[0], "bodies: expected at least one body");
    model->n_bodies = 1 + count_of(section[0]);
    model->n_markers = count_of(section[1]);
    model->n_joints = count_of(section[2]);
    model->n_contacts = count_of(section[4]);
    int n_forces = count_of(section[3]), first_contact = model->n_joints + n_forces;
    model->n_elements = first_contact + model->n_contacts;
    model->bodies = NT_TAKE(&model->arena, model->n_bodies, nt_body);
    model->markers = NT_TAKE(&model->arena, model->n_markers, nt_marker);
    model->elements = NT_TAKE(&model->arena, model->n_elements, nt_element);
    reader->elements = NT_TAKE(&reader->scratch, model->n_elements, nt_element_node);
    if (!model->bodies || !model->markers || !model->elements || !reader->elements ||
        !nt_names_init(&reader->objects, n, &reader->scratch))
        return nt_read_no_memory(reader);
    status = declare_bodies(reader, section[0]);
    if (status == NT_OK)
        status = declare_markers(reader, section[1]);
    if (status == NT_OK)
        status = declare_elements(reader, section[2], names[2], NT_NAME_JOINT, 0);
    if (status == NT_OK)
        status = declare_elements(reader, section[3], names[3], NT_NAME_FORCE, model->n_joints);
    if (status == NT_OK)
        status = declare_elements(reader, section[4], names[4], NT_NAME_CONTACT, first_contact);
    return status;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The keys of one object of a section. */
static nt_status read_object(nt_reader *reader, const nt_key *keys, const nt_node *name,
                             const nt_node *value, const char *kind, const char *section,
                             bool typed, void *data)
{
    char what[NT_WORDS];
    snprintf(what, sizeof what, "%.60s '%.60s'", kind, name->text);
    return nt_read_keys(reader, keys, name, value, what, section, typed, data);
}

static nt_status read_elements(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    for (int i = 0; i < model->n_elements && status == NT_OK; i++) {
        const nt_element_type *type = model->elements[i].type;
        char kind[NT_WORDS];
        const char *word = nt_element_word(&model->elements[i]); /* a spring is a force */
        snprintf(kind, sizeof kind, "%s%s%s", type->name, strcmp(word, "force") == 0 ? "" : " ",
                 strcmp(word, "force") == 0 ? "" : word);
        status =
            read_object(reader, type->keys, reader->elements[i].name, reader->elements[i].value,
                        kind, type->section, true, model->elements[i].data);
    }
    return status;
}

nt_status nt_read_objects(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *bodies = nt_node_find(reader->root, "bodies");
    const nt_node *markers = nt_node_find(reader->root, "markers");
    nt_status status = NT_OK;
    for (int i = 0; i < count_of(bodies) && status == NT_OK; i++)
        status = read_object(reader, nt_body_keys, bodies->keys[i], bodies->values[i], "body",
                             "bodies", false, &model->bodies[i + 1]);
    for (int i = 0; i < count_of(markers) && status == NT_OK; i++)
        status = read_object(reader, nt_marker_keys, markers->keys[i], markers->values[i], "marker",
                             "markers", false, &model->markers[i]);
    return status == NT_OK ? read_elements(reader) : status;
}
