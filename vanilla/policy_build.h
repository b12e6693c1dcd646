/* SPDX-License-Identifier: MIT */
/*
 * The vanilla build: the state between the two 5.18 patches. Ignored events count in the interest
 * mask, FS_MODIFY is special, nothing is skipped for being unmarked, pipes are files like others.
 */
#ifndef POLICY_BUILD_H
#define POLICY_BUILD_H

#include "core/policy_plain.h"
#include "vanilla/modify_special.h"
#include "vanilla/parent_ignore.h"

#define POLICY_NAME    vanilla
#define POLICY_TOGGLES TOGGLES_VANILLA

#define policy_has(w, id) ((void)(w), (TOGGLES_VANILLA & TOGGLE_BIT(id)) != 0)

static inline uint32_t policy_interest(const struct world *w, const struct mark *m)
{
	return parent_ignore_interest(w, m);
}

static inline bool policy_may_skip(const struct world *w, uint32_t bits, uint32_t interest,
				   uint32_t route)
{
	(void)w;
	(void)route;
	return modify_special_may_skip(bits, interest);
}

static inline bool policy_skip_unmarked(const struct world *w)
{
	(void)w;
	return false;
}

static inline bool policy_recalc_on_surv(const struct world *w, const struct mark *m)
{
	(void)w;
	(void)m;
	return false;
}

static inline uint8_t policy_pipe_mode(const struct world *w)
{
	(void)w;
	return 0;
}

#endif
