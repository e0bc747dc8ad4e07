/* The local error of a step of stabilised index 2: what the step did, less what accelerations at
 * its ends say it should have done.
 *
 * A step that begins at (q0, z0) stays within O(h^3) of the true motion from there. So do the
 * accelerations A1 that equations of motion and constraints at acceleration level give at its end,
 * and with A0 at its beginning and A_b at the beginning of the step before, h_b earlier,
 *
 *   z(t1) = z0 + h/2 (A0 + A1) - h^3/6 [A1, A0, A_b] + O(h^4),
 *   [A1, A0, A_b] = ((A1 - A0)/h - (A0 - A_b)/h_b)/(h + h_b)
 *
 * (Adams & Moulton, three points); A_b lies on a motion that is off by the error of one step,
 * O(h^3), which changes this by O(h^4). The increment follows from q^-1 q' = z by two derivatives
 * at both ends (the first terms of Magnus' series, in the body frame with +):
 *
 *   log(q0^-1 q1) = h/2 (z0 + z1) + h^2/12 (A0 - A1) +- h^2/12 z0 x z1 + O(h^4).
 *
 * Velocities are compared in ground axes, where those of a spinning body are smooth. Both
 * differences from the step are its error but for O(h^4): relative O(h). No formula with
 * alpha and beta would do: constraints, varying mass and steps that vary have their shares in it.
 *
 * A1 comes from the factors of the last stage, whose tangent is that of the accelerations but for
 * O(h), by sweeps that each gain a factor h; the step's own vdot is off by O(h^2), in the first
 * steps by O(h). In the first step A_b is missing and the term with it too: the estimate then has
 * the right order and h^3/12 z''' too much. */
#include "base/chance.h"
#include "method/alpha/soi2.h"
#include "method/step_control.h"

#include <float.h>
#include <string.h>

enum { SWEEPS = 2 };

/* One sweep of [M/share, R_lambda; rows][DA; *] = -[R/share; rows], from accelerations A and the
 * multipliers in `at`. The first stage, where it is the only one, has its rows, all of them
 * nonholonomic, multiplied by gamma'. */
static nt_status soi2_sweep(nt_stepper *s, const nt_soi2 *w, const nt_point *at, double *A,
                            double *multiplier)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &w->n.c;
    bool one = nt_soi2_one_stage(p);
    double *z = w->n.z, of_row = one ? c->gamma_prime : 1;
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_ACCELERATION, .residual = z, .rows = z + p->nv};
    memset(z, 0, (size_t)p->nv * sizeof(double));
    s->statistics->evaluations++;
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->n; i++)
        z[i] *= i < p->nv ? -1 / c->share : -of_row;
    for (int i = 0; i < s->factors->n_dropped; i++)
        z[s->factors->dropped[i]] = 0;
    s->statistics->solves++;
    if ((status = nt_solver_solve(s->factors->solver, z, 1)) != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++)
        A[i] += z[i];
    for (int i = 0; i < p->nc; i++)
        multiplier[i] += c->share * z[p->nv + i];
    return NT_OK;
}

/* A1 into rate[nv]. */
static nt_status soi2_accelerations(nt_stepper *s, const nt_soi2 *w, double *rate)
{
    const nt_problem *p = s->problem;
    double *multiplier = w->n.residual;
    nt_point at = nt_phase_point(&s->next);
    memcpy(rate, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(multiplier, s->next.lambda, (size_t)p->nc * sizeof(double));
    at.vdot = rate;
    at.lambda = multiplier;
    at.mu = multiplier + p->nh;
    nt_status status = NT_OK;
    for (int i = 0; status == NT_OK && i < SWEEPS; i++)
        status = soi2_sweep(s, w, &at, rate, multiplier);
    return status;
}

/* of_q = D - log(q0^-1 q1) */
static void of_positions(const nt_stepper *s, const nt_soi2 *w, const double *A0, const double *A1,
                         double *of_q)
{
    const nt_problem *p = s->problem;
    const double *z0 = s->now.v, *z1 = s->next.v;
    double h = w->n.c.h;
    for (int i = 0; i < p->nv; i++)
        of_q[i] = w->n.increment[i] - h / 2 * (z0[i] + z1[i]) - h * h / 12 * (A0[i] - A1[i]);
    nt_step_error_add_cross(&p->space, (p->frame == NT_BODY ? -1 : 1) * h * h / 12, z0, z1, of_q);
}

/* of_v in ground axes, and from there, with W = R^T w, dW = R^T dw - dTheta x W. */
static void of_velocities(const nt_stepper *s, const nt_soi2 *w, const double *of_q, double *of_v)
{
    const nt_problem *p = s->problem;
    const double *A1 = w->next.rate, *A0 = w->next.rate_before, *A_b = w->now.rate_before;
    double *z0 = w->n.per_increment, *z1 = w->n.per_residual, h = w->n.c.h, span = *w->now.span;
    nt_space_change_frame(&p->space, p->frame, NT_INERTIAL, s->now.q, s->now.v, z0);
    nt_space_change_frame(&p->space, p->frame, NT_INERTIAL, s->next.q, s->next.v, z1);
    for (int i = 0; i < p->nv; i++) {
        double bend = span > 0 ? ((A1[i] - A0[i]) / h - (A0[i] - A_b[i]) / span) / (h + span) : 0;
        of_v[i] = z1[i] - z0[i] - h / 2 * (A0[i] + A1[i]) + h * h * h / 6 * bend;
    }
    nt_space_change_frame(&p->space, NT_INERTIAL, p->frame, s->next.q, of_v, of_v);
    if (p->frame == NT_BODY)
        nt_step_error_add_cross(&p->space, -1, of_q, s->next.v, of_v);
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* Near a singular position rounding of the constraints decides how far q and v are off in the
 * direction that they hardly determine: with its small singular value sigma, dq ~ eps/sigma and, as
 * g_q changes with it, dv ~ eps/sigma^2. No step size makes that smaller. So before a step is
 * rejected its estimate is relieved of what rounding of this many units may have made, in
 * constraint rows at random. (Four-bars that become parallel: with 16 units they pass too, after
 * more tries.) */
static const double UNITS = 64;

static double soi2_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* z = the change of velocities and multipliers by which rows[nc] = z + nv change as given. */
static nt_status answer_rows(nt_stepper *s, double *z)
{
    const nt_problem *p = s->problem;
    memset(z, 0, (size_t)p->nv * sizeof *z);
    for (int i = 0; i < s->factors->n_dropped; i++)
        z[s->factors->dropped[i]] = 0;
    s->statistics->solves++;
    return nt_solver_solve(s->factors->solver, z, 1);
}

static void relieve(double *estimate, const double *noise, int n)
{
    for (int i = 0; i < n; i++)
        estimate[i] = copysign(fmax(fabs(estimate[i]) - fabs(noise[i]), 0), estimate[i]);
}

static nt_status relieve_of_rounding(nt_stepper *s, const nt_soi2 *w, double *estimate)
{
    const nt_problem *p = s->problem;
    double *z = w->n.z, *rows = w->n.residual;
    double unit = UNITS * DBL_EPSILON, length = 1 + soi2_largest(s->next.q, p->nq);
    unsigned chance = 1;
    for (int i = 0; i < p->nc; i++) {
        double part = nt_chance(&chance);
        z[p->nv + i] = i >= p->nh ? 0 : unit * length * part;
    }
    nt_status status = answer_rows(s, z);
    if (status != NT_OK)
        return status;
    relieve(estimate, z, p->nv);
    nt_space_compose(&p->space, p->frame, s->next.q, z, w->q_M);
    nt_point at = nt_phase_point(&s->next);
    at.q = w->q_M;
    nt_terms terms = {.level = NT_VELOCITY, .rows = rows};
    if ((status = nt_problem_evaluate(p, &at, &terms)) != NT_OK)
        return status;
    double speed = unit * (1 + soi2_largest(s->next.v, p->nv));
    for (int i = 0; i < p->nc; i++)
        z[p->nv + i] = rows[i] + copysign(speed, rows[i]);
    if ((status = answer_rows(s, z)) == NT_OK)
        relieve(estimate + p->nv, z, p->nv);
    return status;
}

nt_status nt_soi2_error(nt_stepper *s, double h, double *estimate)
{
    const nt_problem *p = s->problem;
    nt_soi2 w = nt_soi2_bind(s, h);
    double *A0 = w.n.per_increment, *A1 = w.spare;
    nt_status status = soi2_accelerations(s, &w, A1);
    if (status != NT_OK)
        return status;
    if (*w.now.span > 0)
        nt_space_change_frame(&p->space, NT_INERTIAL, p->frame, s->now.q, w.now.rate, A0);
    else
        memcpy(A0, s->now.vdot, (size_t)p->nv * sizeof(double));
    of_positions(s, &w, A0, A1, estimate);
    nt_space_change_frame(&p->space, p->frame, NT_INERTIAL, s->now.q, A0, w.next.rate_before);
    nt_space_change_frame(&p->space, p->frame, NT_INERTIAL, s->next.q, A1, w.next.rate);
    of_velocities(s, &w, estimate, estimate + p->nv);
    *w.next.span = h;
    bool rejected = p->nh > 0 && nt_step_error_of(s, estimate).size > 1;
    return rejected ? relieve_of_rounding(s, &w, estimate) : NT_OK;
}
