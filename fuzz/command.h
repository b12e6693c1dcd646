/* SPDX-License-Identifier: MIT */
/*
 * The command fsndiff: one subcommand per fuzz/command_NAME.c, all listed here; fuzz/main.c picks
 * one. A subcommand says what is wrong on stderr, naming the place, and returns an exit code.
 */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "fuzz/compare.h"
#include "fuzz/findings.h"
#include "fuzz/probe.h"

enum {
	EXIT_SAME = 0,		/* the same, or nothing but known divergences */
	EXIT_USAGE = 2,		/* usage or bad input */
	EXIT_ENVIRONMENT = 3,	/* no space, no root, a missing tool */
	EXIT_DIVERGED = 77,	/* a new divergence or a crash */
	EXIT_NOT_SEEN = 78,	/* what should be there was not reproduced */
	EXIT_OTHER_BUCKET = 79, /* it was reproduced, in another bucket */
};

/* Every subcommand, in the order of `fsndiff --help`. */
#define FSNDIFF_COMMANDS(COMMAND) \
	COMMAND(replay)           \
	COMMAND(show)             \
	COMMAND(pack)             \
	COMMAND(minimize)         \
	COMMAND(fuzz)             \
	COMMAND(trees)            \
	COMMAND(triage)           \
	COMMAND(status)           \
	COMMAND(check)            \
	COMMAND(list)

struct command {
	const char *name;
	const char *summary; /* one line */
	const char *help;    /* usage, options, examples */
	int (*run)(int argc, char **argv);
};

#define COMMAND(name) extern const struct command command_##name;
FSNDIFF_COMMANDS(COMMAND)
#undef COMMAND

/* Prints "fsndiff NAME: message" and where to find help; returns EXIT_USAGE. */
int command_usage(const struct command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same without the hint about help; returns `code`. */
int command_fail(const struct command *c, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints the help and returns EXIT_SAME. */
int command_help(const struct command *c);

/* A decimal number from `least` to `most`; complains about `option` otherwise. */
bool command_number(const struct command *c, const char *option, const char *text, uint64_t least,
		    uint64_t most, uint64_t *value);

/* Are there colours and progress on this stream? */
bool command_is_terminal(FILE *stream);

/* What became of a finding after it was looked at more closely. */
struct handled {
	enum saved saved;
	char bucket[FINDINGS_PATH];
	const char *stability; /* "solid", "state-leak", "flaky" */
	bool minimized;
	struct program minimal;
};

/*
 * Everything that is done with a finding: saved in `dir` at once, reproduced in fresh processes,
 * described and minimised there. `first` is what the finder saw. `stop` (or null) is looked at
 * while minimising. The caller must not have run a program. False: nothing could be saved; the
 * finding has gone to stderr and `error` says why.
 */
bool command_handle_finding(const char *dir, const struct finding *first, const volatile int *stop,
			    struct handled *h, char *error, size_t size);

#endif
