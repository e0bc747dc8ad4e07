/* What a model says that is allowed but seldom meant: slips that no other message can catch. */
#include "base/error.h"
#include "model/assembly/motion_jumps.h"
#include "model/events/switches.h"
#include "model/expressions/expression_code.h"
#include "model/joints/joint.h"
#include "model/narrow.h"
#include "model/parameters/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A body's mass is further from its centre than this many times the largest distance in the whole
 * model: kg mm2 taken for kg m2 makes it a thousand times too far, kg cm2 a hundred. */
static const double TOO_FAR = 30;

static const double WHOLE_TURN = 6.283185307179586;

static int remark(const nt_model *model, nt_place place, nt_error *out, const char *format, ...)
    NT_PRINTF(4, 5);

static int remark(const nt_model *model, nt_place place, nt_error *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nt_fail_with(out, NT_OK, model->file, place.line, place.column, format, arguments);
    va_end(arguments);
    return 1;
}

static int of_inertia(const nt_model *model, const nt_body *body, nt_error *out)
{
    const double *J = body->inertia;
    double radius = sqrt(fmax(J[0], fmax(J[1], J[2])) / body->mass);
    if (!(radius > TOO_FAR * model->origin->length))
        return 0;
    return remark(model, body->place, out,
                  "body %s: its radius of gyration is %.3g m, the whole model measures %.3g m: "
                  "inertia is in kg m2",
                  body->name, radius, model->origin->length);
}

static int of_orientation(const nt_model *model, const nt_body *body, nt_error *out)
{
    double angle = 0;
    if (body->given & NT_GIVEN_ANGLE)
        angle = fabs(body->angle);
    else if (body->given & NT_GIVEN_ROTATION_VECTOR)
        angle = v3_norm(v3_load(body->rotation_vector));
    if (!(angle > WHOLE_TURN))
        return 0;
    return remark(model, body->place, out,
                  "body %s: its orientation is %.3g rad, more than a turn: angles are in radians",
                  body->name, angle);
}

static int of_element(const nt_model *model, const nt_element *e, nt_error *out)
{
    char words[740]; /* a message takes 768 */
    return nt_element_remark(model, e, words, sizeof words) &&
           remark(model, e->place, out, "%s %s: %s", nt_element_word(e), e->name, words);
}

/* Nothing is left to move, and no motion is prescribed. */
static int of_freedom(const nt_model *model, nt_error *out)
{
    nt_model_counts n = nt_model_count(model);
    int equations = n.holonomic + n.nonholonomic;
    for (int i = 0; i < model->n_joints; i++) {
        const nt_joint *joint = nt_element_as_joint(model->origin, &model->elements[i]);
        if (joint && joint->motion)
            return 0;
    }
    if (equations == 0 || n.velocities - n.states > equations - n.redundant)
        return 0;
    return remark(model, (nt_place){0}, out,
                  "the joints leave no degree of freedom: nothing moves");
}

static bool stands_between(const nt_element *e)
{
    for (const nt_key *key = e->type->keys; key->name; key++)
        if (strcmp(key->name, "between") == 0)
            return true;
    return false;
}

/* Whether an element holds two bodies together: all that stand `between` them. */
static bool links(const nt_element *e) { return nt_element_owns_bodies(e) || stands_between(e); }

static int root_of(int *group, int body)
{
    while (group[body] != body)
        body = group[body] = group[group[body]];
    return body;
}

/* The root is the lowest: the ground is 0. */
static void join(int *group, int i, int j)
{
    int a = root_of(group, i), b = root_of(group, j);
    group[a > b ? a : b] = a > b ? b : a;
}

static void join_nodes(const nt_model *model, const nt_element *e, int *group)
{
    int first = -1;
    for (int port = 0; port < e->n_ports; port++) {
        int i = nt_model_body_of_node(model, e->ports[port].node);
        if (i < 0)
            continue;
        if (first >= 0)
            join(group, first, i);
        first = i;
    }
}

/* The first group of bodies that hang together, but not with the ground, by its first two bodies.
 * A fixed point joins a body to the ground. group[n_bodies]: scratch */
static int of_ground(const nt_model *model, int *group, nt_error *out)
{
    for (int i = 0; i < model->n_bodies; i++)
        group[i] = model->bodies[i].given & NT_GIVEN_FIXED_POINT ? 0 : i;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const nt_route *route = nt_element_route(model, e);
        if (links(e))
            join(group, e->a, e->b);
        for (int k = 1; route && k < route->n; k++) /* what it runs over holds it as well */
            join(group, route->body[k - 1], route->body[k]);
        if (!e->type->has_inertia || !nt_element_owns_bodies(e))
            continue;
        join_nodes(model, e, group);               /* its nodes and ends are one line */
        if (stands_between(e) && e->n_brought > 0) /* of ends on the ground no port tells */
            join(group, e->first_brought, e->a);
    }
    for (int i = 1; i < model->n_bodies; i++) {
        int first = root_of(group, i);
        if (first == 0 || first == i)
            continue;
        return remark(model, model->bodies[first].place, out,
                      "bodies %s and %s hang together, but nothing joins them to the ground",
                      model->bodies[first].name, model->bodies[i].name);
    }
    return 0;
}

/* A table by steps that a switch of the expression holds (switches.h); NULL: none. */
static const nt_table *held_steps(const nt_model *model, const nt_expression *e)
{
    int n, first = nt_model_time_variable(model) + 1;
    const int *variables = nt_expression_variables(e, &n);
    for (int i = 0; i < n; i++) {
        const nt_signal *signal =
            variables[i] < first ? NULL : &model->signals[variables[i] - first];
        if (!signal || signal->kind != NT_SIGNAL_SWITCH)
            continue;
        const nt_switch *held = &model->switches[signal->object];
        if (held->operation == NT_OP_TABLE)
            return held->table;
    }
    return NULL;
}

/* Joint i moves by a table whose second derivative, which accelerations and forces follow, jumps.
 */
static nt_roughness rough_motion(const nt_model *model, int i)
{
    const nt_joint *joint = nt_element_as_joint(model->origin, &model->elements[i]);
    const nt_simulation *s = &model->simulation;
    nt_roughness none = {.table = NULL};
    if (!joint || !joint->motion)
        return none;
    const nt_table *steps = held_steps(model, joint->motion);
    if (steps)
        return (nt_roughness){.table = steps, .derivative = 0};
    double *variables = malloc((size_t)nt_model_variable_count(model) * sizeof *variables);
    if (!variables)
        return none;
    memcpy(variables, model->origin->variables,
           (size_t)nt_model_variable_count(model) * sizeof *variables);
    nt_roughness found = nt_expression_roughness(joint->motion, nt_model_time_variable(model),
                                                 s->start, s->start + s->duration, variables);
    free(variables);
    return found;
}

static bool jump_of_motion(const nt_model *model, int i, nt_motion_jump *jump)
{
    const nt_joint *joint = nt_element_as_joint(model->origin, &model->elements[i]);
    const nt_simulation *s = &model->simulation;
    return joint && joint->motion &&
           nt_motion_jumps(model, joint->motion, joint->rotates, s->start, s->start + s->duration,
                           jump);
}

static int of_jump(const nt_model *model, const nt_element *e, const nt_motion_jump *jump,
                   nt_error *out)
{
    if (jump->derivative == 0)
        return remark(
            model, e->place, out,
            "joint %s: its motion jumps by %.6g at t = %.6g s, where a run ends: expected "
            "a motion without jumps, such as step(t, ...) or a table",
            e->name, jump->by, jump->t);
    if (jump->derivative == 1)
        return remark(
            model, e->place, out,
            "joint %s: the rate of its motion jumps by %.6g at t = %.6g s, a blow to what "
            "it drives: step(t, ...) and splines have none",
            e->name, jump->by, jump->t);
    return remark(model, e->place, out,
                  "joint %s: the second derivative of its motion jumps by %.6g at t = %.6g s, and "
                  "so do accelerations and forces: step(t, ...) and splines have none",
                  e->name, jump->by, jump->t);
}

int nt_model_rough_motion(const nt_model *model, int i, nt_error *out)
{
    static const char *const at_points[] = {
        "which jumps at every point: no velocity or force takes a body along, and nothing that is "
        "computed there has a meaning; interpolation: spline makes the motion continuous",
        "whose slope jumps at every point, and so do velocities, by forces that have no bound: "
        "interpolation: spline makes them continuous",
        "whose second derivative jumps at every point, and so do accelerations and forces: "
        "interpolation: spline makes them continuous"};
    static const char *const at_ends[] = {
        "", "whose slope jumps where the motion leaves the table, by forces that have no bound",
        "whose second derivative jumps where the motion leaves the table, and so do accelerations "
        "and forces"};
    for (int k = 0; model && out && i >= 0 && k < model->n_joints; k++) {
        nt_roughness rough = rough_motion(model, k);
        nt_motion_jump jump;
        const nt_element *e = &model->elements[k];
        if ((!rough.table && !jump_of_motion(model, k, &jump)) || i-- > 0)
            continue;
        if (!rough.table)
            return of_jump(model, e, &jump, out);
        const char *file = rough.table->file ? rough.table->file : "";
        if (!rough.at_ends)
            return remark(model, e->place, out, "joint %s: its motion follows table %.200s, %s",
                          e->name, file, at_points[rough.derivative]);
        return remark(model, e->place, out,
                      "joint %s: its motion follows table %.200s, %s: expected %s", e->name, file,
                      at_ends[rough.derivative],
                      rough.table->form.beyond == NT_BEYOND_PERIODIC
                          ? "`ends: periodic`"
                          : "a table that covers the run, or `ends: "
                            "natural` with `beyond: extrapolate`");
    }
    return 0;
}

int nt_model_jump(const nt_model *model, int i, nt_error *out)
{
    if (!model || !out || i < 0 || i >= model->n_jumps)
        return 0;
    return remark(model, model->jumps[i].place, out,
                  "%s: may jump where the motion or a parameter passes a point (if, comparisons, "
                  "sign, floor, mod and the like): derivatives in parameters are those on either "
                  "side and leave out what a jump moves",
                  model->jumps[i].key);
}

int nt_model_clock(const nt_model *model, nt_error *out)
{
    if (!model || !out || !model->clock.key)
        return 0;
    return remark(model, model->clock.place, out, "%s depends on the time t", model->clock.key);
}

int nt_model_pulse(const nt_model *model, double start, double end, double step, int i,
                   nt_error *out)
{
    const nt_element *e;
    const char *key;
    double t;
    return model && out && i >= 0 && nt_model_narrow(model, start, end, step, i, &e, &key, &t) &&
           remark(model, e->place, out,
                  "%s %s: %s rises and falls within one step near t = %.6g s, so that steps may "
                  "pass over it: expected a shorter `step`, or a pulse with ends (if, a table)",
                  nt_element_word(e), e->name, key, t);
}

int nt_model_remark(const nt_model *model, int i, nt_error *out)
{
    if (!model || !out)
        return 0;
    nt_error unwanted = {0};
    for (int b = 1; b < model->n_bodies; b++) {
        const nt_body *body = &model->bodies[b];
        if (of_inertia(model, body, &unwanted) && i-- == 0)
            return of_inertia(model, body, out);
        if (of_orientation(model, body, &unwanted) && i-- == 0)
            return of_orientation(model, body, out);
    }
    for (int k = 0; k < model->n_elements; k++)
        if (of_element(model, &model->elements[k], &unwanted) && i-- == 0)
            return of_element(model, &model->elements[k], out);
    if (of_freedom(model, &unwanted) && i-- == 0)
        return of_freedom(model, out);
    if (i < model->n_jumps)
        return nt_model_jump(model, i, out);
    i -= model->n_jumps;
    if (i >= 0 && i < model->n_notes)
        return remark(model, model->notes[i].place, out, "%s", model->notes[i].words);
    i -= model->n_notes;
    for (int k = 0; nt_model_rough_motion(model, k, &unwanted); k++)
        if (i-- == 0)
            return nt_model_rough_motion(model, k, out);
    const nt_simulation *s = &model->simulation;
    double end = s->start + s->duration;
    for (int k = 0; nt_model_pulse(model, s->start, end, s->step, k, &unwanted); k++)
        if (i-- == 0)
            return nt_model_pulse(model, s->start, end, s->step, k, out);
    int *group = i < 1 ? calloc((size_t)model->n_bodies, sizeof *group) : NULL;
    int found = group ? of_ground(model, group, out) : 0;
    free(group);
    return found;
}
