/* Sweeps: many runs of one model, as a plan says (docs/sweep.md).
 *
 * A plan varies parameters or other keys of a model; each combination is a row. Rows go into a
 * folder in chunks: bytes that are on the disk first, then named in a journal, so that whatever
 * ends a process, rows that were reported are there, and rows that are there are not run again.
 * Any number of processes may write into one folder, each into files of its own.
 *
 * Threads. A sweep is only read by the functions below, but nt_sweep_run; it belongs to one thread
 * at a time. */
#ifndef NUTATE_SWEEP_H
#define NUTATE_SWEEP_H

#include <nutate/output.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nt_sweep nt_sweep;

/* Read a plan, its model and its list. NT_IO where a file cannot be read, NT_BAD_MODEL with file,
 * line and column, what is wrong and what was expected. */
NT_API nt_status nt_sweep_read(nt_sweep **sweep, const char *path, nt_error *error);

/* The sweep of a folder: the plan and the columns that it was begun with, without its model. It can
 * be looked at and collected, not run. NT_IO where there is none. */
NT_API nt_status nt_sweep_open(nt_sweep **sweep, const char *folder, nt_error *error);
NT_API void nt_sweep_destroy(nt_sweep *sweep); /* NULL is nothing */

/* Rows of the plan; 0 for NULL. */
NT_API long nt_sweep_rows(const nt_sweep *sweep);
/* Bytes that a row takes on the disk. */
NT_API size_t nt_sweep_row_size(const nt_sweep *sweep);

/* What varies: names as the plan has them, load cases ("case") first where there are any. NULL for
 * a number out of range. */
NT_API int nt_sweep_axis_count(const nt_sweep *sweep);
NT_API const char *nt_sweep_axis(const nt_sweep *sweep, int i);
/* The value of axis i in a row as YAML text into text[size], always terminated; returns the length
 * needed. "" and 0 for numbers out of range. */
NT_API int nt_sweep_value(const nt_sweep *sweep, long row, int i, char *text, int size);

/* How far the rows have come that were asked for. */
typedef struct nt_sweep_progress {
    long rows, done, failed; /* done: failed ones included                          */
    long fresh;              /* done by this call                                   */
    double seconds;          /* of this call, wall time                             */
    double row_seconds;      /* processor time of all fresh rows                    */
} nt_sweep_progress;

/* How a sweep is run. Zero is a sensible value for every field but `folder`. */
typedef struct nt_sweep_setup {
    int version; /* NT_INTERFACE, or 0: of this header */
    const char *folder;
    int threads;       /* 0: as many as there are processors                           */
    int resume;        /* go on where the folder holds rows                             */
    int worker;        /* one of several processes: the folder may hold rows, and is not locked */
    long first, count; /* rows from this one on, of 0; count 0: all that follow        */
    double seconds;    /* no more rows are begun after so long; 0: no limit              */
    /* Called a few times a second, by the caller's thread; non-zero ends the sweep with
     * NT_INTERRUPTED when the rows that are done are on the disk. */
    int (*watch)(void *context, const nt_sweep_progress *progress);
    void *context;
} nt_sweep_setup;

/* Run the rows that the folder does not hold; it is made where there is none. *progress may be
 * NULL. A row that fails is kept with its status and message. NT_IO where the folder cannot be
 * written or another process works in it, NT_INVALID where it holds rows and may not, or those of
 * another plan, model or version; NT_INTERRUPTED. What was reported before stays. */
NT_API nt_status nt_sweep_run(nt_sweep *sweep, const nt_sweep_setup *setup,
                              nt_sweep_progress *progress, nt_error *error);

/* How long a row takes, s of one processor, from rows run for some tenths of a second; nothing is
 * written. */
NT_API nt_status nt_sweep_time(nt_sweep *sweep, double *seconds, nt_error *error);

/* Lock a folder for the process that deals out its rows, and lay down the plan there; the lock goes
 * with the process. Errors as of nt_sweep_run. */
NT_API nt_status nt_sweep_begin(nt_sweep *sweep, const char *folder, int resume, nt_error *error);

/* Count what a folder holds of the sweep. done[(rows + 7)/8], bits, may be NULL. */
NT_API nt_status nt_sweep_look(const nt_sweep *sweep, const char *folder,
                               nt_sweep_progress *progress, unsigned char *done, nt_error *error);

/* What the environment variable GLIBC_TUNABLES holds when a process starts whose libm takes the
 * code that every x86-64 processor has: then machines of all levels are of one kind. */
#define NT_SWEEP_PORTABLE "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4"

/* What a collected folder was like. */
typedef struct nt_sweep_collection {
    long rows, done, failed;
    long damaged;    /* rows on the disk whose bytes are not what was written             */
    char kinds[512]; /* kinds of machine that computed them, one a line                   */
    int n_kinds;
} nt_sweep_collection;

/* Write one table of all rows, and of those that failed: CSV (the latter in a file beside,
 * FILE.failures.csv) or NetCDF, with the plan's dimensions. Rows that are not done have status -1
 * and no numbers. What is written depends on the rows alone, not on how they came. */
NT_API nt_status nt_sweep_collect(const nt_sweep *sweep, const char *folder,
                                  const nt_result_file *file, nt_sweep_collection *collection,
                                  nt_error *error);

/* Whether a result is such a table, in either format. 0 for NULL. */
NT_API int nt_sweep_is_table(const nt_result *result);

/* Write the table of a sweep in NetCDF as CSV: the files that nt_sweep_collect writes of the same
 * rows, byte for byte. NT_INVALID for another result, NT_IO. */
NT_API nt_status nt_sweep_convert(nt_result *from, const char *path, nt_error *error);

/* Write statistics of all rows that are done as CSV (docs/sweep.md): FILE.csv, and beside it
 * FILE.histogram.csv, FILE.correlation.csv and FILE.indices.csv. With a sweep that was read, not
 * opened, inputs that are all distributions of parameters are propagated to first order too: by a
 * run with exact derivatives, whose failure is returned. */
NT_API nt_status nt_sweep_statistics(const nt_sweep *sweep, const char *folder, const char *path,
                                     nt_sweep_collection *collection, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
