/* A result that is written: rows of numbers into several files at once, each of its own format. */
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "output/format.h"
#include "output/stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 1 << 16, ROWS_PER_COUNT = 100 };
static const double WAIT = 0.1;                 /* s that a row waits at most while others come */
static const double MOST_COUNTED = 4294967295.; /* rows that NetCDF's count holds */

typedef struct result_file {
    const nt_format *format;
    nt_stream stream;
    char *path; /* owned */
    nt_bytes head;
    size_t row_room;
} result_file;

/* How far a file is written, for nt_result_save. */
typedef struct file_place {
    int64_t bytes, last_size; /* of the file; of its last row */
    uint64_t last_sum;        /* of that row's bytes           */
} file_place;

typedef struct place {
    char magic[8];
    int32_t n_files, n_columns, n_others, unused;
    int64_t rows;
} place;

struct nt_result_writer {
    int n_files;
    nt_layout layout;
    nt_arena arena;     /* of the words */
    result_file *files; /* [n_files] */
    file_place *places; /* [n_files] of the row before `last` */
    double *last;       /* [n_columns + n_others] */
    char *row;          /* scratch: the last row as text */
    bool wrote;         /* a row stands in `last`        */
    bool waits;         /* rows wait in buffers          */
    double flushed;     /* s, clock, of the last flush   */
    double asked;       /* s, clock, of nt_result_keep_up */
    long rows;
};

/* ---- bytes ---------------------------------------------------------------------------------- */

void nt_bytes_put(nt_bytes *bytes, const void *from, size_t size)
{
    if (!bytes->failed && size > bytes->room - bytes->used) {
        size_t room = 2 * (bytes->room + size) + 1024;
        char *more = realloc(bytes->at, room);
        if (more)
            bytes->at = more, bytes->room = room;
        else
            bytes->failed = true;
    }
    if (bytes->failed || size == 0)
        return;
    memcpy(bytes->at + bytes->used, from, size);
    bytes->used += size;
}

void nt_bytes_free(nt_bytes *bytes)
{
    free(bytes->at);
    *bytes = (nt_bytes){0};
}

static double coarse_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* a tenth of the cost, good to 4 ms */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- paths ---------------------------------------------------------------------------------- */

static char *path_between(const char *path, size_t stem, const char *dot, const char *table)
{
    size_t end = strlen(path) + 1 - stem, length = strlen(dot) + strlen(table);
    char *text = malloc(stem + length + end);
    if (!text)
        return NULL;
    memcpy(text, path, stem);
    memcpy(text + stem, dot, strlen(dot));
    memcpy(text + stem + strlen(dot), table, strlen(table));
    memcpy(text + stem + length, path + stem, end);
    return text;
}

char *nt_result_beside(const char *path, const char *table)
{
    if (!path || !table)
        return NULL;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return path_between(path, dot ? (size_t)(dot - path) : strlen(path), ".", table);
}

static char *path_of(const nt_result_setup *setup, int i)
{
    const char *path = setup->files[i].path;
    return setup->table ? nt_result_beside(path, setup->table) : path_between(path, 0, "", "");
}

/* ---- flush ---------------------------------------------------------------------------------- */

/* Rows first, then their number: what the head counts is there. */
static nt_status flush_file(nt_result_writer *w, result_file *file, nt_error *error)
{
    nt_status status = nt_stream_flush(&file->stream, error);
    if (status != NT_OK || file->format->count_at == 0)
        return status;
    uint32_t rows = (uint32_t)w->rows;
    const unsigned char text[4] = {(unsigned char)(rows >> 24), (unsigned char)(rows >> 16),
                                   (unsigned char)(rows >> 8), (unsigned char)rows};
    return nt_stream_overwrite(&file->stream, (uint64_t)file->format->count_at, text, 4, error);
}

static nt_status flush_all(nt_result_writer *w, nt_error *error)
{
    nt_status status = NT_OK;
    w->flushed = coarse_clock();
    w->waits = false;
    for (int i = 0; i < w->n_files && status == NT_OK; i++) {
        status = flush_file(w, &w->files[i], error);
        if (status == NT_OK)
            status = nt_stream_check_there(&w->files[i].stream, error);
    }
    return status;
}

nt_status nt_result_keep_up(nt_result_writer *w, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "writer", w);
    if (!w->waits)
        return NT_OK;
    double now = coarse_clock(), before = w->asked;
    w->asked = now;
    return nt_said(error, now - w->flushed >= WAIT || now - before >= WAIT / 2 ? flush_all(w, error)
                                                                               : NT_OK);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static size_t put_row(const nt_result_writer *w, const result_file *file, const double *values,
                      char *out)
{
    return file->format->row(&w->layout, values, out);
}

/* Numbers that stand for words have one. */
static nt_status check_words(const nt_result_writer *w, const double *values, nt_error *error)
{
    for (int i = 0; i < w->layout.n_columns; i++) {
        int n = w->layout.words[i].n;
        if (n > 0 && !(values[i] >= 0 && values[i] < n && values[i] == (int)values[i]))
            return nt_fail(error, NT_INVALID,
                           "column %d is %g, expected the number of a word from 0 to %d", i + 1,
                           values[i], n - 1);
    }
    return NT_OK;
}

nt_status nt_result_write(nt_result_writer *w, const double *values, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "writer values", w, values);
    nt_status status = check_words(w, values, error);
    if (status != NT_OK)
        return nt_said(error, status);
    for (int i = 0; i < w->n_files; i++) {
        result_file *file = &w->files[i];
        if (file->format->count_at > 0 && (double)w->rows >= MOST_COUNTED)
            return nt_fail_at(error, NT_IO, file->path, 0, 0,
                              "cannot be written: NetCDF holds at most %.0f rows", MOST_COUNTED);
        status = nt_stream_reserve(&file->stream, file->row_room, error);
        if (status != NT_OK)
            return nt_said(error, status);
        nt_stream *stream = &file->stream;
        stream->used += put_row(w, file, values, stream->buffer + stream->used);
    }
    memcpy(w->last, values, (size_t)(w->layout.n_columns + w->layout.n_others) * sizeof *values);
    w->wrote = w->waits = true;
    w->rows++;
    if (coarse_clock() - w->flushed >= WAIT)
        status = flush_all(w, error);
    for (int i = 0; i < w->n_files && w->rows % ROWS_PER_COUNT == 0 && status == NT_OK; i++)
        if (w->files[i].format->count_at > 0)
            status = flush_file(w, &w->files[i], error);
    return nt_said(error, status);
}

long nt_result_written(const nt_result_writer *w) { return w ? w->rows : 0; }

/* ---- save ----------------------------------------------------------------------------------- */

static const char magic[8] = "nutrows";

size_t nt_result_saved_size(const nt_result_writer *w)
{
    return w ? sizeof(place) + (size_t)w->n_files * sizeof(file_place) : 0;
}

nt_status nt_result_save(nt_result_writer *w, void *bytes, int to_disk, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "writer bytes", w, bytes);
    place head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.n_files = w->n_files, head.n_columns = w->layout.n_columns;
    head.n_others = w->layout.n_others;
    head.rows = w->rows;
    nt_status status = flush_all(w, error);
    for (int i = 0; i < w->n_files && status == NT_OK; i++) {
        file_place *p = &w->places[i];
        if (to_disk)
            status = nt_stream_sync(&w->files[i].stream, error);
        p->bytes = (int64_t)w->files[i].stream.written;
        if (!w->wrote)
            continue;
        size_t size = put_row(w, &w->files[i], w->last, w->row);
        p->last_size = (int64_t)size;
        p->last_sum = nt_hash(w->row, size);
    }
    memcpy(bytes, &head, sizeof head);
    memcpy((char *)bytes + sizeof head, w->places, (size_t)w->n_files * sizeof *w->places);
    return nt_said(error, status);
}

/* ---- going on ------------------------------------------------------------------------------- */

static nt_status read_place(nt_result_writer *w, const nt_result_setup *setup, nt_error *error)
{
    place head;
    if (setup->saved_size != nt_result_saved_size(w))
        return nt_fail(error, NT_INVALID, "the saved result is one of another number of files");
    memcpy(&head, setup->saved, sizeof head);
    memcpy(w->places, (const char *)setup->saved + sizeof head,
           (size_t)w->n_files * sizeof *w->places);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.n_files != w->n_files ||
        head.n_columns != w->layout.n_columns || head.n_others != w->layout.n_others ||
        head.rows < 0)
        return nt_fail(error, NT_INVALID, "the saved result is one of other columns");
    w->rows = (long)head.rows;
    return NT_OK;
}

/* Checks that the file begins as this result does and holds the last row that was saved. */
static nt_status find_rows(nt_result_writer *w, int i, nt_error *error)
{
    result_file *file = &w->files[i];
    const file_place *p = &w->places[i];
    size_t size = file->head.used;
    char *there = NULL;
    if (p->last_size < 0 || (size_t)p->last_size > file->row_room ||
        p->bytes < (int64_t)size + p->last_size)
        return nt_fail_at(error, NT_INVALID, file->path, 0, 0, "the saved place is none in it");
    size_t last = (size_t)p->last_size, room = size > last ? size : last;
    if (!(there = malloc(room + 1)))
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_stream_read(&file->stream, 0, there, size, error);
    int count = file->format->count_at;
    if (status == NT_OK && count > 0)
        memcpy(there + count, file->head.at + count, 4);
    if (status == NT_OK && memcmp(there, file->head.at, size) != 0)
        status = nt_fail_at(error, NT_IO, file->path, 0, 0,
                            "begins otherwise than the result of this run");
    if (status == NT_OK)
        status = nt_stream_read(&file->stream, (uint64_t)p->bytes - last, there, last, error);
    if (status == NT_OK && last > 0 && nt_hash(there, last) != p->last_sum)
        status = nt_fail_at(error, NT_IO, file->path, 0, 0,
                            "does not hold the last row that was saved: it was changed since");
    free(there);
    return status;
}

/* ---- open and close ------------------------------------------------------------------------- */

static nt_status writer_put_head(result_file *file, nt_error *error)
{
    nt_stream *stream = &file->stream;
    nt_status status = nt_stream_cut(stream, 0, error);
    for (size_t at = 0; at < file->head.used && status == NT_OK;) {
        size_t rest = file->head.used - at, piece = rest < stream->room ? rest : stream->room;
        memcpy(stream->buffer, file->head.at + at, piece);
        stream->used = piece;
        at += piece;
        status = nt_stream_flush(stream, error); /* a full disk is known before the run */
    }
    return status;
}

static nt_status open_file(nt_result_writer *w, const nt_result_setup *setup, int i,
                           nt_error *error)
{
    result_file *file = &w->files[i];
    file->format = setup->files[i].format == NT_NETCDF ? &nt_format_netcdf : &nt_format_csv;
    bool standard = strcmp(setup->files[i].path, "-") == 0;
    if (standard && file->format->needs_file)
        return nt_fail(error, NT_INVALID, "NetCDF cannot be written to standard output");
    if (standard && (setup->table || setup->saved))
        return nt_fail(error, NT_INVALID,
                       setup->table ? "standard output holds the rows of time alone, a table "
                                      "beside them needs a file"
                                    : "standard output cannot be gone on with: expected a file");
    file->path = path_of(setup, i);
    nt_status status = file->path ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = file->format->head(setup, file->path, &file->head, error);
    if (status == NT_OK && file->head.failed)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    file->row_room = file->format->room(setup);
    if (status == NT_OK)
        status = nt_stream_open(&file->stream, file->path, setup->saved != NULL,
                                file->row_room > ROOM ? file->row_room : ROOM, error);
    return status;
}

static nt_status open_all(nt_result_writer *w, const nt_result_setup *setup, nt_error *error)
{
    nt_status status = setup->saved ? read_place(w, setup, error) : NT_OK;
    size_t room = 0;
    for (int i = 0; i < w->n_files && status == NT_OK; i++) {
        status = open_file(w, setup, i, error);
        room = w->files[i].row_room > room ? w->files[i].row_room : room;
    }
    if (status == NT_OK && !(w->row = malloc(room + 1)))
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < w->n_files && setup->saved && status == NT_OK; i++)
        status = find_rows(w, i, error);
    for (int i = 0; i < w->n_files && status == NT_OK; i++) {
        result_file *file = &w->files[i];
        status = setup->saved ? nt_stream_cut(&file->stream, (uint64_t)w->places[i].bytes, error)
                              : writer_put_head(file, error);
        if (status == NT_OK && setup->saved)
            status = flush_file(w, file, error);
        if (status == NT_OK && file->format->needs_file && !file->stream.regular)
            status =
                nt_fail_at(error, NT_IO, file->path, 0, 0, "is no ordinary file: NetCDF needs one");
        nt_bytes_free(&file->head);
    }
    return status;
}

static bool is_word(const char *word)
{
    bool letter = (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') || *word == '_';
    return letter && word[strcspn(word, ",\"\t\r\n")] == '\0';
}

/* NT_INVALID where one of texts[n] is NULL: "nt_result_create: setup.columns[2].unit is NULL". */
static nt_status check_texts(const char *list, int i, const char *const *texts,
                             const char *const *names, int n, nt_error *error)
{
    for (int k = 0; k < n; k++)
        if (!texts[k])
            return nt_fail(error, NT_INVALID, "nt_result_create: setup.%s[%d].%s is NULL", list, i,
                           names[k]);
    return NT_OK;
}

/* What columns, arrays, attributes and words need. */
static nt_status check_columns(const nt_result_setup *setup, nt_error *error)
{
    static const char *const column[] = {"name", "unit", "meaning"};
    static const char *const array[] = {"name", "unit",      "meaning",
                                        "item", "component", "item_names"};
    static const char *const attribute[] = {"name", "value"};
    nt_status status = NT_OK;
    for (int i = 0; i < setup->n_columns && status == NT_OK; i++) {
        const nt_result_column *c = &setup->columns[i];
        status = check_texts("columns", i, (const char *const[]){c->name, c->unit, c->meaning},
                             column, 3, error);
    }
    for (int i = 0; i < setup->n_arrays && status == NT_OK; i++) {
        const nt_result_array *a = &setup->arrays[i];
        status = check_texts(
            "arrays", i, (const char *const[]){a->name, a->unit, a->meaning, a->item, a->component},
            array, 5, error);
        if (status == NT_OK && (a->items < 0 || a->components < 1))
            status = nt_fail(error, NT_INVALID,
                             "nt_result_create: setup.arrays[%d] has %d items of %d components, "
                             "expected 0 or more of 1 or more",
                             i, a->items, a->components);
        if (status == NT_OK && a->items > 0)
            status = check_texts("arrays", i, (const char *const[]){(const char *)a->item_names},
                                 array + 5, 1, error);
        for (int k = 0; k < a->items && status == NT_OK; k++)
            status = check_texts("arrays", i, &a->item_names[k], array + 5, 1, error);
    }
    for (int i = 0; i < setup->n_attributes && status == NT_OK; i++) {
        const nt_result_attribute *a = &setup->attributes[i];
        status = check_texts("attributes", i, (const char *const[]){a->name, a->value}, attribute,
                             2, error);
    }
    return status;
}

/* Keeps the words of the setup. */
static nt_status take_words(nt_result_writer *w, const nt_result_setup *setup, nt_error *error)
{
    nt_result_words *all = NT_TAKE(&w->arena, setup->n_columns, nt_result_words);
    w->layout.words = all;
    if (!all)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < setup->n_words; i++) {
        const nt_result_words *from = &setup->words[i];
        if (from->column < 0 || from->column >= setup->n_columns || from->n < 1)
            return nt_fail(error, NT_INVALID, "%d words of column %d: expected some, of one of %d",
                           from->n, from->column, setup->n_columns);
        if (!from->words)
            return nt_fail(error, NT_INVALID, "nt_result_create: setup.words[%d].words is NULL", i);
        const char **words = NT_TAKE(&w->arena, from->n, const char *);
        for (int k = 0; k < from->n && words; k++) {
            if (!from->words[k])
                return nt_fail(error, NT_INVALID,
                               "nt_result_create: setup.words[%d].words[%d] is NULL", i, k);
            if (!is_word(from->words[k]))
                return nt_fail(error, NT_INVALID,
                               "'%s' is no word: expected a letter first, no commas, no quotes",
                               from->words[k]);
            words[k] = nt_arena_text(&w->arena, from->words[k], strlen(from->words[k]));
            words = words[k] ? words : NULL;
        }
        if (!words)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        all[from->column] = (nt_result_words){from->column, words, from->n};
    }
    return NT_OK;
}

static void writer_destroy(nt_result_writer *w)
{
    for (int i = 0; w->files && i < w->n_files; i++) {
        nt_bytes_free(&w->files[i].head);
        free(w->files[i].path);
    }
    nt_arena_free(&w->arena);
    free(w->files);
    free(w->places);
    free(w->last);
    free(w->row);
    free(w);
}

nt_status nt_result_create(nt_result_writer **writer, const nt_result_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "writer", writer);
    *writer = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.files setup.columns", setup->files, setup->columns);
    NT_NEED_COUNT(error, "setup.n_arrays", setup->n_arrays);
    NT_NEED_COUNT(error, "setup.n_attributes", setup->n_attributes);
    NT_NEED_COUNT(error, "setup.n_words", setup->n_words);
    if (setup->n_arrays > 0)
        NT_NEED(error, "setup.arrays", setup->arrays);
    if (setup->n_attributes > 0)
        NT_NEED(error, "setup.attributes", setup->attributes);
    if (setup->n_words > 0)
        NT_NEED(error, "setup.words", setup->words);
    if (setup->n_files < 1 || setup->n_columns < 1)
        return nt_fail(error, NT_INVALID,
                       "a result has %d files and %d columns, expected one of "
                       "each at least",
                       setup->n_files, setup->n_columns);
    for (int i = 0; i < setup->n_files; i++) {
        NT_NEED(error, "setup.files.path", setup->files[i].path);
        NT_NEED_NUMBER(error, "setup.files.format", setup->files[i].format, NT_CSV, NT_NETCDF);
    }
    nt_status status = check_columns(setup, error);
    if (status != NT_OK)
        return nt_said(error, status);
    nt_result_writer *w = calloc(1, sizeof *w);
    if (!w)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    w->n_files = setup->n_files;
    w->layout.n_columns = setup->n_columns;
    for (int i = 0; i < setup->n_arrays; i++)
        w->layout.n_others += setup->arrays[i].items * setup->arrays[i].components;
    w->files = calloc((size_t)w->n_files, sizeof *w->files);
    w->places = calloc((size_t)w->n_files, sizeof *w->places);
    w->last = calloc((size_t)(w->layout.n_columns + w->layout.n_others), sizeof *w->last);
    for (int i = 0; w->files && i < w->n_files; i++)
        w->files[i].stream.file = -1;
    nt_decimal_init(&w->layout.decimal);
    status = w->files && w->places && w->last ? take_words(w, setup, error)
                                              : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = open_all(w, setup, error);
    if (status != NT_OK) {
        for (int i = 0; w->files && i < w->n_files; i++)
            nt_stream_undo(&w->files[i].stream);
        writer_destroy(w);
        return nt_said(error, status);
    }
    w->flushed = coarse_clock();
    *writer = w;
    return NT_OK;
}

nt_status nt_result_finish(nt_result_writer *w, nt_error *error)
{
    nt_error_clear(error);
    nt_status status = NT_OK;
    for (int i = 0; w && i < w->n_files; i++) {
        nt_error ignored = {0};
        nt_error *words = status == NT_OK ? error : &ignored;
        nt_status flushed = flush_file(w, &w->files[i], words);
        nt_status closed = nt_stream_close(&w->files[i].stream, flushed == NT_OK ? words : NULL);
        if (status == NT_OK)
            status = flushed != NT_OK ? flushed : closed;
    }
    if (w)
        writer_destroy(w);
    return nt_said(error, status);
}
