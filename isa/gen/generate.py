#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates C++ tables from the ISA description. Usage: generate.py SOURCE_DIR OUTPUT_DIR"""
import pathlib
import sys

import yaml

import types_and_ops


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    types = yaml.safe_load((source / "isa/numerics/element_types.yaml").read_text())["types"]
    operations = yaml.safe_load((source / "isa/instructions/elementwise.yaml").read_text())["operations"]
    write_if_changed(out / "isa/element_type.h", types_and_ops.element_type_header(types))
    write_if_changed(out / "isa/elementwise_op.h", types_and_ops.elementwise_header(operations))
    (out / "isa/generated.stamp").write_text("")


if __name__ == "__main__":
    main()
