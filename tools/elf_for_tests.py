# SPDX-License-Identifier: Apache-2.0
"""A minimal RISC-V ELF writer, so that tests of the tools need no assembler: code, symbols, a launch note."""
import struct

BASE = 0x80000000
TOHOST = BASE + 0x1000


def note(spec, args_bytes):
    """Content of .note.etalon (isa/abi/kernel_note.h)."""
    text = spec.encode() + b"\0"
    descriptor = struct.pack("<II", 1, args_bytes) + text
    content = struct.pack("<III", 7, len(descriptor), 1) + b"Etalon\0\0" + descriptor
    return content + b"\0" * (-len(content) % 4)


def image(words, spec=None, args_bytes=0):
    """One segment at BASE that begins with the words; `tohost` one page after it."""
    code = b"".join(struct.pack("<I", word) for word in words).ljust(0x1100, b"\0")
    strings = b"\0_start\0tohost\0"
    symbols = bytes(24)
    symbols += struct.pack("<IBBHQQ", 1, 0x12, 0, 0xFFF1, BASE, 0)
    symbols += struct.pack("<IBBHQQ", 8, 0x11, 0, 0xFFF1, TOHOST, 8)
    names = b"\0.symtab\0.strtab\0.shstrtab\0.note.etalon\0"
    parts = [code, symbols, strings, names] + ([note(spec, args_bytes)] if spec else [])
    offsets, at = [], 64 + 56
    for part in parts:
        at += -at % 8
        offsets.append(at)
        at += len(part)
    at += -at % 8
    headers = [(0, 0, 0, 0, 0, 0), (1, 2, offsets[1], len(symbols), 2, 24), (9, 3, offsets[2], len(strings), 0, 0),
               (17, 3, offsets[3], len(names), 0, 0)]
    if spec:
        headers.append((27, 7, offsets[4], len(parts[4]), 0, 0))
    out = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    out += struct.pack("<HHIQQQIHHHHHH", 2, 243, 1, BASE, 64, at, 0, 64, 56, 1, 64, len(headers), 3)
    out += struct.pack("<IIQQQQQQ", 1, 7, offsets[0], BASE, BASE, len(code), len(code), 8)
    for offset, part in zip(offsets, parts):
        out = out.ljust(offset, b"\0") + part
    out = out.ljust(at, b"\0")
    for name, kind, offset, size, link, entry in headers:
        out += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, link, 1 if kind == 2 else 0, 8, entry)
    return out
