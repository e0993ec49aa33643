# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs a program on ranks of Open MPI whose messages all go over libfabric's
# provider efa: no other component of Open MPI and no other provider is
# allowed, and Open MPI must say of each rank that it chose efa.  Sourced by
# scripts that run below `softefa run`.
#
#	MPIRUN		mpirun.openmpi if not set
#	MPI_OPTIONS	more options for mpirun
#	MPI_SECONDS	how long it may take (150)

# mpi_over_efa RANKS OUTPUT COMMAND...: all it says goes to the file OUTPUT.
# Returns 1 when it failed or went another way, and says how.
mpi_over_efa()
{
	local ranks=$1 out=$2 status=0 chosen options

	shift 2
	options=(--oversubscribe -n "$ranks" --mca pml cm --mca mtl ofi
		 --mca mtl_ofi_provider_include efa
		 --mca opal_common_ofi_verbose 1 --mca mtl_base_verbose 10)
	[ "$(id -u)" != 0 ] || options+=(--allow-run-as-root)
	# shellcheck disable=SC2086 # several options
	FI_EFA_ENABLE_SHM_TRANSFER=0 timeout "${MPI_SECONDS:-150}" \
		"${MPIRUN:-mpirun.openmpi}" "${options[@]}" \
		${MPI_OPTIONS:-} "$@" >"$out" 2>&1 || status=$?
	if [ $status != 0 ]; then
		echo "mpirun ended with $status" \
			"(124: after ${MPI_SECONDS:-150} s)" >&2
		return 1
	fi
	# "mtl:ofi:prov: efa" with Open MPI 4, "mtl:ofi:provider: efa" later.
	chosen=$(grep -c 'mtl:ofi:prov[a-z]*: efa$' "$out" || true)
	if [ "$chosen" != "$ranks" ]; then
		echo "$chosen of $ranks ranks say that they chose efa" >&2
		return 1
	fi
}
