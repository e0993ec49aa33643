#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# softefa-rawpeer from end to end: two of them, and one with a device.
#
#	SOFTEFA		the command
#	RAWPEER		softefa-rawpeer; beside it if not given

set -u

softefa=${SOFTEFA:-softefa}
rawpeer=${RAWPEER:-$(dirname "$(command -v "$softefa")")/softefa-rawpeer}
name=test-rawpeer-$$
a="unix:@$name-a,peer=@$name-b"
b="unix:@$name-b,peer=@$name-a"
failures=0
work=$(mktemp -d)
trap '"$softefa" stop --name "$name" 2>/dev/null; rm -rf "$work"' EXIT

if ! [ -x "$rawpeer" ]; then
	echo "skipped: $rawpeer is not an executable (RAWPEER)"
	exit 77
fi

fail()
{
	echo "FAILED: $*"
	sed 's/^/    /' "$work"/*.out "$work"/*.err
	failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: rawpeer, output in $work/a.out and a.err.
expect()
{
	local wanted=$1 got=0

	shift
	timeout 60 "$rawpeer" "$@" >"$work/a.out" 2>"$work/a.err" || got=$?
	[ "$got" = "$wanted" ] || fail "$* ended with $got, not $wanted"
}

# A second one in the background; then its status and output.
start_other()
{
	timeout 60 "$rawpeer" --gid fe80::b --timeout 30 "$@" "$b" \
		>"$work/b.out" 2>"$work/b.err" &
	other=$!
}

other_ends()
{
	local got=0

	wait "$other" || got=$?
	[ "$got" = "$1" ] || fail "the other ended with $got, not $1"
}

is_printed()
{
	diff "$work/wanted" "$work/$1.out" >"$work/diff.err" ||
		fail "printed by $1, $2"
	rm -f "$work/diff.err"
}

test_message()
{
	start_other --receive 2 --payload raw
	expect 0 --gid fe80::a --qpn 7 --to fe80::b/65535 --qkey 0x11 \
		--imm 0xabcd "$a" 'DEAD beef' ''
	other_ends 0
	cat >"$work/wanted" <<-'END'
	send from=fe80::a/7 to=fe80::b/65535 qkey=0x11 imm=0xabcd len=4 payload=deadbeef
	send from=fe80::a/7 to=fe80::b/65535 qkey=0x11 imm=0xabcd len=0
	END
	is_printed b "a message"
	cat >"$work/wanted" <<-'END'
	status from=fe80::b/65535 to=fe80::a/7 op_id=1 status=OK
	status from=fe80::b/65535 to=fe80::a/7 op_id=2 status=OK
	END
	is_printed a "its answers"
}

test_answers()
{
	local status

	for status in REMOTE_ERROR_ABORT 9; do
		start_other --receive 1 --answer "$status"
		expect 4 --gid fe80::a --to fe80::b/1 "$a" 00
		other_ends 0
		echo "status from=fe80::b/1 to=fe80::a/1 op_id=1" \
			"status=${status/9/REMOTE_ERROR_BAD_DEST_QPN}" \
			>"$work/wanted"
		is_printed a "status $status"
	done
	start_other --receive 1 --answer none
	expect 3 --gid fe80::a --to fe80::b/1 --timeout 3 "$a" 00
	other_ends 0
	grep -q '0 of 1 messages answered' "$work/a.err" ||
		fail "no answer: what is missing?"
}

test_stdin()
{
	start_other --receive 3
	printf '01\n02\n03\n' |
		expect 0 --gid fe80::a --to fe80::b/2 --op datagram "$a" -
	other_ends 0
	[ "$(sed -n 's/^datagram .*payload=//p' "$work/b.out" | tr '\n' ' ')" = \
	  '01 02 03 ' ] || fail "datagrams from stdin"
	[ ! -s "$work/a.out" ] || fail "a datagram was answered"
}

# An eager message of 8 bytes: type 64, version 4.
test_rdm()
{
	start_other --receive 1
	expect 0 --gid fe80::a --to fe80::b/2 "$a" 40040000000000000807060568690000
	other_ends 0
	grep -q ' rdm=EAGER_MSGRTM .* data=8$' "$work/b.out" || fail "not decoded"
}

test_malformed()
{
	start_other --receive 1
	expect 0 --gid fe80::a --to fe80::b/2 --op raw "$a" ffff
	other_ends 0
	echo malformed >"$work/wanted"
	is_printed b "what is no packet"
}

test_device()
{
	local gid

	timeout 60 "$softefa" start --name "$name" \
		--link "unix:@$name-b,join=any" || fail "start"
	gid=$("$softefa" run --name "$name" -- \
		cat /sys/class/infiniband/efa_0/ports/1/gids/0)
	expect 4 --gid fe80::a --to "$gid/9" "$a" 00
	grep -q ' status=REMOTE_ERROR_BAD_DEST_QPN$' "$work/a.out" ||
		fail "a QP that does not exist"
	timeout 60 "$softefa" stop --name "$name" || fail "stop"
}

test_timeout()
{
	expect 3 --gid fe80::a --timeout 1 --receive 1 "$a"
	grep -q '0 of 1 requests received' "$work/a.err" || fail "what is missing?"
}

# wrong WORD ARGUMENT...: one error that names WORD.
wrong()
{
	local word=$1

	shift
	expect 2 "$@"
	[ "$(grep -cE ': error: |^rawpeer: ' "$work/a.err")" = 1 ] || fail "$*: not one error"
	grep -q -- "$word" "$work/a.err" || fail "$*: does not name $word"
}

test_arguments()
{
	wrong --gid "$a" 00
	wrong LINK --gid fe80::a
	wrong --to --gid fe80::a "$a" 00
	wrong --receive --gid fe80::a "$a"
	wrong 65536 --gid fe80::a --qpn 65536 "$a" 00
	wrong fe80::a/ --to fe80::a/ "$a" 00
	wrong BAD --answer BAD "$a"
	wrong --colour --colour red "$a"
	wrong nowhere --gid fe80::a --receive 1 nowhere:
	wrong "'0'" --gid fe80::a --to fe80::b/1 "$a" 00 0
	wrong 'no byte' --gid fe80::a --to fe80::b/1 --op raw "$a" ''
	expect 0 --help
}

command -v "$softefa" >/dev/null || { echo "skipped: no $softefa"; exit 77; }
for test in message answers stdin rdm malformed device timeout arguments; do
	echo "test_$test"
	"test_$test"
done
[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
