/* SPDX-License-Identifier: MIT */
/*
 * The numbers of the interface: event bits, mark flags, report modes, open flags.
 * Values are those of Linux (fanotify(7), inotify(7), fcntl(2)); the same numbers are
 * used inside the core, in traces and by the executors that talk to a real kernel.
 */
#ifndef CORE_BITS_H
#define CORE_BITS_H

/* Events. One bit may mean two things: 0x8000 is IN_IGNORED towards inotify. */
#define FS_ACCESS	  0x00000001u
#define FS_MODIFY	  0x00000002u
#define FS_ATTRIB	  0x00000004u
#define FS_CLOSE_WRITE	  0x00000008u
#define FS_CLOSE_NOWRITE  0x00000010u
#define FS_OPEN		  0x00000020u
#define FS_MOVED_FROM	  0x00000040u
#define FS_MOVED_TO	  0x00000080u
#define FS_CREATE	  0x00000100u
#define FS_DELETE	  0x00000200u
#define FS_DELETE_SELF	  0x00000400u
#define FS_MOVE_SELF	  0x00000800u
#define FS_OPEN_EXEC	  0x00001000u
#define FS_UNMOUNT	  0x00002000u
#define FS_Q_OVERFLOW	  0x00004000u
#define FS_ERROR	  0x00008000u
#define FS_IN_IGNORED	  0x00008000u
#define FS_OPEN_PERM	  0x00010000u
#define FS_ACCESS_PERM	  0x00020000u
#define FS_OPEN_EXEC_PERM 0x00040000u
#define FS_PRE_ACCESS	  0x00100000u
#define FS_RENAME	  0x10000000u

/* Flags that travel with events. */
#define FS_EVENT_ON_CHILD 0x08000000u
#define FS_ISDIR	  0x40000000u /* FAN_ONDIR, IN_ISDIR */

#define FS_PERM_EVENTS (FS_OPEN_PERM | FS_ACCESS_PERM | FS_OPEN_EXEC_PERM)
/* Events that name a directory entry; they are told to the directory, never to the entry's inode.
 */
#define FS_DIRENT_EVENTS (FS_CREATE | FS_DELETE | FS_MOVED_FROM | FS_MOVED_TO | FS_RENAME)
/* Events that a directory can be told about its children. */
#define FS_CHILD_EVENTS                                                                    \
	(FS_ACCESS | FS_MODIFY | FS_ATTRIB | FS_CLOSE_WRITE | FS_CLOSE_NOWRITE | FS_OPEN | \
	 FS_OPEN_EXEC | FS_PERM_EVENTS)
#define FS_EVENTS                                                                          \
	(FS_CHILD_EVENTS | FS_DIRENT_EVENTS | FS_DELETE_SELF | FS_MOVE_SELF | FS_UNMOUNT | \
	 FS_Q_OVERFLOW | FS_ERROR)
#define FS_FLAGS (FS_EVENT_ON_CHILD | FS_ISDIR)

/* What fanotify_mark() accepts in a mask; since 6.14 FS_PRE_ACCESS, too, which no filesystem of a
 * program has. Mount events are not modelled. */
#define FANOTIFY_EVENTS                                                                    \
	(FS_ACCESS | FS_MODIFY | FS_ATTRIB | FS_CLOSE_WRITE | FS_CLOSE_NOWRITE | FS_OPEN | \
	 FS_OPEN_EXEC | FS_DIRENT_EVENTS | FS_DELETE_SELF | FS_MOVE_SELF | FS_ERROR |      \
	 FS_PERM_EVENTS)
/* Events that need a group which reports file handles. */
#define FANOTIFY_FID_EVENTS \
	(FS_ATTRIB | FS_DIRENT_EVENTS | FS_DELETE_SELF | FS_MOVE_SELF | FS_ERROR)

/* Flags of fanotify_mark(). */
#define FAN_MARK_DONT_FOLLOW	     0x004u
#define FAN_MARK_ONLYDIR	     0x008u
#define FAN_MARK_IGNORED_SURV_MODIFY 0x040u
#define FAN_MARK_EVICTABLE	     0x200u

/* Flags of fanotify_init(). */
#define FAN_UNLIMITED_QUEUE   0x010u
#define FAN_UNLIMITED_MARKS   0x020u
#define FAN_REPORT_PIDFD      0x080u
#define FAN_REPORT_TID	      0x100u
#define FAN_REPORT_FID	      0x200u
#define FAN_REPORT_DIR_FID    0x400u
#define FAN_REPORT_NAME	      0x800u
#define FAN_REPORT_TARGET_FID 0x1000u
#define FAN_REPORT_FIDS \
	(FAN_REPORT_FID | FAN_REPORT_DIR_FID | FAN_REPORT_NAME | FAN_REPORT_TARGET_FID)
/* Those that a program says as words, all of which need CAP_SYS_ADMIN. */
#define FAN_INIT_WORDS \
	(FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS | FAN_REPORT_PIDFD | FAN_REPORT_TID)

/* Flags of inotify_add_watch(). */
#define IN_ALL_EVENTS  0x00000fffu
#define IN_ONLYDIR     0x01000000u
#define IN_DONT_FOLLOW 0x02000000u
#define IN_EXCL_UNLINK 0x04000000u
#define IN_MASK_CREATE 0x10000000u
#define IN_MASK_ADD    0x20000000u
#define IN_ISDIR       0x40000000u
#define IN_ONESHOT     0x80000000u

/* File status flags as F_GETFL shows them (values of most architectures). */
#define FL_WRONLY    0x0001u
#define FL_RDWR	     0x0002u
#define FL_ACCMODE   0x0003u
#define FL_CREAT     0x0040u
#define FL_EXCL	     0x0080u
#define FL_TRUNC     0x0200u
#define FL_APPEND    0x0400u
#define FL_NONBLOCK  0x0800u
#define FL_DIRECTORY 0x10000u
#define FL_NOFOLLOW  0x20000u
#define FL_PATH	     0x200000u
/* The internal "this file raises no events" bit; it belongs in the file's mode and must never
 * show in its flags (e9c15badbb7b, reverted by b6509f6a8c43). */
#define FL_NONOTIFY 0x4000000u

#endif
