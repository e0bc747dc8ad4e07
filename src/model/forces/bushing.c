/* A bushing: an elastic, damped joint with six stiffnesses between A and B.
 *
 * At the given placement the bushing's point belongs to both bodies, at X_A and X_B. Its axes E
 * turn with A; at the given placement they are the ground axes. B carries axes F that coincide with
 * them there. With rho = R X, p = x + rho, d = p_B - p_A and r = p_B - x_A:
 *
 *   u = E^T d                       displacement of B's point in the axes of the bushing
 *   psi = log(E^T F)                rotation vector of B relative to A in the same axes
 *   N = K_uu u + K_up psi + C_uu u' + C_up psi'
 *   M = K_pu u + K_pp psi + C_pu u' + C_pp psi'
 *
 * Variations (r instead of rho_A: A's part acts at B's point), T the tangent operator of group.h:
 *
 *   du   = E^T (dx_B - rho_B~ dtheta_B - dx_A + r~ dtheta_A)
 *   dpsi = T^-T(psi) E^T (dtheta_B - dtheta_A)
 *
 * The work of N and M along them gives the forces; so the force of a symmetric K is exactly that of
 * the potential (u, psi) K (u, psi) / 2. With n = E N and m = E T^-1(psi) M the residual is
 *
 *   A: -n, -(r x n) - m             B: n, rho_B x n + m
 *
 * Rates are the variations with velocities in place of d(.):
 *
 *   u'   = E^T c,  c = v_B + w_B x rho_B - v_A - w_A x r
 *   psi' = T^-T(psi) E^T w_BA,  w_BA = w_B - w_A
 *
 * The part of K that is not symmetric has no potential; its power is counted. psi is a rotation
 * vector: the relative rotation must stay below 3.1 rad, beyond that NT_NOT_FINITE. */
#include "model/bodies/mass_point.h"
#include "model/elements.h"
#include "model/forces/load.h"

#include <nutate/group.h>
#include <string.h>

typedef struct nt_bushing {
    unsigned given;
    int part;
    int between[2];
    nt_place_of_point at;
    double stiffness[36], damping[36];

    v3 point_a, point_b; /* from the reference points, body axes         */
    m3 axes_a, axes_b;   /* E = R_A axes_a, F = R_B axes_b               */
} nt_bushing;

enum { GIVEN_BETWEEN, GIVEN_AT, GIVEN_STIFFNESS, GIVEN_DAMPING };

/* rad. Largest relative rotation: group.h's logarithm and T^-1 are accurate to here. */
static const double LARGEST_ROTATION = 3.1;

static const nt_key bushing_keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(nt_bushing, between),
     .bit = GIVEN_BETWEEN,
     .required = true,
     .meaning = "bodies A and B"},
    {.name = "at",
     .type = NT_KEY_POINT,
     .offset = offsetof(nt_bushing, at),
     .bit = GIVEN_AT,
     .required = true,
     .unit = "m",
     .meaning = "its point: ground axes at the given placement, or a marker"},
    {.name = "stiffness",
     .type = NT_KEY_MATRIX,
     .offset = offsetof(nt_bushing, stiffness),
     .bit = GIVEN_STIFFNESS,
     .high = 6,
     .required = true,
     .unit = "N/m, N/rad, N m/m, N m/rad",
     .meaning = "six by six, or the six numbers of the diagonal: force and moment per "
                "displacement and rotation of B relative to A, along x, y, z; in axes that turn "
                "with A and are the ground axes at the given placement; the relative rotation must "
                "stay below 3.1 rad"},
    {.name = "damping",
     .type = NT_KEY_MATRIX,
     .offset = offsetof(nt_bushing, damping),
     .bit = GIVEN_DAMPING,
     .high = 6,
     .unit = "N s/m, N s/rad, N m s/m, N m s/rad",
     .meaning = "the same per rate of displacement and rotation; default 0"},
    NT_KEY_PART(nt_bushing, part, NT_BIT_PART, "implicit"),
    {0},
};

static nt_status bushing_prepare(nt_run *run, const nt_element *element, bool validate,
                                 nt_error *error)
{
    nt_bushing *bushing = nt_element_numbers(run, element);
    int a = bushing->between[0], b = bushing->between[1];
    const nt_body *A = &run->bodies[a], *B = &run->bodies[b];
    if (validate && a == b)
        return nt_load_refuse(run->model, element, error, "it joins %s to itself", A->name);

    /* A marker of any body stands for its place. */
    int owner = bushing->at.marker >= 0 ? run->markers[bushing->at.marker].on : a;
    v3 offset;
    nt_status status = nt_mass_point_refuse(run->model, element, error);
    if (status == NT_OK)
        status = nt_load_point(run, element, &bushing->at, owner, validate, &offset, error);
    if (status)
        return status;
    v3 place = nt_load_ground_point(run, owner, offset);
    bushing->axes_a = m3_transpose(quat_matrix(A->q0));
    bushing->axes_b = m3_transpose(quat_matrix(B->q0));
    bushing->point_a = m3_apply(bushing->axes_a, v3_sub(place, A->x0));
    bushing->point_b = m3_apply(bushing->axes_b, v3_sub(place, B->x0));
    return NT_OK;
}

static nt_status bushing_declare(nt_model *model, nt_element *element)
{
    return nt_load_declare(model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS);
}

/* ---- matrices as arrays --------------------------------------------------------------------- */

/* The 3 x 3 block of a 6 x 6 matrix. */
static m3 part(const double *K, int row, int column)
{
    const double *k = K + 18 * row + 3 * column;
    return (m3){k[0], k[1], k[2], k[6], k[7], k[8], k[12], k[13], k[14]};
}

static m3 tangent_inverse(v3 psi)
{
    double p[3], T[9];
    v3_store(p, psi);
    nt_so3_tangent_inverse(p, T);
    return m3_load(T);
}

/* d(T^-1 a)/dpsi and d(T^-T a)/dpsi */
static m3 tangent_inverse_derivative(v3 psi, v3 a, bool transposed)
{
    double p[3], b[3], D[9];
    v3_store(p, psi);
    v3_store(b, a);
    if (transposed)
        nt_so3_tangent_inverse_transposed_derivative(p, b, D);
    else
        nt_so3_tangent_inverse_derivative(p, b, D);
    return m3_load(D);
}

static v3 rotation_vector(m3 R)
{
    double matrix[9], q[4], psi[3];
    m3_store(matrix, R);
    nt_so3_from_matrix(matrix, q);
    nt_so3_log(q, psi);
    return v3_load(psi);
}

/* ---- kinematics and forces ------------------------------------------------------------------ */

typedef struct state {
    m3 E, Tinv;
    v3 rho_b, r, c, w_ba; /* ground axes, as above                   */
    v3 u, psi, u_dot, psi_dot, N, M;
    v3 n, m; /* ground axes */
} state;

static nt_status find_state(const nt_bushing *bushing, const nt_motion *A, const nt_motion *B,
                            state *s)
{
    const double *K = bushing->stiffness, *C = bushing->damping;
    nt_spot on_a = nt_spot_of(A, bushing->point_a), on_b = nt_spot_of(B, bushing->point_b);

    s->E = m3_multiply(A->R, bushing->axes_a);
    s->rho_b = on_b.rho;
    s->r = v3_sub(on_b.p, A->x);
    s->c = v3_sub(on_b.pdot, v3_add(A->v, v3_cross(A->w, s->r)));
    s->w_ba = v3_sub(B->w, A->w);
    s->u = m3_apply_transposed(s->E, v3_sub(on_b.p, on_a.p));
    s->psi = rotation_vector(m3_multiply(m3_transpose(s->E), m3_multiply(B->R, bushing->axes_b)));
    if (!(v3_norm(s->psi) <= LARGEST_ROTATION))
        return NT_NOT_FINITE;
    s->Tinv = tangent_inverse(s->psi);
    s->u_dot = m3_apply_transposed(s->E, s->c);
    s->psi_dot = m3_apply_transposed(s->Tinv, m3_apply_transposed(s->E, s->w_ba));
    s->N = v3_add(v3_add(m3_apply(part(K, 0, 0), s->u), m3_apply(part(K, 0, 1), s->psi)),
                  v3_add(m3_apply(part(C, 0, 0), s->u_dot), m3_apply(part(C, 0, 1), s->psi_dot)));
    s->M = v3_add(v3_add(m3_apply(part(K, 1, 0), s->u), m3_apply(part(K, 1, 1), s->psi)),
                  v3_add(m3_apply(part(C, 1, 0), s->u_dot), m3_apply(part(C, 1, 1), s->psi_dot)));
    s->n = m3_apply(s->E, s->N);
    s->m = m3_apply(s->E, m3_apply(s->Tinv, s->M));
    return NT_OK;
}

/* The symmetric part of K has a potential; what is left of the forces is counted by its power:
 * -(N, M) . (u', psi') without the potential's share. */
static void add_energy(const nt_bushing *bushing, const state *s, nt_energy *energy)
{
    const double *K = bushing->stiffness;
    double z[6], z_dot[6], of_potential = 0;
    v3_store(z, s->u), v3_store(z + 3, s->psi);
    v3_store(z_dot, s->u_dot), v3_store(z_dot + 3, s->psi_dot);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double symmetric = 0.5 * (K[6 * i + j] + K[6 * j + i]);
            energy->potential += 0.5 * z[i] * symmetric * z[j];
            of_potential += z_dot[i] * symmetric * z[j];
        }
    energy->power += of_potential - (v3_dot(s->N, s->u_dot) + v3_dot(s->M, s->psi_dot));
}

/* ---- tangent -------------------------------------------------------------------------------- */

/* Derivatives of u, psi, u' and psi' in the variations and velocities. In u' = E^T c:
 *
 *   dc = dv_B - rho_B~ dw_B - dv_A + r~ dw_A - w_B~ rho_B~ dtheta_B - w_A~ dr
 *   dr = dx_B - rho_B~ dtheta_B - dx_A,   d(E^T) c = E^T c~ dtheta_A */
typedef struct rates {
    nt_pair_derivative u, psi, u_dot, psi_dot;
} rates;

static void differentiate(const state *s, const nt_motion *A, rates *d)
{
    m3 Et = m3_transpose(s->E), Q = m3_multiply(m3_transpose(s->Tinv), Et);
    m3 minus_Et = m3_scale(-1, Et), minus_Q = m3_scale(-1, Q);
    v3 omega = m3_apply(Et, s->w_ba);
    m3 D = tangent_inverse_derivative(s->psi, omega, true);

    *d = (rates){0};
    d->u.q[NT_T_A] = minus_Et;
    d->u.q[NT_R_A] = m3_multiply_skew(Et, s->r);
    d->u.q[NT_T_B] = Et;
    d->u.q[NT_R_B] = m3_multiply_skew(minus_Et, s->rho_b);
    d->psi.q[NT_R_A] = minus_Q;
    d->psi.q[NT_R_B] = Q;

    memcpy(d->u_dot.v, d->u.q, sizeof d->u.q);
    d->u_dot.q[NT_T_A] = m3_multiply_skew(Et, A->w);
    d->u_dot.q[NT_R_A] = m3_multiply_skew(Et, s->c);
    d->u_dot.q[NT_T_B] = m3_multiply_skew(minus_Et, A->w);
    d->u_dot.q[NT_R_B] = m3_multiply(minus_Et, m3_skew_skew(s->w_ba, s->rho_b));

    memcpy(d->psi_dot.v, d->psi.q, sizeof d->psi.q);
    d->psi_dot.q[NT_R_A] = m3_multiply_skew(Q, s->w_ba);
    nt_pair_accumulate(&d->psi_dot, D, &d->psi);
}

static void add_tangent(const nt_bushing *bushing, const nt_element *element, const nt_view *view,
                        const state *s)
{
    const double *K = bushing->stiffness, *C = bushing->damping;
    rates d;
    differentiate(s, &view->motion[element->a], &d);

    const nt_pair_derivative *const z[2] = {&d.u, &d.psi}, *const z_dot[2] = {&d.u_dot, &d.psi_dot};
    nt_pair_derivative force[2] = {0}; /* dN, dM */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            nt_pair_accumulate(&force[i], part(K, i, j), z[j]);
            nt_pair_accumulate(&force[i], part(C, i, j), z_dot[j]);
        }

    /* dn = E dN + dtheta_A x n,  dm = E (T^-1 dM + d(T^-1)/dpsi M dpsi) + dtheta_A x m */
    nt_pair_derivative dn = {0}, dm = {0};
    nt_pair_accumulate(&dn, s->E, &force[0]);
    dn.q[NT_R_A] = m3_sub(dn.q[NT_R_A], m3_skew(s->n));
    nt_pair_accumulate(&dm, m3_multiply(s->E, s->Tinv), &force[1]);
    nt_pair_accumulate(&dm, m3_multiply(s->E, tangent_inverse_derivative(s->psi, s->M, false)),
                       &d.psi);
    dm.q[NT_R_A] = m3_sub(dm.q[NT_R_A], m3_skew(s->m));

    /* Moments: on B dm + rho_B x dn + drho_B x n, on A -(dm + r x dn + dr x n). */
    m3 identity = m3_identity(), minus = m3_scale(-1, identity), n = m3_skew(s->n);
    m3 turn = m3_skew_skew(s->n, s->rho_b);
    nt_pair_derivative on_a = {0}, moment_a = {0}, moment_b = dm;
    nt_pair_accumulate(&on_a, minus, &dn);
    nt_pair_accumulate(&moment_b, m3_skew(s->rho_b), &dn);
    moment_b.q[NT_R_B] = m3_add(moment_b.q[NT_R_B], turn);
    nt_pair_accumulate(&moment_a, minus, &dm);
    nt_pair_accumulate(&moment_a, m3_scale(-1, m3_skew(s->r)), &dn);
    moment_a.q[NT_T_A] = m3_sub(moment_a.q[NT_T_A], n);
    moment_a.q[NT_T_B] = m3_add(moment_a.q[NT_T_B], n);
    moment_a.q[NT_R_B] = m3_sub(moment_a.q[NT_R_B], turn);

    nt_pair_add(element, view, NT_T_A, &on_a);
    nt_pair_add(element, view, NT_R_A, &moment_a);
    nt_pair_add(element, view, NT_T_B, &dn);
    nt_pair_add(element, view, NT_R_B, &moment_b);
}

static nt_status bushing_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_bushing *bushing = nt_element_data(view->run, element);
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    state s;
    nt_status status =
        find_state(bushing, &view->motion[element->a], &view->motion[element->b], &s);
    if (status)
        return status;
    if (view->energy) {
        add_energy(bushing, &s, view->energy);
        return NT_OK;
    }
    if (view->terms->residual) {
        nt_view_force(view, NT_T_A, v3_neg(s.n));
        nt_view_force(view, NT_R_A, v3_neg(v3_add(v3_cross(s.r, s.n), s.m)));
        nt_view_force(view, NT_T_B, s.n);
        nt_view_force(view, NT_R_B, v3_add(v3_cross(s.rho_b, s.n), s.m));
    }
    if (view->terms->matrix)
        add_tangent(bushing, element, view, &s);
    return NT_OK;
}

static void reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    state s;
    if (find_state(nt_element_data(view->run, element), &view->motion[element->a],
                   &view->motion[element->b], &s) != NT_OK)
        s.n = s.m = v3_of(NAN, NAN, NAN);
    *force = v3_neg(s.n);
    *torque = v3_neg(s.m);
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_bushing *data = nt_element_data(run, element);
    for (int i = 0; i < 36; i++)
        if (data->damping[i] != 0)
            return true;
    return false;
}

static void draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_bushing *bushing = nt_element_data(run, element);
    nt_sketch sketch = {.drawing = NT_DRAW_BUSH};
    m3 A = bushing->axes_a, B = bushing->axes_b;
    nt_sketch_add(&sketch, element->a, bushing->point_a, v3_of(A.xz, A.yz, A.zz));
    nt_sketch_add(&sketch, element->b, bushing->point_b, v3_of(B.xz, B.yz, B.zz));
    put(to, &sketch);
}

const nt_element_type nt_force_bushing = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "bushing",
    .summary = "an elastic joint: six stiffnesses and dampings between two bodies",
    .notes = "It measures the displacement u of its point of B from its point of A, and the "
             "rotation vector psi of B relative to A, both along axes that turn with A. From them "
             "and their "
             "rates `stiffness` and `damping` give N and M. The force on B is -N at B's point, and "
             "A bears "
             "N at B's point too, not at its own. M is conjugate to the rotation vector, its power "
             "is M . "
             "psi'; the torque on B is -T^-1(psi) M with the tangent operator T of "
             "[theory.md](theory.md), "
             "which is -M where M is along psi, and else differs by about half the cross product "
             "of psi and "
             "M. So the forces of a symmetric stiffness K are exactly those of the potential (u, "
             "psi) . K "
             "(u, psi) / 2.",
    .keys = bushing_keys,
    .size = sizeof(nt_bushing),
    .part = NT_IMPLICIT,
    .prepare = bushing_prepare,
    .declare = bushing_declare,
    .evaluate = bushing_evaluate,
    .depends_on_rates = depends_on_rates,
    .reaction = reaction,
    .draw = draw,
};
