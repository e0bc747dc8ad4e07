/* Tables: files of numbers, and the functions through them. */
#include "input/reader.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* The sheet in a file beside the model, read once. */
static nt_table_file *table_file(nt_reader *reader, const char *path, int length, bool map,
                                 nt_error *error)
{
    nt_model *model = reader->model;
    nt_table_file *file = model->table_files;
    while (file && !(file->map == map && strlen(file->name) == (size_t)length &&
                     memcmp(file->name, path, (size_t)length) == 0))
        file = file->next;
    if (file)
        return file;
    file = NT_TAKE(&model->arena, 1, nt_table_file);
    if (!file || !(file->name = nt_arena_text(&model->arena, path, (size_t)length))) {
        nt_fail(error, NT_NO_MEMORY, "out of memory");
        return NULL;
    }
    file->map = map;
    if (nt_table_sheet_read(file->name, reader->beside, map, &model->arena, &file->sheet, error) !=
        NT_OK)
        return NULL;
    file->next = model->table_files;
    model->table_files = file;
    return file;
}

/* A function of the form; of several columns the expression that uses it names one. */
static nt_status make_table(nt_reader *reader, const nt_table_sheet *sheet,
                            const nt_table_form *form, const nt_table **table, nt_error *error)
{
    nt_table *several;
    if (sheet->columns == 2 || sheet->across)
        return nt_table_make(sheet, 1, form, &reader->model->arena, table, error);
    several = NT_TAKE(&reader->model->arena, 1, nt_table);
    if (!several)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    *several = (nt_table){.form = *form, .sheet = sheet, .file = sheet->file};
    *table = several;
    return NT_OK;
}

const nt_table *nt_read_table_file(nt_reader *reader, const char *path, int length, nt_error *error)
{
    static const nt_table_form form = {.interpolation = NT_MONOTONE};
    nt_table_file *file = table_file(reader, path, length, false, error);
    if (file && !file->table)
        make_table(reader, file->sheet, &form, &file->table, error);
    return file ? file->table : NULL;
}

/* What is wrong inside a table has its place there; a file that cannot be read is a fault of the
 * model, at the name of the file. */
static nt_status table_fail(nt_reader *reader, const nt_node *name, const nt_node *file,
                            const nt_error *error)
{
    char got[NT_WORDS];
    if (error->line > 0 || error->status == NT_NO_MEMORY) {
        *reader->error = *error;
        return error->status;
    }
    nt_node_fail(reader->error, file, "table '%s': file %s %.300s", name->text,
                 nt_read_words(file, got, sizeof got), error->message);
    if (error->status == NT_IO) /* the model is right */
        reader->error->status = NT_IO;
    return reader->error->status;
}

static nt_status check_form(nt_reader *reader, const nt_node *name, const nt_node *value,
                            const nt_table_data *data)
{
    const nt_node *ends = nt_node_find(value, "ends");
    if (ends && data->form.interpolation != NT_SPLINE)
        return nt_node_fail(reader->error, ends, "table '%s': ends belong to interpolation: spline",
                            name->text);
    return NT_OK;
}

static nt_status read_table(nt_reader *reader, const nt_node *name, const nt_node *value)
{
    char got[NT_WORDS], what[NT_WORDS];
    nt_error error = {0};
    nt_table_data data = {0};
    const nt_node *path = value;
    const nt_table *table = NULL;
    nt_status status = NT_OK;
    const char *fault = nt_name_fault(name->text, name->length, false);
    if (fault)
        return nt_node_fail(reader->error, name, "table name %s %s",
                            nt_read_words(name, got, sizeof got), fault);
    if (value->kind == NT_NODE_MAPPING) {
        snprintf(what, sizeof what, "table '%.60s'", name->text);
        status =
            nt_read_keys(reader, nt_table_keys, name, value, what, NT_SCOPE_LOAD, false, &data);
        if (status == NT_OK)
            status = check_form(reader, name, value, &data);
        if (status != NT_OK)
            return status;
        path = nt_node_find(value, "file");
    } else if (value->kind != NT_NODE_SCALAR || nt_node_is_empty(value)) {
        return nt_node_fail(reader->error, value, "table '%s': expected a file name, got %s",
                            name->text, nt_read_words(value, got, sizeof got));
    }
    nt_table_file *file = table_file(reader, path->text, path->length, data.map, &error);
    if (file)
        status = make_table(reader, file->sheet, &data.form, &table, &error);
    if (!file || status != NT_OK)
        return table_fail(reader, name, path, &error);
    reader->table[reader->tables.n] = table;
    nt_names_add(&reader->tables, (nt_name){.text = name->text,
                                            .kind = NT_NAME_TABLE,
                                            .index = reader->tables.n,
                                            .place = nt_read_place(reader, name)});
    return NT_OK;
}

nt_status nt_read_tables(nt_reader *reader, const nt_node *section)
{
    nt_status status = nt_read_check_section(reader, "tables", section);
    if (status != NT_OK)
        return status;
    reader->table = NT_TAKE(&reader->scratch, section->count, const nt_table *);
    if (!nt_names_init(&reader->tables, section->count, &reader->scratch) || !reader->table)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count && status == NT_OK; i++)
        status = read_table(reader, section->keys[i], section->values[i]);
    return status;
}
