/* The scene of a result, read back from its text. */
#include "output/scene/stage.h"

#include "base/error.h"
#include "base/number.h"
#include "output/scene/scene.h"

#include <stdlib.h>
#include <string.h>

static const nt_document_limits limits = {
    .bytes = (size_t)1 << 30, .depth = 20, .nodes = 50000000, .aliases = 0};

/* ---- values --------------------------------------------------------------------------------- */

nt_status nt_stage_broken(nt_error *error, const char *what)
{
    return nt_fail(error, NT_INVALID, "the scene of the result is broken: %s", what);
}

double nt_node_number(const nt_node *node)
{
    double x = 0;
    if (!node || node->kind != NT_NODE_SCALAR || !nt_number_parse(node->text, node->length, &x))
        return 0;
    return x;
}

v3 nt_node_vector(const nt_node *list)
{
    if (!list || list->kind != NT_NODE_LIST || list->count != 3)
        return v3_of(0, 0, 0);
    return v3_of(nt_node_number(list->values[0]), nt_node_number(list->values[1]),
                 nt_node_number(list->values[2]));
}

/* The body of a point; the ground where it names none. */
int nt_node_body(const nt_stage *stage, const nt_node *node)
{
    double body = nt_node_number(nt_node_find(node, "body"));
    return body >= 0 && body < stage->n_bodies ? (int)body : 0;
}

static const char *text_of(const nt_node *node, const char *otherwise)
{
    return node && node->kind == NT_NODE_SCALAR ? node->text : otherwise;
}

static int count_of_list(const nt_node *node)
{
    return node && node->kind == NT_NODE_LIST ? node->count : 0;
}

/* ---- parts ---------------------------------------------------------------------------------- */

nt_part *nt_stage_part(nt_stage *stage, int body, const char *color)
{
    for (int i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].body == body && strcmp(stage->parts[i].color, color) == 0)
            return &stage->parts[i];
    nt_part *more = realloc(stage->parts, ((size_t)stage->n_parts + 1) * sizeof *more);
    if (!more)
        return NULL;
    stage->parts = more;
    more[stage->n_parts] = (nt_part){.body = body, .color = color};
    return &more[stage->n_parts++];
}

/* ---- meshes --------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    return c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The bytes of base64; false where it is none. */
static bool decode(nt_stage *stage, const nt_node *node, char **bytes, size_t *size)
{
    if (!node || node->kind != NT_NODE_SCALAR || node->length % 4 != 0)
        return false;
    size_t length = (size_t)node->length, n = 0;
    *bytes = nt_arena_take(&stage->arena, length / 4 * 3 + 1, 1);
    for (size_t i = 0; *bytes && i < length; i += 4) {
        unsigned long three = 0;
        int fill = 0;
        for (size_t k = i; k < i + 4; k++) {
            int digit = node->text[k] == '=' && i + 4 == length ? 0 : digit_of(node->text[k]);
            fill += node->text[k] == '=';
            if (digit < 0)
                return false;
            three = three << 6 | (unsigned long)digit;
        }
        for (int k = 0; k < 3 - fill; k++)
            (*bytes)[n++] = (char)(three >> (16 - 8 * k) & 0xff);
    }
    *size = n;
    return *bytes != NULL;
}

static nt_status read_mesh(nt_stage *stage, const nt_node *node, const nt_mesh **mesh,
                           nt_error *error)
{
    const nt_node *meshes = nt_node_find(nt_document_root(stage->scene), "meshes");
    double number = nt_node_number(node);
    char *points, *corners;
    size_t point_bytes, corner_bytes;
    if (!node || number < 0 || number >= count_of_list(meshes))
        return nt_stage_broken(error, "a shape names a mesh that is not there");
    const nt_node *from = meshes->values[(int)number];
    nt_mesh *read = NT_TAKE(&stage->arena, 1, nt_mesh);
    if (!read || !decode(stage, nt_node_find(from, "points"), &points, &point_bytes) ||
        !decode(stage, nt_node_find(from, "corners"), &corners, &corner_bytes))
        return nt_stage_broken(error, "a mesh is no base64");
    read->points = (void *)points, read->corners = (void *)corners;
    read->n_points = (int)(point_bytes / sizeof *read->points);
    read->n_triangles = (int)(corner_bytes / sizeof *read->corners);
    for (int i = 0; i < 3 * read->n_triangles; i++)
        if (read->corners[i / 3][i % 3] >= (unsigned)read->n_points)
            return nt_stage_broken(error, "a mesh has a corner that is no point of it");
    *mesh = read;
    return NT_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static nt_status read_outline(nt_stage *stage, const nt_node *list, nt_figure *figure,
                              nt_error *error)
{
    int n = count_of_list(list);
    double(*outline)[2] = nt_arena_take(&stage->arena, (size_t)n, sizeof *outline);
    if (!outline)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        if (count_of_list(list->values[i]) != 2)
            return nt_stage_broken(error, "an outline is no list of [x, y]");
        for (int k = 0; k < 2; k++)
            outline[i][k] = nt_node_number(list->values[i]->values[k]);
    }
    figure->outline = (const double(*)[2])outline;
    figure->n_outline = n;
    return NT_OK;
}

nt_status nt_stage_figure(nt_stage *stage, const nt_node *shape, nt_figure *figure, nt_error *error)
{
    const nt_node *kind = nt_node_find(shape, "kind"), *size = nt_node_find(shape, "size");
    const nt_node *turn = nt_node_find(shape, "orientation");
    *figure = (nt_figure){.form = NT_FORMS, .turn = {1, 0, 0, 0}};
    for (int i = 0; i < NT_FORMS; i++)
        if (kind && nt_node_is(kind, nt_shape_forms[i]))
            figure->form = (nt_form)i;
    if (figure->form == NT_FORMS)
        return nt_stage_broken(error, "a shape of no known kind");
    for (int i = 0; i < 3; i++) {
        double x = i < count_of_list(size) ? fabs(nt_node_number(size->values[i])) : 0;
        bool may_be_zero = i >= count_of_list(size) || (figure->form == NT_FORM_TUBE && i == 1);
        figure->size[i] = may_be_zero || x > 0 ? x : 1e-9 * stage->length;
    }
    figure->at = nt_node_vector(nt_node_find(shape, "at"));
    if (count_of_list(turn) == 4) {
        double q[4], length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = nt_node_number(turn->values[i]);
            length += q[i] * q[i];
        }
        if (length > 0)
            figure->turn = quat_unit(quat_load(q));
    }
    if (figure->form == NT_FORM_MESH)
        return read_mesh(stage, nt_node_find(shape, "mesh"), &figure->mesh, error);
    if (figure->form == NT_FORM_POLYGON)
        return read_outline(stage, nt_node_find(shape, "outline"), figure, error);
    return NT_OK;
}

static nt_status add_shapes(nt_stage *stage, int body, const nt_node *shapes, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < count_of_list(shapes) && status == NT_OK; i++) {
        nt_figure figure;
        status = nt_stage_figure(stage, shapes->values[i], &figure, error);
        if (status != NT_OK)
            return status;
        nt_part *part = nt_stage_part(stage, body,
                                      text_of(nt_node_find(shapes->values[i], "color"), "#808080"));
        if (!part)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        nt_figure_add(&figure, part);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static nt_status add_bodies(nt_stage *stage, const nt_node *bodies, nt_error *error)
{
    nt_status status = NT_OK;
    stage->n_bodies = count_of_list(bodies);
    stage->bodies = NT_TAKE(&stage->arena, stage->n_bodies + 1, const char *);
    if (!stage->bodies)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (stage->n_bodies < 1)
        return nt_stage_broken(error, "it has no bodies");
    for (int i = 0; i < stage->n_bodies && status == NT_OK; i++) {
        const nt_node *body = bodies->values[i];
        stage->bodies[i] = text_of(nt_node_find(body, "name"), "");
        status = add_shapes(stage, i, nt_node_find(body, "shapes"), error);
    }
    return status;
}

static nt_status add_trails(nt_stage *stage, const nt_node *trails, nt_error *error)
{
    stage->n_trails = count_of_list(trails);
    stage->trails = NT_TAKE(&stage->arena, stage->n_trails, nt_trail);
    if (!stage->trails)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < stage->n_trails; i++) {
        const nt_node *trail = trails->values[i];
        stage->trails[i] = (nt_trail){.name = text_of(nt_node_find(trail, "name"), ""),
                                      .body = nt_node_body(stage, trail),
                                      .at = nt_node_vector(nt_node_find(trail, "at"))};
    }
    return NT_OK;
}

static bool find_attribute(nt_result *result, const char *name, nt_result_attribute *found)
{
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        *found = nt_result_attribute_at(result, i);
        if (strcmp(found->name, name) == 0)
            return true;
    }
    return false;
}

/* The scene that a result of an older version would have: that of its model. */
bool nt_scene_from_model(nt_result *result, nt_bytes *text)
{
    nt_result_attribute model_text;
    nt_model *model = NULL;
    nt_run *run = NULL;
    bool good = find_attribute(result, "model", &model_text) &&
                nt_model_read_text(&model, model_text.value, model_text.length, "model", NULL, NULL,
                                   0, NULL) == NT_OK &&
                nt_run_create(&run, model, NULL) == NT_OK &&
                nt_scene_write(run, text, NULL) == NT_OK;
    nt_run_destroy(run);
    nt_model_destroy(model);
    return good;
}

static nt_status find_scene(nt_stage *stage, nt_error *error)
{
    nt_result_attribute scene = {0};
    nt_bytes made = {0};
    nt_status status = NT_OK;
    if (!find_attribute(stage->result, "scene", &scene)) {
        stage->rebuilt = true;
        if (nt_scene_from_model(stage->result, &made))
            scene = (nt_result_attribute){"scene", made.at, made.used};
        else
            status = nt_fail(error, NT_INVALID,
                             "the result does not say how it is drawn, and its model cannot be "
                             "read: expected a NetCDF result of `nutate run`, with poses");
    }
    if (status == NT_OK)
        status =
            nt_document_parse(scene.value, scene.length, "scene", &limits, &stage->scene, error);
    if (status != NT_OK && scene.value && status != NT_NO_MEMORY)
        status = nt_stage_broken(error, "it is no JSON");
    nt_bytes_free(&made);
    return status;
}

static bool part_lacks_memory(const nt_part *part)
{
    return part->points.failed || part->normals.failed || part->corners.failed;
}

/* For any shape, or a trail. */
static bool stage_lacks_memory(const nt_stage *stage)
{
    bool lacks = false;
    for (int i = 0; i < stage->n_parts; i++)
        lacks |= part_lacks_memory(&stage->parts[i]);
    for (int i = 0; i < stage->n_links; i++)
        lacks |= part_lacks_memory(&stage->links[i].part);
    for (int i = 0; i < stage->n_skins; i++)
        lacks |= part_lacks_memory(&stage->skins[i].part);
    for (int i = 0; i < stage->n_trails; i++)
        lacks |= stage->trails[i].points.failed;
    return lacks;
}

nt_status nt_stage_open(nt_stage **out, nt_result *result, long most, nt_error *error)
{
    nt_stage *stage = calloc(1, sizeof *stage);
    *out = stage;
    if (!stage)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    stage->result = result;
    nt_status status = find_scene(stage, error);
    const nt_node *root = status == NT_OK ? nt_document_root(stage->scene) : NULL;
    if (status == NT_OK) {
        stage->length = nt_node_number(nt_node_find(root, "length"));
        stage->length = stage->length > 0 ? stage->length : 1;
        stage->size = nt_node_number(nt_node_find(root, "size"));
        stage->gravity = nt_node_vector(nt_node_find(root, "gravity"));
        status = add_bodies(stage, nt_node_find(root, "bodies"), error);
    }
    if (status == NT_OK)
        status = nt_stage_add_elements(stage, nt_node_find(root, "elements"), error);
    if (status == NT_OK)
        status = add_trails(stage, nt_node_find(root, "trails"), error);
    if (status == NT_OK)
        status = nt_stage_survey(stage, most, error);
    if (status == NT_OK)
        status = nt_stage_add_slides(stage, error);
    if (status == NT_OK && stage_lacks_memory(stage))
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status != NT_OK) {
        nt_stage_close(stage);
        *out = NULL;
    }
    return status;
}

static void free_part(nt_part *part)
{
    nt_bytes_free(&part->points);
    nt_bytes_free(&part->normals);
    nt_bytes_free(&part->corners);
}

void nt_stage_close(nt_stage *stage)
{
    if (!stage)
        return;
    for (int i = 0; i < stage->n_parts; i++)
        free_part(&stage->parts[i]);
    for (int i = 0; i < stage->n_links; i++)
        free_part(&stage->links[i].part);
    for (int i = 0; i < stage->n_skins; i++) {
        free_part(&stage->skins[i].part);
        nt_bytes_free(&stage->skins[i].joints);
        nt_bytes_free(&stage->skins[i].weights);
    }
    for (int i = 0; stage->trails && i < stage->n_trails; i++)
        nt_bytes_free(&stage->trails[i].points);
    free(stage->parts);
    free(stage->time);
    free(stage->row_of);
    nt_document_destroy(stage->scene);
    nt_arena_free(&stage->arena);
    free(stage);
}
