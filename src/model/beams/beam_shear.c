/* Shear stresses at points of sections of known shape, from the force (V2, V3) and the moment T
 * about axis 1.
 *
 * Circles, tubes and rectangles take Saint-Venant's exact solutions of torsion and of bending by a
 * force (Love 1927, sections 229 to 231; Timoshenko & Goodier 1970, sections 109 and 124), which
 * depend on Poisson's ratio. A box takes the shear flow of its walls' middle line. An I takes that
 * of open walls: parabolas along the web and along each flange under its own force, the web's flow
 * spread linearly over the flanges, and the torsion of narrow strips. */
#include "base/number.h"
#include "model/beams/beam.h"

#include <math.h>

/* chi = -[(3/4 + nu/2) ((R^2 + r^2) x + R^2 r^2 x/s^2) - (x^3 - 3 x y^2)/4], s^2 = x^2 + y^2: under
 * a force along x, with the factor V/(2 (1 + nu) I),
 *
 *   tau_x = -(d chi/dx + nu/2 x^2 + (1 - nu/2) y^2),   tau_y = -(d chi/dy + (2 + nu) x y). */
static void ring_under_force(double R, double r, double nu, double x, double y, double tau[2])
{
    double s2 = x * x + y * y, A = 0.75 + nu / 2, a2 = R * R, b2 = r * r;
    double hole = s2 > 0 ? a2 * b2 / (s2 * s2) : 0;
    double chi_x = -A * (a2 + b2 + hole * (y * y - x * x)) + 0.75 * (x * x - y * y);
    double chi_y = 2 * A * hole * x * y - 1.5 * x * y;
    tau[0] = -(chi_x + nu / 2 * x * x + (1 - nu / 2) * y * y);
    tau[1] = -(chi_y + (2 + nu) * x * y);
}

static bool ring_shear(double R, double r, double nu, const double f[6], const double at[2],
                       double shear[2])
{
    double s = hypot(at[0], at[1]), two[2], three[2];
    double I = NT_PI / 4 * (pow(R, 4) - pow(r, 4)), factor = 1 / (2 * (1 + nu) * I);
    if (s > R * (1 + 1e-9) || s < r * (1 - 1e-9))
        return false;
    ring_under_force(R, r, nu, at[0], at[1], two);
    ring_under_force(R, r, nu, at[1], at[0], three);
    shear[0] = factor * (f[1] * two[0] + f[2] * three[1]) - f[3] / (2 * I) * at[1];
    shear[1] = factor * (f[1] * two[1] + f[2] * three[0]) + f[3] / (2 * I) * at[0];
    return true;
}

/* cosh(n x)/cosh(n a) and sinh(n x)/cosh(n a) for |x| <= a, where both may be beyond all numbers.
 */
static double cosh_over(double n, double x, double a)
{
    return (exp(n * (x - a)) + exp(-n * (x + a))) / (1 + exp(-2 * n * a));
}
static double sinh_over(double n, double x, double a)
{
    return (exp(n * (x - a)) - exp(-n * (x + a))) / (1 + exp(-2 * n * a));
}

/* Terms of the series below: their sums end with errors of less than 1e-6 of the largest stress in
 * the section and 1e-3 of it on its sides, where they converge slowest. */
enum { TERMS = 400 };

/* A force of one along x in |x| <= a, |y| <= b. With k = nu/((1 + nu) I),
 *
 *   tau_x = (a^2 - x^2)/(2 I) + d phi/dy,   tau_y = -d phi/dx,
 *   phi = k [(y^3 - b^2 y)/6 + sum of c_n sin(n pi y/b) cosh(n pi x/b)/cosh(n pi a/b)],
 *   c_n = -2 (-1)^n b^3/(n pi)^3. */
static void rectangle_under_force(double a, double b, double nu, double x, double y, double tau[2])
{
    double I = 2 * b * 8 * a * a * a / 12, k = nu / ((1 + nu) * I);
    double phi_y = (3 * y * y - b * b) / 6, phi_x = 0;
    for (int n = 1; n <= TERMS; n++) {
        double m = n * NT_PI / b, c = (n % 2 ? 2 : -2) / (m * m); /* c_n m */
        phi_y += c * cos(m * y) * cosh_over(m, x, a);
        phi_x += c * sin(m * y) * sinh_over(m, x, a);
    }
    tau[0] = (a * a - x * x) / (2 * I) + k * phi_y;
    tau[1] = -k * phi_x;
}

/* A twist of one over the shear modulus: tau_x = d psi/dy, tau_y = -d psi/dx,
 *
 *   psi = b^2 - y^2 - sum over odd n of 32 b^2 (-1)^((n-1)/2)/(n pi)^3
 *                                       cosh(n pi x/2b)/cosh(n pi a/2b) cos(n pi y/2b);
 *
 * returns its moment, the torsion constant. */
static double rectangle_under_twist(double a, double b, double x, double y, double tau[2])
{
    double sum = 0;
    tau[0] = -2 * y, tau[1] = 0;
    for (int n = 1; n <= TERMS; n += 2) {
        double m = n * NT_PI / (2 * b),
               c = (n % 4 == 1 ? 4 : -4) / (b * m * m); /* 32 b^2/(n pi)^3 m */
        tau[0] += c * cosh_over(m, x, a) * sin(m * y);
        tau[1] += c * sinh_over(m, x, a) * cos(m * y);
        sum += tanh(m * a) / pow(n, 5);
    }
    return 16 * a * b * b * b / 3 * (1 - 192 * b / (a * pow(NT_PI, 5)) * sum);
}

static bool rectangle_shear(const nt_beam_section *s, const double f[6], const double at[2],
                            double shear[2])
{
    double a = s->width / 2, b = s->height / 2, two[2], three[2], twist[2];
    if (fabs(at[0]) > a * (1 + 1e-9) || fabs(at[1]) > b * (1 + 1e-9))
        return false;
    double y = fmax(-a, fmin(a, at[0])), z = fmax(-b, fmin(b, at[1]));
    rectangle_under_force(a, b, s->material.nu, y, z, two);
    rectangle_under_force(b, a, s->material.nu, z, y, three);
    double J = rectangle_under_twist(a, b, y, z, twist);
    shear[0] = f[1] * two[0] + f[2] * three[1] + f[3] / J * twist[0];
    shear[1] = f[1] * two[1] + f[2] * three[0] + f[3] / J * twist[1];
    return true;
}

static bool box_shear(const nt_beam_section *s, const double f[6], const double at[2],
                      double shear[2])
{
    double y = (s->width - s->thickness) / 2, z = (s->height - s->thickness) / 2;
    nt_beam_section walls = *s;
    const double corners[8] = {y, -z, y, z, -y, z, -y, -z};
    walls.closed = 1;
    walls.outline_count = 8;
    for (int i = 0; i < 8; i++)
        walls.outline[i] = corners[i];
    if (fabs(at[0]) > s->width / 2 * (1 + 1e-9) || fabs(at[1]) > s->height / 2 * (1 + 1e-9))
        return false;
    /* what is outside of the middle line's corners belongs to them */
    const double within[2] = {fabs(at[1]) > z ? fmax(-y, fmin(y, at[0])) : at[0],
                              fabs(at[0]) > y ? fmax(-z, fmin(z, at[1])) : at[1]};
    return nt_wall_shear(&walls, f, within, shear);
}

static bool i_shear(const nt_beam_section *s, const double f[6], const double at[2],
                    double shear[2])
{
    double b = s->width, h = s->height, tw = s->web, tf = s->flange, inner = h - 2 * tf;
    double hm = h - tf, y = at[0], z = at[1];
    double I2 = (b * h * h * h - (b - tw) * inner * inner * inner) / 12;
    double I3 = (2 * tf * b * b * b + inner * tw * tw * tw) / 12;
    double J = (2 * b * tf * tf * tf + hm * tw * tw * tw) / 3;
    bool in_web = fabs(z) < inner / 2;
    if (fabs(y) > (in_web ? tw : b) / 2 * (1 + 1e-9) || fabs(z) > h / 2 * (1 + 1e-9))
        return false;
    if (in_web) {
        double moment = b * tf * hm / 2 + tw * (inner * inner / 4 - z * z) / 2;
        shear[0] = 0;
        shear[1] = f[2] * moment / (I2 * tw) + 2 * y * f[3] / J;
        return true;
    }
    double middle = copysign(hm / 2, z), outer = fmax(0, b / 2 - fmax(fabs(y), tw / 2));
    double share = fmin(1, fabs(y) / (tw / 2)); /* over the web both halves meet */
    shear[0] = f[1] * (b * b / 4 - y * y) / (2 * I3) +
               copysign(share, y) * f[2] * middle / I2 * outer - 2 * (z - middle) * f[3] / J;
    shear[1] = 0;
    return true;
}

bool nt_section_shear(const nt_beam_section *s, const double stress[6], const double at[2],
                      double shear[2])
{
    shear[0] = shear[1] = 0;
    switch ((nt_beam_shape)s->shape) {
    case NT_SHAPE_CIRCLE:
        return ring_shear(s->radius, 0, s->material.nu, stress, at, shear);
    case NT_SHAPE_TUBE:
        return ring_shear(s->radius, s->radius - s->thickness, s->material.nu, stress, at, shear);
    case NT_SHAPE_RECTANGLE:
        return rectangle_shear(s, stress, at, shear);
    case NT_SHAPE_BOX:
        return box_shear(s, stress, at, shear);
    case NT_SHAPE_I:
        return i_shear(s, stress, at, shear);
    case NT_SHAPE_THIN_WALLED:
        return nt_wall_shear(s, stress, at, shear);
    }
    return false;
}
