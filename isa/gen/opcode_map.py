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


def opcode_map(instructions, link):
    """Markdown of the whole map; `link` makes the text of an instruction."""
    by_opcode = {}
    for i in instructions:
        by_opcode.setdefault(i["encoding"].match & 0x7F, []).append(i)
    custom = {opcode: n for n, opcode in enumerate(CUSTOM_OPCODES)}
    out = ["# Opcode map\n", "One section an opcode, one table a funct3, one cell a value of the bits of funct7 that its instructions fix. "
           "`.` and `reserved` encode nothing: such words trap as illegal. Opcodes without section are reserved. "
           "Vendors may use funct3 = 7 of custom-0 to custom-3.\n"]
    for opcode in sorted(set(by_opcode) | set(custom)):
        members = by_opcode.get(opcode, [])
        out.append(f"## {format(opcode, '07b')}" + (f" (custom-{custom[opcode]})" if opcode in custom else "") + "\n")
        for funct3 in range(8):
            here = [i for i in members if (i["encoding"].match >> 12 ^ funct3) & i["encoding"].mask >> 12 & 7 == 0]
            title = f"### funct3 = {funct3}"
            if here:
                out += [f"{title}\n", funct3_section(here, link)]
            elif opcode in custom and funct3 == VENDOR_FUNCT3:
                out.append(f"{title}: vendors'\n")
            else:
                out.append(f"{title}: {RESERVED}\n")
    return "\n".join(out)
