/* SPDX-License-Identifier: MIT */
/*
 * The fanotify back-end: which events a group's marks let through (judged mark by mark, so that
 * ONDIR and ON_CHILD of one mark never speak for another), and what record an event becomes in
 * each report mode (fanotify(7), "FAN_REPORT_*").
 */
#include "core/fanotify.h"

#include <errno.h>

#include "core/group.h"
#include "core/mark.h"
#include "core/queue.h"
#include "core/tree.h"

int32_t fanotify_init(struct world *w, uint8_t slot, uint8_t class, uint32_t flags)
{
	uint32_t report = flags & FAN_REPORT_FIDS;

	if (group_at(w, slot) != NONE)
		return -EBUSY;
	/* Without CAP_SYS_ADMIN: handles, and nothing that costs much or tells of others. */
	if (!may_administer(w) && (class || (flags & FAN_INIT_WORDS) || !report))
		return -EPERM;
	if ((flags & FAN_REPORT_PIDFD) && (flags & FAN_REPORT_TID))
		return -EINVAL;
	if (report && class)
		return -EINVAL;
	if ((report & FAN_REPORT_NAME) && !(report & FAN_REPORT_DIR_FID))
		return -EINVAL;
	if ((report & FAN_REPORT_TARGET_FID) &&
	    (report & (FAN_REPORT_NAME | FAN_REPORT_FID)) != (FAN_REPORT_NAME | FAN_REPORT_FID))
		return -EINVAL;
	if (w->fanotify_groups >= w->config.group_limit)
		return -EMFILE;
	uint8_t group = group_new(w, slot, GROUP_FANOTIFY, class, flags);
	if (group == NONE)
		return -ENOMEM;
	w->group[group].unprivileged = !may_administer(w);
	w->fanotify_groups++;
	return 0;
}

/* ---- which events pass ---- */

/* Can this group say anything about data of this kind? */
static bool data_fits(const struct world *w, const struct emission *e, uint32_t report)
{
	uint8_t kind = w->inode[e->inode].kind;

	if (!report)
		return e->data == DATA_PATH && (kind == NODE_FILE || kind == NODE_DIR);
	if (!(report & FAN_REPORT_FID))
		return e->dir != NONE || (e->bits & FS_ISDIR);
	return true;
}

/* The bits that the group is told, and in `matched` the slots whose marks apply to the event. */
static uint32_t passing(const struct world *w, const struct emission *e, const struct bundle *b,
			uint32_t ignored, uint32_t report, uint32_t *matched)
{
	uint32_t wanted = 0;

	*matched = 0;
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		if (b->mark[slot] == NONE)
			continue;
		const struct mark *m = &w->mark[b->mark[slot]];
		if ((e->bits & FS_ISDIR) && !(m->mask & FS_ISDIR))
			continue;
		if (slot == SLOT_PARENT && !(m->mask & FS_EVENT_ON_CHILD))
			continue;
		wanted |= m->mask;
		*matched |= 1u << slot;
	}
	uint32_t bits = e->bits & wanted & ~ignored;
	if (!(bits & FS_EVENTS))
		return 0;
	return bits & (report ? FS_EVENTS | FS_ISDIR : FS_EVENTS);
}

/* ---- what record it becomes ---- */

static uint8_t inode_of(const struct world *w, uint8_t dentry)
{
	return dentry == NONE ? NONE : w->dentry[dentry].inode;
}

static struct event path_record(const struct emission *e)
{
	struct event r = {BLANK_EVENT};
	r.kind = EVENT_PATH;
	r.inode = e->inode;
	r.dentry = e->dentry;
	r.mount = e->mount;
	return r;
}

/* The directory whose handle is reported: the one with the entry, the directory itself, or the
 * parent that was found on the way. */
static uint8_t record_dir(const struct world *w, const struct emission *e)
{
	if (!(e->bits & FS_DIRENT_EVENTS) && (e->bits & FS_ISDIR))
		return e->inode;
	return inode_of(w, e->dir);
}

static struct event rename_record(const struct world *w, const struct emission *e, uint32_t report,
				  uint32_t matched)
{
	struct event r = {BLANK_EVENT};
	bool both = matched & (1u << SLOT_SB);

	r.kind = EVENT_NAME;
	if (both || (matched & (1u << SLOT_SELF))) {
		r.dir = inode_of(w, e->dir);
		r.name = e->name;
	}
	if (both || (matched & (1u << SLOT_NEW_DIR))) {
		r.new_dir = inode_of(w, e->new_dir);
		r.new_name = e->new_name;
	}
	if (report & FAN_REPORT_TARGET_FID)
		r.inode = e->inode;
	return r;
}

static struct event fid_record(const struct world *w, const struct emission *e, uint32_t report)
{
	struct event r = {BLANK_EVENT};
	bool dirent = e->bits & FS_DIRENT_EVENTS;
	uint8_t dir = report & FAN_REPORT_DIR_FID ? record_dir(w, e) : NONE;

	r.kind = EVENT_FID;
	/* Without TARGET_FID an entry event is about the directory only. */
	r.inode = dirent && !(report & FAN_REPORT_TARGET_FID) ? inode_of(w, e->dir) : e->inode;
	if (dir == NONE)
		return r;

	bool child_too = dirent ? report & FAN_REPORT_TARGET_FID
				: (report & FAN_REPORT_FID) && !(e->bits & FS_ISDIR);
	uint8_t child = child_too && r.inode != dir ? r.inode : NONE;
	bool named = report & FAN_REPORT_NAME ? dirent || !(e->bits & FS_ISDIR) : child != NONE;
	if (!named) {
		r.inode = dir;
		return r;
	}
	r.kind = EVENT_NAME;
	r.dir = dir;
	r.inode = child;
	if (report & FAN_REPORT_NAME)
		r.name = e->name;
	return r;
}

/* A group tells processes apart, or threads. */
static uint8_t doer(const struct world *w, const struct group *g)
{
	if (w->caller == CALLER_OTHER)
		return BY_OTHER;
	return w->caller == CALLER_THREAD && (g->flags & FAN_REPORT_TID) ? BY_THREAD : BY_SELF;
}

/* For the journal: which mark asked for which of these events. */
static void note_asked(const struct world *w, const struct bundle *b, uint32_t bits,
		       uint32_t matched)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		w->journal->asked[slot] =
			matched & 1u << slot ? w->mark[b->mark[slot]].mask & bits & FS_EVENTS : 0;
}

int fanotify_handle(struct world *w, const struct emission *e, const struct bundle *b,
		    uint32_t ignored)
{
	const struct group *g = &w->group[b->group];
	uint32_t report = g->flags & FAN_REPORT_FIDS;
	uint32_t matched;
	struct event record;

	if (!data_fits(w, e, report))
		return 0;
	uint32_t bits = passing(w, e, b, ignored, report, &matched);
	if (!bits)
		return 0;
	if (!report)
		record = path_record(e);
	else if (bits & FS_RENAME)
		record = rename_record(w, e, report, matched);
	else
		record = fid_record(w, e, report);
	record.mask = bits;
	record.by = doer(w, g);
	if (w->journal)
		note_asked(w, b, bits, matched);
	if (bits & FS_PERM_EVENTS) {
		record.kind = EVENT_ASK;
		return queue_ask(w, b->group, &record);
	}
	queue_add(w, b->group, &record);
	return 0;
}
