/* Results in CSV. A last line without its end is that of a run which was killed: it is no row. */
#include "base/error.h"
#include "base/number.h"
#include "output/result_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 1024, PIECE = 1 << 16, MOST_WORDS = 1000 };

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
    r->words = NT_TAKE(&r->arena, r->n_columns, nt_result_words);
    if (!r->columns || !r->words)
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

/* ---- numbers and words ---------------------------------------------------------------------- */

/* As results are written: a number, or what none is. */
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

/* As results write words. */
static bool csv_is_word(const char *text, int length)
{
    bool letter = length > 0 && ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                                 *text == '_');
    return letter && memchr(text, ' ', (size_t)length) == NULL;
}

/* The number of a word of column i. */
static bool csv_read_word(const nt_result *r, int i, const char *text, int length, double *value)
{
    const nt_result_words *words = &r->words[i];
    for (int k = 0; k < words->n; k++)
        if (strncmp(words->words[k], text, (size_t)length) == 0 && !words->words[k][length]) {
            *value = k;
            return true;
        }
    return false;
}

static nt_status csv_read_row(const nt_result *r, long row, const char *line, long length,
                              double *values, nt_error *error)
{
    const char *at = line, *end = line + length;
    for (int i = 0; i < r->n_columns; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if ((i + 1 < r->n_columns) != (comma != NULL))
            return nt_fail_at(error, NT_IO, r->path, (int)row + 2, 0,
                              "expected %d numbers, one for each column", r->n_columns);
        bool good = r->words[i].n > 0 ? csv_read_word(r, i, at, (int)(stop - at), &values[i])
                                      : csv_read_number(at, (int)(stop - at), &values[i]);
        if (!good)
            return nt_fail_at(error, NT_IO, r->path, (int)row + 2, (int)(at - line) + 1,
                              "expected a %s, got '%.*s'", r->words[i].n > 0 ? "word" : "number",
                              (int)(stop - at), at);
        at = stop + 1;
    }
    return NT_OK;
}

/* Takes the word of column i into those that are known. */
static nt_status add_word(nt_result *r, long row, int i, const char *text, int length,
                          nt_error *error)
{
    nt_result_words *words = &r->words[i];
    double number;
    if (csv_read_word(r, i, text, length, &number))
        return NT_OK;
    if (!csv_is_word(text, length) || words->n == MOST_WORDS)
        return nt_fail_at(error, NT_IO, r->path, (int)row + 2, 0,
                          words->n == MOST_WORDS ? "column '%s' holds more than a thousand words"
                                                 : "expected a word in column '%s'",
                          r->columns[i].name);
    const char **all = NT_TAKE(&r->arena, words->n + 1, const char *);
    const char *word = nt_arena_text(&r->arena, text, (size_t)length);
    if (!all || !word)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int k = 0; k < words->n; k++)
        all[k] = words->words[k];
    all[words->n] = word;
    *words = (nt_result_words){i, all, words->n + 1};
    return NT_OK;
}

/* Columns with a word in the first row hold words: those of all rows, as they come. */
static nt_status find_words(nt_result *r, nt_error *error)
{
    uint64_t at = r->next_at;
    bool some = false;
    for (long row = 0; row < (some || row == 0 ? r->rows : 1); row++) {
        const char *line;
        long length = 0;
        nt_status status = get_line(r, at, &line, &length, error);
        if (status != NT_OK || !line)
            return status;
        const char *cell = line, *end = line + length;
        for (int i = 0; i < r->n_columns && cell <= end && status == NT_OK; i++) {
            const char *comma = memchr(cell, ',', (size_t)(end - cell)),
                       *stop = comma ? comma : end;
            int size = (int)(stop - cell);
            double number;
            bool words = row == 0 ? csv_is_word(cell, size) && !csv_read_number(cell, size, &number)
                                  : r->words[i].n > 0;
            if (words)
                status = add_word(r, row, i, cell, size, error);
            some = some || words;
            cell = stop + 1;
        }
        if (status != NT_OK)
            return status;
        at += (uint64_t)length + 1;
    }
    return NT_OK;
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
    return status == NT_OK && r->rows > 0 ? find_words(r, error) : status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

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
