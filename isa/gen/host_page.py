# SPDX-License-Identifier: Apache-2.0
"""The host's side of a device out of host.yaml: checks, C++ constants, the C header for drivers, tables of the manual."""
from encoding import DescriptionError
from manual_page import markdown_table
from read import check_schema, read_yaml
from types_and_ops import HEADER

LAYOUT_BYTES = 64
LAYOUTS = ("launch_descriptor", "completion_record")
ACCESS = {"read": "read", "write": "write", "read_write": "read, write"}
WINDOWS = 8
MOST_CORES = 64


def load_host(path, schema):
    """The description of the page; refuses registers that overlap, fields outside of theirs, layouts that are not 64 bytes."""
    host = read_yaml(path)
    check_schema(host, schema, path)
    for key in LAYOUTS:
        size = sum(f["bytes"] for f in host[key])
        if size != LAYOUT_BYTES:
            raise DescriptionError(f"{path.name}: {key}: its fields are {size} bytes, not {LAYOUT_BYTES}")
        for field, offset in with_offsets(host[key]):
            if offset % min(field["bytes"], 8):
                raise DescriptionError(f"{path.name}: {key}: {field['name']} of {field['bytes']} bytes stands at byte {offset}, which is not aligned")
    taken = {}
    for register in host["registers"]:
        for field in register.get("fields", []):
            if not 8 * register["bytes"] > field["high"] >= field["low"]:
                raise DescriptionError(f"{path.name}: {register['name']}: field {field['name']} is bits {field['high']}:{field['low']} of {8 * register['bytes']}")
        for offset in places(register):
            if offset % register["bytes"]:
                raise DescriptionError(f"{path.name}: {register['name']} at {offset:#x} is not a multiple of its {register['bytes']} bytes")
            for byte in range(offset, offset + register["bytes"]):
                if byte in taken:
                    raise DescriptionError(f"{path.name}: {register['name']} at {offset:#x} overlaps {taken[byte]}")
                taken[byte] = register["name"]
    return host


def places(register):
    cores = MOST_CORES if "core_stride" in register else 1
    windows = WINDOWS if "window_stride" in register else 1
    return [register["offset"] + c * register.get("core_stride", 0) + w * register.get("window_stride", 0) for c in range(cores) for w in range(windows)]


def with_offsets(layout):
    offset = 0
    for field in layout:
        yield field, offset
        offset += field["bytes"]


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def cpp_enum(name, comment, entries, base):
    rows = ", ".join(f"{e['name']} = {e['number']}" for e in entries)
    return f"/// {comment}\nenum class {name} : {base} {{ {rows} }};\n"


def layout_struct(name, comment, layout):
    types = {8: "uint64_t", 4: "uint32_t"}
    rows = []
    for field in layout:
        kind = types.get(field["bytes"], f"std::array<uint8_t, {field['bytes']}>")
        rows.append(f"  {kind} {field['name']}{{}};  // {field['summary']}")
    asserts = "".join(f"static_assert(offsetof({name}, {f['name']}) == {offset});\n" for f, offset in with_offsets(layout))
    return (f"/// {comment}\nstruct {name} {{\n" + "\n".join(rows) + "\n\n"
            + f"  bool operator==(const {name}&) const = default;\n}};\n" + asserts + f"static_assert(sizeof({name}) == {LAYOUT_BYTES});\n")


def host_page_header(description):
    host = description["host"]
    registers = host["registers"]
    names = ",\n".join(f"  {r['name']}" for r in registers)
    rows = "\n".join(
        f'    {{HostRegister::{r["name"]}, "{r["name"]}", {r["offset"]:#x}, {r["bytes"]}, {str("read" in r["access"]).lower()}, '
        f'{str("write" in r["access"]).lower()}, {r.get("core_stride", 0):#x}, {r.get("window_stride", 0):#x}}},' for r in registers)
    fields = "".join(f"inline constexpr HostField kHost{camel(r['name'])}{camel(f['name'])}{{{f['high']}, {f['low']}}};\n"
                     for r in registers for f in r.get("fields", []))
    fields += "".join(f"inline constexpr uint64_t kHost{camel(r['name'])}{camel(f['name'])}Value = {f['value']};\n"
                      for r in registers for f in r.get("fields", []) if "value" in f)
    enums = "".join(cpp_enum(f"Host{camel(r['name'])}", f"Values of register {r['name']}.", r["values"], "uint8_t") for r in registers if "values" in r)
    return (
        HEADER + "#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\nnamespace etalon::isa {\n\n"
        + f"/// Registers that a host sees, in kHostRegisters' order.\nenum class HostRegister : uint8_t {{\n{names}\n}};\n\n"
        + "struct HostRegisterInfo {\n  HostRegister reg;\n  std::string_view name;\n  uint32_t offset;  // of core 0 and window 0, in the page\n"
        + "  uint8_t bytes;\n  bool readable, writable;\n  uint32_t core_stride, window_stride;  // 0: not one a core, not one a window\n};\n\n"
        + f"inline constexpr std::array<HostRegisterInfo, {len(registers)}> kHostRegisters{{{{\n{rows}\n}}}};\n"
        + "constexpr const HostRegisterInfo& hostRegisterInfo(HostRegister reg) {\n  return kHostRegisters[static_cast<size_t>(reg)];\n}\n"
        + f"inline constexpr unsigned kHostWindows = {WINDOWS};  // of each core\n\n"
        + "/// Bits of a register.\nstruct HostField {\n  int high, low;\n};\n" + fields + "\n" + enums
        + cpp_enum("LaunchEnd", "How a launch from the ring ended: `end` of its record.", host["launch_ends"], "uint32_t")
        + cpp_enum("DescriptorDefect", "Why a descriptor was refused: `value` of its record.", host["descriptor_defects"], "uint64_t") + "\n"
        + layout_struct("LaunchDescriptor", "An entry of the launch ring.", host["launch_descriptor"]) + "\n"
        + layout_struct("CompletionRecord", "An entry of the completion ring.", host["completion_record"]) + "\n}  // namespace etalon::isa\n"
    )


def c_struct(name, layout):
    types = {8: "uint64_t {}", 4: "uint32_t {}"}
    rows = [f"  {types.get(f['bytes'], 'uint8_t {}[' + str(f['bytes']) + ']').format(f['name'])}; /* {f['summary']} */" for f in layout]
    return f"struct {name} {{\n" + "\n".join(rows) + "\n};"


def host_header(description):
    """etalon/host.h, for drivers in C and C++: offsets in the register page, layouts in memory."""
    host = description["host"]
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */", "/* Generated by isa/gen; do not edit. */", "#ifndef ETALON_HOST_H_", "#define ETALON_HOST_H_",
             "", "#include <stdint.h>", "", "/* Offsets in the register page; c is a core, w a window of it. Registers are 64 bits, msip 32. */"]
    for r in host["registers"]:
        parameters = [p for p in ("core", "window") if f"{p}_stride" in r]
        terms = "".join(f" + {r[p + '_stride']:#x}u * ({p[0]})" for p in parameters)
        arguments = f"({', '.join(p[0] for p in parameters)})" if parameters else ""
        lines.append(f"#define ET_HOST_{r['name'].upper()}{arguments} {'(' if terms else ''}{r['offset']:#06x}u{terms}{')' if terms else ''} /* {r['summary']} */")
    lines += ["", "/* Bits and values of registers. */"]
    for r in host["registers"]:
        name = f"ET_HOST_{r['name'].upper()}"
        for f in r.get("fields", []):
            field = f"{name}_{f['name'].upper()}"
            if f["high"] == f["low"]:
                lines.append(f"#define {field} (UINT64_C(1) << {f['low']})")
            else:
                lines.append(f"#define {field}_SHIFT {f['low']}\n#define {field}_MASK {(1 << f['high'] - f['low'] + 1) - 1:#x}u /* shifted to bit 0 */")
            if "value" in f:
                lines.append(f"#define {field}_VALUE {f['value']}")
        lines += [f"#define {name}_{v['name'].upper()} {v['number']}" for v in r.get("values", [])]
    for key, prefix, title in (("launch_ends", "ET_LAUNCH", "How a launch ended: `end` of its record."),
                               ("descriptor_defects", "ET_DEFECT", "Why a descriptor was refused: `value` of its record.")):
        lines += ["", f"/* {title} */"] + [f"#define {prefix}_{e['name'].upper()} {e['number']}" for e in host[key]]
    lines += ["", "/* Entries of the rings in memory, little endian. */"] + [c_struct(f"et_{key}", host[key]) for key in LAYOUTS]
    return "\n".join(lines + ["", "#endif /* ETALON_HOST_H_ */", ""])


def registers_table(description):
    rows = [["address", "register", "bits", "access", "holds"]]
    for r in description["host"]["registers"]:
        strides = "".join(f" + {r[p + '_stride']:#x} {p[0]}" for p in ("core", "window") if f"{p}_stride" in r)
        holds = [r["summary"]] + [field_text(f) for f in r.get("fields", [])] + [f"{v['number']} {v['name']}" for v in r.get("values", [])]
        rows.append([f"{r['offset']:#06x}{strides}", r["name"], str(8 * r["bytes"]), ACCESS[r["access"]], "; ".join(holds)])
    return markdown_table(rows)


def field_text(field):
    place = str(field["high"]) if field["high"] == field["low"] else f"{field['high']}:{field['low']}"
    value = f" {field['value']}" if "value" in field else ""
    return f"{'bit' if ':' not in place else 'bits'} {place} {field['name']}{value}" + (f" ({field['summary']})" if "summary" in field else "")


def layout_table(key):
    def table(description):
        rows = [["byte", "field", "bytes", "holds"]]
        return markdown_table(rows + [[str(offset), f["name"], str(f["bytes"]), f["summary"]] for f, offset in with_offsets(description["host"][key])])
    return table


def launch_ends_table(description):
    return markdown_table([["end", "name", "value", "is"]] + [[str(e["number"]), e["name"], e["value"], e["summary"]] for e in description["host"]["launch_ends"]])


def defects_table(description):
    return markdown_table([["value", "name", "is"]] + [[str(d["number"]), d["name"], d["summary"]] for d in description["host"]["descriptor_defects"]])


# Tables that chapters take from here.
TABLES = {"host-registers": registers_table, "launch-descriptor": layout_table("launch_descriptor"),
          "completion-record": layout_table("completion_record"), "launch-ends": launch_ends_table, "descriptor-defects": defects_table}
