#!/bin/sh
# SPDX-License-Identifier: MIT
# fsndiff check: the model against the running kernel, from traces and from random numbers; nothing
# is left behind, also after SIGKILL.
. "$(dirname "$0")/common.inc"

# What needs no root.
expect 0 "usage: fsndiff check" "$FSNDIFF" check --help
expect 2 "either FILE" "$FSNDIFF" check
expect 2 "either FILE" "$FSNDIFF" check --probe "$SOURCE_DIR/corpus/known/K1.fsn"
expect 2 "--level 4.2" "$FSNDIFF" check --level 4.2 --probe
expect 2 "--random none" "$FSNDIFF" check --random none
expect 2 "optimised" "$FSNDIFF" check --executor optimised --probe

if [ "$(id -u)" != 0 ]; then
	expect 3 "not root" "$FSNDIFF" check --probe
	[ "$failures" = 0 ] && skip "not root"
	finish
fi
expect 3 "not root" setpriv --reuid 65534 --clear-groups "$FSNDIFF" check --probe
"$FSNDIFF" check --probe >"$work/out" 2>&1 || skip "this kernel cannot be used: $(cat "$work/out")"
grep -q "behaves like level [0-9]" "$work/out" || flunk "--probe names no level: $(cat "$work/out")"
expect 2 "$work/missing.fsn: No such file" "$FSNDIFF" check "$work/missing.fsn"

# Traces, one of which needs what no process can have for itself alone.
cat >"$work/limited.fsn" <<'END'
fsn 1
limits queue=2
open h0 f0 rdonly
END
expect 0 "check: files=2 same=1 skipped=1 disagree=0" \
	"$FSNDIFF" check "$work/limited.fsn" "$SOURCE_DIR/corpus/seeds/directories.fsn"
also "$work/limited.fsn: skipped: "

# A model that is held to the wrong level disagrees, and both sides are shown.
cat >"$work/order.fsn" <<'END'
fsn 1
group g0 inotify
watch g0 f0 mask=OPEN|MODIFY
open h0 f0 wronly trunc
read g0
END
# shellcheck disable=SC2016
expect 77 "check: files=1 same=0 skipped=0 disagree=1" \
	"$FSNDIFF" check --level "$("$FSNDIFF" check --probe | awk '
		/OPEN_THEN_TRUNC/ { print $2 == "yes" ? "6.1" : "6.18" }')" "$work/order.fsn"
also "$work/order.fsn:5: read g0"
also "  linux   => wd=1 "

# An expectation by the name of the kernel.
cat >"$work/expected.fsn" <<'END'
fsn 1
open h0 d3 rdonly => [linux] EPERM
END
expect 77 "$work/expected.fsn:2: expected \"EPERM\", got \"ENOENT\", on executor linux" \
	"$FSNDIFF" check "$work/expected.fsn"

# Random programs; the same numbers give the same programs.
expect 0 "check: programs=200 same=" "$FSNDIFF" check --random 200 --seed 1 --jobs 16
also "disagree=0"
grep -E '^[A-Z_]+ ' "$work/out" | awk '{ print $1, $2, $3 }' >"$work/first"
expect 0 "" "$FSNDIFF" check --random 200 --seed 1 --jobs 3
grep -E '^[A-Z_]+ ' "$work/out" | awk '{ print $1, $2, $3 }' >"$work/second"
cmp -s "$work/first" "$work/second" || flunk "the same seed gave other programs"

# Killed in the middle: the workers go, and no mount is seen. The last of them closes the pipe.
cat /proc/self/mountinfo >"$work/before"
mkfifo "$work/alive"
"$FSNDIFF" check --random 1000000 --seed 2 --jobs 8 >"$work/out" 2>&1 3>"$work/alive" &
killed=$!
exec 4<"$work/alive"
while ! grep -q 'of 1000000 programs' "$work/out"; do :; done
kill -9 "$killed"
wait "$killed" 2>/dev/null
timeout 60 cat <&4 || flunk "the workers live on"
exec 4<&-
cat /proc/self/mountinfo >"$work/after"
cmp -s "$work/before" "$work/after" || flunk "mounts are left: $(diff "$work/before" "$work/after")"
finish
