#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the shipped machine, memory, profile, contract and energy files against their schemas, and shows that the schemas refuse what they should.

Usage: validate_test.py SOURCE_DIR; exit status 0 if all agree.
"""
import copy
import json
import pathlib
import sys

import jsonschema
import yaml

# (path into a document, wrong value); None removes the key.
MACHINE_MUST_FAIL = [
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
    (["matrix"], None),
    (["clock_mhz"], None),
    (["matrix", "rows"], None),
    (["matrix", "surprise"], 1),
    (["matrix", "rows", "value"], 0),
    (["matrix", "rate_16", "value"], "half"),
    (["matrix", "rate_16", "value"], 65),
    (["matrix", "dataflow", "value"], "row_stationary"),
    (["vector", "lanes", "value"], 100),
    (["dma", "burst_bytes", "value"], 96),
    (["dma", "burst_bytes", "value"], 8),
    (["network", "topology", "value"], 0),
    (["memory", "preset", "value"], "hbm2/../x"),
    (["energy", "table", "value"], 45),
    (["energy", "table"], None),
]

ENERGY_MUST_FAIL = [
    (["name"], None), (["surprise"], 1), (["mac_16"], 2.0), (["mac_16", "low"], None), (["mac_16", "typical"], 1),
    (["mac_16", "low", "value"], "1.5"), (["mac_16", "low", "value"], -1), (["mac_16", "low", "source"], ""),
    (["mac_16", "low", "source"], None),
]

MEMORY_MUST_FAIL = [
    (["name"], "HBM2"), (["title"], None), (["kind"], "sram"), (["kind"], "fixed"), (["surprise"], 1), (["refresh"], "never"),
    (["commands"], None), (["organisation", "groups", "value"], 3), (["organisation", "burst_bytes", "value"], 48),
    (["organisation", "page_bytes"], None), (["timing", "tck_ps", "value"], 0), (["timing", "cl"], 14), (["timing", "cl"], None),
    (["timing", "cl", "source"], ""), (["timing", "cl", "value"], "14"), (["timing", "cl_ns"], {"value": 14, "source": "x"}),
    (["timing", "cx"], {"value": 14, "source": "x"}), (["mapping", "hash"], "yes"), (["mapping", "order"], ["bank", "row"]),
    (["mapping", "order"], ["row", "bank:0"]), (["mapping", "order"], ["row", "rank"]),
]

CONTRACT = {
    "name": "chip", "title": "x",
    "multiply": {
        "default": {"sum": "aligned", "group": 16, "align": {"width": 25, "cut": "odd"}, "order": [1, 0], "nan": "7fffffff",
                    "accumulator": {"joins": "after", "format": "bf16"}, "spill": {"every": 128, "format": "f16"}},
        "overrides": [{"a": ["bf16"], "b": ["f16"], "rule": {}}],
    },
    "arithmetic": {"subnormals": {"in": "flush"}}, "conversions": {"overflow": "saturate"},
    "reductions": {"shape": "tree", "width": 8},
    "functions": {
        "sqrt": "correctly_rounded",
        "recip": {"piecewise": {"segment_bits": 0, "fraction_bits": 1, "degree": 0, "coefficients": [[1]]}},
        "exp": {"table": {"input": "bf16", "values": ["3f800000 3f800001"]}},
    },
}
RULE = ["multiply", "default"]
CONTRACT_MUST_FAIL = [
    (["name"], "canonical"), (["name"], "Chip"), (["title"], None), (["surprise"], 1),
    (RULE + ["group"], 0), (RULE + ["group"], "16"), (RULE + ["group"], 65537), (RULE + ["align"], None), (RULE + ["sum"], "chain"),
    (RULE + ["align", "width"], 0), (RULE + ["align", "width"], "wide"), (RULE + ["align", "cut"], "nearest"),
    (RULE + ["order"], [0, 0]), (RULE + ["order"], "random"), (RULE + ["nan"], "7fff"), (RULE + ["surprise"], 1),
    (RULE + ["accumulator", "format"], "f64"), (RULE + ["accumulator", "format"], {"exponent_bits": 9, "mantissa_bits": 23}),
    (RULE + ["accumulator", "format"], {"exponent_bits": 8}), (RULE + ["spill", "format"], None), (RULE + ["spill", "every"], 0),
    (["multiply", "overrides"], [{"a": ["bf16"], "b": ["i64"], "rule": {}}]), (["multiply", "overrides"], [{"a": [], "b": ["f16"], "rule": {}}]),
    (["arithmetic", "subnormals", "in"], True), (["conversions", "overflow"], "wrap"), (["conversions", "zero"], "ieee"),
    (["reductions", "width"], 48), (["reductions", "width"], None), (["reductions", "shape"], "sequential"),
    (["functions", "add"], "correctly_rounded"), (["functions", "sqrt"], "fast"),
    (["functions", "recip", "piecewise", "multiplier"], 3), (["functions", "recip", "piecewise", "degree"], None),
    (["functions", "recip", "piecewise", "coefficients"], [[2**40 + 1]]), (["functions", "exp", "table", "values"], ["3f80000"]),
    (["functions", "exp", "table", "input"], "f32"),
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
    machine, energy, memory = (yaml.safe_load((source / "machines" / file).read_text())
                               for file in ("base.yaml", "parts/energy/cmos45-hbm2.yaml", "parts/memory/hbm2-2400.yaml"))
    for kind, pattern, good, must_fail in (
            ("machine", "machines/*.yaml", machine, MACHINE_MUST_FAIL), ("profile", "profiles/*.yaml", None, []),
            ("contract", "contracts/*.json", CONTRACT, CONTRACT_MUST_FAIL), ("energy", "machines/parts/energy/*.yaml", energy, ENERGY_MUST_FAIL),
            ("memory", "machines/parts/memory/*.yaml", memory, MEMORY_MUST_FAIL)):
        schema = json.loads((source / f"schema/{kind}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        files = sorted(source.glob(pattern))
        if not files:
            failures.append(f"no {kind} files")
        for path in files:
            checked += 1
            failures += [f"{path}: {e.json_path}: {e.message}" for e in validator.iter_errors(yaml.safe_load(path.read_text()))]
        if good:
            failures += [f"{kind} schema refuses what is right: {e.json_path}: {e.message}" for e in validator.iter_errors(good)]
        for path, value in must_fail:
            bad = copy.deepcopy(good)
            set_at(bad, path, value)
            checked += 1
            if validator.is_valid(bad):
                failures.append(f"{kind} schema accepts {'.'.join(path)} = {value!r}")
    print("\n".join(failures) or f"{checked} documents as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
