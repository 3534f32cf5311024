# SPDX-License-Identifier: Apache-2.0
"""A mutant: a place in a source and what stands there when it is chosen. Seeded defects are read from defects.yaml."""
import dataclasses
import hashlib
import pathlib
import re

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Numbers name mutants in the woven program (ETALON_MUTANT); runtime.cc has the same limit.
NUMBERS = 1 << 16
CLASSES = ("decoder", "address generator", "tile edge", "accumulator", "converter", "DMA", "ordering")
FORMS = ("expression", "statement")


class Refused(Exception):
    """Data that does not fit the sources."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`pieces` replace source[start:end]: a str stands as it is, a pair is a range of the source (woven too), None the number."""
    id: str
    file: str
    line: int
    group: str      # operator of a mechanical mutant, class of a seeded defect
    seeded: bool    # hand-chosen
    start: int
    end: int
    pieces: tuple
    what: str       # one line for a reader

    def as_data(self):
        return dataclasses.asdict(self)

    @staticmethod
    def from_data(data):
        pieces = tuple(tuple(p) if isinstance(p, list) else p for p in data["pieces"])
        return Mutant(**{**data, "pieces": pieces})


def numbered(mutants):
    """{number: mutant}. A number depends on the id alone (but for collisions), so that few files change with the list."""
    numbers = {}
    for mutant in sorted(mutants, key=lambda m: m.id):
        number = int(hashlib.sha256(mutant.id.encode()).hexdigest()[:8], 16) % (NUMBERS - 1) + 1
        while number in numbers:
            number = number % (NUMBERS - 1) + 1
        numbers[number] = mutant
    return numbers


def expression(start, end, becomes):
    """Pieces of the conditional expression that is `becomes` (str or pieces) when chosen, else source[start:end]."""
    chosen = (becomes,) if isinstance(becomes, str) else tuple(becomes)
    return ("(etalonMutant(", None, ") ? (", *chosen, ") : (", (start, end), "))")


def statement(start, end, becomes):
    """The same for statements, each with its semicolon."""
    return ("{ if (etalonMutant(", None, ")) { ", becomes, " } else { ", (start, end), " } }")


def once(text, part, where, what):
    """(start, end) of the only occurrence of `part`, where any white space is like any other."""
    found = list(re.finditer(r"\s+".join(map(re.escape, part.split())), text))
    if len(found) != 1:
        raise Refused(f"{where}: {what} occurs {len(found)} times, it must occur once: {part!r}; the source changed: choose it anew")
    return found[0].span()


def seeded_defects(root=ROOT, data=HERE / "defects.yaml"):
    """The hand-chosen defects, placed in the sources under `root`; Refused where one does not fit."""
    mutants, ids = [], set()
    for row in yaml.safe_load(data.read_text()):
        where = f"{data.name}: {row.get('id', row)}"
        missing = {"id", "class", "file", "context", "becomes", "imitates"} - set(row)
        unknown = set(row) - {"id", "class", "file", "context", "code", "form", "becomes", "imitates"}
        if missing or unknown:
            raise Refused(f"{where}: missing keys {sorted(missing)}, unknown keys {sorted(unknown)}")
        if row["class"] not in CLASSES:
            raise Refused(f"{where}: class {row['class']!r} is none of {', '.join(CLASSES)}")
        form = row.get("form", "expression")
        if form not in FORMS:
            raise Refused(f"{where}: form {form!r} is none of {', '.join(FORMS)}")
        if row["id"] in ids:
            raise Refused(f"{where}: the id stands twice")
        ids.add(row["id"])
        path = root / row["file"]
        if not path.exists():
            raise Refused(f"{where}: there is no file {row['file']}")
        text = path.read_text()
        code = row.get("code", row["context"])
        from_, to = once(text, row["context"], where, "the context")
        start, end = (from_ + at for at in once(text[from_:to], code, where, "the code in its context"))
        pieces = (expression if form == "expression" else statement)(start, end, row["becomes"])
        mutants.append(Mutant(row["id"], row["file"], text.count("\n", 0, start) + 1, row["class"], True, start, end, pieces,
                              f"{code} -> {row['becomes'] or 'nothing'}: {row['imitates']}"))
    return mutants
