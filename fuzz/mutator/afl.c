/* SPDX-License-Identifier: MIT */
/*
 * AFL++'s custom mutator (API of 4.04): the structure-aware one (fuzz/mutate.h), one time in four
 * crossed with another queue entry. A shared library named in AFL_CUSTOM_MUTATOR_LIBRARY; AFL++'s
 * own stages work on the bytes beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/bytes.h"
#include "fuzz/mutate.h"

#define EXPORT __attribute__((visibility("default")))

struct mutator {
	struct rng rng;
	struct program program, other;
	uint8_t out[BYTES_MAX];
};

EXPORT void *afl_custom_init(void *afl, unsigned int seed);
EXPORT size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf,
			      uint8_t *add_buf, size_t add_buf_size, size_t max_size);
EXPORT void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned int seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	(void)afl;
	if (m)
		m->rng.state = seed;
	return m;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf,
		       uint8_t *add_buf, size_t add_buf_size, size_t max_size)
{
	struct mutator *m = data;
	struct program *p = &m->program;
	size_t size;

	bytes_decode(buf, buf_size, p);
	if (add_buf && rng_below(&m->rng, 4) == 0) {
		bytes_decode(add_buf, add_buf_size, &m->other);
		cross_programs(p, &m->other, &m->rng);
	}
	mutate_program(p, &m->rng);
	size = bytes_encode(p, m->out, sizeof(m->out));
	while (size > max_size && p->count) {
		p->count--;
		size = bytes_encode(p, m->out, sizeof(m->out));
	}
	if (!size || size > max_size) {
		*out_buf = buf;
		return buf_size;
	}
	*out_buf = m->out;
	return size;
}

void afl_custom_deinit(void *data)
{
	free(data);
}
