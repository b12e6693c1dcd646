# SPDX-License-Identifier: MIT
#
# The target coverage-report, in the preset coverage: runs the tests and prints which part of each
# source file they reach; coverage/lines.txt in the build tree has it line by line.
find_program(LLVM_PROFDATA NAMES llvm-profdata llvm-profdata-14 REQUIRED)
find_program(LLVM_COV NAMES llvm-cov llvm-cov-14 REQUIRED)

set(coverage ${PROJECT_BINARY_DIR}/coverage)
get_property(programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
set(objects)
foreach(program IN LISTS programs)
  get_target_property(type ${program} TYPE)
  if(type STREQUAL EXECUTABLE)
    list(APPEND objects -object $<TARGET_FILE:${program}>)
  endif()
endforeach()

add_custom_target(coverage-report
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${coverage}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${coverage}
  COMMAND ${CMAKE_COMMAND} -E env LLVM_PROFILE_FILE=${coverage}/%m.profraw
          ${CMAKE_CTEST_COMMAND} --no-tests=error -j 2
  COMMAND sh -c "exec ${LLVM_PROFDATA} merge -sparse -o ${coverage}/all ${coverage}/*.profraw"
  COMMAND ${LLVM_COV} show -instr-profile=${coverage}/all ${objects}
          -ignore-filename-regex=/tests/ > ${coverage}/lines.txt
  COMMAND ${LLVM_COV} report -instr-profile=${coverage}/all ${objects}
          -ignore-filename-regex=/tests/
  COMMAND_EXPAND_LISTS VERBATIM)
