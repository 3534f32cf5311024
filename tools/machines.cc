// SPDX-License-Identifier: Apache-2.0
// etalon machines: the machine configurations there are, and what each says about itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "isa/base/text.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine_schema.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFooter = R"(Examples:
  etalon machines
  etalon machines show base
  etalon machines show base --set cores=2 --json)";

struct MachinesOptions {
  std::string name;
  std::vector<std::string> overrides;
  bool json = false;
};

Json machineJson(const isa::Machine& machine) {
  Json values = Json::object();
  for (const isa::MachineValue& v : isa::machineValues(machine))
    values[v.key] = {{"value", v.value}, {"source", v.source}};
  return {{"name", machine.displayName()},
          {"title", machine.title},
          {"derived", machine.derived()},
          {"profiles", machine.profiles},
          {"values", std::move(values)}};
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

int show(const MachinesOptions& options) {
  const Result<isa::Machine> machine = isa::openMachine(options.name, options.overrides);
  if (!machine.ok()) return complain("machines", machine.error());
  if (options.json) {
    printOut(machineJson(*machine).dump(2) + "\n");
    return kSuccess;
  }
  std::string text = fmt::format("{}\n{}\nprofiles {}\n", machine->displayName(), machine->title,
                                 joined(machine->profiles));
  if (machine->derived()) text += "derived: results belong to no published machine\n";
  for (const isa::MachineValue& v : isa::machineValues(*machine))
    text += fmt::format("  {:<28} {:<16} {}\n", v.key, v.value, v.source);
  printOut(text);
  return kSuccess;
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
  CLI::App* sub =
      app.add_subcommand("machines", "List machines, or show one with the source of every number");
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  CLI::App* shown = sub->add_subcommand("show", "Show one machine");
  shown->add_option("NAME", options->name, "Machine by name or by path of its YAML")
      ->required()
      ->type_name("MACHINE|FILE");
  shown
      ->add_option("--set", options->overrides,
                   "Change one value of the machine, which then has no name")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  shown->add_flag("--json", options->json, "JSON on stdout");
  CLI::App* schema = sub->add_subcommand("schema", "Print the JSON Schema of machine files");
  sub->callback([options, shown, schema, &exit_status] {
    if (schema->parsed()) {
      printOut(isa::machineSchema());
      exit_status = kSuccess;
      return;
    }
    exit_status = shown->parsed() ? show(*options) : list(*options);
  });
}

}  // namespace etalon::tools
