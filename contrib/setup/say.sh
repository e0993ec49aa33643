# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What the scripts of contrib/ say to a person, and where they keep what is
# costly to make.  Sourced; needs `set -eu` in the caller.  All of it goes to
# stderr, so that stdout stays free for a result.

# say TEXT: one line of progress.
say()
{
	printf '==> %s\n' "$*" >&2
}

# die WHAT REMEDY: the one error a script ends with.
die()
{
	printf '%s: error: %s\n' "${0##*/}" "$1" >&2
	[ $# -lt 2 ] || printf '  remedy: %s\n' "$2" >&2
	exit 1
}

# cache_dir: prints where downloads and builds are kept; makes it.
cache_dir()
{
	local dir=${LIBFABRIC_EFA_CACHE:-}

	[ -n "$dir" ] ||
		dir=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/libfabric-efa
	mkdir -p "$dir" || die "cannot make the cache directory $dir" \
		"set LIBFABRIC_EFA_CACHE to a directory you may write"
	(cd "$dir" && pwd -P)
}

# logged LOG WHAT COMMAND...: runs COMMAND with its output in the file LOG,
# says WHAT before and shows the log's end when COMMAND fails.
logged()
{
	local log=$1 what=$2

	shift 2
	say "$what"
	if ! "$@" >>"$log" 2>&1; then
		tail -n 25 "$log" >&2
		return 1
	fi
}
