/* SPDX-License-Identifier: MIT */
/*
 * Marks, connectors and the cached interest mask.
 *
 * A connector hangs on an object (inode, mount, superblock) while the object has marks; its marks
 * stand in the order of their groups. Its interest mask is recalculated when a mark is attached,
 * detached or changed in a way that asks for it, never when FS_MODIFY clears an ignored mask
 * (semantics of 5.18; see policy.h for what differs between builds).
 */
#ifndef CORE_MARK_H
#define CORE_MARK_H

#include "core/world.h"

/* The connector of an object, or NONE. */
uint8_t *object_connector(struct world *w, enum object_kind kind, uint8_t object);

/* The mark of this group on this object, or NONE. */
uint8_t mark_find(struct world *w, uint8_t group, enum object_kind kind, uint8_t object);

/* A new mark with an empty mask, attached at its place; NONE when the pool is empty. */
uint8_t mark_attach(struct world *w, uint8_t group, enum object_kind kind, uint8_t object,
		    uint8_t flags);

/* A change of a mark, between begin and end: keeps the observation and the books right, and
 * recalculates when the change asks for it. */
struct mark_change {
	uint8_t mark;
	uint32_t interest; /* contribution before */
	uint32_t route;
	uint32_t masks;
	bool clearable;
};
struct mark_change mark_change_begin(struct world *w, uint8_t mark);
void mark_change_end(struct world *w, const struct mark_change *change, bool recalculate);

/* How a change of a mark asks for recalculation: by bits that the cached words lack (an add), or
 * by bits that they have and the mark gave up (a remove). */
bool mark_grew(const struct world *w, const struct mark_change *change);
bool mark_shrank(const struct world *w, const struct mark_change *change);

/* FS_MODIFY takes the ignored mask away. Nothing is recalculated. */
void mark_clear_ignored(struct world *w, uint8_t mark);

/* An evictable mark becomes a normal one: it pins its inode from now on. */
void mark_pin(struct world *w, uint8_t mark);

/* Destroys one mark: detached from group and object, an inotify watch says IN_IGNORED, limits are
 * given back, the interest mask is recalculated. */
void mark_destroy(struct world *w, uint8_t mark);

/* All marks on an object; all marks of a group (newest first), optionally of one kind only. */
void marks_destroy_on(struct world *w, enum object_kind kind, uint8_t object);
enum { ALL_KINDS = -1 };
void marks_destroy_of(struct world *w, uint8_t group, int kind);

/* The grace period is over: what was destroyed is freed. */
void marks_reap(struct world *w);

/* The events of children that a directory is interested in: none unless it watches children. */
uint32_t connector_child_interest(const struct world *w, const struct connector *c);

#endif
