/* Forces and tangent of one finite element; see beam_element.h.
 *
 * A second derivative H of the energy of a point, in z = (v, p, d), becomes that of two nodes by
 *
 *   A_ij = sum over points of Z_i^T H Z_j,   Z_j = (B_j; N_j; B_j),   seven rows and columns x, r,
 *
 * and K_ij = diag(1, P_i)^T A_ij diag(1, P_j). What depends on rates has columns of its own in
 * place of P_j: see `columns`. */
#include "model/beams/beam_element.h"

#include "model/elements.h"

#include <stdint.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

NT_INLINE lanes rate_of(v3 w, lanes r)
{
    return 0.5 * lanes_of_quat(quat_multiply(beam_pure(w), lanes_quat(r)));
}

NT_INLINE void load_nodes(nt_beam_nodes *p, const nt_view *view, const nt_beam *b, int element,
                          bool rates)
{
    p->n = b->p + 1;
    p->first_body = b->first_body + element * b->p;
    p->first_port = NT_PORTS + 2 * element * b->p;
    p->motion = view->motion + p->first_body;
    for (int i = 0; i < p->n; i++) {
        const nt_motion *m = &p->motion[i];
        lanes r = lanes_load(view->at->q + view->bodies[p->first_body + i].q + 3);
        p->r[i] = i > 0 && lanes_dot(p->r[i - 1], r) < 0 ? -r : r;
        p->x[i] = lanes_of_v3(m->x);
        r = 0.5 * p->r[i];
        p->P[i][0] = LANES_PICK(r, 1, 2, 3, 0, -1, -1, -1, 0);
        p->P[i][1] = LANES_PICK(r, 0, 3, 2, 1, 1, 1, -1, 0);
        p->P[i][2] = LANES_PICK(r, 3, 0, 1, 2, -1, 1, 1, 0);
        p->P[i][3] = LANES_PICK(r, 2, 1, 0, 3, 1, -1, 1, 0);
        p->f[i] = p->G[i] = p->apart[i] = (lanes){0};
        if (rates)
            p->v[i] = lanes_of_v3(m->v), p->rate[i] = rate_of(m->w, p->r[i]);
    }
}

void nt_beam_load_nodes(nt_beam_nodes *p, const nt_view *view, const nt_beam *b, int element,
                        bool rates)
{
    load_nodes(p, view, b, element, rates);
}

NT_INLINE nt_beam_lanes fields_at(int n, const lanes *x, const lanes *r, const double *N,
                                  const double *D, double per_length)
{
    nt_beam_lanes f = {0};
    for (int i = 0; i < n; i++) {
        f.v += D[i] * x[i];
        f.p += N[i] * r[i];
        f.d += D[i] * r[i];
    }
    f.v *= per_length, f.d *= per_length;
    return f;
}

NT_INLINE void look_at_point(const nt_beam_nodes *p, const nt_beam *b, const nt_beam_elastic *at,
                             const double *N, nt_beam_state *st)
{
    st->f = fields_at(p->n, p->x, p->r, N, N + p->n, at->per_length);
    beam_strain(&st->f, at->tangent, &st->strain);
    memcpy(st->s, at->s, sizeof st->s);
    beam_add_stress(at->C, st->strain.e, st->s);
    memset(st->et, 0, sizeof st->et);
    if (!nt_beam_is_damped(b))
        return;
    st->rate = fields_at(p->n, p->v, p->rate, N, N + p->n, at->per_length);
    beam_strain_rate(&st->strain.J, &st->rate, st->et);
    beam_add_stress(at->D, st->et, st->s);
}

void nt_beam_look(const nt_beam_nodes *p, const nt_beam *b, int element, int q, nt_beam_state *st)
{
    look_at_point(p, b, &nt_beam_elastic_at(b, element)[q],
                  nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, st);
}

/* ---- derivatives of two nodes ---------------------------------------------------------------- */

/* Four rows that quaternions' columns are multiplied by, and a factor of places' columns. */
typedef struct columns {
    double place;
    lanes turn[4];
} columns;

/* Rows x, theta of a pair; columns x in the first lanes, theta in the second. */
typedef struct pair_rows {
    lanes x[6], theta[6];
} pair_rows;

/* Z of one node times H, at one point. */
typedef lanes_anywhere half[NT_BEAM_Z][2];

NT_INLINE void multiply_half(nt_beam_hessian H, double N, double B, half Y)
{
    for (int k = 0; k < NT_BEAM_Z; k++) {
        Y[k][0] = B * H[k][0];
        Y[k][1] = N * H[k][1] + B * H[k][2];
    }
}

/* A sum of places' columns and quaternions' columns, seven rows. */
typedef struct seven {
    lanes x[7], r[7];
} seven;

/* Added to A, or the first of all. */
NT_INLINE void add_half(seven *A, half Y, double N, double B, const bool first)
{
    const lanes none = {0};
    for (int k = 0; k < 3; k++) {
        A->x[k] = (first ? none : A->x[k]) + B * Y[NT_BEAM_V + k][0];
        A->r[k] = (first ? none : A->r[k]) + B * Y[NT_BEAM_V + k][1];
    }
    for (int k = 0; k < 4; k++) {
        A->x[3 + k] =
            (first ? none : A->x[3 + k]) + (N * Y[NT_BEAM_P + k][0] + B * Y[NT_BEAM_D + k][0]);
        A->r[3 + k] =
            (first ? none : A->r[3 + k]) + (N * Y[NT_BEAM_P + k][1] + B * Y[NT_BEAM_D + k][1]);
    }
}

NT_INLINE lanes through(lanes a, const lanes by[4])
{
    return a[0] * by[0] + a[1] * by[1] + a[2] * by[2] + a[3] * by[3];
}

/* Rows by P^T: (sum over l of P[l][c] A[l]) for c = 0, 1, 2. */
NT_INLINE lanes turned_row(const lanes P[4], const lanes *A, int c)
{
    return P[0][c] * A[0] + P[1][c] * A[1] + P[2][c] * A[2] + P[3][c] * A[3];
}

NT_INLINE void add_projected(pair_rows *to, const seven *A, const lanes P[4], const columns *by)
{
    for (int k = 0; k < 3; k++) {
        to->x[k] += by->place * A->x[k];
        to->x[3 + k] += by->place * turned_row(P, A->x + 3, k);
        to->theta[k] += through(A->r[k], by->turn);
        to->theta[3 + k] += through(turned_row(P, A->r + 3, k), by->turn);
    }
}

/* ---- columns of rates ------------------------------------------------------------------------ */

NT_INLINE void store_rows(m3 a, lanes rows[3])
{
    rows[0] = lanes_of3(a.xx, a.xy, a.xz);
    rows[1] = lanes_of3(a.yx, a.yy, a.yz);
    rows[2] = lanes_of3(a.zx, a.zy, a.zz);
}

/* to = P a: four rows */
NT_INLINE void multiply_map(const lanes P[4], m3 a, lanes to[4])
{
    lanes rows[3];
    store_rows(a, rows);
    for (int l = 0; l < 4; l++)
        to[l] = P[l][0] * rows[0] + P[l][1] * rows[1] + P[l][2] * rows[2];
}

/* to += s (0, w) P/2 */
NT_INLINE void add_turned(double s, v3 w, const lanes P[4], lanes to[4])
{
    double x = s * w.x / 2, y = s * w.y / 2, z = s * w.z / 2;
    to[0] += -x * P[1] - y * P[2] - z * P[3];
    to[1] += x * P[0] - z * P[2] + y * P[3];
    to[2] += y * P[0] + z * P[1] - x * P[3];
    to[3] += z * P[0] - y * P[1] + x * P[2];
}

/* The columns of what depends on x' and r' = (0, w) r/2, where r' is P w and turns with r. */
NT_INLINE columns rate_columns(const nt_view *view, const nt_beam_nodes *p, int j)
{
    const nt_combination *c = view->terms->combination;
    columns by = {.place = c->damping};
    m3 of_w = nt_rate_map(view, p->first_body + j, c->damping, c->stiffness);
    multiply_map(p->P[j], of_w, by.turn);
    add_turned(c->stiffness, p->motion[j].w, p->P[j], by.turn);
    return by;
}

NT_INLINE columns place_columns(const nt_view *view, const nt_beam_nodes *p, int j)
{
    double k = view->terms->combination->stiffness;
    columns by = {.place = k};
    for (int l = 0; l < 4; l++)
        by.turn[l] = k * p->P[j][l];
    return by;
}

/* ---- elastic forces -------------------------------------------------------------------------- */

/* Independent stresses. Newton's iteration on static states goes far more directly where D of the
 * stiffness, and the rows' own rotation, take not the stress s of the point but one that has
 * followed the increments linearly, C (e + J dz) of the iteration before: rotations by a large
 * increment stretch and shear a beam that will only be bent when it has settled, and their stresses
 * would stiffen it. Forces are those of s, so that the end is the same. */
static void take_independent(nt_beam_nodes *p, const nt_beam_elastic *at, const double *N,
                             nt_beam_state *st)
{
    double s[6], off[6];
    memcpy(s, at->s, sizeof s);
    beam_add_stress(at->C, at->carried, s);
    for (int i = 0; i < 6; i++)
        off[i] = at->weight * (s[i] - st->s[i]);
    nt_beam_lanes g = beam_gradient(&st->strain.J, off);
    for (int i = 0; i < p->n; i++)
        p->apart[i] += N[i] * g.p + N[p->n + i] * at->per_length * g.d;
    memcpy(st->s, s, sizeof s);
}

/* Second derivatives of all points of the rule, in places [0] and in rates [1]; NULL: not asked
 * for. */
typedef struct hessians {
    nt_beam_hessian *of[2];
    half *halves;
} hessians;

/* Forces of all points, and their derivatives. */
NT_INLINE void add_points(nt_beam_nodes *p, const nt_beam *b, int element, const hessians *h)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    for (int q = 0; q < b->n_rule[0]; q++) {
        const nt_beam_elastic *at = &points[q];
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, *D = N + p->n;
        nt_beam_state st;
        look_at_point(p, b, at, N, &st);
        nt_beam_lanes g = beam_gradient(&st.strain.J, st.s);
        g.v *= at->weight * at->per_length, g.p *= at->weight, g.d *= at->weight * at->per_length;
        for (int i = 0; i < p->n; i++) {
            p->f[i] += D[i] * g.v;
            p->G[i] += N[i] * g.p + D[i] * g.d;
        }
        if (h->of[0]) {
            if (b->carries)
                take_independent(p, at, N, &st);
            beam_add_weighted(&st.strain.J, at->C, &st.strain.J, at->weight, true, h->of[0][q]);
            beam_add_geometric(&st.f, &st.strain, st.s, at->weight, h->of[0][q]);
        }
        if (h->of[0] && h->of[1]) {
            nt_beam_jacobian Q;
            beam_rate_jacobian(&st.f, &st.rate, &st.strain, st.et, &Q);
            beam_add_weighted(&st.strain.J, at->D, &Q, at->weight, false, h->of[0][q]);
        }
        if (h->of[1]) {
            beam_add_weighted(&st.strain.J, at->D, &st.strain.J, at->weight, true, h->of[1][q]);
        }
    }
}

/* Column j of the elastic tangent: rows of nodes from `first` on. */
NT_INLINE void add_column(const nt_beam_nodes *p, const nt_beam *b, int element, const hessians *h,
                          int of, int j, int last, const columns *by, pair_rows *to)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    int nq = b->n_rule[0];
    for (int q = 0; q < nq; q++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N;
        multiply_half(h->of[of][q], N[j], N[p->n + j] * points[q].per_length, h->halves[q]);
    }
    for (int i = 0; i <= last; i++) {
        seven A;
        const double *N = nt_beam_shapes(b, element, 0, 0) + NT_SHAPE_N;
        add_half(&A, h->halves[0], N[i], N[p->n + i] * points[0].per_length, true);
        for (int q = 1; q < nq; q++) {
            N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N;
            add_half(&A, h->halves[q], N[i], N[p->n + i] * points[q].per_length, false);
        }
        add_projected(&to[i], &A, p->P[i], by);
    }
}

/* ---- consistent inertia ---------------------------------------------------------------------- */

/* Velocities and accelerations, as far as parts of the inertia are asked for. */
typedef struct inertial {
    v3 a, w, alpha; /* a less gravity */
    lanes rt, rtt;  /* r' = (0, w) r/2, r'' = (0, alpha) r/2 - |w|^2 r/4 */
} inertial;

NT_INLINE inertial inertial_of(const nt_view *view, const nt_motion *m, lanes r)
{
    unsigned parts = view->terms->parts;
    v3 zero = v3_of(0, 0, 0), g = parts & NT_EXPLICIT ? nt_beam_gravity(view->run) : zero;
    inertial of = {.w = parts & NT_GYROSCOPIC ? m->w : zero,
                   .alpha = parts & NT_MASS ? m->alpha : zero};
    of.a = v3_sub(parts & NT_MASS ? m->a : zero, g);
    of.rt = rate_of(of.w, r);
    of.rtt = rate_of(of.alpha, r) - v3_dot(of.w, of.w) / 4 * r;
    return of;
}

/* No part but NT_MASS depends on accelerations. */
static double mass_factor(const nt_view *view)
{
    return view->terms->parts & NT_MASS ? view->terms->combination->mass : 0;
}
static m3 alpha_map(const nt_view *view, int body)
{
    const nt_combination *c = view->terms->combination;
    return view->terms->parts & NT_MASS ? nt_acceleration_map(view, body, c->mass, c->stiffness)
                                        : (m3){0};
}

/* What the derivatives in p, pt, ptt are multiplied by for the rotation of a node. */
typedef struct inertia_columns {
    lanes p[4], t[4], tt[4];
} inertia_columns;

/* r' by theta: (0, w) P/2, by w: P; r'' by theta: (0, alpha) P/2 - |w|^2 P/4, by alpha: P, by w:
 * -r w^T/2. */
NT_INLINE void find_columns(const nt_view *view, const nt_beam_nodes *p, const inertial *of, int j,
                            inertia_columns *by)
{
    const nt_combination *c = view->terms->combination;
    double k = c->stiffness;
    int body = p->first_body + j;
    m3 of_alpha = alpha_map(view, body), of_w = nt_rate_map(view, body, c->damping, k);
    multiply_map(p->P[j], of_w, by->t);
    add_turned(k, of->w, p->P[j], by->t);
    multiply_map(p->P[j], of_alpha, by->tt);
    add_turned(k, of->alpha, p->P[j], by->tt);
    v3 w = m3_apply_transposed(of_w, of->w);
    double square = k * v3_dot(of->w, of->w) / 4;
    for (int l = 0; l < 4; l++) {
        by->p[l] = k * p->P[j][l];
        by->tt[l] -= square * p->P[j][l] + 0.5 * p->r[j][l] * lanes_of_v3(w);
    }
}

/* Forces of all points; pairs[i n + j]: derivatives of two nodes, NULL: not asked for. */
NT_INLINE void add_inertia(nt_beam_nodes *p, const nt_view *view, const nt_beam *b, int element,
                           pair_rows *pairs)
{
    const nt_beam_inert *points = nt_beam_inert_at(b, element);
    double mass = pairs ? mass_factor(view) : 0;
    inertial of[NT_MOST_ORDER + 1];
    inertia_columns by[NT_MOST_ORDER + 1];
    for (int i = 0; i < p->n; i++) {
        of[i] = inertial_of(view, &p->motion[i], p->r[i]);
        if (pairs)
            find_columns(view, p, &of[i], i, &by[i]);
    }
    for (int q = 0; q < b->n_rule[1]; q++) {
        const double *N = nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N;
        lanes r = {0}, rt = {0}, rtt = {0};
        nt_beam_motion m = {0};
        nt_beam_inertia in;
        for (int i = 0; i < p->n; i++) {
            m.a = v3_axpy(N[i], of[i].a, m.a);
            r += N[i] * p->r[i], rt += N[i] * of[i].rt, rtt += N[i] * of[i].rtt;
        }
        *(lanes_anywhere *)m.p = r;
        *(lanes_anywhere *)m.pt = rt;
        *(lanes_anywhere *)m.ptt = rtt;
        nt_beam_inertia_of(&points[q].mass, &m, pairs != NULL, &in);
        for (int i = 0; i < p->n; i++) {
            double s = points[q].weight * N[i];
            p->f[i] += s * lanes_of_v3(in.f);
            p->G[i] += s * lanes_load(in.g);
        }
        for (int j = 0; pairs && j < p->n; j++) {
            seven Z;
            for (int k = 0; k < 7; k++) {
                const double *a = in.of_a[k];
                Z.x[k] = mass * N[j] * lanes_of3(a[0], a[1], a[2]);
                Z.r[k] = N[j] * (through(lanes_load(in.of_p[k]), by[j].p) +
                                 through(lanes_load(in.of_pt[k]), by[j].t) +
                                 through(lanes_load(in.of_ptt[k]), by[j].tt));
            }
            for (int i = 0; i < p->n; i++) {
                pair_rows *to = &pairs[i * p->n + j];
                double s = points[q].weight * N[i];
                for (int k = 0; k < 3; k++) {
                    to->x[k] += s * Z.x[k];
                    to->theta[k] += s * Z.r[k];
                    to->x[3 + k] += s * turned_row(p->P[i], Z.x + 3, k);
                    to->theta[3 + k] += s * turned_row(p->P[i], Z.r + 3, k);
                }
            }
        }
    }
}

/* ---- the element ----------------------------------------------------------------------------- */

/* (1/2) vec(G r*) */
NT_INLINE v3 moment_of(lanes G, lanes r)
{
    return v3_scale(0.5, beam_vector(quat_multiply(lanes_quat(G), beam_conjugate(lanes_quat(r)))));
}

/* The rows' own rotation, of a node with itself: -(G . r) I/4 - m~/2. */
NT_INLINE void add_own(const nt_beam_nodes *p, int i, double k, pair_rows *to)
{
    lanes G = p->G[i] + p->apart[i];
    v3 m = moment_of(G, p->r[i]);
    double Gr = k * lanes_dot(G, p->r[i]) / 4, x = k * m.x / 2, y = k * m.y / 2, z = k * m.z / 2;
    to->theta[3] -= lanes_of3(Gr, -z, y);
    to->theta[4] -= lanes_of3(z, Gr, -x);
    to->theta[5] -= lanes_of3(-y, x, Gr);
}

/* Three rows of three into a block. */
NT_INLINE void put_block(double *to, const lanes rows[3], bool transposed)
{
    lanes a = rows[0], b = rows[1], c = rows[2];
    if (transposed) {
        lanes even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        lanes odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        a = __builtin_shufflevector(even, rows[2], 0, 1, 4, 4);
        b = __builtin_shufflevector(odd, rows[2], 0, 1, 5, 5);
        c = __builtin_shufflevector(even, rows[2], 2, 3, 6, 6);
    }
    *(lanes_anywhere *)to += __builtin_shufflevector(a, b, 0, 1, 2, 4);
    *(lanes_anywhere *)(to + 4) += __builtin_shufflevector(b, c, 1, 2, 4, 5);
    to[8] += c[2];
}

/* Blocks of nodes i and j of an element: four that follow each other, see beam_declare. */
NT_INLINE int couples_of(const nt_beam *b, int element, int i, int j)
{
    int n = b->p + 1;
    return nt_beam_node_couples(b) + 4 * ((element * n + i) * n + j);
}

NT_INLINE void put_pair(const nt_view *view, int at, const pair_rows *rows)
{
    put_block(nt_view_couple(view, at), rows->x, false);
    put_block(nt_view_couple(view, at + 1), rows->theta, false);
    put_block(nt_view_couple(view, at + 2), rows->x + 3, false);
    put_block(nt_view_couple(view, at + 3), rows->theta + 3, false);
}

/* Adds a symmetric tangent's blocks on the other side of the diagonal, transposed. */
NT_INLINE void put_mirrored(const nt_view *view, int at, const pair_rows *rows)
{
    put_block(nt_view_couple(view, at), rows->x, true);
    put_block(nt_view_couple(view, at + 1), rows->x + 3, true);
    put_block(nt_view_couple(view, at + 2), rows->theta, true);
    put_block(nt_view_couple(view, at + 3), rows->theta + 3, true);
}

static size_t pairs_of(const nt_beam *b) { return (size_t)(b->p + 1) * (size_t)(b->p + 1); }

size_t nt_beam_scratch(const nt_beam *b)
{
    size_t bytes = (size_t)b->n_rule[0] * (2 * sizeof(nt_beam_hessian) + sizeof(half)) +
                   (pairs_of(b) + 1) * sizeof(pair_rows);
    size_t tangent = bytes / sizeof(double), forces = nt_beam_forces_scratch(b);
    return tangent > forces ? tangent : forces;
}

/* Scratch in the order of nt_beam_scratch; pairs stand where vectors may. */
static pair_rows *divide_scratch(const nt_view *view, const nt_beam *b, bool damped, bool elastic,
                                 hessians *h)
{
    size_t nq = (size_t)b->n_rule[0];
    char *at = (char *)view->scratch;
    at += sizeof(lanes) - (size_t)((uintptr_t)at % sizeof(lanes));
    pair_rows *pairs = (pair_rows *)(void *)at;
    at += pairs_of(b) * sizeof *pairs;
    h->of[0] = elastic ? (nt_beam_hessian *)(void *)at : NULL;
    h->of[1] = elastic && damped ? (nt_beam_hessian *)(void *)at + nq : NULL;
    h->halves = (half *)(void *)(at + 2 * nq * sizeof(nt_beam_hessian));
    return pairs;
}

/* The element's tangent from the derivatives of its points; pairs hold those of its inertia where
 * it has some, else nothing. */
NT_INLINE void put_tangent(const nt_view *view, const nt_beam_nodes *p, const nt_beam *b,
                           int element, const hessians *h, pair_rows *pairs, bool is_inertial)
{
    double k = view->terms->combination->stiffness;
    bool symmetric = !is_inertial && !h->of[1];
    pair_rows column[NT_MOST_ORDER + 1];
    for (int j = 0; j < p->n; j++) {
        int last = symmetric ? j : p->n - 1;
        for (int i = 0; i <= last; i++)
            column[i] = is_inertial ? pairs[i * p->n + j] : (pair_rows){0};
        if (h->of[0] && k != 0) {
            columns by = place_columns(view, p, j);
            add_column(p, b, element, h, 0, j, last, &by, column);
        }
        if (h->of[1]) {
            columns by = rate_columns(view, p, j);
            add_column(p, b, element, h, 1, j, last, &by, column);
        }
        for (int i = 0; symmetric && i < last; i++)
            put_mirrored(view, couples_of(b, element, j, i), &column[i]);
        if (k != 0)
            add_own(p, j, k, &column[j]);
        for (int i = 0; i <= last; i++)
            put_pair(view, couples_of(b, element, i, j), &column[i]);
    }
}

NT_WIDE static void add_element(const nt_view *view, const nt_beam *b, int element, bool is_elastic,
                                bool is_inertial)
{
    const nt_terms *terms = view->terms;
    bool damped = is_elastic && nt_beam_is_damped(b);
    hessians h = {0};
    pair_rows *pairs = NULL;
    nt_beam_nodes p;
    load_nodes(&p, view, b, element, damped);
    if (terms->matrix)
        pairs = divide_scratch(view, b, damped, is_elastic, &h);
    if (is_elastic)
        add_points(&p, b, element, &h);
    if (is_inertial) {
        if (pairs)
            memset(pairs, 0, pairs_of(b) * sizeof *pairs);
        add_inertia(&p, view, b, element, pairs);
    }
    for (int i = 0; terms->residual && i < p.n; i++) {
        nt_view_force(view, p.first_port + 2 * i, lanes_v3(p.f[i]));
        nt_view_force(view, p.first_port + 2 * i + 1, moment_of(p.G[i], p.r[i]));
    }
    if (terms->matrix)
        put_tangent(view, &p, b, element, &h, pairs, is_inertial);
}

void nt_beam_add_element(const nt_view *view, const nt_beam *b, int element, bool is_elastic)
{
    bool is_inertial = view->terms->parts & (NT_MASS | NT_GYROSCOPIC | NT_EXPLICIT) && !b->inertia;
    if (is_elastic || is_inertial)
        add_element(view, b, element, is_elastic, is_inertial);
}
