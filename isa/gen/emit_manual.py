#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual: a page an instruction, indices, the chapters of docs/spec. Usage: emit_manual.py SOURCE_DIR OUTPUT_DIR

OUTPUT_DIR is the manual's own: Markdown files in it that the description no longer makes are removed.
"""
import pathlib
import re
import sys

from emit_cpp import quote
from encoding import DescriptionError
from families import BASE_PROFILE
from litmus import with_tests
from load import RULE, load
from manual_page import markdown, markdown_table, page, rule_link, text_page
from opcode_map import opcode_map
from read import read_text, write_if_changed
from semantics_source import SemanticsFile

ACCESS = {"rw": "read, write", "ro": "read; a write traps", "zero": "reads 0, ignores writes", "zero_write": "read; ignores writes"}


def instruction_pages(description):
    """Blocks of every page, by instruction name, in description order."""
    pages = {}
    for group in description["groups"]:
        semantics = SemanticsFile(description["source"] / f"isa/instructions/{group['group']}.cc")
        for i in group["instructions"]:
            pages[i["name"]] = page(i, description, semantics.meaning(i["semantics"]))
    return pages


def link(instruction):
    return f"[{instruction['name']}](instructions/{instruction['name']}.md)"


def index(description, chapters):
    out = ["# The Etalon instruction set manual\n", "Made from the ISA description; chapters are written by hand.\n", "## Chapters\n"]
    out.append("".join(f"* [{title}](spec/{name})\n" for name, title in chapters))
    out.append("## Tables\n")
    out.append("* [Opcode map](opcode-map.md)\n* [Rules](rules.md)\n* [Element types](types.md)\n"
               "* [Profiles](profiles.md)\n* [CSRs](csrs.md)\n* [Counters](counters.md)\n")
    out.append("## Instructions by group\n")
    for group in description["groups"]:
        rows = [["instruction", "operands", "summary"]] + [[link(i), f"`{i['syntax']}`" if i["syntax"] else "", i["summary"]]
                                                           for i in group["instructions"]]
        out += [f"### {group['title']} ({group['group']})\n", markdown_table(rows)]
    out.append("## Instructions by mnemonic\n")
    out.append(" ".join(link(i) for i in sorted(description["instructions"], key=lambda i: i["name"])) + "\n")
    return "\n".join(out)


def rules_page(description):
    cited = {}
    for i in description["instructions"]:
        for rule in dict.fromkeys(i["rules"] + i["faults"]):
            cited.setdefault(rule, []).append(link(i))
    rows = [["id", "rule", "chapter", "text", "instructions that cite it"]]
    for rule in sorted(description["rules"].values(), key=lambda r: r["number"]):
        rows.append([f"0x{rule['number']:04x}", rule_link(rule, ""), f"[{rule['chapter']}](spec/{rule['chapter']}.md)", rule["text"],
                     " ".join(cited.get(rule["name"], []))])
    return "# Rules\n\nThe id is what mtval and diagnostics carry.\n\n" + markdown_table(rows)


def types_page(description):
    rows = [["code", "type", "bits", "kind", "exponent bits", "mantissa bits", "bias", "widens to", "profile"]]
    for t in description["types"]:
        rows.append([str(t["code"]), t["name"], str(t["bits"]), t["kind"]] + [str(t.get(k, "")) for k in ("exponent_bits", "mantissa_bits", "bias")]
                    + [t["widens_to"] or "", t.get("profile", BASE_PROFILE)])
    return "# Element types\n\nCodes that are not listed are reserved and fault.\n\n" + markdown_table(rows)


def csrs_page(description):
    rows = [["number", "name", "access", "is"]]
    rows += [[f"0x{c['number']:03x}", c["name"], ACCESS[c["access"]], c["summary"]] for c in sorted(description["csrs"], key=lambda c: c["number"])]
    return ("# Control and status registers\n\n0xBC0 + n is [counter n](counters.md), by the name etctr*n*; 0x7F0 to 0x7FF and 0xFE0 to 0xFFF belong "
            "to vendors; any other number that is not listed traps.\n\n" + markdown_table(rows))


def counters_page(description):
    rows = [["number", "name", "kind", "counts"]]
    rows += [[str(c["number"]), c["name"], "architectural" if c["architectural"] else "machine", c["summary"]] for c in description["counters"]]
    return "# Counters\n\nCSR 0xBC0 + number, and [et.ctr](instructions/et.ctr.md). Numbers that are not listed read 0.\n\n" + markdown_table(rows)


def profiles_page(description):
    rows = [["bit", "profile", "status", "grants"]] + [[str(p["bit"]), p["name"], p["status"], p["meaning"]] for p in description["profiles"]]
    return "# Profiles\n\nBits of CSR etprofiles.\n\n" + markdown_table(rows)


def chapter(text):
    """A chapter with an anchor at each rule, named like the rule."""
    return RULE.sub(lambda m: m[0].replace("* **[", f'* <a id="{m[2]}"></a>**[', 1), text)


def manual(description):
    """File name below the manual's folder -> text."""
    files = {f"instructions/{name}.md": markdown(blocks) for name, blocks in instruction_pages(description).items()}
    chapters, rule_chapters = [], {r["chapter"] for r in description["rules"].values()}
    for path in sorted((description["source"] / "docs/spec").glob("*.md")):
        text = read_text(path)
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        chapters.append((path.name, title[1] if title else path.stem))
        text = with_tests(text, path.parent / "litmus", description["rules"])
        files[f"spec/{path.name}"] = chapter(text) if path.stem in rule_chapters else text
    return files | {"index.md": index(description, chapters), "opcode-map.md": opcode_map(description["instructions"], link),
                    "rules.md": rules_page(description), "types.md": types_page(description), "csrs.md": csrs_page(description),
                    "counters.md": counters_page(description), "profiles.md": profiles_page(description)}


def pages_inc(description):
    """Rows {name, text} in the order of names, for isa/codec/instruction_page.cc. Lengths are written out: compilers limit
    how much they count at compile time."""
    rows = []
    for name, blocks in sorted(instruction_pages(description).items()):
        text = text_page(blocks)
        lines = "\n".join("     " + quote(line) for line in text.splitlines(keepends=True))
        rows.append(f'    {{"{name}",\n     {{\n{lines},\n     {len(text.encode())}}}}},')
    return "// Generated by isa/gen; do not edit.\n" + "\n".join(rows) + "\n"


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        files = manual(load(source))
    except DescriptionError as error:
        sys.exit(f"isa/gen: {error}")
    for name, text in files.items():
        write_if_changed(out / name, text)
    for path in sorted(out.rglob("*.md")):
        if str(path.relative_to(out)) not in files:
            path.unlink()
    (out / "manual.stamp").write_text("")


if __name__ == "__main__":
    main()
