/* SPDX-License-Identifier: MIT */
/* Loading executors that are made from kernel trees: executor names tree:NAME. */
#ifndef FUZZ_TREE_LOADER_H
#define FUZZ_TREE_LOADER_H

#include <stdio.h>

#include "fuzz/executor.h"

/* From now on this program can open executors named tree:NAME. */
void tree_loader_use(void);

/* The checkout: $FSNDIFF_SOURCE, or where this program was built from. */
const char *tree_loader_source(void);

/* Prepares a tree (kernel/intree/prepare in the checkout) and gives the folder of the result. What
 * was prepared once by this process or a parent of it is not prepared again. What is said on the
 * way goes to `progress`, if it is not null, and otherwise into the error. False: `error` says why
 * not; *usage tells a name that cannot be used from a machine that cannot do it. */
bool tree_prepare(const char *name, FILE *progress, char *folder, size_t room, bool *usage,
		  char *error, size_t size);

#endif
