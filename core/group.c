/* SPDX-License-Identifier: MIT */
/* Groups and their slots. */
#include "core/group.h"

#include <errno.h>

#include "core/mark.h"
#include "core/queue.h"

enum { PRIORITIES = 3 };

uint8_t group_new(struct world *w, uint8_t slot, enum group_kind kind, uint8_t priority,
		  uint32_t flags)
{
	if (w->group_count >= MAX_GROUP)
		return NONE;
	uint8_t index = w->group_count++;
	/* Among equals Linux goes by address, which nobody can foresee: here by age, in either
	 * direction. */
	uint8_t age = w->config.reverse ? (uint8_t)(MAX_GROUP - 1 - index) : index;
	w->group[index] = (struct group){
		.kind = (uint8_t)kind,
		.slot = slot,
		.priority = priority,
		.rank = (uint16_t)((PRIORITIES - 1 - priority) << 8 | age),
		.alive = true,
		.marks = NONE,
		.first = NO_EVENT,
		.last = NO_EVENT,
		.taken_first = NO_EVENT,
		.taken_last = NO_EVENT,
		.flags = flags,
	};
	w->group_slot[slot] = index;
	w->live_groups++;
	return index;
}

int32_t group_close(struct world *w, uint8_t slot)
{
	uint8_t index = group_at(w, slot);
	if (index == NONE)
		return -EBADF;
	struct group *g = &w->group[index];

	g->alive = false;
	marks_destroy_of(w, index, ALL_KINDS);
	queue_flush(w, index);
	w->group_slot[slot] = NONE;
	w->live_groups--;
	if (g->kind == GROUP_INOTIFY)
		w->inotify_groups--;
	else
		w->fanotify_groups--;
	return 0;
}

int32_t group_read(struct world *w, uint8_t slot)
{
	uint8_t index = group_at(w, slot);
	return index == NONE ? -EBADF : queue_read_all(w, index);
}

int32_t group_answer(struct world *w, uint8_t slot, bool deny)
{
	uint8_t index = group_at(w, slot);
	if (index == NONE)
		return -EBADF;
	struct group *g = &w->group[index];
	if (!g->priority)
		return -EINVAL;
	if (g->answer_count >= ANSWERS)
		return -ENOSPC;
	g->answers |= (uint8_t)(deny << g->answer_count);
	g->answer_count++;
	return 0;
}
