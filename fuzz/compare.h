/* SPDX-License-Identifier: MIT */
/*
 * The comparator: one program on two executors, held against each other after every operation.
 * Only the first divergence is reported; what follows it is cascade.
 */
#ifndef FUZZ_COMPARE_H
#define FUZZ_COMPARE_H

#include "fuzz/executor.h"

/* Oracles, in the order in which they are asked after an operation (design: README, "Oracles"). */
enum oracle {
	ORACLE_NONE,
	ORACLE_RETURNS, /* return value or errno */
	ORACLE_EVENTS,	/* what was queued to which group */
	ORACLE_MARKS,	/* mask, ignored mask and visible flags of every mark */
	ORACLE_FILES,	/* F_GETFL of every open file */
	ORACLE_WORK,	/* the optimized side does no more than the vanilla side */
	ORACLE_MASKS,	/* a cached interest mask lacks nothing, and has nothing too much when fresh
			 */
	ORACLE_BALANCE, /* a failed call changes no counter; nothing is left at the end */
	ORACLE_STEPS,	/* the program stays within its budget of steps */
	ORACLE_COUNT,
};

enum { VERDICT_KEY = 128, VERDICT_FIELD = 48 };

struct verdict {
	enum oracle oracle; /* ORACLE_NONE: the same */
	unsigned op;	    /* index of the operation at which they part; p->count: the end */
	uint8_t op_id;	    /* its id; OP_COUNT: the end, when everything is closed */
	char field[VERDICT_FIELD]; /* "ignored", "mask", "queue", "return", "flags", "sections", …
				    */
	const char *direction;	   /* "+": side B has more, "-": side B has less, "~": neither;
				    * "a", "b": the side that breaks the oracle by itself */
	char key[VERDICT_KEY];	   /* bucket key: oracle/operation/field/direction */
	uint32_t explained_by;	   /* quirks that make both sides equal; 0: new */
	char known[32];		   /* "K1", "K1+K2", or "" */
};

struct pair {
	struct executor a, b;
	bool work;	       /* ask the work oracle: b claims to do less than a */
	bool trees;	       /* both sides are kernel trees: the model explains what it can */
	bool quirk_on_b;       /* b is the side on which quirks are switched on */
	struct executor quirk; /* that side, to be given quirks; name empty when neither can have
				* any. It runs in the world of the side that it stands for. */
};

/* Opens "A,B". The default pair is "vanilla,optimized". The work oracle is asked when b has every
 * optimisation that a has, and more, or the very same toggles apart from mutants; not when only one
 * side has the parent-ignore fix, which makes work that is due. */
bool pair_open(struct pair *pair, const char *names, char *error, size_t size);
void pair_close(struct pair *pair);

/* The hot path: true when both sides agree on everything after every operation. */
bool pair_agrees(struct pair *pair, const struct program *p);

/* The same, and on a divergence everything about it: which oracle, where, which field. */
void pair_judge(struct pair *pair, const struct program *p, struct verdict *v);

/* Asks which quirks explain a divergence (singly, then together): sets explained_by and known. In
 * kernel trees nothing can be switched on. There a divergence is explained when the model, vanilla
 * against optimized at the level of the trees, diverges in the same bucket and quirks explain that.
 */
void pair_explain(struct pair *pair, const struct program *p, struct verdict *v);

/* A digest of everything one executor lets be observed: the same on every machine. */
uint64_t executor_digest(struct executor *e, const struct program *p);

const char *oracle_name(enum oracle o);

#endif
