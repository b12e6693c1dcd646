/* SPDX-License-Identifier: MIT */
/*
 * The byte form of a program: what the fuzzers mutate. Decoding is total: every byte string is a
 * valid program. What we write starts with "fsn" and a byte of format version; bytes without that
 * are read as format 2 without a header. One value is drawn per statement, so that every compiler
 * reads the same program out of the same bytes.
 *
 *     "fsn" 2 | level queue marks groups+order | code arguments | code arguments | …
 *
 * Pools are small on purpose (a byte chooses among few groups, paths and handles, the low ones
 * most often), so that operations meet.
 */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include "fuzz/program.h"

enum { BYTES_MAX = 8 + PROGRAM_OPS * 24 };

enum bytes_status {
	BYTES_OK,
	BYTES_HEADLESS, /* no "fsn" in front: read as format 2 */
	BYTES_FOREIGN,	/* another format version: nothing was read */
};

/* The version byte behind "fsn", or 0 where there is none. */
unsigned bytes_version(const uint8_t *data, size_t size);

/* Reads a program. BYTES_FOREIGN leaves the empty program in *p. */
enum bytes_status bytes_decode(const uint8_t *data, size_t size, struct program *p);

/* Writes `p` with its header; returns the number of bytes, 0 if `size` is too small.
 * bytes_decode() of the result gives `p` again. */
size_t bytes_encode(const struct program *p, uint8_t *out, size_t size);

/* Text that a fuzzer's dictionary is made of: one encoded operation, without the header. */
size_t bytes_encode_op(const struct op *op, uint8_t *out, size_t size);

#endif
