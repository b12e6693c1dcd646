/* SPDX-License-Identifier: MIT */
/*
 * Between the files of the world's side of a tree executor, glue_*.c. The operations on names and
 * open files are the model's own (core/names.c, core/open_file.c); what they tell by core/hooks.h,
 * and what programs ask by core/fanotify.h, core/inotify.h and core/group.h, is answered by calls
 * into the tree (kernel/intree/bridge.h).
 *
 *   glue_executor.c  the executor: one operation, the start and the end of a program
 *   glue_asked.c     what the kernel's side asks about the world
 *   glue_groups.c    groups, and who listens to them
 *   glue_marks.c     marks and watches
 *   glue_hooks.c     hooks
 *   glue_observe.c   the observation words of the world, counted after every operation
 *   glue_mirror.c    the pools of the world, filled when a journal is kept
 *   glue_journal.c   the journal
 *
 * A tree's code has its state in global variables: an executor has one world at a time.
 */
#ifndef INTREE_GLUE_H
#define INTREE_GLUE_H

#include "core/group.h"
#include "core/world.h"
#include "fuzz/program.h"
#include "kernel/intree/bridge.h"

/* A record that the listener read while it was asked for permission. */
struct taken {
	struct record record;
	uint8_t answer;
};

/* Who has a group open: its descriptor, and what it has read already. */
struct listener {
	int fd;		   /* -1: nobody */
	uint16_t removed;  /* records that have left the queue since the group was made */
	uint16_t appended; /* records that had been queued in front of this operation */
	unsigned taken;
	struct taken record[MAX_EVENT];
};

struct glue {
	struct world *w;
	const struct op *op; /* the operation that is running */
	bool asked;	     /* a program was asked for both permissions at once */
	unsigned cookie;     /* the counter of cookies at the start of the program */
	uint64_t odd;	     /* what no record can show (glue_odd) */
	struct listener listener[GROUP_SLOTS];
	/* What the kernel's side was asked for last; by whoever asked. */
	struct record record[MAX_EVENT];
	struct seen_mark mark[MAX_MARK];
};

extern struct glue glue;

/* Who did it, by a number that the kernel's side knows. */
uint8_t glue_doer(unsigned pid);

/* A record as the world says it; `seq` counts the records of its group. */
struct event glue_event(const struct record *r, unsigned seq, uint8_t answer);

/* Counts the observation words of the world. */
void glue_observe(struct world *w);

/* Something that no record can show, as a number: it becomes part of what is observed, and when
 * somebody looks it is said aside. */
void glue_odd(const struct world *w, const char *what, uint32_t odd);

/* fdinfo must list the marks as they are. */
void glue_check_fdinfo(const struct world *w, uint8_t slot);

/* Fills the pools of the world. */
void glue_mirror(struct world *w);

/* When a journal is kept: an entry of it; the queues before an operation, and what has come into
 * them afterwards. */
void glue_note(struct world *w, enum journal_kind kind, uint8_t slot, const struct event *e);
void glue_journal_before(struct world *w);
void glue_journal_after(struct world *w);

#endif
