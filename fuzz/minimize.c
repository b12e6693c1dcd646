/* SPDX-License-Identifier: MIT */
/*
 * The minimiser (fuzz/minimize.h). Moves propose candidates; a candidate is taken when it is
 * simpler than the program at hand and still shows what must be shown. From coarse to fine:
 *
 *   header     defaults instead of settings
 *   drop       chunks, then single operations from the back
 *   arguments  each towards the simplest value; one value everywhere (groups, handles, paths)
 *   kinds      an operation by a simpler one
 *   order      operations into canonical order
 *   canon      small programs only: drop some and replace some, replace two, substitute two
 */
#include "fuzz/minimize.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/mutate.h"

enum {
	CANON_OPS = 6,	     /* programs up to this size get the exhaustive moves */
	REPLACE_OPS = 16,    /* programs up to this size get the moves that try all kinds */
	ALPHABET_MAX = 4096, /* operations to put in place of others */
	PAIR_ALPHABET = 160, /* the same, for two places at once */
	VALUES_MAX = 64,
	SET_BIT_COST = 8,
};

/* ---- the order ---- */

/* Operations that a reader takes in at a glance come first; all others follow as they stand in
 * ops.def. */
static const uint8_t simple_ops[] = {
	OP_FANOTIFY, OP_MARK_ADD, OP_INOTIFY, OP_WATCH, OP_TRUNCATE, OP_WRITE, OP_OPEN, OP_READ,
};

static unsigned kind_cost(uint8_t id)
{
	for (unsigned i = 0; i < sizeof(simple_ops); i++)
		if (simple_ops[i] == id)
			return i;
	return 8 + id;
}

static const uint32_t simple_bits[] = {
	FS_OPEN, FS_EVENT_ON_CHILD, FS_MODIFY, FS_CLOSE_WRITE, FS_ACCESS, FS_CLOSE_NOWRITE,
};

static unsigned bit_cost(uint32_t bit)
{
	unsigned index = 0;

	for (; index < sizeof(simple_bits) / sizeof(simple_bits[0]); index++)
		if (simple_bits[index] == bit)
			return index;
	return index + (unsigned)__builtin_ctz(bit);
}

static unsigned set_cost(uint32_t mask)
{
	unsigned cost = 0;

	for (; mask; mask &= mask - 1)
		cost += SET_BIT_COST + bit_cost(mask & -mask);
	return cost;
}

/* A file in a directory is what most of this is about; the root is a special case. */
static unsigned path_cost(uint32_t code)
{
	static const uint32_t simple[] = {1, 2, 3, 0};

	for (unsigned i = 0; i < 4; i++)
		if (simple[i] == code)
			return i;
	return code;
}

static unsigned arg_cost(enum arg_kind kind, uint32_t value)
{
	if (kind == ARG_PATH)
		return path_cost(value);
	return arg_pools[kind].bits ? set_cost(value) : value;
}

static unsigned op_cost(const struct op *op)
{
	const struct op_info *info = &op_table[op->id];
	unsigned cost = 16 * kind_cost(op->id);

	for (unsigned i = 0; i < info->args; i++)
		cost += arg_cost(info->arg[i].kind, op->arg[i]);
	return cost;
}

static unsigned header_settings(const struct world_config *c)
{
	const struct world_config *d = &world_defaults;

	return 0u + (c->level != d->level) + (c->reverse != d->reverse) +
	       (c->queue_limit != d->queue_limit) + (c->mark_limit != d->mark_limit) +
	       (c->group_limit != d->group_limit);
}

static int order(unsigned long a, unsigned long b)
{
	return a < b ? -1 : a > b;
}

static int compare_op(const struct op *a, const struct op *b)
{
	int c = order(kind_cost(a->id), kind_cost(b->id));

	for (unsigned i = 0; !c && i < OP_ARGS; i++) {
		enum arg_kind kind = op_table[a->id].arg[i].kind;

		c = order(arg_cost(kind, a->arg[i]), arg_cost(kind, b->arg[i]));
		if (!c)
			c = order(a->arg[i], b->arg[i]);
	}
	return c;
}

static int compare_header(const struct world_config *a, const struct world_config *b)
{
	int c = order(header_settings(a), header_settings(b));

	c = c ? c : core_level_compare(a->level, b->level);
	c = c ? c : order(a->reverse, b->reverse);
	c = c ? c : order(a->queue_limit, b->queue_limit);
	c = c ? c : order(a->mark_limit, b->mark_limit);
	return c ? c : order(a->group_limit, b->group_limit);
}

static unsigned long total_cost(const struct program *p)
{
	unsigned long cost = 0;

	for (unsigned i = 0; i < p->count; i++)
		cost += op_cost(&p->op[i]);
	return cost;
}

int minimize_compare(const struct program *a, const struct program *b)
{
	int c = order(a->count, b->count);

	c = c ? c : order(header_settings(&a->config), header_settings(&b->config));
	c = c ? c : order(total_cost(a), total_cost(b));
	for (unsigned i = 0; !c && i < a->count; i++)
		c = compare_op(&a->op[i], &b->op[i]);
	return c ? c : compare_header(&a->config, &b->config);
}

/* ---- the state, and the one place where a candidate is judged ---- */

struct values {
	unsigned count;
	uint32_t value[VALUES_MAX];
};

struct minimizer {
	struct program best;
	struct program candidate;
	minimize_keeps keeps;
	void *context;
	unsigned long budget;
	struct minimize_stats *stats;
	struct values values[ARG_KINDS]; /* worth trying, by kind */
	unsigned ops;
	struct op alphabet[ALPHABET_MAX];
};

/* Takes the candidate if it is simpler and keeps what must be kept. */
static bool offer(struct minimizer *m)
{
	if (minimize_compare(&m->candidate, &m->best) >= 0)
		return false;
	if (m->budget && m->stats->tries >= m->budget) {
		m->stats->gave_up = true;
		return false;
	}
	m->stats->tries++;
	if (!m->keeps(m->context, &m->candidate))
		return false;
	m->best = m->candidate;
	return true;
}

static struct program *fresh(struct minimizer *m)
{
	m->candidate = m->best;
	return &m->candidate;
}

static void cut(struct program *p, unsigned at, unsigned count)
{
	memmove(&p->op[at], &p->op[at + count], (p->count - at - count) * sizeof(p->op[0]));
	p->count -= count;
}

/* ---- header and drop ---- */

static bool move_header(struct minimizer *m)
{
	const struct world_config *d = &world_defaults;
	bool changed;

	fresh(m)->config = *d;
	if (offer(m))
		return true;
	fresh(m)->config.level = d->level;
	changed = offer(m);
	fresh(m)->config.reverse = d->reverse;
	changed |= offer(m);
	fresh(m)->config.queue_limit = d->queue_limit;
	changed |= offer(m);
	fresh(m)->config.mark_limit = d->mark_limit;
	changed |= offer(m);
	fresh(m)->config.group_limit = d->group_limit;
	changed |= offer(m);
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		fresh(m)->config.level = (uint8_t)level;
		changed |= offer(m);
	}
	return changed;
}

static bool move_drop(struct minimizer *m)
{
	bool changed = false;

	for (unsigned size = m->best.count; size; size /= 2) {
		for (unsigned end = m->best.count; end >= size && end; end--) {
			if (end > m->best.count)
				continue;
			cut(fresh(m), end - size, size);
			changed |= offer(m);
		}
	}
	return changed;
}

/* Two at once: what only makes sense together (an open and its close). */
static bool move_drop_two(struct minimizer *m)
{
	bool changed = false;

	for (unsigned a = m->best.count; a-- > 1;) {
		for (unsigned b = a; b-- > 0 && a < m->best.count;) {
			cut(fresh(m), a, 1);
			cut(&m->candidate, b, 1);
			changed |= offer(m);
		}
	}
	return changed;
}

/* ---- arguments ---- */

static bool offer_arg(struct minimizer *m, unsigned op, unsigned at, uint32_t value)
{
	if (m->best.op[op].arg[at] == value)
		return false;
	fresh(m)->op[op].arg[at] = value;
	return offer(m);
}

static bool shrink_set(struct minimizer *m, unsigned op, unsigned at, uint32_t pool)
{
	bool changed = offer_arg(m, op, at, 0);

	for (uint32_t rest = pool; rest; rest &= rest - 1)
		changed |= offer_arg(m, op, at, rest & -rest);
	for (uint32_t rest = m->best.op[op].arg[at]; rest; rest &= rest - 1) {
		uint32_t bit = rest & -rest;

		if (offer_arg(m, op, at, m->best.op[op].arg[at] & ~bit)) {
			changed = true;
			continue;
		}
		for (uint32_t other = pool; other; other &= other - 1)
			if (offer_arg(m, op, at,
				      (m->best.op[op].arg[at] & ~bit) | (other & -other))) {
				changed = true;
				break;
			}
	}
	return changed;
}

static bool move_args(struct minimizer *m)
{
	bool changed = false;

	for (unsigned op = 0; op < m->best.count; op++) {
		const struct op_info *info = &op_table[m->best.op[op].id];

		for (unsigned at = 0; at < info->args; at++) {
			const struct arg_pool *pool = &arg_pools[info->arg[at].kind];

			if (pool->bits)
				changed |= shrink_set(m, op, at, pool->bits);
			for (uint32_t v = 0; v < pool->limit; v++)
				changed |= offer_arg(m, op, at, v);
		}
	}
	return changed;
}

/* Puts `to` where `from` is, and the other way round if both are in use: renaming never makes two
 * things one, merging does. */
static void substitute(struct program *p, enum arg_kind kind, uint32_t from, uint32_t to,
		       bool exchange)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct op_info *info = &op_table[p->op[i].id];

		for (unsigned at = 0; at < info->args; at++) {
			uint32_t *value = &p->op[i].arg[at];
			bool descriptor = kind == ARG_HANDLE && info->arg[at].kind == ARG_PATH &&
					  *value >= PATH_FDS;
			uint32_t base = descriptor ? PATH_FDS : 0;

			if (info->arg[at].kind != kind && !descriptor)
				continue;
			if (*value == base + from)
				*value = base + to;
			else if (exchange && *value == base + to)
				*value = base + from;
		}
	}
}

static const enum arg_kind renamed_kinds[] = {ARG_GROUP, ARG_HANDLE, ARG_PATH};

static bool move_substitute(struct minimizer *m)
{
	bool changed = false;

	for (unsigned k = 0; k < 3; k++) {
		enum arg_kind kind = renamed_kinds[k];
		uint32_t limit = arg_pools[kind].limit;

		for (uint32_t from = 0; from < limit; from++) {
			for (uint32_t to = 0; to < limit; to++) {
				for (int exchange = 0; from != to && exchange < 2; exchange++) {
					substitute(fresh(m), kind, from, to, exchange);
					changed |= offer(m);
				}
			}
		}
	}
	return changed;
}

/* ---- the values and operations worth trying ---- */

static void want(struct minimizer *m, enum arg_kind kind, uint32_t value)
{
	struct values *v = &m->values[kind];

	for (unsigned i = 0; i < v->count; i++)
		if (v->value[i] == value)
			return;
	if (v->count < VALUES_MAX)
		v->value[v->count++] = value;
}

static void want_simple_values(struct minimizer *m)
{
	static const uint32_t events[] = {
		FS_OPEN,
		FS_EVENT_ON_CHILD,
		FS_OPEN | FS_EVENT_ON_CHILD,
		FS_MODIFY,
	};

	for (unsigned kind = 0; kind < ARG_KINDS; kind++) {
		want(m, kind, 0);
		if (arg_pools[kind].limit && arg_pools[kind].limit <= 4)
			for (uint32_t v = 1; v < arg_pools[kind].limit; v++)
				want(m, kind, v);
	}
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		want(m, ARG_EVENTS, events[i]);
	want(m, ARG_WATCHMASK, FS_OPEN);
	want(m, ARG_WD, 1);
	for (uint32_t path = 1; path < 3; path++)
		want(m, ARG_PATH, path);
	for (uint32_t h = 0; h < 2; h++) {
		want(m, ARG_GROUP, h);
		want(m, ARG_HANDLE, h);
	}
}

static void want_used_values(struct minimizer *m)
{
	for (unsigned i = 0; i < m->best.count; i++) {
		const struct op *op = &m->best.op[i];
		const struct op_info *info = &op_table[op->id];

		for (unsigned at = 0; at < info->args; at++)
			want(m, info->arg[at].kind, op->arg[at]);
	}
}

/* All combinations of the wanted values, for one kind of operation. */
static void spell(struct minimizer *m, struct op *op, unsigned at)
{
	const struct op_info *info = &op_table[op->id];
	const struct values *v;

	if (at == info->args) {
		if (m->ops < ALPHABET_MAX)
			m->alphabet[m->ops++] = *op;
		return;
	}
	v = &m->values[info->arg[at].kind];
	for (unsigned i = 0; i < v->count; i++) {
		op->arg[at] = v->value[i];
		spell(m, op, at + 1);
	}
}

static int by_simplicity(const void *a, const void *b)
{
	int c = order(op_cost(a), op_cost(b));

	return c ? c : compare_op(a, b);
}

static void make_alphabet(struct minimizer *m)
{
	memset(m->values, 0, sizeof(m->values));
	want_simple_values(m);
	want_used_values(m);
	m->ops = 0;
	for (unsigned i = 0; i < sizeof(simple_ops); i++) {
		struct op op = {.id = simple_ops[i]};

		spell(m, &op, 0);
	}
	for (uint8_t id = 0; id < OP_COUNT; id++) {
		struct op op = {.id = id};

		if (kind_cost(id) >= 8)
			spell(m, &op, 0);
	}
	qsort(m->alphabet, m->ops, sizeof(m->alphabet[0]), by_simplicity);
}

/* ---- kinds, order, canon ---- */

/* Tries every operation of the alphabet in place `at` of what `base` is. */
static bool try_alphabet(struct minimizer *m, const struct program *base, unsigned at,
			 unsigned limit)
{
	for (unsigned i = 0; i < m->ops && i < limit; i++) {
		m->candidate = *base;
		m->candidate.op[at] = m->alphabet[i];
		if (offer(m))
			return true;
	}
	return false;
}

static bool move_replace(struct minimizer *m)
{
	bool changed = false;

	for (unsigned at = 0; at < m->best.count; at++) {
		struct program base = m->best;

		changed |= try_alphabet(m, &base, at, ALPHABET_MAX);
	}
	return changed;
}

static bool move_drop_and_replace(struct minimizer *m, unsigned drops)
{
	struct program base;

	for (unsigned a = m->best.count; a-- > 0;) {
		for (unsigned b = drops == 2 ? a : 1; b-- > 0;) {
			base = m->best;
			cut(&base, a, 1);
			if (drops == 2)
				cut(&base, b, 1);
			for (unsigned at = base.count; at-- > 0;)
				if (try_alphabet(m, &base, at, ALPHABET_MAX))
					return true;
		}
	}
	return false;
}

static bool move_replace_two(struct minimizer *m)
{
	for (unsigned a = 0; a < m->best.count; a++) {
		for (unsigned b = a + 1; b < m->best.count; b++) {
			for (unsigned i = 0; i < m->ops && i < PAIR_ALPHABET; i++) {
				struct program base = m->best;

				base.op[a] = m->alphabet[i];
				if (try_alphabet(m, &base, b, PAIR_ALPHABET))
					return true;
			}
		}
	}
	return false;
}

static bool move_order(struct minimizer *m)
{
	bool changed = false;

	for (unsigned a = 0; a < m->best.count; a++) {
		for (unsigned b = a + 1; b < m->best.count; b++) {
			struct op op = m->best.op[b];

			fresh(m);
			m->candidate.op[b] = m->candidate.op[a];
			m->candidate.op[a] = op;
			changed |= offer(m);
			fresh(m);
			cut(&m->candidate, b, 1);
			memmove(&m->candidate.op[a + 1], &m->candidate.op[a],
				(m->candidate.count - a) * sizeof(op));
			m->candidate.op[a] = op;
			m->candidate.count++;
			changed |= offer(m);
		}
	}
	return changed;
}

/* Two paths at once: a directory and the file in it move together. */
static bool move_two_paths(struct minimizer *m)
{
	const uint32_t limit = PATH_FDS;
	uint32_t used[VALUES_MAX];
	unsigned count = 0;

	memset(m->values, 0, sizeof(m->values));
	want_used_values(m);
	for (unsigned i = 0; i < m->values[ARG_PATH].count; i++)
		used[count++] = m->values[ARG_PATH].value[i];
	for (unsigned a = 0; a < count; a++) {
		for (unsigned b = a + 1; b < count; b++) {
			for (uint32_t i = 0; i < limit * limit; i++) {
				struct program *p = fresh(m);

				substitute(p, ARG_PATH, used[a], PATH_CODES, false);
				substitute(p, ARG_PATH, used[b], i % limit, false);
				substitute(p, ARG_PATH, PATH_CODES, i / limit, false);
				if (offer(m))
					return true;
			}
		}
	}
	return false;
}

/* Everything that is cheap for programs of any size, to a fixpoint. */
static void reduce(struct minimizer *m)
{
	bool changed;

	do {
		changed = move_header(m);
		changed |= move_drop(m);
		if (m->best.count <= 2 * REPLACE_OPS)
			changed |= move_drop_two(m);
		if (!changed) {
			changed |= move_substitute(m);
			changed |= move_args(m);
			changed |= move_order(m);
		}
	} while (changed && !m->stats->gave_up);
}

static bool canonize(struct minimizer *m)
{
	make_alphabet(m);
	if (m->best.count <= REPLACE_OPS && (move_drop_and_replace(m, 1) || move_replace(m)))
		return true;
	if (m->best.count > CANON_OPS)
		return false;
	if (move_drop_and_replace(m, 2) || move_replace_two(m))
		return true;
	return move_two_paths(m);
}

void minimize_program(struct program *p, minimize_keeps keeps, void *context, unsigned long budget,
		      struct minimize_stats *stats)
{
	struct minimizer *m = calloc(1, sizeof(*m));

	memset(stats, 0, sizeof(*stats));
	if (!m) {
		stats->gave_up = true;
		return;
	}
	m->best = *p;
	m->keeps = keeps;
	m->context = context;
	m->budget = budget;
	m->stats = stats;
	do
		reduce(m);
	while (canonize(m) && !stats->gave_up);
	*p = m->best;
	free(m);
}

/* ---- buckets ---- */

const char *verdict_bucket(const struct verdict *v)
{
	return v->known[0] ? v->known : v->key;
}

const char *pair_bucket(struct pair *pair, const struct program *p, struct verdict *v)
{
	pair_judge(pair, p, v);
	if (v->oracle == ORACLE_NONE)
		return "";
	pair_explain(pair, p, v);
	return verdict_bucket(v);
}

bool minimize_keeps_bucket(void *context, const struct program *p)
{
	struct bucket_context *c = context;
	struct verdict v;

	if (pair_agrees(c->pair, p))
		return false;
	return strcmp(pair_bucket(c->pair, p, &v), c->bucket) == 0;
}
