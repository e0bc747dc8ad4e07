/* Strains and elastic forces at one point of a beam, in vectors of four.
 *
 * z = (v, p, d) has 3 + 4 + 4 entries: three lanes, the first with a zero behind. Strains depend on
 * them in a fixed pattern, eps on v and p, kap on p and d; so each row of a derivative is two lanes
 * that are not zero. Formulas: beam_point.h. */
#ifndef NUTATE_MODEL_BEAM_STRAIN_H
#define NUTATE_MODEL_BEAM_STRAIN_H

#include "base/target.h"
#include "linalg/lanes.h"
#include "model/beams/beam.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif

/* The fields v, p, d, or their rates. */
typedef struct nt_beam_lanes {
    lanes v, p, d;
} nt_beam_lanes;

/* Derivatives of six strains in z: of row k `own` in v (k < 3) or d (k >= 3), `shared` in p. */
typedef struct nt_beam_jacobian {
    lanes own[6], shared[6];
} nt_beam_jacobian;

typedef struct nt_beam_strain {
    double e[6], g[6]; /* eps, kap; gam, kap */
    double n;          /* p . p              */
    nt_beam_jacobian J;
} nt_beam_strain;

/* A second derivative: rows v, p, d. */
typedef lanes_anywhere nt_beam_hessian[NT_BEAM_Z][3];

NT_INLINE lanes lanes_of(double a, double b, double c, double d) { return (lanes){a, b, c, d}; }
NT_INLINE lanes lanes_load(const double *x) { return *(const lanes_anywhere *)x; }
/* With zero behind. */
NT_INLINE lanes lanes_of3(double a, double b, double c)
{
    const lanes_mask three = {-1, -1, -1, 0};
    return (lanes)((lanes_mask)(lanes){a, b, c, c} & three);
}
NT_INLINE lanes lanes_of_v3(v3 a) { return lanes_of3(a.x, a.y, a.z); }
NT_INLINE v3 lanes_v3(lanes a) { return (v3){a[0], a[1], a[2]}; }
NT_INLINE quat lanes_quat(lanes a) { return (quat){a[0], a[1], a[2], a[3]}; }
NT_INLINE lanes lanes_of_quat(quat a) { return (lanes){a.w, a.x, a.y, a.z}; }
NT_INLINE double lanes_dot(lanes a, lanes b)
{
    lanes ab = a * b;
    return (ab[0] + ab[1]) + (ab[2] + ab[3]);
}

/* Entries of a with signs. */
#define LANES_PICK(a, i, j, k, l, si, sj, sk, sl)                                                  \
    (__builtin_shufflevector(a, a, i, j, k, l) * (lanes){si, sj, sk, sl})

/* Rows of L(p), L(p) b = vec(p* b), and of Y(y), Y(y) b = vec(y b). */
NT_INLINE void beam_left(lanes p, lanes L[3])
{
    L[0] = LANES_PICK(p, 1, 0, 3, 2, -1, 1, 1, -1);
    L[1] = LANES_PICK(p, 2, 3, 0, 1, -1, -1, 1, 1);
    L[2] = LANES_PICK(p, 3, 2, 1, 0, -1, 1, -1, 1);
}
NT_INLINE void beam_right(lanes y, lanes Y[3])
{
    Y[0] = LANES_PICK(y, 1, 0, 3, 2, 1, 1, -1, 1);
    Y[1] = LANES_PICK(y, 2, 3, 0, 1, 1, 1, 1, -1);
    Y[2] = LANES_PICK(y, 3, 2, 1, 0, 1, -1, 1, 1);
}

NT_INLINE quat beam_conjugate(quat a) { return (quat){a.w, -a.x, -a.y, -a.z}; }
NT_INLINE quat beam_pure(v3 a) { return (quat){0, a.x, a.y, a.z}; }
NT_INLINE v3 beam_vector(quat a) { return (v3){a.x, a.y, a.z}; }

/* de/dv = R^T, de/dp = (2/n) [Y(y) - gam p^T; -L(d) - kap p^T], de/dd = (2/n) L(p), y = p* (0, v)
 */
NT_INLINE void beam_strain(const nt_beam_lanes *f, v3 reference, nt_beam_strain *st)
{
    double n = lanes_dot(f->p, f->p), s = 2 / n;
    quat p = lanes_quat(f->p), y = quat_multiply(beam_conjugate(p), beam_pure(lanes_v3(f->v)));
    v3 gam = v3_scale(1 / n, beam_vector(quat_multiply(y, p)));
    v3 kap = v3_scale(s, beam_vector(quat_multiply(beam_conjugate(p), lanes_quat(f->d))));
    v3_store(st->e, v3_sub(gam, reference));
    v3_store(st->e + 3, kap);
    v3_store(st->g, gam);
    v3_store(st->g + 3, kap);
    st->n = n;
    double xx = s * p.x * p.x, yy = s * p.y * p.y, zz = s * p.z * p.z;
    double xy = s * p.x * p.y, xz = s * p.x * p.z, yz = s * p.y * p.z;
    double wx = s * p.w * p.x, wy = s * p.w * p.y, wz = s * p.w * p.z;
    st->J.own[0] = lanes_of3(1 - (yy + zz), xy + wz, xz - wy);
    st->J.own[1] = lanes_of3(xy - wz, 1 - (xx + zz), yz + wx);
    st->J.own[2] = lanes_of3(xz + wy, yz - wx, 1 - (xx + yy));
    lanes Y[3], L[3];
    beam_right(lanes_of_quat(y), Y);
    for (int k = 0; k < 3; k++)
        st->J.shared[k] = s * (Y[k] - st->g[k] * f->p);
    beam_left(f->d, L);
    for (int k = 0; k < 3; k++)
        st->J.shared[3 + k] = -s * (L[k] + st->g[3 + k] * f->p);
    beam_left(f->p, L);
    for (int k = 0; k < 3; k++)
        st->J.own[3 + k] = s * L[k];
}

/* s += C e; C is symmetric, so its columns are its rows. */
NT_INLINE void beam_add_stress(const double C[36], const double e[6], double s[6])
{
    lanes low = lanes_load(s), high = lanes_of(0, 0, s[4], s[5]);
    for (int k = 0; k < 6; k++) {
        low += e[k] * lanes_load(C + 6 * k);
        high += e[k] * lanes_load(C + 6 * k + 2);
    }
    *(lanes_anywhere *)s = low;
    s[4] = high[2], s[5] = high[3];
}

/* e' = J z' */
NT_INLINE void beam_strain_rate(const nt_beam_jacobian *J, const nt_beam_lanes *rate, double et[6])
{
    for (int k = 0; k < 6; k++) {
        lanes sum = J->own[k] * (k < 3 ? rate->v : rate->d) + J->shared[k] * rate->p;
        et[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* J^T s */
NT_INLINE nt_beam_lanes beam_gradient(const nt_beam_jacobian *J, const double s[6])
{
    nt_beam_lanes h = {s[0] * J->own[0], s[0] * J->shared[0], s[3] * J->own[3]};
    for (int k = 1; k < 3; k++)
        h.v += s[k] * J->own[k], h.d += s[3 + k] * J->own[3 + k];
    for (int k = 1; k < 6; k++)
        h.p += s[k] * J->shared[k];
    return h;
}

/* H += w J^T C X, X with the pattern of J; `anew`: H = w J^T C X. */
NT_INLINE void beam_add_weighted(const nt_beam_jacobian *J, const double C[36],
                                 const nt_beam_jacobian *X, double w, const bool anew,
                                 nt_beam_hessian H)
{
    const lanes none = {0};
    lanes CX[6][3];
    for (int i = 0; i < 6; i++) {
        const double *c = C + 6 * i;
        lanes v = c[0] * X->own[0], p = c[0] * X->shared[0], d = c[3] * X->own[3];
        for (int k = 1; k < 3; k++)
            v += c[k] * X->own[k], d += c[3 + k] * X->own[3 + k];
        for (int k = 1; k < 6; k++)
            p += c[k] * X->shared[k];
        CX[i][0] = w * v, CX[i][1] = w * p, CX[i][2] = w * d;
    }
    for (int c = 0; c < 3; c++) {
        for (int a = 0; a < 3; a++)
            H[NT_BEAM_V + a][c] =
                (anew ? none : H[NT_BEAM_V + a][c]) +
                (J->own[0][a] * CX[0][c] + J->own[1][a] * CX[1][c] + J->own[2][a] * CX[2][c]);
        for (int a = 0; a < 4; a++) {
            lanes sum = J->shared[0][a] * CX[0][c];
            for (int k = 1; k < 6; k++)
                sum += J->shared[k][a] * CX[k][c];
            H[NT_BEAM_P + a][c] = (anew ? none : H[NT_BEAM_P + a][c]) + sum;
            H[NT_BEAM_D + a][c] =
                (anew ? none : H[NT_BEAM_D + a][c]) +
                (J->own[3][a] * CX[3][c] + J->own[4][a] * CX[4][c] + J->own[5][a] * CX[5][c]);
        }
    }
}

/* H += (w/n) (Z - 2 h P^T - 2 P h^T - 2 phi I_pp), with h = J^T s, P = (0, p, 0),
 * phi = S . gam + T . kap; Z of the strains' second derivatives. */
NT_INLINE void beam_add_geometric(const nt_beam_lanes *f, const nt_beam_strain *st,
                                  const double s[6], double w, nt_beam_hessian H)
{
    v3 S = v3_load(s), T = v3_load(s + 3), v = lanes_v3(f->v), vxS = v3_cross(v, S);
    double c = 2 * w / st->n, vS = v3_dot(v, S);
    double m = -vS - v3_dot(S, v3_load(st->g)) - v3_dot(T, v3_load(st->g + 3));
    double last = m + 2 * vS; /* vS - phi */
    nt_beam_lanes h = beam_gradient(&st->J, s);
    lanes p = f->p;
    lanes b = lanes_of_quat(quat_multiply(beam_pure(S), beam_conjugate(lanes_quat(p))));
    const lanes vp[3] = {LANES_PICK(b, 1, 0, 3, 2, 1, 1, 1, -1),
                         LANES_PICK(b, 2, 3, 0, 1, 1, -1, 1, 1),
                         LANES_PICK(b, 3, 2, 1, 0, 1, 1, -1, 1)};
    const lanes pv[4] = {
        LANES_PICK(b, 1, 2, 3, 0, 1, 1, 1, 0), LANES_PICK(b, 0, 3, 2, 1, 1, -1, 1, 0),
        LANES_PICK(b, 3, 0, 1, 2, 1, 1, -1, 0), LANES_PICK(b, 2, 1, 0, 3, -1, 1, 1, 0)};
    double xy = S.x * v.y + v.x * S.y, xz = S.x * v.z + v.x * S.z, yz = S.y * v.z + v.y * S.z;
    const lanes pp[4] = {
        lanes_of(last, -vxS.x, -vxS.y, -vxS.z), lanes_of(-vxS.x, m + 2 * S.x * v.x, xy, xz),
        lanes_of(-vxS.y, xy, m + 2 * S.y * v.y, yz), lanes_of(-vxS.z, xz, yz, m + 2 * S.z * v.z)};
    lanes t = lanes_of(0, T.x, T.y, T.z);
    const lanes pd[4] = {t, LANES_PICK(t, 1, 0, 3, 2, -1, 1, -1, 1),
                         LANES_PICK(t, 2, 3, 0, 1, -1, 1, 1, -1),
                         LANES_PICK(t, 3, 2, 1, 0, -1, -1, 1, 1)};
    const lanes dp[4] = {-t, LANES_PICK(t, 1, 0, 3, 2, 1, 1, 1, -1),
                         LANES_PICK(t, 2, 3, 0, 1, 1, -1, 1, 1),
                         LANES_PICK(t, 3, 2, 1, 0, 1, 1, -1, 1)};
    for (int a = 0; a < 3; a++)
        H[NT_BEAM_V + a][1] += c * (vp[a] - h.v[a] * p);
    for (int a = 0; a < 4; a++) {
        lanes_anywhere *row = H[NT_BEAM_P + a];
        row[0] += c * (pv[a] - p[a] * h.v);
        row[1] += c * (pp[a] - (p[a] * h.p + h.p[a] * p));
        row[2] += c * (pd[a] - p[a] * h.d);
        H[NT_BEAM_D + a][1] += c * (dp[a] - h.d[a] * p);
    }
}

/* d(J z')/dz = (2/n) [ M1, Y(p* vt) + Y(pt* v) - gam pt^T - gam_t p^T, 0;
 *                      0, -L(dt) - kap pt^T - kap_t p^T, L(pt) ] - (n_t/n) J
 *
 * with M1 b = vec(p* (0, b) pt). */
NT_INLINE void beam_rate_jacobian(const nt_beam_lanes *f, const nt_beam_lanes *rate,
                                  const nt_beam_strain *st, const double et[6], nt_beam_jacobian *Q)
{
    double s = 2 / st->n, nt = 2 * lanes_dot(f->p, rate->p) / st->n;
    quat p = beam_conjugate(lanes_quat(f->p)), pt = lanes_quat(rate->p);
    quat y[2] = {quat_multiply(p, beam_pure(lanes_v3(rate->v))),
                 quat_multiply(beam_conjugate(pt), beam_pure(lanes_v3(f->v)))};
    lanes Y[2][3], Ldt[3], Lpt[3];
    beam_right(lanes_of_quat(y[0]), Y[0]);
    beam_right(lanes_of_quat(y[1]), Y[1]);
    beam_left(rate->d, Ldt);
    beam_left(rate->p, Lpt);
    v3 column[3];
    for (int c = 0; c < 3; c++)
        column[c] = beam_vector(
            quat_multiply(quat_multiply(p, beam_pure(v3_of(c == 0, c == 1, c == 2))), pt));
    const lanes M1[3] = {lanes_of3(column[0].x, column[1].x, column[2].x),
                         lanes_of3(column[0].y, column[1].y, column[2].y),
                         lanes_of3(column[0].z, column[1].z, column[2].z)};
    for (int k = 0; k < 3; k++) {
        Q->own[k] = s * M1[k] - nt * st->J.own[k];
        Q->own[3 + k] = s * Lpt[k] - nt * st->J.own[3 + k];
        Q->shared[k] =
            s * (Y[0][k] + Y[1][k] - st->g[k] * rate->p - et[k] * f->p) - nt * st->J.shared[k];
        Q->shared[3 + k] =
            -s * (Ldt[k] + st->g[3 + k] * rate->p + et[3 + k] * f->p) - nt * st->J.shared[3 + k];
    }
}

#endif
