/* SPDX-License-Identifier: MIT */
/*
 * A group's queue of events: first in, first out, with a limit, merging by the back-end's rule,
 * and one overflow event that stands for everything that did not fit.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core/world.h"

/* An event about nothing, to be filled in. */
#define BLANK_EVENT                                                                        \
	.inode = NONE, .dir = NONE, .name = NO_NAME, .new_dir = NONE, .new_name = NO_NAME, \
	.dentry = NONE, .mount = NONE

enum queue_result { QUEUE_ADDED, QUEUE_MERGED, QUEUE_FULL };

/* Takes `candidate` into the queue, merged or as a new event. A full queue takes the overflow
 * event instead, once; a merge is not tried then. References that the event holds (path mode) are
 * taken only when it is added. */
enum queue_result queue_add(struct world *w, uint8_t group, const struct event *candidate);

/* Reads everything, oldest first: journals each event, drops what it holds. Returns how many. */
int32_t queue_read_all(struct world *w, uint8_t group);

/* The listener answers a permission event: it has to read all that was queued before. All that,
 * and the question with its answer, is kept for the next read, but can neither merge nor count
 * against the limit any more. Returns 0 or -EPERM. */
int queue_ask(struct world *w, uint8_t group, const struct event *question);

/* Throws everything away: the group is being closed. */
void queue_flush(struct world *w, uint8_t group);

#endif
