/* SPDX-License-Identifier: MIT */
/*
 * The paragraph that says why two executors part, as far as that can be told from their worlds:
 * which mark, which cached mask, which bit.
 */
#ifndef FUZZ_EXPLAIN_WHY_H
#define FUZZ_EXPLAIN_WHY_H

#include "fuzz/explain_scene.h"

/* Appends to x->words. The scene must stand at the divergence, and there must be one. */
void explain_why(struct explanation *x);

#endif
