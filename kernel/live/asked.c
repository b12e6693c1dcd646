/* SPDX-License-Identifier: MIT */
/*
 * Operations that somebody may have to permit. Another task makes the system call; this thread
 * waits for it and, when it sees it asleep in fanotify, reads the group that was asked up to the
 * question and answers from the program's script. A listener that reads earlier would take events
 * out of the queue that later ones should have merged with.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kernel/live/internal.h"

enum {
	PATIENCE_NS = 2000 * 1000 * 1000, /* then the operation hangs */
	SLOW_NS = 20 * 1000 * 1000,	  /* longer than any call that nobody is asked about */
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

/* Has the call ended? Waits a little. */
static bool is_done(struct live_task *t)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LIVE_GLANCE_NS;
	if (until.tv_nsec >= NS_PER_S) {
		until.tv_nsec -= NS_PER_S;
		until.tv_sec++;
	}
	return sem_timedwait(&t->done, &until) == 0;
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

/* Does the caller wait for permission? Where the kernel does not tell: if it takes long and
 * somebody has something to read. */
static bool is_asking(struct live *l, const struct live_task *t, int64_t since)
{
	char where[64];
	bool ambiguous;

	if (t->tells)
		return strstr(live_sleeps_in(t, where, sizeof(where)),
			      l->alone ? ") D " : "fanotify");
	return now() - since > SLOW_NS && (who_was_asked(l, &ambiguous) || ambiguous);
}

/* The program ends here: everything that anybody asks is allowed until the call ends, then the
 * groups go. Not earlier: closing one of them waits for a walk that another one's question holds
 * up. */
static enum live_result give_up(struct live *l, struct live_task *t, enum live_result how)
{
	do {
		for (unsigned i = 0; i < GROUP_SLOTS; i++)
			if (asks(&l->group[i]))
				live_allow_everything(&l->group[i]);
	} while (!is_done(t));
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

enum live_result live_attend(struct live *l, struct live_task *t, long *ret)
{
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		if (asks(&l->group[i]))
			l->group[i].waiting = waiting(&l->group[i]);
	int64_t begun = now(), asked_since = 0; /* without anybody to answer */
	sem_post(&t->go);
	while (!is_done(t)) {
		bool ambiguous;
		if (!is_asking(l, t, begun)) {
			asked_since = 0;
			continue;
		}
		if (!asked_since)
			asked_since = now();
		if (now() - asked_since > PATIENCE_NS)
			return give_up(l, t, LIVE_HUNG);
		struct live_group *g = who_was_asked(l, &ambiguous);
		if (ambiguous)
			return give_up(l, t, LIVE_UNKNOWN);
		if (g && live_answer_question(l, g)) {
			g->waiting = 0;
			asked_since = 0;
			begun = now();
		}
	}
	*ret = t->ret;
	return LIVE_DONE;
}
