/* The description of a GLB: nodes, meshes, skins, one animation. */
#include "output/scene/gltf.h"

#include <string.h>

static const char *const ground_lines = "#9a9a9a", *const trail_color = "#444444";

/* ---- blocks --------------------------------------------------------------------------------- */

static uint64_t bytes_of(const nt_gltf_block *b)
{
    uint64_t number = b->type == NT_GLTF_USHORT ? 2 : 4;
    uint64_t numbers = strcmp(b->kind, "MAT4") == 0   ? 16
                       : strcmp(b->kind, "VEC4") == 0 ? 4
                       : strcmp(b->kind, "VEC3") == 0 ? 3
                                                      : 1;
    return number * numbers * (uint64_t)b->count;
}

static void bound(nt_gltf_block *b)
{
    const float *x = b->bytes;
    b->bounded = true;
    for (int k = 0; k < 3; k++)
        b->low[k] = INFINITY, b->high[k] = -INFINITY;
    for (long i = 0; i < 3 * b->count; i++) {
        b->low[i % 3] = fmin(b->low[i % 3], (double)x[i]);
        b->high[i % 3] = fmax(b->high[i % 3], (double)x[i]);
    }
}

/* A block of so many numbers, behind those that are there; its number. */
static int gltf_add(nt_gltf *g, const void *bytes, long count, int type, const char *kind,
                    int target)
{
    if (g->n_blocks == g->block_room) {
        int room = g->block_room > 0 ? 2 * g->block_room : 64;
        nt_gltf_block *more = NT_TAKE(&g->arena, room, nt_gltf_block);
        if (!more) {
            g->failed = true;
            return 0;
        }
        if (g->n_blocks > 0)
            memcpy(more, g->blocks, (size_t)g->n_blocks * sizeof *more);
        g->blocks = more;
        g->block_room = room;
    }
    nt_gltf_block *b = &g->blocks[g->n_blocks];
    *b = (nt_gltf_block){.at = g->bytes, .bytes = bytes, .count = count, .type = type};
    b->kind = kind, b->target = target;
    b->size = bytes_of(b);
    g->bytes += (b->size + 3) / 4 * 4;
    return g->n_blocks++;
}

static int add_points(nt_gltf *g, const nt_bytes *points)
{
    long count = (long)(points->used / (3 * sizeof(float)));
    int block = gltf_add(g, points->at, count, NT_GLTF_FLOAT, "VEC3", 34962);
    if (!g->failed)
        bound(&g->blocks[block]);
    return block;
}

/* ---- materials and meshes ------------------------------------------------------------------- */

static int material_of(nt_gltf *g, const char *color)
{
    for (int i = 0; i < g->n_materials; i++)
        if (strcmp(g->materials[i], color) == 0)
            return i;
    g->materials[g->n_materials] = color;
    return g->n_materials++;
}

/* One primitive of a mesh: triangles, or lines (mode 1), or a line (3). */
static void put_primitive(nt_gltf *g, const nt_part *part, int mode, int joints, int weights)
{
    nt_json *j = &g->json;
    nt_json_begin(j, NULL, "{");
    nt_json_begin(j, "attributes", "{");
    nt_json_integer(j, "POSITION", add_points(g, &part->points));
    if (part->normals.used > 0) {
        long count = (long)(part->normals.used / (3 * sizeof(float)));
        nt_json_integer(j, "NORMAL",
                        gltf_add(g, part->normals.at, count, NT_GLTF_FLOAT, "VEC3", 34962));
    }
    if (joints >= 0) {
        nt_json_integer(j, "JOINTS_0", joints);
        nt_json_integer(j, "WEIGHTS_0", weights);
    }
    nt_json_end(j, "}");
    if (part->corners.used > 0)
        nt_json_integer(j, "indices",
                        gltf_add(g, part->corners.at, (long)(part->corners.used / 4), NT_GLTF_UINT,
                                 "SCALAR", 34963));
    nt_json_integer(j, "material", material_of(g, part->color));
    nt_json_integer(j, "mode", mode);
    nt_json_end(j, "}");
}

static bool is_drawn(const nt_part *part) { return part->corners.used > 0; }

static bool has_parts(const nt_stage *stage, int body)
{
    for (int i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].body == body && is_drawn(&stage->parts[i]))
            return true;
    return false;
}

static void begin_mesh(nt_gltf *g, const char *name)
{
    nt_json_begin(&g->json, NULL, "{");
    nt_json_text(&g->json, "name", name);
    nt_json_begin(&g->json, "primitives", "[");
    g->n_meshes++;
}

static void end_mesh(nt_gltf *g)
{
    nt_json_end(&g->json, "]");
    nt_json_end(&g->json, "}");
}

static void one_mesh(nt_gltf *g, const char *name, const nt_part *part, int mode)
{
    begin_mesh(g, name);
    put_primitive(g, part, mode, -1, -1);
    end_mesh(g);
}

/* Two joints of each point, filled up to the four that glTF has. */
static void skin_mesh(nt_gltf *g, const nt_skin *skin)
{
    size_t n = skin->joints.used / (2 * sizeof(uint16_t));
    uint16_t *joints = nt_arena_take(&g->arena, 4 * n, sizeof *joints);
    float *weights = nt_arena_take(&g->arena, 4 * n, sizeof *weights);
    const uint16_t *joint = (const uint16_t *)(const void *)skin->joints.at;
    const float *weight = (const float *)(const void *)skin->weights.at;
    if (!joints || !weights) {
        g->failed = true;
        return;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        bool used = weight[i] > 0;
        joints[4 * (i / 2) + i % 2] = used ? joint[i] : 0;
        weights[4 * (i / 2) + i % 2] = used ? weight[i] : 0;
    }
    begin_mesh(g, skin->name);
    int first = gltf_add(g, joints, (long)n, NT_GLTF_USHORT, "VEC4", 34962);
    int second = gltf_add(g, weights, (long)n, NT_GLTF_FLOAT, "VEC4", 34962);
    put_primitive(g, &skin->part, 4, first, second);
    end_mesh(g);
}

/* Lines of the ground below everything, across gravity; none without gravity. */
static bool make_grid(nt_gltf *g, nt_part *grid)
{
    enum { LINES = 10 };
    const nt_stage *stage = g->stage;
    double size = v3_norm(stage->gravity), reach = 1.5 * stage->length;
    if (!(size > 0))
        return false;
    v3 up = v3_scale(-1 / size, stage->gravity);
    v3 x = fabs(up.x) < 0.9 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    x = v3_axpy(-v3_dot(x, up), up, x);
    x = v3_scale(1 / v3_norm(x), x);
    v3 y = v3_cross(up, x), low = v3_scale(fmin(0, stage->lowest - 0.05 * stage->length), up);
    *grid = (nt_part){.color = ground_lines};
    for (int i = -LINES; i <= LINES; i++)
        for (int k = 0; k < 4; k++) {
            double along = k % 2 ? reach : -reach, across = reach * i / LINES;
            v3 at = v3_axpy(k < 2 ? along : across, x, v3_axpy(k < 2 ? across : along, y, low));
            const float point[3] = {(float)at.x, (float)at.y, (float)at.z};
            nt_bytes_put(&grid->points, point, sizeof point);
        }
    return true;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

typedef struct plan {
    int ground, trails, links, grid, skins;                   /* first mesh of each, -1: none */
    int *body_mesh;                                           /* [n_bodies] */
    int root, first_link, first_trail, grid_node, first_skin; /* nodes */
} plan;

static void put_meshes(nt_gltf *g, plan *p, nt_part *grid)
{
    nt_stage *stage = g->stage;
    nt_json_begin(&g->json, "meshes", "[");
    for (int i = 0; i < stage->n_bodies; i++) {
        p->body_mesh[i] = -1;
        if (!has_parts(stage, i))
            continue;
        p->body_mesh[i] = g->n_meshes;
        begin_mesh(g, stage->bodies[i]);
        for (int k = 0; k < stage->n_parts; k++)
            if (stage->parts[k].body == i && is_drawn(&stage->parts[k]))
                put_primitive(g, &stage->parts[k], 4, -1, -1);
        end_mesh(g);
    }
    p->links = g->n_meshes;
    for (int i = 0; i < stage->n_links; i++)
        one_mesh(g, stage->links[i].name, &stage->links[i].part, 4);
    p->trails = g->n_meshes;
    for (int i = 0; i < stage->n_trails; i++) {
        nt_part line = {.color = trail_color, .points = stage->trails[i].points};
        if (line.points.used >= 6 * sizeof(float))
            one_mesh(g, stage->trails[i].name, &line, 3);
    }
    p->grid = make_grid(g, grid) ? g->n_meshes : -1;
    if (p->grid >= 0)
        one_mesh(g, "grid", grid, 1);
    p->skins = g->n_meshes;
    for (int i = 0; i < stage->n_skins; i++)
        skin_mesh(g, &stage->skins[i]);
    nt_json_end(&g->json, "]");
}

static void put_node(nt_gltf *g, const char *name, int mesh, int skin)
{
    nt_json_begin(&g->json, NULL, "{");
    nt_json_text(&g->json, "name", name);
    if (mesh >= 0)
        nt_json_integer(&g->json, "mesh", mesh);
    if (skin >= 0)
        nt_json_integer(&g->json, "skin", skin);
    nt_json_end(&g->json, "}");
    g->n_nodes++;
}

/* Node 0 holds all others but the skins; node i > 0 is body i; the ground's shapes stand in 0's. */
static void put_nodes(nt_gltf *g, plan *p)
{
    nt_stage *stage = g->stage;
    nt_json *j = &g->json;
    static const double half = 0.70710678118654752;
    int trails = 0;
    for (int i = 0; i < stage->n_trails; i++)
        trails += stage->trails[i].points.used >= 6 * sizeof(float);
    p->first_link = stage->n_bodies;
    p->first_trail = p->first_link + stage->n_links;
    p->grid_node = p->first_trail + trails;
    p->first_skin = p->grid_node + (p->grid >= 0);
    nt_json_begin(j, "nodes", "[");
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", "ground");
    nt_json_numbers(j, "rotation", (const double[4]){-half, 0, 0, half}, 4);
    if (p->body_mesh[0] >= 0)
        nt_json_integer(j, "mesh", p->body_mesh[0]);
    if (p->first_skin > 1) {
        nt_json_begin(j, "children", "[");
        for (int i = 1; i < p->first_skin; i++)
            nt_json_integer(j, NULL, i);
        nt_json_end(j, "]");
    }
    nt_json_end(j, "}");
    g->n_nodes = 1;
    for (int i = 1; i < stage->n_bodies; i++)
        put_node(g, stage->bodies[i], p->body_mesh[i], -1);
    for (int i = 0; i < stage->n_links; i++)
        put_node(g, stage->links[i].name, p->links + i, -1);
    for (int i = 0, k = 0; i < stage->n_trails; i++)
        if (stage->trails[i].points.used >= 6 * sizeof(float))
            put_node(g, stage->trails[i].name, p->trails + k++, -1);
    if (p->grid >= 0)
        put_node(g, "grid", p->grid, -1);
    for (int i = 0; i < stage->n_skins; i++)
        put_node(g, stage->skins[i].name, p->skins + i, i);
    nt_json_end(j, "]");
}

/* A skin's points are given where they rest: its nodes' inverse places then. */
static void put_skins(nt_gltf *g)
{
    nt_json *j = &g->json;
    if (g->stage->n_skins == 0)
        return;
    nt_json_begin(j, "skins", "[");
    for (int i = 0; i < g->stage->n_skins; i++) {
        const nt_skin *skin = &g->stage->skins[i];
        float *inverse = nt_arena_take(&g->arena, 16 * (size_t)skin->n, sizeof *inverse);
        for (int k = 0; k < skin->n && inverse; k++) {
            float *m = inverse + 16 * k;
            m[0] = m[5] = m[10] = m[15] = 1;
            m[12] = (float)-skin->rest[k].x;
            m[13] = (float)-skin->rest[k].y;
            m[14] = (float)-skin->rest[k].z;
        }
        g->failed |= !inverse;
        nt_json_begin(j, NULL, "{");
        nt_json_integer(j, "inverseBindMatrices",
                        gltf_add(g, inverse, skin->n, NT_GLTF_FLOAT, "MAT4", 0));
        nt_json_begin(j, "joints", "[");
        for (int k = 0; k < skin->n; k++)
            nt_json_integer(j, NULL, skin->body[k]);
        nt_json_end(j, "]");
        nt_json_end(j, "}");
    }
    nt_json_end(j, "]");
}

/* ---- the animation -------------------------------------------------------------------------- */

static void put_channel(nt_gltf *g, int sampler, int node, const char *path)
{
    nt_json_begin(&g->json, NULL, "{");
    nt_json_integer(&g->json, "sampler", sampler);
    nt_json_begin(&g->json, "target", "{");
    nt_json_integer(&g->json, "node", node);
    nt_json_text(&g->json, "path", path);
    nt_json_end(&g->json, "}");
    nt_json_end(&g->json, "}");
}

static void add_tracks(nt_gltf *g, const plan *p)
{
    nt_stage *stage = g->stage;
    long n = stage->n_frames;
    g->tracks = NT_TAKE(&g->arena, stage->n_bodies + stage->n_links, nt_gltf_track);
    if (!g->tracks) {
        g->failed = true;
        return;
    }
    g->times = gltf_add(g, NULL, n, NT_GLTF_FLOAT, "SCALAR", 0);
    for (int i = 1; i < stage->n_bodies + stage->n_links; i++) {
        bool link = i >= stage->n_bodies;
        nt_gltf_track *t = &g->tracks[g->n_tracks++];
        t->link = link ? &stage->links[i - stage->n_bodies] : NULL;
        t->body = link ? 0 : i;
        t->node = link ? p->first_link + i - stage->n_bodies : i;
        t->translation = gltf_add(g, NULL, n, NT_GLTF_FLOAT, "VEC3", 0);
        t->rotation = gltf_add(g, NULL, n, NT_GLTF_FLOAT, "VEC4", 0);
        t->scale = link ? gltf_add(g, NULL, n, NT_GLTF_FLOAT, "VEC3", 0) : -1;
    }
}

static void put_animation(nt_gltf *g)
{
    nt_json *j = &g->json;
    if (g->n_tracks == 0 || g->failed)
        return;
    nt_json_begin(j, "animations", "[");
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", "motion");
    nt_json_begin(j, "samplers", "[");
    for (int i = 0; i < g->n_tracks; i++)
        for (int k = 0; k < 3; k++) {
            const nt_gltf_track *t = &g->tracks[i];
            int block = k == 0 ? t->translation : k == 1 ? t->rotation : t->scale;
            if (block < 0)
                continue;
            nt_json_begin(j, NULL, "{");
            nt_json_integer(j, "input", g->times);
            nt_json_integer(j, "output", block);
            nt_json_text(j, "interpolation", "LINEAR");
            nt_json_end(j, "}");
        }
    nt_json_end(j, "]");
    nt_json_begin(j, "channels", "[");
    for (int i = 0, sampler = 0; i < g->n_tracks; i++) {
        const nt_gltf_track *t = &g->tracks[i];
        put_channel(g, sampler++, t->node, "translation");
        put_channel(g, sampler++, t->node, "rotation");
        if (t->scale >= 0)
            put_channel(g, sampler++, t->node, "scale");
    }
    nt_json_end(j, "]");
    nt_json_end(j, "}");
    nt_json_end(j, "]");
}

/* ---- the rest ------------------------------------------------------------------------------- */

static double linear(const char *digits)
{
    static const char hex[] = "0123456789abcdef";
    int value = 0;
    for (int i = 0; i < 2; i++) {
        char c = digits[i] >= 'A' && digits[i] <= 'F' ? (char)(digits[i] - 'A' + 'a') : digits[i];
        const char *at = c ? strchr(hex, c) : NULL;
        value = 16 * value + (at ? (int)(at - hex) : 8);
    }
    double s = value / 255.0; /* sRGB */
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static void put_materials(nt_gltf *g)
{
    nt_json *j = &g->json;
    nt_json_begin(j, "materials", "[");
    for (int i = 0; i < g->n_materials; i++) {
        const char *c = strlen(g->materials[i]) == 7 ? g->materials[i] : "#808080";
        nt_json_begin(j, NULL, "{");
        nt_json_text(j, "name", c);
        nt_json_begin(j, "pbrMetallicRoughness", "{");
        nt_json_numbers(j, "baseColorFactor",
                        (const double[4]){linear(c + 1), linear(c + 3), linear(c + 5), 1}, 4);
        nt_json_number(j, "metallicFactor", 0);
        nt_json_number(j, "roughnessFactor", 0.6);
        nt_json_end(j, "}");
        nt_json_plain(j, "doubleSided", "true");
        nt_json_end(j, "}");
    }
    nt_json_end(j, "]");
}

static void put_accessors(nt_gltf *g)
{
    nt_json *j = &g->json;
    nt_json_begin(j, "bufferViews", "[");
    for (int i = 0; i < g->n_blocks; i++) {
        nt_json_begin(j, NULL, "{");
        nt_json_integer(j, "buffer", 0);
        nt_json_integer(j, "byteOffset", (long)g->blocks[i].at);
        nt_json_integer(j, "byteLength", (long)g->blocks[i].size);
        if (g->blocks[i].target)
            nt_json_integer(j, "target", g->blocks[i].target);
        nt_json_end(j, "}");
    }
    nt_json_end(j, "]");
    nt_json_begin(j, "accessors", "[");
    for (int i = 0; i < g->n_blocks; i++) {
        const nt_gltf_block *b = &g->blocks[i];
        nt_json_begin(j, NULL, "{");
        nt_json_integer(j, "bufferView", i);
        nt_json_integer(j, "componentType", b->type);
        nt_json_integer(j, "count", b->count);
        nt_json_text(j, "type", b->kind);
        if (b->bounded) {
            int n = strcmp(b->kind, "SCALAR") == 0 ? 1 : 3;
            nt_json_numbers(j, "min", b->low, n);
            nt_json_numbers(j, "max", b->high, n);
        }
        nt_json_end(j, "}");
    }
    nt_json_end(j, "]");
    nt_json_begin(j, "buffers", "[");
    nt_json_begin(j, NULL, "{");
    nt_json_integer(j, "byteLength", (long)g->bytes);
    nt_json_end(j, "}");
    nt_json_end(j, "]");
}

void nt_gltf_describe(nt_gltf *g, const char *title)
{
    nt_stage *stage = g->stage;
    nt_json *j = &g->json;
    nt_part grid = {.body = 0};
    plan p = {.body_mesh = NT_TAKE(&g->arena, stage->n_bodies, int)};
    g->materials =
        NT_TAKE(&g->arena, stage->n_parts + stage->n_links + stage->n_skins + stage->n_trails + 1,
                const char *);
    if (!p.body_mesh || !g->materials) {
        g->failed = true;
        return;
    }
    nt_json_begin(j, NULL, "{");
    nt_json_begin(j, "asset", "{");
    nt_json_text(j, "version", "2.0");
    nt_json_text(j, "generator", "nutate");
    nt_json_end(j, "}");
    put_meshes(g, &p, &grid);
    float *lines = nt_arena_take(&g->arena, grid.points.used + 1, 1); /* they outlive this call */
    for (int i = 0; i < g->n_blocks && lines; i++)
        if (grid.points.used > 0 && g->blocks[i].bytes == grid.points.at) {
            memcpy(lines, grid.points.at, grid.points.used);
            g->blocks[i].bytes = lines;
        }
    g->failed |= !lines || grid.points.failed;
    nt_bytes_free(&grid.points);
    put_nodes(g, &p);
    put_skins(g);
    nt_json_begin(j, "scenes", "[");
    nt_json_begin(j, NULL, "{");
    nt_json_text(j, "name", title);
    nt_json_begin(j, "nodes", "[");
    nt_json_integer(j, NULL, 0);
    for (int i = 0; i < stage->n_skins; i++)
        nt_json_integer(j, NULL, p.first_skin + i);
    nt_json_end(j, "]");
    nt_json_end(j, "}");
    nt_json_end(j, "]");
    nt_json_integer(j, "scene", 0);
    add_tracks(g, &p);
    if (!g->failed) {
        nt_gltf_block *times = &g->blocks[g->times];
        times->bounded = true;
        times->low[0] = 0;
    }
    put_animation(g);
}

void nt_gltf_finish(nt_gltf *g)
{
    put_materials(g);
    put_accessors(g);
    nt_json_end(&g->json, "}");
    g->failed |= g->text.failed;
}
