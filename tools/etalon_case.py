# SPDX-License-Identifier: Apache-2.0
"""What tests of the `etalon` program share: they call it as a user does. Arguments: SOURCE_DIR ETALON."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy

import elf_for_tests as elf

SOURCE = pathlib.Path(sys.argv[1])
ETALON = sys.argv[2]
DATA = SOURCE / "tools/testdata"
LLVM = os.environ.get("ETALON_TEST_LLVM") == "ON"
SCHEMA = json.loads((SOURCE / "isa/schema/run_result.schema.json").read_text())


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def etalon(self, *arguments, expect=0):
        done = subprocess.run([ETALON, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def refused(self, *arguments, says):
        """Bad input: status 2, nothing on stdout, one message that holds all of `says`."""
        done = self.etalon(*arguments, expect=2)
        self.assertEqual(done.stdout, "")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)

    def json(self, *arguments, expect=0):
        done = self.etalon("run", *arguments, "--json", expect=expect)
        result = json.loads(done.stdout)
        jsonschema.Draft202012Validator(SCHEMA).validate(result)
        self.assertEqual(result["success"], expect == 0)
        return result

    def words(self, *instructions):
        flags = [flag for text in instructions for flag in ("-i", text)]
        return [int(word, 16) for word in self.etalon("asm", *flags).stdout.split()]

    def image(self, *instructions, spec=None, args_bytes=0):
        """Path of an image of these instructions."""
        path = self.folder / "program.elf"
        path.write_bytes(elf.image(self.words(*instructions), spec, args_bytes))
        return path

    def array(self, name, values, dtype):
        numpy.save(self.folder / name, numpy.array(values, dtype))
        return self.path(name)
