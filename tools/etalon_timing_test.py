#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon run --device npu` on images made here, so that it is tested without LLVM, too. Arguments: SOURCE_DIR ETALON."""
import json
import sys
import unittest

from etalon_case import Case

# On core 0: a loop of 100 additions; every core then meets the others.
LOOP = ["csrrs x5, mhartid, x0", "bne x5, x0, 16", "addi x6, x0, 100", "addi x6, x6, -1", "bne x6, x0, -4", "addi x7, x0, -1",
        "et.barrier x7, x7", "et.halt"]


class TimedRuns(Case):
    def timed(self, *arguments, expect=0):
        return self.json(*arguments, "--device", "npu", expect=expect)

    def test_instructions_and_counters_are_those_of_the_functional_model(self):
        program = self.image(*LOOP)
        timed, plain = self.timed(program), self.json(program)
        self.assertEqual(timed["device"], "npu")
        for key in ("status", "exit_code", "instructions", "counters"):
            self.assertEqual(timed[key], plain[key])

    def test_a_loop_costs_what_its_branches_cost(self):
        timing = self.timed(self.image(*LOOP), "--cores", 1)["timing"]
        # An addition and a taken branch: 1 + 1 + 2 cycles, 99 times; less than 200 for everything around, cache misses too.
        self.assertGreater(timing["cycles"], 99 * 4)
        self.assertLess(timing["cycles"], 99 * 4 + 400)

    def test_ledgers_add_up_and_runs_repeat(self):
        program = self.image(*LOOP)
        first = self.timed(program)
        for unit in first["timing"]["units"]:
            self.assertEqual(sum(unit["cycles"].values()), first["timing"]["cycles"])
        self.assertEqual(len(first["timing"]["units"]), 4 * 5)
        self.assertEqual(self.timed(program), first)

    def test_a_clock_of_another_machine_is_another_time_and_the_same_cycles(self):
        program = self.image("addi x1, x0, 1", "et.halt")
        slow = self.timed(program, "--set", "clock_mhz=500", "--set", "memory.preset=fixed-100ns-64b")
        self.assertEqual(slow["timing"]["clock_mhz"], 500)

    def test_ends_other_than_success(self):
        waits = self.image("addi x5, x0, 1", "et.wait x6, 3, x5", "et.halt")
        result = self.timed(waits, "--cores", 1, expect=1)
        self.assertEqual(result["status"], "deadlock")
        self.assertIn("semaphore 3", json.dumps(result))
        self.assertEqual(self.timed(self.image("ld x5, 0(x0)"), "--cores", 1, expect=1)["status"], "fault")
        result = self.timed(self.image("jal x0, 0"), "--cores", 1, "--limit", 1000, expect=1)
        self.assertEqual((result["status"], result["instructions"]), ("instruction_limit", 1000))

    def test_trace_and_page_are_written(self):
        program = self.image(*LOOP)
        self.etalon("run", program, "--device", "npu", "--report", self.path("page.html"), "--trace", self.path("t.json"),
                    "--trace-format", "json")
        self.assertIn("<html", (self.folder / "page.html").read_text()[:400])
        self.assertTrue(json.loads((self.folder / "t.json").read_text()))

    def test_what_if_frees_one_resource_after_the_other(self):
        # Ten atomics: the way to memory and back is what they wait for.
        program = self.image("auipc x6, 1", "addi x6, x6, 64", "addi x7, x0, 1", "addi x8, x0, 10", "amoadd.d x9, x7, (x6)", "addi x8, x8, -1",
                             "bne x8, x0, -8", "et.halt")
        timing = self.timed(program, "--cores", 1, "--permit", "uninitialised", "--what-if")["timing"]
        free = {one["resource"]: one["cycles"] for one in timing["what_if"]}
        self.assertEqual(list(free), "scalar dispatch matrix vector local dma network memory".split())
        self.assertEqual(free["matrix"], timing["cycles"])
        # A row hit of HBM2-2400 is CL and a burst, (17 + 2) * 0.833 ns, in each of ten.
        self.assertLess(free["memory"], timing["cycles"] - 10 * 15)
        self.assertLess(free["network"], timing["cycles"] - 10 * 10)
        self.assertLess(free["scalar"], timing["cycles"])
        self.refused("run", program, "--what-if", says=["--what-if", "--device npu"])

    def test_what_does_not_go_together_is_refused(self):
        program = self.image("et.halt")
        npu = ("run", program, "--device", "npu")
        self.refused(*npu, "--machine", "functional64", says=["functional64", "says nothing about time"])
        self.refused(*npu, "--seed", 3, says=["--seed 3", "npu-functional"])
        self.refused(*npu, "--snapshot", self.path("s"), "--snapshot-at", 1, says=["--snapshot", "npu-functional"])
        self.refused(*npu, "--restore", self.path("s"), says=["--restore", "npu-functional"])
        self.refused(*npu, "--gdb", 0, says=["--gdb", "npu-functional"])
        self.refused(*npu, "--trace-format", "json", says=["--trace-format", "--trace FILE"])
        self.refused(*npu, "--trace", self.path("t"), "--trace-format", "vcd", says=["vcd", "perfetto, json or konata"])
        self.refused(*npu, "--trace", self.path("none/t"), says=["--trace", "none/t"])
        self.refused(*npu, "--report", self.path("none/p"), says=["--report", "none/p"])
        self.refused(*npu, "--jitter", "some", says=["--jitter", "some"])
        for option in ("--trace", "--report"):
            self.refused("run", program, option, self.path("x"), says=[option, "--device npu"])
        self.refused("run", program, "--jitter", 1, says=["--jitter", "--device npu", "--seed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
