/* SPDX-License-Identifier: MIT */
/*
 * Holds one guest. A guest is a family of host processes: the kernel, and one for each address
 * space in it, which the kernel traces. When the kernel is killed these stay behind, stopped; so
 * the keeper is the one that orphans go to, and ends when it has none left.
 */
#define _GNU_SOURCE
#include "kernel/uml/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- its directory ---- */

/* The guest's memory is a file there, and it must be allowed to run what it maps of it. */
static bool is_fit(const char *directory)
{
	struct statvfs s;

	return directory && directory[0] == '/' && access(directory, W_OK) == 0 &&
	       statvfs(directory, &s) == 0 && !(s.f_flag & ST_NOEXEC);
}

bool keeper_make_directory(char *directory, size_t size, char *error, size_t room)
{
	const char *places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!is_fit(places[i]))
			continue;
		snprintf(directory, size, "%s/fsndiff-uml.XXXXXX", places[i]);
		if (!mkdtemp(directory))
			continue;
		snprintf(path, sizeof(path), "%s/proc", directory);
		mkdir(path, 0755);
		snprintf(path, sizeof(path), "%s/tmp", directory);
		mkdir(path, 0755);
		return true;
	}
	snprintf(error, room,
		 "no place for a guest: TMPDIR, /dev/shm and /tmp are not writable, or "
		 "mounted noexec; set TMPDIR");
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

void keeper_remove_directory(const char *directory)
{
	enum { DESCRIPTORS = 16 };
	nftw(directory, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* ---- the guest ---- */

/* Guests run twice as fast when they stay on one processor. */
static void pin(unsigned processor)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	processor %= (unsigned)CPU_COUNT(&allowed);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || processor--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static _Noreturn void become_guest(const struct uml_kernel *k, const char *directory,
				   unsigned processor)
{
	char root[PATH_MAX + 16], home[PATH_MAX + 8], temporary[PATH_MAX + 8], log[PATH_MAX + 8];
	sigset_t none;

	snprintf(root, sizeof(root), "rootflags=%s", directory);
	snprintf(home, sizeof(home), "HOME=%s", directory); /* it makes ~/.uml */
	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", directory);
	snprintf(log, sizeof(log), "%s/" KEEPER_LOG, directory);
	char *const environment[] = {home, temporary, NULL};
	char *const arguments[] = {(char *)"linux",
				   (char *)"mem=64M",
				   (char *)"root=none",
				   (char *)"rootfstype=hostfs",
				   root,
				   (char *)"rw",
				   (char *)"init=/init",
				   (char *)"con0=fd:0,fd:1",
				   (char *)"con=null",
				   (char *)"quiet",
				   NULL};
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	pin(processor);
	int null = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (null >= 0 && out >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2)
		execve(k->kernel, arguments, environment);
	dprintf(2, "%s: %s\n", k->kernel, strerror(errno));
	_exit(127);
}

/* ---- the keeper ---- */

static void end_family(pid_t guest)
{
	kill(-guest, SIGKILL);
	for (;;) {
		pid_t child = waitpid(-1, NULL, __WALL);
		if (child < 0 && errno == ECHILD)
			return;
		kill(-guest, SIGKILL); /* orphans that came in the meantime */
	}
}

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Waits until the guest has ended, its time is up or the parent has died. */
static int watch(pid_t guest, const sigset_t *signals, unsigned seconds, bool *orphaned)
{
	long long end = now_ms() + seconds * 1000LL, left;

	while ((left = end - now_ms()) > 0) {
		struct timespec t = {left / 1000, left % 1000 * 1000000};
		int signal = sigtimedwait(signals, NULL, &t), status;
		if (signal == SIGCHLD) {
			pid_t child;
			while ((child = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
				if (child == guest)
					return WIFEXITED(status) && WEXITSTATUS(status) == 0
						       ? KEEPER_ENDED
						       : KEEPER_FAILED;
		} else if (signal > 0) {
			*orphaned = true;
			return KEEPER_FAILED;
		}
	}
	return KEEPER_TOO_LONG;
}

static _Noreturn void keep(const struct uml_kernel *k, const char *directory, unsigned processor,
			   unsigned seconds, pid_t parent)
{
	int how = KEEPER_FAILED;
	sigset_t signals;
	bool orphaned;

	setsid();
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	orphaned = getppid() != parent;
	pid_t guest = orphaned ? -1 : fork();
	if (guest == 0)
		become_guest(k, directory, processor);
	if (guest > 0) {
		setpgid(guest, guest);
		how = watch(guest, &signals, seconds, &orphaned);
		end_family(guest);
	}
	if (orphaned || getppid() != parent)
		keeper_remove_directory(directory);
	_exit(how);
}

pid_t keeper_start(const struct uml_kernel *k, const char *directory, unsigned processor,
		   unsigned seconds)
{
	pid_t parent = getpid(), keeper = fork();

	if (keeper == 0)
		keep(k, directory, processor, seconds, parent);
	return keeper;
}
