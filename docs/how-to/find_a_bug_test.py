#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/how-to/find-a-bug-with-random-programs.md with a defective device. Arguments: BUILD, the defective plug-in."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "docs"))
from page import Page  # noqa: E402

BUILD, DEFECTIVE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
MODEL = BUILD / "sim/functional/plugin/libetalon_functional.so"


class FindABug(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        # The script takes build/dev; this build may be another.
        script = self.folder / "bin/random-programs"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec {SOURCE}/scripts/random-programs --build {BUILD} "$@"\n')
        script.chmod(0o755)
        environment = os.environ | {"PATH": f"{script.parent}:{BUILD}/tools:{os.environ['PATH']}", "DEVICE": str(DEFECTIVE),
                                    "ETALON_FORGETFUL_OF": str(MODEL)}
        self.page = Page(SOURCE / "docs/how-to/find-a-bug-with-random-programs.md", environment)
        self.sound, self.device, self.read, self.run_image = self.page.commands()

    def shorter(self, command, count):
        return re.sub(r"--count \d+", f"--count {count} --jobs 1", command)

    def test_the_model_equals_itself(self):
        printed = self.page.run(self.shorter(self.sound, 20), self.folder)
        self.assertRegex(printed, r"20 programs, 0 failures, digest [0-9a-f]{16}")

    def test_shards_add_up_to_the_whole(self):
        digest = re.compile(r"digest ([0-9a-f]{16})")
        whole = digest.search(self.page.run(self.shorter(self.sound, 9) + " --paths again", self.folder))[1]
        parts = [digest.search(self.page.run(self.shorter(self.sound, 9) + f" --paths again --shard {i}/2", self.folder))[1] for i in (0, 1)]
        self.assertEqual(sum(int(part, 16) for part in parts) % 2**64, int(whole, 16))

    def test_a_defect_is_found_shrunk_and_repeated(self):
        command = self.shorter(self.device, 60) + " --most-failures 1"
        printed = self.page.run(command, self.folder, expect=1)
        sample = self.page.text[self.page.text.index("```text"):].split("```")[1]
        for line in sample.splitlines()[1:]:  # the lines that the page shows, but for numbers
            self.assertRegex(printed, f"(?m)^{re.escape(line[:9])}")
        self.assertRegex(printed, r"shrunk from \d+ steps to 1 by")
        self.assertIn("et.transpose", self.page.run(self.read, self.folder))
        self.assertIn("functional64", self.page.run(self.run_image + " || true", self.folder))
        again = re.search(r"(?m)^# repeat: scripts/(.*)$", printed)[1]
        self.assertIn("1 failures", self.page.run(again, self.folder, expect=1))

    def test_bad_arguments_are_errors(self):
        for arguments, text in [("--shard 2/2", "--shard 2/2: it is I/N"), ("--paths plug-in", "--paths plug-in: there are again, snapshots, plugin, worker"),
                                ("--plugin nowhere.so --paths worker", "nowhere.so"), ("--bogus", "--bogus"),
                                ("--count 0", "--count 0: at least 1 program")]:
            with self.subTest(arguments):
                status = 1 if "nowhere" in arguments else 2
                self.assertIn(text, self.page.run(self.shorter(self.sound, 1) + " " + arguments, self.folder, expect=status))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
