/* Tables that analyses write: rows of numbers into the files of -o, drawings beside. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int nt_cli_table_files(nt_cli_table *table, const nt_cli_options *options, const char *ending)
{
    *table = (nt_cli_table){0};
    table->files = calloc((size_t)options->n_outputs + 1, sizeof *table->files);
    if (!table->files)
        return nt_cli_no_memory();
    if (options->n_outputs == 0 && options->check)
        return NT_EXIT_DONE; /* a comparison alone */
    if (options->n_outputs == 0) {
        table->made = nt_cli_default_result(options->name, ending, &table->elsewhere);
        if (!table->made)
            return nt_cli_no_memory();
        table->files[table->n_files++] = (nt_result_file){table->made, NT_CSV};
        return nt_cli_check_place(table->made);
    }
    for (int i = 0; i < options->n_outputs; i++) {
        const char *path = options->outputs[i];
        if (nt_cli_would_overwrite(path, options->name)) {
            nt_cli_say("-o: '%s' is the model itself", path);
            return NT_EXIT_USAGE;
        }
        if (nt_cli_ends_with(path, ".svg")) {
            if (table->drawing) {
                nt_cli_say("-o: expected one drawing, got '%s' and '%s'", table->drawing, path);
                return NT_EXIT_USAGE;
            }
            table->drawing = path;
            continue;
        }
        int status = nt_cli_check_result_name(path);
        if (status != NT_EXIT_DONE)
            return status;
        table->files[table->n_files++] = (nt_result_file){path, nt_cli_format_of(path)};
    }
    int status = NT_EXIT_DONE;
    for (int i = 0; i < options->n_outputs && status == NT_EXIT_DONE; i++)
        status = nt_cli_check_place(options->outputs[i]);
    return status;
}

/* Texts are copied; false when memory is out. */
bool nt_cli_table_column(nt_cli_table *table, const char *name, const char *unit,
                         const char *meaning)
{
    size_t count = (size_t)table->n_columns + 1;
    nt_result_column *columns = realloc(table->columns, count * sizeof *columns);
    table->columns = columns ? columns : table->columns;
    char **texts = columns ? realloc(table->texts, 3 * count * sizeof *texts) : NULL;
    if (!texts)
        return false;
    table->texts = texts;
    texts += 3 * table->n_columns;
    texts[0] = strdup(name), texts[1] = strdup(unit), texts[2] = strdup(meaning);
    columns[table->n_columns++] = (nt_result_column){texts[0], texts[1], texts[2]};
    return texts[0] && texts[1] && texts[2];
}

int nt_cli_provenance(const nt_model *model, const char *path, const char *history,
                      nt_result_attribute attributes[NT_CLI_PROVENANCE])
{
    size_t length;
    const char *text = nt_model_text(model, &length), *title = nt_model_title(model);
    const char *file = nt_cli_base_name(path);
    const nt_result_attribute all[NT_CLI_PROVENANCE] = {
        {"title", title ? title : "", title ? strlen(title) : 0},
        {"source", "nutate", strlen("nutate")},
        {"result_version", "1", 1},
        {"nutate_version", nt_version(), strlen(nt_version())},
        {"model", text, length},
        {"model_file", file, strlen(file)},
        {"history", history, history ? strlen(history) : 0},
    };
    memcpy(attributes, all, sizeof all);
    return history ? NT_CLI_PROVENANCE : NT_CLI_PROVENANCE - 1;
}

int nt_cli_table_begin(nt_cli_table *table, const nt_model *model, const char *path,
                       const char *command)
{
    nt_result_attribute attributes[NT_CLI_PROVENANCE];
    int n = nt_cli_provenance(model, path, command, attributes);
    nt_result_setup setup = {.files = table->files,
                             .n_files = table->n_files,
                             .columns = table->columns,
                             .n_columns = table->n_columns,
                             .arrays = table->arrays,
                             .n_arrays = table->n_arrays,
                             .attributes = attributes,
                             .n_attributes = n};
    nt_error error = {0};
    table->path = path;
    if (table->n_files == 0)
        return NT_EXIT_DONE;
    return nt_result_create(&table->writer, &setup, &error) == NT_OK
               ? NT_EXIT_DONE
               : nt_cli_fail(table->files[0].path, &error);
}

int nt_cli_table_row(nt_cli_table *table, const double *values)
{
    nt_error error = {0};
    for (int i = 0; i < table->n_columns; i++)
        if (!isfinite(values[i])) {
            nt_cli_say("%s: %s is not finite where %s is %.9g", table->path, table->columns[i].name,
                       table->columns[0].name, values[0]);
            return NT_EXIT_FAILED;
        }
    if (!table->writer || nt_result_write(table->writer, values, &error) == NT_OK)
        return NT_EXIT_DONE;
    return nt_cli_fail(table->files[0].path, &error);
}

int nt_cli_table_end(nt_cli_table *table)
{
    nt_error error = {0};
    nt_result_writer *writer = table->writer;
    table->writer = NULL;
    if (!writer || nt_result_finish(writer, &error) == NT_OK)
        return NT_EXIT_DONE;
    return nt_cli_fail(table->files[0].path, &error);
}

void nt_cli_table_free(nt_cli_table *table)
{
    nt_result_finish(table->writer, NULL);
    for (int i = 0; i < 3 * table->n_columns; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->columns);
    free(table->files);
    free(table->made);
}
