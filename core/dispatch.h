/* SPDX-License-Identifier: MIT */
/*
 * Emission and dispatch of events. Five shapes of emission (what data they carry decides which
 * marks take part):
 *
 *   path    an open file: sb, mount, inode and perhaps the parent's marks
 *   dentry  a name without a mount (chmod, truncate): sb, inode, perhaps the parent
 *   self    an inode alone (link count, DELETE_SELF): sb and inode
 *   dirent  a directory and a name in it (create, delete, move): sb and the directory
 *   rename  both directories in one event
 *
 * All return 0, or -EPERM when a group denied a permission event.
 */
#ifndef CORE_DISPATCH_H
#define CORE_DISPATCH_H

#include "core/world.h"

enum { SLOT_SB, SLOT_MOUNT, SLOT_SELF, SLOT_PARENT, SLOT_NEW_DIR, SLOTS };
_Static_assert((int)SLOTS == (int)JOURNAL_SLOTS, "the journal has a place for each");

enum emission_data { DATA_INODE, DATA_DENTRY, DATA_PATH };

/* One event on its way to the groups. */
struct emission {
	uint32_t bits; /* events and flags */
	uint32_t cookie;
	uint8_t data;	/* enum emission_data */
	uint8_t inode;	/* what it happened to */
	uint8_t dentry; /* DATA_DENTRY, DATA_PATH */
	uint8_t mount;	/* DATA_PATH */
	uint8_t dir;	/* directory it is told with, or NONE */
	uint8_t name;
	uint8_t new_dir; /* rename */
	uint8_t new_name;
};

/* The marks of one group that stand in the slots of one walk. */
struct bundle {
	uint8_t group;
	uint8_t mark[SLOTS];
};

int emit_path(struct world *w, uint8_t dentry, uint8_t mount, uint32_t bits);
int emit_dentry(struct world *w, uint8_t dentry, uint32_t bits);
void emit_self(struct world *w, uint8_t inode, uint32_t bits);
void emit_dirent(struct world *w, uint8_t dir_dentry, uint8_t name, uint8_t inode, uint32_t bits,
		 uint32_t cookie);
void emit_rename(struct world *w, uint8_t old_dir, uint8_t old_name, uint8_t new_dir,
		 uint8_t new_name, uint8_t inode);

/* The events that a mark of a bundle really ignores, given the slot it stands in. */
uint32_t mark_effective_ignored(const struct world *w, const struct mark *m, unsigned slot,
				uint32_t bits);

#endif
