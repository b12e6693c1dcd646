/* SPDX-License-Identifier: MIT */
/*
 * fsndiff trees: two kernel source trees against each other, in process. Prepares both, runs the
 * corpus, each program in a process of its own, then hands over to `fsndiff fuzz`.
 */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/command_trees.h"
#include "fuzz/explain.h"
#include "fuzz/input.h"
#include "fuzz/minimize.h"
#include "fuzz/tree_loader.h"

static const char help[] =
	"usage: fsndiff trees [OPTION...] A B\n"
	"Compiles the fs/notify of two kernel source trees into this process, runs the same\n"
	"programs on both, and reports the first difference that anybody can see. B is meant to "
	"be\n"
	"A with a patch.\n"
	"\n"
	"A tree is a folder, REPOSITORY@REVISION or debian:VERSION (the package\n"
	"linux-source-VERSION, fetched if need be), with names of edits behind it, each after a\n"
	"hyphen. Edits (kernel/intree/edits):\n"
	"  modify_mask        undoes the FS_MODIFY optimisation of 5.18\n"
	"  parent_ignore_fix  undoes the fix of the parent's ignored mask of 5.18\n"
	"  forget_mount       plants a fault: the early return forgets mount marks\n"
	"\n"
	"  --time S         seconds to run (60, unless --random is given)\n"
	"  --random N       programs to run, over all workers\n"
	"  --strict         known divergences count as new\n"
	"  --jobs N         workers (one per processor)\n"
	"  --seed N         where the random numbers begin (from the clock)\n"
	"  --corpus DIR     inputs to run first and to build on (the project's own corpus)\n"
	"  --no-corpus      begin with nothing\n"
	"  --findings DIR   where findings are saved (fsndiff-findings)\n"
	"  --work           B may do no more work than A: sections entered, marks visited\n"
	"                   (replay with FSNDIFF_WORK=1)\n"
	"  --keep-going     do not stop at the first new divergence\n"
	"  --starve N       one in N allocations of a tree fails (replay with FSNDIFF_STARVE=N)\n"
	"  --confirm        then make both trees into small User Mode Linux kernels (minutes the\n"
	"                   first time, 1.2 GB in build/uml, no root) and run the findings there\n"
	"  --sample N       with --confirm: generated programs that, like those of the corpus,\n"
	"                   must do the same in process and on the kernel of each tree (1000)\n"
	"  --sample-ops N   operations of each of them, from N/2 to N + N/2 (32)\n"
	"\n"
	"Trees have no switches, so the model explains: a divergence is known when the model,\n"
	"vanilla against optimized at the level of the trees, parts in the same bucket, and that\n"
	"is known (K1 ...).\n"
	"The last line is `trees: same` (but for what is known) or `trees: different`. Exit 0: "
	"the\n"
	"same, or known; 77: a new divergence or a crash; 2: a tree that\n"
	"cannot be used; 3: something is missing on this machine. With --confirm the last line is\n"
	"confirm: divergences=N confirmed=N sample=N differ=N; and 78: not as in process.\n"
	"\n"
	"  fsndiff trees debian:6.1-modify_mask debian:6.1 --strict     finds K1 in the real code\n"
	"  fsndiff trees ~/linux@v6.12 ~/linux@my-patch --time 600\n"
	"  fsndiff trees ~/linux ~/linux-patched --no-corpus --random 1000000\n"
	"  fsndiff trees debian:6.1-modify_mask debian:6.1 --strict --confirm\n";

static const char standard_findings[] = "fsndiff-findings";

struct trees {
	char pair[2 * EXECUTOR_NAME];
	char corpus[PATH_MAX]; /* "": none */
	const char *seconds, *random, *jobs, *seed, *findings;
	bool strict, keep_going, confirm;
	unsigned sample, sample_ops;
	unsigned programs, fresh, crashes;
	struct tally known;
};

/* ---- the corpus ---- */

static void print_new(const struct finding *f, const struct handled *h)
{
	struct finding minimal = *f;
	struct verdict v;
	struct pair pair;
	char error[1024];

	printf("new: %s, %s, saved in %s\n", f->verdict->key, h->stability, h->bucket);
	minimal.program = &h->minimal;
	findings_print_trace(&minimal, stdout);
	if (f->verdict->oracle == ORACLE_NONE || !pair_open(&pair, f->pair, error, sizeof(error)))
		return;
	pair_judge(&pair, &h->minimal, &v);
	pair_explain(&pair, &h->minimal, &v);
	putchar('\n');
	explain_print(&pair, &h->minimal, &v, stdout, false, command_is_terminal(stdout));
	pair_close(&pair);
}

/* Returns false when it cannot go on. */
static bool run_program(struct trees *t, const char *path, const struct program *p)
{
	static struct probe probe;
	static struct handled handled;
	struct finding f = {p, &probe.verdict, t->pair, path};
	char error[FINDINGS_ERROR];

	if (!probe_program(t->pair, p, &probe, error, sizeof(error))) {
		command_fail(&command_trees, EXIT_ENVIRONMENT, "%s", error);
		return false;
	}
	t->programs++;
	if (!probe.crashed && probe.verdict.oracle == ORACLE_NONE)
		return true;
	if (probe.verdict.known[0])
		tally_add(&t->known, probe.verdict.known, 1);
	if (probe.verdict.known[0] && !t->strict)
		return true;
	t->fresh++;
	printf("found: %s, by %s\n", verdict_bucket(&probe.verdict), path);
	fflush(stdout);
	if (!command_handle_finding(t->findings, &f, NULL, &handled, error, sizeof(error))) {
		command_fail(&command_trees, EXIT_ENVIRONMENT, "%s", error);
		return false;
	}
	if (probe.crashed)
		fputs(probe.output, stdout);
	if (strcmp(handled.stability, "seen before") != 0)
		print_new(&f, &handled);
	return true;
}

static int run_corpus(struct trees *t)
{
	struct input_list list = {0};
	char error[INPUT_ERROR];
	struct input in;
	bool ok = true;

	if (!t->corpus[0])
		return EXIT_SAME;
	if (!input_list_add(&list, t->corpus, error, sizeof(error)))
		return command_fail(&command_trees, EXIT_USAGE, "--corpus: %s", error);
	if (!findings_open(t->findings, error, sizeof(error)))
		return command_fail(&command_trees, EXIT_ENVIRONMENT, "--findings: %s", error);
	for (unsigned i = 0; ok && i < list.count && (!t->fresh || t->keep_going); i++) {
		ok = input_load(&in, list.path[i], error, sizeof(error));
		if (!ok) {
			command_fail(&command_trees, EXIT_USAGE, "--corpus: %s", error);
			break;
		}
		ok = run_program(t, list.path[i], &in.trace->program);
		input_free(&in);
	}
	input_list_free(&list);
	findings_close(t->findings);
	if (!t->fresh)
		rmdir(t->findings);
	return ok ? EXIT_SAME : EXIT_ENVIRONMENT;
}

/* ---- the campaign ---- */

static int run_fuzz(const struct trees *t)
{
	char title[] = "fsndiff trees";
	const char *argument[24] = {title, "--pair", t->pair, "--findings", t->findings};
	int count = 5;

#define OPTION(name, value)                          \
	do {                                         \
		if (value) {                         \
			argument[count++] = (name);  \
			argument[count++] = (value); \
		}                                    \
	} while (0)
	OPTION("--time", t->seconds);
	OPTION("--runs", t->random);
	OPTION("--jobs", t->jobs);
	OPTION("--seed", t->seed);
	OPTION("--corpus", t->corpus[0] ? t->corpus : NULL);
#undef OPTION
	if (t->strict)
		argument[count++] = "--strict";
	if (t->keep_going)
		argument[count++] = "--keep-going";
	optind = 0;
	return command_fuzz.run(count, (char **)argument);
}

/* ---- the trees ---- */

static int prepare(struct trees *t, const char *a, const char *b)
{
	const char *const name[] = {a, b};
	char folder[PATH_MAX], error[1024];
	bool usage;

	if (strchr(a, ',') || strchr(b, ','))
		return command_usage(&command_trees, "a tree's name cannot have a comma in it");
	if (snprintf(t->pair, sizeof(t->pair), "tree:%s,tree:%s", a, b) >= (int)sizeof(t->pair))
		return command_usage(&command_trees, "these names are too long");
	for (unsigned i = 0; i < 2; i++) {
		if (!tree_prepare(name[i], stderr, folder, sizeof(folder), &usage, error,
				  sizeof(error)))
			return command_fail(&command_trees, usage ? EXIT_USAGE : EXIT_ENVIRONMENT,
					    "%s", error);
		printf("%c: %s, ready in %s\n", 'A' + (int)i, name[i], folder);
	}
	fflush(stdout);
	return EXIT_SAME;
}

static int finish(int code)
{
	if (code == EXIT_SAME || code == EXIT_DIVERGED)
		printf("trees: %s\n", code == EXIT_SAME ? "same" : "different");
	return code;
}

static int run_trees(struct trees *t, const char *a, const char *b)
{
	int code = prepare(t, a, b);
	char known[256];

	if (code == EXIT_SAME)
		code = run_corpus(t);
	if (code != EXIT_SAME)
		return code;
	printf("corpus: programs=%u known=%s new=%u\n", t->programs,
	       tally_text(&t->known, known, sizeof(known)), t->fresh);
	if (t->fresh && !t->keep_going)
		return finish(EXIT_DIVERGED);
	code = run_fuzz(t);
	if (code == EXIT_SAME && t->fresh)
		code = EXIT_DIVERGED;
	return finish(code);
}

/* ---- options ---- */

static const struct option options[] = {
	{"time", required_argument, NULL, 't'},	      {"random", required_argument, NULL, 'r'},
	{"strict", no_argument, NULL, 's'},	      {"jobs", required_argument, NULL, 'j'},
	{"seed", required_argument, NULL, 'S'},	      {"corpus", required_argument, NULL, 'c'},
	{"no-corpus", no_argument, NULL, 'n'},	      {"findings", required_argument, NULL, 'f'},
	{"starve", required_argument, NULL, 'v'},     {"work", no_argument, NULL, 'w'},
	{"keep-going", no_argument, NULL, 'k'},	      {"help", no_argument, NULL, 'h'},
	{"confirm", no_argument, NULL, 'C'},	      {"sample", required_argument, NULL, 'p'},
	{"sample-ops", required_argument, NULL, 'o'}, {0},
};

static bool number(const char *option, uint64_t most, const char **text)
{
	uint64_t value;

	*text = optarg;
	return command_number(&command_trees, option, optarg, 1, most, &value);
}

static int parse_option(struct trees *t, int c)
{
	uint64_t value = 0;
	bool ok = true;

	switch (c) {
	case 't': ok = number("--time", 100000000, &t->seconds); break;
	case 'r': ok = number("--random", UINT64_MAX / 2, &t->random); break;
	case 's': t->strict = true; break;
	case 'j': ok = number("--jobs", 64, &t->jobs); break;
	case 'S': ok = number("--seed", UINT64_MAX, &t->seed); break;
	case 'c': snprintf(t->corpus, sizeof(t->corpus), "%s", optarg); break;
	case 'n': t->corpus[0] = '\0'; break;
	case 'f': t->findings = optarg; break;
	case 'k': t->keep_going = true; break;
	case 'w': setenv("FSNDIFF_WORK", "1", 1); break;
	case 'v':
		ok = command_number(&command_trees, "--starve", optarg, 2, 1000000, &value);
		setenv("FSNDIFF_STARVE", optarg, 1);
		break;
	case 'C': t->confirm = true; break;
	case 'p':
		ok = command_number(&command_trees, "--sample", optarg, 0, 100000000, &value);
		t->sample = (unsigned)value;
		break;
	case 'o':
		ok = command_number(&command_trees, "--sample-ops", optarg, 2, PROGRAM_OPS, &value);
		t->sample_ops = (unsigned)value;
		break;
	case 'h': return command_help(&command_trees);
	default: return command_usage(&command_trees, "nothing was run");
	}
	return ok ? -1 : EXIT_USAGE;
}

static int confirm(const struct trees *t, const char *a, const char *b)
{
	const struct trees_sample sample = {.corpus = t->corpus,
					    .programs = t->sample,
					    .ops = t->sample_ops,
					    .seed = t->seed ? strtoull(t->seed, NULL, 10) : 1};

	fflush(stdout);
	return trees_confirm(a, b, t->pair, t->findings, &sample);
}

static int run(int argc, char **argv)
{
	static struct trees t = {.findings = standard_findings, .sample = 1000, .sample_ops = 32};
	struct stat st;
	int c, code;

	snprintf(t.corpus, sizeof(t.corpus), "%s/corpus", tree_loader_source());
	if (stat(t.corpus, &st) != 0)
		t.corpus[0] = '\0';
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		code = parse_option(&t, c);
		if (code >= 0)
			return code;
	}
	if (argc - optind != 2)
		return command_usage(&command_trees, "two trees, please: A B");
	const char *a = argv[optind], *b = argv[optind + 1];
	code = run_trees(&t, a, b);
	if (!t.confirm || (code != EXIT_SAME && code != EXIT_DIVERGED))
		return code;
	int confirmed = confirm(&t, a, b);
	return confirmed ? confirmed : code;
}

const struct command command_trees = {
	"trees",
	"compare two kernel source trees, compiled into this process",
	help,
	run,
};
