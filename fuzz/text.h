/* SPDX-License-Identifier: MIT */
/*
 * The text form of a program (.fsn): the artifact of record.
 *
 *     fsn 1                                   format version, always the first line
 *     level 5.18                              header lines, in this order, each optional:
 *     order reverse                             groups of equal priority newest first
 *     limits queue=4 marks=8 groups=3           any of the three
 *     # a comment
 *     group g0 fanotify class=content report=FID|DIR_FID
 *     mark g0 add inode d0 mask=OPEN|ON_CHILD
 *     mark g0 add inode d0 ignored=OPEN surv
 *     open h0 d0/f0 rdonly                    => 0
 *     read g0                                 => OPEN d0/f0; CLOSE_NOWRITE d0/f0
 *       => [optimized] none
 *
 * An expectation (fuzz/outcome.h says what can be expected) holds for the operation it follows,
 * on its line or on lines of its own below; it ends with its line, so a comment cannot follow it
 * (`#3` is an object). It may begin with a condition in brackets: names of executors joined with
 * `|`, or `level` with < <= >= > = and a level; several are joined with a comma. Of the
 * expectations of one operation every one whose condition holds must be met.
 *
 * Parsing is strict: an unknown word, a value out of its pool, a missing or a surplus argument is
 * an error that names file, line, column and what was expected. Printing writes the canonical
 * form: parsing it gives the same program.
 */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include <stdio.h>

#include "fuzz/program.h"

enum { TEXT_EXPECTATIONS = 512, TEXT_CONDITION = 64, TEXT_OUTCOME = 1024 };

struct expectation {
	unsigned op;   /* index into the program */
	unsigned line; /* where it stands */
	char condition[TEXT_CONDITION];
	char outcome[TEXT_OUTCOME];
};

struct trace {
	struct program program;
	unsigned line[PROGRAM_OPS]; /* where each operation stands */
	unsigned expectations;
	struct expectation expectation[TEXT_EXPECTATIONS];
};

struct text_error {
	char message[512]; /* "file:line:column: what was expected" */
};

/* Does this look like the text form (as against fuzzer bytes)? True when it starts with "fsn ". */
bool text_recognize(const void *data, size_t size);

/* Parses a whole file. `file` is only for messages. False: *error is set, *t is undefined. */
bool text_parse(const char *file, const char *text, size_t size, struct trace *t,
		struct text_error *error);

/* Does an expectation's condition hold for this executor at this level? */
bool text_condition_holds(const char *condition, const char *executor, enum core_level level);

/* One operation in text form, without a newline. Returns the length, always below `size`
 * (TEXT_LINE is enough for every operation). */
enum { TEXT_LINE = 512 };
size_t text_print_op(const struct op *op, char *out, size_t size);

/* A whole program, header first, to a stream. */
void text_print(const struct program *p, FILE *out);

/* Parts that outcomes and messages are made of; each returns `out`. */
char *text_path(unsigned code, char *out, size_t size);
char *text_events(uint32_t mask, char *out, size_t size); /* "OPEN|ON_CHILD", "0" */
/* The same in inotify's names: IGNORED, ISDIR, ONESHOT, … */
char *text_watch_events(uint32_t mask, char *out, size_t size);

extern const char *const text_names[NAME_COUNT];

#endif
