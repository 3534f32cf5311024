# SPDX-License-Identifier: Apache-2.0
"""One instruction's manual page, as Markdown for the manual and as plain text for the terminal.

A page is a list of blocks: ("title" | "heading" | "text" | "code" | "cpp", string), ("list", [string]), ("table", [row]), the
first row the header, and ("encoding", Encoding). Strings may hold Markdown links and code marks, which the text form leaves out.
"""
import re
import textwrap

from encoding import OPERANDS, operand_syntax

KIND_WORDS = {"x": "x register", "tile": "tile register", "view": "view register", "chain": "chain register", "csr": "CSR",
              "flag": "flag", "rm": "rounding mode", "mode": "conversion mode", "offset": "byte offset"}
BYTES_SHOWN_IN_FULL = 8
TEXT_COLUMNS = 100


def rule_link(rule, prefix):
    return f"[{rule['name']}]({prefix}spec/{rule['chapter']}.md#{rule['name']})"


def page(instruction, description, meaning):
    """Blocks of the page; links are relative to the folder `instructions` of the manual."""
    i = instruction
    rules = description["rules"]
    blocks = [("title", i["name"]), ("text", i["summary"]), ("code", f"{i['name']} {i['syntax']}".rstrip())]
    if "meaning" in i:
        blocks.append(("text", i["meaning"]))
    blocks += [("heading", "Encoding"), ("encoding", i["encoding"])]
    if i["encoding"].operands:
        blocks += [("heading", "Operands"), ("table", operand_table(i))]
    if i["types"]:
        blocks += [("heading", "Legal types"), ("table", types_table(i))]
    for key, heading in (("shape", "Shapes"), ("aliasing", "Aliasing")):
        if key in i:
            blocks += [("heading", heading), ("text", i[key])]
    if i["rules"]:
        blocks += [("heading", "Rules"), ("list", [rule_item(rules[r]) for r in i["rules"]])]
    blocks += [("heading", "Faults"), ("list", [rule_item(rules[r]) for r in i["faults"]] or ["none of its own"])]
    blocks += [("heading", "Belongs to"), ("table", [["unit", "group", "profile", "since", "counted in"],
               [i["unit"], i["group"], i["profile"], f"version {i['since']}", f"retired_{i['class']}"]])]
    blocks += [("heading", "Worked examples"), ("code", "\n\n".join(example_text(e) for e in i["examples"]))]
    return blocks + [("heading", "Meaning"), ("text", f"From `isa/instructions/{i['group']}.cc`, with what it calls in that folder:"), ("cpp", meaning)]


def rule_item(rule):
    return f"{rule_link(rule, '../')} (0x{rule['number']:04x}): {rule['text']}"


def encoding_table(encoding):
    bits = [str(high) if high == low else f"{high}:{low}" for high, low, _ in encoding.fields]
    return [bits, [text for _, _, text in encoding.fields]]


def encoding_figure(encoding):
    """The word drawn to scale, as HTML: one cell a field, from bit 31 to bit 0."""
    cells = []
    for high, low, text in encoding.fields:
        bits = str(high) if high == low else f"{high}:{low}"
        fixed = ' class="fixed"' if set(text) <= set("01") else ""
        cells.append(f'<div{fixed} style="grid-column: span {high - low + 1}"><div class="bits">{bits}</div><div class="value">{text}</div></div>')
    return f'<div class="encoding">{"".join(cells)}</div>\n'


def operand_table(i):
    """Operands in assembly order; those the syntax leaves out follow."""
    order = [t for t in operand_syntax(i["syntax"]) if t in OPERANDS]
    order += [n for n in i["encoding"].operands if n not in order]
    rows = [["operand", "is", "values", "bits of the word"]]
    for name in order:
        o = i["encoding"].operands[name]
        bits = ", ".join(f"{p.insn_low + p.length - 1}:{p.insn_low}" if p.length > 1 else str(p.insn_low) for p in o.pieces)
        kind = KIND_WORDS.get(o.kind, "immediate")
        rows.append([name, kind if name in i["syntax"] else f"{kind}, may be left out", operand_values(o), bits])
    return rows


def operand_values(operand):
    prefix = {"x": "x", "tile": "tr", "view": "vr", "chain": "ch"}.get(operand.kind)
    most = (1 << operand.width) - 1
    if prefix:
        return f"{prefix}0..{prefix}{most}"
    unit = 1 << min(p.value_low for p in operand.pieces)
    low, high = (-(most // 2) - 1, most // 2) if operand.signed else (0, most)
    high -= high % unit
    return f"{low}..{high}" + (f", multiples of {unit}" if unit > 1 else "")


def types_table(i):
    roles = [t for t in operand_syntax(i["syntax"]) if OPERANDS.get(t, ("",))[0] in ("tile", "view")]
    rows = [roles + ["profile"]]
    for row in i["types"]:
        rows.append([row[r] if isinstance(row[r], str) else " ".join(row[r]) for r in roles] + [row["profile"]])
    return rows


def example_text(example):
    lines = [example["asm"]]
    for label, state in (("before", example.get("in")), ("after", example.get("out"))):
        for name, value in (state or {}).items():
            if name == "mem":
                lines += [f"  {label:6}  mem[{address:#x}] = {byte_text(data)}" for address, data in value.items()]
            else:
                lines.append(f"  {label:6}  {name} = {value_text(value)}")
    if "fault" in example:
        lines.append(f"  fault   {example['fault']}")
    if "shows" in example:
        lines.append(f"  shows   {' '.join(example['shows'])}")
    if "note" in example:
        lines.append(f"  note    {example['note']}")
    return "\n".join(lines)


def value_text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return hex(value) if abs(value) > 0xFFFF else str(value)
    if isinstance(value, list):
        return "[" + ", ".join(value_text(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {value_text(v)}" for k, v in value.items()) + "}"
    return str(value)


def byte_text(data):
    """Bytes in hexadecimal, runs as `00 (12 times)`; anything else as it is."""
    if not (isinstance(data, list) and all(isinstance(b, int) and 0 <= b < 256 for b in data)):
        return value_text(data)
    parts, at = [], 0
    while at < len(data):
        end = at
        while end < len(data) and data[end] == data[at]:
            end += 1
        run = end - at
        parts.append(f"{data[at]:02x} ({run} times)" if run > BYTES_SHOWN_IN_FULL else " ".join([f"{data[at]:02x}"] * run))
        at = end
    return " ".join(parts)


def markdown(blocks):
    out = []
    for kind, content in blocks:
        if kind in ("title", "heading"):
            out.append(f"{'#' if kind == 'title' else '##'} {content}\n")
        elif kind == "text":
            out.append(f"{content}\n")
        elif kind in ("code", "cpp"):
            out.append(f"```{'cpp' if kind == 'cpp' else ''}\n{content}\n```\n")
        elif kind == "list":
            out.append("".join(f"* {item}\n" for item in content))
        elif kind == "encoding":
            out.append(encoding_figure(content))
        else:
            out.append(markdown_table(content))
    return "\n".join(out)


def markdown_table(rows):
    cells = [[c.replace("|", "\\|") for c in row] for row in rows]
    lines = [cells[0], ["---"] * len(cells[0])] + cells[1:]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def plain(text):
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "")


def paragraph(text):
    return textwrap.fill(plain(text), TEXT_COLUMNS, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False) + "\n"


def text_page(blocks):
    out = []
    for kind, content in blocks:
        if kind == "title":
            out.append(f"{content}\n")
        elif kind == "heading":
            out.append(f"{content.upper()}\n")
        elif kind == "text":
            out.append(paragraph(content))
        elif kind in ("code", "cpp"):
            out.append("".join(f"  {line}".rstrip() + "\n" for line in content.split("\n")))
        elif kind == "list":
            out.append("".join(paragraph(item) for item in content))
        else:
            content = encoding_table(content) if kind == "encoding" else content
            widths = [max(len(row[c]) for row in content) for c in range(len(content[0]))]
            out.append("".join("  " + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() + "\n" for row in content))
    return "\n".join(out)
