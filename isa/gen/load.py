# SPDX-License-Identifier: Apache-2.0
"""The ISA description as one checked structure. Refusals are raised here, in read.py and in encoding.py."""
import re

from encoding import OPERANDS, DescriptionError, check_overlaps, operand_syntax, parse_pattern
from families import BASE_PROFILE, expand_operations, expand_types, expand_variants
from host_page import load_host
from read import check_schema, read_json, read_text, read_yaml
from types_and_ops import cpp_name

SEMANTICS = re.compile(r"^SEMANTICS\((\w+)\)", re.MULTILINE)
RULE = re.compile(r"^\* \*\*\[(0x[0-9a-f]{4}) ([a-z0-9.-]+)\]\*\* (.+?)(?=\n\* |\n\n|\Z)", re.MULTILINE | re.DOTALL)
RULE_BEGIN = re.compile(r"^\* \*\*\[", re.MULTILINE)
# High byte of rule numbers in chapter 0; elsewhere it is the chapter's number. 0x0000 means no rule.
OVERVIEW_PAGE = 0x0A
# Operands that a syntax may leave out: they follow the others, with a default.
OPTIONAL_OPERANDS = {"aq", "rl", "rm", "fm"}
# Files of isa/instructions that are tables and no instruction groups.
TABLES = ("causes", "counters", "csrs", "host", "interrupts")


def load_rules(spec_dir):
    """Normative sentences of docs/spec: `* **[0x0301 alias.in-place]** text` gives number, id and text."""
    rules, numbers, identifiers = {}, {}, {}
    for path in sorted(spec_dir.glob("[0-9][0-9]-*.md")):
        text = read_text(path)
        found = list(RULE.finditer(text))
        for begin in sorted({m.start() for m in RULE_BEGIN.finditer(text)} - {m.start() for m in found}):
            line = text.count("\n", 0, begin) + 1
            raise DescriptionError(f"{path.name}:{line}: cannot read this rule; write `* **[0x0301 area.name]** Sentence.`")
        for number, name, sentence in (m.groups() for m in found):
            for taken, key in ((rules, name), (numbers, number), (identifiers, rule_identifier(name))):
                if key in taken:
                    raise DescriptionError(f"{path.name}: rule {number} {name} is defined twice; '{key}' is taken in {taken[key]['chapter']}.md")
            page = int(path.stem[:2]) or OVERVIEW_PAGE
            if int(number, 16) >> 8 != page:
                raise DescriptionError(f"{path.name}: rule {number} {name}: numbers of this chapter are {page:#04x}00 to {page:#04x}ff")
            rule = {"number": int(number, 16), "name": name, "chapter": path.stem, "text": " ".join(sentence.split())}
            rules[name] = numbers[number] = identifiers[rule_identifier(name)] = rule
    return rules


def rule_identifier(name):
    return name.replace(".", "_").replace("-", "_")


def load_table(path, key, schema):
    """A list of named, numbered entries; refuses a name or a number that stands twice."""
    data = read_yaml(path)
    check_schema(data, {"type": "object", "additionalProperties": False, "required": [key],
                        "properties": {key: {"type": "array", "items": schema}}}, path)
    check_unique(path, key, data[key])
    return data[key]


def check_unique(path, key, entries):
    for field in ("name", "number", "code"):
        seen = {}
        for entry in entries:
            value = entry.get(field)
            if value is not None and value in seen:
                raise DescriptionError(f"{path.name}: {entry['name']}: {key} has {field} {value} twice, also for '{seen[value]}'")
            seen[value] = entry["name"]


def check_operations(path, operations, known):
    names = {op["name"] for op in operations}
    check_unique(path, "operations", operations)
    for op in operations:
        if op.get("reversed", op["name"]) not in names:
            raise DescriptionError(f"{path.name}: {op['name']}: reverses '{op['reversed']}', which is no operation")
        check_profile(op.get("profile", BASE_PROFILE), known, f"{path.name}: {op['name']}")


def check_syntax(entry, encoding, where):
    """Syntax and encoding name the same operands."""
    words = re.findall(r"[a-z][a-z0-9]*", entry["syntax"])
    for word in words:
        if word not in OPERANDS:
            raise DescriptionError(f"{where}: unknown operand '{word}' in syntax '{entry['syntax']}'")
    if len(words) != len(set(words)):
        raise DescriptionError(f"{where}: syntax '{entry['syntax']}' names an operand twice")
    if set(words) - set(encoding.operands):
        raise DescriptionError(f"{where}: syntax names {sorted(set(words) - set(encoding.operands))}, not in the encoding")
    missing = set(encoding.operands) - set(words) - OPTIONAL_OPERANDS
    if missing:
        raise DescriptionError(f"{where}: encoding has {sorted(missing)}, not in the syntax")


def check_profile(profile, known, where):
    if profile not in known["profiles"]:
        raise DescriptionError(f"{where}: unknown profile '{profile}'; profiles stand in isa/profiles")


def check_types(entry, known, where):
    """Each row of legal types gives every tile and view operand of the syntax known types, and nothing else."""
    roles = {t for t in operand_syntax(entry["syntax"]) if OPERANDS.get(t, ("",))[0] in ("tile", "view")}
    for row in entry["types"]:
        for profile in row["profile"].split():
            check_profile(profile, known, where)
        if set(row) - {"profile"} != roles:
            raise DescriptionError(f"{where}: a row of types is for {sorted(set(row) - {'profile'})}, the operands are {sorted(roles)}")
        for role in sorted(roles):
            for name in [row[role]] if isinstance(row[role], str) else row[role]:
                if name not in known["types"]:
                    raise DescriptionError(f"{where}: unknown element type '{name}' for {role}")


def check_entry(entry, encoding, known, where):
    check_syntax(entry, encoding, where)
    if not entry["examples"]:
        raise DescriptionError(f"{where}: no worked example")
    for example in entry["examples"]:
        if example["asm"].split(maxsplit=1)[:1] != [entry["name"]]:
            raise DescriptionError(f"{where}: example '{example['asm']}' is of another instruction")
        for rule in example.get("shows", []):
            if rule not in entry["rules"] or "fault" in example:
                raise DescriptionError(f"{where}: an example shows '{rule}': it must be one of its rules, and the example must not trap")
    shown = [e["fault"] for e in entry["examples"] if "fault" in e]
    for rule in entry["rules"] + entry["faults"] + shown:
        if rule not in known["rules"]:
            raise DescriptionError(f"{where}: unknown rule '{rule}'; rules stand in docs/spec/*.md")
    for rule in shown:
        if rule not in entry["faults"]:
            raise DescriptionError(f"{where}: an example has fault '{rule}', which is not among its faults")
    if "op.unsupported" in entry["faults"]:
        raise DescriptionError(f"{where}: fault 'op.unsupported' follows from the types; leave it out")
    check_profile(entry["profile"], known, where)
    if f"retired_{entry['class']}" not in known["counters"]:
        raise DescriptionError(f"{where}: class '{entry['class']}' has no counter retired_{entry['class']} in counters.yaml")
    check_types(entry, known, where)


def load_group(path, schema, known):
    data = read_yaml(path)
    check_schema(data, schema, path)
    if data["group"] != path.stem:
        raise DescriptionError(f"{path.name}: group is '{data['group']}', the file says '{path.stem}'")
    check_operations(path, data.get("operations", []), known)
    entries = list(expand_operations(data.get("operations", []), path.name))
    entries += expand_variants(data.get("instructions", []))
    instructions = []
    for entry in entries:
        where = f"{path.name}: {entry['name']}"
        entry = {"unit": data["unit"], "profile": data["profile"], "since": data["since"], "rules": [],
                 "types": [], "class": data["unit"], "faults": []} | data.get("defaults", {}) | entry
        encoding = parse_pattern(entry["encoding"], where)
        entry["types"] = list(expand_types(entry["types"], known["profile_of"], entry["profile"]))
        check_entry(entry, encoding, known, where)
        entry["faults"] = with_unsupported(entry)
        instructions.append(entry | {"encoding": encoding, "where": where, "group": data["group"], "cpp": cpp_name(entry["name"]),
                                     "semantics": entry.get("semantics", cpp_name(entry["name"]))})
    check_semantics(path, instructions)
    data["instructions"] = instructions
    return data


def with_unsupported(entry):
    """The faults of an entry, with op.unsupported if a machine may lack one of its tuples."""
    if all(row["profile"] == BASE_PROFILE for row in entry["types"]):
        return entry["faults"]
    after = entry["faults"].index("op.types") + 1 if "op.types" in entry["faults"] else 0
    return entry["faults"][:after] + ["op.unsupported"] + entry["faults"][after:]


def check_semantics(path, instructions):
    """Every entry has a function in the .cc of the same name, every function an entry."""
    source = path.with_suffix(".cc")
    if not source.exists():
        raise DescriptionError(f"{path.name}: no semantics file {source.name}")
    defined = set(SEMANTICS.findall(read_text(source)))
    wanted = {i["semantics"] for i in instructions}
    if wanted - defined:
        raise DescriptionError(f"{path.name}: no semantics in {source.name} for {', '.join(sorted(wanted - defined))}")
    if defined - wanted:
        raise DescriptionError(f"{source.name}: semantics without an entry in {path.name}: {', '.join(sorted(defined - wanted))}")


def check_instructions(instructions):
    """What no group can see alone: a name or an encoding taken twice."""
    seen = {}
    for i in instructions:
        if i["name"] in seen:
            raise DescriptionError(f"{i['where']}: name already taken by {seen[i['name']]}")
        seen[i["name"]] = i["where"]
    check_overlaps(instructions)


def check_sources(folder):
    """No semantics without a description."""
    for path in sorted(folder.glob("*.cc")):
        if not path.with_suffix(".yaml").exists() and SEMANTICS.search(read_text(path)):
            raise DescriptionError(f"{path.name}: semantics without a description {path.stem}.yaml")


def load(source):
    """The whole description: types, operations, rules, counters, groups and instructions in file order."""
    isa = source / "isa"
    folder = isa / "instructions"
    tables = read_json(isa / "schema/isa-tables.schema.json")["definitions"]
    schema = read_json(isa / "schema/instructions.schema.json")
    profile_schema = read_json(isa / "schema/profile.schema.json")
    types = load_table(isa / "numerics/element_types.yaml", "types", tables["type"])
    counters = load_table(folder / "counters.yaml", "counters", tables["counter"])
    csrs = load_table(folder / "csrs.yaml", "csrs", tables["csr"])
    causes = load_table(folder / "causes.yaml", "causes", tables["cause"])
    host = load_host(folder / "host.yaml", tables["host"] | {"definitions": tables})
    for key, entries in host.items():
        check_unique(folder / "host.yaml", key, entries)
    interrupts = load_table(folder / "interrupts.yaml", "interrupts", tables["interrupt"])
    rules = load_rules(source / "docs/spec")
    profiles = [load_profile(p, profile_schema) for p in sorted((isa / "profiles").glob("*.yaml"))]
    known = {"types": {t["name"] for t in types}, "rules": rules, "profiles": {p["name"] for p in profiles},
             "counters": {c["name"] for c in counters}, "profile_of": {t["name"]: t["profile"] for t in types if "profile" in t}}
    for name, profile in known["profile_of"].items():
        check_profile(profile, known, f"element_types.yaml: {name}")
    groups = [load_group(p, schema, known) for p in sorted(folder.glob("*.yaml")) if p.stem not in TABLES]
    instructions = [i for g in groups for i in g["instructions"]]
    check_instructions(instructions)
    check_sources(folder)
    operations = [op for g in groups for op in g.get("operations", [])]
    return {"source": source, "types": types, "rules": rules, "groups": groups, "instructions": instructions,
            "operations": operations, "counters": counters, "csrs": csrs, "causes": causes, "interrupts": interrupts, "host": host,
            "profiles": sorted(profiles, key=lambda p: p["bit"])}


def load_profile(path, schema):
    profile = read_yaml(path)
    check_schema(profile, schema, path)
    return profile
