#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon run --snapshot` and `--restore`, as a user types them. Arguments: SOURCE_DIR ETALON."""
import json
import os
import pathlib
import unittest

import numpy

from etalon_case import Case

# y[0] = x[0] + 1000 on core 0, in a loop of 3000 instructions; all cores meet at the end.
COUNT = ["csrrs x5, mhartid, x0", "bne x5, x0, 44", "ld x6, 0(x10)", "ld x7, 8(x10)", "lw x9, 0(x6)", "addi x8, x0, 1000",
         "addi x9, x9, 1", "addi x8, x8, -1", "bne x8, x0, -8", "sw x9, 0(x7)", "et.fence", "jal x0, 4",
         "addi x5, x0, -1", "et.barrier x5, x5", "et.halt"]
SPEC = "count(x: i32[n], out y: i32[n])"
END = 3017  # 3012 instructions of core 0 and 5 of core 1


class Snapshots(Case):
    def setUp(self):
        super().setUp()
        self.program = self.image(*COUNT, spec=SPEC, args_bytes=24)
        self.run_options = [self.program, "--cores", 2, "--in", "x=const:5[1]", "--out", "y=" + self.path("y.npy")]
        self.snapshot = self.path("half.snap")

    def take(self, at=1000):
        return self.json(*self.run_options, "--snapshot", self.snapshot, "--snapshot-at", at)

    def test_a_run_goes_on_from_a_snapshot_as_the_one_that_wrote_it(self):
        whole = self.json(*self.run_options, "--commit-log", self.path("whole"))
        self.assertEqual(whole["instructions"], END)
        for at in (0, 1, 1000, END):
            self.assertEqual(self.take(at), whole)
            os.remove(self.path("y.npy"))
            self.assertEqual(self.json(*self.run_options, "--restore", self.snapshot, "--commit-log", self.path("rest")), whole)
            self.assertEqual(numpy.load(self.path("y.npy")).tolist(), [1005])
            lines = pathlib.Path(self.path("whole")).read_text().splitlines()
            self.assertEqual(pathlib.Path(self.path("rest")).read_text().splitlines(), lines[at:])
        self.assertFalse(pathlib.Path(self.snapshot + ".part").exists())

    def test_a_snapshot_of_a_restored_run_is_that_of_the_run(self):
        self.take(2000)
        later = pathlib.Path(self.snapshot).read_bytes()
        self.take(1000)
        self.json(*self.run_options, "--restore", self.snapshot, "--snapshot", self.path("later"), "--snapshot-at", 2000)
        self.assertEqual(pathlib.Path(self.path("later")).read_bytes(), later)

    def test_refuses_options_that_do_not_fit_each_other(self):
        run = ["run", *self.run_options]
        self.refused(*run, "--snapshot", self.snapshot, says="--snapshot FILE and --snapshot-at N belong together")
        self.refused(*run, "--snapshot-at", 5, says="belong together")
        self.refused(*run, "--snapshot", self.snapshot, "--snapshot-at", "soon", says="--snapshot-at: 'soon'")
        self.refused(*run, "--snapshot", self.snapshot, "--snapshot-at", END + 1,
                     says=[f"--snapshot-at {END + 1}: the run ended before, after {END} instructions (exited)", "nothing was written"])
        self.assertFalse(pathlib.Path(self.snapshot).exists())
        self.refused(*run, "--snapshot", "/nowhere/half.snap", "--snapshot-at", 5,
                     says="--snapshot: cannot write '/nowhere/half.snap' (No such file or directory)")
        self.take()
        self.refused(*run, "--restore", self.snapshot, "--snapshot", self.path("b"), "--snapshot-at", 999,
                     says="--snapshot-at 999: the run goes on from 1000 instructions")
        self.refused(*run, "--restore", self.snapshot, "--limit", 1000, says="the limit of 1000 is behind")

    def test_refuses_a_snapshot_of_another_run(self):
        self.take()
        restore = ["--restore", self.snapshot]
        run = ["run", self.program, "--out", "y=" + self.path("y.npy"), *restore]
        x = ["--in", "x=const:5[1]"]
        self.refused("run", *self.run_options, *restore, "--machine", "functional64", says=["half.snap", "it is of machine 'base'"])
        self.refused(*run, *x, "--cores", 1, says="it is of another run: 'cores 2' there, 'cores 1' here")
        self.refused(*run, *x, "--cores", 2, "--seed", 3, says="it is of another run: 'seed 0' there, 'seed 3' here")
        self.refused(*run, "--in", "x=const:6[1]", "--cores", 2, says="it is of another run: 'arguments and inputs")
        own = self.folder / "own.json"
        own.write_text(json.dumps({"schema": "etalon-contract-1", "name": "own"}))
        self.refused("run", *self.run_options, *restore, "--contract", own, says="--contract")
        self.image("addi x1, x0, 1", *COUNT, spec=SPEC, args_bytes=24)  # another program of the same name
        self.refused(*run, *x, "--cores", 2, says="it is of another run: 'program ")

    def test_refuses_what_is_no_snapshot(self):
        self.take()
        sound = pathlib.Path(self.snapshot).read_bytes()
        run = ["run", *self.run_options, "--restore"]
        self.refused(*run, self.path("nothing"), says=["--restore", "nothing"])
        for content, says in ((b"", "no snapshot"), (sound[:19], "no snapshot"), (sound[:-1], "damaged or cut off"),
                              (sound[:len(sound) // 2], "damaged or cut off"), (b"\x7fELF" + sound[4:], "no snapshot"),
                              (sound[:8] + b"\x01" + sound[9:], "snapshot of version 1; this build reads version 6")):
            pathlib.Path(self.path("bad")).write_bytes(content)
            self.refused(*run, self.path("bad"), says=["--restore '" + self.path("bad"), says])


if __name__ == "__main__":
    unittest.main(argv=["etalon_snapshot_test"], verbosity=1)
