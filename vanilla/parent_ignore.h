/* SPDX-License-Identifier: MIT */
/*
 * "fix merge with parent's ignored mask" (4f0b903ded72, 5.18): ignored events count in the cached
 * interest mask, so that a parent that only ignores an event is consulted for it. A functional fix
 * that both builds have; without it the mask is the marks' event masks alone.
 */
#ifndef VANILLA_PARENT_IGNORE_H
#define VANILLA_PARENT_IGNORE_H

#include "core/policy.h"

static inline uint32_t parent_ignore_interest(const struct world *w, const struct mark *m)
{
	return m->mask | mark_ignored_interest(w, m);
}

#endif
