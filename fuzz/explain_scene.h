/* SPDX-License-Identifier: MIT */
/*
 * The scene of a divergence, for those who explain it (fuzz/explain.c, fuzz/explain_why.c): both
 * sides in front of the operation and after it, and the questions they ask of these worlds.
 */
#ifndef FUZZ_EXPLAIN_SCENE_H
#define FUZZ_EXPLAIN_SCENE_H

#include <stdio.h>

#include "fuzz/compare.h"
#include "fuzz/text_words.h"

enum { SIDES = 2, NAME_TEXT = 64, WORDS = 2048 };

struct side {
	const char *name;
	struct executor *after;	 /* has run through the operation */
	struct executor before;	 /* stands in front of it */
	const struct world *was; /* before.world */
	const struct world *is;	 /* after->world */
	struct journal journal;
	struct journal was_journal; /* unread: worlds of trees are filled only for a journal */
	int32_t ret;
	char text[TEXT_OUTCOME]; /* one cell of a row */
};

struct explanation {
	FILE *out;
	bool verbose, colour;
	int width; /* of the longer name */
	const struct program *p;
	const struct verdict *v;
	struct side side[SIDES];
	struct text_buffer words; /* the paragraph that says why */
	char paragraph[WORDS];
};

/* Puts both sides at the start of the program; false: it has said why not. */
bool scene_open(struct explanation *x, struct pair *pair);
void scene_close(struct explanation *x);

/* Runs operation `at`, or closes everything when it is the end; what stands in front of the
 * divergence goes no further than that. */
void scene_step(struct explanation *x, unsigned at);

/* Do the cells of both sides say different things? */
bool sides_differ(const struct explanation *x);

/* Sets the cell of a side to what a group was told by the operation, or "nothing". */
void records_text(struct side *s, unsigned slot);

/* An object as prose names it: an inode by its path, the others with what they are. */
char *object_text(const struct world *w, unsigned kind, unsigned object, char *out, size_t size);

/* The connector of an object, or null. */
const struct connector *connector_on(const struct world *w, unsigned kind, unsigned object);

/* A mark of a group on an object, in the four worlds; null where it is not. */
struct mark_at {
	unsigned slot, kind, object;
	const struct mark *was[SIDES], *is[SIDES];
};

/* Visits every mark that is attached in any of the four worlds, once; false stops, and is given
 * back. */
typedef bool mark_visitor(struct explanation *x, const struct mark_at *at);
bool each_mark(struct explanation *x, mark_visitor *visit);

#endif
