#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule has a test that shows it and, where it can be violated, one that breaks it; what the collector refuses."""
import unittest

from description_tree import SOURCE, DescriptionTree
from emit_manual import rule_tests_page
from encoding import DescriptionError
from load import load
from rule_tests import can_be_violated, rule_tests, rules_without_tests

TEST = "isa/state/tiny_test.cc"
HEAD = "// a test\nTEST(Tiny, Works) {\n"


class EveryRuleTest(unittest.TestCase):
    def test_every_rule_is_shown_and_where_it_can_be_is_violated(self):
        description = load(SOURCE)
        self.assertEqual(rules_without_tests(description), [])
        self.assertEqual(len(rule_tests(description)), len(description["rules"]))


class CollectorTest(unittest.TestCase):
    """On the tiny description: et.one keeps rule tiny.meaning and lists fault tiny.shape."""

    def collected(self, text, shape="It has a shape; else cause 25."):
        with DescriptionTree() as tree:
            tree.replace("docs/spec/01-tiny.md", "It has a shape.", shape)
            tree.write(TEST, text)
            description = load(tree.root)
            return rule_tests(description), rules_without_tests(description), rule_tests_page(description)

    def test_lines_of_tests_and_the_description_are_collected(self):
        tests, missing, page = self.collected(
            HEAD + "  SHOWS(tiny_meaning);\n}\nTEST_P(Tiny, Refuses) {\n  VIOLATES(tiny_shape);\n}\n")
        self.assertEqual(tests["tiny.meaning"], {"shows": [f"{TEST}: Tiny.Works"], "violates": []})
        self.assertEqual(tests["tiny.shape"], {"shows": ["worked examples of et.one (examples_test)"],
                                               "violates": [f"{TEST}: Tiny.Refuses", "faults of et.one (fault_test)"]})
        self.assertEqual(missing, [])
        self.assertIn(f"0x0101 | [tiny.meaning](spec/01-tiny.md#tiny.meaning) | <small>{TEST}: Tiny.Works</small> | <small>cannot be violated</small> |", page)

    def test_a_list_may_go_over_lines(self):
        tests, _, _ = self.collected(HEAD + "  SHOWS(tiny_meaning,\n        tiny_shape);\n}\n")
        self.assertEqual(tests["tiny.shape"]["shows"][0], f"{TEST}: Tiny.Works")

    def test_a_worked_example_shows_rules_too(self):
        with DescriptionTree() as tree:
            tree.replace("isa/instructions/tiny.yaml", "tr0, tr1, tr2\", out", "tr0, tr1, tr2\", shows: [tiny.meaning], out")
            self.assertEqual(rule_tests(load(tree.root))["tiny.meaning"]["shows"], ["example of et.one (examples_test)"])

    def test_an_example_shows_rules_of_its_instruction_alone(self):
        with DescriptionTree() as tree:
            tree.replace("isa/instructions/tiny.yaml", "tr0, tr1, tr2\", out", "tr0, tr1, tr2\", shows: [tiny.shape], out")
            with self.assertRaisesRegex(DescriptionError, "^tiny.yaml: et.one: an example shows 'tiny.shape': it must be one of its rules"):
                load(tree.root)

    def test_a_litmus_test_shows_its_rules_and_breaks_the_one_that_it_faults_by(self):
        with DescriptionTree() as tree:
            tree.replace("docs/spec/01-tiny.md", "It has a shape.", "It has a shape; else cause 25.")
            tree.write("docs/spec/litmus/a.litmus", "title: a\nrules: tiny.meaning tiny.shape\nfault tiny.shape: any\n")
            tests = rule_tests(load(tree.root))
            name = "docs/spec/litmus/a.litmus (litmus_test)"
            self.assertEqual(tests["tiny.meaning"], {"shows": [name], "violates": []})
            self.assertIn(name, tests["tiny.shape"]["violates"])

    def test_a_rule_without_a_test_is_named(self):
        _, missing, _ = self.collected("")
        self.assertEqual(missing, ["tiny.meaning: no test SHOWS it"])

    def test_a_rule_that_says_what_a_violation_leads_to_wants_a_violation(self):
        with DescriptionTree() as tree:
            tree.replace("docs/spec/01-tiny.md", "the next line.", "the next line. Others are refused.")
            tree.write(TEST, HEAD + "  SHOWS(tiny_meaning);\n}\n")
            self.assertEqual(rules_without_tests(load(tree.root)), ["tiny.meaning: no test VIOLATES it"])

    def test_what_can_be_violated_says_so(self):
        for text in ("else cause 25.", "It traps.", "A host refuses it.", "is refused", "the model reports it", "is reported"):
            self.assertTrue(can_be_violated({"text": text}), text)
        for text in ("goes to the trap vector", "never faults", "because", "the cause of it"):
            self.assertFalse(can_be_violated({"text": text}), text)

    def test_lines_that_say_something_impossible_are_refused(self):
        for text, why in [
            (HEAD + "  SHOWS(tiny_meanin);\n}\n", "Tiny.Works: SHOWS(tiny_meanin): docs/spec has no such rule"),
            (HEAD + "  VIOLATES(tiny_meaning);\n}\n", "Tiny.Works: VIOLATES(tiny_meaning): the rule does not say what a violation leads to"),
            ("  SHOWS(tiny_meaning);\n" + HEAD + "}\n", f"{TEST}:1: SHOWS stands before the first test"),
            (HEAD + "  SHOWS(tiny_meaning);\n  SHOWS(tiny_meaning);\n}\n", f"{TEST}:4: tiny_meaning stands twice in this test"),
            (HEAD + "  if (x) SHOWS(tiny_meaning);\n}\n", f"{TEST}: cannot read every SHOWS and VIOLATES"),
        ]:
            with self.assertRaises(DescriptionError) as raised:
                self.collected(text)
            self.assertIn(why, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
