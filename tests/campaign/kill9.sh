#!/bin/bash
# SPDX-License-Identifier: MIT
#
# kill -9 in the middle of a campaign loses nothing that was found and leaves no process behind;
# started again on the same folder, it goes on and counts what was there.
. "$(dirname "$0")/common.bash"

start --hours 1 --pair "$pair"
wait_for "a finding" found_something
wait_for "new inputs" has_inputs
wait_for "a queue of AFL++" afl_has_a_queue
kill -STOP "$started"
take_stock >"$work/stock"
before=$(find "$work/c/findings" -mindepth 1 -maxdepth 1 -type d ! -name '.*' | wc -l)
kill -KILL "$started"
await_end
[ "$rc" = 137 ] || flunk "it was to be killed, not to end with $rc"
wait_for "the workers' end" nobody_left
nothing_lost "$work/stock"

start --hours 0.003
await_end
[ "$rc" = 77 ] || flunk "a folder with findings ends with 77, not $rc"
nothing_lost "$work/stock"
[[ $(last_line) == "campaign: execs="* ]] || flunk "last line: $(last_line)"
[ "$(field execs)" -gt 0 ] || flunk "nothing was executed"
[ "$(field buckets)" -ge "$before" ] || flunk "$before buckets before, $(field buckets) now"
[ "$before" -ge 1 ] || flunk "nothing had been found"

"$campaign" "$work/c" --pair vanilla,optimized >"$work/out" 2>&1 && rc=0 || rc=$?
[ "$rc" = 2 ] || flunk "another pair on the same folder ends with 2, not $rc"
echo "kill -9 and resume: ok"
