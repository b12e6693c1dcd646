/* SPDX-License-Identifier: MIT */
/* Programs that get somewhere (fuzz/sensible.h). */
#include "fuzz/sensible.h"

#include <stddef.h>

enum {
	KINDS = 3,	  /* operations that are drawn at most */
	ARGUMENTS = 6,	  /* draws of arguments for each */
	KEPT_ONE_IN = 16, /* failing operations that stay */
};

/* Draws arguments until the operation succeeds; false when it never did. */
static bool try_arguments(struct op *op, const struct program *p, struct executor *e, struct rng *r)
{
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		generate_args(op, p, r);
		if (executor_step(e, op) >= 0 || rng_below(r, KEPT_ONE_IN) == 0)
			return true;
	}
	return false;
}

void sensible_append(struct program *p, struct executor *e, struct rng *r)
{
	struct op *op = &p->op[p->count];

	for (unsigned i = 0; i < KINDS; i++) {
		generate_op(op, p, r);
		if (try_arguments(op, p, e, r))
			break;
	}
	p->count++;
}

void sensible_program(struct program *p, unsigned ops, struct executor *e, struct rng *r)
{
	unsigned wanted = 1 + rng_below(r, ops < PROGRAM_OPS ? ops : PROGRAM_OPS);

	generate_program(p, 1, r);
	executor_start(e, &p->config, NULL);
	for (unsigned i = 0; i < p->count; i++)
		executor_step(e, &p->op[i]);
	while (p->count < wanted)
		sensible_append(p, e, r);
}
