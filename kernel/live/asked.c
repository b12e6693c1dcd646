/* SPDX-License-Identifier: MIT */
/*
 * Operations that somebody may have to permit. A second thread makes the system call; this one
 * waits for it and, when it sees it asleep in fanotify, reads the group that was asked up to the
 * question and answers from the program's script. A listener that reads earlier would take events
 * out of the queue that later ones should have merged with.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/live/internal.h"

enum {
	GLANCE_NS = 50 * 1000,		  /* between two looks at the other thread */
	PATIENCE_NS = 2000 * 1000 * 1000, /* then the operation hangs */
	SLOW_NS = 20 * 1000 * 1000,	  /* longer than any call that nobody is asked about */
	LOOKS = 200,
	NS_PER_S = 1000 * 1000 * 1000,
	EVENT_BYTES = 24, /* one record of a group without handles */
};

bool live_has_askers(const struct live *l)
{
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		if (l->group[i].fd >= 0 && !l->group[i].inotify && l->group[i].class)
			return true;
	return false;
}

/* ---- the other thread ---- */

static void *caller_main(void *context)
{
	struct live *l = context;
	struct live_caller *c = &l->caller;

	c->tid = (pid_t)syscall(SYS_gettid);
	sem_post(&c->done);
	for (;;) {
		while (sem_wait(&c->go) != 0)
			;
		if (!c->op)
			return NULL;
		c->ret = live_call(l, c->op);
		sem_post(&c->done);
	}
}

/* Where the other thread sleeps, as the kernel calls it; "0" or nothing for one that runs. */
static const char *caller_sleeps_in(const struct live_caller *c, char *where, size_t size)
{
	ssize_t n = pread(c->wait_channel, where, size - 1, 0);
	where[n < 0 ? 0 : n] = '\0';
	return where;
}

/* The other thread is idle, or about to be: that shows whether this kernel tells such things. */
static bool caller_tells(const struct live_caller *c)
{
	const struct timespec moment = {0, GLANCE_NS};
	char where[64];

	for (unsigned i = 0; i < LOOKS; i++) {
		if (caller_sleeps_in(c, where, sizeof(where))[0] > '9')
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

static bool caller_start(struct live *l)
{
	struct live_caller *c = &l->caller;
	char path[64];

	if (c->running)
		return true;
	sem_init(&c->go, 0, 0);
	sem_init(&c->done, 0, 0);
	if (pthread_create(&c->thread, NULL, caller_main, l) != 0)
		return false;
	while (sem_wait(&c->done) != 0)
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)c->tid,
		 c->alone ? "stat" : "wchan");
	c->wait_channel = open(path, O_RDONLY | O_CLOEXEC);
	c->tells = c->alone || caller_tells(c);
	c->running = true;
	return true;
}

void live_caller_stop(struct live *l)
{
	struct live_caller *c = &l->caller;

	if (!c->running)
		return;
	c->op = NULL;
	sem_post(&c->go);
	pthread_join(c->thread, NULL);
	close(c->wait_channel);
	c->running = false;
}

/* Has the call ended? Waits a little. */
static bool caller_is_done(struct live_caller *c)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += GLANCE_NS;
	if (until.tv_nsec >= NS_PER_S) {
		until.tv_nsec -= NS_PER_S;
		until.tv_sec++;
	}
	return sem_timedwait(&c->done, &until) == 0;
}

/* ---- questions ---- */

static int waiting(const struct live_group *g)
{
	int bytes = 0;
	return ioctl(g->fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}

static bool asks(const struct live_group *g)
{
	return g->fd >= 0 && !g->inotify && g->class;
}

/*
 * The group that was asked: the one whose queue has grown. Where several have, the one that grew
 * by two records has the question; otherwise it cannot be told, for only an exec raises events
 * between two questions, and only one record per group.
 */
static struct live_group *who_was_asked(struct live *l, bool *ambiguous)
{
	struct live_group *asked = NULL;
	unsigned grown = 0, grown_twice = 0;

	*ambiguous = false;
	for (unsigned i = 0; i < GROUP_SLOTS; i++) {
		struct live_group *g = &l->group[i];
		if (!asks(g))
			continue;
		int by = waiting(g) - g->waiting;
		if (by <= 0)
			continue;
		grown++;
		grown_twice += by >= 2 * EVENT_BYTES;
		if (!asked || by >= 2 * EVENT_BYTES)
			asked = g;
	}
	*ambiguous = grown > 1 && grown_twice != 1;
	return asked;
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Does the other thread wait for permission? Where the kernel does not tell: if it takes long and
 * somebody has something to read. */
static bool caller_is_asking(struct live *l, int64_t since)
{
	char where[64];
	bool ambiguous;

	if (l->caller.tells)
		return strstr(caller_sleeps_in(&l->caller, where, sizeof(where)),
			      l->caller.alone ? ") D " : "fanotify");
	return now() - since > SLOW_NS && (who_was_asked(l, &ambiguous) || ambiguous);
}

/* The program ends here: everything that anybody asks is allowed until the call ends, then the
 * groups go. Not earlier: closing one of them waits for a walk that another one's question holds
 * up. */
static enum live_result give_up(struct live *l, enum live_result how)
{
	do {
		for (unsigned i = 0; i < GROUP_SLOTS; i++)
			if (asks(&l->group[i]))
				live_allow_everything(&l->group[i]);
	} while (!caller_is_done(&l->caller));
	for (unsigned i = 0; i < GROUP_SLOTS; i++) {
		struct live_group *g = &l->group[i];
		if (!asks(g))
			continue;
		live_drop_taken(g);
		close(g->fd);
		g->fd = -1;
	}
	return how;
}

enum live_result live_call_asked(struct live *l, const struct op *op, long *ret)
{
	struct live_caller *c = &l->caller;

	if (op->id == OP_GROUP_CLOSE || op->id == OP_ANSWER || !caller_start(l)) {
		*ret = live_call(l, op);
		return LIVE_DONE;
	}
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		if (asks(&l->group[i]))
			l->group[i].waiting = waiting(&l->group[i]);
	c->op = op;
	int64_t begun = now(), asked_since = 0; /* without anybody to answer */
	sem_post(&c->go);
	while (!caller_is_done(c)) {
		bool ambiguous;
		if (!caller_is_asking(l, begun)) {
			asked_since = 0;
			continue;
		}
		if (!asked_since)
			asked_since = now();
		if (now() - asked_since > PATIENCE_NS)
			return give_up(l, LIVE_HUNG);
		struct live_group *g = who_was_asked(l, &ambiguous);
		if (ambiguous)
			return give_up(l, LIVE_UNKNOWN);
		if (g && live_answer_question(l, g)) {
			g->waiting = 0;
			asked_since = 0;
			begun = now();
		}
	}
	*ret = c->ret;
	return LIVE_DONE;
}
