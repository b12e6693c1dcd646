/* SPDX-License-Identifier: MIT */
/* Loading executors that are made from kernel trees: executor names tree:NAME. */
#ifndef FUZZ_TREE_LOADER_H
#define FUZZ_TREE_LOADER_H

#include "fuzz/executor.h"

/* From now on this program can open executors named tree:NAME. */
void tree_loader_use(void);

/* Prepares a tree (kernel/intree/prepare, in the checkout this program was built from or in
 * $FSNDIFF_SOURCE) and gives the folder of the result. What was prepared once by this process or a
 * parent of it is not prepared again. False: `error` says why not; *usage tells a name that cannot
 * be used from a machine that cannot do it. */
bool tree_prepare(const char *name, char *folder, size_t room, bool *usage, char *error,
		  size_t size);

#endif
