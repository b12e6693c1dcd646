/* SPDX-License-Identifier: MIT */
/* Boots guests that run programs, and reads what they have to say (kernel/uml/uml.h). */
#define _GNU_SOURCE
#include "kernel/uml/uml.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/bytes.h"
#include "fuzz/tree_loader.h"
#include "kernel/uml/exchange.h"
#include "kernel/uml/keeper.h"

enum {
	BOOT_PROGRAMS = 2000,	 /* at most, in one boot */
	BOOT_SECONDS = 60,	 /* on a machine that is busy with other things … */
	PROGRAMS_PER_SECOND = 5, /* … and so slow at least */
	LAST_WORDS = 400,
	ENVIRONMENT = 3, /* exit code */
};

struct uml_text {
	struct uml_text *next;
	char bytes[];
};

/* ---- kernels ---- */

static _Noreturn void run_build(const char *tree, int out)
{
	char script[PATH_MAX];

	snprintf(script, sizeof(script), "%s/kernel/uml/build", tree_loader_source());
	dup2(out, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	execl(script, "build", tree, (char *)NULL);
	dprintf(STDERR_FILENO, "%s: %s\n", script, strerror(errno));
	_exit(ENVIRONMENT);
}

static void take_line(FILE *from, char *line, size_t size)
{
	if (!fgets(line, (int)size, from))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

int uml_prepare(struct uml_kernel *k, const char *tree)
{
	int out[2], status = -1;
	pid_t builder;

	memset(k, 0, sizeof(*k));
	snprintf(k->name, sizeof(k->name), "%s", tree);
	fflush(NULL);
	if (pipe2(out, O_CLOEXEC) != 0 || (builder = fork()) < 0) {
		fprintf(stderr, "uml: %s: %s\n", tree, strerror(errno));
		return ENVIRONMENT;
	}
	if (builder == 0)
		run_build(tree, out[1]);
	close(out[1]);
	FILE *from = fdopen(out[0], "r");
	if (from) {
		take_line(from, k->kernel, sizeof(k->kernel));
		take_line(from, k->init, sizeof(k->init));
		fclose(from);
	}
	while (waitpid(builder, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && k->init[0])
		return 0;
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : ENVIRONMENT;
}

/* ---- one boot ---- */

struct boot {
	char directory[PATH_MAX];
	pid_t keeper;
	unsigned from, count; /* which programs */
	bool careful;
	char *out, *log; /* afterwards */
	size_t out_size;
	int how;
};

static bool copy_init(const char *from, const char *directory)
{
	char path[PATH_MAX + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/init", directory);
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	bool ok = in >= 0 && out >= 0 && fstat(in, &st) == 0;
	for (off_t left = ok ? st.st_size : 0; ok && left > 0;) {
		ssize_t n = sendfile(out, in, NULL, (size_t)left);
		ok = n > 0;
		left -= n;
	}
	if (in >= 0)
		close(in);
	return (out < 0 || close(out) == 0) && ok;
}

static bool write_programs(const struct boot *b, const struct program *programs)
{
	struct exchange_head head = {EXCHANGE_MAGIC, b->count, b->careful};
	char path[PATH_MAX + 8];
	uint8_t bytes[BYTES_MAX];

	snprintf(path, sizeof(path), "%s/" EXCHANGE_IN, b->directory);
	FILE *in = fopen(path, "we");
	if (!in)
		return false;
	fwrite(&head, sizeof(head), 1, in);
	for (unsigned i = 0; i < b->count; i++) {
		uint32_t length =
			(uint32_t)bytes_encode(&programs[b->from + i], bytes, sizeof(bytes));
		fwrite(&length, sizeof(length), 1, in);
		fwrite(bytes, 1, length, in);
	}
	bool ok = !ferror(in);
	return fclose(in) == 0 && ok;
}

static bool boot_start(struct boot *b, const struct uml_kernel *k, const struct program *programs,
		       unsigned processor, char *error, size_t size)
{
	b->keeper = -1;
	if (!keeper_make_directory(b->directory, sizeof(b->directory), error, size)) {
		b->directory[0] = '\0';
		return false;
	}
	if (!copy_init(k->init, b->directory)) {
		snprintf(error, size, "%s: cannot be copied to %s: %s", k->init, b->directory,
			 strerror(errno));
		return false;
	}
	if (write_programs(b, programs))
		b->keeper = keeper_start(k, b->directory, processor,
					 BOOT_SECONDS + b->count / PROGRAMS_PER_SECOND);
	if (b->keeper < 0)
		snprintf(error, size, "%s: %s", b->directory, strerror(errno));
	return b->keeper >= 0;
}

static char *read_file(const char *directory, const char *name, size_t head, size_t *size)
{
	char path[PATH_MAX + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*size = fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	char *text = calloc(1, head + *size + 1);
	size_t used = 0;
	ssize_t n;
	while (text && fd >= 0 && used < *size &&
	       (n = read(fd, text + head + used, *size - used)) > 0)
		used += (size_t)n;
	*size = used;
	if (fd >= 0)
		close(fd);
	return text;
}

/* Waits for the guest's end, takes what it has written and removes its directory. */
static void boot_finish(struct boot *b)
{
	size_t log_size;
	int status = 0;

	if (b->keeper >= 0) {
		while (waitpid(b->keeper, &status, 0) < 0 && errno == EINTR)
			;
		b->how = WIFEXITED(status) ? WEXITSTATUS(status) : KEEPER_FAILED;
		b->out = read_file(b->directory, EXCHANGE_OUT, sizeof(struct uml_text),
				   &b->out_size);
		b->log = read_file(b->directory, KEEPER_LOG, 0, &log_size);
		b->keeper = -1;
	}
	if (b->directory[0])
		keeper_remove_directory(b->directory);
	b->directory[0] = '\0';
}

/* ---- what it says ---- */

/* The first line of a panic, or the last of everything. */
static void last_words(const struct boot *b, char *out, size_t size)
{
	const char *log = b->log ? b->log : "", *line = strstr(log, "Kernel panic");

	if (b->how == KEEPER_TOO_LONG) {
		snprintf(out, size, "it did not end in time");
		return;
	}
	if (!line)
		for (const char *at = log; *at; at = strchrnul(at, '\n'), at += *at != '\0')
			line = at;
	snprintf(out, size, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
	if (!out[0])
		snprintf(out, size, "it ended without a word");
}

/* Takes the answers to as many programs as have a whole one: gives their number, that of the
 * programs that were begun, and the guest's own error, if any. */
static unsigned read_answers(struct uml_answer *answer, char *text, size_t length,
			     unsigned *programs, const char **error)
{
	char *end = text + length, *next, *into = text;
	unsigned begun = 0, whole = 0;

	for (char *line = text; line < end; line = next) {
		char *stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			break; /* it was cut off here */
		*stop = '\0';
		next = stop + 1;
		if (strncmp(line, "program ", 8) == 0) {
			whole = begun++;
			answer[whole] = (struct uml_answer){.outcomes = into};
		} else if (strncmp(line, "= ", 2) == 0 && begun) {
			size_t size = (size_t)(next - line) - 2;
			memmove(into, line + 2, size);
			into += size;
			answer[begun - 1].ops++;
		} else if (strncmp(line, "- ", 2) == 0 && begun) {
			answer[begun - 1].status = UML_STOPPED;
			answer[begun - 1].reason = line + 2;
			into = next;
		} else if (strncmp(line, "! ", 2) == 0 && begun) {
			answer[begun - 1].status = UML_CRASHED;
			answer[begun - 1].reason = line + 2;
			whole = begun;
			into = next;
		} else if (strncmp(line, "error ", 6) == 0) {
			*error = line + 6;
		} else if (strcmp(line, "done") == 0) {
			whole = begun;
		}
	}
	*programs = begun;
	return whole;
}

/* ---- one kernel ---- */

/* Where a side stands. */
struct side_run {
	struct uml_side *side;
	struct boot boot;
	unsigned next;	/* program that has no answer yet */
	unsigned until; /* those before it are run carefully, for one of them ends the guest */
};

static char *keep_text(struct uml_answers *a, const char *text)
{
	struct uml_text *t = calloc(1, sizeof(*t) + strlen(text) + 1);

	if (!t)
		return NULL;
	strcpy(t->bytes, text);
	t->next = a->text;
	a->text = t;
	return t->bytes;
}

/* Adds the answers of a boot. False: the guest cannot run. */
static bool take_answers(struct side_run *r, char *error, size_t size)
{
	struct uml_answers *a = &r->side->answers;
	struct boot *b = &r->boot;
	struct uml_text *text = (void *)b->out;
	char words[LAST_WORDS];
	const char *complaint = NULL;

	if (!text) {
		snprintf(error, size, "no memory");
		return false;
	}
	text->next = a->text;
	a->text = text;
	unsigned begun, whole = read_answers(&a->answer[r->next], text->bytes, b->out_size, &begun,
					     &complaint);
	r->next += whole;
	last_words(b, words, sizeof(words));
	free(b->log);
	b->log = b->out = NULL;
	if (complaint || (b->careful && !begun)) {
		snprintf(error, size, "%s: %s", r->side->kernel->name,
			 complaint ? complaint : words);
		return false;
	}
	if (whole == b->count)
		return true;
	if (!b->careful)
		r->until = b->from + b->count;
	if (!b->careful || begun == whole)
		return true;
	struct uml_answer *crashed = &a->answer[r->next++];
	crashed->status = UML_CRASHED;
	crashed->reason = keep_text(a, words);
	return true;
}

static bool next_boot(struct side_run *r, const struct program *programs, unsigned count,
		      unsigned processor, char *error, size_t size)
{
	struct boot *b = &r->boot;

	b->careful = r->next < r->until;
	b->from = r->next;
	b->count = (b->careful ? r->until : count) - b->from;
	if (b->count > BOOT_PROGRAMS)
		b->count = BOOT_PROGRAMS;
	return boot_start(b, r->side->kernel, programs, processor, error, size);
}

/* One boot of every side that is not done, side by side. */
static bool run_round(struct side_run *run, unsigned sides, const struct program *programs,
		      unsigned count, char *error, size_t size)
{
	bool ok = true;

	for (unsigned i = 0; i < sides && ok; i++)
		if (run[i].next < count)
			ok = next_boot(&run[i], programs, count, i, error, size);
	for (unsigned i = 0; i < sides; i++) {
		bool booted = run[i].boot.keeper > 0;
		boot_finish(&run[i].boot);
		if (booted && !take_answers(&run[i], error, size))
			ok = false;
	}
	return ok;
}

bool uml_run(struct uml_side *side, unsigned sides, const struct program *programs, unsigned count,
	     char *error, size_t size)
{
	struct side_run *run = calloc(sides, sizeof(*run));
	bool ok = run != NULL, more = count > 0;

	for (unsigned i = 0; i < sides; i++) {
		side[i].answers = (struct uml_answers){
			.count = count,
			.answer = calloc(count ? count : 1, sizeof(struct uml_answer))};
		ok = ok && side[i].answers.answer;
		if (run)
			run[i] = (struct side_run){.side = &side[i], .boot.keeper = -1};
	}
	if (!ok)
		snprintf(error, size, "no memory");
	while (ok && more) {
		ok = run_round(run, sides, programs, count, error, size);
		more = false;
		for (unsigned i = 0; i < sides; i++)
			more |= run[i].next < count;
	}
	free(run);
	return ok;
}

void uml_free(struct uml_side *side, unsigned sides)
{
	for (unsigned i = 0; i < sides; i++) {
		struct uml_answers *a = &side[i].answers;
		for (struct uml_text *t = a->text, *next; t; t = next) {
			next = t->next;
			free(t);
		}
		free(a->answer);
		*a = (struct uml_answers){0};
	}
}

const char *uml_outcome(const struct uml_answer *answer, unsigned op)
{
	const char *at = answer->outcomes;

	while (op--)
		at += strlen(at) + 1;
	return at;
}
