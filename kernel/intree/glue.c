/* SPDX-License-Identifier: MIT */
/*
 * The world's side of a tree executor. The operations on names and open files are the model's own
 * (core/names.c, core/open_file.c); what they tell by core/hooks.h, and what programs ask by
 * core/fanotify.h, core/inotify.h and core/group.h, is answered here by calls into the tree.
 *
 * After every operation the observation words of the world are counted from what stands in the
 * tree's queues and lists of marks (core/observe.h). When a journal is kept, the pools of the world
 * are filled from there as well, for those who put a world into words.
 *
 * A tree's code has its state in global variables: an executor has one world at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/build.h"
#include "core/fanotify.h"
#include "core/group.h"
#include "core/hooks.h"
#include "core/inotify.h"
#include "core/mark.h"
#include "core/observe.h"
#include "core/poison.h"
#include "core/tree.h"
#include "fuzz/program.h"
#include "kernel/intree/bridge.h"
#include "tree_build.h"

_Static_assert((int)BRIDGE_NONE == (int)NONE && (int)BRIDGE_NONE == (int)NO_NAME, "no object");
_Static_assert((int)BRIDGE_INODES == (int)MAX_INODE && (int)BRIDGE_DENTRIES == (int)MAX_DENTRY &&
		       (int)BRIDGE_MOUNTS == (int)MAX_MOUNT && (int)BRIDGE_SBS == (int)MAX_SB &&
		       (int)BRIDGE_MARKS == (int)MAX_MARK &&
		       (int)BRIDGE_RECORDS == (int)MAX_EVENT &&
		       (int)BRIDGE_GROUPS == (int)MAX_GROUP,
	       "as many objects");
_Static_assert((int)BRIDGE_PIPE == (int)NODE_PIPE && (int)BRIDGE_FIFO == (int)NODE_FIFO &&
		       (int)BRIDGE_SYMLINK == (int)NODE_SYMLINK && (int)BRIDGE_DIR == (int)NODE_DIR,
	       "kinds of nodes");
_Static_assert((int)BRIDGE_MOUNT == (int)OBJECT_MOUNT && (int)BRIDGE_SB == (int)OBJECT_SB,
	       "kinds of objects");
_Static_assert((int)BRIDGE_NAME == (int)EVENT_NAME && (int)BRIDGE_ASK == (int)EVENT_ASK &&
		       (int)BRIDGE_LOST == (int)EVENT_OVERFLOW,
	       "kinds of records");
_Static_assert((int)BRIDGE_ONESHOT == (int)MARK_ONESHOT && (int)BRIDGE_SURV == (int)MARK_SURV,
	       "flags of marks");

/* Two bits of a file's mode above those of core/world.h are the tree's. */
enum { MODE_SHIFT = 6 };

/* A record that the listener read while it was asked for permission. */
struct taken {
	struct record record;
	uint8_t answer;
};

/* Who has a group open: its descriptor, and what it has read already. */
struct listener {
	int fd;		   /* -1: nobody */
	uint16_t removed;  /* records that have left the queue since the group was made */
	uint16_t appended; /* records that had been queued in front of this operation */
	unsigned taken;
	struct taken record[MAX_EVENT];
};

static struct {
	struct world *w;
	const struct op *op; /* the operation that is running */
	bool asked;	     /* a program was asked for both permissions at once */
	unsigned cookie;     /* the counter of cookies at the start of the program */
	uint64_t odd;	     /* records that were read otherwise than they had been queued */
	struct listener listener[GROUP_SLOTS];
	struct record record[MAX_EVENT];
	struct seen_mark mark[MAX_MARK];
} tree;

extern const struct core_build core_tree_operations;

/* ---- what the kernel's side asks about the world ---- */

struct bridge_inode_info bridge_inode(int inode)
{
	return (struct bridge_inode_info){tree.w->inode[inode].sb, tree.w->inode[inode].kind};
}

struct bridge_dentry_info bridge_dentry(int dentry)
{
	const struct dentry *d = &tree.w->dentry[dentry];
	return (struct bridge_dentry_info){d->inode, d->parent, d->name};
}

int bridge_mount_sb(int mount)
{
	return tree.w->mount[mount].sb;
}

int bridge_root(int sb)
{
	return tree.w->sb[sb].root;
}

static const char *const names[NAME_COUNT] = {
#define NAME(id) [NAME_##id] = #id,
#include "core/paths.def"
};

const char *bridge_name(int name)
{
	return names[name];
}

int bridge_name_id(const char *name, unsigned length)
{
	for (int i = 0; i < NAME_COUNT; i++)
		if (length == strlen(names[i]) && !memcmp(name, names[i], length))
			return i;
	return NO_NAME;
}

int bridge_inodes(void)
{
	return tree.w->inodes;
}

int bridge_dentries(void)
{
	return tree.w->dentries;
}

void bridge_pin_inode(int inode)
{
	tree.w->inode[inode].pins++;
	tree.w->pins++;
}

void bridge_unpin_inode(int inode)
{
	tree.w->inode[inode].pins--;
	tree.w->pins--;
	inode_release_unused(tree.w, (uint8_t)inode);
}

void bridge_use_dentry(int dentry)
{
	dentry_get(tree.w, (uint8_t)dentry);
}

void bridge_leave_dentry(int dentry)
{
	dentry_put(tree.w, (uint8_t)dentry);
}

void bridge_use_mount(int mount)
{
	tree.w->mount[mount].pins++;
}

void bridge_leave_mount(int mount)
{
	tree.w->mount[mount].pins--;
}

int bridge_unlinked(int dentry)
{
	return dentry_unlinked(tree.w, (unsigned)dentry);
}

int bridge_written(int inode)
{
	return tree.w->inode[inode].kind == NODE_FILE && tree.w->inode[inode].writers;
}

/* The kernels with weak ids also give an id to simple file systems (6.7). */
int bridge_has_fsid(int sb)
{
	return !tree.w->sb[sb].internal || level_has(tree.w, WEAK_FSID);
}

int bridge_lookup(unsigned path, int follow, int *mount, int *dentry)
{
	struct place place;
	int error = tree_lookup(tree.w, path, follow, &place);

	*mount = place.mount;
	*dentry = place.dentry;
	return error;
}

/* ---- records ---- */

static uint8_t doer_of(unsigned pid)
{
	return pid == BRIDGE_THREAD ? BY_THREAD : pid == BRIDGE_OTHER ? BY_OTHER : BY_SELF;
}

static struct event event_of(const struct record *r, unsigned seq, uint8_t answer)
{
	return (struct event){
		.mask = r->mask,
		.cookie = r->cookie ? r->cookie - tree.cookie : 0,
		.wd = r->wd,
		.next = NO_EVENT,
		.seq = (uint16_t)seq,
		.kind = r->kind,
		.inode = r->inode,
		.dir = r->dir,
		.name = r->name,
		.new_dir = r->new_dir,
		.new_name = r->new_name,
		.dentry = r->dentry,
		.mount = r->mount,
		.answer = answer,
		.by = doer_of(r->pid),
	};
}

static void note(struct world *w, enum journal_kind kind, uint8_t slot, const struct event *e)
{
	if (!w->journal || w->journal->count >= JOURNAL_CAPACITY)
		return;
	w->journal->entry[w->journal->count++] =
		(struct journal_entry){.kind = (uint8_t)kind, .group = slot, .event = *e};
}

/* ---- the observation ---- */

static void observe_marks(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_marks(l->fd, tree.mark);

	for (unsigned i = 0; i < count; i++) {
		struct mark m = {.mask = tree.mark[i].mask,
				 .ignored = tree.mark[i].ignored,
				 .group = group,
				 .kind = tree.mark[i].kind,
				 .object = tree.mark[i].object,
				 .flags = tree.mark[i].flags,
				 .wd = tree.mark[i].wd};
		w->marks += mark_hash(w, &m);
	}
	w->live_marks = (uint16_t)(w->live_marks + count);
}

static void observe_events(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_queue(l->fd, tree.record);
	struct event e;

	for (unsigned i = 0; i < l->taken; i++) {
		e = event_of(&l->record[i].record, l->removed - l->taken + i, l->record[i].answer);
		w->events += event_hash(w, group, &e);
	}
	for (unsigned i = 0; i < count; i++) {
		e = event_of(&tree.record[i], l->removed + i, 0);
		w->events += event_hash(w, group, &e);
	}
	w->live_events = (uint16_t)(w->live_events + count + l->taken);
}

static void observe(struct world *w)
{
	w->events = tree.odd;
	w->marks = 0;
	w->live_marks = w->live_events = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		uint8_t group = w->group_slot[slot];
		if (group == NONE)
			continue;
		observe_marks(w, group, &tree.listener[slot]);
		observe_events(w, group, &tree.listener[slot]);
	}
}

/* ---- the pools, filled for those who read them ---- */

static void mirror_marks(struct world *w, uint8_t group, const struct listener *l)
{
	unsigned count = machine_marks(l->fd, tree.mark);
	uint8_t *next = &w->group[group].marks;

	w->group[group].mark_count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		uint8_t index = w->mark_count++;
		struct mark *m = &w->mark[index];
		core_unpoison(m, sizeof(*m));
		*m = (struct mark){.mask = tree.mark[i].mask,
				   .ignored = tree.mark[i].ignored,
				   .group = group,
				   .kind = tree.mark[i].kind,
				   .object = tree.mark[i].object,
				   .flags = tree.mark[i].flags,
				   .wd = tree.mark[i].wd,
				   .alive = true,
				   .next_on_object = NONE,
				   .next_in_group = NONE};
		*next = index;
		next = &m->next_in_group;
	}
	*next = NONE;
}

static uint16_t mirror_event(struct world *w, const struct event *e)
{
	uint16_t index = w->event_count++;

	core_unpoison(&w->event[index], sizeof(w->event[index]));
	w->event[index] = *e;
	return index;
}

static void append(struct world *w, uint16_t *first, uint16_t *last, const struct event *e)
{
	uint16_t index = mirror_event(w, e);

	if (*last == NO_EVENT)
		*first = index;
	else
		w->event[*last].next = index;
	*last = index;
}

static void mirror_events(struct world *w, uint8_t group, const struct listener *l)
{
	struct group *g = &w->group[group];
	unsigned count = machine_queue(l->fd, tree.record);
	struct event e;

	g->first = g->last = g->taken_first = g->taken_last = NO_EVENT;
	for (unsigned i = 0; i < l->taken; i++) {
		e = event_of(&l->record[i].record, l->removed - l->taken + i, l->record[i].answer);
		append(w, &g->taken_first, &g->taken_last, &e);
	}
	for (unsigned i = 0; i < count; i++) {
		e = event_of(&tree.record[i], l->removed + i, 0);
		append(w, &g->first, &g->last, &e);
	}
	g->length = (uint16_t)count;
	g->appended = (uint16_t)(l->removed + count);
}

/* Marks of one object in the order of their groups. */
static void mirror_connector(struct world *w, const struct seen_connector *seen)
{
	uint8_t index = w->connector_count++;
	struct connector *c = &w->connector[index];

	core_unpoison(c, sizeof(*c));
	*c = (struct connector){.kind = seen->kind,
				.object = seen->object,
				.first = NONE,
				.alive = true,
				.interest = seen->interest};
	*object_connector(w, seen->kind, seen->object) = index;
	for (uint8_t i = 0; i < w->mark_count; i++) {
		uint8_t *at = &c->first;
		if (w->mark[i].kind != seen->kind || w->mark[i].object != seen->object)
			continue;
		while (*at != NONE &&
		       w->group[w->mark[*at].group].rank < w->group[w->mark[i].group].rank)
			at = &w->mark[*at].next_on_object;
		w->mark[i].next_on_object = *at;
		*at = i;
	}
}

static void mirror_connectors(struct world *w)
{
	static struct seen_connector seen[MAX_INODE + MAX_MOUNT + MAX_SB];
	unsigned count = machine_connectors(seen);

	for (unsigned i = 0; i < w->inodes; i++)
		w->inode[i].connector = NONE;
	for (unsigned i = 0; i < MAX_MOUNT; i++)
		w->mount[i].connector = NONE;
	for (unsigned i = 0; i < MAX_SB; i++)
		w->sb[i].connector = NONE;
	for (unsigned i = 0; i < count && w->connector_count < MAX_CONNECTOR; i++)
		mirror_connector(w, &seen[i]);
}

static void mirror(struct world *w)
{
	w->mark_count = w->connector_count = 0;
	w->event_count = 0;
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		uint8_t group = w->group_slot[slot];
		if (group == NONE)
			continue;
		mirror_marks(w, group, &tree.listener[slot]);
		mirror_events(w, group, &tree.listener[slot]);
	}
	mirror_connectors(w);
	w->live_connectors = w->connector_count;
}

/* ---- the journal: queues before and after ---- */

static void remember(struct world *w)
{
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++)
		if (w->group_slot[slot] != NONE)
			tree.listener[slot].appended = w->group[w->group_slot[slot]].appended;
}

/* The masks of records that stood in the queues before, by slot and number. */
struct earlier {
	uint8_t slot;
	uint16_t seq;
	uint32_t mask;
};

static unsigned note_earlier(const struct world *w, struct earlier *out)
{
	unsigned count = 0;

	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		if (w->group_slot[slot] == NONE)
			continue;
		uint16_t i = w->group[w->group_slot[slot]].first;
		for (; i != NO_EVENT; i = w->event[i].next)
			out[count++] = (struct earlier){slot, w->event[i].seq, w->event[i].mask};
	}
	return count;
}

static bool has_grown(const struct earlier *earlier, unsigned count, uint8_t slot,
		      const struct event *e)
{
	for (unsigned i = 0; i < count; i++)
		if (earlier[i].slot == slot && earlier[i].seq == e->seq)
			return earlier[i].mask != e->mask;
	return false;
}

static void note_list(struct world *w, uint8_t slot, uint16_t first, const struct earlier *earlier,
		      unsigned count)
{
	for (uint16_t i = first; i != NO_EVENT; i = w->event[i].next) {
		const struct event *e = &w->event[i];
		if (e->seq >= tree.listener[slot].appended)
			note(w, e->kind == EVENT_ASK ? JOURNAL_ASKED : JOURNAL_QUEUED, slot, e);
		else if (has_grown(earlier, count, slot, e))
			note(w, JOURNAL_MERGED, slot, e);
	}
}

static void note_changes(struct world *w, const struct earlier *earlier, unsigned count)
{
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++) {
		if (w->group_slot[slot] == NONE)
			continue;
		const struct group *g = &w->group[w->group_slot[slot]];
		note_list(w, slot, g->taken_first, earlier, count);
		note_list(w, slot, g->first, earlier, count);
	}
}

/* ---- groups ---- */

static uint8_t open_group(struct world *w, uint8_t slot, enum group_kind kind, uint8_t priority,
			  uint32_t flags, int fd)
{
	uint8_t index = w->group_count++;
	uint8_t age = w->config.reverse ? (uint8_t)(MAX_GROUP - 1 - index) : index;
	struct listener *l = &tree.listener[slot];

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
	struct listener *l = &tree.listener[slot];
	unsigned count = l->taken, first = l->removed - count;

	l->taken = 0;
	for (unsigned i = 0; i < count; i++) {
		struct event e = event_of(&l->record[i].record, first + i, l->record[i].answer);
		if (read)
			note(w, JOURNAL_READ, slot, &e);
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
	machine_close(tree.listener[slot].fd);
	tree.listener[slot].fd = -1;
	w->group[index].alive = false;
	w->group_slot[slot] = NONE;
	w->live_groups--;
	return 0;
}

/* No record can show it, so it is said aside when somebody looks. */
static void note_odd(const struct world *w, const char *what, uint32_t odd)
{
	tree.odd = world_mix(tree.odd, odd);
	if (w->journal)
		fprintf(stderr, "%s: %s (%08x)\n", TREE_NAME, what, odd);
}

/* A record was read: what the reader is told of who did it. */
static void note_doer(const struct world *w, uint8_t slot, const struct record *r, struct event *e)
{
	uint8_t due = event_doer_shown(w, w->group_slot[slot], e);

	if (!r->pid)
		return;
	e->by = r->pid_read ? doer_of(r->pid_read) : BY_HIDDEN;
	if (e->by != due)
		note_odd(w, "a record says somebody else did it", r->pid_read);
}

static void note_record(const struct world *w, const struct record *r)
{
	if (r->odd)
		note_odd(w, "a record was read otherwise than it had been queued", r->odd);
}

int32_t group_read(struct world *w, uint8_t slot)
{
	struct listener *l = &tree.listener[slot];
	int32_t count;
	unsigned read;

	if (group_at(w, slot) == NONE)
		return -EBADF;
	count = give_back(w, slot, true);
	/* Letting go of an object can raise DELETE_SELF: it is read in the same go. */
	while ((read = machine_read(l->fd, tree.record))) {
		for (unsigned i = 0; i < read; i++) {
			struct event e = event_of(&tree.record[i], l->removed, 0);
			if (l->removed >= l->appended)
				note(w, JOURNAL_QUEUED, slot, &e);
			note_doer(w, slot, &tree.record[i], &e);
			note(w, JOURNAL_READ, slot, &e);
			note_record(w, &tree.record[i]);
			l->removed++;
		}
		for (unsigned i = 0; i < read; i++)
			close_object(&tree.record[i]);
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

	while (tree.listener[slot].fd != fd)
		slot++;
	return slot;
}

/* Everything up to the question is read and kept, with its objects open; the question is answered
 * and its object closed. */
void bridge_listen(int fd)
{
	uint8_t slot = slot_of(fd);
	struct listener *l = &tree.listener[slot];
	struct group *g = &tree.w->group[tree.w->group_slot[slot]];
	static struct record read[MAX_EVENT];
	unsigned count;

	while ((count = machine_read(fd, read))) {
		for (unsigned i = 0; i < count; i++) {
			struct taken *t = &l->record[l->taken++];
			*t = (struct taken){.record = read[i]};
			l->removed++;
			note_record(tree.w, &read[i]);
			if (read[i].kind != BRIDGE_ASK)
				continue;
			t->answer = next_answer(g);
			machine_answer(fd, read[i].fd, t->answer);
			close_object(&read[i]);
			t->record.fd = -1;
		}
	}
}

/* ---- marks ---- */

static int slot_fd(const struct world *w, uint8_t slot)
{
	return group_at(w, slot) == NONE ? -1 : tree.listener[slot].fd;
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

/* ---- hooks ---- */

int hook_file(struct world *w, const struct file *f, uint32_t bits)
{
	struct machine_file file = {.dentry = f->dentry,
				    .mount = f->mount,
				    .can_read = f->mode & FILE_READ,
				    .can_write = (f->mode & FILE_WRITE) != 0,
				    .path_only = (f->mode & FILE_PATH) != 0,
				    .program = (bits & (FS_OPEN_EXEC | FS_OPEN_EXEC_PERM)) != 0,
				    .memory = f->mode >> MODE_SHIFT};
	static const struct {
		uint32_t bits;
		enum machine_event event;
	} events[] = {
		{FS_OPEN, MACHINE_OPEN},
		{FS_ACCESS, MACHINE_ACCESS},
		{FS_MODIFY, MACHINE_MODIFY},
		{FS_CLOSE_WRITE, MACHINE_CLOSE},
		{FS_CLOSE_NOWRITE, MACHINE_CLOSE},
		{FS_OPEN_PERM, MACHINE_MAY_OPEN},
		{FS_OPEN_EXEC_PERM, MACHINE_MAY_OPEN},
		{FS_ACCESS_PERM, MACHINE_MAY_READ},
	};

	(void)w;
	/* The kernel asks for both permissions of a program in one go. */
	if (bits == FS_OPEN_PERM && tree.asked) {
		tree.asked = false;
		return 0;
	}
	tree.asked = bits == FS_OPEN_EXEC_PERM;
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (bits & events[i].bits)
			return machine_file_event(&file, events[i].event);
	return 0;
}

uint8_t hook_file_mode(struct world *w, const struct file *f)
{
	struct machine_file file = {.dentry = f->dentry,
				    .mount = f->mount,
				    .can_read = f->mode & FILE_READ,
				    .can_write = (f->mode & FILE_WRITE) != 0};

	(void)w;
	return (uint8_t)(machine_file_mode(&file) << MODE_SHIFT);
}

void hook_change(struct world *w, uint8_t dentry, uint32_t bits)
{
	enum machine_change change = bits == FS_MODIFY ? CHANGE_SIZE : CHANGE_MODE;

	(void)w;
	if (tree.op->id == OP_SETXATTR)
		change = CHANGE_XATTR;
	else if (tree.op->id == OP_UTIMES)
		change = bits == FS_ACCESS   ? CHANGE_ATIME
			 : bits == FS_MODIFY ? CHANGE_MTIME
					     : CHANGE_TIMES;
	machine_change(dentry, change);
}

void hook_create(struct world *w, uint8_t dentry)
{
	(void)w;
	machine_create(dentry);
}

void hook_link(struct world *w, uint8_t dentry)
{
	(void)w;
	machine_link(dentry);
}

void hook_link_count(struct world *w, uint8_t inode)
{
	(void)w;
	machine_link_count(inode);
}

void hook_delete(struct world *w, uint8_t dir, uint8_t name, uint8_t inode)
{
	(void)w;
	machine_delete(dir, name, inode);
}

void hook_move(struct world *w, const struct move *m)
{
	machine_move(m->old_dir, m->old_name, m->new_dir, w->child[m->new_dir][m->new_name],
		     m->overwritten);
}

void hook_inode_remove(struct world *w, uint8_t inode)
{
	(void)w;
	machine_inode_remove(inode);
}

void hook_inode_delete(struct world *w, uint8_t inode)
{
	(void)w;
	machine_inode_delete(inode);
}

void hook_mount_delete(struct world *w, uint8_t mount)
{
	(void)w;
	machine_mount_delete(mount);
}

/* Inodes that nothing holds are evicted first; those in use are told, the newest first. */
void hook_sb_delete(struct world *w, uint8_t sb)
{
	unsigned char used[MAX_INODE];
	unsigned count = 0;

	for (unsigned i = w->inodes; i-- > 0;) {
		if (w->inode[i].sb != sb || !w->inode[i].alive)
			continue;
		if (w->inode[i].pins)
			used[count++] = (unsigned char)i;
		else
			machine_inode_delete((int)i);
	}
	machine_sb_delete(sb, used, count);
}

void hook_hint(struct world *w, uint8_t dentry)
{
	if (w->dentry[dentry].parent != NONE)
		machine_place_dentry(dentry);
}

/* ---- the table ---- */

/* fdinfo must list the marks as they are. */
static void check_fdinfo(const struct world *w, uint8_t slot)
{
	static struct seen_mark listed[MAX_MARK];
	const struct listener *l = &tree.listener[slot];
	bool inotify = w->group[w->group_slot[slot]].kind == GROUP_INOTIFY;
	unsigned count = machine_marks(l->fd, tree.mark), lines = machine_fdinfo(l->fd, listed);

	if (lines != count)
		note_odd(w, "fdinfo has not a line for every mark", lines);
	for (unsigned i = 0; i < count && i < lines; i++) {
		struct seen_mark due = tree.mark[i];
		if (inotify) {
			due.mask = (due.mask & IN_ALL_EVENTS) |
				   (due.flags & MARK_EXCL_UNLINK ? IN_EXCL_UNLINK : 0) |
				   (due.flags & MARK_ONESHOT ? IN_ONESHOT : 0);
			due.flags = 0;
		}
		if (due.mask != listed[i].mask || due.ignored != listed[i].ignored ||
		    due.wd != listed[i].wd || due.kind != listed[i].kind ||
		    due.object != listed[i].object || due.flags != listed[i].flags)
			note_odd(w, "fdinfo lists a mark otherwise than it is",
				 listed[i].mask ^ listed[i].ignored);
	}
}

static void tell_caller(const struct world *w)
{
	int process = w->caller == CALLER_OTHER ? BRIDGE_OTHER : BRIDGE_PROCESS;

	machine_caller(w->caller == CALLER_THREAD ? BRIDGE_THREAD : process, process,
		       may_administer(w));
}

static int32_t step(struct world *w, const struct op *op)
{
	static struct earlier earlier[MAX_EVENT];
	unsigned count = 0, sections = machine_sections();
	int32_t ret;

	tree.op = op;
	tree.asked = false;
	tell_caller(w);
	if (w->journal) {
		mirror(w);
		remember(w);
		count = note_earlier(w, earlier);
	}
	ret = core_tree_operations.step(w, op);
	if (op->id == OP_MARKS && !ret)
		check_fdinfo(w, (uint8_t)op->arg[0]);
	if (op->id != OP_WORK)
		w->sections = machine_sections() - sections;
	observe(w);
	if (w->journal) {
		mirror(w);
		note_changes(w, earlier, count);
	}
	return ret;
}

/* What is left when everything was closed is a leak: the balance oracle finds it here. */
static void close_all(struct world *w)
{
	static const struct op closing = {.id = OP_CLOSE};

	tree.op = &closing;
	core_tree_operations.close_all(w);
	machine_run_work();
	observe(w);
	w->live_connectors = (uint16_t)machine_allocated();
}

static void start(struct world *w, const struct world_config *config)
{
	struct machine_limits limits = {.queue = config->queue_limit,
					.marks = config->mark_limit,
					.groups = config->group_limit,
					.newest_first = config->reverse};
	struct world_config own = *config;

	if (tree.w)
		close_all(tree.w);
	else
		for (unsigned slot = 0; slot < GROUP_SLOTS; slot++)
			tree.listener[slot].fd = -1;
	own.level = TREE_LEVEL;
	tree.w = w;
	tree.odd = 0;
	world_reset(w, &own);
	w->features = (w->features | TREE_FEATURES_MORE) & ~(uint32_t)TREE_FEATURES_LESS;
	tell_caller(w);
	machine_reset(&limits);
	tree.cookie = machine_cookie();
}

/* The world is about to go. */
static void stop(struct world *w)
{
	if (tree.w != w)
		return;
	close_all(w);
	tree.w = NULL;
}

static const struct core_tree about = {
	.level = TREE_LEVEL,
	.features_more = TREE_FEATURES_MORE,
	.features_less = TREE_FEATURES_LESS,
	.world_size = sizeof(struct world),
	.start = start,
	.stop = stop,
};

__attribute__((visibility("default"))) const struct core_build core_tree = {
	.name = TREE_NAME,
	.toggles = 0,
	.step = step,
	.close_all = close_all,
	.tree = &about,
};
