/* SPDX-License-Identifier: MIT */
/* Tests of the comparator: executors and their names, verdicts and bucket keys, explanations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/audit.h"
#include "fuzz/bytes.h"
#include "fuzz/compare.h"
#include "fuzz/explain.h"
#include "fuzz/text.h"

/* The flagship: a child's modify and the parent's ignored mask. */
static const char k1[] = "fsn 1\n"
			 "group g0 fanotify\n"
			 "mark g0 add inode d0 mask=OPEN|ON_CHILD\n"
			 "mark g0 add inode d0 ignored=OPEN\n"
			 "open h1 d0/f0 wronly\n"
			 "write h1\n";

static const char pipe_flags[] = "fsn 1\npipe h0 h1\n";

static const char ignored_parent[] = "fsn 1\n"
				     "group g0 fanotify\n"
				     "mark g0 add sb . mask=OPEN\n"
				     "mark g0 add inode d0 mask=ON_CHILD\n"
				     "mark g0 add inode d0 ignored=OPEN surv\n"
				     "open h0 d0/f0 rdonly\n";

static const char ignored_added[] = "fsn 1\n"
				    "group g0 fanotify\n"
				    "mark g0 add inode f0 mask=OPEN\n"
				    "mark g0 add inode f0 ignored=CLOSE_WRITE\n";

static const char surv_later[] = "fsn 1\n"
				 "group g0 fanotify\n"
				 "mark g0 add inode f0 mask=OPEN\n"
				 "mark g0 add inode f0 ignored=OPEN\n"
				 "mark g0 add inode f0 ignored=OPEN surv\n";

/* The modify clears g1's ignored mask, nothing is recalculated. Adding MODIFY then makes the
 * vanilla side recalculate, which drops CLOSE_NOWRITE from its cached mask; the optimized side has
 * had MODIFY in it all the time and keeps both. */
static const char leftover[] = "fsn 1\n"
			       "group g0 fanotify\n"
			       "group g1 fanotify\n"
			       "mark g1 add sb . ignored=CLOSE_NOWRITE\n"
			       "mark g0 add sb . mask=ACCESS\n"
			       "open h0 f0 wronly\n"
			       "write h0\n"
			       "mark g0 add sb . mask=MODIFY\n"
			       "open h1 f1 rdonly\n"
			       "close h1\n";

static const char mount_only[] = "fsn 1\n"
				 "group g0 fanotify\n"
				 "mark g0 add mount . mask=OPEN\n"
				 "open h0 f0 rdonly\n";

static struct program program_of(const char *text)
{
	static struct trace t;
	struct text_error error = {""};
	if (!text_parse("test", text, strlen(text), &t, &error))
		fail_msg("%s", error.message);
	return t.program;
}

static struct pair pair_of(const char *names)
{
	struct pair pair;
	char error[1024];
	if (!pair_open(&pair, names, error, sizeof(error)))
		fail_msg("%s", error);
	return pair;
}

/* Judges a trace on a pair; both paths must say the same. */
static struct verdict judge(const char *names, const char *text)
{
	struct pair pair = pair_of(names);
	struct program p = program_of(text);
	struct verdict v;
	pair_judge(&pair, &p, &v);
	assert_int_equal(pair_agrees(&pair, &p), v.oracle == ORACLE_NONE);
	pair_explain(&pair, &p, &v);
	pair_close(&pair);
	return v;
}

/* Deterministic noise: bytes of a generator that is the same everywhere, read as programs. */
static void random_program(uint64_t seed, struct program *p)
{
	uint8_t data[256];
	uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
	for (size_t i = 0; i < sizeof(data); i++) {
		x = world_mix(x, i);
		data[i] = (uint8_t)(x >> 40);
	}
	bytes_decode(data, sizeof(data), p);
}

/* ---- names ---- */

static void the_plain_names_are_the_real_builds(void **state)
{
	struct executor e;
	char error[1024];
	(void)state;
	assert_true(executor_open(&e, "vanilla", error, sizeof(error)));
	assert_ptr_equal(e.build, &core_vanilla);
	assert_int_equal(e.toggles, TOGGLES_VANILLA);
	executor_close(&e);
	assert_true(executor_open(&e, "optimized", error, sizeof(error)));
	assert_ptr_equal(e.build, &core_optimized);
	assert_int_equal(e.claims, TOGGLES_OPTIMIZED);
	executor_close(&e);
}

static void signs_switch_toggles_of_the_workbench(void **state)
{
	struct executor e;
	char error[1024];
	(void)state;
	assert_true(
		executor_open(&e, "optimized-modify_mask+k1+mutant_no_fold", error, sizeof(error)));
	assert_ptr_equal(e.build, &core_workbench);
	assert_int_equal(e.toggles, (TOGGLES_OPTIMIZED & ~TOGGLE_BIT(MODIFY_MASK)) |
					    TOGGLE_BIT(QUIRK_K1) | TOGGLE_BIT(MUTANT_NO_FOLD));
	assert_int_equal(e.claims, e.toggles & ~TOGGLE_BIT(MUTANT_NO_FOLD));
	executor_start(&e, &world_defaults, NULL);
	assert_int_equal(e.world->toggles, e.toggles);
	executor_close(&e);
}

static void a_wrong_name_is_answered_with_the_nearest(void **state)
{
	struct executor e;
	char error[1024];
	(void)state;
	assert_false(executor_open(&e, "optimised", error, sizeof(error)));
	assert_non_null(strstr(error, "one of: optimized, vanilla"));
	assert_false(executor_open(&e, "workbench", error, sizeof(error)));
	assert_false(executor_open(&e, "", error, sizeof(error)));
	assert_false(executor_open(&e, "vanilla+", error, sizeof(error)));
	assert_false(executor_open(&e, "vanilla+k99", error, sizeof(error)));
	assert_false(executor_open(&e, "vanilla-parent_ignore_fxi", error, sizeof(error)));
	assert_non_null(strstr(error, "\"parent_ignore_fxi\""));
	assert_non_null(strstr(error, "nearest first: parent_ignore_fix, "));
	assert_non_null(strstr(error, "mutant_no_recalc_surv"));
}

static void a_pair_is_two_names(void **state)
{
	static const char *const wrong[] = {"vanilla", "vanilla,",    ",vanilla",
					    "",	       "vanilla,opt", "vanilla,vanilla,vanilla"};
	struct pair pair;
	char error[1024];
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error[0] = '\0';
		assert_false(pair_open(&pair, wrong[i], error, sizeof(error)));
		assert_true(error[0]);
	}
}

static void work_is_asked_of_the_side_that_claims_to_save_it(void **state)
{
	static const struct {
		const char *names;
		bool work;
	} rows[] = {
		{"vanilla,optimized", true},
		{"optimized,vanilla", false},
		{"vanilla,vanilla", true},
		{"vanilla,vanilla+unwatched", true},
		{"vanilla,optimized-modify_mask", true},
		{"optimized,optimized+mutant_no_recalc_surv", true},
		{"vanilla+k1,optimized", true},
		{"vanilla+unwatched,vanilla+modify_mask", false},
		{"vanilla-parent_ignore_fix,vanilla", false},
		{"vanilla,vanilla+pseudo_opt_out_2020", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair pair = pair_of(rows[i].names);
		if (pair.work != rows[i].work)
			fail_msg("%s", rows[i].names);
		pair_close(&pair);
	}
}

/* ---- verdicts ---- */

static void every_kind_of_divergence_has_its_key(void **state)
{
	static const struct {
		const char *names, *trace, *key, *known;
	} rows[] = {
		{"vanilla,optimized", k1, "marks/write/ignored/-", "K1"},
		{"optimized,vanilla", k1, "marks/write/ignored/+", "K1"},
		{"vanilla,optimized", leftover, "work/close/sections/+", "K3"},
		{"vanilla,optimized+modify_mask_precise", k1, "", ""},
		{"vanilla,optimized-modify_mask", k1, "", ""},
		{"vanilla+k1,optimized", k1, "", ""},
		{"vanilla,vanilla+pseudo_opt_out_2020", pipe_flags, "files/pipe/flags/+", ""},
		{"vanilla+pseudo_opt_out_2020,vanilla", pipe_flags, "files/pipe/flags/-", ""},
		{"vanilla,vanilla+pseudo_opt_out", pipe_flags, "", ""},
		{"vanilla-parent_ignore_fix,vanilla", ignored_parent, "events/open/queue/-", ""},
		{"vanilla,optimized+mutant_no_fold", k1, "masks/mark_add/missing/b", ""},
		{"optimized+mutant_no_fold,vanilla", k1, "masks/mark_add/missing/a", ""},
		{"vanilla,optimized+mutant_no_recalc_ignored", ignored_added,
		 "masks/mark_add/missing/b", ""},
		{"vanilla,optimized+mutant_no_recalc_surv", surv_later, "masks/mark_add/stale/b",
		 ""},
		{"vanilla,optimized+mutant_forget_mount", mount_only, "events/open/queue/-", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct verdict v = judge(rows[i].names, rows[i].trace);
		if (strcmp(v.key, rows[i].key) || strcmp(v.known, rows[i].known))
			fail_msg("%s: key \"%s\" known \"%s\", expected \"%s\" \"%s\"",
				 rows[i].names, v.key, v.known, rows[i].key, rows[i].known);
	}
}

static void more_work_than_allowed_is_a_divergence(void **state)
{
	struct pair pair = pair_of("optimized,vanilla");
	struct program p = program_of("fsn 1\nopen h0 f0 wronly\nwrite h0\n");
	struct verdict v;
	(void)state;
	assert_true(pair_agrees(&pair, &p));
	pair.work = true;
	assert_false(pair_agrees(&pair, &p));
	pair_judge(&pair, &p, &v);
	assert_string_equal(v.key, "work/write/sections/+");
	pair_close(&pair);
}

static void only_the_first_difference_is_reported(void **state)
{
	struct verdict v = judge("vanilla,optimized", k1);
	(void)state;
	assert_int_equal(v.oracle, ORACLE_MARKS);
	assert_int_equal(v.op, 4);
	assert_int_equal(v.op_id, OP_WRITE);
	assert_int_equal(v.explained_by, TOGGLE_BIT(QUIRK_K1));
}

static void the_hot_path_and_the_judge_agree_on_random_programs(void **state)
{
	static const char *const names[] = {
		"vanilla,optimized",
		"optimized,vanilla",
		"vanilla,vanilla+pseudo_opt_out_2020",
		"vanilla-parent_ignore_fix,vanilla",
		"vanilla,optimized+mutant_no_recalc_surv",
		"vanilla,optimized+mutant_forget_mount",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pair pair = pair_of(names[i]);
		for (uint64_t seed = 0; seed < 1500; seed++) {
			struct program p;
			struct verdict v;
			random_program(seed, &p);
			pair_judge(&pair, &p, &v);
			if (pair_agrees(&pair, &p) != (v.oracle == ORACLE_NONE))
				fail_msg("%s, seed %u: %s", names[i], (unsigned)seed, v.key);
		}
		pair_close(&pair);
	}
}

static void pairs_that_must_be_the_same_are(void **state)
{
	static const char *const names[] = {
		"vanilla,vanilla",
		"vanilla,vanilla+parent_ignore_fix",
		"optimized,optimized+unwatched",
		"vanilla,optimized-modify_mask",
		"vanilla,optimized+modify_mask_precise",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pair pair = pair_of(names[i]);
		for (uint64_t seed = 0; seed < 3000; seed++) {
			struct program p;
			struct verdict v;
			random_program(seed, &p);
			if (pair_agrees(&pair, &p))
				continue;
			pair_judge(&pair, &p, &v);
			fail_msg("%s, seed %u: %s at %u", names[i], (unsigned)seed, v.key, v.op);
		}
		pair_close(&pair);
	}
}

/* ---- the masks oracle ---- */

static void a_forgotten_bit_is_missing_and_a_kept_one_is_surplus(void **state)
{
	struct executor e;
	struct program p = program_of(k1);
	struct audit_fault fault;
	const char *field = NULL;
	char error[256];
	(void)state;
	assert_true(executor_open(&e, "vanilla", error, sizeof(error)));
	executor_start(&e, &p.config, NULL);
	for (unsigned i = 0; i < 3; i++)
		executor_step(&e, &p.op[i]);
	assert_true(audit_masks(e.world, e.claims, &field));
	assert_false(audit_find(e.world, TOGGLES_OPTIMIZED, &fault));
	assert_string_equal(fault.field, "missing");
	assert_int_equal(fault.interest, FS_MODIFY);

	struct connector *c = &e.world->connector[fault.connector];
	c->interest |= FS_MODIFY;
	c->exact = true;
	assert_false(audit_masks(e.world, TOGGLES_VANILLA, &field));
	assert_string_equal(field, "surplus");
	c->exact = false;
	assert_true(audit_masks(e.world, TOGGLES_VANILLA, &field));
	c->lost = FS_MODIFY;
	assert_false(audit_masks(e.world, TOGGLES_VANILLA, &field));
	assert_string_equal(field, "stale");
	assert_true(audit_masks(e.world, TOGGLES_OPTIMIZED, &field));
	executor_close(&e);
}

/* ---- digests and explanations ---- */

static void a_digest_tells_programs_apart_and_repeats(void **state)
{
	struct executor e;
	char error[256];
	struct program p = program_of(k1), shorter = p;
	(void)state;
	assert_true(executor_open(&e, "optimized", error, sizeof(error)));
	uint64_t digest = executor_digest(&e, &p);
	shorter.count--;
	assert_true(executor_digest(&e, &shorter) != digest);
	assert_true(executor_digest(&e, &p) == digest);
	executor_close(&e);
}

static char *explanation_of(const char *names, const char *text, bool verbose)
{
	struct pair pair = pair_of(names);
	struct program p = program_of(text);
	struct verdict v;
	char *page = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&page, &size);
	assert_non_null(out);
	pair_judge(&pair, &p, &v);
	pair_explain(&pair, &p, &v);
	explain_print(&pair, &p, &v, out, verbose, false);
	fclose(out);
	pair_close(&pair);
	return page;
}

static void explanations_show_both_sides_and_say_why(void **state)
{
	static const struct {
		const char *names, *trace, *says[6];
	} rows[] = {
		{"vanilla,optimized",
		 k1,
		 {"marks/write/ignored/-", "=>   5  write h1\n",
		  "vanilla:   inode d0 mask=OPEN|ON_CHILD ignored=OPEN\n",
		  "optimized: inode d0 mask=OPEN|ON_CHILD ignored=0\n", "MODIFY of",
		  "explained by K1"}},
		{"vanilla,vanilla+pseudo_opt_out_2020", pipe_flags, {"0x4000000 (FMODE_NONOTIFY"}},
		{"vanilla,optimized+mutant_no_fold", k1, {"lacks MODIFY"}},
		{"vanilla,optimized+mutant_no_recalc_surv", surv_later, {"still has MODIFY"}},
		{"vanilla,optimized+mutant_forget_mount",
		 mount_only,
		 {"to g0", "OPEN f0", "nothing"}},
		{"vanilla,vanilla", k1, {"the same", "write h1"}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *page = explanation_of(rows[i].names, rows[i].trace, i & 1);
		for (size_t j = 0; j < 6 && rows[i].says[j]; j++)
			if (!strstr(page, rows[i].says[j]))
				fail_msg("\"%s\" is not in\n%s", rows[i].says[j], page);
		free(page);
	}
}

static void every_divergence_of_random_programs_can_be_explained(void **state)
{
	static const char *const names[] = {"vanilla,optimized",
					    "vanilla,vanilla+pseudo_opt_out_2020",
					    "vanilla-parent_ignore_fix,vanilla"};
	FILE *out = fopen("/dev/null", "w");
	(void)state;
	assert_non_null(out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pair pair = pair_of(names[i]);
		for (uint64_t seed = 0; seed < 1500; seed++) {
			struct program p;
			struct verdict v;
			random_program(seed, &p);
			pair_judge(&pair, &p, &v);
			if (v.oracle != ORACLE_NONE)
				explain_print(&pair, &p, &v, out, true, true);
		}
		pair_close(&pair);
	}
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plain_names_are_the_real_builds),
		cmocka_unit_test(signs_switch_toggles_of_the_workbench),
		cmocka_unit_test(a_wrong_name_is_answered_with_the_nearest),
		cmocka_unit_test(a_pair_is_two_names),
		cmocka_unit_test(work_is_asked_of_the_side_that_claims_to_save_it),
		cmocka_unit_test(every_kind_of_divergence_has_its_key),
		cmocka_unit_test(more_work_than_allowed_is_a_divergence),
		cmocka_unit_test(only_the_first_difference_is_reported),
		cmocka_unit_test(the_hot_path_and_the_judge_agree_on_random_programs),
		cmocka_unit_test(pairs_that_must_be_the_same_are),
		cmocka_unit_test(a_forgotten_bit_is_missing_and_a_kept_one_is_surplus),
		cmocka_unit_test(a_digest_tells_programs_apart_and_repeats),
		cmocka_unit_test(explanations_show_both_sides_and_say_why),
		cmocka_unit_test(every_divergence_of_random_programs_can_be_explained),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
