/* Where a run reads and writes: names of files, what they are to each other, whether they can be
 * written and have room. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- names ---------------------------------------------------------------------------------- */

bool nt_cli_ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

const char *nt_cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *nt_cli_join(const char *a, const char *b)
{
    size_t first = strlen(a), second = strlen(b);
    char *text = malloc(first + second + 1);
    if (text) {
        memcpy(text, a, first);
        memcpy(text + first, b, second + 1);
    }
    return text;
}

/* MODEL with .csv, or what a command has for it, in place of .yaml or .yml; standard output for a
 * model from standard input. */
static char *default_output(const char *model, const char *ending)
{
    if (strcmp(model, "-") == 0)
        return strdup("-");
    char *path = nt_cli_join(model, ending);
    size_t length = strlen(model);
    size_t cut = nt_cli_ends_with(model, ".yaml") ? 5 : nt_cli_ends_with(model, ".yml") ? 4 : 0;
    if (path && cut > 0)
        memcpy(path + length - cut, ending, strlen(ending) + 1);
    return path;
}

int nt_cli_check_result_name(const char *path)
{
    if (strcmp(path, "-") == 0 || nt_cli_ends_with(path, ".csv") || nt_cli_ends_with(path, ".nc"))
        return NT_EXIT_DONE;
    nt_cli_say("-o: expected a name that ends in .csv or .nc, or -, got '%s'", path);
    return NT_EXIT_USAGE;
}

nt_record_format nt_cli_format_of(const char *path)
{
    return nt_cli_ends_with(path, ".nc") ? NT_NETCDF : NT_CSV;
}

/* ---- what files are to each other ----------------------------------------------------------- */

/* The folder that holds a file, or would. */
static bool folder_of(const char *path, char *folder, size_t size)
{
    int length = (int)(nt_cli_base_name(path) - path);
    return length < (int)size &&
           snprintf(folder, size, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".") > 0;
}

static bool find_folder(const char *path, struct stat *is)
{
    char folder[4096];
    return folder_of(path, folder, sizeof folder) && stat(folder, is) == 0;
}

/* A file that is read, or one that is written; "-" is then standard input or output. */
static bool find_file(const char *path, int standard, struct stat *is)
{
    return strcmp(path, "-") == 0 ? fstat(standard, is) == 0 : stat(path, is) == 0;
}

/* Whether `to`, which is written, is the ordinary file `from`, which is written or read, by
 * whatever path, even if it is not there yet. */
static bool same_file(const char *to, const char *from, bool is_read)
{
    struct stat first, second;
    bool named = strcmp(to, "-") != 0 && strcmp(from, "-") != 0;
    if (strcmp(to, from) == 0 && (named || !is_read))
        return true;
    bool there = find_file(to, STDOUT_FILENO, &first);
    if (find_file(from, is_read ? STDIN_FILENO : STDOUT_FILENO, &second) != there)
        return false;
    if (there && !named && !S_ISREG(first.st_mode))
        return false; /* a terminal may be both */
    if (!there && (!named || strcmp(nt_cli_base_name(to), nt_cli_base_name(from)) != 0 ||
                   !find_folder(to, &first) || !find_folder(from, &second)))
        return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool nt_cli_would_overwrite(const char *to, const char *from) { return same_file(to, from, true); }

/* What a file that is to be written is to the model already; NULL: nothing. */
static const char *role_of(const nt_cli_plan *plan, const char *path)
{
    const char *table;
    if (same_file(path, plan->path, true))
        return "the model itself";
    for (int i = 0; (table = nt_model_table_file(plan->model, i)) != NULL; i++)
        if (same_file(path, table, true))
            return "a table of the model";
    return NULL;
}

/* ---- the files of a run --------------------------------------------------------------------- */

/* What is written over, or made. */
static bool can_be_written(const char *path)
{
    char folder[4096];
    if (access(path, F_OK) == 0)
        return access(path, W_OK) == 0;
    return folder_of(path, folder, sizeof folder) && access(folder, W_OK | X_OK) == 0;
}

/* A run may also end in pages. */
static int places_check_name(const char *path)
{
    if (strcmp(path, "-") == 0 || nt_cli_ends_with(path, ".csv") || nt_cli_ends_with(path, ".nc"))
        return NT_EXIT_DONE;
    nt_cli_say(
        "-o: expected a name that ends in .csv or .nc, in .html for a page, in .glb or .pvd for "
        "other programs, or -, got '%s'",
        path);
    return NT_EXIT_USAGE;
}

/* A page is made from NetCDF. Where none is asked for, one stands beside the page until then. */
static int choose_data(nt_cli_places *places)
{
    char page[4096];
    bool there = places->n_pages == 0;
    for (int i = 0; i < places->n; i++)
        there |= places->files[i].format == NT_NETCDF;
    for (int i = 0; i < places->n_pages; i++) {
        int status = nt_cli_check_place(places->pages[i]);
        if (status == NT_EXIT_DONE && nt_cli_is_page(places->pages[i]))
            status = nt_cli_page_find(page, sizeof page);
        if (status != NT_EXIT_DONE)
            return status;
    }
    if (there)
        return NT_EXIT_DONE;
    places->data = nt_cli_join(places->pages[0], ".part.nc");
    if (!places->data)
        return nt_cli_no_memory();
    places->files[places->n++] = (nt_result_file){places->data, NT_NETCDF};
    return NT_EXIT_DONE;
}

char *nt_cli_default_result(const char *model, const char *ending, bool *elsewhere)
{
    char *path = default_output(model, ending);
    *elsewhere = false;
    if (!path)
        return NULL;
    const char *base = nt_cli_base_name(path);
    *elsewhere = base != path && !can_be_written(path);
    if (*elsewhere)
        memmove(path, base, strlen(base) + 1);
    return path;
}

int nt_cli_places_choose(nt_cli_places *places, const nt_cli_options *options)
{
    *places = (nt_cli_places){.n = options->n_outputs};
    bool none = options->check && options->n_outputs == 0;
    if (options->n_outputs == 0 && !none) {
        places->made = nt_cli_default_result(options->name, options->ending, &places->elsewhere);
        if (!places->made)
            return nt_cli_no_memory();
        places->n = 1;
    }
    int n = places->n;
    places->n = 0;
    places->files = calloc((size_t)n + 2, sizeof *places->files);
    places->pages = calloc((size_t)n + 1, sizeof *places->pages);
    if (!places->files || !places->pages)
        return nt_cli_no_memory();
    const char *first = NULL; /* that is a file */
    for (int i = 0; i < n; i++) {
        const char *path = options->n_outputs > 0 ? options->outputs[i] : places->made;
        if (nt_cli_is_shown(path)) {
            places->pages[places->n_pages++] = path;
            continue;
        }
        int status = places_check_name(path);
        if (status != NT_EXIT_DONE)
            return status;
        places->files[places->n++] = (nt_result_file){path, nt_cli_format_of(path)};
        first = first || strcmp(path, "-") == 0 ? first : path;
    }
    int status = choose_data(places);
    if (status != NT_EXIT_DONE)
        return status;
    if (options->save || first)
        places->state = options->save ? strdup(options->save) : nt_cli_join(first, ".state");
    return (options->save || first) && !places->state ? nt_cli_no_memory() : NT_EXIT_DONE;
}

int nt_cli_places_choose_tables(nt_cli_places *places, const nt_cli_options *options)
{
    *places = (nt_cli_places){.n = 0};
    for (int i = 0; i < options->n_outputs; i++)
        if (nt_cli_is_shown(options->outputs[i])) {
            nt_cli_say("-o: '%s' shows runs; expected a name that ends in .csv or .nc, or -",
                       options->outputs[i]);
            return NT_EXIT_USAGE;
        }
    return nt_cli_places_choose(places, options);
}

void nt_cli_places_free(nt_cli_places *places)
{
    free(places->files);
    free(places->pages);
    free(places->data);
    free(places->made);
    free(places->state);
}

/* One of the files that are written, and the word for it. */
typedef struct written {
    const char *path, *option, *role;
    bool is_result;
    const char *of; /* of a table beside a result the result's path; NULL: it is none */
    char *made;     /* the path of such a table */
} written;

static int refuse_written(const nt_cli_options *options, const written *w, const char *role)
{
    if (w->of)
        nt_cli_say("-o: the table '%s' beside '%s' is %s: expected another name of the result",
                   w->path, w->of, role);
    else if (w->is_result && options->n_outputs == 0)
        nt_cli_say("without -o the result goes to '%s', which is %s", w->path, role);
    else if (!w->option)
        nt_cli_say("the state goes to '%s', which is %s: expected --save FILE", w->path, role);
    else
        nt_cli_say("%s: '%s' is %s", w->option, w->path, role);
    return NT_EXIT_USAGE;
}

/* Adds tables that come to stand beside results to the *n of all[]; false: memory is out. */
static bool list_beside(const nt_cli_places *places, const char *table, written *all, int *n)
{
    for (int i = 0; table && i < places->n; i++) {
        const char *path = places->files[i].path;
        if (strcmp(path, "-") == 0)
            continue;
        char *made = nt_result_beside(path, table);
        if (!made)
            return false;
        all[(*n)++] = (written){made, "-o", "the table beside the result", false, path, made};
    }
    return true;
}

/* Adds what is written besides to the *n of all[]. */
static void list_written(const nt_cli_places *places, const nt_cli_options *options, written *all,
                         int *n)
{
    for (int i = 0; i < places->n_pages; i++)
        all[(*n)++] = (written){places->pages[i], "-o", "the page", true, NULL, NULL};
    for (int i = 0; i < places->n; i++)
        all[(*n)++] = (written){places->files[i].path, "-o", "the result", true, NULL, NULL};
    if (places->state)
        all[(*n)++] = (written){
            places->state, options->save ? "--save" : NULL, "the saved state", false, NULL, NULL};
    if (options->objectives)
        all[(*n)++] = (written){options->objectives, "--objectives", "", false, NULL, NULL};
}

/* Nothing is written over what is read, nor twice to one file. The state of --restart may be
 * renewed: it has been read by then. */
int nt_cli_places_check(const nt_cli_places *places, const nt_cli_plan *plan,
                        const nt_cli_options *options, const char *beside)
{
    written *all = calloc(2 * (size_t)places->n + (size_t)places->n_pages + 2, sizeof *all);
    int n = 0;
    int status = all && list_beside(places, beside, all, &n) ? NT_EXIT_DONE : nt_cli_no_memory();
    if (status == NT_EXIT_DONE)
        list_written(places, options, all, &n);
    for (int i = 0; i < n && status == NT_EXIT_DONE; i++) {
        const char *role = role_of(plan, all[i].path);
        if (all[i].path != places->state && options->restart &&
            same_file(all[i].path, options->restart, true))
            role = "the state to go on from";
        for (int j = 0; j < i; j++)
            if (same_file(all[i].path, all[j].path, false))
                role = all[j].role;
        if (role)
            status = refuse_written(options, &all[i], role);
    }
    for (int i = 0; i < n; i++)
        free(all[i].made);
    free(all);
    return status;
}

static int cannot_be_written(const char *path)
{
    nt_cli_say("%s: cannot be written: %s", path, strerror(errno));
    return NT_EXIT_IO;
}

static int open_again(const char *path, int flags)
{
    int file;
    do
        file = open(path, flags | O_WRONLY | O_CLOEXEC, 0666);
    while (file < 0 && errno == EINTR);
    return file;
}

/* A pipe that is opened and closed would tell its reader that all is written. */
int nt_cli_hold(nt_cli_held *held, const char *path)
{
    struct stat is;
    *held = (nt_cli_held){0};
    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))
        return access(path, W_OK) == 0 ? NT_EXIT_DONE : cannot_be_written(path);
    held->file = open_again(path, O_CREAT | O_EXCL);
    held->made = held->file >= 0;
    if (held->file < 0 && errno == EEXIST)
        held->file = open_again(path, 0);
    if (held->file < 0 && errno == ENOENT && lstat(path, &is) == 0)
        return NT_EXIT_DONE; /* a link to what is not there yet */
    if (held->file < 0)
        return cannot_be_written(path);
    held->is_held = true;
    if (flock(held->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return NT_EXIT_DONE;
    held->made = false;
    nt_cli_let_go(held, path);
    nt_cli_say("%s: is being written by another run: expected another name, or its end", path);
    return NT_EXIT_IO;
}

void nt_cli_let_go(nt_cli_held *held, const char *path)
{
    struct stat is;
    if (!held->is_held)
        return;
    if (held->made && fstat(held->file, &is) == 0 && is.st_size == 0)
        unlink(path);
    close(held->file);
    *held = (nt_cli_held){0};
}

nt_cli_part nt_cli_part_of(const char *path)
{
    struct stat is;
    if (!path || strcmp(path, "-") == 0 || stat(path, &is) != 0 || !S_ISREG(is.st_mode))
        return (nt_cli_part){.path = NULL};
    return (nt_cli_part){path, (uint64_t)is.st_dev, (uint64_t)is.st_ino};
}

void nt_cli_take_back(const nt_cli_part *part)
{
    nt_cli_part now = nt_cli_part_of(part->path);
    struct stat is;
    if (!now.path || now.device != part->device || now.inode != part->inode ||
        lstat(now.path, &is) != 0)
        return;
    int failed = S_ISLNK(is.st_mode) ? truncate(now.path, 0) : unlink(now.path);
    (void)failed; /* why it is not whole has been told */
}

int nt_cli_check_place(const char *path)
{
    nt_cli_held held;
    if (strcmp(path, "-") == 0)
        return NT_EXIT_DONE;
    int status = nt_cli_hold(&held, path);
    nt_cli_let_go(&held, path);
    return status;
}

int nt_cli_places_probe(const nt_cli_places *places)
{
    int status = NT_EXIT_DONE;
    for (int i = 0; i < places->n && status == NT_EXIT_DONE; i++)
        status = nt_cli_check_place(places->files[i].path);
    return status;
}

/* ---- room on the disk ----------------------------------------------------------------------- */

/* Bytes of a number: of CSV what most take, with 17 digits, point and comma. */
static const double CSV_NUMBER = 19, NETCDF_NUMBER = 8;

static double numbers_of_row(const nt_cli_plan *plan, const nt_cli_sens *sens, bool poses)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_quantity_info quantity;
    double n = 1, parameters = sens ? sens->n : 0;
    for (int i = 0; i < simulation->n_record; i++)
        if (nt_model_quantity(plan->model, simulation->record[i], &quantity, NULL) == NT_OK)
            n += quantity.columns * (1 + parameters);
    return poses && simulation->poses ? n + 10 + 7. * nt_model_count(plan->model).bodies : n;
}

/* The disk that a file is on, or will be, and its free bytes with those that the file has now. */
static bool find_disk(const char *path, dev_t *disk, double *bytes)
{
    struct stat is;
    struct statvfs room;
    char folder[4096];
    bool there = stat(path, &is) == 0;
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(is.st_mode)) ||
        !folder_of(path, folder, sizeof folder) || statvfs(there ? path : folder, &room) != 0 ||
        (!there && stat(folder, &is) != 0))
        return false;
    *disk = is.st_dev;
    *bytes = (double)room.f_bavail * (double)room.f_frsize + (there ? (double)is.st_size : 0);
    return true;
}

int nt_cli_places_check_room(const nt_cli_places *places, const nt_cli_plan *plan,
                             const nt_cli_sens *sens)
{
    double rows = nt_cli_plan_rows(plan);
    for (int i = 0; i < places->n; i++) {
        dev_t disk, other;
        double room, needed = 0, ignored;
        if (!find_disk(places->files[i].path, &disk, &room))
            continue;
        for (int j = 0; j < places->n; j++) {
            bool netcdf = places->files[j].format == NT_NETCDF;
            if (find_disk(places->files[j].path, &other, &ignored) && other == disk)
                needed += rows * numbers_of_row(plan, sens, netcdf) *
                          (netcdf ? NETCDF_NUMBER : CSV_NUMBER);
        }
        if (needed <= room)
            continue;
        return nt_cli_refuse(plan, "output.every",
                             "%.3g rows take about %.3g bytes, the disk of '%s' has %.3g free: "
                             "expected fewer rows, another place, or --no-limit",
                             rows, needed, places->files[i].path, room);
    }
    return NT_EXIT_DONE;
}

bool nt_cli_write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}
