/* SPDX-License-Identifier: MIT */
/*
 * A program: a header and at most PROGRAM_OPS operations. Three forms of the same thing:
 *   struct program   what executors run
 *   text (.fsn)      the artifact of record: versioned, strict, with expectations (fuzz/text.h)
 *   bytes            the fuzzers' cache: total, every byte string is a program (fuzz/bytes.h)
 * All of them are driven by fuzz/ops.def.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/world.h"

enum {
	PROGRAM_OPS = 128,
	OP_ARGS = 6,
	TEXT_VERSION = 1,
	BYTES_VERSION = 2,
};

/* What an argument can be. Each kind has a pool of values, a text form and a byte form. */
enum arg_kind {
	ARG_NONE,
	ARG_GROUP,  /* g0 … g15 */
	ARG_HANDLE, /* h0 … h15 */
	ARG_PATH,   /* path code (core/world.h): d0/f0, B:d0/f0, C:., fd:h0 */
	ARG_OBJECT, /* enum object_kind: inode, mount, sb */
	ARG_FORM,   /* enum mask_form; with the EVENTS after it one token: mask=…, ignored=… */
	ARG_EVENTS, /* set of FANOTIFY_EVENTS, PRE_ACCESS, ON_CHILD, ONDIR */
	ARG_MARKFLAGS,	 /* words: surv evictable onlydir nofollow */
	ARG_CLASS,	 /* 0 notif, 1 content, 2 pre_content */
	ARG_REPORT,	 /* set: FID DIR_FID NAME TARGET_FID */
	ARG_INITFLAGS,	 /* words: unlimited_queue unlimited_marks pidfd tid */
	ARG_ANSWER,	 /* 0 allow, 1 deny */
	ARG_WATCHMASK,	 /* set of IN_ALL_EVENTS and the IN_ flags */
	ARG_WD,		 /* number 0 … 255 */
	ARG_ACCESS,	 /* 0 rdonly, 1 wronly, 2 rdwr */
	ARG_OPENFLAGS,	 /* words: creat excl trunc append nonblock directory nofollow path */
	ARG_SETFL,	 /* words: append nonblock */
	ARG_TIMES,	 /* 0 both, 1 atime, 2 mtime */
	ARG_NODE,	 /* 0 file, 1 fifo */
	ARG_RENAMEFLAGS, /* words: noreplace exchange */
	ARG_MOUNT,	 /* 0 A, 1 B, 2 C */
	ARG_WHO,	 /* enum caller: admin, user, thread, other */
	ARG_KINDS,
};

enum mask_form { FORM_MASK, FORM_IGNORED, FORM_IGNORE };

enum op_id {
#define OP(id, ...) OP_##id,
#include "fuzz/ops.def"
#undef OP
	OP_COUNT,
};

struct op {
	uint8_t id; /* enum op_id */
	uint32_t arg[OP_ARGS];
};

struct arg_info {
	enum arg_kind kind;
	const char *key;
	uint32_t fallback;
};

struct op_info {
	const char *id;	  /* "MARK_ADD" */
	uint8_t code;	  /* number in the byte format */
	const char *word; /* text: word [first argument] [sub] arguments… */
	const char *sub;
	unsigned weight;
	const char *what;
	struct arg_info arg[OP_ARGS];
	unsigned args;
};

extern const struct op_info op_table[OP_COUNT];

struct program {
	struct world_config config;
	unsigned count;
	struct op op[PROGRAM_OPS];
};

/* The empty program: defaults, no operations. */
void program_clear(struct program *p);

/* Same header, same operations, same arguments? */
bool program_equal(const struct program *a, const struct program *b);

#endif
