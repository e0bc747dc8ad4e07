/* Elements of a scene: joints as solids on their bodies, springs, rods and ropes as parts between
 * points, arrows of loads, beams as skins over their nodes. */
#include "output/scene/stage.h"

#include "base/error.h"

#include <string.h>

static const char *const joint_color = "#5a5a5a", *const spring_color = "#3c7a3c";
static const char *const rope_color = "#7a5c3c", *const force_color = "#d62728";
static const char *const contact_color = "#e69f00", *const torque_color = "#9467bd";

/* ---- points --------------------------------------------------------------------------------- */

typedef struct corner {
    int body;
    v3 at, axis; /* zero: none */
} corner;

static int count_points(const nt_node *element)
{
    const nt_node *points = nt_node_find(element, "points");
    return points && points->kind == NT_NODE_LIST ? points->count : 0;
}

static corner corner_of(const nt_stage *stage, const nt_node *element, int i)
{
    const nt_node *point = nt_node_find(element, "points")->values[i];
    return (corner){.body = nt_node_body(stage, point),
                    .at = nt_node_vector(nt_node_find(point, "at")),
                    .axis = nt_node_vector(nt_node_find(point, "axis"))};
}

/* The rotation that takes z to a direction the short way. */
static quat turn_to(v3 axis)
{
    double length = v3_norm(axis);
    if (!(length > 0))
        return (quat){1, 0, 0, 0};
    v3 a = v3_scale(1 / length, axis);
    return a.z < -1 + 1e-12 ? (quat){0, 1, 0, 0} : quat_unit((quat){1 + a.z, -a.y, a.x, 0});
}

/* ---- joints --------------------------------------------------------------------------------- */

static bool add_solid(nt_stage *stage, const corner *c, nt_form form, double a, double b, double d)
{
    nt_part *part = nt_stage_part(stage, c->body, joint_color);
    double r = stage->size;
    const nt_figure figure = {
        .form = form, .size = {a * r, b * r, d * r}, .at = c->at, .turn = turn_to(c->axis)};
    if (part)
        nt_figure_add(&figure, part);
    return part != NULL;
}

/* About the axis of a corner, from one place on it to another. */
static bool add_along(nt_stage *stage, const corner *c, nt_form form, double outer, double inner,
                      double low, double high)
{
    corner middle = *c;
    middle.at = v3_axpy(0.5 * (low + high) * stage->size, c->axis, c->at);
    return form == NT_FORM_TUBE ? add_solid(stage, &middle, form, outer, inner, high - low)
                                : add_solid(stage, &middle, form, outer, high - low, 0);
}

/* In units of the size that suits drawings of joints. */
static bool add_joint(nt_stage *stage, const nt_node *draw, const corner *a, const corner *b)
{
    const double side = 0.5 * stage->length / stage->size;
    if (nt_node_is(draw, "weld"))
        return add_solid(stage, a, NT_FORM_BOX, 1.8, 1.8, 1.8);
    if (nt_node_is(draw, "ball"))
        return add_solid(stage, a, NT_FORM_SPHERE, 1.3, 0, 0);
    if (nt_node_is(draw, "pin"))
        return add_solid(stage, a, NT_FORM_CYLINDER, 0.8, 5, 0) &&
               add_solid(stage, b, NT_FORM_TUBE, 1.5, 0.8, 2.4);
    if (nt_node_is(draw, "cross"))
        return add_solid(stage, a, NT_FORM_CYLINDER, 0.6, 5, 0) &&
               add_solid(stage, b, NT_FORM_CYLINDER, 0.6, 5, 0);
    if (nt_node_is(draw, "plate"))
        return add_solid(stage, a, NT_FORM_BOX, side, side, 0.2);
    if (nt_node_is(draw, "bush"))
        return add_solid(stage, a, NT_FORM_TUBE, 1.8, 1, 2.4);
    if (nt_node_is(draw, "coil"))
        return add_solid(stage, a, NT_FORM_TUBE, 2.6, 2.2, 0.6);
    return true;
}

/* ---- joints that slide ---------------------------------------------------------------------- */

static bool slides(const nt_node *draw)
{
    return nt_node_is(draw, "rail") || nt_node_is(draw, "piston") || nt_node_is(draw, "sleeve") ||
           nt_node_is(draw, "screw") || nt_node_is(draw, "guide");
}

static void note_slide(nt_stage *stage, const nt_node *draw, const corner *a, const corner *b)
{
    double length = v3_norm(a->axis);
    v3 axis = length > 0 ? v3_scale(1 / length, a->axis) : v3_of(0, 0, 1);
    stage->slides[stage->n_slides++] = (nt_slide){
        .draw = draw, .body = {a->body, b->body}, .at = {a->at, b->at}, .axis = {axis, b->axis}};
}

/* As long as B goes, with some room. A piston's rod reaches down to the bottom of its cylinder
 * where B is lowest. */
static bool add_slide(nt_stage *stage, const nt_slide *slide)
{
    const corner a = {slide->body[0], slide->at[0], slide->axis[0]};
    const corner b = {slide->body[1], slide->at[1], slide->axis[1]};
    const double ROOM = 5, r = stage->size;
    double low = slide->low / r, high = slide->high / r, stroke = high - low + 6, top = low - 4;
    if (nt_node_is(slide->draw, "piston"))
        return add_along(stage, &a, NT_FORM_TUBE, 2, 1.2, top - stroke, top) &&
               add_along(stage, &b, NT_FORM_CYLINDER, 0.8, 0, -(stroke + 2), 0);
    low -= ROOM, high += ROOM;
    if (nt_node_is(slide->draw, "rail")) {
        corner middle = a;
        middle.at = v3_axpy(0.5 * (low + high) * r, a.axis, a.at);
        return add_solid(stage, &middle, NT_FORM_BOX, 0.8, 0.8, high - low) &&
               add_solid(stage, &b, NT_FORM_BOX, 2.4, 2.4, 4);
    }
    if (nt_node_is(slide->draw, "guide"))
        return add_along(stage, &a, NT_FORM_CYLINDER, 0.4, 0, low, high) &&
               add_solid(stage, &b, NT_FORM_SPHERE, 1.2, 0, 0);
    return add_along(stage, &a, NT_FORM_CYLINDER, 0.6, 0, low, high) &&
           add_solid(stage, &b, NT_FORM_TUBE, 1.5, 0.7, 4);
}

nt_status nt_stage_add_slides(nt_stage *stage, nt_error *error)
{
    for (int i = 0; i < stage->n_slides; i++)
        if (!add_slide(stage, &stage->slides[i]))
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
    return NT_OK;
}

/* ---- links ---------------------------------------------------------------------------------- */

static nt_link *new_link(nt_stage *stage, const nt_node *element, const char *color)
{
    const nt_node *name = nt_node_find(element, "name");
    nt_link *link = &stage->links[stage->n_links++];
    *link = (nt_link){.name = name ? name->text : "",
                      .load = -1,
                      .turn = {1, 0, 0, 0},
                      .along = {0, 0, 1},
                      .part = {.color = color}};
    return link;
}

/* A coil of length 1 along z; its wire is round where it is a third of the whole long. */
static void add_coil(const nt_stage *stage, nt_part *part)
{
    double r = stage->size, length = 0.3 * stage->length;
    nt_coil_add(1.2 * r, 0.24 * r, 8, length, part);
    float *points = (float *)(void *)part->points.at;
    for (size_t i = 2; i < part->points.used / sizeof *points; i += 3)
        points[i] = (float)((double)points[i] / length);
}

static void add_lines(nt_stage *stage, const nt_node *element, const nt_node *draw, int n)
{
    bool spring = nt_node_is(draw, "spring");
    for (int i = 0; i + 1 < n; i++) {
        nt_link *link = new_link(stage, element, spring ? spring_color : rope_color);
        for (int k = 0; k < 2; k++) {
            corner c = corner_of(stage, element, i + k);
            link->body[k] = c.body;
            link->at[k] = c.at;
        }
        double r = stage->size, thick = nt_node_is(draw, "rod") ? 0.5 : 0.25;
        const nt_figure line = {.form = NT_FORM_CYLINDER,
                                .size = {thick * r, 1},
                                .at = {0, 0, 0.5},
                                .turn = {1, 0, 0, 0}};
        if (spring)
            add_coil(stage, &link->part);
        else
            nt_figure_add(&line, &link->part);
    }
}

static void add_arrow(nt_stage *stage, const nt_node *element, const nt_node *draw, int load)
{
    bool torque = nt_node_is(draw, "torque");
    nt_link *link = new_link(stage, element,
                             torque                        ? torque_color
                             : nt_node_is(draw, "contact") ? contact_color
                                                           : force_color);
    link->load = load;
    link->torque = torque;
    nt_arrow_add(0.5 * stage->size, &link->part);
}

/* ---- beams ---------------------------------------------------------------------------------- */

static nt_status read_rest(nt_stage *stage, const nt_node *element, nt_skin *skin, nt_error *error)
{
    const nt_node *rest = nt_node_find(element, "rest");
    int n = count_points(element);
    if (!rest || rest->kind != NT_NODE_LIST || rest->count != n || n < 2 || n > 60000)
        return nt_stage_broken(error, "a beam without the places of its points at rest");
    int *body = NT_TAKE(&stage->arena, n, int);
    v3 *at = NT_TAKE(&stage->arena, n, v3);
    if (!body || !at)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        body[i] = corner_of(stage, element, i).body;
        at[i] = nt_node_vector(rest->values[i]);
    }
    skin->n = n, skin->body = body, skin->rest = at;
    return NT_OK;
}

/* Binds a point to the piece between nodes that is nearest to it. */
static void bind_point(nt_skin *skin, v3 x)
{
    double least = INFINITY, part = 0;
    int first = 0;
    for (int i = 0; i + 1 < skin->n; i++) {
        v3 d = v3_sub(skin->rest[i + 1], skin->rest[i]), from = v3_sub(x, skin->rest[i]);
        double s = fmin(1, fmax(0, v3_dot(from, d) / v3_dot(d, d)));
        double distance = v3_norm(v3_axpy(-s, d, from));
        if (distance < least)
            least = distance, part = s, first = i;
    }
    const uint16_t joints[2] = {(uint16_t)first, (uint16_t)(first + 1)};
    const float weights[2] = {(float)(1 - part), (float)part};
    nt_bytes_put(&skin->joints, joints, sizeof joints);
    nt_bytes_put(&skin->weights, weights, sizeof weights);
}

/* A pipe along the nodes at rest: a circle, or the four corners of a rectangle. */
static void add_pipe(const nt_stage *stage, nt_skin *skin, const nt_node *size, v3 across)
{
    enum { SIDES = 16 };
    int given = size && size->kind == NT_NODE_LIST ? size->count : 0;
    double a = given > 0 ? nt_node_number(size->values[0]) : 0.5 * stage->size;
    double b = given > 1 ? nt_node_number(size->values[1]) : a;
    int sides = given > 1 ? 4 : SIDES;
    const double turn = 6.283185307179586 / sides;
    for (int i = 0; i < skin->n; i++) {
        v3 t = v3_sub(skin->rest[i + (i + 1 < skin->n)], skin->rest[i - (i > 0)]);
        t = v3_scale(1 / v3_norm(t), t);
        across = v3_axpy(-v3_dot(across, t), t, across);
        double length = v3_norm(across);
        across = length > 0 ? v3_scale(1 / length, across) : v3_of(0, 1, 0);
        v3 other = v3_cross(t, across);
        for (int k = 0; k < sides; k++) {
            double angle = turn * (k + (sides == 4 ? 0.5 : 0)), c = cos(angle), s = sin(angle);
            double x = sides == 4 ? copysign(0.5 * a, c) : a * c;
            double y = sides == 4 ? copysign(0.5 * b, s) : b * s;
            v3 at = v3_axpy(x, across, v3_axpy(y, other, skin->rest[i]));
            v3 n = v3_axpy(c, across, v3_scale(s, other));
            const float point[3] = {(float)at.x, (float)at.y, (float)at.z};
            const float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
            nt_bytes_put(&skin->part.points, point, sizeof point);
            nt_bytes_put(&skin->part.normals, normal, sizeof normal);
            const uint16_t joints[2] = {(uint16_t)i, (uint16_t)i};
            const float weights[2] = {1, 0};
            nt_bytes_put(&skin->joints, joints, sizeof joints);
            nt_bytes_put(&skin->weights, weights, sizeof weights);
            uint32_t here = (uint32_t)(i * sides + k);
            uint32_t next = (uint32_t)(i * sides + (k + 1) % sides), up = (uint32_t)sides;
            const uint32_t corners[6] = {here - up, next - up, next, here - up, next, here};
            if (i > 0)
                nt_bytes_put(&skin->part.corners, corners, sizeof corners);
        }
    }
}

static nt_status add_beam(nt_stage *stage, const nt_node *element, nt_error *error)
{
    const nt_node *shapes = nt_node_find(element, "shapes"), *name = nt_node_find(element, "name");
    nt_skin *skin = &stage->skins[stage->n_skins++];
    *skin = (nt_skin){.name = name ? name->text : "", .part = {.color = "#56b4e9"}};
    nt_status status = read_rest(stage, element, skin, error);
    int n = shapes && shapes->kind == NT_NODE_LIST ? shapes->count : 0;
    for (int i = 0; i < n && status == NT_OK; i++) {
        nt_figure figure;
        const nt_node *color = nt_node_find(shapes->values[i], "color");
        status = nt_stage_figure(stage, shapes->values[i], &figure, error);
        if (status != NT_OK)
            return status;
        skin->part.color = color ? color->text : skin->part.color;
        nt_figure_add(&figure, &skin->part);
    }
    const float *points = (const float *)(const void *)skin->part.points.at;
    for (size_t i = 0; i < skin->part.points.used / (3 * sizeof *points); i++)
        bind_point(skin, v3_of((double)points[3 * i], (double)points[3 * i + 1],
                               (double)points[3 * i + 2]));
    if (n == 0 && status == NT_OK)
        add_pipe(stage, skin, nt_node_find(element, "size"), corner_of(stage, element, 0).axis);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

static nt_status add_element(nt_stage *stage, const nt_node *element, nt_error *error)
{
    const nt_node *draw = nt_node_find(element, "draw"), *load = nt_node_find(element, "load");
    int n = count_points(element);
    if (!draw || draw->kind != NT_NODE_SCALAR)
        return nt_stage_broken(error, "an element that is not drawn as anything");
    if (nt_node_is(draw, "beam"))
        return add_beam(stage, element, error);
    if (load && !nt_node_is(load, "null")) {
        int number = (int)nt_node_number(load);
        if (number < 0)
            return nt_stage_broken(error, "a load of no number");
        stage->n_loads = number + 1 > stage->n_loads ? number + 1 : stage->n_loads;
        add_arrow(stage, element, draw, number);
        return NT_OK;
    }
    if (nt_node_is(draw, "spring") || nt_node_is(draw, "rope") || nt_node_is(draw, "rod")) {
        add_lines(stage, element, draw, n);
        return NT_OK;
    }
    if (n < 1)
        return NT_OK;
    corner a = corner_of(stage, element, 0), b = corner_of(stage, element, n > 1);
    if (slides(draw)) {
        note_slide(stage, draw, &a, &b);
        return NT_OK;
    }
    return add_joint(stage, draw, &a, &b) ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

nt_status nt_stage_add_elements(nt_stage *stage, const nt_node *elements, nt_error *error)
{
    int n = elements && elements->kind == NT_NODE_LIST ? elements->count : 0, links = 0;
    for (int i = 0; i < n; i++)
        links += 1 + count_points(elements->values[i]);
    stage->links = NT_TAKE(&stage->arena, links, nt_link);
    stage->skins = NT_TAKE(&stage->arena, n, nt_skin);
    stage->slides = NT_TAKE(&stage->arena, n, nt_slide);
    bool room = stage->links && stage->skins && stage->slides;
    nt_status status = room ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < n && status == NT_OK; i++)
        status = add_element(stage, elements->values[i], error);
    return status;
}
