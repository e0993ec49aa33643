#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# op_cost.sh: instructions that each call of efa-direct takes, counted by
# callgrind on softefa: with this provider, and in the reference root with the
# efa provider of the libfabric there, the same program over the same
# libfabric. Run in the build tree, as root for the second.
#
# An operation's cost is that of the calls about it, the program's loop
# included, over their number. Calls of fi_cq_read that found nothing are
# taken off, at what they cost.

set -eu

source_dir=${TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd -P)}
program=$PWD/fabtests/benchmarks/op_cost
softefa=${SOFTEFA:-$PWD/contrib/softefa/softefa}
root=$source_dir/contrib/reference-root

for need in "$program" "$softefa" .libs/libefa-fi.so; do
	[ -e "$need" ] || {
		echo "op_cost.sh: no $need; run make bench-op-cost in the build tree" >&2
		exit 1
	}
done
command -v callgrind_annotate >/dev/null || {
	echo "skipped: callgrind_annotate is not there; install valgrind" >&2
	exit 77
}

work=$(mktemp -d "${TMPDIR:-/tmp}/op_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
in_root=no
if [ "$(id -u)" = 0 ] && "$root" path >/dev/null 2>&1; then
	in_root=yes
fi

# place WHO CMD...: runs CMD where WHO's provider is.
place()
{
	local who=$1

	shift
	if [ $in_root = no ]; then
		FI_PROVIDER_PATH=$PWD/.libs "$@"
	elif [ "$who" = ours ]; then
		"$root" run --plugin --build "$PWD" -- "$@"
	else
		"$root" run --build "$PWD" -- "$@"
	fi
}

# count WHO PROFILE THREADING: "function cost" lines of each function.
count()
{
	local out=$work/$1.$2.$3

	place "$1" "$softefa" run --profile "$2" -- \
		valgrind --tool=callgrind -q --toggle-collect='cost_*' \
		--callgrind-out-file="$out" "$program" "$3" \
		>"$out.counts" 2>"$out.log" || {
			cat "$out.log" >&2
			echo "op_cost.sh: $1 on $2 failed" >&2
			exit 1
		}
	callgrind_annotate --inclusive=yes --threshold=100 "$out" \
		>"$out.annotated"
	awk '
	NR == FNR {
		if ($1 ~ /^cost_/) {
			ops[$1] += $3
			nothing[$1] += $4
		}
		next
	}
	match($0, /op_cost\.c:cost_[a-z_]*/) {
		name = substr($0, RSTART + 10, RLENGTH - 10)
		gsub(",", "", $1)
		if ($1 + 0 > cost[name])
			cost[name] = $1 + 0
	}
	END {
		empty = "cost_read_nothing"
		empty_cost = cost[empty] / ops[empty]
		for (name in ops)
			printf "%s %.1f\n", name, (cost[name] - \
				nothing[name] * empty_cost) / ops[name]
	}' "$out.counts" "$out.annotated" >"$out.costs"
}

names='
cost_post_send_long	fi_send, 4 KiB
cost_post_send_short	fi_send, 8 bytes in the request
cost_post_send_batch	fi_sendmsg, 16 with FI_MORE
cost_post_recv	fi_recv
cost_post_recv_batch	fi_recvmsg, 16 with FI_MORE
cost_post_write	fi_write, 4 KiB
cost_post_write_batch	fi_writemsg, 16 with FI_MORE
cost_post_read	fi_read, 4 KiB
cost_read_send	fi_cq_read, one send
cost_read_recv	fi_cq_read, one receive
cost_readfrom_recv	fi_cq_readfrom, one receive
cost_read_write	fi_cq_read, one write
cost_read_read	fi_cq_read, one read
cost_read_send_batch	fi_cq_read, 16 sends
cost_read_recv_batch	fi_cq_read, 16 receives
cost_read_write_batch	fi_cq_read, 16 writes
cost_read_nothing	fi_cq_read, nothing there
'

# table PROFILE THREADING TITLE
table()
{
	local ours=$work/ours.$1.$2.costs theirs=/dev/null

	count ours "$1" "$2"
	if [ $in_root = yes ]; then
		count theirs "$1" "$2"
		theirs=$work/theirs.$1.$2.costs
	fi
	printf '\n%-34s %9s %9s %6s\n' "$3" this in-tree ratio
	awk -F'\t' -v ours="$ours" -v theirs="$theirs" '
	BEGIN {
		while ((getline line <ours) > 0) {
			split(line, part, " ")
			mine[part[1]] = part[2]
		}
		while ((getline line <theirs) > 0) {
			split(line, part, " ")
			other[part[1]] = part[2]
		}
	}
	NF == 2 && !($1 in other) {
		printf "%-34s %9.1f %9s %6s\n", $2, mine[$1], "-", "-"
	}
	NF == 2 && $1 in other {
		printf "%-34s %9.1f %9.1f %6.2f\n", $2, mine[$1], other[$1], \
			mine[$1] / other[$1]
	}' <<<"$names"
}

echo "instructions per operation of efa-direct"
table next safe "64-bit IDs, FI_THREAD_SAFE"
table next domain "64-bit IDs, FI_THREAD_DOMAIN"
table 0xefa3 safe "16-bit IDs, FI_THREAD_SAFE"
table 0xefa3 domain "16-bit IDs, FI_THREAD_DOMAIN"
