/* SPDX-License-Identifier: MIT */
/*
 * The optimized build: FS_MODIFY folded into the cached masks, no section for unmarked objects,
 * pipes unasked for permission in the repaired form.
 */
#ifndef POLICY_BUILD_H
#define POLICY_BUILD_H

#include "core/policy_plain.h"
#include "optimized/modify_mask.h"
#include "optimized/pseudo.h"
#include "optimized/unwatched.h"
#include "vanilla/parent_ignore.h"

#define POLICY_NAME    optimized
#define POLICY_TOGGLES TOGGLES_OPTIMIZED

#define policy_has(w, id) ((void)(w), (TOGGLES_OPTIMIZED & TOGGLE_BIT(id)) != 0)

static inline uint32_t policy_interest(const struct world *w, const struct mark *m)
{
	return parent_ignore_interest(w, m) | modify_mask_interest(m);
}

static inline bool policy_may_skip(const struct world *w, uint32_t bits, uint32_t interest,
				   uint32_t route)
{
	(void)w;
	(void)route;
	return modify_mask_may_skip(bits, interest);
}

static inline bool policy_skip_unmarked(const struct world *w)
{
	(void)w;
	return unwatched_skip();
}

static inline bool policy_recalc_on_surv(const struct world *w, const struct mark *m)
{
	(void)w;
	return modify_mask_recalc_on_surv(m);
}

static inline uint8_t policy_pipe_mode(const struct world *w)
{
	(void)w;
	return PSEUDO_MODE;
}

#endif
