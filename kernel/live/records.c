/* SPDX-License-Identifier: MIT */
/*
 * Queues and marks of the running kernel in the notation of outcomes: what read() gives of a
 * group, and what /proc/self/fdinfo says about its marks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/bits.h"
#include "kernel/live/internal.h"

/* The layouts of fanotify(7) and inotify(7); spelled out here because older headers lack the
 * newer record types. */
struct fan_event {
	uint32_t length;
	uint8_t version, reserved;
	uint16_t header;
	uint64_t mask;
	int32_t fd, pid;
} __attribute__((packed, aligned(4))); /* as records of names leave the next event */

struct fan_record {
	uint8_t type, pad;
	uint16_t length;
	uint32_t fsid[2];
	uint32_t handle_bytes;
	int32_t handle_type;
	unsigned char handle[]; /* then perhaps a name */
};

struct watch_event {
	int32_t wd;
	uint32_t mask, cookie, length;
	char name[];
};

struct fan_response {
	int32_t fd;
	uint32_t response;
};

struct fan_header {
	uint8_t type, pad;
	uint16_t length;
};

struct fan_pidfd {
	struct fan_header head;
	int32_t pidfd;
};

enum {
	RECORD_FID = 1,
	RECORD_DFID_NAME,
	RECORD_DFID,
	RECORD_PIDFD,
	RECORD_OLD = 10,
	RECORD_NEW = 12,
};
enum { ALLOW = 1, DENY = 2, QUEUE_ROOM = 1 << 17 };

static union {
	char bytes[QUEUE_ROOM];
	uint64_t align;
} room;

static void separate(struct text_buffer *b, unsigned *count)
{
	if ((*count)++)
		text_add(b, "; ");
}

static void put_events(struct text_buffer *b, uint32_t mask)
{
	char text[TEXT_LINE];
	text_add(b, "%s", text_events(mask, text, sizeof(text)));
}

/* What only the kernel says comes first, as outcomes have it. */
static void put_watch_mask(struct text_buffer *b, uint32_t mask)
{
	const uint32_t special = FS_UNMOUNT | FS_IN_IGNORED;
	char text[TEXT_LINE];

	if (mask & special)
		text_add(b, "%s", text_watch_events(mask & special, text, sizeof(text)));
	if ((mask & special) && (mask & ~special))
		text_add(b, "|");
	if ((mask & ~special) || !mask)
		text_add(b, "%s", text_watch_events(mask & ~special, text, sizeof(text)));
}

/* ---- fanotify ---- */

static void put_record(struct text_buffer *b, const struct live *l, const struct fan_record *r)
{
	static const char *const keys[] = {[RECORD_FID] = "fid",
					   [RECORD_DFID_NAME] = "dfid",
					   [RECORD_DFID] = "dfid",
					   [RECORD_OLD] = "old",
					   [RECORD_NEW] = "new"};
	const size_t kinds = sizeof(keys) / sizeof(keys[0]);
	const char *name = (const char *)r->handle + r->handle_bytes;

	if (r->type >= kinds || !keys[r->type]) {
		text_add(b, " record%u", r->type);
		return;
	}
	text_add(b, " %s=", keys[r->type]);
	live_put_inode(b, l, live_inode_by_handle(l, r->handle_type, r->handle, r->handle_bytes));
	if (r->type == RECORD_DFID_NAME || r->type == RECORD_OLD || r->type == RECORD_NEW)
		text_add(b, " name=%s", name);
}

/* Who did it, where it was not the program's process; nothing but a number of somebody else. */
static void put_doer(struct text_buffer *b, const struct live *l, const struct live_group *g,
		     int pid)
{
	const struct live_task *t = l->task;

	if (pid == (g->flags & FAN_REPORT_TID ? t[TASK_OWN].id : l->pid))
		return;
	if (pid == 0)
		text_add(b, " by=hidden");
	else if (pid == t[TASK_THREAD].id)
		text_add(b, " by=thread");
	else if (pid == t[TASK_OTHER].id)
		text_add(b, " by=other");
	else
		text_add(b, " by=%d", pid);
}

/* A descriptor of the process that did it says no more than the number that is shown: only one that
 * says something else is shown. */
static void put_pidfd(struct text_buffer *b, int pidfd, int pid)
{
	char path[48], info[512] = "", *at;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, info, sizeof(info) - 1);
		info[n < 0 ? 0 : n] = '\0';
		close(fd);
	}
	at = strstr(info, "\nPid:");
	if (pidfd < 0 || !at || atoi(at + strlen("\nPid:")) != pid)
		text_add(b, " pidfd=%d", pidfd < 0 ? pidfd : 0);
}

/* The records behind the metadata, one after another. */
static const struct fan_header *next_record(const struct fan_event *e, const void *record)
{
	const struct fan_header *last = record;
	const char *at = record ? (const char *)record + last->length : (const char *)e + e->header;
	const struct fan_header *next = (const void *)at;
	const char *end = (const char *)e + e->length;

	return at + sizeof(*next) <= end && next->length ? next : NULL;
}

static void put_fan_event(struct text_buffer *b, struct live *l, const struct live_group *g,
			  const struct fan_event *e)
{
	const struct fan_header *r = NULL;

	if (e->mask & FS_Q_OVERFLOW) {
		text_add(b, "Q_OVERFLOW");
		return;
	}
	put_events(b, (uint32_t)e->mask);
	if (e->fd >= 0) {
		text_add(b, " ");
		live_put_descriptor(b, l, e->fd);
	}
	while ((r = next_record(e, r))) {
		if (r->type == RECORD_PIDFD)
			put_pidfd(b, ((const struct fan_pidfd *)(const void *)r)->pidfd, e->pid);
		else
			put_record(b, l, (const void *)r);
	}
	put_doer(b, l, g, e->pid);
}

static void close_pidfd(const struct fan_event *e)
{
	for (const struct fan_header *r = NULL; (r = next_record(e, r));) {
		const struct fan_pidfd *p = (const void *)r;
		if (r->type == RECORD_PIDFD && p->pidfd >= 0)
			close(p->pidfd);
	}
}

/* Descriptors are closed after the whole read, in the order of the events, as their paths are let
 * go of; what that raises is found by the next read. */
static void close_events(const char *bytes, ssize_t length)
{
	for (ssize_t at = 0; at < length;) {
		const struct fan_event *e = (const void *)(bytes + at);
		if (e->fd >= 0)
			close(e->fd);
		close_pidfd(e);
		at += e->length;
	}
}

static void put_fan_queue(struct text_buffer *b, struct live *l, const struct live_group *g,
			  unsigned *count)
{
	ssize_t n;

	while ((n = read(g->fd, room.bytes, sizeof(room.bytes))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct fan_event *e = (const void *)(room.bytes + at);
			separate(b, count);
			put_fan_event(b, l, g, e);
			at += e->length;
		}
		close_events(room.bytes, n);
	}
	if (n < 0 && errno != EAGAIN)
		text_add(b, "%sread: %s", *count ? "; " : "", strerrorname_np(errno));
}

/* ---- what was read early ---- */

static void put_taken(struct text_buffer *b, struct live *l, struct live_group *g, unsigned *count)
{
	for (unsigned i = 0; i < g->taken; i++) {
		const struct live_taken *t = &g->take[i];

		separate(b, count);
		if (t->mask & FS_Q_OVERFLOW) {
			text_add(b, "Q_OVERFLOW");
			continue;
		}
		text_add(b, t->mask & FS_PERM_EVENTS ? "ask " : "");
		put_events(b, t->mask);
		text_add(b, " ");
		if (t->mask & FS_PERM_EVENTS)
			live_put_entry(b, l, t->entry, t->mount);
		else
			live_put_descriptor(b, l, t->fd);
		if (t->mask & FS_PERM_EVENTS)
			text_add(b, t->deny ? " deny" : " allow");
		put_doer(b, l, g, t->pid);
	}
}

void live_drop_taken(struct live_group *g)
{
	for (unsigned i = 0; i < g->taken; i++)
		if (g->take[i].fd >= 0)
			close(g->take[i].fd);
	g->taken = 0;
}

static bool next_answer(struct live_group *g)
{
	bool deny = g->answer_count && (g->answers & 1);

	if (g->answer_count) {
		g->answers >>= 1;
		g->answer_count--;
	}
	return deny;
}

/* The question is answered with its descriptor closed, so that only the operation that waits for
 * the answer keeps the file in use. */
static void answer(struct live *l, struct live_group *g, struct live_taken *t)
{
	struct fan_response r = {.fd = t->fd};

	live_find_entry(l, t->fd, &t->entry, &t->mount);
	if (t->entry == NOWHERE && t->mount != NOWHERE) {
		/* A file that the operation has made itself. */
		char link[32], path[LIVE_PATH];
		struct live_place place;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
		ssize_t n = readlink(link, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		if (live_locate(l, path, false, &place))
			live_sync(l, &place);
		live_find_entry(l, t->fd, &t->entry, &t->mount);
	}
	t->deny = next_answer(g);
	r.response = t->deny ? DENY : ALLOW;
	close(t->fd);
	t->fd = -1;
	if (write(g->fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
		t->mask |= FS_ERROR; /* shows in the outcome */
}

/* One event, with as much behind it as a group that is asked can have. */
struct fan_question {
	struct fan_event event;
	struct fan_pidfd pidfd;
};

static bool read_one(const struct live_group *g, struct fan_question *q)
{
	bool pidfd = g->flags & FAN_REPORT_PIDFD;
	size_t size = sizeof(q->event) + (pidfd ? sizeof(q->pidfd) : 0);

	if (read(g->fd, q, size) != (ssize_t)size)
		return false;
	if (pidfd)
		close_pidfd(&q->event);
	return true;
}

bool live_answer_question(struct live *l, struct live_group *g)
{
	struct fan_question q;

	if (!g->take)
		g->take = calloc(LIVE_TAKEN, sizeof(*g->take));
	while (g->take && g->taken < LIVE_TAKEN && read_one(g, &q)) {
		struct live_taken *t = &g->take[g->taken++];
		*t = (struct live_taken){
			.mask = (uint32_t)q.event.mask, .pid = q.event.pid, .fd = q.event.fd};
		if (!(q.event.mask & FS_PERM_EVENTS))
			continue;
		answer(l, g, t);
		return true;
	}
	return false;
}

void live_allow_everything(struct live_group *g)
{
	struct fan_question q;

	while (read_one(g, &q)) {
		struct fan_response r = {.fd = q.event.fd, .response = ALLOW};
		if (q.event.fd >= 0)
			close(q.event.fd);
		if ((q.event.mask & FS_PERM_EVENTS) && write(g->fd, &r, sizeof(r)) < 0)
			return;
	}
}

/* ---- inotify ---- */

static void put_watch_event(struct text_buffer *b, const struct watch_event *e)
{
	if (e->mask & FS_Q_OVERFLOW) {
		text_add(b, "Q_OVERFLOW");
		return;
	}
	text_add(b, "wd=%d ", e->wd);
	put_watch_mask(b, e->mask);
	if (e->length)
		text_add(b, " name=%s", e->name);
	if (e->cookie)
		text_add(b, " cookie=%u", e->cookie);
}

static void put_watch_queue(struct text_buffer *b, int fd, unsigned *count)
{
	ssize_t n;

	while ((n = read(fd, room.bytes, sizeof(room.bytes))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct watch_event *e = (const void *)(room.bytes + at);
			separate(b, count);
			put_watch_event(b, e);
			at += (ssize_t)(sizeof(*e) + e->length);
		}
	}
}

void live_put_queue(struct text_buffer *b, struct live *l, unsigned slot)
{
	struct live_group *g = &l->group[slot];
	unsigned count = 0;

	put_taken(b, l, g, &count);
	live_drop_taken(g);
	if (g->inotify)
		put_watch_queue(b, g->fd, &count);
	else
		put_fan_queue(b, l, g, &count);
	if (!count)
		text_add(b, "none");
}

/* ---- fdinfo ---- */

/* The number after a key of an fdinfo line. */
static bool field(const char *line, const char *key, uint64_t *value)
{
	const char *at = strstr(line, key);

	if (!at)
		return false;
	*value = strtoull(at + strlen(key), NULL, 16);
	return true;
}

/* fdinfo prints the kernel's own form of a device number. */
static uint64_t device_shown(uint64_t sdev)
{
	return makedev((unsigned)(sdev >> 20), (unsigned)(sdev & 0xfffff));
}

static void put_marked_inode(struct text_buffer *b, const struct live *l, const char *line)
{
	uint64_t number = 0, device = 0;

	field(line, " ino:", &number);
	field(line, " sdev:", &device);
	text_add(b, "inode ");
	live_put_inode(b, l, live_inode_numbered(l, device_shown(device), number));
}

static void put_marked_mount(struct text_buffer *b, const struct live *l, uint64_t id)
{
	static const char *const names[MAX_MOUNT] = {".", "B:.", "C:.", "pipe:"};
	unsigned mount = 0;

	while (mount < MAX_MOUNT && l->mount_id[mount] != id)
		mount++;
	text_add(b, "mount %s", mount < MAX_MOUNT ? names[mount] : "?");
}

static void put_marked_sb(struct text_buffer *b, const struct live *l, uint64_t device)
{
	text_add(b, "sb %s",
		 device == l->device[0]	  ? "."
		 : device == l->device[1] ? "C:."
					  : "pipe:");
}

static void put_mark_flags(struct text_buffer *b, uint64_t flags)
{
	static const struct text_word names[] = {
		{"surv", 0x40}, {"evictable", 0x200}, {"ignore_form", 0x400}};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (flags & names[i].value)
			text_add(b, " %s", names[i].name);
		flags &= ~(uint64_t)names[i].value;
	}
	if (flags)
		text_add(b, " 0x%llx", (unsigned long long)flags);
}

static void put_fan_mark(struct text_buffer *b, const struct live *l, const char *line)
{
	uint64_t value = 0;

	if (strstr(line, " ino:"))
		put_marked_inode(b, l, line);
	else if (field(line, " mnt_id:", &value))
		put_marked_mount(b, l, value);
	else if (field(line, " sdev:", &value))
		put_marked_sb(b, l, device_shown(value));
	text_add(b, " mask=");
	field(line, " mask:", &value);
	put_events(b, (uint32_t)value);
	text_add(b, " ignored=");
	field(line, " ignored_mask:", &value);
	put_events(b, (uint32_t)value);
	field(line, " mflags:", &value);
	put_mark_flags(b, value);
}

static void put_watch(struct text_buffer *b, const struct live *l, const char *line)
{
	uint64_t value = 0;

	field(line, " wd:", &value);
	text_add(b, "wd=%d ", (int)value);
	put_marked_inode(b, l, line);
	field(line, " mask:", &value);
	text_add(b, " mask=");
	put_watch_mask(b, (uint32_t)value);
}

void live_put_marks(struct text_buffer *b, struct live *l, unsigned slot)
{
	char path[48];
	unsigned count = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", l->group[slot].fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, length = 0;
	while (fd >= 0 && length < QUEUE_ROOM - 1 &&
	       (n = read(fd, room.bytes + length, (size_t)(QUEUE_ROOM - 1 - length))) > 0)
		length += n;
	if (fd >= 0)
		close(fd);
	room.bytes[length] = '\0';
	for (char *rest = room.bytes, *line; (line = strsep(&rest, "\n"));) {
		bool watch = strncmp(line, "inotify ", 8) == 0;
		if (!watch &&
		    (strncmp(line, "fanotify ", 9) != 0 || strncmp(line + 9, "flags:", 6) == 0))
			continue;
		separate(b, &count);
		if (watch)
			put_watch(b, l, line);
		else
			put_fan_mark(b, l, line);
	}
	if (!count)
		text_add(b, "none");
}
