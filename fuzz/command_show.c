/* SPDX-License-Identifier: MIT */
/* fsndiff show: the text form of an input. */
#include <getopt.h>

#include "fuzz/command.h"
#include "fuzz/input.h"

static const char help[] =
	"usage: fsndiff show FILE\n"
	"Prints the program in FILE as canonical text; expectations and comments are not part of\n"
	"a program and are left out.\n"
	"\n"
	"  fsndiff show crash-1a2b3c > crash.fsn   what a fuzzer found, to read and to keep\n"
	"  fsndiff show trace.fsn                  the same trace in its canonical form\n";

static int run(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	char error[INPUT_ERROR];
	struct input in;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help(&command_show);
		return command_usage(&command_show, "nothing was shown");
	}
	if (optind + 1 != argc)
		return command_usage(&command_show, "one FILE, not %d", argc - optind);
	if (!input_load(&in, argv[optind], error, sizeof(error)))
		return command_fail(&command_show, EXIT_USAGE, "%s", error);
	text_print(&in.trace->program, stdout);
	input_free(&in);
	return fflush(stdout) == 0 ? EXIT_SAME
				   : command_fail(&command_show, EXIT_ENVIRONMENT,
						  "standard output cannot be written");
}

const struct command command_show = {"show", "print an input as text", help, run};
