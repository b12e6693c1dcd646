/* SPDX-License-Identifier: MIT */
/*
 * "optimize FS_MODIFY events with no ignored masks" (04e317ba72d0, 5.18): a mark whose ignored mask
 * a modify would clear adds FS_MODIFY to its object's cached mask, so a modify needs no special
 * handling: the cached masks decide for it as for any other event.
 *
 * It is not transparent (corpus/known/K1.fsn): the same cached mask decides whether a parent is
 * interested in a child's event. The precise form keeps "route a modify here" in a word of its own
 * that the early return tests and the parent's interest never sees.
 */
#ifndef OPTIMIZED_MODIFY_MASK_H
#define OPTIMIZED_MODIFY_MASK_H

#include "core/policy.h"

/* What a mark adds for the sake of clearing. */
static inline uint32_t modify_mask_interest(const struct mark *m)
{
	return mark_is_clearable(m) ? FS_MODIFY : 0;
}

static inline bool modify_mask_may_skip(uint32_t bits, uint32_t interest)
{
	return !(bits & interest & FS_EVENTS);
}

/* SURV_MODIFY set for the first time takes FS_MODIFY back, unless the mark asks for it anyway. */
static inline bool modify_mask_recalc_on_surv(const struct mark *m)
{
	return !(m->mask & FS_MODIFY);
}

#endif
