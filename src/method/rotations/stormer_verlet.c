/* Stormer and Verlet's method, the explicit Newmark method with gamma = 1/2, beta = 0.
 *
 *   Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section I.1.4
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), equation (5)
 *
 *   v_1/2 = v + (h/2) a,   q1 = q + h v_1/2,   v1 = v_1/2 + (h/2) a1,   M a1 = f(q1, v1, t1)
 *
 * on a vector space: the composition of symplectic Euler over h/2 and its adjoint. Second order,
 * symmetric; symplectic for forces of position and time. The acceleration that ends a step begins
 * the next. Where forces depend on velocities, or the mass matrix on positions, the last kick is
 * implicit and the method stays symmetric. */
#include "method/rotations/momenta.h"

#include <string.h>

static nt_status stormer_verlet_layout(const nt_problem *problem, const nt_options *option,
                                       nt_layout *sizes, nt_error *error)
{
    (void)option, (void)error;
    sizes->scratch = nt_momenta_scratch(problem);
    nt_composition_layout(problem, sizes);
    return NT_OK;
}

static nt_status stormer_verlet_start(nt_stepper *s)
{
    (void)s;
    return NT_OK;
}

static nt_status stormer_verlet_step(nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    const nt_phase *now = &s->now;
    nt_phase *next = &s->next;
    nt_momenta_begin(s, h);
    nt_kick(p, h / 2, now->v, now->vdot, next->v);
    for (int i = 0; i < p->nv; i++)
        next->q[i] = now->q[i] + h * next->v[i];
    memcpy(next->vdot, now->vdot, (size_t)p->nv * sizeof(double)); /* a guess */
    nt_status status =
        nt_push_end(s, s->options, h / 2, next->all[NT_PHASE_T], next->q, next->v, next->vdot);
    nt_kick(p, h / 2, next->v, next->vdot, next->v);
    return status;
}

static nt_status stormer_verlet_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                          const double *before, double *after)
{
    static const double whole[] = {1};
    static const nt_composition verlet = {.part = whole,
                                          .stages = 1,
                                          .drifts = 1,
                                          .first = 0.5,
                                          .last = 0.5,
                                          .on_vector_space = true};
    return nt_composition_linearise(s, &verlet, h, directions, before, after);
}

const nt_method nt_method_stormer_verlet = {
    .name = "stormer-verlet",
    .summary = "explicit Newmark method on vector spaces, symplectic, order 2",
    .reference = "Hairer, Lubich & Wanner 2006, I.1.4; Krysl 2005, equation (5)",
    .needs = NT_NEEDS_TANGENT | NT_VECTOR_SPACE,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = stormer_verlet_layout,
    .start = stormer_verlet_start,
    .step = stormer_verlet_step,
    .linearise = stormer_verlet_linearise,
};
