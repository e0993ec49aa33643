#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: mpi_hpcc.sh RANKS
# The HPC Challenge benchmark (Debian's hpcc) over libfabric's provider efa on
# 4 ranks or any other even number, on matrices small enough for a test. Each
# of its programs checks what it has computed: all must say that it is right.
# Run it below `softefa run`.

set -eu

# shellcheck source=contrib/setup/mpi_over_efa.sh
. "$(dirname "$0")/mpi_over_efa.sh"

ranks=${1:?the number of ranks}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "hpcc on $ranks ranks: $*" >&2
	tail -n 40 out hpccoutf.txt >&2 || true
	exit 1
}

# A problem of HPL, and two more of PTRANS; each line's words are its own.
cat >hpccinf.txt <<END
HPL input
from the test
HPL.out output
8 device
1 problem sizes
240 N
1 block sizes
24 NB
0 mapping
1 grids
2 P
$((ranks / 2)) Q
16.0 threshold
1 panel factorisations
2 PFACT
1 stopping criteria
4 NBMIN
1 panels
2 NDIV
1 recursive factorisations
1 RFACT
1 broadcasts
1 BCAST
1 depths
1 DEPTH
2 swap
64 swapping threshold
0 L1
0 U
1 equilibration
8 alignment
ignored
2 more PTRANS sizes
300 100 N
1 more PTRANS blocks
40 NB
END

mpi_over_efa "$ranks" out hpcc || fail "it did not run to its end"
grep -q '^Success=1' hpccoutf.txt || fail "it does not say that it succeeded"
wrong='FAILED\|Found [1-9][0-9]* errors in\|with error [1-9]'
! grep "$wrong" hpccoutf.txt || fail "a result is wrong"
for result in '1 tests completed and passed residual checks' \
	'0 tests completed and failed residual checks' \
	'Found 0 errors in '; do
	grep -q "$result" hpccoutf.txt || fail "it does not say \"$result\""
done
echo "hpcc: $ranks ranks, $(grep -c '^Begin of ' hpccoutf.txt) programs, ok"
