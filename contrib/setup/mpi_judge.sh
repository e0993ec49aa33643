#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: mpi_judge.sh PROGRAM RANKS [ARGUMENT...]
# Compiles fabtests/mpi/PROGRAM.c and runs it with the ARGUMENTs on RANKS
# ranks of Open MPI, whose messages all go over libfabric's provider efa.  The
# last line is the program's own, and how many bytes it checked.  Run it below
# `softefa run`.
#
#	TOP_SRCDIR	the source tree
#	MPICC		mpicc.openmpi if not set
# and what mpi_over_efa.sh takes

set -eu

# shellcheck source=contrib/setup/mpi_over_efa.sh
. "$(dirname "$0")/mpi_over_efa.sh"

[ $# -ge 2 ] || { echo "usage: mpi_judge.sh PROGRAM RANKS [ARGUMENT...]" >&2
	exit 2; }
program=$1 ranks=$2
shift 2
source_dir=${TOP_SRCDIR:?names the source tree}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "$program on $ranks ranks: $*" >&2
	echo "--- mpirun said:" >&2
	tail -n 60 "$dir/out" >&2
	exit 1
}

"${MPICC:-mpicc.openmpi}" -O2 -g -Wall -I"$source_dir" -o "$dir/$program" \
	"$source_dir/fabtests/mpi/$program.c" "$source_dir/fabtests/expect.c"

mpi_over_efa "$ranks" "$dir/out" "$dir/$program" "$@" ||
	fail "see above"
grep "^$program: $ranks ranks, .* ok\$" "$dir/out" ||
	fail "there is no result of $ranks ranks"
