// SPDX-License-Identifier: Apache-2.0
// etalon machines: the machine configurations there are, what each says about itself, and how two differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/text.h"
#include "isa/machines/dram_preset.h"
#include "isa/machines/energy.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine_fields.h"
#include "isa/machines/machine_schema.h"
#include "isa/machines/peaks.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFooter = R"(Examples:
  etalon machines
  etalon machines show base
  etalon machines show base --set cores=2 --json
  etalon machines diff base edge
  etalon machines diff base base --set matrix.rows=64
  etalon machines keys matrix)";

struct MachinesOptions {
  std::string name, other, section;
  std::vector<std::string> overrides;
  bool json = false;
};

/// `131.1 TFLOP/s`, `614.4 GB/s`.
std::string peakText(const isa::MachinePeak& peak) {
  constexpr std::array<const char*, 5> kPrefixes{"", "k", "M", "G", "T"};
  auto scaled = static_cast<double>(peak.per_second);
  size_t prefix = 0;
  for (; scaled >= 1000 && prefix + 1 < kPrefixes.size(); ++prefix) scaled /= 1000;
  return fmt::format("{:.1f} {}{}/s", scaled, kPrefixes[prefix], peak.unit);
}

/// A file that a machine names.
struct Part {
  std::string kind, name, title;
  std::vector<isa::MachineValue> values;
};

/// A machine with what it names and what follows from it.
struct Shown {
  isa::Machine machine;
  std::vector<Part> parts;
  std::vector<isa::MachinePeak> peaks;
};

Result<std::vector<Part>> partsOf(const isa::Machine& machine) {
  std::vector<Part> parts;
  if (!machine.timing) return parts;
  const auto find = [&](std::string_view kind, const std::string& name) {
    return isa::findPart(kind, name, machine.folder);
  };
  const Result<std::string> memory = find(isa::kMemoryParts, machine.timing->memory.preset);
  if (!memory.ok()) return memory.error();
  const Result<isa::DramPreset> preset = isa::loadDramPreset(*memory);
  if (!preset.ok()) return preset.error();
  parts.push_back({"memory", preset->name, preset->title, isa::dramValues(*preset)});
  if (machine.timing->energy_table.empty()) return parts;
  const Result<std::string> energy = find(isa::kEnergyParts, machine.timing->energy_table);
  if (!energy.ok()) return energy.error();
  const Result<isa::EnergyTable> table = isa::loadEnergyTable(*energy);
  if (!table.ok()) return table.error();
  parts.push_back({"energy", table->name, table->title, isa::energyValues(*table)});
  return parts;
}

Result<Shown> open(const std::string& name, const std::vector<std::string>& overrides) {
  Result<isa::Machine> machine = isa::openMachine(name, overrides);
  if (!machine.ok()) return machine.error();
  Result<std::vector<isa::MachinePeak>> peaks = isa::machinePeaks(*machine);
  if (!peaks.ok()) return peaks.error();
  Result<std::vector<Part>> parts = partsOf(*machine);
  if (!parts.ok()) return parts.error();
  return Shown{*std::move(machine), *std::move(parts), *std::move(peaks)};
}

Json valuesJson(const std::vector<isa::MachineValue>& list) {
  Json values = Json::object();
  for (const isa::MachineValue& v : list)
    values[v.key] = {{"value", v.value}, {"unit", v.unit}, {"source", v.source}};
  return values;
}

Json machineJson(const isa::Machine& machine) {
  return {{"name", machine.displayName()},
          {"title", machine.title},
          {"derived", machine.derived()},
          {"profiles", machine.profiles},
          {"values", valuesJson(isa::machineValues(machine))}};
}

/// The machines of all directories; where two have one name, the first directory's counts, as for `--machine`.
Result<std::vector<isa::Machine>> allMachines() {
  const Result<std::vector<isa::Profile>> profiles = isa::shippedProfiles();
  if (!profiles.ok()) return profiles.error();
  std::vector<isa::Machine> machines;
  for (const std::string& directory : isa::machineDirectories()) {
    Result<std::vector<isa::Machine>> found = isa::listMachines(directory, *profiles);
    if (!found.ok()) return found.error();
    for (isa::Machine& machine : *found)
      if (std::ranges::find(machines, machine.name, &isa::Machine::name) == machines.end())
        machines.push_back(std::move(machine));
  }
  return machines;
}

int list(const MachinesOptions& options) {
  const Result<std::vector<isa::Machine>> machines = allMachines();
  if (!machines.ok()) return complain("machines", machines.error());
  Json json = Json::array();
  std::string text;
  for (const isa::Machine& machine : *machines) {
    json.push_back(machineJson(machine));
    text += fmt::format("{:<16} {}\n", machine.name, machine.title);
  }
  printOut(options.json ? json.dump(2) + "\n" : text);
  return kSuccess;
}

/// A line a value: key, value with its unit, source.
std::string valueLine(const isa::MachineValue& v) {
  const bool shown_with_unit = v.unit.empty() || v.value.ends_with("iB");
  return fmt::format("  {:<30} {:<26} {}\n", v.key,
                     shown_with_unit ? v.value : v.value + " " + v.unit, v.source);
}

int show(const MachinesOptions& options) {
  const Result<Shown> shown = open(options.name, options.overrides);
  if (!shown.ok()) return complain("machines", shown.error());
  const isa::Machine& machine = shown->machine;
  if (options.json) {
    Json json = machineJson(machine);
    for (const Part& part : shown->parts)
      json["parts"][part.kind] = {
          {"name", part.name}, {"title", part.title}, {"values", valuesJson(part.values)}};
    for (const isa::MachinePeak& peak : shown->peaks)
      json["peaks"][peak.key] = {
          {"what", peak.what}, {"per_second", peak.per_second}, {"unit", peak.unit}};
    printOut(json.dump(2) + "\n");
    return kSuccess;
  }
  std::string text = fmt::format("{}\n{}\nprofiles {}\n", machine.displayName(), machine.title,
                                 joined(machine.profiles));
  if (machine.derived()) text += "derived: results belong to no published machine\n";
  if (!machine.timing)
    text += "no timing: this machine says what programs compute, not how long it takes\n";
  std::string section = "-";
  for (const isa::MachineValue& v : isa::machineValues(machine)) {
    if (v.section != section) text += fmt::format("\n{}\n", v.section.empty() ? "chip" : v.section);
    section = v.section;
    text += valueLine(v);
  }
  for (const Part& part : shown->parts) {
    text += fmt::format("\nparts/{}/{}: {}\n", part.kind, part.name, part.title);
    for (const isa::MachineValue& v : part.values) text += valueLine(v);
  }
  if (!shown->peaks.empty()) text += "\npeaks of the whole machine, computed from the above\n";
  for (const isa::MachinePeak& peak : shown->peaks)
    text += fmt::format("  {:<30} {:<26} {}\n", peak.key, peakText(peak), peak.what);
  printOut(text);
  return kSuccess;
}

/// Key -> value of each machine; empty where a machine has no such key.
using Differences = std::vector<std::pair<std::string, std::pair<std::string, std::string>>>;

Differences differences(const std::vector<std::pair<std::string, std::string>>& a,
                        const std::vector<std::pair<std::string, std::string>>& b) {
  Differences found;
  const auto valueIn = [](const auto& list, const std::string& key) {
    const auto it = std::ranges::find(list, key, &std::pair<std::string, std::string>::first);
    return it == list.end() ? std::string() : it->second;
  };
  for (const auto& [key, value] : a)
    if (const std::string other = valueIn(b, key); other != value)
      found.push_back({key, {value, other}});
  for (const auto& [key, value] : b)
    if (valueIn(a, key).empty()) found.push_back({key, {"", value}});
  return found;
}

Differences valueDifferences(const Shown& a, const Shown& b) {
  const auto valuesOf = [](const isa::Machine& machine) {
    std::vector<std::pair<std::string, std::string>> values;
    values.emplace_back("profiles", joined(machine.profiles));
    for (const isa::MachineValue& v : isa::machineValues(machine))
      values.emplace_back(v.key, v.value);
    return values;
  };
  return differences(valuesOf(a.machine), valuesOf(b.machine));
}

Differences peakDifferences(const Shown& a, const Shown& b) {
  const auto valuesOf = [](const Shown& shown) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const isa::MachinePeak& peak : shown.peaks) values.emplace_back(peak.key, peakText(peak));
    return values;
  };
  return differences(valuesOf(a), valuesOf(b));
}

int diff(const MachinesOptions& options) {
  const Result<Shown> a = open(options.name, {});
  if (!a.ok()) return complain("machines", a.error());
  const Result<Shown> b = open(options.other, options.overrides);
  if (!b.ok()) return complain("machines", b.error());
  const Differences values = valueDifferences(*a, *b), peaks = peakDifferences(*a, *b);
  const std::string names[] = {a->machine.displayName(), b->machine.displayName()};
  if (options.json) {
    const auto listed = [](const Differences& found) {
      Json list = Json::array();
      for (const auto& [key, pair] : found)
        list.push_back({{"key", key},
                        {"a", pair.first.empty() ? Json() : Json(pair.first)},
                        {"b", pair.second.empty() ? Json() : Json(pair.second)}});
      return list;
    };
    const Json json{
        {"a", names[0]}, {"b", names[1]}, {"values", listed(values)}, {"peaks", listed(peaks)}};
    printOut(json.dump(2) + "\n");
    return values.empty() ? kSuccess : kFailed;
  }
  std::string text;
  const auto row = [&](const std::string& key, const std::string& left, const std::string& right) {
    text += fmt::format("  {:<30} {:<26} {}\n", key, left.empty() ? "-" : left,
                        right.empty() ? "-" : right);
  };
  if (!values.empty()) row("", names[0], names[1]);
  for (const auto& [key, pair] : values) row(key, pair.first, pair.second);
  if (!peaks.empty()) text += "\npeaks of the whole machine, computed\n";
  for (const auto& [key, pair] : peaks) row(key, pair.first, pair.second);
  printOut(text);
  return values.empty() ? kSuccess : kFailed;
}

std::string rangeText(const isa::MachineField& field) {
  if (field.kind == isa::FieldKind::Choice)
    return fmt::format("{}", fmt::join(field.choices, ", "));
  if (field.kind == isa::FieldKind::Part) return "a name";
  std::string text =
      fmt::format("{} to {}{}{}", isa::printValue(field, field.least),
                  isa::printValue(field, field.most), field.unit.empty() ? "" : " ", field.unit);
  if (field.multiple == isa::kPowerOfTwo) return text + ", a power of two";
  return field.multiple > 1 ? fmt::format("{}, a multiple of {}", text, field.multiple) : text;
}

int keys(const MachinesOptions& options) {
  std::string text;
  std::vector<std::string> sections;
  Json json = Json::array();
  for (const isa::MachineField& field : isa::machineFields()) {
    const std::string section(field.section.empty() ? "chip" : field.section);
    if (std::ranges::find(sections, section) == sections.end()) sections.push_back(section);
    if (!options.section.empty() && section != options.section) continue;
    text += fmt::format("{:<30} {:<36} {}\n", field.dottedKey(), rangeText(field), field.meaning);
    json.push_back({{"key", field.dottedKey()},
                    {"range", rangeText(field)},
                    {"unit", field.unit},
                    {"meaning", field.meaning}});
  }
  if (text.empty())
    return complain("machines", Error{fmt::format("there is no section {}; known: {}",
                                                  quote(options.section), joined(sections))});
  printOut(options.json ? json.dump(2) + "\n" : text);
  return kSuccess;
}

CLI::App* addShow(CLI::App& sub, MachinesOptions& options) {
  CLI::App* shown = sub.add_subcommand("show", "Show one machine: values, units, sources, peaks");
  shown->add_option("NAME", options.name, "Machine by name or by path of its YAML")
      ->required()
      ->type_name("MACHINE|FILE");
  shown
      ->add_option("--set", options.overrides,
                   "Change one value of the machine, which then has no name")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  shown->add_flag("--json", options.json, "JSON on stdout");
  return shown;
}

CLI::App* addDiff(CLI::App& sub, MachinesOptions& options) {
  CLI::App* diffed = sub.add_subcommand(
      "diff", "Show in which values two machines differ; exit status 1 if they do, as of diff(1)");
  diffed->add_option("A", options.name, "Machine by name or by path of its YAML")
      ->required()
      ->type_name("MACHINE|FILE");
  diffed->add_option("B", options.other, "The other")->required()->type_name("MACHINE|FILE");
  diffed->add_option("--set", options.overrides, "Change one value of B before they are compared")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  diffed->add_flag("--json", options.json, "JSON on stdout");
  return diffed;
}

}  // namespace

Result<std::vector<std::string>> machineNames() {
  const Result<std::vector<isa::Machine>> machines = allMachines();
  if (!machines.ok()) return machines.error();
  std::vector<std::string> names;
  for (const isa::Machine& machine : *machines) names.push_back(machine.name);
  return names;
}

void addMachines(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<MachinesOptions>();
  CLI::App* sub = app.add_subcommand(
      "machines", "List machines, show one with the source of every number, or compare two");
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  CLI::App* listed = sub->add_subcommand("list", "List machines, as without a subcommand");
  listed->add_flag("--json", options->json, "JSON on stdout");
  CLI::App* shown = addShow(*sub, *options);
  CLI::App* diffed = addDiff(*sub, *options);
  CLI::App* keyed = sub->add_subcommand(
      "keys", "Show what a machine file may say: keys, ranges, units, meanings");
  keyed
      ->add_option("SECTION", options->section,
                   "One section only, `chip` for what stands at the top")
      ->type_name("SECTION");
  keyed->add_flag("--json", options->json, "JSON on stdout");
  CLI::App* schema = sub->add_subcommand("schema", "Print the JSON Schema of machine files");
  sub->callback([=, &exit_status] {
    if (schema->parsed()) printOut(isa::machineSchema());
    exit_status = shown->parsed()    ? show(*options)
                  : diffed->parsed() ? diff(*options)
                  : keyed->parsed()  ? keys(*options)
                  : schema->parsed() ? kSuccess
                                     : list(*options);
  });
}

}  // namespace etalon::tools
