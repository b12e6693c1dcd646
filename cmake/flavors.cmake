# SPDX-License-Identifier: MIT
#
# Flags for all code of a build tree. FSNDIFF_FLAVOR chooses the instrumentation:
#
#   plain      none
#   asan       AddressSanitizer and UBSan, the first error ends the program
#   msan       MemorySanitizer (clang)
#   fuzz       libFuzzer with ASan and UBSan (clang)
#   fuzz-fast  libFuzzer alone (clang)
#   afl        AFL++: the compiler is afl-clang-fast, its driver is linked like libFuzzer
#   coverage   source-based coverage (clang)
#
# Sets FSNDIFF_ENGINE: the link option that brings a fuzzing engine, or nothing; and
# FSNDIFF_GUIDED: the options for the sources that libFuzzer is to be guided by. Those are the code
# under test and no more: every counter costs time at every input, and what the comparator does is
# no news. Comparisons are not traced: the mutator makes values that fit.
set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
set(flavor_plain)
set(flavor_asan ${sanitize})
set(flavor_msan -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer)
set(flavor_fuzz ${sanitize})
set(flavor_fuzz-fast)
set(flavor_afl)
set(flavor_coverage -fprofile-instr-generate -fcoverage-mapping)

if(NOT DEFINED flavor_${FSNDIFF_FLAVOR} AND NOT FSNDIFF_FLAVOR MATCHES "^(plain|afl|fuzz-fast)$")
  message(FATAL_ERROR "FSNDIFF_FLAVOR=${FSNDIFF_FLAVOR}: expected one of plain, asan, msan, fuzz, "
                      "fuzz-fast, afl, coverage")
endif()
set(FSNDIFF_ENGINE)
if(FSNDIFF_FLAVOR MATCHES "^(fuzz|fuzz-fast|afl)$")
  set(FSNDIFF_ENGINE -fsanitize=fuzzer)
endif()
set(FSNDIFF_GUIDED)
if(FSNDIFF_FLAVOR MATCHES "^(fuzz|fuzz-fast)$")
  set(FSNDIFF_GUIDED -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

# Assertions are part of every build: no NDEBUG.
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_RELEASE "${FSNDIFF_OPTIMIZE} -g")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
# The mutator is a shared library with the tool in it; hidden symbols keep that free of charge.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${FSNDIFF_WERROR}>:-Werror>
                    ${flavor_${FSNDIFF_FLAVOR}})
add_link_options(${flavor_${FSNDIFF_FLAVOR}} ${FSNDIFF_GUIDED})
# Empty, so that a file may define it as well.
add_compile_definitions(_GNU_SOURCE=)
include_directories(${PROJECT_SOURCE_DIR})
