/* From the data of a model to its system: derived values, the layout of the state, the block graph,
 * consistent initial values (assemble.c). */
#include "base/error.h"
#include "model/assembly/assemble.h"
#include "model/beams/beam.h"
#include "model/contacts/bounce.h"
#include "model/contacts/grip.h"
#include "model/elements.h"
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/events/limits.h"
#include "model/events/onsets.h"
#include "model/events/sliding.h"
#include "model/joints/joint.h"
#include "model/quantities/signal.h"
#include "model/states/delay.h"

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

/* The momentum of all elements where one body alone moves, with 1 m/s: what it carries of them. */
static double build_carried(const nt_run *run, const nt_point *at, nt_motion *motion, int body)
{
    nt_view view = run->view;
    view.at = at;
    view.motion = motion;
    v3 p = v3_of(0, 0, 0), L = v3_of(0, 0, 0);
    motion[body].v = v3_of(0, 0, 1);
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (e->type->has_inertia)
            e->type->momentum(e, &view, &p, &L);
    }
    motion[body].v = v3_of(0, 0, 0);
    return p.z;
}

/* Of bodies without a mass of their own that contacts act on, nodes of beams and cables: the mass
 * that elements lay on them. Zero of all others. */
static void build_fill_carried(nt_run *run)
{
    const nt_model *model = run->model;
    nt_motion *motion = (nt_motion *)(void *)(run->carried + model->n_bodies);
    double *q = (double *)(void *)(motion + model->n_bodies);
    const nt_point at = {.q = q};
    for (int i = 0; i < model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        run->carried[i] = 0;
        motion[i] = (nt_motion){.x = body->x0, .R = quat_matrix(body->q0)};
        if (i > 0 && body->t_node >= 0)
            v3_store(q + body->q, body->x0);
        if (i > 0 && body->r_node >= 0)
            quat_store(q + body->q + (body->t_node >= 0 ? 3 : 0), body->q0);
    }
    nt_motion_init(motion);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const int bodies[] = {e->a, e->b};
        for (int k = 0; k < 2 && nt_element_touches(e); k++) {
            const nt_body *body = &run->bodies[bodies[k]];
            if (bodies[k] > 0 && !(body->mass > 0) && body->t_node >= 0 &&
                run->carried[bodies[k]] == 0)
                run->carried[bodies[k]] = build_carried(run, &at, motion, bodies[k]);
        }
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
    if (status == NT_OK && run->carried)
        build_fill_carried(run);
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

/* In body axes; those of a beam's node are the ground's in the reference placement. */
static void place_markers(nt_run *run)
{
    for (int i = 0; i < run->model->n_markers; i++) {
        nt_marker *marker = &run->markers[i];
        v3 at = v3_load(marker->offset);
        if (nt_marker_is_station(marker))
            at = m3_apply(
                nt_beam_axes_at(nt_beam_of(run, &run->model->elements[marker->beam]), marker->end),
                at);
        v3_store(marker->at, at);
    }
}

nt_status nt_run_prepare_derived(nt_run *run, bool validate, nt_error *error)
{
    const nt_model *model = run->model;
    nt_status status = NT_OK;
    for (int i = 0; status == NT_OK && i < model->n_elements; i++) {
        status = nt_element_own_bodies(run, &model->elements[i], validate, error);
    }
    if (status == NT_OK)
        place_markers(run);
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
    int moving = model->n_bodies - 1, node = 0, n = moving;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->n_own = nt_element_count_coordinates(model, e);
        n += e->n_own > 0;
        model->has_own |= e->n_own > 0;
        model->has_inertia |= e->type->has_inertia;
    }
    nt_block *blocks = NT_TAKE(&model->arena, n, nt_block);
    if (!blocks)
        return NT_NO_MEMORY;
    for (int i = 0; i < moving; i++) {
        const nt_body *body = &model->bodies[i + 1];
        blocks[i] = (nt_block){.kind = body->point                          ? NT_RN
                                       : body->given & NT_GIVEN_FIXED_POINT ? NT_SO3
                                                                            : NT_R3SO3,
                               .nv = 3}; /* of a point */
    }
    for (int i = 0, k = moving; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->n_own > 0)
            blocks[k++] =
                (nt_block){.kind = e->type->first_order ? NT_FIRST : NT_RN, .nv = e->n_own};
    }
    nt_space_init(&model->system.space, blocks, n);
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
    for (int i = 0, k = moving; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        bool own = e->n_own > 0;
        e->own_node = own ? node++ : -1;
        e->own_v = own ? blocks[k].v : -1;
        e->own_q = own && !e->type->first_order ? blocks[k].q : -1;
        k += own;
    }
    model->n_primary = node;
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
        e->n_rows = nt_element_count_rows(model, e);
        e->first_row = e->n_rows > 0 ? row : -1;
        e->node = e->n_rows > 0 ? node++ : -1;
        row += e->n_rows;
    }
    model->system.nh = row;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->n_rates = nt_element_count_rates(model, e);
        e->first_rate = e->n_rates > 0 ? row : -1;
        e->rate_node = e->n_rates > 0 ? node++ : -1;
        row += e->n_rates;
    }
    model->system.nn = row - model->system.nh;
    for (int i = 0; i < model->n_elements; i++) {
        nt_element *e = &model->elements[i];
        e->memory = e->type->n_memory > 0 ? model->system.n_memory : -1;
        model->system.n_memory += e->type->n_memory;
        model->elements_remember = model->elements_remember || nt_element_remembers(e);
    }
    model->system.n_memory += nt_model_lay_out_delays(model, model->system.n_memory);
    nt_model_lay_out_events(model);
    return node;
}

static nt_status make_pattern(nt_model *model)
{
    int n_primary = model->n_primary;
    int n_nodes = number_multipliers(model, n_primary);
    int *sizes = NT_TAKE(&model->arena, n_nodes, int);
    if (!sizes)
        return NT_NO_MEMORY;
    for (int i = 0; i < n_primary; i++)
        sizes[i] = 3;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->own_node >= 0)
            sizes[e->own_node] = e->n_own;
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
        status = nt_element_declare(model, e);
        model->most_entries = e->size > model->most_entries ? e->size : model->most_entries;
        if (e->couple)
            continue;
        model->most_ports = e->n_ports > model->most_ports ? e->n_ports : model->most_ports;
        model->most_in_table = e->size > model->most_in_table ? e->size : model->most_in_table;
    }
    if (status == NT_OK)
        nt_pattern_trim(&model->pattern);
    for (int i = 1; status == NT_OK && i < model->n_bodies; i++) {
        nt_body *body = &model->origin->bodies[i];
        body->tt_scaled = body->tt_slot >= 0 && model->pattern.shape[body->tt_slot] == NT_SCALED;
    }
    for (int i = 0; status == NT_OK && i < model->n_joints; i++)
        if (nt_element_as_joint(model->origin, &model->elements[i]))
            nt_joint_locate(model, &model->elements[i]);
    return status;
}

/* Blocks of bodies on which no constraint and no implicit force acts: nt_system.explicit_blocks;
 * and those of which one joint alone gives the rotation: nt_system.given_rows. */
static nt_status find_explicit_blocks(nt_model *model)
{
    const nt_space *space = &model->system.space;
    unsigned char *alone = NT_TAKE(&model->arena, space->n_blocks, unsigned char);
    int *block_of = NT_TAKE(&model->arena, space->nv, int);
    int *given_rows = NT_TAKE(&model->arena, space->n_blocks, int);
    model->given_by = NT_TAKE(&model->arena, space->n_blocks, int);
    if (!alone || !block_of || !given_rows || !model->given_by)
        return NT_NO_MEMORY;
    for (int b = 0; b < space->n_blocks; b++) {
        alone[b] = b < model->n_bodies - 1;
        given_rows[b] = model->given_by[b] = -1;
        for (int i = 0; i < space->blocks[b].nv; i++)
            block_of[space->blocks[b].v + i] = b;
    }
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        bool binds = e->n_rows + e->n_rates > 0 || e->part != NT_EXPLICIT || e->type->has_inertia;
        bool gives = binds && nt_joint_gives_rotation(model, e);
        for (int k = 0; binds && k < e->n_ports; k++) {
            if (!nt_element_pushes(e, k) || e->ports[k].node < 0 || k == NT_ROWS)
                continue;
            int b = block_of[e->ports[k].first];
            bool first = alone[b] || model->given_by[b] == i;
            model->given_by[b] = gives && first && space->blocks[b].kind == NT_R3SO3 ? i : -1;
            alone[b] = 0;
        }
    }
    model->system.explicit_blocks = alone;
    for (int b = 0; b < space->n_blocks; b++)
        if (model->given_by[b] >= 0) {
            given_rows[b] = model->elements[model->given_by[b]].first_row;
            model->system.given_rows = given_rows;
        }
    return NT_OK;
}

/* Bodies that turn with the first of those that their element brings: nt_system.carriers. */
static nt_status find_carriers(nt_model *model)
{
    const nt_space *space = &model->system.space;
    int *carriers = NT_TAKE(&model->arena, space->n_blocks, int);
    if (!carriers)
        return NT_NO_MEMORY;
    for (int b = 0; b < space->n_blocks; b++)
        carriers[b] = b;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (!e->type->carries)
            continue;
        for (int k = 0; k < e->n_brought; k++) /* blocks follow bodies, without the ground */
            carriers[e->first_brought - 1 + k] = e->first_brought - 1;
        model->system.carriers = carriers;
    }
    return NT_OK;
}

/* Whether all that elements remember picks branches, as turns that are counted do. */
static bool remembers_counts_alone(const nt_model *model)
{
    bool counts = true;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element_type *type = model->elements[i].type;
        counts = counts && (type->n_memory == 0 || type->memory == NT_MEMORY_COUNTS);
    }
    return counts;
}

static nt_status build_describe(nt_model *model)
{
    nt_system *s = &model->system;
    nt_arena *arena = &model->arena;
    model->row_quantity = NT_TAKE(arena, s->nh + s->nn, nt_quantity);
    model->row_element = NT_TAKE(arena, s->nh + s->nn, int);
    model->parameter_names = NT_TAKE(arena, model->n_parameters, const char *);
    model->parameter_scale = NT_TAKE(arena, model->n_parameters, double);
    if (!model->row_quantity || !model->row_element || !model->parameter_names ||
        !model->parameter_scale)
        return NT_NO_MEMORY;
    for (int row = 0; row < s->nh + s->nn; row++)
        model->row_element[row] = -1;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int r = 0; r < e->n_rows + e->n_rates; r++) {
            int row = nt_element_row(e, r);
            model->row_quantity[row] = e->type->row_quantity(model, e, r);
            model->row_element[row] = i;
        }
    }
    for (int i = 0; i < model->n_parameters; i++) {
        double size = fabs(model->parameters[i].value);
        model->parameter_names[i] = model->parameters[i].name;
        model->parameter_scale[i] = size > 0 ? size : 1;
    }
    nt_status status = find_explicit_blocks(model);
    if (status == NT_OK)
        status = find_carriers(model);
    s->name = model->title;
    s->frame = NT_INERTIAL;
    s->row_quantity = model->row_quantity;
    s->pattern = &model->pattern;
    s->capabilities = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_ENERGY | NT_HAS_PARAMETERS |
                      NT_HAS_PARAMETER_TANGENT | NT_HAS_MOMENTA | NT_ALL_LEVELS | NT_AFFINE |
                      NT_HAS_SPLIT | NT_DISCRETE_MEMORY; /* memory counts turns */
    if (model->memory_varies || model->grips_give || model->n_delays > 0 || /* places, samples */
        !remembers_counts_alone(model))
        s->capabilities &= ~(unsigned)NT_DISCRETE_MEMORY;
    if (model->n_delays > 0)
        s->capabilities |= NT_KEEPS_RATES;
    if (model->has_own || model->has_inertia) /* those are the bodies' alone */
        s->capabilities &= ~(unsigned)NT_HAS_MOMENTA;
    if (nt_signals_follow_reactions(model) || !nt_model_slides_affinely(model))
        s->capabilities &= ~(unsigned)NT_AFFINE;
    s->n_parameters = model->n_parameters;
    s->parameter_names = model->parameter_names;
    s->parameter_scale = model->parameter_scale;
    return status;
}

static bool build_depends_on_rates(const nt_run *run)
{
    for (int i = 0; i < run->model->n_elements; i++) {
        if (nt_element_depends_on_rates(run, &run->model->elements[i]))
            return true;
    }
    return false;
}

static bool gives_no_energy(const nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (nt_element_does_work(model, e) && nt_element_gives_energy(model, e))
            return false;
    }
    return true;
}

void nt_run_renew_promises(nt_run *run)
{
    unsigned *capabilities = &run->system.capabilities;
    *capabilities &= ~(unsigned)NT_POSITION_FORCES;
    *capabilities |= gives_no_energy(run->model) ? NT_GIVES_NO_ENERGY : 0;
    if (!build_depends_on_rates(run))
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
    nt_status status = nt_model_add_grips(model);
    if (status == NT_OK)
        status = nt_joints_add_switches(model);
    if (status == NT_OK)
        status = nt_model_add_slides(model);
    if (status == NT_OK)
        status = take_directions(model);
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
    if ((status = nt_run_prepare(origin, true, error)) != NT_OK ||
        (status = nt_signals_check(model, error)) != NT_OK ||
        (status = nt_run_check_delays(origin, error)) != NT_OK)
        return status;
    if ((status = nt_model_count_onsets(model)) != NT_OK ||
        (status = lay_out_state(model)) != NT_OK || (status = make_pattern(model)) != NT_OK ||
        (status = nt_model_find_parts(model)) != NT_OK ||
        (status = nt_model_find_bounces(model)) != NT_OK ||
        (status = build_describe(model)) != NT_OK ||
        (status = nt_run_take_state(origin)) != NT_OK ||
        (status = nt_model_find_held(model)) != NT_OK)
        goto no_memory;
    fill_momenta(origin);
    if (origin->carried)
        build_fill_carried(origin);
    status = nt_run_assemble(origin, true, error);
    if (status == NT_OK)
        status = nt_signals_check_reactions(origin, error);
    if (status == NT_OK)
        status = nt_limits_check_placement(origin, error);
    nt_run_rest(origin);
    return status;
no_memory:
    return nt_fail_at(error, status, model->file, 0, 0, "%s", nt_status_text(status));
}
