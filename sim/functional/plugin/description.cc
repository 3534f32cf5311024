// SPDX-License-Identifier: Apache-2.0
// The JSON texts of the functional model as a plug-in.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/file.h"
#include "isa/base/text.h"
#include "isa/contracts/contract_loader.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/plugin/plugin_device.h"

namespace etalon::sim {

namespace {

using Json = nlohmann::ordered_json;

Status readContract(const std::string& name, PluginSetup& setup) {
  const Result<std::string> path = isa::findContract(name);
  if (!path.ok()) return path.error();
  Result<numerics::Contract> contract = isa::loadContract(*path);
  if (!contract.ok()) return contract.error();
  const Result<std::string> text = readFile(*path);
  if (!text.ok()) return text.error();
  if (!Json::accept(*text))
    return Error{
        fmt::format("{}: the contract of a device must be JSON, as its description is", *path)};
  setup.contract = *std::move(contract);
  if (!setup.contract.isCanonical()) setup.contract_json = *text;
  return {};
}

Result<std::vector<std::string>> readOverrides(const Json& list) {
  std::vector<std::string> overrides;
  for (const Json& element : list) {
    if (!element.is_string())
      return Error{"configuration: \"set\" holds texts, as in [\"cores=2\"]"};
    overrides.push_back(element.get<std::string>());
  }
  return overrides;
}

/// One line of at most the 200 characters that a description may have, however much is overridden.
std::string titleOf(const isa::Machine& machine) {
  constexpr size_t kMostNameBytes = 160;
  std::string name = machine.displayName();
  if (name.size() > kMostNameBytes)
    name = fmt::format("{} with {} values overridden", machine.name, machine.overrides.size());
  return "Functional model, machine " + name;
}

}  // namespace

Result<PluginSetup> setupOf(const std::string& configuration) {
  const Json json = Json::parse(configuration, nullptr, false);
  if (!json.is_object())
    return Error{fmt::format("the configuration is no JSON object: {}", quote(configuration))};
  PluginSetup setup;
  std::string machine = "base";
  Result<std::vector<std::string>> overrides = std::vector<std::string>();
  for (const auto& [key, value] : json.items()) {
    if (key == "machine" && value.is_string()) {
      machine = value.get<std::string>();
    } else if (key == "contract" && value.is_string()) {
      ETALON_RETURN_IF_ERROR(readContract(value.get<std::string>(), setup));
    } else if (key == "set" && value.is_array()) {
      overrides = readOverrides(value);
      if (!overrides.ok()) return overrides.error();
    } else {
      return Error{
          fmt::format("configuration: {} is not understood; it takes {{\"machine\": NAME or PATH, "
                      "\"set\": [\"key=value\", ...], \"contract\": NAME or PATH}}",
                      quote(key))};
    }
  }
  Result<isa::Machine> opened = isa::openMachine(machine, *overrides);
  if (!opened.ok()) return opened.error();
  setup.machine = *std::move(opened);
  return setup;
}

std::string describePlugin(const PluginSetup& setup) {
  const isa::Machine& machine = setup.machine;
  const Json json{
      {"name", "npu-functional"},
      {"title", titleOf(machine)},
      {"vendor", "Etalon"},
      {"version", ETALON_VERSION},
      {"kind", "model"},
      {"profiles", machine.profiles},
      {"operators", Json::array()},
      {"numerics",
       setup.contract_json.empty() ? Json("canonical") : Json::parse(setup.contract_json)},
      {"limits",
       {{"memory_bytes", machine.global_bytes}, {"alignment", 64}, {"cores", machine.cores}}}};
  return json.dump();
}

std::string countersJson(const FunctionalDevice& model) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const isa::CounterInfo& counter : isa::kCounters)
    if (counter.architectural)
      json[std::string(counter.name)] = model.counterTotal(counter.counter);
  return json.dump();
}

}  // namespace etalon::sim
