#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon run --devices N`, as a user types it. Arguments: SOURCE_DIR ETALON."""
import pathlib
import unittest

import numpy

from etalon_case import Case

# y[i] = x[i] + 256 * id on core 0 of each device.
MARK = ["csrrs x5, mhartid, x0", "bne x5, x0, 52", "ld x6, 0(x10)", "ld x7, 8(x10)", "ld x8, 16(x10)",
        "beq x8, x0, 36", "lw x9, 0(x6)", "slli x11, x13, 8", "add x9, x9, x11", "sw x9, 0(x7)", "addi x6, x6, 4",
        "addi x7, x7, 4", "addi x8, x8, -1", "jal x0, -32", "et.halt"]
SPEC = "mark(x: i32[n], out y: i32[n])"
# Core 0 of device 2 waits for a signal that nobody sends.
WAIT = ["addi x5, x0, 2", "bne x13, x5, 12", "addi x6, x0, 1", "et.wait x0, 3, x6", "et.halt"]
# Device 2 loads from an address of device 5.
OUTSIDE = ["addi x5, x0, 2", "bne x13, x5, 16", "addi x6, x0, 5", "slli x6, x6, 48", "ld x7, 0(x6)", "et.halt"]


class Devices(Case):
    def run_mark(self, source, devices, *options):
        program = self.image(*MARK, spec=SPEC, args_bytes=24)
        return self.json(program, "--devices", devices, "--in", f"x={source}", "--out", "y=" + self.path("y.npy"), *options)

    def test_an_input_with_one_more_dim_is_split_and_outputs_have_it(self):
        x = numpy.arange(6).reshape(3, 2)
        result = self.run_mark(self.array("x.npy", x, numpy.int32), 3)
        self.assertEqual((result["devices"], result["cores"]), (3, 4))
        self.assertEqual(result["outputs"][0]["shape"], [3, 2])
        expected = x + 256 * numpy.array([[1], [2], [3]])
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), expected.tolist())
        self.run_mark("iota[3,2]", 3)
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), expected.tolist())

    def test_any_other_input_goes_to_each_device(self):
        for source in (self.array("x.npy", [5, 7], numpy.int32), "const:5[2]"):
            self.run_mark(source, 2)
            y = numpy.load(self.path("y.npy"))
            self.assertEqual(y[:, 0].tolist(), [5 + 256, 5 + 512])
            self.assertEqual(y.shape, (2, 2))

    def test_one_device_is_a_cluster_of_one(self):
        result = self.run_mark("const:5[2]", 1)
        self.assertNotIn("devices", result)
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [5 + 256] * 2)

    def test_texts_name_the_device(self):
        wait = self.image(*WAIT)
        done = self.etalon("run", wait, "--cores", 1, "--devices", 2, expect=1)
        self.assertIn("core 0 of device 2 waits for semaphore 3 of core 0 of device 2 to reach 1; it is 0", done.stdout)
        self.assertIn("on 1 of 4 cores of each of 2 devices", done.stdout)
        result = self.json(wait, "--cores", 1, "--devices", 2, expect=1)
        self.assertEqual([(stop["core"], stop["device"]) for stop in result["stopped"]], [(0, 2)])
        outside = self.image(*OUTSIDE)
        done = self.etalon("run", outside, "--cores", 1, "--devices", 2, "--dump", "x5@0", expect=1)
        self.assertIn("fault on core 0 of device 2: ", done.stdout)
        self.assertIn("bits 63:48 are 5: there are devices 1 to 2, and 0 is the own one", done.stdout)
        self.assertIn("core 0 of device 1 x5@0\n", done.stdout)
        result = self.json(outside, "--cores", 1, "--devices", 2, "--dump", "x5", expect=1)
        self.assertEqual(result["faults"][0]["device"], 2)
        self.assertEqual([(dump["core"], dump["device"]) for dump in result["dumps"]], [(0, 1), (0, 2)])

    def test_the_commit_log_names_device_and_core(self):
        self.run_mark("const:5[1]", 2, "--cores", 1, "--commit-log", self.path("log"))
        cores = [line.split()[0] for line in pathlib.Path(self.path("log")).read_text().splitlines()]
        self.assertEqual(cores, ["1.0"] * 16 + ["2.0"] * 16)

    def test_a_snapshot_keeps_all_devices(self):
        whole = self.run_mark("iota[2,8]", 2)
        half = self.path("half.snap")
        self.assertEqual(self.run_mark("iota[2,8]", 2, "--snapshot", half, "--snapshot-at", 40), whole)
        self.assertEqual(self.run_mark("iota[2,8]", 2, "--restore", half), whole)
        program = self.image(*MARK, spec=SPEC, args_bytes=24)
        self.refused("run", program, "--devices", 3, "--in", "x=iota[8]", "--restore", half, says="'devices 2' there, 'devices 3' here")

    def test_values_in_time_are_the_same(self):
        x = numpy.arange(6).reshape(3, 2)
        result = self.run_mark(self.array("x.npy", x, numpy.int32), 3, "--device", "npu")
        expected = x + 256 * numpy.array([[1], [2], [3]])
        self.assertEqual(numpy.load(self.path("y.npy")).tolist(), expected.tolist())
        self.assertEqual((result["timing"]["devices"], result["timing"]["cores"]), (3, 12))
        self.assertIn("core 0 of device 3", [path["name"] for path in result["timing"]["paths"]])

    def test_what_if_links_were_free(self):
        program = self.image(*MARK, spec=SPEC, args_bytes=24)
        result = self.json(program, "--devices", 2, "--device", "npu", "--in", "x=iota[2,8]", "--what-if")
        self.assertIn("links", [one["resource"] for one in result["timing"]["what_if"]])

    def test_refuses_what_several_devices_cannot_do(self):
        program = self.image(*WAIT)
        for options, says in ((["--devices", 0], "--devices 0: a cluster has 1 to 16"), (["--devices", 17], "--devices 17: a cluster has 1 to 16"),
                              (["--devices", "two"], "--devices: 'two'"),
                              (["--devices", 2, "--machine", "edge"], "machine 'edge' has no links to others (profile Et-net)"),
                              (["--devices", 3, "--device", "npu", "--set", "links.topology=torus", "--set", "links.count=4"],
                               "3 devices make no torus"),
                              (["--devices", 2, "--gdb", 0], "--devices 2: not with --gdb: the debugger knows one device"),
                              (["--devices", 2, "--check"], "--devices 2: not with --check: references know one device")):
            self.refused("run", program, *options, says=says)


if __name__ == "__main__":
    unittest.main(argv=["etalon_devices_test.py"])
