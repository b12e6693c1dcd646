/* SPDX-License-Identifier: MIT */
/*
 * How the processes of `fsndiff fuzz` work together. The parent runs no program. Workers mutate and
 * run; what they find they save at once, then they hand it to the parent through shared memory and
 * go on. The parent forks a handler, which verifies, minimises and prints. All of them die with
 * the parent.
 */
#ifndef FUZZ_COMMAND_FUZZ_H
#define FUZZ_COMMAND_FUZZ_H

#include <semaphore.h>

#include "fuzz/command.h"
#include "fuzz/input.h"

enum { JOBS_MAX = 64, BUCKETS_MAX = 256 };

/* One worker's part of the shared memory; only the worker writes to it, but for `taken`. */
struct slot {
	volatile uint64_t execs;
	struct tally tally;
	struct program current; /* being run: what is left when the worker crashes */
	struct program found;
	struct verdict verdict;
	sem_t taken; /* the parent has made a copy of `found` */
};

struct shared {
	volatile int stop;	      /* workers: no more programs */
	volatile int hurry;	      /* handlers: no more shrinking */
	volatile int failed;	      /* a finding could not be saved */
	uint64_t bucket[BUCKETS_MAX]; /* hashes of the buckets that somebody looks after */
	struct slot slot[];
};

struct fuzz_options {
	const char *pair, *corpus, *findings;
	uint64_t seconds, runs, jobs, seed;
	bool strict, keep_going;
};

/* Claims a bucket. True: nobody did before, it is the caller's to report. */
bool fuzz_claim(struct shared *s, const char *bucket);

/* The body of a worker; `notify` takes its number, a byte, when it has found something. `round`
 * tells workers apart that follow one another in the same slot. Never returns. */
_Noreturn void fuzz_worker(const struct fuzz_options *o, struct shared *s, unsigned number,
			   unsigned round, const struct input_list *corpus, int notify);

#endif
