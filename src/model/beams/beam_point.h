/* What a beam does at one point of its line: strains, forces and their derivatives, in closed form.
 *
 *   Reissner 1981; Simo & Vu-Quoc 1986; sums of quaternions: Romero 2004
 *
 * A node has a place x and a quaternion r, the rotation from the reference placement. Along an
 * element x and the quaternion p = sum N_i r_i, which is not normalised, are polynomials, and
 *
 *   v = sum B_i x_i,   d = sum B_i r_i        derivatives in the arclength of the reference line
 *   gam = R(p)^T v,    eps = gam - x0'        stretch and shear
 *   kap = 2 vec(p* d)/n,  n = p . p           twist and bending
 *
 * in axes that the point carried along from the reference placement, where they are those of the
 * ground. Forces are the derivatives of one energy. Nodes are differentiated in (x, r), seven
 * numbers; nt_beam_project takes these to displacements and rotations. */
#ifndef NUTATE_MODEL_BEAM_POINT_H
#define NUTATE_MODEL_BEAM_POINT_H

#include "base/vector3.h"

#include <stdbool.h>

/* v, p, d: what strains depend on. */
enum { NT_BEAM_V = 0, NT_BEAM_P = 3, NT_BEAM_D = 7, NT_BEAM_Z = 11, NT_BEAM_NODE = 7 };

/* ---- inertia ---------------------------------------------------------------------------------
 *
 * The kinetic energy of the interpolated motion: with r'_i, r''_i of the nodes' quaternions,
 * pt = sum N_i r'_i, ptt = sum N_i r''_i, a = sum N_i (x''_i - g). */
typedef struct nt_beam_mass {
    double m;
    v3 me;  /* mass times its centre, from the line; axes of strains */
    m3 rho; /* second moments about the line                        */
} nt_beam_mass;

typedef struct nt_beam_motion {
    double p[4], pt[4], ptt[4];
    v3 a;
} nt_beam_motion;

typedef struct nt_beam_inertia {
    v3 f;        /* on the place, N/m             */
    double g[4]; /* on the quaternion             */
    /* derivatives of (f, g), seven rows, in a, p, pt, ptt; where they are asked for */
    double of_a[7][3], of_p[7][4], of_pt[7][4], of_ptt[7][4];
} nt_beam_inertia;

void nt_beam_inertia_of(const nt_beam_mass *mass, const nt_beam_motion *motion, bool tangent,
                        nt_beam_inertia *out);

/* ---- loads per length --------------------------------------------------------------------------
 */

typedef struct nt_beam_push {
    v3 f;        /* on the place      */
    double g[4]; /* on the quaternion */
} nt_beam_push;

/* Of a force f and a moment m, ground-reference axes, at a point with the sum of quaternions p;
 * they keep their direction or follow. of_p: derivatives of (f, g) in p, not NULL: asked for. */
void nt_beam_push_of(const double p[4], v3 f, v3 m, bool follows, nt_beam_push *out,
                     double of_p[7][4]);

/* ---- nodes ----------------------------------------------------------------------------------- */

/* P (4 x 3): dr = P dtheta, theta in ground axes. */
void nt_beam_rotation_map(const double r[4], double P[4][3]);
/* The moment of a force G on r. */
v3 nt_beam_moment(const double r[4], const double G[4]);
/* r = -r where it is in another half space than its neighbour. */
void nt_beam_one_side(const double neighbour[4], double r[4]);
/* r' = (0, w) r/2 */
void nt_beam_quaternion_rate(const double r[4], v3 w, double rt[4]);

#endif
