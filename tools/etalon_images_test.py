#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The `etalon` program on images made here, so that it is tested without LLVM, too. Arguments: SOURCE_DIR ETALON."""
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import numpy

from etalon_case import DATA, ETALON, LLVM, Case

TOHOST = ["auipc x6, 1"]  # x6 = tohost; only right as the first instruction
IDLE = "jal x0, 0"


def exit_with(code):
    return ["addi x5, x0, %d" % (code * 2 + 1), "sd x5, 0(x6)", IDLE]


# y[0] = x[0] + 1 on core 0, unless n is 0.
ADD_ONE = ["csrrs x5, mhartid, x0", "bne x5, x0, 40", "ld x6, 0(x10)", "ld x7, 8(x10)", "ld x8, 16(x10)", "beq x8, x0, 24",
           "lw x9, 0(x6)", "addi x9, x9, 1", "sw x9, 0(x7)", "addi x6, x6, 4", "addi x7, x7, 4", "et.halt"]
ADD_ONE_SPEC = "add_one(x: i32[n], out y: i32[n])"


class RunsImages(Case):
    def test_exit_status_is_the_program_s_success(self):
        self.etalon("run", self.image(*TOHOST, *exit_with(0)))
        result = self.json(self.image(*TOHOST, *exit_with(3)), expect=1)
        self.assertEqual((result["status"], result["exit_code"]), ("exited", 3))

    def test_counts_instructions_exactly_and_uses_all_cores_by_default(self):
        program = self.image("addi x1, x0, 1", "et.halt")
        result = self.json(program)
        self.assertEqual((result["cores"], result["instructions"]), (4, 8))
        self.assertEqual(result["counters"]["retired_scalar"], 4)
        self.assertEqual(self.json(program, "--cores", 1)["instructions"], 2)

    def test_a_seed_decides_the_order_of_the_cores_and_nothing_else_does(self):
        program = self.image("auipc x6, 2", "addi x7, x0, 1", "amoadd.d x8, x7, (x6)", "et.halt")
        logs = set()
        for seed in range(12):
            logs.add(self.etalon("run", program, "--seed", seed, "--permit", "uninitialised", "--commit-log", "-", "--quiet").stdout)
            result = self.json(program, "--seed", seed, "--permit", "uninitialised")
            self.assertEqual((result["seed"], result["instructions"]), (seed, 16))
            again = self.etalon("run", program, "--seed", seed, "--permit", "uninitialised", "--json")
            self.assertEqual(json.loads(again.stdout), result)
        self.assertGreater(len(logs), 6)
        self.assertEqual(self.json(program, "--permit", "uninitialised")["seed"], 0)
        self.assertIn(", seed 7", self.etalon("run", program, "--seed", 7, "--permit", "uninitialised").stdout)
        self.refused("run", program, "--seed", "soon", says="--seed: 'soon'")

    def test_console_stands_apart_from_json(self):
        program = self.image(*TOHOST, "addi x7, x0, 257", "slli x7, x7, 48", "addi x7, x7, 104", "sd x7, 0(x6)", *exit_with(0))
        self.assertTrue(self.etalon("run", program, "--cores", 1).stdout.startswith("h"))
        done = self.etalon("run", program, "--cores", 1, "--json")
        self.assertEqual((done.stderr, json.loads(done.stdout)["console"]), ("h", "h"))
        self.assertEqual(self.etalon("run", program, "--cores", 1, "--quiet").stdout, "h")

    def test_a_derived_machine_says_so_in_every_output(self):
        program = self.image("et.halt")
        result = self.json(program, "--set", "cores=2")
        self.assertEqual(result["machine"], {"name": "base+cores=2", "derived": True, "overrides": {"cores": "2"}})
        self.assertIn("derived", self.etalon("run", program, "--set", "cores=2").stdout)

    def test_arrays_go_in_and_out_by_the_launch_note(self):
        program = self.image(*ADD_ONE, spec=ADD_ONE_SPEC, args_bytes=24)
        result = self.json(program, "--in", "x=" + self.array("x.npy", [41], "<i4"), "--out", "y=" + self.path("y.npy"))
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [42])
        self.assertEqual(result["outputs"], [{"name": "y", "type": "i32", "shape": [1], "file": self.path("y.npy")}])

    def test_generated_inputs_take_their_shape_from_a_symbol_or_from_brackets(self):
        program = self.image(*ADD_ONE, spec=ADD_ONE_SPEC, args_bytes=24)
        for options in (["--in", "x=const:6", "--dim", "n=1"], ["--in", "x=const:6[1]"], ["--in", "x=const:6", "--arg", "n=1"]):
            self.etalon("run", program, *options, "--out", "y=" + self.path("y.npy"))
            self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [7])

    def test_an_output_not_all_written_is_a_failure_that_can_be_permitted(self):
        program = self.image(*ADD_ONE, spec=ADD_ONE_SPEC, args_bytes=24)
        result = self.json(program, "--in", "x=ones[3]", expect=1)
        self.assertEqual(result["outputs"][0]["first_unwritten"], 1)
        self.json(program, "--in", "x=ones[3]", "--permit", "uninitialised")

    def test_zero_size_arrays_are_fine(self):
        program = self.image("et.halt", spec=ADD_ONE_SPEC, args_bytes=24)
        self.etalon("run", program, "--in", "x=" + self.array("x.npy", [], "<i4"), "--out", "y=" + self.path("y.npy"))
        self.assertEqual(numpy.load(self.path("y.npy")).shape, (0,))

    def test_a_fault_names_place_rule_and_instruction(self):
        result = self.json(self.image("addi x0, x0, 0", "ld x5, 0(x0)"), "--cores", 1, expect=1)
        self.assertEqual(result["status"], "fault")
        self.assertIsNone(result["exit_code"])
        fault = result["faults"][0]
        self.assertEqual((fault["pc"], fault["symbol"], fault["disassembly"]), ("0x80000004", "_start+0x4", "ld x5, 0(x0)"))
        self.assertEqual((fault["rule"], fault["cause_code"], fault["handled"]), ("mem.scalar-bounds", 5, False))
        text = self.etalon("run", self.folder / "program.elf", "--cores", 1, expect=1).stdout
        for part in ("fault on core 0: load_access", "_start+0x4", "ld x5, 0(x0)", "[mem.scalar-bounds]"):
            self.assertIn(part, text)

    def test_uninitialised_reads_fail_unless_permitted(self):
        program = self.image("auipc x6, 16", "lw x5, 0(x6)", "et.halt")
        result = self.json(program, "--cores", 1, expect=1)
        self.assertEqual((result["uninitialised_read_count"], result["uninitialised_reads"][0]["address"]), (1, "0x80010000"))
        self.json(program, "--cores", 1, "--permit", "uninitialised")

    def test_timing_only_stops_at_a_value_that_it_left_out(self):
        # A fill of one f32 at the begin of local memory, then a scalar load of it.
        program = self.image("addi x5, x0, 0x4f", "slli x5, x5, 24", "addi x5, x5, 1", "slli x5, x5, 32", "addi x6, x0, 1",
                             "slli x6, x6, 24", "addi x6, x6, 1", "et.tset tr1, x5, x6, x0", "et.iota tr1, x0, x0, x0",
                             "lui x7, 0x10000", "lw x8, 0(x7)", "et.halt")
        self.json(program, "--cores", 1)
        result = self.json(program, "--cores", 1, "--timing-only", "--dump", "tile:tr1", expect=1)
        self.assertEqual((result["status"], result["exit_code"], result["instructions"]), ("poisoned", None, 10))
        self.assertEqual(result["poison"], {
            "core": 0, "pc": "0x80000028", "instruction": "0x3a403", "disassembly": "lw x8, 0(x7)", "symbol": "_start+0x28",
            "use": "a scalar load", "operand": "rs1", "address": "0x4000000000"})
        self.assertEqual(result["dumps"][0]["text"].split()[-1], "*")
        text = self.etalon("run", program, "--cores", 1, "--timing-only", expect=1).stdout
        for part in ("core 0 needs a value that --timing-only left out: a scalar load\n  at           _start+0x28", "lw x8, 0(x7)",
                     "address 0x4000000000 holds the result of arithmetic that was skipped", "run without --timing-only",
                     "failed: the program goes by a value that --timing-only leaves out"):
            self.assertIn(part, text)

    def test_a_deadlock_says_who_waits(self):
        result = self.json(self.image("addi x5, x0, 1", "et.wait x0, 3, x5"), "--cores", 1, expect=1)
        self.assertEqual(result["status"], "deadlock")
        self.assertEqual(result["stopped"], [
            {"core": 0, "pc": "0x80000004", "instruction": "0x32a00b", "disassembly": "et.wait x0, 3, x5", "symbol": "_start+0x4",
             "waiting": "waits for semaphore 3 of core 0 to reach 1; it is 0"}])
        text = self.etalon("run", self.folder / "program.elf", "--cores", 1, expect=1).stdout
        self.assertIn("core 0 waits for semaphore 3 of core 0 to reach 1; it is 0\n  at           _start+0x4, pc 0x80000004\n"
                      "  instruction  et.wait x0, 3, x5\n", text)

    def test_a_deadlock_leaves_out_who_has_halted(self):
        program = self.image("csrrs x5, mhartid, x0", "addi x6, x0, -1", "bne x5, x0, 8", "et.halt", "et.barrier x6, x6")
        result = self.json(program, "--cores", 3, expect=1)
        self.assertEqual([(s["core"], s["symbol"]) for s in result["stopped"]], [(1, "_start+0x10"), (2, "_start+0x10")])

    def test_the_instruction_limit_ends_a_run(self):
        result = self.json(self.image(IDLE), "--limit", 1000, expect=1)
        self.assertEqual((result["status"], result["instructions"]), ("instruction_limit", 1000))
        self.assertEqual([(s["core"], s["disassembly"]) for s in result["stopped"]], [(i, IDLE) for i in range(4)])
        self.assertNotIn("waiting", result["stopped"][0])
        text = self.etalon("run", self.folder / "program.elf", "--limit", 1000, expect=1).stdout
        self.assertIn("core 3 had not halted\n  at           _start, pc 0x80000000\n  instruction  jal x0, 0\n", text)

    def test_ctrl_c_ends_with_a_summary_and_130(self):
        process = subprocess.Popen([ETALON, "run", self.image(IDLE), "--limit", "0", "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        result = json.loads(out)
        self.assertEqual((result["status"], len(result["stopped"])), ("interrupted", 4))
        self.assertIn("interrupted", errors)

    def test_the_commit_log_has_a_line_an_instruction(self):
        program = self.image("addi x1, x0, 7", "add x2, x1, x1", "et.halt")
        self.etalon("run", program, "--cores", 1, "--commit-log", self.path("log"))
        lines = pathlib.Path(self.path("log")).read_text().splitlines()
        self.assertEqual(lines[0], "0 0x80000000 0x00700093 addi x1, x0, 7 ; x1=0x7")
        self.assertTrue(lines[1].endswith("add x2, x1, x1 ; x2=0xe"))
        self.assertEqual(len(lines), 3)

    def test_a_contract_is_named_in_every_report_and_in_its_csr(self):
        program = self.image("csrrs x7, etcontract, x0", "et.halt")
        own = self.folder / "own.json"
        own.write_text('{"name": "own", "title": "x", "multiply": {"default": {"rounding": "toward_zero"}}}')
        hashes = set()
        for option, name in (([], "canonical"), (["--contract", "et1"], "et1"), (["--contract", own], "own")):
            result = self.json(program, "--cores", 1, "--dump", "x7", *option)
            self.assertEqual(result["contract"]["name"], name)
            self.assertEqual(int(result["dumps"][0]["text"].split()[1], 16), int(result["contract"]["hash"], 16))
            self.assertEqual(f"contract {name} (" in self.etalon("run", program, *option).stdout, bool(option))
            hashes.add(result["contract"]["hash"])
        self.assertEqual(len(hashes), 3)
        self.assertIn("0x0", hashes)

    def test_dump_shows_registers_after_the_run(self):
        program = self.image("addi x9, x0, -2", "et.halt")
        text = self.etalon("run", program, "--dump", "x9@1", "--dump", "tr3@0", "--dump", "vr1@0", "--dump", "ch0@0").stdout
        self.assertIn("x9 0xfffffffffffffffe -2", text)
        for part in ("core 1 x9@1", "core 0 tr3@0", "core 0 vr1@0", "core 0 ch0@0"):
            self.assertIn(part, text)


class RefusesWrongInput(Case):
    def setUp(self):
        super().setUp()
        self.program = self.image(*ADD_ONE, spec=ADD_ONE_SPEC, args_bytes=24)

    def test_programs(self):
        self.refused("run", self.path("none.elf"), says="none.elf")
        self.refused("run", self.folder, says=str(self.folder))
        garbage = self.folder / "garbage"
        garbage.write_bytes(b"\x00" * 100)
        self.refused("run", garbage, says="neither an ELF image nor a source file")
        whole = self.program.read_bytes()
        for length in (4, 63, 64, 200, len(whole) - 100):
            garbage.write_bytes(whole[:length])
            self.refused("run", garbage, says=str(garbage))
        self.refused("run", says="PROGRAM")

    def test_machines_and_settings(self):
        self.refused("run", self.program, "--machine", "nonesuch", says=["nonesuch", "base"])
        self.refused("run", self.program, "--set", "coers=2", says="coers")
        self.refused("run", self.program, "--set", "cores=65", says="65")
        self.refused("run", self.program, "--set", "cores", says="cores")
        self.refused("run", self.program, "--cores", 5, says=["5", "1 to 4"])
        self.refused("run", self.program, "--cores", 0, says="0")
        self.refused("run", self.program, "--cores", "two", says="two")
        self.refused("run", self.program, "--limit=-1", says="-1")

    def test_contracts(self):
        self.refused("run", self.program, "--contract", "et9", says=["--contract", "unknown contract 'et9'", "et1"])
        self.refused("run", self.program, "--contract", "./none.json", says=["--contract", "none.json"])
        wrong = self.folder / "wrong.json"
        wrong.write_text('{"name": "wrong", "title": "x",\n "multiply": {"default": {"rounding": "up"}}}')
        self.refused("run", self.program, "--contract", wrong, says=["wrong.json:2: multiply.default.rounding", "'up'", "nearest_even"])

    def test_devices(self):
        self.refused("run", self.program, "--device", "cuda", says=["cuda", "npu, npu-functional"])

    def test_inputs(self):
        self.refused("run", self.program, says=["no input for x", "--in x=FILE"])
        self.refused("run", self.program, "--in", "x", says="NAME=VALUE")
        self.refused("run", self.program, "--in", "z=ones[1]", says=["z", "x"])
        self.refused("run", self.program, "--in", "x=ones", says="n")
        self.refused("run", self.program, "--in", "x=ones[1,2]", says=["1, 2", "i32[n]"])
        self.refused("run", self.program, "--in", "x=ones[a]", says="a")
        self.refused("run", self.program, "--in", "x=random:x[1]", says="random:x")
        self.refused("run", self.program, "--in", "x=ones[281474976710655]", says="x")
        self.refused("run", self.program, "--in", "x=ones[99999999999999999999]", says="99999999999999999999")
        self.refused("run", self.program, "--in", "x=" + self.path("none.npy"), says="none.npy")
        self.refused("run", self.program, "--in", f"x={self.folder}", says=str(self.folder))
        self.refused("run", self.program, "--in", "x=" + self.array("x.npy", [1], "<f4"), says=["f32", "i32[n]"])
        self.refused("run", self.program, "--in", "x=" + self.array("x.npy", [1], "<f8"), says="float64")
        self.refused("run", self.program, "--in", "x=" + self.array("x.npy", [[1]], "<i4"), says=["1, 1", "i32[n]"])
        self.refused("run", self.program, "--in", "x=ones[1]", "--arg", "n=2", says=["n", "2"])
        self.refused("run", self.program, "--in", "x=ones[1]", "--arg", "m=2", says="m")

    def test_truncated_arrays(self):
        path = self.folder / "x.npy"
        self.array("x.npy", list(range(8)), "<i4")
        whole = path.read_bytes()
        for length in (0, 5, 60, len(whole) - 1):
            path.write_bytes(whole[:length])
            self.refused("run", self.program, "--in", f"x={path}", says=str(path))

    def test_outputs(self):
        given = ["--in", "x=ones[1]"]
        self.refused("run", self.program, *given, "--out", "x=a.npy", says=["x", "y"])
        self.refused("run", self.program, *given, "--out", "y=" + self.path("none/y.npy"), says="there is no folder")
        self.refused("run", self.program, *given, "--out", "y=" + self.path("y.txt"), says=".npy")
        self.refused("run", self.image("et.halt"), "--in", "x=ones[1]", says="launch note")

    def test_checks_without_a_reference(self):
        self.refused("run", self.program, "--in", "x=ones[1]", "--check", says="names no operator")
        named = self.image(*ADD_ONE, spec=ADD_ONE_SPEC + " check frobnicate(x) -> y", args_bytes=24)
        self.refused("run", named, "--in", "x=ones[1]", "--check", says="no reference for operator 'frobnicate'")

    def test_notes_that_are_wrong(self):
        self.refused("run", self.image("et.halt", spec="f(x: i33[n])", args_bytes=16), says=["launch note", "i33"])
        self.refused("run", self.image("et.halt", spec=ADD_ONE_SPEC, args_bytes=8), says="launch note")

    def test_dumps_logs_and_permits(self):
        self.refused("run", self.program, "--dump", "q3", says="q3")
        self.refused("run", self.program, "--dump", "tr32", says="0 to 31")
        self.refused("run", self.program, "--dump", "x@4", says="cores 0 to 3")
        self.refused("run", self.program, "--permit", "everything", says="everything")
        self.refused("run", self.program, "--commit-log", self.path("none/log"), says="none/log")
        self.refused("run", self.program, "--commit-log", "-", "--json", says="stdout")

    def test_timing_only_with_what_is_about_values(self):
        for options, says in ((["--check"], "there are no values to check"), (["--gdb", "0"], "--gdb"),
                              (["--snapshot", "x", "--snapshot-at", "5"], "--snapshot"), (["--restore", "x"], "--restore"),
                              (["--device", "plugin:./x.so"], "--device plugin:")):
            self.refused("run", self.program, "--timing-only", *options, says=["do not go together", says])

    def test_subcommands(self):
        self.refused("rnu", says=["rnu", "did you mean `run`?"])
        self.refused(says="subcommand")
        self.refused("run", self.program, "--nonesuch", says="--nonesuch")


class LooksThingsUp(Case):
    def test_help_and_version(self):
        self.assertRegex(self.etalon("--version").stdout, r"^\d+\.\d+\.\d+\n$")
        for command in ("run", "asm", "dis", "isa", "machines", "devices"):
            self.assertIn("Examples:", self.etalon(command, "--help").stdout)

    def test_isa_lists_filters_and_shows(self):
        everything = json.loads(self.etalon("isa", "--json").stdout)
        matrix = json.loads(self.etalon("isa", "--unit", "matrix", "--json").stdout)
        self.assertEqual(matrix, [i for i in everything if i["unit"] == "matrix"])
        self.assertIn("et.mm", [i["name"] for i in matrix])
        self.assertEqual(len(self.etalon("isa").stdout.splitlines()), len(everything))
        page = self.etalon("isa", "et.mm").stdout
        for part in ("ENCODING", "31:25", "et.mm td, ta, tb", "EXAMPLES"):
            self.assertIn(part, page)
        self.refused("isa", "et.nonesuch", says="et.nonesuch")
        self.refused("isa", "--group", "nonesuch", says=["nonesuch", "matrix"])
        self.refused("isa", "--unit", "nonesuch", says=["nonesuch", "vector"])

    def test_machines_lists_and_shows(self):
        self.assertRegex(self.etalon("machines").stdout, r"(?m)^base ")
        shown = json.loads(self.etalon("machines", "show", "base", "--set", "cores=2", "--json").stdout)
        self.assertEqual((shown["derived"], shown["values"]["cores"]["value"]), (True, "2"))
        self.assertEqual(shown["values"]["scalar.line_bytes"]["unit"], "B")
        self.assertEqual(shown["peaks"]["matrix.16_bit"]["per_second"], 2 * 128 * 128 * 2 * 10**9)
        text = self.etalon("machines", "show", "base").stdout
        self.assertRegex(text, r"(?m)^matrix$")
        self.assertRegex(text, r"(?m)^  scalar.branch_taken +2 cycles +\S")
        self.assertRegex(text, r"(?m)^  scalar.icache_bytes +32 KiB +\S")
        self.assertRegex(text, r"(?m)^  matrix.16_bit +131.1 TFLOP/s +bf16, f16 products$")
        self.assertRegex(text, r"(?m)^parts/memory/hbm2-2400: HBM2\b.*\n  organisation.groups +4 +\S")
        self.assertRegex(text, r"(?m)^parts/energy/cmos45-hbm2: .*\n  mac_32.low +4.6 pJ +Horowitz \(ISSCC 2014\)")
        self.assertEqual(shown["parts"]["energy"]["values"]["mac_16.nominal"]["value"], "2")
        self.assertIn("no timing", self.etalon("machines", "show", "functional64").stdout)
        self.refused("machines", "show", "nonesuch", says="nonesuch")
        self.assertEqual(self.etalon("machines").stdout, self.etalon("machines", "list").stdout)

    def test_machines_are_compared(self):
        same = self.etalon("machines", "diff", "base", "base")
        self.assertEqual((same.returncode, same.stdout), (0, ""))
        text = self.etalon("machines", "diff", "base", "base", "--set", "matrix.rows=64", expect=1).stdout.splitlines()
        self.assertEqual([line.split() for line in text[:2]], [["base", "base+matrix.rows=64"], ["matrix.rows", "128", "64"]])
        self.assertIn(["matrix.16_bit", "131.1", "TFLOP/s", "65.5", "TFLOP/s"], [line.split() for line in text])
        found = json.loads(self.etalon("machines", "diff", "base", "functional64", "--json", expect=1).stdout)
        self.assertEqual((found["a"], found["b"]), ("base", "functional64"))
        self.assertIn({"key": "cores", "a": "4", "b": "64"}, found["values"])
        self.assertIn({"key": "matrix.rows", "a": "128", "b": None}, found["values"])  # functional64 has no timing
        self.assertIn("links", [peak["key"] for peak in found["peaks"]])
        same = json.loads(self.etalon("machines", "diff", "edge", "edge", "--json").stdout)
        self.assertEqual((same["values"], same["peaks"]), ([], []))
        self.refused("machines", "diff", "base", "nonesuch", says="nonesuch")
        self.refused("machines", "diff", "base", "base", "--set", "matrix.rows=0", says="override matrix.rows: 0 is outside")
        self.refused("machines", "diff", "base", says="B")

    def test_keys_of_machine_files_are_explained(self):
        matrix = self.etalon("machines", "keys", "matrix").stdout.splitlines()
        self.assertRegex(matrix[1], r"^matrix.rows +1 to 1024 +of the array, along k$")
        everything = json.loads(self.etalon("machines", "keys", "--json").stdout)
        shown = json.loads(self.etalon("machines", "show", "base", "--json").stdout)
        self.assertEqual({entry["key"] for entry in everything}, set(shown["values"]))
        self.refused("machines", "keys", "nonesuch", says=["nonesuch", "chip", "matrix"])

    def test_words_are_disassembled_and_encoded_back(self):
        text = "et.mm tr4, tr5, tr6"
        word = self.etalon("asm", "-i", text).stdout.strip()
        self.assertEqual(self.etalon("dis", word).stdout.strip(), text)
        self.refused("asm", "-i", "et.mm tr4, tr5", says="et.mm")
        self.refused("asm", "-i", "frob x1", says="frob")
        self.refused("asm", says="source file")
        self.refused("dis", "0x100000000", says="0x100000000")
        self.refused("dis", self.path("none.elf"), says="none.elf")

    def test_every_instruction_survives_dis_and_asm(self):
        words = [i["match"] for i in json.loads(self.etalon("isa", "--json").stdout)]
        lines = self.etalon("dis", *words).stdout.splitlines()
        self.assertEqual([f"{w:#010x}" for w in self.words(*lines)], words)

    def test_images_are_disassembled_with_symbols(self):
        text = self.etalon("dis", self.image("addi x1, x0, 5", "jal x0, -4")).stdout
        self.assertIn("_start:\n  0x80000000  00500093  addi x1, x0, 5\n", text)
        self.assertIn("jal x0, -4  # 0x80000000 _start", text)


class RefusesSources(Case):
    def test_a_build_without_llvm_says_what_can_build_them(self):
        if LLVM:
            self.assertEqual(self.etalon("run", DATA / "tile.s", "--cores", 1).returncode, 0)
        else:
            self.refused("run", DATA / "tile.s", says=["--preset dev", "llvm-19-dev"])
            self.refused("asm", DATA / "tile.s", "-o", self.path("t.elf"), says="--preset dev")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
