/* SPDX-License-Identifier: MIT */
/*
 * fanotify_mark() as a system call: what is refused with which errno, in the order in which Linux
 * checks (6.12 order; differences by level are features of core/level.h), then what changes.
 */
#include "core/fanotify.h"

#include <errno.h>

#include "core/group.h"
#include "core/mark.h"
#include "core/policy.h"
#include "core/tree.h"

enum { CLASS_PRE_CONTENT = 2 };
enum { FORM_IS_MASK, FORM_IS_IGNORED, FORM_IS_IGNORE };

/* What a call comes to after all checks. */
struct request {
	uint8_t group;
	uint8_t object;
	uint8_t kind;
	uint8_t form;
	uint32_t mask;
	uint32_t flags;
	uint32_t sticky; /* bits that REMOVE does not count as keeping the mark alive */
	bool nothing_to_do;
};

/* ---- checks ---- */

static int check_words(const struct world *w, const struct mark_call *c)
{
	if (c->form == FORM_IS_IGNORE && !level_has(w, IGNORE_FORM))
		return -EINVAL;
	if ((c->flags & FAN_MARK_EVICTABLE) && !level_has(w, EVICTABLE))
		return -EINVAL;
	uint32_t known = FANOTIFY_EVENTS | FS_FLAGS;
	if (level_has(w, PRE_CONTENT))
		known |= FS_PRE_ACCESS;
	if (!c->mask || (c->mask & ~known))
		return -EINVAL;
	return 0;
}

/* Marks on more than one inode need CAP_SYS_ADMIN. */
static int check_privilege(const struct world *w, const struct group *g, uint8_t kind)
{
	bool allowed = may_administer(w) && !(g->unprivileged && level_has(w, UNPRIVILEGED_INODES));

	return kind == OBJECT_INODE || allowed ? 0 : -EPERM;
}

static int check_events(const struct mark_call *c, const struct group *g, uint32_t mask)
{
	uint32_t report = g->flags & FAN_REPORT_FIDS;

	if ((mask & FS_PERM_EVENTS) && !g->priority)
		return -EINVAL;
	if ((mask & FS_PRE_ACCESS) && (g->priority < CLASS_PRE_CONTENT || (mask & FS_ISDIR)))
		return -EINVAL;
	if ((mask & FS_ERROR) && c->kind != OBJECT_SB)
		return -EINVAL;
	if ((c->flags & FAN_MARK_EVICTABLE) && c->kind != OBJECT_INODE)
		return -EINVAL;
	if ((mask & FANOTIFY_FID_EVENTS) && (!report || c->kind == OBJECT_MOUNT))
		return -EINVAL;
	if ((mask & FS_RENAME) && !(report & FAN_REPORT_NAME))
		return -EINVAL;
	return 0;
}

/* Directory-only bits on something that is no directory: refused where the interface is new
 * enough to be strict. */
static int check_directory_bits(const struct world *w, const struct mark_call *c,
				const struct group *g, uint32_t mask, bool is_dir, bool add)
{
	if (is_dir || c->kind != OBJECT_INODE || !level_has(w, STRICT_NONDIR))
		return 0;
	if (!add && !level_has(w, STRICT_REMOVE))
		return 0;
	bool strict = (g->flags & FAN_REPORT_TARGET_FID) || (mask & FS_RENAME) ||
		      c->form == FORM_IS_IGNORE;
	uint32_t refused = FS_DIRENT_EVENTS | (level_has(w, STRICT_FLAGS) ? FS_FLAGS : 0);
	return strict && (mask & refused) ? -ENOTDIR : 0;
}

static int check_object(const struct world *w, const struct mark_call *c, const struct group *g,
			uint8_t sb, bool add)
{
	if (!w->sb[sb].internal)
		return 0;
	if (add && c->kind != OBJECT_INODE && level_has(w, NO_INTERNAL_SB_MARKS))
		return -EINVAL;
	if (!(g->flags & FAN_REPORT_FIDS))
		return 0;
	/* Handles: the file system of pipes has no id to report, later no handle to be opened. */
	if (!level_has(w, WEAK_FSID))
		return -ENODEV;
	return c->kind == OBJECT_INODE ? 0 : -EOPNOTSUPP;
}

/* An ignored mask that does not survive modify: refused in the new form where a modify could never
 * clear it, and pointless on a file that somebody has open for writing. */
static int check_clearable(const struct world *w, const struct mark_call *c, uint8_t inode,
			   bool is_dir, bool *nothing)
{
	if (c->form == FORM_IS_MASK || (c->flags & FAN_MARK_IGNORED_SURV_MODIFY))
		return 0;
	if (c->form == FORM_IS_IGNORE && c->kind != OBJECT_INODE)
		return -EINVAL;
	if (c->form == FORM_IS_IGNORE && is_dir)
		return -EISDIR;
	*nothing = c->kind == OBJECT_INODE && w->inode[inode].kind == NODE_FILE &&
		   w->inode[inode].writers;
	return 0;
}

static int prepare(struct world *w, const struct mark_call *c, bool add, struct request *r)
{
	struct place place;
	uint32_t mask = c->mask;
	int error = check_words(w, c);

	*r = (struct request){.kind = c->kind, .form = c->form, .flags = c->flags};
	if (error)
		return error;
	if (c->form == FORM_IS_IGNORED) {
		mask &= ~FS_FLAGS;
		if (level_has(w, IGNORE_FORM))
			r->sticky = FS_FLAGS;
	}
	r->group = group_at(w, c->slot);
	if (r->group == NONE)
		return -EBADF;
	const struct group *g = &w->group[r->group];
	if (g->kind != GROUP_FANOTIFY)
		return -EINVAL;
	error = check_privilege(w, g, c->kind);
	if (!error)
		error = check_events(c, g, mask);
	if (error)
		return error;
	error = tree_lookup(w, c->path, !(c->flags & FAN_MARK_DONT_FOLLOW), &place);
	if (error)
		return error;

	uint8_t inode = w->dentry[place.dentry].inode;
	bool is_dir = w->inode[inode].kind == NODE_DIR;
	if ((c->flags & FAN_MARK_ONLYDIR) && !is_dir)
		return -ENOTDIR;
	/* Filesystems opt in, and tmpfs has not. */
	if (add && (mask & FS_PRE_ACCESS))
		return -EOPNOTSUPP;
	error = check_directory_bits(w, c, g, mask, is_dir, add);
	if (!error)
		error = check_object(w, c, g, w->inode[inode].sb, add);
	if (!error && add)
		error = check_clearable(w, c, inode, is_dir, &r->nothing_to_do);
	if (error)
		return error;

	r->object = c->kind == OBJECT_INODE   ? inode
		    : c->kind == OBJECT_MOUNT ? place.mount
					      : w->inode[inode].sb;
	if (c->kind != OBJECT_INODE || !is_dir) {
		mask &= ~FS_EVENT_ON_CHILD;
		r->sticky = FS_EVENT_ON_CHILD;
		/* A group that reports directories wants to have the parent looked up. */
		if ((g->flags & FAN_REPORT_DIR_FID) && add && c->form == FORM_IS_MASK)
			mask |= FS_EVENT_ON_CHILD;
	}
	r->mask = mask;
	return 0;
}

/* ---- changes ---- */

static int may_update(const struct mark *m, const struct request *r)
{
	if ((r->flags & FAN_MARK_EVICTABLE) && !(m->flags & MARK_EVICTABLE))
		return -EEXIST;
	if (r->form == FORM_IS_IGNORED && (m->flags & MARK_IGNORE_FORM))
		return -EEXIST;
	if (r->form == FORM_IS_IGNORE && !(r->flags & FAN_MARK_IGNORED_SURV_MODIFY) &&
	    (m->flags & MARK_SURV))
		return -EEXIST;
	return 0;
}

/* Sets what an ADD sets for good; tells whether that alone asks for recalculation. */
static bool update_flags(struct world *w, uint8_t mark, const struct request *r)
{
	struct mark *m = &w->mark[mark];
	bool recalculate = false;

	if ((m->flags & MARK_EVICTABLE) && !(r->flags & FAN_MARK_EVICTABLE)) {
		mark_pin(w, mark);
		recalculate = true;
	}
	if (r->form == FORM_IS_MASK)
		return recalculate;
	if (r->form == FORM_IS_IGNORE)
		m->flags |= MARK_IGNORE_FORM;
	if ((r->flags & FAN_MARK_IGNORED_SURV_MODIFY) && !(m->flags & MARK_SURV)) {
		m->flags |= MARK_SURV;
		recalculate |= policy_recalc_on_surv(w, m);
	}
	return recalculate;
}

static int32_t new_mark(struct world *w, const struct request *r, uint8_t *mark)
{
	const struct group *g = &w->group[r->group];
	bool counted = !(g->flags & FAN_UNLIMITED_MARKS);
	uint8_t flags = r->flags & FAN_MARK_EVICTABLE ? MARK_EVICTABLE : 0;

	if (counted && w->fanotify_marks >= w->config.mark_limit)
		return -ENOSPC;
	*mark = mark_attach(w, r->group, r->kind, r->object, flags);
	if (*mark == NONE)
		return -ENOMEM;
	w->fanotify_marks = (uint16_t)(w->fanotify_marks + counted);
	return 0;
}

int32_t fanotify_mark_add(struct world *w, const struct mark_call *call)
{
	struct request r;
	int error = prepare(w, call, true, &r);
	if (error || r.nothing_to_do)
		return error;

	uint8_t mark = mark_find(w, r.group, r.kind, r.object);
	bool is_new = mark == NONE;
	error = is_new ? new_mark(w, &r, &mark) : may_update(&w->mark[mark], &r);
	if (error)
		return error;

	struct mark_change change = mark_change_begin(w, mark);
	struct mark *m = &w->mark[mark];
	bool changed = r.form != FORM_IS_MASK || (r.mask & ~m->mask);
	if (r.form == FORM_IS_MASK)
		m->mask |= r.mask;
	else
		m->ignored |= r.mask;
	bool forgotten = policy_has(w, MUTANT_NO_RECALC_IGNORED) && r.form != FORM_IS_MASK;
	bool recalculate = mark_grew(w, &change) && !forgotten;
	recalculate |= level_has(w, ADD_RECALCULATES) && changed;
	recalculate |= level_has(w, NEW_MARK_RECALCULATES) && is_new;
	recalculate |= update_flags(w, mark, &r);
	mark_change_end(w, &change, recalculate);
	return 0;
}

int32_t fanotify_mark_remove(struct world *w, const struct mark_call *call)
{
	struct request r;
	int error = prepare(w, call, false, &r);
	if (error)
		return error;
	uint8_t mark = mark_find(w, r.group, r.kind, r.object);
	if (mark == NONE)
		return -ENOENT;

	struct mark_change change = mark_change_begin(w, mark);
	struct mark *m = &w->mark[mark];
	if (r.form == FORM_IS_MASK)
		m->mask &= ~r.mask;
	else
		m->ignored &= ~r.mask;
	bool empty = !((m->mask | m->ignored) & ~r.sticky);
	mark_change_end(w, &change, mark_shrank(w, &change));
	if (empty)
		mark_destroy(w, mark);
	return 0;
}

int32_t fanotify_mark_flush(struct world *w, uint8_t slot, uint8_t kind)
{
	uint8_t group = group_at(w, slot);
	if (group == NONE)
		return -EBADF;
	if (w->group[group].kind != GROUP_FANOTIFY)
		return -EINVAL;
	int error = check_privilege(w, &w->group[group], kind);
	if (error)
		return error;
	marks_destroy_of(w, group, kind);
	return 0;
}
