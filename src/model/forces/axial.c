/* Loads along one coordinate; axial.h says which, and by what law.
 *
 * Between two points P of A and Q of B:
 *
 *   d = p_B - p_A    x = |d|    n = d / x    x' = n . d'
 *   force on A  T n at p_A,        on B  -T n at p_B
 *   residual    A: -T n, -(rho_A x T n)      B: T n, rho_B x T n
 *
 * Tangent, with P = I - n n^T and dT = T_x dx + T_x' dx' + (through signals):
 *
 *   dn = P dd / x        dx' = (P d' / x) . dd + n . dd'
 *   d(T n) = (T_x n n^T + T_x' n (P d')^T / x + (T / x) P) dd + T_x' n n^T dd'
 *   dd  = dx_B - rho_B~ dtheta_B - (dx_A - rho_A~ dtheta_A)
 *   dd' = dv_B - rho_B~ dw_B - w_B~ rho_B~ dtheta_B - (the same of A)
 *
 * Along a joint the tangent at constant signals is that of nt_axis_load_add with s = -T. Points
 * without a distance have no direction: NT_NOT_FINITE. */
#include "model/forces/axial.h"

#include "model/elements.h"

#include <stdio.h>
#include <string.h>

static bool axial_is_line(const nt_axial *axial) { return nt_axial_has(axial, NT_AXIAL_BETWEEN); }

/* Along a joint: whether by its displacement. */
static bool axial_slides(const nt_element *e) { return e->type->along == NT_ALONG_DISPLACEMENT; }

/* ---- keys that several types have ----------------------------------------------------------- */

const nt_key nt_axial_limit_keys[] = {
    {.name = "lower",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_axial, limits.lower),
     .bit = NT_AXIAL_LOWER,
     .unit = "m, rad",
     .meaning = "where the lower stop begins to act: smallest length, angle or displacement"},
    {.name = "upper",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_axial, limits.upper),
     .bit = NT_AXIAL_UPPER,
     .unit = "m, rad",
     .meaning = "where the upper stop begins to act"},
    {.name = "stiffness",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_axial, limits.stiffness),
     .bit = NT_AXIAL_LIMIT_STIFFNESS,
     .required = true,
     .unit = "N/m, N m/rad",
     .meaning = "of a stop"},
    {.name = "damping",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_axial, limits.damping),
     .bit = NT_AXIAL_LIMIT_DAMPING,
     .unit = "N s/m, N m s/rad",
     .meaning = "of a stop, whose force at penetration g is a (1 + b / sqrt(a^2 + b^2)) with a = "
                "stiffness * g, b = damping * rate of g; it never pulls"},
    {.name = NULL},
};

/* ---- preparation ---------------------------------------------------------------------------- */

/* Limits are those of two stops on either side. */
static nt_status axial_check_limits(const nt_model *model, const nt_element *e,
                                    const nt_axial *axial, nt_error *error)
{
    bool lower = nt_axial_has(axial, NT_AXIAL_LOWER), upper = nt_axial_has(axial, NT_AXIAL_UPPER);
    if (!(axial->limits.stiffness > 0) || axial->limits.damping < 0)
        return nt_load_refuse(model, e, error,
                              "limits have the stiffness %g and the damping %g, expected a "
                              "positive number and one that is not negative",
                              axial->limits.stiffness, axial->limits.damping);
    if (!lower && !upper)
        return nt_load_refuse(model, e, error, "limits need lower, upper or both");
    if (lower && upper && !(axial->limits.lower < axial->limits.upper))
        return nt_load_refuse(model, e, error, "lower limit %g is not below upper %g",
                              axial->limits.lower, axial->limits.upper);
    return NT_OK;
}

static nt_status axial_check(const nt_run *run, const nt_element *e, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_axial *axial = nt_element_data(run, e);
    const nt_law *law = axial->law;
    bool spring = !nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_VALUE);
    bool line = axial_is_line(axial);
    unsigned acts = 1u << (NT_AXIAL_FIRST_LAW + NT_AXIAL_STIFFNESS) |
                    1u << (NT_AXIAL_FIRST_LAW + NT_AXIAL_DAMPING) |
                    1u << (NT_AXIAL_FIRST_LAW + NT_AXIAL_PRELOAD) | 1u << NT_AXIAL_LIMITS;
    if (law[NT_AXIAL_DAMPING].value < 0)
        return nt_load_refuse(model, e, error, "damping %g is negative",
                              law[NT_AXIAL_DAMPING].value);
    if (line && law[NT_AXIAL_FREE].value < 0)
        return nt_load_refuse(model, e, error, "length %g is negative", law[NT_AXIAL_FREE].value);
    if (spring && !(axial->given & acts))
        return nt_load_refuse(model, e, error,
                              "it has neither stiffness nor damping, expected one or both");
    return nt_axial_has(axial, NT_AXIAL_LIMITS) ? axial_check_limits(model, e, axial, error)
                                                : NT_OK;
}

static nt_status axial_find_points(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_axial *axial = nt_element_numbers(run, e);
    int a = axial->between[0], b = axial->between[1];
    bool given = nt_axial_has(axial, NT_AXIAL_AT);
    nt_status status = NT_OK;
    if (validate && a == b)
        return nt_load_refuse(run->model, e, error, "it joins %s to itself", run->bodies[a].name);
    axial->point_a = v3_neg(run->bodies[a].reference);
    axial->point_b = v3_neg(run->bodies[b].reference);
    if (given)
        status = nt_load_point(run, e, &axial->at[0], a, validate, &axial->point_a, error);
    if (given && status == NT_OK)
        status = nt_load_point(run, e, &axial->at[1], b, validate, &axial->point_b, error);
    if (status != NT_OK)
        return status;
    axial->distance = v3_norm(v3_sub(nt_load_ground_point(run, b, axial->point_b),
                                     nt_load_ground_point(run, a, axial->point_a)));
    if (validate && !nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_FREE) &&
        axial->distance == 0)
        return nt_load_refuse(run->model, e, error,
                              "its ends are at the same place, expected two places or a length");
    return NT_OK;
}

nt_status nt_axial_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    const nt_axial *axial = nt_element_data(run, e);
    nt_status status = axial_is_line(axial) ? axial_find_points(run, e, validate, error)
                                            : nt_load_on_joint(run, e, axial->joint,
                                                               axial_slides(e), validate, error);
    if (status == NT_OK && validate)
        nt_axial_find_store(run, e);
    return status == NT_OK && validate ? axial_check(run, e, error) : status;
}

nt_status nt_axial_declare(nt_model *model, nt_element *e)
{
    nt_axial *axial = nt_element_numbers(model->origin, e);
    bool turns = e->type->along == NT_ALONG_ANGLE;
    unsigned nodes = turns ? NT_BOTH_ROTATIONS : NT_BOTH_MOTIONS;
    for (int i = 0; i < NT_AXIAL_LAWS; i++)
        if (axial->law[i].function) {
            axial->law_of[axial->n_functions] = i;
            axial->functions[axial->n_functions++] = axial->law[i].function;
        }
    if (axial->stores && model->scratch < (size_t)nt_model_variable_count(model))
        model->scratch = (size_t)nt_model_variable_count(model);
    nt_status status =
        nt_coupling_find(&axial->coupling, model, e, axial->functions, axial->n_functions);
    if (status == NT_OK)
        status = nt_load_declare(model, e, nodes, nodes);
    return status == NT_OK ? nt_coupling_declare(&axial->coupling, model, e, nodes) : status;
}

void nt_axial_input(void *data, const nt_expression *from, const nt_expression *to)
{
    nt_axial *axial = data;
    for (int i = 0; i < axial->n_functions; i++)
        if (axial->functions[i] == from)
            axial->functions[i] = to;
}

/* ---- the law -------------------------------------------------------------------------------- */

/* T and its derivatives. */
typedef struct axial_force {
    double T, by_value, by_rate, by_law[NT_AXIAL_LAWS];
    double potential, power; /* J, W; those that axial_energy.c finds apart */
} axial_force;

/* T = e + d, or one side of it: then dT/de and dT/dd are those of a stop. */
static void axial_add_spring(axial_force *to, const nt_run *run, const nt_element *element,
                             const double *law, const nt_coordinate *x)
{
    const nt_axial *axial = nt_element_data(run, element);
    double k = law[NT_AXIAL_STIFFNESS], c = law[NT_AXIAL_DAMPING];
    double elongation = x->value - law[NT_AXIAL_FREE];
    double e = k * elongation + law[NT_AXIAL_PRELOAD], d = c * x->rate;
    double by_e = 1, by_d = 1,
           potential = (0.5 * k * elongation + law[NT_AXIAL_PRELOAD]) * elongation;
    double T = e + d, damping = d;
    if (nt_axial_has(axial, NT_AXIAL_ONLY)) {
        double side = axial->only == 0 ? 1 : -1;
        nt_stop stop = nt_stop_of(side * e, side * d, nt_onset_acts(run, element, 0, side * e));
        by_e = stop.by_elastic, by_d = stop.by_viscous;
        T = side * stop.f, damping = side * stop.damping;
        if (k != 0) /* beside that at e = 0, beyond which there is none */
            potential = side * e > 0 ? 0.5 * e * e / k : 0;
        else
            potential = side * e > 0 ? potential : 0;
    }
    bool numbers = !axial->law[NT_AXIAL_STIFFNESS].function &&
                   !axial->law[NT_AXIAL_FREE].function && !axial->law[NT_AXIAL_PRELOAD].function;
    to->T += T;
    to->by_value += by_e * k;
    to->by_rate += by_d * c;
    to->by_law[NT_AXIAL_STIFFNESS] = by_e * elongation;
    to->by_law[NT_AXIAL_FREE] = -by_e * k;
    to->by_law[NT_AXIAL_PRELOAD] = by_e;
    to->by_law[NT_AXIAL_DAMPING] = by_d * x->rate;
    to->potential += numbers ? potential : 0;
    to->power -= (numbers || axial->stores ? damping : T) * x->rate;
}

/* side +1: x stays below `limit`; -1: above. onset: its number. */
static void axial_add_stop(axial_force *to, const nt_run *run, const nt_element *e, int onset,
                           double side, double limit, const nt_coordinate *x)
{
    const nt_axial *axial = nt_element_data(run, e);
    double k = axial->limits.stiffness, c = axial->limits.damping;
    double g = side * (x->value - limit), g_rate = side * x->rate;
    nt_stop stop = nt_stop_of(k * g, c * g_rate, nt_onset_acts(run, e, onset, g));
    to->T += side * stop.f;
    to->by_value += k * stop.by_elastic;
    to->by_rate += c * stop.by_viscous;
    to->potential += g > 0 ? 0.5 * k * g * g : 0;
    to->power -= stop.damping * g_rate;
}

/* What the laws give at a point, law[NT_AXIAL_LAWS]. */
static nt_status axial_find_laws(const nt_axial *axial, const nt_view *view, double *law)
{
    double values[NT_AXIAL_LAWS] = {0};
    nt_status status = NT_OK;
    if (axial->n_functions > 0)
        status = nt_coupling_evaluate(&axial->coupling, view, axial->functions, axial->n_functions,
                                      values);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < NT_AXIAL_LAWS; i++)
        law[i] = axial->law[i].value;
    for (int i = 0; i < axial->n_functions; i++)
        law[axial->law_of[i]] = values[i];
    if (axial_is_line(axial) && !nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_FREE))
        law[NT_AXIAL_FREE] = axial->distance;
    return NT_OK;
}

static nt_status axial_find_force(const nt_element *e, const nt_view *view, const nt_coordinate *x,
                                  axial_force *out)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    double law[NT_AXIAL_LAWS];
    nt_status status = axial_find_laws(axial, view, law);
    if (status != NT_OK)
        return status;
    *out = (axial_force){0};
    if (nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_VALUE)) {
        /* what depends on the motion is a law of the mechanism, as that of a spring, and no load */
        double share = axial->coupling.n > 0 ? 1 : view->run->share[NT_SHARE_LOADS];
        double sign = (axial_is_line(axial) ? 1 : -1) * share;
        out->T = sign * law[NT_AXIAL_VALUE];
        out->by_law[NT_AXIAL_VALUE] = sign;
        out->power = axial->stores ? 0 : -out->T * x->rate;
    } else {
        axial_add_spring(out, view->run, e, law, x);
    }
    int onset = nt_axial_has(axial, NT_AXIAL_ONLY);
    if (nt_axial_has(axial, NT_AXIAL_LOWER))
        axial_add_stop(out, view->run, e, onset++, -1, axial->limits.lower, x);
    if (nt_axial_has(axial, NT_AXIAL_UPPER))
        axial_add_stop(out, view->run, e, onset, 1, axial->limits.upper, x);
    return isfinite(out->T) ? NT_OK : NT_NOT_FINITE;
}

/* ---- between two points --------------------------------------------------------------------- */

typedef struct axial_line {
    nt_spot P, Q;
    v3 d_dot, n;
    double length, rate;
} axial_line;

static nt_status axial_find_line(const nt_element *e, const nt_view *view, axial_line *line)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    line->P = nt_spot_of(&view->motion[e->a], axial->point_a);
    line->Q = nt_spot_of(&view->motion[e->b], axial->point_b);
    v3 d = v3_sub(line->Q.p, line->P.p);
    line->d_dot = v3_sub(line->Q.pdot, line->P.pdot);
    line->length = v3_norm(d);
    if (!(line->length > 0) || !isfinite(1 / line->length))
        return NT_NOT_FINITE;
    line->n = v3_scale(1 / line->length, d);
    line->rate = v3_dot(line->n, line->d_dot);
    return NT_OK;
}

void nt_axial_failure(const nt_element *element, const nt_view *view, char *text, int size)
{
    axial_line line = {.length = 1};
    text[0] = '\0';
    if (axial_is_line(nt_element_data(view->run, element)) &&
        axial_find_line(element, view, &line) != NT_OK && line.length == 0)
        snprintf(text, (size_t)size, "its two ends are one point, and it has no direction there");
}

/* The columns of one body in d(T n): sign (-1 for A) times (Kd dp + Cd dp'). */
static void axial_add_body(nt_pair_derivative *df, int node, double sign, const nt_motion *motion,
                           v3 rho, m3 Kd, m3 Cd)
{
    m3 K = m3_scale(sign, Kd), C = m3_scale(sign, Cd), rho_skew = m3_skew(rho);
    m3 turned = m3_multiply(C, m3_skew_multiply(motion->w, rho_skew));
    df->q[node] = K;
    df->v[node] = C;
    df->q[node + 1] = m3_scale(-1, m3_add(m3_multiply(K, rho_skew), turned));
    df->v[node + 1] = m3_scale(-1, m3_multiply(C, rho_skew));
}

/* The rows of one body: its residual is sign (T n, rho x T n), and d(rho x T n) = rho~ d(T n) +
 * (T n)~ rho~ dtheta. */
static void axial_add_rows(const nt_element *e, const nt_view *view, int node, double sign, v3 rho,
                           v3 fn, const nt_pair_derivative *df)
{
    nt_pair_derivative row, moment;
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        row.q[i] = m3_scale(sign, df->q[i]);
        row.v[i] = m3_scale(sign, df->v[i]);
        moment.q[i] = m3_skew_multiply(rho, row.q[i]);
        moment.v[i] = m3_skew_multiply(rho, row.v[i]);
    }
    moment.q[node + 1] = m3_add(moment.q[node + 1], m3_scale(sign, m3_skew_skew(fn, rho)));
    nt_pair_add(e, view, node, &row);
    nt_pair_add(e, view, node + 1, &moment);
}

static void axial_add_line(const nt_element *e, const nt_view *view, const axial_line *line,
                           const axial_force *f)
{
    v3 n = line->n, Tn = v3_scale(f->T, n);
    if (view->terms->residual) {
        nt_view_force(view, NT_T_A, v3_neg(Tn));
        nt_view_force(view, NT_R_A, v3_cross(Tn, line->P.rho));
        nt_view_force(view, NT_T_B, Tn);
        nt_view_force(view, NT_R_B, v3_cross(line->Q.rho, Tn));
    }
    if (!view->terms->matrix)
        return;
    v3 slide = v3_axpy(-line->rate, n, line->d_dot); /* P d' */
    m3 nn = m3_dyad(n, n), Cd = m3_scale(f->by_rate, nn);
    m3 Kd = m3_add(
        m3_add(m3_scale(f->by_value, nn), m3_scale(f->by_rate / line->length, m3_dyad(n, slide))),
        m3_scale(f->T / line->length, m3_sub(m3_identity(), nn)));
    nt_pair_derivative df;
    axial_add_body(&df, NT_T_A, -1, &view->motion[e->a], line->P.rho, Kd, Cd);
    axial_add_body(&df, NT_T_B, 1, &view->motion[e->b], line->Q.rho, Kd, Cd);
    axial_add_rows(e, view, NT_T_A, -1, line->P.rho, Tn, &df);
    axial_add_rows(e, view, NT_T_B, 1, line->Q.rho, Tn, &df);
}

/* dx = n . dd with dd as above; the gradient of x' by the triple product. */
static nt_coordinate axial_line_coordinate(const nt_element *e, const nt_view *view,
                                           const axial_line *line)
{
    v3 n = line->n, across = v3_scale(1 / line->length, v3_axpy(-line->rate, n, line->d_dot));
    const nt_motion *A = &view->motion[e->a], *B = &view->motion[e->b];
    return (nt_coordinate){
        .value = line->length,
        .rate = line->rate,
        .xa = v3_neg(n),
        .ra = v3_cross(n, line->P.rho),
        .xb = n,
        .rb = v3_cross(line->Q.rho, n),
        .rate_xa = v3_neg(across),
        .rate_xb = across,
        .rate_ra = v3_sub(v3_cross(across, line->P.rho), v3_cross(line->P.rho, v3_cross(n, A->w))),
        .rate_rb = v3_add(v3_cross(line->Q.rho, across), v3_cross(line->Q.rho, v3_cross(n, B->w))),
    };
}

/* ---- along a joint -------------------------------------------------------------------------- */

static const nt_element *axial_joint(const nt_element *e, const nt_view *view)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    return &view->model->elements[axial->joint];
}

static void axial_add_to_joint(const nt_element *e, const nt_view *view, const nt_coordinate *x,
                               const axial_force *f)
{
    double k = -f->by_value, c = -f->by_rate;
    nt_axis_load load = {
        .translation = axial_slides(e),
        .s = -f->T,
        .s_xa = v3_axpy(k, x->xa, v3_scale(c, x->rate_xa)),
        .s_ra = v3_axpy(k, x->ra, v3_scale(c, x->rate_ra)),
        .s_xb = v3_axpy(k, x->xb, v3_scale(c, x->rate_xb)),
        .s_rb = v3_axpy(k, x->rb, v3_scale(c, x->rate_rb)),
        .s_va = v3_scale(c, x->xa),
        .s_wa = v3_scale(c, x->ra),
        .s_vb = v3_scale(c, x->xb),
        .s_wb = v3_scale(c, x->rb),
    };
    nt_axis_load_add(axial_joint(e, view), view, &load);
}

/* The residual of each node for T = 1. */
static void axial_directions(const nt_element *e, const nt_view *view, const axial_line *line,
                             v3 direction[NT_PAIR_NODES])
{
    const nt_axial *axial = nt_element_data(view->run, e);
    const nt_motion *A = &view->motion[e->a], *B = &view->motion[e->b];
    memset(direction, 0, NT_PAIR_NODES * sizeof *direction);
    if (axial_is_line(axial)) {
        direction[NT_T_A] = v3_neg(line->n);
        direction[NT_R_A] = v3_cross(line->n, line->P.rho);
        direction[NT_T_B] = line->n;
        direction[NT_R_B] = v3_cross(line->Q.rho, line->n);
        return;
    }
    const nt_joint *joint = nt_joint_of(view->run, axial_joint(e, view));
    v3 axis = m3_apply(A->R, joint->e[2]);
    if (axial_slides(e)) {
        nt_spot on_b = nt_spot_of(B, joint->point_b);
        direction[NT_T_A] = v3_neg(axis);
        direction[NT_R_A] = v3_cross(axis, v3_sub(on_b.p, A->x));
        direction[NT_T_B] = axis;
        direction[NT_R_B] = v3_cross(on_b.rho, axis);
    } else {
        direction[NT_R_A] = v3_neg(axis);
        direction[NT_R_B] = axis;
    }
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static nt_status axial_look(const nt_element *e, const nt_view *view, axial_line *line,
                            nt_coordinate *x)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    if (!axial_is_line(axial)) {
        *x = nt_joint_coordinate(axial_joint(e, view), view, axial_slides(e));
        return NT_OK;
    }
    nt_status status = axial_find_line(e, view, line);
    if (status == NT_OK)
        *x = axial_line_coordinate(e, view, line);
    return status;
}

nt_status nt_axial_coordinate(const nt_element *e, const nt_view *view, nt_coordinate *x)
{
    axial_line line;
    return axial_look(e, view, &line, x);
}

double nt_axial_tension(const nt_element *e, const nt_view *view)
{
    static const nt_terms none = {.parts = 0};
    nt_view alone = *view;
    nt_coordinate x;
    axial_force f;
    alone.terms = &none;
    alone.energy = NULL;
    nt_status status = nt_axial_coordinate(e, &alone, &x);
    if (status == NT_OK)
        status = axial_find_force(e, &alone, &x, &f);
    return status == NT_OK ? f.T : (double)NAN;
}

v3 nt_axial_push(const nt_element *e, const nt_view *view)
{
    axial_line line = {0};
    nt_coordinate x;
    const nt_axial *axial = nt_element_data(view->run, e);
    if (axial_is_line(axial))
        return axial_look(e, view, &line, &x) == NT_OK ? v3_neg(line.n) : v3_of(0, 0, 0);
    const nt_joint *joint = nt_joint_of(view->run, axial_joint(e, view));
    return m3_apply(view->motion[e->a].R, joint->e[2]);
}

nt_status nt_axial_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    const nt_coupling *coupling = &axial->coupling;
    if (!view->energy && !(view->terms->parts & e->part))
        return NT_OK;
    axial_line line = {0};
    nt_coordinate x;
    axial_force f;
    nt_status status = axial_look(e, view, &line, &x);
    if (status == NT_OK)
        status = axial_find_force(e, view, &x, &f);
    if (status != NT_OK)
        return status;
    if (view->energy) {
        nt_axial_store store = {0};
        if (axial->stores)
            store = nt_axial_stored(e, view, x.value);
        bool has = isfinite(store.energy);
        view->energy->potential += f.potential + (has ? store.energy : 0);
        view->energy->power += f.power - (has ? 0 : store.force * x.rate);
        return NT_OK;
    }
    if (axial_is_line(axial))
        axial_add_line(e, view, &line, &f);
    else
        axial_add_to_joint(e, view, &x, &f);
    if (!view->terms->matrix || coupling->n == 0)
        return NT_OK;
    v3 along[NT_PAIR_NODES], direction[NT_PAIR_NODES];
    axial_directions(e, view, &line, along);
    for (int k = 0; k < coupling->n; k++) {
        double slope = 0;
        for (int i = 0; i < axial->n_functions; i++)
            slope += f.by_law[axial->law_of[i]] * view->scratch[i * coupling->n + k];
        for (int i = 0; i < NT_PAIR_NODES; i++)
            direction[i] = v3_scale(slope, along[i]);
        nt_coupling_add(coupling, view, k, direction);
    }
    return NT_OK;
}

/* ---- what it is ----------------------------------------------------------------------------- */

bool nt_axial_depends_on_rates(const nt_run *run, const nt_element *e)
{
    const nt_axial *axial = nt_element_data(run, e);
    return axial->law[NT_AXIAL_DAMPING].value != 0 || axial->law[NT_AXIAL_DAMPING].function ||
           (nt_axial_has(axial, NT_AXIAL_LIMITS) && axial->limits.damping != 0) ||
           nt_load_uses_rates(run->model, axial->functions, axial->n_functions);
}

bool nt_axial_gives_energy(const nt_model *model, const nt_element *e)
{
    const nt_axial *axial = nt_model_data(model, e);
    if (axial->stores)
        return axial->law[NT_AXIAL_DAMPING].function != NULL;
    return axial->n_functions > 0 || nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_VALUE);
}

bool nt_axial_is_smooth(const nt_run *run, const nt_element *e)
{
    const nt_axial *axial = nt_element_data(run, e);
    return !nt_axial_has(axial, NT_AXIAL_ONLY) && !nt_axial_has(axial, NT_AXIAL_LIMITS);
}

/* Of a spring on one side the elongation beyond that without force, and the way into both stops. */
int nt_axial_onsets(const nt_run *run, const nt_element *e, const nt_view *view, double *beyond)
{
    static const nt_terms none = {.parts = 0};
    const nt_axial *axial = nt_element_data(run, e);
    bool one_sided = nt_axial_has(axial, NT_AXIAL_ONLY),
         lower = nt_axial_has(axial, NT_AXIAL_LOWER), upper = nt_axial_has(axial, NT_AXIAL_UPPER);
    int n = one_sided + lower + upper, k = 0;
    if (!beyond || n == 0)
        return n;
    nt_view alone = *view;
    nt_coordinate x;
    double law[NT_AXIAL_LAWS];
    alone.terms = &none;
    alone.energy = NULL;
    nt_status status = nt_axial_coordinate(e, &alone, &x);
    if (status == NT_OK && one_sided)
        status = axial_find_laws(axial, &alone, law);
    if (status != NT_OK)
        x.value = law[NT_AXIAL_FREE] = law[NT_AXIAL_PRELOAD] = law[NT_AXIAL_STIFFNESS] = NAN;
    if (one_sided) {
        double stiffness = law[NT_AXIAL_STIFFNESS]; /* without it there is no number */
        double elongation = x.value - law[NT_AXIAL_FREE] + law[NT_AXIAL_PRELOAD] / stiffness;
        beyond[k++] = (axial->only == 0) == (stiffness > 0) ? elongation : -elongation;
    }
    if (lower)
        beyond[k++] = axial->limits.lower - x.value;
    if (upper)
        beyond[k] = x.value - axial->limits.upper;
    return n;
}

void nt_axial_reaction(const nt_element *e, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_axial *axial = nt_element_data(view->run, e);
    v3 load = v3_of(0, 0, 0);
    double T = nt_axial_tension(e, view);
    axial_line line;
    *force = *torque = load;
    if (axial_is_line(axial))
        load = axial_find_line(e, view, &line) == NT_OK ? line.n : v3_of(NAN, NAN, NAN);
    else
        load = m3_apply(view->motion[e->a].R, nt_joint_of(view->run, axial_joint(e, view))->e[2]);
    *(e->type->along == NT_ALONG_ANGLE ? torque : force) = v3_scale(-T, load);
}
