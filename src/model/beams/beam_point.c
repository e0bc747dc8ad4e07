/* A beam at one point of its line; see beam_point.h. */
#include "model/beams/beam_point.h"

#include <string.h>

/* ---- small matrices ------------------------------------------------------------------------- */

static inline v3 vec(quat a) { return v3_of(a.x, a.y, a.z); }
static inline quat pure(v3 a) { return (quat){0, a.x, a.y, a.z}; }
static inline quat conjugate(quat a) { return (quat){a.w, -a.x, -a.y, -a.z}; }

/* L(p) b = vec(p* b) */
static void left(const double p[4], double L[3][4])
{
    const double rows[3][4] = {
        {-p[1], p[0], p[3], -p[2]}, {-p[2], -p[3], p[0], p[1]}, {-p[3], p[2], -p[1], p[0]}};
    memcpy(L, rows, sizeof rows);
}

/* Y(y) b = vec(y b) */
static void right(quat y, double Y[3][4])
{
    const double rows[3][4] = {{y.x, y.w, -y.z, y.y}, {y.y, y.z, y.w, -y.x}, {y.z, -y.y, y.x, y.w}};
    memcpy(Y, rows, sizeof rows);
}

/* The rotation of p/|p|. */
static m3 rotation(const double p[4], double n)
{
    quat r = quat_load(p);
    double s = 2 / n;
    return (m3){1 - s * (r.y * r.y + r.z * r.z), s * (r.x * r.y - r.w * r.z),
                s * (r.x * r.z + r.w * r.y),     s * (r.x * r.y + r.w * r.z),
                1 - s * (r.x * r.x + r.z * r.z), s * (r.y * r.z - r.w * r.x),
                s * (r.x * r.z - r.w * r.y),     s * (r.y * r.z + r.w * r.x),
                1 - s * (r.x * r.x + r.y * r.y)};
}

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static v3 apply34(double A[3][4], const double b[4])
{
    return v3_of(dot4(A[0], b), dot4(A[1], b), dot4(A[2], b));
}

/* out += m A, A 3 x 4 */
static void add_product(m3 m, double A[3][4], double out[3][4])
{
    for (int j = 0; j < 4; j++) {
        v3 c = m3_apply(m, v3_of(A[0][j], A[1][j], A[2][j]));
        out[0][j] += c.x, out[1][j] += c.y, out[2][j] += c.z;
    }
}

/* out += s a b^T */
static void add_dyad(double s, v3 a, const double b[4], double out[3][4])
{
    for (int j = 0; j < 4; j++) {
        out[0][j] += s * a.x * b[j];
        out[1][j] += s * a.y * b[j];
        out[2][j] += s * a.z * b[j];
    }
}

/* ---- strains -------------------------------------------------------------------------------- */

void nt_beam_strain_of(const nt_beam_fields *f, v3 reference, nt_beam_strain *strain)
{
    quat p = quat_load(f->p);
    double n = dot4(f->p, f->p), s = 2 / n, L[3][4], Ld[3][4], Y[3][4];
    quat y = quat_multiply(conjugate(p), pure(f->v));
    v3 gam = v3_scale(1 / n, vec(quat_multiply(y, p)));
    left(f->p, L);
    left(f->d, Ld);
    right(y, Y);
    v3 kap = v3_scale(s, apply34(L, f->d)), eps = v3_sub(gam, reference);
    v3_store(strain->e, eps);
    v3_store(strain->e + 3, kap);
    strain->gam = gam, strain->kap = kap, strain->n = n;
    m3 R = rotation(f->p, n);
    memset(strain->J, 0, sizeof strain->J);
    double g[3], k[3];
    v3_store(g, gam);
    v3_store(k, kap);
    const double columns[3][3] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            strain->J[i][NT_BEAM_V + j] = columns[i][j];
        for (int j = 0; j < 4; j++) {
            strain->J[i][NT_BEAM_P + j] = s * (Y[i][j] - g[i] * f->p[j]);
            strain->J[3 + i][NT_BEAM_P + j] = -s * (Ld[i][j] + k[i] * f->p[j]);
            strain->J[3 + i][NT_BEAM_D + j] = s * L[i][j];
        }
    }
}

/* D = (Z - 2 h P^T - 2 P h^T - 2 phi I_pp)/n, with h = J^T s, P = (0, p, 0),
 * phi = S . gam + T . kap; Z of the strains' second derivatives. */
static void add_geometric(const nt_beam_fields *f, const nt_beam_strain *strain, const double *s,
                          double factor, double H[NT_BEAM_Z][NT_BEAM_Z])
{
    v3 S = v3_load(s), T = v3_load(s + 3), v = f->v, vxS = v3_cross(v, S);
    double h[NT_BEAM_Z], vS = v3_dot(v, S), c = factor / strain->n;
    double phi = v3_dot(S, strain->gam) + v3_dot(T, strain->kap);
    for (int j = 0; j < NT_BEAM_Z; j++) {
        h[j] = 0;
        for (int i = 0; i < 6; i++)
            h[j] += strain->J[i][j] * s[i];
    }
    quat b = quat_multiply(pure(S), conjugate(quat_load(f->p)));
    const double vp[3][4] = {{b.x, b.w, b.z, -b.y}, {b.y, -b.z, b.w, b.x}, {b.z, b.y, -b.x, b.w}};
    const double pp[4][4] = {
        {vS, -vxS.x, -vxS.y, -vxS.z},
        {-vxS.x, 2 * S.x * v.x - vS, S.x * v.y + v.x * S.y, S.x * v.z + v.x * S.z},
        {-vxS.y, S.y * v.x + v.y * S.x, 2 * S.y * v.y - vS, S.y * v.z + v.y * S.z},
        {-vxS.z, S.z * v.x + v.z * S.x, S.z * v.y + v.z * S.y, 2 * S.z * v.z - vS}};
    const double pd[4][4] = {
        {0, T.x, T.y, T.z}, {-T.x, 0, -T.z, T.y}, {-T.y, T.z, 0, -T.x}, {-T.z, -T.y, T.x, 0}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            H[NT_BEAM_V + j][NT_BEAM_P + i] += 2 * c * vp[j][i];
            H[NT_BEAM_P + i][NT_BEAM_V + j] += 2 * c * vp[j][i];
        }
        for (int j = 0; j < 4; j++) {
            H[NT_BEAM_P + i][NT_BEAM_P + j] += 2 * c * pp[i][j];
            H[NT_BEAM_P + i][NT_BEAM_D + j] += 2 * c * pd[i][j];
            H[NT_BEAM_D + j][NT_BEAM_P + i] += 2 * c * pd[i][j];
        }
        for (int j = 0; j < NT_BEAM_Z; j++) {
            H[j][NT_BEAM_P + i] -= 2 * c * h[j] * f->p[i];
            H[NT_BEAM_P + i][j] -= 2 * c * h[j] * f->p[i];
        }
        H[NT_BEAM_P + i][NT_BEAM_P + i] -= 2 * c * phi;
    }
}

/* H += w J^T C X */
static void add_weighted(const nt_beam_strain *strain, const double *C, double w,
                         double X[6][NT_BEAM_Z], double H[NT_BEAM_Z][NT_BEAM_Z])
{
    double CX[6][NT_BEAM_Z];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < NT_BEAM_Z; j++) {
            CX[i][j] = 0;
            for (int k = 0; k < 6; k++)
                CX[i][j] += w * C[6 * i + k] * X[k][j];
        }
    for (int i = 0; i < NT_BEAM_Z; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < NT_BEAM_Z; j++)
                H[i][j] += strain->J[k][i] * CX[k][j];
}

void nt_beam_stiffness(const nt_beam_fields *f, const nt_beam_strain *strain, const double *C,
                       const double *s, double w, double H[NT_BEAM_Z][NT_BEAM_Z])
{
    nt_beam_damping(strain, C, w, H);
    add_geometric(f, strain, s, w, H);
}

/* ---- damping -------------------------------------------------------------------------------- */

void nt_beam_strain_rate(const nt_beam_strain *strain, const nt_beam_fields *rate, double et[6])
{
    const double z[NT_BEAM_Z] = {rate->v.x,  rate->v.y,  rate->v.z,  rate->p[0],
                                 rate->p[1], rate->p[2], rate->p[3], rate->d[0],
                                 rate->d[1], rate->d[2], rate->d[3]};
    for (int i = 0; i < 6; i++) {
        et[i] = 0;
        for (int j = 0; j < NT_BEAM_Z; j++)
            et[i] += strain->J[i][j] * z[j];
    }
}

void nt_beam_damping(const nt_beam_strain *strain, const double *D, double w,
                     double H[NT_BEAM_Z][NT_BEAM_Z])
{
    double X[6][NT_BEAM_Z];
    memcpy(X, strain->J, sizeof X);
    memset(H, 0, NT_BEAM_Z * sizeof *H);
    add_weighted(strain, D, w, X, H);
}

/* Q = (2/n) [ M1, Y(p* vt) + Y(pt* v) - gam pt^T - gam_t p^T, 0;
 *             0, -L(dt) - kap pt^T - kap_t p^T, L(pt) ] - (n_t/n) J,   M1 b = vec(p* (0, b) pt) */
void nt_beam_damped_stiffness(const nt_beam_fields *f, const nt_beam_fields *rate,
                              const nt_beam_strain *strain, const double et[6], const double *D,
                              double w, double H[NT_BEAM_Z][NT_BEAM_Z])
{
    double Q[6][NT_BEAM_Z], Y[2][3][4], Ldt[3][4], Lpt[3][4], s = 2 / strain->n;
    double nt = 2 * dot4(f->p, rate->p) / strain->n;
    quat p = conjugate(quat_load(f->p)), pt = quat_load(rate->p);
    const double g[6] = {strain->gam.x, strain->gam.y, strain->gam.z,
                         strain->kap.x, strain->kap.y, strain->kap.z};
    right(quat_multiply(p, pure(rate->v)), Y[0]);
    right(quat_multiply(conjugate(pt), pure(f->v)), Y[1]);
    left(rate->d, Ldt);
    left(rate->p, Lpt);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < NT_BEAM_Z; j++)
            Q[i][j] = -nt * strain->J[i][j];
    for (int c = 0; c < 3; c++) {
        v3 unit = v3_of(c == 0, c == 1, c == 2);
        v3 column = v3_scale(s, vec(quat_multiply(quat_multiply(p, pure(unit)), pt)));
        Q[0][c] += column.x, Q[1][c] += column.y, Q[2][c] += column.z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            Q[i][NT_BEAM_P + j] +=
                s * (Y[0][i][j] + Y[1][i][j] - g[i] * rate->p[j] - et[i] * f->p[j]);
            Q[3 + i][NT_BEAM_P + j] -=
                s * (Ldt[i][j] + g[3 + i] * rate->p[j] + et[3 + i] * f->p[j]);
            Q[3 + i][NT_BEAM_D + j] += s * Lpt[i][j];
        }
    add_weighted(strain, D, w, Q, H);
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* Rows of f: R A; rows of g: Lp^T B. */
static void put_rows(m3 R, double Lp[3][4], double A[3][4], double B[3][4], double out[7][4])
{
    for (int j = 0; j < 4; j++) {
        v3 f = m3_apply(R, v3_of(A[0][j], A[1][j], A[2][j]));
        out[0][j] = f.x, out[1][j] = f.y, out[2][j] = f.z;
        for (int i = 0; i < 4; i++)
            out[3 + i][j] = Lp[0][i] * B[0][j] + Lp[1][i] * B[1][j] + Lp[2][i] * B[2][j];
    }
}

/* With W = Lp pt, Al = Lp ptt - c W, b = Al x me + W x (W x me), Mm = me x y + rho Al + W x rho W:
 *
 *   f = m a + R b,   g = Lp^T Mm */
static void inertia_tangent(const nt_beam_mass *mass, const nt_beam_motion *mo, double n, double c,
                            m3 R, double Lp[3][4], v3 W, v3 Al, v3 b, v3 y, v3 Mm,
                            nt_beam_inertia *out)
{
    double s = 2 / n;
    m3 me = m3_skew(mass->me), rho = mass->rho;
    m3 b_Al = m3_scale(-1, me);
    m3 b_W = m3_scale(-1, m3_add(m3_skew(v3_cross(W, mass->me)), m3_skew_multiply(W, me)));
    m3 M_W = m3_sub(m3_skew_multiply(W, rho), m3_skew(m3_apply(rho, W)));
    double W_p[3][4] = {{0}}, Al_t[3][4] = {{0}}, Al_p[3][4] = {{0}}, L[3][4];
    left(mo->pt, L);
    add_product(m3_scale(-s, m3_identity()), L, W_p);
    add_dyad(-s, W, mo->p, W_p);
    add_product(m3_scale(-c, m3_identity()), Lp, Al_t);
    add_dyad(-s, W, mo->p, Al_t);
    left(mo->ptt, L);
    add_product(m3_scale(-s, m3_identity()), L, Al_p);
    add_dyad(-s, Al, mo->p, Al_p);
    add_product(m3_scale(-c, m3_identity()), W_p, Al_p);
    add_dyad(-s, W, mo->pt, Al_p);

    double A[3][4] = {{0}}, B[3][4] = {{0}};
    add_product(b_Al, Lp, A);
    add_product(rho, Lp, B);
    put_rows(R, Lp, A, B, out->of_ptt);
    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
    add_product(b_Al, Al_t, A);
    add_product(b_W, Lp, A);
    add_product(rho, Al_t, B);
    add_product(M_W, Lp, B);
    put_rows(R, Lp, A, B, out->of_pt);
    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
    add_product(b_Al, Al_p, A);
    add_product(b_W, W_p, A);
    add_product(m3_scale(-1, m3_skew(b)), Lp, A);
    add_product(rho, Al_p, B);
    add_product(M_W, W_p, B);
    add_product(m3_multiply(me, m3_skew(y)), Lp, B);
    put_rows(R, Lp, A, B, out->of_p);
    /* g_p besides: (2/n) Mm's product from the right, and the factor 1/n of Lp */
    const double M[4][4] = {{0, -Mm.x, -Mm.y, -Mm.z},
                            {Mm.x, 0, Mm.z, -Mm.y},
                            {Mm.y, -Mm.z, 0, Mm.x},
                            {Mm.z, Mm.y, -Mm.x, 0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out->of_p[3 + i][j] += s * (M[i][j] - out->g[i] * mo->p[j]);

    m3 g_a = m3_multiply(me, m3_transpose(R));
    const double ga[3][3] = {
        {g_a.xx, g_a.xy, g_a.xz}, {g_a.yx, g_a.yy, g_a.yz}, {g_a.zx, g_a.zy, g_a.zz}};
    memset(out->of_a, 0, sizeof out->of_a);
    for (int j = 0; j < 3; j++) {
        out->of_a[j][j] = mass->m;
        for (int i = 0; i < 4; i++)
            out->of_a[3 + i][j] = Lp[0][i] * ga[0][j] + Lp[1][i] * ga[1][j] + Lp[2][i] * ga[2][j];
    }
}

void nt_beam_inertia_of(const nt_beam_mass *mass, const nt_beam_motion *mo, bool tangent,
                        nt_beam_inertia *out)
{
    double n = dot4(mo->p, mo->p), c = 2 * dot4(mo->p, mo->pt) / n, Lp[3][4];
    left(mo->p, Lp);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            Lp[i][j] *= 2 / n;
    m3 R = rotation(mo->p, n);
    v3 W = apply34(Lp, mo->pt), Al = v3_sub(apply34(Lp, mo->ptt), v3_scale(c, W));
    v3 me = mass->me, y = m3_apply_transposed(R, mo->a);
    v3 b = v3_add(v3_cross(Al, me), v3_cross(W, v3_cross(W, me)));
    v3 Mm = v3_add(v3_cross(me, y),
                   v3_add(m3_apply(mass->rho, Al), v3_cross(W, m3_apply(mass->rho, W))));
    out->f = v3_axpy(mass->m, mo->a, m3_apply(R, b));
    for (int i = 0; i < 4; i++)
        out->g[i] = Lp[0][i] * Mm.x + Lp[1][i] * Mm.y + Lp[2][i] * Mm.z;
    if (tangent)
        inertia_tangent(mass, mo, n, c, R, Lp, W, Al, b, y, Mm, out);
}

/* ---- loads per length ------------------------------------------------------------------------ */

void nt_beam_push_of(const double p[4], v3 f, v3 m, bool follows, nt_beam_push *out,
                     double of_p[7][4])
{
    double n = dot4(p, p), s = 2 / n, L[3][4];
    m3 R = rotation(p, n);
    quat q = quat_load(p), g = follows ? quat_multiply(q, pure(m)) : quat_multiply(pure(m), q);
    out->f = follows ? m3_apply(R, f) : f;
    quat_store(out->g, (quat){s * g.w, s * g.x, s * g.y, s * g.z});
    if (!of_p)
        return;
    memset(of_p, 0, 7 * sizeof *of_p);
    if (follows) { /* -R f~ Lp */
        left(p, L);
        m3 Rf = m3_scale(-s, m3_multiply(R, m3_skew(f)));
        double rows[3][4] = {{0}};
        add_product(Rf, L, rows);
        memcpy(of_p, rows, sizeof rows);
    }
    double sign = follows ? -1 : 1; /* (0, m) p or p (0, m), by p */
    const double M[4][4] = {{0, -m.x, -m.y, -m.z},
                            {m.x, 0, -sign * m.z, sign * m.y},
                            {m.y, sign * m.z, 0, -sign * m.x},
                            {m.z, -sign * m.y, sign * m.x, 0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            of_p[3 + i][j] = s * (M[i][j] - out->g[i] * p[j]);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

void nt_beam_rotation_map(const double r[4], double P[4][3])
{
    const double rows[4][3] = {{-r[1] / 2, -r[2] / 2, -r[3] / 2},
                               {r[0] / 2, r[3] / 2, -r[2] / 2},
                               {-r[3] / 2, r[0] / 2, r[1] / 2},
                               {r[2] / 2, -r[1] / 2, r[0] / 2}};
    memcpy(P, rows, sizeof rows);
}

v3 nt_beam_moment(const double r[4], const double G[4])
{
    return v3_scale(0.5, vec(quat_multiply(quat_load(G), conjugate(quat_load(r)))));
}

void nt_beam_quaternion_rates(const double r[4], v3 w, v3 alpha, double rt[4], double rtt[4])
{
    quat q = quat_load(r), first = quat_multiply(pure(w), q),
         second = quat_multiply(pure(alpha), q);
    double square = v3_dot(w, w) / 4;
    quat_store(rt, (quat){first.w / 2, first.x / 2, first.y / 2, first.z / 2});
    quat_store(rtt, (quat){second.w / 2 - square * q.w, second.x / 2 - square * q.x,
                           second.y / 2 - square * q.y, second.z / 2 - square * q.z});
}

void nt_beam_quaternion_rate(const double r[4], v3 w, double rt[4])
{
    quat first = quat_multiply(pure(w), quat_load(r));
    quat_store(rt, (quat){first.w / 2, first.x / 2, first.y / 2, first.z / 2});
}

void nt_beam_one_side(const double neighbour[4], double r[4])
{
    bool other = dot4(neighbour, r) < 0;
    for (int k = 0; other && k < 4; k++)
        r[k] = -r[k];
}
