/* The head of a NetCDF file that is read: dimensions, attributes and variables. */
#ifndef NUTATE_OUTPUT_NETCDF_HEAD_H
#define NUTATE_OUTPUT_NETCDF_HEAD_H

#include "output/result_reader.h"

#include <stdbool.h>

enum { NT_NETCDF_RECORDS = 0 };

typedef struct nt_netcdf_dimension {
    const char *name;
    uint64_t size; /* NT_NETCDF_RECORDS: of records */
} nt_netcdf_dimension;

typedef struct nt_netcdf_variable {
    const char *name, *unit, *meaning, *column, *words;
    int n, *dimensions; /* [n] numbers */
    uint32_t type;
    uint64_t bytes, begin; /* bytes of one record, or of all */
    bool in_records;
} nt_netcdf_variable;

typedef struct nt_netcdf_head {
    nt_result *r;
    uint64_t at, size; /* of the file */
    uint64_t rows;     /* as the file counts its records */
    nt_status status;  /* the first failure; nothing is read after it */
    nt_error *error;
    int offset_bytes;
    nt_netcdf_dimension *dimensions;
    int n_dimensions;
    nt_netcdf_variable *variables;
    int n_variables;
} nt_netcdf_head;

/* Reads it all: of h are given r and error. Attributes go to r. */
void nt_netcdf_read_head(nt_netcdf_head *h);

/* Bytes from h->at on, which moves behind them. false, and a status, where they are not there. */
bool nt_netcdf_get(nt_netcdf_head *h, void *bytes, uint64_t size);
void nt_netcdf_damaged(nt_netcdf_head *h);
void nt_netcdf_no_memory(nt_netcdf_head *h);
/* ---- netcdf_table.c: tables of sweeps ----------------------------------------------------------
 */

/* Whether the file holds such a table, by its variables. */
bool nt_netcdf_is_table(const nt_netcdf_head *h);
void nt_netcdf_describe_table(nt_netcdf_head *h);

/* A number of big-endian bytes. */
double nt_netcdf_number(const char text[8]);

#endif
