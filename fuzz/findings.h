/* SPDX-License-Identifier: MIT */
/*
 * Findings on disk: written whole or not at all, never overwritten, never deleted.
 *
 *     DIR/<bucket>/trace.fsn       the program as it was found, with `# pair:` and `# key:`
 *                  input           the same as bytes
 *                  verdict.json    key, known, pair, oracle, operation, field, direction, when,
 *                                  whence, and how far it can be reproduced ("stability")
 *                  report.txt      both sides of the divergence in words
 *                  minimized.fsn   the smallest trace (comes last; missing if shrinking was cut
 * off) more/<hash>     other inputs of the same bucket, as bytes, MORE_MAX at most
 *
 * <bucket> is the bucket key with "." for "/", with "@pair" behind it for other pairs than the
 * default. A bucket's directory is filled under a hidden name and renamed into place, so that
 * several processes can save into one DIR and a killed one leaves nothing half done. Every file is
 * synced before it gets its name, and so is the directory it is in.
 */
#ifndef FUZZ_FINDINGS_H
#define FUZZ_FINDINGS_H

#include <stdio.h>

#include "fuzz/compare.h"

enum { MORE_MAX = 64, FINDINGS_PATH = 4096, FINDINGS_ERROR = FINDINGS_PATH + 256 };

#define PAIR_DEFAULT "vanilla,optimized"

struct finding {
	const struct program *program;
	const struct verdict *verdict;
	const char *pair;   /* names of the executors */
	const char *source; /* who found it: a file, a worker */
};

enum saved {
	SAVED_NEW,   /* the first of its bucket */
	SAVED_MORE,  /* another input of a bucket that is there */
	SAVED_KNOWN, /* this very input is there */
	SAVED_FULL,  /* the bucket has MORE_MAX others already: not stored */
	SAVED_FAILED,
};

/* Makes `dir` ready: creates it and puts a ballast file there, which is given up when the disk is
 * full. False: `error` says why nothing could be saved there. */
bool findings_open(const char *dir, char *error, size_t size);

/* Removes the ballast; the findings stay. */
void findings_close(const char *dir);

/* Saves one finding. `bucket` (FINDINGS_PATH bytes) becomes the path of the bucket's directory. On
 * failure the whole finding goes to stderr, as text and as bytes, and `error` says why. */
enum saved findings_save(const char *dir, const struct finding *f, char *bucket, char *error,
			 size_t size);

/* What is learnt later about the first finding of a bucket. Files are replaced whole. */
bool findings_add_minimized(const char *bucket, const struct finding *minimized, char *error,
			    size_t size);
bool findings_add_report(const char *bucket, const char *text, size_t length, char *error,
			 size_t size);
bool findings_add_stability(const char *bucket, const struct finding *f, const char *stability,
			    char *error, size_t size);

/* Writes one file atomically: temporary name in the same directory, sync, rename, sync. */
bool findings_write(const char *path, const void *data, size_t length, char *error, size_t size);

/* The trace of a finding as it goes into trace.fsn. */
void findings_print_trace(const struct finding *f, FILE *out);

/* The name of a bucket's directory. */
void findings_slug(const struct finding *f, char *out, size_t size);

/* Hash of a program's bytes: the name of the file in more/. */
uint64_t findings_hash(const struct program *p);

/* Counts of known divergences, by name. */
enum { TALLY_MAX = 8 };

struct tally {
	struct {
		char name[32];
		uint64_t count;
	} known[TALLY_MAX];
};

void tally_add(struct tally *t, const char *name, uint64_t count);
uint64_t tally_total(const struct tally *t);
/* "K1:3,K2:1"; "K1:0" when there is none. */
char *tally_text(const struct tally *t, char *out, size_t size);

#endif
