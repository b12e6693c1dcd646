/* SPDX-License-Identifier: MIT */
/*
 * What an operation did, in words: the right-hand side of an expectation.
 *
 *   an error                 its name: ENOENT
 *   read g0                  the records, oldest first, "; " between them, or `none`:
 *                              path mode      OPEN|MODIFY d0/f0          (d0/f0 (deleted))
 *                              handle modes   OPEN fid=d0/f0
 *                                             OPEN dfid=d0 fid=d0/f0
 *                                             CREATE dfid=d0 name=f2     (name=. for the directory)
 *                                             RENAME old=d0 name=f0 new=d1 name=f1
 *                              inotify        wd=1 OPEN name=f0 cookie=2 (parts that are absent
 *                                             are left out)
 *                              permission     ask OPEN_PERM d0/f0 allow
 *                              overflow       Q_OVERFLOW
 *                            behind a record of fanotify that the program's process did not
 *                            cause: by=other, by=thread (of a group with `tid`), by=hidden (an
 *                            unprivileged group is told of other processes without saying which)
 *   marks g0                 as fdinfo lists them, newest first, "; " between them, or `none`:
 *                              inode d0 mask=OPEN|ON_CHILD ignored=OPEN surv
 *                              mount B:. mask=OPEN ignored=0 (a mount and an sb by their root)
 *                              wd=1 inode d0 mask=OPEN
 *                            flags: surv evictable ignore_form
 *   getfl h0                 rdwr|append, hexadecimal for bits without a name
 *   work                     sections=1 visits=2
 *   watch g0 …               wd=1
 *   anything else            ok, or a number for read, write and splice
 *
 * An object is named by a path it has now, below the mount A or C; an object without a path by
 * #N, N its place in the order in which inodes were made; a pipe by pipe#N.
 */
#ifndef FUZZ_OUTCOME_H
#define FUZZ_OUTCOME_H

#include "fuzz/program.h"

/* The text of what `op` did: `ret` is what it returned, `journal` what it did to the queues. */
char *outcome_text(const struct world *w, const struct op *op, int32_t ret,
		   const struct journal *journal, char *out, size_t size);

/* One queued record in that notation; and one mark. */
char *outcome_event(const struct world *w, unsigned group_slot, const struct event *e, char *out,
		    size_t size);
char *outcome_mark(const struct world *w, const struct mark *m, char *out, size_t size);

/* Something that can carry marks (enum object_kind and index): "d0", ".", "#12", "pipe#14". */
char *outcome_object(const struct world *w, unsigned kind, unsigned object, char *out, size_t size);

/* The name of a group of numbers that F_GETFL shows; the name of an errno ("E123" if unknown). */
char *outcome_flags(uint32_t flags, char *out, size_t size);
const char *outcome_errno(int error);

#endif
