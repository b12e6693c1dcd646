/* SPDX-License-Identifier: MIT */
/*
 * Input files: a FILE of the command is a text trace or raw bytes of either engine, told apart by
 * how it begins; a directory stands for every input below it, sorted by path.
 *
 * Two comments of a text trace mean something to those who replay it:
 *     # pair: vanilla,vanilla+pseudo_opt_out_2020   the pair it is about
 *     # key: files/pipe/flags/+                     the divergence (bucket key or K1) it must show
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "fuzz/compare.h"
#include "fuzz/text.h"

enum { INPUT_MAX = 1 << 20, INPUT_PAIR = 2 * EXECUTOR_NAME, INPUT_ERROR = 1024 };

struct input {
	bool text;
	char pair[INPUT_PAIR]; /* "" when the file names none */
	char key[VERDICT_KEY];
	struct trace *trace; /* of raw bytes: the program alone */
};

/* Reads one file. False: `error` says "FILE: what is wrong" (INPUT_ERROR is enough for it), and
 * there is nothing to free. */
bool input_load(struct input *in, const char *path, char *error, size_t size);
void input_free(struct input *in);

/* Reads a whole file into memory that the caller frees; the same rules for errors. */
bool input_read(const char *path, uint8_t **data, size_t *length, char *error, size_t size);

struct input_list {
	unsigned count;
	char **path;
};

/* Adds a file, or every file below a directory: but no hidden ones and no notes (.md, .txt, .json,
 * .log). False: missing, unreadable, or a directory without an input. */
bool input_list_add(struct input_list *list, const char *path, char *error, size_t size);
void input_list_free(struct input_list *list);

#endif
