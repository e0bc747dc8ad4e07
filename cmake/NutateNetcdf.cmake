# libnetcdf is loaded at run time, when a NetCDF result is asked for (src/output/netcdf_library.h).
# The build needs its header and the name under which it will be found: its soname.
#
#   nutate_netcdf            target with the header's folder
#   NUTATE_LIB_netcdf        the library, for tests that read results back
#   NUTATE_NETCDF_LIBRARY    the name to load, such as libnetcdf.so.19

find_library(NUTATE_LIB_netcdf netcdf)
find_path(NUTATE_DIR_netcdf_h netcdf.h)
mark_as_advanced(NUTATE_LIB_netcdf NUTATE_DIR_netcdf_h)
if(NOT NUTATE_LIB_netcdf OR NOT NUTATE_DIR_netcdf_h)
  message(FATAL_ERROR "not found: netcdf. `make setup` installs what is missing.")
endif()

execute_process(COMMAND ${CMAKE_READELF} -d ${NUTATE_LIB_netcdf} OUTPUT_VARIABLE sections
                ERROR_QUIET)
if(sections MATCHES "SONAME[^[]*\\[([^]]+)\\]")
  set(NUTATE_NETCDF_LIBRARY ${CMAKE_MATCH_1})
else() # no ELF, no soname: the name of the file
  file(REAL_PATH ${NUTATE_LIB_netcdf} sections)
  get_filename_component(NUTATE_NETCDF_LIBRARY ${sections} NAME)
endif()

add_library(nutate_netcdf INTERFACE)
target_link_libraries(nutate_netcdf INTERFACE ${CMAKE_DL_LIBS})
if(NOT NUTATE_DIR_netcdf_h IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(nutate_netcdf SYSTEM INTERFACE ${NUTATE_DIR_netcdf_h})
endif()
