# SPDX-License-Identifier: Apache-2.0
"""Shorthand of the description: operation lists, variants of one instruction, and rows of types by class."""
from encoding import DescriptionError

# Every machine has it.
BASE_PROFILE = "Et-base"
# Element types of the vector unit by class.
TYPE_CLASSES = {
    "@float": ["f32", "bf16", "f16", "f8e4m3", "f8e5m2"],
    "@int": ["i8", "i16", "i32"],
    "@uint": ["u8", "u16", "u32"],
}
# Two to a byte: matrix products, DMA, and the vector instructions that move or convert whole tiles have them.
TYPE_CLASSES["@nibble"] = ["i4", "u4", "f4e2m1"]
TYPE_CLASSES["@number"] = TYPE_CLASSES["@float"] + TYPE_CLASSES["@int"] + TYPE_CLASSES["@uint"]
# Comparisons give 0 or 1: a byte each, or a word for chains and sums of them.
MASK_TYPES = ["u8", "u32"]

CLASS_OF = {"float": "@float", "int": "@int", "uint": "@uint"}
COMPUTE_TYPE = {"float": "f32", "int": "i32", "uint": "u32"}


def operation_types(op, tiles):
    """Type rows of a one-step instruction: sources of one class; td of the same class, or a mask."""
    for name in op["classes"]:
        td = MASK_TYPES if op["result"] == "mask" else CLASS_OF[name]
        yield {"td": td} | {tile: CLASS_OF[name] for tile in tiles}


def expand_operations(operations, where):
    """One-step instructions of an operation list: et.NAME td, ta(, tb) and et.NAME.x td, ta, rs2."""
    for op in operations:
        code = format(op["code"], "07b")
        base = {"summary": op["summary"], "operation": op["name"]} | {key: op[key] for key in ["profile"] if key in op}
        for form in ("vv", "vx"):
            if form in op["forms"] and not op.get("examples", {}).get(form):
                raise DescriptionError(f"{where}: operation '{op['name']}' has form {form} but no example for it")
        if "vv" in op["forms"]:
            tiles = ["ta", "tb"] if op["arity"] == 2 else ["ta"]
            yield base | {"name": f"et.{op['name']}", "encoding": f"{code} {'tb' if op['arity'] == 2 else '00000'} ta 000 td 1011011",
                          "syntax": ", ".join(["td"] + tiles), "semantics": "elementwise",
                          "types": list(operation_types(op, tiles)), "examples": op["examples"]["vv"]}
        if "vx" in op["forms"]:
            yield base | {"name": f"et.{op['name']}.x", "encoding": f"{code} rs2 ta 001 td 1011011", "syntax": "td, ta, rs2",
                          "semantics": "elementwise_scalar", "types": list(operation_types(op, ["ta"])),
                          "examples": op["examples"]["vx"]}


def expand_variants(entries):
    """An entry with `variants` stands for one instruction a variant: `{code}` of its encoding filled in, fields replaced."""
    for entry in entries:
        if "variants" not in entry:
            yield entry
            continue
        common = {k: v for k, v in entry.items() if k != "variants"}
        for variant in entry["variants"]:
            own = {k: v for k, v in variant.items() if k != "code"}
            yield common | own | {"encoding": common["encoding"].replace("{code}", variant["code"])}


def as_list(value):
    return [value] if isinstance(value, str) else list(value)


def split_by_profile(row, profile_of, profiles):
    """Rows that each need one set of profiles, the smallest set first, and together allow the same types."""
    roles = {role: [t for name in as_list(names) for t in TYPE_CLASSES.get(name, [name])] for role, names in row.items()}
    needed = sorted({profile_of[t] for names in roles.values() for t in names if t in profile_of} - set(profiles))
    subsets = [[p for n, p in enumerate(needed) if bits >> n & 1] for bits in range(1 << len(needed))]
    for subset in sorted(subsets, key=len):
        granted = [*profiles, *subset]
        allowed = {role: [t for t in names if profile_of.get(t) in (None, *granted)] for role, names in roles.items()}
        if all(allowed.values()):
            yield allowed | {"profile": " ".join(granted) or BASE_PROFILE}


def expand_each(row):
    for name in [t for each in as_list(row["each"]) for t in TYPE_CLASSES.get(each, [each])]:
        yield {role: name if value == "each" else value for role, value in row.items() if role != "each"}


def expand_types(rows, profile_of, own=BASE_PROFILE):
    """`each: [a, b]` with a role of value `each` stands for one row a type; `@float` and the like for a class of types.

    The profiles of a row are that of its instruction (`own`), those that its types need (`profile_of`: type -> profile) and
    those it names itself.
    """
    for row in rows:
        named = [own] + [p for names in as_list(row.get("profile", [])) for p in names.split()]
        profiles = [p for p in dict.fromkeys(named) if p != BASE_PROFILE]
        roles = {role: names for role, names in row.items() if role != "profile"}
        for one in expand_each(roles) if "each" in roles else [roles]:
            yield from split_by_profile(one, profile_of, profiles)
