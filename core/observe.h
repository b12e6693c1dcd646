/* SPDX-License-Identifier: MIT */
/*
 * What is observed, as summands of the digests in struct world (design: README). Independent of any
 * policy: the model's builds and the executors made from kernel trees count with the same numbers.
 */
#ifndef CORE_OBSERVE_H
#define CORE_OBSERVE_H

#include "core/world.h"

/* The flags of an open file. */
static inline uint64_t file_hash(const struct file *f)
{
	return world_mix(f->id, f->flags);
}

/* The visible state of a mark. */
static inline uint64_t mark_hash(const struct world *w, const struct mark *m)
{
	uint64_t where = (uint64_t)w->group[m->group].slot << 24 | (uint64_t)m->kind << 16 |
			 (uint64_t)m->object << 8 | m->flags;
	uint64_t hash = world_mix(where, (uint64_t)m->mask << 32 | m->ignored);
	return world_mix(hash, (uint32_t)m->wd);
}

/* The bits of an event that its reader gets to see. */
static inline uint32_t event_visible_mask(const struct world *w, uint8_t group,
					  const struct event *e)
{
	if (w->group[group].kind == GROUP_INOTIFY)
		return e->mask &
		       (IN_ALL_EVENTS | FS_UNMOUNT | FS_Q_OVERFLOW | FS_IN_IGNORED | IN_ISDIR);
	return e->mask & ~FS_EVENT_ON_CHILD;
}

/* What the reader is told of who did it: an unprivileged group's of no process but its own. */
static inline uint8_t event_doer_shown(const struct world *w, uint8_t group, const struct event *e)
{
	uint8_t reader = w->caller == CALLER_OTHER ? BY_OTHER : BY_SELF;
	bool hidden = w->group[group].unprivileged && e->kind != EVENT_OVERFLOW && e->by != reader;

	return hidden ? BY_HIDDEN : e->by;
}

/* An event where it stands in its queue. */
static inline uint64_t event_hash(const struct world *w, uint8_t group, const struct event *e)
{
	uint64_t who = (uint64_t)e->seq << 48 | (uint64_t)w->group[group].slot << 40 |
		       (uint64_t)e->kind << 36 | (uint64_t)e->answer << 32 |
		       event_visible_mask(w, group, e);
	uint64_t what = (uint64_t)e->inode << 56 | (uint64_t)e->dir << 48 |
			(uint64_t)e->name << 40 | (uint64_t)e->new_dir << 32 |
			(uint64_t)e->new_name << 24 | (uint64_t)e->dentry << 16 |
			(uint64_t)e->mount << 8 | e->by;
	uint64_t more = (uint64_t)e->cookie << 32 | (uint32_t)e->wd;

	return world_mix(world_mix(who, what), more);
}

#endif
