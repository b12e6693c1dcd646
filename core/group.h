/* SPDX-License-Identifier: MIT */
/* Groups: made by a back-end, found by their slot, closed with all that belongs to them. */
#ifndef CORE_GROUP_H
#define CORE_GROUP_H

#include "core/world.h"

/* A new group in a free slot; NONE when the pool is empty. */
uint8_t group_new(struct world *w, uint8_t slot, enum group_kind kind, uint8_t priority,
		  uint32_t flags);

/* The group in a slot, or NONE. */
static inline uint8_t group_at(const struct world *w, uint8_t slot)
{
	return w->group_slot[slot];
}

/* Closes the descriptor: no more events, marks destroyed, queue thrown away. 0 or -EBADF. */
int32_t group_close(struct world *w, uint8_t slot);

/* read() until there is nothing left: the number of events. */
int32_t group_read(struct world *w, uint8_t slot);

/* Scripts the next answer to a permission event; unscripted ones are "allow". */
int32_t group_answer(struct world *w, uint8_t slot, bool deny);

#endif
