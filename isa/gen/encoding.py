# SPDX-License-Identifier: Apache-2.0
"""Instruction encodings: the pattern language, masks, operand fields, overlap.

A pattern reads from bit 31 to bit 0 and its pieces add up to 32 bits:
  0101011      fixed bits
  rd           an operand field of its natural width (see OPERANDS)
  imm[11:0]    bits 11..0 of an operand, standing here
"""
import re
from dataclasses import dataclass, field

# Operand name -> (kind, width in bits, signed). The kind decides how it is printed and typed in builders.
OPERANDS = {
    "rd": ("x", 5, False), "rs1": ("x", 5, False), "rs2": ("x", 5, False), "rs3": ("x", 5, False),
    "td": ("tile", 5, False), "ta": ("tile", 5, False), "tb": ("tile", 5, False), "tc": ("tile", 5, False),
    "ts": ("tile", 5, False), "ti": ("tile", 5, False), "tdi": ("tile", 5, False), "tm": ("tile", 5, False),
    "tdv": ("tile", 5, False), "tmul": ("tile", 5, False), "tshift": ("tile", 5, False), "tcarry": ("tile", 5, False),
    "vd": ("view", 4, False), "vs": ("view", 4, False),
    "cd": ("chain", 3, False), "ch": ("chain", 3, False),
    "imm": ("imm", 12, True), "uimm20": ("imm", 20, False), "shamt": ("imm", 6, False), "shamtw": ("imm", 5, False),
    "zimm": ("imm", 5, False), "offset": ("offset", 13, True), "joffset": ("offset", 21, True),
    "csr": ("csr", 12, False), "pred": ("imm", 4, False), "succ": ("imm", 4, False),
    "fm": ("imm", 4, False), "aq": ("flag", 1, False), "rl": ("flag", 1, False), "rm": ("rm", 3, False),
    "word": ("imm", 2, False), "axis": ("imm", 3, False), "box": ("imm", 3, False), "k": ("imm", 4, False),
    "field": ("imm", 5, False), "sem": ("imm", 6, False), "ctr": ("imm", 12, False),
    "mode": ("mode", 2, False), "cmode": ("cmode", 4, False), "carry": ("flag", 1, False),
    "reg": ("imm", 5, False),
}


class DescriptionError(Exception):
    """The description is wrong; the message names file, instruction and reason."""


@dataclass
class Piece:
    """`length` bits of an operand, from bit value_low, standing at instruction bit insn_low."""
    value_low: int
    insn_low: int
    length: int


@dataclass
class Operand:
    name: str
    kind: str
    width: int
    signed: bool
    pieces: list = field(default_factory=list)


@dataclass
class Encoding:
    mask: int
    match: int
    operands: dict


def parse_pattern(pattern, where):
    """Parses a 32-bit pattern; raises DescriptionError naming `where` on any hole or unknown name."""
    position, mask, match, operands = 32, 0, 0, {}
    for token in pattern.split():
        if re.fullmatch(r"[01]+", token):
            position -= len(token)
            mask |= ((1 << len(token)) - 1) << max(position, 0)
            match |= int(token, 2) << max(position, 0)
            continue
        found = re.fullmatch(r"([a-z][a-z0-9]*)(?:\[(\d+)(?::(\d+))?\])?", token)
        if not found:
            raise DescriptionError(f"{where}: cannot read '{token}' in encoding '{pattern}'")
        name, high, low = found.groups()
        if name not in OPERANDS:
            raise DescriptionError(f"{where}: unknown operand '{name}' in encoding; known: {', '.join(sorted(OPERANDS))}")
        kind, width, signed = OPERANDS[name]
        if high is None:
            value_low, length = 0, width
        else:
            value_low = int(low if low is not None else high)
            length = int(high) - value_low + 1
        position -= length
        operand = operands.setdefault(name, Operand(name, kind, width, signed))
        operand.pieces.append(Piece(value_low, position, length))
    if position != 0:
        raise DescriptionError(f"{where}: encoding '{pattern}' covers {32 - position} bits, needs 32")
    for operand in operands.values():
        check_operand_bits(operand, where)
    return Encoding(mask, match, operands)


def check_operand_bits(operand, where):
    """Every bit of an operand from its lowest encoded one up to its width stands exactly once."""
    bits = sorted(b for p in operand.pieces for b in range(p.value_low, p.value_low + p.length))
    if bits != list(range(bits[0], operand.width)):
        raise DescriptionError(f"{where}: bits {bits} of operand '{operand.name}' are not {bits[0]}..{operand.width - 1} once each")


def check_overlaps(instructions):
    """Refuses two encodings that one word can match."""
    buckets = {}
    for i in instructions:
        buckets.setdefault(i["encoding"].match & 0x7F, []).append(i)
    for bucket in buckets.values():
        for n, a in enumerate(bucket):
            for b in bucket[n + 1:]:
                ea, eb = a["encoding"], b["encoding"]
                if (ea.match ^ eb.match) & ea.mask & eb.mask == 0:
                    raise DescriptionError(f"{b['where']}: encoding overlaps that of '{a['name']}' ({a['where']})")


def operand_syntax(syntax):
    """Splits a syntax such as 'rd, imm(rs1)' into operand names and literal separators, in order."""
    return [t for t in re.split(r"([a-z][a-z0-9]*)", syntax) if t]
