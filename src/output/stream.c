#include "output/stream.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *shown(const nt_stream *stream)
{
    return strcmp(stream->path, "-") == 0 ? "standard output" : stream->path;
}

static nt_status fail(nt_stream *stream, int cause, nt_error *error)
{
    stream->failure = cause;
    return nt_fail_at(error, NT_IO, shown(stream), 0, 0, "cannot be written: %s", strerror(cause));
}

nt_status nt_stream_open(nt_stream *stream, const char *path, nt_error *error)
{
    stream->path = path;
    stream->used = 0;
    stream->failure = 0;
    stream->file = STDOUT_FILENO;
    if (strcmp(path, "-") == 0)
        return NT_OK;
    do
        stream->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    while (stream->file < 0 && errno == EINTR);
    return stream->file < 0 ? fail(stream, errno, error) : NT_OK;
}

/* All of the buffer, however many calls it takes. */
nt_status nt_stream_flush(nt_stream *stream, nt_error *error)
{
    const char *bytes = stream->buffer;
    size_t size = stream->used;
    stream->used = 0;
    if (stream->failure)
        return fail(stream, stream->failure, error);
    while (size > 0) {
        ssize_t done = write(stream->file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(stream, done < 0 ? errno : EIO, error);
        bytes += done;
        size -= (size_t)done;
    }
    return NT_OK;
}

nt_status nt_stream_reserve(nt_stream *stream, size_t size, nt_error *error)
{
    return stream->used + size <= sizeof stream->buffer ? NT_OK : nt_stream_flush(stream, error);
}

nt_status nt_stream_put(nt_stream *stream, const void *bytes, size_t size, nt_error *error)
{
    const char *from = bytes;
    while (size > 0) {
        if (stream->used == sizeof stream->buffer) {
            nt_status status = nt_stream_flush(stream, error);
            if (status != NT_OK)
                return status;
        }
        size_t room = sizeof stream->buffer - stream->used, piece = size < room ? size : room;
        memcpy(stream->buffer + stream->used, from, piece);
        stream->used += piece;
        from += piece;
        size -= piece;
    }
    return NT_OK;
}

nt_status nt_stream_close(nt_stream *stream, nt_error *error)
{
    nt_status status = NT_OK;
    if (stream->file < 0)
        return NT_OK;
    status = nt_stream_flush(stream, error);
    if (stream->file != STDOUT_FILENO && close(stream->file) != 0 && status == NT_OK)
        status = fail(stream, errno, error);
    stream->file = -1;
    return status;
}
