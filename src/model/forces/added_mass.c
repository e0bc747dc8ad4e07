/* A mass by a full 6 x 6 matrix on a body: of a rigid thing, or of water that moves along.
 *
 * In body axes, with velocity V and rate W of the body's reference point, and the symmetric matrix
 * [A, B; B^T, D] about it,
 *
 *   P = A V + B W,   Q = B^T V + D W            momentum, and angular momentum about the point
 *   f = P' + W x P                              on the body: -R f, -R m
 *   m = Q' + W x Q + V x P                      (Kirchhoff; A need not be m I)
 *
 * V' = R^T a - W x V and W' = R^T alpha, so that with accelerations alone (NT_MASS)
 *
 *   f = A R^T a + B R^T alpha,   m = B^T R^T a + D R^T alpha
 *
 * and with rates alone (NT_GYROSCOPIC)
 *
 *   f = -A (W x V) + W x P,      m = -B^T (W x V) + W x Q + V x P
 *   df = (W~ A - A W~) dV + (A V~ - P~ + W~ B) dW
 *   dm = (W~ B^T - B^T W~ + V~ A - P~) dV + (B^T V~ - Q~ + W~ D + V~ B) dW.
 *
 * d(R^T u) = R^T du + R^T u~ dtheta for every vector u of the ground, d(R f) = R df - (R f)~
 * dtheta. Of a rigid thing, A = m I and B = -m c~; gravity g acts on it at c: -m g, and about the
 * reference point -rho x m g with rho = R c. */
#include "model/bodies/body.h"
#include "model/bodies/mass_point.h"
#include "model/elements.h"
#include "model/forces/load.h"

#include <math.h>

typedef struct nt_added_mass {
    unsigned given;
    int on;
    nt_place_of_point at;
    double matrix[36];
    int gravity;

    m3 A, B, D;  /* about the reference point, body axes                */
    double mass; /* that gravity acts on, kg; 0 where it does not        */
    v3 center;   /* of it, from the reference point, body axes           */
} nt_added_mass;

enum { GIVEN_ON, GIVEN_AT, GIVEN_MATRIX, GIVEN_GRAVITY };

static const nt_key added_mass_keys[] = {
    NT_KEY("on", NT_KEY_BODY, .offset = offsetof(nt_added_mass, on), .bit = GIVEN_ON,
           .required = true,
           .meaning = "the body or point, or the node of a beam or cable, that carries it"),
    NT_KEY("at", NT_KEY_POINT, .offset = offsetof(nt_added_mass, at), .bit = GIVEN_AT, .unit = "m",
           .meaning = "the body's point that the matrix is given about: ground axes at the given "
                      "placement, or a marker of the body; default the body's origin"),
    NT_KEY("matrix", NT_KEY_MATRIX, .offset = offsetof(nt_added_mass, matrix), .bit = GIVEN_MATRIX,
           .high = 6, .required = true, .relative = true,
           .meaning = "momentum (kg m/s) and angular momentum (kg m^2/s) by velocity and angular "
                      "velocity, body axes; symmetric, positive semidefinite. Of a point: zeros in "
                      "rows and columns 4 to 6"),
    NT_KEY("gravity", NT_KEY_BOOLEAN, .offset = offsetof(nt_added_mass, gravity),
           .bit = GIVEN_GRAVITY,
           .meaning = "whether it has weight; default: where the matrix is that of a rigid thing, "
                      "[m I, -m c~; m c~, inertia], and not where it is of water that moves along"),
    {0},
};

/* ---- the matrix -------------------------------------------------------------------------------
 */

static m3 block_of(const double *X, int row, int column)
{
    const double *x = X + 18 * row + 3 * column;
    return (m3){x[0], x[1], x[2], x[6], x[7], x[8], x[12], x[13], x[14]};
}

static double largest_in(const double *X)
{
    double largest = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(X[i]));
    return largest;
}

/* Of the masses, first = 0, or of the moments of inertia, first = 3. */
static double largest_of(const double *X, int first)
{
    double largest = 0;
    for (int i = first; i < first + 3; i++)
        for (int j = first; j < first + 3; j++)
            largest = fmax(largest, fabs(X[6 * i + j]));
    return largest;
}

static bool is_symmetric(const double *X)
{
    double allowed = 1e-6 * largest_in(X);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(X[6 * i + j] - X[6 * j + i]) <= allowed))
                return false;
    return true;
}

/* Elimination without exchanges: no pivot below zero, and rows of zeros where one is zero. */
static bool is_semidefinite(const double *X)
{
    double L[36], zero = 1e-12 * largest_in(X);
    for (int i = 0; i < 36; i++)
        L[i] = X[i];
    for (int k = 0; k < 6; k++) {
        if (!(L[7 * k] >= -zero))
            return false;
        for (int i = k + 1; i < 6; i++) {
            if (L[7 * k] <= zero && fabs(L[6 * i + k]) > sqrt(zero * fmax(zero, L[7 * i])))
                return false;
            double factor = L[7 * k] > zero ? L[6 * i + k] / L[7 * k] : 0;
            for (int j = k; j < 6; j++)
                L[6 * i + j] -= factor * L[6 * k + j];
        }
    }
    return true;
}

/* [m I, -m c~; m c~, .] */
static bool is_rigid(m3 A, m3 B, double *m, v3 *mc)
{
    double size = 1e-6 * fabs(A.xx), off = 0;
    *m = (A.xx + A.yy + A.zz) / 3;
    *mc = v3_of((B.yz - B.zy) / 2, (B.zx - B.xz) / 2, (B.xy - B.yx) / 2);
    m3 a = m3_sub(A, m3_scale(*m, m3_identity())), b = m3_add(B, m3_skew(*mc));
    const double rest[] = {a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz};
    const double couplings[] = {b.xx, b.xy, b.xz, b.yx, b.yy, b.yz, b.zx, b.zy, b.zz};
    for (int i = 0; i < 9; i++)
        off = fmax(off, fabs(rest[i]));
    if (off > size)
        return false;
    size = 1e-6 * fmax(v3_norm(*mc), 1e-6 * *m); /* an arm below 1 um is none */
    for (int i = 0; i < 9; i++)
        if (fabs(couplings[i]) > size)
            return false;
    return true;
}

/* A point has a place alone: momentum by velocity there, and nothing by turning. */
static nt_status refuse_on_point(const nt_run *run, const nt_element *e, const nt_added_mass *mass,
                                 v3 o, nt_error *error)
{
    const nt_body *point = &run->bodies[mass->on];
    if (!point->point)
        return NT_OK;
    for (int i = 0; i < 36; i++)
        if ((i / 6 > 2 || i % 6 > 2) && mass->matrix[i] != 0)
            return nt_load_refuse(run->model, e, error,
                                  "%s is a point, expected a body that can turn, or zeros in rows "
                                  "and columns 4 to 6 of the matrix",
                                  point->name);
    return nt_mass_point_place(run->model, e, mass->on, o, 1, error);
}

static nt_status mass_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_added_mass *mass = nt_element_numbers(run, e);
    const double *X = mass->matrix;
    v3 o, mc;
    nt_status status = NT_OK;
    if (validate && mass->on == 0)
        return nt_load_refuse(run->model, e, error, "it is on the ground, expected a body");
    if (validate && run->bodies[mass->on].given & NT_GIVEN_FIXED_POINT)
        return nt_load_refuse(run->model, e, error,
                              "body %s has a fixed point and no translation, expected its own "
                              "inertia to hold the mass",
                              run->bodies[mass->on].name);
    if (validate && !is_symmetric(X))
        return nt_load_refuse(run->model, e, error, "matrix is not symmetric");
    if (validate && !is_semidefinite(X))
        return nt_load_refuse(run->model, e, error, "matrix is not positive semidefinite");
    for (int first = 0; validate && first < 6; first += 3)
        if (!nt_inertia_is_in_range(largest_of(X, first)))
            return nt_load_refuse(run->model, e, error,
                                  "matrix has %s of up to %g, expected 1e-50 to 1e50 %s, or none",
                                  first == 0 ? "masses" : "moments of inertia",
                                  largest_of(X, first), first == 0 ? "kg" : "kg m^2");
    o = v3_neg(run->bodies[mass->on].reference);
    if (mass->given >> GIVEN_AT & 1)
        status = nt_load_point(run, e, &mass->at, mass->on, validate, &o, error);
    if (validate && status == NT_OK)
        status = refuse_on_point(run, e, mass, o, error);
    if (status != NT_OK)
        return status;
    /* about the reference point: V of the point is V - o~ W */
    m3 A = m3_scale(0.5, m3_add(block_of(X, 0, 0), m3_transpose(block_of(X, 0, 0))));
    m3 B = m3_scale(0.5, m3_add(block_of(X, 0, 1), m3_transpose(block_of(X, 1, 0))));
    m3 D = m3_scale(0.5, m3_add(block_of(X, 1, 1), m3_transpose(block_of(X, 1, 1))));
    m3 s = m3_skew(o), oB = m3_multiply(s, B);
    bool rigid = is_rigid(A, B, &mass->mass, &mc);
    mass->A = A;
    mass->B = m3_sub(B, m3_multiply(A, s));
    mass->D = m3_sub(m3_add(D, m3_add(oB, m3_transpose(oB))), m3_multiply(s, m3_multiply(A, s)));
    bool weighs = mass->given >> GIVEN_GRAVITY & 1 ? mass->gravity : rigid;
    if (validate && weighs && !rigid)
        return nt_load_refuse(run->model, e, error,
                              "gravity: the matrix is not that of a rigid thing, [m I, -m c~; m "
                              "c~, inertia]; its weight is a force of its own");
    mass->mass = weighs ? mass->mass : 0;
    mass->center = mass->mass > 0 ? v3_axpy(1 / mass->mass, mc, o) : v3_of(0, 0, 0);
    return NT_OK;
}

static nt_status mass_declare(nt_model *model, nt_element *e)
{
    return nt_load_declare(model, e, NT_MOTION_OF_B, NT_MOTION_OF_B);
}

/* ---- equations --------------------------------------------------------------------------------
 */

typedef struct carried {
    v3 V, W, P, Q; /* body axes */
} carried;

static carried momenta_of(const nt_added_mass *mass, const nt_motion *at)
{
    carried c = {.V = m3_apply_transposed(at->R, at->v), .W = m3_apply_transposed(at->R, at->w)};
    c.P = v3_add(m3_apply(mass->A, c.V), m3_apply(mass->B, c.W));
    c.Q = v3_add(m3_apply_transposed(mass->B, c.V), m3_apply(mass->D, c.W));
    return c;
}

/* R X R^T */
static m3 turned(m3 R, m3 X) { return m3_multiply(m3_multiply(R, X), m3_transpose(R)); }

/* f, m and their derivatives, all in ground axes. */
typedef struct terms_of_mass {
    v3 f, m;
    m3 f_a, f_alpha, m_a, m_alpha, f_v, f_w, m_v, m_w, f_theta, m_theta;
} terms_of_mass;

/* The share of accelerations in f, m and their derivatives. */
static void add_accelerations(const nt_added_mass *mass, const nt_motion *at, terms_of_mass *t)
{
    m3 R = at->R;
    t->f_a = turned(R, mass->A), t->f_alpha = turned(R, mass->B);
    t->m_a = m3_transpose(t->f_alpha), t->m_alpha = turned(R, mass->D);
    v3 f = v3_add(m3_apply(t->f_a, at->a), m3_apply(t->f_alpha, at->alpha));
    v3 m = v3_add(m3_apply(t->m_a, at->a), m3_apply(t->m_alpha, at->alpha));
    t->f = v3_add(t->f, f), t->m = v3_add(t->m, m);
    m3 along = m3_add(m3_multiply_skew(t->f_a, at->a), m3_multiply_skew(t->f_alpha, at->alpha));
    t->f_theta = m3_add(t->f_theta, m3_sub(along, m3_skew(f)));
    along = m3_add(m3_multiply_skew(t->m_a, at->a), m3_multiply_skew(t->m_alpha, at->alpha));
    t->m_theta = m3_add(t->m_theta, m3_sub(along, m3_skew(m)));
}

static void add_rates(const nt_added_mass *mass, const nt_motion *at, terms_of_mass *t)
{
    carried c = momenta_of(mass, at);
    m3 A = mass->A, B = mass->B, Bt = m3_transpose(B), R = at->R;
    v3 turn = v3_cross(c.W, c.V);
    v3 f = v3_sub(v3_cross(c.W, c.P), m3_apply(A, turn));
    v3 m = v3_add(v3_cross(c.W, c.Q), v3_cross(c.V, c.P));
    f = m3_apply(R, f), m = m3_apply(R, v3_sub(m, m3_apply(Bt, turn)));
    m3 f_V = m3_sub(m3_skew_multiply(c.W, A), m3_multiply_skew(A, c.W));
    m3 f_W = m3_add(m3_multiply_skew(A, c.V), m3_skew_multiply(c.W, B));
    m3 m_V = m3_sub(m3_skew_multiply(c.W, Bt), m3_multiply_skew(Bt, c.W));
    m3 m_W = m3_add(m3_multiply_skew(Bt, c.V), m3_skew_multiply(c.W, mass->D));
    t->f_v = turned(R, f_V), t->f_w = turned(R, m3_sub(f_W, m3_skew(c.P)));
    t->m_v = turned(R, m3_add(m_V, m3_sub(m3_skew_multiply(c.V, A), m3_skew(c.P))));
    t->m_w = turned(R, m3_add(m_W, m3_sub(m3_skew_multiply(c.V, B), m3_skew(c.Q))));
    t->f = v3_add(t->f, f), t->m = v3_add(t->m, m);
    m3 along = m3_add(m3_multiply_skew(t->f_v, at->v), m3_multiply_skew(t->f_w, at->w));
    t->f_theta = m3_add(t->f_theta, m3_sub(along, m3_skew(f)));
    along = m3_add(m3_multiply_skew(t->m_v, at->v), m3_multiply_skew(t->m_w, at->w));
    t->m_theta = m3_add(t->m_theta, m3_sub(along, m3_skew(m)));
}

static void add_weight(const nt_added_mass *mass, const nt_motion *at, v3 g, terms_of_mass *t)
{
    v3 weight = v3_scale(mass->mass, g), rho = m3_apply(at->R, mass->center);
    t->f = v3_sub(t->f, weight);
    t->m = v3_sub(t->m, v3_cross(rho, weight));
    t->m_theta = m3_sub(t->m_theta, m3_skew_skew(weight, rho));
}

static void add_energy(const nt_added_mass *mass, const nt_motion *at, v3 g, nt_energy *energy)
{
    carried c = momenta_of(mass, at);
    energy->kinetic += (v3_dot(c.V, c.P) + v3_dot(c.W, c.Q)) / 2;
    energy->potential -= mass->mass * v3_dot(g, v3_add(at->x, m3_apply(at->R, mass->center)));
}

static nt_status mass_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_added_mass *mass = nt_element_data(view->run, e);
    const nt_motion *at = &view->motion[e->b];
    v3 g = v3_scale(view->run->share[NT_SHARE_GRAVITY], v3_load(view->run->gravity));
    if (view->energy) {
        add_energy(mass, at, g, view->energy);
        return NT_OK;
    }
    terms_of_mass t = {0};
    const nt_terms *terms = view->terms;
    if (terms->parts & NT_MASS)
        add_accelerations(mass, at, &t);
    if (terms->parts & NT_GYROSCOPIC)
        add_rates(mass, at, &t);
    if (terms->parts & NT_EXPLICIT)
        add_weight(mass, at, g, &t);
    if (terms->residual) {
        nt_view_force(view, NT_T_B, t.f);
        nt_view_force(view, NT_R_B, t.m);
    }
    if (!terms->matrix)
        return NT_OK;
    const nt_combination *c = terms->combination;
    m3 of_w = nt_rate_map(view, e->b, c->damping, c->stiffness);
    m3 of_alpha = nt_acceleration_map(view, e->b, c->mass, c->stiffness);
    m3 f_theta = m3_add(m3_multiply(t.f_w, of_w), m3_multiply(t.f_alpha, of_alpha));
    m3 m_theta = m3_add(m3_multiply(t.m_w, of_w), m3_multiply(t.m_alpha, of_alpha));
    nt_view_add(view, NT_T_B, NT_T_B,
                m3_add(m3_scale(c->mass, t.f_a), m3_scale(c->damping, t.f_v)));
    nt_view_add(view, NT_R_B, NT_T_B,
                m3_add(m3_scale(c->mass, t.m_a), m3_scale(c->damping, t.m_v)));
    nt_view_add(view, NT_T_B, NT_R_B, m3_add(f_theta, m3_scale(c->stiffness, t.f_theta)));
    nt_view_add(view, NT_R_B, NT_R_B, m3_add(m_theta, m3_scale(c->stiffness, t.m_theta)));
    return NT_OK;
}

static void mass_momentum(const nt_element *e, const nt_view *view, v3 *momentum, v3 *about_origin)
{
    const nt_added_mass *mass = nt_element_data(view->run, e);
    const nt_motion *at = &view->motion[e->b];
    carried c = momenta_of(mass, at);
    v3 linear = m3_apply(at->R, c.P);
    *momentum = v3_add(*momentum, linear);
    *about_origin = v3_add(*about_origin, v3_add(v3_cross(at->x, linear), m3_apply(at->R, c.Q)));
}

static bool mass_does_no_work(const nt_model *model, const nt_element *e)
{
    (void)model;
    (void)e;
    return false;
}

const nt_element_type nt_force_mass = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "mass",
    .summary = "inertia by a full 6 x 6 matrix: of a rigid thing, or of water that moves along",
    .keys = added_mass_keys,
    .size = sizeof(nt_added_mass),
    .part = NT_EXPLICIT,
    .has_inertia = true,
    .does_work = mass_does_no_work,
    .momentum = mass_momentum,
    .prepare = mass_prepare,
    .declare = mass_declare,
    .evaluate = mass_evaluate,
};
