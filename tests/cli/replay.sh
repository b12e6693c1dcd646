#!/bin/sh
# SPDX-License-Identifier: MIT
# replay, show, pack, minimize and list, on traces whose outcome is known.
. "$(dirname "$0")/common.inc"

k1=$SOURCE_DIR/corpus/known/K1.fsn

# A known divergence is explained and counted; --strict shows both sides of it.
expect 0 "known=K1:1 expected=0 new=0 failed=0" "$FSNDIFF" replay "$k1"
expect 77 "new=1" "$FSNDIFF" replay --strict "$k1"
also "marks/write/ignored/-, explained by K1"
also "vanilla:   inode d0 mask=OPEN|ON_CHILD ignored=OPEN"
also "optimized: inode d0 mask=OPEN|ON_CHILD ignored=0"
expect 0 "group g0 fanotify" "$FSNDIFF" replay -v "$k1"
expect 0 '"known": "K1"' "$FSNDIFF" replay --json "$k1"
expect 0 "same=1" "$FSNDIFF" replay --pair vanilla,vanilla+k2 "$SOURCE_DIR/corpus/seeds/fifo.fsn"

# --expect-key
expect 0 "" "$FSNDIFF" replay --expect-key K1 "$k1"
expect 0 "" "$FSNDIFF" replay --expect-key marks/write/ignored/- "$k1"
expect 79 "" "$FSNDIFF" replay --expect-key K2 "$k1"
expect 78 "" "$FSNDIFF" replay --expect-key K1 --pair vanilla,optimized-modify_mask "$k1"

# A trace can name its pair and its key.
cat >"$work/pipe.fsn" <<END
fsn 1
# pair: vanilla,vanilla+pseudo_opt_out_2020
# key: files/pipe/flags/+
pipe h0 h1
END
expect 0 "same=0 known=K1:0 expected=1 new=0 failed=0" "$FSNDIFF" replay "$work/pipe.fsn"
expect 77 "new=1" "$FSNDIFF" replay --strict "$work/pipe.fsn"
expect 0 "same=1" "$FSNDIFF" replay --pair vanilla,optimized "$work/pipe.fsn"
sed 's/flags/presence/' "$work/pipe.fsn" >"$work/other.fsn"
expect 77 "expected to diverge in files/pipe/presence/+, not in files/pipe/flags/+" \
	"$FSNDIFF" replay "$work/other.fsn"
sed 's/^pipe.*/open h0 d0 rdonly/' "$work/pipe.fsn" >"$work/same.fsn"
expect 77 "expected to diverge in files/pipe/flags/+, but both sides are the same" \
	"$FSNDIFF" replay "$work/same.fsn"

# Expectations are checked on both executors.
printf 'fsn 1\nopen h0 d0/f0 rdonly => ok\nopen h1 d0/f3 rdonly => ok\n' >"$work/unmet.fsn"
expect 77 "$work/unmet.fsn:3: expected \"ok\", got \"ENOENT\", on executor vanilla" \
	"$FSNDIFF" replay "$work/unmet.fsn"
also "on executor optimized"
also "failed=1"
printf 'fsn 1\nopen h0 d0/f3 rdonly => [vanilla] ENOENT\n  => [optimized] ok\n' >"$work/one.fsn"
expect 77 "$work/one.fsn:3: expected \"ok\", got \"ENOENT\", on executor optimized" \
	"$FSNDIFF" replay "$work/one.fsn"

# A directory is walked, sorted, without its notes.
mkdir -p "$work/dir/b"
cp "$work/pipe.fsn" "$work/dir/b/2.fsn"
cp "$k1" "$work/dir/1.fsn"
echo "some words" >"$work/dir/README.md"
expect 0 "files=2 same=0 known=K1:1 expected=1" "$FSNDIFF" replay "$work/dir"

# Text and bytes are two forms of the same.
expect 0 "" "$FSNDIFF" pack "$k1" -o "$work/k1"
expect 0 "known=K1:1" "$FSNDIFF" replay "$work/k1"
"$FSNDIFF" show "$work/k1" >"$work/shown.fsn" || flunk "show"
"$FSNDIFF" show "$k1" | cmp -s - "$work/shown.fsn" || flunk "show of bytes and of text differ"
"$FSNDIFF" pack "$work/shown.fsn" | cmp -s - "$work/k1" || flunk "pack of what show printed differs"

# The minimum is the same from both forms and every time.
expect 0 "group g0" "$FSNDIFF" minimize "$k1" -o "$work/minimum.fsn"
grep -q "open h0 d0/f0 wronly" "$work/err" || flunk "minimize does not show the unshrunk trace"
cmp -s "$work/out" "$work/minimum.fsn" || flunk "minimize -o differs from what it prints"
is_k1 "$work/minimum.fsn" || flunk "minimum of K1: $(cat "$work/minimum.fsn")"
"$FSNDIFF" minimize "$work/k1" 2>/dev/null | cmp -s - "$work/minimum.fsn" ||
	flunk "minimize is not deterministic"
expect 0 "known=K1:1" "$FSNDIFF" replay "$work/minimum.fsn"
expect 77 "ignored=OPEN" "$FSNDIFF" replay --strict "$work/minimum.fsn"
also "ignored=0"

for what in executors operations events levels toggles quirks mutants oracles; do
	expect 0 "" "$FSNDIFF" list $what
	[ "$(wc -l <"$work/out")" -ge 2 ] || flunk "list $what is short"
done
finish
