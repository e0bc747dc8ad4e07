/* The line of a beam: straight pieces between points, or a spline through them, and the axes that
 * are carried along it without torsion. */
#include "model/beams/beam.h"

#include <math.h>

static v3 line_point(const nt_beam *b, int i)
{
    return v3_load(nt_array_in(b, &b->points) + 3 * i);
}

double nt_beam_chord(const nt_beam *b, int i)
{
    return v3_norm(v3_sub(line_point(b, i + 1), line_point(b, i)));
}

v3 nt_beam_chord_direction(const nt_beam *b, int i)
{
    return v3_scale(1 / nt_beam_chord(b, i), v3_sub(line_point(b, i + 1), line_point(b, i)));
}

static const nt_beam_knot *knot_at(const nt_beam *b, int i)
{
    return (const nt_beam_knot *)nt_beam_array_in(b, b->knots) + i;
}

double nt_beam_length(const nt_beam *b) { return knot_at(b, b->points.count - 1)->arc; }

/* ---- axes ------------------------------------------------------------------------------------ */

/* The rotation by the smallest angle that takes unit vector a to unit vector b. */
static m3 shortest(v3 a, v3 b)
{
    v3 axis = v3_cross(a, b);
    double c = v3_dot(a, b);
    if (c < -1 + 1e-12) { /* opposite: half a turn about z, or about x where that is along */
        v3 about = fabs(a.z) < 0.9 ? v3_of(0, 0, 1) : v3_of(1, 0, 0);
        about = v3_axpy(-v3_dot(about, a), a, about);
        about = v3_scale(1 / v3_norm(about), about);
        return m3_sub(m3_scale(2, m3_dyad(about, about)), m3_identity());
    }
    m3 skew = m3_skew(axis);
    return m3_add(m3_add(m3_identity(), skew), m3_scale(1 / (1 + c), m3_multiply(skew, skew)));
}

static m3 with_normal(v3 t, v3 n)
{
    v3 e2 = v3_axpy(-v3_dot(n, t), t, n);
    e2 = v3_scale(1 / v3_norm(e2), e2);
    v3 e3 = v3_cross(t, e2);
    return (m3){t.x, e2.x, e3.x, t.y, e2.y, e3.y, t.z, e2.z, e3.z};
}

/* Axis 1 along t at the begin of the line. */
static m3 first_axes(const nt_beam *b, v3 t)
{
    bool given = b->given >> NT_BEAM_NORMAL & 1;
    return given ? with_normal(t, v3_load(b->normal)) : shortest(v3_of(1, 0, 0), t);
}

/* ---- a spline --------------------------------------------------------------------------------
 *
 * Each coordinate is a cubic between neighbouring points, of a parameter u that grows by the
 * distance of points, with continuous second derivatives M. At the two ends the third derivatives
 * of neighbouring pieces are equal too ("not a knot"); three points make a parabola. */

typedef struct spline_point {
    v3 x, t; /* place; derivative in u */
} spline_point;

static spline_point spline_at(const nt_beam *b, int i, double u)
{
    const nt_beam_knot *k = knot_at(b, i);
    v3 x0 = line_point(b, i), x1 = line_point(b, i + 1);
    double h = k[1].knot - k[0].knot, B = (u - k[0].knot) / h, A = 1 - B;
    double c0 = (A * A * A - A) * h * h / 6, c1 = (B * B * B - B) * h * h / 6;
    double d0 = -(3 * A * A - 1) * h / 6, d1 = (3 * B * B - 1) * h / 6;
    v3 x = v3_add(v3_scale(A, x0), v3_scale(B, x1));
    v3 t = v3_scale(1 / h, v3_sub(x1, x0));
    x = v3_axpy(c0, k[0].curve, v3_axpy(c1, k[1].curve, x));
    t = v3_axpy(d0, k[0].curve, v3_axpy(d1, k[1].curve, t));
    return (spline_point){x, t};
}

/* Length of the spline from the begin of a piece, by ten Gauss points in each of four parts. */
static double spline_length(const nt_beam *b, int i, double u)
{
    enum { HALF = 5, PARTS = 4 };
    static const double x[HALF] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                                   0.86506336668898451, 0.97390652851717172};
    static const double w[HALF] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                   0.14945134915058059, 0.06667134430868814};
    double from = knot_at(b, i)->knot, length = 0;
    for (int part = 0; part < PARTS; part++)
        for (int q = 0; q < 2 * HALF; q++) {
            double place = q % 2 == 0 ? x[q / 2] : -x[q / 2];
            double at = from + (u - from) * (part + (place + 1) / 2) / PARTS;
            length += w[q / 2] * (u - from) / (2 * PARTS) * v3_norm(spline_at(b, i, at).t);
        }
    return length;
}

/* The parameter at a length from the begin of a piece: Newton, whose derivative is the speed. */
static double spline_find(const nt_beam *b, int i, double length)
{
    const nt_beam_knot *k = knot_at(b, i);
    double u = k[0].knot + (k[1].knot - k[0].knot) * length / (k[1].arc - k[0].arc);
    for (int trial = 0; trial < 8; trial++)
        u -= (spline_length(b, i, u) - length) / v3_norm(spline_at(b, i, u).t);
    return u;
}

/* Axes carried from a piece's begin to u: two reflections a step, of fourth order and exact in
 * planes (Wang, Juettler, Zheng & Liu 2008). */
static m3 spline_axes(const nt_beam *b, int i, double u, v3 *place)
{
    enum { STEPS = 16 };
    const nt_beam_knot *k = knot_at(b, i);
    spline_point from = spline_at(b, i, k->knot);
    v3 normal = v3_of(k->axes.xy, k->axes.yy, k->axes.zy);
    v3 t = v3_scale(1 / v3_norm(from.t), from.t);
    for (int step = 1; step <= STEPS; step++) {
        spline_point to = spline_at(b, i, k->knot + (u - k->knot) * step / STEPS);
        v3 way = v3_sub(to.x, from.x), next = v3_scale(1 / v3_norm(to.t), to.t);
        double square = v3_dot(way, way);
        if (square > 0) {
            normal = v3_axpy(-2 * v3_dot(way, normal) / square, way, normal);
            v3 turned = v3_axpy(-2 * v3_dot(way, t) / square, way, t), gap = v3_sub(next, turned);
            normal = v3_axpy(-2 * v3_dot(gap, normal) / v3_dot(gap, gap), gap, normal);
        }
        from = to, t = next;
    }
    *place = from.x;
    return with_normal(t, normal);
}

/* Second derivatives at the points: rows h0 M0 + 2 (h0 + h1) M1 + h1 M2 = 6 (slope1 - slope0), the
 * first and last row with M0, M2 of the neighbours' straight continuation put in. */
static void fill_curves(nt_beam *b, nt_beam_knot *k)
{
    int n = b->points.count;
    if (n == 3) {
        double h0 = k[1].knot - k[0].knot, h1 = k[2].knot - k[1].knot;
        v3 s0 = v3_scale(1 / h0, v3_sub(line_point(b, 1), line_point(b, 0)));
        v3 s1 = v3_scale(1 / h1, v3_sub(line_point(b, 2), line_point(b, 1)));
        for (int i = 0; i < 3; i++)
            k[i].curve = v3_scale(2 / (h0 + h1), v3_sub(s1, s0));
    }
    if (n <= 3)
        return;
    /* forward elimination; `axes.xx`, `arc` are free yet: diagonal and upper entries */
    for (int i = 1; i < n - 1; i++) {
        double h0 = k[i].knot - k[i - 1].knot, h1 = k[i + 1].knot - k[i].knot;
        v3 s0 = v3_scale(1 / h0, v3_sub(line_point(b, i), line_point(b, i - 1)));
        v3 s1 = v3_scale(1 / h1, v3_sub(line_point(b, i + 1), line_point(b, i)));
        double lower = h0, diagonal = 2 * (h0 + h1), upper = h1;
        v3 right = v3_scale(6, v3_sub(s1, s0));
        if (i == 1) /* M0 = M1 + (M1 - M2) h0/h1 */
            diagonal += h0 + h0 * h0 / h1, upper -= h0 * h0 / h1, lower = 0;
        if (i == n - 2)
            diagonal += h1 + h1 * h1 / h0, lower -= h1 * h1 / h0, upper = 0;
        if (i > 1) {
            double factor = lower / k[i - 1].axes.xx;
            diagonal -= factor * k[i - 1].arc;
            right = v3_axpy(-factor, k[i - 1].curve, right);
        }
        k[i].axes.xx = diagonal, k[i].arc = upper, k[i].curve = right;
    }
    for (int i = n - 2; i >= 1; i--) {
        v3 right = i == n - 2 ? k[i].curve : v3_axpy(-k[i].arc, k[i + 1].curve, k[i].curve);
        k[i].curve = v3_scale(1 / k[i].axes.xx, right);
    }
    double first = (k[1].knot - k[0].knot) / (k[2].knot - k[1].knot);
    double last = (k[n - 1].knot - k[n - 2].knot) / (k[n - 2].knot - k[n - 3].knot);
    k[0].curve = v3_axpy(first, v3_sub(k[1].curve, k[2].curve), k[1].curve);
    k[n - 1].curve = v3_axpy(last, v3_sub(k[n - 2].curve, k[n - 3].curve), k[n - 2].curve);
}

/* ---- of both --------------------------------------------------------------------------------- */

void nt_beam_fill_line(nt_beam *b)
{
    nt_beam_knot *k = nt_beam_array(b, b->knots);
    int n = b->points.count;
    for (int i = 0; i < n; i++) {
        double before = i == 0 ? 0 : k[i - 1].knot + nt_beam_chord(b, i - 1);
        k[i] = (nt_beam_knot){.arc = before, .knot = before};
    }
    if (b->line == 0) {
        k[0].axes = first_axes(b, nt_beam_chord_direction(b, 0));
        for (int i = 1; i + 1 < n; i++) {
            m3 turn = shortest(nt_beam_chord_direction(b, i - 1), nt_beam_chord_direction(b, i));
            k[i].axes = m3_multiply(turn, k[i - 1].axes);
        }
        return;
    }
    fill_curves(b, k);
    v3 t = spline_at(b, 0, 0).t, place;
    k[0].arc = 0;
    k[0].axes = first_axes(b, v3_scale(1 / v3_norm(t), t));
    for (int i = 0; i + 1 < n; i++) {
        k[i + 1].arc = k[i].arc + spline_length(b, i, k[i + 1].knot);
        k[i + 1].axes = spline_axes(b, i, k[i + 1].knot, &place);
    }
}

int nt_beam_piece(const nt_beam *b, double s)
{
    int i = 0;
    while (i + 2 < b->points.count && knot_at(b, i + 1)->arc < s)
        i++;
    return i;
}

v3 nt_beam_line_at(const nt_beam *b, int piece, double s, m3 *axes)
{
    const nt_beam_knot *k = knot_at(b, piece);
    v3 place;
    if (b->line == 0) {
        *axes = k->axes;
        return v3_axpy(s - k->arc, nt_beam_chord_direction(b, piece), line_point(b, piece));
    }
    *axes = spline_axes(b, piece, spline_find(b, piece, s - k->arc), &place);
    return place;
}
