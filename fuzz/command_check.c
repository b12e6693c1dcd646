/* SPDX-License-Identifier: MIT */
/* fsndiff check: the model against the running kernel. */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/command_check.h"

static const char help[] =
	"usage: fsndiff check [OPTION...] FILE|DIR...\n"
	"       fsndiff check --scenarios [OPTION...]\n"
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
	"  --scenarios     the scenarios of the corpus, with all their expectations, on three\n"
	"                  executors: vanilla, optimized (each scenario at its own level, or at\n"
	"                  --level) and the running kernel; what cannot be run here, and why\n"
	"  --corpus DIR    the corpus: DIR/scenarios or, without such a folder, DIR itself\n"
	"                  (corpus/ of the checkout that the executable is in)\n"
	"  --random N      N generated programs; Ctrl-C ends it and says how to go on\n"
	"  --seed S        which ones (1)\n"
	"  --from M        from number M on (0); program M of a seed is the same in every run\n"
	"  --ops N         operations of each, about (24)\n"
	"  --jobs J        processes side by side (128): most of the time they wait for the\n"
	"                  kernel to close a group\n"
	"  --save DIR      keep disagreements there, minimised, as traces\n"
	"  --coverage FILE write who was told of what, as tables in markdown\n"
	"  -v, --verbose   a line for every file\n"
	"\n"
	"The last line is: check: files=N same=N skipped=N disagree=N (or programs=N …; or\n"
	"scenarios=N executors=3 passed=N skipped=N failed=N)\n"
	"Exit 0: no disagreement; 77: some; 3: no root, or the kernel cannot be used.\n"
	"\n"
	"  fsndiff check corpus/regress\n"
	"  fsndiff check --scenarios\n"
	"  fsndiff check --random 10000 --seed 1 --save disagreements\n";

/* ---- processes ---- */

int check_in_child(const struct check_options *o, const struct live_level *level,
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

void *check_shared(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static int find_level(struct check *c, void *context)
{
	*(struct live_level *)context = c->level;
	return EXIT_SAME;
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

static int parse(struct check_options *o, int argc, char **argv)
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
						{"scenarios", no_argument, NULL, 'S'},
						{"corpus", required_argument, NULL, 'c'},
						{"coverage", required_argument, NULL, 'C'},
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
		case 'd': o->save = optarg; break;
		case 'c': o->corpus = optarg; break;
		case 'C': o->coverage = optarg; break;
		case 'p': o->probe = true; break;
		case 'S': o->scenarios = true; break;
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
	o->programs = number[0].value;
	o->seed = number[1].value;
	o->from = number[2].value;
	o->ops = (unsigned)number[3].value;
	o->jobs = (unsigned)number[4].value;
	return EXIT_SAME;
}

static int check_arguments(const struct check_options *o, int files)
{
	int modes = (files > 0) + (o->programs > 0) + o->scenarios + o->probe;
	struct executor e;
	char error[512];

	if (modes != 1)
		return command_usage(&command_check,
				     "either FILE..., --scenarios, --random N or --probe");
	if (o->corpus && !o->scenarios)
		return command_usage(&command_check, "--corpus DIR is of --scenarios");
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
	struct check_options o = {.executor = "optimized", .argc = argc, .argv = argv};
	struct live_level *level = check_shared(sizeof(*level));
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
	status = check_in_child(&o, NULL, find_level, level);
	if (status)
		return status;
	if (o.probe)
		return print_level(level);
	if (o.level) {
		level->level = core_level_by_name(o.level);
		level->features = core_level_features(level->level);
	}
	if (o.scenarios)
		return check_scenarios(&o, level);
	if (o.programs)
		return check_random(&o, level);
	return check_files(&o, level, argv + optind, (unsigned)(argc - optind));
}

const struct command command_check = {"check", "the model against the running kernel", help, run};
