/* SPDX-License-Identifier: MIT */
/*
 * The tree of names: inodes, dentries, path lookup, and who lets go of what when.
 * Functions that can fail return 0 or a negative errno.
 */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include "core/world.h"

#define level_has(w, feature) (((w)->features >> FEAT_##feature) & 1u)

/* Where a path leads. */
struct place {
	uint8_t mount;
	uint8_t parent; /* dentry of the directory; NONE for a root and for a descriptor */
	uint8_t name;
	uint8_t dentry;	 /* NONE: no such entry */
	bool descriptor; /* said as fd:hN; `name` is N */
};

/* Walks a path as far as its last name. An absent last entry is no error. */
int tree_walk(const struct world *w, unsigned code, bool follow, struct place *place);

/* The same, and the entry must be there. */
int tree_lookup(const struct world *w, unsigned code, bool follow, struct place *place);

static inline struct inode *dentry_inode(struct world *w, unsigned dentry)
{
	return &w->inode[w->dentry[dentry].inode];
}

/* Has the name been removed while somebody still uses it? A pipe never had one. */
static inline bool dentry_unlinked(const struct world *w, unsigned dentry)
{
	return w->dentry[dentry].parent != NONE && !w->dentry[dentry].hashed;
}

/* A new inode on `sb`, and a new name for an inode; NONE when the pool is empty. */
uint8_t inode_new(struct world *w, uint8_t sb, enum inode_kind kind);
uint8_t dentry_new(struct world *w, uint8_t inode, uint8_t parent, uint8_t name);

/* Room for one more inode and one more dentry? */
bool tree_has_room(const struct world *w);

/* Takes a name out of its directory; the dentry lives on while somebody uses it. Does not emit
 * anything and does not let go: dentry_put() or dentry_release_unused() do. */
void dentry_unhash(struct world *w, uint8_t dentry);

static inline void dentry_get(struct world *w, uint8_t dentry)
{
	w->dentry[dentry].refs++;
}

/* Drops a reference; the last one of an unhashed dentry lets go of the inode (DELETE_SELF). */
void dentry_put(struct world *w, uint8_t dentry);
void dentry_release_unused(struct world *w, uint8_t dentry);

/* Frees an inode that nothing holds any more. */
void inode_release_unused(struct world *w, uint8_t inode);

/* Moves a name; `target` (or NONE) must already be unhashed. */
void dentry_move(struct world *w, uint8_t dentry, uint8_t parent, uint8_t name);
void dentry_exchange(struct world *w, uint8_t one, uint8_t two);

/* Is `dentry` the directory `top` or below it? */
bool dentry_below(const struct world *w, uint8_t dentry, uint8_t top);

/* Has the directory no names in it? */
bool directory_is_empty(const struct world *w, uint8_t dentry);

#endif
