/* SPDX-License-Identifier: MIT */
/* The inotify back-end (inotify(7)). */
#include "core/inotify.h"

#include <errno.h>
#include <string.h>

#include "core/group.h"
#include "core/mark.h"
#include "core/queue.h"
#include "core/tree.h"

int32_t inotify_init(struct world *w, uint8_t slot)
{
	if (group_at(w, slot) != NONE)
		return -EBUSY;
	if (w->inotify_groups >= w->config.group_limit)
		return -EMFILE;
	if (group_new(w, slot, GROUP_INOTIFY, 0, 0) == NONE)
		return -ENOMEM;
	w->inotify_groups++;
	return 0;
}

static uint8_t watch_flags(uint32_t mask)
{
	return (uint8_t)((mask & IN_EXCL_UNLINK ? MARK_EXCL_UNLINK : 0) |
			 (mask & IN_ONESHOT ? MARK_ONESHOT : 0));
}

/* A watch on this inode exists: its events and flags are replaced, or added to. */
static int32_t update_watch(struct world *w, uint8_t mark, uint32_t arg, uint32_t mask)
{
	struct mark *m = &w->mark[mark];
	bool replace = !(arg & IN_MASK_ADD);

	if (arg & IN_MASK_CREATE)
		return -EEXIST;
	struct mark_change change = mark_change_begin(w, mark);
	uint8_t kept = replace ? 0 : m->flags;
	uint32_t old = m->mask;
	m->mask = replace ? mask : m->mask | mask;
	m->flags = (uint8_t)(kept | watch_flags(arg));
	bool recalculate = level_has(w, ADD_RECALCULATES) ||
			   (m->mask != old && (mark_grew(w, &change) || mark_shrank(w, &change)));
	mark_change_end(w, &change, recalculate);
	return m->wd;
}

static int32_t new_watch(struct world *w, uint8_t group, uint8_t inode, uint32_t arg, uint32_t mask)
{
	/* The number is taken before the limit is looked at: a failed attempt uses it up. */
	int32_t wd = ++w->group[group].last_wd;

	if (w->inotify_marks >= w->config.mark_limit)
		return -ENOSPC;
	uint8_t mark = mark_attach(w, group, OBJECT_INODE, inode, watch_flags(arg));
	if (mark == NONE)
		return -ENOMEM;
	w->inotify_marks++;
	struct mark_change change = mark_change_begin(w, mark);
	w->mark[mark].mask = mask;
	w->mark[mark].wd = wd;
	mark_change_end(w, &change, true);
	return wd;
}

int32_t inotify_add_watch(struct world *w, uint8_t slot, unsigned path, uint32_t arg)
{
	struct place place;
	uint8_t group = group_at(w, slot);

	if (!arg)
		return -EINVAL;
	if (group == NONE)
		return -EBADF;
	if ((arg & IN_MASK_ADD) && (arg & IN_MASK_CREATE))
		return -EINVAL;
	if (w->group[group].kind != GROUP_INOTIFY)
		return -EINVAL;
	int error = tree_lookup(w, path, !(arg & IN_DONT_FOLLOW), &place);
	if (error)
		return error;
	uint8_t inode = w->dentry[place.dentry].inode;
	bool is_dir = w->inode[inode].kind == NODE_DIR;
	if ((arg & IN_ONLYDIR) && !is_dir)
		return -ENOTDIR;

	uint32_t mask = (arg & IN_ALL_EVENTS) | FS_UNMOUNT | (is_dir ? FS_EVENT_ON_CHILD : 0);
	uint8_t mark = mark_find(w, group, OBJECT_INODE, inode);
	return mark == NONE ? new_watch(w, group, inode, arg, mask)
			    : update_watch(w, mark, arg, mask);
}

int32_t inotify_rm_watch(struct world *w, uint8_t slot, int32_t wd)
{
	uint8_t group = group_at(w, slot);

	if (group == NONE)
		return -EBADF;
	if (w->group[group].kind != GROUP_INOTIFY)
		return -EINVAL;
	for (uint8_t i = w->group[group].marks; i != NONE; i = w->mark[i].next_in_group) {
		if (w->mark[i].wd == wd) {
			mark_destroy(w, i);
			return 0;
		}
	}
	return -EINVAL;
}

/* ---- events ---- */

/* For the journal: the watch in this slot asked for it. */
static void note_asked(struct journal *j, unsigned slot, uint32_t bits)
{
	memset(j->asked, 0, sizeof(j->asked));
	j->asked[slot] = bits & (IN_ALL_EVENTS | FS_UNMOUNT | FS_IN_IGNORED);
}

static void queue_watch_event(struct world *w, const struct mark *m, unsigned slot, uint32_t bits,
			      uint8_t name, uint32_t cookie)
{
	if (w->journal)
		note_asked(w->journal, slot, bits);
	/* ISDIR goes missing from these two; programs have come to rely on it. */
	if (bits & (FS_DELETE_SELF | FS_MOVE_SELF))
		bits &= ~IN_ISDIR;
	struct event e = {BLANK_EVENT, .mask = bits, .cookie = cookie, .wd = m->wd,
			  .kind = EVENT_WATCH};

	e.name = name;
	queue_add(w, m->group, &e);
}

void inotify_mark_freed(struct world *w, const struct mark *m)
{
	w->inotify_marks--;
	if (w->group[m->group].alive)
		queue_watch_event(w, m, SLOT_SELF, FS_IN_IGNORED, NO_NAME, 0);
}

static void handle_mark(struct world *w, const struct emission *e, const struct bundle *b,
			unsigned slot, uint32_t bits, uint8_t name, uint32_t cookie)
{
	uint8_t mark = b->mark[slot];
	const struct mark *m = &w->mark[mark];

	if ((m->flags & MARK_EXCL_UNLINK) && e->data == DATA_PATH && dentry_unlinked(w, e->dentry))
		return;
	if (!(bits & m->mask & FS_EVENTS))
		return;
	queue_watch_event(w, m, slot, bits, name, cookie);
	if (m->flags & MARK_ONESHOT)
		mark_destroy(w, mark);
}

/* The parent's watch first, with the name; then the watch on the object itself, which gets no name
 * unless the event is about an entry. Until 6.12 a name that somebody else needed stayed on the
 * self event when the parent was not interested. */
void inotify_handle(struct world *w, const struct emission *e, const struct bundle *b)
{
	uint8_t parent = b->mark[SLOT_PARENT], self = b->mark[SLOT_SELF];
	uint32_t bits = e->bits;
	uint8_t name = e->name;

	if (parent != NONE)
		handle_mark(w, e, b, SLOT_PARENT, bits, name, 0);
	if (self == NONE)
		return;
	if (level_has(w, SELF_WITHOUT_NAME) ? !(bits & FS_DIRENT_EVENTS)
					    : (bits & FS_EVENT_ON_CHILD))
		name = NO_NAME;
	handle_mark(w, e, b, SLOT_SELF, bits & ~FS_EVENT_ON_CHILD, name, e->cookie);
}
