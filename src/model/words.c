/* What a system says of its parts: names of equations and coordinates, and their places in the
 * file.
 */
#include "base/error.h"
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/parameters/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reason {
    const nt_run *run;
    char *text;
    size_t size;
} reason;

static bool has_reason(void *context, const nt_expression *function)
{
    const reason *r = context;
    return nt_expression_why(function, r->run->variables, r->text, r->size);
}

void nt_run_why(const nt_run *run, const nt_element *element, char *text, int size)
{
    reason r = {run, text, size > 0 ? (size_t)size : 0};
    nt_view view = {.run = run, .model = run->model, .motion = run->motion, .bodies = run->bodies};
    if (size > 0)
        text[0] = '\0';
    if (size > 0 && nt_element_has_failures(element))
        element->type->failure(element, &view, text, size);
    if (size > 0 && !text[0])
        nt_element_has_function(run, element, has_reason, &r);
}

void nt_run_failure(void *self, char *text, int size)
{
    const nt_run *run = self;
    if (text && size > 0)
        text[0] = '\0';
    const nt_element *e = run ? run->failed : NULL;
    if (!e || !text || size <= 0)
        return;
    int used =
        snprintf(text, (size_t)size, "%s %s (%s)", nt_element_word(e), e->name, e->type->name);
    if (used + 2 >= size)
        return;
    nt_run_why(run, e, text + used + 2, size - used - 2);
    if (text[used + 2])
        memcpy(text + used, ": ", 2);
}

int nt_run_warning(const nt_run *run, int i, char *text, int size)
{
    if (text && size > 0)
        text[0] = '\0';
    for (int k = 0; run && text && size > 0 && i >= 0 && k < run->model->n_elements; k++) {
        const nt_element *e = &run->model->elements[k];
        if (!run->notes || run->notes[k].by == 0 || !nt_element_has_warnings(e) || i-- > 0)
            continue;
        int used = snprintf(text, (size_t)size, "%s %s: ", nt_element_word(e), e->name);
        if (used < size)
            e->type->warning(run, e, text + used, size - used);
        return (int)strlen(text);
    }
    for (int k = 0; run && text && size > 0 && i >= 0 && k < 2 * run->model->n_happenings; k++) {
        int length = nt_actions_note(run, k / 2, k % 2, text, size);
        if (length > 0 && i-- == 0)
            return length < size ? length : size - 1;
    }
    if (text && size > 0)
        text[0] = '\0';
    return 0;
}

void nt_run_met_name(void *self, int which, char *text, int size)
{
    const nt_run *run = self;
    if (!nt_run_can_say(run, text, size) || which < 0 || which >= run->model->n_elements)
        return;
    const nt_element *e = &run->model->elements[which];
    snprintf(text, (size_t)size, "%s %s", nt_element_word(e), e->name);
}

void nt_run_damping_name(void *self, const int which[2], char *text, int size)
{
    const nt_run *run = self;
    const nt_element *e = &run->model->elements[which[0]];
    char part[80] = "";
    if (nt_element_has_parts(e))
        e->type->energy_part(e, &run->view, which[1], part, sizeof part);
    snprintf(text, (size_t)size, "%s %s%s%s", nt_element_word(e), e->name, part[0] ? ", " : "",
             part);
}

static bool has_feature(const nt_run *run, const nt_element *e, nt_feature feature)
{
    if (feature == NT_FEATURE_HOLONOMIC)
        return e->n_rows > 0;
    if (feature == NT_FEATURE_NONHOLONOMIC)
        return e->n_rates > 0;
    if (feature == NT_FEATURE_FIRST_ORDER)
        return e->n_own > 0 && e->type->first_order;
    if (feature == NT_FEATURE_INERTIA)
        return e->n_own > 0 || e->type->has_inertia;
    return feature == NT_FEATURE_RATE_FORCES && nt_element_depends_on_rates(run, e);
}

void nt_run_feature(void *self, nt_feature feature, nt_error *part)
{
    const nt_run *run = self;
    if (!run || !part)
        return;
    const nt_model *model = run->model;
    for (int i = 1; feature == NT_FEATURE_ROTATIONS && i < model->n_bodies; i++) {
        const nt_body *body = &model->bodies[i];
        if (body->r_node < 0)
            continue;
        nt_fail_at(part, NT_OK, model->file, body->place.line, body->place.column, "body %s",
                   body->name);
        return;
    }
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (!has_feature(run, e, feature))
            continue;
        bool of_node = feature == NT_FEATURE_INERTIA && e->n_brought > 0;
        nt_fail_at(part, NT_OK, model->file, e->place.line, e->place.column, "%s%s%s%s %s",
                   of_node ? "node " : "", of_node ? model->bodies[e->first_brought].name : "",
                   of_node ? " of " : "", nt_element_word(e), e->name);
        return;
    }
}

/* The body that entry i of v belongs to; NULL for no entry of v. The bodies' entries follow each
 * other. */
static const nt_body *body_of_entry(const nt_model *model, int i)
{
    int low = 1, high = model->n_bodies;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (model->bodies[middle].v <= i)
            low = middle;
        else
            high = middle;
    }
    if (low >= model->n_bodies)
        return NULL;
    const nt_body *body = &model->bodies[low];
    int k = i - body->v;
    return k >= 0 && k < 3 * ((body->t_node >= 0) + (body->r_node >= 0)) ? body : NULL;
}

/* The element whose own coordinate entry i of v is; NULL for none. */
static const nt_element *owner_of_entry(const nt_model *model, int i)
{
    for (int k = 0; model->has_own && k < model->n_elements; k++) {
        const nt_element *e = &model->elements[k];
        if (e->n_own > 0 && i >= e->own_v && i < e->own_v + e->n_own)
            return e;
    }
    return NULL;
}

const nt_element *nt_model_element_of_row(const nt_model *model, int i)
{
    bool known = i >= 0 && i < model->system.nh + model->system.nn && model->row_element[i] >= 0;
    return known ? &model->elements[model->row_element[i]] : NULL;
}

const char *nt_model_row_name(const nt_model *model, const nt_element *element, int i)
{
    return element->type->row_name(model, element, nt_element_find_row(element, i));
}

/* Equations of directions are sines, and 2 - sine past a right angle. */
double nt_model_row_gap(const nt_model *model, int i, double value, const char **unit)
{
    const nt_element *e = nt_model_element_of_row(model, i);
    bool length = model->row_quantity[i] == NT_LENGTH;
    bool sine = !length && e && (nt_element_joins(e) || e->type->leaves_place); /* not of a gear */
    double beyond = fabs(value) - 1;
    *unit = length ? "m" : "rad";
    if (!sine)
        return value;
    return beyond > 0 ? copysign(acos(-1.0) - asin(fmax(0, 1 - beyond)), value) : asin(value);
}

void nt_run_place(void *self, int i, nt_error *place)
{
    const nt_run *run = self;
    if (!run || !place)
        return;
    const nt_model *model = run->model;
    const nt_body *body = body_of_entry(model, i);
    const nt_element *e = i < 0 ? run->failed : owner_of_entry(model, i);
    e = e || i < 0 ? e : nt_model_element_of_row(model, i - model->system.space.nv);
    const nt_place *at = body ? &body->place : e ? &e->place : NULL;
    if (at)
        nt_fail_at(place, place->status, model->file, at->line, at->column, "%s", "");
}

/* "force on body top along x" from what entry i of v belongs to; false for no entry of v */
static bool name_of_entry(const nt_model *model, int i, const char *translation,
                          const char *rotation, char *text, int size)
{
    const nt_body *body = body_of_entry(model, i);
    if (!body)
        return false;
    int k = i - body->v;
    bool translates = body->t_node >= 0 && k < 3;
    snprintf(text, (size_t)size, "%s body %s %s %c", translates ? translation : rotation,
             body->name, translates ? "along" : "about", "xyz"[k % 3]);
    return true;
}

/* "equation of force strut, elongation" */
static bool name_of_own(const nt_model *model, int i, const char *before, char *text, int size)
{
    const nt_element *e = owner_of_entry(model, i);
    const char *name = e ? nt_element_coordinate_name(model, e, i - e->own_v) : NULL;
    if (name)
        snprintf(text, (size_t)size, "%s%s %s%s%s", before, nt_element_word(e), e->name,
                 *name ? ", " : "", name);
    else if (e)
        snprintf(text, (size_t)size, "%s%s %s, coordinate %d", before, nt_element_word(e), e->name,
                 i - e->own_v + 1);
    return e;
}

void nt_run_coordinate_name(void *self, int i, char *text, int size)
{
    if (!nt_run_can_say(self, text, size))
        return;
    const nt_model *model = ((const nt_run *)self)->model;
    if (!name_of_entry(model, i, "translation of", "rotation of", text, size) &&
        !name_of_own(model, i, "", text, size))
        snprintf(text, (size_t)size, "entry %d", i);
}

void nt_run_equation_name(void *self, int i, char *text, int size)
{
    if (!nt_run_can_say(self, text, size))
        return;
    const nt_model *model = ((const nt_run *)self)->model;
    int nv = model->system.space.nv;
    if (i < nv && (name_of_entry(model, i, "force on", "moment on", text, size) ||
                   name_of_own(model, i, "equation of ", text, size)))
        return;
    const nt_element *e = nt_model_element_of_row(model, i - nv);
    if (e)
        snprintf(text, (size_t)size, "joint %s, %s", e->name, nt_model_row_name(model, e, i - nv));
    else
        snprintf(text, (size_t)size, "equation %d", i);
}
