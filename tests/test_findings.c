/* SPDX-License-Identifier: MIT */
/* Findings on disk: whole or not at all, never overwritten, by any number of processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/findings.h"
#include "fuzz/input.h"
#include "fuzz/text.h"

enum { PATH_SIZE = 512, PROCESSES = 8 };

struct fixture {
	char dir[64];
	struct program program;
	struct verdict verdict;
	struct finding finding;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/fsndiff-findings-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	program_clear(&f->program);
	f->program.count = 1;
	f->program.op[0].id = OP_FANOTIFY;
	f->verdict = (struct verdict){.oracle = ORACLE_MARKS,
				      .op_id = OP_FANOTIFY,
				      .direction = "+",
				      .field = "mask",
				      .key = "marks/fanotify/mask/+"};
	f->finding = (struct finding){&f->program, &f->verdict, PAIR_DEFAULT, "test"};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	free(f);
	return system(command);
}

static void path_of(char *out, const char *dir, const char *name)
{
	assert_true(snprintf(out, PATH_SIZE, "%s/%s", dir, name) < PATH_SIZE);
}

/* Names in a directory, hidden ones included. */
static unsigned count_names(const char *dir)
{
	struct dirent *e;
	unsigned count = 0;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d)))
		count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		closedir(d);
	return count;
}

static enum saved save(struct fixture *f, char *bucket)
{
	char error[FINDINGS_ERROR];
	enum saved saved = findings_save(f->dir, &f->finding, bucket, error, sizeof(error));

	if (saved == SAVED_FAILED)
		print_message("%s\n", error);
	return saved;
}

static void a_saved_finding_replays(void **state)
{
	struct fixture *f = *state;
	char bucket[FINDINGS_PATH], path[PATH_SIZE], error[INPUT_ERROR];
	struct input in;

	assert_int_equal(save(f, bucket), SAVED_NEW);
	path_of(path, f->dir, "marks.fanotify.mask.+");
	assert_string_equal(bucket, path);
	path_of(path, bucket, "trace.fsn");
	assert_true(input_load(&in, path, error, sizeof(error)));
	assert_true(in.text);
	assert_string_equal(in.pair, PAIR_DEFAULT);
	assert_string_equal(in.key, "marks/fanotify/mask/+");
	assert_true(program_equal(&in.trace->program, &f->program));
	input_free(&in);
	path_of(path, bucket, "input");
	assert_true(input_load(&in, path, error, sizeof(error)));
	assert_false(in.text);
	assert_true(program_equal(&in.trace->program, &f->program));
	input_free(&in);
	path_of(path, bucket, "verdict.json");
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(count_names(f->dir), 1);
}

static void the_same_finding_twice_is_the_same_as_once(void **state)
{
	struct fixture *f = *state;
	char bucket[FINDINGS_PATH], more[PATH_SIZE];

	assert_int_equal(save(f, bucket), SAVED_NEW);
	assert_int_equal(save(f, bucket), SAVED_KNOWN);
	f->program.op[0].arg[0] = 1;
	assert_int_equal(save(f, bucket), SAVED_MORE);
	assert_int_equal(save(f, bucket), SAVED_KNOWN);
	path_of(more, bucket, "more");
	assert_int_equal(count_names(more), 1);
}

static void the_first_of_a_bucket_is_never_overwritten(void **state)
{
	struct fixture *f = *state;
	char bucket[FINDINGS_PATH], path[PATH_SIZE], error[INPUT_ERROR];
	struct program first = f->program;
	struct input in;

	save(f, bucket);
	for (f->program.count = 2; f->program.count < 2 + MORE_MAX; f->program.count++)
		assert_int_equal(save(f, bucket), SAVED_MORE);
	assert_int_equal(save(f, bucket), SAVED_FULL);
	path_of(path, bucket, "input");
	assert_true(input_load(&in, path, error, sizeof(error)));
	assert_true(program_equal(&in.trace->program, &first));
	input_free(&in);
}

static void other_pairs_have_buckets_of_their_own(void **state)
{
	struct fixture *f = *state;
	char slug[128];

	f->finding.pair = "vanilla,vanilla+k1";
	findings_slug(&f->finding, slug, sizeof(slug));
	assert_string_equal(slug, "marks.fanotify.mask.+@vanilla,vanilla+k1");
	snprintf(f->verdict.known, sizeof(f->verdict.known), "K1");
	f->finding.pair = PAIR_DEFAULT;
	findings_slug(&f->finding, slug, sizeof(slug));
	assert_string_equal(slug, "K1");
}

static void many_processes_save_into_one_bucket(void **state)
{
	struct fixture *f = *state;
	char bucket[FINDINGS_PATH], more[PATH_SIZE];
	unsigned count[SAVED_FAILED + 1] = {0};
	int status;

	for (unsigned i = 0; i < PROCESSES; i++) {
		f->program.op[0].arg[0] = i;
		if (fork() == 0)
			_exit((int)save(f, bucket));
	}
	while (wait(&status) > 0)
		count[WEXITSTATUS(status)]++;
	assert_int_equal(count[SAVED_NEW], 1);
	assert_int_equal(count[SAVED_MORE], PROCESSES - 1);
	path_of(more, f->dir, "marks.fanotify.mask.+/more");
	assert_int_equal(count_names(more), PROCESSES - 1);
	assert_int_equal(count_names(f->dir), 1);
}

static void a_directory_that_cannot_be_is_an_error_with_its_name(void **state)
{
	struct fixture *f = *state;
	char bucket[FINDINGS_PATH], error[FINDINGS_ERROR], dir[PATH_SIZE];
	FILE *in_the_way;

	path_of(dir, f->dir, "file");
	in_the_way = fopen(dir, "w");
	assert_non_null(in_the_way);
	fclose(in_the_way);
	path_of(dir, f->dir, "file/findings");
	assert_false(findings_open(dir, error, sizeof(error)));
	assert_non_null(strstr(error, dir));
	assert_int_equal(findings_save(dir, &f->finding, bucket, error, sizeof(error)),
			 SAVED_FAILED);
	assert_non_null(strstr(error, dir));
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_write_that_fails_leaves_the_old_file(void **state)
{
	struct fixture *f = *state;
	char path[PATH_SIZE], error[FINDINGS_ERROR], there[16] = "";
	FILE *in;
	bool ok;

	path_of(path, f->dir, "file");
	assert_true(findings_write(path, "old", 3, error, sizeof(error)));
	signal(SIGXFSZ, SIG_IGN);
	limit_file_size(2);
	ok = findings_write(path, "newer", 5, error, sizeof(error));
	limit_file_size(RLIM_INFINITY);
	assert_false(ok);
	assert_non_null(strstr(error, path));
	in = fopen(path, "r");
	assert_int_equal(fread(there, 1, sizeof(there) - 1, in), 3);
	fclose(in);
	assert_string_equal(there, "old");
	assert_int_equal(count_names(f->dir), 1);
}

static void counts_are_told_by_name(void **state)
{
	struct tally t = {0};
	char text[64];

	(void)state;
	assert_string_equal(tally_text(&t, text, sizeof(text)), "K1:0");
	tally_add(&t, "K2", 1);
	tally_add(&t, "K1", 2);
	tally_add(&t, "K1", 3);
	assert_string_equal(tally_text(&t, text, sizeof(text)), "K1:5,K2:1");
	assert_int_equal(tally_total(&t), 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_saved_finding_replays),
		TEST(the_same_finding_twice_is_the_same_as_once),
		TEST(the_first_of_a_bucket_is_never_overwritten),
		TEST(other_pairs_have_buckets_of_their_own),
		TEST(many_processes_save_into_one_bucket),
		TEST(a_directory_that_cannot_be_is_an_error_with_its_name),
		TEST(a_write_that_fails_leaves_the_old_file),
		cmocka_unit_test(counts_are_told_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
