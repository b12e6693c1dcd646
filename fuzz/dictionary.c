/* SPDX-License-Identifier: MIT */
/*
 * Prints the dictionary of the byte form, for AFL++ (-x) and libFuzzer (-dict=): the header, and
 * every operation with usual arguments and with each argument varied by itself. Entries are
 * named after the operation and what was varied.
 *
 *     fsndiff-dictionary > fsndiff.dict
 */
#include <ctype.h>
#include <stdio.h>

#include "fuzz/bytes.h"
#include "fuzz/text_words.h"

enum { ENTRY_MAX = 32 };

static void print_entry(const char *name, const uint8_t *bytes, size_t size)
{
	for (; *name; name++)
		putchar(isalnum((unsigned char)*name) ? tolower((unsigned char)*name) : '_');
	printf("=\"");
	for (size_t i = 0; i < size; i++)
		printf("\\x%02x", bytes[i]);
	printf("\"\n");
}

static void print_op(const struct op *op, const char *what)
{
	uint8_t bytes[ENTRY_MAX];
	char name[96];

	snprintf(name, sizeof(name), "%s%s%s", op_table[op->id].id, *what ? "_" : "", what);
	print_entry(name, bytes, bytes_encode_op(op, bytes, sizeof(bytes)));
}

/* Values that meet, where 0 would not do. */
static const uint32_t usual[ARG_KINDS] = {
	[ARG_PATH] = PATH_AT_NAME_d0_NO_NAME_NO_NAME,
	[ARG_EVENTS] = FS_OPEN,
	[ARG_WATCHMASK] = FS_OPEN,
	[ARG_WD] = 1,
};

static struct op usual_op(unsigned id)
{
	struct op op = {.id = (uint8_t)id};

	for (unsigned i = 0; i < op_table[id].args; i++)
		op.arg[i] = usual[op_table[id].arg[i].kind];
	return op;
}

/* Every word of an argument that has words; of a path the file in the directory. */
static void vary(const struct op *op, unsigned arg)
{
	const struct text_kind *kind = &text_kinds[op_table[op->id].arg[arg].kind];
	struct op varied = *op;

	for (unsigned i = 0; i < kind->count; i++) {
		varied.arg[arg] = kind->words[i].value;
		if (varied.arg[arg] != op->arg[arg])
			print_op(&varied, kind->words[i].name);
	}
	if (kind->form == TEXT_PLACE) {
		char name[32];

		varied.arg[arg] = PATH_AT_NAME_d0_NAME_f0_NO_NAME;
		snprintf(name, sizeof(name), "%u_d0_f0", arg);
		print_op(&varied, name);
	}
}

int main(void)
{
	static struct program empty;
	uint8_t bytes[ENTRY_MAX];

	printf("# Operations of the byte form, format %d\n", BYTES_VERSION);
	program_clear(&empty);
	print_entry("header", bytes, bytes_encode(&empty, bytes, sizeof(bytes)));
	for (unsigned id = 0; id < OP_COUNT; id++) {
		struct op op = usual_op(id);

		print_op(&op, "");
		for (unsigned arg = 0; arg < op_table[id].args; arg++)
			vary(&op, arg);
	}
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
