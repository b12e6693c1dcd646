#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 and Ctrl-C at any moment: what was found is on disk, whole; no process stays behind; and
# what is there survives the next run. The moments are lines that fuzz prints: the end of its
# output, which comes when the last process that holds it is gone, is what is waited for.
. "$(dirname "$0")/common.inc"
cd "$work" || exit 1

# check_saved DIR LOG: every bucket that the log says was found is whole, and replays.
check_saved() {
	sed -n 's/^found: //p' "$2" | while read -r bucket; do
		dir=$1/$(echo "$bucket" | tr / .)
		for file in trace.fsn input verdict.json; do
			[ -s "$dir/$file" ] || echo "$dir/$file is missing"
		done
		for file in trace.fsn input; do
			"$FSNDIFF" replay --expect-key "$bucket" "$dir/$file" >/dev/null ||
				echo "$dir/$file does not show $bucket"
		done
	done >saved.log 2>&1
	[ ! -s saved.log ] || flunk "after line $line: $(cat saved.log)"
	grep -q '^found: ' "$2" || flunk "nothing was found before line $line"
}

# run_until LINE SIGNAL: kills a campaign after that many lines of output; sets rc.
run_until() {
	rm -f pipe
	mkfifo pipe
	"$FSNDIFF" fuzz --strict --keep-going --time 100 --jobs 2 --seed "$1" --findings found \
		>pipe 2>errors &
	pid=$!
	line=0
	while read -r text; do
		echo "$text"
		line=$((line + 1))
		[ "$line" != "$1" ] || kill -s "$2" "$pid"
	done <pipe >log
	rc=0
	wait "$pid" 2>/dev/null || rc=$?
}

for moment in 2 3 5 9 14 40; do
	rm -rf found
	run_until $moment KILL
	[ $rc = 137 ] || flunk "kill -9 after line $moment: exit $rc"
	check_saved found log
done

# The next run adds and changes nothing that is there.
buckets=$(echo found/*)
saved() {
	for dir in $buckets; do
		cat "$dir/trace.fsn" "$dir/input"
	done
}
sums=$(saved | cksum)
"$FSNDIFF" fuzz --strict --keep-going --runs 20000 --jobs 1 --seed 1 --findings found >/dev/null
[ "$(saved | cksum)" = "$sums" ] || flunk "a second run changed what the first one saved"

# A worker that dies leaves its program behind, and that is a finding.
rm -rf found
mkfifo dying
"$FSNDIFF" fuzz --pair vanilla,vanilla --time 100 --jobs 1 --seed 1 --findings found \
	>dying 2>errors &
pid=$!
exec 3<dying
read -r text <&3
children=
while [ -z "$children" ] && kill -0 $pid; do
	children=$(cat /proc/$pid/task/$pid/children)
done
kill -s SEGV "${children%% *}"
cat <&3 >log
exec 3<&-
rc=0
wait $pid || rc=$?
[ $rc = 77 ] || flunk "a worker that dies: exit $rc"
grep -q "^found: crash/unknown/" log || flunk "after \"$text\" the crash was not reported: $(cat log)"
[ -s "$(echo found/crash.unknown.*)/trace.fsn" ] || flunk "its program was not saved"

for moment in 2 7; do
	rm -rf found
	run_until $moment INT
	[ $rc = 77 ] || flunk "Ctrl-C after line $moment: exit $rc"
	check_saved found log
	grep -q "^fuzz: interrupted" errors || flunk "Ctrl-C is not mentioned: $(cat errors)"
	tail -n 1 log | grep -q "^fuzz: execs=.* new=[1-9]" || flunk "no summary: $(tail -n 1 log)"
done
finish
