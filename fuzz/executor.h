/* SPDX-License-Identifier: MIT */
/*
 * An executor: anything that can run a program operation by operation and say what was observed.
 * Here: the builds of the core. Names:
 *   vanilla, optimized                     the two builds
 *   vanilla+k1, optimized-modify_mask, …   the workbench with that set of toggles
 *   tree:NAME                              the fs/notify of a kernel tree (kernel/intree/prepare),
 *                                          in programs that can load one (fuzz/tree_loader.h)
 */
#ifndef FUZZ_EXECUTOR_H
#define FUZZ_EXECUTOR_H

#include "core/build.h"
#include "fuzz/program.h"

enum { EXECUTOR_NAME = 128 };

struct executor {
	char name[EXECUTOR_NAME];
	const struct core_build *build;
	uint32_t toggles; /* what it has, whether built in or switched on */
	uint32_t claims;  /* the same without mutants: what the masks oracle holds it to */
	struct world *world;
	void *library;		      /* of a tree: what it was loaded from */
	const struct core_tree *like; /* a model that is held against this tree: same level, same
				       * features */
};

/* Loads the executor of the tree with this name (without "tree:"); a library is loaded anew every
 * time, for a tree has its state in it. False: `error` says why not. */
struct executor_loader {
	const struct core_build *(*load)(const char *name, void **library, char *error,
					 size_t size);
	void (*unload)(void *library);
};

/* Null in programs that load none. */
extern const struct executor_loader *executor_loader;

/* Finds the executor of that name and allocates its world, once; nothing allocates after that.
 * False: `error` says what is wrong and what would be right, the nearest name first. */
bool executor_open(struct executor *e, const char *name, char *error, size_t size);
void executor_close(struct executor *e);

/* Adds toggles to an executor that is open (a quirk on the vanilla side): it becomes a workbench,
 * and the toggles become part of its name. */
void executor_with(struct executor *e, uint32_t toggles);

/* Prepares for a new program. `journal` may be null; it is emptied. */
void executor_start(struct executor *e, const struct world_config *config, struct journal *journal);

static inline int32_t executor_step(struct executor *e, const struct op *op)
{
	return e->build->step(e->world, op);
}

#endif
