# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A private apt root for another Debian suite: its own sources, lists and
# cache, so that the machine's package configuration stays as it is.  The
# mirror, its key and its options are those the machine already uses for its
# own suite.  Sourced after say.sh.

# private_apt_create DIR SUITE: makes DIR and reads SUITE's package lists
# into it; `private_apt DIR` then runs apt-get on them.  Dies when the
# machine has no Debian mirror or the mirror has no such suite.
private_apt_create()
{
	local dir=$1 suite=$2

	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/etc"
	: >"$dir/log"
	machine_sources | suite_stanza "$(machine_codename)" "$suite" \
		>"$dir/etc/suite.sources"
	[ -s "$dir/etc/suite.sources" ] || die \
		"no Debian mirror of $(machine_codename) in /etc/apt/sources.list*" \
		"add one: deb http://deb.debian.org/debian $(machine_codename) main"
	logged "$dir/log" "reading the package lists of Debian $suite" \
		private_apt "$dir" update -q ||
		die "the machine's Debian mirror does not give suite $suite" \
		    "see apt's message above"
}

# private_apt DIR ARGUMENT...: apt-get on the private root.
private_apt()
{
	local dir=$1

	shift
	apt-get -o Dir::Etc::sourcelist="$dir/etc/suite.sources" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$dir/lists" \
		-o Dir::Cache="$dir/cache" \
		-o APT::Sandbox::User=root \
		-o APT::Update::Error-Mode=any \
		-o Acquire::Languages=none "$@" </dev/null
}

machine_codename()
{
	# shellcheck disable=SC1091
	(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-unknown}")
}

# machine_sources: every source of the machine in deb822 form.
machine_sources()
{
	local file

	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -r "$file" ] || one_line_to_stanza <"$file"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -r "$file" ] || { sed '/^[[:space:]]*#/d' "$file"; echo; }
	done
}

# One-line sources ("deb [options] URI suite component...") as stanzas.
one_line_to_stanza()
{
	awk '$1 == "deb" {
		signed = ""; trusted = ""; i = 2
		if ($2 ~ /^\[/) {
			for (; i <= NF; i++) {
				word = $i
				gsub(/[][]/, "", word)
				if (word ~ /^signed-by=/)
					signed = substr(word, 11)
				if (word ~ /^trusted=/)
					trusted = substr(word, 9)
				if ($i ~ /\]$/) { i++; break }
			}
		}
		printf "Types: deb\nURIs: %s\nSuites: %s\n", $i, $(i + 1)
		if (signed != "") printf "Signed-By: %s\n", signed
		if (trusted != "") printf "Trusted: %s\n", trusted
		print ""
	}'
}

# suite_stanza CODENAME SUITE: of the stanzas on stdin the first one for
# CODENAME, made to name SUITE's binary and source packages instead.
suite_stanza()
{
	awk -v codename="$1" -v suite="$2" '
	function has_suite(line,    word, n, i) {
		n = split(line, word, /[ \t]+/)
		for (i = 2; i <= n; i++)
			if (word[i] == codename)
				return 1
		return 0
	}
	function finish() {
		if (!done && match_suite && uris != "") {
			printf "Types: deb deb-src\n%sSuites: %s\n", uris, suite
			printf "Components: main\n%s", kept
			done = 1
		}
		match_suite = 0; uris = ""; kept = ""; field = ""
	}
	/^[ \t]*$/ { finish(); next }
	/^[^ \t]/ { field = tolower($1) }
	field == "suites:" && has_suite($0) { match_suite = 1 }
	field == "uris:" { uris = uris $0 "\n" }
	field == "signed-by:" || field == "trusted:" { kept = kept $0 "\n" }
	END { finish() }'
}
