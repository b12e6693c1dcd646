/* SPDX-License-Identifier: MIT */
/*
 * What the files of `fsndiff trees` share.
 *
 *   fuzz/command_trees.c          options, the corpus, the campaign: in process
 *   fuzz/command_trees_confirm.c  --confirm: what was found, on real kernels made of the trees
 */
#ifndef FUZZ_COMMAND_TREES_H
#define FUZZ_COMMAND_TREES_H

#include "fuzz/command.h"

/*
 * Runs what is in `findings` of this pair ("tree:A,tree:B") on both kernels, and
 * the files of `corpus` ("": none) and `sample` generated programs on kernels and trees. Returns an
 * exit code: 0 all of it is as it was in process; 78 something is not; 2, 3 there are no kernels.
 */
int trees_confirm(const char *a, const char *b, const char *pair, const char *findings,
		  const char *corpus, unsigned sample, uint64_t seed);

#endif
