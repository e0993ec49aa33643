#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Programs of this directory on devices that are special in one way: QP
# numbers that come back at once or are high, small limits, missing
# capabilities, events that tell of nothing, requests out of order, silent
# peers. prov/efa/field_faults.md says which fault of the field each is for.
#
#	SOFTEFA		the command softefa
#	TOP_BUILDDIR	the build tree

set -u

softefa=${SOFTEFA:-softefa}
programs=${TOP_BUILDDIR:-.}/fabtests/functional
log=$(mktemp)
failures=0
runs=0
trap 'rm -f "$log"' EXIT

if ! command -v "$softefa" >/dev/null || [ "${TEST_DEVICE:-}" = real ]; then
	echo "skipped: softefa: $softefa is not an executable (SOFTEFA)"
	exit 77
fi
if [ ! -x "$programs/close_orders" ]; then
	echo "skipped: no close_orders in $programs (TOP_BUILDDIR)"
	exit 77
fi

# on WHAT OPTION... -- PROGRAM [ARGUMENT]: passes. One that skips itself does
# not: the device that it is for was asked for.
on()
{
	local what=$1 options=() program status=0

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	program=$2
	shift 2
	"$softefa" run --devices 2 "${options[@]}" -- "$programs/$program" \
		"$@" >"$log" 2>&1 || status=$?
	runs=$((runs + 1))
	case $status in
	0) ;;
	*)
		echo "FAILED: $what: $program ended with $status"
		sed 's/^/    /' "$log" | tail -n 20
		failures=$((failures + 1))
		;;
	esac
}

on 'QP numbers that come back at once' --qpn-reuse first -- endpoint_reopen
on 'QP numbers that come back at once' --qpn-reuse first -- \
	close_while_polling
on 'QP numbers that come back at once' --qpn-reuse first --allow lkey -- \
	close_orders
on 'high QP numbers' --qpn-start 65000 -- contract_transfers
on 'high QP numbers' --qpn-start 65000 -- endpoint_reopen
on 'QP numbers that come back at once' --qpn-reuse first -- peer_successor
on 'one device tells of writes by receives alone' \
	--caps 1:-unsolicited-write-recv -- unlike_devices
on 'one device has no remote memory' --caps 1:-rdma-write,-rdma-read -- \
	unlike_devices
on 'devices of two generations' --profile next --profile 1:0xefa1 -- \
	unlike_devices
on 'few entries a doorbell' --limit max_tx_batch=4 -- contract_transfers
on 'few entries a doorbell' --limit max_tx_batch=4 -- selective_completion
on 'short queues' --limit max_sq_wr=64,max_rq_wr=512 -- bad_arguments
on '16-bit request IDs, long entries' --profile next \
	--caps -sq-64-bit-req-id -- contract_transfers
on '64-bit request IDs, short entries' --profile next \
	--limit inline_buf_size_ex=0 -- contract_transfers
on 'writes that take a receive' --caps -unsolicited-write-recv -- \
	contract_transfers
on 'no remote memory' --caps -rdma-write,-rdma-read -- contract_objects
on 'no choice of retries' --caps -rnr-retry -- contract_transfers
on 'events that tell of nothing' \
	--fault 'cq-event spurious' -- cq_waiting
on 'late events' --fault 'cq-event delay=0..2ms' -- cq_waiting
on 'one event for several' --fault 'cq-event coalesce=4' -- cq_waiting
on 'two event queues' --limit comp_vectors=2 --allow lkey -- process_effects
on 'few regions' --limit max_mr=50 --allow lkey -- process_effects regions
on 'requests out of order' --fault 'reorder delay=0..2ms' -- \
	efa_direct_pingpong
on 'requests out of order' --fault 'reorder delay=0..2ms' -- rma_transfers
on 'completions held back' --fault 'hold-cqe time=1ms' -- many_threads
# refused COMMAND CALL [NTH]: discovery takes a CQ of each device before.
refused()
{
	local fault="command name=$1 errno=ENOMEM device=efa_0 nth=${3:-1}"

	on "$1 refused once" --fault "$fault" -- refused_commands "$2"
}

refused create_qp enable
refused modify_qp enable
refused create_cq cq 2
refused create_ah insert
refused reg_mr register
on 'peers that do not answer' --fault 'blackhole' -- close_orders silent

if [ "$failures" != 0 ]; then
	echo "$failures of $runs runs failed"
	exit 1
fi
echo "$runs runs passed"
