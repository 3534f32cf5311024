# SPDX-License-Identifier: Apache-2.0
"""The mechanical mutants of the sources, and the sample of them that is run."""
import hashlib
import json
import math
import pathlib
import shlex
import subprocess
import sys

from mutant import HERE, ROOT, Mutant, Refused

FOLDERS = ("isa/numerics", "isa/instructions", "sim/functional")
# Tests, their references, and the runners of examples are not what is tested.
NOT_TESTED = ("_test", "_reference", "_bench", "test_data", "test_values", "test_support", "example_", "garbage_", "random_chain",
              "random_program", "fault_probes", "probe_operands", "exhaustive", "mma_peak", "coverage/")
SIZE, SEED = 200, "etalon 1"
FLAGS = ["-ferror-limit=0", "-Wno-everything", "-include", str(HERE / "runtime.h")]


def sources(root=ROOT):
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    names = [n for n in listed if n.endswith((".cc", ".h")) and not any(part in n for part in NOT_TESTED)]
    return {n: (root / n).read_bytes().decode("ascii") for n in names}


def flags_by_file(build, root):
    """{file: flags it is compiled with}, from the compile commands of the woven build, whose sources stand in build/tree."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        name = pathlib.Path(entry["file"])
        if not name.is_relative_to(build / "tree"):
            continue
        words = shlex.split(entry["command"].replace(str(build / "tree"), str(root)))
        flags[str(name.relative_to(build / "tree"))] = [w for w in words if w.startswith(("-I", "-D", "-std", "-m", "-isystem"))]
    return flags


def find(root, build):
    """Every mechanical mutant. `build`: a configured woven build, with what isa/gen writes."""
    from clang import cindex  # the Debian package python3-clang-19
    from operators import Operators

    cindex.Config.set_library_file("libclang-19.so.1")
    texts = sources(root)
    operators = Operators(texts)
    index = cindex.Index.create()
    prefix = f"{root}/"
    flags = flags_by_file(build, root)
    units = [n for n in texts if n.endswith(".cc") and not n.startswith("isa/instructions/")]
    missing = [n for n in units if n not in flags]
    if missing:
        raise Refused(f"{missing[0]} is not compiled by the woven build; name it in NOT_TESTED if it is for tests")
    for i, name in enumerate(units):
        print(f"\rmutants: reading file {i + 1} of {len(units)}", end="", file=sys.stderr, flush=True)
        unit = index.parse(f"{root}/{name}", [*FLAGS, *flags[name]])
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            sys.exit(f"mutants: clang cannot read {name}: {errors[0]}")
        operators.visit_unit(unit, lambda path: path[len(prefix):] if path and path.startswith(prefix) else None)
    print("", file=sys.stderr)
    return operators.mutants()


def kept(root, build):
    """find(), kept in the build while the sources are the same."""
    store = build / "mechanical.json"
    text = "".join(f"{n}\n{t}" for n, t in sorted(sources(root).items()))
    tool = "".join((HERE / n).read_text() for n in ("operators.py", "sample.py"))
    key = hashlib.sha256((text + tool).encode()).hexdigest()
    if store.exists():
        data = json.loads(store.read_text())
        if data["key"] == key:
            return [Mutant.from_data(m) for m in data["mutants"]]
    mutants = find(root, build)
    store.write_text(json.dumps({"key": key, "mutants": [m.as_data() for m in mutants]}))
    return mutants


def rank(text):
    return hashlib.sha256(f"{SEED}\n{text}".encode()).hexdigest()


def shares(counts, size):
    """{file: mutants taken}: by the square root of how many it has, so that small files are seen too."""
    size = min(size, sum(counts.values()))
    weights = {f: math.sqrt(n) for f, n in counts.items()}
    taken = dict.fromkeys(counts, 0)
    while sum(taken.values()) < size:
        file = max((f for f in counts if taken[f] < counts[f]), key=lambda f: (weights[f] / (taken[f] + 0.5), f))
        taken[file] += 1
    return taken


def sample(mutants, size=SIZE, left_out=()):
    """`size` of the mutants, those of a file in an order of their ids that takes the operators in turn."""
    by_file = {}
    for mutant in mutants:
        if mutant.id not in left_out:
            by_file.setdefault(mutant.file, {}).setdefault(mutant.group, []).append(mutant)
    taken = shares({f: sum(map(len, groups.values())) for f, groups in by_file.items()}, size)
    chosen = []
    for file, groups in by_file.items():
        queues = [sorted(groups[g], key=lambda m: rank(m.id)) for g in sorted(groups, key=lambda g: rank(file + g))]
        order = [queue[turn] for turn in range(max(map(len, queues))) for queue in queues if turn < len(queue)]
        chosen += order[:taken[file]]
    return sorted(chosen, key=lambda m: (m.file, m.start, m.id))
