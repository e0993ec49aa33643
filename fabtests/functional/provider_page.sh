#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# libfabric-efa(7) names what the provider takes, all of it and nothing else:
# variables, options with their types and directions, commands of fi_control,
# tables of fi_open_ops. What there is fabtests/functional/offered_names finds
# by trying every number.
#
#	SOFTEFA		the command softefa, which gives the devices
#	TOP_SRCDIR	the source tree, TOP_BUILDDIR the build's

set -u

source=${TOP_SRCDIR:-$(dirname "$0")/../../..}
build=${TOP_BUILDDIR:-.}
page=$source/man/libfabric-efa.7
header=$source/include/rdma/fi_ext_efa.h
failures=0

if [ ! -x "$build/fabtests/functional/offered_names" ]; then
	echo "skipped: no offered_names in $build (TOP_BUILDDIR)"
	exit 77
fi
there=$("$source/contrib/softefa/test/run_on_softefa" \
	"$build/fabtests/functional/offered_names")
case $? in
0) ;;
77) echo "$there"; exit 77 ;;
*) echo "FAILED: offered_names: $there"; exit 1 ;;
esac

# Lines of the page from the one that matches $1 to before that of $2.
part()
{
	sed -n "/$1/,/$2/{/$2/!p;}" "$page"
}

# same WHAT: descriptor 3 has what there is, 4 what the page says.
same()
{
	local there said

	there=$(sort -u <&3)
	said=$(sort -u <&4)
	if [ -z "$there" ] || [ "$there" != "$said" ]; then
		echo "FAILED: $1 (< there is, > the page says)"
		diff <(echo "$there") <(echo "$said") | grep '^[<>]'
		failures=$((failures + 1))
	fi
}

offered()
{
	sed -n "s/^$1 //p" <<<"$there"
}

# ".It Dv A , B Pq Vt int , No get only" as "A int get" and "B int get".
documented_options()
{
	part '^\.Sh OPTIONS' '^\.Sh EXAMPLES' |
		sed -n 's/^\.It Dv \(FI_OPT.*\) Pq Vt \([a-z_]*\)/\1|\2|/p' |
		while IFS='|' read -r names type rest; do
			case $rest in
			*'get only'*) ways='get' ;;
			*'set only'*) ways='set' ;;
			*) ways='get set' ;;
			esac
			for name in ${names//,/ }; do
				echo "$name $type $ways"
			done
		done
}

# ".It Dv A , B Pq endpoint , event queue" as "endpoint A" and so on.
documented_commands()
{
	part '^\.Sh OPTIONS' '^\.Sh EXAMPLES' |
		sed -n 's/^\.It Dv \(FI_[A-Z , _]*\) Pq \([a-z ,]*\)$/\1|\2/p' |
		while IFS='|' read -r names objects; do
			tr ',' '\n' <<<"$objects" | while read -r object; do
				for name in ${names//,/ }; do
					echo "${object// /_} $name"
				done
			done
		done
}

# The paragraph of fi_open_ops.
tables()
{
	part '^\.Fn fi_open_ops' '^\.Sh EXAMPLES'
}

same 'variables of the environment' 3< <(offered variable) \
	4< <(part '^\.Sh ENVIRONMENT' '^\.Sh OPTIONS' |
		grep -o 'FI_EFA_[A-Z0-9_]*')
same 'options of endpoints' 3< <(offered option) 4< <(documented_options)
same 'commands of fi_control' 3< <(offered control) \
	4< <(documented_commands)
same 'tables of fi_open_ops' 3< <(offered ops | sed 's/.* //') \
	4< <(tables | grep -o 'FI_EFA_[A-Z]*_OPS')
same 'tables of the header' \
	3< <(sed -n 's/^#define \(FI_EFA_[A-Z]*_OPS\).*/\1/p' "$header") \
	4< <(tables | grep -o 'FI_EFA_[A-Z]*_OPS')
same 'calls of the tables' \
	3< <(sed -n 's/.*(\*\([a-z_]*\))(.*/\1/p' "$header" | grep _) \
	4< <(tables | grep -o '[a-z][a-z]*_[a-z_]*' | grep -v '^fi_\|^softefa')

if [ "$failures" != 0 ]; then
	echo "$failures lists of libfabric-efa(7) are not true"
	exit 1
fi
echo "libfabric-efa(7) names what there is"
