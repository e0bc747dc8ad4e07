/* The digest of a sweep: of all that decides its rows' numbers, but the values of each row. Files
 * that the model reads, and libraries that it is made with, are part of it by what they hold. */
#include "base/error.h"
#include "base/file.h"
#include "base/memstream.h"
#include "sweep/sweep.h"

#include <nutate/element.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 30 };

/* A line "WHAT DIGEST" for the bytes of a file. */
static nt_status digest_file(FILE *to, const char *what, const char *path, nt_error *error)
{
    char digest[NT_DIGEST_ROOM], *bytes;
    size_t length;
    nt_status status = nt_file_read(path, MOST_FILE_BYTES, &bytes, &length, error);
    if (status != NT_OK)
        return status;
    nt_digest(bytes, length, digest);
    fprintf(to, "%s %s\n", what, digest);
    free(bytes);
    return NT_OK;
}

static nt_status digest_tables(FILE *to, const nt_model *model, nt_error *error)
{
    const char *table;
    nt_status status = NT_OK;
    for (int i = 0; (table = nt_model_table_file(model, i)) != NULL && status == NT_OK; i++)
        status = digest_file(to, "table", table, error);
    return status;
}

/* The tables that a value of the plan brings. One that makes no model is a row that fails. */
static nt_status digest_setting(const nt_sweep *s, FILE *to, const nt_setting *setting,
                                nt_error *error)
{
    nt_model *model = NULL;
    nt_error of_value = {0};
    if (strncmp(setting->key, "tables", 6) != 0 && !strstr(setting->value, "table"))
        return NT_OK;
    nt_status status = nt_sweep_read_with(s, setting, 1, &model, &of_value);
    if (status == NT_OK)
        status = digest_tables(to, model, error);
    else if (status == NT_NO_MEMORY)
        *error = of_value;
    else
        status = NT_OK;
    nt_model_destroy(model);
    return status;
}

/* The digest of everything that varies, or differs between load cases. */
static nt_status digest_values(const nt_sweep *s, FILE *to, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < s->n_axes; i++)
        for (int k = 0; k < s->axes[i].n && !s->axes[i].numbers && status == NT_OK; k++) {
            const nt_setting setting = {s->axes[i].key, s->axes[i].text[k]};
            if (setting.value && !s->axes[i].method)
                status = digest_setting(s, to, &setting, error);
        }
    for (int i = 0; i < s->n_cases; i++)
        for (int k = 0; k < s->cases[i].n && status == NT_OK; k++)
            status = digest_setting(s, to, &s->cases[i].settings[k], error);
    return status;
}

/* Everything besides the values of a row that decides its numbers. */
nt_status nt_sweep_digest(nt_sweep *s, nt_error *error)
{
    char *text = NULL;
    size_t length, size = 0;
    const char *plugin, *model = nt_model_text(s->model, &length);
    nt_digest(model, length, s->model_digest);
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    fprintf(to, "nutate %s\nmodel %s\nthin %ld\n", nt_version(), s->model_digest, s->thin);
    for (int i = 0; i < s->n_settings; i++)
        fprintf(to, "set %s: %s\n", s->settings[i].key, s->settings[i].value);
    nt_status status = digest_tables(to, s->model, error);
    if (status == NT_OK)
        status = digest_values(s, to, error);
    for (int i = 0; status == NT_OK && (plugin = nt_plugin_file(i)) != NULL; i++)
        status = digest_file(to, "plugin", plugin, error);
    for (int i = 0; i < s->n_columns; i++)
        fprintf(to, "column %s\n", s->columns[i].name);
    for (int i = 0; i < s->series_columns; i++)
        fprintf(to, "series %s\n", s->series[i].name);
    if (!nt_memstream_end(to, &text) && status == NT_OK)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        nt_digest(text, size, s->base);
    free(text);
    return status;
}
