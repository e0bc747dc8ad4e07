/* The derivative of a step in local parameters.
 *
 *   Bruls & Eberhard 2008, (69), (85) to (87), (90), the transformation rules (96), and their
 *   reference-free variant (97) to (99)
 *
 * The state holds geometric quantities (local_form.h), so that the rules (96) are the derivatives
 * of q1 = q_n o mu(phi), v = T phi', vdot = T phi'' + T' phi' and A = T a + T' phi' themselves:
 * with a variation e_n of q_n carried through the step by Q = mu(phi)^T (body frame) or mu(phi),
 *
 *   e     = Q e_n + T dphi
 *   dv    = T dphi' + A_1 dphi
 *   dvdot = T dphi'' + (A_1 + T') dphi' + A_2 dphi.
 *
 * From the start dphi_n = 0, dphi'_n = dv_n, dphi''_n = dvdot_n, da_n = dA_n. The predictor gives
 * c_phi and c_rate; what Newton's iteration would add is D: dphi = c_phi + D,
 * dphi' = c_rate + gamma' D, dphi'' = beta' D. In the unknown e of the iteration,
 *
 *   D = T^-1 e - y,   y = T^-1 Q e_n + c_phi,
 *
 * so that K meets e alone, and what is known before the solution is
 *
 *   dphi = c_phi - y,   dphi' = c_rate - gamma' y,   dphi'' = -beta' y
 *   S (e, s dlambda) = -s (C dv + M dvdot + load)      with dv, dvdot of these.
 *
 * With beta = 0 dphi = c_phi is known and y = 0, and K e is on the right. The residual form adds
 * d(T^-T g) = T^-T dg + d(T^-T g)/dphi dphi to the load.
 *
 * Reference-free: e_n is not carried but given to the parameters, dphi_n = e_n, and their rates
 * follow from (97): dphi'_n = dv_n - A_1 e_n, da_n = dA_n - (A_1 + T') dphi'_n - A_2 e_n, with the
 * operators at phi = 0. This is exact for the motion and not for the algorithm.
 *
 * Without k_G: the paper's equations are multiplied by T^T, and k_G comes from differentiating it,
 * T^T R -> (dT^T) R. At the solution of the linear form R = 0. In the residual form
 * (1 - alpha_f) R = -T^-T g_n, so that (dT^T) R = T^T d(T^-T) g_n/(1 - alpha_f) in the equations as
 * they are used here: to leave it out is to hold T^-T in d(T^-T g). */
#include "method/alpha/local_form.h"
#include "method/variation.h"

#include <string.h>

/* A_2 depends on an acceleration. It is needed for three: x'' of the equations, a_1, and phi'' of
 * the vdot that the state keeps. */
enum { OF_EQUATIONS, OF_A, OF_KEPT };

/* The operators of one rotation that its variation is made of. */
typedef struct derivative {
    m3 carry, T, T_inverse, first, both; /* Q, T, T^-1, A_1, A_1 + T'                    */
    m3 second[3], turned_a;              /* A_2; d(T a_1)/dphi                           */
    m3 covector, covector_phi;           /* T^-T, d(T^-T g)/dphi                         */
} derivative;

enum { DERIVATIVE = sizeof(derivative) / sizeof(double) };

/* The step and its directions. */
typedef struct linear {
    nt_stepper *s;
    nt_local l; /* phi, phi', x'' of the step in newton.increment, rate, acceleration */
    nt_form form;
    const nt_directions *directions;
    const double *before;
    double *after;
    double *z;                      /* [count][n] right-hand sides, then (e, s dlambda) */
    double *dphi, *drate, *dacc;    /* [count][nv]                                      */
    double *b;                      /* [count][nv] one factor of a product              */
    double *a, *kept, *vdot;        /* [nv] a_1, phi'' of vdot, vdot of R = 0           */
    double *phi_n, *rate_n, *acc_n; /* [nv] variations at the start of the step         */
    double *a_n, *force_n;          /* [nv]                                             */
    double *work;                   /* [nv]                                             */
    derivative *maps;               /* [r]                                              */
} linear;

void nt_local_linear_layout(const nt_problem *problem, nt_layout *layout)
{
    size_t nv = (size_t)problem->nv, n = (size_t)problem->n;
    layout->linear = 9 * nv + DERIVATIVE * (size_t)problem->space.n_rotations;
    layout->linear_each = n + 4 * nv;
}

static void local_bind(linear *L, double h)
{
    size_t nv = (size_t)L->s->problem->nv, n = (size_t)L->s->problem->n;
    size_t count = (size_t)L->directions->count;
    double *force = nt_local_bind(&L->l, L->s, h);
    if (L->form == NT_RESIDUAL_FORM)
        L->l.force = force;
    double **each[4] = {&L->dphi, &L->drate, &L->dacc, &L->b};
    double **vectors[8] = {&L->a,      &L->kept,  &L->vdot, &L->phi_n,
                           &L->rate_n, &L->acc_n, &L->a_n,  &L->force_n};
    L->z = L->directions->scratch;
    double *free = L->z + count * n;
    for (int i = 0; i < 4; i++, free += count * nv)
        *each[i] = free;
    for (int i = 0; i < 8; i++, free += nv)
        *vectors[i] = free;
    L->work = free;
    L->maps = (derivative *)(void *)(free + nv);
}

static nt_const_variation before_of(const linear *L, int i)
{
    return nt_const_variation_at(L->s->problem, L->directions, L->before, i);
}

static nt_variation after_of(const linear *L, int i)
{
    return nt_variation_at(L->s->problem, L->directions, L->after, i);
}

/* ---- the step's parameters ------------------------------------------------------------------ */

/* Finds phi with q1 = q0 o mu(phi). A rotation vector may have turned by more than half a turn: of
 * the logarithm and the longer way round the one is taken that is nearer to an estimate. No step of
 * the conformal vector that goes so far converges. */
static v3 parameters(const linear *L, quat q0, quat q1, v3 estimate)
{
    quat c = quat_conjugate(q0);
    quat d = L->l.frame == NT_BODY ? quat_multiply(c, q1) : quat_multiply(q1, c);
    if (L->l.kind == CHART_CONFORMAL) {
        double of_d[4], phi[3];
        quat_store(of_d, d);
        nt_conformal_log(of_d, phi);
        return v3_load(phi);
    }
    v3 psi = so3_log(d);
    if (v3_norm(estimate) < 2) /* less than half a turn for certain */
        return psi;
    v3 other = v3_scale(1 - 6.283185307179586 / v3_norm(psi), psi);
    bool longer = v3_norm(v3_sub(other, estimate)) < v3_norm(v3_sub(psi, estimate));
    return longer ? other : psi;
}

/* phi, phi', a_1 and phi'' of the rotation at unknown i, quaternion q. The estimate of phi is what
 * Newmark's formula gives with A_1 in place of a_1. */
static void recover_rotation(linear *L, int i, int q)
{
    const nt_phase *now = &L->s->now, *next = &L->s->next;
    const nt_family *c = &L->l.newton.c;
    v3 a_n = v3_load(now->method + i), A = v3_load(next->method + i), v_n = v3_load(now->v + i);
    v3 mean = v3_axpy(c->h * (0.5 - c->beta), a_n, v3_axpy(c->h * c->beta, A, v_n));
    v3 phi = parameters(L, quat_load(now->q + q), quat_load(next->q + q), v3_scale(c->h, mean));
    double square = v3_dot(phi, phi);
    m3 T_inverse = chart_matrix(chart_frame_inverse(L->l.kind, L->l.frame, square), phi);
    v3 rate = m3_apply(T_inverse, v3_load(next->v + i));
    nt_local_rotation r = nt_local_rotation_at(L->l.kind, L->l.frame, phi, rate);
    v3 curvature = m3_apply(nt_local_rate(&r), rate);
    v3_store(L->l.newton.increment + i, phi);
    v3_store(L->l.newton.rate + i, rate);
    v3_store(L->a + i, m3_apply(T_inverse, v3_sub(A, curvature)));
    v3_store(L->kept + i, m3_apply(T_inverse, v3_sub(v3_load(next->vdot + i), curvature)));
}

static void local_fill_maps(linear *L, int i, derivative *d)
{
    const nt_newton *w = &L->l.newton;
    v3 phi = v3_load(w->increment + i), rate = v3_load(w->rate + i);
    nt_local_rotation r = nt_local_rotation_at(L->l.kind, L->l.frame, phi, rate);
    m3 R = quat_matrix(chart_exp(L->l.kind, phi));
    d->carry = L->l.frame == NT_BODY ? m3_transpose(R) : R;
    if (nt_options_get(L->s->options, NT_OPTION_REFERENCE_FREE) != 0)
        d->carry = (m3){0};
    d->T = chart_matrix(r.T, phi);
    d->T_inverse = chart_matrix(r.inverse, phi);
    d->first = nt_local_first(&r);
    d->both = m3_add(d->first, nt_local_rate(&r));
    d->second[OF_EQUATIONS] = nt_local_second(&r, v3_load(w->acceleration + i));
    d->second[OF_A] = nt_local_second(&r, v3_load(L->a + i));
    d->second[OF_KEPT] = nt_local_second(&r, v3_load(L->kept + i));
    d->turned_a = chart_derivative(r.T, phi, v3_load(L->a + i));
    d->covector = m3_transpose(d->T_inverse);
    if (L->l.force)
        d->covector_phi = nt_local_covector_derivative(&r, v3_load(L->l.force + i));
}

/* Finds the parameters of the step again from the states at its ends: phi, phi', a_1 and phi'';
 * then x'' and vdot as they stand in the equations, and the operators of all rotations. */
static void recover(linear *L)
{
    const nt_space *space = &L->s->problem->space;
    const nt_phase *now = &L->s->now, *next = &L->s->next;
    const nt_newton *w = &L->l.newton;
    int nv = space->nv;
    memcpy(w->rate, next->v, (size_t)nv * sizeof(double));
    memcpy(L->a, next->method, (size_t)nv * sizeof(double));
    memcpy(L->kept, next->vdot, (size_t)nv * sizeof(double));
    memset(w->increment, 0, (size_t)nv * sizeof(double)); /* of no use in vector spaces */
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation >= 0)
            recover_rotation(L, block->v + block->nv - 3, block->q + block->nq - 4);
    }
    for (int i = 0; i < nv; i++) {
        w->acceleration[i] = L->form == NT_LINEAR_FORM ? L->kept[i] : L->a[i] / w->c.share;
        if (L->l.force)
            L->l.force[i] = now->method[nv + i] / (1 - w->c.alpha_f);
    }
    nt_local_transport(L->s, &L->l, w->acceleration, true, L->vdot);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation >= 0)
            local_fill_maps(L, block->v + block->nv - 3, &L->maps[block->rotation]);
    }
}

/* ---- variations ----------------------------------------------------------------------------- */

/* The operators of the rotation of block b, whose first unknown goes to *i. NULL where the block
 * has no rotation. */
static const derivative *maps_of(const linear *L, int b, int *i)
{
    const nt_block *block = &L->s->problem->space.blocks[b];
    *i = block->v + block->nv - 3;
    return block->rotation < 0 ? NULL : &L->maps[block->rotation];
}

/* e = Q e_n + T dphi */
static void local_vary_position(const linear *L, const double *e_n, const double *dphi, double *out)
{
    const nt_space *space = &L->s->problem->space;
    for (int i = 0; i < space->nv; i++)
        out[i] = e_n[i] + dphi[i];
    for (int b = 0, i; b < space->n_blocks; b++) {
        const derivative *d = maps_of(L, b, &i);
        if (d)
            v3_store(out + i, v3_add(m3_apply(d->carry, v3_load(e_n + i)),
                                     m3_apply(d->T, v3_load(dphi + i))));
    }
}

/* dv = T dphi' + A_1 dphi */
static void local_vary_velocity(const linear *L, const double *dphi, const double *drate,
                                double *out)
{
    const nt_space *space = &L->s->problem->space;
    memcpy(out, drate, (size_t)space->nv * sizeof(double));
    for (int b = 0, i; b < space->n_blocks; b++) {
        const derivative *d = maps_of(L, b, &i);
        if (d)
            v3_store(out + i, v3_add(m3_apply(d->T, v3_load(drate + i)),
                                     m3_apply(d->first, v3_load(dphi + i))));
    }
}

/* T da + (A_1 + T') dphi' + A_2 dphi; out may be da */
static void vary_acceleration(const linear *L, int which, const double *dphi, const double *drate,
                              const double *da, double *out)
{
    const nt_space *space = &L->s->problem->space;
    if (out != da)
        memcpy(out, da, (size_t)space->nv * sizeof(double));
    for (int b = 0, i; b < space->n_blocks; b++) {
        const derivative *d = maps_of(L, b, &i);
        if (d)
            v3_store(out + i, v3_add(m3_apply(d->T, v3_load(da + i)),
                                     v3_add(m3_apply(d->both, v3_load(drate + i)),
                                            m3_apply(d->second[which], v3_load(dphi + i)))));
    }
}

/* d(T a_1) = T da + d(T a_1)/dphi dphi */
static void vary_turned_a(const linear *L, const double *dphi, const double *da, double *out)
{
    const nt_space *space = &L->s->problem->space;
    memcpy(out, da, (size_t)space->nv * sizeof(double));
    for (int b = 0, i; b < space->n_blocks; b++) {
        const derivative *d = maps_of(L, b, &i);
        if (d)
            v3_store(out + i, v3_add(m3_apply(d->T, v3_load(da + i)),
                                     m3_apply(d->turned_a, v3_load(dphi + i))));
    }
}

static bool has_geometric_stiffness(const linear *L)
{
    return nt_options_get(L->s->options, NT_OPTION_GEOMETRIC_STIFFNESS) != 0;
}

/* out += factor d(T^-T g) = factor (T^-T dg + d(T^-T g)/dphi dphi) */
static void add_force_variation(const linear *L, double factor, const double *dphi, double *out)
{
    const nt_space *space = &L->s->problem->space;
    for (int b = 0, i; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        const derivative *d = maps_of(L, b, &i);
        for (int j = block->v; j < (d ? i : block->v + block->nv); j++)
            out[j] += factor * L->force_n[j];
        if (d) {
            v3 sum = m3_apply(d->covector, v3_load(L->force_n + i));
            if (has_geometric_stiffness(L))
                sum = v3_add(sum, m3_apply(d->covector_phi, v3_load(dphi + i)));
            v3_store(out + i, v3_axpy(factor, sum, v3_load(out + i)));
        }
    }
}

/* The reference-free start, (97) to (99): e_n of each rotation becomes dphi_n, and the rates follow
 * from it. */
static void without_reference(linear *L, const nt_const_variation *b)
{
    const nt_space *space = &L->s->problem->space;
    const nt_phase *now = &L->s->now;
    int nv = space->nv;
    for (int k = 0; k < space->n_blocks; k++) {
        const nt_block *block = &space->blocks[k];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        v3 e = v3_load(b->q + i), zero = {0, 0, 0};
        nt_local_rotation r =
            nt_local_rotation_at(L->l.kind, L->l.frame, zero, v3_load(now->v + i));
        m3 first = nt_local_first(&r), both = m3_add(first, nt_local_rate(&r));
        m3 of_a = nt_local_second(&r, v3_load(now->method + i));
        m3 of_vdot = nt_local_second(&r, v3_load(now->vdot + i));
        v3 rate = v3_sub(v3_load(b->v + i), m3_apply(first, e)), turn = m3_apply(both, rate);
        v3_store(L->phi_n + i, e);
        v3_store(L->rate_n + i, rate);
        v3_store(L->a_n + i, v3_sub(v3_sub(v3_load(b->method + i), turn), m3_apply(of_a, e)));
        v3_store(L->acc_n + i, v3_sub(v3_sub(v3_load(b->vdot + i), turn), m3_apply(of_vdot, e)));
        if (L->l.force) {
            double share = 1 / (1 - L->l.newton.c.alpha_f);
            m3 D = nt_local_covector_derivative(&r, v3_load(now->method + nv + i));
            v3 force = v3_load(L->force_n + i);
            v3_store(L->force_n + i, v3_sub(force, v3_scale(share, m3_apply(D, e))));
        }
    }
}

/* Sets the variations of the parameters at the start of the step from one of the states there. */
static void local_begin(linear *L, const nt_const_variation *b)
{
    int nv = L->s->problem->nv;
    size_t bytes = (size_t)nv * sizeof(double);
    memset(L->phi_n, 0, bytes);
    memcpy(L->rate_n, b->v, bytes);
    memcpy(L->acc_n, b->vdot, bytes);
    memcpy(L->a_n, b->method, bytes);
    for (int i = 0; L->l.force && i < nv; i++)
        L->force_n[i] = b->method[nv + i] / (1 - L->l.newton.c.alpha_f);
    if (nt_options_get(L->s->options, NT_OPTION_REFERENCE_FREE) != 0)
        without_reference(L, b);
}

/* The variation of the known part of a_1, which x'' does not enter, as in nt_newton_predict. */
static double recursion(const linear *L, int i)
{
    const nt_family *c = &L->l.newton.c;
    return L->form == NT_LINEAR_FORM
               ? (c->alpha_f * L->acc_n[i] - c->alpha_m * L->a_n[i]) / (1 - c->alpha_m)
               : 0;
}

/* dphi, dphi' and dphi'' as far as they are known before e is solved for. carried[nv] is scratch.
 */
static void local_predict(const linear *L, const double *e_n, double *dphi, double *drate,
                          double *dacc, double *carried)
{
    const nt_space *space = &L->s->problem->space;
    const nt_family *c = &L->l.newton.c;
    double h = c->h;
    memcpy(carried, e_n, (size_t)space->nv * sizeof(double));
    for (int b = 0, i; b < space->n_blocks; b++) {
        const derivative *d = maps_of(L, b, &i);
        if (d)
            v3_store(carried + i, m3_apply(d->T_inverse, m3_apply(d->carry, v3_load(e_n + i))));
    }
    for (int i = 0; i < space->nv; i++) {
        double a = recursion(L, i), a_n = L->a_n[i];
        double c_phi =
            L->phi_n[i] + h * L->rate_n[i] + h * h * ((0.5 - c->beta) * a_n + c->beta * a);
        double c_rate = L->rate_n[i] + h * ((1 - c->gamma) * a_n + c->gamma * a);
        double y = c->position * (carried[i] + c_phi);
        dphi[i] = c->position > 0 ? -carried[i] : c_phi;
        drate[i] = c_rate - c->gamma_prime * y;
        dacc[i] = -c->beta_prime * y;
    }
}

/* ---- the equations -------------------------------------------------------------------------- */

/* The point at which the step converged, with the system's memory of its start, which holds during
 * the step. */
static nt_point local_point_of(const linear *L)
{
    nt_point at = nt_phase_point(&L->s->next);
    at.vdot = L->vdot;
    at.memory = L->s->now.memory;
    return at;
}

static nt_push local_push_of(const linear *L, const nt_point *at)
{
    const nt_problem *p = L->s->problem;
    return (nt_push){.at = at,
                     .parts = NT_ALL_PARTS,
                     .level = NT_POSITION,
                     .count = L->directions->count,
                     .x = L->b,
                     .x_stride = (size_t)p->nv,
                     .y = L->z,
                     .y_stride = (size_t)p->n};
}

/* The right-hand sides but for their sign and scale: z = C dv + M dvdot + load, and with beta = 0
 * K e too, which is known then. */
static nt_status local_right_hand_sides(linear *L, const nt_point *at)
{
    const nt_problem *p = L->s->problem;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    int count = L->directions->count;
    nt_push push = local_push_of(L, at);
    nt_status status = NT_OK;
    memset(L->z, 0, (size_t)count * n * sizeof(double));
    for (int i = 0; i < count && status == NT_OK; i++) {
        double *z = L->z + (size_t)i * n, *dphi = L->dphi + (size_t)i * nv;
        double *drate = L->drate + (size_t)i * nv, *b = L->b + (size_t)i * nv;
        nt_const_variation from = before_of(L, i);
        nt_terms terms = {
            .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = z, .rows = z + nv};
        local_begin(L, &from);
        local_predict(L, from.q, dphi, drate, L->dacc + (size_t)i * nv, b);
        status = L->directions->load(L->directions->context, i, at, &terms);
        if (L->l.force)
            add_force_variation(L, 1, dphi, z);
        local_vary_velocity(L, dphi, drate, b);
    }
    push.damping = 1;
    if (status == NT_OK)
        status = nt_variation_push(L->s->factors, &push);
    for (size_t k = 0; k < (size_t)count * nv; k += nv)
        vary_acceleration(L, OF_EQUATIONS, L->dphi + k, L->drate + k, L->dacc + k, L->b + k);
    push.damping = 0, push.mass = 1, push.parts = NT_MASS;
    if (status == NT_OK)
        status = nt_variation_push(L->s->factors, &push);
    if (L->l.newton.c.position > 0 || status != NT_OK)
        return status;
    for (int i = 0; i < count; i++)
        local_vary_position(L, before_of(L, i).q, L->dphi + (size_t)i * nv, L->b + (size_t)i * nv);
    push.mass = 0, push.stiffness = 1, push.parts = NT_ALL_PARTS;
    return nt_variation_push(L->s->factors, &push);
}

/* Solves for e and dlambda, and leaves (T^-1 e, dlambda) in z. */
static nt_status local_solve(linear *L, const nt_point *at)
{
    nt_stepper *s = L->s;
    const nt_problem *p = s->problem;
    const nt_family *c = &L->l.newton.c;
    int count = L->directions->count;
    nt_local_maps(s, &L->l);
    nt_status status = nt_newton_tangent(s, c, at, L->l.X, L->l.Y);
    if (status != NT_OK)
        return status;
    if (L->l.force && has_geometric_stiffness(L))
        nt_local_add_force_tangent(p, &L->l, &s->factors->matrix);
    if ((status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix)) != NT_OK)
        return status;
    for (int i = 0; i < count; i++) {
        double *z = L->z + (size_t)i * (size_t)p->n;
        for (int j = 0; j < p->n; j++)
            z[j] *= j < p->nv ? -c->scale : -1;
        for (int j = 0; j < s->factors->n_dropped; j++)
            z[s->factors->dropped[j]] = 0;
    }
    status = nt_solver_solve(s->factors->solver, L->z, count);
    for (int i = 0; i < count && status == NT_OK; i++) {
        double *z = L->z + (size_t)i * (size_t)p->n;
        nt_variation_map(p, L->l.newton.T_inverse, z, z);
        for (int j = p->nv; j < p->n; j++)
            z[j] /= c->scale;
    }
    return status;
}

/* ---- after the step ------------------------------------------------------------------------- */

/* Completes variation i after the step. Of the residual form g is still missing; for it d(T a_1) is
 * left in b. */
static void local_finish(linear *L, int i)
{
    const nt_problem *p = L->s->problem;
    const nt_family *c = &L->l.newton.c;
    size_t nv = (size_t)p->nv;
    const double *z = L->z + (size_t)i * (size_t)p->n;
    double *dphi = L->dphi + (size_t)i * nv, *drate = L->drate + (size_t)i * nv;
    double *dacc = L->dacc + (size_t)i * nv, *b = L->b + (size_t)i * nv, *da = L->work;
    nt_const_variation from = before_of(L, i);
    nt_variation to = after_of(L, i);
    local_begin(L, &from);
    for (int j = 0; j < p->nv; j++) {
        dphi[j] += c->position * z[j];
        drate[j] += c->gamma_prime * z[j];
        dacc[j] += c->beta_prime * z[j];
        da[j] = recursion(L, j) + c->share * dacc[j];
        if (L->form == NT_RESIDUAL_FORM) /* phi'' of vdot by (88) */
            dacc[j] =
                ((1 - c->alpha_m) * da[j] + c->alpha_m * L->a_n[j] - c->alpha_f * L->acc_n[j]) /
                (1 - c->alpha_f);
    }
    local_vary_position(L, from.q, dphi, to.q);
    local_vary_velocity(L, dphi, drate, to.v);
    vary_acceleration(L, OF_KEPT, dphi, drate, dacc, to.vdot);
    vary_acceleration(L, OF_A, dphi, drate, da, to.method);
    vary_turned_a(L, dphi, da, b);
    memcpy(to.lambda, z + nv, (size_t)p->nc * sizeof(double)); /* mu follows lambda */
}

nt_status nt_local_inertia_variation(nt_stepper *s, const nt_point *at,
                                     const nt_directions *directions, const double *dq,
                                     const double *turned, size_t turned_stride, double *out)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    nt_push push = {.at = at,
                    .parts = NT_MASS,
                    .level = NT_POSITION,
                    .mass = 1,
                    .count = directions->count,
                    .x = turned,
                    .x_stride = turned_stride,
                    .y = out,
                    .y_stride = n};
    memset(out, 0, (size_t)directions->count * n * sizeof(double));
    nt_status status = nt_variation_push(s->factors, &push);
    push.mass = 0, push.stiffness = 1, push.x = dq, push.x_stride = directions->stride;
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    for (int i = 0; i < directions->count && status == NT_OK; i++) {
        nt_terms terms = {.parts = NT_MASS, .level = NT_POSITION, .residual = out + (size_t)i * n};
        status = directions->load(directions->context, i, at, &terms);
    }
    return status;
}

/* The variation of g in the residual form: dg_1 = alpha_m df_a + alpha_f (dR - df_a/share), where
 * the step's equation gives dR = -d(T^-T g_n)/(1 - alpha_f). */
static nt_status vary_forces(linear *L)
{
    nt_stepper *s = L->s;
    const nt_family *c = &L->l.newton.c;
    size_t nv = (size_t)s->problem->nv, n = (size_t)s->problem->n;
    nt_local_transport(s, &L->l, L->a, false, L->vdot);
    nt_point at = local_point_of(L);
    nt_status status = nt_local_inertia_variation(s, &at, L->directions, L->after, L->b, nv, L->z);
    for (int i = 0; status == NT_OK && i < L->directions->count; i++) {
        nt_const_variation from = before_of(L, i);
        nt_variation to = after_of(L, i);
        const double *df_a = L->z + (size_t)i * n;
        local_begin(L, &from);
        for (size_t j = 0; j < nv; j++)
            to.method[nv + j] = (c->alpha_m - c->alpha_f / c->share) * df_a[j];
        add_force_variation(L, -c->alpha_f, L->dphi + (size_t)i * nv, to.method + nv);
    }
    return status;
}

nt_status nt_local_linearise(nt_stepper *s, double h, nt_form form, const nt_directions *directions,
                             const double *before, double *after)
{
    linear L = {.s = s, .form = form, .directions = directions, .before = before, .after = after};
    local_bind(&L, h);
    recover(&L);
    nt_point at = local_point_of(&L);
    nt_status status = local_right_hand_sides(&L, &at);
    if (status == NT_OK)
        status = local_solve(&L, &at);
    for (int i = 0; status == NT_OK && i < directions->count; i++)
        local_finish(&L, i);
    return status == NT_OK && form == NT_RESIDUAL_FORM ? vary_forces(&L) : status;
}
