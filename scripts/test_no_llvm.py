#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_no_llvm.py and without-llvm do what they say."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent


def check(ninja, *programs):
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "build.ninja").write_text(ninja)
        for program in programs:
            shutil.copy(program, build)
        done = subprocess.run([sys.executable, str(SCRIPTS / "check_no_llvm.py"), folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class NoLlvm(unittest.TestCase):
    def test_a_build_that_names_no_llvm_is_accepted(self):
        self.assertEqual(check("LINK_LIBRARIES = -lfmt tools/libetalon_llvm_free.a\n", shutil.which("git")), (0, ""))

    def test_an_include_path_or_library_of_llvm_is_refused(self):
        for line in ("INCLUDES = -isystem /usr/include/llvm-19/x", "LINK_LIBRARIES = -lLLVM-19", "L = /usr/lib/libLLVM.so.19.1",
                     "L = /usr/lib/x/liblldELF.a", "L = -lMLIR",
                     "COMMAND = /usr/bin/clang++-19 -c x.cc"):
            with self.subTest(line):
                status, output = check("rule x\n" + line + "\n")
                self.assertEqual(status, 1)
                self.assertIn("build.ninja:2:", output)

    def test_a_program_linked_to_llvm_is_refused(self):
        compiler = shutil.which("clang-format-19") or shutil.which("llc-19")
        if not compiler:
            self.skipTest("no program linked to LLVM on this machine")
        status, output = check("", pathlib.Path(compiler).resolve())
        self.assertEqual(status, 1)
        self.assertIn("needs lib", output)

    def test_without_llvm_hides_llvm_programs_keeps_others_and_passes_the_exit_status(self):
        def run(script):
            return subprocess.run([str(SCRIPTS / "without-llvm"), "sh", "-c", script], capture_output=True).returncode
        self.assertEqual(run("command -v g++ && command -v cmake && command -v git"), 0)
        names = "clang-19 clang++-19 ld.lld-19 llvm-mc-19 opt-19 FileCheck-19"
        self.assertEqual(run(f"for name in {names}; do if command -v $name; then exit 1; fi; done"), 0)
        self.assertEqual(run("exit 7"), 7)


if __name__ == "__main__":
    unittest.main()
