/* SPDX-License-Identifier: MIT */
/*
 * The pseudo-inode opt-out. As first merged (e9c15badbb7b, 5.8-rc3) the files of a pipe raised no
 * events at all, and the internal bit that says so was passed in the open flags, where F_GETFL
 * shows it. The repaired form (2a42754b3104, 6.14) puts it in the file's mode, and for pipes only
 * permission events are given up.
 */
#ifndef OPTIMIZED_PSEUDO_H
#define OPTIMIZED_PSEUDO_H

#include "core/world.h"

enum { PSEUDO_MODE = FILE_UNASKED, PSEUDO_MODE_2020 = FILE_NONOTIFY };

#define PSEUDO_FLAGS_2020 FL_NONOTIFY

#endif
