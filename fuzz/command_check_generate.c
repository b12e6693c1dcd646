/* SPDX-License-Identifier: MIT */
/*
 * Programs that a kernel can run, out of random numbers (fuzz/command_check.h). The operations
 * are those of the mutator; the model runs along and shows which of them would find nothing:
 * most of those are drawn again.
 */
#include <errno.h>
#include <string.h>

#include "fuzz/command_check.h"
#include "fuzz/mutate.h"

enum {
	DRAWS = 12,	    /* of one operation, before a vain one is taken after all */
	KEEP_VAIN = 6,	    /* one in so many vain operations is kept */
	LOOK_EVERY = 5,	    /* one in so many operations is followed by a look at a group */
	FIRST_GROUPS = 3,   /* at most, before anything else */
	ROOM_AT_END = 40,   /* operations kept free for the last looks */
};

struct making {
	struct executor *model;
	struct program *p;
	struct rng rng;
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
		do
			generate_op(&op, m->p, &m->rng);
		while (!fits_a_kernel(m->p, &op));
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

/* Groups and a first thing for each to look at, so that what follows is seen. */
static void append_groups(struct making *m)
{
	unsigned groups = 1 + rng_below(&m->rng, FIRST_GROUPS);

	while (groups--) {
		struct op op;
		do
			generate_op(&op, m->p, &m->rng);
		while ((op.id != OP_FANOTIFY && op.id != OP_INOTIFY) || !fits_a_kernel(m->p, &op));
		append(m, &op);
	}
}

void check_generate(struct executor *model, uint32_t features, unsigned ops, uint64_t seed,
		    struct program *p)
{
	struct making m = {.model = model, .p = p, .rng = {seed * 0x9e3779b97f4a7c15u + 1}};
	struct program limits;
	unsigned most = ops < PROGRAM_OPS - ROOM_AT_END ? ops : PROGRAM_OPS - ROOM_AT_END;

	program_clear(p);
	program_clear(&limits);
	live_refuses(&limits);
	executor_start(model, &limits.config, NULL);
	model->world->features = features;
	most = most / 2 + rng_below(&m.rng, most + 1);
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
