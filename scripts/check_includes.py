#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses an #include that the layer table does not allow.

usage: check_includes.py [ROOT]

The table is the one CMake uses (scripts/cmake/EtalonTargets.cmake). The layer of a file is the one whose folder holds
it. Tests and benchmarks (*_test.cc, *_bench.cc) may look at any layer, as their CMake targets may.
"""
import pathlib
import re
import sys

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SUFFIXES = (".cc", ".h", ".c", ".inc")
FREE = ("_test.cc", "_bench.cc")
# Header prefix -> the folder that alone may include it, and why. Examples are projects of their own.
SYSTEMC_HOME = ("sim/systemc", "everything else must build without a simulation kernel")
HOMES = dict.fromkeys(("systemc", "tlm", "tlm_utils"), SYSTEMC_HOME)


def layer_table(root):
    """(layer -> layers it sees, folder -> layer), read from the CMake file."""
    text = (root / "scripts/cmake/EtalonTargets.cmake").read_text()
    settings = {name: words.split() for name, words in re.findall(r"^set\((ETALON_LAYER\w*)([^)]*)\)", text, re.M)}
    layers = settings["ETALON_LAYERS"]
    sees = {layer: set(settings[f"ETALON_LAYER_{layer}"]) | {layer} for layer in layers}
    folders = {settings.get(f"ETALON_LAYER_FOLDER_{layer}", [layer])[0]: layer for layer in layers}
    return sees, folders


def layer_of(path, folders):
    """The layer of a file or an include path; None if no layer's folder holds it."""
    inside = [f for f in folders if path.startswith(f + "/")]
    return folders[max(inside, key=len)] if inside else None


def problems_of(path, text, sees, folders):
    name, layer = str(path), layer_of(str(path), folders)
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        place = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
        home, why = HOMES.get(re.split(r"[/.]", header)[0], (None, None))
        if home and not name.startswith((home + "/", "examples/")):
            yield f"{place}: <{header}> may be included only in {home}/: {why}"
        if header == "nlohmann/json.hpp" and name.endswith(".h"):
            yield f"{place}: <{header}> in a header slows every file that includes it; include it in the .cc"
        # Device programs in C are built by their users' compiler, which looks beside the file.
        if quote == '"' and (header.startswith(".") or ("/" not in header and not name.endswith(".c"))):
            yield f'{place}: "{header}": write the path from the root of the project'
        target = layer_of(header, folders)
        if quote == '"' and layer and target and target not in sees[layer] and not name.endswith(FREE):
            yield f"{place}: layer {layer} may not include {header} (layer {target}); it sees: {' '.join(sorted(sees[layer]))}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    sees, folders = layer_table(root)
    problems = []
    for path in tree.files(root):
        if path.suffix in SUFFIXES:
            problems += problems_of(path, (root / path).read_text(errors="replace"), sees, folders)
    return tree.report(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
