#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What --caps, --limit, --rule and --qpn-* make of the device, seen through
# the real rdma-core; and that wrong values get one clear error.

set -eu

softefa=${SOFTEFA:?the softefa command to test with}
programs=${TOP_BUILDDIR:?the build tree}/contrib/softefa/test
caps=(rdma-read rnr-retry cq-notifications cq-with-sgid data-polling-128
	rdma-write unsolicited-write-recv cq-with-ext-mem comp-cntr sq-64-bit-req-id)
failed=0

fail()
{
	echo "FAILED: $*"
	sed 's/^/    /' "$out"
	failed=1
}

# on_device OPTIONS... -- PROGRAM ARGUMENT...
on_device()
{
	local status=0

	"$softefa" run "$@" >"$out" 2>&1 || status=$?
	[ "$status" = 0 ] || fail "softefa run $*: exit status $status"
}

# refused TEXT OPTIONS...: the error says TEXT, and nothing runs.
refused()
{
	local text=$1 status=0

	shift
	"$softefa" run "$@" -- true >"$out" 2>&1 || status=$?
	[ "$status" = 2 ] || fail "softefa run $*: exit status $status, not 2"
	grep -q -- "$text" "$out" || fail "softefa run $*: no '$text'"
	[ "$(grep -c 'error:' "$out")" = 1 ] || fail "$*: not one error"
}

# with_caps NAME...: these capabilities and no others.
with_caps()
{
	local list=""

	[ $# = 0 ] || list=$(printf ',+%s' "$@")
	on_device --profile next --limit comp_vectors=2 \
		--caps "$all_off$list" -- "$programs/verbs_caps" "$@"
}

# but NAME: all capabilities except that one.
but()
{
	printf '%s\n' "${caps[@]}" | grep -v -x -- "$1"
}

check_caps()
{
	local cap

	all_off=$(printf -- '-%s,' "${caps[@]}")
	all_off=${all_off%,}
	with_caps
	with_caps "${caps[@]}"
	for cap in "${caps[@]}"; do
		with_caps "$cap"
		# shellcheck disable=SC2046 # names without blanks
		with_caps $(but "$cap")
	done
}

# limits LIST: with these, each works exactly and one more does not.
limits()
{
	on_device --caps +comp-cntr --limit "$1" -- \
		"$programs/verbs_limits" "$1"
}

check_limits()
{
	local list=max_qp=5,max_cq=6,max_mr=7,max_mr_pages=40,max_pd=4

	list+=,max_ah=9,max_cqe=8,max_sq_wr=16,max_rq_wr=32,max_sq_sge=1
	list+=,max_rq_sge=2,max_rdma_size=5000,inline_buf_size=16
	list+=,inline_buf_size_ex=48,max_llq_size=4096,max_tx_batch=3
	list+=,min_sq_wr=4,mtu=1500,comp_vectors=3,max_comp_cntr=3
	list+=,max_wr_rdma_sge=1
	limits "$list"
	# The send queue's bytes are what bounds it; two buffers; no long entry.
	limits "${list/max_sq_wr=16/max_sq_wr=256}"
	limits "${list/max_sq_sge=1/max_sq_sge=2}"
	limits "${list/size_ex=48/size_ex=0}"
	limits "${list/buf_size=16/buf_size=32}"
	on_device --limit "$list" -- "$softefa" show
	tr ' ' '\n' <"$out" | sort >"$out.shown"
	tr ',' '\n' <<<"$list" | sort | comm -23 - "$out.shown" >"$out.missing"
	[ ! -s "$out.missing" ] ||
		fail "show lacks $(tr '\n' ' ' <"$out.missing")"
}

# Send queue entries of 64 and 128 bytes, request IDs of 16 and 64 bits.
check_formats()
{
	local ids ex

	for ids in 16 64; do
		for ex in 0 80; do
			on_device --profile next \
				--caps "$([ $ids = 64 ] && echo + || echo -)sq-64-bit-req-id" \
				--limit inline_buf_size_ex=$ex -- \
				"$programs/verbs_wqe_formats" $ids 32 $ex
		done
	done
}

# A capability on one side only.
check_unlike()
{
	local cap

	for cap in rdma-read rdma-write rnr-retry unsolicited-write-recv; do
		on_device --devices 2 --profile next --caps "1:-$cap" -- \
			"$programs/verbs_unlike_devices" $cap
	done
}

# The device goes while a program has it open.
check_fatal()
{
	local name=test-fatal-$$

	"$softefa" start --name "$name"
	"$softefa" run --name "$name" -- "$programs/verbs_device_fatal" \
		"$softefa" >"$out" 2>&1 || fail "verbs_device_fatal"
	! "$softefa" show --name "$name" >"$out" 2>&1 || {
		fail "softefa stop did not end the daemon"
		"$softefa" stop --name "$name"; }
}

check_errors()
{
	refused "no capability 'rdma'" --caps +rdma
	refused "rdma-read.*sq-64-bit-req-id" --caps +rdma
	refused "no capability ''" --caps +
	refused "no limit 'max_x'" --limit max_x=1
	refused "max_qp.*comp_vectors" --limit max_x=1
	refused "bad limit 'max_qp=0'" --limit max_qp=0
	refused "from 1 to 32768" --limit max_qp=0
	refused "bad limit 'max_qp=4x'" --limit max_qp=4x
	refused "bad limit 'max_qp'" --limit max_qp
	refused "bad limit 'max_mr=99999999999999999999'" \
		--limit max_mr=99999999999999999999
	refused "above max_sq_wr" --limit min_sq_wr=100,max_sq_wr=64
	refused "max_llq_size has no room" --limit min_sq_wr=128,max_llq_size=4096
	refused "below inline_buf_size" --limit inline_buf_size_ex=8
	refused "max_tx_batch=1" --profile next --limit max_tx_batch=1
	refused "comp_vectors=0" --limit comp_vectors=0
	refused "no rule 'x=on'" --rule x=on
	refused "bad QP number '0'" --qpn-start 0
	refused "bad QP number '65535'" --qpn-start 65535
	refused "first or round-robin" --qpn-reuse last
	refused "no device 5" --devices 2 --caps 5:+rdma-read
}

[ -x "$softefa" ] || { echo "skipped: softefa: no $softefa"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out" "$out.shown" "$out.missing"' EXIT
check_errors
check_limits
check_fatal
check_caps
check_formats
check_unlike
on_device --qpn-start 40000 --qpn-reuse first -- \
	"$programs/verbs_qpn" 40000 first
on_device --qpn-start 65530 --limit max_qp=16 -- \
	"$programs/verbs_qpn" 65530 round-robin
on_device --caps +data-polling-128 -- "$programs/verbs_data_polling"
on_device --profile next --caps +cq-with-ext-mem -- "$programs/verbs_dmabuf"
on_device --devices 2 --caps 1:-rdma-write --allow lkey,sq-phase -- "$programs/verbs_statuses"
on_device --rule target-ah=on -- "$programs/verbs_target_ah" on
on_device --rule target-ah=off -- "$programs/verbs_target_ah" off
exit "$failed"
