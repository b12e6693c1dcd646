/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without an engine: every file it is given once, directories walked in sorted
 * order, names beginning with a dot left out. So each target is a regression test too.
 *
 * Says on stderr which input is being run, so that a crash names it; the last line on stdout is
 * "N inputs". Exit 2: something cannot be read, or there was nothing to run.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static bool run_path(const char *path, unsigned *inputs);

static bool complain(const char *path)
{
	perror(path);
	return false;
}

/* The buffer is exactly as long as the input, so that reading past its end is seen. */
static uint8_t *read_file(const char *path, size_t size)
{
	FILE *in = fopen(path, "rb");
	uint8_t *data = malloc(size ? size : 1);

	if (in && data && fread(data, 1, size, in) == size) {
		fclose(in);
		return data;
	}
	if (in)
		fclose(in);
	free(data);
	return NULL;
}

static bool run_file(const char *path, size_t size, unsigned *inputs)
{
	uint8_t *data = read_file(path, size);

	if (!data)
		return complain(path);
	fprintf(stderr, "run %s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	++*inputs;
	return true;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool run_directory(const char *path, unsigned *inputs)
{
	struct dirent **entry;
	int count = scandir(path, &entry, visible, alphasort);
	bool ok = true;

	if (count < 0)
		return complain(path);
	for (int i = 0; i < count; i++) {
		char below[4096];
		int length = snprintf(below, sizeof(below), "%s/%s", path, entry[i]->d_name);

		if (length < 0 || (size_t)length >= sizeof(below))
			ok = complain(path);
		else
			ok &= run_path(below, inputs);
		free(entry[i]);
	}
	free(entry);
	return ok;
}

static bool run_path(const char *path, unsigned *inputs)
{
	struct stat st;

	if (stat(path, &st))
		return complain(path);
	if (S_ISDIR(st.st_mode))
		return run_directory(path, inputs);
	return run_file(path, (size_t)st.st_size, inputs);
}

int main(int argc, char **argv)
{
	unsigned inputs = 0;
	bool ok = true;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		ok &= run_path(argv[i], &inputs);
	if (!inputs)
		fprintf(stderr, "%s: no inputs; usage: %s FILE|DIRECTORY...\n", argv[0], argv[0]);
	printf("%u inputs\n", inputs);
	return ok && inputs ? 0 : 2;
}
