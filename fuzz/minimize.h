/* SPDX-License-Identifier: MIT */
/*
 * The minimiser: from a program that shows something to the simplest one that shows the same.
 *
 * Programs have a total order: fewer operations first, then fewer header settings, then a cost that
 * counts how simple the operations and their arguments are (tables in minimize.c), then a plain
 * comparison. Every step goes down in that order, so it ends; and as the last steps search the
 * neighbourhood of small programs without any randomness, all programs that show the same thing
 * are meant to end in the same one. What "the same" is, the caller decides.
 */
#ifndef FUZZ_MINIMIZE_H
#define FUZZ_MINIMIZE_H

#include "fuzz/compare.h"

/* Does `p` still show it? Must always answer the same for the same program. */
typedef bool (*minimize_keeps)(void *context, const struct program *p);

struct minimize_stats {
	unsigned long tries; /* programs that were run */
	bool gave_up;	     /* the budget of tries was used up; the result is valid, not minimal */
};

/* Shrinks `p` in place. `budget` is the most programs to run, 0 for no limit. */
void minimize_program(struct program *p, minimize_keeps keeps, void *context, unsigned long budget,
		      struct minimize_stats *stats);

/* Is `a` simpler than `b`? Negative: yes; 0: they are the same. */
int minimize_compare(const struct program *a, const struct program *b);

/* A bucket: divergences that count as one. Those explained by quirks are one bucket per set of
 * quirks ("K1"), all others one per bucket key. */
const char *verdict_bucket(const struct verdict *v);

/* For minimize_program: `p` diverges in the bucket that the context names. */
struct bucket_context {
	struct pair *pair;
	char bucket[VERDICT_KEY];
};

bool minimize_keeps_bucket(void *context, const struct program *p);

/* Judges and explains; the bucket, or "" when both sides are the same. */
const char *pair_bucket(struct pair *pair, const struct program *p, struct verdict *v);

#endif
