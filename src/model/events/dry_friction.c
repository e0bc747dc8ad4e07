#include "model/events/dry_friction.h"

#include "model/contacts/grip.h"
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/events/sliding.h"
#include "model/expressions/expression_code.h"
#include "model/joints/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_of_joint(const nt_model *model, int k)
{
    return model->switches[k].joint >= 0 && model->switches[k].slide >= 0;
}

static int count_joints(const nt_model *model)
{
    int n = 0;
    for (int k = 0; k < model->n_switches; k++)
        n += is_of_joint(model, k);
    return n;
}

/* The switch of part i; -1: it is a contact. */
static int switch_of(const nt_model *model, int i)
{
    for (int k = 0; k < model->n_switches; k++)
        if (is_of_joint(model, k) && i-- == 0)
            return k;
    return -1;
}

int nt_dry_count(const nt_model *model) { return count_joints(model) + model->n_grips; }

/* ---- joints --------------------------------------------------------------------------------- */

/* The variables are those of the point. */
static void look_at_joint(const nt_run *run, const nt_point *at, int k, nt_dry_friction *out)
{
    const nt_model *model = run->model;
    const nt_switch *s = &model->switches[k];
    bool sticks = nt_slide_is_on(model, k, at->memory);
    double held = at->memory[model->switch_memory + k];
    double u = sticks        ? run->variables[nt_model_time_variable(model) + 1 + s->signal]
               : isnan(held) ? 0
                             : held;
    double limit = nt_joint_of(run, &model->elements[s->joint])->friction.dry;
    *out = (nt_dry_friction){.holds = sticks        ? NT_DRY_STICKS
                                      : isnan(held) ? NT_DRY_LOOSE
                                                    : NT_DRY_SLIPS,
                             .gap = limit > 0 ? -1 : (double)INFINITY,
                             .limit = limit,
                             .force = {-limit * u},
                             .slip = {nt_expression_value(s->argument, run->variables)}};
}

static void hold_joint(const nt_model *model, int k, nt_dry_state holds, double towards,
                       double *memory)
{
    double *entry = nt_slide_entries(model, k, memory);
    if (holds == NT_DRY_LOOSE)
        memory[model->switch_memory + k] = entry[NT_SLIDE_ON] = (double)NAN;
    else
        nt_slide_set(model, k, holds == NT_DRY_STICKS,
                     holds == NT_DRY_SLIPS && towards > 0 ? 1 : -1, memory);
}

/* ---- all of them ---------------------------------------------------------------------------- */

nt_status nt_dry_look(void *self, const nt_point *at, nt_dry_friction *parts)
{
    nt_run *run = self;
    if (!parts || !nt_run_can_look(run, at, true) || !at->memory)
        return NT_INVALID;
    const nt_model *model = run->model;
    nt_view view;
    nt_terms none = {0};
    nt_run_look(run, at, &none, &view);
    for (int k = 0; k < model->n_switches; k++)
        if (is_of_joint(model, k))
            look_at_joint(run, at, k, parts++);
    for (int i = 0; i < model->n_grips; i++)
        nt_grip_look(run, &view, i, parts++);
    return NT_OK;
}

void nt_dry_hold(void *self, const nt_point *at, int i, nt_dry_state holds, const double towards[3],
                 double *memory)
{
    nt_run *run = self;
    if (!memory || !towards || !nt_run_can_look(run, at, false) || i < 0 ||
        i >= nt_dry_count(run->model))
        return;
    const nt_model *model = run->model;
    int k = switch_of(model, i);
    if (k >= 0) {
        hold_joint(model, k, holds, towards[0], memory);
        return;
    }
    nt_view view;
    nt_terms none = {0};
    nt_run_look(run, at, &none, &view);
    nt_grip_hold(run, &view, i - count_joints(model), holds, towards, memory);
}

void nt_dry_word(void *self, int i, char *text, int size)
{
    const nt_run *run = self;
    if (!nt_run_can_say(run, text, size) || i < 0)
        return;
    const nt_model *model = run->model;
    int k = switch_of(model, i), grip = i - count_joints(model);
    if (k >= 0)
        snprintf(text, (size_t)size, "joint %s", model->elements[model->switches[k].joint].name);
    else if (grip >= 0 && grip < model->n_grips)
        snprintf(text, (size_t)size, "contact %s", nt_grip_element(model, grip)->name);
}

int nt_model_creeps(const nt_model *model, int i, char *text, int size)
{
    if (!model || !text || size <= 0)
        return 0;
    text[0] = '\0';
    for (int k = 0; i >= 0 && k < model->n_elements; k++) {
        const nt_element *e = &model->elements[k];
        const nt_joint *joint = nt_element_as_joint(model->origin, e);
        const nt_contact *c = nt_element_as_contact(model->origin, e);
        bool of_joint = joint && (joint->given & NT_GIVEN_FRICTION) && joint->friction.dry > 0 &&
                        !nt_joint_sticks(joint);
        bool of_contact = c && c->friction.coefficient > 0 && !nt_contact_grips(c);
        if (!(of_joint || of_contact) || i-- > 0)
            continue;
        snprintf(text, (size_t)size, "%s %s", of_joint ? "joint" : "contact", e->name);
        return 1;
    }
    return 0;
}
