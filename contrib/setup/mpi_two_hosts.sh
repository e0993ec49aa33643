#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: mpi_two_hosts.sh PROGRAM RANKS [ARGUMENT...]
# mpi_judge.sh with RANKS ranks on each of the hosts that two_hosts.sh has
# made, each with a host name of its own.  Open MPI starts those of the second host through this script, in the
# place of ssh: "mpi_two_hosts.sh HOST COMMAND..." with AS_SSH set.

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)

if [ -n "${AS_SSH:-}" ]; then
	shift
	exec nsenter --net="$HOST_B_NET" unshare --uts \
		sh -c "hostname $HOST_B && exec softefa run --name $HOST_B -- \
			sh -c '$*'"
fi

[ $# -ge 2 ] || { echo "usage: mpi_two_hosts.sh PROGRAM RANKS [ARGUMENT...]" \
	>&2; exit 2; }
program=$1 ranks=$2
shift 2
export AS_SSH=yes
export MPI_OPTIONS="--host $HOST_A_ADDRESS:$ranks,$HOST_B_ADDRESS:$ranks
	--prtemca plm_ssh_agent $here/mpi_two_hosts.sh
	--prtemca plm_ssh_no_tree_spawn 1"
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --uts sh -c 'hostname "$HOST_A" && exec "$@"' - \
	softefa run --name "$HOST_A" -- \
	"$here/mpi_judge.sh" "$program" $((2 * ranks)) "$@"
