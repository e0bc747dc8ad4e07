/* The equations of a step in local parameters; see local_form.h. */
#include "method/alpha/local_form.h"

#include "group/block.h"

#include <string.h>

const char *const nt_local_charts[] = {
    [CHART_ROTATION_VECTOR] = "rotation-vector", [CHART_CONFORMAL] = "conformal", NULL};

/* ---- work ----------------------------------------------------------------------------------- */

size_t nt_local_size(const nt_problem *problem)
{
    return nt_newton_size(problem) + 3 * (size_t)problem->nv +
           18 * (size_t)problem->space.n_rotations;
}

double *nt_local_bind(nt_local *l, const nt_stepper *s, double h)
{
    size_t nv = (size_t)s->problem->nv, r = (size_t)s->problem->space.n_rotations;
    nt_family c = nt_family_of_step(s->options, h);
    double *free = nt_newton_bind(&l->newton, s, &c);
    l->newton.rate = free;
    l->newton.acceleration = free + nv;
    l->X = free + 2 * nv;
    l->Y = l->X + 9 * r;
    l->force = NULL;
    l->kind = (chart_kind)nt_options_get(s->options, NT_OPTION_PARAMETERIZATION);
    l->frame = s->problem->frame;
    return l->Y + 9 * r;
}

/* ---- a rotation ----------------------------------------------------------------------------- */

static nt_local_rotation rotation(const nt_local *l, int i)
{
    return nt_local_rotation_at(l->kind, l->frame, v3_load(l->newton.increment + i),
                                v3_load(l->newton.rate + i));
}

/* Stores T^-1, X and Y of rotation k, whose first unknown is i. */
static void set_maps_of(const nt_local *l, const nt_local_rotation *r, int i, int k)
{
    const nt_family *c = &l->newton.c;
    m3 T_inverse = chart_matrix(r->inverse, r->phi), first = nt_local_first(r);
    m3 A_2 = nt_local_second(r, v3_load(l->newton.acceleration + i));
    m3 of_rate = m3_scale(c->gamma_prime, m3_add(first, nt_local_rate(r)));
    m3 of_phi = m3_scale(c->position, A_2);
    m3 X = m3_scale(c->position / c->gamma_prime, m3_multiply(first, T_inverse));
    m3 Y = m3_scale(1 / c->beta_prime, m3_multiply(m3_add(of_rate, of_phi), T_inverse));
    m3_store(l->newton.T_inverse + 9 * k, T_inverse);
    m3_store(l->X + 9 * k, m3_add(m3_identity(), X));
    m3_store(l->Y + 9 * k, m3_add(m3_identity(), Y));
}

void nt_local_maps(const nt_stepper *s, const nt_local *l)
{
    const nt_space *space = &s->problem->space;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        nt_local_rotation r = rotation(l, i);
        set_maps_of(l, &r, i, block->rotation);
    }
}

/* Puts `next` where the parameters say: q1 = q0 o mu(phi), v = T phi', vdot = T phi'' + T' phi'.
 * With `maps` T^-1, X and Y are stored too. */
static void local_form_place(const nt_stepper *s, const nt_local *l, bool maps)
{
    const nt_space *space = &s->problem->space;
    const nt_newton *w = &l->newton;
    const nt_phase *next = &s->next;
    memcpy(next->v, w->rate, (size_t)space->nv * sizeof(double));
    memcpy(next->vdot, w->acceleration, (size_t)space->nv * sizeof(double));
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3, i = block->v + plain;
        for (int j = 0; j < nt_block_places(block); j++)
            next->q[block->q + j] = s->now.q[block->q + j] + w->increment[block->v + j];
        if (block->rotation < 0)
            continue;
        nt_local_rotation r = rotation(l, i);
        m3 T = chart_matrix(r.T, r.phi);
        v3 turning = m3_apply(T, v3_load(w->acceleration + i));
        quat q = quat_load(s->now.q + block->q + plain);
        quat_store(next->q + block->q + plain, chart_compose(l->kind, l->frame, q, r.phi));
        v3_store(next->v + i, m3_apply(T, r.rate));
        v3_store(next->vdot + i, v3_add(turning, m3_apply(nt_local_rate(&r), r.rate)));
        if (maps)
            set_maps_of(l, &r, i, block->rotation);
    }
}

/* ---- the residual form's force -------------------------------------------------------------- */

void nt_local_add_force(const nt_stepper *s, const nt_local *l, double factor, double *out)
{
    const nt_space *space = &s->problem->space;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3, i = block->v + plain;
        for (int j = block->v; j < i; j++)
            out[j] += factor * l->force[j];
        if (block->rotation < 0)
            continue;
        nt_local_rotation r = rotation(l, i);
        v3 covector = nt_local_covector(&r, v3_load(l->force + i));
        v3_store(out + i, v3_axpy(factor, covector, v3_load(out + i)));
    }
}

void nt_local_add_force_tangent(const nt_problem *p, const nt_local *l, nt_matrix *matrix)
{
    const nt_space *space = &p->space;
    double factor = l->newton.c.scale * l->newton.c.position;
    for (int b = 0, node = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        while (p->pattern->node_start[node + 1] <= i)
            node++;
        size_t width = (size_t)(p->pattern->node_start[node + 1] - p->pattern->node_start[node]);
        nt_local_rotation r = rotation(l, i);
        m3 T_inverse = m3_load(l->newton.T_inverse + 9 * block->rotation);
        m3 D = nt_local_covector_derivative(&r, v3_load(l->force + i));
        double add[9], *diagonal = matrix->values + p->diagonal[i];
        m3_store(add, m3_scale(factor, m3_multiply(D, T_inverse)));
        for (size_t j = 0; j < 9; j++)
            diagonal[j / 3 * width + j % 3] += add[j];
    }
}

/* ---- equations ------------------------------------------------------------------------------ */

nt_status nt_local_equations(nt_stepper *s, const nt_newton *w, nt_matrix *tangent)
{
    const nt_local *l = (const nt_local *)w;
    local_form_place(s, l, nt_newton_needs_maps(s, tangent));
    nt_status status = nt_newton_evaluate(s, w, l->X, l->Y, tangent);
    if (status != NT_OK || !l->force)
        return status;
    nt_local_add_force(s, l, 1, w->residual);
    if (tangent)
        nt_local_add_force_tangent(s->problem, l, tangent);
    return NT_OK;
}

void nt_local_transport(const nt_stepper *s, const nt_local *l, const double *a, bool curvature,
                        double *out)
{
    const nt_space *space = &s->problem->space;
    if (out != a)
        memcpy(out, a, (size_t)space->nv * sizeof(double));
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        nt_local_rotation r = rotation(l, i);
        v3 turned = m3_apply(chart_matrix(r.T, r.phi), v3_load(a + i));
        if (curvature)
            turned = v3_add(turned, m3_apply(nt_local_rate(&r), r.rate));
        v3_store(out + i, turned);
    }
}
