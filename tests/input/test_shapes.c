/* Shapes in model files: what is read of each form and of mesh files, and what is refused where. */
#include "model/model.h"
#include "model/run.h"
#include "model/shapes.h"
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

/* `shape` stands in line 6, its value from column 12 on. */
static const char frame[] = "nutate: 1\nparameters: {r: 0.1}\nbodies:\n  a:\n    mass: 1\n"
                            "    shape: %s\nmarkers:\n  tip: {on: a, shape: {sphere: r}}\n";

static nt_status read_shape(nt_model **model, const char *shape, nt_error *error)
{
    char text[2000];
    int length = snprintf(text, sizeof text, frame, shape);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return nt_model_read_text(model, text, (size_t)length, "shapes.yaml", NULL, NULL, 0, error);
}

static const nt_shapes *shapes_of(const char *shape, nt_model **model)
{
    nt_error error;
    if (read_shape(model, shape, &error) != NT_OK)
        fail_msg("%s: %s", shape, error.message);
    const nt_shapes *shapes = (*model)->origin->bodies[1].shapes;
    assert_non_null(shapes);
    return shapes;
}

static double value(const nt_model *model, const nt_expression *e)
{
    return nt_expression_value(e, model->origin->variables);
}

/* ---- forms ---------------------------------------------------------------------------------- */

static void forms(void **unused)
{
    static const struct {
        const char *text;
        nt_form form;
        int n;
        double size[3];
    } rows[] = {
        {"{box: [1, 2, 3*r]}", NT_FORM_BOX, 3, {1, 2, 0.3}},
        {"{sphere: r}", NT_FORM_SPHERE, 1, {0.1}},
        {"{cylinder: [1, 2]}", NT_FORM_CYLINDER, 2, {1, 2}},
        {"{capsule: [1, 2]}", NT_FORM_CAPSULE, 2, {1, 2}},
        {"{cone: [1, 2]}", NT_FORM_CONE, 2, {1, 2}},
        {"{tube: [2, 1, 3]}", NT_FORM_TUBE, 3, {2, 1, 3}},
        {"{tube: [2, 0, 3]}", NT_FORM_TUBE, 3, {2, 0, 3}},
        {"{ellipsoid: [1, 2, 3]}", NT_FORM_ELLIPSOID, 3, {1, 2, 3}},
        {"{polygon: [[0, 0], [1, 0], [1, r]], length: 4}", NT_FORM_POLYGON, 1, {4}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_model *model;
        const nt_shapes *shapes = shapes_of(rows[i].text, &model);
        assert_int_equal(shapes->n, 1);
        assert_int_equal(shapes->shape->form, rows[i].form);
        assert_int_equal(shapes->shape->n_size, rows[i].n);
        for (int k = 0; k < rows[i].n; k++)
            assert_true(fabs(value(model, shapes->shape->size[k]) - rows[i].size[k]) < 1e-15);
        nt_model_destroy(model);
    }
}

static void several(void **unused)
{
    nt_model *model;
    (void)unused;
    const nt_shapes *shapes =
        shapes_of("[{sphere: 1, color: red}, {sphere: 2, at: [0, 0, r], color: \"#0aF203\"}, "
                  "{box: [1, 1, 1], color: [1, 0, 0.5], orientation: {axis: [0, 0, 1], angle: r}}]",
                  &model);
    assert_int_equal(shapes->n, 3);
    assert_string_equal(shapes->shape[0].color, "#d62728");
    assert_string_equal(shapes->shape[1].color, "#0aF203");
    assert_string_equal(shapes->shape[2].color, "#ff0080");
    assert_true(value(model, shapes->shape[1].at[2]) == 0.1);
    assert_int_equal(shapes->shape[2].turned, NT_GIVEN_AXIS);
    assert_true(value(model, shapes->shape[2].turn[3]) == 0.1);
    assert_int_equal(model->origin->markers[0].shapes->n, 1);
    nt_model_destroy(model);
    assert_int_equal(shapes_of("[]", &model)->n, 0);
    nt_model_destroy(model);
}

/* ---- meshes --------------------------------------------------------------------------------- */

static const float corners[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                       {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void write_binary(const char *path, unsigned n, unsigned written, float first)
{
    FILE *file = fopen(path, "wb");
    char head[80] = "solid as a text would begin", rest[2] = {0};
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file);
    fwrite(&n, 4, 1, file);
    for (unsigned i = 0; i < written; i++) {
        float record[12] = {0};
        memcpy(record + 3, corners[i % 4], sizeof corners[0]);
        record[3] = i == 0 ? first : record[3];
        fwrite(record, sizeof record, 1, file);
        fwrite(rest, 2, 1, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A tetrahedron has four points however often a file says them. */
static void meshes(void **unused)
{
    char text[2000] = "solid a\n";
    static const char *const files[] = {"tetra.stl", "text.stl", "tetra.obj"};
    (void)unused;
    write_binary("tetra.stl", 4, 4, 0);
    for (int i = 0; i < 4; i++) {
        strcat(text, "facet normal 0 0 0\r\n outer loop\r\n");
        for (int k = 0; k < 3; k++) {
            const float *x = corners[i][k];
            snprintf(text + strlen(text), 60, "  vertex %g %g %g\r\n", (double)x[0], (double)x[1],
                     (double)x[2]);
        }
        strcat(text, " endloop\r\nendfacet\r\n");
    }
    strcat(text, "endsolid a\n");
    write_text("text.stl", text);
    write_text("tetra.obj", "# four\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\no a\n"
                            "f 1/1/1 3//2 2\nf 1 2 4\nf -4 -1 -2\nf 2 3 4\n");
    for (int i = 0; i < 3; i++) {
        nt_model *model;
        char shape[100];
        snprintf(shape, sizeof shape, "[{mesh: %s, scale: 0.001}, {mesh: %s}]", files[i], files[i]);
        const nt_shapes *shapes = shapes_of(shape, &model);
        const nt_mesh *mesh = shapes->shape[0].mesh;
        assert_ptr_equal(mesh, shapes->shape[1].mesh); /* read once */
        assert_int_equal(mesh->n_points, 4);
        assert_int_equal(mesh->n_triangles, 4);
        double volume = 0; /* outward: positive */
        for (int k = 0; k < 4; k++) {
            const float *a = mesh->points[mesh->corners[k][0]];
            const float *b = mesh->points[mesh->corners[k][1]];
            const float *c = mesh->points[mesh->corners[k][2]];
            volume +=
                (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                         a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
        }
        assert_true(fabs(volume - 1.0 / 6) < 1e-7);
        nt_model_destroy(model);
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

typedef struct refused {
    const char *text, *words, *file;
    int line, column;
} refused;

static void check_refused(const refused *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nt_model *model;
        nt_error error;
        assert_int_equal(read_shape(&model, rows[i].text, &error), NT_BAD_MODEL);
        if (!strstr(error.message, rows[i].words) || error.line != rows[i].line ||
            error.column != rows[i].column || strcmp(error.file, rows[i].file) != 0)
            fail_msg("%s: %s:%d:%d: %s", rows[i].text, error.file, error.line, error.column,
                     error.message);
    }
}

static void bad_shapes(void **unused)
{
    static const char m[] = "shapes.yaml";
    static const refused rows[] = {
        {"5", "expected a mapping such as", m, 6, 12},
        {"{bx: [1, 1, 1]}", "did you mean 'box'?", m, 6, 13},
        {"{color: red}", "has no form, expected one of box", m, 6, 12},
        {"{sphere: 1, box: [1, 1, 1]}", "more than one form", m, 6, 12},
        {"{box: [1, -r, 2]}", "size -0.1, expected numbers above zero", m, 6, 12},
        {"{sphere: 0}", "size 0", m, 6, 12},
        {"{sphere: t}", "is the time", m, 6, 21},
        {"{sphere: 1/0}", "expected a finite number", m, 6, 21},
        {"{cone: [1]}", "expected a list of 2", m, 6, 19},
        {"{tube: [1, 2, 3]}", "no smaller than the outer one", m, 6, 12},
        {"{sphere: 1, color: rde}", "did you mean 'red'?", m, 6, 31},
        {"{sphere: 1, color: \"#12345\"}", "color: expected", m, 6, 31},
        {"{sphere: 1, color: [0, 0, 2]}", "color: expected", m, 6, 38},
        {"{sphere: 1, length: 2}", "says nothing without 'polygon'", m, 6, 24},
        {"{sphere: 1, at: [0, 0]}", "expected a list of 3", m, 6, 28},
        {"{sphere: 1, orientation: {quaternion: [0, 0, 0, 0]}}", "all zero", m, 6, 12},
        {"{sphere: 1, orientation: {rotation_vector: [0, 0, 1], quaternion: [1, 0, 0, 0]}}",
         "expected one of quaternion", m, 6, 12},
        {"{polygon: [[0, 0], [1, 1]]}", "3 or more lists of 2", m, 6, 22},
        {"{polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]}", "corners 1 and 3 cross", m, 6, 22},
        {"{polygon: [[0, 0], [1, 1], [2, 2]]}", "has no area", m, 6, 22},
        {"[{sphere: 1}, 7]", "shape: expected a mapping of keys", m, 6, 26},
    };
    (void)unused;
    check_refused(rows, sizeof rows / sizeof rows[0]);
}

static void bad_meshes(void **unused)
{
    static const char m[] = "shapes.yaml";
    static const refused rows[] = {
        {"{mesh: none.stl}", "'none.stl' cannot be opened", m, 6, 19},
        {"{mesh: shapes.ply}", "ends in .stl or .obj", m, 6, 19},
        {"{mesh: broken.stl}", "is no STL", m, 6, 19},
        {"{mesh: nan.stl}", "no finite number", m, 6, 19},
        {"{mesh: empty.stl}", "holds no triangle", m, 6, 19},
        {"{mesh: huge.stl}", "holds 10000000 triangles, expected at most 1000000", m, 6, 19},
        {"{mesh: cut.stl}", "ends within a facet", "cut.stl", 4, 1},
        {"{mesh: word.stl}", "expected three numbers", "word.stl", 4, 1},
        {"{mesh: beyond.obj}", "none of the points before it", "beyond.obj", 3, 1},
        {"{mesh: two.obj}", "less than three corners", "two.obj", 3, 1},
    };
    (void)unused;
    write_text("broken.stl", "this is no solid at all");
    write_binary("nan.stl", 4, 4, (float)NAN);
    write_binary("empty.stl", 0, 0, 0);
    write_binary("huge.stl", 10000000, 1, 0);
    write_text("cut.stl", "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\n");
    write_text("word.stl", "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 q\n");
    write_text("beyond.obj", "v 0 0 0\nv 1 0 0\nf 1 2 7\n");
    write_text("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n");
    FILE *file = fopen("huge.stl", "r+b"); /* as long as its head says, without taking the disk */
    assert_non_null(file);
    assert_int_equal(fseek(file, 84 + 50L * 10000000 - 1, SEEK_SET), 0);
    fputc(0, file);
    assert_int_equal(fclose(file), 0);
    check_refused(rows, sizeof rows / sizeof rows[0]);
    assert_int_equal(remove("huge.stl"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),      cmocka_unit_test(several),    cmocka_unit_test(meshes),
        cmocka_unit_test(bad_shapes), cmocka_unit_test(bad_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
