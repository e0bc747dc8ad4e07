/* What a page holds of one result: a description as JSON, and its numbers packed.
 *
 * Rows. Of a result with more rows than a page takes, every k-th row and the last one are shown,
 * and of each column the smallest and the largest value between two shown rows besides, so that no
 * peak is lost to sight.
 *
 * Poses. Positions in quanta of 1e-4 of the model's length, quaternions in quanta of 5e-5: a
 * component is wrong by 2.5e-5 at most, a rotation by 2 sqrt(3) times that, less than 1e-4 rad. */
#include "output/report/report_result.h"

#include "base/error.h"
#include "base/number.h"
#include "output/decimal.h"
#include "output/report/report_pack.h"
#include "output/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double POSITION_QUANTUM = 1e-4; /* of the model's length                          */
static const double ORIENTATION_QUANTUM = 5e-5;
static const double LOAD_QUANTUM = 1e-4;             /* of the largest load */
static const double INNER_QUANTUM = 1e-6;            /* of the largest force in bearings, beams  */
static const double MOST_QUANTA = 1125899906842624.; /* 2^50, what a page counts exactly         */
static const double MOST_POSES = 1e7;                /* numbers of arrays in a page             */
static const double MOST_EXACT = 1e5;   /* numbers of columns that are kept as they are; beyond  */
static const double MOST_SWEPT = 1e5;   /* rows of a sweep: there is nothing between them        */
static const double MOST_ROUNDED = 4e6; /* they are rounded to 24 bits, and shown more sparsely  */
enum { AT_ONCE = 256, MOST_ARRAYS = 32, MOST_FAILURES = 1000 }; /* rows read at a time; arrays */

typedef struct shown {
    long all, every, rows; /* rows there are; every so many is shown; rows shown */
    int columns;
    bool exact;
    int arrays;                  /* that are shown                     */
    double quantum[MOST_ARRAYS]; /* of each; 0: 24 bits of each number */
    double length;               /* m                                  */
} shown;

/* The row that is shown at place i. */
static long shown_row(const shown *s, long i)
{
    return i == s->rows - 1 ? s->all - 1 : i * s->every;
}

static const nt_result_attribute *find_attribute(const nt_result *result, const char *name,
                                                 nt_result_attribute *found)
{
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        *found = nt_result_attribute_at(result, i);
        if (strcmp(found->name, name) == 0)
            return found;
    }
    return NULL;
}

static void choose_rows(shown *s, const nt_result *result, const nt_report_part *part)
{
    s->all = nt_result_rows(result);
    s->columns = nt_result_column_count(result);
    s->arrays = nt_result_array_count(result);
    s->arrays = s->arrays < MOST_ARRAYS ? s->arrays : MOST_ARRAYS;
    bool swept = strcmp(nt_result_column_at(result, 0).name, "row") == 0;
    double most = part->most_rows > 0 ? (double)part->most_rows : swept ? MOST_SWEPT : 10000;
    double numbers = 1;
    for (int i = 0; i < s->arrays; i++) {
        nt_result_array a = nt_result_array_at(result, i);
        numbers += (double)a.items * a.components;
    }
    most = fmin(most, MOST_POSES / numbers);
    most = fmax(2, floor(fmin(most, MOST_ROUNDED / (3. * s->columns))));
    s->every = (double)s->all > most ? (long)ceil((double)(s->all - 1) / (most - 1)) : 1;
    s->rows = s->all > 0 ? (s->all - 1 + s->every - 1) / s->every + 1 : 0;
    s->exact = s->every == 1 && (double)s->rows * s->columns <= MOST_EXACT;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* All rows in pieces into values[rows][columns] of those shown and, where rows are left out,
 * low and high alike: the extremes of the rows from this one to the next. */
static nt_status report_read_columns(const shown *s, nt_result *result, double *values, double *low,
                                     double *high, nt_error *error)
{
    size_t columns = (size_t)s->columns;
    double *piece = malloc(AT_ONCE * columns * sizeof *piece);
    nt_status status = piece ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    long at = 0;
    for (long first = 0; first < s->all && status == NT_OK; first += AT_ONCE) {
        long n = s->all - first < AT_ONCE ? s->all - first : AT_ONCE;
        status = nt_result_read(result, first, n, piece, error);
        for (long i = 0; i < n && status == NT_OK; i++) {
            const double *row = piece + (size_t)i * columns;
            bool begins = shown_row(s, at) == first + i;
            size_t to = (size_t)(begins ? at : at - 1) * columns;
            for (size_t k = 0; k < columns; k++) {
                if (begins)
                    values[to + k] = row[k];
                if (low && (begins || row[k] < low[to + k]))
                    low[to + k] = row[k];
                if (high && (begins || row[k] > high[to + k]))
                    high[to + k] = row[k];
            }
            at += begins;
        }
    }
    free(piece);
    return status;
}

/* Column by column: exact numbers byte by byte of significance, rounded ones as differences. */
static void pack_columns(nt_pack *pack, const shown *s, const double *values)
{
    size_t columns = (size_t)s->columns, rows = (size_t)s->rows;
    for (size_t k = 0; k < columns; k++) {
        nt_channel channel = {0};
        for (int byte = 0; s->exact && byte < 8; byte++)
            for (size_t i = 0; i < rows; i++) {
                uint64_t bits;
                memcpy(&bits, &values[i * columns + k], sizeof bits);
                unsigned char one = (unsigned char)(bits >> (8 * byte));
                nt_pack_bytes(pack, &one, 1);
            }
        for (size_t i = 0; !s->exact && i < rows; i++)
            nt_pack_number(pack, &channel, nt_float_order(values[i * columns + k]));
    }
}

/* The start of an element that holds numbers. Names of arrays are checked by the caller. */
static void put_block(FILE *to, const nt_report_part *part, const char *holds)
{
    fprintf(to, "<script type=\"text/plain\" class=\"block\" data-of=\"%d%s%s\" data-holds=\"",
            part->number, part->table ? "." : "", part->table ? part->table : "");
    for (const char *c = holds; *c; c++)
        fprintf(to, "&#%d;", (unsigned char)*c);
    fputs("\">", to);
}

static nt_status put_columns(FILE *to, const shown *s, nt_result *result,
                             const nt_report_part *part, nt_error *error)
{
    size_t n = (size_t)s->rows * (size_t)s->columns;
    int kinds = s->every > 1 ? 3 : 1;
    double *values = calloc((size_t)kinds * n + 1, sizeof *values);
    if (!values)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    double *low = kinds > 1 ? values + n : NULL, *high = kinds > 1 ? values + 2 * n : NULL;
    nt_status status = report_read_columns(s, result, values, low, high, error);
    if (status == NT_OK) {
        nt_pack pack;
        fprintf(to,
                "<script type=\"text/plain\" class=\"block\" data-of=\"%d%s%s\" "
                "data-holds=\"columns\">",
                part->number, part->table ? "." : "", part->table ? part->table : "");
        nt_pack_begin(&pack, to);
        for (int i = 0; i < kinds; i++)
            pack_columns(&pack, s, values + (size_t)i * n);
        status = nt_pack_end(&pack);
        fputs("</script>\n", to);
        if (status != NT_OK)
            nt_fail(error, status, "%s", nt_status_text(status));
    }
    free(values);
    return status;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static nt_status report_read_array(const shown *s, nt_result *result, int array, size_t size,
                                   double *values, nt_error *error)
{
    if (s->every == 1)
        return nt_result_read_array(result, array, 0, s->rows, values, error);
    nt_status status = NT_OK;
    for (long i = 0; i < s->rows && status == NT_OK; i++)
        status = nt_result_read_array(result, array, shown_row(s, i), 1, values + (size_t)i * size,
                                      error);
    return status;
}

/* The largest extent of positions[n][3] along an axis. */
static double extent(const double *positions, size_t n)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            low = fmin(low, positions[3 * i + (size_t)k]);
            high = fmax(high, positions[3 * i + (size_t)k]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

static double largest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

/* The length that the result says its model has; else what the bodies span at the start, or on
 * their way. */
static double find_length(const nt_result *result, const double *positions, size_t rows,
                          size_t bodies)
{
    nt_result_attribute a;
    double length = 0;
    if (find_attribute(result, "length", &a) && a.length < 100)
        nt_number_scan(a.value, (int)a.length, &length);
    if (!(length > 0) || !isfinite(length))
        length = extent(positions, rows > 0 ? bodies : 0);
    if (!(length > 0) || !isfinite(length))
        length = extent(positions, rows * bodies);
    return length > 0 && isfinite(length) ? length : 1;
}

/* q and -q are the same rotation: each the one that is nearer to the one before. */
static void follow_signs(double *q, size_t rows, size_t bodies)
{
    for (size_t i = 1; i < rows; i++)
        for (size_t k = 0; k < bodies; k++) {
            double *now = q + 4 * (i * bodies + k), *before = now - 4 * bodies;
            double dot =
                now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3];
            for (int j = 0; j < 4 && dot < 0; j++)
                now[j] = -now[j];
        }
}

/* What numbers are rounded to; 0: to 24 bits. */
static double choose_quantum(shown *s, const nt_result *result, const char *name,
                             const double *values, size_t rows, size_t size)
{
    double quantum = 0, most = largest(values, rows * size);
    if (strcmp(name, "bodies.position") == 0) {
        s->length = find_length(result, values, rows, size / 3);
        quantum = POSITION_QUANTUM * s->length;
    } else if (strcmp(name, "bodies.orientation") == 0)
        quantum = ORIENTATION_QUANTUM;
    else if (strcmp(name, "loads.point") == 0)
        quantum = POSITION_QUANTUM * s->length;
    else if (strcmp(name, "loads.force") == 0)
        quantum = LOAD_QUANTUM * most;
    else if (strcmp(name, "balls.force") == 0 || strncmp(name, "sections.", 9) == 0)
        quantum = INNER_QUANTUM * most;
    return fmax(quantum, quantum > 0 ? most / MOST_QUANTA : 0);
}

/* All numbers of a component after each other. */
static nt_status pack_array(FILE *to, const double *values, size_t rows, size_t size,
                            double quantum)
{
    nt_pack pack;
    nt_pack_begin(&pack, to);
    for (size_t k = 0; k < size; k++) {
        nt_channel channel = {0};
        for (size_t i = 0; i < rows; i++) {
            double x = values[i * size + k];
            nt_pack_number(&pack, &channel,
                           quantum > 0 ? (int64_t)llround(x / quantum) : nt_float_order(x));
        }
    }
    return nt_pack_end(&pack);
}

static nt_status put_array(FILE *to, shown *s, nt_result *result, const nt_report_part *part, int i,
                           nt_error *error)
{
    nt_result_array array = nt_result_array_at(result, i);
    size_t rows = (size_t)s->rows, size = (size_t)array.items * (size_t)array.components;
    double *values = calloc(size * rows + 1, sizeof *values);
    if (!values)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = report_read_array(s, result, i, size, values, error);
    for (size_t k = 0; k < size * rows && status == NT_OK; k++)
        if (!isfinite(values[k]) && strncmp(array.name, "bodies.", 7) == 0)
            status =
                nt_fail_at(error, NT_NOT_FINITE, part->path, 0, 0, "%s in row %ld is no number",
                           array.name, shown_row(s, (long)(k / size)));
    if (status == NT_OK) {
        if (strcmp(array.name, "bodies.orientation") == 0)
            follow_signs(values, rows, (size_t)array.items);
        s->quantum[i] = choose_quantum(s, result, array.name, values, rows, size);
        put_block(to, part, array.name);
        status = pack_array(to, values, rows, size, s->quantum[i]);
        fputs("</script>\n", to);
        if (status != NT_OK)
            nt_fail(error, status, "%s", nt_status_text(status));
    }
    free(values);
    return status;
}

/* ---- the description ------------------------------------------------------------------------ */

static void put_number(FILE *to, double x)
{
    nt_decimal decimal;
    char text[NT_DECIMAL_ROOM];
    nt_decimal_init(&decimal);
    fwrite(text, 1, (size_t)nt_decimal_write(&decimal, x, text), to);
}

static void put_text(FILE *to, const char *name, const char *value)
{
    fprintf(to, ",\"%s\":", name);
    nt_page_text(to, value ? value : "", value ? strlen(value) : 0);
}

/* The texts that values 0, 1, ... of a column stand for. */
static void put_words_of(FILE *to, const nt_result *result, int column)
{
    if (!nt_result_text(result, column, 0))
        return;
    fputs(",\"texts\":[", to);
    const char *text = nt_result_text(result, column, 0);
    for (int i = 0; text; text = nt_result_text(result, column, ++i)) {
        fputs(i > 0 ? "," : "", to);
        nt_page_text(to, text, strlen(text));
    }
    fputc(']', to);
}

static void put_columns_words(FILE *to, const nt_result *result)
{
    fputs(",\n\"columns\":[", to);
    for (int i = 0; i < nt_result_column_count(result); i++) {
        nt_result_column column = nt_result_column_at(result, i);
        fprintf(to, "%s{\"at\":%d", i > 0 ? ",\n" : "", i);
        put_text(to, "name", column.name);
        put_text(to, "unit", column.unit);
        put_text(to, "meaning", column.meaning);
        put_words_of(to, result, i);
        fputc('}', to);
    }
    fputc(']', to);
}

/* What went wrong in rows of a sweep: [row, words], as many as a page takes. */
static void put_failures(FILE *to, const shown *s, const nt_result *result)
{
    const char *comma = "";
    long n = 0;
    fputs(",\n\"failures\":[", to);
    for (long row = 0; row < s->all && n < MOST_FAILURES; row++) {
        const char *words = nt_result_failure(result, row);
        if (!words || !*words)
            continue;
        fprintf(to, "%s[%ld,", comma, row);
        nt_page_text(to, words, strlen(words));
        fputc(']', to);
        comma = ",\n";
        n++;
    }
    fputc(']', to);
}

/* Draws a result that has poses, but does not say how it is drawn, as its model is drawn. */
static void put_scene(FILE *to, nt_result *result)
{
    nt_result_attribute scene;
    nt_bytes made = {0};
    if (nt_result_array_count(result) > 0 && !find_attribute(result, "scene", &scene) &&
        nt_scene_from_model(result, &made) && !made.failed) {
        fputs(",\n\"made\":", to);
        nt_page_text(to, made.at, made.used);
    }
    nt_bytes_free(&made);
}

static void put_attributes(FILE *to, const nt_result *result)
{
    fputs(",\n\"attributes\":{", to);
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        nt_result_attribute a = nt_result_attribute_at(result, i);
        fputs(i > 0 ? ",\n" : "", to);
        nt_page_text(to, a.name, strlen(a.name));
        fputc(':', to);
        nt_page_text(to, a.value, a.length);
    }
    fputc('}', to);
}

/* NAME=VALUE lines as an object. */
static void put_account(FILE *to, const char *lines)
{
    fputs(",\n\"account\":{", to);
    const char *comma = "";
    for (const char *line = lines; line && *line;) {
        size_t size = strcspn(line, "\n"), name = strcspn(line, "=\n");
        if (name > 0 && name < size) {
            fputs(comma, to);
            nt_page_text(to, line, name);
            fputc(':', to);
            nt_page_text(to, line + name + 1, size - name - 1);
            comma = ",\n";
        }
        line += size + (line[size] == '\n');
    }
    fputc('}', to);
}

static void put_arrays(FILE *to, const shown *s, const nt_result *result)
{
    const char *comma = "";
    fputs(",\n\"packed\":[", to);
    for (int i = 0; i < s->arrays; i++) {
        nt_result_array a = nt_result_array_at(result, i);
        fprintf(to, "%s{\"components\":%d,\"quantum\":", comma, a.components);
        put_number(to, s->quantum[i]);
        put_text(to, "name", a.name);
        put_text(to, "unit", a.unit);
        put_text(to, "meaning", a.meaning);
        fputs(",\"items\":[", to);
        for (int k = 0; k < a.items; k++) {
            const char *name = a.item_names ? a.item_names[k] : "";
            fputs(k > 0 ? "," : "", to);
            nt_page_text(to, name, strlen(name));
        }
        fputs("]}", to);
        comma = ",\n";
    }
    fputs("],\n\"length\":", to);
    put_number(to, s->length);
}

static void put_words(FILE *to, const shown *s, nt_result *result, const nt_report_part *part)
{
    const char *slash = strrchr(part->path, '/');
    fprintf(to, "<script type=\"application/json\" class=\"part\">{\"number\":%d", part->number);
    put_text(to, "file", slash ? slash + 1 : part->path);
    put_text(to, "table", part->table);
    put_text(to, "format", nt_result_format(result) == NT_NETCDF ? "NetCDF" : "CSV");
    fprintf(to, ",\"all\":%ld,\"every\":%ld,\"rows\":%ld,\"exact\":%s", s->all, s->every, s->rows,
            s->exact ? "true" : "false");
    put_columns_words(to, result);
    put_failures(to, s, result);
    put_arrays(to, s, result);
    put_attributes(to, result);
    put_scene(to, result);
    put_account(to, part->account);
    fputs("}</script>\n", to);
}

nt_status nt_report_put(FILE *to, nt_result *result, const nt_report_part *part, nt_error *error)
{
    shown s = {0};
    choose_rows(&s, result, part);
    nt_status status = NT_OK;
    for (int i = 0; i < s.arrays && status == NT_OK; i++)
        status = put_array(to, &s, result, part, i, error);
    if (status == NT_OK)
        status = put_columns(to, &s, result, part, error);
    if (status == NT_OK)
        put_words(to, &s, result, part);
    return status;
}
