#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The verbs tests once more on each device profile that is not the default:
# 16- and 64-bit request IDs, entries of 64 and 128 bytes, devices without
# RDMA write or without source GIDs.

set -eu

softefa=${SOFTEFA:?the softefa command to test with}
programs=${TOP_BUILDDIR:?the build tree}/contrib/softefa/test
run=$(dirname "$0")/run_on_softefa
tests=(open create_cq qp_states address send_recv datagram rdma rdma_errors
	batches rnr destroy_busy wqe_bytes completion_counters dmabuf statuses)
failed=0

run_one()
{
	local profile=$1 name=$2 status=0

	TEST_PROFILE=$profile "$run" "$programs/verbs_$name" \
		>"$out" 2>&1 || status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] || {
		echo "verbs_$name on profile $profile: exit status $status"
		sed 's/^/    /' "$out"
		failed=1
	}
}

[ -x "$softefa" ] || { echo "skipped: softefa: no $softefa"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
profiles=$("$softefa" profiles | awk 'NR > 1 { print $1 }')
[ -n "$profiles" ] || { echo "softefa profiles lists one profile or none"
	exit 1; }
for profile in $profiles; do
	for name in "${tests[@]}"; do
		run_one "$profile" "$name"
	done
done
exit "$failed"
