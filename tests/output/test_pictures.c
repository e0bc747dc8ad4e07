/* Results as glTF and VTK: what stands in the files against the rows they are made from, and
 * results that cannot be drawn. Other programs' readers are asked in cli/test_pictures.sh. */
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

/* Floats of numbers of size one to ten; a quaternion's sign is free. */
static const double single = 2e-6;
enum { ROWS = 150, BODIES = 2 };

/* Rows of a motion of our own under the scene of a model: two bodies and a spring between them. */
static const char model_text[] =
    "nutate: 1\ntitle: A & \"B\"\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  two: {mass: 1, inertia: [1, 2, 2.5], position: [3, 0, 0], shape: [{box: [1, 1, 1]},\n"
    "        {polygon: [[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]]}, {tube: [2, 1, 1]}]}\n"
    "forces:\n"
    "  coil: {type: spring, between: [one, two], at: [[1, 0, 0], [2, 0, 0]], stiffness: 1,\n"
    "         length: 1}\n"
    "  push: {type: force, on: one, value: [0, 0, 1]}\n"
    "output: {every: 0.1, record: [one.position]}\n";

static double position(int row, int body, int k)
{
    return body == 0 ? 0 : (k == 0 ? 3 : 0.1 * k) + 0.01 * row;
}

/* Turns by 0.3 rad a row about z; the sign of the quaternion jumps. */
static void orientation(int row, int body, double q[4])
{
    double angle = body == 0 ? 0 : 0.15 * row, sign = row % 3 == 1 ? -1 : 1;
    q[0] = sign * cos(angle), q[1] = q[2] = 0, q[3] = sign * sin(angle);
}

/* flaw: what is not a number, 't', 'p', 'l', or 0. */
static void write_rows(const char *path, const char *scene, size_t length, char flaw)
{
    static const char *const bodies[] = {"one", "two"}, *const loads[] = {"push"};
    static const nt_result_column time = {"time", "s", "time"};
    const nt_result_array arrays[] = {
        {"bodies.position", "m", "", "body", "vector", BODIES, 3, bodies},
        {"bodies.orientation", "1", "", "body", "quaternion", BODIES, 4, bodies},
        {"loads.point", "m", "", "load", "vector", 1, 3, loads},
        {"loads.force", "N", "", "load", "vector", 1, 3, loads}};
    const nt_result_attribute attributes[] = {{"scene", scene, length}, {"title", "A & B", 5}};
    const nt_result_file file = {path, NT_NETCDF};
    const nt_result_setup setup = {.files = &file,
                                   .n_files = 1,
                                   .columns = &time,
                                   .n_columns = 1,
                                   .arrays = arrays,
                                   .n_arrays = 4,
                                   .attributes = attributes,
                                   .n_attributes = 2};
    nt_result_writer *writer;
    nt_error error;
    assert_int_equal(nt_result_create(&writer, &setup, &error), NT_OK);
    for (int row = 0; row < ROWS; row++) {
        double values[1 + 7 * BODIES + 6] = {5 + 0.1 * row};
        for (int i = 0; i < 3 * BODIES; i++)
            values[1 + i] = position(row, i / 3, i % 3);
        for (int i = 0; i < BODIES; i++)
            orientation(row, i, values + 1 + 3 * BODIES + 4 * i);
        values[1 + 7 * BODIES + 5] = 1 + row; /* a force along z */
        if (row == 100 && flaw)
            values[flaw == 't' ? 0 : flaw == 'p' ? 4 : 1 + 7 * BODIES] = (double)NAN;
        assert_int_equal(nt_result_write(writer, values, &error), NT_OK);
    }
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
}

/* The scene of the model, from a record of it that has no row. */
static char *scene_of(const char *model, size_t *length)
{
    nt_run *run;
    nt_error error;
    nt_record *record;
    nt_result *result;
    char *text = NULL;
    if (read_run_text(&run, model, strlen(model), "m.yaml", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    assert_int_equal(nt_record_open(&record, run, "none.nc", NT_NETCDF, NULL, &error), NT_OK);
    assert_int_equal(nt_record_close(record, &error), NT_OK);
    destroy_run(run);
    assert_int_equal(nt_result_open(&result, "none.nc", &error), NT_OK);
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        nt_result_attribute a = nt_result_attribute_at(result, i);
        if (strcmp(a.name, "scene") == 0) {
            text = malloc(a.length + 1);
            assert_non_null(text);
            memcpy(text, a.value, *length = a.length);
            text[a.length] = '\0';
        }
    }
    nt_result_close(result);
    assert_non_null(text);
    return text;
}

static nt_status draw(const char *from, const char *to, nt_drawing_format format, long rows,
                      char *remark, nt_error *error)
{
    nt_result *result;
    assert_int_equal(nt_result_open(&result, from, error), NT_OK);
    nt_status status = nt_result_draw(result, to, format, rows, remark, 200, error);
    nt_result_close(result);
    return status;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- glTF ----------------------------------------------------------------------------------- */

typedef struct glb {
    char *bytes;
    const char *binary;
    nt_document *text;
} glb;

static uint32_t word(const char *at)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

static void open_glb(glb *g, const char *path)
{
    size_t size;
    nt_error error;
    g->bytes = read_all(path, &size);
    assert_memory_equal(g->bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(word(g->bytes + 8), size);
    uint32_t length = word(g->bytes + 12);
    assert_memory_equal(g->bytes + 16, "JSON", 4);
    assert_int_equal(length % 4, 0);
    assert_memory_equal(g->bytes + 20 + length + 4, "BIN\0", 4);
    assert_int_equal(word(g->bytes + 20 + length), size - 28 - length);
    g->binary = g->bytes + 28 + length;
    assert_int_equal(nt_document_parse(g->bytes + 20, length, "glb", NULL, &g->text, &error),
                     NT_OK);
}

static void close_glb(glb *g)
{
    nt_document_destroy(g->text);
    free(g->bytes);
}

static long number(const nt_node *node, const char *name)
{
    const nt_node *found = nt_node_find(node, name);
    if (!found)
        fail_msg("no %s", name);
    return strtol(found->text, NULL, 10);
}

static const nt_node *item(const glb *g, const char *list, long i)
{
    const nt_node *items = nt_node_find(nt_document_root(g->text), list);
    assert_true(items && i >= 0 && i < items->count);
    return items->values[i];
}

static const float *numbers(const glb *g, long accessor, long *count)
{
    const nt_node *a = item(g, "accessors", accessor);
    const nt_node *view = item(g, "bufferViews", number(a, "bufferView"));
    *count = number(a, "count");
    return (const float *)(const void *)(g->binary + number(view, "byteOffset"));
}

/* What moves a node along a path, and when. */
static const float *track(const glb *g, const char *name, const char *path, const float **times,
                          long *count)
{
    const nt_node *animation = item(g, "animations", 0);
    const nt_node *channels = nt_node_find(animation, "channels");
    for (int i = 0; i < channels->count; i++) {
        const nt_node *target = nt_node_find(channels->values[i], "target");
        const nt_node *node = item(g, "nodes", number(target, "node"));
        if (!nt_node_is(nt_node_find(node, "name"), name) ||
            !nt_node_is(nt_node_find(target, "path"), path))
            continue;
        const nt_node *sampler =
            nt_node_find(animation, "samplers")->values[number(channels->values[i], "sampler")];
        assert_true(nt_node_is(nt_node_find(sampler, "interpolation"), "LINEAR"));
        *times = numbers(g, number(sampler, "input"), count);
        return numbers(g, number(sampler, "output"), count);
    }
    fail_msg("%s has no %s", name, path);
    return NULL;
}

static void gltf_tracks(void **state)
{
    glb g;
    char remark[200];
    nt_error error;
    const float *times;
    long count;
    (void)state;
    assert_int_equal(draw("rows.nc", "rows.glb", NT_GLTF, 0, remark, &error), NT_OK);
    assert_string_equal(remark, "");
    open_glb(&g, "rows.glb");
    const float *x = track(&g, "two", "translation", &times, &count);
    const float *q = track(&g, "two", "rotation", &times, &count);
    assert_int_equal(count, ROWS);
    for (int row = 0; row < ROWS; row++) {
        double turn[4], dot = 0, same = 0;
        const float *now = q + 4 * row;
        orientation(row, 1, turn);
        assert_true(fabs((double)times[row] - 0.1 * row) < 10 * single); /* from 0 on */
        for (int k = 0; k < 3; k++)
            assert_true(fabs((double)x[3 * row + k] - position(row, 1, k)) < single);
        for (int k = 0; k < 4; k++) {
            dot += (double)now[k] * turn[(k + 1) % 4];
            same += row > 0 ? (double)(now[k] * q[4 * (row - 1) + k]) : 1;
        }
        assert_true(fabs(fabs(dot) - 1) < single);
        assert_true(same > 0); /* the short way between rows */
    }
    const float *scale = track(&g, "coil", "scale", &times, &count);
    const float *from = track(&g, "coil", "translation", &times, &count);
    const float *turn = track(&g, "coil", "rotation", &times, &count);
    for (int row = 0; row < ROWS; row++) {
        double a[4], to[3], end[3];
        orientation(row, 1, a);
        double c = a[0] * a[0] - a[3] * a[3], s = 2 * a[0] * a[3];
        to[0] = position(row, 1, 0) - c, to[1] = position(row, 1, 1) - s;
        to[2] = position(row, 1, 2);
        const float *r = turn + 4 * row; /* x y z w: where it takes z */
        end[0] = 2 * (double)(r[0] * r[2] + r[3] * r[1]);
        end[1] = 2 * (double)(r[1] * r[2] - r[3] * r[0]);
        end[2] = 1 - 2 * (double)(r[0] * r[0] + r[1] * r[1]);
        assert_true(fabs((double)from[3 * row] - 1) < single); /* at [1, 0, 0] of one */
        for (int k = 0; k < 3; k++)
            assert_true(fabs((double)from[3 * row + k] + (double)scale[3 * row + 2] * end[k] -
                             to[k]) < 5 * single);
    }
    const float *arrow = track(&g, "push", "scale", &times, &count); /* as the force grows */
    assert_true(fabs((double)(arrow[3 * (ROWS - 1) + 2] / arrow[2]) - ROWS) < 1e-3);
    close_glb(&g);
}

/* Every triangle outward: the volume of each closed shape, by its corners. */
static void gltf_volumes(void **state)
{
    glb g;
    long count, corners;
    (void)state;
    open_glb(&g, "rows.glb");
    const nt_node *meshes = nt_node_find(nt_document_root(g.text), "meshes"), *mesh = NULL;
    for (int i = meshes->count - 1; i >= 0; i--) /* the body's; its trail's comes later */
        if (nt_node_is(nt_node_find(meshes->values[i], "name"), "two"))
            mesh = meshes->values[i];
    assert_non_null(mesh);
    const nt_node *primitive = nt_node_find(mesh, "primitives")->values[0];
    const float *x = numbers(&g, number(nt_node_find(primitive, "attributes"), "POSITION"), &count);
    const uint32_t *corner =
        (const uint32_t *)(const void *)numbers(&g, number(primitive, "indices"), &corners);
    double volume = 0;
    for (long i = 0; i + 2 < corners; i += 3) {
        const float *a = x + 3 * corner[i], *b = x + 3 * corner[i + 1], *c = x + 3 * corner[i + 2];
        assert_true(corner[i] < count && corner[i + 1] < count && corner[i + 2] < count);
        volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    /* a box; a polygon of area 2.5; a tube whose circles have 20 corners */
    double ring = 10 * sin(2 * 3.14159265358979323846 / 20) * (4 - 1);
    assert_true(fabs(volume - (1 + 2.5 + ring)) < 1e-4);
    close_glb(&g);
}

static void fewer_rows(void **state)
{
    glb g;
    char remark[200];
    nt_error error;
    const float *times;
    long count;
    (void)state;
    assert_int_equal(draw("rows.nc", "few.glb", NT_GLTF, 10, remark, &error), NT_OK);
    assert_string_equal(remark, "every row number 17 of 150");
    open_glb(&g, "few.glb");
    track(&g, "two", "translation", &times, &count);
    assert_true(count <= 10);
    assert_true(fabs((double)times[1] - 1.7) < 10 * single);
    assert_true(fabs((double)times[count - 1] - 14.9) < 10 * single); /* the last one */
    close_glb(&g);
}

/* A rail is as long as the body goes on it, with the same room at both ends; so is the cylinder of
 * a piston, but for its room. */
static void gltf_rails(void **state)
{
    const char *const pushes[] = {"",
                                  "forces:\n  push: {type: joint_force, joint: slide, value: 1}\n"};
    (void)state;
    for (int piston = 0; piston < 2; piston++) {
        char text[600];
        glb g;
        size_t length;
        nt_error error;
        double low = INFINITY, high = -INFINITY;
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies:\n  one: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                 "  two: {mass: 1, inertia: [1, 2, 2.5], position: [3, 0, 0]}\njoints:\n"
                 "  slide: {type: prismatic, between: [one, two], at: [3, 0, 0], axis: [1, 0, 0]}\n"
                 "%soutput: {every: 0.1, record: [one.position]}\n",
                 pushes[piston]);
        char *scene = scene_of(text, &length);
        assert_true((strstr(scene, "piston") != NULL) == piston);
        write_rows("slide.nc", scene, length, 0);
        free(scene);
        assert_int_equal(draw("slide.nc", "slide.glb", NT_GLTF, 0, NULL, &error), NT_OK);
        open_glb(&g, "slide.glb");
        const nt_node *meshes = nt_node_find(nt_document_root(g.text), "meshes");
        int first = 0; /* a body's mesh comes before that of its trail */
        while (!nt_node_is(nt_node_find(meshes->values[first], "name"), "one"))
            first++;
        const nt_node *parts = nt_node_find(meshes->values[first], "primitives");
        const nt_node *of = nt_node_find(parts->values[parts->count - 1], "attributes");
        long n;
        const float *x = numbers(&g, number(of, "POSITION"), &n);
        for (long k = 0; k < n; k++)
            low = fmin(low, (double)x[3 * k]), high = fmax(high, (double)x[3 * k]);
        double way = position(ROWS - 1, 1, 0) - position(0, 1, 0);
        double room = high - low - way;
        if (!(room > 0 && room < 2 * way))
            fail_msg("from %g to %g for a way of %g", low, high, way);
        if (piston)
            assert_true(high < 3); /* its top is below where the other is lowest */
        else
            assert_true(fabs(0.5 * (high + low) - (3 + 0.5 * way)) < 10 * single);
        close_glb(&g);
    }
}

/* ---- VTK ------------------------------------------------------------------------------------ */

static void vtk_frames(void **state)
{
    nt_error error;
    char remark[200];
    size_t size;
    int frames = 0;
    (void)state;
    assert_int_equal(draw("rows.nc", "rows.pvd", NT_VTK, 0, remark, &error), NT_OK);
    char *list = read_all("rows.pvd", &size);
    for (const char *at = list; (at = strstr(at, "part=\"0\"")) != NULL; at++)
        frames++;
    assert_int_equal(frames, ROWS);
    assert_non_null(strstr(list, "timestep=\"5\" part=\"0\" file=\"rows/frame_000000.vtp\""));
    free(list);
    char *first = read_all("rows/frame_000000.vtp", &size);
    char *last = read_all("rows/frame_000149.vtp", &size);
    assert_int_equal(strlen(first), strlen(last)); /* the same head */
    free(first);
    free(last);
    char *loads = read_all("rows/loads_000149.vtp", &size);
    const char *data = memchr(loads, '_', size);
    while (data && strncmp(data - 2, ">\n_", 3) != 0)
        data = memchr(data + 1, '_', size - (size_t)(data + 1 - loads));
    assert_non_null(data);
    float force[3];
    memcpy(force, data + 1 + 8, sizeof force);
    assert_true(force[0] == 0 && force[1] == 0 && force[2] == 150);
    free(loads);
}

/* ---- what cannot be drawn ------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct {
        const char *scene;
        char flaw;
        nt_status status;
        const char *words;
    } rows[] = {
        {NULL, 't', NT_NOT_FINITE, "row 101: the time is no finite number"},
        {NULL, 'p', NT_NOT_FINITE, "row 101: the pose of body two is no finite number"},
        {NULL, 'l', NT_NOT_FINITE, "row 101: load 1 is no finite number"},
        {"{\"scene\": ", 0, NT_INVALID, "is no JSON"},
        {"{\"scene\": 1}", 0, NT_INVALID, "it has no bodies"},
        {"{\"bodies\": [{\"name\": \"ground\"}, {\"name\": \"a\"}]}", 0, NT_INVALID,
         "its scene has 1 bodies"},
        {"{\"bodies\": [{\"name\": \"g\", \"shapes\": [{\"kind\": \"blob\"}]}]}", 0, NT_INVALID,
         "of no known kind"},
        {"{\"bodies\": [{\"name\": \"g\", \"shapes\": [{\"kind\": \"mesh\", \"mesh\": 3}]}]}", 0,
         NT_INVALID, "names a mesh that is not there"},
    };
    size_t length;
    char *scene = scene_of(model_text, &length);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_error error;
        bool own = rows[i].scene != NULL;
        write_rows("bad.nc", own ? rows[i].scene : scene, own ? strlen(rows[i].scene) : length,
                   rows[i].flaw);
        remove("bad.glb");
        assert_int_equal(draw("bad.nc", "bad.glb", NT_GLTF, 0, NULL, &error), rows[i].status);
        if (!strstr(error.message, rows[i].words))
            fail_msg("%s: %s", rows[i].words, error.message);
        assert_null(fopen("bad.glb", "rb"));
    }
    free(scene);
    nt_error error;
    assert_int_equal(draw("none.nc", "bad.glb", NT_GLTF, 0, NULL, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "no rows yet"));
    assert_int_equal(draw("rows.nc", "none/bad.glb", NT_GLTF, 0, NULL, &error), NT_IO);
    assert_int_equal(draw("rows.nc", "none/bad.pvd", NT_VTK, 0, NULL, &error), NT_IO);
    FILE *csv = fopen("bare.csv", "w");
    assert_non_null(csv);
    fputs("time,a\n0,1\n", csv);
    fclose(csv);
    assert_int_equal(draw("bare.csv", "bad.glb", NT_GLTF, 0, NULL, &error), NT_INVALID);
}

static int set_up(void **state)
{
    size_t length;
    char *scene = scene_of(model_text, &length);
    (void)state;
    write_rows("rows.nc", scene, length, 0);
    free(scene);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gltf_tracks), cmocka_unit_test(gltf_volumes), cmocka_unit_test(gltf_rails),
        cmocka_unit_test(fewer_rows),  cmocka_unit_test(vtk_frames),   cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
