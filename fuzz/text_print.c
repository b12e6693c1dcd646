/* SPDX-License-Identifier: MIT */
/* The canonical printer: a program, an operation or a part of one in text form (fuzz/text.h). */
#include "fuzz/text_words.h"

static void add_path(struct text_buffer *b, uint32_t code)
{
	static const char *const mount[PATH_MOUNTS] = {"", "B:", "C:"};

	if (code < PATH_FDS)
		text_add(b, "%s%s", mount[code / PATH_COUNT], text_paths[code % PATH_COUNT]);
	else
		text_add(b, "fd:h%u", code - PATH_FDS);
}

static void add_set(struct text_buffer *b, const struct text_word *words, unsigned count,
		    uint32_t set)
{
	const char *between = "";

	if (!set)
		text_add(b, "0");
	for (unsigned i = 0; i < count; i++) {
		if (!(set & words[i].value))
			continue;
		text_add(b, "%s%s", between, words[i].name);
		set &= ~words[i].value;
		between = "|";
	}
	if (set)
		text_add(b, "%s0x%x", between, set);
}

/* A value without the blank before it; flags are the exception, they are several tokens. */
static void add_value(struct text_buffer *b, const struct text_kind *kind, uint32_t value)
{
	switch (kind->form) {
	case TEXT_NOTHING: break;
	case TEXT_SLOT: text_add(b, "%c%u", kind->letter, value); break;
	case TEXT_NUMBER: text_add(b, "%u", value); break;
	case TEXT_PLACE: add_path(b, value); break;
	case TEXT_ONE: text_add(b, "%s", kind->words[value].name); break;
	case TEXT_KEY: text_add(b, "%s=", kind->words[value].name); break;
	case TEXT_SET: add_set(b, kind->words, kind->count, value); break;
	case TEXT_FLAGS:
		for (unsigned i = 0; i < kind->count; i++)
			if (value & kind->words[i].value)
				text_add(b, " %s", kind->words[i].name);
		break;
	}
}

size_t text_print_op(const struct op *op, char *out, size_t size)
{
	struct text_buffer b = {out, size, 0};
	const struct op_info *info = &op_table[op->id];
	bool joined = false;

	text_add(&b, "%s", info->word);
	for (unsigned i = 0; i < info->args; i++) {
		const struct arg_info *arg = &info->arg[i];
		const struct text_kind *kind = &text_kinds[arg->kind];

		if (i == 1 && *info->sub)
			text_add(&b, " %s", info->sub);
		if (*arg->key && op->arg[i] == arg->fallback)
			continue;
		if (!joined && kind->form != TEXT_FLAGS)
			text_add(&b, " ");
		if (*arg->key)
			text_add(&b, "%s=", arg->key);
		add_value(&b, kind, op->arg[i]);
		joined = kind->form == TEXT_KEY;
	}
	if (info->args == 1 && *info->sub)
		text_add(&b, " %s", info->sub);
	return b.length;
}

static void print_header(const struct world_config *config, FILE *out)
{
	struct world_config mine = *config, defaults = world_defaults;
	const char *word = "limits";

	fprintf(out, "fsn %d\n", TEXT_VERSION);
	if (mine.level != defaults.level)
		fprintf(out, "level %s\n", core_level_names[mine.level]);
	if (mine.reverse)
		fprintf(out, "order reverse\n");
	for (unsigned i = 0; i < TEXT_LIMITS; i++) {
		unsigned value = *text_limit_of(&mine, i);

		if (value == *text_limit_of(&defaults, i))
			continue;
		fprintf(out, "%s %s=%u", word, text_limits[i].name, value);
		word = "";
	}
	if (!*word)
		fputc('\n', out);
}

void text_print(const struct program *p, FILE *out)
{
	char line[TEXT_LINE];

	print_header(&p->config, out);
	for (unsigned i = 0; i < p->count; i++) {
		text_print_op(&p->op[i], line, sizeof(line));
		fprintf(out, "%s\n", line);
	}
}

char *text_path(unsigned code, char *out, size_t size)
{
	struct text_buffer b = {out, size, 0};

	add_path(&b, code);
	return out;
}

static char *outcome_set(enum arg_kind kind, uint32_t set, char *out, size_t size)
{
	struct text_buffer b = {out, size, 0};
	const struct text_kind *k = &text_kinds[kind];

	add_set(&b, k->words, k->count + k->output_count, set);
	return out;
}

char *text_events(uint32_t mask, char *out, size_t size)
{
	return outcome_set(ARG_EVENTS, mask, out, size);
}

char *text_watch_events(uint32_t mask, char *out, size_t size)
{
	return outcome_set(ARG_WATCHMASK, mask, out, size);
}
