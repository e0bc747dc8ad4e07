/* Sheets of numbers: filled by experiments, printed as tables, written as data files. */
#include "papers/papers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reports -------------------------------------------------------------------------------- */

bool nt_paper_report_ok(const nt_paper_report *report) { return report->error.status == NT_OK; }

void nt_paper_report_fail(nt_paper_report *report, const nt_error *error, const char *where)
{
    if (!nt_paper_report_ok(report))
        return;
    report->error = *error;
    snprintf(report->error.message, sizeof report->error.message, "%s: %.600s", where,
             error->message);
}

static void out_of_memory(nt_paper_report *report)
{
    nt_error error = {.status = NT_NO_MEMORY};
    snprintf(error.message, sizeof error.message, "out of memory");
    nt_paper_report_fail(report, &error, "report");
}

void nt_paper_report_free(nt_paper_report *report)
{
    for (int i = 0; i < report->sheets; i++) {
        free(report->sheet[i]->value);
        free(report->sheet[i]->label);
        free(report->sheet[i]);
    }
    report->sheets = 0;
}

const nt_sheet *nt_paper_report_find(const nt_paper_report *report, const char *name)
{
    for (int i = 0; i < report->sheets; i++)
        if (strcmp(report->sheet[i]->name, name) == 0)
            return report->sheet[i];
    return NULL;
}

/* ---- sheets --------------------------------------------------------------------------------- */

nt_sheet *nt_sheet_add(nt_paper_report *report, const char *name, const char *title,
                       const nt_sheet_column *columns)
{
    nt_sheet *sheet = NULL;
    if (nt_paper_report_ok(report) && report->sheets < NT_PAPER_SHEETS)
        sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        out_of_memory(report);
        return NULL;
    }
    sheet->name = name;
    sheet->title = title;
    while (sheet->columns < NT_SHEET_COLUMNS && columns[sheet->columns].name) {
        sheet->column[sheet->columns] = columns[sheet->columns];
        sheet->columns++;
    }
    report->sheet[report->sheets++] = sheet;
    return sheet;
}

static bool make_room(nt_sheet *sheet)
{
    if (sheet->rows < sheet->room)
        return true;
    int room = 2 * sheet->room + 16;
    double *value =
        realloc(sheet->value, (size_t)room * (size_t)sheet->columns * sizeof *sheet->value);
    if (value)
        sheet->value = value;
    char(*label)[NT_SHEET_LABEL] = realloc(sheet->label, (size_t)room * sizeof *sheet->label);
    if (label)
        sheet->label = label;
    if (value && label)
        sheet->room = room;
    return value && label;
}

void nt_sheet_row(nt_paper_report *report, nt_sheet *sheet, const char *label, const double *values)
{
    if (!nt_paper_report_ok(report) || !sheet)
        return;
    if (!make_room(sheet)) {
        out_of_memory(report);
        return;
    }
    size_t columns = (size_t)sheet->columns;
    memcpy(sheet->value + (size_t)sheet->rows * columns, values, columns * sizeof *values);
    snprintf(sheet->label[sheet->rows], sizeof *sheet->label, "%s", label ? label : "");
    sheet->labelled = sheet->labelled || label;
    sheet->rows++;
}

int nt_sheet_find(const nt_sheet *sheet, const char *column)
{
    for (int i = 0; i < sheet->columns; i++)
        if (strcmp(sheet->column[i].name, column) == 0)
            return i;
    return -1;
}

double nt_sheet_at(const nt_sheet *sheet, int row, const char *column)
{
    int i = sheet ? nt_sheet_find(sheet, column) : -1;
    if (i < 0 || row < 0 || row >= sheet->rows)
        return (double)NAN;
    return sheet->value[(size_t)row * (size_t)sheet->columns + (size_t)i];
}

/* ---- printing ------------------------------------------------------------------------------- */

enum { CELL = 40 };

/* Five digits: what a reader compares; the data file has all. */
static void format_cell(double value, char text[CELL])
{
    if (isnan(value))
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, "%.5g", value);
}

static void format_head(const nt_sheet_column *column, char text[CELL])
{
    if (column->unit && *column->unit)
        snprintf(text, CELL, "%s [%s]", column->name, column->unit);
    else
        snprintf(text, CELL, "%s", column->name);
}

static int width_of(const nt_sheet *sheet, int column)
{
    char text[CELL];
    format_head(&sheet->column[column], text);
    int width = (int)strlen(text);
    for (int i = 0; i < sheet->rows; i++) {
        format_cell(sheet->value[i * sheet->columns + column], text);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return width;
}

void nt_sheet_print(const nt_sheet *sheet, FILE *to)
{
    char text[CELL];
    int width[NT_SHEET_COLUMNS], label = 0;
    for (int i = 0; i < sheet->rows; i++)
        label = (int)strlen(sheet->label[i]) > label ? (int)strlen(sheet->label[i]) : label;
    fprintf(to, "%s\n\n  %-*s", sheet->title, label, "");
    for (int j = 0; j < sheet->columns; j++) {
        width[j] = width_of(sheet, j);
        format_head(&sheet->column[j], text);
        fprintf(to, "%s%*s", j || label ? "  " : "", width[j], text);
    }
    fputc('\n', to);
    for (int i = 0; i < sheet->rows; i++) {
        fprintf(to, "  %-*s", label, sheet->label[i]);
        for (int j = 0; j < sheet->columns; j++) {
            format_cell(sheet->value[i * sheet->columns + j], text);
            fprintf(to, "%s%*s", j || label ? "  " : "", width[j], text);
        }
        fputc('\n', to);
    }
    if (sheet->remark)
        fprintf(to, "\n%s\n", sheet->remark);
    fputc('\n', to);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_rows(const nt_sheet *sheet, FILE *to)
{
    char text[CELL];
    fprintf(to, "# %s\n# by nutate %s\n#", sheet->title, nt_version());
    if (sheet->labelled)
        fputs(" (label)", to);
    for (int j = 0; j < sheet->columns; j++) {
        format_head(&sheet->column[j], text);
        fprintf(to, "%s%d:%s", j || sheet->labelled ? ", " : " ", j + 1 + sheet->labelled, text);
    }
    fputc('\n', to);
    for (int i = 0; i < sheet->rows; i++) {
        if (sheet->labelled)
            fprintf(to, "\"%s\" ", sheet->label[i]);
        for (int j = 0; j < sheet->columns; j++)
            fprintf(to, "%s%.17g", j ? " " : "", sheet->value[i * sheet->columns + j]);
        fputc('\n', to);
    }
}

nt_status nt_sheet_write(const nt_sheet *sheet, const char *folder, nt_error *error)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s.dat", folder, sheet->name);
    FILE *file = length < (int)sizeof path ? fopen(path, "w") : NULL;
    bool written = file != NULL;
    if (file) {
        write_rows(sheet, file);
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (written)
        return NT_OK;
    *error = (nt_error){.status = NT_IO};
    snprintf(error->message, sizeof error->message, "%.400s cannot be written: %s", path,
             strerror(errno));
    return NT_IO;
}
