#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/see-where-the-cycles-go.md to the letter, and holds its sentences against what the tool says.

usage: see_where_the_cycles_go_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else it is skipped)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/how-to/see-where-the-cycles-go.md").read_text()
COMMANDS = re.findall(r"^    (etalon .*)$", PAGE, re.MULTILINE)
ETALON = None


class CyclesTest(unittest.TestCase):
    def test_the_page(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "kernels").symlink_to(SOURCE / "kernels")
            path = f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"
            texts = []
            for command in COMMANDS:
                done = subprocess.run(command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{command}\n{done.stdout}{done.stderr}")
                texts.append(done.stdout)
            ledger, _, _, _, diff = texts
            for word in re.findall(r"^\* \*\*([\w ]+)\*\*", PAGE, re.MULTILINE):
                self.assertRegex(ledger, rf"(?m)^{word}")
            page = (folder / "gemm.html").read_text()
            self.assertIn("<h2>Over time</h2>", page)
            self.assertIn("matrix.latency", page)
            self.assertGreater((folder / "gemm.perfetto").stat().st_size, 10_000)
            before, after = (json.loads((folder / f"{run}.json").read_text())["timing"] for run in ("before", "after"))
            self.assertLess(after["cycles"], before["cycles"])
            own = {run: {cause: sum(u["cycles"].get(cause, 0) for u in timing["units"] if u["unit"] == "matrix") for cause in ("busy", "chain", "weights")}
                   for run, timing in (("before", before), ("after", after))}
            self.assertLess(own["after"].pop("chain"), own["before"].pop("chain"))
            self.assertEqual(own["after"]["busy"], own["before"]["busy"])
            # Products begin earlier, so loads meet memory a little differently: a few cycles of weights, no more.
            self.assertLess(abs(own["after"]["weights"] - own["before"]["weights"]), own["before"]["weights"] / 100)
            self.assertRegex(diff, r"(?m)^  matrix .*chain -")


if __name__ == "__main__":
    if os.environ.get("ETALON_TEST_LLVM") != "ON":
        print("skipped 1: C programs cannot be compiled here")
        sys.exit(77)
    ETALON = sys.argv.pop(1)
    unittest.main()
