/* The beam element: residual, tangent and energies of all its points; see beam_point.h. */
#include "model/beams/beam.h"

#include "model/elements.h"
#include "model/forces/load.h"

#include <string.h>

const nt_section nt_beam_section_of_file = {"beams", "beam", true};

/* ---- one finite element ---------------------------------------------------------------------- */

typedef double node_block[7][7];

/* Its nodes, and what they feel: work of one evaluation. */
typedef struct piece {
    int n; /* nodes */
    const nt_body *bodies[NT_MOST_ORDER + 1];
    const nt_motion *motion[NT_MOST_ORDER + 1];
    int port[NT_MOST_ORDER + 1];
    double r[NT_MOST_ORDER + 1][4], rt[NT_MOST_ORDER + 1][4], rtt[NT_MOST_ORDER + 1][4];
    double moving[NT_MOST_ORDER + 1][4]; /* r' with whatever parts: of damping */
    double P[NT_MOST_ORDER + 1][4][3];
    v3 f[NT_MOST_ORDER + 1];
    double G[NT_MOST_ORDER + 1][4];
    double apart[NT_MOST_ORDER + 1][4]; /* what independent stresses would add to G */
    v3 a[NT_MOST_ORDER + 1]; /* accelerations less gravity, as far as parts ask for them */
    v3 w[NT_MOST_ORDER + 1], alpha[NT_MOST_ORDER + 1];
} piece;

/* As far as a path of static states has put it on. */
static v3 present_gravity(const nt_run *run)
{
    return v3_scale(run->share[NT_SHARE_GRAVITY], v3_load(run->gravity));
}

/* Velocities and accelerations count as far as the parts of the inertia are asked for. */
static void load_piece(piece *p, const nt_view *view, const nt_beam *b, int element, unsigned parts)
{
    v3 zero = v3_of(0, 0, 0), g = parts & NT_EXPLICIT ? present_gravity(view->run) : zero;
    p->n = b->p + 1;
    for (int i = 0; i < p->n; i++) {
        int body = b->first_body + element * b->p + i;
        const nt_body *of = &view->bodies[body];
        const nt_motion *m = &view->motion[body];
        p->bodies[i] = of, p->motion[i] = m;
        p->port[i] = NT_PORTS + 2 * (element * b->p + i);
        memcpy(p->r[i], view->at->q + of->q + 3, sizeof p->r[i]);
        nt_beam_one_side(i > 0 ? p->r[i - 1] : p->r[i], p->r[i]);
        p->w[i] = parts & NT_GYROSCOPIC ? m->w : zero;
        p->alpha[i] = parts & NT_MASS ? m->alpha : zero;
        p->a[i] = v3_sub(parts & NT_MASS ? m->a : zero, g);
        nt_beam_quaternion_rates(p->r[i], p->w[i], p->alpha[i], p->rt[i], p->rtt[i]);
        nt_beam_quaternion_rate(p->r[i], m->w, p->moving[i]);
        nt_beam_rotation_map(p->r[i], p->P[i]);
        p->f[i] = zero;
        memset(p->G[i], 0, sizeof p->G[i]);
        memset(p->apart[i], 0, sizeof p->apart[i]);
    }
}

static void fields_at(const piece *p, const double *N, const double *D, double per_length,
                      nt_beam_fields *f)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < p->n; i++) {
        double B = D[i] * per_length;
        f->v = v3_axpy(B, p->motion[i]->x, f->v);
        for (int k = 0; k < 4; k++) {
            f->p[k] += N[i] * p->r[i][k];
            f->d[k] += B * p->r[i][k];
        }
    }
}

/* Rates of the fields. */
static void rates_at(const piece *p, const double *N, const double *D, double per_length,
                     nt_beam_fields *f)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < p->n; i++) {
        double B = D[i] * per_length;
        f->v = v3_axpy(B, p->motion[i]->v, f->v);
        for (int k = 0; k < 4; k++) {
            f->p[k] += N[i] * p->moving[i][k];
            f->d[k] += B * p->moving[i][k];
        }
    }
}

/* Strains, their rates where there is damping, and stresses at one point. */
typedef struct point_state {
    nt_beam_fields f, rate;
    nt_beam_strain strain;
    double et[6], s[6];
} point_state;

static void stress(const double *C, const double *e, double *s)
{
    for (int i = 0; i < 6; i++) {
        s[i] = 0;
        for (int j = 0; j < 6; j++)
            s[i] += C[6 * i + j] * e[j];
    }
}

/* ---- elastic forces ---------------------------------------------------------------------------
 */

/* A[i][j] += Y^T H Y of nodes i and j, seven rows and columns: x, r. */
static void add_pairs(const piece *p, const double *N, const double *D, double per_length,
                      double H[NT_BEAM_Z][NT_BEAM_Z], node_block *A)
{
    for (int j = 0; j < p->n; j++) {
        double B = D[j] * per_length, Y[NT_BEAM_Z][7];
        for (int k = 0; k < NT_BEAM_Z; k++) {
            for (int c = 0; c < 3; c++)
                Y[k][c] = B * H[k][NT_BEAM_V + c];
            for (int c = 0; c < 4; c++)
                Y[k][3 + c] = N[j] * H[k][NT_BEAM_P + c] + B * H[k][NT_BEAM_D + c];
        }
        for (int i = 0; i < p->n; i++) {
            double(*to)[7] = A[i * p->n + j], Bi = D[i] * per_length;
            for (int c = 0; c < 7; c++) {
                for (int k = 0; k < 3; k++)
                    to[k][c] += Bi * Y[NT_BEAM_V + k][c];
                for (int k = 0; k < 4; k++)
                    to[3 + k][c] += N[i] * Y[NT_BEAM_P + k][c] + Bi * Y[NT_BEAM_D + k][c];
            }
        }
    }
}

static bool is_damped(const nt_beam *b) { return b->given >> NT_BEAM_DAMPING & 1; }

/* s = s0 + C e + D e', e' = J z' */
static void look_at_point(const piece *p, const nt_beam *b, const nt_beam_elastic *at,
                          const double *N, point_state *st)
{
    fields_at(p, N, N + p->n, at->per_length, &st->f);
    nt_beam_strain_of(&st->f, at->tangent, &st->strain);
    stress(at->C, st->strain.e, st->s);
    for (int i = 0; i < 6; i++)
        st->s[i] += at->s[i], st->et[i] = 0;
    if (!is_damped(b))
        return;
    double damped[6];
    rates_at(p, N, N + p->n, at->per_length, &st->rate);
    nt_beam_strain_rate(&st->strain, &st->rate, st->et);
    stress(at->D, st->et, damped);
    for (int i = 0; i < 6; i++)
        st->s[i] += damped[i];
}

/* A: derivatives in places and quaternions, B: in their rates. */
/* Independent stresses. Newton's iteration on static states goes far more directly where D of the
 * stiffness, and the rows' own rotation, take not the stress s of the point but one that has
 * followed the increments linearly, C (e + J dz) of the iteration before: rotations by a large
 * increment stretch and shear a beam that will only be bent when it has settled, and their stresses
 * would stiffen it. Forces are those of s, so that the end is the same. */
static void take_independent(piece *p, const nt_beam_elastic *at, const double *N, point_state *st)
{
    double s[6], off[NT_BEAM_Z];
    stress(at->C, at->carried, s);
    for (int i = 0; i < 6; i++)
        s[i] += at->s[i];
    for (int j = 0; j < NT_BEAM_Z; j++) {
        off[j] = 0;
        for (int i = 0; i < 6; i++)
            off[j] += at->weight * st->strain.J[i][j] * (s[i] - st->s[i]);
    }
    for (int i = 0; i < p->n; i++) {
        double slope = N[p->n + i] * at->per_length;
        for (int k = 0; k < 4; k++)
            p->apart[i][k] += N[i] * off[NT_BEAM_P + k] + slope * off[NT_BEAM_D + k];
    }
    memcpy(st->s, s, sizeof s);
}

static void add_elastic(piece *p, const nt_beam *b, int element, node_block *A, node_block *B)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, *D = N + p->n;
        const nt_beam_elastic *at = &points[q];
        point_state st;
        double g[NT_BEAM_Z];
        look_at_point(p, b, at, N, &st);
        for (int j = 0; j < NT_BEAM_Z; j++) {
            g[j] = 0;
            for (int i = 0; i < 6; i++)
                g[j] += at->weight * st.strain.J[i][j] * st.s[i];
        }
        for (int i = 0; i < p->n; i++) {
            double slope = D[i] * at->per_length;
            p->f[i] = v3_axpy(slope, v3_load(g + NT_BEAM_V), p->f[i]);
            for (int k = 0; k < 4; k++)
                p->G[i][k] += N[i] * g[NT_BEAM_P + k] + slope * g[NT_BEAM_D + k];
        }
        double H[NT_BEAM_Z][NT_BEAM_Z];
        if (A && b->carries)
            take_independent(p, at, N, &st);
        if (A) {
            nt_beam_stiffness(&st.f, &st.strain, at->C, st.s, at->weight, H);
            if (B)
                nt_beam_damped_stiffness(&st.f, &st.rate, &st.strain, st.et, at->D, at->weight, H);
            add_pairs(p, N, D, at->per_length, H, A);
        }
        if (B) {
            nt_beam_damping(&st.strain, at->D, at->weight, H);
            add_pairs(p, N, D, at->per_length, H, B);
        }
    }
}

/* ---- inertia ----------------------------------------------------------------------------------
 */

/* Accumulated derivatives of the inertia of two nodes: rows f, g; columns a, p, pt, ptt. */
typedef struct inertia_pair {
    double a[7][3], p[7][4], t[7][4], tt[7][4];
} inertia_pair;

static void add_inertia_pairs(const piece *p, const double *N, double weight,
                              const nt_beam_inertia *in, inertia_pair *pairs)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            inertia_pair *to = &pairs[i * p->n + j];
            double s = weight * N[i] * N[j];
            if (s == 0) /* lumped: each point is a node */
                continue;
            for (int k = 0; k < 7; k++) {
                for (int c = 0; c < 3; c++)
                    to->a[k][c] += s * in->of_a[k][c];
                for (int c = 0; c < 4; c++) {
                    to->p[k][c] += s * in->of_p[k][c];
                    to->t[k][c] += s * in->of_pt[k][c];
                    to->tt[k][c] += s * in->of_ptt[k][c];
                }
            }
        }
}

static void add_inertia(piece *p, const nt_beam *b, int element, inertia_pair *pairs)
{
    const nt_beam_inert *points = nt_beam_inert_at(b, element);
    for (int q = 0; q < b->n_rule[1]; q++) {
        const double *N = nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N;
        nt_beam_motion m = {0};
        nt_beam_inertia in;
        for (int i = 0; i < p->n; i++) {
            m.a = v3_axpy(N[i], p->a[i], m.a);
            for (int k = 0; k < 4; k++) {
                m.p[k] += N[i] * p->r[i][k];
                m.pt[k] += N[i] * p->rt[i][k];
                m.ptt[k] += N[i] * p->rtt[i][k];
            }
        }
        nt_beam_inertia_of(&points[q].mass, &m, pairs != NULL, &in);
        for (int i = 0; i < p->n; i++) {
            double s = points[q].weight * N[i];
            p->f[i] = v3_axpy(s, in.f, p->f[i]);
            for (int k = 0; k < 4; k++)
                p->G[i][k] += s * in.g[k];
        }
        if (pairs)
            add_inertia_pairs(p, N, points[q].weight, &in, pairs);
    }
}

/* ---- from quaternions to rotations ------------------------------------------------------------
 */

/* rows x, theta of rows x, r: the rotations' by P^T. Columns n at most 4. */
static void rows_of(double P[4][3], const double *in, int stride, int n, double out[6][4])
{
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < 3; k++)
            out[k][c] = in[k * stride + c];
        for (int k = 0; k < 3; k++) {
            out[3 + k][c] = 0;
            for (int l = 0; l < 4; l++)
                out[3 + k][c] += P[l][k] * in[(3 + l) * stride + c];
        }
    }
}

static m3 block33(double a[6][4], int row)
{
    return (m3){a[row][0],     a[row][1],     a[row][2],     a[row + 1][0], a[row + 1][1],
                a[row + 1][2], a[row + 2][0], a[row + 2][1], a[row + 2][2]};
}

/* 6 x 3 of 6 x 4 and 4 x 3 */
static void columns_of(double a[6][4], double P[4][3], double out[6][4])
{
    for (int k = 0; k < 6; k++)
        for (int c = 0; c < 3; c++)
            out[k][c] =
                a[k][0] * P[0][c] + a[k][1] * P[1][c] + a[k][2] * P[2][c] + a[k][3] * P[3][c];
}

static void add_columns(double a[6][4], double P[4][3], double out[6][4])
{
    double product[6][4];
    columns_of(a, P, product);
    for (int row = 0; row < 6; row++)
        for (int c = 0; c < 3; c++)
            out[row][c] += product[row][c];
}

/* (0, w) P/2 */
static void turn_columns(v3 w, double P[4][3], double out[4][3])
{
    const double L[4][4] = {
        {0, -w.x, -w.y, -w.z}, {w.x, 0, -w.z, w.y}, {w.y, w.z, 0, -w.x}, {w.z, -w.y, w.x, 0}};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            out[k][c] = 0;
            for (int l = 0; l < 4; l++)
                out[k][c] += L[k][l] * P[l][c] / 2;
        }
}

/* Derivatives of the quaternion's rates: r' = (0, w) r/2, r'' = (0, alpha) r/2 - |w|^2 r/4 by r, as
 * 4 x 3 by P; and r'' by w: -r w^T/2. */
static void rate_columns(piece *p, int j, double of_t[4][3], double of_tt[4][3])
{
    v3 w = p->w[j], al = p->alpha[j];
    const double square = v3_dot(w, w) / 4;
    const double L[2][4][4] = {
        {{0, -w.x, -w.y, -w.z}, {w.x, 0, -w.z, w.y}, {w.y, w.z, 0, -w.x}, {w.z, -w.y, w.x, 0}},
        {{0, -al.x, -al.y, -al.z},
         {al.x, 0, -al.z, al.y},
         {al.y, al.z, 0, -al.x},
         {al.z, -al.y, al.x, 0}}};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            of_t[k][c] = 0;
            of_tt[k][c] = -square * p->P[j][k][c];
            for (int l = 0; l < 4; l++) {
                of_t[k][c] += L[0][k][l] * p->P[j][l][c] / 2;
                of_tt[k][c] += L[1][k][l] * p->P[j][l][c] / 2;
            }
        }
}

/* The blocks of two nodes: rows of force and moment, columns x and theta. */
typedef struct block_sums {
    m3 fx, ft, mx, mt;
} block_sums;

/* As far as they depend on the nodes' places and quaternions. */
static void sum_elastic(piece *p, int i, int j, node_block *A, double k, block_sums *sum)
{
    double rows[6][4], columns[6][4];
    rows_of(p->P[i], &(*A)[0][0], 7, 3, rows);
    sum->fx = m3_scale(k, block33(rows, 0)), sum->mx = m3_scale(k, block33(rows, 3));
    rows_of(p->P[i], &(*A)[0][3], 7, 4, rows);
    columns_of(rows, p->P[j], columns);
    sum->ft = m3_scale(k, block33(columns, 0)), sum->mt = m3_scale(k, block33(columns, 3));
}

/* On their rates: r' = (0, w) r/2 is P w, and turns with r. */
static void sum_damping(const nt_view *view, piece *p, int i, int j, node_block *B, block_sums *sum)
{
    const nt_combination *c = view->terms->combination;
    double rows[6][4], columns[6][4], turned[4][3];
    rows_of(p->P[i], &(*B)[0][0], 7, 3, rows);
    sum->fx = m3_add(sum->fx, m3_scale(c->damping, block33(rows, 0)));
    sum->mx = m3_add(sum->mx, m3_scale(c->damping, block33(rows, 3)));
    m3 of_w = nt_rate_map(view, (int)(p->bodies[j] - view->bodies), c->damping, c->stiffness);
    rows_of(p->P[i], &(*B)[0][3], 7, 4, rows);
    columns_of(rows, p->P[j], columns);
    sum->ft = m3_add(sum->ft, m3_multiply(block33(columns, 0), of_w));
    sum->mt = m3_add(sum->mt, m3_multiply(block33(columns, 3), of_w));
    turn_columns(p->motion[j]->w, p->P[j], turned);
    columns_of(rows, turned, columns);
    sum->ft = m3_add(sum->ft, m3_scale(c->stiffness, block33(columns, 0)));
    sum->mt = m3_add(sum->mt, m3_scale(c->stiffness, block33(columns, 3)));
}

static void sum_inertia(const nt_view *view, piece *p, int i, int j, inertia_pair *pair,
                        block_sums *sum)
{
    const nt_combination *c = view->terms->combination;
    double k = c->stiffness;
    double rows[6][4], columns[6][4];
    double M[6][4], T[6][4], Tt[6][4], K[6][4], of_t[4][3], of_tt[4][3];
    int body = (int)(p->bodies[j] - view->bodies);
    m3 of_w = nt_rate_map(view, body, c->damping, k);
    rows_of(p->P[i], &pair->tt[0][0], 4, 4, Tt);
    if (view->terms->parts & NT_MASS) { /* no other part depends on accelerations */
        m3 of_alpha = nt_acceleration_map(view, body, c->mass, k);
        rows_of(p->P[i], &pair->a[0][0], 3, 3, rows);
        sum->fx = m3_add(sum->fx, m3_scale(c->mass, block33(rows, 0)));
        sum->mx = m3_add(sum->mx, m3_scale(c->mass, block33(rows, 3)));
        columns_of(Tt, p->P[j], M); /* by alpha; r'' depends on w too: -r (w . dw)/2 */
        sum->ft = m3_add(sum->ft, m3_multiply(block33(M, 0), of_alpha));
        sum->mt = m3_add(sum->mt, m3_multiply(block33(M, 3), of_alpha));
    }
    rows_of(p->P[i], &pair->t[0][0], 4, 4, T);
    columns_of(T, p->P[j], columns);
    for (int row = 0; row < 6; row++) {
        double along = 0;
        for (int l = 0; l < 4; l++)
            along += Tt[row][l] * p->r[j][l] / 2;
        columns[row][0] -= along * p->w[j].x;
        columns[row][1] -= along * p->w[j].y;
        columns[row][2] -= along * p->w[j].z;
    }
    sum->ft = m3_add(sum->ft, m3_multiply(block33(columns, 0), of_w));
    sum->mt = m3_add(sum->mt, m3_multiply(block33(columns, 3), of_w));
    if (k == 0)
        return;
    rate_columns(p, j, of_t, of_tt);
    rows_of(p->P[i], &pair->p[0][0], 4, 4, rows);
    columns_of(rows, p->P[j], K);
    add_columns(T, of_t, K);
    add_columns(Tt, of_tt, K);
    sum->ft = m3_add(sum->ft, m3_scale(k, block33(K, 0)));
    sum->mt = m3_add(sum->mt, m3_scale(k, block33(K, 3)));
}

static void add_blocks(const nt_view *view, piece *p, int i, int j, node_block *A, node_block *B,
                       inertia_pair *pair)
{
    double k = view->terms->combination->stiffness;
    block_sums sum = {0};
    if (A && k != 0)
        sum_elastic(p, i, j, A, k, &sum);
    if (B)
        sum_damping(view, p, i, j, B, &sum);
    if (pair)
        sum_inertia(view, p, i, j, pair, &sum);
    if (i == j && k != 0) { /* the rows' own rotation: -(G . r) I/4 - m~/2 */
        double Gr = 0, G[4];
        for (int l = 0; l < 4; l++) {
            G[l] = p->G[i][l] + p->apart[i][l];
            Gr += G[l] * p->r[i][l];
        }
        m3 own = m3_add(m3_scale(Gr / 4, m3_identity()),
                        m3_scale(0.5, m3_skew(nt_beam_moment(p->r[i], G))));
        sum.mt = m3_sub(sum.mt, m3_scale(k, own));
    }
    nt_view_add(view, p->port[i], p->port[j], sum.fx);
    nt_view_add(view, p->port[i], p->port[j] + 1, sum.ft);
    nt_view_add(view, p->port[i] + 1, p->port[j], sum.mx);
    nt_view_add(view, p->port[i] + 1, p->port[j] + 1, sum.mt);
}

/* ---- energies ---------------------------------------------------------------------------------
 */

/* A point of the line as of a rigid body: its place, orientation, and velocities in its own axes.
 */
typedef struct rigid {
    v3 x, V, W;
    m3 R;
} rigid;

static rigid rigid_at(const piece *p, const double *N)
{
    double sum[4] = {0}, rate[4] = {0}, n = 0;
    rigid at = {0};
    v3 v = v3_of(0, 0, 0);
    for (int i = 0; i < p->n; i++) {
        at.x = v3_axpy(N[i], p->motion[i]->x, at.x);
        v = v3_axpy(N[i], p->motion[i]->v, v);
        for (int k = 0; k < 4; k++) {
            sum[k] += N[i] * p->r[i][k];
            rate[k] += N[i] * p->rt[i][k];
        }
    }
    for (int k = 0; k < 4; k++)
        n += sum[k] * sum[k];
    quat turn = quat_multiply((quat){sum[0], -sum[1], -sum[2], -sum[3]}, quat_load(rate));
    at.R = quat_matrix(quat_unit(quat_load(sum)));
    at.V = m3_apply_transposed(at.R, v);
    at.W = v3_scale(2 / n, v3_of(turn.x, turn.y, turn.z));
    return at;
}

static void add_energy(piece *p, const nt_view *view, const nt_beam *b, int element)
{
    load_piece(p, view, b, element, NT_GYROSCOPIC);
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    for (int q = 0; q < b->n_rule[0]; q++) {
        const nt_beam_elastic *at = &points[q];
        point_state st;
        double s[6], damped[6];
        look_at_point(p, b, at, nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, &st);
        stress(at->C, st.strain.e, s);
        stress(at->D, st.et, damped);
        for (int i = 0; i < 6; i++) {
            view->energy->potential += at->weight * (s[i] / 2 + at->s[i]) * st.strain.e[i];
            view->energy->power -= at->weight * damped[i] * st.et[i];
        }
    }
    const nt_beam_inert *inert = nt_beam_inert_at(b, element);
    v3 g = present_gravity(view->run);
    for (int q = 0; q < b->n_rule[1]; q++) {
        const nt_beam_mass *mass = &inert[q].mass;
        rigid at = rigid_at(p, nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N);
        double twice = mass->m * v3_dot(at.V, at.V) + 2 * v3_dot(at.V, v3_cross(at.W, mass->me)) +
                       v3_dot(at.W, m3_apply(mass->rho, at.W));
        v3 center = v3_axpy(mass->m, at.x, m3_apply(at.R, mass->me));
        view->energy->kinetic += inert[q].weight * twice / 2;
        view->energy->potential -= inert[q].weight * v3_dot(center, g);
    }
}

/* Per length: R (m V + W x me), and about the point R (me x V + rho W). */
static void beam_momentum(const nt_element *e, const nt_view *view, v3 *momentum, v3 *about_origin)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    piece p;
    for (int element = 0; element < b->n_elements; element++) {
        const nt_beam_inert *inert = nt_beam_inert_at(b, element);
        load_piece(&p, view, b, element, NT_GYROSCOPIC);
        for (int q = 0; q < b->n_rule[1]; q++) {
            const nt_beam_mass *m = &inert[q].mass;
            rigid at = rigid_at(&p, nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N);
            v3 linear = v3_axpy(m->m, at.V, v3_cross(at.W, m->me));
            v3 angular = v3_add(v3_cross(m->me, at.V), m3_apply(m->rho, at.W));
            linear = m3_apply(at.R, linear);
            angular = v3_add(v3_cross(at.x, linear), m3_apply(at.R, angular));
            *momentum = v3_axpy(inert[q].weight, linear, *momentum);
            *about_origin = v3_axpy(inert[q].weight, angular, *about_origin);
        }
    }
}

/* ---- the type ---------------------------------------------------------------------------------
 */

static size_t scratch_of(int nodes)
{
    size_t pairs = (size_t)nodes * (size_t)nodes;
    return pairs * (2 * sizeof(node_block) + sizeof(inertia_pair)) / sizeof(double);
}

static void add_element(piece *p, const nt_view *view, const nt_beam *b, int element,
                        bool is_elastic)
{
    const nt_terms *terms = view->terms;
    bool inertial = terms->parts & (NT_MASS | NT_GYROSCOPIC | NT_EXPLICIT);
    bool damped = is_elastic && is_damped(b);
    size_t pairs = (size_t)(b->p + 1) * (size_t)(b->p + 1);
    size_t room = pairs * sizeof(node_block) / sizeof(double);
    double *scratch = view->scratch;
    node_block *A = terms->matrix && is_elastic ? (node_block *)(void *)scratch : NULL;
    node_block *B = terms->matrix && damped ? (node_block *)(void *)(scratch + room) : NULL;
    inertia_pair *I =
        terms->matrix && inertial ? (inertia_pair *)(void *)(scratch + 2 * room) : NULL;
    if (A)
        memset(A, 0, pairs * sizeof *A);
    if (B)
        memset(B, 0, pairs * sizeof *B);
    if (I)
        memset(I, 0, pairs * sizeof *I);
    load_piece(p, view, b, element, terms->parts);
    if (is_elastic)
        add_elastic(p, b, element, A, B);
    if (inertial)
        add_inertia(p, b, element, I);
    for (int i = 0; terms->residual && i < p->n; i++) {
        nt_view_force(view, p->port[i], p->f[i]);
        nt_view_force(view, p->port[i] + 1, nt_beam_moment(p->r[i], p->G[i]));
    }
    for (int i = 0; (A || I) && i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            size_t k = (size_t)i * (size_t)p->n + (size_t)j;
            bool coupled = I && (i == j || !b->inertia); /* lumped nodes are not */
            add_blocks(view, p, i, j, A ? &A[k] : NULL, B ? &B[k] : NULL, coupled ? &I[k] : NULL);
        }
}

/* One element: strains of its points after an increment of the nodes, to first order. */
static void carry_piece(const piece *p, nt_beam *b, int element, const double *increment)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    nt_beam_elastic *to = (nt_beam_elastic *)nt_beam_array(b, b->elastic) + element * b->n_rule[0];
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N;
        double dz[NT_BEAM_Z] = {0};
        point_state st;
        look_at_point(p, b, &points[q], N, &st);
        for (int i = 0; i < p->n; i++) {
            const double *dx = increment + p->bodies[i]->v, *turn = dx + 3;
            double slope = N[p->n + i] * points[q].per_length;
            for (int k = 0; k < 3; k++)
                dz[NT_BEAM_V + k] += slope * dx[k];
            for (int k = 0; k < 4; k++) {
                double dr =
                    p->P[i][k][0] * turn[0] + p->P[i][k][1] * turn[1] + p->P[i][k][2] * turn[2];
                dz[NT_BEAM_P + k] += N[i] * dr;
                dz[NT_BEAM_D + k] += slope * dr;
            }
        }
        for (int i = 0; i < 6; i++) {
            to[q].carried[i] = st.strain.e[i];
            for (int j = 0; j < NT_BEAM_Z; j++)
                to[q].carried[i] += st.strain.J[i][j] * dz[j];
        }
    }
}

static void beam_carry(nt_run *run, const nt_element *e, const nt_view *view,
                       const double *increment)
{
    nt_beam *b = nt_element_numbers(run, e);
    piece p;
    b->carries = increment != NULL;
    for (int element = 0; increment && element < b->n_elements; element++) {
        load_piece(&p, view, b, element, 0);
        carry_piece(&p, b, element, increment);
    }
}

static nt_status beam_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    piece p;
    for (int element = 0; element < b->n_elements; element++)
        if (view->energy)
            add_energy(&p, view, b, element);
        else
            add_element(&p, view, b, element, view->terms->parts & e->part);
    return NT_OK;
}

static bool beam_depends_on_rates(const nt_run *run, const nt_element *e)
{
    return is_damped(nt_beam_of(run, e));
}

static bool beam_does_work(const nt_model *model, const nt_element *e)
{
    return is_damped(nt_model_data(model, e));
}

void nt_beam_stress_at(const nt_view *view, const nt_beam *b, int element, int q, double e[6],
                       double s[6])
{
    piece p;
    point_state st;
    load_piece(&p, view, b, element, 0);
    look_at_point(&p, b, &nt_beam_elastic_at(b, element)[q],
                  nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, &st);
    memcpy(e, st.strain.e, sizeof st.strain.e);
    memcpy(s, st.s, sizeof st.s);
}

static nt_status beam_declare(nt_model *model, nt_element *e)
{
    const nt_beam *b = nt_model_data(model, e);
    size_t scratch = scratch_of(b->p + 1);
    model->scratch = scratch > model->scratch ? scratch : model->scratch;
    for (int i = 0; i < b->n_nodes; i++)
        if (nt_element_port_of_body(model, e, b->first_body + i) != NT_PORTS + 2 * i)
            return NT_NO_MEMORY;
    nt_status status = NT_OK;
    for (int element = 0; element < b->n_elements; element++) {
        int first = NT_PORTS + 2 * element * b->p, last = first + 2 * b->p + 1;
        for (int i = first; i <= last; i++)
            for (int j = first; j <= last && status == NT_OK; j++)
                status = nt_element_couple(model, e, i, j, NT_FULL);
    }
    return status;
}

const nt_element_type nt_beam_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_beam_section_of_file,
    .name = "beam",
    .summary = "a line that stretches, shears, twists and bends",
    .keys = nt_beam_keys,
    .size = sizeof(nt_beam),
    .part = NT_IMPLICIT,
    .own_bodies = nt_beam_own_bodies,
    .has_inertia = true,
    .momentum = beam_momentum,
    .only_takes = true,
    .depends_on_rates = beam_depends_on_rates,
    .does_work = beam_does_work,
    .prepare = nt_beam_prepare,
    .declare = beam_declare,
    .evaluate = beam_evaluate,
    .carry = beam_carry,
    .draw = nt_beam_draw,
};
