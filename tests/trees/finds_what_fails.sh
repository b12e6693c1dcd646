#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What only shows when a call fails is found: a record that a buffer too small for it loses, a wrong
# answer that counts; and with allocations that fail, a mark that is not given back.
. "$SOURCE_DIR/tests/trees/common.inc"

change fs/notify/inotify/inotify_user.c 's/^\t\treturn ERR_PTR\(-EINVAL\);$/\t{ fsnotify_remove_first_event(group);&}/'
expect 77 "returns/group_read/" trees debian:6.1 "$tree" --no-corpus --random 200000

fresh
change fs/notify/fanotify/fanotify_user.c 's/^\tcase FAN_DENY:$/&\n\tcase 0:/'
expect 77 "a wrong answer was not refused" trees debian:6.1 "$tree" --no-corpus --random 200000

fresh
change fs/notify/fanotify/fanotify_user.c \
	'/ret = fsnotify_add_mark_locked\(/,/goto/s/fsnotify_put_mark\(mark\);/;/'
expect 0 "trees: same" trees debian:6.1 "$tree" --no-corpus --random 20000
expect 77 "trees: different" trees debian:6.1 "$tree" --no-corpus --random 200000 --starve 3
finish
