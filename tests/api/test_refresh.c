/* nt_integrator_refresh: what the integrator holds after a load has jumped is what a new integrator
 * would begin with at the same place. */
#include "api/runs.h"

#include <math.h>

/* Accelerations and reactions come from one solve of the same equations, begun from other guesses:
 * they agree to the rounding of that solve. Relative to the largest of them. */
static const double SOLVED = 1e-12;

static void assert_near(const double *a, const double *b, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < n; i++)
        assert_true(fabs(a[i] - b[i]) <= SOLVED * size);
}

static void gravity_jumps(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r, fresh;
        nt_error error = {0};
        begin_top(&r, NULL, 0, frame);
        advance(&r, 50, 1e-3);
        nt_state now = nt_integrator_state(r.integrator);
        double q[7], v[6], vdot_before[6], t = now.t;
        memcpy(q, now.q, sizeof q);
        memcpy(v, now.v, sizeof v);
        memcpy(vdot_before, now.vdot, sizeof vdot_before);

        r.top.gravity = (v3){30, 0, 5};
        must(nt_integrator_refresh(r.integrator, &error), &error);
        now = nt_integrator_state(r.integrator);
        assert_true(now.t == t);
        assert_memory_equal(now.q, q, sizeof q);
        assert_true(nt_integrator_statistics(r.integrator)->steps == 50);
        for (int i = 0; i < 6; i++) /* turned into the method's frame and back at most */
            assert_true(fabs(now.v[i] - v[i]) <= 1e-13 * 150);
        assert_true(fabs(now.vdot[0] - vdot_before[0]) > 1);

        fresh = (run){.top = r.top};
        fresh.by_hand = top_system(&fresh.top, &fresh.block);
        /* steps leave a velocity drift: start where the constraint holds to the last bit of v */
        v3 w = v3_cross(v3_load(v + 3), fresh.top.X);
        v3_store(v, m3_apply(quat_matrix(quat_load(q + 3)), w));
        begin(&fresh, &fresh.by_hand, NULL, 0, frame, q, v, NULL);
        nt_state begun = nt_integrator_state(fresh.integrator);
        assert_near(now.vdot, begun.vdot, 6);
        assert_near(now.lambda, begun.lambda, 3);

        must(nt_integrator_dense(r.integrator, t - 3e-4, &now), &error); /* by the new loads */
        assert_true(fabs(now.q[0] - q[0]) < 3e-4 * 10 && now.q[0] != q[0]);
        advance(&r, 20, 1e-3); /* and it goes on */
        end(&r);
        end(&fresh);
    }
}

/* Rolling back over a jump: loads belong to the caller, the state does not hold them. Restored with
 * the old load, the same bits follow. */
static void rolled_back_over_a_jump(void **state)
{
    (void)state;
    run r;
    nt_error error = {0};
    begin_top(&r, NULL, 0, NT_INERTIAL);
    advance(&r, 20, 1e-3);
    size_t size = nt_integrator_saved_size(r.integrator);
    char *here = malloc(size), *first = malloc(size), *second = malloc(size);
    assert_non_null(here);
    assert_non_null(first);
    assert_non_null(second);
    nt_integrator_save(r.integrator, here);
    advance(&r, 10, 1e-3);
    nt_integrator_save(r.integrator, first);
    must(nt_integrator_restore(r.integrator, here, size, &error), &error);
    v3 gravity = r.top.gravity;
    r.top.gravity = (v3){30, 0, 5};
    must(nt_integrator_refresh(r.integrator, &error), &error);
    advance(&r, 10, 1e-3);
    nt_integrator_save(r.integrator, second);
    assert_memory_not_equal(first, second, size);
    r.top.gravity = gravity;
    must(nt_integrator_restore(r.integrator, here, size, &error), &error);
    advance(&r, 10, 1e-3);
    nt_integrator_save(r.integrator, second);
    assert_memory_equal(first, second, size);
    free(here);
    free(first);
    free(second);
    end(&r);
}

static void with_other_methods(void **state)
{
    static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853", "generalized-alpha-soi2"};
    for (int m = 0; m < COUNT(methods); m++) {
        run_method = methods[m];
        gravity_jumps(state);
        rolled_back_over_a_jump(state);
    }
    run_method = "generalized-alpha";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_jumps),
        cmocka_unit_test(rolled_back_over_a_jump),
        cmocka_unit_test(with_other_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
