#define _GNU_SOURCE /* memrchr */
#include "output/stream.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *shown(const nt_stream *stream)
{
    return stream->standard ? "standard output" : stream->path;
}

static nt_status stream_fail(nt_stream *stream, int cause, nt_error *error)
{
    stream->failure = cause;
    return nt_fail_at(error, NT_IO, shown(stream), 0, 0, "cannot be written: %s", strerror(cause));
}

/* ---- open and close ------------------------------------------------------------------------- */

static int open_again(const char *path, int flags)
{
    int file;
    do
        file = open(path, flags | O_CLOEXEC, 0666);
    while (file < 0 && errno == EINTR);
    return file;
}

/* File systems without locks (ENOLCK, EOPNOTSUPP) are written without. */
static nt_status lock(nt_stream *stream, nt_error *error)
{
    if (flock(stream->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return NT_OK;
    return nt_fail_at(error, NT_IO, shown(stream), 0, 0,
                      "is being written by another run: expected another name, or its end");
}

bool nt_stream_is(const nt_stream *stream, const char *path)
{
    struct stat here, there;
    bool standard = strcmp(path, "-") == 0;
    if (standard && stream->standard)
        return true;
    return stream->regular && fstat(stream->file, &here) == 0 &&
           (standard ? fstat(STDOUT_FILENO, &there) : stat(path, &there)) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

nt_status nt_stream_open(nt_stream *stream, const char *path, bool to_go_on, size_t room,
                         nt_error *error)
{
    *stream = (nt_stream){.path = path, .file = STDOUT_FILENO, .room = room};
    struct stat is;
    nt_status status = NT_OK;
    stream->standard = strcmp(path, "-") == 0;
    if (!stream->standard) {
        stream->file = open_again(path, to_go_on ? O_RDWR : O_WRONLY | O_CREAT | O_EXCL);
        stream->made = !to_go_on && stream->file >= 0;
        if (stream->file < 0 && !to_go_on && errno == EEXIST)
            stream->file = open_again(path, O_WRONLY | O_CREAT);
    }
    if (stream->file < 0 || fstat(stream->file, &is) != 0)
        status = stream_fail(stream, errno, error);
    if (status == NT_OK) {
        stream->regular = S_ISREG(is.st_mode);
        stream->pipe = S_ISFIFO(is.st_mode);
        if (stream->regular && !stream->standard)
            status = lock(stream, error);
    }
    if (status == NT_OK && to_go_on && !stream->regular)
        status = nt_fail_at(error, NT_INVALID, shown(stream), 0, 0,
                            "is no ordinary file: rows cannot be cut off to go on");
    if (status == NT_OK && !(stream->buffer = malloc(room)))
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status != NT_OK)
        nt_stream_undo(stream);
    return status;
}

static int stream_give_back(nt_stream *stream)
{
    int failed = 0;
    if (stream->file >= 0 && !stream->standard && close(stream->file) != 0)
        failed = errno;
    free(stream->buffer);
    stream->file = -1;
    stream->buffer = NULL;
    return failed;
}

nt_status nt_stream_close(nt_stream *stream, nt_error *error)
{
    if (stream->file < 0)
        return NT_OK;
    nt_status status = nt_stream_flush(stream, error);
    if (status == NT_OK)
        status = nt_stream_check_there(stream, error);
    int failed = stream_give_back(stream);
    return status == NT_OK && failed ? stream_fail(stream, failed, error) : status;
}

void nt_stream_undo(nt_stream *stream)
{
    if (stream->file >= 0 && stream->made)
        unlink(stream->path);
    stream_give_back(stream);
}

/* Ext4 marks a file that was cut to nothing: the next close of it, by whichever descriptor, waits
 * until all that was written since is on its way to the disk, up to a second for a gigabyte. A
 * close at once takes the mark away while there is nothing to wait for. */
static void stream_unmark(const nt_stream *stream)
{
    int other = open_again(stream->path, O_RDONLY | O_NONBLOCK);
    if (other >= 0)
        close(other);
}

nt_status nt_stream_cut(nt_stream *stream, uint64_t size, nt_error *error)
{
    stream->written = size;
    if (!stream->regular || stream->standard)
        return NT_OK;
    if (ftruncate(stream->file, (off_t)size) != 0 ||
        lseek(stream->file, (off_t)size, SEEK_SET) != (off_t)size)
        return stream_fail(stream, errno, error);
    if (size == 0)
        stream_unmark(stream);
    return NT_OK;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* What one call hands over. A pipe takes up to PIPE_BUF bytes as a whole or not at all: whole
 * lines, so that a process that ends at any moment leaves no part of one behind. */
static size_t stream_piece_of(const nt_stream *stream, const char *bytes, size_t size)
{
    if (!stream->pipe || size <= PIPE_BUF)
        return size;
    const char *end = memrchr(bytes, '\n', PIPE_BUF);
    return end ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

/* After a write that failed the file ends with a whole line: what came behind the last one is cut
 * off. (Of NetCDF some bytes may go that its head does not count.) */
static nt_status stop_at_line(nt_stream *stream, uint64_t begin, int cause, nt_error *error)
{
    size_t size = (size_t)(stream->written - begin);
    const char *end = size > 0 ? memrchr(stream->buffer, '\n', size) : NULL;
    uint64_t whole = begin + (end ? (uint64_t)(end - stream->buffer) + 1 : 0);
    if (stream->regular && whole < stream->written && ftruncate(stream->file, (off_t)whole) == 0)
        stream->written = whole;
    return stream_fail(stream, cause, error);
}

nt_status nt_stream_flush(nt_stream *stream, nt_error *error)
{
    uint64_t begin = stream->written;
    const char *bytes = stream->buffer;
    size_t size = stream->used;
    stream->used = 0;
    if (stream->failure)
        return stream_fail(stream, stream->failure, error);
    while (size > 0) {
        ssize_t done = write(stream->file, bytes, stream_piece_of(stream, bytes, size));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return stop_at_line(stream, begin, done < 0 ? errno : EIO, error);
        bytes += done;
        size -= (size_t)done;
        stream->written += (uint64_t)done;
    }
    return NT_OK;
}

nt_status nt_stream_reserve(nt_stream *stream, size_t size, nt_error *error)
{
    return stream->used + size <= stream->room ? NT_OK : nt_stream_flush(stream, error);
}

nt_status nt_stream_overwrite(nt_stream *stream, uint64_t at, const void *bytes, size_t size,
                              nt_error *error)
{
    ssize_t done;
    if (stream->failure)
        return stream_fail(stream, stream->failure, error);
    do
        done = pwrite(stream->file, bytes, size, (off_t)at);
    while (done < 0 && errno == EINTR);
    return done == (ssize_t)size ? NT_OK : stream_fail(stream, done < 0 ? errno : EIO, error);
}

nt_status nt_stream_read(nt_stream *stream, uint64_t at, void *bytes, size_t size, nt_error *error)
{
    char *to = bytes;
    while (size > 0) {
        ssize_t done = pread(stream->file, to, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return nt_fail_at(error, NT_IO, shown(stream), 0, 0, "cannot be read: %s",
                              strerror(errno));
        if (done == 0)
            return nt_fail_at(error, NT_IO, shown(stream), 0, 0, "is shorter than it was");
        to += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return NT_OK;
}

nt_status nt_stream_check_there(nt_stream *stream, nt_error *error)
{
    struct stat is;
    if (stream->failure || !stream->regular || stream->standard)
        return NT_OK;
    if (fstat(stream->file, &is) != 0)
        return stream_fail(stream, errno, error);
    if (is.st_nlink > 0)
        return NT_OK;
    stream->failure = ENOENT;
    return nt_fail_at(error, NT_IO, shown(stream), 0, 0,
                      "was removed or replaced while it was written");
}

nt_status nt_stream_sync(nt_stream *stream, nt_error *error)
{
    nt_status status = nt_stream_flush(stream, error);
    if (status == NT_OK)
        status = nt_stream_check_there(stream, error);
    if (status == NT_OK && stream->regular && fsync(stream->file) != 0 && errno != EINVAL &&
        errno != EROFS)
        status = stream_fail(stream, errno, error);
    return status;
}
