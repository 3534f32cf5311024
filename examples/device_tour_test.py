#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tour of etalon::Device on devices of the build. Arguments: SOURCE_DIR ETALON DEVICE_TOUR.

ETALON_TEST_DEVICES names the plug-ins, `cpu=PATH,...`; with ETALON_TEST_LLVM=ON the image comes from count.s.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, ETALON, TOUR = sys.argv[1:4]
sys.path.append(SOURCE + "/tools")
import elf_for_tests  # noqa: E402

DEVICES = dict(pair.split("=") for pair in os.environ["ETALON_TEST_DEVICES"].split(","))
LLVM = os.environ.get("ETALON_TEST_LLVM") == "ON"
# count.s, for builds without an assembler.
COUNT = ["csrrs x5, mhartid, x0", "bne x5, x0, 20", "ld x6, 0(x10)", "lw x7, 0(x6)", "addi x7, x7, 1", "sw x7, 0(x6)", "et.halt"]


def run(*arguments):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=120)


class Tour(unittest.TestCase):
    def tour(self, *arguments, expect=0):
        done = run(TOUR, *arguments)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def image(self, folder):
        path = pathlib.Path(folder) / "count.elf"
        if LLVM:
            done = run(ETALON, "asm", SOURCE + "/examples/device_tour/count.s", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            return path
        words = run(ETALON, "asm", *[flag for text in COUNT for flag in ("-i", text)]).stdout.split()
        path.write_bytes(elf_for_tests.image([int(word, 16) for word in words]))
        return path

    def test_an_image_counts_on_live_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.tour(DEVICES["functional"], self.image(folder)).stdout
        for launch in (1, 2, 3):
            self.assertIn(f"launch {launch}: the word is {launch}\n", text)
        self.assertRegex(text, r"(?m)^  retired_scalar [1-9]")
        self.assertRegex(text, r"(?m)^  can step$")

    def test_a_product_is_computed(self):
        text = self.tour(DEVICES["cpu"]).stdout
        self.assertIn("cpu: Plain loops", text)
        self.assertIn("\n 4 5 10 11\n", text)

    def test_a_device_without_either_is_introduced(self):
        self.assertIn("template: The device of the how-to, by You", self.tour(DEVICES["template"]).stdout)

    def test_what_fails_is_said(self):
        self.assertIn("no such plug-in", self.tour("none.so", expect=1).stderr)
        self.assertIn("load_image: not supported", self.tour(DEVICES["cpu"], SOURCE + "/LICENSE", expect=1).stderr)
        self.assertIn("not an ELF file", self.tour(DEVICES["functional"], SOURCE + "/LICENSE", expect=1).stderr)
        self.assertIn("usage", self.tour(expect=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
