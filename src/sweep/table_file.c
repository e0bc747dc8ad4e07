#include "sweep/table_file.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 16 };

void nt_table_begin(nt_table_file *f, const char *path, nt_error *error)
{
    f->error = error;
    f->path = path;
    f->begun = false;
    nt_decimal_init(&f->decimal);
    f->status = nt_stream_open(&f->stream, path, false, ROOM, error);
    if (f->status != NT_OK || f->stream.standard)
        return;
    f->begun = true;
    f->status = nt_stream_cut(&f->stream, 0, error);
}

nt_status nt_table_end(nt_table_file *f)
{
    nt_error unwanted = {0};
    bool ours = f->begun && nt_stream_is(&f->stream, f->path);
    nt_status closed = nt_stream_close(&f->stream, f->status == NT_OK ? f->error : &unwanted);
    f->begun = false;
    if (f->status == NT_OK)
        f->status = closed;
    if (f->status != NT_OK && ours)
        nt_file_take_back(f->path);
    return f->status;
}

void nt_table_put(nt_table_file *f, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && f->status == NT_OK) {
        size_t piece = size < ROOM ? size : ROOM;
        f->status = nt_stream_reserve(&f->stream, piece, f->error);
        if (f->status != NT_OK)
            return;
        memcpy(f->stream.buffer + f->stream.used, from, piece);
        f->stream.used += piece;
        from += piece;
        size -= piece;
    }
}

void nt_table_text(nt_table_file *f, const char *text) { nt_table_put(f, text, strlen(text)); }

void nt_table_number(nt_table_file *f, double x)
{
    char text[NT_DECIMAL_ROOM];
    nt_table_put(f, text, (size_t)nt_decimal_write(&f->decimal, x, text));
}

void nt_table_whole(nt_table_file *f, long n)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", n);
    nt_table_text(f, text);
}

void nt_table_words(nt_table_file *f, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        nt_table_text(f, text);
        return;
    }
    nt_table_text(f, "\"");
    for (; *text; text++) {
        if (*text == '"')
            nt_table_text(f, "\"");
        nt_table_put(f, text, 1);
    }
    nt_table_text(f, "\"");
}
