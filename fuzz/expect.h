/* SPDX-License-Identifier: MIT */
/* Expectations: a trace that says what must happen is held against an executor. */
#ifndef FUZZ_EXPECT_H
#define FUZZ_EXPECT_H

#include <stdio.h>

#include "fuzz/executor.h"
#include "fuzz/text.h"

/*
 * Runs the trace's program and checks every expectation whose condition holds for `e` at the
 * program's level. For each one that is not met a line goes to `out` (if there is one):
 *     FILE:LINE: expected "…", got "…", on executor NAME
 * Gives the number of those.
 */
unsigned expect_check(struct executor *e, const struct trace *t, const char *file, FILE *out);

#endif
