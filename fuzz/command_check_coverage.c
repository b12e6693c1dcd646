/* SPDX-License-Identifier: MIT */
/* Who was told of what, counted and as tables (fuzz/command_check_coverage.h). */
#include "fuzz/command_check_coverage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/dispatch.h"

static const char *const mode_names[TOLD_MODES] = {
	"inotify",
	"path",
	"path, denied",
	"FID",
	"DIR_FID",
	"FID, DIR_FID",
	"DIR_FID, NAME",
	"FID, DIR_FID, NAME",
	"all and TARGET_FID",
};

static const char *const mark_names[TOLD_MARKS] = {"inode", "parent", "mount", "sb", "several"};

/* ---- counting ---- */

static enum told_mode mode_of(const struct group *g, const struct journal_entry *e)
{
	static const uint32_t reports[TOLD_MODES] = {
		[MODE_FID] = FAN_REPORT_FID,
		[MODE_DIR] = FAN_REPORT_DIR_FID,
		[MODE_FID_DIR] = FAN_REPORT_FID | FAN_REPORT_DIR_FID,
		[MODE_NAME] = FAN_REPORT_DIR_FID | FAN_REPORT_NAME,
		[MODE_FID_NAME] = FAN_REPORT_FID | FAN_REPORT_DIR_FID | FAN_REPORT_NAME,
		[MODE_TARGET] = FAN_REPORT_FIDS,
	};
	unsigned mode = MODE_FID;

	if (g->kind == GROUP_INOTIFY)
		return MODE_INOTIFY;
	if (!(g->flags & FAN_REPORT_FIDS))
		return e->kind == JOURNAL_ASKED && e->event.answer ? MODE_DENIED : MODE_PATH;
	while (mode < MODE_TARGET && reports[mode] != (g->flags & FAN_REPORT_FIDS))
		mode++;
	return (enum told_mode)mode;
}

/* The mark that asked for this event. */
static enum told_mark mark_of(const struct journal_entry *e, uint32_t event)
{
	static const enum told_mark marks[SLOTS] = {
		[SLOT_SB] = MARK_ON_SB,		[SLOT_MOUNT] = MARK_ON_MOUNT,
		[SLOT_SELF] = MARK_ON_INODE,	[SLOT_PARENT] = MARK_ON_PARENT,
		[SLOT_NEW_DIR] = MARK_ON_INODE,
	};
	enum told_mark mark = MARK_ON_SEVERAL;
	unsigned asked = 0;

	for (unsigned slot = 0; slot < SLOTS; slot++) {
		if (!(e->asked[slot] & event))
			continue;
		mark = marks[slot];
		asked++;
	}
	return asked == 1 ? mark : MARK_ON_SEVERAL;
}

static void cover_entry(struct check_coverage *v, const struct group *g,
			const struct journal_entry *e, const struct op *op)
{
	uint32_t bits = 0;

	for (unsigned slot = 0; slot < SLOTS; slot++)
		bits |= e->asked[slot];
	for (unsigned bit = 0; bit < TOLD_EVENTS; bit++) {
		if (!(bits >> bit & 1))
			continue;
		v->operation[op->id][bit]++;
		v->told[bit][mode_of(g, e)][mark_of(e, 1u << bit)]++;
	}
}

void check_cover(struct check_coverage *v, const struct world *w, const struct journal *j,
		 const struct op *op)
{
	for (unsigned i = 0; i < j->count; i++) {
		const struct journal_entry *e = &j->entry[i];
		uint8_t group = w->group_slot[e->group];

		if (e->kind != JOURNAL_READ && e->event.kind != EVENT_OVERFLOW && group != NONE)
			cover_entry(v, &w->group[group], e, op);
	}
}

/* ---- what there can be ---- */

#define FILE_EVENTS \
	(FS_ACCESS | FS_MODIFY | FS_CLOSE_WRITE | FS_CLOSE_NOWRITE | FS_OPEN | FS_OPEN_EXEC)
#define CHANGES	     (FILE_EVENTS | FS_ATTRIB)
#define SELF_EVENTS  (FS_DELETE_SELF | FS_MOVE_SELF)
#define ENTRY_EVENTS (FS_DIRENT_EVENTS & ~FS_RENAME)

/* The events that such a group can be told because of such a mark: a mount's mark sees open files
 * only, a parent's its children's events, and a watch speaks for itself alone. */
static uint32_t possible(enum told_mode mode, enum told_mark mark)
{
	static const uint32_t seen[TOLD_MARKS] = {
		[MARK_ON_INODE] = CHANGES | SELF_EVENTS | ENTRY_EVENTS,
		[MARK_ON_PARENT] = CHANGES,
		[MARK_ON_MOUNT] = FILE_EVENTS,
		[MARK_ON_SB] = CHANGES | SELF_EVENTS | ENTRY_EVENTS,
		[MARK_ON_SEVERAL] = CHANGES | SELF_EVENTS | ENTRY_EVENTS,
	};
	bool named = mode == MODE_NAME || mode == MODE_FID_NAME || mode == MODE_TARGET;

	switch (mode) {
	case MODE_INOTIFY:
		if (mark == MARK_ON_PARENT)
			return CHANGES & ~FS_OPEN_EXEC;
		return mark != MARK_ON_INODE
			       ? 0
			       : (seen[mark] & ~FS_OPEN_EXEC) | FS_UNMOUNT | FS_IN_IGNORED;
	case MODE_PATH: return FILE_EVENTS | FS_PERM_EVENTS;
	case MODE_DENIED: return FS_PERM_EVENTS;
	default: return seen[mark] | (named && (seen[mark] & FS_CREATE) ? FS_RENAME : 0);
	}
}

/* ---- tables ---- */

static const char *event_name(unsigned bit)
{
	static char name[TEXT_LINE];

	return 1u << bit == FS_IN_IGNORED ? "IGNORED" : text_events(1u << bit, name, sizeof(name));
}

static void print_rule(FILE *out, unsigned columns)
{
	fprintf(out, "\n|");
	while (columns--)
		fprintf(out, "---|");
	fprintf(out, "\n");
}

/* `.` is what did not happen, a blank what cannot. */
static void print_cell(FILE *out, uint64_t count, bool can_be)
{
	if (count)
		fprintf(out, " %llu |", (unsigned long long)count);
	else
		fprintf(out, can_be ? " . |" : " |");
}

static uint64_t sum(const uint64_t *count, size_t n)
{
	uint64_t all = 0;

	while (n--)
		all += count[n];
	return all;
}

static uint64_t told_of(const struct check_coverage *v, unsigned bit)
{
	return sum(&v->told[bit][0][0], (size_t)TOLD_MODES * TOLD_MARKS);
}

static void print_operations(const struct check_coverage *v, FILE *out)
{
	unsigned columns = 1;

	fprintf(out, "\n## Operations\n\n| operation |");
	for (unsigned bit = 0; bit < TOLD_EVENTS; bit++) {
		if (!told_of(v, bit))
			continue;
		fprintf(out, " %s |", event_name(bit));
		columns++;
	}
	print_rule(out, columns);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		if (!sum(v->operation[op], TOLD_EVENTS))
			continue;
		fprintf(out, "| %s |", op_table[op].id);
		for (unsigned bit = 0; bit < TOLD_EVENTS; bit++)
			if (told_of(v, bit))
				print_cell(out, v->operation[op][bit], true);
		fprintf(out, "\n");
	}
}

/* The marks of one event; a row that cannot be is left out. */
static void print_event(const struct check_coverage *v, unsigned bit, FILE *out)
{
	const char *name = event_name(bit);

	for (unsigned mark = 0; mark < TOLD_MARKS; mark++) {
		uint64_t any = 0;
		for (unsigned mode = 0; mode < TOLD_MODES; mode++)
			any += v->told[bit][mode][mark] +
			       (possible((enum told_mode)mode, (enum told_mark)mark) >> bit & 1);
		if (!any)
			continue;
		fprintf(out, "| %s | %s |", name, mark_names[mark]);
		for (unsigned mode = 0; mode < TOLD_MODES; mode++)
			print_cell(out, v->told[bit][mode][mark],
				   possible((enum told_mode)mode, (enum told_mark)mark) >> bit & 1);
		fprintf(out, "\n");
		name = "";
	}
}

static void print_missing(const struct check_coverage *v, FILE *out)
{
	unsigned cells = 0, met = 0;

	for (unsigned i = 0; i < TOLD_EVENTS * TOLD_MODES * TOLD_MARKS; i++) {
		unsigned mark = i % TOLD_MARKS, mode = i / TOLD_MARKS % TOLD_MODES;
		unsigned bit = i / TOLD_MARKS / TOLD_MODES;
		if (!(possible((enum told_mode)mode, (enum told_mark)mark) >> bit & 1))
			continue;
		cells++;
		met += v->told[bit][mode][mark] > 0;
	}
	fprintf(out, "\n%u of the %u combinations that there can be were met.\n", met, cells);
}

static void print_events(const struct check_coverage *v, FILE *out)
{
	fprintf(out, "\n## Events, groups and marks\n\n| event | mark on |");
	for (unsigned mode = 0; mode < TOLD_MODES; mode++)
		fprintf(out, " %s |", mode_names[mode]);
	print_rule(out, 2 + TOLD_MODES);
	for (unsigned bit = 0; bit < TOLD_EVENTS; bit++)
		print_event(v, bit, out);
	print_missing(v, out);
}

/* ---- the page ---- */

static const char heading[] = "# Coverage\n"
			      "\n"
			      "Which operation led to which event, who was told of it, and what "
			      "carried the mark that asked: "
			      "as often as\n"
			      "it happened in one run of `fsndiff check`, with the model and the "
			      "running kernel in agreement. "
			      "This page is\n"
			      "the output of a command:\n";

static const char legend[] =
	"The counts are of this kernel and these programs; nothing compares them with another "
	"run.\n"
	"\n"
	"An event counts once for every group that was told (for every watch of an inotify "
	"instance), "
	"also when it\n"
	"merged with one in the queue. A `.` is what did not happen, a blank what cannot: a mark "
	"on a "
	"mount sees open\n"
	"files only, a mark on a parent what happens to its children, a watch nothing through "
	"mounts "
	"and superblocks.\n"
	"\n"
	"| mark on | is a mark on |\n"
	"|---|---|\n"
	"| inode | the object itself; of CREATE, DELETE, MOVED and RENAME the directory |\n"
	"| parent | the directory that the object is in, with ON_CHILD |\n"
	"| mount, sb | the mount, the superblock |\n"
	"| several | two or more of these; all of them asked for the event |\n";

static bool write_page(const struct check_coverage *v, const struct check_options *o, FILE *out)
{
	struct utsname u;

	uname(&u);
	fprintf(out, "%s\n```text\n%s", heading, o->argv[0]);
	for (int i = 1; i < o->argc; i++)
		fprintf(out, " %s", o->argv[i]);
	fprintf(out, "\n```\n\non Linux %.*s. %s", (int)strcspn(u.release, "-"), u.release, legend);
	print_operations(v, out);
	print_events(v, out);
	return !ferror(out);
}

int check_coverage_write(const struct check_coverage *v, const struct check_options *o)
{
	if (!o->coverage)
		return EXIT_SAME;
	FILE *out = fopen(o->coverage, "w");
	bool written = out && write_page(v, o, out);
	if (out && fclose(out) == 0 && written)
		return EXIT_SAME;
	return command_fail(&command_check, EXIT_ENVIRONMENT, "%s: %s", o->coverage,
			    strerror(errno));
}
