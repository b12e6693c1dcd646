/* SPDX-License-Identifier: MIT */
/* What the files of the live executor share (kernel/live/live.h). */
#ifndef KERNEL_LIVE_INTERNAL_H
#define KERNEL_LIVE_INTERNAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/types.h>

#include "fuzz/text_words.h"
#include "kernel/live/live.h"

enum {
	LIVE_INODES = 256,
	LIVE_ENTRIES = 320,
	LIVE_NAME = 8,	  /* longest name in core/paths.def, with its end */
	LIVE_PATH = 192,  /* a path of a program below the mounts */
	LIVE_HANDLE = 40, /* bytes of a file handle that are compared */
	LIVE_TAKEN = 512, /* records a listener had to read early */
	LIVE_MOUNTS = 3,
	LIVE_GLANCE_NS = 50 * 1000, /* between two looks at a caller */
	FAN_CLASSES = 3,
	NOWHERE = -1,
	FIRST_DESCRIPTOR = 500, /* of the handles; everything else stays below */
};

/* An inode, in the order in which they were made. */
struct live_inode {
	uint64_t device, number;
	bool pipe;
	int handle_type;
	unsigned handle_size;
	unsigned char handle[LIVE_HANDLE];
};

/* A name: what the kernel calls a dentry. It moves with a rename and stays when it is removed. */
struct live_entry {
	int inode;
	int parent; /* inode of the directory, NOWHERE for a root */
	char name[LIVE_NAME];
	bool hashed;
};

/* A record that the listener read while it was asked for permission. */
struct live_taken {
	uint32_t mask;
	int pid;
	int fd;	   /* kept open for the next read, or -1 */
	int entry; /* of a question: its name … */
	int mount;
	bool deny; /* … and what was answered */
};

struct live_group {
	int fd; /* -1: no such group */
	bool inotify;
	uint8_t class;
	uint32_t flags; /* as fanotify_init() got them: report modes, TID, PIDFD */
	unsigned answer_count, answers;
	unsigned taken;
	struct live_taken *take; /* LIVE_TAKEN of them; null as long as nobody asked */
	int waiting;		 /* bytes in the queue when the operation began */
};

/* Who makes a system call when it is not this thread: for the program's own process, for its second
 * thread, and the other process (kernel/live/callers.c). */
enum { TASK_OWN, TASK_THREAD, TASK_OTHER, TASKS };

struct live_task {
	pid_t id; /* of the thread or process; 0: there is none yet */
	pthread_t thread;
	int wait_channel; /* /proc/ID/wchan; alone: …/stat */
	bool tells;	  /* does that say where it sleeps? */
	sem_t go, done;
	struct live *live;
	const struct op *op;
	long ret;
};

struct live {
	char root[64];
	bool mounted[LIVE_MOUNTS];
	bool started;
	uint64_t device[2];	      /* of A and C */
	uint64_t mount_id[MAX_MOUNT]; /* of A, B, C and that of pipes */
	unsigned inodes, entries;
	struct live_inode inode[LIVE_INODES];
	struct live_entry entry[LIVE_ENTRIES];
	int handle[HANDLE_SLOTS];
	struct live_group group[GROUP_SLOTS];
	pid_t pid;	 /* of the program's process */
	enum caller who; /* does the next operation */
	bool alone;	 /* live_alone() */
	struct live_task task[TASKS];
	struct text_buffer *out; /* of the operation that is being done */
	live_choose choose;
	void *context;
};

static inline int live_descriptor(unsigned handle)
{
	return FIRST_DESCRIPTOR + (int)handle;
}

/* ---- names.c ---- */

/* The real path of a path code. */
char *live_path(const struct live *l, unsigned code, char *out, size_t size);

/* Where a path leads, as far as names are concerned: its directory and its last name, symlinks
 * followed if `follow`. False: the directory is not there, or it is no name (a descriptor, a
 * root). */
struct live_place {
	int parent;
	char name[LIVE_NAME];
	char path[LIVE_PATH];
};
bool live_locate(struct live *l, const char *path, bool follow, struct live_place *place);

/* Brings the entry of a place up to date with the kernel: made, replaced or removed. */
void live_sync(struct live *l, const struct live_place *place);
void live_sync_rename(struct live *l, const struct live_place *from, const struct live_place *to,
		      bool exchange);

/* The inode of an open descriptor, a new one if it was not known. */
int live_inode_of(struct live *l, int fd);
int live_inode_at(struct live *l, const char *path);
int live_inode_numbered(const struct live *l, uint64_t device, uint64_t number);
int live_inode_by_handle(const struct live *l, int type, const void *bytes, unsigned size);
/* A new name; NOWHERE is the parent of a root. */
void live_new_entry(struct live *l, int inode, int parent, const char *name);

/* Prints "d0/f0", "#12", "pipe#14"; "?" for an inode that is not known. */
void live_put_inode(struct text_buffer *b, const struct live *l, int inode);
/* The same for what a descriptor leads to, by the mount it was reached through. */
void live_put_descriptor(struct text_buffer *b, struct live *l, int fd);
/* The entry and the mount of a descriptor; the entry is NOWHERE if it is not known. */
void live_find_entry(struct live *l, int fd, int *entry, int *mount);
void live_put_entry(struct text_buffer *b, const struct live *l, int entry, int mount);

/* ---- records.c ---- */

void live_put_queue(struct text_buffer *b, struct live *l, unsigned slot);
void live_put_marks(struct text_buffer *b, struct live *l, unsigned slot);
/* Reads from a group that is asked until the question and answers it. False: no question. */
bool live_answer_question(struct live *l, struct live_group *g);
/* Reads what there is, keeps nothing, and allows what is asked. */
void live_allow_everything(struct live_group *g);
void live_drop_taken(struct live_group *g);

/* ---- step.c ---- */

/* The system call of an operation: its value or a negative errno. */
long live_call(struct live *l, const struct op *op);

/* ---- callers.c ---- */

/* The same, made by whoever is the caller. */
enum live_result live_do(struct live *l, const struct op *op, long *ret);
void live_stop_tasks(struct live *l);
/* Where a task sleeps, as the kernel calls it; "0" or nothing for one that runs. */
const char *live_sleeps_in(const struct live_task *t, char *where, size_t size);

/* ---- asked.c ---- */

bool live_has_askers(const struct live *l);
/* Lets a task begin with its operation and answers what is asked until it is done. */
enum live_result live_attend(struct live *l, struct live_task *t, long *ret);

#endif
