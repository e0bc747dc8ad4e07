/* Sections: stiffness and mass from matrices or from a figure and its material. */
#include "base/number.h"
#include "linalg/dense.h"
#include "model/beams/beam.h"
#include "model/bodies/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- another point of the section ------------------------------------------------------------ */

/* A^T X A with A = [I, -o~; 0, I]: what is given about another point of the section. */
static void about_line(const double *X, const double *o, double *out)
{
    double A[36] = {0}, XA[36];
    for (int i = 0; i < 6; i++)
        A[7 * i] = 1;
    A[6 * 0 + 4] = o[2], A[6 * 0 + 5] = -o[1];
    A[6 * 1 + 3] = -o[2], A[6 * 1 + 5] = o[0];
    A[6 * 2 + 3] = o[1], A[6 * 2 + 4] = -o[0];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            XA[6 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                XA[6 * i + j] += X[6 * i + k] * A[6 * k + j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            out[6 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                out[6 * i + j] += A[6 * k + i] * XA[6 * k + j];
        }
}

/* ---- figures with two axes of symmetry --------------------------------------------------------
 */

/* Area, second moments about axes 2 and 3, torsion constant, shear factors. */
typedef struct figure {
    double A, I2, I3, J, k2, k3;
} figure;

static figure rectangle(double width, double height)
{
    double a = fmax(width, height), c = fmin(width, height), ratio = c / a;
    double J = 0; /* Saint-Venant's series */
    for (int n = 1; n < 40; n += 2)
        J += tanh(n * NT_PI / (2 * ratio)) / (n * n * n * n * (double)n);
    J = a * c * c * c / 3 * (1 - 192 / (NT_PI * NT_PI * NT_PI * NT_PI * NT_PI) * ratio * J);
    return (figure){.A = width * height,
                    .I2 = width * pow(height, 3) / 12,
                    .I3 = height * pow(width, 3) / 12,
                    .J = J,
                    .k2 = 5.0 / 6,
                    .k3 = 5.0 / 6};
}

/* Circle and hollow circle; shear factors by Cowper 1966. */
static figure ring(double R, double r, double nu)
{
    double I = NT_PI / 4 * (pow(R, 4) - pow(r, 4)), m = r / R, square = (1 + m * m) * (1 + m * m);
    double k = 6 * (1 + nu) * square / ((7 + 6 * nu) * square + (20 + 12 * nu) * m * m);
    return (figure){.A = NT_PI * (R * R - r * r), .I2 = I, .I3 = I, .J = 2 * I, .k2 = k, .k3 = k};
}

/* Cowper's shear factor of walls along the force that carry flanges: m areas of the flanges over
 * those of the walls, n width over height, box or I. */
static double walls(double m, double n, double nu, bool box)
{
    double square2 = m * m, cube = square2 * m, square = (1 + 3 * m) * (1 + 3 * m);
    double flanges = box ? 10 * n * n * ((3 + nu) * m + 3 * square2)
                         : 30 * n * n * (m + square2) + 5 * nu * n * n * (8 * m + 9 * square2);
    return 10 * (1 + nu) * square /
           (12 + 72 * m + 150 * square2 + 90 * cube +
            nu * (11 + 66 * m + 135 * square2 + 90 * cube) + flanges);
}

static figure box_of(const nt_beam_section *s)
{
    double t = s->thickness, b = s->width, h = s->height, nu = s->material.nu;
    double bi = b - 2 * t, hi = h - 2 * t, bm = b - t, hm = h - t;
    return (figure){.A = b * h - bi * hi,
                    .I2 = (b * h * h * h - bi * hi * hi * hi) / 12,
                    .I3 = (h * b * b * b - hi * bi * bi * bi) / 12,
                    .J = 2 * t * bm * bm * hm * hm / (bm + hm), /* Bredt */
                    .k2 = walls(hm / bm, hm / bm, nu, true),
                    .k3 = walls(bm / hm, bm / hm, nu, true)};
}

/* Web along axis 3, flanges along axis 2; height and width over all. */
static figure i_of(const nt_beam_section *s)
{
    double b = s->width, h = s->height, tw = s->web, tf = s->flange, inner = h - 2 * tf;
    double hm = h - tf, A = 2 * b * tf + inner * tw;
    return (figure){.A = A,
                    .I2 = (b * h * h * h - (b - tw) * inner * inner * inner) / 12,
                    .I3 = (2 * tf * b * b * b + inner * tw * tw * tw) / 12,
                    .J = (2 * b * tf * tf * tf + hm * tw * tw * tw) / 3,
                    .k2 = 5.0 / 6 * 2 * b * tf / A,
                    .k3 = walls(2 * b * tf / (hm * tw), b / hm, s->material.nu, false)};
}

static figure figure_of(const nt_beam_section *s)
{
    double R = s->radius;
    switch (s->shape) {
    case NT_SHAPE_RECTANGLE:
        return rectangle(s->width, s->height);
    case NT_SHAPE_BOX:
        return box_of(s);
    case NT_SHAPE_I:
        return i_of(s);
    default:
        return ring(R, s->shape == NT_SHAPE_TUBE ? R - s->thickness : 0, s->material.nu);
    }
}

/* What torsion of thick walls is off by, too stiff where positive: a part. Of boxes what the
 * corners add to Bredt's formula is about t/4 (1/b + 1/h) of it (by the stress function on a fine
 * mesh: 5.5, 13 and 38 % of a square whose walls are .1, .2 and .4 of it; here 5.6, 12.5 and 33 %);
 * the sum over the parts of an I misses their junctions and ends: El Darwish & Johnston 1965, to 2
 * % where the web is no thicker than the flanges. */
static double torsion_is_off(const nt_beam_section *s)
{
    double t = s->thickness, b = s->width, h = s->height, tw = s->web, tf = s->flange;
    if (nt_section_gives(s, NT_SECTION_STIFFNESS))
        return 0;
    if (s->shape == NT_SHAPE_BOX)
        return -t / 4 * (1 / (b - t) + 1 / (h - t));
    if (s->shape != NT_SHAPE_I)
        return 0;
    double q = tw / tf, alpha = -0.042 + 0.2204 * q - 0.0725 * q * q, D = tf + tw * tw / (4 * tf);
    double J = (2 * b * pow(tf, 3) + (h - 2 * tf) * pow(tw, 3)) / 3 + 2 * alpha * pow(D, 4) -
               0.42 * pow(tf, 4);
    return i_of(s).J / J - 1;
}

/* From that part on it is told. */
static const double THICK = 0.05;

bool nt_section_is_thick(const nt_beam_section *s, char *text, size_t size)
{
    double off = torsion_is_off(s);
    if (fabs(off) < THICK)
        return false;
    snprintf(text, size,
             "section at %g: its walls are thick, and its torsion and shear those of thin ones: in "
             "torsion it is roughly %.2g %% too %s; expected thinner walls, or its stiffness and "
             "mass as matrices",
             s->at, 100 * fabs(off), off > 0 ? "stiff" : "soft");
    return true;
}

/* ---- thin walls along a line of points --------------------------------------------------------
 *
 * Bending stresses that grow along the beam, sigma' = a y + b z from the centroid with the
 * resultants V2, V3 on the whole, are in equilibrium with the shear flow q, q' = -sigma' t along
 * the line. It is zero at the ends of an open line; in a cell it has the constant part without
 * twist. Its moment gives the shear centre, its energy the shear stiffness. */

typedef struct wall {
    int n; /* straight parts */
    bool closed;
    double t, A, length, cell; /* cell: the area inside */
    double y, z;               /* centroid */
    double I22, I33, I23;      /* of z^2, y^2, y z about it */
    double J, ys, zs;          /* shear centre from the centroid */
    double shear[3];           /* stiffness over G: 22, 33, 23 */
} wall;

static void corner(const nt_beam_section *s, int i, double *y, double *z)
{
    int n = s->outline_count / 2;
    *y = s->outline[2 * (i % n)];
    *z = s->outline[2 * (i % n) + 1];
}

static void measure(const nt_beam_section *s, wall *w)
{
    for (int pass = 0; pass < 2; pass++) /* the centroid, then moments about it */
        for (int i = 0; i < w->n; i++) {
            double y0, z0, y1, z1;
            corner(s, i, &y0, &z0);
            corner(s, i + 1, &y1, &z1);
            double L = hypot(y1 - y0, z1 - z0), dA = L * w->t;
            if (pass == 0) {
                w->A += dA, w->length += L, w->cell += (y0 * z1 - y1 * z0) / 2;
                w->y += dA * (y0 + y1) / 2, w->z += dA * (z0 + z1) / 2;
                continue;
            }
            double y = (y0 + y1) / 2 - w->y / w->A, z = (z0 + z1) / 2 - w->z / w->A;
            w->I33 += dA * (y * y + (y1 - y0) * (y1 - y0) / 12);
            w->I22 += dA * (z * z + (z1 - z0) * (z1 - z0) / 12);
            w->I23 += dA * (y * z + (y1 - y0) * (z1 - z0) / 12);
        }
    w->y /= w->A, w->z /= w->A;
    w->J = w->closed ? 4 * w->cell * w->cell * w->t / w->length : w->length * pow(w->t, 3) / 3;
}

/* Three Gauss points on each part: shear flows of both forces, and integrals of them. */
static void add_flows(const nt_beam_section *s, wall *w, const double shift[2], double mean[2],
                      double moment[2], double energy[3])
{
    static const double x[3] = {-0.77459666924148338, 0, 0.77459666924148338},
                        weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double det = w->I22 * w->I33 - w->I23 * w->I23, q[2] = {shift[0], shift[1]};
    const double a[2] = {w->I22 / det, -w->I23 / det}, b[2] = {-w->I23 / det, w->I33 / det};
    mean[0] = mean[1] = moment[0] = moment[1] = energy[0] = energy[1] = energy[2] = 0;
    for (int i = 0; i < w->n; i++) {
        double y0, z0, y1, z1, flow[2];
        corner(s, i, &y0, &z0);
        corner(s, i + 1, &y1, &z1);
        y0 -= w->y, y1 -= w->y, z0 -= w->z, z1 -= w->z;
        double L = hypot(y1 - y0, z1 - z0), arm = y0 * z1 - y1 * z0;
        for (int g = 0; g <= 3; g++) { /* the last: at the end of the part */
            double r = g == 3 ? 1 : (x[g] + 1) / 2;
            double y = y0 + r / 2 * (y1 - y0), z = z0 + r / 2 * (z1 - z0); /* mean up to there */
            for (int k = 0; k < 2; k++)
                flow[k] = q[k] - w->t * L * r * (a[k] * y + b[k] * z);
            if (g == 3)
                break;
            for (int k = 0; k < 2; k++) {
                mean[k] += weight[g] / 2 * L * flow[k];
                moment[k] += weight[g] / 2 * arm * flow[k];
                energy[k] += weight[g] / 2 * L / w->t * flow[k] * flow[k];
            }
            energy[2] += weight[g] / 2 * L / w->t * flow[0] * flow[1];
        }
        q[0] = flow[0], q[1] = flow[1];
    }
}

static wall wall_of(const nt_beam_section *s)
{
    wall w = {
        .n = s->outline_count / 2 - (s->closed ? 0 : 1), .closed = s->closed, .t = s->thickness};
    double shift[2] = {0, 0}, mean[2], moment[2], energy[3];
    measure(s, &w);
    add_flows(s, &w, shift, mean, moment, energy);
    if (w.closed) {
        shift[0] = -mean[0] / w.length, shift[1] = -mean[1] / w.length;
        add_flows(s, &w, shift, mean, moment, energy);
    }
    w.ys = moment[1], w.zs = -moment[0];
    double det = energy[0] * energy[1] - energy[2] * energy[2];
    w.shear[0] = energy[1] / det, w.shear[1] = energy[0] / det, w.shear[2] = -energy[2] / det;
    return w;
}

/* The part of the wall's middle line that is nearest to a point: along it, 0 to 1, its direction,
 * and how far the point is to the left of it. -1 where the point is in no wall. */
static int nearest_part(const nt_beam_section *s, const wall *w, const double at[2], double *along,
                        double direction[2], double *left)
{
    int part = -1;
    double least = s->thickness / 2 * (1 + 1e-9);
    for (int i = 0; i < w->n; i++) {
        double y0, z0, y1, z1;
        corner(s, i, &y0, &z0);
        corner(s, i + 1, &y1, &z1);
        double L = hypot(y1 - y0, z1 - z0), ty = (y1 - y0) / L, tz = (z1 - z0) / L;
        double r = fmin(fmax((ty * (at[0] - y0) + tz * (at[1] - z0)) / L, 0), 1);
        double dy = at[0] - y0 - r * L * ty, dz = at[1] - z0 - r * L * tz, off = hypot(dy, dz);
        if (off > least)
            continue;
        least = off, part = i;
        *along = r, *left = ty * dz - tz * dy;
        direction[0] = ty, direction[1] = tz;
    }
    return part;
}

bool nt_wall_shear(const nt_beam_section *s, const double stress[6], const double at[2],
                   double shear[2])
{
    wall w = wall_of(s);
    double r = 0, direction[2] = {0, 0}, left = 0, det = w.I22 * w.I33 - w.I23 * w.I23;
    double mean[2], moment[2], energy[3], q[2] = {0, 0}, y0, z0, y1, z1;
    int part = nearest_part(s, &w, at, &r, direction, &left);
    shear[0] = shear[1] = 0;
    if (part < 0)
        return false;
    if (w.closed) { /* the constant flow without twist */
        add_flows(s, &w, q, mean, moment, energy);
        q[0] = -mean[0] / w.length, q[1] = -mean[1] / w.length;
    }
    const double a[2] = {w.I22 / det, -w.I23 / det}, b[2] = {-w.I23 / det, w.I33 / det};
    for (int i = 0; i <= part; i++) {
        corner(s, i, &y0, &z0);
        corner(s, i + 1, &y1, &z1);
        double L = hypot(y1 - y0, z1 - z0), share = i < part ? 1 : r;
        double y = y0 + share / 2 * (y1 - y0) - w.y, z = z0 + share / 2 * (z1 - z0) - w.z;
        for (int k = 0; k < 2; k++)
            q[k] -= w.t * L * share * (a[k] * y + b[k] * z);
    }
    double twisting = stress[3] - (w.y + w.ys) * stress[2] + (w.z + w.zs) * stress[1];
    double flow = q[0] * stress[1] + q[1] * stress[2];
    double along = flow / w.t + twisting * (w.closed ? 1 / (2 * w.cell * w.t) : -2 * left / w.J);
    shear[0] = along * direction[0], shear[1] = along * direction[1];
    return true;
}

static void add36(double *to, const double *X)
{
    for (int i = 0; i < 36; i++)
        to[i] += X[i];
}

static void thin_walled_matrices(const nt_beam_section *s, double C[36], double M[36])
{
    wall w = wall_of(s);
    double E = s->material.E, G = E / (2 * (1 + s->material.nu)), m = s->material.density;
    const double centroid[3] = {0, w.y, w.z}, center[3] = {0, w.y + w.ys, w.z + w.zs};
    double bending[36] = {
        [0] = E * w.A, [28] = E * w.I22, [35] = E * w.I33, [29] = -E * w.I23, [34] = -E * w.I23};
    double shearing[36] = {[7] = G * w.shear[0],
                           [14] = G * w.shear[1],
                           [8] = G * w.shear[2],
                           [13] = G * w.shear[2],
                           [21] = G * w.J};
    double mass[36] = {
        [0] = m * w.A,    [7] = m * w.A,    [14] = m * w.A,    [21] = m * (w.I22 + w.I33),
        [28] = m * w.I22, [35] = m * w.I33, [29] = -m * w.I23, [34] = -m * w.I23};
    double part[36];
    about_line(bending, centroid, C);
    about_line(shearing, center, part);
    add36(C, part);
    about_line(mass, centroid, M);
}

/* ---- of all ---------------------------------------------------------------------------------- */

void nt_section_matrices(const nt_beam_section *s, double C[36], double M[36])
{
    if (nt_section_gives(s, NT_SECTION_STIFFNESS)) {
        about_line(s->stiffness, s->point, C);
        about_line(s->mass, s->point, M);
        return;
    }
    if (s->shape == NT_SHAPE_THIN_WALLED) {
        thin_walled_matrices(s, C, M);
        return;
    }
    figure f = figure_of(s);
    double E = s->material.E, G = E / (2 * (1 + s->material.nu)), m = s->material.density;
    const double c[6] = {E * f.A, f.k2 * G * f.A, f.k3 * G * f.A, G * f.J, E * f.I2, E * f.I3};
    const double r[6] = {m * f.A, m * f.A, m * f.A, m * (f.I2 + f.I3), m * f.I2, m * f.I3};
    memset(C, 0, 36 * sizeof *C);
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 6; i++)
        C[7 * i] = c[i], M[7 * i] = r[i];
}

static double mean(double x, double y) { return (x + y) / 2; }

/* Half-way between two stations their figures are of means, their stiffness is the mean of both: by
 * how much that is off, at most, of the figure's; and whether it is too stiff. */
bool nt_sections_taper(const nt_beam_section *from, const nt_beam_section *to, char *text,
                       size_t size)
{
    static const double MUCH = 0.005; /* of the whole line's part that is so */
    double C[3][36], M[36], off = 0;
    if (nt_section_gives(from, NT_SECTION_STIFFNESS) || nt_section_gives(to, NT_SECTION_STIFFNESS))
        return false;
    if (from->shape != to->shape || from->outline_count != to->outline_count ||
        from->closed != to->closed)
        return false;
    nt_beam_section half = *from;
    half.radius = mean(from->radius, to->radius);
    half.thickness = mean(from->thickness, to->thickness);
    half.width = mean(from->width, to->width);
    half.height = mean(from->height, to->height);
    half.web = mean(from->web, to->web);
    half.flange = mean(from->flange, to->flange);
    half.material.E = mean(from->material.E, to->material.E);
    half.material.nu = mean(from->material.nu, to->material.nu);
    for (int i = 0; i < from->outline_count; i++)
        half.outline[i] = mean(from->outline[i], to->outline[i]);
    nt_section_matrices(from, C[0], M);
    nt_section_matrices(to, C[1], M);
    nt_section_matrices(&half, C[2], M);
    for (int i = 0; i < 36; i += 7) {
        double by = mean(C[0][i], C[1][i]) / C[2][i] - 1;
        off = fabs(by) > fabs(off) ? by : off;
    }
    if (!(fabs(off) * (to->at - from->at) > MUCH) || !isfinite(off))
        return false;
    snprintf(
        text, size,
        "sections at %g and %g: stiffness is linear between them, half-way up to %.2g %% too %s "
        "for a figure that tapers; expected stations nearer to each other",
        from->at, to->at, 100 * fabs(off), off > 0 ? "stiff" : "soft");
    return true;
}

/* ---- checks -----------------------------------------------------------------------------------
 */

/* Whether it is none below zero: with 1e-12 of its largest entry on the diagonal it is positive. A
 * section may be without rotary inertia, or without any. */
static bool is_semidefinite(const double *X)
{
    double shifted[36], largest = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(X[i]));
    memcpy(shifted, X, sizeof shifted);
    for (int i = 0; i < 6; i++)
        shifted[7 * i] += 1e-12 * largest;
    return largest == 0 || nt_dense_is_positive6(shifted);
}

static bool is_symmetric(const double *X)
{
    double largest = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(X[i]));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(X[6 * i + j] - X[6 * j + i]) <= 1e-6 * largest))
                return false;
    return true;
}

/* m [I, -eta~; eta~, .]: equal masses in the three directions, moments that come from a centre. */
static bool is_of_mass(const double *M)
{
    static const int zero[] = {1, 2, 8, 3, 10, 17}, /* couplings of forces; arms along themselves */
        opposite[][2] = {{4, 9}, {5, 15}, {11, 16}};
    double m = M[0], largest = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(M[i]));
    bool is = fabs(M[7] - m) <= 1e-6 * m && fabs(M[14] - m) <= 1e-6 * m;
    for (int i = 0; i < 6; i++)
        is = is && fabs(M[zero[i]]) <= 1e-6 * largest;
    for (int i = 0; i < 3; i++)
        is = is && fabs(M[opposite[i][0]] + M[opposite[i][1]]) <= 1e-6 * largest;
    return is;
}

/* The least distance of a point from the straight part between a and b. */
static double distance_to_part(const double p[2], const double a[2], const double b[2])
{
    double t[2] = {b[0] - a[0], b[1] - a[1]}, L2 = t[0] * t[0] + t[1] * t[1];
    double r = fmin(fmax((t[0] * (p[0] - a[0]) + t[1] * (p[1] - a[1])) / L2, 0), 1);
    return hypot(p[0] - a[0] - r * t[0], p[1] - a[1] - r * t[1]);
}

/* Twice the area of a, b, p: positive where p is to the left of the way from a to b. */
static double side_of(const double p[2], const double a[2], const double b[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

/* Whether two parts from a to b have a point in common, to a distance `near`; of parts that share
 * the corner b[0] = a[1] another one. */
static bool parts_meet(const double (*a)[2], const double (*b)[2], bool neighbours, double near)
{
    if (neighbours)
        return distance_to_part(b[1], a[0], a[1]) <= near ||
               distance_to_part(a[0], b[0], b[1]) <= near;
    for (int i = 0; i < 2; i++)
        if (distance_to_part(a[i], b[0], b[1]) <= near ||
            distance_to_part(b[i], a[0], a[1]) <= near)
            return true;
    return side_of(a[0], b[0], b[1]) * side_of(a[1], b[0], b[1]) < 0 &&
           side_of(b[0], a[0], a[1]) * side_of(b[1], a[0], a[1]) < 0;
}

/* Whether the middle line of thin walls meets itself: the flow of shear along it, and the area
 * inside, are those of a line that does not. The two ends of an open line may stand at one place,
 * as of a tube with a slit. */
static bool outline_meets_itself(const nt_beam_section *s)
{
    int corners = s->outline_count / 2, n = corners - (s->closed ? 0 : 1);
    double size = 0, part[2][2][2];
    for (int i = 0; i < 2 * corners; i++)
        size = fmax(size, fabs(s->outline[i] - s->outline[i % 2]));
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            bool after = j == i + 1, before = s->closed && i == 0 && j == n - 1;
            int a = before ? j : i, b = before ? i : j;
            for (int k = 0; k < 2; k++) {
                corner(s, a + k, &part[0][k][0], &part[0][k][1]);
                corner(s, b + k, &part[1][k][0], &part[1][k][1]);
            }
            bool slit = !s->closed && i == 0 && j == n - 1 && n > 2 &&
                        part[0][0][0] == part[1][1][0] && part[0][0][1] == part[1][1][1];
            if (slit) { /* neighbours at the place of both ends */
                if (parts_meet((const double(*)[2])part[1], (const double(*)[2])part[0], true,
                               1e-9 * size))
                    return true;
                continue;
            }
            if (parts_meet((const double(*)[2])part[0], (const double(*)[2])part[1],
                           after || before, 1e-9 * size))
                return true;
        }
    return false;
}

static const char *fault_of_figure(const nt_beam_section *s)
{
    bool flat =
        s->shape == NT_SHAPE_RECTANGLE || s->shape == NT_SHAPE_BOX || s->shape == NT_SHAPE_I;
    bool round = s->shape == NT_SHAPE_CIRCLE || s->shape == NT_SHAPE_TUBE;
    if (flat && !(s->width > 0 && s->height > 0))
        return "its figure has a positive width (along axis 2) and height (along axis 3)";
    if (round && !(s->radius > 0))
        return "the radius is not positive";
    if (s->shape == NT_SHAPE_TUBE && !(s->thickness > 0 && s->thickness <= s->radius))
        return "a tube has a thickness above zero, at most its radius";
    if (s->shape == NT_SHAPE_BOX &&
        !(s->thickness > 0 && 2 * s->thickness < fmin(s->width, s->height)))
        return "a box has a thickness above zero, below half its width and height";
    if (s->shape == NT_SHAPE_I &&
        !(s->web > 0 && s->web < s->width && s->flange > 0 && 2 * s->flange < s->height))
        return "an I has a web above zero, below its width, and a flange above zero, below half "
               "its height";
    if (s->shape != NT_SHAPE_THIN_WALLED)
        return NULL;
    int corners = s->outline_count / 2;
    if (s->outline_count % 2 || corners < (s->closed ? 3 : 2) || !(s->thickness > 0))
        return "thin walls have a thickness above zero and an outline of pairs [y, z, y, z, ...], "
               "two or more, three or more where it is closed";
    for (int i = 0; i + (s->closed ? 0 : 1) < corners; i++) {
        double y0, z0, y1, z1;
        corner(s, i, &y0, &z0);
        corner(s, i + 1, &y1, &z1);
        if (y0 == y1 && z0 == z1)
            return "two neighbouring points of its outline are the same";
    }
    double around = 0;
    for (int i = 0; i + (s->closed ? 0 : 1) < corners; i++) {
        double y0, z0, y1, z1;
        corner(s, i, &y0, &z0);
        corner(s, i + 1, &y1, &z1);
        around += hypot(y1 - y0, z1 - z0);
    }
    if (!(s->thickness < around))
        return "thin walls are thinner than their outline is long";
    if (outline_meets_itself(s))
        return "its outline crosses, touches or folds back on itself, expected a line that does "
               "not";
    double C[36], M[36];
    thin_walled_matrices(s, C, M);
    return nt_dense_is_positive6(C) && nt_dense_is_positive6(M)
               ? NULL
               : "its walls stand in one line, expected a corner";
}

/* What a figure needs, and that it is given no more. */
static const char *fault_of_sizes(const nt_beam_section *s)
{
    static const struct {
        int bit;
        unsigned shapes;
        const char *words;
    } sizes[] = {
        {NT_SECTION_RADIUS, 1 << NT_SHAPE_CIRCLE | 1 << NT_SHAPE_TUBE,
         "the radius is of a circle or tube"},
        {NT_SECTION_THICKNESS, 1 << NT_SHAPE_TUBE | 1 << NT_SHAPE_BOX | 1 << NT_SHAPE_THIN_WALLED,
         "the thickness is of a tube, box or thin walls"},
        {NT_SECTION_WIDTH, 1 << NT_SHAPE_RECTANGLE | 1 << NT_SHAPE_BOX | 1 << NT_SHAPE_I,
         "the width is of a rectangle, box or I"},
        {NT_SECTION_HEIGHT, 1 << NT_SHAPE_RECTANGLE | 1 << NT_SHAPE_BOX | 1 << NT_SHAPE_I,
         "the height is of a rectangle, box or I"},
        {NT_SECTION_WEB, 1 << NT_SHAPE_I, "the web is of an I"},
        {NT_SECTION_FLANGE, 1 << NT_SHAPE_I, "the flange is of an I"},
        {NT_SECTION_OUTLINE, 1 << NT_SHAPE_THIN_WALLED, "the outline is of thin walls"},
        {NT_SECTION_CLOSED, 1 << NT_SHAPE_THIN_WALLED, "closed or not are thin walls"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (nt_section_gives(s, sizes[i].bit) && !(sizes[i].shapes >> s->shape & 1))
            return sizes[i].words;
    return NULL;
}

/* Pa and N: of what is stiffer forces are made by the rounding of places. Diamond has 1e12 Pa. */
static const double STIFFEST = 1e20;

/* Over the square of the line's length moments by curvatures are like forces by strains. */
static const char *fault_of_stiffness(const nt_beam_section *s, double length)
{
    double C[36], M[36], forces = 0, moments = 0;
    nt_section_matrices(s, C, M);
    for (int i = 0; i < 3; i++)
        forces = fmax(forces, C[7 * i]), moments = fmax(moments, C[7 * (i + 3)]);
    if (!(forces <= NT_STIFFEST_SECTION))
        return "stiffness is so large that rounding of places is force, expected at most 1e24 N";
    if (!(moments <= NT_STIFFEST_SECTION * length * length))
        return "stiffness about the line is so large that rounding of rotations is moment, "
               "expected at most 1e24 N times the square of the line's length";
    return NULL;
}

/* A line of given speed turns about itself with the energy of one that moves as fast as the radius
 * of gyration has it: beyond 1e7 lengths one of them is lost beside the other. */
static const double WIDEST = 1e7;

static const char *fault_of_inertia(const nt_beam_section *s, double length)
{
    double C[36], M[36], largest = 0;
    nt_section_matrices(s, C, M);
    for (int i = 3; i < 6; i++)
        largest = fmax(largest, fabs(M[7 * i]));
    if (!nt_inertia_is_in_range(M[0]) || !nt_inertia_is_in_range(largest))
        return "mass or moments of inertia are out of range, expected 1e-50 to 1e50 kg/m and kg m, "
               "or none";
    if (M[0] > 0 && sqrt(largest / M[0]) > WIDEST * length)
        return "moments of inertia are those of a radius of gyration of more than 1e7 times the "
               "line's length, beside which the mass is lost in rounding; expected less, or more "
               "mass";
    return NULL;
}

/* The strain that prestress is of, by its energy: EA e^2 = s^T C^-1 s. A material strained by as
 * much as its own length would have none without it. */
static const char *fault_of_prestress(const nt_beam_section *s)
{
    double C[36], M[36], strain[6], twice = 0;
    int pivot[6];
    nt_section_matrices(s, C, M);
    double stiffness = C[0];
    memcpy(strain, s->prestress, sizeof strain);
    if (nt_dense_factor(6, C, pivot) >= 0)
        return "stiffness is not positive definite";
    nt_dense_solve(6, C, pivot, strain);
    for (int i = 0; i < 6; i++)
        twice += s->prestress[i] * strain[i];
    return twice < stiffness
               ? NULL
               : "prestress strains it by one or more, expected less: forces below the stiffness "
                 "by "
                 "strains, moments below the root of that times the stiffness by curvatures";
}

static const char *fault_of_keys(const nt_beam_section *s)
{
    bool stiffness = nt_section_gives(s, NT_SECTION_STIFFNESS);
    bool mass = nt_section_gives(s, NT_SECTION_MASS);
    bool shape = nt_section_gives(s, NT_SECTION_MATERIAL) && nt_section_gives(s, NT_SECTION_SHAPE);
    if (stiffness != mass || stiffness == shape)
        return "expected stiffness and mass, or material and shape";
    if (stiffness && !is_symmetric(s->stiffness))
        return "stiffness is not symmetric";
    if (stiffness && !is_symmetric(s->mass))
        return "mass is not symmetric";
    if (stiffness && !nt_dense_is_positive6(s->stiffness))
        return "stiffness is not positive definite";
    if (stiffness && !is_semidefinite(s->mass))
        return "mass is not positive semidefinite";
    if (stiffness && !is_of_mass(s->mass))
        return "mass is not that of a body: expected the same mass three times on the diagonal and "
               "moments of one centre, [m I, -m c~; m c~, inertia]";
    if (stiffness)
        return NULL;
    if (nt_section_gives(s, NT_SECTION_POINT))
        return "the point is that of matrices; a figure stands about the line";
    if (!(s->material.E > 0 && s->material.density > 0 && s->material.nu > -1 &&
          s->material.nu < 0.5))
        return "a material has positive E and density, and nu between -1 and 0.5";
    if (s->material.E > STIFFEST)
        return "E is so large that rounding of places is force, expected at most 1e20 Pa";
    const char *fault = fault_of_sizes(s);
    return fault ? fault : fault_of_figure(s);
}

const char *nt_section_fault(const nt_beam_section *s, double length)
{
    const char *fault = fault_of_keys(s);
    fault = fault ? fault : fault_of_stiffness(s, length);
    fault = fault ? fault : fault_of_inertia(s, length);
    return fault ? fault : fault_of_prestress(s);
}
