/* SPDX-License-Identifier: MIT */
/*
 * The kernel's environment, part two: what does the real thing, simply. Types and numbers of the
 * interface, counters, error pointers, the objects of the file system with the fields that
 * notification looks at, descriptors, number allocation, copies to the user.
 *
 * Structures have what any supported tree needs, so that one environment serves all of them.
 */
#ifndef INTREE_SIMPLE_H
#define INTREE_SIMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- types ---- */

typedef __UINT8_TYPE__ u8, __u8;
typedef __UINT16_TYPE__ u16, __u16;
typedef __UINT32_TYPE__ u32, __u32;
typedef __UINT64_TYPE__ u64, __u64;
typedef __INT8_TYPE__ s8, __s8;
typedef __INT16_TYPE__ s16, __s16;
typedef __INT32_TYPE__ s32, __s32;
typedef __INT64_TYPE__ s64, __s64;
typedef __u64 __attribute__((aligned(8))) __aligned_u64;
typedef __SIZE_TYPE__ __kernel_size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef int pid_t;
typedef unsigned short umode_t;
typedef unsigned int fmode_t;
typedef unsigned int gfp_t;
typedef unsigned int slab_flags_t;
typedef unsigned int dev_t;
typedef unsigned int __poll_t;
typedef __UINTPTR_TYPE__ uintptr_t;

typedef struct {
	int val[2];
} __kernel_fsid_t;

typedef struct {
	unsigned int val;
} kuid_t;

struct list_head {
	struct list_head *next, *prev;
};
struct hlist_node {
	struct hlist_node *next, **pprev;
};
struct hlist_head {
	struct hlist_node *first;
};
struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
};
#define rcu_head callback_head

#define U8_MAX	      0xff
#define U16_MAX	      0xffff
#define INT_MAX	      __INT_MAX__
#define UINT_MAX      (~0U)
#define LONG_MAX      __LONG_MAX__
#define SIZE_MAX      __SIZE_MAX__
#define NAME_MAX      255
#define PATH_MAX      4096
#define PAGE_SHIFT    12
#define BITS_PER_LONG (__SIZEOF_LONG__ * 8)
#if __SIZEOF_LONG__ == 8
#define CONFIG_64BIT 1
#endif
#define MAX_SCHEDULE_TIMEOUT LONG_MAX

/* ---- the compiler ---- */

#define likely(x)		    __builtin_expect(!!(x), 1)
#define unlikely(x)		    __builtin_expect(!!(x), 0)
#define READ_ONCE(x)		    (x)
#define WRITE_ONCE(x, value)	    ((x) = (value))
#define barrier()		    __asm__ __volatile__("" ::: "memory")
#define smp_store_release(p, value) (*(p) = (value))
#define smp_load_acquire(p)	    (*(p))
#define __aligned(n)		    __attribute__((aligned(n)))
#define __packed		    __attribute__((packed))
#define __always_inline		    inline __attribute__((always_inline))
#define noinline		    __attribute__((noinline))
#define __maybe_unused		    __attribute__((unused))
#define __always_unused		    __attribute__((unused))
#define __printf(a, b)
#define __no_kasan_or_inline			  inline
#define __attribute_const__			  __attribute__((const))
#define __cleanup(function)			  __attribute__((cleanup(function)))
#define __same_type(a, b)			  __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define container_of(pointer, type, member)	  ((type *)((char *)(pointer)-offsetof(type, member)))
#define container_of_const(pointer, type, member) container_of(pointer, type, member)
#define BUILD_BUG_ON(condition)			  ((void)sizeof(char[1 - 2 * !!(condition)]))
#define BUILD_BUG_ON_MSG(condition, text)	  BUILD_BUG_ON(condition)
#define static_assert _Static_assert
#define HWEIGHT32(word)			  __builtin_popcount(word)
#define IS_ENABLED(option)		  INTREE_ENABLED(option)
#define INTREE_ENABLED(value)		  INTREE_IS_ONE(INTREE_PICK_##value)
#define INTREE_PICK_1			  0,
#define INTREE_IS_ONE(picked)		  INTREE_SECOND(picked 1, 0, 0)
#define INTREE_SECOND(first, second, ...) second
#define IS_BUILTIN(option)		  IS_ENABLED(option)

/* ---- arithmetic ---- */

#define min(a, b)		      ((a) < (b) ? (a) : (b))
#define max(a, b)		      ((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	      min((type)(a), (type)(b))
#define max_t(type, a, b)	      max((type)(a), (type)(b))
#define clamp(x, least, most)	      ((x) < (least) ? (least) : (x) > (most) ? (most) : (x))
#define clamp_t(type, x, least, most) clamp((type)(x), (type)(least), (type)(most))
#define roundup(x, step)	      (((x) + (step)-1) / (step) * (step))
#define ALIGN(x, step)		      (((x) + (step)-1) & ~(__typeof__(x))((step)-1))
#define ARRAY_SIZE(array)	      (sizeof(array) / sizeof((array)[0]))
#define BIT(n)			      (1UL << (n))
#define ilog2(n)		      (31 - __builtin_clz((unsigned)(n)))
#define upper_32_bits(n)	      ((u32)((u64)(n) >> 32))
#define lower_32_bits(n)	      ((u32)(n))
#define swap(a, b)                        \
	do {                              \
		__typeof__(a) kept = (a); \
		(a) = (b);                \
		(b) = kept;               \
	} while (0)
#define struct_size(pointer, member, count) \
	(sizeof(*(pointer)) + sizeof((pointer)->member[0]) * (count))
#define DEFINE_FLEX(type, name, member, counter, count)                            \
	union {                                                                    \
		type object;                                                       \
		u8 bytes[sizeof(type) + sizeof(((type *)0)->member[0]) * (count)]; \
	} name##_space = {.object.counter = (count)};                              \
	type *name = &name##_space.object

static inline unsigned int hweight32(unsigned int word)
{
	return (unsigned int)__builtin_popcount(word);
}

/* Only spreads: its values are never seen. */
static inline unsigned int full_name_hash(const void *salt, const void *name, unsigned int length)
{
	const unsigned char *at = name;
	unsigned int hash = (unsigned int)(uintptr_t)salt;

	while (length--)
		hash = (hash ^ *at++) * 0x01000193u;
	return hash;
}

/* ---- errors ---- */

enum {
	EPERM = 1,
	ENOENT = 2,
	EINTR = 4,
	EIO = 5,
	EBADF = 9,
	EAGAIN = 11,
	ENOMEM = 12,
	EACCES = 13,
	EFAULT = 14,
	EBUSY = 16,
	EEXIST = 17,
	EXDEV = 18,
	ENODEV = 19,
	ENOTDIR = 20,
	EISDIR = 21,
	EINVAL = 22,
	ENFILE = 23,
	EMFILE = 24,
	ENOTTY = 25,
	ETXTBSY = 26,
	EFBIG = 27,
	ENOSPC = 28,
	ESRCH = 3,
	ERANGE = 34,
	ELOOP = 40,
	ENODATA = 61,
	EOVERFLOW = 75,
	EOPNOTSUPP = 95,
	ESTALE = 116,
	ERESTARTSYS = 512,
	EOPENSTALE = 518,
};

#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *pointer)
{
	return (long)pointer;
}

static inline bool IS_ERR(const void *pointer)
{
	return (unsigned long)pointer >= (unsigned long)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *pointer)
{
	return !pointer || IS_ERR(pointer);
}

static inline void *ERR_CAST(const void *pointer)
{
	return (void *)pointer;
}

/* ---- counters ---- */

typedef struct {
	int counter;
} atomic_t;
typedef struct {
	long counter;
} atomic_long_t;

#define ATOMIC_INIT(value) \
	{                  \
		(value)    \
	}
#define ATOMIC_LONG_INIT(value) \
	{                       \
		(value)         \
	}
#define atomic_read(a)		    ((a)->counter)
#define atomic_set(a, value)	    ((void)((a)->counter = (value)))
#define atomic_inc(a)		    ((void)(a)->counter++)
#define atomic_dec(a)		    ((void)(a)->counter--)
#define atomic_inc_return(a)	    (++(a)->counter)
#define atomic_dec_and_test(a)	    (--(a)->counter == 0)
#define atomic_inc_not_zero(a)	    ((a)->counter ? ++(a)->counter : 0)
#define atomic_long_read(a)	    ((a)->counter)
#define atomic_long_set(a, value)   ((void)((a)->counter = (value)))
#define atomic_long_inc(a)	    ((void)(a)->counter++)
#define atomic_long_dec(a)	    ((void)(a)->counter--)
#define atomic_long_add(n, a)	    ((void)((a)->counter += (n)))
#define atomic_long_sub(n, a)	    ((void)((a)->counter -= (n)))
#define atomic_long_dec_and_test(a) (--(a)->counter == 0)

#define cmpxchg(at, old, new)                    \
	({                                       \
		__typeof__(*(at)) found = *(at); \
		if (found == (old))              \
			*(at) = (new);           \
		found;                           \
	})
#define xchg(at, new)                            \
	({                                       \
		__typeof__(*(at)) found = *(at); \
		*(at) = (new);                   \
		found;                           \
	})

#define rcu_assign_pointer(pointer, value)	      ((pointer) = (value))
#define RCU_INIT_POINTER(pointer, value)	      ((pointer) = (value))
#define rcu_dereference(pointer)		      (pointer)
#define rcu_dereference_raw(pointer)		      (pointer)
#define rcu_dereference_check(pointer, condition)     (pointer)
#define rcu_dereference_protected(pointer, condition) (pointer)
#define rcu_access_pointer(pointer)		      (pointer)
#define unrcu_pointer(pointer)			      (pointer)

/* ---- poison of list pointers; only their being no valid address counts ---- */

#define POISON_POINTER_DELTA 0
#define LIST_POISON1	     ((void *)0x100)
#define LIST_POISON2	     ((void *)0x122)

#include <linux/list.h>
#include <linux/rculist.h>

/* ---- numbers of the interface ---- */

enum {
	S_IFMT = 0170000,
	S_IFSOCK = 0140000,
	S_IFLNK = 0120000,
	S_IFREG = 0100000,
	S_IFBLK = 0060000,
	S_IFDIR = 0040000,
	S_IFCHR = 0020000,
	S_IFIFO = 0010000,
};
#define S_ISDIR(mode)  (((mode)&S_IFMT) == S_IFDIR)
#define S_ISREG(mode)  (((mode)&S_IFMT) == S_IFREG)
#define S_ISLNK(mode)  (((mode)&S_IFMT) == S_IFLNK)
#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)

#define O_ACCMODE   00000003
#define O_RDONLY    00000000
#define O_WRONLY    00000001
#define O_RDWR	    00000002
#define O_APPEND    00002000
#define O_NONBLOCK  00004000
#define O_DSYNC	    00010000
#define O_LARGEFILE 00100000
#define O_NOATIME   01000000
#define O_CLOEXEC   02000000
#define __O_SYNC    04000000
#define O_SYNC	    (__O_SYNC | O_DSYNC)
#define O_PATH	    010000000
#define AT_FDCWD    -100

/* Modes of an open file. Those up to NONOTIFY are what they are in Linux. */
#define FMODE_READ	    0x1u
#define FMODE_WRITE	    0x2u
#define FMODE_EXEC	    0x20u
#define FMODE_PATH	    0x4000u
#define FMODE_NONOTIFY_PERM 0x2000000u
#define FMODE_NONOTIFY	    0x4000000u
#define __FMODE_EXEC	    0x20
#define __FMODE_NONOTIFY    0x4000000
/* Two bits, three meanings (since 6.14 and in late stable kernels). */
#define FMODE_FSNOTIFY_MASK (FMODE_NONOTIFY | FMODE_NONOTIFY_PERM)
#define FMODE_FSNOTIFY_NONE(mode) \
	(((mode)&FMODE_PATH) || ((mode)&FMODE_FSNOTIFY_MASK) == FMODE_NONOTIFY)
#define FMODE_FSNOTIFY_PERM(mode) \
	(((mode)&FMODE_FSNOTIFY_MASK) == 0 || ((mode)&FMODE_FSNOTIFY_MASK) == FMODE_FSNOTIFY_MASK)
#define FMODE_FSNOTIFY_HSM(mode) (((mode)&FMODE_FSNOTIFY_MASK) == 0)

#define MAY_EXEC  0x01
#define MAY_WRITE 0x02
#define MAY_READ  0x04
#define MAY_OPEN  0x20

#define ATTR_MODE  (1 << 0)
#define ATTR_UID   (1 << 1)
#define ATTR_GID   (1 << 2)
#define ATTR_SIZE  (1 << 3)
#define ATTR_ATIME (1 << 4)
#define ATTR_MTIME (1 << 5)
#define ATTR_CTIME (1 << 6)

#define LOOKUP_FOLLOW	 0x1
#define LOOKUP_DIRECTORY 0x2

#define FS_DISALLOW_NOTIFY_PERM 16
#define SB_NOUSER		(1u << 31)
#define SB_ACTIVE		(1u << 30)
#define I_NEW			(1u << 3)
#define I_WILL_FREE		(1u << 4)
#define I_FREEING		(1u << 5)

#define DCACHE_FSNOTIFY_PARENT_WATCHED 0x4000u
#define DENTRY_D_LOCK_NESTED	       1

#define EPOLLIN	    1
#define EPOLLRDNORM 0x40
#define POLL_IN	    1
#define SIGIO	    29
#define FIONREAD    0x541b

#define CAP_SYS_ADMIN		21
#define CAP_AUDIT_WRITE		29
#define TAINT_AUX		16
#define LOCKDEP_STILL_OK	1
#define TASK_INTERRUPTIBLE	1
#define TASK_KILLABLE		0x102
#define TASK_FREEZABLE		0x2000
#define PF_MEMALLOC_NOFS	0x40000
#define AUDIT_TYPE_CHILD_CREATE 4
#define PIDTYPE_TGID		1

#define SLAB_PANIC   0x40000u
#define SLAB_ACCOUNT 0x4000000u

/* ---- objects of the file system ---- */

#include "locks.h"

struct fsnotify_mark_connector;
struct fsnotify_sb_info;
struct fsnotify_mnt_ns_info;
struct seq_file;
struct poll_table_struct;
typedef struct poll_table_struct poll_table;
struct mem_cgroup;
struct fasync_struct;
struct user_namespace;

struct qstr {
	union {
		struct {
			u32 hash;
			u32 len;
		};
		u64 hash_len;
	};
	const unsigned char *name;
};

struct file_system_type {
	const char *name;
	int fs_flags;
};

struct fid;
struct inode;
struct dentry;
struct super_block;

struct export_operations {
	int (*encode_fh)(struct inode *inode, __u32 *fh, int *length, struct inode *parent);
	struct dentry *(*fh_to_dentry)(struct super_block *sb, struct fid *fid, int length,
				       int type);
};

struct rw_semaphore {
	int readers;
};

struct super_block {
	struct dentry *s_root;
	struct file_system_type *s_type;
	const struct export_operations *s_export_op;
	unsigned long s_flags;
	unsigned long s_iflags;
	dev_t s_dev;
	struct rw_semaphore s_umount;
	struct user_namespace *s_user_ns;
	spinlock_t s_inode_list_lock;
	struct list_head s_inodes;
	__u32 s_fsnotify_mask;
	struct fsnotify_mark_connector *s_fsnotify_marks; /* up to 6.9 */
	atomic_long_t s_fsnotify_connectors;
	struct fsnotify_sb_info *s_fsnotify_info; /* since 6.10 */
};

struct inode {
	umode_t i_mode;
	unsigned int i_state;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned int i_nlink;
	unsigned int i_generation;
	atomic_t i_count;
	spinlock_t i_lock;
	__u32 i_fsnotify_mask;
	struct fsnotify_mark_connector *i_fsnotify_marks;
	struct hlist_head i_dentry;
	struct list_head i_sb_list;
};

struct dentry {
	unsigned int d_flags;
	spinlock_t d_lock;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
	struct list_head d_subdirs; /* up to 6.7: children, and the place among them */
	struct list_head d_child;
	struct hlist_head d_children; /* the same since 6.8 */
	struct hlist_node d_sib;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
	int mnt_flags;
};

struct mount {
	struct vfsmount mnt;
	int mnt_id;
	struct fsnotify_mark_connector *mnt_fsnotify_marks;
	__u32 mnt_fsnotify_mask;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file;
struct file_operations {
	long long (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char *buffer, size_t size, loff_t *at);
	ssize_t (*write)(struct file *file, const char *buffer, size_t size, loff_t *at);
	__poll_t (*poll)(struct file *file, poll_table *table);
	long (*unlocked_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	long (*compat_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	int (*release)(struct inode *inode, struct file *file);
	int (*fasync)(int fd, struct file *file, int on);
	void (*show_fdinfo)(struct seq_file *out, struct file *file);
};

struct file {
	fmode_t f_mode;
	unsigned int f_flags;
	struct path f_path;
	struct inode *f_inode;
	const struct file_operations *f_op;
	void *private_data;
};

struct file_handle {
	__u32 handle_bytes;
	int handle_type;
	unsigned char f_handle[];
};

struct name_snapshot {
	struct qstr name;
	unsigned char text[8];
};

#define MAX_HANDLE_SZ 128
enum { FILEID_ROOT = 0, FILEID_INO32_GEN = 1, FILEID_INVALID = 0xff };

static inline struct mount *real_mount(struct vfsmount *mnt)
{
	return container_of(mnt, struct mount, mnt);
}

static inline struct inode *d_inode(const struct dentry *dentry)
{
	return dentry->d_inode;
}

static inline struct inode *file_inode(const struct file *file)
{
	return file->f_inode;
}

#define IS_ROOT(dentry)	      ((dentry) == (dentry)->d_parent)
#define d_is_negative(dentry) (!(dentry)->d_inode)
#define d_is_dir(dentry)      S_ISDIR((dentry)->d_inode->i_mode)
#define d_can_lookup(dentry)  S_ISDIR((dentry)->d_inode->i_mode)
#define d_is_reg(dentry)      S_ISREG((dentry)->d_inode->i_mode)
#define d_is_symlink(dentry)  S_ISLNK((dentry)->d_inode->i_mode)
#define d_is_special(dentry)  (!d_is_dir(dentry) && !d_is_reg(dentry) && !d_is_symlink(dentry))

/* References are counted by the world (bridge.h). */
struct dentry *dget(struct dentry *dentry);
struct dentry *dget_parent(struct dentry *dentry);
void dput(struct dentry *dentry);
void d_delete(struct dentry *dentry);
void path_get(const struct path *path);
void path_put(const struct path *path);
void ihold(struct inode *inode);
#define __iget(inode) ihold(inode)
struct inode *igrab(struct inode *inode);
void iput(struct inode *inode);
bool d_unlinked(const struct dentry *dentry);
bool inode_is_open_for_write(const struct inode *inode);
int user_path_at(int directory, const char *name, unsigned int flags, struct path *path);
int vfs_get_fsid(struct dentry *dentry, __kernel_fsid_t *fsid);
int exportfs_encode_inode_fh(struct inode *inode, struct fid *fid, int *length,
			     struct inode *parent);

static inline int exportfs_encode_fid(struct inode *inode, struct fid *fid, int *length)
{
	return exportfs_encode_inode_fh(inode, fid, length, NULL);
}

/* Since 6.5 a filesystem can encode handles that it cannot decode; without operations of its own
 * it does. */
static inline bool exportfs_can_encode_fid(const struct export_operations *operations)
{
	return !operations || operations->encode_fh;
}

static inline bool exportfs_can_decode_fh(const struct export_operations *operations)
{
	return operations && operations->fh_to_dentry;
}

static inline void take_dentry_name_snapshot(struct name_snapshot *name, struct dentry *dentry)
{
	name->name = dentry->d_name;
	memcpy(name->text, dentry->d_name.name, dentry->d_name.len + 1);
	name->name.name = name->text;
}

static inline void release_dentry_name_snapshot(struct name_snapshot *name)
{
	name->name.name = NULL;
}

#define path_permission(path, mask) 0
#define super_trylock_shared(sb)    (++(sb)->s_umount.readers)
#define up_read(semaphore)	    ((void)(semaphore)->readers--)

/* ---- descriptors ---- */

struct fd {
	struct file *file;
};

int get_unused_fd_flags(unsigned int flags);
void put_unused_fd(unsigned int fd);
void fd_install(unsigned int fd, struct file *file);
struct fd fdget(unsigned int fd);
int close_fd(unsigned int fd);
void fput(struct file *file);
struct file *dentry_open(const struct path *path, int flags, const void *cred);
int anon_inode_getfd(const char *name, const struct file_operations *operations, void *data,
		     int flags);
#define fdput(fd)	      ((void)(fd))
#define fd_file(fd)	      ((fd).file)
#define fd_empty(fd)	      (!(fd).file)
#define CLASS(type, name)     INTREE_CLASS_##type(name)
#define INTREE_CLASS_fd(name) struct fd name = INTREE_FDGET
#define INTREE_FDGET(fd)      fdget(fd)
#define current_cred()	      ((void *)0)
#define noop_llseek	      NULL
#define compat_ptr_ioctl      NULL
#define force_o_largefile()   (BITS_PER_LONG == 64)

/* ---- copies to the user, who is in the same memory; a null pointer is a bad address ---- */

static inline unsigned long copy_to_user(void *to, const void *from, unsigned long size)
{
	memcpy(to, from, size);
	return 0;
}

static inline unsigned long copy_from_user(void *to, const void *from, unsigned long size)
{
	if (!from)
		return size;
	memcpy(to, from, size);
	return 0;
}

static inline unsigned long clear_user(void *to, unsigned long size)
{
	memset(to, 0, size);
	return 0;
}

#define put_user(value, at) (*(at) = (__typeof__(*(at)))(value), 0)

/* What fdinfo prints goes into a buffer. */
struct seq_file {
	char *text;
	size_t size, count;
};

void seq_printf(struct seq_file *out, const char *format, ...);
void seq_putc(struct seq_file *out, char c);
static inline bool seq_has_overflowed(const struct seq_file *out)
{
	return out->count == out->size;
}

/* ---- numbers that are given out ---- */

struct idr_entry {
	int id;
	void *pointer;
};

struct idr {
	struct idr_entry *entry; /* by id, ascending */
	int count, capacity, next;
};

void idr_init(struct idr *idr);
int idr_alloc_cyclic(struct idr *idr, void *pointer, int first, int end, gfp_t gfp);
void *idr_find(const struct idr *idr, unsigned long id);
void *idr_remove(struct idr *idr, unsigned long id);
int idr_for_each(const struct idr *idr, int (*visit)(int id, void *pointer, void *data),
		 void *data);
void idr_destroy(struct idr *idr);
#define idr_set_cursor(idr, value) ((void)((idr)->next = (int)(value)))

/* ---- users and tasks: one of each ---- */

enum ucount_type {
	UCOUNT_INOTIFY_INSTANCES,
	UCOUNT_INOTIFY_WATCHES,
	UCOUNT_FANOTIFY_GROUPS,
	UCOUNT_FANOTIFY_MARKS,
	UCOUNT_COUNTS,
};

struct user_namespace {
	long ucount_max[UCOUNT_COUNTS];
};

struct ucounts {
	struct user_namespace *ns;
	kuid_t uid;
	long count[UCOUNT_COUNTS];
};

extern struct user_namespace init_user_ns;
struct ucounts *inc_ucount(struct user_namespace *ns, kuid_t uid, enum ucount_type type);
void dec_ucount(struct ucounts *ucounts, enum ucount_type type);
#define current_user_ns() (&init_user_ns)
#define current_euid()	  ((kuid_t){0})

struct pid {
	int number;
};
struct mm_struct;
struct task_struct {
	unsigned int flags;
	int pid;
	struct pid *thread, *process;
	bool administrator;
	const char *comm;
	struct mm_struct *mm;
};
extern struct task_struct intree_task; /* who does the operation that is running */
#define current			(&intree_task)
#define task_pid(task)		((task)->thread)
#define task_tgid(task)		((task)->process)
#define get_pid(pid)		(pid)
#define put_pid(pid)		((void)(pid))
#define pid_vnr(pid)		((pid) ? (pid)->number : 0)
#define pid_has_task(pid, type) true
int intree_pidfd(struct pid *pid, struct file **file);
#define pidfd_create(pid, flags)	intree_pidfd(pid, NULL)
#define pidfd_prepare(pid, flags, file) intree_pidfd(pid, file)

static inline unsigned int memalloc_nofs_save(void)
{
	unsigned int flags = current->flags & PF_MEMALLOC_NOFS;

	current->flags |= PF_MEMALLOC_NOFS;
	return flags;
}

static inline void memalloc_nofs_restore(unsigned int flags)
{
	current->flags = (current->flags & ~PF_MEMALLOC_NOFS) | flags;
}

/* ---- settings ---- */

struct ctl_table {
	const char *procname;
	void *data;
	int maxlen;
	umode_t mode;
	void *proc_handler;
	void *extra1, *extra2;
};

#define SYSCTL_ZERO	       NULL
#define proc_doulongvec_minmax NULL
#define proc_dointvec_minmax   NULL

struct sysinfo {
	unsigned long totalram, totalhigh;
};

static inline void si_meminfo(struct sysinfo *info)
{
	info->totalram = 1ul << 18;
	info->totalhigh = 0;
}

#endif
