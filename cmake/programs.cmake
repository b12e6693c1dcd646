# SPDX-License-Identifier: MIT
#
# The programs around the tool library: the command, the dictionary, the mutator, the fuzz targets,
# the tests and the benchmarks. Sources are found by name, so a new file needs no entry here.

# fsndiff_add_command(SOURCE...): the subcommands as a library, and fsndiff itself.
function(fsndiff_add_command)
  find_path(JANSSON_INCLUDE_DIR jansson.h REQUIRED)
  find_library(JANSSON_LIBRARY jansson REQUIRED)
  add_library(fsndiff_command STATIC ${ARGN})
  target_include_directories(fsndiff_command SYSTEM PUBLIC ${JANSSON_INCLUDE_DIR})
  target_link_libraries(fsndiff_command PUBLIC fsndiff_tool ${JANSSON_LIBRARY})

  add_executable(fsndiff fuzz/main.c)
  target_link_libraries(fsndiff PRIVATE fsndiff_command)
endfunction()

# fuzz/dictionary.c prints the fuzzers' dictionary: fsndiff.dict.
function(fsndiff_add_dictionary)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/fuzz/dictionary.c)
    return()
  endif()
  add_executable(fsndiff-dictionary fuzz/dictionary.c)
  target_link_libraries(fsndiff-dictionary PRIVATE fsndiff_tool)
  set(dictionary ${PROJECT_BINARY_DIR}/fsndiff.dict)
  add_custom_command(OUTPUT ${dictionary} COMMAND fsndiff-dictionary > ${dictionary} VERBATIM)
  add_custom_target(dictionary ALL DEPENDS ${dictionary})
endfunction()

# fuzz/mutator/afl.c becomes a shared library that afl-fuzz loads into itself: so it has no
# instrumentation in the afl preset either (AFL_NOOPT), and is not made in the other ones that have
# some. libfuzzer.c is linked into the targets.
function(fsndiff_add_mutator)
  if(NOT FSNDIFF_FLAVOR MATCHES "^(plain|afl)$")
    return()
  endif()
  add_library(fsn_mutator SHARED fuzz/mutator/afl.c fuzz/mutate.c fuzz/bytes.c fuzz/program.c
              ${ARGN})
  target_link_options(fsn_mutator PRIVATE LINKER:-z,defs)
  set_target_properties(fsn_mutator PROPERTIES
    RULE_LAUNCH_COMPILE "${CMAKE_COMMAND} -E env AFL_NOOPT=1"
    RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env AFL_NOOPT=1")
endfunction()

# fuzz/targets/*.c: NAME. With an engine it fuzzes; without one it runs the files and directories
# it is given, and a test runs it over the corpus. The mutator makes the byte form of a program, so
# the targets that take something else (text_*, parser_*, empty) go without it.
function(fsndiff_add_targets)
  file(GLOB sources CONFIGURE_DEPENDS fuzz/targets/*.c)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    if(name STREQUAL model_vs_tree AND NOT FSNDIFF_TREES)
      continue()
    endif()
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE fsndiff_tool)
    if(FSNDIFF_ENGINE)
      target_compile_options(${name} PRIVATE ${FSNDIFF_GUIDED})
      target_link_options(${name} PRIVATE ${FSNDIFF_ENGINE})
    else()
      target_sources(${name} PRIVATE fuzz/targets/driver/standalone.c)
      add_test(NAME target_${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/corpus)
    endif()
    if(FSNDIFF_FLAVOR MATCHES "^fuzz" AND NOT name MATCHES "^(empty$|text_|parser_)")
      target_sources(${name} PRIVATE fuzz/mutator/libfuzzer.c)
    endif()
  endforeach()
endfunction()

# tests/test_*.c with cmocka; tests/cli/*.sh with the path of fsndiff in their environment;
# tests/campaign/*.sh and tests/trees/*.sh, of the release build only, for they have their own
# builds. All find the checkout in SOURCE_DIR and the build tree in BUILD_DIR. A script that this
# machine does not let run ends with 125.
function(fsndiff_add_tests)
  find_path(CMOCKA_INCLUDE_DIR cmocka.h REQUIRED)
  find_library(CMOCKA_LIBRARY cmocka REQUIRED)
  set(environment FSNDIFF=$<TARGET_FILE:fsndiff> SOURCE_DIR=${PROJECT_SOURCE_DIR}
                  BUILD_DIR=${PROJECT_BINARY_DIR})
  file(GLOB sources CONFIGURE_DEPENDS tests/test_*.c)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(${name} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE fsndiff_command ${CMOCKA_LIBRARY})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 120)
  endforeach()

  # MSan takes what jansson writes for uninitialised, as jansson is not instrumented.
  if(FSNDIFF_FLAVOR STREQUAL msan)
    return()
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS tests/cli/*.sh)
  file(GLOB campaigns CONFIGURE_DEPENDS tests/campaign/*.sh)
  file(GLOB trees CONFIGURE_DEPENDS tests/trees/*.sh)
  if(FSNDIFF_FLAVOR STREQUAL plain AND CMAKE_BUILD_TYPE STREQUAL Release)
    list(APPEND scripts ${campaigns} ${trees})
  endif()
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    cmake_path(GET script PARENT_PATH folder)
    cmake_path(GET folder FILENAME kind)
    add_test(NAME ${kind}_${name} COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${kind}_${name} PROPERTIES
      ENVIRONMENT "${environment}" TIMEOUT 300 SKIP_RETURN_CODE 125 LABELS ${kind})
    if(kind STREQUAL campaign)
      set_tests_properties(${kind}_${name} PROPERTIES RUN_SERIAL TRUE)
    endif()
  endforeach()
endfunction()

# bench/*.c: bench/NAME.
function(fsndiff_add_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS bench/*.c)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(bench_${name} ${source})
    set_target_properties(bench_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_link_libraries(bench_${name} PRIVATE fsndiff_command)
  endforeach()
endfunction()
