// SPDX-License-Identifier: Apache-2.0
// The JSON texts of the functional model as a plug-in.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/text.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/plugin/plugin_device.h"

namespace etalon::sim {

Result<isa::Machine> machineOf(const std::string& configuration) {
  const auto json = nlohmann::json::parse(configuration, nullptr, false);
  if (!json.is_object())
    return Error{fmt::format("the configuration is no JSON object: {}", quote(configuration))};
  std::string machine = "base";
  std::vector<std::string> overrides;
  for (const auto& [key, value] : json.items()) {
    if (key == "machine" && value.is_string()) {
      machine = value.get<std::string>();
    } else if (key == "set" && value.is_array()) {
      for (const auto& element : value) {
        if (!element.is_string())
          return Error{"configuration: \"set\" holds texts, as in [\"cores=2\"]"};
        overrides.push_back(element.get<std::string>());
      }
    } else {
      return Error{
          fmt::format("configuration: {} is not understood; it takes {{\"machine\": NAME or PATH, "
                      "\"set\": [\"key=value\", ...]}}",
                      quote(key))};
    }
  }
  return isa::openMachine(machine, overrides);
}

std::string describePlugin(const isa::Machine& machine) {
  const nlohmann::ordered_json json{
      {"name", "npu-functional"},
      {"title", "Functional model, machine " + machine.displayName()},
      {"vendor", "Etalon"},
      {"version", ETALON_VERSION},
      {"kind", "model"},
      {"profiles", machine.profiles},
      {"operators", nlohmann::json::array()},
      {"numerics", "canonical"},
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
