/* What a plan says, and what its files share. */
#ifndef NUTATE_SWEEP_SWEEP_H
#define NUTATE_SWEEP_SWEEP_H

#include "base/arena.h"
#include "input/document/document.h"
#include "output/digest.h"

#include <nutate/sweep.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum nt_axis_kind { NT_AXIS_LIST, NT_AXIS_NORMAL, NT_AXIS_UNIFORM } nt_axis_kind;

/* Something that varies. */
typedef struct nt_axis {
    const char *name; /* as in the plan          */
    const char *key;  /* as a setting of a model */
    const nt_node *node;
    nt_axis_kind kind;
    bool method;         /* the values are names of methods                      */
    bool numbers;        /* all of them are                                      */
    int parameter;       /* its number in the model, -1: the model is read with the value */
    int n;               /* values of a list                                     */
    const char **text;   /* [n] YAML text                                        */
    double *number;      /* [n] where they are numbers, else the place in the list */
    double mean, spread; /* of a distribution: mean and deviation, or middle and half the width */
} nt_axis;

typedef struct nt_load_case {
    const char *name;
    nt_setting *settings; /* [n] */
    int n;
} nt_load_case;

typedef enum nt_design_kind {
    NT_DESIGN_GRID,
    NT_DESIGN_LIST,
    NT_DESIGN_RANDOM,
    NT_DESIGN_LATIN_HYPERCUBE,
    NT_DESIGN_SOBOL
} nt_design_kind;

/* What is kept of each record. */
typedef enum nt_keep_kind {
    NT_KEEP_FINAL,
    NT_KEEP_MINIMUM,
    NT_KEEP_MAXIMUM,
    NT_KEEP_MEAN,
    NT_KEEP_RMS,
    NT_KEEP_SERIES,
    NT_KEEP_KINDS
} nt_keep_kind;
extern const char *const nt_keep_names[NT_KEEP_KINDS];

/* A number of each record's row that is kept, and how. */
typedef struct nt_kept {
    nt_keep_kind kind;
    int column; /* of the record, time is 0 */
} nt_kept;

typedef struct nt_names_list {
    const char **name; /* [n] */
    int n;
} nt_names_list;

struct nt_sweep {
    nt_arena arena;
    nt_document *document, *other; /* the plan; NULL or a list's words */
    const char *path;              /* of the plan, for messages                            */
    char *text;                    /* of the plan, [text_length]                           */
    size_t text_length;
    char *list_text; /* of the list; NULL: none                              */
    size_t list_length;
    const char *list_path, *model_path;

    nt_axis *axes; /* [n_axes] */
    int n_axes;
    nt_load_case *cases; /* [n_cases], 0 or more */
    int n_cases;
    nt_design_kind design;
    bool indices; /* each sample is d + 2 rows, for Sobol indices */
    long samples; /* of each case, rows of a design that is not a grid */
    long rows;    /* all */
    uint64_t seed;

    nt_names_list keep[NT_KEEP_KINDS], objectives;
    const nt_node *keep_node; /* NULL: the records of `output` and all objectives */
    long thin;                /* every so many-th row of a series */

    nt_model *model;      /* NULL: of a folder */
    nt_setting *settings; /* [n_settings] of every row: what is recorded */
    int n_settings;
    nt_kept *kept; /* [n_kept] */
    int n_kept;
    int record_columns; /* of the record, time included */
    int *objective;     /* [n_objectives] numbers in the model */
    int n_objectives;
    int series_columns;
    long series_rows;          /* most that a row has */
    nt_result_column *columns; /* [n_columns] what a row of the table holds, without series */
    int n_columns;
    nt_result_column *series; /* [series_columns], time first */

    char base[NT_DIGEST_ROOM]; /* of all that decides every row's result */
    char plan_digest[NT_DIGEST_ROOM], model_digest[NT_DIGEST_ROOM];
    int lock; /* descriptor, -1: none */
};

/* Numbers that a row keeps: the columns, then the series. */
static inline size_t nt_sweep_numbers(const nt_sweep *s)
{
    return (size_t)s->n_columns + (size_t)s->series_rows * (size_t)s->series_columns;
}

enum { NT_ROW_ID = 16 };

/* ---- plan.c, axes.c: reading ------------------------------------------------------------------
 */

nt_status nt_plan_read(nt_sweep *s, nt_error *error);
nt_status nt_plan_read_axes(nt_sweep *s, const nt_node *vary, nt_error *error);
nt_status nt_plan_read_list(nt_sweep *s, nt_error *error);
/* A value in YAML of one line: what nt_document_set reads as the same. NULL: no memory. */
const char *nt_plan_node_text(nt_sweep *s, const nt_node *node);
/* A node's place and words; NT_BAD_MODEL. */
nt_status nt_plan_unknown_key(const nt_node *key, const char *where, const char *const *known,
                              int n, nt_error *error);

/* ---- columns.c: what rows hold ----------------------------------------------------------------
 */

/* Reads the model, finds what is kept. */
nt_status nt_sweep_find_columns(nt_sweep *s, nt_error *error);
/* The model with the plan's own settings and n others. */
nt_status nt_sweep_read_with(const nt_sweep *s, const nt_setting *settings, int n, nt_model **model,
                             nt_error *error);

/* ---- base.c: what decides rows -----------------------------------------------------------------
 */

/* Sets s->model_digest and s->base, once the columns are known. */
nt_status nt_sweep_digest(nt_sweep *s, nt_error *error);

/* ---- design.c, sobol.c ------------------------------------------------------------------------
 */

enum { NT_SOBOL_MOST = 128 };
/* Coordinate k of point i of Sobol's sequence, a whole number of 2^-32. */
uint32_t nt_sobol(int k, uint32_t i);

/* A value of an axis in a row. */
typedef struct nt_axis_value {
    int place;     /* in the list; -1: of a distribution */
    double number; /* where it is one */
} nt_axis_value;

nt_status nt_design_check(nt_sweep *s, nt_error *error); /* also counts rows */
void nt_design_values(const nt_sweep *s, long row, int *load_case, nt_axis_value *values);
/* The text of a value, into buffer[32] where it is not of a list. */
const char *nt_design_text(const nt_axis *axis, const nt_axis_value *value, char *buffer);

/* ---- worker.c, keep.c: a row ------------------------------------------------------------------
 */

typedef struct nt_worker nt_worker;
nt_status nt_worker_create(nt_worker **worker, const nt_sweep *s, const atomic_int *stop,
                           nt_error *error);
void nt_worker_destroy(nt_worker *worker);
/* Runs a row: numbers[nt_sweep_numbers]. Returns the status of the row, error has its words. */
nt_status nt_worker_run(nt_worker *worker, long row, double *numbers, nt_error *error);
/* A row at the middle of all inputs, which are parameters, with derivatives in each:
 * slopes[n_columns][n_axes], those of times are zero. The worker is of no use for rows then. */
nt_status nt_worker_derive(nt_worker *worker, int load_case, double *numbers, double *slopes,
                           nt_error *error);

typedef struct nt_keeper {
    const nt_sweep *sweep;
    long rows;
    int columns;          /* of the record */
    double *value, *time; /* [n_kept] */
    double *series;       /* [series_rows][series_columns] of the row */
    double *last;         /* [record_columns] */
    int n_slopes;         /* derivatives behind each number of a row */
    double *slope;        /* [n_kept][n_slopes] */
    bool last_kept;       /* in the series */
} nt_keeper;
void nt_keeper_begin(nt_keeper *keeper, double *numbers);
nt_status nt_keeper_row(void *keeper, const double *values, int n);
/* slopes: NULL, or [n_columns][n_slopes]. */
void nt_keeper_end(nt_keeper *keeper, double *numbers, double *slopes);

/* ---- kind.c -----------------------------------------------------------------------------------
 */

/* The kind of this machine: processor level, libm, build; a line. */
void nt_sweep_kind(char *text, int size);

/* ---- journal.c: a process writes --------------------------------------------------------------
 */

typedef struct nt_journal nt_journal;
/* Files are made with the first rows. */
nt_status nt_journal_create(nt_journal **journal, const char *folder, nt_error *error);
/* bytes[size] of n whole rows: on the disk and named when this returns. On failure as before. */
nt_status nt_journal_append(nt_journal *journal, const char *bytes, size_t size, long n,
                            nt_error *error);
void nt_journal_destroy(nt_journal *journal);
/* Every whole row that the journal at a path names. */
typedef struct nt_row nt_row;
typedef nt_status nt_row_visitor(void *context, const nt_row *row, nt_error *error);
nt_status nt_journal_read(const char *path, nt_row_visitor *visit, void *context, long *damaged,
                          nt_error *error);

/* A row as it is written. */
struct nt_row {
    long row;
    unsigned char id[NT_ROW_ID];
    int status;
    long n;
    double seconds;
    const double *numbers; /* [n]; 0 of them where it failed */
    const char *message;   /* "" */
    const char *kind;      /* of the machine, known when read */
};

size_t nt_row_size(const nt_row *row);
void nt_row_put(const nt_row *row, char *bytes);

/* ---- folder.c: all processes are read ----------------------------------------------------------
 */

nt_status nt_sweep_id(const nt_sweep *s, long row, unsigned char id[NT_ROW_ID], nt_error *error);

/* Every whole row of every journal of the folder whose id is that of its number. damaged counts
 * the others that were named; it may be NULL. */
nt_status nt_folder_visit(const nt_sweep *s, const char *folder, nt_row_visitor *visit,
                          void *context, long *damaged, nt_error *error);
/* Visits rows first to last alone. */
nt_status nt_folder_visit_some(const nt_sweep *s, const char *folder, long first, long last,
                               nt_row_visitor *visit, void *context, long *damaged,
                               nt_error *error);
nt_status nt_folder_write_head(const nt_sweep *s, const char *folder, nt_error *error);
nt_status nt_folder_read_head(nt_sweep *s, const char *folder, nt_error *error);
/* NT_OK, and *there is 0, where nothing was begun. */
nt_status nt_folder_check(const nt_sweep *s, const char *folder, int *there, nt_error *error);
nt_status nt_folder_make(const char *folder, nt_error *error);
char *nt_folder_path(const char *folder, const char *name); /* to be freed */

/* ---- collect.c ----------------------------------------------------------------------------------
 */

typedef struct nt_table_of_rows {
    const nt_sweep *sweep;
    int *status;     /* [rows], -1: not done */
    double *numbers; /* [rows][nt_sweep_numbers] */
    char **message;  /* [rows] NULL or owned */
    nt_arena arena;
    const char **kinds; /* [n_kinds] sorted */
    int n_kinds;
} nt_table_of_rows;
/* nt_rows_free in any case. */
nt_status nt_rows_read(nt_table_of_rows *t, const nt_sweep *s, const char *folder, long *damaged,
                       nt_error *error);
void nt_rows_free(nt_table_of_rows *t);
void nt_rows_tell(const nt_table_of_rows *t, long damaged, nt_sweep_collection *collection);
nt_status nt_collect_csv(const nt_table_of_rows *t, const char *path, nt_error *error);
nt_status nt_collect_netcdf(nt_table_of_rows *t, const char *path, nt_error *error);

#endif
