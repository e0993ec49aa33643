#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: mpi_scalapack.sh RANKS TEST...
# Tests of ScaLAPACK, as Debian's scalapack-mpi-test has them compiled with
# Open MPI (xdlu, xdllt ...), over libfabric's provider efa. Each solves
# problems on grids of up to RANKS processes and checks the residuals. Run it
# below `softefa run`.
#
# xdllt hangs now and then on 4 ranks, over Open MPI's shared memory and one
# network alike: it is no test of either.

set -eu

# shellcheck source=contrib/setup/mpi_over_efa.sh
. "$(dirname "$0")/mpi_over_efa.sh"

ranks=${1:?the number of ranks}
shift
tests=/usr/lib/$(gcc -print-multiarch)/scalapack/openmpi-tests
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "ScaLAPACK's $name on $ranks ranks: $*" >&2
	tail -n 40 "$dir/out" >&2
	exit 1
}

cd "$tests"
for name; do
	mpi_over_efa "$ranks" "$dir/out" "./$name" ||
		fail "it did not run to its end"
	passed=$(sed -n 's/^ *\([0-9]*\) tests completed and passed.*/\1/p' \
		"$dir/out")
	failed=$(sed -n 's/^ *\([0-9]*\) tests completed and failed.*/\1/p' \
		"$dir/out")
	if [ "${passed:-0}" = 0 ] || [ "$failed" != 0 ]; then
		fail "${passed:-no} tests passed, ${failed:-?} failed"
	fi
	echo "$name: $ranks ranks, $passed tests, ok"
done
