/* SPDX-License-Identifier: MIT */
/* Tests of outcomes: what operations did, in the notation of expectations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/dispatch.h"
#include "fuzz/executor.h"
#include "fuzz/outcome.h"
#include "fuzz/text.h"

/* A trace, and the outcome of its last operation on the vanilla build. */
struct row {
	const char *trace;
	const char *outcome;
};

static struct journal journal;

/* Runs a trace to its end and gives the outcome of the last operation. */
static void run(struct executor *e, const char *text, char *out, size_t size)
{
	static struct trace t;
	char error[256];
	char whole[4096];
	struct text_error wrong = {""};
	int32_t ret = 0;
	snprintf(whole, sizeof(whole), "fsn 1\n%s", text);
	if (!text_parse("test", whole, strlen(whole), &t, &wrong))
		fail_msg("%s in\n%s", wrong.message, whole);
	assert_true(executor_open(e, "vanilla", error, sizeof(error)));
	executor_start(e, &t.program.config, &journal);
	for (unsigned i = 0; i < t.program.count; i++) {
		journal.count = 0;
		ret = executor_step(e, &t.program.op[i]);
	}
	outcome_text(e->world, &t.program.op[t.program.count - 1], ret, &journal, out, size);
}

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct executor e;
		char got[TEXT_OUTCOME];
		run(&e, rows[i].trace, got, sizeof(got));
		executor_close(&e);
		if (strcmp(got, rows[i].outcome))
			fail_msg("%s\nexpected \"%s\"\n     got \"%s\"", rows[i].trace,
				 rows[i].outcome, got);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

static void results_are_words_or_numbers(void **state)
{
	static const struct row rows[] = {
		{"open h0 d0/f0 rdonly\n", "ok"},
		{"open h0 d0/f2 rdonly\n", "ENOENT"},
		{"mkdir d0\n", "EEXIST"},
		{"unlink f3\n", "ENOENT"},
		{"open h0 f0 rdwr\nwrite h0\n", "1"},
		{"open h0 f0 rdonly\nread h0\n", "1"},
		{"read h0\n", "EBADF"},
		{"group g0 inotify\nwatch g0 d0 mask=OPEN\n", "wd=1"},
		{"group g0 inotify\nwatch g0 d0 mask=OPEN\nwatch g0 d1 mask=OPEN\n", "wd=2"},
		{"group g0 fanotify\n", "ok"},
	};
	(void)state;
	CHECK(rows);
}

static void file_flags_have_names_and_unknown_bits_are_hexadecimal(void **state)
{
	static const struct row rows[] = {
		{"open h0 f0 rdwr append\ngetfl h0\n", "rdwr|append"},
		{"open h0 f0 rdonly\ngetfl h0\n", "rdonly"},
		{"open h0 f0 wronly\nsetfl h0 nonblock\ngetfl h0\n", "wronly|nonblock"},
	};
	char text[64];
	(void)state;
	CHECK(rows);
	assert_string_equal(outcome_flags(FL_NONOTIFY, text, sizeof(text)), "rdonly|0x4000000");
	assert_string_equal(outcome_flags(FL_RDWR | FL_PATH | 0x8000, text, sizeof(text)),
			    "rdwr|path|0x8000");
}

static void errors_have_names(void **state)
{
	(void)state;
	assert_string_equal(outcome_errno(ENOENT), "ENOENT");
	assert_string_equal(outcome_errno(EINVAL), "EINVAL");
	assert_string_equal(outcome_errno(4000), "E4000");
}

static void path_records_are_a_mask_and_a_path(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify\nread g0\n", "none"},
		{"group g0 fanotify\nmark g0 add inode d0 mask=OPEN|MODIFY|ON_CHILD\n"
		 "open h0 d0/f0 rdwr\nwrite h0\nopen h1 d0/f1 rdonly\nread g0\n",
		 "MODIFY|OPEN d0/f0; OPEN d0/f1"},
		{"group g0 fanotify\nmark g0 add sb . mask=OPEN\nopen h0 B:d0/f0 rdonly\n"
		 "open h1 . rdonly\nread g0\n",
		 "OPEN B:d0/f0"},
		{"group g0 fanotify\nmark g0 add sb . mask=OPEN|ONDIR\nopen h1 . rdonly\nread g0\n",
		 "OPEN ."},
		{"group g0 fanotify\nmark g0 add sb C:. mask=OPEN\nopen h0 C:d0/f0 rdonly\n"
		 "read g0\n",
		 "OPEN C:d0/f0"},
		{"group g0 fanotify\nmark g0 add sb . mask=OPEN\nopen h0 d0/f0 rdonly\n"
		 "unlink d0/f0\nread g0\n",
		 "OPEN d0/f0 (deleted)"},
		{"group g0 fanotify\nmark g0 add sb . mask=OPEN\nopen h0 d0/f0 rdonly\n"
		 "rename d0/f0 d1/f1\nread g0\n",
		 "OPEN d1/f1"},
	};
	(void)state;
	CHECK(rows);
}

static void handle_records_follow_the_report_mode(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify report=FID\nmark g0 add inode d0 mask=OPEN|CREATE|ON_CHILD\n"
		 "open h0 d0/f0 rdonly\nmknod d0/f2 file\nread g0\n",
		 "OPEN fid=d0/f0; CREATE fid=d0"},
		{"group g0 fanotify report=DIR_FID\nmark g0 add inode d0 mask=OPEN|ON_CHILD\n"
		 "open h0 d0/f0 rdonly\nread g0\n",
		 "OPEN fid=d0"},
		{"group g0 fanotify report=DIR_FID\nmark g0 add inode d0 mask=OPEN|ONDIR\n"
		 "open h0 d0 rdonly\nread g0\n",
		 "OPEN|ONDIR dfid=d0"},
		{"group g0 fanotify report=FID|DIR_FID\n"
		 "mark g0 add inode d0 mask=OPEN|CREATE|ON_CHILD\n"
		 "open h0 d0/f0 rdonly\nread g0\n",
		 "OPEN dfid=d0 fid=d0/f0"},
		{"group g0 fanotify report=DIR_FID|NAME\n"
		 "mark g0 add inode d0 mask=OPEN|CREATE|ONDIR|ON_CHILD\n"
		 "open h0 d0/f0 rdonly\nmknod d0/f2 file\nopen h1 d0 rdonly\nread g0\n",
		 "OPEN dfid=d0 name=f0; CREATE dfid=d0 name=f2; OPEN|ONDIR dfid=d0 name=."},
		{"group g0 fanotify report=FID|DIR_FID|NAME\n"
		 "mark g0 add inode d0 mask=OPEN|CREATE|ON_CHILD\n"
		 "open h0 d0/f0 rdonly\nmknod d0/f2 file\nread g0\n",
		 "OPEN dfid=d0 name=f0 fid=d0/f0; CREATE dfid=d0 name=f2"},
		{"group g0 fanotify report=FID|DIR_FID|NAME|TARGET_FID\n"
		 "mark g0 add inode d0 mask=CREATE\nmknod d0/f2 file\nread g0\n",
		 "CREATE dfid=d0 name=f2 fid=d0/f2"},
		{"group g0 fanotify report=FID\nmark g0 add inode f0 mask=DELETE_SELF\n"
		 "unlink f0\nread g0\n",
		 "DELETE_SELF fid=#3"},
	};
	(void)state;
	CHECK(rows);
}

static void a_rename_is_told_by_its_halves(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify report=DIR_FID|NAME\nmark g0 add sb . mask=RENAME\n"
		 "rename d0/f0 d1/f1\nread g0\n",
		 "RENAME old=d0 name=f0 new=d1 name=f1"},
		{"group g0 fanotify report=DIR_FID|NAME\nmark g0 add inode d1 mask=RENAME\n"
		 "rename d0/f0 d1/f1\nread g0\n",
		 "RENAME new=d1 name=f1"},
		{"group g0 fanotify report=FID|DIR_FID|NAME|TARGET_FID\n"
		 "mark g0 add inode d0 mask=RENAME\nrename d0/f0 d1/f1\nread g0\n",
		 "RENAME old=d0 name=f0 fid=d1/f1"},
	};
	(void)state;
	CHECK(rows);
}

static void watch_records_leave_out_what_is_absent(void **state)
{
	static const struct row rows[] = {
		{"group g0 inotify\nwatch g0 d0 mask=OPEN\nopen h0 d0/f0 rdonly\n"
		 "open h1 d0 rdonly\nread g0\n",
		 "wd=1 OPEN name=f0; wd=1 OPEN|ISDIR"},
		{"group g0 inotify\nwatch g0 f0 mask=OPEN\nunwatch g0 wd=1\nread g0\n",
		 "wd=1 IGNORED"},
		{"group g0 inotify\nwatch g0 d0 mask=MOVED_FROM|MOVED_TO\n"
		 "rename d0/f0 d0/f2\nread g0\n",
		 "wd=1 MOVED_FROM name=f0 cookie=1; wd=1 MOVED_TO name=f2 cookie=1"},
		{"group g0 inotify\nwatch g0 C:d0 mask=OPEN\numount C\nread g0\n",
		 "wd=1 UNMOUNT|ISDIR; wd=1 IGNORED"},
	};
	(void)state;
	CHECK(rows);
}

static void permission_and_overflow_records_have_their_own_words(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify class=content\nmark g0 add sb . mask=OPEN_PERM\n"
		 "answer g0 deny\nopen h0 d0/f0 rdonly\n",
		 "EPERM"},
		{"limits queue=1\ngroup g0 fanotify\nmark g0 add sb . mask=OPEN\n"
		 "open h0 f0 rdonly\nopen h1 f1 rdonly\nread g0\n",
		 "OPEN f0; Q_OVERFLOW"},
	};
	struct executor e;
	char got[TEXT_OUTCOME];
	(void)state;
	CHECK(rows);
	run(&e, rows[0].trace, got, sizeof(got));
	assert_int_equal(journal.count, 1);
	assert_int_equal(journal.entry[0].kind, JOURNAL_ASKED);
	outcome_event(e.world, 0, &journal.entry[0].event, got, sizeof(got));
	assert_string_equal(got, "ask OPEN_PERM d0/f0 deny");
	executor_close(&e);
}

static void records_of_others_say_by_whom(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify\nmark g0 add inode f0 mask=OPEN\ncaller thread\n"
		 "open h0 f0 rdonly\nread g0\n",
		 "OPEN f0"},
		{"group g0 fanotify tid\nmark g0 add inode f0 mask=OPEN\ncaller thread\n"
		 "open h0 f0 rdonly\nread g0\n",
		 "OPEN f0 by=thread"},
		{"group g0 fanotify report=FID\nmark g0 add inode f0 mask=OPEN\ncaller other\n"
		 "open h0 f0 rdonly\nread g0\n",
		 "OPEN fid=f0 by=other"},
		{"caller user\ngroup g0 fanotify report=FID\nmark g0 add inode f0 mask=OPEN\n"
		 "open h0 f0 rdonly\ncaller other\nopen h1 f0 rdonly\ncaller admin\nread g0\n",
		 "OPEN fid=f0; OPEN fid=f0 by=hidden"},
		{"limits queue=1\ncaller user\ngroup g0 fanotify report=FID\n"
		 "mark g0 add inode f0 mask=OPEN|CLOSE_NOWRITE\ncaller other\nopen h0 f0 rdonly\n"
		 "close h0\nread g0\n",
		 "OPEN fid=f0 by=other; Q_OVERFLOW"},
		{"group g0 inotify\nwatch g0 f0 mask=OPEN\ncaller other\nopen h0 f0 rdonly\n"
		 "read g0\n",
		 "wd=1 OPEN"},
	};
	(void)state;
	CHECK(rows);
}

/* Which mark asked for an event stands in the journal, by slot; a mark that asked for something
 * else does not, nor does one that has gone. */
static void the_journal_says_which_marks_asked(void **state)
{
	static const struct {
		const char *trace;
		uint32_t asked[SLOTS];
	} rows[] = {
		{"group g0 fanotify\nmark g0 add inode d0 mask=MODIFY|ON_CHILD\n"
		 "mark g0 add sb . mask=MODIFY|OPEN\nmark g0 add inode d0/f0 mask=OPEN\n"
		 "open h0 d0/f0 wronly\nwrite h0\n",
		 {[SLOT_PARENT] = FS_MODIFY, [SLOT_SB] = FS_MODIFY}},
		{"group g0 fanotify\nmark g0 add mount . mask=OPEN_EXEC\n"
		 "mark g0 add inode d0 mask=OPEN\nmark g0 add inode d0/f0 mask=OPEN\nexec d0/f0\n",
		 {[SLOT_SELF] = FS_OPEN, [SLOT_MOUNT] = FS_OPEN_EXEC}},
		{"group g0 fanotify report=FID|DIR_FID|NAME\nmark g0 add inode d1 mask=RENAME\n"
		 "rename d0/f0 d1/f1\n",
		 {[SLOT_NEW_DIR] = FS_RENAME}},
		{"group g0 inotify\nwatch g0 d0 mask=ATTRIB\nchmod d0/f0\n",
		 {[SLOT_PARENT] = FS_ATTRIB}},
		{"group g0 inotify\nwatch g0 d0/f0 mask=ATTRIB\nwatch g0 d0 mask=OPEN\nunwatch g0 "
		 "wd=2\n"
		 "unwatch g0 wd=1\n",
		 {[SLOT_SELF] = FS_IN_IGNORED}},
	};
	struct executor e;
	char got[TEXT_OUTCOME];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run(&e, rows[i].trace, got, sizeof(got));
		assert_int_equal(journal.count, 1);
		assert_memory_equal(journal.entry[0].asked, rows[i].asked, sizeof(rows[i].asked));
		executor_close(&e);
	}
}

static void marks_are_listed_newest_first(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify\nmarks g0\n", "none"},
		{"group g0 fanotify\nmark g0 add inode d0 mask=OPEN|ON_CHILD\n"
		 "mark g0 add inode d0 ignored=OPEN surv\nmark g0 add mount B:. mask=CLOSE_WRITE\n"
		 "mark g0 add sb C:d0 mask=OPEN\nmarks g0\n",
		 "sb C:. mask=OPEN ignored=0; mount B:. mask=CLOSE_WRITE ignored=0; "
		 "inode d0 mask=OPEN|ON_CHILD ignored=OPEN surv"},
		{"level 6.0\ngroup g0 fanotify\nmark g0 add inode d0 mask=OPEN evictable\n"
		 "mark g0 add inode d1 ignore=OPEN|ON_CHILD surv\nmarks g0\n",
		 "inode d1 mask=0 ignored=OPEN|ON_CHILD surv ignore_form; "
		 "inode d0 mask=OPEN ignored=0 evictable"},
		{"group g0 fanotify\nmark g0 add inode d0/f0 mask=OPEN\nopen h0 d0/f0 rdonly\n"
		 "unlink d0/f0\nmarks g0\n",
		 "inode #5 mask=OPEN ignored=0"},
		{"group g0 fanotify\nmark g0 add inode d0/f0 mask=OPEN\nopen h0 d0/f0 rdonly\n"
		 "link d0/f0 d1/f1\nunlink d0/f0\nmarks g0\n",
		 "inode d1/f1 mask=OPEN ignored=0"},
	};
	(void)state;
	CHECK(rows);
}

static void watches_show_what_fdinfo_shows(void **state)
{
	static const struct row rows[] = {
		{"group g0 inotify\nwatch g0 d0 mask=OPEN\nmarks g0\n", "wd=1 inode d0 mask=OPEN"},
		{"group g0 inotify\nwatch g0 d0 mask=OPEN|ONESHOT|EXCL_UNLINK\nmarks g0\n",
		 "wd=1 inode d0 mask=OPEN"},
		{"level 5.19\ngroup g0 inotify\nwatch g0 d0 mask=OPEN|ONESHOT|EXCL_UNLINK\n"
		 "marks g0\n",
		 "wd=1 inode d0 mask=OPEN|EXCL_UNLINK|ONESHOT"},
		{"group g0 inotify\npipe h0 h1\nwatch g0 fd:h0 mask=MODIFY\nmarks g0\n",
		 "wd=1 inode pipe#14 mask=MODIFY"},
	};
	(void)state;
	CHECK(rows);
}

static void work_is_that_of_the_operation_before(void **state)
{
	static const struct row rows[] = {
		{"group g0 fanotify\nmark g0 add inode f0 mask=MODIFY\nopen h0 f0 wronly\n"
		 "write h0\nwork\n",
		 "sections=1 visits=1"},
	};
	(void)state;
	CHECK(rows);
}

static void a_text_that_does_not_fit_says_so(void **state)
{
	struct executor e;
	char got[24];
	(void)state;
	run(&e,
	    "group g0 fanotify\nmark g0 add inode d0 mask=OPEN|CLOSE_WRITE|ON_CHILD\nmarks g0\n",
	    got, sizeof(got));
	executor_close(&e);
	assert_int_equal(strlen(got), sizeof(got) - 1);
	assert_string_equal(got + sizeof(got) - 4, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_words_or_numbers),
		cmocka_unit_test(file_flags_have_names_and_unknown_bits_are_hexadecimal),
		cmocka_unit_test(errors_have_names),
		cmocka_unit_test(path_records_are_a_mask_and_a_path),
		cmocka_unit_test(handle_records_follow_the_report_mode),
		cmocka_unit_test(a_rename_is_told_by_its_halves),
		cmocka_unit_test(watch_records_leave_out_what_is_absent),
		cmocka_unit_test(permission_and_overflow_records_have_their_own_words),
		cmocka_unit_test(records_of_others_say_by_whom),
		cmocka_unit_test(the_journal_says_which_marks_asked),
		cmocka_unit_test(marks_are_listed_newest_first),
		cmocka_unit_test(watches_show_what_fdinfo_shows),
		cmocka_unit_test(work_is_that_of_the_operation_before),
		cmocka_unit_test(a_text_that_does_not_fit_says_so),
	};
	return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
