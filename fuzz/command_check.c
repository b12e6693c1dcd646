/* SPDX-License-Identifier: MIT */
/* fsndiff check: the model against the running kernel. */
#include <assert.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/command_check.h"
#include "fuzz/input.h"

static const char help[] =
	"usage: fsndiff check [OPTION...] FILE|DIR...\n"
	"       fsndiff check --random N [OPTION...]\n"
	"       fsndiff check --probe\n"
	"Runs programs on the model and, as system calls, on the running kernel, and compares "
	"what\n"
	"every operation did. Everything happens in a mount namespace of its own; needs root.\n"
	"The expectations (=>) of a trace are held against the kernel too, by the name `linux`\n"
	"and by its level; those without a condition only if the file names that level.\n"
	"\n"
	"  --executor E    the model's build (optimized)\n"
	"  --level L       hold the model to this level instead of what this kernel shows\n"
	"  --probe         print what this kernel shows, and its level\n"
	"  --random N      N generated programs\n"
	"  --seed S        which ones (1)\n"
	"  --from M        of these, from number M on (0); program M is the same in every run\n"
	"  --ops N         operations of each, about (24)\n"
	"  --jobs J        processes side by side (128): most of the time they wait for the\n"
	"                  kernel to close a group\n"
	"  --save DIR      keep disagreements there, minimised, as traces\n"
	"  -v, --verbose   a line for every file\n"
	"\n"
	"The last line is: check: files=N same=N skipped=N disagree=N (or programs=N …)\n"
	"Exit 0: no disagreement; 77: some; 3: no root, or the kernel cannot be used.\n"
	"\n"
	"  fsndiff check corpus/scenarios\n"
	"  fsndiff check --random 10000 --seed 1 --save disagreements\n";

enum { ORDER_TRIES = 32 };

/* What the process that runs the files tells its parent, in shared memory. */
struct file_report {
	struct check_result result;
	unsigned unmet; /* expectations */
	char unmet_text[1024];
};

struct options {
	const char *executor, *level;
	bool probe, verbose;
	struct check_random random;
};

/* ---- one file, in the child ---- */

struct expecting {
	const struct trace *trace;
	const char *file;
	const struct live_level *level;
	struct file_report *report;
	unsigned next;
};

static bool applies(const struct expecting *e, const struct expectation *x)
{
	if (!x->condition[0])
		return e->trace->program.config.level == e->level->level;
	return text_condition_holds(x->condition, "linux", e->level->level);
}

static void expect(void *context, unsigned op, const struct check_result *so_far)
{
	struct expecting *e = context;
	const struct trace *t = e->trace;
	const char *kernel = so_far->kernel;

	for (; e->next < t->expectations && t->expectation[e->next].op <= op; e->next++) {
		const struct expectation *x = &t->expectation[e->next];
		if (x->op != op || !so_far->both || !applies(e, x) ||
		    strcmp(x->outcome, kernel) == 0)
			continue;
		if (e->report->unmet++ == 0)
			snprintf(e->report->unmet_text, sizeof(e->report->unmet_text),
				 "%s:%u: expected \"%.300s\", got \"%.300s\", on executor linux",
				 e->file, x->line, x->outcome, kernel);
	}
}

/* ---- processes ---- */

/* Makes both sides in a new process and calls `run` there. Its exit code; 3 and a message when it
 * could not start or did not end by itself. */
static int in_child(const struct options *o, const struct live_level *level,
		    int (*run)(struct check *c, void *context), void *context)
{
	static struct check c;
	char error[512];
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (!check_open(&c, o->executor, level, error, sizeof(error)))
			_exit(command_fail(&command_check, EXIT_ENVIRONMENT, "%s", error));
		status = run(&c, context);
		check_close(&c);
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no process for the kernel");
	if (!WIFEXITED(status))
		return command_fail(&command_check, EXIT_ENVIRONMENT,
				    "the process was killed by %s", strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}

static void *shared(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static int find_level(struct check *c, void *context)
{
	*(struct live_level *)context = c->level;
	return EXIT_SAME;
}

/* ---- files ---- */

struct files {
	struct input_list list;
	struct input *input;
	struct file_report *report;
	unsigned *next; /* shared: the file that is being run */
};

/* One file; where the order of groups matters, until it happens to be the model's. */
static void run_file(struct check *c, struct files *f, unsigned i)
{
	const struct trace *t = f->input[i].trace;
	struct check_result *r = &f->report[i].result;
	bool order = live_order_matters(&t->program);

	for (unsigned try = 0; try < (order ? ORDER_TRIES : 1); try++) {
		struct expecting e = {.trace = t,
				      .file = f->list.path[i],
				      .level = &c->level,
				      .report = &f->report[i]};
		f->report[i].unmet = 0;
		check_program(c, &t->program, r, expect, &e);
		if (r->status != CHECK_DISAGREES)
			return;
	}
	if (!order)
		return;
	r->status = CHECK_SKIPPED;
	snprintf(r->reason, sizeof(r->reason),
		 "in %d runs groups of equal priority never had the model's order", ORDER_TRIES);
}

static int run_files(struct check *c, void *context)
{
	struct files *f = context;

	for (; *f->next < f->list.count; ++*f->next)
		run_file(c, f, *f->next);
	return EXIT_SAME;
}

static void print_disagreement(const char *file, const struct trace *t,
			       const struct file_report *report)
{
	const struct check_result *r = &report->result;
	char line[TEXT_LINE];

	assert(t); /* every input was read before the first was run */
	if (r->status != CHECK_DISAGREES) {
		printf("%s\n", report->unmet_text);
		return;
	}
	text_print_op(&t->program.op[r->op], line, sizeof(line));
	printf("%s:%u: %s\n  model   => %s\n  linux   => %s\n", file, t->line[r->op], line,
	       r->model, r->kernel);
}

static int print_files(const struct files *f, const struct options *o)
{
	unsigned count[CHECK_STATUSES] = {0};

	for (unsigned i = 0; i < f->list.count; i++) {
		struct file_report *r = &f->report[i];
		const char *file = f->list.path[i];

		if (r->result.status == CHECK_SAME && r->unmet)
			count[CHECK_DISAGREES]++;
		else
			count[r->result.status]++;
		if (r->result.status == CHECK_DISAGREES || r->unmet)
			print_disagreement(file, f->input[i].trace, r);
		else if (r->result.status == CHECK_SKIPPED || r->result.status == CHECK_FAILED)
			printf("%s: skipped: %s\n", file, r->result.reason);
		else if (o->verbose)
			printf("%s: same\n", file);
	}
	printf("check: files=%u same=%u skipped=%u disagree=%u\n", f->list.count, count[CHECK_SAME],
	       count[CHECK_SKIPPED], count[CHECK_DISAGREES]);
	if (count[CHECK_FAILED])
		return EXIT_ENVIRONMENT;
	return count[CHECK_DISAGREES] ? EXIT_DIVERGED : EXIT_SAME;
}

static int load_files(struct files *f, int argc, char **argv)
{
	char error[INPUT_ERROR];

	for (int i = optind; i < argc; i++)
		if (!input_list_add(&f->list, argv[i], error, sizeof(error)))
			return command_fail(&command_check, EXIT_USAGE, "%s", error);
	if (!f->list.count) {
		command_fail(&command_check, EXIT_USAGE, "no FILE: nothing was checked");
		return EXIT_USAGE;
	}
	f->input = calloc(f->list.count, sizeof(*f->input));
	f->report = shared(f->list.count * sizeof(*f->report));
	f->next = shared(sizeof(*f->next));
	if (!f->input || !f->report || !f->next)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; i < f->list.count; i++)
		if (!input_load(&f->input[i], f->list.path[i], error, sizeof(error)))
			return command_fail(&command_check, EXIT_USAGE, "%s", error);
	return EXIT_SAME;
}

static int check_files(const struct options *o, const struct live_level *level, int argc,
		       char **argv)
{
	struct files f = {0};
	int status = load_files(&f, argc, argv);

	if (status == EXIT_SAME)
		status = in_child(o, level, run_files, &f);
	if (status == EXIT_SAME)
		status = print_files(&f, o);
	for (unsigned i = 0; f.input && i < f.list.count; i++)
		if (f.input[i].trace)
			input_free(&f.input[i]);
	free(f.input);
	input_list_free(&f.list);
	return status;
}

/* ---- the level ---- */

static int print_level(const struct live_level *l)
{
	static const char *const names[] = {
#define FEATURE(id, from, to) [FEAT_##id] = #id,
		CORE_FEATURES(FEATURE)
#undef FEATURE
	};
	uint32_t usual = core_level_features(l->level);
	struct utsname u;

	uname(&u);
	printf("Linux %s behaves like level %s\n", u.release, core_level_names[l->level]);
	for (unsigned i = 0; i < FEATURE_COUNT; i++) {
		bool has = l->features >> i & 1;
		printf("  %-20s %s%s%s\n", names[i], has ? "yes" : "no",
		       l->seen >> i & 1 ? "" : " (not seen: as the level)",
		       has != (usual >> i & 1) ? " (unlike the level)" : "");
	}
	return EXIT_SAME;
}

/* ---- the command ---- */

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'},
						{"executor", required_argument, NULL, 'e'},
						{"level", required_argument, NULL, 'l'},
						{"probe", no_argument, NULL, 'p'},
						{"random", required_argument, NULL, 'r'},
						{"seed", required_argument, NULL, 's'},
						{"from", required_argument, NULL, 'f'},
						{"ops", required_argument, NULL, 'o'},
						{"jobs", required_argument, NULL, 'j'},
						{"save", required_argument, NULL, 'd'},
						{"verbose", no_argument, NULL, 'v'},
						{0}};
	struct {
		const char *name;
		uint64_t least, most, value;
	} number[] = {{"--random", 1, 1000000000, 0},
		      {"--seed", 0, UINT32_MAX, 1},
		      {"--from", 0, 3000000000, 0},
		      {"--ops", 1, PROGRAM_OPS, 24},
		      {"--jobs", 1, 1024, 128}};
	static const char numbers[] = "rsfoj"; /* the options that they are of */
	int c;

	while ((c = getopt_long(argc, argv, "hv", options, NULL)) != -1) {
		const char *which = strchr(numbers, c);
		switch (c) {
		case 'e': o->executor = optarg; break;
		case 'l': o->level = optarg; break;
		case 'd': o->random.save = optarg; break;
		case 'p': o->probe = true; break;
		case 'v': o->verbose = true; break;
		case 'h': command_help(&command_check); return -1;
		default:
			if (c == '?' || !which)
				return command_usage(&command_check, "nothing was checked");
			unsigned n = (unsigned)(which - numbers);
			if (!command_number(&command_check, number[n].name, optarg, number[n].least,
					    number[n].most, &number[n].value))
				return EXIT_USAGE;
		}
	}
	o->random.programs = number[0].value;
	o->random.seed = number[1].value;
	o->random.from = number[2].value;
	o->random.ops = (unsigned)number[3].value;
	o->random.jobs = (unsigned)number[4].value;
	o->random.executor = o->executor;
	o->random.level = o->level;
	return EXIT_SAME;
}

static int check_arguments(const struct options *o, int files)
{
	int modes = (files > 0) + (o->random.programs > 0) + o->probe;
	struct executor e;
	char error[512];

	if (modes != 1)
		return command_usage(&command_check, "either FILE..., --random N or --probe");
	if (o->level && core_level_by_name(o->level) == LEVEL_COUNT)
		return command_usage(&command_check,
				     "--level %s: no such level; see fsndiff list levels",
				     o->level);
	if (!executor_open(&e, o->executor, error, sizeof(error)))
		return command_usage(&command_check, "%s", error);
	executor_close(&e);
	return EXIT_SAME;
}

static int run(int argc, char **argv)
{
	struct options o = {.executor = "optimized"};
	struct live_level *level = shared(sizeof(*level));
	int status = parse(&o, argc, argv);

	if (status)
		return status < 0 ? EXIT_SAME : status;
	status = check_arguments(&o, argc - optind);
	if (status)
		return status;
	const char *unavailable = live_unavailable();
	if (unavailable)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "%s", unavailable);
	if (!level)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	status = in_child(&o, NULL, find_level, level);
	if (status)
		return status;
	if (o.probe)
		return print_level(level);
	if (o.level) {
		level->level = core_level_by_name(o.level);
		level->features = core_level_features(level->level);
	}
	if (o.random.programs)
		return check_random_run(&o.random, level);
	return check_files(&o, level, argc, argv);
}

const struct command command_check = {"check", "the model against the running kernel", help, run};
