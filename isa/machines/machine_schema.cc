// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine_schema.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "isa/machines/machine_fields.h"

namespace etalon::isa {
namespace {

constexpr std::string_view kHead = R"({{
  "$comment": "SPDX-License-Identifier: Apache-2.0",
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "machine.schema.json",
  "title": "Machine configuration, isa/machines/*.yaml; written by `etalon machines schema`",
  "type": "object",
  "additionalProperties": false,
  "required": ["name", "title", "profiles", "{}"],
  "dependentRequired": {{{}}},
  "properties": {{
    "name": {{"type": "string", "pattern": "^[a-z0-9_-]+$"}},
    "title": {{"type": "string", "minLength": 1}},
    "profiles": {{
      "type": "array",
      "items": {{"type": "string", "pattern": "^Et-"}},
      "contains": {{"const": "Et-base"}},
      "uniqueItems": true
    }},
)";

constexpr std::string_view kTail = R"(
  },
  "$defs": {
    "entry": {
      "type": "object",
      "required": ["value", "source"],
      "additionalProperties": false,
      "properties": {"value": true, "source": {"type": "string", "minLength": 1}}
    },
    "count": {"type": "integer", "minimum": 0},
    "size": {
      "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[1-9][0-9]* ?(KiB|MiB|GiB)$"}
      ]
    },
    "ratio": {
      "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]+/[1-9][0-9]*$"}
      ]
    },
    "part": {"type": "string", "pattern": "^[a-z0-9_-]+$"}
  }
}
)";

std::string powersOfTwo(const MachineField& field) {
  std::vector<uint64_t> powers;
  for (uint64_t power = 1; power <= field.most; power *= 2)
    if (power >= field.least) powers.push_back(power);
  return fmt::format("{{\"enum\": [{}]}}", fmt::join(powers, ", "));
}

/// What the value may be. Limits of numbers say nothing about a size or ratio written as text.
std::string valueSchema(const MachineField& field) {
  if (field.kind == FieldKind::Part) return R"({"$ref": "#/$defs/part"})";
  if (field.kind == FieldKind::Choice)
    return fmt::format(R"({{"enum": ["{}"]}})", fmt::join(field.choices, R"(", ")"));
  const bool size = field.kind == FieldKind::Size;
  if (field.multiple == kPowerOfTwo)
    return size ? fmt::format(R"({{"$ref": "#/$defs/size", "anyOf": [{{"type": "string"}}, {}]}})",
                              powersOfTwo(field))
                : powersOfTwo(field);
  const bool ratio = field.kind == FieldKind::Ratio;
  const auto limit = [&](uint64_t value) {
    return ratio ? printValue(field, value) : fmt::format("{}", value);
  };
  return fmt::format(
      R"({{"$ref": "#/$defs/{}", "minimum": {}, "maximum": {}{}}})",
      size    ? "size"
      : ratio ? "ratio"
              : "count",
      limit(field.least), limit(field.most),
      field.multiple > 1 ? fmt::format(R"(, "multipleOf": {})", field.multiple) : "");
}

std::string fieldSchema(const MachineField& field) {
  return fmt::format(
      R"("{}": {{"$ref": "#/$defs/entry", "description": "{}{}{}", "properties": {{"value": {}}}}})",
      field.key, field.unit, field.unit.empty() ? "" : ": ", field.meaning, valueSchema(field));
}

/// Fields of one section, or one field at the top of the file.
struct Entry {
  std::string_view name;
  bool timing = false, optional = false;
  std::vector<MachineField> fields;
};
std::vector<Entry> entries() {
  std::vector<Entry> found;
  for (const MachineField& field : machineFields()) {
    const std::string_view name = field.section.empty() ? field.key : field.section;
    if (found.empty() || found.back().name != name)
      found.push_back({name, field.timing, field.optional, {}});
    found.back().fields.push_back(field);
  }
  return found;
}

std::string entrySchema(const Entry& entry) {
  if (entry.fields[0].section.empty()) return "    " + fieldSchema(entry.fields[0]);
  std::vector<std::string> required, properties;
  for (const MachineField& field : entry.fields) {
    required.push_back(fmt::format(R"("{}")", field.key));
    properties.push_back("        " + fieldSchema(field));
  }
  return fmt::format(R"(    "{}": {{
      "type": "object",
      "additionalProperties": false,
      "required": [{}],
      "properties": {{
{}
      }}
    }})",
                     entry.name, fmt::join(required, ", "), fmt::join(properties, ",\n"));
}

}  // namespace

std::string machineSchema() {
  // All entries of timing, or none: each asks for the next, the last for the first.
  std::vector<std::string> properties, next;
  std::vector<std::string_view> required, ring, optional;
  for (const Entry& entry : entries()) {
    properties.push_back(entrySchema(entry));
    (entry.optional ? optional : entry.timing ? ring : required).push_back(entry.name);
  }
  for (size_t i = 0; i < ring.size(); ++i)
    next.push_back(fmt::format(R"("{}": ["{}"])", ring[i], ring[(i + 1) % ring.size()]));
  for (const std::string_view name : optional)
    next.push_back(fmt::format(R"("{}": ["{}"])", name, ring[0]));
  return fmt::format(kHead, fmt::join(required, R"(", ")"), fmt::join(next, ", ")) +
         fmt::format("{}", fmt::join(properties, ",\n")) + std::string(kTail);
}

}  // namespace etalon::isa
