#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The manual is whole: a page an instruction, every link leads somewhere, the opcode map shows every instruction."""
import pathlib
import re
import tempfile
import unittest

from description_tree import SOURCE, DescriptionTree
from emit_manual import instruction_pages, manual
from encoding import DescriptionError
from litmus import read_tests
from load import load
from manual_page import text_page

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links(text):
    return LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text)))


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.description = load(SOURCE)
        cls.files = manual(cls.description)

    def test_every_instruction_has_a_page_with_its_parts(self):
        for i in self.description["instructions"]:
            text = self.files[f"instructions/{i['name']}.md"]
            self.assertTrue(text.startswith(f"# {i['name']}\n"))
            for part in (i["summary"], f"{i['name']} {i['syntax']}".rstrip(), f"SEMANTICS({i['semantics']})", f"retired_{i['class']}"):
                self.assertIn(part, text, i["name"])
            for example in i["examples"]:
                self.assertIn(example["asm"], text, i["name"])
            for rule in i["rules"] + i["faults"]:
                self.assertIn(self.description["rules"][rule]["text"], text, i["name"])
            self.assertEqual("## Legal types" in text, bool(i["types"]), i["name"])

    def test_the_meaning_comes_with_the_helpers_it_calls(self):
        text = self.files["instructions/et.ld.md"]
        for helper in ("loadRun(Core& core", "struct Mover {", "void transfer(Core& core", "inline numerics::ConvertMode dmaMode"):
            self.assertIn(helper, text)
        self.assertNotIn("void gather", text)
        self.assertIn("void runOneStep(Core& core", self.files["instructions/et.add.md"])  # from a header

    def test_every_relative_link_resolves(self):
        count = 0
        for name, text in self.files.items():
            for target in links(text):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                path, _, anchor = target.partition("#")
                parts = []
                for part in (pathlib.PurePosixPath(name).parent / path).parts if path else pathlib.PurePosixPath(name).parts:
                    parts.pop() if part == ".." else parts.append(part)
                self.assertIn("/".join(parts), self.files, f"{name}: {target}")
                if anchor:
                    self.assertIn(f'<a id="{anchor}"></a>', self.files["/".join(parts)], f"{name}: {target}")
        self.assertGreater(count, 3 * len(self.description["instructions"]))

    def test_every_link_of_the_hand_written_pages_resolves_in_the_repository(self):
        for folder in ("docs/spec", "docs/how-to", "docs/design"):
            for path in sorted((SOURCE / folder).glob("*.md")):
                for target in links(path.read_text()):
                    if not re.match(r"[a-z]+:|#", target):
                        self.assertTrue((path.parent / target.partition("#")[0]).exists(), f"{path.name}: {target}")

    def test_the_opcode_map_shows_every_instruction(self):
        for i in self.description["instructions"]:
            self.assertIn(f"(instructions/{i['name']}.md)", self.files["opcode-map.md"])

    def test_litmus_tests_show_their_programs_side_by_side_and_every_outcome(self):
        text = self.files["spec/10-litmus-tests.md"]
        self.assertIn('''### <a id="mp-signal-tile"></a>mp-signal-tile

A signal carries a tile store to the tile load of the core that waits. Rules: [sync.signal](07-synchronisation.md#sync.signal) \
[sync.wait](07-synchronisation.md#sync.wait) [order.program](07-synchronisation.md#order.program)

```
memory: data = 0
core 0: x10 = sem1.3, x11 = 1 | core 1: x11 = 1
  et.st tr1, data, rne        |   et.wait x0, 3, x11
  et.sig x10, x11             |   et.ld tr2, data, rne
```

| final state | is |
| --- | --- |
| `1:tr2=1` | allowed |
| `1:tr2=0` | forbidden |
'''.replace("\\\n", ""), text)
        for path in (SOURCE / "docs/spec/litmus").glob("*.litmus"):
            self.assertIn(f'<a id="{path.stem}"></a>', text)

    def test_a_litmus_test_with_a_defect_is_refused(self):
        for text, why in (("rules: sync.none\n", "t.litmus: docs/spec has no rule 'sync.none'"),
                          ("title: a\nrule: b\n", "t.litmus:2: 'rule' is no part of a litmus test")):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "t.litmus").write_text(text)
                with self.assertRaisesRegex(DescriptionError, re.escape(why)):
                    read_tests(pathlib.Path(folder), self.description["rules"])

    def test_the_rule_index_lists_who_cites_a_rule(self):
        row = next(r for r in self.files["rules.md"].split("\n") if "</a>0x0402 " in r)
        self.assertIn("[et.mm](instructions/et.mm.md) [et.mma](instructions/et.mma.md)", row)
        self.assertEqual(len(re.findall(r"^\| .*</a>0x", self.files["rules.md"], re.MULTILINE)), len(self.description["rules"]))

    def test_the_text_form_has_no_markup(self):
        for name, blocks in instruction_pages(self.description).items():
            text = text_page(blocks)
            self.assertTrue(text.startswith(f"{name}\n"))
            self.assertNotRegex(text.split("\nMEANING\n")[0], r"\]\(|\.md|`|\n#|\n\|")


class TinyManualTest(unittest.TestCase):
    """Exact pieces of the pages of two instructions."""

    @classmethod
    def setUpClass(cls):
        with DescriptionTree() as tree:
            cls.files = manual(load(tree.root))

    def test_the_encoding_is_a_figure_of_bit_fields(self):
        cells = re.findall(r'<div( class="fixed")? style="grid-column: span (\d+)"><div class="bits">([0-9:]+)</div><div class="value">(\w+)</div>',
                           self.files["instructions/et.one.md"])
        fixed = ' class="fixed"'
        self.assertEqual(cells, [(fixed, "7", "31:25", "0000000"), ("", "5", "24:20", "tb"), ("", "5", "19:15", "ta"),
                                 (fixed, "3", "14:12", "000"), ("", "5", "11:7", "td"), (fixed, "7", "6:0", "1011011")])
        self.assertIn("| imm | immediate | -2048..2047 | 31:20 |", self.files["instructions/et.two.md"])

    def test_reserved_and_vendor_cells_show_in_the_map(self):
        text = self.files["opcode-map.md"]
        self.assertIn("| 0001011 custom-0 | . | [1](#op0b.1) | . | . | . | . | . | vendors' |\n"
                      "| 0101011 custom-1 | . | . | . | . | . | . | . | vendors' |\n", text)
        self.assertIn('### <a id="op0b.1"></a>funct3 = 1\n\n[et.two]', text)
        self.assertIn("| 0x00 | [et.one](instructions/et.one.md) | . |", text)

    def test_a_chapter_takes_tables_from_the_description(self):
        with DescriptionTree() as tree:
            tree.replace("docs/spec/01-tiny.md", "* **[0x0102", "<!-- table: causes -->\n\n* **[0x0102")
            self.assertIn("| 25 | shape | shape |\n", manual(load(tree.root))["spec/01-tiny.md"])
            tree.replace("docs/spec/01-tiny.md", "table: causes", "table: reasons")
            with self.assertRaisesRegex(DescriptionError, "^01-tiny.md: no table 'reasons'; there are causes, completion-record, "):
                manual(load(tree.root))

    def test_a_rule_has_an_anchor_in_its_chapter(self):
        self.assertIn('* <a id="tiny.shape"></a>**[0x0102 tiny.shape]** It has a shape.', self.files["spec/01-tiny.md"])
        self.assertIn("[tiny.shape](../spec/01-tiny.md#tiny.shape) (0x0102)", self.files["instructions/et.one.md"])


if __name__ == "__main__":
    unittest.main()
