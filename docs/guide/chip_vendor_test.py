#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/guide/chip-vendor.md do what it says. Arguments: ETALON CPU_PLUGIN FUNCTIONAL_PLUGIN.

Its last two, which install and configure a project, are examples/install_test.py's.
"""
import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "docs"))
from page import Page  # noqa: E402

ETALON, CPU, FUNCTIONAL = map(pathlib.Path, sys.argv[1:4])


class ChipVendor(unittest.TestCase):
    def setUp(self):
        environment = os.environ | {"PATH": f"{ETALON.parent}:{os.environ['PATH']}", "PLUGINS": str(CPU.parent), "MODEL": str(FUNCTIONAL.parent)}
        self.page = Page(SOURCE / "docs/guide/chip-vendor.md", environment)

    def test_the_commands_work(self):
        commands = self.page.commands()
        self.assertEqual([c.split()[0] for c in commands], ["etalon"] * 4 + ["cmake"] * 2)
        printed = [self.page.run(command, SOURCE) for command in commands[:4]]
        self.assertIn("  cores      2", printed[2])
        self.assertIn("check mul_add_relu: passed, 6400 of 6400 elements right (replay)", printed[3])

    def test_what_it_links_to_is_there(self):
        links = re.findall(r"\]\(([^)]+)\)", self.page.text)
        self.assertGreater(len(links), 4)
        for link in links:
            self.assertTrue((SOURCE / "docs/guide" / link).resolve().exists(), link)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
