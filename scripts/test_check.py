#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of scripts/check refuses a tiny checkout that breaks it, and accepts one that does not."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent
SPDX = "SPDX-License-Identifier: Apache-2.0"
GOOD = {
    "scripts/cmake/EtalonTargets.cmake": (SCRIPTS / "cmake/EtalonTargets.cmake").read_text(),
    ".clang-format": (SCRIPTS.parent / ".clang-format").read_text(),
    "isa/good.h": f'// {SPDX}\n#pragma once\n\n#include <vector>\n\n#include "isa/other.h"\n',
    "sim/systemc/clock.cc": f'// {SPDX}\n#include <systemc>\n\n#include "isa/good.h"\n',
    "isa/schema/x.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}\n',
}


def cpp(*lines):
    return "\n".join((f"// {SPDX}",) + lines) + "\n"


class Check(unittest.TestCase):
    def check(self, extra, *command):
        """Runs a check on a checkout of GOOD and `extra` (path -> text); (exit status, output)."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**GOOD, **extra}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            subprocess.run(["git", "init", "-q", folder], check=True)
            done = subprocess.run([str(SCRIPTS / "check"), "--root", folder, *command],
                                  capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def assert_refused(self, extra, *words):
        status, output = self.check(extra)
        self.assertNotEqual(status, 0, output)
        for word in words:
            self.assertIn(word, output)

    def assert_accepted(self, extra):
        status, output = self.check(extra)
        self.assertEqual(status, 0, output)

    def test_a_checkout_that_keeps_the_rules_is_accepted(self):
        self.assert_accepted({})

    def test_a_source_file_without_licence_line_is_refused(self):
        sources = {"a.cc": "int x;\n", "a.py": "x = 1\n", "CMakeLists.txt": "project(x)\n", "a.yaml": "x: 1\n",
                   "a.s": "nop\n", "run": "#!/bin/sh\n"}
        self.assert_refused({f"isa/{n}": text for n, text in sources.items()}, SPDX, *(f"isa/{n}:1:" for n in sources))

    def test_the_licence_line_may_follow_the_interpreter_line(self):
        self.assert_accepted({"isa/run": f"#!/bin/sh\n# {SPDX}\n"})

    def test_a_file_over_800_lines_is_refused_and_one_over_400_is_warned_of(self):
        self.assert_refused({"isa/long.cc": cpp(*["//"] * 800)}, "isa/long.cc: 801 lines")
        status, output = self.check({"isa/long.cc": cpp(*["//"] * 400)})
        self.assertEqual(status, 0, output)
        self.assertIn("warning: isa/long.cc: 401 lines", output)

    def test_a_path_of_one_machine_is_refused(self):
        folders = ("root", "home", "tmp")
        self.assert_refused({f"docs/{f}.md": f"see\n/{f}/x\n" for f in folders},
                            *(f"docs/{f}.md:2: `/{f}" for f in folders))

    def test_a_path_that_only_ends_like_a_machine_path_is_accepted(self):
        self.assert_accepted({"docs/a.md": "build/tmp/x, $OUT/home/y, ${X}/tmp/z\n"})

    def test_json_that_is_broken_or_repeats_a_key_is_refused(self):
        self.assert_refused({"a.json": "{"}, "a.json: not JSON")
        self.assert_refused({"a.json": '{"k": 1, "k": 2}'}, "a.json: not JSON", "'k' stands twice")

    def test_a_schema_that_is_invalid_or_names_no_dialect_is_refused(self):
        dialect = "https://json-schema.org/draft/2020-12/schema"
        bad = json.dumps({"$schema": dialect, "properties": {"x": {"type": "integr"}}})
        self.assert_refused({"isa/schema/y.json": bad}, "isa/schema/y.json: not a valid JSON Schema", "$.properties.x")
        self.assert_refused({"isa/schema/y.json": "{}"}, "must name its dialect")
        self.assert_refused({"isa/schema/y.json": '{"$schema": "foo:bar"}'}, "unknown schema dialect 'foo:bar'")

    def test_an_include_the_layer_table_forbids_is_refused(self):
        wrong = {"isa/a.cc": "sim/b.h", "sim/a.cc": "compiler/b.h", "compiler/a.cc": "sim/b.h",
                 "kernels/a.cc": "tools/b.h", "compiler/tile/a.cc": "compiler/backends/npu/b.h"}
        self.assert_refused({place: cpp(f'#include "{header}"') for place, header in wrong.items()},
                            *(f"{place}:2: layer" for place in wrong))

    def test_an_include_the_layer_table_allows_is_accepted(self):
        self.assert_accepted({"sim/a.cc": cpp('#include "isa/b.h"'),
                              "compiler/backends/npu/a.cc": cpp('#include "sim/b.h"'),
                              "isa/a_test.cc": cpp('#include "sim/b.h"')})

    def test_systemc_outside_its_folder_is_refused(self):
        headers = ("systemc", "systemc.h", "tlm", "tlm_utils/simple_target_socket.h")
        self.assert_refused({"sim/units/a.cc": cpp(*(f"#include <{h}>" for h in headers))},
                            *(f"<{h}> may be included only in sim/systemc" for h in headers))

    def test_the_json_library_in_a_header_is_refused_and_in_a_source_file_accepted(self):
        self.assert_refused({"isa/a.h": cpp("#include <nlohmann/json.hpp>")}, "isa/a.h:2:", "nlohmann")
        self.assert_accepted({"isa/a.cc": cpp("#include <nlohmann/json.hpp>")})

    def test_a_relative_include_is_refused(self):
        self.assert_refused({"isa/a.cc": cpp('#include "../isa/b.h"', '#include "b.h"')},
                            "isa/a.cc:2: \"../isa/b.h\": write the path", "isa/a.cc:3: \"b.h\": write the path")

    def test_badly_formatted_code_is_refused_where_the_formatter_is_installed(self):
        status, output = self.check({"isa/a.cc": cpp("int   x ;")})
        if shutil.which("clang-format-19"):
            self.assertNotEqual(status, 0, output)
            self.assertIn("isa/a.cc:2:", output)
        else:
            self.assertIn("skipped 1: clang-format-19 is not installed", output)

    def test_clang_tidy_without_a_build_says_how_to_make_one(self):
        status, output = self.check({}, "--tidy")
        self.assertNotEqual(status, 0, output)
        self.assertIn("cmake --preset dev", output)


if __name__ == "__main__":
    unittest.main()
