/* SPDX-License-Identifier: MIT */
/* Counting what happened to operations, and the tables of it (fuzz/command_check_count.h). */
#include "fuzz/command_check_count.h"

#include <errno.h>
#include <string.h>

static const char *const field_names[CHECK_FIELDS] = {"return", "value", "records",
						      "marks",	"flags", "hung"};

static void count_records(struct check_count *n, const struct journal *j)
{
	for (unsigned i = 0; i < j->count; i++)
		if (j->entry[i].kind == JOURNAL_READ && j->entry[i].event.kind != EVENT_WATCH &&
		    j->entry[i].event.kind != EVENT_OVERFLOW)
			n->records[j->entry[i].event.by]++;
}

void check_count_op(struct check_count *n, const struct check *c, const struct op *op, int32_t ret)
{
	struct check_op_count *o = &n->op[op->id];

	o->runs++;
	o->did += ret != -EBADF;
	if (ret >= 0)
		o->succeeded++;
	else
		o->error[-ret < COUNT_ERRNOS ? -ret : 0]++;
	count_records(n, &c->journal);
	check_cover(&n->coverage, c->model.world, &c->journal, op);
}

static enum check_field field_of(const struct program *p, const struct check_result *r)
{
	if (strcmp(r->model, "hung") == 0 || strcmp(r->kernel, "hung") == 0)
		return FIELD_HUNG;
	if (check_is_error(r->model) || check_is_error(r->kernel))
		return FIELD_RETURN;
	switch (p->op[r->op].id) {
	case OP_GROUP_READ: return FIELD_RECORDS;
	case OP_MARKS: return FIELD_MARKS;
	case OP_GETFL: return FIELD_FLAGS;
	default: return FIELD_VALUE;
	}
}

void check_count_disagreement(struct check_count *n, const struct program *p,
			      const struct check_result *r)
{
	struct check_op_count *c = &n->op[p->op[r->op].id];

	c->runs++;
	c->disagreed[field_of(p, r)]++;
}

/* Both structures are nothing but uint64_t. */
static void add_up(void *sum, const void *n, size_t size)
{
	uint64_t *to = sum;
	const uint64_t *from = n;

	for (size_t i = 0; i < size / sizeof(*from); i++)
		to[i] += from[i];
}

void check_count_add(struct check_count *sum, const struct check_count *n)
{
	add_up(sum, n, sizeof(*n));
}

/* ---- tables ---- */

static uint64_t disagreed(const struct check_op_count *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CHECK_FIELDS; i++)
		sum += c->disagreed[i];
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_row(const char *name, const struct check_op_count *c)
{
	const char *separator = "  ";

	printf("%-12s %9llu %9llu %5.1f%% %9llu", name, (unsigned long long)c->runs,
	       (unsigned long long)c->succeeded, percent(c->did, c->runs),
	       (unsigned long long)disagreed(c));
	for (int i = 0; i < COUNT_ERRNOS; i++) {
		if (!c->error[i])
			continue;
		printf("%s%s %llu", separator, i ? outcome_errno(i) : "others",
		       (unsigned long long)c->error[i]);
		separator = ", ";
	}
	printf("\n");
}

static void print_disagreements(const struct check_count *n)
{
	printf("\n%-12s", "disagree in");
	for (unsigned i = 0; i < CHECK_FIELDS; i++)
		printf(" %9s", field_names[i]);
	printf("\n");
	for (unsigned op = 0; op < OP_COUNT; op++) {
		if (!disagreed(&n->op[op]))
			continue;
		printf("%-12s", op_table[op].id);
		for (unsigned i = 0; i < CHECK_FIELDS; i++)
			printf(" %9llu", (unsigned long long)n->op[op].disagreed[i]);
		printf("\n");
	}
}

static void print_unused(const struct check_count *n)
{
	const char *separator = "; not used: ";
	unsigned used = 0;

	for (unsigned i = 0; i < OP_COUNT; i++)
		used += n->op[i].runs > 0;
	printf("operations used: %u of %u", used, (unsigned)OP_COUNT);
	for (unsigned i = 0; i < OP_COUNT; i++) {
		if (n->op[i].runs)
			continue;
		printf("%s%s", separator, op_table[i].id);
		separator = ", ";
	}
	printf("\n");
}

void check_count_print(const struct check_count *n, uint64_t programs)
{
	static struct check_op_count all; /* of the one run that a process prints */

	printf("%-12s %9s %9s %6s %9s  %s\n", "operation", "runs", "succeeded", "did", "disagree",
	       "errors agreed on");
	for (unsigned i = 0; i < OP_COUNT; i++) {
		const struct check_op_count *c = &n->op[i];
		if (!c->runs)
			continue;
		print_row(op_table[i].id, c);
		add_up(&all, c, sizeof(all));
	}
	print_row("all", &all);
	if (disagreed(&all))
		print_disagreements(n);
	printf("\n");
	print_unused(n);
	printf("records of fanotify: %llu by the first thread, %llu by=thread, %llu by=other, "
	       "%llu by=hidden\n",
	       (unsigned long long)n->records[BY_SELF], (unsigned long long)n->records[BY_THREAD],
	       (unsigned long long)n->records[BY_OTHER], (unsigned long long)n->records[BY_HIDDEN]);
	printf("operations: %llu, %.1f a program, %.1f%% did something, %.1f%% succeeded\n",
	       (unsigned long long)all.runs, programs ? (double)all.runs / (double)programs : 0,
	       percent(all.did, all.runs), percent(all.succeeded, all.runs));
}
