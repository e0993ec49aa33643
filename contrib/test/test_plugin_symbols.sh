#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The plugin as the dynamic linker sees it: it exports fi_prov_ini and nothing
# else, names libfabric.so.1 as needed, takes from it only what every libfabric
# since 1.0 has under the version node FABRIC_1.0, and links neither libibverbs
# nor libefa, which it opens at run time.

set -eu

NM=${NM:-nm}
plugin=$TOP_BUILDDIR/.libs/libefa-fi.so

# faults FILE: prints a line for each thing wrong with the shared object FILE.
faults()
{
	local exported newer needed

	exported=$($NM -D --defined-only "$1" |
		awk '$2 != "A" { sub(/@.*/, "", $NF); printf "%s ", $NF }')
	[ "$exported" = "fi_prov_ini " ] ||
		echo "exports ${exported}instead of fi_prov_ini alone"

	newer=$($NM -D --undefined-only --with-symbol-versions "$1" |
		awk '$NF ~ /@FABRIC_/ && $NF !~ /@FABRIC_1\.0$/ { printf "%s ", $NF }')
	[ -z "$newer" ] || echo "takes re-versioned symbols: $newer"

	newer=$($NM -D --undefined-only --with-symbol-versions "$1" |
		awk '$NF ~ /^(fi_|ofi_|ibv_|efadv_)/ && $NF !~ /@/ { printf "%s ", $NF }')
	[ -z "$newer" ] || echo "leaves unresolved: $newer"

	needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	grep -qx 'libfabric\.so\.1' <<<"$needed" ||
		echo "does not name libfabric.so.1 as needed"
	! grep -E '^lib(ibverbs|efa)\.' <<<"$needed" >/dev/null ||
		echo "links libibverbs or libefa"
}

# The check itself: a library with every fault has every fault found.
seed_faults()
{
	local dir=$1 found

	cat >"$dir/bad.c" <<-END
	void fi_freeinfo(void *info);
	void ibv_nowhere(void);
	void fi_prov_ini(void);
	void other(void);
	void fi_prov_ini(void) { fi_freeinfo(0); ibv_nowhere(); }
	void other(void) { }
	END
	cat >"$dir/stub.c" <<-END
	void fi_freeinfo(void *info);
	void fi_freeinfo(void *info) { (void)info; }
	END
	echo 'FABRIC_1.6 { global: fi_freeinfo; local: *; };' >"$dir/stub.map"
	$CC -shared -fPIC -o "$dir/libstub.so" "$dir/stub.c" \
		-Wl,-soname,libefa.so.1 -Wl,--version-script="$dir/stub.map"
	$CC -shared -fPIC -o "$dir/bad.so" "$dir/bad.c" "$dir/libstub.so"
	found=$(faults "$dir/bad.so" | wc -l)
	[ "$found" = 5 ] || {
		echo "found $found of 5 seeded faults"
		faults "$dir/bad.so"
		exit 1
	}
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed_faults "$dir"
[ -e "$plugin" ] || { echo "$plugin is missing: run make first"; exit 1; }
faults "$plugin" >"$dir/found"
cat "$dir/found"
[ ! -s "$dir/found" ]
