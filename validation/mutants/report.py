# SPDX-License-Identifier: Apache-2.0
"""Figures of a run: by class of defect, by operator and by folder; the score, and the tables of the page in docs/guide."""
import json

import yaml
from mutant import CLASSES, HERE, ROOT, Refused

STORED = HERE / "results.json"
PAGE = ROOT / "docs/guide/mutants.md"
BEGIN, END = "<!-- scripts/mutants --update writes from here -->\n", "<!-- to here -->\n"
# Of the mutants not proven equivalent, how many are killed at least; of all, how many may be excused.
BAR, MOST_EXCUSED = 0.95, 0.10


def reasons(path):
    """{id: reason} of equivalent.yaml or left_out.yaml."""
    data = yaml.safe_load(path.read_text()) or {}
    short = [i for i, reason in data.items() if not isinstance(reason, str) or len(reason) < 20]
    if short:
        raise Refused(f"{path.name}: {short[0]}: a reason is a sentence, not {data[short[0]]!r}")
    return data


def verdicts(mutants, results, equivalent):
    """{id: killed, survived, not reached or equivalent}. Refused if a proof of equivalence is wrong or for no mutant."""
    ids = {m.id for m in mutants}
    for i in equivalent:
        if i not in ids:
            raise Refused(f"equivalent.yaml: {i} is no mutant of this list; remove it")
        if i in results and results[i]["verdict"] == "killed":
            raise Refused(f"equivalent.yaml: {i} is killed by {results[i]['by']} ({results[i]['case']}), so it is not equivalent")
    return {i: "equivalent" if i in equivalent else r["verdict"] for i, r in results.items()}


def count(rows):
    """Figures of a list of verdicts."""
    figures = {"mutants": len(rows), "killed": rows.count("killed"), "equivalent": rows.count("equivalent")}
    figures["survived"] = figures["mutants"] - figures["killed"] - figures["equivalent"]
    return figures


def score(figures):
    judged = figures["mutants"] - figures["equivalent"]
    return figures["killed"] / judged if judged else 1.0


def passes(figures):
    return score(figures) >= BAR and figures["equivalent"] <= MOST_EXCUSED * figures["mutants"]


def summary(figures):
    return (f"{figures['mutants']} mutants: {figures['killed']} killed, {figures['survived']} survived, {figures['equivalent']} proven equivalent; "
            f"{100 * score(figures):.1f} % of the others killed (bar {100 * BAR:.0f} %)")


def table(head, groups):
    lines = [f"| {head} | mutants | killed | survived | equivalent | killed of the others |", "| --- | --- | --- | --- | --- | --- |"]
    for name, rows in groups:
        f = count(rows)
        lines.append(f"| {name} | {f['mutants']} | {f['killed']} | {f['survived']} | {f['equivalent']} | {100 * score(f):.1f} % |")
    return "\n".join(lines) + "\n"


def folder(mutant):
    return "/".join(mutant["file"].split("/")[:2])


def tables(stored):
    """The generated part of the page, from what results.json holds."""
    rows = stored["mutants"]

    def of(keep):
        return [m["verdict"] for m in rows if keep(m)]
    seeded = [(c, of(lambda m, c=c: m["seeded"] and m["group"] == c)) for c in CLASSES]
    operators = [(g, of(lambda m, g=g: not m["seeded"] and m["group"] == g)) for g in sorted({m["group"] for m in rows if not m["seeded"]})]
    folders = [(f"`{f}`", of(lambda m, f=f: folder(m) == f)) for f in sorted({folder(m) for m in rows})]
    out = ["", summary(count([m["verdict"] for m in rows])) + ".\n", "## Seeded defects, by class\n", table("class", seeded),
           "## Mechanical mutants, by operator\n", table("operator", operators), "## All, by folder\n", table("folder", folders)]
    survivors = [m for m in rows if m["verdict"] in ("survived", "not reached")]
    if survivors:
        out += ["## Survivors\n", "\n".join(f"* `{m['id']}` {m['file']}: {m['verdict']}" for m in survivors) + "\n"]
    return "\n".join(out) + "\n"


def as_stored(mutants, results, found):
    """What results.json holds; `results` of every mutant, `found` their verdicts."""
    rows = []
    for m in mutants:
        row = {"id": m.id, "file": m.file, "group": m.group, "seeded": m.seeded, "verdict": found[m.id]}
        if found[m.id] == "killed":
            row |= {"by": results[m.id]["by"], "case": results[m.id]["case"], "how": results[m.id]["how"]}
        rows.append(row)
    return {"mutants": sorted(rows, key=lambda r: (not r["seeded"], r["file"], r["id"]))}


def write(stored):
    STORED.write_text(stored_text(stored))
    PAGE.write_text(page_with(tables(stored)))


def stored_text(stored):
    return '{"mutants": [\n' + ",\n".join(json.dumps(m) for m in stored["mutants"]) + "\n]}\n"


def page_with(generated):
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + generated + END + rest.split(END)[1]
