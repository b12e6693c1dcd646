#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever is wrong with a command line or a file ends with 2 and a message that names the place.
. "$(dirname "$0")/common.inc"

k1=$SOURCE_DIR/corpus/known/K1.fsn
missing=$work/missing.fsn
mkdir "$work/empty" "$work/bad" "$work/notes"
echo "only words" >"$work/notes/README.md"
printf 'fsn 1\ngroup g0 fanotify\nmark g0 add inode d0 mask=OPN\n' >"$work/bad/mask.fsn"
printf 'fsn 2\n' >"$work/version.fsn"
printf 'fsn\001\001\002\003' >"$work/foreign"
: >"$work/nothing"

for command in replay show pack minimize fuzz triage status list; do
	expect 0 "usage: fsndiff $command" "$FSNDIFF" $command --help
	also "  fsndiff $command"
	expect 2 "unrecognized option '--no-such'" "$FSNDIFF" $command --no-such x
	also "fsndiff $command --help"
done
expect 0 "usage: fsndiff COMMAND" "$FSNDIFF" --help
expect 2 "usage: fsndiff COMMAND" "$FSNDIFF"
expect 2 'unknown command "reply"' "$FSNDIFF" reply

for command in replay show pack minimize "triage --into $work/t"; do
	# shellcheck disable=SC2086
	set -- "$FSNDIFF" $command
	expect 2 "$missing: No such file" "$@" "$missing"
	expect 2 "$work/bad/mask.fsn:3:" "$@" "$work/bad/mask.fsn"
	expect 2 "$work/version.fsn:1:" "$@" "$work/version.fsn"
	expect 2 "$work/foreign: made by byte format 1; this build reads 2" "$@" "$work/foreign"
	expect 2 "$work/nothing: an empty file" "$@" "$work/nothing"
	expect 2 "" "$@"
done
for command in replay "triage --into $work/t" "fuzz --corpus"; do
	# shellcheck disable=SC2086
	set -- "$FSNDIFF" $command
	expect 2 "$work/empty: no input" "$@" "$work/empty"
	expect 2 "$work/notes: no input" "$@" "$work/notes"
	expect 2 "$missing: No such file" "$@" "$missing"
	expect 2 "$work/bad/mask.fsn:3:" "$@" "$work/bad"
done

for command in "replay $k1" "minimize $k1" "fuzz --runs 1"; do
	# shellcheck disable=SC2086
	set -- "$FSNDIFF" $command
	expect 2 "optimised" "$@" --pair vanilla,optimised
	expect 2 "no_such" "$@" --pair vanilla,optimized+no_such
	expect 2 "pair \"vanilla\"" "$@" --pair vanilla
done
expect 2 "--level 4.2" "$FSNDIFF" replay --level 4.2 "$k1"
expect 2 "--expect-key" "$FSNDIFF" replay --expect-key K1 "$k1" "$k1"
expect 2 "--into DIR is missing" "$FSNDIFF" triage "$k1"
expect 2 "--time 0" "$FSNDIFF" fuzz --time 0
expect 2 "--time ten" "$FSNDIFF" fuzz --time ten
expect 2 "--jobs 65" "$FSNDIFF" fuzz --jobs 65
expect 2 "--runs -1" "$FSNDIFF" fuzz --runs -1
expect 2 "$k1: no FILE here" "$FSNDIFF" fuzz "$k1"
expect 2 '"nonsense"' "$FSNDIFF" list nonsense
expect 2 "one word" "$FSNDIFF" list
expect 2 "$missing: No such file" "$FSNDIFF" status "$missing"
expect 2 "$work/empty/campaign.json" "$FSNDIFF" status "$work/empty"
expect 78 "both sides are the same" "$FSNDIFF" minimize --pair vanilla,vanilla "$k1"

# A bad file among good ones is named and does not hide the others.
expect 2 "$work/bad/mask.fsn:3:" "$FSNDIFF" replay "$work/bad/mask.fsn" "$k1"
also "replay: files=2 same=0 known=K1:1 expected=0 new=0 failed=1"
finish
