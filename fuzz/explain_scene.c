/* SPDX-License-Identifier: MIT */
/*
 * The scene of a divergence (fuzz/explain_scene.h). Each side is run twice: once up to the
 * operation at which they part, once through it, so that both can be looked at.
 */
#include "fuzz/explain_scene.h"

#include <string.h>

#include "fuzz/outcome.h"

bool scene_open(struct explanation *x, struct pair *pair)
{
	char error[256];
	struct executor *executors[SIDES] = {&pair->a, &pair->b};
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		int length = (int)strlen(executors[i]->name);
		s->after = executors[i];
		s->name = executors[i]->name;
		s->is = executors[i]->world;
		if (!executor_open(&s->before, s->name, error, sizeof(error))) {
			fprintf(x->out, "%s\n", error);
			return false;
		}
		s->was = s->before.world;
		x->width = length > x->width ? length : x->width;
		executor_start(s->after, &x->p->config, &s->journal);
		executor_start(&s->before, &x->p->config, &s->was_journal);
	}
	return true;
}

void scene_close(struct explanation *x)
{
	for (unsigned i = 0; i < SIDES; i++) {
		if (x->side[i].before.world)
			executor_close(&x->side[i].before);
		if (x->side[i].after)
			x->side[i].after->world->journal = NULL;
	}
}

void scene_step(struct explanation *x, unsigned at)
{
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		s->journal.count = 0;
		if (at < x->p->count)
			s->ret = executor_step(s->after, &x->p->op[at]);
		else
			s->after->build->close_all(s->after->world);
		if (at < x->v->op && at < x->p->count)
			executor_step(&s->before, &x->p->op[at]);
	}
}

bool sides_differ(const struct explanation *x)
{
	return strcmp(x->side[0].text, x->side[1].text) != 0;
}

void records_text(struct side *s, unsigned slot)
{
	static const char *const did[] = {[JOURNAL_QUEUED] = "",
					  [JOURNAL_MERGED] = "merged: ",
					  [JOURNAL_DROPPED] = "dropped: ",
					  [JOURNAL_ASKED] = ""};
	struct text_buffer b = {s->text, sizeof(s->text), 0};
	char record[TEXT_LINE];
	s->text[0] = '\0';
	for (unsigned i = 0; i < s->journal.count; i++) {
		const struct journal_entry *e = &s->journal.entry[i];
		if (e->group != slot || e->kind == JOURNAL_READ)
			continue;
		text_add(&b, "%s%s%s", b.length ? "; " : "", did[e->kind],
			 outcome_event(s->is, slot, &e->event, record, sizeof(record)));
	}
	if (!b.length)
		text_add(&b, "nothing");
}

char *object_text(const struct world *w, unsigned kind, unsigned object, char *out, size_t size)
{
	static const char *const what[] = {"", "mount ", "sb "};
	char name[NAME_TEXT - 8];
	snprintf(out, size, "%s%s", what[kind],
		 outcome_object(w, kind, object, name, sizeof(name)));
	return out;
}

const struct connector *connector_on(const struct world *w, unsigned kind, unsigned object)
{
	uint8_t at = kind == OBJECT_INODE   ? w->inode[object].connector
		     : kind == OBJECT_MOUNT ? w->mount[object].connector
					    : w->sb[object].connector;
	return at == NONE ? NULL : &w->connector[at];
}

/* The mark of a group on an object, or null. */
static const struct mark *find_mark(const struct world *w, unsigned slot, unsigned kind,
				    unsigned object)
{
	uint8_t group = w->group_slot[slot];
	if (group == NONE)
		return NULL;
	for (uint8_t i = w->group[group].marks; i != NONE; i = w->mark[i].next_in_group)
		if (w->mark[i].kind == kind && w->mark[i].object == object)
			return &w->mark[i];
	return NULL;
}

static const struct world *world_at(const struct explanation *x, unsigned i)
{
	return i < SIDES ? x->side[i].is : x->side[i - SIDES].was;
}

static void locate_mark(const struct explanation *x, struct mark_at *at, const struct mark *m)
{
	at->kind = m->kind;
	at->object = m->object;
	for (unsigned i = 0; i < SIDES; i++) {
		at->is[i] = find_mark(x->side[i].is, at->slot, m->kind, m->object);
		at->was[i] = find_mark(x->side[i].was, at->slot, m->kind, m->object);
	}
}

static bool seen_earlier(const struct mark_at *at, unsigned world)
{
	const struct mark *const in[] = {at->is[0], at->is[1], at->was[0], at->was[1]};
	for (unsigned i = 0; i < world; i++)
		if (in[i])
			return true;
	return false;
}

bool each_mark(struct explanation *x, mark_visitor *visit)
{
	for (unsigned slot = 0; slot < GROUP_SLOTS; slot++) {
		for (unsigned i = 0; i < 2 * SIDES; i++) {
			const struct world *w = world_at(x, i);
			uint8_t group = w->group_slot[slot];
			uint8_t m = group == NONE ? NONE : w->group[group].marks;
			for (; m != NONE; m = w->mark[m].next_in_group) {
				struct mark_at at = {.slot = slot};
				locate_mark(x, &at, &w->mark[m]);
				if (!seen_earlier(&at, i) && !visit(x, &at))
					return false;
			}
		}
	}
	return true;
}
