/* SPDX-License-Identifier: MIT */
/*
 * Proves: a pair of executors agrees on every program, but for known divergences. The main target,
 * for both engines and, without one, for files. Takes the byte form; text traces are read, too.
 *
 *     FSNDIFF_PAIR=A,B        the executors (vanilla,optimized); two kernel trees, too: the
 * kernel's own code is instrumented like the target FSNDIFF_STRICT=1        known divergences are
 * new ones FSNDIFF_FINDINGS=DIR    a new divergence is saved there (fuzz/findings.h) before it
 * aborts FSNDIFF_ONCE=1          only the first one of a bucket aborts; a campaign goes on past the
 * rest FSNDIFF_STATS=FILE      counts, as JSON, replaced each second and at the end; what is there
 *                             already is added to, so one FILE belongs to one worker
 *
 * A known divergence is counted, and libFuzzer is told not to keep the input: explaining it takes
 * ten times as long as running it, and a corpus full of them would be about nothing else. A new one
 * is printed, with its key and as text, and aborts in a function of its own per key, so that tools
 * that group crashes by their stacks group by key.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/bytes.h"
#include "fuzz/explain.h"
#include "fuzz/findings.h"
#include "fuzz/minimize.h"
#include "fuzz/text.h"
#include "fuzz/tree_loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { CLOCK_EVERY = 1 << 12 };

static struct pair pair;
static const char *pair_name, *findings_dir, *stats_file;
static bool strict, once;

/* ---- counts ---- */

static struct {
	uint64_t execs, fresh;
	double since;
	struct tally known;
} stats; /* since they were last written */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct totals {
	uint64_t execs, fresh;
	double seconds;
	struct tally known;
};

/* Reads what write_totals() wrote. */
static void read_totals(struct totals *t)
{
	char name[32], line[256];
	uint64_t n;
	FILE *in = fopen(stats_file, "r");

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, " \"execs\": %" SCNu64, &t->execs) == 1 ||
		    sscanf(line, " \"new\": %" SCNu64, &t->fresh) == 1 ||
		    sscanf(line, " \"seconds\": %lf", &t->seconds) == 1)
			continue;
		if (sscanf(line, " \"%31[K0-9+]\": %" SCNu64, name, &n) == 2)
			tally_add(&t->known, name, n);
	}
	if (in)
		fclose(in);
}

static void write_totals(const struct totals *t, FILE *out)
{
	const char *comma = "";

	fprintf(out,
		"{\n  \"execs\": %" PRIu64 ",\n  \"new\": %" PRIu64 ",\n  \"seconds\": %.1f,\n"
		"  \"updated\": %lld,\n  \"known\": {",
		t->execs, t->fresh, t->seconds, (long long)time(NULL));
	for (unsigned i = 0; i < TALLY_MAX; i++) {
		if (!t->known.known[i].count)
			continue;
		fprintf(out, "%s\n    \"%s\": %" PRIu64, comma, t->known.known[i].name,
			t->known.known[i].count);
		comma = ",";
	}
	fputs("\n  }\n}\n", out);
}

static void flush_stats(void)
{
	struct totals t = {0};
	char temporary[FINDINGS_PATH];
	double at = now();
	FILE *out;
	bool ok;

	if (!stats_file ||
	    snprintf(temporary, sizeof(temporary), "%s.new", stats_file) >= (int)sizeof(temporary))
		return;
	read_totals(&t);
	t.execs += stats.execs;
	t.fresh += stats.fresh;
	t.seconds += at - stats.since;
	for (unsigned i = 0; i < TALLY_MAX; i++)
		if (stats.known.known[i].count)
			tally_add(&t.known, stats.known.known[i].name, stats.known.known[i].count);
	out = fopen(temporary, "w");
	if (!out)
		return;
	write_totals(&t, out);
	ok = !ferror(out);
	if (fclose(out) != 0 || !ok || rename(temporary, stats_file) != 0)
		return;
	memset(&stats, 0, sizeof(stats));
	stats.since = at;
}

/* ---- a frame per bucket key ---- */

#define NOINLINE __attribute__((noinline))
/* Storing there tells the functions apart, lest equal ones become one. */
volatile int divergence_frame;

#define FRAME(oracle, n)                                             \
	static NOINLINE _Noreturn void diverged_##oracle##_##n(void) \
	{                                                            \
		divergence_frame = n;                                \
		abort();                                             \
	}
#define FRAMES(oracle)    \
	FRAME(oracle, 0)  \
	FRAME(oracle, 1)  \
	FRAME(oracle, 2)  \
	FRAME(oracle, 3)  \
	FRAME(oracle, 4)  \
	FRAME(oracle, 5)  \
	FRAME(oracle, 6)  \
	FRAME(oracle, 7)  \
	FRAME(oracle, 8)  \
	FRAME(oracle, 9)  \
	FRAME(oracle, 10) \
	FRAME(oracle, 11) \
	FRAME(oracle, 12) \
	FRAME(oracle, 13) \
	FRAME(oracle, 14) \
	FRAME(oracle, 15)
#define FRAME_TABLE(o)                                                                             \
	{                                                                                          \
		diverged_##o##_0, diverged_##o##_1, diverged_##o##_2, diverged_##o##_3,            \
			diverged_##o##_4, diverged_##o##_5, diverged_##o##_6, diverged_##o##_7,    \
			diverged_##o##_8, diverged_##o##_9, diverged_##o##_10, diverged_##o##_11,  \
			diverged_##o##_12, diverged_##o##_13, diverged_##o##_14, diverged_##o##_15 \
	}

enum { FRAMES_PER_ORACLE = 16 };

FRAMES(returns)
FRAMES(events)
FRAMES(marks)
FRAMES(files)
FRAMES(work)
FRAMES(masks)
FRAMES(balance)
FRAMES(steps)

static void (*const frames[ORACLE_COUNT][FRAMES_PER_ORACLE])(void) = {
	[ORACLE_RETURNS] = FRAME_TABLE(returns), [ORACLE_EVENTS] = FRAME_TABLE(events),
	[ORACLE_MARKS] = FRAME_TABLE(marks),	 [ORACLE_FILES] = FRAME_TABLE(files),
	[ORACLE_WORK] = FRAME_TABLE(work),	 [ORACLE_MASKS] = FRAME_TABLE(masks),
	[ORACLE_BALANCE] = FRAME_TABLE(balance), [ORACLE_STEPS] = FRAME_TABLE(steps),
};

static NOINLINE void abort_by_key(const struct verdict *v)
{
	uint64_t hash = 0;

	for (const char *c = verdict_bucket(v); *c; c++)
		hash = world_mix(hash, (unsigned char)*c);
	frames[v->oracle][(hash >> 32) % FRAMES_PER_ORACLE]();
}

/* ---- a divergence ---- */

static void diverged(const struct program *p)
{
	char bucket[FINDINGS_PATH], error[FINDINGS_ERROR];
	struct verdict v;
	struct finding f = {p, &v, pair_name, "builds_agree"};
	enum saved saved = SAVED_NEW;

	if (!pair_bucket(&pair, p, &v)[0]) {
		fputs("the judge does not see what the hot path saw\n", stderr);
		abort();
	}
	if (v.known[0] && !strict) {
		tally_add(&stats.known, v.known, 1);
		return;
	}
	stats.fresh++;
	if (findings_dir)
		saved = findings_save(findings_dir, &f, bucket, error, sizeof(error));
	if (saved == SAVED_FAILED)
		fprintf(stderr, "%s\n", error);
	else if (saved != SAVED_NEW && once)
		return;
	fprintf(stderr, "\ndivergence: %s%s%s\n", v.key, v.known[0] ? ", known as " : "", v.known);
	findings_print_trace(&f, stderr);
	explain_print(&pair, p, &v, stderr, false, false);
	flush_stats();
	abort_by_key(&v);
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") != 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char error[1024];

	(void)argc;
	(void)argv;
	pair_name = getenv("FSNDIFF_PAIR");
	if (!pair_name || !*pair_name)
		pair_name = PAIR_DEFAULT;
	findings_dir = getenv("FSNDIFF_FINDINGS");
	stats_file = getenv("FSNDIFF_STATS");
	strict = is_set("FSNDIFF_STRICT");
	once = is_set("FSNDIFF_ONCE");
	tree_loader_use();
	if (!pair_open(&pair, pair_name, error, sizeof(error))) {
		fprintf(stderr, "FSNDIFF_PAIR: %s\n", error);
		exit(2);
	}
	stats.since = now();
	atexit(flush_stats);
	return 0;
}

static bool read_program(const uint8_t *data, size_t size, struct program *p)
{
	static struct trace trace;
	struct text_error error;

	if (!text_recognize(data, size))
		return bytes_decode(data, size, p) != BYTES_FOREIGN;
	if (!text_parse("input", (const char *)data, size, &trace, &error))
		return false;
	*p = trace.program;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program p;
	int keep = 0;

	if (!read_program(data, size, &p))
		return -1;
	if (!pair_agrees(&pair, &p)) {
		diverged(&p);
		keep = -1;
	}
	if (++stats.execs % CLOCK_EVERY == 0 && now() - stats.since >= 1)
		flush_stats();
	return keep;
}
