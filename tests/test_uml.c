/* SPDX-License-Identifier: MIT */
/*
 * Guests (kernel/uml/uml.h), with shell scripts in the place of kernels: what becomes of one that
 * goes down, of one that never ends, and of one whose owner is killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/uml/keeper.h"
#include "kernel/uml/uml.h"

enum { PROGRAMS = 6 };

static char home[] = "/tmp/fsndiff-test-uml.XXXXXX";
static struct uml_kernel kernel = {.name = "fake"};

/* Answers "= g" and the number of the group to every program, and goes down at the one about g3.
 * What was said before that is only there when it was asked to be careful (the head of /in has
 * that at 12; the group is in the last byte of a program). */
static const char fragile[] = "cd \"$HOME\"\n"
			      "number() { od -An -v -t$2 -j$1 -N${2#u} in | tr -d ' '; }\n"
			      "count=$(number 8 u4) careful=$(number 12 u4) at=16 i=0\n"
			      "while [ $i -lt $count ]; do\n"
			      "	length=$(number $at u4)\n"
			      "	echo program $i\n"
			      "	group=$(($(number $((at + length + 3)) u1) % 16))\n"
			      "	if [ $group = 3 ]; then\n"
			      "		echo 'Kernel panic - not syncing: g3'\n"
			      "		[ $careful = 0 ] || cp said out\n"
			      "		exit 1\n"
			      "	fi >&3\n"
			      "	echo \"= g$group\"\n"
			      "	at=$((at + 4 + length)) i=$((i + 1))\n"
			      "done 3>&1 >said\n"
			      "echo done >>said\n"
			      "cp said out\n";

static void use_kernel(const char *script)
{
	FILE *out = fopen(kernel.kernel, "w");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s", script);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(kernel.kernel, 0755), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(home))
		return -1;
	snprintf(kernel.kernel, sizeof(kernel.kernel), "%s/kernel", home);
	snprintf(kernel.init, sizeof(kernel.init), "%s/kernel", home);
	return setenv("TMPDIR", home, 1);
}

static int tear_down(void **state)
{
	(void)state;
	keeper_remove_directory(home);
	return 0;
}

static bool is_clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "test -z \"$(ls -d %s/fsndiff-uml.* 2>/dev/null)\"",
		 home);
	return system(command) == 0;
}

/* The N-th program closes group N: the last byte of its byte form is N. */
static void make_programs(struct program *p)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		program_clear(&p[i]);
		p[i].count = 1;
		p[i].op[0] = (struct op){.id = OP_GROUP_CLOSE, .arg = {i}};
	}
}

static void a_program_that_takes_the_kernel_down_is_named_and_the_others_are_answered(void **state)
{
	struct uml_side side = {.kernel = &kernel};
	struct program programs[PROGRAMS];
	char error[UML_ERROR], expected[8];

	(void)state;
	use_kernel(fragile);
	make_programs(programs);
	if (!uml_run(&side, 1, programs, PROGRAMS, error, sizeof(error)))
		fail_msg("%s", error);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		const struct uml_answer *a = &side.answers.answer[i];
		if (i == 3) {
			assert_int_equal(a->status, UML_CRASHED);
			assert_string_equal(a->reason, "Kernel panic - not syncing: g3");
			continue;
		}
		snprintf(expected, sizeof(expected), "g%u", i);
		assert_int_equal(a->status, UML_RAN);
		assert_int_equal(a->ops, 1);
		assert_string_equal(uml_outcome(a, 0), expected);
	}
	uml_free(&side, 1);
	assert_true(is_clean());
}

/* The guest says so itself, and ends. */
static void a_program_that_hangs_is_named_and_those_behind_it_are_answered(void **state)
{
	struct uml_side side = {.kernel = &kernel};
	struct program programs[PROGRAMS];
	char error[UML_ERROR];

	(void)state;
	use_kernel("cd \"$HOME\"\n"
		   "count=$(od -An -v -tu4 -j8 -N4 in | tr -d ' ')\n"
		   "case $count in\n"
		   "6) printf 'program 0\\n= ok\\nprogram 1\\n! it hangs\\n' ;;\n"
		   "4) printf 'program %d\\n= ok\\n' 0 1 2 3; echo done ;;\n"
		   "esac >out\n");
	make_programs(programs);
	if (!uml_run(&side, 1, programs, PROGRAMS, error, sizeof(error)))
		fail_msg("%s", error);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		const struct uml_answer *a = &side.answers.answer[i];
		assert_int_equal(a->status, i == 1 ? UML_CRASHED : UML_RAN);
		assert_string_equal(i == 1 ? a->reason : uml_outcome(a, 0),
				    i == 1 ? "it hangs" : "ok");
	}
	uml_free(&side, 1);
	assert_true(is_clean());
}

static void a_kernel_that_does_not_get_to_its_init_is_an_error_with_its_last_words(void **state)
{
	struct uml_side side = {.kernel = &kernel};
	struct program programs[PROGRAMS];
	char error[UML_ERROR];

	(void)state;
	use_kernel("echo one; echo 'no memory for this'; exit 1");
	make_programs(programs);
	assert_false(uml_run(&side, 1, programs, PROGRAMS, error, sizeof(error)));
	assert_string_equal(error, "fake: no memory for this");
	uml_free(&side, 1);
	assert_true(is_clean());
}

static int run_keeper(unsigned seconds, char *directory)
{
	char error[UML_ERROR];
	int status;

	if (!keeper_make_directory(directory, PATH_MAX, error, sizeof(error)))
		fail_msg("%s", error);
	pid_t keeper = keeper_start(&kernel, directory, 0, seconds);
	assert_true(keeper > 0);
	assert_int_equal(waitpid(keeper, &status, 0), keeper);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A pipe that all of a guest's processes hold: it ends when the last of them has. */
static void a_guest_that_does_not_end_is_ended_with_all_its_processes(void **state)
{
	char directory[PATH_MAX], script[PATH_MAX + 64], byte;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(script, sizeof(script), "sleep 1000 & (sleep 1000 &)\nsleep 1000\n");
	use_kernel(script);
	assert_int_equal(run_keeper(1, directory), KEEPER_TOO_LONG);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	keeper_remove_directory(directory);
	assert_true(is_clean());
}

/* The owner says when the guest runs, and is killed; then the pipe ends, and so does the directory:
 * the keeper, which holds the pipe too, goes last. */
static void when_its_owner_is_killed_nothing_of_a_guest_is_left(void **state)
{
	char directory[PATH_MAX], error[UML_ERROR], byte;
	int ends[2];

	(void)state;
	use_kernel("sleep 1000 & sleep 1000\n");
	assert_int_equal(pipe(ends), 0);
	pid_t owner = fork();
	if (owner == 0) {
		close(ends[0]);
		if (!keeper_make_directory(directory, sizeof(directory), error, sizeof(error)) ||
		    keeper_start(&kernel, directory, 0, 1000) < 0)
			_exit(1);
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	assert_true(is_clean());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_program_that_takes_the_kernel_down_is_named_and_the_others_are_answered),
		cmocka_unit_test(a_program_that_hangs_is_named_and_those_behind_it_are_answered),
		cmocka_unit_test(
			a_kernel_that_does_not_get_to_its_init_is_an_error_with_its_last_words),
		cmocka_unit_test(a_guest_that_does_not_end_is_ended_with_all_its_processes),
		cmocka_unit_test(when_its_owner_is_killed_nothing_of_a_guest_is_left),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
