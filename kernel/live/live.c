/* SPDX-License-Identifier: MIT */
/* The live executor's namespace, its mounts and the tree of each program (kernel/live/live.h). */
#include "kernel/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <linux/capability.h>

#include "kernel/live/internal.h"

/* A user id of its own for every process: limits of groups and marks count by user, and hundreds
 * of processes together would meet root's. No account has numbers as high as these. */
enum { FIRST_USER = 1600000000 };

const char *live_unavailable(void)
{
	int fd = (int)syscall(SYS_fanotify_init, 0, O_RDONLY);
	struct statx root;

	if (fd >= 0) {
		close(fd);
		/* Mounts can be made private only from their root on. */
		if (statx(AT_FDCWD, "/", 0, 0, &root) == 0 &&
		    (root.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
		    !(root.stx_attributes & STATX_ATTR_MOUNT_ROOT))
			return "a chroot whose / is no mount point: mount --bind it on itself "
			       "first";
		return NULL;
	}
	if (errno == EPERM)
		return "not root: fanotify and mounts need CAP_SYS_ADMIN";
	return errno == ENOSYS ? "this kernel has no fanotify" : "fanotify_init() fails here";
}

static bool fail(char *error, size_t size, const char *what)
{
	snprintf(error, size, "%s: %s", what, strerror(errno));
	return false;
}

/* ---- the process ---- */

/* Another user with all capabilities of this one. */
static bool become_nobody_else(char *error, size_t size)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}};
	uid_t user = (uid_t)(FIRST_USER + getpid());

	if (syscall(SYS_capget, &header, caps) != 0)
		return fail(error, size, "capget");
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (setresuid(user, user, user) != 0)
		return fail(error, size, "setresuid");
	for (unsigned i = 0; i < 2; i++)
		caps[i].effective = caps[i].permitted;
	if (syscall(SYS_capset, &header, caps) != 0)
		return fail(error, size, "capset");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* /proc/self stays ours */
	/* Not earlier: a new user id takes it back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return true;
}

static bool make_root(struct live *l, char *error, size_t size)
{
	static const char *const places[] = {"/tmp", "/mnt", "/var", "/run"};

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(l->root, sizeof(l->root), "%s", places[i]);
		if (mount("fsndiff", l->root, "tmpfs", 0, "mode=755") == 0)
			return true;
		if (errno != ENOENT && errno != ENOTDIR)
			break;
	}
	return fail(error, size, "mounting a private tmpfs");
}

struct live *live_open(char *error, size_t size)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l) {
		fail(error, size, "no memory");
		return NULL;
	}
	memset(l->handle, 0xff, sizeof(l->handle));
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		l->group[i].fd = -1;
	signal(SIGPIPE, SIG_IGN);
	umask(0);
	bool ready = true;
	if (unshare(CLONE_NEWNS) != 0)
		ready = fail(error, size, "a mount namespace of its own");
	if (ready && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		ready = fail(error, size, "making its mounts private");
	if (ready && make_root(l, error, size) && chdir("/") == 0 &&
	    become_nobody_else(error, size))
		return l;
	free(l);
	return NULL;
}

void live_close(struct live *l)
{
	live_end(l);
	live_stop_tasks(l);
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		free(l->group[i].take);
	umount2(l->root, MNT_DETACH);
	free(l);
}

void live_alone(struct live *l)
{
	l->alone = true;
}

void live_prefer(struct live *l, live_choose choose, void *context)
{
	l->choose = choose;
	l->context = context;
}

/* ---- the mounts ---- */

static const char letters[] = "ABC";

static bool mount_one(struct live *l, unsigned which, const char *source, char *error, size_t size)
{
	char path[LIVE_PATH];
	struct statx s = {0};

	snprintf(path, sizeof(path), "%s/%c", l->root, letters[which]);
	mkdir(path, 0755);
	if (mount(source ? source : "fsndiff", path, "tmpfs", source ? MS_BIND : 0,
		  source ? NULL : "mode=755") != 0)
		return fail(error, size, path);
	l->mounted[which] = true;
	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &s) != 0)
		return fail(error, size, "statx");
	l->mount_id[which] = s.stx_mnt_id;
	l->device[which == 2] = makedev(s.stx_dev_major, s.stx_dev_minor);
	return true;
}

static void unmount_all(struct live *l)
{
	char path[LIVE_PATH];

	for (unsigned i = 0; i < LIVE_MOUNTS; i++) {
		snprintf(path, sizeof(path), "%s/%c", l->root, letters[i]);
		if (l->mounted[i])
			umount2(path, MNT_DETACH);
		l->mounted[i] = false;
	}
}

static bool mount_all(struct live *l, char *error, size_t size)
{
	char a[LIVE_PATH];

	snprintf(a, sizeof(a), "%s/A", l->root);
	return mount_one(l, 0, NULL, error, size) && mount_one(l, 1, a, error, size) &&
	       mount_one(l, 2, NULL, error, size);
}

/* ---- the tree of a program ---- */

/* The tree of world_reset(), in its order: parent, name; a directory ends with a slash, every file
 * holds one byte. */
static const struct {
	int parent;
	const char *path;
} initial_tree[] = {
	{NOWHERE, "A/."}, {0, "A/d0/"},	  {0, "A/d1/"},	   {0, "A/f0"},	      {0, "A/f1"},
	{1, "A/d0/f0"},	  {1, "A/d0/f1"}, {1, "A/d0/d2/"}, {7, "A/d0/d2/f0"}, {2, "A/d1/f0"},
	{NOWHERE, "C/."}, {10, "C/d0/"},  {10, "C/f0"},	   {11, "C/d0/f0"},
};

enum { INITIAL_TREE = sizeof(initial_tree) / sizeof(initial_tree[0]) };

static bool make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	bool made = fd >= 0 && write(fd, "x", 1) == 1;

	if (fd >= 0)
		close(fd);
	return made;
}

static bool make_node(struct live *l, int parent, const char *name)
{
	char path[LIVE_PATH];

	snprintf(path, sizeof(path), "%s/%s", l->root, name);
	size_t length = strlen(path);
	if (path[length - 1] == '/') {
		path[length - 1] = '\0';
		if (mkdir(path, 0755) != 0)
			return false;
	} else if (path[length - 1] != '.' && !make_file(path)) {
		return false;
	}
	int inode = live_inode_at(l, path);
	if (inode != NOWHERE)
		live_new_entry(l, inode, parent, parent == NOWHERE ? "" : strrchr(path, '/') + 1);
	return inode != NOWHERE;
}

bool live_start(struct live *l, char *error, size_t size)
{
	live_end(l);
	l->started = true;
	l->pid = getpid();
	l->who = CALLER_ADMIN;
	if (!l->mounted[0] && !mount_all(l, error, size))
		return false;
	for (unsigned i = 0; i < INITIAL_TREE; i++)
		if (!make_node(l, initial_tree[i].parent, initial_tree[i].path))
			return fail(error, size, initial_tree[i].path);
	return true;
}

/* Empties a directory. False when something stays. */
static bool empty_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool empty = dir;

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (e->d_type != DT_DIR)
			empty &= unlinkat(fd, e->d_name, 0) == 0;
		else
			empty &= empty_directory(fd, e->d_name) &&
				 unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0;
	}
	if (dir)
		closedir(dir);
	return empty;
}

/* An empty file system is as good as a new one, and comes at half the price. */
static bool clean(const struct live *l)
{
	char path[LIVE_PATH];
	bool empty = l->mounted[0] && l->mounted[1] && l->mounted[2];

	for (unsigned i = 0; i < LIVE_MOUNTS && empty; i += 2) {
		snprintf(path, sizeof(path), "%s/%c", l->root, letters[i]);
		empty = empty_directory(AT_FDCWD, path);
	}
	return empty;
}

static void close_all(struct live *l)
{
	for (unsigned i = 0; i < GROUP_SLOTS; i++) {
		struct live_group *g = &l->group[i];
		live_drop_taken(g);
		if (g->fd >= 0)
			close(g->fd);
		*g = (struct live_group){.fd = -1, .take = g->take};
	}
	for (unsigned i = 0; i < HANDLE_SLOTS; i++) {
		if (l->handle[i] >= 0)
			close(l->handle[i]);
		l->handle[i] = -1;
	}
}

void live_end(struct live *l)
{
	if (!l->started)
		return;
	close_all(l);
	if (!clean(l))
		unmount_all(l);
	l->inodes = l->entries = 0;
	l->started = false;
}
