/* SPDX-License-Identifier: MIT */
/* The tree of names: lookup, new and removed names, and lifetimes of dentries and inodes. */
#include "core/tree.h"

#include <errno.h>
#include <string.h>

#include "core/hooks.h"

enum { PATH_DEPTH = 3 };

static const uint8_t path_names[PATH_COUNT][PATH_DEPTH] = {
#define PATH(text, a, b, c) {a, b, c},
#include "core/paths.def"
};

static struct place descriptor_place(const struct world *w, unsigned handle)
{
	struct place place = {.mount = NONE,
			      .parent = NONE,
			      .name = (uint8_t)handle,
			      .dentry = NONE,
			      .descriptor = true};

	if (w->handle[handle] != NONE) {
		place.mount = w->file[w->handle[handle]].mount;
		place.dentry = w->file[w->handle[handle]].dentry;
	}
	return place;
}

static int walk_names(const struct world *w, unsigned code, bool follow, unsigned depth,
		      struct place *place)
{
	if (depth > SYMLINK_DEPTH)
		return -ELOOP;
	if (code >= PATH_FDS) {
		*place = descriptor_place(w, code - PATH_FDS);
		return 0;
	}

	uint8_t mount = (uint8_t)(code / PATH_COUNT);
	const uint8_t *names = path_names[code % PATH_COUNT];
	if (!w->mount[mount].active)
		return -ENOENT;
	*place = (struct place){.mount = mount,
				.parent = NONE,
				.name = NO_NAME,
				.dentry = w->sb[w->mount[mount].sb].root};
	for (unsigned i = 0; i < PATH_DEPTH && names[i] != NO_NAME; i++) {
		if (place->dentry == NONE)
			return -ENOENT;
		const struct inode *dir = &w->inode[w->dentry[place->dentry].inode];
		if (dir->kind != NODE_DIR)
			return -ENOTDIR;
		bool last = i + 1 == PATH_DEPTH || names[i + 1] == NO_NAME;
		place->descriptor = false; /* a link on the way may have led to one */
		place->parent = place->dentry;
		place->name = names[i];
		place->dentry = w->child[place->parent][names[i]];
		if (place->dentry == NONE)
			continue;
		const struct inode *entry = &w->inode[w->dentry[place->dentry].inode];
		if (entry->kind == NODE_SYMLINK && (follow || !last)) {
			int error = walk_names(w, entry->target, true, depth + 1, place);
			if (error)
				return error;
		}
	}
	return 0;
}

int tree_walk(const struct world *w, unsigned code, bool follow, struct place *place)
{
	return walk_names(w, code, follow, 0, place);
}

int tree_lookup(const struct world *w, unsigned code, bool follow, struct place *place)
{
	int error = walk_names(w, code, follow, 0, place);
	if (!error && place->dentry == NONE)
		error = -ENOENT;
	return error;
}

bool tree_has_room(const struct world *w)
{
	return w->inodes < MAX_INODE && w->dentries < MAX_DENTRY;
}

uint8_t inode_new(struct world *w, uint8_t sb, enum inode_kind kind)
{
	if (w->inodes >= MAX_INODE)
		return NONE;
	uint8_t index = w->inodes++;
	w->inode[index] = (struct inode){.sb = sb,
					 .kind = (uint8_t)kind,
					 .nlink = 1,
					 .connector = NONE,
					 .dentry = NONE,
					 .target = NONE,
					 .alive = true};
	return index;
}

uint8_t dentry_new(struct world *w, uint8_t inode, uint8_t parent, uint8_t name)
{
	if (w->dentries >= MAX_DENTRY)
		return NONE;
	uint8_t index = w->dentries++;
	w->dentry[index] = (struct dentry){.inode = inode,
					   .parent = parent,
					   .name = name,
					   .alive = true,
					   .hashed = parent != NONE};
	w->inode[inode].dentry = index;
	w->inode[inode].dentries++;
	if (w->inode[inode].kind == NODE_DIR)
		memset(w->child[index], NONE, sizeof w->child[index]);
	if (parent != NONE) {
		w->child[parent][name] = index;
		dentry_get(w, parent);
		hook_hint(w, index);
	}
	return index;
}

void dentry_unhash(struct world *w, uint8_t dentry)
{
	struct dentry *d = &w->dentry[dentry];
	w->child[d->parent][d->name] = NONE;
	d->hashed = false;
}

/* Another dentry to name the inode by, now that `gone` is not to be used any more. */
static void inode_rename_by(struct world *w, uint8_t inode, uint8_t gone)
{
	if (w->inode[inode].dentry != gone)
		return;
	for (uint8_t i = 0; i < w->dentries; i++)
		if (i != gone && w->dentry[i].alive && w->dentry[i].inode == inode)
			w->inode[inode].dentry = i;
}

void inode_release_unused(struct world *w, uint8_t inode)
{
	struct inode *i = &w->inode[inode];
	if (!i->alive || i->dentries || i->pins)
		return;
	i->alive = false;
	hook_inode_delete(w, inode);
}

void dentry_release_unused(struct world *w, uint8_t dentry)
{
	struct dentry *d = &w->dentry[dentry];
	if (d->refs || d->hashed || !d->alive)
		return;
	d->alive = false;
	inode_rename_by(w, d->inode, dentry);
	if (!w->inode[d->inode].nlink)
		hook_inode_remove(w, d->inode);
	w->inode[d->inode].dentries--;
	inode_release_unused(w, d->inode);
	if (d->parent != NONE)
		dentry_put(w, d->parent);
}

void dentry_put(struct world *w, uint8_t dentry)
{
	w->dentry[dentry].refs--;
	dentry_release_unused(w, dentry);
}

void dentry_move(struct world *w, uint8_t dentry, uint8_t parent, uint8_t name)
{
	struct dentry *d = &w->dentry[dentry];
	uint8_t old_parent = d->parent;

	w->child[old_parent][d->name] = NONE;
	d->parent = parent;
	d->name = name;
	w->child[parent][name] = dentry;
	w->inode[d->inode].dentry = dentry;
	dentry_get(w, parent);
	dentry_put(w, old_parent);
	hook_hint(w, dentry);
}

void dentry_exchange(struct world *w, uint8_t one, uint8_t two)
{
	struct dentry *a = &w->dentry[one];
	struct dentry *b = &w->dentry[two];
	uint8_t parent = a->parent, name = a->name;

	a->parent = b->parent;
	a->name = b->name;
	b->parent = parent;
	b->name = name;
	w->child[a->parent][a->name] = one;
	w->child[b->parent][b->name] = two;
	hook_hint(w, one);
	hook_hint(w, two);
}

bool dentry_below(const struct world *w, uint8_t dentry, uint8_t top)
{
	while (dentry != NONE && dentry != top)
		dentry = w->dentry[dentry].parent;
	return dentry == top;
}

bool directory_is_empty(const struct world *w, uint8_t dentry)
{
	for (unsigned name = 0; name < NAME_COUNT; name++)
		if (w->child[dentry][name] != NONE)
			return false;
	return true;
}
