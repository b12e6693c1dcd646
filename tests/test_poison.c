/* SPDX-License-Identifier: MIT */
/*
 * Memory of the core under ASan: a slot of a pool is readable from its allocation until it is
 * freed, and never again within one program. Without ASan there is nothing to see: skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/poison.h"
#include "fuzz/executor.h"

#ifdef CORE_HAS_ASAN
#define POISONED(at) (__asan_address_is_poisoned(at) != 0)
#define NEEDS_ASAN() ((void)0)
#else
#define POISONED(at) ((void)(at), false)
#define NEEDS_ASAN() skip()
#endif

enum { F0 = PATH_AT_NAME_f0_NO_NAME_NO_NAME };

static const struct op group = {OP_FANOTIFY, {0}};
static const struct op add = {OP_MARK_ADD, {0, OBJECT_INODE, F0, FORM_MASK, FS_OPEN}};
static const struct op removal = {OP_MARK_REMOVE, {0, OBJECT_INODE, F0, FORM_MASK, FS_OPEN}};
static const struct op opening = {OP_OPEN, {0, F0}};
static const struct op reading = {OP_GROUP_READ, {0}};
static const struct op reap = {OP_REAP, {0}};

static void run(struct executor *e, const struct op *op, int32_t expected)
{
	assert_int_equal(executor_step(e, op), expected);
}

static void begin(struct executor *e)
{
	char error[512];

	assert_true(executor_open(e, "vanilla", error, sizeof(error)));
	executor_start(e, &world_defaults, NULL);
	run(e, &group, 0);
}

static void a_mark_is_poisoned_when_its_grace_period_ends(void **state)
{
	struct executor e;

	(void)state;
	NEEDS_ASAN();
	begin(&e);
	assert_true(POISONED(&e.world->mark[0]));
	run(&e, &add, 0);
	assert_false(POISONED(&e.world->mark[0]));
	assert_false(POISONED(&e.world->connector[0]));
	run(&e, &removal, 0);
	assert_false(POISONED(&e.world->mark[0]));
	run(&e, &reap, 0);
	assert_true(POISONED(&e.world->mark[0]));
	assert_true(POISONED(&e.world->connector[0]));
	run(&e, &add, 0);
	assert_true(POISONED(&e.world->mark[0]));
	assert_false(POISONED(&e.world->mark[1]));
	executor_close(&e);
}

static void an_event_is_poisoned_when_it_has_been_read(void **state)
{
	struct executor e;

	(void)state;
	NEEDS_ASAN();
	begin(&e);
	run(&e, &add, 0);
	run(&e, &opening, 0);
	assert_false(POISONED(&e.world->event[0]));
	run(&e, &reading, 1);
	assert_true(POISONED(&e.world->event[0]));
	executor_close(&e);
}

static void a_reset_poisons_what_the_last_program_used(void **state)
{
	struct executor e;

	(void)state;
	NEEDS_ASAN();
	begin(&e);
	run(&e, &add, 0);
	run(&e, &opening, 0);
	executor_start(&e, &world_defaults, NULL);
	assert_true(POISONED(&e.world->mark[0]));
	assert_true(POISONED(&e.world->connector[0]));
	assert_true(POISONED(&e.world->event[0]));
	executor_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_is_poisoned_when_its_grace_period_ends),
		cmocka_unit_test(an_event_is_poisoned_when_it_has_been_read),
		cmocka_unit_test(a_reset_poisons_what_the_last_program_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
