# SPDX-License-Identifier: Apache-2.0
"""The manual as Markdown: a page an instruction, indices, the chapters of docs/spec. docs/site makes HTML of it."""
import re

from emit_cpp import quote
from encoding import DescriptionError
from families import BASE_PROFILE
from host_page import TABLES as HOST_TABLES
from litmus import with_tests
from load import RULE
from manual_page import markdown, markdown_table, page, rule_link, text_page
from opcode_map import opcode_map
from read import read_text
from rule_tests import can_be_violated, rule_tests
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
    out.append("* [Opcode map](opcode-map.md)\n* [Rules](rules.md)\n* [Rules and tests](rule-tests.md)\n* [Element types](types.md)\n"
               "* [Profiles](profiles.md)\n* [CSRs](csrs.md)\n* [Counters](counters.md)\n")
    out.append("## Instructions by group\n")
    for group in description["groups"]:
        rows = [["instruction", "operands", "summary"]] + [[link(i), f"`{i['syntax']}`" if i["syntax"] else "", i["summary"]]
                                                           for i in group["instructions"]]
        out += [f"### {group['title']} ({group['group']})\n", markdown_table(rows)]
    out.append("## Instructions by mnemonic\n")
    out.append(" ".join(link(i) for i in sorted(description["instructions"], key=lambda i: i["name"])) + "\n")
    return "\n".join(out)


def anchored(rule):
    return f'<a id="{rule["name"]}"></a>0x{rule["number"]:04x}'


def rules_page(description):
    cited = {}
    for i in description["instructions"]:
        for rule in dict.fromkeys(i["rules"] + i["faults"]):
            cited.setdefault(rule, []).append(link(i))
    rows = [["id", "rule", "chapter", "text", "instructions that cite it"]]
    for rule in sorted(description["rules"].values(), key=lambda r: r["number"]):
        rows.append([anchored(rule), rule_link(rule, ""), f"[{rule['chapter']}](spec/{rule['chapter']}.md)", rule["text"],
                     " ".join(cited.get(rule["name"], []))])
    return "# Rules\n\nThe id is what mtval and diagnostics carry.\n\n" + markdown_table(rows)


def small_lines(lines):
    return "<br>".join(f"<small>{line}</small>" for line in lines)


def rule_tests_page(description):
    """Which tests show a rule and, where it can be violated, break it."""
    rows = [["id", "rule", "shown by", "violated by"]]
    for name, tests in sorted(rule_tests(description).items(), key=lambda item: description["rules"][item[0]]["number"]):
        rule = description["rules"][name]
        violated = tests["violates"] if can_be_violated(rule) else ["cannot be violated"]
        rows.append([anchored(rule), rule_link(rule, ""), small_lines(tests["shows"]), small_lines(violated)])
    return ("# Rules and tests\n\nA test names the rules it shows in its source (`isa/state/rule_test.h`); this table is collected from there, "
            "from the worked examples and from the faults that instructions list.\n\n" + markdown_table(rows))


def causes_table(description):
    rows = [["mcause", "name in reports", "is"]]
    return markdown_table(rows + [[str(c["number"]), c.get("text", c["name"]), c["summary"]] for c in description["causes"]])


def interrupts_table(description):
    rows = [["bit", "name", "pending while"]]
    return markdown_table(rows + [[str(i["number"]), i["name"], i["summary"]] for i in description["interrupts"]])


def operations_table(description):
    """Operations of chain steps."""
    rows = [["operation", "name", "sources", "computes in", "is"]]
    computes = {"float": "f32", "int": "i32", "uint": "u32"}
    for op in sorted(description["operations"], key=lambda op: op["code"]):
        if "step" in op["forms"]:
            rows.append([str(op["code"]), op["name"], str(op["arity"]), " ".join(computes[c] for c in op["classes"]), op["summary"]])
    return markdown_table(rows)


def types_table(description):
    rows = [["code", "type", "bits", "kind", "exponent bits", "mantissa bits", "bias", "widens to", "profile"]]
    for t in description["types"]:
        rows.append([str(t["code"]), t["name"], str(t["bits"]), t["kind"]] + [str(t.get(k, "")) for k in ("exponent_bits", "mantissa_bits", "bias")]
                    + [t["widens_to"] or "", t.get("profile", BASE_PROFILE)])
    return markdown_table(rows)


def types_page(description):
    return "# Element types\n\nCodes that are not listed are reserved and fault.\n\n" + types_table(description)


def csrs_table(description):
    rows = [["number", "name", "access", "is"]]
    rows += [[f"0x{c['number']:03x}", c["name"], ACCESS[c["access"]], c["summary"]] for c in sorted(description["csrs"], key=lambda c: c["number"])]
    return markdown_table(rows)


def csrs_page(description):
    return ("# Control and status registers\n\n0xBC0 + n is [counter n](counters.md), by the name etctr*n*; 0x7F0 to 0x7FF and 0xFE0 to 0xFFF belong "
            "to vendors; any other number that is not listed traps.\n\n" + csrs_table(description))


def counters_table(description):
    rows = [["number", "name", "kind", "counts"]]
    rows += [[str(c["number"]), c["name"], "architectural" if c["architectural"] else "machine", c["summary"]] for c in description["counters"]]
    return markdown_table(rows)


def counters_page(description):
    return "# Counters\n\nCSR 0xBC0 + number, and [et.ctr](instructions/et.ctr.md). Numbers that are not listed read 0.\n\n" + counters_table(description)


def profiles_table(description):
    return markdown_table([["bit", "profile", "status", "grants"]] + [[str(p["bit"]), p["name"], p["status"], p["meaning"]] for p in description["profiles"]])


def profiles_page(description):
    """What each profile grants: instructions of its own, and those that have type tuples with it."""
    out = ["# Profiles\n", "Bits of CSR etprofiles.\n", profiles_table(description)]
    for profile in description["profiles"]:
        name = profile["name"]
        own = [i for i in description["instructions"] if not i["types"] and i["profile"] == name]
        typed = [(i, sum(name in row["profile"].split() for row in i["types"])) for i in description["instructions"]]
        out.append(f"## {name}\n")
        out.append(f"Instructions without types: {' '.join(link(i) for i in own) or 'none'}\n")
        out.append(f"With rows of legal types that need it: {' '.join(link(i) for i, rows in typed if rows) or 'none'}\n")
    return "\n".join(out)


# Tables that a chapter takes from the description: `<!-- table: NAME -->` on a line of its own.
CHAPTER_TABLES = {"causes": causes_table, "counters": counters_table, "csrs": csrs_table, "interrupts": interrupts_table, "operations": operations_table,
                  "profiles": profiles_table, "types": types_table} | HOST_TABLES
TABLE_MARK = re.compile(r"^<!-- table: (.*) -->\n", re.MULTILINE)


def chapter(text, description, where):
    """A chapter with its tables, and an anchor at each rule, named like the rule."""
    def table(match):
        if match[1] not in CHAPTER_TABLES:
            raise DescriptionError(f"{where}: no table '{match[1]}'; there are {', '.join(sorted(CHAPTER_TABLES))}")
        return CHAPTER_TABLES[match[1]](description)
    return TABLE_MARK.sub(table, RULE.sub(lambda m: m[0].replace("* **[", f'* <a id="{m[2]}"></a>**[', 1), text))


def manual(description):
    """File name below the manual's folder -> text."""
    files = {f"instructions/{name}.md": markdown(blocks) for name, blocks in instruction_pages(description).items()}
    chapters, rule_chapters = [], {r["chapter"] for r in description["rules"].values()}
    for path in sorted((description["source"] / "docs/spec").glob("*.md"), key=lambda p: (p.stem != "README", p.name)):
        text = read_text(path)
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        chapters.append((path.name, title[1] if title else path.stem))
        text = with_tests(text, path.parent / "litmus", description["rules"])
        files[f"spec/{path.name}"] = chapter(text, description, path.name) if path.stem in rule_chapters else text
    return files | {"index.md": index(description, chapters), "opcode-map.md": opcode_map(description["instructions"], link),
                    "rules.md": rules_page(description), "rule-tests.md": rule_tests_page(description), "types.md": types_page(description), "csrs.md": csrs_page(description),
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
