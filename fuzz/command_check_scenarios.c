/* SPDX-License-Identifier: MIT */
/*
 * fsndiff check --scenarios: the scenarios of the corpus on three executors: the builds vanilla and
 * optimized, each scenario at its own level, and the running kernel at its own.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fuzz/command_check_files.h"
#include "fuzz/expect.h"
#include "fuzz/minimize.h"

enum side { SIDE_VANILLA, SIDE_OPTIMIZED, SIDE_LINUX, SIDES };

static const char *const side_names[SIDES] = {"vanilla", "optimized", "linux"};

enum outcome { PASSED, SKIPPED, FAILED, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {"passed", "skipped", "failed"};

struct scenario {
	enum outcome outcome[SIDES];
	char known[32]; /* as what optimized parts from vanilla, or "" */
};

struct scenarios {
	const struct check_options *o;
	char folder[PATH_MAX];
	struct check_files files;
	struct pair pair;
	struct scenario *scenario;
	unsigned count[SIDES][OUTCOMES];
};

/* ---- where they are ---- */

static bool is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* FOLDER/scenarios if there is one. */
static bool try_corpus(struct scenarios *s, const char *folder)
{
	int n = snprintf(s->folder, sizeof(s->folder), "%s/scenarios", folder);

	return n > 0 && (size_t)n < sizeof(s->folder) && is_folder(s->folder);
}

/* The corpus of the checkout in which the executable was built: beside it or above. */
static bool beside_executable(struct scenarios *s)
{
	char path[PATH_MAX - 16];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("/corpus"));
	char *slash;

	path[n < 0 ? 0 : n] = '\0';
	while ((slash = strrchr(path, '/'))) {
		strcpy(slash, "/corpus");
		if (try_corpus(s, path))
			return true;
		*slash = '\0';
	}
	return false;
}

static int find_folder(struct scenarios *s)
{
	const char *corpus = s->o->corpus;

	if (!corpus && !beside_executable(s))
		return command_fail(&command_check, EXIT_USAGE,
				    "no corpus/scenarios above the executable; name the corpus by "
				    "--corpus DIR");
	if (corpus && !try_corpus(s, corpus))
		snprintf(s->folder, sizeof(s->folder), "%s", corpus);
	return EXIT_SAME;
}

/* Below the folder, without the ending: "ltp/fanotify01-tc00". */
static const char *name_of(const struct scenarios *s, unsigned i)
{
	static char name[PATH_MAX];
	const char *path = s->files.list.path[i];
	size_t length = strlen(s->folder);

	if (strncmp(path, s->folder, length) == 0 && path[length] == '/')
		path += length + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(path) - strlen(".fsn")), path);
	return name;
}

/* ---- the two builds ---- */

/* Do they part in a way that is not known, or not where the trace says they would? */
static bool parts(struct scenarios *s, unsigned i)
{
	const struct input *in = &s->files.input[i];
	bool keyed = in->key[0] && !in->pair[0] && !s->o->level;
	struct verdict v = {0};

	if (!pair_agrees(&s->pair, &in->trace->program))
		pair_bucket(&s->pair, &in->trace->program, &v);
	snprintf(s->scenario[i].known, sizeof(s->scenario[i].known), "%s", v.known);
	if (v.oracle == ORACLE_NONE ? !keyed : v.known[0] != '\0')
		return false;
	printf("%s: optimized parts from vanilla: %s\n", s->files.list.path[i],
	       v.oracle == ORACLE_NONE ? "not, but it should" : v.key);
	return true;
}

static void run_builds(struct scenarios *s, unsigned i)
{
	struct trace *t = s->files.input[i].trace;
	struct scenario *c = &s->scenario[i];
	const char *path = s->files.list.path[i];
	uint8_t own = t->program.config.level;

	if (s->o->level)
		t->program.config.level = (uint8_t)core_level_by_name(s->o->level);
	if (expect_check(&s->pair.a, t, path, stdout))
		c->outcome[SIDE_VANILLA] = FAILED;
	if (expect_check(&s->pair.b, t, path, stdout) + parts(s, i))
		c->outcome[SIDE_OPTIMIZED] = FAILED;
	t->program.config.level = own;
}

/* ---- the kernel ---- */

static void judge_kernel(struct scenarios *s, unsigned i)
{
	static const enum outcome outcomes[CHECK_STATUSES] = {[CHECK_SAME] = PASSED,
							      [CHECK_SKIPPED] = SKIPPED,
							      [CHECK_DISAGREES] = FAILED,
							      [CHECK_FAILED] = SKIPPED};
	enum check_status status = check_files_status(&s->files, i);

	s->scenario[i].outcome[SIDE_LINUX] = outcomes[status];
	if (status == CHECK_DISAGREES)
		check_files_print(&s->files, i);
}

/* Is this kernel exactly like its level, so that it can be held to what is said of that? */
static bool is_like_its_level(const struct live_level *l)
{
	return !((l->features ^ core_level_features(l->level)) & l->seen);
}

/* ---- what came of it ---- */

static void count(struct scenarios *s)
{
	for (unsigned i = 0; i < s->files.list.count; i++)
		for (unsigned side = 0; side < SIDES; side++)
			s->count[side][s->scenario[i].outcome[side]]++;
}

/* How many there are of each room of the folder. */
static void print_rooms(const struct scenarios *s)
{
	const char *separator = "";
	char room[NAME_MAX + 1] = "", next[NAME_MAX + 1];
	unsigned in_room = 0, others = 0;

	printf("%u scenarios: ", s->files.list.count);
	for (unsigned i = 0; i <= s->files.list.count; i++) {
		const char *name = i < s->files.list.count ? name_of(s, i) : "";
		const char *slash = strchr(name, '/');
		snprintf(next, sizeof(next), "%.*s", slash ? (int)(slash - name) : 0, name);
		if (strcmp(next, room) != 0 && in_room) {
			printf("%s%u %s", separator, in_room, room);
			separator = ", ";
			in_room = 0;
		}
		snprintf(room, sizeof(room), "%s", next);
		in_room += slash != NULL;
		others += !slash && *name;
	}
	if (others)
		printf("%s%u others", separator, others);
	printf("\n\n");
}

static void print_all(const struct scenarios *s)
{
	for (unsigned i = 0; i < s->files.list.count; i++) {
		printf("%s:", name_of(s, i));
		for (unsigned side = 0; side < SIDES; side++)
			printf("%s %s %s", side ? "," : "", side_names[side],
			       outcome_names[s->scenario[i].outcome[side]]);
		printf("\n");
	}
}

static void print_known(const struct scenarios *s)
{
	unsigned known = 0;

	for (unsigned i = 0; i < s->files.list.count; i++)
		known += s->scenario[i].known[0] != '\0';
	if (!known)
		return;
	printf("\noptimized parts from vanilla as known, and is expected to, in %u:\n", known);
	for (unsigned i = 0; i < s->files.list.count; i++)
		if (s->scenario[i].known[0])
			printf("  %-40s %s\n", name_of(s, i), s->scenario[i].known);
}

static void print_skipped(const struct scenarios *s)
{
	struct utsname u;

	if (!s->count[SIDE_LINUX][SKIPPED])
		return;
	uname(&u);
	printf("\nnot run on Linux %s, %u:\n", u.release, s->count[SIDE_LINUX][SKIPPED]);
	for (unsigned i = 0; i < s->files.list.count; i++)
		if (s->scenario[i].outcome[SIDE_LINUX] == SKIPPED)
			printf("  %-40s %s\n", name_of(s, i), s->files.file[i].result.reason);
}

static void print_table(const struct scenarios *s)
{
	printf("%-12s", "executor");
	for (unsigned k = 0; k < OUTCOMES; k++)
		printf(" %8s", outcome_names[k]);
	printf("\n");
	for (unsigned side = 0; side < SIDES; side++) {
		printf("%-12s", side_names[side]);
		for (unsigned k = 0; k < OUTCOMES; k++)
			printf(" %8u", s->count[side][k]);
		printf("\n");
	}
}

static unsigned sum(const struct scenarios *s, enum outcome k)
{
	return s->count[SIDE_VANILLA][k] + s->count[SIDE_OPTIMIZED][k] + s->count[SIDE_LINUX][k];
}

static int print(struct scenarios *s)
{
	bool unusable = false;

	count(s);
	if (s->o->verbose)
		print_all(s);
	print_rooms(s);
	print_table(s);
	print_known(s);
	print_skipped(s);
	if (!s->files.claims)
		printf("\nThis kernel is between two levels (--probe): it was held against the "
		       "model, and to those\nexpectations only that name it.\n");
	printf("check: scenarios=%u executors=%d passed=%u skipped=%u failed=%u\n",
	       s->files.list.count, SIDES, sum(s, PASSED), sum(s, SKIPPED), sum(s, FAILED));
	for (unsigned i = 0; i < s->files.list.count; i++)
		unusable |= s->files.file[i].result.status == CHECK_FAILED;
	if (unusable)
		return EXIT_ENVIRONMENT;
	return sum(s, FAILED) ? EXIT_DIVERGED : EXIT_SAME;
}

static int run_all(struct scenarios *s, const struct live_level *level)
{
	char error[512];
	int status;

	s->scenario = calloc(s->files.list.count, sizeof(*s->scenario));
	if (!s->scenario || !pair_open(&s->pair, PAIR_DEFAULT, error, sizeof(error)))
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; i < s->files.list.count; i++)
		run_builds(s, i);
	pair_close(&s->pair);
	fflush(stdout);
	s->files.claims = is_like_its_level(level);
	status = check_files_run(&s->files, s->o, level);
	if (status == EXIT_SAME)
		status = check_coverage_write(&s->files.count->coverage, s->o);
	if (status != EXIT_SAME)
		return status;
	for (unsigned i = 0; i < s->files.list.count; i++)
		judge_kernel(s, i);
	return print(s);
}

int check_scenarios(const struct check_options *o, const struct live_level *level)
{
	static struct scenarios s;
	char *folder = s.folder;
	int status;

	s.o = o;
	status = find_folder(&s);
	if (status == EXIT_SAME)
		status = check_files_load(&s.files, &folder, 1);
	if (status == EXIT_SAME)
		status = run_all(&s, level);
	check_files_free(&s.files);
	free(s.scenario);
	return status;
}
