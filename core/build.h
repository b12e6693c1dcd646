/* SPDX-License-Identifier: MIT */
/*
 * A build of the core, as the rest of the program sees it: one table of operations. Each build
 * exports exactly one symbol, its table; everything else in it is hidden, so that several builds
 * of the same sources live in one process.
 */
#ifndef CORE_BUILD_H
#define CORE_BUILD_H

#include <stddef.h>

#include "core/toggles.h"
#include "core/world.h"

struct op;

/* What an executor made from a kernel tree says of itself (kernel/intree). */
struct core_tree {
	enum core_level level; /* it runs at this level, whatever the program says */
	/* What its sources have more and less than the model has at that level, by features of
	 * core/level.h: fixes come to stable kernels early. A model that is held against the tree
	 * must have the same. */
	uint32_t features_more;
	uint32_t features_less;
	size_t world_size; /* sizeof(struct world), for a tree is compiled apart */

	/* In place of world_reset(); before the world is freed. */
	void (*start)(struct world *w, const struct world_config *config);
	void (*stop)(struct world *w);
};

struct core_build {
	const char *name;
	uint32_t toggles; /* the decisions it was built with; the workbench: all it can have */

	/* Runs one operation. Returns what the system call would: a value that is not negative,
	 * or a negative errno. Sets w->sections, visits and changes for this operation. */
	int32_t (*step)(struct world *w, const struct op *op);

	/* Closes everything that is still open, so that nothing may be left (oracle "balance"). */
	void (*close_all)(struct world *w);

	const struct core_tree *tree; /* null: a build of the model */
};

extern const struct core_build core_vanilla;
extern const struct core_build core_optimized;
extern const struct core_build core_workbench;

#endif
