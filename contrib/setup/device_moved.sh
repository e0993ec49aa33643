#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: device_moved.sh BYTES COMMAND...
# Runs COMMAND on the devices of the `softefa run` around it, and fails when
# it does, or when the devices have sent fewer than BYTES bytes meanwhile:
# then it was not them that carried the messages.  libfabric's own efa
# provider has a way around the device, shared memory between the processes
# of a host; it is switched off here.

set -eu

# tx_bytes: what all devices of the daemon have sent, RDMA included.
tx_bytes()
{
	softefa show | awk '$1 == "tx_bytes" { sum += $2 } END { printf "%.0f\n", sum }'
}

[ $# -ge 2 ] || { echo "usage: device_moved.sh BYTES COMMAND..." >&2; exit 2; }
wanted=$1
shift
export FI_EFA_ENABLE_SHM_TRANSFER=0

before=$(tx_bytes)
"$@"
moved=$(($(tx_bytes) - before))
echo "the devices sent $moved bytes"
if [ "$moved" -lt "$wanted" ]; then
	echo "expected $wanted at least: the messages went another way" >&2
	exit 1
fi
