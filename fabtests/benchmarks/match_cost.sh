#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# match_cost.sh: instructions that a match takes in the RDM endpoints' tag
# matching, counted by callgrind, with 1 to 100000 receives or unexpected
# messages outstanding. Run in the build tree. Fails when a row grows with the
# number outstanding: the most must not be over twice the least and 40 more,
# which is what more kinds of receives and a longer chain in a hash may cost.

set -eu

program=$PWD/fabtests/benchmarks/match_cost

[ -x "$program" ] || {
	echo "match_cost.sh: no $program; run make bench-match-cost in the build tree" >&2
	exit 1
}
command -v callgrind_annotate >/dev/null || {
	echo "skipped: callgrind_annotate is not there; install valgrind" >&2
	exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/match_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT

# count OUTSTANDING: "function outstanding cost" lines.
count()
{
	local out=$work/$1

	valgrind --tool=callgrind -q --toggle-collect='cost_*' \
		--callgrind-out-file="$out" "$program" "$1" >"$out.counts"
	callgrind_annotate --inclusive=yes --threshold=100 "$out" \
		>"$out.annotated"
	awk -v outstanding="$1" '
	NR == FNR {
		ops[$1] = $2
		next
	}
	match($0, /match_cost\.c:cost_[a-z_]*/) {
		name = substr($0, RSTART + 13, RLENGTH - 13)
		gsub(",", "", $1)
		if ($1 + 0 > cost[name])
			cost[name] = $1 + 0
	}
	END {
		for (name in ops)
			printf "%s %d %.1f\n", name, outstanding, \
				cost[name] / ops[name]
	}' "$out.counts" "$out.annotated"
}

numbers='1 10 100 1000 10000 100000'
for number in $numbers; do
	count "$number"
done >"$work/costs"

echo "instructions per match, by receives or messages outstanding"
awk -F'\t' -v costs="$work/costs" -v numbers="$numbers" '
BEGIN {
	while ((getline line <costs) > 0) {
		split(line, part, " ")
		cost[part[1], part[2]] = part[3]
	}
	n = split(numbers, number, " ")
	printf "%-51s", ""
	for (i = 1; i <= n; i++)
		printf " %7d", number[i]
	print ""
}
{
	printf "%-51s", $2
	least = most = cost[$1, number[1]]
	for (i = 1; i <= n; i++) {
		this = cost[$1, number[i]]
		printf " %7.1f", this
		least = this < least ? this : least
		most = this > most ? this : most
	}
	print ""
	if (!least || most > 2 * least + 40) {
		print "match_cost.sh: that grows" >"/dev/stderr"
		grows = 1
	}
}
END { exit grows }' <<'ROWS'
cost_arrive_tags	message takes 1 of N receives, tags differ
cost_arrive_queue	message takes the first of N of one tag
cost_arrive_kinds	message takes 1 of N, any source and tag among them
cost_arrive_unexpected	message takes none of N receives
cost_post_tags	receive takes 1 of N unexpected messages
cost_post_any	receive of any source and tag takes the first of N
cost_post_nothing	receive takes none of N messages
ROWS
