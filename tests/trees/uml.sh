#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What was found in process is confirmed on real kernels, and what is no difference is not. Runs
# where the kernels of both trees are in build/uml: making them takes minutes.
. "$SOURCE_DIR/tests/cli/common.inc"
old=debian:6.1-modify_mask new=debian:6.1
# shellcheck disable=SC2154 # common.inc sets it
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
for tree in $old $new; do
	"$SOURCE_DIR/kernel/uml/build" -n "$tree" >/dev/null 2>"$work/err" ||
		skip "$(tail -n 1 "$work/err") (kernel/uml/build $tree makes one)"
done

# K1, found in the corpus.
mkdir "$work/corpus"
cp "$SOURCE_DIR/corpus/known/K1.fsn" "$work/corpus"
expect 77 "confirm: divergences=1 confirmed=1 sample=101 differ=0" \
	"$FSNDIFF" trees $old $new --strict --corpus "$work/corpus" --findings "$work/f" \
	--confirm --sample 100
also "$old => inode d0 mask=ON_CHILD ignored=OPEN"
also "$new             => inode d0 mask=ON_CHILD ignored=0"

# The same finding, said to be one of a tree against itself: both kernels do the same.
sed -i "s/tree:$old,tree:$new/tree:$new,tree:$new/" "$work"/f/*/*.fsn
mkdir "$work/nothing"
printf 'fsn 1\nopen h0 f0 rdonly\n' >"$work/nothing/nothing.fsn"
expect 78 "confirm: divergences=1 confirmed=0 sample=1 differ=0" \
	"$FSNDIFF" trees $new $new --corpus "$work/nothing" --random 1 --findings "$work/f" \
	--confirm --sample 0
also "not confirmed: both kernels do the same"

# Nothing is left of a guest.
[ -z "$(ls -A "$TMPDIR")" ] || flunk "left behind: $(ls -A "$TMPDIR")"
finish
