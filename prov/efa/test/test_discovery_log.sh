#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Without a device, or with libraries too old, fi_info works, and the log has
# one line of the provider that says what is missing and what to do.
#
#	FI_PROVIDER_PATH	the directory with libefa-fi.so
#	LD_LIBRARY_PATH		leads to an rdma-core that is new enough

set -u

plugin=${FI_PROVIDER_PATH:?}/libefa-fi.so
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
done_some=0

skip()
{
	echo "skipped: $*" >&2
	exit 77
}

# expect_line WORD...: of the provider efa there is one line in the log, and
# it has each WORD in it.
expect_line()
{
	local word lines

	lines=$(grep -c '::efa:' "$log")
	[ "$lines" = 1 ] || fail "expected one line of the provider, found $lines"
	for word; do
		grep '::efa:' "$log" | grep -qF -- "$word" ||
			fail "the line does not say: $word"
	done
}

fail()
{
	echo "FAILED: $*" >&2
	sed 's/^/	/' "$log" >&2
	failed=1
}

# fi_info of a build with sanitizers: their run time goes first.
run_time=$(ldd "$plugin" 2>/dev/null | awk '/lib[at]san/ { print $3 }')

# run_fi_info [OPTION-OF-ENV...]: lists all providers, which must succeed.
run_fi_info()
{
	env "$@" LD_PRELOAD="$run_time" fi_info >/dev/null 2>"$log" ||
		fail "fi_info ended with $?"
}

command -v fi_info >/dev/null ||
	skip "fi_info is not installed (package libfabric-bin)"
[ -e "$plugin" ] || skip "$plugin is not built"
if fi_info -p efa >/dev/null 2>&1; then
	skip "this machine has an EFA device"
fi

run_fi_info FI_LOG_LEVEL=warn
if grep -q 'too old\|cannot be loaded' "$log"; then
	echo "LD_LIBRARY_PATH leads to no rdma-core that is new enough" >&2
else
	done_some=1
	expect_line "no EFA device" "softefa run" "efa kernel module"
	run_fi_info -u FI_LOG_LEVEL
	[ ! -s "$log" ] || fail "output without FI_LOG_LEVEL"
fi

run_fi_info -u LD_LIBRARY_PATH FI_LOG_LEVEL=warn
if grep -q 'too old' "$log"; then
	done_some=1
	expect_line "libefa.so.1" "efadv_query_qp_wqs" "rdma-core 59" \
		"LD_LIBRARY_PATH"
else
	echo "the system's own libefa is not too old: not tried" >&2
fi

[ $done_some$failed != 00 ] ||
	skip "no library here is old enough or new enough"
exit $failed
