# SPDX-License-Identifier: Apache-2.0
# Target helpers and the layer table. A target may depend only on its own layer and those to its left.

set(ETALON_LAYERS isa sim compiler backends kernels models validation tools)
# What each layer may see (itself is always allowed): sim and the compiler core do not see each other.
set(ETALON_LAYER_isa)
set(ETALON_LAYER_sim isa)
set(ETALON_LAYER_compiler isa)
set(ETALON_LAYER_backends isa compiler sim)
set(ETALON_LAYER_kernels isa compiler backends)
set(ETALON_LAYER_models isa compiler backends kernels)
set(ETALON_LAYER_validation isa sim compiler backends kernels models)
set(ETALON_LAYER_tools isa sim compiler backends kernels models validation)
# A layer's folder is named like the layer, except:
set(ETALON_LAYER_FOLDER_backends compiler/backends)
# scripts/check_includes.py reads this table too.

define_property(TARGET PROPERTY ETALON_LAYER)
define_property(TARGET PROPERTY ETALON_DEPS)

# etalon_library(NAME LAYER layer SOURCES ... [DEPS ...] [LIBS ...])
#   DEPS are targets of ours (checked against the layer table), LIBS are foreign ones.
function(etalon_library name)
  cmake_parse_arguments(arg "" "LAYER" "SOURCES;DEPS;LIBS" ${ARGN})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${PROJECT_SOURCE_DIR} ${ETALON_GENERATED_DIR})
  target_link_libraries(${name} ${scope} ${arg_DEPS} ${arg_LIBS})
  set_target_properties(${name} PROPERTIES ETALON_LAYER ${arg_LAYER} ETALON_DEPS "${arg_DEPS}")
  set_property(GLOBAL APPEND PROPERTY ETALON_ALL ${name})
  if(TARGET etalon_generate)
    add_dependencies(${name} etalon_generate)
  endif()
endfunction()

# etalon_test(NAME SOURCES ... [DEPS ...] [LIBS ...] [LABELS ...]): one GoogleTest program, run once by ctest.
# Its counts go to test-results/NAME.json, which scripts/test adds up.
function(etalon_test name)
  if(NOT ETALON_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS;LIBS;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${ETALON_GENERATED_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} ${arg_LIBS} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ETALON_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             ETALON_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(TARGET etalon_generate)
    add_dependencies(${name} etalon_generate)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_output=json:${CMAKE_BINARY_DIR}/test-results/${name}.json ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# etalon_benchmark(NAME SOURCES ... [DEPS ...]): one Google Benchmark program; never run as a test.
function(etalon_benchmark name)
  if(NOT ETALON_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${ETALON_GENERATED_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} ${arg_LIBS} benchmark::benchmark benchmark::benchmark_main)
endfunction()

# Refuses a dependency that the layer table does not allow.
function(etalon_check_layers)
  get_property(all GLOBAL PROPERTY ETALON_ALL)
  foreach(target IN LISTS all)
    get_target_property(layer ${target} ETALON_LAYER)
    get_target_property(deps ${target} ETALON_DEPS)
    foreach(dep IN LISTS deps)
      if(NOT TARGET ${dep})
        message(FATAL_ERROR "${target}: unknown dependency '${dep}'")
      endif()
      get_target_property(dep_layer ${dep} ETALON_LAYER)
      if(NOT dep_layer STREQUAL layer AND NOT dep_layer IN_LIST ETALON_LAYER_${layer})
        message(FATAL_ERROR "${target} (layer ${layer}) may not depend on ${dep} (layer ${dep_layer}); "
                            "layer ${layer} sees: ${ETALON_LAYER_${layer}}")
      endif()
    endforeach()
  endforeach()
endfunction()

# etalon_plugin(NAME SOURCES ... [DEPS ...] [LIBS ...] [OUTPUT name]): a device plug-in, lib<OUTPUT or NAME>.so.
# Only etalon_device_entry is exported, also where static libraries are linked in.
function(etalon_plugin name)
  cmake_parse_arguments(arg "" "OUTPUT" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT ${name})
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${ETALON_GENERATED_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} ${arg_LIBS})
  set(exports ${PROJECT_SOURCE_DIR}/isa/abi/etalon_device.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINK_DEPENDS ${exports})
  if(TARGET etalon_generate)
    add_dependencies(${name} etalon_generate)
  endif()
endfunction()
