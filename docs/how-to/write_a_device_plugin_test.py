#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/write-a-device-plugin.md to the letter, and does what its table says is watched. Arguments: ETALON."""
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "docs"))
from page import Page, edit  # noqa: E402

ETALON = pathlib.Path(sys.argv[1])
COPIED = "  if (x->bytes > 0)"  # of run_copy
# Status of the page's table -> a line for run_copy that brings it about.
MISTAKES = {
    "device_lost": "  if (x->bytes > 0) __builtin_trap();\n",
    "timeout": "  for (volatile int busy = 1; busy;) {\n  }\n",
    "device_broken": "  ((char *)(uintptr_t)y->address)[y->bytes] ^= 1;\n",
    "completed": "  ((char *)(uintptr_t)y->address)[3] ^= 1;\n",
    "not_supported": '  return etalon_set_text(error, ETALON_NOT_SUPPORTED, "not today");\n',
    "device_refused": '  return etalon_set_text(error, ETALON_INVALID, "odd");\n',
    "device_failed": '  return etalon_set_text(error, ETALON_FAILED, "the bus hangs");\n',
}


class WriteADevicePlugin(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        # As a reader would, with the tool on the path.
        environment = os.environ | {"PATH": f"{ETALON.parent}:{os.environ['PATH']}", "ETALON": str(SOURCE),
                                    "TEMPLATE": str(SOURCE / "validation/plugins/template")}
        self.page = Page(SOURCE / "docs/how-to/write-a-device-plugin.md", environment)

    def test_the_page_leads_to_a_device_with_two_operators(self):
        self.assertEqual([kind for kind, _ in self.page.actions()], ["command"] * 5 + ["edit"] * 3 + ["command"] * 2)
        self.assertIn("check mul_add_relu: passed, 4200 of 4200 elements right", self.page.follow(self.folder))
        said = json.loads(self.page.run("etalon devices plugin:./mydevice.so --json", self.folder))
        self.assertEqual(said["description"]["operators"], ["copy", "mul_add_relu"])

    def test_the_template_works_as_it_is(self):
        printed = [self.page.run(command, self.folder) for command in self.page.commands()[:5]]
        self.assertIn("template: The device of the how-to", printed[3])
        self.assertIn("check copy: passed, 1000 of 1000", printed[4])

    def test_what_the_page_says_is_watched_is(self):
        copy, spec, build, _, run = self.page.commands()[:5]
        for status, line in MISTAKES.items():
            with self.subTest(status):
                self.assertIn(f"`{status}`", self.page.text)
                self.page.run(copy + " && " + spec, self.folder)
                edit(self.folder, "mydevice.c", "after", COPIED, line)
                self.page.run(build, self.folder)
                printed = self.page.run(run + " --json --timeout 1", self.folder, expect=1)
                self.assertEqual(json.loads(printed)["status"], status)

    def test_the_files_it_names_are_there(self):
        for name in re.findall(r"`((?:isa|kernels|validation)/[\w/.]+)`", self.page.text):
            self.assertTrue((SOURCE / name).exists(), name)
        lines = len((SOURCE / "validation/plugins/cpu.c").read_text().splitlines())
        self.assertLessEqual(lines, 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
