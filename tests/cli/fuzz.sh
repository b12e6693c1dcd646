#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz finds what is there, from nothing, and nothing where nothing is; triage and status go on.
. "$(dirname "$0")/common.inc"
cd "$work" || exit 1

# K1, strict, from an empty corpus, in at most a minute.
expect 77 "new=1" "$FSNDIFF" fuzz --strict --time 60 --jobs 1 --seed 1 --findings found
is_k1 found/K1/minimized.fsn || flunk "found/K1/minimized.fsn: $(cat found/K1/minimized.fsn)"
for file in trace.fsn input verdict.json report.txt; do
	[ -s found/K1/$file ] || flunk "found/K1/$file is missing"
done
grep -q '"stability": "solid"' found/K1/verdict.json || flunk "K1 is not solid"
expect 0 "" "$FSNDIFF" replay --expect-key K1 found/K1/input
[ "$(ls -A found)" = K1 ] || flunk "more than K1 was left in found: $(ls -A found)"

# Known is known: it is counted, and nothing is saved.
expect 0 "new=0" "$FSNDIFF" fuzz --runs 1 --jobs 1 --seed 1 --findings none \
	--corpus "$SOURCE_DIR/corpus/known/K1.fsn"
[ -z "$(ls -A none)" ] || flunk "something was saved: $(ls -A none)"
grep -q 'known=K1:[1-9]' "$work/out" || flunk "K1 was not counted: $(cat "$work/out")"

# The same build twice is the same, and the ballast goes away.
expect 0 "new=0" "$FSNDIFF" fuzz --pair vanilla,vanilla --strict --runs 20000 --jobs 2
[ ! -e fsndiff-findings ] || flunk "an empty fsndiff-findings was left"

# The opt-out as first merged shows in F_GETFL, or loses events.
expect 77 "new=1" "$FSNDIFF" fuzz --pair vanilla,vanilla+pseudo_opt_out_2020 --strict --time 60 \
	--jobs 1 --findings pseudo
also "pair: vanilla,vanilla+pseudo_opt_out_2020"

# A corpus is run first.
expect 77 "new=1" "$FSNDIFF" fuzz --strict --runs 1 --jobs 1 --findings corpus \
	--corpus "$SOURCE_DIR/corpus/known/K1.fsn"

# triage saves, once; status counts.
printf '{"pair": "vanilla,optimized", "started": 0, "hours": 1, "jobs": 1}\n' >campaign.json
mkdir -p night/workers/w0
mv campaign.json night
printf '{"execs": 1000, "known": {"K1": 7}, "new": 1, "seconds": 10, "updated": 0}\n' \
	>night/workers/w0/stats.json
expect 0 "status: workers=1 execs=1000 known=K1:7 new=0" "$FSNDIFF" status night
expect 0 "triage: files=1 new=0 known=K1:1" "$FSNDIFF" triage --into night found/K1/input
expect 77 "saved in night/findings/K1" "$FSNDIFF" triage --strict --into night found/K1/input
sums=$(cat night/findings/K1/* | cksum)
expect 77 "already in night/findings/K1" "$FSNDIFF" triage --strict --into night found/K1/input
[ "$(cat night/findings/K1/* | cksum)" = "$sums" ] || flunk "triage changed what was saved"
expect 77 "bucket K1  1 inputs, solid, minimised" "$FSNDIFF" status night
also "status: workers=1 execs=1000 known=K1:7 new=1"
expect 77 '"bucket": "K1"' "$FSNDIFF" status --json night
printf 'fsn 1\nopen h0 d0/f0 rdonly\n' >same.fsn
expect 0 "unreproduced=1" "$FSNDIFF" triage --into night same.fsn
[ -s night/findings/unreproduced/trace.fsn ] || flunk "what shows nothing was not kept"
finish
