#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# softefa(1) names what the commands take, all of it and nothing else:
# commands, options, capabilities, limits, rules, faults, records, variables.
# What there is the commands say themselves, in their help and when one is
# asked for something that there is not.
#
#	SOFTEFA		the command
#	TOP_SRCDIR	the source tree

set -u

softefa=${SOFTEFA:-softefa}
source=${TOP_SRCDIR:-$(dirname "$0")/../../..}
page=$source/man/softefa.1
failures=0

if ! command -v "$softefa" >/dev/null; then
	echo "skipped: $softefa is not an executable (SOFTEFA)"
	exit 77
fi

# Lines of the page from the one that matches $1 to before that of $2.
part()
{
	sed -n "/$1/,/$2/{/$2/!p;}" "$page"
}

# Names after the macro $1 of lines "$2$1 NAME , NAME ...", $2 as ".It ".
named()
{
	sed -n "s/^\.\($2\)$1 //p" | sed 's/ \(Ar\|Ns\|Op\|Oo\|Pq\|No\) .*//;
		s/ , / /g; s/ [,.]$//; s/\\&//g' | tr ' ' '\n' |
		grep -v '^Fl$' | sed 's/^-//' | grep .
}

# Options of a part, wherever they are named.
options_of()
{
	grep -o 'Fl -[a-z-]*' | sed 's/Fl -//'
}

# What the remedy for a wrong command line lists after the words $1.
offered()
{
	local after=$1

	shift
	"$softefa" "$@" -- true 2>&1 </dev/null | sed -n "s/.*$after//p" |
		tr -d ',' | tr ' ' '\n' | grep .
}

# same WHAT: descriptor 3 has what there is, 4 what the page says.
same()
{
	local there said

	there=$(sort -u <&3)
	said=$(sort -u <&4)
	if [ -z "$there" ] || [ -z "$said" ]; then
		echo "FAILED: $1: there is \"$there\", the page says \"$said\""
		failures=$((failures + 1))
	elif [ "$there" != "$said" ]; then
		echo "FAILED: $1 (< there is, > the page says)"
		diff <(echo "$there") <(echo "$said") | grep '^[<>]'
		failures=$((failures + 1))
	fi
}

help=$("$softefa" --help)

same commands 3< <(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' <<<"$help") \
	4< <(part '^\.Ss Commands' '^\.Ss Options' | named Cm 'It ')
same options 3< <(grep -o -- '--[a-z][a-z-]*' <<<"$help" | sed 's/--//') \
	4< <(part '^\.Ss Commands' '^\.Ss Processes' | grep '^\.It Fl' |
		options_of)
same capabilities 3< <(offered 'of: ' run --caps none) \
	4< <(part '^\.It Fl -caps' '^\.It Fl -limit' | named Li '' |
		grep -v _)
same limits 3< <(offered 'one of: ' run --limit none=1) \
	4< <(part '^\.It Fl -limit' '^\.It Fl -rule' | named Li 'It ')
same 'rules of the device' 3< <(offered 'one of ' run --allow none) \
	4< <(part '^\.Ss Rules of' '^\.Ss Counters' | named Li 'It ')
same 'kinds of faults' 3< <(offered 'there are: ' run --fault none) \
	4< <(part '^\.Ss Kinds' '^\.Ss Fault examples' |
		sed 's/^\(\.It Cm [a-z-]*\) .*/\1/' | named Cm 'It ')
same 'conditions of trace print' \
	3< <("$softefa" trace print /dev/null --none 1 2>&1 |
		sed -n '/remedy/s/--/\n--/gp' | sed -n 's/^--\([a-z-]*\).*/\1/p') \
	4< <(part '^\.Ss Printing' '^\.Sh HOSTS' | options_of)
same 'kinds of records' \
	3< <("$softefa" trace print /dev/null --kind none 2>&1 |
		sed -n 's/.*commas, of //p' | tr -d ',' | tr ' ' '\n') \
	4< <(part '^\.Ss Records' '^\.Ss Printing' | grep '^\.It' |
		grep -o 'Li [a-z].*\|Cm [a-z].*' | sed 's/^Li //; s/ , /\n/g')
same variables \
	3< <(cat "$source"/contrib/softefa/{cli,shim}/*.c |
		grep -oE '(env\(|value_of\([^,]*, )("[A-Z_]+"|SOFTEFA_ENV[A-Z_]+)' |
		sed 's/.*[( ]//; s/"//g; s/SOFTEFA_ENV_/SOFTEFA_/' |
		grep -v '^PATH$') \
	4< <(part '^\.Sh ENVIRONMENT' '^\.Sh EXIT' |
		sed -n 's/^\.\(It \)\?Ev \([A-Z_]*\).*/\2/p')

rawpeer=${softefa%softefa}softefa-rawpeer
if [ -x "$rawpeer" ]; then
	same 'options of softefa-rawpeer' \
		3< <("$rawpeer" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p') \
		4< <(part '^\.Ss Arbitrary packets' '^\.Sh FAULTS' |
			options_of)
fi

if [ "$failures" != 0 ]; then
	echo "$failures lists of softefa(1) are not true"
	exit 1
fi
echo "softefa(1) names what there is"
