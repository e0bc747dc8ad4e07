/* Sheets of tables: rows of numbers from text. */
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "model/expressions/table.h"

#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)64 << 20;

/* ---- rows ----------------------------------------------------------------------------------- */

/* One line without its comment and end; fields by their place in it. */
typedef struct sheet_row {
    const char *text;
    int length, number;
    int start[NT_TABLE_COLUMNS + 1], stop[NT_TABLE_COLUMNS + 1]; /* [fields] the last only to be
                                                                    pointed at */
    int fields;
} sheet_row;

static bool sheet_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool sheet_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '"' || c == '\'' || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool sheet_separates(char c, bool marks)
{
    return marks ? c == ',' || c == ';' : sheet_blank(c);
}

/* Fields end at a comma or semicolon; in a line that has none (outside quotes), at blanks. */
static void sheet_split(sheet_row *r)
{
    bool marks = false, quoted = false;
    for (int i = 0; i < r->length; i++) {
        quoted ^= r->text[i] == '"';
        marks |= !quoted && sheet_separates(r->text[i], true);
    }
    r->fields = 0;
    for (int at = 0; at <= r->length && r->fields <= NT_TABLE_COLUMNS; at++) {
        while (at < r->length && sheet_blank(r->text[at]))
            at++;
        int start = at, stop;
        for (quoted = false; at < r->length && (quoted || !sheet_separates(r->text[at], marks));
             at++)
            quoted ^= r->text[at] == '"';
        for (stop = at; stop > start && sheet_blank(r->text[stop - 1]);)
            stop--;
        r->start[r->fields] = start;
        r->stop[r->fields++] = stop;
    }
}

/* The next line that holds anything; false at the end. */
static bool sheet_next(sheet_row *r, const char *text, size_t length, size_t *at)
{
    while (*at < length) {
        const char *start = text + *at;
        const char *end = memchr(start, '\n', length - *at);
        size_t size = end ? (size_t)(end - start) : length - *at;
        const char *comment = memchr(start, '#', size);
        *at += size + 1;
        r->number++;
        r->text = start;
        r->length = (int)(comment ? (size_t)(comment - start) : size);
        while (r->length > 0 && sheet_blank(start[r->length - 1]))
            r->length--;
        if (r->length > 0) {
            sheet_split(r);
            return true;
        }
    }
    return false;
}

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct sheet_reading {
    const char *name;
    bool map;
    nt_arena *arena;
    nt_error *error;
    nt_table_sheet *sheet;
    double *rows; /* [n][columns] */
} sheet_reading;

static nt_status sheet_fail(const sheet_reading *s, const sheet_row *r, int at, const char *what)
{
    return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number, at + 1, "%s", what);
}

static bool sheet_number(const sheet_row *r, int k, double *value)
{
    return nt_number_parse(r->text + r->start[k], r->stop[k] - r->start[k], value);
}

static nt_status sheet_not_a_number(const sheet_reading *s, const sheet_row *r, int k)
{
    const char *field = r->text + r->start[k];
    int length = r->stop[k] - r->start[k];
    if (length == 0)
        return sheet_fail(s, r, r->start[k], "an empty column, expected a number");
    if (length > 40 || !nt_text_is_line(field, (size_t)length))
        return sheet_fail(s, r, r->start[k], "not a number");
    return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number, r->start[k] + 1,
                      "'%.*s' is not a number", length, field);
}

/* Checks that a row has as many fields as there are columns; more than two need a head. */
static nt_status sheet_check_fields(const sheet_reading *s, const sheet_row *r)
{
    int columns = s->sheet->columns;
    if (r->fields == columns)
        return NT_OK;
    if (columns == 2)
        return sheet_fail(s, r, r->fields > 2 ? r->start[2] : r->length,
                          r->fields > 2 ? "a third column, expected two numbers (more columns have "
                                          "names in the first line)"
                                        : "one column, expected two numbers");
    return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number,
                      (r->fields > columns ? r->start[columns] : r->length) + 1,
                      "%s%d columns, expected the %d of the first line",
                      r->fields > NT_TABLE_COLUMNS ? "more than " : "",
                      r->fields > NT_TABLE_COLUMNS ? NT_TABLE_COLUMNS : r->fields, columns);
}

/* ---- the first line ------------------------------------------------------------------------- */

static nt_status sheet_read_names(sheet_reading *s, const sheet_row *r)
{
    const char **names = NT_TAKE(s->arena, r->fields, const char *);
    for (int k = 0; names && k < r->fields; k++) {
        int start = r->start[k], stop = r->stop[k];
        bool quoted = stop - start >= 2 && r->text[start] == '"' && r->text[stop - 1] == '"';
        names[k] =
            nt_arena_text(s->arena, r->text + start + quoted, (size_t)(stop - start - 2 * quoted));
        if (!names[k])
            names = NULL;
    }
    for (int k = 1; names && k < r->fields; k++)
        for (int i = 0; i < k; i++)
            if (strcmp(names[i], names[k]) == 0)
                return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number, r->start[k] + 1,
                                  "two columns are named '%.40s', the %d. and the %d.: expected "
                                  "names that differ",
                                  names[k], i + 1, k + 1);
    s->sheet->names = names;
    return names ? NT_OK : nt_fail(s->error, NT_NO_MEMORY, "out of memory");
}

static nt_status sheet_read_across(sheet_reading *s, const sheet_row *r)
{
    double *across = NT_TAKE(s->arena, r->fields, double);
    if (!across)
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    if (r->fields < 3)
        return sheet_fail(s, r, r->length, "one column of values, expected two or more of a map");
    for (int k = 1; k < r->fields; k++) {
        if (!sheet_number(r, k, &across[k - 1]))
            return sheet_not_a_number(s, r, k);
        if (k > 1 && !(across[k - 1] > across[k - 2]))
            return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number, r->start[k] + 1,
                              "%.17g does not exceed %.17g before it: the first line of a map must "
                              "increase",
                              across[k - 1], across[k - 2]);
    }
    s->sheet->across = across;
    return NT_OK;
}

/* Whether it is no row of numbers; then what it says is kept. */
static nt_status sheet_read_head(sheet_reading *s, const sheet_row *r, bool *is_head)
{
    bool words = r->fields >= 2 && sheet_letter(r->text[r->start[0]]);
    double value;
    s->sheet->columns = r->fields;
    *is_head = true;
    if (r->fields > NT_TABLE_COLUMNS)
        return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number,
                          r->start[NT_TABLE_COLUMNS] + 1, "more than %d columns", NT_TABLE_COLUMNS);
    if (s->map)
        return sheet_read_across(s, r);
    for (int k = 0; k < r->fields; k++)
        words = words && !sheet_number(r, k, &value);
    if (words)
        return sheet_read_names(s, r);
    s->sheet->columns = 2;
    *is_head = false;
    return NT_OK;
}

/* ---- a sheet -------------------------------------------------------------------------------- */

static nt_status sheet_read_row(sheet_reading *s, const sheet_row *r)
{
    nt_table_sheet *sheet = s->sheet;
    double *to = s->rows + (size_t)sheet->n * (size_t)sheet->columns;
    nt_status status = sheet_check_fields(s, r);
    if (status != NT_OK)
        return status;
    for (int k = 0; k < sheet->columns; k++)
        if (!sheet_number(r, k, &to[k]))
            return sheet_not_a_number(s, r, k);
    if (sheet->n > 0 && !(to[0] > to[-sheet->columns]))
        return nt_fail_at(s->error, NT_BAD_MODEL, s->name, r->number, r->start[0] + 1,
                          "%.17g does not exceed %.17g of the row before: the first column must "
                          "increase",
                          to[0], to[-sheet->columns]);
    sheet->n++;
    return NT_OK;
}

static nt_status sheet_finish(sheet_reading *s, int last_line)
{
    nt_table_sheet *sheet = s->sheet;
    if (sheet->n < 2)
        return nt_fail_at(s->error, NT_BAD_MODEL, s->name, last_line + 1, 1,
                          "the file ends after %d row%s of numbers, expected two or more", sheet->n,
                          sheet->n == 1 ? "" : "s");
    size_t n = (size_t)sheet->n, columns = (size_t)sheet->columns;
    double *value = NT_TAKE(s->arena, n * columns, double);
    if (!value)
        return nt_fail(s->error, NT_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n * columns; i++)
        value[i % columns * n + i / columns] = s->rows[i];
    sheet->value = value;
    return NT_OK;
}

nt_status nt_table_sheet_parse(const char *text, size_t length, const char *name, bool map,
                               nt_arena *arena, const nt_table_sheet **out, nt_error *error)
{
    if (length > LARGEST_FILE)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "larger than %zu bytes", LARGEST_FILE);
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    sheet_reading s = {.name = name, .map = map, .arena = arena, .error = error};
    s.sheet = NT_TAKE(arena, 1, nt_table_sheet);
    if (!s.sheet)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    sheet_row r = {0};
    nt_status status = NT_OK;
    for (bool first = true; status == NT_OK && sheet_next(&r, text, length, &at); first = false) {
        bool is_head = false;
        if (first) {
            status = sheet_read_head(&s, &r, &is_head);
            if (status == NT_OK &&
                !(s.rows = calloc(lines * (size_t)s.sheet->columns, sizeof(double))))
                status = nt_fail(error, NT_NO_MEMORY, "out of memory");
        }
        if (status == NT_OK && !is_head)
            status = sheet_read_row(&s, &r);
    }
    if (status == NT_OK)
        status = sheet_finish(&s, r.number);
    free(s.rows);
    *out = status == NT_OK ? s.sheet : NULL;
    return status;
}

nt_status nt_table_sheet_read(const char *path, const char *beside, bool map, nt_arena *arena,
                              const nt_table_sheet **out, nt_error *error)
{
    char *text = NULL, *full;
    size_t length, kept = 0;
    const char *slash = beside && path[0] != '/' ? strrchr(beside, '/') : NULL;
    if (slash)
        kept = (size_t)(slash - beside) + 1;
    const char *name = strcmp(path, "-") == 0 && kept == 0 ? "./-" : path;
    size_t size = strlen(name) + 1;
    full = malloc(kept + size);
    if (!full)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (kept > 0)
        memcpy(full, beside, kept);
    memcpy(full + kept, name, size);
    const nt_table_sheet *read = NULL;
    nt_table_sheet *named = NULL;
    nt_status status = nt_file_read(full, LARGEST_FILE, &text, &length, error);
    if (status == NT_OK)
        status = nt_table_sheet_parse(text, length, full, map, arena, &read, error);
    if (status == NT_OK) {
        named = NT_TAKE(arena, 1, nt_table_sheet);
        if (named) {
            *named = *read;
            named->file = nt_arena_text(arena, full, kept + size - 1);
        }
        if (!named || !named->file)
            status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    if (status == NT_OK)
        *out = named;
    free(text);
    free(full);
    return status;
}

int nt_table_column(const nt_table_sheet *sheet, const char *name, int length)
{
    for (int k = 1; sheet->names && k < sheet->columns; k++)
        if (strlen(sheet->names[k]) == (size_t)length &&
            memcmp(sheet->names[k], name, (size_t)length) == 0)
            return k;
    return -1;
}
