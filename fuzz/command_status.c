/* SPDX-License-Identifier: MIT */
/*
 * fsndiff status: what a campaign directory says, as text or JSON. The directory is written by
 * ci/campaign, the fuzz targets and `fsndiff triage`; status only reads.
 *
 *     DIR/campaign.json              {"pair": "vanilla,optimized", "started": <seconds since 1970>,
 *                                     "hours": 12, "jobs": 2}
 *     DIR/workers/<name>/stats.json  {"execs": N, "known": {"K1": N}, "new": N, "seconds": N,
 *                                     "updated": <seconds since 1970>}, replaced whole; the target
 *                                     builds_agree writes it to the file named by FSNDIFF_STATS
 *     DIR/workers/<name>/log         what the engine said
 *     DIR/corpus/                    inputs that the workers share
 *     DIR/findings/                  fuzz/findings.h
 *     DIR/aflpp/                     AFL++'s own output directory
 *
 * The numbers of a stats.json add up over all starts of that worker.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "fuzz/command.h"

static const char help[] = "usage: fsndiff status [--json] DIR\n"
			   "Shows how a campaign stands: workers, programs run, buckets with "
			   "counts and when they were\n"
			   "first and last seen, free disk.\n"
			   "\n"
			   "  --json   one JSON object\n"
			   "\n"
			   "The last line is: status: workers=N execs=N known=K1:N new=N\n"
			   "Exit 0: no new divergence; 77: there are some; 2: DIR is no campaign.\n"
			   "\n"
			   "  ci/campaign night --hours 12 & sleep 60; fsndiff status night\n"
			   "  fsndiff status --json night | jq .buckets\n";

struct status {
	const char *dir;
	json_t *campaign, *workers, *buckets, *known;
	json_int_t execs, fresh;
	struct tally tally;
};

typedef void (*visit)(struct status *s, const char *path, const char *name);

/* Calls `each` for what is in DIR/SUB, sorted, hidden names left out. */
static void each_entry(struct status *s, const char *sub, visit each)
{
	struct dirent **entry;
	char *path, *dir;
	int count;

	if (asprintf(&dir, "%s/%s", s->dir, sub) < 0)
		return;
	count = scandir(dir, &entry, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (entry[i]->d_name[0] != '.' &&
		    asprintf(&path, "%s/%s", dir, entry[i]->d_name) >= 0) {
			each(s, path, entry[i]->d_name);
			free(path);
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	free(dir);
}

static json_t *load(const char *dir, const char *name)
{
	char *path;
	json_t *j;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return NULL;
	j = json_load_file(path, 0, NULL);
	free(path);
	return j;
}

static void add_worker(struct status *s, const char *path, const char *name)
{
	json_t *stats = load(path, "stats.json");
	json_t *known = json_object_get(stats, "known"), *count;
	json_int_t execs = json_integer_value(json_object_get(stats, "execs"));
	double seconds = json_number_value(json_object_get(stats, "seconds"));
	const char *bucket;

	json_object_foreach(known, bucket, count)
		tally_add(&s->tally, bucket, (uint64_t)json_integer_value(count));
	s->execs += execs;
	json_array_append_new(
		s->workers,
		json_pack("{s:s, s:I, s:I, s:I}", "name", name, "execs", execs, "execs_per_second",
			  seconds > 0 ? (json_int_t)((double)execs / seconds) : 0, "updated",
			  json_integer_value(json_object_get(stats, "updated"))));
	json_decref(stats);
}

struct span {
	time_t first, last;
	json_int_t count;
};

static void widen(struct span *span, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	if (!span->count || st.st_mtime < span->first)
		span->first = st.st_mtime;
	if (!span->count || st.st_mtime > span->last)
		span->last = st.st_mtime;
	span->count++;
}

static void measure_bucket(const char *path, struct span *span)
{
	char *input, *more;
	struct dirent *e;
	DIR *d;

	if (asprintf(&input, "%s/input", path) < 0)
		return;
	widen(span, input);
	free(input);
	if (asprintf(&more, "%s/more", path) < 0)
		return;
	d = opendir(more);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && asprintf(&input, "%s/%s", more, e->d_name) >= 0) {
			widen(span, input);
			free(input);
		}
	if (d)
		closedir(d);
	free(more);
}

static void add_bucket(struct status *s, const char *path, const char *name)
{
	json_t *verdict = load(path, "verdict.json"), *key = json_object_get(verdict, "key");
	json_t *stability = json_object_get(verdict, "stability"), *minimized;
	struct span span = {0};
	char *file;

	measure_bucket(path, &span);
	if (!span.count) {
		json_decref(verdict);
		return;
	}
	minimized = json_false();
	if (asprintf(&file, "%s/minimized.fsn", path) >= 0) {
		struct stat st;

		minimized = json_boolean(stat(file, &st) == 0);
		free(file);
	}
	if (strcmp(name, "unreproduced") != 0)
		s->fresh++;
	json_array_append_new(s->buckets,
			      json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "bucket", name,
					"key", key ? json_string_value(key) : "", "stability",
					stability ? json_string_value(stability) : "", "count",
					span.count, "first", (json_int_t)span.first, "last",
					(json_int_t)span.last, "minimized", minimized));
	json_decref(verdict);
}

static json_int_t free_megabytes(const char *dir)
{
	struct statvfs fs;

	if (statvfs(dir, &fs) != 0)
		return -1;
	return (json_int_t)(fs.f_bavail * (fs.f_frsize / 1024) / 1024);
}

static void print_time(const char *label, json_int_t seconds)
{
	time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
	printf("%s%s", label, text);
}

static json_int_t number_in(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static const char *text_in(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static void print_text(const struct status *s)
{
	char known[256];
	size_t i;
	json_t *row;

	print_time("started ", number_in(s->campaign, "started"));
	printf(", pair %s, free disk %" JSON_INTEGER_FORMAT " MB\n", text_in(s->campaign, "pair"),
	       free_megabytes(s->dir));
	json_array_foreach(s->workers, i, row)
	{
		printf("worker %-16s %14" JSON_INTEGER_FORMAT " programs %9" JSON_INTEGER_FORMAT
		       "/s",
		       text_in(row, "name"), number_in(row, "execs"),
		       number_in(row, "execs_per_second"));
		print_time("  updated ", number_in(row, "updated"));
		putchar('\n');
	}
	json_array_foreach(s->buckets, i, row)
	{
		printf("bucket %s  %" JSON_INTEGER_FORMAT " inputs, %s%s", text_in(row, "bucket"),
		       number_in(row, "count"), text_in(row, "stability"),
		       json_is_true(json_object_get(row, "minimized")) ? ", minimised" : "");
		print_time(", first ", number_in(row, "first"));
		print_time(", last ", number_in(row, "last"));
		putchar('\n');
	}
	printf("status: workers=%zu execs=%" JSON_INTEGER_FORMAT
	       " known=%s new=%" JSON_INTEGER_FORMAT "\n",
	       json_array_size(s->workers), s->execs, tally_text(&s->tally, known, sizeof(known)),
	       s->fresh);
}

static void print_json(struct status *s)
{
	json_t *all;

	for (unsigned i = 0; i < TALLY_MAX; i++)
		if (s->tally.known[i].name[0])
			json_object_set_new(s->known, s->tally.known[i].name,
					    json_integer((json_int_t)s->tally.known[i].count));
	all = json_pack("{s:O, s:O, s:O, s:I, s:O, s:I, s:I}", "campaign", s->campaign, "workers",
			s->workers, "buckets", s->buckets, "execs", s->execs, "known", s->known,
			"new", s->fresh, "free_megabytes", free_megabytes(s->dir));
	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

static int read_campaign(struct status *s)
{
	json_error_t e;
	struct stat st;
	char *path;

	if (stat(s->dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return command_fail(&command_status, EXIT_USAGE, "%s: %s", s->dir,
				    strerror(errno ? errno : ENOTDIR));
	if (asprintf(&path, "%s/campaign.json", s->dir) < 0)
		return EXIT_ENVIRONMENT;
	s->campaign = json_load_file(path, 0, &e);
	if (!s->campaign)
		command_fail(&command_status, EXIT_USAGE, "%s: not the directory of a campaign: %s",
			     path, e.text);
	free(path);
	if (!s->campaign)
		return EXIT_USAGE;
	s->workers = json_array();
	s->buckets = json_array();
	s->known = json_object();
	each_entry(s, "workers", add_worker);
	each_entry(s, "findings", add_bucket);
	return -1;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	static struct status s;
	bool json = false;
	int c, code;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'j': json = true; break;
		case 'h': return command_help(&command_status);
		default: return command_usage(&command_status, "nothing was read");
		}
	}
	if (optind + 1 != argc)
		return command_usage(&command_status, "one DIR, not %d", argc - optind);
	s.dir = argv[optind];
	code = read_campaign(&s);
	if (code >= 0)
		return code;
	if (json)
		print_json(&s);
	else
		print_text(&s);
	json_decref(s.campaign);
	json_decref(s.workers);
	json_decref(s.buckets);
	json_decref(s.known);
	return s.fresh ? EXIT_DIVERGED : EXIT_SAME;
}

const struct command command_status = {"status", "how a campaign stands", help, run};
