#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon sweep`: studies that are disturbed end with the bytes of studies that are not. Arguments: SOURCE_DIR ETALON."""
import csv
import importlib.util
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import time
import unittest

import jsonschema
import numpy
import yaml

from etalon_case import ETALON, LLVM, SOURCE, Case

STUDY_SCHEMA = json.loads((SOURCE / "isa/schema/study.schema.json").read_text())
RESULT_SCHEMA = json.loads((SOURCE / "isa/schema/sweep_result.schema.json").read_text())

MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

# Counts down from n, which takes some instructions, then writes y[0] = n on core 0.
COUNT = ["ld x6, 8(x10)", "ld x7, 0(x10)", "addi x5, x6, 0", "beq x5, x0, 12", "addi x5, x5, -1", "jal x0, -8",
         "csrrs x5, mhartid, x0", "bne x5, x0, 8", "sw x6, 0(x7)", "et.halt"]
COUNT_SPEC = "count(out y: i32[1], n: i32)"
STUDY = {
    "name": "count", "machine": "base", "device": "npu-functional",
    "axes": [{"key": "cores", "values": [1, 2, 4]}, {"key": "local_bytes", "log_range": {"from": "1 MiB", "to": "8 MiB", "factor": 2}}],
    "workloads": [{"name": "count", "program": "count.elf", "args": {"n": 300000}}],
    "metrics": [{"name": "work", "value": "instructions / machine.cores", "unit": "instructions", "better": "less"},
                {"name": "sram", "value": "machine.local_bytes * machine.cores", "unit": "B", "better": "less"}],
    "ledgers": [{"name": "retired", "path": "counters"}],
}


def children(pid):
    """Processes that this one started, by what the system says of each."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # ended meanwhile
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def gone(pid, seconds=10):
    for _ in range(int(seconds * 100)):
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class Sweeps(Case):
    def setUp(self):
        super().setUp()
        image = self.image(*COUNT, spec=COUNT_SPEC, args_bytes=16)
        image.rename(self.folder / "count.elf")

    def study(self, name="study.yaml", **changes):
        text = {key: value for key, value in (STUDY | changes).items() if value is not None}
        jsonschema.Draft202012Validator(STUDY_SCHEMA).validate(text)
        path = self.folder / name
        path.write_text(yaml.safe_dump(text, sort_keys=False))
        return path

    def sweep(self, study, *arguments, folder="out", expect=0):
        """The results of a study."""
        done = self.etalon("sweep", study, "--output", self.path(folder), "--json", *arguments, expect=expect)
        self.assertEqual(done.stdout, (self.folder / folder / "results.json").read_text())
        results = json.loads(done.stdout)
        jsonschema.Draft202012Validator(RESULT_SCHEMA).validate(results)
        return results

    def start(self, study, folder, *arguments):
        return subprocess.Popen([ETALON, "sweep", study, "--output", self.path(folder), *map(str, arguments)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def kept(self, folder="out"):
        """Finished runs in the folder, with when they were written."""
        return {path.name: path.stat().st_mtime_ns for path in (self.folder / folder / "points").glob("*.run")}

    def files(self, folder):
        return [(self.folder / folder / name).read_bytes() for name in ("results.json", "results.csv")]

    def test_every_point_is_run_as_etalon_run_would(self):
        results = self.sweep(self.study())
        self.assertEqual(len(results["rows"]), 12)
        for row in results["rows"]:
            words = shlex.split(row["command"])
            self.assertEqual(words[0], "etalon")
            run = json.loads(subprocess.run([ETALON, *words[1:], "--json"], cwd=self.folder, capture_output=True, text=True, timeout=60).stdout)
            cores = int(row["values"]["cores"])
            self.assertEqual(run["machine"]["name"], row["machine"])
            self.assertEqual(row["metrics"]["work"], run["instructions"] / cores)
            self.assertEqual(row["metrics"]["sram"], cores * int(row["values"]["local_bytes"].split()[0]) << 20)
            self.assertEqual(row["ledgers"]["retired"], run["counters"])

    def test_the_table_has_the_numbers_of_the_json(self):
        results = self.sweep(self.study(workloads=[{"name": "count", "program": "count.elf", "args": {"n": 3}}]))
        with open(self.folder / "out/results.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), len(results["rows"]))
        for line, row in zip(lines, results["rows"]):
            self.assertEqual((line["workload"], line["cores"], line["local_bytes"], line["status"]),
                             (row["workload"], row["values"]["cores"], row["values"]["local_bytes"], "ok"))
            self.assertEqual(float(line["work [instructions]"]), row["metrics"]["work"])
            self.assertEqual(float(line["retired.retired_scalar"]), row["ledgers"]["retired"]["retired_scalar"])

    def test_killed_again_and_again_it_ends_with_the_bytes_of_an_undisturbed_sweep(self):
        study = self.study(workloads=[{"name": "count", "program": "count.elf", "args": {"n": 3000000}}])
        self.sweep(study, folder="undisturbed")
        chance = random.Random(4)
        drivers = workers = 0
        seen = {}
        for _ in range(12):
            driver = self.start(study, "out", "--jobs", 2)
            while not (running := children(driver.pid)) and driver.poll() is None:
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.12))
            running = children(driver.pid)
            if running and chance.random() < 0.5:  # a worker first: it is tried once more
                os.kill(chance.choice(running), signal.SIGKILL)
                workers += 1
                time.sleep(chance.uniform(0, 0.05))
                running = children(driver.pid)
            if driver.poll() is None:
                driver.kill()
                drivers += 1
            driver.communicate(timeout=60)
            for pid in running:
                self.assertTrue(gone(pid), "a worker outlived its driver")
            now = self.kept()
            self.assertEqual({name: now[name] for name in seen}, seen, "a finished run was run again")
            seen = now
            if len(seen) == 12:
                break
        self.assertGreater(drivers, 1)
        self.assertGreater(workers, 0)
        self.sweep(study)
        self.assertEqual({name: time for name, time in self.kept().items() if name in seen}, seen)
        self.assertEqual(self.files("out"), self.files("undisturbed"))
        self.assertEqual(list((self.folder / "out").rglob("*.tmp*")), [])

    def test_a_lost_worker_is_tried_once_more_then_its_row_says_so_and_the_next_sweep_tries_again(self):
        study = self.study(axes=[{"key": "cores", "values": [1]}], workloads=[{"name": "count", "program": "count.elf", "args": {"n": 300000000}}],
                           limit=100000000)
        driver = self.start(study, "out")
        for _ in range(2):
            while not (running := children(driver.pid)):
                time.sleep(0.01)
            os.kill(running[0], signal.SIGKILL)
            self.assertTrue(gone(running[0]))
        said = driver.communicate(timeout=60)[1]
        self.assertEqual(driver.returncode, 1)
        self.assertEqual(said.count("a worker was lost by signal 9 (Killed); its run is tried once more"), 1)
        rows = json.loads((self.folder / "out/results.json").read_text())["rows"]
        self.assertEqual([(row["status"], row["reason"]) for row in rows],
                         [("failed", "its process was lost 2 times, the last time by signal 9 (Killed)")])
        rows = self.sweep(study, expect=1)["rows"]
        self.assertEqual(rows[0]["reason"], "the instruction limit was reached (see --limit)")

    def test_interrupted_it_ends_its_workers_and_the_same_command_goes_on(self):
        study = self.study(workloads=[{"name": "count", "program": "count.elf", "args": {"n": 4000000}}])
        driver = self.start(study, "out", "--jobs", 2)
        while len(self.kept()) < 2:
            time.sleep(0.01)
        running = children(driver.pid)
        driver.send_signal(signal.SIGINT)
        said = driver.communicate(timeout=60)[1]
        self.assertEqual(driver.returncode, 130)
        self.assertIn("interrupted; the same command goes on from here", said)
        self.assertTrue(all(gone(pid) for pid in running))
        self.assertFalse((self.folder / "out/results.json").exists())
        before = self.kept()
        self.assertLess(len(before), 12)
        self.assertEqual(len(self.sweep(study)["rows"]), 12)
        after = self.kept()
        self.assertEqual({name: after[name] for name in before}, before)

    def test_two_sweeps_do_not_share_a_folder(self):
        study = self.study(workloads=[{"name": "count", "program": "count.elf", "args": {"n": 300000000}}])
        driver = self.start(study, "out")
        while not children(driver.pid):
            time.sleep(0.01)
        self.refused("sweep", study, "--output", self.path("out"), says=f"is in use by another sweep (process {driver.pid}); wait for its end")
        driver.send_signal(signal.SIGTERM)
        driver.communicate(timeout=60)
        self.assertEqual(driver.returncode, 130)

    def test_points_that_fail_or_break_a_constraint_are_rows_that_say_why(self):
        study = self.study(axes=[{"key": "cores", "values": [1, 2, 4]}], constraints=["cores != 2"],
                           workloads=[{"name": "count", "program": "count.elf", "args": {"n": 3}, "cores": 2}])
        results = self.sweep(study, expect=1)
        self.assertEqual([row["status"] for row in results["rows"]], ["failed", "excluded", "ok"])
        self.assertIn("--cores 2: machine 'base+cores=1' has 1 to 1", results["rows"][0]["reason"])
        self.assertEqual(results["rows"][1]["reason"], "constraint cores != 2")
        said = self.etalon("sweep", study, "--output", self.path("out"), expect=1).stdout
        self.assertIn("count: 3 runs: 1 ok, 1 failed, 1 excluded", said)

    def test_a_changed_metric_or_axis_runs_only_what_is_new(self):
        self.sweep(self.study())
        before = self.kept()
        results = self.sweep(self.study(title="Other", metrics=[{"name": "loads", "value": "counters.retired_load"}],
                                        axes=[{"key": "cores", "values": [1, 3]}, STUDY["axes"][1]]))
        self.assertEqual({name for name, row in results["rows"][0]["metrics"].items()}, {"loads"})
        after = self.kept()
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(len(after), len(before) + 4)

    def test_a_metric_that_results_do_not_have_ends_the_sweep_at_its_first_result(self):
        study = self.study(metrics=[{"name": "time", "value": "cycle"}])
        self.refused("sweep", study, "--output", self.path("out"), "--jobs", 1,
                     says=["study.yaml:", "metrics[0].value: the result of the run has no number 'cycle'; the result has"])
        self.assertEqual(len(self.kept()), 1)

    def test_names_that_the_program_does_not_have_are_refused_before_anything_runs(self):
        for workload, says in (({"args": {"m": 3}}, "workloads[0].args.m: count.elf has no argument 'm'; it has: n"),
                               ({"inputs": {"y": "zeros"}}, "workloads[0].inputs.y: count.elf has no input 'y'; it has: none")):
            self.refused("sweep", self.study(workloads=[{"name": "count", "program": "count.elf"} | workload]), says=["study.yaml:", says])
        (self.folder / "count.elf").write_bytes(b"x")
        self.refused("sweep", self.study(), says="workloads[0].program: ")

    def test_a_dry_run_lists_what_is_to_do_and_runs_nothing(self):
        study = self.study(constraints=["cores * local_bytes < 32 MiB"])
        said = self.etalon("sweep", study, "--output", self.path("out"), "--dry-run").stdout.splitlines()
        self.assertIn("count  cores=1, local_bytes=1 MiB  to do", said[0])
        self.assertIn("excluded: cores * local_bytes < 32 MiB", said[11])
        self.assertEqual(said[12], "count: 12 runs: 1 excluded, 11 to do")
        self.assertFalse((self.folder / "out").exists())
        self.sweep(study)
        plan = json.loads(self.etalon("sweep", study, "--output", self.path("out"), "--dry-run", "--json").stdout)
        self.assertEqual([run["state"].split(":")[0] for run in plan["runs"]], ["done"] * 11 + ["excluded"])

    def test_options_that_make_no_sense_are_refused(self):
        self.refused("sweep", self.path("none.yaml"), says="cannot read")
        self.refused("sweep", self.study(), "--jobs", 0, says="--jobs 0: 1 to 4096")
        self.refused("sweep", self.study(), "--jobs", "all", says="--jobs: 'all' is not a whole number")
        self.refused("sweep", self.study(), "--device", "gpu", says="--device: 'gpu' runs no study")

    @unittest.skipUnless(MATPLOTLIB, "matplotlib is not installed")
    def test_plots_and_a_page_are_made_when_asked_for(self):
        study = self.study(axes=[{"key": "cores", "values": [1, 2, 4]}], plots=[{"kind": "lines", "x": "cores", "metric": "work"}])
        said = self.etalon("sweep", study, "--output", self.path("out"), "--plots").stdout
        self.assertIn("results.json, results.csv, index.html", said)
        self.assertEqual(sorted(path.name for path in (self.folder / "out/plots").iterdir()), ["01-lines-dark.svg", "01-lines-light.svg"])
        self.assertIn("<picture>", (self.folder / "out/index.html").read_text())

    def test_without_matplotlib_plots_are_refused_before_anything_runs(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError\n")
        done = subprocess.run([ETALON, "sweep", self.study(), "--output", self.path("out"), "--plots"], capture_output=True, text=True, timeout=60,
                              env=os.environ | {"PYTHONPATH": str(self.folder)})
        self.assertEqual((done.returncode, done.stderr),
                         (2, "etalon sweep: --plots: needs matplotlib for this Python: apt-get install python3-matplotlib\n"))
        self.assertFalse((self.folder / "out").exists())

    def test_the_schema_refuses_what_the_reader_refuses(self):
        validator = jsonschema.Draft202012Validator(STUDY_SCHEMA)
        good = yaml.safe_load((SOURCE / "tools/sweep/testdata/good.yaml").read_text())
        validator.validate(good)
        for change in ({"name": "4x"}, {"limit": 0}, {"combine": "zip"}, {"axes": []}, {"device": "gpu"}, {"surprise": 1}, {"metrics": []},
                       {"plots": [{"kind": "pie"}]}, {"workloads": [{"name": "x"}]}, {"axes": [{"key": "cores"}]},
                       {"axes": [{"key": "cores", "values": [1], "range": {"from": 1, "to": 2, "step": 1}}]}):
            self.assertFalse(validator.is_valid(good | change), change)

    def test_workers_take_no_notice_of_where_the_sweep_was_started(self):
        numpy.save(self.folder / "x.npy", numpy.array([3], "<i4"))
        for folder, name in ((self.folder, "study.yaml"), (self.folder.parent, f"{self.folder.name}/study.yaml")):
            self.study()
            subprocess.run([ETALON, "sweep", name, "--output", self.path("here")], cwd=folder, check=True, capture_output=True, timeout=60)
            kept = self.kept("here")
        self.assertEqual(len(kept), 12)

    @unittest.skipUnless(LLVM, "this build has no compiler for the device")
    def test_a_source_is_built_once_for_all_points(self):
        source = self.folder / "program.c"
        source.write_text("#include <etalon/runtime.h>\nint main(void *p, unsigned long core, unsigned long cores) { return cores == 4; }\n")
        results = self.sweep(self.study(workloads=[{"name": "c", "program": "program.c"}]), expect=1)
        self.assertEqual([row["status"] for row in results["rows"]], ["ok"] * 8 + ["failed"] * 4)
        self.assertEqual(results["rows"][8]["reason"], "the program exited with 1")
        source.write_text("#include <etalon/runtime.h>\nint main( {}\n")
        self.refused("sweep", self.study(workloads=[{"name": "c", "program": "program.c"}]), says=["workloads[0].program: ", "program.c:2:"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
