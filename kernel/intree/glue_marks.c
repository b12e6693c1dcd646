/* SPDX-License-Identifier: MIT */
/* Marks and watches: the calls of core/fanotify.h, core/inotify.h and core/mark.h. */
#include "core/fanotify.h"
#include "core/inotify.h"
#include "core/mark.h"
#include "kernel/intree/glue.h"

static int slot_fd(const struct world *w, uint8_t slot)
{
	return group_at(w, slot) == NONE ? -1 : glue.listener[slot].fd;
}

static const uint32_t type_flag[] = {
	[OBJECT_INODE] = 0, [OBJECT_MOUNT] = 0x10, [OBJECT_SB] = 0x100};

static int32_t mark_call(struct world *w, const struct mark_call *c, uint32_t command)
{
	static const uint32_t form_flag[] = {0, 0x20, 0x400};

	return machine_fanotify_mark(slot_fd(w, c->slot),
				     command | type_flag[c->kind] | form_flag[c->form] | c->flags,
				     c->mask, c->path);
}

int32_t fanotify_mark_add(struct world *w, const struct mark_call *call)
{
	return mark_call(w, call, 0x1);
}

int32_t fanotify_mark_remove(struct world *w, const struct mark_call *call)
{
	return mark_call(w, call, 0x2);
}

int32_t fanotify_mark_flush(struct world *w, uint8_t slot, uint8_t kind)
{
	return machine_fanotify_mark(slot_fd(w, slot), 0x80 | type_flag[kind], 0, 0);
}

int32_t inotify_add_watch(struct world *w, uint8_t slot, unsigned path, uint32_t mask)
{
	return machine_inotify_add_watch(slot_fd(w, slot), path, mask);
}

int32_t inotify_rm_watch(struct world *w, uint8_t slot, int32_t wd)
{
	return machine_inotify_rm_watch(slot_fd(w, slot), wd);
}

void marks_reap(struct world *w)
{
	(void)w;
	machine_run_work();
}

uint8_t *object_connector(struct world *w, enum object_kind kind, uint8_t object)
{
	switch (kind) {
	case OBJECT_INODE: return &w->inode[object].connector;
	case OBJECT_MOUNT: return &w->mount[object].connector;
	default: return &w->sb[object].connector;
	}
}

void glue_check_fdinfo(const struct world *w, uint8_t slot)
{
	static struct seen_mark listed[MAX_MARK];
	const struct listener *l = &glue.listener[slot];
	bool inotify = w->group[w->group_slot[slot]].kind == GROUP_INOTIFY;
	unsigned count = machine_marks(l->fd, glue.mark), lines = machine_fdinfo(l->fd, listed);

	if (lines != count)
		glue_odd(w, "fdinfo has not a line for every mark", lines);
	for (unsigned i = 0; i < count && i < lines; i++) {
		struct seen_mark due = glue.mark[i];
		if (inotify) {
			due.mask = (due.mask & IN_ALL_EVENTS) |
				   (due.flags & MARK_EXCL_UNLINK ? IN_EXCL_UNLINK : 0) |
				   (due.flags & MARK_ONESHOT ? IN_ONESHOT : 0);
			due.flags = 0;
		}
		if (due.mask != listed[i].mask || due.ignored != listed[i].ignored ||
		    due.wd != listed[i].wd || due.kind != listed[i].kind ||
		    due.object != listed[i].object || due.flags != listed[i].flags)
			glue_odd(w, "fdinfo lists a mark otherwise than it is",
				 listed[i].mask ^ listed[i].ignored);
	}
}
