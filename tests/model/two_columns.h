/* Tables of two columns, monotone and held at their ends, from text or a file. */
#ifndef NUTATE_TESTS_TWO_COLUMNS_H
#define NUTATE_TESTS_TWO_COLUMNS_H

#include "base/error.h"
#include "model/expressions/table.h"

static inline nt_status table_of_sheet(const nt_table_sheet *sheet, const char *name,
                                       nt_arena *arena, const nt_table **table, nt_error *error)
{
    static const nt_table_form form = {.interpolation = NT_MONOTONE};
    if (sheet->columns > 2)
        return nt_fail_at(error, NT_BAD_MODEL, name, 1, 1, "%d columns, expected two",
                          sheet->columns);
    return nt_table_make(sheet, 1, &form, arena, table, error);
}

static inline nt_status table_parse(const char *text, size_t length, const char *name,
                                    nt_arena *arena, const nt_table **table, nt_error *error)
{
    const nt_table_sheet *sheet = NULL;
    nt_status status = nt_table_sheet_parse(text, length, name, false, arena, &sheet, error);
    return status == NT_OK ? table_of_sheet(sheet, name, arena, table, error) : status;
}

static inline nt_status table_read(const char *path, const char *beside, nt_arena *arena,
                                   const nt_table **table, nt_error *error)
{
    const nt_table_sheet *sheet = NULL;
    nt_status status = nt_table_sheet_read(path, beside, false, arena, &sheet, error);
    return status == NT_OK ? table_of_sheet(sheet, path, arena, table, error) : status;
}

#endif
