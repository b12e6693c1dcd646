#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a small change of a tree does is found by the user's route: a fault in dispatch, one in what
# read() copies out, one in what fdinfo lists, a leak, a message of the kernel's.
. "$SOURCE_DIR/tests/trees/common.inc"

change fs/notify/fsnotify.c 's/marks_mask \|= mnt->mnt_fsnotify_mask/marks_mask |= 0/'
expect 77 "trees: different" trees debian:6.1 "$tree" --random 200000
also "mount"

fresh
change fs/notify/fanotify/fanotify_user.c 's/info_type = FAN_EVENT_INFO_TYPE_DFID;/info_type = FAN_EVENT_INFO_TYPE_FID;/'
expect 77 "events/group_read/" trees debian:6.1 "$tree" --no-corpus --random 200000
also "a record was read otherwise than it had been queued"

fresh
change fs/notify/fdinfo.c 's/mflags, mark->mask, mark->ignore_mask\)/mflags, mark->ignore_mask, mark->mask)/'
expect 77 "events/marks/" trees debian:6.1 "$tree" --no-corpus --random 200000

fresh
change fs/notify/mark.c 's/^(\tgroup->ops->free_mark\(mark\);)$/\1 return;/'
expect 77 "balance/end/" trees debian:6.1 "$tree" --no-corpus --random 200000

fresh
change fs/notify/inotify/inotify_user.c 's/^(\tidr_remove\(idr, wd\);)$/\/\/ \1/'
expect 77 "crash/" trees debian:6.1 "$tree" --no-corpus --random 200000
finish
