#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/declare-a-contract.md to the letter: its contract, its commands, its messages.

usage: declare_a_contract_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else it is skipped)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/how-to/declare-a-contract.md").read_text()
CONTRACT = re.search(r"Save this as\n?\s*`chip\.json`:\n\n```json\n(.*?)```\n", PAGE, re.DOTALL)[1]
COMMANDS = re.findall(r"^    (etalon .*)$", PAGE, re.MULTILINE)
MESSAGES = re.findall(r"```text\n(.*)\n```", PAGE)
ETALON = None


class DeclareAContractTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "kernels").symlink_to(SOURCE / "kernels")
        (self.folder / "chip.json").write_text(CONTRACT)

    def type(self, command):
        path = f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"
        return subprocess.run(command, shell=True, cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True, text=True,
                              timeout=120)

    def succeeds(self, command):
        done = self.type(command)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_the_contract_is_valid(self):
        schema = json.loads((SOURCE / "isa/schema/contract.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(json.loads(CONTRACT))

    def test_the_two_runs_differ_in_last_bits(self):
        self.assertEqual(len(COMMANDS), 2)
        for command in COMMANDS:
            out = self.succeeds(command)
            self.assertEqual("contract chip" in out, "--contract" in command)
        standard, chip = (numpy.load(self.folder / f"{name}.npy") for name in ("standard", "chip"))
        self.assertGreater((standard.view(numpy.uint32) != chip.view(numpy.uint32)).sum(), standard.size // 10)
        numpy.testing.assert_allclose(chip, standard, rtol=0, atol=1e-4 * numpy.abs(standard).max())

    def test_json_names_the_contract_as_the_page_shows_it(self):
        result = json.loads(self.succeeds(COMMANDS[1] + " --json"))
        shown = re.search(r'```json\n("contract": .*)\n```', PAGE)[1]
        self.assertEqual(json.loads("{" + shown + "}")["contract"], result["contract"])
        self.assertEqual(json.loads(self.succeeds(COMMANDS[0] + " --json"))["contract"], {"name": "canonical", "hash": "0x0"})

    def test_the_messages_are_those_of_the_page(self):
        lines = ('      "sum": "aligned",\n', '      "align": {"width": 25, "cut": "toward_zero"},\n')
        for line in lines:
            self.assertIn(line, CONTRACT)
        wrong = (CONTRACT.replace('"width": 25', '"width": 0'), CONTRACT.replace(lines[0], "").replace(lines[1], ""))
        self.assertEqual(len(MESSAGES), len(wrong))
        for text, message in zip(wrong, MESSAGES):
            (self.folder / "chip.json").write_text(text)
            done = self.type(COMMANDS[1])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message + "\n"))

    def test_the_shipped_contract_runs(self):
        self.assertIn("`--contract et1`", PAGE)
        self.assertIn("contract et1", self.succeeds(COMMANDS[0] + " --contract et1"))


if __name__ == "__main__":
    if os.environ.get("ETALON_TEST_LLVM") != "ON":
        print("skipped: this build has no LLVM, so it cannot compile the C program of the page")
        sys.exit(77)
    ETALON = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
