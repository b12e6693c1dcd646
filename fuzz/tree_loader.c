/* SPDX-License-Identifier: MIT */
/* Loading executors that are made from kernel trees (fuzz/tree_loader.h). */
#define _GNU_SOURCE
#include "fuzz/tree_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PREPARED = 16, COMPLAINT = 2048, PREPARE_USAGE = 2 };

/* What kernel/intree/prepare compiles with: as this program was compiled. */
#ifndef FSNDIFF_TREE_CC
#define FSNDIFF_TREE_CC "cc"
#endif
#ifndef FSNDIFF_TREE_FLAGS
#define FSNDIFF_TREE_FLAGS "-O2 -g"
#endif
#ifndef FSNDIFF_TREE_GUIDED
#define FSNDIFF_TREE_GUIDED ""
#endif
#ifndef FSNDIFF_SOURCE_DIR
#define FSNDIFF_SOURCE_DIR "."
#endif

static struct {
	char name[EXECUTOR_NAME];
	char folder[PATH_MAX];
} prepared[PREPARED];
static unsigned prepared_count;

/* ---- preparing ---- */

const char *tree_loader_source(void)
{
	const char *source = getenv("FSNDIFF_SOURCE");

	return source ? source : FSNDIFF_SOURCE_DIR;
}

static _Noreturn void run_prepare(const char *name, int out, int complaints)
{
	char script[PATH_MAX];

	snprintf(script, sizeof(script), "%s/kernel/intree/prepare", tree_loader_source());
	setenv("CC", FSNDIFF_TREE_CC, 1);
	setenv("TREE_FLAGS", FSNDIFF_TREE_FLAGS, 1);
	setenv("TREE_GUIDED", FSNDIFF_TREE_GUIDED, 1);
	dup2(out, STDOUT_FILENO);
	if (complaints >= 0)
		dup2(complaints, STDERR_FILENO);
	execl(script, "prepare", name, (char *)NULL);
	dprintf(STDERR_FILENO, "%s: %s\n", script, strerror(errno));
	_exit(127);
}

/* Reads what is written there until nobody can write any more; cuts what does not fit. */
static void read_all(int fd, char *text, size_t size, FILE *progress)
{
	size_t used = 0;
	char part[256];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR)) {
		size_t length = n > 0 ? (size_t)n : 0;
		size_t room = size - 1 - used;
		if (progress)
			fwrite(part, 1, length, progress);
		memcpy(text + used, part, length < room ? length : room);
		used += length < room ? length : room;
	}
	text[used] = '\0';
	close(fd);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool remember(const char *name, const char *folder)
{
	if (prepared_count == PREPARED || strlen(name) >= EXECUTOR_NAME)
		return false;
	strcpy(prepared[prepared_count].name, name);
	snprintf(prepared[prepared_count].folder, PATH_MAX, "%s", folder);
	prepared_count++;
	return true;
}

bool tree_prepare(const char *name, FILE *progress, char *folder, size_t room, bool *usage,
		  char *error, size_t size)
{
	char complaints[COMPLAINT] = "";
	int out[2], said[2], code = -1;
	pid_t pid;

	*usage = false;
	for (unsigned i = 0; i < prepared_count; i++) {
		if (strcmp(prepared[i].name, name) != 0)
			continue;
		snprintf(folder, room, "%s", prepared[i].folder);
		return true;
	}
	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		snprintf(error, size, "tree \"%s\": %s", name, strerror(errno));
		return false;
	}
	if (pid == 0)
		run_prepare(name, out[1], said[1]);
	close(out[1]);
	close(said[1]);
	read_all(said[0], complaints, sizeof(complaints), progress);
	read_all(out[0], folder, room, NULL);
	code = wait_for(pid);
	folder[strcspn(folder, "\n")] = '\0';
	if (code == 0 && folder[0]) {
		remember(name, folder);
		return true;
	}
	*usage = code == PREPARE_USAGE;
	snprintf(error, size, "tree \"%s\" cannot be prepared%s%s", name, progress ? "" : ":\n",
		 progress ? "" : complaints);
	return false;
}

/* ---- loading ---- */

/* A copy that no other one has been loaded from, for the loader takes the same file only once. */
static int private_copy(const char *file)
{
	int from = open(file, O_RDONLY | O_CLOEXEC), to = memfd_create("tree", MFD_CLOEXEC);
	struct stat st;
	bool ok = from >= 0 && to >= 0 && fstat(from, &st) == 0;

	while (ok && st.st_size > 0) {
		ssize_t n = sendfile(to, from, NULL, (size_t)st.st_size);
		ok = n > 0;
		st.st_size -= n;
	}
	if (from >= 0)
		close(from);
	if (ok)
		return to;
	if (to >= 0)
		close(to);
	return -1;
}

/* The loader goes by names, too: the descriptor stays open as long as the library is loaded, so
 * that its number is not used again. */
struct library {
	void *handle;
	int copy;
};

static void unload(void *loaded)
{
	struct library *library = loaded;

	if (library->handle)
		dlclose(library->handle);
	if (library->copy >= 0)
		close(library->copy);
	free(library);
}

static struct library *load_copy(const char *file, char *error, size_t size)
{
	struct library *library = calloc(1, sizeof(*library));
	char path[64];

	if (!library)
		return NULL;
	library->copy = private_copy(file);
	if (library->copy < 0) {
		snprintf(error, size, "%s: %s", file, strerror(errno));
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", library->copy);
		library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library->handle)
			return library;
		snprintf(error, size, "%s: %s", file, dlerror());
	}
	unload(library);
	return NULL;
}

static const struct core_build *load(const char *name, void **loaded, char *error, size_t size)
{
	char folder[PATH_MAX], file[PATH_MAX + 16];
	const struct core_build *build;
	struct library *library;
	bool usage;

	if (!tree_prepare(name, NULL, folder, sizeof(folder), &usage, error, size))
		return NULL;
	snprintf(file, sizeof(file), "%s/tree.so", folder);
	library = load_copy(file, error, size);
	if (!library)
		return NULL;
	build = dlsym(library->handle, "core_tree");
	if (build && build->tree && build->tree->world_size == sizeof(struct world)) {
		*loaded = library;
		return build;
	}
	snprintf(error, size,
		 "%s: made for another version of this program; FSNDIFF_SOURCE should name the "
		 "checkout it was built from",
		 file);
	unload(library);
	return NULL;
}

void tree_loader_use(void)
{
	static const struct executor_loader loader = {load, unload};

	executor_loader = &loader;
}
