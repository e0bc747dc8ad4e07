/* The files of one process: rows, appended in chunks, and the journal that names them.
 *
 *   rows/000001.rows      rows one behind the other
 *   rows/000001.journal   a line for the kind of the machine, then one for each chunk of rows that
 *                         is on the disk: where it begins, its bytes, its rows, their sum
 *
 * Every line ends with a sum of its own. What is not named was never reported: what a process that
 * was ended left behind the last chunk is not looked at. No other process writes into these files,
 * so that nothing is ever written over. */
#include "base/error.h"
#include "base/text.h"
#include "output/stream.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, MOST_FILES = 1000000, KIND = 512, MAGIC = 0x574f524e };

/* ---- a row as bytes -------------------------------------------------------------------------- */

/* What stands in front of a row's numbers and message; the sum of all stands behind them. */
typedef struct row_head {
    uint32_t magic, n; /* n: numbers */
    int64_t row;
    unsigned char id[NT_ROW_ID];
    int32_t status, message; /* bytes of the message */
    double seconds;
} row_head;

static size_t up_to_eight(size_t bytes) { return (bytes + 7) / 8 * 8; }

size_t nt_row_size(const nt_row *row)
{
    return sizeof(row_head) + (size_t)row->n * sizeof(double) + up_to_eight(strlen(row->message)) +
           sizeof(uint64_t);
}

void nt_row_put(const nt_row *row, char *bytes)
{
    size_t size = nt_row_size(row), length = strlen(row->message);
    size_t numbers = (size_t)row->n * sizeof(double);
    row_head head;
    memset(&head, 0, sizeof head);
    head.magic = MAGIC;
    head.n = (uint32_t)row->n;
    head.row = row->row;
    memcpy(head.id, row->id, NT_ROW_ID);
    head.status = row->status;
    head.message = (int32_t)length;
    head.seconds = row->seconds;
    memset(bytes, 0, size);
    memcpy(bytes, &head, sizeof head);
    if (numbers > 0)
        memcpy(bytes + sizeof head, row->numbers, numbers);
    memcpy(bytes + sizeof head + numbers, row->message, length);
    uint64_t sum = nt_hash(bytes, size - sizeof sum);
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
}

/* The row at bytes[left], its message into text[size]; its length, 0 where there is no whole one.
 */
static size_t row_take(const char *bytes, size_t left, nt_row *row, char *text, size_t size)
{
    row_head head;
    uint64_t sum;
    if (left < sizeof head + sizeof sum)
        return 0;
    memcpy(&head, bytes, sizeof head);
    if (head.magic != MAGIC || head.message < 0 || (size_t)head.message >= size ||
        head.n > left / sizeof(double))
        return 0;
    size_t numbers = (size_t)head.n * sizeof(double), length = (size_t)head.message;
    size_t all = sizeof head + numbers + up_to_eight(length) + sizeof sum;
    if (all > left)
        return 0;
    memcpy(&sum, bytes + all - sizeof sum, sizeof sum);
    if (sum != nt_hash(bytes, all - sizeof sum))
        return 0;
    *row = (nt_row){.row = (long)head.row,
                    .status = head.status,
                    .n = (long)head.n,
                    .seconds = head.seconds,
                    .numbers = (const double *)(const void *)(bytes + sizeof head),
                    .message = text};
    memcpy(row->id, head.id, NT_ROW_ID);
    memcpy(text, bytes + sizeof head + numbers, length);
    text[length] = '\0';
    return all;
}

/* ---- writing -------------------------------------------------------------------------------- */

struct nt_journal {
    char *folder; /* DIR/rows */
    char *rows_path, *path;
    nt_stream rows, journal;
    bool open;
    uint64_t rows_at, at; /* bytes that are named */
};

nt_status nt_journal_create(nt_journal **journal, const char *folder, nt_error *error)
{
    nt_journal *j = *journal = calloc(1, sizeof *j);
    if (j)
        j->folder = nt_folder_path(folder, "rows");
    if (j && j->folder) {
        j->rows.file = j->journal.file = -1;
        return NT_OK;
    }
    free(j);
    *journal = NULL;
    return nt_fail(error, NT_NO_MEMORY, "out of memory");
}

static nt_status put_bytes(nt_stream *stream, const char *bytes, size_t size, nt_error *error)
{
    nt_status status = NT_OK;
    while (size > 0 && status == NT_OK) {
        size_t piece = size < ROOM ? size : ROOM;
        status = nt_stream_reserve(stream, piece, error);
        if (status != NT_OK)
            break;
        memcpy(stream->buffer + stream->used, bytes, piece);
        stream->used += piece;
        bytes += piece;
        size -= piece;
    }
    return status == NT_OK ? nt_stream_sync(stream, error) : status;
}

static nt_status put_line(nt_journal *j, const char *text, nt_error *error)
{
    char line[KIND + 100];
    int length = snprintf(line, sizeof line, "%s %016llx\n", text,
                          (unsigned long long)nt_hash(text, strlen(text)));
    return put_bytes(&j->journal, line, (size_t)length, error);
}

static nt_status cannot_be(const char *what, const char *path, nt_error *error)
{
    return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be %s: %s", what, strerror(errno));
}

static nt_status sync_folder(const char *path, nt_error *error)
{
    int folder = open(path, O_RDONLY | O_CLOEXEC);
    if (folder < 0)
        return cannot_be("opened", path, error);
    fsync(folder); /* not every file system can */
    close(folder);
    return NT_OK;
}

/* A pair of files that nobody else has, by the next free number. */
static nt_status open_pair(nt_journal *j, nt_error *error)
{
    nt_status status = NT_IO;
    for (int n = 1; n < MOST_FILES && !j->open; n++) {
        char name[32];
        free(j->rows_path);
        free(j->path);
        snprintf(name, sizeof name, "%06d.rows", n);
        j->rows_path = nt_folder_path(j->folder, name);
        snprintf(name, sizeof name, "%06d.journal", n);
        j->path = nt_folder_path(j->folder, name);
        if (!j->rows_path || !j->path)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        if (access(j->rows_path, F_OK) == 0)
            continue;
        status = nt_stream_open(&j->rows, j->rows_path, false, ROOM, error);
        if (status != NT_OK && access(j->rows_path, F_OK) != 0)
            return status;
        j->open = status == NT_OK && j->rows.made;
        if (status == NT_OK && !j->open) /* another process was faster */
            nt_stream_close(&j->rows, NULL);
    }
    status = j->open ? nt_stream_open(&j->journal, j->path, false, ROOM, error)
                     : nt_fail_at(error, NT_IO, j->folder, 0, 0, "no free name for rows");
    return status == NT_OK ? sync_folder(j->folder, error) : status;
}

static nt_status begin_pair(nt_journal *j, nt_error *error)
{
    char kind[KIND - 40], text[KIND];
    nt_status status = open_pair(j, error);
    if (status != NT_OK)
        return status;
    nt_sweep_kind(kind, sizeof kind);
    snprintf(text, sizeof text, "kind %s", kind);
    status = put_line(j, text, error);
    if (status == NT_OK)
        j->at = j->journal.written;
    return status;
}

/* A chunk that could not be written or named is cut off again where that is possible; it is not
 * looked at in any case. */
nt_status nt_journal_append(nt_journal *j, const char *bytes, size_t size, long n, nt_error *error)
{
    char text[200];
    nt_status status = NT_OK;
    if (j->at == 0)
        status = begin_pair(j, error);
    if (status == NT_OK)
        status = put_bytes(&j->rows, bytes, size, error);
    if (status != NT_OK)
        return status;
    snprintf(text, sizeof text, "rows %llu %zu %ld %016llx", (unsigned long long)j->rows_at, size,
             n, (unsigned long long)nt_hash(bytes, size));
    status = put_line(j, text, error);
    if (status == NT_OK) {
        j->rows_at += size;
        j->at = j->journal.written;
    }
    return status;
}

void nt_journal_destroy(nt_journal *j)
{
    if (!j)
        return;
    nt_stream_close(&j->rows, NULL);
    nt_stream_close(&j->journal, NULL);
    free(j->folder);
    free(j->rows_path);
    free(j->path);
    free(j);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Whether text[length] ends with its sum, which is cut off. */
static bool has_sum(char *text, size_t length)
{
    char *end, *blank;
    if (length < 18)
        return false;
    text[length] = '\0';
    blank = text + length - 17;
    if (*blank != ' ')
        return false;
    *blank = '\0';
    unsigned long long sum = strtoull(blank + 1, &end, 16);
    return *end == '\0' && sum == nt_hash(text, strlen(text));
}

typedef struct chunk {
    unsigned long long at, sum;
    size_t size;
    long n;
} chunk;

/* All rows of a chunk; a sum that is wrong, of the chunk or of a row, is a row that is lost. What a
 * disk or a network does not give now is no such row: it may be whole. */
static nt_status read_chunk(FILE *rows, const char *path, const chunk *c, const char *kind,
                            nt_row_visitor *visit, void *context, long *damaged, nt_error *error)
{
    char message[sizeof error->message];
    nt_status status = NT_OK;
    long n = 0;
    char *bytes = malloc(c->size + 1);
    if (!bytes)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    bool there = fseeko(rows, (off_t)c->at, SEEK_SET) == 0;
    size_t got = there ? fread(bytes, 1, c->size, rows) : 0;
    if (ferror(rows))
        status = cannot_be("read", path, error);
    for (size_t at = 0, length; at < got && status == NT_OK; at += length) {
        nt_row row;
        length = row_take(bytes + at, got - at, &row, message, sizeof message);
        if (length == 0)
            break;
        row.kind = kind;
        n++;
        status = visit(context, &row, error);
    }
    if (status == NT_OK && n < c->n && damaged)
        *damaged += c->n - n;
    free(bytes);
    return status;
}

nt_status nt_journal_read(const char *path, nt_row_visitor *visit, void *context, long *damaged,
                          nt_error *error)
{
    char line[KIND + 100], kind[KIND] = "";
    size_t length = strlen(path);
    char *rows_path = malloc(length + 1);
    if (!rows_path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memcpy(rows_path, path, length + 1); /* .rows in place of .journal */
    memcpy(rows_path + length - strlen("journal"), "rows", sizeof "rows");
    FILE *journal = fopen(path, "rb"), *rows = journal ? fopen(rows_path, "rb") : NULL;
    nt_status status = rows ? NT_OK : cannot_be("opened", journal ? rows_path : path, error);
    while (status == NT_OK && fgets(line, sizeof line, journal)) {
        chunk c;
        size_t used = strlen(line);
        if (used == 0 || line[used - 1] != '\n' || !has_sum(line, used - 1))
            break; /* what was written last when the process ended */
        if (strncmp(line, "kind ", 5) == 0)
            snprintf(kind, sizeof kind, "%.500s", line + 5);
        if (sscanf(line, "rows %llu %zu %ld %llx", &c.at, &c.size, &c.n, &c.sum) == 4)
            status = read_chunk(rows, rows_path, &c, kind, visit, context, damaged, error);
    }
    if (status == NT_OK && ferror(journal))
        status = cannot_be("read", path, error);
    if (journal)
        fclose(journal);
    if (rows)
        fclose(rows);
    free(rows_path);
    return status;
}
