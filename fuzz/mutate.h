/* SPDX-License-Identifier: MIT */
/*
 * Programs out of random numbers: generated, mutated, crossed. It works on operations and
 * arguments, so everything it makes is a program that means something; both engines and the
 * command `fsndiff fuzz` share it. The same seed gives the same programs on every machine.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "fuzz/program.h"

struct rng {
	uint64_t state;
};

uint32_t rng_next(struct rng *r);
/* A number below `n`; 0 when n is 0. */
uint32_t rng_below(struct rng *r, uint32_t n);

/* The values an argument kind can take: a set of bits, or the numbers below `limit`. */
struct arg_pool {
	uint32_t bits;
	uint32_t limit;
};

extern const struct arg_pool arg_pools[ARG_KINDS];

/* A new operation that fits to what `p` already talks about. */
void generate_op(struct op *op, const struct program *p, struct rng *r);

/* New arguments for an operation whose id is set. */
void generate_args(struct op *op, const struct program *p, struct rng *r);

/* A whole new program of at most `ops` operations, `ops` at least 1. */
void generate_program(struct program *p, unsigned ops, struct rng *r);

/* Changes `p` a little: one to four steps of inserting, dropping, moving, copying, changing. */
void mutate_program(struct program *p, struct rng *r);

/* Replaces a part of `p` by a part of `other`. */
void cross_programs(struct program *p, const struct program *other, struct rng *r);

#endif
