/* Monotone cubic tables.
 *
 * F. N. Fritsch, R. E. Carlson: Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17
 * (1980) 238-246. */
#include "model/table.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)64 << 20;

/* ---- slopes --------------------------------------------------------------------------------- */

static double secant(const nt_table *t, int k)
{
    return (t->y[k + 1] - t->y[k]) / (t->x[k + 1] - t->x[k]);
}

/* The slope at `at` of the parabola through points k, k + 1, k + 2. */
static double parabola_slope(const nt_table *t, int k, int at)
{
    double h0 = t->x[k + 1] - t->x[k], h1 = t->x[k + 2] - t->x[k + 1];
    double d0 = secant(t, k), d1 = secant(t, k + 1);
    double bend = (d1 - d0) / (h0 + h1); /* half the second derivative */
    return at == k ? d0 - h0 * bend : at == k + 1 ? d0 + h0 * bend : d1 + h1 * bend;
}

/* First the slopes of parabolas through three neighbours, zero where they point against a secant
 * beside them. Then, with alpha and beta the slopes at the two ends of an interval over its secant,
 * the pair is shortened onto the circle alpha^2 + beta^2 = 9, inside which the cubic is monotone
 * (Fritsch & Carlson, section 4). Shortening a slope keeps the interval before it monotone. */
static void set_slopes(const nt_table *t, double *slope)
{
    int n = t->n;
    for (int k = 0; k < n; k++) {
        double left = k > 0 ? secant(t, k - 1) : secant(t, 0);
        double right = k < n - 1 ? secant(t, k) : secant(t, n - 2);
        double m = n == 2       ? left
                   : k == 0     ? parabola_slope(t, 0, 0)
                   : k == n - 1 ? parabola_slope(t, n - 3, n - 1)
                                : parabola_slope(t, k - 1, k);
        bool against = !(left * m > 0) || !(right * m > 0);
        slope[k] = against ? 0 : m;
    }
    for (int k = 0; k < n - 1; k++) {
        double d = secant(t, k);
        if (d == 0) {
            slope[k] = slope[k + 1] = 0;
            continue;
        }
        double length = hypot(slope[k] / d, slope[k + 1] / d);
        if (length > 3) {
            slope[k] *= 3 / length;
            slope[k + 1] *= 3 / length;
        }
    }
}

/* Points are in t->x and t->y already. */
static nt_status finish(nt_table *t, nt_arena *arena, nt_error *error)
{
    double *slope = NT_TAKE(arena, t->n, double);
    if (!slope)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    set_slopes(t, slope);
    t->slope = slope;
    return NT_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* One line without its comment and end; fields by their place in it. */
typedef struct row {
    const char *text;
    int length, number;
    int start[3], stop[3]; /* [fields] the third only to be pointed at */
    int fields;
} row;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '"' || c == '\'' || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool separates(char c, bool marks) { return marks ? c == ',' || c == ';' : is_blank(c); }

/* Fields end at a comma or semicolon; in a line that has none (outside quotes), at blanks. */
static void split(row *r)
{
    bool marks = false, quoted = false;
    for (int i = 0; i < r->length; i++) {
        quoted ^= r->text[i] == '"';
        marks |= !quoted && separates(r->text[i], true);
    }
    r->fields = 0;
    for (int at = 0; at <= r->length && r->fields < 3; at++) {
        while (at < r->length && is_blank(r->text[at]))
            at++;
        int start = at, stop;
        for (quoted = false; at < r->length && (quoted || !separates(r->text[at], marks)); at++)
            quoted ^= r->text[at] == '"';
        for (stop = at; stop > start && is_blank(r->text[stop - 1]);)
            stop--;
        r->start[r->fields] = start;
        r->stop[r->fields++] = stop;
    }
}

static nt_status row_fail(const row *r, const char *name, int at, nt_error *error, const char *what)
{
    return nt_fail_at(error, NT_BAD_MODEL, name, r->number, at + 1, "%s", what);
}

static nt_status not_a_number(const row *r, const char *name, int k, nt_error *error)
{
    const char *field = r->text + r->start[k];
    int length = r->stop[k] - r->start[k];
    if (length == 0)
        return row_fail(r, name, r->start[k], error, "an empty column, expected a number");
    if (length > 40 || !nt_text_is_line(field, (size_t)length))
        return row_fail(r, name, r->start[k], error, "not a number");
    return nt_fail_at(error, NT_BAD_MODEL, name, r->number, r->start[k] + 1,
                      "'%.*s' is not a number", length, field);
}

/* Read the numbers of one row. skip tells that it holds column names. */
static nt_status read_row(const row *r, const char *name, bool first, double value[2], bool *skip,
                          nt_error *error)
{
    bool number[2];
    *skip = false;
    if (r->fields != 2)
        return row_fail(r, name, r->fields > 2 ? r->start[2] : r->length, error,
                        r->fields > 2 ? "a third column, expected two numbers"
                                      : "one column, expected two numbers");
    for (int k = 0; k < 2; k++)
        number[k] = nt_number_parse(r->text + r->start[k], r->stop[k] - r->start[k], &value[k]);
    if (first && !number[0] && !number[1] && is_letter(r->text[r->start[0]])) {
        *skip = true;
        return NT_OK;
    }
    for (int k = 0; k < 2; k++)
        if (!number[k])
            return not_a_number(r, name, k, error);
    return NT_OK;
}

/* The next line that holds anything; false at the end. */
static bool next_row(row *r, const char *text, size_t length, size_t *at)
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
        while (r->length > 0 && is_blank(start[r->length - 1]))
            r->length--;
        if (r->length > 0) {
            split(r);
            return true;
        }
    }
    return false;
}

static nt_status parse(const char *text, size_t length, const char *name, nt_arena *arena,
                       nt_table **table, nt_error *error)
{
    if (length > LARGEST_FILE)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "larger than %zu bytes", LARGEST_FILE);
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    nt_table *t = NT_TAKE(arena, 1, nt_table);
    double *x = t ? NT_TAKE(arena, 2 * lines, double) : NULL, *y = x ? x + lines : NULL;
    if (!x)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    *t = (nt_table){.x = x, .y = y};
    row r = {0};
    for (bool first = true; next_row(&r, text, length, &at); first = false) {
        double value[2];
        bool skip;
        nt_status status = read_row(&r, name, first, value, &skip, error);
        if (status != NT_OK)
            return status;
        if (skip)
            continue;
        if (t->n > 0 && !(value[0] > x[t->n - 1]))
            return nt_fail_at(
                error, NT_BAD_MODEL, name, r.number, r.start[0] + 1,
                "%.17g does not exceed %.17g of the row before: the first column must "
                "increase",
                value[0], x[t->n - 1]);
        x[t->n] = value[0];
        y[t->n++] = value[1];
    }
    if (t->n < 2)
        return nt_fail_at(error, NT_BAD_MODEL, name, r.number + 1, 1,
                          "the file ends after %d row%s of numbers, expected two or more", t->n,
                          t->n == 1 ? "" : "s");
    nt_status status = finish(t, arena, error);
    if (status == NT_OK)
        *table = t;
    return status;
}

nt_status nt_table_parse(const char *text, size_t length, const char *name, nt_arena *arena,
                         const nt_table **table, nt_error *error)
{
    nt_table *read;
    nt_status status = parse(text, length, name, arena, &read, error);
    if (status == NT_OK)
        *table = read;
    return status;
}

nt_status nt_table_read(const char *path, const char *beside, nt_arena *arena,
                        const nt_table **table, nt_error *error)
{
    nt_status status = NT_NO_MEMORY;
    char *text = NULL, *full;
    nt_table *read;
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
    status = nt_file_read(full, LARGEST_FILE, &text, &length, error);
    if (status == NT_OK)
        status = parse(text, length, full, arena, &read, error);
    if (status == NT_OK && !(read->file = nt_arena_text(arena, full, kept + size - 1)))
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        *table = read;
    free(text);
    free(full);
    return status;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Cubic Hermite form with u = (x - x_k) / h:
 * y = y_k + h u (m_k + u (c + u d)),  c = 3 s - 2 m_k - m_(k+1),  d = m_k + m_(k+1) - 2 s,
 * with s the secant and m the slopes. */
void nt_table_evaluate(const nt_table *table, double x, double out[3])
{
    int low = 0, high = table->n - 1;
    out[1] = out[2] = 0;
    if (!(x >= table->x[0])) {
        out[0] = isnan(x) ? x : table->y[0];
        return;
    }
    if (x >= table->x[high]) {
        out[0] = table->y[high];
        if (x > table->x[high])
            return;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x < table->x[middle])
            high = middle;
        else
            low = middle;
    }
    double h = table->x[high] - table->x[low], u = (x - table->x[low]) / h;
    double m = table->slope[low], s = secant(table, low);
    double c = 3 * s - 2 * m - table->slope[high], d = m + table->slope[high] - 2 * s;
    if (x < table->x[high])
        out[0] = table->y[low] + h * u * (m + u * (c + u * d));
    out[1] = m + u * (2 * c + u * 3 * d);
    out[2] = (2 * c + 6 * d * u) / h;
}
