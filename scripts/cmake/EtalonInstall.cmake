# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` writes beside programs and libraries: headers, data, and the files that find_package(Etalon) reads.
# An installation can be moved: whatever runs from it finds share/etalon beside itself (isa/base/share_folder.h).
include(CMakePackageConfigHelpers)

# C++ headers are included as in the sources: <isa/abi/device.h>.
foreach(layer IN LISTS ETALON_INSTALLED_LAYERS)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer} ${ETALON_GENERATED_DIR}/${layer} DESTINATION include/etalon
          FILES_MATCHING PATTERN "*.h" PATTERN "*test*" EXCLUDE)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/isa/schema DESTINATION share/etalon/isa FILES_MATCHING PATTERN "*.json")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/validation/plugins/template DESTINATION share/etalon/plugins)
install(FILES ${PROJECT_SOURCE_DIR}/tools/runtime/crt0.s ${PROJECT_SOURCE_DIR}/tools/runtime/runtime.c
              ${PROJECT_SOURCE_DIR}/tools/runtime/etalon.ld DESTINATION share/etalon/runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/runtime/include ${ETALON_GENERATED_DIR}/include DESTINATION share/etalon/runtime
        FILES_MATCHING PATTERN "*.h")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/plots/sweep_plots.py DESTINATION share/etalon/plots)
install(FILES ${PROJECT_SOURCE_DIR}/scripts/plots/draw.py ${PROJECT_SOURCE_DIR}/scripts/plots/sweep_data.py
              ${PROJECT_SOURCE_DIR}/scripts/plots/sweep_page.py DESTINATION share/etalon/plots)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/etalon)

set(ETALON_SHARE_DIR share/etalon)
set(ETALON_PLUGIN_DIR lib/etalon/plugins)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EtalonConfig.cmake.in ${CMAKE_BINARY_DIR}/EtalonConfig.cmake
                              INSTALL_DESTINATION lib/cmake/Etalon PATH_VARS ETALON_SHARE_DIR ETALON_PLUGIN_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/EtalonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/EtalonConfig.cmake ${CMAKE_BINARY_DIR}/EtalonConfigVersion.cmake DESTINATION lib/cmake/Etalon)
install(EXPORT EtalonTargets NAMESPACE Etalon:: DESTINATION lib/cmake/Etalon)
