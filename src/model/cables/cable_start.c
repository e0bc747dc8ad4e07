/* Where the inner nodes of a cable hang at the start.
 *
 * At rest the tension vector t of a segment changes by the weight of the node that follows, so it
 * is known along the cable from its value at the first end:
 *
 *   t_(i+1) = t_i - m l0 g,   x_(i+1) = x_i + (l0/T + l0/EA) t_i,   T = |t_i|
 *
 * Newton's method finds the t_0 with which the last node is the second end: the catenary of these
 * segments themselves. It begins with the catenary of a line that does not stretch. Where the line
 * would pass below the seabed, part of it lies there: the search for its rest (cable_bed.c) begins
 * with an elastic catenary that touches down from each end, without friction, on a flat bed
 * (Jonkman 2007 has one end).
 *
 * Where the ends are nearly above each other a long line hangs down from both, with a segment at
 * the bottom that bears nothing: t is zero there and has no direction, so that no t_0 leads through
 * it. Such a segment is looked for first. */
#include "model/cables/cable.h"

#include "base/error.h"

#include <math.h>

typedef struct hanging {
    int n;
    double l0, EA;
    v3 weight, way; /* of a node, N; from the first end to the second */
    double blur;    /* N, that tensions are not less than */
    double least;   /* likewise: of the weight, however stiff the line is */
} hanging;

/* What is missing to the second end, and its derivative in t_0. */
static v3 march(const hanging *h, v3 t, v3 *nodes, v3 from, m3 *slope)
{
    v3 x = from;
    m3 sum = {0};
    for (int i = 0; i < h->n; i++) {
        double T = h->blur > 0 ? hypot(v3_norm(t), h->blur) : fmax(v3_norm(t), h->least);
        double a = h->l0 / T + h->l0 / h->EA;
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

/* The pull of a line that does not stretch, by the first term of the catenary's series. */
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

/* The gap is the slope of a convex function of t_0, the energy of the line in terms of its tension:
 *   sum l0 (T + |t|^2/(2 EA)) - t_0 . way. */
static double energy_of(const hanging *h, v3 t)
{
    double sum = -v3_dot(t, h->way);
    for (int i = 0; i < h->n; i++) {
        double t2 = v3_dot(t, t);
        sum += h->l0 * (sqrt(t2 + h->blur * h->blur) + t2 / (2 * h->EA));
        t = v3_sub(t, h->weight);
    }
    return sum;
}

/* Where a segment at the bottom bears next to nothing its direction turns with the least change of
 * t_0. With T = sqrt(t . t + blur^2) it turns gradually, and Newton goes down to the least energy
 * whatever it begins with; the blur is then made less and less. */
static void hang_softly(hanging *h, v3 *t)
{
    double weight = v3_norm(h->weight);
    for (h->blur = h->n * weight; h->blur > 1e-9 * weight; h->blur /= 8) {
        double energy = energy_of(h, *t);
        for (int i = 0; i < 60; i++) {
            m3 slope;
            v3 gap = march(h, *t, NULL, v3_of(0, 0, 0), &slope), step;
            if (v3_norm(gap) < 1e-9 * h->n * h->l0 || !solve33(slope, gap, &step))
                break;
            double share = 1, next = energy, falls = v3_dot(gap, step);
            v3 trial = *t;
            for (int k = 0; k < 40; k++, share /= 2) {
                trial = v3_axpy(-share, step, *t);
                next = energy_of(h, trial);
                if (next <= energy - 1e-4 * share * falls)
                    break;
            }
            if (!(next < energy)) /* rounding */
                break;
            *t = trial, energy = next;
        }
    }
    h->blur = 0;
}

/* Nodes that hang straight down from both ends, with a slack segment between the two lowest ones;
 * false where no segment is slack. A segment with k nodes below it is strained by k weights. */
static bool hang_down(const hanging *h, const v3 ends[2], v3 *nodes)
{
    double weight = v3_norm(h->weight), softness = weight / h->EA;
    v3 down = v3_scale(1 / weight, h->weight);
    for (int k = 0; k < h->n; k++) { /* segment k is slack */
        double below[2] = {k, h->n - 1 - k};
        v3 lowest[2];
        for (int i = 0; i < 2; i++) {
            double deep = below[i] + softness * below[i] * (below[i] + 1) / 2;
            lowest[i] = v3_axpy(h->l0 * deep, down, ends[i]);
        }
        if (v3_norm(v3_sub(lowest[1], lowest[0])) > h->l0)
            continue;
        for (int j = 0; j <= h->n; j++) {
            int i = j > k;
            double on = i ? h->n - j : j; /* segments from the end */
            double deep = on + softness * on * (2 * below[i] - on + 1) / 2;
            nodes[j] = v3_axpy(h->l0 * deep, down, ends[i]);
        }
        return true;
    }
    return false;
}

/* ---- with a part on the bed ---------------------------------------------------------------------
 *
 * Without friction the horizontal tension H is the same everywhere. From an end that is Z above the
 * bed hangs the length V/w, with V, the vertical tension at the end, by
 *
 *   Z = (sqrt(H^2 + V^2) - H)/w + V^2/(2 EA w),   reach X = H/w asinh(V/H) + H V/(w EA),
 *
 * and the rest lies between the two feet. H is where this spans the distance of the ends; where it
 * spans more without tension the line is slack there. */

typedef struct lying {
    double w, EA, L, H;
    double rise[2], hangs[2], reach[2]; /* at both ends; m */
} lying;

/* Newton from the line that does not stretch, which hangs with more: the rise is convex in V. */
static double vertical_tension(const lying *c, double rise)
{
    double H = c->H, w = c->w, V = sqrt(w * rise * (w * rise + 2 * H));
    for (int i = 0; i < 60 && V > 0; i++) {
        double T = hypot(H, V), over = V * V / (w * (T + H)) + V * V / (2 * c->EA * w) - rise;
        double step = over / (V / (w * T) + V / (c->EA * w));
        V -= step;
        if (fabs(step) <= 1e-15 * V)
            break;
    }
    return V;
}

/* The length on the bed with this H, and what the line spans then. */
static double lay(lying *c, double H, double *span)
{
    double base = c->L;
    c->H = H, *span = 0;
    for (int i = 0; i < 2; i++) {
        double V = vertical_tension(c, c->rise[i]);
        c->hangs[i] = V / c->w;
        c->reach[i] = H / c->w * asinh(V / H) + H * V / (c->w * c->EA);
        base -= c->hangs[i], *span += c->reach[i];
    }
    *span += base * (1 + H / c->EA);
    return base;
}

/* False where the line does not lie down. */
static bool find_touchdown(lying *c, double X)
{
    double low = log(1e-9 * c->w * c->L), high = log(10 * c->EA), span, base;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        base = lay(c, exp(middle), &span);
        if (base < 0 || span > X)
            high = middle;
        else
            low = middle;
    }
    base = lay(c, exp(low), &span);
    return base >= 0 && span > X - 1e-6 * c->L;
}

/* Nodes along e from the first end, whose bed is at height[0]; those that lie get its height later.
 */
static void lay_down(const nt_cable *cable, const lying *c, const v3 ends[2], v3 e, double X,
                     const double height[2], v3 *nodes)
{
    double base = c->L - c->hangs[0] - c->hangs[1], foot = c->reach[0];
    double scale = base > 0 ? fmax(0, X - c->reach[0] - c->reach[1]) / base : 0;
    for (int i = 1; i < cable->n; i++) {
        double s = c->L * i / cable->n, on = s - c->hangs[0], x = foot + on * scale, z = -INFINITY;
        for (int k = 0; k < 2; k++) {
            double up = k == 0 ? -on : on - base, r = c->w * up / c->H;
            if (!(up > 0))
                continue;
            double away = c->H / c->w * asinh(r) + c->H * up / c->EA;
            x = k == 0 ? foot - away : X - c->reach[1] + away;
            z = height[k] + up * r / (1 + sqrt(1 + r * r)) + c->w * up * up / (2 * c->EA);
        }
        nodes[i] = v3_axpy(x, e, v3_of(ends[0].x, ends[0].y, z));
    }
}

static nt_status height_below(const nt_cable *c, const nt_run *run, v3 x, double *height)
{
    double slope[2];
    return nt_cable_seabed(c, run, run->variables, run->scratch, x, height, slope, NULL);
}

/* Nodes that would be below the bed lie on it; then all of them move to where they rest. */
static nt_status settle_on_bed(const nt_cable *c, const nt_run *run, const v3 ends[2], double w,
                               v3 *nodes)
{
    double height[2], below, sink = w / c->seabed.stiffness;
    lying line = {.w = w, .L = c->length, .EA = c->stiffness};
    bool touches = false;
    nt_status status = NT_OK;
    for (int i = 1; i < c->n && status == NT_OK; i++) {
        status = height_below(c, run, nodes[i], &below);
        touches |= nodes[i].z < below;
    }
    if (!touches || status != NT_OK)
        return status;
    for (int i = 0; i < 2 && status == NT_OK; i++) {
        status = height_below(c, run, ends[i], &height[i]);
        line.rise[i] = fmax(0, ends[i].z - height[i]);
    }
    v3 way = v3_sub(ends[1], ends[0]);
    double X = hypot(way.x, way.y);
    if (status == NT_OK && find_touchdown(&line, X))
        lay_down(c, &line, ends, X > 0 ? v3_of(way.x / X, way.y / X, 0) : v3_of(1, 0, 0), X, height,
                 nodes);
    for (int i = 1; i < c->n && status == NT_OK; i++) {
        status = height_below(c, run, nodes[i], &below);
        nodes[i].z = fmax(nodes[i].z, below - sink);
    }
    return status == NT_OK ? nt_cable_rest_on_bed(c, run, nodes) : status;
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
        h.least = fmin(1e-12 * h.EA, 1e-9 * v3_norm(h.weight));
        if (!hang_down(&h, ends, nodes)) {
            v3 guess = t;
            if (!hang(&h, &t)) {
                t = guess;
                hang_softly(&h, &t);
                if (!hang(&h, &t))
                    return NT_NOT_CONVERGED;
            }
            march(&h, t, nodes, ends[0], &slope);
        }
        nt_status status = c->seabed.height ? settle_on_bed(c, run, ends, weight, nodes) : NT_OK;
        if (status != NT_OK)
            return status;
    }
    place_nodes(run, c, nodes, speeds);
    return NT_OK;
}
