/* SPDX-License-Identifier: MIT */
/*
 * The workbench: every decision, quirk and mutant as a run-time toggle (core/toggles.def). It
 * serves explanations, variants and planted faults, and is never the build that is measured.
 */
#ifndef POLICY_BUILD_H
#define POLICY_BUILD_H

#include "optimized/modify_mask.h"
#include "optimized/pseudo.h"
#include "vanilla/modify_special.h"
#include "vanilla/parent_ignore.h"

#define POLICY_NAME    workbench
#define POLICY_TOGGLES ((1u << TOGGLE_COUNT) - 1)

#define policy_has(w, id) (((w)->toggles & TOGGLE_BIT(id)) != 0)

static inline uint32_t policy_interest(const struct world *w, const struct mark *m)
{
	uint32_t word = policy_has(w, PARENT_IGNORE_FIX) ? parent_ignore_interest(w, m) : m->mask;
	if (policy_has(w, MODIFY_MASK) && !policy_has(w, MODIFY_MASK_PRECISE) &&
	    !policy_has(w, MUTANT_NO_FOLD))
		word |= modify_mask_interest(m);
	return word;
}

/* Is "a modify has to be routed here" kept in a word of its own? */
static inline bool policy_keeps_route(const struct world *w)
{
	return w->toggles & (TOGGLE_BIT(MODIFY_MASK_PRECISE) | TOGGLE_BIT(QUIRK_K1) |
			     TOGGLE_BIT(QUIRK_K2) | TOGGLE_BIT(QUIRK_K3));
}

static inline uint32_t policy_route(const struct world *w, const struct mark *m)
{
	return policy_keeps_route(w) ? modify_mask_interest(m) : 0;
}

static inline bool policy_may_skip(const struct world *w, uint32_t bits, uint32_t interest,
				   uint32_t route)
{
	if (policy_has(w, MODIFY_MASK_PRECISE))
		return modify_mask_may_skip(bits, interest | route);
	if (policy_has(w, MODIFY_MASK))
		return modify_mask_may_skip(bits, interest);
	return modify_special_may_skip(bits, interest);
}

static inline bool policy_skip_unmarked(const struct world *w)
{
	return policy_has(w, UNWATCHED);
}

static inline bool policy_recalc_on_surv(const struct world *w, const struct mark *m)
{
	bool folded = policy_has(w, MODIFY_MASK) || policy_keeps_route(w);
	return folded && !policy_has(w, MUTANT_NO_RECALC_SURV) && modify_mask_recalc_on_surv(m);
}

static inline uint32_t policy_parent_interest(const struct world *w, const struct connector *c)
{
	return policy_has(w, QUIRK_K1) ? c->interest | c->route : c->interest;
}

static inline uint32_t policy_name_interest(const struct world *w, const struct connector *c)
{
	return policy_has(w, QUIRK_K2) ? c->interest | c->route : c->interest;
}

static inline uint8_t policy_pipe_mode(const struct world *w)
{
	if (policy_has(w, PSEUDO_OPT_OUT_2020))
		return PSEUDO_MODE_2020;
	return policy_has(w, PSEUDO_OPT_OUT) ? PSEUDO_MODE : 0;
}

static inline uint32_t policy_pipe_flags(const struct world *w)
{
	return policy_has(w, PSEUDO_OPT_OUT_2020) ? PSEUDO_FLAGS_2020 : 0;
}

#endif
