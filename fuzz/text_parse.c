/* SPDX-License-Identifier: MIT */
/*
 * The strict parser of the text form (fuzz/text.h). What a token of a line may be says the table of
 * operations, and for each of their arguments the table of words. Every error is reported with the
 * place and what was expected there (fuzz/text_line.h).
 */
#include "fuzz/text_line.h"

#include <string.h>

/* ---- values: quiet, they only say whether a token is one ---- */

/* Decimal, without sign and leading zeros. */
static bool read_number(struct token t, uint32_t least, uint32_t most, uint32_t *value)
{
	uint32_t v = 0;

	if (t.length == 0 || t.length > 6 || (t.length > 1 && t.text[0] == '0'))
		return false;
	for (size_t i = 0; i < t.length; i++) {
		if (t.text[i] < '0' || t.text[i] > '9')
			return false;
		v = v * 10 + (uint32_t)(t.text[i] - '0');
	}
	*value = v;
	return v >= least && v <= most;
}

static bool read_slot(struct token t, char letter, uint32_t most, uint32_t *value)
{
	const char prefix[2] = {letter, 0};

	return token_take_prefix(&t, prefix) && read_number(t, 0, most, value);
}

static bool read_path(struct token t, uint32_t *value)
{
	uint32_t mount = 0;

	if (token_take_prefix(&t, "fd:")) {
		if (!read_slot(t, 'h', HANDLE_SLOTS - 1, value))
			return false;
		*value += PATH_FDS;
		return true;
	}
	if (token_take_prefix(&t, "B:"))
		mount = 1;
	else if (token_take_prefix(&t, "C:"))
		mount = 2;
	for (uint32_t i = 0; i < PATH_COUNT; i++) {
		if (token_is(t, text_paths[i])) {
			*value = mount * PATH_COUNT + i;
			return true;
		}
	}
	return false;
}

static const struct text_word *find_word(const struct text_word *words, unsigned count,
					 struct token t)
{
	for (unsigned i = 0; i < count; i++)
		if (token_is(t, words[i].name))
			return &words[i];
	return NULL;
}

static bool read_word(const struct text_kind *kind, struct token t, uint32_t *value)
{
	const struct text_word *w = find_word(kind->words, kind->count, t);

	if (w)
		*value = w->value;
	return w != NULL;
}

static bool read_simple(const struct text_kind *kind, struct token t, uint32_t *value)
{
	switch (kind->form) {
	case TEXT_SLOT: return read_slot(t, kind->letter, kind->pool, value);
	case TEXT_NUMBER: return read_number(t, 0, kind->pool, value);
	case TEXT_PLACE: return read_path(t, value);
	case TEXT_ONE: return read_word(kind, t, value);
	default: return false;
	}
}

/* ---- values: these report ---- */

/* OPEN|ON_CHILD, or 0. */
static bool parse_set(struct parser *p, const struct text_kind *kind, struct token t,
		      uint32_t *value)
{
	const char *end = t.text + t.length;

	*value = 0;
	if (token_is(t, "0"))
		return true;
	for (const char *from = t.text;; from++) {
		const char *bar = memchr(from, '|', (size_t)(end - from));
		struct token name = {from, (size_t)((bar ? bar : end) - from)};
		const struct text_word *w = find_word(kind->words, kind->count, name);

		if (!w)
			w = find_word(kind->shorthands, kind->shorthand_count, name);
		if (!w && !name.length && bar)
			name.length = 1;
		if (!w)
			return parser_fail_words(p, name, kind);
		if (*value & w->value)
			return parser_fail_found(p, name, "every name once");
		*value |= w->value;
		if (!bar)
			return true;
		from = bar;
	}
}

static bool parse_value(struct parser *p, const struct text_kind *kind, struct token t,
			uint32_t *value)
{
	if (kind->form == TEXT_SET)
		return parse_set(p, kind, t, value);
	if (read_simple(kind, t, value))
		return true;
	if (kind->count)
		return parser_fail_words(p, t, kind);
	return parser_fail_found(p, t, kind->what);
}

/* mask=OPEN: which mask it is; the token becomes what is behind the `=`. */
static bool parse_key(struct parser *p, const struct text_kind *kind, struct token *t,
		      uint32_t *value)
{
	const char *equals = memchr(t->text, '=', t->length);
	struct token key = {t->text, equals ? (size_t)(equals - t->text) : 0};

	if (!equals || !read_word(kind, key, value))
		return parser_fail_words(p, *t, kind);
	t->text = equals + 1;
	t->length -= key.length + 1;
	return true;
}

/* ---- operations ---- */

/* The rest of an operation, in any order: key=value and flags, each at most once. */
struct tail {
	const struct op_info *info;
	unsigned first; /* argument with which it begins */
	unsigned seen;	/* bit i: argument i was given */
	struct op *op;
};

static bool fail_tail(struct parser *p, const struct tail *tail, struct token t)
{
	char keys[OP_ARGS][24];
	struct offer o = {.count = 0};

	for (unsigned i = tail->first; i < tail->info->args; i++) {
		const struct arg_info *arg = &tail->info->arg[i];
		const struct text_kind *kind = &text_kinds[arg->kind];

		if (*arg->key) {
			snprintf(keys[i], sizeof(keys[i]), "%s=", arg->key);
			offer_word(&o, keys[i]);
		}
		for (unsigned k = 0; !*arg->key && k < kind->count; k++)
			offer_word(&o, kind->words[k].name);
	}
	return parser_fail_offer(p, t, "the end of the line", &o, "");
}

static bool parse_tail_token(struct parser *p, struct tail *tail, struct token t)
{
	for (unsigned i = tail->first; i < tail->info->args; i++) {
		const struct arg_info *arg = &tail->info->arg[i];
		const struct text_kind *kind = &text_kinds[arg->kind];
		struct token rest = t;
		uint32_t flag = 0;

		if (!*arg->key && read_word(kind, t, &flag)) {
			if (tail->op->arg[i] & flag)
				return parser_fail_found(p, t, "every flag once");
			tail->op->arg[i] |= flag;
			return true;
		}
		if (!*arg->key || !token_take_prefix(&rest, arg->key) ||
		    !token_take_prefix(&rest, "="))
			continue;
		if (tail->seen & 1u << i)
			return parser_fail_found(p, t, "every key once");
		tail->seen |= 1u << i;
		return parse_value(p, kind, rest, &tail->op->arg[i]);
	}
	return fail_tail(p, tail, t);
}

static bool parse_tail(struct parser *p, struct tail *tail)
{
	for (unsigned i = tail->first; i < tail->info->args; i++)
		tail->op->arg[i] = tail->info->arg[i].fallback;
	for (;;) {
		struct token t = parser_next(p);

		if (!t.length)
			return true;
		if (!parse_tail_token(p, tail, t))
			return false;
	}
}

static bool in_tail(const struct arg_info *arg)
{
	return *arg->key || text_kinds[arg->kind].form == TEXT_FLAGS;
}

/* Arguments from the `i`-th on: first those that must be there. */
static bool parse_arguments(struct parser *p, const struct op_info *info, unsigned i, struct op *op)
{
	while (i < info->args && !in_tail(&info->arg[i])) {
		struct token t = parser_next(p);
		const struct text_kind *kind = &text_kinds[info->arg[i].kind];

		if (kind->form == TEXT_KEY) {
			if (!parse_key(p, kind, &t, &op->arg[i++]))
				return false;
			kind = &text_kinds[info->arg[i].kind];
		}
		if (!parse_value(p, kind, t, &op->arg[i++]))
			return false;
	}
	return parse_tail(p, &(struct tail){.info = info, .first = i, .op = op});
}

/* Operations that are still possible, given the words read so far. */
struct choice {
	const struct op_info *info[OP_COUNT];
	unsigned count;
};

/* `read g0` or `read h0`: the kind of the first argument chooses. */
static bool choose_by_argument(struct parser *p, struct choice *c, struct op *op)
{
	struct token t = parser_next(p);
	struct offer o = {.count = 0};
	unsigned kept = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct text_kind *kind = &text_kinds[c->info[i]->arg[0].kind];

		offer_word(&o, kind->what);
		if (read_simple(kind, t, &op->arg[0]))
			c->info[kept++] = c->info[i];
	}
	if (!kept && c->count == 1)
		return parse_value(p, &text_kinds[c->info[0]->arg[0].kind], t, &op->arg[0]);
	if (!kept)
		return parser_fail_offer(p, t, "an argument", &o, "");
	c->count = kept;
	return true;
}

/* `mark g0 add` or `mark g0 remove`. */
static bool choose_by_sub(struct parser *p, struct choice *c)
{
	struct token t = parser_next(p);
	struct offer o = {.count = 0};

	for (unsigned i = 0; i < c->count; i++) {
		offer_word(&o, c->info[i]->sub);
		if (token_is(t, c->info[i]->sub)) {
			c->info[0] = c->info[i];
			c->count = 1;
			return true;
		}
	}
	return parser_fail_offer(p, t, "a word", &o, "");
}

static bool parse_op(struct parser *p, struct token word, struct op *op)
{
	struct choice c = {.count = 0};
	struct offer o = {.count = 0};

	for (unsigned i = 0; i < OP_COUNT; i++) {
		offer_word(&o, op_table[i].word);
		if (token_is(word, op_table[i].word))
			c.info[c.count++] = &op_table[i];
	}
	if (!c.count)
		return parser_fail_offer(p, word, "an operation", &o, "");
	*op = (struct op){0};
	unsigned have = c.info[0]->args > 0 && !in_tail(&c.info[0]->arg[0]);

	if (have && !choose_by_argument(p, &c, op))
		return false;
	if (*c.info[0]->sub && !choose_by_sub(p, &c))
		return false;
	op->id = (uint8_t)(c.info[0] - op_table);
	return parse_arguments(p, c.info[0], have, op);
}

/* ---- expectations ---- */

static struct token trim(const char *from, const char *to)
{
	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	return (struct token){from, (size_t)(to - from)};
}

/* [optimized, level>=5.19] at the front of an outcome: checked, kept, and taken off. */
static bool parse_condition(struct parser *p, struct token *outcome, char *out)
{
	const char *close = memchr(outcome->text, ']', outcome->length);
	const char *end = outcome->text + outcome->length;
	const char *at, *expected;
	bool holds;

	if (!close)
		return parser_fail_found(p, *outcome, "`]` behind a condition");
	struct token t = trim(outcome->text + 1, close);

	expected = text_condition(t.text, t.text + t.length, "", LEVEL_DEFAULT, &holds, &at);
	if (expected)
		return parser_fail_found(p, (struct token){at, (size_t)(close + 1 - at)}, expected);
	if (t.length >= TEXT_CONDITION)
		return parser_fail(p, t.text, "a condition of at most %d characters",
				   TEXT_CONDITION - 1);
	memcpy(out, t.text, t.length);
	out[t.length] = 0;
	*outcome = trim(close + 1, end);
	return true;
}

/* From `=>` to the end of the line. */
static bool parse_expectation(struct parser *p)
{
	struct trace *trace = p->trace;
	struct expectation *e = &trace->expectation[trace->expectations];

	if (!trace->program.count)
		return parser_fail_found(p, (struct token){p->at, 2},
					 "an operation before its outcome");
	if (trace->expectations == TEXT_EXPECTATIONS)
		return parser_fail(p, p->at, "at most %d outcomes", TEXT_EXPECTATIONS);
	e->op = trace->program.count - 1;
	e->line = p->line;
	e->condition[0] = 0;
	struct token outcome = trim(p->at + 2, p->end);

	if (outcome.length && *outcome.text == '[' && !parse_condition(p, &outcome, e->condition))
		return false;
	if (!outcome.length)
		return parser_fail_found(p, outcome, "an outcome");
	if (outcome.length >= TEXT_OUTCOME)
		return parser_fail(p, outcome.text, "an outcome of at most %d characters",
				   TEXT_OUTCOME - 1);
	memcpy(e->outcome, outcome.text, outcome.length);
	e->outcome[outcome.length] = 0;
	trace->expectations++;
	return true;
}

/* ---- the header ---- */

static bool parse_version(struct parser *p, struct token word)
{
	uint32_t version;

	if (word.text != p->start || !token_is(word, "fsn"))
		return parser_fail_found(p, word, "`fsn 1` as the first line");
	struct token t = parser_next(p);

	if (!read_number(t, TEXT_VERSION, TEXT_VERSION, &version))
		return parser_fail(p, t.text, "format version %d (this build reads no other)",
				   TEXT_VERSION);
	return parser_line_ends(p);
}

/* "a level (5.17, 5.18, …)": all of them, oldest first. */
static bool fail_level(struct parser *p, struct token found)
{
	struct text_buffer b = parser_begin_error(p, found.text);
	const char *before = "a level (";

	for (unsigned rank = 0; rank < LEVEL_COUNT; rank++) {
		for (unsigned i = 0; i < LEVEL_COUNT; i++) {
			unsigned older = 0;

			for (unsigned j = 0; j < LEVEL_COUNT; j++)
				older += core_level_compare((enum core_level)j,
							    (enum core_level)i) < 0;
			if (older == rank)
				text_add(&b, "%s%s", before, core_level_names[i]);
		}
		before = ", ";
	}
	text_add(&b, ")");
	return parser_end_error(p, &b, found);
}

static bool parse_level(struct parser *p)
{
	struct token t = parser_next(p);

	for (unsigned i = 0; i < LEVEL_COUNT; i++) {
		if (token_is(t, core_level_names[i])) {
			p->trace->program.config.level = (uint8_t)i;
			return parser_line_ends(p);
		}
	}
	return fail_level(p, t);
}

static bool parse_order(struct parser *p)
{
	struct token t = parser_next(p);

	if (!token_is(t, "reverse"))
		return parser_fail_found(p, t, "reverse");
	p->trace->program.config.reverse = 1;
	return parser_line_ends(p);
}

/* queue=4: which limit, or TEXT_LIMITS. */
static unsigned find_limit(struct token *t)
{
	unsigned i = 0;

	for (; i < TEXT_LIMITS; i++) {
		struct token rest = *t;

		if (token_take_prefix(&rest, text_limits[i].name) &&
		    token_take_prefix(&rest, "=")) {
			*t = rest;
			break;
		}
	}
	return i;
}

static bool parse_limits(struct parser *p)
{
	unsigned seen = 0;

	for (;;) {
		struct token t = parser_next(p), whole = t;
		uint32_t value;

		if (!t.length && seen)
			return true;
		unsigned i = find_limit(&t);

		if (i == TEXT_LIMITS)
			return parser_fail_found(p, whole, "queue=, marks= or groups=");
		const struct text_limit *limit = &text_limits[i];

		if (seen & 1u << i)
			return parser_fail_found(p, whole, "every limit once");
		seen |= 1u << i;
		if (!read_number(t, limit->least, limit->most, &value)) {
			char expected[40];

			snprintf(expected, sizeof(expected), "a number from %u to %u", limit->least,
				 limit->most);
			return parser_fail_found(p, t, expected);
		}
		*text_limit_of(&p->trace->program.config, i) = (uint16_t)value;
	}
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p);
} header_lines[HEADER_LINES] = {
	[HEADER_LEVEL] = {"level", parse_level},
	[HEADER_ORDER] = {"order", parse_order},
	[HEADER_LIMITS] = {"limits", parse_limits},
};

/* ---- lines ---- */

static bool parse_operation_line(struct parser *p, struct token word)
{
	struct program *program = &p->trace->program;

	if (program->count == PROGRAM_OPS)
		return parser_fail(p, word.text, "at most %d operations", PROGRAM_OPS);
	if (!parse_op(p, word, &program->op[program->count]))
		return false;
	p->trace->line[program->count++] = p->line;
	p->header = HEADER_LINES;
	return true;
}

static bool parse_statement(struct parser *p, struct token word)
{
	for (unsigned i = 0; i < HEADER_LINES; i++) {
		if (!token_is(word, header_lines[i].word))
			continue;
		if (i < p->header)
			return parser_fail_found(
				p, word,
				"level, order and limits once each, in this order, "
				"before the first operation");
		p->header = i + 1;
		return header_lines[i].parse(p);
	}
	return parse_operation_line(p, word);
}

static bool check_characters(struct parser *p)
{
	for (const char *c = p->start; c < p->end; c++) {
		unsigned char u = (unsigned char)*c;

		if (u == '\r')
			return parser_fail(p, c,
					   "lines that end in a newline alone, "
					   "found a carriage return");
		if ((u < 0x20 && u != '\t') || u == 0x7f)
			return parser_fail(p, c, "text, found the byte 0x%02x", u);
	}
	return true;
}

static bool parse_line(struct parser *p)
{
	if (!check_characters(p))
		return false;
	struct token word = parser_next(p);

	if (p->line == 1 && !parse_version(p, word))
		return false;
	if (p->line > 1 && word.length && !parse_statement(p, word))
		return false;
	if (parser_at_arrow(p))
		return parse_expectation(p);
	return true;
}

bool text_recognize(const void *data, size_t size)
{
	return size >= 4 && memcmp(data, "fsn ", 4) == 0;
}

bool text_parse(const char *file, const char *text, size_t size, struct trace *t,
		struct text_error *error)
{
	struct parser p = {.file = file, .trace = t, .error = error};
	const char *end;

	if (!size)
		text = "";
	end = text + size;
	program_clear(&t->program);
	t->expectations = 0;
	do {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		p.start = p.at = text;
		p.end = newline ? newline : end;
		p.line++;
		if (!parse_line(&p))
			return false;
		text = newline ? newline + 1 : end;
	} while (text < end);
	error->message[0] = 0;
	return true;
}
