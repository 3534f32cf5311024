#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/guide/kernel-writer.md to the letter: its kernel, its commands, and the reports that it promises for wrong kernels.

usage: kernel_writer_test.py ETALON    (environment: ETALON_TEST_LLVM=ON where C programs can be compiled; else it is skipped)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/guide/kernel-writer.md").read_text()
ETALON = None
GDB = shutil.which("gdb-multiarch")
KERNEL = re.search(r"Save this as `scale\.c`:\n\n```c\n(.*?)```\n", PAGE, re.DOTALL)[1]
DEBUGGING = PAGE[PAGE.index("## 5. Debugging"):PAGE.index("## 6.")]
BROKEN = re.search(r"Save this as `mul\.c`:\n\n```c\n(.*?)```\n", DEBUGGING, re.DOTALL)[1]
COMMANDS = re.findall(r"^    (etalon .*)$", PAGE, re.MULTILINE)
FLAGS = ("--dump tile:tr4", "--dump all", "--commit-log -", "--json", "--timing-only")
# What the page's last table says: the words of the report, and an edit of scale.c that brings them about.
MISTAKES = {
    "fault": ("et_mul_x(T, T,", "et_mul_x(T, 3,"),
    "uninitialised read": ("et_ld(T, VX, ET_RNE);", ""),
    "data race": ("long n = core * TN", "long n = 0"),
    "deadlock": ("return 0;", "et_wait(1, 1); return 0;"),
    "FAILED": ('= 2.0)"', '= 2.0) check copy(x) -> y"'),
}


class KernelWriterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("kernels", "docs"):
            (self.folder / name).symlink_to(SOURCE / name)
        self.write(KERNEL)

    def write(self, text):
        (self.folder / "scale.c").write_text(text)

    def type(self, command):
        """As a reader would, with the tool on the path."""
        path = f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"
        return subprocess.run(command, shell=True, cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True, text=True,
                              timeout=120)

    def succeeds(self, command):
        done = self.type(command)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def command(self, program):
        found = [c for c in COMMANDS if f" {program} " in c + " "]
        self.assertEqual(len(found), 1, f"the page has {len(found)} commands with {program}")
        return found[0]

    def test_the_commands_work(self):
        self.assertGreaterEqual(len(COMMANDS), 3)
        for command in COMMANDS:
            self.succeeds(command)

    def test_the_gemm_passes_its_check(self):
        self.assertIn("check matmul: passed", self.succeeds(self.command("kernels/c/gemm_bf16.c")))

    def test_the_own_kernel_scales_on_any_number_of_cores(self):
        for cores in ("", " --cores 1", " --cores 3"):
            self.succeeds(self.command("scale.c") + cores)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "y.npy"), numpy.arange(10000, dtype=numpy.float32) / 2)

    def test_own_data_go_in_by_name(self):
        numpy.save(self.folder / "x.npy", numpy.array([1.5, -2, 0], numpy.float32))
        self.succeeds("etalon run scale.c --in x=x.npy --out y=y.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "y.npy"), numpy.array([3, -4, 0], numpy.float32))

    def test_the_options_and_pages_it_names_are_there(self):
        for flags in FLAGS:
            self.assertIn(f"`{flags}`", PAGE)
            self.succeeds("etalon run scale.c --in x=iota --dim N=100 " + flags)
        for command in re.findall(r"`(etalon isa[^`]*)`", PAGE):
            self.succeeds(command)

    def test_a_struct_of_another_size_is_refused_with_both_sizes(self):
        self.write(KERNEL.replace("int64_t N;", "int64_t N, more;"))
        done = self.type("etalon run scale.c --in x=iota --dim N=100")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"argument block has 40 bytes, but .* makes 32")

    def session(self):
        """The section's sessions as (command, lines that it prints), commands of gdb among them."""
        steps = []
        for block in re.findall(r"```console\n(.*?)```", DEBUGGING, re.DOTALL):
            for line in block.splitlines():
                if line.startswith(("$ ", "(gdb) ")):
                    steps.append((line, []))
                else:
                    steps[-1][1].append(line)
        return steps

    def assertPrints(self, text, lines):
        at = 0
        for line in lines:
            found = text.find(line + "\n", at)
            self.assertGreaterEqual(found, 0, f"no line '{line}' where the page has it, in:\n{text}")
            at = found + len(line)

    def write_broken(self):
        (self.folder / "mul.c").write_text(BROKEN)
        steps = self.session()
        self.assertEqual([command[2:].split()[:2] for command, _ in steps if command.startswith("$")],
                         [["etalon", "run"], ["etalon", "asm"], ["etalon", "run"], ["gdb-multiarch", "-q"]])
        return steps

    def test_the_broken_kernel_is_wrong_as_the_page_says_and_right_after_the_repair(self):
        (check, printed), *_ = self.write_broken()
        done = self.type(check[2:])
        self.assertEqual(done.returncode, 1)
        self.assertPrints(done.stdout, printed)
        self.succeeds(check[2:].replace("K=6", "K=4"))
        self.assertIn("`et_vseek(VB, k, 0)` the check passes", DEBUGGING)
        (self.folder / "mul.c").write_text(BROKEN.replace("et_vseek(VB, k, 1)", "et_vseek(VB, k, 0)"))
        self.succeeds(check[2:])

    @unittest.skipUnless(GDB, "no gdb-multiarch on this host")
    def test_the_debugger_shows_the_cause_as_the_page_says(self):
        _, (build, _), (run, _), (attach, _), *typed = self.write_broken()
        self.succeeds(build[2:])
        path = f"{pathlib.Path(ETALON).parent}:{os.environ['PATH']}"
        process = subprocess.Popen("exec " + run[2:].replace("--gdb 1234", "--gdb 0"), shell=True, cwd=self.folder,
                                   env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        port = re.search(r"target remote :(\d+)", process.stderr.readline())[1]
        (self.folder / "typed").write_text("".join(command.removeprefix("(gdb) ") + "\n" for command, _ in typed))
        done = self.type(attach[2:].replace(":1234", ":" + port) + " -nx -batch -x typed")
        for words, text in (("monitor", done.stderr), ("", done.stdout)):
            printed = [lines for command, lines in typed if ("monitor" in command) == bool(words)]
            self.assertPrints(text, [line for lines in printed for line in lines])
        self.assertIn("interrupted", process.communicate(timeout=60)[1])

    def test_wrong_kernels_are_reported_as_the_table_says(self):
        for words, (right, wrong) in MISTAKES.items():
            with self.subTest(words):
                self.assertRegex(PAGE, rf"(?m)^\| .*`{words}`")
                self.assertIn(right, KERNEL)
                self.write(KERNEL.replace(right, wrong))
                check = " --check" if words == "FAILED" else ""
                done = self.type("etalon run scale.c --in x=iota --dim N=100" + check)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stdout + done.stderr)
                if words != "FAILED":
                    self.assertRegex(done.stdout + done.stderr, r"scale\.c:\d+")


if __name__ == "__main__":
    if os.environ.get("ETALON_TEST_LLVM") != "ON":
        print("skipped: this build has no LLVM, so it cannot compile the C programs of the page")
        sys.exit(77)
    ETALON = sys.argv[1]
    passed = unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()
    if passed and GDB is None:
        print("skipped: the session with gdb: no gdb-multiarch on this host (see scripts/packages.txt)")
    sys.exit(1 if not passed else 77 if GDB is None else 0)
