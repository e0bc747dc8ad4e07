/* Stops: what functions of time and of the motion switch, in runs of models, against exact motions.
 */
#include "tests/model/mechanism.h"

#include <nutate/method.h>

/* A point of 2 kg. Along x: 1000 N for 1 ms, and 3 N from 1.2345 s on; along y a saw-tooth; along z
 * -0.5 N until x passes 0.2 m, then 1 N. */
static const char text[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 2, point: true}}\n"
    "forces:\n"
    "  kick: {type: force, on: b, value: ['if(t > 0.5 and t < 0.501, 1000, 0) + 3*heaviside(t - "
    "1.2345)', 'mod(t, 0.3)', 'if(b.position.x > 0.2, 1, -0.5)']}\n"
    "simulation: {duration: 2, step: 0.01}\n";

static const double END = 2;

static void exact_end(double q[3], double v[3])
{
    const double t1 = 0.501, v1 = 0.5, x1 = 0.5 * v1 * 0.001, t2 = 1.2345;
    v[0] = v1 + 1.5 * (END - t2);
    q[0] = x1 + v1 * (END - t1) + 0.75 * (END - t2) * (END - t2);
    q[1] = v[1] = 0;
    for (double t = 0; t < END - 1e-9; t += 0.3) {
        double d = fmin(0.3, END - t);
        q[1] += v[1] * d + d * d * d / 12;
        v[1] += d * d / 4;
    }
    double tc = t1 + (0.2 - x1) / v1, d = END - tc;
    q[2] = -0.125 * tc * tc - 0.25 * tc * d + 0.25 * d * d;
    v[2] = -0.25 * tc + 0.5 * d;
}

static nt_integrator *begin_run(mechanism *m, const char *method, double tolerance)
{
    nt_error error = {0};
    nt_integrator *it;
    nt_integrator_setup setup = {.system = nt_run_system(m->run), .method = nt_method_find(method)};
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    return it;
}

/* The saw-tooth is a cubic: methods of second order miss it by h^2. Along x and z accelerations are
 * constant between stops, and every method is exact but for tolerances. */
static void no_jump_is_stepped_over(void **state)
{
    static const struct {
        const char *method;
        double tolerance, off, saw;
    } cases[] = {
        {"generalized-alpha", 0, 1e-13, 1e-4},
        {"generalized-alpha-soi2", 0, 1e-13, 1e-4},
        {"stormer-verlet", 0, 1e-13, 1e-4},
        {"semi-explicit", 0, 1e-13, 1e-4},
        {"rkmk-dopri5", 0, 1e-13, 1e-13},
        {"rkmk-dop853", 0, 1e-13, 1e-13},
        {"rkmk-dop853", 1e-10, 1e-12, 1e-12},
        {"bdf", 1e-9, 1e-6, 1e-6},
        {"generalized-alpha-soi2", 1e-6, 1e-12, 1e-4},
    };
    (void)state;
    double q[3], v[3];
    exact_end(q, v);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(text);
        nt_integrator *it = begin_run(&m, cases[c].method, cases[c].tolerance);
        nt_error error = {0};
        for (int part = 1; part <= 4; part++)
            assert_int_equal(nt_integrator_run(it, 0.5 * part, 0.01, NULL, NULL, &error), NT_OK);
        nt_state end = nt_integrator_state(it);
        for (int i = 0; i < 3; i++) {
            double off = i == 1 ? cases[c].saw : cases[c].off;
            CLOSE(end.q[i], q[i], off);
            CLOSE(end.v[i], v[i], off);
        }
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A state saved between two stops goes on with the same bits. */
static void saved_between_stops(void **state)
{
    (void)state;
    mechanism m = mechanism_read(text), other = mechanism_read(text);
    nt_integrator *it = begin_run(&m, "generalized-alpha-soi2", 0);
    nt_integrator *again = begin_run(&other, "generalized-alpha-soi2", 0);
    nt_error error = {0};
    assert_int_equal(nt_integrator_run(it, 0.7, 0.01, NULL, NULL, &error), NT_OK);
    assert_true(nt_integrator_saves_whole(it));
    size_t size = nt_integrator_saved_size(it);
    void *bytes = malloc(size), *ends[2] = {malloc(size), malloc(size)};
    nt_integrator_save(it, bytes);
    assert_int_equal(nt_integrator_restore(again, bytes, size, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, END, 0.01, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_integrator_run(again, END, 0.01, NULL, NULL, &error), NT_OK);
    nt_integrator_save(it, ends[0]);
    nt_integrator_save(again, ends[1]);
    assert_memory_equal(ends[0], ends[1], size);
    free(bytes), free(ends[0]), free(ends[1]);
    nt_integrator_destroy(it);
    nt_integrator_destroy(again);
    mechanism_close(&m);
    mechanism_close(&other);
}

/* A push that the reaction to it switches off from 0.5 s on, and its absence on again, has no
 * value between that holds: words instead of an endless loop. */
static void what_never_settles_is_told(void **state)
{
    static const char pushed[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  push: {type: force, on: b, value: ['0', '0', 'if(rail.force.z + 17 - 16*t > 0, 9, "
        "-9)']}\n"
        "simulation: {duration: 2, step: 0.01}\n";
    (void)state;
    mechanism m = mechanism_read(pushed);
    nt_integrator *it = begin_run(&m, "rkmk-dop853", 0);
    nt_error error = {0};
    assert_int_equal(nt_integrator_run(it, END, 0.01, NULL, NULL, &error), NT_NOT_CONVERGED);
    assert_non_null(strstr(error.message, "at t = 0.5 s 'value'"));
    assert_non_null(strstr(error.message, "expected `friction` with `slip`"));
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* x = cos t is beyond -0.999 for 0.09 s around its turn, less than lies between two samples of a
 * step, and pushes from there on; what only touches its zero does nothing. */
static void what_passes_zero_twice_is_seen(void **state)
{
    static const char turns[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  b: {mass: 1, point: true, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
        "forces:\n"
        "  pull: {type: force, on: b, value: [-b.position.x, 0, 'if(b.position.x < -0.999, 1, "
        "0)']}\n"
        "events:\n"
        "  there: {when: 'b.position.x + 0.9995', then: [{stop: true}]}\n"
        "  touches: {when: '(b.position.y - 1.71)^2', then: [{stop: true}]}\n"
        "simulation: {duration: 6, step: 0.5}\n";
    static const struct {
        const char *method;
        double tolerance, step, off;
    } cases[] = {
        {"rkmk-dop853", 1e-8, 0.5, 1e-6},         {"rkmk-dop853", 0, 0.5, 1e-5},
        {"rkmk-dopri5", 1e-7, 0.5, 1e-4},         {"bdf", 1e-7, 0.5, 1e-4},
        {"generalized-alpha", 0, 0.2, 0.02},      {"generalized-alpha-soi2", 1e-6, 0.1, 1e-3},
        {"generalized-alpha-soi2", 0, 0.2, 0.02}, {"semi-explicit-2", 1e-6, 0.1, 1e-3},
        {"stormer-verlet", 0, 0.2, 0.02},
    };
    (void)state;
    const double turn = acos(-1.0), pushed = acos(0.999) - acos(0.9995);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(turns);
        nt_integrator *it = begin_run(&m, cases[c].method, cases[c].tolerance);
        nt_error error = {0};
        assert_int_equal(nt_integrator_run(it, 6, cases[c].step, NULL, NULL, &error), NT_OK);
        nt_state end = nt_integrator_state(it);
        assert_int_equal(nt_integrator_ended_by(it), 0);
        CLOSE(end.t, turn - acos(0.9995), cases[c].off);
        CLOSE(end.v[2], pushed, cases[c].off);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* Behind each stop a state is saved, and at one of them the run is stopped. */
typedef struct behind {
    char *bytes[16];
    double t[16];
    int n, stop_at;
} behind;

static int save_behind(void *context, const nt_integrator *it)
{
    behind *b = context;
    assert_true(b->n < 16);
    assert_true(nt_integrator_saves_whole(it));
    b->t[b->n] = nt_integrator_state(it).t;
    b->bytes[b->n] = malloc(nt_integrator_saved_size(it));
    assert_non_null(b->bytes[b->n]);
    nt_integrator_save(it, b->bytes[b->n]);
    return ++b->n == b->stop_at;
}

static int none_is_whole(void *context, const nt_integrator *it)
{
    int *steps = context;
    assert_false(nt_integrator_saves_whole(it));
    ++*steps;
    return 0;
}

/* bdf begins anew behind a stop: the state there is whole, though none at the end of a step is. */
static void bdf_goes_on_from_behind_stops(void **state)
{
    static const double stops[] = {0.3, 0.5, 0.501, 0.6, 0.9, 0.9005, 1.2, 1.2345, 1.5, 1.8};
    enum { STOPS = sizeof stops / sizeof *stops };
    (void)state;
    mechanism m = mechanism_read(text), other = mechanism_read(text);
    nt_integrator *it = begin_run(&m, "bdf", 1e-7), *again = begin_run(&other, "bdf", 1e-7);
    nt_error error = {0};
    behind b = {0}, cut = {.stop_at = 4};
    int steps = 0;
    size_t size = nt_integrator_saved_size(it);
    char *ends[2] = {malloc(size), malloc(size)};
    nt_integrator_observe_behind(it, save_behind, &b);
    assert_int_equal(nt_integrator_run(it, END, 0.01, none_is_whole, &steps, &error), NT_OK);
    assert_true(steps > STOPS);
    assert_int_equal(b.n, STOPS);
    nt_integrator_save(it, ends[0]);
    for (int i = 0; i < STOPS; i++) {
        CLOSE(b.t[i], stops[i], 1e-6);
        assert_int_equal(nt_integrator_restore(again, b.bytes[i], size, &error), NT_OK);
        assert_int_equal(nt_integrator_run(again, END, 0.01, NULL, NULL, &error), NT_OK);
        nt_integrator_save(again, ends[1]);
        assert_memory_equal(ends[0], ends[1], size);
    }
    assert_int_equal(nt_integrator_start(again, 0, NULL, NULL, NULL, &error), NT_OK);
    nt_integrator_observe_behind(again, save_behind, &cut);
    assert_int_equal(nt_integrator_run(again, END, 0.01, NULL, NULL, &error), NT_INTERRUPTED);
    assert_true(nt_integrator_state(again).t == b.t[3]);
    for (int i = 0; i < b.n; i++)
        free(b.bytes[i]);
    for (int i = 0; i < cut.n; i++)
        free(cut.bytes[i]);
    free(ends[0]), free(ends[1]);
    nt_integrator_destroy(it);
    nt_integrator_destroy(again);
    mechanism_close(&m);
    mechanism_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_jump_is_stepped_over),
        cmocka_unit_test(saved_between_stops),
        cmocka_unit_test(bdf_goes_on_from_behind_stops),
        cmocka_unit_test(what_never_settles_is_told),
        cmocka_unit_test(what_passes_zero_twice_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
