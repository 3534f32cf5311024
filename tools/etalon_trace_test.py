# SPDX-License-Identifier: Apache-2.0
"""Traces, ledgers and pages of real runs in time: what `--json` says is recomputed from `--trace` by decoders of the tests' own."""
import collections
import sys
import unittest

from etalon_case import LLVM, SOURCE, Case

sys.path.insert(0, str(SOURCE / "sim/observe"))
from trace_reader import Perfetto, area, from_json, ledger_of  # noqa: E402

# Something for each unit: products behind loads, chains with reductions, cores that wait for each other.
KERNELS = {
    "softmax.c": ["--in", "x=random:1[70,300]"],
    "split_k.c": ["--in", "A=random:1", "--in", "B=random:2", "--dim", "M=64", "--dim", "K=600", "--dim", "N=48"],
}
SCALAR = ["addi x5, x0, 40", "addi x5, x5, -1", "bne x5, x0, -4", "auipc x6, 0", "ld x7, 0(x6)", "et.halt"]


def said(timing):
    """The ledger of a result as ledger_of() gives that of a trace."""
    return sorted([f"core {u['core']}", u["unit"], cause, cycles] for u in timing["units"] for cause, cycles in u["cycles"].items())


class TraceTest(Case):
    def timed(self, arguments, *more):
        return self.json(*arguments, "--device", "npu", *more)["timing"]

    def programs(self):
        """(name, arguments of etalon run) of what this build can run."""
        yield "scalar", [self.image(*SCALAR)]
        if LLVM:
            for name, arguments in KERNELS.items():
                yield name, [SOURCE / "kernels/c" / name, *arguments, "--check"]

    def check_ledger(self, timing, trace):
        self.assertEqual(ledger_of(trace.of_kind("thread"), trace.slices), said(timing))
        total = collections.Counter()
        for process, unit, _, cycles in said(timing):
            total[process, unit] += cycles
        self.assertEqual(set(total.values()), {timing["cycles"]})
        self.assertEqual(len(total), 5 * timing["cores"])

    def check_work(self, timing, trace):
        work = collections.Counter(tiles=0, macs=0, elements=0, bytes=0)
        for lane in trace.of_kind("lane", " instructions"):
            for _, _, values, _ in trace.slices[lane]:
                work.update({"tiles": 1, **{k: values[k] for k in ("macs", "elements", "bytes")}})
        self.assertEqual(dict(work), timing["work"])
        self.assertEqual(len(trace.flows), timing["work"]["tiles"])

    def check_bytes(self, timing, trace):
        moved = {t["name"]: area(trace.counters[u]) for u, t in trace.of_kind("counter", ", B a cycle").items()}
        self.assertEqual(moved, {f"{p['level']} {p['name']}, B a cycle": p["moved"] for p in timing["paths"]})

    def check_sums(self, timing):
        for places in (timing["lines"], timing["functions"]):
            self.assertEqual(sum(p["cycles"] for p in places), 5 * timing["cores"] * timing["cycles"])
            self.assertEqual(sum(p["critical"] for p in places), timing["cycles"])
            self.assertEqual(sum(p["macs"] for p in places), timing["work"]["macs"])
        # Whatever a unit did or waited for, an instruction was the cause; the scalar core's busy cycles are not kept apart.
        for place in timing["lines"]:
            if not place["line"] and not place["function"]:
                for unit, causes in place["units"].items():
                    self.assertLessEqual(set(causes), {"empty", "halted"} | ({"busy"} if unit == "scalar" else set()), unit)
        self.assertEqual(sum(timing["critical_path"].values()), timing["cycles"])
        for bound in timing["bounds"]:
            self.assertLessEqual(bound["cycles"], timing["cycles"])

    def test_a_result_is_what_its_trace_adds_up_to_and_two_runs_are_the_same_bytes(self):
        trace, page = self.folder / "trace", self.folder / "page"
        for name, arguments in self.programs():
            with self.subTest(name):
                timing = self.timed(arguments, "--trace", trace, "--report", page)
                bytes_of_first = trace.read_bytes(), page.read_bytes()
                read = Perfetto(bytes_of_first[0])
                self.check_ledger(timing, read)
                self.check_work(timing, read)
                self.check_bytes(timing, read)
                self.check_sums(timing)
                self.assertIn(b"<h2>Where the cycles went</h2>", bytes_of_first[1])
                self.assertEqual(self.timed(arguments, "--trace", trace, "--report", page), timing)
                self.assertEqual((trace.read_bytes(), page.read_bytes()), bytes_of_first)

    def test_json_and_konata_say_the_same_as_the_result(self):
        name, arguments = list(self.programs())[-1]
        trace = self.folder / "trace"
        timing = self.timed(arguments, "--trace", trace, "--trace-format", "json")
        tracks, slices, _, flows = from_json(trace.read_text())
        self.assertEqual(ledger_of({u: t for u, t in tracks.items() if " " not in t["name"]}, slices), said(timing), name)
        self.assertEqual(len(flows), timing["work"]["tiles"])
        self.timed(arguments, "--trace", trace, "--trace-format", "konata")
        lines = trace.read_text().splitlines()
        self.assertEqual(lines[0], "Kanata\t0004")
        self.assertEqual(sum(line.startswith("R\t") for line in lines), timing["work"]["tiles"])

    def test_two_timed_runs_are_compared(self):
        results = []
        for clock in ("1000", "500"):
            done = self.etalon("run", self.image(*SCALAR), "--device", "npu", "--set", f"clock_mhz={clock}", "--json")
            results.append(self.folder / f"{clock}.json")
            results[-1].write_text(done.stdout)
        text = self.etalon("diff", *results).stdout
        self.assertIn("machine base+clock_mhz=500 on npu", text)
        self.assertIn("\ncycles  ", text)


if __name__ == "__main__":
    unittest.main(argv=["etalon_trace_test"])
