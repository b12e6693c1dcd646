/* SPDX-License-Identifier: MIT */
/* Input files (fuzz/input.h): found, read, recognised, parsed or decoded. */
#include "fuzz/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/bytes.h"

bool input_read(const char *path, uint8_t **data, size_t *length, char *error, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *buffer = NULL;
	bool ok = false;

	errno = 0;
	if (!f || !(buffer = malloc(INPUT_MAX + 1))) {
		snprintf(error, size, "%s: %s", path, strerror(errno ? errno : ENOENT));
		goto out;
	}
	*length = fread(buffer, 1, INPUT_MAX + 1, f);
	if (ferror(f))
		snprintf(error, size, "%s: %s", path, strerror(errno));
	else if (*length == 0)
		snprintf(error, size, "%s: an empty file is no input", path);
	else if (*length > INPUT_MAX)
		snprintf(error, size, "%s: more than %d bytes is no input", path, INPUT_MAX);
	else
		ok = true;
out:
	if (f)
		fclose(f);
	if (!ok) {
		free(buffer);
		buffer = NULL;
	}
	*data = buffer;
	return ok;
}

/* The rest of the first line that starts with `tag`. */
static void find_tag(const char *text, size_t length, const char *tag, char *out, size_t size)
{
	size_t tag_length = strlen(tag);
	const char *end = text + length;

	out[0] = '\0';
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((newline ? newline : end) - line);

		if (n > tag_length && memcmp(line, tag, tag_length) == 0) {
			while (n > tag_length && strchr(" \t\r", line[n - 1]))
				n--;
			snprintf(out, size, "%.*s", (int)(n - tag_length), line + tag_length);
			return;
		}
		line += n + 1;
	}
}

static bool load_text(struct input *in, const char *path, const char *text, size_t length,
		      char *error, size_t size)
{
	struct text_error e;

	in->text = true;
	find_tag(text, length, "# pair: ", in->pair, sizeof(in->pair));
	find_tag(text, length, "# key: ", in->key, sizeof(in->key));
	if (text_parse(path, text, length, in->trace, &e))
		return true;
	snprintf(error, size, "%s", e.message);
	return false;
}

static bool load_bytes(struct input *in, const char *path, const uint8_t *data, size_t length,
		       char *error, size_t size)
{
	if (bytes_decode(data, length, &in->trace->program) != BYTES_FOREIGN)
		return true;
	snprintf(error, size, "%s: made by byte format %u; this build reads %d", path,
		 bytes_version(data, length), BYTES_VERSION);
	return false;
}

bool input_load(struct input *in, const char *path, char *error, size_t size)
{
	uint8_t *data;
	size_t length;
	bool ok;

	memset(in, 0, sizeof(*in));
	if (!input_read(path, &data, &length, error, size))
		return false;
	in->trace = calloc(1, sizeof(*in->trace));
	if (!in->trace) {
		snprintf(error, size, "%s: out of memory", path);
		ok = false;
	} else if (text_recognize(data, length)) {
		ok = load_text(in, path, (const char *)data, length, error, size);
	} else {
		ok = load_bytes(in, path, data, length, error, size);
	}
	free(data);
	if (!ok)
		input_free(in);
	return ok;
}

void input_free(struct input *in)
{
	free(in->trace);
	in->trace = NULL;
}

static bool is_note(const char *name)
{
	static const char *const endings[] = {".md", ".txt", ".json", ".log"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (length > n && strcmp(name + length - n, endings[i]) == 0)
			return true;
	}
	return name[0] == '.';
}

static bool keep(struct input_list *list, const char *path)
{
	char **grown = realloc(list->path, (list->count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	list->path = grown;
	grown[list->count] = strdup(path);
	return grown[list->count] && ++list->count;
}

static bool walk(struct input_list *list, const char *path, char *error, size_t size);

static bool walk_entry(struct input_list *list, const char *dir, const char *name, char *error,
		       size_t size)
{
	size_t length = strlen(dir);
	char *path;
	bool ok;

	if (asprintf(&path, "%s%s%s", dir, length && dir[length - 1] == '/' ? "" : "/", name) < 0) {
		snprintf(error, size, "%s: out of memory", dir);
		return false;
	}
	ok = walk(list, path, error, size);
	free(path);
	return ok;
}

static bool walk(struct input_list *list, const char *path, char *error, size_t size)
{
	struct stat st;
	struct dirent **entry;
	bool ok = true;
	int count;

	if (stat(path, &st) != 0) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		if (keep(list, path))
			return true;
		snprintf(error, size, "%s: out of memory", path);
		return false;
	}
	count = scandir(path, &entry, NULL, alphasort);
	if (count < 0) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		if (ok && !is_note(entry[i]->d_name))
			ok = walk_entry(list, path, entry[i]->d_name, error, size);
		free(entry[i]);
	}
	free(entry);
	return ok;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool input_list_add(struct input_list *list, const char *path, char *error, size_t size)
{
	unsigned before = list->count;

	if (!walk(list, path, error, size))
		return false;
	if (list->count == before) {
		snprintf(error, size, "%s: no input in this directory", path);
		return false;
	}
	qsort(list->path + before, list->count - before, sizeof(*list->path), by_path);
	return true;
}

void input_list_free(struct input_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->path[i]);
	free(list->path);
	memset(list, 0, sizeof(*list));
}
