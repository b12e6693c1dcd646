/* SPDX-License-Identifier: MIT */
/*
 * Between the world (core/world.h) and the kernel's side of a tree executor. Both have an inode, a
 * dentry, a mount and a file, so neither can see the other's headers: they meet here, in indices,
 * numbers of the interface and records. An index is the same on both sides; BRIDGE_NONE is none.
 *
 * Objects of the file system belong to the world. The kernel's side has a twin of each, with the
 * fields that notification looks at; references that the kernel takes are counted by the world.
 */
#ifndef INTREE_BRIDGE_H
#define INTREE_BRIDGE_H

enum {
	BRIDGE_NONE = 0xff,
	BRIDGE_INODES = 192,
	BRIDGE_DENTRIES = 192,
	BRIDGE_MOUNTS = 4,
	BRIDGE_SBS = 3,
	BRIDGE_MARKS = 192,
	BRIDGE_RECORDS = 4096,
	BRIDGE_GROUPS = 160,
};

/* Kinds of nodes and of marked objects, as in core/world.h (checked in glue_executor.c). */
enum bridge_node { BRIDGE_FILE, BRIDGE_DIR, BRIDGE_SYMLINK, BRIDGE_FIFO, BRIDGE_PIPE };
enum bridge_object { BRIDGE_INODE, BRIDGE_MOUNT, BRIDGE_SB };
enum bridge_record { BRIDGE_PATH, BRIDGE_FID, BRIDGE_NAME, BRIDGE_WATCH, BRIDGE_ASK, BRIDGE_LOST };
enum {
	BRIDGE_SURV = 1,
	BRIDGE_EVICTABLE = 2,
	BRIDGE_IGNORE_FORM = 4,
	BRIDGE_EXCL_UNLINK = 8,
	BRIDGE_ONESHOT = 16,
};

/* Numbers of the program's process and its first thread, its second thread, the other process. */
enum { BRIDGE_PROCESS = 1, BRIDGE_THREAD, BRIDGE_OTHER };

/* One record of a group's queue, as it stands there or as it was read. */
struct record {
	unsigned mask;
	unsigned cookie;
	int wd;
	unsigned char kind; /* enum bridge_record */
	unsigned char inode, dir, name, new_dir, new_name, dentry, mount;
	unsigned char pid; /* who did it, as it stands in the queue; 0 where that is not kept */
	unsigned char pid_read; /* the same as it was read */
	int fd;			/* of a record that was read: the object's descriptor, or -1 */
	unsigned odd; /* ... is not 0 when it was read otherwise than it had been queued */
};

/* One mark, as it stands in its group. */
struct seen_mark {
	unsigned mask, ignored;
	int wd;
	unsigned char kind; /* enum bridge_object */
	unsigned char object, flags;
};

/* What is cached on an object that has marks. */
struct seen_connector {
	unsigned char kind, object;
	unsigned interest;
};

/* ---- what the kernel's side offers: kernel/intree/{memory,objects,calls}.c ---- */

struct machine_limits {
	int queue, marks, groups;
	int newest_first; /* among groups of equal priority */
	int starve;	  /* one in so many allocations fails; 0: none does */
};

/* A new program: twins of the initial tree, empty arena, no group. Complains when the last program
 * left something behind. */
void machine_reset(const struct machine_limits *limits);

/* Allocations that are not freed, but for what belongs to superblocks; lets waiting work run;
 * sections entered and marks fetched in them so far. */
int machine_allocated(void);
void machine_run_work(void);
unsigned machine_sections(void);
unsigned machine_visits(void);

/* Who does what follows. */
void machine_caller(int thread, int process, int administrator);

/* Draws a number from the counter that ties the halves of a rename together. */
unsigned machine_cookie(void);

/* A dentry has a new parent or a new inode. */
void machine_place_dentry(int dentry);

/* An open file, as the hooks of files see it. */
struct machine_file {
	unsigned char dentry, mount;
	unsigned char can_read, can_write, path_only, program;
	unsigned char memory; /* what machine_file_mode() said when it was opened */
};

enum machine_event {
	MACHINE_OPEN,
	MACHINE_ACCESS,
	MACHINE_MODIFY,
	MACHINE_CLOSE,
	MACHINE_MAY_OPEN, /* for a program: for execution, too */
	MACHINE_MAY_READ,
};

/* 0 or -EPERM. */
int machine_file_event(const struct machine_file *file, enum machine_event event);
/* The file was allocated: the tree decides what it will be asked about; two bits. */
unsigned machine_file_mode(const struct machine_file *file);

enum machine_change {
	CHANGE_MODE,
	CHANGE_SIZE,
	CHANGE_TIMES,
	CHANGE_ATIME,
	CHANGE_MTIME,
	CHANGE_XATTR
};
void machine_change(int dentry, enum machine_change change);
void machine_create(int dentry);
void machine_link(int dentry);
void machine_link_count(int inode);
void machine_delete(int dir, int name, int inode);
void machine_move(int old_dir, int old_name, int new_dir, int moved, int overwritten);
void machine_inode_remove(int inode);
void machine_inode_delete(int inode);
void machine_mount_delete(int mount);
/* `count` inodes that are in use, the newest first. */
void machine_sb_delete(int sb, const unsigned char *inodes, unsigned count);

/* System calls; paths are said as codes. A group is named by its descriptor. */
int machine_fanotify_init(unsigned flags);
int machine_fanotify_mark(int fd, unsigned flags, unsigned mask, unsigned path);
int machine_inotify_init(void);
int machine_inotify_add_watch(int fd, unsigned path, unsigned mask);
int machine_inotify_rm_watch(int fd, int wd);
int machine_close(int fd);

/* read() once: how many records. The caller closes their descriptors. */
unsigned machine_read(int fd, struct record *out);
/* Answers a question, after answers that have to be refused: 0, or what is odd about that. */
unsigned machine_answer(int fd, int event_fd, int deny);

/* What stands in a group's queue, oldest first; its marks, newest first, and how fdinfo lists
 * them; the connectors. */
unsigned machine_queue(int fd, struct record *out);
unsigned machine_marks(int fd, struct seen_mark *out);
unsigned machine_fdinfo(int fd, struct seen_mark *out);
unsigned machine_connectors(struct seen_connector *out);

/* ---- what the world offers: kernel/intree/glue_*.c ---- */

struct bridge_inode_info {
	unsigned char sb, kind;
};
struct bridge_dentry_info {
	unsigned char inode, parent, name;
};

struct bridge_inode_info bridge_inode(int inode);
struct bridge_dentry_info bridge_dentry(int dentry);
int bridge_mount_sb(int mount);
int bridge_root(int sb);
const char *bridge_name(int name);
int bridge_name_id(const char *name, unsigned length);
int bridge_inodes(void);
int bridge_dentries(void);

void bridge_pin_inode(int inode);
void bridge_unpin_inode(int inode);
void bridge_use_dentry(int dentry);
void bridge_leave_dentry(int dentry);
void bridge_use_mount(int mount);
void bridge_leave_mount(int mount);

int bridge_unlinked(int dentry);
int bridge_written(int inode); /* is the file open for writing? */
int bridge_has_fsid(int sb);   /* does the kernel of this level give the filesystem an id? */
int bridge_lookup(unsigned path, int follow, int *mount, int *dentry);
/* Is the path an open file, which could also be said by its descriptor? */
int bridge_descriptor(unsigned path, int *mount, int *dentry);

/* A question stands in the queue of this group: read and answer. */
void bridge_listen(int fd);

#endif
