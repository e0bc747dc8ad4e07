/* The stiffness of the explicit forces, for steps by stability and by a time transformation.
 *
 *   Modin, Fritzson & Fuehrer 2007, (15): |A(q + alpha h v) - A(q)|/(alpha h |v|)
 *
 * estimates how fast A, as an acceleration, changes along the motion, and asks for A at two places.
 * One of them can be where the step before has taken it: with p = q o exp(alpha h v)
 *
 *   sigma = |A(p_n, v_n) - A(p_n-1, v_n-1)|/|p_n - p_n-1|,
 *
 * so that every step evaluates A once, and only the first, which has none before it, twice. The
 * distance is that of the group; steps are chosen after the fact, as they are with (15).
 *
 * The two also differ in v and t, which (15) holds. Of A = -k q - c v the quotient is k where c =
 * 0, and |k + c dv/dp| in general. That damping enters is no harm: it limits steps as well, h c +
 * alpha h^2 k <= 2 (theorem 3), and (15) does not see it. But dv/dp may be anything, so the
 * quotient is kept from extremes that are not of the forces:
 *
 *   - Where the motion turns back between the two places they may coincide, and c dv/dp has no
 *     bound. Where the distance is less than half of the way from one place to the other, half of
 *     the way is the divisor, and sigma is at least what it was. For forces of positions that is
 *     still right; for damped ones it is at most k + 4 c/h.
 *   - Where k dp and c dv cancel, A hardly changes. So sigma falls by a factor of four at most
 *     within the time 1/sqrt(sigma) in which a stiffness is felt. */
#include "base/vector3.h"
#include "method/splitting/splitting.h"

#include <math.h>
#include <string.h>

static const double STRAIGHT = 0.5; /* of the way, that is left as distance */

static double splitting_norm(const nt_problem *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        double size = nt_problem_weight(p, i) * x[i];
        sum += size * size;
    }
    return sqrt(sum);
}

/* A change of force as an acceleration that keeps to the constraints: change[n], zero in its rows.
 * No force's tangent is asked for. */
static nt_status splitting_accelerate(nt_stepper *s, double *change)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_phase_point(&s->now);
    nt_combination combination = {.mass = 1, .multiplier = 1, .row_mass = 1};
    nt_terms terms = {.parts = NT_MASS | NT_REACTIONS,
                      .level = NT_ACCELERATION,
                      .matrix = &s->factors->matrix,
                      .combination = &combination};
    nt_factors_begin(s->factors);
    s->statistics->factorisations++;
    s->statistics->solves++;
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    return status == NT_OK ? nt_solver_factor_solve(s->factors->solver, &s->factors->matrix, change)
                           : status;
}

nt_status nt_splitting_measure(nt_stepper *s, const nt_splitting *c, double h, const double *force,
                               const double *q, double *work, double *x)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory before = nt_splitting_memory_of(p, &s->now);
    nt_splitting_memory next = nt_splitting_memory_of(p, &s->next);
    double *change = work, speed = splitting_norm(p, s->now.v), way = c->alpha * h * speed,
           distance = way;
    bool first = *before.taken == 0;
    nt_status status = NT_OK;
    if (first)
        status = nt_splitting_explicit(s, c, h, s->now.q, s->now.v, s->now.lambda, change, NULL);
    else {
        memcpy(change, before.force, (size_t)p->nv * sizeof *change);
        nt_space_difference(&p->space, p->frame, before.place, q, x);
        distance = splitting_norm(p, x);
        way += (1 - c->alpha) * s->now.all[NT_PHASE_STEP] * *before.speed;
    }
    for (int i = 0; i < p->nv; i++)
        change[i] = force[i] - change[i];
    memset(change + p->nv, 0, (size_t)p->nc * sizeof *change);
    if (status == NT_OK)
        status = splitting_accelerate(s, change);
    bool turns = distance < STRAIGHT * way;
    double divisor = turns ? STRAIGHT * way : distance;
    double least = *before.stiffness;
    if (!turns)
        least *= exp2(-2 * s->now.all[NT_PHASE_STEP] * sqrt(least));
    *next.stiffness = divisor > 0 ? fmax(splitting_norm(p, change) / divisor, least) : least;
    *next.taken = 1;
    *next.speed = speed;
    memcpy(next.force, force, (size_t)p->nv * sizeof *force);
    memcpy(next.place, q, (size_t)p->nq * sizeof *q);
    return status;
}

double nt_splitting_stiffness(const nt_stepper *s)
{
    return *nt_splitting_memory_of(s->problem, &s->next).stiffness;
}
