/* SPDX-License-Identifier: MIT */
/*
 * Probes: a program judged in a process of its own, so that a crash is a result like any other and
 * nothing that earlier programs left behind has a part in it. The caller should not have run any
 * program itself.
 */
#ifndef FUZZ_PROBE_H
#define FUZZ_PROBE_H

#include "fuzz/compare.h"

enum { PROBE_OUTPUT = 16384, PROBE_SECONDS = 20 };

struct probe {
	/* What came out. A crash is in here too: its key is crash/<operation>/<how>/~, with how a
	 * signal's name, "exit-N" for a sanitizer that ends the process, or "timeout". */
	struct verdict verdict;
	bool crashed;
	char how[16];
	char output[PROBE_OUTPUT]; /* what the process said on stderr, cut to fit */
};

/* Judges `p` on the pair. False: no process could be made, or the pair cannot be opened. */
bool probe_program(const char *pair, const struct program *p, struct probe *out, char *error,
		   size_t size);

/* Turns the status of a process that ended badly into `how`. False: it ended well. */
bool probe_how(int status, char *out, size_t size);

/* For minimize_program: `p` crashes the way the context says. Needs no clean process itself. */
struct crash_context {
	const char *pair;
	const char *how;
};

bool probe_keeps_crash(void *context, const struct program *p);

#endif
