#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rules that hold for single files: licence line, length, no machine paths, JSON and JSON Schemas that are valid.

usage: check_files.py [ROOT]
"""
import json
import pathlib
import re
import sys

import jsonschema
import tree

LICENCE = "SPDX-License-Identifier: Apache-2.0"
# Kinds that carry the licence line (JSON and Markdown do not) and, of these, kinds whose length is bounded.
LICENSED = (".cc", ".h", ".c", ".s", ".S", ".inc", ".py", ".sh", ".cmake", ".yaml", ".td", ".mlir", ".sv", ".cu", ".hip")
BOUNDED = tuple(s for s in LICENSED if s != ".yaml")
WARN_LINES, MAX_LINES = 400, 800
MACHINE_PATH = re.compile(r"(?<![\w.})/-])/(?:root\b|home\b|tmp/)")


def is_licensed(path, text):
    return path.suffix in LICENSED or path.name in ("CMakeLists.txt", ".clang-tidy") or text.startswith("#!")


def no_duplicates(pairs):
    keys = [k for k, _ in pairs]
    twice = {k for k in keys if keys.count(k) > 1}
    if twice:
        raise ValueError(f"key {sorted(twice)[0]!r} stands twice in one object")
    return dict(pairs)


def json_problem(path, text):
    """What is wrong with a JSON file, or None. One in a folder `schema` must be a valid JSON Schema."""
    try:
        value = json.loads(text, object_pairs_hook=no_duplicates)
    except ValueError as error:
        return f"not JSON: {error}"
    if path.parent.name != "schema":
        return None
    if not isinstance(value, dict) or "$schema" not in value:
        return 'a schema must name its dialect: "$schema": "https://json-schema.org/draft/2020-12/schema"'
    validator = jsonschema.validators.validator_for(value, default=None)
    if validator is None:
        return f"unknown schema dialect {value['$schema']!r}"
    try:
        validator.check_schema(value)
    except jsonschema.SchemaError as error:
        return f"not a valid JSON Schema: {error.json_path}: {error.message}"
    return None


def problems_of(path, text):
    """(refusals, warnings) for one text file."""
    refusals, warnings, lines = [], [], text.count("\n")
    if is_licensed(path, text) and LICENCE not in "\n".join(text.split("\n", 2)[:2]):
        refusals.append(f"{path}:1: the first line (or the one after #!) must hold `{LICENCE}`")
    if (path.suffix in BOUNDED or text.startswith("#!")) and lines > MAX_LINES:
        refusals.append(f"{path}: {lines} lines; {MAX_LINES} is the limit: a file is one idea, split it")
    elif path.suffix in BOUNDED and lines > WARN_LINES:
        warnings.append(f"{path}: {lines} lines; split past {WARN_LINES}")
    for match in MACHINE_PATH.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        refusals.append(f"{path}:{line}: `{match[0]}`: a path of one machine; make it relative or ask for a temporary one")
    if path.suffix == ".json" and (wrong := json_problem(path, text)):
        refusals.append(f"{path}: {wrong}")
    return refusals, warnings


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    refusals, warnings = [], []
    for path in tree.files(root):
        data = (root / path).read_bytes()
        if path.name == "LICENSE" or b"\0" in data[:8192]:
            continue
        found = problems_of(path, data.decode(errors="replace"))
        refusals += found[0]
        warnings += found[1]
    return tree.report(refusals, warnings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
