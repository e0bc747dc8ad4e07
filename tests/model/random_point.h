/* Points at random: where tangents are compared with differences. */
#ifndef NUTATE_TESTS_MODEL_RANDOM_POINT_H
#define NUTATE_TESTS_MODEL_RANDOM_POINT_H

#include <nutate/nutate.h>

/* Uniform in [-1, 1[. */
static inline double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1;
}

/* A point near the initial placement with everything else random, in memory[nq + 3 nv + nh + nn +
 * n_memory]. */
static inline nt_point random_point(nt_run *run, unsigned *seed, double *memory)
{
    const nt_system *s = nt_run_system(run);
    int nv = s->space.nv, nc = s->nh + s->nn;
    double *q = memory, *v = q + s->space.nq, *vdot = v + nv, *lambda = vdot + nv;
    double *kept = lambda + nc, *dq = kept + s->n_memory;
    nt_run_initial(run, q, v, kept);
    for (int i = 0; i < nv; i++) {
        dq[i] = 0.3 * random_number(seed);
        v[i] = random_number(seed);
        vdot[i] = random_number(seed);
    }
    for (int i = 0; i < nc; i++)
        lambda[i] = 2 * random_number(seed);
    nt_space_compose(&s->space, NT_INERTIAL, q, dq, q);
    return (nt_point){.t = 0.7,
                      .q = q,
                      .v = v,
                      .vdot = vdot,
                      .lambda = lambda,
                      .mu = lambda + s->nh,
                      .memory = kept};
}

#endif
