/* SPDX-License-Identifier: MIT */
/*
 * Between the files of the strict parser of the text form: a line, its tokens, and what is said
 * when one of them is not what it should be: "file:line:column: expected …, found …".
 */
#ifndef FUZZ_TEXT_LINE_H
#define FUZZ_TEXT_LINE_H

#include "fuzz/text_words.h"

/* A piece of a line. Empty at the end of an operation. */
struct token {
	const char *text;
	size_t length;
};

struct parser {
	const char *file;
	const char *start, *at, *end; /* of the line: begin, what is not yet read, end */
	unsigned line;
	unsigned header; /* the first header line that may still come */
	struct trace *trace;
	struct text_error *error;
};

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* ---- tokens ---- */

/* The next token of an operation; empty before `=>`, a comment and the end of the line. */
struct token parser_next(struct parser *p);
bool parser_at_arrow(const struct parser *p);
/* Nothing but a comment or an arrow may follow; reports what does. */
bool parser_line_ends(struct parser *p);
bool token_is(struct token t, const char *word);
/* Takes `prefix` off the front. */
bool token_take_prefix(struct token *t, const char *prefix);

/* ---- errors: all of them return false, the result of the parser ---- */

/* Where the line has nothing to show. */
__attribute__((format(printf, 3, 4))) bool parser_fail(struct parser *p, const char *where,
						       const char *format, ...);
/* The same with what was found there. */
bool parser_fail_found(struct parser *p, struct token found, const char *expected);

/* Words a message can offer: all of a short list, of a long one those that are near. */
struct offer {
	const char *word[OP_COUNT];
	unsigned count;
};

void offer_word(struct offer *o, const char *word);
/* "expected a, b or c" or "expected an event (nearest: OPEN)". */
bool parser_fail_offer(struct parser *p, struct token found, const char *what,
		       const struct offer *o, const char *suffix);
bool parser_fail_words(struct parser *p, struct token found, const struct text_kind *kind);

/* A message in pieces: "file:line:column: expected ", what the caller adds, what was found. */
struct text_buffer parser_begin_error(struct parser *p, const char *where);
bool parser_end_error(struct parser *p, struct text_buffer *b, struct token found);

#endif
