/* SPDX-License-Identifier: MIT */
/*
 * A tree as an executor (core/build.h): the table, one operation, the start and the end of a
 * program.
 */
#include <stdlib.h>

#include "core/build.h"
#include "kernel/intree/glue.h"
#include "tree_build.h"

_Static_assert((int)BRIDGE_NONE == (int)NONE && (int)BRIDGE_NONE == (int)NO_NAME, "no object");
_Static_assert((int)BRIDGE_INODES == (int)MAX_INODE && (int)BRIDGE_DENTRIES == (int)MAX_DENTRY &&
		       (int)BRIDGE_MOUNTS == (int)MAX_MOUNT && (int)BRIDGE_SBS == (int)MAX_SB &&
		       (int)BRIDGE_MARKS == (int)MAX_MARK &&
		       (int)BRIDGE_RECORDS == (int)MAX_EVENT &&
		       (int)BRIDGE_GROUPS == (int)MAX_GROUP,
	       "as many objects");
_Static_assert((int)BRIDGE_PIPE == (int)NODE_PIPE && (int)BRIDGE_FIFO == (int)NODE_FIFO &&
		       (int)BRIDGE_SYMLINK == (int)NODE_SYMLINK && (int)BRIDGE_DIR == (int)NODE_DIR,
	       "kinds of nodes");
_Static_assert((int)BRIDGE_MOUNT == (int)OBJECT_MOUNT && (int)BRIDGE_SB == (int)OBJECT_SB,
	       "kinds of objects");
_Static_assert((int)BRIDGE_NAME == (int)EVENT_NAME && (int)BRIDGE_ASK == (int)EVENT_ASK &&
		       (int)BRIDGE_LOST == (int)EVENT_OVERFLOW,
	       "kinds of records");
_Static_assert((int)BRIDGE_ONESHOT == (int)MARK_ONESHOT && (int)BRIDGE_SURV == (int)MARK_SURV,
	       "flags of marks");

extern const struct core_build core_tree_operations;
struct glue glue;

static int32_t step(struct world *w, const struct op *op)
{
	unsigned sections = machine_sections(), visits = machine_visits();
	int32_t ret;

	glue.op = op;
	glue.asked = false;
	if (w->journal)
		glue_journal_before(w);
	ret = core_tree_operations.step(w, op);
	if (op->id == OP_MARKS && !ret)
		glue_check_fdinfo(w, (uint8_t)op->arg[0]);
	if (op->id != OP_WORK) {
		w->sections = machine_sections() - sections;
		w->visits = machine_visits() - visits;
	}
	glue_observe(w);
	if (w->journal)
		glue_journal_after(w);
	return ret;
}

/* What is left when everything was closed is a leak: the balance oracle finds it here. */
static void close_all(struct world *w)
{
	static const struct op closing = {.id = OP_CLOSE};

	glue.op = &closing;
	core_tree_operations.close_all(w);
	machine_run_work();
	glue_observe(w);
	w->live_connectors = (uint16_t)machine_allocated();
}

/* In a process that is to see allocations fail, one in FSNDIFF_STARVE does. */
static int starvation(void)
{
	const char *text = getenv("FSNDIFF_STARVE");

	return text ? atoi(text) : 0;
}

static void start(struct world *w, const struct world_config *config)
{
	struct machine_limits limits = {.queue = config->queue_limit,
					.marks = config->mark_limit,
					.groups = config->group_limit,
					.newest_first = config->reverse,
					.starve = starvation()};
	struct world_config own = *config;

	if (glue.w)
		close_all(glue.w);
	else
		for (unsigned slot = 0; slot < GROUP_SLOTS; slot++)
			glue.listener[slot].fd = -1;
	own.level = TREE_LEVEL;
	glue.w = w;
	glue.odd = 0;
	world_reset(w, &own);
	w->features = (w->features | TREE_FEATURES_MORE) & ~TREE_FEATURES_LESS;
	machine_reset(&limits);
	glue.cookie = machine_cookie();
}

/* The world is about to go. */
static void stop(struct world *w)
{
	if (glue.w != w)
		return;
	close_all(w);
	glue.w = NULL;
}

static const struct core_tree about = {
	.level = TREE_LEVEL,
	.features_more = TREE_FEATURES_MORE,
	.features_less = TREE_FEATURES_LESS,
	.world_size = sizeof(struct world),
	.start = start,
	.stop = stop,
};

__attribute__((visibility("default"))) const struct core_build core_tree = {
	.name = TREE_NAME,
	.toggles = 0,
	.step = step,
	.close_all = close_all,
	.tree = &about,
};
