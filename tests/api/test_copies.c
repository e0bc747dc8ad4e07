/* Copies of states and of their tangents: what the originals showed, whatever comes after. */
#include "runs.h"

#include <nutate/nutate.h>

enum { STEPS = 3, ROOM = 200 };
static const double H = 1e-2;

/* The arrays of a state or a tangent, one after the other; q has nq numbers or nv. */
static size_t put(double *out, const double *const arrays[6], const int sizes[6])
{
    size_t n = 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < sizes[i]; k++)
            out[n++] = arrays[i][k];
    return n;
}

static size_t state_numbers(const nt_system *s, const nt_state *x, double *out)
{
    const double *const arrays[6] = {x->q, x->v, x->vdot, x->lambda, x->mu, x->memory};
    const int sizes[6] = {s->space.nq, s->space.nv, s->space.nv, s->nh, s->nn, s->n_memory};
    size_t n = put(out, arrays, sizes);
    out[n++] = x->t, out[n++] = x->work, out[n++] = x->step;
    return n;
}

static size_t tangent_numbers(const nt_system *s, const nt_state_tangent *x, double *out)
{
    const double *const arrays[6] = {x->q, x->v, x->vdot, x->lambda, x->mu, x->memory};
    const int sizes[6] = {s->space.nv, s->space.nv, s->space.nv, s->nh, s->nn, s->n_memory};
    size_t n = put(out, arrays, sizes);
    out[n++] = x->work;
    return n;
}

/* The crank has rotations, multipliers and memory; in the body frame what is shown is turned. */
static void copies_outlive_steps(void **unused)
{
    (void)unused;
    for (int frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r;
        nt_error error = {0};
        const int parameter = 0;
        nt_sensitivity *sensitivity;
        begin_model(&r, crank_text, NULL, 0, (nt_frame)frame);
        const nt_system *s = nt_integrator_system(r.integrator);
        must(nt_sensitivity_create(&sensitivity, r.integrator, &parameter, 1, &error), &error);
        must(nt_sensitivity_start(sensitivity, &error), &error);
        advance(&r, STEPS, H);

        size_t room = nt_state_room(s);
        double numbers[2][ROOM], seen[2][ROOM], now[2][ROOM];
        assert_true(room > 0 && room < ROOM - 3);
        nt_state state = nt_integrator_state(r.integrator), copy;
        nt_state_tangent tangent = nt_sensitivity_state(sensitivity, 0), other;
        size_t n = state_numbers(s, &state, seen[0]), m = tangent_numbers(s, &tangent, seen[1]);
        numbers[0][room] = numbers[1][room] = 7;
        assert_int_equal(nt_state_copy(&copy, numbers[0], s, &state), NT_OK);
        assert_int_equal(nt_state_tangent_copy(&other, numbers[1], s, &tangent), NT_OK);
        assert_true(numbers[0][room] == 7 && numbers[1][room] == 7);
        assert_int_equal(nt_state_copy(&state, numbers[0], s, &state), NT_OK); /* in place */

        advance(&r, STEPS, H);
        assert_int_equal(nt_integrator_dense(r.integrator, (2 * STEPS - 0.5) * H, &state), NT_OK);
        state_numbers(s, &state, now[0]);
        assert_memory_not_equal(now[0], seen[0], n * sizeof(double));
        state_numbers(s, &copy, now[0]);
        tangent_numbers(s, &other, now[1]);
        assert_memory_equal(now[0], seen[0], n * sizeof(double));
        assert_memory_equal(now[1], seen[1], m * sizeof(double));
        nt_sensitivity_destroy(sensitivity);
        end(&r);
    }
}

/* Unknowns of first order have rates and no places: increments are more than q. */
static void tangents_with_states_have_room(void **unused)
{
    (void)unused;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {k: 2}\n"
        "bodies: {b: {mass: 1, point: true, position: [0, 0, 0]}}\n"
        "states: {first: {rate: 1 - k*first}, second: {rate: first - second}}\n"
        "simulation: {duration: 1, step: 0.01}\n";
    run r;
    nt_error error = {0};
    const int parameter = 0;
    nt_sensitivity *sensitivity;
    begin_model(&r, text, NULL, 0, NT_INERTIAL);
    const nt_system *s = nt_integrator_system(r.integrator);
    must(nt_sensitivity_create(&sensitivity, r.integrator, &parameter, 1, &error), &error);
    must(nt_sensitivity_start(sensitivity, &error), &error);
    advance(&r, STEPS, H);
    size_t room = nt_state_room(s);
    double numbers[ROOM], seen[2][ROOM];
    assert_true(s->space.nq < s->space.nv && room < ROOM - 5);
    for (size_t i = room; i < ROOM; i++)
        numbers[i] = 7;
    nt_state_tangent tangent = nt_sensitivity_state(sensitivity, 0), copy;
    size_t n = tangent_numbers(s, &tangent, seen[0]);
    assert_int_equal(nt_state_tangent_copy(&copy, numbers, s, &tangent), NT_OK);
    for (size_t i = room; i < ROOM; i++)
        assert_true(numbers[i] == 7);
    tangent_numbers(s, &copy, seen[1]);
    assert_memory_equal(seen[0], seen[1], n * sizeof(double));
    nt_sensitivity_destroy(sensitivity);
    end(&r);
}

/* A state written by hand may lack arrays. */
static void what_is_not_there_is_not_copied(void **unused)
{
    (void)unused;
    run r;
    double numbers[ROOM];
    begin_top(&r, NULL, 0, NT_INERTIAL);
    nt_state copy, state = {.t = 2, .q = top_q0};
    assert_int_equal(nt_state_copy(&copy, numbers, &r.by_hand, &state), NT_OK);
    assert_memory_equal(copy.q, top_q0, (size_t)r.by_hand.space.nq * sizeof(double));
    assert_true(copy.t == 2 && !copy.v && !copy.vdot && !copy.lambda && !copy.memory);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_outlive_steps),
        cmocka_unit_test(tangents_with_states_have_room),
        cmocka_unit_test(what_is_not_there_is_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
