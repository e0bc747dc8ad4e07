/* Derivatives of residual and constraint rows in a model's parameters, wherever a parameter enters,
 * against differences of whole evaluations at changed parameters. */
#include "model/elements.h"
#include "parameter_cases.h"

/* Between a body and the point d. */
static const element_case point_cases[] = {
    {"spherical", "joints: {e: {type: spherical, between: [%s], " PLACE "}}"},
    {"distance", "joints: {e: {type: distance, between: [%s], points: [[0.1*w, 0.7, u], [0, 0, "
                 "0]]}}"},
    {"inline", "joints: {e: {type: inline, between: [%s], " PLACE ", axis: [1, w, 0]}}"},
    {"planar", "joints: {e: {type: planar, between: [%s], points: [[u, 0.1*w, 0], [0, 0, 0]], "
               "axis: [1, w, 0], enforce: penalty, stiffness: 50*w, damping: 1}}"},
    {"prismatic", "joints: {e: {type: prismatic, between: [%s], " PLACE ", axis: [1, 2, -w], "
                  "motion: 0.1*w*(1 - cos(3*w*t))}}"},
    {"prismatic", "joints: {e: {type: prismatic, between: [%s], " PLACE ", axis: [1, 2, -w], "
                  "friction: {dry: 2*w, slip: 0.3}, limits: {upper: -5 + u, stiffness: 4*w, "
                  "damping: 2}}}"},
    {"spring", "forces: {e: {type: spring, between: [%s], stiffness: 40*w, damping: 3*w}}"},
    {"force", "forces: {e: {type: force, on: d, value: [3*w*a.position.x + t, "
              "a.angular_velocity.z*d.velocity.y*w, d.position.z*u]}}\n# %s"},
    {"sphere_plane",
     "contacts: {e: {type: sphere_plane, between: [%s], plane: {point: [0.2, u, -0.3], "
     "normal: [0.3, -0.2, w]}, radius: 4*w, stiffness: 20*w, damping: 0.4, "
     "friction: {coefficient: 0.6*w, slip: 0.3}}}"},
    {"sphere_sphere", "contacts: {e: {type: sphere_sphere, between: [%s], radii: [3*w, 2], "
                      "stiffness: 15, exponent: 2*w, damping: 0.7}}"},
};

enum { N_POINT_CASES = sizeof point_cases / sizeof point_cases[0] };

/* Largest difference of the tangent at random points, relative to its largest entry or to 1e-2 of
 * the forces (of order ten): where p hardly matters rounding of the differences counts. */
static double worst_difference(nt_run *run, int k, unsigned seed)
{
    static const unsigned parts[] = {NT_ALL_PARTS, NT_MASS, NT_IMPLICIT | NT_EXPLICIT, NT_REACTIONS,
                                     NT_GYROSCOPIC};
    const nt_system *s = nt_run_system(run);
    double memory[400], worst = 0, p[20];
    int n = s->space.nv + s->nh + s->nn;
    assert_true(n <= MOST);
    s->get_parameters(s->self, p);
    for (int trial = 0; trial < 5; trial++) {
        nt_point at = random_point(run, &seed, memory);
        double exact[MOST] = {0}, reference[MOST];
        evaluation e = {&at, parts[trial], (nt_level)(trial % 3)};
        nt_terms terms = {
            .parts = e.parts, .level = e.level, .residual = exact, .rows = exact + s->space.nv};
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        differences(run, k, 1, residual_and_rows, &e, n, reference);
        double size = fmax(largest(reference, n), 0.1);
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(exact[i] - reference[i]) / size);
    }
    return worst;
}

/* The worst over all parameters; what is worse than the tolerance is printed. */
static double worst_of_case(const element_case *c, const char *pair, const char *more,
                            unsigned seed)
{
    char text[4000];
    double worst = 0;
    write_case(text, sizeof text, c, pair);
    assert_true(strlen(text) + strlen(more) < sizeof text);
    strcat(text, more);
    nt_run *run = read_model(text);
    for (int k = 0; k < nt_run_system(run)->n_parameters; k++) {
        double d = worst_difference(run, k, seed);
        worst = fmax(worst, d);
        if (!(d < TOLERANCE))
            print_error("%s between %s in %s: off by %.3g\n%s\n", c->type, pair,
                        nt_run_system(run)->parameter_names[k], d, c->text);
    }
    destroy_run(run);
    return worst;
}

static void tangents_agree_with_differences(void **state)
{
    (void)state;
    static const char *const pairs[] = {"a, b", "ground, b", "b, ground", "c, b"};
    double worst = 0;
    for (int i = 0; i < N_CASES; i++)
        for (int pair = 0; pair < 4; pair++)
            worst = fmax(worst, worst_of_case(&cases[i], pairs[pair], "",
                                              31u * (unsigned)i + (unsigned)pair));
    print_message("largest difference %.3g\n", worst);
    assert_true(worst < TOLERANCE);
}

static void tangents_of_points_agree(void **state)
{
    (void)state;
    static const char *const pairs[] = {"a, d", "ground, d", "c, d"};
    double worst = 0;
    for (int i = 0; i < N_POINT_CASES; i++)
        for (int pair = 0; pair < 3; pair++)
            worst = fmax(worst,
                         worst_of_case(&point_cases[i], pairs[pair], "initial: {correct: true}\n",
                                       37u * (unsigned)i + (unsigned)pair));
    print_message("largest difference %.3g\n", worst);
    assert_true(worst < TOLERANCE);
}

static void every_type_has_a_case(void **state)
{
    (void)state;
    for (int t = 0; t < nt_element_type_count(); t++) {
        int found = 0;
        for (int i = 0; i < N_CASES; i++)
            found += strcmp(cases[i].type, nt_element_type_at(t)->name) == 0;
        if (!found && !nt_element_type_at(t)->own_bodies) /* bearings: test_bearings.c */
            fail_msg("no case for %s %s", nt_element_type_at(t)->section->name,
                     nt_element_type_at(t)->name);
    }
}

/* ---- linear parameters ---------------------------------------------------------------------- */

/* Where everything is linear in a parameter one wide difference is exact: (f(2 p) - f(p))/p. The
 * tangent agrees to 1e-12 of the largest entry: rounding of the difference alone is 1e-13. */
static void linear_parameters_are_exact(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {m: 15, k: 4e5, c: 30, J: 0.2, g: -9.81, arm: 0.7, load: 250, follows: 3*m}\n"
        "gravity: [0, 0, g]\n"
        "bodies:\n"
        "  a: {mass: m, inertia: [J, 2*J, J], position: [0, 0, 0], orientation: {axis: [1, 2, 0], "
        "angle: 0.3}}\n"
        "  b: {mass: follows, inertia: [1, 2, 1.5], position: [1, 1, 1]}\n"
        "joints:\n"
        "  j: {type: spherical, between: [a, b], points: [[arm, 0, 0], [0, -arm, 0.3]]}\n"
        "  d: {type: distance, between: [ground, b], points: [[0, 0, 3], [0, 0, 0]], length: "
        "3*arm}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, a], at: [[0, 0, 1], [0.2, 0.3, 0]], stiffness: k, "
        "damping: c, length: 0.4*arm}\n"
        "  f: {type: force, on: b, value: [load*sin(3*t), load*a.velocity.x, 0]}\n"
        "initial: {correct: true}\n";
    nt_run *run = read_model(text);
    const nt_system *s = nt_run_system(run);
    int n = s->space.nv + s->nh;
    unsigned seed = 5;
    double memory[400];
    for (int k = 0; k < s->n_parameters; k++) {
        nt_point at = random_point(run, &seed, memory);
        double exact[MOST] = {0}, once[MOST] = {0}, twice[MOST] = {0}, p[20], value;
        evaluation e = {&at, NT_ALL_PARTS, NT_POSITION};
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = exact, .rows = exact + s->space.nv};
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        s->get_parameters(s->self, p);
        value = p[k];
        residual_and_rows(run, &e, once);
        p[k] = 2 * value;
        assert_int_equal(s->set_parameters(s->self, p), NT_OK);
        residual_and_rows(run, &e, twice);
        p[k] = value;
        assert_int_equal(s->set_parameters(s->self, p), NT_OK);
        double size = fmax(largest(once, n), largest(twice, n)) / fabs(value);
        assert_true(largest(exact, n) > 0);
        for (int i = 0; i < n; i++) {
            double d = (twice[i] - once[i]) / value - exact[i];
            if (!(fabs(d) <= 1e-12 * size))
                fail_msg("%s, entry %d: %.17g, off by %.3g", s->parameter_names[k], i, exact[i], d);
        }
        assert_true(nt_run_parameter_error(run) < 1e-12);
    }
    destroy_run(run);
}

/* ---- angles at a half turn ------------------------------------------------------------------ */

/* The wind comes from behind, and where it turns the angle of attack jumps from pi to -pi. Beside
 * the jump the derivatives are those of the same law without the angle. */
static void angles_have_derivatives_at_a_half_turn(void **state)
{
    static const char model[] =
        "nutate: 1\n"
        "parameters: {w: %.17g}\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b: {mass: 1, inertia: [1, 2, 1.5]}}\n"
        "forces: {air: {type: aerodynamic, on: b, at: [0.2, 0, 0.3], area: 2, span: [0, 1, 0], "
        "wind: [3, 0, w - 2], lift: '%s'}}\n";
    static const char *const lift[] = {"sin(air.angle_of_attack)", "(w - 2)/hypot(3, w - 2)"};
    static const double winds[] = {2.001, 1.999, 2.0000001, 1.9999999, 2.7};
    (void)state;
    for (size_t i = 0; i < sizeof winds / sizeof winds[0]; i++) {
        double out[2][6] = {{0}};
        for (int law = 0; law < 2; law++) {
            char text[1000];
            snprintf(text, sizeof text, model, winds[i], lift[law]);
            nt_run *run = read_model(text);
            const nt_system *s = nt_run_system(run);
            double q[7], v[6], memory[400];
            assert_int_equal(s->initial(s->self, 0, q, v, memory), NT_OK);
            nt_point at = {.q = q, .v = v, .memory = memory};
            nt_terms terms = {.parts = NT_IMPLICIT | NT_EXPLICIT, .residual = out[law]};
            assert_int_equal(s->parameter_tangent(s->self, &at, 0, &terms), NT_OK);
            destroy_run(run);
        }
        for (int k = 0; k < 6; k++)
            assert_true(fabs(out[0][k] - out[1][k]) <= 1e-7 * largest(out[1], 6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_agree_with_differences),
        cmocka_unit_test(tangents_of_points_agree),
        cmocka_unit_test(every_type_has_a_case),
        cmocka_unit_test(linear_parameters_are_exact),
        cmocka_unit_test(angles_have_derivatives_at_a_half_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
