/* SPDX-License-Identifier: MIT */
/* Each operation of fuzz/ops.def as its system call (kernel/live/live.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fuzz/outcome.h"
#include "kernel/live/internal.h"

/* Numbers of fanotify(7) that core/bits.h does not have; its own headers would clash with it. */
enum {
	INIT_NONBLOCK = 0x2,
	CLASS_CONTENT = 0x4,
	CLASS_PRE_CONTENT = 0x8,
	MARK_COMMAND_ADD = 0x1,
	MARK_COMMAND_REMOVE = 0x2,
	MARK_COMMAND_FLUSH = 0x80,
	MARK_TYPE_MOUNT = 0x10,
	MARK_TYPE_SB = 0x100,
	MARK_IGNORED_MASK = 0x20,
	MARK_IGNORE = 0x400,
};

enum {
	MODE = 0755,	    /* of everything that is made: exec needs the x */
	LARGEFILE = 0x8000, /* shows in F_GETFL on 64-bit machines */
};

typedef long call_function(struct live *l, const uint32_t *arg);

#define CALL(id) static long call_##id(struct live *l, const uint32_t *arg)

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* ---- groups and marks ---- */

static long new_group(struct live *l, unsigned slot, int fd, struct live_group kind)
{
	struct live_group *g = &l->group[slot];

	if (fd < 0)
		return -errno;
	kind.take = g->take;
	kind.fd = fd;
	*g = kind;
	return 0;
}

CALL(FANOTIFY)
{
	static const unsigned classes[FAN_CLASSES] = {0, CLASS_CONTENT, CLASS_PRE_CONTENT};

	if (l->group[arg[0]].fd >= 0)
		return -EBUSY;
	int fd = (int)syscall(SYS_fanotify_init, classes[arg[1]] | arg[2] | arg[3] | INIT_NONBLOCK,
			      O_RDONLY | O_NONBLOCK | LARGEFILE);
	return new_group(l, arg[0], fd,
			 (struct live_group){.class = (uint8_t)arg[1], .flags = arg[2] | arg[3]});
}

CALL(INOTIFY)
{
	if (l->group[arg[0]].fd >= 0)
		return -EBUSY;
	return new_group(l, arg[0], (int)syscall(SYS_inotify_init1, O_NONBLOCK),
			 (struct live_group){.inotify = true});
}

CALL(GROUP_CLOSE)
{
	struct live_group *g = &l->group[arg[0]];
	int fd = g->fd;

	if (fd < 0)
		return -EBADF;
	live_drop_taken(g);
	g->fd = -1;
	return result(close(fd));
}

CALL(GROUP_READ)
{
	if (l->group[arg[0]].fd < 0)
		return -EBADF;
	live_put_queue(l->out, l, arg[0]);
	return 0;
}

CALL(CALLER)
{
	l->who = (enum caller)arg[0];
	return 0;
}

CALL(ANSWER)
{
	struct live_group *g = &l->group[arg[0]];

	if (g->fd < 0)
		return -EBADF;
	if (g->inotify || !g->class)
		return -EINVAL;
	if (g->answer_count >= ANSWERS)
		return -ENOSPC;
	g->answers |= arg[1] << g->answer_count++;
	return 0;
}

static const unsigned mark_types[] = {
	[OBJECT_INODE] = 0, [OBJECT_MOUNT] = MARK_TYPE_MOUNT, [OBJECT_SB] = MARK_TYPE_SB};

static long change_mark(struct live *l, unsigned command, const uint32_t *arg)
{
	static const unsigned forms[] = {
		[FORM_MASK] = 0, [FORM_IGNORED] = MARK_IGNORED_MASK, [FORM_IGNORE] = MARK_IGNORE};
	unsigned flags = command | mark_types[arg[1]] | forms[arg[3]] | arg[5];
	char path[LIVE_PATH];

	/* The way to a descriptor is itself a link. */
	if (arg[2] >= PATH_FDS)
		flags &= ~FAN_MARK_DONT_FOLLOW;
	return result(syscall(SYS_fanotify_mark, l->group[arg[0]].fd, flags, (uint64_t)arg[4],
			      AT_FDCWD, live_path(l, arg[2], path, sizeof(path))));
}

CALL(MARK_ADD)
{
	return change_mark(l, MARK_COMMAND_ADD, arg);
}

CALL(MARK_REMOVE)
{
	return change_mark(l, MARK_COMMAND_REMOVE, arg);
}

CALL(MARK_FLUSH)
{
	return result(syscall(SYS_fanotify_mark, l->group[arg[0]].fd,
			      MARK_COMMAND_FLUSH | mark_types[arg[1]], (uint64_t)0, AT_FDCWD, "/"));
}

CALL(WATCH)
{
	uint32_t mask = arg[1] >= PATH_FDS ? arg[2] & ~IN_DONT_FOLLOW : arg[2];
	char path[LIVE_PATH];

	return result(syscall(SYS_inotify_add_watch, l->group[arg[0]].fd,
			      live_path(l, arg[1], path, sizeof(path)), mask));
}

CALL(UNWATCH)
{
	return result(syscall(SYS_inotify_rm_watch, l->group[arg[0]].fd, (int)arg[1]));
}

/* ---- open files ---- */

/* Nothing may block: fifos and pipes are opened without waiting for the other side. */
static bool is_fifo(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
}

/* A handle has a number of its own, so that a path that names it means it whenever it is walked. */
static long place(struct live *l, unsigned handle, int fd)
{
	if (fd < 0)
		return -errno;
	l->handle[handle] = dup2(fd, live_descriptor(handle));
	close(fd);
	return l->handle[handle] < 0 ? -EMFILE : 0;
}

CALL(OPEN)
{
	char path[LIVE_PATH];
	int flags = (int)(arg[2] | arg[3]);

	if (l->handle[arg[0]] >= 0)
		return -EBUSY;
	live_path(l, arg[1], path, sizeof(path));
	/* It would open the link in /proc, which is no part of a program's world. */
	if (arg[1] >= PATH_FDS && (flags & O_PATH) && (flags & O_NOFOLLOW))
		return l->handle[arg[1] - PATH_FDS] < 0 ? -ENOENT : -ELOOP;
	if (!(flags & O_PATH) && is_fifo(path))
		flags |= O_NONBLOCK;
	return place(l, arg[0], open(path, flags, MODE));
}

CALL(READ)
{
	char byte;
	return result(read(l->handle[arg[0]], &byte, 1));
}

CALL(WRITE)
{
	return result(write(l->handle[arg[0]], "x", 1));
}

CALL(CLOSE)
{
	int fd = l->handle[arg[0]];

	l->handle[arg[0]] = -1;
	return result(close(fd));
}

CALL(DUP)
{
	int fd = dup2(l->handle[arg[0]], live_descriptor(arg[1]));

	if (fd < 0)
		return -errno;
	l->handle[arg[1]] = fd;
	return 0;
}

CALL(FTRUNCATE)
{
	return result(ftruncate(l->handle[arg[0]], 0));
}

CALL(FALLOCATE)
{
	return result(fallocate(l->handle[arg[0]], 0, 0, 1));
}

CALL(FCHMOD)
{
	return result(fchmod(l->handle[arg[0]], MODE));
}

CALL(READDIR)
{
	char entries[4096];
	long ret = result(syscall(SYS_getdents64, l->handle[arg[0]], entries, sizeof(entries)));
	return ret < 0 ? ret : 0;
}

CALL(GETFL)
{
	long ret = result(fcntl(l->handle[arg[0]], F_GETFL));
	return ret < 0 ? ret : ret & ~(long)LARGEFILE;
}

CALL(SETFL)
{
	struct stat s;
	int flags = (int)arg[1], fd = l->handle[arg[0]];

	if (fd >= 0 && fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode))
		flags |= O_NONBLOCK;
	return result(fcntl(fd, F_SETFL, flags));
}

CALL(SPLICE)
{
	return result(
		splice(l->handle[arg[0]], NULL, l->handle[arg[1]], NULL, 1, SPLICE_F_NONBLOCK));
}

CALL(MMAP)
{
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, l->handle[arg[0]], 0);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, 1);
	return 0;
}

static uint64_t mount_id_of(int fd)
{
	struct statx s = {0};
	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &s) == 0 ? s.stx_mnt_id : 0;
}

CALL(PIPE)
{
	int ends[2];

	if (arg[0] == arg[1] || l->handle[arg[0]] >= 0 || l->handle[arg[1]] >= 0)
		return -EBUSY;
	if (pipe2(ends, O_NONBLOCK) != 0)
		return -errno;
	long error = place(l, arg[0], ends[0]);
	if (error || (error = place(l, arg[1], ends[1])))
		return error;
	l->mount_id[MAX_MOUNT - 1] = mount_id_of(l->handle[arg[0]]);
	int inode = live_inode_of(l, l->handle[arg[0]]);
	if (inode != NOWHERE)
		l->inode[inode].pipe = true;
	return 0;
}

/* The file is no program, so this comes back. */
CALL(EXEC)
{
	char path[LIVE_PATH];
	char *const arguments[] = {path, NULL}, *const environment[] = {NULL};

	live_path(l, arg[0], path, sizeof(path));
	return result(execve(path, arguments, environment));
}

/* ---- names and attributes ---- */

CALL(TRUNCATE)
{
	char path[LIVE_PATH];
	return result(truncate(live_path(l, arg[0], path, sizeof(path)), 0));
}

CALL(CHMOD)
{
	char path[LIVE_PATH];
	return result(chmod(live_path(l, arg[0], path, sizeof(path)), MODE));
}

CALL(UTIMES)
{
	const struct timespec omit = {.tv_nsec = UTIME_OMIT}, set = {.tv_sec = 1};
	struct timespec times[2] = {arg[1] == 2 ? omit : set, arg[1] == 1 ? omit : set};
	char path[LIVE_PATH];

	return result(utimensat(AT_FDCWD, live_path(l, arg[0], path, sizeof(path)), times, 0));
}

CALL(SETXATTR)
{
	char path[LIVE_PATH];
	return result(setxattr(live_path(l, arg[0], path, sizeof(path)), "trusted.x", "v", 1, 0));
}

CALL(MKNOD)
{
	char path[LIVE_PATH];
	return result(mknod(live_path(l, arg[0], path, sizeof(path)),
			    (arg[1] ? S_IFIFO : S_IFREG) | MODE, 0));
}

CALL(MKDIR)
{
	char path[LIVE_PATH];
	return result(mkdir(live_path(l, arg[0], path, sizeof(path)), MODE));
}

CALL(SYMLINK)
{
	char path[LIVE_PATH], target[LIVE_PATH];

	live_path(l, arg[1], target, sizeof(target));
	return result(symlink(target, live_path(l, arg[0], path, sizeof(path))));
}

CALL(LINK)
{
	char old[LIVE_PATH], new[LIVE_PATH];

	live_path(l, arg[0], old, sizeof(old));
	return result(link(old, live_path(l, arg[1], new, sizeof(new))));
}

CALL(UNLINK)
{
	char path[LIVE_PATH];
	return result(unlink(live_path(l, arg[0], path, sizeof(path))));
}

CALL(RMDIR)
{
	char path[LIVE_PATH];
	return result(rmdir(live_path(l, arg[0], path, sizeof(path))));
}

CALL(RENAME)
{
	char old[LIVE_PATH], new[LIVE_PATH];

	live_path(l, arg[0], old, sizeof(old));
	return result(syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD,
			      live_path(l, arg[1], new, sizeof(new)), arg[2]));
}

/* The mount point goes, too: paths below a mount that is gone lead nowhere. */
CALL(UMOUNT)
{
	char path[LIVE_PATH];

	if (!l->mounted[arg[0]])
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/%c", l->root, "ABC"[arg[0]]);
	if (umount2(path, 0) != 0)
		return -errno;
	l->mounted[arg[0]] = false;
	rmdir(path);
	return 0;
}

static call_function *const calls[OP_COUNT] = {
#define C(id) [OP_##id] = call_##id
	C(FANOTIFY),   C(INOTIFY), C(GROUP_CLOSE), C(ANSWER),	 C(MARK_ADD), C(MARK_REMOVE),
	C(MARK_FLUSH), C(WATCH),   C(UNWATCH),	   C(OPEN),	 C(READ),     C(WRITE),
	C(CLOSE),      C(DUP),	   C(FTRUNCATE),   C(FALLOCATE), C(FCHMOD),   C(READDIR),
	C(GETFL),      C(SETFL),   C(SPLICE),	   C(MMAP),	 C(PIPE),     C(EXEC),
	C(TRUNCATE),   C(CHMOD),   C(UTIMES),	   C(SETXATTR),	 C(MKNOD),    C(MKDIR),
	C(SYMLINK),    C(LINK),	   C(UNLINK),	   C(RMDIR),	 C(RENAME),   C(UMOUNT),
	C(GROUP_READ), C(CALLER),
#undef C
};

long live_call(struct live *l, const struct op *op)
{
	return calls[op->id](l, op->arg);
}

/* ---- one operation ---- */

/* The names an operation may change: found before it, brought up to date after it. */
struct touched {
	struct live_place place[2];
	bool found[2];
};

static void look_up(struct live *l, struct touched *t, unsigned which, uint32_t code, bool follow)
{
	char path[LIVE_PATH];
	t->found[which] =
		live_locate(l, live_path(l, code, path, sizeof(path)), follow, &t->place[which]);
}

static void names_before(struct live *l, const struct op *op, struct touched *t)
{
	t->found[0] = t->found[1] = false;
	switch (op->id) {
	case OP_OPEN:
		if ((op->arg[3] & FL_CREAT) && !(op->arg[3] & FL_PATH))
			look_up(l, t, 0, op->arg[1], !(op->arg[3] & (FL_EXCL | FL_NOFOLLOW)));
		break;
	case OP_MKNOD:
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_UNLINK:
	case OP_RMDIR: look_up(l, t, 0, op->arg[0], false); break;
	case OP_LINK: look_up(l, t, 1, op->arg[1], false); break;
	case OP_RENAME:
		look_up(l, t, 0, op->arg[0], false);
		look_up(l, t, 1, op->arg[1], false);
		break;
	default: break;
	}
}

/* An open that was denied has made its file all the same. */
static void names_after(struct live *l, const struct op *op, long ret, const struct touched *t)
{
	if (op->id == OP_RENAME) {
		if (ret == 0 && t->found[0] && t->found[1])
			live_sync_rename(l, &t->place[0], &t->place[1],
					 op->arg[2] & RENAME_EXCHANGE);
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		if (t->found[i] && (ret >= 0 || op->id == OP_OPEN))
			live_sync(l, &t->place[i]);
}

static void put_result(struct text_buffer *b, struct live *l, const struct op *op, long ret)
{
	char flags[TEXT_LINE];

	if (ret < 0) {
		text_add(b, "%s", outcome_errno((int)-ret));
		return;
	}
	switch (op->id) {
	case OP_GROUP_READ: break; /* is there already */
	case OP_MARKS: live_put_marks(b, l, op->arg[0]); break;
	case OP_GETFL: text_add(b, "%s", outcome_flags((uint32_t)ret, flags, sizeof(flags))); break;
	case OP_WATCH: text_add(b, "wd=%ld", ret); break;
	case OP_READ:
	case OP_WRITE:
	case OP_SPLICE: text_add(b, "%ld", ret); break;
	default: text_add(b, "ok"); break;
	}
}

enum live_result live_step(struct live *l, const struct op *op, char *out, size_t size)
{
	struct text_buffer b = {out, size, 0};
	enum live_result how = LIVE_DONE;
	struct touched touched;
	long ret = 0;

	out[0] = '\0';
	if (op->id == OP_MARKS) {
		ret = l->group[op->arg[0]].fd < 0 ? -EBADF : 0;
	} else if (!calls[op->id]) {
		text_add(&b, "skipped");
		return LIVE_SKIPPED;
	} else {
		l->out = &b;
		names_before(l, op, &touched);
		how = live_do(l, op, &ret);
		names_after(l, op, ret, &touched);
	}
	if (how == LIVE_DONE)
		put_result(&b, l, op, ret);
	else
		text_add(&b, how == LIVE_HUNG ? "hung" : "unknown");
	return how;
}
