/* SPDX-License-Identifier: MIT */
/*
 * A worker of `fsndiff fuzz` (fuzz/command_fuzz.h). It needs no compiler's coverage: a program is
 * interesting when an operation of it does something that none did before, as far as returns,
 * queues, marks and work tell. Interesting programs are what later ones are made of.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fuzz/command_fuzz.h"
#include "fuzz/minimize.h"
#include "fuzz/mutate.h"
#include "fuzz/sensible.h"

enum {
	FEATURE_BITS = 16,
	POOL_MAX = 2048,
	NEW_OPS = 24,	/* size of a program that is made from nothing */
	BATCH = 64,	/* programs between two looks at the clock of others */
	LOOK_EVERY = 4, /* one program in so many is looked at for novelty */
};

struct worker {
	const struct fuzz_options *options;
	struct shared *shared;
	struct slot *slot;
	unsigned number;
	int notify;
	struct rng rng;
	struct pair pair;
	unsigned pooled;
	struct program pool[POOL_MAX];
	uint8_t seen[1u << (FEATURE_BITS - 3)];
};

bool fuzz_claim(struct shared *s, const char *bucket)
{
	uint64_t hash = 1;

	for (const char *c = bucket; *c; c++)
		hash = world_mix(hash, (unsigned char)*c);
	hash |= 1;
	for (unsigned i = 0; i < BUCKETS_MAX; i++) {
		uint64_t there = 0;

		if (__atomic_compare_exchange_n(&s->bucket[i], &there, hash, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
		if (there == hash)
			return false;
	}
	return false;
}

/* ---- novelty ---- */

static bool is_new_feature(struct worker *w, uint64_t feature)
{
	uint32_t bit = (uint32_t)(world_mix(0x5eed, feature) >> 13) & ((1u << FEATURE_BITS) - 1);
	uint8_t mask = (uint8_t)(1u << (bit & 7));

	if (w->seen[bit >> 3] & mask)
		return false;
	w->seen[bit >> 3] |= mask;
	return true;
}

static bool is_interesting(struct worker *w, const struct program *p)
{
	struct executor *e = &w->pair.a;
	const struct world *world = e->world;
	uint64_t before = 0;
	bool interesting = false;

	executor_start(e, &p->config, NULL);
	for (unsigned i = 0; i < p->count; i++) {
		uint64_t events = world->events, marks = world->marks, files = world->files;
		int32_t ret = executor_step(e, &p->op[i]);
		uint64_t feature = p->op[i].id;

		feature = feature << 8 | (ret < 0 ? (uint8_t)-ret : 0);
		feature = feature << 1 | (world->events != events);
		feature = feature << 1 | (world->marks != marks);
		feature = feature << 1 | (world->files != files);
		feature = feature << 2 | (world->visits < 3 ? world->visits : 3);
		feature = feature << 2 | (world->sections < 3 ? world->sections : 3);
		interesting |= is_new_feature(w, feature);
		interesting |= is_new_feature(w, feature << 24 | before);
		before = feature & 0xffffff;
	}
	return interesting;
}

static void remember(struct worker *w, const struct program *p)
{
	unsigned at = w->pooled < POOL_MAX ? w->pooled++ : rng_below(&w->rng, POOL_MAX);

	w->pool[at] = *p;
}

/* ---- a divergence ---- */

static void hand_over(struct worker *w, const struct finding *f)
{
	uint8_t number = (uint8_t)w->number;

	w->slot->found = *f->program;
	w->slot->verdict = *f->verdict;
	while (write(w->notify, &number, 1) < 0)
		if (errno != EINTR)
			_exit(EXIT_ENVIRONMENT);
	while (sem_wait(&w->slot->taken) != 0 && errno == EINTR)
		;
}

static void diverged(struct worker *w, const struct program *p)
{
	char bucket_dir[FINDINGS_PATH], error[FINDINGS_ERROR];
	struct verdict v;
	struct finding f = {p, &v, w->options->pair, "worker"};
	const char *bucket = pair_bucket(&w->pair, p, &v);

	if (!bucket[0])
		return;
	if (v.known[0] && !w->options->strict) {
		tally_add(&w->slot->tally, v.known, 1);
		return;
	}
	if (!fuzz_claim(w->shared, bucket))
		return;
	if (findings_save(w->options->findings, &f, bucket_dir, error, sizeof(error)) ==
	    SAVED_FAILED) {
		fprintf(stderr, "fsndiff fuzz: %s\n", error);
		w->shared->failed = 1;
		w->shared->stop = 1;
		return;
	}
	hand_over(w, &f);
}

static void run(struct worker *w, const struct program *p, bool look)
{
	if (!pair_agrees(&w->pair, p))
		diverged(w, p);
	else if (look && is_interesting(w, p))
		remember(w, p);
	w->slot->execs++;
}

/* ---- the loop ---- */

static void next_program(struct worker *w, struct program *p)
{
	if (!w->pooled || rng_below(&w->rng, 8) == 0) {
		sensible_program(p, NEW_OPS, &w->pair.a, &w->rng);
		return;
	}
	*p = w->pool[rng_below(&w->rng, w->pooled)];
	if (rng_below(&w->rng, 8) == 0)
		cross_programs(p, &w->pool[rng_below(&w->rng, w->pooled)], &w->rng);
	mutate_program(p, &w->rng);
}

static void run_corpus(struct worker *w, const struct input_list *corpus)
{
	char error[INPUT_ERROR];

	for (unsigned i = w->number; i < corpus->count && !w->shared->stop;
	     i += (unsigned)w->options->jobs) {
		struct input in;

		if (!input_load(&in, corpus->path[i], error, sizeof(error)))
			continue;
		w->slot->current = in.trace->program;
		run(w, &w->slot->current, true);
		input_free(&in);
	}
}

_Noreturn void fuzz_worker(const struct fuzz_options *o, struct shared *s, unsigned number,
			   unsigned round, const struct input_list *corpus, int notify)
{
	struct worker *w = calloc(1, sizeof(*w));
	char error[1024];
	uint64_t limit = o->runs / o->jobs + (number < o->runs % o->jobs);

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (!w || !pair_open(&w->pair, o->pair, error, sizeof(error)))
		_exit(EXIT_ENVIRONMENT);
	w->options = o;
	w->shared = s;
	w->slot = &s->slot[number];
	w->number = number;
	w->notify = notify;
	w->rng.state = o->seed + ((uint64_t)number << 32) + ((uint64_t)round << 48);
	if (round == 0)
		run_corpus(w, corpus);
	while (!s->stop && (!o->runs || w->slot->execs < limit)) {
		for (unsigned i = 0; i < BATCH && !s->stop; i++) {
			next_program(w, &w->slot->current);
			run(w, &w->slot->current, i % LOOK_EVERY == 0);
		}
	}
	_exit(EXIT_SAME);
}
