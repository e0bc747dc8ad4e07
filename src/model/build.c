/* From the data of a model to its system: derived values, the layout of the state, the block graph,
 * consistent initial values (assemble.c). */
#include "base/error.h"
#include "model/assemble.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"
#include "model/signal.h"

#include <math.h>
#include <nutate/group.h>

/* ---- numbers -------------------------------------------------------------------------------- */

static void fill_momenta(nt_run *run)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        for (int k = 0; k < 3 && body->t_node >= 0; k++)
            run->mass[body->v + k] = body->mass;
        if (body->rotation >= 0)
            m3_store(run->inertia + 9 * body->rotation, body->J);
    }
}

nt_status nt_run_prepare(nt_run *run, bool validate, nt_error *error)
{
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_bindings; i++)
        *nt_run_number(run, model->bindings[i].target) =
            nt_expression_value(model->bindings[i].expression, run->variables);
    nt_status status = nt_run_prepare_derived(run, validate, error);
    if (status == NT_OK && run->mass)
        fill_momenta(run);
    return status;
}

/* A point has one place only. */
static nt_status check_marker(const nt_run *run, const nt_marker *marker, nt_error *error)
{
    double off = v3_norm(v3_load(marker->at));
    const nt_body *body = &run->bodies[marker->on];
    if (!body->point || off == 0)
        return NT_OK;
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, marker->place.line,
                      marker->place.column,
                      "marker %s is %g m off %s, which is a point, expected at: [0, 0, 0]",
                      marker->name, off, body->name);
}

nt_status nt_run_prepare_derived(nt_run *run, bool validate, nt_error *error)
{
    const nt_model *model = run->model;
    nt_status status = NT_OK;
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++)
        status = nt_body_prepare(&run->bodies[i], model->file, validate, error);
    for (int i = 0; status == NT_OK && validate && i < model->n_markers; i++)
        status = check_marker(run, &run->markers[i], error);
    for (int i = 0; status == NT_OK && i < model->n_elements; i++)
        status = model->elements[i].type->prepare(run, &model->elements[i], validate, error);
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
    nt_body *bodies = model->origin->bodies;
    bodies[0].t_node = bodies[0].r_node = bodies[0].rotation = -1;
    bodies[0].q0 = (quat){1, 0, 0, 0};
    for (int i = 0; i < moving; i++) {
        nt_body *body = &bodies[i + 1];
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
        e->n_rows = e->type->rows ? e->type->rows(model, e) : 0;
        e->first_row = e->n_rows > 0 ? row : -1;
        e->node = e->n_rows > 0 ? node++ : -1;
        row += e->n_rows;
    }
    model->system.nh = row;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->n_rates = e->type->rates ? e->type->rates(model, e) : 0;
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
        nt_body *body = &model->origin->bodies[i];
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
        status = nt_element_begin_ports(model, e);
        if (status == NT_OK)
            status = e->type->declare(model, e);
        if (status == NT_OK)
            status = nt_element_end_ports(model, e);
        model->most_ports = e->n_ports > model->most_ports ? e->n_ports : model->most_ports;
        model->most_entries = e->size > model->most_entries ? e->size : model->most_entries;
    }
    if (status == NT_OK)
        nt_pattern_trim(&model->pattern);
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++) {
        nt_body *body = &model->origin->bodies[i];
        body->tt_scaled = body->tt_slot >= 0 && model->pattern.shape[body->tt_slot] == NT_SCALED;
    }
    for (int i = 0; status == NT_OK && i < model->n_joints; i++)
        if (model->elements[i].type->as_joint)
            nt_joint_locate(model, &model->elements[i]);
    return status;
}

static nt_status describe(nt_model *model)
{
    nt_system *s = &model->system;
    nt_arena *arena = &model->arena;
    model->row_quantity = NT_TAKE(arena, s->nh + s->nn, nt_quantity);
    model->parameter_names = NT_TAKE(arena, model->n_parameters, const char *);
    model->parameter_scale = NT_TAKE(arena, model->n_parameters, double);
    if (!model->row_quantity || !model->parameter_names || !model->parameter_scale)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_elements; i++)
        for (int r = 0; r < model->elements[i].n_rows + model->elements[i].n_rates; r++)
            model->row_quantity[nt_element_row(&model->elements[i], r)] =
                model->elements[i].type->row_quantity(model, &model->elements[i], r);
    for (int i = 0; i < model->n_parameters; i++) {
        double size = fabs(model->parameters[i].value);
        model->parameter_names[i] = model->parameters[i].name;
        model->parameter_scale[i] = size > 0 ? size : 1;
    }
    s->name = model->title;
    s->frame = NT_INERTIAL;
    s->row_quantity = model->row_quantity;
    s->pattern = &model->pattern;
    s->capabilities = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_ENERGY | NT_HAS_PARAMETERS |
                      NT_HAS_PARAMETER_TANGENT | NT_HAS_MOMENTA | NT_ALL_LEVELS | NT_AFFINE |
                      NT_HAS_SPLIT | NT_DISCRETE_MEMORY; /* memory counts turns */
    s->n_parameters = model->n_parameters;
    s->parameter_names = model->parameter_names;
    s->parameter_scale = model->parameter_scale;
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run)
{
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (e->type->depends_on_rates && e->type->depends_on_rates(run, e))
            return true;
    }
    return false;
}

static bool gives_no_energy(const nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const nt_element_type *type = e->type;
        bool works = !type->does_work || type->does_work(model, e);
        bool gives = type->gives_energy ? type->gives_energy(model, e) : !type->only_takes;
        if (works && gives)
            return false;
    }
    return true;
}

void nt_run_renew_promises(nt_run *run)
{
    unsigned *capabilities = &run->system.capabilities;
    *capabilities &= ~(unsigned)NT_POSITION_FORCES;
    *capabilities |= gives_no_energy(run->model) ? NT_GIVES_NO_ENERGY : 0;
    if (!depends_on_rates(run))
        *capabilities |= NT_POSITION_FORCES;
}

static nt_status take_directions(nt_model *model)
{
    int count = nt_model_variable_count(model);
    model->time_rate = NT_TAKE(&model->arena, count, double);
    model->zeros = NT_TAKE(&model->arena, count, double);
    if (!model->time_rate || !model->zeros)
        return NT_NO_MEMORY;
    model->time_rate[nt_model_time_variable(model)] = 1;
    return NT_OK;
}

nt_status nt_model_build(nt_model *model, nt_error *error)
{
    nt_run *origin = model->origin;
    nt_status status = take_directions(model);
    if (status != NT_OK || (status = nt_run_take_variables(origin)) != NT_OK)
        goto no_memory;
    origin->bodies[0].q0 = (quat){1, 0, 0, 0};
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->part = nt_element_part(e->type, nt_model_data(model, e));
        nt_element_bind(model, e);
    }
    for (int i = 0; i < model->n_signals; i++)
        nt_signal_bind(model, &model->signals[i]);
    if ((status = nt_run_prepare(origin, true, error)) != NT_OK)
        return status;
    if ((status = lay_out_state(model)) != NT_OK || (status = make_pattern(model)) != NT_OK ||
        (status = describe(model)) != NT_OK || (status = nt_run_take_state(origin)) != NT_OK)
        goto no_memory;
    fill_momenta(origin);
    status = nt_run_assemble(origin, true, error);
    nt_run_rest(origin);
    return status;
no_memory:
    return nt_fail_at(error, status, model->file, 0, 0, "%s", nt_status_text(status));
}
