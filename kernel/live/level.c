/* SPDX-License-Identifier: MIT */
/*
 * Which level the running kernel behaves like: for every feature a small program whose last
 * outcome shows whether the kernel has it. Distributions carry changes back, so a kernel may have
 * a mixture that no release had; then the nearest level is named and its features are set right.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/live/internal.h"

/* What can be seen, and how: a program and the outcome of its last operation where the feature
 * is there. */
static const struct {
	enum core_feature feature;
	const char *program;
	const char *outcome;
} signs[] = {
	{FEAT_STRICT_NONDIR,
	 "group g0 fanotify report=FID|DIR_FID|NAME|TARGET_FID\n"
	 "mark g0 add inode f0 mask=CREATE\n",
	 "ENOTDIR"},
	{FEAT_STRICT_REMOVE,
	 "group g0 fanotify report=FID|DIR_FID|NAME|TARGET_FID\n"
	 "mark g0 remove inode f0 mask=CREATE\n",
	 "ENOTDIR"},
	{FEAT_STRICT_FLAGS,
	 "group g0 fanotify report=FID|DIR_FID|NAME|TARGET_FID\n"
	 "mark g0 add inode f0 mask=OPEN|ONDIR\n",
	 "ENOTDIR"},
	{FEAT_PARENT_FILTER,
	 "group g0 fanotify\n"
	 "mark g0 add sb . mask=OPEN\n"
	 "mark g0 add inode d0 ignored=OPEN surv\n"
	 "group g1 inotify\n"
	 "watch g1 d0 mask=OPEN\n"
	 "open h0 d0/f0 rdonly\n"
	 "read g0\n",
	 "OPEN d0/f0"},
	{FEAT_EVICTABLE, "group g0 fanotify\nmark g0 add inode f0 mask=OPEN evictable\n", "ok"},
	{FEAT_WATCH_FLAGS_SHOWN, "group g0 inotify\nwatch g0 f0 mask=OPEN|ONESHOT\nmarks g0\n",
	 "wd=1 inode f0 mask=OPEN|ONESHOT"},
	{FEAT_IGNORE_FORM, "group g0 fanotify\nmark g0 add inode f0 ignore=OPEN\n", "ok"},
	{FEAT_OPEN_THEN_TRUNC,
	 "group g0 inotify\nwatch g0 f0 mask=OPEN|MODIFY\nopen h0 f0 wronly trunc\nread g0\n",
	 "wd=1 OPEN; wd=1 MODIFY"},
	{FEAT_SPLICE_EVENTS,
	 "group g0 inotify\n"
	 "pipe h0 h1\n"
	 "watch g0 fd:h0 mask=MODIFY\n"
	 "open h2 f0 rdonly\n"
	 "splice h2 h1\n"
	 "read g0\n",
	 "wd=1 MODIFY"},
	{FEAT_NO_INTERNAL_SB_MARKS,
	 "group g0 fanotify\npipe h0 h1\nmark g0 add sb fd:h0 mask=OPEN\n", "EINVAL"},
	{FEAT_OPATH_OPEN,
	 "group g0 inotify\nwatch g0 f0 mask=OPEN|CLOSE\nopen h0 f0 rdonly path\nread g0\n",
	 "wd=1 OPEN"},
	{FEAT_OPATH_CLOSE,
	 "group g0 inotify\nwatch g0 f0 mask=CLOSE\nopen h0 f0 rdonly path\nclose h0\nread g0\n",
	 "wd=1 CLOSE_NOWRITE"},
	{FEAT_WEAK_FSID,
	 "group g0 fanotify report=FID\npipe h0 h1\nmark g0 add inode fd:h0 mask=MODIFY\n", "ok"},
	{FEAT_SELF_WITHOUT_NAME,
	 "group g0 fanotify report=DIR_FID|NAME\n"
	 "mark g0 add sb . mask=MODIFY\n"
	 "group g1 inotify\n"
	 "watch g1 f0 mask=MODIFY\n"
	 "truncate f0\n"
	 "read g1\n",
	 "wd=1 MODIFY"},
	{FEAT_PERM_AT_OPEN,
	 "group g0 fanotify class=content\n"
	 "open h0 f0 rdonly\n"
	 "mark g0 add inode f0 mask=ACCESS_PERM\n"
	 "read h0\n"
	 "read g0\n",
	 "none"},
	{FEAT_PERM_THIS_FILE,
	 "group g0 fanotify class=content\n"
	 "mark g0 add inode d1 mask=ACCESS_PERM\n"
	 "open h0 f0 rdonly\n"
	 "mark g0 add inode f0 mask=ACCESS_PERM\n"
	 "read h0\n"
	 "read g0\n",
	 "none"},
	{FEAT_SPECIAL_QUIET,
	 "group g0 inotify\n"
	 "mknod p0 fifo\n"
	 "watch g0 . mask=MODIFY\n"
	 "open h0 p0 rdwr\n"
	 "write h0\n"
	 "read g0\n",
	 "none"},
};

enum { SIGNS = sizeof(signs) / sizeof(signs[0]) };

static bool shows(struct live *l, unsigned sign, bool *present, char *error, size_t size)
{
	static struct trace trace;
	static char outcome[LIVE_OUTCOME];
	char text[TEXT_LINE];
	struct text_error wrong;
	int length = snprintf(text, sizeof(text), "fsn 1\n%s", signs[sign].program);

	if (!text_parse("level", text, (size_t)length, &trace, &wrong)) {
		snprintf(error, size, "%.200s", wrong.message);
		return false;
	}
	if (!live_start(l, error, size))
		return false;
	for (unsigned i = 0; i < trace.program.count; i++)
		live_step(l, &trace.program.op[i], outcome, sizeof(outcome));
	live_end(l);
	*present = strcmp(outcome, signs[sign].outcome) == 0;
	return true;
}

/* The newest of the levels that have the fewest features wrong. */
static enum core_level nearest(uint32_t features, uint32_t seen)
{
	enum core_level best = LEVEL_DEFAULT;
	int fewest = FEATURE_COUNT + 1;

	for (unsigned i = 0; i < LEVEL_COUNT; i++) {
		enum core_level level = (enum core_level)i;
		int wrong = __builtin_popcount((core_level_features(level) ^ features) & seen);
		if (wrong > fewest || (wrong == fewest && core_level_compare(level, best) < 0))
			continue;
		fewest = wrong;
		best = level;
	}
	return best;
}

bool live_find_level(struct live *l, struct live_level *found, char *error, size_t size)
{
	uint32_t features = 0, seen = 0;

	for (unsigned i = 0; i < SIGNS; i++) {
		bool present;
		if (!shows(l, i, &present, error, size))
			return false;
		seen |= 1u << signs[i].feature;
		features |= (uint32_t)present << signs[i].feature;
	}
	found->level = nearest(features, seen);
	found->seen = seen;
	found->features = features | (core_level_features(found->level) & ~seen);
	return true;
}

/* ---- programs that this executor cannot run as they are ---- */

bool live_order_matters(const struct program *p)
{
	uint32_t slots[FAN_CLASSES] = {0};
	bool denies = false;

	for (unsigned i = 0; i < p->count; i++) {
		if (p->op[i].id == OP_FANOTIFY)
			slots[p->op[i].arg[1]] |= 1u << p->op[i].arg[0];
		denies |= p->op[i].id == OP_ANSWER && p->op[i].arg[1];
	}
	return denies && ((slots[1] & (slots[1] - 1)) || (slots[2] & (slots[2] - 1)));
}

const char *live_refuses(struct program *p)
{
	const struct world_config *d = &world_defaults;

	if (p->config.queue_limit != d->queue_limit)
		return "the length of queues is set for the whole machine";
	if (p->config.mark_limit != d->mark_limit || p->config.group_limit != d->group_limit)
		return "the numbers of marks and groups are set for the whole machine";
	p->config.queue_limit = 16384;
	p->config.mark_limit = p->config.group_limit = UINT16_MAX;
	return NULL;
}
