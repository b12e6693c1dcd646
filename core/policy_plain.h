/* SPDX-License-Identifier: MIT */
/*
 * Decisions in which the vanilla and the optimized build do not differ: there is no word for
 * routing, and one cached mask answers every question about an object.
 */
#ifndef CORE_POLICY_PLAIN_H
#define CORE_POLICY_PLAIN_H

#include "core/world.h"

static inline uint32_t policy_route(const struct world *w, const struct mark *m)
{
	(void)w;
	(void)m;
	return 0;
}

static inline uint32_t policy_parent_interest(const struct world *w, const struct connector *c)
{
	(void)w;
	return c->interest;
}

static inline uint32_t policy_name_interest(const struct world *w, const struct connector *c)
{
	(void)w;
	return c->interest;
}

/* Of the opt-outs only the one with the leak shows in flags, and neither build has it. */
static inline uint32_t policy_pipe_flags(const struct world *w)
{
	(void)w;
	return 0;
}

#endif
