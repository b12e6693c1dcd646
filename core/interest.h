/* SPDX-License-Identifier: MIT */
/*
 * What a mark ignores, as far as interest masks count it. Independent of the policy, so that the
 * audit (core/audit.c) can ask it as well as the builds (core/policy.h).
 */
#ifndef CORE_INTEREST_H
#define CORE_INTEREST_H

#include "core/world.h"

/* The events that a mark ignores, as far as the interest word counts them: event bits only up to
 * 5.19, the whole ignored mask with its flags since 6.0. */
static inline uint32_t mark_ignored_interest(const struct world *w, const struct mark *m)
{
	if (w->features & (1u << FEAT_IGNORE_FORM))
		return m->ignored & FS_EVENTS ? m->ignored : 0;
	return m->ignored & FS_EVENTS;
}

/* Does a modify have to come here, because it clears something? */
static inline bool mark_is_clearable(const struct mark *m)
{
	return (m->ignored & FS_EVENTS) && !(m->flags & MARK_SURV);
}

#endif
