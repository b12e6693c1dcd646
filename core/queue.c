/* SPDX-License-Identifier: MIT */
/* Queues of events: adding, merging, overflow, reading. */
#include "core/queue.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/observe.h"
#include "core/poison.h"
#include "core/tree.h"

static void note(struct world *w, enum journal_kind kind, uint8_t group, const struct event *e)
{
	struct journal *j = w->journal;

	if (!j || j->count >= JOURNAL_CAPACITY)
		return;
	struct journal_entry *entry = &j->entry[j->count++];
	*entry = (struct journal_entry){
		.kind = (uint8_t)kind, .group = w->group[group].slot, .event = *e};
	if (kind != JOURNAL_READ)
		memcpy(entry->asked, j->asked, sizeof(entry->asked));
}

/* ---- merging ---- */

static bool same_record(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->inode == b->inode && a->dir == b->dir &&
	       a->name == b->name && a->new_dir == b->new_dir && a->new_name == b->new_name &&
	       a->dentry == b->dentry && a->mount == b->mount && a->by == b->by;
}

/* fanotify: same record, done by the same, both or neither about a directory, both or neither a
 * rename; then the bits are joined in the older event, wherever it stands. */
static struct event *fanotify_merge(struct world *w, const struct group *g, const struct event *e)
{
	const uint32_t apart = FS_ISDIR | FS_RENAME;

	/* A rename of which only the new place is told has no handle to be compared by. */
	if (e->kind == EVENT_NAME && e->dir == NONE)
		return NULL;
	for (uint16_t i = g->first; i != NO_EVENT; i = w->event[i].next) {
		struct event *old = &w->event[i];
		if (!((old->mask ^ e->mask) & apart) && same_record(old, e))
			return old;
	}
	return NULL;
}

/* inotify: only the newest event is looked at, and the cookie is not. */
static struct event *inotify_merge(struct world *w, const struct group *g, const struct event *e)
{
	if (g->last == NO_EVENT)
		return NULL;
	struct event *old = &w->event[g->last];
	if (old->mask == e->mask && old->wd == e->wd && old->name == e->name &&
	    !(old->mask & FS_IN_IGNORED))
		return old;
	return NULL;
}

/* ---- adding ---- */

/* A path event keeps its path in use until it is read; an answered question does not. */
static bool event_holds(const struct event *e)
{
	return e->kind == EVENT_PATH;
}

static void event_hold(struct world *w, const struct event *e)
{
	if (!event_holds(e))
		return;
	dentry_get(w, e->dentry);
	w->mount[e->mount].pins++;
}

static void event_drop(struct world *w, const struct event *e)
{
	if (!event_holds(e))
		return;
	w->mount[e->mount].pins--;
	dentry_put(w, e->dentry);
}

static uint16_t event_new(struct world *w, const struct event *e)
{
	if (w->event_count >= MAX_EVENT)
		return NO_EVENT;
	uint16_t index = w->event_count++;
	core_unpoison(&w->event[index], sizeof w->event[index]);
	w->event[index] = *e;
	w->event[index].next = NO_EVENT;
	w->live_events++;
	return index;
}

static bool append(struct world *w, uint8_t group, const struct event *e)
{
	struct group *g = &w->group[group];
	uint16_t index = event_new(w, e);

	if (index == NO_EVENT)
		return false;
	if (g->last == NO_EVENT)
		g->first = index;
	else
		w->event[g->last].next = index;
	g->last = index;
	g->length++;
	w->event[index].seq = g->appended++;
	w->events += event_hash(w, group, &w->event[index]);
	event_hold(w, e);
	note(w, e->kind == EVENT_ASK ? JOURNAL_ASKED : JOURNAL_QUEUED, group, e);
	return true;
}

static enum queue_result overflow(struct world *w, uint8_t group)
{
	static const struct event lost = {BLANK_EVENT, .mask = FS_Q_OVERFLOW, .wd = -1,
					  .kind = EVENT_OVERFLOW};
	struct group *g = &w->group[group];

	if (!g->overflowed)
		g->overflowed = append(w, group, &lost);
	return QUEUE_FULL;
}

static bool queue_is_full(const struct world *w, const struct group *g)
{
	return !(g->flags & FAN_UNLIMITED_QUEUE) && g->length >= w->config.queue_limit;
}

enum queue_result queue_add(struct world *w, uint8_t group, const struct event *candidate)
{
	struct group *g = &w->group[group];

	if (queue_is_full(w, g))
		return overflow(w, group);
	struct event *merged = g->kind == GROUP_INOTIFY ? inotify_merge(w, g, candidate)
							: fanotify_merge(w, g, candidate);
	if (merged) {
		w->events -= event_hash(w, group, merged);
		merged->mask |= candidate->mask;
		w->events += event_hash(w, group, merged);
		note(w, JOURNAL_MERGED, group, merged);
		return QUEUE_MERGED;
	}
	return append(w, group, candidate) ? QUEUE_ADDED : overflow(w, group);
}

/* ---- reading ---- */

static uint16_t take_first(struct world *w, uint16_t *first, uint16_t *last)
{
	uint16_t index = *first;
	*first = w->event[index].next;
	if (*first == NO_EVENT)
		*last = NO_EVENT;
	return index;
}

static void event_free(struct world *w, uint8_t group, uint16_t index)
{
	w->events -= event_hash(w, group, &w->event[index]);
	w->live_events--;
	core_poison(&w->event[index], sizeof w->event[index]);
}

/* Takes the oldest event out of what the listener has already read, or else out of the queue. */
static uint16_t next_event(struct world *w, struct group *g)
{
	if (g->taken_first != NO_EVENT)
		return take_first(w, &g->taken_first, &g->taken_last);
	if (g->first == NO_EVENT)
		return NO_EVENT;
	uint16_t index = take_first(w, &g->first, &g->last);
	g->length--;
	if (w->event[index].kind == EVENT_OVERFLOW)
		g->overflowed = false;
	return index;
}

int32_t queue_read_all(struct world *w, uint8_t group)
{
	int32_t count = 0;
	uint16_t index;

	/* Letting go of a path can raise DELETE_SELF, which this group may be told: it is read
	 * in the same go. */
	while ((index = next_event(w, &w->group[group])) != NO_EVENT) {
		struct event e = w->event[index];
		event_free(w, group, index);
		e.by = event_doer_shown(w, group, &e);
		note(w, JOURNAL_READ, group, &e);
		event_drop(w, &e);
		count++;
	}
	return count;
}

void queue_flush(struct world *w, uint8_t group)
{
	uint16_t index;
	while ((index = next_event(w, &w->group[group])) != NO_EVENT) {
		struct event e = w->event[index];
		event_free(w, group, index);
		event_drop(w, &e);
	}
}

static bool next_answer_is_deny(struct group *g)
{
	if (!g->answer_count)
		return false;
	bool deny = g->answers & 1;
	g->answers >>= 1;
	g->answer_count--;
	return deny;
}

/* Moves what is queued to what the listener has read. */
static void take_all(struct world *w, struct group *g)
{
	if (g->first == NO_EVENT)
		return;
	if (g->taken_last == NO_EVENT)
		g->taken_first = g->first;
	else
		w->event[g->taken_last].next = g->first;
	g->taken_last = g->last;
	g->first = g->last = NO_EVENT;
	g->length = 0;
	g->overflowed = false;
}

int queue_ask(struct world *w, uint8_t group, const struct event *question)
{
	struct group *g = &w->group[group];

	if (queue_is_full(w, g)) {
		/* It cannot be asked: the access is allowed, the overflow event the only trace. */
		overflow(w, group);
		return 0;
	}
	struct event asked = *question;
	asked.answer = next_answer_is_deny(g);
	append(w, group, &asked);
	take_all(w, g);
	return asked.answer ? -EPERM : 0;
}
