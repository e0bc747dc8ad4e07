/* Loads where the answer is known: values and signs, friction and limits, places without a value,
 * and what is refused. */
#include "model/load_bench.h"

/* ---- known values --------------------------------------------------------------------------- */

static void a_spring_pulls_its_ends_together(void **state)
{
    (void)state;
    bench b;
    double r[NV];
    bench_init_plain(&b);
    nt_element *spring = add_element(&b, "forces", "spring", "s");
    give_between(spring, 0, 1);
    give_point(spring, "at", 0, v3_of(-1, 0, 0));
    give_point(spring, "at", 1, v3_of(0, 0.5, 0));
    give_number(spring, "stiffness", 10);
    give_number(spring, "damping", 2);
    give_number(spring, "length", 1);
    bench_build(&b);
    v3_store(b.q, v3_of(2, -0.5, 0)); /* the end of B at x = 2: length 3 */
    v3_store(b.v, v3_of(4, 0, 0));
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    /* force on B: -(10 2 + 2 4) along x at (0, 0.5, 0): moment +14 about z */
    assert_vector(r, 28, 0, 0);
    assert_vector(r + 3, 0, 0, -14);
    bench_free(&b);
}

static void forces_act_where_and_along_what_the_model_says(void **state)
{
    (void)state;
    bench b;
    double r[NV];
    bench_init_plain(&b);
    static const char *const value[3] = {"1", "2*t", "0"};
    nt_element *force = add_element(&b, "forces", "force", "f");
    *(int *)give(force, NULL, "on") = 1;
    *(int *)give(force, NULL, "frame") = 1;
    give_point(force, "at", 0, v3_of(0, 0, 1));
    give_vector(&b, force, value);
    bench_build(&b);
    b.t = 1.5;
    /* a quarter turn about x: body y is ground z, body z is ground -y */
    quat_store(b.q + 3, (quat){sqrt(0.5), sqrt(0.5), 0, 0});
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    assert_vector(r, -1, 0, -3);
    assert_vector(r + 3, 3, 0, -1); /* -( (0, -1, 0) x (1, 0, 3) ) */
    bench_free(&b);
}

static void a_bushing_resists_in_axes_that_turn_with_its_first_body(void **state)
{
    (void)state;
    bench b;
    double r[NV];
    bench_init_plain(&b);
    nt_element *bushing = add_element(&b, "forces", "bushing", "k");
    give_between(bushing, 1, 2);
    give_point(bushing, "at", 0, v3_of(0, 0, 0));
    double *K = give(bushing, NULL, "stiffness");
    for (int i = 0; i < 6; i++)
        K[7 * i] = i + 1;
    bench_build(&b);
    /* A a quarter turn about z (its x axis is ground y), B the same and 0.3 rad about ground y,
     * displaced by 0.1 along ground y: u = (0.1, 0, 0), psi = (0.3, 0, 0). */
    quat quarter = {sqrt(0.5), 0, 0, sqrt(0.5)};
    quat_store(b.q + 3, quarter);
    quat_store(b.q + 10, quat_multiply((quat){cos(0.15), 0, sin(0.15), 0}, quarter));
    v3_store(b.q + 7, v3_of(0, 0.1, 0));
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    assert_vector(r + 6, 0, 0.1, 0);
    assert_vector(r + 9, 0, 1.2, 0);
    assert_vector(r, 0, -0.1, 0);
    bench_free(&b);
}

static void a_motor_turns_its_second_body_forward(void **state)
{
    (void)state;
    bench b;
    double r[NV];
    bench_init_plain(&b);
    nt_element *joint = add_element(&b, "joints", "revolute", "hinge");
    give_between(joint, 1, 2);
    give_point(joint, "at", 0, v3_of(0, 0, 0));
    v3_store(give(joint, NULL, "axis"), v3_of(0, 0, 2));
    nt_element *motor = add_element(&b, "forces", "joint_torque", "motor");
    *(int *)give(motor, NULL, "joint") = 0;
    give_function(&b, motor, "value", 0, "5");
    nt_element *spring = add_element(&b, "forces", "torsion_spring", "s");
    *(int *)give(spring, NULL, "joint") = 0;
    give_number(spring, "stiffness", 2);
    bench_build(&b);
    quat_store(b.q + 10, (quat){cos(0.25), 0, 0, sin(0.25)}); /* angle 0.5 */
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    assert_vector(r + 9, 0, 0, -4); /* 5 - 2 0.5 */
    assert_vector(r + 3, 0, 0, 4);
    bench_free(&b);
}

/* ---- points --------------------------------------------------------------------------------- */

/* All bodies at their given placement. */
static void placed_state(bench *b)
{
    for (int i = 1; i < N_BODIES; i++) {
        if (b->bodies[i].t_node >= 0)
            v3_store(b->q + b->bodies[i].q, b->bodies[i].x0);
        quat_store(rotation_of(b, i), b->bodies[i].q0);
    }
}

static v3 in_ground_axes(const nt_body *body, v3 from_reference)
{
    return v3_add(body->x0, m3_apply(quat_matrix(body->q0), from_reference));
}

static void springs_end_at_points_of_the_ground_and_at_markers(void **state)
{
    (void)state;
    const double k = 10, length = 0.7;
    seed = 5;
    for (int with_marker = 0; with_marker < 2; with_marker++) {
        bench b;
        nt_energy energy;
        bench_init(&b);
        v3 P = random_vector(2), Q = random_vector(2);
        nt_element *spring = add_element(&b, "forces", "spring", "s");
        give_between(spring, 1, 2);
        give_point(spring, "at", 0, P);
        give_point(spring, "at", 1, Q);
        give_number(spring, "stiffness", k);
        give_number(spring, "length", length);
        if (with_marker) {
            ((nt_place_of_point *)give(spring, NULL, "at"))[0].marker = 0;
            v3 at = v3_sub(v3_load(b.markers[0].at), b.bodies[1].reference);
            P = in_ground_axes(&b.bodies[1], at);
        }
        bench_build(&b);
        placed_state(&b);
        assert_int_equal(look(&b, b.q, b.v, NULL, false, &energy), NT_OK);
        double elongation = v3_norm(v3_sub(P, Q)) - length;
        assert_close(energy.potential, k * elongation * elongation / 2, 1e-12);
        bench_free(&b);
    }
}

static void springs_and_bushings_are_relaxed_where_they_are_given(void **state)
{
    (void)state;
    seed = 6;
    for (int type = 0; type < 3; type++) {
        bench b;
        double r[NV];
        bench_init(&b);
        nt_element *element = add_element(&b, "forces", type == 0 ? "spring" : "bushing", "s");
        give_between(element, 1, 2);
        give_point(element, "at", 0, random_vector(2));
        if (type == 0) {
            give_point(element, "at", 1, random_vector(2));
            give_number(element, "stiffness", 10);
        } else {
            double *K = give(element, NULL, "stiffness");
            for (int i = 0; i < 36; i++)
                K[i] = uniform(-5, 5);
        }
        if (type == 2) /* a marker of a third body stands for its place */
            ((nt_place_of_point *)give(element, NULL, "at"))->marker = 1;
        bench_build(&b);
        placed_state(&b);
        assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
        for (int i = 0; i < NV; i++)
            assert_close(r[i], 0, 1e-13);
        bench_free(&b);
    }
}

/* The point of a force: the body's origin, coordinates, a marker. Moment about the reference. */
static void forces_act_at_the_origin_a_point_or_a_marker(void **state)
{
    (void)state;
    static const char *const value[3] = {"1", "-2", "3"};
    const v3 F = {1, -2, 3};
    seed = 7;
    for (int where = 0; where < 3; where++) {
        bench b;
        double r[NV];
        bench_init(&b);
        nt_body *body = &b.bodies[1];
        nt_element *force = add_element(&b, "forces", "force", "f");
        *(int *)give(force, NULL, "on") = 1;
        give_vector(&b, force, value);
        v3 P = in_ground_axes(body, v3_neg(body->reference));
        if (where == 1) {
            P = random_vector(2);
            give_point(force, "at", 0, P);
        } else if (where == 2) {
            P = in_ground_axes(body, v3_sub(v3_load(b.markers[0].at), body->reference));
            ((nt_place_of_point *)give(force, NULL, "at"))->marker = 0;
        }
        bench_build(&b);
        placed_state(&b);
        assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
        v3 moment = v3_cross(v3_sub(P, body->x0), F);
        assert_vector(r, -F.x, -F.y, -F.z);
        assert_vector(r + 3, -moment.x, -moment.y, -moment.z);
        bench_free(&b);
    }
}

/* ---- friction and limits -------------------------------------------------------------------- */

/* The force along a slider on the ground at a displacement and a rate. */
static double slider_force(bench *b, double value, double rate)
{
    double r[NV];
    v3_store(b->q, v3_of(0, 0, value));
    v3_store(b->v, v3_of(0, 0, rate));
    assert_int_equal(look(b, b->q, b->v, r, false, NULL), NT_OK);
    return -r[2];
}

static nt_element *slider(bench *b)
{
    bench_init_plain(b);
    nt_element *joint = add_element(b, "joints", "prismatic", "slider");
    give_between(joint, 0, 1);
    give_point(joint, "at", 0, v3_of(0, 0, 0));
    v3_store(give(joint, NULL, "axis"), v3_of(0, 0, 1));
    return joint;
}

static void limits_push_back_and_never_pull(void **state)
{
    (void)state;
    const double k = 100, c = 3;
    bench b;
    nt_element *joint = slider(&b);
    *(double *)give(joint, "limits", "upper") = 1;
    *(double *)give(joint, "limits", "lower") = -1;
    *(double *)give(joint, "limits", "stiffness") = k;
    *(double *)give(joint, "limits", "damping") = c;
    bench_build(&b);
    assert_true(slider_force(&b, 0.999, 50) == 0);
    assert_true(slider_force(&b, -0.999, -50) == 0);
    assert_close(slider_force(&b, 1.1, 0), -k * 0.1, 1e-12);
    assert_close(slider_force(&b, -1.2, 0), k * 0.2, 1e-12);
    /* k g + c g' where the damper is weak: the error is of second order in c g' / (k g) */
    assert_close(slider_force(&b, 1.1, 1e-4), -(k * 0.1 + c * 1e-4), 1e-12);
    for (int i = 0; i < 1000; i++) {
        double g = uniform(0, 0.3), rate = uniform(-50, 50);
        double upper = slider_force(&b, 1 + g, rate), lower = slider_force(&b, -1 - g, -rate);
        assert_true(upper <= 0 && upper >= -2 * k * g - 1e-12);
        assert_close(lower, -upper, 1e-12);
    }
    /* no jump at the onset: at a penetration of 1e-9 at most 2 k g */
    assert_close(slider_force(&b, 1 + 1e-9, 50), 0, 1e-6);
    bench_free(&b);
}

static void friction_opposes_the_rate(void **state)
{
    (void)state;
    bench b;
    nt_element *joint = slider(&b);
    *(double *)give(joint, "friction", "dry") = 2;
    *(double *)give(joint, "friction", "viscous") = 0.5;
    bench_build(&b);
    assert_true(slider_force(&b, 0, 0) == 0);
    /* slip is 1e-3 m/s: at 1 m/s the dry part is 2 to 1e-6, at 1e-3 m/s 2 / sqrt(2) */
    assert_close(slider_force(&b, 0, 1), -2.5, 2e-6);
    assert_close(slider_force(&b, 0, -1), 2.5, 2e-6);
    assert_close(slider_force(&b, 0, 1e-3), -(sqrt(2) + 0.5e-3), 1e-12);
    bench_free(&b);
}

static void reactions_of_friction_are_the_force_on_the_second_body(void **state)
{
    (void)state;
    bench b;
    nt_element *joint = slider(&b);
    *(double *)give(joint, "friction", "viscous") = 0.5;
    bench_build(&b);
    v3_store(b.v, v3_of(0, 0, 3));
    nt_motion motion[N_BODIES];
    nt_point at = {.q = b.q, .v = b.v, .memory = b.memory};
    nt_view view = {
        .run = &b.run, .model = &b.model, .motion = motion, .bodies = b.bodies, .at = &at};
    v3 force = {1, 1, 1}, torque = {1, 1, 1};
    find_motion(&b, b.q, b.v, motion);
    nt_joint_load_reaction(joint, &view, &force, &torque);
    double f[3], m[3];
    v3_store(f, force), v3_store(m, torque);
    assert_vector(f, 1, 1, 1 - 1.5); /* added */
    assert_vector(m, 1, 1, 1);
    bench_free(&b);
}

/* ---- refused and without a value ------------------------------------------------------------ */

static void places_without_a_value_are_reported(void **state)
{
    (void)state;
    double r[NV];
    bench b;

    bench_init_plain(&b); /* a spring of no length */
    nt_element *spring = add_element(&b, "forces", "spring", "s");
    give_between(spring, 1, 2);
    give_point(spring, "at", 0, v3_of(0, 0, 0));
    give_point(spring, "at", 1, v3_of(1, 0, 0));
    give_number(spring, "stiffness", 1);
    bench_build(&b);
    v3_store(b.q + 7, v3_of(-1, 0, 0));
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_NOT_FINITE);
    v3_store(b.q + 7, v3_of(-0.5, 0, 0));
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    bench_free(&b);

    bench_init_plain(&b); /* a bushing turned by 3.12 rad */
    nt_element *bushing = add_element(&b, "forces", "bushing", "k");
    give_between(bushing, 1, 2);
    give_point(bushing, "at", 0, v3_of(0, 0, 0));
    bench_build(&b);
    quat_store(b.q + 10, (quat){cos(1.56), sin(1.56), 0, 0});
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_NOT_FINITE);
    quat_store(b.q + 10, (quat){cos(1.54), sin(1.54), 0, 0});
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_OK);
    bench_free(&b);

    bench_init_plain(&b); /* a function outside its domain */
    static const char *const value[3] = {"0", "sqrt(first.position.x)", "0"};
    nt_element *force = add_element(&b, "forces", "force", "f");
    *(int *)give(force, NULL, "on") = 1;
    give_vector(&b, force, value);
    bench_build(&b);
    b.q[0] = -1;
    assert_int_equal(look(&b, b.q, b.v, r, false, NULL), NT_NOT_FINITE);
    bench_free(&b);
}

static void expect_refusal(bench *b, nt_element *element, const char *words)
{
    nt_error error = {0};
    assert_int_equal(element->type->prepare(&b->run, element, true, &error), NT_BAD_MODEL);
    assert_string_equal(error.file, "test.yaml");
    assert_int_equal(error.line, 12);
    assert_int_equal(error.column, 3);
    assert_string_equal(error.message, words);
    assert_int_equal(element->type->prepare(&b->run, element, false, &error), NT_OK);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    nt_element *spring = add_element(&b, "forces", "spring", "s");
    give_between(spring, 1, 2);
    give_point(spring, "at", 0, v3_of(0, 0, 0));
    nt_place_of_point *at = give(spring, NULL, "at");
    at[1].marker = 0;
    expect_refusal(&b, spring, "spring s: marker tip is on first, expected one on second");
    give_between(spring, 1, 1);
    expect_refusal(&b, spring, "spring s: it joins first to itself");
    give_between(spring, 2, 1);
    give_number(spring, "length", -1);
    expect_refusal(&b, spring, "spring s: length -1 is negative");
    give_number(spring, "damping", -2);
    expect_refusal(&b, spring, "spring s: damping -2 is negative");
    bench_free(&b);

    bench_init_plain(&b);
    spring = add_element(&b, "forces", "spring", "s");
    give_between(spring, 1, 2);
    give_point(spring, "at", 0, v3_of(1, 0, 0));
    give_point(spring, "at", 1, v3_of(1, 0, 0));
    expect_refusal(&b, spring,
                   "spring s: its ends are at the same place, expected two places or a "
                   "length");
    bench_free(&b);

    bench_init(&b);
    nt_element *joint = add_joint(&b, "prismatic", 0, 1);
    nt_error error = {0};
    assert_int_equal(joint->type->prepare(&b.run, joint, true, &error), NT_OK);
    nt_element *motor = add_element(&b, "forces", "joint_torque", "m");
    *(int *)give(motor, NULL, "joint") = 0;
    expect_refusal(&b, motor,
                   "joint_torque m: joint hinge is prismatic, expected one with a free angle");
    nt_element *force = add_element(&b, "forces", "force", "f");
    *(int *)give(force, NULL, "on") = 0;
    expect_refusal(&b, force, "force f: it acts on the ground, expected a body");
    bench_free(&b);
}

static void limits_and_friction_are_checked(void **state)
{
    (void)state;
    static const struct {
        double dry, slip, stiffness, damping, lower, upper;
        const char *words;
    } cases[] = {
        {1, 1, 1, 1, 0, 1, NULL},
        {-1, 1, 1, 1, 0, 1, "prismatic slider: friction is negative"},
        {1, 0, 1, 1, 0, 1, "prismatic slider: slip is 0, expected a positive rate"},
        {1, 1, 0, 1, 0, 1,
         "prismatic slider: limits have the stiffness 0, expected a positive number"},
        {1, 1, 1, -1, 0, 1, "prismatic slider: limits have the negative damping -1"},
        {1, 1, 1, 1, 2, 1, "prismatic slider: lower limit 2 is not below upper 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        nt_error error = {0};
        nt_element *joint = slider(&b);
        *(double *)give(joint, "friction", "dry") = cases[i].dry;
        *(double *)give(joint, "friction", "slip") = cases[i].slip;
        *(double *)give(joint, "limits", "stiffness") = cases[i].stiffness;
        *(double *)give(joint, "limits", "damping") = cases[i].damping;
        *(double *)give(joint, "limits", "lower") = cases[i].lower;
        *(double *)give(joint, "limits", "upper") = cases[i].upper;
        nt_status status = nt_joint_load_check(&b.run, joint, &error);
        assert_int_equal(status, cases[i].words ? NT_BAD_MODEL : NT_OK);
        if (cases[i].words)
            assert_string_equal(error.message, cases[i].words);
        bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_pulls_its_ends_together),
        cmocka_unit_test(forces_act_where_and_along_what_the_model_says),
        cmocka_unit_test(a_bushing_resists_in_axes_that_turn_with_its_first_body),
        cmocka_unit_test(a_motor_turns_its_second_body_forward),
        cmocka_unit_test(springs_end_at_points_of_the_ground_and_at_markers),
        cmocka_unit_test(springs_and_bushings_are_relaxed_where_they_are_given),
        cmocka_unit_test(forces_act_at_the_origin_a_point_or_a_marker),
        cmocka_unit_test(limits_push_back_and_never_pull),
        cmocka_unit_test(friction_opposes_the_rate),
        cmocka_unit_test(reactions_of_friction_are_the_force_on_the_second_body),
        cmocka_unit_test(places_without_a_value_are_reported),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(limits_and_friction_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
