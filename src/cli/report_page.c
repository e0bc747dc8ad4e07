/* nutate report: pages and drawings that show results; and those of a run. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };
static const char PAGE[] = "share/nutate/report.html";

bool nt_cli_is_page(const char *path) { return nt_cli_ends_with(path, ".html"); }

bool nt_cli_is_shown(const char *path)
{
    return nt_cli_is_page(path) || nt_cli_ends_with(path, ".glb") || nt_cli_ends_with(path, ".pvd");
}

/* ---- the page's own file -------------------------------------------------------------------- */

/* In $NUTATE_SHARE, beside the command, or where both are installed. */
int nt_cli_page_find(char *path, size_t size)
{
    static const char *const beside[] = {"", "../"};
    const char *given = getenv("NUTATE_SHARE");
    if (given && *given) {
        snprintf(path, size, "%s/report.html", given);
        if (access(path, R_OK) == 0)
            return NT_EXIT_DONE;
        nt_cli_say("%s: cannot be read: %s (NUTATE_SHARE names the folder)", path, strerror(errno));
        return NT_EXIT_IO;
    }
    char here[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    here[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(here, '/');
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; i < 2 && slash; i++) {
        snprintf(path, size, "%s%s%s", here, beside[i], PAGE);
        if (access(path, R_OK) == 0)
            return NT_EXIT_DONE;
    }
    nt_cli_say("%s is not there: the page of reports is made where node and npm are installed "
               "(Debian's nodejs and npm; then build again), or set NUTATE_SHARE to its folder",
               PAGE);
    return NT_EXIT_IO;
}

/* glTF or VTK. */
static int write_drawing(const char *path, const char *from, long most_rows, bool quiet)
{
    nt_result *result;
    nt_error error = {0};
    char remark[300];
    if (nt_result_open(&result, from, &error) != NT_OK)
        return nt_cli_fail(from, &error);
    nt_drawing_format format = nt_cli_ends_with(path, ".glb") ? NT_GLTF : NT_VTK;
    nt_status status =
        nt_result_draw(result, path, format, most_rows, remark, sizeof remark, &error);
    nt_result_close(result);
    if (status != NT_OK)
        return nt_cli_fail(status == NT_IO ? path : from, &error);
    if (*remark && !quiet)
        nt_cli_say("%s shows %s", path, remark);
    return NT_EXIT_DONE;
}

int nt_cli_page_write(const char *path, const char *const *results, int n, const char *account,
                      long most_rows, bool quiet)
{
    char page[PATH_SIZE];
    nt_error error = {0};
    if (!nt_cli_is_page(path))
        return write_drawing(path, results[0], most_rows, quiet);
    int status = nt_cli_page_find(page, sizeof page);
    if (status != NT_EXIT_DONE)
        return status;
    const nt_report_setup setup = {.path = path,
                                   .page = page,
                                   .results = results,
                                   .n_results = n,
                                   .account = account,
                                   .most_rows = most_rows};
    return nt_report_write(&setup, &error) == NT_OK ? NT_EXIT_DONE : nt_cli_fail(path, &error);
}

/* ---- the command ---------------------------------------------------------------------------- */

/* The poses of its bodies; without names where it has none. */
static nt_result_array bodies_of(const nt_result *result)
{
    nt_result_array array = {0};
    for (int i = 0; i < nt_result_array_count(result); i++) {
        array = nt_result_array_at(result, i);
        if (strcmp(array.name, "bodies.position") == 0)
            return array;
    }
    array.item_names = NULL;
    return array;
}

bool nt_cli_same_bodies(const nt_result *a, const nt_result *b)
{
    nt_result_array x = bodies_of(a), y = bodies_of(b);
    if (!x.item_names || !y.item_names)
        return true; /* nothing is known of one of them */
    bool same = x.items == y.items;
    for (int i = 0; i < x.items && same; i++)
        same = strcmp(x.item_names[i], y.item_names[i]) == 0;
    return same;
}

static nt_status read_all(const char *path, nt_error *error)
{
    enum { AT_ONCE = 256 };
    nt_result *table = NULL;
    nt_status status = nt_result_open(&table, path, error);
    long rows = status == NT_OK ? nt_result_rows(table) : 0;
    double *values =
        rows > 0 ? malloc(AT_ONCE * sizeof *values * (size_t)nt_result_column_count(table)) : NULL;
    if (rows > 0 && !values)
        *error = (nt_error){.status = status = NT_NO_MEMORY, .message = "out of memory"};
    for (long i = 0; i < rows && status == NT_OK; i += AT_ONCE)
        status = nt_result_read(table, i, rows - i < AT_ONCE ? rows - i : AT_ONCE, values, error);
    free(values);
    nt_result_close(table);
    return status;
}

/* Tables beside a result that cannot be read are said: the page then shows the result alone. */
static int check_tables(const char *path)
{
    static const char *const tables[] = {"path", "modes", "plan", "multipliers", "events"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *beside = nt_result_beside(path, tables[i]);
        nt_error error = {0};
        char text[sizeof error.file + sizeof error.message + 64];
        if (!beside)
            return nt_cli_no_memory();
        nt_status status = access(beside, F_OK) == 0 ? read_all(beside, &error) : NT_OK;
        if (status != NT_OK && status != NT_NO_MEMORY) {
            nt_error_text(&error, text, (int)sizeof text);
            nt_cli_say("warning: %s%s%s; it is not shown", error.file[0] ? "" : beside,
                       error.file[0] ? "" : ": ", text);
        }
        free(beside);
        if (status == NT_NO_MEMORY)
            return nt_cli_no_memory();
    }
    return NT_EXIT_DONE;
}

/* Results can be read; those of other mechanisms than the first one's are named. */
static int check_results(const nt_cli_options *options)
{
    nt_result *first = NULL;
    nt_error error = {0};
    int status = NT_EXIT_DONE;
    for (int i = 0; i < options->n_names && status == NT_EXIT_DONE; i++) {
        nt_result *result = NULL;
        const char *path = options->names[i];
        if (nt_result_open(&result, path, &error) != NT_OK)
            status = nt_cli_fail(path, &error);
        else if (nt_result_rows(result) == 0) {
            nt_cli_say("%s: has no rows", path);
            status = NT_EXIT_USAGE;
        } else if (first && !nt_cli_same_bodies(first, result) && !options->quiet)
            nt_cli_say("warning: %s and %s are of different mechanisms: their bodies differ, only "
                       "columns of the same name are compared",
                       options->names[0], path);
        if (status == NT_EXIT_DONE && !options->quiet)
            status = check_tables(path);
        if (i == 0)
            first = result;
        else
            nt_result_close(result);
    }
    nt_result_close(first);
    return status;
}

static int check_pages(const nt_cli_options *options)
{
    if (options->n_outputs == 0) {
        nt_cli_say("report needs -o FILE.html, FILE.glb or FILE.pvd (nutate report --help)");
        return NT_EXIT_USAGE;
    }
    for (int i = 0; i < options->n_outputs; i++) {
        const char *path = options->outputs[i];
        if (!nt_cli_is_shown(path)) {
            nt_cli_say("-o: expected a name that ends in .html, .glb or .pvd, got '%s'", path);
            return NT_EXIT_USAGE;
        }
        if (!nt_cli_is_page(path) && options->n_names > 1) {
            nt_cli_say("-o: '%s' shows one result, got %d (a page shows several)", path,
                       options->n_names);
            return NT_EXIT_USAGE;
        }
        for (int k = 0; k < options->n_names; k++)
            if (nt_cli_would_overwrite(path, options->names[k])) {
                nt_cli_say("-o: '%s' is a result that is read", path);
                return NT_EXIT_USAGE;
            }
        int status = nt_cli_check_place(path);
        if (status != NT_EXIT_DONE)
            return status;
    }
    return NT_EXIT_DONE;
}

int nt_cli_report(const nt_cli_options *options)
{
    int status = check_pages(options);
    if (status == NT_EXIT_DONE)
        status = check_results(options);
    for (int i = 0; i < options->n_outputs && status == NT_EXIT_DONE; i++)
        status = nt_cli_page_write(options->outputs[i], options->names, options->n_names, NULL,
                                   options->frames, options->quiet);
    return status;
}
