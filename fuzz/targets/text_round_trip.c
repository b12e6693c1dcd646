/* SPDX-License-Identifier: MIT */
/*
 * Property: printing a program and parsing the text gives the same program, and printing that
 * gives the same text. The programs are whatever the input decodes to.
 */
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/targets/require.h"
#include "fuzz/text.h"

enum { TEXT_MAX = (PROGRAM_OPS + 8) * TEXT_LINE };

static size_t print(const struct program *p, char *out)
{
	FILE *stream = fmemopen(out, TEXT_MAX, "w");

	REQUIRE(stream, "fmemopen");
	text_print(p, stream);
	long length = ftell(stream);

	fclose(stream);
	REQUIRE(length > 0 && length < TEXT_MAX, "length %ld", length);
	return (size_t)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program program;
	static struct trace trace;
	static char once[TEXT_MAX], twice[TEXT_MAX];
	struct text_error error;

	bytes_decode(data, size, &program);
	size_t length = print(&program, once);

	REQUIRE(text_recognize(once, length), "%s", once);
	REQUIRE(text_parse("printed", once, length, &trace, &error), "%s\n%s", error.message, once);
	REQUIRE(program_equal(&program, &trace.program), "%s", once);
	REQUIRE(trace.expectations == 0, "%s", once);
	REQUIRE(print(&trace.program, twice) == length, "%s\n%s", once, twice);
	REQUIRE(memcmp(once, twice, length) == 0, "%s\n%s", once, twice);
	return 0;
}
