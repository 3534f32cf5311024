#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The platform of examples/systemc_platform. Arguments: SOURCE_DIR ETALON SYSTEMC_PLATFORM."""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools"))
from etalon_case import Case  # noqa: E402

PLATFORM = sys.argv[3]

# Ten atomic additions to a word behind the code, one after the other; the program ends with what they add up to, shifted.
ADD = ["auipc x6, 1", "addi x6, x6, 64", "addi x7, x0, 1", "addi x8, x0, 10", "amoadd.d x9, x7, (x6)", "addi x8, x8, -1", "bne x8, x0, -8", "et.halt"]


class Platform(Case):
    def run_platform(self, *arguments, expect=0):
        done = subprocess.run([PLATFORM, *map(str, arguments)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def waited(self, *arguments):
        words = self.run_platform(*arguments).stdout.split()
        self.assertEqual(words[0], "exited")
        return int(words[3])

    def test_the_memory_behind_the_socket_decides_how_long_it_takes(self):
        program = self.image(*ADD)
        fast, slow = self.waited("base", program, 50), self.waited("base", program, 250)
        # Ten atomics, one after the other, 200 ns more each, and as much for a line of code or two.
        self.assertGreaterEqual(slow - fast, 10 * 200)
        self.assertLessEqual(slow - fast, 13 * 200)

    def test_several_cores_share_it(self):
        self.assertGreater(self.waited("base", self.image(*ADD), 50, 4), 0)

    def test_the_host_hears_of_a_fault(self):
        done = self.run_platform("base", self.image("addi x5, x0, 1", "ld x6, 0(x5)"), 50, expect=1)
        self.assertTrue(done.stdout.startswith("fault 5 after "), done.stdout)

    def test_wrong_input_is_refused(self):
        for arguments, says in ((["base"], "wants"), (["none", "x", 50], "none"), (["base", "./none.elf", 50], "none.elf"),
                                (["functional64", "x", 50], "time"), (["base", self.image(*ADD), 50, 9], "9 cores")):
            self.assertIn(says, self.run_platform(*arguments, expect=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
