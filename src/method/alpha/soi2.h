/* Stabilised index 2: what the step, its error estimate and its derivative share.
 *
 *   Jay & Negrut 2009, (14): one step from (q0, z0, a_alpha, M a_alpha, f0) of size h,
 *
 *   q1 = q0 o exp(D),   D = h z0 + h^2/2 ((1 - 2 beta) a_alpha + 2 beta ~a)
 *   ~z1 = z0 + h ((1 - gamma) a_alpha + gamma ~a),   z1 = z0 + h ((1 - gamma) a_alpha + gamma a)
 *   (1 - alpha_m) M1 ~a + alpha_m M a_alpha = (1 - alpha_f) f(t1, q1, ~z1, ~lambda) + alpha_f f0
 *   (1 - alpha_m) M1 a  + alpha_m M a_alpha = (1 - alpha_f) f(t1, q1, z1, lambda1)  + alpha_f f0
 *   0 = g(t1, q1),   0 = k(t1, q1, ~z1);      0 = g_t + g_q z1,   0 = k(t1, q1, z1)
 *
 * M1 = M(t0 + (1 + alpha) h, q0 o exp(h (1 + alpha) z0)), alpha = alpha_m - alpha_f; lambda stands
 * for the multipliers of both kinds of constraints. a_alpha belongs to t0 + alpha h, a to
 * t1 + alpha h.
 *
 * Velocities and accelerations are those of the frame's own axes, so that M vdot = f(q, v) is an
 * equation in R^nv whose coefficients depend on q: nothing is carried from one rotation's axes to
 * another's, in neither frame.
 *
 * In the words of newton.h both stages have x'' = w = a (1 - alpha_m)/(1 - alpha_f) and
 *
 *   0 = M1 w + load - f(t1, ...),   load = (alpha_m M a_alpha - alpha_f f0)/(1 - alpha_f). */
#ifndef NUTATE_METHOD_SOI2_H
#define NUTATE_METHOD_SOI2_H

#include "method/newton.h"

/* ---- memory --------------------------------------------------------------------------------- */

/* In a state's method memory. The first five vary with the state, the others follow. */
typedef struct nt_soi2_memory {
    double *a;            /* [nv] a, as the step left it                                       */
    double *a_used;       /* [nv] a_alpha of the step that led here, after its correction      */
    double *Ma, *Ma_used; /* [nv] the products with the mass matrix, likewise                  */
    double *f;            /* [nv] f at this state                                              */
    double *w_first;      /* [nv] ~w of the step that led here                                 */
    double *lambda_first; /* [nc] ~lambda                                                      */
    /* of the error estimate: accelerations in ground axes at this state and at the one before it,
     * `span` ago (s; 0: the estimate was not asked for, there are none) */
    double *rate, *rate_before; /* [nv] */
    double *span;
} nt_soi2_memory;

enum { NT_SOI2_VARYING = 5 };

static inline size_t nt_soi2_memory_size(const nt_problem *p)
{
    return 8 * (size_t)p->nv + (size_t)p->nc + 1;
}

static inline nt_soi2_memory nt_soi2_memory_of(const nt_problem *p, double *all)
{
    nt_soi2_memory m = {.a = all};
    m.a_used = m.a + p->nv;
    m.Ma = m.a_used + p->nv;
    m.Ma_used = m.Ma + p->nv;
    m.f = m.Ma_used + p->nv;
    m.w_first = m.f + p->nv;
    m.rate = m.w_first + p->nv;
    m.rate_before = m.rate + p->nv;
    m.lambda_first = m.rate_before + p->nv;
    m.span = m.lambda_first + p->nc;
    return m;
}

/* ---- a step's work -------------------------------------------------------------------------- */

typedef struct nt_soi2 {
    nt_newton n;
    double alpha;
    double correction;    /* the factor of (15), (16): alpha (h/h_before - 1), or 0        */
    double of_correction; /* 1/s, its derivative in h                                   */
    nt_soi2_memory now, next;
    double *load;  /* [nv] N                                                        */
    double *Mw;    /* [nv] M1 w at the last evaluation                              */
    double *spare; /* [nv] of the error estimate and the derivative of the step              */
    double *q_M;   /* [nq] where M1 is taken                                        */
} nt_soi2;

/* What the tangent of the first equations is made of. */
static inline nt_combination nt_soi2_first_combination(const nt_family *c, const double *map)
{
    return (nt_combination){.mass = c->scale * c->beta_prime,
                            .damping = c->scale * c->gamma_prime,
                            .stiffness = c->scale,
                            .multiplier = 1,
                            .row_damping = c->gamma_prime,
                            .row_stiffness = 1,
                            .map = map};
}

nt_soi2 nt_soi2_bind(const nt_stepper *s, double h);

/* t of M1 */
static inline double nt_soi2_mass_time(const nt_stepper *s, const nt_soi2 *w)
{
    return s->now.all[NT_PHASE_T] + (1 + w->alpha) * w->n.c.h;
}

/* Parts of R that are -f. */
enum { NT_SOI2_FORCES = NT_ALL_PARTS & ~NT_MASS };

/* Where stages are solved: factors of the second stage, or of the first where it is the only one.
 * The second stage does not differ from the first without holonomic constraints. */
static inline bool nt_soi2_one_stage(const nt_problem *p) { return p->nh == 0; }

/* nt_method.error and .linearise */
nt_status nt_soi2_error(nt_stepper *s, double h, double *estimate);
nt_status nt_soi2_linearise(nt_stepper *s, double h, const nt_directions *directions,
                            const double *before, double *after);
/* Doubles of scratch of the latter: for all directions together, for each. */
size_t nt_soi2_linear_scratch(const nt_problem *p);
size_t nt_soi2_linear_scratch_each(const nt_problem *p);

#endif
