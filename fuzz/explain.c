/* SPDX-License-Identifier: MIT */
/*
 * The page that explains a verdict (fuzz/explain.h): the trace, both sides of the operation at
 * which they part, row by row, and why.
 */
#include "fuzz/explain.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/explain_why.h"
#include "fuzz/outcome.h"

enum { COLUMN = 34, GUTTER = 8, LABEL = 10, PAGE = 90 };

static const char *const escapes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m"};

enum look { PLAIN, BOLD, DIM, RED };

static const char *look(const struct explanation *x, enum look l)
{
	return x->colour ? escapes[l] : "";
}

/* ---- rows: what both sides say to one thing ---- */

static void print_row(struct explanation *x, const char *label)
{
	const char *a = x->side[0].text, *b = x->side[1].text;
	int indent = (int)strlen(label) > LABEL ? (int)strlen(label) : LABEL;
	fprintf(x->out, "%*s%-*s", GUTTER, "", LABEL, label);
	if (!strcmp(a, b)) {
		fprintf(x->out, " %s\n", a);
		return;
	}
	if (strlen(a) + strlen(b) <= COLUMN) {
		fprintf(x->out, " %s%s | %s%s\n", look(x, RED), a, b, look(x, PLAIN));
		return;
	}
	for (unsigned i = 0; i < SIDES; i++) {
		if (i)
			fprintf(x->out, "%*s", GUTTER + indent, "");
		fprintf(x->out, " %s:%*s %s%s%s\n", x->side[i].name,
			x->width - (int)strlen(x->side[i].name), "", look(x, RED), x->side[i].text,
			look(x, PLAIN));
	}
}

static void row_result(struct explanation *x, const struct op *op)
{
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		outcome_text(s->is, op, s->ret, &s->journal, s->text, sizeof(s->text));
	}
	print_row(x, "result");
}

static void rows_records(struct explanation *x)
{
	char label[16];
	for (unsigned slot = 0; slot < GROUP_SLOTS; slot++) {
		records_text(&x->side[0], slot);
		records_text(&x->side[1], slot);
		if (!sides_differ(x) && !strcmp(x->side[0].text, "nothing"))
			continue;
		snprintf(label, sizeof(label), "to g%u", slot);
		print_row(x, label);
	}
}

static char *mark_text(const struct world *w, const struct mark *m, char *out, size_t size)
{
	if (!m)
		snprintf(out, size, "no mark");
	else
		outcome_mark(w, m, out, size);
	return out;
}

static bool row_mark(struct explanation *x, const struct mark_at *at)
{
	char was[TEXT_LINE], label[16];
	bool changed = false;
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		mark_text(s->is, at->is[i], s->text, sizeof(s->text));
		mark_text(s->was, at->was[i], was, sizeof(was));
		changed = changed || strcmp(was, s->text);
	}
	if (changed || sides_differ(x)) {
		snprintf(label, sizeof(label), "marks g%u", at->slot);
		print_row(x, label);
	}
	return true;
}

static void rows_files(struct explanation *x)
{
	char label[16];
	for (unsigned h = 0; h < HANDLE_SLOTS; h++) {
		for (unsigned i = 0; i < SIDES; i++) {
			struct side *s = &x->side[i];
			uint8_t file = s->is->handle[h];
			if (file == NONE)
				snprintf(s->text, sizeof(s->text), "not open");
			else
				outcome_flags(s->is->file[file].flags, s->text, sizeof(s->text));
		}
		snprintf(label, sizeof(label), "getfl h%u", h);
		if (sides_differ(x))
			print_row(x, label);
	}
}

static void row_work(struct explanation *x)
{
	for (unsigned i = 0; i < SIDES; i++)
		snprintf(x->side[i].text, sizeof(x->side[i].text), "sections=%u visits=%u",
			 (unsigned)x->side[i].is->sections, (unsigned)x->side[i].is->visits);
	if (sides_differ(x) || x->verbose)
		print_row(x, "work");
}

static void row_counters(struct explanation *x)
{
	for (unsigned i = 0; i < SIDES; i++) {
		const struct world *w = x->side[i].is;
		snprintf(x->side[i].text, sizeof(x->side[i].text),
			 "marks=%u connectors=%u events=%u groups=%u pins=%u", w->live_marks,
			 w->live_connectors, w->live_events, w->live_groups, w->pins);
	}
	print_row(x, "left");
}

static bool has_routing(const struct connector *c)
{
	return c && c->route;
}

static void interest_text(struct side *s, const struct world *w, unsigned kind, unsigned object)
{
	char mask[TEXT_LINE];
	const struct connector *c = connector_on(w, kind, object);
	snprintf(s->text, sizeof(s->text), "%s%s",
		 c ? text_events(c->interest, mask, sizeof(mask)) : "none",
		 has_routing(c) ? " (MODIFY routed apart)" : "");
}

/* Cached masks as they stood when the operation began, where they differ. A row is printed with
 * the first mark of an object. */
static bool row_interest(struct explanation *x, const struct mark_at *at)
{
	char label[NAME_TEXT + 16], name[NAME_TEXT];
	for (unsigned i = 0; i < SIDES; i++)
		interest_text(&x->side[i], x->side[i].was, at->kind, at->object);
	const struct connector *c = connector_on(x->side[0].was, at->kind, at->object);
	bool first = c && at->was[0] && &x->side[0].was->mark[c->first] == at->was[0];
	if (!first || !sides_differ(x))
		return true;
	snprintf(label, sizeof(label), "interest %s",
		 object_text(x->side[0].was, at->kind, at->object, name, sizeof(name)));
	print_row(x, label);
	return true;
}

/* ---- the page ---- */

static void print_paragraph(struct explanation *x)
{
	const char *word = x->paragraph;
	int column = 0;
	while (*(word += strspn(word, " "))) {
		int length = (int)strcspn(word, " ");
		bool fits = column + 1 + length <= PAGE;
		fprintf(x->out, "%s%.*s", !column ? "" : fits ? " " : "\n", length, word);
		column = fits && column ? column + 1 + length : length;
		word += length;
	}
	if (column)
		fprintf(x->out, "\n");
}

static void print_op(struct explanation *x, unsigned at)
{
	char line[TEXT_LINE] = "at the end, everything closed";
	bool here = at == x->v->op && x->v->oracle != ORACLE_NONE;
	if (at < x->p->count)
		text_print_op(&x->p->op[at], line, sizeof(line));
	fprintf(x->out, "%s%s %3u  %s%s\n", look(x, here ? BOLD : PLAIN), here ? "=>" : "  ",
		at + 1, line, look(x, PLAIN));
}

static void print_scene(struct explanation *x)
{
	if (x->v->op < x->p->count)
		row_result(x, &x->p->op[x->v->op]);
	rows_records(x);
	each_mark(x, row_mark);
	rows_files(x);
	each_mark(x, row_interest);
	row_work(x);
	if (x->v->oracle == ORACLE_BALANCE)
		row_counters(x);
}

static void print_trace(struct explanation *x)
{
	for (unsigned i = 0; i < x->p->count && i <= x->v->op; i++) {
		scene_step(x, i);
		print_op(x, i);
		if (x->verbose && i < x->v->op)
			row_result(x, &x->p->op[i]);
	}
	if (x->v->op < x->p->count || x->v->oracle == ORACLE_NONE)
		return;
	scene_step(x, x->p->count);
	print_op(x, x->p->count);
}

static void print_page(struct explanation *x)
{
	const struct verdict *v = x->v;
	struct program header = {.config = x->p->config};
	fprintf(x->out, "%s and %s: %s%s%s%s%s\n", x->side[0].name, x->side[1].name, look(x, BOLD),
		v->oracle == ORACLE_NONE ? "the same" : v->key, look(x, PLAIN),
		v->known[0] ? ", known as " : "", v->known);
	text_print(&header, x->out);
	print_trace(x);
	if (v->oracle == ORACLE_NONE)
		return;
	print_scene(x);
	if (v->op + 1 < x->p->count)
		fprintf(x->out, "%s      (%u more operations, not looked at)%s\n", look(x, DIM),
			x->p->count - v->op - 1, look(x, PLAIN));
	explain_why(x);
	print_paragraph(x);
}

void explain_print(struct pair *pair, const struct program *p, const struct verdict *v, FILE *out,
		   bool verbose, bool colour)
{
	struct explanation *x = calloc(1, sizeof(*x));
	if (!x) {
		fprintf(out, "no memory to explain this\n");
		return;
	}
	x->out = out;
	x->verbose = verbose;
	x->colour = colour;
	x->p = p;
	x->v = v;
	x->words = (struct text_buffer){x->paragraph, sizeof(x->paragraph), 0};
	if (scene_open(x, pair))
		print_page(x);
	scene_close(x);
	free(x);
}
