/* The ports of elements: which nodes of the system each adds terms to. */
#include "base/error.h"
#include "model/model.h"

#include <string.h>

static nt_port port_of_node(int node, int first, int size)
{
    return (nt_port){.node = node, .first = node < 0 ? 0 : first, .size = node < 0 ? 0 : size};
}

static void put_body(const nt_model *model, int body, nt_port *ports)
{
    const nt_body *b = &model->bodies[body];
    ports[0] = port_of_node(b->t_node, b->v, 3);
    ports[1] = port_of_node(b->r_node, b->v + (b->t_node >= 0 ? 3 : 0), 3);
}

nt_status nt_element_begin_ports(nt_model *model, nt_element *e)
{
    e->n_ports = NT_PORTS;
    e->ports = NT_TAKE(&model->arena, NT_PORTS, nt_port);
    if (!e->ports)
        return NT_NO_MEMORY;
    put_body(model, e->a, e->ports + NT_T_A);
    put_body(model, e->b, e->ports + NT_T_B);
    e->ports[NT_ROWS] = port_of_node(e->node, e->first_row, e->n_rows);
    e->ports[NT_RATES] = port_of_node(e->rate_node, e->first_rate, e->n_rates);
    e->last_body = e->a > e->b ? e->a : e->b;
    return NT_OK;
}

static int add_ports(nt_model *model, nt_element *e, const nt_port *ports, int n)
{
    nt_port *all = e->slot ? NULL : NT_TAKE(&model->arena, e->n_ports + n, nt_port);
    if (!all)
        return -1;
    memcpy(all, e->ports, (size_t)e->n_ports * sizeof *all);
    memcpy(all + e->n_ports, ports, (size_t)n * sizeof *all);
    e->ports = all;
    e->n_ports += n;
    return e->n_ports - n;
}

/* The port of a body's translation, -1 for none: the next one is that of its rotation. */
static int find_body(const nt_model *model, const nt_element *e, int body)
{
    nt_port wanted[2];
    put_body(model, body, wanted);
    for (int i = 0; i + 1 < e->n_ports; i++)
        if (i != NT_ROWS && i != NT_RATES && e->ports[i].node == wanted[0].node &&
            e->ports[i + 1].node == wanted[1].node)
            return i;
    return -1;
}

int nt_element_port_of_body(nt_model *model, nt_element *e, int body)
{
    if (!model || !e || body < 0 || body >= model->n_bodies)
        return -1;
    nt_port wanted[2];
    put_body(model, body, wanted);
    e->last_body = body > e->last_body ? body : e->last_body;
    int port = find_body(model, e, body);
    return port >= 0 ? port : add_ports(model, e, wanted, 2);
}

int nt_view_port_of_body(const nt_view *view, int body)
{
    return view && body >= 0 && body < view->model->n_bodies
               ? find_body(view->model, view->local->element, body)
               : -1;
}

int nt_view_port_of_own(const nt_view *view)
{
    const nt_element *e = view ? view->local->element : NULL;
    for (int i = NT_PORTS; e && e->n_own > 0 && i < e->n_ports; i++)
        if (e->ports[i].node == e->own_node)
            return i;
    return -1;
}

nt_status nt_element_ports_of_bodies(nt_model *model, nt_element *e, int first, int count)
{
    nt_port *ports = NT_TAKE(&model->arena, 2 * count, nt_port);
    for (int i = 0; ports && i < count; i++)
        put_body(model, first + i, ports + 2 * i);
    if (!ports || add_ports(model, e, ports, 2 * count) < 0)
        return NT_NO_MEMORY;
    e->last_body = first + count - 1 > e->last_body ? first + count - 1 : e->last_body;
    return NT_OK;
}

int nt_element_port_like(nt_model *model, nt_element *e, const nt_port *port, bool looks)
{
    for (int i = 0; i < e->n_ports; i++)
        if (port->node >= 0 && e->ports[i].node == port->node)
            return i;
    nt_port like = *port;
    like.looks = looks;
    return add_ports(model, e, &like, 1);
}

int nt_element_port_of_own_of(nt_model *model, nt_element *e, const nt_element *owner)
{
    nt_port own = port_of_node(owner->own_node, owner->own_v, owner->n_own);
    return nt_element_port_like(model, e, &own, false);
}

int nt_element_port_of_own(nt_model *model, nt_element *e)
{
    return model && e ? nt_element_port_of_own_of(model, e, e) : -1;
}

nt_status nt_model_list_ports(nt_model *model)
{
    if (model->whole)
        return NT_OK;
    int most = 2 * model->n_bodies + model->n_elements, n = 0;
    nt_port *ports = NT_TAKE(&model->arena, most, nt_port);
    if (!ports)
        return NT_NO_MEMORY;
    for (int i = 1; i < model->n_bodies; i++, n += 2)
        put_body(model, i, ports + n);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->n_own > 0)
            ports[n++] = port_of_node(e->own_node, e->own_v, e->n_own);
    }
    for (int i = 0; i < n; i++)
        ports[i].start = ports[i].first;
    model->whole = ports;
    model->n_whole = n;
    return NT_OK;
}

/* Each body but the ground has a node or two, numbered in the order of bodies. */
int nt_model_body_of_node(const nt_model *model, int node)
{
    int low = 1, high = model->n_bodies; /* it is one of [low, high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        const nt_body *b = &model->bodies[middle];
        if ((b->t_node >= 0 ? b->t_node : b->r_node) <= node)
            low = middle;
        else
            high = middle;
    }
    bool is_its = low < model->n_bodies && node >= 0 &&
                  (model->bodies[low].t_node == node || model->bodies[low].r_node == node);
    return is_its ? low : -1;
}

void nt_element_look_at(const nt_model *model, const nt_element *e, bool *bodies)
{
    bodies[e->a] = bodies[e->b] = true;
    for (int i = NT_PORTS; i < e->n_ports; i++) {
        int body = nt_model_body_of_node(model, e->ports[i].node);
        if (body >= 0)
            bodies[body] = true;
    }
}

/* Ports are complete: where each has its entries. */
static void place_entries(nt_element *e)
{
    e->size = 0;
    for (int i = 0; i < e->n_ports; i++) {
        e->ports[i].start = e->size;
        e->size += e->ports[i].size;
    }
}

/* Lays out the entries of all ports, and makes the table of blocks, which has none yet. */
static nt_status begin_slots(nt_model *model, nt_element *e)
{
    int count = e->n_ports * e->n_ports;
    place_entries(e);
    e->slot = NT_TAKE(&model->arena, count, int);
    for (int i = 0; e->slot && i < count; i++)
        e->slot[i] = -1;
    return e->slot ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_element_couple(nt_model *model, nt_element *e, int row, int column,
                            nt_block_shape shape)
{
    NT_NEED(NULL, "model element", model, e);
    NT_NEED_NUMBER(NULL, "row", row, 0, e->n_ports - 1);
    NT_NEED_NUMBER(NULL, "column", column, 0, e->n_ports - 1);
    NT_NEED_NUMBER(NULL, "shape", shape, NT_FULL, NT_SCALED);
    if (!e->slot && begin_slots(model, e) != NT_OK)
        return NT_NO_MEMORY;
    int *slot = &e->slot[row * e->n_ports + column];
    if (e->ports[row].node < 0 || e->ports[column].node < 0)
        return NT_OK;
    *slot = nt_pattern_add(&model->pattern, e->ports[row].node, e->ports[column].node, shape);
    return *slot < 0 ? NT_NO_MEMORY : NT_OK;
}

nt_status nt_element_begin_couples(nt_model *model, nt_element *e, int count)
{
    place_entries(e);
    e->n_couples = count;
    e->couple = NT_TAKE(&model->arena, count, int);
    e->couple_ports = NT_TAKE(&model->arena, 2 * count, int);
    e->couple_part = NT_TAKE(&model->arena, count, int);
    return e->couple && e->couple_ports && e->couple_part ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_element_list_couple(nt_model *model, nt_element *e, int k, int row, int column)
{
    e->couple_ports[2 * k] = row, e->couple_ports[2 * k + 1] = column;
    e->couple[k] =
        nt_pattern_add(&model->pattern, e->ports[row].node, e->ports[column].node, NT_FULL);
    return e->couple[k] < 0 ? NT_NO_MEMORY : NT_OK;
}

nt_status nt_element_end_ports(nt_model *model, nt_element *e)
{
    return e->slot || e->couple ? NT_OK : begin_slots(model, e);
}

nt_status nt_element_declare(nt_model *model, nt_element *e)
{
    if (e->slot || e->couple)
        return NT_OK;
    nt_status status = nt_element_begin_ports(model, e);
    if (status == NT_OK)
        status = e->type->declare(model, e);
    return status == NT_OK ? nt_element_end_ports(model, e) : status;
}

/* ---- the terms of one element --------------------------------------------------------------- */

nt_status nt_local_take(nt_local *local, nt_arena *arena, int size, int n_entries, int n_ports)
{
    size_t blocks = (size_t)n_ports * (size_t)n_ports;
    *local = (nt_local){.residual = NT_TAKE(arena, size, double),
                        .blocks = NT_TAKE(arena, (size_t)n_entries * (size_t)n_entries, double),
                        .touched = NT_TAKE(arena, blocks, int),
                        .is_touched = NT_TAKE(arena, blocks, bool)};
    return local->residual && local->blocks && local->touched && local->is_touched ? NT_OK
                                                                                   : NT_NO_MEMORY;
}

static void gather_block(const nt_local *local, int number, const nt_matrix *matrix)
{
    const nt_element *e = local->element;
    const nt_port *row = &e->ports[number / e->n_ports], *column = &e->ports[number % e->n_ports];
    const double *from = local->blocks + e->size * row->start + row->size * column->start;
    double *to = nt_matrix_block(matrix, e->slot[number]);
    int count =
        nt_pattern_is_single(matrix->pattern, e->slot[number]) ? 1 : row->size * column->size;
    for (int k = 0; k < count; k++)
        to[k] += from[k];
}

void nt_local_scale(const nt_local *local, double share)
{
    const nt_element *e = local->element;
    for (int i = 0; share != 1 && local->has_pushed && i < e->size; i++)
        local->residual[i] *= share;
    for (int i = 0; share != 1 && i < local->n_touched; i++) {
        const nt_port *row = &e->ports[local->touched[i] / e->n_ports];
        const nt_port *column = &e->ports[local->touched[i] % e->n_ports];
        double *block = local->blocks + e->size * row->start + row->size * column->start;
        for (int k = 0; k < row->size * column->size; k++)
            block[k] *= share;
    }
}

void nt_local_gather(const nt_local *local, const nt_terms *terms)
{
    const nt_element *e = local->element;
    for (int i = 0; local->has_pushed && i < e->n_ports; i++) {
        const nt_port *port = &e->ports[i];
        double *to = terms->residual + port->first;
        const double *from = local->residual + port->start;
        if (!nt_element_pushes(e, i))
            continue;
        if (port->size == 3) /* as most are */
            v3_accumulate(to, v3_load(from));
        else
            for (int k = 0; k < port->size; k++)
                to[k] += from[k];
    }
    for (int i = 0; i < local->n_touched; i++)
        gather_block(local, local->touched[i], terms->matrix);
    bool all = local->couples && !local->place && terms->matrix;
    for (int k = 0; all && k < e->n_couples; k++) {
        double *to = nt_matrix_block(terms->matrix, e->couple[k]);
        for (int i = 0; i < 9; i++)
            to[i] += local->couples[9 * k + i];
    }
}
