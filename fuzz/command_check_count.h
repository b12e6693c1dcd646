/* SPDX-License-Identifier: MIT */
/*
 * What happened in a run of `fsndiff check`, in numbers: per operation how often it ran, succeeded,
 * failed alike on both sides, and disagreed. Nothing but counters, so that the counts of many
 * processes can stand in shared memory and be added up.
 */
#ifndef FUZZ_COMMAND_CHECK_COUNT_H
#define FUZZ_COMMAND_CHECK_COUNT_H

#include "fuzz/command_check_coverage.h"

enum { COUNT_ERRNOS = 134 };

/* In what the two sides can disagree about an operation. */
enum check_field {
	FIELD_RETURN,  /* another error, or success against an error */
	FIELD_VALUE,   /* both succeeded: another number */
	FIELD_RECORDS, /* what was read from a group */
	FIELD_MARKS,
	FIELD_FLAGS, /* F_GETFL */
	FIELD_HUNG,  /* nobody was asked where the model asks, or the other way round */
	CHECK_FIELDS,
};

struct check_op_count {
	uint64_t runs;
	uint64_t succeeded;
	uint64_t did; /* succeeded, or failed with another error than EBADF */
	uint64_t error[COUNT_ERRNOS];
	uint64_t disagreed[CHECK_FIELDS];
};

struct check_count {
	struct check_op_count op[OP_COUNT];
	uint64_t records[DOERS]; /* that were read of fanotify groups, by who caused them */
	struct check_coverage coverage;
};

/* An operation that both sides did alike; `ret` is what the model returned. */
void check_count_op(struct check_count *n, const struct check *c, const struct op *op, int32_t ret);

/* The operation at which they parted. */
void check_count_disagreement(struct check_count *n, const struct program *p,
			      const struct check_result *r);

void check_count_add(struct check_count *sum, const struct check_count *n);

/* Prints the table of operations, of disagreements if there are any, and the totals of `programs`
 * programs. */
void check_count_print(const struct check_count *n, uint64_t programs);

#endif
