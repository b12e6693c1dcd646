# SPDX-License-Identifier: MIT
#
# fsndiff_add_build(NAME POLICY_DIR SOURCE...): compiles the sources with the policy of that
# directory ("policy_build.h" is found there) into one relocatable object whose only global symbol
# is the table core_NAME, so that the same core is linked several times into one program. What the
# object needs from outside (the policy-free core, a sanitizer's runtime) stays undefined.
#
# GNU ld and objcopy do it whatever the compiler: lld cannot resolve COMDAT groups on the way
# (--force-group-allocation), and a group left in would be discarded in all builds but the first.
if(CMAKE_CROSSCOMPILING)
  set(FSNDIFF_LD ${CMAKE_LINKER})
  set(FSNDIFF_OBJCOPY ${CMAKE_OBJCOPY})
else()
  find_program(FSNDIFF_LD NAMES ld.bfd ld REQUIRED)
  find_program(FSNDIFF_OBJCOPY objcopy REQUIRED)
endif()

function(fsndiff_add_build name policy)
  add_library(core_${name} OBJECT ${ARGN})
  target_include_directories(core_${name} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/${policy})
  if(NOT name STREQUAL workbench)
    target_compile_options(core_${name} PRIVATE ${FSNDIFF_GUIDED})
  endif()

  set(joined ${PROJECT_BINARY_DIR}/core_${name}.joined.o)
  set(object ${PROJECT_BINARY_DIR}/core_${name}.o)
  add_custom_command(
    OUTPUT ${object}
    BYPRODUCTS ${joined}
    COMMAND ${FSNDIFF_LD} -r --force-group-allocation -o ${joined}
            $<TARGET_OBJECTS:core_${name}>
    COMMAND ${FSNDIFF_OBJCOPY} --keep-global-symbol=core_${name} ${joined} ${object}
    DEPENDS $<TARGET_OBJECTS:core_${name}>
    COMMENT "Joining the ${name} build"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(FSNDIFF_BUILD_OBJECTS ${FSNDIFF_BUILD_OBJECTS} ${object} PARENT_SCOPE)
endfunction()
