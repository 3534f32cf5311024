#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py counts what ran, and counts as failed what did not finish."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import quoteattr, escape

SCRIPTS = pathlib.Path(__file__).resolve().parent
PASSED = {"status": "RUN", "result": "COMPLETED"}
FAILED = {**PASSED, "failures": [{"failure": "1 != 2", "type": ""}]}
SKIPPED = {"status": "RUN", "result": "SKIPPED"}
DISABLED = {"status": "NOTRUN", "result": "SUPPRESSED"}
SKIP_TEXT = "[ RUN      ] S.c\na_test.cc:4: Skipped\nno LLVM\nhere\n\n[  SKIPPED ] S.c (0 ms)\n"


def case(name, status, output="", message=None):
    """One <testcase> as ctest writes it."""
    inner = f"<skipped message={quoteattr(message)}/>" if message else ""
    return f'<testcase name="{name}" status="{status}">{inner}<system-out>{escape(output)}</system-out></testcase>'


class CountTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.results = pathlib.Path(self.folder.name) / "dev/test-results"
        self.results.mkdir(parents=True)

    def count(self, gtests=(), others=(), cases=(), also=()):
        """(exit status, lines) for programs listed as `gtests` and `others` and the junit `cases`."""
        tests = [{"name": n, "command": [n, f"--gtest_output=json:{self.results}/{n}.json"]} for n in gtests]
        tests += [{"name": n, "command": [n]} for n in others]
        (self.results / "ctest-list.json").write_text(json.dumps({"tests": tests}))
        (self.results / "ctest.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        return self.run_it([str(self.results.parent)] + list(also))

    def run_it(self, arguments):
        done = subprocess.run([sys.executable, str(SCRIPTS / "count_tests.py"), *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def gtest(self, program, **cases):
        suite = {"name": "S", "testsuite": [{"name": n, **c} for n, c in cases.items()]}
        (self.results / f"{program}.json").write_text(json.dumps({"testsuites": [suite]}))

    def test_cases_of_a_gtest_program_count_one_each_and_others_one_a_program(self):
        self.gtest("a_test", a=PASSED, b=PASSED)
        status, lines = self.count(["a_test"], ["script"], [case("a_test", "run"), case("script", "run")])
        self.assertEqual((status, lines), (0, ["3 passed, 0 failed, 0 skipped"]))

    def test_failures_are_named_and_the_exit_status_says_so(self):
        self.gtest("a_test", a=PASSED, b=FAILED)
        status, lines = self.count(["a_test"], ["script"], [case("a_test", "fail"), case("script", "fail")])
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["FAILED dev: a_test: S.b", "FAILED dev: script", "1 passed, 2 failed, 0 skipped"])

    def test_skips_are_counted_with_their_reason(self):
        self.gtest("a_test", a=PASSED, c=SKIPPED, DISABLED_d=DISABLED)
        status, lines = self.count(["a_test"], ["script"], [
            case("a_test", "run", SKIP_TEXT), case("script", "notrun", "no picture viewer\n", "SKIP_RETURN_CODE=77")])
        self.assertEqual(status, 0)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 3 skipped")
        self.assertIn("skipped 1: no LLVM here (dev: a_test: S.c)", lines)
        self.assertIn("skipped 1: no picture viewer (dev: script)", lines)
        self.assertIn("skipped 1: disabled in the source (dev: a_test: S.DISABLED_d)", lines)

    def test_a_program_that_died_before_writing_results_is_a_failure(self):
        status, lines = self.count(["a_test"], ["ok"], [case("a_test", "fail"), case("ok", "run")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("a_test: died", lines[0])

    def test_results_cut_short_are_a_failure(self):
        (self.results / "a_test.json").write_text('{"testsuites": [{"name": "S", ')
        status, lines = self.count(["a_test"], ["ok"], [case("a_test", "fail"), case("ok", "run")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_program_that_fails_after_its_cases_passed_is_a_failure(self):
        self.gtest("a_test", a=PASSED)
        status, lines = self.count(["a_test"], [], [case("a_test", "fail")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_program_that_was_not_built_or_not_run_is_a_failure(self):
        status, lines = self.count(["a_test"], ["b", "ok"], [
            case("a_test", "notrun", "", "Unable to find executable"), case("ok", "run")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 2 failed, 0 skipped"))
        self.assertIn("FAILED dev: b: was not run", lines)

    def test_a_build_without_results_is_a_failure(self):
        status, lines = self.run_it([str(self.results.parent)])
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_step_that_failed_or_was_skipped_outside_ctest_counts(self):
        status, lines = self.count([], ["ok"], [case("ok", "run")], ["--failed", "build dev", "--skipped", "format=no tool"])
        self.assertEqual((status, lines), (1, ["skipped 1: no tool (format)", "FAILED build dev",
                                               "1 passed, 1 failed, 1 skipped"]))

    def test_nothing_passed_is_no_success(self):
        self.assertEqual(self.count(), (1, ["0 passed, 0 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()
