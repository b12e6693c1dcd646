/* SPDX-License-Identifier: MIT */
/* What operations on names and open files tell (core/hooks.h), as calls of the tree's hooks. */
#include "core/hooks.h"
#include "core/tree.h"
#include "kernel/intree/glue.h"

/* Two bits of a file's mode above those of core/world.h are the tree's. */
enum { MODE_SHIFT = 6 };

int hook_file(struct world *w, const struct file *f, uint32_t bits)
{
	struct machine_file file = {.dentry = f->dentry,
				    .mount = f->mount,
				    .can_read = f->mode & FILE_READ,
				    .can_write = (f->mode & FILE_WRITE) != 0,
				    .path_only = (f->mode & FILE_PATH) != 0,
				    .program = (bits & (FS_OPEN_EXEC | FS_OPEN_EXEC_PERM)) != 0,
				    .memory = f->mode >> MODE_SHIFT};
	static const struct {
		uint32_t bits;
		enum machine_event event;
	} events[] = {
		{FS_OPEN, MACHINE_OPEN},
		{FS_ACCESS, MACHINE_ACCESS},
		{FS_MODIFY, MACHINE_MODIFY},
		{FS_CLOSE_WRITE, MACHINE_CLOSE},
		{FS_CLOSE_NOWRITE, MACHINE_CLOSE},
		{FS_OPEN_PERM, MACHINE_MAY_OPEN},
		{FS_OPEN_EXEC_PERM, MACHINE_MAY_OPEN},
		{FS_ACCESS_PERM, MACHINE_MAY_READ},
	};

	(void)w;
	/* The kernel asks for both permissions of a program in one go. */
	if (bits == FS_OPEN_PERM && glue.asked) {
		glue.asked = false;
		return 0;
	}
	glue.asked = bits == FS_OPEN_EXEC_PERM;
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (bits & events[i].bits)
			return machine_file_event(&file, events[i].event);
	return 0;
}

uint8_t hook_file_mode(struct world *w, const struct file *f)
{
	struct machine_file file = {.dentry = f->dentry,
				    .mount = f->mount,
				    .can_read = f->mode & FILE_READ,
				    .can_write = (f->mode & FILE_WRITE) != 0};

	(void)w;
	return (uint8_t)(machine_file_mode(&file) << MODE_SHIFT);
}

void hook_change(struct world *w, uint8_t dentry, uint32_t bits)
{
	enum machine_change change = bits == FS_MODIFY ? CHANGE_SIZE : CHANGE_MODE;

	(void)w;
	if (glue.op->id == OP_SETXATTR)
		change = CHANGE_XATTR;
	else if (glue.op->id == OP_UTIMES)
		change = bits == FS_ACCESS   ? CHANGE_ATIME
			 : bits == FS_MODIFY ? CHANGE_MTIME
					     : CHANGE_TIMES;
	machine_change(dentry, change);
}

void hook_create(struct world *w, uint8_t dentry)
{
	(void)w;
	machine_create(dentry);
}

void hook_link(struct world *w, uint8_t dentry)
{
	(void)w;
	machine_link(dentry);
}

void hook_link_count(struct world *w, uint8_t inode)
{
	(void)w;
	machine_link_count(inode);
}

void hook_delete(struct world *w, uint8_t dir, uint8_t name, uint8_t inode)
{
	(void)w;
	machine_delete(dir, name, inode);
}

void hook_move(struct world *w, const struct move *m)
{
	machine_move(m->old_dir, m->old_name, m->new_dir, w->child[m->new_dir][m->new_name],
		     m->overwritten);
}

void hook_inode_remove(struct world *w, uint8_t inode)
{
	(void)w;
	machine_inode_remove(inode);
}

void hook_inode_delete(struct world *w, uint8_t inode)
{
	(void)w;
	machine_inode_delete(inode);
}

void hook_mount_delete(struct world *w, uint8_t mount)
{
	(void)w;
	machine_mount_delete(mount);
}

/* Inodes that nothing holds are evicted first; those in use are told, the newest first. */
void hook_sb_delete(struct world *w, uint8_t sb)
{
	unsigned char used[MAX_INODE];
	unsigned count = 0;

	for (unsigned i = w->inodes; i-- > 0;) {
		if (w->inode[i].sb != sb || !w->inode[i].alive)
			continue;
		if (w->inode[i].pins)
			used[count++] = (unsigned char)i;
		else
			machine_inode_delete((int)i);
	}
	machine_sb_delete(sb, used, count);
}

void hook_hint(struct world *w, uint8_t dentry)
{
	if (w->dentry[dentry].parent != NONE)
		machine_place_dentry(dentry);
}
