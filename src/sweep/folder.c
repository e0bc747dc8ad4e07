/* The folder of a sweep:
 *
 *   sweep       its head: digests of plan and model, version, columns; written once, whole
 *   plan.yaml   the plan as it was, and list.csv, its list
 *   rows/       rows and journals of every process that ran some (journal.c)
 *   lock        held by the process that deals out rows */
#include "sweep/sweep.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memstream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEAD = 1 << 24 };

char *nt_folder_path(const char *folder, const char *name)
{
    size_t a = strlen(folder), b = name ? strlen(name) + 1 : 0;
    char *path = malloc(a + b + 1);
    if (!path)
        return NULL;
    memcpy(path, folder, a + 1);
    if (name) {
        path[a] = '/';
        memcpy(path + a + 1, name, b);
    }
    return path;
}

static nt_status cannot(const char *path, const char *what, nt_error *error)
{
    return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be %s: %s", what, strerror(errno));
}

nt_status nt_folder_make(const char *folder, nt_error *error)
{
    char *rows = nt_folder_path(folder, "rows");
    nt_status status = rows ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = cannot(folder, "made", error);
    if (status == NT_OK && mkdir(rows, 0777) != 0 && errno != EEXIST)
        status = cannot(rows, "made", error);
    free(rows);
    return status;
}

/* ---- files that are there whole or not at all ------------------------------------------------ */

static nt_status write_synced(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno != EINTR)
            return NT_IO;
        if (done > 0)
            bytes += done, size -= (size_t)done;
    }
    return fsync(file) == 0 ? NT_OK : NT_IO;
}

/* Under a name of this process first. */
static nt_status write_whole(const char *folder, const char *name, const char *bytes, size_t size,
                             nt_error *error)
{
    char other[64];
    snprintf(other, sizeof other, "%s.%ld", name, (long)getpid());
    char *path = nt_folder_path(folder, name), *fresh = nt_folder_path(folder, other);
    nt_status status = path && fresh ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    int file = -1;
    if (status == NT_OK) {
        file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0 || write_synced(file, bytes, size) != NT_OK)
            status = cannot(path, "written", error);
        if (file >= 0 && close(file) != 0 && status == NT_OK)
            status = cannot(path, "written", error);
        if (status == NT_OK && rename(fresh, path) != 0)
            status = cannot(path, "written", error);
        if (status != NT_OK)
            unlink(fresh);
    }
    free(path);
    free(fresh);
    return status;
}

/* ---- the head ------------------------------------------------------------------------------- */

static char *head_text(const nt_sweep *s, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    if (!to)
        return NULL;
    fprintf(to, "nutate sweep\t1\nversion\t%s\nplan\t%s\nmodel\t%s\nbase\t%s\nrows\t%ld\n",
            nt_version(), s->plan_digest, s->model_digest, s->base, s->rows);
    fprintf(to, "objectives\t%d\nseries_rows\t%ld\n", s->n_objectives, s->series_rows);
    for (int i = 0; i < s->n_columns; i++)
        fprintf(to, "column\t%s\t%s\t%s\n", s->columns[i].name, s->columns[i].unit,
                s->columns[i].meaning);
    for (int i = 0; i < s->series_columns; i++)
        fprintf(to, "series\t%s\t%s\t%s\n", s->series[i].name, s->series[i].unit,
                s->series[i].meaning);
    fputs("end\t\n", to);
    nt_memstream_end(to, &text);
    return text;
}

/* The head comes last: with it the folder is begun. */
nt_status nt_folder_write_head(const nt_sweep *s, const char *folder, nt_error *error)
{
    size_t size = 0;
    char *text = head_text(s, &size);
    nt_status status = text ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && s->list_text)
        status = write_whole(folder, "list.csv", s->list_text, s->list_length, error);
    if (status == NT_OK)
        status = write_whole(folder, "plan.yaml", s->text, s->text_length, error);
    if (status == NT_OK)
        status = write_whole(folder, "sweep", text, size, error);
    free(text);
    return status;
}

/* The value of a line "KEY\tVALUE" of a head, up to the line's end, into value[size]. */
static bool head_value(const char *head, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = head; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, length) == 0 && line[length] == '\t') {
            snprintf(value, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
            return true;
        }
    return false;
}

/* *text is NULL where nothing was begun. */
static nt_status read_head(const char *folder, char **text, nt_error *error)
{
    size_t length;
    char *path = nt_folder_path(folder, "sweep"), version[32];
    *text = NULL;
    if (!path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = NT_OK;
    if (access(path, F_OK) == 0)
        status = nt_file_read(path, MOST_HEAD, text, &length, error);
    if (status == NT_OK && *text &&
        (!head_value(*text, "nutate sweep", version, sizeof version) || strcmp(version, "1") != 0 ||
         !head_value(*text, "end", version, sizeof version)))
        status = nt_fail_at(error, NT_IO, path, 0, 0, "is not the head of a sweep's folder");
    free(path);
    if (status != NT_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

nt_status nt_folder_check(const nt_sweep *s, const char *folder, int *there, nt_error *error)
{
    char *head, value[80] = "";
    nt_status status = read_head(folder, &head, error);
    *there = head != NULL;
    if (!head)
        return status;
    head_value(head, "version", value, sizeof value);
    if (strcmp(value, nt_version()) != 0)
        status = nt_fail_at(error, NT_INVALID, folder, 0, 0,
                            "holds rows of nutate %s, this is %s: expected another folder", value,
                            nt_version());
    head_value(head, "plan", value, sizeof value);
    if (status == NT_OK && strcmp(value, s->plan_digest) != 0)
        status = nt_fail_at(error, NT_INVALID, folder, 0, 0,
                            "holds rows of another plan (it is in %s/plan.yaml): expected another "
                            "folder, or that plan",
                            folder);
    head_value(head, "base", value, sizeof value);
    if (status == NT_OK && strcmp(value, s->base) != 0)
        status = nt_fail_at(error, NT_INVALID, folder, 0, 0,
                            "holds rows of another model: the model's file, a table of it or a "
                            "plugin has changed since; expected another folder");
    free(head);
    return status;
}

/* ---- a sweep from its folder ----------------------------------------------------------------- */

static nt_status take_column(nt_sweep *s, const char *line, nt_result_column *column,
                             nt_error *error)
{
    const char *word[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(line, "\t\n");
        word[i] = nt_arena_text(&s->arena, line, length);
        if (!word[i])
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        line += length + (line[length] == '\t');
    }
    *column = (nt_result_column){word[0], word[1], word[2]};
    return NT_OK;
}

/* The columns whose lines begin with `key`. */
static nt_status take_columns(nt_sweep *s, const char *head, const char *key,
                              nt_result_column **columns, int *n, nt_error *error)
{
    size_t length = strlen(key);
    int count = 0;
    for (const char *at = head; (at = strstr(at, key)) != NULL; at += length)
        count += at > head && at[-1] == '\n';
    *columns = NT_TAKE(&s->arena, count, nt_result_column);
    nt_status status = *columns ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    *n = 0;
    for (const char *at = head; status == NT_OK && (at = strstr(at, key)) != NULL; at += length)
        if (at > head && at[-1] == '\n')
            status = take_column(s, at + length, &(*columns)[(*n)++], error);
    return status;
}

nt_status nt_folder_read_head(nt_sweep *s, const char *folder, nt_error *error)
{
    char *head, value[80] = "";
    nt_status status = read_head(folder, &head, error);
    if (status == NT_OK && !head)
        status = nt_fail_at(error, NT_IO, folder, 0, 0,
                            "holds no sweep: expected the folder of "
                            "nutate sweep -o");
    if (status != NT_OK)
        return status;
    head_value(head, "base", s->base, sizeof s->base);
    head_value(head, "model", s->model_digest, sizeof s->model_digest);
    head_value(head, "objectives", value, sizeof value);
    s->n_objectives = (int)strtol(value, NULL, 10);
    head_value(head, "series_rows", value, sizeof value);
    s->series_rows = strtol(value, NULL, 10);
    status = take_columns(s, head, "column\t", &s->columns, &s->n_columns, error);
    if (status == NT_OK)
        status = take_columns(s, head, "series\t", &s->series, &s->series_columns, error);
    head_value(head, "rows", value, sizeof value);
    if (status == NT_OK && strtol(value, NULL, 10) != s->rows)
        status = nt_fail_at(error, NT_IO, folder, 0, 0, "its plan has %ld rows, its head says %s",
                            s->rows, value);
    free(head);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* All that decides a row's numbers, as text: base, load case, names and values. To be freed. */
static char *row_text(const nt_sweep *s, long row, size_t *size)
{
    char *text = NULL, buffer[32];
    int load_case;
    nt_axis_value *values = calloc((size_t)s->n_axes + 1, sizeof *values);
    FILE *to = values ? open_memstream(&text, size) : NULL;
    if (to) {
        nt_design_values(s, row, &load_case, values);
        fputs(s->base, to);
        for (int i = 0; load_case >= 0 && i < s->cases[load_case].n; i++)
            fprintf(to, "\n%s: %s", s->cases[load_case].settings[i].key,
                    s->cases[load_case].settings[i].value);
        for (int k = 0; k < s->n_axes; k++)
            fprintf(to, "\n%s=%s", s->axes[k].name,
                    nt_design_text(&s->axes[k], &values[k], buffer));
        nt_memstream_end(to, &text);
    }
    free(values);
    return text;
}

nt_status nt_sweep_id(const nt_sweep *s, long row, unsigned char id[NT_ROW_ID], nt_error *error)
{
    char digest[NT_DIGEST_ROOM];
    size_t size = 0;
    char *text = row_text(s, row, &size);
    if (!text)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_digest(text, size, digest);
    free(text);
    for (int i = 0; i < NT_ROW_ID; i++) {
        const char pair[3] = {digest[2 * i], digest[2 * i + 1], 0};
        id[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return NT_OK;
}

typedef struct visit {
    const nt_sweep *sweep;
    nt_row_visitor *visit;
    void *context;
    long first, last;
} visit;

/* A row of this sweep; what another plan left has other ids. */
static nt_status visit_own(void *context, const nt_row *row, nt_error *error)
{
    const visit *v = context;
    unsigned char id[NT_ROW_ID];
    if (row->row < v->first || row->row > v->last)
        return NT_OK;
    bool numbers =
        row->status != NT_OK ? row->n == 0 : (size_t)row->n == nt_sweep_numbers(v->sweep);
    nt_status status = nt_sweep_id(v->sweep, row->row, id, error);
    if (status != NT_OK)
        return status;
    if (!numbers || memcmp(id, row->id, NT_ROW_ID) != 0)
        return NT_OK;
    return v->visit(v->context, row, error);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of all journals, sorted: *names and each of them to be freed. */
static nt_status list_journals(const char *rows, char ***names, int *n, nt_error *error)
{
    struct dirent *entry;
    DIR *folder = opendir(rows);
    int room = 0;
    *names = NULL;
    *n = 0;
    if (!folder)
        return errno == ENOENT ? NT_OK : cannot(rows, "opened", error);
    nt_status status = NT_OK;
    while (status == NT_OK && (errno = 0, entry = readdir(folder)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".journal") != 0)
            continue;
        if (*n == room) {
            room = 2 * room + 16;
            char **more = realloc(*names, (size_t)room * sizeof *more);
            if (!more) {
                status = nt_fail(error, NT_NO_MEMORY, "out of memory");
                break;
            }
            *names = more;
        }
        (*names)[*n] = nt_folder_path(rows, entry->d_name);
        if ((*names)[*n])
            ++*n;
        else
            status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    if (status == NT_OK && errno != 0)
        status = cannot(rows, "read", error);
    closedir(folder);
    if (*n > 0)
        qsort(*names, (size_t)*n, sizeof **names, by_name);
    return status;
}

nt_status nt_folder_visit(const nt_sweep *s, const char *folder, nt_row_visitor *visitor,
                          void *context, long *damaged, nt_error *error)
{
    return nt_folder_visit_some(s, folder, 0, s->rows - 1, visitor, context, damaged, error);
}

nt_status nt_folder_visit_some(const nt_sweep *s, const char *folder, long first, long last,
                               nt_row_visitor *visitor, void *context, long *damaged,
                               nt_error *error)
{
    visit own = {s, visitor, context, first, last};
    char **names = NULL, *rows = nt_folder_path(folder, "rows");
    int n = 0;
    nt_status status = rows ? list_journals(rows, &names, &n, error)
                            : nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < n && status == NT_OK; i++)
        status = nt_journal_read(names[i], visit_own, &own, damaged, error);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    free(rows);
    return status;
}
