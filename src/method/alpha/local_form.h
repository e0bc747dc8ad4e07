/* What the linear and the residual form of generalized-alpha share: a local parameterisation of
 * each rotation, taken anew at every step.
 *
 *   Bruls & Eberhard 2008, sections 3.3, 4.2, 5.1 to 5.3
 *
 * During a step R = R_n mu(phi) (body frame; mu(phi) R_n in the inertial one), phi = 0 at its start
 * (91), and translations and vector spaces are their own parameters. With T the tangent operator of
 * the parameterisation in the frame of increments, (29) and (32),
 *
 *   v = T phi',    vdot = T phi'' + T' phi',    T' = DT[phi'].
 *
 * The rules (92) to (95) for the new parameters at the end of a step say that velocity,
 * acceleration, auxiliary acceleration and force keep their geometric values. So the state holds
 * those, and at the start of a step, where T = I and T' phi' = 0, they are the parameters' rates
 * themselves:
 *
 *   phi'^ = v,   phi''^ = vdot,   a^ = T a + T' phi',   g^ = T^-T g.
 *
 * Tangents. The equations are used as they are, R = 0, not multiplied by T^T as in (59): the
 * solution is the same and tolerances keep their meaning. A variation D of the parameters in
 * Newton's iteration (family.h: dphi = D, dphi' = gamma' D, dphi'' = beta' D) gives, with e = T D,
 *
 *   dq    = e
 *   dv    = (gamma' T + A_1) D,      A_1 D = DT[D] phi'
 *   dvdot = (beta' T + gamma' (A_1 + T') + A_2) D,
 *           A_2 D = DT[D] phi'' + D2T[phi', D] phi'
 *
 * which are (65) and (66) with (18) and (19) undone, so that
 *
 *   X = I + A_1 T^-1/gamma',    Y = I + (gamma' (A_1 + T') + A_2) T^-1/beta'. */
#ifndef NUTATE_METHOD_LOCAL_FORM_H
#define NUTATE_METHOD_LOCAL_FORM_H

#include "group/chart.h"
#include "method/newton.h"

/* ---- options -------------------------------------------------------------------------------- */

extern const char *const nt_local_charts[]; /* by the values of chart_kind */

/* clang-format off */
#define NT_LOCAL_OPTION_KEYS                                                                       \
    {"parameterization", NT_CHOICE, CHART_CONFORMAL, 0, 1, "",       \
        nt_local_charts,                                                                           \
        "of the rotation over a step: the rotation vector, or the conformal one "                  \
        "(Wiener-Milenkovic), whose formulas are rational"},                                       \
    {"reference_free", NT_BOOLEAN, 0, 0, 1, "", NULL,                  \
        "sensitivities as if the parameters had not been taken anew: off by as much as the "       \
        "motion itself"},                                                                          \
    {"geometric_stiffness", NT_BOOLEAN, 1, 0, 1, "", NULL,        \
        "false: sensitivities without the derivative of T^T in forces T^T G (k_G): off by "        \
        "O(h^2) in the residual form, by nothing in the linear form, whose forces balance"}
/* clang-format on */

/* ---- a step --------------------------------------------------------------------------------- */

typedef struct nt_local {
    nt_newton newton; /* first: the equations are given its address                  */
    chart_kind kind;
    nt_frame frame;
    double *X, *Y; /* [r][9]                                                      */
    double *force; /* [nv] the residual form's g_n/(1 - alpha_f); NULL: none      */
} nt_local;

/* How many doubles of scratch a step takes, those of `force` included. */
size_t nt_local_size(const nt_problem *problem);
/* Lays out the arrays of a step of h in the stepper's scratch, without `force`. Returns the place
 * where `force` may begin. */
double *nt_local_bind(nt_local *local, const nt_stepper *s, double h);

/* Puts q, v and vdot of `next` where x, x' and x'' say, and evaluates residual, rows and tangent
 * there. Where there is a force, T^-T force is added to the residual. */
nt_newton_equations nt_local_equations;

/* T^-1, X and Y of all rotations at the step's x, x', x''. */
void nt_local_maps(const nt_stepper *s, const nt_local *local);

/* Adds the tangent of the force, s d(T^-T g)/dphi T^-1, to the diagonal blocks of the matrix. */
void nt_local_add_force_tangent(const nt_problem *problem, const nt_local *local,
                                nt_matrix *matrix);

/* Parameters' accelerations a[nv] as geometric ones at the step's x: T a, and with `curvature`
 * T a + T' x', into out[nv], which may be a. */
void nt_local_transport(const nt_stepper *s, const nt_local *local, const double *a, bool curvature,
                        double *out);

/* Adds factor T^-T force, at the step's x, to out[nv]. */
void nt_local_add_force(const nt_stepper *s, const nt_local *local, double factor, double *out);

/* ---- its derivative ------------------------------------------------------------------------- */

/* Which of the two methods it is: the memory of the residual form has g besides a. */
typedef enum nt_form { NT_LINEAR_FORM, NT_RESIDUAL_FORM } nt_form;

/* Scratch of nt_local_linearise. */
void nt_local_linear_layout(const nt_problem *problem, nt_layout *layout);

/* The slot `linearise` of both forms for h > 0; local_linearise.c. */
nt_status nt_local_linearise(nt_stepper *s, double h, nt_form form, const nt_directions *directions,
                             const double *before, double *after);

/* The variations of M T a at a point whose vdot is T a, into the first nv of each of out[count][n].
 * dq are the variations of q, a stride apart as in `before`; turned are those of T a. */
nt_status nt_local_inertia_variation(nt_stepper *s, const nt_point *at,
                                     const nt_directions *directions, const double *dq,
                                     const double *turned, size_t turned_stride, double *out);

/* ---- one rotation --------------------------------------------------------------------------- */

/* The parameters of one rotation, their rate, and T and T^-1 there, in the frame of increments. */
typedef struct nt_local_rotation {
    chart_operator T, inverse;
    v3 phi, rate;
} nt_local_rotation;

static inline nt_local_rotation nt_local_rotation_at(chart_kind kind, nt_frame frame, v3 phi,
                                                     v3 rate)
{
    double s = v3_dot(phi, phi);
    return (nt_local_rotation){.T = chart_frame_tangent(kind, frame, s),
                               .inverse = chart_frame_inverse(kind, frame, s),
                               .phi = phi,
                               .rate = rate};
}

/* T' = DT[phi'] */
static inline m3 nt_local_rate(const nt_local_rotation *r)
{
    return chart_along(r->T, r->phi, r->rate);
}

/* A_1: d(T phi')/dphi */
static inline m3 nt_local_first(const nt_local_rotation *r)
{
    return chart_derivative(r->T, r->phi, r->rate);
}

/* A_2: d(T a + T' phi')/dphi */
static inline m3 nt_local_second(const nt_local_rotation *r, v3 a)
{
    return m3_add(chart_derivative(r->T, r->phi, a), chart_second(r->T, r->phi, r->rate, r->rate));
}

/* T^-T g and d(T^-T g)/dphi */
static inline v3 nt_local_covector(const nt_local_rotation *r, v3 g)
{
    return m3_apply_transposed(chart_matrix(r->inverse, r->phi), g);
}

static inline m3 nt_local_covector_derivative(const nt_local_rotation *r, v3 g)
{
    return chart_derivative(chart_transpose(r->inverse), r->phi, g);
}

#endif
