/* SPDX-License-Identifier: MIT */
/*
 * What is observed: the words of the world (core/observe.h), counted from what stands in the tree's
 * queues and lists of marks.
 */
#include <stdio.h>

#include "core/observe.h"
#include "kernel/intree/glue.h"
#include "tree_build.h"

uint8_t glue_doer(unsigned pid)
{
	return pid == BRIDGE_THREAD ? BY_THREAD : pid == BRIDGE_OTHER ? BY_OTHER : BY_SELF;
}

struct event glue_event(const struct record *r, unsigned seq, uint8_t answer)
{
	return (struct event){
		.mask = r->mask,
		.cookie = r->cookie ? r->cookie - glue.cookie : 0,
		.wd = r->wd,
		.next = NO_EVENT,
		.seq = (uint16_t)seq,
		.kind = r->kind,
		.inode = r->inode,
		.dir = r->dir,
		.name = r->name,
		.new_dir = r->new_dir,
		.new_name = r->new_name,
		.dentry = r->dentry,
		.mount = r->mount,
		.answer = answer,
		.by = glue_doer(r->pid),
	};
}

static void observe_marks(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_marks(l->fd, glue.mark);

	for (unsigned i = 0; i < count; i++) {
		struct mark m = {.mask = glue.mark[i].mask,
				 .ignored = glue.mark[i].ignored,
				 .group = group,
				 .kind = glue.mark[i].kind,
				 .object = glue.mark[i].object,
				 .flags = glue.mark[i].flags,
				 .wd = glue.mark[i].wd};
		w->marks += mark_hash(w, &m);
	}
	w->live_marks = (uint16_t)(w->live_marks + count);
}

static void observe_events(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_queue(l->fd, glue.record);
	struct event e;

	for (unsigned i = 0; i < l->taken; i++) {
		e = glue_event(&l->record[i].record, l->removed - l->taken + i,
			       l->record[i].answer);
		w->events += event_hash(w, group, &e);
	}
	for (unsigned i = 0; i < count; i++) {
		e = glue_event(&glue.record[i], l->removed + i, 0);
		w->events += event_hash(w, group, &e);
	}
	w->live_events = (uint16_t)(w->live_events + count + l->taken);
}

void glue_observe(struct world *w)
{
	w->events = glue.odd;
	w->marks = 0;
	w->live_marks = w->live_events = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		uint8_t group = w->group_slot[slot];
		if (group == NONE)
			continue;
		observe_marks(w, group, &glue.listener[slot]);
		observe_events(w, group, &glue.listener[slot]);
	}
}

void glue_odd(const struct world *w, const char *what, uint32_t odd)
{
	glue.odd = world_mix(glue.odd, odd);
	if (w->journal)
		fprintf(stderr, "%s: %s (%08x)\n", TREE_NAME, what, odd);
}
