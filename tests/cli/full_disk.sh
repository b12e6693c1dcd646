#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk without space or inodes ends a campaign with 3, a clear error, and the finding as text.
. "$(dirname "$0")/common.inc"

if [ -z "${FULL_DISK_INSIDE:-}" ]; then
	unshare -m true 2>/dev/null || skip "not root: a mount namespace is needed"
	FULL_DISK_INSIDE=1 exec unshare -m sh "$0"
fi
mkdir "$work/disk"
full() {
	mount -t tmpfs -o "$1" tmpfs "$work/disk" 2>/dev/null || skip "no tmpfs can be mounted"
}

# No space from the start: said before anything is run.
full size=64k
expect 3 "$work/disk/found: No space left on device" \
	"$FSNDIFF" fuzz --strict --runs 1000 --jobs 1 --findings "$work/disk/found"
umount "$work/disk"

# The root, found, the ballast, and one more: a finding needs four.
full size=1m,nr_inodes=4
expect 3 "No space left on device" \
	"$FSNDIFF" fuzz --strict --time 60 --jobs 1 --seed 1 --findings "$work/disk/found"
also "finding that could not be saved, as text:"
sed -n '/^fsn 1/,/^and as bytes/p' "$work/err" | grep -v '^and as bytes' >"$work/trace.fsn"
expect 0 "" "$FSNDIFF" replay --expect-key K1 "$work/trace.fsn"
umount "$work/disk"

# Space that the ballast gives back is enough for one finding.
full size=512k
(
	"$FSNDIFF" fuzz --strict --time 60 --jobs 1 --seed 1 --findings "$work/disk/found"
	echo $? >"$work/rc"
) 2>&1 | while read -r line; do
	case $line in
	"fuzz: pair"*) dd if=/dev/zero of="$work/disk/filler" bs=4k 2>/dev/null ;;
	esac
done
[ "$(cat "$work/rc")" = 77 ] || flunk "a full disk with ballast: exit $(cat "$work/rc")"
expect 0 "" "$FSNDIFF" replay --expect-key K1 "$work/disk/found/K1/trace.fsn"
umount "$work/disk"

# triage, likewise.
full size=1m,nr_inodes=3
expect 3 "No space left on device" \
	"$FSNDIFF" triage --strict --into "$work/disk" "$SOURCE_DIR/corpus/known/K1.fsn"
also "finding that could not be saved, as text:"
also "mark g0 add inode d0 ignored=OPEN"
umount "$work/disk"
finish
