/* SPDX-License-Identifier: MIT */
/*
 * The journal: what an operation has queued and merged is told by the queues before and after it,
 * as the mirror shows them.
 */
#include "kernel/intree/glue.h"

void glue_note(struct world *w, enum journal_kind kind, uint8_t slot, const struct event *e)
{
	if (!w->journal || w->journal->count >= JOURNAL_CAPACITY)
		return;
	w->journal->entry[w->journal->count++] =
		(struct journal_entry){.kind = (uint8_t)kind, .group = slot, .event = *e};
}

/* How many records each group has had. */
static void remember(struct world *w)
{
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++)
		if (w->group_slot[slot] != NONE)
			glue.listener[slot].appended = w->group[w->group_slot[slot]].appended;
}

/* The masks of records that stood in the queues before, by slot and number. */
static struct earlier {
	uint8_t slot;
	uint16_t seq;
	uint32_t mask;
} earlier[MAX_EVENT];
static unsigned earlier_count;

static void note_earlier(const struct world *w)
{
	earlier_count = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		if (w->group_slot[slot] == NONE)
			continue;
		uint16_t i = w->group[w->group_slot[slot]].first;
		for (; i != NO_EVENT; i = w->event[i].next)
			earlier[earlier_count++] =
				(struct earlier){slot, w->event[i].seq, w->event[i].mask};
	}
}

static bool has_grown(uint8_t slot, const struct event *e)
{
	for (unsigned i = 0; i < earlier_count; i++)
		if (earlier[i].slot == slot && earlier[i].seq == e->seq)
			return earlier[i].mask != e->mask;
	return false;
}

static void note_list(struct world *w, uint8_t slot, uint16_t first)
{
	for (uint16_t i = first; i != NO_EVENT; i = w->event[i].next) {
		const struct event *e = &w->event[i];
		if (e->seq >= glue.listener[slot].appended)
			glue_note(w, e->kind == EVENT_ASK ? JOURNAL_ASKED : JOURNAL_QUEUED, slot,
				  e);
		else if (has_grown(slot, e))
			glue_note(w, JOURNAL_MERGED, slot, e);
	}
}

void glue_journal_before(struct world *w)
{
	glue_mirror(w);
	remember(w);
	note_earlier(w);
}

void glue_journal_after(struct world *w)
{
	glue_mirror(w);
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		if (w->group_slot[slot] == NONE)
			continue;
		const struct group *g = &w->group[w->group_slot[slot]];
		note_list(w, slot, g->taken_first);
		note_list(w, slot, g->first);
	}
}
