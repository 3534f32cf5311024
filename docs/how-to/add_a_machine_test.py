#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/add-a-machine.md to the letter: its files, its commands, its output, its messages.

usage: add_a_machine_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else none is run)
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/how-to/add-a-machine.md").read_text()
COMMANDS = re.findall(r"^    (\S.*)$", PAGE, re.MULTILINE)
YAMLS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
TEXTS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
ETALON = None


def change(text, lines):
    """Puts each line of the page in place of the one with its key, in its section."""
    section = ""
    for line in lines.splitlines():
        if re.fullmatch(r"\w+:", line):
            section = line
            continue
        key = re.match(r" *\w+: ", line)[0]
        begin = text.index(f"\n{section}\n") if line.startswith(" ") else 0
        found = re.compile(rf"^{key}.*$", re.MULTILINE).search(text, begin)
        text = text[:found.start()] + line + text[found.end():]
    return text


class AddAMachineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = os.environ | {"ETALON": str(SOURCE), "PATH": f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"}

    def type(self, command):
        return subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120)

    def refused(self, text, message):
        self.drone.write_text(text)
        done = self.type("etalon machines show chips/drone.yaml")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message))

    def test_the_page(self):
        self.assertEqual((len(YAMLS), len(TEXTS)), (2, 3))
        self.drone = self.folder / "chips/drone.yaml"
        for command in COMMANDS[1:]:
            if command.startswith("export"):
                self.environment["ETALON_MACHINES"] = str(self.folder / "chips")
                self.assertEqual(command, "export ETALON_MACHINES=$PWD/chips")
                continue
            if command.startswith("etalon run") and os.environ.get("ETALON_TEST_LLVM") != "ON":
                continue
            if "bench-dram" in command:
                (self.folder / "chips/parts/memory").mkdir(parents=True)
                (self.folder / "chips/parts/memory/bench-dram.yaml").write_text(YAMLS[1])
            done = self.type(command)
            self.assertEqual((done.returncode, done.stderr), (1 if " diff " in command else 0, ""), f"{command}\n{done.stdout}")
            if command.startswith("cp"):
                self.drone.write_text(change(self.drone.read_text(), YAMLS[0]))
            elif command == "etalon machines diff edge chips/drone.yaml":
                self.assertEqual(done.stdout, TEXTS[0])
            elif command == "etalon machines list":
                self.assertRegex(done.stdout, r"(?m)^drone +One core of 64x64")
                self.assertRegex(done.stdout, r"(?m)^base ")
            elif "bench-dram" in command:
                self.assertRegex(done.stdout, r"memory +25.6 GB/s +22.0 GB/s")
        good = self.drone.read_text()
        line = re.search(r"^  icache_bytes: .*$", good, re.MULTILINE)[0]
        self.refused(good.replace(line, line.replace("16 KiB", "48 KiB")), TEXTS[1])
        self.refused(good.replace(line, "  icache_bytes: 16 KiB"), TEXTS[2])

    def test_the_commands_are_those_that_are_tested(self):
        self.assertEqual([c.split()[:3] for c in COMMANDS if c.startswith("etalon")],
                         [["etalon", "machines", "diff"], ["etalon", "machines", "show"], ["etalon", "machines", "diff"],
                          ["etalon", "machines", "list"], ["etalon", "run", "$ETALON/kernels/c/gemm_bf16.c"], ["etalon", "machines", "diff"]])

    def test_keys_and_tests_that_the_page_names_exist(self):
        for section in ("matrix", "energy"):
            done = self.type(f"etalon machines keys {section}")
            self.assertEqual(done.returncode, 0)
        self.assertIn("energy.table", done.stdout)
        self.assertIn("EveryShippedNumberHasASource", (SOURCE / "isa/machines/machine_test.cc").read_text())
        self.assertTrue((SOURCE / "isa/machines/timing_test.cc").exists())


if __name__ == "__main__":
    ETALON = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
