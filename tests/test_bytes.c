/* SPDX-License-Identifier: MIT */
/* The byte form: encoding and decoding are inverse to one another, decoding is total, and format 2
 * is what tests/golden/v2.txt says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/bytes.h"
#include "tests/random_program.h"

static struct program program, again;
static uint8_t bytes[BYTES_MAX];

static void require_in_pools(const struct program *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct op_info *info = &op_table[p->op[i].id];

		for (unsigned a = 0; a < info->args; a++)
			if (!text_in_pool(info->arg[a].kind, p->op[i].arg[a]))
				fail_msg("%s: argument %u is 0x%x", info->id, a, p->op[i].arg[a]);
	}
}

static void every_operation_survives_encode_and_decode(void **state)
{
	(void)state;
	for (unsigned id = 0; id < OP_COUNT; id++) {
		for (unsigned round = 0; round < 2000; round++) {
			program_clear(&program);
			program.op[0] = random_op(id);
			program.count = 1;
			size_t n = bytes_encode_op(&program.op[0], bytes, sizeof(bytes));

			assert_in_range(n, 1, 24);
			assert_int_equal(bytes[0], op_table[id].code);
			assert_int_equal(bytes_decode(bytes, n, &again), BYTES_HEADLESS);
			assert_true(program_equal(&program, &again));
		}
	}
}

static void every_program_survives_encode_and_decode(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		random_program(&program);
		size_t n = bytes_encode(&program, bytes, sizeof(bytes));

		assert_in_range(n, 8, BYTES_MAX);
		assert_int_equal(bytes_version(bytes, n), BYTES_VERSION);
		assert_int_equal(bytes_decode(bytes, n, &again), BYTES_OK);
		assert_true(program_equal(&program, &again));
	}
}

static void every_header_survives_encode_and_decode(void **state)
{
	(void)state;
	program_clear(&program);
	for (unsigned i = 0; i < TEXT_LIMITS; i++) {
		const struct text_limit *limit = &text_limits[i];

		for (unsigned value = limit->least; value <= limit->most; value++) {
			*text_limit_of(&program.config, i) = (uint16_t)value;
			size_t n = bytes_encode(&program, bytes, sizeof(bytes));

			assert_int_equal(n, 8);
			assert_int_equal(bytes_decode(bytes, n, &again), BYTES_OK);
			assert_true(program_equal(&program, &again));
		}
	}
}

static void every_byte_string_is_a_program(void **state)
{
	uint8_t noise[512];

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size_t n = random_below(sizeof(noise) + 1);

		for (size_t i = 0; i < n; i++)
			noise[i] = (uint8_t)random_below(256);
		if (n >= 4 && round % 2)
			memcpy(noise, "fsn\002", 4);
		assert_int_not_equal(bytes_decode(noise, n, &program), BYTES_FOREIGN);
		assert_true(program.count <= PROGRAM_OPS);
		require_in_pools(&program);
	}
}

static void every_first_byte_is_an_operation_and_most_can_be_reached(void **state)
{
	uint8_t one[24] = {0};
	bool reached[OP_COUNT] = {false};

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		one[0] = (uint8_t)byte;
		bytes_decode(one, sizeof(one), &program);
		assert_true(program.count > 0);
		if (byte > 42)
			reached[program.op[0].id] = true;
		else if (byte > 0)
			assert_int_equal(op_table[program.op[0].id].code, byte);
	}
	for (unsigned id = 0; id < OP_COUNT; id++)
		assert_int_equal(reached[id], op_table[id].weight > 0);
}

static void an_operation_that_is_cut_off_is_left_out(void **state)
{
	static const struct op two[] = {{.id = OP_REAP}, {.id = OP_MARK_ADD}};

	(void)state;
	program_clear(&program);
	program.op[0] = two[0];
	program.op[1] = two[1];
	program.op[1].arg[4] = FS_RENAME;
	program.op[1].arg[5] = FAN_MARK_DONT_FOLLOW;
	program.count = 2;
	size_t n = bytes_encode(&program, bytes, sizeof(bytes));

	for (size_t cut = 9; cut < n; cut++) {
		bytes_decode(bytes, cut, &again);
		assert_int_equal(again.count, 1);
	}
	for (size_t cut = 0; cut <= 8; cut++) {
		bytes_decode(cut < 4 ? (const uint8_t *)"fsn" : bytes, cut < 4 ? 0 : cut, &again);
		assert_int_equal(again.count, 0);
	}
}

static void too_many_operations_are_cut_at_the_cap(void **state)
{
	static uint8_t many[PROGRAM_OPS + 50];

	(void)state;
	memset(many, op_table[OP_REAP].code, sizeof(many));
	bytes_decode(many, sizeof(many), &program);
	assert_int_equal(program.count, PROGRAM_OPS);
}

static void another_format_is_not_read(void **state)
{
	static const uint8_t one[] = {'f', 's', 'n', 1, 0, 0, 0, 0, 38}, text[] = "fsn 1\nreap\n",
			     none[] = {'f', 's', 'n', 0, 0, 0, 0, 0};

	(void)state;
	assert_int_equal(bytes_version(one, sizeof(one)), 1);
	assert_int_equal(bytes_decode(one, sizeof(one), &program), BYTES_FOREIGN);
	assert_int_equal(program.count, 0);
	assert_int_equal(bytes_decode(text, sizeof(text), &program), BYTES_FOREIGN);
	assert_int_equal(bytes_version(none, sizeof(none)), 0);
	assert_int_equal(bytes_decode(none, sizeof(none), &program), BYTES_HEADLESS);
	assert_int_equal(bytes_version(one, 3), 0);
	assert_int_equal(bytes_decode(NULL, 0, &program), BYTES_HEADLESS);
}

static void what_does_not_fit_is_not_written(void **state)
{
	(void)state;
	random_program(&program);
	program.count = 3;
	for (unsigned i = 0; i < 3; i++)
		program.op[i] = random_op(OP_MARK_ADD);
	size_t n = bytes_encode(&program, bytes, sizeof(bytes));

	for (size_t size = 0; size < n; size++)
		assert_int_equal(bytes_encode(&program, bytes, size), 0);
	assert_int_equal(bytes_encode(&program, bytes, n), n);
	assert_int_equal(bytes_encode_op(&program.op[0], bytes, 3), 0);
}

static void the_largest_program_fits(void **state)
{
	(void)state;
	program_clear(&program);
	for (unsigned i = 0; i < PROGRAM_OPS; i++) {
		program.op[i] = (struct op){.id = OP_MARK_ADD};
		for (unsigned a = 0; a < 6; a++) {
			const struct text_kind *kind =
				&text_kinds[op_table[OP_MARK_ADD].arg[a].kind];

			program.op[i].arg[a] = kind->pool;
		}
	}
	program.count = PROGRAM_OPS;
	size_t n = bytes_encode(&program, bytes, sizeof(bytes));

	assert_int_equal(n, 8 + PROGRAM_OPS * 10);
	bytes_decode(bytes, n, &again);
	assert_true(program_equal(&program, &again));
}

/* ---- golden vectors ---- */

struct vector {
	unsigned line;
	bool exact; /* encoding the text gives the bytes, too */
	uint8_t bytes[512];
	size_t size;
	char text[4096];
	size_t length;
};

static size_t read_hex(const char *hex, uint8_t *out, size_t size)
{
	size_t n = 0;
	int used = 0;
	unsigned byte;

	while (sscanf(hex, " %2x%n", &byte, &used) == 1) {
		assert_true(n < size);
		out[n++] = (uint8_t)byte;
		hex += used;
	}
	return n;
}

static void check_vector(const struct vector *v)
{
	static struct trace trace;
	struct text_error error;
	static char printed[4096];
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	assert_non_null(out);
	assert_int_equal(bytes_decode(v->bytes, v->size, &program),
			 bytes_version(v->bytes, v->size) ? BYTES_OK : BYTES_HEADLESS);
	text_print(&program, out);
	fclose(out);
	if (strcmp(printed, v->text) != 0)
		fail_msg("v2.txt:%u: the bytes are now read as\n%s", v->line, printed);
	if (!v->exact)
		return;
	assert_true(text_parse("v2.txt", v->text, v->length, &trace, &error));
	size_t n = bytes_encode(&trace.program, bytes, sizeof(bytes));

	if (n != v->size || memcmp(bytes, v->bytes, n) != 0)
		fail_msg("v2.txt:%u: the text is now written as other bytes", v->line);
}

/* A vector: "exact HEX" or "reads HEX", then its text, then an empty line. */
static bool next_vector(FILE *file, unsigned *line, struct vector *v)
{
	char text[1024];

	*v = (struct vector){0};
	while (fgets(text, sizeof(text), file)) {
		++*line;
		if (*text == '#')
			continue;
		if (*text == '\n' && v->line)
			return true;
		if (*text == '\n')
			continue;
		if (!v->line) {
			v->line = *line;
			v->exact = strncmp(text, "exact ", 6) == 0;
			assert_true(v->exact || strncmp(text, "reads ", 6) == 0);
			v->size = read_hex(text + 6, v->bytes, sizeof(v->bytes));
			continue;
		}
		assert_true(v->length + strlen(text) < sizeof(v->text));
		v->length += (size_t)sprintf(v->text + v->length, "%s", text);
	}
	return v->line > 0;
}

static void format_2_is_frozen(void **state)
{
	const char *source = getenv("SOURCE_DIR");
	static struct vector v;
	bool covered[OP_COUNT] = {false};
	char path[512];
	unsigned line = 0, vectors = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/golden/v2.txt", source ? source : ".");
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("cannot open %s", path);
	for (; next_vector(file, &line, &v); vectors++) {
		check_vector(&v);
		for (unsigned i = 0; v.exact && i < program.count; i++)
			covered[program.op[i].id] = true;
	}
	fclose(file);
	assert_true(vectors > 0);
	for (unsigned id = 0; id < OP_COUNT; id++)
		if (!covered[id])
			fail_msg("no golden vector has %s", op_table[id].id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_survives_encode_and_decode),
		cmocka_unit_test(every_program_survives_encode_and_decode),
		cmocka_unit_test(every_header_survives_encode_and_decode),
		cmocka_unit_test(every_byte_string_is_a_program),
		cmocka_unit_test(every_first_byte_is_an_operation_and_most_can_be_reached),
		cmocka_unit_test(an_operation_that_is_cut_off_is_left_out),
		cmocka_unit_test(too_many_operations_are_cut_at_the_cap),
		cmocka_unit_test(another_format_is_not_read),
		cmocka_unit_test(what_does_not_fit_is_not_written),
		cmocka_unit_test(the_largest_program_fits),
		cmocka_unit_test(format_2_is_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
