/* SPDX-License-Identifier: MIT */
/* Pseudo-random programs with every value in its pool, the same on every machine. */
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include "fuzz/text_words.h"

static uint64_t random_state = 0x66736e64696666u;

static inline uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % limit;
}

static inline uint32_t random_value(enum arg_kind kind)
{
	const struct text_kind *k = &text_kinds[kind];

	if (k->form == TEXT_SET || k->form == TEXT_FLAGS)
		return (random_below(0xffffffff) | (random_below(4) ? 0 : 0xffffffff)) & k->pool;
	return random_below(k->pool + 1);
}

static inline struct op random_op(unsigned id)
{
	struct op op = {.id = (uint8_t)id};

	for (unsigned i = 0; i < op_table[id].args; i++)
		op.arg[i] = random_value(op_table[id].arg[i].kind);
	return op;
}

static inline void random_program(struct program *p)
{
	program_clear(p);
	p->config.level = (uint8_t)random_below(LEVEL_COUNT);
	p->config.reverse = (uint8_t)random_below(2);
	for (unsigned i = 0; i < TEXT_LIMITS; i++) {
		const struct text_limit *limit = &text_limits[i];
		uint32_t value = limit->least + random_below(limit->most - limit->least + 1);

		*text_limit_of(&p->config, i) = (uint16_t)value;
	}
	p->count = random_below(PROGRAM_OPS + 1);
	for (unsigned i = 0; i < p->count; i++)
		p->op[i] = random_op(random_below(OP_COUNT));
}

#endif
