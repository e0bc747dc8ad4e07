# What the library stands on, as one imported target nutate::dependencies. Used by the build, and
# by the installed package for those who link the static library; paths are found each time, so
# nothing of the machine that built the package is left in it.
#
#   nutate_find_dependencies([REQUIRED])   sets NUTATE_DEPENDENCIES_MISSING to the names not found

set(NUTATE_DEPENDENCY_LIBRARIES
    arpack lapack blas yaml klu amd camd colamd btf suitesparseconfig sundials_cvode sundials_ida
    sundials_nvecserial sundials_sunmatrixdense sundials_sunlinsoldense sundials_sunmatrixsparse
    sundials_sunlinsolklu sundials_generic z ${CMAKE_DL_LIBS} m)

function(nutate_find_dependencies)
  cmake_parse_arguments(PARSE_ARGV 0 arg REQUIRED "" "")
  set(missing "")
  set(libraries "")
  set(includes "")
  foreach(name IN LISTS NUTATE_DEPENDENCY_LIBRARIES)
    find_library(NUTATE_LIB_${name} ${name})
    mark_as_advanced(NUTATE_LIB_${name})
    if(NUTATE_LIB_${name})
      list(APPEND libraries ${NUTATE_LIB_${name}})
    else()
      list(APPEND missing ${name})
    endif()
  endforeach()
  foreach(header yaml.h klu.h zlib.h cvode/cvode.h)
    string(MAKE_C_IDENTIFIER "NUTATE_DIR_${header}" variable)
    find_path(${variable} ${header} PATH_SUFFIXES suitesparse)
    mark_as_advanced(${variable})
    if(${variable})
      list(APPEND includes ${${variable}})
    else()
      list(APPEND missing ${header})
    endif()
  endforeach()
  if(missing AND arg_REQUIRED)
    list(JOIN missing ", " names)
    message(FATAL_ERROR "not found: ${names}. `make setup` installs what is missing.")
  endif()
  set(NUTATE_DEPENDENCIES_MISSING "${missing}" PARENT_SCOPE)
  if(NOT missing AND NOT TARGET nutate::dependencies)
    list(REMOVE_DUPLICATES includes)
    list(REMOVE_ITEM includes "" ${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES})
    add_library(nutate::dependencies INTERFACE IMPORTED GLOBAL)
    set_target_properties(nutate::dependencies PROPERTIES
                          INTERFACE_LINK_LIBRARIES "${libraries}"
                          INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}"
                          INTERFACE_INCLUDE_DIRECTORIES "${includes}")
  endif()
endfunction()
