/* SPDX-License-Identifier: MIT */
/* One program on the model and on the running kernel (fuzz/command_check.h). */
#include "fuzz/command_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* The name by which the model calls an inode, for the kernel side to call it likewise. */
static void choose(void *context, unsigned inode, char *out, size_t size)
{
	const struct check *c = context;

	if (inode < c->model.world->inodes)
		outcome_object(c->model.world, OBJECT_INODE, inode, out, size);
}

/* ---- cookies ---- */

/*
 * The kernel numbers renames across the whole machine, the model those of the program. A cookie
 * that is seen for the first time gets the number that the model prints at the same place, if
 * nobody else has it and the order of both is kept; otherwise the next free one, which shows.
 */
static bool may_be(const struct check *c, uint32_t kernel, uint32_t model)
{
	for (unsigned i = 0; i < c->cookies; i++) {
		int32_t by = (int32_t)(kernel - c->cookie[i][0]);
		if (model == c->cookie[i][1] || (by > 0) != (model > c->cookie[i][1]))
			return false;
	}
	return true;
}

static uint32_t translate(struct check *c, uint32_t kernel, uint32_t model)
{
	uint32_t largest = 0;

	for (unsigned i = 0; i < c->cookies; i++) {
		if (c->cookie[i][0] == kernel)
			return c->cookie[i][1];
		if (c->cookie[i][1] > largest)
			largest = c->cookie[i][1];
	}
	if (!model || !may_be(c, kernel, model))
		model = largest + 1;
	if (c->cookies < CHECK_COOKIES) {
		c->cookie[c->cookies][0] = kernel;
		c->cookie[c->cookies++][1] = model;
	}
	return model;
}

static const char cookie_key[] = " cookie=";

static const char *next_cookie(const char *at, uint32_t *value)
{
	const char *found = at ? strstr(at, cookie_key) : NULL;
	char *end;

	*value = 0;
	if (!found)
		return NULL;
	*value = (uint32_t)strtoul(found + strlen(cookie_key), &end, 10);
	return end;
}

static void translate_cookies(struct check *c, const char *model, char *kernel, size_t size)
{
	static char result[LIVE_OUTCOME];
	size_t length = 0;
	uint32_t theirs, ours;

	if (!strstr(kernel, cookie_key))
		return;
	for (const char *at = kernel; length < sizeof(result);) {
		const char *end = next_cookie(at, &theirs);
		model = next_cookie(model, &ours);
		int head = end ? (int)(strstr(at, cookie_key) - at) : (int)strlen(at);
		length += (size_t)snprintf(result + length, sizeof(result) - length, "%.*s", head,
					   at);
		if (!end)
			break;
		if (length < sizeof(result))
			length += (size_t)snprintf(result + length, sizeof(result) - length, "%s%u",
						   cookie_key, translate(c, theirs, ours));
		at = end;
	}
	snprintf(kernel, size, "%s", result);
}

/* ---- both sides ---- */

bool check_open(struct check *c, const char *executor, const struct live_level *level, char *error,
		size_t size)
{
	memset(c, 0, sizeof(*c));
	if (!executor_open(&c->model, executor, error, size))
		return false;
	c->live = live_open(error, size);
	if (c->live && !level && !live_find_level(c->live, &c->level, error, size)) {
		live_close(c->live);
		c->live = NULL;
	}
	if (!c->live) {
		executor_close(&c->model);
		return false;
	}
	if (level)
		c->level = *level;
	live_prefer(c->live, choose, c);
	return true;
}

void check_close(struct check *c)
{
	live_close(c->live);
	executor_close(&c->model);
}

static void stop(struct check_result *r, enum check_status status, unsigned op, const char *reason)
{
	r->status = status;
	r->op = op;
	snprintf(r->reason, sizeof(r->reason), "%s", reason);
}

/* Does the model do something here that no system call can do? */
static bool out_of_reach(const struct op *op, int32_t ret)
{
	return op->id == OP_EVICT && ret == 0;
}

/* One operation; false when the program ends here. */
static bool check_op(struct check *c, const struct program *p, unsigned i, struct check_result *r)
{
	const struct op *op = &p->op[i];

	c->journal.count = 0;
	int32_t ret = r->ret = executor_step(&c->model, op);
	if (out_of_reach(op, ret)) {
		stop(r, CHECK_SKIPPED, i, "eviction cannot be had without machine-wide settings");
		return false;
	}
	outcome_text(c->model.world, op, ret, &c->journal, r->model, sizeof(r->model));
	enum live_result how = live_step(c->live, op, r->kernel, sizeof(r->kernel));
	if (how == LIVE_UNKNOWN) {
		stop(r, CHECK_SKIPPED, i, "which of two groups was asked cannot be told");
		return false;
	}
	r->both = how != LIVE_SKIPPED;
	if (!r->both)
		return true;
	translate_cookies(c, r->model, r->kernel, sizeof(r->kernel));
	if (how == LIVE_DONE && strcmp(r->model, r->kernel) == 0)
		return true;
	stop(r, CHECK_DISAGREES, i, "");
	return false;
}

void check_program(struct check *c, const struct program *p, struct check_result *r,
		   check_watch watch, void *context)
{
	struct program limited = *p;
	const char *refused = live_refuses(&limited);
	char error[LIVE_ERROR];

	stop(r, CHECK_SAME, p->count, "");
	if (refused) {
		stop(r, CHECK_SKIPPED, 0, refused);
		return;
	}
	limited.config.level = (uint8_t)c->level.level;
	if (!live_start(c->live, error, sizeof(error))) {
		stop(r, CHECK_FAILED, 0, error);
		return;
	}
	executor_start(&c->model, &limited.config, &c->journal);
	c->model.world->features = c->level.features;
	c->cookies = 0;
	for (unsigned i = 0; i < p->count && check_op(c, p, i, r); i++)
		if (watch)
			watch(context, i, r);
	live_end(c->live);
	c->model.world->journal = NULL;
}

/* ---- what it is about ---- */

bool check_is_error(const char *outcome)
{
	return outcome[0] == 'E' && !strpbrk(outcome, " |");
}

/* An error and "ok" are themselves; anything else is only of a kind. */
static const char *gist(const char *outcome, const char *kind)
{
	return check_is_error(outcome) || strcmp(outcome, "ok") == 0 ||
			       strcmp(outcome, "none") == 0 || strcmp(outcome, "hung") == 0
		       ? outcome
		       : kind;
}

void check_key(const struct program *p, const struct check_result *r, char *out, size_t size)
{
	const struct op *op = &p->op[r->op];
	const char *kind = op->id == OP_GROUP_READ ? "records"
			   : op->id == OP_MARKS	   ? "marks"
						   : "value";

	snprintf(out, size, "%s: %s/%s", op_table[op->id].id, gist(r->model, kind),
		 gist(r->kernel, kind));
	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z' && c < strchr(out, ':'))
			*c = (char)(*c - 'A' + 'a');
}
