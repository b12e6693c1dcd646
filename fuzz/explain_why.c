/* SPDX-License-Identifier: MIT */
/*
 * Why two executors part (fuzz/explain_why.h): one function for each oracle, and what they share.
 */
#include "fuzz/explain_why.h"

#include <string.h>

#include "core/audit.h"
#include "core/interest.h"
#include "fuzz/outcome.h"

#define say(x, ...) text_add(&(x)->words, __VA_ARGS__)

static uint32_t interest_on(const struct world *w, unsigned kind, unsigned object)
{
	const struct connector *c = connector_on(w, kind, object);
	return c ? c->interest | c->route : 0;
}

/* The dentry that an operation on an open file is about, or NONE. */
static uint8_t subject_of(const struct explanation *x)
{
	const struct world *w = x->side[0].was;
	const struct op *op = &x->p->op[x->v->op];
	if (x->v->op >= x->p->count || !op_table[op->id].args)
		return NONE;
	uint32_t value = op->arg[0];
	switch (op_table[op->id].arg[0].kind) {
	case ARG_HANDLE: return w->handle[value] == NONE ? NONE : w->file[w->handle[value]].dentry;
	default: return NONE;
	}
}

/* Names the child that the operation was about, or says "a child" where that cannot be told. */
static void say_child(struct explanation *x, unsigned dir)
{
	const struct world *w = x->side[0].was;
	uint8_t subject = subject_of(x);
	char name[NAME_TEXT];
	if (subject == NONE || w->dentry[subject].parent == NONE ||
	    w->dentry[w->dentry[subject].parent].inode != dir) {
		say(x, "a child");
		return;
	}
	say(x, "%s", object_text(w, OBJECT_INODE, w->dentry[subject].inode, name, sizeof(name)));
}

/* The side whose cached mask of an object has bits that the other's lacks: says which. */
static void say_interest(struct explanation *x, const struct mark_at *at, unsigned more)
{
	char name[NAME_TEXT], bits[TEXT_LINE];
	uint32_t here = interest_on(x->side[more].was, at->kind, at->object);
	uint32_t there = interest_on(x->side[!more].was, at->kind, at->object);
	if (!(here & ~there))
		return;
	say(x, "The cached interest mask of %s has %s in %s and not in %s. ",
	    object_text(x->side[0].was, at->kind, at->object, name, sizeof(name)),
	    text_events(here & ~there, bits, sizeof(bits)), x->side[more].name,
	    x->side[!more].name);
}

/* An ignored mask that a modify cleared on one side only. */
static bool why_cleared(struct explanation *x, const struct mark_at *at)
{
	char name[NAME_TEXT], bits[TEXT_LINE];
	if (!at->is[0] || !at->is[1] || !at->was[0] || at->is[0]->ignored == at->is[1]->ignored ||
	    !mark_is_clearable(at->was[0]))
		return true;
	unsigned cleared = at->is[1]->ignored == 0;
	if (at->is[cleared]->ignored)
		return true;
	say(x, "The mark of g%u on %s ignored %s, and that does not survive a modify. ", at->slot,
	    object_text(x->side[0].was, at->kind, at->object, name, sizeof(name)),
	    text_events(at->was[0]->ignored, bits, sizeof(bits)));
	say_interest(x, at, cleared);
	bool directory =
		at->kind == OBJECT_INODE && x->side[0].was->inode[at->object].kind == NODE_DIR;
	if (directory) {
		say(x,
		    "The same mask decides whether a directory is interested in what happens to "
		    "its children, so in %s the MODIFY of ",
		    x->side[cleared].name);
		say_child(x, at->object);
		say(x, " reached the mark and cleared it; ");
	} else {
		say(x, "In %s the MODIFY reached the mark and cleared it; ", x->side[cleared].name);
	}
	say(x, "in %s it did not. ", x->side[!cleared].name);
	return false;
}

static bool why_presence(struct explanation *x, const struct mark_at *at)
{
	char name[NAME_TEXT];
	if (!at->is[0] == !at->is[1])
		return true;
	unsigned with = at->is[1] != NULL;
	say(x, "Only %s has a mark of g%u on %s afterwards.", x->side[with].name, at->slot,
	    object_text(x->side[with].is, at->kind, at->object, name, sizeof(name)));
	return false;
}

/* Cached masks that differ, one sentence each; returns true to go on. */
static bool why_interest(struct explanation *x, const struct mark_at *at)
{
	const struct connector *c = connector_on(x->side[0].was, at->kind, at->object);
	if (c && at->was[0] && &x->side[0].was->mark[c->first] == at->was[0]) {
		say_interest(x, at, 0);
		say_interest(x, at, 1);
	}
	return true;
}

/* Is this open file one that the operation is about? */
static bool is_named(const struct explanation *x, unsigned handle)
{
	const struct op *op = &x->p->op[x->v->op];
	if (x->v->op >= x->p->count)
		return false;
	for (unsigned i = 0; i < op_table[op->id].args; i++) {
		enum arg_kind kind = op_table[op->id].arg[i].kind;
		if ((kind == ARG_HANDLE && op->arg[i] == handle) ||
		    (kind == ARG_PATH && op->arg[i] == PATH_FDS + handle))
			return true;
	}
	return false;
}

/* An open file whose internal mode differs: opted out on one side. */
static bool why_mode(struct explanation *x)
{
	const struct world *a = x->side[0].was, *b = x->side[1].was;
	for (unsigned h = 0; h < HANDLE_SLOTS; h++) {
		if (a->handle[h] == NONE || b->handle[h] == NONE || !is_named(x, h))
			continue;
		uint8_t mode = b->file[b->handle[h]].mode;
		uint8_t differ = a->file[a->handle[h]].mode ^ mode;
		if (!(differ & (FILE_NONOTIFY | FILE_UNASKED)))
			continue;
		unsigned quiet = (mode & differ) != 0;
		say(x, "The file of h%u is opted out of %s in %s and not in %s. ", h,
		    differ & FILE_NONOTIFY ? "all events" : "permission events",
		    x->side[quiet].name, x->side[!quiet].name);
		return true;
	}
	return false;
}

static void why_events(struct explanation *x)
{
	if (!why_mode(x) && each_mark(x, why_cleared))
		each_mark(x, why_interest);
	for (unsigned slot = 0; slot < GROUP_SLOTS; slot++) {
		records_text(&x->side[0], slot);
		records_text(&x->side[1], slot);
		if (!sides_differ(x))
			continue;
		say(x, "%sg%u is told \"%s\" in %s and \"%s\" in %s.", x->words.length ? "So " : "",
		    slot, x->side[0].text, x->side[0].name, x->side[1].text, x->side[1].name);
		return;
	}
}

static void why_files(struct explanation *x)
{
	for (unsigned h = 0; h < HANDLE_SLOTS; h++) {
		const struct world *a = x->side[0].is, *b = x->side[1].is;
		if (a->handle[h] == NONE || b->handle[h] == NONE)
			continue;
		uint32_t fa = a->file[a->handle[h]].flags, fb = b->file[b->handle[h]].flags;
		if (fa == fb)
			continue;
		unsigned with = (fb & ~fa) != 0;
		uint32_t bits = fa ^ fb;
		say(x, "0x%x%s shows in F_GETFL of h%u in %s and not in %s.", (unsigned)bits,
		    bits == FL_NONOTIFY
			    ? " (FMODE_NONOTIFY, an internal bit that belongs in the file's mode)"
			    : "",
		    h, x->side[with].name, x->side[!with].name);
		return;
	}
}

static void why_work(struct explanation *x)
{
	const struct world *a = x->side[0].is, *b = x->side[1].is;
	say(x,
	    "%s entered %u read-side sections and visited %u marks for this operation, %s %u and "
	    "%u: more than it may. ",
	    x->side[1].name, (unsigned)b->sections, (unsigned)b->visits, x->side[0].name,
	    (unsigned)a->sections, (unsigned)a->visits);
	each_mark(x, why_interest);
}

static void why_masks(struct explanation *x)
{
	unsigned i = x->v->direction[0] == 'b';
	struct side *s = &x->side[i];
	struct audit_fault fault;
	char name[NAME_TEXT], bits[TEXT_LINE];
	if (audit_find(s->is, s->after->claims, &fault))
		return;
	const struct connector *c = &s->is->connector[fault.connector];
	say(x, "In %s the cached interest mask of %s ", s->name,
	    object_text(s->is, c->kind, c->object, name, sizeof(name)));
	text_events(fault.interest | fault.route, bits, sizeof(bits));
	if (!strcmp(fault.field, "missing"))
		say(x, "lacks %s, which a mark on it needs: such an event may never get there.",
		    bits);
	else if (!strcmp(fault.field, "surplus"))
		say(x, "has %s right after a recalculation, though no mark on it needs that.",
		    bits);
	else
		say(x,
		    "still has %s, which this call took back and no mark on it needs: the "
		    "recalculation was forgotten.",
		    bits);
}

static void why_returns(struct explanation *x)
{
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		for (unsigned j = 0; j < s->journal.count; j++) {
			const struct journal_entry *e = &s->journal.entry[j];
			if (e->kind == JOURNAL_ASKED && e->event.answer &&
			    s->ret != x->side[!i].ret) {
				say(x, "In %s g%u was asked for permission and denied it. ",
				    s->name, e->group);
				break;
			}
		}
	}
	if (!why_mode(x))
		each_mark(x, why_interest);
}

static void why_balance(struct explanation *x)
{
	unsigned i = x->v->direction[0] == 'b';
	if (x->v->op >= x->p->count)
		say(x, "In %s there are %s left after everything was closed.", x->side[i].name,
		    x->v->field);
	else
		say(x, "In %s the call failed, and yet the number of %s changed.", x->side[i].name,
		    x->v->field);
}

static void why_marks(struct explanation *x)
{
	if (each_mark(x, why_cleared) && each_mark(x, why_presence))
		each_mark(x, why_interest);
}

static void why_steps(struct explanation *x)
{
	unsigned i = x->v->direction[0] == 'b';
	say(x, "%s took %u steps; a program may take %d.", x->side[i].name,
	    (unsigned)x->side[i].is->steps, STEP_BUDGET);
}

static void (*const why[ORACLE_COUNT])(struct explanation *) = {
	[ORACLE_RETURNS] = why_returns, [ORACLE_EVENTS] = why_events, [ORACLE_MARKS] = why_marks,
	[ORACLE_FILES] = why_files,	[ORACLE_WORK] = why_work,     [ORACLE_MASKS] = why_masks,
	[ORACLE_BALANCE] = why_balance, [ORACLE_STEPS] = why_steps,
};

static void say_known(struct explanation *x)
{
	const char *before =
		x->words.length ? " Known, and explained by " : "Known, and explained by ";
	if (!x->v->explained_by)
		return;
	for (unsigned i = 0; i < TOGGLE_COUNT; i++) {
		if (!(x->v->explained_by & 1u << i))
			continue;
		say(x, "%sK%s (%s)", before, core_toggles[i].name + 1, core_toggles[i].what);
		before = " and ";
	}
	say(x, ".");
}

void explain_why(struct explanation *x)
{
	why[x->v->oracle](x);
	say_known(x);
}
