/* SPDX-License-Identifier: MIT */
/*
 * The hooks: where the tree of names and the open files tell the notification core what happened.
 * Each stands for the hook of the same meaning in Linux (include/linux/fsnotify.h) and knows what
 * that emits, in which order. core/hooks.c answers them with the model's dispatch; an executor made
 * from a kernel tree answers them with that tree's own code.
 *
 * Directories and names are dentries. Functions that return int return 0, or -EPERM when a group
 * denied a permission event.
 */
#ifndef CORE_HOOKS_H
#define CORE_HOOKS_H

#include "core/world.h"

/* An open file was opened, read, written, closed, or asks for permission: events in `bits`. */
int hook_file(struct world *w, const struct file *f, uint32_t bits);

/* What an opened file's mode says of events to come (FILE_ASK_READ, FILE_UNASKED). */
uint8_t hook_file_mode(struct world *w, const struct file *f);

/* Attributes or size were changed by name: ATTRIB, MODIFY or ACCESS. */
void hook_change(struct world *w, uint8_t dentry, uint32_t bits);

/* A new entry; a second name for an inode. */
void hook_create(struct world *w, uint8_t dentry);
void hook_link(struct world *w, uint8_t dentry);

/* An entry was removed: the inode's link count changed, and later the directory is told. */
void hook_link_count(struct world *w, uint8_t inode);
void hook_delete(struct world *w, uint8_t dir, uint8_t name, uint8_t inode);

/* An entry was moved; `overwritten` is the inode whose name it took, or NONE. */
struct move {
	uint8_t old_dir;
	uint8_t old_name;
	uint8_t new_dir;
	uint8_t new_name;
	uint8_t inode;
	uint8_t overwritten;
};
void hook_move(struct world *w, const struct move *m);

/* The last use of an inode without names: DELETE_SELF, then its marks go. */
void hook_inode_remove(struct world *w, uint8_t inode);

/* An inode leaves the cache, a mount or a superblock goes: so do the marks. */
void hook_inode_delete(struct world *w, uint8_t inode);
void hook_mount_delete(struct world *w, uint8_t mount);
void hook_sb_delete(struct world *w, uint8_t sb);

/* A dentry got an inode or a new parent: its cached hint is set from the parent's interest. */
void hook_hint(struct world *w, uint8_t dentry);

#endif
