/* SPDX-License-Identifier: MIT */
/*
 * The operations of a program that are not about notification itself: each does what the system
 * call does to the tree and emits what Linux emits, in its order. All return a value that is not
 * negative, or a negative errno; a handle slot that is occupied gives EBUSY before anything
 * happens, which no kernel would say.
 *
 *   core/open_file.c  what works on descriptors
 *   core/names.c      what works on paths
 */
#ifndef CORE_VFS_H
#define CORE_VFS_H

#include "core/world.h"

enum access_mode { ACCESS_RDONLY, ACCESS_WRONLY, ACCESS_RDWR };
enum times { TIMES_BOTH, TIMES_ATIME, TIMES_MTIME };
enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2 };

/* descriptors */
int32_t file_open(struct world *w, uint8_t handle, unsigned path, enum access_mode access,
		  uint32_t flags);
int32_t file_pipe(struct world *w, uint8_t read_end, uint8_t write_end);
int32_t file_read(struct world *w, uint8_t handle);
int32_t file_write(struct world *w, uint8_t handle);
int32_t file_close(struct world *w, uint8_t handle);
int32_t file_dup(struct world *w, uint8_t from, uint8_t to);
int32_t file_truncate(struct world *w, uint8_t handle);
int32_t file_allocate(struct world *w, uint8_t handle);
int32_t file_chmod(struct world *w, uint8_t handle);
int32_t file_readdir(struct world *w, uint8_t handle);
int32_t file_getfl(const struct world *w, uint8_t handle);
int32_t file_setfl(struct world *w, uint8_t handle, uint32_t flags);
int32_t file_splice(struct world *w, uint8_t from, uint8_t to);
int32_t file_mmap(const struct world *w, uint8_t handle);
int32_t file_exec(struct world *w, unsigned path);

/* paths */
int32_t path_truncate(struct world *w, unsigned path);
int32_t path_chmod(struct world *w, unsigned path);
int32_t path_utimes(struct world *w, unsigned path, enum times times);
int32_t path_setxattr(struct world *w, unsigned path);
int32_t path_mknod(struct world *w, unsigned path, enum inode_kind kind);
int32_t path_symlink(struct world *w, unsigned path, unsigned target);
int32_t path_link(struct world *w, unsigned old, unsigned path);
int32_t path_unlink(struct world *w, unsigned path);
int32_t path_rmdir(struct world *w, unsigned path);
int32_t path_rename(struct world *w, unsigned old, unsigned path, uint32_t flags);

/* what the kernel leaves to a scheduler */
int32_t path_evict(struct world *w, unsigned path);
int32_t mount_umount(struct world *w, uint8_t mount);

#endif
