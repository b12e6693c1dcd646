/* SPDX-License-Identifier: MIT */
/*
 * What passes between `fsndiff` on the host (kernel/uml/uml.c) and the init program in the guest
 * (kernel/uml/init.c): two files in the directory that is the guest's root. Both sides run on one
 * machine, so numbers are in its byte order.
 *
 *     /in     struct exchange_head, then for every program a 32-bit length and its byte form
 *     /out    text, one line each:
 *               program N      the N-th program begins (counted from 0)
 *               = OUTCOME      what its next operation did (fuzz/outcome.h)
 *               - REASON       it ends here: this cannot be run on a kernel
 *               ! REASON       it hangs: the guest ends here
 *               error MESSAGE  the guest ends here
 *               done           the guest has run everything
 *
 * Cookies are as the kernel numbers them, across programs.
 */
#ifndef KERNEL_UML_EXCHANGE_H
#define KERNEL_UML_EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_MAGIC "fsn uml"
#define EXCHANGE_IN    "in"
#define EXCHANGE_OUT   "out"

struct exchange_head {
	char magic[8];
	uint32_t programs;
	uint32_t careful; /* not 0: what a program did is on disk before the next one begins */
};

#endif
