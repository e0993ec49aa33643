#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The command `softefa` as a person or a script meets it: exit statuses,
# signals, wrong arguments, and that nothing is left behind whichever of its
# processes is killed.
#
#	SOFTEFA		the command
#
# shellcheck disable=SC2016 # what the commands' own shells expand
# shellcheck disable=SC2012 # /proc/PID/fd holds numbers

set -u

softefa=${SOFTEFA:-softefa}
name=test-cli-$$
nap=4$$		# a sleep of this length is ours
failures=0
work=$(mktemp -d)
trap 'kill_naps; "$softefa" stop --name "$name" 2>/dev/null; rm -rf "$work"' EXIT

if ! command -v "$softefa" >/dev/null; then
	echo "skipped: $softefa is not an executable (SOFTEFA)"
	exit 77
fi

# expect STATUS COMMAND...: runs it, output in $work/out and $work/err.
expect()
{
	local wanted=$1 got=0

	shift
	timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "$* ended with $got, not $wanted"
}

fail()
{
	echo "FAILED: $*"
	sed 's/^/    /' "$work/err"
	failures=$((failures + 1))
}

naps()
{
	pgrep -f -x "sleep $nap"
}

kill_naps()
{
	naps | xargs -r kill -9
}

# Waits until COMMAND succeeds; ten seconds are for a machine under load.
until_true()
{
	local turns=0

	until "$@"; do
		turns=$((turns + 1))
		[ $turns -lt 200 ] || return 1
		sleep 0.05
	done
}

has_no_child()
{
	! pgrep -P "$1" >/dev/null
}

# Ended; init may not yet have reaped it.
is_gone()
{
	[ -z "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]
} 2>/dev/null

no_naps()
{
	! naps >/dev/null
}

has_naps()
{
	naps >/dev/null
}

# The abstract sockets of the run whose guard is process $1.
sockets_of()
{
	grep -c "@softefa/run/$1\." /proc/net/unix
}

# The process of the daemon that was started by our name.
daemon_of_name()
{
	pgrep -f -- "start --name $name( |\$)"
}

# start_nap COMMAND...: runs COMMAND, which sleeps, in the background; sets
# front, guard, daemon and waits until it sleeps.
start_nap()
{
	# A script's background commands ignore SIGINT and SIGQUIT.
	env --default-signal "$softefa" run -- "$@" >"$work/out" 2>"$work/err" </dev/null &
	front=$!
	until_true has_naps || fail "$* did not start"
	guard=$(pgrep -P "$front")
	daemon=$(pgrep -P "$guard" -x softefa-daemon)
	[ -n "$daemon" ] || fail "no daemon below the guard"
}

# Of a run that start_nap started nothing is left.
check_nothing_left()
{
	until_true no_naps || fail "$1: the command still runs"
	until_true is_gone "$daemon" || fail "$1: the daemon still runs"
	until_true is_gone "$guard" || fail "$1: the guard still runs"
	[ "$(sockets_of "$guard")" = 0 ] || fail "$1: sockets are left"
	kill_naps
}

one_error_with()
{
	[ "$(grep -c '^softefa: error: ' "$work/err")" = 1 ] ||
		fail "not one error"
	grep -q -- "$1" "$work/err" || fail "the error does not name: $1"
}

wrong()
{
	local word=$1

	shift
	expect 2 "$softefa" "$@"
	one_error_with "$word"
	grep -q '^  remedy: ' "$work/err" || fail "$*: no remedy"
}

test_statuses()
{
	expect 0 "$softefa" run -- true
	expect 7 "$softefa" run -- sh -c 'exit 7'
	expect 137 "$softefa" run -- sh -c 'kill -9 $$'
	expect 143 "$softefa" run -- sh -c 'kill -TERM $$'
	expect 127 "$softefa" run -- "$work/none"
	one_error_with "$work/none"
	expect 126 "$softefa" run -- "$work"
	one_error_with "$work"
	expect 5 "$softefa" run --devices=3 --profile next sh -c \
		'[ "$(ls /dev/infiniband | wc -l)" = 3 ] && exit 5'
}

test_arguments()
{
	wrong 'no command'
	wrong dance dance
	wrong COMMAND run
	wrong COMMAND run --
	wrong "'0'" run --devices 0 -- true
	wrong "'17'" run --devices 17 -- true
	wrong "'2x'" run --devices=2x -- true
	wrong "'-1'" start --devices -1
	wrong nosuch run --profile nosuch -- true
	wrong "'a/b'" start --name a/b
	wrong "''" start --name ''
	wrong "'sq-tornado'" run --allow lkey,sq-tornado -- true
	wrong "''" start --allow sq-torn,
	wrong --allow run --name x --allow lkey -- true
	wrong --allow stop --allow lkey
	wrong --frobnicate run --frobnicate -- true
	wrong --devices run --name x --devices 2 -- true
	wrong --devices stop --devices 2
	wrong surplus show surplus
	wrong --counters show --counters=all
	wrong --counters stop --counters
	wrong --name show --name
	expect 0 "$softefa" --help
	grep -q '^Usage: softefa run' "$work/out" || fail "--help shows no usage"
	expect 0 "$softefa" --version
	expect 0 "$softefa" profiles
	[ "$(wc -l <"$work/out")" -ge 2 ] || fail "profiles lists too few"
}

# COMMAND is to find everything as it would without softefa.
test_surroundings()
{
	# Of the signals the classic ones, in the last eight digits: two of
	# the others are the C library's own, and ThreadSanitizer's.
	local look='echo $(ls /proc/self/fd);
		sed -n "/^Sig[BIC]/s/[0-9a-f]\{8\}\([0-9a-f]\{8\}\)\$/\1/p" /proc/self/status;
		ulimit -a; ps -o pgid=,sid= -p $$; pwd; cat'

	look="$look; echo \$LD_PRELOAD | sed 's/:[^:]*softefa-shim.so//'"
	echo input | LD_PRELOAD=libc.so.6 sh -c "$look" >"$work/plain"
	# A softefa built with AddressSanitizer wants to be first.
	echo input | ASAN_OPTIONS=verify_asan_link_order=0 \
		LD_PRELOAD=libc.so.6 "$softefa" run -- sh -c "$look" \
		>"$work/under"
	cmp "$work/plain" "$work/under" || {
		diff "$work/plain" "$work/under"
		fail "the command's surroundings differ"
	}
}

# What is sent to softefa alone reaches the command, once.
test_signals()
{
	local signal status

	for signal in TERM INT HUP QUIT USR1; do
		start_nap sh -c "trap 'exit 33' $signal
			sleep $nap & wait"
		kill -"$signal" "$front"
		wait "$front"
		status=$?
		[ $status = 33 ] || fail "SIG$signal: status $status, not 33"
		check_nothing_left "SIG$signal"
	done
}

test_orphans()
{
	expect 3 "$softefa" run -- \
		sh -c "setsid sleep $nap & (sleep $nap &) & exit 3"
	no_naps || fail "what the command left running was not ended"
	expect 0 "$softefa" run -- sh -c \
		"(trap '' TERM; exec setsid sleep $nap) & exit 0"
	no_naps || fail "what ignores SIGTERM was not ended"
	expect 0 "$softefa" run -- bash -c \
		"exec > >(cat >'$work/late'); echo kept"
	grep -q kept "$work/late" || fail "output of the command was cut off"
}

test_killed_front()
{
	start_nap sh -c "setsid sleep $nap & sleep $nap"
	kill -9 "$front"
	wait "$front" 2>/dev/null
	check_nothing_left "softefa killed"
}

test_killed_guard()
{
	local status

	start_nap sh -c "setsid sleep $nap & sleep $nap"
	kill -9 "$guard"
	wait "$front"
	status=$?
	[ $status = 125 ] || fail "guard killed: status $status, not 125"
	one_error_with 'guard'
	check_nothing_left "guard killed"
}

test_killed_daemon()
{
	local status

	start_nap sh -c "sleep $nap; cat /dev/infiniband/uverbs0; exit 9"
	kill -9 "$daemon"
	until_true grep -q '^softefa: error' "$work/err"
	one_error_with 'signal 9'
	has_naps || fail "daemon killed: the command ended with it"
	kill_naps
	wait "$front"
	status=$?
	[ $status = 9 ] || fail "daemon killed: status $status, not 9"
	grep -q 'uverbs0: No such' "$work/err" ||
		fail "daemon killed: the device node still opens"
	check_nothing_left "daemon killed"

	start_nap sh -c "sleep $nap; exit 0"
	kill -9 "$daemon"
	until_true grep -q '^softefa: error' "$work/err"
	kill_naps
	wait "$front"
	status=$?
	[ $status = 125 ] || fail "daemon killed: status $status, not 125"
}

test_killed_command()
{
	local status

	start_nap sleep "$nap"
	kill_naps
	wait "$front"
	status=$?
	[ $status = 137 ] || fail "command killed: status $status, not 137"
	check_nothing_left "command killed"
}

test_shared_daemon()
{
	local pid

	expect 1 "$softefa" show --name "$name"
	one_error_with "$name"
	expect 1 "$softefa" stop --name "$name"
	expect 125 "$softefa" run --name "$name" -- true
	one_error_with "$name"
	expect 0 "$softefa" start --name "$name" --devices 2
	expect 1 "$softefa" start --name "$name"
	one_error_with "$name"
	expect 0 "$softefa" show --name "$name"
	[ -s "$work/out" ] || fail "show shows nothing"
	expect 0 "$softefa" show --name "$name" --counters
	grep -qx 'efa_1 qps 0' "$work/out" || fail "show --counters: no qps"
	! grep -qvE '^[^ ]+ [^ ]+ [0-9]+$' "$work/out" ||
		fail "show --counters: a line of another form"
	expect 6 "$softefa" run --name "$name" -- \
		sh -c 'ls /dev/infiniband/uverbs1 && softefa_sees=6; exit 6'
	grep -q uverbs1 "$work/out" || fail "run --name: no second device"
	pid=$(daemon_of_name)
	[ "$(ps -o ppid= -p "$pid" | tr -d ' ')" != $$ ] ||
		fail "the daemon is not in the background"
	[ "$(readlink "/proc/$pid/cwd")" = / ] || fail "it keeps a directory"
	expect 0 "$softefa" stop --name "$name"
	is_gone "$pid" || fail "stop returned before the daemon ended"
	expect 0 "$softefa" start --name "$name"
	expect 0 "$softefa" stop --name "$name"
	! grep -q "@softefa/$(id -u)/$name" /proc/net/unix ||
		fail "stop left a socket"
}

# A daemon that is stopped answers nobody: one error, and not for ever.
test_silent_daemon()
{
	local pid

	expect 0 "$softefa" start --name "$name"
	pid=$(daemon_of_name)
	kill -STOP "$pid"
	expect 1 "$softefa" stop --name "$name"
	one_error_with "process $pid, has not answered"
	grep -q "^  remedy: kill -CONT $pid " "$work/err" ||
		fail "silent daemon: no remedy"
	! is_gone "$pid" || fail "silent daemon: it ended nevertheless"
	kill -CONT "$pid"
	expect 0 "$softefa" stop --name "$name"
	is_gone "$pid" || fail "silent daemon: it runs on"
}

test_daemon_fds()
{
	local before after

	"$softefa" start --name "$name" || fail "start"
	before=$(ls "/proc/$(daemon_of_name)/fd" | wc -l)
	for _ in 1 2 3 4 5; do
		expect 0 "$softefa" run --name "$name" -- \
			cat /sys/class/infiniband/efa_0/node_guid
		expect 0 "$softefa" show --name "$name"
	done
	after=$(ls "/proc/$(daemon_of_name)/fd" | wc -l)
	[ "$before" = "$after" ] || fail "the daemon keeps descriptors"
	"$softefa" stop --name "$name"
}

# What is closed stays closed for the command, and does no harm.
test_closed_fds()
{
	local closed

	closed=$("$softefa" run -- sh -c 'ls /proc/$$/fd >&2' \
		2>&1 <&- >/dev/null | tr '\n' ' ')
	case " $closed" in
	*" 0 "*) fail "a closed descriptor is open in the command: $closed" ;;
	*" 2 "*) ;;
	*) fail "no list of descriptors: $closed" ;;
	esac
	"$softefa" start --name "$name" <&- >&- || fail "start without stdin, stdout"
	expect 0 "$softefa" stop --name "$name"
	"$softefa" start --name "$name" <&- >&- 2>&- || fail "start with no descriptor"
	expect 0 "$softefa" stop --name "$name"
	"$softefa" run -- sh -c 'exit 3' <&- >&- 2>&-
	[ $? = 3 ] || fail "run with no descriptor"
}

test_relative_log()
{
	mkdir "$work/logs"
	(cd "$work/logs" && "$softefa" start --name "$name" --log here) ||
		fail "start with a relative log"
	[ -e "$work/logs/here" ] || fail "the log is elsewhere"
	expect 0 "$softefa" stop --name "$name"
}

# A name that another user has taken: he must not be believed, by root least.
test_other_user()
{
	local look='[ -e /dev/infiniband/uverbs0 ]'

	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		return
	fi
	cp "$softefa" "$work/softefa.nobody" 2>/dev/null
	chmod 755 "$work" "$work/softefa.nobody"
	setpriv --reuid=65534 --clear-groups "$work/softefa.nobody" start \
		--name "$name" 2>"$work/err" || return
	export SOFTEFA_SOCKET=softefa/65534/$name
	expect 1 "$softefa" show
	one_error_with 'another user'
	expect 1 "$softefa" run -- sh -c \
		"SOFTEFA_SOCKET=$SOFTEFA_SOCKET; exec sh -c '$look'"
	unset SOFTEFA_SOCKET
	setpriv --reuid=65534 --clear-groups "$work/softefa.nobody" stop \
		--name "$name" || fail "stop of the other user's daemon"
}

# A variable that holds the shim's name as a part of another one.
test_preload_part()
{
	LD_PRELOAD=$(LD_PRELOAD='' "$softefa" run -- sh -c 'echo $LD_PRELOAD').none \
		expect 0 "$softefa" run -- sh -c '[ -e /dev/infiniband/uverbs0 ]'
}

test_unfit_commands()
{
	if [ "$(id -u)" = 0 ]; then
		cp /bin/true "$work/setuid"
		chown 65534 "$work/setuid"
		chmod u+s "$work/setuid"
		expect 126 "$softefa" run -- "$work/setuid"
		one_error_with "$work/setuid"
	fi
	echo 'int main(void) { return 4; }' >"$work/static.c"
	if ${CC:-cc} -static -o "$work/static" "$work/static.c" 2>"$work/err"
	then
		expect 4 "$softefa" run -- "$work/static"
		grep -q '^softefa: warning: .*static' "$work/err" ||
			fail "no warning of a static command"
	fi
}

test_faults()
{
	wrong "dely" run --fault 'reorder dely=1ms' -- true
	wrong "delay window" run --fault 'reorder' -- true
	printf '# two\ndrop nth=1\n\n  drup # oops\n' >"$work/faults"
	wrong "faults:4: 'drup'" run --faults "$work/faults" -- true
	wrong "$work/none" run --faults "$work/none" -- true
	wrong "what to do" fault
	wrong "lst" fault lst
	wrong "clear x" fault clear x
	wrong "nth" fault add drop nth=0

	printf '# two\ndrop nth=1 # first\n\nrnr times=2\n' >"$work/faults"
	expect 0 "$softefa" run --fault 'duplicate count=3' \
		--faults "$work/faults" -- sh -c '
		"$0" fault list && "$0" fault clear 2 &&
		"$0" fault add command name=open errno=EACCES nth=1 &&
		"$0" fault list && ! "$0" fault clear 2 && "$0" fault clear &&
		"$0" fault list && "$0" fault log' "$softefa"
	cat >"$work/wanted" <<-EOF
	1: duplicate count=3 (events 0, struck 0)
	2: drop nth=1 (events 0, struck 0)
	3: rnr times=2 (events 0, struck 0)
	4
	1: duplicate count=3 (events 0, struck 0)
	3: rnr times=2 (events 0, struck 0)
	4: command name=open errno=EACCES nth=1 (events 0, struck 0)
	EOF
	diff "$work/wanted" "$work/out" >>"$work/err" ||
		fail "fault list is not what was set"
	grep -q 'no fault has that ID' "$work/err" ||
		fail "clearing a fault that is gone"
}

for test in statuses arguments faults surroundings signals orphans killed_front \
	killed_guard killed_daemon killed_command shared_daemon silent_daemon daemon_fds \
	closed_fds relative_log other_user preload_part unfit_commands; do
	echo "test_$test"
	"test_$test"
done
! ls /tmp/softefa* /dev/shm/softefa* >/dev/null 2>&1 ||
	fail "a file is left"
[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
