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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/command_check.h"
#include "fuzz/minimize.h"

enum {
	KEYS = 256, /* kinds of disagreement that are told apart */
	KEY_TEXT = 64,
	PER_KEY = 3,	    /* minimised and saved of each kind */
	SHRINK_TRIES = 400, /* programs */
	POLL_MS = 50,
	STUCK_S = 60, /* a process without progress for so long is given up */
};

/* What happened to the operations of one kind. */
struct counts {
	uint64_t runs, did, disagreed;
};

/* How a group can be told of an event. */
enum mode { MODE_WATCH, MODE_PATH, MODE_HANDLE, MODE_NAME, MODE_ASKED, MODE_DENIED, MODES };

static const char *const mode_names[MODES] = {"inotify", "path",  "handle",
					      "name",	 "asked", "denied"};

/* Records are counted by event, and once more where somebody else caused them. */
static const char *const doers[] = {"by=thread", "by=other", "by=hidden"};

enum { EVENT_BITS = 32, ROWS = EVENT_BITS + sizeof(doers) / sizeof(doers[0]) };

struct found {
	_Atomic int ready; /* the parent clears it */
	bool solid;
	uint64_t index;
	char key[KEY_TEXT];
	struct program program;
	struct check_result result;
};

struct worker {
	pid_t process; /* the parent's */
	_Atomic uint64_t programs;
	uint64_t operations, skipped, disagreed, flaky;
	struct counts op[OP_COUNT];
	uint64_t records[ROWS][MODES]; /* that were read */
	char error[512];
	struct found found;
};

struct shared {
	_Atomic uint64_t next; /* program to be run */
	_Atomic unsigned keys;
	char key[KEYS][KEY_TEXT];
	_Atomic unsigned seen[KEYS];
	struct live_level level;
	struct worker worker[];
};

/* ---- one worker ---- */

struct work {
	const struct check_random *what;
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
		minimize_program(&f->program, still_disagrees, w, SHRINK_TRIES, &stats);
		still_disagrees(w, &f->program);
		f->result = w->result;
	} else {
		w->me->flaky++;
	}
	f->ready = 1;
}

/* ---- counting ---- */

static enum mode mode_of(const char *record)
{
	if (strncmp(record, "ask ", 4) == 0)
		return strstr(record, " deny") ? MODE_DENIED : MODE_ASKED;
	if (strncmp(record, "wd=", 3) == 0)
		return MODE_WATCH;
	if (strstr(record, " name="))
		return MODE_NAME;
	return strstr(record, "fid=") ? MODE_HANDLE : MODE_PATH;
}

/* The events of one record: the only word of it in capitals. */
static void count_record(struct worker *me, char *record)
{
	enum mode mode = mode_of(record);
	char *at = record + strcspn(record, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	char text[TEXT_LINE];

	for (unsigned row = EVENT_BITS; row < ROWS; row++)
		me->records[row][mode] += strstr(record, doers[row - EVENT_BITS]) != NULL;
	at[strcspn(at, " ")] = '\0';
	for (char *word; (word = strsep(&at, "|"));)
		for (unsigned bit = 0; bit < EVENT_BITS; bit++)
			if (strcmp(word, text_events(1u << bit, text, sizeof(text))) == 0 ||
			    strcmp(word, text_watch_events(1u << bit, text, sizeof(text))) == 0) {
				me->records[bit][mode]++;
				break;
			}
}

static void count_records(struct worker *me, const char *outcome)
{
	static char copy[LIVE_OUTCOME];
	char *record, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", outcome);
	while (strcmp(outcome, "none") != 0 && (record = strsep(&rest, ";")))
		count_record(me, record + (*record == ' '));
}

static void count_op(void *context, unsigned op, const char *kernel)
{
	struct work *w = context;
	struct counts *c = &w->me->op[w->program.op[op].id];

	c->runs++;
	c->did += strcmp(kernel, "EBADF") != 0;
	w->me->operations++;
	if (w->program.op[op].id == OP_GROUP_READ && c->did)
		count_records(w->me, kernel);
}

static void run_one(struct work *w, uint64_t index)
{
	uint64_t seed = w->what->seed << 32 ^ index;

	check_generate(&w->check.model, w->check.level.features, w->what->ops, seed, &w->program);
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
	w->me->op[w->program.op[w->result.op].id].disagreed++;
	check_key(&w->program, &w->result, w->key, sizeof(w->key));
	if (w->shared->seen[key_index(w->shared, w->key)]++ < PER_KEY)
		hand_over(w, index);
}

static _Noreturn void worker_main(const struct check_random *what, struct shared *s,
				  struct worker *me, pid_t parent)
{
	static struct work w;
	uint64_t index;

	w.what = what;
	w.shared = s;
	w.me = me;
	if (!check_open(&w.check, what->executor, &s->level, me->error, sizeof(me->error)))
		_exit(EXIT_ENVIRONMENT);
	while (getppid() == parent && (index = s->next++) < what->programs) {
		run_one(&w, index);
		me->programs++;
	}
	check_close(&w.check);
	_exit(EXIT_SAME);
}

/* ---- the parent ---- */

struct crew {
	const struct check_random *what;
	struct shared *shared;
	unsigned running;
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
		(unsigned long long)c->what->seed);
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
	if (c->what->save) {
		snprintf(path, sizeof(path), "%s/%s-%llu-%llu.fsn", c->what->save, name,
			 (unsigned long long)c->what->seed, (unsigned long long)f->index);
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
	for (unsigned i = 0; i < c->what->jobs; i++) {
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
		for (unsigned i = 0; i < c->what->jobs; i++) {
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
	uint64_t programs, operations, skipped, disagreed, flaky;
	struct counts op[OP_COUNT], all;
	uint64_t records[ROWS][MODES];
};

static void add_up(const struct crew *c, struct totals *t)
{
	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < c->what->jobs; i++) {
		const struct worker *w = &c->shared->worker[i];
		t->programs += w->programs;
		t->operations += w->operations;
		t->skipped += w->skipped;
		t->disagreed += w->disagreed;
		t->flaky += w->flaky;
		for (unsigned k = 0; k < ROWS * MODES; k++)
			t->records[k / MODES][k % MODES] += w->records[k / MODES][k % MODES];
		for (unsigned k = 0; k < OP_COUNT; k++) {
			t->op[k].runs += w->op[k].runs;
			t->op[k].did += w->op[k].did;
			t->op[k].disagreed += w->op[k].disagreed;
			t->all.runs += w->op[k].runs;
			t->all.did += w->op[k].did;
		}
	}
}

static void progress(const struct crew *c, bool last)
{
	static struct totals t;
	double seconds = seconds_since(&c->start);
	const char *end = last ? "\n" : command_is_terminal(stderr) ? "\r" : "\n";

	add_up(c, &t);
	fprintf(stderr, "check: %llu of %llu programs, %.0f a second, %llu disagree%s",
		(unsigned long long)t.programs, (unsigned long long)c->what->programs,
		(double)t.programs / (seconds > 0 ? seconds : 1), (unsigned long long)t.disagreed,
		end);
}

static const char *row_name(unsigned row, char *name, size_t size)
{
	if (row >= EVENT_BITS)
		return doers[row - EVENT_BITS];
	return 1u << row == FS_IN_IGNORED ? "IGNORED" : text_events(1u << row, name, size);
}

static void print_records(const struct totals *t)
{
	char name[TEXT_LINE];

	printf("\n%-14s", "records");
	for (unsigned mode = 0; mode < MODES; mode++)
		printf(" %10s", mode_names[mode]);
	printf("\n");
	for (unsigned row = 0; row < ROWS; row++) {
		uint64_t any = 0;
		for (unsigned mode = 0; mode < MODES; mode++)
			any += t->records[row][mode];
		if (!any)
			continue;
		printf("%-14s", row_name(row, name, sizeof(name)));
		for (unsigned mode = 0; mode < MODES; mode++)
			printf(" %10llu", (unsigned long long)t->records[row][mode]);
		printf("\n");
	}
	printf("\n");
}

static void print_summary(const struct crew *c)
{
	static struct totals t;

	add_up(c, &t);
	printf("%-14s %10s %10s %6s %10s\n", "operation", "runs", "did", "", "disagree");
	for (unsigned i = 0; i < OP_COUNT; i++)
		if (t.op[i].runs || t.op[i].disagreed)
			printf("%-14s %10llu %10llu %5.1f%% %10llu\n", op_table[i].id,
			       (unsigned long long)t.op[i].runs, (unsigned long long)t.op[i].did,
			       t.op[i].runs ? 100.0 * (double)t.op[i].did / (double)t.op[i].runs
					    : 0,
			       (unsigned long long)t.op[i].disagreed);
	print_records(&t);
	for (unsigned i = 0; i < c->shared->keys && i < KEYS; i++)
		printf("  %6u x %s\n", c->shared->seen[i], c->shared->key[i]);
	printf("operations: %llu, %.1f a program, %.1f%% did something\n",
	       (unsigned long long)t.operations,
	       t.programs ? (double)t.operations / (double)t.programs : 0,
	       t.all.runs ? 100.0 * (double)t.all.did / (double)t.all.runs : 0);
	printf("check: programs=%llu same=%llu skipped=%llu disagree=%llu\n",
	       (unsigned long long)t.programs,
	       (unsigned long long)(t.programs - t.skipped - t.disagreed),
	       (unsigned long long)t.skipped, (unsigned long long)t.disagreed);
}

static bool hire(struct crew *c)
{
	pid_t self = getpid();

	for (unsigned i = 0; i < c->what->jobs; i++) {
		struct worker *w = &c->shared->worker[i];
		pid_t child = fork();
		if (child == 0)
			worker_main(c->what, c->shared, w, self);
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
	static struct totals t;

	add_up(c, &t);
	uint64_t now = t.operations;
	if (now != *last) {
		*last = now;
		clock_gettime(CLOCK_MONOTONIC, since);
	} else if (seconds_since(since) > STUCK_S) {
		for (unsigned i = 0; i < c->what->jobs; i++)
			if (c->shared->worker[i].process > 0)
				kill(c->shared->worker[i].process, SIGKILL);
	}
}

int check_random_run(const struct check_random *what, const struct live_level *level)
{
	size_t size = sizeof(struct shared) + what->jobs * sizeof(struct worker);
	struct crew c = {.what = what};
	uint64_t last = 0;
	unsigned turn = 0;

	if (what->save && mkdir(what->save, 0777) != 0 && errno != EEXIST)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "%s: %s", what->save,
				    strerror(errno));
	c.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c.shared == MAP_FAILED)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	c.shared->level = *level;
	clock_gettime(CLOCK_MONOTONIC, &c.start);
	struct timespec since = c.start;
	hire(&c);
	while (c.running) {
		pause_ms(POLL_MS);
		collect(&c);
		reap(&c);
		watch_over(&c, &last, &since);
		if (turn++ % (command_is_terminal(stderr) ? 20 : 200) == 0)
			progress(&c, false);
	}
	collect(&c);
	progress(&c, true);
	print_summary(&c);
	static struct totals t;
	add_up(&c, &t);
	munmap(c.shared, size);
	if (c.failed)
		return EXIT_ENVIRONMENT;
	return t.disagreed ? EXIT_DIVERGED : EXIT_SAME;
}
