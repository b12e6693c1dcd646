/* SPDX-License-Identifier: MIT */
/* The minimiser and the mutator: canonical, faithful, deterministic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/minimize.h"
#include "fuzz/mutate.h"
#include "fuzz/text.h"

enum { PROGRAMS_PER_SHAPE = 2, PADDING = 12 };

static const char k1_minimum[] = "fsn 1\n"
				 "group g0 fanotify\n"
				 "mark g0 add inode d0 mask=ON_CHILD\n"
				 "mark g0 add inode d0 ignored=OPEN\n"
				 "truncate d0/f0\n";

/* The same divergence in different clothes. */
static const char *const k1_shapes[] = {
	"fsn 1\n"
	"group g0 fanotify\n"
	"mark g0 add inode d0 mask=OPEN|ON_CHILD\n"
	"mark g0 add inode d0 ignored=OPEN\n"
	"open h0 d0/f0 wronly\n"
	"write h0\n",
	"fsn 1\n"
	"level 6.1\n"
	"order reverse\n"
	"group g3 fanotify class=content report=0\n"
	"mark g3 add inode . ignored=CLOSE_WRITE|ACCESS\n"
	"mark g3 add inode . mask=ACCESS|ON_CHILD|ONDIR\n"
	"utimes f1 mtime\n",
	"fsn 1\n"
	"limits queue=2\n"
	"group g7 inotify\n"
	"group g2 fanotify report=FID|DIR_FID\n"
	"watch g7 d1 mask=ACCESS\n"
	"mark g2 add inode d1 ignored=CLOSE_NOWRITE\n"
	"open h9 d1/f0 rdwr trunc\n",
	"fsn 1\n"
	"group g0 fanotify\n"
	"group g1 fanotify\n"
	"mark g1 add inode d0/d2 mask=CLOSE_WRITE|ON_CHILD\n"
	"mark g0 add inode d0/d2 ignored=OPEN|ACCESS\n"
	"open h1 d0/d2/f0 rdwr\n"
	"ftruncate h1\n"
	"close h1\n",
	"fsn 1\n"
	"group g0 fanotify\n"
	"mark g0 add inode C:d0 mask=OPEN|ON_CHILD\n"
	"mark g0 add inode C:d0 ignored=OPEN\n"
	"open h4 C:d0/f0 rdwr append\n"
	"dup h4 h5\n"
	"fallocate h5\n",
};

static void parse(const char *text, struct program *p)
{
	static struct trace t;
	struct text_error error = {""};

	if (!text_parse("test", text, strlen(text), &t, &error))
		fail_msg("%s", error.message);
	*p = t.program;
}

static void open_pair(struct pair *pair, const char *names)
{
	char error[512];

	if (!pair_open(pair, names, error, sizeof(error)))
		fail_msg("%s", error);
}

/* Puts operations that have nothing to do with it between those that matter. */
static void pad(struct program *p, struct rng *r)
{
	struct op op;
	unsigned at = rng_below(r, p->count + 1);

	generate_op(&op, p, r);
	memmove(&p->op[at + 1], &p->op[at], (p->count - at) * sizeof(op));
	p->op[at] = op;
	p->count++;
}

static void dress(struct bucket_context *c, const char *shape, uint64_t seed, struct program *p)
{
	struct rng r = {seed};

	parse(shape, p);
	assert_true(minimize_keeps_bucket(c, p));
	for (unsigned padded = 0; padded < PADDING;) {
		struct program longer = *p;

		pad(&longer, &r);
		if (!minimize_keeps_bucket(c, &longer))
			continue;
		*p = longer;
		padded++;
	}
}

static void print_for_failure(const struct program *p)
{
	text_print(p, stderr);
}

static void every_program_of_K1_ends_in_the_same_trace(void **state)
{
	struct bucket_context c = {.bucket = "K1"};
	struct minimize_stats stats;
	struct program expected, p;
	struct pair pair;

	(void)state;
	open_pair(&pair, "vanilla,optimized");
	c.pair = &pair;
	parse(k1_minimum, &expected);
	for (unsigned i = 0; i < sizeof(k1_shapes) / sizeof(k1_shapes[0]); i++) {
		for (uint64_t seed = 0; seed < PROGRAMS_PER_SHAPE; seed++) {
			dress(&c, k1_shapes[i], 100 * i + seed, &p);
			minimize_program(&p, minimize_keeps_bucket, &c, 0, &stats);
			if (!program_equal(&p, &expected)) {
				print_for_failure(&p);
				fail_msg("shape %u, seed %u", i, (unsigned)seed);
			}
		}
	}
	pair_close(&pair);
}

static void a_random_find_of_K1_ends_in_that_trace(void **state)
{
	struct bucket_context c = {.bucket = "K1"};
	struct minimize_stats stats;
	struct program expected, p, found;
	struct rng r = {1};
	struct pair pair;
	bool seen = false;

	(void)state;
	open_pair(&pair, "vanilla,optimized");
	c.pair = &pair;
	parse(k1_minimum, &expected);
	for (unsigned i = 0; i < 3000000 && !seen; i++) {
		generate_program(&p, 24, &r);
		seen = minimize_keeps_bucket(&c, &p);
	}
	assert_true(seen);
	found = p;
	minimize_program(&p, minimize_keeps_bucket, &c, 0, &stats);
	assert_true(program_equal(&p, &expected));
	minimize_program(&found, minimize_keeps_bucket, &c, 0, &stats);
	assert_true(program_equal(&found, &expected));
	pair_close(&pair);
}

static void the_bucket_of_a_new_divergence_is_kept(void **state)
{
	struct bucket_context c = {.bucket = ""};
	struct minimize_stats stats;
	struct verdict v;
	struct program p;
	struct pair pair;

	(void)state;
	open_pair(&pair, "vanilla,vanilla+pseudo_opt_out_2020");
	c.pair = &pair;
	parse("fsn 1\n"
	      "level 6.1\n"
	      "group g2 inotify\n"
	      "watch g2 d0 mask=OPEN\n"
	      "open h5 d0/f0 rdonly\n"
	      "pipe h3 h2\n"
	      "getfl h3\n",
	      &p);
	snprintf(c.bucket, sizeof(c.bucket), "%s", pair_bucket(&pair, &p, &v));
	assert_string_equal(c.bucket, "files/pipe/flags/+");
	minimize_program(&p, minimize_keeps_bucket, &c, 0, &stats);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.op[0].id, OP_PIPE);
	assert_string_equal(pair_bucket(&pair, &p, &v), c.bucket);
	assert_false(stats.gave_up);
	pair_close(&pair);
}

static bool keeps_everything(void *context, const struct program *p)
{
	(void)p;
	++*(unsigned long *)context;
	return true;
}

static bool keeps_nothing(void *context, const struct program *p)
{
	(void)context;
	(void)p;
	return false;
}

static void shrinking_ends_at_the_empty_program_or_stays(void **state)
{
	struct minimize_stats stats;
	struct program p, before;
	struct rng r = {7};
	unsigned long calls = 0;

	(void)state;
	generate_program(&p, PROGRAM_OPS, &r);
	before = p;
	minimize_program(&p, keeps_nothing, NULL, 20000, &stats);
	assert_true(program_equal(&p, &before));
	minimize_program(&p, keeps_everything, &calls, 0, &stats);
	assert_int_equal(p.count, 0);
	assert_int_equal(calls, stats.tries);
}

static void the_budget_of_tries_is_kept(void **state)
{
	struct minimize_stats stats;
	struct program p;
	struct rng r = {8};

	(void)state;
	do
		generate_program(&p, PROGRAM_OPS, &r);
	while (p.count < 10);
	minimize_program(&p, keeps_nothing, NULL, 5, &stats);
	assert_true(stats.gave_up);
	assert_int_equal(stats.tries, 5);
}

static void the_order_of_programs_is_total(void **state)
{
	struct program p[3];
	struct rng r = {9};

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		for (unsigned k = 0; k < 3; k++) {
			generate_program(&p[k], 3, &r);
			if (k)
				p[k].count = p[0].count < p[k].count ? p[0].count : p[k].count;
		}
		int ab = minimize_compare(&p[0], &p[1]), bc = minimize_compare(&p[1], &p[2]);

		assert_int_equal(ab<0, minimize_compare(&p[1], &p[0])> 0);
		assert_int_equal(ab == 0, program_equal(&p[0], &p[1]));
		if (ab < 0 && bc < 0)
			assert_true(minimize_compare(&p[0], &p[2]) < 0);
	}
}

static void whatever_is_made_survives_the_byte_form(void **state)
{
	uint8_t bytes[BYTES_MAX];
	struct program p, other, again;
	struct rng r = {10};

	(void)state;
	generate_program(&p, 16, &r);
	for (unsigned i = 0; i < 5000; i++) {
		size_t size;

		mutate_program(&p, &r);
		generate_program(&other, 16, &r);
		if (i % 8 == 0)
			cross_programs(&p, &other, &r);
		size = bytes_encode(&p, bytes, sizeof(bytes));
		assert_true(size > 0);
		assert_int_equal(bytes_decode(bytes, size, &again), BYTES_OK);
		assert_true(program_equal(&p, &again));
	}
}

static void the_same_seed_makes_the_same_programs(void **state)
{
	struct program a, b;
	struct rng r = {11}, s = {11};

	(void)state;
	generate_program(&a, 24, &r);
	generate_program(&b, 24, &s);
	for (unsigned i = 0; i < 500; i++) {
		assert_true(program_equal(&a, &b));
		mutate_program(&a, &r);
		mutate_program(&b, &s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_program_of_K1_ends_in_the_same_trace),
		cmocka_unit_test(a_random_find_of_K1_ends_in_that_trace),
		cmocka_unit_test(the_bucket_of_a_new_divergence_is_kept),
		cmocka_unit_test(shrinking_ends_at_the_empty_program_or_stays),
		cmocka_unit_test(the_budget_of_tries_is_kept),
		cmocka_unit_test(the_order_of_programs_is_total),
		cmocka_unit_test(whatever_is_made_survives_the_byte_form),
		cmocka_unit_test(the_same_seed_makes_the_same_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
