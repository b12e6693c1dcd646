/* SPDX-License-Identifier: MIT */
/*
 * Who makes the system calls. Mostly this thread; a second one of the same process where the
 * program says so, where somebody may have to be asked for permission (kernel/live/asked.c), and
 * as long as a group reports threads, so that it is one and the same. The other process is a child
 * that shares memory, descriptors and directories. Every one is made once and stays: records tell
 * them apart by their numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/capability.h>

#include "kernel/live/internal.h"

enum {
	OTHER_STACK = 1 << 18,
	LOOKS = 200,
	CAP_BITS = 32, /* in one word of a set of capabilities */
};

/* ---- privilege ---- */

/* CAP_SYS_ADMIN of the calling thread alone: it stays permitted, so it can be had again. */
static void set_administrator(bool is)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}};
	uint32_t bit = 1u << CAP_SYS_ADMIN % CAP_BITS, *word;

	syscall(SYS_capget, &header, caps);
	word = &caps[CAP_SYS_ADMIN / CAP_BITS].effective;
	*word = is ? *word | bit : *word & ~bit;
	syscall(SYS_capset, &header, caps);
}

static long call(struct live *l, const struct op *op)
{
	if (l->who != CALLER_USER)
		return live_call(l, op);
	set_administrator(false);
	long ret = live_call(l, op);
	set_administrator(true);
	return ret;
}

/* ---- the others ---- */

static void serve(struct live_task *t)
{
	t->id = (pid_t)syscall(SYS_gettid);
	sem_post(&t->done);
	for (;;) {
		while (sem_wait(&t->go) != 0)
			;
		if (!t->op)
			return;
		t->ret = call(t->live, t->op);
		sem_post(&t->done);
	}
}

static void *thread_main(void *context)
{
	serve(context);
	return NULL;
}

static int other_main(void *context)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	serve(context);
	return 0;
}

/* The other process runs in place of a thread that waits for its end: so it has an errno of its
 * own. */
static void *other_parent(void *context)
{
	static _Alignas(16) char stack[OTHER_STACK];
	struct live_task *t = context;
	int pid = clone(other_main, stack + sizeof(stack),
			CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS, t);

	if (pid < 0)
		sem_post(&t->done); /* without an id */
	else
		waitpid(pid, NULL, __WALL);
	return NULL;
}

const char *live_sleeps_in(const struct live_task *t, char *where, size_t size)
{
	ssize_t n = pread(t->wait_channel, where, size - 1, 0);
	where[n < 0 ? 0 : n] = '\0';
	return where;
}

/* It is idle, or about to be: that shows whether this kernel tells such things. */
static bool tells(const struct live_task *t)
{
	const struct timespec moment = {0, LIVE_GLANCE_NS};
	char where[64];

	for (unsigned i = 0; i < LOOKS; i++) {
		if (live_sleeps_in(t, where, sizeof(where))[0] > '9')
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

static void wait_for(struct live_task *t)
{
	while (sem_wait(&t->done) != 0)
		;
}

static bool start(struct live *l, struct live_task *t)
{
	char path[64];

	if (t->id)
		return true;
	t->live = l;
	sem_init(&t->go, 0, 0);
	sem_init(&t->done, 0, 0);
	if (pthread_create(&t->thread, NULL, t == &l->task[TASK_OTHER] ? other_parent : thread_main,
			   t) != 0)
		return false;
	wait_for(t);
	if (!t->id) {
		pthread_join(t->thread, NULL);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)t->id, l->alone ? "stat" : "wchan");
	t->wait_channel = open(path, O_RDONLY | O_CLOEXEC);
	t->tells = l->alone || tells(t);
	return true;
}

void live_stop_tasks(struct live *l)
{
	for (unsigned i = 0; i < TASKS; i++) {
		struct live_task *t = &l->task[i];

		if (!t->id)
			continue;
		t->op = NULL;
		sem_post(&t->go);
		pthread_join(t->thread, NULL);
		close(t->wait_channel);
		t->id = 0;
	}
}

/* ---- one system call ---- */

static bool threads_are_told(const struct live *l)
{
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		if (l->group[i].fd >= 0 && (l->group[i].flags & FAN_REPORT_TID))
			return true;
	return false;
}

enum live_result live_do(struct live *l, const struct op *op, long *ret)
{
	static const uint8_t tasks[CALLERS] = {[CALLER_ADMIN] = TASK_OWN,
					       [CALLER_USER] = TASK_OWN,
					       [CALLER_THREAD] = TASK_THREAD,
					       [CALLER_OTHER] = TASK_OTHER};
	struct live_task *t = &l->task[tasks[l->who]];
	bool own = t == &l->task[TASK_OWN];
	bool nothing = op->id == OP_ANSWER || op->id == OP_CALLER;
	/* Nobody is asked for what a group's owner does. */
	bool asked = op->id != OP_GROUP_READ && op->id != OP_GROUP_CLOSE && live_has_askers(l);

	if (nothing || (own && !asked && !threads_are_told(l))) {
		*ret = call(l, op);
		return LIVE_DONE;
	}
	if (!start(l, t)) {
		*ret = -EAGAIN;
		return LIVE_DONE;
	}
	t->op = op;
	if (asked)
		return live_attend(l, t, ret);
	sem_post(&t->go);
	wait_for(t);
	*ret = t->ret;
	return LIVE_DONE;
}
