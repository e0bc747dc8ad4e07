# libnetcdf, for tests that read results back: the library writes and reads them without it.
#
#   nutate_netcdf   target with the header's folder and the library

find_library(NUTATE_LIB_netcdf netcdf)
find_path(NUTATE_DIR_netcdf_h netcdf.h)
mark_as_advanced(NUTATE_LIB_netcdf NUTATE_DIR_netcdf_h)
if(NOT NUTATE_LIB_netcdf OR NOT NUTATE_DIR_netcdf_h)
  message(FATAL_ERROR "not found: netcdf. `make setup` installs what is missing.")
endif()

add_library(nutate_netcdf INTERFACE)
target_link_libraries(nutate_netcdf INTERFACE ${NUTATE_LIB_netcdf})
if(NOT NUTATE_DIR_netcdf_h IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(nutate_netcdf SYSTEM INTERFACE ${NUTATE_DIR_netcdf_h})
endif()
