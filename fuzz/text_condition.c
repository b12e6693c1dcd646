/* SPDX-License-Identifier: MIT */
/*
 * Conditions of expectations: for whom and at which levels an expectation holds.
 *
 *     condition = term { "," term }                 all must hold
 *     term      = "level" comparison LEVEL | name { "|" name }
 *
 * Blanks may stand between the parts.
 */
#include "fuzz/text_words.h"

#include <string.h>

struct scan {
	const char *at, *end;
	const char *executor;
	enum core_level level;
	bool holds;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

/* Takes `c` if it comes next. */
static bool take(struct scan *s, char c)
{
	skip_blanks(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* The longest run of the characters of a name; its length. */
static size_t take_word(struct scan *s, const char *characters)
{
	const char *start;

	skip_blanks(s);
	for (start = s->at; s->at < s->end && *s->at && strchr(characters, *s->at);)
		s->at++;
	return (size_t)(s->at - start);
}

static bool is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static enum core_level level_named(const char *text, size_t length)
{
	unsigned level = 0;

	while (level < LEVEL_COUNT && !is(text, length, core_level_names[level]))
		level++;
	return (enum core_level)level;
}

static const char *level_term(struct scan *s)
{
	static const struct {
		const char *sign;
		bool less, same, more;
	} comparisons[] = {
		{"<", true, false, false}, {"<=", true, true, false}, {"=", false, true, false},
		{">=", false, true, true}, {">", false, false, true},
	};
	size_t length = take_word(s, "<=>");
	unsigned i = 0;

	while (i < 5 && !is(s->at - length, length, comparisons[i].sign))
		i++;
	if (i == 5) {
		s->at -= length;
		return "<, <=, =, >= or > and a level";
	}
	length = take_word(s, "0123456789.");
	enum core_level level = level_named(s->at - length, length);

	if (level == LEVEL_COUNT) {
		s->at -= length;
		return "a level that this build knows";
	}
	int difference = core_level_compare(s->level, level);

	s->holds &= difference < 0    ? comparisons[i].less
		    : difference == 0 ? comparisons[i].same
				      : comparisons[i].more;
	return NULL;
}

static const char *term(struct scan *s)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789_+-";
	size_t length = take_word(s, name);
	bool me = false;

	if (is(s->at - length, length, "level"))
		return level_term(s);
	for (;;) {
		if (!length)
			return "the name of an executor or `level`";
		me |= is(s->at - length, length, s->executor);
		if (!take(s, '|'))
			break;
		length = take_word(s, name);
	}
	s->holds &= me;
	return NULL;
}

const char *text_condition(const char *text, const char *end, const char *executor,
			   enum core_level level, bool *holds, const char **at)
{
	struct scan s = {text, end, executor, level, true};
	const char *expected;

	do
		expected = term(&s);
	while (!expected && take(&s, ','));
	skip_blanks(&s);
	if (!expected && s.at != s.end)
		expected = "`,` or `]`";
	*holds = s.holds;
	*at = s.at;
	return expected;
}

bool text_condition_holds(const char *condition, const char *executor, enum core_level level)
{
	const char *at;
	bool holds;

	if (!*condition)
		return true;
	return !text_condition(condition, condition + strlen(condition), executor, level, &holds,
			       &at) &&
	       holds;
}
