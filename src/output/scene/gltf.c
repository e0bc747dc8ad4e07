/* GLB files: the numbers, and the file as a whole. */
#include "output/scene/gltf.h"

#include "base/error.h"
#include "base/file.h"
#include "output/scene/pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 12, CHUNK = 8 }; /* bytes */

static nt_status cannot(const char *path, nt_error *error)
{
    return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

static void put_word(FILE *to, uint32_t word)
{
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                                    (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
    fwrite(bytes, 1, 4, to);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* n numbers of a row of a block, into its place among the rows at hand. */
typedef struct rows {
    float *numbers; /* [n_blocks of rows][NT_STAGE_ROWS][4] */
    int first;      /* block */
} rows;

static float *row_at(const rows *r, int block, long k, int n)
{
    return r->numbers + (size_t)(block - r->first) * NT_STAGE_ROWS * 4 + (size_t)k * (size_t)n;
}

/* The same rotation is q and -q: the one that is nearer to the row before, so that what lies
 * between rows is the short way. */
static void keep_rotation(nt_gltf_track *track, quat q, float out[4])
{
    const float now[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
    float dot = 0, sign = 1;
    for (int i = 0; i < 4; i++)
        dot += now[i] * track->before[i];
    sign = dot < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        out[i] = track->before[i] = sign * now[i];
}

static void fill_row(nt_gltf *g, const rows *r, long k)
{
    nt_stage *stage = g->stage;
    *row_at(r, g->times, k, 1) = (float)(stage->time[k] - stage->start);
    for (int i = 0; i < g->n_tracks; i++) {
        nt_gltf_track *t = &g->tracks[i];
        nt_placed place = {.length = 1};
        if (t->link)
            place = nt_stage_place(stage, k, t->link);
        else {
            nt_pose pose = nt_stage_pose(stage, k, t->body);
            place.at = pose.x, place.turn = pose.q;
        }
        float *x = row_at(r, t->translation, k, 3);
        x[0] = (float)place.at.x, x[1] = (float)place.at.y, x[2] = (float)place.at.z;
        keep_rotation(t, place.turn, row_at(r, t->rotation, k, 4));
        if (t->scale < 0)
            continue;
        float *s = row_at(r, t->scale, k, 3);
        s[0] = s[1] = 1;
        s[2] = (float)place.length;
    }
}

/* All rows, in pieces: each block's part of a piece goes to its place in the file. */
static nt_status write_rows(nt_gltf *g, FILE *to, uint64_t begin, const char *path, nt_error *error)
{
    nt_status status = NT_OK;
    int blocks = g->n_blocks - g->times;
    rows r = {.first = g->times};
    r.numbers = malloc((size_t)blocks * NT_STAGE_ROWS * 4 * sizeof *r.numbers);
    if (!r.numbers)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (long first = 0; first < g->stage->n_frames && status == NT_OK; first += NT_STAGE_ROWS) {
        status = nt_stage_read(g->stage, first, error);
        for (long k = 0; k < g->stage->n && status == NT_OK; k++)
            fill_row(g, &r, k);
        for (int i = g->times; i < g->n_blocks && status == NT_OK; i++) {
            const nt_gltf_block *b = &g->blocks[i];
            size_t row = (size_t)(b->size / (uint64_t)b->count);
            uint64_t at = begin + b->at + row * (uint64_t)first;
            if (fseek(to, (long)at, SEEK_SET) != 0 ||
                fwrite(row_at(&r, i, 0, 0), row, (size_t)g->stage->n, to) != (size_t)g->stage->n)
                status = cannot(path, error);
        }
    }
    free(r.numbers);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static nt_status write_file(nt_gltf *g, FILE *to, const char *path, nt_error *error)
{
    while (g->text.used % 4 != 0 && !g->text.failed)
        nt_bytes_put(&g->text, " ", 1);
    uint64_t begin = HEAD + CHUNK + g->text.used + CHUNK, end = begin + g->bytes;
    if (g->text.failed)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (end > UINT32_MAX)
        return nt_fail(error, NT_INVALID,
                       "%ld rows of %d bodies take %.3g bytes, glTF holds 4.29e9: expected fewer "
                       "rows",
                       g->stage->n_frames, g->stage->n_bodies - 1, (double)end);
    fwrite("glTF", 1, 4, to);
    put_word(to, 2);
    put_word(to, (uint32_t)end);
    put_word(to, (uint32_t)g->text.used);
    fwrite("JSON", 1, 4, to);
    fwrite(g->text.at, 1, g->text.used, to);
    put_word(to, (uint32_t)g->bytes);
    fwrite("BIN", 1, 4, to);
    for (int i = 0; i < g->times; i++) {
        const nt_gltf_block *b = &g->blocks[i];
        fwrite(b->bytes, 1, (size_t)b->size, to);
        fwrite("\0\0\0", 1, (size_t)((4 - b->size % 4) % 4), to);
    }
    return ferror(to) ? cannot(path, error) : write_rows(g, to, begin, path, error);
}

nt_status nt_gltf_write(nt_stage *stage, const char *path, const char *title, nt_error *error)
{
    nt_gltf g = {.stage = stage};
    g.json = (nt_json){.out = &g.text, .first = true};
    nt_decimal_init(&g.json.decimal);
    nt_gltf_describe(&g, title);
    nt_status status = g.failed ? nt_fail(error, NT_NO_MEMORY, "out of memory")
                                : nt_stage_read(stage, stage->n_frames - 1, error);
    if (status == NT_OK) {
        g.blocks[g.times].high[0] = (double)(float)(stage->time[0] - stage->start);
        nt_gltf_finish(&g);
    }
    FILE *to = status == NT_OK ? fopen(path, "wb") : NULL;
    if (status == NT_OK && !to)
        status = cannot(path, error);
    if (to) {
        status = write_file(&g, to, path, error);
        if (fclose(to) != 0 && status == NT_OK)
            status = cannot(path, error);
        if (status != NT_OK)
            nt_file_take_back(path);
    }
    nt_bytes_free(&g.text);
    nt_arena_free(&g.arena);
    return status;
}
