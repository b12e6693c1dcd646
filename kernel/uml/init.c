/* SPDX-License-Identifier: MIT */
/*
 * The init program of a User Mode Linux guest: runs the programs of /in on the guest's kernel, as
 * the live executor does it (kernel/live/live.h), writes what every operation did to /out and
 * powers off (kernel/uml/exchange.h). The machine is ours alone, so the limits of a program's
 * header can be had here.
 *
 * A build of the model keeps step: only to choose among several names of a file, and to see that
 * an eviction would have taken place, which cannot be had on a tmpfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/securebits.h>

#include "core/build.h"
#include "fuzz/bytes.h"
#include "fuzz/outcome.h"
#include "kernel/live/live.h"
#include "kernel/uml/exchange.h"

enum { OUT_ROOM = 1 << 20, PATIENCE = 30 /* seconds, for one program */ };

static struct {
	FILE *in;
	int out;
	size_t used;
	char room[OUT_ROOM];
	bool careful;
	struct live *live;
	struct world world;	    /* the model's */
	struct world_config limits; /* as they are set now */
	struct program program;
	char outcome[LIVE_OUTCOME];
} guest;

/* ---- what is said ---- */

static void flush(void)
{
	for (size_t at = 0; at < guest.used;) {
		ssize_t n = write(guest.out, guest.room + at, guest.used - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	guest.used = 0;
	if (guest.careful)
		fsync(guest.out);
}

static void put(const char *text, size_t length)
{
	memcpy(guest.room + guest.used, text, length);
	guest.used += length;
}

/* Also from the watchdog's signal handler. */
static void say(const char *what, const char *text)
{
	size_t length = strlen(what) + strlen(text) + 1;

	if (guest.used + length > sizeof(guest.room))
		flush();
	put(what, strlen(what));
	put(text, strlen(text));
	put("\n", 1);
}

static _Noreturn void power_off(void)
{
	flush();
	fsync(guest.out);
	/* A bare system call, safe in a signal handler though no list of such functions has it. */
	reboot(RB_POWER_OFF); /* NOLINT(bugprone-signal-handler) */
	_exit(1);
}

static _Noreturn void give_up(const char *what)
{
	char text[LIVE_ERROR + 64];

	snprintf(text, sizeof(text), "%s%s%s", what, errno ? ": " : "",
		 errno ? strerror(errno) : "");
	say("error ", text);
	power_off();
}

/* ---- limits ---- */

static void set(const char *name, unsigned value)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "/proc/sys/fs/%s", name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = snprintf(text, sizeof(text), "%u", value);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		give_up(path);
	close(fd);
}

/* This thread alone: the function of the library would wait for the others, of which one waits for
 * another process (kernel/live/callers.c). */
static void become(uid_t user, const char *what)
{
	if (syscall(SYS_setresuid, (uid_t)-1, user, (uid_t)-1) != 0)
		give_up(what);
}

/* Settings are root's, and the live executor is another user: it can become root for them. */
static void set_limits(const struct world_config *to)
{
	struct world_config *now = &guest.limits;
	uid_t user = geteuid();

	if (to->queue_limit == now->queue_limit && to->mark_limit == now->mark_limit &&
	    to->group_limit == now->group_limit)
		return;
	become(0, "becoming root");
	set("fanotify/max_queued_events", to->queue_limit);
	set("inotify/max_queued_events", to->queue_limit);
	set("fanotify/max_user_marks", to->mark_limit);
	set("inotify/max_user_watches", to->mark_limit);
	set("fanotify/max_user_groups", to->group_limit);
	set("inotify/max_user_instances", to->group_limit);
	become(user, "being another user again");
	*now = *to;
}

/* ---- programs ---- */

static void choose(void *context, unsigned inode, char *out, size_t size)
{
	(void)context;
	if (inode < guest.world.inodes)
		outcome_object(&guest.world, OBJECT_INODE, inode, out, size);
}

static void run_program(void)
{
	char error[LIVE_ERROR] = "";

	if (live_order_matters(&guest.program)) {
		say("- ", "order among groups of equal priority is by address");
		return;
	}
	set_limits(&guest.program.config);
	errno = 0;
	if (!live_start(guest.live, error, sizeof(error)))
		give_up(error);
	world_reset(&guest.world, &guest.program.config);
	for (unsigned i = 0; i < guest.program.count; i++) {
		const struct op *op = &guest.program.op[i];
		int32_t ret = core_vanilla.step(&guest.world, op);
		if (op->id == OP_EVICT && ret == 0) {
			say("- ", "a file on a tmpfs is never evicted");
			break;
		}
		enum live_result how =
			live_step(guest.live, op, guest.outcome, sizeof(guest.outcome));
		if (how == LIVE_UNKNOWN) {
			say("- ", "which of two groups was asked cannot be told");
			break;
		}
		say("= ", guest.outcome);
	}
	live_end(guest.live);
}

static bool read_program(void)
{
	static uint8_t bytes[BYTES_MAX];
	uint32_t length;

	return fread(&length, sizeof(length), 1, guest.in) == 1 && length <= sizeof(bytes) &&
	       fread(bytes, 1, length, guest.in) == length &&
	       bytes_decode(bytes, length, &guest.program) == BYTES_OK;
}

/* Whatever it is in the middle of: nothing comes after this. */
static void hangs(int signal)
{
	(void)signal;
	say("! ", "it hangs");
	power_off();
}

static void run_all(void)
{
	struct exchange_head head;
	char number[16];

	if (fread(&head, sizeof(head), 1, guest.in) != 1 ||
	    memcmp(head.magic, EXCHANGE_MAGIC, sizeof(head.magic)) != 0)
		give_up("/in is not for this init");
	guest.careful = head.careful;
	signal(SIGALRM, hangs);
	for (unsigned i = 0; i < head.programs; i++) {
		alarm(PATIENCE);
		snprintf(number, sizeof(number), "%u", i);
		say("program ", number);
		if (!read_program())
			give_up("/in ends too early");
		if (guest.careful)
			flush();
		run_program();
	}
}

int main(void)
{
	char error[LIVE_ERROR] = "";

	umask(0);
	guest.out = open("/" EXCHANGE_OUT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	guest.in = fopen("/" EXCHANGE_IN, "re");
	if (!guest.in)
		give_up("/" EXCHANGE_IN);
	if (mount("proc", "/proc", "proc", 0, NULL) != 0)
		give_up("/proc");
	/* Capabilities stay when root is left and come back to. */
	if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) != 0)
		give_up("PR_SET_SECUREBITS");
	guest.live = live_open(error, sizeof(error));
	if (!guest.live)
		give_up(error);
	live_alone(guest.live);
	live_prefer(guest.live, choose, NULL);
	run_all();
	say("done", "");
	power_off();
}
