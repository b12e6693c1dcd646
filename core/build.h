/* SPDX-License-Identifier: MIT */
/*
 * A build of the core, as the rest of the program sees it: one table of operations. Each build
 * exports exactly one symbol, its table; everything else in it is hidden, so that several builds
 * of the same sources live in one process.
 */
#ifndef CORE_BUILD_H
#define CORE_BUILD_H

#include "core/toggles.h"
#include "core/world.h"

struct op;

struct core_build {
	const char *name;
	uint32_t toggles; /* the decisions it was built with; the workbench: all it can have */

	/* Runs one operation. Returns what the system call would: a value that is not negative,
	 * or a negative errno. Sets w->sections, visits and changes for this operation. */
	int32_t (*step)(struct world *w, const struct op *op);

	/* Closes everything that is still open, so that nothing may be left (oracle "balance"). */
	void (*close_all)(struct world *w);
};

extern const struct core_build core_vanilla;
extern const struct core_build core_optimized;
extern const struct core_build core_workbench;

#endif
