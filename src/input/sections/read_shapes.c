/* Shapes of bodies, markers and beams. */
#include "input/reader.h"

#include "base/suggest.h"
#include "model/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- colours -------------------------------------------------------------------------------- */

static const char *const color_names[] = {
    "black", "white",  "gray",  "grey",   "silver",  "red",   "maroon", "orange",
    "gold",  "yellow", "brown", "green",  "lime",    "olive", "teal",   "cyan",
    "blue",  "navy",   "pink",  "purple", "magenta", NULL};
static const char *const color_values[] = {
    "#000000", "#ffffff", "#808080", "#808080", "#c0c0c0", "#d62728", "#800000",
    "#ff7f0e", "#ffd700", "#f0e442", "#8c564b", "#2ca02c", "#00ff00", "#808000",
    "#008080", "#17becf", "#1f77b4", "#000080", "#ffb6c1", "#7f3fbf", "#ff00ff"};
enum { COLOR_NAMES = sizeof color_values / sizeof color_values[0] };

static nt_status color_fail(nt_reader *reader, const nt_node *node)
{
    char got[NT_WORDS], hint[NT_WORDS];
    bool word = node->kind == NT_NODE_SCALAR && node->length > 0;
    const char *best = word ? nt_suggest(node->text, node->length, color_names, COLOR_NAMES) : NULL;
    return nt_node_fail(reader->error, node,
                        "color: expected a name such as red, \"#rrggbb\" or [red, green, blue] "
                        "from 0 to 1, got %s%s",
                        nt_read_words(node, got, sizeof got),
                        nt_read_hint(best, hint, sizeof hint));
}

nt_status nt_read_color(nt_reader *reader, const nt_node *node, const char **color)
{
    char text[8] = "#";
    if (node->kind == NT_NODE_LIST && node->count == 3) {
        for (int i = 0; i < 3; i++) {
            double part;
            const nt_expression *unused;
            nt_status status = nt_read_unbound(reader, "color", node->values[i], &part, &unused);
            if (status != NT_OK)
                return status;
            if (!(part >= 0 && part <= 1))
                return color_fail(reader, node->values[i]);
            snprintf(text + 1 + 2 * i, 3, "%02x", (unsigned)lround(255 * part));
        }
        *color = nt_arena_text(&reader->model->arena, text, 7);
        return *color ? NT_OK : nt_read_no_memory(reader);
    }
    if (node->kind != NT_NODE_SCALAR)
        return color_fail(reader, node);
    for (int i = 0; i < COLOR_NAMES; i++)
        if (nt_node_is(node, color_names[i])) {
            *color = color_values[i];
            return NT_OK;
        }
    if (node->length != 7 || node->text[0] != '#' ||
        strspn(node->text + 1, "0123456789abcdefABCDEF") != 6)
        return color_fail(reader, node);
    *color = nt_read_copy(reader, node);
    return *color ? NT_OK : nt_read_no_memory(reader);
}

/* ---- one shape ------------------------------------------------------------------------------ */

/* Which form it is: exactly one. */
static nt_status find_form(nt_reader *reader, const nt_node *node, const nt_shape_data *data,
                           nt_form *form)
{
    int n = 0;
    for (int i = 0; i < NT_FORMS; i++)
        if (data->given >> i & 1) {
            n++;
            *form = (nt_form)i;
        }
    if (n == 1)
        return NT_OK;
    return nt_node_fail(reader->error, node,
                        "a shape has %s form%s, expected one of box, sphere, cylinder, capsule, "
                        "cone, tube, ellipsoid, polygon, mesh",
                        n == 0 ? "no" : "more than one", n == 0 ? "" : " (a list has several)");
}

/* At the parameters of the file. */
static double now(const nt_reader *reader, const nt_expression *e)
{
    return e ? nt_expression_value(e, reader->values) : 0;
}

static nt_status check_sizes(nt_reader *reader, const nt_node *node, const nt_shape *shape)
{
    const char *name = nt_shape_forms[shape->form];
    for (int i = 0; i < shape->n_size; i++) {
        double size = now(reader, shape->size[i]);
        bool bore = shape->form == NT_FORM_TUBE && i == 1;
        if (!(isfinite(size) && (size > 0 || (bore && size == 0))))
            return nt_node_fail(reader->error, node,
                                "shape %s: size %g, expected numbers above zero", name, size);
        if (bore && !(size < now(reader, shape->size[0])))
            return nt_node_fail(reader->error, node,
                                "shape tube: the inner radius %g is no smaller than the outer one "
                                "%g: expected [outer radius, inner radius, length]",
                                size, now(reader, shape->size[0]));
    }
    for (int i = 0; i < 3; i++)
        if (!isfinite(now(reader, shape->at[i])))
            return nt_node_fail(reader->error, node, "shape %s: its place is not finite", name);
    return NT_OK;
}

/* Whether the pieces ab and cd of a line cross, ends apart from each other. */
static bool crosses(const double *a, const double *b, const double *c, const double *d)
{
    double abx = b[0] - a[0], aby = b[1] - a[1], cdx = d[0] - c[0], cdy = d[1] - c[1];
    double c_side = abx * (c[1] - a[1]) - aby * (c[0] - a[0]);
    double d_side = abx * (d[1] - a[1]) - aby * (d[0] - a[0]);
    double a_side = cdx * (a[1] - c[1]) - cdy * (a[0] - c[0]);
    double b_side = cdx * (b[1] - c[1]) - cdy * (b[0] - c[0]);
    return c_side * d_side < 0 && a_side * b_side < 0;
}

/* A polygon has an area and does not cross itself. */
static nt_status check_outline(nt_reader *reader, const nt_node *node, const nt_shape *shape)
{
    enum { MOST_CORNERS = 1000 };
    int n = shape->outline.n;
    if (n > MOST_CORNERS)
        return nt_node_fail(reader->error, node, "shape polygon: %d corners, expected at most %d",
                            n, MOST_CORNERS);
    double *corner = NT_TAKE(&reader->scratch, 2 * n, double), area = 0;
    if (!corner)
        return nt_read_no_memory(reader);
    for (int i = 0; i < 2 * n; i++) {
        corner[i] = now(reader, shape->outline.item[i]);
        if (!isfinite(corner[i]))
            return nt_node_fail(reader->error, node, "shape polygon: corner %d is not finite",
                                i / 2 + 1);
    }
    for (int i = 0; i < n; i++) {
        const double *a = corner + 2 * i, *b = corner + 2 * ((i + 1) % n);
        area += a[0] * b[1] - a[1] * b[0];
        for (int k = i + 2; k < n; k++)
            if ((k + 1) % n != i && crosses(a, b, corner + 2 * k, corner + 2 * ((k + 1) % n)))
                return nt_node_fail(reader->error, node,
                                    "shape polygon: the edges from corners %d and %d cross, "
                                    "expected corners in their order around it",
                                    i + 1, k + 1);
    }
    if (area == 0)
        return nt_node_fail(reader->error, node,
                            "shape polygon: it has no area, expected corners that are not all in "
                            "line");
    return NT_OK;
}

/* The mesh of a file, read once. */
static nt_status find_mesh(nt_reader *reader, const nt_node *node, const char *file,
                           const nt_mesh **mesh)
{
    nt_error error = {0};
    for (*mesh = reader->meshes; *mesh; *mesh = (*mesh)->next)
        if (strcmp((*mesh)->name, file) == 0)
            return NT_OK;
    nt_mesh *read = NT_TAKE(&reader->model->arena, 1, nt_mesh);
    if (!read)
        return nt_read_no_memory(reader);
    nt_status status = nt_read_mesh(file, reader->beside, &reader->model->arena, mesh, &error);
    if (status == NT_NO_MEMORY)
        return nt_read_no_memory(reader);
    if (status != NT_OK && error.line > 0) {
        *reader->error = error;
        return status;
    }
    if (status != NT_OK)
        return nt_node_fail(reader->error, node, "mesh: file '%.100s' %.300s", file, error.message);
    *read = **mesh;
    read->name = file;
    read->next = reader->meshes;
    reader->meshes = *mesh = read;
    return NT_OK;
}

/* The orientation that is given, as one list of numbers. */
static nt_status find_turn(nt_reader *reader, const nt_node *node, const nt_shape_data *data,
                           nt_shape *shape)
{
    const struct {
        unsigned bit;
        const nt_expression *const *numbers;
        int n;
    } forms[] = {
        {NT_GIVEN_QUATERNION, data->quaternion, 4},
        {NT_GIVEN_ROTATION_VECTOR, data->rotation_vector, 3},
        {NT_GIVEN_AXIS, data->axis, 3},
        {NT_GIVEN_ANGLES, data->angles, 3},
        {NT_GIVEN_MATRIX, data->matrix.item, 9},
    };
    int given = 0;
    double length = 0;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!forms[i].numbers || !forms[i].numbers[0])
            continue;
        given++;
        shape->turned = forms[i].bit;
        memcpy(shape->turn, forms[i].numbers, (size_t)forms[i].n * sizeof *shape->turn);
        for (int k = 0; k < forms[i].n; k++)
            length = fmax(length, fabs(now(reader, forms[i].numbers[k])));
    }
    if (shape->turned == NT_GIVEN_AXIS)
        shape->turn[3] = data->angle;
    shape->sequence = data->sequence;
    if (given > 1)
        return nt_node_fail(reader->error, node,
                            "orientation of a shape: %d given, expected one of quaternion, "
                            "rotation_vector, axis with angle, matrix, angles",
                            given);
    bool needs_length = shape->turned & (NT_GIVEN_QUATERNION | NT_GIVEN_AXIS | NT_GIVEN_MATRIX);
    if (needs_length && !(length > 0))
        return nt_node_fail(reader->error, node, "orientation of a shape: all zero");
    return NT_OK;
}

static nt_status read_shape(nt_reader *reader, const nt_node *node, nt_shape *shape)
{
    nt_shape_data data = {0};
    nt_status status =
        nt_read_keys(reader, nt_shape_keys, NULL, node, "shape", NT_SCOPE_NUMBER, false, &data);
    if (status == NT_OK)
        status = find_form(reader, node, &data, &shape->form);
    if (status != NT_OK)
        return status;
    static const int sizes[NT_FORMS] = {3, 1, 2, 2, 2, 3, 3, 1, 1};
    shape->n_size = sizes[shape->form];
    for (int i = 0; i < 3; i++) {
        shape->size[i] = data.sizes[shape->form][i];
        shape->at[i] = data.at[i];
    }
    shape->outline = data.outline;
    shape->color = data.color;
    if (shape->form == NT_FORM_POLYGON || shape->form == NT_FORM_MESH) {
        shape->size[0] = shape->form == NT_FORM_MESH ? data.scale : data.length;
        shape->n_size = shape->size[0] ? 1 : 0;
    }
    status = find_turn(reader, node, &data, shape);
    if (status == NT_OK)
        status = check_sizes(reader, node, shape);
    if (status == NT_OK && shape->form == NT_FORM_POLYGON)
        status = check_outline(reader, nt_node_find(node, "polygon"), shape);
    if (status == NT_OK && shape->form == NT_FORM_MESH)
        status = find_mesh(reader, nt_node_find(node, "mesh"), data.file, &shape->mesh);
    return status;
}

nt_status nt_read_shapes(nt_reader *reader, const nt_node *node, const nt_shapes **shapes)
{
    char got[NT_WORDS];
    bool list = node->kind == NT_NODE_LIST;
    if (!list && node->kind != NT_NODE_MAPPING)
        return nt_node_fail(reader->error, node,
                            "shape: expected a mapping such as {box: [1, 1, 1]}, or a list of "
                            "such, got %s",
                            nt_read_words(node, got, sizeof got));
    int n = list ? node->count : 1;
    nt_shapes *all = NT_TAKE(&reader->model->arena, 1, nt_shapes);
    nt_shape *shape = NT_TAKE(&reader->model->arena, n, nt_shape);
    nt_status status = all && shape ? NT_OK : nt_read_no_memory(reader);
    for (int i = 0; i < n && status == NT_OK; i++)
        status = read_shape(reader, list ? node->values[i] : node, &shape[i]);
    if (status == NT_OK) {
        *all = (nt_shapes){shape, n};
        *shapes = all;
    }
    return status;
}
