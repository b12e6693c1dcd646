/* SPDX-License-Identifier: MIT */
/*
 * Canaries: four planted faults of the optimized build (the mutants of core/toggles.def). The
 * tester must catch each from the seed corpus, by the oracle and the field that are named here; a
 * canary that survives means that the tester has gone blind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/compare.h"
#include "fuzz/input.h"
#include "fuzz/mutate.h"

/* Far more than any canary needs; all of it takes seconds. */
enum { PROGRAMS = 300000, MUTATIONS = 4, SEEDS = 256 };

struct canary {
	const char *pair;
	enum oracle oracle;
	const char *field;
};

static struct program seeds[SEEDS];
static unsigned seed_count;

static int load_seeds(void **state)
{
	struct input_list list = {0, NULL};
	char error[INPUT_ERROR];
	char corpus[4096];

	(void)state;
	snprintf(corpus, sizeof(corpus), "%s/corpus/seeds", getenv("SOURCE_DIR"));
	if (!input_list_add(&list, corpus, error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	for (unsigned i = 0; i < list.count && seed_count < SEEDS; i++) {
		struct input in;
		if (!input_load(&in, list.path[i], error, sizeof(error))) {
			fprintf(stderr, "%s\n", error);
			return 1;
		}
		seeds[seed_count++] = in.trace->program;
		input_free(&in);
	}
	input_list_free(&list);
	return seed_count == 0;
}

/* The first program out of the seeds and their mutations on which the pair parts for a reason that
 * no quirk explains. */
static bool hunt(struct pair *pair, struct verdict *v, unsigned *tried)
{
	struct rng rng = {1};
	static struct program p;

	for (*tried = 1; *tried <= PROGRAMS; ++*tried) {
		p = seeds[*tried % seed_count];
		for (unsigned i = 0; *tried > seed_count && i < MUTATIONS; i++)
			mutate_program(&p, &rng);
		if (pair_agrees(pair, &p))
			continue;
		pair_judge(pair, &p, v);
		pair_explain(pair, &p, v);
		if (!v->known[0])
			return true;
	}
	return false;
}

static void is_caught(const struct canary *canary)
{
	struct pair pair;
	struct verdict v;
	char error[512];
	unsigned tried;

	if (!pair_open(&pair, canary->pair, error, sizeof(error)))
		fail_msg("%s", error);
	if (!hunt(&pair, &v, &tried))
		fail_msg("%s survived %u programs", canary->pair, tried - 1);
	print_message("%s: caught by program %u, %s\n", canary->pair, tried, v.key);
	assert_int_equal(v.oracle, canary->oracle);
	assert_string_equal(v.field, canary->field);
	pair_close(&pair);
}

#define CANARY(name, pair, oracle, field)                         \
	static void name(void **state)                            \
	{                                                         \
		(void)state;                                      \
		is_caught(&(struct canary){pair, oracle, field}); \
	}

CANARY(modify_not_folded_is_a_missing_bit, "vanilla,optimized+mutant_no_fold", ORACLE_MASKS,
       "missing")
CANARY(no_recalculation_for_an_ignored_mask_is_a_missing_bit,
       "vanilla,optimized+mutant_no_recalc_ignored", ORACLE_MASKS, "missing")
CANARY(forgotten_mount_marks_are_lost_events, "vanilla,optimized+mutant_forget_mount",
       ORACLE_EVENTS, "queue")
CANARY(no_recalculation_for_surv_modify_is_a_stale_bit, "vanilla,optimized+mutant_no_recalc_surv",
       ORACLE_MASKS, "stale")

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modify_not_folded_is_a_missing_bit),
		cmocka_unit_test(no_recalculation_for_an_ignored_mask_is_a_missing_bit),
		cmocka_unit_test(forgotten_mount_marks_are_lost_events),
		cmocka_unit_test(no_recalculation_for_surv_modify_is_a_stale_bit),
	};
	return cmocka_run_group_tests(tests, load_seeds, NULL);
}
