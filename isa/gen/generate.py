#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates everything that follows from the ISA description. Usage: generate.py SOURCE_DIR OUTPUT_DIR

generate.py --list writes nothing and prints the names of the files, which the build declares."""
import pathlib
import sys

import emit_cpp
import emit_header
import emit_manual
import host_page
import types_and_ops
from encoding import DescriptionError
from load import load
from read import write_if_changed


# File name below the output directory -> what makes its text of the description.
OUTPUTS = {
    "isa/element_type.h": lambda d: types_and_ops.element_type_header(d["types"]),
    "isa/elementwise_op.h": lambda d: types_and_ops.elementwise_header(d["operations"]),
    "isa/instruction_id.h": lambda d: emit_cpp.instruction_id_header(d),
    "isa/rule.h": lambda d: emit_cpp.rules_header(d),
    "isa/rule_text.inc": lambda d: emit_cpp.rule_text_inc(d),
    "isa/cause.h": lambda d: emit_cpp.causes_header(d),
    "isa/interrupt.h": lambda d: emit_cpp.interrupts_header(d),
    "isa/counter.h": lambda d: emit_cpp.counters_header(d),
    "isa/legal_types.inc": lambda d: emit_cpp.legal_types_inc(d),
    "isa/csr.h": lambda d: emit_cpp.csr_header(d),
    "isa/host_page.h": lambda d: host_page.host_page_header(d),
    "isa/csr_table.inc": lambda d: emit_cpp.csr_table_inc(d),
    "isa/instruction_table.inc": lambda d: emit_cpp.table_inc(d),
    "isa/decode.inc": lambda d: emit_cpp.decode_inc(d),
    "isa/immediate.inc": lambda d: emit_cpp.immediate_inc(d),
    "isa/builder.inc": lambda d: emit_cpp.builder_inc(d),
    "isa/scalar_dispatch.inc": lambda d: emit_cpp.scalar_dispatch_inc(d),
    "isa/scalar_semantics.inc": lambda d: emit_cpp.semantics_include(d, True),
    "isa/tile_dispatch.inc": lambda d: emit_cpp.tile_dispatch_inc(d),
    "isa/tile_semantics.inc": lambda d: emit_cpp.semantics_include(d, False),
    "include/etalon/xet.h": lambda d: emit_header.xet_header(d),
    "include/etalon/host.h": lambda d: host_page.host_header(d),
    "isa/instruction_pages.inc": lambda d: emit_manual.pages_inc(d),
    "isa/examples.json": lambda d: emit_cpp.examples_json(d),
}


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(OUTPUTS))
        return
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        description = load(source)
    except DescriptionError as error:
        sys.exit(f"isa/gen: {error}")
    for name, text_of in OUTPUTS.items():
        write_if_changed(out / name, text_of(description))
    (out / "isa/generated.stamp").write_text("")


if __name__ == "__main__":
    main()
