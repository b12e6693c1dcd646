/* SPDX-License-Identifier: MIT */
/*
 * Dispatch: the parent step, the early returns, the walk over the marks of all slots in the order
 * of their groups, and what happens to each group's bundle.
 */
#include "core/dispatch.h"

#include "core/fanotify.h"
#include "core/inotify.h"
#include "core/mark.h"
#include "core/policy.h"
#include "core/tree.h"

/* ---- one bundle ---- */

/* Since 6.0 a mark's ignored mask has flags of its own; a legacy one covers directories always,
 * and children if the event mask watches them. */
static uint32_t canonical_ignored(const struct mark *m)
{
	if (m->flags & MARK_IGNORE_FORM)
		return m->ignored;
	return m->ignored | FS_ISDIR | (m->mask & FS_EVENT_ON_CHILD);
}

uint32_t mark_effective_ignored(const struct world *w, const struct mark *m, unsigned slot,
				uint32_t bits)
{
	uint32_t ignored = m->ignored & FS_EVENTS;

	if (!ignored || !level_has(w, IGNORE_FORM))
		return ignored;
	uint32_t flags = canonical_ignored(m);
	if ((bits & FS_ISDIR) && !(flags & FS_ISDIR))
		return 0;
	if (slot == SLOT_PARENT && !(flags & FS_EVENT_ON_CHILD))
		return 0;
	return ignored;
}

static void clear_ignored(struct world *w, const struct bundle *b)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		if (b->mark[slot] != NONE && !(w->mark[b->mark[slot]].flags & MARK_SURV))
			mark_clear_ignored(w, b->mark[slot]);
}

/* A modify clears first, whoever asked for it; then masks decide whether the group is told. */
static int send_to_group(struct world *w, const struct emission *e, const struct bundle *b)
{
	uint32_t wanted = 0, ignored = 0;

	if (e->bits & FS_MODIFY)
		clear_ignored(w, b);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		if (b->mark[slot] == NONE)
			continue;
		const struct mark *m = &w->mark[b->mark[slot]];
		wanted |= m->mask;
		ignored |= mark_effective_ignored(w, m, slot, e->bits);
	}
	if (!(e->bits & FS_EVENTS & wanted & ~ignored))
		return 0;
	if (w->group[b->group].kind == GROUP_FANOTIFY)
		return fanotify_handle(w, e, b, ignored);
	inotify_handle(w, e, b);
	return 0;
}

/* ---- the walk ---- */

/* Does a parent's mark take part? Since 5.19 only if it watches children, by its event mask or by
 * its ignored mask; before, always. */
static bool parent_mark_joins(const struct world *w, const struct mark *m)
{
	if (!level_has(w, PARENT_FILTER))
		return true;
	uint32_t flags = level_has(w, IGNORE_FORM) ? canonical_ignored(m) : 0;
	return (m->mask | flags) & FS_EVENT_ON_CHILD;
}

static int walk_marks(struct world *w, const struct emission *e, uint8_t head[SLOTS])
{
	for (;;) {
		struct bundle b = {.group = NONE};
		uint16_t best = UINT16_MAX;

		for (unsigned slot = 0; slot < SLOTS; slot++) {
			if (head[slot] == NONE)
				continue;
			uint8_t group = w->mark[head[slot]].group;
			if (w->group[group].rank < best) {
				best = w->group[group].rank;
				b.group = group;
			}
		}
		if (b.group == NONE || ++w->steps > STEP_BUDGET)
			return 0;
		for (unsigned slot = 0; slot < SLOTS; slot++) {
			uint8_t at = head[slot];
			b.mark[slot] = NONE;
			if (at == NONE || w->mark[at].group != b.group)
				continue;
			w->visits++;
			head[slot] = w->mark[at].next_on_object;
			if (slot != SLOT_PARENT || parent_mark_joins(w, &w->mark[at]))
				b.mark[slot] = at;
		}
		int error = send_to_group(w, e, &b);
		if (error)
			return error;
	}
}

/* Collects what stands in the slots, takes the early returns that the policy allows, walks. */
static int dispatch(struct world *w, const struct emission *e, const uint8_t connector[SLOTS])
{
	uint8_t head[SLOTS];
	uint32_t interest = 0, route = 0;
	bool marked = false;

	for (unsigned slot = 0; slot < SLOTS; slot++) {
		head[slot] = NONE;
		if (connector[slot] == NONE)
			continue;
		const struct connector *c = &w->connector[connector[slot]];
		head[slot] = c->first;
		if (slot == SLOT_MOUNT && policy_has(w, MUTANT_FORGET_MOUNT))
			continue;
		interest |= c->interest;
		route |= c->route;
		marked = true;
	}
	if (!marked && policy_skip_unmarked(w))
		return 0;
	if (policy_may_skip(w, e->bits, interest, route))
		return 0;
	w->sections++;
	return walk_marks(w, e, head);
}

/* ---- the parent step ---- */

static uint8_t inode_connector(const struct world *w, uint8_t inode)
{
	return w->inode[inode].connector;
}

/* The event bits for which marks on this object ask to have the parent's handle and name. */
static uint32_t name_interest(const struct world *w, uint8_t connector)
{
	if (connector == NONE)
		return 0;
	uint32_t word = policy_name_interest(w, &w->connector[connector]);
	return word & FS_EVENT_ON_CHILD ? word & FS_CHILD_EVENTS : 0;
}

/* Is the parent interested in this event of its child? Cleans a stale hint. */
static bool parent_interested(struct world *w, const struct emission *e, uint8_t parent)
{
	uint8_t connector = inode_connector(w, w->dentry[parent].inode);
	uint32_t word = 0;

	if (connector != NONE)
		word = connector_child_interest(w, &w->connector[connector]);
	if (!word)
		w->dentry[e->dentry].parent_watches = false;
	/* Reads and writes of special files are a side channel (635bc4def026, 6.19 and stable). */
	if (level_has(w, SPECIAL_QUIET) && e->data == DATA_PATH &&
	    (e->bits & (FS_ACCESS | FS_MODIFY)) && w->inode[e->inode].kind == NODE_FIFO)
		return false;
	return e->bits & word;
}

/* Path and dentry emissions: the parent takes part if it watches its children and wants the
 * event; its handle and the name go along also when somebody else needs them. */
static int emit_with_parent(struct world *w, struct emission *e)
{
	const struct dentry *d = &w->dentry[e->dentry];
	uint8_t sb = w->inode[e->inode].sb;
	uint8_t connector[SLOTS] = {
		[SLOT_SB] = w->sb[sb].connector,
		[SLOT_MOUNT] = e->data == DATA_PATH ? w->mount[e->mount].connector : NONE,
		[SLOT_SELF] = inode_connector(w, e->inode),
		[SLOT_PARENT] = NONE,
		[SLOT_NEW_DIR] = NONE,
	};
	bool is_dir = w->inode[e->inode].kind == NODE_DIR;

	if (is_dir)
		e->bits |= FS_ISDIR;
	if (d->parent != NONE && (d->parent_watches || !is_dir)) {
		bool needed = false;
		if (!is_dir)
			needed = e->bits & (name_interest(w, connector[SLOT_SB]) |
					    name_interest(w, connector[SLOT_MOUNT]) |
					    name_interest(w, connector[SLOT_SELF]));
		bool interested =
			(needed || d->parent_watches) && parent_interested(w, e, d->parent);
		if (needed || interested) {
			e->dir = d->parent;
			e->name = d->name;
		}
		if (interested) {
			e->bits |= FS_EVENT_ON_CHILD;
			connector[SLOT_PARENT] = inode_connector(w, w->dentry[d->parent].inode);
		}
	}
	return dispatch(w, e, connector);
}

/* ---- the five shapes ---- */

static struct emission emission(enum emission_data data, uint8_t inode, uint32_t bits)
{
	return (struct emission){.bits = bits,
				 .data = (uint8_t)data,
				 .inode = inode,
				 .dentry = NONE,
				 .mount = NONE,
				 .dir = NONE,
				 .name = NO_NAME,
				 .new_dir = NONE,
				 .new_name = NO_NAME};
}

int emit_path(struct world *w, uint8_t dentry, uint8_t mount, uint32_t bits)
{
	struct emission e = emission(DATA_PATH, w->dentry[dentry].inode, bits);
	e.dentry = dentry;
	e.mount = mount;
	return emit_with_parent(w, &e);
}

int emit_dentry(struct world *w, uint8_t dentry, uint32_t bits)
{
	struct emission e = emission(DATA_DENTRY, w->dentry[dentry].inode, bits);
	e.dentry = dentry;
	return emit_with_parent(w, &e);
}

void emit_self(struct world *w, uint8_t inode, uint32_t bits)
{
	struct emission e = emission(DATA_INODE, inode, bits);
	uint8_t connector[SLOTS] = {w->sb[w->inode[inode].sb].connector, NONE,
				    inode_connector(w, inode), NONE, NONE};

	if (w->inode[inode].kind == NODE_DIR)
		e.bits |= FS_ISDIR;
	dispatch(w, &e, connector);
}

void emit_dirent(struct world *w, uint8_t dir_dentry, uint8_t name, uint8_t inode, uint32_t bits,
		 uint32_t cookie)
{
	struct emission e = emission(DATA_INODE, inode, bits);
	uint8_t dir = w->dentry[dir_dentry].inode;
	uint8_t connector[SLOTS] = {w->sb[w->inode[dir].sb].connector, NONE,
				    inode_connector(w, dir), NONE, NONE};

	if (w->inode[inode].kind == NODE_DIR)
		e.bits |= FS_ISDIR;
	e.dir = dir_dentry;
	e.name = name;
	e.cookie = cookie;
	dispatch(w, &e, connector);
}

void emit_rename(struct world *w, uint8_t old_dir, uint8_t old_name, uint8_t new_dir,
		 uint8_t new_name, uint8_t inode)
{
	struct emission e = emission(DATA_INODE, inode, FS_RENAME);
	uint8_t from = w->dentry[old_dir].inode, to = w->dentry[new_dir].inode;
	uint8_t connector[SLOTS] = {w->sb[w->inode[from].sb].connector, NONE,
				    inode_connector(w, from), NONE, inode_connector(w, to)};

	if (w->inode[inode].kind == NODE_DIR)
		e.bits |= FS_ISDIR;
	e.dir = old_dir;
	e.name = old_name;
	e.new_dir = new_dir;
	e.new_name = new_name;
	dispatch(w, &e, connector);
}
