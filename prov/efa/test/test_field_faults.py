#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""prov/efa/field_faults.md is true: each class of fault has a row, each file
of a row is run by `make check`, by itself or by the script in the row, and
has the places that are named in it.

TOP_SRCDIR names the source tree."""

import glob
import os
import re
import sys

TOP = os.environ.get("TOP_SRCDIR") or os.path.dirname(os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGE = "prov/efa/field_faults.md"
CLASSES = {
    "A": [1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 14, 15],
    "D": [1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13],
    "E": [1, 2, 3, 4, 6, 8, 9, 10],
    "F": [1, 2, 3, 4, 5, 6, 7],
    "G": [1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16],
    "I": [1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15],
    "J": [1, 2, 3, 4, 5, 7, 8, 9, 11],
    "K-": [1, 2, 3, 4, 6],
    "L": [2, 3, 4, 6],
}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def run_by_make():
    """What the makefiles have in TESTS; programs without their .c."""
    names = set()
    paths = ["Makefile.am"]
    for place in ["fabtests", "contrib", "contrib/softefa/*",
                  "prov/efa/src/*"]:
        paths += glob.glob(os.path.join(TOP, place, "Makefile.inc"))
    for path in paths:
        text = read(path).replace("\\\n", " ")
        for line in re.findall(r"^\w*(?:TESTS|tests) \+?= (.*)$", text, re.M):
            names.update(line.split())
    return names


def rows(text):
    """(class, last cell) of each row."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if re.match(r"\| [A-L]-?\d+ \| ", line) and len(cells) == 3:
            yield cells[0], cells[2].rstrip(" |")


def check_row(name, cell, tests):
    places = re.findall(r"`([^`]+)` \(([^)]*)\)", cell)
    if not places:
        yield "no test is named"
    for path, marks in places:
        if not os.path.exists(os.path.join(TOP, path)):
            yield "there is no %s" % path
            continue
        if re.sub(r"\.c$", "", path) not in tests:
            yield "make check does not run %s" % path
        for mark in re.findall(r"`([^`]+)`", marks):
            if mark not in read(path):
                yield "%s has no %s" % (path, mark)


def problems(text):
    tests = run_by_make()
    wanted = [letter + str(n) for letter, numbers in CLASSES.items()
              for n in numbers]
    others = text.partition("## Of other parts")[2]
    there = re.findall(r"\b[A-L]\d+\b", others)
    told = []
    for name, cell in rows(text):
        there.append(name)
        told += ["%s: %s" % (name, why)
                 for why in check_row(name, cell, tests)]
    for name in sorted(set(wanted + there)):
        if there.count(name) != wanted.count(name):
            told.append("%s is there %d times, not %d" %
                        (name, there.count(name), wanted.count(name)))
    return told


def spoilt(text):
    """Texts with one thing wrong each, which must be noticed."""
    yield text.replace("| D13 |", "| D14 |")
    yield text.replace("A9, ", "")
    yield text.replace("`check_orders`", "`check_borders`")
    yield text.replace("test_mr.c", "test_mister.c")
    yield text.replace("functional/counters.c", "functional/fabric_endpoint.c")
    yield text.replace("`--qpn-start 65000", "`--qpn-start 65001")


def main():
    text = read(PAGE)
    told = problems(text)
    for wrong in spoilt(text):
        if wrong == text or not problems(wrong):
            told.append("a wrong table is not noticed")
    for line in told:
        print("%s: %s" % (PAGE, line))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
