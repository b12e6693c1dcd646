/* SPDX-License-Identifier: MIT */
/*
 * Which inode is which, and what it is called. Inodes are numbered in the order in which they
 * were made, as the model numbers them; a table of names follows what the kernel says exists.
 * Only calls that raise no events are used: statx(), readlink(), name_to_handle_at().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/live/internal.h"

#ifndef AT_HANDLE_FID
#define AT_HANDLE_FID 0x200
#endif

enum { SYMLINKS = 40 };

static const char mount_letters[] = "ABC";

char *live_path(const struct live *l, unsigned code, char *out, size_t size)
{
	if (code >= PATH_FDS)
		snprintf(out, size, "/proc/self/fd/%d", live_descriptor(code - PATH_FDS));
	else
		snprintf(out, size, "%s/%c/%s", l->root, mount_letters[code / PATH_COUNT],
			 text_paths[code % PATH_COUNT]);
	return out;
}

/* ---- inodes ---- */

int live_inode_numbered(const struct live *l, uint64_t device, uint64_t number)
{
	for (unsigned i = 0; i < l->inodes; i++)
		if (l->inode[i].device == device && l->inode[i].number == number)
			return (int)i;
	return NOWHERE;
}

int live_inode_by_handle(const struct live *l, int type, const void *bytes, unsigned size)
{
	for (unsigned i = 0; i < l->inodes; i++) {
		const struct live_inode *n = &l->inode[i];
		if (n->handle_size && n->handle_size == size && n->handle_type == type &&
		    memcmp(n->handle, bytes, size) == 0)
			return (int)i;
	}
	return NOWHERE;
}

static void keep_handle(struct live_inode *n, int fd, const char *path, int flags)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + LIVE_HANDLE];
	} h = {.handle.handle_bytes = LIVE_HANDLE};
	int mount = 0;

	if (name_to_handle_at(fd, path, &h.handle, &mount, flags) != 0 &&
	    name_to_handle_at(fd, path, &h.handle, &mount, flags | AT_HANDLE_FID) != 0)
		return;
	n->handle_type = h.handle.handle_type;
	n->handle_size = h.handle.handle_bytes;
	memcpy(n->handle, h.handle.f_handle, n->handle_size);
}

static uint64_t device_of(const struct statx *s)
{
	return makedev(s->stx_dev_major, s->stx_dev_minor);
}

/* The inode that statx() described; entered into the table when it is new. */
static int enter_inode(struct live *l, const struct statx *s, int fd, const char *path, int flags)
{
	int known = live_inode_numbered(l, device_of(s), s->stx_ino);

	if (known != NOWHERE || l->inodes == LIVE_INODES)
		return known;
	struct live_inode *n = &l->inode[l->inodes];
	*n = (struct live_inode){.device = device_of(s), .number = s->stx_ino};
	keep_handle(n, fd, path, flags);
	return (int)l->inodes++;
}

int live_inode_of(struct live *l, int fd)
{
	struct statx s = {0};

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &s) != 0)
		return NOWHERE;
	return enter_inode(l, &s, fd, "", AT_EMPTY_PATH);
}

int live_inode_at(struct live *l, const char *path)
{
	struct statx s = {0};

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_INO, &s) != 0)
		return NOWHERE;
	return enter_inode(l, &s, AT_FDCWD, path, 0);
}

/* ---- names ---- */

void live_new_entry(struct live *l, int inode, int parent, const char *name)
{
	if (l->entries == LIVE_ENTRIES)
		return;
	struct live_entry *e = &l->entry[l->entries++];
	*e = (struct live_entry){.inode = inode, .parent = parent, .hashed = true};
	snprintf(e->name, sizeof(e->name), "%s", name);
}

static int find_name(const struct live *l, int parent, const char *name)
{
	for (unsigned i = 0; i < l->entries; i++)
		if (l->entry[i].hashed && l->entry[i].parent == parent &&
		    strcmp(l->entry[i].name, name) == 0)
			return (int)i;
	return NOWHERE;
}

/* Splits at the last slash and asks where the directory is. */
static bool locate_parent(struct live *l, struct live_place *place)
{
	const char *slash = strrchr(place->path, '/');
	char directory[LIVE_PATH];
	struct statx s = {0};

	if (!slash || strcmp(slash, "/.") == 0 || strlen(slash + 1) >= LIVE_NAME ||
	    strncmp(place->path, "/proc/", 6) == 0)
		return false;
	snprintf(place->name, sizeof(place->name), "%s", slash + 1);
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - place->path), place->path);
	if (statx(AT_FDCWD, directory, 0, STATX_TYPE | STATX_INO, &s) != 0)
		return false;
	place->parent = live_inode_numbered(l, device_of(&s), s.stx_ino);
	return place->parent != NOWHERE;
}

bool live_locate(struct live *l, const char *path, bool follow, struct live_place *place)
{
	char target[LIVE_PATH];

	snprintf(place->path, sizeof(place->path), "%s", path);
	for (unsigned i = 0; follow && i < SYMLINKS; i++) {
		ssize_t n = strncmp(place->path, "/proc/", 6) == 0
				    ? -1
				    : readlink(place->path, target, sizeof(target) - 1);
		if (n < 0)
			break;
		target[n] = '\0';
		memcpy(place->path, target, sizeof(target));
	}
	return locate_parent(l, place);
}

void live_sync(struct live *l, const struct live_place *place)
{
	int old = find_name(l, place->parent, place->name);
	int inode = live_inode_at(l, place->path);

	if (old != NOWHERE && l->entry[old].inode == inode)
		return;
	if (old != NOWHERE)
		l->entry[old].hashed = false;
	if (inode != NOWHERE)
		live_new_entry(l, inode, place->parent, place->name);
}

static void move_entry(struct live_entry *e, const struct live_place *to)
{
	e->parent = to->parent;
	memcpy(e->name, to->name, sizeof(e->name));
}

/* After a rename that succeeded. Two links of one inode stay as they are. */
void live_sync_rename(struct live *l, const struct live_place *from, const struct live_place *to,
		      bool exchange)
{
	int old = find_name(l, from->parent, from->name);
	int new = find_name(l, to->parent, to->name);

	if (old == NOWHERE || (new != NOWHERE && l->entry[new].inode == l->entry[old].inode))
		return;
	if (new != NOWHERE && exchange)
		move_entry(&l->entry[new], from);
	else if (new != NOWHERE)
		l->entry[new].hashed = false;
	move_entry(&l->entry[old], to);
}

/* ---- printing ---- */

static const char *const mount_prefix[MAX_MOUNT] = {"", "B:", "C:", "pipe:"};

/* The entry of a directory: it has one. */
static int entry_of_directory(const struct live *l, int inode)
{
	for (unsigned i = l->entries; i-- > 0;)
		if (l->entry[i].inode == inode)
			return (int)i;
	return NOWHERE;
}

static void put_way(struct text_buffer *b, const struct live *l, int entry)
{
	const struct live_entry *way[LIVE_ENTRIES];
	unsigned depth = 0;

	for (; entry != NOWHERE && l->entry[entry].parent != NOWHERE && depth < LIVE_ENTRIES;
	     entry = entry_of_directory(l, l->entry[entry].parent))
		way[depth++] = &l->entry[entry];
	if (!depth)
		text_add(b, ".");
	while (depth--)
		text_add(b, "%s%s", way[depth]->name, depth ? "/" : "");
}

static void put_name(struct text_buffer *b, const struct live *l, int entry)
{
	const struct live_inode *n = &l->inode[l->entry[entry].inode];
	text_add(b, "%s", n->device == l->device[1] ? "C:" : "");
	put_way(b, l, entry);
}

static bool is_called(const struct live *l, int entry, const char *name)
{
	char text[LIVE_PATH];
	struct text_buffer b = {text, sizeof(text), 0};

	text[0] = '\0';
	put_name(&b, l, entry);
	return strcmp(text, name) == 0;
}

void live_put_inode(struct text_buffer *b, const struct live *l, int inode)
{
	char wanted[LIVE_PATH] = "";
	int newest = NOWHERE;

	if (inode == NOWHERE) {
		text_add(b, "?");
		return;
	}
	if (l->inode[inode].pipe) {
		text_add(b, "pipe#%d", inode);
		return;
	}
	if (l->choose)
		l->choose(l->context, (unsigned)inode, wanted, sizeof(wanted));
	for (unsigned i = 0; i < l->entries; i++) {
		if (l->entry[i].inode != inode || !l->entry[i].hashed)
			continue;
		newest = (int)i;
		if (is_called(l, newest, wanted))
			break;
	}
	if (newest == NOWHERE)
		text_add(b, "#%d", inode);
	else
		put_name(b, l, newest);
}

void live_put_entry(struct text_buffer *b, const struct live *l, int entry, int mount)
{
	text_add(b, "%s", mount == NOWHERE ? "?:" : mount_prefix[mount]);
	if (entry == NOWHERE) {
		text_add(b, "?");
		return;
	}
	put_way(b, l, entry);
	if (!l->entry[entry].hashed)
		text_add(b, " (deleted)");
}

/* The text of /proc/self/fd/N below the private root, cut into mount and rest. */
static bool descriptor_path(const struct live *l, int fd, int *mount, char *rest, size_t size)
{
	char link[32], path[LIVE_PATH];
	size_t root = strlen(l->root);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	*mount = NOWHERE;
	if (strncmp(path, l->root, root) != 0 || path[root] != '/')
		return false;
	const char *letter = strchr(mount_letters, path[root + 1]);
	if (!letter || !*letter)
		return false;
	*mount = (int)(letter - mount_letters);
	snprintf(rest, size, "%s", path[root + 2] == '/' ? path + root + 3 : ".");
	return true;
}

void live_put_descriptor(struct text_buffer *b, struct live *l, int fd)
{
	char rest[LIVE_PATH];
	int mount;

	if (descriptor_path(l, fd, &mount, rest, sizeof(rest)))
		text_add(b, "%s%s", mount_prefix[mount], rest);
	else
		live_put_inode(b, l, live_inode_of(l, fd));
}

void live_find_entry(struct live *l, int fd, int *entry, int *mount)
{
	char rest[LIVE_PATH];
	int inode = live_inode_of(l, fd);

	*entry = NOWHERE;
	if (!descriptor_path(l, fd, mount, rest, sizeof(rest)) || inode == NOWHERE)
		return;
	for (unsigned i = 0; i < l->entries; i++) {
		char text[LIVE_PATH];
		struct text_buffer b = {text, sizeof(text), 0};

		if (l->entry[i].inode != inode)
			continue;
		text[0] = '\0';
		live_put_entry(&b, l, (int)i, 0);
		if (strcmp(text, rest) == 0)
			*entry = (int)i;
	}
}
