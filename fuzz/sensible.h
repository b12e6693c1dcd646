/* SPDX-License-Identifier: MIT */
/*
 * Programs that get somewhere: generated as fuzz/mutate.h does, but tried on an executor on the
 * way, and an operation that fails is mostly drawn again. Errors stay in, as a minority.
 */
#ifndef FUZZ_SENSIBLE_H
#define FUZZ_SENSIBLE_H

#include "fuzz/executor.h"
#include "fuzz/mutate.h"

/* A new program of at most `ops` operations, at least one. `e` is used up: start it again. */
void sensible_program(struct program *p, unsigned ops, struct executor *e, struct rng *r);

/* Appends one operation that fits what `p` has come to on `e`, which has run it. */
void sensible_append(struct program *p, struct executor *e, struct rng *r);

#endif
