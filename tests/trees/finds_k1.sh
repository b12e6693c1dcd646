#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From nothing, fsndiff trees finds K1 in the kernel's own code and shrinks it to its minimum; without
# --strict the same divergence is explained by the model, and the corpus shows nothing else.
. "$SOURCE_DIR/tests/trees/common.inc"

expect 77 "trees: different" trees debian:6.1-modify_mask debian:6.1 --strict --no-corpus --random 400000
also "which is K1"
trace=$(find "$work/findings" -name minimized.fsn | head -n 1)
if [ -z "$trace" ]; then
	flunk "no minimized.fsn"
elif ! is_k1 "$trace"; then
	flunk "not the smallest trace of K1: $(cat "$trace")"
fi
rm -rf "$work/findings"
expect 0 "trees: same" trees debian:6.1-modify_mask debian:6.1 --random 20000
also "known=K1:"
expect 0 "known=K1:1" "$FSNDIFF" replay --pair tree:debian:6.1-modify_mask,tree:debian:6.1 \
	"$SOURCE_DIR/corpus/regress/known-by-a-merge.fsn"
finish
