#include "model/events/sliding.h"
#include "model/quantities/quantity.h"

#include "group/rotation.h"
#include "model/events/switches.h"
#include "model/expressions/expression_code.h"
#include "model/forces/load.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"
#include "system/indicator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct nt_slide {
    unsigned given;
    int number; /* of the switch */
    const nt_expression *argument;
    nt_coupling coupling;
} nt_slide;

static const nt_section slide_section = {.name = "sliding", .word = "switch", .one_type = true};

static const nt_key sliding_keys[] = {
    NT_KEY("argument", NT_KEY_FUNCTION, .offset = offsetof(nt_slide, argument), .bit = 0,
           .meaning = "what stays at a point"),
    {0},
};

/* s, of a switch that has not changed yet; finite, so that differences of memories have a value. */
static const double NEVER = -1e300;

/* ---- what a switch passes ------------------------------------------------------------------- */

/* By how much its value jumps from `low` to what follows it. */
static double span_of(const nt_switch *s, double low)
{
    if (s->operation == NT_OP_TABLE)
        return nt_table_next(s->table, low) - low;
    return s->operation == NT_OP_SIGN ? 2 : 1;
}

/* The value behind `low`. */
static double next_of(const nt_switch *s, double low)
{
    return s->operation == NT_OP_TABLE ? nt_table_next(s->table, low) : low + span_of(s, low);
}

/* The value of the argument between `low` and what follows it. */
static double level_of(const nt_switch *s, double low)
{
    switch (s->operation) {
    case NT_OP_FLOOR:
        return low + 1;
    case NT_OP_CEIL:
        return low;
    case NT_OP_ROUND:
        return low + 0.5;
    case NT_OP_TABLE:
        return nt_table_next(s->table, low);
    default:
        return 0;
    }
}

static bool has_levels(int operation)
{
    return operation == NT_OP_LESS || operation == NT_OP_LESS_EQUAL ||
           operation == NT_OP_HEAVISIDE || operation == NT_OP_SIGN || operation == NT_OP_FLOOR ||
           operation == NT_OP_CEIL || operation == NT_OP_ROUND || operation == NT_OP_TABLE;
}

bool nt_switch_may_slide(const nt_model *model, const nt_switch *s)
{
    int n, time = nt_model_time_variable(model);
    const int *variables = nt_expression_variables(s->argument, &n);
    if (!s->moves || s->known || s->bends || !has_levels(s->operation) ||
        (s->table && (s->table->form.beyond == NT_BEYOND_PERIODIC || !s->table->sheet)))
        return false;
    bool moves = false;
    for (int i = 0; i < n; i++) {
        const nt_signal *signal =
            variables[i] > time ? &model->signals[variables[i] - time - 1] : NULL;
        if (signal && signal->is_load)
            return false;
        moves = moves || (signal && signal->kind >= 0 && nt_quantity_kinds[signal->kind].is_rate);
    }
    return moves;
}

/* ---- values --------------------------------------------------------------------------------- */

int nt_signal_slide(const nt_model *model, const nt_signal *signal)
{
    return signal->kind == NT_SIGNAL_SWITCH ? model->switches[signal->object].slide : -1;
}

double *nt_slide_entries(const nt_model *model, int k, double *memory)
{
    int slide = model->switches[k].slide, first = model->n_elements - model->n_slides;
    return slide < 0 ? NULL : memory + model->slide_memory + NT_SLIDE_MEMORY * (slide - first);
}

bool nt_slide_is_on(const nt_model *model, int k, const double *memory)
{
    int slide = model->switches[k].slide, first = model->n_elements - model->n_slides;
    return memory && slide >= 0 &&
           memory[model->slide_memory + NT_SLIDE_MEMORY * (slide - first) + NT_SLIDE_ON] == 1;
}

double nt_slide_value(const nt_view *view, int k)
{
    const nt_element *e = &view->model->elements[view->model->switches[k].slide];
    return view->lambda ? view->lambda[e->first_rate]
                        : view->at->memory[view->model->switch_memory + k];
}

double nt_slide_slope(const nt_view *view, int k)
{
    bool on = nt_slide_is_on(view->model, k, view->at->memory);
    return on ? view->terms->combination->multiplier : 0;
}

void nt_slides_begin(const nt_run *run, double *memory)
{
    const nt_model *model = run->model;
    for (int k = 0; k < model->n_switches; k++) {
        double *entry = nt_slide_entries(model, k, memory),
               *held = memory + model->switch_memory + k;
        int joint = model->switches[k].joint;
        if (!entry || !isnan(entry[NT_SLIDE_ON]))
            continue;
        bool rests = joint >= 0 && *held == 0 && nt_joint_is_rough(run, joint) &&
                     !nt_switch_waits(run, k, memory);
        nt_slide_set(model, k, rests, rests ? -1 : *held, memory);
    }
}

bool nt_switch_waits(const nt_run *run, int k, const double *memory)
{
    const nt_model *model = run->model;
    int joint = model->switches[k].joint;
    return joint >= 0 && !nt_joint_holds(model, nt_joint_of(run, &model->elements[joint]), memory);
}

void nt_slide_release(const nt_model *model, int joint, double *memory)
{
    for (int k = 0; k < model->n_switches; k++)
        if (model->switches[k].joint == joint && nt_slide_is_on(model, k, memory))
            nt_slide_set(model, k, false, memory[model->switch_memory + k], memory);
}

void nt_slide_set(const nt_model *model, int k, bool on, double value, double *memory)
{
    double *entry = nt_slide_entries(model, k, memory);
    entry[NT_SLIDE_ON] = on, entry[NT_SLIDE_TIME] = NEVER, entry[NT_SLIDE_BEFORE] = 0;
    memory[model->switch_memory + k] = value;
}

double nt_slide_inside(const nt_run *run, int k, double low)
{
    const nt_switch *s = &run->model->switches[k];
    double u = run->variables[nt_model_time_variable(run->model) + 1 + s->signal];
    return fmin(u - low, next_of(s, low) - u);
}

/* ---- where it begins and ends --------------------------------------------------------------- */

/* Occurrences are numbered behind events: a begin and an end of each slide. */
static int occurrence(const nt_model *model, int k, bool ends)
{
    int slide = model->switches[k].slide - (model->n_elements - model->n_slides);
    return model->n_happenings + 2 * slide + ends;
}

/* s. The argument may be beyond c by what an indicator is, on either side, before it is seen to
 * have passed: from one of them to the other, and as much on the way. */
static double same_time(const nt_model *model, int k, double rate, const nt_instant *instant)
{
    const nt_events *events = &model->events;
    double largest = instant->memory[events->sides + events->n + k];
    double beyond = fmax(NT_INDICATOR_LEFT, NT_INDICATOR_ZERO * largest);
    return fmax(instant->nudge, rate != 0 ? 4 * beyond / fabs(rate) : 0);
}

bool nt_slide_takes(const nt_model *model, int k, double from, double to, double rate,
                    nt_instant *instant)
{
    double *entry = nt_slide_entries(model, k, instant->memory);
    if (!entry)
        return false;
    const nt_switch *s = &model->switches[k];
    const nt_element *e = &model->elements[s->slide];
    double t = instant->at->t, before = entry[NT_SLIDE_BEFORE];
    bool soon = t - entry[NT_SLIDE_TIME] <= same_time(model, k, rate, instant);
    if (soon && from != before && fmax(from, before) == next_of(s, fmin(from, before))) {
        entry[NT_SLIDE_ON] = 1;
        instant->memory[model->switch_memory + k] = fmin(from, before);
        instant->restitution[nt_element_row(e, 0)] = 0;
        instant->number = occurrence(model, k, false);
        return true;
    }
    if (to != from)
        entry[NT_SLIDE_TIME] = t, entry[NT_SLIDE_BEFORE] = from;
    return false;
}

void nt_slide_leaves(nt_run *run, int k, nt_instant *instant)
{
    const nt_model *model = run->model;
    const nt_switch *s = &model->switches[k];
    double *entry = nt_slide_entries(model, k, instant->memory);
    double *low = instant->memory + model->switch_memory + k;
    double u = run->variables[nt_model_time_variable(model) + 1 + s->signal];
    *low = u - *low > span_of(s, *low) / 2 ? next_of(s, *low) : *low;
    entry[NT_SLIDE_ON] = 0;
    entry[NT_SLIDE_TIME] = NEVER;
    instant->number = occurrence(model, k, true);
    instant->smooth = 1;
    instant->happened = 1;
}

static const nt_slide *slide_of(const nt_model *model, int element)
{
    return nt_model_data(model, &model->elements[element]);
}

const char *nt_slide_word(const nt_model *model, int number)
{
    int i = number - model->n_happenings, first = model->n_elements - model->n_slides;
    return i >= 0 && i < 2 * model->n_slides
               ? model->switches[slide_of(model, first + i / 2)->number].words[i % 2]
               : NULL;
}

/* ---- the row -------------------------------------------------------------------------------- */

/* x' as the bodies and states of a view move; room[2 variables] for values and rates of all
 * variables. */
static double rate_of(const nt_slide *slide, const nt_view *view, double *room)
{
    const nt_model *model = view->model;
    int count = nt_model_variable_count(model), time = nt_model_time_variable(model);
    double *value = room, *rate = room + count, jet[3];
    memcpy(value, view->variables, (size_t)count * sizeof *value);
    memset(rate, 0, (size_t)count * sizeof *rate);
    rate[time] = 1;
    for (int k = 0; k < slide->coupling.n; k++) {
        int i = slide->coupling.signals[k].signal;
        value[time + 1 + i] = nt_signal_value(&model->signals[i], view);
        rate[time + 1 + i] = nt_signal_rate(&model->signals[i], view);
    }
    nt_expression_jet(slide->argument, value, rate, model->zeros, jet);
    return jet[1];
}

/* A variation of a body: positions, turns (ground axes), velocities and rates of turn. */
static void move_body(nt_motion *m, int kind, int axis, double step)
{
    v3 d = v3_scale(step, v3_of(axis == 0, axis == 1, axis == 2));
    if (kind == 0)
        m->x = v3_add(m->x, d);
    else if (kind == 1)
        m->R = m3_multiply(quat_matrix(so3_exp(d)), m->R);
    else if (kind == 2)
        m->v = v3_add(m->v, d);
    else
        m->w = v3_add(m->w, d);
}

/* d x' in positions and velocities of one body: four vectors, by central differences. */
static void vary_body(const nt_slide *slide, const nt_view *view, int body, double *room, v3 out[4])
{
    const nt_model *model = view->model;
    nt_view moved = *view;
    nt_motion *motion = (nt_motion *)(void *)(room + 2 * nt_model_variable_count(model));
    const nt_motion *at = &view->motion[body];
    memcpy(motion, view->motion, (size_t)model->n_bodies * sizeof *motion);
    moved.motion = motion;
    double size[4] = {fmax(1, v3_norm(at->x)), 1, fmax(1, v3_norm(at->v)), fmax(1, v3_norm(at->w))};
    for (int kind = 0; kind < 4; kind++) {
        double d[3], step = 1e-5 * size[kind];
        for (int axis = 0; axis < 3; axis++) {
            double side[2];
            for (int k = 0; k < 2; k++) {
                motion[body] = *at;
                move_body(&motion[body], kind, axis, k ? -step : step);
                side[k] = rate_of(slide, &moved, room);
            }
            d[axis] = (side[0] - side[1]) / (2 * step);
        }
        out[kind] = v3_load(d);
    }
    motion[body] = *at;
}

/* The tangent of x' in positions and velocities of bodies, and in states. */
static void add_rate_tangent(const nt_slide *slide, const nt_view *view, double *room)
{
    const nt_combination *c = view->terms->combination;
    for (int k = 0; k < slide->coupling.n; k++) {
        const nt_coupled_signal *here = &slide->coupling.signals[k];
        const nt_signal *signal = &view->model->signals[here->signal];
        for (int side = 0; side < 2; side++) {
            bool done = here->port[side] < 0;
            for (int j = 0; j < 2 * k + side && !done; j++)
                done = slide->coupling.signals[j / 2].port[j % 2] == here->port[side];
            if (done)
                continue;
            v3 d[4];
            double along[3];
            vary_body(slide, view, signal->bodies[side], room, d);
            m3 turns =
                nt_turned_map(c->map, view->bodies[signal->bodies[side]].rotation, c->row_damping,
                              c->row_stiffness * c->turn, view->motion[signal->bodies[side]].w);
            v3_store(along,
                     v3_add(v3_scale(c->row_stiffness, d[0]), v3_scale(c->row_damping, d[2])));
            nt_view_add_numbers(view, NT_RATES, here->port[side], along);
            v3_store(along,
                     v3_add(v3_scale(c->row_stiffness, d[1]), m3_apply_transposed(turns, d[3])));
            nt_view_add_numbers(view, NT_RATES, here->port[side] + 1, along);
        }
    }
}

/* The derivatives of x, whose factors are those of a row: of x - c in positions and velocities, of
 * x' in accelerations. */
static void add_row_tangent(const nt_slide *slide, const nt_view *view, const double *slope)
{
    const nt_combination *c = view->terms->combination;
    bool accelerations = view->terms->level == NT_ACCELERATION;
    nt_combination own = {.damping = accelerations ? c->row_mass : c->row_damping,
                          .stiffness = accelerations ? 0 : c->row_stiffness,
                          .map = accelerations && c->map_mass ? c->map_mass : c->map,
                          .turn = c->turn};
    nt_terms terms = *view->terms;
    nt_view of_row = *view;
    terms.combination = &own;
    of_row.terms = &terms;
    for (int k = 0; k < slide->coupling.n; k++)
        nt_coupling_add_row(&slide->coupling, &of_row, k, NT_RATES, slope[k]);
}

static nt_status sliding_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_slide *slide = nt_element_data(view->run, element);
    const nt_terms *terms = view->terms;
    if (view->energy || !(terms->rows || terms->matrix))
        return NT_OK;
    const nt_switch *s = &view->model->switches[slide->number];
    bool on = nt_slide_is_on(view->model, slide->number, view->at->memory);
    int n, row = nt_element_row(element, 0);
    nt_expression_variables(slide->argument, &n);
    double *room = view->scratch + 2 * n, x = 0;
    if (terms->rows)
        terms->rows[row] = 0;
    if (!on) /* its row is off, and no number of it is looked at */
        return NT_OK;
    nt_status status = nt_coupling_evaluate(&slide->coupling, view, &slide->argument, 1, &x);
    if (status != NT_OK)
        return status;
    bool accelerations = terms->level == NT_ACCELERATION;
    if (terms->matrix)
        add_row_tangent(slide, view, view->scratch);
    const nt_combination *c = terms->combination;
    if (terms->matrix && accelerations && (c->row_damping != 0 || c->row_stiffness != 0))
        add_rate_tangent(slide, view, room);
    double low = view->at->memory[view->model->switch_memory + slide->number];
    if (terms->rows)
        terms->rows[row] = accelerations ? rate_of(slide, view, room) : x - level_of(s, low);
    return terms->rows && !isfinite(terms->rows[row]) ? NT_NOT_FINITE : NT_OK;
}

static int one(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return 1;
}

static nt_status sliding_prepare(nt_run *run, const nt_element *element, bool validate,
                                 nt_error *error)
{
    (void)run, (void)element, (void)validate, (void)error;
    return NT_OK;
}

static nt_status sliding_declare(nt_model *model, nt_element *element)
{
    nt_slide *slide = nt_element_numbers(model->origin, element);
    nt_status status = nt_coupling_find(&slide->coupling, model, element, &slide->argument, 1);
    int n;
    nt_expression_variables(slide->argument, &n);
    size_t motions = (size_t)model->n_bodies * (sizeof(nt_motion) / sizeof(double));
    size_t room = 2 * (size_t)n + 2 * (size_t)nt_model_variable_count(model) + motions;
    model->scratch = room > model->scratch ? room : model->scratch;
    for (int k = 0; k < slide->coupling.n && status == NT_OK; k++) {
        const nt_coupled_signal *signal = &slide->coupling.signals[k];
        for (int i = 0; i < 5 && status == NT_OK; i++) {
            int side = i < 4 ? signal->port[i / 2] : signal->state;
            int port = i < 4 && side >= 0 ? side + i % 2 : side;
            if (port < 0)
                continue;
            status = nt_element_couple(model, element, NT_RATES, port, NT_FULL);
            if (status == NT_OK)
                status = nt_element_couple(model, element, port, NT_RATES, NT_FULL);
        }
    }
    return status;
}

static nt_quantity row_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_LENGTH;
}

static const char *row_name(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return "the value by which it slides";
}

static bool does_no_work(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return false;
}

static const nt_element_type slide_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &slide_section,
    .name = "switch",
    .summary = "the argument of an operation that jumps, held where both sides push back",
    .keys = sliding_keys,
    .size = sizeof(nt_slide),
    .part = NT_IMPLICIT,
    .rates = one,
    .prepare = sliding_prepare,
    .declare = sliding_declare,
    .evaluate = sliding_evaluate,
    .row_quantity = row_quantity,
    .row_name = row_name,
    .does_work = does_no_work,
};

/* ---- adding --------------------------------------------------------------------------------- */

static const char *take_text(nt_model *model, const char *before, const char *name,
                             const char *behind)
{
    char text[240];
    snprintf(text, sizeof text, "%s%s%s", before, name, behind);
    return nt_arena_text(&model->arena, text, strlen(text));
}

/* The name of its element, and the words for its begin and end. */
static const char *take_words(nt_model *model, nt_switch *s)
{
    char name[200];
    bool joint = s->joint >= 0;
    if (joint)
        snprintf(name, sizeof name, "joint %.150s", model->elements[s->joint].name);
    else
        snprintf(name, sizeof name, "'%.120s' at %d:%d", s->key, s->place.line, s->place.column);
    s->words[0] = take_text(model, joint ? "" : "sliding begins: ", name, joint ? " sticks" : "");
    s->words[1] = take_text(model, joint ? "" : "sliding ends: ", name, joint ? " slips" : "");
    return s->words[0] && s->words[1] ? take_text(model, "", name, "") : NULL;
}

nt_status nt_model_add_slides(nt_model *model)
{
    int before = model->n_elements, n = 0;
    for (int k = 0; k < model->n_switches; k++)
        n += nt_switch_may_slide(model, &model->switches[k]);
    if (n == 0)
        return NT_OK;
    nt_element *all = NT_TAKE(&model->arena, before + n, nt_element);
    if (!all)
        return NT_NO_MEMORY;
    memcpy(all, model->elements, (size_t)before * sizeof *all);
    for (int k = 0; k < model->n_switches; k++) {
        nt_switch *s = &model->switches[k];
        if (!nt_switch_may_slide(model, s))
            continue;
        s->slide = before + model->n_slides++;
        all[s->slide] = (nt_element){.type = &slide_type,
                                     .name = take_words(model, s),
                                     .place = s->place,
                                     .bytes = sizeof(nt_slide)};
        if (!all[s->slide].name)
            return NT_NO_MEMORY;
    }
    model->elements = all;
    model->n_elements = before + n;
    nt_quantity_more_elements(model, n);
    nt_status status = nt_model_more_numbers(model);
    for (int k = 0; k < model->n_switches && status == NT_OK; k++)
        if (model->switches[k].slide >= 0)
            *(nt_slide *)nt_element_numbers(model->origin, &all[model->switches[k].slide]) =
                (nt_slide){.number = k, .argument = model->switches[k].argument};
    return status;
}

/* ---- how loads depend on them --------------------------------------------------------------- */

static bool is_affine(const nt_model *model, const nt_expression *e)
{
    int n = 0, slides = 0, time = nt_model_time_variable(model);
    const int *variables = e ? nt_expression_variables(e, &n) : NULL;
    for (int i = 0; i < n; i++) {
        if (variables[i] <= time ||
            nt_signal_slide(model, &model->signals[variables[i] - time - 1]) < 0)
            continue;
        if (++slides > 1 || !nt_expression_is_affine(e, variables[i]))
            return false;
    }
    return true;
}

static bool keys_are_affine(const nt_model *model, const nt_key *key, const char *data)
{
    for (; key && key->name; key++) {
        int n = key->type == NT_KEY_FUNCTION ? 1 : key->type == NT_KEY_FUNCTIONS ? key->high : 0;
        if (key->type == NT_KEY_LAW &&
            !is_affine(model, ((const nt_law *)(const void *)(data + key->offset))->function))
            return false;
        if (key->type == NT_KEY_GROUP && !keys_are_affine(model, key->group, data))
            return false;
        for (int i = 0; i < n; i++) {
            const nt_expression *e;
            memcpy(&e, data + key->offset + (size_t)i * sizeof e, sizeof e);
            if (!is_affine(model, e))
                return false;
        }
    }
    return true;
}

bool nt_model_slides_affinely(const nt_model *model)
{
    for (int i = 0; i < model->n_elements - model->n_slides && model->n_slides > 0; i++)
        if (!keys_are_affine(model, model->elements[i].type->keys,
                             nt_model_data(model, &model->elements[i])))
            return false;
    return true;
}
