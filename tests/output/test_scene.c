/* The scene of a result: what it says of bodies and elements, and the forces beside the poses. */
#include "input/document/document.h"
#include "tests/read_run.h"

#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rounding of a few operations on numbers of size one. */
static const double rounding = 1e-14;

/* A top, a plate on a hinge with a spring and a turning force, a ball above the floor. */
static const char text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0]}\n"
    "  plate: {mass: 2, inertia: [0.5, 0.6, 1.0], position: [2, 0, 0],\n"
    "          center_of_mass: [0.5, 0, 0]}\n"
    "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [5, 0, 0.4]}\n"
    "markers:\n"
    "  tip: {on: plate, at: [1, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
    "  hinge: {type: revolute, between: [ground, plate], at: [2, 0, 0], axis: [0, 2, 0]}\n"
    "forces:\n"
    "  coil: {type: spring, between: [ground, plate], at: [[3, 0, 2], tip], stiffness: 100,\n"
    "         length: 1}\n"
    "  push: {type: force, on: plate, at: tip, value: [3 + t, 0, 1], frame: body}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, ball], plane: {point: [0, 0, 0],\n"
    "          normal: [0, 0, 1]}, radius: 0.5, stiffness: 1e3}\n"
    "simulation: {duration: 0.1, step: 1e-3}\n"
    "output: {every: 0.05, record: [push.force, tip.position, floor.force, ball.position]}\n";

typedef struct fixture {
    nt_result *result;
    nt_document *scene;
} fixture;

static const nt_result_attribute *find_attribute(nt_result *result, const char *name,
                                                 nt_result_attribute *found)
{
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        *found = nt_result_attribute_at(result, i);
        if (strcmp(found->name, name) == 0)
            return found;
    }
    return NULL;
}

static void write_result(const char *model, const char *path)
{
    nt_run *run;
    nt_error error;
    nt_record *record;
    nt_integrator *integrator;
    double q[64], v[64], memory[64];
    assert_int_equal(read_run_text(&run, model, strlen(model), "scene.yaml", NULL, NULL, 0, &error),
                     NT_OK);
    nt_integrator_setup setup = {0};
    assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_OK);
    nt_run_initial(run, q, v, memory);
    assert_int_equal(nt_integrator_start(integrator, 0, q, v, memory, &error), NT_OK);
    assert_int_equal(nt_record_open(&record, run, path, NT_NETCDF, NULL, &error), NT_OK);
    nt_state state = nt_integrator_state(integrator);
    assert_int_equal(nt_record_write(record, integrator, &state, &error), NT_OK);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(nt_integrator_run(integrator, 0.05 * i, 1e-3, NULL, NULL, &error), NT_OK);
        state = nt_integrator_state(integrator);
        assert_int_equal(nt_record_write(record, integrator, &state, &error), NT_OK);
    }
    assert_int_equal(nt_record_close(record, &error), NT_OK);
    nt_integrator_destroy(integrator);
    destroy_run(run);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    nt_error error;
    nt_result_attribute scene;
    write_result(text, "scene.nc");
    assert_int_equal(nt_result_open(&f->result, "scene.nc", &error), NT_OK);
    assert_non_null(find_attribute(f->result, "scene", &scene));
    assert_int_equal(nt_document_parse(scene.value, scene.length, "scene", NULL, &f->scene, &error),
                     NT_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nt_result_close(f->result);
    nt_document_destroy(f->scene);
    free(f);
    return 0;
}

static const nt_node *get(const nt_node *node, const char *name)
{
    const nt_node *found = nt_node_find(node, name);
    if (!found)
        fail_msg("the scene lacks '%s'", name);
    return found;
}

static double number(const nt_node *node)
{
    assert_int_equal(node->kind, NT_NODE_SCALAR);
    return strtod(node->text, NULL);
}

static void check_numbers(const nt_node *list, const double *expected, int n)
{
    assert_int_equal(list->count, n);
    for (int i = 0; i < n; i++)
        assert_true(fabs(number(list->values[i]) - expected[i]) < rounding);
}

/* The item of a list that has this name. */
static const nt_node *named(const fixture *f, const char *list, const char *name)
{
    const nt_node *items = get(nt_document_root(f->scene), list);
    for (int i = 0; i < items->count; i++)
        if (nt_node_is(get(items->values[i], "name"), name))
            return items->values[i];
    fail_msg("%s has no '%s'", list, name);
    return NULL;
}

static const nt_node *shape(const nt_node *body, const char *kind)
{
    const nt_node *shapes = get(body, "shapes");
    for (int i = 0; i < shapes->count; i++)
        if (nt_node_is(get(shapes->values[i], "kind"), kind))
            return shapes->values[i];
    fail_msg("no %s", kind);
    return NULL;
}

/* A disk: r^2 = 2 I/m; without height it is as thin as drawn at all. */
static void round_body(void **state)
{
    const fixture *f = *state;
    const nt_node *top = named(f, "bodies", "top"), *disk = shape(top, "cylinder");
    double length = number(get(nt_document_root(f->scene), "length"));
    const double size[2] = {0.25, 2 * 0.008 * length}, at[3] = {0, 0, 0};
    check_numbers(get(disk, "size"), size, 2);
    check_numbers(get(disk, "at"), at, 3);
    assert_true(nt_node_is(get(top, "made"), "true"));
    /* its z along the body's y */
    const nt_node *q = get(disk, "orientation");
    double w = number(q->values[0]), x = number(q->values[1]);
    double y = number(q->values[2]), z = number(q->values[3]);
    assert_true(fabs(2 * (y * z - w * x) - 1) < rounding);
    assert_true(fabs(w * w + x * x + y * y + z * z - 1) < rounding);
}

/* a^2 = 6 (I2 + I3 - I1)/m, about the centre of mass. */
static void box_body(void **state)
{
    const nt_node *plate = named(*state, "bodies", "plate"), *box = shape(plate, "box");
    const double size[3] = {sqrt(3.3), sqrt(2.7), sqrt(0.3)}, at[3] = {0.5, 0, 0};
    check_numbers(get(box, "size"), size, 3);
    check_numbers(get(box, "at"), at, 3);
    check_numbers(get(plate, "center"), at, 3);
    shape(plate, "capsule"); /* to its hinge */
}

static void touching_body(void **state)
{
    const nt_node *ball = named(*state, "bodies", "ball");
    assert_int_equal(get(ball, "shapes")->count, 1);
    check_numbers(get(shape(ball, "sphere"), "size"), (const double[1]){0.5}, 1);
}

static void elements(void **state)
{
    const nt_node *hinge = named(*state, "elements", "hinge"), *a, *b;
    assert_true(nt_node_is(get(hinge, "draw"), "pin"));
    assert_true(nt_node_is(get(hinge, "section"), "joints"));
    assert_true(nt_node_is(get(hinge, "load"), "null"));
    a = get(hinge, "points")->values[0], b = get(hinge, "points")->values[1];
    check_numbers(get(a, "at"), (const double[3]){2, 0, 0}, 3);
    check_numbers(get(b, "at"), (const double[3]){0, 0, 0}, 3);
    check_numbers(get(a, "axis"), (const double[3]){0, 1, 0}, 3);
    assert_true(number(get(a, "body")) == 0 && number(get(b, "body")) == 2);
    const nt_node *coil = named(*state, "elements", "coil");
    assert_true(nt_node_is(get(coil, "draw"), "spring"));
    check_numbers(get(get(coil, "points")->values[0], "at"), (const double[3]){3, 0, 2}, 3);
    check_numbers(get(get(coil, "points")->values[1], "at"), (const double[3]){1, 0, 0}, 3);
    assert_true(nt_node_is(get(named(*state, "elements", "pivot"), "draw"), "ball"));
    assert_true(nt_node_is(get(named(*state, "elements", "floor"), "draw"), "contact"));
    const nt_node *trails = get(nt_document_root(((fixture *)*state)->scene), "trails");
    assert_int_equal(trails->count, 1);
    assert_true(nt_node_is(get(trails->values[0], "name"), "tip"));
}

/* The arrays of forces agree with what was recorded. */
static void loads(void **state)
{
    const fixture *f = *state;
    nt_error error;
    double rows[3 * 13], points[3 * 2 * 3], forces[3 * 2 * 3];
    assert_int_equal(nt_result_rows(f->result), 3);
    assert_int_equal(nt_result_column_count(f->result), 13);
    assert_int_equal(nt_result_read(f->result, 0, 3, rows, &error), NT_OK);
    int push = (int)number(get(named(f, "elements", "push"), "load"));
    int floor = (int)number(get(named(f, "elements", "floor"), "load"));
    assert_true(push != floor && push >= 0 && push < 2 && floor >= 0 && floor < 2);
    for (int i = 0; i < nt_result_array_count(f->result); i++) {
        nt_result_array array = nt_result_array_at(f->result, i);
        if (strncmp(array.name, "loads.", 6) != 0)
            continue;
        assert_int_equal(array.items, 2);
        assert_string_equal(array.item_names[push], "push");
        assert_int_equal(nt_result_read_array(f->result, i, 0, 3,
                                              array.name[6] == 'p' ? points : forces, &error),
                         NT_OK);
    }
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) {
            const double *at = rows + 13 * row;
            assert_true(fabs(forces[6 * row + 3 * push + k] - at[1 + k]) < rounding);
            assert_true(fabs(points[6 * row + 3 * push + k] - at[4 + k]) < rounding);
            assert_true(fabs(forces[6 * row + 3 * floor + k] - at[7 + k]) < 1e3 * rounding);
        }
    assert_true(rows[9] > 30); /* the ball is pressed in by a tenth of a metre at first */
    assert_true(fabs(points[3 * floor + 2] + 0.05) < rounding); /* halfway between the surfaces */
}

/* ---- what bodies without shapes look like by their joints ------------------------------------ */

/* In millimetres: a crank, a rod whose moments are all equal, the bob of a pendulum, two rings of a
 * gimbal, a leaf on a hinge, a block that is pushed along a rail, a rotor. */
static const char mechanisms[] =
    "nutate: 1\n"
    "bodies:\n"
    "  crank: {mass: 1e-3, inertia: [2e-8, 3e-8, 2e-8], position: [0, 0, 0]}\n"
    "  rod: {mass: 1e-3, inertia: [1e-9, 1e-9, 1e-9], position: [0.003, 0, 0]}\n"
    "  bob: {mass: 1e-3, inertia: [1e-8, 1e-8, 1e-8], position: [0.005, 0, -0.004]}\n"
    "  outer: {mass: 1e-3, inertia: [2e-9, 2e-9, 3e-9], position: [0.02, 0, 0]}\n"
    "  inner: {mass: 1e-3, inertia: [1e-9, 8e-10, 9e-10], position: [0.02, 0, 0]}\n"
    "  wheel: {mass: 1e-3, inertia: [5e-10, 9e-10, 5e-10], position: [0.02, 0, 0]}\n"
    "  leaf: {mass: 2e-2, inertia: [2e-7, 5e-7, 4e-7], position: [0.034, 0, 0]}\n"
    "  block: {mass: 1e-3, inertia: [1e-7, 1e-7, 1e-7], position: [0.05, 0, 0]}\n"
    "joints:\n"
    "  main: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  pin: {type: revolute, between: [crank, rod], at: [0.001, 0, 0], axis: [0, 1, 0]}\n"
    "  end: {type: revolute, between: [rod, bob], at: [0.005, 0, 0], axis: [0, 1, 0]}\n"
    "  upright: {type: revolute, between: [ground, outer], at: [0.02, 0, 0], axis: [0, 0, 1]}\n"
    "  level: {type: revolute, between: [outer, inner], at: [0.02, 0, 0], axis: [1, 0, 0]}\n"
    "  axle: {type: revolute, between: [inner, wheel], at: [0.02, 0, 0], axis: [0, 1, 0]}\n"
    "  hinge: {type: revolute, between: [ground, leaf], at: [0.03, 0, 0], axis: [0, 0, 1]}\n"
    "  rail: {type: prismatic, between: [ground, block], at: [0.05, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  push: {type: joint_force, joint: rail, value: 1e-3}\n"
    "simulation: {duration: 1e-3, step: 1e-5}\n"
    "output: {every: 5e-4, record: [energy]}\n";

static void kinds_of(const fixture *f, const char *name, char *kinds, size_t room)
{
    const nt_node *shapes = get(named(f, "bodies", name), "shapes");
    kinds[0] = '\0';
    for (int i = 0; i < shapes->count; i++) {
        const char *kind = get(shapes->values[i], "kind")->text;
        strncat(kinds, kind, room - strlen(kinds) - 2);
        strcat(kinds, " ");
    }
}

static void bodies_by_joints(void **state)
{
    (void)state;
    fixture f = {0};
    nt_error error;
    nt_result_attribute scene;
    char kinds[200];
    write_result(mechanisms, "mechanisms.nc");
    assert_int_equal(nt_result_open(&f.result, "mechanisms.nc", &error), NT_OK);
    assert_non_null(find_attribute(f.result, "scene", &scene));
    assert_int_equal(nt_document_parse(scene.value, scene.length, "scene", NULL, &f.scene, &error),
                     NT_OK);
    const nt_node *root = nt_document_root(f.scene);
    double length = number(get(root, "length")), drawn = number(get(root, "size"));
    assert_true(length > 0.05 && length < 0.08);
    assert_true(drawn <= 0.02 * length && drawn >= 0.004 * length);

    kinds_of(&f, "crank", kinds, sizeof kinds); /* a disk just larger than its throw */
    assert_non_null(strstr(kinds, "cylinder"));
    double radius = number(get(shape(named(&f, "bodies", "crank"), "cylinder"), "size")->values[0]);
    assert_true(fabs(radius - 1.35e-3) < rounding);
    kinds_of(&f, "rod", kinds, sizeof kinds);
    assert_string_equal(kinds, "capsule ");
    check_numbers(get(shape(named(&f, "bodies", "rod"), "capsule"), "size"),
                  (const double[2]){1.1 * drawn, 0.004}, 2);
    kinds_of(&f, "bob", kinds, sizeof kinds); /* a sphere with its belt on an arm */
    assert_string_equal(kinds, "capsule cylinder sphere ");
    check_numbers(get(shape(named(&f, "bodies", "bob"), "sphere"), "size"),
                  (const double[1]){0.3 * 0.004}, 1);
    kinds_of(&f, "outer", kinds, sizeof kinds); /* a ring with four pivots, its normal along y */
    assert_string_equal(kinds, "capsule capsule capsule capsule tube ");
    double ring = sqrt(2e-9 / 1e-3);
    check_numbers(get(shape(named(&f, "bodies", "outer"), "tube"), "size"),
                  (const double[3]){1.04 * ring, 0.94 * ring, 0.14 * ring}, 3);
    kinds_of(&f, "wheel", kinds, sizeof kinds);
    assert_non_null(strstr(kinds, "cylinder"));
    const nt_node *leaf = get(shape(named(&f, "bodies", "leaf"), "box"), "size");
    assert_true(fabs(number(leaf->values[0]) - 2 * 0.97 * 0.004) < rounding); /* to its hinge */
    assert_true(number(leaf->values[1]) < 0.2 * number(leaf->values[0]));
    kinds_of(&f, "block", kinds, sizeof kinds);
    assert_string_equal(kinds, "box ");
    assert_true(nt_node_is(get(named(&f, "elements", "rail"), "draw"), "piston"));
    nt_result_close(f.result);
    nt_document_destroy(f.scene);
}

/* Without poses there is nothing to draw. */
static void without_poses(void **state)
{
    char model[sizeof text + 40];
    nt_error error;
    nt_result *result;
    nt_result_attribute found;
    (void)state;
    snprintf(model, sizeof model, "%s", text);
    strcpy(strstr(model, "record:"), "poses: false}\n");
    write_result(model, "bare.nc");
    assert_int_equal(nt_result_open(&result, "bare.nc", &error), NT_OK);
    assert_null(find_attribute(result, "scene", &found));
    assert_int_equal(nt_result_array_count(result), 0);
    nt_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_body),
        cmocka_unit_test(box_body),
        cmocka_unit_test(touching_body),
        cmocka_unit_test(elements),
        cmocka_unit_test(loads),
        cmocka_unit_test(without_poses),
        cmocka_unit_test(bodies_by_joints),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
