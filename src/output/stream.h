/* A file that is written through one buffer, every byte of it checked. */
#ifndef NUTATE_OUTPUT_STREAM_H
#define NUTATE_OUTPUT_STREAM_H

#include <nutate/status.h>
#include <stddef.h>

enum { NT_STREAM_ROOM = 1 << 16 };

typedef struct nt_stream {
    int file;         /* descriptor, -1 when not open                          */
    const char *path; /* as given, not owned: must outlive the stream            */
    int failure;      /* errno of the first write that failed, 0: none; later ones fail alike */
    size_t used;      /* bytes that wait in the buffer                         */
    char buffer[NT_STREAM_ROOM];
} nt_stream;

/* Create or empty a file; "-" is standard output. Errors: NT_IO with the file's name. */
nt_status nt_stream_open(nt_stream *stream, const char *path, nt_error *error);

/* Append bytes. They reach the file when the buffer is full, at a flush or at the close. */
nt_status nt_stream_put(nt_stream *stream, const void *bytes, size_t size, nt_error *error);

/* Room for at least `size` bytes (at most NT_STREAM_ROOM) at buffer + used; the caller writes there
 * and adds to `used`. */
nt_status nt_stream_reserve(nt_stream *stream, size_t size, nt_error *error);

nt_status nt_stream_flush(nt_stream *stream, nt_error *error);

/* Flush and close (standard output stays open); the descriptor is given back always. */
nt_status nt_stream_close(nt_stream *stream, nt_error *error);

#endif
