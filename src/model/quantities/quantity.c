/* Recorded quantities by name: OBJECT.KIND.COMPONENT, KIND.COMPONENT of the whole model, or the
 * same without the component for all of them. */
#include "model/quantities/quantity.h"

#include "base/error.h"
#include "base/suggest.h"
#include "model/beams/beam.h"
#include "model/contacts/contact.h"
#include "model/elements.h"
#include "model/quantities/quantity_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_NAME = 32 };

/* ---- objects -------------------------------------------------------------------------------- */

/* Bodies, the ground first, markers, elements and named quantities are counted through; the model
 * comes last. */
typedef enum family { BODY, MARKER, ELEMENT, NAMED, WHOLE } family;

static int object_count(const nt_model *model)
{
    return model->n_bodies + model->n_markers + model->n_elements + model->n_named;
}

static family object_at(const nt_model *model, int i, int *index)
{
    *index = i;
    if (i < model->n_bodies)
        return BODY;
    *index = i - model->n_bodies;
    if (*index < model->n_markers)
        return MARKER;
    *index -= model->n_markers;
    if (*index < model->n_elements)
        return ELEMENT;
    *index -= model->n_elements;
    return *index < model->n_named ? NAMED : WHOLE;
}

static const char *object_name(const nt_model *model, family of, int index)
{
    return of == BODY      ? model->bodies[index].name
           : of == MARKER  ? model->markers[index].name
           : of == ELEMENT ? model->elements[index].name
           : of == NAMED   ? model->named[index].name
                           : "";
}

static bool both_turn(const nt_model *model, const nt_element *element)
{
    nt_element bound = *element;
    const nt_body *bodies = model->origin->bodies;
    nt_element_bind(model, &bound);
    return !bodies[bound.a].point && !bodies[bound.b].point;
}

/* A station at a figure of a material, and with its point in it, at the values of the file. */
static bool has_material(const nt_model *model, int index, bool point)
{
    const nt_marker *m = &model->markers[index];
    if (!nt_marker_is_station(m))
        return false;
    const nt_run *run = model->origin;
    const nt_beam *b = nt_beam_of(run, &model->elements[m->beam]);
    const nt_marker *at = &run->markers[index];
    return point ? nt_beam_has_point(b, at->station, at->offset + 1)
                 : nt_beam_has_material(b, at->station);
}

static bool shows(const nt_element *element, nt_quantity_owner of)
{
    return (element->type->shows & NT_SHOWS(of)) != 0;
}

static bool has_kind(const nt_model *model, family of, int index, const nt_quantity_kind *k)
{
    const nt_element *e = of == ELEMENT ? &model->elements[index] : NULL;
    const nt_element_type *type = e ? e->type : NULL;
    int element, end;
    switch (k->of) {
    case NT_OF_BODY:
        return of == BODY;
    case NT_OF_TURNING:
        return of == BODY && !model->bodies[index].point;
    case NT_OF_MARKER:
        return of == MARKER;
    case NT_OF_STATION:
        return of == MARKER && nt_marker_is_station(&model->markers[index]);
    case NT_OF_FIGURE:
        return of == MARKER && has_material(model, index, false);
    case NT_OF_MATERIAL:
        return of == MARKER && has_material(model, index, true);
    case NT_OF_END:
        return of == BODY && nt_beam_end_of_body(model, index, &element, &end);
    case NT_OF_LOADED:
        return e && nt_element_is_joint(e) && nt_element_reacts(e) && !type->touches;
    case NT_OF_JOINED:
        return e && nt_element_joins(e);
    case NT_OF_TURNED:
        return e && nt_element_joins(e) && both_turn(model, e);
    case NT_OF_JOINT:
        return e && nt_element_is_joint(e);
    case NT_OF_FORCE:
        return e && nt_element_is_force(e);
    case NT_OF_ACTING:
        return e && nt_element_is_force(e) && nt_element_reacts(e);
    case NT_OF_LINE:
        return type && type->along == NT_ALONG_LINE;
    case NT_OF_WAY:
        return type && type->along == NT_ALONG_WAY;
    case NT_OF_WING:
        return type && type->along == NT_ALONG_AIR;
    case NT_OF_ABOUT:
        return type && type->along == NT_ALONG_ANGLE;
    case NT_OF_ALONG:
        return type && type->along == NT_ALONG_DISPLACEMENT;
    case NT_OF_CONTACT:
        return e && type->touches && nt_element_reacts(e);
    case NT_OF_TOUCH:
        return e && nt_element_touches(e);
    case NT_OF_DELAY: /* found by expressions alone */
    case NT_OF_SWITCH:
    case NT_OF_BALL: /* parts of elements are found by themselves */
    case NT_OF_CAGE:
        return false;
    case NT_OF_ROTATING:
        return type && nt_element_rotates(model, e);
    case NT_OF_SLIDING:
        return type && type->slides;
    case NT_OF_SLIDING_ONLY:
        return type && type->slides && !type->rotates;
    case NT_OF_NAMED:
        return of == NAMED;
    case NT_OF_WHOLE:
        return of == WHOLE;
    default:
        return e && shows(e, k->of);
    }
}

/* ---- names ---------------------------------------------------------------------------------- */

typedef struct span {
    const char *text;
    int length;
} span;

static bool span_is(span s, const char *word)
{
    return strncmp(s.text, word, (size_t)s.length) == 0 && word[s.length] == '\0';
}

bool nt_quantity_is_expression(const char *text) { return strpbrk(text, "(*/+^ ") != NULL; }

/* The piece up to the next dot; *rest follows the dot, and is NULL where there is none. An
 * expression is one piece. */
static span head(const char *text, const char **rest)
{
    const char *dot = nt_quantity_is_expression(text) ? NULL : strchr(text, '.');
    *rest = dot ? dot + 1 : NULL;
    return (span){text, dot ? (int)(dot - text) : (int)strlen(text)};
}

static int by_name(const void *a, const void *b)
{
    const nt_object_name *x = a, *y = b;
    return strcmp(x->name, y->name);
}

nt_status nt_quantity_sort_objects(nt_model *model)
{
    int n = object_count(model), index;
    model->n_objects = n;
    model->objects = NT_TAKE(&model->arena, n, nt_object_name);
    if (!model->objects)
        return NT_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        family of = object_at(model, i, &index);
        model->objects[i] = (nt_object_name){object_name(model, of, index), i, 0};
    }
    qsort(model->objects, (size_t)n, sizeof *model->objects, by_name);
    return NT_OK;
}

static bool is_of_part(nt_quantity_owner of) { return of == NT_OF_BALL || of == NT_OF_CAGE; }

/* Parts of elements are counted behind all elements. */
static void recount(const nt_model *model, int kind, int more, int *object)
{
    int before = model->n_elements - more;
    if (kind >= 0 && is_of_part(nt_quantity_kinds[kind].of))
        *object = nt_quantity_object_of_part(model, *object % before, *object / before);
}

void nt_quantity_more_elements(nt_model *model, int more)
{
    int behind = object_count(model) - model->n_named - more;
    for (int i = 0; i < model->n_objects; i++)
        if (model->objects[i].object >= behind)
            model->objects[i].object += more;
    for (int i = 0; i < model->n_signals; i++)
        recount(model, model->signals[i].kind, more, &model->signals[i].object);
    for (int i = 0; i < model->n_columns; i++)
        recount(model, model->columns[i].kind, more, &model->columns[i].object);
}

static int compare_span(const void *a, const void *b)
{
    const span *name = a;
    const nt_object_name *object = b;
    int order = strncmp(name->text, object->name, (size_t)name->length);
    return order != 0 ? order : -(object->name[name->length] != '\0');
}

static nt_object_name *find_object(const nt_model *model, span name)
{
    return bsearch(&name, model->objects, (size_t)model->n_objects, sizeof *model->objects,
                   compare_span);
}

static nt_status unknown_object(const nt_model *model, const char *name, span object,
                                nt_error *error)
{
    nt_suggestion search;
    int n = object_count(model), index;
    if (nt_quantity_is_expression(name))
        return nt_fail(error, NT_BAD_MODEL,
                       "unknown quantity '%s': an expression is recorded by a name that the model "
                       "gives it, quantities: {NAME: '%s'}",
                       name, name);
    for (int i = 0; i < model->n_parameters; i++)
        if (strcmp(name, model->parameters[i].name) == 0)
            return nt_fail(
                error, NT_BAD_MODEL,
                "unknown quantity '%s': a parameter is recorded by a name that the model "
                "gives it, quantities: {NAME: %s}",
                name, model->parameters[i].name);
    nt_suggest_start(&search, object.text, object.length);
    for (int i = 1; i < n; i++) {
        family of = object_at(model, i, &index);
        nt_suggest_offer(&search, object_name(model, of, index));
    }
    for (int i = 0; i < nt_quantity_kind_count; i++)
        if (nt_quantity_kinds[i].of == NT_OF_WHOLE)
            nt_suggest_offer(&search, nt_quantity_kinds[i].name);
    if (nt_suggest_is(object.text, object.length, "t") ||
        nt_suggest_is(object.text, object.length, "time"))
        return nt_fail(error, NT_BAD_MODEL,
                       "unknown quantity '%s': every row has the time, expected what else it is to "
                       "hold",
                       name);
    if (search.best)
        return nt_fail(error, NT_BAD_MODEL,
                       "unknown quantity '%s': there is no '%.*s'; did you mean '%s'?", name,
                       object.length, object.text, search.best);
    return nt_fail(error, NT_BAD_MODEL,
                   "unknown quantity '%s': expected BODY.position, JOINT.force or the like, or "
                   "energy, momentum, angular_momentum, constraint_drift, step_size",
                   name);
}

/* Why an element does not show what others of its kind do: "" where there is no more to say. */
static const char *why_not_shown(const nt_element *e, span word)
{
    bool load = nt_suggest_is(word.text, word.length, "force") ||
                nt_suggest_is(word.text, word.length, "torque");
    bool acts = nt_element_is_joint(e) || nt_element_is_force(e);
    bool turn = nt_suggest_is(word.text, word.length, "angle") ||
                nt_suggest_is(word.text, word.length, "rate") ||
                nt_suggest_is(word.text, word.length, "rotation");
    if (acts && load && !nt_element_reacts(e))
        return ", as its type does not tell it (`reaction` of nt_element_type)";
    if (turn && nt_element_is_joint(e) && !nt_element_joins(e) && !shows(e, NT_OF_ROLLING))
        return ": it turns nothing itself, the joints that it couples have angles";
    return "";
}

static nt_status unknown_kind(const nt_model *model, family of, int index, span word,
                              nt_error *error)
{
    nt_suggestion search;
    char known[512] = "";
    int used = 0;
    nt_suggest_start(&search, word.text, word.length);
    for (int i = 0; i < nt_quantity_kind_count; i++)
        if (has_kind(model, of, index, &nt_quantity_kinds[i])) {
            nt_suggest_offer(&search, nt_quantity_kinds[i].name);
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", used ? ", " : "",
                             nt_quantity_kinds[i].name);
        }
    const char *object = object_name(model, of, index);
    if (of == NAMED)
        return nt_fail(error, NT_BAD_MODEL, "'%s.%.*s': quantity '%s' is one number", object,
                       word.length, word.text, object);
    if (of == ELEMENT && shows(&model->elements[index], NT_OF_STATE))
        return nt_fail(error, NT_BAD_MODEL, "'%s.%.*s': state '%s' is one number", object,
                       word.length, word.text, object);
    const char *is = of == BODY && model->bodies[index].point ? "is a point and " : "";
    if (!known[0])
        return nt_fail(error, NT_BAD_MODEL, "'%s' has nothing that can be recorded", object);
    if (word.length == 0)
        return nt_fail(error, NT_BAD_MODEL,
                       "which quantity of '%s'? Expected %s.NAME with one of %s", object, object,
                       known);
    const char *why = of == ELEMENT ? why_not_shown(&model->elements[index], word) : "";
    if (search.best && !*why)
        return nt_fail(error, NT_BAD_MODEL, "'%s' %shas no '%.*s'; did you mean '%s'?", object, is,
                       word.length, word.text, search.best);
    return nt_fail(error, NT_BAD_MODEL, "'%s' %shas no '%.*s'%s, expected one of %s", object, is,
                   word.length, word.text, why, known);
}

/* Refuses what a contact of a ball does not have; `length` of the name are that contact's. */
static nt_status unknown_kind_of_part(nt_quantity_owner of, const char *name, int length, span word,
                                      nt_error *error)
{
    nt_suggestion search;
    char known[512] = "";
    int used = 0;
    nt_suggest_start(&search, word.text, word.length);
    for (int i = 0; i < nt_quantity_kind_count; i++)
        if (nt_quantity_kinds[i].of == of) {
            nt_suggest_offer(&search, nt_quantity_kinds[i].name);
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", used ? ", " : "",
                             nt_quantity_kinds[i].name);
        }
    if (word.length == 0)
        return nt_fail(error, NT_BAD_MODEL, "which quantity of '%.*s'? Expected one of %s", length,
                       name, known);
    if (search.best)
        return nt_fail(error, NT_BAD_MODEL, "'%.*s' has no '%.*s'; did you mean '%s'?", length,
                       name, word.length, word.text, search.best);
    return nt_fail(error, NT_BAD_MODEL, "'%.*s' has no '%.*s', expected one of %s", length, name,
                   word.length, word.text, known);
}

static nt_status unknown_component(const nt_quantity_kind *k, const char *component,
                                   const char *name, nt_error *error)
{
    nt_suggestion search;
    char known[128] = "";
    int used = 0;
    nt_suggest_start(&search, component, (int)strlen(component));
    for (int i = 0; i < k->columns; i++) {
        nt_suggest_offer(&search, k->components[i]);
        used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i ? ", " : "",
                         k->components[i]);
    }
    if (search.best)
        return nt_fail(error, NT_BAD_MODEL, "unknown quantity '%s'; did you mean '%.*s%s'?", name,
                       (int)(strlen(name) - strlen(component)), name, search.best);
    return nt_fail(error, NT_BAD_MODEL, "unknown quantity '%s': '%s' has the components %s", name,
                   k->name, known);
}

/* All columns of the quantity, or the one that `component` names. */
static nt_status choose(const nt_model *model, const nt_quantity_kind *k, int object,
                        const char *name, const char *component, nt_quantity_info *quantity,
                        nt_error *error)
{
    int needs = k->of == NT_OF_NAMED ? model->named[object].needs : k->needs;
    *quantity = (nt_quantity_info){
        .kind = (int)(k - nt_quantity_kinds),
        .object = object,
        .columns = k->columns,
        .needs_reactions = (needs & NT_NEEDS_REACTIONS) != 0,
        .needs_energy = (needs & NT_NEEDS_ENERGY) != 0,
        .needs_drift = (needs & NT_NEEDS_DRIFT) != 0,
        .needs_accelerations = (needs & NT_NEEDS_ACCELERATIONS) != 0,
    };
    if (!component)
        return NT_OK;
    quantity->columns = 1;
    for (int i = 0; k->components && i < k->columns; i++)
        if (strcmp(component, k->components[i]) == 0)
            return quantity->first = i, NT_OK;
    if (!k->components)
        return nt_fail(error, NT_BAD_MODEL, "unknown quantity '%s': '%s' is one number", name,
                       k->name);
    return unknown_component(k, component, name, error);
}

bool nt_quantity_is_of(const nt_model *model, const char *name, const nt_quantity_kind *kind)
{
    int index;
    const nt_object_name *found = find_object(model, (span){name, (int)strlen(name)});
    if (!found)
        return false;
    family of = object_at(model, found->object, &index);
    return has_kind(model, of, index, kind);
}

/* A quantity of a body that an element brings: NAME.ball1.position, NAME.tip.velocity; false where
 * the rest names none of them. */
static bool find_in_own_body(const nt_model *model, const nt_element *element, const char *name,
                             const char *rest, nt_quantity_info *quantity, nt_error *error,
                             nt_status *status)
{
    size_t length = strlen(element->name) + 1 + strcspn(rest, ".");
    const char *component = NULL;
    for (int body = element->first_brought; body < element->first_brought + element->n_brought;
         body++) {
        const char *own = model->bodies[body].name;
        if (strncmp(own, name, length) != 0 || own[length])
            continue;
        span second = name[length] ? head(name + length + 1, &component) : (span){"", 0};
        for (int k = 0; k < nt_quantity_kind_count; k++)
            if (has_kind(model, BODY, body, &nt_quantity_kinds[k]) &&
                span_is(second, nt_quantity_kinds[k].name)) {
                *status =
                    choose(model, &nt_quantity_kinds[k], body, name, component, quantity, error);
                return true;
            }
        *status = unknown_kind(model, BODY, body, second, error);
        return true;
    }
    return false;
}

/* The part whose name the text begins with, *length of it, and its family; 0 for none. */
static int find_part(const nt_model *model, const nt_element *element, const char *text,
                     int *length, nt_quantity_owner *of)
{
    char name[PART_NAME];
    for (int part = 1;; part++) {
        int found = nt_element_part_at(model, element, part, name, sizeof name);
        if (found < 0)
            return 0;
        *of = (nt_quantity_owner)found;
        *length = (int)strlen(name);
        if (name[0] && strncmp(text, name, (size_t)*length) == 0 &&
            (text[*length] == '.' || text[*length] == '\0'))
            return part;
    }
}

/* A quantity of a part of an element, NAME.ball1.outer.force; false where the rest names none. */
static bool find_in_part(const nt_model *model, int element, const char *name, const char *rest,
                         nt_quantity_info *quantity, nt_error *error, nt_status *status)
{
    int used;
    nt_quantity_owner of;
    int part = find_part(model, &model->elements[element], rest, &used, &of);
    if (part == 0)
        return false;
    const char *after = rest[used] ? rest + used + 1 : "", *component;
    span second = head(after, &component);
    for (int i = 0; i < nt_quantity_kind_count; i++) {
        const nt_quantity_kind *k = &nt_quantity_kinds[i];
        if (k->of != of || !span_is(second, k->name))
            continue;
        *status = choose(model, k, nt_quantity_object_of_part(model, element, part), name,
                         component, quantity, error);
        return true;
    }
    bool is_body = !memchr(rest, '.', (size_t)used); /* too: the rest may be a quantity of it */
    if (!is_body)
        *status = unknown_kind_of_part(of, name, (int)(rest - name) + used, second, error);
    return !is_body;
}

/* States and quantities of blocks and sampled values have dots in their names. */
static bool is_part_of_block(const nt_model *model, const char *name, int *index)
{
    const nt_object_name *found = find_object(model, (span){name, (int)strlen(name)});
    family of = found ? object_at(model, found->object, index) : WHOLE;
    const nt_element *e = of == ELEMENT ? &model->elements[*index] : NULL;
    return of == NAMED || (e && (shows(e, NT_OF_STATE) || shows(e, NT_OF_HELD)));
}

nt_status nt_quantity_find(const nt_model *model, const char *name, bool any,
                           nt_object_name **object, nt_quantity_info *quantity, nt_error *error)
{
    const char *rest, *component = NULL;
    span first = head(name, &rest);
    int index;
    if (object)
        *object = NULL;
    for (int i = 0; i < nt_quantity_kind_count; i++)
        if (nt_quantity_kinds[i].of == NT_OF_WHOLE && span_is(first, nt_quantity_kinds[i].name))
            return choose(model, &nt_quantity_kinds[i], 0, name, rest, quantity, error);
    nt_object_name *found = find_object(model, first);
    if (rest && is_part_of_block(model, name, &index)) {
        found = find_object(model, (span){name, (int)strlen(name)});
        rest = NULL;
    }
    if (!found || (!any && found->object == 0))
        return unknown_object(model, name, first, error);
    if (object)
        *object = found;
    family of = object_at(model, found->object, &index);
    nt_status status;
    if (rest && of == ELEMENT &&
        (find_in_part(model, index, name, rest, quantity, error, &status) ||
         find_in_own_body(model, &model->elements[index], name, rest, quantity, error, &status)))
        return status;
    span second = rest ? head(rest, &component) : (span){"", 0};
    for (int i = 0; i < nt_quantity_kind_count; i++)
        if (has_kind(model, of, index, &nt_quantity_kinds[i]) &&
            span_is(second, nt_quantity_kinds[i].name))
            return choose(model, &nt_quantity_kinds[i], index, name, component, quantity, error);
    return unknown_kind(model, of, index, second, error);
}

nt_status nt_model_quantity(const nt_model *model, const char *name, nt_quantity_info *quantity,
                            nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "model name quantity", model, name, quantity);
    return nt_said(error, nt_quantity_find(model, name, false, NULL, quantity, error));
}

static family family_of(const nt_quantity_kind *k)
{
    switch (k->of) {
    case NT_OF_BODY:
    case NT_OF_TURNING:
    case NT_OF_END:
        return BODY;
    case NT_OF_MARKER:
    case NT_OF_STATION:
    case NT_OF_FIGURE:
    case NT_OF_MATERIAL:
        return MARKER;
    case NT_OF_NAMED:
        return NAMED;
    case NT_OF_WHOLE:
        return WHOLE;
    default:
        return ELEMENT;
    }
}

static bool is_quantity(const nt_model *model, const nt_quantity_info *q)
{
    if (q->kind < 0 || q->kind >= nt_quantity_kind_count || q->object < 0)
        return false;
    const nt_quantity_kind *k = &nt_quantity_kinds[q->kind];
    const int counts[] = {model->n_bodies, model->n_markers, model->n_elements, model->n_named, 1};
    if (q->columns < 1 || q->first < 0 || q->columns > k->columns - q->first)
        return false;
    if (is_of_part(k->of)) {
        char name[PART_NAME];
        int part = model->n_elements > 0 ? nt_quantity_part(model, q->object) : 0;
        return part > 0 &&
               nt_element_part_at(model, &model->elements[q->object % model->n_elements], part,
                                  name, sizeof name) == (int)k->of &&
               name[0];
    }
    family of = family_of(k);
    return q->object < counts[of] && has_kind(model, of, q->object, k);
}

nt_status nt_quantity_refuse(nt_error *error, const char *function, const nt_model *model,
                             const nt_quantity_info *quantities, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_quantity(model, &quantities[i]))
            return nt_fail(error, NT_INVALID,
                           "%s: quantity %d is none of this model, expected one that "
                           "nt_model_quantity has found in it",
                           function, i);
    return NT_OK;
}

void nt_model_quantity_column(const nt_model *model, const nt_quantity_info *quantity, int column,
                              char *name, char *unit, char *meaning, int size)
{
    size_t room = size > 0 ? (size_t)size : 0;
    char *const texts[3] = {name, unit, meaning};
    if (!model || !quantity || !name || !unit || !meaning || !is_quantity(model, quantity) ||
        column < 0 || column >= quantity->columns) {
        for (int j = 0; j < 3; j++)
            if (texts[j] && room > 0)
                texts[j][0] = '\0';
        return;
    }
    const nt_quantity_kind *k = &nt_quantity_kinds[quantity->kind];
    int i = quantity->first + column;
    family of = family_of(k);
    int index = is_of_part(k->of) ? quantity->object % model->n_elements : quantity->object;
    const char *object = object_name(model, of, index);
    char whole[96], part[PART_NAME];
    if (is_of_part(k->of)) {
        nt_element_part_at(model, &model->elements[index],
                           nt_quantity_part(model, quantity->object), part, sizeof part);
        snprintf(whole, sizeof whole, "%.60s.%s", object, part);
        object = whole;
    }
    const char *word = of == BODY     ? "body"
                       : of == MARKER ? "marker"
                       : of == WHOLE  ? ""
                       : of == NAMED  ? ""
                                      : nt_element_word(&model->elements[index]);
    const char *component = k->components ? k->components[i] : NULL;
    snprintf(name, room, "%s%s%s%s%s", object, *object && *k->name ? "." : "", k->name,
             component ? "." : "", component ? component : "");
    snprintf(unit, room, "%s", i > 0 && k->later_unit ? k->later_unit : k->unit);
    snprintf(meaning, room, "%s%s%s%s%s%s%s%s%s", k->meaning, *word ? " of " : "", word,
             *word ? " " : "", object, component ? ", " : "", component ? component : "",
             k->axes ? ", " : "", k->axes ? k->axes : "");
}

int nt_model_has_power(const nt_model *model)
{
    if (!model)
        return 0;
    if (model->n_happenings > 0) /* blows, impacts and changed numbers */
        return 1;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (nt_element_does_work(model, e))
            return 1;
    }
    return 0;
}
