/* VTK XML files: FILE.pvd lists the times, and a folder FILE beside it has a file of triangles for
 * each, frame_000000.vtp, with the cell data `body` (number, 0 is the ground; links follow bodies)
 * and `color`; where there are loads another one of points with the vectors `force`.
 *
 * Format: VTK file formats, XML, PolyData with appended raw data: each array is its bytes (8 bytes,
 * lowest first) and its numbers. */
#include "output/scene/pictures.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

typedef struct vtk {
    nt_stage *stage;
    char folder[PATH_ROOM];                      /* of the frames: path without .pvd */
    nt_bytes points;                             /* float[3] each, of the frame at hand */
    nt_bytes connectivity, offsets, body, color; /* the same in all frames */
    nt_bytes at, force;
    nt_decimal decimal;
    long begun; /* frames whose files may be there */
} vtk;

static nt_status vtk_cannot(const char *path, nt_error *error)
{
    return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

/* ---- what is the same in all frames --------------------------------------------------------- */

static unsigned hex(const char *digits)
{
    char two[3] = {digits[0], digits[1], 0};
    return (unsigned)strtoul(two, NULL, 16);
}

static void add_part(vtk *v, const nt_part *part, int number, int32_t *points, int32_t *ends)
{
    const uint32_t *corner = (const uint32_t *)(const void *)part->corners.at;
    const char *c = strlen(part->color) == 7 ? part->color : "#808080";
    const unsigned char rgb[3] = {(unsigned char)hex(c + 1), (unsigned char)hex(c + 3),
                                  (unsigned char)hex(c + 5)};
    size_t n = part->corners.used / sizeof *corner;
    for (size_t i = 0; i < n; i++) {
        int32_t to = *points + (int32_t)corner[i];
        nt_bytes_put(&v->connectivity, &to, sizeof to);
        if (i % 3 != 2)
            continue;
        *ends += 3;
        int32_t of = number;
        nt_bytes_put(&v->offsets, ends, sizeof *ends);
        nt_bytes_put(&v->body, &of, sizeof of);
        nt_bytes_put(&v->color, rgb, sizeof rgb);
    }
    *points += (int32_t)(part->points.used / (3 * sizeof(float)));
}

static void add_cells(vtk *v)
{
    const nt_stage *s = v->stage;
    int32_t points = 0, ends = 0;
    for (int i = 0; i < s->n_parts; i++)
        add_part(v, &s->parts[i], s->parts[i].body, &points, &ends);
    for (int i = 0; i < s->n_links; i++)
        add_part(v, &s->links[i].part, s->n_bodies + i, &points, &ends);
    for (int i = 0; i < s->n_skins; i++)
        add_part(v, &s->skins[i].part, s->n_bodies + s->n_links + i, &points, &ends);
}

/* ---- a frame -------------------------------------------------------------------------------- */

static void put_vector(nt_bytes *to, v3 x)
{
    const float numbers[3] = {(float)x.x, (float)x.y, (float)x.z};
    nt_bytes_put(to, numbers, sizeof numbers);
}

static void move_points(vtk *v, const nt_bytes *points, v3 at, quat turn, double length)
{
    const float *x = (const float *)(const void *)points->at;
    m3 R = quat_matrix(turn);
    for (size_t i = 0; i < points->used / (3 * sizeof *x); i++) {
        v3 p = v3_of((double)x[3 * i], (double)x[3 * i + 1], length * (double)x[3 * i + 2]);
        put_vector(&v->points, v3_add(at, m3_apply(R, p)));
    }
}

/* Each point follows two nodes by their weights. */
static void bend_points(vtk *v, long k, const nt_skin *skin)
{
    const float *x = (const float *)(const void *)skin->part.points.at;
    const float *weight = (const float *)(const void *)skin->weights.at;
    const uint16_t *joint = (const uint16_t *)(const void *)skin->joints.at;
    for (size_t i = 0; i < skin->part.points.used / (3 * sizeof *x); i++) {
        v3 p = v3_of((double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]);
        v3 to = v3_of(0, 0, 0);
        for (size_t n = 2 * i; n < 2 * i + 2; n++) {
            nt_pose pose = nt_stage_pose(v->stage, k, skin->body[joint[n]]);
            v3 at = nt_pose_apply(pose, v3_sub(p, skin->rest[joint[n]]));
            to = v3_axpy((double)weight[n], at, to);
        }
        put_vector(&v->points, to);
    }
}

static void place_frame(vtk *v, long k)
{
    nt_stage *s = v->stage;
    v->points.used = v->at.used = v->force.used = 0;
    for (int i = 0; i < s->n_parts; i++) {
        nt_pose pose = nt_stage_pose(s, k, s->parts[i].body);
        move_points(v, &s->parts[i].points, pose.x, pose.q, 1);
    }
    for (int i = 0; i < s->n_links; i++) {
        nt_placed place = nt_stage_place(s, k, &s->links[i]);
        move_points(v, &s->links[i].part.points, place.at, place.turn, place.length);
    }
    for (int i = 0; i < s->n_skins; i++)
        bend_points(v, k, &s->skins[i]);
    for (int i = 0; i < s->n_loads; i++) {
        put_vector(&v->at, v3_load(s->point + 3 * (k * s->n_loads + i)));
        put_vector(&v->force, v3_load(s->force + 3 * (k * s->n_loads + i)));
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct array {
    const char *type, *name;
    int components;
    const nt_bytes *bytes;
} array;

/* The description of an array; its numbers come behind all descriptions. */
static void describe(FILE *to, const array *a, uint64_t *offset)
{
    fprintf(to,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            a->type, a->name, a->components, (unsigned long long)*offset);
    *offset += 8 + a->bytes->used;
}

static void append(FILE *to, const array *arrays, int n)
{
    fputs("<AppendedData encoding=\"raw\">\n_", to);
    for (int i = 0; i < n; i++) {
        uint64_t size = arrays[i].bytes->used;
        unsigned char head[8];
        for (int k = 0; k < 8; k++)
            head[k] = (unsigned char)(size >> (8 * k));
        fwrite(head, 1, sizeof head, to);
        fwrite(arrays[i].bytes->at, 1, (size_t)size, to);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", to);
}

static FILE *begin_file(const char *path)
{
    FILE *to = fopen(path, "wb");
    if (to)
        fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
              "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n",
              to);
    return to;
}

static nt_status end_file(FILE *to, const char *path, nt_error *error)
{
    bool good = !ferror(to);
    return fclose(to) == 0 && good ? NT_OK : vtk_cannot(path, error);
}

static nt_status write_frame(const vtk *v, const char *path, nt_error *error)
{
    const array arrays[] = {{"Int32", "body", 1, &v->body},
                            {"UInt8", "color", 3, &v->color},
                            {"Float32", "Points", 3, &v->points},
                            {"Int32", "connectivity", 1, &v->connectivity},
                            {"Int32", "offsets", 1, &v->offsets}};
    uint64_t offset = 0;
    FILE *to = begin_file(path);
    if (!to)
        return vtk_cannot(path, error);
    fprintf(to, "<Piece NumberOfPoints=\"%zu\" NumberOfPolys=\"%zu\">\n<CellData>\n",
            v->points.used / 12, v->offsets.used / 4);
    describe(to, &arrays[0], &offset);
    describe(to, &arrays[1], &offset);
    fputs("</CellData>\n<Points>\n", to);
    describe(to, &arrays[2], &offset);
    fputs("</Points>\n<Polys>\n", to);
    describe(to, &arrays[3], &offset);
    describe(to, &arrays[4], &offset);
    fputs("</Polys>\n</Piece>\n</PolyData>\n", to);
    append(to, arrays, 5);
    return end_file(to, path, error);
}

/* One vertex for each load. */
static nt_status write_loads(const vtk *v, const char *path, nt_error *error)
{
    nt_bytes order = {0}, ends = {0};
    const array arrays[] = {{"Float32", "force", 3, &v->force},
                            {"Float32", "Points", 3, &v->at},
                            {"Int32", "connectivity", 1, &order},
                            {"Int32", "offsets", 1, &ends}};
    uint64_t offset = 0;
    FILE *to = begin_file(path);
    if (!to)
        return vtk_cannot(path, error);
    for (int32_t i = 0, n; i < v->stage->n_loads; i++) {
        n = i + 1;
        nt_bytes_put(&order, &i, sizeof i);
        nt_bytes_put(&ends, &n, sizeof n);
    }
    fprintf(to, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\">\n<PointData>\n",
            v->stage->n_loads, v->stage->n_loads);
    describe(to, &arrays[0], &offset);
    fputs("</PointData>\n<Points>\n", to);
    describe(to, &arrays[1], &offset);
    fputs("</Points>\n<Verts>\n", to);
    describe(to, &arrays[2], &offset);
    describe(to, &arrays[3], &offset);
    fputs("</Verts>\n</Piece>\n</PolyData>\n", to);
    append(to, arrays, 4);
    bool failed = order.failed || ends.failed;
    nt_bytes_free(&order);
    nt_bytes_free(&ends);
    nt_status status = end_file(to, path, error);
    return failed ? nt_fail(error, NT_NO_MEMORY, "out of memory") : status;
}

/* Text between quotes of XML. */
static void put_name(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '"')
            fprintf(to, "&#%d;", *text);
        else
            fputc(*text, to);
    }
}

/* With a point for the decimals, whatever the locale. */
static void put_time(FILE *to, const nt_decimal *decimal, double time, int part)
{
    char text[NT_DECIMAL_ROOM];
    int length = nt_decimal_write(decimal, time, text);
    fprintf(to, "<DataSet timestep=\"%.*s\" part=\"%d\" file=\"", length, text, part);
}

/* ---- all frames ----------------------------------------------------------------------------- */

static nt_status write_frames(vtk *v, FILE *list, nt_error *error)
{
    nt_stage *s = v->stage;
    const char *slash = strrchr(v->folder, '/'), *name = slash ? slash + 1 : v->folder;
    nt_status status = NT_OK;
    for (long i = 0; i < s->n_frames && status == NT_OK; i++) {
        char path[PATH_ROOM + 40];
        long k = i % NT_STAGE_ROWS;
        if (k == 0)
            status = nt_stage_read(s, i, error);
        if (status != NT_OK)
            break;
        v->begun = i + 1;
        place_frame(v, k);
        if (v->points.failed || v->at.failed || v->force.failed)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        snprintf(path, sizeof path, "%s/frame_%06ld.vtp", v->folder, i);
        status = write_frame(v, path, error);
        put_time(list, &v->decimal, s->time[k], 0);
        put_name(list, name);
        fprintf(list, "/frame_%06ld.vtp\"/>\n", i);
        if (s->n_loads == 0 || status != NT_OK)
            continue;
        snprintf(path, sizeof path, "%s/loads_%06ld.vtp", v->folder, i);
        status = write_loads(v, path, error);
        put_time(list, &v->decimal, s->time[k], 1);
        put_name(list, name);
        fprintf(list, "/loads_%06ld.vtp\"/>\n", i);
    }
    return status;
}

/* Frames that no list names are removed; their folder too, if nothing else is in it. */
static void take_back_frames(const vtk *v)
{
    static const char *const kinds[] = {"frame", "loads"};
    char path[PATH_ROOM + 40];
    for (long i = 0; i < v->begun; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s/%s_%06ld.vtp", v->folder, kinds[k], i);
            nt_file_take_back(path);
        }
    rmdir(v->folder);
}

static nt_status write_all(vtk *v, const char *path, nt_error *error)
{
    if (mkdir(v->folder, 0777) != 0 && errno != EEXIST)
        return vtk_cannot(v->folder, error);
    FILE *list = fopen(path, "wb");
    if (!list) {
        nt_status failed = vtk_cannot(path, error);
        take_back_frames(v);
        return failed;
    }
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          list);
    nt_status status = write_frames(v, list, error);
    fputs("</Collection>\n</VTKFile>\n", list);
    nt_status ended = end_file(list, path, status == NT_OK ? error : NULL);
    if (status == NT_OK)
        status = ended;
    if (status != NT_OK) {
        nt_file_take_back(path);
        take_back_frames(v);
    }
    return status;
}

nt_status nt_vtk_write(nt_stage *stage, const char *path, nt_error *error)
{
    vtk v = {.stage = stage};
    size_t length = strlen(path), ending = strlen(".pvd");
    if (length <= ending || length >= PATH_ROOM)
        return nt_fail_at(error, NT_IO, path, 0, 0, "is no name for this file: expected FILE.pvd");
    snprintf(v.folder, sizeof v.folder, "%.*s", (int)(length - ending), path);
    nt_decimal_init(&v.decimal);
    add_cells(&v);
    bool failed = v.connectivity.failed || v.offsets.failed || v.body.failed || v.color.failed;
    nt_status status =
        failed ? nt_fail(error, NT_NO_MEMORY, "out of memory") : write_all(&v, path, error);
    nt_bytes *const all[] = {&v.points, &v.connectivity, &v.offsets, &v.body,
                             &v.color,  &v.at,           &v.force};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        nt_bytes_free(all[i]);
    return status;
}
