/* SPDX-License-Identifier: MIT */
/*
 * The structure-aware mutator (fuzz/mutate.h). What it aims at: operations that meet. Groups,
 * handles and paths are mostly those the program already uses, or close relatives of them.
 */
#include "fuzz/mutate.h"

#include <string.h>

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

enum {
	RENAME_BITS = 3,   /* noreplace, exchange */
	LONG_PROGRAM = 40, /* operations; from here on more is taken away than added */
};

const struct arg_pool arg_pools[ARG_KINDS] = {
	[ARG_GROUP] = {0, GROUP_SLOTS},
	[ARG_HANDLE] = {0, HANDLE_SLOTS},
	[ARG_PATH] = {0, PATH_CODES},
	[ARG_OBJECT] = {0, OBJECT_SB + 1},
	[ARG_FORM] = {0, FORM_IGNORE + 1},
	[ARG_EVENTS] = {FANOTIFY_EVENTS | FS_PRE_ACCESS | FS_FLAGS, 0},
	[ARG_MARKFLAGS] = {FAN_MARK_IGNORED_SURV_MODIFY | FAN_MARK_EVICTABLE | FAN_MARK_ONLYDIR |
				   FAN_MARK_DONT_FOLLOW,
			   0},
	[ARG_CLASS] = {0, 3},
	[ARG_REPORT] = {FAN_REPORT_FIDS, 0},
	[ARG_INITFLAGS] = {FAN_INIT_WORDS, 0},
	[ARG_ANSWER] = {0, 2},
	[ARG_WATCHMASK] = {IN_ALL_EVENTS | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK |
				   IN_MASK_CREATE | IN_MASK_ADD | IN_ONESHOT,
			   0},
	[ARG_WD] = {0, 256},
	[ARG_ACCESS] = {0, 3},
	[ARG_OPENFLAGS] = {FL_CREAT | FL_EXCL | FL_TRUNC | FL_APPEND | FL_NONBLOCK | FL_DIRECTORY |
				   FL_NOFOLLOW | FL_PATH,
			   0},
	[ARG_SETFL] = {FL_APPEND | FL_NONBLOCK, 0},
	[ARG_TIMES] = {0, 3},
	[ARG_NODE] = {0, 2},
	[ARG_RENAMEFLAGS] = {RENAME_BITS, 0},
	[ARG_MOUNT] = {0, 3},
	[ARG_WHO] = {0, CALLERS},
};

uint32_t rng_next(struct rng *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((x ^ (x >> 31)) >> 16);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((uint64_t)rng_next(r) * n) >> 32);
}

static bool one_in(struct rng *r, uint32_t n)
{
	return rng_below(r, n) == 0;
}

/* A number below `limit`, the low ones more often. */
static uint32_t low(struct rng *r, uint32_t limit)
{
	uint32_t bound = one_in(r, 8) ? limit : limit < 4 ? limit : 4;

	return rng_below(r, rng_below(r, bound) + 1);
}

static uint32_t some_bits(struct rng *r, uint32_t bits)
{
	uint32_t mask = 0;
	unsigned wanted = 1 + rng_below(r, one_in(r, 8) ? 8 : 2);

	while (wanted--) {
		uint32_t bit = 1u << rng_below(r, 32);

		while (!(bit & bits))
			bit = bit << 1 ? bit << 1 : 1;
		mask |= bit;
	}
	return mask;
}

/* An argument of this kind that the program has already, picked at random. */
static bool used_value(const struct program *p, enum arg_kind kind, struct rng *r, uint32_t *value)
{
	unsigned tries = 4;

	while (p->count && tries--) {
		const struct op *op = &p->op[rng_below(r, p->count)];
		const struct op_info *info = &op_table[op->id];
		unsigned at = rng_below(r, info->args ? info->args : 1);

		for (unsigned i = 0; i < info->args; i++, at++) {
			if (info->arg[at % info->args].kind != kind)
				continue;
			*value = op->arg[at % info->args];
			return true;
		}
	}
	return false;
}

static const uint8_t path_names[PATH_COUNT][3] = {
#define PATH(text, a, b, c) {a, b, c},
#include "core/paths.def"
};

static unsigned path_depth(unsigned index)
{
	unsigned depth = 0;

	while (depth < 3 && path_names[index][depth] != NO_NAME)
		depth++;
	return depth;
}

static bool is_parent(unsigned parent, unsigned child)
{
	unsigned depth = path_depth(parent);

	return path_depth(child) == depth + 1 &&
	       memcmp(path_names[parent], path_names[child], depth) == 0;
}

/* A path one step up or down from `code`, on the same mount. */
static uint32_t relative_path(uint32_t code, struct rng *r)
{
	uint32_t mount = code / PATH_COUNT, here = code % PATH_COUNT;
	uint32_t start = rng_below(r, PATH_COUNT / 2);

	if (code >= PATH_FDS)
		return code;
	for (uint32_t i = 0; i < PATH_COUNT; i++) {
		uint32_t there = (start + i) % PATH_COUNT;

		if (is_parent(here, there) || is_parent(there, here))
			return mount * PATH_COUNT + there;
	}
	return code;
}

static uint32_t generate_path(const struct program *p, struct rng *r)
{
	uint32_t code;

	if (!one_in(r, 4) && used_value(p, ARG_PATH, r, &code))
		return one_in(r, 2) ? code : relative_path(code, r);
	if (one_in(r, 12))
		return PATH_FDS + low(r, HANDLE_SLOTS);
	code = rng_below(r, one_in(r, 4) ? PATH_COUNT : 10);
	return code + (one_in(r, 8) ? PATH_COUNT * (1 + rng_below(r, 2)) : 0);
}

static uint32_t generate_events(struct rng *r)
{
	static const uint32_t often[] = {FS_OPEN, FS_OPEN, FS_MODIFY, FS_CLOSE_WRITE, FS_ACCESS};
	uint32_t mask =
		one_in(r, 3) ? some_bits(r, FANOTIFY_EVENTS) : often[rng_below(r, COUNT(often))];

	if (one_in(r, 4))
		mask |= often[rng_below(r, COUNT(often))];
	if (one_in(r, 2))
		mask |= FS_EVENT_ON_CHILD;
	if (one_in(r, 6))
		mask |= FS_ISDIR;
	if (one_in(r, 64)) /* seldom: it is always refused */
		mask |= FS_PRE_ACCESS;
	return mask;
}

static uint32_t generate_report(struct rng *r)
{
	static const uint32_t valid[] = {
		FAN_REPORT_FID,
		FAN_REPORT_DIR_FID,
		FAN_REPORT_DIR_FID | FAN_REPORT_NAME,
		FAN_REPORT_FID | FAN_REPORT_DIR_FID,
		FAN_REPORT_FID | FAN_REPORT_DIR_FID | FAN_REPORT_NAME,
		FAN_REPORT_FIDS,
	};

	if (one_in(r, 2))
		return 0;
	return one_in(r, 16) ? some_bits(r, FAN_REPORT_FIDS) : valid[rng_below(r, COUNT(valid))];
}

static uint32_t generate_arg(enum arg_kind kind, const struct program *p, struct rng *r)
{
	const struct arg_pool *pool = &arg_pools[kind];
	uint32_t value;

	switch (kind) {
	case ARG_GROUP:
	case ARG_HANDLE:
		if (!one_in(r, 4) && used_value(p, kind, r, &value))
			return value;
		return low(r, pool->limit);
	case ARG_PATH: return generate_path(p, r);
	case ARG_EVENTS: return generate_events(r);
	case ARG_REPORT: return generate_report(r);
	case ARG_WATCHMASK:
		value = some_bits(r, IN_ALL_EVENTS);
		return one_in(r, 4) ? value | some_bits(r, pool->bits) : value;
	case ARG_OBJECT: return one_in(r, 3) ? rng_below(r, pool->limit) : OBJECT_INODE;
	case ARG_WD: return one_in(r, 16) ? rng_below(r, pool->limit) : 1 + low(r, 4);
	case ARG_CLASS: return one_in(r, 3) ? rng_below(r, pool->limit) : 0;
	default: break;
	}
	if (pool->bits)
		return one_in(r, 4) ? some_bits(r, pool->bits) : 0;
	return rng_below(r, pool->limit);
}

static enum op_id generate_id(struct rng *r)
{
	uint32_t total = 0, at;

	for (unsigned i = 0; i < OP_COUNT; i++)
		total += op_table[i].weight;
	at = rng_below(r, total);
	for (unsigned i = 0; i < OP_COUNT; i++) {
		if (at < op_table[i].weight)
			return (enum op_id)i;
		at -= op_table[i].weight;
	}
	return OP_FANOTIFY;
}

void generate_args(struct op *op, const struct program *p, struct rng *r)
{
	const struct op_info *info = &op_table[op->id];

	memset(op->arg, 0, sizeof(op->arg));
	for (unsigned i = 0; i < info->args; i++)
		op->arg[i] = generate_arg(info->arg[i].kind, p, r);
}

void generate_op(struct op *op, const struct program *p, struct rng *r)
{
	memset(op, 0, sizeof(*op));
	op->id = (uint8_t)generate_id(r);
	generate_args(op, p, r);
}

static void generate_header(struct world_config *config, struct rng *r)
{
	static const uint16_t limits[] = {1, 2, 3, 4, 8};

	if (one_in(r, 2))
		config->level = (uint8_t)rng_below(r, LEVEL_COUNT);
	if (one_in(r, 4))
		config->reverse = (uint8_t)rng_below(r, 2);
	if (one_in(r, 4))
		config->queue_limit = limits[rng_below(r, COUNT(limits))];
	if (one_in(r, 8))
		config->mark_limit = limits[rng_below(r, COUNT(limits))];
	if (one_in(r, 8))
		config->group_limit = limits[rng_below(r, COUNT(limits))];
}

void generate_program(struct program *p, unsigned ops, struct rng *r)
{
	unsigned wanted = 1 + rng_below(r, ops < PROGRAM_OPS ? ops : PROGRAM_OPS);

	program_clear(p);
	if (one_in(r, 4))
		generate_header(&p->config, r);
	while (p->count < wanted) {
		struct op *op = &p->op[p->count];

		generate_op(op, p, r);
		if (p->count == 0) {
			op->id = one_in(r, 4) ? OP_INOTIFY : OP_FANOTIFY;
			generate_args(op, p, r);
		}
		p->count++;
	}
}

static void insert(struct program *p, unsigned at, const struct op *op)
{
	if (p->count == PROGRAM_OPS)
		p->count--;
	if (at > p->count)
		at = p->count;
	memmove(&p->op[at + 1], &p->op[at], (p->count - at) * sizeof(*op));
	p->op[at] = *op;
	p->count++;
}

static void drop(struct program *p, unsigned at, unsigned count)
{
	memmove(&p->op[at], &p->op[at + count], (p->count - at - count) * sizeof(p->op[0]));
	p->count -= count;
}

static void step_insert(struct program *p, struct rng *r)
{
	struct op op;

	generate_op(&op, p, r);
	insert(p, rng_below(r, p->count + 1), &op);
}

static void step_append(struct program *p, struct rng *r)
{
	struct op op;

	generate_op(&op, p, r);
	insert(p, p->count, &op);
}

static void step_drop(struct program *p, struct rng *r)
{
	unsigned at = rng_below(r, p->count);
	unsigned count = one_in(r, 4) ? 1 + rng_below(r, p->count - at) : 1;

	drop(p, at, count);
}

static void step_copy(struct program *p, struct rng *r)
{
	struct op op = p->op[rng_below(r, p->count)];

	insert(p, rng_below(r, p->count + 1), &op);
}

static void step_swap(struct program *p, struct rng *r)
{
	unsigned a = rng_below(r, p->count), b = rng_below(r, p->count);
	struct op op = p->op[a];

	p->op[a] = p->op[b];
	p->op[b] = op;
}

static void step_arg(struct program *p, struct rng *r)
{
	struct op *op = &p->op[rng_below(r, p->count)];
	const struct op_info *info = &op_table[op->id];
	unsigned at;
	enum arg_kind kind;

	if (!info->args)
		return;
	at = rng_below(r, info->args);
	kind = info->arg[at].kind;
	if (arg_pools[kind].bits && one_in(r, 2))
		op->arg[at] ^= some_bits(r, arg_pools[kind].bits);
	else
		op->arg[at] = generate_arg(kind, p, r);
}

/* The same call with something else in it: what a sequence of marks is made of. */
static void step_variant(struct program *p, struct rng *r)
{
	unsigned at = rng_below(r, p->count);
	struct op op = p->op[at];
	const struct op_info *info = &op_table[op.id];

	for (unsigned i = 0; i < info->args; i++)
		if (one_in(r, 3))
			op.arg[i] = generate_arg(info->arg[i].kind, p, r);
	insert(p, at + 1, &op);
}

static void step_header(struct program *p, struct rng *r)
{
	if (one_in(r, 3))
		p->config = world_defaults;
	else
		generate_header(&p->config, r);
}

void mutate_program(struct program *p, struct rng *r)
{
	static void (*const steps[])(struct program *, struct rng *) = {
		step_insert, step_append, step_append, step_arg,     step_arg,	   step_drop,
		step_drop,   step_copy,	  step_swap,   step_variant, step_variant, step_header,
	};
	unsigned wanted = 1 + rng_below(r, 4);

	while (wanted--) {
		if (!p->count)
			step_append(p, r);
		else if (p->count > LONG_PROGRAM && one_in(r, 2))
			step_drop(p, r);
		else
			steps[rng_below(r, COUNT(steps))](p, r);
	}
}

void cross_programs(struct program *p, const struct program *other, struct rng *r)
{
	unsigned from, count, at;

	if (!other->count)
		return;
	from = rng_below(r, other->count);
	count = 1 + rng_below(r, other->count - from);
	at = rng_below(r, p->count + 1);
	if (p->count > at && one_in(r, 2))
		drop(p, at, 1 + rng_below(r, p->count - at));
	for (unsigned i = 0; i < count && p->count < PROGRAM_OPS; i++)
		insert(p, at + i, &other->op[from + i]);
}
