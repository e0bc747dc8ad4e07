/* Where the inner nodes of a cable hang at the start.
 *
 * At rest the tension vector t of a segment changes by the weight of the node that follows, so it
 * is known along the cable from its value at the first end:
 *
 *   t_(i+1) = t_i - m l0 g,   x_(i+1) = x_i + (l0/T + l0/EA) t_i,   T = |t_i|
 *
 * Newton's method finds the t_0 with which the last node is the second end: the catenary of these
 * segments themselves. It begins with the catenary of a line that does not stretch. Where the line
 * would pass below the seabed, part of it lies there: the elastic catenary with touchdown from the
 * lower end, without friction (Jonkman 2007). */
#include "model/cables/cable.h"

#include "base/error.h"

#include <math.h>

typedef struct hanging {
    int n;
    double l0, EA;
    v3 weight, way; /* of a node, N; from the first end to the second */
} hanging;

/* What is missing to the second end, and its derivative in t_0. */
static v3 march(const hanging *h, v3 t, v3 *nodes, v3 from, m3 *slope)
{
    v3 x = from;
    m3 sum = {0};
    for (int i = 0; i < h->n; i++) {
        double T = fmax(v3_norm(t), 1e-12 * h->EA), a = h->l0 / T + h->l0 / h->EA;
        if (nodes)
            nodes[i] = x;
        x = v3_axpy(a, t, x);
        m3 own = m3_sub(m3_scale(a, m3_identity()), m3_scale(h->l0 / (T * T * T), m3_dyad(t, t)));
        sum = m3_add(sum, own);
        t = v3_sub(t, h->weight);
    }
    *slope = sum;
    return v3_sub(v3_sub(x, from), h->way);
}

/* Of a line that does not stretch, by the first term of the catenary's series. */
static v3 first_guess(const hanging *h, v3 up, double w)
{
    double L = h->n * h->l0, Z = v3_dot(h->way, up);
    v3 across = v3_axpy(-Z, up, h->way);
    double X = v3_norm(across), least = 1e-3 * L;
    v3 aside = fabs(up.x) < 0.9 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    aside = v3_axpy(-v3_dot(aside, up), up, aside);
    v3 e = X > 1e-9 * L ? v3_scale(1 / X, across) : v3_scale(1 / v3_norm(aside), aside);
    X = fmax(X, least);
    double chord = sqrt(X * X + Z * Z);
    double lambda = L > chord ? sqrt(3 * ((L * L - Z * Z) / (X * X) - 1)) : 0.2;
    double H = w * X / (2 * fmax(lambda, 1e-3));
    double V = w / 2 * (Z / tanh(fmax(lambda, 1e-3)) + L) - w * L;
    if (L <= chord)
        H += h->EA * (chord / L - 1);
    return v3_add(v3_scale(H, e), v3_scale(V, up));
}

static bool solve33(m3 A, v3 b, v3 *x)
{
    v3 c0 = v3_of(A.xx, A.yx, A.zx), c1 = v3_of(A.xy, A.yy, A.zy), c2 = v3_of(A.xz, A.yz, A.zz);
    double det = v3_dot(c0, v3_cross(c1, c2));
    if (!(fabs(det) > 0) || !isfinite(det))
        return false;
    *x = v3_of(v3_dot(b, v3_cross(c1, c2)) / det, v3_dot(c0, v3_cross(b, c2)) / det,
               v3_dot(c0, v3_cross(c1, b)) / det);
    return true;
}

/* Newton with shorter steps while the gap does not shrink. */
static bool hang(const hanging *h, v3 *t)
{
    m3 slope;
    v3 gap = march(h, *t, NULL, v3_of(0, 0, 0), &slope), step;
    double size = v3_norm(gap), good = 1e-14 * (h->n * h->l0 + v3_norm(h->way));
    for (int i = 0; i < 200 && size > good; i++) {
        if (!solve33(slope, gap, &step))
            return false;
        double share = 1, next = size;
        v3 trial = *t;
        for (int k = 0; k < 40; k++, share /= 2) {
            trial = v3_axpy(-share, step, *t);
            m3 there;
            v3 left = march(h, trial, NULL, v3_of(0, 0, 0), &there);
            next = v3_norm(left);
            if (next < size) {
                gap = left, slope = there;
                break;
            }
        }
        if (!(next < size)) /* rounding */
            return size < 1e-9 * h->n * h->l0;
        *t = trial, size = next;
    }
    return size < 1e-9 * h->n * h->l0;
}

/* ---- with a part on the bed ---------------------------------------------------------------------
 */

typedef struct lying {
    double H, V, w, L, EA; /* at the upper end */
} lying;

static double span_of(const lying *c, double *rise)
{
    double r = c->V / c->H, base = c->L - c->V / c->w;
    *rise = c->H / c->w * (sqrt(1 + r * r) - 1) + c->V * c->V / (2 * c->EA * c->w);
    return base + c->H / c->w * asinh(r) + c->H * c->L / c->EA;
}

/* H, V with which the line spans X and rises by Z; false where it would not lie down. */
static bool find_touchdown(lying *c, double X, double Z)
{
    double H = fmax(1e-3 * c->w * c->L, c->w * Z * 0.3), V = c->w * Z * 1.2;
    V = fmin(V, 0.95 * c->w * c->L);
    for (int i = 0; i < 100; i++) {
        double rise, up[2], d = 1e-6;
        c->H = H, c->V = V;
        double f = span_of(c, &rise) - X, g = rise - Z;
        if (fabs(f) + fabs(g) < 1e-12 * c->L)
            return V <= c->w * c->L;
        c->H = H * (1 + d);
        double fH = (span_of(c, &up[0]) - X - f) / (H * d), gH = (up[0] - rise) / (H * d);
        c->H = H, c->V = V * (1 + d);
        double fV = (span_of(c, &up[1]) - X - f) / (V * d), gV = (up[1] - rise) / (V * d);
        double det = fH * gV - fV * gH, dH = (f * gV - g * fV) / det, dV = (g * fH - f * gH) / det;
        if (!isfinite(dH) || !isfinite(dV))
            return false;
        H = fmax(H - dH, 0.1 * H), V = fmin(fmax(V - dV, 0.1 * V), c->w * c->L * 1.5);
    }
    return false;
}

/* Nodes from the lower end, whose place and direction are given. */
static void lay_down(const nt_cable *cable, const lying *c, v3 low, v3 e, bool first, double sink,
                     v3 *nodes)
{
    double base = c->L - c->V / c->w;
    for (int i = 0; i <= cable->n; i++) {
        double s = c->L * (first ? i : cable->n - i) / cable->n, x = s * (1 + c->H / c->EA), z = 0;
        if (s > base) {
            double r = c->w * (s - base) / c->H;
            x = base + c->H / c->w * asinh(r) + c->H * s / c->EA;
            z = c->H / c->w * (sqrt(1 + r * r) - 1) + c->w * (s - base) * (s - base) / (2 * c->EA);
        }
        nodes[i] = v3_add(low, v3_add(v3_scale(x, e), v3_of(0, 0, z > sink ? z : z - sink)));
    }
}

static bool is_below(const nt_cable *c, const nt_run *run, const v3 *nodes)
{
    double height, slope[2];
    for (int i = 1; i < c->n; i++)
        if (nt_cable_seabed(c, run, run->variables, run->scratch, nodes[i], &height, slope, NULL) ==
                NT_OK &&
            nodes[i].z < height)
            return true;
    return false;
}

static void settle_on_bed(const nt_cable *c, const v3 ends[2], double w, v3 *nodes)
{
    bool first = ends[0].z <= ends[1].z;
    v3 low = ends[first ? 0 : 1], way = v3_sub(ends[first ? 1 : 0], low);
    double Z = way.z, X = hypot(way.x, way.y);
    lying line = {.w = w, .L = c->length, .EA = c->stiffness};
    if (X > 0 && Z > 0 && find_touchdown(&line, X, Z))
        lay_down(c, &line, low, v3_of(way.x / X, way.y / X, 0), first, w / c->seabed.stiffness,
                 nodes);
}

/* ---- the start ---------------------------------------------------------------------------------
 */

static void place_nodes(nt_run *run, const nt_cable *c, const v3 *nodes, const v3 speeds[2])
{
    for (int i = 1; i < c->n; i++) {
        nt_body *body = &run->bodies[c->first_body + i - 1];
        double share = (double)i / c->n;
        v3 v = v3_axpy(share, v3_sub(speeds[1], speeds[0]), speeds[0]);
        body->x0 = nodes[i], body->v0 = v;
        v3_store(run->initial_q + body->q, nodes[i]);
        v3_store(run->initial_v + body->v, v);
    }
}

/* The ends as the assembly placed their bodies, and their velocities. */
static void look_at_ends(const nt_run *run, const nt_cable *c, v3 ends[2], v3 speeds[2])
{
    for (int i = 0; i < 2; i++) {
        const nt_body *b = &run->bodies[c->between[i]];
        v3 x = b->x0, v = b->v0, w = b->w0;
        quat q = b->q0;
        if (b->t_node >= 0)
            x = v3_load(run->initial_q + b->q), v = v3_load(run->initial_v + b->v);
        if (b->r_node >= 0) {
            q = quat_load(run->initial_q + b->q + (b->t_node >= 0 ? 3 : 0));
            w = v3_load(run->initial_v + b->v + (b->t_node >= 0 ? 3 : 0));
        }
        v3 rho = m3_apply(quat_matrix(q), c->offset[i]);
        ends[i] = v3_add(x, rho);
        speeds[i] = v3_add(v, v3_cross(w, rho));
    }
}

nt_status nt_cable_settle(nt_run *run, const nt_element *element)
{
    const nt_cable *c = nt_element_data(run, element);
    v3 ends[2], speeds[2], nodes[NT_MOST_SEGMENTS + 1], g = v3_load(run->gravity);
    look_at_ends(run, c, ends, speeds);
    hanging h = {.n = c->n,
                 .l0 = c->length / c->n,
                 .EA = c->stiffness,
                 .weight = v3_scale(c->mass * c->length / c->n, g),
                 .way = v3_sub(ends[1], ends[0])};
    for (int i = 0; i <= c->n; i++)
        nodes[i] = v3_axpy((double)i / c->n, h.way, ends[0]);
    double weight = c->mass * v3_norm(g);
    if (weight > 0) { /* else straight: taut, or slack */
        m3 slope;
        v3 up = v3_scale(-1 / v3_norm(g), g), t = first_guess(&h, up, weight);
        if (!hang(&h, &t))
            return NT_NOT_CONVERGED;
        march(&h, t, nodes, ends[0], &slope);
        if (c->seabed.height && is_below(c, run, nodes))
            settle_on_bed(c, ends, weight, nodes);
    }
    place_nodes(run, c, nodes, speeds);
    return NT_OK;
}
