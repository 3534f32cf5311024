#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/write-a-kernel-for-several-devices.md to the letter.

usage: write_a_kernel_for_several_devices_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else it is skipped)
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/how-to/write-a-kernel-for-several-devices.md").read_text()
COMMANDS = re.findall(r"^    (etalon .*)$", PAGE, re.MULTILINE)
PROGRAM = re.search(r"```c\n(.*?)```", PAGE, re.DOTALL).group(1)
ETALON = None


class SeveralDevicesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "kernels").symlink_to(SOURCE / "kernels")

    def follow(self, program, expect=0):
        (self.folder / "shift.c").write_text(program)
        path = f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"
        texts = []
        for command in COMMANDS:
            done = subprocess.run(command, shell=True, cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=120)
            texts.append(done.stdout)
            self.assertEqual(done.returncode, expect, f"{command}\n{done.stdout}{done.stderr}")
            if expect:
                break
        return texts

    def test_the_page(self):
        self.follow(PROGRAM)
        x = numpy.arange(15).reshape(3, 5)
        self.assertEqual(numpy.load(self.folder / "y.npy").tolist(), numpy.roll(x, 1, axis=0).tolist())
        sums = numpy.load(self.folder / "sums.npy")
        expected = numpy.arange(4000, dtype=numpy.float32).reshape(4, 1000).sum(axis=0)
        self.assertEqual(sums.tolist(), [expected.tolist()] * 4)

    def test_who_reads_without_waiting_is_told_of_a_race(self):
        wait = re.search(r"  et_wait\(ARRIVED, 1\);.*\n", PROGRAM).group(0)
        reads = "  const et_view own = et_matrix_view(a->y, ET_I32, 1, a->n, a->n, 1, PIECE);\n  et_load_view(2, own);\n" \
                "  et_vext(2, 1, 1), et_tile(1, 65536, 1, 1, ET_I32), et_ld(1, 2, ET_RNE);\n"
        text, = self.follow(PROGRAM.replace(wait, reads), expect=1)
        self.assertRegex(text, r"(?s)data race\n  first        core \d of device \d tile write.*  second       core \d of device \d tile read")


if __name__ == "__main__":
    if os.environ.get("ETALON_TEST_LLVM") != "ON":
        print("skipped 1: C programs cannot be compiled here")
        sys.exit(77)
    ETALON = sys.argv.pop(1)
    unittest.main()
