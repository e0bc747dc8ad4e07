/* The section `events`: what events do to joints before the model is built, for a joint that may be
 * latched has an equation more; the rest when it is, for an event may depend on everything
 * recorded. */
#include "input/reader.h"

#include "base/error.h"
#include "base/suggest.h"
#include "model/events/events.h"
#include "model/events/limits.h"
#include "model/joints/joint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- actions -------------------------------------------------------------------------------- */

static bool does(const nt_action *action, int what) { return action->given >> what & 1; }

/* An element that is a state, by its name; -1. */
static int find_state(const nt_model *model, const nt_node *name)
{
    for (int i = 0; i < model->n_elements; i++)
        if (model->elements[i].type->first_order && model->elements[i].n_own == 1 &&
            nt_node_is(name, model->elements[i].name))
            return i;
    return -1;
}

static nt_status no_number(nt_reader *reader, const nt_node *name)
{
    char hint[NT_WORDS], shown[NT_WORDS];
    const nt_model *model = reader->model;
    nt_suggestion search;
    nt_suggest_start(&search, name->text, name->length);
    for (int i = 0; i < model->n_parameters; i++)
        nt_suggest_offer(&search, model->parameters[i].name);
    return nt_node_fail(
        reader->error, name, "set: %s is neither a parameter nor a state: expected one of these%s",
        nt_read_words(name, shown, sizeof shown), nt_read_hint(search.best, hint, sizeof hint));
}

/* set: {NAME: EXPRESSION} is one action for each name; the expressions when the model is built. */
static nt_status read_set(nt_reader *reader, const nt_node *name, const nt_node *value,
                          nt_action *action)
{
    const nt_name *parameter = nt_names_find(&reader->parameters, name->text, name->length);
    char got[NT_WORDS];
    if (value->kind != NT_NODE_SCALAR || nt_node_is_empty(value))
        return nt_node_fail(reader->error, value, "set: expected a number or an expression, got %s",
                            nt_read_words(value, got, sizeof got));
    action->target = parameter ? parameter->index : -1;
    action->state = parameter ? -1 : find_state(reader->model, name);
    if (!parameter && action->state < 0)
        return no_number(reader, name);
    return nt_read_expression(reader, "set", value, NT_SCOPE_RECORD, &reader->model->arena,
                              &action->value);
}

/* How many actions a list of mappings is. */
static int count_actions(const nt_node *list)
{
    int n = 0;
    for (int i = 0; i < list->count; i++) {
        const nt_node *set =
            list->values[i]->kind == NT_NODE_MAPPING ? nt_node_find(list->values[i], "set") : NULL;
        n += set && set->kind == NT_NODE_MAPPING && set->count > 0 ? set->count : 1;
    }
    return n;
}

static nt_status check_one(nt_reader *reader, const nt_node *node)
{
    int n = 0;
    char got[NT_WORDS];
    if (node->kind != NT_NODE_MAPPING)
        return nt_node_fail(reader->error, node,
                            "then: expected a mapping such as {release: JOINT}, got %s",
                            nt_read_words(node, got, sizeof got));
    for (int i = 0; i < node->count; i++)
        n += !nt_node_is(node->keys[i], "after");
    if (n == 1)
        return NT_OK;
    return nt_node_fail(reader->error, node,
                        "then: expected one of release, engage, latch, set, impulse, start and "
                        "stop in each mapping of the list, got %d",
                        n);
}

/* Where a body is struck lies beside a run's numbers, which follow parameters: markers do so. */
static nt_status check_struck(nt_reader *reader, const nt_node *action)
{
    const nt_node *blow = nt_node_find(action, "impulse"),
                  *at = blow && blow->kind == NT_NODE_MAPPING ? nt_node_find(blow, "at") : NULL;
    nt_status status = NT_OK;
    for (int i = 0; at && at->kind == NT_NODE_LIST && i < at->count && status == NT_OK; i++) {
        const nt_expression *follows;
        double value;
        status = nt_read_unbound(reader, "at", at->values[i], &value, &follows);
        if (status == NT_OK && follows)
            status = nt_node_fail(reader->error, at->values[i],
                                  "at: this place depends on parameters, expected numbers, or a "
                                  "marker, whose place may depend on them");
    }
    return status;
}

static nt_status refuse_latch(nt_reader *reader, const nt_node *node, const nt_element *e)
{
    return nt_node_fail(reader->error, node,
                        "latch: joint %s (%s) has no free coordinate that could be locked: "
                        "expected a joint by multipliers with an angle, a rotation or a "
                        "displacement, without a motion; of a gear one of the two joints whose "
                        "angles it couples; of a distance one with a first body that is no point",
                        e->name, e->type->name);
}

/* What a joint leaves free is known when the model is built. */
static nt_status check_latch(nt_reader *reader, const nt_node *node, const nt_action *action)
{
    const nt_model *model = reader->model;
    if (!does(action, NT_ACTION_LATCH))
        return NT_OK;
    const nt_element *e = &model->elements[action->latch];
    const nt_joint *joint = nt_element_as_switched(model->origin, e);
    return joint && nt_joint_lock_count(joint) > 0
               ? NT_OK
               : refuse_latch(reader, nt_node_find(node, "latch"), e);
}

static nt_status read_action(nt_reader *reader, const nt_node *node, nt_action *actions, int *n)
{
    nt_action action = {.impulse.at.marker = -1, .target = -1, .state = -1, .started = -1};
    nt_status status = check_one(reader, node);
    if (status == NT_OK)
        status = check_struck(reader, node);
    bool binds = reader->binds;
    reader->binds = false;
    if (status == NT_OK)
        status = nt_read_keys(reader, nt_action_keys, NULL, node, "then", NT_SCOPE_RECORD, false,
                              &action);
    reader->binds = binds;
    action.place = nt_read_place(reader, node);
    if (status == NT_OK)
        status = check_latch(reader, node, &action);
    const nt_node *set = status == NT_OK ? nt_node_find(node, "set") : NULL;
    if (!set) {
        actions[(*n)++] = action;
        return status;
    }
    char got[NT_WORDS];
    if (set->kind != NT_NODE_MAPPING || set->count == 0)
        return nt_node_fail(reader->error, set,
                            "set: expected a mapping {NAME: EXPRESSION}, got %s",
                            nt_read_words(set, got, sizeof got));
    for (int i = 0; i < set->count && status == NT_OK; i++) {
        status = read_set(reader, set->keys[i], set->values[i], &action);
        actions[(*n)++] = action;
    }
    return status;
}

/* ---- before the model is built -------------------------------------------------------------- */

static nt_status event_list(nt_reader *reader, const nt_node *name, const nt_node *event,
                            const nt_node **list)
{
    char got[NT_WORDS], what[NT_WORDS];
    snprintf(what, sizeof what, "event '%.60s'", name->text);
    nt_status status = nt_read_check_keys(reader, nt_event_keys, name, event, what, false);
    if (status != NT_OK)
        return status;
    *list = nt_node_find(event, "then");
    if ((*list)->kind != NT_NODE_LIST || (*list)->count == 0)
        return nt_node_fail(reader->error, *list, "then: expected a list of what happens, got %s",
                            nt_read_words(*list, got, sizeof got));
    return NT_OK;
}

/* The joint that a mapping of the list names under a key; NULL: none, or none of that name. */
static nt_element *named_joint(nt_reader *reader, const nt_node *node, const char *key)
{
    const nt_node *name = node->kind == NT_NODE_MAPPING ? nt_node_find(node, key) : NULL;
    nt_model *model = reader->model;
    for (int i = 0; name && i < model->n_joints; i++)
        if (name->kind == NT_NODE_SCALAR && nt_node_is(name, model->elements[i].name))
            return &model->elements[i];
    return NULL;
}

static nt_status declare_latch(nt_reader *reader, const nt_node *node, const nt_element *e)
{
    nt_model *model = reader->model;
    nt_joint *joint =
        nt_element_as_switched(model->origin, e) ? nt_element_numbers(model->origin, e) : NULL;
    if (!joint || joint->enforce == 1 || joint->motion)
        return refuse_latch(reader, nt_node_find(node, "latch"), e);
    joint->locks = true;
    return NT_OK;
}

static nt_status declare_action(nt_reader *reader, const nt_node *node)
{
    static const char *const about_joints[] = {"release", "engage", "latch"};
    nt_model *model = reader->model;
    for (int k = 0; k < 3; k++) {
        const nt_element *e = named_joint(reader, node, about_joints[k]);
        if (!e)
            continue;
        const nt_joint *joint = nt_element_as_switched(model->origin, e);
        model->joints_change = true;
        if (joint && joint->enforce == 1)
            return nt_node_fail(reader->error, nt_node_find(node, about_joints[k]),
                                "%s: joint %s is enforced by penalty: expected one by multipliers",
                                about_joints[k], e->name);
        if (k == 2) {
            model->memory_varies = true;
            nt_status status = declare_latch(reader, node, e);
            if (status != NT_OK)
                return status;
        }
    }
    if (node->kind == NT_NODE_MAPPING && nt_node_find(node, "start"))
        model->memory_varies = true; /* with the time of this event that of the other one does */
    const nt_node *set = node->kind == NT_NODE_MAPPING ? nt_node_find(node, "set") : NULL;
    for (int i = 0; set && set->kind == NT_NODE_MAPPING && i < set->count; i++)
        if (nt_names_find(&reader->parameters, set->keys[i]->text, set->keys[i]->length))
            model->parameters_change = model->memory_varies = true;
    return NT_OK;
}

nt_status nt_read_declare_events(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = nt_node_find(reader->root, "events");
    for (int i = 0; i < model->n_joints; i++) {
        const nt_joint *joint = nt_element_as_switched(model->origin, &model->elements[i]);
        if (joint && !nt_joint_holds_at_first(joint))
            model->joints_change = true;
    }
    if (nt_model_find_limits(model) != NT_OK)
        return nt_read_no_memory(reader);
    if (!section)
        return NT_OK;
    nt_status status = nt_read_check_section(reader, "events", section);
    if (status != NT_OK)
        return status;
    model->happenings = NT_TAKE(&model->arena, section->count, nt_event);
    if (!model->happenings)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count && status == NT_OK; i++) {
        nt_event *event = &model->happenings[model->n_happenings++];
        const nt_node *list, *name = section->keys[i];
        const char *fault = nt_name_fault(name->text, name->length, true);
        char shown[NT_WORDS];
        if (fault)
            return nt_node_fail(reader->error, name, "event name %s %s",
                                nt_read_words(name, shown, sizeof shown), fault);
        event->name = nt_read_copy(reader, name);
        event->place = nt_read_place(reader, name);
        if (!event->name)
            return nt_read_no_memory(reader);
        status = event_list(reader, name, section->values[i], &list);
        for (int k = 0; status == NT_OK && k < list->count; k++)
            status = declare_action(reader, list->values[k]);
        event->indicator = -1;
        if (status == NT_OK && nt_node_find(section->values[i], "when"))
            event->indicator = model->n_indicated++; /* behind those of switches */
    }
    return status;
}

/* ---- when it is ----------------------------------------------------------------------------- */

static nt_status check_starts(nt_reader *reader, nt_event *event, const nt_node *list)
{
    const nt_model *model = reader->model;
    for (int k = 0; k < event->n_actions; k++) {
        nt_action *action = &event->actions[k];
        nt_suggestion search;
        char hint[NT_WORDS];
        if (!does(action, NT_ACTION_START))
            continue;
        nt_suggest_start(&search, action->start, (int)strlen(action->start));
        for (int i = 0; i < model->n_happenings; i++) {
            nt_suggest_offer(&search, model->happenings[i].name);
            if (strcmp(model->happenings[i].name, action->start) == 0)
                action->started = i;
        }
        if (action->started < 0)
            return nt_node_fail(reader->error, list, "start: there is no event '%s'%s",
                                action->start, nt_read_hint(search.best, hint, sizeof hint));
    }
    return NT_OK;
}

/* Whether some event does this to a joint. */
static bool somebody(const nt_model *model, int what, int joint)
{
    for (int i = 0; i < model->n_happenings; i++)
        for (int k = 0; k < model->happenings[i].n_actions; k++) {
            const nt_action *a = &model->happenings[i].actions[k];
            int which = what == NT_ACTION_RELEASE ? a->release : a->engage;
            if (does(a, what) && which == joint)
                return true;
        }
    return false;
}

static bool begins_active(const nt_model *model, int joint)
{
    const nt_joint *j = nt_element_as_switched(model->origin, &model->elements[joint]);
    return !j || nt_joint_holds_at_first(j);
}

/* Joints that are let go before they hold, or engaged though they always hold. */
static nt_status check_joints(nt_reader *reader, const nt_event *event, const nt_node *list)
{
    const nt_model *model = reader->model;
    for (int k = 0; k < event->n_actions; k++) {
        const nt_action *a = &event->actions[k];
        if (does(a, NT_ACTION_RELEASE) && !begins_active(model, a->release) &&
            !somebody(model, NT_ACTION_ENGAGE, a->release))
            return nt_node_fail(reader->error, list,
                                "event %s releases joint %s, which never holds: it begins with "
                                "`active: false`, and no event engages it",
                                event->name, model->elements[a->release].name);
        if (does(a, NT_ACTION_ENGAGE) && begins_active(model, a->engage) &&
            !somebody(model, NT_ACTION_RELEASE, a->engage))
            return nt_node_fail(reader->error, list,
                                "event %s engages joint %s, which always holds: expected one with "
                                "`active: false`, or one that an event releases",
                                event->name, model->elements[a->engage].name);
    }
    return NT_OK;
}

/* Whether an event may give a parameter another value, or one that it follows: those stand before
 * it. */
static bool is_set(const nt_model *model, int parameter)
{
    for (int i = 0; i < model->n_happenings; i++)
        for (int k = 0; k < model->happenings[i].n_actions; k++) {
            const nt_action *a = &model->happenings[i].actions[k];
            if (does(a, NT_ACTION_SET) && a->state < 0 && a->target == parameter)
                return true;
        }
    int n = 0;
    const nt_expression *law = model->parameters[parameter].expression;
    const int *follows = law ? nt_expression_variables(law, &n) : NULL;
    for (int i = 0; i < n; i++)
        if (follows[i] < model->n_parameters && is_set(model, follows[i]))
            return true;
    return false;
}

/* What is always the same passes no zero, and neither does what is true or false, 1 or 0. */
static nt_status check_passes(nt_reader *reader, const nt_event *event, const nt_node *when)
{
    const nt_model *model = reader->model;
    char shown[NT_WORDS];
    int n = 0, time = nt_model_time_variable(model);
    const int *variables = nt_expression_variables(event->when, &n);
    bool changes = false;
    for (int i = 0; i < n; i++)
        changes = changes || variables[i] >= time || is_set(model, variables[i]);
    if (!changes)
        return nt_node_fail(reader->error, when,
                            "when: %s never passes zero, for it is always the same: expected an "
                            "expression of t, or of what moves",
                            nt_read_words(when, shown, sizeof shown));
    if (nt_expression_is_condition(event->when))
        return nt_node_fail(reader->error, when,
                            "when: %s is 1 or 0 and passes no zero: expected an expression that "
                            "does, such as a - b where a > b is meant",
                            nt_read_words(when, shown, sizeof shown));
    return NT_OK;
}

/* The reaction of a joint that never holds is always zero. */
static nt_status check_when(nt_reader *reader, const nt_event *event, const nt_node *node)
{
    const nt_model *model = reader->model;
    int n = 0;
    nt_status status =
        event->when ? check_passes(reader, event, nt_node_find(node, "when")) : NT_OK;
    if (status != NT_OK)
        return status;
    const int *variables = event->when ? nt_expression_variables(event->when, &n) : NULL;
    for (int i = 0; i < n; i++) {
        int joint = nt_actions_reacting(model, variables[i]);
        if (joint >= 0 && !begins_active(model, joint) && !somebody(model, NT_ACTION_ENGAGE, joint))
            return nt_node_fail(reader->error, nt_node_find(node, "when"),
                                "when: joint %s never holds, so that it has no reaction: it begins "
                                "with `active: false`, and no event engages it",
                                model->elements[joint].name);
    }
    return NT_OK;
}

/* An event without `when` is started by another one. */
static nt_status check_started(nt_reader *reader, int i, const nt_node *name)
{
    const nt_model *model = reader->model;
    bool started = model->happenings[i].when != NULL;
    for (int j = 0; j < model->n_happenings; j++)
        for (int k = 0; k < model->happenings[j].n_actions; k++)
            started = started || (does(&model->happenings[j].actions[k], NT_ACTION_START) &&
                                  model->happenings[j].actions[k].started == i);
    return started ? NT_OK
                   : nt_node_fail(reader->error, name,
                                  "event %s never happens: expected `when`, or another event that "
                                  "starts it",
                                  model->happenings[i].name);
}

/* Joints that one event makes meet share one law of impact. */
static nt_status check_laws(nt_reader *reader, const nt_event *event, const nt_node *list)
{
    const nt_model *model = reader->model;
    const nt_element *first = NULL;
    nt_impact_law_name law = NT_NEWTON;
    for (int k = 0; k < event->n_actions; k++) {
        const nt_action *a = &event->actions[k];
        if (!does(a, NT_ACTION_ENGAGE) && !does(a, NT_ACTION_LATCH))
            continue;
        const nt_element *e = &model->elements[does(a, NT_ACTION_ENGAGE) ? a->engage : a->latch];
        const nt_joint *joint = nt_element_as_switched(model->origin, e);
        if (!joint || !(joint->given & NT_GIVEN_RESTITUTION))
            continue;
        if (first && nt_joint_law(joint) != law)
            return nt_node_fail(reader->error, list,
                                "event %s makes joints %s and %s meet at once, by Newton's law of "
                                "impact and by Poisson's: expected one `impact_law` for both",
                                event->name, first->name, e->name);
        first = e, law = nt_joint_law(joint);
    }
    return NT_OK;
}

/* Whether one lets go of a joint that the other makes hold. */
static bool lets_go(const nt_action *a, const nt_action *b)
{
    return does(a, NT_ACTION_RELEASE) && ((does(b, NT_ACTION_ENGAGE) && a->release == b->engage) ||
                                          (does(b, NT_ACTION_LATCH) && a->release == b->latch));
}

/* Whether both set the same number, to values that differ whatever happens. */
static bool set_apart(const nt_action *a, const nt_action *b)
{
    int n[2];
    if (!does(a, NT_ACTION_SET) || !does(b, NT_ACTION_SET) || a->target != b->target ||
        a->state != b->state)
        return false;
    nt_expression_variables(a->value, &n[0]);
    nt_expression_variables(b->value, &n[1]);
    return n[0] + n[1] == 0 &&
           nt_expression_value(a->value, NULL) != nt_expression_value(b->value, NULL);
}

static bool is_latched(const nt_model *model, int joint)
{
    for (int i = 0; i < model->n_happenings; i++)
        for (int k = 0; k < model->happenings[i].n_actions; k++) {
            const nt_action *a = &model->happenings[i].actions[k];
            if (does(a, NT_ACTION_LATCH) && a->latch == joint)
                return true;
        }
    return false;
}

/* Of what one event does in an instant nothing may be in vain. A joint that is released and engaged
 * again holds without its latch. */
static nt_status check_itself(nt_reader *reader, const nt_event *event)
{
    const nt_model *model = reader->model;
    for (int k = 0; k < event->n_actions; k++)
        for (int i = 0; i < k; i++) {
            const nt_action *a = &event->actions[i], *b = &event->actions[k];
            bool unlocks =
                lets_go(a, b) && does(b, NT_ACTION_ENGAGE) && is_latched(model, b->engage);
            if ((!lets_go(a, b) || unlocks) && !lets_go(b, a) && !set_apart(a, b))
                continue;
            return nt_fail_at(reader->error, NT_BAD_MODEL, model->file, b->place.line,
                              b->place.column,
                              "then: this undoes what event %s does at %d:%d in the same instant: "
                              "expected one of both, or two events",
                              event->name, a->place.line, a->place.column);
        }
    return NT_OK;
}

static bool undo(const nt_event *a, const nt_event *b)
{
    for (int i = 0; i < a->n_actions; i++)
        for (int k = 0; k < b->n_actions; k++)
            if (lets_go(&a->actions[i], &b->actions[k]) ||
                lets_go(&b->actions[k], &a->actions[i]) ||
                set_apart(&a->actions[i], &b->actions[k]))
                return true;
    return false;
}

/* Two expressions pass zero together where one is the other times a number, which is looked for at
 * a few places of no meaning: its sign, or 0. */
static int same_passage(const nt_expression *a, const nt_expression *b, double *variables, int n)
{
    static const double same = 1e-12;
    double ratio = 0, number = 0.5;
    for (int place = 0; place < 4; place++) {
        for (int i = 0; i < n; i++) {
            number = fmod(number * 7.3890561 + 0.3141592, 1);
            variables[i] = 0.2 + number;
        }
        double now = nt_expression_value(a, variables) / nt_expression_value(b, variables);
        if (!isfinite(now) || now == 0 || (place > 0 && fabs(now - ratio) > same * fabs(ratio)))
            return 0;
        ratio = now;
    }
    return ratio > 0 ? 1 : -1;
}

/* Whether both happen at once: at the same passage, in the same direction. */
static bool meet(const nt_event *a, const nt_event *b, double *variables, int n)
{
    int sign = same_passage(a->when, b->when, variables, n);
    int way = sign < 0 && b->direction != 2 ? 1 - b->direction : b->direction;
    return sign != 0 && (a->direction == 2 || way == 2 || a->direction == way);
}

static nt_status check_pairs(nt_reader *reader, const nt_node *section)
{
    const nt_model *model = reader->model;
    int n = nt_model_time_variable(model) + 1 + model->n_columns;
    double *variables = calloc((size_t)n, sizeof *variables);
    nt_status status = variables ? NT_OK : nt_read_no_memory(reader);
    for (int i = 0; i < model->n_happenings; i++)
        for (int k = 0; k < i && status == NT_OK; k++) {
            const nt_event *a = &model->happenings[k], *b = &model->happenings[i];
            if (a->when && b->when && undo(a, b) && meet(a, b, variables, n))
                status = nt_node_fail(reader->error, section->keys[i],
                                      "events %s and %s undo each other: both happen where the "
                                      "same expression passes zero",
                                      a->name, b->name);
        }
    free(variables);
    return status;
}

nt_status nt_read_events(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = nt_node_find(reader->root, "events");
    nt_status status = NT_OK;
    model->names_quantities = true;
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++) {
        nt_event *event = &model->happenings[i];
        char what[NT_WORDS];
        const nt_node *node = section->values[i], *list = nt_node_find(node, "then");
        snprintf(what, sizeof what, "event '%.60s'", event->name);
        event->direction = 2;
        event->actions = NT_TAKE(&model->arena, count_actions(list), nt_action);
        if (!event->actions)
            return nt_read_no_memory(reader);
        status = nt_read_keys(reader, nt_event_keys, section->keys[i], node, what, NT_SCOPE_RECORD,
                              false, event);
        for (int k = 0; k < list->count && status == NT_OK; k++)
            status = read_action(reader, list->values[k], event->actions, &event->n_actions);
        if (status == NT_OK)
            status = check_starts(reader, event, list);
    }
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++)
        status =
            check_joints(reader, &model->happenings[i], nt_node_find(section->values[i], "then"));
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++)
        status = check_itself(reader, &model->happenings[i]);
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++) {
        status = check_started(reader, i, section->keys[i]);
        if (status == NT_OK)
            status = check_when(reader, &model->happenings[i], section->values[i]);
    }
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++)
        status =
            check_laws(reader, &model->happenings[i], nt_node_find(section->values[i], "then"));
    return status == NT_OK && section ? check_pairs(reader, section) : status;
}
