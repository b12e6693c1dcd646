/* SPDX-License-Identifier: MIT */
/*
 * The pools of the world, filled from what stands in the tree, for those who put a world into
 * words.
 */
#include "core/mark.h"
#include "core/poison.h"
#include "kernel/intree/glue.h"

static void mirror_marks(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_marks(l->fd, glue.mark);
	uint8_t *next = &w->group[group].marks;

	w->group[group].mark_count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		uint8_t index = w->mark_count++;
		struct mark *m = &w->mark[index];
		core_unpoison(m, sizeof(*m));
		*m = (struct mark){.mask = glue.mark[i].mask,
				   .ignored = glue.mark[i].ignored,
				   .group = group,
				   .kind = glue.mark[i].kind,
				   .object = glue.mark[i].object,
				   .flags = glue.mark[i].flags,
				   .wd = glue.mark[i].wd,
				   .alive = true,
				   .next_on_object = NONE,
				   .next_in_group = NONE};
		*next = index;
		next = &m->next_in_group;
	}
	*next = NONE;
}

static uint16_t mirror_event(struct world *w, const struct event *e)
{
	uint16_t index = w->event_count++;

	core_unpoison(&w->event[index], sizeof(w->event[index]));
	w->event[index] = *e;
	return index;
}

static void append(struct world *w, uint16_t *first, uint16_t *last, const struct event *e)
{
	uint16_t index = mirror_event(w, e);

	if (*last == NO_EVENT)
		*first = index;
	else
		w->event[*last].next = index;
	*last = index;
}

static void mirror_events(struct world *w, uint8_t group, const struct listener *l)
{
	struct group *g = &w->group[group];
	unsigned count = machine_queue(l->fd, glue.record);
	struct event e;

	g->first = g->last = g->taken_first = g->taken_last = NO_EVENT;
	for (unsigned i = 0; i < l->taken; i++) {
		e = glue_event(&l->record[i].record, l->removed - l->taken + i,
			       l->record[i].answer);
		append(w, &g->taken_first, &g->taken_last, &e);
	}
	for (unsigned i = 0; i < count; i++) {
		e = glue_event(&glue.record[i], l->removed + i, 0);
		append(w, &g->first, &g->last, &e);
	}
	g->length = (uint16_t)count;
	g->appended = (uint16_t)(l->removed + count);
}

/* Marks of one object in the order of their groups. */
static void mirror_connector(struct world *w, const struct seen_connector *seen)
{
	uint8_t index = w->connector_count++;
	struct connector *c = &w->connector[index];

	core_unpoison(c, sizeof(*c));
	*c = (struct connector){.kind = seen->kind,
				.object = seen->object,
				.first = NONE,
				.alive = true,
				.interest = seen->interest};
	*object_connector(w, seen->kind, seen->object) = index;
	for (uint8_t i = 0; i < w->mark_count; i++) {
		uint8_t *at = &c->first;
		if (w->mark[i].kind != seen->kind || w->mark[i].object != seen->object)
			continue;
		while (*at != NONE &&
		       w->group[w->mark[*at].group].rank < w->group[w->mark[i].group].rank)
			at = &w->mark[*at].next_on_object;
		w->mark[i].next_on_object = *at;
		*at = i;
	}
}

static void mirror_connectors(struct world *w)
{
	static struct seen_connector seen[MAX_INODE + MAX_MOUNT + MAX_SB];
	unsigned count = machine_connectors(seen);

	for (unsigned i = 0; i < w->inodes; i++)
		w->inode[i].connector = NONE;
	for (unsigned i = 0; i < MAX_MOUNT; i++)
		w->mount[i].connector = NONE;
	for (unsigned i = 0; i < MAX_SB; i++)
		w->sb[i].connector = NONE;
	for (unsigned i = 0; i < count && w->connector_count < MAX_CONNECTOR; i++)
		mirror_connector(w, &seen[i]);
}

void glue_mirror(struct world *w)
{
	w->mark_count = w->connector_count = 0;
	w->event_count = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		uint8_t group = w->group_slot[slot];
		if (group == NONE)
			continue;
		mirror_marks(w, group, &glue.listener[slot]);
		mirror_events(w, group, &glue.listener[slot]);
	}
	mirror_connectors(w);
	w->live_connectors = w->connector_count;
}
