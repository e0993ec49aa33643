#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""contrib/check-layers finds one seeded violation of each kind, and none in
a tree that has the same files without it."""

import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.environ.get("TOP_SRCDIR") or os.path.dirname(os.path.dirname(
    os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(TOP, "contrib/check-layers")
SPDX = "/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */\n"
SRC = "prov/efa/src/"
SOFTEFA = "contrib/softefa/"

# A small tree in good order; each case changes one of its files.
GOOD = {
    SRC + "util/ring.h": SPDX + "int util_ring_size(void);\n",
    SRC + "util/ring.c": SPDX + '#include "util/ring.h"\n'
                         "int util_ring_size(void)\n{\n\treturn 1;\n}\n",
    SRC + "hw/queue.h": SPDX + "int hw_queue_size(void);\n",
    SRC + "hw/queue.c": SPDX + '#include "hw/queue.h"\n'
                        '#include "util/ring.h"\n'
                        "int hw_queue_size(void)\n{\n"
                        "\treturn util_ring_size();\n}\n",
    SRC + "hw/efa_io_defs.h": SPDX,
    SRC + "dev/pair.h": SPDX + "int dev_pair_open(void);\n",
    SRC + "dev/pair.c": SPDX + '#include "hw/queue.h"\n'
                        "int dev_pair_open(void)\n{\n"
                        "\treturn hw_queue_size();\n}\n",
    SOFTEFA + "protocol.h": SPDX,
    SOFTEFA + "engine/engine.h": SPDX + '#include "hw/efa_io_defs.h"\n',
    SOFTEFA + "daemon/session.h": SPDX + '#include "engine/engine.h"\n'
                                  '#include "protocol.h"\n',
    SOFTEFA + "cli/run.sh": "#!/bin/sh\n# " + SPDX[3:-4] + "\n",
    SOFTEFA + "shim/hook.c": SPDX + '#include "protocol.h"\n',
}


def violations(changes):
    """What check-layers prints for GOOD with the changes, and its status."""
    with tempfile.TemporaryDirectory() as tree:
        for path, text in {**GOOD, **changes}.items():
            path = os.path.join(tree, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, SCRIPT, tree], text=True,
                              stdout=subprocess.PIPE, check=False)
    lines = done.stdout.splitlines()
    assert lines[-1].endswith("%d violations" % (len(lines) - 1)), lines
    return lines[:-1], done.returncode


class CheckLayers(unittest.TestCase):
    def expect(self, changes, *fragments):
        found, status = violations(changes)
        self.assertEqual(status, 1, found)
        self.assertEqual(len(found), 1, found)
        for fragment in fragments:
            self.assertIn(fragment, found[0])

    def expect_none(self, changes):
        self.assertEqual(violations(changes), ([], 0))

    def test_good_tree(self):
        self.expect_none({})

    def test_upward_include(self):
        path = SRC + "util/ring.h"
        self.expect({path: GOOD[path] + '#include "hw/queue.h"\n'},
                    path + ":3", "upward include of hw/queue.h")

    def test_upward_include_by_relative_path(self):
        path = SRC + "util/ring.h"
        self.expect({path: GOOD[path] + '#include "../dev/pair.h"\n'},
                    "upward include", "util comes before dev")

    def test_upward_include_of_rdm(self):
        self.expect({SRC + "dev/pair.h": SPDX + '#include "rdm/peer.h"\n',
                     SRC + "rdm/peer.h": SPDX},
                    "dev comes before rdm")

    def test_softefa_upward_include(self):
        path = SOFTEFA + "engine/engine.h"
        self.expect({path: SPDX + '#include "daemon/session.h"\n'},
                    "engine comes before daemon")

    def test_engine_includes_plugin(self):
        path = SOFTEFA + "engine/engine.h"
        self.expect({path: SPDX + '#include "util/ring.h"\n'},
                    "share prov/efa/src/hw/efa_io_defs.h alone")

    def test_shim_stands_apart(self):
        path = SOFTEFA + "shim/hook.c"
        self.expect({path: SPDX + '#include "engine/engine.h"\n'},
                    "the shim stands apart")

    def test_hw_includes_libfabric(self):
        path = SRC + "hw/queue.h"
        self.expect({path: SPDX + "#include <rdma/fabric.h>\n"},
                    "foreign include of rdma/fabric.h")

    def test_upward_call_without_include(self):
        path = SRC + "util/ring.c"
        self.expect({path: SPDX + "int dev_pair_open(void);\n"
                           "int util_ring_size(void)\n{\n"
                           "\treturn dev_pair_open();\n}\n",
                     SRC + "hw/queue.c": SPDX},
                    "upward call: util_ring_size() calls dev_pair_open()")

    def test_call_cycle_of_two(self):
        self.expect({SRC + "dev/a.c": SPDX + "void dev_a(void)\n"
                                      "{\n\tdev_b();\n}\n",
                     SRC + "dev/b.c": SPDX + "void dev_b(void)\n"
                                      "{\n\tdev_a();\n}\n"},
                    "call cycle", "dev_a() calls dev_b()",
                    "dev_b() calls dev_a()")

    def test_call_cycle_of_three(self):
        body = "void dev_%s(void)\n{\n\tdev_%s();\n}\n"
        self.expect({SRC + "dev/a.c": SPDX + body % ("a", "b"),
                     SRC + "dev/b.c": SPDX + body % ("b", "c"),
                     SRC + "dev/c.c": SPDX + body % ("c", "a")},
                    "call cycle", "dev_c() calls dev_a()")

    def test_call_cycle_through_inline_in_header(self):
        self.expect({SRC + "dev/a.h": SPDX + "static inline int dev_a(void)\n"
                                      "{\n\treturn dev_b();\n}\n",
                     SRC + "dev/b.c": SPDX + "struct b *dev_b(int x)\n"
                                      "{\n#if X\n\tif (x) {\n#else\n"
                                      "\tif (!x) {\n#endif\n"
                                      "\t\tdev_a();\n\t}\n}\n"},
                    "call cycle")

    def test_what_is_no_call(self):
        self.expect_none({
            SRC + "dev/a.c": SPDX + "/* dev_b() */\n"
                             "static const struct ops ops = {\n"
                             "\t.open = dev_b,\n};\n"
                             'void dev_a(void)\n{\n\tputs("dev_b()");\n}\n',
            SRC + "dev/b.c": SPDX + "static void twice(void)\n{\n}\n"
                             "void dev_b(void)\n{\n\tdev_a();\n}\n",
            SRC + "dev/c.c": SPDX + "static void twice(void)\n{\n}\n"
                             "void dev_c(void)\n{\n\ttwice();\n}\n"})

    def test_long_file(self):
        path = SRC + "dev/long.h"
        self.expect({path: SPDX + "int x;\n" * 800},
                    path, "long file: 801 lines")
        self.expect_none({path: SPDX + "int x;\n" * 799,
                          SRC + "dev/layout_defs.h": SPDX + "int x;\n" * 900})

    def test_long_function(self):
        text = SPDX + "int dev_long(void)\n{\n%s\treturn 0;\n}\n"
        path = SRC + "dev/long.c"
        self.expect({path: text % ("\tstep();\n" * 97)},
                    path + ":2", "dev_long() has 101 lines")
        self.expect_none({path: text % ("\tstep();\n" * 96)})

    def test_empty_names(self):
        for word in ("utils", "common", "misc", "helpers", "internal"):
            self.expect({SRC + "dev/pair_%s.h" % word: SPDX},
                        "empty name: '%s'" % word)

    def test_name_taken(self):
        self.expect({SOFTEFA + "engine/pair.c": SPDX}, "name taken")

    def test_no_licence(self):
        path = SRC + "dev/pair.h"
        self.expect({path: GOOD[path].replace(SPDX, "")},
                    path, "no licence")
        path = SOFTEFA + "cli/run.sh"
        self.expect({path: "#!/bin/sh\n"}, path, "no licence")

    def test_empty_tree_is_an_error(self):
        with tempfile.TemporaryDirectory() as tree:
            done = subprocess.run([sys.executable, SCRIPT, tree],
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
