#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests of the plugin once more on the profile next, whose devices have
# completion counters, 128-byte entries and 64-bit request IDs.

set -eu

softefa=${SOFTEFA:?the softefa command to test with}
programs=${TOP_BUILDDIR:?the build tree}/fabtests
run=${TOP_SRCDIR:?the source tree}/contrib/softefa/test/run_on_softefa
tests=(functional/counters functional/counters_alone functional/rma_transfers
	nccl/rdma_protocol)
failed=0

[ -x "$softefa" ] || { echo "skipped: softefa: no $softefa"; exit 77; }
for name in "${tests[@]}"; do
	status=0
	echo "--- $name"
	TEST_PROFILE=next "$run" "$programs/$name" || status=$?
	[ $status = 0 ] || failed=1
done
exit $failed
