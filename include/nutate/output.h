/* Records of a run: CSV and NetCDF. */
#ifndef NUTATE_OUTPUT_H
#define NUTATE_OUTPUT_H

#include <nutate/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A writer of rows: recorded quantities of a model at output times. */
typedef struct nt_record nt_record;

typedef enum nt_record_format { NT_CSV, NT_NETCDF } nt_record_format;

/* Open path ("-" is standard output, CSV) for the quantities that the model's output section
 * names. provenance may be NULL: NAME=VALUE lines stored in NetCDF (options, version, hash).
 * The first NetCDF record loads libnetcdf, which is not made for threads: write such records from
 * one thread at a time. NT_IO when the file cannot be created or the library not be loaded. */
NT_API nt_status nt_record_open(nt_record **record, const nt_model *model, const char *path,
                                nt_record_format format, const char *provenance, nt_error *error);

/* Write the row of a state: called for the first and the last state of a run. A state at the time
 * of the row before is not written again. */
NT_API nt_status nt_record_write(nt_record *record, nt_integrator *integrator,
                                 const nt_state *state, nt_error *error);

/* Write every output time that the last accepted step passed, simulation->start + k every; an
 * observer calls this. Rows between step ends are interpolated; with every = 0 each step has one.
 */
NT_API nt_status nt_record_advance(nt_record *record, nt_integrator *integrator, nt_error *error);

NT_API long nt_record_rows(const nt_record *record);

/* Flush and close; NT_IO when something could not be written (disk full). Frees the record always.
 */
NT_API nt_status nt_record_close(nt_record *record, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
