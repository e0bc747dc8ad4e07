#include "output/netcdf_library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* A pointer to a function, out of the pointer to an object that dlsym gives (POSIX: both are
 * alike).
 */
static nt_status find(void *handle, const char *name, void *function, nt_error *error)
{
    void *symbol = dlsym(handle, name);
    if (!symbol)
        return nt_fail(error, NT_IO, "NetCDF cannot be written: libnetcdf has no %s", name);
    memcpy(function, &symbol, sizeof symbol);
    return NT_OK;
}

nt_status nt_netcdf_library_load(nt_netcdf_library *library, const char *file, nt_error *error)
{
    void *handle = dlopen(file ? file : NUTATE_NETCDF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    nt_status status = NT_OK;
    if (!handle)
        return nt_fail(error, NT_IO, "NetCDF cannot be written: %s", dlerror());
#define FIND(name)                                                                                 \
    if (status == NT_OK)                                                                           \
        status = find(handle, "nc_" #name, &library->name, error);
    NT_NETCDF_FUNCTIONS(FIND)
#undef FIND
    return status;
}
