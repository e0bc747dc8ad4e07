/* Symplectic Euler and its adjoint on vector spaces.
 *
 *   Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section I.1.2
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 2
 *
 *   Phi_h    v1 = v + h a(q, v, t),   q1 = q + h v1
 *   Phi*_h   q1 = q + h v,            v1 = v + h a(q1, v1, t1)        M a = f
 *
 * First order; symplectic for forces of position and time. */
#include "method/rotations/momenta.h"

#include <string.h>

static const nt_option_key options[] = {
    NT_PUSH_OPTION_KEYS,
    {"adjoint", NT_BOOLEAN, 0, 0, 1, "", NULL,
     "positions first, then velocities by the forces at the end of the step"},
};

static nt_status symplectic_euler_layout(const nt_problem *problem, const nt_options *option,
                                         nt_layout *sizes, nt_error *error)
{
    (void)option, (void)error;
    sizes->scratch = nt_momenta_scratch(problem);
    nt_composition_layout(problem, sizes);
    return NT_OK;
}

static nt_status symplectic_euler_start(nt_stepper *s)
{
    (void)s;
    return NT_OK;
}

static nt_status symplectic_euler_step(nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    const nt_phase *now = &s->now;
    nt_phase *next = &s->next;
    bool adjoint = nt_options_get(s->options, NT_OPTION_ADJOINT) != 0;
    nt_momenta_begin(s, h);
    nt_kick(p, adjoint ? 0 : h, now->v, now->vdot, next->v);
    for (int i = 0; i < p->nv; i++)
        next->q[i] = now->q[i] + h * next->v[i];
    memcpy(next->vdot, now->vdot, (size_t)p->nv * sizeof(double)); /* a guess */
    double last = adjoint ? h : 0;
    nt_status status =
        nt_push_end(s, s->options, last, next->all[NT_PHASE_T], next->q, next->v, next->vdot);
    nt_kick(p, last, next->v, next->vdot, next->v);
    return status;
}

static nt_status symplectic_euler_linearise(nt_stepper *s, double h,
                                            const nt_directions *directions, const double *before,
                                            double *after)
{
    static const double whole[] = {1};
    bool adjoint = nt_options_get(s->options, NT_OPTION_ADJOINT) != 0;
    nt_composition euler = {.part = whole,
                            .stages = 1,
                            .drifts = 1,
                            .first = adjoint ? 0 : 1,
                            .last = adjoint ? 1 : 0,
                            .on_vector_space = true};
    return nt_composition_linearise(s, &euler, h, directions, before, after);
}

const nt_method nt_method_symplectic_euler = {
    .name = "symplectic-euler",
    .summary = "symplectic Euler or its adjoint on vector spaces, order 1",
    .reference = "Hairer, Lubich & Wanner 2006, I.1.2; Krysl 2005, section 2",
    .needs = NT_NEEDS_TANGENT | NT_VECTOR_SPACE,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = symplectic_euler_layout,
    .start = symplectic_euler_start,
    .step = symplectic_euler_step,
    .linearise = symplectic_euler_linearise,
};
