/* SPDX-License-Identifier: MIT */
/*
 * Groups, and who listens to them: the calls of core/group.h, and those of core/fanotify.h and
 * core/inotify.h that make one.
 */
#include <errno.h>

#include "core/fanotify.h"
#include "core/inotify.h"
#include "core/observe.h"
#include "kernel/intree/glue.h"

static uint8_t open_group(struct world *w, uint8_t slot, enum group_kind kind, uint8_t priority,
			  uint32_t flags, int fd)
{
	uint8_t index = w->group_count++;
	uint8_t age = w->config.reverse ? (uint8_t)(MAX_GROUP - 1 - index) : index;
	struct listener *l = &glue.listener[slot];

	w->group[index] =
		(struct group){.kind = (uint8_t)kind,
			       .slot = slot,
			       .priority = priority,
			       .rank = (uint16_t)((2 - priority) << 8 | age),
			       .alive = true,
			       .marks = NONE,
			       .first = NO_EVENT,
			       .last = NO_EVENT,
			       .taken_first = NO_EVENT,
			       .taken_last = NO_EVENT,
			       .unprivileged = kind == GROUP_FANOTIFY && !may_administer(w),
			       .flags = flags};
	w->group_slot[slot] = index;
	w->live_groups++;
	l->fd = fd;
	l->removed = l->appended = 0;
	l->taken = 0;
	return index;
}

int32_t fanotify_init(struct world *w, uint8_t slot, uint8_t class, uint32_t flags)
{
	static const uint32_t class_flag[] = {0, 0x4, 0x8};
	int fd;

	if (group_at(w, slot) != NONE)
		return -EBUSY;
	fd = machine_fanotify_init(flags | class_flag[class]);
	if (fd < 0)
		return fd;
	open_group(w, slot, GROUP_FANOTIFY, class, flags, fd);
	return 0;
}

int32_t inotify_init(struct world *w, uint8_t slot)
{
	int fd;

	if (group_at(w, slot) != NONE)
		return -EBUSY;
	fd = machine_inotify_init();
	if (fd < 0)
		return fd;
	open_group(w, slot, GROUP_INOTIFY, 0, 0, fd);
	return 0;
}

static void close_object(const struct record *r)
{
	if (r->fd >= 0)
		machine_close(r->fd);
}

/* Gives back what the listener has read while it was asked; how many records. */
static int32_t give_back(struct world *w, uint8_t slot, bool read)
{
	struct listener *l = &glue.listener[slot];
	unsigned count = l->taken, first = l->removed - count;

	l->taken = 0;
	for (unsigned i = 0; i < count; i++) {
		struct event e = glue_event(&l->record[i].record, first + i, l->record[i].answer);
		if (read)
			glue_note(w, JOURNAL_READ, slot, &e);
		close_object(&l->record[i].record);
	}
	return (int32_t)count;
}

int32_t group_close(struct world *w, uint8_t slot)
{
	uint8_t index = group_at(w, slot);

	if (index == NONE)
		return -EBADF;
	give_back(w, slot, false);
	machine_close(glue.listener[slot].fd);
	glue.listener[slot].fd = -1;
	w->group[index].alive = false;
	w->group_slot[slot] = NONE;
	w->live_groups--;
	return 0;
}

/* A record was read: what the reader is told of who did it. */
static void note_doer(const struct world *w, uint8_t slot, const struct record *r, struct event *e)
{
	uint8_t due = event_doer_shown(w, w->group_slot[slot], e);

	if (!r->pid)
		return;
	e->by = r->pid_read ? glue_doer(r->pid_read) : BY_HIDDEN;
	if (e->by != due)
		glue_odd(w, "a record says somebody else did it", r->pid_read);
}

static void check_record(const struct world *w, const struct record *r)
{
	if (r->odd)
		glue_odd(w, "a record was read otherwise than it had been queued", r->odd);
}

int32_t group_read(struct world *w, uint8_t slot)
{
	struct listener *l = &glue.listener[slot];
	int32_t count;
	unsigned read;

	if (group_at(w, slot) == NONE)
		return -EBADF;
	count = give_back(w, slot, true);
	/* Letting go of an object can raise DELETE_SELF: it is read in the same go. */
	while ((read = machine_read(l->fd, glue.record))) {
		for (unsigned i = 0; i < read; i++) {
			struct event e = glue_event(&glue.record[i], l->removed, 0);
			if (l->removed >= l->appended)
				glue_note(w, JOURNAL_QUEUED, slot, &e);
			note_doer(w, slot, &glue.record[i], &e);
			glue_note(w, JOURNAL_READ, slot, &e);
			check_record(w, &glue.record[i]);
			l->removed++;
		}
		for (unsigned i = 0; i < read; i++)
			close_object(&glue.record[i]);
		count += (int32_t)read;
	}
	return count;
}

int32_t group_answer(struct world *w, uint8_t slot, bool deny)
{
	uint8_t index = group_at(w, slot);
	struct group *g;

	if (index == NONE)
		return -EBADF;
	g = &w->group[index];
	if (!g->priority)
		return -EINVAL;
	if (g->answer_count >= ANSWERS)
		return -ENOSPC;
	g->answers |= (uint8_t)(deny << g->answer_count);
	g->answer_count++;
	return 0;
}

static uint8_t next_answer(struct group *g)
{
	uint8_t deny = g->answers & 1;

	if (!g->answer_count)
		return 0;
	g->answers >>= 1;
	g->answer_count--;
	return deny;
}

static uint8_t slot_of(int fd)
{
	uint8_t slot = 0;

	while (glue.listener[slot].fd != fd)
		slot++;
	return slot;
}

/* Everything up to the question is read and kept, with its objects open; the question is answered
 * and its object closed. */
void bridge_listen(int fd)
{
	uint8_t slot = slot_of(fd);
	struct listener *l = &glue.listener[slot];
	struct group *g = &glue.w->group[glue.w->group_slot[slot]];
	static struct record read[MAX_EVENT];
	unsigned count;

	while ((count = machine_read(fd, read))) {
		for (unsigned i = 0; i < count; i++) {
			struct taken *t = &l->record[l->taken++];
			*t = (struct taken){.record = read[i]};
			l->removed++;
			check_record(glue.w, &read[i]);
			if (read[i].kind != BRIDGE_ASK)
				continue;
			t->answer = next_answer(g);
			unsigned odd = machine_answer(fd, read[i].fd, t->answer);
			if (odd)
				glue_odd(glue.w, "a wrong answer was not refused", odd);
			close_object(&read[i]);
			t->record.fd = -1;
		}
	}
}
