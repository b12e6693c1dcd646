/* SPDX-License-Identifier: MIT */
/* Toggles: the names of everything in which builds may differ (core/toggles.def). */
#ifndef CORE_TOGGLES_H
#define CORE_TOGGLES_H

#include <stdint.h>

enum toggle_kind { TOGGLE_DECISION, TOGGLE_QUIRK, TOGGLE_MUTANT };

enum toggle {
#define TOGGLE(id, name, kind, what) TOGGLE_##id,
#include "core/toggles.def"
#undef TOGGLE
	TOGGLE_COUNT,
};

/* A set of toggles, and the two that have a name of their own. */
#define TOGGLE_BIT(id)	(1u << TOGGLE_##id)
#define TOGGLES_VANILLA TOGGLE_BIT(PARENT_IGNORE_FIX)
#define TOGGLES_OPTIMIZED                                                                  \
	(TOGGLE_BIT(PARENT_IGNORE_FIX) | TOGGLE_BIT(MODIFY_MASK) | TOGGLE_BIT(UNWATCHED) | \
	 TOGGLE_BIT(PSEUDO_OPT_OUT))

struct toggle_info {
	const char *name;
	enum toggle_kind kind;
	const char *what;
};

extern const struct toggle_info core_toggles[TOGGLE_COUNT];

#endif
