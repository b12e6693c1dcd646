#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The model does what the kernel's own code does: the corpus and random programs, vanilla against the
# tree without the FS_MODIFY optimisation, optimized against the tree as it is.
. "$SOURCE_DIR/tests/trees/common.inc"
rc=0
"$SOURCE_DIR/kernel/intree/prepare" debian:6.12 >/dev/null 2>"$work/err" || rc=$?
[ "$rc" != 3 ] || skip "$(tail -n 1 "$work/err")"

for pair in vanilla,tree:debian:6.1-modify_mask optimized-pseudo_opt_out,tree:debian:6.1 \
	vanilla,tree:debian:6.12-modify_mask optimized-pseudo_opt_out,tree:debian:6.12; do
	expect 0 "new=0" "$FSNDIFF" fuzz --pair "$pair" --corpus "$SOURCE_DIR/corpus" --runs 60000 \
		--jobs 1 --seed 1 --findings "$work/findings"
done
finish
