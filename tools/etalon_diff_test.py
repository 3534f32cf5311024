# SPDX-License-Identifier: Apache-2.0
"""etalon diff: results of runs, made by `etalon run --json` and, with timing, by this test with figures that are worked out by hand."""
import copy
import json
import os
import subprocess
import unittest

import jsonschema
from etalon_case import SCHEMA, SOURCE, Case

DIFF_SCHEMA = json.loads((SOURCE / "isa/schema/run_diff.schema.json").read_text())
SAMPLE_FILES = os.environ["ETALON_TEST_SAMPLE_FILES"]
# Two cores of 1000 cycles. The matrix units are busy half of the time and wait for operands for the rest.
UNITS = [{"core": core, "unit": unit, "cycles": {"busy": 500, "operand": 500} if unit == "matrix" else {"busy": 100, "empty": 900}}
         for core in (0, 1) for unit in ("scalar", "matrix", "vector", "load", "store")]
TIMING = {
    "cycles": 1000, "clock_mhz": 1000, "picoseconds": 1000000, "cores": 2, "devices": 1,
    "work": {"tiles": 10, "macs": 64000, "elements": 0, "bytes": 4096},
    "units": UNITS,
    "critical_path": {"scalar": 100, "load": 300, "matrix": 600},
    "paths": [{"level": "memory read", "name": f"channel {i}", "moved": 4000, "useful": 3000, "transfers": 63, "peak_thousandths": 32000} for i in (0, 1)],
    "bounds": [{"name": "matrix", "unit": "MAC", "work": 64000, "peak_thousandths": 128000, "cycles": 500, "source": "matrix.rows"}],
    "energy": [],
    "what_if": [],
    "functions": [],
    "lines": [{"file": "gemm.c", "line": 31, "function": "gemm", "cycles": 2000, "critical": 600, "units": {"matrix": {"busy": 1000, "operand": 1000}},
               "tiles": 10, "macs": 64000, "elements": 0, "bytes": 0},
              {"file": "gemm.c", "line": 7, "function": "gemm", "cycles": 800, "critical": 400, "units": {"load": {"busy": 200}, "scalar": {"busy": 600}},
               "tiles": 0, "macs": 0, "elements": 0, "bytes": 4096}],
}


def faster(timing):
    """200 cycles less: the matrix units wait less, and all else has less of nothing to do."""
    after = copy.deepcopy(timing)
    after.update(cycles=800, picoseconds=800000)
    for unit in after["units"]:
        unit["cycles"]["operand" if unit["unit"] == "matrix" else "empty"] -= 200
    after["critical_path"] = {"scalar": 100, "load": 200, "matrix": 500}
    after["paths"][0].update(moved=3000)
    after["lines"][0].update(cycles=1600, units={"matrix": {"busy": 1000, "operand": 600}})
    return after


class DiffTest(Case):
    def setUp(self):
        super().setUp()
        self.run_result = self.json(self.image("addi a0, x0, 0", "et.halt"))

    def write(self, name, **changes):
        result = {**self.run_result, **changes}
        jsonschema.Draft202012Validator(SCHEMA).validate(result)
        (self.folder / name).write_text(json.dumps(result))
        return self.path(name)

    def diff(self, *files):
        text = self.etalon("diff", *files).stdout
        found = json.loads(self.etalon("diff", *files, "--json").stdout)
        jsonschema.Draft202012Validator(DIFF_SCHEMA).validate(found)
        return text, found

    def test_says_which_unit_spent_how_much_less_on_what(self):
        text, found = self.diff(self.write("a.json", timing=TIMING), self.write("b.json", timing=faster(TIMING)))
        self.assertIn("cycles  1 000 -> 800, 20.0 % less\n", text)
        self.assertIn("time    1.00 us -> 800 ns, 20.0 % less\n", text)
        self.assertIn("  matrix            -400  operand -400  <- the busiest before\n", text)
        self.assertIn("  load              -400  empty -400\n", text)
        self.assertIn("critical path\n  matrix                   600 -> 500, 16.7 % less\n  load                     300 -> 200, 33.3 % less\n", text)
        self.assertNotIn("not the same work", text)
        timing = found["timing"]
        self.assertEqual(timing["cycles"], {"before": 1000, "after": 800})
        self.assertEqual(timing["busiest_before"], "matrix")
        self.assertEqual(timing["units"]["matrix"], {"operand": {"before": 1000, "after": 600}})
        self.assertEqual(timing["critical_path"], {"matrix": {"before": 600, "after": 500}, "load": {"before": 300, "after": 200}})
        self.assertEqual(timing["work"], {})

    def test_says_bytes_bounds_and_the_lines_that_changed_most(self):
        text, found = self.diff(self.write("a.json", timing=TIMING), self.write("b.json", timing=faster(TIMING)))
        self.assertIn("  memory read      8.00 kB -> 7.00 kB, 12.5 % less; useful 75.0 % -> 85.7 %\n", text)
        self.assertIn("  matrix  500 -> 500 cycles; reached 50.0 % -> 62.5 %\n", text)
        self.assertIn("  gemm.c:31                    2 000 -> 1 600: -400  operand -400\n", text)
        self.assertNotIn("gemm.c:7", text)
        self.assertEqual(found["timing"]["lines"], [{"file": "gemm.c", "line": 31, "function": "gemm", "cycles": {"before": 2000, "after": 1600},
                                                     "activities": {"operand": {"before": 1000, "after": 600}}}])

    def test_tells_other_work_from_faster_work(self):
        more = copy.deepcopy(TIMING)
        more["work"]["macs"] = 128000
        text, found = self.diff(self.write("a.json", timing=TIMING), self.write("b.json", timing=more))
        self.assertIn("not the same work\n  multiply-accumulates     64 000 -> 128 000, 100.0 % more\n", text)
        self.assertEqual(found["timing"]["work"], {"multiply-accumulates": {"before": 64000, "after": 128000}})

    def test_a_run_is_the_same_as_itself(self):
        path = self.write("a.json", timing=TIMING)
        text, found = self.diff(path, path)
        self.assertIn("cycles  1 000 -> 1 000, the same\n", text)
        self.assertEqual(found["timing"]["lines"], [])
        self.assertEqual(set(map(str, found["timing"]["units"].values())), {"{}"})

    def test_without_timing_counters_are_compared_and_what_is_missing_is_said(self):
        before = self.write("a.json", timing=TIMING)
        after = self.path("b.json")
        (self.folder / "b.json").write_text(json.dumps(self.json(self.image("addi a0, x0, 0", "addi a0, x0, 0", "et.halt"))))
        text, found = self.diff(before, after)
        self.assertIn("instructions             8 -> 12, 50.0 % more\n", text)
        self.assertIn(f"no timing in {after}: its device, npu-functional, keeps no time\n", text)
        self.assertNotIn("cycles", text)
        self.assertIsNone(found["timing"])
        self.assertEqual(found["counters"]["instructions"], {"before": 8, "after": 12})
        self.assertEqual([found["before"]["timed"], found["after"]["timed"]], [True, False])

    def test_a_made_up_run_has_the_schema_of_results_and_comes_through(self):
        timing = []
        for seed in ("1", "2"):
            subprocess.run([SAMPLE_FILES, self.folder / "page.html", self.folder / "timing.json", seed, "3", "60"], check=True, timeout=60)
            timing.append(json.loads((self.folder / "timing.json").read_text()))
        text, found = self.diff(self.write("a.json", timing=timing[0]), self.write("b.json", timing=timing[1]))
        cores = 3
        change = cores * (timing[1]["cycles"] - timing[0]["cycles"])
        for unit, activities in found["timing"]["units"].items():
            self.assertEqual(sum(c["after"] - c["before"] for c in activities.values()), change, unit)
        lines = sum(line["cycles"]["after"] - line["cycles"]["before"] for line in found["timing"]["lines"])
        self.assertEqual(lines, 5 * change)
        self.assertIn("... and ", text)

    def test_refuses_what_is_no_result_and_says_what_is_missing(self):
        good = self.write("a.json")
        self.refused("diff", good, self.path("none.json"), says="none.json")
        (self.folder / "text.json").write_text("hello")
        self.refused("diff", self.path("text.json"), good, says=["text.json", "is no result of `etalon run --json`: it is no JSON"])
        (self.folder / "list.json").write_text("[1]")
        self.refused("diff", good, self.path("list.json"), says="it is JSON, but no object")
        for name in ("success", "status", "device", "program", "counters"):
            (self.folder / "part.json").write_text(json.dumps({k: v for k, v in self.run_result.items() if k != name}))
            self.refused("diff", good, self.path("part.json"), says=["part.json", f"it has no {name}"])
        broken = copy.deepcopy(TIMING)
        broken["units"][1]["cycles"]["busy"] += 1
        self.refused("diff", self.write("c.json", timing=broken), good, says="timing.units[1].cycles do not sum up to the cycles of the run")
        del broken["clock_mhz"]
        (self.folder / "d.json").write_text(json.dumps({**self.run_result, "timing": broken}))
        self.refused("diff", self.path("d.json"), good, says="it has no timing.clock_mhz")


if __name__ == "__main__":
    unittest.main(argv=["etalon_diff_test"])
