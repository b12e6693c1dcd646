/* SPDX-License-Identifier: MIT */
/* The levels in the order of their releases, and what each of them has (core/level.h). */
#include "core/level.h"

#include <string.h>

const char *const core_level_names[LEVEL_COUNT] = {
#define LEVEL(id, text) [LEVEL_##id] = (text),
	CORE_LEVELS(LEVEL)
#undef LEVEL
};

/* Oldest first; enum core_level cannot be in this order, because bytes depend on its own. */
enum release {
	RELEASE_5_17,
	RELEASE_5_18,
	RELEASE_5_19,
	RELEASE_6_0,
	RELEASE_6_1,
	RELEASE_6_5,
	RELEASE_6_8,
	RELEASE_6_10,
	RELEASE_6_13,
	RELEASE_6_14,
	RELEASE_6_17,
	RELEASE_6_18,
	RELEASE_COUNT,
};

_Static_assert((int)RELEASE_COUNT == (int)LEVEL_COUNT, "every level is a release");

static const uint8_t release_of[LEVEL_COUNT] = {
#define LEVEL(id, text) [LEVEL_##id] = RELEASE_##id,
	CORE_LEVELS(LEVEL)
#undef LEVEL
};

static const struct {
	uint8_t from, to; /* releases, both included; from > to: none of them */
} feature_range[FEATURE_COUNT] = {
#define FEATURE(id, from, to) [FEAT_##id] = {RELEASE_##from, RELEASE_##to},
	CORE_FEATURES(FEATURE)
#undef FEATURE
};

uint32_t core_level_features(enum core_level level)
{
	uint8_t release = release_of[level];
	uint32_t set = 0;

	for (unsigned i = 0; i < FEATURE_COUNT; i++)
		if (release >= feature_range[i].from && release <= feature_range[i].to)
			set |= 1u << i;
	return set;
}

int core_level_compare(enum core_level a, enum core_level b)
{
	return (int)release_of[a] - (int)release_of[b];
}

enum core_level core_level_by_name(const char *text)
{
	for (unsigned i = 0; i < LEVEL_COUNT; i++)
		if (strcmp(core_level_names[i], text) == 0)
			return (enum core_level)i;
	return LEVEL_COUNT;
}
