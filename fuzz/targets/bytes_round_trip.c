/* SPDX-License-Identifier: MIT */
/*
 * Property: every byte string is a program whose arguments are in their pools, and encoding it
 * gives bytes that decode to the same program and are encoded to the same bytes.
 */
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/targets/require.h"
#include "fuzz/text_words.h"

static void require_in_pools(const struct program *p)
{
	REQUIRE(p->count <= PROGRAM_OPS, "%u operations", p->count);
	for (unsigned i = 0; i < p->count; i++) {
		const struct op *op = &p->op[i];

		REQUIRE(op->id < OP_COUNT, "operation %u is %u", i, op->id);
		for (unsigned a = 0; a < op_table[op->id].args; a++)
			REQUIRE(text_in_pool(op_table[op->id].arg[a].kind, op->arg[a]),
				"operation %u, %s: argument %u is 0x%x", i, op_table[op->id].id, a,
				op->arg[a]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program program, again;
	static uint8_t once[BYTES_MAX], twice[BYTES_MAX];

	if (bytes_decode(data, size, &program) == BYTES_FOREIGN) {
		REQUIRE(program.count == 0, "version %u", bytes_version(data, size));
		return 0;
	}
	require_in_pools(&program);
	size_t length = bytes_encode(&program, once, sizeof(once));

	REQUIRE(length > 0, "%u operations do not fit", program.count);
	REQUIRE(bytes_decode(once, length, &again) == BYTES_OK, "length %zu", length);
	REQUIRE(program_equal(&program, &again), "length %zu", length);
	REQUIRE(bytes_encode(&again, twice, sizeof(twice)) == length, "length %zu", length);
	REQUIRE(memcmp(once, twice, length) == 0, "length %zu", length);
	return 0;
}
