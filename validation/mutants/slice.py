#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The seeded defects of a few folders in a program of the ordinary build: what CI runs of scripts/mutants.

usage: slice.py weave OUT PATH...   writes OUT/PATH, copies of folders or files with the defects, and OUT/slice.json
       slice.py run OUT PROGRAM     the program passes as it is, and fails with each defect
"""
import concurrent.futures
import json
import os
import pathlib
import sys

import run
from mutant import ROOT, Mutant, Refused, numbered, seeded_defects
from weave import Woven, write_changed


def weave_slice(out, places):
    mutants = [m for m in seeded_defects() if m.file in places or str(pathlib.Path(m.file).parent) in places]
    numbers = numbered(mutants)
    for place in places:
        for path in (ROOT / place).iterdir() if (ROOT / place).is_dir() else [ROOT / place]:
            if path.suffix not in (".cc", ".h"):
                continue
            name = str(path.relative_to(ROOT))
            here = {n: m for n, m in numbers.items() if m.file == name}
            write_changed(out / name, Woven(path.read_text(), here).render().encode())
    (out / "slice.json").write_text(json.dumps({n: m.as_data() for n, m in numbers.items()}))


def run_slice(out, program):
    numbers = {int(n): Mutant.from_data(m) for n, m in json.loads((out / "slice.json").read_text()).items()}
    cache = out / "results"
    cache.mkdir(exist_ok=True)
    original = run.trace(program, cache)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count())) as pool:
        results = dict(zip(numbers, pool.map(lambda n: run.judge(n, numbers[n], [original], {}), numbers)))
    for number, mutant in numbers.items():
        result = results[number]
        print(f"{mutant.id}: {result['verdict']} {result.get('case', '')} {result['seconds']} s")
        if result["verdict"] != "killed":
            failed.append(mutant.id)
    for i in failed:
        print(f"{i}: no test of the slice sees it", file=sys.stderr)
    return 1 if failed or not numbers else 0


def main():
    command, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if command == "weave":
        return weave_slice(out, sys.argv[3:])
    return run_slice(out, pathlib.Path(sys.argv[3]).resolve())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refusal:
        sys.exit(f"mutants: {refusal}")
