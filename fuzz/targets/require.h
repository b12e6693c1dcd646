/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: their entry point, and an assertion. It is always on; prints what
 * does not hold and in what context, then aborts, so that an engine keeps the input. */
#ifndef FUZZ_TARGETS_REQUIRE_H
#define FUZZ_TARGETS_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition, ...)                                                           \
	do {                                                                              \
		if (!(condition)) {                                                       \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
				#condition);                                              \
			fprintf(stderr, __VA_ARGS__);                                     \
			fputc('\n', stderr);                                              \
			abort();                                                          \
		}                                                                         \
	} while (0)

#endif
