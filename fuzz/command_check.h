/* SPDX-License-Identifier: MIT */
/*
 * What the files of `fsndiff check` share: one program on the model and on the running kernel,
 * operation by operation, as text.
 *
 *   fuzz/command_check.c            options, processes, the level
 *   fuzz/command_check_run.c        one program
 *   fuzz/command_check_files.c      traces
 *   fuzz/command_check_scenarios.c  the corpus's scenarios on three executors
 *   fuzz/command_check_random.c     generated programs in many processes
 *   fuzz/command_check_generate.c   how they are made
 *   fuzz/command_check_count.c      what happened, in numbers
 *   fuzz/command_check_coverage.c   who was told of what
 */
#ifndef FUZZ_COMMAND_CHECK_H
#define FUZZ_COMMAND_CHECK_H

#include "fuzz/command.h"
#include "fuzz/outcome.h"
#include "fuzz/text.h"
#include "kernel/live/live.h"

enum { CHECK_REASON = 256, CHECK_COOKIES = 256 };

enum check_status {
	CHECK_SAME,
	CHECK_SKIPPED,	 /* `reason` says why; up to `op` both sides were the same */
	CHECK_DISAGREES, /* at `op` */
	CHECK_FAILED,	 /* the kernel side cannot run; `reason` says why */
	CHECK_STATUSES,
};

struct check_result {
	enum check_status status;
	unsigned op;
	int32_t ret; /* of the model, for the last operation */
	bool both;   /* the kernel did that operation, too: there is a system call for it */
	char reason[CHECK_REASON];
	char model[LIVE_OUTCOME];
	char kernel[LIVE_OUTCOME];
};

/* Both sides, in one process. */
struct check {
	struct executor model;
	struct live *live;
	struct live_level level; /* of the model: what it is held to */
	struct journal journal;
	unsigned cookies;
	uint32_t cookie[CHECK_COOKIES][2]; /* the kernel's number, the model's */
};

/* Called after every operation on which the sides agree; `so_far` is what came of it. */
typedef void (*check_watch)(void *context, unsigned op, const struct check_result *so_far);

/* Opens both sides in this process, which must have been forked for it. A level that is not null
 * is what the model is held to; otherwise it is found out. */
bool check_open(struct check *c, const char *executor, const struct live_level *level, char *error,
		size_t size);
void check_close(struct check *c);

void check_program(struct check *c, const struct program *p, struct check_result *r,
		   check_watch watch, void *context);

/* Is this outcome the name of an error? */
bool check_is_error(const char *outcome);

/* What the disagreement is about, for counting: "open: EPERM/ok", "read g: records". */
void check_key(const struct program *p, const struct check_result *r, char *out, size_t size);

struct check_options {
	const char *executor; /* the model's build */
	const char *level;    /* as it was asked for, or null */
	bool probe, scenarios, verbose;
	const char *corpus;   /* of the scenarios, or null: the one beside the executable */
	const char *coverage; /* file for the tables of what was delivered, or null */

	/* Programs `from` to `from` + `programs` - 1 of a seed. Which program has which number
	 * depends on the seed, `ops`, the executor and the level, on nothing else. */
	uint64_t programs, from, seed;
	unsigned ops, jobs;
	const char *save; /* directory, or null */

	int argc; /* the whole command line */
	char **argv;
};

/* The modes of the command, each in a file of its own; each gives the exit code. Generated programs
 * are run until all are done or a signal ends it. */
int check_files(const struct check_options *o, const struct live_level *level, char **paths,
		unsigned count);
int check_scenarios(const struct check_options *o, const struct live_level *level);
int check_random(const struct check_options *o, const struct live_level *level);

/* Makes both sides in a new process and calls `run` there. Its exit code; 3 and a message when it
 * could not start or did not end by itself. A level that is null is found out. */
int check_in_child(const struct check_options *o, const struct live_level *level,
		   int (*run)(struct check *c, void *context), void *context);

/* Memory, all zero, that this process and its children see; null when there is none. */
void *check_shared(size_t size);

/* A program that a kernel can run, out of random numbers: held against the model while it is made,
 * so that most of its operations find what they are about. */
void check_generate(struct executor *model, uint32_t features, unsigned ops, uint64_t seed,
		    struct program *p);

#endif
