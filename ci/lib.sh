# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What ci/smoke, ci/campaign and bench/run share: building, both engines' command lines, and the
# checks that an engine really fuzzes. Sourced by bash. A folder of work, DIR below, looks like
# this (docs/campaigns.md); `fsndiff status` reads it, `fsndiff triage` writes its findings:
#   DIR/campaign.json  DIR/corpus  DIR/aflpp  DIR/findings/BUCKET
#   DIR/workers/NAME/{log,stats.json,crash-…}
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0")
fsndiff=$root/build/release/fsndiff

# Fewer edges than this and the target is not what it should be: built without instrumentation,
# or linked without the core.
least_edges=1000

say() { echo "$script: $*"; }

# fail CODE WORDS: the last line of a script that did not do what it was asked.
fail() {
	local code=$1
	shift
	echo "$script: FAILED $*"
	exit "$code"
}

# whole NUMBER NAME LOW: is it a whole number of at least LOW?
whole() {
	if ! [[ $1 =~ ^[0-9]{1,9}$ ]] || [ "$((10#$1))" -lt "$3" ]; then
		fail 2 "$2 wants a whole number, at least $3, not \"$1\""
	fi
}

# build PRESET TARGET...
build() {
	local preset=$1 log=$root/build/$1.log
	shift
	mkdir -p "$root/build"
	if ! (cd "$root" && cmake --preset "$preset" && cmake --build "build/$preset" --target "$@") \
		>"$log" 2>&1; then
		tail -n 40 "$log"
		fail 3 "the preset $preset does not build ($log)"
	fi
}

build_engines() {
	say "building: the command, the target for both engines"
	build release fsndiff dictionary
	build fuzz builds_agree
	build fuzz-fast builds_agree
	build afl builds_agree fsn_mutator
}

# A sanitised binary has these symbols; without them it would find nothing and say all is well.
check_sanitised() {
	local binary=$1 symbol
	for symbol in __asan_report_load8 __ubsan_handle_add_overflow_abort; do
		grep -qa "$symbol" "$binary" || fail 3 "$binary has no $symbol: built without sanitizers"
	done
}

# How many edges of the AFL++ target does one seed light up?
check_afl_map() {
	local binary=$1 seed=$2 map=$3 tool
	for tool in afl-fuzz afl-showmap; do
		command -v $tool >/dev/null || fail 3 "$tool is not installed"
	done
	AFL_QUIET=1 timeout 20 afl-showmap -m none -t 5000 -q -o "$map" -- "$binary" \
		<"$seed" >/dev/null 2>&1 || true
	if ! [ -s "$map" ] || [ "$(wc -l <"$map")" -lt 50 ]; then
		fail 3 "$binary shows no coverage under afl-showmap: built without instrumentation"
	fi
}

# check_libfuzzer LOG: does the log say that coverage counters and our mutator are there?
check_libfuzzer() {
	local edges
	edges=$(sed -n 's/^INFO: Loaded 1 modules *(\([0-9]*\) inline 8-bit counters).*/\1/p' "$1")
	[ "${edges:-0}" -ge "$least_edges" ] ||
		fail 3 "libFuzzer sees ${edges:-0} coverage counters, at least $least_edges expected ($1)"
	grep -q 'found LLVMFuzzerCustomMutator' "$1" || fail 3 "libFuzzer runs without our mutator ($1)"
}

# pack_corpus DIR: every trace of the corpus as the fuzzers' bytes, and the empty program.
pack_corpus() {
	local file name n=0
	mkdir -p "$1"
	while read -r file; do
		name=${file#"$root"/corpus/}
		"$fsndiff" pack "$file" -o "$1/${name//\//_}" >/dev/null ||
			fail 2 "the trace $file cannot be packed"
		n=$((n + 1))
	done < <(find "$root/corpus" -name '*.fsn' | sort)
	[ "$n" -gt 0 ] || fail 2 "the corpus is empty: no traces below $root/corpus"
	echo 'fsn 1' >"$1/../nothing.fsn"
	"$fsndiff" pack "$1/../nothing.fsn" -o "$1/nothing" >/dev/null
	say "$n traces are the seeds"
}

# describe DIR PAIR HOURS JOBS: what `fsndiff status` wants to know of a folder.
describe() {
	printf '{"pair": "%s", "started": %s, "hours": %s, "jobs": %s}\n' "$2" "$(date +%s)" "$3" "$4" \
		>"$1/campaign.json"
}

longest_input=3080 # BYTES_MAX of fuzz/bytes.h

# Command lines of the engines, into the array `command`:
# libfuzzer_command PRESET WORKER SECONDS DIR
# Entropic scheduling and reducing are off: on targets that are over in microseconds they take more
# time than the target, and reducing deletes inputs that others share.
libfuzzer_command() {
	command=(env ASAN_OPTIONS=exitcode=77:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
		"$root/build/$1/builds_agree" -max_total_time="$3" -max_len="$longest_input" -timeout=10
		-rss_limit_mb=2048 -print_final_stats=1 -reload=1 -entropic=0 -reduce_inputs=0
		-dict="$root/build/release/fsndiff.dict" -artifact_prefix="$4/workers/$2/" "$4/corpus")
}

# aflpp_command SECONDS DIR INPUT
aflpp_command() {
	command=(afl-fuzz -M main -i "$3" -o "$2/aflpp" -F "$2/corpus" -V "$1" -t 5000 -m none
		-G "$longest_input" -x "$root/build/release/fsndiff.dict" -- "$root/build/afl/builds_agree")
}

# What both engines need to know, and what afl-fuzz needs where nobody watches.
engine_environment() {
	local dir=$1 pair=$2
	export FSNDIFF_PAIR=$pair FSNDIFF_FINDINGS=$dir/findings FSNDIFF_ONCE=1
	unset ASAN_OPTIONS UBSAN_OPTIONS
	export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
	export AFL_DEBUG_CHILD=1 AFL_NO_AFFINITY=1 AFL_NO_CRASH_README=1 AFL_FAST_CAL=1 AFL_SYNC_TIME=1
	export AFL_CUSTOM_MUTATOR_LIBRARY=$root/build/afl/libfsn_mutator.so
}

# One value of afl-fuzz's statistics, without a fraction; 0 when there is none.
afl_stat() {
	local value
	value=$(sed -n "s/^$2 *: *\([0-9]*\).*/\1/p" "$1/aflpp/main/fuzzer_stats" 2>/dev/null || true)
	echo "${value:-0}"
}

# Everything that either engine saved because it thinks that it crashed or hung.
crash_files() {
	find "$1"/workers/*/*-* "$1"/aflpp/main/crashes* "$1"/aflpp/main/hangs* -type f 2>/dev/null | sort || true
}

# The buckets of a folder of work, one folder each.
findings_in() {
	find "$1/findings" -mindepth 1 -maxdepth 1 -type d ! -name '.*' 2>/dev/null | sort || true
}

# What `fsndiff triage` should look at: buckets that nobody has minimised, and crash files.
untriaged() {
	local bucket
	findings_in "$1" | while read -r bucket; do
		[ -e "$bucket/minimized.fsn" ] || echo "$bucket/input"
	done
	crash_files "$1"
}

# field NAME DIR: "execs=N" or "known=K1:N,K2:N" as `fsndiff status` counts them.
field() {
	{ "$fsndiff" status "$2" || true; } | sed -n "s/^status:.* \($1=[^ ]*\).*/\1/p"
}
