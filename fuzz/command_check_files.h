/* SPDX-License-Identifier: MIT */
/* Traces on the model and on the running kernel, with their expectations. */
#ifndef FUZZ_COMMAND_CHECK_FILES_H
#define FUZZ_COMMAND_CHECK_FILES_H

#include "fuzz/command_check_count.h"
#include "fuzz/input.h"

/* What became of one file. */
struct check_file {
	struct check_result result;
	unsigned unmet; /* expectations */
	char unmet_text[1024];
};

struct check_files {
	struct input_list list;
	struct input *input;
	struct check_file *file;   /* shared with the process that runs them, like the next two */
	struct check_count *count; /* of all of them */
	unsigned *next;		   /* the file that is being run */
	bool claims; /* hold the kernel to the expectations of the model's build, at its level */
};

/* Reads files, and those of directories. Gives EXIT_SAME, or another code after a message. */
int check_files_load(struct check_files *f, char **paths, unsigned count);

/* Runs them in a process of its own; the same codes. */
int check_files_run(struct check_files *f, const struct check_options *o,
		    const struct live_level *level);

/* SAME, SKIPPED, FAILED, or DISAGREES also when an expectation was not met. */
enum check_status check_files_status(const struct check_files *f, unsigned i);

/* Prints where a file disagrees. */
void check_files_print(const struct check_files *f, unsigned i);

void check_files_free(struct check_files *f);

#endif
