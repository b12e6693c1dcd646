/* SPDX-License-Identifier: MIT */
/*
 * Two kernels against each other, and each against its tree in process (kernel/uml/uml.h). All
 * that is compared is text in the notation of traces.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/command_check.h"
#include "fuzz/executor.h"
#include "fuzz/mutate.h"
#include "fuzz/outcome.h"
#include "fuzz/text.h"
#include "kernel/uml/uml.h"

enum {
	SIDES = 2,
	SAMPLE_ROUND = 1000, /* programs that are in memory at once */
	SHOWN = 5,	     /* differences of the sample that are printed */
	COOKIES = 128,
	LINE = 2 * UML_OUTCOME,
};

/* ---- cookies ---- */

/* Both sides count from where they are: a cookie is called by the order of its first use. */
struct cookies {
	unsigned count;
	unsigned long seen[COOKIES];
};

static unsigned renumbered(struct cookies *c, unsigned long cookie)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->seen[i] == cookie)
			return i + 1;
	if (c->count < COOKIES)
		c->seen[c->count++] = cookie;
	return c->count;
}

static const char *canonical(struct cookies *c, const char *outcome, char *out, size_t size)
{
	static const char key[] = " cookie=";
	const size_t length = sizeof(key) - 1;
	size_t used = 0;

	if (!strstr(outcome, key))
		return outcome;
	while (*outcome && used + 1 < size) {
		if (strncmp(outcome, key, length) != 0) {
			out[used++] = *outcome++;
			continue;
		}
		char *end;
		unsigned long cookie = strtoul(outcome + length, &end, 10);
		used += (size_t)snprintf(out + used, size - used, "%s%u", key,
					 renumbered(c, cookie));
		outcome = end;
	}
	out[used < size ? used : size - 1] = '\0';
	return out;
}

/* ---- questions ---- */

static void ask(struct program *p, enum op_id id, unsigned slot)
{
	if (p->count < PROGRAM_OPS)
		p->op[p->count++] = (struct op){.id = (uint8_t)id, .arg = {slot}};
}

/* Puts questions behind a program: the marks of every group and the flags of every descriptor, and
 * then what was queued, for reading closes descriptors. */
static void ask_everything(struct program *p)
{
	unsigned groups = 0, handles = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct op *op = &p->op[i];
		if (op->id == OP_FANOTIFY || op->id == OP_INOTIFY)
			groups |= 1u << op->arg[0];
		if (op->id == OP_OPEN || op->id == OP_PIPE)
			handles |= 1u << op->arg[0];
		if (op->id == OP_DUP || op->id == OP_PIPE)
			handles |= 1u << op->arg[1];
	}
	for (unsigned slot = 0; slot < GROUP_SLOTS; slot++)
		if (groups >> slot & 1)
			ask(p, OP_MARKS, slot);
	for (unsigned slot = 0; slot < HANDLE_SLOTS; slot++)
		if (handles >> slot & 1)
			ask(p, OP_GETFL, slot);
	for (unsigned slot = 0; slot < GROUP_SLOTS; slot++)
		if (groups >> slot & 1)
			ask(p, OP_GROUP_READ, slot);
}

/* ---- differences ---- */

enum difference { SAME, DIFFERS, NOT_COMPARED };

/* What two sides say of one program. */
struct compared {
	enum difference how;
	unsigned op; /* the first at which they part */
	char text[SIDES][UML_OUTCOME];
	const char *reason; /* not compared, or a crash */
};

static bool ended_alike(const struct uml_answer *a, const struct uml_answer *b)
{
	return a->status == b->status && a->ops == b->ops;
}

static void put(char *to, const char *text)
{
	snprintf(to, UML_OUTCOME, "%s", text);
}

/* Two kernels. */
static void compare_answers(const struct uml_answer *a, const struct uml_answer *b,
			    struct compared *c)
{
	struct cookies cookies[SIDES] = {0};
	static char room[SIDES][LINE];

	c->how = SAME;
	for (c->op = 0; c->op < a->ops && c->op < b->ops; c->op++) {
		const char *x = canonical(&cookies[0], uml_outcome(a, c->op), room[0], LINE);
		const char *y = canonical(&cookies[1], uml_outcome(b, c->op), room[1], LINE);
		if (strcmp(x, y) == 0)
			continue;
		c->how = DIFFERS;
		put(c->text[0], x);
		put(c->text[1], y);
		return;
	}
	if (!ended_alike(a, b) || a->status == UML_CRASHED) {
		c->how = ended_alike(a, b) ? NOT_COMPARED : DIFFERS;
		put(c->text[0], a->status == UML_RAN ? "ok" : a->reason);
		put(c->text[1], b->status == UML_RAN ? "ok" : b->reason);
		c->reason = a->reason ? a->reason : b->reason;
	} else if (a->status == UML_STOPPED) {
		c->how = NOT_COMPARED;
		c->reason = a->reason;
	}
}

/* A tree in process, as text[0], and its kernel. As far as the kernel came. */
static void compare_twin(struct executor *twin, const struct program *p,
			 const struct uml_answer *answer, struct compared *c)
{
	struct cookies cookies[SIDES] = {0};
	static struct journal journal;
	static char outcome[UML_OUTCOME], room[SIDES][LINE];

	c->how = answer->status == UML_STOPPED ? NOT_COMPARED : SAME;
	c->reason = answer->reason;
	executor_start(twin, &p->config, &journal);
	for (c->op = 0; c->op < answer->ops; c->op++) {
		journal.count = 0;
		int32_t ret = executor_step(twin, &p->op[c->op]);
		/* There is no system call for these. */
		if (strcmp(uml_outcome(answer, c->op), "skipped") == 0)
			continue;
		outcome_text(twin->world, &p->op[c->op], ret, &journal, outcome, sizeof(outcome));
		const char *x = canonical(&cookies[0], outcome, room[0], LINE);
		const char *y = canonical(&cookies[1], uml_outcome(answer, c->op), room[1], LINE);
		if (strcmp(x, y) == 0)
			continue;
		c->how = DIFFERS;
		put(c->text[0], x);
		put(c->text[1], y);
		return;
	}
	if (answer->status == UML_CRASHED) {
		c->how = DIFFERS;
		put(c->text[0], "ok");
		put(c->text[1], answer->reason);
	}
}

/* ---- printing ---- */

/* The program up to the operation at which the sides part, and what both say of that. */
static void print_compared(const struct program *p, const struct compared *c,
			   const char *const *name, FILE *out)
{
	char line[TEXT_LINE];
	size_t width = strlen(name[0]) > strlen(name[1]) ? strlen(name[0]) : strlen(name[1]);
	unsigned last = c->op < p->count ? c->op : p->count - 1;

	for (unsigned i = 0; i <= last && p->count; i++) {
		text_print_op(&p->op[i], line, sizeof(line));
		fprintf(out, "%s%4u  %s\n", i == c->op ? "=>" : "  ", i + 1, line);
	}
	for (unsigned i = 0; i < SIDES; i++)
		fprintf(out, "        %-*s => %s\n", (int)width, name[i], c->text[i]);
}

/* ---- the two kernels and their twins ---- */

struct confirmation {
	const struct uml_options *options;
	struct uml_kernel kernel[SIDES];
	struct uml_side side[SIDES];
	const char *name[SIDES];
	struct compared compared;
	char error[UML_ERROR];
};

static bool run_both(struct confirmation *c, const struct program *programs, unsigned count)
{
	for (unsigned i = 0; i < SIDES; i++)
		c->side[i].kernel = &c->kernel[i];
	if (uml_run(c->side, SIDES, programs, count, c->error, sizeof(c->error)))
		return true;
	fprintf(stderr, "uml: %s\n", c->error);
	uml_free(c->side, SIDES);
	return false;
}

/* Each of the programs, on both kernels. Gives the number of those that are not confirmed, or -1
 * when the kernels do not run. */
static int confirm_each(struct confirmation *c, const struct program *programs, unsigned count)
{
	struct program *asked = calloc(count ? count : 1, sizeof(*asked));
	FILE *out = c->options->out;
	int unconfirmed = 0;

	if (!asked)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		asked[i] = programs[i];
		ask_everything(&asked[i]);
	}
	if (!run_both(c, asked, count)) {
		free(asked);
		return -1;
	}
	for (unsigned i = 0; i < count; i++) {
		compare_answers(&c->side[0].answers.answer[i], &c->side[1].answers.answer[i],
				&c->compared);
		if (c->compared.how == DIFFERS) {
			fprintf(out, "%u: confirmed on the kernels\n", i + 1);
			print_compared(&asked[i], &c->compared, c->name, out);
			continue;
		}
		unconfirmed++;
		fprintf(out, "%u: not confirmed: %s\n", i + 1,
			c->compared.how == SAME ? "both kernels do the same" : c->compared.reason);
		text_print(&programs[i], out);
	}
	uml_free(c->side, SIDES);
	free(asked);
	return unconfirmed;
}

/* ---- the sample ---- */

struct sample {
	struct executor model, twin[SIDES];
	struct program program[SAMPLE_ROUND];
	struct rng rng;
	unsigned run, stopped, tell_apart, differ[SIDES], shown;
};

static bool sample_open(struct sample *s, struct confirmation *c)
{
	char name[EXECUTOR_NAME + 8];

	if (!executor_open(&s->model, "optimized", c->error, sizeof(c->error)))
		return false;
	for (unsigned i = 0; i < SIDES; i++) {
		snprintf(name, sizeof(name), "tree:%s", c->name[i]);
		if (!executor_open(&s->twin[i], name, c->error, sizeof(c->error)))
			return false;
	}
	s->model.like = s->twin[1].build->tree;
	return true;
}

static void sample_close(struct sample *s)
{
	for (unsigned i = 0; i < SIDES; i++)
		if (s->twin[i].world)
			executor_close(&s->twin[i]);
	if (s->model.world)
		executor_close(&s->model);
	free(s);
}

/* Some of the programs meet their limits. */
static void limit(struct program *p, struct rng *r)
{
	if (rng_below(r, 4))
		return;
	p->config.queue_limit = (uint16_t)(1 + rng_below(r, 8));
	p->config.mark_limit = (uint16_t)(1 + rng_below(r, 8));
	p->config.group_limit = (uint16_t)(1 + rng_below(r, 4));
}

/* The next programs: the corpus, as far as it goes. Gives their number. */
static unsigned sample_take(struct sample *s, const struct uml_options *o)
{
	unsigned count = 0;

	for (; count < SAMPLE_ROUND && s->run + count < o->corpus_count; count++) {
		s->program[count] = o->corpus[s->run + count];
		ask_everything(&s->program[count]);
	}
	return count;
}

static unsigned sample_generate(struct sample *s, const struct uml_options *o)
{
	unsigned left = o->corpus_count + o->sample - s->run;
	unsigned count = left < SAMPLE_ROUND ? left : SAMPLE_ROUND;

	executor_start(&s->model, &world_defaults, NULL);
	uint32_t features = s->model.world->features;

	for (unsigned i = 0; i < count; i++) {
		uint64_t seed = o->seed << 32 ^ (s->run + i);
		s->rng = (struct rng){seed * 0x9e3779b97f4a7c15u + 7};
		check_generate(&s->model, features, o->sample_ops, seed, &s->program[i]);
		s->program[i].config.level = s->model.world->config.level;
		limit(&s->program[i], &s->rng);
	}
	return count;
}

static void sample_hold(struct sample *s, struct confirmation *c, unsigned which, unsigned i)
{
	const char *const names[SIDES] = {"in process", "kernel"};
	char tree[160];

	compare_twin(&s->twin[which], &s->program[i], &c->side[which].answers.answer[i],
		     &c->compared);
	if (c->compared.how != DIFFERS)
		return;
	s->differ[which]++;
	if (s->shown++ >= SHOWN)
		return;
	snprintf(tree, sizeof(tree), "%s", c->name[which]);
	fprintf(c->options->out, "%s: in process and as a kernel it is not the same (program %u)\n",
		tree, s->run + i);
	print_compared(&s->program[i], &c->compared, names, c->options->out);
}

static bool sample_round(struct sample *s, struct confirmation *c)
{
	unsigned count = sample_take(s, c->options);

	if (!count)
		count = sample_generate(s, c->options);
	if (!run_both(c, s->program, count))
		return false;
	for (unsigned i = 0; i < count; i++) {
		compare_answers(&c->side[0].answers.answer[i], &c->side[1].answers.answer[i],
				&c->compared);
		s->tell_apart += c->compared.how == DIFFERS;
		s->stopped += c->compared.how == NOT_COMPARED;
		for (unsigned which = 0; which < SIDES; which++)
			sample_hold(s, c, which, i);
	}
	uml_free(c->side, SIDES);
	s->run += count;
	return true;
}

static void progress(const struct sample *s, unsigned programs)
{
	const unsigned every = 10;
	bool terminal = command_is_terminal(stderr), last = s->run == programs;

	if (terminal || last || s->run / SAMPLE_ROUND % every == 0)
		fprintf(stderr, "uml: %u of %u programs, %u not as in process%s", s->run, programs,
			s->differ[0] + s->differ[1], terminal && !last ? "\r" : "\n");
}

/* Gives the number of programs that differ between a tree and its kernel, or -1. */
static int sample_all(struct confirmation *c)
{
	struct sample *s = calloc(1, sizeof(*s));
	unsigned programs = c->options->corpus_count + c->options->sample;
	int differ = -1;

	if (!s)
		return -1;
	if (!sample_open(s, c)) {
		fprintf(stderr, "uml: %s\n", c->error);
		sample_close(s);
		return -1;
	}
	while (s->run < programs && sample_round(s, c))
		progress(s, programs);
	if (s->run == programs)
		differ = (int)(s->differ[0] + s->differ[1]);
	fprintf(c->options->out,
		"sample: programs=%u cut-short=%u kernels-differ=%u not-as-in-process=%u,%u\n",
		s->run, s->stopped, s->tell_apart, s->differ[0], s->differ[1]);
	sample_close(s);
	return differ;
}

int uml_confirm(const char *tree_a, const char *tree_b, const struct program *programs,
		unsigned count, const struct uml_options *options)
{
	static struct confirmation c;
	const char *const trees[SIDES] = {tree_a, tree_b};

	memset(&c, 0, sizeof(c));
	c.options = options;
	for (unsigned i = 0; i < SIDES; i++) {
		int status = uml_prepare(&c.kernel[i], trees[i]);
		if (status)
			return status;
		c.name[i] = trees[i];
	}
	int unconfirmed = count ? confirm_each(&c, programs, count) : 0;
	unsigned sample = options->corpus_count + options->sample;
	int differ = unconfirmed >= 0 && sample ? sample_all(&c) : 0;
	if (unconfirmed < 0 || differ < 0)
		return EXIT_ENVIRONMENT;
	fprintf(options->out, "confirm: divergences=%u confirmed=%u sample=%u differ=%d\n", count,
		count - (unsigned)unconfirmed, sample, differ);
	return unconfirmed || differ ? EXIT_NOT_SEEN : EXIT_SAME;
}
