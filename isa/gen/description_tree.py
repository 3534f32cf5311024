# SPDX-License-Identifier: Apache-2.0
"""A tiny ISA description on disk, for tests that break one thing in it."""
import pathlib
import shutil
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]

FILES = {
    "isa/instructions/tiny.yaml": """\
group: tiny
title: Two instructions
unit: vector
profile: Et-base
since: 1
instructions:
  - name: et.one
    encoding: "0000000 tb ta 000 td 1011011"
    syntax: "td, ta, tb"
    summary: "td = ta, one"
    types:
      - {td: f32, ta: [f32, i8], tb: i8}
    rules: [tiny.meaning]
    faults: [tiny.shape]
    examples:
      - {asm: "et.one tr0, tr1, tr2", out: {}}
  - name: et.two
    encoding: "imm[11:0] rs1 001 rd 0001011"
    syntax: "rd, imm(rs1)"
    summary: "rd = two"
    examples:
      - {asm: "et.two x1, 2(x3)", out: {}}
""",
    "isa/instructions/tiny.cc": "SEMANTICS(et_one) {}\nSEMANTICS(et_two) {}\n",
    "isa/instructions/elementwise.cc": "",
    "isa/instructions/elementwise.yaml": """\
group: elementwise
title: Two operations
unit: vector
profile: Et-base
since: 1
operations:
  - {name: sub, code: 1, arity: 2, classes: [float], result: same, forms: [step], cost: simple, summary: "a - b"}
  - {name: rsub, code: 2, arity: 2, classes: [float], result: same, forms: [step], reversed: sub, cost: simple, summary: "x - a"}
""",
    "isa/instructions/counters.yaml": """\
counters:
  - {name: retired_vector, number: 0, architectural: true, summary: "vector instructions"}
  - {name: macs, number: 1, architectural: true, summary: "products"}
""",
    "isa/instructions/csrs.yaml": """\
csrs:
  - {name: mepc, number: 0x341, access: rw, summary: "pc"}
  - {name: mtval, number: 0x343, access: rw, summary: "value"}
""",
    "isa/instructions/causes.yaml": """\
causes:
  - {name: illegal, number: 2, text: illegal_instruction, summary: "no instruction"}
  - {name: shape, number: 25, summary: "shape"}
""",
    "isa/instructions/interrupts.yaml": """\
interrupts:
  - {name: timer, number: 7, summary: "it is time"}
""",
    "isa/instructions/host.yaml": """\
registers:
  - {name: one, offset: 0, bytes: 8, access: read, summary: "one", fields: [{name: part, high: 7, low: 4}]}
  - {name: two, offset: 0x10, bytes: 4, access: read_write, core_stride: 4, summary: "two of core c"}
launch_descriptor: [{name: entry, bytes: 64, summary: "where"}]
completion_record: [{name: tag, bytes: 64, summary: "whose"}]
launch_ends:
  - {name: exited, number: 0, value: "exit code", summary: "it ended"}
descriptor_defects:
  - {name: entry, number: 1, summary: "nowhere"}
""",
    "isa/numerics/element_types.yaml": """\
types:
  - {name: i8, code: 2, bits: 8, kind: int, widens_to: i32}
  - {name: f32, code: 15, bits: 32, kind: float, widens_to: f32}
""",
    "isa/profiles/base.yaml": "name: Et-base\nbit: 0\nstatus: implemented\nmeaning: \"Everything\"\n",
    "docs/spec/01-tiny.md": """\
# 1. Tiny

* **[0x0101 tiny.meaning]** It means one, see also
  the next line.
* **[0x0102 tiny.shape]** It has a shape.
""",
}


class DescriptionTree:
    """The files above with the repository's schemas, in a folder of their own; use in a `with` statement."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name)
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copytree(SOURCE / "isa/schema", self.root / "isa/schema", ignore=shutil.ignore_patterns("*.py"))
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def replace(self, name, old, new):
        """Changes the only place where `old` stands in a file."""
        text = (self.root / name).read_text()
        assert text.count(old) == 1, f"'{old}' stands {text.count(old)} times in {name}"
        self.write(name, text.replace(old, new))
