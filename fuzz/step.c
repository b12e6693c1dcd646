/* SPDX-License-Identifier: MIT */
/*
 * The table of one build of the core: maps each operation of fuzz/ops.def to the call that does
 * it. Compiled once into every build.
 */
#include "core/build.h"

#include <errno.h>

#include "core/fanotify.h"
#include "core/group.h"
#include "core/inotify.h"
#include "core/mark.h"
#include "core/policy.h"
#include "core/vfs.h"
#include "fuzz/program.h"

typedef int32_t step_function(struct world *w, const uint32_t *arg);

#define STEP(id) static int32_t step_##id(struct world *w, const uint32_t *arg)
#define BYTE(i)	 ((uint8_t)arg[i])

static struct mark_call mark_call(const uint32_t *arg)
{
	return (struct mark_call){.slot = BYTE(0),
				  .kind = BYTE(1),
				  .path = BYTE(2),
				  .form = BYTE(3),
				  .mask = arg[4],
				  .flags = arg[5]};
}

/* groups and marks */

STEP(FANOTIFY)
{
	return fanotify_init(w, BYTE(0), BYTE(1), arg[2] | arg[3]);
}

STEP(INOTIFY)
{
	return inotify_init(w, BYTE(0));
}

STEP(GROUP_CLOSE)
{
	return group_close(w, BYTE(0));
}

STEP(GROUP_READ)
{
	return group_read(w, BYTE(0));
}

STEP(ANSWER)
{
	return group_answer(w, BYTE(0), arg[1]);
}

STEP(MARK_ADD)
{
	struct mark_call call = mark_call(arg);
	return fanotify_mark_add(w, &call);
}

STEP(MARK_REMOVE)
{
	struct mark_call call = mark_call(arg);
	return fanotify_mark_remove(w, &call);
}

STEP(MARK_FLUSH)
{
	return fanotify_mark_flush(w, BYTE(0), BYTE(1));
}

STEP(WATCH)
{
	return inotify_add_watch(w, BYTE(0), arg[1], arg[2]);
}

STEP(UNWATCH)
{
	return inotify_rm_watch(w, BYTE(0), (int32_t)arg[1]);
}

/* open files */

STEP(OPEN)
{
	return file_open(w, BYTE(0), arg[1], (enum access_mode)arg[2], arg[3]);
}

STEP(DUP)
{
	return file_dup(w, BYTE(0), BYTE(1));
}

STEP(SETFL)
{
	return file_setfl(w, BYTE(0), arg[1]);
}

STEP(SPLICE)
{
	return file_splice(w, BYTE(0), BYTE(1));
}

STEP(PIPE)
{
	return file_pipe(w, BYTE(0), BYTE(1));
}

#define STEP_ON_HANDLE(id, function)         \
	STEP(id)                             \
	{                                    \
		return function(w, BYTE(0)); \
	}
STEP_ON_HANDLE(READ, file_read)
STEP_ON_HANDLE(WRITE, file_write)
STEP_ON_HANDLE(CLOSE, file_close)
STEP_ON_HANDLE(FTRUNCATE, file_truncate)
STEP_ON_HANDLE(FALLOCATE, file_allocate)
STEP_ON_HANDLE(FCHMOD, file_chmod)
STEP_ON_HANDLE(READDIR, file_readdir)
STEP_ON_HANDLE(GETFL, file_getfl)
STEP_ON_HANDLE(MMAP, file_mmap)
STEP_ON_HANDLE(UMOUNT, mount_umount)

/* names and attributes */

#define STEP_ON_PATH(id, function)          \
	STEP(id)                            \
	{                                   \
		return function(w, arg[0]); \
	}
STEP_ON_PATH(EXEC, file_exec)
STEP_ON_PATH(TRUNCATE, path_truncate)
STEP_ON_PATH(CHMOD, path_chmod)
STEP_ON_PATH(SETXATTR, path_setxattr)
STEP_ON_PATH(UNLINK, path_unlink)
STEP_ON_PATH(RMDIR, path_rmdir)
STEP_ON_PATH(EVICT, path_evict)

STEP(UTIMES)
{
	return path_utimes(w, arg[0], (enum times)arg[1]);
}

STEP(MKNOD)
{
	return path_mknod(w, arg[0], arg[1] ? NODE_FIFO : NODE_FILE);
}

STEP(MKDIR)
{
	return path_mknod(w, arg[0], NODE_DIR);
}

STEP(SYMLINK)
{
	return path_symlink(w, arg[0], arg[1]);
}

STEP(LINK)
{
	return path_link(w, arg[0], arg[1]);
}

STEP(RENAME)
{
	return path_rename(w, arg[0], arg[1], arg[2]);
}

STEP(CALLER)
{
	w->caller = BYTE(0);
	return 0;
}

/* the machine's own doings, and questions */

STEP(REAP)
{
	(void)arg;
	marks_reap(w);
	return 0;
}

STEP(MARKS)
{
	return group_at(w, BYTE(0)) == NONE ? -EBADF : 0;
}

STEP(WORK)
{
	(void)w;
	(void)arg;
	return 0;
}

static step_function *const steps[OP_COUNT] = {
#define OP(id, ...) [OP_##id] = step_##id,
#include "fuzz/ops.def"
#undef OP
};

static int32_t step(struct world *w, const struct op *op)
{
	/* `work` tells of the operation before it. */
	if (op->id != OP_WORK) {
		w->sections = 0;
		w->visits = 0;
	}
	w->changes = 0;
	if (w->lost_at != NONE && !slot_freed(w->connector_freed, w->lost_at)) {
		w->connector[w->lost_at].lost = 0;
		w->connector[w->lost_at].lost_clearable = false;
	}
	w->lost_at = NONE;
	return steps[op->id](w, op->arg);
}

static void close_all(struct world *w)
{
	for (uint8_t slot = 0; slot < GROUP_SLOTS; slot++)
		if (w->group_slot[slot] != NONE)
			group_close(w, slot);
	for (uint8_t handle = 0; handle < HANDLE_SLOTS; handle++)
		if (w->handle[handle] != NONE)
			file_close(w, handle);
}

#define TABLE_NAME(name)   core_##name
#define TABLE(name)	   TABLE_NAME(name)
#define TABLE_STRING(name) #name
#define TABLE_TEXT(name)   TABLE_STRING(name)
const struct core_build TABLE(POLICY_NAME) = {
	.name = TABLE_TEXT(POLICY_NAME),
	.toggles = POLICY_TOGGLES,
	.step = step,
	.close_all = close_all,
};
