#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of made-up runs, read back by trace_reader.py: the ledger recomputed from a trace is the ledger.

usage: trace_test.py SYNTHETIC_TRACE
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from trace_reader import Perfetto, area, from_json, ledger_of

PROGRAM = None  # given on the command line
RUNS = ((1, 1, 1), (2, 1, 150), (3, 4, 150))  # seed, cores, instructions a core


class TraceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs = []
        for seed, cores, count in RUNS:
            folder = pathlib.Path(cls.folder.name) / str(seed)
            folder.mkdir()
            subprocess.run([PROGRAM, folder, str(seed), str(cores), str(count)], check=True, timeout=60)
            cls.runs.append((folder, json.loads((folder / "ledger.json").read_text()), Perfetto((folder / "trace.perfetto").read_bytes())))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_ledger_recomputed_from_a_trace_is_the_ledger(self):
        for _, ledger, trace in self.runs:
            self.assertEqual(ledger_of(trace.of_kind("thread"), trace.slices), sorted(ledger["units"]))
            total = collections.Counter()
            for process, unit, _, cycles in ledger["units"]:
                total[process, unit] += cycles
            self.assertEqual(set(total.values()), {ledger["cycles"]})

    def test_instructions_carry_all_work_and_slices_of_a_lane_do_not_overlap(self):
        for _, ledger, trace in self.runs:
            work = collections.Counter()
            for uuid in trace.of_kind("lane", " instructions"):
                for name, begin, values, end in trace.slices[uuid]:
                    work.update({"tiles": 1, **{k: values[k] for k in ("macs", "elements", "bytes")}})
                    self.assertRegex(name, r"^et\.")
                    self.assertGreaterEqual(values["pc"], 0x80000000)
                    self.assertLessEqual(begin, values["start"])
                    self.assertLessEqual(values["start"], end)
            for uuid in trace.of_kind("lane"):
                ends = 0
                for _, begin, _, end in sorted(trace.slices[uuid], key=lambda s: (s[1], s[3])):
                    self.assertGreaterEqual(begin, ends)
                    ends = end
            self.assertEqual(dict(work), {k: ledger[k] for k in work})
            self.assertEqual(work["tiles"], ledger["tiles"])

    def test_an_arrow_goes_from_issue_over_the_queue_to_the_instruction(self):
        for _, ledger, trace in self.runs:
            self.assertEqual(len(trace.flows), ledger["tiles"])
            for steps in trace.flows.values():
                steps.sort()
                names = [trace.tracks[track]["name"] for _, _, track, _ in steps]
                self.assertEqual(names[0], "scalar")
                self.assertEqual([n.split()[-1] for n in names[1:]], ["queue", "instructions"])
                self.assertEqual([terminates for *_, terminates in steps], [False, False, True])
                self.assertEqual(len({trace.tracks[track]["process"] for _, _, track, _ in steps}), 1)

    def test_occupancy_counters_are_what_the_slices_say(self):
        for _, _, trace in self.runs:
            for uuid, track in trace.of_kind("counter").items():
                if not track["name"].startswith("in the "):
                    continue
                changes = collections.Counter()
                for lane, other in trace.of_kind("lane").items():
                    window = track["name"] == "in the window" and other["name"].endswith(" instructions")
                    if other["process"] != track["process"] or not (window or track["name"] == f"in the {other['name']}"):
                        continue
                    for _, begin, values, end in trace.slices[lane]:
                        changes[values["issue"] if window else begin] += 1
                        changes[end] -= 1
                expected, value = [], 0
                for time in sorted(t for t, change in changes.items() if change):
                    value += changes[time]
                    expected.append((time, value))
                self.assertEqual(trace.counters[uuid], expected, track)

    def test_rates_of_a_path_add_up_to_its_bytes(self):
        for _, ledger, trace in self.runs:
            moved = {track["name"]: area(trace.counters[uuid]) for uuid, track in trace.of_kind("counter", ", B a cycle").items()}
            self.assertEqual(moved, {f"{name}, B a cycle": total for name, total in ledger["paths"]})

    def test_interned_names_are_reset_once_at_the_begin(self):
        for _, _, trace in self.runs:
            self.assertEqual(trace.cleared, [0])

    def test_the_clock_is_said(self):
        for _, _, trace in self.runs:
            self.assertIn("chip (1 ns here is 1 cycle; the clock has 940 MHz)", [t["name"] for t in trace.of_kind("process").values()])

    @unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
    def test_protoc_reads_the_wire_format(self):
        folder, _, trace = self.runs[-1]
        with open(folder / "trace.perfetto", "rb") as file:
            done = subprocess.run(["protoc", "--decode_raw"], stdin=file, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(line.startswith("  60 {") for line in done.stdout.splitlines()), len(trace.tracks))

    def test_json_says_the_same_as_perfetto(self):
        for folder, ledger, trace in self.runs:
            tracks, slices, counters, flows = from_json((folder / "trace.json").read_text())
            units = {u: t for u, t in tracks.items() if " " not in t["name"]}
            self.assertEqual(ledger_of(units, slices), sorted(ledger["units"]))
            self.assertEqual({(t["process"], t["name"]): trace.counters[u] for u, t in trace.of_kind("counter").items() if trace.counters[u]},
                             dict(counters))
            self.assertEqual(len(flows), ledger["tiles"])
            for steps in flows.values():
                self.assertEqual([phase for phase, *_ in steps], ["s", "t", "f"])
            named = {u: t["name"] for u, t in tracks.items()}
            listed = sorted((named[u], *s[:2], s[3]) for u in slices for s in slices[u])
            self.assertEqual(listed, sorted((trace.tracks[u]["name"], *s[:2], s[3]) for u in trace.slices for s in trace.slices[u]))

    def test_konata_says_when_each_instruction_did_what(self):
        for folder, ledger, trace in self.runs:
            lines = [line.split("\t") for line in (folder / "trace.kanata").read_text().splitlines()]
            self.assertEqual(lines[0], ["Kanata", "0004"])
            self.assertEqual(lines[1][0], "C=")
            now, known, alive, retired = int(lines[1][1]), {}, set(), []
            for command, *rest in lines[2:]:
                if command == "C":
                    self.assertGreater(int(rest[0]), 0)
                    now += int(rest[0])
                elif command == "I":
                    self.assertEqual(int(rest[0]), len(known))
                    known[rest[0]] = {"sequence": int(rest[1]), "core": f"core {rest[2]}"}
                    alive.add(rest[0])
                elif command == "W":
                    self.assertIn(rest[0], alive)
                    known[rest[0]]["waited_for"] = known[rest[1]]["sequence"]
                elif command == "S":
                    self.assertIn(rest[0], alive)
                    known[rest[0]][rest[2]] = now
                elif command == "R":
                    alive.remove(rest[0])
                    retired.append(int(rest[1]))
                    known[rest[0]]["done"] = now
            self.assertEqual(alive, set())
            self.assertEqual(retired, list(range(ledger["tiles"])))
            said = sorted((i["core"], i["sequence"], i["Is"], i["Rd"], i["Tk"], i["St"], i["done"], i.get("waited_for", 0)) for i in known.values())
            waited = {}
            for lane, track in trace.of_kind("lane", " queue").items():
                waited.update({(track["process"], v["sequence"]): (v["ready"], v["waited_for"]) for _, _, v, _ in trace.slices[lane]})
            expected = []
            for lane, track in trace.of_kind("lane", " instructions").items():
                for _, begin, v, end in trace.slices[lane]:
                    ready, waited_for = waited[track["process"], v["sequence"]]
                    expected.append((track["process"], v["sequence"], v["issue"], ready, begin, v["start"], end, waited_for))
            self.assertEqual(said, sorted(expected))

    def test_the_same_run_is_the_same_bytes(self):
        seed, cores, count = RUNS[-1]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, folder, str(seed), str(cores), str(count)], check=True, timeout=60)
            for name in ("trace.perfetto", "trace.json", "trace.kanata"):
                self.assertEqual((pathlib.Path(folder) / name).read_bytes(), (self.runs[-1][0] / name).read_bytes())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
