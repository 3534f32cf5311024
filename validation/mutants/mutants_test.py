#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Seeded defects fit the sources, mutants are found and woven as they say, and what a run proves is what is stored."""
import json
import pathlib
import tempfile
import unittest

import report
import run
import sample
import yaml
from mutant import CLASSES, HERE, Mutant, Refused, expression, numbered, seeded_defects, statement
from weave import Woven, one_place

SOURCE = """
static_assert(1 + 2 == 3);
constexpr int kTable[4] = {1 + 1, 2};
enum class Kind { a = 1 + 4 };
template <class T, int N> struct Array { T data[N]; };
template <int N> int add(int x) { return x + N; }
#define CHECKED(what) ((what) ? 1 : 2)
bool f(int a, int* p, bool c, double d) {
  int buffer[2 + 6];
  Array<int, 9 / 3> array;
  const int kLocal = 3 * 4;
  if constexpr (sizeof(a) == 4) a += 5;
  switch (a) { case 1 + 7: return false; }
  if (c && !(a < 17)) p[0] = add<8>(a);
  while (CHECKED(c)) return a - buffer[1] > 0 || d * 2.5 >= 1e3;
  return p + a != nullptr;
}
"""


def mutant(source, code, becomes, form=expression, file="a.cc", name=None):
    start = source.index(code)
    return Mutant(name or f"{code}->{becomes}", file, 1, "relational", False, start, start + len(code), form(start, start + len(code), becomes), "")


class SeededDefects(unittest.TestCase):
    def test_every_defect_fits_the_sources_and_every_class_has_some(self):
        defects = seeded_defects()
        self.assertGreaterEqual(len(defects), 60)
        for group in CLASSES:
            self.assertGreaterEqual(sum(d.group == group for d in defects), 8, group)

    def refusal(self, **changes):
        row = {"id": "x", "class": "decoder", "file": "a.cc", "context": "a < b", "becomes": "a", "imitates": "b"} | changes
        row = {k: v for k, v in row.items() if v is not None}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cc").write_text("bool f() { return a <\n   b; } // c c")
            data = root / "defects.yaml"
            data.write_text(yaml.safe_dump([row, row] if changes.get("id") == "twice" else [row]))
            try:
                return seeded_defects(root, data)
            except Refused as refused:
                return str(refused)

    def test_white_space_of_the_context_does_not_matter(self):
        self.assertEqual((self.refusal()[0].start, self.refusal()[0].end), (18, 26))

    def test_what_does_not_fit_is_refused(self):
        self.assertIn("occurs 0 times", self.refusal(context="a > b"))
        self.assertIn("occurs 2 times", self.refusal(context="c"))
        self.assertIn("the code in its context occurs 0 times", self.refusal(code="z"))
        self.assertIn("no file b.cc", self.refusal(file="b.cc"))
        self.assertIn("class 'colour' is none of decoder", self.refusal(**{"class": "colour"}))
        self.assertIn("form 'poem' is none of expression", self.refusal(form="poem"))
        self.assertIn("missing keys ['becomes']", self.refusal(becomes=None))
        self.assertIn("unknown keys ['colour']", self.refusal(colour="red"))
        self.assertIn("the id stands twice", self.refusal(id="twice"))


class Weaving(unittest.TestCase):
    def woven(self, source, *mutants):
        return Woven(source, dict(enumerate(mutants, 1))).render()

    def test_an_expression_becomes_a_choice(self):
        self.assertEqual(self.woven("x = a < b;", mutant("x = a < b;", "a < b", "a <= b")), "x = (etalonMutant(1) ? (a <= b) : (a < b));")

    def test_a_statement_becomes_a_guarded_block(self):
        self.assertEqual(self.woven("if (x) f();", mutant("if (x) f();", "f();", "g();", statement)),
                         "if (x) { if (etalonMutant(1)) { g(); } else { f(); } }")

    def test_an_inner_mutant_stands_in_the_original_of_the_outer(self):
        source = "x = a + 1 < b;"
        self.assertEqual(self.woven(source, mutant(source, "1", "2"), mutant(source, "a + 1 < b", "c")),
                         "x = (etalonMutant(2) ? (c) : (a + (etalonMutant(1) ? (2) : (1)) < b));")

    def test_of_two_mutants_that_cut_each_other_the_first_stays(self):
        source = "x = a + b + c;"
        mutants = [mutant(source, "a + b", "a"), mutant(source, "b + c", "c"), mutant(source, "a + b + c", "c")]
        self.assertEqual([m.id for m in one_place(mutants)], ["a + b->a", "a + b + c->c"])

    def test_a_number_does_not_depend_on_the_other_mutants(self):
        mutants = [mutant("a b c", letter, "d") for letter in "abc"]
        all_of_them = {m.id: n for n, m in numbered(mutants).items()}
        self.assertEqual({m.id: n for n, m in numbered(mutants[1:]).items()}, {i: n for i, n in all_of_them.items() if i != "a->d"})


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from clang import cindex
        from operators import Operators as Found
        if not cindex.Config.loaded:
            cindex.Config.set_library_file("libclang-19.so.1")
        unit = cindex.Index.create().parse("a.cc", ["-std=c++20", "-w"], unsaved_files=[("a.cc", SOURCE)])
        assert not list(unit.diagnostics), list(unit.diagnostics)
        found = Found({"a.cc": SOURCE})
        found.visit_unit(unit, lambda path: path)
        cls.mutants = found.mutants()

    def changes(self, group):
        return sorted(m.what for m in self.mutants if m.group == group)

    def test_each_operator_finds_its_places(self):
        self.assertEqual(self.changes("relational"), ["a - buffer[1] > 0 -> >=", "a < 17 -> <=", "d * 2.5 >= 1e3 -> >", "p + a != nullptr -> =="])
        self.assertEqual(self.changes("logical"), ["!(a < 17) -> without !", "a - buffer[1] > 0 || d * 2.5 >= 1e3 -> &&", "c && !(a < 17) -> ||"])
        self.assertEqual(self.changes("arithmetic"), ["a += 5 -> -=", "a - buffer[1] -> +", "d * 2.5 -> +", "p + a -> -", "x + N -> -"])
        self.assertEqual(self.changes("negated condition"), ["c && !(a < 17) -> negated"])
        self.assertEqual(self.changes("swapped operands"), ["a - buffer[1] -> operands swapped"])
        self.assertEqual(self.changes("dropped statement"), [])

    def test_what_the_compiler_evaluates_is_left_out(self):
        # 1 + 2, the table, the enumerator, sizes, template arguments, the case, the local constant and if constexpr.
        places = {SOURCE[m.start:m.end] for m in self.mutants if m.group == "constant"}
        self.assertEqual(places, {"5", "17", "0", "1", "2.5", "1e3"})

    def test_ids_differ(self):
        self.assertEqual(len({m.id for m in self.mutants}), len(self.mutants))


class Sampling(unittest.TestCase):
    def mutants(self, **counts):
        return [Mutant(f"{file}{i}", file, i, "relational" if i % 2 else "constant", False, i, i + 1, (), "")
                for file, n in counts.items() for i in range(n)]

    def test_every_file_has_a_share_and_operators_take_turns(self):
        taken = sample.sample(self.mutants(a=400, b=100, c=1), 16)
        self.assertEqual({f: sum(m.file == f for m in taken) for f in "abc"}, {"a": 10, "b": 5, "c": 1})
        self.assertEqual(sum(m.group == "constant" for m in taken if m.file == "a"), 5)

    def test_the_sample_of_a_file_does_not_change_with_the_mutants_of_another(self):
        of_a = {m.id for m in sample.sample(self.mutants(a=400, b=100), 15) if m.file == "a"}
        self.assertEqual(of_a, {m.id for m in sample.sample(self.mutants(a=400, b=101), 15) if m.file == "a"})

    def test_what_is_left_out_is_not_taken(self):
        first = sample.sample(self.mutants(a=40), 4)[0].id
        self.assertNotIn(first, {m.id for m in sample.sample(self.mutants(a=40), 4, {first: "reason"})})


class Running(unittest.TestCase):
    def verdict(self, script, cpu_seconds=2):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return run.execute(program, cpu_seconds)[0]

    def test_how_a_program_ends_is_told_apart(self):
        self.assertEqual(self.verdict("exit 0"), "passed")
        self.assertEqual(self.verdict("exit 1"), "failed")
        self.assertEqual(self.verdict("kill -SEGV $$"), "crashed")
        self.assertEqual(self.verdict("while :; do :; done", 1), "hung")

    def test_the_failing_case_is_named_or_the_last_that_began(self):
        began = "[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n[ RUN      ] S.b/0\n"
        self.assertEqual(run.failing_case(began), "S.b/0")
        self.assertEqual(run.failing_case(began + "[  FAILED  ] S.b/0, where GetParam() = 3 (1 ms)\n[ RUN      ] S.c\n"), "S.b/0")

    def test_programs_run_quickest_first_and_the_others_of_a_single_case_last(self):
        slow = run.Program("slow", None, "", 9, {"S.a": (5, {7}), "S.b": (1, set())})
        quick = run.Program("quick", None, "", 2, {"Q.a": (1, {7, 8}), "Q.b": (1, {7})})
        none = run.Program("none", None, "", 1, {"N.a": (1, {8})})
        child = run.Program("child", None, "", 3, {"C.a": (1, set())})
        plan = run.attempts(7, mutant("a", "a", "b", file="dir/a.cc"), [slow, quick, none, child], {"dir/": "child"})
        self.assertEqual([(p.name, chosen) for p, chosen, _ in plan], [("quick", "Q.a:Q.b"), ("child", "*"), ("slow", "S.a"), ("slow", "*-S.a")])


class Reports(unittest.TestCase):
    def test_a_killed_mutant_is_not_equivalent(self):
        only = mutant("a", "a", "b", name="m")
        killed = {"m": {"verdict": "killed", "by": "t", "case": "S.a"}}
        with self.assertRaisesRegex(Refused, "m is killed by t"):
            report.verdicts([only], killed, {"m": "because"})
        with self.assertRaisesRegex(Refused, "other is no mutant"):
            report.verdicts([only], killed, {"other": "because"})
        self.assertEqual(report.verdicts([only], {"m": {"verdict": "survived"}}, {"m": "because"}), {"m": "equivalent"})

    def test_the_score_leaves_equivalent_mutants_out_and_bounds_them(self):
        self.assertTrue(report.passes(report.count(["killed"] * 95 + ["survived"] * 5 + ["equivalent"] * 10)))
        self.assertFalse(report.passes(report.count(["killed"] * 94 + ["survived"] * 5 + ["not reached"])))
        self.assertFalse(report.passes(report.count(["killed"] * 80 + ["equivalent"] * 10)))

    def test_a_reason_is_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "equivalent.yaml"
            path.write_text("m: because")
            with self.assertRaisesRegex(Refused, "m: a reason is a sentence"):
                report.reasons(path)


class Stored(unittest.TestCase):
    def setUp(self):
        self.text = report.STORED.read_text()
        self.stored = json.loads(self.text)

    def test_the_stored_run_is_of_these_defects_and_proofs(self):
        rows = self.stored["mutants"]
        self.assertEqual({m["id"] for m in rows if m["seeded"]}, {d.id for d in seeded_defects()}, "run scripts/mutants --update")
        self.assertEqual({m["id"] for m in rows if m["verdict"] == "equivalent"}, set(report.reasons(HERE / "equivalent.yaml")))

    def test_the_stored_run_meets_the_bar(self):
        figures = report.count([m["verdict"] for m in self.stored["mutants"]])
        self.assertTrue(report.passes(figures), report.summary(figures))

    def test_the_page_shows_the_stored_run(self):
        self.assertEqual(report.PAGE.read_text(), report.page_with(report.tables(self.stored)), "run scripts/mutants --update")


if __name__ == "__main__":
    unittest.main(verbosity=1)
