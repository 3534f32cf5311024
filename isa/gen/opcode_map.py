# SPDX-License-Identifier: Apache-2.0
"""The opcode map: which instructions a word with given opcode, funct3 and funct7 may be, reserved cells shown."""
from encoding import CUSTOM_OPCODES, VENDOR_FUNCT3
from manual_page import markdown_table

RESERVED = "reserved"
GRID_BITS = 5  # from this many fixed bits on, cells stand in a grid of 16 columns


def fixed_funct7(members):
    """Bits of funct7 that some member fixes."""
    mask = 0
    for i in members:
        mask |= i["encoding"].mask >> 25
    return [b for b in range(6, -1, -1) if mask >> b & 1]


def cell(members, funct7, link):
    names = [link(i) for i in members if (i["encoding"].match >> 25 ^ funct7) & i["encoding"].mask >> 25 == 0]
    return " ".join(names) or RESERVED


def spread(value, positions):
    """Puts the bits of `value` at the positions, the first position the highest."""
    return sum((value >> n & 1) << b for n, b in enumerate(reversed(positions)))


def funct3_section(members, link):
    """A table over the bits of funct7 that select among the members of one (opcode, funct3)."""
    positions = fixed_funct7(members)
    if not positions:
        return cell(members, 0, link) + "\n"
    bits = f"{positions[0] + 25}:{positions[-1] + 25}" if len(positions) > 1 else str(positions[0] + 25)
    cells = [cell(members, spread(v, positions), link) for v in range(1 << len(positions))]
    if len(positions) < GRID_BITS:
        rows = [[f"bits {bits}", "instruction"]]
        return markdown_table(rows + [[format(v, f"0{len(positions)}b"), c] for v, c in enumerate(cells)])
    rows = [[f"bits {bits}"] + [f"+{n:x}" for n in range(16)]]
    for first in range(0, len(cells), 16):
        rows.append([f"{first:#04x}"] + ["." if c == RESERVED else c for c in cells[first:first + 16]])
    return markdown_table(rows)


def with_funct3(members, funct3):
    return [i for i in members if (i["encoding"].match >> 12 ^ funct3) & i["encoding"].mask >> 12 & 7 == 0]


def place(opcode, funct3):
    return f"op{opcode:02x}.{funct3}"


def overview(by_opcode, custom):
    """One table of all opcodes and funct3: how many instructions stand in each cell."""
    rows = [["opcode"] + [f"funct3 {n}" for n in range(8)]]
    for opcode in sorted(set(by_opcode) | set(custom)):
        row = [format(opcode, "07b") + (f" custom-{custom[opcode]}" if opcode in custom else "")]
        for funct3 in range(8):
            here = with_funct3(by_opcode.get(opcode, []), funct3)
            empty = "vendors'" if opcode in custom and funct3 == VENDOR_FUNCT3 else "."
            row.append(f"[{len(here)}](#{place(opcode, funct3)})" if here else empty)
        rows.append(row)
    return markdown_table(rows)


def opcode_map(instructions, link):
    """Markdown of the whole map; `link` makes the text of an instruction."""
    by_opcode = {}
    for i in instructions:
        by_opcode.setdefault(i["encoding"].match & 0x7F, []).append(i)
    custom = {opcode: n for n, opcode in enumerate(CUSTOM_OPCODES)}
    out = ["# Opcode map\n", "The first table has a cell for each opcode and funct3: the number of its instructions. Below, a section an opcode and "
           "a table a funct3 have a cell for each value of the bits of funct7 that its instructions fix. `.` and `reserved` "
           "encode nothing: such words trap as illegal. Other opcodes are reserved. Vendors may use funct3 = 7 of custom-0 to custom-3.\n"]
    out.append(overview(by_opcode, custom))
    for opcode in sorted(set(by_opcode) | set(custom)):
        members = by_opcode.get(opcode, [])
        if members:
            out.append(f"## {format(opcode, '07b')}" + (f" (custom-{custom[opcode]})" if opcode in custom else "") + "\n")
        for funct3 in range(8):
            here = with_funct3(members, funct3)
            if here:
                out += [f'### <a id="{place(opcode, funct3)}"></a>funct3 = {funct3}\n', funct3_section(here, link)]
    return "\n".join(out)
