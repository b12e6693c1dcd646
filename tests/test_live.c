/* SPDX-License-Identifier: MIT */
/*
 * The running kernel as an executor (kernel/live/live.h): what it answers, how it is called, and
 * that nothing of it is left. Skipped where there is no root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/text.h"
#include "kernel/live/live.h"

enum { TEXT = 8192, MOUNTS = 1 << 16 };

static void need_kernel(void)
{
	if (live_unavailable()) {
		print_message("skipped: %s\n", live_unavailable());
		skip();
	}
}

static struct program parse(const char *operations)
{
	static struct trace t;
	struct text_error error;
	char text[TEXT];
	int n = snprintf(text, sizeof(text), "fsn 1\n%s", operations);

	if (!text_parse("test", text, (size_t)n, &t, &error))
		fail_msg("%s", error.message);
	return t.program;
}

/* In the child: runs a program and writes the outcome of its last operation. */
static _Noreturn void run_child(const struct program *p, int out)
{
	static char outcome[LIVE_OUTCOME];
	char error[LIVE_ERROR];
	struct live *l = live_open(error, sizeof(error));

	snprintf(outcome, sizeof(outcome), "%s", error);
	if (l && live_start(l, error, sizeof(error)))
		for (unsigned i = 0; i < p->count; i++)
			live_step(l, &p->op[i], outcome, sizeof(outcome));
	if (write(out, outcome, strlen(outcome) + 1) < 0)
		_exit(1);
	if (l)
		live_close(l);
	_exit(0);
}

static void last_outcome_is(const char *operations, const char *expected)
{
	char got[TEXT] = "";
	struct program p = parse(operations);
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0)
		run_child(&p, ends[1]);
	close(ends[1]);
	for (ssize_t n, length = 0;
	     (n = read(ends[0], got + length, sizeof(got) - 1 - (size_t)length)) > 0;)
		length += n;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_string_equal(got, expected);
}

static void objects_go_by_a_path_or_by_their_number(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("group g0 fanotify report=FID\n"
			"mark g0 add sb . mask=CREATE|DELETE_SELF|ONDIR\n"
			"mkdir d2\n"
			"mkdir d3\n"
			"mknod d3/f0 file\n"
			"unlink f1\n"
			"rename d3 d0/l0\n"
			"read g0\n",
			"CREATE|ONDIR fid=.; CREATE fid=d0/l0; DELETE_SELF fid=#4");
	last_outcome_is("group g0 inotify\npipe h0 h1\nwatch g0 fd:h1 mask=MODIFY\nmarks g0\n",
			"wd=1 inode pipe#14 mask=MODIFY");
	last_outcome_is("group g0 fanotify\n"
			"mark g0 add inode C:d0 mask=OPEN\n"
			"mark g0 add mount B:d0 mask=OPEN\n"
			"mark g0 add sb B:. ignored=OPEN surv\n"
			"marks g0\n",
			"sb . mask=0 ignored=OPEN surv; mount B:. mask=OPEN ignored=0; "
			"inode C:d0 mask=OPEN ignored=0");
}

static void an_event_names_the_mount_and_the_removed_name(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("group g0 fanotify\n"
			"mark g0 add sb . mask=OPEN\n"
			"open h0 B:d0/f0 rdonly\n"
			"open h1 d0/f1 rdonly\n"
			"unlink d0/f1\n"
			"rename d0 d3\n"
			"read g0\n",
			"OPEN B:d3/f0; OPEN d3/f1 (deleted)");
}

static void a_question_is_answered_from_the_script(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("group g0 fanotify class=content\n"
			"mark g0 add inode d0/f0 mask=OPEN_PERM\n"
			"answer g0 deny\n"
			"open h0 d0/f0 rdonly\n",
			"EPERM");
	last_outcome_is("group g0 fanotify class=content\n"
			"mark g0 add inode d0/f0 mask=OPEN_PERM|CLOSE_NOWRITE\n"
			"answer g0 allow\n"
			"answer g0 deny\n"
			"open h0 d0/f0 rdonly\n"
			"close h0\n"
			"open h0 d0/f0 rdonly\n"
			"rename d0/f0 f2\n"
			"read g0\n",
			"ask OPEN_PERM f2 allow; CLOSE_NOWRITE f2; ask OPEN_PERM f2 deny");
}

static void callers_are_told_apart_and_stay_the_same(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("group g0 fanotify tid\n"
			"mark g0 add inode f0 mask=OPEN|ACCESS|MODIFY|CLOSE_WRITE\n"
			"caller other\n"
			"open h0 f0 rdwr\n"
			"caller thread\n"
			"read h0\n"
			"caller user\n"
			"write h0\n"
			"caller other\n"
			"write h0\n"
			"caller thread\n"
			"write h0\n"
			"caller admin\n"
			"close h0\n"
			"read g0\n",
			"MODIFY|OPEN f0 by=other; ACCESS|MODIFY f0 by=thread; "
			"MODIFY|CLOSE_WRITE f0");
	last_outcome_is("group g0 fanotify class=content pidfd\n"
			"mark g0 add inode f0 mask=OPEN_PERM|OPEN\n"
			"answer g0 deny\n"
			"caller other\n"
			"open h0 f0 rdonly\n"
			"open h0 f0 rdonly\n"
			"read g0\n",
			"ask OPEN_PERM f0 deny by=other; ask OPEN_PERM f0 allow by=other; "
			"OPEN f0 by=other");
}

static void privilege_is_given_up_for_a_call_and_had_back(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("caller user\ngroup g0 fanotify\n", "EPERM");
	last_outcome_is("caller user\ngroup g0 fanotify\ncaller admin\ngroup g0 fanotify\n", "ok");
	last_outcome_is("caller user\numount B\ncaller other\numount B\n", "ok");
	last_outcome_is("group g0 fanotify class=content\ncaller user\nsetxattr f0\n", "EPERM");
}

/* In the child: how many descriptors are open. */
static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void descriptors_in_records_are_closed(void **state)
{
	struct program p = parse("group g0 fanotify pidfd\n"
				 "group g1 fanotify class=content pidfd\n"
				 "mark g0 add sb . mask=OPEN|CLOSE\n"
				 "mark g1 add sb . mask=OPEN_PERM|CLOSE\n"
				 "open h0 f0 rdonly\n"
				 "close h0\n"
				 "caller other\n"
				 "open h0 f1 rdonly\n"
				 "close h0\n"
				 "read g0\n"
				 "read g1\n");
	static char told[LIVE_OUTCOME];
	int status;

	(void)state;
	need_kernel();
	pid_t child = fork();
	if (child == 0) {
		struct live *l = live_open(told, LIVE_ERROR);
		unsigned before = 0;
		if (!l)
			_exit(1);
		/* The first time the callers are made, and stay. */
		for (unsigned round = 0; round < 3; round++) {
			if (!live_start(l, told, LIVE_ERROR))
				_exit(1);
			for (unsigned i = 0; i < p.count; i++)
				live_step(l, &p.op[i], told, sizeof(told));
			if (round && open_descriptors() != before)
				_exit(2);
			before = open_descriptors();
		}
		live_close(l);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void what_no_system_call_does_is_skipped(void **state)
{
	(void)state;
	need_kernel();
	last_outcome_is("evict d0/f0\n", "skipped");
	last_outcome_is("open h0 f0 rdonly\nopen h0 f1 rdonly\n", "EBUSY");
}

static void limits_and_rivals_are_known_beforehand(void **state)
{
	struct program p = parse("limits queue=4\nopen h0 f0 rdonly\n");

	(void)state;
	assert_non_null(live_refuses(&p));
	p = parse("open h0 f0 rdonly\n");
	assert_null(live_refuses(&p));
	assert_false(live_order_matters(&p));
	p = parse("group g0 fanotify class=content\n"
		  "group g1 fanotify class=content\n"
		  "answer g1 deny\n");
	assert_true(live_order_matters(&p));
	p = parse("group g0 fanotify class=content\n"
		  "group g1 fanotify class=pre_content\n"
		  "answer g1 deny\n");
	assert_false(live_order_matters(&p));
}

/* ---- nothing is left ---- */

static size_t read_mounts(char *text)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY);
	size_t length = 0;

	for (ssize_t n; (n = read(fd, text + length, MOUNTS - 1 - length)) > 0;)
		length += (size_t)n;
	text[length] = '\0';
	close(fd);
	return length;
}

static void mounts_and_callers_die_with_the_process(void **state)
{
	static char before[MOUNTS], after[MOUNTS];
	struct program p = parse("group g0 fanotify class=content\n"
				 "mark g0 add sb . mask=OPEN_PERM\n"
				 "umount C\n"
				 "open h0 f0 rdonly\n"
				 "caller thread\n"
				 "open h1 f0 rdonly\n"
				 "caller other\n"
				 "open h2 f0 rdonly\n");
	char told[LIVE_OUTCOME];
	int ends[2], status;

	(void)state;
	need_kernel();
	read_mounts(before);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		char error[LIVE_ERROR];
		struct live *l = live_open(error, sizeof(error));
		if (!l || !live_start(l, error, sizeof(error)))
			_exit(1);
		for (unsigned i = 0; i < p.count; i++)
			live_step(l, &p.op[i], told, sizeof(told));
		if (write(ends[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], told, 1), 1);
	read_mounts(after);
	assert_string_equal(after, before);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	/* The pipe ends when nobody has it any more. */
	assert_int_equal(read(ends[0], told, 1), 0);
	close(ends[0]);
	read_mounts(after);
	assert_string_equal(after, before);
}

static void the_level_is_found_by_trying(void **state)
{
	struct live_level found = {0};
	int ends[2], status;

	(void)state;
	need_kernel();
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		char error[LIVE_ERROR];
		struct live *l = live_open(error, sizeof(error));
		bool ok = l && live_find_level(l, &found, error, sizeof(error)) &&
			  write(ends[1], &found, sizeof(found)) == (ssize_t)sizeof(found);
		_exit(!ok);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &found, sizeof(found)), sizeof(found));
	close(ends[0]);
	close(ends[1]);
	/* What is not seen is as in the level; every level is described by its features. */
	assert_true(found.level < LEVEL_COUNT);
	assert_int_equal((found.features ^ core_level_features(found.level)) & ~found.seen, 0);
	assert_true(found.seen & 1u << FEAT_OPEN_THEN_TRUNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_go_by_a_path_or_by_their_number),
		cmocka_unit_test(an_event_names_the_mount_and_the_removed_name),
		cmocka_unit_test(a_question_is_answered_from_the_script),
		cmocka_unit_test(callers_are_told_apart_and_stay_the_same),
		cmocka_unit_test(privilege_is_given_up_for_a_call_and_had_back),
		cmocka_unit_test(descriptors_in_records_are_closed),
		cmocka_unit_test(what_no_system_call_does_is_skipped),
		cmocka_unit_test(limits_and_rivals_are_known_beforehand),
		cmocka_unit_test(mounts_and_callers_die_with_the_process),
		cmocka_unit_test(the_level_is_found_by_trying),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
