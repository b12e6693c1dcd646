/* SPDX-License-Identifier: MIT */
/*
 * fsndiff-digest FILE|DIRECTORY...: for each input one line
 *
 *     <vanilla> <optimized>  <file>
 *
 * with the digest of everything that each build lets be observed. The lines must be the same on
 * every machine and with every compiler; ci/determinism holds them against each other. A program of
 * its own because cross compilers have no library but the C one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fuzz/input.h"

enum { DIGEST_BAD_INPUT = 2 };

static char error[INPUT_ERROR];

static int complain(void)
{
	fprintf(stderr, "fsndiff-digest: %s\n", error);
	return DIGEST_BAD_INPUT;
}

static bool digest_file(struct executor *vanilla, struct executor *optimized, const char *path)
{
	struct input in;

	if (!input_load(&in, path, error, sizeof(error)))
		return false;
	uint64_t a = executor_digest(vanilla, &in.trace->program);
	uint64_t b = executor_digest(optimized, &in.trace->program);
	printf("%016" PRIx64 " %016" PRIx64 "  %s\n", a, b, path);
	input_free(&in);
	return true;
}

int main(int argc, char **argv)
{
	static struct executor vanilla, optimized;
	struct input_list list = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: fsndiff-digest FILE|DIRECTORY...\n");
		return DIGEST_BAD_INPUT;
	}
	if (!executor_open(&vanilla, "vanilla", error, sizeof(error)) ||
	    !executor_open(&optimized, "optimized", error, sizeof(error)))
		return complain();
	for (int i = 1; i < argc; i++) {
		if (!input_list_add(&list, argv[i], error, sizeof(error)))
			return complain();
	}
	for (unsigned i = 0; i < list.count; i++) {
		if (!digest_file(&vanilla, &optimized, list.path[i]))
			return complain();
	}
	input_list_free(&list);
	executor_close(&vanilla);
	executor_close(&optimized);
	return 0;
}
