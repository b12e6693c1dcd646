/* SPDX-License-Identifier: MIT */
/* fsndiff check FILE...: traces on both sides (fuzz/command_check_files.h). */
#include "fuzz/command_check_files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_TRIES = 32 };

/* ---- one file, in the child ---- */

struct expecting {
	const struct check_files *files;
	const struct check *check;
	const struct trace *trace;
	const char *path;
	struct check_file *file;
	struct check_count *count;
	unsigned next;
};

/* By the kernel's own name, and, if it is held to them, by the name of the model's build; without
 * a condition only what the trace claims for this very level. */
static bool applies(const struct expecting *e, const struct expectation *x)
{
	enum core_level level = e->check->level.level;

	if (!x->condition[0])
		return e->files->claims || e->trace->program.config.level == level;
	return text_condition_holds(x->condition, "linux", level) ||
	       (e->files->claims &&
		text_condition_holds(x->condition, e->check->model.name, level));
}

static void expect(struct expecting *e, unsigned op, const char *kernel)
{
	const struct trace *t = e->trace;

	for (; e->next < t->expectations && t->expectation[e->next].op <= op; e->next++) {
		const struct expectation *x = &t->expectation[e->next];
		if (x->op != op || !applies(e, x) || strcmp(x->outcome, kernel) == 0)
			continue;
		if (e->file->unmet++ == 0)
			snprintf(e->file->unmet_text, sizeof(e->file->unmet_text),
				 "%s:%u: expected \"%.300s\", got \"%.300s\", on executor linux",
				 e->path, x->line, x->outcome, kernel);
	}
}

static void watch(void *context, unsigned op, const struct check_result *so_far)
{
	struct expecting *e = context;

	if (!so_far->both)
		return;
	expect(e, op, so_far->kernel);
	check_count_op(e->count, e->check, &e->trace->program.op[op], so_far->ret);
}

static void try_file(struct check *c, struct check_files *f, unsigned i)
{
	static struct check_count count;
	struct expecting e = {.files = f,
			      .check = c,
			      .trace = f->input[i].trace,
			      .path = f->list.path[i],
			      .file = &f->file[i],
			      .count = &count};

	memset(&count, 0, sizeof(count));
	f->file[i].unmet = 0;
	check_program(c, &e.trace->program, &f->file[i].result, watch, &e);
	if (f->file[i].result.status != CHECK_DISAGREES)
		check_count_add(f->count, &count);
}

/* One file; where the order of groups matters, until it happens to be the model's. */
static void run_file(struct check *c, struct check_files *f, unsigned i)
{
	struct check_result *r = &f->file[i].result;
	bool order = live_order_matters(&f->input[i].trace->program);

	for (unsigned try = 0; try < (order ? ORDER_TRIES : 1); try++) {
		try_file(c, f, i);
		if (r->status != CHECK_DISAGREES)
			return;
	}
	if (!order)
		return;
	r->status = CHECK_SKIPPED;
	snprintf(r->reason, sizeof(r->reason),
		 "in %d runs groups of equal priority never had the model's order", ORDER_TRIES);
}

static int run_files(struct check *c, void *context)
{
	struct check_files *f = context;

	for (; *f->next < f->list.count; ++*f->next)
		run_file(c, f, *f->next);
	return EXIT_SAME;
}

/* ---- all of them ---- */

int check_files_load(struct check_files *f, char **paths, unsigned count)
{
	char error[INPUT_ERROR];

	for (unsigned i = 0; i < count; i++)
		if (!input_list_add(&f->list, paths[i], error, sizeof(error)))
			return command_fail(&command_check, EXIT_USAGE, "%s", error);
	if (!f->list.count) {
		command_fail(&command_check, EXIT_USAGE, "no FILE: nothing was checked");
		return EXIT_USAGE;
	}
	f->input = calloc(f->list.count, sizeof(*f->input));
	f->file = check_shared(f->list.count * sizeof(*f->file));
	f->count = check_shared(sizeof(*f->count));
	f->next = check_shared(sizeof(*f->next));
	if (!f->input || !f->file || !f->count || !f->next)
		return command_fail(&command_check, EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; i < f->list.count; i++)
		if (!input_load(&f->input[i], f->list.path[i], error, sizeof(error)))
			return command_fail(&command_check, EXIT_USAGE, "%s", error);
	return EXIT_SAME;
}

int check_files_run(struct check_files *f, const struct check_options *o,
		    const struct live_level *level)
{
	return check_in_child(o, level, run_files, f);
}

void check_files_free(struct check_files *f)
{
	for (unsigned i = 0; f->input && i < f->list.count; i++)
		if (f->input[i].trace)
			input_free(&f->input[i]);
	free(f->input);
	input_list_free(&f->list);
}

enum check_status check_files_status(const struct check_files *f, unsigned i)
{
	const struct check_file *file = &f->file[i];

	return file->unmet ? CHECK_DISAGREES : file->result.status;
}

void check_files_print(const struct check_files *f, unsigned i)
{
	const struct check_result *r = &f->file[i].result;
	const struct trace *t = f->input[i].trace;
	char line[TEXT_LINE];

	assert(t); /* every input was read before the first was run */
	if (r->status != CHECK_DISAGREES) {
		printf("%s\n", f->file[i].unmet_text);
		return;
	}
	text_print_op(&t->program.op[r->op], line, sizeof(line));
	printf("%s:%u: %s\n  model   => %s\n  linux   => %s\n", f->list.path[i], t->line[r->op],
	       line, r->model, r->kernel);
}

static int print_files(const struct check_files *f, const struct check_options *o)
{
	unsigned count[CHECK_STATUSES] = {0};

	for (unsigned i = 0; i < f->list.count; i++) {
		enum check_status status = check_files_status(f, i);

		count[status]++;
		if (status == CHECK_DISAGREES)
			check_files_print(f, i);
		else if (status != CHECK_SAME)
			printf("%s: skipped: %s\n", f->list.path[i], f->file[i].result.reason);
		else if (o->verbose)
			printf("%s: same\n", f->list.path[i]);
	}
	printf("check: files=%u same=%u skipped=%u disagree=%u\n", f->list.count, count[CHECK_SAME],
	       count[CHECK_SKIPPED], count[CHECK_DISAGREES]);
	if (count[CHECK_FAILED])
		return EXIT_ENVIRONMENT;
	return count[CHECK_DISAGREES] ? EXIT_DIVERGED : EXIT_SAME;
}

int check_files(const struct check_options *o, const struct live_level *level, char **paths,
		unsigned count)
{
	struct check_files f = {0};
	int status = check_files_load(&f, paths, count);

	if (status == EXIT_SAME)
		status = check_files_run(&f, o, level);
	if (status == EXIT_SAME)
		status = check_coverage_write(&f.count->coverage, o);
	if (status == EXIT_SAME)
		status = print_files(&f, o);
	check_files_free(&f);
	return status;
}
