/* SPDX-License-Identifier: MIT */
/*
 * Property: the workbench with a build's toggles is that build. What it says of variants, quirks
 * and mutants then speaks about the builds themselves.
 */
#include <stdlib.h>

#include "fuzz/bytes.h"
#include "fuzz/compare.h"
#include "fuzz/targets/require.h"

/* A toggle put on and taken off again: the workbench, set as the build is. */
static const char *const names[] = {"vanilla,vanilla+k1-k1", "optimized,optimized+k1-k1"};

enum { PAIRS = sizeof(names) / sizeof(names[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pair pair[PAIRS];
	static bool open;
	static struct program p;
	char error[512] = "";

	for (unsigned i = 0; !open && i < PAIRS; i++)
		REQUIRE(pair_open(&pair[i], names[i], error, sizeof(error)), "%s", error);
	open = true;
	bytes_decode(data, size, &p);
	for (unsigned i = 0; i < PAIRS; i++)
		REQUIRE(pair_agrees(&pair[i], &p), "%s", names[i]);
	return 0;
}
