/* SPDX-License-Identifier: MIT */
/* fsndiff replay: runs files on a pair of executors and says what came out. */
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/command.h"
#include "fuzz/expect.h"
#include "fuzz/explain.h"
#include "fuzz/input.h"
#include "fuzz/minimize.h"

static const char help[] =
	"usage: fsndiff replay [OPTION...] FILE|DIR...\n"
	"Runs each file on two executors and prints both sides of the first divergence; of "
	"several\n"
	"files, only of new ones. The expectations (=>) of text traces are checked on both\n"
	"executors. Directories are walked.\n"
	"\n"
	"  --pair A,B        the executors; otherwise the file's comment `# pair: A,B`, otherwise\n"
	"                    vanilla,optimized\n"
	"  --strict          known divergences count as new, and so do those a file expects\n"
	"  --level L         run at this kernel level instead of the file's\n"
	"  --expect-key KEY  of one file: exit 0 if it diverges in this bucket, 78 if it does not\n"
	"                    diverge, 79 if in another bucket\n"
	"  -v, --verbose     known and expected divergences, too, and every operation before them\n"
	"  --json            one JSON object on standard output\n"
	"\n"
	"A trace with a comment `# key: KEY` (a bucket key, or K1) must diverge in that bucket;\n"
	"then it is counted as expected, or as known if quirks explain it.\n"
	"The last line is: replay: files=N same=N known=K1:N expected=N new=N failed=N\n"
	"Exit 0: the same, known, expected; 77: a new divergence or an unmet expectation; 2: a\n"
	"file that cannot be read.\n"
	"\n"
	"  fsndiff replay corpus                  everything in the corpus\n"
	"  fsndiff replay --strict crash-1a2b3c   a crash file of libFuzzer, in words\n"
	"  fsndiff replay --pair vanilla,vanilla+pseudo_opt_out_2020 pipe.fsn\n"
	"  fsndiff replay --level 6.1 -v s4.fsn\n";

enum result { SAME, KNOWN, EXPECTED, NEW, FAILED, RESULTS };

static const char *const result_names[RESULTS] = {"same", "known", "expected", "new", "failed"};

struct replay {
	const char *pair_name; /* of --pair, or null */
	const char *level;
	const char *expect_key;
	bool strict, verbose, json, single;
	bool opened;
	char opened_name[INPUT_PAIR];
	struct pair pair;
	unsigned files, unreadable;
	unsigned count[RESULTS];
	struct tally tally;
	json_t *list;
	struct verdict last;
	enum result last_result;
};

static bool open_pair(struct replay *r, const char *name, const char *file)
{
	char error[1024];

	if (r->opened && strcmp(r->opened_name, name) == 0)
		return true;
	if (r->opened)
		pair_close(&r->pair);
	r->opened = pair_open(&r->pair, name, error, sizeof(error));
	snprintf(r->opened_name, sizeof(r->opened_name), "%s", name);
	if (!r->opened)
		command_fail(&command_replay, EXIT_USAGE, "%s: %s", file, error);
	return r->opened;
}

/* Is this the bucket somebody asked for, by its key or by the name of the known divergence? */
static bool is_bucket(const struct verdict *v, const char *key)
{
	return strcmp(v->key, key) == 0 || strcmp(verdict_bucket(v), key) == 0;
}

static enum result fail_file(const char *path, const char *format, const char *a, const char *b)
{
	fprintf(stderr, "%s: ", path);
	fprintf(stderr, format, a, b);
	fputc('\n', stderr);
	return FAILED;
}

/* What a divergence, or its absence, means for this file. */
static enum result weigh(struct replay *r, const char *path, const struct input *in,
			 const struct verdict *v)
{
	bool keyed =
		in->key[0] && strcmp(in->pair[0] ? in->pair : PAIR_DEFAULT, r->opened_name) == 0;

	if (v->oracle == ORACLE_NONE)
		return keyed ? fail_file(path, "expected to diverge in %s, but %s", in->key,
					 "both sides are the same")
			     : SAME;
	if (r->strict)
		return NEW;
	if (keyed && !is_bucket(v, in->key))
		return fail_file(path, "expected to diverge in %s, not in %s", in->key, v->key);
	if (v->known[0])
		return KNOWN;
	return keyed ? EXPECTED : NEW;
}

static void explain(struct replay *r, const char *path, const struct program *p,
		    const struct verdict *v, enum result result)
{
	if (result == SAME || r->json)
		return;
	if (!r->verbose && !r->single && (result == KNOWN || result == EXPECTED))
		return;
	printf("%s: %s on %s: %s%s%s\n", path, result_names[result], r->opened_name, v->key,
	       v->known[0] ? ", explained by " : "", v->known);
	if (v->oracle != ORACLE_NONE)
		explain_print(&r->pair, p, v, stdout, r->verbose, command_is_terminal(stdout));
}

static void note_json(struct replay *r, const char *path, const struct verdict *v,
		      enum result result, unsigned unmet)
{
	json_t *file = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "file", path, "pair",
				 r->opened_name, "result", result_names[result], "key", v->key,
				 "known", v->known, "unmet", (json_int_t)unmet);

	if (v->oracle != ORACLE_NONE) {
		json_object_set_new(file, "at", json_integer(v->op));
		json_object_set_new(
			file, "operation",
			json_string(v->op_id < OP_COUNT ? op_table[v->op_id].id : "END"));
	}
	json_array_append_new(r->list, file);
}

static void run_file(struct replay *r, const char *path, struct input *in)
{
	const struct program *p = &in->trace->program;
	struct verdict v = {.direction = "~"};
	enum result result;
	unsigned unmet = 0;

	if (!pair_agrees(&r->pair, p))
		pair_bucket(&r->pair, p, &v);
	result = weigh(r, path, in, &v);
	unmet += expect_check(&r->pair.a, in->trace, path, stderr);
	unmet += expect_check(&r->pair.b, in->trace, path, stderr);
	explain(r, path, p, &v, result);
	if (unmet)
		result = FAILED;
	if (result == KNOWN)
		tally_add(&r->tally, v.known, 1);
	r->count[result]++;
	r->last = v;
	r->last_result = result;
	if (r->json)
		note_json(r, path, &v, result, unmet);
	else if (r->verbose && result == SAME)
		printf("%s: same on %s\n", path, r->opened_name);
}

static void replay_file(struct replay *r, const char *path)
{
	char error[INPUT_ERROR];
	const char *name = r->pair_name;
	struct input in;

	r->files++;
	if (!input_load(&in, path, error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		r->unreadable++;
		return;
	}
	if (!name)
		name = in.pair[0] ? in.pair : PAIR_DEFAULT;
	if (r->level)
		in.trace->program.config.level = (uint8_t)core_level_by_name(r->level);
	if (open_pair(r, name, path))
		run_file(r, path, &in);
	else
		r->unreadable++;
	input_free(&in);
}

static void print_json(struct replay *r, const char *known, json_int_t failed)
{
	json_t *all = json_pack("{s:o, s:I, s:I, s:s, s:I, s:I, s:I}", "results", r->list, "files",
				(json_int_t)r->files, "same", (json_int_t)r->count[SAME], "known",
				known, "expected", (json_int_t)r->count[EXPECTED], "new",
				(json_int_t)r->count[NEW], "failed", failed);

	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

static void print_summary(struct replay *r)
{
	unsigned failed = r->count[FAILED] + r->unreadable;
	char known[256];

	tally_text(&r->tally, known, sizeof(known));
	if (r->json)
		print_json(r, known, failed);
	else
		printf("replay: files=%u same=%u known=%s expected=%u new=%u failed=%u\n", r->files,
		       r->count[SAME], known, r->count[EXPECTED], r->count[NEW], failed);
}

static int exit_code(const struct replay *r)
{
	if (r->expect_key && !r->unreadable) {
		if (r->last.oracle == ORACLE_NONE)
			return EXIT_NOT_SEEN;
		return is_bucket(&r->last, r->expect_key) ? EXIT_SAME : EXIT_OTHER_BUCKET;
	}
	if (r->count[NEW] || r->count[FAILED])
		return EXIT_DIVERGED;
	return r->unreadable ? EXIT_USAGE : EXIT_SAME;
}

static int parse_options(struct replay *r, int argc, char **argv)
{
	static const struct option options[] = {
		{"pair", required_argument, NULL, 'p'},
		{"strict", no_argument, NULL, 's'},
		{"level", required_argument, NULL, 'l'},
		{"verbose", no_argument, NULL, 'v'},
		{"expect-key", required_argument, NULL, 'k'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		switch (c) {
		case 'p': r->pair_name = optarg; break;
		case 's': r->strict = true; break;
		case 'l': r->level = optarg; break;
		case 'v': r->verbose = true; break;
		case 'k': r->expect_key = optarg; break;
		case 'j': r->json = true; break;
		case 'h': return command_help(&command_replay);
		default: return command_usage(&command_replay, "nothing was run");
		}
	}
	if (r->level && core_level_by_name(r->level) == LEVEL_COUNT)
		return command_usage(&command_replay,
				     "--level %s: no such level; see fsndiff list "
				     "levels",
				     r->level);
	if (optind == argc)
		return command_usage(&command_replay, "no FILE given");
	return -1;
}

static int list_files(const struct replay *r, int argc, char **argv, struct input_list *list)
{
	char error[INPUT_ERROR];

	for (int i = optind; i < argc; i++)
		if (!input_list_add(list, argv[i], error, sizeof(error)))
			return command_fail(&command_replay, EXIT_USAGE, "%s", error);
	if (r->expect_key && list->count != 1)
		return command_usage(&command_replay, "--expect-key wants one file, not %u",
				     list->count);
	return -1;
}

static int replay_all(struct replay *r, const struct input_list *list)
{
	r->list = json_array();
	r->single = list->count == 1;
	for (unsigned i = 0; i < list->count; i++)
		replay_file(r, list->path[i]);
	print_summary(r);
	if (!r->json)
		json_decref(r->list);
	return exit_code(r);
}

static int run(int argc, char **argv)
{
	static struct replay r;
	struct input_list list = {0};
	char error[INPUT_ERROR];
	int code = parse_options(&r, argc, argv);

	if (code >= 0)
		return code;
	if (r.pair_name) {
		if (!pair_open(&r.pair, r.pair_name, error, sizeof(error)))
			return command_usage(&command_replay, "--pair: %s", error);
		snprintf(r.opened_name, sizeof(r.opened_name), "%s", r.pair_name);
		r.opened = true;
	}
	code = list_files(&r, argc, argv, &list);
	if (code < 0)
		code = replay_all(&r, &list);
	input_list_free(&list);
	if (r.opened)
		pair_close(&r.pair);
	return code;
}

const struct command command_replay = {
	"replay",
	"run files on two executors, print both sides of the first divergence",
	help,
	run,
};
