#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The rules of the device, one after the other: a program that breaks one
# makes softefa say so, of this rule alone, in one line, and end with 121; one
# that keeps to it by a hair's breadth is left in peace.  Every rule that
# --allow knows is among the cases.
#
#	SOFTEFA		the command
#	TOP_BUILDDIR	the build tree

set -u

softefa=${SOFTEFA:?the softefa command to test with}
breaker=${TOP_BUILDDIR:?the build tree}/contrib/softefa/test/rule_breaker
failures=0
err=$(mktemp)
trap 'rm -f "$err"' EXIT

[ -x "$softefa" ] || { echo "skipped: softefa: no $softefa"; exit 77; }
[ -x "$breaker" ] || { echo "skipped: no $breaker (rdma-core)"; exit 77; }

fail()
{
	echo "FAILED: $*"
	sed 's/^/    /' "$err"
	failures=$((failures + 1))
}

# expect STATUS OPTION... -- COMMAND...: under softefa run, stderr in $err.
expect()
{
	local wanted=$1 got=0

	shift
	timeout 120 "$softefa" run "$@" >/dev/null 2>"$err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "$* ended with $got, not $wanted"
}

# The rules that $err tells of, one a line.
told()
{
	sed -n 's/^softefa: rule \([a-z-]*\) broken: efa_[0-9]* pid [0-9]* (rule_breaker): [QC][PQ] [0-9]*: .*/\1/p' "$err"
}

check_case()
{
	local case=$1 rule=${1%%/*}

	expect 121 -- "$breaker" break "$case"
	[ "$(told)" = "$rule" ] || fail "$case: told was '$(told)'"
	grep -q "^softefa: rules of the device broken: $rule [0-9]*\$" "$err" ||
		fail "$case: the sum is wrong"
	expect 0 -- "$breaker" keep "$case"
	[ ! -s "$err" ] || fail "$case: not silent when it is kept to"
	expect 0 --allow "$rule" -- "$breaker" break "$case"
	grep -q "^softefa: rule $rule broken (allowed): " "$err" ||
		fail "$case: --allow hides it"
}

# A broken rule comes before whatever the command says of itself.
test_statuses()
{
	local status

	for status in 1 77 125; do
		expect 121 -- sh -c "'$breaker' break sq-phase; exit $status"
		grep -q "own exit status was $status\$" "$err" ||
			fail "status $status of the command is not told"
		expect "$status" --allow sq-phase -- \
			sh -c "'$breaker' break sq-phase; exit $status"
	done
	expect 121 --allow sq-torn,lkey -- "$breaker" break sq-phase
	expect 0 --allow sq-torn,sq-phase -- "$breaker" break sq-phase
}

# With a log it is in both places, once in each.
test_log()
{
	local log

	log=$(mktemp)
	expect 121 --log "$log" -- "$breaker" break sq-phase
	[ "$(told)" = sq-phase ] || fail "--log FILE: told was '$(told)'"
	mv "$log" "$err"
	[ "$(told)" = sq-phase ] || fail "--log FILE: it does not tell"
	expect 121 --log - -- "$breaker" break sq-phase
	[ "$(told)" = sq-phase ] || fail "--log -: told was '$(told)'"
}

# shared STATUS OPTION...: what stop says of a daemon that was broken on.
shared()
{
	local wanted=$1 name=test-rules-$$ got=0

	shift
	"$softefa" start --name "$name" "$@" || fail "start"
	"$softefa" run --name "$name" -- "$breaker" break sq-phase >/dev/null ||
		fail "run --name ended with $?"
	"$softefa" show --name "$name" >"$err"
	grep -q 'rule sq-phase broken' "$err" || fail "show does not tell"
	"$softefa" stop --name "$name" 2>"$err" || got=$?
	[ "$got" = "$wanted" ] || fail "stop ended with $got, not $wanted"
}

"$softefa" run -- "$breaker" keep sq-phase >/dev/null 2>"$err" || {
	[ $? != 77 ] || { echo "skipped: $(cat "$err")"; exit 77; }
}
cases=$("$breaker")
for case in $cases; do
	check_case "$case"
done
test_statuses
test_log
shared 121
shared 0 --allow sq-phase
all=$("$softefa" run --allow none -- true 2>&1 | sed -n 2p)
for rule in $all; do
	case $rule in
	[sr]q-*|cq-*|lkey)
		grep -qx "$rule" <<<"$cases" || fail "no case of $rule" ;;
	esac
done
[ "$(wc -w <<<"$all")" -ge 20 ] || fail "--allow lists '$all'"
[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
