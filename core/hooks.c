/* SPDX-License-Identifier: MIT */
/* The hooks, answered by the model: what each emits, in the order of Linux. */
#include "core/hooks.h"

#include "core/dispatch.h"
#include "core/mark.h"
#include "core/tree.h"

/* ---- open files ---- */

int hook_file(struct world *w, const struct file *f, uint32_t bits)
{
	if (f->mode & FILE_NONOTIFY)
		return 0;
	if ((bits & FS_PERM_EVENTS) && (f->mode & FILE_UNASKED))
		return 0;
	if (level_has(w, PERM_AT_OPEN) && bits == FS_ACCESS_PERM && !(f->mode & FILE_ASK_READ))
		return 0;
	return emit_path(w, f->dentry, f->mount, bits);
}

static uint32_t interest_of(const struct world *w, uint8_t connector)
{
	return connector == NONE ? 0 : w->connector[connector].interest;
}

static uint8_t mark_sb(const struct world *w, const struct mark *m)
{
	switch (m->kind) {
	case OBJECT_INODE: return w->inode[m->object].sb;
	case OBJECT_MOUNT: return w->mount[m->object].sb;
	default: return m->object;
	}
}

/* Does anybody on this superblock listen for permission events? */
static bool sb_has_askers(const struct world *w, uint8_t sb)
{
	for (uint8_t i = 0; i < w->mark_count; i++) {
		if (slot_freed(w->mark_freed, i) || !w->mark[i].alive)
			continue;
		const struct mark *m = &w->mark[i];
		if (mark_sb(w, m) == sb && w->group[m->group].priority)
			return true;
	}
	return false;
}

/* Do the marks that concern this very file want to be asked about reads? */
static bool file_has_askers(const struct world *w, const struct file *f)
{
	const struct dentry *d = &w->dentry[f->dentry];
	const struct inode *i = &w->inode[d->inode];
	uint32_t interest = interest_of(w, i->connector) | interest_of(w, w->sb[i->sb].connector) |
			    interest_of(w, w->mount[f->mount].connector);

	if (d->parent != NONE && d->parent_watches) {
		uint8_t parent = w->inode[w->dentry[d->parent].inode].connector;
		if (parent != NONE)
			interest |= connector_child_interest(w, &w->connector[parent]);
	}
	return interest & FS_ACCESS_PERM;
}

/* Since 6.14 whether reads are asked about is decided when the file is opened: at first by anybody
 * on the superblock, since 6.17 by the marks that concern this very file. */
uint8_t hook_file_mode(struct world *w, const struct file *f)
{
	const struct inode *i = dentry_inode(w, f->dentry);

	if (level_has(w, PIPES_UNASKED) && i->kind == NODE_PIPE)
		return FILE_UNASKED;
	if (!level_has(w, PERM_AT_OPEN))
		return 0;
	bool asked = level_has(w, PERM_THIS_FILE) ? file_has_askers(w, f) : sb_has_askers(w, i->sb);
	return asked ? FILE_ASK_READ : 0;
}

void hook_change(struct world *w, uint8_t dentry, uint32_t bits)
{
	emit_dentry(w, dentry, bits);
}

/* ---- entries ---- */

void hook_create(struct world *w, uint8_t dentry)
{
	const struct dentry *d = &w->dentry[dentry];
	emit_dirent(w, d->parent, d->name, d->inode, FS_CREATE, 0);
}

void hook_link(struct world *w, uint8_t dentry)
{
	emit_self(w, w->dentry[dentry].inode, FS_ATTRIB);
	hook_create(w, dentry);
}

void hook_link_count(struct world *w, uint8_t inode)
{
	emit_self(w, inode, FS_ATTRIB);
}

void hook_delete(struct world *w, uint8_t dir, uint8_t name, uint8_t inode)
{
	emit_dirent(w, dir, name, inode, FS_DELETE, 0);
}

/* One move, told in four steps, and a fifth for what it overwrote. */
void hook_move(struct world *w, const struct move *m)
{
	uint32_t cookie = ++w->cookie;

	emit_rename(w, m->old_dir, m->old_name, m->new_dir, m->new_name, m->inode);
	emit_dirent(w, m->old_dir, m->old_name, m->inode, FS_MOVED_FROM, cookie);
	emit_dirent(w, m->new_dir, m->new_name, m->inode, FS_MOVED_TO, cookie);
	if (m->overwritten != NONE)
		emit_self(w, m->overwritten, FS_ATTRIB);
	emit_self(w, m->inode, FS_MOVE_SELF);
}

/* ---- objects that go ---- */

void hook_inode_remove(struct world *w, uint8_t inode)
{
	emit_self(w, inode, FS_DELETE_SELF);
	marks_destroy_on(w, OBJECT_INODE, inode);
}

void hook_inode_delete(struct world *w, uint8_t inode)
{
	marks_destroy_on(w, OBJECT_INODE, inode);
}

void hook_mount_delete(struct world *w, uint8_t mount)
{
	marks_destroy_on(w, OBJECT_MOUNT, mount);
}

/* Inodes that something pins are told, the newest first; then the superblock's own marks go. */
void hook_sb_delete(struct world *w, uint8_t sb)
{
	for (unsigned i = w->inodes; i-- > 0;) {
		if (w->inode[i].sb != sb || !w->inode[i].alive)
			continue;
		if (w->inode[i].pins)
			emit_self(w, (uint8_t)i, FS_UNMOUNT);
		marks_destroy_on(w, OBJECT_INODE, (uint8_t)i);
	}
	marks_destroy_on(w, OBJECT_SB, sb);
}

void hook_hint(struct world *w, uint8_t dentry)
{
	uint8_t parent = w->dentry[dentry].parent;
	uint8_t connector = parent == NONE ? NONE : dentry_inode(w, parent)->connector;

	w->dentry[dentry].parent_watches =
		connector != NONE && connector_child_interest(w, &w->connector[connector]);
}
