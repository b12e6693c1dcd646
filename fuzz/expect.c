/* SPDX-License-Identifier: MIT */
/* Expectations held against an executor (fuzz/expect.h). */
#include "fuzz/expect.h"

#include <string.h>

#include "fuzz/outcome.h"

unsigned expect_check(struct executor *e, const struct trace *t, const char *file, FILE *out)
{
	const struct program *p = &t->program;
	char got[TEXT_OUTCOME];
	struct journal journal;
	unsigned next = 0, unmet = 0;

	executor_start(e, &p->config, &journal);
	for (unsigned i = 0; i < p->count; i++) {
		int32_t ret;

		journal.count = 0;
		ret = executor_step(e, &p->op[i]);
		if (next == t->expectations)
			break;
		if (t->expectation[next].op != i)
			continue;
		outcome_text(e->world, &p->op[i], ret, &journal, got, sizeof(got));
		for (; next < t->expectations && t->expectation[next].op == i; next++) {
			const struct expectation *x = &t->expectation[next];

			if (!text_condition_holds(x->condition, e->name, p->config.level) ||
			    strcmp(x->outcome, got) == 0)
				continue;
			unmet++;
			if (out)
				fprintf(out, "%s:%u: expected \"%s\", got \"%s\", on executor %s\n",
					file, x->line, x->outcome, got, e->name);
		}
	}
	e->world->journal = NULL;
	return unmet;
}
