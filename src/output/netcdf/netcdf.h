/* Numbers of the classic NetCDF format, for its writer and its reader. */
#ifndef NUTATE_OUTPUT_NETCDF_H
#define NUTATE_OUTPUT_NETCDF_H

#include "output/format.h"

#include <stddef.h>
#include <stdint.h>

enum {
    NT_NETCDF_CHAR = 2,
    NT_NETCDF_DOUBLE = 6,
    NT_NETCDF_DIMENSION_LIST = 10,
    NT_NETCDF_VARIABLES = 11,
    NT_NETCDF_ATTRIBUTES = 12,
    NT_NETCDF_DIMENSIONS = 16 /* most in a file of ours */
};

/* An unsigned number of so many bytes, most significant first. */
void nt_netcdf_put_number(nt_bytes *out, uint64_t number, int bytes);
void nt_netcdf_put_attribute(nt_bytes *out, const char *name, const char *text, size_t length);
/* A name may not hold a slash: d(a)/d(p) becomes d(a)_d(p). */
void nt_netcdf_put_name(nt_bytes *out, const char *name);

#endif
