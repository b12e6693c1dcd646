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

/* What --confirm runs on kernels and trees, behind what was found. */
struct trees_sample {
	const char *corpus; /* files; "": none */
	unsigned programs;  /* that are generated, */
	unsigned ops;	    /* each of half as many operations to half as many more */
	uint64_t seed;
};

/*
 * Runs what is in `findings` of this pair ("tree:A,tree:B") on both kernels, and the sample on
 * kernels and trees. Returns an exit code: 0 all of it is as it was in process; 78 something is
 * not; 2, 3 there are no kernels.
 */
int trees_confirm(const char *a, const char *b, const char *pair, const char *findings,
		  const struct trees_sample *sample);

#endif
