/* BeamDyn: a primary file with the key points, and the file of the blade that it names. Lines are
 * known by their place, as BeamDyn reads them; values come first in a line, words behind. Twist is
 * in degrees, positive about -z; rows of the matrices are of x, y, z (along the blade). A number
 * more than a line or a table has is refused: it says that file and counts do not fit. */
#include "input/import/import.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = NT_PI / 180;

enum { LIMIT = 1 << 26, MOST_NAMES = 4, MOST_NUMBERS = 6 };

typedef struct lines {
    const char *name;
    char *text, *next; /* the rest; lines are ended in place */
    const char *begin; /* of the line at hand */
    int line;
    int column[MOST_NUMBERS]; /* of the numbers that were read last */
    nt_error *error;
    const char *said[MOST_NAMES]; /* names whose values have been read; each comes once */
    int n_said;
    FILE *notes;  /* NULL: names that are passed over are not told */
    int n_others; /* of these */
    char others[40][32];
    bool outputs; /* lines from here on are lists of outputs */
} lines;

static nt_status lines_fail_in(const lines *l, int column, const char *what)
{
    return nt_fail_at(l->error, NT_BAD_MODEL, l->name, l->line > 0 ? l->line : 1, column, "%s",
                      what);
}

static nt_status lines_fail(const lines *l, const char *what) { return lines_fail_in(l, 1, what); }

/* Of a place in the line at hand; columns are counted in bytes, from 1 on. */
static int column_of(const lines *l, const char *word)
{
    return l->begin && word >= l->begin ? (int)(word - l->begin) + 1 : 1;
}

static nt_status lines_open(lines *l, const char *path, nt_error *error)
{
    size_t length;
    *l = (lines){.name = path, .error = error};
    nt_status status = nt_file_read(path, LIMIT, &l->text, &length, error);
    l->next = l->text;
    return status;
}

/* The next line; NULL at the end. */
static char *take_line(lines *l)
{
    char *line = l->next;
    l->begin = line;
    if (!line || !*line)
        return NULL;
    size_t length = strcspn(line, "\n");
    l->next = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    l->line++;
    return line;
}

/* A word of a line: blanks, tabs and commas separate. */
static char *take_word(char **at, int *length)
{
    char *word = *at + strspn(*at, " \t,");
    *length = (int)strcspn(word, " \t,");
    *at = word + *length;
    return word;
}

/* The number that a line begins with; NULL: it begins with something else. */
static char *first_number(char *line)
{
    int length;
    double number;
    char *word = take_word(&line, &length);
    return length > 0 && nt_number_parse(word, length, &number) ? word : NULL;
}

static nt_status numbers_of(lines *l, char *line, int n, double *out)
{
    for (int i = 0; line && i < n; i++) {
        int length;
        char *word = take_word(&line, &length), what[120];
        l->column[i] = column_of(l, word);
        if (length == 0)
            snprintf(what, sizeof what, "expected %d number%s, got %d", n, n == 1 ? "" : "s", i);
        else if (!nt_number_parse(word, length, &out[i]) || !isfinite(out[i]))
            snprintf(what, sizeof what, "expected %d number%s, got '%.*s' as number %d", n,
                     n == 1 ? "" : "s", length < 30 ? length : 30, word, i + 1);
        else
            continue;
        return lines_fail_in(l, l->column[i], what);
    }
    char what[100], *more = line ? first_number(line) : NULL;
    snprintf(what, sizeof what, "%sexpected %d number%s%s", line ? "" : "the file ends: ", n,
             n == 1 ? "" : "s", line ? ", got more" : "");
    return line && !more ? NT_OK : lines_fail_in(l, line ? column_of(l, more) : 1, what);
}

static bool is_word(const char *word, int length, const char *key)
{
    return length == (int)strlen(key) && strncmp(word, key, (size_t)length) == 0;
}

/* Tells of a line with the value of a name that no model is made of. An actuator would turn the
 * blade's root: that there is none is told apart. */
static nt_status pass_over(lines *l, const char *value, const char *word)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    int length = (int)strspn(word, letters);
    l->outputs |= strncmp(value, "OutList", 7) == 0;
    bool is_title = l->line <= 2 || *value == '-' || *value == '=';
    if (!l->notes || l->outputs || is_title || length == 0 || length > 30 ||
        (*word >= '0' && *word <= '9'))
        return NT_OK;
    if (is_word(word, length, "UsePitchAct")) {
        char first = value[*value == '"' || *value == '.'];
        if (!first || !strchr("TtFf", first))
            return lines_fail_in(l, column_of(l, value), "UsePitchAct: expected True or False");
        if (first == 'T' || first == 't')
            fprintf(l->notes,
                    "%s:%d: UsePitchAct is true, but of the actuator nothing is taken: the root is "
                    "clamped; a revolute joint and a joint_spring make one\n",
                    l->name, l->line);
    }
    if (l->n_others < 40)
        snprintf(l->others[l->n_others++], sizeof l->others[0], "%.*s", length, word);
    return NT_OK;
}

/* The next line that names `key` after its value; NULL for the key: none of the rest. A line that
 * names what has been read already is refused: nothing says which of the two values counts. */
static nt_status find_value(lines *l, const char *key, char **value)
{
    char *line, what[100];
    while ((line = take_line(l))) {
        int length;
        char *rest = line, *first = take_word(&rest, &length), *second;
        if (*first == '"' && (second = strchr(first + 1, '"'))) { /* a name with blanks */
            rest = second + 1;
            length = (int)(rest - first);
        }
        int of_key;
        char *word = take_word(&rest, &of_key);
        for (int i = 0; i < l->n_said; i++)
            if (is_word(word, of_key, l->said[i])) {
                snprintf(what, sizeof what, "%s is given a second time, expected it once",
                         l->said[i]);
                return lines_fail_in(l, column_of(l, word), what);
            }
        if (key && is_word(word, of_key, key)) {
            first[length] = '\0';
            if (l->n_said < MOST_NAMES)
                l->said[l->n_said++] = key;
            return *value = first, NT_OK;
        }
        nt_status status = of_key > 0 ? pass_over(l, first, word) : NT_OK;
        if (status != NT_OK)
            return status;
    }
    if (!key)
        return NT_OK;
    snprintf(what, sizeof what,
             "the file ends without '%s': expected a line with its value, then "
             "this name",
             key);
    return lines_fail(l, what);
}

static nt_status find_count(lines *l, const char *key, int least, int most, int *count)
{
    char *value;
    double number = 0;
    nt_status status = find_value(l, key, &value);
    if (status == NT_OK)
        status = numbers_of(l, value, 1, &number);
    if (status == NT_OK && !(number >= least && number <= most && number == floor(number))) {
        char what[100];
        snprintf(what, sizeof what, "%s is %.9g, expected a whole number from %d to %d", key,
                 number, least, most);
        status = lines_fail_in(l, l->column[0], what);
    }
    *count = (int)number;
    return status;
}

/* ---- the two files ------------------------------------------------------------------------------
 */

enum { MOST_ROWS = 100000 };

/* A line for each member: its number and that of its key points. Neighbours share one. */
static nt_status read_members(lines *l, int members, int n)
{
    double row[2], sum = 1;
    nt_status status = NT_OK;
    for (int i = 0; i < members && status == NT_OK; i++) {
        status = numbers_of(l, take_line(l), 2, row);
        if (status == NT_OK && row[0] != i + 1) {
            char what[100];
            snprintf(what, sizeof what, "member %.9g, expected number %d: they come in their order",
                     row[0], i + 1);
            status = lines_fail_in(l, l->column[0], what);
        }
        sum += row[1] - 1;
    }
    if (status == NT_OK && sum != n) {
        char what[100];
        snprintf(what, sizeof what,
                 "the members have %.9g key points in all, expected %d as kp_total says", sum, n);
        status = lines_fail_in(l, l->column[1], what);
    }
    return status;
}

/* Two lines of words above the key points; the second one has the units. */
static nt_status read_units(lines *l)
{
    char *names = take_line(l), *units = names ? take_line(l) : NULL;
    if (!units)
        return lines_fail(l, "the file ends before its key points, expected two lines of names "
                             "and units and these");
    if (first_number(names) || first_number(units))
        return lines_fail(l, "expected two lines of names and units above the key points");
    const char *rad = strstr(units, "(rad)");
    return rad ? lines_fail_in(l, column_of(l, rad), "expected the twist in degrees, not in rad")
               : NT_OK;
}

/* The key points that have just been read, one a line. */
static nt_status check_reach(lines *l, const nt_imported_blade *b, int n)
{
    const double *first = b->points[0], *last = b->points[n - 1];
    double most = fmin(last[2] - first[2], NT_IMPORT_LONGEST);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            if (fabs(b->points[i][k] - first[k]) <= most)
                continue;
            char what[200];
            snprintf(what, sizeof what,
                     "%c of this key point is %.9g m from that of the first one, expected %.9g m "
                     "at most: no blade is longer, or reaches farther across than it is long",
                     "xyz"[k], b -> points[i][k] - first[k], most);
            l->line -= n - 1 - i;
            return lines_fail(l, what);
        }
    return NT_OK;
}

static nt_status read_points(lines *l, nt_imported_blade *b, FILE *notes)
{
    int members = 0, n = 0;
    nt_status status = find_count(l, "member_total", 1, MOST_ROWS, &members);
    if (status == NT_OK)
        status = find_count(l, "kp_total", 2, MOST_ROWS, &n);
    if (members > 1)
        fprintf(notes, "%d members: their key points are taken as one line\n", members);
    if (status == NT_OK)
        status = read_members(l, members, n);
    if (status == NT_OK)
        status = read_units(l);
    if (status == NT_OK) {
        b->points = calloc((size_t)n, sizeof *b->points);
        b->twist = calloc((size_t)n, sizeof *b->twist);
        if (!b->points || !b->twist)
            status = nt_fail(l->error, NT_NO_MEMORY, "out of memory");
    }
    double length = 0;
    for (int i = 0; i < n && status == NT_OK; i++) {
        double row[4];
        status = numbers_of(l, take_line(l), 4, row);
        memcpy(b->points[i], row, sizeof b->points[i]);
        if (i > 0 && status == NT_OK) {
            const double *p = b->points[i - 1];
            length += sqrt((row[0] - p[0]) * (row[0] - p[0]) + (row[1] - p[1]) * (row[1] - p[1]) +
                           (row[2] - p[2]) * (row[2] - p[2]));
            char what[100];
            snprintf(what, sizeof what,
                     "z of this key point is %.9g, expected more than %.9g, z of "
                     "the one before",
                     row[2], p[2]);
            if (row[2] <= p[2])
                status = lines_fail_in(l, l->column[2], what);
            else if (!isfinite(length))
                status = lines_fail(l, "the way to this key point is too long for a number, "
                                       "expected coordinates in m");
        }
        b->twist[i][0] = length, b->twist[i][1] = -row[3] * DEGREE;
        if (status == NT_OK && fabs(b->twist[i][1]) > NT_IMPORT_MOST_TWIST)
            status = lines_fail_in(l, l->column[3],
                                   "the twist is beyond a full turn, expected -360 to 360 degrees");
    }
    if (status == NT_OK)
        status = check_reach(l, b, n);
    for (int i = 0; i < n && status == NT_OK; i++)
        b->twist[i][0] = i == n - 1 ? 1 : b->twist[i][0] / length;
    b->n_points = b->n_twist = b->points && b->twist ? n : 0;
    char *heading = status == NT_OK ? take_line(l) : NULL;
    if (heading && first_number(heading)) {
        char what[100];
        snprintf(what, sizeof what,
                 "there are more key points than kp_total says, expected %d of them", n);
        status = lines_fail_in(l, column_of(l, first_number(heading)), what);
    }
    return status;
}

static char *take_filled_line(lines *l)
{
    char *line = take_line(l);
    while (line && line[strspn(line, " \t")] == '\0')
        line = take_line(l);
    return line;
}

static nt_status read_matrix(lines *l, double to[36])
{
    double X[36];
    nt_status status = NT_OK;
    for (int i = 0; i < 6 && status == NT_OK; i++)
        status = numbers_of(l, take_filled_line(l), 6, X + 6 * i);
    if (status == NT_OK)
        nt_import_turn_axes(X, to);
    return status;
}

static nt_status read_stations(lines *l, nt_imported_blade *b)
{
    static const int of[6] = {2, 0, 1, 5, 3, 4};
    int n = 0, damped = 0;
    double mu[6];
    nt_status status = find_count(l, "station_total", 1, MOST_ROWS, &n);
    if (status == NT_OK)
        status = find_count(l, "damp_type", 0, 1, &damped); /* 2, of modes, is not known here */
    for (int i = 0; i < 3 && status == NT_OK; i++)
        if (!take_line(l))
            status = lines_fail(l, "the file ends before its damping, expected a line of six "
                                   "factors below three of words");
    if (status == NT_OK)
        status = numbers_of(l, take_line(l), 6, mu);
    for (int i = 0; i < 6 && damped && status == NT_OK; i++) {
        b->damping[i] = mu[of[i]];
        if (mu[i] < 0)
            status =
                lines_fail_in(l, l->column[i], "damping is negative, expected a factor from 0 on");
        else if (mu[i] > 1000)
            status = lines_fail_in(l, l->column[i],
                                   "damping is beyond 1000 s, expected a factor of stiffness in s");
    }
    take_line(l); /* a heading */
    b->sections = status == NT_OK ? calloc((size_t)n, sizeof *b->sections) : NULL;
    if (status == NT_OK && !b->sections)
        status = nt_fail(l->error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < n && status == NT_OK; i++) {
        nt_imported_section *s = &b->sections[i];
        status = numbers_of(l, take_filled_line(l), 1, &s->at);
        s->line = l->line, s->column = l->column[0];
        if (status == NT_OK && (s->at < 0 || s->at > 1 || (i > 0 && s->at <= s[-1].at))) {
            char what[100];
            snprintf(what, sizeof what, "station %.9g, expected stations from 0 to 1 that rise",
                     s->at);
            status = lines_fail_in(l, l->column[0], what);
        }
        if (status == NT_OK)
            status = read_matrix(l, s->stiffness);
        if (status == NT_OK)
            status = read_matrix(l, s->mass);
    }
    b->n_sections = b->sections ? n : 0;
    b->file = l->name;
    if (status == NT_OK && take_filled_line(l))
        status = lines_fail(l, "there is more in the file than station_total says, expected its "
                               "end");
    return status;
}

/* A name in quotes, beside the primary file; where there is none of this name FILE-blade.dat of
 * FILE.dat. */
static nt_status open_beside(lines *l, const char *name, lines *blade, char *path, size_t size,
                             FILE *notes)
{
    const char *slash = strrchr(l->name, '/');
    size_t folder = slash ? (size_t)(slash - l->name) + 1 : 0, length = strlen(name);
    if (length >= 2 && name[0] == '"' && name[length - 1] == '"')
        name++, length -= 2;
    if (snprintf(path, size, "%.*s%.*s", *name == '/' ? 0 : (int)folder, l->name, (int)length,
                 name) >= (int)size)
        return lines_fail(l, "the name of the blade's file is too long");
    nt_error first = {0};
    nt_status status = lines_open(blade, path, &first);
    size_t stem = strlen(l->name);
    if (status == NT_IO && stem > 4 && stem + 16 < size &&
        strcmp(l->name + stem - 4, ".dat") == 0) {
        nt_error second = {0};
        char other[1024];
        snprintf(other, sizeof other, "%.*s-blade.dat", (int)stem - 4, l->name);
        if (stem + 16 < sizeof other && lines_open(blade, other, &second) == NT_OK) {
            fprintf(notes, "%s is not there, %s is taken\n", path, other);
            snprintf(path, size, "%s", other);
            blade->name = path;
            status = NT_OK;
        }
    }
    blade->error = l->error;
    if (status != NT_OK)
        *l->error = first;
    return status;
}

nt_status nt_import_beamdyn(const char *path, const char *part, FILE *to, FILE *notes,
                            nt_error *error)
{
    lines primary, stations = {0};
    nt_imported_blade blade = {0};
    char *name = NULL, beside[1024] = "";
    int order = 0;
    if (part && strcmp(part, "blade") != 0)
        return nt_fail(error, NT_INVALID, "a BeamDyn file holds a blade alone, not a '%s'", part);
    nt_status status = lines_open(&primary, path, error);
    if (status == NT_OK)
        primary.notes = notes, status = read_points(&primary, &blade, notes);
    if (status == NT_OK)
        status = find_count(&primary, "order_elem", 1, 1000, &order);
    if (status == NT_OK)
        status = find_value(&primary, "BldFile", &name);
    if (status == NT_OK)
        status = find_value(&primary, NULL, NULL);
    for (int i = 0; i < primary.n_others; i++)
        fprintf(notes, "%s%s%s", i == 0 ? "not taken: " : ", ", primary.others[i],
                i + 1 == primary.n_others ? "\n" : "");
    if (status == NT_OK)
        status = open_beside(&primary, name, &stations, beside, sizeof beside, notes);
    if (status == NT_OK)
        status = read_stations(&stations, &blade);
    nt_import_fault fault;
    double length = nt_import_length(blade.points, blade.n_points);
    if (status == NT_OK && nt_import_check_sections(&blade, length, notes, &fault) < 1)
        status = nt_fail_at(error, NT_BAD_MODEL, stations.name, fault.line, fault.column,
                            "no station is a section: %s", fault.words);
    if (status == NT_OK) {
        nt_imported_place place = {.x = v3_of(1, 0, 0), .y = v3_of(0, 1, 0), .z = v3_of(0, 0, 1)};
        fprintf(to,
                "# From a BeamDyn file: elements of order 2 from station to station, where it has "
                "one of order %d.\nnutate: 1\ntitle: Blade\n"
                "gravity: [0, 0, 0]  # clamped upright, x as BeamDyn's\nbeams:\n",
                order);
        nt_import_write_blade(to, "blade", &blade, &place, "blade", false);
        fputs("joints:\n  clamp: {type: fixed, between: [ground, blade.root]}\n"
              "simulation: {duration: 1, step: 5e-3}\n"
              "output: {record: [blade.tip.position, blade.root.moment]}\n",
              to);
    }
    nt_imported_blade_free(&blade);
    free(primary.text);
    free(stations.text);
    return status;
}
