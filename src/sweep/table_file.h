/* A file that is written from its beginning to its end. */
#ifndef NUTATE_SWEEP_TABLE_FILE_H
#define NUTATE_SWEEP_TABLE_FILE_H

#include "output/decimal.h"
#include "output/stream.h"

#include <stdint.h>
#include <string.h>

enum { NT_TABLE_ROOM = 1 << 16 };

typedef struct nt_table_file {
    nt_stream stream;
    nt_status status; /* the first failure; nothing is written after it */
    nt_error *error;
} nt_table_file;

static inline void nt_table_begin(nt_table_file *f, const char *path, nt_error *error)
{
    f->error = error;
    f->status = nt_stream_open(&f->stream, path, false, NT_TABLE_ROOM, error);
    if (f->status == NT_OK && !f->stream.standard)
        f->status = nt_stream_cut(&f->stream, 0, error);
}

static inline void nt_table_put(nt_table_file *f, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && f->status == NT_OK) {
        size_t piece = size < NT_TABLE_ROOM ? size : NT_TABLE_ROOM;
        f->status = nt_stream_reserve(&f->stream, piece, f->error);
        if (f->status != NT_OK)
            return;
        memcpy(f->stream.buffer + f->stream.used, from, piece);
        f->stream.used += piece;
        from += piece;
        size -= piece;
    }
}

static inline void nt_table_text(nt_table_file *f, const char *text)
{
    nt_table_put(f, text, strlen(text));
}

/* The file is closed whatever happened before. */
static inline nt_status nt_table_end(nt_table_file *f)
{
    nt_error unwanted = {0};
    nt_status closed = nt_stream_close(&f->stream, f->status == NT_OK ? f->error : &unwanted);
    return f->status == NT_OK ? closed : f->status;
}

#endif
