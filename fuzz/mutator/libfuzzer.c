/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer's custom mutator: half of the time the structure-aware one (fuzz/mutate.h), half of
 * the time libFuzzer's own on the bytes, which brings in its dictionary and comparison tables.
 * Linked into the targets that take the byte form of a program.
 */
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out, unsigned seed);

/* Writes as many operations as fit. */
static size_t encode_into(struct program *p, uint8_t *out, size_t max_size)
{
	uint8_t bytes[BYTES_MAX];
	size_t size = bytes_encode(p, bytes, sizeof(bytes));

	while (size > max_size && p->count) {
		p->count--;
		size = bytes_encode(p, bytes, sizeof(bytes));
	}
	if (size > max_size)
		return 0;
	memcpy(out, bytes, size);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct rng r = {seed};
	struct program p;
	size_t made;

	if (rng_below(&r, 2) || bytes_decode(data, size, &p) == BYTES_FOREIGN)
		return LLVMFuzzerMutate(data, size, max_size);
	mutate_program(&p, &r);
	made = encode_into(&p, data, max_size);
	return made ? made : LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out, unsigned seed)
{
	struct rng r = {seed};
	struct program p, other;

	if (bytes_decode(data1, size1, &p) == BYTES_FOREIGN ||
	    bytes_decode(data2, size2, &other) == BYTES_FOREIGN)
		return 0;
	cross_programs(&p, &other, &r);
	return encode_into(&p, out, max_out);
}
