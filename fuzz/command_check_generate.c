/* SPDX-License-Identifier: MIT */
/*
 * Programs that a kernel can run, out of random numbers (fuzz/command_check.h). The operations
 * are those of the mutator, aimed: a program is about a few neighbouring objects, its groups are
 * marked before anything else happens, and its masks ask for what can happen. The model runs along
 * and shows which operations would find nothing: most of those are drawn again.
 */
#include <errno.h>
#include <string.h>

#include "fuzz/command_check.h"
#include "fuzz/mutate.h"

#define PATH_ROOT	  PATH_AT_NO_NAME_NO_NAME_NO_NAME
#define PATH_AT(a)	  PATH_AT_NAME_##a##_NO_NAME_NO_NAME
#define PATH_AT2(a, b)	  PATH_AT_NAME_##a##_NAME_##b##_NO_NAME
#define PATH_AT3(a, b, c) PATH_AT_NAME_##a##_NAME_##b##_NAME_##c

enum {
	DRAWS = 12,	  /* of one operation, before a vain one is taken after all */
	KEEP_VAIN = 6,	  /* one in so many vain operations is kept */
	LOOK_EVERY = 5,	  /* one in so many operations is followed by a look at a group */
	FIRST_GROUPS = 3, /* at most, before anything else */
	FIRST_MARKS = 3,  /* at most, of each of them */
	FAN_PRIORITIES = 3,
	FOCUS = 5,	  /* paths that a program is mostly about */
	ROOM_AT_END = 40, /* operations kept free for the last looks */
};

struct making {
	struct executor *model;
	struct program *p;
	struct rng rng;
	uint32_t focus[FOCUS];
};

static bool one_in(struct making *m, uint32_t n)
{
	return rng_below(&m->rng, n) == 0;
}

/* Errors of a call that found nothing to do it to, and changed nothing. */
static bool is_vain(int32_t ret)
{
	switch (-ret) {
	case EBADF:
	case EBUSY:
	case ENOENT:
	case EINVAL:
	case ENOTDIR:
	case EXDEV:
	case EEXIST:
	case EISDIR:
	case ELOOP:
	case ENODEV:
	case ENOTEMPTY: return true;
	default: return false;
	}
}

/* Would the kernel's order of groups show? One group of each priority above the lowest. */
static bool makes_rival(const struct program *p, const struct op *op)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->op[i].id == OP_FANOTIFY && p->op[i].arg[1] == op->arg[1] &&
		    p->op[i].arg[0] != op->arg[0])
			return true;
	return false;
}

static bool fits_a_kernel(const struct program *p, const struct op *op)
{
	if (op->id == OP_EVICT || op->id == OP_REAP || op->id == OP_WORK)
		return false;
	return op->id != OP_FANOTIFY || !op->arg[1] || !makes_rival(p, op);
}

static int32_t append(struct making *m, const struct op *op)
{
	m->p->op[m->p->count++] = *op;
	return executor_step(m->model, op);
}

/* ---- what a program is about ---- */

/* Neighbours: directories, what is in them and what could be. */
static const uint8_t neighbourhoods[][FOCUS] = {
	{PATH_AT(d0), PATH_AT2(d0, f0), PATH_AT2(d0, f1), PATH_AT2(d0, f2), PATH_AT2(d0, d2)},
	{PATH_AT(d0), PATH_AT2(d0, f0), PATH_AT2(d0, d2), PATH_AT3(d0, d2, f0), PATH_AT(f0)},
	{PATH_ROOT, PATH_AT(f0), PATH_AT(f1), PATH_AT(d0), PATH_AT2(d0, f0)},
	{PATH_AT(d1), PATH_AT2(d1, f0), PATH_AT2(d1, f1), PATH_AT(d0), PATH_AT2(d0, f0)},
	{PATH_AT(d1), PATH_AT2(d1, f0), PATH_AT2(d1, d3), PATH_AT(d3), PATH_AT2(d3, f0)},
	{PATH_AT(d0), PATH_AT2(d0, p0), PATH_AT2(d0, f0), PATH_AT(p0), PATH_ROOT},
	{PATH_AT(d0), PATH_AT2(d0, l0), PATH_AT2(d0, f0), PATH_AT(l0), PATH_AT(f0)},
	{PATH_ROOT, PATH_AT(d0), PATH_AT2(d0, f0), PATH_AT(f0), PATH_AT(f1)},
};

enum { NEIGHBOURHOODS = sizeof(neighbourhoods) / sizeof(neighbourhoods[0]) };

static void choose_focus(struct making *m)
{
	const uint8_t *place = neighbourhoods[rng_below(&m->rng, NEIGHBOURHOODS)];
	uint32_t mount = one_in(m, 6) ? 2 : 0;

	for (unsigned i = 0; i < FOCUS; i++)
		m->focus[i] = mount * PATH_COUNT + place[i];
}

/* A path in focus, sometimes through the other mount of the file system. */
static uint32_t near_path(struct making *m)
{
	uint32_t path = m->focus[rng_below(&m->rng, FOCUS)];
	return path < PATH_COUNT && one_in(m, 8) ? path + PATH_COUNT : path;
}

static uint32_t subset(struct making *m, uint32_t bits)
{
	uint32_t mask = rng_next(&m->rng) & bits;
	return one_in(m, 4) ? mask & rng_next(&m->rng) : mask;
}

/* Events that such a group may ask for on such an object. */
static uint32_t askable(struct making *m, const struct group *g, uint32_t kind)
{
	uint32_t report = g->flags & FAN_REPORT_FIDS;
	uint32_t bits = FANOTIFY_EVENTS & ~(FANOTIFY_FID_EVENTS | FS_PERM_EVENTS);

	if (report && kind != OBJECT_MOUNT)
		bits |= FANOTIFY_FID_EVENTS & ~(FS_ERROR | FS_RENAME);
	if (report & FAN_REPORT_NAME && kind != OBJECT_MOUNT)
		bits |= FS_RENAME;
	bits = subset(m, bits);
	if (g->priority && !one_in(m, 4))
		bits |= subset(m, FS_PERM_EVENTS);
	return bits;
}

static void aim_mark(struct making *m, struct op *op)
{
	uint8_t group = m->model->world->group_slot[op->arg[0]];

	if (group == NONE || m->model->world->group[group].kind != GROUP_FANOTIFY)
		return;
	if (m->model->world->group[group].unprivileged && !one_in(m, 4))
		op->arg[1] = OBJECT_INODE;
	uint32_t mask = askable(m, &m->model->world->group[group], op->arg[1]);
	if (mask)
		op->arg[4] = mask;
	if (one_in(m, 2))
		op->arg[4] |= FS_EVENT_ON_CHILD;
	if (one_in(m, 3))
		op->arg[4] |= FS_ISDIR;
}

/* Points an operation at what the program is about. */
static void aim(struct making *m, struct op *op)
{
	const struct op_info *info = &op_table[op->id];

	for (unsigned i = 0; i < info->args; i++)
		if (info->arg[i].kind == ARG_PATH && !one_in(m, 8))
			op->arg[i] = near_path(m);
	if ((op->id == OP_MARK_ADD || op->id == OP_MARK_REMOVE) && !one_in(m, 6))
		aim_mark(m, op);
	if (op->id == OP_FANOTIFY && one_in(m, 3)) {
		op->arg[1] = 1 + rng_below(&m->rng, FAN_PRIORITIES - 1);
		op->arg[2] = 0;
	}
	if (op->id == OP_FANOTIFY && !may_administer(m->model->world) && !one_in(m, 8)) {
		op->arg[1] = op->arg[3] = 0;
		op->arg[2] |= FAN_REPORT_FID;
	}
	if (op->id == OP_WATCH && !one_in(m, 4))
		op->arg[2] |= one_in(m, 2) ? IN_ALL_EVENTS : subset(m, IN_ALL_EVENTS);
}

/* ---- arguments that suit ---- */

/* What an operation needs of its descriptors. */
enum need { NEED_NOTHING, NEED_FREE, NEED_OPEN, NEED_READ, NEED_WRITE, NEED_DIR, NEED_PIPE };

static const struct {
	uint8_t id;
	uint8_t need[2];
} needs[] = {
	{OP_OPEN, {NEED_FREE}},
	{OP_PIPE, {NEED_FREE, NEED_FREE}},
	{OP_READ, {NEED_READ}},
	{OP_WRITE, {NEED_WRITE}},
	{OP_CLOSE, {NEED_OPEN}},
	{OP_DUP, {NEED_OPEN}},
	{OP_FTRUNCATE, {NEED_WRITE}},
	{OP_FALLOCATE, {NEED_WRITE}},
	{OP_FCHMOD, {NEED_OPEN}},
	{OP_READDIR, {NEED_DIR}},
	{OP_GETFL, {NEED_OPEN}},
	{OP_SETFL, {NEED_OPEN}},
	{OP_SPLICE, {NEED_READ, NEED_WRITE}},
	{OP_MMAP, {NEED_READ}},
};

static bool suits(const struct world *w, unsigned handle, enum need need)
{
	uint8_t at = w->handle[handle];

	if (at == NONE || need == NEED_FREE)
		return at == NONE && need == NEED_FREE;
	const struct file *f = &w->file[at];
	uint8_t kind = w->inode[w->dentry[f->dentry].inode].kind;
	switch (need) {
	case NEED_READ: return f->mode & FILE_READ;
	case NEED_WRITE: return f->mode & FILE_WRITE;
	case NEED_DIR: return kind == NODE_DIR;
	case NEED_PIPE: return (f->mode & FILE_WRITE) && (kind == NODE_PIPE || kind == NODE_FIFO);
	default: return true;
	}
}

/* A handle that suits, looked for from a random one on; the old one if there is none. */
static uint32_t suitable(struct making *m, uint32_t old, enum need need)
{
	unsigned start = need == NEED_FREE ? 0 : rng_below(&m->rng, HANDLE_SLOTS);

	for (unsigned i = 0; i < HANDLE_SLOTS; i++)
		if (suits(m->model->world, (start + i) % HANDLE_SLOTS, need))
			return (start + i) % HANDLE_SLOTS;
	return old;
}

static void suit(struct making *m, struct op *op)
{
	for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (needs[i].id != op->id || one_in(m, 4))
			continue;
		for (unsigned k = 0; k < 2 && needs[i].need[k]; k++)
			op->arg[k] = suitable(m, op->arg[k], (enum need)needs[i].need[k]);
		/* A splice needs a pipe on one side. */
		if (op->id == OP_SPLICE && one_in(m, 2))
			op->arg[1] = suitable(m, op->arg[1], NEED_PIPE);
		if (op->id == OP_PIPE && op->arg[0] == op->arg[1])
			op->arg[1] = (op->arg[0] + 1) % HANDLE_SLOTS;
	}
}

/* Draws until an operation does something, or patience ends. */
static void append_random(struct making *m)
{
	struct op op;

	for (unsigned draw = 0; draw < DRAWS; draw++) {
		do {
			generate_op(&op, m->p, &m->rng);
			aim(m, &op);
		} while (!fits_a_kernel(m->p, &op));
		suit(m, &op);
		int32_t ret = append(m, &op);
		if (!is_vain(ret) || draw + 1 == DRAWS || one_in(m, KEEP_VAIN))
			return;
		m->p->count--;
	}
}

static bool group_is_open(const struct making *m, unsigned slot)
{
	return m->model->world->group_slot[slot] != NONE;
}

static void append_look(struct making *m, unsigned slot, bool marks)
{
	struct op op = {.id = marks ? OP_MARKS : OP_GROUP_READ, .arg = {slot}};
	append(m, &op);
}

static void maybe_look(struct making *m)
{
	unsigned start = rng_below(&m->rng, GROUP_SLOTS);

	for (unsigned i = 0; i < GROUP_SLOTS; i++) {
		unsigned slot = (start + i) % GROUP_SLOTS;
		if (!group_is_open(m, slot))
			continue;
		append_look(m, slot, one_in(m, 2));
		return;
	}
}

/* An operation of this kind that does something, if there is one. */
static void append_of_kind(struct making *m, enum op_id id, uint32_t group)
{
	struct op op;

	for (unsigned draw = 0; draw < DRAWS; draw++) {
		do
			generate_op(&op, m->p, &m->rng);
		while (op.id != id);
		op.arg[0] = group;
		aim(m, &op);
		if (append(m, &op) >= 0)
			return;
		m->p->count--;
	}
}

static void append_caller(struct making *m, enum caller who)
{
	struct op op = {.id = OP_CALLER, .arg = {who}};
	append(m, &op);
}

/* A group with something to look at; some are made without privilege, and those that tell doers
 * apart get some to tell. */
static void append_group(struct making *m)
{
	unsigned marks = 1 + rng_below(&m->rng, FIRST_MARKS);
	bool unprivileged = one_in(m, 8);
	struct op op;

	if (unprivileged)
		append_caller(m, CALLER_USER);
	do {
		generate_op(&op, m->p, &m->rng);
		aim(m, &op);
	} while ((op.id != OP_FANOTIFY && op.id != OP_INOTIFY) || !fits_a_kernel(m->p, &op));
	if (append(m, &op) != 0)
		return;
	while (marks--)
		append_of_kind(m, op.id == OP_INOTIFY ? OP_WATCH : OP_MARK_ADD, op.arg[0]);
	if (op.id == OP_FANOTIFY && op.arg[1] && one_in(m, 2))
		append_of_kind(m, OP_ANSWER, op.arg[0]);
	if (op.id == OP_FANOTIFY && (op.arg[3] & FAN_REPORT_TID))
		append_caller(m, one_in(m, 2) ? CALLER_THREAD : CALLER_OTHER);
	else if (unprivileged)
		append_caller(m, one_in(m, 2) ? CALLER_OTHER
					      : (enum caller)rng_below(&m->rng, CALLERS));
}

static void append_groups(struct making *m)
{
	unsigned groups = 1 + rng_below(&m->rng, FIRST_GROUPS);

	while (groups--)
		append_group(m);
}

void check_generate(struct executor *model, uint32_t features, unsigned ops, uint64_t seed,
		    struct program *p)
{
	struct making m = {
		.model = model, .p = p, .rng = {world_mix(world_mix(PROGRAM_OPS, seed), ops)}};
	struct program limits;
	unsigned most;

	program_clear(p);
	program_clear(&limits);
	live_refuses(&limits);
	executor_start(model, &limits.config, NULL);
	model->world->features = features;
	choose_focus(&m);
	most = ops / 2 + rng_below(&m.rng, ops + 1);
	if (most > PROGRAM_OPS - ROOM_AT_END)
		most = PROGRAM_OPS - ROOM_AT_END;
	append_groups(&m);
	while (p->count < most) {
		append_random(&m);
		if (one_in(&m, LOOK_EVERY))
			maybe_look(&m);
	}
	for (unsigned slot = 0; slot < GROUP_SLOTS && p->count + 2 <= PROGRAM_OPS; slot++) {
		if (!group_is_open(&m, slot))
			continue;
		append_look(&m, slot, false);
		append_look(&m, slot, true);
	}
}
