/* SPDX-License-Identifier: MIT */
/*
 * Generated programs on the model and on the running kernel, in many processes: closing a group
 * waits for a grace period of the kernel, so one process spends its time waiting
 * (fuzz/command_check.h). What the processes find out stands in shared memory; a disagreement is
 * minimised by the process that met it and saved by the parent.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/command_check_count.h"
#include "fuzz/minimize.h"

enum {
	KEYS = 256, /* kinds of disagreement that are told apart */
	KEY_TEXT = 64,
	PER_KEY = 3,	    /* minimised and saved of each kind */
	SHRINK_TRIES = 400, /* programs */
	POLL_MS = 50,
	STUCK_S = 60, /* a process without progress for so long is given up */
};

struct found {
	_Atomic int ready; /* the parent clears it */
	bool solid;
	uint64_t index;
	char key[KEY_TEXT];
	struct program program;
	struct check_result result;
};

struct worker {
	pid_t process;	     /* the parent's */
	_Atomic uint64_t at; /* no program below this one is unfinished here */
	_Atomic uint64_t programs;
	uint64_t operations, skipped, disagreed, flaky;
	struct check_count count;
	char error[512];
	struct found found;
};

struct shared {
	_Atomic uint64_t next; /* program to be run */
	_Atomic bool stop;     /* after the program that is being run */
	_Atomic unsigned keys;
	char key[KEYS][KEY_TEXT];
	_Atomic unsigned seen[KEYS];
	struct live_level level;
	struct worker worker[];
};

static uint64_t end_of(const struct check_options *o)
{
	return o->from + o->programs;
}

/* ---- one worker ---- */

struct work {
	const struct check_options *o;
	struct shared *shared;
	struct worker *me;
	struct check check;
	struct program program;
	struct check_result result;
	char key[KEY_TEXT]; /* of what is being minimised */
};

/* The entry of a key; a new one when it is met for the first time. Two processes may make it at
 * once: then a kind has two entries, and is saved twice as often. */
static unsigned key_index(struct shared *s, const char *key)
{
	unsigned keys = s->keys < KEYS ? s->keys : KEYS;

	for (unsigned i = 0; i < keys; i++)
		if (strcmp(s->key[i], key) == 0)
			return i;
	unsigned i = s->keys++;
	if (i >= KEYS)
		return KEYS - 1;
	snprintf(s->key[i], KEY_TEXT, "%s", key);
	return i;
}

static bool still_disagrees(void *context, const struct program *p)
{
	struct work *w = context;
	char key[KEY_TEXT];

	check_program(&w->check, p, &w->result, NULL, NULL);
	if (w->result.status != CHECK_DISAGREES)
		return false;
	check_key(p, &w->result, key, sizeof(key));
	return strcmp(key, w->key) == 0;
}

static bool keeps_unless_stopped(void *context, const struct program *p)
{
	struct work *w = context;

	return !w->shared->stop && still_disagrees(context, p);
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&t, NULL);
}

/* Minimises what was found and hands it to the parent. */
static void hand_over(struct work *w, uint64_t index)
{
	struct found *f = &w->me->found;
	struct minimize_stats stats;

	while (f->ready)
		pause_ms(POLL_MS);
	f->program = w->program;
	f->index = index;
	snprintf(f->key, sizeof(f->key), "%s", w->key);
	f->result = w->result;
	bool again = still_disagrees(w, &f->program);
	f->solid = again && still_disagrees(w, &f->program);
	if (f->solid) {
		minimize_program(&f->program, keeps_unless_stopped, w, SHRINK_TRIES, &stats);
		still_disagrees(w, &f->program);
		f->result = w->result;
	} else {
		w->me->flaky++;
	}
	f->ready = 1;
}

static void count_op(void *context, unsigned op, const struct check_result *so_far)
{
	struct work *w = context;

	if (!so_far->both)
		return;
	w->me->operations++;
	check_count_op(&w->me->count, &w->check, &w->program.op[op], so_far->ret);
}

static void run_one(struct work *w, uint64_t index)
{
	uint64_t seed = w->o->seed << 32 ^ index;

	check_generate(&w->check.model, w->check.level.features, w->o->ops, seed, &w->program);
	check_program(&w->check, &w->program, &w->result, count_op, w);
	if (w->result.status == CHECK_SKIPPED)
		w->me->skipped++;
	if (w->result.status == CHECK_FAILED) {
		snprintf(w->me->error, sizeof(w->me->error), "%s", w->result.reason);
		_exit(EXIT_ENVIRONMENT);
	}
	if (w->result.status != CHECK_DISAGREES)
		return;
	w->me->disagreed++;
	check_count_disagreement(&w->me->count, &w->program, &w->result);
	check_key(&w->program, &w->result, w->key, sizeof(w->key));
	if (w->shared->seen[key_index(w->shared, w->key)]++ < PER_KEY)
		hand_over(w, index);
}

/* The next program; UINT64_MAX when there is none. What is unfinished can be told at any time: a
 * number is noted before it is taken, and the noted one is never above the one that is taken. */
static uint64_t take(struct work *w)
{
	uint64_t number = w->shared->next;

	w->me->at = number;
	number = w->shared->stop ? UINT64_MAX : w->shared->next++;
	if (number >= end_of(w->o))
		number = UINT64_MAX;
	w->me->at = number;
	return number;
}

static _Noreturn void worker_main(const struct check_options *o, struct shared *s,
				  struct worker *me, pid_t parent)
{
	static struct work w;
	uint64_t index;

	signal(SIGINT, SIG_IGN); /* the parent's to answer */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);

	w.o = o;
	w.shared = s;
	w.me = me;
	if (!check_open(&w.check, o->executor, &s->level, me->error, sizeof(me->error)))
		_exit(EXIT_ENVIRONMENT);
	while (getppid() == parent && (index = take(&w)) != UINT64_MAX) {
		run_one(&w, index);
		me->programs++;
	}
	check_close(&w.check);
	_exit(EXIT_SAME);
}

/* ---- the parent ---- */

struct crew {
	const struct check_options *o;
	struct shared *shared;
	unsigned jobs, running;
	struct timespec start;
	unsigned saved;
	bool failed;
};

static double seconds_since(const struct timespec *start)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(t.tv_sec - start->tv_sec) + (double)(t.tv_nsec - start->tv_nsec) / 1e9;
}

static void print_trace(const struct crew *c, const struct found *f, FILE *out)
{
	const struct check_result *r = &f->result;
	const struct program *p = &f->program;
	struct program header = *p;
	char line[TEXT_LINE];
	struct utsname u;

	uname(&u);
	header.count = 0;
	header.config.level = (uint8_t)c->shared->level.level;
	fprintf(out, "fsn 1\n# SPDX-License-Identifier: MIT\n");
	fprintf(out, "# The model and Linux %s disagree%s: %s (program %llu of seed %llu)\n",
		u.release, f->solid ? "" : ", not every time", f->key, (unsigned long long)f->index,
		(unsigned long long)c->o->seed);
	fprintf(out, "# model: %s\n# linux: %s\n", r->model, r->kernel);
	fprintf(out, "level %s\n", core_level_names[header.config.level]);
	for (unsigned i = 0; i < p->count; i++) {
		text_print_op(&p->op[i], line, sizeof(line));
		fprintf(out, i == r->op ? "%-40s => %s\n" : "%s\n", line, r->kernel);
	}
}

static void save(struct crew *c, const struct found *f)
{
	char path[512], name[KEY_TEXT];
	FILE *out = NULL;

	snprintf(name, sizeof(name), "%s", f->key);
	for (char *at = name; *at; at++)
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') && *at != '_')
			*at = '-';
	if (c->o->save) {
		snprintf(path, sizeof(path), "%s/%s-%llu-%llu.fsn", c->o->save, name,
			 (unsigned long long)c->o->seed, (unsigned long long)f->index);
		out = fopen(path, "w");
		if (!out)
			command_fail(&command_check, EXIT_ENVIRONMENT, "%s: %s", path,
				     strerror(errno));
	}
	if (out) {
		print_trace(c, f, out);
		fclose(out);
		c->saved++;
	}
	print_trace(c, f, stdout);
	printf("\n");
	fflush(stdout);
}

static void collect(struct crew *c)
{
	for (unsigned i = 0; i < c->jobs; i++) {
		struct found *f = &c->shared->worker[i].found;
		if (!f->ready)
			continue;
		save(c, f);
		f->ready = 0;
	}
}

static void reap(struct crew *c)
{
	int status;
	pid_t child;

	while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned i = 0; i < c->jobs; i++) {
			struct worker *w = &c->shared->worker[i];
			if (w->process != child)
				continue;
			w->process = 0;
			c->running--;
			if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SAME)
				continue;
			c->failed = true;
			command_fail(&command_check, EXIT_ENVIRONMENT, "a process ended: %s",
				     WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : w->error);
		}
	}
}

struct totals {
	uint64_t programs, operations, skipped, disagreed;
};

static struct totals add_up(const struct crew *c)
{
	struct totals t = {0};

	for (unsigned i = 0; i < c->jobs; i++) {
		const struct worker *w = &c->shared->worker[i];
		t.programs += w->programs;
		t.operations += w->operations;
		t.skipped += w->skipped;
		t.disagreed += w->disagreed;
	}
	return t;
}

/* Every program below this number is done. */
static uint64_t done_below(const struct crew *c)
{
	uint64_t least = c->shared->next;

	if (least > end_of(c->o))
		least = end_of(c->o);
	for (unsigned i = 0; i < c->jobs; i++)
		if (c->shared->worker[i].at < least)
			least = c->shared->worker[i].at;
	return least;
}

static void progress(const struct crew *c, bool last)
{
	double seconds = seconds_since(&c->start);
	const char *end = last ? "\n" : command_is_terminal(stderr) ? "\r" : "\n";
	struct totals t = add_up(c);

	fprintf(stderr,
		"check: %llu of %llu programs (all below %llu), %.0f a second, %llu disagree%s",
		(unsigned long long)t.programs, (unsigned long long)c->o->programs,
		(unsigned long long)done_below(c), (double)t.programs / (seconds > 0 ? seconds : 1),
		(unsigned long long)t.disagreed, end);
}

/* ---- the end ---- */

static void print_word(const char *option, const char *word)
{
	if (word)
		printf(" %s '%s'", option, word);
}

/* The same command for what is left. */
static void print_rest(const struct crew *c)
{
	const struct check_options *o = c->o;
	uint64_t from = done_below(c), left = end_of(o) - from;

	if (!left)
		return;
	printf("ended before program %llu of %llu to %llu; to go on from there:\n",
	       (unsigned long long)from, (unsigned long long)o->from,
	       (unsigned long long)end_of(o) - 1);
	printf("  fsndiff check --random %llu --from %llu --seed %llu --ops %u --jobs %u",
	       (unsigned long long)left, (unsigned long long)from, (unsigned long long)o->seed,
	       o->ops, o->jobs);
	print_word("--executor", strcmp(o->executor, "optimized") ? o->executor : NULL);
	print_word("--level", o->level);
	print_word("--save", o->save);
	printf("\n");
}

static void print_summary(const struct crew *c, const struct check_count *count)
{
	struct totals t = add_up(c);

	check_count_print(count, t.programs);
	for (unsigned i = 0; i < c->shared->keys && i < KEYS; i++)
		printf("  %6u x %s\n", c->shared->seen[i], c->shared->key[i]);
	print_rest(c);
	printf("check: programs=%llu same=%llu skipped=%llu disagree=%llu\n",
	       (unsigned long long)t.programs,
	       (unsigned long long)(t.programs - t.skipped - t.disagreed),
	       (unsigned long long)t.skipped, (unsigned long long)t.disagreed);
}

/* ---- the parent's work ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

/* The first signal ends the run, the second one this process. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static bool hire(struct crew *c)
{
	pid_t self = getpid();

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &c->shared->worker[i];
		pid_t child = fork();
		if (child == 0)
			worker_main(c->o, c->shared, w, self);
		w->process = child;
		if (child < 0) {
			c->failed = true;
			command_fail(&command_check, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
			return false;
		}
		c->running++;
	}
	return true;
}

/* Ends processes that make no progress any more; they are this command's own. */
static void watch_over(struct crew *c, uint64_t *last, struct timespec *since)
{
	uint64_t now = add_up(c).operations;

	if (now != *last) {
		*last = now;
		clock_gettime(CLOCK_MONOTONIC, since);
	} else if (seconds_since(since) > STUCK_S) {
		for (unsigned i = 0; i < c->jobs; i++)
			if (c->shared->worker[i].process > 0)
				kill(c->shared->worker[i].process, SIGKILL);
	}
}

static void watch(struct crew *c)
{
	struct timespec since = c->start;
	uint64_t last = 0;
	unsigned turn = 0;

	while (c->running) {
		pause_ms(POLL_MS);
		c->shared->stop = c->shared->stop || interrupted;
		collect(c);
		reap(c);
		watch_over(c, &last, &since);
		if (turn++ % (command_is_terminal(stderr) ? 20 : 200) == 0)
			progress(c, false);
	}
	collect(c);
	progress(c, true);
}

static int finish(const struct crew *c)
{
	static struct check_count count;

	for (unsigned i = 0; i < c->jobs; i++)
		check_count_add(&count, &c->shared->worker[i].count);
	if (interrupted)
		fputs("check: interrupted\n", stderr);
	int status = check_coverage_write(&count.coverage, c->o);
	print_summary(c, &count);
	if (c->failed || status != EXIT_SAME)
		return EXIT_ENVIRONMENT;
	return add_up(c).disagreed ? EXIT_DIVERGED : EXIT_SAME;
}

int check_random(const struct check_options *o, const struct live_level *level)
{
	struct crew c = {.o = o, .jobs = o->jobs};

	if (c.jobs > o->programs)
		c.jobs = (unsigned)o->programs;
	size_t size = sizeof(struct shared) + c.jobs * sizeof(struct worker);
	if (o->save && mkdir(o->save, 0777) != 0 && errno != EEXIST)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "%s: %s", o->save,
				    strerror(errno));
	c.shared = check_shared(size);
	if (!c.shared)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	c.shared->level = *level;
	c.shared->next = o->from;
	for (unsigned i = 0; i < c.jobs; i++)
		c.shared->worker[i].at = UINT64_MAX;
	catch_signals();
	clock_gettime(CLOCK_MONOTONIC, &c.start);
	hire(&c);
	watch(&c);
	return finish(&c);
}
