#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Two hosts and three: daemons that are linked, over a UNIX socket and over
# UDP, and in two network name spaces where root may make them.
#
#	SOFTEFA		the command
#	TEST_FILTER	only the tests whose names match
#
# Exit status 77 when the devices cannot be had.

set -u

softefa=${SOFTEFA:-softefa}
program=${TWO_HOSTS:-contrib/softefa/test/two_hosts}
raw_packets=${RAW_PACKETS:-contrib/softefa/test/raw_packets}
a=test-hosts-a-$$
b=test-hosts-b-$$
c=test-hosts-c-$$
failures=0
work=$(mktemp -d)
trap 'stop_hosts; rm -rf "$work"' EXIT

if ! command -v "$softefa" >/dev/null; then
	echo "skipped: $softefa is not an executable (SOFTEFA)"
	exit 77
fi

if ! [ -x "$program" ]; then
	echo "$program is not built: make $program (or TWO_HOSTS)" >&2
	exit 1
fi

fail()
{
	echo "FAILED: $*"
	failures=$((failures + 1))
}

stop_hosts()
{
	"$softefa" stop --name "$a" 2>/dev/null
	"$softefa" stop --name "$b" 2>/dev/null
	"$softefa" stop --name "$c" 2>/dev/null
}

until_true()
{
	local turns=0

	until "$@"; do
		turns=$((turns + 1))
		[ $turns -lt 600 ] || return 1
		sleep 0.05
	done
}

# is_up HOST OTHER: it sees the other.
is_up()
{
	"$softefa" show --name "$1" | grep -q "^host $2 at .*: up$"
}

# see_each_other HOST OTHER
see_each_other()
{
	if ! until_true is_up "$1" "$2" || ! until_true is_up "$2" "$1"; then
		fail "$1 and $2 do not see each other"
	fi
}

# counter HOST NAME: of the first other host that it shows.
counter()
{
	"$softefa" show --name "$1" |
		awk -v name="$2" '/^host / { on = 1 } on && $1 == name { print $2; exit }'
}

daemon_of()
{
	pgrep -f -- "start --name $1( |\$)"
}

# start_hosts LINK_A LINK_B [OPTION...]
start_hosts()
{
	local link_a=$1 link_b=$2

	shift 2
	"$softefa" start --name "$a" --link "$link_a" "$@" ||
		fail "start $link_a"
	"$softefa" start --name "$b" --link "$link_b" "$@" ||
		fail "start $link_b"
	see_each_other "$a" "$b"
}

start_unix()
{
	start_hosts "unix:@$a,peer=@$b,$1" "unix:@$b,peer=@$a,$1" "${@:2}"
}

# run_between HOST OTHER MODE: the program, one process on each host.
run_between()
{
	HOST_A="$softefa run --name $1 --" HOST_B="$softefa run --name $2 --" \
		timeout 120 "$program" "$3" >"$work/out-$1-$2" 2>&1 \
		</dev/null ||
		{ fail "$3 between $1 and $2"; sed 's/^/    /' "$work/out-$1-$2"; false; }
}

# run MODE: between the two.
run()
{
	run_between "$a" "$b" "$1"
}

test_unix()
{
	start_unix retry=20s
	run exchange
	run statuses
	run datagrams
	[ "$(counter "$a" malformed)" = 0 ] || fail "malformed packets"
	stop_hosts
}

test_profiles()
{
	start_unix retry=20s --profile next
	run exchange
	run statuses
	stop_hosts
}

test_udp()
{
	local port=$((20000 + $$ % 20000)) length

	start_hosts "udp:127.0.0.1:$port,peer=127.0.0.1:$((port + 1)),retry=20s" \
		"udp:127.0.0.1:$((port + 1)),peer=127.0.0.1:$port,retry=20s"
	run exchange
	# Any bytes from anybody.
	for length in 1 71 72 100 500 9000; do
		head -c $length /dev/urandom >"/dev/udp/127.0.0.1/$port"
	done
	run statuses
	"$softefa" show --name "$a" |
		awk '/^link /, 0 { if ($1 == "malformed") { exit $2 < 6 } }' ||
		fail "garbage was not counted"
	stop_hosts
}

# has_foreign NAME COUNT: so many datagrams of hosts it does not know.
has_foreign()
{
	[ "$("$softefa" show --name "$1" |
		awk '$1 == "foreign" { print $2 }')" -ge "$2" ]
}

# A host of a path, one that joins uninvited, and one that is not let in.
test_joining()
{
	start_hosts "unix:$work/a,join=any" "unix:$work/b,peer=$work/a"
	run datagrams
	"$softefa" stop --name "$b"
	[ ! -e "$work/b" ] || fail "stop left the socket's path"
	! "$softefa" show --name "$a" | grep -q "^host $b" ||
		fail "a host that said goodbye is still shown"
	"$softefa" stop --name "$a"

	"$softefa" start --name "$a" --link "unix:@$a"
	"$softefa" start --name "$b" --link "unix:@$b,peer=@$a"
	until_true has_foreign "$a" 2 ||
		fail "the uninvited host was not noticed"
	! is_up "$b" "$a" || fail "a host that is no peer was let in"
	stop_hosts
}

# start_mode MODE [HOST OTHER]: in the background, its stdout in $work/told;
# ended by a line into descriptor 9.
start_mode()
{
	local first=${2:-$a} second=${3:-$b}

	rm -f "$work/line"
	mkfifo "$work/line"
	HOST_A="$softefa run --name $first --" \
		HOST_B="$softefa run --name $second --" \
		timeout 120 "$program" "$1" >"$work/told" 2>&1 <"$work/line" &
	job=$!
	exec 9>"$work/line"
}

has_told()
{
	grep -q "^$1$" "$work/told"
}

wait_for()
{
	until_true has_told "$1" || { fail "$2: never $1";
		sed 's/^/    /' "$work/told"; }
}

finish_mode()
{
	echo >&9
	exec 9>&-
	wait "$job"
}

test_killed()
{
	start_unix retry=500ms
	start_mode unresponsive
	wait_for sending "kill -9 of a daemon"
	kill -9 "$(daemon_of "$b")"
	wait_for unresponsive "kill -9 of a daemon"
	finish_mode
	"$softefa" show --name "$a" | grep -q "^host $b at .*: lost$" ||
		fail "the killed host is not shown as lost"
	"$softefa" start --name "$b" --link "unix:@$b,peer=@$a,retry=20s"
	until_true is_up "$a" "$b" || fail "a new host at the same address"
	run datagrams
	stop_hosts
}

# Its host stands still, then goes on.
test_stopped()
{
	local pid

	start_unix retry=500ms
	start_mode recover
	wait_for sending "SIGSTOP"
	pid=$(daemon_of "$b")
	kill -STOP "$pid"
	wait_for unresponsive "SIGSTOP"
	kill -CONT "$pid"
	wait_for recovered "SIGCONT"
	finish_mode || fail "recover: status $?"
	stop_hosts
}

lossy=(--fault 'link-loss prob=5% seed=3'
	--fault 'link-delay delay=0..3ms prob=0.2 seed=5'
	--fault 'link-duplicate prob=3% seed=7')

test_lossy_link()
{
	start_unix retry=20s "${lossy[@]}"
	run exchange
	run statuses
	[ "$(counter "$a" retransmitted)" -gt 0 ] ||
		fail "nothing was lost, or nothing sent again"
	[ "$(counter "$b" duplicates)" -gt 0 ] || fail "nothing came twice"
	stop_hosts
}

test_partition()
{
	start_unix retry=500ms
	start_mode recover
	wait_for sending partition
	"$softefa" fault --name "$b" add partition >"$work/out" || fail "fault add"
	wait_for unresponsive partition
	"$softefa" fault --name "$b" clear || fail "fault clear"
	wait_for recovered "a partition that ended"
	finish_mode || fail "recover: status $?"
	stop_hosts
}

# start_three WORD...: hosts that all have the same list, plus these words.
start_three()
{
	local host all="peer=@$a,peer=@$b,peer=@$c"

	for host in "$a" "$b" "$c"; do
		"$softefa" start --name "$host" --link "unix:@$host,$all,$1" ||
			fail "start $host"
	done
	see_each_other "$a" "$b"
	see_each_other "$b" "$c"
	see_each_other "$c" "$a"
}

# Each with each, all at once.
test_three_hosts()
{
	local pair jobs=()

	start_three retry=20s
	for pair in "$a $b" "$b $c" "$c $a"; do
		# shellcheck disable=SC2086 # two words
		run_between $pair exchange &
		jobs+=($!)
	done
	for pair in "${jobs[@]}"; do
		wait "$pair" || failures=$((failures + 1))
	done
	run_between "$c" "$b" datagrams
	stop_hosts
}

# B and C know A, which passes nothing on.
test_star()
{
	"$softefa" start --name "$a" --link "unix:@$a,join=any" ||
		fail "start $a"
	"$softefa" start --name "$b" --link "unix:@$b,peer=@$a" ||
		fail "start $b"
	"$softefa" start --name "$c" --link "unix:@$c,peer=@$a" ||
		fail "start $c"
	see_each_other "$a" "$b"
	see_each_other "$a" "$c"
	run_between "$b" "$c" unreachable
	! is_up "$b" "$c" || fail "a host became known through a third"
	run_between "$b" "$a" exchange
	run_between "$a" "$c" exchange
	stop_hosts
}

# The link between two of three is cut: those to the third go on.
test_cut_link()
{
	start_three retry=3s
	start_mode recover "$b" "$c"
	wait_for sending "a link that is cut"
	"$softefa" fault --name "$b" add "partition host=@$c" >"$work/out" ||
		fail "fault add"
	wait_for unresponsive "a link that is cut"
	run_between "$a" "$b" exchange
	run_between "$c" "$a" exchange
	if ! is_up "$a" "$b" || ! is_up "$a" "$c" || ! is_up "$b" "$a"; then
		fail "the cut took another link with it"
	fi
	! is_up "$b" "$c" || fail "a link that is cut is shown as up"
	"$softefa" fault --name "$b" clear || fail "fault clear"
	wait_for recovered "a link that was cut"
	finish_mode || fail "recover: status $?"
	stop_hosts
}

# The raw-packet peer joins as a host of its own.
test_raw_packets()
{
	"$softefa" start --name "$a" --link "unix:@$a,join=any" || fail "start"
	timeout 120 "$softefa" run --name "$a" -- "$raw_packets" \
		"unix:@$b,peer=@$a" >"$work/out" 2>&1 </dev/null ||
		{ fail "raw packets"; sed 's/^/    /' "$work/out"; }
	stop_hosts
}

test_name_spaces()
{
	local net_a=softefa-a-$$ net_b=softefa-b-$$ in_a in_b

	if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null ||
	   ! ip netns add "$net_a" 2>"$work/err"; then
		echo "skipped: name spaces: needs root, ip (iproute2) and the right to make them"
		sed 's/^/    /' "$work/err" 2>/dev/null
		return
	fi
	ip netns add "$net_b"
	ip link add "v$$a" netns "$net_a" type veth peer name "v$$b" \
		netns "$net_b" || fail "veth"
	ip -n "$net_a" addr add 10.77.0.1/24 dev "v$$a"
	ip -n "$net_b" addr add 10.77.0.2/24 dev "v$$b"
	ip -n "$net_a" link set "v$$a" up
	ip -n "$net_b" link set "v$$b" up
	in_a="ip netns exec $net_a $softefa"
	in_b="ip netns exec $net_b $softefa"
	$in_a start --name "$a" --link udp:10.77.0.1:7000,peer=10.77.0.2:7000
	$in_b start --name "$b" --link udp:10.77.0.2:7000,peer=10.77.0.1:7000
	until_true eval "$in_a show --name $a | grep -q '^host $b at 10.77.0.2:7000: up$'" ||
		fail "name spaces: the hosts do not see each other"
	HOST_A="$in_a run --name $a --" HOST_B="$in_b run --name $b --" \
		timeout 120 "$program" exchange >"$work/out" 2>&1 ||
		{ fail "name spaces"; sed 's/^/    /' "$work/out"; }
	$in_a stop --name "$a"
	$in_b stop --name "$b"
	ip netns del "$net_a"
	ip netns del "$net_b"
}

for test in unix profiles udp joining killed stopped lossy_link partition three_hosts star cut_link raw_packets name_spaces; do
	[[ $test =~ ${TEST_FILTER:-} ]] || continue
	echo "test_$test"
	"test_$test"
done
[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
