/* The derivative of a step in its length against differences of the step, for every method that has
 * a linearised step, on all problems that it takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sensitivity/step_length.h"

#include "tests/method/claims.h"
#include "tests/method/first_order.h"
#include "tests/read_run.h"

static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-14"},
                                  {"tolerance_angle", "1e-14"},
                                  {"tolerance_velocity", "1e-14"},
                                  {"tolerance_angular_velocity", "1e-14"},
                                  {"tolerance_force", "1e-12"},
                                  {"tolerance_moment", "1e-12"}};
enum { TIGHT = sizeof tight / sizeof *tight };

/* After one step of h and one of 1.3 h, so that steps of unequal size are among them. */
static const double SECOND = 1.3;

/* The end of a step less a state at rest: (dq, dv, dvdot, dlambda, method). */
enum { PARTS = 5, MOST = 64 };
static const char *const part_names[PARTS] = {"q", "v", "vdot", "multipliers", "memory"};

typedef struct ends {
    double part[PARTS][MOST];
    int n[PARTS];
} ends;

static ends end_of(const nt_integrator *it, const nt_phase *rest, size_t kept)
{
    const nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now;
    ends e = {.n = {p->nv, p->nv, p->nv, p->nc, (int)kept}};
    nt_space_difference(&p->space, p->frame, rest->q, now->q, e.part[0]);
    memcpy(e.part[1], now->v, (size_t)p->nv * sizeof(double));
    memcpy(e.part[2], now->vdot, (size_t)p->nv * sizeof(double));
    memcpy(e.part[3], now->lambda, (size_t)p->nc * sizeof(double));
    memcpy(e.part[4], now->method, kept * sizeof(double));
    return e;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The step from saved bytes, of length h. */
static void step_again(nt_integrator *it, const void *saved, size_t size, double h)
{
    nt_error error = {0};
    if (nt_integrator_restore(it, saved, size, &error) != NT_OK ||
        nt_integrator_step(it, h, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static void compare(nt_integrator *it, const char *method, const char *name, double h)
{
    static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    nt_error error = {0};
    size_t size = nt_integrator_saved_size(it);
    void *saved = malloc(size);
    assert_non_null(saved);
    nt_integrator_save(it, saved);
    nt_step_length *length;
    if (nt_step_length_create(&length, it, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    const nt_layout *layout = &it->layout;
    size_t kept = layout->variation > 0 ? layout->variation : layout->memory;
    kept = kept < (size_t)it->problem->nv ? 0 : kept; /* methods that keep nothing that varies */
    nt_variation d;
    step_again(it, saved, size, h);
    assert_int_equal(nt_step_length_tangent(length, &d), NT_OK);
    const double *tangent[PARTS] = {d.q, d.v, d.vdot, d.lambda, d.method};
    double *all = malloc(it->size * sizeof *all);
    assert_non_null(all);
    memcpy(all, it->stepper.now.all, it->size * sizeof *all);
    nt_phase rest = {.q = all + (it->stepper.now.q - it->stepper.now.all)};
    ends values = end_of(it, &rest, kept), sum = {0};
    for (int j = 0; j < 6; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        step_again(it, saved, size, h * (1 + sign * distance * 4e-3));
        ends e = end_of(it, &rest, kept);
        for (int k = 0; k < PARTS; k++)
            for (int i = 0; i < e.n[k]; i++)
                sum.part[k][i] += sign * weight[distance - 1] * e.part[k][i] / (4e-3 * h);
    }
    for (int k = 0; k < PARTS; k++) {
        double size_of =
            largest(sum.part[k], values.n[k]) + largest(values.part[k], values.n[k]) / h;
        for (int i = 0; i < values.n[k]; i++)
            if (!(fabs(tangent[k][i] - sum.part[k][i]) <= 1e-7 * size_of))
                fail_msg("%s, %s: %s %d is %.12g, by differences %.12g", method, name,
                         part_names[k], i, tangent[k][i], sum.part[k][i]);
    }
    free(all);
    free(saved);
    nt_step_length_destroy(length);
}

/* Whether there was something to compare. first: steps before it. */
static bool try_step(const row *line, const nt_system *system, const char *name, const double *q,
                     const double *v, double h, int first, nt_frame frame)
{
    nt_option options[TIGHT + 1];
    const nt_method *method = nt_method_find(line->method);
    int n = 0;
    if ((line->does & OWN_STEPS) || nt_method_check_system(method, system, NULL) != NT_OK ||
        !nt_method_is_linearised(method) || !(system->capabilities & NT_HAS_TANGENT))
        return false;
    if (line->option.name)
        options[n++] = line->option;
    for (int i = 0; i < TIGHT; i++)
        if (nt_method_check_option(method, &tight[i], NULL) == NT_OK)
            options[n++] = tight[i];
    nt_integrator_setup setup = {.system = system,
                                 .method = method,
                                 .options = options,
                                 .n_options = n,
                                 .frame = nt_method_has_frame(method, frame) ? frame : NT_BODY};
    nt_integrator *it = begin(&setup, q, v);
    nt_error error = {0};
    for (int i = 0; i < first; i++)
        if (nt_integrator_step(it, h * (1 - 0.1 * i), &error) != NT_OK)
            fail_msg("%s, %s: %s", line->method, name, error.message);
    compare(it, line->method, name, SECOND * h);
    nt_integrator_destroy(it);
    return true;
}

static void steps_are_differentiated_in_their_length(void **unused)
{
    (void)unused;
    int tried = 0;
    for (int frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        for (int i = 0; i < ROWS; i++) {
            for (int k = 0; k < PROBLEMS; k++) {
                const problem *p = &open_problems()[k];
                /* The disk by hand gives no derivatives of its rows' accelerations in q and v. The
                 * way back to the constraints is differentiated up to its square: less than a
                 * difference shows at half the step. */
                bool explicit = strncmp(rows[i].method, "rkmk", 4) == 0;
                if (k == DISK && explicit)
                    continue;
                tried += try_step(&rows[i], p->system, p->name, p->q, p->v,
                                  p->h / (explicit ? 8 : 4), 1, (nt_frame)frame);
            }
            for (int constrained = 0; constrained < 2; constrained++) {
                first_order s;
                first_order_init(&s, constrained);
                tried += try_step(&rows[i], &s.system, s.system.name, NULL, NULL, 0.05, 1,
                                  (nt_frame)frame);
            }
        }
    assert_true(tried > 150);
}

/* Friction in a hinge by the force that it bears: methods that take it once per step keep the
 * forces of two steps. */
static void steps_with_laws_that_follow_reactions(void **unused)
{
    (void)unused;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.2, 0.1], position: [1, 0, 0.5]}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [1, 1, 0]}\n"
        "forces:\n"
        "  rub: {type: joint_torque, joint: q, value: \"-0.1*norm(q.force)*tanh(q.rate + 1)\"}\n"
        "simulation: {duration: 1, step: 0.01}\n";
    nt_run *run = NULL;
    nt_error error = {0};
    if (read_run_text(&run, text, strlen(text), "hinge", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    int tried = 0;
    for (int frame = NT_INERTIAL; frame <= NT_SE3; frame++)
        for (int i = 0; i < ROWS; i++)
            for (int first = 1; first <= 4; first++)
                tried += try_step(&rows[i], nt_run_system(run), "hinge", NULL, NULL, 0.02, first,
                                  (nt_frame)frame);
    assert_true(tried > 60);
    destroy_run(run);
}

/* The end of a run of as many steps as long as `bdf` wants them, and of one of length h.
 * *wanted: how long the last one before it was. */
static ends bdf_run(nt_integrator *it, const problem *p, int steps, double h, const nt_phase *rest,
                    double *wanted)
{
    nt_error error = {0};
    double t = 0;
    if (nt_integrator_start(it, 0, p->q, p->v, NULL, &error) != NT_OK)
        fail_msg("%s: %s", p->name, error.message);
    for (int i = 0; i <= steps; i++) {
        if (i == steps)
            *wanted = it->stepper.now.all[NT_PHASE_T] - t;
        t = it->stepper.now.all[NT_PHASE_T];
        if (nt_integrator_step(it, i < steps ? 1 : h, &error) != NT_OK)
            fail_msg("%s: %s", p->name, error.message);
    }
    if (!(fabs(it->stepper.now.all[NT_PHASE_T] - t - h) <= 1e-14 * fmax(1, t)))
        fail_msg("%s, after %d steps: the last did not succeed at once", p->name, steps);
    return end_of(it, rest, 0);
}

/* Of a last step that is shorter than `bdf` wants it; those before are as they are. */
static void compare_bdf(nt_integrator *it, const problem *p, int steps, nt_step_length *length,
                        double allowed)
{
    static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60}, apart = 4e-3;
    double *all = malloc(it->size * sizeof *all), wanted;
    assert_non_null(all);
    memcpy(all, it->stepper.now.all, it->size * sizeof *all);
    nt_phase rest = {.q = all + (it->stepper.now.q - it->stepper.now.all)};
    bdf_run(it, p, steps, 1e-9, &rest, &wanted);
    double h = 0.4 * wanted;
    bdf_run(it, p, steps, h, &rest, &wanted);
    memcpy(all, it->stepper.now.all, it->size * sizeof *all);
    nt_variation d;
    ends value = end_of(it, &rest, 0), sum = {.n = {0}};
    assert_int_equal(nt_step_length_tangent(length, &d), NT_OK);
    const double *tangent[] = {d.q, d.v, d.vdot, d.lambda};
    for (int j = 0; j < 6; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        ends e = bdf_run(it, p, steps, h * (1 + sign * distance * apart), &rest, &wanted);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < e.n[k]; i++)
                sum.part[k][i] += sign * weight[distance - 1] * e.part[k][i] / (apart * h);
    }
    for (int k = 0; k < 4; k++) {
        double size = largest(sum.part[k], value.n[k]) + largest(value.part[k], value.n[k]);
        for (int i = 0; i < value.n[k]; i++)
            if (!(fabs(tangent[k][i] - sum.part[k][i]) <= allowed * size))
                fail_msg("%s, after %d steps: %s %d is %.12g, by differences %.12g", p->name, steps,
                         part_names[k], i, tangent[k][i], sum.part[k][i]);
    }
    free(all);
}

/* Orders one to five, of CVODE and of IDA. Newton's iteration of IDA cannot be asked for all
 * digits; the disk by hand gives no derivatives of its rows' accelerations. With rows of velocities
 * alone 3e-6 are left, whatever Newton's tolerance and the distance of the differences. */
static void steps_of_bdf_are_differentiated(void **unused)
{
    (void)unused;
    static const struct {
        int problem, most;
        double allowed;
    } cases[] = {{SLOW_TOP, 64, 1e-10},
                 {PLANET, 64, 1e-10},
                 {PENDULUM, 16, 1e-7},
                 {HEAVY_TOP, 32, 2e-6},
                 {JAY_NEGRUT, 8, 5e-6}};
    static const nt_option exact[] = {{"newton_tolerance", "1e-9"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const problem *p = &open_problems()[cases[k].problem];
        nt_integrator_setup setup = {.system = p->system,
                                     .method = nt_method_find("bdf"),
                                     .options = exact,
                                     .n_options = 1,
                                     .tolerance = {1e-6, 1e-6, 1e-6, 1e-6}};
        nt_integrator *it = begin(&setup, p->q, p->v);
        nt_step_length *length;
        assert_int_equal(nt_step_length_create(&length, it, NULL), NT_OK);
        for (int steps = 1; steps <= cases[k].most; steps *= 2)
            compare_bdf(it, p, steps, length, cases[k].allowed);
        nt_step_length_destroy(length);
        nt_integrator_destroy(it);
    }
}

/* A history that began unseen is not followed; the next one is, and looking changes no bit. */
static void a_history_of_bdf_is_followed_from_its_beginning(void **unused)
{
    (void)unused;
    const problem *p = &open_problems()[PENDULUM];
    nt_integrator_setup setup = {.system = p->system, .method = nt_method_find("bdf")};
    nt_integrator *it = begin(&setup, p->q, p->v), *other = begin(&setup, p->q, p->v);
    nt_step_length *length;
    nt_variation d;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nt_integrator_step(it, 1, NULL), NT_OK);
        assert_int_equal(nt_integrator_step(other, 1, NULL), NT_OK);
    }
    assert_int_equal(nt_step_length_create(&length, it, NULL), NT_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nt_integrator_step(it, 1, NULL), NT_OK);
        assert_int_equal(nt_integrator_step(other, 1, NULL), NT_OK);
        assert_int_equal(nt_step_length_tangent(length, &d), NT_UNSUPPORTED);
    }
    assert_int_equal(nt_integrator_start(it, 0, p->q, p->v, NULL, NULL), NT_OK);
    assert_int_equal(nt_integrator_start(other, 0, p->q, p->v, NULL, NULL), NT_OK);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(nt_integrator_step(it, 1, NULL), NT_OK);
        assert_int_equal(nt_integrator_step(other, 1, NULL), NT_OK);
        assert_int_equal(nt_step_length_tangent(length, &d), NT_OK);
        assert_memory_equal(it->stepper.now.all, other->stepper.now.all, it->size * sizeof(double));
    }
    nt_step_length_destroy(length);
    nt_integrator_destroy(it);
    nt_integrator_destroy(other);
}

static void nothing_before_the_first_step(void **unused)
{
    (void)unused;
    const problem *p = &open_problems()[PENDULUM];
    nt_integrator_setup setup = {.system = p->system,
                                 .method = nt_method_find("generalized-alpha")};
    nt_integrator *it = begin(&setup, p->q, p->v);
    nt_step_length *length;
    nt_variation d;
    assert_int_equal(nt_step_length_create(&length, it, NULL), NT_OK);
    assert_int_equal(nt_step_length_tangent(length, &d), NT_INVALID);
    nt_step_length_destroy(length);
    nt_integrator_destroy(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_differentiated_in_their_length),
        cmocka_unit_test(steps_with_laws_that_follow_reactions),
        cmocka_unit_test(steps_of_bdf_are_differentiated),
        cmocka_unit_test(a_history_of_bdf_is_followed_from_its_beginning),
        cmocka_unit_test(nothing_before_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
