// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "isa/base/file.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/base/yaml.h"
#include "isa/machines/machine_fields.h"

namespace etalon::isa {
namespace {

std::string dottedKey(const MachineField& field) {
  return field.group.empty() ? std::string(field.key)
                             : fmt::format("{}.{}", field.group, field.key);
}

std::string printValue(const MachineField& field, uint64_t value) {
  switch (field.kind) {
    case FieldKind::Count: return fmt::format("{}", value);
    case FieldKind::Size: return formatBytes(value);
    case FieldKind::Address: break;
  }
  return fmt::format("{:#x}", value);
}

/// What is wrong with a value that has been read, or nullopt.
std::optional<std::string> limitProblem(const MachineField& field, uint64_t value) {
  if (value < field.least || value > field.most)
    return fmt::format("{} is outside {} to {}", printValue(field, value),
                       printValue(field, field.least), printValue(field, field.most));
  if (value % field.multiple != 0)
    return fmt::format("{} is not a multiple of {}", printValue(field, value),
                       formatBytes(field.multiple));
  return std::nullopt;
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

/// Reads `key: {value: N, source: "..."}` of the map that holds it.
Status readField(const MachineField& field, const YamlValue& holder, Machine& machine) {
  Result<YamlValue> entry = holder.at(field.key);
  if (!entry.ok()) return entry.error();
  Result<std::vector<std::pair<std::string, YamlValue>>> pairs = entry->asMap();
  if (!pairs.ok())
    return entry->error("write the number as {value: ..., source: \"where it comes from\"}");
  ETALON_RETURN_IF_ERROR(entry->allowKeys({"value", "source"}));
  Result<YamlValue> value = entry->at("value");
  if (!value.ok()) return value.error();
  Result<uint64_t> number = field.kind == FieldKind::Size ? value->asBytes(0, ~uint64_t{0})
                                                          : value->asUnsigned(0, ~uint64_t{0});
  if (!number.ok()) return number.error();
  if (std::optional<std::string> problem = limitProblem(field, *number))
    return value->error(*problem);
  Result<YamlValue> source = entry->at("source");
  if (!source.ok()) return source.error();
  Result<std::string> text = source->asString();
  if (!text.ok()) return text.error();
  machine.*field.member = *number;
  machine.sources[dottedKey(field)] = *text;
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

std::vector<std::string> overridableKeys() {
  std::vector<std::string> keys;
  for (const MachineField& field : kMachineFields) keys.push_back(dottedKey(field));
  keys.emplace_back("profiles");
  return keys;
}

}  // namespace

std::string Machine::displayName() const {
  std::string shown = name;
  for (const auto& [key, value] : overrides) shown += fmt::format("+{}={}", key, value);
  return shown;
}

std::vector<MachineValue> machineValues(const Machine& machine) {
  std::vector<MachineValue> values;
  for (const MachineField& field : kMachineFields) {
    const std::string key = dottedKey(field);
    const auto source = machine.sources.find(key);
    values.push_back({key, printValue(field, machine.*field.member),
                      source == machine.sources.end() ? "" : source->second});
  }
  return values;
}

Result<Machine> loadMachine(const std::string& path, const std::vector<Profile>& profiles) {
  Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  ETALON_RETURN_IF_ERROR(root.allowKeys(
      {"name", "title", "cores", "local_bytes", "profiles", "work_cap", "address_map"}));
  Machine machine;
  ETALON_RETURN_IF_ERROR(readNames(root, path, machine));
  ETALON_RETURN_IF_ERROR(readProfiles(root, profiles, machine));
  for (const MachineField& field : kMachineFields) {
    Result<YamlValue> holder = field.group.empty() ? Result<YamlValue>(root) : root.at(field.group);
    if (!holder.ok()) return holder.error();
    ETALON_RETURN_IF_ERROR(readField(field, *holder, machine));
  }
  ETALON_RETURN_IF_ERROR(
      root.at("work_cap")->allowKeys({"macs_log2", "elements_log2", "bytes_log2"}));
  ETALON_RETURN_IF_ERROR(root.at("address_map")->allowKeys({"global_base", "global_bytes"}));
  if (Status status = checkMachine(machine); !status.ok())
    return root.at("address_map")->error(status.error().message);
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
  for (const MachineField& field : kMachineFields) {
    if (dottedKey(field) != key) continue;
    Result<uint64_t> value = field.kind == FieldKind::Size ? parseBytes(text) : parseUnsigned(text);
    if (!value.ok()) return Error{fmt::format("override {}: {}", key, value.error().message)};
    if (std::optional<std::string> problem = limitProblem(field, *value))
      return Error{fmt::format("override {}: {}", key, *problem)};
    machine.*field.member = *value;
    machine.overrides[key] = printValue(field, *value);
    machine.sources[key] = "override";
    return {};
  }
  return Error{
      fmt::format("a machine has no {}; known: {}", quote(key), joined(overridableKeys()))};
}

Status checkMachine(const Machine& machine) {
  if (machine.global_bytes > kGlobalRegionEnd - machine.global_base)
    return Error{fmt::format("global memory of {} at {:#x} passes the end of its region, {:#x}",
                             formatBytes(machine.global_bytes), machine.global_base,
                             kGlobalRegionEnd)};
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
