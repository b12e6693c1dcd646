/* SPDX-License-Identifier: MIT */
/* The text form: printing and parsing are inverse to one another, parsing is strict and says
 * exactly what is wrong, and conditions hold for whom they should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/toggles.h"
#include "tests/random_program.h"

enum { TEXT_MAX = (PROGRAM_OPS + 8) * TEXT_LINE };

static struct trace trace;
static struct text_error error;
static char printed[TEXT_MAX];

static bool parse(const char *text)
{
	return text_parse("t", text, strlen(text), &trace, &error);
}

static const char *print(const struct program *p)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	assert_non_null(out);
	text_print(p, out);
	fclose(out);
	return printed;
}

static void every_operation_survives_print_and_parse(void **state)
{
	char text[TEXT_LINE + 16];

	(void)state;
	for (unsigned id = 0; id < OP_COUNT; id++) {
		for (unsigned round = 0; round < 500; round++) {
			struct op op = random_op(id);
			size_t n = (size_t)snprintf(text, sizeof(text), "fsn 1\n");

			n += text_print_op(&op, text + n, sizeof(text) - n);
			assert_true(n < TEXT_LINE);
			if (!parse(text))
				fail_msg("%s in: %s", error.message, text);
			assert_int_equal(trace.program.count, 1);
			assert_int_equal(trace.program.op[0].id, id);
			for (unsigned i = 0; i < op_table[id].args; i++)
				assert_int_equal(trace.program.op[0].arg[i], op.arg[i]);
		}
	}
}

static void every_program_survives_print_and_parse(void **state)
{
	static struct program p;

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		random_program(&p);
		if (!parse(print(&p)))
			fail_msg("%s in: %s", error.message, printed);
		assert_true(program_equal(&p, &trace.program));
	}
}

static void every_path_survives_print_and_parse(void **state)
{
	char path[32], text[64];

	(void)state;
	for (unsigned code = 0; code < PATH_CODES; code++) {
		snprintf(text, sizeof(text), "fsn 1\nmkdir %s",
			 text_path(code, path, sizeof(path)));
		assert_true(parse(text));
		assert_int_equal(trace.program.op[0].arg[0], code);
	}
}

static void many_ways_to_say_it_have_one_canonical_form(void **state)
{
	static const struct {
		const char *said, *canonical;
	} rows[] = {
		{"", ""},
		{"level 5.18\nlimits groups=16 marks=128 queue=16", ""},
		{"level 6.18", "level 6.18\n"},
		{"limits groups=3 queue=1", "limits queue=1 groups=3\n"},
		{"level 5.17\norder reverse\nlimits marks=0",
		 "level 5.17\norder reverse\nlimits marks=0\n"},
		{"\n\t\n  # only a comment\n\treap\t# why\n\n", "reap\n"},
		{"read h0# no blank", "read h0\n"},
		{"group g0 fanotify class=notif", "group g0 fanotify\n"},
		{"group g0 fanotify report=0", "group g0 fanotify\n"},
		{"group g0 fanotify unlimited_marks report=NAME|DIR_FID class=content",
		 "group g0 fanotify class=content report=DIR_FID|NAME unlimited_marks\n"},
		{"mark g0 add inode d0 mask=ON_CHILD|OPEN",
		 "mark g0 add inode d0 mask=OPEN|ON_CHILD\n"},
		{"mark g0 add sb . mask=CLOSE|MOVE",
		 "mark g0 add sb . mask=CLOSE_WRITE|CLOSE_NOWRITE|MOVED_FROM|MOVED_TO\n"},
		{"mark g15 remove mount B:. ignore=0 onlydir surv",
		 "mark g15 remove mount B:. ignore=0 surv onlydir\n"},
		{"watch g0 d0 mask=0", "watch g0 d0\n"},
		{"watch g0 d0 mask=ALL",
		 "watch g0 d0 mask=ACCESS|MODIFY|ATTRIB|CLOSE_WRITE|CLOSE_NOWRITE|OPEN|MOVED_FROM|"
		 "MOVED_TO|CREATE|DELETE|DELETE_SELF|MOVE_SELF\n"},
		{"unwatch g0 wd=0", "unwatch g0\n"},
		{"open h0 d0/f0 wronly path creat", "open h0 d0/f0 wronly creat path\n"},
		{"rename fd:h15 C:. exchange noreplace", "rename fd:h15 C:. noreplace exchange\n"},
		{"setfl h1", "setfl h1\n"},
		{"umount B", "umount B\n"},
		{"read g0\nread h0\nclose g0\nclose h0", "read g0\nread h0\nclose g0\nclose h0\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512], canonical[512];

		snprintf(text, sizeof(text), "fsn 1\n%s", rows[i].said);
		snprintf(canonical, sizeof(canonical), "fsn 1\n%s", rows[i].canonical);
		if (!parse(text))
			fail_msg("%s in: %s", error.message, text);
		assert_string_equal(print(&trace.program), canonical);
	}
}

static void check_refusals(const char *before, const char *const (*rows)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s", before, rows[i][0]);
		if (parse(text))
			fail_msg("accepted: %s", text);
		assert_string_equal(error.message, rows[i][1]);
	}
}

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void a_wrong_first_line_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{"", "t:1:1: expected `fsn 1` as the first line, found the end of the line"},
		{"\nfsn 1", "t:1:1: expected `fsn 1` as the first line, found the end of the line"},
		{" fsn 1", "t:1:2: expected `fsn 1` as the first line, found 'fsn'"},
		{"\xef\xbb\xbf"
		 "fsn 1",
		 "t:1:1: expected `fsn 1` as the first line, found '\\xef\\xbb\\xbffsn'"},
		{"fsn", "t:1:4: expected format version 1 (this build reads no other)"},
		{"fsn 2", "t:1:5: expected format version 1 (this build reads no other)"},
		{"fsn 01", "t:1:5: expected format version 1 (this build reads no other)"},
		{"fsn 1 2", "t:1:7: expected the end of the line, found '2'"},
		{"fsn 1 => ok", "t:1:7: expected an operation before its outcome, found '=>'"},
		{"fsn 1\r\n",
		 "t:1:6: expected lines that end in a newline alone, found a carriage return"},
	};

	(void)state;
	check_refusals("", rows, COUNT(rows));
}

static void a_wrong_header_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{"level 5.16", "t:2:7: expected a level (5.17, 5.18, 5.19, 6.0, 6.1, 6.5, 6.8, "
			       "6.10, 6.13, 6.14, 6.17, 6.18), found '5.16'"},
		{"level 6.0 6.1", "t:2:11: expected the end of the line, found '6.1'"},
		{"order forward", "t:2:7: expected reverse, found 'forward'"},
		{"order reverse\nlevel 5.18",
		 "t:3:1: expected level, order and limits once each, in this order, before the "
		 "first operation, found 'level'"},
		{"reap\norder reverse",
		 "t:3:1: expected level, order and limits once each, in this order, before the "
		 "first operation, found 'order'"},
		{"limits", "t:2:7: expected queue=, marks= or groups=, found the end of the line"},
		{"limits size=4", "t:2:8: expected queue=, marks= or groups=, found 'size=4'"},
		{"limits queue=0", "t:2:14: expected a number from 1 to 64, found '0'"},
		{"limits queue=65", "t:2:14: expected a number from 1 to 64, found '65'"},
		{"limits marks=129", "t:2:14: expected a number from 0 to 128, found '129'"},
		{"limits groups=17", "t:2:15: expected a number from 1 to 16, found '17'"},
		{"limits marks=", "t:2:14: expected a number from 0 to 128, found the end of the "
				  "line"},
		{"limits marks= queue=4", "t:2:14: expected a number from 0 to 128, found nothing"},
		{"limits queue=4 queue=4", "t:2:16: expected every limit once, found 'queue=4'"},
	};

	(void)state;
	check_refusals("fsn 1\n", rows, COUNT(rows));
}

static void a_wrong_operation_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{"opne h0 d0 rdonly", "t:2:1: expected an operation (nearest: open), found 'opne'"},
		{"reap=> ok", "t:2:1: expected an operation (nearest: reap), found 'reap=>'"},
		{"frobnicate", "t:2:1: expected an operation, found 'frobnicate'"},
		{"# fine\nfrobnicate", "t:3:1: expected an operation, found 'frobnicate'"},
		{"open", "t:2:5: expected an open file (h0 to h15), found the end of the line"},
		{"open g0 d0 rdonly", "t:2:6: expected an open file (h0 to h15), found 'g0'"},
		{"read d0", "t:2:6: expected a group (g0 to g15) or an open file (h0 to h15), "
			    "found 'd0'"},
		{"marks g16", "t:2:7: expected a group (g0 to g15), found 'g16'"},
		{"marks g01", "t:2:7: expected a group (g0 to g15), found 'g01'"},
		{"marks g", "t:2:7: expected a group (g0 to g15), found 'g'"},
		{"mkdir A:d0", "t:2:7: expected a path (like d0/f0, B:d0/f0, C:. or fd:h0), found "
			       "'A:d0'"},
		{"mkdir fd:h16", "t:2:7: expected a path (like d0/f0, B:d0/f0, C:. or fd:h0), "
				 "found 'fd:h16'"},
		{"open h0 d0", "t:2:11: expected rdonly, wronly or rdwr, found the end of the "
			       "line"},
		{"open h0 d0 trunc", "t:2:12: expected rdonly, wronly or rdwr, found 'trunc'"},
		{"open h0 d0 rdwr excl excl", "t:2:22: expected every flag once, found 'excl'"},
		{"open h0 d0 rdwr surv",
		 "t:2:17: expected creat, excl, trunc, append, nonblock, directory, nofollow or "
		 "path, found 'surv'"},
		{"read h0 h1", "t:2:9: expected the end of the line, found 'h1'"},
		{"reap now", "t:2:6: expected the end of the line, found 'now'"},
		{"mark g0", "t:2:8: expected add, remove or flush, found the end of the line"},
		{"mark add g0", "t:2:6: expected a group (g0 to g15), found 'add'"},
		{"mark g0 put inode d0", "t:2:9: expected add, remove or flush, found 'put'"},
		{"mark g0 flush dir", "t:2:15: expected inode, mount or sb, found 'dir'"},
		{"group g0 dnotify", "t:2:10: expected fanotify or inotify, found 'dnotify'"},
		{"group g0 inotify class=notif",
		 "t:2:18: expected the end of the line, found 'class=notif'"},
		{"group g0 fanotify class=top",
		 "t:2:25: expected notif, content or pre_content, found 'top'"},
		{"group g0 fanotify class=notif class=notif",
		 "t:2:31: expected every key once, found 'class=notif'"},
		{"group g0 fanotify unlimited",
		 "t:2:19: expected class=, report=, unlimited_queue, unlimited_marks, pidfd or "
		 "tid, found "
		 "'unlimited'"},
		{"unwatch g0 wd=256", "t:2:15: expected a watch descriptor (0 to 255), found "
				      "'256'"},
		{"unwatch g0 wd=-1", "t:2:15: expected a watch descriptor (0 to 255), found '-1'"},
		{"unwatch g0 wd=99999999999",
		 "t:2:15: expected a watch descriptor (0 to 255), found '99999999999'"},
		{"unwatch g0 1", "t:2:12: expected wd=, found '1'"},
		{"utimes d0", "t:2:10: expected both, atime or mtime, found the end of the line"},
		{"mknod f2 dir", "t:2:10: expected file or fifo, found 'dir'"},
		{"umount D", "t:2:8: expected A, B or C, found 'D'"},
		{"answer g0 ask", "t:2:11: expected allow or deny, found 'ask'"},
	};

	(void)state;
	check_refusals("fsn 1\n", rows, COUNT(rows));
}

static void a_wrong_set_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{"", "t:2:21: expected mask=, ignored= or ignore=, found the end of the line"},
		{" OPEN", "t:2:22: expected mask=, ignored= or ignore=, found 'OPEN'"},
		{" class=OPEN", "t:2:22: expected mask=, ignored= or ignore=, found 'class=OPEN'"},
		{" mask=", "t:2:27: expected an event, found the end of the line"},
		{" mask= surv", "t:2:27: expected an event, found nothing"},
		{" mask=OPEN|", "t:2:32: expected an event, found the end of the line"},
		{" mask=|OPEN", "t:2:27: expected an event, found '|'"},
		{" mask=OPEN||MODIFY", "t:2:32: expected an event, found '|'"},
		{" mask=OPENPERM", "t:2:27: expected an event (nearest: OPEN_PERM), found "
				   "'OPENPERM'"},
		{" mask=FAN_OPEN", "t:2:27: expected an event (nearest: OPEN), found 'FAN_OPEN'"},
		{" mask=MODIFY|open", "t:2:34: expected an event, found 'open'"},
		{" mask=OPEN|OPEN", "t:2:32: expected every name once, found 'OPEN'"},
		{" mask=CLOSE|CLOSE_WRITE",
		 "t:2:33: expected every name once, found 'CLOSE_WRITE'"},
		{" mask=OPEN|0", "t:2:32: expected an event, found '0'"},
		{" mask=0x20", "t:2:27: expected an event, found '0x20'"},
		{" mask=Q_OVERFLOW", "t:2:27: expected an event, found 'Q_OVERFLOW'"},
		{" mask=ONESHOT", "t:2:27: expected an event, found 'ONESHOT'"},
		{" mask=ALL", "t:2:27: expected an event, found 'ALL'"},
		{" mask=OPEN ignored=OPEN",
		 "t:2:32: expected surv, evictable, onlydir or nofollow, found 'ignored=OPEN'"},
		{" mask=OPEN surv surv", "t:2:37: expected every flag once, found 'surv'"},
	};

	(void)state;
	check_refusals("fsn 1\nmark g0 add inode d0", rows, COUNT(rows));
}

static void a_wrong_expectation_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{"=> ok", "t:2:1: expected an operation before its outcome, found '=>'"},
		{"level 5.18 => ok", "t:2:12: expected an operation before its outcome, found "
				     "'=>'"},
		{"reap =>", "t:2:8: expected an outcome, found the end of the line"},
		{"reap => [vanilla]", "t:2:18: expected an outcome, found the end of the line"},
		{"reap => [vanilla ok", "t:2:9: expected `]` behind a condition, found '[vanilla "
					"ok'"},
		{"reap => [] ok", "t:2:10: expected the name of an executor or `level`, found "
				  "']'"},
		{"reap => [vanilla-modify_mask-parent_ignore_fix-unwatched-pseudo_opt_out-k1] ok",
		 "t:2:10: expected a condition of at most 63 characters"},
		{"reap => [vanilla,] ok",
		 "t:2:18: expected the name of an executor or `level`, found ']'"},
		{"reap => [vanilla|] ok",
		 "t:2:18: expected the name of an executor or `level`, found ']'"},
		{"reap => [Vanilla] ok",
		 "t:2:10: expected the name of an executor or `level`, found 'Vanilla]'"},
		{"reap => [vanilla optimized] ok",
		 "t:2:18: expected `,` or `]`, found 'optimized]'"},
		{"reap => [level] ok", "t:2:15: expected <, <=, =, >= or > and a level, found "
				       "']'"},
		{"reap => [level==5.18] ok",
		 "t:2:15: expected <, <=, =, >= or > and a level, found '==5.18]'"},
		{"reap => [level>=5.16] ok",
		 "t:2:17: expected a level that this build knows, found '5.16]'"},
	};

	(void)state;
	check_refusals("fsn 1\n", rows, COUNT(rows));
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	static const char nul[] = "fsn 1\nre\0ap\n", escape[] = "fsn 1\n# \033[0m\n",
			  comment_nul[] = "fsn 1\nreap # \0\n";

	(void)state;
	assert_false(text_parse("t", nul, sizeof(nul) - 1, &trace, &error));
	assert_string_equal(error.message, "t:2:3: expected text, found the byte 0x00");
	assert_false(text_parse("t", comment_nul, sizeof(comment_nul) - 1, &trace, &error));
	assert_string_equal(error.message, "t:2:8: expected text, found the byte 0x00");
	assert_false(text_parse("t", escape, sizeof(escape) - 1, &trace, &error));
	assert_string_equal(error.message, "t:2:3: expected text, found the byte 0x1b");
	assert_false(text_parse("t", NULL, 0, &trace, &error));
}

/* "fsn 1", `count` times `line`. */
static char *repeated(const char *line, unsigned count)
{
	size_t length = strlen(line);
	char *text = malloc(7 + count * length), *at = text;

	assert_non_null(text);
	at += sprintf(at, "fsn 1\n");
	for (unsigned i = 0; i < count; i++, at += length)
		memcpy(at, line, length + 1);
	return text;
}

static void capacities_are_errors_when_exceeded(void **state)
{
	static const struct {
		const char *line;
		unsigned fits;
		const char *message;
	} rows[] = {
		{"reap\n", PROGRAM_OPS, "t:130:1: expected at most 128 operations"},
		{"reap => ok\n", PROGRAM_OPS, "t:130:1: expected at most 128 operations"},
		{"reap =>ok\n=>a\n=>b\n=>c\n=>d\n", 102, "t:514:1: expected at most 512 outcomes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = repeated(rows[i].line, rows[i].fits);

		assert_true(parse(text));
		free(text);
		text = repeated(rows[i].line, rows[i].fits + 1);
		assert_false(parse(text));
		assert_string_equal(error.message, rows[i].message);
		free(text);
	}
}

static void an_outcome_that_is_too_long_is_refused(void **state)
{
	char text[TEXT_OUTCOME + 64];

	(void)state;
	for (int length = TEXT_OUTCOME - 1; length <= TEXT_OUTCOME; length++) {
		int n = snprintf(text, sizeof(text), "fsn 1\nreap => ");

		memset(text + n, 'x', (size_t)length);
		text[n + length] = 0;
		assert_int_equal(parse(text), length < TEXT_OUTCOME);
	}
	assert_string_equal(error.message, "t:2:9: expected an outcome of at most 1023 characters");
}

static void expectations_belong_to_the_operation_before_them(void **state)
{
	(void)state;
	assert_true(parse("fsn 1\n"
			  "reap\n"
			  "open h0 d0 rdonly =>  3 \t\n"
			  "# between\n"
			  "\n"
			  "\t=> [ optimized|vanilla+k1, level >= 5.19 ] OPEN #3; OPEN d0/f0\n"
			  "work =>0"));
	assert_int_equal(trace.expectations, 3);
	assert_int_equal(trace.line[0], 2);
	assert_int_equal(trace.line[1], 3);
	assert_int_equal(trace.line[2], 7);

	const struct expectation *e = trace.expectation;

	assert_int_equal(e[0].op, 1);
	assert_int_equal(e[0].line, 3);
	assert_string_equal(e[0].condition, "");
	assert_string_equal(e[0].outcome, "3");
	assert_int_equal(e[1].op, 1);
	assert_int_equal(e[1].line, 6);
	assert_string_equal(e[1].condition, "optimized|vanilla+k1, level >= 5.19");
	assert_string_equal(e[1].outcome, "OPEN #3; OPEN d0/f0");
	assert_int_equal(e[2].op, 2);
	assert_string_equal(e[2].outcome, "0");
}

static void a_condition_holds_for_whom_it_names(void **state)
{
	static const struct {
		const char *condition, *executor;
		enum core_level level;
		bool holds;
	} rows[] = {
		{"", "vanilla", LEVEL_5_18, true},
		{"vanilla", "vanilla", LEVEL_5_18, true},
		{"vanilla", "vanilla+k1", LEVEL_5_18, false},
		{"vanilla+k1", "vanilla", LEVEL_5_18, false},
		{"optimized-modify_mask", "optimized-modify_mask", LEVEL_5_18, true},
		{"vanilla|optimized", "optimized", LEVEL_5_18, true},
		{"vanilla | optimized", "vanilla", LEVEL_5_18, true},
		{"vanilla|optimized", "optimized+x", LEVEL_5_18, false},
		{"level<5.18", "vanilla", LEVEL_5_17, true},
		{"level<5.18", "vanilla", LEVEL_5_18, false},
		{"level<=5.18", "vanilla", LEVEL_5_18, true},
		{"level<=5.18", "vanilla", LEVEL_5_19, false},
		{"level=6.10", "vanilla", LEVEL_6_10, true},
		{"level=6.10", "vanilla", LEVEL_6_1, false},
		{"level>=6.8", "vanilla", LEVEL_6_10, true},
		{"level>6.10", "vanilla", LEVEL_6_10, false},
		{"level>6.10", "vanilla", LEVEL_6_13, true},
		{"level>=5.19,level<6.5", "vanilla", LEVEL_6_1, true},
		{"level>=5.19,level<6.5", "vanilla", LEVEL_6_5, false},
		{"optimized, level > 5.18", "optimized", LEVEL_5_19, true},
		{"optimized, level > 5.18", "vanilla", LEVEL_5_19, false},
		{"optimized, level > 5.18", "optimized", LEVEL_5_18, false},
		{"level>=9.9", "vanilla", LEVEL_6_18, false},
		{"vanilla,", "vanilla", LEVEL_6_18, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (text_condition_holds(rows[i].condition, rows[i].executor, rows[i].level) !=
		    rows[i].holds)
			fail_msg("[%s] for %s at %s", rows[i].condition, rows[i].executor,
				 core_level_names[rows[i].level]);
}

static void what_has_no_name_is_printed_as_a_number(void **state)
{
	char text[TEXT_LINE];

	(void)state;
	assert_string_equal(text_events(0, text, sizeof(text)), "0");
	assert_string_equal(text_events(FS_OPEN | FS_EVENT_ON_CHILD | FS_ISDIR, text, sizeof(text)),
			    "OPEN|ON_CHILD|ONDIR");
	assert_string_equal(text_events(FS_Q_OVERFLOW, text, sizeof(text)), "Q_OVERFLOW");
	assert_string_equal(text_events(FS_OPEN | 0x80000, text, sizeof(text)), "OPEN|0x80000");
	assert_string_equal(text_watch_events(FS_IN_IGNORED | IN_ISDIR, text, sizeof(text)),
			    "ISDIR|IGNORED");
	assert_string_equal(text_events(FS_EVENTS, text, 8), "ACCESS|");
}

static void text_is_told_from_bytes_by_its_first_four(void **state)
{
	(void)state;
	assert_true(text_recognize("fsn 1\n", 6));
	assert_true(text_recognize("fsn 7", 5));
	assert_false(text_recognize("fsn\001\0\0\0\0", 8));
	assert_false(text_recognize("fsn", 3));
}

/* What the parser relies on: words of the table of operations, arguments that must be there
 * before those that need not. */
static void the_table_of_operations_can_be_parsed(void **state)
{
	(void)state;
	for (unsigned id = 0; id < OP_COUNT; id++) {
		const struct op_info *info = &op_table[id];
		bool optional = false;

		assert_int_equal(info->code, id + 1);
		for (unsigned i = 0; i < info->args; i++) {
			const struct text_kind *kind = &text_kinds[info->arg[i].kind];
			bool tail = *info->arg[i].key || kind->form == TEXT_FLAGS;

			assert_true(kind->form != TEXT_NOTHING);
			assert_true(text_in_pool(info->arg[i].kind, info->arg[i].fallback));
			assert_true(tail || !optional);
			optional |= tail;
			if (kind->form == TEXT_KEY)
				assert_int_equal(info->arg[i + 1].kind, ARG_EVENTS);
		}
	}
}

static int release_number(enum core_level level)
{
	int major = 0, minor = 0;

	assert_int_equal(sscanf(core_level_names[level], "%d.%d", &major, &minor), 2);
	return major * 1000 + minor;
}

static void levels_are_compared_by_release(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LEVEL_COUNT; i++) {
		enum core_level a = (enum core_level)i;

		assert_int_equal(core_level_by_name(core_level_names[i]), i);
		for (unsigned j = 0; j < LEVEL_COUNT; j++) {
			enum core_level b = (enum core_level)j;
			int expected = release_number(a) - release_number(b);
			int found = core_level_compare(a, b);

			assert_int_equal(found < 0, expected < 0);
			assert_int_equal(found > 0, expected > 0);
		}
	}
	assert_int_equal(core_level_by_name("5.16"), LEVEL_COUNT);
	assert_int_equal(core_level_by_name(""), LEVEL_COUNT);
}

static void a_level_has_the_features_of_its_range(void **state)
{
#define HAS(level, id) (core_level_features(LEVEL_##level) >> FEAT_##id & 1)
	(void)state;
	assert_false(HAS(5_17, STRICT_NONDIR));
	assert_true(HAS(5_18, STRICT_NONDIR));
	assert_true(HAS(6_18, STRICT_NONDIR));
	assert_true(HAS(5_18, STRICT_REMOVE));
	assert_false(HAS(5_17, STRICT_REMOVE));
	assert_false(HAS(5_19, STRICT_REMOVE));
	assert_true(HAS(5_17, OPATH_OPEN));
	assert_true(HAS(6_1, OPATH_OPEN));
	assert_false(HAS(6_5, OPATH_OPEN));
	assert_true(HAS(6_8, OPATH_CLOSE));
	assert_false(HAS(6_10, OPATH_CLOSE));
	assert_false(HAS(6_17, SPECIAL_QUIET));
	assert_true(HAS(6_18, SPECIAL_QUIET));
#undef HAS
}

static void toggles_have_names_of_their_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TOGGLE_COUNT; i++) {
		assert_true(*core_toggles[i].name && *core_toggles[i].what);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(core_toggles[i].name, core_toggles[j].name);
	}
	assert_string_equal(core_toggles[TOGGLE_QUIRK_K1].name, "k1");
	assert_int_equal(core_toggles[TOGGLE_QUIRK_K1].kind, TOGGLE_QUIRK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_survives_print_and_parse),
		cmocka_unit_test(every_program_survives_print_and_parse),
		cmocka_unit_test(every_path_survives_print_and_parse),
		cmocka_unit_test(many_ways_to_say_it_have_one_canonical_form),
		cmocka_unit_test(a_wrong_first_line_is_refused),
		cmocka_unit_test(a_wrong_header_is_refused),
		cmocka_unit_test(a_wrong_operation_is_refused),
		cmocka_unit_test(a_wrong_set_is_refused),
		cmocka_unit_test(a_wrong_expectation_is_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(capacities_are_errors_when_exceeded),
		cmocka_unit_test(an_outcome_that_is_too_long_is_refused),
		cmocka_unit_test(expectations_belong_to_the_operation_before_them),
		cmocka_unit_test(a_condition_holds_for_whom_it_names),
		cmocka_unit_test(what_has_no_name_is_printed_as_a_number),
		cmocka_unit_test(text_is_told_from_bytes_by_its_first_four),
		cmocka_unit_test(the_table_of_operations_can_be_parsed),
		cmocka_unit_test(levels_are_compared_by_release),
		cmocka_unit_test(a_level_has_the_features_of_its_range),
		cmocka_unit_test(toggles_have_names_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
