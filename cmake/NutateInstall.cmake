# Headers, libraries, command, package files, documents. Everything is relative to the place it
# is found in, so that an installed tree can be moved.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nutate)

install(DIRECTORY include/nutate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN *.h)
install(TARGETS nutate_shared EXPORT nutateTargets)
install(TARGETS nutate_static EXPORT nutateStaticTargets)
install(EXPORT nutateTargets NAMESPACE nutate:: DESTINATION ${package_dir})
install(EXPORT nutateStaticTargets NAMESPACE nutate:: DESTINATION ${package_dir})

if(TARGET nutate)
  file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(nutate PROPERTIES INSTALL_RPATH $ORIGIN/${bin_to_lib})
  install(TARGETS nutate)
endif()

configure_package_config_file(cmake/nutateConfig.cmake.in nutateConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(nutateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nutateConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/nutateConfigVersion.cmake
              cmake/NutateDependencies.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
list(TRANSFORM NUTATE_DEPENDENCY_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE pc_private)
list(JOIN pc_private " " pc_private)
configure_file(cmake/nutate.pc.in nutate.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nutate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL
        PATTERN CMakeLists.txt EXCLUDE)
