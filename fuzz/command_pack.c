/* SPDX-License-Identifier: MIT */
/* fsndiff pack: the byte form of an input. */
#include <getopt.h>
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/command.h"
#include "fuzz/input.h"

static const char help[] =
	"usage: fsndiff pack FILE [-o OUT]\n"
	"Writes the program in FILE in the byte form that the fuzzers mutate.\n"
	"\n"
	"  -o, --output OUT   write there instead of to standard output; replaced as a whole\n"
	"\n"
	"  fsndiff pack trace.fsn -o corpus/trace   a seed for either engine\n"
	"  fsndiff pack trace.fsn | xxd             its bytes\n";

static int emit(const char *out, const uint8_t *data, size_t length)
{
	char error[FINDINGS_ERROR];

	if (out)
		return findings_write(out, data, length, error, sizeof(error))
			       ? EXIT_SAME
			       : command_fail(&command_pack, EXIT_ENVIRONMENT, "%s", error);
	if (fwrite(data, 1, length, stdout) == length && fflush(stdout) == 0)
		return EXIT_SAME;
	return command_fail(&command_pack, EXIT_ENVIRONMENT, "standard output cannot be written");
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
	char error[INPUT_ERROR];
	uint8_t bytes[BYTES_MAX];
	const char *out = NULL;
	struct input in;
	size_t length;
	int c;

	while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (c) {
		case 'o': out = optarg; break;
		case 'h': return command_help(&command_pack);
		default: return command_usage(&command_pack, "nothing was packed");
		}
	}
	if (optind + 1 != argc)
		return command_usage(&command_pack, "one FILE, not %d", argc - optind);
	if (!input_load(&in, argv[optind], error, sizeof(error)))
		return command_fail(&command_pack, EXIT_USAGE, "%s", error);
	length = bytes_encode(&in.trace->program, bytes, sizeof(bytes));
	input_free(&in);
	return emit(out, bytes, length);
}

const struct command command_pack = {"pack", "write an input as bytes", help, run};
