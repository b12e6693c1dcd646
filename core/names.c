/* SPDX-License-Identifier: MIT */
/* Operations on paths: attributes, making and removing names, and the machine's own doings. */
#include "core/vfs.h"

#include <errno.h>

#include "core/hooks.h"
#include "core/tree.h"

/* ---- attributes ---- */

static int32_t change_at(struct world *w, unsigned path, uint32_t bits)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (!error)
		hook_change(w, place.dentry, bits);
	return error;
}

int32_t path_truncate(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (error)
		return error;
	struct inode *i = dentry_inode(w, place.dentry);
	if (i->kind != NODE_FILE)
		return i->kind == NODE_DIR ? -EISDIR : -EINVAL;
	i->size = 0;
	hook_change(w, place.dentry, FS_MODIFY);
	return 0;
}

int32_t path_chmod(struct world *w, unsigned path)
{
	return change_at(w, path, FS_ATTRIB);
}

int32_t path_utimes(struct world *w, unsigned path, enum times times)
{
	static const uint32_t bits[] = {
		[TIMES_BOTH] = FS_ATTRIB, [TIMES_ATIME] = FS_ACCESS, [TIMES_MTIME] = FS_MODIFY};
	return change_at(w, path, bits[times]);
}

int32_t path_setxattr(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (error)
		return error;
	if (!may_administer(w))
		return -EPERM; /* it is one of "trusted." */
	if (dentry_inode(w, place.dentry)->kind == NODE_PIPE)
		return -EOPNOTSUPP;
	hook_change(w, place.dentry, FS_ATTRIB);
	return 0;
}

/* ---- new names ---- */

/* The place for a new name: it must be free. */
static int new_place(const struct world *w, unsigned path, struct place *place)
{
	int error = tree_walk(w, path, false, place);

	if (error)
		return error;
	if (place->dentry != NONE)
		return -EEXIST;
	if (place->descriptor)
		return -ENOENT;
	return tree_has_room(w) ? 0 : -ENOSPC;
}

static int32_t make_node(struct world *w, unsigned path, enum inode_kind kind, uint8_t target)
{
	struct place place;
	int error = new_place(w, path, &place);

	if (error)
		return error;
	uint8_t inode = inode_new(w, w->mount[place.mount].sb, kind);
	w->inode[inode].target = target;
	hook_create(w, dentry_new(w, inode, place.parent, place.name));
	return 0;
}

int32_t path_mknod(struct world *w, unsigned path, enum inode_kind kind)
{
	return make_node(w, path, kind, NONE);
}

int32_t path_symlink(struct world *w, unsigned path, unsigned target)
{
	return make_node(w, path, NODE_SYMLINK, (uint8_t)target);
}

int32_t path_link(struct world *w, unsigned old, unsigned path)
{
	struct place from, to;
	int error = tree_lookup(w, old, false, &from);

	if (!error)
		error = new_place(w, path, &to);
	if (error)
		return error;
	if (from.descriptor || from.mount != to.mount)
		return -EXDEV;
	uint8_t inode = w->dentry[from.dentry].inode;
	if (w->inode[inode].kind == NODE_DIR)
		return -EPERM;
	w->inode[inode].nlink++;
	hook_link(w, dentry_new(w, inode, to.parent, to.name));
	return 0;
}

/* ---- removed names ---- */

/* The name is gone; whoever still uses the object keeps it. Its marks die before the directory is
 * told, if nobody does. */
static void remove_name(struct world *w, const struct place *place)
{
	uint8_t inode = w->dentry[place->dentry].inode;

	dentry_get(w, place->parent);
	dentry_unhash(w, place->dentry);
	w->inode[inode].nlink--;
	if (w->inode[inode].kind != NODE_DIR)
		hook_link_count(w, inode);
	dentry_release_unused(w, place->dentry);
	hook_delete(w, place->parent, place->name, inode);
	dentry_put(w, place->parent);
}

int32_t path_unlink(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, false, &place);

	if (!error && place.descriptor)
		error = -EPERM; /* a link in a directory that cannot be changed */
	if (!error && dentry_inode(w, place.dentry)->kind == NODE_DIR)
		error = -EISDIR;
	if (!error)
		remove_name(w, &place);
	return error;
}

static int check_rmdir(const struct world *w, const struct place *place)
{
	if (place->descriptor)
		return -ENOTDIR; /* a link, whatever it leads to */
	if (place->parent == NONE)
		return -EINVAL;
	if (w->inode[w->dentry[place->dentry].inode].kind != NODE_DIR)
		return -ENOTDIR;
	return directory_is_empty(w, place->dentry) ? 0 : -ENOTEMPTY;
}

int32_t path_rmdir(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, false, &place);

	if (!error)
		error = check_rmdir(w, &place);
	if (!error)
		remove_name(w, &place);
	return error;
}

/* ---- rename ---- */

/* Both names are links to descriptors, in a directory that cannot be changed. */
static int check_descriptors(const struct place *old, const struct place *new, uint32_t flags)
{
	if (old->dentry == NONE || new->dentry == NONE)
		return -ENOENT;
	if (flags & RENAME_NOREPLACE)
		return -EEXIST;
	return old->name == new->name ? 0 : -EPERM;
}

static int check_rename(const struct world *w, const struct place *old, const struct place *new,
			uint32_t flags)
{
	if (old->descriptor && new->descriptor)
		return check_descriptors(old, new, flags);
	if (old->descriptor || new->descriptor || old->mount != new->mount)
		return -EXDEV;
	if (old->parent == NONE)
		return -EBUSY;
	if (new->parent == NONE)
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	if (old->dentry == NONE)
		return -ENOENT;
	if ((flags & RENAME_NOREPLACE) && new->dentry != NONE)
		return -EEXIST;
	if ((flags & RENAME_EXCHANGE) && new->dentry == NONE)
		return -ENOENT;
	if (old->parent != new->parent) {
		if (dentry_below(w, new->parent, old->dentry))
			return -EINVAL;
		if (new->dentry != NONE && dentry_below(w, old->parent, new->dentry))
			return flags & RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
	}
	return 0;
}

/* May the target be overwritten? */
static int check_target(const struct world *w, const struct place *old, const struct place *new)
{
	bool from_dir = w->inode[w->dentry[old->dentry].inode].kind == NODE_DIR;

	if (new->dentry == NONE)
		return 0;
	bool to_dir = w->inode[w->dentry[new->dentry].inode].kind == NODE_DIR;
	if (from_dir != to_dir)
		return from_dir ? -ENOTDIR : -EISDIR;
	return to_dir && !directory_is_empty(w, new->dentry) ? -ENOTEMPTY : 0;
}

static void moved(struct world *w, const struct place *old, const struct place *new, uint8_t inode,
		  uint8_t overwritten)
{
	struct move m = {.old_dir = old->parent,
			 .old_name = old->name,
			 .new_dir = new->parent,
			 .new_name = new->name,
			 .inode = inode,
			 .overwritten = overwritten};
	hook_move(w, &m);
}

static void rename_over(struct world *w, const struct place *old, const struct place *new)
{
	uint8_t overwritten = NONE;

	if (new->dentry != NONE) {
		overwritten = w->dentry[new->dentry].inode;
		dentry_get(w, new->dentry);
		dentry_unhash(w, new->dentry);
		w->inode[overwritten].nlink--;
	}
	dentry_get(w, old->parent);
	dentry_move(w, old->dentry, new->parent, new->name);
	moved(w, old, new, w->dentry[old->dentry].inode, overwritten);
	dentry_put(w, old->parent);
	if (new->dentry != NONE)
		dentry_put(w, new->dentry);
}

int32_t path_rename(struct world *w, unsigned old_path, unsigned new_path, uint32_t flags)
{
	struct place old, new;
	const uint32_t both = RENAME_NOREPLACE | RENAME_EXCHANGE;

	if ((flags & both) == both)
		return -EINVAL;
	int error = tree_walk(w, old_path, false, &old);
	if (!error)
		error = tree_walk(w, new_path, false, &new);
	if (!error)
		error = check_rename(w, &old, &new, flags);
	if (error)
		return error;
	if (old.descriptor ||
	    (new.dentry != NONE && w->dentry[old.dentry].inode == w->dentry[new.dentry].inode))
		return 0;
	if (flags & RENAME_EXCHANGE) {
		dentry_exchange(w, old.dentry, new.dentry);
		moved(w, &old, &new, w->dentry[old.dentry].inode, NONE);
		moved(w, &new, &old, w->dentry[new.dentry].inode, NONE);
		return 0;
	}
	error = check_target(w, &old, &new);
	if (!error)
		rename_over(w, &old, &new);
	return error;
}

/* ---- what the kernel leaves to a scheduler ---- */

int32_t path_evict(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (error)
		return error;
	struct dentry *d = &w->dentry[place.dentry];
	struct inode *i = &w->inode[d->inode];
	if (d->refs || i->pins || i->dentries != 1 || place.parent == NONE || place.descriptor)
		return -EBUSY;
	hook_inode_delete(w, d->inode);
	hook_hint(w, place.dentry);
	return 0;
}

int32_t mount_umount(struct world *w, uint8_t mount)
{
	struct mount *m = &w->mount[mount];

	if (!m->active)
		return -EINVAL;
	if (!may_administer(w))
		return -EPERM;
	if (m->pins)
		return -EBUSY;
	m->active = false;
	hook_mount_delete(w, mount);
	if (--w->sb[m->sb].mounts)
		return 0;
	w->sb[m->sb].active = false;
	hook_sb_delete(w, m->sb);
	return 0;
}
