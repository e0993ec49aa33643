#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: two_hosts.sh [OPTION...] -- COMMAND...
# Makes two EFA hosts of this machine: two network name spaces with a cable
# between them, each with a softefa daemon that is started with the OPTIONs
# and linked to the other over UDP.  Runs COMMAND in the first and ends with
# its status; fails as well when the link has carried nothing.  Needs root.
#
#	SOFTEFA		the command, as seen from here
#
# COMMAND finds in its environment
#	HOST_A, HOST_B			the names of the daemons
#	HOST_A_ADDRESS, HOST_B_ADDRESS	IPv4 addresses on the cable
#	HOST_B_NET	the second name space, for nsenter --net=, also in a
#			chroot

set -eu

softefa=${SOFTEFA:-softefa}
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options+=("$1")
	shift
done
[ $# -ge 2 ] || { echo "usage: two_hosts.sh [OPTION...] -- COMMAND..." >&2
	exit 2; }
shift
[ "$(id -u)" = 0 ] || { echo "skipped: network name spaces need root"
	exit 77; }

export HOST_A=judge-a-$$ HOST_B=judge-b-$$
export HOST_A_ADDRESS=10.213.47.1 HOST_B_ADDRESS=10.213.47.2

in_host()
{
	local name=$1

	shift
	ip netns exec "$name" "$@"
}

remove_hosts()
{
	local name

	for name in "$HOST_A" "$HOST_B"; do
		in_host "$name" "$softefa" stop --name "$name" || true
		ip netns del "$name" || true
	done 2>/dev/null
}

# add_host NAME ADDRESS INTERFACE
add_host()
{
	in_host "$1" ip link set lo up
	in_host "$1" ip address add "$2/24" dev "$3"
	in_host "$1" ip link set "$3" up
}

# start_host NAME ADDRESS OTHER-ADDRESS
start_host()
{
	in_host "$1" "$softefa" start --name "$1" "${options[@]}" \
		--link "udp:$2:4791,peer=$3:4791,retry=20s"
}

# counter NAME: of the other host, as the first one shows it.
counter()
{
	in_host "$HOST_A" "$softefa" show --name "$HOST_A" |
		awk -v name="$1" '/^host / { on = 1 }
			on && $1 == name { print $2; exit }'
}

trap remove_hosts EXIT
ip netns add "$HOST_A"
ip netns add "$HOST_B"
in_host "$HOST_A" ip link add cable type veth peer name cable netns "$HOST_B"
add_host "$HOST_A" "$HOST_A_ADDRESS" cable
add_host "$HOST_B" "$HOST_B_ADDRESS" cable
start_host "$HOST_A" "$HOST_A_ADDRESS" "$HOST_B_ADDRESS"
start_host "$HOST_B" "$HOST_B_ADDRESS" "$HOST_A_ADDRESS"
HOST_B_NET=/proc/$(ip netns pids "$HOST_B" | head -n 1)/ns/net
export HOST_B_NET

in_host "$HOST_A" "$@"
sent=$(counter sent)
echo "the first host sent $sent packets to the second"
if [ "${sent:-0}" -lt 1000 ]; then
	in_host "$HOST_A" "$softefa" show --name "$HOST_A" >&2
	echo "expected 1000 at least: the messages went another way" >&2
	exit 1
fi
