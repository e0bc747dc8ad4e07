/* Kicks and drifts one after the other, and what a variation becomes on the way; composition.h.
 *
 * A direction varies the state by (dq, dW, da), dq an increment in the body frame, and the inertia
 * by dJ (what M dp loads). Kick and drift are differentiated as they stand; with
 * E(-x)~ from dE = E (T dx)~:
 *
 *   kick    dv1 = dv + h da
 *   drift   g(Psi) = J Psi - h y = 0, y = E(-Psi/2) Pi, dPi = J dW + dJ W:
 *             (J - (h/2) y~ T(Psi/2)) dPsi = h E(-Psi/2) dPi - dJ Psi
 *             dq1  = E(-Psi) dq + T(Psi) dPsi
 *             dPi1 = E(-Psi) dPi + Pi1~ T(Psi) dPsi,   J dW1 = dPi1 - dJ W1
 *   push    nt_push_vary
 *
 * The linearised step repeats the step: its points between are not kept. */
#include "method/rotations/composition.h"

#include "group/rotation.h"

#include <string.h>

const double nt_whole_step[1] = {1};

/* ---- the step ------------------------------------------------------------------------------- */

static const nt_composition *composition_of(const nt_options *options)
{
    const nt_composition *of_method = options->method->scheme;
    bool adjoint = nt_options_have(options, NT_OPTION_ADJOINT) &&
                   nt_options_get(options, NT_OPTION_ADJOINT) != 0;
    return of_method + adjoint;
}

nt_status nt_composition_layout(const nt_problem *problem, const nt_options *options,
                                nt_layout *layout, nt_error *error)
{
    (void)error;
    size_t nv = (size_t)problem->nv, n = (size_t)problem->n;
    layout->memory = composition_of(options)->on_vector_space ? 0 : nv;
    layout->scratch = nt_momenta_scratch(problem);
    layout->linear = (size_t)problem->nq + 6 * nv;
    layout->linear_each = n + 9 * (size_t)problem->space.n_rotations;
    return NT_OK;
}

nt_status nt_composition_step(nt_stepper *s, double h)
{
    const nt_composition *c = composition_of(s->options);
    const nt_problem *p = s->problem;
    const nt_phase *now = &s->now;
    nt_phase *next = &s->next;
    size_t bytes = (size_t)p->nv * sizeof(double);
    bool position_forces = p->system->capabilities & NT_POSITION_FORCES;
    if ((s->options->method->needs & NT_NEEDS_POSITION_FORCES) && !position_forces)
        return NT_UNSUPPORTED; /* new parameters took the promise back */
    nt_momenta_begin(s, h);
    double t = now->all[NT_PHASE_T], done = 0, *q = next->q, *v = next->v;
    double *a = c->on_vector_space ? next->vdot : next->method;
    memcpy(q, now->q, (size_t)p->nq * sizeof(double));
    memcpy(v, now->v, bytes);
    memcpy(a, c->on_vector_space ? now->vdot : now->method, bytes); /* and a guess of the next */
    nt_status status = NT_OK;
    for (int i = 0; i < c->stages && status == NT_OK; i++) {
        double part = c->part[i] * h, last = c->last * part, end = t + done * h + part;
        nt_kick(p, c->first * part, v, a, v);
        for (int k = 0; k < c->drifts && status == NT_OK; k++)
            status = nt_drift(s, part / c->drifts, q, v, q, v, NULL);
        if (status == NT_OK)
            status = c->last == 0 && !c->on_vector_space
                         ? nt_push_at(s, end, q, v, a)
                         : nt_push_end(s, s->options, last, end, q, v, a);
        nt_kick(p, last, v, a, v);
        done += c->part[i];
    }
    if (status == NT_OK && !c->on_vector_space)
        nt_momenta_acceleration(p, v, a, next->vdot);
    return status;
}

/* ---- work of the linearised step ------------------------------------------------------------ */

typedef struct linear {
    double *q, *v, *a;   /* the state on its way                                        */
    double *psi, *v_old; /* [nv] of a drift                                             */
    double *unit;        /* [2 nv]                                                      */
    double *z;           /* [count][n]                                                  */
    double *dJ;          /* [count][n_rotations][9]                                     */
} linear;

static linear composition_linear_of(const nt_problem *p, const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n, count = (size_t)directions->count;
    linear l = {.q = directions->scratch};
    l.v = l.q + p->nq;
    l.a = l.v + nv;
    l.psi = l.a + nv;
    l.v_old = l.psi + nv;
    l.unit = l.v_old + nv;
    l.z = l.unit + 2 * nv;
    l.dJ = l.z + count * n;
    return l;
}

/* The push of a variation: kept in memory, or the acceleration itself on a vector space. */
static double *composition_push_of(const nt_composition *c, const nt_variation *d)
{
    return c->on_vector_space ? d->vdot : d->method;
}

/* ---- drift ---------------------------------------------------------------------------------- */

/* Carries the variations of one rotation through a drift that has led from v_old by psi to v. */
static void vary_turn(const nt_problem *p, const linear *l, const nt_directions *directions,
                      double h, const nt_block *block, double *after)
{
    int i = nt_rotation_entry(block);
    m3 J = nt_inertia_of(p, block->rotation);
    v3 psi = v3_load(l->psi + i), half = v3_scale(0.5, psi);
    v3 W = v3_load(l->v_old + i), W1 = v3_load(l->v + i), Pi = m3_apply(J, W);
    m3 E = quat_matrix(so3_exp(psi)), E_half = quat_matrix(so3_exp(half)), T = so3_tangent(psi);
    v3 y = m3_apply_transposed(E_half, Pi), Pi1 = m3_apply_transposed(E, Pi);
    m3 slope = m3_sub(J, m3_scale(h / 2, m3_skew_multiply(y, so3_tangent(half))));
    for (int k = 0; k < directions->count; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        m3 dJ = nt_varied_inertia(p, l->dJ, k, block->rotation);
        v3 dPi = v3_add(m3_apply(J, v3_load(d.v + i)), m3_apply(dJ, W));
        v3 right = v3_sub(v3_scale(h, m3_apply_transposed(E_half, dPi)), m3_apply(dJ, psi));
        v3 turned = m3_apply(T, m3_solve(slope, right));
        v3_store(d.q + i, v3_add(m3_apply_transposed(E, v3_load(d.q + i)), turned));
        v3 dPi1 = v3_add(m3_apply_transposed(E, dPi), v3_cross(Pi1, turned));
        v3_store(d.v + i, m3_solve(J, v3_sub(dPi1, m3_apply(dJ, W1))));
    }
}

static nt_status drift(nt_stepper *s, const linear *l, const nt_directions *directions, double h,
                       double *after)
{
    const nt_problem *p = s->problem;
    memcpy(l->v_old, l->v, (size_t)p->nv * sizeof *l->v);
    nt_status status = nt_drift(s, h, l->q, l->v, l->q, l->v, l->psi);
    for (int b = 0; b < p->space.n_blocks && status == NT_OK; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int k = 0; k < directions->count; k++) {
            nt_variation d = nt_variation_at(p, directions, after, k);
            for (int i = block->v; i < block->v + nt_vector_entries(block); i++)
                d.q[i] += h * d.v[i];
        }
        if (block->rotation >= 0)
            vary_turn(p, l, directions, h, block, after);
    }
    return status;
}

static void kick(const nt_problem *p, const linear *l, const nt_composition *c,
                 const nt_directions *directions, double h, double *after)
{
    nt_kick(p, h, l->v, l->a, l->v);
    for (int k = 0; k < directions->count; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        nt_kick(p, h, d.v, composition_push_of(c, &d), d.v);
    }
}

/* The push at the end of a substep, v before its kick of length h. */
static nt_status composition_push(nt_stepper *s, const linear *l, const nt_composition *c,
                                  const nt_directions *directions, double h, double t,
                                  double *after)
{
    const nt_problem *p = s->problem;
    bool momenta = p->system->capabilities & NT_HAS_MOMENTA;
    nt_status status = momenta && h == 0 ? nt_push_at(s, t, l->q, l->v, l->a)
                                         : nt_push_end(s, s->options, h, t, l->q, l->v, l->a);
    if (status != NT_OK)
        return status;
    nt_kick(p, h, l->v, l->a, l->v_old); /* where forces were taken */
    nt_point at = nt_phase_point(&s->next);
    at.t = t, at.q = l->q, at.v = l->v_old, at.vdot = l->a, at.memory = s->now.memory;
    nt_variation first = nt_variation_at(p, directions, after, 0);
    status = nt_push_vary(s, &at, h, directions, first.q, first.v, l->z);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        memcpy(composition_push_of(c, &d), l->z + (size_t)k * (size_t)p->n,
               (size_t)p->nv * sizeof(double));
    }
    return status;
}

/* ---- the linearised step -------------------------------------------------------------------- */

static nt_status substeps(nt_stepper *s, const linear *l, const nt_composition *c, double h,
                          const nt_directions *directions, double *after)
{
    const nt_problem *p = s->problem;
    double t = s->now.all[NT_PHASE_T], done = 0;
    nt_status status = NT_OK;
    for (int i = 0; i < c->stages && status == NT_OK; i++) {
        double part = c->part[i] * h, last = c->last * part;
        kick(p, l, c, directions, c->first * part, after);
        for (int k = 0; k < c->drifts && status == NT_OK; k++)
            status = drift(s, l, directions, part / c->drifts, after);
        if (status == NT_OK)
            status = composition_push(s, l, c, directions, last, t + done * h + part, after);
        if (status == NT_OK)
            kick(p, l, c, directions, last, after);
        done += c->part[i];
    }
    return status;
}

static void composition_begin(const nt_stepper *s, const linear *l, const nt_composition *c,
                              const nt_directions *directions, const double *before, double *after)
{
    const nt_problem *p = s->problem;
    const nt_phase *now = &s->now;
    size_t bytes = (size_t)p->nv * sizeof(double);
    memcpy(l->q, now->q, (size_t)p->nq * sizeof(double));
    memcpy(l->v, now->v, bytes);
    memcpy(l->a, c->on_vector_space ? now->vdot : now->method, bytes);
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        memcpy(to.q, from.q, bytes);
        memcpy(to.v, from.v, bytes);
        memcpy(composition_push_of(c, &to), c->on_vector_space ? from.vdot : from.method, bytes);
    }
}

nt_status nt_composition_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                   const double *before, double *after)
{
    const nt_composition *c = composition_of(s->options);
    const nt_problem *p = s->problem;
    const nt_phase *next = &s->next;
    if (!(p->system->capabilities & NT_HAS_TANGENT))
        return NT_UNSUPPORTED;
    linear l = composition_linear_of(p, directions);
    nt_point at = nt_phase_point(next);
    at.memory = h != 0 ? s->now.memory : next->memory;
    nt_status status = nt_momenta_vary_inertia(s, directions, &at, l.unit, l.dJ);
    if (h != 0 && status == NT_OK) {
        nt_statistics counted = *s->statistics; /* of the step, not of its repetition */
        nt_report report = s->report;
        composition_begin(s, &l, c, directions, before, after);
        status = substeps(s, &l, c, h, directions, after);
        *s->statistics = counted;
        s->report = report;
    }
    for (int k = 0; k < directions->count && !c->on_vector_space && status == NT_OK; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        const double *from = h != 0 ? d.method : d.vdot;
        nt_momenta_vary_acceleration(p, l.dJ, k, h != 0 ? -1 : 1, next, next->method, d.v, from,
                                     h != 0 ? d.vdot : d.method);
    }
    return status;
}
