#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The private apt root finds the machine's Debian mirror in both forms of
# source list, whatever stands around it, and keeps its key and trust.

set -eu

# shellcheck source=contrib/setup/say.sh
. "$TOP_SRCDIR/contrib/setup/say.sh"
# shellcheck source=contrib/setup/private_apt.sh
. "$TOP_SRCDIR/contrib/setup/private_apt.sh"

failed=0

# expect WHAT WANTED GOT
expect()
{
	[ "$2" = "$3" ] && return 0
	printf '%s\n--- wanted:\n%s\n--- got:\n%s\n' "$1" "$2" "$3"
	failed=1
}

wanted='Types: deb deb-src
URIs: http://mirror.example/debian
Suites: forky
Components: main
Signed-By: /usr/share/keyrings/debian.gpg'

expect "deb822, second stanza, two suites" "$wanted" "$(suite_stanza \
bookworm forky <<-'END'
	Types: deb
	URIs: http://security.example/debian-security
	Suites: bookworm-security
	Components: main

	Types: deb
	URIs: http://mirror.example/debian
	Suites: bookworm bookworm-updates
	Components: main contrib
	Signed-By: /usr/share/keyrings/debian.gpg
END
)"

expect "deb822, key in the stanza" 'Types: deb deb-src
URIs: http://mirror.example/debian
Suites: forky
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 key' "$(suite_stanza trixie forky <<'END'
Suites: trixie
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 key
URIs: http://mirror.example/debian
Types: deb
Components: main
END
)"

expect "one-line with options" "$wanted" "$(one_line_to_stanza <<'END' |
# deb http://old.example/debian bookworm main
deb-src http://other.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
deb [ arch=amd64 signed-by=/usr/share/keyrings/debian.gpg ] http://mirror.example/debian bookworm main
END
suite_stanza bookworm forky)"

expect "one-line, options without spaces" 'Types: deb deb-src
URIs: http://mirror.example/debian
Suites: forky
Components: main
Trusted: yes' "$(one_line_to_stanza <<'END' |
deb [trusted=yes] http://mirror.example/debian bookworm main
END
suite_stanza bookworm forky)"

expect "no mirror of this release" "" "$(one_line_to_stanza <<'END' |
deb http://mirror.example/debian bookworm-backports main
END
suite_stanza bookworm forky)"

exit $failed
