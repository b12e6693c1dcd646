#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A change that nobody sees but that makes the core do more is found with --work, and not without.
. "$SOURCE_DIR/tests/trees/common.inc"

change fs/notify/fsnotify.c 's/^\tif \(!\(test_mask & marks_mask\)\)$/\tif (0)/'
expect 0 "trees: same" trees debian:6.1 "$tree" --no-corpus --random 20000
expect 77 "found: work/" trees debian:6.1 "$tree" --no-corpus --random 20000 --work
expect 0 "trees: same" trees "$tree" debian:6.1 --no-corpus --random 20000 --work
finish
