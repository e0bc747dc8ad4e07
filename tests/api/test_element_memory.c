/* What an element remembers at the start follows the parameters of its numbers: a law outside of
 * the library that pulls with what it remembers, m = max(m, s L^2), L the distance of its bodies.
 * They come closer, so that m stays what it was at the start and the motion follows s by that
 * alone. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct strap {
    unsigned given;
    int between[2];
    double strength;
} strap;

static const nt_key strap_keys[] = {
    {.name = "between", .type = NT_KEY_BODIES, .offset = offsetof(strap, between), .bit = 0},
    {.name = "strength", .type = NT_KEY_NUMBER, .offset = offsetof(strap, strength), .bit = 1},
    {.name = NULL},
};

static nt_status strap_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    (void)run, (void)element, (void)validate, (void)error;
    return NT_OK;
}

static nt_status strap_pull(const nt_element *e, const nt_view *view, const nt_motion *a,
                            const nt_motion *b, nt_pair_force *out)
{
    nt_v3 d = {b->x.x - a->x.x, b->x.y - a->x.y, b->x.z - a->x.z};
    double m = nt_view_memory(e, view, 0), length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    m /= length;
    memset(out, 0, sizeof *out);
    out->force[0] = (nt_v3){m * d.x, m * d.y, m * d.z};
    out->force[1] = (nt_v3){-m * d.x, -m * d.y, -m * d.z};
    return NT_OK;
}

static nt_status strap_evaluate(const nt_element *e, const nt_view *view)
{
    return nt_element_add_pair(e, view, strap_pull);
}

static void strap_accept(const nt_element *e, const nt_view *view, double *next)
{
    const strap *s = nt_element_data_in(view->run, e);
    nt_v3 a = view->motion[e->a].x, b = view->motion[e->b].x;
    double squared = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    next[0] = fmax(nt_view_memory(e, view, 0), s->strength * squared);
}

static const nt_element_type strap_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "strap",
    .summary = "pulls with what it has remembered",
    .keys = strap_keys,
    .size = sizeof(strap),
    .part = NT_EXPLICIT,
    .prepare = strap_prepare,
    .declare = nt_element_couple_pair,
    .evaluate = strap_evaluate,
    .n_memory = 1,
    .accept = strap_accept,
    .memory = NT_MEMORY_VARIES,
};

static const char text[] =
    "nutate: 1\n"
    "parameters: {s: 0.4}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [1, 1, 1], velocity: [0.5, 0.3, 0]}\n"
    "  two: {mass: 2, inertia: [1, 1, 1], position: [1, 0.3, 0], velocity: [-0.5, 0, 0]}\n"
    "forces: {pull: {type: strap, between: [one, two], strength: s}}\n"
    "simulation: {duration: 0.3, step: 1e-2, energy_check: false}\n";

static const double END = 0.3, S = 0.4;

/* The place of body one at the end, and unless derivative is NULL its derivative in s. */
static double strap_place(nt_run *run, double s, double *derivative)
{
    nt_error error = {0};
    nt_integrator_setup setup;
    nt_integrator *it;
    nt_sensitivity *sensitivity = NULL;
    int k = 0;
    assert_int_equal(nt_model_set(run, "s", s, &error), NT_OK);
    assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    if (derivative) {
        assert_int_equal(nt_sensitivity_create(&sensitivity, it, &k, 1, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    }
    assert_int_equal(nt_integrator_run(it, END, 1e-2, NULL, NULL, &error), NT_OK);
    double place = nt_integrator_state(it).q[0];
    if (derivative)
        *derivative = nt_sensitivity_state(sensitivity, 0).q[0];
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(it);
    return place;
}

static void what_is_remembered_at_the_start_has_a_derivative(void **state)
{
    (void)state;
    nt_error error = {0};
    nt_model *model;
    nt_run *run;
    double q[14], v[12], memory[1], dq[12], dv[12], dmemory[1] = {0}, derivative;
    const double squared = 1 + 0.3 * 0.3, h = 1e-3;
    assert_int_equal(nt_element_type_add(&strap_type, &error), NT_OK);
    assert_int_equal(nt_model_read_text(&model, text, strlen(text), "strap", NULL, NULL, 0, &error),
                     NT_OK);
    assert_int_equal(nt_run_create(&run, model, &error), NT_OK);
    const int s = 0;
    assert_int_equal(nt_run_prepare_parameters(run, &s, 1, &error), NT_OK);
    nt_run_initial(run, q, v, memory);
    assert_true(fabs(memory[0] - S * squared) < 1e-15);
    assert_int_equal(nt_run_initial_tangent(run, 0, dq, dv, dmemory, &error), NT_OK);
    assert_true(fabs(dmemory[0] - squared) < 1e-12);
    strap_place(run, S, &derivative);
    double difference = (strap_place(run, S + h, NULL) - strap_place(run, S - h, NULL)) / (2 * h);
    assert_true(fabs(difference) > 0.01);
    assert_true(fabs(derivative - difference) < 1e-7 * fabs(difference));
    nt_run_destroy(run);
    nt_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_remembered_at_the_start_has_a_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
