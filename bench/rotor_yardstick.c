/* A rotor of up to four equal blades on a root that turns, written out; the blades stand side by
 * side, one in each lane of a vector.
 *
 * A blade is a chain of elements of order p with lumped inertia (docs/theory.md). Its root follows
 * the hub and is no unknown. With the increments e of nodes a Newton step solves
 *
 *   S e = -s R,      S = s (beta' M T^-1 + gamma' C T^-1 + K),
 *
 * element by element from the tip to the root: the front of an element holds its p outer nodes
 * first and then the inner one,
 *
 *   [ F11 F12 ]  6 p       is L U without pivoting, passes F22 - F21 F11^-1 F12 to the outer
 *   [ F21 F22 ]  6         node of the next element,
 *
 * and back from the root to the tip. The numbers of nodes and points are those that the library
 * prepared: places, axes, stiffness and masses in ground axes. */
#include "rotor_yardstick.h"

#include "model/beams/beam.h"
#include "model/elements.h"
#include "rotor_lanes.h"
#include "yardstick.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ORDER = 6, Z = 11, V = 0, P = 3, D = 7 };
enum { MOST_FRONT = 6 * (MOST_ORDER + 1) };

typedef struct node {
    num x[3], r[4], v[6], vdot[6], a[6]; /* a: the auxiliary acceleration */
    num m, me[3], rho[9];                /* reference axes */
} node;

/* A node on trial: see `trial` of yardstick.h. */
typedef struct trying {
    num x[3], r[4], v[6], vdot[6], base[6], increment[6], per[6];
    num P[4][3], T_inverse[9];
    num f[3], G[4], residual[6], diagonal[6], e[6];
} trying;

typedef struct point {
    num weight, per_length, tangent[3], s[6], C[36];
    double N[MOST_ORDER + 1], dN[MOST_ORDER + 1];
} point;

/* Unknowns of outer nodes, from the outermost in, then those of the inner node. */
typedef struct front {
    num F[MOST_FRONT][MOST_FRONT], b[MOST_FRONT];
} front;

struct rotor_yardstick {
    int p, n_elements, n_points, n_nodes;
    rotor_turn turn;
    double gravity[3];
    const v3 *place[BLADES]; /* nodes of each blade at the start, the run's */
    double t;
    long steps, iterations;
    node *node;
    trying *now;
    point *point;
    front *front;
};

/* ---- a point of an element ------------------------------------------------------------------- */

/* Strains' derivatives J (zero where a row does not know a column) and stresses s. */
NT_INLINE void strain_at(const point *at, const num v[3], const num p[4], const num d[4],
                         num gam[3], num kap[3], num J[6][Z], num s[6])
{
    num n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], c = 2 / n;
    num conjugate[4] = {p[0], -p[1], -p[2], -p[3]}, pure[4] = {all(0), v[0], v[1], v[2]};
    num y[4], yp[4], pd[4], R[9], Y[3][4], L[3][4], Ld[3][4], e[6];
    quaternion_product(conjugate, pure, y);
    quaternion_product(y, p, yp);
    quaternion_product(conjugate, d, pd);
    rotation_of(p, n, R);
    right(y, Y);
    left(p, L);
    left(d, Ld);
    for (int k = 0; k < 3; k++) {
        gam[k] = yp[1 + k] / n, kap[k] = c * pd[1 + k];
        e[k] = gam[k] - at->tangent[k], e[3 + k] = kap[k];
        for (int a = 0; a < 3; a++)
            J[k][V + a] = R[3 * a + k], J[3 + k][V + a] = all(0);
        for (int a = 0; a < 4; a++) {
            J[k][P + a] = c * (Y[k][a] - gam[k] * p[a]);
            J[3 + k][P + a] = -c * (Ld[k][a] + kap[k] * p[a]);
            J[k][D + a] = all(0), J[3 + k][D + a] = c * L[k][a];
        }
    }
    for (int i = 0; i < 6; i++) {
        s[i] = at->s[i];
        for (int j = 0; j < 6; j++)
            s[i] += at->C[6 * i + j] * e[j];
    }
}

/* Rows of J that know a column. */
static const int row_begin[Z] = {0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3};
static const int row_end[Z] = {3, 3, 3, 6, 6, 6, 6, 6, 6, 6, 6};

/* H = w (J^T C J + D). */
NT_INLINE void second_derivative(const point *at, const num v[3], const num p[4], const num gam[3],
                                 const num kap[3], num J[6][Z], const num s[6], const num h[Z],
                                 num H[Z][Z])
{
    const num *S = s, *T = s + 3, o = all(0);
    num CJ[6][Z], vS = dot(v, S), vxS[3], b[4], n = o;
    num pureS[4] = {o, S[0], S[1], S[2]}, conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    for (int i = 0; i < 6; i++)
        for (int a = 0; a < Z; a++) {
            CJ[i][a] = o;
            for (int k = row_begin[a]; k < row_end[a]; k++)
                CJ[i][a] += at->C[6 * i + k] * J[k][a];
        }
    for (int a = 0; a < Z; a++)
        for (int c = a; c < Z; c++) {
            H[a][c] = o;
            for (int k = row_begin[a]; k < row_end[a]; k++)
                H[a][c] += J[k][a] * CJ[k][c];
        }
    for (int a = 0; a < 4; a++)
        n += p[a] * p[a];
    cross(v, S, vxS);
    quaternion_product(pureS, conjugate, b);
    num c = 2 / n, phi = dot(S, gam) + dot(T, kap);
    const num vp[3][4] = {
        {b[1], b[0], b[3], -b[2]}, {b[2], -b[3], b[0], b[1]}, {b[3], b[2], -b[1], b[0]}};
    const num pd[4][4] = {{o, T[0], T[1], T[2]},
                          {-T[0], o, -T[2], T[1]},
                          {-T[1], T[2], o, -T[0]},
                          {-T[2], -T[1], T[0], o}};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 4; k++)
            H[V + a][P + k] += c * (vp[a][k] - h[V + a] * p[k]);
    for (int a = 0; a < 4; a++) {
        for (int k = a; k < 4; k++) {
            num pp = vS;
            if (a == 0 && k > 0)
                pp = -vxS[k - 1];
            else if (a > 0)
                pp = S[a - 1] * v[k - 1] + v[a - 1] * S[k - 1];
            if (a == k && a > 0)
                pp -= vS;
            if (a == k)
                pp -= phi;
            H[P + a][P + k] += c * (pp - h[P + a] * p[k] - p[a] * h[P + k]);
        }
        for (int k = 0; k < 4; k++)
            H[P + a][D + k] += c * (pd[a][k] - p[a] * h[D + k]);
    }
    for (int a = 0; a < Z; a++)
        for (int k = a; k < Z; k++)
            H[k][a] = H[a][k] = at->weight * H[a][k];
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Place of a node of an element in its front: node p first, node 0 last. */
NT_INLINE int place_of(int p, int i) { return 6 * (p - i); }

/* Rows and columns x, r of two nodes, seven each. */
NT_INLINE void add_pair(num A[7][7], num H[Z][Z], num Ni, num Bi, num Nj, num Bj)
{
    for (int c = 0; c < 7; c++) {
        num Y[Z];
        for (int k = 0; k < Z; k++)
            Y[k] = c < 3 ? Bj * H[k][c] : Nj * H[k][c] + Bj * H[k][c + 4];
        for (int k = 0; k < 3; k++)
            A[k][c] += Bi * Y[k];
        for (int k = 0; k < 4; k++)
            A[3 + k][c] += Ni * Y[P + k] + Bi * Y[D + k];
    }
}

/* scale diag(1, P_i)^T A diag(1, P_j) into the front, on both sides of its diagonal. */
NT_INLINE void put_pair(front *f, num A[7][7], num Pi[4][3], num Pj[4][3], int row, int column,
                        num scale)
{
    num B[7][6];
    for (int k = 0; k < 7; k++)
        for (int c = 0; c < 3; c++) {
            B[k][c] = A[k][c];
            B[k][3 + c] =
                A[k][3] * Pj[0][c] + A[k][4] * Pj[1][c] + A[k][5] * Pj[2][c] + A[k][6] * Pj[3][c];
        }
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < 3; k++) {
            num x = scale * B[k][c];
            num t = scale * (Pi[0][k] * B[3][c] + Pi[1][k] * B[4][c] + Pi[2][k] * B[5][c] +
                             Pi[3][k] * B[6][c]);
            f->F[row + k][column + c] += x, f->F[row + 3 + k][column + c] += t;
            if (row != column)
                f->F[column + c][row + k] += x, f->F[column + c][row + 3 + k] += t;
        }
}

/* Forces of an element, and its stiffness in its front (NULL: not asked for). */
NT_WIDE static void add_element(const rotor_yardstick *y, int element, front *to, double scale)
{
    int p = y->p, n = p + 1;
    trying *nodes = y->now + element * p;
    num r[MOST_ORDER + 1][4], H[MOST_ORDER][Z][Z];
    const point *points = y->point + element * y->n_points;
    for (int i = 0; i < n; i++) {
        num product = all(0);
        for (int k = 0; i > 0 && k < 4; k++)
            product += r[i - 1][k] * nodes[i].r[k];
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < BLADES; l++)
                r[i][k][l] = product[l] < 0 ? -nodes[i].r[k][l] : nodes[i].r[k][l];
    }
    for (int q = 0; q < y->n_points; q++) {
        const point *at = &points[q];
        num v[3] = {{0}}, z[4] = {{0}}, d[4] = {{0}}, gam[3], kap[3], J[6][Z], s[6], h[Z];
        for (int i = 0; i < n; i++) {
            num B = at->dN[i] * at->per_length;
            for (int k = 0; k < 3; k++)
                v[k] += B * nodes[i].x[k];
            for (int k = 0; k < 4; k++)
                z[k] += at->N[i] * r[i][k], d[k] += B * r[i][k];
        }
        strain_at(at, v, z, d, gam, kap, J, s);
        for (int a = 0; a < Z; a++) {
            h[a] = all(0);
            for (int k = row_begin[a]; k < row_end[a]; k++)
                h[a] += J[k][a] * s[k];
        }
        for (int i = 0; i < n; i++) {
            num N = at->N[i] * at->weight, B = at->dN[i] * at->per_length * at->weight;
            for (int k = 0; k < 3; k++)
                nodes[i].f[k] += B * h[V + k];
            for (int k = 0; k < 4; k++)
                nodes[i].G[k] += N * h[P + k] + B * h[D + k];
        }
        if (to)
            second_derivative(at, v, z, gam, kap, J, s, h, H[q]);
    }
    for (int j = 0; to && j < n; j++)
        for (int i = j; i < n; i++) {
            num A[7][7] = {{{0}}};
            for (int q = 0; q < y->n_points; q++) {
                const point *at = &points[q];
                add_pair(A, H[q], all(at->N[i]), at->dN[i] * at->per_length, all(at->N[j]),
                         at->dN[j] * at->per_length);
            }
            put_pair(to, A, nodes[i].P, nodes[j].P, place_of(p, i), place_of(p, j), all(scale));
        }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* x1 = x + h Dq, r1 = exp(psi) r, P, and T^-1 = 1 - psi~/2 + c psi~ psi~ by their series: a step
 * turns a node by far less than 0.5 rad. */
NT_INLINE bool place_node(const node *n, trying *t)
{
    const num *psi = t->increment + 3;
    num s = dot(psi, psi), one = all(1);
    for (int l = 0; l < BLADES; l++)
        if (!(s[l] < 0.25))
            return false;
    num q = s / 4, S[9], SS[9];
    num cosine = one - q / 2 * (one - q / 12 * (one - q / 30 * (one - q / 56 * (one - q / 90))));
    num sine = 0.5 * (one - q / 6 * (one - q / 20 * (one - q / 42 * (one - q / 72))));
    num c = 1.0 / 12 + s / 720 + s * s / 30240 + s * s * s / 1209600 + s * s * s * s / 47900160;
    const num turn[4] = {cosine, sine * psi[0], sine * psi[1], sine * psi[2]};
    quaternion_product(turn, n->r, t->r);
    skew(psi, S);
    multiply(S, S, SS);
    for (int k = 0; k < 9; k++)
        t->T_inverse[k] = (k % 4 == 0 ? one : all(0)) - 0.5 * S[k] + c * SS[k];
    for (int k = 0; k < 3; k++)
        t->x[k] = n->x[k] + t->increment[k];
    return true;
}

NT_INLINE void set_projection(trying *t)
{
    const num *r = t->r;
    const num M[4][3] = {
        {-r[1], -r[2], -r[3]}, {r[0], r[3], -r[2]}, {-r[3], r[0], r[1]}, {r[2], -r[1], r[0]}};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            t->P[k][c] = 0.5 * M[k][c];
    memset(t->f, 0, sizeof t->f);
    memset(t->G, 0, sizeof t->G);
    memset(t->diagonal, 0, sizeof t->diagonal);
}

/* me and rho turned with a node. */
NT_INLINE void turned_mass(const node *n, const num r[4], num me[3], num rho[9])
{
    num R[9], Rt[9];
    rotation_of(r, all(1), R);
    for (int i = 0; i < 9; i++)
        Rt[i] = R[3 * (i % 3) + i / 3];
    apply(R, n->me, me);
    multiply(R, n->rho, rho);
    multiply(rho, Rt, rho);
}

/* What turns with a node and its forces, ground axes. */
typedef struct turning {
    num me[3], rho[9], a[3], wme[3], rw[3], ral[3], m[3]; /* a less gravity; m: elastic moment */
} turning;

/* The residual of a node, whose elastic forces are there. */
NT_INLINE void put_residual(const node *n, trying *t, const double g[3], turning *of)
{
    const num *w = t->v + 3, *al = t->vdot + 3;
    num wwme[3], alme[3], mea[3], gyro[3];
    turned_mass(n, t->r, of->me, of->rho);
    for (int k = 0; k < 3; k++) {
        of->a[k] = t->vdot[k] - g[k];
        of->m[k] = t->P[0][k] * t->G[0] + t->P[1][k] * t->G[1] + t->P[2][k] * t->G[2] +
                   t->P[3][k] * t->G[3];
    }
    cross(w, of->me, of->wme);
    cross(w, of->wme, wwme);
    cross(al, of->me, alme);
    apply(of->rho, w, of->rw);
    apply(of->rho, al, of->ral);
    cross(of->me, of->a, mea);
    cross(w, of->rw, gyro);
    for (int k = 0; k < 3; k++) {
        t->residual[k] = n->m * of->a[k] + alme[k] + wwme[k] + t->f[k];
        t->residual[3 + k] = mea[k] + of->ral[k] + gyro[k] + of->m[k];
    }
}

/* Columns of the rotation: below translations -me~, -(w x me)~ - w~ me~, -(alpha~ + w~ w~) me~. */
NT_INLINE void offset_columns(const trying *t, const turning *of, num M[9], num C[9], num K[9])
{
    const num *w = t->v + 3, *al = t->vdot + 3;
    num S[9], wS[9], alS[9];
    skew(of->me, S);
    skew_times(w, S, wS);
    skew_times(al, S, alS);
    skew(of->wme, C);
    skew_times(w, wS, K);
    for (int k = 0; k < 9; k++) {
        M[k] = -S[k];
        C[k] = -C[k] - wS[k];
        K[k] = -K[k] - alS[k];
    }
}

/* Below rotations rho, w~ rho - (rho w)~ and
 * a~ me~ + rho alpha~ - (rho alpha)~ + w~ (rho w~ - (rho w)~) - (G . r)/4 - m~/2: the last are the
 * rows' own rotation. */
NT_INLINE void turning_columns(const trying *t, const turning *of, num M[9], num C[9], num K[9])
{
    const num *w = t->v + 3, *al = t->vdot + 3;
    num S[9], T[9], Gr = all(0);
    memcpy(M, of->rho, sizeof of->rho);
    skew(of->rw, S);
    skew_times(w, of->rho, C);
    times_skew(of->rho, w, T);
    for (int k = 0; k < 9; k++)
        C[k] -= S[k], T[k] -= S[k];
    skew_times(w, T, K);
    times_skew(of->rho, al, T);
    skew(of->ral, S);
    for (int k = 0; k < 9; k++)
        K[k] += T[k] - S[k];
    skew(of->me, S);
    skew_times(of->a, S, T);
    skew(of->m, S);
    for (int k = 0; k < 4; k++)
        Gr += t->G[k] * t->r[k];
    for (int k = 0; k < 9; k++)
        K[k] += T[k] - 0.5 * S[k] - (k % 4 == 0) * 0.25 * Gr;
}

/* The node's part of the matrix: scale (beta' M T^-1 + gamma' C T^-1 + K). */
NT_INLINE void put_matrix(const node *n, const trying *t, const alpha *c, const turning *of,
                          front *to, int at)
{
    num mass = all(c->scale * c->beta_prime), rate = all(c->scale * c->gamma_prime);
    num M[9], C[9], K[9], sum[9], S[9];
    for (int row = 0; row < 6; row += 3) {
        if (row == 0)
            offset_columns(t, of, M, C, K);
        else
            turning_columns(t, of, M, C, K);
        for (int k = 0; k < 9; k++)
            sum[k] = mass * M[k] + rate * C[k];
        multiply(sum, t->T_inverse, sum);
        for (int k = 0; k < 9; k++)
            to->F[at + row + k / 3][at + 3 + k % 3] += sum[k] + c->scale * K[k];
    }
    skew(of->me, S);
    for (int k = 0; k < 9; k++)
        to->F[at + 3 + k / 3][at + k % 3] += mass * S[k];
    for (int k = 0; k < 3; k++)
        to->F[at + k][at + k] += mass * n->m;
}

NT_INLINE void add_inertia(const node *n, trying *t, const alpha *c, const double g[3], front *to,
                           int at)
{
    turning of;
    put_residual(n, t, g, &of);
    if (to)
        put_matrix(n, t, c, &of, to, at);
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* The first n of m unknowns; the pivots' reciprocals stay on the diagonal. */
NT_INLINE void eliminate(front *f, int n, int m)
{
    for (int k = 0; k < n; k++) {
        num r = 1 / f->F[k][k];
        f->F[k][k] = r;
        for (int i = k + 1; i < m; i++) {
            num l = f->F[i][k] * r;
            f->b[i] -= l * f->b[k];
            for (int j = k + 1; j < m; j++)
                f->F[i][j] -= l * f->F[k][j];
        }
    }
}

/* x[n] from the rows of U, x[n .. m - 1] being known. */
NT_INLINE void substitute(const front *f, int n, int m, num *x)
{
    for (int k = n - 1; k >= 0; k--) {
        num sum = f->b[k];
        for (int j = k + 1; j < m; j++)
            sum -= f->F[k][j] * x[j];
        x[k] = sum * f->F[k][k];
    }
}

/* The outer nodes' inertia, what the next element towards the tip passes on, and the elimination.
 */
NT_WIDE static void finish_front(rotor_yardstick *y, int element, const alpha *c)
{
    int p = y->p, n = 6 * p;
    front *f = &y->front[element];
    const front *outer = element + 1 < y->n_elements ? &y->front[element + 1] : NULL;
    for (int i = 1; i <= p; i++)
        add_inertia(&y->node[element * p + i], &y->now[element * p + i], c, y->gravity, f,
                    place_of(p, i));
    for (int i = 1; i <= p; i++)
        for (int k = 0; k < 6; k++) {
            trying *t = &y->now[element * p + i];
            f->b[place_of(p, i) + k] = -c->scale * t->residual[k];
            t->diagonal[k] = f->F[place_of(p, i) + k][place_of(p, i) + k];
        }
    for (int k = 0; k < 6; k++)
        f->b[n + k] = all(0);
    for (int i = 0; outer && i < 6; i++) {
        f->b[i] += outer->b[n + i];
        for (int j = 0; j < 6; j++)
            f->F[i][j] += outer->F[n + i][n + j];
    }
    eliminate(f, n, element > 0 ? n + 6 : n);
}

NT_WIDE static void back_substitute(rotor_yardstick *y)
{
    int p = y->p, n = 6 * p;
    memset(y->now[0].e, 0, sizeof y->now[0].e);
    for (int element = 0; element < y->n_elements; element++) {
        num x[MOST_FRONT];
        trying *t = y->now + element * p;
        memcpy(x + n, t[0].e, sizeof t[0].e);
        substitute(&y->front[element], n, element > 0 ? n + 6 : n, x);
        for (int i = 1; i <= p; i++)
            memcpy(t[i].e, x + place_of(p, i), sizeof t[i].e);
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The hub's rotation, and where it takes the roots. */
static void place_root(rotor_yardstick *y, double t)
{
    double half = y->turn.speed * t / 2;
    trying *root = &y->now[0];
    v3 center = v3_load(y->turn.center), axis = v3_load(y->turn.axis);
    quat q = {cos(half), sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z};
    const double r[4] = {q.w, q.x, q.y, q.z};
    for (int l = 0; l < BLADES; l++) {
        v3 at = v3_add(center, m3_apply(quat_matrix(q), v3_sub(y->place[l][0], center)));
        root->x[0][l] = at.x, root->x[1][l] = at.y, root->x[2][l] = at.z;
    }
    for (int k = 0; k < 4; k++)
        root->r[k] = all(r[k]);
    set_projection(root);
}

NT_WIDE static void predict_nodes(rotor_yardstick *y, const alpha *c)
{
    double per = 1 / (1 - c->alpha_m), h = c->h;
    for (int i = 1; i < y->n_nodes; i++) {
        const node *n = &y->node[i];
        trying *t = &y->now[i];
        for (int k = 0; k < 6; k++) {
            t->vdot[k] = n->vdot[k];
            t->base[k] = per * (c->alpha_f * n->vdot[k] - c->alpha_m * n->a[k]);
            num a1 = t->base[k] + c->share * t->vdot[k];
            t->v[k] = n->v[k] + h * (1 - c->gamma) * n->a[k] + h * c->gamma * a1;
            t->increment[k] = h * (n->v[k] + h * (0.5 - c->beta) * n->a[k] + h * c->beta * a1);
        }
    }
}

/* Residuals at the increments; with fronts where a tangent is wanted. */
NT_WIDE static bool evaluate(rotor_yardstick *y, const alpha *c, bool tangent)
{
    int m = 6 * (y->p + 1);
    for (int i = 1; i < y->n_nodes; i++) {
        if (!place_node(&y->node[i], &y->now[i]))
            return false;
        set_projection(&y->now[i]);
    }
    for (int e = 0; e < y->n_elements; e++) {
        front *f = tangent ? &y->front[e] : NULL;
        for (int i = 0; f && i < m; i++)
            memset(f->F[i], 0, (size_t)m * sizeof f->F[i][0]);
        add_element(y, e, f, c->scale);
    }
    for (int i = 1; !tangent && i < y->n_nodes; i++)
        add_inertia(&y->node[i], &y->now[i], c, y->gravity, NULL, 0);
    for (int e = y->n_elements - 1; tangent && e >= 0; e--)
        finish_front(y, e, c);
    return true;
}

static num size_of(num a)
{
    for (int l = 0; l < BLADES; l++)
        a[l] = fabs(a[l]);
    return a;
}

static double largest_of(double most, num a)
{
    for (int l = 0; l < BLADES; l++)
        most = a[l] <= most ? most : a[l];
    return most;
}

/* Reciprocal tolerances: of increments, and of forces and moments. */
static void set_tolerances(rotor_yardstick *y, const alpha *c, double per[2])
{
    double force[2] = {0, 0}, noise[2] = {0, 0};
    for (int i = 1; i < y->n_nodes; i++)
        for (int k = 0; k < 6; k++) {
            trying *t = &y->now[i];
            num S = size_of(t->diagonal[k]), increment = size_of(t->increment[k]);
            num size = all(1);
            if (k < 3)
                size = size_of(y->node[i].x[k]) + increment;
            force[k / 3] = largest_of(force[k / 3], S * size_of(t->vdot[k]));
            noise[k / 3] = largest_of(noise[k / 3], S * size);
            t->per[k] = 1 / (TOLERANCE_POSITION + TOLERANCE_RELATIVE * increment);
        }
    for (int k = 0; k < 2; k++)
        per[k] = 1 / (TOLERANCE_FORCE + TOLERANCE_RELATIVE * force[k] / (c->scale * c->beta_prime) +
                      16 * DBL_EPSILON * noise[k] / c->scale);
}

NT_WIDE static double correct_nodes(rotor_yardstick *y, const alpha *c)
{
    num most = all(0);
    for (int i = 1; i < y->n_nodes; i++) {
        trying *t = &y->now[i];
        apply(t->T_inverse, t->e + 3, t->e + 3);
        for (int k = 0; k < 6; k++) {
            num e = t->e[k], size = e * t->per[k];
            t->increment[k] += e;
            t->v[k] += c->gamma_prime * e;
            t->vdot[k] += c->beta_prime * e;
            for (int l = 0; l < BLADES; l++)
                most[l] = fabs(size[l]) <= most[l] ? most[l] : fabs(size[l]);
        }
    }
    return largest_of(0, most);
}

static double worst_residual(const rotor_yardstick *y, const double per[2])
{
    double worst = 0;
    for (int i = 1; i < y->n_nodes; i++)
        for (int k = 0; k < 6; k++)
            worst = largest_of(worst, size_of(y->now[i].residual[k]) * per[k / 3]);
    return worst;
}

static bool step(rotor_yardstick *y, const alpha *c)
{
    double per[2];
    settling found = {0};
    place_root(y, y->t + c->h);
    predict_nodes(y, c);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        set_projection(&y->now[0]);
        if (!evaluate(y, c, true))
            return false;
        if (i == 0)
            set_tolerances(y, c, per);
        else
            found.residual = worst_residual(y, per);
        back_substitute(y);
        double size = correct_nodes(y, c);
        y->iterations++;
        settle(&found, size);
        if (found.settled) {
            set_projection(&y->now[0]);
            if (!evaluate(y, c, false))
                return false;
            if (ends(&found, worst_residual(y, per)))
                return true;
        }
    }
    return false;
}

static void accept_nodes(rotor_yardstick *y, const alpha *c)
{
    for (int i = 1; i < y->n_nodes; i++) {
        node *n = &y->node[i];
        const trying *t = &y->now[i];
        memcpy(n->x, t->x, sizeof n->x);
        memcpy(n->r, t->r, sizeof n->r);
        memcpy(n->v, t->v, sizeof n->v);
        memcpy(n->vdot, t->vdot, sizeof n->vdot);
        for (int k = 0; k < 6; k++)
            n->a[k] = t->base[k] + c->share * t->vdot[k];
    }
}

bool rotor_yardstick_run(rotor_yardstick *y, double rho, double h, long steps)
{
    alpha c = alpha_of(rho, h);
    for (long i = 0; i < steps; i++) {
        if (!step(y, &c))
            return false;
        accept_nodes(y, &c);
        y->t += h;
        y->steps++;
    }
    return true;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Nodes turn with the hub, without strain; M vdot = -R at each. */
void rotor_yardstick_start(rotor_yardstick *y)
{
    const alpha mass = {.scale = 1, .beta_prime = 1};
    const double nothing[3] = {0, 0, 0};
    front *f = &y->front[0];
    y->t = 0;
    y->steps = y->iterations = 0;
    for (int i = 0; i < y->n_nodes; i++) {
        node *n = &y->node[i];
        trying *t = &y->now[i];
        memset(n->vdot, 0, sizeof n->vdot);
        for (int l = 0; l < BLADES; l++) {
            v3 X = y->place[l][i];
            v3 w = v3_scale(y->turn.speed, v3_load(y->turn.axis));
            v3 v = v3_cross(w, v3_sub(X, v3_load(y->turn.center)));
            const double rates[6] = {v.x, v.y, v.z, w.x, w.y, w.z}, places[3] = {X.x, X.y, X.z};
            for (int k = 0; k < 6; k++)
                n->v[k][l] = rates[k];
            for (int k = 0; k < 3; k++)
                n->x[k][l] = places[k];
        }
        for (int k = 0; k < 4; k++)
            n->r[k] = all(k == 0);
        memset(t, 0, sizeof *t);
        memcpy(t->v, n->v, sizeof n->v);
        memcpy(t->r, n->r, sizeof n->r);
        set_projection(t);
        for (int k = 0; k < 9; k++)
            t->T_inverse[k] = all(k % 4 == 0);
        for (int k = 0; k < 6; k++)
            memset(f->F[k], 0, 6 * sizeof f->F[k][0]);
        add_inertia(n, t, &mass, y->gravity, NULL, 0);
        for (int k = 0; k < 6; k++)
            f->b[k] = -t->residual[k];
        memset(t->v, 0, sizeof t->v); /* the matrix of inertia alone */
        add_inertia(n, t, &mass, nothing, f, 0);
        eliminate(f, 6, 6);
        substitute(f, 6, 6, n->vdot);
        memcpy(n->a, n->vdot, sizeof n->a);
    }
}

static void take_mass(const nt_beam *b, int i, int lane, node *n)
{
    static const int entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const nt_beam_four_mass *of = (const nt_beam_four_mass *)nt_beam_array_in(b, b->nodal) + i / 4;
    n->m[lane] = of->m[i % 4];
    for (int k = 0; k < 3; k++)
        n->me[k][lane] = of->me[k][i % 4];
    for (int k = 0; k < 9; k++)
        n->rho[k][lane] = of->rho[entry[k]][i % 4];
}

static void take_points(const nt_beam *b, int lane, point *points)
{
    for (int e = 0; e < b->n_elements; e++)
        for (int q = 0; q < b->n_rule[0]; q++, points++) {
            const nt_beam_elastic *at = nt_beam_elastic_at(b, e) + q;
            const double *N = nt_beam_shapes(b, e, 0, q) + NT_SHAPE_N;
            const double tangent[3] = {at->tangent.x, at->tangent.y, at->tangent.z};
            points->weight[lane] = at->weight, points->per_length[lane] = at->per_length;
            for (int k = 0; k < 3; k++)
                points->tangent[k][lane] = tangent[k];
            for (int k = 0; k < 6; k++)
                points->s[k][lane] = at->s[k];
            for (int k = 0; k < 36; k++)
                points->C[k][lane] = at->C[k];
            for (int i = 0; i <= b->p; i++)
                points->N[i] = N[i], points->dN[i] = N[b->p + 1 + i];
        }
}

static bool is_equal(const nt_beam *a, const nt_beam *b)
{
    return b->p <= MOST_ORDER && b->inertia && !(b->given >> NT_BEAM_DAMPING & 1) && a->p == b->p &&
           a->n_elements == b->n_elements && a->n_rule[0] == b->n_rule[0] &&
           b->n_rule[0] <= MOST_ORDER;
}

rotor_yardstick *rotor_yardstick_create(const nt_run *run, const rotor_turn *turn)
{
    const nt_beam *beam[BLADES];
    int found = 0;
    for (int i = 0; i < run->model->n_elements && found < 3; i++)
        if (run->model->elements[i].type == &nt_beam_type)
            beam[found++] = nt_beam_of(run, &run->model->elements[i]);
    rotor_yardstick *y = found == 3 ? calloc(1, sizeof *y) : NULL;
    if (!y)
        return NULL;
    beam[3] = beam[0]; /* the fourth lane */
    y->p = beam[0]->p, y->n_elements = beam[0]->n_elements, y->n_nodes = beam[0]->n_nodes;
    y->n_points = beam[0]->n_rule[0];
    y->turn = *turn;
    v3 axis = v3_load(turn->axis);
    v3_store(y->turn.axis, v3_scale(1 / v3_norm(axis), axis));
    memcpy(y->gravity, run->gravity, sizeof y->gravity);
    y->node = calloc((size_t)y->n_nodes, sizeof *y->node);
    y->now = calloc((size_t)y->n_nodes, sizeof *y->now);
    y->point = calloc((size_t)(y->n_elements * y->n_points), sizeof *y->point);
    y->front = calloc((size_t)y->n_elements, sizeof *y->front);
    bool made = y->node && y->now && y->point && y->front;
    for (int l = 0; made && l < BLADES; l++) {
        if (!(made = is_equal(beam[0], beam[l])))
            break;
        y->place[l] = nt_beam_array_in(beam[l], beam[l]->nodes);
        for (int i = 0; i < y->n_nodes; i++)
            take_mass(beam[l], i, l, &y->node[i]);
        take_points(beam[l], l, y->point);
    }
    if (made)
        return y;
    rotor_yardstick_destroy(y);
    return NULL;
}

void rotor_yardstick_destroy(rotor_yardstick *y)
{
    if (!y)
        return;
    free(y->node);
    free(y->now);
    free(y->point);
    free(y->front);
    free(y);
}

long rotor_yardstick_iterations(const rotor_yardstick *y) { return y->iterations; }

void rotor_yardstick_tip(const rotor_yardstick *y, double tip[3])
{
    for (int k = 0; k < 3; k++)
        tip[k] = y->node[y->n_nodes - 1].x[k][0];
}
