/* From text to model: what a good model holds, and what each bad one is told.
 *
 * tests/input/models has one bad model per file; its first line is the whole message that it must
 * get, "# FILE:LINE:COLUMN: text". Where that ends with " ..." only the part before is compared. */
#include "base/file.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ----------------------------------------------------------------------------------
 */

static nt_model *read_text(const char *text, const nt_setting *settings, int n)
{
    nt_model *model;
    nt_error error = {0};
    char message[1100];
    nt_status status =
        nt_model_read_text(&model, text, strlen(text), "test.yaml", NULL, settings, n, &error);
    nt_error_text(&error, message, sizeof message);
    if (status != NT_OK)
        fail_msg("%s", message);
    return model;
}

static void refuse_text(const char *text, const nt_setting *settings, int n, const char *expected)
{
    nt_model *model = (nt_model *)&model;
    nt_error error = {0};
    char message[1100];
    nt_status status =
        nt_model_read_text(&model, text, strlen(text), "test.yaml", NULL, settings, n, &error);
    assert_int_not_equal(status, NT_OK);
    assert_int_equal(error.status, status);
    assert_null(model);
    nt_error_text(&error, message, sizeof message);
    assert_string_equal(message, expected);
}

static const nt_element *find(const nt_model *model, const char *name)
{
    for (int i = 0; i < model->n_elements; i++)
        if (strcmp(model->elements[i].name, name) == 0)
            return &model->elements[i];
    return NULL;
}

/* Numbers that are read, not computed, are exact. */
static void assert_vector(const double *v, double x, double y, double z)
{
    assert_true(v[0] == x);
    assert_true(v[1] == y);
    assert_true(v[2] == z);
}

static const char heavy_top[] =
    "nutate: 1\n"
    "title: Heavy top\n"
    "parameters: {m: 15, arm: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top:\n"
    "    mass: m\n"
    "    inertia: [0.234375, 0.46875, 0.234375]\n"
    "    position: [0, arm, 0]\n"
    "    angular_velocity: [0, 150, -4.61538]\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
    "simulation: {duration: 2, method: generalized-alpha, step: 1e-3, frame: inertial, options: "
    "{rho_inf: 0.8}}\n"
    "output: {every: 1e-2, record: [top.position, top.orientation, pivot.force, energy]}\n";

/* ---- good models -------------------------------------------------------------------------------
 */

static void heavy_top_is_read(void **state)
{
    (void)state;
    nt_model *model = read_text(heavy_top, NULL, 0);
    const nt_simulation *s = nt_model_simulation(model);
    size_t length;
    assert_string_equal(nt_model_title(model), "Heavy top");
    assert_string_equal(nt_model_text(model, &length), heavy_top);
    assert_int_equal(length, strlen(heavy_top));
    assert_vector(model->origin->gravity, 0, 0, -9.81);
    assert_int_equal(model->n_bodies, 2);
    assert_string_equal(model->bodies[0].name, "ground");
    const nt_body *top = &model->bodies[1];
    assert_string_equal(top->name, "top");
    assert_int_equal(top->place.line, 6);
    assert_int_equal(top->place.column, 3);
    assert_true(top->mass == 15);
    assert_int_equal(top->inertia_count, 3);
    assert_vector(top->inertia, 0.234375, 0.46875, 0.234375);
    assert_vector(top->position, 0, 1, 0);
    assert_vector(top->angular_velocity, 0, 150, -4.61538);
    assert_int_equal(top->given, NT_GIVEN_MASS | NT_GIVEN_INERTIA | NT_GIVEN_POSITION |
                                     NT_GIVEN_ANGULAR_VELOCITY);
    assert_int_equal(model->n_elements, 1);
    const nt_joint *pivot = nt_joint_of(model->origin, &model->elements[0]);
    assert_string_equal(model->elements[0].type->name, "spherical");
    assert_int_equal(pivot->between[0], 0);
    assert_int_equal(pivot->between[1], 1);
    assert_int_equal(pivot->given, NT_GIVEN_BETWEEN | NT_GIVEN_AT);
    assert_int_equal(pivot->at.marker, -1);
    assert_true(s->start == 0 && s->duration == 2 && s->step == 1e-3 && s->every == 1e-2);
    assert_string_equal(s->method, "generalized-alpha");
    assert_int_equal(s->frame, NT_INERTIAL);
    assert_int_equal(s->n_options, 1);
    assert_string_equal(s->options[0].name, "rho_inf");
    assert_string_equal(s->options[0].value, "0.8");
    assert_true(s->tolerance[0] == 0 && s->tolerance[3] == 0);
    assert_int_equal(s->n_record, 4);
    assert_string_equal(s->record[2], "pivot.force");
    nt_model_destroy(model);
}

/* Expressions stand in the list of records as they are; an event has a name of its own. */
static void expressions_are_recorded(void **state)
{
    (void)state;
    static const char text[] = "nutate: 1\n"
                               "bodies: {one: {mass: 1, point: true, position: [3, 0, 4]}}\n"
                               "output: {record: [norm(one.position), \"dot(one.position, "
                               "one.position)\", one.position.x^2, one.position]}\n";
    static const double expected[] = {5, 25, 9, 3};
    nt_model *model = read_text(text, NULL, 0);
    const nt_simulation *s = nt_model_simulation(model);
    nt_run *run = NULL;
    double q[3] = {3, 0, 4}, v[3] = {0}, out[3];
    assert_int_equal(nt_run_create(&run, model, NULL), NT_OK);
    assert_int_equal(nt_run_system(run)->space.nq, 3);
    assert_int_equal(s->n_record, 4);
    for (int i = 0; i < 4; i++) {
        nt_quantity_info quantity;
        nt_error error = {0};
        nt_state at = {.q = q, .v = v, .vdot = v};
        assert_int_equal(nt_model_quantity(model, s->record[i], &quantity, &error), NT_OK);
        assert_int_equal(quantity.columns, i < 3 ? 1 : 3);
        assert_int_equal(nt_run_sample(run, &quantity, &at, NULL, out, &error), NT_OK);
        assert_true(out[0] == expected[i]);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
    refuse_text("nutate: 1\nbodies: {one: {mass: 1}}\noutput: {record: [norm(one.positon)]}\n",
                NULL, 0,
                "test.yaml:3:24: record: 'one' has no 'positon'; did you mean 'position'?");
    refuse_text("nutate: 1\nbodies:\n  one: {mass: 1}\n"
                "events: {one: {when: one.position.z, then: [{stop: low}]}}\n",
                NULL, 0,
                "test.yaml:4:10: event 'one': there is a body of this name already at 3:3");
}

/* A load may depend on the power of another: -T x' of a spring, 50 0.5 + 4 3 = 37 N at 3 m/s. */
static void loads_depend_on_power(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "bodies: {b: {mass: 1, point: true, position: [2, 0, 0], velocity: [3, 0, 0]}}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, b], at: [[0, 0, 0], [2, 0, 0]], stiffness: 50,\n"
        "      length: 1.5, damping: 4}\n"
        "  f: {type: force, on: b, value: [0, 1 - s.power, 0]}\n"
        "output: {record: [f.force.y, s.power]}\n";
    static const double expected[] = {112, -111};
    nt_model *model = read_text(text, NULL, 0);
    nt_run *run = NULL;
    double q[3] = {2, 0, 0}, v[3] = {3, 0, 0}, vdot[3] = {0}, out[3];
    assert_int_equal(nt_run_create(&run, model, NULL), NT_OK);
    for (int i = 0; i < 2; i++) {
        nt_quantity_info quantity;
        nt_error error = {0};
        nt_state at = {.q = q, .v = v, .vdot = vdot};
        const char *name = nt_model_simulation(model)->record[i];
        assert_int_equal(nt_model_quantity(model, name, &quantity, &error), NT_OK);
        assert_int_equal(nt_run_sample(run, &quantity, &at, NULL, out, &error), NT_OK);
        assert_true(fabs(out[0] - expected[i]) < 1e-12);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void what_is_left_out_has_its_default(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\n"
                                "bodies: {one: {mass: 1}, two: {mass: 2, fixed_point: [0, 0, 0], "
                                "inertia: [1, 1, 1]}}\n",
                                NULL, 0);
    const nt_simulation *s = nt_model_simulation(model);
    assert_vector(model->origin->gravity, 0, 0, -9.80665);
    assert_string_equal(nt_model_title(model), "");
    assert_string_equal(s->method, "generalized-alpha");
    assert_true(s->duration == 0 && s->step == 0 && s->every == 0);
    assert_int_equal(s->n_options, 0);
    static const char *const expected[] = {"one.position", "one.orientation", "two.position",
                                           "two.orientation", "energy"};
    assert_int_equal(s->n_record, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(s->record[i], expected[i]);
    assert_false(model->correct_initial);
    nt_model_destroy(model);
}

static void sections_may_be_empty_mappings(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\nparameters: {}\ntables: {}\nmarkers: {}\njoints: {}\n"
                                "forces: {}\nsimulation: {}\noutput: {}\ninitial: {}\n"
                                "bodies: {one: {mass: 1}}\n",
                                NULL, 0);
    assert_int_equal(model->n_parameters + model->n_markers + model->n_elements, 0);
    nt_model_destroy(model);
}

/* c needs b, b needs a, and the file has them the other way round. */
static void parameters_come_in_any_order(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\n"
                                "parameters: {c: b^2 + x, x: 1, b: 2 * a, a: 3}\n"
                                "bodies: {one: {mass: c}}\n",
                                NULL, 0);
    static const char *const order[] = {"x", "a", "b", "c"};
    static const double values[] = {1, 3, 6, 37};
    assert_int_equal(model->n_parameters, 4);
    for (int i = 0; i < 4; i++) {
        const nt_parameter *p = &model->parameters[i];
        int count = 0;
        const int *uses = p->expression ? nt_expression_variables(p->expression, &count) : NULL;
        for (int k = 0; k < count; k++)
            assert_true(uses[k] < i);
    }
    for (int k = 0; k < 4; k++) {
        int i = 0;
        while (i < 4 && strcmp(model->parameters[i].name, order[k]) != 0)
            i++;
        assert_in_range(i, 0, 3);
        assert_true(model->parameters[i].value == values[k]);
        assert_int_equal(model->parameters[i].expression == NULL, values[k] < 6);
    }
    assert_true(model->bodies[1].mass == 37);
    nt_model_destroy(model);
}

static void parameters_in_order_keep_their_order(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\nparameters: {z: 1, y: 2, x: y + z, w: 4}\n"
                                "bodies: {one: {mass: x}}\n",
                                NULL, 0);
    static const char *const order[] = {"z", "y", "x", "w"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(model->parameters[i].name, order[i]);
    nt_model_destroy(model);
}

/* A chain of 20000 parameters, last first, must not need a deep machine stack. */
static void a_long_chain_of_parameters(void **state)
{
    (void)state;
    enum { N = 20000 };
    char *text = malloc(40 * N + 200);
    assert_non_null(text);
    int used = sprintf(text, "nutate: 1\nbodies: {one: {mass: p%d}}\nparameters:\n", N);
    for (int i = N; i > 0; i--)
        used += sprintf(text + used, "  p%d: p%d + 1\n", i, i - 1);
    sprintf(text + used, "  p0: 1\n");
    nt_model *model = read_text(text, NULL, 0);
    assert_true(model->bodies[1].mass == N + 1);
    nt_model_destroy(model);
    free(text);
}

/* Whatever depends on parameters follows them; what does not, is not evaluated again. */
static void numbers_are_bound_to_parameters(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\nparameters: {m: 2, g: 9}\n"
                                "gravity: [0, 0, -g]\n"
                                "bodies: {one: {mass: 3 * m, position: [sqrt(4), 1 + m, 0]}}\n"
                                "simulation: {duration: m, step: 1e-3}\n",
                                NULL, 0);
    assert_true(model->bodies[1].mass == 6);
    assert_vector(model->bodies[1].position, 2, 3, 0);
    assert_true(model->origin->gravity[2] == -9);
    assert_true(model->simulation.duration == 2);
    assert_int_equal(model->n_bindings, 3); /* gravity, mass, position: not the duration */
    double p[2] = {5, 10};
    for (int i = 0; i < model->n_bindings; i++)
        *nt_run_number(model->origin, model->bindings[i].target) =
            nt_expression_value(model->bindings[i].expression, p);
    assert_true(model->bodies[1].mass == 15);
    assert_vector(model->bodies[1].position, 2, 6, 0);
    assert_true(model->origin->gravity[2] == -10);
    nt_model_destroy(model);
}

static void every_form_of_value(void **state)
{
    (void)state;
    nt_model *model = read_text(
        "nutate: 1\n"
        "parameters: {k: 10}\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: [2, 2, 2, 0.1, 0.2, 0.3], orientation: {axis: [-1, 0, 0], "
        "angle: "
        "pi / 2}}\n"
        "  tip: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {matrix: [[0, -1, "
        "0], [1, 0, 0], [0, 0, 1]]}, angular_velocity: [0, 0, 0], angular_velocity_frame: ground}\n"
        "markers:\n"
        "  hook: {on: tip, at: [0, 0, 0.5]}\n"
        "  end: {on: tip}\n"
        "forces:\n"
        "  mat: {type: bushing, between: [ground, arm], at: [0, 0, 0], stiffness: [k, k, k, 1, 2, "
        "3], damping: [[1, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, "
        "0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n"
        "  line: {type: spring, between: [arm, tip], at: [[0, 0, 0], hook], stiffness: 2 * k}\n"
        "  push: {type: force, on: arm, value: [0, 'sin(k * t)', -3 * hook.velocity.z], frame: "
        "body}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [arm, tip], at: end, axis: [0, 0, 2], motion: "
        "0.5 * k * t^2, friction: {dry: 0.1, slip: 0.01}}\n"
        "  pivot: {type: spherical, between: [ground, arm], points: [[0, 0, 0], [0, 0, 0]], "
        "enforce: penalty, stiffness: 1e6}\n"
        "initial: {correct: true}\n"
        "simulation: {frame: body, tolerance: {position: 1e-6, rotation: 1e-7}}\n",
        NULL, 0);
    const nt_body *arm = &model->bodies[1], *tip = &model->bodies[2];
    assert_int_equal(arm->inertia_count, 6);
    assert_true(arm->inertia[5] == 0.3);
    assert_vector(arm->axis, -1, 0, 0);
    assert_true(arm->angle == 3.14159265358979323846 / 2);
    assert_vector(tip->matrix + 3, 1, 0, 0);
    assert_int_equal(tip->angular_velocity_frame, 1);
    assert_int_equal(model->n_markers, 2);
    assert_int_equal(model->markers[0].on, 2);
    assert_vector(model->markers[0].at, 0, 0, 0.5);

    /* joints come first, and each section by type in the order of the registry */
    static const char *const order[] = {"pivot", "hinge", "push", "line", "mat"};
    assert_int_equal(model->n_joints, 2);
    for (int i = 0; i < 5; i++)
        assert_string_equal(model->elements[i].name, order[i]);
    const nt_joint *hinge = nt_joint_of(model->origin, find(model, "hinge"));
    const nt_joint *pivot = nt_joint_of(model->origin, find(model, "pivot"));
    assert_int_equal(hinge->at.marker, 1);
    assert_vector(hinge->axis, 0, 0, 2);
    assert_true(hinge->friction.dry == 0.1 && hinge->friction.slip == 0.01);
    assert_int_equal(hinge->given, NT_GIVEN_BETWEEN | NT_GIVEN_AT | NT_GIVEN_JOINT_AXIS |
                                       NT_GIVEN_MOTION | NT_GIVEN_FRICTION | NT_GIVEN_DRY |
                                       NT_GIVEN_SLIP);
    assert_int_equal(pivot->enforce, 1);
    assert_int_equal(pivot->points[0].marker, -1);
    assert_int_equal(pivot->points[1].marker, -1);
    double variables[3] = {10, 2, 0}, jet[3], rate[3] = {0, 1, 0}, zero[3] = {0};
    nt_expression_jet(hinge->motion, variables, rate, zero, jet);
    assert_true(jet[0] == 20 && jet[1] == 20 && jet[2] == 10);
    assert_int_equal(model->n_signals, 1);
    assert_string_equal(nt_quantity_kinds[model->signals[0].kind].name, "velocity");
    assert_int_equal(nt_signal_marker(&model->signals[0]), 0);

    assert_true(model->correct_initial);
    assert_int_equal(model->simulation.frame, NT_BODY);
    assert_true(model->simulation.tolerance[0] == 1e-6 && model->simulation.tolerance[1] == 1e-7);
    assert_true(model->simulation.tolerance[2] == 0);
    nt_model_destroy(model);
}

static void one_tolerance_stands_for_all(void **state)
{
    (void)state;
    nt_model *model = read_text("nutate: 1\nbodies: {one: {mass: 1}}\n"
                                "simulation: {tolerance: 1e-5}\n",
                                NULL, 0);
    for (int i = 0; i < 4; i++)
        assert_true(model->simulation.tolerance[i] == 1e-5);
    nt_model_destroy(model);
}

/* An axis exactly against a coordinate axis is an axis like any other. */
static void axes_against_coordinate_axes(void **state)
{
    (void)state;
    static const char *const axes[] = {"[-1, 0, 0]", "[0, -1, 0]", "[0, 0, -1]",
                                       "[1, 0, 0]",  "[0, 1, 0]",  "[0, 0, 1]"};
    for (int i = 0; i < 6; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: "
                 "%s}}\n",
                 axes[i]);
        nt_model *model = read_text(text, NULL, 0);
        const nt_joint *hinge = nt_joint_of(model->origin, find(model, "hinge"));
        for (int k = 0; k < 3; k++) {
            assert_true(isfinite(v3_norm(hinge->e[k])));
            assert_true(fabs(v3_norm(hinge->e[k]) - 1) < 1e-15);
        }
        assert_true(v3_component(hinge->e[2], i % 3) == (i < 3 ? -1 : 1));
        nt_model_destroy(model);
    }
}

/* (-s, 0, 0), an axis, a normal or a quaternion, means the same at every length s: exactly -x, and
 * no rotation for the quaternion (-1, 0, 0, 0). */
static void directions_have_any_length(void **state)
{
    (void)state;
    static const char *const lengths[] = {"1", "1e200", "1e-200", "1e308", "5e-324"};
    for (int i = 0; i < 5; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "parameters: {s: %s}\n"
                 "bodies:\n"
                 "  arm: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [-s, 0, 0], angle: 2}}\n"
                 "  leg: {mass: 1, inertia: [1, 1, 1], orientation: {quaternion: [-s, 0, 0, 0]}}\n"
                 "  ball: {mass: 1, inertia: [1, 1, 1], position: [-1, 0, 0]}\n"
                 "joints:\n"
                 "  hinge: {type: revolute, between: [ground, leg], at: [0, 0, 0], axis: [-s, 0, "
                 "0]}\n"
                 "  knee: {type: universal, between: [ground, arm], at: [0, 0, 0],\n"
                 "         axes: [[-s, 0, 0], [0, -s, 0]]}\n"
                 "  roll: {type: rolling_sphere, between: [ground, ball], radius: 1,\n"
                 "         plane: {point: [0, 0, 0], normal: [-s, 0, 0]}}\n",
                 lengths[i]);
        nt_model *model = read_text(text, NULL, 0);
        const nt_body *arm = &model->bodies[1], *leg = &model->bodies[2];
        assert_true(fabs(arm->q0.w - cos(1)) < 1e-15 && fabs(arm->q0.x + sin(1)) < 1e-15);
        assert_true(arm->q0.y == 0 && arm->q0.z == 0);
        assert_true(leg->q0.w == -1 && leg->q0.x == 0 && leg->q0.y == 0 && leg->q0.z == 0);
        const char *const names[] = {"hinge", "knee", "roll"};
        for (int k = 0; k < 3; k++) {
            const nt_joint *joint = nt_joint_of(model->origin, find(model, names[k]));
            assert_true(joint->e[2].x == -1 && joint->e[2].y == 0 && joint->e[2].z == 0);
        }
        nt_model_destroy(model);
    }
}

/* ---- tables -------------------------------------------------------------------------------------
 */

/* The same file, by its declared name and by its path, both beside the model. */
static void tables_are_found_beside_the_model(void **state)
{
    (void)state;
    const char text[] = "nutate: 1\n"
                        "tables: {curve: table.csv}\n"
                        "parameters: {top: 'table(curve, 1)'}\n"
                        "bodies: {one: {mass: top, position: ['table(\"table.csv\", 2)', 0, 0]}}\n";
    nt_model *model;
    nt_error error = {0};
    nt_status status = nt_model_read_text(&model, text, strlen(text), "test.yaml",
                                          NUTATE_SOURCE_DIR "/tests/input/models", NULL, 0, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, NT_OK);
    assert_true(model->bodies[1].mass == 2);
    assert_vector(model->bodies[1].position, 3, 0, 0);
    nt_model_destroy(model);
}

/* ---- settings
 * ------------------------------------------------------------------------------------ */

static void settings_change_the_model(void **state)
{
    (void)state;
    const nt_setting settings[] = {
        {"m", "30"},
        {"simulation.step", "m * 1e-3"},
        {"simulation.options.rho_inf", "0.5"},
        {"initial.correct", "true"},
        {"bodies.top.position", "[0, 2 * arm, 0]"},
        {"output.record.0", "top.velocity"},
    };
    nt_model *model = read_text(heavy_top, settings, 6);
    assert_true(model->bodies[1].mass == 30);
    assert_vector(model->bodies[1].position, 0, 2, 0);
    assert_true(model->simulation.step == 0.03);
    assert_string_equal(model->simulation.options[0].value, "0.5");
    assert_string_equal(model->simulation.record[0], "top.velocity");
    assert_true(model->correct_initial);
    assert_string_equal(nt_model_text(model, NULL), heavy_top);
    nt_model_destroy(model);
}

static void wrong_settings_name_themselves(void **state)
{
    (void)state;
    refuse_text(heavy_top, &(nt_setting){"m", "[1, 2"}, 1,
                "--set parameters.m:1:6: not valid YAML: did not find expected ',' or ']' while "
                "parsing a flow sequence that begins in line 1, column 1");
    refuse_text(heavy_top, &(nt_setting){"m", "3 kg"}, 1,
                "--set parameters.m:1:3: m: expected an operator or the end, got 'kg': numbers "
                "carry no unit (SI units are meant), and a product needs *");
    refuse_text(heavy_top, &(nt_setting){"simulation.stp", "1"}, 1,
                "--set simulation.stp: unknown key 'stp' in simulation; did you mean 'step'?");
    refuse_text(heavy_top, &(nt_setting){"bodies.top.mass", "-1"}, 1,
                "test.yaml:6:3: body top has mass -1 kg, expected a positive number "
                "(--set bodies.top.mass=-1)");
}

/* ---- bad models
 * ---------------------------------------------------------------------------------- */

/* Reads FILE and compares with its first line; returns whether it is a model at all. */
static int check_bad_model(const char *file)
{
    nt_model *model = NULL;
    nt_error error = {0};
    char *text, message[1100], expected[1100];
    size_t length;
    const char *end = strrchr(file, '.');
    if (!end || strcmp(end, ".yaml") != 0)
        return 0;
    assert_int_equal(nt_file_read(file, 1 << 20, &text, &length, NULL), NT_OK);
    assert_memory_equal(text, "# ", 2);
    snprintf(expected, sizeof expected, "%.*s", (int)strcspn(text + 2, "\n"), text + 2);
    free(text);
    nt_status status = nt_model_read(&model, file, NULL, 0, &error);
    nt_error_text(&error, message, sizeof message);
    if (status == NT_OK)
        fail_msg("%s was accepted, expected: %s", file, expected);
    assert_null(model);
    assert_int_equal(error.status, status);
    assert_true(error.line > 0 && error.column > 0);
    size_t size = strlen(expected);
    if (size > 4 && strcmp(expected + size - 4, " ...") == 0)
        message[size - 4] = expected[size - 4] = 0;
    assert_string_equal(message, expected);
    return 1;
}

static void bad_models_are_told_what_is_wrong(void **state)
{
    (void)state;
    char before[4096];
    int count = 0;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(NUTATE_SOURCE_DIR "/tests/input/models"), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += check_bad_model(entry->d_name);
    closedir(folder);
    assert_int_equal(chdir(before), 0);
    assert_true(count >= 90);
}

/* Not among the files: their sources have no tabs. */
/* Programs that write YAML turn `on` into `true`: of a marker at a station too. */
static void stations_in_any_spelling(void **state)
{
    (void)state;
    static const char *const spellings[] = {"on", "true", "body"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "beams:\n"
                 "  bar: {points: [[0, 0, 0], [1, 0, 0]], elements: 2,\n"
                 "        sections: [{stiffness: [9, 8, 7, 3, 2, 1], mass: [1, 1, 1, 2, 1, 1]}]}\n"
                 "markers: {middle: {%s: bar, station: 0.5}}\n",
                 spellings[i]);
        nt_model *model = read_text(text, NULL, 0);
        assert_string_equal(model->origin->bodies[model->origin->markers[0].on].name, "bar.node7");
        nt_model_destroy(model);
    }
}

static void tabs_do_not_indent(void **state)
{
    (void)state;
    refuse_text("nutate: 1\nbodies:\n\ttop: {mass: 1}\n", NULL, 0,
                "test.yaml:3:1: not valid YAML: found character that cannot start any token while "
                "scanning for the next token that begins in line 3, column 1 (indent with blanks, "
                "not tabs)");
}

static void missing_file(void **state)
{
    (void)state;
    nt_model *model;
    nt_error error = {0};
    char message[1100];
    assert_int_equal(nt_model_read(&model, "no/such/model.yaml", NULL, 0, &error), NT_IO);
    nt_error_text(&error, message, sizeof message);
    assert_string_equal(message, "no/such/model.yaml: cannot be opened: No such file or directory");
    assert_int_equal(nt_model_read(&model, "no/such/model.yaml", NULL, 0, NULL), NT_IO);
    assert_null(model);
}

/* 100 MB are refused by their size, without being read: well under a second, and little memory. */
static void a_huge_file_is_refused_at_once(void **state)
{
    (void)state;
    nt_model *model;
    nt_error error = {0};
    struct timespec before, after;
    FILE *file = fopen("junk.yaml", "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 100L << 20), 0);
    fclose(file);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(nt_model_read(&model, "junk.yaml", NULL, 0, &error), NT_BAD_MODEL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    unlink("junk.yaml");
    assert_string_equal(error.file, "junk.yaml");
    assert_non_null(strstr(error.message, "larger than"));
    assert_true(difftime(after.tv_sec, before.tv_sec) < 2);
}

/* Names are found by hashing: ten thousand bodies and joints do not take ten thousand squared. */
static void a_large_model_is_read_in_linear_time(void **state)
{
    (void)state;
    enum { N = 10000 };
    char *text = malloc(200 * N + 200);
    assert_non_null(text);
    int used = sprintf(text, "nutate: 1\nbodies:\n");
    for (int i = 0; i < N; i++)
        used += sprintf(text + used, "  b%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n",
                        i, i);
    used += sprintf(text + used, "forces:\n");
    for (int i = 1; i < N; i++)
        used += sprintf(text + used,
                        "  s%d: {type: spring, between: [b%d, b%d], at: [[%d, 0, 0], [%d, 0, 0]], "
                        "stiffness: 1}\n",
                        i, i - 1, i, i - 1, i);
    sprintf(text + used, "output: {record: [energy]}\n");
    nt_model *model = read_text(text, NULL, 0);
    assert_int_equal(model->n_bodies, N + 1);
    assert_int_equal(model->n_elements, N - 1);
    nt_model_destroy(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_is_read),
        cmocka_unit_test(expressions_are_recorded),
        cmocka_unit_test(loads_depend_on_power),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(sections_may_be_empty_mappings),
        cmocka_unit_test(parameters_come_in_any_order),
        cmocka_unit_test(parameters_in_order_keep_their_order),
        cmocka_unit_test(a_long_chain_of_parameters),
        cmocka_unit_test(numbers_are_bound_to_parameters),
        cmocka_unit_test(every_form_of_value),
        cmocka_unit_test(one_tolerance_stands_for_all),
        cmocka_unit_test(axes_against_coordinate_axes),
        cmocka_unit_test(directions_have_any_length),
        cmocka_unit_test(tables_are_found_beside_the_model),
        cmocka_unit_test(settings_change_the_model),
        cmocka_unit_test(wrong_settings_name_themselves),
        cmocka_unit_test(bad_models_are_told_what_is_wrong),
        cmocka_unit_test(stations_in_any_spelling),
        cmocka_unit_test(tabs_do_not_indent),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(a_huge_file_is_refused_at_once),
        cmocka_unit_test(a_large_model_is_read_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
