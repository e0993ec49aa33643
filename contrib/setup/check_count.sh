# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs one test, or one `make check`, and counts what came of it.  Sourced by
# contrib/check after say.sh, with source_dir set to the source tree.
# shellcheck disable=SC2154 # source_dir

check_dir=$source_dir/build-check
passed=0 failed=0 skipped=0
failures=() skips=()

# count_result NAME STATUS LOG: a single test that ended with STATUS.
count_result()
{
	case $2 in
	0)	passed=$((passed + 1))
		printf 'PASS: %s\n' "$1" ;;
	77)	skipped=$((skipped + 1))
		skips+=("$1: $(tail -n 1 "$3")")
		printf 'SKIP: %s: %s\n' "$1" "$(tail -n 1 "$3")" ;;
	*)	failed=$((failed + 1))
		failures+=("$1 (status $2): $3")
		printf 'FAIL: %s (status %s)\n' "$1" "$2" ;;
	esac
}

# count_run NAME COMMAND...: runs one test; its output goes to a log.
count_run()
{
	local name=$1 log status=0

	shift
	log=$check_dir/${name//[^A-Za-z0-9.-]/_}.log
	"$@" >"$log" 2>&1 || status=$?
	[ $status = 0 ] || [ $status = 77 ] || tail -n 40 "$log"
	count_result "$name" "$status" "$log"
}

# count_start NAME COMMAND...: a test that runs beside others which need no
# device, as many at a time as there are CPUs; count_finish waits for the last
# and counts those that were not yet.
declare -A count_running=()

count_start()
{
	local name=$1 log

	shift
	[ ${#count_running[@]} -lt "$(nproc)" ] || count_one
	log=$check_dir/${name//[^A-Za-z0-9.-]/_}.log
	"$@" >"$log" 2>&1 &
	count_running[$!]=$name
}

# count_one: waits for whichever of the started tests ends first.
count_one()
{
	local pid status=0 name log

	wait -n -p pid "${!count_running[@]}" || status=$?
	name=${count_running[$pid]}
	unset "count_running[$pid]"
	log=$check_dir/${name//[^A-Za-z0-9.-]/_}.log
	[ $status = 0 ] || [ $status = 77 ] || tail -n 40 "$log"
	count_result "$name" "$status" "$log"
}

count_finish()
{
	while [ ${#count_running[@]} -gt 0 ]; do
		count_one
	done
}

# count_make_check NAME DIR MAKE-ARGUMENT...: runs `make check` in DIR and
# counts each of its tests.  A build that fails is one failed test.  Tests run
# one by one, or `at_once` at a time where the caller has set that.
count_make_check()
{
	local name=$1 dir=$2 log status=0 file test status_of

	shift 2
	log=$check_dir/${name//[^A-Za-z0-9.-]/_}.log
	say "$name"
	find "$dir" -name '*.trs' -delete
	make -C "$dir" -j "$(nproc)" check "$@" TESTS= >"$log" 2>&1 &&
		make -C "$dir" -j "${at_once:-1}" check "$@" >"$log" 2>&1 ||
		status=$?
	while IFS= read -r -d '' file; do
		test=${file#"$dir/"}
		test=${test%.trs}
		case $(sed -n 's/^:global-test-result: *//p' "$file") in
		PASS|XFAIL) status_of=0 ;;
		SKIP) status_of=77 ;;
		*) status_of=1; tail -n 40 "${file%.trs}.log" ;;
		esac
		count_result "$name: $test" $status_of "${file%.trs}.log"
	done < <(find "$dir" -name '*.trs' -print0 | sort -z)
	# No test at all is a list of tests that went wrong.
	if [ $status = 0 ] &&
	   [ -z "$(find "$dir" -name '*.trs' -print -quit)" ]; then
		echo "no test was run: make check $*" >>"$log"
		status=1
	fi
	# make's own failure counts when no test of it already did.
	if [ $status != 0 ] && ! grep -rqs --include='*.trs' \
	   -e '^:global-test-result: *\(FAIL\|XPASS\|ERROR\)' "$dir"; then
		tail -n 40 "$log"
		count_result "$name: make check" $status "$log"
	fi
}

# count_report: the summary; returns 1 when a test failed.
count_report()
{
	local line

	printf '\n'
	for line in "${skips[@]}"; do
		printf 'skipped: %s\n' "$line"
	done
	for line in "${failures[@]}"; do
		printf 'failed: %s\n' "$line"
	done
	printf '%d passed, %d failed, %d skipped\n' \
		"$passed" "$failed" "$skipped"
	[ "$failed" = 0 ]
}
