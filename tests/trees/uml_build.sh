#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# kernel/uml/build says what is wrong before it does anything that takes long.
. "$SOURCE_DIR/tests/cli/common.inc"
build=$SOURCE_DIR/kernel/uml/build
# shellcheck disable=SC2154 # common.inc sets it
export UML="$work/uml"

expect 2 "usage" "$build"
expect 2 "usage" "$build" --help
expect 2 "usage" "$build" a b
expect 2 "no such folder" "$build" "$work/nowhere"
also "modify_mask" # the edits there are
expect 2 "no such revision" "$build" "$SOURCE_DIR@no-such-revision"

# A folder with fs/notify alone does for the trees in process, and not for a kernel.
mkdir -p "$work/part/fs/notify" "$work/part/init" "$work/part/mm"
touch "$work/part/Makefile"
expect 2 "Kconfig is missing; a kernel needs the whole tree" "$build" "$work/part"

# A tree that does not build: the reason comes from make.
touch "$work/part/Kconfig"
mkdir -p "$work/part/arch/um"
printf 'tinyconfig:\n\t@echo "Kconfig:1: No such option" >&2; false\n' >"$work/part/Makefile"
expect 1 "no kernel yet" "$build" -n "$work/part"
expect 2 "does not build as User Mode Linux" "$build" "$work/part"
also "Kconfig:1: No such option"

# An option that is dropped without a word is named.
cat >"$work/part/Makefile" <<'END'
tinyconfig: ; @touch $(O)/.config
olddefconfig: ; @sed -i -e s/CONFIG_FANOTIFY_ACCESS_PERMISSIONS=y// -e /=n/d $(O)/.config
END
expect 2 "CONFIG_FANOTIFY_ACCESS_PERMISSIONS cannot be had" "$build" "$work/part"

# No space, and a tool that is missing.
mkdir "$work/bin"
printf '#!/bin/sh\nprintf "Avail\\n10M\\n"\n' >"$work/bin/df"
chmod +x "$work/bin/df"
expect 3 "1200 MB are needed, 10 MB are free" \
	env PATH="$work/bin:$PATH" UML="$work/full" "$build" "$work/part"
for tool in bash sh dirname mkdir cat sed tail tr df uname; do
	ln -sf "$(command -v $tool)" "$work/bin/$tool"
done
expect 3 "not found: gcc make flex" env PATH="$work/bin" "$(command -v bash)" "$build" "$work/part"
also "apt-get install"
finish
