/* A page that shows results: the page's own file with the results put in where it says so. */
#include "base/error.h"
#include "base/file.h"
#include "output/report_pack.h"
#include "output/report_result.h"

#include <nutate/output.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MARK[] = "<!--results-->";
static const size_t MOST_OF_PAGE = 64u << 20; /* bytes of the page's own file */

/* Tables that may stand beside a result. */
static const char *const tables[] = {"path", "modes", "plan", "multipliers"};
enum { TABLES = sizeof tables / sizeof tables[0], MOST_OF_EVENTS = 4 << 20 /* bytes */ };

/* The path of the table of events, to be freed: run.events.csv of run.nc and run.csv. */
static char *events_beside(const char *path)
{
    static const char ending[] = ".events.csv";
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *text = malloc(stem + sizeof ending);
    if (text) {
        memcpy(text, path, stem);
        memcpy(text + stem, ending, sizeof ending);
    }
    return text;
}

/* The table of events as the text that it is, for it holds names: whole lines, as many as a page
 * takes. */
static nt_status put_events(FILE *to, const nt_report_part *part, nt_error *error)
{
    char *path = events_beside(part->path), *text = malloc(MOST_OF_EVENTS);
    nt_status status = path && text ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    FILE *from = status == NT_OK ? fopen(path, "rb") : NULL;
    if (from) {
        size_t length = fread(text, 1, MOST_OF_EVENTS, from);
        bool whole = length < MOST_OF_EVENTS && !ferror(from);
        fclose(from);
        while (length > 0 && text[length - 1] != '\n')
            length--;
        fprintf(to,
                "<script type=\"application/json\" class=\"events\">{\"number\":%d,\"whole\":%s,"
                "\"text\":",
                part->number, whole ? "true" : "false");
        nt_page_text(to, text, length);
        fputs("}</script>\n", to);
    }
    free(path);
    free(text);
    return status;
}

static nt_status put_beside(FILE *to, const nt_report_part *part, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < TABLES && status == NT_OK; i++) {
        char *path = nt_result_beside(part->path, tables[i]);
        nt_result *table = NULL;
        if (!path)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        if (access(path, F_OK) == 0) {
            const nt_report_part beside = {
                .path = path, .table = tables[i], .number = part->number};
            status = nt_result_open(&table, path, error);
            if (status == NT_OK)
                status = nt_report_put(to, table, &beside, error);
        }
        nt_result_close(table);
        free(path);
    }
    return status;
}

static nt_status put_results(FILE *to, const nt_report_setup *setup, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < setup->n_results && status == NT_OK; i++) {
        nt_result *result = NULL;
        const nt_report_part part = {.path = setup->results[i],
                                     .number = i,
                                     .account = i == 0 ? setup->account : NULL,
                                     .most_rows = setup->most_rows};
        status = nt_result_open(&result, part.path, error);
        if (status == NT_OK)
            status = nt_report_put(to, result, &part, error);
        if (status == NT_OK)
            status = put_beside(to, &part, error);
        if (status == NT_OK)
            status = put_events(to, &part, error);
        nt_result_close(result);
    }
    return status;
}

/* The whole page into a file beside its place, which then takes the place: a page is there whole,
 * or not at all. */
static nt_status write_page(const nt_report_setup *setup, const char *text, size_t length,
                            const char *part, nt_error *error)
{
    const char *mark = strstr(text, MARK);
    if (!mark)
        return nt_fail_at(error, NT_IO, setup->page, 0, 0,
                          "is not the page's own file: it has no place for results");
    FILE *to = fopen(part, "wb");
    if (!to)
        return nt_fail_at(error, NT_IO, setup->path, 0, 0, "cannot be written: %s",
                          strerror(errno));
    size_t before = (size_t)(mark - text), after = length - before - strlen(MARK);
    fwrite(text, 1, before, to);
    nt_status status = put_results(to, setup, error);
    fwrite(mark + strlen(MARK), 1, after, to);
    bool failed = ferror(to);
    failed = fclose(to) != 0 || failed;
    if (status == NT_OK && failed)
        status =
            nt_fail_at(error, NT_IO, setup->path, 0, 0, "cannot be written: %s", strerror(errno));
    if (status == NT_OK && rename(part, setup->path) != 0)
        status =
            nt_fail_at(error, NT_IO, setup->path, 0, 0, "cannot be written: %s", strerror(errno));
    if (status != NT_OK)
        remove(part);
    return status;
}

nt_status nt_report_write(const nt_report_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.path setup.page setup.results", setup->path, setup->page, setup->results);
    char *text = NULL, *part = malloc(strlen(setup->path) + sizeof ".part");
    size_t length = 0;
    nt_status status = part ? nt_file_read(setup->page, MOST_OF_PAGE, &text, &length, error)
                            : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK) {
        size_t size = strlen(setup->path);
        memcpy(part, setup->path, size);
        memcpy(part + size, ".part", sizeof ".part");
        status = write_page(setup, text, length, part, error);
    }
    free(part);
    free(text);
    return nt_said(error, status);
}
