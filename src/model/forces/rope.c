/* A rope without mass through points of bodies: it pulls and never pushes.
 *
 * Between points p_0 ... p_n it has n pieces with lengths l_i, directions n_i from p_i-1 to p_i,
 * and rates l_i' = n_i . (p_i' - p_i-1'). With L = sum l_i, the free length L0 and e = L - L0:
 *
 *   T = a (1 + b / sqrt(a^2 + b^2)) where a = k e > 0, else 0;  b = c L'       (stop.h)
 *
 * Over points without friction it runs freely and every piece pulls with T. Friction mu makes the
 * pull change along the way by exp(mu beta_j s_j) at point j, where the rope turns by the angle
 * beta_j: it grows (s = 1) where the rope slides towards the end, and falls (s = -1) where it
 * slides towards the start. T is the mean of the pulls, weighted with lengths:
 *
 *   T_i = w_i T / W,   w_1 = 1,  w_i+1 = w_i exp(mu beta_i s_i),   W = sum w_i l_i / L
 *   beta_i = angle between n_i and n_i+1,   s_i = -u_i / sqrt(u_i^2 + slip^2)
 *
 * It stretches alike everywhere, so what passes point j is the change of the share of the way
 * before it, in lengths of the rope at rest: with P_j = l_1 + ... + l_j,
 *
 *   u_j = (P_j / L)' L0 = (P_j' - P_j L' / L) L0 / L,
 *
 * positive where it slides towards the start.
 *
 * The tangent goes through the numbers z = (l_1..l_n, l_1'..l_n', beta_1..beta_n-1), of which each
 * T_i is a function: dF_p at point p = d(T_p+1 n_p+1) - d(T_p n_p), with
 *
 *   dn = P dd / l,   dl = n . dd,   dl' = (P d'/l) . dd + n . dd',   P = I - n n^T
 *   sin(beta_i) dbeta_i = -(n_i+1 . dn_i + n_i . dn_i+1)
 *
 * The stiffness has the potential k e^2 / 2 where e > 0. */
#include "model/elements.h"
#include "model/forces/load.h"
#include "model/forces/looks.h"
#include "model/forces/stop.h"

#include <stdio.h>
#include <string.h>

enum { ROPE_POINTS = NT_ROUTE_POINTS, ROPE_NUMBERS = 3 * ROPE_POINTS };

typedef struct nt_rope {
    unsigned given;
    int part;
    nt_route through;
    double length, stiffness, damping;
    struct {
        double coefficient, slip;
    } friction;

    v3 offset[ROPE_POINTS]; /* from the bodies' reference points, body axes        */
    double way;             /* m, through the points at the given placement        */
    int port[ROPE_POINTS];  /* of the translations of the points' bodies            */
} nt_rope;

enum {
    ROPE_THROUGH,
    ROPE_LENGTH,
    ROPE_STIFFNESS,
    ROPE_DAMPING,
    ROPE_FRICTION,
    ROPE_COEFFICIENT,
    ROPE_SLIP
};

static const double ROPE_DEFAULT_SLIP = 1e-3; /* m/s */

static const nt_key rope_friction_keys[] = {
    {.name = "coefficient",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_rope, friction.coefficient),
     .bit = ROPE_COEFFICIENT,
     .required = true,
     .meaning = "of friction, not negative: where the rope slides over a point and turns by an "
                "angle there its pull changes by the factor exp(coefficient * angle)"},
    {.name = "slip",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_rope, friction.slip),
     .bit = ROPE_SLIP,
     .unit = "m/s",
     .meaning = "sliding speed below which friction turns over smoothly; default 1e-3"},
    {.name = NULL},
};

static const nt_key rope_keys[] = {
    {.name = "through",
     .type = NT_KEY_ROUTE,
     .offset = offsetof(nt_rope, through),
     .bit = ROPE_THROUGH,
     .low = 2,
     .required = true,
     .unit = "m",
     .meaning = "its way: points of bodies, [BODY, [x, y, z]] in ground axes at the given "
                "placement, [BODY, MARKER], or the name of a marker; it is fastened to the first "
                "and the last and runs over those between"},
    {.name = "length",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_rope, length),
     .bit = ROPE_LENGTH,
     .unit = "m",
     .meaning = "free length; default that of its way at the given placement; where it is less, "
                "the rope pulls there"},
    {.name = "stiffness",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_rope, stiffness),
     .bit = ROPE_STIFFNESS,
     .required = true,
     .unit = "N/m",
     .meaning = "pull per elongation of the whole rope"},
    {.name = "damping",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_rope, damping),
     .bit = ROPE_DAMPING,
     .unit = "N s/m",
     .meaning =
         "pull per rate of elongation; with a = stiffness * elongation and b = damping * "
         "rate the rope pulls with a (1 + b / sqrt(a^2 + b^2)), never less than 0; default 0"},
    {.name = "friction",
     .type = NT_KEY_GROUP,
     .bit = ROPE_FRICTION,
     .group = rope_friction_keys,
     .meaning = "at the points that it runs over; default none"},
    NT_KEY_PART(nt_rope, part, NT_BIT_PART, "implicit"),
    {.name = NULL},
};

/* ---- preparation ---------------------------------------------------------------------------- */

static nt_status rope_check(const nt_run *run, const nt_element *e, nt_error *error)
{
    const nt_rope *rope = nt_element_data(run, e);
    bool has_length = rope->given >> ROPE_LENGTH & 1;
    if (rope->stiffness < 0 || rope->damping < 0)
        return nt_load_refuse(run->model, e, error,
                              "its stiffness %g or damping %g is negative, expected 0 or more",
                              rope->stiffness, rope->damping);
    if (has_length && !(rope->length > 0))
        return nt_load_refuse(run->model, e, error, "its length is %g, expected a positive number",
                              rope->length);
    if (rope->stiffness == 0 && has_length && rope->length < rope->way)
        return nt_load_refuse(run->model, e, error,
                              "its length %g m is shorter than its way of %g m, and without "
                              "stiffness it cannot pull, expected a positive stiffness",
                              rope->length, rope->way);
    if (rope->stiffness == 0)
        return nt_load_refuse(
            run->model, e, error,
            "its stiffness is 0, so that it cannot pull, expected a positive number");
    if (rope->friction.coefficient < 0)
        return nt_load_refuse(run->model, e, error,
                              "its coefficient of friction is %g, expected 0 or more",
                              rope->friction.coefficient);
    if ((rope->given >> ROPE_SLIP & 1) && !(rope->friction.slip > 0))
        return nt_load_refuse(run->model, e, error, "slip is %g, expected a positive speed",
                              rope->friction.slip);
    return NT_OK;
}

static nt_status rope_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_rope *rope = nt_element_numbers(run, e);
    v3 last = v3_of(0, 0, 0);
    rope->way = 0;
    for (int i = 0; i < rope->through.n; i++) {
        int body = rope->through.body[i];
        nt_status status =
            nt_load_point(run, e, &rope->through.point[i], body, validate, &rope->offset[i], error);
        if (status != NT_OK)
            return status;
        v3 p = nt_load_ground_point(run, body, rope->offset[i]);
        double piece = i > 0 ? v3_norm(v3_sub(p, last)) : 1;
        if (validate && piece == 0)
            return nt_load_refuse(
                run->model, e, error,
                "points %d and %d of its way are at the same place, expected two places", i, i + 1);
        rope->way += i > 0 ? piece : 0;
        last = p;
    }
    return validate ? rope_check(run, e, error) : NT_OK;
}

/* Bodies A and B are those of the first and the last point. */
static nt_status rope_declare(nt_model *model, nt_element *e)
{
    nt_rope *rope = nt_element_numbers(model->origin, e);
    nt_status status = NT_OK;
    int n = rope->through.n;
    for (int i = 0; i < n; i++) {
        rope->port[i] = nt_element_port_of_body(model, e, rope->through.body[i]);
        if (rope->port[i] < 0)
            return NT_NO_MEMORY;
    }
    for (int i = 0; i < 4 * n * n && status == NT_OK; i++)
        status = nt_element_couple(model, e, rope->port[i / 4 / n] + (i & 1),
                                   rope->port[i / 4 % n] + (i >> 1 & 1), NT_FULL);
    return status;
}

/* ---- the way -------------------------------------------------------------------------------- */

typedef struct rope_way {
    int pieces;
    nt_spot spot[ROPE_POINTS];
    v3 n[ROPE_POINTS], across[ROPE_POINTS]; /* of pieces: n_i; P d'/l */
    double l[ROPE_POINTS], rate[ROPE_POINTS], beta[ROPE_POINTS];
    double length, length_rate, free;
} rope_way;

static nt_status rope_find_way(const nt_element *e, const nt_view *view, rope_way *way)
{
    const nt_rope *rope = nt_element_data(view->run, e);
    *way = (rope_way){.pieces = rope->through.n - 1};
    for (int i = 0; i <= way->pieces; i++)
        way->spot[i] = nt_spot_of(&view->motion[rope->through.body[i]], rope->offset[i]);
    for (int i = 0; i < way->pieces; i++) {
        v3 d = v3_sub(way->spot[i + 1].p, way->spot[i].p);
        v3 d_dot = v3_sub(way->spot[i + 1].pdot, way->spot[i].pdot);
        double l = v3_norm(d);
        if (!(l > 0) || !isfinite(1 / l))
            return NT_NOT_FINITE;
        way->n[i] = v3_scale(1 / l, d);
        way->l[i] = l;
        way->rate[i] = v3_dot(way->n[i], d_dot);
        way->across[i] = v3_scale(1 / l, v3_axpy(-way->rate[i], way->n[i], d_dot));
        way->length += l;
        way->length_rate += way->rate[i];
        if (i > 0)
            way->beta[i - 1] = atan2(v3_norm(v3_cross(way->n[i - 1], way->n[i])),
                                     v3_dot(way->n[i - 1], way->n[i]));
    }
    way->free = rope->given >> ROPE_LENGTH & 1 ? rope->length : rope->way;
    return NT_OK;
}

/* ---- pulls ---------------------------------------------------------------------------------- */

/* T_i and their derivatives in z: lengths, then rates, then angles, each from 0 on. */
typedef struct rope_pulls {
    double T[ROPE_POINTS];
    double by[ROPE_POINTS][ROPE_NUMBERS];
    double potential;
} rope_pulls;

/* d log w_i+1 - d log w_i = mu (s dbeta + beta ds) with s = -u/sqrt(u^2 + slip^2). */
static void rope_find_weights(const nt_rope *rope, const rope_way *way, double *w,
                              double (*by)[ROPE_NUMBERS])
{
    double mu = rope->friction.coefficient, before = 0, before_rate = 0;
    double slip = rope->given >> ROPE_SLIP & 1 ? rope->friction.slip : ROPE_DEFAULT_SLIP;
    double L = way->length, scale = way->free / L;
    int n = way->pieces;
    w[0] = 1;
    memset(by[0], 0, sizeof by[0]);
    for (int j = 0; j + 1 < n; j++) {
        before += way->l[j];
        before_rate += way->rate[j];
        double flow = before_rate - before * way->length_rate / L, u = scale * flow;
        double root = hypot(u, slip), s = -u / root, ds = -slip / root * (slip / root) / root;
        w[j + 1] = w[j] * exp(mu * way->beta[j] * s);
        memcpy(by[j + 1], by[j], sizeof by[j]);
        by[j + 1][2 * ROPE_POINTS + j] += mu * s;
        for (int i = 0; i < n; i++) { /* du in l_i and l_i' */
            double inside = i <= j;
            double du =
                scale * (-inside * way->length_rate / L + before * way->length_rate / (L * L)) -
                u / L;
            by[j + 1][i] += mu * way->beta[j] * ds * du;
            by[j + 1][ROPE_POINTS + i] += mu * way->beta[j] * ds * scale * (inside - before / L);
        }
    }
}

static void rope_find_pulls(const nt_run *run, const nt_element *element, const rope_way *way,
                            rope_pulls *out)
{
    const nt_rope *rope = nt_element_data(run, element);
    double k = rope->stiffness, c = rope->damping, e = way->length - way->free;
    double w[ROPE_POINTS], log_by[ROPE_POINTS][ROPE_NUMBERS], W = 0, W_by[ROPE_NUMBERS] = {0};
    nt_stop stop = nt_stop_of(k * e, c * way->length_rate, nt_onset_acts(run, element, 0, e));
    int n = way->pieces;
    memset(out, 0, sizeof *out);
    out->potential = e > 0 ? 0.5 * k * e * e : 0;
    rope_find_weights(rope, way, w, log_by);
    for (int i = 0; i < n; i++)
        W += w[i] * way->l[i] / way->length;
    for (int i = 0; i < n; i++) {
        for (int z = 0; z < ROPE_NUMBERS; z++)
            W_by[z] += w[i] * way->l[i] / way->length * log_by[i][z];
        W_by[i] += (w[i] - W) / way->length;
    }
    for (int i = 0; i < n; i++) {
        out->T[i] = stop.f * w[i] / W;
        for (int z = 0; z < ROPE_NUMBERS; z++)
            out->by[i][z] = out->T[i] * (log_by[i][z] - W_by[z] / W);
        for (int j = 0; j < n; j++) {
            out->by[i][j] += k * stop.by_elastic * w[i] / W;
            out->by[i][ROPE_POINTS + j] += c * stop.by_viscous * w[i] / W;
        }
    }
}

/* ---- tangent -------------------------------------------------------------------------------- */

/* Derivatives of the forces at points in positions and velocities of points. */
typedef struct rope_tangent {
    m3 K[ROPE_POINTS][ROPE_POINTS], C[ROPE_POINTS][ROPE_POINTS];
} rope_tangent;

/* Row by which a number z changes with the vector d of piece j, and with d'. */
static void rope_number_rows(const rope_way *way, int z, int j, v3 *by_d, v3 *by_rate)
{
    int kind = z / ROPE_POINTS, i = z % ROPE_POINTS;
    *by_d = *by_rate = v3_of(0, 0, 0);
    if (kind == 0 && i == j) {
        *by_d = way->n[j];
    } else if (kind == 1 && i == j) {
        *by_d = way->across[j];
        *by_rate = way->n[j];
    } else if (kind == 2 && (j == i || j == i + 1)) {
        v3 own = way->n[j], other = way->n[j == i ? i + 1 : i];
        double cosine = cos(way->beta[i]), sine = sin(way->beta[i]);
        if (sine > 0) /* a straight rope turns by nothing */
            *by_d = v3_scale(-1 / (sine * way->l[j]), v3_axpy(-cosine, own, other));
    }
}

/* d(T_i n_i) = n_i dT_i + (T_i / l_i) P dd_i */
static void rope_find_tangent(const rope_way *way, const rope_pulls *pulls, rope_tangent *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < way->pieces; i++)
        for (int j = 0; j < way->pieces; j++) {
            v3 row = v3_of(0, 0, 0), rate_row = row;
            for (int z = 0; z < ROPE_NUMBERS; z++) {
                v3 by_d, by_rate;
                if (pulls->by[i][z] == 0)
                    continue;
                rope_number_rows(way, z, j, &by_d, &by_rate);
                row = v3_axpy(pulls->by[i][z], by_d, row);
                rate_row = v3_axpy(pulls->by[i][z], by_rate, rate_row);
            }
            m3 K = m3_dyad(way->n[i], row), C = m3_dyad(way->n[i], rate_row);
            if (i == j)
                K = m3_add(K, m3_scale(pulls->T[i] / way->l[i],
                                       m3_sub(m3_identity(), m3_dyad(way->n[i], way->n[i]))));
            for (int p = 0; p < 2; p++) /* on point i with +, on i + 1 with -; d = p_j+1 - p_j */
                for (int q = 0; q < 2; q++) {
                    double sign = p == q ? -1 : 1;
                    out->K[i + p][j + q] = m3_add(out->K[i + p][j + q], m3_scale(sign, K));
                    out->C[i + p][j + q] = m3_add(out->C[i + p][j + q], m3_scale(sign, C));
                }
        }
}

/* Residual -F at points; dp = dx - rho~ dtheta, dp' = dv - rho~ dw - w~ rho~ dtheta. */
static void rope_add_tangent(const nt_element *e, const nt_view *view, const rope_way *way,
                             const rope_tangent *t, const v3 *F)
{
    const nt_rope *rope = nt_element_data(view->run, e);
    const nt_combination *combination = view->terms->combination;
    double c = combination->damping, k = combination->stiffness;
    for (int p = 0; p <= way->pieces; p++)
        for (int q = 0; q <= way->pieces; q++) {
            int row = rope->port[p], column = rope->port[q], body = rope->through.body[q];
            v3 rho = way->spot[q].rho, arm = way->spot[p].rho;
            m3 skew = m3_skew(rho), W = nt_rate_map(view, body, c, k);
            m3 K = t->K[p][q], C = t->C[p][q];
            m3 by_x = m3_scale(-1, m3_add(m3_scale(k, K), m3_scale(c, C)));
            m3 turned = m3_multiply(C, m3_skew_multiply(view->motion[body].w, skew));
            m3 by_theta = m3_add(m3_scale(k, m3_add(m3_multiply(K, skew), turned)),
                                 m3_multiply(m3_multiply(C, skew), W));
            nt_view_add(view, row, column, by_x);
            nt_view_add(view, row, column + 1, by_theta);
            nt_view_add(view, row + 1, column, m3_skew_multiply(arm, by_x));
            m3 moment = m3_skew_multiply(arm, by_theta);
            if (p == q) /* -d(rho x F) at constant F */
                moment = m3_sub(moment, m3_scale(k, m3_skew_skew(F[p], rho)));
            nt_view_add(view, row + 1, column + 1, moment);
        }
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static nt_status rope_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_rope *rope = nt_element_data(view->run, e);
    rope_way way;
    rope_pulls pulls;
    v3 F[ROPE_POINTS];
    if (!view->energy && !(view->terms->parts & e->part))
        return NT_OK;
    nt_status status = rope_find_way(e, view, &way);
    if (status != NT_OK)
        return status;
    rope_find_pulls(view->run, e, &way, &pulls);
    if (!isfinite(pulls.T[0]))
        return NT_NOT_FINITE;
    if (view->energy) {
        double elastic = rope->stiffness * fmax(way.length - way.free, 0);
        view->energy->potential += pulls.potential;
        for (int i = 0; i < way.pieces; i++)
            view->energy->power -= (pulls.T[i] - elastic) * way.rate[i];
        return NT_OK;
    }
    for (int i = 0; i <= way.pieces; i++) {
        F[i] = i < way.pieces ? v3_scale(pulls.T[i], way.n[i]) : v3_of(0, 0, 0);
        F[i] = i > 0 ? v3_axpy(-pulls.T[i - 1], way.n[i - 1], F[i]) : F[i];
        if (view->terms->residual) {
            nt_view_force(view, rope->port[i], v3_neg(F[i]));
            nt_view_force(view, rope->port[i] + 1, v3_cross(F[i], way.spot[i].rho));
        }
    }
    if (view->terms->matrix && (pulls.T[0] > 0 || pulls.by[0][0] != 0)) {
        rope_tangent t;
        rope_find_tangent(&way, &pulls, &t);
        rope_add_tangent(e, view, &way, &t, F);
    }
    return NT_OK;
}

static bool rope_depends_on_rates(const nt_run *run, const nt_element *e)
{
    const nt_rope *rope = nt_element_data(run, e);
    return rope->damping != 0 || rope->friction.coefficient != 0;
}

static int rope_onsets(const nt_run *run, const nt_element *e, const nt_view *view, double *beyond)
{
    rope_way way;
    (void)run;
    if (beyond)
        *beyond = rope_find_way(e, view, &way) == NT_OK ? way.length - way.free : (double)NAN;
    return 1;
}

static bool rope_is_smooth(const nt_run *run, const nt_element *e)
{
    (void)run, (void)e;
    return false; /* slack or taut */
}

/* ---- records -------------------------------------------------------------------------------- */

/* On the last point. */
static void rope_reaction(const nt_element *e, const nt_view *view, v3 *force, v3 *torque)
{
    rope_way way;
    rope_pulls pulls;
    *torque = v3_of(0, 0, 0);
    *force = v3_of(NAN, NAN, NAN);
    if (rope_find_way(e, view, &way) != NT_OK)
        return;
    rope_find_pulls(view->run, e, &way, &pulls);
    *force = v3_scale(-pulls.T[way.pieces - 1], way.n[way.pieces - 1]);
}

void nt_rope_look(const nt_element *e, const nt_view *view, double *length, double *rate,
                  double pulls[2])
{
    rope_way way;
    rope_pulls all;
    *length = *rate = pulls[0] = pulls[1] = (double)NAN;
    if (rope_find_way(e, view, &way) != NT_OK)
        return;
    rope_find_pulls(view->run, e, &way, &all);
    *length = way.length, *rate = way.length_rate;
    pulls[0] = all.T[0], pulls[1] = all.T[way.pieces - 1];
}

/* Adds what a number changes by with the vector of piece j and its rate, whose ends are the points
 * p = j and j + 1: dp = dx + dtheta x rho, dp' = dv + dw x rho + w x (dtheta x rho). */
static void rope_add_piece(const nt_element *e, const nt_view *view, const rope_way *way, int j,
                           v3 by_d, v3 by_rate, double *gradient)
{
    const nt_rope *rope = nt_element_data(view->run, e);
    const nt_combination *combination = view->terms->combination;
    double c = combination->damping, k = combination->stiffness;
    for (int p = j; p <= j + 1; p++) {
        int body = rope->through.body[p];
        const nt_port *at = &e->ports[rope->port[p]], *turn = at + 1;
        v3 rho = way->spot[p].rho, w = view->motion[body].w;
        v3 d = v3_scale(p == j ? -1 : 1, by_d), rate = v3_scale(p == j ? -1 : 1, by_rate);
        v3 turned = v3_cross(rho, v3_add(d, v3_cross(rate, w)));
        if (at->node >= 0)
            v3_accumulate(gradient + at->start, v3_axpy(k, d, v3_scale(c, rate)));
        if (turn->node >= 0) {
            m3 W = nt_rate_map(view, body, c, k);
            v3_accumulate(gradient + turn->start,
                          v3_axpy(k, turned, m3_apply_transposed(W, v3_cross(rho, rate))));
        }
    }
}

void nt_rope_follow(const nt_element *e, const nt_view *view, const char *which, int component,
                    double *gradient)
{
    rope_way way;
    rope_pulls pulls;
    bool length = strcmp(which, "length") == 0, rate = strcmp(which, "rate") == 0;
    if (rope_find_way(e, view, &way) != NT_OK)
        return;
    rope_find_pulls(view->run, e, &way, &pulls);
    const double *by = pulls.by[component == 0 ? 0 : way.pieces - 1];
    for (int j = 0; j < way.pieces; j++) {
        v3 row = v3_of(0, 0, 0), rate_row = row;
        for (int z = 0; z < ROPE_NUMBERS; z++) {
            v3 by_d, by_rate;
            double factor = length ? z < ROPE_POINTS
                            : rate ? z >= ROPE_POINTS && z < 2 * ROPE_POINTS
                                   : by[z];
            if (factor == 0)
                continue;
            rope_number_rows(&way, z, j, &by_d, &by_rate);
            row = v3_axpy(factor, by_d, row);
            rate_row = v3_axpy(factor, by_rate, rate_row);
        }
        rope_add_piece(e, view, &way, j, row, rate_row, gradient);
    }
}

/* A user should know of a rope that is taut already at the given placement. */
static bool rope_remark(const nt_model *model, const nt_element *e, char *text, size_t size)
{
    const nt_rope *rope = nt_model_data(model, e);
    if (!(rope->given >> ROPE_LENGTH & 1) || !(rope->length < rope->way))
        return false;
    snprintf(
        text, size,
        "its length %g m is shorter than its way of %g m at the given placement: it pulls with "
        "%.4g N there",
        rope->length, rope->way, rope->stiffness * (rope->way - rope->length));
    return true;
}

static void rope_draw(const nt_run *run, const nt_element *e, nt_sketch_put *put, void *to)
{
    const nt_rope *rope = nt_element_data(run, e);
    nt_sketch sketch = {.drawing = NT_DRAW_ROPE};
    for (int i = 0; i < rope->through.n; i++)
        nt_sketch_add(&sketch, rope->through.body[i], rope->offset[i], v3_of(0, 0, 0));
    put(to, &sketch);
}

const nt_element_type nt_force_rope = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "rope",
    .summary = "a rope without mass over points of bodies, which pulls and never pushes",
    .keys = rope_keys,
    .size = sizeof(nt_rope),
    .part = NT_IMPLICIT,
    .prepare = rope_prepare,
    .declare = rope_declare,
    .only_takes = true,
    .evaluate = rope_evaluate,
    .depends_on_rates = rope_depends_on_rates,
    .is_smooth = rope_is_smooth,
    .onsets = rope_onsets,
    .reaction = rope_reaction,
    .remark = rope_remark,
    .draw = rope_draw,
    .along = NT_ALONG_WAY,
};
