#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The `etalon` program on assembly and C; skipped in a build without LLVM. Arguments: SOURCE_DIR ETALON."""
import pathlib
import re
import sys
import unittest

import numpy

from etalon_case import DATA, LLVM, SOURCE, Case


def philox(block, stream, seed):
    """Philox4x32-10 of a counter of two 64-bit halves and a 64-bit key."""
    mask = (1 << 32) - 1
    c, k = [block & mask, block >> 32, stream & mask, stream >> 32], [seed & mask, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & mask, p >> 32 ^ c[3] ^ k[1], p & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


class BuildsSources(Case):
    def test_the_first_program_of_the_guide_runs(self):
        self.etalon("run", SOURCE / "docs/guide/first.s")

    def test_assembly_with_a_launch_note(self):
        values = numpy.arange(-5, 12, dtype="<i4")
        given = "x=" + self.array("x.npy", values, "<i4")
        self.etalon("run", DATA / "add_one.s", "--in", given, "--out", "y=" + self.path("y.npy"))
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), (values + 1).tolist())

    def test_c_with_console_and_a_scalar(self):
        for arguments, factor in (([], 2), (["--arg", "factor=-3"], -3)):
            done = self.etalon("run", DATA / "hello.c", "--in", "x=iota[9]", "--out", "y=" + self.path("y.npy"), *arguments)
            self.assertTrue(done.stdout.startswith("hello\n"))
            self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [factor * i for i in range(9)])

    def test_a_program_asks_what_the_machine_has(self):
        arguments = ["run", DATA / "capability.c", "--cores", 1, "--set", "local_bytes=64KiB"]
        out = ["--out", "top=" + self.path("top.npy"), "--out", "at=" + self.path("at.npy")]
        done = self.etalon(*arguments, *out, "--set", "profiles=Et-base,Et-fp8,Et-sort,Et-rand,Et-net")
        self.assertEqual(re.findall(": (yes|no)\n", done.stdout), ["yes", "no", "no", "yes"])
        words = [philox(25 + i // 4, 6, 5)[i % 4] for i in range(16)]
        at = sorted(range(16), key=lambda i: -words[i])[:3]
        self.assertEqual(numpy.load(self.path("at.npy")).tolist(), at)
        self.assertEqual(numpy.load(self.path("top.npy")).tolist(), [words[i] for i in at])
        done = self.etalon(*arguments, *out, "--set", "profiles=Et-base,Et-f16,Et-net", expect=1)
        self.assertEqual(re.findall(": (yes|no)\n", done.stdout), ["yes", "yes", "no", "no"])
        self.assertIn("exited 3", done.stdout)

    def test_timing_only_counts_as_ever_and_keeps_outputs_without_values_back(self):
        arguments = [SOURCE / "kernels/c/gemm_bf16.c", "--in", "A=random:1[33,20]", "--in", "B=random:2[20,17]"]
        whole, counts = self.json(*arguments), self.json(*arguments, "--timing-only", "--out", "C=" + self.path("c.npy"))
        output = {"name": "C", "type": "f32", "shape": [33, 17], "file": None}
        self.assertEqual(counts, {**whole, "timing_only": True, "outputs": [{**output, "first_left_out": 0}]})
        self.assertFalse(pathlib.Path(self.path("c.npy")).exists())
        text = self.etalon("run", *arguments, "--timing-only", "--out", "C=" + self.path("c.npy")).stdout
        self.assertIn("--timing-only (no values of floats and products; races and unwritten reads not looked for)", text)
        self.assertIn("output C f32[33, 17] not computed, by --timing-only", text)

    def test_a_kernel_is_checked_against_its_reference(self):
        arguments = [SOURCE / "kernels/c/gemm_bf16.c", "--in", "A=random:1[33,20]", "--in", "B=random:2[20,17]", "--check"]
        result = self.json(*arguments)
        self.assertEqual((result["check"]["operation"], result["check"]["passed"]), ("matmul", True))
        self.assertEqual(result["counters"]["macs"], 33 * 20 * 17)
        self.assertIn("check matmul: passed", self.etalon("run", *arguments).stdout)

    def test_a_wrong_result_fails_the_check(self):
        source = (SOURCE / "kernels/c/gemm_bf16.c").read_text().replace("check matmul(A, B)", "check matmul(A, A)")
        (self.folder / "wrong.c").write_text(source)
        result = self.json(self.path("wrong.c"), "--in", "A=random:1[16,16]", "--in", "B=random:2[16,16]", "--check", expect=1)
        self.assertFalse(result["check"]["passed"])

    def test_a_fault_names_its_source_line(self):
        result = self.json(DATA / "shape_fault.s", "--cores", 1, expect=1)
        fault = result["faults"][0]
        self.assertEqual((fault["file"], fault["line"]), (str(DATA / "shape_fault.s"), 5))
        self.assertEqual(fault["disassembly"], "et.mm tr0, tr1, tr2")

    def test_cores_that_a_run_left_standing_are_named_with_their_source_line(self):
        source = self.folder / "stuck.s"
        for instruction, options, status in (("et.wait x0, 3, a1", [], "deadlock"), ("j .", ["--limit", 9], "instruction_limit")):
            source.write_text(f"        .globl  _start\n_start: nop\n        {instruction}\n")
            stopped, = self.json(source, "--cores", 1, *options, expect=1)["stopped"]
            self.assertEqual((stopped["file"], stopped["line"]), (str(source), 3), status)
            text = self.etalon("run", source, "--cores", 1, *options, expect=1).stdout
            self.assertIn(f"at           {source}:3 (_start+0x4), pc ", text)

    def test_a_race_names_both_places(self):
        result = self.json(DATA / "race.s", "--cores", 2, expect=1)
        race = result["races"][0]
        lines = (DATA / "race.s").read_text().splitlines()
        for side, text in ((race["first"], "et.ld "), (race["second"], "sw ")):
            self.assertIn(text, lines[side["line"] - 1])
        self.json(DATA / "race.s", "--cores", 2, "--permit", "races")

    def test_a_floating_sum_of_two_cores_fails_unless_permitted(self):
        run = [DATA / "float_sum.s", "--machine", "functional64", "--cores", 2]
        result = self.json(*run, expect=1)
        self.assertEqual((result["race_count"], result["order_dependent_count"]), (0, 1))
        found, = result["order_dependent"]
        lines = (DATA / "float_sum.s").read_text().splitlines()
        for side in (found["first"], found["second"]):
            self.assertIn("et.st.add ", lines[side["line"] - 1])
        text = self.etalon("run", *run, expect=1).stdout
        self.assertIn("order-dependent result\n  first        core 0 tile floating add: et.st.add tr0, vr0 at ", text)
        self.assertIn("failed: 1 order-dependent results (see --permit order-dependent)\n", text)
        self.json(*run, "--permit", "races", expect=1)
        self.json(*run, "--permit", "order-dependent")
        self.json(*run[:-1], 1)

    def test_a_tile_is_dumped_as_a_matrix(self):
        text = self.etalon("run", DATA / "tile.s", "--cores", 1, "--dump", "tile:tr3@0").stdout
        self.assertIn("  10 11 12\n  13 14  ?\n", text)

    def test_assembly_errors_name_their_line(self):
        self.refused("run", DATA / "bad_mnemonic.s", says=["bad_mnemonic.s:4:", "tr99"])
        (self.folder / "bad.c").write_text("int main(void) { return x; }\n")
        self.refused("run", self.path("bad.c"), says="bad.c:1:")

    def test_asm_and_dis_are_a_round_trip(self):
        self.etalon("asm", DATA / "race.s", "-o", self.path("a.elf"))
        self.assertIn("; " + str(DATA / "race.s"), self.etalon("dis", self.path("a.elf")).stdout)
        listing = self.etalon("dis", self.path("a.elf"), "--words").stdout
        again = self.words(*listing.splitlines())
        code = b"".join(word.to_bytes(4, "little") for word in again)
        self.assertIn(code, pathlib.Path(self.path("a.elf")).read_bytes())
        self.refused("asm", DATA / "race.s", says="-o")
        self.refused("asm", DATA / "race.s", "-o", self.path("none/a.elf"), says="none/a.elf")


if __name__ == "__main__":
    if not LLVM:
        print("this build has no LLVM: .s and .c programs cannot be built")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
