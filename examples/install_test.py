#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An installation works wherever it lies: program, machine files, runtime, plug-ins, and a project that finds the package.

Arguments: SOURCE_DIR BUILD_DIR CMAKE CC CXX. Installs the build, moves the installation, and uses nothing else of it.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv[1] + "/tools")
import elf_for_tests as elf  # noqa: E402

SOURCE, BUILD, CMAKE, CC, CXX = sys.argv[1:6]
LLVM = os.environ.get("ETALON_TEST_LLVM") == "ON"


def run(*arguments, expect=0, **options):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=600, **options)
    if done.returncode != expect:
        raise AssertionError(f"{arguments} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = pathlib.Path(cls.temporary.name)
        run(CMAKE, "--install", BUILD, "--prefix", folder / "first")
        cls.prefix = folder / "moved here"
        (folder / "first").rename(cls.prefix)

    def etalon(self, *arguments, expect=0, **options):
        return run(self.prefix / "bin/etalon", *arguments, expect=expect, **options)

    def change(self, path, old, new):
        """Changes a file of the installation for the length of the test: who reads it then, reads this one."""
        file = self.prefix / path
        before = file.read_text()
        self.assertIn(old, before)
        file.write_text(before.replace(old, new, 1))
        self.addCleanup(file.write_text, before)

    def test_machine_files_are_those_of_the_installation(self):
        self.change("share/etalon/isa/machines/base.yaml", "title: ", "title: Installed. ")
        self.assertIn("Installed. ", self.etalon("machines").stdout)
        plugin = "plugin:" + str(self.prefix / "lib/etalon/plugins/libetalon_functional.so")
        self.assertIn("machine base", self.etalon("devices", plugin).stdout)
        self.change("share/etalon/isa/machines/base.yaml", "cores: {value: 4,", "cores: {value: 3,")
        said = json.loads(self.etalon("devices", plugin, "--json").stdout)
        self.assertEqual(said["description"]["limits"]["cores"], 3)

    def test_completion_and_manual_pages_lie_where_shells_and_man_look(self):
        share = self.prefix / "share"
        for shell, file in (("bash", "bash-completion/completions/etalon"), ("zsh", "zsh/site-functions/_etalon"),
                            ("fish", "fish/vendor_completions.d/etalon.fish")):
            self.assertEqual((share / file).read_text(), self.etalon("completion", shell).stdout)
        self.assertEqual((share / "man/man1/etalon-run.1").read_text(), self.etalon("man", "run").stdout)

    def test_profiles_are_those_of_the_installation(self):
        self.change("share/etalon/isa/profiles/base.yaml", "name: Et-base", "name: Et-other")
        self.assertIn("no profile Et-base", self.etalon("machines", expect=2).stderr)

    @unittest.skipUnless(LLVM, "this build has no compiler for the device")
    def test_the_runtime_is_that_of_the_installation(self):
        program = self.prefix / "hello.c"
        program.write_text("#include <etalon/xet.h>\nint main(void *p, unsigned long core, unsigned long cores) { return 0; }\n")
        self.etalon("run", program)
        self.change("share/etalon/runtime/include/etalon/runtime.h", "#", "#error installed\n#")
        self.assertIn("installed", self.etalon("run", program, expect=2).stderr)

    def test_the_folder_can_be_named(self):
        nowhere = os.environ | {"ETALON_SHARE": str(self.prefix / "none")}
        self.assertIn("none", self.etalon("machines", expect=2, env=nowhere).stderr)

    def test_a_plug_in_runs_an_operator(self):
        template = self.prefix / "share/etalon/plugins/template"
        plugin = "plugin:" + str(self.prefix / "lib/etalon/plugins/libetalon_cpu.so")
        self.etalon("run", template / "mul_add_relu.spec", "--device", plugin, "--in", "a=random:1", "--in", "b=random:2", "--in",
                    "c=random:3", "--dim", "M=4", "--dim", "N=5", "--check")

    def test_a_project_finds_the_package(self):
        build = self.prefix / "build"
        source = pathlib.Path(SOURCE) / "examples/device_tour"
        run(CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}",
            f"-DCMAKE_CXX_COMPILER={CXX}")
        lines = run(CMAKE, "--build", build, "--verbose").stdout
        self.assertNotIn(SOURCE + "/isa", lines)
        self.assertNotIn(BUILD, lines)
        text = run(build / "device_tour", self.prefix / "lib/etalon/plugins/libetalon_cpu.so").stdout
        self.assertIn("\n 4 5 10 11\n", text)
        self.assertIn("template", run(build / "device_tour", build / "libmydevice.so").stdout)

    def test_a_systemc_platform_builds_and_runs_on_it(self):
        build = self.prefix / "platform"
        run(CMAKE, "-S", pathlib.Path(SOURCE) / "examples/systemc_platform", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}")
        run(CMAKE, "--build", build)
        words = [self.etalon("asm", "-i", "et.halt").stdout.split()[0]]
        program = self.prefix / "halt.elf"
        program.write_bytes(elf.image([int(word, 16) for word in words]))
        self.assertIn("exited 0", run(build / "systemc_platform", "base", program, 80).stdout)

    def test_headers_compile_on_their_own(self):
        include = self.prefix / "include/etalon"
        self.assertGreater(len(list(include.rglob("*.h"))), 80)

        def compile(compiler, name, *flags):
            run(compiler, *flags, "-fsyntax-only", f"-I{include}", "-", input=f"#include <{name}>\n")

        strict = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
        compile(CC, "isa/abi/etalon_device.h", "-std=c11", "-xc", *strict)
        compile(CXX, "isa/abi/etalon_device.h", "-std=c++11", "-xc++", *strict)
        for name in ("isa/abi/device.h", "sim/functional/functional_device.h", "kernels/reference/check.h", "isa/element_type.h"):
            compile(CXX, name, "-std=c++20", "-xc++")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
