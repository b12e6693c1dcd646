# SPDX-License-Identifier: MIT
#
# What the campaign tests share. Sourced by bash. A pair that parts soon gives them something to
# lose.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
campaign=$checkout/ci/campaign
pair=vanilla-parent_ignore_fix,vanilla
work=$(mktemp -d)
started=

cleanup() {
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

# Built beforehand, so that nobody waits for a compiler below.
(. "$checkout/ci/lib.sh" && build_engines) >"$work/out" || { cat "$work/out"; exit 1; }

flunk() {
	echo "FAILED: $*" >&2
	[ ! -f "$work/out" ] || tail -n 40 "$work/out" >&2
	exit 1
}

# start OPTIONS...: a campaign on $work/c in the background, with signals as on a terminal.
start() {
	env --default-signal=INT,TERM "$campaign" "$work/c" --every 1 --jobs 1 "$@" >"$work/out" 2>&1 &
	started=$!
}

# wait_for WORDS COMMAND...: until the command succeeds; a dead campaign or two minutes fail.
wait_for() {
	local words=$1 deadline=$((SECONDS + 120))
	shift
	until "$@"; do
		[ $SECONDS -lt $deadline ] || flunk "waited in vain: $words"
		if [ -n "$started" ] && ! kill -0 "$started" 2>/dev/null; then
			flunk "the campaign ended before: $words"
		fi
		sleep 0.1
	done
}

# Sets rc: how the campaign ended.
await_end() {
	rc=0
	wait "$started" || rc=$?
	started=
}

found_something() { compgen -G "$work/c/findings/*/trace.fsn" >/dev/null; }
afl_has_a_queue() { compgen -G "$work/c/aflpp/main/queue/id*" >/dev/null; }
count_inputs() { find "$work/c/corpus" -type f | wc -l; }
has_inputs() { [ "$(count_inputs)" -gt "$(find "$work/c/seeds" -type f | wc -l)" ]; }
nobody_left() { ! grep -qzsx "FSNDIFF_CAMPAIGN=$work/c" /proc/[0-9]*/environ; }

# Everything that was found so far, with its contents. Statistics, logs and reports may grow, and
# libFuzzer may be about to write an input that is empty yet.
take_stock() {
	(cd "$work/c" && find findings corpus workers -type f -size +0 ! -path '*/.*' ! -name log \
		! -name '*.json*' ! -name report.txt -exec sha256sum {} + | sort)
}

# nothing_lost STOCK: every file of an earlier stock is still there and the same.
nothing_lost() {
	local lost
	lost=$(comm -23 "$1" <(take_stock))
	[ -z "$lost" ] || flunk "lost or changed: $lost"
}

last_line() { tail -n 1 "$work/out"; }

# field NAME: a number of the closing line.
field() {
	last_line | sed -n "s/.*\b$1=\([0-9]*\).*/\1/p"
}
