/* SPDX-License-Identifier: MIT */
/* Probes (fuzz/probe.h): fork, judge, report through shared memory. */
#include "fuzz/probe.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_PAIR = 113 }; /* exit status of a probe that could not open its pair */

struct report {
	struct verdict verdict;
	char error[512];
};

static _Noreturn void judge(const char *names, const struct program *p, struct report *r)
{
	struct pair pair;

	signal(SIGINT, SIG_IGN);
	signal(SIGALRM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(PROBE_SECONDS);
	if (!pair_open(&pair, names, r->error, sizeof(r->error)))
		_exit(NO_PAIR);
	pair_judge(&pair, p, &r->verdict);
	if (r->verdict.oracle != ORACLE_NONE)
		pair_explain(&pair, p, &r->verdict);
	_exit(0);
}

bool probe_how(int status, char *out, size_t size)
{
	out[0] = '\0';
	if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		if (WTERMSIG(status) == SIGALRM)
			snprintf(out, size, "timeout");
		else if (name)
			snprintf(out, size, "SIG%s", name);
		else
			snprintf(out, size, "signal-%d", WTERMSIG(status));
	} else if (WEXITSTATUS(status)) {
		snprintf(out, size, "exit-%d", WEXITSTATUS(status));
	}
	return out[0] != '\0';
}

static void read_output(int fd, char *out)
{
	ssize_t n = fd < 0 ? 0 : pread(fd, out, PROBE_OUTPUT - 1, 0);

	out[n > 0 ? n : 0] = '\0';
}

/* One process. Gives its wait status, or -1. */
static int run(const char *pair, const struct program *p, struct report *r, int output)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		if (output >= 0)
			dup2(output, STDERR_FILENO);
		judge(pair, p, r);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* The operation of a crash: the last one of the shortest beginning that crashes. */
static uint8_t crash_op(const char *pair, const struct program *p, struct report *r, int output,
			unsigned *at)
{
	struct program cut = *p;
	unsigned low = 0, high = p->count + 1; /* `low` operations do not crash */

	while (high - low > 1) {
		unsigned middle = low + (high - low) / 2;
		char how[16];

		if (middle > p->count)
			break;
		cut.count = middle;
		if (probe_how(run(pair, &cut, r, output), how, sizeof(how)))
			high = middle;
		else
			low = middle;
	}
	*at = low;
	return low < p->count ? p->op[low].id : OP_COUNT;
}

static void name_crash(struct verdict *v, const char *how)
{
	char operation[32];

	snprintf(operation, sizeof(operation), "%s",
		 v->op_id < OP_COUNT ? op_table[v->op_id].id : "end");
	for (char *c = operation; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	snprintf(v->field, sizeof(v->field), "%s", how);
	snprintf(v->key, sizeof(v->key), "crash/%s/%s/~", operation, how);
	v->direction = "~";
	v->oracle = ORACLE_NONE;
	v->explained_by = 0;
	v->known[0] = '\0';
}

static struct report *map_report(void)
{
	void *r = mmap(NULL, sizeof(struct report), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return r == MAP_FAILED ? NULL : r;
}

bool probe_program(const char *pair, const struct program *p, struct probe *out, char *error,
		   size_t size)
{
	struct report *r = map_report();
	int output = memfd_create("probe", MFD_CLOEXEC);
	bool ok = false;
	int status;

	memset(out, 0, sizeof(*out));
	status = r ? run(pair, p, r, output) : -1;
	if (!r || status == -1) {
		snprintf(error, size, "a process of its own: %s", strerror(errno));
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PAIR) {
		snprintf(error, size, "%s", r->error);
	} else {
		ok = true;
		out->crashed = probe_how(status, out->how, sizeof(out->how));
		read_output(output, out->output);
		out->verdict = r->verdict;
	}
	if (out->crashed) {
		out->verdict.op_id = crash_op(pair, p, r, output, &out->verdict.op);
		name_crash(&out->verdict, out->how);
	}
	if (r)
		munmap(r, sizeof(*r));
	if (output >= 0)
		close(output);
	return ok;
}

bool probe_keeps_crash(void *context, const struct program *p)
{
	const struct crash_context *c = context;
	struct report *r = map_report();
	int output = memfd_create("probe", MFD_CLOEXEC), status;
	char how[16];
	bool same;

	status = r ? run(c->pair, p, r, output) : -1;
	same = status != -1 && probe_how(status, how, sizeof(how)) && strcmp(how, c->how) == 0;
	if (r)
		munmap(r, sizeof(*r));
	if (output >= 0)
		close(output);
	return same;
}
