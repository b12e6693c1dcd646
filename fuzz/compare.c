/* SPDX-License-Identifier: MIT */
/*
 * The comparator (fuzz/compare.h). The hot path and the judge run the same check after every
 * operation; the judge then looks at the two worlds, which stand where they parted.
 */
#include "fuzz/compare.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/audit.h"

#define OPTIMISATIONS                                                                        \
	(TOGGLE_BIT(MODIFY_MASK) | TOGGLE_BIT(MODIFY_MASK_PRECISE) | TOGGLE_BIT(UNWATCHED) | \
	 TOGGLE_BIT(PSEUDO_OPT_OUT))

#define unlikely(x) __builtin_expect(!!(x), 0)

static const char *const oracle_names[ORACLE_COUNT] = {
	[ORACLE_NONE] = "none",	  [ORACLE_RETURNS] = "returns", [ORACLE_EVENTS] = "events",
	[ORACLE_MARKS] = "marks", [ORACLE_FILES] = "files",	[ORACLE_WORK] = "work",
	[ORACLE_MASKS] = "masks", [ORACLE_BALANCE] = "balance", [ORACLE_STEPS] = "steps",
};

const char *oracle_name(enum oracle o)
{
	return oracle_names[o];
}

/* ---- the pair ---- */

static bool folded(const struct executor *e)
{
	return (e->toggles & TOGGLE_BIT(MODIFY_MASK)) &&
	       !(e->toggles & TOGGLE_BIT(MODIFY_MASK_PRECISE));
}

static bool asks_work(const struct executor *a, const struct executor *b)
{
	if (a->claims == b->claims)
		return true;
	if ((a->claims ^ b->claims) & TOGGLE_BIT(PARENT_IGNORE_FIX))
		return false;
	return !(a->claims & ~b->claims & OPTIMISATIONS) &&
	       (b->claims & ~a->claims & OPTIMISATIONS);
}

/* What quirks explain is about the model. A model beside a tree is made like it; beside two trees
 * stands the pair of models that can explain them. Nothing is known of what a tree means to be, so
 * whether the second may do more work than the first is for the user to say. */
static bool settle_trees(struct pair *pair)
{
	const struct core_tree *a = pair->a.build->tree, *b = pair->b.build->tree;

	if (!a)
		pair->a.like = b;
	if (!b)
		pair->b.like = a;
	pair->trees = a && b;
	pair->work = pair->trees && getenv("FSNDIFF_WORK") != NULL;
	return a || b;
}

bool pair_open(struct pair *pair, const char *names, char *error, size_t size)
{
	const char *comma = strchr(names, ',');
	char first[EXECUTOR_NAME];
	memset(pair, 0, sizeof(*pair));
	if (!comma || comma == names || !comma[1] || strchr(comma + 1, ',')) {
		snprintf(error, size, "pair \"%s\": two executors with a comma between, as in %s",
			 names, "vanilla,optimized");
		return false;
	}
	if (comma - names >= EXECUTOR_NAME) {
		snprintf(error, size, "pair \"%.32s...\": a name has at most %d characters", names,
			 EXECUTOR_NAME - 1);
		return false;
	}
	snprintf(first, sizeof(first), "%.*s", (int)(comma - names), names);
	if (!executor_open(&pair->a, first, error, size))
		return false;
	if (!executor_open(&pair->b, comma + 1, error, size)) {
		executor_close(&pair->a);
		return false;
	}
	if (settle_trees(pair))
		return true;
	pair->work = asks_work(&pair->a, &pair->b);
	if (folded(&pair->a) != folded(&pair->b)) {
		pair->quirk_on_b = folded(&pair->a);
		pair->quirk = pair->quirk_on_b ? pair->b : pair->a;
	}
	return true;
}

void pair_close(struct pair *pair)
{
	executor_close(&pair->a);
	executor_close(&pair->b);
	memset(&pair->quirk, 0, sizeof(pair->quirk));
}

/* ---- the check after an operation ---- */

/* What must not change when a call fails, and must be nothing at the end. */
struct balance {
	uint16_t marks, connectors, events, groups, pins;
};

static inline struct balance balance_of(const struct world *w)
{
	return (struct balance){w->live_marks, w->live_connectors, w->live_events, w->live_groups,
				w->pins};
}

/* A call about groups and marks that failed has changed nothing. Other calls may fail late, when
 * groups have been told of them already (a denied open, an exec of no program). */
static inline bool balance_kept(const struct balance *before, const struct world *w,
				const struct op *op, int32_t ret)
{
	if (ret >= 0 || op->id > OP_UNWATCH)
		return true;
	return before->marks == w->live_marks && before->connectors == w->live_connectors &&
	       before->events == w->live_events && before->groups == w->live_groups &&
	       before->pins == w->pins;
}

/* One operation on both sides; ORACLE_NONE when nothing tells them apart. */
static inline enum oracle pair_step(struct pair *pair, const struct op *op, int32_t ret[2])
{
	const struct world *a = pair->a.world, *b = pair->b.world;
	const struct balance before_a = balance_of(a), before_b = balance_of(b);
	const char *field;

	ret[0] = executor_step(&pair->a, op);
	ret[1] = executor_step(&pair->b, op);
	if (unlikely(ret[0] != ret[1]))
		return ORACLE_RETURNS;
	if (unlikely(a->events != b->events))
		return ORACLE_EVENTS;
	if (unlikely(a->marks != b->marks))
		return ORACLE_MARKS;
	if (unlikely(a->files != b->files))
		return ORACLE_FILES;
	if (pair->work && unlikely(b->sections > a->sections || b->visits > a->visits))
		return ORACLE_WORK;
	if (a->changes && unlikely(!audit_masks(a, pair->a.claims, &field)))
		return ORACLE_MASKS;
	if (b->changes && unlikely(!audit_masks(b, pair->b.claims, &field)))
		return ORACLE_MASKS;
	if (unlikely(!balance_kept(&before_a, a, op, ret[0]) ||
		     !balance_kept(&before_b, b, op, ret[1])))
		return ORACLE_BALANCE;
	if (unlikely(a->steps > STEP_BUDGET || b->steps > STEP_BUDGET))
		return ORACLE_STEPS;
	return ORACLE_NONE;
}

static inline bool is_empty(const struct world *w)
{
	return !(w->live_marks | w->live_connectors | w->live_events | w->live_groups | w->pins);
}

/* The end of a program: what is still open is closed, and nothing may be left. */
static inline enum oracle pair_finish(struct pair *pair)
{
	pair->a.build->close_all(pair->a.world);
	pair->b.build->close_all(pair->b.world);
	if (!is_empty(pair->a.world) || !is_empty(pair->b.world))
		return ORACLE_BALANCE;
	if (pair->a.world->steps > STEP_BUDGET || pair->b.world->steps > STEP_BUDGET)
		return ORACLE_STEPS;
	return ORACLE_NONE;
}

bool pair_agrees(struct pair *pair, const struct program *p)
{
	int32_t ret[2];
	executor_start(&pair->a, &p->config, NULL);
	executor_start(&pair->b, &p->config, NULL);
	for (unsigned i = 0; i < p->count; i++)
		if (pair_step(pair, &p->op[i], ret) != ORACLE_NONE)
			return false;
	return pair_finish(pair) == ORACLE_NONE;
}

/* ---- the judge: which field, in which direction ---- */

/* What is known at the place where two sides part. */
struct scene {
	const struct pair *pair;
	const struct world *a, *b;
	const struct journal *journal_a, *journal_b;
	struct balance before_a, before_b;
	int32_t ret[2];
};

static void set_field(struct verdict *v, const char *field, const char *direction)
{
	snprintf(v->field, sizeof(v->field), "%s", field);
	v->direction = direction;
}

static const char *by_count(unsigned a, unsigned b)
{
	return a < b ? "+" : a > b ? "-" : "~";
}

static const char *by_bits(uint32_t a, uint32_t b)
{
	bool more = b & ~a, less = a & ~b;
	return more && !less ? "+" : less && !more ? "-" : "~";
}

/* Without what merged: a tree shows only what an operation left behind. */
static unsigned queue_records(const struct journal *j)
{
	unsigned records = 0;
	for (unsigned i = 0; i < j->count; i++)
		records += j->entry[i].kind != JOURNAL_READ && j->entry[i].kind != JOURNAL_MERGED;
	return records;
}

/* The marks of one world in the order in which fdinfo would list them. */
struct mark_list {
	unsigned count;
	const struct mark *mark[MAX_MARK];
	uint8_t slot[MAX_MARK];
};

static void list_marks(const struct world *w, struct mark_list *list)
{
	list->count = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		if (w->group_slot[slot] == NONE)
			continue;
		uint8_t i = w->group[w->group_slot[slot]].marks;
		for (; i != NONE; i = w->mark[i].next_in_group) {
			list->mark[list->count] = &w->mark[i];
			list->slot[list->count++] = slot;
		}
	}
}

static bool same_marks_present(const struct mark_list *a, const struct mark_list *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (a->slot[i] != b->slot[i] || a->mark[i]->kind != b->mark[i]->kind ||
		    a->mark[i]->object != b->mark[i]->object)
			return false;
	return true;
}

/* The fields of a mark that can be seen, in the order in which a difference is named. */
enum mark_field { MARK_MASK, MARK_IGNORED, MARK_FLAGS, MARK_WD, MARK_FIELDS };

static uint32_t mark_value(const struct mark *m, enum mark_field field)
{
	switch (field) {
	case MARK_MASK: return m->mask;
	case MARK_IGNORED: return m->ignored;
	case MARK_FLAGS: return m->flags;
	default: return (uint32_t)m->wd;
	}
}

static void judge_marks(const struct scene *s, struct verdict *v)
{
	static const char *const names[MARK_FIELDS] = {"mask", "ignored", "flags", "wd"};
	struct mark_list a, b;
	list_marks(s->a, &a);
	list_marks(s->b, &b);
	if (!same_marks_present(&a, &b)) {
		set_field(v, "presence", by_count(a.count, b.count));
		return;
	}
	for (unsigned field = 0; field < MARK_FIELDS; field++) {
		for (unsigned i = 0; i < a.count; i++) {
			uint32_t x = mark_value(a.mark[i], field), y = mark_value(b.mark[i], field);
			if (x == y)
				continue;
			set_field(v, names[field], field == MARK_WD ? "~" : by_bits(x, y));
			return;
		}
	}
	set_field(v, "digest", "~");
}

static void judge_files(const struct scene *s, struct verdict *v)
{
	for (unsigned i = 0; i < HANDLE_SLOTS; i++) {
		uint8_t a = s->a->handle[i], b = s->b->handle[i];
		if ((a == NONE) != (b == NONE)) {
			set_field(v, "presence", a == NONE ? "+" : "-");
			return;
		}
		if (a != NONE && s->a->file[a].flags != s->b->file[b].flags) {
			set_field(v, "flags", by_bits(s->a->file[a].flags, s->b->file[b].flags));
			return;
		}
	}
	set_field(v, "digest", "~");
}

static void judge_work(const struct scene *s, struct verdict *v)
{
	set_field(v, s->b->sections > s->a->sections ? "sections" : "visits", "+");
}

static void judge_masks(const struct scene *s, struct verdict *v)
{
	const char *field;
	bool in_a = s->a->changes && !audit_masks(s->a, s->pair->a.claims, &field);
	if (!in_a)
		audit_masks(s->b, s->pair->b.claims, &field);
	set_field(v, field, in_a ? "a" : "b");
}

/* Names the first counter that is not what it was; NULL when all are. */
static const char *unbalanced(const struct balance *before, const struct balance *now)
{
	if (before->marks != now->marks)
		return "marks";
	if (before->connectors != now->connectors)
		return "connectors";
	if (before->events != now->events)
		return "events";
	if (before->groups != now->groups)
		return "groups";
	return before->pins != now->pins ? "pins" : NULL;
}

static void judge_balance(const struct scene *s, struct verdict *v)
{
	const struct balance a = balance_of(s->a), b = balance_of(s->b);
	const char *in_a = unbalanced(&s->before_a, &a);
	set_field(v, in_a ? in_a : unbalanced(&s->before_b, &b), in_a ? "a" : "b");
}

static void judge_scene(const struct scene *s, struct verdict *v)
{
	switch (v->oracle) {
	case ORACLE_RETURNS: set_field(v, "return", s->ret[1] > s->ret[0] ? "+" : "-"); break;
	case ORACLE_EVENTS:
		set_field(v, "queue",
			  by_count(queue_records(s->journal_a), queue_records(s->journal_b)));
		break;
	case ORACLE_MARKS: judge_marks(s, v); break;
	case ORACLE_FILES: judge_files(s, v); break;
	case ORACLE_WORK: judge_work(s, v); break;
	case ORACLE_MASKS: judge_masks(s, v); break;
	case ORACLE_BALANCE: judge_balance(s, v); break;
	default: set_field(v, "steps", s->a->steps > STEP_BUDGET ? "a" : "b"); break;
	}
}

static void set_key(struct verdict *v)
{
	char operation[32];
	snprintf(operation, sizeof(operation), "%s",
		 v->op_id == OP_COUNT ? "end" : op_table[v->op_id].id);
	for (char *c = operation; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	snprintf(v->key, sizeof(v->key), "%s/%s/%s/%s", oracle_name(v->oracle), operation, v->field,
		 v->direction);
}

void pair_judge(struct pair *pair, const struct program *p, struct verdict *v)
{
	struct journal a, b;
	struct scene s = {.pair = pair,
			  .a = pair->a.world,
			  .b = pair->b.world,
			  .journal_a = &a,
			  .journal_b = &b};
	*v = (struct verdict){
		.oracle = ORACLE_NONE, .op = p->count, .op_id = OP_COUNT, .direction = "~"};
	executor_start(&pair->a, &p->config, &a);
	executor_start(&pair->b, &p->config, &b);
	for (unsigned i = 0; i < p->count && v->oracle == ORACLE_NONE; i++) {
		a.count = b.count = 0;
		s.before_a = balance_of(s.a);
		s.before_b = balance_of(s.b);
		v->oracle = pair_step(pair, &p->op[i], s.ret);
		if (v->oracle != ORACLE_NONE) {
			v->op = i;
			v->op_id = p->op[i].id;
		}
	}
	if (v->oracle == ORACLE_NONE) {
		s.before_a = s.before_b = (struct balance){0};
		v->oracle = pair_finish(pair);
	}
	pair->a.world->journal = pair->b.world->journal = NULL;
	if (v->oracle == ORACLE_NONE)
		return;
	judge_scene(&s, v);
	set_key(v);
}

/* ---- explaining by quirks ---- */

static unsigned quirk_toggles(uint32_t quirk[TOGGLE_COUNT])
{
	unsigned count = 0;
	for (unsigned i = 0; i < TOGGLE_COUNT; i++)
		if (core_toggles[i].kind == TOGGLE_QUIRK)
			quirk[count++] = 1u << i;
	return count;
}

static bool agrees_with(const struct pair *pair, const struct program *p, uint32_t quirks)
{
	struct pair trial = *pair;
	struct executor *side = pair->quirk_on_b ? &trial.b : &trial.a;
	*side = pair->quirk;
	executor_with(side, quirks);
	return pair_agrees(&trial, p);
}

/* "K1+K2": known divergences bear the number of the quirk that reproduces them. */
static void name_known(uint32_t quirks, char *out, size_t size)
{
	size_t used = 0;
	out[0] = '\0';
	for (unsigned i = 0; i < TOGGLE_COUNT && used < size; i++)
		if (quirks & 1u << i)
			used += (size_t)snprintf(out + used, size - used, "%sK%s", used ? "+" : "",
						 core_toggles[i].name + 1);
}

/* The models that stand for two trees, in both orders. Linux had no opt-out for pipes until 6.14.
 */
static struct pair *models(unsigned order, const struct core_tree *like)
{
	static const char *const names[] = {"vanilla,optimized-pseudo_opt_out",
					    "optimized-pseudo_opt_out,vanilla"};
	static struct pair pairs[2];
	struct pair *pair = &pairs[order];
	char error[256];

	if (!pair->a.world && !pair_open(pair, names[order], error, sizeof(error)))
		return NULL;
	pair->work = false;
	pair->a.like = pair->b.like = pair->quirk.like = like;
	return pair;
}

static void explain_by_models(const struct pair *pair, const struct program *p, struct verdict *v)
{
	for (unsigned order = 0; order < 2 && !v->explained_by; order++) {
		struct pair *model = models(order, pair->a.build->tree);
		struct verdict said;
		if (!model)
			return;
		pair_judge(model, p, &said);
		if (said.oracle == ORACLE_NONE || strcmp(said.key, v->key) != 0)
			continue;
		pair_explain(model, p, &said);
		v->explained_by = said.explained_by;
		memcpy(v->known, said.known, sizeof(v->known));
	}
}

void pair_explain(struct pair *pair, const struct program *p, struct verdict *v)
{
	uint32_t quirk[TOGGLE_COUNT];
	unsigned count = quirk_toggles(quirk);
	v->explained_by = 0;
	v->known[0] = '\0';
	if (pair->trees && v->oracle != ORACLE_NONE) {
		explain_by_models(pair, p, v);
		return;
	}
	if (v->oracle == ORACLE_NONE || !pair->quirk.name[0])
		return;
	for (unsigned size = 1; size <= count; size++) {
		for (uint32_t subset = 1; subset < 1u << count; subset++) {
			uint32_t set = 0;
			if ((unsigned)__builtin_popcount(subset) != size)
				continue;
			for (unsigned i = 0; i < count; i++)
				set |= subset & 1u << i ? quirk[i] : 0;
			if (!agrees_with(pair, p, set))
				continue;
			v->explained_by = set;
			name_known(set, v->known, sizeof(v->known));
			return;
		}
	}
}

/* ---- digests ---- */

uint64_t executor_digest(struct executor *e, const struct program *p)
{
	const struct world *w = e->world;
	uint64_t digest = p->count;
	executor_start(e, &p->config, NULL);
	for (unsigned i = 0; i < p->count; i++) {
		digest = world_mix(digest, (uint32_t)executor_step(e, &p->op[i]));
		digest = world_mix(digest, w->events);
		digest = world_mix(digest, w->marks);
		digest = world_mix(digest, w->files);
	}
	return digest;
}
