#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The schema of device descriptions takes and refuses what isa/abi/testdata/descriptions.json says.

device_description_test holds the reader of them to the same list. Usage: device_schema_test.py SOURCE_DIR
"""
import copy
import json
import pathlib
import sys

import jsonschema


def edited(document, edit):
    """A copy with the value at a JSON pointer replaced, or removed where the edit has no value."""
    document = copy.deepcopy(document)
    *path, last = edit["at"].split("/")[1:]
    target = document
    for key in path:
        target = target[key]
    if "value" in edit:
        target[last] = edit["value"]
    else:
        del target[last]
    return document


def validator_of(isa):
    """Of device descriptions; their schema refers to that of contracts."""
    schemas = {name: json.loads((isa / "schema" / name).read_text()) for name in ("device.schema.json", "contract.schema.json")}
    schema = schemas["device.schema.json"]
    resolver = jsonschema.RefResolver("device.schema.json", schema, schemas)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def main():
    isa = pathlib.Path(sys.argv[1]) / "isa"
    validator = validator_of(isa)
    validator.check_schema(validator.schema)
    data = json.loads((isa / "abi/testdata/descriptions.json").read_text())
    failures = [f"refuses {d['name']}: {e.json_path}: {e.message}" for d in data["good"] for e in validator.iter_errors(d)]
    undeclarable = edited(data["good"][2], {"at": "/numerics/surprise", "value": 1})
    failures += ["accepts a contract that its own schema refuses"] if validator.is_valid(undeclarable) else []
    failures += [f"accepts {e}" for e in data["bad"] if validator.is_valid(edited(data["good"][0], e))]
    print("\n".join(failures) or f"{len(data['good'])} descriptions accepted, {len(data['bad'])} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
