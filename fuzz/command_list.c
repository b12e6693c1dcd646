/* SPDX-License-Identifier: MIT */
/* fsndiff list: the names that the other subcommands and the traces understand. */
#include <getopt.h>
#include <string.h>

#include "fuzz/command.h"
#include "fuzz/text.h"

static const char help[] =
	"usage: fsndiff list executors|operations|events|levels|toggles|quirks|mutants|oracles\n"
	"Prints names, one a line, each with what it stands for.\n"
	"\n"
	"  fsndiff list operations   what a trace can say\n"
	"  fsndiff list toggles      what can be put behind an executor's name\n";

static void print_toggles(unsigned kinds)
{
	for (unsigned i = 0; i < TOGGLE_COUNT; i++)
		if (kinds & 1u << core_toggles[i].kind)
			printf("%-26s %s\n", core_toggles[i].name, core_toggles[i].what);
}

static void list_executors(void)
{
	printf("%-26s %s\n", "vanilla", "the core without the optimisations");
	printf("%-26s %s\n", "optimized", "the core with all of them");
	printf("%-26s %s\n", "BASE+TOGGLE, BASE-TOGGLE",
	       "one of the two with toggles on or off, in any number");
	printf("%-26s %s\n", "tree:NAME", "a kernel tree's own fs/notify (fsndiff trees --help)");
}

static const char *const arg_words[ARG_KINDS] = {
	[ARG_GROUP] = "GROUP",
	[ARG_HANDLE] = "HANDLE",
	[ARG_PATH] = "PATH",
	[ARG_OBJECT] = "OBJECT",
	[ARG_FORM] = "FORM",
	[ARG_EVENTS] = "EVENTS",
	[ARG_MARKFLAGS] = "[FLAGS]",
	[ARG_CLASS] = "CLASS",
	[ARG_REPORT] = "REPORT",
	[ARG_INITFLAGS] = "[FLAGS]",
	[ARG_ANSWER] = "ANSWER",
	[ARG_WATCHMASK] = "EVENTS",
	[ARG_WD] = "WD",
	[ARG_ACCESS] = "ACCESS",
	[ARG_OPENFLAGS] = "[FLAGS]",
	[ARG_SETFL] = "[FLAGS]",
	[ARG_TIMES] = "TIMES",
	[ARG_NODE] = "NODE",
	[ARG_RENAMEFLAGS] = "[FLAGS]",
	[ARG_MOUNT] = "MOUNT",
	[ARG_WHO] = "WHO",
};

static void print_operation(const struct op_info *info)
{
	char line[160];
	size_t used = (size_t)snprintf(line, sizeof(line), "%s", info->word);

	for (unsigned i = 0; i < info->args && used < sizeof(line); i++) {
		const struct arg_info *a = &info->arg[i];

		if (a->kind == ARG_FORM)
			continue;
		used += (size_t)snprintf(line + used, sizeof(line) - used, " %s%s%s%s%s",
					 a->kind == ARG_EVENTS ? "FORM=" : "", a->key,
					 a->key[0] ? "=" : "", arg_words[a->kind],
					 i == 0 && info->sub[0] ? " " : "");
		if (i == 0 && used < sizeof(line))
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s", info->sub);
	}
	printf("%-52s %s\n", line, info->what);
}

static void list_operations(void)
{
	for (unsigned i = 0; i < OP_COUNT; i++)
		print_operation(&op_table[i]);
}

static void list_events(void)
{
	char name[64];

	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t mask = (1u << bit) & (FANOTIFY_EVENTS | FS_PRE_ACCESS | FS_FLAGS);

		if (mask)
			printf("%-18s 0x%08x%s\n", text_events(mask, name, sizeof(name)), mask,
			       mask & FANOTIFY_FID_EVENTS ? "  needs a group with report="
			       : mask & FS_PERM_EVENTS	  ? "  permission"
			       : mask & FS_PRE_ACCESS	  ? "  only refused (docs/fidelity.md)"
							  : "");
	}
}

static void list_levels(void)
{
	enum core_level in_order[LEVEL_COUNT];

	for (unsigned i = 0; i < LEVEL_COUNT; i++) {
		unsigned at = i;

		for (; at && core_level_compare(in_order[at - 1], (enum core_level)i) > 0; at--)
			in_order[at] = in_order[at - 1];
		in_order[at] = (enum core_level)i;
	}
	for (unsigned i = 0; i < LEVEL_COUNT; i++)
		printf("%s%s\n", core_level_names[in_order[i]],
		       in_order[i] == LEVEL_DEFAULT ? "  default" : "");
}

static void list_toggles(void)
{
	print_toggles(1u << TOGGLE_DECISION | 1u << TOGGLE_QUIRK | 1u << TOGGLE_MUTANT);
}

static void list_quirks(void)
{
	print_toggles(1u << TOGGLE_QUIRK);
}

static void list_mutants(void)
{
	print_toggles(1u << TOGGLE_MUTANT);
}

static void list_oracles(void)
{
	static const char *const what[ORACLE_COUNT] = {
		[ORACLE_RETURNS] = "return value or errno",
		[ORACLE_EVENTS] = "what was queued to which group",
		[ORACLE_MARKS] = "mask, ignored mask and visible flags of every mark",
		[ORACLE_FILES] = "visible flags of every open file",
		[ORACLE_WORK] = "the optimised side does no more than the other",
		[ORACLE_MASKS] =
			"a cached interest mask lacks nothing, and a fresh one has nothing extra",
		[ORACLE_BALANCE] = "a failed call changes no counter; nothing is left at the end",
		[ORACLE_STEPS] = "the program stays within its budget of steps",
	};

	for (unsigned i = ORACLE_NONE + 1; i < ORACLE_COUNT; i++)
		printf("%-9s %s\n", oracle_name((enum oracle)i), what[i]);
}

static const struct {
	const char *word;
	void (*print)(void);
} lists[] = {
	{"executors", list_executors}, {"operations", list_operations}, {"events", list_events},
	{"levels", list_levels},       {"toggles", list_toggles},	{"quirks", list_quirks},
	{"mutants", list_mutants},     {"oracles", list_oracles},
};

static int run(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help(&command_list);
		return command_usage(&command_list, "nothing was listed");
	}
	if (optind + 1 != argc)
		return command_usage(&command_list, "one word, not %d", argc - optind);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(lists[i].word, argv[optind]) != 0)
			continue;
		lists[i].print();
		return EXIT_SAME;
	}
	return command_usage(&command_list, "there is no list of \"%s\"", argv[optind]);
}

const struct command command_list = {"list", "names: executors, operations, events, ...", help,
				     run};
