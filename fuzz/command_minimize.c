/* SPDX-License-Identifier: MIT */
/* fsndiff minimize: the simplest trace in the same bucket. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/command.h"
#include "fuzz/input.h"
#include "fuzz/minimize.h"

static const char help[] =
	"usage: fsndiff minimize [OPTION...] FILE\n"
	"Shrinks the program in FILE as long as it diverges in the same bucket: the same bucket\n"
	"key, or the same known divergence. The same bucket ends in the same trace as far as the\n"
	"search reaches. The unshrunk trace goes to standard error first, the result to\n"
	"standard output. A program that crashes is shrunk in processes of its own.\n"
	"\n"
	"  --pair A,B         the executors; otherwise the file's `# pair:`, otherwise\n"
	"                     vanilla,optimized\n"
	"  -o, --output OUT   write the result there too; replaced as a whole\n"
	"\n"
	"Exit 0: done; 78: FILE shows no divergence, or not every time.\n"
	"\n"
	"  fsndiff minimize crash-1a2b3c -o small.fsn\n"
	"  fsndiff minimize --pair vanilla,vanilla+pseudo_opt_out_2020 found.fsn\n";

enum { CRASH_TRIES = 3000 };

struct options {
	const char *pair, *out;
};

static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {{"pair", required_argument, NULL, 'p'},
						{"output", required_argument, NULL, 'o'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int c;

	while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (c) {
		case 'p': o->pair = optarg; break;
		case 'o': o->out = optarg; break;
		case 'h': return command_help(&command_minimize);
		default: return command_usage(&command_minimize, "nothing was shrunk");
		}
	}
	if (optind + 1 != argc)
		return command_usage(&command_minimize, "one FILE, not %d", argc - optind);
	return -1;
}

static int emit(const struct options *o, const struct finding *f)
{
	char error[FINDINGS_ERROR], *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int code = EXIT_SAME;

	if (!out)
		return command_fail(&command_minimize, EXIT_ENVIRONMENT, "out of memory");
	findings_print_trace(f, out);
	fclose(out);
	fwrite(text, 1, length, stdout);
	if (fflush(stdout) != 0)
		code = command_fail(&command_minimize, EXIT_ENVIRONMENT,
				    "standard output cannot be written");
	else if (o->out && !findings_write(o->out, text, length, error, sizeof(error)))
		code = command_fail(&command_minimize, EXIT_ENVIRONMENT, "%s", error);
	free(text);
	return code;
}

static int shrink_crash(const struct options *o, struct program *p, struct finding *f)
{
	struct crash_context context = {f->pair, f->verdict->field};
	struct minimize_stats stats;

	minimize_program(p, probe_keeps_crash, &context, CRASH_TRIES, &stats);
	fprintf(stderr, "shrunk to %u operations in %lu tries%s\n", p->count, stats.tries,
		stats.gave_up ? ", which is the limit" : "");
	return emit(o, f);
}

static int shrink(const struct options *o, struct program *p, struct finding *f)
{
	struct bucket_context context;
	struct minimize_stats stats;
	struct pair pair;
	char error[1024];

	if (!pair_open(&pair, f->pair, error, sizeof(error)))
		return command_fail(&command_minimize, EXIT_USAGE, "%s", error);
	context.pair = &pair;
	snprintf(context.bucket, sizeof(context.bucket), "%s", verdict_bucket(f->verdict));
	if (!minimize_keeps_bucket(&context, p)) {
		pair_close(&pair);
		return command_fail(&command_minimize, EXIT_NOT_SEEN,
				    "the divergence did not come a second time");
	}
	minimize_program(p, minimize_keeps_bucket, &context, 0, &stats);
	fprintf(stderr, "shrunk to %u operations in %lu tries\n", p->count, stats.tries);
	pair_close(&pair);
	return emit(o, f);
}

static int minimize(const struct options *o, const char *path, struct input *in,
		    struct probe *probe)
{
	struct program *p = &in->trace->program;
	struct finding f = {p, &probe->verdict, o->pair, path};
	char error[1024];

	if (!f.pair)
		f.pair = in->pair[0] ? in->pair : PAIR_DEFAULT;
	if (!probe_program(f.pair, p, probe, error, sizeof(error)))
		return command_fail(&command_minimize, EXIT_USAGE, "%s", error);
	if (!probe->crashed && probe->verdict.oracle == ORACLE_NONE)
		return command_fail(&command_minimize, EXIT_NOT_SEEN,
				    "%s: both sides are the same on %s", path, f.pair);
	findings_print_trace(&f, stderr);
	return probe->crashed ? shrink_crash(o, p, &f) : shrink(o, p, &f);
}

static int run(int argc, char **argv)
{
	struct options o = {0};
	struct probe *probe;
	struct input in;
	char error[INPUT_ERROR];
	int code = parse_options(&o, argc, argv);

	if (code >= 0)
		return code;
	if (!input_load(&in, argv[optind], error, sizeof(error)))
		return command_fail(&command_minimize, EXIT_USAGE, "%s", error);
	probe = calloc(1, sizeof(*probe));
	code = probe ? minimize(&o, argv[optind], &in, probe) : EXIT_ENVIRONMENT;
	free(probe);
	input_free(&in);
	return code;
}

const struct command command_minimize = {
	"minimize",
	"shrink an input to the simplest trace in the same bucket",
	help,
	run,
};
