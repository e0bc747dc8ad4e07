/* How far a deformed beam's mesh is off what its own stresses say.
 *
 * At the points of the rule stresses are better than anywhere else, moments those that nodes feel,
 * M = T/n (beam_point.h: of a chord through the sphere of rotations n < 1). Strains are those that
 * the sections between the points have under these stresses: where sections vary or turn within an
 * element, stresses are smooth and strains are not. A line without a mesh that had them would lie
 * along the solution of
 *
 *   x' = R gam,   R' = R kap~        gam = x0' + eps, in the length of the reference line,
 *
 * from an element's first node on; that this does not end at the last node is the mesh's doing: a
 * sum of quaternions is a chord, a polynomial is no arc. The gaps of all elements, one behind the
 * other, make how far the line is off at each node, exactly so where it is held at one end alone.
 *
 * Stresses are polynomials of degree p - 1 through the points. The next term follows from
 * equilibrium within the element, in axes that go with the point,
 *
 *   N' = -kap x N,   M' = -kap x M - gam x N,
 *
 * loads per length apart, which change it by less: c P_p(xi), P_p' = (2 p - 1) P_p-1 + ..., so that
 * c is half the integral of P_p-1 dM/dxi. */
#include "model/beams/beam_element.h"

#include "group/rotation.h"
#include "linalg/dense.h"
#include "model/elements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is warned of: a part of how far the line has moved, or of how far it has turned. */
static const double MOST_OFF = 0.02;

/* What is off by more than so many times how far the line has moved has no number. */
static const double BEYOND = 10;

/* Beams that keep their line to this part of their length are not judged: waves that have just
 * begun are carried by inertia, and bend nothing yet. */
static const double LEAST_MOVED = 1e-4;

/* The energy of strains that is worth another look, over the largest one that was looked at. */
static const double MORE = 1.5;

/* The part by which the stiffness may change from point to point of an element of one or two; of
 * more points as much more as their polynomials see. */
static const double VARIES = 0.4;

/* Steps along an element, of two points each. */
static int steps_of(const nt_beam *b) { return 1 + 2 * b->p; }
enum { MOST_PLACES = 2 * (1 + 2 * NT_MOST_ORDER) };

/* Values at the places along an element: Legendre's polynomials, slopes of the nodes' ones. */
typedef struct along {
    int steps;
    double xi[MOST_PLACES], P[MOST_PLACES][NT_MOST_ORDER + 1],
        slope[MOST_PLACES][NT_MOST_ORDER + 1];
} along;

static void fill_along(const nt_beam *b, along *a)
{
    double nodes[NT_MOST_ORDER + 1], w[NT_MOST_ORDER + 1], x[2], value[NT_MOST_ORDER + 1];
    a->steps = steps_of(b);
    nt_gauss_lobatto(b->p + 1, nodes, w);
    nt_gauss(2, x, w);
    for (int i = 0; i < 2 * a->steps; i++) {
        double xi = a->xi[i] = (2 * (i / 2) + 1 + x[i % 2]) / a->steps - 1;
        nt_legendre(b->p + 1, xi, a->P[i]);
        nt_lagrange(b->p + 1, nodes, xi, value, a->slope[i]);
    }
}

/* What Legendre's polynomials up to that of degree p are summed with. */
typedef struct series {
    double of[NT_MOST_ORDER + 1][6];
} series;

/* x := C^-1 x; nothing where C has no inverse. */
static void bend_by(const double stiffness[36], double x[6])
{
    double C[36];
    int pivot[6];
    memcpy(C, stiffness, sizeof C);
    if (nt_dense_factor(6, C, pivot) < 0)
        nt_dense_solve(6, C, pivot, x);
    else
        memset(x, 0, 6 * sizeof *x);
}

/* Stresses within an element, without those of damping; and the strains of the points' sections
 * under them, for sections that are much the same all along. */
static void find_series(const nt_beam_nodes *p, const nt_beam *b, int element, series *stress,
                        series *strain)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    double P[NT_MOST_ORDER + 1], *next = stress->of[b->p];
    memset(stress, 0, sizeof *stress);
    memset(strain, 0, sizeof *strain);
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *at = nt_beam_shapes(b, element, 0, q);
        double w = at[NT_SHAPE_WEIGHT], s[6], more[6] = {0};
        nt_beam_state st;
        nt_beam_look(p, b, element, q, &st);
        v3 gam = v3_load(st.strain.g), kap = v3_load(st.strain.g + 3);
        v3 N = v3_load(st.s), M = v3_scale(1 / st.strain.n, v3_load(st.s + 3));
        memcpy(s, points[q].s, sizeof s);
        beam_add_stress(points[q].C, st.strain.e, s);
        v3_store(more + 3, v3_scale(1 / st.strain.n - 1, v3_load(s + 3)));
        v3_store(s + 3, v3_add(v3_load(s + 3), v3_load(more + 3)));
        bend_by(points[q].C, more);
        nt_legendre(b->p, at[NT_SHAPE_XI], P);
        for (int l = 0; l < b->p; l++)
            for (int k = 0; k < 6; k++) {
                stress->of[l][k] += (2 * l + 1) / 2.0 * w * P[l] * s[k];
                strain->of[l][k] += (2 * l + 1) / 2.0 * w * P[l] * (st.strain.e[k] + more[k]);
            }
        double share = -w * P[b->p - 1] / 2 / points[q].per_length;
        v3_accumulate(next, v3_scale(share, v3_cross(kap, N)));
        v3_accumulate(next + 3, v3_scale(share, v3_add(v3_cross(kap, M), v3_cross(gam, N))));
    }
    memcpy(strain->of[b->p], next, sizeof strain->of[b->p]);
    bend_by(points[b->n_rule[0] / 2].C, strain->of[b->p]);
}

/* Whether the stiffness changes along an element by so much that polynomials through its points see
 * little of it: from one point to the next, those of the elements beside it included. Nothing is
 * known of that where there is one point alone. */
static bool section_varies(const nt_beam *b, int element)
{
    int n = b->n_rule[0], last = b->n_elements * n;
    const nt_beam_elastic *all = nt_beam_elastic_at(b, 0);
    int to = (element + 1) * n < last ? (element + 1) * n : last - 1;
    double most = VARIES * fmax(1, n / 2.0);
    if (last == 1)
        return true;
    for (int q = element > 0 ? element * n - 1 : 0; q < to; q++)
        for (int i = 0; i < 36; i++) {
            const double *C = all[q].C, *next = all[q + 1].C;
            double size =
                fmax(C[7 * (i / 6)] * C[7 * (i % 6)], next[7 * (i / 6)] * next[7 * (i % 6)]);
            if (pow(next[i] - C[i], 2) > most * most * size)
                return true;
        }
    return false;
}

/* Strains at a place along an element: of its section, under the stresses there. */
static void strains_at(const along *a, const nt_beam *b, int element, int place,
                       const series *stress, double strain[6])
{
    double C[36], without[6];
    nt_beam_section_within(b, element, a->xi[place], C, without);
    for (int k = 0; k < 6; k++) {
        strain[k] = -without[k];
        for (int l = 0; l <= b->p; l++)
            strain[k] += a->P[place][l] * stress->of[l][k];
    }
    bend_by(C, strain);
}

/* V u, V = I + w~/2 + w~w~/6 + ...: the way of a screw; |w| < 1. */
static v3 way_of(v3 w, v3 u)
{
    v3 sum = u;
    for (int k = 2; k < 14; k++) {
        u = v3_scale(1.0 / k, v3_cross(w, u));
        sum = v3_add(sum, u);
    }
    return sum;
}

/* From the first node of an element along its strains to its end. */
static void go_along(const along *a, const nt_beam *b, int element, const series *stress,
                     const series *strain, v3 *x, quat *r)
{
    const v3 *X = (const v3 *)nt_beam_array_in(b, b->nodes) + element * b->p;
    bool varies = section_varies(b, element);
    double h = 2.0 / a->steps;
    for (int i = 0; i < a->steps; i++) {
        v3 u[2], w[2];
        for (int k = 0; k < 2; k++) {
            v3 T = v3_of(0, 0, 0);
            double e[6] = {0};
            for (int n = 0; n <= b->p; n++) {
                T = v3_axpy(a->slope[2 * i + k][n], X[n], T);
                for (int j = 0; j < 6; j++)
                    e[j] += a->P[2 * i + k][n] * strain->of[n][j];
            }
            if (varies)
                strains_at(a, b, element, 2 * i + k, stress, e);
            u[k] = v3_axpy(v3_norm(T), v3_load(e), T);
            w[k] = v3_scale(v3_norm(T), v3_load(e + 3));
        }
        double c = sqrt(3) / 12 * h * h; /* Magnus, fourth order */
        v3 turn = v3_axpy(c, v3_cross(w[0], w[1]), v3_scale(h / 2, v3_add(w[0], w[1])));
        v3 move = v3_axpy(c, v3_sub(v3_cross(w[0], u[1]), v3_cross(w[1], u[0])),
                          v3_scale(h / 2, v3_add(u[0], u[1])));
        *x = v3_add(*x, m3_apply(quat_matrix(*r), way_of(turn, move)));
        *r = so3_compose(NT_BODY, *r, turn);
    }
}

/* What has become of a beam, seen from its first node, and how much of it is the mesh's doing: the
 * largest of all nodes. The worst element has the widest gap, turns counted by the beam's length.
 */
typedef struct deformation {
    double moved, turned, off, turned_off; /* m, rad, m, rad */
    int worst;
} deformation;

static deformation find_deformation(const nt_view *view, const nt_beam *b)
{
    const v3 *X = nt_beam_array_in(b, b->nodes);
    const nt_motion *root = view->motion + b->first_body;
    series stress, strain;
    double widest = 0, length = nt_beam_length(b);
    v3 off = v3_of(0, 0, 0), turned_off = off, turned = off;
    deformation d = {0};
    nt_beam_nodes p;
    along a;
    fill_along(b, &a);
    for (int element = 0; element < b->n_elements; element++) {
        nt_beam_load_nodes(&p, view, b, element, true);
        const v3 *nodes = X + element * b->p;
        v3 first = lanes_v3(p.x[0]), end = lanes_v3(p.x[b->p]), x = first;
        quat r = lanes_quat(p.r[0]), last = lanes_quat(p.r[b->p]);
        find_series(&p, b, element, &stress, &strain);
        go_along(&a, b, element, &stress, &strain, &x, &r);
        off = v3_add(off, v3_add(v3_cross(turned_off, v3_sub(end, first)), v3_sub(x, end)));
        v3 twisted = so3_log(quat_multiply(r, quat_conjugate(last)));
        double gap = v3_norm(v3_sub(x, end)) + length * v3_norm(twisted);
        if (gap > widest)
            widest = gap, d.worst = element;
        turned_off = v3_add(turned_off, twisted);
        d.off = fmax(d.off, v3_norm(off));
        d.turned_off = fmax(d.turned_off, v3_norm(turned_off));
        for (int i = 1; i <= b->p; i++) {
            v3 placed = v3_add(root->x, m3_apply(root->R, v3_sub(nodes[i], X[0])));
            d.moved = fmax(d.moved, v3_norm(v3_sub(lanes_v3(p.x[i]), placed)));
            quat back = quat_conjugate(lanes_quat(p.r[i - 1]));
            turned = v3_add(turned, so3_log(quat_multiply(lanes_quat(p.r[i]), back)));
            d.turned = fmax(d.turned, v3_norm(turned));
        }
    }
    return d;
}

/* What is off as a part of all that has become of the beam. A line that turns hardly moves where it
 * is twisted alone; that counts as moved by a tenth of what it would be by bending as much. */
static double part_off(const nt_beam *b, const deformation *d)
{
    double length = nt_beam_length(b), moved = fmax(d->moved, 0.1 * length * d->turned);
    double turned = fmax(d->turned, d->moved / length);
    bool has_moved = moved > LEAST_MOVED * length;
    return has_moved ? fmax(d->off / moved, d->turned_off / turned) : 0;
}

/* What a note is about, in its `part`: the rule is worse than the order, or else the mesh, counted
 * on from its first element. */
enum { UNKNOWN, RULE, MESH };

void nt_beam_note_accuracy(const nt_element *e, const nt_view *view, double energy)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    nt_run_note *note = &view->run->noting[e - view->model->elements];
    char words[8];
    if (view->at->t < note->since)
        *note = (nt_run_note){0};
    if (note->part == UNKNOWN)
        note->part = nt_beam_rule_remark(view->model, e, words, sizeof words) ? RULE : MESH;
    if (note->part == RULE)
        note->by = 1;
    if (note->part == RULE || !(energy > MORE * note->known))
        return;
    note->known = energy;
    deformation d = find_deformation(view, b);
    double part = part_off(b, &d);
    part = part < BEYOND ? part : BEYOND;
    note->by = part > MOST_OFF ? part : 0;
    note->part = MESH + d.worst;
    note->since = note->at = note->by > 0 ? view->at->t : 0;
}

void nt_beam_warning(const nt_run *run, const nt_element *e, char *text, int size)
{
    const nt_run_note *note = &run->notes[e - run->model->elements];
    if (note->part == RULE && nt_beam_rule_remark(run->model, e, text, (size_t)size))
        return;
    char off[60] = "more than ten times as much as it has bent";
    if (note->by < BEYOND)
        snprintf(off, sizeof off, "about %.2g %% of how far it has bent", 100 * note->by);
    snprintf(text, (size_t)size,
             "its mesh is coarse, of element %d most: at t = %.6g s its line is off by %s, by the "
             "stresses that it has itself; expected more elements or a higher order",
             note->part - MESH + 1, note->at, off);
}
