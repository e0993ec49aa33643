#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: pingpong_pair.sh ARGUMENT...
# Runs fi_pingpong as server and client on this machine, both with the
# ARGUMENTs and with their data checked, and shows what the client prints.
# Fails when either does, when no message was exchanged, or when they take
# longer than PINGPONG_SECONDS.

set -eu

seconds=${PINGPONG_SECONDS:-60}

# listens PORT: whether a TCP socket listens there, IPv4 or IPv6.
listens()
{
	awk -v port="$(printf ':%04X' "$1")" '
		$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
		END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

free_port()
{
	local port=$((20000 + ($$ * 7) % 20000))

	while listens "$port"; do
		port=$((port + 1))
	done
	echo "$port"
}

# The server listens some time after its start.
await_server()
{
	local polls=0

	until listens "$port"; do
		kill -0 "$server" 2>/dev/null && [ $polls -lt 400 ] || return 1
		polls=$((polls + 1))
		sleep 0.05
	done
}

fail()
{
	echo "fi_pingpong $*" >&2
	echo "--- its server said:" >&2
	cat "$dir/server" >&2
	exit 1
}

dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT

port=$(free_port)
timeout "$seconds" fi_pingpong -c -B "$port" "$@" >"$dir/server" 2>&1 &
server=$!
await_server || fail "$*: the server does not listen"
timeout "$seconds" fi_pingpong -c -P "$port" "$@" 127.0.0.1 >"$dir/client" ||
	fail "$*: the client ended with $? (124: after $seconds s)"
cat "$dir/client"
wait "$server" || fail "$*: the server ended with $?"
server=
# It succeeds without a word when the endpoint takes no message of that size.
[ "$(wc -l <"$dir/client")" -ge 2 ] || fail "$*: no message was exchanged"
