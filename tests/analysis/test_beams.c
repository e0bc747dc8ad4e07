/* Beams against reference values: where they rest, at what frequencies they shake, how fast errors
 * shrink with the mesh; their tangents, and that rigid motions strain nothing. */
#include "analysis/bench.h"
#include "analysis/found_modes.h"

/* Wang et al. 2017, a composite section; it bends and twists at once. */
static const char composite[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {p: 12, n: 1, F: 150, EI: 59.12e3}\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[0, 0, 0], [10, 0, 0]]\n"
    "    order: p\n"
    "    elements: n\n"
    "    sections:\n"
    "      - stiffness: [[1368.17e3, 0, 0, 0, 0, 0], [0, 88.56e3, 0, 0, 0, 0],\n"
    "          [0, 0, 38.78e3, 0, 0, 0], [0, 0, 0, 16.96e3, 17.61e3, -351],\n"
    "          [0, 0, 0, 17.61e3, EI, -370], [0, 0, 0, -351, -370, 141.47e3]]\n"
    "        mass: [8.538e-2, 8.538e-2, 8.538e-2, 1.4433e-2, 0.40972e-2, 1.0336e-2]\n"
    "joints: {clamp: {type: fixed, between: [ground, beam.root], at: [0, 0, 0]}}\n"
    "forces: {tip: {type: force, on: beam.tip, at: [10, 0, 0], value: [0, 0, F]}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static const char twisted[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {p: 12, n: 1, E: 200e9, G: 79.3e9}\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[0, 0, 0], [10, 0, 0]]\n"
    "    twist: [[0, 0], [1, pi/2]]\n"
    "    order: p\n"
    "    elements: n\n"
    "    sections:\n"
    "      - stiffness: [E*0.125, 5/6*G*0.125, 5/6*G*0.125, G*0.229*0.5*0.25^3,\n"
    "                    E*0.25*0.5^3/12, E*0.5*0.25^3/12]\n"
    "        mass: [1, 1, 1, 1, 1, 1]\n"
    "joints: {clamp: {type: fixed, between: [ground, beam.root], at: [0, 0, 0]}}\n"
    "forces: {tip: {type: force, on: beam.tip, at: [10, 0, 0], value: [0, 0, -4e6]}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static void open_beam(bench *b, const char *model, int order, int elements)
{
    char values[2][20];
    snprintf(values[0], sizeof values[0], "%d", order);
    snprintf(values[1], sizeof values[1], "%d", elements);
    const nt_setting settings[] = {{"p", values[0]}, {"n", values[1]}};
    *b = (bench){0};
    if (nt_model_read_text(&b->model, model, strlen(model), "beam", NULL, settings, 2, &b->error))
        fail_msg("%s", b->error.message);
    begin_bench(b, (nt_static_setup){0});
}

/* The tip's distance from where it should be. */
static double tip_error(const char *model, int order, int elements, const double tip[3])
{
    bench b;
    open_beam(&b, model, order, elements);
    solve(&b);
    double off = 0;
    static const char *const names[] = {"beam.tip.position.x", "beam.tip.position.y",
                                        "beam.tip.position.z"};
    for (int i = 0; i < 3; i++)
        off += pow(number(&b, names[i]) - tip[i], 2);
    close_bench(&b);
    return sqrt(off);
}

/* Displacements from two meshes that agree in all digits. */
static const double composite_tip[3] = {10 - 9.02726627566299e-2, -6.47488486259036e-2,
                                        1.22973648292371};
static const double twisted_tip[3] = {10 - 1.1415258270, -1.7180539112, -3.5932125412};

static void test_one_element_of_high_order(void **state)
{
    (void)state;
    is_close("composite, order 14", tip_error(composite, 14, 1, composite_tip), 0, 1e-12);
    is_close("composite, order 8", tip_error(composite, 8, 1, composite_tip), 0, 1e-12);
    is_close("twisted, order 11", tip_error(twisted, 11, 1, twisted_tip), 0, 2e-10);
}

/* p Gauss points for p + 1 nodes: nodes are right to h^(2p). */
static void test_orders(void **state)
{
    static const struct {
        int order, elements;
        double error; /* over |u|, as measured by an independent program */
    } cases[] = {{1, 10, 2.5e-3}, {2, 5, 8.6e-6}, {3, 2, 2.3e-6}};
    (void)state;
    double u =
        sqrt(pow(9.02726627566299e-2, 2) + pow(6.47488486259036e-2, 2) + pow(1.22973648292371, 2));
    for (int i = 0; i < 3; i++) {
        int p = cases[i].order, n = cases[i].elements;
        double coarse = tip_error(composite, p, n, composite_tip);
        double fine = tip_error(composite, p, 2 * n, composite_tip), order = log2(coarse / fine);
        print_message("order %d: %.1e with %d elements, then h^%.2f\n", p, coarse / u, n, order);
        is_close("order of convergence", order, 2 * p, 0.15);
        is_close("error", coarse / u / cases[i].error, 1, 0.05);
    }
}

/* A moment 2 pi EI/L closes a circle: the tip comes back to the root. */
static void test_roll_up(void **state)
{
    static const char roll[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  beam:\n"
        "    points: [[0, 0, 0], [10, 0, 0]]\n"
        "    order: 8\n"
        "    sections: [{stiffness: [1e6, 1e6, 1e6, 8.69e4, 8.69e4, 8.69e4],\n"
        "                mass: [1, 1, 1, 1, 1, 1]}]\n"
        "joints: {clamp: {type: fixed, between: [ground, beam.root], at: [0, 0, 0]}}\n"
        "forces: {tip: {type: torque, on: beam.tip, value: [0, -2*pi*8.69e3, 0]}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    bench b;
    (void)state;
    open_bench(&b, roll, (nt_static_setup){0});
    solve(&b);
    is_close("tip", number(&b, "beam.tip.position.x"), 10 - 10.00000093689, 2e-11);
    close_bench(&b);
}

static void test_frequencies(void **state)
{
    static const double hertz[] = {3.7598188558, 6.9316009954, 20.1160011683, 27.6741746554,
                                   36.1890018};
    char text[sizeof composite];
    found f;
    (void)state;
    memcpy(text, composite, sizeof text);
    char *load = strstr(text, "F: 150");
    memcpy(load, "F: 0  ", 6);
    if (found_try(&f, text, NT_ABOUT_INITIAL, (nt_modes_setup){.count = 5}) != NT_OK)
        fail_msg("%s", f.error.message);
    for (int i = 0; i < 5; i++)
        is_close("frequency", nt_modes_at(f.modes, i).frequency / hertz[i], 1, 1e-9);
    found_close(&f);
}

/* ---- the element by itself ------------------------------------------------------------------- */

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Two pieces at an angle, a section that changes, a centre of mass off the line. */
static const char bent[] =
    "nutate: 1\n"
    "gravity: [1, -2, -9]\n"
    "parameters: {c: 0.03, L: 2, m: 1.5}\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[0, 0, 0], [L, 0.3, 0], [2, 1.5, 1]]\n"
    "    twist: [[0, 0.2], [1, -0.7]]\n"
    "    normal: [0, 1, 1]\n"
    "    order: 3\n"
    "    angular_velocity: [0.3, -0.4, 0.5]\n"
    "    velocity: [1, 2, 3]\n"
    "    sections:\n"
    "      - {stiffness: [900, 500, 400, 60, 80, 70], mass: [m, m, m, 0.3, 0.2, 0.1],\n"
    "         point: [0, c, -0.02]}\n"
    "      - {at: 0.4, stiffness: [700, 400, 300, 50, 60, 50],\n"
    "         mass: [1, 1, 1, 0.2, 0.1, 0.1], point: [0, 0.04, c]}\n"
    "      - {at: 1, material: {E: 1e4, nu: 0.3, density: 20}, shape: tube, radius: 0.2,\n"
    "         thickness: 0.05}\n"
    "simulation: {duration: 0.1, step: 1e-2}\n";

static nt_run *open_bent(nt_model **model)
{
    nt_run *run;
    nt_error error = {0};
    if (nt_model_read_text(model, bent, strlen(bent), "bent", NULL, NULL, 0, &error) != NT_OK ||
        nt_run_create(&run, *model, &error) != NT_OK)
        fail_msg("%s", error.message);
    return run;
}

static void test_tangent_is_exact(void **state)
{
    nt_model *model;
    nt_run *run = open_bent(&model);
    const nt_system *s = nt_run_system(run);
    size_t nq = (size_t)s->space.nq, nv = (size_t)s->space.nv;
    double *q = calloc(nq + 3 * nv, sizeof *q), *v = q + nq, *vdot = v + nv, *turn = vdot + nv;
    unsigned seed = 3;
    (void)state;
    nt_run_initial(run, q, v, NULL);
    for (size_t i = 0; i < nv; i++) {
        v[i] = next(&seed), vdot[i] = 5 * next(&seed);
        turn[i] = 0.2 * next(&seed);
    }
    nt_space_compose(&s->space, NT_INERTIAL, q, turn, q);
    nt_point at = {.q = q, .v = v, .vdot = vdot, .lambda = v, .mu = v};
    double difference;
    nt_error error = {0};
    assert_int_equal(nt_system_check_tangent(s, &at, 1e-6, &difference, &error), NT_OK);
    print_message("tangent to %.1e\n", difference);
    assert_true(difference < 1e-8);
    free(q);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* Residual of the elastic forces at q; without gravity, velocities and accelerations. */
static double largest_force(const nt_system *s, const double *q, double *energy)
{
    size_t nv = (size_t)s->space.nv;
    double *zero = calloc(2 * nv, sizeof *zero), *R = zero + nv, largest = 0;
    nt_point at = {.q = q, .v = zero, .vdot = zero, .lambda = zero, .mu = zero};
    nt_terms terms = {.parts = NT_IMPLICIT, .residual = R};
    nt_energy e;
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    assert_int_equal(s->energy(s->self, &at, &e), NT_OK);
    for (size_t i = 0; i < nv; i++)
        largest = fmax(largest, fabs(R[i]));
    *energy = e.potential;
    free(zero);
    return largest;
}

/* Turned by 2 rad and moved as a whole: no forces. */
static void test_rigid_motions_strain_nothing(void **state)
{
    nt_model *model;
    nt_run *run = open_bent(&model);
    const nt_system *s = nt_run_system(run);
    double q[200], v[200], moved[200], energy;
    const double axis[3] = {1.2, -1.1, 1.163}; /* rad */
    double turn[4];
    (void)state;
    nt_run_initial(run, q, v, NULL);
    nt_so3_exp(axis, turn);
    for (int b = 0; b < s->space.n_blocks; b++) {
        const double *x = q + s->space.blocks[b].q, w = turn[0];
        double *to = moved + s->space.blocks[b].q;
        double t[3] = {turn[2] * x[2] - turn[3] * x[1], turn[3] * x[0] - turn[1] * x[2],
                       turn[1] * x[1] - turn[2] * x[0]};
        to[0] = x[0] + 2 * (w * t[0] + turn[2] * t[2] - turn[3] * t[1]) + 3;
        to[1] = x[1] + 2 * (w * t[1] + turn[3] * t[0] - turn[1] * t[2]) - 2;
        to[2] = x[2] + 2 * (w * t[2] + turn[1] * t[1] - turn[2] * t[0]) + 1;
        memcpy(to + 3, turn, sizeof turn);
    }
    assert_true(largest_force(s, q, &energy) < 1e-12 * 900);
    assert_true(largest_force(s, moved, &energy) < 1e-12 * 900);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* Thrown into space it keeps its energy, and its momentum changes by its weight. */
static void test_it_flies(void **state)
{
    nt_model *model;
    nt_run *run = open_bent(&model);
    nt_error error = {0};
    nt_integrator *it;
    nt_quantity_info energy;
    double before[4], after[4], q[200], v[200];
    (void)state;
    nt_run_initial(run, q, v, NULL);
    nt_integrator_setup setup = {.system = nt_run_system(run),
                                 .method = nt_method_find("rkmk-dop853"),
                                 .tolerance = {1e-10, 1e-10, 1e-10, 1e-10}};
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_model_quantity(model, "energy", &energy, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state now = nt_integrator_state(it);
    assert_int_equal(nt_run_sample(run, &energy, &now, NULL, before, &error), NT_OK);
    if (nt_integrator_run(it, 0.5, 1e-3, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    now = nt_integrator_state(it);
    assert_int_equal(nt_run_sample(run, &energy, &now, NULL, after, &error), NT_OK);
    print_message("energy %.6g, then %.6g; changed by %.1e\n", before[2], after[2],
                  after[2] - before[2]);
    assert_true(fabs(after[0] - before[0]) > 1);
    assert_true(fabs(after[2] - before[2]) < 1e-7 * after[0]);
    nt_quantity_info momentum;
    double p[3], mass;
    assert_int_equal(nt_model_quantity(model, "momentum", &momentum, &error), NT_OK);
    assert_int_equal(nt_run_sample(run, &momentum, &now, NULL, p, &error), NT_OK);
    double first[3];
    nt_state begin = {.q = q, .v = v, .vdot = v, .lambda = v, .mu = v};
    assert_int_equal(nt_run_sample(run, &momentum, &begin, NULL, first, &error), NT_OK);
    mass = (p[0] - first[0]) / 0.5; /* gravity is 1, -2, -9 m/s^2 */
    assert_true(mass > 3 && mass < 10);
    assert_true(fabs(p[1] - first[1] + 2 * mass * 0.5) < 1e-7);
    assert_true(fabs(p[2] - first[2] + 9 * mass * 0.5) < 1e-7);
    nt_integrator_destroy(it);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* d(residual)/d(parameter) against differences: offsets, the line itself, masses. */
static void test_parameters_enter_it(void **state)
{
    nt_model *model;
    nt_run *run = open_bent(&model);
    const nt_system *s = nt_run_system(run);
    double q[200], v[200], vdot[200], turn[200], exact[200], R[4][200];
    unsigned seed = 5;
    (void)state;
    nt_run_initial(run, q, v, NULL);
    for (int i = 0; i < s->space.nv; i++)
        v[i] = next(&seed), vdot[i] = next(&seed), turn[i] = 0.1 * next(&seed);
    nt_space_compose(&s->space, NT_INERTIAL, q, turn, q);
    nt_point at = {.q = q, .v = v, .vdot = vdot, .lambda = v, .mu = v};
    for (int k = 0; k < 3; k++) {
        double p[3] = {0.03, 2, 1.5}, given = p[k], h = 1e-3 * given, largest = 0, off = 0;
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = exact};
        memset(exact, 0, sizeof exact);
        assert_int_equal(s->set_parameters(s->self, p), NT_OK);
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        for (int i = 0; i < 4; i++) {
            p[k] = given + h * (double[]){1, -1, 2, -2}[i];
            terms.residual = R[i];
            memset(R[i], 0, sizeof R[i]);
            assert_int_equal(s->set_parameters(s->self, p), NT_OK);
            assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
        }
        for (int i = 0; i < s->space.nv; i++) {
            double d = (8 * (R[0][i] - R[1][i]) - R[2][i] + R[3][i]) / (12 * h);
            largest = fmax(largest, fabs(d));
            off = fmax(off, fabs(d - exact[i]));
        }
        print_message("parameter %d: %.1e of %.3g\n", k, off, largest);
        assert_true(largest > 0.1 && off < 1e-8 * largest);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void test_bad_beams(void **state)
{
    static const struct {
        const char *beam, *words;
    } cases[] = {
        {"{points: [[0,0,0],[1,0,0]], sections: [{stiffness: [1,1,1,1,1,-1], mass: "
         "[1,1,1,1,1,1]}]}",
         "section at 0: stiffness is not positive definite"},
        {"{points: [[0,0,0],[1,0,0]], sections: [{stiffness: [1,1,1,1,1,1]}]}",
         "expected stiffness and mass, or material and shape"},
        {"{points: [[0,0,0],[1,0,0],[0.5,0,0]], sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "its line folds back at point 2"},
        {"{points: [[0,0,0],[0,0,0]], sections: [{stiffness: [1,1,1,1,1,1], mass: [1,1,1,1,1,1]}]}",
         "its points are one place"},
        {"{points: [[0,0,0],[1,0,0]], order: 2.5, sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "order: expected a whole number from 1 to 20"},
        {"{points: [[0,0,0],[1,0,0]], sections: [{at: 0.5, material: {E: 1, nu: 0.3, density: 1}, "
         "shape: circle, radius: 1}, {at: 0.2, material: {E: 1, nu: 0.3, density: 1}, shape: "
         "circle, "
         "radius: 1}]}",
         "expected stations from 0 to 1 that rise"},
        {"{points: [[0,0,0],[1,1,0],[2,0,0],[1,-1,0],[0.1,0,0]], line: spline, order: 1, elements: "
         "2, "
         "sections: [{stiffness: [1,1,1,1,1,1], mass: [1,1,1,1,1,1]}]}",
         "element 1, from 0 to 0.5 of its length, is too coarse for the line"},
        {"{points: [[0,0,0],[1,0,0]], order: 2, elements: 2, twist: [[0, 0], [0.5, 1], [0.75, -2], "
         "[1, 0]], sections: [{stiffness: [1,1,1,1,2,1], mass: [1,1,1,1,1,1]}]}",
         "element 2, from 0.5 to 1 of its length, is too coarse for the twist: 5 rad, where order "
         "2 carries 2.5 at most"},
        {"{points: [[0,0,0],[1,0,0]], normal: [1,0,0], sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "its normal is along the line"},
        {"{points: [[0,0,0],[1e30,0,0]], order: 6, sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "element 1 is 1e+30 m long, so slender that its bending is lost in the rounding of its "
         "shear; expected at most 3.16e+07 m"},
        {"{points: [[1e12,0,0],[1e12,0.1,0]], sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "element 1 is 0.1 m long at 1e+12 m from the origin, where places are known to 0.00022 m"},
        {"{points: [[0,0,0],[1,0,0]], sections: [{stiffness: [1,1,1,1,1,1], mass: [1,1,1,1,1,1], "
         "prestress: [0,0,0,0,1e30,0]}]}",
         "section at 0: prestress strains it by one or more, expected less"},
        {"{points: [[0,0,0],[1,0,0]], sections: [{stiffness: [2,1,1,1,1,1], mass: [1,1,1,1,1,1], "
         "prestress: [2,0,0,0,0,0]}]}",
         "section at 0: prestress strains it by one or more, expected less"},
        {"{points: [[0,0,0],[2,0,0]], sections: [{stiffness: [1,1,1,1,5e24,1], mass: "
         "[1,1,1,1,1,1]}]}",
         "section at 0: stiffness about the line is so large that rounding of rotations is moment, "
         "expected at most 1e24 N times the square of the line's length"},
        {"{points: [[0,0,0],[2,0,0]], sections: [{stiffness: [1,1,1,1,1,1], mass: "
         "[1,1,1,1e15,1,1]}]}",
         "section at 0: moments of inertia are those of a radius of gyration of more than 1e7 "
         "times the line's length"},
        {"{points: [[0,0,0],[2,0,0]], damping: [0,0,1e24,0,0,0], sections: [{stiffness: "
         "[1,1,2,1,1,1], mass: [1,1,1,1,1,1]}]}",
         "damping is 1e+24 s, so large that rounding of speeds is force; expected at most 5e+23 s"},
        {"{points: [[0,0,0],[2,0,0]], sections: [{material: {E: 1, nu: 0.3, density: 1}, shape: "
         "thin_walled, thickness: 1e30, outline: [0, 0, 1, 0, 1, 1]}]}",
         "section at 0: thin walls are thinner than their outline is long"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        nt_model *model = NULL;
        nt_error error = {0};
        snprintf(text, sizeof text,
                 "nutate: 1\nbeams:\n  b: %s\nsimulation: {duration: 1, step: 1}\n", cases[i].beam);
        assert_int_equal(
            nt_model_read_text(&model, text, strlen(text), "bad", NULL, NULL, 0, &error),
            NT_BAD_MODEL);
        assert_int_equal(error.line, 3);
        if (!strstr(error.message, cases[i].words))
            fail_msg("'%s' lacks '%s'", error.message, cases[i].words);
    }
}

static void is_refused_at(const char *text, const char *words, int line, int column)
{
    nt_model *model = NULL;
    nt_error error = {0};
    assert_int_equal(nt_model_read_text(&model, text, strlen(text), "bad", NULL, NULL, 0, &error),
                     NT_BAD_MODEL);
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
    if (error.line != line || error.column != column)
        fail_msg("%s: %d:%d", words, error.line, error.column);
}

/* What is wrong with a row of a list is told at that row. */
static void test_places_of_rows(void **state)
{
    static const struct {
        const char *section, *point, *twist, *words;
        int line, column;
    } cases[] = {
        {"-1", "2, 0, 0", "0.5", "section at 0.5: stiffness is not positive definite", 6, 9},
        {"1", "0.5, 0, 0", "0.5", "its line folds back at point 2", 9, 23},
        {"1", "1, 0, 0", "0.5", "points 2 and 3 are the same", 9, 34},
        {"1", "2, 0, 0", "0", "twist at 0: expected stations from 0 to 1 that rise", 10, 21},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "nutate: 1\nbeams:\n  b:\n    sections:\n"
                 "      - {at: 0, stiffness: [1,1,1,1,1,1], mass: [1,1,1,1,1,1]}\n"
                 "      - at: 0.5\n        stiffness: [1,1,1,1,1,%s]\n"
                 "        mass: [1,1,1,1,1,1]\n"
                 "    points: [[0,0,0], [1, 0, 0], [%s]]\n"
                 "    twist: [[0, 0], [%s, 1]]\n"
                 "simulation: {duration: 1, step: 1}\n",
                 cases[i].section, cases[i].point, cases[i].twist);
        is_refused_at(text, cases[i].words, cases[i].line, cases[i].column);
    }
}

/* What is wrong with a key is told at that key. */
static void test_places_of_keys(void **state)
{
    static const struct {
        const char *key, *words;
        int column;
    } cases[] = {
        {"normal: [1, 0, 0]", "its normal is along the line", 13},
        {"damping: -1", "damping is negative", 14},
        {"inertia: lumped", "lumped inertia is wrong by", 14},
        {"inertia_points: 11", "inertia is wrong by", 21},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "nutate: 1\nbeams:\n  b:\n    points: [[0,0,0], [1, 0, 0]]\n    order: 10\n"
                 "    %s\n    elements: 1\n    sections:\n"
                 "      - {at: 0, stiffness: [1,1,1,1,1,1], mass: [1,1,1,1,1,1]}\n"
                 "      - {at: 0.3, stiffness: [1,1,1,1,1,1], mass: [9,9,9,1,1,1]}\n"
                 "simulation: {duration: 1, step: 1}\n",
                 cases[i].key);
        is_refused_at(text, cases[i].words, 6, cases[i].column);
    }
}

/* A beam of 2 m and what pushes its tip; the warning about it, empty where there is none; how far
 * its tip is off (x, z), where it should be at `tip`, as a part of how far that is from (2, 0). */
static double off_at_tip(const char *keys, const char *load, const double tip[2], char warning[300])
{
    char text[1000];
    bench b;
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "beams:\n"
             "  b: {points: [[0, 0, 0], [2, 0, 0]], %s, sections: [\n"
             "    {at: 0, stiffness: [1e7, 1e7, 1e7, 30, 30, 30], mass: [1, 1, 1, 1, 1, 1]}]}\n"
             "joints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
             "forces: {f: {type: %s, on: b.tip}}\n"
             "simulation: {duration: 1, step: 1}\n",
             keys, load);
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    double off =
        hypot(number(&b, "b.tip.position.x") - tip[0], number(&b, "b.tip.position.z") - tip[1]);
    nt_run_warning(b.run, 0, warning, 300);
    close_bench(&b);
    return off / hypot(tip[0] - 2, tip[1]);
}

/* What a mesh is off is said, about as much as it is: of order 1 by 1/(4 n^2) under a force at the
 * tip, where it is clamped. A moment bends it to an arc of the radius EI/M. */
static void test_coarse_mesh_is_said(void **state)
{
    static const char force[] = "force, value: [0, 0, 0.03]";
    static const char arc[] = "torque, value: [0, -60, 0]"; /* 4 rad, a radius of 0.5 m */
    static const struct {
        const char *keys;
        bool bends, is_said; /* to the arc */
    } cases[] = {
        {"order: 1, elements: 2", false, true},  {"order: 1, elements: 3", false, true},
        {"order: 1, elements: 4", false, false}, {"order: 2, elements: 1", false, false},
        {"order: 1, elements: 3", true, true},   {"order: 1, elements: 5", true, true},
        {"order: 2, elements: 2", true, false},  {"order: 1, elements: 40", true, false},
        {"order: 8, elements: 1", true, false},
    };
    const double deflected[2] = {2, 0.03 * 8 / 90}, rolled[2] = {0.5 * sin(4), 0.5 - 0.5 * cos(4)};
    char warning[300];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double off = off_at_tip(cases[i].keys, cases[i].bends ? arc : force,
                                cases[i].bends ? rolled : deflected, warning);
        const char *about = strstr(warning, "off by about ");
        double said = about ? atof(about + strlen("off by about ")) / 100 : 0;
        print_message("%s: %.2e off, %.2e said\n", cases[i].keys, off, said);
        assert_true(cases[i].is_said ? fabs(said / off - 1) < 0.2 : said == 0 && off < 0.02);
        const char *worst = strstr(warning, "of element 1 most");
        assert_true(!cases[i].is_said || cases[i].bends || worst);
    }
}

/* A strip whose section turns and tapers: displacement of the tip under a force, and what is said.
 */
typedef struct strip {
    double twist, taper, ratio; /* rad; of the tip's stiffness to the root's; of both bendings' */
    int order, elements;
} strip;

static double strip_tip(const strip *of, double out[3])
{
    char text[1500], warning[300];
    static const char *const names[] = {"b.tip.position.x", "b.tip.position.y", "b.tip.position.z"};
    bench b;
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "parameters: {c: %g, r: %g}\n"
             "beams:\n"
             "  b: {points: [[0, 0, 0], [3, 0, 0]], order: %d, elements: %d,\n"
             "    twist: [[0, 0], [1, %g]], sections: [\n"
             "    {at: 0, stiffness: [1e6, 5e5, 5e5, 60, 100, 100*r], mass: [1, 1, 1, 1, 1, 1]},\n"
             "    {at: 1, stiffness: [1e6*c, 5e5*c, 5e5*c, 60*c, 100*c, 100*r*c],\n"
             "     mass: [1, 1, 1, 1, 1, 1]}]}\n"
             "joints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
             "forces: {f: {type: force, on: b.tip, value: [0, 0, 1]}}\n"
             "simulation: {duration: 1, step: 1}\n",
             of->taper, of->ratio, of->order, of->elements, of->twist);
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    for (int i = 0; i < 3; i++)
        out[i] = number(&b, names[i]) - (i == 0 ? 3 : 0);
    nt_run_warning(b.run, 0, warning, sizeof warning);
    close_bench(&b);
    const char *about = strstr(warning, "off by about ");
    return about ? atof(about + strlen("off by about ")) / 100 : 0;
}

/* Strains between the points of the rule are those of the sections there: a few points see little
 * of what a section that turns or tapers between them does. */
static void test_turning_sections_are_seen(void **state)
{
    static const strip cases[] = {
        {1.57, 1, 4, 2, 1},  {1.57, 1, 30, 2, 1},  {2.2, 1, 30, 2, 1}, {-2.2, 0.4, 10, 2, 1},
        {1.9, 0.4, 4, 2, 1}, {2.2, 0.2, 30, 2, 1}, {1, 0.3, 1, 1, 1},  {0, 0.01, 1, 2, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strip fine = cases[i];
        double there[3], tip[3];
        fine.order = 10, fine.elements = 3;
        assert_true(strip_tip(&fine, there) == 0);
        double said = strip_tip(&cases[i], tip);
        double off = sqrt(pow(tip[0] - there[0], 2) + pow(tip[1] - there[1], 2) +
                          pow(tip[2] - there[2], 2)) /
                     sqrt(pow(there[0], 2) + pow(there[1], 2) + pow(there[2], 2));
        print_message("strip %zu: %.2e off, %.2e said\n", i, off, said);
        assert_true(said > 0.02 ? said > 0.8 * off && said < 2 * off : said == 0 && off < 0.024);
    }
}

/* One point, where it is a thousand times stiffer than elsewhere. */
static void test_lost_beam_is_said(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  b: {points: [[0, 0, 0], [3, 0, 0]], order: 1, elements: 1, sections: [\n"
        "    {at: 0, stiffness: [1e6, 5e5, 5e5, 60, 9, 9], mass: [1, 1, 1, 1, 1, 1]},\n"
        "    {at: 0.4, stiffness: [1e6, 5e5, 5e5, 60, 9, 9], mass: [1, 1, 1, 1, 1, 1]},\n"
        "    {at: 0.45, stiffness: [1e9, 5e8, 5e8, 6e4, 9e3, 9e3], mass: [1, 1, 1, 1, 1, 1]},\n"
        "    {at: 0.55, stiffness: [1e9, 5e8, 5e8, 6e4, 9e3, 9e3], mass: [1, 1, 1, 1, 1, 1]},\n"
        "    {at: 0.6, stiffness: [1e6, 5e5, 5e5, 60, 9, 9], mass: [1, 1, 1, 1, 1, 1]}]}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
        "forces: {f: {type: torque, on: b.tip, value: [0, 2, 0]}}\n"
        "simulation: {duration: 1, step: 1}\n";
    char warning[300];
    bench b;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    nt_run_warning(b.run, 0, warning, sizeof warning);
    close_bench(&b);
    if (!strstr(warning, "off by more than ten times as much as it has bent"))
        fail_msg("'%s'", warning);
}

/* As is a rule of integration that is worse than the order. */
static void test_bad_rule_is_said(void **state)
{
    const double tip[2] = {2, 0.03 * 8 / 90};
    char warning[300];
    (void)state;
    off_at_tip("order: 1, elements: 40, quadrature_points: 2", "force, value: [0, 0, 0.03]", tip,
               warning);
    assert_non_null(strstr(warning, "beam b: 2 points of its quadrature are many for order 1"));
    off_at_tip("order: 2, elements: 40, quadrature_points: 2", "force, value: [0, 0, 0.03]", tip,
               warning);
    assert_string_equal(warning, "");
}

/* The column of Beck: a load that follows its tip. With a and b of its bending, w^2 = a^2 b^2 and
 * P = a^2 - b^2, this vanishes at its frequencies (EI = m = L = 1). */
static double beck(double P, double w)
{
    double d = sqrt(P * P / 4 + w * w), a = sqrt(d + P / 2), b = sqrt(d - P / 2);
    double c = cos(a), s = sin(a), C = cosh(b), S = sinh(b);
    return (a * a * c + b * b * C) * (a * a * a * c + a * b * b * C) +
           (a * a * s + a * b * S) * (a * a * a * s - b * b * b * S);
}

/* Loads that follow are little beside the stiffness of shear, and all that bends a slender column:
 * without damping, with a little of it, and of many elements. */
static void test_small_loads_that_follow(void **state)
{
    static const char *const meshes[] = {"order: 10", "order: 10, damping: [0, 0, 0, 0, 1e-9, 0]",
                                         "order: 3, elements: 40"};
    static const double loads[] = {0.1, 2, 6.25};
    (void)state;
    for (int i = 0; i < 9; i++) {
        char text[700];
        found f;
        double P = loads[i % 3], low = 3, high = 5; /* rad/s */
        for (int k = 0; k < 60; k++) {
            double w = (low + high) / 2;
            *(beck(P, low) * beck(P, w) <= 0 ? &high : &low) = w;
        }
        snprintf(
            text, sizeof text,
            "nutate: 1\ngravity: [0, 0, 0]\nbeams:\n  b: {points: [[0, 0, 0], [1, 0, 0]], %s,\n"
            "    sections: [{stiffness: [1e8, 1e8, 1e8, 1e8, 1, 1e4], mass: [1, 1, 1, 2e-8, 1e-8, "
            "1e-8]}]}\njoints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
            "forces: {jet: {type: force, on: b.tip, frame: body, value: [-%g, 0, 0]}}\n"
            "simulation: {duration: 1, step: 1}\n",
            meshes[i / 3], P);
        if (found_try(&f, text, NT_ABOUT_STATIC, (nt_modes_setup){.count = 2}) != NT_OK)
            fail_msg("%s", f.error.message);
        is_close(meshes[i / 3], fabs(nt_modes_at(f.modes, 0).eigenvalue[1]), low, 1e-5 * low);
        found_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_element_of_high_order),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_roll_up),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_tangent_is_exact),
        cmocka_unit_test(test_rigid_motions_strain_nothing),
        cmocka_unit_test(test_it_flies),
        cmocka_unit_test(test_parameters_enter_it),
        cmocka_unit_test(test_small_loads_that_follow),
        cmocka_unit_test(test_bad_beams),
        cmocka_unit_test(test_places_of_rows),
        cmocka_unit_test(test_places_of_keys),
        cmocka_unit_test(test_coarse_mesh_is_said),
        cmocka_unit_test(test_turning_sections_are_seen),
        cmocka_unit_test(test_lost_beam_is_said),
        cmocka_unit_test(test_bad_rule_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
