#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be used is refused with the place and what to do: no such tree, a tree without a file,
# an edit whose code has moved, a tree that needs something the environment does not have.
. "$SOURCE_DIR/tests/trees/common.inc"

expect 2 "no such folder" trees debian:6.1 "$work/nothing"
also "modify_mask"
expect 2 "comma" trees debian:6.1 a,b
expect 2 "two trees" trees debian:6.1

cp -a "$tree" "$work/part"
rm "$work/part/include/linux/fsnotify.h"
expect 2 "include/linux/fsnotify.h is missing" trees debian:6.1 "$work/part"

change fs/notify/fsnotify.c 's/test_mask & marks_mask/marks_mask \& test_mask/'
expect 2 "fs/notify/fsnotify.c: fsnotify(): expected once, found 0 times" trees "$tree-modify_mask" debian:6.1
also "the code has moved"

fresh
change fs/notify/fsnotify.c 's/^\tint ret = 0;$/\tint ret = ;/'
expect 2 "does not compile; above is what the compiler said" trees debian:6.1 "$tree"
also "src/fs/notify/fsnotify.c:"

fresh
change fs/notify/fsnotify.c 's/^\tint ret = 0;$/\tint ret = frobnicate_the_walk();/'
expect 2 "frobnicate_the_walk" trees debian:6.1 "$tree"
also "docs/trees.md"
finish
