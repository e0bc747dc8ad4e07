/* Saving and restoring, bit for bit: save, go on, restore, go on, and the same bits follow, in the
 * same integrator and in another one. All comparisons are of bytes: no tolerance anywhere. A saved
 * state holds time, the state and the one before it, memory, statistics and the driver's counters,
 * so equal bytes say that all of these are equal. */
#include "api/runs.h"

#include <math.h>

typedef struct bytes {
    size_t size;
    void *data;
} bytes;

static bytes save(const run *r)
{
    bytes b = {.size = nt_integrator_saved_size(r->integrator)};
    b.data = malloc(b.size);
    assert_non_null(b.data);
    nt_integrator_save(r->integrator, b.data);
    return b;
}

static void restore(run *r, bytes b)
{
    nt_error error = {0};
    must(nt_integrator_restore(r->integrator, b.data, b.size, &error), &error);
}

static void assert_same(bytes a, bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

/* Save after `before` steps, take `after` more, twice from there in the same integrator and once in
 * a fresh one: three times the same bytes. */
static void check_runs(run *r, run *fresh, int before, int after, double h)
{
    advance(r, before, h);
    bytes here = save(r);
    advance(r, after, h);
    bytes there = save(r);
    restore(r, here);
    bytes again = save(r);
    assert_same(here, again);
    advance(r, after, h);
    bytes second = save(r);
    assert_same(there, second);
    restore(fresh, here);
    advance(fresh, after, h);
    bytes third = save(fresh);
    assert_same(there, third);
    bytes all[] = {here, there, again, second, third};
    for (int i = 0; i < COUNT(all); i++)
        free(all[i].data);
    end(r);
    end(fresh);
}

static const nt_option plain[] = {{"rho_inf", "0.8"}};

static void top_in_both_frames(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r, fresh;
        begin_top(&r, plain, COUNT(plain), frame);
        begin_top(&fresh, plain, COUNT(plain), frame);
        check_runs(&r, &fresh, 17, 40, 1e-3);
    }
}

/* An integrator that has already been elsewhere takes a state as well as a fresh one. */
static void into_a_used_integrator(void **state)
{
    (void)state;
    run r, used;
    begin_top(&r, plain, COUNT(plain), NT_INERTIAL);
    begin_top(&used, plain, COUNT(plain), NT_INERTIAL);
    advance(&used, 31, 2.3e-3);
    check_runs(&r, &used, 5, 20, 1e-3);
}

/* Three iterations are too few for steps of 0.02 s: they are halved and stay so for a while. */
static void with_halved_steps(void **state)
{
    (void)state;
    static const nt_option few[] = {{"max_iterations", "3"}};
    run r, fresh;
    begin_top(&r, few, COUNT(few), NT_INERTIAL);
    begin_top(&fresh, few, COUNT(few), NT_INERTIAL);
    advance(&r, 3, 0.02);
    const nt_statistics *statistics = nt_integrator_statistics(r.integrator);
    assert_true(statistics->rejected > 0);
    assert_true(nt_integrator_state(r.integrator).step < 0.02);
    check_runs(&r, &fresh, 1, 6, 0.02);
}

/* Two revolute joints that turn many times, a torque that depends on the turns, both frames. */
static void with_turn_counters(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r, fresh;
        begin_model(&r, crank_text, plain, COUNT(plain), frame);
        begin_model(&fresh, crank_text, plain, COUNT(plain), frame);
        assert_true(nt_run_system(r.run)->n_memory > 0);
        advance(&r, 400, 1e-3);
        bool counted = false;
        nt_state now = nt_integrator_state(r.integrator);
        for (int i = 0; i < nt_run_system(r.run)->n_memory; i++)
            counted |= now.memory[i] != 0;
        assert_true(counted);
        check_runs(&r, &fresh, 100, 300, 1e-3);
    }
}

/* Redundant rows: which of them are left out belongs to the state. */
static void with_redundant_rows(void **state)
{
    (void)state;
    run r, fresh;
    begin_model(&r, loop_text, plain, COUNT(plain), NT_INERTIAL);
    begin_model(&fresh, loop_text, plain, COUNT(plain), NT_INERTIAL);
    assert_int_equal(nt_integrator_redundant(r.integrator, NULL, 0), 3);
    check_runs(&r, &fresh, 50, 200, 1e-3);
}

/* Dense output inside the last step before the state was saved. */
static void dense_output_after_restoring(void **state)
{
    (void)state;
    run r, fresh;
    begin_top(&r, plain, COUNT(plain), NT_BODY);
    begin_top(&fresh, plain, COUNT(plain), NT_BODY);
    advance(&r, 12, 1e-3);
    bytes here = save(&r);
    nt_state a, b;
    must(nt_integrator_dense(r.integrator, 11.3e-3, &a), &(nt_error){0});
    restore(&fresh, here);
    must(nt_integrator_dense(fresh.integrator, 11.3e-3, &b), &(nt_error){0});
    assert_memory_equal(a.q, b.q, 7 * sizeof(double));
    assert_memory_equal(a.v, b.v, 6 * sizeof(double));
    free(here.data);
    end(&r);
    end(&fresh);
}

/* A kept tangent is no part of the state. Steps of 2^-13 s are equal to the bit, so it is kept. */
static void with_a_kept_tangent(void **state)
{
    (void)state;
    static const nt_option reuse[] = {{"reuse_tangent", "true"}};
    run r, fresh;
    begin_top(&r, reuse, COUNT(reuse), NT_INERTIAL);
    begin_top(&fresh, reuse, COUNT(reuse), NT_INERTIAL);
    advance(&r, 64, ldexp(1, -13));
    const nt_statistics *statistics = nt_integrator_statistics(r.integrator);
    assert_true(statistics->factorisations < statistics->steps);
    check_runs(&r, &fresh, 17, 40, ldexp(1, -13));
}

/* A beam that is shaken until factors last for a few steps only. Whether a step begins with its own
 * follows from how long those before it lasted, which belongs to the state: here one is saved after
 * each of 20 steps. */
static void with_factors_that_do_not_last(void **state)
{
    (void)state;
    static const char shaken[] =
        "nutate: 1\n"
        "beams:\n"
        "  b: {points: [[0, 0, 0], [1, 0, 0], [1, 0.8, 0.2], [2, 1, 0]], order: 3, elements: 3,\n"
        "      sections: [{stiffness: [1e5, 4e4, 4e4, 20, 25, 40],\n"
        "                  mass: [0.6, 0.6, 0.6, 0.01, 0.005, 0.005]}]}\n"
        "joints: {c1: {type: fixed, between: [ground, b.root], at: [0, 0, 0]},\n"
        "         c2: {type: fixed, between: [ground, b.tip], at: [2, 1, 0]}}\n"
        "forces: {k: {type: force, on: b.node4, value: [0, 60*sin(9*t), 80*sin(7*t)]}}\n";
    for (int before = 1; before <= 20; before++) {
        run r, fresh;
        begin_model(&r, shaken, plain, COUNT(plain), NT_INERTIAL);
        begin_model(&fresh, shaken, plain, COUNT(plain), NT_INERTIAL);
        advance(&r, 100, 2e-3);
        check_runs(&r, &fresh, before, 20, 2e-3);
    }
}

static void assert_refused(run *r, const void *data, size_t size, const char *words)
{
    nt_error error = {0};
    bytes before = save(r);
    assert_int_equal(nt_integrator_restore(r->integrator, data, size, &error), NT_INVALID);
    if (!strstr(error.message, words))
        fail_msg("message is '%s', expected '%s' in it", error.message, words);
    bytes after = save(r);
    assert_same(before, after); /* a refused state changes nothing */
    free(before.data);
    free(after.data);
}

static void foreign_states_are_refused(void **state)
{
    (void)state;
    run r, other, turned;
    begin_top(&r, plain, COUNT(plain), NT_INERTIAL);
    begin_top(&turned, plain, COUNT(plain), NT_BODY);
    begin_model(&other, crank_text, plain, COUNT(plain), NT_INERTIAL);
    advance(&r, 3, 1e-3);
    bytes mine = save(&r), foreign = save(&other), body = save(&turned);
    char words[64];
    snprintf(words, sizeof words, "expected %zu", mine.size);
    assert_refused(&r, foreign.data, foreign.size, "another system or frame");
    assert_refused(&r, mine.data, mine.size - 1, words);
    assert_refused(&r, mine.data, 0, "saved state has 0 bytes");
    assert_refused(&r, body.data, body.size, "another system or frame");
    char *junk = malloc(mine.size);
    assert_non_null(junk);
    memset(junk, 'x', mine.size);
    assert_refused(&r, junk, mine.size, "expected 'nutate");
    memcpy(junk, mine.data, mine.size);
    memcpy(junk + 8, "semi-explicit", 14); /* the method's name follows the eight bytes of magic */
    assert_refused(&r, junk, mine.size, "of method semi-explicit, expected generalized-alpha");
    free(junk);
    free(mine.data);
    free(foreign.data);
    free(body.data);
    end(&r);
    end(&other);
    end(&turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_in_both_frames),
        cmocka_unit_test(into_a_used_integrator),
        cmocka_unit_test(with_halved_steps),
        cmocka_unit_test(with_turn_counters),
        cmocka_unit_test(with_redundant_rows),
        cmocka_unit_test(dense_output_after_restoring),
        cmocka_unit_test(with_a_kept_tangent),
        cmocka_unit_test(with_factors_that_do_not_last),
        cmocka_unit_test(foreign_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
