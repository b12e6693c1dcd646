/* SPDX-License-Identifier: MIT */
/*
 * The initial world, and how a world gets back to it: the used prefix of a template is copied,
 * pools are emptied by setting their counts to zero.
 */
#include "core/world.h"

#include <stddef.h>
#include <string.h>

#include "core/poison.h"

const struct world_config world_defaults = {
	.level = LEVEL_DEFAULT,
	.queue_limit = 16,
	.mark_limit = 128,
	.group_limit = GROUP_SLOTS,
};

enum { INITIAL_INODES = 14 };

/* The tree, parents first. The root of a superblock has no parent. */
static const struct {
	uint8_t sb, parent, name, kind;
} initial_tree[INITIAL_INODES] = {
	{0, NONE, NO_NAME, NODE_DIR}, /* 0: A */
	{0, 0, NAME_d0, NODE_DIR},    /* 1 */
	{0, 0, NAME_d1, NODE_DIR},    /* 2 */
	{0, 0, NAME_f0, NODE_FILE},   /* 3 */
	{0, 0, NAME_f1, NODE_FILE},   /* 4 */
	{0, 1, NAME_f0, NODE_FILE},   /* 5 */
	{0, 1, NAME_f1, NODE_FILE},   /* 6 */
	{0, 1, NAME_d2, NODE_DIR},    /* 7 */
	{0, 7, NAME_f0, NODE_FILE},   /* 8 */
	{0, 2, NAME_f0, NODE_FILE},   /* 9 */
	{1, NONE, NO_NAME, NODE_DIR}, /* 10: C */
	{1, 10, NAME_d0, NODE_DIR},   /* 11 */
	{1, 10, NAME_f0, NODE_FILE},  /* 12 */
	{1, 11, NAME_f0, NODE_FILE},  /* 13 */
};

/* What of the world is not empty after reset; kept small, it is copied for every program. */
struct initial {
	struct superblock sb[MAX_SB];
	struct mount mount[MAX_MOUNT];
	struct inode inode[INITIAL_INODES];
	struct dentry dentry[INITIAL_INODES];
	uint8_t child[INITIAL_INODES][NAME_COUNT];
	bool made;
};

static struct initial initial;

static void initial_make(void)
{
	static const uint8_t mount_sb[MAX_MOUNT] = {0, 0, 1, 2};
	static const uint8_t roots[MAX_SB] = {0, 10, NONE};

	memset(&initial, 0, sizeof initial);
	memset(initial.child, NONE, sizeof initial.child);
	for (uint8_t i = 0; i < MAX_SB; i++)
		initial.sb[i] = (struct superblock){
			.root = roots[i], .connector = NONE, .active = true, .internal = i == 2};
	for (uint8_t i = 0; i < MAX_MOUNT; i++) {
		initial.mount[i] =
			(struct mount){.sb = mount_sb[i], .connector = NONE, .active = true};
		initial.sb[mount_sb[i]].mounts++;
	}
	for (uint8_t i = 0; i < INITIAL_INODES; i++) {
		uint8_t parent = initial_tree[i].parent;
		initial.inode[i] = (struct inode){
			.sb = initial_tree[i].sb,
			.kind = initial_tree[i].kind,
			.nlink = 1,
			.connector = NONE,
			.dentry = i,
			.size = initial_tree[i].kind == NODE_FILE,
			.target = NONE,
			.dentries = 1,
			.alive = true,
		};
		initial.dentry[i] = (struct dentry){
			.inode = i,
			.parent = parent,
			.name = initial_tree[i].name,
			.alive = true,
			.hashed = true,
		};
		if (parent == NONE)
			continue;
		initial.dentry[parent].refs++;
		initial.child[parent][initial_tree[i].name] = i;
	}
	initial.made = true;
}

/* Poisons what the last program used; the rest has been poisoned since the first reset. */
static void poison_pools(struct world *w)
{
	if (!w->ready) {
		core_poison(w->mark, sizeof w->mark);
		core_poison(w->connector, sizeof w->connector);
		core_poison(w->event, sizeof w->event);
		return;
	}
	core_poison(w->mark, w->mark_count * sizeof *w->mark);
	core_poison(w->connector, w->connector_count * sizeof *w->connector);
	core_poison(w->event, w->event_count * sizeof *w->event);
}

void world_reset(struct world *w, const struct world_config *config)
{
	if (!initial.made)
		initial_make();
	poison_pools(w);
	memset(w, 0, offsetof(struct world, group_slot));
	w->ready = true;
	w->lost_at = NONE;
	w->config = *config;
	w->features = core_level_features(config->level);
	w->inodes = INITIAL_INODES;
	w->dentries = INITIAL_INODES;
	memset(w->group_slot, NONE, sizeof w->group_slot);
	memset(w->handle, NONE, sizeof w->handle);
	memcpy(w->sb, initial.sb, sizeof w->sb);
	memcpy(w->mount, initial.mount, sizeof w->mount);
	memcpy(w->inode, initial.inode, sizeof initial.inode);
	memcpy(w->dentry, initial.dentry, sizeof initial.dentry);
	memcpy(w->child, initial.child, sizeof initial.child);
}
