/* SPDX-License-Identifier: MIT */
/* The table of operations, made from fuzz/ops.def, and the two things every form of a program
 * needs: an empty one, and equality. */
#include "fuzz/program.h"

#define ARG(kind, key, fallback)          \
	{                                 \
		ARG_##kind, key, fallback \
	}
#define ARGS(...) (sizeof((struct arg_info[]){__VA_ARGS__}) / sizeof(struct arg_info))

const struct op_info op_table[OP_COUNT] = {
#define OP(id, code, word, sub, weight, what, ...) \
	[OP_##id] = {#id, code, word, sub, weight, what, {__VA_ARGS__}, ARGS(__VA_ARGS__)},
#include "fuzz/ops.def"
#undef OP
};

void program_clear(struct program *p)
{
	p->config = world_defaults;
	p->count = 0;
}

static bool config_equal(const struct world_config *a, const struct world_config *b)
{
	return a->level == b->level && a->reverse == b->reverse &&
	       a->queue_limit == b->queue_limit && a->mark_limit == b->mark_limit &&
	       a->group_limit == b->group_limit;
}

static bool op_equal(const struct op *a, const struct op *b)
{
	if (a->id != b->id)
		return false;
	for (unsigned i = 0; i < op_table[a->id].args; i++)
		if (a->arg[i] != b->arg[i])
			return false;
	return true;
}

bool program_equal(const struct program *a, const struct program *b)
{
	if (!config_equal(&a->config, &b->config) || a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (!op_equal(&a->op[i], &b->op[i]))
			return false;
	return true;
}
