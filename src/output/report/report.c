/* A page that shows results: the page's own file with the results put in where it says so. */
#include "base/error.h"
#include "base/file.h"
#include "base/memstream.h"
#include "output/format.h"
#include "output/report/report_pack.h"
#include "output/report/report_result.h"

#include <nutate/output.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MARK[] = "<!--results-->";
static const size_t MOST_OF_PAGE = 64u << 20; /* bytes of the page's own file */

/* Tables that may stand beside a result. */
static const char *const tables[] = {"path", "modes", "plan", "multipliers", "events"};
enum { TABLES = sizeof tables / sizeof tables[0], MOST_OF_EVENTS = 4 << 20 /* bytes */ };

/* The table of events as text, with the names that its numbers stand for: as many rows as a page
 * takes. */
static nt_status put_events_text(FILE *to, nt_result *events, int number, nt_error *error)
{
    int columns = nt_result_column_count(events);
    long rows = nt_result_rows(events), i = 0;
    double *row = calloc((size_t)columns, sizeof *row);
    nt_bytes text = {0};
    nt_decimal decimal;
    nt_decimal_init(&decimal);
    for (int k = 0; k < columns; k++) {
        const char *name = nt_result_column_at(events, k).name;
        nt_bytes_put(&text, name, strlen(name));
        nt_bytes_put(&text, k + 1 < columns ? "," : "\n", 1);
    }
    nt_status status = row ? NT_OK : NT_NO_MEMORY;
    for (; i < rows && text.used < MOST_OF_EVENTS && status == NT_OK; i++) {
        status = nt_result_read(events, i, 1, row, error);
        for (int k = 0; k < columns && status == NT_OK; k++) {
            char written[NT_DECIMAL_ROOM];
            const char *word = nt_result_text(events, k, row[k]);
            size_t length =
                word ? strlen(word) : (size_t)nt_decimal_write(&decimal, row[k], written);
            nt_bytes_put(&text, word ? word : written, length);
            nt_bytes_put(&text, k + 1 < columns ? "," : "\n", 1);
        }
    }
    if (status == NT_NO_MEMORY || text.failed)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK) {
        fprintf(to,
                "<script type=\"application/json\" class=\"events\">{\"number\":%d,\"whole\":%s,"
                "\"text\":",
                number, i == rows ? "true" : "false");
        nt_page_text(to, text.at, text.used);
        fputs("}</script>\n", to);
    }
    free(row);
    nt_bytes_free(&text);
    return status;
}

/* Says in the page why a table beside the result is not shown. */
static void put_missing(FILE *to, const char *path, int number, const nt_error *error)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char why[sizeof error->message + 64];
    int at = 0;
    if (error->line > 0)
        at = snprintf(why, sizeof why, "line %d, column %d: ", error->line, error->column);
    snprintf(why + at, sizeof why - (size_t)at, "%s", error->message);
    fprintf(to,
            "<script type=\"application/json\" class=\"missing\">{\"number\":%d,\"file\":", number);
    nt_page_text(to, file, strlen(file));
    fputs(",\"why\":", to);
    nt_page_text(to, why, strlen(why));
    fputs("}</script>\n", to);
}

/* A table beside the result: whole, or the reason why it is not shown, for the result is. */
static nt_status put_table(FILE *to, const nt_report_part *table, nt_error *error)
{
    nt_result *result = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *part = open_memstream(&text, &size);
    if (!part)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_result_open(&result, table->path, error);
    if (status == NT_OK && strcmp(table->table, "events") == 0)
        status = put_events_text(part, result, table->number, error);
    else if (status == NT_OK)
        status = nt_report_put(part, result, table, error);
    nt_result_close(result);
    if (!nt_memstream_end(part, &text) && status == NT_OK)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        fwrite(text, 1, size, to);
    else if (status != NT_NO_MEMORY) {
        put_missing(to, table->path, table->number, error);
        nt_error_clear(error);
        status = NT_OK;
    }
    free(text);
    return status;
}

static nt_status put_beside(FILE *to, const nt_report_part *part, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < TABLES && status == NT_OK; i++) {
        char *path = nt_result_beside(part->path, tables[i]);
        if (!path)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        const nt_report_part beside = {.path = path, .table = tables[i], .number = part->number};
        if (access(path, F_OK) == 0)
            status = put_table(to, &beside, error);
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
    NT_NEED_COUNT(error, "setup.n_results", setup->n_results);
    NT_NEED_COUNT(error, "setup.most_rows", setup->most_rows);
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
