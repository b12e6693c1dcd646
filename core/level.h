/* SPDX-License-Identifier: MIT */
/*
 * Kernel levels: behaviour that changed between releases, as a table of features by level.
 * A level is the first release that behaves so; a program names one in its header, the default is
 * the release in which both 5.18 patches landed.
 */
#ifndef CORE_LEVEL_H
#define CORE_LEVEL_H

#include <stdint.h>

/* LEVEL(id, text). Order is part of the byte format (version 2): append only. */
#define CORE_LEVELS(LEVEL)  \
	LEVEL(5_18, "5.18") \
	LEVEL(5_17, "5.17") \
	LEVEL(5_19, "5.19") \
	LEVEL(6_0, "6.0")   \
	LEVEL(6_1, "6.1")   \
	LEVEL(6_5, "6.5")   \
	LEVEL(6_8, "6.8")   \
	LEVEL(6_10, "6.10") \
	LEVEL(6_13, "6.13") \
	LEVEL(6_14, "6.14") \
	LEVEL(6_17, "6.17") \
	LEVEL(6_18, "6.18")

enum core_level {
#define LEVEL(id, text) LEVEL_##id,
	CORE_LEVELS(LEVEL)
#undef LEVEL
		LEVEL_COUNT,
	LEVEL_DEFAULT = LEVEL_5_18,
};

/* FEATURE(id, first level that has it, last level that has it). */
#define CORE_FEATURES(FEATURE)                                                                    \
	/* ENOTDIR for dirent events on a non-directory in TARGET_FID groups or with RENAME */    \
	FEATURE(STRICT_NONDIR, 5_18, 6_18)                                                        \
	/* ... and for REMOVE as well (refined in 5.18.10) */                                     \
	FEATURE(STRICT_REMOVE, 5_18, 5_18)                                                        \
	/* ... and also for ONDIR and ON_CHILD */                                                 \
	FEATURE(STRICT_FLAGS, 5_19, 6_18)                                                         \
	/* a parent's mark joins the walk only if it watches children */                          \
	FEATURE(PARENT_FILTER, 5_19, 6_18)                                                        \
	FEATURE(EVICTABLE, 5_19, 6_18)                                                            \
	/* inotify fdinfo shows EXCL_UNLINK and ONESHOT */                                        \
	FEATURE(WATCH_FLAGS_SHOWN, 5_19, 6_18)                                                    \
	/* FAN_MARK_IGNORE; flags count in ignore masks and in the interest word */               \
	FEATURE(IGNORE_FORM, 6_0, 6_18)                                                           \
	/* O_TRUNC: OPEN comes before MODIFY */                                                   \
	FEATURE(OPEN_THEN_TRUNC, 6_5, 6_18)                                                       \
	FEATURE(SPLICE_EVENTS, 6_5, 6_18)                                                         \
	/* splice from a file: permission is asked before anything is checked */                  \
	FEATURE(SPLICE_ASKS_FIRST, 6_8, 6_18)                                                     \
	FEATURE(NO_INTERNAL_SB_MARKS, 6_5, 6_18)                                                  \
	/* O_PATH: up to 6.4 OPEN and CLOSE, up to 6.9 CLOSE only, then nothing */                \
	FEATURE(OPATH_OPEN, 5_17, 6_1)                                                            \
	FEATURE(OPATH_CLOSE, 5_17, 6_8)                                                           \
	FEATURE(WEAK_FSID, 6_8, 6_18)                                                             \
	/* a self event no longer carries a name attached for somebody else */                    \
	FEATURE(SELF_WITHOUT_NAME, 6_13, 6_18)                                                    \
	/* ACCESS_PERM is decided at open: by any such mark on the sb, then by this file's own */ \
	FEATURE(PERM_AT_OPEN, 6_14, 6_18)                                                         \
	FEATURE(PERM_THIS_FILE, 6_17, 6_18)                                                       \
	/* pipes raise no permission events */                                                    \
	FEATURE(PIPES_UNASKED, 6_14, 6_18)                                                        \
	/* an ADD recalculates whenever it changed anything: a fix of 2026 in 6.1.y and 6.12.y */ \
	FEATURE(ADD_RECALCULATES, 6_18, 5_17)                                                     \
	/* ... or when the mark is a new one (seen on 6.18.44) */                                 \
	FEATURE(NEW_MARK_RECALCULATES, 6_18, 6_18)                                                \
	/* a group made without CAP_SYS_ADMIN has marks on inodes only, whoever adds them         \
	 * (to 6.15) */                                                                           \
	FEATURE(UNPRIVILEGED_INODES, 5_17, 6_14)                                                  \
	/* FAN_PRE_ACCESS is an event, of groups of the class pre_content */                      \
	FEATURE(PRE_CONTENT, 6_14, 6_18)                                                          \
	/* exec of a file that is open for writing: 6.11 and 6.12 only, between two levels */     \
	FEATURE(EXEC_OF_WRITTEN, 6_18, 5_17)                                                      \
	/* no ACCESS and MODIFY of special files to the parent */                                 \
	FEATURE(SPECIAL_QUIET, 6_18, 6_18)

enum core_feature {
#define FEATURE(id, from, to) FEAT_##id,
	CORE_FEATURES(FEATURE)
#undef FEATURE
		FEATURE_COUNT,
};

extern const char *const core_level_names[LEVEL_COUNT];

/* The set of features (bit FEAT_x) of a level. */
uint32_t core_level_features(enum core_level level);

/* Compares two levels by release: negative, zero or positive. */
int core_level_compare(enum core_level a, enum core_level b);

/* The level with this text, or LEVEL_COUNT. */
enum core_level core_level_by_name(const char *text);

#endif
