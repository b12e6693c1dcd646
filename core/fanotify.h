/* SPDX-License-Identifier: MIT */
/* The fanotify back-end: groups, marks as system calls, and what becomes of an event. */
#ifndef CORE_FANOTIFY_H
#define CORE_FANOTIFY_H

#include "core/dispatch.h"
#include "core/world.h"

/* One fanotify_mark() call, taken apart. */
struct mark_call {
	uint8_t slot; /* group */
	uint8_t kind; /* enum object_kind */
	uint8_t form; /* 0 mask, 1 legacy ignored mask, 2 FAN_MARK_IGNORE */
	uint8_t path;
	uint32_t mask;
	uint32_t flags; /* FAN_MARK_* without command, type and form */
};

/* fanotify_init(): class 0 NOTIF, 1 CONTENT, 2 PRE_CONTENT; `flags` are report modes and
 * FAN_INIT_WORDS. Occupied slots give EBUSY: that is the program's fault, no kernel's. */
int32_t fanotify_init(struct world *w, uint8_t slot, uint8_t class, uint32_t flags);

/* fanotify_mark(): checks in the order of Linux (see core/fanotify_mark.c). */
int32_t fanotify_mark_add(struct world *w, const struct mark_call *call);
int32_t fanotify_mark_remove(struct world *w, const struct mark_call *call);
int32_t fanotify_mark_flush(struct world *w, uint8_t slot, uint8_t kind);

/* An event has passed the core's filter for this group; `ignored` is the bundle's union. Returns 0
 * or -EPERM. */
int fanotify_handle(struct world *w, const struct emission *e, const struct bundle *b,
		    uint32_t ignored);

#endif
