# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The groups of contrib/check.  Sourced by it.  What a group runs follows from
# where a test lies: prov/efa/test and contrib/test are unit tests,
# contrib/softefa/test is of the device, fabtests of the plugin.
# shellcheck disable=SC2154 # here, source_dir, check_dir

# prepare NAME OPTION...: packages, and a configured build in build-check/NAME
# whose path is left in `build`.  Returns 1, counted, when that fails.
prepare()
{
	local name=$1 log=$check_dir/$1.configure.log rdma_core

	shift
	packages_need "${build_tree_packages[@]}" libcmocka-dev
	build=$check_dir/$name
	: >"$log"
	rdma_core=$(rdma_core_option)
	rdma_core_use "$rdma_core"
	build_tree_configure "$build" "$log" --enable-werror \
		${rdma_core:+"$rdma_core"} "$@" && return 0
	count_result "$name: configure" 1 "$log"
	return 1
}

# compile [TARGET...]: makes these, or everything, in `build`; counted when it
# fails.
compile()
{
	local name=${build##*/}

	[ $# -gt 0 ] || set -- all
	build_tree_make "$build" "$check_dir/$name.make.log" \
		"building in $build" "$@" && return 0
	count_result "$name: make" 1 "$check_dir/$name.make.log"
	return 1
}

# tests_in DIRECTORY...: those of the makefile's tests that lie below one.
tests_in()
{
	local directory

	for directory; do
		make -s -C "$build" print-tests | grep "^$directory/" || true
	done | sort -u | tr '\n' ' '
}

# programs_in DIRECTORY: its tests that are programs, not scripts.
programs_in()
{
	tests_in "$1" | tr ' ' '\n' | grep -v '\.[a-z]*$' | tr '\n' ' '
}

# tests_without_device: those that share nothing, and may run side by side.
tests_without_device()
{
	printf '%s contrib/check-layers\n' \
		"$(tests_in prov/efa/test contrib/test)"
}

# tests_on_device: all others.  One at a time: a device and its application
# take a CPU each.
tests_on_device()
{
	make -s -C "$build" print-tests |
		grep -v '^prov/efa/test/\|^contrib/test/\|^contrib/check-layers' |
		tr '\n' ' '
}

group_unit()
{
	local compiler page valgrind='valgrind -q --error-exitcode=9' at_once

	# shellcheck disable=SC2034 # count_make_check reads it
	at_once=$(nproc)
	valgrind+=' --leak-check=full --errors-for-leak-kinds=definite'
	packages_need gcc clang valgrind shellcheck groff-base
	count_run "shellcheck" check_shell
	for page in "$source_dir"/man/*.[1-8]; do
		[ ! -e "$page" ] ||
			count_run "man page ${page##*/}" check_man_page "$page"
	done
	for compiler in gcc clang; do
		prepare $compiler CC=$compiler || continue
		compile || continue
		count_make_check "unit, $compiler" "$build" \
			TESTS="$(tests_without_device)"
	done
	if prepare gcc CC=gcc && compile; then
		RANDOM_STEPS_DIVISOR=50 \
			count_make_check "unit, valgrind" "$build" \
			TESTS="$(programs_in prov/efa/test)" \
			LOG_COMPILER="$valgrind"
	fi
	unit_aarch64
}

check_shell()
{
	local file files=(config/quick_libtool)

	while IFS= read -r file; do
		if head -n 2 "$file" | grep -q 'bash\|/bin/sh'; then
			files+=("$file")
		fi
	done < <(cd "$source_dir" && find contrib fabtests prov .ci -type f \
		\( -name '*.sh' -o ! -name '*.*' \))
	(cd "$source_dir" && shellcheck -x -P . "${files[@]}")
}

# A page that groff has nothing to say about.
check_man_page()
{
	local said

	said=$(groff -mandoc -ww -z -Tutf8 "$1" 2>&1)
	printf '%s\n' "$said"
	[ -z "$said" ]
}

# Cross-compiled against a Debian root for arm64, and run under qemu in it;
# of the test programs, which outnumber the rest, those that are run.
unit_aarch64()
{
	local sysroot cc=aarch64-linux-gnu-gcc machine=aarch64-linux-gnu tests

	packages_need gcc-aarch64-linux-gnu qemu-user
	sysroot=$("$here/aarch64-root")
	# The compiler's own libc is of another version than the root's.
	cc+=" --sysroot=$sysroot -isystem $sysroot/usr/include/$machine"
	cc+=" -isystem $sysroot/usr/include -B$sysroot/usr/lib/$machine"
	cc+=" -L$sysroot/usr/lib/$machine"
	prepare aarch64 --host=$machine \
		--with-libfabric="$sysroot/usr" --with-rdma-core="$sysroot/usr" \
		CC="$cc" PKG_CONFIG_LIBDIR=/nonexistent \
		CMOCKA_CFLAGS=-I"$sysroot/usr/include" CMOCKA_LIBS=-lcmocka ||
		return 0
	compile || return 0
	tests=$(programs_in prov/efa/test)
	RANDOM_STEPS_DIVISOR=20 \
		count_make_check "unit, aarch64" "$build" \
		TESTS="$tests" check_PROGRAMS="$tests" check_LTLIBRARIES= \
		LOG_COMPILER="qemu-aarch64 -L $sysroot"
}

group_device()
{
	packages_need iproute2
	prepare gcc CC=gcc && compile || return 0
	count_make_check "device" "$build" \
		TESTS="$(tests_in contrib/softefa/test)"
}

# on_device COMMAND...: COMMAND on emulated devices with the plugin.
on_device()
{
	PATH=$build/contrib/softefa:$PATH FI_PROVIDER_PATH=$build/.libs \
		softefa run -- "$@"
}

in_root()
{
	"$here/reference-root" run --build "$build" "$@"
}

# disorder SEED: the file of faults of a device that carries requests out in
# another order and tells of them late, for each seed in its own way.  What
# comes of a program must not depend on it.
disorder()
{
	local file=$check_dir/disorder.$1

	printf '%s\n' "reorder delay=0..300us prob=0.5 seed=$1" \
		"hold-cqe queue=send time=500us prob=0.3 seed=$1" \
		"hold-cqe queue=recv time=200us prob=0.2 seed=$1" >"$file"
	printf '%s\n' "$file"
}

# tests_of_order: those of efa-direct and DGRAM that may be disturbed; the
# others have faults of their own, or nothing that could be.
tests_of_order()
{
	direct_tests | tr ' ' '\n' |
		grep -v '_failures$\|field_devices\|provider_page' |
		tr '\n' ' '
}

# Those of the fabric efa, and those of all else.
rdm_tests()
{
	tests_in fabtests | tr ' ' '\n' | grep '/rdm_' | tr '\n' ' '
}

direct_tests()
{
	tests_in fabtests | tr ' ' '\n' | grep -v '/rdm_' | tr '\n' ' '
}

group_direct()
{
	local pair=$here/setup/pingpong_pair.sh test seed

	prepare gcc CC=gcc && compile || return 0
	count_run "direct: fi_info" on_device fi_info -p efa
	count_run "direct: fi_pingpong dgram" \
		on_device "$pair" -p efa -e dgram -I 1000
	count_make_check "direct" "$build" TESTS="$(direct_tests)"
	for seed in 1 2; do
		TEST_FAULTS=$(disorder $seed) \
		count_make_check "direct, disorder of seed $seed" "$build" \
			TESTS="$(tests_of_order)"
	done
	need_root || return 0
	count_run "direct, reference root: fi_info" \
		in_root --plugin -- softefa run -- fi_info -p efa
	count_run "direct, reference root: fi_pingpong dgram" \
		in_root --plugin -- softefa run -- "$pair" -p efa -e dgram -I 1000
	for test in $(direct_tests); do
		count_run "direct, reference root: $test" direct_in_root "$test"
	done
	for test in $(tests_of_order); do
		TEST_FAULTS=$(disorder 3) \
		count_run "direct, reference root, disorder: $test" \
			direct_in_root "$test"
	done
}

# direct_in_root TEST: one of the makefile's tests, in the reference root.
direct_in_root()
{
	case $1 in
	*.sh) in_root --plugin -- bash "$source_dir/$1" ;;
	*) in_root --plugin -- \
		"$source_dir/contrib/softefa/test/run_on_softefa" "$build/$1" ;;
	esac
}

group_rdm()
{
	local pair=$here/setup/pingpong_pair.sh seed

	prepare gcc CC=gcc && compile || return 0
	count_run "rdm: fi_pingpong tagged, all sizes" on_device \
		"$here/setup/device_moved.sh" 200000000 \
		"$pair" -p efa -e rdm -m tagged -I 5 -S all
	count_make_check "rdm" "$build" TESTS="$(rdm_tests)"
	for seed in 1 2; do
		TEST_FAULTS=$(disorder $seed) \
		count_make_check "rdm, disorder of seed $seed" "$build" \
			TESTS="$(rdm_tests)"
	done
	need_root || return 0
	rdm_in_root
}

rdm_in_root()
{
	local pair=$here/setup/pingpong_pair.sh test

	count_run "rdm, reference root: fi_pingpong tagged, all sizes" \
		in_root --plugin -- softefa run -- \
		"$here/setup/device_moved.sh" 200000000 \
		"$pair" -p efa -e rdm -m tagged -I 5 -S all
	for test in $(rdm_tests); do
		count_run "rdm, reference root: $test" direct_in_root "$test"
	done
}

# need_root: the reference root, made the first time; counted as skipped for
# a user who may not enter it.
need_root()
{
	local log=$check_dir/reference-root.log

	if [ "$(id -u)" != 0 ]; then
		echo "the reference root needs root: run contrib/check as root" \
			>"$log"
		count_result "reference root" 77 "$log"
		return 1
	fi
	"$here/reference-root" create >"$log" || exit 1
}

# judged NAME BYTES COMMAND...: a test of the in-tree provider on emulated
# devices, which must have sent that many bytes.
judged()
{
	local name=$1 bytes=$2

	shift 2
	count_run "interop: $name" in_root -- softefa run -- \
		"$here/setup/device_moved.sh" "$bytes" "$@"
}

# judged_here NAME BYTES COMMAND...: the same with this machine's libfabric.
judged_here()
{
	local name=$1 bytes=$2

	shift 2
	count_run "interop, this machine: $name" \
		env PATH="$build/contrib/softefa:$PATH" \
		TOP_SRCDIR="$source_dir" softefa run -- \
		"$here/setup/device_moved.sh" "$bytes" "$@"
}

# disordered SEED NAME COMMAND...: like judged, on a device that delivers in
# another order and completes sends late, for each seed in its own way.
disordered()
{
	local seed=$1 name=$2

	shift 2
	count_run "interop, disorder of seed $seed: $name" \
		in_root -- softefa run \
		--fault "reorder delay=0..300us prob=0.5 seed=$seed" \
		--fault "hold-cqe queue=send time=500us prob=0.3 seed=$seed" -- \
		"$here/setup/device_moved.sh" 5000000 "$@"
}

# on_two_hosts PROGRAM RANKS [ARGUMENT...]: with reordering on both.
on_two_hosts()
{
	SOFTEFA=$build/contrib/softefa/softefa "$here/setup/two_hosts.sh" \
		--fault 'reorder delay=0..300us prob=0.3 seed=5' -- \
		"$here/reference-root" run --build "$build" -- \
		"$here/setup/mpi_two_hosts.sh" "$@"
}

group_interop()
{
	local pair=$here/setup/pingpong_pair.sh mpi=$here/setup/mpi_judge.sh
	local size seed setting test

	need_root || return 0
	prepare gcc CC=gcc &&
		compile && compile fabtests/functional/rdm_messages \
			fabtests/functional/rdm_reads \
			fabtests/functional/rdm_rma || return 0
	count_run "interop: the provider is the in-tree one" in_tree_provider
	# Messages go over efa-direct there, tagged ones over the RDM protocol.
	# "All" sizes end at 6 MiB, or where the endpoint takes no more.
	judged "fi_pingpong rdm, msg, all sizes" 800000 \
		"$pair" -p efa -e rdm -m msg -I 20 -S all
	judged "fi_pingpong dgram, all sizes" 800000 \
		"$pair" -p efa -e dgram -I 20 -S all
	judged "fi_pingpong rdm, tagged, all sizes" 200000000 \
		"$pair" -p efa -e rdm -m tagged -I 5 -S all
	judged "fi_pingpong rdm, tagged, 16 MiB" 160000000 \
		"$pair" -p efa -e rdm -m tagged -I 5 -S 16777216
	for setting in FI_EFA_USE_DEVICE_RDMA=1 FI_EFA_USE_DEVICE_RDMA=0 \
		FI_EFA_RUNT_SIZE=20000; do
		judged "messages of every protocol, $setting" 50000000 \
			env "$setting" "$build/fabtests/functional/rdm_messages"
	done
	for test in rdm_messages rdm_reads rdm_rma; do
		judged "$test, in-tree and plugin" 10000000 \
			env FABTESTS_CHILD_PROVIDER_PATH="$build/.libs" \
			"$build/fabtests/functional/$test"
		judged "$test, plugin and in-tree" 10000000 \
			env FI_PROVIDER_PATH="$build/.libs" \
			FABTESTS_CHILD_PROVIDER_PATH=/nonexistent \
			"$build/fabtests/functional/$test"
	done
	judged "Open MPI, point to point" 100000000 "$mpi" point_to_point 4
	judged "Open MPI, collectives" 100000000 "$mpi" collectives 4
	for size in 64 16384 1048576; do
		count_run "interop: a trace of the protocol, $size bytes" \
			trace_decodes "$size"
	done
	for seed in 1 2; do
		disordered "$seed" "fi_pingpong rdm, tagged, all sizes" \
			"$pair" -p efa -e rdm -m tagged -I 5 -S all
		disordered "$seed" "messages of every protocol" \
			"$build/fabtests/functional/rdm_messages"
		disordered "$seed" "Open MPI, point to point" \
			"$mpi" point_to_point 4 100000 1
	done
	disordered 3 "Open MPI, collectives" "$mpi" collectives 4 50000 1
	packages_need iproute2
	count_run "interop: Open MPI on two hosts, point to point" \
		on_two_hosts point_to_point 2 100000 1
	count_run "interop: Open MPI on two hosts, collectives" \
		on_two_hosts collectives 2 50000 1
	# Debian 12: Open MPI 4.1, libfabric 1.17 with an efa of its own.
	packages_need openmpi-bin libopenmpi-dev libfabric-bin
	judged_here "fi_pingpong rdm, tagged, all sizes" 200000000 \
		"$pair" -p efa -e rdm -m tagged -I 5 -S all
	judged_here "Open MPI, point to point" 20000000 \
		"$mpi" point_to_point 4 1000000 1
	judged_here "Open MPI, collectives" 10000000 "$mpi" collectives 4 100000
}

# plugged NAME BYTES COMMAND...: COMMAND over the plugin in the reference root,
# on devices with the faults in the file `faults`, which must have sent so many
# bytes.
plugged()
{
	local name=$1 bytes=$2

	shift 2
	count_run "mpi, reference root: $name" \
		in_root --plugin -- softefa run ${faults:+--faults "$faults"} \
		-- "$here/setup/device_moved.sh" "$bytes" "$@"
}

# plugged_here NAME BYTES COMMAND...: the same with this machine's libfabric.
plugged_here()
{
	local name=$1 bytes=$2

	shift 2
	count_run "mpi: $name" env PATH="$build/contrib/softefa:$PATH" \
		TOP_SRCDIR="$source_dir" FI_PROVIDER_PATH="$build/.libs" \
		softefa run -- "$here/setup/device_moved.sh" "$bytes" "$@"
}

# Open MPI over this plugin, on both libfabrics.
group_mpi()
{
	local mpi=$here/setup/mpi_judge.sh version faults=

	prepare gcc CC=gcc && compile || return 0
	packages_need openmpi-bin libopenmpi-dev libfabric-bin
	# The core gives the name to one provider: whose version is it?
	version=$(on_device fi_info -p efa | grep -m 1 version:)
	count_run "mpi: the provider is the plugin, $version" \
		[ "${version%.*}" = "    version: 9000" ]
	plugged_here "point to point" 20000000 "$mpi" point_to_point 4 1000000 1
	plugged_here "collectives" 5000000 "$mpi" collectives 4 100000
	packages_need hpcc scalapack-mpi-test
	plugged_here "HPC Challenge" 20000000 "$here/setup/mpi_hpcc.sh" 4
	plugged_here "ScaLAPACK's tests" 1000000 \
		"$here/setup/mpi_scalapack.sh" 4 xdlu xdinv
	need_root || return 0
	plugged "point to point" 20000000 "$mpi" point_to_point 4 1000000 1
	plugged "collectives" 5000000 "$mpi" collectives 4 100000
	faults=$(disorder 4)
	plugged "point to point, disorder" 1000000 \
		"$mpi" point_to_point 4 100000 1
}

# trace_decodes SIZE: what the in-tree provider sends for tagged messages of
# SIZE bytes can be traced; each packet is one of the protocol's and has no
# field without a name; and the packets that such messages need are there.
trace_decodes()
{
	local trace=$check_dir/trace.$1 kind kinds='HANDSHAKE EAGER_TAGRTM'

	FI_EFA_ENABLE_SHM_TRANSFER=0 in_root -- \
		softefa run --trace "$trace" -- \
		"$here/setup/pingpong_pair.sh" -p efa -e rdm -m tagged \
		-I 5 -S "$1" || return 1
	"$build/contrib/softefa/softefa" trace print --kind packet "$trace" |
		grep -E ' (sent|received) ' >"$trace.txt" || return 1
	if grep -E 'problem=|unknown|op=send .* payload=' "$trace.txt"; then
		return 1
	fi
	[ "$1" -lt 16384 ] || kinds+=' MEDIUM_TAGRTM'
	[ "$1" -lt 1048576 ] || kinds="HANDSHAKE EAGER_TAGRTM CTS CTSDATA \
		LONGCTS_TAGRTM LONGREAD_TAGRTM EOR"
	for kind in $kinds; do
		grep -q "rdm=$kind " "$trace.txt" || {
			echo "no $kind among $(wc -l <"$trace.txt") packets"
			return 1
		}
	done
}

in_tree_provider()
{
	in_root -- softefa run -- fi_info -p efa -v >"$check_dir/fi_info" &&
	cat "$check_dir/fi_info" &&
	grep -q 'version: 201\.' "$check_dir/fi_info"
}

group_fuzz()
{
	local fuzzer fuzzers

	packages_need clang libclang-rt-dev
	prepare fuzz CC=clang --enable-fuzz || return 0
	fuzzers=$(make -s -C "$build" print-fuzzers)
	# shellcheck disable=SC2086 # a list
	compile $fuzzers || return 0
	for fuzzer in $fuzzers; do
		count_start "fuzz: $fuzzer" env -C "$check_dir" \
			"$build/$fuzzer" -max_total_time="${FUZZ_SECONDS:-20}" \
			-verbosity=0 -print_final_stats=1
	done
	count_finish
}

group_sanitize()
{
	packages_need iproute2
	if prepare asan CC=gcc --enable-sanitize=address,undefined && compile
	then
		# Two frames tell a leak of ours from one of libfabric's own.
		ASAN_OPTIONS=verify_asan_link_order=0:malloc_context_size=2 \
		LSAN_OPTIONS=suppressions=$here/setup/leaks_elsewhere \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		count_all_tests "sanitize, address and undefined"
	fi
	if prepare tsan CC=gcc --enable-sanitize=thread && compile; then
		TSAN_OPTIONS=halt_on_error=1 \
		count_all_tests "sanitize, thread"
	fi
}

# count_all_tests NAME: every test of the makefile, in `build`.
count_all_tests()
{
	at_once=$(nproc) count_make_check "$1" "$build" \
		TESTS="$(tests_without_device)"
	count_make_check "$1, on a device" "$build" TESTS="$(tests_on_device)"
}

group_dist()
{
	local rdma_core

	prepare gcc CC=gcc || return 0
	rdma_core=$(rdma_core_option)
	say "make distcheck"
	# All test programs are built from what is distributed; those of the
	# device were run before, and would take as long again.
	count_run "dist: make distcheck" make -C "$build" -j "$(nproc)" \
		distcheck DISTCHECK_CONFIGURE_FLAGS="$rdma_core" \
		TESTS="$(tests_without_device)"
}
