/* SPDX-License-Identifier: MIT */
/* Operations on descriptors: open to close. */
#include "core/vfs.h"

#include <errno.h>
#include <stddef.h>

#include "core/hooks.h"
#include "core/observe.h"
#include "core/policy.h"
#include "core/tree.h"

enum { PIPE_CAPACITY = 64, SIZE_MAX_BYTES = 200 };

/* ---- the observation of file flags ---- */

static void set_flags(struct world *w, struct file *f, uint32_t flags)
{
	w->files -= file_hash(f);
	f->flags = flags;
	w->files += file_hash(f);
}

/* ---- open ---- */

static uint8_t file_new(struct world *w, uint8_t handle, const struct file *f)
{
	if (w->file_count >= MAX_FILE)
		return NONE;
	uint8_t index = w->file_count++;
	w->file[index] = *f;
	w->file[index].id = index;
	w->file[index].handles = 1;
	w->handle[handle] = index;
	w->files += file_hash(&w->file[index]);
	dentry_get(w, f->dentry);
	w->mount[f->mount].pins++;
	return index;
}

static void count_ends(struct world *w, const struct file *f, int by)
{
	struct inode *i = dentry_inode(w, f->dentry);
	if (f->mode & FILE_PATH)
		return;
	if (f->mode & FILE_WRITE)
		i->writers = (uint8_t)(i->writers + by);
	if (f->mode & FILE_READ)
		i->readers = (uint8_t)(i->readers + by);
	if (i->kind == NODE_FIFO && !i->readers && !i->writers)
		i->size = 0; /* the buffer goes with the last who uses it */
}

static bool is_pipe(const struct inode *i)
{
	return i->kind == NODE_PIPE || i->kind == NODE_FIFO;
}

static uint8_t mode_of(enum access_mode access)
{
	static const uint8_t modes[] = {FILE_READ, FILE_WRITE, FILE_READ | FILE_WRITE};
	return modes[access];
}

/* What is wrong with opening what the path leads to? */
static int check_open(const struct world *w, const struct place *place, uint8_t mode,
		      uint32_t flags)
{
	const struct inode *i = &w->inode[w->dentry[place->dentry].inode];

	if ((flags & FL_CREAT) && (flags & FL_EXCL))
		return -EEXIST;
	if ((flags & FL_CREAT) && i->kind == NODE_DIR)
		return -EISDIR;
	if ((flags & FL_DIRECTORY) && i->kind != NODE_DIR)
		return -ENOTDIR;
	if (i->kind == NODE_SYMLINK)
		return -ELOOP;
	if (i->kind == NODE_DIR && ((mode & FILE_WRITE) || (flags & FL_TRUNC)))
		return -EISDIR;
	return 0;
}

static int create_file(struct world *w, struct place *place)
{
	if (!tree_has_room(w))
		return -ENOSPC;
	uint8_t inode = inode_new(w, w->mount[place->mount].sb, NODE_FILE);
	place->dentry = dentry_new(w, inode, place->parent, place->name);
	hook_create(w, place->dentry);
	return 0;
}

/* O_PATH: no access, no events of its own but those that old kernels let slip. */
static int32_t open_path(struct world *w, uint8_t handle, unsigned path, uint32_t flags)
{
	struct place place;
	int error = tree_lookup(w, path, !(flags & FL_NOFOLLOW), &place);

	if (error)
		return error;
	if ((flags & FL_NOFOLLOW) && place.descriptor)
		return -ELOOP;
	if ((flags & FL_DIRECTORY) && dentry_inode(w, place.dentry)->kind != NODE_DIR)
		return -ENOTDIR;
	struct file f = {.dentry = place.dentry,
			 .mount = place.mount,
			 .mode = FILE_PATH,
			 .flags = flags & (FL_PATH | FL_DIRECTORY | FL_NOFOLLOW)};
	uint8_t index = file_new(w, handle, &f);
	if (index == NONE)
		return -ENFILE;
	if (level_has(w, OPATH_OPEN))
		hook_file(w, &w->file[index], FS_OPEN);
	return 0;
}

static uint32_t visible_flags(const struct inode *i, enum access_mode access, uint32_t flags)
{
	uint32_t shown = flags & (FL_APPEND | FL_NONBLOCK | FL_DIRECTORY | FL_NOFOLLOW);
	if (is_pipe(i))
		shown |= FL_NONBLOCK; /* nothing here may block */
	return shown | (uint32_t)access;
}

/* Finds what to open, and makes it where O_CREAT says so. */
static int find_or_create(struct world *w, unsigned path, uint8_t mode, uint32_t flags,
			  struct place *place, bool *created)
{
	bool exclusive = (flags & FL_CREAT) && (flags & FL_EXCL);
	bool follow = !(flags & FL_NOFOLLOW) && !exclusive;
	int error = tree_walk(w, path, follow, place);

	*created = false;
	if (error)
		return error;
	if (place->descriptor && place->dentry == NONE)
		return -ENOENT;
	if (place->descriptor && exclusive)
		return -EEXIST;
	if (place->descriptor && (flags & FL_NOFOLLOW))
		return flags & FL_DIRECTORY ? -ENOTDIR : -ELOOP; /* a link, whatever it leads to */
	if (place->dentry != NONE)
		return check_open(w, place, mode, flags);
	if (!(flags & FL_CREAT))
		return -ENOENT;
	*created = true;
	return create_file(w, place);
}

int32_t file_open(struct world *w, uint8_t handle, unsigned path, enum access_mode access,
		  uint32_t flags)
{
	struct place place;
	bool created;
	uint8_t mode = mode_of(access);

	if (w->handle[handle] != NONE)
		return -EBUSY;
	if (w->file_count >= MAX_FILE)
		return -ENFILE;
	if (flags & FL_PATH)
		return open_path(w, handle, path, flags);
	if ((flags & FL_CREAT) && (flags & FL_DIRECTORY))
		return -EINVAL;
	int error = find_or_create(w, path, mode, flags, &place, &created);
	if (error)
		return error;

	struct inode *i = dentry_inode(w, place.dentry);
	struct file f = {.dentry = place.dentry,
			 .mount = place.mount,
			 .mode = mode,
			 .flags = visible_flags(i, access, flags)};
	/* A file that is opened is in use already while permission is asked. */
	dentry_get(w, place.dentry);
	f.mode |= hook_file_mode(w, &f);
	error = hook_file(w, &f, FS_OPEN_PERM);
	if (!error && i->kind == NODE_FIFO && access == ACCESS_WRONLY && !i->readers)
		error = -ENXIO;
	if (!error) {
		bool truncate = (flags & FL_TRUNC) && i->kind == NODE_FILE && !created;
		uint8_t index = file_new(w, handle, &f);
		count_ends(w, &w->file[index], 1);
		if (truncate)
			i->size = 0;
		if (truncate && !level_has(w, OPEN_THEN_TRUNC))
			hook_change(w, f.dentry, FS_MODIFY);
		hook_file(w, &w->file[index], FS_OPEN);
		if (truncate && level_has(w, OPEN_THEN_TRUNC))
			hook_change(w, f.dentry, FS_MODIFY);
	}
	dentry_put(w, place.dentry);
	return error;
}

int32_t file_pipe(struct world *w, uint8_t read_end, uint8_t write_end)
{
	const uint8_t sb = MAX_SB - 1, mount = MAX_MOUNT - 1;

	if (read_end == write_end || w->handle[read_end] != NONE || w->handle[write_end] != NONE)
		return -EBUSY;
	if (!tree_has_room(w) || w->file_count + 2 > MAX_FILE)
		return -ENFILE;
	uint8_t inode = inode_new(w, sb, NODE_PIPE);
	uint8_t dentry = dentry_new(w, inode, NONE, NO_NAME);
	struct file f = {
		.dentry = dentry, .mount = mount, .flags = FL_NONBLOCK | policy_pipe_flags(w)};
	uint8_t opt_out = policy_pipe_mode(w) | hook_file_mode(w, &f);
	f.mode = FILE_READ | opt_out;
	count_ends(w, &f, 1);
	file_new(w, read_end, &f);
	f.mode = FILE_WRITE | opt_out;
	f.flags |= FL_WRONLY;
	count_ends(w, &f, 1);
	file_new(w, write_end, &f);
	return 0;
}

/* ---- the life of a descriptor ---- */

/* The file of a handle; null for a free slot, and for O_PATH where that is not enough. */
static struct file *file_at(struct world *w, uint8_t handle)
{
	uint8_t index = w->handle[handle];
	if (index == NONE || (w->file[index].mode & FILE_PATH))
		return NULL;
	return &w->file[index];
}

static void release(struct world *w, struct file *f)
{
	uint8_t dentry = f->dentry, mount = f->mount;

	if (!(f->mode & FILE_PATH) || level_has(w, OPATH_CLOSE))
		hook_file(w, f, f->mode & FILE_WRITE ? FS_CLOSE_WRITE : FS_CLOSE_NOWRITE);
	count_ends(w, f, -1);
	w->files -= file_hash(f);
	w->mount[mount].pins--;
	dentry_put(w, dentry);
}

int32_t file_close(struct world *w, uint8_t handle)
{
	uint8_t index = w->handle[handle];
	if (index == NONE)
		return -EBADF;
	w->handle[handle] = NONE;
	if (--w->file[index].handles == 0)
		release(w, &w->file[index]);
	return 0;
}

int32_t file_dup(struct world *w, uint8_t from, uint8_t to)
{
	if (w->handle[from] == NONE)
		return -EBADF;
	if (from == to)
		return 0;
	w->file[w->handle[from]].handles++;
	uint8_t index = w->handle[from];
	if (w->handle[to] != NONE)
		file_close(w, to);
	w->handle[to] = index;
	return 0;
}

/* ---- data ---- */

int32_t file_read(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f || !(f->mode & FILE_READ))
		return -EBADF;
	struct inode *i = dentry_inode(w, f->dentry);
	int error = hook_file(w, f, FS_ACCESS_PERM);
	if (error)
		return error;
	if (i->kind == NODE_DIR)
		return -EISDIR;
	if (is_pipe(i)) {
		if (!i->size)
			return i->writers ? -EAGAIN : 0;
		i->size--;
	} else {
		if (f->offset >= i->size)
			return 0;
		f->offset++;
	}
	hook_file(w, f, FS_ACCESS);
	return 1;
}

int32_t file_write(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f || !(f->mode & FILE_WRITE))
		return -EBADF;
	struct inode *i = dentry_inode(w, f->dentry);
	if (is_pipe(i)) {
		if (!i->readers)
			return -EPIPE;
		if (i->size >= PIPE_CAPACITY)
			return -EAGAIN;
		i->size++;
	} else {
		if (f->flags & FL_APPEND)
			f->offset = i->size;
		if (f->offset >= SIZE_MAX_BYTES)
			return -EFBIG;
		f->offset++;
		if (i->size < f->offset)
			i->size = f->offset;
	}
	hook_file(w, f, FS_MODIFY);
	return 1;
}

int32_t file_truncate(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f)
		return -EBADF;
	struct inode *i = dentry_inode(w, f->dentry);
	if (i->kind != NODE_FILE || !(f->mode & FILE_WRITE))
		return -EINVAL;
	i->size = 0;
	hook_change(w, f->dentry, FS_MODIFY);
	return 0;
}

int32_t file_allocate(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f || !(f->mode & FILE_WRITE))
		return -EBADF;
	struct inode *i = dentry_inode(w, f->dentry);
	if (is_pipe(i))
		return -ESPIPE;
	if (!i->size)
		i->size = 1;
	return hook_file(w, f, FS_MODIFY);
}

int32_t file_chmod(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f)
		return -EBADF;
	hook_change(w, f->dentry, FS_ATTRIB);
	return 0;
}

int32_t file_readdir(struct world *w, uint8_t handle)
{
	struct file *f = file_at(w, handle);
	if (!f)
		return -EBADF;
	struct inode *i = dentry_inode(w, f->dentry);
	if (i->kind != NODE_DIR)
		return -ENOTDIR;
	int error = hook_file(w, f, FS_ACCESS_PERM);
	if (error)
		return error;
	if (!i->nlink)
		return -ENOENT;
	return hook_file(w, f, FS_ACCESS);
}

int32_t file_getfl(const struct world *w, uint8_t handle)
{
	uint8_t index = w->handle[handle];
	return index == NONE ? -EBADF : (int32_t)w->file[index].flags;
}

int32_t file_setfl(struct world *w, uint8_t handle, uint32_t flags)
{
	const uint32_t can = FL_APPEND | FL_NONBLOCK;
	struct file *f = file_at(w, handle);
	if (!f)
		return -EBADF;
	if (is_pipe(dentry_inode(w, f->dentry)))
		flags |= FL_NONBLOCK;
	set_flags(w, f, (f->flags & ~can) | (flags & can));
	return 0;
}

int32_t file_mmap(const struct world *w, uint8_t handle)
{
	uint8_t index = w->handle[handle];
	if (index == NONE || (w->file[index].mode & FILE_PATH))
		return -EBADF;
	const struct file *f = &w->file[index];
	if (!(f->mode & FILE_READ))
		return -EACCES;
	return w->inode[w->dentry[f->dentry].inode].kind == NODE_FILE ? 0 : -ENODEV;
}

/* ---- splice ---- */

static int32_t splice_to_pipe(struct world *w, struct file *in, struct file *out)
{
	struct inode *from = dentry_inode(w, in->dentry), *to = dentry_inode(w, out->dentry);
	bool ask_first = level_has(w, SPLICE_ASKS_FIRST);
	int error = ask_first ? hook_file(w, in, FS_ACCESS_PERM) : 0;

	if (!error && !to->readers)
		error = -EPIPE;
	if (!error && to->size >= PIPE_CAPACITY)
		error = -EAGAIN;
	if (!error && !ask_first)
		error = hook_file(w, in, FS_ACCESS_PERM);
	if (!error && from->kind != NODE_FILE)
		error = -EINVAL;
	if (error || in->offset >= from->size)
		return error;
	in->offset++;
	to->size++;
	if (level_has(w, SPLICE_EVENTS)) {
		hook_file(w, out, FS_MODIFY);
		hook_file(w, in, FS_ACCESS);
	}
	return 1;
}

static int32_t splice_from_pipe(struct world *w, struct file *in, struct file *out)
{
	struct inode *from = dentry_inode(w, in->dentry), *to = dentry_inode(w, out->dentry);

	if (out->flags & FL_APPEND)
		return -EINVAL;
	if (out->offset >= SIZE_MAX_BYTES)
		return -EFBIG;
	if (!from->size)
		return from->writers ? -EAGAIN : 0;
	from->size--;
	out->offset++;
	if (to->size < out->offset)
		to->size = out->offset;
	hook_file(w, out, FS_MODIFY);
	if (level_has(w, SPLICE_EVENTS))
		hook_file(w, in, FS_ACCESS);
	return 1;
}

static int32_t splice_pipes(struct world *w, struct file *in, struct file *out)
{
	struct inode *from = dentry_inode(w, in->dentry), *to = dentry_inode(w, out->dentry);

	if (from == to)
		return -EINVAL;
	if (!from->size && from->writers)
		return -EAGAIN;
	if (!to->readers)
		return -EPIPE;
	if (!from->size)
		return 0;
	if (to->size >= PIPE_CAPACITY)
		return -EAGAIN;
	from->size--;
	to->size++;
	if (level_has(w, SPLICE_EVENTS)) {
		hook_file(w, out, FS_MODIFY);
		hook_file(w, in, FS_ACCESS);
	}
	return 1;
}

int32_t file_splice(struct world *w, uint8_t from, uint8_t to)
{
	struct file *in = file_at(w, from), *out = file_at(w, to);

	if (!in || !out || !(in->mode & FILE_READ) || !(out->mode & FILE_WRITE))
		return -EBADF;
	const struct inode *source = dentry_inode(w, in->dentry);
	bool to_pipe = is_pipe(dentry_inode(w, out->dentry));
	if (is_pipe(source))
		return to_pipe ? splice_pipes(w, in, out) : splice_from_pipe(w, in, out);
	return to_pipe ? splice_to_pipe(w, in, out) : -EINVAL;
}

/* ---- exec ---- */

/* The header of a one-byte file is read, then it turns out to be no program. */
static int32_t run_program(struct world *w, const struct file *f)
{
	struct inode *i = dentry_inode(w, f->dentry);
	/* Writers are no obstacle where somebody is asked about every read (6.17). */
	bool asked = level_has(w, PERM_THIS_FILE) && (f->mode & FILE_ASK_READ);
	bool busy = i->writers && !asked && !level_has(w, EXEC_OF_WRITTEN);

	if (!busy || level_has(w, OPEN_THEN_TRUNC))
		hook_file(w, f, FS_OPEN | FS_OPEN_EXEC);
	if (busy)
		return -ETXTBSY;
	int error = hook_file(w, f, FS_ACCESS_PERM);
	if (error)
		return error;
	if (i->size)
		hook_file(w, f, FS_ACCESS);
	return -ENOEXEC;
}

int32_t file_exec(struct world *w, unsigned path)
{
	struct place place;
	int error = tree_lookup(w, path, true, &place);

	if (error)
		return error;
	if (dentry_inode(w, place.dentry)->kind != NODE_FILE)
		return -EACCES;
	struct file f = {.dentry = place.dentry, .mount = place.mount, .mode = FILE_READ};
	f.mode |= hook_file_mode(w, &f);
	dentry_get(w, place.dentry);
	error = hook_file(w, &f, FS_OPEN_EXEC_PERM);
	if (!error)
		error = hook_file(w, &f, FS_OPEN_PERM);
	if (!error) {
		error = run_program(w, &f);
		hook_file(w, &f, FS_CLOSE_NOWRITE);
	}
	dentry_put(w, place.dentry);
	return error;
}
