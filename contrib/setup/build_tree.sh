# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Configures and builds the project in a directory of its own.  Sourced after
# say.sh and packages.sh, with source_dir set to the source tree.
# shellcheck disable=SC2154 # source_dir

# What a build needs beside what contrib/rdma-core needs for its own.
# shellcheck disable=SC2034 # used by who sources this
build_tree_packages=(gcc libc6-dev make autoconf automake libtool pkg-config
		     libfabric-dev libfabric-bin python3 binutils procps
		     xz-utils)

# rdma_core_option: prints the --with-rdma-core that this machine needs, or
# nothing when the system's own will do.  Builds rdma-core the first time.
rdma_core_option()
{
	local dir

	dir=$("$source_dir/contrib/rdma-core" --if-needed) || exit 1
	[ -z "$dir" ] || printf '%s\n' "--with-rdma-core=$dir"
}

# rdma_core_use OPTION: programs started from here on load the libraries of
# that rdma-core, OPTION being what rdma_core_option printed.  The plugin
# cannot choose: Debian's libfabric links libibverbs and libefa itself, so
# that the system's are in the process before any plugin is.
rdma_core_use()
{
	local lib=${1#--with-rdma-core=}/lib

	[ -n "$1" ] || return 0
	case :${LD_LIBRARY_PATH:-}: in
	*:"$lib":*) ;;
	*) export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
	esac
}

# build_tree_autoreconf LOG: makes `configure` where it is missing or older
# than what it is made of.  One run at a time in one source tree.
build_tree_autoreconf()
{
	local made=$source_dir/configure

	(
		flock 9
		if [ -e "$made" ] && [ -e "$source_dir/Makefile.in" ] &&
		   [ -z "$(find "$source_dir/configure.ac" \
			"$source_dir/Makefile.am" \
			"$source_dir/config/efa_build.m4" \
			-newer "$made")" ]; then
			exit 0
		fi
		logged "$1" "generating configure" \
			autoreconf -fi "$source_dir"
	) 9<"$source_dir/contrib/setup/build_tree.sh"
}

# build_tree_configure DIR LOG OPTION...: configures in DIR, unless it was
# configured with the same options and nothing changed since.
build_tree_configure()
{
	local dir=$1 log=$2 wanted

	shift 2
	mkdir -p "$dir"
	build_tree_autoreconf "$log" || return 1
	wanted=$(printf '%s\n' "$source_dir" "$@")
	if [ -e "$dir/Makefile" ] &&
	   [ "$dir/config.status" -nt "$source_dir/configure" ] &&
	   [ "$wanted" = "$(cat "$dir/.configured" 2>/dev/null)" ]; then
		return 0
	fi
	logged "$log" "configuring in $dir" env -C "$dir" \
		"$source_dir/configure" "$@" || return 1
	printf '%s\n' "$wanted" >"$dir/.configured"
}

# build_tree_make DIR LOG WHAT TARGET...: makes the targets in DIR.
build_tree_make()
{
	local dir=$1 log=$2 what=$3

	shift 3
	logged "$log" "$what" make -C "$dir" -j "$(nproc)" "$@"
}
