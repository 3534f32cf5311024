#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the shipped machine and profile files against their schemas, and shows that the schemas refuse what they should.

Usage: validate_test.py SOURCE_DIR; exit status 0 if all agree.
"""
import copy
import json
import pathlib
import sys

import jsonschema
import yaml

# (path into base.yaml, wrong value); None removes the key.
MUST_FAIL = [
    (["cores"], 4),
    (["cores", "source"], None),
    (["cores", "source"], ""),
    (["cores", "value"], 65),
    (["cores", "value"], "4"),
    (["local_bytes", "value"], "8 MB"),
    (["local_bytes", "value"], 65537),
    (["profiles"], ["Et-f16"]),
    (["profiles"], ["Et-base", "Et-base"]),
    (["work_cap", "macs_log2", "value"], 29),
    (["work_cap", "surprise"], 1),
    (["address_map", "global_base", "value"], 0),
    (["surprise"], 1),
    (["title"], None),
]


def set_at(document, path, value):
    for key in path[:-1]:
        document = document[key]
    if value is None:
        del document[path[-1]]
    else:
        document[path[-1]] = value


def main():
    source = pathlib.Path(sys.argv[1]) / "isa"
    failures, checked = [], 0
    for kind in ("machine", "profile"):
        schema = json.loads((source / f"schema/{kind}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        files = sorted((source / f"{kind}s").glob("*.yaml"))
        if not files:
            failures.append(f"no {kind} files")
        for path in files:
            checked += 1
            failures += [f"{path}: {e.json_path}: {e.message}" for e in validator.iter_errors(yaml.safe_load(path.read_text()))]
        if kind != "machine":
            continue
        good = yaml.safe_load((source / "machines/base.yaml").read_text())
        for path, value in MUST_FAIL:
            bad = copy.deepcopy(good)
            set_at(bad, path, value)
            checked += 1
            if validator.is_valid(bad):
                failures.append(f"machine schema accepts {'.'.join(path)} = {value!r}")
    print("\n".join(failures) or f"{checked} documents as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
