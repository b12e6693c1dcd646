/* SPDX-License-Identifier: MIT */
/* The words of the text form, kind by kind (fuzz/text_words.h). */
#include "fuzz/text_words.h"

#include <stdarg.h>

#include "core/bits.h"

static const struct text_word objects[] = {
	{"inode", OBJECT_INODE}, {"mount", OBJECT_MOUNT}, {"sb", OBJECT_SB}};
static const struct text_word forms[] = {
	{"mask", FORM_MASK}, {"ignored", FORM_IGNORED}, {"ignore", FORM_IGNORE}};
static const struct text_word events[] = {
	{"ACCESS", FS_ACCESS},
	{"MODIFY", FS_MODIFY},
	{"ATTRIB", FS_ATTRIB},
	{"CLOSE_WRITE", FS_CLOSE_WRITE},
	{"CLOSE_NOWRITE", FS_CLOSE_NOWRITE},
	{"OPEN", FS_OPEN},
	{"MOVED_FROM", FS_MOVED_FROM},
	{"MOVED_TO", FS_MOVED_TO},
	{"CREATE", FS_CREATE},
	{"DELETE", FS_DELETE},
	{"DELETE_SELF", FS_DELETE_SELF},
	{"MOVE_SELF", FS_MOVE_SELF},
	{"OPEN_EXEC", FS_OPEN_EXEC},
	{"ERROR", FS_ERROR},
	{"OPEN_PERM", FS_OPEN_PERM},
	{"ACCESS_PERM", FS_ACCESS_PERM},
	{"OPEN_EXEC_PERM", FS_OPEN_EXEC_PERM},
	{"PRE_ACCESS", FS_PRE_ACCESS},
	{"RENAME", FS_RENAME},
	{"ON_CHILD", FS_EVENT_ON_CHILD},
	{"ONDIR", FS_ISDIR},
	/* in outcomes only */
	{"UNMOUNT", FS_UNMOUNT},
	{"Q_OVERFLOW", FS_Q_OVERFLOW},
};
static const struct text_word event_shorthands[] = {{"CLOSE", FS_CLOSE_WRITE | FS_CLOSE_NOWRITE},
						    {"MOVE", FS_MOVED_FROM | FS_MOVED_TO}};
static const struct text_word mark_flags[] = {
	{"surv", FAN_MARK_IGNORED_SURV_MODIFY},
	{"evictable", FAN_MARK_EVICTABLE},
	{"onlydir", FAN_MARK_ONLYDIR},
	{"nofollow", FAN_MARK_DONT_FOLLOW},
};
static const struct text_word classes[] = {{"notif", 0}, {"content", 1}, {"pre_content", 2}};
static const struct text_word reports[] = {
	{"FID", FAN_REPORT_FID},
	{"DIR_FID", FAN_REPORT_DIR_FID},
	{"NAME", FAN_REPORT_NAME},
	{"TARGET_FID", FAN_REPORT_TARGET_FID},
};
static const struct text_word init_flags[] = {
	{"unlimited_queue", FAN_UNLIMITED_QUEUE},
	{"unlimited_marks", FAN_UNLIMITED_MARKS},
	{"pidfd", FAN_REPORT_PIDFD},
	{"tid", FAN_REPORT_TID},
};
static const struct text_word answers[] = {{"allow", 0}, {"deny", 1}};
static const struct text_word watch_mask[] = {
	{"ACCESS", FS_ACCESS},
	{"MODIFY", FS_MODIFY},
	{"ATTRIB", FS_ATTRIB},
	{"CLOSE_WRITE", FS_CLOSE_WRITE},
	{"CLOSE_NOWRITE", FS_CLOSE_NOWRITE},
	{"OPEN", FS_OPEN},
	{"MOVED_FROM", FS_MOVED_FROM},
	{"MOVED_TO", FS_MOVED_TO},
	{"CREATE", FS_CREATE},
	{"DELETE", FS_DELETE},
	{"DELETE_SELF", FS_DELETE_SELF},
	{"MOVE_SELF", FS_MOVE_SELF},
	{"ISDIR", IN_ISDIR},
	{"ONLYDIR", IN_ONLYDIR},
	{"DONT_FOLLOW", IN_DONT_FOLLOW},
	{"EXCL_UNLINK", IN_EXCL_UNLINK},
	{"MASK_CREATE", IN_MASK_CREATE},
	{"MASK_ADD", IN_MASK_ADD},
	{"ONESHOT", IN_ONESHOT},
	/* in outcomes only */
	{"UNMOUNT", FS_UNMOUNT},
	{"Q_OVERFLOW", FS_Q_OVERFLOW},
	{"IGNORED", FS_IN_IGNORED},
};
static const struct text_word watch_shorthands[] = {
	{"CLOSE", FS_CLOSE_WRITE | FS_CLOSE_NOWRITE},
	{"MOVE", FS_MOVED_FROM | FS_MOVED_TO},
	{"ALL", IN_ALL_EVENTS},
};
static const struct text_word accesses[] = {{"rdonly", 0}, {"wronly", 1}, {"rdwr", 2}};
static const struct text_word open_flags[] = {
	{"creat", FL_CREAT},	   {"excl", FL_EXCL},	      {"trunc", FL_TRUNC},
	{"append", FL_APPEND},	   {"nonblock", FL_NONBLOCK}, {"directory", FL_DIRECTORY},
	{"nofollow", FL_NOFOLLOW}, {"path", FL_PATH},
};
static const struct text_word status_flags[] = {{"append", FL_APPEND}, {"nonblock", FL_NONBLOCK}};
static const struct text_word times[] = {{"both", 0}, {"atime", 1}, {"mtime", 2}};
static const struct text_word nodes[] = {{"file", 0}, {"fifo", 1}};
static const struct text_word rename_flags[] = {{"noreplace", 1}, {"exchange", 2}};
static const struct text_word callers[] = {
	{"admin", CALLER_ADMIN},
	{"user", CALLER_USER},
	{"thread", CALLER_THREAD},
	{"other", CALLER_OTHER},
};
static const struct text_word mounts[] = {{"A", 0}, {"B", 1}, {"C", 2}};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define WORDS(list) .words = (list), .count = COUNT(list)
#define WORDS_AND_OUTPUT(list, output) \
	.words = (list), .count = COUNT(list) - (output), .output_count = (output)
#define SHORTHANDS(list) .shorthands = (list), .shorthand_count = COUNT(list)
#define ONE(list, text)                                                                \
	{                                                                              \
		.form = TEXT_ONE, .what = (text), WORDS(list), .pool = COUNT(list) - 1 \
	}
#define FLAGS(list, text, bits)                                                 \
	{                                                                       \
		.form = TEXT_FLAGS, .what = (text), WORDS(list), .pool = (bits) \
	}

const struct text_kind text_kinds[ARG_KINDS] = {
	[ARG_GROUP] = {.form = TEXT_SLOT,
		       .letter = 'g',
		       .what = "a group (g0 to g15)",
		       .pool = GROUP_SLOTS - 1},
	[ARG_HANDLE] = {.form = TEXT_SLOT,
			.letter = 'h',
			.what = "an open file (h0 to h15)",
			.pool = HANDLE_SLOTS - 1},
	[ARG_PATH] = {.form = TEXT_PLACE,
		      .what = "a path (like d0/f0, B:d0/f0, C:. or fd:h0)",
		      .pool = PATH_CODES - 1},
	[ARG_OBJECT] = ONE(objects, "an object"),
	[ARG_FORM] = {.form = TEXT_KEY, .what = "a mask", WORDS(forms), .pool = FORM_IGNORE},
	[ARG_EVENTS] = {.form = TEXT_SET,
			.what = "an event",
			WORDS_AND_OUTPUT(events, 2),
			SHORTHANDS(event_shorthands),
			.pool = FANOTIFY_EVENTS | FS_PRE_ACCESS | FS_FLAGS},
	[ARG_MARKFLAGS] = FLAGS(mark_flags, "flags of a mark",
				FAN_MARK_IGNORED_SURV_MODIFY | FAN_MARK_EVICTABLE |
					FAN_MARK_ONLYDIR | FAN_MARK_DONT_FOLLOW),
	[ARG_CLASS] = ONE(classes, "a class"),
	[ARG_REPORT] = {.form = TEXT_SET,
			.what = "what to report",
			WORDS(reports),
			.pool = FAN_REPORT_FIDS},
	[ARG_INITFLAGS] = FLAGS(init_flags, "flags of a group", FAN_INIT_WORDS),
	[ARG_ANSWER] = ONE(answers, "an answer"),
	[ARG_WATCHMASK] = {.form = TEXT_SET,
			   .what = "an event or flag of a watch",
			   WORDS_AND_OUTPUT(watch_mask, 3),
			   SHORTHANDS(watch_shorthands),
			   .pool = IN_ALL_EVENTS | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK |
				   IN_MASK_CREATE | IN_MASK_ADD | IN_ISDIR | IN_ONESHOT},
	[ARG_WD] = {.form = TEXT_NUMBER, .what = "a watch descriptor (0 to 255)", .pool = 255},
	[ARG_ACCESS] = ONE(accesses, "an access mode"),
	[ARG_OPENFLAGS] = FLAGS(open_flags, "flags of open()",
				FL_CREAT | FL_EXCL | FL_TRUNC | FL_APPEND | FL_NONBLOCK |
					FL_DIRECTORY | FL_NOFOLLOW | FL_PATH),
	[ARG_SETFL] = FLAGS(status_flags, "file status flags", FL_APPEND | FL_NONBLOCK),
	[ARG_TIMES] = ONE(times, "which times"),
	[ARG_NODE] = ONE(nodes, "a kind of node"),
	[ARG_RENAMEFLAGS] = FLAGS(rename_flags, "flags of rename()", 3),
	[ARG_MOUNT] = ONE(mounts, "a mount"),
	[ARG_WHO] = ONE(callers, "a caller"),
};

const struct text_limit text_limits[TEXT_LIMITS] = {
	{"queue", 1, 64, offsetof(struct world_config, queue_limit)},
	{"marks", 0, 128, offsetof(struct world_config, mark_limit)},
	{"groups", 1, 16, offsetof(struct world_config, group_limit)},
};

const char *const text_names[NAME_COUNT] = {
#define NAME(id) [NAME_##id] = #id,
#include "core/paths.def"
};

const char *const text_paths[PATH_COUNT] = {
#define PATH(text, a, b, c) [PATH_AT_##a##_##b##_##c] = (text),
#include "core/paths.def"
};

bool text_in_pool(enum arg_kind kind, uint32_t value)
{
	const struct text_kind *k = &text_kinds[kind];

	if (k->form == TEXT_SET || k->form == TEXT_FLAGS)
		return (value & ~k->pool) == 0;
	return value <= k->pool;
}

void text_add(struct text_buffer *b, const char *format, ...)
{
	va_list list;

	if (b->length + 1 >= b->size)
		return;
	va_start(list, format);
	int n = vsnprintf(b->out + b->length, b->size - b->length, format, list);
	va_end(list);
	if (n > 0)
		b->length += (size_t)n;
	if (b->length >= b->size)
		b->length = b->size - 1;
}
