/* SPDX-License-Identifier: MIT */
/* Executors (fuzz/executor.h): names, worlds, toggles. */
#include "fuzz/executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOGGLES_ALL ((1u << TOGGLE_COUNT) - 1)

static const struct {
	const char *name;
	uint32_t toggles;
	const struct core_build *build;
} bases[] = {
	{"vanilla", TOGGLES_VANILLA, &core_vanilla},
	{"optimized", TOGGLES_OPTIMIZED, &core_optimized},
};

enum { BASES = sizeof(bases) / sizeof(bases[0]), WORD_MAX = 64 };

static uint32_t toggles_of_kind(enum toggle_kind kind)
{
	uint32_t set = 0;
	for (unsigned i = 0; i < TOGGLE_COUNT; i++)
		if (core_toggles[i].kind == kind)
			set |= 1u << i;
	return set;
}

/* ---- names that were not found ---- */

/* Edit distance between two words of which `a` has at most WORD_MAX letters. */
static unsigned word_distance(const char *a, size_t length, const char *b)
{
	unsigned row[WORD_MAX + 1];
	for (size_t i = 0; i <= length; i++)
		row[i] = (unsigned)i;
	for (size_t j = 0; b[j]; j++) {
		unsigned corner = row[0];
		row[0] = (unsigned)j + 1;
		for (size_t i = 1; i <= length; i++) {
			unsigned best = corner + (a[i - 1] != b[j]);
			corner = row[i];
			if (row[i] + 1 < best)
				best = row[i] + 1;
			if (row[i - 1] + 1 < best)
				best = row[i - 1] + 1;
			row[i] = best;
		}
	}
	return row[length];
}

/* Writes `count` names, the nearest to the word first, otherwise in their own order. */
static void list_nearest(const char *const *names, unsigned count, const char *word, size_t length,
			 char *out, size_t size)
{
	unsigned distance[TOGGLE_COUNT + BASES];
	size_t used = 0;
	if (length > WORD_MAX)
		length = WORD_MAX;
	for (unsigned i = 0; i < count; i++)
		distance[i] = word_distance(word, length, names[i]);
	out[0] = '\0';
	for (unsigned n = 0; n < count && used < size; n++) {
		unsigned best = 0;
		for (unsigned i = 1; i < count; i++)
			if (distance[i] < distance[best])
				best = i;
		distance[best] = ~0u;
		used += (size_t)snprintf(out + used, size - used, "%s%s", n ? ", " : "",
					 names[best]);
	}
}

static bool unknown_base(const char *name, const char *word, size_t length, char *error,
			 size_t size)
{
	const char *names[BASES];
	char list[64];
	for (unsigned i = 0; i < BASES; i++)
		names[i] = bases[i].name;
	list_nearest(names, BASES, word, length, list, sizeof(list));
	snprintf(error, size,
		 "executor \"%s\": no base \"%.*s\"; it begins with one of: %s; then +toggle or "
		 "-toggle",
		 name, (int)length, word, list);
	return false;
}

static bool unknown_toggle(const char *name, const char *word, size_t length, char *error,
			   size_t size)
{
	const char *names[TOGGLE_COUNT];
	char list[512];
	for (unsigned i = 0; i < TOGGLE_COUNT; i++)
		names[i] = core_toggles[i].name;
	list_nearest(names, TOGGLE_COUNT, word, length, list, sizeof(list));
	snprintf(error, size, "executor \"%s\": no toggle \"%.*s\"; the toggles, nearest first: %s",
		 name, (int)length, word, list);
	return false;
}

/* ---- parsing a name ---- */

static bool word_is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(word, name, length);
}

static bool parse_base(struct executor *e, const char *name, size_t length, char *error,
		       size_t size)
{
	for (unsigned i = 0; i < BASES; i++) {
		if (!word_is(name, length, bases[i].name))
			continue;
		e->build = name[length] ? &core_workbench : bases[i].build;
		e->toggles = bases[i].toggles;
		return true;
	}
	return unknown_base(name, name, length, error, size);
}

/* One "+toggle" or "-toggle"; `word` stands behind the sign. */
static bool parse_toggle(struct executor *e, char sign, const char *word, size_t length,
			 char *error, size_t size)
{
	for (unsigned i = 0; i < TOGGLE_COUNT; i++) {
		if (!word_is(word, length, core_toggles[i].name))
			continue;
		if (sign == '+')
			e->toggles |= 1u << i;
		else
			e->toggles &= ~(1u << i);
		return true;
	}
	return unknown_toggle(e->name, word, length, error, size);
}

static bool parse_name(struct executor *e, const char *name, char *error, size_t size)
{
	size_t at = strcspn(name, "+-");
	if (strlen(name) >= sizeof(e->name)) {
		snprintf(error, size, "executor \"%.32s...\": a name has at most %d characters",
			 name, EXECUTOR_NAME - 1);
		return false;
	}
	strcpy(e->name, name);
	if (!parse_base(e, name, at, error, size))
		return false;
	while (name[at]) {
		char sign = name[at++];
		size_t length = strcspn(name + at, "+-");
		if (!parse_toggle(e, sign, name + at, length, error, size))
			return false;
		at += length;
	}
	e->claims = e->toggles & ~toggles_of_kind(TOGGLE_MUTANT) & TOGGLES_ALL;
	return true;
}

/* ---- kernel trees ---- */

const struct executor_loader *executor_loader;

static const char tree_prefix[] = "tree:";

static bool is_tree(const char *name)
{
	return strncmp(name, tree_prefix, sizeof(tree_prefix) - 1) == 0;
}

static bool load_tree(struct executor *e, const char *name, char *error, size_t size)
{
	if (strlen(name) >= sizeof(e->name)) {
		snprintf(error, size, "executor \"%.32s...\": a name has at most %d characters",
			 name, EXECUTOR_NAME - 1);
		return false;
	}
	strcpy(e->name, name);
	if (!executor_loader) {
		snprintf(error, size, "executor \"%s\": this program loads no kernel trees", name);
		return false;
	}
	e->build = executor_loader->load(name + sizeof(tree_prefix) - 1, &e->library, error, size);
	return e->build;
}

/* ---- the executor ---- */

static bool make_world(struct executor *e, char *error, size_t size)
{
	enum { LINE = 64 };

	e->world = aligned_alloc(LINE, (sizeof(struct world) + LINE - 1) / LINE * LINE);
	if (!e->world) {
		snprintf(error, size, "executor \"%s\": no memory for its world", e->name);
		return false;
	}
	memset(e->world, 0, sizeof(struct world));
	world_reset(e->world, &world_defaults);
	return true;
}

bool executor_open(struct executor *e, const char *name, char *error, size_t size)
{
	memset(e, 0, sizeof(*e));
	if (is_tree(name) ? !load_tree(e, name, error, size) : !parse_name(e, name, error, size))
		return false;
	if (make_world(e, error, size))
		return true;
	executor_close(e);
	return false;
}

void executor_close(struct executor *e)
{
	if (e->world && e->build->tree)
		e->build->tree->stop(e->world);
	if (e->library)
		executor_loader->unload(e->library);
	free(e->world);
	memset(e, 0, sizeof(*e));
}

void executor_with(struct executor *e, uint32_t toggles)
{
	e->build = &core_workbench;
	e->toggles |= toggles;
	e->claims |= toggles & ~toggles_of_kind(TOGGLE_MUTANT);
	for (unsigned i = 0; i < TOGGLE_COUNT; i++) {
		size_t used = strlen(e->name);
		if (toggles & 1u << i)
			snprintf(e->name + used, sizeof(e->name) - used, "+%s",
				 core_toggles[i].name);
	}
}

/* A model that stands beside a tree is a kernel of that level, with the fixes that the tree has. */
static void reset_like(struct world *w, const struct world_config *config,
		       const struct core_tree *tree)
{
	struct world_config own = *config;

	own.level = (uint8_t)tree->level;
	world_reset(w, &own);
	w->features = (w->features | tree->features_more) & ~tree->features_less;
}

void executor_start(struct executor *e, const struct world_config *config, struct journal *journal)
{
	if (e->build->tree)
		e->build->tree->start(e->world, config);
	else if (e->like)
		reset_like(e->world, config, e->like);
	else
		world_reset(e->world, config);
	e->world->toggles = e->toggles;
	e->world->journal = journal;
	if (journal)
		journal->count = 0;
}
