#!/bin/sh
# SPDX-License-Identifier: MIT
# fsndiff check: the model against the running kernel, from traces, from the corpus's scenarios and
# from random numbers; a run can be interrupted and go on; nothing is left behind, also after SIGKILL.
. "$(dirname "$0")/common.inc"

# What needs no root.
expect 0 "usage: fsndiff check" "$FSNDIFF" check --help
expect 2 "either FILE" "$FSNDIFF" check
expect 2 "either FILE" "$FSNDIFF" check --probe "$SOURCE_DIR/corpus/known/K1.fsn"
expect 2 "--level 4.2" "$FSNDIFF" check --level 4.2 --probe
expect 2 "--random none" "$FSNDIFF" check --random none
expect 2 "--from x" "$FSNDIFF" check --random 1 --from x
expect 2 "either FILE" "$FSNDIFF" check --scenarios --random 1
expect 2 "--corpus DIR is of --scenarios" "$FSNDIFF" check --corpus "$work" --random 1
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

# The scenarios on three executors: all of the corpus, what cannot be run here with its reason.
expect 0 " failed=0" "$FSNDIFF" check --scenarios
count=$(sed -n 's/^check: scenarios=\([0-9]*\) .*/\1/p' "$work/out")
skipped=$(sed -n 's/^check: .* skipped=\([0-9]*\) .*/\1/p' "$work/out")
for executor in vanilla optimized; do
	grep -q "^$executor  *$count  *0  *0\$" "$work/out" || flunk "not all passed on $executor"
done
also "s/S4                                     K1"
reasons=$(grep -cE '^  [^ ]+ +(the (length|numbers) of|eviction cannot|in 32 runs)' "$work/out")
[ "$reasons" = "$skipped" ] || flunk "$skipped skipped, $reasons reasons"

# A corpus of one's own; what is said when a scenario fails, on each of them.
mkdir -p "$work/own/corpus/scenarios/ltp"
cat >"$work/own/corpus/scenarios/ltp/right.fsn" <<'END'
fsn 1
open h0 d3 rdonly => ENOENT
END
cat >"$work/own/corpus/scenarios/ltp/wrong.fsn" <<'END'
fsn 1
open h0 f0 rdonly => [vanilla] ok
  => [optimized] EPERM
open h1 d3 rdonly => EPERM
END
cp "$work/limited.fsn" "$work/own/corpus/scenarios/limited.fsn"
expect 77 "check: scenarios=3 executors=3 passed=5 skipped=1 failed=3" \
	"$FSNDIFF" check --scenarios --corpus "$work/own/corpus" -v
also "ltp/wrong.fsn:4: expected \"EPERM\", got \"ENOENT\", on executor vanilla"
also "ltp/wrong.fsn:3: expected \"EPERM\", got \"ok\", on executor optimized"
also "ltp/wrong.fsn:3: expected \"EPERM\", got \"ok\", on executor linux"
also "ltp/wrong: vanilla failed, optimized failed, linux failed"
also "3 scenarios: 2 ltp, 1 others"
also "  limited                                  the length of queues"
expect 0 "check: scenarios=1 executors=3 passed=3 skipped=0 failed=0" "$FSNDIFF" check --scenarios \
	--corpus "$work/own/corpus/scenarios/ltp/right.fsn"
expect 2 "$work/none: No such file" "$FSNDIFF" check --scenarios --corpus "$work/none"
cp "$FSNDIFF" "$work/alone"
expect 2 "name the corpus by --corpus DIR" "$work/alone" check --scenarios

# numbers FILE...: the summed tables of runs, what both sides did.
numbers() {
	awk '/^[A-Z_]+ +[0-9]/ {
		n[$1 " runs"] += $2
		n[$1 " succeeded"] += $3
		for (i = 6; i < NF; i += 2)
			n[$1 " " $i] += $(i + 1)
	} END { for (k in n) print k, n[k] }' "$@" | sort
}

# deliveries HEADING FILE: the sum of a table of a coverage page.
deliveries() {
	awk -F '|' -v heading="## $1" '/^## / { inside = $0 == heading }
		inside { for (i = 2; i <= NF; i++) sum += $i } END { print sum + 0 }' "$2"
}

# Random programs. The same numbers give the same programs, in however many processes, and also
# when a run begins in the middle.
expect 0 "check: programs=200 same=" "$FSNDIFF" check --random 200 --seed 1 --jobs 16 \
	--coverage "$work/coverage.md"
also "disagree=0"
also "; not used: EVICT, REAP, WORK"
grep -qE '^OPEN .* ENOENT [0-9]' "$work/out" || flunk "no error of an open is told"
numbers "$work/out" >"$work/whole"
expect 0 "" "$FSNDIFF" check --random 120 --seed 1 --jobs 3
cp "$work/out" "$work/first"
expect 0 "" "$FSNDIFF" check --random 80 --from 120 --seed 1 --jobs 16
numbers "$work/first" "$work/out" >"$work/halves"
cmp -s "$work/whole" "$work/halves" ||
	flunk "the same numbers gave other programs: $(diff "$work/whole" "$work/halves")"

# Who was told: both tables tell of the same deliveries.
grep -q '^| EXEC |' "$work/coverage.md" || flunk "no EXEC in the tables"
grep -q '^| ATTRIB | inode | [0-9]' "$work/coverage.md" || flunk "no ATTRIB in the tables"
told=$(deliveries Operations "$work/coverage.md")
if [ "$told" = 0 ] || [ "$told" != "$(deliveries "Events, groups and marks" "$work/coverage.md")" ]; then
	flunk "the tables of one page tell of different numbers of deliveries"
fi
expect 3 "$work/none/page.md: No such file" "$FSNDIFF" check --random 1 --coverage "$work/none/page.md"

# A model that is wrong on purpose: by operation and field, and as a trace.
expect 77 "disagree in " "$FSNDIFF" check --random 120 --seed 1 --jobs 16 \
	--executor optimized+mutant_forget_mount --save "$work/saved"
sum=$(awk '/^disagree in/ { inside = 1; next } !NF { inside = 0 }
	inside { for (i = 2; i <= NF; i++) sum += $i } END { print sum }' "$work/out")
also "disagree=$sum"
ls "$work/saved"/*.fsn >/dev/null || flunk "no disagreement was saved"

# Ctrl-C goes to every process of the terminal: a summary, how far it came, and the way on.
setsid "$FSNDIFF" check --random 1000000 --from 5 --seed 2 --jobs 8 --ops 12 \
	>"$work/out" 2>"$work/err" &
interrupted=$!
while ! grep -q 'of 1000000 programs' "$work/err" && kill -0 "$interrupted"; do :; done
kill -INT -- "-$interrupted"
rc=0
wait "$interrupted" || rc=$?
[ "$rc" = 0 ] || flunk "exit $rc after Ctrl-C: $(tail -n 3 "$work/err" "$work/out")"
ran=$(sed -n 's/^check: programs=\([0-9]*\) same=.*/\1/p' "$work/out")
also "check: interrupted"
also "ended before program $((5 + ran)) of 5 to 1000004; to go on from there:"
also "  fsndiff check --random $((1000000 - ran)) --from $((5 + ran)) --seed 2 --ops 12 --jobs 8"

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
