/* SPDX-License-Identifier: MIT */
/* Probes: what happens in a process of its own comes back as a verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/probe.h"

static void pipe_program(struct program *p)
{
	program_clear(p);
	p->count = 1;
	p->op[0] = (struct op){.id = OP_PIPE, .arg = {0, 1}};
}

static void probe(const char *pair, struct probe *out)
{
	struct program p;
	char error[512];

	pipe_program(&p);
	if (!probe_program(pair, &p, out, error, sizeof(error)))
		fail_msg("%s", error);
	if (out->crashed)
		fail_msg("%s", out->output);
}

static void a_divergence_is_judged_in_a_process_of_its_own(void **state)
{
	struct probe *out = calloc(1, sizeof(*out));

	(void)state;
	probe("vanilla,vanilla+pseudo_opt_out_2020", out);
	assert_int_equal(out->verdict.oracle, ORACLE_FILES);
	assert_string_equal(out->verdict.key, "files/pipe/flags/+");
	assert_string_equal(out->verdict.direction, "+");
	probe("vanilla,optimized", out);
	assert_int_equal(out->verdict.oracle, ORACLE_NONE);
	free(out);
}

static void a_pair_that_does_not_exist_is_an_error(void **state)
{
	struct probe *out = calloc(1, sizeof(*out));
	struct program p;
	char error[512] = "";

	(void)state;
	pipe_program(&p);
	assert_false(probe_program("vanilla,nothing", &p, out, error, sizeof(error)));
	assert_non_null(strstr(error, "nothing"));
	free(out);
}

/* The wait status of a process that ends by this signal, or with this code. */
static int status_of(int number, int code)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		const struct rlimit no_core = {0};

		setrlimit(RLIMIT_CORE, &no_core);
		if (number) {
			signal(number, SIG_DFL);
			raise(number);
		}
		_exit(code);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void an_end_is_named_by_its_signal_or_code(void **state)
{
	char how[16];

	(void)state;
	assert_false(probe_how(status_of(0, 0), how, sizeof(how)));
	assert_true(probe_how(status_of(0, 1), how, sizeof(how)));
	assert_string_equal(how, "exit-1");
	assert_true(probe_how(status_of(SIGSEGV, 0), how, sizeof(how)));
	assert_string_equal(how, "SIGSEGV");
	assert_true(probe_how(status_of(SIGABRT, 0), how, sizeof(how)));
	assert_string_equal(how, "SIGABRT");
	assert_true(probe_how(status_of(SIGALRM, 0), how, sizeof(how)));
	assert_string_equal(how, "timeout");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_divergence_is_judged_in_a_process_of_its_own),
		cmocka_unit_test(a_pair_that_does_not_exist_is_an_error),
		cmocka_unit_test(an_end_is_named_by_its_signal_or_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
