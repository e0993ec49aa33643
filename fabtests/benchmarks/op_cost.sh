#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# op_cost.sh: instructions that each call of efa-direct takes, counted by
# callgrind on softefa: with this provider, and in the reference root with the
# efa provider of the libfabric there, the same program over the same
# libfabric. Run in the build tree, as root for the second.
#
# Then, for the same operations: doorbells, as the emulated device counts them,
# and of the instructions the fences, the atomic ones and the calls that copy
# memory; and the memory of endpoints and address vectors.
#
# An operation's cost is that of the calls about it, the program's loop
# included, over their number. Calls of fi_cq_read that found nothing are
# taken off, at what they cost.

set -eu

source_dir=${TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd -P)}
program=$PWD/fabtests/benchmarks/op_cost
softefa=${SOFTEFA:-$PWD/contrib/softefa/softefa}
root=$source_dir/contrib/reference-root

memory=$PWD/fabtests/benchmarks/memory_cost

for need in "$program" "$memory" "$softefa" .libs/libefa-fi.so; do
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

# kinds OBJECT: "address kind" of each of its instructions that is a fence or
# atomic.
kinds()
{
	objdump -d --no-show-raw-insn "$1" 2>/dev/null | awk '
	$2 ~ /^([sm]fence|lfence)$/ { print "0x" substr($1, 1, length($1) - 1), "fence" }
	$2 == "lock" || ($2 == "xchg" && $0 ~ /\(/) {
		print "0x" substr($1, 1, length($1) - 1), "atomic"
	}'
}

# special WHO FUNCTION: "fence N", "atomic N" and "copy N" of all its calls.
special()
{
	local out=$work/special.$1.$2 object file

	place "$1" "$softefa" run --profile next -- \
		valgrind --tool=callgrind -q --toggle-collect="$2" \
		--dump-instr=yes --compress-strings=no --compress-pos=no \
		--callgrind-out-file="$out" "$program" safe \
		>/dev/null 2>"$out.log" || {
			cat "$out.log" >&2
			exit 1
		}
	# An object's instructions: those not of a call's own line.
	awk -F= '
	$1 == "ob" { object = $2 }
	$1 == "cfn" { called = $2 }
	$1 == "calls" {
		split($2, n, " ")
		if (called ~ /^(__)?mem(cpy|move)/)
			copies += n[1]
		getline
		next
	}
	/^0x/ { split($0, f, " "); if (object) print object, f[1], f[3] }
	END { print "copy", "copy", copies + 0 }' "$out" >"$out.instr"
	awk '$1 == "copy" { print "copy", $3 }' "$out.instr"
	while read -r object; do
		file=$object
		if [ $in_root = yes ] && [ -e "$("$root" path)$object" ]; then
			file=$("$root" path)$object
		fi
		awk -v object="$object" '
		NR == FNR { kind[$1] = $2; next }
		$1 == object && $2 in kind { sum[kind[$2]] += $3 }
		END { for (k in sum) print k, sum[k] }' \
			<(kinds "$file") "$out.instr"
	done < <(awk '$1 != "copy" { print $1 }' "$out.instr" | sort -u)
}

# per_operation WHO FUNCTION: its doorbells, fences, atomics and copies.
per_operation()
{
	special "$1" "$2" >"$work/special"
	awk -v name="$2" '
	$1 == "doorbells" && $2 == name { bells = $3; rung = $4 }
	$1 == name { ops += $3 }
	FILENAME ~ /special$/ { sum[$1] += $2 }
	END {
		printf rung ? "%8.2f" : "%8s", rung ? bells / rung : "-"
		printf "%8.2f%8.2f%8.2f", sum["fence"] / ops, \
			sum["atomic"] / ops, sum["copy"] / ops
	}' "$work/$1.next.safe.counts" "$work/special"
}

special_table()
{
	local name text

	printf '\n%-32s %s\n%-32s %s' "" "this" \
		"64-bit IDs, FI_THREAD_SAFE" \
		"doorbell  fence  atomic  copy"
	[ $in_root = no ] || printf '   in-tree: the same'
	printf '\n'
	while IFS=$'\t' read -r name text; do
		[ -n "$name" ] || continue
		printf '%-32s' "$text"
		per_operation ours "$name"
		[ $in_root = no ] || per_operation theirs "$name"
		printf '\n'
	done <<<"$(grep -v 'read_\|readfrom_\|post_read' <<<"$names"
		grep 'read_recv\|read_send_batch\|nothing' <<<"$names")"
}

# memory_table: of this machine's provider, or of both in the root.
memory_table()
{
	place ours "$softefa" run -- "$memory" >"$work/memory.ours" || {
		cat "$work/memory.ours"
		echo "op_cost.sh: memory is out of proportion" >&2
		exit 1
	}
	: >"$work/memory.theirs"
	[ $in_root = no ] || place theirs "$softefa" run -- "$memory" \
		>"$work/memory.theirs"
	printf '\n%-40s %9s %9s\n' "bytes of memory" this in-tree
	awk -F'\t' 'NF == 2 && NR == FNR { other[$1] = $2; next }
	NF == 2 {
		printf "%-40s %9d %9s\n", $1, $2, \
			$1 in other ? other[$1] : "-"
	}' "$work/memory.theirs" "$work/memory.ours"
}

echo "instructions per operation of efa-direct"
table next safe "64-bit IDs, FI_THREAD_SAFE"
table next domain "64-bit IDs, FI_THREAD_DOMAIN"
table 0xefa3 safe "16-bit IDs, FI_THREAD_SAFE"
table 0xefa3 domain "16-bit IDs, FI_THREAD_DOMAIN"
echo
echo "of each operation"
special_table
memory_table
