/* SPDX-License-Identifier: MIT */
/* Findings on disk (fuzz/findings.h). */
#include "fuzz/findings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/bytes.h"
#include "fuzz/minimize.h"
#include "fuzz/text.h"

enum { BALLAST_SIZE = 256 * 1024 };
static const char ballast_name[] = ".ballast";

/* ---- one file ---- */

static bool fail(char *error, size_t size, const char *path)
{
	snprintf(error, size, "%s: %s", path, strerror(errno));
	return false;
}

/* DIR/NAME. False, with errno set: longer than a path can be. */
static bool join(char out[FINDINGS_PATH], const char *dir, const char *name)
{
	int length = snprintf(out, FINDINGS_PATH, "%s/%s", dir, name);

	if (length >= 0 && length < FINDINGS_PATH)
		return true;
	errno = ENAMETOOLONG;
	out[0] = '\0';
	return false;
}

static bool sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_all(int fd, const uint8_t *data, size_t length)
{
	while (length) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		length -= (size_t)n;
	}
	return true;
}

static bool write_synced(const char *path, const void *data, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int saved;
	bool ok;

	if (fd < 0)
		return false;
	ok = write_all(fd, data, length) && fsync(fd) == 0;
	saved = errno;
	if (close(fd) != 0 && ok) {
		saved = errno;
		ok = false;
	}
	if (!ok)
		unlink(path);
	errno = saved;
	return ok;
}

bool findings_write(const char *path, const void *data, size_t length, char *error, size_t size)
{
	const char *slash = strrchr(path, '/');
	int dir_length = slash ? (int)(slash - path) : 1;
	char dir[FINDINGS_PATH], temporary[FINDINGS_PATH], name[NAME_MAX + 1];
	int problem;

	snprintf(dir, sizeof(dir), "%.*s", dir_length, slash ? path : ".");
	snprintf(name, sizeof(name), ".%.200s.%ld", slash ? slash + 1 : path, (long)getpid());
	if (!join(temporary, dir, name) || !write_synced(temporary, data, length))
		return fail(error, size, path);
	if (rename(temporary, path) == 0 && sync_dir(dir))
		return true;
	problem = errno;
	unlink(temporary);
	errno = problem;
	return fail(error, size, path);
}

/* ---- the contents ---- */

/* What a stream collects; freed by the caller. */
struct text {
	char *data;
	size_t length;
};

static void print_json_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == '"' || c == '\\')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_field(const char *name, const char *value, FILE *out)
{
	fprintf(out, "  \"%s\": ", name);
	print_json_string(value, out);
	fputs(",\n", out);
}

static void print_verdict(const struct finding *f, const char *stability, FILE *out)
{
	const struct verdict *v = f->verdict;
	char when[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	fputs("{\n", out);
	print_field("key", v->key, out);
	print_field("known", v->known, out);
	print_field("pair", f->pair, out);
	print_field("oracle", oracle_name(v->oracle), out);
	print_field("operation", v->op_id < OP_COUNT ? op_table[v->op_id].id : "END", out);
	print_field("field", v->field, out);
	print_field("direction", v->direction ? v->direction : "", out);
	print_field("source", f->source, out);
	print_field("stability", stability, out);
	print_field("when", when, out);
	fprintf(out, "  \"operations\": %u,\n", f->program->count);
	fprintf(out, "  \"at\": %u,\n", v->op);
	fprintf(out, "  \"hash\": \"%016" PRIx64 "\"\n}\n", findings_hash(f->program));
}

void findings_print_trace(const struct finding *f, FILE *out)
{
	char *text = NULL, *rest;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);

	if (memory) {
		text_print(f->program, memory);
		fclose(memory);
	}
	rest = text ? strchr(text, '\n') : NULL;
	if (rest)
		fprintf(out, "%.*s\n# pair: %s\n# key: %s\n%s", (int)(rest - text), text, f->pair,
			verdict_bucket(f->verdict), rest + 1);
	free(text);
}

static struct text trace_text(const struct finding *f)
{
	struct text t = {0};
	FILE *out = open_memstream(&t.data, &t.length);

	if (out) {
		findings_print_trace(f, out);
		fclose(out);
	}
	return t;
}

static struct text verdict_text(const struct finding *f, const char *stability)
{
	struct text t = {0};
	FILE *out = open_memstream(&t.data, &t.length);

	if (out) {
		print_verdict(f, stability, out);
		fclose(out);
	}
	return t;
}

uint64_t findings_hash(const struct program *p)
{
	uint8_t bytes[BYTES_MAX];
	size_t length = bytes_encode(p, bytes, sizeof(bytes));
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = world_mix(hash, bytes[i]);
	return hash;
}

void findings_slug(const struct finding *f, char *out, size_t size)
{
	bool standard = strcmp(f->pair, PAIR_DEFAULT) == 0;

	snprintf(out, size, "%s%s%s", verdict_bucket(f->verdict), standard ? "" : "@",
		 standard ? "" : f->pair);
	for (char *c = out; *c; c++)
		if (*c == '/')
			*c = '.';
		else if (*c <= ' ' || *c > '~')
			*c = '_';
}

/* ---- the directory ---- */

static bool make_dirs(const char *path)
{
	char part[FINDINGS_PATH];

	snprintf(part, sizeof(part), "%s", path);
	for (char *c = part + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		if (mkdir(part, 0755) != 0 && errno != EEXIST)
			return false;
		*c = '/';
	}
	return mkdir(part, 0755) == 0 || errno == EEXIST;
}

bool findings_open(const char *dir, char *error, size_t size)
{
	char path[FINDINGS_PATH];
	uint8_t *ballast;
	bool ok;

	if (!join(path, dir, ballast_name) || !make_dirs(dir))
		return fail(error, size, dir);
	ballast = malloc(BALLAST_SIZE);
	if (!ballast)
		return fail(error, size, dir);
	memset(ballast, 0xfd, BALLAST_SIZE);
	ok = write_synced(path, ballast, BALLAST_SIZE);
	free(ballast);
	return ok || fail(error, size, dir);
}

/* Leaves errno as it is. */
static bool drop_ballast(const char *dir)
{
	char path[FINDINGS_PATH];
	int problem = errno;
	bool dropped = join(path, dir, ballast_name) && unlink(path) == 0;

	errno = problem;
	return dropped;
}

void findings_close(const char *dir)
{
	drop_ballast(dir);
}

static bool write_in(const char *dir, const char *name, const void *data, size_t length)
{
	char path[FINDINGS_PATH];

	return join(path, dir, name) && write_synced(path, data, length);
}

static void remove_dir(const char *dir)
{
	static const char *const names[] = {"trace.fsn", "input", "verdict.json"};
	char path[FINDINGS_PATH];

	for (unsigned i = 0; i < 3; i++)
		if (join(path, dir, names[i]))
			unlink(path);
	rmdir(dir);
}

/* Fills a hidden directory and renames it to the bucket. */
static enum saved save_first(const char *dir, const char *bucket, const struct finding *f,
			     const uint8_t *bytes, size_t length)
{
	struct text trace = trace_text(f), verdict = verdict_text(f, "unverified");
	char hidden[FINDINGS_PATH], name[32];
	enum saved saved = SAVED_FAILED;
	int problem;

	snprintf(name, sizeof(name), ".new.%ld", (long)getpid());
	if (join(hidden, dir, name))
		remove_dir(hidden);
	if (hidden[0] && trace.data && verdict.data && mkdir(hidden, 0755) == 0 &&
	    write_in(hidden, "trace.fsn", trace.data, trace.length) &&
	    write_in(hidden, "input", bytes, length) &&
	    write_in(hidden, "verdict.json", verdict.data, verdict.length) && sync_dir(hidden)) {
		if (rename(hidden, bucket) == 0)
			saved = sync_dir(dir) ? SAVED_NEW : SAVED_FAILED;
		else if (errno == EEXIST || errno == ENOTEMPTY)
			saved = SAVED_MORE;
	}
	problem = errno;
	free(trace.data);
	free(verdict.data);
	if (saved != SAVED_NEW)
		remove_dir(hidden);
	errno = problem;
	return saved;
}

static bool same_content(const char *path, const uint8_t *bytes, size_t length)
{
	uint8_t there[BYTES_MAX + 1];
	FILE *f = fopen(path, "rb");
	bool same;

	if (!f)
		return false;
	same = fread(there, 1, sizeof(there), f) == length && memcmp(there, bytes, length) == 0;
	fclose(f);
	return same;
}

static unsigned count_files(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned count = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		count += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return count;
}

static enum saved save_more(const char *bucket, const struct finding *f, const uint8_t *bytes,
			    size_t length)
{
	char path[FINDINGS_PATH], more[FINDINGS_PATH], name[32], error[FINDINGS_ERROR];

	if (join(path, bucket, "input") && same_content(path, bytes, length))
		return SAVED_KNOWN;
	snprintf(name, sizeof(name), "%016" PRIx64, findings_hash(f->program));
	if (!join(more, bucket, "more") || !join(path, more, name))
		return SAVED_FAILED;
	if (same_content(path, bytes, length))
		return SAVED_KNOWN;
	if (count_files(more) >= MORE_MAX)
		return SAVED_FULL;
	if (mkdir(more, 0755) != 0 && errno != EEXIST)
		return SAVED_FAILED;
	return findings_write(path, bytes, length, error, sizeof(error)) ? SAVED_MORE
									 : SAVED_FAILED;
}

static enum saved save(const char *dir, const char *bucket, const struct finding *f,
		       const uint8_t *bytes, size_t length)
{
	struct stat st;
	enum saved saved = SAVED_MORE;

	if (stat(bucket, &st) != 0)
		saved = save_first(dir, bucket, f, bytes, length);
	return saved == SAVED_MORE ? save_more(bucket, f, bytes, length) : saved;
}

/* The last resort: nothing could be stored, so the finding goes where somebody may see it. */
static void print_whole(const struct finding *f, const uint8_t *bytes, size_t length)
{
	fprintf(stderr, "finding that could not be saved, as text:\n");
	findings_print_trace(f, stderr);
	fprintf(stderr, "and as bytes (hexadecimal):\n");
	for (size_t i = 0; i < length; i++)
		fprintf(stderr, "%02x%s", bytes[i], i % 32 == 31 ? "\n" : "");
	fprintf(stderr, "\n");
}

enum saved findings_save(const char *dir, const struct finding *f, char *bucket, char *error,
			 size_t size)
{
	uint8_t bytes[BYTES_MAX];
	size_t length = bytes_encode(f->program, bytes, sizeof(bytes));
	char slug[512];
	enum saved saved = SAVED_FAILED;

	findings_slug(f, slug, sizeof(slug));
	if (join(bucket, dir, slug) && make_dirs(dir)) {
		saved = save(dir, bucket, f, bytes, length);
		if (saved == SAVED_FAILED && errno == ENOSPC && drop_ballast(dir))
			saved = save(dir, bucket, f, bytes, length);
	}
	if (saved == SAVED_FAILED) {
		fail(error, size, bucket[0] ? bucket : dir);
		print_whole(f, bytes, length);
	}
	return saved;
}

static bool add(const char *bucket, const char *name, const char *data, size_t length, char *error,
		size_t size)
{
	char path[FINDINGS_PATH];

	if (!data) {
		errno = ENOMEM;
		return fail(error, size, bucket);
	}
	if (!join(path, bucket, name))
		return fail(error, size, bucket);
	return findings_write(path, data, length, error, size);
}

bool findings_add_minimized(const char *bucket, const struct finding *minimized, char *error,
			    size_t size)
{
	struct text t = trace_text(minimized);
	bool ok = add(bucket, "minimized.fsn", t.data, t.length, error, size);

	free(t.data);
	return ok;
}

bool findings_add_report(const char *bucket, const char *text, size_t length, char *error,
			 size_t size)
{
	return add(bucket, "report.txt", text, length, error, size);
}

bool findings_add_stability(const char *bucket, const struct finding *f, const char *stability,
			    char *error, size_t size)
{
	struct text t = verdict_text(f, stability);
	bool ok = add(bucket, "verdict.json", t.data, t.length, error, size);

	free(t.data);
	return ok;
}

/* ---- counts ---- */

void tally_add(struct tally *t, const char *name, uint64_t count)
{
	for (unsigned i = 0; i < TALLY_MAX; i++) {
		if (!t->known[i].name[0])
			snprintf(t->known[i].name, sizeof(t->known[i].name), "%s", name);
		if (strcmp(t->known[i].name, name) == 0) {
			t->known[i].count += count;
			return;
		}
	}
	t->known[TALLY_MAX - 1].count += count;
}

uint64_t tally_total(const struct tally *t)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < TALLY_MAX; i++)
		total += t->known[i].count;
	return total;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

char *tally_text(const struct tally *t, char *out, size_t size)
{
	struct tally sorted = *t;
	size_t used = 0;

	qsort(sorted.known, TALLY_MAX, sizeof(sorted.known[0]), by_name);
	snprintf(out, size, "K1:0");
	for (unsigned i = 0; i < TALLY_MAX && used < size; i++)
		if (sorted.known[i].count)
			used += (size_t)snprintf(out + used, size - used, "%s%s:%" PRIu64,
						 used ? "," : "", sorted.known[i].name,
						 sorted.known[i].count);
	return out;
}
