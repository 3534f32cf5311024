// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "isa/base/file.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/base/yaml.h"
#include "isa/machines/machine_fields.h"
#include "isa/machines/machine_rules.h"

namespace etalon::isa {
namespace {

/// What is wrong with a number that has been read, or nullopt.
std::optional<std::string> limitProblem(const MachineField& field, uint64_t value) {
  if (value < field.least || value > field.most)
    return fmt::format("{} is outside {} to {}", printValue(field, value),
                       printValue(field, field.least), printValue(field, field.most));
  if (field.multiple == kPowerOfTwo) {
    if (!std::has_single_bit(value))
      return fmt::format("{} is not a power of two", printValue(field, value));
  } else if (value % field.multiple != 0) {
    return fmt::format("{} is not a multiple of {}", printValue(field, value),
                       formatBytes(field.multiple));
  }
  return std::nullopt;
}

/// The place of a name in the list of choices.
Result<uint64_t> chosen(const MachineField& field, std::string_view name) {
  const auto found = std::ranges::find(field.choices, name);
  if (found == field.choices.end())
    return Error{fmt::format("{} is none of {}", quote(name), fmt::join(field.choices, ", "))};
  return static_cast<uint64_t>(found - field.choices.begin());
}

/// Sets the profile list, or says what is wrong with it.
std::optional<std::string> setProfiles(Machine& machine, const std::vector<std::string>& names,
                                       const std::vector<Profile>& known) {
  uint64_t bits = 0;
  for (const std::string& name : names) {
    const Profile* profile = findProfile(known, name);
    if (profile == nullptr)
      return fmt::format("unknown profile {}; known: {}", quote(name),
                         joined(profileNames(known, false)));
    if (!profile->implemented)
      return fmt::format("profile {} is reserved: no model executes it yet; implemented: {}", name,
                         joined(profileNames(known, true)));
    if (bits >> profile->bit & 1) return fmt::format("profile {} stands twice", name);
    bits |= uint64_t{1} << profile->bit;
  }
  if (std::find(names.begin(), names.end(), "Et-base") == names.end())
    return std::string("Et-base is missing: every machine has it");
  machine.profiles = names;
  machine.profile_bits = bits;
  return std::nullopt;
}

Result<FieldValue> readNumber(const MachineField& field, const YamlValue& value) {
  const auto read = [&]() -> Result<uint64_t> {
    switch (field.kind) {
      case FieldKind::Size: return value.asBytes(field.least, field.most);
      case FieldKind::Ratio: return value.asThousandths(field.least, field.most);
      case FieldKind::Address: return value.asUnsigned(0, ~uint64_t{0});
      default: return value.asUnsigned(field.least, field.most);
    }
  };
  const Result<uint64_t> number = read();
  if (!number.ok()) return number.error();
  if (const std::optional<std::string> problem = limitProblem(field, *number))
    return value.error(*problem);
  return FieldValue(*number);
}

Result<FieldValue> readValue(const MachineField& field, const YamlValue& value) {
  if (field.kind != FieldKind::Choice && field.kind != FieldKind::Part)
    return readNumber(field, value);
  const Result<std::string> name = value.asString();
  if (!name.ok()) return name.error();
  if (field.kind == FieldKind::Part) return FieldValue(*name);
  const Result<uint64_t> place = chosen(field, *name);
  if (!place.ok()) return value.error(place.error().message);
  return FieldValue(*place);
}

/// Reads `key: {value: N, source: "..."}` of the map that holds it.
Status readField(const MachineField& field, const YamlValue& holder, Machine& machine) {
  Result<YamlValue> entry = holder.at(field.key);
  if (!entry.ok()) return entry.error();
  Result<std::vector<std::pair<std::string, YamlValue>>> pairs = entry->asMap();
  if (!pairs.ok())
    return entry->error("write the value as {value: ..., source: \"where it comes from\"}");
  ETALON_RETURN_IF_ERROR(entry->allowKeys({"value", "source"}));
  Result<YamlValue> value = entry->at("value");
  if (!value.ok()) return value.error();
  Result<FieldValue> read = readValue(field, *value);
  if (!read.ok()) return read.error();
  Result<YamlValue> source = entry->at("source");
  if (!source.ok()) return source.error();
  Result<std::string> text = source->asString();
  if (!text.ok()) return text.error();
  field.set(machine, *std::move(read));
  machine.sources[field.dottedKey()] = *text;
  return {};
}

/// The keys at the top of a file, or of one section, in the order of the table; each once.
std::vector<std::string_view> keysOf(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const MachineField& field : machineFields()) {
    if (!section.empty() && field.section != section) continue;
    const std::string_view key =
        section.empty() && !field.section.empty() ? field.section : field.key;
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// Whether the file has timing: all keys and sections of it, or none.
Result<bool> hasTiming(const YamlValue& root) {
  std::vector<std::string_view> there, missing;
  for (const MachineField& field : machineFields()) {
    if (!field.timing) continue;
    const std::string_view top = field.section.empty() ? field.key : field.section;
    const bool found = root.find(top).has_value();
    if (field.optional && !found) continue;
    std::vector<std::string_view>& list = found ? there : missing;
    if (list.empty() || list.back() != top) list.push_back(top);
  }
  if (!there.empty() && !missing.empty())
    return root.error(
        fmt::format("'{}' is missing: a machine with '{}' has timing, and needs {} too; without "
                    "any timing it has values only",
                    missing[0], there[0], fmt::join(missing, ", ")));
  return !there.empty();
}

Status readFields(const YamlValue& root, Machine& machine) {
  const Result<bool> timed = hasTiming(root);
  if (!timed.ok()) return timed.error();
  if (*timed) machine.timing.emplace();
  for (const MachineField& field : machineFields()) {
    if (field.timing && !*timed) continue;
    if (field.section.empty()) {
      ETALON_RETURN_IF_ERROR(readField(field, root, machine));
      continue;
    }
    if (field.optional && !root.find(field.section)) continue;
    Result<YamlValue> holder = root.at(field.section);
    if (!holder.ok()) return holder.error();
    ETALON_RETURN_IF_ERROR(holder->allowKeys(keysOf(field.section)));
    ETALON_RETURN_IF_ERROR(readField(field, *holder, machine));
  }
  return {};
}

Status readProfiles(const YamlValue& root, const std::vector<Profile>& known, Machine& machine) {
  Result<YamlValue> entry = root.at("profiles");
  if (!entry.ok()) return entry.error();
  Result<std::vector<YamlValue>> items = entry->asList();
  if (!items.ok()) return items.error();
  std::vector<std::string> names;
  for (const YamlValue& item : *items) {
    Result<std::string> name = item.asString();
    if (!name.ok()) return name.error();
    names.push_back(*name);
  }
  if (std::optional<std::string> problem = setProfiles(machine, names, known))
    return entry->error(*problem);
  return {};
}

Status readNames(const YamlValue& root, const std::string& path, Machine& machine) {
  for (const auto& [key, target] :
       {std::pair{"name", &machine.name}, std::pair{"title", &machine.title}}) {
    Result<YamlValue> value = root.at(key);
    if (!value.ok()) return value.error();
    Result<std::string> text = value->asString();
    if (!text.ok()) return text.error();
    *target = *text;
  }
  const std::string stem = std::filesystem::path(path).stem().string();
  if (machine.name != stem)
    return root.at("name")->error(
        fmt::format("{} is not the name of the file; expected '{}'", quote(machine.name), stem));
  if (machine.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos)
    return root.at("name")->error(
        fmt::format("{} may hold a-z, 0-9, _ and - only", quote(machine.name)));
  return {};
}

std::vector<std::string> splitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Keys that were perhaps meant: of the same section, or of the same name in some section, or all at the top.
Error unknownKey(const std::string& key) {
  const std::string section = key.substr(0, key.find('.'));
  std::vector<std::string> same_section, same_name, top{"profiles"};
  for (const MachineField& field : machineFields()) {
    if (field.section == section) same_section.push_back(field.dottedKey());
    if (field.key == key.substr(key.rfind('.') + 1)) same_name.push_back(field.dottedKey());
    const std::string shown =
        field.section.empty() ? std::string(field.key) : fmt::format("{}....", field.section);
    if (std::ranges::find(top, shown) == top.end()) top.push_back(shown);
  }
  return Error{fmt::format("a machine has no {}; known: {}", quote(key),
                           joined(!same_section.empty() ? same_section
                                  : !same_name.empty()  ? same_name
                                                        : top))};
}

Result<FieldValue> parseValue(const MachineField& field, const std::string& text) {
  if (field.kind == FieldKind::Part) return FieldValue(text);
  const Result<uint64_t> value = field.kind == FieldKind::Size     ? parseBytes(text)
                                 : field.kind == FieldKind::Ratio  ? parseThousandths(text)
                                 : field.kind == FieldKind::Choice ? chosen(field, text)
                                                                   : parseUnsigned(text);
  if (!value.ok()) return value.error();
  if (std::optional<std::string> problem = limitProblem(field, *value)) return Error{*problem};
  return FieldValue(*value);
}

/// The value that a dotted key names in the file, or the innermost thing around it that is there.
YamlValue placeOf(const YamlValue& root, std::string_view dotted) {
  const size_t dot = dotted.find('.');
  const std::optional<YamlValue> inner = root.find(dotted.substr(0, dot));
  if (!inner) return root;
  return dot == std::string_view::npos ? *inner : placeOf(*inner, dotted.substr(dot + 1));
}

}  // namespace

std::string Machine::displayName() const {
  std::string shown = name;
  for (const auto& [key, value] : overrides) shown += fmt::format("+{}={}", key, value);
  return shown;
}

std::vector<MachineValue> machineValues(const Machine& machine) {
  std::vector<MachineValue> values;
  for (const MachineField& field : machineFields()) {
    if (field.timing && !machine.timing) continue;
    const std::string key = field.dottedKey();
    std::string value = printValue(field, field.get(machine));
    if (field.optional && value.empty()) continue;
    const auto source = machine.sources.find(key);
    values.push_back({key, std::move(value), source == machine.sources.end() ? "" : source->second,
                      std::string(field.section), std::string(field.unit), field.timing});
  }
  return values;
}

Result<Machine> loadMachine(const std::string& path, const std::vector<Profile>& profiles) {
  Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  std::vector<std::string_view> known{"name", "title", "profiles"};
  for (const std::string_view key : keysOf("")) known.push_back(key);
  ETALON_RETURN_IF_ERROR(root.allowKeys(known));
  Machine machine;
  machine.folder = std::filesystem::path(path).parent_path().string();
  if (machine.folder.empty()) machine.folder = ".";
  ETALON_RETURN_IF_ERROR(readNames(root, path, machine));
  ETALON_RETURN_IF_ERROR(readProfiles(root, profiles, machine));
  ETALON_RETURN_IF_ERROR(readFields(root, machine));
  if (const std::optional<MachineProblem> problem = machineProblem(machine))
    return placeOf(root, problem->key).error(problem->what);
  return machine;
}

Status applyOverride(Machine& machine, std::string_view assignment,
                     const std::vector<Profile>& profiles) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error{
        fmt::format("{} is no override: write key=value, such as cores=2", quote(assignment))};
  const std::string key(assignment.substr(0, equals));
  const std::string text(assignment.substr(equals + 1));
  if (key == "profiles") {
    if (std::optional<std::string> problem = setProfiles(machine, splitAtCommas(text), profiles))
      return Error{"override profiles: " + *problem};
    machine.overrides[key] = text;
    return {};
  }
  const auto fields = machineFields();
  const auto field = std::ranges::find(fields, key, &MachineField::dottedKey);
  if (field == fields.end()) return unknownKey(key);
  if (field->timing && !machine.timing)
    return Error{
        fmt::format("override {}: machine '{}' has no timing to change: it says what programs "
                    "compute, not when",
                    key, machine.name)};
  Result<FieldValue> value = parseValue(*field, text);
  if (!value.ok()) return Error{fmt::format("override {}: {}", key, value.error().message)};
  machine.overrides[key] = printValue(*field, *value);
  machine.sources[key] = "override";
  field->set(machine, *std::move(value));
  return {};
}

Status checkMachine(const Machine& machine) {
  if (const std::optional<MachineProblem> problem = machineProblem(machine))
    return Error{fmt::format("{}: {}", problem->key, problem->what)};
  return {};
}

Result<std::vector<Machine>> listMachines(const std::string& directory,
                                          const std::vector<Profile>& profiles) {
  Result<std::vector<std::string>> files = listFiles(directory, ".yaml");
  if (!files.ok()) return files.error();
  std::vector<Machine> machines;
  for (const std::string& path : *files) {
    Result<Machine> machine = loadMachine(path, profiles);
    if (!machine.ok()) return machine.error();
    machines.push_back(*std::move(machine));
  }
  return machines;
}

}  // namespace etalon::isa
