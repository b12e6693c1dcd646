/* SPDX-License-Identifier: MIT */
/*
 * Proves: the model is what it says it is. The vanilla build does what Linux 6.1 does without the
 * FS_MODIFY optimisation, the optimized build does what Linux 6.1 does, as far as anybody can see;
 * on the other side runs the kernel's own code (kernel/intree), linked in twice.
 *
 * The opt-out for pipes is younger than 6.1, so the optimized build goes without it.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/compare.h"
#include "fuzz/findings.h"
#include "fuzz/targets/require.h"
#include "fuzz/text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

extern const struct core_build core_tree_vanilla, core_tree_optimized;

static const struct {
	const char *name;
	const struct core_build *build;
} linked[] = {
	{"debian:6.1-modify_mask", &core_tree_vanilla},
	{"debian:6.1", &core_tree_optimized},
};

static const char *const names[] = {"vanilla,tree:debian:6.1-modify_mask",
				    "optimized-pseudo_opt_out,tree:debian:6.1"};

enum { PAIRS = sizeof(names) / sizeof(names[0]) };

static struct pair pairs[PAIRS];

static const struct core_build *load(const char *name, void **library, char *error, size_t size)
{
	*library = NULL;
	for (unsigned i = 0; i < PAIRS; i++)
		if (strcmp(linked[i].name, name) == 0)
			return linked[i].build;
	snprintf(error, size, "tree \"%s\" is not linked in", name);
	return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct executor_loader loader = {load, NULL};
	char error[512] = "";

	(void)argc;
	(void)argv;
	executor_loader = &loader;
	for (unsigned i = 0; i < PAIRS; i++)
		REQUIRE(pair_open(&pairs[i], names[i], error, sizeof(error)), "%s", error);
	return 0;
}

/* The words of both sides: fsndiff replay --pair PAIR, with this trace. */
static void disagree(unsigned pair, const struct program *p)
{
	struct verdict v;
	struct finding f = {p, &v, names[pair], "model_vs_tree"};

	pair_judge(&pairs[pair], p, &v);
	fprintf(stderr, "\ndivergence: %s on %s\n", v.key, names[pair]);
	findings_print_trace(&f, stderr);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program p;
	static struct trace trace;
	struct text_error error;

	if (!text_recognize(data, size)) {
		if (bytes_decode(data, size, &p) == BYTES_FOREIGN)
			return -1;
	} else if (text_parse("input", (const char *)data, size, &trace, &error)) {
		p = trace.program;
	} else {
		return -1;
	}
	for (unsigned i = 0; i < PAIRS; i++)
		if (!pair_agrees(&pairs[i], &p))
			disagree(i, &p);
	return 0;
}
