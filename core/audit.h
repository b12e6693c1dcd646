/* SPDX-License-Identifier: MIT */
/*
 * The masks oracle: are the cached masks of a world what they have to be? Compiled once and
 * written from what a build claims, not from its own policy functions, so that a build which
 * forgets a recalculation cannot vouch for itself.
 */
#ifndef CORE_AUDIT_H
#define CORE_AUDIT_H

#include "core/world.h"

/*
 * Holds every connector against its marks. `claims` is the set of toggles (core/toggles.h) that
 * say how the masks are made; mutants in it are not looked at. What a mark needs is
 *
 *   in the interest mask  its event mask,
 *                         its ignored events                       with parent_ignore_fix,
 *                         MODIFY where a modify clears something   with modify_mask, not precise;
 *   in the routing word   MODIFY where a modify clears something   with modify_mask_precise and
 *                         with the quirks. With k3 a bit in either word will do.
 *
 * False: *field names the first fault:
 *   "missing"  a cached word lacks a bit that some mark needs
 *   "surplus"  right after a recalculation a word has a bit that no mark needs
 *   "stale"    a word still has a bit that the last call on a mark took back (connector->lost)
 *              and that no mark needs: the recalculation was forgotten
 */
bool audit_masks(const struct world *w, uint32_t claims, const char **field);

/* The same, and where: whose connector, in which word (or both), which bits. */
struct audit_fault {
	const char *field;
	uint8_t connector;
	uint32_t interest; /* faulty bits of the interest mask … */
	uint32_t route;	   /* … and of the routing word */
};

bool audit_find(const struct world *w, uint32_t claims, struct audit_fault *fault);

#endif
