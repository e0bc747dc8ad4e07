/* Results: tables of rows in CSV and NetCDF, the rows of a run, and objectives.
 *
 * Threads. Results are independent of each other: any number of them may be written and read at
 * once, each by one thread at a time. A record and objectives belong to the thread of the
 * integrator that they are written from. */
#ifndef NUTATE_OUTPUT_H
#define NUTATE_OUTPUT_H

#include <nutate/model.h>
#include <nutate/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results: tables of rows in files ---------------------------------------------------------
 *
 * A result is a table that grows by rows of numbers under named columns; docs/results.md says how
 * files look. One row may go into several files at once. A row that is written reaches its files
 * whole, at the latest when rows are written a tenth of a second later or nt_result_keep_up is
 * called, and is then safe from the end of the process; nt_result_save can make it safe from the
 * end of the machine. Files are locked against other writers while they are open. */
typedef enum nt_record_format { NT_CSV, NT_NETCDF } nt_record_format;

/* "-" is standard output, of CSV alone. */
typedef struct nt_result_file {
    const char *path;
    nt_record_format format;
} nt_result_file;

/* A number of each row: "top.position.x", "m", "position of body top, x, ground axes". Of a result
 * that is read from CSV unit and meaning are "". */
typedef struct nt_result_column {
    const char *name, *unit, *meaning;
} nt_result_column;

/* A block of numbers of each row, values[items][components], in NetCDF alone: `bodies.position` of
 * each `body`. */
typedef struct nt_result_array {
    const char *name, *unit, *meaning;
    const char *item, *component;  /* names of the dimensions: "body", "vector"             */
    int items, components;         /* an item's name has as many everywhere in a file        */
    const char *const *item_names; /* [items], the same for all arrays of this item          */
} nt_result_array;

/* A text about the whole result, in NetCDF alone; value[length] need not be terminated, but is
 * where a reader gives it. */
typedef struct nt_result_attribute {
    const char *name, *value;
    size_t length;
} nt_result_attribute;

/* The words that the numbers of a column stand for: 0 for words[0]. CSV has a word in place of the
 * number; NetCDF the number, and the words as lines of the variable's attribute `words`, and as its
 * flag_values and flag_meanings. A word begins with a letter and holds neither commas, quotes nor
 * tabulators. */
typedef struct nt_result_words {
    int column;
    const char *const *words; /* [n] */
    int n;
} nt_result_words;

/* What is known before the first row; the caller's, needed until nt_result_create returns. */
typedef struct nt_result_setup {
    int version; /* NT_INTERFACE, or 0: of this header */
    const nt_result_file *files;
    int n_files;
    const char *table; /* NULL: the rows of time; "events": in files beside, run.events.nc */
    const nt_result_column *columns; /* [n_columns]; the first names the dimension of rows */
    int n_columns;
    const nt_result_array *arrays; /* [n_arrays] */
    int n_arrays;
    const nt_result_attribute *attributes; /* [n_attributes] */
    int n_attributes;
    const void *saved; /* [saved_size] of nt_result_save: go on there; NULL: begin anew */
    size_t saved_size;
    const nt_result_words *words; /* [n_words], of columns whose numbers stand for words */
    int n_words;
} nt_result_setup;

typedef struct nt_result_writer nt_result_writer;

/* Open all files, then write their heads; or, with `saved`, find in each the rows that were there
 * and cut off what came later. Nothing is touched unless every file can be opened and locked, and
 * holds those rows; a file made for it is removed again. NT_IO with the file's name where one
 * cannot be written, where another process writes it, or where its rows are not those that were
 * saved; NT_INVALID where `saved` is of another table, where two files are one, or for standard
 * output that cannot do what is asked. */
NT_API nt_status nt_result_create(nt_result_writer **writer, const nt_result_setup *setup,
                                  nt_error *error);

/* Append a row: values[n_columns], then those of each array. Does not allocate. NT_INVALID for a
 * number that stands for no word: nothing is written then. NT_IO, then also of all later rows: a
 * result has no holes. */
NT_API nt_status nt_result_write(nt_result_writer *writer, const double *values, nt_error *error);

/* Let rows reach their files that have waited for a tenth of a second, and all where calls of this
 * are far apart: to be called after every step. NT_IO, also where a file was removed meanwhile. */
NT_API nt_status nt_result_keep_up(nt_result_writer *writer, nt_error *error);

/* Let all rows reach their files, and say in bytes[nt_result_saved_size] where the result stands.
 * to_disk: wait until they are on the disk, where the end of the machine does not harm them. NT_IO;
 * `bytes` are then not to be used. Standard output is not brought to any disk. */
NT_API size_t nt_result_saved_size(const nt_result_writer *writer);
NT_API nt_status nt_result_save(nt_result_writer *writer, void *bytes, int to_disk,
                                nt_error *error);

/* Rows written, those before `saved` included. */
NT_API long nt_result_written(const nt_result_writer *writer);

/* Write what waits and close; frees the writer always, NULL is nothing. NT_IO when not everything
 * could be written. */
NT_API nt_status nt_result_finish(nt_result_writer *writer, nt_error *error);

/* The path of a table beside a result, to be freed: "run.nc" and "events" make "run.events.nc".
 * NULL when memory is out. */
NT_API char *nt_result_beside(const char *path, const char *table);

/* A result that is read: CSV or NetCDF (classic or 64-bit offset) as this library writes them, told
 * apart by their first bytes. Of a result that is still being written, or that a killed run left,
 * the whole rows that are there when it is opened. */
typedef struct nt_result nt_result;

/* NT_IO with the file's name, and of CSV the line, where it cannot be read or is no result. */
NT_API nt_status nt_result_open(nt_result **result, const char *path, nt_error *error);
NT_API void nt_result_close(nt_result *result); /* NULL is nothing */

NT_API nt_record_format nt_result_format(const nt_result *result);
NT_API long nt_result_rows(const nt_result *result);
/* What the rows hold; texts belong to the result. Zeros for a number out of range. */
NT_API int nt_result_column_count(const nt_result *result);
NT_API nt_result_column nt_result_column_at(const nt_result *result, int i);
NT_API int nt_result_array_count(const nt_result *result);
NT_API nt_result_array nt_result_array_at(const nt_result *result, int i);
NT_API int nt_result_attribute_count(const nt_result *result);
NT_API nt_result_attribute nt_result_attribute_at(const nt_result *result, int i);
/* The number of the column of this name, -1 where there is none. */
NT_API int nt_result_find(const nt_result *result, const char *name);

/* The table of a sweep is a result too: its columns are `row`, what varies, `status` and what was
 * kept, series are arrays. What varies may be words, such as methods, and so are names of events:
 * values of such a column are the numbers 0, 1, ... of its texts in the order in which they first
 * come, or as NetCDF has them. The text of a value;
 * NULL of a column of numbers, and of a value that stands for none. It belongs to the result. */
NT_API const char *nt_result_text(const nt_result *result, int column, double value);
/* What went wrong in a row of such a table in NetCDF, "" where nothing did. */
NT_API const char *nt_result_failure(const nt_result *result, long row);

/* Rows first to first + n - 1: values[n][columns]. Of CSV best in the order of the file. NT_INVALID
 * for rows that are not there; NT_IO, `values` then undefined. */
NT_API nt_status nt_result_read(nt_result *result, long first, long n, double *values,
                                nt_error *error);
/* Reads rows of array i: values[n][items][components]. */
NT_API nt_status nt_result_read_array(nt_result *result, int i, long first, long n, double *values,
                                      nt_error *error);

/* ---- drawings ---------------------------------------------------------------------------------
 *
 * The motion of a result for other programs: glTF 2.0 in one file (GLB: Blender, slides, browsers;
 * y points up, time begins at 0), or VTK (FILE.pvd, and frames in the folder FILE: ParaView). Of a
 * result that does not say how it is drawn (`scene` in docs/results.md) shapes are made from its
 * model. */
typedef enum nt_drawing_format { NT_GLTF, NT_VTK } nt_drawing_format;

/* Write it. most_rows: of a longer result every k-th row is drawn, and the last; 0: 10001 of glTF,
 * 501 of VTK. remark[size] (may be NULL): what is not as in the result, in words, or "". The
 * result is read in pieces. NT_INVALID for a result without poses or rows, NT_NOT_FINITE for a row
 * that holds no finite numbers, NT_IO. */
NT_API nt_status nt_result_draw(nt_result *result, const char *path, nt_drawing_format format,
                                long most_rows, char *remark, size_t size, nt_error *error);

/* ---- pages ------------------------------------------------------------------------------------
 *
 * One HTML file that shows results in a browser, without a network: motion, plots, tables. */
typedef struct nt_report_setup {
    int version;                /* NT_INTERFACE, or 0: of this header                          */
    const char *path;           /* where it goes                                               */
    const char *page;           /* the page's own file, share/nutate/report.html               */
    const char *const *results; /* [n_results] paths; with each, tables that stand beside it   */
    int n_results;
    const char *account; /* NAME=VALUE lines on the first result's run, which the result does
                            not hold (its time on the clock); or NULL                          */
    long most_rows;      /* of a longer result every k-th row is shown; 0: 10000               */
} nt_report_setup;

/* Write it. Results are read in pieces; what is held at a time is what the page holds. NT_IO where
 * a file cannot be read or written, NT_NOT_FINITE for a pose that is no number; there is then no
 * file, or the one that was there before. */
NT_API nt_status nt_report_write(const nt_report_setup *setup, nt_error *error);

/* ---- spectra ----------------------------------------------------------------------------------
 */

/* values[n][2], real and imaginary parts x_j, become X_k = sum_j x_j exp(-2 pi i j k/n): 1 to 2^28
 * of them, any number, in double precision. n log n operations; a length that is no power of two
 * takes three transforms of one at least twice as long. Allocates while it works. NT_INVALID,
 * NT_NO_MEMORY.
 */
NT_API nt_status nt_fourier_transform(double *values, long n, nt_error *error);

/* What samples are multiplied by: nothing (whole periods of all that is in them), Hann's window
 * (lines apart from each other), the flat top (amplitudes to 0.1 % wherever a frequency lies). */
typedef enum nt_window { NT_WINDOW_NONE, NT_WINDOW_HANN, NT_WINDOW_FLAT_TOP } nt_window;

/* Amplitudes of the vibrations in samples[n] that are equally far apart: amplitude[n/2 + 1], k
 * whole periods in n samples at k, in the samples' unit: a sin(2 pi k j/n) gives a. At 0 stands the
 * mean, which is taken off before the window is laid on. NT_INVALID, NT_NO_MEMORY. */
NT_API nt_status nt_spectrum(const double *samples, long n, nt_window window, double *amplitude,
                             nt_error *error);

/* ---- records --------------------------------------------------------------------------------
 *
 * The rows of a run: recorded quantities of a model at output times. */
typedef struct nt_record nt_record;

/* How to begin one. Zero is a sensible value for every field but `run` and `files`; all are the
 * caller's, and but for run, sensitivity and context needed until nt_record_create returns. */
typedef struct nt_record_setup {
    int version; /* NT_INTERFACE, or 0: of this header */
    nt_run *run;
    /* NULL: none. Else each column is followed by its derivatives with respect to the parameters
     * that it carries, "d(top.position.x)/d(m)", in the column's unit per unit of the parameter.
     * After the columns of a whole orientation stand those of its derivative as a rotation,
     * "d(top.orientation)/d(m).x" and y, z: the vector theta, ground axes, rad, with dR/dm =
     * theta~ R. It belongs to the integrator whose states are written, and outlives the record. */
    nt_sensitivity *sensitivity;
    const nt_result_file *files;
    int n_files;
    const char
        *provenance;   /* NAME=VALUE lines stored in NetCDF (options, version, hash); or NULL */
    const void *saved; /* [saved_size] of nt_record_save: go on there; NULL: begin anew */
    size_t saved_size;
    /* Asked between rows; non-zero ends nt_record_advance with NT_INTERRUPTED and whole rows. */
    int (*stop)(void *context);
    void *context;
    /* For rows of nt_record_put: columns in place of the time, first[n_first], such as `load`;
     * NULL: time. And the numbers of the parameters whose derivatives come with each row. */
    const nt_result_column *first;
    int n_first;
    const int *parameters; /* [n_parameters] */
    int n_parameters;
    /* Rows for the program itself, besides files or without any (files NULL, n_files 0); NULL:
     * none. take_row gets values[n] of the columns, in their order, during the call only; a status
     * but NT_OK fails the row. take_column, which may be NULL, is told of each column when the
     * record is created. Both get `taker`. */
    nt_status (*take_row)(void *taker, const double *values, int n);
    void (*take_column)(void *taker, const nt_result_column *column);
    void *taker;
    /* Not 0: with the poses NetCDF holds the energy, the drift and the counts of steps of each
     * row, `run.energy` and so on in docs/results.md. Not for rows of nt_record_put. */
    int account;
} nt_record_setup;

/* For the quantities that the model's output section names; into NetCDF the poses of all bodies
 * besides, unless it says `poses: false`. Errors as of nt_result_create. */
NT_API nt_status nt_record_create(nt_record **record, const nt_record_setup *setup,
                                  nt_error *error);

/* Opens a record with one file alone. */
NT_API nt_status nt_record_open(nt_record **record, nt_run *run, const char *path,
                                nt_record_format format, const char *provenance, nt_error *error);

/* Write the row of a state: called for the first and the last state of a run. A state at the time
 * of the row before is not written again, unless an event has ended the run there and changed what
 * is recorded. */
NT_API nt_status nt_record_write(nt_record *record, nt_integrator *integrator,
                                 const nt_state *state, nt_error *error);

/* A row that belongs to no integrator: a static state, a point of a path. */
typedef struct nt_record_row {
    int version;         /* NT_INTERFACE, or 0: of this header                             */
    const double *first; /* [n_first] of the setup, or the time                            */
    const nt_state *state;
    const double *reactions;      /* [nh + nn]                                             */
    const nt_state_rate *rates;   /* [n_parameters]                                        */
    const double *reaction_rates; /* [n_parameters][nh + nn]; NULL: those of the rates     */
} nt_record_row;

/* Write one, of a record without a sensitivity. NT_NOT_FINITE for a quantity that is no number. */
NT_API nt_status nt_record_put(nt_record *record, const nt_record_row *row, nt_error *error);

/* Write every output time that the last accepted step passed, simulation->start + k every; an
 * observer calls this. Rows between step ends are interpolated; with every = 0 each step has one.
 * After NT_INTERRUPTED another call goes on with the rows that are left, as does one after
 * nt_integrator_restore and `saved` of the same moment. */
NT_API nt_status nt_record_advance(nt_record *record, nt_integrator *integrator, nt_error *error);

NT_API long nt_record_rows(const nt_record *record);

/* After the last row: words for rows with the method's accelerations and multipliers, because the
 * equations give none there, that break Newton's law: how many, and which most. Else for forces,
 * accelerations and stresses that the rounding of places has made, as of a spring that is stiff
 * beyond measure: which, by how much, and the largest value of the last third of the rows at least.
 * They are asked anew at the state, and at places a rounding away; integrator: NULL where there is
 * none, and reactions are left out. Into text[size]; returns their length, 0 where there is nothing
 * to say. */
NT_API int nt_record_warning(nt_record *record, nt_integrator *integrator, const nt_state *state,
                             char *text, int size);

/* Begin anew with another motion of the same run: of a record without files. */
NT_API void nt_record_restart(nt_record *record);

/* As nt_result_save: with bytes[nt_record_saved_size] another record of the same model, files and
 * provenance goes on as this one does. */
NT_API size_t nt_record_saved_size(const nt_record *record);
NT_API nt_status nt_record_save(nt_record *record, void *bytes, int to_disk, nt_error *error);

/* Flush and close; NT_IO when something could not be written (disk full). Frees the record always.
 */
NT_API nt_status nt_record_close(nt_record *record, nt_error *error);

/* ---- objectives -----------------------------------------------------------------------------
 *
 * What the model's objectives come to over a run, with derivatives. Between step ends t_n the
 * expression g counts as the parabola through three of them in a row:
 *
 *   final     g at the last step's end
 *   integral  of the parabolas, over time
 *   maximum   the largest value at a step's end, or a parabola's top; of g in steps of high order
 *   rms       square root of the integral of g^2 over the length of the run
 *
 * Derivatives are those of these formulas with the times held. */
typedef struct nt_objectives nt_objectives;

/* sensitivity may be NULL: values only. Both outlive the objectives. */
NT_API nt_status nt_objectives_create(nt_objectives **objectives, nt_run *run,
                                      nt_integrator *integrator, nt_sensitivity *sensitivity,
                                      nt_error *error);
NT_API void nt_objectives_destroy(nt_objectives *objectives);

/* Begin anew, for another run of the integrator. */
NT_API void nt_objectives_restart(nt_objectives *objectives);

/* All of it, bit for bit: with bytes[nt_objectives_saved_size] of one of the same model and
 * parameters another goes on as it does, with the integrator's state of that moment. NT_INVALID
 * where the bytes are of others. */
NT_API size_t nt_objectives_saved_size(const nt_objectives *objectives);
NT_API void nt_objectives_save(const nt_objectives *objectives, void *bytes);
NT_API nt_status nt_objectives_restore(nt_objectives *objectives, const void *bytes, size_t size,
                                       nt_error *error);

/* The integrator stands at the start, or at the end of one more step: call it at each. */
NT_API nt_status nt_objectives_advance(nt_objectives *objectives, nt_error *error);

/* Objective i so far, and its derivative with respect to parameter k of the sensitivity. */
NT_API double nt_objectives_value(const nt_objectives *objectives, int i);
NT_API double nt_objectives_derivative(const nt_objectives *objectives, int i, int k);

#ifdef __cplusplus
}
#endif
#endif
