# SPDX-License-Identifier: Apache-2.0
"""Litmus tests (docs/spec/litmus) as the manual shows them. What a test means, validation/litmus says and checks."""
from encoding import DescriptionError
from manual_page import markdown_table
from read import read_text

MARK = "<!-- the tests -->\n"
# Key of an outcome -> what a reader is told.
OUTCOMES = {"allowed": "allowed", "race": "race on {}: undefined, and reported", "order-dependent": "reported as order-dependent: {}",
            "deadlock": "deadlock: every core waits", "fault": "traps: {}", "forbidden": "forbidden",
            "weaker": "allowed, but never seen in the functional model"}
# Findings -> the rule that says they are reported. A fault names its rule itself.
FINDINGS = {"race": "sync.race", "order-dependent": "sync.order-dependent"}
STATE = ("memory", "local", "tiles")


def read_tests(folder, rules):
    """Tests in the order of their names: {name, title, rules, state, cores: [lines], outcomes: [(terms, meaning)],
    violates: rules that an outcome says are broken}."""
    tests = []
    for path in sorted(folder.glob("*.litmus")):
        test = {"name": path.stem, "title": "", "rules": [], "state": [], "cores": [], "outcomes": [], "violates": set()}
        for number, line in enumerate(read_text(path).splitlines(), 1):
            line = line.partition("#")[0].rstrip()
            if not line:
                continue
            if line.startswith(" "):
                test["cores"][-1].append(line.strip() if line.endswith(":") else "  " + line.strip())
                continue
            key, _, value = (part.strip() for part in line.partition(":"))
            word, _, argument = key.partition(" ")
            if word == "title":
                test["title"] = value
            elif word == "rules":
                test["rules"] = value.split()
            elif word in STATE:
                test["state"].append(f"{key}: {value}")
            elif word == "core":
                test["cores"].append([f"core {argument}" + (f": {value}" if value else "")])
            elif word in OUTCOMES:
                test["outcomes"].append((value, OUTCOMES[word].format(argument)))
                test["violates"].add(argument if word == "fault" else FINDINGS.get(word))
            else:
                raise DescriptionError(f"{path.name}:{number}: '{word}' is no part of a litmus test")
        for rule in test["rules"]:
            if rule not in rules:
                raise DescriptionError(f"{path.name}: docs/spec has no rule '{rule}'")
        tests.append(test)
    return tests


def side_by_side(cores):
    """The programs as columns of text."""
    widths = [max(len(line) for line in core) for core in cores]
    rows = max(len(core) for core in cores)
    lines = []
    for row in range(rows):
        cells = [(core[row] if row < len(core) else "").ljust(width) for core, width in zip(cores, widths)]
        lines.append(" | ".join(cells).rstrip(" |"))
    return "\n".join(lines)


def rule_links(names, rules):
    return " ".join(f"[{name}]({rules[name]['chapter']}.md#{name})" for name in names)


def section(test, rules):
    state = "".join(f"{line}\n" for line in test["state"])
    rows = [["final state", "is"]] + [[f"`{terms}`" if terms != "any" else "any", meaning] for terms, meaning in test["outcomes"]]
    return (f'### <a id="{test["name"]}"></a>{test["name"]}\n\n{test["title"]}. Rules: {rule_links(test["rules"], rules)}\n\n'
            f"```\n{state}{side_by_side(test['cores'])}\n```\n\n{markdown_table(rows)}")


def tests_by_rule(tests, rules):
    shown = {}
    for test in tests:
        for rule in test["rules"]:
            shown.setdefault(rule, []).append(f"[{test['name']}](#{test['name']})")
    rows = [["rule", "tests"]] + [[rule_links([name], rules), ", ".join(shown[name])] for name in sorted(shown, key=lambda n: rules[n]["number"])]
    return markdown_table(rows)


def with_tests(text, folder, rules):
    """The chapter with its tests in the place of its mark."""
    tests = read_tests(folder, rules)
    parts = ["## Tests of each rule\n", tests_by_rule(tests, rules), "## Tests\n"] + [section(test, rules) for test in tests]
    return text.replace(MARK, "\n".join(parts))
