#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates everything that follows from the ISA description. Usage: generate.py SOURCE_DIR OUTPUT_DIR"""
import pathlib
import sys

import emit_cpp
import emit_header
import emit_manual
import types_and_ops
from encoding import DescriptionError
from load import load
from read import write_if_changed


def outputs(d):
    """File name below the output directory -> text."""
    return {
        "isa/element_type.h": types_and_ops.element_type_header(d["types"]),
        "isa/elementwise_op.h": types_and_ops.elementwise_header(d["operations"]),
        "isa/instruction_id.h": emit_cpp.instruction_id_header(d),
        "isa/rule.h": emit_cpp.rules_header(d),
        "isa/counter.h": emit_cpp.counters_header(d),
        "isa/legal_types.inc": emit_cpp.legal_types_inc(d),
        "isa/csr.h": emit_cpp.csr_header(d),
        "isa/csr_table.inc": emit_cpp.csr_table_inc(d),
        "isa/instruction_table.inc": emit_cpp.table_inc(d),
        "isa/decode.inc": emit_cpp.decode_inc(d),
        "isa/immediate.inc": emit_cpp.immediate_inc(d),
        "isa/builder.inc": emit_cpp.builder_inc(d),
        "isa/scalar_dispatch.inc": emit_cpp.scalar_dispatch_inc(d),
        "isa/scalar_semantics.inc": emit_cpp.semantics_include(d, True),
        "isa/tile_dispatch.inc": emit_cpp.tile_dispatch_inc(d),
        "isa/tile_semantics.inc": emit_cpp.semantics_include(d, False),
        "include/etalon/xet.h": emit_header.xet_header(d),
        "isa/instruction_pages.inc": emit_manual.pages_inc(d),
        "isa/examples.json": emit_cpp.examples_json(d),
    }


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        description = load(source)
    except DescriptionError as error:
        sys.exit(f"isa/gen: {error}")
    for name, text in outputs(description).items():
        write_if_changed(out / name, text)
    (out / "isa/generated.stamp").write_text("")


if __name__ == "__main__":
    main()
