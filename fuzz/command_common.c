/* SPDX-License-Identifier: MIT */
/* What the subcommands share (fuzz/command.h): complaints, numbers, handling a finding. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/command.h"
#include "fuzz/explain.h"
#include "fuzz/input.h"
#include "fuzz/minimize.h"

enum { CRASH_BUDGET = 3000 }; /* tries, each in a process of its own */

static void complain(const struct command *c, const char *format, va_list args)
{
	fprintf(stderr, "fsndiff %s: ", c->name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int command_usage(const struct command *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(c, format, args);
	va_end(args);
	fprintf(stderr, "Try \"fsndiff %s --help\".\n", c->name);
	return EXIT_USAGE;
}

int command_fail(const struct command *c, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(c, format, args);
	va_end(args);
	return code;
}

int command_help(const struct command *c)
{
	fputs(c->help, stdout);
	return EXIT_SAME;
}

bool command_number(const struct command *c, const char *option, const char *text, uint64_t least,
		    uint64_t most, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && text[0] >= '0' && text[0] <= '9' && *value >= least &&
	    *value <= most)
		return true;
	command_usage(c, "%s %s: a number from %llu to %llu", option, text,
		      (unsigned long long)least, (unsigned long long)most);
	return false;
}

bool command_is_terminal(FILE *stream)
{
	return isatty(fileno(stream)) && !getenv("NO_COLOR");
}

/* ---- a finding ---- */

/* Does the divergence come again, twice, in processes that ran nothing before? */
static const char *stability(const struct finding *f, const struct verdict *seen)
{
	char error[512];
	struct probe *probe = calloc(1, sizeof(*probe));
	unsigned same = 0;

	for (unsigned i = 0; probe && i < 2; i++)
		if (probe_program(f->pair, f->program, probe, error, sizeof(error)))
			same += strcmp(probe->verdict.key, seen->key) == 0;
	free(probe);
	if (same == 2)
		return "solid";
	return same == 0 && strcmp(f->source, "worker") == 0 ? "state-leak" : "flaky";
}

static void report(const struct finding *f, const char *bucket)
{
	char error[FINDINGS_ERROR], *text = NULL;
	struct pair pair;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	if (pair_open(&pair, f->pair, error, sizeof(error))) {
		explain_print(&pair, f->program, f->verdict, out, true, false);
		pair_close(&pair);
	}
	fclose(out);
	if (!findings_add_report(bucket, text, length, error, sizeof(error)))
		fprintf(stderr, "%s\n", error);
	free(text);
}

static void report_crash(const struct finding *f, const char *bucket)
{
	char error[FINDINGS_ERROR];
	struct probe *probe = calloc(1, sizeof(*probe));

	if (probe && probe_program(f->pair, f->program, probe, error, sizeof(error)) &&
	    !findings_add_report(bucket, probe->output, strlen(probe->output), error,
				 sizeof(error)))
		fprintf(stderr, "%s\n", error);
	free(probe);
}

struct shrinking {
	minimize_keeps keeps;
	void *context;
	const volatile int *stop;
};

static bool keeps_unless_stopped(void *context, const struct program *p)
{
	struct shrinking *s = context;

	return !(s->stop && *s->stop) && s->keeps(s->context, p);
}

static bool shrink(const struct finding *f, const volatile int *stop, struct program *minimal)
{
	struct crash_context crash = {f->pair, f->verdict->field};
	struct bucket_context bucket;
	struct shrinking s = {probe_keeps_crash, &crash, stop};
	struct minimize_stats stats;
	struct pair pair;
	char error[512];
	bool crashed = f->verdict->oracle == ORACLE_NONE;

	*minimal = *f->program;
	if (!crashed) {
		if (!pair_open(&pair, f->pair, error, sizeof(error)))
			return false;
		bucket.pair = &pair;
		snprintf(bucket.bucket, sizeof(bucket.bucket), "%s", verdict_bucket(f->verdict));
		s.keeps = minimize_keeps_bucket;
		s.context = &bucket;
	}
	minimize_program(minimal, keeps_unless_stopped, &s, crashed ? CRASH_BUDGET : 0, &stats);
	if (!crashed)
		pair_close(&pair);
	return true;
}

static bool is_complete(const char *bucket)
{
	char path[FINDINGS_PATH + 32];

	snprintf(path, sizeof(path), "%s/minimized.fsn", bucket);
	return access(path, F_OK) == 0;
}

/* The work on a new bucket, after it is safe on disk. Nothing here can lose it. */
static void describe(const struct finding *f, const volatile int *stop, struct handled *h)
{
	struct finding minimized = *f;
	char error[FINDINGS_ERROR];
	bool crashed = f->verdict->oracle == ORACLE_NONE;

	h->stability = stability(f, f->verdict);
	if (!findings_add_stability(h->bucket, f, h->stability, error, sizeof(error)))
		fprintf(stderr, "%s\n", error);
	if (strcmp(h->stability, "solid") != 0)
		return;
	if (crashed)
		report_crash(f, h->bucket);
	else
		report(f, h->bucket);
	if (!shrink(f, stop, &h->minimal) || (stop && *stop))
		return;
	minimized.program = &h->minimal;
	h->minimized = findings_add_minimized(h->bucket, &minimized, error, sizeof(error));
	if (!h->minimized)
		fprintf(stderr, "%s\n", error);
}

bool command_handle_finding(const char *dir, const struct finding *first, const volatile int *stop,
			    struct handled *h, char *error, size_t size)
{
	memset(h, 0, sizeof(*h));
	h->stability = "unverified";
	h->minimal = *first->program;
	h->saved = findings_save(dir, first, h->bucket, error, size);
	if (h->saved == SAVED_FAILED)
		return false;
	if (is_complete(h->bucket))
		h->stability = "seen before";
	else if (h->saved == SAVED_NEW || h->saved == SAVED_KNOWN)
		describe(first, stop, h);
	return true;
}
