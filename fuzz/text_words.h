/* SPDX-License-Identifier: MIT */
/*
 * The words of the text form: for every kind of argument its pool of values and how they are
 * said. Parser, printer, dictionary and everything else that needs to know what an argument can
 * be are driven by this one table.
 */
#ifndef FUZZ_TEXT_WORDS_H
#define FUZZ_TEXT_WORDS_H

#include "fuzz/text.h"

/* How an argument is said. */
enum text_form {
	TEXT_NOTHING,
	TEXT_SLOT,   /* a letter and a number: g0, h15 */
	TEXT_NUMBER, /* decimal */
	TEXT_PLACE,  /* a path code */
	TEXT_ONE,    /* one of `words` */
	TEXT_KEY,    /* the same with '=' behind it; the argument after it completes the token */
	TEXT_SET,    /* some of `words` joined with '|', or 0 */
	TEXT_FLAGS,  /* some of `words`, each a token of its own at the end of the line */
};

struct text_word {
	const char *name;
	uint32_t value;
};

struct text_kind {
	enum text_form form;
	char letter;		       /* TEXT_SLOT */
	const char *what;	       /* "a group (g0 to g15)" */
	const struct text_word *words; /* in the order in which they are printed … */
	unsigned count;
	unsigned output_count;		    /* words behind those, which only outcomes have */
	const struct text_word *shorthands; /* … and those that are only read */
	unsigned shorthand_count;
	uint32_t pool; /* sets and flags: every bit that can be said; others: the largest value */
};

extern const struct text_kind text_kinds[ARG_KINDS];

extern const char *const text_paths[PATH_COUNT]; /* below a mount */

/* Is this a value that an argument of that kind can have? */
bool text_in_pool(enum arg_kind kind, uint32_t value);

/* Text that grows in a buffer of fixed size and is cut where that ends. */
struct text_buffer {
	char *out;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) void text_add(struct text_buffer *b, const char *format, ...);

/* Checks a condition that ends at `end`. Null: well formed, *holds says whether it holds.
 * Otherwise what was expected, and *at is where. */
const char *text_condition(const char *text, const char *end, const char *executor,
			   enum core_level level, bool *holds, const char **at);

/* Header lines, in the order in which they must stand. */
enum text_header { HEADER_LEVEL, HEADER_ORDER, HEADER_LIMITS, HEADER_LINES };

/* The limits of the header: name, smallest and largest value, place in struct world_config. */
struct text_limit {
	const char *name;
	unsigned least, most;
	size_t offset; /* of a uint16_t */
};

enum { TEXT_LIMITS = 3 };
extern const struct text_limit text_limits[TEXT_LIMITS];

static inline uint16_t *text_limit_of(struct world_config *config, unsigned limit)
{
	return (uint16_t *)(void *)((char *)config + text_limits[limit].offset);
}

#endif
