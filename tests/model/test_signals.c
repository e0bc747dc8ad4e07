/* Signals: names and values. Their derivatives are in the tangents of test_loads.c. */
#include "model/load_bench.h"

/* ---- signals -------------------------------------------------------------------------------- */

static int signal_named(bench *b, const char *name)
{
    return nt_model_signal(&b->model, name, (int)strlen(name));
}

static void signals_are_found_by_name(void **state)
{
    (void)state;
    static const char *const good[] = {
        "first.position.x",     "first.velocity.z",         "turner.orientation.w",
        "second.orientation.z", "first.angular_velocity.y", "tip.position.y",
        "tip.velocity.x",       "hook.position.z",          "hinge.angle",
        "hinge.rate",           "rail.displacement",        "rail.displacement_rate",
        "ground.position.x",
    };
    static const char *const bad[] = {
        "",
        "first",
        "first.position",
        "first.position.w",
        "first.position.",
        "first.position.xy",
        "third.position.x",
        ".position.x",
        "tip.orientation.w",
        "hinge.displacement",
        "rail.angle",
        "hinge.velocity.x",
        "first.mass.x",
        "hinge.",
        "firs.position.x",
        "first.position.x.y",
        "hinge.angle.x",
    };
    enum { N_GOOD = sizeof good / sizeof good[0], N_BAD = sizeof bad / sizeof bad[0] };
    bench b;
    bench_init(&b);
    add_element(&b, "joints", "revolute", "hinge");
    add_element(&b, "joints", "prismatic", "rail");
    for (int i = 0; i < N_GOOD; i++)
        assert_int_equal(signal_named(&b, good[i]), i);
    for (int i = 0; i < N_GOOD; i++)
        assert_int_equal(signal_named(&b, good[i]), i);
    assert_int_equal(b.model.n_signals, N_GOOD);
    for (int i = 0; i < N_BAD; i++)
        assert_int_equal(signal_named(&b, bad[i]), -1);
    assert_int_equal(b.model.n_signals, N_GOOD);
    /* the rate of a slider is that of its displacement */
    assert_int_equal(signal_named(&b, "rail.rate"), signal_named(&b, "rail.displacement_rate"));
    /* names need not end */
    assert_int_equal(nt_model_signal(&b.model, "tip.position.yz", 14), 5);
    bench_free(&b);
}

static void signals_have_the_values_of_the_motion(void **state)
{
    (void)state;
    bench b;
    seed = 3;
    bench_init(&b);
    static const char *const names[] = {"first.position.x", "tip.velocity.y",
                                        "second.angular_velocity.z", "turner.orientation.y",
                                        "hook.position.y"};
    for (int i = 0; i < 5; i++)
        assert_int_equal(signal_named(&b, names[i]), i);
    bench_build(&b);
    random_state(&b, 1, 2);
    nt_motion motion[N_BODIES];
    nt_point at = {.q = b.q, .v = b.v};
    nt_view view = {
        .run = &b.run, .model = &b.model, .motion = motion, .bodies = b.bodies, .at = &at};
    find_motion(&b, b.q, b.v, motion);

    v3 origin = v3_sub(motion[1].x, m3_apply(motion[1].R, b.bodies[1].reference));
    v3 arm = m3_apply(motion[1].R, v3_sub(v3_load(b.markers[0].at), b.bodies[1].reference));
    v3 tip_velocity = v3_add(motion[1].v, v3_cross(motion[1].w, arm));
    double expected[] = {origin.x, tip_velocity.y, m3_apply_transposed(motion[2].R, motion[2].w).z,
                         b.q[16], b.markers[1].at[1]};
    for (int i = 0; i < 5; i++)
        assert_close(nt_signal_value(&b.model.signals[i], &view), expected[i], 1e-14);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_found_by_name),
        cmocka_unit_test(signals_have_the_values_of_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
