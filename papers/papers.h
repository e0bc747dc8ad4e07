/* The papers' tables and figures: what `nutate papers` reruns, and what the tests look at.
 *
 * An experiment is one figure or table: a function that fills sheets of numbers. The command prints
 * and writes them and has them drawn; a test looks at the same numbers. Everything here stands on
 * the library's public interface. */
#ifndef NUTATE_PAPERS_PAPERS_H
#define NUTATE_PAPERS_PAPERS_H

#include <nutate/nutate.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- sheets: sheet.c --------------------------------------------------------------------------
 */

enum { NT_SHEET_COLUMNS = 24, NT_PAPER_SHEETS = 8, NT_SHEET_LABEL = 96 };

typedef struct nt_sheet_column {
    const char *name, *unit; /* "h", "s"; NULL name: the end of a list */
} nt_sheet_column;

/* Rows of numbers; a row may have a label in front. NaN: no value. */
typedef struct nt_sheet {
    const char *name;   /* of its file, without .dat                                  */
    const char *title;  /* one line                                                   */
    const char *remark; /* below the printed table, lines; NULL for none              */
    bool printed;       /* a table to read; else data of a curve, only written        */
    nt_sheet_column column[NT_SHEET_COLUMNS];
    int columns, rows, room;
    double *value;                 /* [rows][columns] */
    char (*label)[NT_SHEET_LABEL]; /* [rows] */
    bool labelled;
} nt_sheet;

/* What an experiment hands back. The first failure stays in `error`; adding to a failed report does
 * nothing. */
typedef struct nt_paper_report {
    const char *folder; /* where the papers' files are */
    nt_sheet *sheet[NT_PAPER_SHEETS];
    int sheets;
    nt_error error;
} nt_paper_report;

bool nt_paper_report_ok(const nt_paper_report *report);
/* Take over a failure; `where` says what was being done. */
void nt_paper_report_fail(nt_paper_report *report, const nt_error *error, const char *where);
void nt_paper_report_free(nt_paper_report *report);
/* NULL where there is none of this name. */
const nt_sheet *nt_paper_report_find(const nt_paper_report *report, const char *name);

/* A new sheet at the end of the report; columns end with a NULL name. Strings are borrowed. NULL on
 * failure. */
nt_sheet *nt_sheet_add(nt_paper_report *report, const char *name, const char *title,
                       const nt_sheet_column *columns);
/* A row at the end: values[columns], copied. label may be NULL. sheet may be NULL. */
void nt_sheet_row(nt_paper_report *report, nt_sheet *sheet, const char *label,
                  const double *values);

/* The number of a column by its name, -1 where there is none. */
int nt_sheet_find(const nt_sheet *sheet, const char *column);
/* A value by row and column name; NaN outside. */
double nt_sheet_at(const nt_sheet *sheet, int row, const char *column);

void nt_sheet_print(const nt_sheet *sheet, FILE *to);
/* FOLDER/NAME.dat: comment lines, then columns with 17 digits. NT_IO and words. */
nt_status nt_sheet_write(const nt_sheet *sheet, const char *folder, nt_error *error);

/* ---- experiments: papers.c ------------------------------------------------------------------- */

typedef struct nt_paper {
    const char *name;     /* also of its folder */
    const char *citation; /* one line */
} nt_paper;

typedef struct nt_experiment {
    const char *paper, *name; /* "krysl", "figure-1" */
    const char *measures;     /* one line */
    bool drawn;               /* papers/PAPER/NAME.gp draws it */
    void (*run)(nt_paper_report *report);
} nt_experiment;

extern const nt_paper nt_papers[];
extern const int nt_papers_count;
extern const nt_experiment nt_experiments[];
extern const int nt_experiments_count;

/* Run one by its names into a report, to be freed in any case. */
nt_status nt_experiment_run(const char *paper, const char *name, const char *folder,
                            nt_paper_report *report);

/* ---- pictures: draw.c ------------------------------------------------------------------------
 */

/* The folder of the papers' files: $NUTATE_PAPERS, else beside the running program. NT_IO and words
 * that say where it was looked for. path[size]. */
nt_status nt_papers_folder(char *path, size_t size, nt_error *error);

/* Put the scripts of an experiment into the folder of its data, so that the picture can be drawn
 * again there, and draw NAME.svg and NAME.png by gnuplot. *missing: gnuplot is not installed,
 * nothing was drawn (NT_OK). */
nt_status nt_papers_draw(const nt_experiment *experiment, const char *papers, const char *folder,
                         bool *missing, nt_error *error);

/* Each paper's experiments. */
void nt_bruls_eberhard_figure_5(nt_paper_report *report);
void nt_bruls_eberhard_figure_6(nt_paper_report *report);
void nt_bruls_eberhard_figure_7(nt_paper_report *report);
void nt_bruls_eberhard_figure_8(nt_paper_report *report);
void nt_bruls_eberhard_tables_2_3(nt_paper_report *report);
void nt_bruls_eberhard_table_4(nt_paper_report *report);
void nt_krysl_figure_1(nt_paper_report *report);
void nt_jay_negrut_figure_1(nt_paper_report *report);
void nt_jay_negrut_figure_2(nt_paper_report *report);
void nt_modin_figure_2(nt_paper_report *report);
void nt_modin_figure_3(nt_paper_report *report);
void nt_modin_figure_4(nt_paper_report *report);
void nt_modin_figure_5(nt_paper_report *report);
void nt_modin_figure_6(nt_paper_report *report);
void nt_modin_own_bearing(nt_paper_report *report);
void nt_modin_accuracy(nt_paper_report *report);
void nt_modin_penalties(nt_paper_report *report);
void nt_modin_elastic(nt_paper_report *report);
void nt_kynema_convergence(nt_paper_report *report);

#endif
