/* SPDX-License-Identifier: MIT */
/* The inotify back-end: instances, watches, and what becomes of an event. */
#ifndef CORE_INOTIFY_H
#define CORE_INOTIFY_H

#include "core/dispatch.h"
#include "core/world.h"

int32_t inotify_init(struct world *w, uint8_t slot);

/* inotify_add_watch(): the watch descriptor, or a negative errno. */
int32_t inotify_add_watch(struct world *w, uint8_t slot, unsigned path, uint32_t mask);

/* inotify_rm_watch(). */
int32_t inotify_rm_watch(struct world *w, uint8_t slot, int32_t wd);

/* An event has passed the core's filter for this instance. */
void inotify_handle(struct world *w, const struct emission *e, const struct bundle *b);

/* A watch is being destroyed: IN_IGNORED, and its place in the limit is given back. */
void inotify_mark_freed(struct world *w, const struct mark *m);

#endif
