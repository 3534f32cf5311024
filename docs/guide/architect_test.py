#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/guide/architect.md are right, its table has every key of a study, and the studies shipped are studies.

usage: architect_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else it is skipped)
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
import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/guide/architect.md").read_text()
ETALON = None
COMMANDS = re.findall(r"^    etalon (sweep .*)$", PAGE, re.MULTILINE)
STUDIES = sorted((SOURCE / "examples/studies").glob("*.yaml"))
SCHEMA = json.loads((SOURCE / "isa/schema/study.schema.json").read_text())


class ArchitectTest(unittest.TestCase):
    def plan(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ETALON, *arguments, "--dry-run", "--output", f"{folder}/out", "--json"], cwd=SOURCE, capture_output=True,
                                  text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["runs"]

    def test_the_page_s_commands_plan_the_runs_that_it_says(self):
        self.assertEqual(len(COMMANDS), 3)
        for command in COMMANDS:
            runs = self.plan(*[word for word in command.split() if word not in ("--dry-run", "--plots")])
            self.assertTrue(all(run["state"] == "to do" for run in runs))
            if "attention" in command:
                self.assertIn(f"lists the {len(runs)} runs", PAGE)

    def test_every_study_shipped_is_on_the_page_and_fits_the_schema(self):
        self.assertGreater(len(STUDIES), 1)
        for path in STUDIES:
            self.assertIn(f"examples/studies/{path.name}", PAGE)
            jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(path.read_text()))

    def test_the_table_has_every_key_of_a_study_and_no_other(self):
        rows = re.findall(r"^\| (`[^|]*`) \|", PAGE, re.MULTILINE)
        named = {key for row in rows for key in re.findall(r"`([^`]+)`", row)}
        self.assertEqual(named, set(SCHEMA["properties"]) - {"name", "title", "limit"})

    def test_paths_that_the_page_names_are_in_results(self):
        program = SOURCE / "kernels/c/gemm_bf16.c"
        study = {"name": "paths", "machine": "base", "axes": [{"key": "cores", "values": [1]}],
                 "workloads": [{"name": "gemm", "program": str(program), "inputs": {"A": "random:1[128, 128]", "B": "random:2[128, 128]"}}],
                 "metrics": [{"name": f"m{n}", "value": path} for n, path in enumerate(sorted(set(re.findall(r"`(timing\.[\w.]+\.(?:busy|moved))`", PAGE))))],
                 "ledgers": [{"name": "ledger", "path": re.search(r"an object of the result, whole: `([^`]+)`", PAGE)[1]}]}
        self.assertEqual(len(study["metrics"]), 2)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "study.yaml"
            path.write_text(yaml.safe_dump(study))
            done = subprocess.run([ETALON, "sweep", path, "--output", f"{folder}/out", "--json"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)["rows"][0]
        self.assertTrue(all(value > 0 for value in row["metrics"].values()), row)
        self.assertGreater(row["ledgers"]["ledger"]["busy"], 0)


if __name__ == "__main__":
    if os.environ.get("ETALON_TEST_LLVM") != "ON":
        print("skipped 1: this build has no compiler for the device")
        sys.exit(77)
    ETALON = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
