#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon run --device plugin:` and `etalon devices`, on devices that do well and on one that does not. Arguments: SOURCE_DIR ETALON.

ETALON_TEST_DEVICES names the plug-ins of the build: `cpu=PATH,null=PATH,...`.
"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import numpy

from etalon_case import ETALON, SOURCE, Case
from etalon_images_test import ADD_ONE, ADD_ONE_SPEC, IDLE, TOHOST, exit_with

DEVICES = dict(pair.split("=") for pair in os.environ["ETALON_TEST_DEVICES"].split(","))
sys.path.append(str(SOURCE / "isa/schema"))
from device_schema_test import validator_of  # noqa: E402

DESCRIPTION = validator_of(SOURCE / "isa")
COPY = "copy(x: i32[N], out y: i32[N]) check copy(x) -> y"


def on(device):
    return ["--device", "plugin:" + DEVICES[device]]


def doing(what):
    return [*on("misbehaving"), "--device-config", json.dumps({"do": what})]


class PluginCase(Case):
    def spec(self, text):
        """Path of a launch note without image."""
        path = self.folder / "operator.spec"
        path.write_text(text + "\n")
        return path

    def check(self, spec, *options):
        """The cpu device computes the operator, and the reference agrees."""
        result = self.json(self.spec(spec), *on("cpu"), "--check", *options)
        self.assertEqual((result["status"], result["ran"], result["check"]["passed"]), ("completed", "operator", True))
        return result


class RunsImages(PluginCase):
    def test_an_image_comes_out_as_on_the_model_itself(self):
        program = self.image(*ADD_ONE, spec=ADD_ONE_SPEC, args_bytes=24)
        given = ["--in", "x=" + self.array("x.npy", [41], "<i4"), "--out", "y=" + self.path("y.npy"), "--cores", 2]
        direct = self.json(program, *given)
        result = self.json(program, *given, *on("functional"))
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [42])
        for key in ("status", "exit_code", "ran", "cores", "instructions", "counters", "outputs"):
            self.assertEqual(result[key], direct[key], key)
        self.assertIsNone(result["machine"])
        self.assertEqual(result["device_description"]["name"], "npu-functional")

    def test_the_device_s_configuration_reaches_it(self):
        program = self.image("et.halt")
        config = ["--device-config", '{"set": ["cores=3"]}']
        self.assertEqual(self.json(program, *on("functional"), *config)["cores"], 3)
        self.refused("run", program, *on("functional"), *config, "--cores", 4, says="the device has 1 to 3")

    def test_a_declared_contract_stands_in_the_description(self):
        said = json.loads(self.etalon("devices", on("functional")[1], "--device-config", '{"contract": "et1"}', "--json").stdout)
        DESCRIPTION.validate(said["description"])
        self.assertEqual(said["description"]["numerics"], json.loads((SOURCE / "isa/contracts/et1.json").read_text()))

    def test_console_and_exit_code_come_back(self):
        hello = ["addi x7, x0, 257", "slli x7, x7, 48", "addi x7, x7, 104", "sd x7, 0(x6)"]
        program = self.image(*TOHOST, *hello, *exit_with(3))
        result = self.json(program, *on("functional"), "--cores", 1, expect=1)
        self.assertEqual((result["console"], result["exit_code"]), ("h", 3))
        self.assertEqual(result["failures"], ["the program exited with 3"])

    def test_what_the_program_does_wrong_is_told_as_ever(self):
        result = self.json(self.image("addi x0, x0, 0", "ld x5, 0(x0)"), *on("functional"), "--cores", 1, expect=1)
        self.assertEqual((result["status"], result["faults"][0]["pc"], result["faults"][0]["symbol"]),
                         ("fault", "0x80000004", "_start+0x4"))
        self.assertIn("mem.scalar-bounds", result["detail"])
        unwritten = self.image("auipc x6, 16", "lw x5, 0(x6)", "et.halt")
        self.assertEqual(self.json(unwritten, *on("functional"), "--cores", 1, expect=1)["uninitialised_read_count"], 1)
        self.json(unwritten, *on("functional"), "--cores", 1, "--permit", "uninitialised")
        self.assertEqual(self.json(self.image(IDLE), *on("functional"), "--limit", 1000, expect=1)["status"], "instruction_limit")
        deadlock = self.json(self.image("addi x5, x0, 1", "et.wait x0, 3, x5"), *on("functional"), "--cores", 1, expect=1)
        self.assertEqual(deadlock["status"], "deadlock")
        self.assertIn("core 0", deadlock["detail"])

    def test_a_floating_sum_of_two_cores_fails_unless_permitted(self):
        # In own local memory a view of the f32 at 0x90000000 and, behind it, the tile's element.
        view = ["lui x10, 0x10000", *(f"sd x0, {at}(x10)" for at in range(0, 264, 8)), "addi x5, x0, 9", "slli x5, x5, 28", "sd x5, 0(x10)",
                "addi x5, x0, 15", "sb x5, 8(x10)", "addi x6, x0, 1", "sb x6, 12(x10)", "et.vld vr0, (x10)"]
        tile = ["slli x5, x5, 56", "slli x7, x6, 62", "or x5, x5, x7", "slli x7, x6, 32", "or x5, x5, x7", "addi x5, x5, 256",
                "slli x7, x6, 24", "or x6, x6, x7", "et.tset tr0, x5, x6, x0"]
        program = self.image(*view, *tile, "et.st.add tr0, vr0", "et.halt")
        run = [program, *on("functional"), "--device-config", '{"machine": "functional64"}', "--cores", 2, "--permit", "uninitialised"]
        result = self.json(*run, expect=1)
        self.assertEqual((result["race_count"], result["order_dependent_count"]), (0, 1))
        self.assertIn("order-dependent result on byte 0x10000000 of global memory: tile floating add by core 0", result["detail"])
        self.json(*run, "--permit", "order-dependent")

    def test_a_device_without_images_computes_the_operator_of_the_note(self):
        program = self.image("et.halt", spec=COPY, args_bytes=24)
        x = self.array("x.npy", [1, -2, 3], "<i4")
        result = self.json(program, *on("cpu"), "--in", "x=" + x, "--out", "y=" + self.path("y.npy"), "--check")
        self.assertEqual((result["ran"], result["status"], result["exit_code"]), ("operator", "completed", None))
        self.assertEqual((result["cores"], result["instructions"]), (None, None))
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [1, -2, 3])

    def test_there_is_no_way_from_the_image_to_the_operator(self):
        program = self.image("et.halt", spec=COPY, args_bytes=24)
        result = self.json(program, *doing("refuse in load_image"), "--in", "x=ones[3]", "--check", expect=1)
        self.assertEqual((result["ran"], result["status"]), ("image", "device_refused"))


class ComputesOperators(PluginCase):
    def test_products_of_every_type_and_form(self):
        sizes = ["--dim", "M=33", "--dim", "K=47", "--dim", "N=21"]
        given = ["--in", "A=random:1", "--in", "B=random:2"]
        for types in ("f32 f32 f32", "bf16 bf16 f32", "bf16 bf16 bf16", "i8 i8 i32", "u8 i8 i32"):
            a, b, c = types.split()
            with self.subTest(types):
                self.check(f"p(A: {a}[M, K], B: {b}[K, N], out C: {c}[M, N]) check matmul(A, B) -> C", *sizes, *given)
        self.check("p(A: f32[K, M], B: f32[N, K], out C: f32[M, N]) check matmul(A, B) -> C with transpose=[1, 1]", *sizes, *given)
        self.check("p(A: bf16[M, K], B: bf16[K, N], b: f32[N], out C: bf16[M, N]) check matmul(A, B, b) -> C with activation=relu",
                   *sizes, *given, "--in", "b=random:3")
        self.check("p(A: i8[M, K], B: i8[N, K], b: i32[N], out C: i32[M, N]) check matmul(A, B, b) -> C with transpose=[0, 1]",
                   *sizes, *given, "--in", "b=random:3")

    def test_requantised_products(self):
        sizes = ["--dim", "M=17", "--dim", "K=64", "--dim", "N=9"]
        given = ["--in", "A=random:1", "--in", "B=random:2"]
        for multiplier, shift in (("random:3", "const:38"), ("const:2147483647", "const:46"), ("const:-2147483648", "const:63"),
                                  ("const:1", "const:0")):
            with self.subTest(multiplier=multiplier, shift=shift):
                self.check("q(A: u8[M, K], B: i8[K, N], m: i32[N], s: i32[1], out C: i8[M, N]) "
                           "check matmul_requantise(A, B, m, s) -> C with zero_point=-3",
                           *sizes, *given, "--in", "m=" + multiplier, "--in", "s=" + shift)

    def test_rows_and_elements(self):
        sizes = ["--dim", "R=19", "--dim", "N=130"]
        for kind in ("f32", "bf16"):
            self.check(f"s(x: {kind}[R, N], out y: {kind}[R, N]) check softmax(x) -> y", *sizes, "--in", "x=random:4")
            self.check(f"l(x: {kind}[R, N], g: f32[N], b: f32[N], out y: {kind}[R, N], e: f32 = 0.001) "
                       "check layer_norm(x, g, b) -> y with epsilon=e", *sizes, "--in", "x=random:5", "--in", "g=random:6", "--in", "b=random:7")
            for operator in ("fma_relu", "mul_add_relu"):
                self.check(f"f(a: {kind}[R, N], b: {kind}[N], c: {kind}[R, 1], out y: {kind}[R, N]) check {operator}(a, b, c) -> y",
                           *sizes, "--in", "a=random:8", "--in", "b=random:9", "--in", "c=random:1")
        self.check("f(a: f32[N], k: f32 = 3, out y: f32[N]) check fma_relu(a, k, a) -> y", "--in", "a=random:8", "--dim", "N=5")

    def test_empty_tensors_and_single_elements(self):
        self.check("f(a: f32[N], out y: f32[N]) check copy(a) -> y", "--in", "a=zeros[0]")
        self.check("p(A: f32[M, K], B: f32[K, N], out C: f32[M, N]) check matmul(A, B) -> C", "--in", "A=ones[3, 0]",
                   "--in", "B=ones[0, 2]")
        self.check("f(a: f32[], out y: f32[]) check softmax(a) -> y", "--in", "a=random:1")

    def test_what_a_device_does_not_take_it_says(self):
        result = self.json(self.spec("s(x: f16[N], out y: f16[N]) check softmax(x) -> y"), *on("cpu"), "--in", "x=ones[3]", expect=1)
        self.assertEqual(result["status"], "not_supported")
        self.assertIn("softmax does not take these operands here", result["detail"])
        result = self.json(self.spec("s(x: f32[N], out y: f32[N]) check gelu(x) -> y"), *on("cpu"), "--in", "x=ones[3]", expect=1)
        self.assertIn("no operator 'gelu'; it has: copy, fma_relu", result["detail"])
        two = "s(x: f32[N], out y: f32[N], out z: f32[N]) check softmax(x) -> y"
        self.assertIn("nothing computes the output z", self.json(self.spec(two), *on("cpu"), "--in", "x=ones[3]", expect=1)["detail"])
        none = self.json(self.spec("s(x: f32[N], out y: f32[N])"), *on("cpu"), "--in", "x=ones[3]", expect=1)
        self.assertIn("names no operator", none["detail"])

    def test_the_null_device_can_nothing(self):
        for program in (self.spec(COPY), self.image("et.halt", spec=COPY, args_bytes=24)):
            result = self.json(program, *on("null"), "--in", "x=ones[3]", "--check", expect=1)
            self.assertEqual((result["status"], result["check"]["passed"]), ("not_supported", False))

    def test_the_template_copies(self):
        self.json(self.spec(COPY), *on("template"), "--in", "x=random:1", "--dim", "N=1000", "--check")


class SurvivesBadDevices(PluginCase):
    """One of each kind; isa/abi/worker/worker_test.cc has them all."""

    def bad(self, what, status, says, *options, image=False):
        program = self.image("et.halt", spec=COPY, args_bytes=24) if image else self.spec(COPY)
        arguments = [program, *doing(what), "--in", "x=iota", "--dim", "N=40", "--timeout", 1, *options]
        result = self.json(*arguments, expect=1)
        self.assertEqual(result["status"], status, result["detail"])
        self.assertRegex(result["detail"], says)
        self.assertRegex(self.etalon("run", *arguments, expect=1).stdout, says)

    def test_crashes(self):
        self.bad("crash in open", "device_lost", r"open: lost: .* signal 11 \(SIGSEGV\)")
        self.bad("crash in run_operator", "device_lost", r"in run_operator: signal 11 \(SIGSEGV\)")
        self.bad("abort in run_operator", "device_lost", r"in run_operator: signal 6 \(SIGABRT\)")
        self.bad("exit in copy", "device_lost", r"in copy: it called exit with status")
        self.bad("crash in close", "device_lost", r"in close: signal 11 \(SIGSEGV\)")
        self.bad("crash in run_image", "device_lost", r"in run_image: signal 11 \(SIGSEGV\)", image=True)

    def test_hangs(self):
        start = time.monotonic()
        self.bad("hang in run_operator", "timeout", "no answer within 1 s; the process was ended")
        self.assertLess(time.monotonic() - start, 60)

    def test_writes_outside_of_buffers(self):
        self.bad("write behind", "device_broken", "outside of 'y' was overwritten, 7 bytes past its end")
        self.bad("write before", "device_broken", "outside of 'y' was overwritten, 3 bytes before its begin")
        self.bad("change input", "device_broken", "it changed its input 'x'")
        self.bad("touch an operand", "device_broken", "outside of 'the argument block' was overwritten", image=True)

    def test_lies(self):
        self.bad("describe nonsense", "device_broken", "the description is not JSON")
        self.bad("describe terabytes", "device_broken", "1099511627776 bytes")
        self.bad("alloc twice", "device_broken", "still in use")
        self.bad("number in run_operator", "device_broken", "returned 77")
        self.bad("garble in run_operator", "device_broken", "makes no sense")
        self.bad("count backwards", "device_broken", "'macs' is '-1'")

    def test_wrong_results(self):
        result = self.json(self.spec(COPY), *doing("compute nonsense"), "--in", "x=iota[9]", "--check", expect=1)
        self.assertEqual((result["status"], result["failures"]), ("completed", ["the check failed"]))
        self.json(self.spec(COPY), *doing("compute half"), "--in", "x=iota[9]", "--check", expect=1)

    def test_refusals(self):
        self.bad("refuse in alloc", "device_refused", r"alloc: refused: \?\[31mno")
        self.bad("late in run_operator", "timeout", "too slow")
        self.bad("lose in run_operator", "device_lost", "the cable is out")

    def test_what_a_device_prints_does_not_disturb_the_report(self):
        done = self.etalon("run", self.spec(COPY), *doing("print"), "--in", "x=ones[3]", "--json")
        self.assertTrue(json.loads(done.stdout)["success"])
        self.assertEqual(done.stderr, "a line on stdout\n")

    def test_ctrl_c_ends_a_device_at_work(self):
        arguments = [ETALON, "run", str(self.spec(COPY)), *doing("spin in run_operator"), "--in", "x=ones[3]", "--timeout", "0", "--json"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, json.loads(out)["status"]), (130, "interrupted"))


class RefusesWrongInput(PluginCase):
    def test_what_is_no_plug_in(self):
        spec = self.spec(COPY)
        self.refused("run", spec, "--device", "plugin:", says="plugin:./mine.so")
        self.refused("run", spec, "--device", "plugin:" + self.path("none.so"), "--in", "x=ones[1]", says="there is no such plug-in")
        self.refused("run", spec, "--device", f"plugin:{SOURCE}/LICENSE", "--in", "x=ones[1]", says="cannot be loaded")
        self.refused("devices", f"plugin:{SOURCE}/LICENSE", says="cannot be loaded")
        self.refused("devices", "npu-functional", says="etalon machines")

    def test_options_that_do_not_go_together(self):
        spec = self.spec(COPY)
        for options in (["--set", "cores=2"], ["--dump", "x5"], ["--seed", 3], ["--commit-log", self.path("log")], ["--machine", "functional64"], ["--contract", "et1"]):
            self.refused("run", spec, *on("cpu"), *options, "--in", "x=ones[1]", says=[options[0], "--device-config"])
        self.refused("run", spec, "--timeout", 3, says="for plug-ins alone")
        self.refused("run", spec, "--device-config", "{}", says="for plug-ins alone")
        self.refused("run", spec, *on("cpu"), "--timeout", "long", says="--timeout")
        self.refused("run", spec, *on("cpu"), "--timeout", 10**12, says="at most")

    def test_specs(self):
        self.refused("run", self.spec(COPY), says="a .spec names an operator, which plug-ins alone run")
        self.refused("run", self.spec("copy(x: i33[N])"), *on("cpu"), says=["operator.spec", "i33"])
        self.refused("run", self.path("none.spec"), *on("cpu"), says="none.spec")
        self.refused("run", self.spec(COPY), *on("cpu"), says="no input for x")
        frobnicate = self.spec("f(x: i32[N], out y: i32[N]) check frobnicate(x) -> y")
        self.refused("run", frobnicate, *on("cpu"), "--in", "x=ones[1]", "--check", says="no reference for operator 'frobnicate'")


class ListsDevices(PluginCase):
    def test_every_shipped_plug_in_describes_itself_by_the_schema(self):
        for name in DEVICES:
            with self.subTest(name):
                said = json.loads(self.etalon("devices", "plugin:" + DEVICES[name], "--json").stdout)
                DESCRIPTION.validate(said["description"])
                text = self.etalon("devices", "plugin:" + DEVICES[name]).stdout
                for part in (said["description"]["title"], *said["features"]):
                    self.assertIn(part, text)
        self.assertIn("plugin:PATH", self.etalon("devices").stdout)

    def test_a_plug_in_that_fails_is_no_success(self):
        crash = ["--device-config", '{"do": "crash in open"}']
        self.assertIn("SIGSEGV", self.etalon("devices", on("misbehaving")[1], *crash, expect=1).stderr)
        refused = self.etalon("devices", on("cpu")[1], "--device-config", '{"a": 1}', expect=1)
        self.assertIn("nothing to set", refused.stderr)

    def test_plug_ins_export_one_symbol(self):
        for name, path in DEVICES.items():
            symbols = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
            self.assertEqual([line.split()[-1] for line in symbols.splitlines()], ["etalon_device_entry"], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
