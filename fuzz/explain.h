/* SPDX-License-Identifier: MIT */
/*
 * A verdict in words: the trace up to the operation at which two executors part, both sides of
 * that operation in the notation of traces, and a paragraph that says why where that can be told
 * from the two worlds.
 */
#ifndef FUZZ_EXPLAIN_H
#define FUZZ_EXPLAIN_H

#include <stdio.h>

#include "fuzz/compare.h"

/*
 * Runs `p` again on both sides and prints. `v` is what pair_judge() said of it (and pair_explain(),
 * if `known` is to be mentioned). `verbose` adds what every operation before did, and the work it
 * made. `colour`: with terminal escapes. The executors must have been opened by name.
 */
void explain_print(struct pair *pair, const struct program *p, const struct verdict *v, FILE *out,
		   bool verbose, bool colour);

#endif
