/* Damping of each mode of small motions by a ratio of its own.
 *
 * With the undamped modes phi_k about a state, omega_k^2 M phi_k = K phi_k, m_k = phi_k^T M phi_k,
 *
 *   f = -C v,   C = sum over k of zeta_k g_k g_k^T,   g_k = sqrt(2 omega_k/m_k) M phi_k,
 *
 * so that phi_j^T C phi_k = 2 zeta_k omega_k m_k for j = k and nothing else: every mode has the
 * damping ratio zeta_k, and those that move freely have none. C stands still in ground axes. The
 * force depends on velocities alone, its derivative is C, its power -sum zeta_k (g_k . v)^2. */
#include "model/forces/modal_damping.h"

#include "model/forces/load.h"

#include <stddef.h>
#include <string.h>

#define AT(field) .offset = offsetof(nt_modal_damping, field)

enum { RATIO, MODES, ABOUT };

static const char *const abouts[] = {"static", "initial", NULL};

static const nt_key modal_damping_keys[] = {
    NT_KEY("ratio", NT_KEY_NUMBERS, AT(ratio), .bit = RATIO, .low = 1, .high = NT_MODAL_RATIOS,
           .up_to = true, .count_offset = offsetof(nt_modal_damping, n_ratios), .required = true,
           .relative = true,
           .meaning = "damping over critical damping: [ratio] of all modes, or one for each of the "
                      "lowest, which alone are damped then"),
    NT_KEY("modes", NT_KEY_NUMBER, AT(modes), .bit = MODES,
           .meaning = "damp so many of the lowest modes that do not move freely; all without it"),
    NT_KEY("about", NT_KEY_CHOICE, AT(about), .bit = ABOUT, .choices = abouts,
           .meaning = "the state whose modes these are, found when the model is read: the static "
                      "one without it, or the initial placement"),
    NT_KEY_PART(nt_modal_damping, part, NT_BIT_PART, "implicit"),
    {.name = NULL},
};

static const nt_modal_damping *data_of(const nt_run *run, const nt_element *e)
{
    return nt_element_data_in(run, e);
}

static double ratio_of(const nt_modal_damping *d, int k)
{
    return d->n_ratios == 1 ? d->ratio[0] : k < d->n_ratios ? d->ratio[k] : 0;
}

static nt_status modal_damping_prepare(nt_run *run, const nt_element *e, bool validate,
                                       nt_error *error)
{
    const nt_modal_damping *d = data_of(run, e);
    for (int k = 0; validate && k < d->n_ratios; k++)
        if (!(d->ratio[k] >= 0))
            return nt_element_refuse(run, e, error, "ratio: expected none below 0");
    if (validate && d->given & 1u << MODES && !(d->modes >= 1 && d->modes == (int)d->modes))
        return nt_element_refuse(run, e, error, "modes: expected a whole number, 1 or more");
    return NT_OK;
}

/* Ports in pairs, translation and rotation, of all bodies that move. */
static nt_status modal_damping_declare(nt_model *model, nt_element *e)
{
    int n = 0;
    for (int b = 1; b < model->n_bodies; b++) {
        if (model->bodies[b].t_node < 0 && model->bodies[b].r_node < 0)
            continue;
        if (nt_element_port_of_body(model, e, b) != NT_PORTS + 2 * n++)
            return NT_NO_MEMORY;
    }
    nt_status status = NT_OK;
    for (int i = NT_PORTS; i < NT_PORTS + 2 * n; i++)
        for (int j = NT_PORTS; j < NT_PORTS + 2 * n && status == NT_OK; j++)
            status = nt_element_couple(model, e, i, j, NT_FULL);
    return status;
}

/* The first entry in v of a body's translation, or of its rotation. */
static int entry_of(const nt_body *b, int turning)
{
    return b->v + (turning && b->t_node >= 0 ? 3 : 0);
}
static bool moves(const nt_body *b, int turning)
{
    return turning ? b->r_node >= 0 : b->t_node >= 0;
}

static v3 part_of(const double *g, const nt_body *b, int turning)
{
    return moves(b, turning) ? v3_load(g + entry_of(b, turning)) : v3_of(0, 0, 0);
}

/* g . v of the present motion */
static double speed_of(const nt_view *view, const double *g)
{
    double sum = 0;
    for (int b = 1; b < view->model->n_bodies; b++)
        sum += v3_dot(part_of(g, &view->bodies[b], 0), view->motion[b].v) +
               v3_dot(part_of(g, &view->bodies[b], 1), view->motion[b].w);
    return sum;
}

/* C of two ports: rows of `a`, columns of `b`. */
static m3 block_of(const nt_modal_damping *d, const nt_body *a, int row, const nt_body *b,
                   int column)
{
    m3 C = m3_scale(0, m3_identity());
    for (int k = 0; k < d->rows->n; k++) {
        const double *g = d->rows->g + (size_t)k * (size_t)d->rows->nv;
        v3 left = v3_scale(ratio_of(d, k), part_of(g, a, row));
        C = m3_add(C, m3_dyad(left, part_of(g, b, column)));
    }
    return C;
}

static void add_tangent(const nt_modal_damping *d, const nt_view *view)
{
    const nt_combination *of = view->terms->combination;
    int n_bodies = view->model->n_bodies;
    for (int b = 1, column = NT_PORTS; b < n_bodies; b++) {
        const nt_body *by = &view->bodies[b];
        if (!moves(by, 0) && !moves(by, 1))
            continue;
        for (int j = 0; j < 2; j++, column++) {
            m3 rate = j == 0 ? m3_scale(of->damping, m3_identity())
                             : nt_rate_map(view, b, of->damping, of->stiffness);
            for (int a = 1, row = NT_PORTS; a < n_bodies; a++) {
                const nt_body *on = &view->bodies[a];
                if (!moves(on, 0) && !moves(on, 1))
                    continue;
                for (int i = 0; i < 2; i++, row++)
                    if (moves(on, i) && moves(by, j))
                        nt_view_add(view, row, column,
                                    m3_multiply(block_of(d, on, i, by, j), rate));
            }
        }
    }
}

static nt_status modal_damping_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_modal_damping *d = data_of(view->run, e);
    if (!d->rows || (!view->energy && !(view->terms->parts & e->part)))
        return NT_OK;
    for (int k = 0; k < d->rows->n && (view->energy || view->terms->residual); k++) {
        const double *g = d->rows->g + (size_t)k * (size_t)d->rows->nv;
        double speed = speed_of(view, g), push = ratio_of(d, k) * speed;
        if (view->energy) {
            view->energy->power -= push * speed;
            continue;
        }
        for (int b = 1, port = NT_PORTS; b < view->model->n_bodies; b++) {
            const nt_body *body = &view->bodies[b];
            if (!moves(body, 0) && !moves(body, 1))
                continue;
            for (int i = 0; i < 2; i++, port++)
                if (moves(body, i))
                    nt_view_force(view, port, v3_scale(push, part_of(g, body, i)));
        }
    }
    if (!view->energy && view->terms->matrix)
        add_tangent(d, view);
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run, const nt_element *e)
{
    (void)run;
    (void)e;
    return true;
}

const nt_element_type nt_force_modal_damping = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "modal_damping",
    .summary = "damping of the modes of small motions about a state, each by its ratio",
    .keys = modal_damping_keys,
    .size = sizeof(nt_modal_damping),
    .part = NT_IMPLICIT,
    .prepare = modal_damping_prepare,
    .declare = modal_damping_declare,
    .evaluate = modal_damping_evaluate,
    .depends_on_rates = depends_on_rates,
};
