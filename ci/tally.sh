# SPDX-License-Identifier: MIT
#
# Counts checks, for ci/test, ci/lint, ci/determinism, ci/docs and .ci/run. Sourced by bash.
#
#   check NAME COMMAND...   one check: passes when the command exits 0; its output goes to a log,
#                           which is shown when it fails
#   suite NAME COMMAND...   the command's own last line is "N passed, N failed"
#   junit NAME FILE         the tests of a JUnit file
#   tally                   the closing line; the status is 0 only when something passed and
#                           nothing failed
#
# All fail closed: no such line, no such file, or no test in it is a failure.
passed=0
failed=0
failures=()

pass() {
	passed=$((passed + 1))
	echo "ok      $1"
}

flunk() {
	failed=$((failed + 1))
	failures+=("$1")
	echo "FAILED  $1"
}

check() {
	local name=$1 log begun=$SECONDS
	shift
	log=$(mktemp)
	if "$@" >"$log" 2>&1 </dev/null; then
		pass "$name ($((SECONDS - begun)) s)"
	else
		sed 's/^/    /' "$log" | tail -n 60
		flunk "$name"
	fi
	rm -f "$log"
}

# add NAME PASSED FAILED STATUS: the numbers of a suite.
add() {
	passed=$((passed + $2))
	failed=$((failed + $3))
	if [ "$2" -eq 0 ] && [ "$3" -eq 0 ]; then
		flunk "$1: nothing was tested"
	elif [ "$3" -gt 0 ]; then
		failures+=("$1: $3")
		echo "FAILED  $1: $2 passed, $3 failed"
	elif [ "$4" -ne 0 ]; then
		flunk "$1: status $4"
	else
		echo "ok      $1: $2 passed"
	fi
}

suite() {
	local name=$1 log status last
	shift
	log=$(mktemp)
	"$@" 2>&1 </dev/null | tee "$log" | sed 's/^/    /'
	status=${PIPESTATUS[0]}
	last=$(tail -n 1 "$log")
	rm -f "$log"
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		add "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$status"
	else
		flunk "$name: no closing line (status $status)"
	fi
}

# junit_count FILE ATTRIBUTE: of the file's first <testsuite>; 0 when it is not there.
junit_count() {
	local n
	n=$(tr '\n' ' ' <"$1" | sed -n 's/^[^>]*>*[^<]*<testsuite\([^>]*\)>.*/\1/p' |
		sed -n "s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p")
	echo "${n:-0}"
}

# What was skipped, whole tests and parts of them, and why: they say so on a line of their own.
reasons() {
	awk '/<testcase name=/ { split($0, part, "\""); name = part[2] }
		sub(/.*skipped: /, "skipped: ") {
			sub(/<.*/, "")
			if (!seen[name, $0]++)
				print "        " name ": " $0
		}' "$1"
}

# A test is idle when its own script said so (125); one that was not run for another reason, say
# that it was not built, is a failure.
junit() {
	local name=$1 file=$2 tests bad idle
	if ! [ -s "$file" ]; then
		flunk "$name: no results in $file"
		return
	fi
	tests=$(junit_count "$file" tests)
	idle=$(grep -c '<skipped message="SKIP_RETURN_CODE=' "$file")
	bad=$(($(junit_count "$file" failures) + $(junit_count "$file" disabled) +
		$(junit_count "$file" skipped) - idle))
	reasons "$file"
	add "$name" $((tests - bad - idle)) "$bad" 0
}

tally() {
	local name
	for name in "${failures[@]}"; do
		echo "failed: $name"
	done
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
