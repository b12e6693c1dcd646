/* SPDX-License-Identifier: MIT */
/*
 * Outcomes (fuzz/outcome.h): what an operation did, in the notation of traces. Everything is
 * printed from a world as it stands after the operation, and from what the journal says of it.
 */
#include "fuzz/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/text_words.h"

/* ---- text of bounded length ---- */

static struct text_buffer buffer_of(char *out, size_t size)
{
	if (size)
		out[0] = '\0';
	return (struct text_buffer){out, size, 0};
}

/* A text that fills its buffer was cut, and says so. */
static char *finish(struct text_buffer *b)
{
	if (b->size > 3 && b->length + 1 >= b->size)
		memcpy(b->out + b->size - 4, "...", 4);
	return b->out;
}

/* ---- bits ---- */

/* What only the kernel says to an inotify listener. */
static const struct text_word watch_output[] = {
	{"UNMOUNT", FS_UNMOUNT},
	{"IGNORED", FS_IN_IGNORED},
};

#define WATCH_SHOWN (IN_ALL_EVENTS | FS_UNMOUNT | FS_IN_IGNORED | IN_ISDIR)

static const struct text_word mark_flag_names[] = {
	{"surv", MARK_SURV},
	{"evictable", MARK_EVICTABLE},
	{"ignore_form", MARK_IGNORE_FORM},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Puts the names of the bits that are in the table and returns the others. */
static uint32_t put_bits(struct text_buffer *b, uint32_t bits, const struct text_word *words,
			 size_t count, const char **separator)
{
	for (size_t i = 0; i < count; i++) {
		if (!(bits & words[i].value))
			continue;
		text_add(b, "%s%s", *separator, words[i].name);
		*separator = "|";
		bits &= ~words[i].value;
	}
	return bits;
}

static void put_events(struct text_buffer *b, uint32_t mask)
{
	char text[TEXT_LINE];
	text_add(b, "%s", text_events(mask, text, sizeof(text)));
}

static void put_watch_mask(struct text_buffer *b, uint32_t mask)
{
	const struct text_kind *kind = &text_kinds[ARG_WATCHMASK];
	const char *separator = "";
	uint32_t rest = put_bits(b, mask, watch_output, COUNT(watch_output), &separator);
	rest = put_bits(b, rest, kind->words, kind->count, &separator);
	if (rest)
		text_add(b, "%s0x%x", separator, (unsigned)rest);
	else if (!mask)
		text_add(b, "0");
}

char *outcome_flags(uint32_t flags, char *out, size_t size)
{
	static const char *const access[] = {"rdonly", "wronly", "rdwr", "3"};
	const struct text_kind *kind = &text_kinds[ARG_OPENFLAGS];
	const char *separator = "|";
	struct text_buffer b = buffer_of(out, size);
	text_add(&b, "%s", access[flags & FL_ACCMODE]);
	uint32_t rest = put_bits(&b, flags & ~FL_ACCMODE, kind->words, kind->count, &separator);
	if (rest)
		text_add(&b, "|0x%x", (unsigned)rest);
	return finish(&b);
}

/* ---- errors ---- */

static const struct {
	int error;
	const char *name;
} errno_names[] = {
#define E(name)             \
	{                   \
		name, #name \
	}
	E(EPERM),      E(ENOEXEC),   E(ENOENT),	   E(EINTR),  E(EIO),	 E(ENXIO),
	E(EBADF),      E(EAGAIN),    E(ENOMEM),	   E(EACCES), E(EBUSY),	 E(EEXIST),
	E(EXDEV),      E(ENODEV),    E(ENOTDIR),   E(EISDIR), E(EINVAL), E(ENFILE),
	E(EMFILE),     E(ETXTBSY),   E(EFBIG),	   E(ENOSPC), E(ESPIPE), E(EROFS),
	E(EMLINK),     E(EPIPE),     E(ENOTEMPTY), E(ELOOP),  E(ENOSYS), E(ENAMETOOLONG),
	E(EOPNOTSUPP), E(EOVERFLOW), E(ESTALE),	   E(ENOTTY), E(EFAULT),
#undef E
};

const char *outcome_errno(int error)
{
	static char unknown[16];
	for (size_t i = 0; i < COUNT(errno_names); i++)
		if (errno_names[i].error == error)
			return errno_names[i].name;
	snprintf(unknown, sizeof(unknown), "E%d", error);
	return unknown;
}

/* ---- objects ---- */

enum { SB_C = 1, SB_PIPES = 2, MOUNT_PIPES = 3 };

static const char *const mount_prefix[MAX_MOUNT] = {"", "B:", "C:", "pipe:"};

static const char *name_text(unsigned name)
{
	return name < NAME_COUNT ? text_names[name] : "?";
}

/* The way from a root to a dentry, by the names that lead there. */
static void put_dentry(struct text_buffer *b, const struct world *w, uint8_t dentry)
{
	uint8_t way[MAX_DENTRY];
	unsigned depth = 0;
	if (w->dentry[dentry].parent == NONE) {
		text_add(b, ".");
		return;
	}
	for (; w->dentry[dentry].parent != NONE; dentry = w->dentry[dentry].parent)
		way[depth++] = w->dentry[dentry].name;
	while (depth--)
		text_add(b, "%s%s", name_text(way[depth]), depth ? "/" : "");
}

/* A name that leads to an inode now: the one it goes by, or else any other link; or NONE. */
static uint8_t name_of_inode(const struct world *w, uint8_t inode)
{
	const struct inode *i = &w->inode[inode];
	if (!i->alive || !i->dentries || i->dentry == NONE)
		return NONE;
	if (w->dentry[i->dentry].hashed)
		return i->dentry;
	for (uint8_t d = 0; d < w->dentries; d++)
		if (w->dentry[d].alive && w->dentry[d].hashed && w->dentry[d].inode == inode)
			return d;
	return NONE;
}

static void put_inode(struct text_buffer *b, const struct world *w, uint8_t inode)
{
	uint8_t dentry = name_of_inode(w, inode);
	if (w->inode[inode].kind == NODE_PIPE) {
		text_add(b, "pipe#%u", inode);
	} else if (dentry == NONE) {
		text_add(b, "#%u", inode);
	} else {
		text_add(b, "%s", w->inode[inode].sb == SB_C ? "C:" : "");
		put_dentry(b, w, dentry);
	}
}

/* What a descriptor that was opened for an event would be called. */
static void put_path(struct text_buffer *b, const struct world *w, uint8_t mount, uint8_t dentry)
{
	const struct dentry *d = &w->dentry[dentry];
	if (w->inode[d->inode].kind == NODE_PIPE) {
		text_add(b, "pipe#%u", d->inode);
		return;
	}
	text_add(b, "%s", mount_prefix[mount]);
	put_dentry(b, w, dentry);
	if (!d->hashed)
		text_add(b, " (deleted)");
}

static void put_name(struct text_buffer *b, const struct world *w, unsigned kind, unsigned object)
{
	switch (kind) {
	case OBJECT_INODE: put_inode(b, w, (uint8_t)object); break;
	case OBJECT_MOUNT:
		text_add(b, "%s%s", mount_prefix[object], object == MOUNT_PIPES ? "" : ".");
		break;
	default:
		text_add(b, "%s", object == SB_PIPES ? "pipe:" : object == SB_C ? "C:." : ".");
		break;
	}
}

char *outcome_object(const struct world *w, unsigned kind, unsigned object, char *out, size_t size)
{
	struct text_buffer b = buffer_of(out, size);
	put_name(&b, w, kind, object);
	return finish(&b);
}

/* ---- records ---- */

static uint32_t group_flags(const struct world *w, unsigned slot)
{
	uint8_t group = slot < GROUP_SLOTS ? w->group_slot[slot] : NONE;
	return group == NONE ? 0 : w->group[group].flags;
}

static void put_entry(struct text_buffer *b, const struct world *w, const char *key, uint8_t dir,
		      uint8_t name)
{
	text_add(b, " %s=", key);
	put_inode(b, w, dir);
	if (name != NO_NAME)
		text_add(b, " name=%s", name_text(name));
}

/* One handle: a directory's when the group asks for those and the event is about one. */
static void put_fid(struct text_buffer *b, const struct world *w, unsigned slot,
		    const struct event *e)
{
	uint32_t flags = group_flags(w, slot);
	bool directory = (flags & FAN_REPORT_DIR_FID) && (e->mask & (FS_ISDIR | FS_DIRENT_EVENTS));
	text_add(b, directory ? " dfid=" : " fid=");
	put_inode(b, w, e->inode);
	if (directory && (flags & FAN_REPORT_NAME) && (e->mask & FS_ISDIR))
		text_add(b, " name=.");
}

static void put_names(struct text_buffer *b, const struct world *w, const struct event *e)
{
	bool rename = e->mask & FS_RENAME;
	if (e->dir != NONE)
		put_entry(b, w, rename ? "old" : "dfid", e->dir, e->name);
	if (e->new_dir != NONE)
		put_entry(b, w, "new", e->new_dir, e->new_name);
	if (e->inode != NONE) {
		text_add(b, " fid=");
		put_inode(b, w, e->inode);
	}
}

static void put_watch_event(struct text_buffer *b, const struct event *e)
{
	text_add(b, "wd=%d ", e->wd);
	put_watch_mask(b, e->mask & WATCH_SHOWN);
	if (e->name != NO_NAME)
		text_add(b, " name=%s", name_text(e->name));
	if (e->cookie)
		text_add(b, " cookie=%u", (unsigned)e->cookie);
}

static void put_what(struct text_buffer *b, const struct world *w, unsigned slot,
		     const struct event *e)
{
	switch (e->kind) {
	case EVENT_OVERFLOW: text_add(b, "Q_OVERFLOW"); return;
	case EVENT_WATCH: put_watch_event(b, e); return;
	case EVENT_ASK: text_add(b, "ask "); break;
	default: break;
	}
	put_events(b, e->mask & ~FS_EVENT_ON_CHILD);
	switch (e->kind) {
	case EVENT_FID: put_fid(b, w, slot, e); return;
	case EVENT_NAME: put_names(b, w, e); return;
	default:
		text_add(b, " ");
		put_path(b, w, e->mount, e->dentry);
		break;
	}
	if (e->kind == EVENT_ASK)
		text_add(b, e->answer ? " deny" : " allow");
}

static void put_event(struct text_buffer *b, const struct world *w, unsigned slot,
		      const struct event *e)
{
	static const char *const by[] = {[BY_SELF] = "",
					 [BY_THREAD] = " by=thread",
					 [BY_OTHER] = " by=other",
					 [BY_HIDDEN] = " by=hidden"};

	put_what(b, w, slot, e);
	text_add(b, "%s", by[e->by]);
}

char *outcome_event(const struct world *w, unsigned group_slot, const struct event *e, char *out,
		    size_t size)
{
	struct text_buffer b = buffer_of(out, size);
	put_event(&b, w, group_slot, e);
	return finish(&b);
}

static void put_records(struct text_buffer *b, const struct world *w, unsigned slot,
			const struct journal *journal)
{
	const char *separator = "";
	for (unsigned i = 0; i < journal->count; i++) {
		const struct journal_entry *entry = &journal->entry[i];
		if (entry->kind != JOURNAL_READ || entry->group != slot)
			continue;
		text_add(b, "%s", separator);
		put_event(b, w, slot, &entry->event);
		separator = "; ";
	}
	if (!*separator)
		text_add(b, "none");
}

/* ---- marks ---- */

static const char *const object_words[] = {"inode", "mount", "sb"};

static void put_object(struct text_buffer *b, const struct world *w, const struct mark *m)
{
	text_add(b, "%s ", object_words[m->kind]);
	put_name(b, w, m->kind, m->object);
}

static void put_watch(struct text_buffer *b, const struct world *w, const struct mark *m)
{
	uint32_t mask = m->mask & IN_ALL_EVENTS;
	if (w->features & 1u << FEAT_WATCH_FLAGS_SHOWN) {
		mask |= m->flags & MARK_EXCL_UNLINK ? IN_EXCL_UNLINK : 0;
		mask |= m->flags & MARK_ONESHOT ? IN_ONESHOT : 0;
	}
	text_add(b, "wd=%d ", m->wd);
	put_object(b, w, m);
	text_add(b, " mask=");
	put_watch_mask(b, mask);
}

static void put_mark(struct text_buffer *b, const struct world *w, const struct mark *m)
{
	if (w->group[m->group].kind == GROUP_INOTIFY) {
		put_watch(b, w, m);
		return;
	}
	put_object(b, w, m);
	text_add(b, " mask=");
	put_events(b, m->mask);
	text_add(b, " ignored=");
	put_events(b, m->ignored);
	for (size_t i = 0; i < COUNT(mark_flag_names); i++)
		if (m->flags & mark_flag_names[i].value)
			text_add(b, " %s", mark_flag_names[i].name);
}

char *outcome_mark(const struct world *w, const struct mark *m, char *out, size_t size)
{
	struct text_buffer b = buffer_of(out, size);
	put_mark(&b, w, m);
	return finish(&b);
}

static void put_marks(struct text_buffer *b, const struct world *w, unsigned slot)
{
	uint8_t group = w->group_slot[slot];
	uint8_t i = group == NONE ? NONE : w->group[group].marks;
	if (i == NONE)
		text_add(b, "none");
	for (; i != NONE; i = w->mark[i].next_in_group) {
		put_mark(b, w, &w->mark[i]);
		if (w->mark[i].next_in_group != NONE)
			text_add(b, "; ");
	}
}

/* ---- operations ---- */

static void put_result(struct text_buffer *b, const struct world *w, const struct op *op,
		       int32_t ret, const struct journal *journal)
{
	char flags[128];
	switch (op->id) {
	case OP_GROUP_READ: put_records(b, w, op->arg[0], journal); break;
	case OP_MARKS: put_marks(b, w, op->arg[0]); break;
	case OP_GETFL: text_add(b, "%s", outcome_flags((uint32_t)ret, flags, sizeof(flags))); break;
	case OP_WORK:
		text_add(b, "sections=%u visits=%u", (unsigned)w->sections, (unsigned)w->visits);
		break;
	case OP_WATCH: text_add(b, "wd=%d", ret); break;
	case OP_READ:
	case OP_WRITE:
	case OP_SPLICE: text_add(b, "%d", ret); break;
	default: text_add(b, "ok"); break;
	}
}

char *outcome_text(const struct world *w, const struct op *op, int32_t ret,
		   const struct journal *journal, char *out, size_t size)
{
	struct text_buffer b = buffer_of(out, size);
	if (ret < 0)
		text_add(&b, "%s", outcome_errno(-ret));
	else
		put_result(&b, w, op, ret, journal);
	return finish(&b);
}
