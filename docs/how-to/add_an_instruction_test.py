#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/add-an-instruction.md to the letter on a copy of the description, and executes the examples.

Usage: add_an_instruction_test.py COMPILER LIBRARY...
Compiled are only the files that hold tables made from the description; the rest links from the build's libraries, given in link order.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/how-to/add-an-instruction.md").read_text()
# `In PATH, after the line that begins with TEXT:` and the block that follows; line ends count as blanks.
STEP = re.compile(r"In\s+`([^`]+)`,\s+(before|after)\s+the\s+line\s+that\s+begins\s+with\s+`([^`]+)`:\n\n```\w+\n(.*?)```\n", re.DOTALL)
DESCRIPTION = ("isa/instructions", "isa/numerics/element_types.yaml", "isa/profiles", "isa/schema", "docs/spec")
TABLE_FILES = ("isa/codec/decode.cc", "isa/codec/instruction_info.cc", "isa/state/tile_operands.cc",
               "sim/functional/interpreter.cc", "sim/functional/tile_dispatch.cc", "docs/how-to/run_examples.cc")
COMPILER, LIBRARIES = None, []


class Checkout:
    """A copy of the description to change."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "checkout"
        self.generated = pathlib.Path(folder) / "generated"
        for name in DESCRIPTION:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(SOURCE / name, target) if (SOURCE / name).is_dir() else shutil.copy(SOURCE / name, target)

    def apply(self, path, where, anchor, block):
        lines = (self.root / path).read_text().splitlines(keepends=True)
        found = [n for n, line in enumerate(lines) if line.startswith(anchor)]
        assert len(found) == 1, f"{path}: {len(found)} lines begin with '{anchor}'"
        lines.insert(found[0] + (where == "after"), block)
        (self.root / path).write_text("".join(lines))

    def generate(self):
        return subprocess.run([sys.executable, SOURCE / "isa/gen/generate.py", self.root, self.generated], capture_output=True, text=True)


class AddAnInstructionTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.checkout = Checkout(self._folder.name)
        self.steps = STEP.findall(PAGE)

    def apply(self, *suffixes):
        """Takes the steps for files with these endings."""
        for step in self.steps:
            if step[0].endswith(suffixes):
                self.checkout.apply(*step)

    def compile(self, name):
        out = pathlib.Path(self._folder.name) / (pathlib.Path(name).stem + ".o")
        includes = [f"-I{p}" for p in (self.checkout.generated, self.checkout.root, SOURCE)]
        done = subprocess.run([COMPILER, "-std=c++20", "-O0", "-ffp-contract=off", *includes, "-c", SOURCE / name, "-o", out],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_the_page_has_a_rule_an_entry_and_a_function(self):
        self.assertEqual([s[0] for s in self.steps], ["docs/spec/02-tiles.md", "isa/instructions/setup.yaml", "isa/instructions/setup.cc"])

    def test_the_instruction_executes_its_examples(self):
        self.apply(".md", ".yaml", ".cc")
        done = self.checkout.generate()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(self.compile, TABLE_FILES))
        program = pathlib.Path(self._folder.name) / "run_examples"
        done = subprocess.run([COMPILER, *objects, *LIBRARIES, "-lyaml-cpp", "-lfmt", "-o", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([program, self.checkout.generated / "isa/examples.json", "et.trows"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "3 examples of et.trows come out as written\n"), done.stdout)

    def test_the_rule_has_a_test(self):
        self.apply(".md", ".yaml", ".cc")
        sys.path.insert(0, str(SOURCE / "isa/gen"))
        from load import load
        from rule_tests import rule_tests
        self.assertEqual(rule_tests(load(self.checkout.root))["tile.rows"]["shows"], ["example of et.trows (examples_test)"])

    def test_the_messages_are_those_of_the_page(self):
        self.apply(".md", ".yaml")
        self.assertIn(f"```text\n{self.checkout.generate().stderr}```", PAGE)
        self.apply(".cc")
        path = self.checkout.root / "isa/instructions/setup.yaml"
        path.write_text(path.read_text().replace('"0010110 00000 ta', '"0001001 00000 ta'))
        self.assertIn(f"```text\n{self.checkout.generate().stderr}```", PAGE)


if __name__ == "__main__":
    COMPILER, LIBRARIES = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
