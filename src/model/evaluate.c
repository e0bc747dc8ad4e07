#include "model/evaluate.h"

#include "base/error.h"
#include "model/assemble.h"
#include "model/bodies.h"
#include "model/body.h"
#include "model/parameter.h"
#include "model/signal.h"

#include <stdio.h>
#include <string.h>

/* ---- looking at a point --------------------------------------------------------------------- */

/* Bodies from `from` to `to` - 1, see nt_bodies_evaluate. */
static int evaluate_bodies(nt_model *model, const nt_view *view, int from, int to)
{
    return nt_bodies_evaluate(model->bodies, model->n_bodies, from, to, view->at, view->terms,
                              v3_load(model->gravity), model->motion);
}

/* All that does not depend on the bodies' motion. */
static void begin_view(nt_model *model, const nt_point *at, const nt_terms *terms, nt_view *view)
{
    int nh = model->system.nh, nn = model->system.nn;
    const double *lambda = at->lambda;
    if (nn > 0) { /* elements see one array; rows alone are looked at without multipliers */
        if (at->lambda && at->lambda != model->multipliers)
            memcpy(model->multipliers, at->lambda, (size_t)nh * sizeof(double));
        if (at->mu && at->mu != model->multipliers + nh)
            memcpy(model->multipliers + nh, at->mu, (size_t)nn * sizeof(double));
        lambda = model->multipliers;
    }
    *view = (nt_view){.model = model,
                      .motion = model->motion,
                      .bodies = model->bodies,
                      .at = at,
                      .terms = terms,
                      .lambda = lambda,
                      .variables = model->variables};
    model->variables[nt_model_time_variable(model)] = at->t;
}

static void find_signals(nt_model *model, const nt_view *view)
{
    double *signals = model->variables + model->n_parameters + 1;
    for (int i = 0; i < model->n_signals; i++)
        signals[i] = nt_signal_value(&model->signals[i], view);
}

void nt_model_look(nt_model *model, const nt_point *at, const nt_terms *terms, nt_view *view)
{
    begin_view(model, at, terms, view);
    evaluate_bodies(model, view, 1, model->n_bodies);
    find_signals(model, view);
}

void nt_motion_jet(const nt_model *model, const nt_expression *function, double t, double out[3])
{
    const nt_straight *straight = model->straight;
    model->variables[nt_model_time_variable(model)] = t;
    nt_expression_jet(function, straight ? straight->base : model->variables, model->time_rate,
                      model->zeros, out);
    for (int i = 0; straight && i < 3; i++)
        out[i] += straight->s * straight->motion[i];
}

/* ---- equations ------------------------------------------------------------------------------ */

/* Bodies that are evaluated at a time: their motions, 3 KB, stay in the nearest cache. */
enum { AT_A_TIME = 16 };

/* All elements add to what the view asks for, bodies from next on just before the first that needs
 * them: joints see no bodies but their own, loads may see any. What bodies and joints share is in
 * the nearest cache then, and every sum has its terms in the same order as with all bodies first.
 * The element that has no value is remembered. */
static nt_status evaluate_elements(nt_model *model, const nt_view *view, int next)
{
    int last = model->n_bodies - 1;
    model->failed = NULL;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        int needed = i >= model->n_joints ? last : e->a > e->b ? e->a : e->b;
        if (next <= needed) {
            int ahead = needed + AT_A_TIME;
            next = evaluate_bodies(model, view, next, (ahead < last ? ahead : last) + 1);
        }
        nt_status status = e->type->evaluate(e, view);
        if (status != NT_OK) {
            model->failed = e;
            return status;
        }
    }
    if (next <= last)
        evaluate_bodies(model, view, next, last + 1);
    return NT_OK;
}

/* Inertia is that of bodies: where nothing else is asked for, elements have nothing to say. */
static bool asks_bodies_alone(const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    return terms->parts == NT_MASS && !terms->rows &&
           (!terms->matrix || (c->row_mass == 0 && c->row_damping == 0 && c->row_stiffness == 0));
}

nt_status nt_model_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_model *model = self;
    nt_view view;
    int next = 1;
    if (asks_bodies_alone(terms)) {
        begin_view(model, at, terms, &view);
        evaluate_bodies(model, &view, 1, model->n_bodies);
        return NT_OK;
    }
    if (model->n_signals > 0) {
        nt_model_look(model, at, terms, &view);
        next = model->n_bodies;
    } else {
        begin_view(model, at, terms, &view);
    }
    return evaluate_elements(model, &view, next);
}

nt_status nt_model_energy(void *self, const nt_point *at, nt_energy *energy)
{
    nt_model *model = self;
    nt_view view;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    *energy = (nt_energy){0};
    nt_model_look(model, at, &terms, &view);
    view.energy = energy;
    for (int i = 1; i < model->n_bodies; i++)
        nt_body_energy(&model->bodies[i], &model->motion[i], v3_load(model->gravity), energy);
    return evaluate_elements(model, &view, model->n_bodies);
}

void nt_model_accept(void *self, const nt_point *at, double *next)
{
    nt_model *model = self;
    nt_view view;
    nt_terms terms = {0};
    nt_model_look(model, at, &terms, &view);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->type->accept)
            e->type->accept(e, &view, next + e->memory);
    }
}

/* ---- parameters ----------------------------------------------------------------------------- */

void nt_model_get_parameters(void *self, double *p)
{
    const nt_model *model = self;
    for (int i = 0; i < model->n_parameters; i++)
        p[i] = model->parameters[i].value;
}

nt_status nt_model_set_parameters(void *self, const double *p)
{
    nt_model *model = self;
    for (int i = 0; i < model->n_parameters; i++) {
        nt_parameter *parameter = &model->parameters[i];
        double value = p[i];
        if (parameter->expression) {
            double own = nt_expression_value(parameter->expression, model->variables);
            if (p[i] != parameter->asked && p[i] != parameter->value)
                parameter->taken = p[i] != own;
            value = parameter->taken ? p[i] : own;
        }
        parameter->asked = p[i];
        parameter->value = model->variables[i] = value;
    }
    nt_parameter_rates_forget(model);
    nt_status status = nt_model_prepare(model, false, NULL);
    nt_model_renew_promises(model);
    return status == NT_OK ? nt_model_assemble(model, false, NULL) : status;
}

/* t is that of the model's start: its initial values are found there. */
nt_status nt_model_consistent_initial(void *self, double t, double *q, double *v, double *memory)
{
    nt_model *model = self;
    if (t != model->simulation.start)
        return NT_UNSUPPORTED;
    nt_model_initial(model, q, v, memory);
    return NT_OK;
}

/* ---- words ---------------------------------------------------------------------------------- */

void nt_model_failure(void *self, char *text, int size)
{
    const nt_element *e = ((const nt_model *)self)->failed;
    if (size > 0)
        text[0] = '\0';
    if (e)
        snprintf(text, (size_t)size, "%s %s (%s)", nt_element_word(e), e->name, e->type->name);
}

static bool has_feature(const nt_model *model, const nt_element *e, nt_feature feature)
{
    if (feature == NT_FEATURE_HOLONOMIC)
        return e->n_rows > 0;
    if (feature == NT_FEATURE_NONHOLONOMIC)
        return e->n_rates > 0;
    return feature == NT_FEATURE_RATE_FORCES && e->type->depends_on_rates &&
           e->type->depends_on_rates(model, e);
}

void nt_model_feature(void *self, nt_feature feature, nt_error *part)
{
    const nt_model *model = self;
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
        if (!has_feature(model, e, feature))
            continue;
        nt_fail_at(part, NT_OK, model->file, e->place.line, e->place.column, "%s %s",
                   nt_element_word(e), e->name);
        return;
    }
}

/* The body that entry i of v belongs to; NULL for no entry of v. */
static const nt_body *body_of_entry(const nt_model *model, int i)
{
    for (int b = 1; b < model->n_bodies; b++) {
        const nt_body *body = &model->bodies[b];
        int k = i - body->v;
        if (k >= 0 && k < 3 * ((body->t_node >= 0) + (body->r_node >= 0)))
            return body;
    }
    return NULL;
}

const nt_element *nt_model_element_of_row(const nt_model *model, int i)
{
    for (int k = 0; k < model->n_elements; k++)
        if (nt_element_find_row(&model->elements[k], i) >= 0)
            return &model->elements[k];
    return NULL;
}

void nt_model_place(void *self, int i, nt_error *place)
{
    const nt_model *model = self;
    const nt_body *body = body_of_entry(model, i);
    const nt_element *e =
        i < 0 ? model->failed : nt_model_element_of_row(model, i - model->system.space.nv);
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

void nt_model_coordinate_name(void *self, int i, char *text, int size)
{
    if (!name_of_entry(self, i, "translation of", "rotation of", text, size))
        snprintf(text, (size_t)size, "entry %d", i);
}

void nt_model_equation_name(void *self, int i, char *text, int size)
{
    const nt_model *model = self;
    int nv = model->system.space.nv;
    if (i < nv && name_of_entry(model, i, "force on", "moment on", text, size))
        return;
    const nt_element *e = nt_model_element_of_row(model, i - nv);
    if (e)
        snprintf(text, (size_t)size, "joint %s, %s", e->name,
                 e->type->row_name(e, nt_element_find_row(e, i - nv)));
    else
        snprintf(text, (size_t)size, "equation %d", i);
}
