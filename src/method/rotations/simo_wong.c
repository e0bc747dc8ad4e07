/* The implicit and the explicit algorithm of Simo and Wong.
 *
 *   Simo & Wong 1991, Int. J. Num. Meth. Eng. 31, 19: ALGO_C1 and its explicit companion, which is
 *   SW in Krysl's comparison (2005, section 4)
 *
 *   simo-wong           Theta = (h/2) (W + W1)
 *     J W1 = E(-Theta) J W + h E(-Theta/2) T_mid,   T_mid = T(R E(Theta/2), t + h/2)
 *     R1 = R E(Theta)
 *
 *   simo-wong-explicit  Theta = h W + (h^2/2) A,  R1 = R E(Theta)
 *     J W1 = E(-Theta) (J W + (h/2) T_0) + (h/2) T_1,   A1 = (W1 - W)/h
 *
 * A at the start is the acceleration itself. Translations: the midpoint rule, and the explicit
 * Newmark method, whose A is the true acceleration f/m. Both are of second order and keep momentum;
 * neither is symplectic, and the explicit one loses stability early. */
#include "method/rotations/implicit_stage.h"

#include "group/rotation.h"

#include <string.h>

/* ---- simo-wong ------------------------------------------------------------------------------ */

/* The equation times E(Theta/2)/h, which brings the torque to the axes of the midpoint:
 *
 *   rest = (z - y)/h,  z = E(Theta/2) J W1,  y = E(-Theta/2) J W,  W1 = 2 Theta/h - W.
 *
 * With E = E(Theta/2), e = T(Theta/2) dTheta:  dz = -E (J W1)~ e/2 + (2/h) E J X e,  dy = y~ e/2.
 */
static nt_turn conserving(double h, m3 J, v3 W, v3 theta)
{
    v3 half = v3_scale(0.5, theta), W1 = v3_sub(v3_scale(2 / h, theta), W);
    nt_turn turn = {.by = so3_exp(half), .X = so3_tangent_inverse(half)};
    m3 E = quat_matrix(turn.by);
    v3 Pi1 = m3_apply(J, W1), y = m3_apply_transposed(E, m3_apply(J, W));
    turn.rest = v3_scale(1 / h, v3_sub(m3_apply(E, Pi1), y));
    m3 dz = m3_multiply(
        E, m3_sub(m3_scale(2 / h, m3_multiply(J, turn.X)), m3_skew(v3_scale(0.5, Pi1))));
    turn.slope = m3_scale(1 / h, m3_sub(dz, m3_skew(v3_scale(0.5, y))));
    return turn;
}

static v3 conserving_moved(double h, m3 J, v3 W, v3 theta, const nt_moved_turn *moved)
{
    m3 E = quat_matrix(so3_exp(v3_scale(0.5, theta)));
    v3 W1 = v3_sub(v3_scale(2 / h, theta), W);
    v3 dPi1 = v3_sub(m3_apply(moved->dJ, W1), m3_apply(J, moved->dW));
    return v3_scale(1 / h, v3_sub(m3_apply(E, dPi1), m3_apply_transposed(E, moved->dPi)));
}

static const nt_stage stage = {.time = 0.5,
                               .place = 0.5,
                               .rate = 1,
                               .inertia = 2,
                               .turn = conserving,
                               .vary = conserving_moved};

/* ---- simo-wong-explicit --------------------------------------------------------------------- */

/* Memory: the push [nv], then A [nv]. */
static nt_status layout_explicit(const nt_problem *problem, const nt_options *option,
                                 nt_layout *sizes, nt_error *error)
{
    (void)option, (void)error;
    sizes->memory = 2 * (size_t)problem->nv;
    size_t nv = (size_t)problem->nv, n = (size_t)problem->n;
    sizes->scratch = nt_momenta_scratch(problem) + nv;
    sizes->linear = 3 * nv;
    sizes->linear_each = n + 9 * (size_t)problem->space.n_rotations;
    return NT_OK;
}

static nt_status start_explicit(nt_stepper *s)
{
    size_t nv = (size_t)s->problem->nv;
    memcpy(s->next.method + nv, s->next.vdot, nv * sizeof(double));
    return nt_momenta_start(s);
}

static nt_status step_explicit(nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    int nv = p->nv;
    const double *A = s->now.method + nv;
    double *theta = s->scratch + nt_momenta_scratch(p), *a = next->method, *A1 = a + nv;
    nt_momenta_begin(s, h);
    for (int i = 0; i < nv; i++)
        theta[i] = h * s->now.v[i] + h * h / 2 * A[i];
    nt_space_compose(&p->space, NT_BODY, s->now.q, theta, next->q);
    nt_kick(p, h / 2, s->now.v, s->now.method, next->v);
    for (int b = 0; b < p->space.n_blocks; b++) { /* E(-Theta) (J W + (h/2) T_0) */
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        double *W = next->v + nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        m3 E = quat_matrix(so3_exp(v3_load(theta + nt_rotation_entry(block))));
        v3_store(W, m3_solve(J, m3_apply_transposed(E, m3_apply(J, v3_load(W)))));
    }
    memcpy(a, s->now.method, (size_t)nv * sizeof *a); /* a guess */
    nt_status status =
        nt_push_end(s, s->options, h / 2, next->all[NT_PHASE_T], next->q, next->v, a);
    if (status != NT_OK)
        return status;
    nt_kick(p, h / 2, next->v, a, next->v);
    nt_momenta_acceleration(p, next->v, a, next->vdot);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int first = block->v, rotation = first + nt_vector_entries(block);
        for (int i = first; i < first + block->nv; i++)
            A1[i] = i < rotation ? a[i] : (next->v[i] - s->now.v[i]) / h;
    }
    return NT_OK;
}

/* With Pi* = J W + (h/2) T_0 = J (W + (h/2) a), from the state before the step:
 *
 *   dTheta = h dW + (h^2/2) dA,              dq1  = E(-Theta) dq + T(Theta) dTheta
 *   d(E(-Theta) Pi*) = E(-Theta) dPi* + (E(-Theta) Pi*)~ T(Theta) dTheta
 *
 * W* of the same momentum into the v of `to`; v_half[nv] is where the last kick begins. */
static void vary_turns(const nt_stepper *s, double h, const double *v_half, const double *dJ, int k,
                       const nt_const_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    const double *A = s->now.method + p->nv, *dA = from->method + p->nv;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int first = block->v, rotation = first + nt_vector_entries(block), i = rotation;
        for (int j = first; j < first + block->nv; j++) {
            to->q[j] = from->q[j] + h * from->v[j] + h * h / 2 * dA[j];
            to->v[j] = from->v[j] + h / 2 * from->method[j];
        }
        if (block->rotation < 0)
            continue;
        m3 J = nt_inertia_of(p, block->rotation),
           change = nt_varied_inertia(p, dJ, k, block->rotation);
        v3 theta = v3_axpy(h, v3_load(s->now.v + i), v3_scale(h * h / 2, v3_load(A + i)));
        v3 dtheta = v3_axpy(h, v3_load(from->v + i), v3_scale(h * h / 2, v3_load(dA + i)));
        v3 W = v3_axpy(h / 2, v3_load(s->now.method + i), v3_load(s->now.v + i));
        v3 dPi = v3_add(m3_apply(J, v3_load(to->v + i)), m3_apply(change, W));
        m3 E = quat_matrix(so3_exp(theta));
        v3 turned = m3_apply(so3_tangent(theta), dtheta),
           Pi1 = m3_apply_transposed(E, m3_apply(J, W));
        v3_store(to->q + i, v3_add(m3_apply_transposed(E, v3_load(from->q + i)), turned));
        dPi = v3_add(m3_apply_transposed(E, dPi), v3_cross(Pi1, turned));
        v3_store(to->v + i, m3_solve(J, v3_sub(dPi, m3_apply(change, v3_load(v_half + i)))));
    }
}

static nt_status linearise_explicit(nt_stepper *s, double h, const nt_directions *directions,
                                    const double *before, double *after)
{
    const nt_problem *p = s->problem;
    const nt_phase *next = &s->next;
    int nv = p->nv, n = p->n, count = directions->count;
    double *unit = directions->scratch, *v_half = unit + 2 * nv;
    double *z = v_half + nv, *dJ = z + count * n;
    if (!(p->system->capabilities & NT_HAS_TANGENT))
        return NT_UNSUPPORTED;
    nt_point at = nt_phase_point(next);
    at.memory = h != 0 ? s->now.memory : next->memory;
    nt_status status = nt_momenta_vary_inertia(s, directions, &at, unit, dJ);
    for (int k = 0; h == 0 && k < count && status == NT_OK; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        nt_momenta_vary_acceleration(p, dJ, k, 1, next, next->method, d.v, d.vdot, d.method);
        memcpy(d.method + nv, d.vdot, (size_t)nv * sizeof(double));
    }
    if (h == 0 || status != NT_OK)
        return status;
    nt_kick(p, -h / 2, next->v, next->method, v_half);
    for (int k = 0; k < count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        vary_turns(s, h, v_half, dJ, k, &from, &to);
    }
    at.vdot = next->method;
    nt_variation first = nt_variation_at(p, directions, after, 0);
    status = nt_push_vary(s, &at, h / 2, directions, first.q, first.v, z);
    for (int k = 0; k < count && status == NT_OK; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation d = nt_variation_at(p, directions, after, k);
        memcpy(d.method, z + k * n, (size_t)nv * sizeof(double));
        nt_kick(p, h / 2, d.v, d.method, d.v);
        nt_momenta_vary_acceleration(p, dJ, k, -1, next, next->method, d.v, d.method, d.vdot);
        for (int b = 0; b < p->space.n_blocks; b++) {
            const nt_block *block = &p->space.blocks[b];
            int rotation = block->v + nt_vector_entries(block);
            for (int i = block->v; i < block->v + block->nv; i++)
                d.method[nv + i] = i < rotation ? d.method[i] : (d.v[i] - from.v[i]) / h;
        }
    }
    return status;
}

const nt_method nt_method_simo_wong = {
    .name = "simo-wong",
    .summary = "Simo and Wong's implicit algorithm ALGO_C1, conserves momentum, order 2",
    .reference = "Simo & Wong 1991, Unconditionally stable algorithms for rigid body dynamics",
    NT_STAGE_SLOTS,
    .scheme = &stage,
    .start = nt_start_without_memory,
    .step = nt_stage_step_by_midpoint,
};

const nt_method nt_method_simo_wong_explicit = {
    .name = "simo-wong-explicit",
    .summary = "Simo and Wong's explicit algorithm, order 2; unstable in long runs",
    .reference = "Simo & Wong 1991, Unconditionally stable algorithms for rigid body dynamics",
    .needs = NT_NEEDS_MOMENTA | NT_GAINS_ENERGY | NT_RATES_WITHIN,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_FRAME(NT_BODY),
    .layout = layout_explicit,
    .start = start_explicit,
    .step = step_explicit,
    .linearise = linearise_explicit,
};
