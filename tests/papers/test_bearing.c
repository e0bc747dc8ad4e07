/* Modin, Fritzson & Fuehrer 2007, figure 6: the ball bearing. Expected loads, angles and speeds by
 * quasi-static equilibrium with Hertz's contacts, computed by an independent program. */
#include "rerun.h"

#include "papers/modin/bearing.h"

/* Loaded but not turning: contact angle, load, axial displacement. The stiffnesses have seven
 * digits. */
static void start(void **state)
{
    (void)state;
    double q[NT_BEARING_NQ], v[NT_BEARING_NV];
    nt_bearing_start(q, v);
    nt_bearing_look look = nt_bearing_at(q, v);
    CLOSE(look.outer_angle * 180 / 3.14159265358979, 16.607595, 1e-5);
    CLOSE(look.inner_angle * 180 / 3.14159265358979, 16.607595, 1e-5);
    /* pure rolling: nothing approaches, so that there is no damping in these */
    CLOSE(look.outer, 388.751314, 1e-4);
    CLOSE(look.inner, 388.751314, 1e-4);
    CLOSE(look.axial, 50.622388e-6, 1e-11);
}

/* The check's step of 1e-7 m is a fiftieth of the indentation: of delta^1.5 its differences are off
 * by 2e-5, relatively. */
static void tangent(void **state)
{
    (void)state;
    double q[NT_BEARING_NQ], v[NT_BEARING_NV], a[NT_BEARING_NV], difference;
    nt_bearing bearing;
    nt_error error;
    assert_int_equal(nt_bearing_init(&bearing), NT_OK);
    nt_bearing_start(q, v);
    for (int i = 0; i < NT_BEARING_NV; i++) {
        a[i] = cos(i);
        v[i] *= 1 + 0.01 * sin(i);
    }
    q[7 * 2 + 1] += 2e-4; /* ball 1 along its orbit, into the side of its pocket */
    nt_point at = {.q = q, .v = v, .vdot = a};
    assert_true(nt_bearing_at(q, v).pocket > 10);
    if (nt_system_check_tangent(&bearing.system, &at, 1e-7, &difference, &error) != NT_OK)
        fail_msg("%s", error.message);
    CLOSE(difference, 0, 5e-5);
    nt_bearing_free(&bearing);
}

static void figure_6(void **state)
{
    (void)state;
    nt_paper_report report = rerun("modin", "figure-6");
    assert_int_equal(rows_of(&report, "figure-6"), 601);
    assert_int_equal(rows_of(&report, "figure-6-bdf"), 601);
    double most = 0;
    for (int i = 0; i <= 600; i++) {
        /* The semi-explicit method's own errors, of first order where forces depend on velocities:
         * seen are 0.68 N, 0.093 N and 0.037 rad/s, and a quarter of them with a quarter of the
         * step. */
        double force = at(&report, "figure-6-bdf", i, "ball on outer ring");
        CLOSE(at(&report, "figure-6", i, "ball on outer ring"), force, 0.8);
        double push = at(&report, "figure-6-bdf", i, "ball on cage");
        CLOSE(at(&report, "figure-6", i, "ball on cage"), push, 0.12);
        CLOSE(at(&report, "figure-6", i, "cage"), at(&report, "figure-6-bdf", i, "cage"), 0.05);
        most = fmax(most, push);
    }
    assert_true(most > 20 && at(&report, "figure-6-bdf", 0, "ball on cage") == 0);

    /* rows: bdf, semi-explicit. One evaluation per step and one at the start */
    assert_true(at(&report, "bearing-cost", 1, "evaluations of A") == 601);
    assert_true(at(&report, "bearing-cost", 1, "tangents") == 0);
    double ratio = at(&report, "bearing-cost", 0, "with 12 per tangent") / 601;
    assert_true(ratio > 1.5 && ratio < 4);                         /* 2.6 in the paper */
    assert_true(at(&report, "bearing-cost", 0, "tangents") <= 10); /* kept from step to step */
    /* as papers/modin/README.md says; BDF's number hangs on rounding a little */
    CLOSE(at(&report, "bearing-cost", 0, "with 12 per tangent"), 1085, 60);

    for (int i = 0; i < 4; i++)
        CLOSE(at(&report, "bearing-steady", i, "relative difference"), 0, 0.02);
    CLOSE(at(&report, "bearing-steady", 4, "relative difference"), 0, 0.005);
    nt_paper_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start),
        cmocka_unit_test(tangent),
        cmocka_unit_test(figure_6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
