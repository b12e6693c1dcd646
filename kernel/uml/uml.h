/* SPDX-License-Identifier: MIT */
/*
 * Kernel trees as whole kernels: User Mode Linux guests that run programs and say what every
 * operation did. The last word on what was found in process (fuzz/command_trees.c): no stub and no
 * world of ours has a part in it, but for the choice among several names of a file.
 *
 *   kernel/uml/build     a kernel out of a tree, and the guest's init program
 *   kernel/uml/config    what the kernels are made with
 *   kernel/uml/init.c    runs in the guest
 *   kernel/uml/uml.c     boots guests, many programs each
 *   kernel/uml/keeper.c  holds one guest: time limit, end, nothing left behind
 *   kernel/uml/confirm.c holds guests against one another, and against the trees in process
 *
 * No root is needed. A guest has one processor and no preemption: it sees no races.
 */
#ifndef KERNEL_UML_UML_H
#define KERNEL_UML_UML_H

#include <limits.h>
#include <stdio.h>

#include "fuzz/program.h"

enum { UML_ERROR = 2048, UML_OUTCOME = 16384 };

struct uml_kernel {
	char name[128]; /* of the tree, as the user said it */
	char kernel[PATH_MAX];
	char init[PATH_MAX];
};

/* Builds the kernel of a tree, or finds it built. Progress goes to stderr, and so does what is
 * wrong. Returns an exit code of the command: 0, 2 or 3. */
int uml_prepare(struct uml_kernel *k, const char *tree);

enum uml_status {
	UML_RAN,     /* to its end */
	UML_STOPPED, /* the rest of it cannot be run on a kernel: `reason` */
	UML_CRASHED, /* the kernel went down, `reason` is the last that it said, or it hangs */
};

struct uml_answer {
	enum uml_status status;
	unsigned ops;	      /* operations that have an outcome */
	const char *outcomes; /* one string after the other */
	const char *reason;
};

struct uml_answers {
	unsigned count;
	struct uml_answer *answer;
	struct uml_text *text; /* what they point into */
};

/* One kernel's part of uml_run(). */
struct uml_side {
	const struct uml_kernel *kernel;
	struct uml_answers answers;
};

/* Runs the programs on every side's kernel, side by side. False: `error` says why a guest could
 * not run. The answers are freed by uml_free(), in any case. */
bool uml_run(struct uml_side *side, unsigned sides, const struct program *programs, unsigned count,
	     char *error, size_t size);
void uml_free(struct uml_side *side, unsigned sides);

/* The outcome of an operation below answer->ops. */
const char *uml_outcome(const struct uml_answer *answer, unsigned op);

/* ---- confirming ---- */

struct uml_options {
	unsigned sample;     /* generated programs to be run in process and on the kernels … */
	unsigned sample_ops; /* … of half as many operations to half as many more */
	uint64_t seed;
	const struct program *corpus; /* to be run before them */
	unsigned corpus_count;
	FILE *out; /* what was found, both kernels side by side */
};

/*
 * Builds the kernels of two trees; runs each program, a divergence that was found in process, on
 * both and prints the first operation at which they part; then holds the kernels against the trees
 * in process (executors tree:NAME) by the corpus and a sample of generated programs. Questions
 * about all groups and descriptors are put behind each program, so that nothing stays unseen. Exit
 * code: 0 all confirmed and nothing in the sample differs from what was seen in process, 78
 * otherwise, 2 or 3 when there is no kernel.
 */
int uml_confirm(const char *tree_a, const char *tree_b, const struct program *programs,
		unsigned count, const struct uml_options *options);

#endif
