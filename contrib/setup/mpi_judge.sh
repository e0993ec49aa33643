#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: mpi_judge.sh PROGRAM RANKS [ARGUMENT...]
# Compiles fabtests/mpi/PROGRAM.c and runs it with the ARGUMENTs on RANKS
# ranks of Open MPI, whose messages all go over libfabric's provider efa: no
# other component of Open MPI and no other provider is allowed, and Open MPI
# must say of each rank that it chose efa.  The last line is the program's
# own, and how many bytes it checked.  Run it below `softefa run`.
#
#	TOP_SRCDIR	the source tree
#	MPICC, MPIRUN	mpicc.openmpi and mpirun.openmpi if not set
#	MPI_OPTIONS	more options for mpirun
#	MPI_SECONDS	how long it may take (150)

set -eu

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

options=(--oversubscribe -n "$ranks" --mca pml cm --mca mtl ofi
	 --mca mtl_ofi_provider_include efa --mca opal_common_ofi_verbose 1
	 --mca mtl_base_verbose 10)
[ "$(id -u)" != 0 ] || options+=(--allow-run-as-root)
export FI_EFA_ENABLE_SHM_TRANSFER=0
# shellcheck disable=SC2086 # several options
timeout "${MPI_SECONDS:-150}" "${MPIRUN:-mpirun.openmpi}" "${options[@]}" \
	${MPI_OPTIONS:-} "$dir/$program" "$@" >"$dir/out" 2>&1 ||
	fail "mpirun ended with $? (124: after ${MPI_SECONDS:-150} s)"

# "mtl:ofi:prov: efa" with Open MPI 4, "mtl:ofi:provider: efa" later.
chosen=$(grep -c 'mtl:ofi:prov[a-z]*: efa$' "$dir/out" || true)
[ "$chosen" = "$ranks" ] || fail "$chosen ranks say that they chose efa"
grep "^$program: $ranks ranks, .* ok\$" "$dir/out" ||
	fail "there is no result of $ranks ranks"
