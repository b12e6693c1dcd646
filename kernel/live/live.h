/* SPDX-License-Identifier: MIT */
/*
 * The running kernel as an executor: a program's operations as system calls, each answered by an
 * outcome in the notation of fuzz/outcome.h, so that model and kernel are compared as text.
 *
 * Everything happens on tmpfs mounts of its own in a mount namespace of its own: nothing outside
 * is touched, and nothing is left when the process ends, however it ends. Needs CAP_SYS_ADMIN.
 *
 * What no system call stands for is the executor's own: EBUSY for an occupied slot, EINVAL for a
 * mount that is gone, scripted answers, ELOOP for a descriptor opened with O_PATH|O_NOFOLLOW.
 *
 *   kernel/live/live.c     namespace, mounts, the initial tree, one program after another
 *   kernel/live/step.c     each operation as its system call
 *   kernel/live/names.c    which inode is which, and what it is called
 *   kernel/live/records.c  queues and fdinfo, in the notation of outcomes
 *   kernel/live/callers.c  which thread or process makes the call, and with which privilege
 *   kernel/live/asked.c    operations that somebody may have to permit
 *   kernel/live/level.c    which level this kernel behaves like
 */
#ifndef KERNEL_LIVE_LIVE_H
#define KERNEL_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "fuzz/program.h"

enum {
	LIVE_OUTCOME = 16384, /* enough for the outcome of any operation */
	LIVE_ERROR = 256,
};

enum live_result {
	LIVE_DONE,    /* the outcome is what the kernel did */
	LIVE_SKIPPED, /* there is no system call for it; nothing was done */
	LIVE_HUNG,    /* a permission was not given in time; its groups were closed */
	LIVE_UNKNOWN, /* which of two groups was asked cannot be told: the program ends here */
};

struct live;

/* Why the running kernel cannot be used here, or null. Changes nothing. */
const char *live_unavailable(void);

/*
 * Takes this process into a namespace of its own: from now on it sees other mounts than its
 * parent (/tmp, or what stands in for it, is empty), has another user id, and is killed with its
 * parent. Meant for a process that was forked for the purpose. Null: `error` says why.
 */
struct live *live_open(char *error, size_t size);
void live_close(struct live *l);

/* Nothing else runs on this machine, which has one processor: a caller that sleeps is waiting for
 * a permission. Needed in User Mode Linux, which cannot tell well where somebody sleeps. */
void live_alone(struct live *l);

/* A new program: a fresh tree, nothing open. Ends the one before. */
bool live_start(struct live *l, char *error, size_t size);

/* Closes everything that is still open and drops the tree. live_start() does it, too. */
void live_end(struct live *l);

enum live_result live_step(struct live *l, const struct op *op, char *out, size_t size);

/*
 * An object with several names could be called by any of them. `choose` writes the name that the
 * caller would like for inode number `inode`; it is taken if the kernel has it, too.
 */
typedef void (*live_choose)(void *context, unsigned inode, char *out, size_t size);
void live_prefer(struct live *l, live_choose choose, void *context);

/* What was found out about this kernel. */
struct live_level {
	enum core_level level; /* the nearest one */
	uint32_t features;     /* bit FEAT_x: seen, or, where it cannot be seen, as in `level` */
	uint32_t seen;	       /* bits that were looked at */
};

/* Finds out by trying, not from the version. */
bool live_find_level(struct live *l, struct live_level *found, char *error, size_t size);

/* Can this program run here as it is? Otherwise why not. `p` gets the limits of this kernel. */
const char *live_refuses(struct program *p);

/* Among groups of equal priority the kernel goes by address. Only a denial shows it: who comes
 * later is not asked. Such a program has to be run until the order happens to be the model's. */
bool live_order_matters(const struct program *p);

#endif
