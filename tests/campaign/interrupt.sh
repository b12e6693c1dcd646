#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Ctrl-C ends a campaign cleanly: what was found is triaged, the summary printed, no process left.
# Two campaigns do not run on one folder.
. "$(dirname "$0")/common.bash"

start --hours 1 --pair "$pair"
wait_for "a finding" found_something
"$campaign" "$work/c" >"$work/second" 2>&1 && rc=0 || rc=$?
[ "$rc" = 3 ] || flunk "a second campaign on the folder ends with 3, not $rc"
grep -q "in use by process $started " "$work/second" || flunk "it does not say by whom: $(cat "$work/second")"

take_stock >"$work/stock"
kill -INT "$started"
await_end
[ "$rc" = 77 ] || flunk "interrupted with findings ends with 77, not $rc"
[[ $(last_line) == "campaign: execs="*" buckets="* ]] || flunk "last line: $(last_line)"
nobody_left || flunk "processes are left"
nothing_lost "$work/stock"
for bucket in "$work"/c/findings/*/; do
	[ -s "$bucket/minimized.fsn" ] || flunk "$bucket was not minimised"
done
echo "Ctrl-C: ok"
