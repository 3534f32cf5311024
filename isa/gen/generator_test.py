#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every refusal of the generator says which file, which instruction and why; and the real description generates."""
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

from description_tree import SOURCE, DescriptionTree
from encoding import DescriptionError
from load import load

TINY = "isa/instructions/tiny.yaml"
TYPES = "isa/numerics/element_types.yaml"
ONE = '"0000000 tb ta 000 td 1011011"'
TWO = '"imm[11:0] rs1 001 rd 0001011"'
ENTRY = "  - name: et.two\n"


class RefusalTest(unittest.TestCase):
    """One defect a test; `parts` all stand in the message."""

    def refused(self, edits, *parts):
        """`edits` are (file, old, new), or (file, text) to write a file."""
        with DescriptionTree() as tree:
            for edit in edits:
                tree.write(*edit) if len(edit) == 2 else tree.replace(*edit)
            with self.assertRaises(DescriptionError) as caught:
                load(tree.root)
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        for part in parts:
            self.assertIn(part, message)

    def refused_entry(self, old, new, *parts):
        self.refused([(TINY, old, new)], "tiny.yaml", *parts)

    def test_the_tree_without_a_defect_loads(self):
        with DescriptionTree() as tree:
            description = load(tree.root)
        self.assertEqual([i["name"] for i in description["instructions"]], ["et.one", "et.two"])
        self.assertEqual(description["rules"]["tiny.meaning"]["text"], "It means one, see also the next line.")

    # Encodings

    def test_encodings_that_one_word_can_match(self):
        self.refused_entry(TWO, '"imm[11:0] rs1 000 rd 1011011"', "tiny.yaml: et.two", "overlaps that of 'et.one'")

    def test_a_pattern_that_is_not_32_bits(self):
        self.refused_entry(ONE, '"000000 tb ta 000 td 1011011"', "et.one", "covers 31 bits, needs 32")
        self.refused_entry(ONE, '"00000000 tb ta 000 td 1011011"', "et.one", "covers 33 bits, needs 32")

    def test_a_token_that_is_neither_bits_nor_operand(self):
        self.refused_entry(ONE, '"0000002 tb ta 000 td 1011011"', "et.one", "cannot read '0000002'")

    def test_operand_bits_left_out(self):
        self.refused_entry(TWO, '"0 imm[10:0] rs1 001 rd 0001011"', "et.two", "operand 'imm'", "0..11 once each")

    def test_operand_bits_that_stand_twice(self):
        self.refused_entry(TWO, '"imm[11:1] imm[11:11] rs1 001 rd 0001011"', "et.two", "operand 'imm'", "once each")

    def test_operand_bits_beyond_the_width(self):
        self.refused_entry(TWO, '"imm[12:1] rs1 001 rd 0001011"', "et.two", "operand 'imm'", "once each")

    def test_operand_bits_that_run_upwards(self):
        self.refused_entry(TWO, '"imm[0:11] rs1 001 rd 0001011"', "et.two", "'imm[0:11]'", "runs upwards")

    def test_an_unknown_operand_in_the_encoding(self):
        self.refused_entry(ONE, '"0000000 tq ta 000 td 1011011"', "et.one", "unknown operand 'tq' in encoding", "known: ")

    def test_an_opcode_that_is_not_fixed(self):
        self.refused_entry(ONE, '"0000000 tb ta 000 td rm 1011"', "et.one", "bits 6:0 are the opcode")

    def test_an_opcode_of_a_compressed_instruction(self):
        self.refused_entry(ONE, '"0000000 tb ta 000 td 1011001"', "et.one", "ending in 11")

    def test_a_register_outside_the_slots(self):
        self.refused_entry(ONE, '"00000 tb 00 ta 000 td 1011011"', "et.one", "register 'tb' must begin at bit 7, 15, 20 or 27")

    def test_encodings_of_vendors(self):
        for opcode in ("0001011", "0101011", "1011011", "1111011"):
            self.refused_entry(ONE, f'"0000000 tb ta 111 td {opcode}"', "et.one", "funct3 = 7", "belongs to vendors")

    def test_encodings_that_reach_into_those_of_vendors(self):
        self.refused_entry(ONE, '"0000000 tb ta rm td 1011011"', "et.one", "belongs to vendors")

    def test_funct3_7_of_other_opcodes_is_allowed(self):
        with DescriptionTree() as tree:
            tree.replace(TINY, TWO, '"imm[11:0] rs1 111 rd 0010011"')
            self.assertEqual(load(tree.root)["instructions"][1]["encoding"].match, 0x7013)

    # Syntax, entries, examples

    def test_an_unknown_operand_in_the_syntax(self):
        self.refused_entry('"td, ta, tb"', '"td, ta, tq"', "et.one", "unknown operand 'tq' in syntax")

    def test_an_operand_of_the_encoding_that_the_syntax_lacks(self):
        self.refused_entry('"td, ta, tb"', '"td, ta"', "et.one", "encoding has ['tb'], not in the syntax")

    def test_an_operand_of_the_syntax_that_the_encoding_lacks(self):
        self.refused_entry('"td, ta, tb"', '"td, ta, tb, rs1"', "et.one", "syntax names ['rs1'], not in the encoding")

    def test_an_operand_that_the_syntax_names_twice(self):
        self.refused_entry('"td, ta, tb"', '"td, ta, tb, ta"', "et.one", "names an operand twice")

    def test_an_instruction_without_example(self):
        self.refused_entry('examples:\n      - {asm: "et.two x1, 2(x3)", out: {}}', "examples: []", "et.two", "no worked example")

    def test_an_example_of_another_instruction(self):
        self.refused_entry('asm: "et.two x1', 'asm: "et.three x1', "et.two", "'et.three x1, 2(x3)' is of another instruction")

    def test_an_element_wise_form_without_example(self):
        operations = ('operations:\n  - {name: add, code: 0, arity: 2, classes: [float], result: same, forms: [vv], cost: simple, '
                      'summary: "a + b"}\ninstructions:\n')
        self.refused_entry("instructions:\n", operations, "operation 'add'", "form vv but no example")

    def test_an_unknown_rule(self):
        self.refused_entry("rules: [tiny.meaning]", "rules: [tiny.sense]", "et.one", "unknown rule 'tiny.sense'", "docs/spec")
        self.refused_entry("faults: [tiny.shape]", "faults: [tiny.form]", "et.one", "unknown rule 'tiny.form'")
        self.refused_entry('2(x3)", out: {}', '2(x3)", fault: tiny.none', "et.two", "unknown rule 'tiny.none'")

    def test_an_unknown_element_type(self):
        self.refused_entry("tb: i8}", "tb: i9}", "et.one", "unknown element type 'i9' for tb")
        self.refused_entry("ta: [f32, i8]", "ta: [f32, f8]", "et.one", "unknown element type 'f8' for ta")

    def test_a_row_of_types_for_other_operands(self):
        self.refused_entry("{td: f32, ta: [f32, i8], tb: i8}", "{td: f32, ta: i8}", "et.one", "for ['ta', 'td'], the operands are")

    def test_an_unknown_profile(self):
        self.refused_entry("tb: i8}", "tb: i8, profile: Et-fast}", "et.one", "unknown profile 'Et-fast'")
        self.refused_entry("profile: Et-base", "profile: Et-fast", "et.one", "unknown profile 'Et-fast'")
        operations = ('operations:\n  - {name: add, code: 0, arity: 2, classes: [float], result: same, forms: [step], cost: simple, '
                      'profile: Et-fast, summary: "a + b"}\ninstructions:\n')
        self.refused_entry("instructions:\n", operations, "add: unknown profile 'Et-fast'")
        self.refused([(TYPES, "widens_to: i32}", "widens_to: i32, profile: Et-fast}")], "element_types.yaml: i8", "unknown profile 'Et-fast'")

    def test_a_profile_that_types_need_brings_its_fault(self):
        with DescriptionTree() as tree:
            tree.write("isa/profiles/fast.yaml", 'name: Et-fast\nbit: 1\nstatus: implemented\nmeaning: "Fast"\n')
            tree.write("docs/spec/02-more.md", "* **[0x0201 op.types]** Types.\n* **[0x0202 op.unsupported]** Profiles.\n")
            tree.replace(TINY, "faults: [tiny.shape]", "faults: [tiny.meaning, op.types, tiny.shape]")
            self.assertEqual(load(tree.root)["instructions"][0]["faults"], ["tiny.meaning", "op.types", "tiny.shape"])
            tree.replace(TYPES, "widens_to: i32}", "widens_to: i32, profile: Et-fast}")
            one, two = load(tree.root)["instructions"]
            self.assertEqual(one["faults"], ["tiny.meaning", "op.types", "op.unsupported", "tiny.shape"])
            self.assertEqual(two["faults"], [])
            tree.replace(TINY, "op.types, tiny.shape", "op.types, op.unsupported")
            with self.assertRaisesRegex(DescriptionError, "et.one: fault 'op.unsupported' follows from the types"):
                load(tree.root)

    def test_an_example_of_a_fault_that_is_not_listed(self):
        self.refused_entry('2(x3)", out: {}', '2(x3)", fault: tiny.shape', "et.two", "example has fault 'tiny.shape'", "not among its faults")

    def test_a_class_without_counter(self):
        self.refused_entry('summary: "rd = two"', 'summary: "rd = two"\n    class: matrix', "et.two", "no counter retired_matrix")

    def test_a_name_that_is_taken(self):
        self.refused([(TINY, ENTRY, "  - name: et.one\n    semantics: et_two\n"), (TINY, '"et.two x1', '"et.one x1')],
                     "tiny.yaml: et.one", "name already taken by tiny.yaml: et.one")

    def test_variants_of_one_code(self):
        variants = ('  - {encoding: "imm[11:0] rs1 {code} rd 0001011", syntax: "rd, imm(rs1)", variants: ['
                    '{name: et.two, code: "001", summary: "two", examples: [{asm: "et.two x1, 2(x3)"}]}, '
                    '{name: et.ten, code: "001", summary: "ten", examples: [{asm: "et.ten x1, 2(x3)"}]}]}\n')
        with DescriptionTree() as tree:
            text = (tree.root / TINY).read_text()
            tree.write(TINY, text[:text.index(ENTRY)] + variants)
            tree.write("isa/instructions/tiny.cc", "SEMANTICS(et_one) {}\nSEMANTICS(et_two) {}\nSEMANTICS(et_ten) {}\n")
            with self.assertRaisesRegex(DescriptionError, "tiny.yaml: et.ten: encoding overlaps that of 'et.two'"):
                load(tree.root)
            tree.replace(TINY, 'et.ten, code: "001"', 'et.ten, code: "010"')
            self.assertEqual([i["encoding"].match for i in load(tree.root)["instructions"]], [0x5B, 0x100B, 0x200B])

    # Semantics

    def test_an_entry_without_semantics(self):
        self.refused([("isa/instructions/tiny.cc", "SEMANTICS(et_two) {}\n", "")], "tiny.yaml", "no semantics in tiny.cc for et_two")

    def test_semantics_without_an_entry(self):
        self.refused([("isa/instructions/tiny.cc", "SEMANTICS(et_two) {}\n", "SEMANTICS(et_two) {}\nSEMANTICS(et_three) {}\n")],
                     "tiny.cc", "semantics without an entry in tiny.yaml: et_three")

    def test_a_description_without_semantics_file(self):
        self.refused([("isa/instructions/other.yaml", "group: other\ntitle: Other\nunit: vector\nprofile: Et-base\nsince: 1\ninstructions: []\n")],
                     "other.yaml", "no semantics file other.cc")

    def test_a_semantics_file_without_description(self):
        self.refused([("isa/instructions/other.cc", "SEMANTICS(et_three) {}\n")], "other.cc", "without a description other.yaml")

    # Files

    def test_a_group_that_is_not_the_files(self):
        self.refused_entry("group: tiny", "group: small", "group is 'small', the file says 'tiny'")

    def test_a_key_the_schema_does_not_know(self):
        self.refused_entry('summary: "rd = two"', 'sumary: "rd = two"', "et.two", "instructions.1")

    def test_a_value_the_schema_does_not_allow(self):
        self.refused_entry("since: 1", "since: 0", "since", "0 is less than the minimum of 1")
        self.refused_entry("unit: vector", "unit: tensor", "unit", "'tensor' is not one of")

    def test_a_duplicate_key(self):
        self.refused_entry("title: Two", "unit: vector\ntitle: Two", "tiny.yaml:4", "duplicate key 'unit'")
        self.refused_entry('summary: "rd = two"', 'summary: "rd = two"\n    syntax: "rd"', "tiny.yaml:21", "duplicate key 'syntax'")

    def test_a_key_that_is_a_list(self):
        self.refused_entry("title: Two", "[a]: b\ntitle: Two", "tiny.yaml:2", "a key must be a word or a number")

    def test_text_that_is_not_yaml(self):
        self.refused_entry("title: Two", "title: [Two", "tiny.yaml:", "not YAML")
        self.refused_entry("unit: vector", "unit: vec\tor", "tiny.yaml:3", "not YAML")
        self.refused_entry("title: Two", "title: Two\x07", "tiny.yaml:2", "0x7")
        self.refused_entry("title: Two", "title: !!python/name:os.system Two", "tiny.yaml:2", "not YAML")
        self.refused_entry("since: 1", "since: 2024-99-99", "tiny.yaml", "not YAML")

    def test_an_empty_file(self):
        self.refused([(TINY, "")], "tiny.yaml", "None is not of type 'object'")

    def test_a_file_that_is_not_text(self):
        with DescriptionTree() as tree:
            (tree.root / TINY).write_bytes(b"group: \xff\n")
            with self.assertRaisesRegex(DescriptionError, "tiny.yaml: not UTF-8 text: .* at byte 7"):
                load(tree.root)

    def test_a_file_that_cannot_be_read(self):
        with DescriptionTree() as tree:
            (tree.root / TINY).unlink()
            (tree.root / TINY).mkdir()
            with self.assertRaisesRegex(DescriptionError, "tiny.yaml: cannot read .*tiny.yaml: Is a directory"):
                load(tree.root)
            (tree.root / "isa/instructions/csrs.yaml").unlink()
            with self.assertRaisesRegex(DescriptionError, "csrs.yaml: cannot read .*csrs.yaml: No such file"):
                load(tree.root)

    def test_a_schema_that_is_not_json(self):
        self.refused([("isa/schema/instructions.schema.json", "{")], "instructions.schema.json: not JSON")

    # Tables

    def test_a_table_entry_that_breaks_the_schema(self):
        self.refused([("isa/instructions/csrs.yaml", "number: 0x341", "number: 0x1341")], "csrs.yaml", "mepc", "4929 is greater")
        self.refused([("isa/numerics/element_types.yaml", "kind: float", "kind: real")], "element_types.yaml", "f32", "'real' is not one of")
        self.refused([("isa/instructions/counters.yaml", "counters:", "meters:")], "counters.yaml", "'meters'")

    def test_a_number_or_name_that_stands_twice_in_a_table(self):
        self.refused([("isa/instructions/csrs.yaml", "0x343", "0x341")], "csrs.yaml: mtval", "number 833 twice, also for 'mepc'")
        self.refused([("isa/instructions/counters.yaml", "name: macs", "name: retired_vector")], "counters.yaml", "name retired_vector twice")
        self.refused([("isa/numerics/element_types.yaml", "code: 15", "code: 2")], "element_types.yaml: f32", "code 2 twice, also for 'i8'")

    def test_a_host_page_that_cannot_be(self):
        host = "isa/instructions/host.yaml"
        for old, new, *why in (
                ("offset: 0x10", "offset: 0x4", "two at 0x4 overlaps one"), ("offset: 0x10", "offset: 0x12", "two at 0x12 is not a multiple of its 4 bytes"),
                ("offset: 0x10, bytes: 4", "offset: 0x10, bytes: 8", "two at 0x14 is not a multiple of its 8 bytes"), ("name: two", "name: one", "name one twice"),
                ("high: 7, low: 4", "high: 4, low: 7", "field part is bits 4:7 of 64"), ("high: 7", "high: 64", "64 is greater"),
                ("{name: entry, bytes: 64,", "{name: entry, bytes: 72,", "launch_descriptor: its fields are 72 bytes, not 64"),
                ("{name: tag, bytes: 64,", "{name: half, bytes: 4, summary: \"a\"}, {name: tag, bytes: 60,",
                 "completion_record: tag of 60 bytes stands at byte 4, which is not aligned")):
            self.refused([(host, old, new)], "host.yaml", *why)

    def test_an_operation_code_that_stands_twice(self):
        self.refused([("isa/instructions/elementwise.yaml", "code: 2", "code: 1")], "elementwise.yaml: rsub", "code 1 twice, also for 'sub'")

    def test_an_operation_that_reverses_none(self):
        self.refused([("isa/instructions/elementwise.yaml", "reversed: sub", "reversed: add")], "elementwise.yaml: rsub", "reverses 'add'")

    # Rules

    def test_a_rule_number_that_stands_twice(self):
        self.refused([("docs/spec/01-tiny.md", "0x0102", "0x0101")], "01-tiny.md", "rule 0x0101 tiny.shape is defined twice")

    def test_a_rule_name_that_stands_twice(self):
        self.refused([("docs/spec/02-more.md", "* **[0x0201 tiny.shape]** Again.\n")], "02-more.md", "rule 0x0201 tiny.shape", "01-tiny.md")

    def test_rule_names_that_are_one_identifier(self):
        self.refused([("docs/spec/02-more.md", "* **[0x0201 tiny-shape]** Again.\n")], "02-more.md", "tiny-shape is defined twice")

    def test_a_rule_number_of_another_chapter(self):
        self.refused([("docs/spec/01-tiny.md", "0x0102", "0x0202")], "01-tiny.md: rule 0x0202 tiny.shape", "0x0100 to 0x01ff")
        self.refused([("docs/spec/00-more.md", "* **[0x0001 tiny.more]** More.\n")], "00-more.md", "0x0a00 to 0x0aff")

    def test_a_rule_that_cannot_be_read(self):
        self.refused([("docs/spec/01-tiny.md", "[0x0102 tiny.shape]", "[0x102 tiny.shape]")], "01-tiny.md:5", "cannot read this rule")


def places(data, path=()):
    """Every place of a nested structure, as a path of keys."""
    if path:
        yield path
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield from places(data[key], path + (key,))


class WrongValueTest(unittest.TestCase):
    """Whatever stands in one place, the answer is a description or a refusal, and no traceback."""

    def test_any_value_in_any_place(self):
        refusals = 0
        for name in ("isa/instructions/tiny.yaml", "isa/instructions/elementwise.yaml", "isa/instructions/csrs.yaml",
                     "isa/instructions/host.yaml", "isa/numerics/element_types.yaml", "isa/profiles/base.yaml"):
            with DescriptionTree() as tree:
                good = yaml.safe_load((tree.root / name).read_text())
                for path in places(good):
                    for value in (MISSING, None, -1, "@each {code} [", [[]], {"name": 3}):
                        tree.write(name, yaml.safe_dump(changed(good, path, value)))
                        with self.subTest(file=name, path=path, value=value):
                            try:
                                load(tree.root)
                            except DescriptionError as error:
                                refusals += 1
                                self.assertNotIn("\n", str(error))
        self.assertGreater(refusals, 200)


MISSING = object()


def changed(data, path, value):
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is MISSING:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


class GenerateTest(unittest.TestCase):
    """The program on the real description."""

    def generate(self, out, source=SOURCE):
        return subprocess.run([sys.executable, SOURCE / "isa/gen/generate.py", source, out], capture_output=True, text=True)

    def test_two_runs_give_the_same_bytes_and_leave_unchanged_files_alone(self):
        with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
            for out in (a, b):
                done = self.generate(out)
                self.assertEqual(done.returncode, 0, done.stderr)
            files = {p.relative_to(a): p for p in pathlib.Path(a).rglob("*") if p.is_file()}
            self.assertGreater(len(files), 15)
            for name, path in files.items():
                self.assertEqual(path.read_bytes(), (b / name).read_bytes(), name)
            times = {name: path.stat().st_mtime_ns for name, path in files.items()}
            changed = pathlib.Path(a) / "isa/rule.h"
            changed.write_text("old")
            self.assertEqual(self.generate(a).returncode, 0)
            self.assertNotEqual(changed.read_text(), "old")
            for name, path in files.items():
                if path not in (changed, pathlib.Path(a) / "isa/generated.stamp"):
                    self.assertEqual(path.stat().st_mtime_ns, times[name], name)

    def test_a_refusal_is_one_line_on_stderr_and_exit_status_1(self):
        with DescriptionTree() as tree, tempfile.TemporaryDirectory() as out:
            tree.replace(TINY, "since: 1", "since: [")
            done = self.generate(out, tree.root)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^isa/gen: tiny\.yaml:\d+: not YAML: .*\n$")
            self.assertEqual(list(pathlib.Path(out).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
