/* SPDX-License-Identifier: MIT */
/*
 * "fs: optimize inotify/fsnotify code for unwatched files" (7c49b8616460, 4.3): where nothing is
 * marked there is nothing to walk, so the read-side section is not entered. Only the oracle "work"
 * can see it.
 */
#ifndef OPTIMIZED_UNWATCHED_H
#define OPTIMIZED_UNWATCHED_H

#include <stdbool.h>

static inline bool unwatched_skip(void)
{
	return true;
}

#endif
