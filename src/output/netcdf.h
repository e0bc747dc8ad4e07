/* Numbers of the classic NetCDF format, for its writer and its reader. */
#ifndef NUTATE_OUTPUT_NETCDF_H
#define NUTATE_OUTPUT_NETCDF_H

enum {
    NT_NETCDF_CHAR = 2,
    NT_NETCDF_DOUBLE = 6,
    NT_NETCDF_DIMENSION_LIST = 10,
    NT_NETCDF_VARIABLES = 11,
    NT_NETCDF_ATTRIBUTES = 12,
    NT_NETCDF_DIMENSIONS = 16 /* most in a file of ours */
};

#endif
