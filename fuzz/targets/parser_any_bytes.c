/* SPDX-License-Identifier: MIT */
/*
 * Property: the parser takes any bytes without harm. What it refuses it refuses with a place that
 * is in the file; what it accepts has its arguments in their pools and prints as a text that it
 * accepts again.
 */
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/targets/require.h"
#include "fuzz/text_words.h"

static void require_a_place(const char *message, const uint8_t *data, size_t size)
{
	unsigned line = 0, column = 0, lines = 1;
	int end = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	REQUIRE(sscanf(message, "input:%u:%u: expected %n", &line, &column, &end) == 2, "%s",
		message);
	REQUIRE(end > 0 && message[end], "%s", message);
	REQUIRE(line >= 1 && line <= lines, "%u lines: %s", lines, message);
	REQUIRE(column >= 1 && column <= size + 1, "%zu bytes: %s", size, message);
}

static void require_in_pools(const struct op *op)
{
	char line[TEXT_LINE];

	text_print_op(op, line, sizeof(line));
	for (unsigned a = 0; a < op_table[op->id].args; a++)
		REQUIRE(text_in_pool(op_table[op->id].arg[a].kind, op->arg[a]), "%s", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct trace trace, again;
	static char text[(PROGRAM_OPS + 8) * TEXT_LINE];
	struct text_error error;

	if (!text_parse("input", (const char *)data, size, &trace, &error)) {
		require_a_place(error.message, data, size);
		return 0;
	}
	for (unsigned i = 0; i < trace.program.count; i++)
		require_in_pools(&trace.program.op[i]);
	for (unsigned i = 0; i < trace.expectations; i++)
		REQUIRE(trace.expectation[i].op < trace.program.count, "expectation %u", i);
	FILE *stream = fmemopen(text, sizeof(text), "w");

	REQUIRE(stream, "fmemopen");
	text_print(&trace.program, stream);
	size_t length = (size_t)ftell(stream);

	fclose(stream);
	REQUIRE(text_parse("printed", text, length, &again, &error), "%s", error.message);
	REQUIRE(program_equal(&trace.program, &again.program), "%s", text);
	return 0;
}
