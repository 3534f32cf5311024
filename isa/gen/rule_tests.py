# SPDX-License-Identifier: Apache-2.0
"""Which tests show which rules of docs/spec: a test holds the fact, here it is collected.

A GoogleTest names rules in its body (isa/state/rule_test.h): SHOWS(mm_shape) says that the rule holds, VIOLATES(mm_shape)
breaks it and shows what then happens. A worked example does the same by `shows: [mm.shape]`. A litmus test names rules in
`rules:`; it breaks one of them if an outcome is a fault of that rule, or the finding of it. What the description lists
under `faults` needs no such line: examples_test executes the worked examples, which keep those rules, and fault_test
provokes every listed fault.
"""
import re

from encoding import DescriptionError
from litmus import read_tests
from load import rule_identifier
from read import read_text

FOLDERS = ("isa", "sim", "kernels", "validation", "tools")
# A test, or a line in one that names rules.
LINE = re.compile(r"^TEST(?:_P|_F)?\((\w+),\s*(\w+)\)|^ +(SHOWS|VIOLATES)\(([^)]*)\);", re.MULTILINE)
ANYWHERE = re.compile(r"\b(SHOWS|VIOLATES)\(")
# A rule that can be violated says what then happens, in one of these words.
CONSEQUENCE = re.compile(r"\bcause \d|\btraps\b|\brefuse[sd]?\b|\breport(s|ed)\b")
NAMED_IN_FULL = 3  # from more instructions on only their number is written


def can_be_violated(rule):
    return CONSEQUENCE.search(rule["text"]) is not None


def test_sources(source):
    """Files that hold tests, sorted."""
    return sorted(p for folder in FOLDERS for p in (source / folder).rglob("*_test.cc"))


def collect(text, where, named):
    """Adds the tests of one source to `named`, {"SHOWS": {identifier: [test]}, "VIOLATES": ...}."""
    test, lines = None, 0
    for match in LINE.finditer(text):
        if match[1]:
            test = f"{where}: {match[1]}.{match[2]}"
            continue
        line = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        lines += 1
        if test is None:
            raise DescriptionError(f"{line}: {match[3]} stands before the first test")
        for identifier in match[4].split(","):
            tests = named[match[3]].setdefault(identifier.strip(), [])
            if test in tests:
                raise DescriptionError(f"{line}: {identifier.strip()} stands twice in this test")
            tests.append(test)
    if len(ANYWHERE.findall(text)) != lines:
        raise DescriptionError(f"{where}: cannot read every SHOWS and VIOLATES; each is a statement of its own in a test's body")


def instructions_text(names):
    return ", ".join(names) if len(names) <= NAMED_IN_FULL else f"{len(names)} instructions"


def add_described(description, tests):
    """What the description's faults and worked examples show."""
    kept, broken = {}, {}
    for i in description["instructions"]:
        for rule in dict.fromkeys(r for e in i["examples"] for r in e.get("shows", [])):
            tests[rule]["shows"].append(f"example of {i['name']} (examples_test)")
        for rule in i["faults"]:
            broken.setdefault(rule, []).append(i["name"])
            if any("fault" not in e for e in i["examples"]):
                kept.setdefault(rule, []).append(i["name"])
    for rule, names in kept.items():
        tests[rule]["shows"].append(f"worked examples of {instructions_text(names)} (examples_test)")
    for rule, names in broken.items():
        if rule != "op.work-cap":  # fault_test leaves the caps to work_cap_test
            tests[rule]["violates"].append(f"faults of {instructions_text(names)} (fault_test)")


def add_litmus(description, tests):
    for test in read_tests(description["source"] / "docs/spec/litmus", description["rules"]):
        name = f"docs/spec/litmus/{test['name']}.litmus (litmus_test)"
        for rule in test["rules"]:
            tests[rule]["shows"].append(name)
            if rule in test["violates"] and can_be_violated(description["rules"][rule]):
                tests[rule]["violates"].append(name)


def rule_tests(description):
    """{rule name: {"shows": [test], "violates": [test]}} for every rule; refuses lines that say something impossible."""
    named = {"SHOWS": {}, "VIOLATES": {}}
    for path in test_sources(description["source"]):
        collect(read_text(path), str(path.relative_to(description["source"])), named)
    rules = {rule_identifier(name): rule for name, rule in description["rules"].items()}
    tests = {name: {"shows": [], "violates": []} for name in description["rules"]}
    for macro, found in named.items():
        for identifier, names in found.items():
            if identifier not in rules:
                raise DescriptionError(f"{names[0]}: {macro}({identifier}): docs/spec has no such rule")
            if macro == "VIOLATES" and not can_be_violated(rules[identifier]):
                raise DescriptionError(f"{names[0]}: VIOLATES({identifier}): the rule does not say what a violation leads to")
            tests[rules[identifier]["name"]][macro.lower()] += names
    add_described(description, tests)
    add_litmus(description, tests)
    return tests


def rules_without_tests(description):
    """Lines that say which rule lacks which test; empty if every rule is covered."""
    lines = []
    for name, found in rule_tests(description).items():
        if not found["shows"]:
            lines.append(f"{name}: no test SHOWS it")
        if not found["violates"] and can_be_violated(description["rules"][name]):
            lines.append(f"{name}: no test VIOLATES it")
    return lines
