# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the ISA description: every refusal of the generator is raised here or in encoding.py."""
import json
import re

import jsonschema
import yaml

from encoding import OPERANDS, DescriptionError, check_overlaps, operand_syntax, parse_pattern
from types_and_ops import cpp_name

SEMANTICS = re.compile(r"^SEMANTICS\((\w+)\)", re.MULTILINE)
RULE = re.compile(r"^\* \*\*\[(0x[0-9a-f]{4}) ([a-z0-9.-]+)\]\*\* (.+?)(?=\n\* |\n\n|\Z)", re.MULTILINE | re.DOTALL)


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses duplicate keys, which YAML readers otherwise drop silently."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise DescriptionError(f"{key_node.start_mark.name}:{key_node.start_mark.line + 1}: duplicate key '{key}'")
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_yaml(path):
    with open(path) as file:
        return yaml.load(file, UniqueKeyLoader)


def load_rules(spec_dir):
    """Normative sentences of docs/spec: `* **[0x0301 alias.in-place]** text` gives number, id and text."""
    rules, numbers = {}, {}
    for path in sorted(spec_dir.glob("*.md")):
        for number, name, text in RULE.findall(path.read_text()):
            if name in rules or number in numbers:
                raise DescriptionError(f"{path.name}: rule {number} {name} is defined twice")
            rules[name] = {"number": int(number, 16), "name": name, "chapter": path.stem, "text": " ".join(text.split())}
            numbers[number] = name
    return rules


def check_schema(data, schema, path):
    error = next(iter(jsonschema.Draft7Validator(schema).iter_errors(data)), None)
    if error:
        place = ".".join(str(p) for p in error.absolute_path)
        entry = ""
        if len(error.absolute_path) > 1 and error.absolute_path[0] == "instructions":
            entry = f" ({data['instructions'][error.absolute_path[1]].get('name', '?')})"
        raise DescriptionError(f"{path.name}: {place}{entry}: {error.message}")


def expand_elementwise(group, operations):
    """One-step instructions of the element-wise list: et.NAME td, ta(, tb) and et.NAME.x td, ta, rs2."""
    for op in operations:
        code = format(op["code"], "07b")
        base = {"summary": op["summary"], "operation": op["name"], "class": "vector"}
        if "vv" in op["forms"]:
            second, syntax = ("tb", "td, ta, tb") if op["arity"] == 2 else ("00000", "td, ta")
            yield dict(base, name=f"et.{op['name']}", encoding=f"{code} {second} ta 000 td 1011011", syntax=syntax,
                       semantics="elementwise", examples=op["examples"].get("vv", []))
        if "vx" in op["forms"]:
            yield dict(base, name=f"et.{op['name']}.x", encoding=f"{code} rs2 ta 001 td 1011011", syntax="td, ta, rs2",
                       semantics="elementwise_scalar", examples=op["examples"].get("vx", []))


def expand_types(rows):
    """`each: [a, b]` with a role of value `each` stands for one row a type."""
    for row in rows:
        if "each" not in row:
            yield row
            continue
        for name in row["each"]:
            yield {role: name if value == "each" else value for role, value in row.items() if role != "each"}


def load_group(path, schema, rules, types):
    data = load_yaml(path)
    check_schema(data, schema, path)
    if data["group"] != path.stem:
        raise DescriptionError(f"{path.name}: group is '{data['group']}', the file says '{path.stem}'")
    entries = list(data["instructions"])
    if "operations" in data:
        for op in data["operations"]:
            for form in ("vv", "vx"):
                if form in op["forms"] and not op.get("examples", {}).get(form):
                    raise DescriptionError(f"{path.name}: operation '{op['name']}' has form {form} but no example for it")
        entries += expand_elementwise(data, data["operations"])
    instructions = []
    for entry in entries:
        where = f"{path.name}: {entry['name']}"
        entry = {"unit": data["unit"], "profile": data["profile"], "since": data["since"], "rules": [],
                 "types": [], "class": data["unit"], "faults": []} | data.get("defaults", {}) | entry
        encoding = parse_pattern(entry["encoding"], where)
        names = [t for t in operand_syntax(entry["syntax"]) if t in OPERANDS]
        unknown = [t for t in re.findall(r"[a-z][a-z0-9]*", entry["syntax"]) if t not in OPERANDS]
        if unknown:
            raise DescriptionError(f"{where}: unknown operand '{unknown[0]}' in syntax '{entry['syntax']}'")
        missing = set(encoding.operands) - set(names)
        if set(names) - set(encoding.operands):
            raise DescriptionError(f"{where}: syntax names {sorted(set(names) - set(encoding.operands))}, not in the encoding")
        if missing - {"aq", "rl", "rm", "fm"}:
            raise DescriptionError(f"{where}: encoding has {sorted(missing)}, not in the syntax")
        if not entry["examples"]:
            raise DescriptionError(f"{where}: no worked example")
        for rule in entry["rules"] + entry["faults"]:
            if rule not in rules:
                raise DescriptionError(f"{where}: unknown rule '{rule}'; rules stand in docs/spec/*.md")
        entry["types"] = list(expand_types(entry["types"]))
        for pair in entry["types"]:
            for role, names_of_role in pair.items():
                if role == "profile":
                    continue
                for type_name in [names_of_role] if isinstance(names_of_role, str) else names_of_role:
                    if type_name not in types:
                        raise DescriptionError(f"{where}: unknown element type '{type_name}' for {role}")
        instructions.append(entry | {"encoding": encoding, "pattern": entry["encoding"], "where": where, "group": data["group"], "cpp": cpp_name(entry["name"]),
                                     "semantics": entry.get("semantics", cpp_name(entry["name"]))})
    check_semantics(path, instructions)
    data["instructions"] = instructions
    return data


def check_semantics(path, instructions):
    """Every entry has a function in the .cc of the same name, every function an entry."""
    source = path.with_suffix(".cc")
    if not source.exists():
        raise DescriptionError(f"{path.name}: no semantics file {source.name}")
    defined = set(SEMANTICS.findall(source.read_text()))
    wanted = {i["semantics"] for i in instructions}
    if wanted - defined:
        raise DescriptionError(f"{path.name}: no semantics in {source.name} for {', '.join(sorted(wanted - defined))}")
    if defined - wanted:
        raise DescriptionError(f"{source.name}: semantics without an entry in {path.name}: {', '.join(sorted(defined - wanted))}")


def load(source):
    """The whole description: types, operations, rules, counters, groups and instructions in file order."""
    isa = source / "isa"
    types = load_yaml(isa / "numerics/element_types.yaml")["types"]
    rules = load_rules(source / "docs/spec")
    schema = json.loads((isa / "schema/instructions.schema.json").read_text())
    names = {t["name"] for t in types}
    paths = sorted(p for p in (isa / "instructions").glob("*.yaml") if p.stem not in ("counters", "csrs", "elementwise"))
    groups = [load_group(p, schema, rules, names) for p in paths]
    instructions = [i for g in groups for i in g["instructions"]]
    seen = {}
    for i in instructions:
        if i["name"] in seen:
            raise DescriptionError(f"{i['where']}: name already taken by {seen[i['name']]}")
        seen[i["name"]] = i["where"]
    check_overlaps(instructions)
    for path in sorted((isa / "instructions").glob("*.cc")):
        if not path.with_suffix(".yaml").exists() and SEMANTICS.search(path.read_text()):
            raise DescriptionError(f"{path.name}: semantics without a description {path.stem}.yaml")
    operations = load_yaml(isa / "instructions/elementwise.yaml")["operations"]
    counters = load_yaml(isa / "instructions/counters.yaml")["counters"]
    csrs = load_yaml(isa / "instructions/csrs.yaml")["csrs"]
    return {"types": types, "rules": rules, "groups": groups, "instructions": instructions, "operations": operations,
            "counters": counters, "csrs": csrs}
