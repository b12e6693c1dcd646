/* SPDX-License-Identifier: MIT */
/* fsndiff triage: what the engines left behind becomes findings of a campaign. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/command.h"
#include "fuzz/input.h"
#include "fuzz/minimize.h"

static const char help[] =
	"usage: fsndiff triage --into DIR [OPTION...] FILE|DIR...\n"
	"Judges crash files in fresh processes and saves what is new, whole, in DIR/findings:\n"
	"verified, put into a bucket, described, minimised. Nothing is ever overwritten, and the\n"
	"same file twice is the same as once. A file that shows nothing is kept in the bucket\n"
	"\"unreproduced\".\n"
	"\n"
	"  --into DIR    the campaign's directory\n"
	"  --pair A,B    the executors; otherwise the file's `# pair:`, otherwise\n"
	"                vanilla,optimized\n"
	"  --strict      known divergences are saved, too\n"
	"\n"
	"The last line is: triage: files=N new=N known=K1:N unreproduced=N failed=N\n"
	"Exit 0: nothing new; 77: something new; 3: it cannot be saved (then it goes to standard\n"
	"error as text); 2: a file that cannot be read.\n"
	"\n"
	"  fsndiff triage --into night crash-1a2b3c\n"
	"  fsndiff triage --into night aflpp/default/crashes\n";

struct triage {
	const char *into, *pair;
	bool strict;
	char dir[FINDINGS_PATH];
	unsigned files, new_count, unreproduced, unreadable, unsaved;
	struct tally tally;
};

static int parse_options(struct triage *t, int argc, char **argv)
{
	static const struct option options[] = {{"into", required_argument, NULL, 'i'},
						{"pair", required_argument, NULL, 'p'},
						{"strict", no_argument, NULL, 's'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'i': t->into = optarg; break;
		case 'p': t->pair = optarg; break;
		case 's': t->strict = true; break;
		case 'h': return command_help(&command_triage);
		default: return command_usage(&command_triage, "nothing was looked at");
		}
	}
	if (!t->into)
		return command_usage(&command_triage, "--into DIR is missing");
	if (optind == argc)
		return command_usage(&command_triage, "no FILE given");
	if (snprintf(t->dir, sizeof(t->dir), "%s/findings", t->into) >= FINDINGS_PATH / 2)
		return command_usage(&command_triage, "--into: the path is too long");
	return -1;
}

/* In a process of its own, as describing a finding means running it. */
static bool handle(struct triage *t, const struct finding *f)
{
	static struct handled h;
	char error[FINDINGS_ERROR];
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (!command_handle_finding(t->dir, f, NULL, &h, error, sizeof(error)))
			_exit(command_fail(&command_triage, EXIT_ENVIRONMENT, "%s", error));
		printf("%s: %s, %s, %s %s\n", f->source, verdict_bucket(f->verdict), h.stability,
		       h.saved == SAVED_KNOWN  ? "already in"
		       : h.saved == SAVED_FULL ? "not stored, enough of its kind in"
					       : "saved in",
		       h.bucket);
		fflush(stdout);
		_exit(EXIT_SAME);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SAME)
		return true;
	t->unsaved++;
	return false;
}

static void keep_unreproduced(struct triage *t, const struct finding *seen)
{
	struct verdict v = {.op = seen->program->count, .op_id = OP_COUNT, .direction = "~"};
	struct finding f = {seen->program, &v, seen->pair, seen->source};
	char bucket[FINDINGS_PATH], error[FINDINGS_ERROR];

	snprintf(v.key, sizeof(v.key), "unreproduced");
	t->unreproduced++;
	if (findings_save(t->dir, &f, bucket, error, sizeof(error)) == SAVED_FAILED) {
		command_fail(&command_triage, EXIT_ENVIRONMENT, "%s", error);
		t->unsaved++;
		return;
	}
	printf("%s: both sides are the same; kept in %s\n", f.source, bucket);
}

static void triage_program(struct triage *t, const char *path, const struct input *in,
			   struct probe *probe)
{
	struct finding f = {&in->trace->program, &probe->verdict, t->pair, path};
	char error[1024];

	if (!f.pair)
		f.pair = in->pair[0] ? in->pair : PAIR_DEFAULT;
	if (!probe_program(f.pair, f.program, probe, error, sizeof(error))) {
		command_fail(&command_triage, EXIT_USAGE, "%s: %s", path, error);
		t->unreadable++;
	} else if (!probe->crashed && probe->verdict.oracle == ORACLE_NONE) {
		keep_unreproduced(t, &f);
	} else if (probe->verdict.known[0] && !t->strict) {
		tally_add(&t->tally, probe->verdict.known, 1);
		printf("%s: known, explained by %s\n", path, probe->verdict.known);
	} else if (handle(t, &f)) {
		t->new_count++;
	}
}

static void triage_file(struct triage *t, const char *path)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	char error[INPUT_ERROR];
	struct input in;

	t->files++;
	if (!probe || !input_load(&in, path, error, sizeof(error))) {
		fprintf(stderr, "%s\n", probe ? error : "out of memory");
		t->unreadable++;
	} else {
		triage_program(t, path, &in, probe);
		input_free(&in);
	}
	free(probe);
}

static int triage_all(struct triage *t, const struct input_list *list)
{
	char known[256];

	for (unsigned i = 0; i < list->count; i++)
		triage_file(t, list->path[i]);
	printf("triage: files=%u new=%u known=%s unreproduced=%u failed=%u\n", t->files,
	       t->new_count, tally_text(&t->tally, known, sizeof(known)), t->unreproduced,
	       t->unreadable + t->unsaved);
	if (t->unsaved)
		return EXIT_ENVIRONMENT;
	if (t->new_count)
		return EXIT_DIVERGED;
	return t->unreadable ? EXIT_USAGE : EXIT_SAME;
}

static int run(int argc, char **argv)
{
	static struct triage t;
	struct input_list list = {0};
	char error[INPUT_ERROR];
	int code = parse_options(&t, argc, argv);

	for (int i = optind; code < 0 && i < argc; i++)
		if (!input_list_add(&list, argv[i], error, sizeof(error)))
			code = command_fail(&command_triage, EXIT_USAGE, "%s", error);
	if (code < 0)
		code = triage_all(&t, &list);
	input_list_free(&list);
	return code;
}

const struct command command_triage = {
	"triage",
	"verify, sort and save what the engines found",
	help,
	run,
};
