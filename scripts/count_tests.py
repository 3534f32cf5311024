#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up test results and says what failed and why something was skipped.

usage: count_tests.py [--failed NAME]... [--skipped NAME=REASON]... BUILD_DIR...

Each BUILD_DIR holds, from one run with one choice of tests,
  test-results/ctest-list.json   what `ctest --show-only=json-v1` lists
  test-results/ctest.xml         what `ctest --output-junit` wrote
  test-results/NAME.json         one per GoogleTest program (etalon_test passes --gtest_output)
A GoogleTest program counts one per test case; any other test counts as one, and so does
what --failed and --skipped name (a build that broke, a check that could not be made). A program that dies before
it has written its results counts as one failure, as does one whose results show no failure although ctest saw one
(a sanitizer report at exit, a timeout). The last line is `N passed, N failed, N skipped`. Exit status 0 only if
nothing failed and something passed.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

GTEST_FLAG = "--gtest_output=json:"


class Counts:
    def __init__(self):
        self.passed = 0
        self.failed = []  # names
        self.skipped = []  # (name, reason)


def skip_reasons(output):
    """Test name -> reason, from the text a GoogleTest program prints (its JSON does not hold the reason)."""
    reasons = {}
    for name, body in re.findall(r"^\[ RUN      \] (\S+)\n(.*?)^\[  SKIPPED \] \1", output, re.M | re.S):
        text = re.search(r": Skipped\n(.*)", body, re.S)
        if text and text[1].strip():
            reasons[name] = " ".join(text[1].split())
    return reasons


def count_gtest(label, results, ctest_passed, output, counts):
    """Adds the cases of one GoogleTest program; `results` is the path of its JSON."""
    try:
        suites = json.loads(results.read_text())["testsuites"]
        cases = [(f"{s['name']}.{c['name']}", c) for s in suites for c in s["testsuite"]]
    except (OSError, ValueError, KeyError) as error:
        counts.failed.append(f"{label}: died before it wrote its results ({type(error).__name__})")
        return
    reasons, failures = skip_reasons(output), 0
    for name, case in cases:
        if case.get("failures"):
            failures += 1
            counts.failed.append(f"{label}: {name}")
        elif case["result"] == "SKIPPED":
            counts.skipped.append((f"{label}: {name}", reasons.get(name, "no reason given")))
        elif case["status"] == "NOTRUN":
            if "DISABLED_" in name:
                counts.skipped.append((f"{label}: {name}", "disabled in the source"))
        else:
            counts.passed += 1
    if not ctest_passed and failures == 0:
        counts.failed.append(f"{label}: failed as a program, though no test case did")


def count_other(label, case, counts):
    """Adds one ctest test that is not a GoogleTest program."""
    status = case.get("status")
    skipped = case.find("skipped")
    message = skipped.get("message", "") if skipped is not None else ""
    output = (case.findtext("system-out") or "").strip()
    if status == "run":
        counts.passed += 1
    elif status == "disabled" or message.startswith("SKIP_"):
        reason = "disabled in CMake" if status == "disabled" else output.splitlines()[-1] if output else message
        counts.skipped.append((label, reason))
    else:
        counts.failed.append(f"{label}: {message}" if message else label)


def count_build(build, counts):
    preset, results = build.resolve().name, build / "test-results"
    try:
        listed = json.loads((results / "ctest-list.json").read_text())["tests"]
        ran = {c.get("name"): c for c in xml.etree.ElementTree.parse(results / "ctest.xml").iter("testcase")}
    except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
        counts.failed.append(f"{preset}: no test results ({error})")
        return
    for test in listed:
        label = f"{preset}: {test['name']}"
        case = ran.get(test["name"])
        if case is None:
            counts.failed.append(f"{label}: was not run")
            continue
        flag = next((a for a in test.get("command", []) if a.startswith(GTEST_FLAG)), None)
        if flag and case.get("status") in ("run", "fail"):
            output = case.findtext("system-out") or ""
            count_gtest(label, pathlib.Path(flag[len(GTEST_FLAG):]), case.get("status") == "run", output, counts)
        else:
            count_other(label, case, counts)


def main(arguments):
    counts, builds = Counts(), []
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "--failed":
            counts.failed.append(next(arguments))
        elif argument == "--skipped":
            counts.skipped.append(tuple(next(arguments).split("=", 1)))
        else:
            builds.append(pathlib.Path(argument))
    for build in builds:
        count_build(build, counts)
    reasons = {}
    for name, reason in counts.skipped:
        reasons.setdefault(reason, []).append(name)
    for reason, names in sorted(reasons.items()):
        print(f"skipped {len(names)}: {reason} ({names[0]}{', ...' if len(names) > 1 else ''})")
    for name in counts.failed:
        print(f"FAILED {name}")
    print(f"{counts.passed} passed, {len(counts.failed)} failed, {len(counts.skipped)} skipped")
    return 0 if counts.passed and not counts.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
