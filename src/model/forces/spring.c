/* A spring with a damper between points P of A and Q of B.
 *
 *   d = p_B - p_A    l = |d|    n = d / l    l' = n . d'
 *   f = k (l - l0) + c l'          the pull, positive in tension
 *   force on A  f n at p_A,        on B  -f n at p_B
 *   residual    A: -f n, -(rho_A x f n)      B: f n, rho_B x f n
 *   energy      k (l - l0)^2 / 2,  power of the damper -c l'^2
 *
 * Tangent, with P = I - n n^T:
 *
 *   dn = P dd / l        dl' = (P d' / l) . dd + n . dd'
 *   d(f n) = (k n n^T + c n (P d')^T / l + (f / l) P) dd + c n n^T dd'
 *   dd  = dx_B - rho_B~ dtheta_B - (dx_A - rho_A~ dtheta_A)
 *   dd' = dv_B - rho_B~ dw_B - w_B~ rho_B~ dtheta_B - (the same of A)
 *
 * A spring of no length has no direction: NT_NOT_FINITE. */
#include "model/elements.h"
#include "model/forces/load.h"

typedef struct nt_spring {
    unsigned given;
    int part;
    int between[2];
    nt_place_of_point at[2];
    double stiffness, damping, length;

    v3 point_a, point_b; /* from the reference points, body axes */
    double free_length;
} nt_spring;

enum { GIVEN_BETWEEN, GIVEN_AT, GIVEN_STIFFNESS, GIVEN_DAMPING, GIVEN_LENGTH };

static const nt_key keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(nt_spring, between),
     .bit = GIVEN_BETWEEN,
     .required = true,
     .meaning = "bodies A and B"},
    {.name = "at",
     .type = NT_KEY_POINTS,
     .offset = offsetof(nt_spring, at),
     .bit = GIVEN_AT,
     .unit = "m",
     .meaning = "its ends, a point of A and a point of B: ground axes at the given placement, or "
                "markers; default the bodies' origins"},
    {.name = "stiffness",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_spring, stiffness),
     .bit = GIVEN_STIFFNESS,
     .unit = "N/m",
     .meaning = "force per elongation; default 0"},
    {.name = "damping",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_spring, damping),
     .bit = GIVEN_DAMPING,
     .unit = "N s/m",
     .meaning = "force per rate of elongation; default 0"},
    {.name = "length",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_spring, length),
     .bit = GIVEN_LENGTH,
     .unit = "m",
     .meaning = "free length; default the distance of its ends at the given placement"},
    NT_KEY_PART(nt_spring, part, NT_BIT_PART, "implicit"),
    {0},
};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    nt_spring *spring = nt_element_numbers(run, element);
    int a = spring->between[0], b = spring->between[1];
    if (validate && a == b)
        return nt_load_refuse(run->model, element, error, "it joins %s to itself",
                              run->bodies[a].name);
    if (validate && spring->damping < 0)
        return nt_load_refuse(run->model, element, error, "damping %g is negative",
                              spring->damping);
    bool has_length = spring->given >> GIVEN_LENGTH & 1;
    if (validate && has_length && spring->length < 0)
        return nt_load_refuse(run->model, element, error, "length %g is negative", spring->length);
    spring->point_a = v3_neg(run->bodies[a].reference);
    spring->point_b = v3_neg(run->bodies[b].reference);
    nt_status status = NT_OK;
    bool given = spring->given >> GIVEN_AT & 1;
    if (given)
        status = nt_load_point(run, element, &spring->at[0], a, validate, &spring->point_a, error);
    if (given && !status)
        status = nt_load_point(run, element, &spring->at[1], b, validate, &spring->point_b, error);
    if (status)
        return status;
    double distance = v3_norm(v3_sub(nt_load_ground_point(run, b, spring->point_b),
                                     nt_load_ground_point(run, a, spring->point_a)));
    spring->free_length = has_length ? spring->length : distance;
    if (validate && !has_length && distance == 0)
        return nt_load_refuse(run->model, element, error,
                              "its ends are at the same place, expected two places or a length");
    if (validate && !(spring->given & (1u << GIVEN_STIFFNESS | 1u << GIVEN_DAMPING)))
        return nt_load_refuse(run->model, element, error,
                              "it has neither stiffness nor damping, expected one or both");
    return NT_OK;
}

static nt_status declare(nt_model *model, nt_element *element)
{
    return nt_load_declare(model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS);
}

/* The columns of one body in d(f n): sign (-1 for A) times (Kd dp + Cd dp'). */
static void add_body(nt_pair_derivative *df, int node, double sign, const nt_motion *motion, v3 rho,
                     m3 Kd, m3 Cd)
{
    m3 K = m3_scale(sign, Kd), C = m3_scale(sign, Cd), rho_skew = m3_skew(rho);
    m3 turned = m3_multiply(C, m3_skew_multiply(motion->w, rho_skew));
    df->q[node] = K;
    df->v[node] = C;
    df->q[node + 1] = m3_scale(-1, m3_add(m3_multiply(K, rho_skew), turned));
    df->v[node + 1] = m3_scale(-1, m3_multiply(C, rho_skew));
}

/* The rows of one body: its residual is sign (f n, rho x f n), and d(rho x f n) = rho~ d(f n) +
 * (f n)~ rho~ dtheta. */
static void add_rows(const nt_element *element, const nt_view *view, int node, double sign, v3 rho,
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
    nt_pair_add(element, view, node, &row);
    nt_pair_add(element, view, node + 1, &moment);
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    const nt_spring *spring = nt_element_data(view->run, element);
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    const nt_motion *A = &view->motion[element->a], *B = &view->motion[element->b];
    nt_spot P = nt_spot_of(A, spring->point_a), Q = nt_spot_of(B, spring->point_b);
    v3 d = v3_sub(Q.p, P.p), d_dot = v3_sub(Q.pdot, P.pdot);
    double l = v3_norm(d);
    if (!(l > 0) || !isfinite(1 / l))
        return NT_NOT_FINITE;
    v3 n = v3_scale(1 / l, d);
    double l_dot = v3_dot(n, d_dot), elongation = l - spring->free_length;
    double k = spring->stiffness, c = spring->damping;
    double f = k * elongation + c * l_dot;
    v3 fn = v3_scale(f, n);

    if (view->energy) {
        view->energy->potential += 0.5 * k * elongation * elongation;
        view->energy->power -= c * l_dot * l_dot;
        return NT_OK;
    }
    if (view->terms->residual) {
        nt_view_force(view, NT_T_A, v3_neg(fn));
        nt_view_force(view, NT_R_A, v3_cross(fn, P.rho));
        nt_view_force(view, NT_T_B, fn);
        nt_view_force(view, NT_R_B, v3_cross(Q.rho, fn));
    }
    if (view->terms->matrix) {
        v3 slide = v3_axpy(-l_dot, n, d_dot); /* P d' */
        m3 nn = m3_dyad(n, n);
        m3 Cd = m3_scale(c, nn);
        m3 Kd = m3_add(m3_add(m3_scale(k, nn), m3_scale(c / l, m3_dyad(n, slide))),
                       m3_scale(f / l, m3_sub(m3_identity(), nn)));
        nt_pair_derivative df;
        add_body(&df, NT_T_A, -1, A, P.rho, Kd, Cd);
        add_body(&df, NT_T_B, 1, B, Q.rho, Kd, Cd);
        add_rows(element, view, NT_T_A, -1, P.rho, fn, &df);
        add_rows(element, view, NT_T_B, 1, Q.rho, fn, &df);
    }
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_spring *data = nt_element_data(run, element);
    return data->damping != 0;
}

const nt_element_type nt_force_spring = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "spring",
    .summary = "a spring with a damper between two points",
    .keys = keys,
    .size = sizeof(nt_spring),
    .part = NT_IMPLICIT,
    .prepare = prepare,
    .declare = declare,
    .evaluate = evaluate,
    .depends_on_rates = depends_on_rates,
};
