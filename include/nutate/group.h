/* Rotations and rigid motions, and the configuration spaces built from them.
 *
 * One algorithm serves vector spaces and rotation groups because composition, exponential and
 * tangent operator are all it needs (Bruls & Eberhard 2008, table 1). Here they are.
 *
 * Conventions. Rotations are unit quaternions (w, x, y, z); R maps body axes to ground axes.
 * A frame says where increments and angular velocities live:
 *   NT_BODY      R = R_n exp(psi~),  dR = R dTheta~,   dTheta = T(psi) dpsi
 *   NT_INERTIAL  R = exp(psi~) R_n,  dR = dtheta~ R,   dtheta = T(psi)^T dpsi
 *   NT_SE3       as NT_BODY, and what moves with the rotation is in body axes too: a block
 *                R^3 x SO(3) is one of rigid motions, increments xi = (u, psi), velocity (V, W)
 *                with dx/dt = R V; the space's other blocks are R^n
 * Matrices, 3 x 3 and 6 x 6, are arrays row by row. Output may not overlap input unless said.
 *
 * Threads. Every function here may be called from any thread: it writes its outputs and nothing
 * else. Spaces are only read once they are laid out.
 *
 * Nothing here allocates, and NaN in gives NaN out. Where an array that is needed is NULL nothing
 * is written, and functions of spaces return NT_INVALID; nothing else fails. For every
 * |psi| up to 6, zero and denormal numbers included, results are accurate to rounding: an ulp or
 * two of the result's norm, plus what one ulp of |psi| changes in it. T is singular at |psi| = 2
 * pi, where its inverse grows like 1/(2 pi - |psi|); the exponential and T themselves hold for
 * |psi| < 1e150. Logarithms exist for every rotation, with |psi| <= pi; at a half turn either of
 * the two signs may come out. */
#ifndef NUTATE_GROUP_H
#define NUTATE_GROUP_H

#include <nutate/status.h>

/* Functions on single rotations and motions: the compiler warns where it sees NULL. Files that
 * look for it when the program runs define NT_ARRAYS without the attribute. */
#if defined(__GNUC__) && !defined(NT_ARRAYS)
#define NT_ARRAYS __attribute__((nonnull)) NT_API
#elif !defined(NT_ARRAYS)
#define NT_ARRAYS NT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nt_frame { NT_INERTIAL, NT_BODY, NT_SE3 } nt_frame;

/* ---- SO(3), rotation vector ----------------------------------------------------------------- */

NT_ARRAYS void nt_so3_exp(const double psi[3], double q[4]); /* unit quaternion of exp(psi~) */
NT_ARRAYS void nt_so3_log(const double q[4], double psi[3]); /* |psi| <= pi, either sign of q */
NT_ARRAYS void nt_so3_multiply(const double a[4], const double b[4],
                               double ab[4]);                      /* may overlap */
NT_ARRAYS void nt_so3_matrix(const double q[4], double R[9]);      /* of a unit quaternion */
NT_ARRAYS void nt_so3_from_matrix(const double R[9], double q[4]); /* w >= 0 */
NT_ARRAYS void nt_so3_tangent(const double psi[3], double T[9]);   /* body frame: T(psi) */
NT_ARRAYS void nt_so3_tangent_inverse(const double psi[3], double Tinv[9]);
/* D = DT(psi)[u], the derivative of T in the direction u; for u = dpsi/dt it is the rate of T. */
NT_ARRAYS void nt_so3_tangent_along(const double psi[3], const double u[3], double D[9]);
/* D = d(T(psi) a)/dpsi, and the same for T(psi)^T a, T^-1 a, T^-T a. */
NT_ARRAYS void nt_so3_tangent_derivative(const double psi[3], const double a[3], double D[9]);
NT_ARRAYS void nt_so3_tangent_transposed_derivative(const double psi[3], const double a[3],
                                                    double D[9]);
NT_ARRAYS void nt_so3_tangent_inverse_derivative(const double psi[3], const double a[3],
                                                 double D[9]);
NT_ARRAYS void nt_so3_tangent_inverse_transposed_derivative(const double psi[3], const double a[3],
                                                            double D[9]);
/* D = d(DT(psi)[u] a)/dpsi, the second derivative of T. */
NT_ARRAYS void nt_so3_tangent_second_derivative(const double psi[3], const double u[3],
                                                const double a[3], double D[9]);

/* ---- SO(3), conformal rotation vector ---------------------------------------------------------
 * Wiener-Milenkovic: c = 4 tan(psi/4) n, psi in ]-2 pi, 2 pi[. */

NT_ARRAYS void nt_conformal_exp(const double c[3], double q[4]);
NT_ARRAYS void nt_conformal_log(const double q[4], double c[3]); /* |c| <= 4, either sign of q */
NT_ARRAYS void nt_conformal_tangent(const double c[3], double T[9]);
NT_ARRAYS void nt_conformal_tangent_inverse(const double c[3], double Tinv[9]);
/* D = d(T(c) a)/dc. T(c)^T = T(-c), so that d(T(c)^T a)/dc is -D at -c. */
NT_ARRAYS void nt_conformal_tangent_derivative(const double c[3], const double a[3], double D[9]);
/* D = d(T(c)^-1 a)/dc; that of T^-T a is -D at -c. */
NT_ARRAYS void nt_conformal_tangent_inverse_derivative(const double c[3], const double a[3],
                                                       double D[9]);
/* D = DT(c)[u] and D = d(DT(c)[u] a)/dc, as for the rotation vector. */
NT_ARRAYS void nt_conformal_tangent_along(const double c[3], const double u[3], double D[9]);
NT_ARRAYS void nt_conformal_tangent_second_derivative(const double c[3], const double u[3],
                                                      const double a[3], double D[9]);

/* ---- SE(3) ------------------------------------------------------------------------------------
 * h = (x, q), x[3] position, q[4] orientation; increments xi = (u, psi) in the body frame.
 * exp(u, psi) = (T(psi)^T u, exp(psi~)); compose(h1, h2) = (x1 + R1 x2, R1 R2). */

NT_ARRAYS void nt_se3_exp(const double xi[6], double h[7]);
NT_ARRAYS void nt_se3_log(const double h[7], double xi[6]);
NT_ARRAYS void nt_se3_compose(const double a[7], const double b[7], double ab[7]);
NT_ARRAYS void nt_se3_inverse(const double a[7], double inverse[7]);
NT_ARRAYS void nt_se3_tangent(const double xi[6], double T[36]);
NT_ARRAYS void nt_se3_tangent_inverse(const double xi[6], double Tinv[36]);
/* D = d(T(xi) a)/dxi. */
NT_ARRAYS void nt_se3_tangent_derivative(const double xi[6], const double a[6], double D[36]);

/* ---- configuration spaces ------------------------------------------------------------------- */

typedef enum nt_block_kind { NT_RN, NT_SO3, NT_R3SO3, NT_FIRST } nt_block_kind;

/* One factor of the product. R^n: q and v are n numbers. SO(3): q is a quaternion, v an angular
 * velocity. R^3 x SO(3): q = (x, quaternion), v = (dx/dt in ground axes, angular velocity). First
 * order: v is n numbers and there is no q; entries of increments that belong to it mean nothing,
 * they are not read and come out as zero. */
typedef struct nt_block {
    nt_block_kind kind;
    int q, v;     /* first entry of this block in q[nq] and v[nv] */
    int nq, nv;   /* entries: (n, n), (4, 3), (7, 6) or (0, n)    */
    int rotation; /* running number of this block's rotation, -1 for none */
} nt_block;

/* A product of blocks. Plain data; `blocks` belongs to the caller and must outlive the space. */
typedef struct nt_space {
    const nt_block *blocks;
    int n_blocks, nq, nv, n_rotations;
    int n_first; /* entries of v without a configuration */
} nt_space;

/* Lay out blocks[n_blocks], whose kind (and for R^n and first order n, in nv) is set: fills in
 * their offsets and the totals of the space. blocks may be NULL where there are none. NT_INVALID
 * also for a count that is negative, for more entries than an int counts, and for a kind that is
 * none. Functions of spaces refuse a frame that is none. */
NT_API nt_status nt_space_init(nt_space *space, nt_block *blocks, int n_blocks);

/* q1 = q0 o exp(dq) (body) or exp(dq) o q0 (inertial); dq[nv]. q1 may be q0. Quaternions come out
 * with unit length, whatever (nonzero) length they had. */
NT_API nt_status nt_space_compose(const nt_space *space, nt_frame frame, const double *q0,
                                  const double *dq, double *q1);

/* dq with compose(q0, dq) = q1, whose rotations are by at most pi. Quaternions q and -q count as
 * the same place. */
NT_API nt_status nt_space_difference(const nt_space *space, nt_frame frame, const double *q0,
                                     const double *q1, double *dq);

/* The tangent operator of the frame at dq for each rotation, T(psi) or T(psi)^T, and its inverse:
 * T[n_rotations][9]. Vector-space parts are the identity and not stored. Either may be NULL. In
 * NT_SE3 they are those of rigid motions, T[n_rotations][36]. */
NT_API nt_status nt_space_tangent(const nt_space *space, nt_frame frame, const double *dq,
                                  double *T, double *Tinv);

/* Angular velocities (or any rotation entries of a v-like vector) from one frame to the other:
 * body to inertial multiplies by R, inertial to body by R^T. In NT_SE3 the translation's entries
 * are those of R^T too. Other entries are copied; out may be v. */
NT_API nt_status nt_space_change_frame(const nt_space *space, nt_frame from, nt_frame to,
                                       const double *q, const double *v, double *out);

/* qdot[nq] = E(q) v: quaternion rates are q o (0, W)/2 (body) or (0, w) o q/2 (inertial). */
NT_API nt_status nt_space_rate(const nt_space *space, nt_frame frame, const double *q,
                               const double *v, double *qdot);

/* The identity: zeros and unit quaternions. */
NT_API nt_status nt_space_identity(const nt_space *space, double *q);

#ifdef __cplusplus
}
#endif
#endif
