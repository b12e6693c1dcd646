/* SPDX-License-Identifier: MIT */
/* Marks, connectors and the recalculation of the cached interest mask. */
#include "core/mark.h"

#include "core/inotify.h"
#include "core/observe.h"
#include "core/poison.h"
#include "core/policy.h"
#include "core/tree.h"

uint8_t *object_connector(struct world *w, enum object_kind kind, uint8_t object)
{
	switch (kind) {
	case OBJECT_INODE: return &w->inode[object].connector;
	case OBJECT_MOUNT: return &w->mount[object].connector;
	case OBJECT_SB: break;
	}
	return &w->sb[object].connector;
}

uint32_t connector_child_interest(const struct world *w, const struct connector *c)
{
	uint32_t word = policy_parent_interest(w, c);
	return word & FS_EVENT_ON_CHILD ? word & FS_CHILD_EVENTS : 0;
}

static void hide(struct world *w, const struct mark *m)
{
	w->marks -= mark_hash(w, m);
}

static void show(struct world *w, const struct mark *m)
{
	w->marks += mark_hash(w, m);
	w->changes++;
}

/* The hint of every dentry below a directory that has begun to watch its children. Leaving off is
 * noticed lazily, at the next event (core/dispatch.c). */
static void hint_children(struct world *w, const struct connector *c)
{
	if (c->kind != OBJECT_INODE || w->inode[c->object].kind != NODE_DIR)
		return;
	uint8_t dir = w->inode[c->object].dentry;
	for (uint8_t i = 0; i < w->dentries; i++)
		if (w->dentry[i].alive && w->dentry[i].parent == dir)
			w->dentry[i].parent_watches = true;
}

static void recalculate(struct world *w, struct connector *c)
{
	uint32_t interest = 0, route = 0;

	for (uint8_t i = c->first; i != NONE; i = w->mark[i].next_on_object) {
		interest |= policy_interest(w, &w->mark[i]);
		route |= policy_route(w, &w->mark[i]);
	}
	bool watched = connector_child_interest(w, c);
	c->interest = interest;
	c->route = route;
	c->exact = true;
	w->changes++;
	if (!watched && connector_child_interest(w, c))
		hint_children(w, c);
}

uint8_t mark_find(struct world *w, uint8_t group, enum object_kind kind, uint8_t object)
{
	uint8_t connector = *object_connector(w, kind, object);
	if (connector == NONE)
		return NONE;
	uint8_t i = w->connector[connector].first;
	while (i != NONE && w->mark[i].group != group)
		i = w->mark[i].next_on_object;
	return i;
}

static uint8_t connector_new(struct world *w, enum object_kind kind, uint8_t object)
{
	uint8_t index = w->connector_count++;
	core_unpoison(&w->connector[index], sizeof w->connector[index]);
	w->connector[index] = (struct connector){.kind = (uint8_t)kind,
						 .object = object,
						 .first = NONE,
						 .alive = true,
						 .exact = true};
	*object_connector(w, kind, object) = index;
	w->live_connectors++;
	return index;
}

static void connector_insert(struct world *w, struct connector *c, uint8_t mark)
{
	uint8_t *at = &c->first;
	uint16_t rank = w->group[w->mark[mark].group].rank;

	while (*at != NONE && w->group[w->mark[*at].group].rank < rank)
		at = &w->mark[*at].next_on_object;
	w->mark[mark].next_on_object = *at;
	*at = mark;
}

static void pin(struct world *w, const struct mark *m)
{
	if (m->kind != OBJECT_INODE || (m->flags & MARK_EVICTABLE))
		return;
	w->inode[m->object].pins++;
	w->pins++;
}

static void unpin(struct world *w, const struct mark *m)
{
	if (m->kind != OBJECT_INODE || (m->flags & MARK_EVICTABLE))
		return;
	w->inode[m->object].pins--;
	w->pins--;
	inode_release_unused(w, m->object);
}

uint8_t mark_attach(struct world *w, uint8_t group, enum object_kind kind, uint8_t object,
		    uint8_t flags)
{
	uint8_t connector = *object_connector(w, kind, object);

	if (w->mark_count >= MAX_MARK || (connector == NONE && w->connector_count >= MAX_CONNECTOR))
		return NONE;
	if (connector == NONE)
		connector = connector_new(w, kind, object);

	uint8_t index = w->mark_count++;
	struct mark *m = &w->mark[index];
	core_unpoison(m, sizeof *m);
	*m = (struct mark){.group = group,
			   .kind = (uint8_t)kind,
			   .object = object,
			   .flags = flags,
			   .alive = true,
			   .next_in_group = w->group[group].marks};
	w->group[group].marks = index;
	w->group[group].mark_count++;
	w->live_marks++;
	connector_insert(w, &w->connector[connector], index);
	pin(w, m);
	show(w, m);
	return index;
}

static const struct connector *mark_connector(const struct world *w, const struct mark *m)
{
	return &w->connector[*object_connector((struct world *)w, m->kind, m->object)];
}

struct mark_change mark_change_begin(struct world *w, uint8_t mark)
{
	const struct mark *m = &w->mark[mark];
	hide(w, m);
	return (struct mark_change){.mark = mark,
				    .interest = policy_interest(w, m),
				    .route = policy_route(w, m),
				    .masks = m->mask | m->ignored,
				    .clearable = mark_is_clearable(m)};
}

/* The two cached words, or what a mark puts into them. For quirk K3 they are one, as they are in
 * the optimized build: a modify that is routed here for the sake of clearing is the same bit as one
 * that somebody wants. */
struct words {
	uint32_t interest, route;
};

static struct words words(const struct world *w, uint32_t interest, uint32_t route)
{
	return policy_has(w, QUIRK_K3) ? (struct words){interest | route, 0}
				       : (struct words){interest, route};
}

static struct words words_of_mark(const struct world *w, const struct mark *m)
{
	return words(w, policy_interest(w, m), policy_route(w, m));
}

bool mark_grew(const struct world *w, const struct mark_change *change)
{
	const struct mark *m = &w->mark[change->mark];
	const struct connector *c = mark_connector(w, m);
	struct words have = words(w, c->interest, c->route), now = words_of_mark(w, m);

	return (now.interest & ~have.interest) || (now.route & ~have.route);
}

bool mark_shrank(const struct world *w, const struct mark_change *change)
{
	const struct mark *m = &w->mark[change->mark];
	const struct connector *c = mark_connector(w, m);
	struct words have = words(w, c->interest, c->route), now = words_of_mark(w, m);
	struct words before = words(w, change->interest, change->route);

	return (before.interest & have.interest & ~now.interest) ||
	       (before.route & have.route & ~now.route);
}

void mark_change_end(struct world *w, const struct mark_change *change, bool recalculate_now)
{
	const struct mark *m = &w->mark[change->mark];
	uint8_t connector = *object_connector(w, m->kind, m->object);
	struct connector *c = &w->connector[connector];

	show(w, m);
	c->exact = false;
	c->lost = change->masks & ~(m->mask | m->ignored);
	c->lost_clearable = change->clearable && !mark_is_clearable(m);
	w->lost_at = connector;
	if (recalculate_now)
		recalculate(w, c);
}

void mark_clear_ignored(struct world *w, uint8_t mark)
{
	struct mark *m = &w->mark[mark];

	if (!m->ignored)
		return;
	hide(w, m);
	m->ignored = 0;
	show(w, m);
	w->connector[*object_connector(w, m->kind, m->object)].exact = false;
}

void mark_pin(struct world *w, uint8_t mark)
{
	struct mark *m = &w->mark[mark];
	m->flags &= (uint8_t)~MARK_EVICTABLE;
	pin(w, m);
}

static void connector_remove(struct world *w, uint8_t connector, uint8_t mark)
{
	struct connector *c = &w->connector[connector];
	uint8_t *at = &c->first;

	/* A walk may stand on this mark: its own link stays. */
	while (*at != mark)
		at = &w->mark[*at].next_on_object;
	*at = w->mark[mark].next_on_object;
	if (c->first == NONE) {
		c->alive = false;
		*object_connector(w, c->kind, c->object) = NONE;
		w->live_connectors--;
		w->changes++;
	} else {
		recalculate(w, c);
	}
}

static void group_remove(struct world *w, struct group *g, uint8_t mark)
{
	uint8_t *at = &g->marks;
	while (*at != mark)
		at = &w->mark[*at].next_in_group;
	*at = w->mark[mark].next_in_group;
	g->mark_count--;
}

void mark_destroy(struct world *w, uint8_t mark)
{
	struct mark *m = &w->mark[mark];
	struct group *g = &w->group[m->group];

	if (!m->alive)
		return;
	m->alive = false;
	hide(w, m);
	group_remove(w, g, mark);
	w->live_marks--;
	if (g->kind == GROUP_INOTIFY)
		inotify_mark_freed(w, m);
	else if (!(g->flags & FAN_UNLIMITED_MARKS))
		w->fanotify_marks--;
	connector_remove(w, *object_connector(w, m->kind, m->object), mark);
	unpin(w, m);
}

void marks_destroy_on(struct world *w, enum object_kind kind, uint8_t object)
{
	uint8_t connector = *object_connector(w, kind, object);
	while (connector != NONE && w->connector[connector].first != NONE) {
		mark_destroy(w, w->connector[connector].first);
		connector = *object_connector(w, kind, object);
	}
}

void marks_destroy_of(struct world *w, uint8_t group, int kind)
{
	uint8_t next;
	for (uint8_t i = w->group[group].marks; i != NONE; i = next) {
		next = w->mark[i].next_in_group;
		if (kind == ALL_KINDS || w->mark[i].kind == kind)
			mark_destroy(w, i);
	}
}

void marks_reap(struct world *w)
{
	for (uint8_t i = 0; i < w->mark_count; i++) {
		if (slot_freed(w->mark_freed, i) || w->mark[i].alive)
			continue;
		slot_free(w->mark_freed, i);
		core_poison(&w->mark[i], sizeof w->mark[i]);
	}
	for (uint8_t i = 0; i < w->connector_count; i++) {
		if (slot_freed(w->connector_freed, i) || w->connector[i].alive)
			continue;
		slot_free(w->connector_freed, i);
		core_poison(&w->connector[i], sizeof w->connector[i]);
	}
}
