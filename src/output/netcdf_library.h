/* libnetcdf, loaded when the first NetCDF file is opened: loading it with all it depends on takes
 * longer than reading a small model and integrating it, and most runs write no NetCDF. */
#ifndef NUTATE_OUTPUT_NETCDF_LIBRARY_H
#define NUTATE_OUTPUT_NETCDF_LIBRARY_H

#include <netcdf.h>
#include <nutate/status.h>

#define NT_NETCDF_FUNCTIONS(X)                                                                     \
    X(create)                                                                                      \
    X(set_fill)                                                                                    \
    X(def_dim)                                                                                     \
    X(def_var)                                                                                     \
    X(put_att_text)                                                                                \
    X(enddef)                                                                                      \
    X(put_vara_double)                                                                             \
    X(sync)                                                                                        \
    X(close)                                                                                       \
    X(strerror)

/* Its functions, without the prefix nc_: library.create is nc_create. */
typedef struct nt_netcdf_library {
#define NT_NETCDF_FIELD(name) __typeof__(nc_##name) *name;
    NT_NETCDF_FUNCTIONS(NT_NETCDF_FIELD)
#undef NT_NETCDF_FIELD
} nt_netcdf_library;

/* Load it and fill the table. `file` is the name of the shared library, NULL for the one that
 * nutate was built with. The library stays loaded. NT_IO when it cannot be loaded or lacks a
 * function. */
nt_status nt_netcdf_library_load(nt_netcdf_library *library, const char *file, nt_error *error);

#endif
