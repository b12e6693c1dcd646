/* SPDX-License-Identifier: MIT */
/*
 * The world: everything the core knows, in one flat structure of fixed capacity. Objects refer to
 * one another by small indices. Reset copies the used prefix of a template; nothing allocates.
 *
 * Pools only grow within one program: a freed slot is not used again before the next reset, and
 * under ASan it is poisoned, so that a use after free is caught as it would be with a heap.
 *
 * Masks are in the bits of core/bits.h. An index equal to NONE means "no object".
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bits.h"
#include "core/level.h"

enum {
	NONE = 0xff,
	NO_EVENT = 0xffff,
	MAX_SB = 3, /* the two of a program, and the one pipes live on */
	MAX_MOUNT = 4,
	MAX_INODE = 192,
	MAX_DENTRY = 192,
	MAX_FILE = 192,
	MAX_GROUP = 160,
	MAX_MARK = 192,
	MAX_CONNECTOR = 192,
	MAX_EVENT = 4096,
	GROUP_SLOTS = 16,  /* g0 … g15 */
	HANDLE_SLOTS = 16, /* h0 … h15 */
	ANSWERS = 8,	   /* scripted answers a group can hold */
	SYMLINK_DEPTH = 8, /* more than that is ELOOP; Linux allows 40, no program gets there */
	STEP_BUDGET = 1000000,
};

enum name_id {
#define NAME(id) NAME_##id,
#include "core/paths.def"
	NAME_COUNT,
	NO_NAME = 0xff,
};

enum path_index {
#define PATH(text, a, b, c) PATH_AT_##a##_##b##_##c,
#include "core/paths.def"
	PATH_COUNT,
};

/* A path as a program says it: below one of the three mounts, or an open file by its descriptor
 * (/proc/self/fd/N). */
enum {
	PATH_MOUNTS = 3,		     /* A, B (a bind mount of A), C (its own sb) */
	PATH_FDS = PATH_MOUNTS * PATH_COUNT, /* first code that names a descriptor */
	PATH_CODES = PATH_FDS + HANDLE_SLOTS,
};

enum object_kind { OBJECT_INODE, OBJECT_MOUNT, OBJECT_SB };

enum inode_kind { NODE_FILE, NODE_DIR, NODE_SYMLINK, NODE_FIFO, NODE_PIPE };

struct superblock {
	uint8_t root; /* dentry */
	uint8_t connector;
	bool active;
	bool internal; /* pipes */
	uint8_t mounts;
};

struct mount {
	uint8_t sb;
	uint8_t connector;
	bool active;
	uint16_t pins; /* open files and queued path events */
};

struct inode {
	uint8_t sb;
	uint8_t kind; /* enum inode_kind */
	uint8_t nlink;
	uint8_t connector;
	uint8_t dentry;	 /* for naming it: the newest one still attached, or the last it had */
	uint8_t writers; /* open files that can write; the write ends of a pipe */
	uint8_t readers; /* read ends of a pipe or fifo */
	uint8_t size;	 /* bytes in the file, or in the pipe */
	uint8_t target;	 /* of a symlink: path code */
	uint16_t pins;	 /* non-evictable marks */
	uint8_t dentries;
	bool alive;
};

struct dentry {
	uint8_t inode;
	uint8_t parent; /* dentry; NONE for a root */
	uint8_t name;
	bool alive;
	bool hashed;	     /* can be looked up; false after unlink */
	bool parent_watches; /* the cached hint: the parent's interest covers children */
	uint16_t refs;	     /* open files, queued path events, children */
};

/* Mode of an open file: what the core decides by. Never visible to a program. */
enum {
	FILE_READ = 1,
	FILE_WRITE = 2,
	FILE_PATH = 4,	    /* O_PATH */
	FILE_NONOTIFY = 8,  /* raises no events */
	FILE_UNASKED = 16,  /* raises no permission events */
	FILE_ASK_READ = 32, /* PERM_AT_OPEN: ACCESS_PERM was wanted when it was opened */
};

struct file {
	uint8_t dentry;
	uint8_t mount;
	uint8_t mode;
	uint8_t handles; /* handle slots that share it */
	uint8_t offset;
	uint8_t id;	/* = its own index, so that an observation can name it */
	uint32_t flags; /* what F_GETFL shows */
};

/* Who does the operations of a program: its process, with CAP_SYS_ADMIN and without; a second
 * thread of it; another process. All share descriptors, directories and mounts. */
enum caller { CALLER_ADMIN, CALLER_USER, CALLER_THREAD, CALLER_OTHER, CALLERS };

/* Who did it, as a fanotify record has it: the program's process (its first thread, if the group
 * reports threads), its second thread, the other process; and what an unprivileged group is told
 * of other processes. */
enum doer { BY_SELF, BY_THREAD, BY_OTHER, BY_HIDDEN, DOERS };

enum group_kind { GROUP_FANOTIFY, GROUP_INOTIFY };

struct group {
	uint8_t kind;
	uint8_t slot;	  /* g<slot> */
	uint8_t priority; /* 0 NOTIF and inotify, 1 CONTENT, 2 PRE_CONTENT */
	uint16_t rank;	  /* place in every walk: by priority, then by age; lower goes first */
	bool alive;
	uint8_t marks; /* first mark, newest first */
	uint8_t mark_count;
	uint8_t answer_count;
	uint8_t answers; /* bit i set: the i-th answer from now is "deny" */
	uint16_t first;	 /* queue of events, oldest first */
	uint16_t last;
	uint16_t length;
	uint16_t appended; /* since the group was made */
	uint16_t
		taken_first; /* events the listener had to read while it was asked for permission */
	uint16_t taken_last;
	bool overflowed;   /* the overflow event is in the queue */
	bool unprivileged; /* made without CAP_SYS_ADMIN */
	uint32_t flags;	   /* of fanotify_init() */
	int32_t last_wd;
};

enum {			     /* flags of a mark */
       MARK_SURV = 1,	     /* ignored mask survives FS_MODIFY */
       MARK_EVICTABLE = 2,   /* does not pin its inode */
       MARK_IGNORE_FORM = 4, /* has used FAN_MARK_IGNORE */
       MARK_EXCL_UNLINK = 8,
       MARK_ONESHOT = 16,
};

struct mark {
	_Alignas(8) uint32_t mask;
	uint32_t ignored;
	uint8_t group;
	uint8_t kind; /* enum object_kind */
	uint8_t object;
	uint8_t flags;
	bool alive; /* attached to its object and its group */
	uint8_t next_on_object;
	uint8_t next_in_group;
	int32_t wd;
};

struct connector {
	_Alignas(8) uint8_t kind;
	uint8_t object;
	uint8_t first; /* marks in the order of their groups */
	bool alive;
	bool exact;	   /* nothing changed since the last recalculation */
	uint32_t interest; /* the cached mask: gates, never selects */
	uint32_t route;	   /* MODIFY is to be routed here: precise form and quirks only */
	/* What the last call on a mark took back, for the oracle "masks" (core/audit.h): bits of
	 * its two masks; and whether a modify had something to clear in it and now has not. */
	uint32_t lost;
	bool lost_clearable;
};

enum event_kind {
	EVENT_PATH,  /* fanotify with a descriptor: dentry and mount */
	EVENT_FID,   /* one handle */
	EVENT_NAME,  /* directory handle, perhaps a name, perhaps the object's handle */
	EVENT_WATCH, /* inotify */
	EVENT_ASK,   /* a permission event, with the answer in `answer` */
	EVENT_OVERFLOW,
};

struct event {
	_Alignas(8) uint32_t mask;
	uint32_t cookie;
	int32_t wd;
	uint16_t next;
	uint16_t seq; /* how many came before it to this group */
	uint8_t kind;
	uint8_t inode; /* object the event is about, or NONE if the record has none */
	uint8_t dir;   /* directory and name, where the record has them */
	uint8_t name;
	uint8_t new_dir; /* RENAME */
	uint8_t new_name;
	uint8_t dentry;
	uint8_t mount;
	uint8_t answer; /* EVENT_ASK: 0 allowed, 1 denied */
	uint8_t by;	/* enum doer; of inotify, which does not tell, always BY_SELF */
};

enum journal_kind { JOURNAL_QUEUED, JOURNAL_MERGED, JOURNAL_DROPPED, JOURNAL_ASKED, JOURNAL_READ };

enum { JOURNAL_CAPACITY = 512, JOURNAL_SLOTS = 5 };

/* One thing that happened to a group's queue. */
struct journal_entry {
	uint8_t kind;
	uint8_t group;	    /* slot */
	struct event event; /* as it is after the change */
	/* QUEUED, MERGED, ASKED: the events that came, by the slot (core/dispatch.h) whose mark
	 * asked for them. */
	uint32_t asked[JOURNAL_SLOTS];
};

/* Everything queued during one operation; filled only when somebody asks why two runs differ. */
struct journal {
	unsigned count;
	uint32_t asked[JOURNAL_SLOTS]; /* of what is being delivered */
	struct journal_entry entry[JOURNAL_CAPACITY];
};

/* What a program asks of the machine before its first operation. */
struct world_config {
	uint8_t level;	 /* enum core_level */
	uint8_t reverse; /* groups of equal priority: newest first instead of oldest first */
	uint16_t queue_limit;
	uint16_t mark_limit;
	uint16_t group_limit;
};

struct world {
	/* observation, compared after every operation */
	uint64_t events;   /* sum over all queued events of a hash of their visible content */
	uint64_t marks;	   /* sum over all marks of a hash of their visible state */
	uint64_t files;	   /* the same over open files and their flags */
	uint32_t sections; /* read-side sections entered by this operation */
	uint32_t visits;   /* marks visited by this operation */
	uint32_t steps;	   /* since reset */
	uint32_t changes;  /* marks or connectors changed by this operation */

	/* configuration */
	uint32_t features;
	uint32_t toggles; /* workbench only */
	struct world_config config;
	struct journal *journal; /* or null */

	/* counters */
	uint16_t live_marks;
	uint16_t live_connectors;
	uint16_t live_events;
	uint16_t live_groups;
	uint16_t fanotify_marks; /* counted against the limit */
	uint16_t inotify_marks;
	uint16_t fanotify_groups;
	uint16_t inotify_groups;
	uint16_t pins;
	uint32_t cookie;

	/* used parts of the pools */
	uint8_t inodes;
	uint8_t dentries;
	uint8_t file_count;
	uint8_t group_count;
	uint8_t mark_count;
	uint8_t connector_count;
	uint16_t event_count;
	uint8_t caller;	 /* enum caller: who does the next operation */
	uint8_t lost_at; /* connector whose `lost` the last mark call set, or NONE */
	bool ready;	 /* has been reset at least once */

	/* slots whose grace period is over: poisoned under ASan, not to be looked at */
	uint64_t mark_freed[MAX_MARK / 64];
	uint64_t connector_freed[MAX_CONNECTOR / 64];

	uint8_t group_slot[GROUP_SLOTS];
	uint8_t handle[HANDLE_SLOTS];
	struct superblock sb[MAX_SB];
	struct mount mount[MAX_MOUNT];
	struct inode inode[MAX_INODE];
	struct dentry dentry[MAX_DENTRY];
	uint8_t child[MAX_DENTRY][NAME_COUNT]; /* dentry of that name in a directory, or NONE */

	/* pools that are empty after reset */
	struct file file[MAX_FILE];
	struct group group[MAX_GROUP];
	struct mark mark[MAX_MARK];
	struct connector connector[MAX_CONNECTOR];
	struct event event[MAX_EVENT];
};

/* Makes `w` the initial world of `config`: the tree below, nothing open, nothing marked. The same
 * tree for every executor, inodes made in this order:
 *   A (and B, a bind mount): . d0 d1 f0 f1 d0/f0 d0/f1 d0/d2 d0/d2/f0 d1/f0
 *   C:                       . d0 f0 d0/f0
 * Every file holds one byte. */
void world_reset(struct world *w, const struct world_config *config);

/* Defaults: level 5.18, oldest group first, queue 16, 128 marks, 16 groups. */
extern const struct world_config world_defaults;

/* Has the caller CAP_SYS_ADMIN? */
static inline bool may_administer(const struct world *w)
{
	return w->caller != CALLER_USER;
}

static inline bool slot_freed(const uint64_t *set, unsigned slot)
{
	return set[slot / 64] >> slot % 64 & 1;
}

static inline void slot_free(uint64_t *set, unsigned slot)
{
	set[slot / 64] |= (uint64_t)1 << slot % 64;
}

/* A finishing touch for digests: mixes `value` into `digest`. */
static inline uint64_t world_mix(uint64_t digest, uint64_t value)
{
	uint64_t x = (digest ^ value) * 0x9e3779b97f4a7c15u;
	return x ^ (x >> 29);
}

#endif
