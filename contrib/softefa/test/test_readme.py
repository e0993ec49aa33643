#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""README.md's tables are true: a row for each knob, for each completion
status of the device and for each module of the engine without a test of its
name; each place of a row is there, and `make check` runs it.

TOP_SRCDIR names the source tree."""

import glob
import os
import re
import sys

TOP = os.environ.get("TOP_SRCDIR") or os.path.dirname(os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TESTS = os.path.join(TOP, "contrib/softefa/test")
KNOBS = ["K%d" % n for n in range(1, 18) if n != 16]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def statuses():
    """The numbers of the device's statuses, from the layout header."""
    text = read(os.path.join(TOP, "prov/efa/src/hw/efa_io_defs.h"))
    enum = re.search(r"enum efa_io_comp_status \{(.*?)\};", text, re.S)
    return re.findall(r"= (\d+),", enum.group(1))


def modules_without_test(make_runs):
    """Modules of the engine that no test is named after."""
    files = os.listdir(os.path.join(TOP, "contrib/softefa/engine"))
    return [file for file in files if file.endswith(".c") and
            "test_" + file[:-2] not in make_runs]


def tests_of_make():
    """What is in TESTS, as paths below TESTS, without .c."""
    found = set()
    for path in glob.glob(os.path.join(TOP, "contrib/softefa/*/Makefile.inc")):
        for name in re.findall(r"^TESTS \+= contrib/softefa/test/(\S+)$",
                               read(path), re.M):
            found.add(name)
    return found


def rows(text):
    """(first cell, last cell) of each table row."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 3:
            yield cells[0].strip("| "), cells[2].strip("| ")


def places(cell):
    """(file, [names in it]) of a cell."""
    for file, names in re.findall(r"`([^`]+)` \(([^)]*)\)", cell):
        yield file, re.findall(r"`([^`]+)`", names)


def check_row(row, cell, make_runs, told):
    files = dict(places(cell))
    if not files:
        told.append("%s: no test is named" % row)
    scripts = [read(os.path.join(TESTS, file)) for file in files
               if file in make_runs and file.endswith(".sh")]
    for file, names in files.items():
        path = os.path.join(TESTS, file)
        if not os.path.exists(path):
            told.append("%s: there is no %s" % (row, file))
            continue
        program = file[:-2] if file.endswith(".c") else file
        if program not in make_runs and \
           not any(program in script for script in scripts):
            told.append("%s: make check does not run %s; name the script "
                        "that does" % (row, file))
        text = read(path)
        told.extend("%s: %s has no %s" % (row, file, name)
                    for name in names if name not in text)


def problems(text):
    make_runs = tests_of_make()
    told = []
    seen = []
    for row, cell in rows(text):
        if row in ("knob", "status", "module") or row.startswith("---"):
            continue
        seen.append(row)
        check_row(row, cell, make_runs, told)
    wanted = KNOBS + statuses() + modules_without_test(make_runs)
    for row in sorted(set(wanted + seen)):
        if seen.count(row) != wanted.count(row):
            told.append("%s has %d rows, not %d" % (row, seen.count(row),
                                                    wanted.count(row)))
    return told


def spoilt(text):
    """Texts with one thing wrong each, which must be noticed."""
    yield text.replace("| K7 |", "| K77 |")
    yield text.replace("| 18 |", "| 17 |")
    yield text.replace("| rule.c |", "| ruler.c |")
    yield text.replace("`verbs_rnr.c`", "`verbs_rnx.c`")
    yield text.replace("`check_stale`", "`check_stole`")
    yield text.replace("`verbs_settings.sh` (`check_limits`), ", "")


def main():
    text = read(os.path.join(TESTS, "README.md"))
    told = problems(text)
    for wrong in spoilt(text):
        if wrong == text or not problems(wrong):
            told.append("a wrong table is not noticed")
    for line in told:
        print("contrib/softefa/test/README.md: %s" % line)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
