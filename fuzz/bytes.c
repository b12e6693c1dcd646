/* SPDX-License-Identifier: MIT */
/*
 * Format 2 of the bytes (fuzz/bytes.h). Everything here is frozen: bytes that somebody kept are
 * read the same for ever, so a longer list of operations, paths or levels is a new format, and
 * weights may change without this file. tests/golden/v2.txt holds it to that.
 *
 *   header     level | queue: 0 is 16, else 1 … 64 | marks: 0 is 128, else one more than the limit
 *              | bit 0: newest group first; bits 4 … 7: groups, 0 is 16
 *   operation  its code, then its arguments; an operation that is cut off is left out
 *   argument   by its kind, see `codings`. The low values of a pool are more likely than the rest.
 */
#include "fuzz/bytes.h"

#include <string.h>

#include "core/bits.h"

enum {
	V2_OPS = 42,
	V2_PATHS = 28,
	V2_HANDLES = 16,
	V2_PATH_CODES = 3 * V2_PATHS + V2_HANDLES,
	V2_LIKELY_PATHS = 8,
	V2_LEVELS = 12,
};

_Static_assert(BYTES_VERSION == 2 && (int)OP_COUNT == V2_OPS && (int)PATH_COUNT == V2_PATHS &&
		       (int)HANDLE_SLOTS == V2_HANDLES && (int)PATH_CODES == V2_PATH_CODES &&
		       (int)LEVEL_COUNT == V2_LEVELS,
	       "format 2 has no room for more");

/* Which operation a byte means: 1 … 42 their codes, the others shared out by how much each
 * operation can find. */
static const uint8_t op_of_byte[256] = {
#define OP(id, code, ...) [code] = OP_##id,
#include "fuzz/ops.def"
#undef OP
	[0 ... 0] = OP_FANOTIFY,       [43 ... 49] = OP_MARK_ADD,    [50 ... 53] = OP_FANOTIFY,
	[54 ... 58] = OP_OPEN,	       [59 ... 63] = OP_WRITE,	     [64 ... 71] = OP_FANOTIFY,
	[72 ... 75] = OP_INOTIFY,      [76 ... 78] = OP_GROUP_CLOSE, [79 ... 84] = OP_GROUP_READ,
	[85 ... 87] = OP_ANSWER,       [88 ... 113] = OP_MARK_ADD,   [114 ... 119] = OP_MARK_REMOVE,
	[120 ... 121] = OP_MARK_FLUSH, [122 ... 129] = OP_WATCH,     [130 ... 132] = OP_UNWATCH,
	[133 ... 152] = OP_OPEN,       [153 ... 158] = OP_READ,	     [159 ... 174] = OP_WRITE,
	[175 ... 183] = OP_CLOSE,      [184 ... 185] = OP_DUP,	     [186 ... 188] = OP_FTRUNCATE,
	[189 ... 189] = OP_FALLOCATE,  [190 ... 191] = OP_FCHMOD,    [192 ... 194] = OP_READDIR,
	[195 ... 197] = OP_GETFL,      [198 ... 199] = OP_SETFL,     [200 ... 201] = OP_SPLICE,
	[202 ... 203] = OP_MMAP,       [204 ... 207] = OP_PIPE,	     [208 ... 210] = OP_EXEC,
	[211 ... 215] = OP_TRUNCATE,   [216 ... 219] = OP_CHMOD,     [220 ... 221] = OP_UTIMES,
	[222 ... 222] = OP_SETXATTR,   [223 ... 224] = OP_MKNOD,     [225 ... 227] = OP_MKDIR,
	[228 ... 229] = OP_SYMLINK,    [230 ... 232] = OP_LINK,	     [233 ... 238] = OP_UNLINK,
	[239 ... 241] = OP_RMDIR,      [242 ... 247] = OP_RENAME,    [248 ... 249] = OP_EVICT,
	[250 ... 251] = OP_REAP,       [252 ... 252] = OP_UMOUNT,    [253 ... 254] = OP_CALLER,
	[255 ... 255] = OP_MARKS,
};

/* Kinds of the arguments of an operation, ARG_NONE behind the last. */
static const uint8_t argument_kinds[OP_COUNT][OP_ARGS + 1] = {
#define ARG(kind, key, fallback)		   ARG_##kind
#define OP(id, code, word, sub, weight, what, ...) [OP_##id] = {__VA_ARGS__},
#include "fuzz/ops.def"
#undef OP
#undef ARG
};

/* How a kind of argument is coded. */
enum form {
	CODE_BYTE,  /* the value */
	CODE_TWO,   /* modulo 2 */
	CODE_THREE, /* modulo 3 */
	CODE_FOUR,  /* modulo 4 */
	CODE_SLOT,  /* below 128 modulo 2, below 224 modulo 4, else modulo 16 */
	CODE_PATH,  /* its code; above the last one of the first 8 paths of mount A */
	CODE_FLAGS, /* below 128 none; below 192 the first two; else all in the next byte */
	CODE_SET,   /* seven bits; the eighth: the other bits are in the next two bytes */
};

static const uint32_t event_bits[] = {
	FS_ACCESS,	   FS_MODIFY,	 FS_CLOSE_WRITE, FS_CLOSE_NOWRITE,  FS_OPEN,
	FS_EVENT_ON_CHILD, FS_ISDIR,	 FS_ATTRIB,	 FS_MOVED_FROM,	    FS_MOVED_TO,
	FS_CREATE,	   FS_DELETE,	 FS_DELETE_SELF, FS_MOVE_SELF,	    FS_OPEN_EXEC,
	FS_ERROR,	   FS_OPEN_PERM, FS_ACCESS_PERM, FS_OPEN_EXEC_PERM, FS_RENAME,
	FS_PRE_ACCESS,
};
static const uint32_t watch_bits[] = {
	FS_ACCESS,	FS_MODIFY,	FS_CLOSE_WRITE,	  FS_OPEN,	 FS_DELETE_SELF,
	FS_ATTRIB,	IN_MASK_ADD,	FS_CLOSE_NOWRITE, FS_MOVED_FROM, FS_MOVED_TO,
	FS_CREATE,	FS_DELETE,	FS_MOVE_SELF,	  IN_ONLYDIR,	 IN_DONT_FOLLOW,
	IN_EXCL_UNLINK, IN_MASK_CREATE, IN_ISDIR,	  IN_ONESHOT,
};
static const uint32_t mark_flag_bits[] = {FAN_MARK_IGNORED_SURV_MODIFY, FAN_MARK_EVICTABLE,
					  FAN_MARK_ONLYDIR, FAN_MARK_DONT_FOLLOW};
static const uint32_t report_bits[] = {FAN_REPORT_FID, FAN_REPORT_DIR_FID, FAN_REPORT_NAME,
				       FAN_REPORT_TARGET_FID};
static const uint32_t init_flag_bits[] = {FAN_UNLIMITED_QUEUE, FAN_UNLIMITED_MARKS,
					  FAN_REPORT_PIDFD, FAN_REPORT_TID};
static const uint32_t open_flag_bits[] = {FL_CREAT,    FL_TRUNC,     FL_EXCL,	  FL_APPEND,
					  FL_NONBLOCK, FL_DIRECTORY, FL_NOFOLLOW, FL_PATH};
static const uint32_t status_flag_bits[] = {FL_APPEND, FL_NONBLOCK};
static const uint32_t rename_flag_bits[] = {1, 2};

struct coding {
	enum form form;
	unsigned count;
	const uint32_t *bits;
};

#define BITS(list) sizeof(list) / sizeof((list)[0]), (list)

static const struct coding codings[ARG_KINDS] = {
	[ARG_GROUP] = {CODE_SLOT, 0, NULL},
	[ARG_HANDLE] = {CODE_SLOT, 0, NULL},
	[ARG_PATH] = {CODE_PATH, 0, NULL},
	[ARG_OBJECT] = {CODE_THREE, 0, NULL},
	[ARG_FORM] = {CODE_THREE, 0, NULL},
	[ARG_EVENTS] = {CODE_SET, BITS(event_bits)},
	[ARG_MARKFLAGS] = {CODE_FLAGS, BITS(mark_flag_bits)},
	[ARG_CLASS] = {CODE_THREE, 0, NULL},
	[ARG_REPORT] = {CODE_FLAGS, BITS(report_bits)},
	[ARG_INITFLAGS] = {CODE_FLAGS, BITS(init_flag_bits)},
	[ARG_ANSWER] = {CODE_TWO, 0, NULL},
	[ARG_WATCHMASK] = {CODE_SET, BITS(watch_bits)},
	[ARG_WD] = {CODE_BYTE, 0, NULL},
	[ARG_ACCESS] = {CODE_THREE, 0, NULL},
	[ARG_OPENFLAGS] = {CODE_FLAGS, BITS(open_flag_bits)},
	[ARG_SETFL] = {CODE_FLAGS, BITS(status_flag_bits)},
	[ARG_TIMES] = {CODE_THREE, 0, NULL},
	[ARG_NODE] = {CODE_TWO, 0, NULL},
	[ARG_RENAMEFLAGS] = {CODE_FLAGS, BITS(rename_flag_bits)},
	[ARG_MOUNT] = {CODE_THREE, 0, NULL},
	[ARG_WHO] = {CODE_FOUR, 0, NULL},
};

/* ---- reading ---- */

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct reader {
	const uint8_t *at, *end;
	bool dry; /* a byte was wanted that is not there */
};

static ALWAYS_INLINE uint32_t draw(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->dry = true;
	return 0;
}

/* Bits `from` to `to` of `chosen` stand for bits[from] to bits[to]. No branch: nobody can guess
 * what a fuzzer chooses. */
static ALWAYS_INLINE uint32_t spread(const struct coding *c, unsigned from, unsigned to,
				     uint32_t chosen)
{
	uint32_t set = 0;

	for (unsigned i = from; i < to && i < c->count; i++)
		set |= c->bits[i] & -(chosen >> i & 1u);
	return set;
}

static ALWAYS_INLINE uint32_t draw_set(struct reader *r, const struct coding *c)
{
	uint32_t first = draw(r);
	uint32_t set = spread(c, 0, 7, first);

	if (first & 0x80) {
		uint32_t low = draw(r);
		uint32_t high = draw(r);

		set |= spread(c, 7, 22, low << 7 | high << 15);
	}
	return set;
}

static ALWAYS_INLINE uint32_t draw_flags(struct reader *r, const struct coding *c)
{
	uint32_t byte = draw(r);

	if (byte < 192)
		return spread(c, 0, 2, byte < 128 ? 0 : byte);
	byte = draw(r);
	return spread(c, 0, 8, byte);
}

static ALWAYS_INLINE uint32_t draw_argument(struct reader *r, const struct coding *c)
{
	uint32_t byte;

	switch (c->form) {
	case CODE_BYTE: return draw(r);
	case CODE_TWO: return draw(r) % 2;
	case CODE_THREE: return draw(r) % 3;
	case CODE_FOUR: return draw(r) % 4;
	case CODE_SLOT: byte = draw(r); return byte & (byte < 128 ? 1u : byte < 224 ? 3u : 15u);
	case CODE_PATH:
		byte = draw(r);
		return byte < V2_PATH_CODES ? byte : (byte - V2_PATH_CODES) % V2_LIKELY_PATHS;
	case CODE_FLAGS: return draw_flags(r, c);
	case CODE_SET: return draw_set(r, c);
	}
	return 0;
}

/* One case per operation, in which every coding is a constant. */
static void draw_op(struct reader *r, struct op *op)
{
	uint32_t *arg = op->arg;

	*op = (struct op){.id = op_of_byte[draw(r)]};
	switch (op->id) {
#define ARG(kind, key, fallback) *arg++ = draw_argument(r, &codings[ARG_##kind])
#define OP(id, code, word, sub, weight, what, ...) \
	case OP_##id:                              \
		__VA_ARGS__;                       \
		break;
#include "fuzz/ops.def"
#undef OP
#undef ARG
	}
}

static void draw_header(struct reader *r, struct world_config *config)
{
	uint32_t level = draw(r);
	uint32_t queue = draw(r);
	uint32_t marks = draw(r);
	uint32_t rest = draw(r);

	config->level = (uint8_t)(level % V2_LEVELS);
	config->queue_limit = queue ? (uint16_t)(1 + (queue - 1) % 64) : 16;
	config->mark_limit = marks ? (uint16_t)((marks - 1) % 129) : 128;
	config->group_limit = rest >> 4 ? (uint16_t)(rest >> 4) : 16;
	config->reverse = rest & 1;
}

unsigned bytes_version(const uint8_t *data, size_t size)
{
	return size >= 4 && memcmp(data, "fsn", 3) == 0 ? data[3] : 0;
}

enum bytes_status bytes_decode(const uint8_t *data, size_t size, struct program *p)
{
	unsigned version = bytes_version(data, size);
	struct reader r = {data, size ? data + size : data, false};

	program_clear(p);
	if (version && version != BYTES_VERSION)
		return BYTES_FOREIGN;
	if (version) {
		r.at += 4;
		draw_header(&r, &p->config);
	}
	while (p->count < PROGRAM_OPS && r.at < r.end) {
		draw_op(&r, &p->op[p->count]);
		p->count += !r.dry;
	}
	return version ? BYTES_OK : BYTES_HEADLESS;
}

/* ---- writing ---- */

struct writer {
	uint8_t *at, *end;
	bool full;
};

static void put(struct writer *w, uint32_t byte)
{
	if (w->at == w->end)
		w->full = true;
	else
		*w->at++ = (uint8_t)byte;
}

/* Bit i of the result: bits[i] is in the set. */
static uint32_t gather(const struct coding *c, uint32_t set)
{
	uint32_t chosen = 0;

	for (unsigned i = 0; i < c->count; i++)
		if (set & c->bits[i])
			chosen |= 1u << i;
	return chosen;
}

static void put_set(struct writer *w, uint32_t chosen)
{
	uint32_t more = chosen >> 7;

	put(w, (chosen & 0x7f) | (more ? 0x80 : 0));
	if (!more)
		return;
	put(w, more & 0xff);
	put(w, more >> 8);
}

static void put_flags(struct writer *w, uint32_t chosen)
{
	if (chosen < 4) {
		put(w, chosen ? 128 + chosen : 0);
		return;
	}
	put(w, 192);
	put(w, chosen);
}

static void put_argument(struct writer *w, const struct coding *c, uint32_t value)
{
	switch (c->form) {
	case CODE_BYTE:
	case CODE_TWO:
	case CODE_THREE:
	case CODE_FOUR:
	case CODE_PATH: put(w, value); break;
	case CODE_SLOT: put(w, value + (value < 2 ? 0 : value < 4 ? 128 : 224)); break;
	case CODE_FLAGS: put_flags(w, gather(c, value)); break;
	case CODE_SET: put_set(w, gather(c, value)); break;
	}
}

static void put_op(struct writer *w, const struct op *op)
{
	const uint32_t *arg = op->arg;

	put(w, op_table[op->id].code);
	for (const uint8_t *kind = argument_kinds[op->id]; *kind; kind++)
		put_argument(w, &codings[*kind], *arg++);
}

static void put_header(struct writer *w, const struct world_config *config)
{
	put(w, 'f');
	put(w, 's');
	put(w, 'n');
	put(w, BYTES_VERSION);
	put(w, config->level);
	put(w, config->queue_limit == 16 ? 0 : config->queue_limit);
	put(w, config->mark_limit == 128 ? 0 : config->mark_limit + 1u);
	put(w, (config->group_limit & 15u) << 4 | (config->reverse & 1u));
}

size_t bytes_encode(const struct program *p, uint8_t *out, size_t size)
{
	struct writer w = {out, out + size, false};

	put_header(&w, &p->config);
	for (unsigned i = 0; i < p->count; i++)
		put_op(&w, &p->op[i]);
	return w.full ? 0 : (size_t)(w.at - out);
}

size_t bytes_encode_op(const struct op *op, uint8_t *out, size_t size)
{
	struct writer w = {out, out + size, false};

	put_op(&w, op);
	return w.full ? 0 : (size_t)(w.at - out);
}
