// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/abi/etalon_device.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {

/// What a configuration asks for.
struct PluginSetup {
  isa::Machine machine;
  numerics::Contract contract;
  std::string contract_json;  // the document; empty for the canonical arithmetic
};

}  // namespace etalon::sim

/// The functional model as a device of isa/abi/etalon_device.h.
struct etalon_device {
  etalon::sim::PluginSetup setup;
  std::unique_ptr<etalon::sim::FunctionalDevice> model;
  bool has_image = false;
  std::vector<etalon_event> events;  // of the step that is being executed
  etalon::sim::CommitSink commits;   // writes them
};

namespace etalon::sim {

/// Finds what a configuration names, {"machine": "base", "set": ["cores=2"], "contract": "et1"}; each may be left out.
/// Errors: no JSON object, other keys or types, what isa::openMachine() and isa::openContract() refuse.
Result<PluginSetup> setupOf(const std::string& configuration);

/// What `describe` says.
std::string describePlugin(const PluginSetup& setup);

/// The counters that do not depend on time, as a JSON object.
std::string countersJson(const FunctionalDevice& model);

/// The result of a launch that ended.
void fillResult(const FunctionalDevice& model, const RunResult& run, etalon_launch_result& result);

/// State of a core. Errors: no such core, space or index, or another number of bytes than there are.
Status peekCore(FunctionalDevice& model, const etalon_peek_request& request);

}  // namespace etalon::sim
