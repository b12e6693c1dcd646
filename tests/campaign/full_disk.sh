#!/bin/bash
# SPDX-License-Identifier: MIT
#
# On a full disk a campaign says so and ends with 3; what was found before is whole, and a finding
# that cannot be saved is on stderr as text. Runs in a mount namespace of its own, on small tmpfs.
# Exit 125: this machine does not let us have one.
if [ -z "${IN_NAMESPACE-}" ]; then
	root=
	[ "$(id -u)" = 0 ] || root=--map-root-user
	unshare $root --mount true 2>/dev/null || { echo "no mount namespaces here"; exit 125; }
	IN_NAMESPACE=1 exec unshare $root --mount "$0"
fi
. "$(dirname "$0")/common.bash"
trap 'umount -l "$work/c/findings" "$work/c" 2>/dev/null || true; cleanup' EXIT

ends_with_3() {
	[ "$rc" = 3 ] || flunk "$1: ends with 3, not $rc"
	[[ $(last_line) == "campaign: FAILED "* ]] || flunk "$1: last line: $(last_line)"
}

# It becomes full while the campaign runs.
mkdir "$work/c"
mount -t tmpfs -o size=48m tmpfs "$work/c"
start --hours 1 --pair "$pair" --min-free 4
wait_for "a finding" found_something
take_stock >"$work/stock"
dd if=/dev/zero of="$work/c/fill" bs=64k 2>/dev/null || true
await_end
ends_with_3 "filled while it runs"
last_line | grep -q 'disk full' || flunk "it does not say why: $(last_line)"
nothing_lost "$work/stock"
nobody_left || flunk "processes are left"
[ -z "$(find "$work"/c/findings -type f -empty)" ] || flunk "an empty file among the findings"

# It is full already.
start --hours 1 --min-free 4
await_end
ends_with_3 "full at the start"
last_line | grep -q 'disk full' || flunk "it does not say why: $(last_line)"
umount "$work/c"

# There is space, but not where the findings go: the last resort is stderr.
mkdir -p "$work/c/findings"
mount -t tmpfs -o size=16k tmpfs "$work/c/findings"
dd if=/dev/zero of="$work/c/findings/.fill" bs=4k 2>/dev/null || true
start --hours 1 --pair "$pair" --min-free 1
await_end
ends_with_3 "findings cannot be saved"
grep -q '^fsn 1$' "$work/out" || flunk "the finding is not on stderr as text"
umount "$work/c/findings"
echo "full disk: ok"
