/* SPDX-License-Identifier: MIT */
/*
 * How fast is the hot path: decode, run on both sides, compare after every operation?
 *
 *     pairs [--pair A,B] [--programs N] [--ops N] [--rounds N] [--only PART] [--json]
 *
 * PART is pair, empty, a or b: measure only that, to count its instructions.
 *
 * The programs are generated as the fuzzers do (fuzz/sensible.h) from a fixed seed, encoded once,
 * and then decoded and run again and again, so that every machine measures the same work. Rates are
 * per second of processor time and the best of the rounds: what else the machine does counts as
 * little as possible. A divergence is judged and explained as a fuzz target does it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/bytes.h"
#include "fuzz/compare.h"
#include "fuzz/sensible.h"
#include "fuzz/tree_loader.h"

struct options {
	const char *pair;
	unsigned programs;
	unsigned ops;
	unsigned rounds;
	const char *only; /* or null */
	bool json;
};

struct sample {
	const uint8_t *data;
	size_t size;
};

/* Encoded programs, one behind the other. */
struct samples {
	unsigned count;
	struct sample *sample;
	uint8_t *bytes;
	size_t used;
};

struct result {
	double pair_ns;	      /* per program: decode, both sides, compare */
	double empty_ns;      /* the same with an empty program */
	double side_ns[2];    /* per operation of one side alone */
	unsigned long failed; /* operations that returned an error, on side B */
	unsigned long known;
	unsigned long fresh;
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void add_sample(struct samples *s, const struct program *p)
{
	struct sample *next = &s->sample[s->count++];
	next->data = s->bytes + s->used;
	next->size = bytes_encode(p, s->bytes + s->used, BYTES_MAX);
	s->used += next->size;
}

static bool make_samples(struct samples *s, unsigned count, unsigned ops, struct executor *e)
{
	struct rng rng = {1};
	struct program p;
	s->sample = calloc(count, sizeof(*s->sample));
	s->bytes = malloc((size_t)count * (8 + ops * 24) + BYTES_MAX);
	if (!s->sample || !s->bytes)
		return false;
	for (unsigned i = 0; i < count; i++) {
		program_clear(&p);
		while (p.count != ops)
			sensible_program(&p, ops, e, &rng);
		add_sample(s, &p);
	}
	return true;
}

static void free_samples(struct samples *s)
{
	free(s->sample);
	free(s->bytes);
}

static void judge(struct pair *pair, const struct program *p, struct result *r)
{
	struct verdict v;
	pair_judge(pair, p, &v);
	pair_explain(pair, p, &v);
	if (v.explained_by)
		r->known++;
	else
		r->fresh++;
}

static double time_pair(struct pair *pair, const struct samples *s, struct result *r)
{
	static struct program p;
	double start = now_ns();
	for (unsigned i = 0; i < s->count; i++) {
		bytes_decode(s->sample[i].data, s->sample[i].size, &p);
		if (!pair_agrees(pair, &p))
			judge(pair, &p, r);
	}
	return (now_ns() - start) / s->count;
}

/* One side alone, decoded beforehand in small batches so that only the core is on the clock. */
static double time_side(struct executor *e, const struct samples *s, unsigned long *failed)
{
	enum { BATCH = 64 };
	static struct program batch[BATCH];
	unsigned long ops = 0;
	double spent = 0;
	*failed = 0;
	for (unsigned i = 0; i < s->count; i += BATCH) {
		unsigned n = s->count - i < BATCH ? s->count - i : BATCH;
		for (unsigned k = 0; k < n; k++)
			bytes_decode(s->sample[i + k].data, s->sample[i + k].size, &batch[k]);
		double start = now_ns();
		for (unsigned k = 0; k < n; k++) {
			executor_start(e, &batch[k].config, NULL);
			for (unsigned at = 0; at < batch[k].count; at++)
				*failed += executor_step(e, &batch[k].op[at]) < 0;
			ops += batch[k].count;
		}
		spent += now_ns() - start;
	}
	return ops ? spent / (double)ops : 0;
}

static void keep_best(double *best, double value)
{
	if (*best == 0 || value < *best)
		*best = value;
}

static bool wanted(const struct options *o, const char *part)
{
	return !o->only || !strcmp(o->only, part);
}

static void measure(struct pair *pair, const struct samples *programs, const struct samples *empty,
		    const struct options *o, struct result *r)
{
	for (unsigned round = 0; round < o->rounds; round++) {
		if (wanted(o, "empty"))
			keep_best(&r->empty_ns, time_pair(pair, empty, r));
		r->known = 0;
		r->fresh = 0;
		if (wanted(o, "pair"))
			keep_best(&r->pair_ns, time_pair(pair, programs, r));
		if (wanted(o, "a"))
			keep_best(&r->side_ns[0], time_side(&pair->a, programs, &r->failed));
		if (wanted(o, "b"))
			keep_best(&r->side_ns[1], time_side(&pair->b, programs, &r->failed));
	}
}

static double per_second(double ns)
{
	return ns > 0 ? 1e9 / ns : 0;
}

static void print_result(const struct pair *pair, const struct options *o, const struct result *r)
{
	const char *format =
		o->json ? "{\"pair\":\"%s,%s\",\"programs\":%u,\"ops\":%u,\"programs_per_s\":%.0f,"
			  "\"empty_per_s\":%.0f,\"ns_per_op_a\":%.1f,\"ns_per_op_b\":%.1f,"
			  "\"success\":%.3f,\"known\":%lu,\"new\":%lu}\n"
			: "pair %s,%s: %u programs of %u operations\n"
			  "  %.0f programs/s (decode, both sides, compare), empty program %.0f/s\n"
			  "  %.1f and %.1f ns per operation, %.3f of the operations succeed\n"
			  "  divergences in one round: %lu known, %lu new\n";
	printf(format, pair->a.name, pair->b.name, o->programs, o->ops, per_second(r->pair_ns),
	       per_second(r->empty_ns), r->side_ns[0], r->side_ns[1],
	       1 - (double)r->failed / ((double)o->programs * o->ops), r->known, r->fresh);
}

static bool parse_number(const char *text, unsigned low, unsigned high, unsigned *out)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);
	if (errno || *end || end == text || n < low || n > high)
		return false;
	*out = (unsigned)n;
	return true;
}

static bool parse_part(const char *text, const char **out)
{
	static const char *const parts[] = {"pair", "empty", "a", "b"};
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(text, parts[i])) {
			*out = parts[i];
			return true;
		}
	return false;
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		bool ok = true;
		if (!strcmp(argv[i], "--json")) {
			o->json = true;
			continue;
		}
		if (!strcmp(argv[i], "--pair"))
			o->pair = value;
		else if (!strcmp(argv[i], "--programs"))
			ok = parse_number(value, 1, 1000000, &o->programs);
		else if (!strcmp(argv[i], "--ops"))
			ok = parse_number(value, 1, PROGRAM_OPS, &o->ops);
		else if (!strcmp(argv[i], "--rounds"))
			ok = parse_number(value, 1, 1000000, &o->rounds);
		else if (!strcmp(argv[i], "--only"))
			ok = parse_part(value, &o->only);
		else
			ok = false;
		if (!ok) {
			fprintf(stderr, "pairs: bad option: %s %s\n", argv[i], value);
			return false;
		}
		i++;
	}
	return true;
}

static bool run(struct pair *pair, const struct options *o, struct result *r)
{
	struct samples programs = {0}, empty = {0};
	bool ok = make_samples(&programs, o->programs, o->ops, &pair->a) &&
		  make_samples(&empty, 4096, 0, &pair->a);
	if (ok)
		measure(pair, &programs, &empty, o, r);
	free_samples(&programs);
	free_samples(&empty);
	return ok;
}

int main(int argc, char **argv)
{
	struct options o = {"vanilla,optimized", 20000, 16, 5, NULL, false};
	static struct pair pair;
	struct result r = {0};
	char error[256];
	if (!parse_options(argc, argv, &o))
		return 2;
	tree_loader_use();
	if (!pair_open(&pair, o.pair, error, sizeof(error))) {
		fprintf(stderr, "pairs: %s\n", error);
		return 2;
	}
	bool ok = run(&pair, &o, &r);
	if (ok)
		print_result(&pair, &o, &r);
	else
		fprintf(stderr, "pairs: no memory for %u programs\n", o.programs);
	pair_close(&pair);
	return ok ? 0 : 3;
}
