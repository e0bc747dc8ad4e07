/* Triangles from files: STL, binary and text, and OBJ. Corners in the same place are one point. */
#include "input/reader.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "model/shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIANGLES = 1000000, HEAD = 84, RECORD = 50 }; /* bytes of binary STL */
static const size_t LARGEST_MESH = (size_t)384 << 20;

/* ---- points and triangles as they come ------------------------------------------------------ */

typedef struct soup {
    const char *path;
    float (*points)[3];     /* [n_points] owned */
    unsigned (*corners)[3]; /* [n_triangles] owned */
    size_t n_points, point_room, n_triangles, corner_room;
    nt_error *error;
    int line; /* of text; 0 of binary files */
} soup;

static nt_status mesh_fail(const soup *s, const char *words)
{
    return nt_fail_at(s->error, NT_BAD_MODEL, s->path, s->line, s->line > 0 ? 1 : 0, "%s", words);
}

static nt_status grow(soup *s, void **list, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return NT_OK;
    size_t more = *room > 0 ? 2 * *room : 1024;
    void *larger = realloc(*list, more * size);
    if (!larger)
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    *list = larger;
    *room = more;
    return NT_OK;
}

static nt_status add_point(soup *s, const double x[3])
{
    void *list = s->points;
    nt_status status = grow(s, &list, &s->point_room, s->n_points, sizeof *s->points);
    s->points = list;
    if (status != NT_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        if (!isfinite((float)x[i]))
            return mesh_fail(s, "holds a coordinate that is no finite number");
        s->points[s->n_points][i] = (float)x[i] + 0.0f; /* -0 is 0 */
    }
    s->n_points++;
    return NT_OK;
}

static nt_status add_triangle(soup *s, unsigned a, unsigned b, unsigned c)
{
    void *list = s->corners;
    if (s->n_triangles == MOST_TRIANGLES)
        return mesh_fail(s, "holds more than 1000000 triangles, expected fewer: simplify the mesh");
    nt_status status = grow(s, &list, &s->corner_room, s->n_triangles, sizeof *s->corners);
    s->corners = list;
    if (status != NT_OK)
        return status;
    unsigned *to = s->corners[s->n_triangles++];
    to[0] = a, to[1] = b, to[2] = c;
    return NT_OK;
}

/* ---- binary STL ----------------------------------------------------------------------------- */

static uint32_t four_bytes(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static nt_status read_binary(soup *s, const char *text, size_t n)
{
    nt_status status = NT_OK;
    if (n > MOST_TRIANGLES)
        return nt_fail_at(s->error, NT_BAD_MODEL, s->path, 0, 0,
                          "holds %zu triangles, expected at most %d: simplify the mesh", n,
                          MOST_TRIANGLES);
    for (size_t i = 0; i < 3 * n && status == NT_OK; i++) {
        const char *at = text + HEAD + RECORD * (i / 3) + 12 + 12 * (i % 3);
        double x[3];
        for (int k = 0; k < 3; k++) {
            uint32_t bits = four_bytes(at + 4 * k);
            float value;
            memcpy(&value, &bits, sizeof value);
            x[k] = (double)value;
        }
        status = add_point(s, x);
        if (status == NT_OK && i % 3 == 2)
            status = add_triangle(s, (unsigned)i - 2, (unsigned)i - 1, (unsigned)i);
    }
    return status;
}

/* ---- words of text -------------------------------------------------------------------------- */

typedef struct word {
    const char *at;
    int length;
} word;

enum { MOST_WORDS = 64 };

/* The words of the next line, at most MOST_WORDS; -1 at the end of the text. */
static int next_line(const char **at, const char *end, word *words)
{
    int n = 0;
    if (*at >= end)
        return -1;
    const char *p = *at, *stop = memchr(p, '\n', (size_t)(end - p));
    stop = stop ? stop : end;
    while (p < stop && n < MOST_WORDS) {
        while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        const char *begin = p;
        while (p < stop && *p != ' ' && *p != '\t' && *p != '\r')
            p++;
        if (p > begin)
            words[n++] = (word){begin, (int)(p - begin)};
    }
    *at = stop + 1;
    return n;
}

static bool word_is(const word *w, const char *text)
{
    return (size_t)w->length == strlen(text) && memcmp(w->at, text, (size_t)w->length) == 0;
}

static nt_status read_point_words(soup *s, const word *words, int n)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        if (n < 3 || !nt_number_parse(words[i].at, words[i].length, &x[i]))
            return mesh_fail(s, "expected three numbers");
    return add_point(s, x);
}

/* ---- text STL ------------------------------------------------------------------------------- */

static nt_status read_text_stl(soup *s, const char *text, size_t length)
{
    word words[MOST_WORDS];
    const char *at = text, *end = text + length;
    size_t corners = 0;
    nt_status status = NT_OK;
    for (int n; status == NT_OK && (n = next_line(&at, end, words)) >= 0;) {
        s->line++;
        if (n == 0)
            continue;
        if (word_is(&words[0], "vertex")) {
            status = read_point_words(s, words + 1, n - 1);
            corners++;
        } else if (word_is(&words[0], "endloop")) {
            if (corners != 3)
                return mesh_fail(s, "a facet that has not three corners");
            unsigned last = (unsigned)s->n_points;
            status = add_triangle(s, last - 3, last - 2, last - 1);
            corners = 0;
        } else if (!word_is(&words[0], "solid") && !word_is(&words[0], "endsolid") &&
                   !word_is(&words[0], "facet") && !word_is(&words[0], "endfacet") &&
                   !word_is(&words[0], "outer"))
            return mesh_fail(s, "no line of STL: expected facet, outer loop, vertex, endloop, "
                                "endfacet or endsolid");
    }
    if (status == NT_OK && corners != 0)
        return mesh_fail(s, "the file ends within a facet");
    return status;
}

/* ---- OBJ ------------------------------------------------------------------------------------ */

/* The point of a corner 12, 12/3, 12/3/4 or, from the last one back, -1. */
static nt_status read_corner(soup *s, const word *w, unsigned *point)
{
    const char *slash = memchr(w->at, '/', (size_t)w->length);
    double number;
    int length = slash ? (int)(slash - w->at) : w->length;
    if (!nt_number_parse(w->at, length, &number) || number != floor(number) || number == 0)
        return mesh_fail(s, "expected the numbers of a face's corners");
    if (number < 0)
        number += (double)s->n_points + 1;
    if (number < 1 || number > (double)s->n_points)
        return mesh_fail(s, "a face has a corner that is none of the points before it");
    *point = (unsigned)number - 1;
    return NT_OK;
}

static nt_status read_face(soup *s, const word *words, int n)
{
    unsigned first = 0, before = 0, now = 0;
    nt_status status = NT_OK;
    if (n < 3 || n >= MOST_WORDS - 1)
        return mesh_fail(s, n < 3 ? "a face of less than three corners"
                                  : "a face of too many corners, expected at most 61");
    for (int i = 0; i < n && status == NT_OK; i++) {
        status = read_corner(s, &words[i], &now);
        if (i == 0)
            first = now;
        if (status == NT_OK && i > 1)
            status = add_triangle(s, first, before, now);
        before = now;
    }
    return status;
}

static nt_status read_obj(soup *s, const char *text, size_t length)
{
    word words[MOST_WORDS];
    const char *at = text, *end = text + length;
    nt_status status = NT_OK;
    for (int n; status == NT_OK && (n = next_line(&at, end, words)) >= 0;) {
        s->line++;
        if (n > 0 && word_is(&words[0], "v"))
            status = read_point_words(s, words + 1, n - 1);
        else if (n > 0 && word_is(&words[0], "f"))
            status = read_face(s, words + 1, n - 1);
        else if (n > 0 && (unsigned char)words[0].at[0] < 0x20)
            return mesh_fail(s, "no line of OBJ");
    }
    return status;
}

/* ---- points in one place -------------------------------------------------------------------- */

/* Numbers the points anew, each place once, and leaves out triangles without an area. */
static nt_status weld(soup *s)
{
    size_t room = 16, kept = 0, triangles = 0;
    while (room < 2 * s->n_points)
        room *= 2;
    unsigned *table = malloc(room * sizeof *table),
             *number = malloc((s->n_points + 1) * sizeof *number);
    if (!table || !number) {
        free(table);
        free(number);
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    }
    memset(table, 0xff, room * sizeof *table);
    for (size_t i = 0; i < s->n_points; i++) {
        size_t slot = (size_t)nt_hash((const char *)s->points[i], sizeof *s->points) & (room - 1);
        while (table[slot] != UINT32_MAX &&
               memcmp(s->points[table[slot]], s->points[i], sizeof *s->points) != 0)
            slot = (slot + 1) & (room - 1);
        if (table[slot] == UINT32_MAX) {
            memmove(s->points[kept], s->points[i], sizeof *s->points);
            table[slot] = (unsigned)kept++;
        }
        number[i] = table[slot];
    }
    for (size_t i = 0; i < s->n_triangles; i++) {
        unsigned a = number[s->corners[i][0]], b = number[s->corners[i][1]];
        unsigned c = number[s->corners[i][2]], *to = s->corners[triangles];
        if (a == b || b == c || c == a)
            continue;
        to[0] = a, to[1] = b, to[2] = c;
        triangles++;
    }
    s->n_points = kept;
    s->n_triangles = triangles;
    free(table);
    free(number);
    return NT_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    if (length < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = path[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i])
            return false;
    }
    return true;
}

static nt_status read_soup(soup *s, const char *text, size_t length)
{
    if (ends_in(s->path, ".obj"))
        return read_obj(s, text, length);
    size_t n = length >= HEAD ? four_bytes(text + HEAD - 4) : 0;
    if (length >= HEAD && length == HEAD + RECORD * n)
        return read_binary(s, text, n);
    if (length > 5 && memcmp(text, "solid", 5) == 0)
        return read_text_stl(s, text, length);
    return nt_fail_at(s->error, NT_BAD_MODEL, s->path, 0, 0,
                      "is no STL: it has %zu bytes, and its head speaks of %zu triangles, which "
                      "take %zu",
                      length, n, HEAD + RECORD * n);
}

/* A file too large to be read at all: of binary STL its head says how many triangles it has. */
static nt_status refuse_large(const char *full, nt_error *error)
{
    char head[HEAD];
    FILE *file = fopen(full, "rb");
    bool read = file && fread(head, 1, HEAD, file) == HEAD && fseek(file, 0, SEEK_END) == 0;
    long size = read ? ftell(file) : 0;
    if (file)
        fclose(file);
    if (size > 0 && size == HEAD + RECORD * (long)four_bytes(head + HEAD - 4))
        return nt_fail_at(error, NT_BAD_MODEL, full, 0, 0,
                          "holds %lu triangles, expected at most %d: simplify the mesh",
                          (unsigned long)four_bytes(head + HEAD - 4), MOST_TRIANGLES);
    return NT_BAD_MODEL; /* with the words of its size */
}

static nt_status keep_mesh(const soup *s, nt_arena *arena, const nt_mesh **mesh)
{
    nt_mesh *kept = NT_TAKE(arena, 1, nt_mesh);
    if (!kept)
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    kept->points = nt_arena_take(arena, s->n_points, sizeof *kept->points);
    kept->corners = nt_arena_take(arena, s->n_triangles, sizeof *kept->corners);
    if (!kept->points || !kept->corners)
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    memcpy(kept->points, s->points, s->n_points * sizeof *s->points);
    memcpy(kept->corners, s->corners, s->n_triangles * sizeof *s->corners);
    kept->n_points = (int)s->n_points;
    kept->n_triangles = (int)s->n_triangles;
    *mesh = kept;
    return NT_OK;
}

nt_status nt_read_mesh(const char *path, const char *beside, nt_arena *arena, const nt_mesh **mesh,
                       nt_error *error)
{
    const char *slash = beside && path[0] != '/' ? strrchr(beside, '/') : NULL;
    size_t kept = slash ? (size_t)(slash - beside) + 1 : 0, length = 0;
    char *full = malloc(kept + strlen(path) + 1), *text = NULL;
    if (!full)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (kept > 0)
        memcpy(full, beside, kept);
    memcpy(full + kept, path, strlen(path) + 1);
    soup s = {.path = full, .error = error};
    nt_status status = NT_OK;
    if (!ends_in(path, ".stl") && !ends_in(path, ".obj"))
        status = nt_fail(error, NT_BAD_MODEL,
                         "is of a kind that is not read: expected a name that "
                         "ends in .stl or .obj");
    if (status == NT_OK)
        status = nt_file_read(full, LARGEST_MESH, &text, &length, error);
    if (status == NT_BAD_MODEL && text == NULL && ends_in(path, ".stl"))
        status = refuse_large(full, error);
    if (status == NT_OK)
        status = read_soup(&s, text, length);
    if (status == NT_OK)
        status = weld(&s);
    if (status == NT_OK && s.n_triangles == 0)
        status = nt_fail_at(error, NT_BAD_MODEL, full, 0, 0, "holds no triangle");
    if (status == NT_OK)
        status = keep_mesh(&s, arena, mesh);
    free(s.points);
    free(s.corners);
    free(text);
    free(full);
    return status;
}
