# SPDX-License-Identifier: Apache-2.0
# Run by a woven build after project() (CMAKE_PROJECT_etalon_INCLUDE): the switch in every file, our main in every test.
set(mutants ${CMAKE_CURRENT_LIST_DIR})
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-include> $<$<COMPILE_LANGUAGE:CXX>:${mutants}/runtime.h>)
add_library(etalon_mutants STATIC ${mutants}/runtime.cc ${mutants}/test_main.cc)
target_compile_features(etalon_mutants PRIVATE cxx_std_20)
target_include_directories(etalon_mutants PRIVATE ${mutants}/../..)
# First in the line of every program, so its main is taken before that of GoogleTest.
link_libraries(etalon_mutants)
# The libraries that are linked with it are installed.
install(TARGETS etalon_mutants EXPORT EtalonTargets ARCHIVE DESTINATION lib)
