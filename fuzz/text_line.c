/* SPDX-License-Identifier: MIT */
/* Lines cut into tokens, and messages about them (fuzz/text_line.h). */
#include "fuzz/text_line.h"

#include <stdarg.h>
#include <string.h>

/* ---- errors ---- */

struct text_buffer parser_begin_error(struct parser *p, const char *where)
{
	struct text_buffer b = {p->error->message, sizeof(p->error->message), 0};

	text_add(&b, "%s:%u:%u: expected ", p->file, p->line, (unsigned)(where - p->start) + 1);
	return b;
}

/* What is at the place of an empty token. */
static const char *found_nothing(const struct parser *p, const char *at)
{
	while (at < p->end && is_blank(*at))
		at++;
	if (at == p->end || *at == '#')
		return "the end of the line";
	return *at == '=' ? "'=>'" : "nothing";
}

/* Ends an error with what was found instead. */
bool parser_end_error(struct parser *p, struct text_buffer *b, struct token found)
{
	size_t length = found.length < 40 ? found.length : 40;

	if (!length) {
		text_add(b, ", found %s", found_nothing(p, found.text));
		return false;
	}
	text_add(b, ", found '");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)found.text[i];

		text_add(b, c < 0x20 || c >= 0x7f ? "\\x%02x" : "%c", c);
	}
	text_add(b, length < found.length ? "...'" : "'");
	return false;
}

/* "file:line:column: expected …", where the line has nothing to show. */
bool parser_fail(struct parser *p, const char *where, const char *format, ...)
{
	struct text_buffer b = parser_begin_error(p, where);
	char expected[200];
	va_list list;

	va_start(list, format);
	vsnprintf(expected, sizeof(expected), format, list);
	va_end(list);
	text_add(&b, "%s", expected);
	return false;
}

/* The same with what was found there. */
bool parser_fail_found(struct parser *p, struct token found, const char *expected)
{
	struct text_buffer b = parser_begin_error(p, found.text);

	text_add(&b, "%s", expected);
	return parser_end_error(p, &b, found);
}

/* How many letters must be changed, put in or left out to make a word of a token. */
static unsigned distance(struct token t, const char *word)
{
	enum { LONGEST = 24 };
	unsigned row[LONGEST + 1];
	unsigned n = (unsigned)strlen(word);

	if (t.length > LONGEST || n > LONGEST)
		return LONGEST;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; i <= t.length; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			unsigned best = diagonal + (t.text[i - 1] != word[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void offer_word(struct offer *o, const char *word)
{
	for (unsigned i = 0; i < o->count; i++)
		if (strcmp(o->word[i], word) == 0)
			return;
	if (o->count < OP_COUNT)
		o->word[o->count++] = word;
}

static void add_list(struct text_buffer *b, const struct offer *o, const char *suffix)
{
	for (unsigned i = 0; i < o->count; i++)
		text_add(b, "%s%s%s",
			 i == 0		     ? ""
			 : i + 1 == o->count ? " or "
					     : ", ",
			 o->word[i], suffix);
}

/* Takes `prefix` off the front. */
bool token_take_prefix(struct token *t, const char *prefix)
{
	size_t n = strlen(prefix);

	if (t->length < n || memcmp(t->text, prefix, n) != 0)
		return false;
	t->text += n;
	t->length -= n;
	return true;
}

/* FAN_OPEN is near to OPEN: events are said without the prefix of an interface. */
static struct offer nearest(const struct offer *all, struct token found)
{
	struct offer near = {.count = 0};

	if (!token_take_prefix(&found, "FAN_") && !token_take_prefix(&found, "IN_"))
		token_take_prefix(&found, "FS_");
	unsigned best = found.length < 4 ? 1 : found.length < 9 ? 2 : 3;

	for (unsigned i = 0; i < all->count; i++) {
		unsigned d = distance(found, all->word[i]);

		if (d < best)
			near.count = 0;
		if (d <= best) {
			best = d;
			offer_word(&near, all->word[i]);
		}
	}
	return near;
}

/* "expected a, b or c" or "expected an event (nearest: OPEN)". */
bool parser_fail_offer(struct parser *p, struct token found, const char *what,
		       const struct offer *o, const char *suffix)
{
	struct text_buffer b = parser_begin_error(p, found.text);

	if (o->count && o->count <= 9) {
		add_list(&b, o, suffix);
		return parser_end_error(p, &b, found);
	}
	text_add(&b, "%s", what);
	struct offer near = nearest(o, found);

	if (near.count && near.count <= 3) {
		text_add(&b, " (nearest: ");
		add_list(&b, &near, suffix);
		text_add(&b, ")");
	}
	return parser_end_error(p, &b, found);
}

bool parser_fail_words(struct parser *p, struct token found, const struct text_kind *kind)
{
	struct offer o = {.count = 0};

	for (unsigned i = 0; i < kind->count; i++)
		offer_word(&o, kind->words[i].name);
	return parser_fail_offer(p, found, kind->what, &o, kind->form == TEXT_KEY ? "=" : "");
}

/* ---- tokens ---- */

bool parser_at_arrow(const struct parser *p)
{
	return p->end - p->at >= 2 && p->at[0] == '=' && p->at[1] == '>';
}

/* The next token of an operation; empty before `=>`, a comment and the end of the line. */
struct token parser_next(struct parser *p)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	struct token t = {p->at, 0};

	if (parser_at_arrow(p))
		return t;
	while (p->at < p->end && !is_blank(*p->at) && *p->at != '#')
		p->at++;
	t.length = (size_t)(p->at - t.text);
	return t;
}

bool token_is(struct token t, const char *word)
{
	return strlen(word) == t.length && memcmp(t.text, word, t.length) == 0;
}

bool parser_line_ends(struct parser *p)
{
	struct token t = parser_next(p);

	return !t.length || parser_fail_found(p, t, "the end of the line");
}
