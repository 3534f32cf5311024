#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The site of the manual: every link and anchor leads somewhere, search knows every instruction and rule.

Usage: site_test.py SITE_DIR, the site that build_site.py wrote.
"""
import html.parser
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import unittest

SITE = pathlib.Path(__file__).resolve().parent
SOURCE = SITE.parents[1]
BUILT = None  # given on the command line
sys.path[:0] = [str(SITE), str(SOURCE / "isa/gen")]
from description_tree import DescriptionTree  # noqa: E402
from load import load  # noqa: E402
from render import Renderer, plain_text  # noqa: E402

VOID = {"meta", "link", "input", "br", "hr", "img", "source"}


class Page(html.parser.HTMLParser):
    """Links and ids of one page; refuses tags that do not nest."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.problems, self.open = [], [], [], []
        self.feed(text)
        if self.open:
            self.problems.append(f"open at the end: {self.open}")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[key] for key in ("href", "src", "srcset") if key in attributes]
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at line {self.getpos()[0]}")


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.description = load(SOURCE)
        cls.files = {str(p.relative_to(BUILT)): p.read_text(encoding="utf-8") for p in sorted(BUILT.rglob("*")) if p.is_file()}
        cls.pages = {name: Page(text) for name, text in cls.files.items() if name.endswith(".html")}
        cls.index = json.loads(cls.files["search-index.js"].removeprefix("const SEARCH_INDEX = ").rstrip(";\n"))

    def test_every_page_is_well_formed_and_has_each_id_once(self):
        for name, page in self.pages.items():
            self.assertEqual(page.problems, [], name)
            self.assertEqual(len(page.ids), len(set(page.ids)), f"{name}: {sorted(i for i in page.ids if page.ids.count(i) > 1)}")

    def assert_leads_somewhere(self, name, target):
        path, _, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        self.assertIn(wanted, self.files, f"{name}: {target}")
        if anchor:
            self.assertIn(anchor, self.pages[wanted].ids, f"{name}: {target}")

    def test_every_link_leads_to_a_page_and_an_anchor_of_the_site(self):
        links = 0
        for name, page in self.pages.items():
            for target in page.links:
                if not re.match(r"(https?|data):", target):
                    links += 1
                    self.assert_leads_somewhere(name, target)
        self.assertGreater(links, 10 * len(self.pages))

    def test_nothing_is_fetched_from_elsewhere(self):
        for name, text in self.files.items():
            if name.endswith(".html"):
                self.assertNotRegex(text, r'(src|<link[^>]* href)="https?:', name)
        self.assertNotRegex(self.files["site.css"], r"@import|https?:")
        self.assertNotRegex(self.files["search.js"], r"fetch\(|XMLHttpRequest|https?:")

    def test_search_knows_every_instruction_rule_and_register(self):
        known = {(entry["kind"], entry["title"].split(" ")[0]): entry["url"] for entry in self.index}
        for i in self.description["instructions"]:
            self.assertEqual(known["instruction", i["name"]], f"instructions/{i['name']}.html")
        for name, rule in self.description["rules"].items():
            self.assertEqual(known["rule", name], f"spec/{rule['chapter']}.html#{name}")
        for csr in self.description["csrs"]:
            self.assertIn(("CSR", csr["name"]), known)
        for entry in self.index:
            self.assert_leads_somewhere("index.html", entry["url"])

    def test_every_page_is_reached_from_the_front_page(self):
        reached, new = set(), {"index.html"}
        while new:
            reached |= new
            links = {posixpath.normpath(posixpath.join(posixpath.dirname(n), t.partition("#")[0])) for n in new for t in self.pages[n].links}
            new = {path for path in links if path in self.pages} - reached
        self.assertEqual(set(self.pages) - reached, set())

    def test_a_rule_can_be_linked_by_name_and_by_number_and_leads_to_its_tests(self):
        page = self.pages["spec/04-matrix.html"]
        self.assertTrue({"mm.shape", "0x0402"} <= set(page.ids))
        self.assertIn("../rule-tests.html#mm.shape", page.links)

    def test_names_in_text_are_links(self):
        self.assertIn('<code><a href="../instructions/et.mma.html">et.mma</a></code>', self.files["spec/04-matrix.html"])
        self.assertIn('<a href="06-vector.html#vec.move-bits">vec.move-bits</a>', self.files["spec/06-vector.html"])

        self.assertIn('<code><a href="../instructions/et.ld.html">et_ld</a></code>', self.files["guide/kernel-writer.html"])

    def test_an_instruction_page_draws_the_encoding(self):
        text = self.files["instructions/et.mm.html"]
        self.assertEqual(sum(int(n) for n in re.findall(r"grid-column: span (\d+)", text)), 32)
        for part in ("Operands", "Legal types", "Faults", "Worked examples", "Meaning"):
            self.assertIn(f">{part}</h2>", text)


class RenderTest(unittest.TestCase):
    def render(self, text):
        return Renderer({"spec/a.html", "guide/b.html"}, {"et.one": "instructions/et.one.html"}, {}).render("guide/b.html", text)[0]

    def test_links_to_pages_become_theirs_and_links_to_other_files_become_text(self):
        self.assertIn('<a href="../spec/a.html#x">a</a> and c</p>', self.render("[a](../spec/a.md#x) and [c](../../isa/c.cc)"))

    def test_a_list_after_text_is_a_list(self):
        self.assertIn("<li>one</li>", self.render("text:\n* one\n* two\n"))

    def test_code_stays_as_it_is(self):
        self.assertEqual(plain_text(self.render("```sh\ntext\n* et.one\n```\n")), "text * et.one")
        self.assertNotIn("<a", self.render("```sh\n`et.one`\n```\n"))


class ProgramTest(unittest.TestCase):
    def run_program(self, source, out):
        return subprocess.run([sys.executable, SITE / "build_site.py", source, out], capture_output=True, text=True)

    def tiny(self):
        tree = DescriptionTree()
        tree.__enter__()
        self.addCleanup(tree.__exit__)
        for name in ("status.md", "spec/README.md"):
            tree.write(f"docs/{name}", "# Title\n")
        return tree

    def test_it_writes_the_same_bytes_twice_and_removes_stale_pages(self):
        tree = self.tiny()
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            seen = []
            for _ in range(2):
                done = self.run_program(tree.root, out)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                stale = out / "instructions/et.gone.html"
                self.assertFalse(stale.exists())
                seen.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
                stale.write_text("")
            self.assertEqual(seen[0], seen[1])
            self.assertIn(pathlib.Path("instructions/et.one.html"), seen[0])

    def test_a_description_with_a_defect_is_refused_in_one_line(self):
        tree = self.tiny()
        tree.replace("isa/instructions/tiny.yaml", "since: 1", "since: 0")
        with tempfile.TemporaryDirectory() as out:
            done = self.run_program(tree.root, out)
            self.assertEqual((done.returncode, done.stderr), (1, "isa/gen: tiny.yaml: since: 0 is less than the minimum of 1\n"))


if __name__ == "__main__":
    BUILT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
