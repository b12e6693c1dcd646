/* SPDX-License-Identifier: MIT */
/* The masks oracle (core/audit.h): cached masks against the marks they stand for. */
#include "core/audit.h"

#include "core/interest.h"
#include "core/toggles.h"

/* What the marks of one object need in its two cached words. */
struct need {
	uint32_t interest;
	uint32_t route;
};

static bool claims_folded(uint32_t claims)
{
	return (claims & TOGGLE_BIT(MODIFY_MASK)) && !(claims & TOGGLE_BIT(MODIFY_MASK_PRECISE));
}

static bool claims_routed(uint32_t claims)
{
	return claims & (TOGGLE_BIT(MODIFY_MASK_PRECISE) | TOGGLE_BIT(QUIRK_K1) |
			 TOGGLE_BIT(QUIRK_K2) | TOGGLE_BIT(QUIRK_K3));
}

static struct need need_of(const struct world *w, const struct connector *c, uint32_t claims)
{
	struct need need = {0, 0};
	for (uint8_t i = c->first; i != NONE; i = w->mark[i].next_on_object) {
		const struct mark *m = &w->mark[i];
		uint32_t modify = mark_is_clearable(m) ? FS_MODIFY : 0;
		need.interest |= m->mask;
		if (claims & TOGGLE_BIT(PARENT_IGNORE_FIX))
			need.interest |= mark_ignored_interest(w, m);
		if (claims_folded(claims))
			need.interest |= modify;
		if (claims_routed(claims))
			need.route |= modify;
	}
	return need;
}

/* Sets the fault, if there are such bits. */
static bool is_fault(struct audit_fault *fault, const char *field, uint32_t interest,
		     uint32_t route)
{
	if (!(interest | route))
		return false;
	fault->field = field;
	fault->interest = interest;
	fault->route = route;
	return true;
}

/* For quirk K3 the two words count as one, as they do when a change asks for recalculation. */
static struct need joined(struct need n, bool one_word)
{
	return one_word ? (struct need){n.interest | n.route, 0} : n;
}

static bool is_wrong(const struct connector *c, struct need need, uint32_t claims,
		     struct audit_fault *fault)
{
	bool one_word = claims & TOGGLE_BIT(QUIRK_K3);
	bool modify = c->lost_clearable && (claims_folded(claims) || claims_routed(claims));
	uint32_t lost = c->lost | (modify ? FS_MODIFY : 0);
	struct need have = joined((struct need){c->interest, c->route}, one_word);

	need = joined(need, one_word);
	uint32_t more = have.interest & ~need.interest, more_route = have.route & ~need.route;

	if (is_fault(fault, "missing", need.interest & ~have.interest, need.route & ~have.route))
		return true;
	if (c->exact && is_fault(fault, "surplus", more, more_route))
		return true;
	return is_fault(fault, "stale", more & lost, more_route & lost);
}

bool audit_find(const struct world *w, uint32_t claims, struct audit_fault *fault)
{
	for (unsigned i = 0; i < w->connector_count; i++) {
		if (slot_freed(w->connector_freed, i) || !w->connector[i].alive)
			continue;
		const struct connector *c = &w->connector[i];
		fault->connector = (uint8_t)i;
		if (is_wrong(c, need_of(w, c, claims), claims, fault))
			return false;
	}
	return true;
}

bool audit_masks(const struct world *w, uint32_t claims, const char **field)
{
	struct audit_fault fault;
	bool sound = audit_find(w, claims, &fault);
	if (!sound)
		*field = fault.field;
	return sound;
}
