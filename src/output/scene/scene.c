/* The text of the scene, from a model. */
#include "output/scene/scene.h"

#include "base/error.h"
#include "model/bodies/euler.h"
#include "model/element.h"
#include "output/json.h"

#include <nutate/group.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TRAILS = 12, FEW_BODIES = 4 };

static const char *const drawings[NT_DRAWINGS] = {
    [NT_DRAW_NOTHING] = "none",    [NT_DRAW_WELD] = "weld",   [NT_DRAW_BALL] = "ball",
    [NT_DRAW_PIN] = "pin",         [NT_DRAW_RAIL] = "rail",   [NT_DRAW_SLEEVE] = "sleeve",
    [NT_DRAW_CROSS] = "cross",     [NT_DRAW_PLATE] = "plate", [NT_DRAW_GUIDE] = "guide",
    [NT_DRAW_AXES] = "axes",       [NT_DRAW_ROD] = "rod",     [NT_DRAW_SCREW] = "screw",
    [NT_DRAW_SPRING] = "spring",   [NT_DRAW_COIL] = "coil",   [NT_DRAW_BUSH] = "bush",
    [NT_DRAW_ROPE] = "rope",       [NT_DRAW_FORCE] = "force", [NT_DRAW_TORQUE] = "torque",
    [NT_DRAW_CONTACT] = "contact", [NT_DRAW_SPHERE] = "none", [NT_DRAW_DISK] = "none",
    [NT_DRAW_RING] = "none",       [NT_DRAW_BEAM] = "beam"};

/* Colours that people of all kinds of colour vision tell apart. */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#8c6d31"};
static const char *const ground_color = "#9a9a9a", *const steel = "#b8bcc4";
enum { COLORS = sizeof palette / sizeof palette[0] };

/* ---- sketches ------------------------------------------------------------------------------- */

typedef struct collector {
    nt_sketches *sketches;
    int element;
} collector;

/* Keeps one, its points from the origins of bodies. */
static void keep_sketch(void *to, const nt_sketch *sketch)
{
    collector *c = to;
    nt_sketches *s = c->sketches;
    if (s->n == s->room) {
        int room = s->room > 0 ? 2 * s->room : 16;
        nt_sketch *more = NT_TAKE(&s->arena, room, nt_sketch);
        int *elements = NT_TAKE(&s->arena, room, int);
        if (!more || !elements) {
            s->failed = true;
            return;
        }
        if (s->n > 0) {
            memcpy(more, s->sketch, (size_t)s->n * sizeof *more);
            memcpy(elements, s->element, (size_t)s->n * sizeof *elements);
        }
        s->sketch = more, s->element = elements, s->room = room;
    }
    nt_sketch *kept = &s->sketch[s->n];
    *kept = *sketch;
    for (int i = 0; i < kept->n; i++)
        kept->at[i] = v3_add(kept->at[i], s->run->bodies[kept->body[i]].reference);
    s->element[s->n++] = c->element;
}

static void collect(nt_sketches *s)
{
    const nt_model *model = s->run->model;
    for (int i = 0; i < model->n_elements; i++) {
        collector to = {s, i};
        nt_element_draw(s->run, &model->elements[i], keep_sketch, &to);
    }
}

int nt_scene_loads(const nt_model *model, int *elements)
{
    int n = 0;
    for (int i = 0; i < model->n_elements; i++)
        if (nt_element_has_arrow(&model->elements[i]))
            elements[n++] = i;
    return n;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static double value_of(const nt_sketches *s, const nt_expression *e)
{
    return e ? nt_expression_value(e, s->run->variables) : 0;
}

/* The number of a mesh among those of the scene: each is kept once. */
static int mesh_number(nt_sketches *s, const nt_mesh *mesh)
{
    for (int i = 0; i < s->n_meshes; i++)
        if (s->mesh[i] == mesh)
            return i;
    if (s->n_meshes == NT_SCENE_MESHES) {
        s->failed = true;
        return 0;
    }
    s->mesh[s->n_meshes] = mesh;
    return s->n_meshes++;
}

static void put_solid(nt_json *j, nt_sketches *s, const nt_solid *solid, const char *color)
{
    static const int sizes[NT_FORMS] = {3, 1, 2, 2, 2, 3, 3, 1, 1};
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "kind", nt_shape_forms[solid->form]);
    nt_json_numbers(j, "size", solid->size, sizes[solid->form]);
    nt_json_vector(j, "at", solid->at);
    quat q = solid->turn;
    nt_json_numbers(j, "orientation", (const double[4]){q.w, q.x, q.y, q.z}, 4);
    nt_json_text(j, "color", solid->color ? solid->color : color);
    if (solid->form == NT_FORM_MESH)
        nt_json_number(j, "mesh", mesh_number(s, solid->given->mesh));
    if (solid->form == NT_FORM_POLYGON) {
        nt_json_begin(j, "outline", "[");
        for (int i = 0; i < solid->given->outline.n; i++) {
            const nt_expression *const *at = solid->given->outline.item + 2 * i;
            nt_json_numbers(j, NULL, (const double[2]){value_of(s, at[0]), value_of(s, at[1])}, 2);
        }
        nt_json_end(j, "]");
    }
    nt_json_end(j, "}");
}

static quat turn_of(const nt_sketches *s, const nt_shape *shape)
{
    double x[9], q[4] = {1, 0, 0, 0}, R[9];
    for (int i = 0; i < 9; i++)
        x[i] = value_of(s, shape->turn[i]);
    if (shape->turned & NT_GIVEN_QUATERNION)
        return v3_dot(v3_load(x + 1), v3_load(x + 1)) + x[0] * x[0] > 0 ? quat_unit(quat_load(x))
                                                                        : quat_load(q);
    if (shape->turned & NT_GIVEN_AXIS) { /* x[3]: the angle */
        double length = v3_norm(v3_load(x));
        v3_store(x, v3_scale(length > 0 ? x[3] / length : 0, v3_load(x)));
    }
    if (shape->turned & (NT_GIVEN_AXIS | NT_GIVEN_ROTATION_VECTOR))
        nt_so3_exp(x, q);
    if (shape->turned & NT_GIVEN_ANGLES) {
        m3_store(R, nt_euler_matrix(shape->sequence, x));
        nt_so3_from_matrix(R, q);
    }
    if (shape->turned & NT_GIVEN_MATRIX)
        nt_so3_from_matrix(x, q);
    return quat_load(q);
}

/* Shapes of the file, at a place of the body. */
static void put_given(nt_json *j, nt_sketches *s, const nt_shapes *shapes, v3 place,
                      const char *color)
{
    for (int i = 0; shapes && i < shapes->n; i++) {
        const nt_shape *shape = &shapes->shape[i];
        nt_solid solid = {
            .form = shape->form, .color = shape->color, .given = shape, .turn = turn_of(s, shape)};
        const nt_expression *const *at = shape->at;
        solid.size[0] = 1; /* length of a polygon, scale of a mesh */
        for (int k = 0; k < shape->n_size; k++)
            solid.size[k] = value_of(s, shape->size[k]);
        solid.at = v3_add(place, v3_of(value_of(s, at[0]), value_of(s, at[1]), value_of(s, at[2])));
        put_solid(j, s, &solid, color);
    }
}

/* Whether the body or a marker on it has a shape in the file. */
static bool is_shaped(const nt_run *run, int body)
{
    bool shaped = run->bodies[body].shapes != NULL;
    for (int i = 0; i < run->model->n_markers; i++)
        shaped |= run->markers[i].on == body && run->markers[i].shapes;
    return shaped;
}

static void put_shapes(nt_json *j, nt_sketches *s, int number, const char *color)
{
    const nt_run *run = s->run;
    put_given(j, s, run->bodies[number].shapes, v3_of(0, 0, 0), color);
    for (int i = 0; i < run->model->n_markers; i++)
        if (run->markers[i].on == number)
            put_given(j, s, run->markers[i].shapes, v3_load(run->markers[i].at), color);
    if (!is_shaped(run, number))
        for (const nt_solid *solid = nt_scene_made(s, number); solid; solid = solid->next)
            put_solid(j, s, solid, color);
}

/* Balls and cages of bearings, nodes of beams. */
static bool is_own(const nt_body *body) { return strchr(body->name, '.') != NULL; }

static void put_body(nt_json *j, nt_sketches *s, int number)
{
    const nt_body *body = &s->run->bodies[number];
    const char *color = number == 0    ? ground_color
                        : is_own(body) ? steel
                                       : palette[(number - 1) % COLORS];
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", body->name);
    nt_json_text(j, "color", color);
    nt_json_plain(j, "point", body->point ? "true" : "false");
    nt_json_vector(j, "center", v3_add(body->reference, body->center));
    nt_json_plain(j, "made", is_shaped(s->run, number) ? "false" : "true");
    nt_json_begin(j, "shapes", "[");
    put_shapes(j, s, number, color);
    nt_json_end(j, "]");
    nt_json_end(j, "}");
}

/* ---- points --------------------------------------------------------------------------------- */

static void put_point(nt_json *j, const char *name, int body, v3 at)
{
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", name);
    nt_json_number(j, "body", body);
    nt_json_vector(j, "at", at);
    nt_json_end(j, "}");
}

/* Trails of markers; without any, of the centres of a few bodies, or of the last one. */
static void put_trails(nt_json *j, const nt_run *run)
{
    const nt_model *model = run->model;
    int markers = model->n_markers < MOST_TRAILS ? model->n_markers : MOST_TRAILS, bodies = 0;
    int last = 0;
    for (int i = 0; i < markers; i++)
        put_point(j, run->markers[i].name, run->markers[i].on, v3_load(run->markers[i].at));
    for (int i = 1; i < model->n_bodies && markers == 0; i++)
        if (!is_own(&run->bodies[i]))
            bodies++, last = i;
    for (int i = 1; i < model->n_bodies && markers == 0; i++) {
        const nt_body *body = &run->bodies[i];
        if (!is_own(body) && (bodies <= FEW_BODIES || i == last))
            put_point(j, body->name, i, v3_add(body->reference, body->center));
    }
}

/* ---- elements ------------------------------------------------------------------------------- */

static void put_corner(nt_json *j, int body, v3 at, v3 axis)
{
    nt_json_begin(j, NULL, "{");
    nt_json_number(j, "body", body);
    nt_json_vector(j, "at", at);
    if (v3_dot(axis, axis) > 0)
        nt_json_vector(j, "axis", axis);
    else
        nt_json_plain(j, "axis", "null");
    nt_json_end(j, "}");
}

/* Whether something pushes along a joint: then it is a cylinder with its piston. */
static bool is_pushed(const nt_sketches *s, const nt_sketch *rail)
{
    bool pushed = false;
    for (int i = 0; i < s->n; i++) {
        const nt_sketch *by = &s->sketch[i];
        pushed |= by->drawing == NT_DRAW_FORCE && by->n == 2 && v3_norm(by->axis[0]) > 0 &&
                  by->body[0] == rail->body[0] && by->body[1] == rail->body[1] &&
                  v3_norm(v3_sub(by->at[1], rail->at[1])) < 1e-9 * s->length;
    }
    return pushed && rail->drawing == NT_DRAW_RAIL;
}

/* load: its number where it has an arrow, else -1. */
static void put_element(nt_json *j, nt_sketches *s, int number, int load)
{
    const nt_element *element = &s->run->model->elements[number];
    const nt_sketch none = {.drawing = NT_DRAW_NOTHING}, *sketch = &none;
    for (int i = 0; i < s->n; i++)
        if (s->element[i] == number && !nt_scene_is_solid(s->sketch[i].drawing))
            sketch = &s->sketch[i];
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", element->name);
    nt_json_text(j, "section", element->type->section->name);
    nt_json_text(j, "type", element->type->name);
    nt_json_text(j, "draw", is_pushed(s, sketch) ? "piston" : drawings[sketch->drawing]);
    nt_json_begin(j, "points", "[");
    for (int i = 0; i < sketch->n; i++)
        put_corner(j, sketch->body[i], sketch->at[i], sketch->axis[i]);
    for (int i = 0; i < sketch->count; i++)
        put_corner(j, sketch->first + i, v3_of(0, 0, 0), i == 0 ? sketch->axis[0] : v3_of(0, 0, 0));
    nt_json_end(j, "]");
    nt_json_numbers(j, "size", sketch->size, sketch->size[1] > 0 ? 2 : sketch->size[0] > 0 ? 1 : 0);
    if (load >= 0)
        nt_json_number(j, "load", load);
    else
        nt_json_plain(j, "load", "null");
    nt_json_begin(j, "rest", "[");
    for (int i = 0; i < sketch->count; i++) {
        const nt_body *node = &s->run->bodies[sketch->first + i];
        nt_json_vector(j, NULL, v3_load(node->position));
    }
    nt_json_end(j, "]");
    nt_json_begin(j, "shapes", "[");
    put_given(j, s, sketch->shapes, v3_of(0, 0, 0), palette[number % COLORS]);
    nt_json_end(j, "]");
    nt_json_end(j, "}");
}

static void put_elements(nt_json *j, nt_sketches *s)
{
    const nt_model *model = s->run->model;
    for (int i = 0, load = 0; i < model->n_elements; i++)
        put_element(j, s, i, nt_element_has_arrow(&model->elements[i]) ? load++ : -1);
}

/* ---- meshes --------------------------------------------------------------------------------- */

static void put_mesh(nt_json *j, const nt_mesh *mesh)
{
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", mesh->name);
    nt_json_base64(j, "points", mesh->points, (size_t)mesh->n_points * sizeof *mesh->points);
    nt_json_base64(j, "corners", mesh->corners, (size_t)mesh->n_triangles * sizeof *mesh->corners);
    nt_json_end(j, "}");
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void put_scene(nt_json *j, nt_sketches *s)
{
    const nt_run *run = s->run;
    nt_json_begin(j, NULL, "{");
    nt_json_number(j, "scene", NT_SCENE_VERSION);
    nt_json_number(j, "length", s->length);
    nt_json_number(j, "size", s->size);
    nt_json_vector(j, "gravity", v3_load(run->gravity));
    nt_json_begin(j, "bodies", "[");
    for (int i = 0; i < run->model->n_bodies; i++)
        put_body(j, s, i);
    nt_json_end(j, "]");
    nt_json_begin(j, "markers", "[");
    for (int i = 0; i < run->model->n_markers; i++)
        put_point(j, run->markers[i].name, run->markers[i].on, v3_load(run->markers[i].at));
    nt_json_end(j, "]");
    nt_json_begin(j, "elements", "[");
    put_elements(j, s);
    nt_json_end(j, "]");
    nt_json_begin(j, "trails", "[");
    put_trails(j, run);
    nt_json_end(j, "]");
    nt_json_begin(j, "meshes", "[");
    for (int i = 0; i < s->n_meshes; i++)
        put_mesh(j, s->mesh[i]);
    nt_json_end(j, "]");
    nt_json_end(j, "}");
}

nt_status nt_scene_write(nt_run *run, nt_bytes *out, nt_error *error)
{
    nt_sketches s = {.run = run};
    nt_json j = {.out = out, .first = true};
    nt_decimal_init(&j.decimal);
    collect(&s);
    nt_scene_measure(&s);
    put_scene(&j, &s);
    bool failed = s.failed || out->failed;
    nt_arena_free(&s.arena);
    return failed ? nt_fail(error, NT_NO_MEMORY, "out of memory") : NT_OK;
}
