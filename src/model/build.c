/* From the data of a model to its system: derived values, the layout of the state, the block graph,
 * consistent initial values (assemble.c). */
#include "base/error.h"
#include "model/assemble.h"
#include "model/evaluate.h"
#include "model/joint.h"
#include "model/parameter.h"
#include "model/signal.h"

#include <math.h>
#include <nutate/group.h>

/* ---- numbers -------------------------------------------------------------------------------- */

static void fill_momenta(nt_model *model)
{
    for (int i = 1; i < model->n_bodies; i++) {
        const nt_body *body = &model->bodies[i];
        for (int k = 0; k < 3 && body->t_node >= 0; k++)
            model->mass[body->v + k] = body->mass;
        if (body->rotation >= 0)
            m3_store(model->inertia + 9 * body->rotation, body->J);
    }
}

nt_status nt_model_prepare(nt_model *model, bool validate, nt_error *error)
{
    for (int i = 0; i < model->n_bindings; i++)
        *model->bindings[i].target =
            nt_expression_value(model->bindings[i].expression, model->variables);
    nt_status status = nt_model_prepare_derived(model, validate, error);
    if (status == NT_OK && model->mass)
        fill_momenta(model);
    return status;
}

/* A point has one place only. */
static nt_status check_marker(const nt_model *model, const nt_marker *marker, nt_error *error)
{
    double off = v3_norm(v3_load(marker->at));
    if (!model->bodies[marker->on].point || off == 0)
        return NT_OK;
    return nt_fail_at(error, NT_BAD_MODEL, model->file, marker->place.line, marker->place.column,
                      "marker %s is %g m off %s, which is a point, expected at: [0, 0, 0]",
                      marker->name, off, model->bodies[marker->on].name);
}

/* Whether a joint onto a point has an angle is known only when its bodies are. */
static nt_status check_signal(const nt_model *model, const nt_signal *signal, nt_error *error)
{
    bool angle = signal->kind == NT_SIGNAL_ANGLE || signal->kind == NT_SIGNAL_ANGLE_RATE;
    nt_element *joint = signal->joint >= 0 ? &model->elements[signal->joint] : NULL;
    if (!joint || !angle || nt_joint_of(joint)->rotates)
        return NT_OK;
    return nt_joint_refuse(model, joint, error,
                           "has no angle for an expression: its second body is a point");
}

nt_status nt_model_prepare_derived(nt_model *model, bool validate, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++)
        status = nt_body_prepare(&model->bodies[i], model->file, validate, error);
    for (int i = 0; status == NT_OK && validate && i < model->n_markers; i++)
        status = check_marker(model, &model->markers[i], error);
    for (int i = 0; status == NT_OK && i < model->n_elements; i++)
        status = model->elements[i].type->prepare(model, &model->elements[i], validate, error);
    for (int i = 0; status == NT_OK && i < model->n_signals; i++)
        nt_signal_prepare(model, &model->signals[i]);
    for (int i = 0; status == NT_OK && validate && i < model->n_signals; i++)
        status = check_signal(model, &model->signals[i], error);
    return status;
}

/* ---- layout --------------------------------------------------------------------------------- */

static nt_status lay_out_state(nt_model *model)
{
    int moving = model->n_bodies - 1, node = 0;
    nt_block *blocks = NT_TAKE(&model->arena, moving, nt_block);
    if (!blocks)
        return NT_NO_MEMORY;
    for (int i = 0; i < moving; i++) {
        const nt_body *body = &model->bodies[i + 1];
        blocks[i] = (nt_block){.kind = body->point                          ? NT_RN
                                       : body->given & NT_GIVEN_FIXED_POINT ? NT_SO3
                                                                            : NT_R3SO3,
                               .nv = 3}; /* of a point */
    }
    nt_space_init(&model->system.space, blocks, moving);
    model->bodies[0].t_node = model->bodies[0].r_node = model->bodies[0].rotation = -1;
    model->bodies[0].q0 = (quat){1, 0, 0, 0};
    for (int i = 0; i < moving; i++) {
        nt_body *body = &model->bodies[i + 1];
        body->q = blocks[i].q;
        body->v = blocks[i].v;
        body->rotation = blocks[i].rotation;
        body->t_node = blocks[i].kind != NT_SO3 ? node++ : -1;
        body->r_node = blocks[i].kind != NT_RN ? node++ : -1;
    }
    return NT_OK;
}

/* Multipliers: all holonomic ones first, then the nonholonomic ones, each in file order. Returns
 * the number of nodes. */
static int number_multipliers(nt_model *model, int n_primary)
{
    int node = n_primary, row = 0;
    model->system.n_memory = 0;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->n_rows = e->type->rows(e);
        e->first_row = e->n_rows > 0 ? row : -1;
        e->node = e->n_rows > 0 ? node++ : -1;
        row += e->n_rows;
    }
    model->system.nh = row;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->n_rates = e->type->rates ? e->type->rates(e) : 0;
        e->first_rate = e->n_rates > 0 ? row : -1;
        e->rate_node = e->n_rates > 0 ? node++ : -1;
        row += e->n_rates;
    }
    model->system.nn = row - model->system.nh;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->memory = e->type->n_memory > 0 ? model->system.n_memory : -1;
        model->system.n_memory += e->type->n_memory;
    }
    return node;
}

static nt_status make_pattern(nt_model *model)
{
    int n_primary = 0;
    for (int i = 1; i < model->n_bodies; i++)
        n_primary += (model->bodies[i].t_node >= 0) + (model->bodies[i].r_node >= 0);
    int n_nodes = number_multipliers(model, n_primary);
    int *sizes = NT_TAKE(&model->arena, n_nodes, int);
    if (!sizes)
        return NT_NO_MEMORY;
    for (int i = 0; i < n_primary; i++)
        sizes[i] = 3;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->node >= 0)
            sizes[e->node] = e->n_rows;
        if (e->rate_node >= 0)
            sizes[e->rate_node] = e->n_rates;
    }
    nt_status status = nt_pattern_init(&model->pattern, n_nodes, n_primary, sizes);
    if (status == NT_OK)
        nt_pattern_pack(&model->pattern);
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++) {
        nt_body *body = &model->bodies[i];
        bool moves = body->t_node >= 0, turns = body->r_node >= 0;
        body->tt_slot = body->rr_slot = -1;
        if (moves)
            body->tt_slot = nt_pattern_add(&model->pattern, body->t_node, body->t_node, NT_SCALED);
        if (turns)
            body->rr_slot = nt_pattern_add(&model->pattern, body->r_node, body->r_node, NT_FULL);
        if ((moves && body->tt_slot < 0) || (turns && body->rr_slot < 0))
            status = NT_NO_MEMORY;
    }
    for (int i = 0; status == NT_OK && i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        status = e->type->declare(model, e, &model->pattern);
    }
    if (status == NT_OK)
        nt_pattern_trim(&model->pattern);
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++) {
        nt_body *body = &model->bodies[i];
        body->tt_scaled = body->tt_slot >= 0 && model->pattern.shape[body->tt_slot] == NT_SCALED;
    }
    for (int i = 0; status == NT_OK && i < model->n_joints; i++)
        if (!model->elements[i].type->rates)
            nt_joint_locate(model, &model->elements[i]);
    return status;
}

static nt_status take_memory(nt_model *model)
{
    nt_system *s = &model->system;
    nt_arena *arena = &model->arena;
    int rows = s->nh + s->nn, n_rotations = s->space.n_rotations;
    model->row_quantity = NT_TAKE(arena, rows, nt_quantity);
    model->initial_q = NT_TAKE(arena, s->space.nq, double);
    model->initial_v = NT_TAKE(arena, s->space.nv, double);
    model->initial_memory = NT_TAKE(arena, s->n_memory, double);
    model->motion = NT_TAKE(arena, model->n_bodies, nt_motion);
    model->multipliers = NT_TAKE(arena, rows, double);
    model->redundant = NT_TAKE(arena, rows, int);
    model->parameter_names = NT_TAKE(arena, model->n_parameters, const char *);
    model->parameter_scale = NT_TAKE(arena, model->n_parameters, double);
    model->mass = NT_TAKE(arena, s->space.nv, double);
    model->inertia = NT_TAKE(arena, 9 * (size_t)n_rotations, double);
    if (!model->row_quantity || !model->initial_q || !model->initial_v || !model->initial_memory ||
        !model->motion || !model->multipliers || !model->redundant || !model->parameter_names ||
        !model->parameter_scale || !model->mass || !model->inertia)
        return NT_NO_MEMORY;
    nt_motion_init(model->motion);
    for (int i = 0; i < model->n_elements; i++)
        for (int r = 0; r < model->elements[i].n_rows + model->elements[i].n_rates; r++)
            model->row_quantity[nt_element_row(&model->elements[i], r)] =
                model->elements[i].type->row_quantity(&model->elements[i], r);
    for (int i = 0; i < model->n_parameters; i++) {
        double size = fabs(model->parameters[i].value);
        model->parameter_names[i] = model->parameters[i].name;
        model->parameter_scale[i] = size > 0 ? size : 1;
    }
    if (!nt_parameter_rates_init(model))
        return NT_NO_MEMORY;
    model->momenta = (nt_momenta){.mass = model->mass, .inertia = model->inertia};
    fill_momenta(model);
    return NT_OK;
}

static bool depends_on_rates(const nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->type->depends_on_rates && e->type->depends_on_rates(model, e))
            return true;
    }
    return false;
}

void nt_model_renew_promises(nt_model *model)
{
    unsigned *capabilities = &model->system.capabilities;
    *capabilities &= ~(unsigned)NT_POSITION_FORCES;
    if (!depends_on_rates(model))
        *capabilities |= NT_POSITION_FORCES;
}

static void fill_system(nt_model *model)
{
    nt_system *s = &model->system;
    s->name = model->title;
    s->frame = NT_INERTIAL;
    s->row_quantity = model->row_quantity;
    s->pattern = &model->pattern;
    s->capabilities = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_ENERGY | NT_HAS_PARAMETERS |
                      NT_HAS_PARAMETER_TANGENT | NT_HAS_MOMENTA | NT_ALL_LEVELS | NT_AFFINE |
                      NT_HAS_SPLIT | NT_DISCRETE_MEMORY; /* memory counts turns */
    nt_model_renew_promises(model);
    s->n_parameters = model->n_parameters;
    s->parameter_names = model->parameter_names;
    s->parameter_scale = model->parameter_scale;
    s->self = model;
    s->evaluate = nt_model_evaluate;
    s->energy = nt_model_energy;
    s->accept = s->n_memory > 0 ? nt_model_accept : NULL;
    s->set_parameters = nt_model_set_parameters;
    s->get_parameters = nt_model_get_parameters;
    s->initial = nt_model_consistent_initial;
    s->parameter_tangent = nt_model_parameter_tangent;
    s->initial_tangent = nt_model_own_initial_tangent;
    s->energy_tangent = nt_model_energy_tangent;
    s->momenta = &model->momenta;
    s->coordinate_name = nt_model_coordinate_name;
    s->equation_name = nt_model_equation_name;
    s->failure = nt_model_failure;
    s->place = nt_model_place;
    s->feature = nt_model_feature;
}

/* Variables of expressions: those that exist before signals are known keep their values. */
static nt_status take_variables(nt_model *model)
{
    size_t count = (size_t)model->n_parameters + 1 + (size_t)model->n_signals;
    model->variables = NT_TAKE(&model->arena, count, double);
    model->time_rate = NT_TAKE(&model->arena, count, double);
    model->zeros = NT_TAKE(&model->arena, count, double);
    if (!model->variables || !model->time_rate || !model->zeros)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_parameters; i++)
        model->variables[i] = model->parameters[i].asked = model->parameters[i].value;
    model->variables[nt_model_time_variable(model)] = model->simulation.start;
    model->time_rate[nt_model_time_variable(model)] = 1;
    return NT_OK;
}

nt_status nt_model_build(nt_model *model, nt_error *error)
{
    nt_status status = take_variables(model);
    if (status != NT_OK)
        goto no_memory;
    model->bodies[0].q0 = (quat){1, 0, 0, 0};
    for (int i = 0; i < model->n_elements; i++)
        model->elements[i].part = nt_element_part(&model->elements[i]);
    if ((status = nt_model_prepare(model, true, error)) != NT_OK)
        return status;
    if ((status = lay_out_state(model)) != NT_OK || (status = make_pattern(model)) != NT_OK ||
        (status = take_memory(model)) != NT_OK)
        goto no_memory;
    fill_system(model);
    return nt_model_assemble(model, true, error);
no_memory:
    return nt_fail_at(error, status, model->file, 0, 0, "%s", nt_status_text(status));
}
