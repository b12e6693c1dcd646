/* SPDX-License-Identifier: MIT */
/* fsndiff trees --confirm: what was found in process, on real kernels (fuzz/command_trees.h). */
#include "fuzz/command_trees.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/input.h"
#include "kernel/uml/uml.h"

struct collected {
	unsigned count;
	struct program *program;
};

/* Oracles that look inside: what they find does not show from outside a kernel. */
static bool is_inner(const char *key)
{
	static const char *const inner[] = {"crash/", "work/", "masks/", "balance/", "steps/"};

	for (unsigned i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (strncmp(key, inner[i], strlen(inner[i])) == 0)
			return true;
	return false;
}

/* Takes one finding, if it is of this pair. */
static bool take(struct collected *c, const char *path, const char *pair, char *error, size_t size)
{
	struct input in;

	if (!input_load(&in, path, error, size))
		return false;
	if (strcmp(in.pair, pair) == 0 && is_inner(in.key)) {
		printf("-: %s, %s: not to be seen from outside a kernel\n", in.key, path);
	} else if (strcmp(in.pair, pair) == 0) {
		printf("%u: %s, %s\n", c->count + 1, in.key, path);
		c->program[c->count++] = in.trace->program;
	}
	input_free(&in);
	return true;
}

/* The minimised trace of every bucket; the one that was found where there is none. */
static bool collect(struct collected *c, const char *findings, const char *pair, char *error,
		    size_t size)
{
	char pattern[PATH_MAX + 8], path[PATH_MAX];
	glob_t buckets;
	bool ok = true;

	snprintf(pattern, sizeof(pattern), "%s/*/", findings);
	if (glob(pattern, 0, NULL, &buckets) != 0)
		buckets.gl_pathc = 0;
	c->program = calloc(buckets.gl_pathc + 1, sizeof(*c->program));
	for (size_t i = 0; ok && c->program && i < buckets.gl_pathc; i++) {
		static const char *const names[] = {"minimized.fsn", "trace.fsn"};
		for (unsigned n = 0; n < 2; n++) {
			snprintf(path, sizeof(path), "%s%s", buckets.gl_pathv[i], names[n]);
			if (access(path, R_OK) != 0)
				continue;
			ok = take(c, path, pair, error, size);
			break;
		}
	}
	if (buckets.gl_pathc)
		globfree(&buckets);
	return ok && c->program;
}

/* Every program of a corpus. */
static bool collect_corpus(struct collected *c, const char *corpus, char *error, size_t size)
{
	struct input_list list = {0};
	struct input in;
	bool ok = !corpus[0] || input_list_add(&list, corpus, error, size);

	c->program = calloc(list.count + 1, sizeof(*c->program));
	for (unsigned i = 0; ok && c->program && i < list.count; i++) {
		ok = input_load(&in, list.path[i], error, size);
		if (!ok)
			break;
		c->program[c->count++] = in.trace->program;
		input_free(&in);
	}
	input_list_free(&list);
	return ok && c->program;
}

int trees_confirm(const char *a, const char *b, const char *pair, const char *findings,
		  const struct trees_sample *sample)
{
	struct uml_options options = {.sample = sample->programs,
				      .sample_ops = sample->ops,
				      .seed = sample->seed,
				      .out = stdout};
	struct collected c = {0}, others = {0};
	char error[INPUT_ERROR] = "no memory";
	int code = EXIT_ENVIRONMENT;

	if (collect(&c, findings, pair, error, sizeof(error)) &&
	    collect_corpus(&others, sample->corpus, error, sizeof(error))) {
		options.corpus = others.program;
		options.corpus_count = others.count;
		fflush(stdout);
		code = uml_confirm(a, b, c.program, c.count, &options);
	} else {
		command_fail(&command_trees, code, "%s", error);
	}
	free(others.program);
	free(c.program);
	return code;
}
