/* SPDX-License-Identifier: MIT */
/*
 * What was delivered in a run of `fsndiff check`: by which operation, which event, to which kind of
 * group, because of a mark on what. Which mark it was is known from the model's dispatch, operation
 * by operation as long as the kernel agrees.
 */
#ifndef FUZZ_COMMAND_CHECK_COVERAGE_H
#define FUZZ_COMMAND_CHECK_COVERAGE_H

#include "fuzz/command_check.h"

/* How a group is told. Of the modes that report handles those that fanotify_init() allows. */
enum told_mode {
	MODE_INOTIFY,
	MODE_PATH, /* a descriptor; questions that were answered with allow */
	MODE_DENIED,
	MODE_FID,
	MODE_DIR,
	MODE_FID_DIR,
	MODE_NAME,
	MODE_FID_NAME,
	MODE_TARGET,
	TOLD_MODES,
};

/* What the mark is on that asked. */
enum told_mark {
	MARK_ON_INODE, /* the object itself; the directory that an entry event is about */
	MARK_ON_PARENT,
	MARK_ON_MOUNT,
	MARK_ON_SB,
	MARK_ON_SEVERAL, /* marks of the group on more than one of these */
	TOLD_MARKS,
};

enum { TOLD_EVENTS = 32 }; /* by bit */

/* Nothing but uint64_t. */
struct check_coverage {
	uint64_t operation[OP_COUNT][TOLD_EVENTS];
	uint64_t told[TOLD_EVENTS][TOLD_MODES][TOLD_MARKS];
};

/* Counts what one operation delivered on the model's side. */
void check_cover(struct check_coverage *v, const struct world *w, const struct journal *j,
		 const struct op *op);

/* Writes the page that was asked for, if one was: markdown, the tables and the command line that
 * they come from. Gives EXIT_SAME, or EXIT_ENVIRONMENT after a message. */
int check_coverage_write(const struct check_coverage *v, const struct check_options *o);

#endif
