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
