/* Shear stresses of sections of known shape: they carry the forces and the moment that they are
 * made from, end along free sides, and are the textbooks' numbers. */
#include "model/beams/beam.h"

#include "model/mechanism.h"

#include <math.h>
#include <string.h>

static nt_beam_section figure(int shape, double nu)
{
    nt_beam_section s = {.shape = shape};
    s.material.E = 1, s.material.nu = nu, s.material.density = 1;
    return s;
}
static nt_beam_section ring(double radius, double thickness, double nu)
{
    nt_beam_section s = figure(thickness > 0 ? NT_SHAPE_TUBE : NT_SHAPE_CIRCLE, nu);
    s.radius = radius, s.thickness = thickness;
    return s;
}
static nt_beam_section rectangle(double width, double height, double nu)
{
    nt_beam_section s = figure(NT_SHAPE_RECTANGLE, nu);
    s.width = width, s.height = height;
    return s;
}

/* Forces along axes 2 and 3 and the moment about axis 1 that stresses at midpoints of a grid add up
 * to. */
static void add_up(const nt_beam_section *s, const double f[6], double size, int n, double sum[3])
{
    double step = 2 * size / n;
    memset(sum, 0, 3 * sizeof *sum);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double at[2] = {-size + (i + 0.5) * step, -size + (j + 0.5) * step};
            double tau[2];
            if (!nt_section_shear(s, f, at, tau))
                continue;
            sum[0] += tau[0] * step * step;
            sum[1] += tau[1] * step * step;
            sum[2] += (at[0] * tau[1] - at[1] * tau[0]) * step * step;
        }
}

/* Of the size of the section times the force, the grid's error. */
static void test_they_carry_their_forces(void **state)
{
    nt_beam_section box = figure(NT_SHAPE_BOX, 0.3), beam = figure(NT_SHAPE_I, 0.3);
    box.width = 1, box.height = 2, box.thickness = 0.02;
    beam.width = 1, beam.height = 2, beam.web = 0.05, beam.flange = 0.05;
    const struct {
        nt_beam_section s;
        int n;
        double allowed;
        bool twists; /* walls that are open resist a twist by twice what runs along them */
    } cases[] = {{ring(1, 0, 0.3), 120, 6e-3, true},
                 {ring(1, 0.4, 0.25), 120, 2e-2, true},
                 {rectangle(1, 2, 0.3), 40, 8e-3, true},
                 {rectangle(2, 0.5, 0), 40, 1.2e-2, true},
                 {box, 300, 4e-2, true},
                 {beam, 240, 5e-2, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int k = 1; k <= 3; k++) {
            double f[6] = {0}, sum[3];
            f[k] = 1;
            if (k == 3 && !cases[c].twists)
                continue;
            add_up(&cases[c].s, f, 1.0, cases[c].n, sum);
            for (int i = 0; i < 3; i++)
                if (fabs(sum[i] - (i + 1 == k)) > cases[c].allowed)
                    fail_msg("case %zu, load %d: %g in place %d", c, k, sum[i], i);
        }
}

static double shear_at(const nt_beam_section *s, int load, double y, double z, int component)
{
    double f[6] = {0}, tau[2];
    const double at[2] = {y, z};
    f[load] = 1;
    assert_true(nt_section_shear(s, f, at, tau));
    return tau[component];
}

/* Love 1927, section 231, and Timoshenko & Goodier 1970, sections 109, 122 and 124: a circle's
 * middle has (3 + 2 nu)/(8 (1 + nu)) V R^2/I, a square's and a flat rectangle's 0.940 and 0.805 of
 * 3 V/2 A; a square's twist makes T/(0.208 a^3) in the middle of its sides. */
static void test_textbooks(void **state)
{
    const double pi = acos(-1);
    nt_beam_section circle = ring(1, 0, 0.3), tube = ring(1, 0.1, 0.3);
    nt_beam_section square = rectangle(2, 2, 0.25), flat = rectangle(1, 4, 0.25);
    (void)state;
    CLOSE(shear_at(&circle, 2, 0, 0, 1), 3.6 / (8 * 1.3) / (pi / 4), 1e-12);
    CLOSE(shear_at(&circle, 3, 0.5, 0, 1), 0.5 / (pi / 2), 1e-12);
    CLOSE(shear_at(&circle, 1, 1, 0, 0), 0, 1e-12); /* across a free side */
    CLOSE(shear_at(&tube, 1, 0.9, 0, 0), 0, 1e-12);
    CLOSE(shear_at(&tube, 1, 0, 0.95, 0) * pi * 0.19 / 2, 1, 0.05); /* twice the mean */
    CLOSE(shear_at(&square, 1, 0, 0, 0) / (1.5 / 4), 0.940, 5e-4);
    CLOSE(shear_at(&flat, 1, 0, 0, 0) / (1.5 / 4), 0.805, 5e-4);
    CLOSE(shear_at(&flat, 1, 0, 2, 0) / (1.5 / 4), 1.988, 2e-3);
    CLOSE(shear_at(&square, 3, 1, 0, 1), 1 / (0.208 * 8), 2e-3);
    CLOSE(shear_at(&square, 1, 1, 0.3, 0), 0, 1e-3);
}

/* Thin walls: V S/(I t) in the web and a flange of a channel whose web is at y = 0, and the twist
 * of a cell by Bredt. Outside of the material there is none. */
static void test_thin_walls(void **state)
{
    nt_beam_section channel = figure(NT_SHAPE_THIN_WALLED, 0.3), cell = channel;
    const double open[8] = {1, -1, 0, -1, 0, 1, 1, 1}, around[8] = {1, -1, 1, 1, -1, 1, -1, -1};
    double t = 0.01, I = t * (8.0 / 12 + 2 * 1.0), tau[2]; /* the web's, and flanges 1 m off */
    (void)state;
    memcpy(channel.outline, open, sizeof open), channel.outline_count = 8, channel.thickness = t;
    memcpy(cell.outline, around, sizeof around), cell.outline_count = 8, cell.thickness = t;
    cell.closed = 1;
    CLOSE(shear_at(&channel, 2, 0, 0, 1), (1 * 1 * t + 0.5 * t) / (I * t), 1e-9);
    CLOSE(shear_at(&channel, 2, 0.5, 1, 0), 0.5 * t / (I * t), 1e-9);
    CLOSE(shear_at(&cell, 3, 1, 0.2, 1), 1 / (2 * 4 * t), 1e-9);
    const double inside[2] = {0, 0}, f[6] = {0, 1, 1, 1, 0, 0};
    assert_false(nt_section_shear(&cell, f, inside, tau));
    assert_true(tau[0] == 0 && tau[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_carry_their_forces),
        cmocka_unit_test(test_textbooks),
        cmocka_unit_test(test_thin_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
