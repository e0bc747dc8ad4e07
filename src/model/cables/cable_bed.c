/* Where a cable rests that touches its seabed: the inner nodes at the least energy
 *
 *   sum over segments  EA l0/2 max(0, eps)^2   -   sum over nodes  m l0 g . x
 *   + sum over nodes  k l0/2 max(0, d)^2,      d = h(x, y) - z,
 *
 * with the ends where they are. Forces are what the cable has at rest (cable.c), where neither
 * damping nor friction acts. Over a plane bed the energy is convex, as a tension alone and a bed
 * that pushes alone are: it has one least value, which slack nodes may have at many places.
 *
 * Newton's method with a multiple s of the identity added to the second derivatives, which are
 * tridiagonal in blocks of nodes: s grows until the matrix is positive definite and the step goes
 * downhill, and shrinks while steps succeed (Levenberg 1944; Marquardt 1963). What nothing pushes
 * stays where it lies.
 *
 * Where the start is near by, as on a flat bed, that is all. Else a line that hardly stretches, and
 * a bed that hardly yields, leave the way down a narrow and winding valley. The search then goes by
 * softer lines and beds, each of which is near the next. */
#include "model/cables/cable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct resting {
    const nt_cable *c;
    const nt_run *run;
    v3 *x, *trial, *step; /* [n + 1] nodes, the ends included */
    v3 *force;            /* [n + 1] */
    m3 *own, *next;       /* [n + 1] second derivatives: of a node, with the one after it */
    m3 *by_next;          /* [n + 1] own^-1 next, once those before are eliminated */
    double EA, k;         /* N; N/m^2 */
    double slackens;      /* strain over which a segment goes slack */
    double rounding;      /* of the energy, J */
} resting;

/* What a segment has of the energy; its tension T pulls along e, dT/dl. With `slackens` = delta > 0
 * it bears EA (eps + sqrt(eps^2 + delta^2))/2, smoothly less and less the slacker it is. */
static double segment_energy(const resting *r, const v3 *x, int i, double *T, double *slope,
                             double *l, v3 *e)
{
    double l0 = r->c->length / r->c->n, delta = r->slackens;
    v3 d = v3_sub(x[i + 1], x[i]);
    *l = v3_norm(d);
    double strain = *l / l0 - 1, root = hypot(strain, delta);
    *e = *l > 0 ? v3_scale(1 / *l, d) : v3_of(0, 0, 0);
    *T = 0.5 * r->EA * (strain > 0 || delta == 0 ? strain + root : delta * delta / (root - strain));
    *slope = root > 0 ? *T / (l0 * root) : 0;
    double curved = delta > 0 ? delta * delta * asinh(strain / delta) : 0;
    return 0.25 * r->EA * l0 * (strain * (strain + root) + curved);
}

static nt_status bed_below(const resting *r, v3 x, double *d, double slope[2], double second[3])
{
    double height;
    nt_status status = nt_cable_seabed(r->c, r->run, r->run->variables, r->run->scratch, x, &height,
                                       slope, second);
    *d = height - x.z;
    return status;
}

static nt_status energy_at(resting *r, const v3 *x, double *energy)
{
    const nt_cable *c = r->c;
    double l0 = c->length / c->n, sum = 0, size = 0, T, stiff, l, d, slope[2];
    v3 e, weight = v3_scale(c->mass * l0, v3_load(r->run->gravity));
    nt_status status = NT_OK;
    for (int i = 0; i < c->n; i++)
        sum += segment_energy(r, x, i, &T, &stiff, &l, &e);
    for (int i = 1; i < c->n && status == NT_OK; i++) {
        double falls = v3_dot(weight, x[i]);
        status = bed_below(r, x[i], &d, slope, NULL);
        sum += 0.5 * l0 * r->k * fmax(0, d) * fmax(0, d) - falls;
        size += fabs(falls);
    }
    *energy = sum;
    r->rounding = 1e-15 * (size + fabs(sum));
    return status;
}

/* Forces on the nodes and second derivatives, from r->x. */
static nt_status differentiate(resting *r)
{
    const nt_cable *c = r->c;
    double l0 = c->length / c->n, k = r->k * l0;
    v3 weight = v3_scale(c->mass * l0, v3_load(r->run->gravity));
    for (int i = 0; i <= c->n; i++)
        r->force[i] = weight, r->own[i] = r->next[i] = (m3){0};
    for (int i = 0; i < c->n; i++) {
        double T, stiff, l;
        v3 e;
        segment_energy(r, r->x, i, &T, &stiff, &l, &e);
        if (!(T > 0 && l > 0))
            continue;
        m3 along = m3_dyad(e, e), across = m3_sub(m3_identity(), along);
        m3 K = m3_add(m3_scale(stiff, along), m3_scale(T / l, across));
        r->force[i] = v3_axpy(T, e, r->force[i]);
        r->force[i + 1] = v3_axpy(-T, e, r->force[i + 1]);
        r->own[i] = m3_add(r->own[i], K), r->own[i + 1] = m3_add(r->own[i + 1], K);
        r->next[i] = m3_scale(-1, K);
    }
    nt_status status = NT_OK;
    for (int i = 1; i < c->n && status == NT_OK; i++) {
        double d, slope[2], second[3];
        status = bed_below(r, r->x[i], &d, slope, second);
        if (status != NT_OK || !(d > 0))
            continue;
        v3 n = v3_of(-slope[0], -slope[1], 1);
        m3 H = {second[0], second[1], 0, second[1], second[2], 0, 0, 0, 0};
        r->force[i] = v3_axpy(k * d, n, r->force[i]);
        r->own[i] = m3_add(r->own[i], m3_add(m3_scale(k, m3_dyad(n, n)), m3_scale(k * d, H)));
    }
    return status;
}

/* A = L D L^T of a symmetric block. */
typedef struct factors33 {
    double yx, zx, zy, dx, dy, dz;
} factors33;

/* False where it is not positive definite. */
static bool factor33(m3 A, factors33 *f)
{
    const double least = 1e-14;
    f->dx = A.xx;
    if (!(f->dx > 0))
        return false;
    f->yx = A.yx / f->dx, f->zx = A.zx / f->dx;
    f->dy = A.yy - f->yx * A.yx;
    if (!(f->dy > least * A.yy))
        return false;
    f->zy = (A.zy - f->zx * A.yx) / f->dy;
    f->dz = A.zz - f->zx * A.zx - f->zy * f->zy * f->dy;
    return f->dz > least * A.zz && isfinite(f->dz);
}

static v3 solve33(const factors33 *f, v3 b)
{
    double y = b.y - f->yx * b.x, z = b.z - f->zx * b.x - f->zy * y;
    v3 x = {.z = z / f->dz};
    x.y = y / f->dy - f->zy * x.z;
    x.x = b.x / f->dx - f->yx * x.y - f->zx * x.z;
    return x;
}

/* The step with a shift, by elimination from node to node; false where the matrix is not positive
 * definite. */
static bool find_step(resting *r, double shift)
{
    int n = r->c->n;
    m3 passed = {0}; /* on to the node from those before it */
    v3 push = {0};
    for (int i = 1; i < n; i++) {
        factors33 f;
        m3 A = m3_add(m3_sub(r->own[i], passed), m3_scale(shift, m3_identity()));
        if (!factor33(A, &f))
            return false;
        m3 U = i + 1 < n ? r->next[i] : (m3){0};
        v3 x = solve33(&f, v3_of(U.xx, U.yx, U.zx)), y = solve33(&f, v3_of(U.xy, U.yy, U.zy)),
           z = solve33(&f, v3_of(U.xz, U.yz, U.zz));
        r->by_next[i] = (m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
        r->step[i] = solve33(&f, v3_sub(r->force[i], push));
        passed = m3_multiply(m3_transpose(U), r->by_next[i]);
        push = m3_apply_transposed(U, r->step[i]);
    }
    for (int i = n - 2; i > 0; i--)
        r->step[i] = v3_sub(r->step[i], m3_apply(r->by_next[i], r->step[i + 1]));
    return true;
}

/* The longest way of a node in the step. */
static double step_size(const resting *r)
{
    double size = 0;
    for (int i = 1; i < r->c->n; i++)
        size = fmax(size, v3_norm(r->step[i]));
    return size;
}

/* Converged where a step with the least shift is this part of the length; and how large a step may
 * be that rounding of the energy stops. */
static const double SMALL = 1e-13, STOPPED = 1e-8;

/* Takes the step where it goes downhill. */
static nt_status try_step(resting *r, double *energy, bool *downhill)
{
    double next;
    for (int k = 0; k <= r->c->n; k++)
        r->trial[k] = k > 0 && k < r->c->n ? v3_add(r->x[k], r->step[k]) : r->x[k];
    nt_status status = energy_at(r, r->trial, &next);
    *downhill = status == NT_OK && next <= *energy + r->rounding;
    if (!*downhill) /* where the bed has no height a shorter step is tried */
        return status == NT_NOT_FINITE ? NT_OK : status;
    v3 *x = r->x;
    r->x = r->trial, r->trial = x, *energy = next;
    return differentiate(r);
}

/* NT_NOT_CONVERGED after so many tries. */
static nt_status descend(resting *r, int tries)
{
    double weight = r->c->mass * v3_norm(v3_load(r->run->gravity)), L = r->c->length;
    double least = 1e-9 * weight, most = 1e6 * (r->EA / L + r->k * L), shift = least;
    double energy, before = (double)INFINITY;
    nt_status status = energy_at(r, r->x, &energy);
    if (status == NT_OK)
        status = differentiate(r);
    for (int i = 0; i < tries && status == NT_OK && shift <= most; i++) {
        bool downhill = false, definite = find_step(r, shift), plain = shift <= least;
        double size = definite ? step_size(r) : (double)INFINITY;
        if (definite)
            status = try_step(r, &energy, &downhill);
        if (plain && size <= STOPPED * L && (!downhill || size <= SMALL * L || size >= before / 2))
            return status;
        before = plain && downhill ? size : (double)INFINITY;
        shift = downhill ? fmax(least, shift / 4) : fmax(4 * shift, 1e-3 * weight);
    }
    return status == NT_OK && shift <= most ? NT_NOT_CONVERGED : status;
}

/* By softer lines and beds: from strains, and depths over the length, of about 1/20; slack comes
 * as gradually, until what it still bears is less than this part of the weight. On a bed with kinks
 * the energy may have no slope of zero where it is least: the search ends near by, and what is left
 * moves once the run begins. */
static const double BEARS = 1e-9;

static nt_status go_by_softer(resting *r)
{
    enum { TRIES = 60, TRIES_AT_LAST = 4000 };
    double L = r->c->length, harder = 4, EA = r->EA, k = r->k;
    double weight = r->c->mass * v3_norm(v3_load(r->run->gravity)) * L;
    double line = 20 * weight, bed = 20 * weight / (L * L), bears = weight;
    nt_status status = NT_OK;
    for (; status == NT_OK && (line < EA || bed < k || bears > BEARS * weight); line *= harder) {
        r->EA = fmin(line, EA), r->k = fmin(bed, k), r->slackens = 2 * weight / line;
        status = descend(r, TRIES);
        status = status == NT_NOT_CONVERGED ? NT_OK : status;
        bed *= harder;
        bears = r->EA * r->slackens * r->slackens;
    }
    r->EA = EA, r->k = k, r->slackens = 0;
    if (status == NT_OK)
        status = descend(r, TRIES_AT_LAST);
    return status == NT_NOT_CONVERGED ? NT_OK : status;
}

nt_status nt_cable_rest_on_bed(const nt_cable *c, const nt_run *run, v3 *nodes)
{
    size_t n = (size_t)c->n + 1;
    v3 *vectors = malloc(4 * n * sizeof *vectors);
    m3 *blocks = malloc(3 * n * sizeof *blocks);
    enum { TRIES = 60 };
    nt_status status = NT_NO_MEMORY;
    if (vectors && blocks) {
        resting r = {.c = c,
                     .run = run,
                     .x = vectors,
                     .trial = vectors + n,
                     .step = vectors + 2 * n,
                     .force = vectors + 3 * n,
                     .own = blocks,
                     .next = blocks + n,
                     .by_next = blocks + 2 * n,
                     .EA = c->stiffness,
                     .k = c->seabed.stiffness};
        memcpy(r.x, nodes, n * sizeof *nodes);
        status = descend(&r, TRIES);
        if (status == NT_NOT_CONVERGED) {
            memcpy(r.x, nodes, n * sizeof *nodes);
            status = go_by_softer(&r);
        }
        if (status == NT_OK)
            memcpy(nodes, r.x, n * sizeof *nodes);
    }
    free(vectors);
    free(blocks);
    return status;
}

/* ---- ends that are deep below the bed ---------------------------------------------------------
 */

void nt_cable_note_depth(const nt_element *e, const nt_view *view, int side, double depth)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    nt_run_note *note = &view->run->noting[e - view->model->elements];
    if (view->at->t < note->since)
        *note = (nt_run_note){0};
    if (note->by > 0 || !(depth > c->length / c->n))
        return;
    *note = (nt_run_note){.by = depth, .since = view->at->t, .at = view->at->t, .part = side};
}

void nt_cable_warning(const nt_run *run, const nt_element *e, char *text, int size)
{
    const nt_cable *c = nt_cable_of(run, e);
    const nt_run_note *note = &run->notes[e - run->model->elements];
    snprintf(text, (size_t)size,
             "its %s end, on body %s, is %.6g m below its bed at t = %.6g s, more than a segment "
             "of %.6g m: the bed throws it up; expected it above, or a bed that is lower",
             note->part == 0 ? "first" : "second", run->model->bodies[c->between[note->part]].name,
             note->by, note->at, c->length / c->n);
}
