# SPDX-License-Identifier: Apache-2.0
"""Mutants woven into a copy of the sources, and the build of that copy: one program holds all of them."""
import os
import subprocess
import sys

from mutant import HERE, ROOT, Refused


def overlaps(a, b):
    """True if two places cut each other without one lying in the other, or are the same."""
    if a.file != b.file or a.end <= b.start or b.end <= a.start:
        return False
    if (a.start, a.end) == (b.start, b.end):
        return True
    return not ((a.start <= b.start and b.end <= a.end) or (b.start <= a.start and a.end <= b.end))


class Woven:
    """One source with its mutants: {number: mutant}."""

    def __init__(self, text, mutants):
        self.text = text
        # The outer of two mutants comes first.
        self.order = sorted(mutants.items(), key=lambda item: (item[1].start, -item[1].end))

    def render(self, start=0, end=None, inside=None):
        """source[start:end] with the mutants in it; those from position `inside` of the order on."""
        end = len(self.text) if end is None else end
        out, at, i = [], start, 0 if inside is None else inside
        while i < len(self.order):
            number, mutant = self.order[i]
            i += 1
            if mutant.start < at or mutant.end > end:
                continue
            out.append(self.text[at:mutant.start])
            for piece in mutant.pieces:
                if piece is None:
                    out.append(str(number))
                elif isinstance(piece, str):
                    out.append(piece)
                else:
                    out.append(self.render(*piece, inside=i))
            at = mutant.end
        out.append(self.text[at:end])
        return "".join(out)


def one_place(mutants):
    """The mutants of a list that can stand together; the first of two that cannot."""
    kept = []
    for mutant in mutants:
        if not any(overlaps(mutant, other) for other in kept):
            kept.append(mutant)
    return kept


def write_changed(path, data):
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def write_tree(tree, numbers, root=ROOT):
    """The project's files under `tree`, mutants woven in. Files that stay the same are not touched.

    Without `numbers`, C++ files that are there stay as they are: enough to ask for the flags of each."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    names = {n for n in names if n and (root / n).exists()}
    by_file = {}
    for number, mutant in (numbers or {}).items():
        by_file.setdefault(mutant.file, {})[number] = mutant
    missing = set(by_file) - names
    if missing:
        raise Refused(f"{sorted(missing)[0]}: mutants stand in a file that git does not know")
    for name in sorted(names):
        if numbers is None and name.endswith((".cc", ".h")) and (tree / name).exists():
            continue
        data = (root / name).read_bytes()
        if name in by_file:
            data = Woven(data.decode(), by_file[name]).render().encode()
        write_changed(tree / name, data)
        if os.access(root / name, os.X_OK):
            (tree / name).chmod(0o755)
    for path in tree.rglob("*"):
        if path.is_file() and str(path.relative_to(tree)) not in names and "__pycache__" not in path.parts:
            path.unlink()


def configure(build):
    """Configures the copy in build/tree: compiler of the preset dev, no LLVM, no benchmarks, our hook."""
    if (build / "build.ninja").exists():
        return
    command = ["cmake", "-G", "Ninja", "-S", build / "tree", "-B", build, "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19",
               "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-19", "-DCMAKE_BUILD_TYPE=Mutants", "-DCMAKE_CXX_FLAGS=-w -Wno-c++11-narrowing",
               "-DCMAKE_CXX_FLAGS_MUTANTS=-O1", "-DETALON_WITH_LLVM=OFF", "-DETALON_BENCHMARKS=OFF",
               f"-DCMAKE_PROJECT_etalon_INCLUDE={HERE / 'hook.cmake'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutants: cmake refused:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def compile_targets(build, targets, jobs):
    """Builds; the output of a failed build ends the program."""
    print(f"mutants: building {len(targets)} targets in {build}", file=sys.stderr, flush=True)
    done = subprocess.run(["cmake", "--build", build, "-j", str(jobs), "--target", *targets, "--", "-k", "0"], capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if "error:" in line]
        sys.exit("mutants: the woven sources do not compile (a mechanical mutant that cannot: list it in left_out.yaml):\n"
                 + "\n".join(errors[:40] or [done.stdout[-4000:], done.stderr[-2000:]]))
