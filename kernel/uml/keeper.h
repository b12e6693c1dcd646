/* SPDX-License-Identifier: MIT */
/* A process that holds one guest (kernel/uml/uml.h). */
#ifndef KERNEL_UML_KEEPER_H
#define KERNEL_UML_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernel/uml/uml.h"

#define KEEPER_LOG "log"

/* How the keeper ends. */
enum { KEEPER_ENDED, KEEPER_TOO_LONG, KEEPER_FAILED };

/*
 * Boots a guest with the directory as its root, on one processor (the N-th of those that may be
 * used), for at most so many seconds; what its kernel says goes to the file `log` in there. Gives
 * the keeper's process, to be waited for, or -1. When the caller dies, the guest does, and the
 * directory is removed.
 */
pid_t keeper_start(const struct uml_kernel *k, const char *directory, unsigned processor,
		   unsigned seconds);

/* Makes the directory of a guest; removes one. */
bool keeper_make_directory(char *directory, size_t size, char *error, size_t room);
void keeper_remove_directory(const char *directory);

#endif
