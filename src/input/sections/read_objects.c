/* Bodies, markers, joints, forces and contacts. All names are declared before any value is read, so
 * that objects can name each other in whatever order the file has them. */
#include "input/foreign_types.h"
#include "input/reader.h"

#include "base/suggest.h"
#include "model/elements.h"
#include "model/quantities/quantity.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static nt_status already_declared(nt_reader *reader, const nt_node *node, nt_name_kind kind,
                                  const nt_name *first)
{
    char where[NT_WORDS] = "";
    if (first->place.line > 0)
        snprintf(where, sizeof where, " at %d:%d", first->place.line, first->place.column);
    return nt_node_fail(
        reader->error, node, "%s '%s': there is a %s of this name already%s%s",
        nt_name_kind_word(kind), node->text, nt_name_kind_word(first->kind), where,
        kind == NT_NAME_STATE || first->kind > NT_NAME_STATE
            ? ""
            : "; bodies, markers, joints, forces, contacts, bearings, beams and cables need "
              "names that all differ");
}

/* Declare one object; *text is its name in the model's arena. */
static nt_status objects_declare(nt_reader *reader, const nt_node *node, nt_name_kind kind,
                                 int index, const char **text)
{
    char shown[NT_WORDS];
    bool checked = kind >= NT_NAME_STATE; /* by nt_read_blocks */
    const char *fault = checked ? NULL : nt_name_fault(node->text, node->length, true);
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
    if (!first)
        first = nt_names_find(&reader->parameters, node->text, node->length);
    if (!first)
        first = nt_names_find(&reader->tables, node->text, node->length);
    if (first)
        return already_declared(reader, node, kind, first);
    *text = nt_read_copy(reader, node);
    if (!*text)
        return nt_read_no_memory(reader);
    nt_names_add(&reader->objects, (nt_name){.text = *text,
                                             .kind = kind,
                                             .index = index,
                                             .place = nt_read_place(reader, node)});
    return nt_read_note_name(reader, node, nt_name_kind_word(kind));
}

/* ---- types of elements ---------------------------------------------------------------------- */

/* "expected one of fixed, spherical, ..." */
static const char *known_types(const nt_section *section, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < nt_element_type_count(); i++)
        if (nt_element_type_at(i)->section == section && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used ? ", " : "expected one of ", nt_element_type_at(i)->name);
    return text;
}

static nt_status unknown_type(nt_reader *reader, const nt_section *section, const nt_node *type)
{
    static const char plugins[] = " (types of plugins are known with --plugin)";
    char list[512] = "", shown[NT_WORDS], hint[NT_WORDS] = "";
    nt_suggestion search, elsewhere;
    const char *advice = nt_foreign_type(section->name, type->text, type->length), *other = NULL;
    nt_suggest_start(&search, type->text, type->length);
    nt_suggest_start(&elsewhere, type->text, type->length);
    for (int i = 0; i < nt_element_type_count(); i++) {
        const nt_element_type *known = nt_element_type_at(i);
        bool here = known->section == section;
        nt_suggest_offer(here ? &search : &elsewhere, known->name);
        if (!here && elsewhere.best == known->name)
            other = known->section->name;
    }
    known_types(section, list, sizeof list);
    nt_read_words(type, shown, sizeof shown);
    if (advice)
        return nt_node_fail(reader->error, type, "type: %s, got %s%s: %s", list, shown, plugins,
                            advice);
    if (nt_suggest_is_meant(&search) || !nt_suggest_is_meant(&elsewhere))
        return nt_node_fail(reader->error, type, "type: %s, got %s%s%s", list, shown,
                            search.best ? nt_read_hint(search.best, hint, sizeof hint) : "",
                            nt_suggest_is_meant(&search) ? "" : plugins);
    return nt_node_fail(reader->error, type, "type: %s, got %s: '%s' stands under `%s`", list,
                        shown, elsewhere.best, other);
}

nt_status nt_read_find_type(nt_reader *reader, const nt_section *section, const nt_node *name,
                            const nt_node *value, int *type)
{
    char got[NT_WORDS], shown[NT_WORDS], list[512] = "";
    const char *word = section->word;
    if (value->kind != NT_NODE_MAPPING)
        return nt_node_fail(reader->error, nt_node_is_empty(value) ? name : value,
                            "%s %s: expected a mapping of keys, got %s", word,
                            nt_read_words(name, shown, sizeof shown),
                            nt_read_words(value, got, sizeof got));
    const nt_node *node = nt_node_find(value, "type");
    if (!node && section->one_type) {
        for (*type = 0; nt_element_type_at(*type)->section != section;)
            ++*type;
        return NT_OK;
    }
    if (!node)
        return nt_node_fail(reader->error, name, "%s %s lacks the key 'type', %s", word,
                            nt_read_words(name, shown, sizeof shown),
                            known_types(section, list, sizeof list));
    if (node->kind == NT_NODE_SCALAR)
        for (*type = 0; *type < nt_element_type_count(); ++*type)
            if (nt_element_type_at(*type)->section == section &&
                nt_node_is(node, nt_element_type_at(*type)->name))
                return NT_OK;
    if (node->kind == NT_NODE_SCALAR && !nt_node_is_empty(node))
        return unknown_type(reader, section, node);
    return nt_node_fail(reader->error, node, "type: expected the name of a type, got %s",
                        nt_read_words(node, got, sizeof got));
}

/* ---- declarations --------------------------------------------------------------------------- */

enum { KINDS = NT_NAME_SAMPLED + 1 };
static const char *const sections[KINDS] = {
    [NT_NAME_BODY] = "bodies",    [NT_NAME_MARKER] = "markers",   [NT_NAME_JOINT] = "joints",
    [NT_NAME_FORCE] = "forces",   [NT_NAME_CONTACT] = "contacts", [NT_NAME_BEARING] = "bearings",
    [NT_NAME_BEAM] = "beams",     [NT_NAME_CABLE] = "cables",     [NT_NAME_STATE] = "states",
    [NT_NAME_SAMPLED] = "sampled"};

/* Of those whose members are elements. */
static const nt_section *section_of(nt_name_kind kind)
{
    return kind == NT_NAME_JOINT     ? &nt_joint_section
           : kind == NT_NAME_FORCE   ? &nt_force_section
           : kind == NT_NAME_CONTACT ? &nt_contact_section
           : kind == NT_NAME_BEARING ? &nt_bearing_section
           : kind == NT_NAME_BEAM    ? nt_beam_type.section
           : kind == NT_NAME_CABLE   ? nt_cable_type.section
                                     : nt_state_type.section;
}

static int count_of(const nt_node *section) { return section ? section->count : 0; }

static nt_status declare_bodies(nt_reader *reader, const nt_node *section)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    nt_body *bodies = model->origin->bodies;
    bodies[0].name = "ground";
    nt_names_add(&reader->objects, (nt_name){.text = "ground", .kind = NT_NAME_BODY});
    for (int i = 0; i < count_of(section) && status == NT_OK; i++) {
        nt_body *body = &bodies[i + 1];
        status = objects_declare(reader, section->keys[i], NT_NAME_BODY, i + 1, &body->name);
        body->place = nt_read_place(reader, section->keys[i]);
    }
    return status;
}

static nt_status declare_markers(nt_reader *reader, const nt_node *section)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    for (int i = 0; i < count_of(section) && status == NT_OK; i++) {
        nt_marker *marker = &model->origin->markers[i];
        status = objects_declare(reader, section->keys[i], NT_NAME_MARKER, i, &marker->name);
        marker->place = nt_read_place(reader, section->keys[i]);
    }
    return status;
}

/* Which node of its beam each station is, before anything may name it. */
static nt_status declare_stations(nt_reader *reader, const nt_node *section)
{
    nt_status status = NT_OK;
    for (int i = 0; i < count_of(section) && status == NT_OK; i++) {
        const nt_node *value = section->values[i];
        if (value->kind == NT_NODE_MAPPING && nt_node_find(value, "station"))
            status = nt_read_declare_station(reader, section->keys[i], value, i);
    }
    return status;
}

/* The types of joints, forces or contacts, numbered from `first`: those of one type stand together,
 * in the order of the registry, each type in the file's order. number[]: that of each in the file.
 */
static nt_status find_types(nt_reader *reader, const nt_node *section, nt_name_kind kind, int first,
                            int *number)
{
    int n = count_of(section), *type_of = NT_TAKE(&reader->scratch, n, int);
    int own = nt_element_type_count(); /* the type behind all others: of modal damping */
    int *next = NT_TAKE(&reader->scratch, own + 2, int);
    const nt_element_type *only = kind == NT_NAME_SAMPLED ? &nt_sampled_type : NULL;
    nt_status status = NT_OK;
    if (!type_of || !next)
        return nt_read_no_memory(reader);
    for (int i = 0; i < n && status == NT_OK; i++) {
        const nt_node *name = section->keys[i], *value = section->values[i];
        if (value == reader->modal_damping)
            type_of[i] = own;
        else if (!only)
            status = nt_read_find_type(reader, section_of(kind), name, value, &type_of[i]);
        if (status == NT_OK)
            next[type_of[i] + 1]++;
    }
    for (int k = 0; k <= own; k++)
        next[k + 1] += next[k];
    for (int i = 0; i < n && status == NT_OK; i++) {
        number[i] = first + next[type_of[i]]++;
        nt_element *element = &reader->model->elements[number[i]];
        element->type = only                ? only
                        : type_of[i] == own ? &nt_force_modal_damping
                                            : nt_element_type_at(type_of[i]);
        element->bytes =
            nt_read_bytes(element->type->keys, section->values[i], element->type->size);
        element->place = nt_read_place(reader, section->keys[i]);
        if (type_of[i] == own)
            reader->model->modal_damping = number[i] + 1;
        reader->elements[number[i]] = (nt_element_node){section->keys[i], section->values[i]};
    }
    return status;
}

static nt_status declare_elements(nt_reader *reader, const nt_node *section, nt_name_kind kind,
                                  const int *number)
{
    nt_status status = NT_OK;
    for (int i = 0; i < count_of(section) && status == NT_OK; i++)
        status = objects_declare(reader, section->keys[i], kind, number[i],
                                 &reader->model->elements[number[i]].name);
    return status;
}

/* How many there are of everything, and the types of elements: what the numbers need room for. */
static nt_status count_objects(nt_reader *reader, const nt_node *const *section, int *const *number)
{
    nt_model *model = reader->model;
    nt_arena *arena = &model->arena;
    model->n_bodies = 1 + count_of(section[NT_NAME_BODY]);
    model->n_markers = count_of(section[NT_NAME_MARKER]);
    model->n_joints = count_of(section[NT_NAME_JOINT]);
    model->n_contacts = count_of(section[NT_NAME_CONTACT]);
    int n_forces = count_of(section[NT_NAME_FORCE]), first_contact = model->n_joints + n_forces;
    int first_state = first_contact + model->n_contacts;
    model->n_states = count_of(section[NT_NAME_STATE]);
    int first_sampled = first_state + model->n_states;
    model->n_sampled = count_of(section[NT_NAME_SAMPLED]);
    int first_bearing = first_sampled + model->n_sampled;
    int first[] = {[NT_NAME_JOINT] = 0,
                   [NT_NAME_FORCE] = model->n_joints,
                   [NT_NAME_CONTACT] = first_contact,
                   [NT_NAME_STATE] = first_state,
                   [NT_NAME_SAMPLED] = first_sampled,
                   [NT_NAME_BEARING] = first_bearing,
                   [NT_NAME_BEAM] = first_bearing + count_of(section[NT_NAME_BEARING]),
                   [NT_NAME_CABLE] = first_bearing + count_of(section[NT_NAME_BEARING]) +
                                     count_of(section[NT_NAME_BEAM])};
    model->n_bearings = count_of(section[NT_NAME_BEARING]);
    model->n_beams = count_of(section[NT_NAME_BEAM]);
    model->n_cables = count_of(section[NT_NAME_CABLE]);
    model->n_elements = first[NT_NAME_CABLE] + model->n_cables;
    model->elements = NT_TAKE(arena, model->n_elements, nt_element);
    reader->elements = NT_TAKE(&reader->scratch, model->n_elements, nt_element_node);
    if (!model->elements || !reader->elements)
        return nt_read_no_memory(reader);
    nt_status status = NT_OK;
    for (nt_name_kind kind = NT_NAME_JOINT; kind <= NT_NAME_SAMPLED && status == NT_OK; kind++)
        status = find_types(reader, section[kind], kind, first[kind], number[kind]);
    return status;
}

nt_status nt_read_declare(nt_reader *reader)
{
    const nt_node *section[KINDS];
    int *number[KINDS], n = 1;
    nt_status status = NT_OK;
    for (int i = 0; i < KINDS; i++) {
        section[i] = i == NT_NAME_STATE     ? reader->state_section
                     : i == NT_NAME_FORCE   ? reader->force_section
                     : i == NT_NAME_SAMPLED ? reader->sampled_section
                                            : nt_node_find(reader->root, sections[i]);
        if (section[i] &&
            (status = nt_read_check_section(reader, sections[i], section[i])) != NT_OK)
            return status;
        n += count_of(section[i]);
        number[i] = NT_TAKE(&reader->scratch, count_of(section[i]), int);
        if (!number[i])
            return nt_read_no_memory(reader);
    }
    int lines = count_of(section[NT_NAME_BEAM]) + count_of(section[NT_NAME_CABLE]);
    if (!section[NT_NAME_BODY] && lines == 0)
        return nt_node_fail(reader->error, reader->root,
                            "the model lacks the key 'bodies', expected a mapping by name");
    if (count_of(section[NT_NAME_BODY]) + lines == 0)
        return nt_node_fail(reader->error, section[NT_NAME_BODY],
                            "bodies: expected at least one body");
    status = count_objects(reader, section, number);
    int own = 0, n_elements = reader->model->n_elements;
    int first_cable = n_elements - reader->model->n_cables;
    int first_beam = first_cable - reader->model->n_beams;
    int first_own = first_beam - reader->model->n_bearings;
    for (int i = first_own; i < n_elements && status == NT_OK; i++)
        status = i < first_beam    ? nt_read_count_balls(reader, i, &own)
                 : i < first_cable ? nt_read_count_nodes(reader, i, &own)
                                   : nt_read_count_cable(reader, i, &own);
    if (status != NT_OK)
        return status;
    reader->model->n_bodies += own;
    if (nt_model_take_numbers(reader->model) != NT_OK ||
        !nt_names_init(&reader->objects, n + own, &reader->scratch))
        return nt_read_no_memory(reader);
    if (status == NT_OK)
        status = declare_bodies(reader, section[NT_NAME_BODY]);
    if (status == NT_OK)
        status = declare_markers(reader, section[NT_NAME_MARKER]);
    for (nt_name_kind kind = NT_NAME_JOINT; kind <= NT_NAME_SAMPLED && status == NT_OK; kind++)
        status = declare_elements(reader, section[kind], kind, number[kind]);
    int next = count_of(section[NT_NAME_BODY]) + 1;
    for (int i = first_own; i < n_elements && status == NT_OK; i++) {
        nt_element *e = &reader->model->elements[i];
        e->first_brought = next;
        status = i < first_beam    ? nt_read_declare_balls(reader, i, &next)
                 : i < first_cable ? nt_read_declare_nodes(reader, i, &next)
                                   : nt_read_declare_cable(reader, i, &next);
        e->n_brought = next - e->first_brought;
    }
    if (status == NT_OK)
        status = declare_stations(reader, section[NT_NAME_MARKER]);
    if (status == NT_OK && nt_quantity_sort_objects(reader->model) != NT_OK)
        return nt_read_no_memory(reader);
    return status;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The keys of one object of a section. */
static nt_status read_object(nt_reader *reader, const nt_key *keys, const nt_node *name,
                             const nt_node *value, const char *kind, nt_scope scope, bool typed,
                             void *data)
{
    char what[NT_WORDS];
    snprintf(what, sizeof what, "%.60s '%.60s'", kind, name->text);
    return nt_read_keys(reader, keys, name, value, what, scope, typed, data);
}

static nt_status read_elements(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    for (int i = 0; i < model->n_elements && status == NT_OK; i++) {
        const nt_element_type *type = model->elements[i].type;
        char kind[NT_WORDS];
        const char *word = nt_element_word(&model->elements[i]); /* a spring is a force */
        bool enough = type->section->pushes || strcmp(word, type->name) == 0;
        snprintf(kind, sizeof kind, "%s%s%s", type->name, enough ? "" : " ", enough ? "" : word);
        reader->data = nt_element_numbers(model->origin, &model->elements[i]);
        nt_element_defaults(model->origin, &model->elements[i]);
        reader->array_place = nt_read_array_begin(type->size);
        int n_bends = model->n_bends;
        status = read_object(
            reader, type->keys, reader->elements[i].name, reader->elements[i].value, kind,
            type->section->joins ? NT_SCOPE_MOTION : NT_SCOPE_LOAD, true, reader->data);
        if (type->period)
            model->n_bends = n_bends; /* what is held between samples does not bend there */
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
                             NT_SCOPE_LOAD, false, &model->origin->bodies[i + 1]);
    for (int i = 0; i < count_of(markers) && status == NT_OK; i++) {
        nt_marker *marker = &model->origin->markers[i];
        status = read_object(
            reader, nt_marker_is_station(marker) ? nt_station_keys : nt_marker_keys,
            markers->keys[i], markers->values[i], "marker", NT_SCOPE_LOAD, false, marker);
    }
    return status == NT_OK ? read_elements(reader) : status;
}
