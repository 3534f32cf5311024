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
    "trand": ("tile", 5, False), "tds": ("tile", 5, False), "tscale": ("tile", 5, False),
    "vd": ("view", 4, False), "vs": ("view", 4, False),
    "cd": ("chain", 3, False), "ch": ("chain", 3, False),
    "imm": ("imm", 12, True), "uimm20": ("imm", 20, False), "shamt": ("imm", 6, False), "shamtw": ("imm", 5, False),
    "zimm": ("imm", 5, False), "offset": ("offset", 13, True), "joffset": ("offset", 21, True),
    "csr": ("csr", 12, False), "pred": ("imm", 4, False), "succ": ("imm", 4, False),
    "fm": ("imm", 4, False), "aq": ("flag", 1, False), "rl": ("flag", 1, False), "rm": ("rm", 3, False),
    "word": ("imm", 2, False), "axis": ("imm", 3, False), "box": ("imm", 3, False), "k": ("imm", 4, False),
    "field": ("imm", 5, False), "sem": ("imm", 6, False), "ctr": ("imm", 12, False),
    "mode": ("mode", 2, False), "carry": ("flag", 1, False),
    "reg": ("imm", 5, False), "flags": ("imm", 1, False),
}

# Kinds that name a register, and where its number may start: models read the slots rd, rs1, rs2, rs3 of the word,
# whatever register file an instruction takes them from.
REGISTER_KINDS = ("x", "tile", "view", "chain")
REGISTER_SLOTS = (7, 15, 20, 27)

# Major opcodes custom-0 to custom-3; funct3 = 7 of each belongs to vendors.
CUSTOM_OPCODES = (0x0B, 0x2B, 0x5B, 0x7B)
VENDOR_FUNCT3 = 7


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
    fields: list  # (highest bit, lowest bit, text) as the pattern has them, from bit 31 down


def parse_pattern(pattern, where):
    """Parses a 32-bit pattern; raises DescriptionError naming `where` on any hole or unknown name."""
    position, mask, match, operands, fields = 32, 0, 0, {}, []
    for token in pattern.split():
        if re.fullmatch(r"[01]+", token):
            position -= len(token)
            mask |= ((1 << len(token)) - 1) << max(position, 0)
            match |= int(token, 2) << max(position, 0)
            fields.append((position + len(token) - 1, position, token))
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
            if length < 1:
                raise DescriptionError(f"{where}: '{token}' in encoding '{pattern}' runs upwards; write [high:low]")
        position -= length
        operand = operands.setdefault(name, Operand(name, kind, width, signed))
        operand.pieces.append(Piece(value_low, position, length))
        fields.append((position + length - 1, position, token))
    if position != 0:
        raise DescriptionError(f"{where}: encoding '{pattern}' covers {32 - position} bits, needs 32")
    for operand in operands.values():
        check_operand_bits(operand, where)
    check_opcode(mask, match, where)
    return Encoding(mask, match, operands, fields)


def check_opcode(mask, match, where):
    """The opcode is fixed and one of 32-bit instructions; nothing stands where vendors put theirs."""
    if mask & 0x7F != 0x7F or match & 3 != 3:
        raise DescriptionError(f"{where}: bits 6:0 are the opcode: all fixed, ending in 11")
    if match & 0x7F in CUSTOM_OPCODES and ((match >> 12) ^ VENDOR_FUNCT3) & (mask >> 12) & 7 == 0:
        raise DescriptionError(f"{where}: funct3 = 7 of custom-0 to custom-3 belongs to vendors")


def check_operand_bits(operand, where):
    """Every bit of an operand from its lowest encoded one up to its width stands exactly once."""
    bits = sorted(b for p in operand.pieces for b in range(p.value_low, p.value_low + p.length))
    if bits != list(range(bits[0], operand.width)):
        raise DescriptionError(f"{where}: bits {bits} of operand '{operand.name}' are not {bits[0]}..{operand.width - 1} once each")
    if operand.kind in REGISTER_KINDS and (len(operand.pieces) > 1 or operand.pieces[0].insn_low not in REGISTER_SLOTS):
        raise DescriptionError(f"{where}: register '{operand.name}' must begin at bit 7, 15, 20 or 27, the register slots")


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
