/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's side asks about the world (kernel/intree/bridge.h): objects, names, references
 * that it takes, paths.
 */
#include <string.h>

#include "core/tree.h"
#include "kernel/intree/glue.h"

struct bridge_inode_info bridge_inode(int inode)
{
	return (struct bridge_inode_info){glue.w->inode[inode].sb, glue.w->inode[inode].kind};
}

struct bridge_dentry_info bridge_dentry(int dentry)
{
	const struct dentry *d = &glue.w->dentry[dentry];
	return (struct bridge_dentry_info){d->inode, d->parent, d->name};
}

int bridge_mount_sb(int mount)
{
	return glue.w->mount[mount].sb;
}

int bridge_root(int sb)
{
	return glue.w->sb[sb].root;
}

static const char *const names[NAME_COUNT] = {
#define NAME(id) [NAME_##id] = #id,
#include "core/paths.def"
};

const char *bridge_name(int name)
{
	return names[name];
}

int bridge_name_id(const char *name, unsigned length)
{
	for (int i = 0; i < NAME_COUNT; i++)
		if (length == strlen(names[i]) && !memcmp(name, names[i], length))
			return i;
	return NO_NAME;
}

int bridge_inodes(void)
{
	return glue.w->inodes;
}

int bridge_dentries(void)
{
	return glue.w->dentries;
}

void bridge_pin_inode(int inode)
{
	glue.w->inode[inode].pins++;
	glue.w->pins++;
}

void bridge_unpin_inode(int inode)
{
	glue.w->inode[inode].pins--;
	glue.w->pins--;
	inode_release_unused(glue.w, (uint8_t)inode);
}

void bridge_use_dentry(int dentry)
{
	dentry_get(glue.w, (uint8_t)dentry);
}

void bridge_leave_dentry(int dentry)
{
	dentry_put(glue.w, (uint8_t)dentry);
}

void bridge_use_mount(int mount)
{
	glue.w->mount[mount].pins++;
}

void bridge_leave_mount(int mount)
{
	glue.w->mount[mount].pins--;
}

int bridge_unlinked(int dentry)
{
	return dentry_unlinked(glue.w, (unsigned)dentry);
}

int bridge_written(int inode)
{
	return glue.w->inode[inode].kind == NODE_FILE && glue.w->inode[inode].writers;
}

/* The kernels with weak ids also give an id to simple file systems (6.7). */
int bridge_has_fsid(int sb)
{
	return !glue.w->sb[sb].internal || level_has(glue.w, WEAK_FSID);
}

int bridge_lookup(unsigned path, int follow, int *mount, int *dentry)
{
	struct place place;
	int error = tree_lookup(glue.w, path, follow, &place);

	*mount = place.mount;
	*dentry = place.dentry;
	return error;
}

int bridge_descriptor(unsigned path, int *mount, int *dentry)
{
	struct place place;
	const struct file *f;

	if (tree_lookup(glue.w, path, true, &place) || !place.descriptor)
		return false;
	f = &glue.w->file[glue.w->handle[place.name]];
	*mount = f->mount;
	*dentry = f->dentry;
	return !(f->mode & FILE_PATH);
}
