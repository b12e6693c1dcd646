/* SPDX-License-Identifier: MIT */
/* Operations on paths: attributes, making and removing names, and the machine's own doings. */
#include "core/vfs.h"

#include <errno.h>

#include "core/dispatch.h"
#include "core/mark.h"
#include "core/tree.h"

/* ---- attributes ---- */

static int32_t emit_at(struct world *w, unsigned path, uint32_t bits)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);
	return error ? error : emit_dentry(w, place.dentry, bits);
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
	return emit_dentry(w, place.dentry, FS_MODIFY);
}

int32_t path_chmod(struct world *w, unsigned path)
{
	return emit_at(w, path, FS_ATTRIB);
}

int32_t path_utimes(struct world *w, unsigned path, enum times times)
{
	static const uint32_t bits[] = {
		[TIMES_BOTH] = FS_ATTRIB, [TIMES_ATIME] = FS_ACCESS, [TIMES_MTIME] = FS_MODIFY};
	return emit_at(w, path, bits[times]);
}

int32_t path_setxattr(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (error)
		return error;
	if (dentry_inode(w, place.dentry)->kind == NODE_PIPE)
		return -EOPNOTSUPP;
	return emit_dentry(w, place.dentry, FS_ATTRIB);
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
	dentry_new(w, inode, place.parent, place.name);
	emit_dirent(w, place.parent, place.name, inode, FS_CREATE, 0);
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
	dentry_new(w, inode, to.parent, to.name);
	emit_self(w, inode, FS_ATTRIB);
	emit_dirent(w, to.parent, to.name, inode, FS_CREATE, 0);
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
		emit_self(w, inode, FS_ATTRIB);
	dentry_release_unused(w, place->dentry);
	emit_dirent(w, place->parent, place->name, inode, FS_DELETE, 0);
	dentry_put(w, place->parent);
}

int32_t path_unlink(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, false, &place);

	if (error)
		return error;
	if (place.descriptor)
		return -EPERM;
	if (dentry_inode(w, place.dentry)->kind == NODE_DIR)
		return -EISDIR;
	remove_name(w, &place);
	return 0;
}

int32_t path_rmdir(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, false, &place);

	if (error)
		return error;
	if (place.descriptor)
		return -EPERM;
	if (place.parent == NONE)
		return -EINVAL;
	if (dentry_inode(w, place.dentry)->kind != NODE_DIR)
		return -ENOTDIR;
	if (!directory_is_empty(w, place.dentry))
		return -ENOTEMPTY;
	remove_name(w, &place);
	return 0;
}

/* ---- rename ---- */

static int check_rename(const struct world *w, const struct place *old, const struct place *new,
			uint32_t flags)
{
	if (old->descriptor || new->descriptor || old->mount != new->mount)
		return -EXDEV;
	if (old->parent == NONE || new->parent == NONE)
		return -EBUSY;
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

/* One move, told in its four steps (and a fifth for what it overwrote). */
static void emit_move(struct world *w, const struct place *old, const struct place *new,
		      uint8_t inode, uint8_t overwritten)
{
	uint32_t cookie = ++w->cookie;

	emit_rename(w, old->parent, old->name, new->parent, new->name, inode);
	emit_dirent(w, old->parent, old->name, inode, FS_MOVED_FROM, cookie);
	emit_dirent(w, new->parent, new->name, inode, FS_MOVED_TO, cookie);
	if (overwritten != NONE)
		emit_self(w, overwritten, FS_ATTRIB);
	emit_self(w, inode, FS_MOVE_SELF);
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
	emit_move(w, old, new, w->dentry[old->dentry].inode, overwritten);
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
	if (new.dentry != NONE && w->dentry[old.dentry].inode == w->dentry[new.dentry].inode)
		return 0;
	if (flags & RENAME_EXCHANGE) {
		dentry_exchange(w, old.dentry, new.dentry);
		emit_move(w, &old, &new, w->dentry[old.dentry].inode, NONE);
		emit_move(w, &new, &old, w->dentry[new.dentry].inode, NONE);
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
	marks_destroy_on(w, OBJECT_INODE, d->inode);
	dentry_refresh_hint(w, place.dentry);
	return 0;
}

static void shut_down(struct world *w, uint8_t sb)
{
	w->sb[sb].active = false;
	for (unsigned i = w->inodes; i-- > 0;) {
		if (w->inode[i].sb != sb || !w->inode[i].alive)
			continue;
		if (w->inode[i].pins)
			emit_self(w, (uint8_t)i, FS_UNMOUNT);
		marks_destroy_on(w, OBJECT_INODE, (uint8_t)i);
	}
	marks_destroy_on(w, OBJECT_SB, sb);
}

int32_t mount_umount(struct world *w, uint8_t mount)
{
	struct mount *m = &w->mount[mount];

	if (!m->active)
		return -EINVAL;
	if (m->pins)
		return -EBUSY;
	m->active = false;
	marks_destroy_on(w, OBJECT_MOUNT, mount);
	if (--w->sb[m->sb].mounts == 0)
		shut_down(w, m->sb);
	return 0;
}
