#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses a build that was to be free of LLVM and is not.

usage: check_no_llvm.py BUILD_DIR

Looks at what is handed to compiler and linker (build.ninja) and at the libraries each program names (readelf).
That configuration finds no LLVM is the preset's doing; that tests find none is scripts/without-llvm's.
"""
import pathlib
import re
import subprocess
import sys

LLVM = re.compile(r"/llvm-\d+/|(?<!\S)-l(?:LLVM|MLIR|lld|clang)\w*|\bclang(?:\+\+)?-\d+\b|\bld\.lld|lib(?:LLVM|MLIR|lld|clang)[\w.+-]*\.(?:so|a)\b")


def problems_of(build):
    for number, line in enumerate((build / "build.ninja").read_text().splitlines(), 1):
        if match := LLVM.search(line):
            yield f"build.ninja:{number}: {match[0]}"
    for path in sorted(build.rglob("*")):
        if not path.is_file() or path.suffix in (".o", ".a") or path.open("rb").read(4) != b"\x7fELF":
            continue
        dynamic = subprocess.run(["readelf", "-d", str(path)], check=True, capture_output=True, text=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
            if LLVM.search(name):
                yield f"{path.relative_to(build)}: needs {name}"


def main(arguments):
    problems = list(problems_of(pathlib.Path(arguments[0])))
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
