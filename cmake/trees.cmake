# SPDX-License-Identifier: MIT
#
# Kernel trees as executors. fsndiff makes them when it is asked for one, by kernel/intree/prepare of
# this checkout, with the compiler and the flags that it has been compiled with itself.
#
# FSNDIFF_TREES: the target model_vs_tree as well, with two trees linked into it; their sources are
# fetched while building.
string(JOIN " " tree_flags ${FSNDIFF_OPTIMIZE} -g ${flavor_${FSNDIFF_FLAVOR}})
string(JOIN " " tree_guided ${FSNDIFF_GUIDED})
set_property(SOURCE fuzz/tree_loader.c APPEND PROPERTY COMPILE_DEFINITIONS
  FSNDIFF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  FSNDIFF_TREE_CC="${CMAKE_C_COMPILER}"
  FSNDIFF_TREE_FLAGS="${tree_flags}"
  FSNDIFF_TREE_GUIDED="${tree_guided}")

# A tree that is loaded finds the runtime of its instrumentation in the program.
set_target_properties(fsndiff builds_agree PROPERTIES ENABLE_EXPORTS TRUE)

# tree_object(VARIABLE SYMBOL NAME): the path of an object with that tree in it.
function(tree_object variable symbol name)
  set(object ${PROJECT_BINARY_DIR}/trees/${symbol}.o)
  set(prepare ${PROJECT_SOURCE_DIR}/kernel/intree/prepare)
  file(GLOB sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/kernel/intree/*.[ch] ${PROJECT_SOURCE_DIR}/kernel/intree/include/*.h
    ${PROJECT_SOURCE_DIR}/kernel/intree/edits/* ${PROJECT_SOURCE_DIR}/core/*.[ch])
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/trees
    COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} TREE_FLAGS=${tree_flags}
            TREE_GUIDED=${tree_guided}
            sh -c "set -e; made=$('${prepare}' -s ${symbol} '${name}'); cp \"$made/tree.o\" '${object}'"
    DEPENDS ${prepare} ${sources} ${PROJECT_SOURCE_DIR}/fuzz/step.c
    COMMENT "Preparing the tree ${name}"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

if(FSNDIFF_TREES)
  tree_object(first core_tree_vanilla debian:6.1-modify_mask)
  tree_object(second core_tree_optimized debian:6.1)
  target_sources(model_vs_tree PRIVATE ${first} ${second})
endif()
