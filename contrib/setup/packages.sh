# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Debian packages a script needs: installed when it runs as root, named when
# it does not.  Sourced after say.sh.

# packages_missing PACKAGE...: prints those that are not installed.
packages_missing()
{
	local package

	for package; do
		dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
			grep -q '^ii' || printf '%s\n' "$package"
	done
}

# packages_need PACKAGE...: returns with all of them installed, or dies.
packages_need()
{
	local missing

	command -v dpkg-query >/dev/null ||
		die "this script installs Debian packages, and there is no dpkg" \
		    "install what corresponds to: $*"
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] || die "not installed: ${missing[*]}" \
		"as root: apt-get install ${missing[*]}"
	say "installing ${missing[*]}"
	packages_install "${missing[@]}"
}

# packages_install PACKAGE...: installs as root, or dies.  The package lists
# are read anew once when they turn out to be missing or too old.
packages_install()
{
	local log

	log=$(mktemp)
	if ! apt_install "$@" >"$log" 2>&1; then
		say "reading the package lists"
		if ! { apt-get update -q && apt_install "$@"; } \
		     >"$log" 2>&1 </dev/null; then
			tail -n 15 "$log" >&2
			rm -f "$log"
			die "could not install: $*" \
			    "see apt's message above; check /etc/apt/sources.list*"
		fi
	fi
	rm -f "$log"
}

apt_install()
{
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends -o Dpkg::Use-Pty=0 \
		-o DPkg::Lock::Timeout=300 "$@" </dev/null
}
