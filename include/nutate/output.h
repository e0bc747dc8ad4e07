/* Records of a run: CSV and NetCDF; and objectives.
 *
 * Threads. A record and objectives belong to the thread of the integrator that they are written
 * from. NetCDF records take turns: see nt_record_open. */
#ifndef NUTATE_OUTPUT_H
#define NUTATE_OUTPUT_H

#include <nutate/model.h>
#include <nutate/sensitivity.h>

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
NT_API nt_status nt_record_open(nt_record **record, nt_run *run, const char *path,
                                nt_record_format format, const char *provenance, nt_error *error);

/* The same with derivatives: each column is followed by its derivatives with respect to the
 * parameters that `sensitivity` carries, "d(top.position.x)/d(m)", in the column's unit per unit of
 * the parameter. After the columns of a whole orientation stand those of its derivative as a
 * rotation, "d(top.orientation)/d(m).x" and y, z: the vector theta, ground axes, rad, with dR/dm =
 * theta~ R. sensitivity belongs to the integrator whose states are written, and outlives the
 * record. */
NT_API nt_status nt_record_open_sensitivity(nt_record **record, nt_run *run,
                                            nt_sensitivity *sensitivity, const char *path,
                                            nt_record_format format, const char *provenance,
                                            nt_error *error);

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

/* ---- objectives -----------------------------------------------------------------------------
 *
 * What the model's objectives come to over a run, with derivatives. Between step ends t_n the
 * expression g counts as the parabola through three of them in a row:
 *
 *   final     g at the last step's end
 *   integral  of the parabolas, over time
 *   maximum   the largest value at a step's end, or the top of the parabola about it
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

/* The integrator stands at the start, or at the end of one more step: call it at each. */
NT_API nt_status nt_objectives_advance(nt_objectives *objectives, nt_error *error);

/* Objective i so far, and its derivative with respect to parameter k of the sensitivity. */
NT_API double nt_objectives_value(const nt_objectives *objectives, int i);
NT_API double nt_objectives_derivative(const nt_objectives *objectives, int i, int k);

#ifdef __cplusplus
}
#endif
#endif
