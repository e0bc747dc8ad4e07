/* Results in CSV. A last line without its end is that of a run which was killed: it is no row. */
#include "base/error.h"
#include "base/number.h"
#include "output/result_reader.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 1024, PIECE = 1 << 16 };

/* ---- open ----------------------------------------------------------------------------------- */

static nt_status csv_grow(nt_result *r, size_t room, nt_error *error)
{
    char *more = realloc(r->buffer, room);
    if (!more)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    r->buffer = more;
    r->buffer_room = room;
    return NT_OK;
}

/* The line that begins at `at`, without its end, in the buffer; *line is NULL where the file ends
 * before the line does. */
static nt_status get_line(nt_result *r, uint64_t at, const char **line, long *length,
                          nt_error *error)
{
    nt_status status = NT_OK;
    for (*line = NULL; status == NT_OK;) {
        if (at >= r->window && at < r->window + r->window_size) {
            const char *from = r->buffer + (at - r->window);
            const char *end = memchr(from, '\n', r->window_size - (size_t)(at - r->window));
            *line = end ? from : NULL;
            *length = end ? end - from : 0;
            if (end || (at == r->window && r->window_size < r->buffer_room))
                return NT_OK;
            if (at == r->window) /* the buffer holds no whole line */
                status = csv_grow(r, 2 * r->buffer_room, error);
        }
        r->window = at;
        if (status == NT_OK)
            status = nt_result_get(r, at, r->buffer, r->buffer_room, &r->window_size, error);
        if (r->window_size == 0)
            break;
    }
    return status;
}

static nt_status read_names(nt_result *r, const char *at, long length, nt_error *error)
{
    const char *end = at + length;
    r->n_columns = 1;
    for (const char *c = at; c < end; c++)
        r->n_columns += *c == ',';
    r->columns = NT_TAKE(&r->arena, r->n_columns, nt_result_column);
    if (!r->columns)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < r->n_columns; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t size = (size_t)((comma ? comma : end) - at);
        const char *name = nt_arena_text(&r->arena, at, size);
        if (!name)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        if (size == 0)
            return nt_fail_at(error, NT_IO, r->path, 1, 0, "column %d has no name", i + 1);
        r->columns[i] = (nt_result_column){name, "", ""};
        at += size + 1;
    }
    return NT_OK;
}

static nt_status mark(nt_result *r, uint64_t at, nt_error *error)
{
    size_t n = (size_t)(r->rows / MARK);
    if ((n & (n - 1)) == 0) { /* full at every power of two */
        uint64_t *more = realloc(r->marks, (n > 0 ? 2 * n : 1) * sizeof *more);
        if (!more)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        r->marks = more;
    }
    r->marks[n] = at;
    return NT_OK;
}

static nt_status csv_count_rows(nt_result *r, uint64_t at, nt_error *error)
{
    uint64_t begin = at; /* of the row that is being read */
    r->window_size = 0;
    for (;;) {
        size_t got;
        nt_status status = nt_result_get(r, at, r->buffer, r->buffer_room, &got, error);
        if (status != NT_OK || got == 0)
            return status;
        const char *from = r->buffer, *end = r->buffer + got, *line;
        while ((line = memchr(from, '\n', (size_t)(end - from)))) {
            if (r->rows % MARK == 0 && (status = mark(r, begin, error)) != NT_OK)
                return status;
            r->rows++;
            from = line + 1;
            begin = at + (uint64_t)(from - r->buffer);
        }
        at += got;
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Reads a number, or what stands for none, as results are written. */
static bool csv_read_number(const char *text, int length, double *value)
{
    bool minus = length > 0 && text[0] == '-';
    if (length - minus == 3 && memcmp(text + minus, "inf", 3) == 0)
        *value = minus ? -(double)INFINITY : (double)INFINITY;
    else if (length == 3 && memcmp(text, "nan", 3) == 0)
        *value = (double)NAN;
    else
        return nt_number_parse(text, length, value);
    return true;
}

/* Where the field that begins at `at` ends: a comma, or the end of the line. */
static const char *field_end(const char *at, const char *end)
{
    bool quoted = at < end && *at == '"', inside = quoted;
    for (at += quoted; at < end && (inside || *at != ','); at++)
        inside ^= quoted && *at == '"';
    return at;
}

static nt_status csv_read_row(const nt_result *r, long row, const char *line, long length,
                              double *values, nt_error *error)
{
    const char *at = line, *end = line + length;
    for (int i = 0; i < r->n_columns; i++) {
        const char *stop = field_end(at, end);
        int text = -1;
        if ((i + 1 < r->n_columns) != (stop < end))
            return nt_fail_at(error, NT_IO, r->path, (int)row + 2, 0,
                              "expected %d numbers, one for each column", r->n_columns);
        if (r->texts && r->texts[i])
            text = nt_result_find_text(r, i, at, (size_t)(stop - at));
        if (text >= 0)
            values[i] = text;
        else if (!csv_read_number(at, (int)(stop - at), &values[i]))
            return nt_fail_at(error, NT_IO, r->path, (int)row + 2, (int)(at - line) + 1,
                              "expected a number, got '%.*s'", (int)(stop - at), at);
        at = stop + 1;
    }
    return NT_OK;
}

/* ---- tables of sweeps: what varies may be texts ---------------------------------------------- */

/* A field as it is meant, into words[as long as the field]; its length. */
static size_t unquote(const char *at, const char *stop, char *words)
{
    size_t n = 0;
    bool quoted = at < stop && *at == '"';
    for (at += quoted; at < stop - quoted; at++) {
        at += quoted && at[0] == '"' && at[1] == '"';
        words[n++] = *at;
    }
    return n;
}

/* Of one row: whether the columns 1 to n - 1 hold texts, or with `take` the texts themselves. */
static nt_status take_texts(nt_result *r, const char *line, long length, int n, bool take,
                            nt_error *error)
{
    const char *at = line, *end = line + length, *stop = field_end(at, end);
    bool good = true;
    double number;
    for (int i = 1; i < n && stop < end && good; i++) {
        at = stop + 1;
        stop = field_end(at, end);
        if (!take && !csv_read_number(at, (int)(stop - at), &number))
            good = nt_result_hold_texts(r, i);
        if (!take || !r->texts || !r->texts[i])
            continue;
        char *words = malloc((size_t)(stop - at) + 1);
        good = words && nt_result_intern(r, i, at, (size_t)(stop - at), words,
                                         unquote(at, stop, words)) >= 0;
        free(words);
    }
    return good ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* Goes through all rows twice: a number may be one of the texts, as in [1, "2*m"]. */
static nt_status find_texts(nt_result *r, uint64_t rows_at, nt_error *error)
{
    int n = nt_result_find(r, "status");
    nt_status status = NT_OK;
    r->n_text_columns = r->n_columns;
    for (int take = 0; take < 2 && status == NT_OK && (take == 0 || r->texts); take++) {
        uint64_t at = rows_at;
        r->window_size = 0;
        for (long row = 0; row < r->rows && status == NT_OK; row++) {
            const char *line;
            long length = 0;
            status = get_line(r, at, &line, &length, error);
            if (status == NT_OK && line)
                status = take_texts(r, line, length, n, take, error);
            at += (uint64_t)length + 1;
        }
    }
    r->window_size = 0;
    return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Whether a text is a word, as results write them. */
static bool csv_is_word(const char *text, int length)
{
    return length > 0 &&
           ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_');
}

/* Columns with a word in the first row hold words: those of this row, as they come. *some: there
 * are any. */
static nt_status take_words(nt_result *r, long row, const char *line, long length, bool *some,
                            nt_error *error)
{
    const char *at = line, *end = line + length;
    for (int i = 0; i < r->n_columns && at <= end; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        int size = (int)(stop - at);
        double number;
        bool good = true, word = csv_is_word(at, size);
        if (row == 0 && word && !csv_read_number(at, size, &number))
            good = *some = nt_result_hold_texts(r, i);
        if (r->texts && r->texts[i]) {
            if (!word)
                return nt_fail_at(error, NT_IO, r->path, (int)row + 2, (int)(at - line) + 1,
                                  "expected a word in column '%s', got '%.*s'", r->columns[i].name,
                                  size, at);
            good = nt_result_intern(r, i, at, (size_t)size, at, (size_t)size) >= 0;
        }
        if (!good)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        at = stop + 1;
    }
    return NT_OK;
}

static nt_status find_words(nt_result *r, uint64_t at, nt_error *error)
{
    nt_status status = NT_OK;
    bool some = false;
    r->n_text_columns = r->n_columns;
    for (long row = 0; row < r->rows && (row == 0 || some) && status == NT_OK; row++) {
        const char *line;
        long length = 0;
        status = get_line(r, at, &line, &length, error);
        if (status == NT_OK && line)
            status = take_words(r, row, line, length, &some, error);
        at += (uint64_t)length + 1;
    }
    r->window_size = 0;
    return status;
}

nt_status nt_result_open_csv(nt_result *r, nt_error *error)
{
    const char *line;
    long length;
    nt_status status = csv_grow(r, PIECE, error);
    if (status == NT_OK)
        status = get_line(r, 0, &line, &length, error);
    if (status != NT_OK)
        return status;
    if (!line)
        return nt_fail_at(error, NT_IO, r->path, 0, 0,
                          "is no result: expected a line of column names, or NetCDF");
    status = read_names(r, line, length, error);
    r->next_at = (uint64_t)length + 1;
    if (status == NT_OK)
        status = csv_count_rows(r, r->next_at, error);
    bool table = status == NT_OK && strcmp(r->columns[0].name, "row") == 0;
    if (status != NT_OK)
        return status;
    return table ? find_texts(r, r->next_at, error) : find_words(r, r->next_at, error);
}

nt_status nt_result_read_csv(nt_result *r, long first, long n, double *values, nt_error *error)
{
    nt_status status = NT_OK;
    if (n > 0 && (first < r->next || first / MARK > r->next / MARK)) {
        r->next = first / MARK * MARK;
        r->next_at = r->marks[first / MARK];
    }
    while (n > 0 && r->next < first + n && status == NT_OK) {
        const char *line;
        long length = 0;
        status = get_line(r, r->next_at, &line, &length, error);
        if (status == NT_OK && !line)
            return nt_fail_at(error, NT_IO, r->path, 0, 0, "is shorter than it was");
        if (status == NT_OK && r->next >= first)
            status = csv_read_row(r, r->next, line, length,
                                  values + (r->next - first) * r->n_columns, error);
        r->next_at += (uint64_t)length + 1;
        r->next++;
    }
    return status;
}
