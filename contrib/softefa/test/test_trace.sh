#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# softefa trace from end to end: what a verbs program does under a trace is
# what `softefa show` counts, trace and counters being written by different
# code; traces start and stop at run time; and what is asked wrongly gets one
# error.
#
#	SOFTEFA		the command
#	TOP_BUILDDIR	the build tree with the verbs programs

set -u

softefa=${SOFTEFA:-softefa}
programs=${TOP_BUILDDIR:-.}/contrib/softefa/test
name=test-trace-$$
failures=0
work=$(mktemp -d)
trap '"$softefa" stop --name "$name" 2>/dev/null; rm -rf "$work"' EXIT

if ! command -v "$softefa" >/dev/null; then
	echo "skipped: $softefa is not an executable (SOFTEFA)"
	exit 77
fi

fail()
{
	echo "FAILED: $*"
	sed 's/^/    /' "$work/err"
	failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it, output in $work/out and $work/err.
expect()
{
	local wanted=$1 got=0

	shift
	timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "$* ended with $got, not $wanted"
}

# wrong STATUS WORD COMMAND...: one error that says WORD, and a remedy.
wrong()
{
	local status=$1 word=$2

	shift 2
	expect "$status" "$softefa" "$@"
	[ "$(grep -c '^softefa: error: ' "$work/err")" = 1 ] ||
		fail "$*: not one error"
	grep -q -- "$word" "$work/err" || fail "$*: does not name $word"
	grep -q '^  remedy: ' "$work/err" || fail "$*: no remedy"
}

# print FILE CONDITION...: the records on $work/out, without the head.
print()
{
	expect 0 "$softefa" trace print "$@"
	[ ! -s "$work/err" ] || fail "trace print $*: said something"
	sed -i 1d "$work/out"
}

# counted NAME: the sum over all devices, of the text in $work/show.
counted()
{
	awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }' \
		"$work/show"
}

# lines PATTERN: records of the trace in $work/lines that match.
lines()
{
	grep -c -E -- "$1" "$work/lines"
}

# bytes PATTERN FIELD: the sum of FIELD= over those that match.
bytes()
{
	awk -v pattern="$1" -v field=" $2=" '
		$0 ~ pattern {
			at = index($0, field)
			if (at)
				sum += substr($0, at + length(field))
		}
		END { print sum + 0 }' "$work/lines"
}

same()
{
	[ "$2" = "$3" ] || fail "$program: $1: trace $2, show $3"
}

# Which traces to what counter; programs in which all that is sent arrives.
cross_check()
{
	local sent received

	same doorbells "$(lines ' doorbell .*queue=send')" \
		"$(counted sq_doorbells)"
	same "receive doorbells" "$(lines ' doorbell .*queue=recv')" \
		"$(counted rq_doorbells)"
	same completions "$(lines ' cqe ')" "$(counted completions)"
	same errors "$(lines ' cqe .*status=[^O]')" \
		"$(counted errors)"
	sent=$(lines ' packet sent .* op=send ')
	same "messages sent" \
		$((sent - $(lines ' packet not_ready srd op=send '))) \
		"$(counted tx_messages)"
	received=$(lines ' packet received .* op=send .*status=OK')
	same "messages received" "$received" "$(counted rx_messages)"
	same WQEs "$(lines ' wqe ')" $(($(counted tx_messages) + \
		$(counted rdma_reads) + $(counted rdma_writes)))
	same "bytes received" $(($(bytes ' packet received .* op=send ' length) \
		+ $(bytes ' packet received .* op=rdma' segment))) \
		"$(counted rx_bytes)"
}

# Commands come in pairs, since the programs destroy what they create.
check_pairs()
{
	local pair

	for pair in alloc_pd:dealloc_pd reg_mr:dereg_mr create_ah:destroy_ah \
		create_cq:destroy_cq create_qp:destroy_qp; do
		same "$pair" "$(lines " command ${pair%:*} ")" \
			"$(lines " command ${pair#*:} ")"
		[ "$(lines " command ${pair%:*} ")" -gt 0 ] ||
			fail "$program: no ${pair%:*}"
	done
}

test_against_counters()
{
	local program

	for program in send_recv batches rdma datagram rnr; do
		[ -x "$programs/verbs_$program" ] || {
			echo "skipped: no $programs/verbs_$program"
			exit 77
		}
		rm -f "$work/file" "$work/show"
		expect 0 "$softefa" run --devices 2 --trace "$work/file" -- \
			sh -c "\"$programs/verbs_$program\" &&
				\"$softefa\" show >\"$work/show\""
		print "$work/file"
		mv "$work/out" "$work/lines"
		tail -n 1 "$work/lines" | grep -q ' end records=.* lost=0$' ||
			fail "$program: no good end"
		grep -q '^trace: running, .* 0 lost$' "$work/show" ||
			fail "$program: show does not tell of the trace"
		[ "$(lines ' (device|wqe|packet) ')" -gt 4 ] ||
			fail "$program: nothing was traced"
		check_pairs
		case $program in
		# Not all of what these send arrives, nor is all well.
		send_recv|datagram|rnr) cross_check_loosely ;;
		*) cross_check ;;
		esac
	done
}

# What holds whatever becomes of a message.
cross_check_loosely()
{
	same doorbells "$(lines ' doorbell .*queue=send')" \
		"$(counted sq_doorbells)"
	same completions "$(lines ' cqe ')" "$(counted completions)"
	same errors "$(lines ' cqe .*status=[^O]')" \
		"$(counted errors)"
	same "messages received" \
		"$(lines ' packet received .* op=send .*status=OK')" \
		"$(counted rx_messages)"
}

# The conditions take out what the whole has, no more and no less.
test_conditions()
{
	local all qp

	print "$work/file"
	cp "$work/out" "$work/lines"
	print "$work/file" --kind wqe,cqe
	[ "$(wc -l <"$work/out")" = "$(lines ' (wqe|cqe) ')" ] ||
		fail "--kind takes others"
	qp=$(sed -n 's/.* wqe qp=\([0-9]*\) .*/\1/p' "$work/lines" | head -n 1)
	print "$work/file" --kind=wqe --qp="$qp"
	[ "$(wc -l <"$work/out")" = "$(lines " wqe qp=$qp ")" ] ||
		fail "--qp takes others"
	print "$work/file" --device efa_1 --kind device
	[ "$(wc -l <"$work/out")" = 1 ] || fail "--device takes others"
	all=$(wc -l <"$work/lines")
	print "$work/file" --since 0.1
	cp "$work/out" "$work/since"
	print "$work/file" --until 0.1
	[ $(($(wc -l <"$work/since") + $(wc -l <"$work/out"))) = "$all" ] ||
		fail "--since and --until are not the whole"
	# shellcheck disable=SC2016 # what the inner shell expands
	expect 0 sh -c '"$1" trace print - <"$2"' - "$softefa" "$work/file"
	[ "$(wc -l <"$work/out")" = $((all + 1)) ] ||
		fail "a trace from standard input is not the whole"
}

test_at_run_time()
{
	expect 0 "$softefa" start --name "$name"
	wrong 1 'no trace' trace stop --name "$name"
	# The file is the caller's, in the caller's directory.
	expect 0 env -C "$work" "$softefa" trace start --name "$name" mine
	[ -s "$work/mine" ] || fail "trace start wrote to another place"
	wrong 1 'already' trace start "$work/other" --name "$name"
	expect 0 "$softefa" run --name "$name" -- "$programs/verbs_batches"
	expect 0 "$softefa" trace stop --name "$name"
	print "$work/mine" --kind packet
	[ -s "$work/out" ] || fail "no packet in a trace of the run time"
	expect 0 "$softefa" show --name "$name"
	grep -q '^trace: stopped, [1-9].* 0 lost$' "$work/out" ||
		fail "show does not tell of a stopped trace"
	# A shorter one takes the place of a longer one.
	expect 0 "$softefa" trace start --name "$name" "$work/mine"
	expect 0 "$softefa" trace stop --name "$name"
	print "$work/mine"
	[ "$(wc -l <"$work/out")" = 2 ] || fail "an old trace shows through"
	expect 0 "$softefa" trace start --name "$name" "$work/mine"
	expect 0 "$softefa" stop --name "$name"
	print "$work/mine" --kind end
	[ -s "$work/out" ] || fail "the daemon's end does not end the trace"
	expect 0 env -C "$work" "$softefa" start --name "$name" \
		--trace with-start
	expect 0 "$softefa" stop --name "$name"
	print "$work/with-start" --kind end
	[ -s "$work/out" ] || fail "start --trace wrote to another place"
}

test_wrong_words()
{
	mkfifo "$work/fifo"
	wrong 2 'nothing given' trace
	wrong 2 "'record'" trace record
	wrong 2 'no FILE' trace start
	wrong 2 'no FILE' trace print
	wrong 2 "'b'" trace start a b
	wrong 2 "'--what'" trace print --what 1 file
	wrong 2 "'wqes'" trace print file --kind wqes
	wrong 2 "'-1'" trace print file --qp -1
	wrong 2 'wants a value' trace print file --qp
	wrong 2 "'plain'" trace print file --payload plain
	wrong 1 "$work/none" trace print "$work/none"
	wrong 1 'no trace of softefa' trace print "$0"
	wrong 125 'no regular file' run --trace /dev/full -- true
	wrong 125 "$work/none/file" run --trace "$work/none/file" -- true
	wrong 125 'no regular file' run --trace "$work/fifo" -- true
	wrong 1 "$work/none/file" start --name "$name" \
		--trace "$work/none/file"
	head -c 100 "$work/file" >"$work/cut"
	expect 0 "$softefa" trace print "$work/cut"
	grep -q '^softefa: warning: .*no end' "$work/err" ||
		fail "a cut trace passes for a whole one"
	head -c 60 /dev/zero | cat "$work/file" - >"$work/bad"
	wrong 1 'is damaged' trace print "$work/bad"
}

test_against_counters
test_conditions
test_at_run_time
test_wrong_words
[ "$failures" = 0 ]
