/* A hand-made model for tests of loads: the ground, two free bodies and one that turns about a
 * fixed point, each with a point of reference away from its origin; elements whose keys are set by
 * name. */
#ifndef TESTS_MODEL_LOAD_BENCH_H
#define TESTS_MODEL_LOAD_BENCH_H

#include "base/error.h"
#include "model/forces/load.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity.h"
#include "model/quantities/signal.h"

#include <nutate/system.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N_BODIES = 4, TURNER = 3, NQ = 18, NV = 15, ROOM = 4, MEMORY = 8, NUMBERS = 8192 };

/* ---- random numbers ------------------------------------------------------------------------- */

static uint64_t seed = 1;

static inline double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static inline v3 random_vector(double size)
{
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return v3_of(x, y, z);
}

/* Rotation by at most sqrt(3) angle. */
static inline quat random_rotation(double angle)
{
    double psi[3], q[4];
    v3_store(psi, random_vector(angle));
    nt_so3_exp(psi, q);
    return quat_load(q);
}

/* ---- the model ------------------------------------------------------------------------------ */

typedef struct bench {
    nt_model model;
    nt_run run;
    double scratch[64];
    nt_body bodies[N_BODIES];
    nt_marker markers[2];
    nt_element elements[ROOM];
    nt_block blocks[3];
    nt_space space;
    nt_matrix matrix;

    double q[NQ], v[NV], memory[MEMORY], map[3][9], t;
    nt_combination combination;
} bench;

static inline void place_body(bench *b, int i, int t_node, int r_node, int q, int v)
{
    static const char *const names[] = {"ground", "first", "second", "turner"};
    nt_body *body = &b->bodies[i];
    body->name = names[i];
    body->t_node = t_node;
    body->r_node = r_node;
    body->q = q;
    body->v = v;
    body->rotation = i - 1;
    body->q0 = (quat){1, 0, 0, 0};
    if (i == 0)
        return;
    body->q0 = random_rotation(1);
    body->x0 = random_vector(1);
    body->reference = random_vector(0.5);
}

/* The data of all elements, of the bench at hand. */
static _Alignas(16) char numbers[NUMBERS];

static inline void *data_of(const nt_element *element) { return numbers + element->data; }

static inline void bench_init(bench *b)
{
    static const int sizes[] = {3, 3, 3, 3, 3};
    memset(b, 0, sizeof *b);
    b->model.file = "test.yaml";
    memset(numbers, 0, sizeof numbers);
    b->run = (nt_run){.model = &b->model,
                      .share = {1, 1, 1},
                      .numbers = numbers,
                      .bodies = b->bodies,
                      .markers = b->markers,
                      .scratch = b->scratch};
    b->model.origin = &b->run;
    b->model.bodies = b->bodies;
    b->model.n_bodies = N_BODIES;
    b->model.markers = b->markers;
    b->model.n_markers = 2;
    b->model.elements = b->elements;
    place_body(b, 0, -1, -1, 0, 0);
    place_body(b, 1, 0, 1, 0, 0);
    place_body(b, 2, 2, 3, 7, 6);
    place_body(b, TURNER, -1, 4, 14, 12);
    b->markers[0] = (nt_marker){.on = 1, .name = "tip"};
    b->markers[1] = (nt_marker){.on = 0, .name = "hook"};
    assert_int_equal(nt_quantity_sort_objects(&b->model), NT_OK);
    v3_store(b->markers[0].at, random_vector(1));
    v3_store(b->markers[1].at, random_vector(1));
    b->blocks[0].kind = b->blocks[1].kind = NT_R3SO3;
    b->blocks[2].kind = NT_SO3;
    nt_space_init(&b->space, b->blocks, 3);
    assert_int_equal(b->space.nv, NV);
    assert_int_equal(nt_pattern_init(&b->model.pattern, 5, 5, sizes), NT_OK);
}

static inline void bench_free(bench *b)
{
    nt_matrix_free(&b->matrix);
    nt_pattern_free(&b->model.pattern);
    nt_arena_free(&b->run.arena);
    nt_arena_free(&b->model.arena);
}

static inline const nt_element_type *find_type(const char *section, const char *name)
{
    for (int i = 0; i < nt_element_type_count(); i++)
        if (strcmp(nt_element_type_at(i)->section->name, section) == 0 &&
            strcmp(nt_element_type_at(i)->name, name) == 0)
            return nt_element_type_at(i);
    return NULL;
}

static inline nt_element *add_element(bench *b, const char *section, const char *type,
                                      const char *name)
{
    nt_element *element = &b->elements[b->model.n_elements++];
    *element = (nt_element){.type = find_type(section, type),
                            .name = name,
                            .part = NT_ALL_PARTS,
                            .place = {.line = 12, .column = 3},
                            .first_row = -1,
                            .node = -1};
    assert_non_null(element->type);
    element->data = b->model.numbers;
    b->model.numbers += (element->type->size + 15) / 16 * 16;
    assert_true(b->model.numbers <= sizeof numbers);
    for (const nt_key *key = element->type->keys; key->name; key++) {
        nt_place_of_point *point =
            (nt_place_of_point *)(void *)((char *)data_of(element) + key->offset);
        if (key->type == NT_KEY_POINT || key->type == NT_KEY_POINTS)
            point->marker = -1;
        if (key->type == NT_KEY_POINTS)
            point[1].marker = -1;
    }
    assert_int_equal(nt_quantity_sort_objects(&b->model), NT_OK);
    return element;
}

static const nt_key *find_key(const nt_key *keys, const char *name)
{
    for (const nt_key *key = keys; key->name; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

/* The place of a key's value, which counts as given; group may be NULL. */
static inline void *give(nt_element *element, const char *group, const char *name)
{
    unsigned *given = data_of(element);
    const nt_key *keys = element->type->keys;
    if (group) {
        const nt_key *outer = find_key(keys, group);
        assert_non_null(outer);
        *given |= 1u << outer->bit;
        keys = outer->group;
    }
    const nt_key *key = find_key(keys, name);
    assert_non_null(key);
    *given |= 1u << key->bit;
    return (char *)data_of(element) + key->offset;
}

static inline void give_number(nt_element *element, const char *name, double value)
{
    *(double *)give(element, NULL, name) = value;
}

static inline void give_point(nt_element *element, const char *name, int i, v3 at)
{
    nt_place_of_point *point = give(element, NULL, name);
    v3_store(point[i].at, at);
}

static inline void give_between(nt_element *element, int a, int b)
{
    int *between = give(element, NULL, "between");
    between[0] = a, between[1] = b;
}

static inline int resolve(void *context, const char *name, int length)
{
    nt_model *model = context;
    if (length == 1 && name[0] == 't')
        return nt_model_time_variable(model);
    int signal = nt_model_signal(model, name, length);
    return signal < 0 ? -1 : nt_model_time_variable(model) + 1 + signal;
}

static inline void give_function(bench *b, nt_element *element, const char *name, int i,
                                 const char *text)
{
    nt_symbols symbols = {.context = &b->model, .resolve = resolve};
    bool law = find_key(element->type->keys, name)->type == NT_KEY_LAW;
    char *value = give(element, NULL, name);
    const nt_expression **function =
        (const nt_expression **)(void *)(value + (law ? offsetof(nt_law, function) : 0));
    nt_error error = {0};
    nt_status status = nt_expression_parse(text, (int)strlen(text), &symbols, &b->model.arena,
                                           &function[i], &error);
    if (status)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, NT_OK);
}

static inline void give_vector(bench *b, nt_element *element, const char *const *text)
{
    for (int i = 0; i < 3; i++)
        give_function(b, element, "value", i, text[i]);
}

/* A joint named hinge, at random. */
static inline nt_element *add_joint(bench *b, const char *type, int first, int second)
{
    nt_element *joint = add_element(b, "joints", type, "hinge");
    give_between(joint, first, second);
    give_point(joint, "at", 0, random_vector(2));
    v3_store(give(joint, NULL, "axis"), random_vector(1));
    return joint;
}

/* Prepare and declare all elements. Joints get the blocks of their friction, and no multipliers. */
static inline void bench_build(bench *b)
{
    for (int i = 0; i < b->model.n_elements; i++) {
        nt_error error = {0};
        nt_element *element = &b->elements[i];
        nt_element_bind(&b->model, element);
        nt_status status = element->type->prepare(&b->run, element, true, &error);
        if (status)
            print_error("%s\n", error.message);
        assert_int_equal(status, NT_OK);
    }
    for (int i = 0; i < b->model.n_signals; i++)
        nt_signal_bind(&b->model, &b->model.signals[i]);
    for (int i = 0; i < b->model.n_elements; i++) {
        nt_element *element = &b->elements[i];
        bool joint = element->type->section == &nt_joint_section;
        assert_int_equal(nt_element_begin_ports(&b->model, element), NT_OK);
        nt_status status =
            joint ? nt_load_declare(&b->model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS)
                  : element->type->declare(&b->model, element);
        assert_int_equal(status, NT_OK);
        assert_int_equal(nt_element_end_ports(&b->model, element), NT_OK);
        assert_true(element->n_ports <= 20 && element->size <= 60);
    }
    assert_int_equal(nt_local_take(&b->run.local, &b->run.arena, 60, 60, 20), NT_OK);
    assert_int_equal(nt_matrix_init(&b->matrix, &b->model.pattern), NT_OK);
}

/* ---- states --------------------------------------------------------------------------------- */

static inline double *rotation_of(bench *b, int body)
{
    return b->q + b->bodies[body].q + (b->bodies[body].t_node >= 0 ? 3 : 0);
}

static inline quat orientation_of(bench *b, int body)
{
    return body == 0 ? (quat){1, 0, 0, 0} : quat_load(rotation_of(b, body));
}

/* Anywhere, but the second body of the pair turned from its place beside the first one by less than
 * 2.6 rad: a bushing takes 3.1. */
static inline void random_state(bench *b, int first, int second)
{
    for (int i = 1; i < N_BODIES; i++) {
        if (b->bodies[i].t_node >= 0)
            v3_store(b->q + b->bodies[i].q, random_vector(2));
        quat_store(rotation_of(b, i), random_rotation(1.7));
    }
    int moved = second > 0 ? second : first, kept = second > 0 ? first : second;
    quat turned = quat_multiply(orientation_of(b, kept), quat_conjugate(b->bodies[kept].q0));
    turned = quat_multiply(quat_multiply(turned, random_rotation(1.5)), b->bodies[moved].q0);
    if (moved > 0)
        quat_store(rotation_of(b, moved), quat_unit(turned));
    for (int i = 0; i < NV; i++)
        b->v[i] = uniform(-2, 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 9; j++)
            b->map[i][j] = uniform(-1, 1);
    b->t = uniform(0, 1);
    b->combination = (nt_combination){.mass = uniform(0.5, 2),
                                      .damping = uniform(0.5, 2),
                                      .stiffness = uniform(0.5, 2),
                                      .multiplier = 1,
                                      .map = &b->map[0][0],
                                      .turn = uniform(-1, 1)};
}

static inline void find_motion(const bench *b, const double *q, const double *v, nt_motion *motion)
{
    nt_motion_init(motion);
    for (int i = 1; i < N_BODIES; i++) {
        const nt_body *body = &b->bodies[i];
        bool moves = body->t_node >= 0;
        motion[i] = (nt_motion){
            .x = moves ? v3_load(q + body->q) : body->x0,
            .R = quat_matrix(quat_load(q + body->q + (moves ? 3 : 0))),
            .v = moves ? v3_load(v + body->v) : v3_of(0, 0, 0),
            .w = v3_load(v + body->v + (moves ? 3 : 0)),
        };
    }
}

/* All elements at one point: energies where wanted, else the residual, and the matrix where it is
 * wanted. */
static inline nt_status look(bench *b, const double *q, const double *v, double *residual,
                             bool tangent, nt_energy *energy)
{
    double variables[1 + 16] = {0};
    nt_motion motion[N_BODIES];
    nt_point at = {.t = b->t, .q = q, .v = v, .memory = b->memory};
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .residual = residual,
                      .matrix = tangent ? &b->matrix : NULL,
                      .combination = tangent ? &b->combination : NULL};
    nt_view view = {.run = &b->run,
                    .model = &b->model,
                    .motion = motion,
                    .bodies = b->bodies,
                    .at = &at,
                    .terms = &terms,
                    .variables = variables,
                    .scratch = b->scratch,
                    .local = &b->run.local,
                    .pair = {NT_T_A, NT_T_B},
                    .energy = energy};
    find_motion(b, q, v, motion);
    assert_true(b->model.n_signals <= 16);
    variables[0] = b->t;
    for (int i = 0; i < b->model.n_signals; i++)
        variables[1 + i] = nt_signal_value(&b->model.signals[i], &view);
    if (residual)
        memset(residual, 0, NV * sizeof *residual);
    if (tangent)
        nt_matrix_zero(&b->matrix);
    if (energy)
        *energy = (nt_energy){0};
    for (int i = 0; i < b->model.n_elements; i++) {
        const nt_element *element = &b->elements[i];
        bool joint = element->type->section == &nt_joint_section;
        nt_local_begin(view.local, element);
        nt_status status = joint ? nt_joint_load_evaluate(element, &view)
                                 : element->type->evaluate(element, &view);
        if (status)
            return status;
        if (!energy)
            nt_local_gather(view.local, &terms);
    }
    return NT_OK;
}

/* ---- for known values ----------------------------------------------------------------------- */

/* Bodies at the origin, upright, reference point = origin, at rest. */
static inline void bench_init_plain(bench *b)
{
    bench_init(b);
    for (int i = 1; i < N_BODIES; i++) {
        b->bodies[i].q0 = (quat){1, 0, 0, 0};
        b->bodies[i].x0 = b->bodies[i].reference = v3_of(0, 0, 0);
    }
    nt_space_identity(&b->space, b->q);
}

/* cmocka's own comparison is in single precision. */
static inline void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g is not %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static inline void assert_vector(const double *r, double x, double y, double z)
{
    assert_close(r[0], x, 1e-12);
    assert_close(r[1], y, 1e-12);
    assert_close(r[2], z, 1e-12);
}

#endif
