/* Parts of a model that nothing connects: bodies and elements' own coordinates that no element acts
 * on at once. No energy passes from one part to another, so each has an account of its own
 * (nt_system.energies). The ground belongs to none: what acts on a body and the ground leaves the
 * body as free of others as it was. */
#include "model/model.h"

static int root_of(int *parent, int node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* The lower number becomes the root, so that parts follow each other as their first bodies do. */
static void connect(int *parent, int a, int b)
{
    a = root_of(parent, a), b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* The first node that it acts on, all of which are connected; -1: none. A load looks at bodies that
 * its functions depend on, behind those that it acts on, and exchanges no energy with them. */
static int connect_nodes_of(const nt_element *e, int *parent)
{
    int first = -1;
    for (int k = 0; k < e->n_ports; k++) {
        int node = e->ports[k].node;
        if (node < 0 || !nt_element_pushes(e, k) ||
            (first >= 0 && e->type->is_load && k >= NT_PORTS))
            continue;
        first = first < 0 ? node : first;
        connect(parent, first, node);
    }
    return first;
}

nt_status nt_model_find_parts(nt_model *model)
{
    int n_nodes = model->n_primary, *parent = NT_TAKE(&model->arena, n_nodes, int),
        *number = NT_TAKE(&model->arena, n_nodes, int);
    model->part_of_body = NT_TAKE(&model->arena, model->n_bodies, int);
    model->part_of_element = NT_TAKE(&model->arena, model->n_elements, int);
    if (!parent || !number || !model->part_of_body || !model->part_of_element)
        return NT_NO_MEMORY;
    for (int i = 0; i < n_nodes; i++)
        parent[i] = i;
    for (int i = 1; i < model->n_bodies; i++) {
        const nt_body *b = &model->bodies[i];
        if (b->t_node >= 0 && b->r_node >= 0)
            connect(parent, b->t_node, b->r_node);
    }
    for (int i = 0; i < model->n_elements; i++)
        model->part_of_element[i] = connect_nodes_of(&model->elements[i], parent);
    int n = 0;
    for (int i = 0; i < n_nodes; i++)
        number[i] = parent[i] == i ? n++ : -1;
    for (int i = 1; i < model->n_bodies; i++) {
        const nt_body *b = &model->bodies[i];
        model->part_of_body[i] = number[root_of(parent, b->t_node >= 0 ? b->t_node : b->r_node)];
    }
    for (int i = 0; i < model->n_elements; i++) {
        int *part = &model->part_of_element[i];
        *part = *part < 0 ? 0 : number[root_of(parent, *part)];
    }
    model->system.n_energies = n > 0 ? n : 1;
    return NT_OK;
}
