/* SPDX-License-Identifier: MIT */
/* The command fsndiff: picks the subcommand (fuzz/command.h) and exits with what it returns. */
#include <stdio.h>
#include <string.h>

#include "fuzz/command.h"
#include "fuzz/tree_loader.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
	FSNDIFF_COMMANDS(COMMAND)
#undef COMMAND
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE *out)
{
	fputs("usage: fsndiff COMMAND [OPTION...] [FILE...]\n"
	      "Runs the same operations on two builds of a file-notification core and finds the "
	      "first\ndifference that anybody can see.\n\n",
	      out);
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nA FILE is a text trace (.fsn) or the raw bytes of either fuzzing engine.\n"
	      "fsndiff COMMAND --help shows options and examples. Exit codes: 0 the same or only\n"
	      "known divergences, 2 usage or bad input, 3 environment, 77 new divergence or "
	      "crash,\n"
	      "78 not reproduced, 79 reproduced in another bucket.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *c;
	char title[64];

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		c = argc > 2 ? find_command(argv[2]) : NULL;
		if (c)
			return command_help(c);
		print_help(stdout);
		return EXIT_SAME;
	}
	tree_loader_use();
	c = find_command(argv[1]);
	if (!c) {
		fprintf(stderr, "fsndiff: unknown command \"%s\"; see fsndiff --help\n", argv[1]);
		return EXIT_USAGE;
	}
	snprintf(title, sizeof(title), "fsndiff %s", c->name);
	argv[1] = title; /* getopt_long() begins its complaints with this */
	return c->run(argc - 1, argv + 1);
}
