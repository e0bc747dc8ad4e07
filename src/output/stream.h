/* A file of a result: one buffer in front of it, every byte of it checked, and nobody else writing
 * it at the same time. */
#ifndef NUTATE_OUTPUT_STREAM_H
#define NUTATE_OUTPUT_STREAM_H

#include <nutate/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nt_stream {
    int file;         /* descriptor, -1 when not open                          */
    const char *path; /* as given, not owned: must outlive the stream          */
    bool standard;    /* standard output                                       */
    bool regular;     /* an ordinary file, which has a size and can be cut     */
    bool pipe;        /* lines that fit into a pipe at once are never torn     */
    bool made;        /* there was no such file before                         */
    int failure;      /* errno of the first write that failed, 0: none; later ones fail alike */
    uint64_t written; /* bytes in the file, without those in the buffer        */
    size_t used, room;
    char *buffer; /* [room] owned */
} nt_stream;

/* Open a file and lock it; nothing in it is touched. "-" is standard output. to_go_on: it must be
 * there, ordinary, and can be read too. The buffer has the given room. NT_IO with the file's name;
 * the stream is then closed, and a file that was made for it removed. */
nt_status nt_stream_open(nt_stream *stream, const char *path, bool to_go_on, size_t room,
                         nt_error *error);

/* Whether a path is that of the file behind a stream that is open: both standard output, or one
 * ordinary file by whatever name. */
bool nt_stream_is(const nt_stream *stream, const char *path);

/* Cut the file to a size and go on there; nothing of what is no ordinary file. */
nt_status nt_stream_cut(nt_stream *stream, uint64_t size, nt_error *error);

/* Room for at least `size` bytes (at most stream->room) at buffer + used; the caller writes there
 * and adds to `used` when a row is whole. */
nt_status nt_stream_reserve(nt_stream *stream, size_t size, nt_error *error);

nt_status nt_stream_flush(nt_stream *stream, nt_error *error);

/* Write over bytes that are in the file already. */
nt_status nt_stream_overwrite(nt_stream *stream, uint64_t at, const void *bytes, size_t size,
                              nt_error *error);

/* Read bytes of a file opened to_go_on. */
nt_status nt_stream_read(nt_stream *stream, uint64_t at, void *bytes, size_t size, nt_error *error);

/* NT_IO where the file has lost its name. */
nt_status nt_stream_check_there(nt_stream *stream, nt_error *error);

/* Flush, and bring an ordinary file to the disk. */
nt_status nt_stream_sync(nt_stream *stream, nt_error *error);

/* Flush and close (standard output stays open); descriptor and buffer are given back always. */
nt_status nt_stream_close(nt_stream *stream, nt_error *error);

/* Close without a word, and remove a file that was made for the stream. */
void nt_stream_undo(nt_stream *stream);

#endif
